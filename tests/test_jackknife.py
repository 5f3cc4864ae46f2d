"""Jackknife errors against the definition, DeLong and the bootstrap, and what is said of them."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from refusals import refused
from strategies import samples
from test_contributions import AT_A_CUT, moved
from test_influence import door, kept

import ranktally as rt
from ranktally._engine import loops
from ranktally._influence import influence
from ranktally._jackknife import jackknife
from ranktally._jackknife_result import Jackknife

SCORED = ["roc_auc", "gini", "average_precision", "average_precision_at_prevalence(0.1)"]
LOSSES = ["brier", "log_loss"]
COUNTED = ["precision", "recall", "f1", "accuracy", "mcc", "lift", "expected_cost(1, 5)"]
Z = NormalDist().inv_cdf(0.975)


def tied(n: int, seed: int = 0, prevalence: float = 0.3) -> tuple[np.ndarray, dict[str, Any]]:
    """Labels, and two models that score between 0 and 1, with ties."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    shared = rng.normal(size=n) + 1.2 * y
    models = {k: 1 / (1 + np.exp(-(shared + rng.normal(size=n)))) for k in "ab"}
    return y, {k: np.round(s, 2).clip(0.01, 0.99) for k, s in models.items()}


def errors_of(found: Jackknife) -> np.ndarray:
    return np.array(found.standard_error)


# -- the numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@pytest.mark.parametrize("metric", ["average_precision", "f1"])
def test_the_definition(engine, metric, weights):
    @given(samples(both=True, weights=weights, max_size=12))
    def check(rows):
        y, _, w = kept(rows)
        if sum(y) < 2 or len(y) - sum(y) < 2:
            return
        models = {"a": rows.scores, "b": rows.scores[::-1]}
        found = jackknife(
            label=rows.labels, scores=models, weight=rows.weights, metrics=metric,
            at=+rows.scores[0].item() if metric == "f1" else None, engine=engine,
        )  # fmt: skip
        keep = slice(None) if rows.weights is None else rows.weights > 0
        parts = []
        for scores in models.values():

            def measure(y, s, w):
                if metric == "average_precision":
                    return naive.average_precision(y, s, w)
                return naive.f_beta(naive.counts(y, s, rows.scores[0].item(), w), 1)

            mine = scores[keep].tolist()
            parts.append(np.array(moved(measure, y, mine, w, Fraction(1, 10**7))))
        n = len(y)
        for i, part in enumerate(parts):
            value = found.estimate[i, 0]
            if math.isnan(value):
                assert math.isnan(found.standard_error[i, 0])
                continue
            variance = n / (n - 1) * np.sum(part**2)
            assert found.covariance[0, i, i] == pytest.approx(variance, rel=1e-6, abs=1e-15)
            expected = naive.as_float(measure(y, list(models.values())[i][keep].tolist(), w))
            assert value == pytest.approx(expected, abs=1e-14)
        gap = n / (n - 1) * np.sum((parts[0] - parts[1]) ** 2)
        if not np.isnan(found.estimate).any():
            got = found.difference_variance[0, 0, 1]
            assert got == pytest.approx(gap, rel=1e-6, abs=1e-15)

    check()


@pytest.mark.parametrize("weighted", [False, True])
def test_auc_agrees_with_delong_but_for_the_class_factors(engine, weighted):
    y, models = tied(300)
    w = np.random.default_rng(1).random(300) + 0.2 if weighted else None
    found = jackknife(label=y, scores=models, weight=w, metrics="roc_auc", engine=engine)
    delong = rt.delong(label=y, scores=models, weight=w, engine=engine)
    assert found.estimate[:, 0].tobytes() == delong.auc.tobytes()
    parts = [influence(door(y, s, w), "roc_auc", loops(engine, 1)).value for s in models.values()]

    def total(of: Any, factors: tuple[float, float]) -> float:
        return sum(f * of[y == side].sum() for side, f in zip((1, 0), factors, strict=True))

    m, k, n = y.sum(), 300 - y.sum(), 300
    own, all_rows = (m / (m - 1), k / (k - 1)), (n / (n - 1),) * 2
    pairs = {(i, j): parts[i] * parts[j] for i in (0, 1) for j in (0, 1)}
    for (i, j), product in pairs.items():
        assert found.covariance[0, i, j] == pytest.approx(total(product, all_rows), rel=1e-12)
        assert delong.covariance[i, j] == pytest.approx(total(product, own), rel=1e-12)
    gap = (parts[0] - parts[1]) ** 2
    assert found.difference_variance[0, 0, 1] == pytest.approx(total(gap, all_rows), rel=1e-12)
    assert delong.difference_variance[0, 1] == pytest.approx(total(gap, own), rel=1e-12)
    assert errors_of(found)[:, 0] == pytest.approx(delong.standard_error, rel=0.01)


