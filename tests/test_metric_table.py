"""Every metric of METRICS under every invariant, and against the textbook fractions.

Each invariant has a table of the metrics it binds; `test_every_metric_is_in_the_tables` fails as
soon as METRICS holds one that some table does not know.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import naive
import numpy as np
import pytest

import ranktally as rt
from ranktally._requests import parse_metric

CALLS = {
    "fbeta": "fbeta(2)",
    "expected_cost": "expected_cost(1, 5)",
    "precision_at_k": "precision_at_k(fraction=0.3)",
    "recall_at_k": "recall_at_k(fraction=0.3)",
    "lift_at_k": "lift_at_k(fraction=0.3)",
    "partial_auc": "partial_auc(fpr=(0.1, 0.4))",
    "pr_auc": 'pr_auc("davis_goadrich")',
    "recall_at_fpr": "recall_at_fpr(0.2)",
    "recall_at_specificity": "recall_at_specificity(0.7)",
    "specificity_at_recall": "specificity_at_recall(0.7)",
    "recall_at_precision": "recall_at_precision(0.4)",
    "precision_at_recall": "precision_at_recall(0.6)",
    "average_precision_at_prevalence": "average_precision_at_prevalence(0.01)",
    "ece": "ece(4)",
    "mce": 'mce(4, "uniform")',
}
"""How a metric with parameters is called here."""

RANK_ONLY = {
    "roc_auc", "average_precision", "gini", "ks", "prevalence", "partial_auc", "pr_auc", "eer",
    "break_even", "recall_at_fpr", "recall_at_specificity", "specificity_at_recall",
    "recall_at_precision", "precision_at_recall", "average_precision_at_prevalence",
    "precision_at_k", "recall_at_k", "lift_at_k",
}  # fmt: skip
"""Unchanged by a strictly increasing map of the scores."""

BY_VALUE = {"brier", "log_loss", "ece", "mce"}
"""Of the scores as probabilities: no map leaves them as they are."""

AT_A_CUT = {
    "precision", "recall", "specificity", "fpr", "fnr", "npv", "fdr", "false_omission_rate",
    "accuracy", "error_rate", "balanced_accuracy", "f1", "fbeta", "mcc", "jaccard", "youden",
    "markedness", "cohen_kappa", "fowlkes_mallows", "geometric_mean", "positive_likelihood_ratio",
    "negative_likelihood_ratio", "diagnostic_odds_ratio", "predicted_positive_rate", "lift",
    "prevalence_threshold", "roc_distance", "expected_cost",
}  # fmt: skip
"""Unchanged when the cut is mapped with the scores."""

ITSELF = {
    "roc_auc", "gini", "ks", "accuracy", "error_rate", "balanced_accuracy", "mcc", "youden",
    "markedness", "cohen_kappa", "geometric_mean", "diagnostic_odds_ratio", "eer",
    "roc_distance",
}  # fmt: skip
PARTNER = {
    **{name: name for name in ITSELF},
    "precision": "npv",
    "npv": "precision",
    "recall": "specificity",
    "specificity": "recall",
    "fpr": "fnr",
    "fnr": "fpr",
    "fdr": "false_omission_rate",
    "false_omission_rate": "fdr",
    "recall_at_specificity": "specificity_at_recall",
    "specificity_at_recall": "recall_at_specificity",
    "prevalence": "1 - prevalence",
    "predicted_positive_rate": "1 - predicted_positive_rate",
    "positive_likelihood_ratio": "1 / negative_likelihood_ratio",
    "negative_likelihood_ratio": "1 / positive_likelihood_ratio",
}
"""What a metric becomes when labels are swapped and scores negated."""

NO_PARTNER = {
    "average_precision", "f1", "fbeta", "jaccard", "fowlkes_mallows", "lift",
    "prevalence_threshold", "partial_auc", "pr_auc", "break_even", "recall_at_fpr",
    "recall_at_precision", "precision_at_recall", "average_precision_at_prevalence", *BY_VALUE,
    "precision_at_k", "recall_at_k", "lift_at_k", "expected_cost",
}  # fmt: skip
"""Metrics that look at the positives only, or at probabilities: swapping gives another measure."""

METHODS = {"roc_auc", "average_precision", "gini", "ks"}
"""Metrics that are methods of a Tally; the others are attributes of `at`."""

METRICS = sorted(rt.METRICS)


def name_of(call: str) -> str:
    return call.split("(")[0]


def call_of(name: str) -> str:
    return CALLS.get(name, name)


class Rows:
    """One sample, and every metric of it through `evaluate`."""

    def __init__(self, y, s, w=None, at=0.5):
        self.y, self.s, self.at = np.asarray(y), np.asarray(s), at
        self.w = None if w is None else np.asarray(w, dtype=float)

    def values(self, engine, **options) -> dict[str, float]:
        result = rt.evaluate(
            label=self.y,
            scores=self.s,
            weight=self.w,
            metrics=[call_of(name) for name in METRICS],
            at=self.at,
            engine=engine,
            **options,
        )
        return {name: result.value("score", call_of(name)) for name in METRICS}

    def exact(self, name: str) -> float:
        w = None if self.w is None else self.w.tolist()
        return naive.as_float(
            naive.value(call_of(name), self.y.tolist(), self.s.tolist(), w, self.at)
        )


def _samples() -> dict[str, Rows]:
    rng = np.random.default_rng(11)
    y = rng.random(60) < 0.3
    s = np.round(rng.normal(size=60) * 0.3 + 0.4 + 0.2 * y, 1)
    w = rng.integers(0, 4, 60)
    return {
        "ties": Rows(y, s),
        "integral weights": Rows(y, s, w),
        "real weights": Rows(y, s, w * 0.1 + 0.05),
        "whole scores": Rows(y, (s * 10).astype(np.int64), at=5),
        "float32": Rows(y, s.astype(np.float32)),
        "probabilities": Rows(y, np.clip(s, 0, 1)),
        "weighted probabilities": Rows(y, np.clip(s, 0, 1), w),
        "constant": Rows(y, np.full(60, 0.5)),
        "perfect": Rows(y, np.where(y, 0.75, 0.25)),
        "reversed": Rows(y, np.where(y, 0.25, 0.75)),
        "none selected": Rows(y, s, at=9.0),
        "all selected": Rows(y, s, at=-9.0),
        "all positive": Rows(np.ones(5, int), [0.1, 0.5, 0.5, 0.9, -1.0]),
        "all negative": Rows(np.zeros(5, int), [0.1, 0.5, 0.5, 0.9, -1.0]),
        "one row": Rows([1], [0.5]),
        "one row, not selected": Rows([0], [0.1]),
    }


SAMPLES = _samples()


@cache
def values(sample: str, engine: str, threads: int | None = None) -> dict[str, float]:
    return SAMPLES[sample].values(engine, threads=threads)


@cache
def changed(sample: str, change: str, engine: str) -> dict[str, float]:
    r = SAMPLES[sample]
    w = np.ones(len(r.y)) if r.w is None else r.w
    if change == "shuffled":
        order = np.random.default_rng(2).permutation(len(r.y))
        rows = Rows(r.y[order], r.s[order], None if r.w is None else r.w[order], r.at)
    elif change == "mapped":
        # exact in float32 too, and no two scores closer than the map can tell apart
        rows = Rows(r.y, np.asarray(r.s * 4 - 3, dtype=r.s.dtype), r.w, r.at * 4 - 3)
    elif change == "weight 2":
        rows = Rows(r.y, r.s, 2 * w, r.at)
    elif change == "row twice":
        rows = Rows(np.tile(r.y, 2), np.tile(r.s, 2), np.tile(w, 2), r.at)
    elif change == "swapped":
        below = r.s[r.s < r.at]
        cut = -below.max() if len(below) else -r.at + 1
        if not len(below):  # everything was selected: now nothing may be
            cut = -r.s.min() + 1
        rows = Rows(1 - r.y.astype(int), -r.s, r.w, cut)
    else:
        raise AssertionError(change)
    return rows.values(engine)


def close(name: str, sample: str) -> dict[str, float]:
    """Exact to the last bit or two without weights, a few more with real ones."""
    bound = 1e-14 if sample == "real weights" else 2e-15
    return {"rel": bound, "abs": bound, "nan_ok": True}


def test_every_metric_is_in_the_tables():
    names = set(METRICS)
    assert names == RANK_ONLY | AT_A_CUT | BY_VALUE
    assert len(names) == len(RANK_ONLY) + len(AT_A_CUT) + len(BY_VALUE)
    assert names == set(PARTNER) | NO_PARTNER
    assert not set(PARTNER) & NO_PARTNER
    assert names == {name_of(call) for call in (*naive.MEASURES, *naive.RANKINGS)}
    assert names >= METHODS


def test_the_issue_of_this_stage_is_covered():
    wanted = {
        "roc_auc", "average_precision", "gini", "ks", "precision", "recall", "specificity", "fpr",
        "npv", "accuracy", "balanced_accuracy", "f1", "fbeta", "mcc", "jaccard", "prevalence",
        "predicted_positive_rate",
    }  # fmt: skip
    assert set(METRICS) >= wanted


EVERY = pytest.mark.parametrize("name", METRICS)


def equal(got: float, base: float, sample: str, name: str) -> None:
    """The same number to the bit, unless weights are fractions."""
    if sample == "real weights":
        assert got == pytest.approx(base, **close(name, sample)), sample
    else:
        np.testing.assert_equal(float(got), base, err_msg=sample)


@EVERY
def test_against_fractions(engine, name):
    for sample, rows in SAMPLES.items():
        expected = rows.exact(name)
        assert values(sample, engine)[name] == pytest.approx(expected, **close(name, sample)), (
            sample
        )


@EVERY
def test_order_of_rows(engine, name):
    for sample in SAMPLES:
        got = changed(sample, "shuffled", engine)[name]
        equal(got, values(sample, engine)[name], sample, name)


@pytest.mark.parametrize("name", sorted(RANK_ONLY | AT_A_CUT))
def test_monotone_map(engine, name):
    """The cut is mapped along: nothing moves, whether the metric looks at it or not."""
    for sample in SAMPLES:
        got, base = changed(sample, "mapped", engine)[name], values(sample, engine)[name]
        np.testing.assert_equal(got, base, err_msg=sample)


@pytest.mark.parametrize("name", sorted(RANK_ONLY))
def test_rank_only_metrics_do_not_look_at_the_values(engine, name):
    for sample, r in SAMPLES.items():
        _, ranks = np.unique(r.s, return_inverse=True)
        # `prevalence` wants a cut although no cut changes it
        got = rt.evaluate(
            label=r.y, scores=ranks, weight=r.w, metrics=[call_of(name)], at=1, engine=engine
        )
        base = values(sample, engine)[name]
        np.testing.assert_equal(got.value("score", call_of(name)), base, err_msg=sample)


@EVERY
def test_weight_two_is_the_row_twice(engine, name):
    for sample in SAMPLES:
        a, b = (changed(sample, change, engine)[name] for change in ("weight 2", "row twice"))
        equal(a, b, sample, name)
        assert a == pytest.approx(values(sample, engine)[name], **close(name, sample)), sample


@cache
def merges(sample: str, engine: str) -> list[rt.Tally]:
    """The sample in two, three and five parts, merged."""
    r, rng = SAMPLES[sample], np.random.default_rng(4)
    found = []
    for parts in (2, 3, 5):
        owner = rng.integers(0, parts, len(r.y))
        pieces = [
            rt.tally(r.y[i], r.s[i], None if r.w is None else r.w[i], engine=engine)
            for i in (np.flatnonzero(owner == k) for k in range(parts))
            if len(i)
        ]
        merged = pieces[0]
        for piece in pieces[1:]:
            merged = piece.merge(merged)
        found.append(merged)
    return found


@EVERY
def test_merge_of_splits(engine, name):
    for sample, r in SAMPLES.items():
        for merged in merges(sample, engine):
            if name in METHODS:
                got = getattr(merged, name)()
            elif rt.METRICS[name].needs == "tally":
                got = parse_metric(call_of(name)).function(merged.counts)
            elif name in CALLS:
                got = merged.at(r.at).apply(call_of(name))
            else:
                got = getattr(merged.at(r.at), name)
            equal(got, values(sample, engine)[name], sample, name)


@pytest.mark.parametrize("name", sorted(PARTNER))
def test_label_swap_with_negation(engine, name):
    partner = PARTNER[name]
    for sample in SAMPLES:
        got = changed(sample, "swapped", engine)[name]
        expected = values(sample, engine)[partner.removeprefix("1 - ").removeprefix("1 / ")]
        if partner.startswith("1 - "):
            expected = 1 - expected
        elif partner.startswith("1 / "):
            expected = 1 / expected if expected else math.inf
        assert got == pytest.approx(expected, rel=1e-14, abs=1e-14, nan_ok=True), sample


@EVERY
def test_any_number_of_threads(engine, name):
    for sample in SAMPLES:
        base = values(sample, engine)[name]
        for threads in (1, 2, 3):
            np.testing.assert_equal(values(sample, engine, threads)[name], base, err_msg=sample)


@cache
def grouped(sample: str, engine: str) -> dict[str, list[float]]:
    """Every metric as the total of several groupings, and as a group of its own."""
    r = SAMPLES[sample]
    n = len(r.y)
    # rows of another group lie between those of the sample
    columns = {
        "y": np.concatenate([1 - r.y.astype(int), r.y.astype(int)]),
        "s": np.concatenate([r.s[::-1], r.s]),
        "w": np.tile(np.ones(n) if r.w is None else r.w, 2),
        "g": np.repeat(["other", "mine"], n),
    }
    order = np.random.default_rng(6).permutation(2 * n)
    order = order[np.argsort(order >= n, kind="stable")] if sample == "real weights" else order
    result = rt.evaluate(
        {name: column[order] for name, column in columns.items()},
        label="y", scores="s", weight=None if r.w is None else "w", by="g",
        metrics=[call_of(name) for name in METRICS], at=r.at, engine=engine,
    )  # fmt: skip
    alone = rt.evaluate(
        {"y": r.y, "s": r.s, "w": columns["w"][:n]},
        label="y", scores="s", weight=None if r.w is None else "w", by=[[]],
        metrics=[call_of(name) for name in METRICS], at=r.at, engine=engine,
    )  # fmt: skip
    return {
        name: [result.value("s", call_of(name), g="mine"), alone.value("s", call_of(name))]
        for name in METRICS
    }


@EVERY
def test_groups_take_the_same_path(engine, name):
    for sample in SAMPLES:
        for got in grouped(sample, engine)[name]:
            equal(got, values(sample, engine)[name], sample, name)


@pytest.mark.big
@pytest.mark.parametrize("weights", [None, "integral", "real"])
def test_threads_over_many_models(engine, weights):
    rng = np.random.default_rng(9)
    n = 20_000
    y = rng.random(n) < 0.2
    w = {None: None, "integral": rng.integers(0, 3, n) * 1.0, "real": rng.random(n)}[weights]
    scores = {
        f"m{k}": (rng.normal(size=n) + y).round(k % 4).astype("f4" if k % 2 else "f8")
        for k in range(6)
    }
    tables = [
        rt.evaluate(
            label=y, scores=scores, weight=w, by=[[], [np.arange(n) % 7]], at=[0.25, 0.5],
            metrics=[call_of(name) for name in METRICS], engine=engine, threads=threads,
        ).to_dict()
        for threads in (1, 2, 3)
    ]  # fmt: skip
    assert tables[0] == tables[1] == tables[2]


@pytest.mark.parametrize("sample", SAMPLES)
def test_engines_agree(sample):
    plain, kernels = (values(sample, name) for name in ("numpy", "numba"))
    for name in METRICS:
        np.testing.assert_equal(plain[name], kernels[name], err_msg=name)


@EVERY
def test_values_stay_in_the_stated_range(engine, name):
    low, high = rt.METRICS[name].range
    for sample in SAMPLES:
        value = values(sample, engine)[name]
        assert math.isnan(value) or low <= value <= high, sample


@pytest.mark.parametrize("sample", ["ties", "integral weights", "constant"])
def test_baselines(engine, sample):
    """What a constant score, or the majority rule, would get."""
    r = SAMPLES[sample]
    rows = rt.evaluate(
        label=r.y,
        scores=r.s,
        weight=r.w,
        metrics=["roc_auc", "average_precision", "gini", "accuracy", "precision"],
        at=r.at,
        engine=engine,
    ).to_dict()
    baseline = {row["metric"]: row["baseline"] for row in rows}
    pos, neg = naive.totals(r.y.tolist(), None if r.w is None else r.w.tolist())
    share = float(Fraction(pos, pos + neg))
    assert baseline["roc_auc"] == 0.5
    assert baseline["gini"] == 0.0
    assert baseline["average_precision"] == pytest.approx(share, abs=1e-15)
    assert baseline["precision"] == pytest.approx(share, abs=1e-15)
    assert baseline["accuracy"] == pytest.approx(max(share, 1 - share), abs=1e-15)


STATUS = {
    ("all positive", "roc_auc"): "no_negatives",
    ("all negative", "roc_auc"): "no_positives",
    ("all negative", "average_precision"): "no_positives",
    ("all positive", "specificity"): "no_negatives",
    ("all positive", "fpr"): "no_negatives",
    ("all negative", "recall"): "no_positives",
    ("none selected", "precision"): "no_positive_predictions",
    ("all selected", "npv"): "no_negative_predictions",
    ("one row, not selected", "f1"): "no_positives_or_predictions",
    ("one row, not selected", "jaccard"): "no_positives_or_predictions",
    ("all selected", "mcc"): "zero_margin",
    ("none selected", "mcc"): "zero_margin",
    ("all positive", "mcc"): "zero_margin",
    ("ties", "mcc"): "ok",
    ("all positive", "average_precision"): "ok",
}


@pytest.mark.parametrize(("sample", "name"), STATUS)
def test_status_says_why(engine, sample, name):
    r = SAMPLES[sample]
    rows = rt.evaluate(
        label=r.y, scores=r.s, weight=r.w, metrics=[call_of(name)], at=r.at, engine=engine
    ).to_dict()
    row = next(row for row in rows if row["metric"] == call_of(name))
    assert row["status"] == STATUS[sample, name]
    assert row["status"] in ("ok", *rt.METRICS[name].undefined)
    assert (row["value"] is None) == (row["status"] != "ok")
