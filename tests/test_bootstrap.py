"""Intervals by resampling: the replicates themselves, then what is said of them."""

from __future__ import annotations

import _thread
import math
import pickle
import threading
import time
from fractions import Fraction
from itertools import product
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pytest
from refusals import refused

import ranktally as rt
from ranktally import bootstrap
from ranktally._draws import make_draws
from ranktally._engine import loops
from ranktally._intervals import _few_replicates, acceleration, make_interval, two_sided_p

SMALL = {"y": [1, 1, 1, 0, 0, 0], "s": [0.9, 0.8, 0.55, 0.6, 0.2, 0.1]}
AREAS = ["roc_auc", "average_precision", "ks", "gini"]
MEASURES = ["precision", "recall", "f1", "accuracy", "mcc"]
ARGUMENTS = {
    "partial_auc": "(fpr=(0, 0.3))", "pr_auc": "('davis_goadrich')", "recall_at_fpr": "(0.2)",
    "recall_at_specificity": "(0.7)", "specificity_at_recall": "(0.6)",
    "recall_at_precision": "(0.5)", "precision_at_recall": "(0.5)", "precision_at_k": "(10)",
    "recall_at_k": "(10)", "lift_at_k": "(10)", "average_precision_at_prevalence": "(0.01)",
}  # fmt: skip
WHOLE = [name + ARGUMENTS.get(name, "") for name, m in rt.METRICS.items() if m.needs == "tally"]