@pytest.mark.big
@pytest.mark.parametrize("drawn", ["rows", "weighted rows", "clusters"])
def test_the_bootstrap_has_the_same_spread(engine, drawn):
    n = 1500
    y, models = tied(n, seed=3)
    rng = np.random.default_rng(4)
    more = {}
    if drawn == "weighted rows":
        more["weight"] = rng.random(n) + 0.1
    if drawn == "clusters":
        more["cluster"] = rng.integers(0, 300, n)
    metrics = ["roc_auc", "average_precision", *COUNTED]
    call = {"label": y, "scores": models, "metrics": metrics, "at": 0.6, "engine": engine, **more}
    found = jackknife(**call)
    drawn = rt.bootstrap(**call, n_resamples=1500, seed=5)
    # 1500 draws give a standard deviation to 1.8 %.
    spread = drawn.replicates.std(axis=0)
    np.testing.assert_allclose(errors_of(found), spread, rtol=0.075)
    for k, slot in enumerate(found.slots):
        d = found.difference("a", "b", slot.metric)
        gap = drawn.replicates[:, 0, k] - drawn.replicates[:, 1, k]
        assert d.standard_error == pytest.approx(gap.std(), rel=0.075)


def test_means_over_rows_have_the_error_of_a_mean(engine):
    y, models = tied(200)
    found = jackknife(label=y, scores=models, metrics=["brier", "accuracy"], at=0.5, engine=engine)
    for m, s in enumerate(models.values()):
        loss, right = (s - y) ** 2, (s >= 0.5) == y
        for k, values in enumerate((loss, right)):
            assert found.estimate[m, k] == pytest.approx(values.mean(), rel=1e-14)
            error = np.std(values, ddof=1) / math.sqrt(200)
            assert found.standard_error[m, k] == pytest.approx(error, rel=1e-10)


@pytest.mark.parametrize("weights", [None, "real"])
def test_every_smooth_metric_of_any_rows(engine, weights):
    """Estimates are those of evaluate, and ends lie on either side of them, within the range."""
    every = [*SCORED, *LOSSES, *AT_A_CUT]

    @given(samples(weights=weights))
    def check(rows):
        if rows.weights is not None and not (rows.weights > 0).any():
            return
        cuts = np.unique(rows.scores)[:2]
        cuts = [+x for x in cuts.tolist() if np.isfinite(x)]  # no bools
        call = {"label": rows.labels, "scores": rows.scores, "weight": rows.weights}
        call |= {"metrics": every if cuts else SCORED, "at": cuts or None, "engine": engine}
        found = jackknife(**call, level=0.9)
        told = rt.evaluate(**call)
        values = np.asarray(told.columns["value"])
        np.testing.assert_array_equal(found.estimate[0], values)
        np.testing.assert_array_equal(found.baseline[0], told.columns["baseline"])
        for kind in ("plain", "logit"):
            table = found.rows(kind).columns
            known = ~np.isnan(table["low"])
            assert not np.isnan(values[known]).any()
            assert (table["low"] <= values)[known].all()
            assert (table["high"] >= values)[known].all()
            for low, high, slot in zip(table["low"], table["high"], found.slots, strict=True):
                assert not low < slot.range[0]
                assert not high > slot.range[1]

    check()


# -- clusters and weights ------------------------------------------------------------------------


def test_rows_twice_in_a_cluster_of_their_own(engine):
    y, models = tied(150)
    call = {"metrics": [*SCORED, *LOSSES, *COUNTED], "at": [0.4, 0.6], "engine": engine}
    once = jackknife(label=y, scores=models, **call)
    twice = jackknife(
        label=np.tile(y, 2), scores={k: np.tile(s, 2) for k, s in models.items()},
        cluster=np.tile(np.arange(150), 2), **call,
    )  # fmt: skip
    assert twice.n == 300
    assert twice.n_clusters == 150
    np.testing.assert_allclose(errors_of(twice), errors_of(once), rtol=1e-9)
    np.testing.assert_allclose(
        twice.difference_variance, once.difference_variance, rtol=1e-9, atol=1e-18
    )
    apart = jackknife(
        label=np.tile(y, 2), scores={k: np.tile(s, 2) for k, s in models.items()}, **call
    )
    assert np.all(errors_of(apart) < 0.72 * errors_of(once))


def test_clusters_of_one_row_are_rows(engine):
    y, models = tied(120)
    call = {"label": y, "scores": models, "metrics": ["average_precision", "f1"], "at": 0.5}
    plain = jackknife(**call, engine=engine)
    alone = jackknife(**call, cluster=[f"c{i:03}" for i in range(120)], engine=engine)
    assert alone.covariance.tobytes() == plain.covariance.tobytes()
    assert (plain.n_clusters, alone.n_clusters) == (None, 120)


def test_whole_weights_in_clusters_are_repeated_rows(engine):
    y, models = tied(150)
    rng = np.random.default_rng(2)
    w, cluster = rng.integers(0, 4, 150), rng.integers(0, 40, 150)
    call = {"metrics": [*SCORED, *LOSSES, *COUNTED], "at": 0.5, "engine": engine}
    heavy = jackknife(label=y, scores=models, weight=w, cluster=cluster, **call)
    many = jackknife(
        label=np.repeat(y, w), scores={k: np.repeat(s, w) for k, s in models.items()},
        cluster=np.repeat(cluster, w), **call,
    )  # fmt: skip
    np.testing.assert_allclose(heavy.estimate, many.estimate, rtol=1e-13)
    np.testing.assert_allclose(errors_of(heavy), errors_of(many), rtol=1e-9)
    assert heavy.totals == many.totals


def test_the_scale_of_weights_does_not_matter(engine):
    y, models = tied(150)
    w = np.random.default_rng(2).random(150) + 0.1
    call = {"label": y, "scores": models, "metrics": [*SCORED, *LOSSES, *COUNTED], "at": 0.5}
    first = jackknife(**call, weight=w, engine=engine)
    other = jackknife(**call, weight=w * 1024.0, engine=engine)
    np.testing.assert_allclose(errors_of(other), errors_of(first), rtol=1e-9)
    equal = jackknife(**call, weight=np.full(150, 0.5), engine=engine)
    np.testing.assert_allclose(errors_of(equal), errors_of(jackknife(**call)), rtol=1e-9)


def test_a_callers_function_that_grows_with_the_rows(engine):
    """A total gain: of rows drawn, and of clusters, whose sizes then count too."""
    y, models = tied(200)
    gain = {"gain": lambda tp, fp, tn, fn: 5.0 * tp - 2.0 * fp}
    cluster = np.random.default_rng(2).integers(0, 30, 200)
    selected = models["a"] >= 0.5
    of_row = np.where(selected, np.where(y == 1, 5.0, -2.0), 0.0)
    for key, units in ((None, of_row), (cluster, np.bincount(cluster, of_row))):
        found = jackknife(
            label=y, scores=models["a"], metrics=gain, at=0.5, cluster=key, engine=engine
        )
        error = np.std(units, ddof=1) * math.sqrt(units.size)
        assert found.estimate[0, 0] == of_row.sum()
        assert found.standard_error[0, 0] == pytest.approx(error, rel=1e-9)


# -- sameness ------------------------------------------------------------------------------------


def test_row_order_does_not_matter(engine):
    y, models = tied(200)
    order = np.random.default_rng(3).permutation(200)
    call = {"metrics": [*SCORED, *LOSSES, *COUNTED], "at": 0.5, "engine": engine}
    first = jackknife(label=y, scores=models, **call)
    moved_rows = {k: s[order] for k, s in models.items()}
    other = jackknife(label=y[order], scores=moved_rows, **call)
    np.testing.assert_allclose(other.estimate, first.estimate, rtol=1e-14)
    np.testing.assert_allclose(other.covariance, first.covariance, rtol=1e-9, atol=1e-20)