def tied(n: int, seed: int = 0, prevalence: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(np.int8)
    return y, np.round(rng.normal(size=n) + y, 1)


def multiplicities(scheme: str, seed: int, y: np.ndarray, replicate: int, cluster=None):
    """How often each row is in a replicate."""
    label = y.astype(np.uint8)
    n_clusters = 0 if cluster is None else int(cluster.max()) + 1
    draws = make_draws(scheme, seed, label, cluster, n_clusters)
    counts = np.empty(draws.n_units, np.uint8)
    draws.draw(replicate, loops("numpy", 1), counts)
    return counts if draws.unit is None else counts[draws.unit]


# -- replicates --------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["multinomial", "stratified", "poisson", "cluster"])
@pytest.mark.parametrize("direction", [True, False])
def test_a_replicate_is_a_tally_of_weighted_rows(engine, scheme, direction):
    y, s = tied(80)
    cluster = np.random.default_rng(1).integers(0, 15, 80) if scheme == "cluster" else None
    cuts = [0.5, -10.0, 10.0, 0.0]
    result = bootstrap(
        label=y, scores=s, cluster=cluster, metrics=AREAS + MEASURES, at=cuts, scheme=scheme,
        n_resamples=6, seed=3, higher_is_better=direction, engine=engine,
    )  # fmt: skip
    assert result.scheme == scheme
    codes = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
    for replicate in range(6):
        m = multiplicities(scheme, 3, y, replicate, codes)
        weighted = rt.evaluate(
            label=y, scores=s, weight=m, metrics=AREAS + MEASURES, at=cuts,
            higher_is_better=direction,
        )  # fmt: skip
        expected = np.asarray(weighted.columns["value"])
        np.testing.assert_array_equal(result.replicates[replicate, 0], expected)


@pytest.mark.parametrize("scheme", ["multinomial", "poisson"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prevalence", [0.3, 0.02])
def test_metrics_of_the_whole_tally(engine, scheme, weighted, prevalence):
    y, s = tied(90, prevalence=prevalence)
    s = 1 / (1 + np.exp(-s))
    weight = np.random.default_rng(5).integers(1, 4, 90) if weighted else None
    result = bootstrap(
        label=y, scores=s, weight=weight, metrics=[*WHOLE, "roc_auc", "ks"], scheme=scheme,
        n_resamples=5, seed=4, engine=engine,
    )  # fmt: skip
    assert {slot.metric for slot in result.slots} >= set(WHOLE)
    plain = rt.evaluate(label=y, scores=s, weight=weight, metrics=[*WHOLE, "roc_auc", "ks"])
    np.testing.assert_array_equal(result.estimate[0], plain.columns["value"])
    for replicate in range(5):
        m = multiplicities(scheme, 4, y, replicate) * (1 if weight is None else weight)
        drawn = rt.evaluate(label=y, scores=s, weight=m, metrics=[*WHOLE, "roc_auc", "ks"])
        expected = np.asarray(drawn.columns["value"])
        np.testing.assert_allclose(result.replicates[replicate, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("direction", [True, False])
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_missing_scores_rank_last_in_each_replicate(engine, direction, kind):
    y, s = tied(60)
    s = (s * 10).astype(kind)
    gone = np.random.default_rng(7).random(60) < 0.2
    score = pa.array(s, mask=gone)
    metrics = [*AREAS, "f1", "eer", "precision_at_k(9)"]
    call = {"metrics": metrics, "at": [-math.inf, 1.0], "missing": "worst"}
    call |= {"higher_is_better": direction, "engine": engine}
    result = bootstrap(label=y, scores={"a": score, "b": s}, n_resamples=4, seed=4, **call)
    for replicate in range(4):
        m = multiplicities("multinomial", 4, y, replicate)
        drawn = rt.evaluate(label=y, scores={"a": score, "b": s}, weight=m, **call)
        expected = np.asarray(drawn.columns["value"]).reshape(2, -1)
        np.testing.assert_array_equal(result.replicates[replicate], expected)


@pytest.mark.parametrize("n", [1, 2, 30, 500])
@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_areas_alone_take_a_shorter_way_to_the_same_bytes(engine, n, decimals):
    y, s = tied(n, seed=n)
    s = np.round(s + np.random.default_rng(n).normal(size=n), decimals)
    call = {"label": y, "scores": {"a": s, "b": -s}, "n_resamples": 5, "seed": 6}
    call["engine"] = engine
    direct = bootstrap(metrics=["roc_auc", "average_precision"], **call).replicates
    through_counts = bootstrap(metrics=["roc_auc", "average_precision", "ks"], **call).replicates
    assert direct.tobytes() == through_counts[:, :, :2].tobytes()


def test_weights_are_drawn_along(engine):
    y, s = tied(60)
    w = np.random.default_rng(2).random(60) * 3
    whole = np.random.default_rng(2).integers(0, 4, 60)
    for weight in (w, whole):
        result = bootstrap(
            label=y, scores=s, weight=weight, metrics=[*AREAS, "f1"], at=0.5, n_resamples=4,
            seed=8, engine=engine,
        )  # fmt: skip
        kept = weight > 0
        for replicate in range(4):
            m = multiplicities("multinomial", 8, y[kept], replicate) * weight[kept]
            expected = rt.evaluate(
                label=y[kept], scores=s[kept], weight=m, metrics=[*AREAS, "f1"], at=0.5
            ).columns["value"]
            found = result.replicates[replicate, 0]
            if weight is whole:
                np.testing.assert_array_equal(found, expected)
            np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_multiplicities_treat_ties_as_repeated_rows(engine):
    # A tie between the classes is where reweighting of a fixed order breaks.
    y, s = [1, 0, 1, 0], [0.9, 0.7, 0.7, 0.1]
    result = bootstrap(label=y, scores=s, n_resamples=40, seed=0, engine=engine)
    for replicate in range(40):
        m = multiplicities("multinomial", 0, np.asarray(y), replicate)
        rows = np.repeat(np.arange(4), m)
        t = rt.tally(np.asarray(y)[rows], np.asarray(s)[rows])
        found = result.replicates[replicate, 0]
        np.testing.assert_array_equal(found, [t.roc_auc(), t.average_precision()])


@pytest.mark.big
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"metrics": "roc_auc", "at": None},
        {"plan": "cells"},
        {"scheme": "poisson"},
        {"scheme": "stratified"},
        {"cluster": np.arange(3000) // 7},
        {"weight": np.linspace(0.0, 3.0, 3000)},
    ],
)
def test_same_bytes_for_threads_tasks_and_engines(options, monkeypatch):
    y, s = tied(3000)
    call = {"label": y, "scores": s, "metrics": [*AREAS, "f1"], "at": 0.5, "n_resamples": 30}
    call |= {"seed": 4, **options}
    first = bootstrap(**call, threads=1)
    others = [bootstrap(**call, threads=t, engine="numba") for t in (2, 3)]
    others += [bootstrap(**call, engine="numpy")]
    monkeypatch.setattr("ranktally._replicates.TASK_ROWS", 9000)
    others += [bootstrap(**call, threads=2)]
    for other in others:
        assert other.replicates.tobytes() == first.replicates.tobytes()
    assert bootstrap(**call | {"seed": 5}).replicates.tobytes() != first.replicates.tobytes()


def test_seeds(engine):
    y, s = [0, 1, 0, 1, 1, 0, 1, 0], [0.1, 0.8, 0.4, 0.35, 0.9, 0.2, 0.6, 0.7]
    call = {"label": y, "scores": s, "n_resamples": 50, "engine": engine}
    state = np.random.get_state()[1].copy()
    first = bootstrap(**call, seed=7, threads=1)
    assert bootstrap(**call, seed=7, threads=4).interval("score", "roc_auc") == first.interval(
        "score", "roc_auc"
    )
    np.testing.assert_array_equal(np.random.get_state()[1], state)
    assert bootstrap(**call, seed=8).replicates.tobytes() != first.replicates.tobytes()
    unseeded = bootstrap(**call)
    again = bootstrap(**call, seed=unseeded.seed)
    assert again.replicates.tobytes() == unseeded.replicates.tobytes()


@pytest.mark.big
def test_stratified_replicates_follow_the_enumeration():
    y, s = [1, 1, 0, 0], [0.9, 0.4, 0.6, 0.2]
    expected: dict[float, int] = {}
    for p, q in product(product([0.9, 0.4], repeat=2), product([0.6, 0.2], repeat=2)):
        area = Fraction(sum(2 * (a > b) + (a == b) for a in p for b in q), 8)
        expected[float(area)] = expected.get(float(area), 0) + 1
    assert expected == {0.0: 1, 0.5: 4, 0.75: 4, 1.0: 7}
    n = 20_000
    result = bootstrap(
        label=y, scores=s, scheme="stratified", metrics="roc_auc", n_resamples=n, seed=1
    )
    values = result.replicates[:, 0, 0]
    for area, ways in expected.items():
        share = ways / 16
        assert abs(np.mean(values == area) - share) < 5 * math.sqrt(share * (1 - share) / n)
    assert result.n_undefined.sum() == 0
    assert result.interval(metric="roc_auc").scheme == "stratified"


@pytest.mark.big
def test_plans_agree_in_distribution():
    y, s = tied(4000, prevalence=0.01)
    call = {"label": y, "scores": s, "metrics": [*AREAS, "recall"], "at": 1.0}
    call |= {"n_resamples": 3000}
    rows, cells = (bootstrap(**call, seed=2, plan=plan) for plan in ("rows", "cells"))
    assert (rows.plan, cells.plan) == ("rows", "cells")
    for a, b in zip(rows.replicates[:, 0].T, cells.replicates[:, 0].T, strict=True):
        error = math.hypot(a.std(), b.std()) / math.sqrt(3000)
        assert abs(a.mean() - b.mean()) < 5 * error
        assert abs(a.std() / b.std() - 1) < 5 / math.sqrt(3000)


@pytest.mark.big
def test_rare_positives_are_drawn_by_cells():
    y, s = tied(50_000, prevalence=0.001)
    result = bootstrap(label=y, scores=s + np.linspace(0, 0.01, y.size), n_resamples=5, seed=1)
    assert result.plan == "cells"
    with refused("`plan`", "cells", "several models"):
        bootstrap(label=y, scores={"a": s, "b": s}, plan="cells", n_resamples=1)
    with refused("`plan`", "cells", "stratified"):
        bootstrap(label=y, scores=s, plan="cells", scheme="stratified", n_resamples=1)


# -- agreement with theory -----------------------------------------------------------------------


def delong_variance(y: np.ndarray, s: np.ndarray) -> float:
    """Variance of the area from placements, as in the definition."""
    pos, neg = s[y == 1], s[y == 0]
    wins = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
    of_pos, of_neg = wins.mean(axis=1), wins.mean(axis=0)
    return float(of_pos.var(ddof=1) / pos.size + of_neg.var(ddof=1) / neg.size)


@pytest.mark.big
@pytest.mark.parametrize("scheme", ["multinomial", "stratified", "poisson"])
def test_spread_agrees_with_delong(scheme):
    y, s = tied(3000)
    n = 3000
    result = bootstrap(label=y, scores=s, scheme=scheme, metrics="roc_auc", n_resamples=n, seed=2)
    error = result.interval().standard_error
    # The spread of a standard deviation, and what is left of second order at this n.
    assert abs(error / math.sqrt(delong_variance(y, s)) - 1) < 4 / math.sqrt(2 * n) + 0.01


@pytest.mark.long
@pytest.mark.parametrize(("n", "prevalence"), [(1000, 0.5), (500, 0.1)])
def test_intervals_cover(n, prevalence):
    # Scores of both classes are normal, one deviation apart.
    rng = np.random.default_rng(5)
    shape = 2_000_000
    labels = (rng.random(shape) < prevalence).astype(np.int8)
    truth = [
        NormalDist().cdf(math.sqrt(0.5)),
        rt.tally(labels, rng.normal(size=shape) + labels).average_precision(),
    ]
    simulations = 400
    hits = np.zeros(2)
    for k in range(simulations):
        y = (rng.random(n) < prevalence).astype(np.int8)
        result = bootstrap(label=y, scores=rng.normal(size=n) + y, n_resamples=599, seed=k)
        for slot, metric in enumerate(("roc_auc", "average_precision")):
            found = result.interval("score", metric)
            hits[slot] += found.low <= truth[slot] <= found.high
    # Four standard deviations of such a share, and the percent or two that it falls short.
    assert (np.abs(hits / simulations - 0.945) < 0.05).all()


@pytest.mark.big
def test_rows_are_ordered_once():
    # A sort for each replicate would take half a minute.
    y, s = tied(140_000)
    begun = time.process_time()
    bootstrap(label=y, scores=s, n_resamples=1000, seed=1)
    assert time.process_time() - begun < 8


@pytest.mark.big
def test_clusters_widen_the_interval():
    rng = np.random.default_rng(3)
    y, s = tied(600, seed=3)
    copies = 4
    cluster = np.tile(np.arange(600), copies)
    order = rng.permutation(600 * copies)
    data = {"y": np.tile(y, copies)[order], "s": np.tile(s, copies)[order], "c": cluster[order]}
    call = {"label": "y", "scores": "s", "metrics": "roc_auc", "n_resamples": 1500, "seed": 1}
    alone = bootstrap(data, **call).interval().standard_error
    together = bootstrap(data, cluster="c", **call)
    assert together.scheme == "cluster"
    # Copies carry nothing new: the error is that of the rows they are copies of.
    assert together.interval().standard_error / alone == pytest.approx(2.0, rel=0.1)


@pytest.mark.big
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "gini"])
@pytest.mark.parametrize("weighted", [False, True])
def test_bca_uses_the_exact_jackknife(metric, weighted):
    y, s = tied(120)
    weight = np.full(120, 1.0) if weighted else None
    call = {"label": y, "scores": s, "metrics": metric, "n_resamples": 500, "seed": 2}
    found = bootstrap(**call, weight=weight, method="bca").interval()
    plain = rt.evaluate(label=y, scores=s, metrics=metric).columns["value"][0]
    left = np.asarray([
        rt.evaluate(
            label=np.delete(y, i), scores=np.delete(s, i), metrics=metric, engine="numpy"
        ).columns["value"][0]
        for i in range(120)
    ])  # fmt: skip
    d = left.mean() - left
    a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
    values = np.sort(bootstrap(**call, weight=weight).replicates[:, 0, 0])
    below = ((values < plain).sum() + (values <= plain).sum()) / 2 / values.size
    normal = NormalDist()
    z0 = normal.inv_cdf(below)
    for q, end in ((0.025, found.low), (0.975, found.high)):
        z = z0 + normal.inv_cdf(q)
        share = normal.cdf(z0 + z / (1 - a * z))
        ranks = np.arange(1, values.size + 1) / (values.size + 1)
        # Infinitesimal influence stands in for the jackknife where there are weights.
        near = 2e-3 if weighted else 1e-12
        assert end == pytest.approx(np.interp(share, ranks, values), abs=near)


@pytest.mark.big
def test_bca_deletes_blocks_where_no_closed_form_is(engine):
    """With at most 200 units they are deleted singly, which is the jackknife itself."""
    y, s = tied(120)
    call = {"label": y, "scores": s, "metrics": ["ks", "f1", "eer"], "at": 0.5, "engine": engine}
    result = bootstrap(**call, n_resamples=100, seed=2, method="bca")
    left = np.asarray([
        rt.evaluate(
            **{**call, "label": np.delete(y, i), "scores": np.delete(s, i)},
        ).columns["value"]
        for i in range(120)
    ])  # fmt: skip
    for k, slot in enumerate(result.slots):
        d = left[:, k].mean() - left[:, k]
        a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
        assert acceleration(result._contributions[0, k].value) == pytest.approx(a, abs=1e-9)
        told = "one of 120 rows deleted" in result.interval(None, slot.metric).note
        assert told is (slot.metric != "f1")  # which has a closed form
        assert "deleted" not in result.interval(None, slot.metric, method="basic").note


@pytest.mark.big
def test_blocks_estimate_the_acceleration_of_rows():
    rng = np.random.default_rng(3)
    y = rng.random(20_000) < 0.3
    s = rng.normal(size=y.size) + 2 * y
    exact = bootstrap(label=y, scores=s, n_resamples=2, seed=1, method="bca")
    cluster = np.arange(y.size)
    for seed in range(3):
        blocks = bootstrap(
            label=y, scores=s, n_resamples=2, seed=seed, method="bca", cluster=cluster
        )
        note = "one of 200 blocks of clusters deleted at a time"
        assert note in blocks.interval(None, "roc_auc").note
        assert note in blocks.rows().to_dict()[0]["note"]
        for k in range(2):
            a, b = (acceleration(x._contributions[0, k].value) for x in (exact, blocks))
            # Sums of blocks have the third moment of rows, and noise of root(6) / 6 / 200.
            assert abs(b - a) < 0.01


def test_bca_of_fixed_class_counts_takes_deviations_within_the_classes():
    y, s = tied(150)
    call = {"label": y, "scores": s, "n_resamples": 50, "seed": 2, "scheme": "stratified"}
    result = bootstrap(**call, metrics=["average_precision", "eer"], method="bca")
    for values, strata in (
        (result._contributions[0, 0].value, y),
        (result._contributions[0, 1].value, np.repeat([0, 1], [np.sum(y == 0), np.sum(y == 1)])),
    ):
        for label in (0, 1):
            assert values[strata == label].mean() == pytest.approx(0, abs=1e-15)
    assert result.interval(None, "average_precision").low < result.estimate[0, 0]


def test_bca_without_a_row_of_a_class_says_so():
    result = bootstrap(
        label=[1, 0, 0, 0, 1], scores=[3, 1, 2, 4, 3], cluster=[1, 2, 3, 4, 5], n_resamples=20,
        metrics="positive_likelihood_ratio", at=3.5, method="bca",
    )  # fmt: skip
    interval = result.interval()
    assert (interval.status, math.isnan(interval.low)) == ("no_acceleration", True)
    assert interval.estimate == 0.0


@pytest.mark.parametrize("method", ["percentile", "basic", "normal", "bca"])
@pytest.mark.parametrize(
    ("y", "cluster", "why"),
    [
        ([1, 0, 0, 0], None, "one_positive"),
        ([1, 1, 0, 1], None, "one_negative"),
        ([1, 1, 0, 0], [7, 7, 7, 7], "one_cluster"),
        ([1, 1, 0, 0], [1, 1, 2, 3], "one_positive"),
    ],
)
def test_one_unit_of_a_class_tells_no_spread(method, y, cluster, why):
    call = {"label": y, "scores": {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}, "cluster": cluster}
    result = bootstrap(**call, n_resamples=50, seed=1, method=method, curves="roc")
    for found in (result.interval("a", "roc_auc"), result.difference("a", "b", "roc_auc")):
        assert found.status == why
        assert math.isnan(found.low)
    assert math.isnan(result.difference("a", "b", "roc_auc").p)
    assert set(result.band("a").status) == {why}
    accuracy = bootstrap(**call, metrics="accuracy", at=2.5, n_resamples=50, seed=1)
    assert (accuracy.interval("a").status == "ok") is (why != "one_cluster")


def test_differences_that_do_not_vary_tell_nothing():
    call = {"label": [1, 1, 0, 0], "n_resamples": 60, "seed": 1}
    result = bootstrap(**call, scores={"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]})
    found = result.difference("a", "b", "roc_auc")
    assert (found.status, found.low, found.high) == ("zero_variance", 1.0, 1.0)
    assert math.isnan(found.p)
    y = np.array([1, 0] * 5)
    scores = {"a": np.where(y == 1, 0.9, 0.1), "b": np.where(y == 1, 0.8, 0.2)}
    found = bootstrap(label=y, scores=scores, metrics="brier", n_resamples=60, seed=1)
    found = found.difference("a", "b")
    assert (found.status, found.standard_error) == ("zero_variance", 0.0)
    assert "degenerate" in found.note
    assert math.isnan(found.p)


@pytest.mark.parametrize("method", ["percentile", "basic", "normal", "bca"])
def test_infinite_numbers(method):
    y = [1] * 20 + [0] * 20
    a = [0.9] * 20 + [0.1] * 20
    b = [*a[:-1], 0.9]
    result = bootstrap(
        label=y, scores={"a": a, "b": b}, metrics="positive_likelihood_ratio", at=0.5,
        n_resamples=60, seed=1, method=method,
    )  # fmt: skip
    assert result.interval("a").status == "infinite"
    assert math.isnan(result.interval("a").low)
    gap = result.difference("a", "b")
    assert (gap.status, math.isnan(gap.p)) == ("infinite", True)


def test_replicates_off_the_estimate_are_told():
    rng = np.random.default_rng(5)
    p = rng.beta(1, 4, 3000)
    y = rng.random(3000) < p
    result = bootstrap(label=y, scores=p, metrics=["ece", "roc_auc"], n_resamples=300, seed=1)
    assert result.interval(None, "ece").low > result.interval(None, "ece").estimate
    assert result.interval(None, "ece").note == "biased: replicates lie off the estimate"
    assert result.interval(None, "roc_auc").note == ""
    shown = str(result).splitlines()
    assert shown[1].endswith("biased: replicates lie off the estimate")
    assert len(shown) == 4


def test_rows_name_no_interval_where_there_is_none():
    result = bootstrap(label=[1, 0, 0, 0], scores=[3, 1, 2, 4], n_resamples=9, seed=1)
    (first, *_) = result.rows().to_dict()
    assert (first["interval"], first["level"], first["low"]) == (None, None, None)
    assert first["status"] == "one_positive"
    assert "one positive" in str(result)


def test_bca_beyond_its_pole_takes_the_outermost_replicate():
    replicates = np.linspace(0.0, 1.0, 99)
    low, high, _ = make_interval(0.5, replicates, "bca", 1 - 1e-9, (0.0, 1.0), 0.5)
    assert low < 0.5 < high == 1.0


# -- intervals -----------------------------------------------------------------------------------


def test_methods_by_hand():
    values = np.arange(1, 1000) / 1000  # 999 replicates: ranks are exact
    within = (0.0, 1.0)
    ends = make_interval(0.6, values, "percentile", 0.95, within, 0.0)
    assert ends[:2] == pytest.approx((0.025, 0.975), abs=1e-15)
    ends = make_interval(0.6, values, "basic", 0.95, within, 0.0)
    assert ends[:2] == pytest.approx((0.225, 1.0))  # 1.175 is clipped
    error = float(np.std(values, ddof=1))
    low, high, found = make_interval(0.5, values, "normal", 0.5, within, 0.0)
    assert found == error
    assert (low, high) == pytest.approx((0.5 - 0.6744898 * error, 0.5 + 0.6744898 * error))
    # Without bias and acceleration BCa is the percentile interval.
    assert make_interval(0.5, values, "bca", 0.95, within, 0.0)[:2] == pytest.approx((0.025, 0.975))
    assert acceleration(np.asarray([-1.0, 0.0, 1.0])) == 0.0
    infinite = np.asarray([1.0, 2.0, math.inf, math.inf])
    assert make_interval(2.0, infinite, "percentile", 0.95, (0.0, math.inf), 0.0)[1] == math.inf


def test_estimate_is_the_plain_value(engine):
    result = bootstrap(label=SMALL["y"], scores=SMALL["s"], n_resamples=99, seed=1, engine=engine)
    for method in ("percentile", "basic", "normal"):
        interval = result.interval("score", "auc", method=method, level=0.9)
        assert interval.estimate == 8 / 9 == rt.tally(SMALL["y"], SMALL["s"]).roc_auc()
        assert 0.0 <= interval.low <= interval.high <= 1.0
        assert (interval.method, interval.level, interval.p) == (method, 0.9, None)
        assert interval.note.startswith("few_positives, few_negatives")


def test_a_model_does_not_differ_from_itself(engine):
    data = {"y": SMALL["y"], "a": SMALL["s"], "b": [x * 2 + 1 for x in SMALL["s"]]}
    result = bootstrap(
        data, label="y", scores=["a", "b"], metrics=[*AREAS, "f1"], at=0.5, n_resamples=200,
        seed=5, engine=engine,
    )  # fmt: skip
    for metric in AREAS:
        d = result.difference("a", "b", metric)
        assert (d.low, d.estimate, d.high, d.standard_error, d.p) == (0.0, 0.0, 0.0, 0.0, 1.0)
        assert "degenerate" in d.note
    areas = result.replicates[:, :, : len(AREAS)]
    np.testing.assert_array_equal(areas[:, 0], areas[:, 1])


def test_p_value_is_never_zero():
    far = np.linspace(1.0, 2.0, 999)
    assert two_sided_p(1.5, far) == two_sided_p(-1.5, -far) == 1 / 1000
    assert two_sided_p(0.0, np.zeros(999)) == 1.0
    assert math.isnan(two_sided_p(1.0, np.full(999, 1.0)))
    # 0 lies a third of the way from the lowest of four to the next.
    assert two_sided_p(1.0, np.asarray([1.0, 2.5, -0.5, 1.5])) == pytest.approx(2 * (4 / 3) / 5)


@pytest.mark.parametrize("method", ["percentile", "basic", "normal", "bca"])
def test_p_value_and_interval_agree(method):
    rng = np.random.default_rng(9)
    for trial in range(300):
        replicates = np.round(rng.normal(rng.normal(), 1.0, 99), trial % 3)
        estimate = float(np.round(replicates.mean() + rng.normal() / 4, trial % 3))
        accelerated = float(rng.normal() / 10)
        p = two_sided_p(estimate, replicates, method, accelerated)
        for level in (0.5, 0.8, 0.9, 0.95):
            low, high, _ = make_interval(
                estimate, replicates, method, level, (-math.inf, math.inf), accelerated
            )
            # Where the end is the outermost replicate, p says no more than that.
            few = _few_replicates(estimate, replicates, method, level, accelerated)
            if abs(p - (1 - level)) > 1e-9 and not few:
                assert (p < 1 - level) is (low > 0 or high < 0)


@pytest.mark.big
def test_difference_is_paired():
    rng = np.random.default_rng(0)
    y, s = tied(1500)
    data = {"y": y, "a": s, "b": s + rng.normal(size=y.size) * 0.2}
    result = bootstrap(data, label="y", scores=["a", "b"], metrics="roc_auc", seed=1)
    d = result.difference("a", "b", "roc_auc")
    assert d.estimate == result.estimate[0, 0] - result.estimate[1, 0]
    assert d.standard_error < 0.5 * result.interval("a").standard_error
    back = result.difference("b", "a", "roc_auc")
    assert (back.low, back.high, back.p) == pytest.approx((-d.high, -d.low, d.p))
    assert 0 < d.p <= 1


def test_replicates_of_one_class_are_counted(engine):
    y, s = [1, 1, 0, 0, 0, 0], [0.9, 0.85, 0.7, 0.3, 0.2, 0.1]
    result = bootstrap(label=y, scores=s, n_resamples=300, seed=1, engine=engine)
    undefined = int(np.isnan(result.replicates[:, 0, 0]).sum())
    assert 0 < undefined < 300
    interval = result.interval("score", "roc_auc")
    assert (interval.status, interval.n_undefined) == ("ok", undefined)
    assert f"{undefined} of 300 replicates undefined" in interval.note
    assert result.n_undefined[0, 0] == undefined
    assert interval.low == interval.high == 1.0
    assert "degenerate" in interval.note


@pytest.mark.parametrize("scheme", ["multinomial", "stratified", "poisson"])
def test_one_class_is_undefined_and_says_so(engine, scheme):
    result = bootstrap(
        label=[0, 0, 0], scores=[1.0, 2.0, 3.0], scheme=scheme, n_resamples=9, engine=engine
    )
    interval = result.interval("score", "roc_auc")
    assert interval.status == "no_positives"
    assert all(math.isnan(x) for x in (interval.low, interval.estimate, interval.high))
    assert interval.n_undefined == 9


def test_what_an_interval_cannot_tell():
    y, s = [1, 0, 1, 0], [3, 2, 1, 0]
    result = bootstrap(
        label=y, scores=s, at=1, metrics="lr_plus", n_resamples=20, seed=1, method="normal"
    )
    assert result.interval().status == "no_standard_error"
    assert math.isnan(result.interval().low)
    assert "too few" in result.interval(method="percentile").note
    assert "too few" not in result.interval(method="percentile", level=0.5).note


def test_unsampled_and_one_class_clusters(engine):
    y, s = [1, 0, 0, 1, 0, 1], [3, 2, 1, 5, 4, 6]
    keys = ["b", "a", "a", "b", "c", "c"]
    result = bootstrap(label=y, scores=s, cluster=keys, n_resamples=200, seed=2, engine=engine)
    assert 0 < result.n_undefined[0, 0] < 200
    assert result.interval("score", "roc_auc").status == "ok"


# -- the result ----------------------------------------------------------------------------------


def test_rows_have_the_columns_of_an_evaluation():
    y, s = tied(300)
    call = {"label": y, "scores": {"a": s, "b": -s}, "metrics": ["roc_auc", "f1"], "at": [0.5, 1]}
    result = bootstrap(**call, n_resamples=50, seed=1)
    table = result.to_arrow()
    plain = rt.evaluate(**call).to_arrow()
    assert table.column_names == plain.column_names
    for name in ("model", "metric", "threshold", "value", "baseline", "n", "n_pos", "n_neg"):
        assert table[name].to_pylist() == plain[name].to_pylist(), name
    assert set(table["interval"].to_pylist()) == {"bootstrap multinomial percentile"}
    assert set(table["level"].to_pylist()) == {0.95}
    assert pa.table(result).equals(table)
    interval = result.interval("b", "f1", threshold=1.0)
    assert table["low"].to_pylist()[5] == interval.low


def test_results_travel():
    y, s = tied(50)
    result = bootstrap(label=y, scores=s, n_resamples=9, seed=1, method="bca")
    copy = pickle.loads(pickle.dumps(result))
    assert copy.replicates.tobytes() == result.replicates.tobytes()
    assert copy.interval("score", "roc_auc") == result.interval("score", "roc_auc")
    with pytest.raises(ValueError, match="read-only"):
        result.replicates[0] = 0


def test_common_rows_are_drawn_from(engine):
    data = {
        "y": [1, 0, 1, 0, 1, 0],
        "a": [0.9, 0.1, math.nan, 0.3, 0.5, 0.2],
        "b": [0.8, 0.3, 0.4, math.nan, 0.6, 0.1],
    }
    call = {"label": "y", "scores": ["a", "b"], "n_resamples": 20, "seed": 1, "engine": engine}
    with refused("'a'", "row 2"):
        bootstrap(data, **call)
    result = bootstrap(data, missing="omit", **call)
    keep = [0, 1, 4, 5]
    complete = {k: [v[i] for i in keep] for k, v in data.items()}
    assert result.n == 4
    assert result.replicates.tobytes() == bootstrap(complete, **call).replicates.tobytes()


def test_a_function_of_the_caller():
    y, s = tied(100)
    result = bootstrap(
        label=y, scores=s, metrics={"cost": lambda tp, fp, tn, fn: fp + 10.0 * fn}, at=0.5,
        n_resamples=20, seed=1,
    )  # fmt: skip
    c = rt.tally(y, s).at(0.5)
    assert result.interval().estimate == c.fp + 10 * c.fn


# -- stopping, refusing --------------------------------------------------------------------------


@pytest.mark.big
@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_of_progress_stops_the_call(threads):
    y, s = tied(100_000)

    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    before = threading.active_count()
    begun = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        bootstrap(label=y, scores=s, n_resamples=100_000, threads=threads, progress=fail)
    assert time.monotonic() - begun < 10  # whole, it takes a minute
    assert threading.active_count() == before


@pytest.mark.big
@pytest.mark.parametrize("threads", [1, 2])
def test_interruption_stops_the_call(threads):
    y, s = tied(100_000)
    call = {"label": y, "scores": s, "threads": threads}
    bootstrap(**call, n_resamples=2)
    before = threading.active_count()
    timer = threading.Timer(0.4, _thread.interrupt_main)
    begun = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bootstrap(**call, n_resamples=200_000)
    timer.join()
    assert time.monotonic() - begun < 10  # whole, it takes half a minute; a second is the aim
    assert threading.active_count() == before


def test_progress_counts_to_the_end():
    seen: list[tuple[int, int]] = []
    bootstrap(
        label=SMALL["y"], scores=SMALL["s"], n_resamples=40, threads=1,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scheme": "jackknife"}, ("`scheme`", "jackknife")),
        ({"method": "student"}, ("`method`", "student")),
        ({"n_resamples": 0}, ("`n_resamples`", "0")),
        ({"n_resamples": 2.5}, ("`n_resamples`", "2.5")),
        ({"level": 95}, ("`level`", "95")),
        ({"seed": -1}, ("`seed`", "-1")),
        ({"missing": "last"}, ("`missing`", "last")),
        ({"metrics": "err"}, ("`metrics`", "err", "eer")),
        ({"metrics": "f1"}, ("f1", "at=")),
        ({"scheme": "cluster"}, ("`scheme`", "cluster=")),
        ({"scheme": "poisson", "cluster": [1, 1, 2, 2, 3, 3]}, ("poisson", "`cluster`")),
        ({"cluster": [1, 1, None, 2, 3, 3]}, ("cluster", "row 2")),
        ({"weight": [0] * 6}, ("no row",)),
        ({"at": [0.5, 0.5]}, ("`at`", "0.5")),
    ],
)
def test_refusals(options, words):
    with refused(*words):
        bootstrap(label=SMALL["y"], scores=SMALL["s"], **{"n_resamples": 5, **options})


def test_refusals_of_the_result():
    result = bootstrap(
        label=SMALL["y"], scores=SMALL["s"], metrics=["roc_auc", "f1"], at=[0.3, 0.5], n_resamples=9
    )
    for call, words in (
        (lambda: result.interval("nobody", "roc_auc"), ("`model`", "nobody", "score")),
        (lambda: result.interval("score", "ks"), ("`metric`", "ks", "roc_auc")),
        (lambda: result.interval("score"), ("`metric`", "roc_auc")),
        (lambda: result.interval("score", "f1"), ("`threshold`", "0.3", "0.5")),
        (lambda: result.interval("score", "f1", threshold=0.4), ("`threshold`", "0.4")),
        (lambda: result.interval("score", "roc_auc", method="bca"), ("bca", "bootstrap")),
        (lambda: result.interval("score", "roc_auc", level=2), ("`level`", "2")),
        (lambda: result.difference("score", "other", "roc_auc"), ("`b`", "other")),
    ):
        with refused(*words):
            call()