def test_direction_does_not_matter(engine):
    y, models = tied(100)
    call = {"metrics": SCORED, "engine": engine}
    first = jackknife(label=y, scores=models, **call)
    turned = {k: -s for k, s in models.items()}
    other = jackknife(label=y, scores=turned, higher_is_better=False, **call)
    assert other.covariance.tobytes() == first.covariance.tobytes()


@pytest.mark.big
@pytest.mark.parametrize("clustered", [False, True])
def test_engines_and_threads_agree_to_the_byte(engine, clustered):
    rng = np.random.default_rng(2)
    n = 140_001
    y = (rng.random(n) < 0.1).astype(int)
    models = {f"m{k}": rng.normal(y / (k + 1), 1.0, n).round(k + 1) for k in range(3)}
    call = {
        "label": y, "scores": models, "metrics": ["roc_auc", "average_precision", "f1"],
        "at": [0.5, 1.5], "cluster": rng.integers(0, 50_000, n) if clustered else None,
    }  # fmt: skip
    first = jackknife(**call, engine=engine, threads=1)
    others = [jackknife(**call, engine=engine, threads=k) for k in (2, 4)]
    for other in [*others, jackknife(**call, engine="numpy", threads=1)]:
        for name in ("estimate", "covariance", "difference_variance"):
            assert getattr(other, name).tobytes() == getattr(first, name).tobytes(), name


# -- intervals and differences -------------------------------------------------------------------


def test_plain_and_logit_intervals():
    y, models = tied(300)
    found = jackknife(label=y, scores=models, metrics=["ap", "gini"])
    plain = found.interval("a", "average_precision")
    x, error = plain.estimate, plain.standard_error
    assert (plain.low, plain.high) == pytest.approx((x - Z * error, x + Z * error))
    assert (plain.level, plain.kind, plain.status, plain.note) == (0.95, "plain", "ok", "")
    logit = found.interval("a", "ap", kind="logit", level=0.8)
    middle, low, high = (math.log(v / (1 - v)) for v in (x, logit.low, logit.high))
    stretch = NormalDist().inv_cdf(0.9) * error / (x * (1 - x))
    assert (middle - low, high - middle) == pytest.approx((stretch, stretch))
    with refused("`kind`", "logit", "gini", "-1", "plain"):
        found.interval("a", "gini", kind="logit")
    with refused("`kind`", "plain", "logit", "wide"):
        found.interval("a", "gini", kind="wide")


def test_differences():
    y, models = tied(300)
    found = jackknife(label=y, scores=models, metrics=["average_precision", "f1"], at=[0.4, 0.6])
    d = found.difference("a", "b", "f1", threshold=0.6)
    assert (
        d.estimate
        == found.interval("a", "f1", threshold=0.6).estimate
        - found.interval("b", "f1", threshold=0.6).estimate
    )
    assert d.z == d.estimate / d.standard_error
    assert d.p == pytest.approx(2 * NormalDist().cdf(-abs(d.z)))
    assert (d.low, d.high) == pytest.approx(
        (d.estimate - Z * d.standard_error, d.estimate + Z * d.standard_error)
    )
    back = found.difference("b", "a", "f1", threshold=0.6)
    assert (back.estimate, back.z, back.p) == (-d.estimate, -d.z, d.p)
    for k, slot in enumerate(found.slots):
        own = found.difference("a", "a", slot.metric, threshold=slot.threshold)
        assert (own.estimate, own.standard_error, own.z, own.p) == (0.0, 0.0, 0.0, 1.0)
        assert (own.low, own.high, own.status) == (0.0, 0.0, "zero_variance")
        c = found.covariance[k]
        gap = found.difference_variance[k, 0, 1]
        assert gap == pytest.approx(c[0, 0] + c[1, 1] - 2 * c[0, 1], rel=1e-9)


def test_equal_models_under_two_names_do_not_differ(engine):
    y, models = tied(100)
    same = {"a": models["a"], "b": 3 * models["a"] + 1}
    found = jackknife(label=y, scores=same, engine=engine)
    for metric in ("roc_auc", "average_precision"):
        d = found.difference("a", "b", metric)
        assert (d.z, d.p, d.status) == (0.0, 1.0, "zero_variance")


def test_ends_are_clipped_and_say_so():
    found = jackknife(label=[1, 1, 1, 0, 0, 0], scores=[0.9, 0.8, 0.4, 0.5, 0.3, 0.1])
    interval = found.interval("score", "roc_auc")
    assert interval.high == 1.0
    assert interval.clipped
    assert interval.note == "few_positives, few_negatives, clipped"


@pytest.mark.parametrize(
    ("metrics", "scores"), [("roc_auc", 1), ("average_precision", 1), ("mcc", 1), ("f1", 1)]
)
def test_a_perfect_metric_has_a_flagged_width_of_zero(engine, metrics, scores):
    y = [1, 1, 1, 0, 0]
    found = jackknife(
        label=y, scores={"a": y, "b": [1, 0, 1, 1, 0]}, metrics=metrics,
        at=0.5 if metrics in ("mcc", "f1") else None, engine=engine,
    )  # fmt: skip
    for kind in ("plain", "logit")[: 1 + (metrics != "mcc")]:
        x = found.interval("a", kind=kind)
        assert (x.low, x.estimate, x.high, x.status) == (1.0, 1.0, 1.0, "zero_variance")
    d = found.difference("a", "b")
    assert d.status == "ok"
    assert d.standard_error == found.interval("b").standard_error > 0


def test_a_difference_without_variance(engine):
    found = jackknife(
        label=[1, 1, 0, 0], scores={"a": [1, 1, 0, 0], "b": [0, 0, 1, 1]}, engine=engine
    )
    d = found.difference("a", "b", "roc_auc")
    assert (d.estimate, d.low, d.high, d.status) == (1.0, 1.0, 1.0, "zero_variance")
    assert math.isnan(d.z)
    assert math.isnan(d.p)


def test_rounding_is_no_standard_error(engine):
    """Losses that are equal up to rounding, in every row or in every cluster."""
    y = np.array([1, 0] * 5)
    models = {"a": np.where(y == 1, 0.9, 0.1), "b": np.where(y == 1, 0.8, 0.2)}
    models["twin"] = models["a"].copy()
    found = jackknife(label=y, scores=models, metrics=LOSSES, engine=engine)
    y = np.tile([1, 1, 0, 0], 12)
    models = {"a": np.tile([0.9, 0.1, 0.8, 0.2], 12), "b": np.tile([0.9, 0.8, 0.7, 0.3], 12)}
    models["twin"] = models["a"] + 1e-17
    clusters = jackknife(
        label=y, scores=models, cluster=np.arange(48) // 4, at=0.5, engine=engine,
        metrics=["brier", "cohen_kappa", "mcc", "roc_auc", "average_precision", "f1"],
    )  # fmt: skip
    for result in (found, clusters):
        assert not result.covariance.any()
        for slot in result.slots:
            x = result.interval("a", slot.metric)
            assert (x.low, x.high, x.status) == (x.estimate, x.estimate, "zero_variance")
            d = result.difference("a", "b", slot.metric)
            assert (d.standard_error, d.status) == (0.0, "zero_variance")
            assert math.isnan(d.p)
            assert math.isnan(d.z)
            d = result.difference("a", "twin", slot.metric)
            assert (d.z, d.p, d.status) == (0.0, 1.0, "zero_variance")


def test_small_numbers_are_no_rounding(engine):
    """A loss of 1e-20 has a standard error of its own size."""
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    p = rng.random(200) * 1e-10
    found = jackknife(label=y, scores=np.abs(y - p), metrics="brier", engine=engine)
    x = found.interval()
    assert x.status == "ok"
    assert 0 < x.low < x.estimate < x.high < 1e-19


@pytest.mark.parametrize("n_clusters", [9, 10])
def test_few_clusters_have_no_p(engine, n_clusters):
    y, models = tied(180)
    found = jackknife(
        label=y, scores=models, cluster=np.arange(180) % n_clusters, metrics="ap", engine=engine
    )
    x, d = found.interval("a"), found.difference("a", "b")
    assert (x.status, "few_clusters" in x.note) == ("ok", True)
    assert d.low < d.estimate < d.high
    assert d.status == ("ok" if n_clusters == 10 else "too_few_clusters")
    assert math.isnan(d.p) == (n_clusters == 9)
    assert d.z == d.estimate / d.standard_error
    own = found.difference("a", "a")
    assert (own.p, own.status) == (1.0, "zero_variance")


# -- what has no variance ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "metric", "status"),
    [
        ([1, 1, 1], "roc_auc", "no_negatives"),
        ([0, 0, 0], "average_precision", "no_positives"),
        ([0, 0, 0], "recall", "no_positives"),
        ([1, 1, 1], "mcc", "zero_margin"),
        ([1, 0, 0], "roc_auc", "one_positive"),
        ([1, 0, 0], "average_precision", "one_positive"),
        ([1, 1, 0], "gini", "one_negative"),
        ([1, 1, 0], "mcc", "one_negative"),
        ([1, 1, 0], "average_precision", "ok"),
        ([1, 0, 0], "precision", "ok"),
    ],
)
def test_one_class_and_single_rows(engine, labels, metric, status):
    found = jackknife(label=labels, scores=[0.7, 0.2, 0.9], metrics=metric, at=0.5, engine=engine)
    x = found.interval()
    assert x.status == status
    for number in (x.low, x.high, x.standard_error):
        assert math.isnan(number) == (status != "ok")
    assert math.isnan(x.estimate) == (status[:3] in ("no_", "zer"))
    d = found.difference("score", "score")
    assert math.isnan(d.p) == (status != "ok")


def test_one_row_and_one_cluster(engine):
    one = jackknife(label=[1], scores=[0.7], metrics="accuracy", at=0.5, engine=engine)
    assert (one.interval().estimate, one.interval().status) == (1.0, "one_row")
    call = {"label": [1, 0, 1, 0], "scores": [0.7, 0.2, 0.4, 0.6], "engine": engine}
    single = jackknife(**call, cluster=["x"] * 4)
    assert single.interval("score", "roc_auc").status == "one_cluster"
    together = jackknife(**call, cluster=["x", "y", "x", "z"])
    assert together.interval("score", "roc_auc").status == "one_positive"
    assert math.isnan(together.standard_error[0, 0])


def test_undefined_and_infinite_metrics():
    found = jackknife(
        label=[1, 1, 0, 0], scores={"a": [0.9, 0.8, 0.2, 0.1], "b": [0.9, 0.1, 0.8, 0.2]},
        metrics=["precision", "dor"], at=[0.5, 2.0],
    )  # fmt: skip
    assert found.interval("a", "dor", threshold=0.5).status == "infinite"
    assert found.interval("a", "dor", threshold=0.5).estimate == math.inf
    nothing = found.interval("a", "precision", threshold=2.0)
    assert nothing.status == "no_positive_predictions"
    assert math.isnan(nothing.low)
    assert found.difference("b", "a", "dor", threshold=0.5).status == "infinite"
    assert math.isnan(found.difference("a", "a", "dor", threshold=0.5).p)


def test_a_function_that_is_undefined_nearby():
    odd = {"odd": lambda tp, fp, tn, fn: np.where(tp == 2, 1.0, np.nan)}
    found = jackknife(label=[1, 1, 0, 0], scores=[0.9, 0.8, 0.2, 0.6], metrics=odd, at=0.5)
    assert (found.interval().estimate, found.interval().status) == (1.0, "no_derivative")


def test_missing_scores():
    y, models = tied(60)
    models["a"][3] = np.nan
    call = {"label": y, "scores": models, "metrics": ["roc_auc", "f1"], "at": 0.5}
    with refused("missing", "row 3"):
        jackknife(**call)
    omitted = jackknife(**call, missing="omit")
    kept_rows = np.arange(60) != 3
    by_hand = jackknife(
        label=y[kept_rows], scores={k: s[kept_rows] for k, s in models.items()},
        metrics=["roc_auc", "f1"], at=0.5,
    )  # fmt: skip
    assert omitted.covariance.tobytes() == by_hand.covariance.tobytes()
    last = {**models, "a": np.where(np.isnan(models["a"]), -1.0, models["a"])}
    worst = jackknife(**call, missing="worst")
    lowest = jackknife(**{**call, "scores": last})
    np.testing.assert_allclose(errors_of(worst), errors_of(lowest), rtol=1e-12)


# -- the door and the result ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "metric", ["ks", "partial_auc(fpr=(0, 0.1))", "eer", "recall_at_fpr(0.1)", "ece"]
)
def test_a_metric_that_is_not_smooth(metric):
    with refused("`metrics`", repr(metric), "smooth", "bootstrap"):
        jackknife(label=[1, 0], scores=[0.5, 0.6], metrics=["roc_auc", metric])


def test_refusals():
    call = {"label": [1, 0, 1], "scores": {"a": [0.5, 0.6, 0.7], "b": [0.1, 0.2, 0.3]}}
    with refused("`level`", "1.5"):
        jackknife(**call, level=1.5)
    with refused("`metrics`", "f1", "at="):
        jackknife(**call, metrics="f1")
    with refused("`at`", "twice", "0.5"):
        jackknife(**call, metrics="f1", at=[0.5, 0.5])
    with refused("`missing`", "skip"):
        jackknife(**call, missing="skip")
    found = jackknife(**call, metrics=["roc_auc", "f1"], at=[0.5, 0.2])
    with refused("`model`", "'c'"):
        found.interval("c", "roc_auc")
    with refused("`b`", "None"):
        found.difference("a", None, "roc_auc")
    with refused("`metric`", "'recall'", "f1"):
        found.interval("a", "recall")
    with refused("`threshold`", "None", "0.5", "0.2"):
        found.interval("a", "f1")
    assert found.interval("a", "auc").estimate == found.interval("a", "roc_auc").estimate
    assert found.interval("a", "dice", threshold=0.2) == found.interval("a", "f1", threshold=0.2)


def test_tidy_rows():
    y, models = tied(80)
    found = jackknife(
        label=y, scores=models, metrics=["roc_auc", "gini", "f1"], at=[0.4, 0.6], level=0.9
    )
    table = pa.table(found)
    assert table.column("metric").to_pylist() == ["roc_auc", "gini", "f1", "f1"] * 2
    assert table.column("threshold").to_pylist()[:4] == [None, None, 0.4, 0.6]
    assert set(table.column("interval").to_pylist()) == {"jackknife plain"}
    assert set(table.column("level").to_pylist()) == {0.9}
    assert table.column("n").to_pylist() == [80] * 8
    x = found.interval("b", "f1", threshold=0.6)
    last = table.to_pylist()[-1]
    for name, number in (("value", x.estimate), ("low", x.low), ("high", x.high)):
        assert last[name] == number
    assert last["standard_error"] == x.standard_error
    assert last["note"] == x.note == "few_positives"
    logit = found.to_arrow("logit").to_pylist()
    assert [row["interval"] for row in logit[:2]] == ["jackknife logit", "jackknife plain"]
    wide = found.to_arrow("logit", 0.99).to_pylist()
    assert {row["level"] for row in wide} == {0.99}
    assert wide[0]["high"] == found.interval("a", "auc", kind="logit", level=0.99).high
    nothing = jackknife(label=[1, 0, 0], scores=[0.1, 0.2, 0.3], metrics="gini").to_arrow()
    (row,) = nothing.to_pylist()
    assert (row["value"], row["status"]) == (-1.0, "one_positive")
    assert [row[k] for k in ("low", "high", "interval", "level")] == [None] * 4
    clusters = jackknife(label=y, scores=models, cluster=np.arange(80) // 2).to_arrow()
    assert clusters.column("interval").to_pylist()[0] == "jackknife cluster plain"
    assert "few_clusters" in clusters.column("note").to_pylist()[0]


def test_the_result_prints_and_travels():
    y, models = tied(80)
    found = jackknife(label=y, scores=models, metrics=["roc_auc", "f1"], at=0.5)
    text = str(found)
    for part in ("jackknife, 80 rows", "f1 at 0.5", "a - b", "95 %", "plain"):
        assert part in text
    assert repr(found) == "Jackknife(2 models, 2 metrics, 80 rows)"
    copy = pickle.loads(pickle.dumps(found))
    assert copy.interval("a", "f1") == found.interval("a", "f1")
    for array in (found.estimate, found.covariance, found.difference_variance, found.baseline):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    assert found.baseline[0].tolist() == [0.5, pytest.approx(2 * y.mean() / (1 + y.mean()))]
