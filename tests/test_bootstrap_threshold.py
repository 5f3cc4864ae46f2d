"""A threshold chosen anew in each replicate: the choice, where it was tried, what is said of it."""

from __future__ import annotations

import math
import pickle
import threading

import numpy as np
import pyarrow as pa
import pytest
from refusals import refused

import ranktally as rt
from ranktally._draws import make_draws
from ranktally._engine import loops
from ranktally._threshold_bootstrap import bootstrap_threshold

GOALS = [
    {"metric": "f1"},
    {"metric": "f1", "ties": "highest"},
    {"metric": "youden"},
    {"metric": "fbeta(2)"},
    {"metric": "mcc"},
    {"metric": "fpr", "where": "recall >= 0.8"},
    {"metric": "precision", "where": "recall >= 0.6 and n_predicted <= 40"},
    {"metric": "precision", "where": "recall > 0.99 and fpr < 0.2"},
    {"metric": "prevalence", "direction": "down"},
]


def rows_of(n: int, seed: int = 0, prevalence: float = 0.3, kind: type = np.float64):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(np.int8)
    s = np.round(rng.normal(size=n) + 1.5 * y, 1)
    return y, (s if np.dtype(kind).kind == "f" else s * 10).astype(kind)


def drawn(scheme: str, seed: int, y, replicate: int, cluster=None):
    """How often each row is in a replicate."""
    many = 0 if cluster is None else int(cluster.max()) + 1
    draws = make_draws(scheme, seed, y.astype(np.uint8), cluster, many)
    counts = np.empty(draws.n_units, np.uint8)
    draws.draw(replicate, loops("numpy", 1), counts)
    return counts if draws.unit is None else counts[draws.unit]


def at(y, s, weight, threshold, metric, **read):
    """The metric of some rows at a threshold, as a tally gives it; nan without rows."""
    if not len(y) or (weight is not None and not weight.any()):
        return math.nan
    point = rt.tally(y, s, weight, pos_label=1, **read).at(threshold)
    name, _, rest = metric.partition("(")
    return getattr(point, name)(float(rest[:-1])) if rest else getattr(point, name)


# -- replicates --------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", GOALS, ids=str)
@pytest.mark.parametrize("scheme", ["multinomial", "stratified", "poisson", "cluster"])
def test_a_replicate_is_the_choice_of_its_rows(engine, goal, scheme):
    y, s = rows_of(80)
    cluster = np.random.default_rng(1).integers(0, 25, 80) if scheme == "cluster" else None
    codes = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
    found = bootstrap_threshold(
        label=y, scores=s, cluster=cluster, scheme=scheme, n_resamples=12, seed=3, engine=engine,
        **goal,
    )  # fmt: skip
    whole = rt.tally(y, s).best(goal["metric"], **{k: v for k, v in goal.items() if k != "metric"})
    assert found.scheme == scheme
    assert (found.threshold, found.where, found.metric) == (
        pytest.approx(whole.threshold, nan_ok=True), whole.where, whole.metric,
    )  # fmt: skip
    made = found.replicates
    for r in range(12):
        m = drawn(scheme, 3, y, r, codes)
        chosen = rt.tally(np.repeat(y, m), np.repeat(s, m)).best(**goal)
        assert made.reached[r] == (chosen.status == "ok")
        if not made.reached[r]:
            values = [made.in_bag[r], made.out_of_bag[r], made.on_all[r], made.holds[r]]
            assert np.isnan(values).all()
            continue
        assert made.threshold[r] == chosen.threshold
        assert made.in_bag[r] == chosen.value
        outside = (y[m == 0], s[m == 0], None, chosen.threshold, goal["metric"])
        assert made.out_of_bag[r] == pytest.approx(at(*outside), nan_ok=True)
        assert made.on_all[r] == at(y, s, None, chosen.threshold, goal["metric"])
        holds = None
        if (m == 0).any():
            sides = [(np.repeat(y, k), np.repeat(s, k)) for k in (m, m == 0)]
            holds = rt.select_threshold(*sides, pos_label=1, **goal).holds_on_test
        expected = math.nan if holds is None else float(holds)
        assert made.holds[r] == pytest.approx(expected, nan_ok=True)
    assert found.unreachable == np.count_nonzero(~made.reached)


@pytest.mark.parametrize("whole", [True, False])
def test_weights_are_drawn_along(engine, whole):
    y, s = rows_of(60)
    rng = np.random.default_rng(2)
    w = rng.integers(0, 4, 60) if whole else rng.random(60) * (rng.random(60) < 0.8)
    found = bootstrap_threshold(
        label=y, scores=s, weight=w, metric="f1", where="fpr <= 0.5", n_resamples=8, seed=8,
        engine=engine,
    )  # fmt: skip
    assert found.apparent == pytest.approx(rt.tally(y, s, w).best("f1", where="fpr <= 0.5").value)
    assert found.n == np.count_nonzero(w)
    assert sum(found.totals) == pytest.approx(w.sum())
    y, s, w = y[w > 0], s[w > 0], w[w > 0]
    made = found.replicates
    for r in range(8):
        m = drawn("multinomial", 8, y, r)
        chosen = rt.tally(y, s, w * m).best("f1", where="fpr <= 0.5")
        assert made.threshold[r] == chosen.threshold
        assert made.in_bag[r] == pytest.approx(chosen.value, rel=1e-12)
        point = rt.tally(y, s, w * (m == 0)).at(chosen.threshold)
        assert made.out_of_bag[r] == pytest.approx(point.f1, rel=1e-12)
        assert made.holds[r] == (point.fpr <= 0.5)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("direction", [True, False])
def test_scores_of_any_type_some_of_them_missing(engine, kind, direction):
    y, s = rows_of(60)
    s = (np.round(s * 10) + 40).astype(kind)
    if kind is np.uint64:
        s += np.uint64(1 << 63)
    gone = np.random.default_rng(7).random(60) < 0.2
    read = {"missing": "worst", "higher_is_better": direction}
    if kind is np.uint64 and not direction:
        read["higher_is_better"] = True
    found = bootstrap_threshold(
        label=y, scores=pa.array(s, mask=gone), n_resamples=10, seed=4, engine=engine, **read
    )
    made = found.replicates
    assert made.threshold.dtype == kind
    for r in range(10):
        m = drawn("multinomial", 4, y, r)
        rows, out = np.repeat(np.arange(60), m), np.flatnonzero(m == 0)
        chosen = rt.tally(y[rows], pa.array(s[rows], mask=gone[rows]), **read).best("f1")
        assert made.threshold[r].item() == chosen.threshold
        assert made.in_bag[r] == chosen.value
        outside = pa.array(s[out], mask=gone[out])
        assert made.out_of_bag[r] == at(y[out], outside, None, chosen.threshold, "f1", **read)


def test_infinite_scores_and_zeros_of_both_signs(engine):
    y = np.asarray([1, 1, 0, 1, 0, 1, 0, 0])
    s = np.asarray([np.inf, 1.0, np.inf, 0.0, -0.0, -0.0, -np.inf, -1.0])
    found = bootstrap_threshold(label=y, scores=s, n_resamples=30, seed=2, engine=engine)
    made = found.replicates
    for r in range(30):
        m = drawn("multinomial", 2, y, r)
        chosen = rt.tally(np.repeat(y, m), np.repeat(s, m)).best("f1")
        assert (made.threshold[r], made.in_bag[r]) == (chosen.threshold, chosen.value)
        outside = at(y[m == 0], s[m == 0], None, chosen.threshold, "f1")
        assert made.out_of_bag[r] == pytest.approx(outside, nan_ok=True)


def test_callables_are_measures_too(engine):
    def gain(tp, fp, tn, fn):
        return 5 * tp - fp

    y, s = rows_of(80)
    found = bootstrap_threshold(
        label=y, scores=s, metric=gain, n_resamples=5, seed=1, engine=engine
    )
    assert found.metric == "gain"
    for r in range(5):
        m = drawn("multinomial", 1, y, r)
        chosen = rt.tally(np.repeat(y, m), np.repeat(s, m)).best(gain)
        point = rt.tally(y[m == 0], s[m == 0]).at(chosen.threshold)
        assert found.replicates.in_bag[r] == chosen.value
        assert found.replicates.out_of_bag[r] == 5 * point.tp - point.fp


def test_same_bytes_for_any_threads():
    y, s = rows_of(500)
    call = {"label": y, "scores": s, "where": "recall >= 0.7", "seed": 11, "n_resamples": 60}
    results = [
        bootstrap_threshold(threads=threads, engine=engine, **call)
        for threads, engine in ((1, "numba"), (2, "numba"), (2, "numpy"))
    ]
    for other in results[1:]:
        for name, array in vars(results[0].replicates).items():
            assert array.tobytes() == getattr(other.replicates, name).tobytes()
    fresh = bootstrap_threshold(label=y, scores=s, n_resamples=5)
    again = bootstrap_threshold(label=y, scores=s, n_resamples=5, seed=fresh.seed)
    assert fresh.replicates.in_bag.tobytes() == again.replicates.in_bag.tobytes()


def test_progress_is_told_and_can_stop():
    y, s = rows_of(200)
    seen = []
    bootstrap_threshold(
        label=y, scores=s, n_resamples=40, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1][0] == seen[-1][1]

    def stop(done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        bootstrap_threshold(label=y, scores=s, n_resamples=40, threads=2, progress=stop)
    assert not [t for t in threading.enumerate() if t.name.startswith("ranktally")]


# -- what is said ------------------------------------------------------------------------------


def test_what_follows_from_the_replicates():
    y, s = rows_of(150)
    found = bootstrap_threshold(label=y, scores=s, where="recall >= 0.8", seed=5, n_resamples=199)
    made = found.replicates
    assert found.unreachable == found.oob_undefined == 0
    assert found.apparent == rt.tally(y, s).best("f1", where="recall >= 0.8").value
    assert found.optimism == pytest.approx(np.mean(made.in_bag - made.on_all))
    assert found.corrected == found.apparent - found.optimism
    assert found.out_of_bag.estimate == pytest.approx(np.mean(made.out_of_bag))
    ordered = np.sort(made.out_of_bag)  # 199 of them: whole ranks
    ends = (found.out_of_bag.low, found.out_of_bag.high)
    assert ends == pytest.approx((ordered[4], ordered[194]), rel=1e-12)
    ordered = np.sort(made.threshold)
    ends = (found.interval.low, found.interval.high)
    assert ends == pytest.approx((ordered[4], ordered[194]), rel=1e-12)
    assert found.interval.estimate == found.threshold
    value, times = np.unique(made.threshold, return_counts=True)
    assert found.n_thresholds == value.size
    assert found.most_common == (value[times.argmax()], times.max() / 199)
    assert found.same_share == np.mean(made.threshold == found.threshold)
    assert found.holds_out_of_bag == pytest.approx(np.mean(made.holds))
    # Met exactly on the rows at hand, missed by about half of the others.
    assert 0.2 < found.holds_out_of_bag < 0.8


def test_one_row_a_class_by_hand(engine):
    found = bootstrap_threshold(
        label=[1, 0], scores=[0.9, 0.1], metric="precision", n_resamples=200, seed=1, engine=engine
    )
    made = found.replicates
    kinds = [tuple(drawn("multinomial", 1, np.asarray([1, 0]), r)) for r in range(200)]
    assert set(kinds) == {(1, 1), (2, 0), (0, 2)}
    for r, kind in enumerate(kinds):
        if kind == (0, 2):
            # Precision 0 at 0.1 on a negative drawn twice; out of bag the positive alone.
            expected = (0.1, 0.0, 1.0, 0.5)
        elif kind == (2, 0):
            # Chosen on the positive; out of bag nothing is predicted positive.
            expected = (0.9, 1.0, math.nan, 1.0)
        else:
            expected = (0.9, 1.0, math.nan, 1.0)  # and here no row is left out
        got = (made.threshold[r], made.in_bag[r], made.out_of_bag[r], made.on_all[r])
        assert got == pytest.approx(expected, nan_ok=True)
    assert found.oob_undefined == 200 - kinds.count((0, 2))
    assert math.isnan(found.out_of_bag.estimate)
    assert found.out_of_bag.status == "one_positive"
    assert found.out_of_bag.n_undefined == found.oob_undefined
    assert math.isnan(found.holds_out_of_bag)


def test_replicates_without_a_choice_are_counted():
    y, s = np.arange(40) < 2, rows_of(40)[1]
    found = bootstrap_threshold(label=y, scores=s, metric="youden", seed=1, n_resamples=300)
    lost = sum(not (drawn("multinomial", 1, y, r) * y).any() for r in range(300))
    assert found.unreachable == lost > 0
    assert found.interval.n_undefined == lost
    assert f"{lost} of 300 resamples ha{'s' if lost == 1 else 've'} no choice" in str(found)


@pytest.mark.parametrize("goal", [{"where": "recall > 2"}, {"metric": "youden", "where": None}])
def test_no_choice_at_all(goal):
    y = np.ones(20, int) if goal["where"] is None else np.arange(20) % 2
    found = bootstrap_threshold(
        label=y, scores=np.arange(20), n_resamples=20, seed=1, pos_label=1, **goal
    )
    assert found.unreachable == 20
    assert found.chosen.status == "unreachable"
    numbers = [found.threshold, found.apparent, found.corrected, found.optimism]
    numbers += [found.out_of_bag.low, found.interval.low, found.same_share, *found.most_common]
    assert np.isnan(np.asarray(numbers, float)).all()
    assert found.n_thresholds == 0
    assert {row["status"] for row in found.rows().to_dict()} == {"unreachable"}
    assert "no threshold" in str(found)


def test_infinite_values_are_nothing_to_subtract():
    found = bootstrap_threshold(
        label=[1, 1, 1, 0, 0, 0], scores=[6, 5, 4, 3, 2, 1], metric="positive_likelihood_ratio",
        n_resamples=50, seed=2,
    )  # fmt: skip
    assert found.apparent == math.inf
    assert math.isnan(found.corrected)
    assert "corrected" not in str(found)
    assert found.rows().value(quantity="apparent") == math.inf


@pytest.mark.parametrize(("metric", "chance"), [("youden", 0.0), ("f1", 2 * 0.2 / 1.2)])
def test_noise_is_seen_through(metric, chance):
    apparent, corrected, outside = [], [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = np.arange(200) % 5 == 0
        found = bootstrap_threshold(
            label=y, scores=rng.normal(size=200), metric=metric, n_resamples=200, seed=seed
        )
        apparent.append(found.apparent)
        corrected.append(found.corrected)
        outside.append(found.out_of_bag.estimate)
        assert found.corrected < found.apparent
        assert found.optimism > 0
    assert abs(np.mean(outside) - chance) < 0.05
    assert np.mean(apparent) > chance + (0.1 if metric == "youden" else 0.01)
    assert abs(np.mean(corrected) - chance) < np.mean(apparent) - chance


def test_less_can_be_better():
    y, s = rows_of(100)
    found = bootstrap_threshold(label=y, scores=s, metric="roc_distance", seed=1, n_resamples=100)
    assert found.optimism < 0
    assert found.corrected > found.apparent


def test_rows_and_words():
    y, s = rows_of(120)
    found = bootstrap_threshold(
        {"y": y, "model_a": s}, label="y", scores="model_a", where="recall >= 0.9",
        n_resamples=99, seed=7, level=0.9,
    )  # fmt: skip
    table = pa.table(found)
    assert table.column_names == [
        "model", "metric", "where", "quantity", "threshold", "value", "low", "high", "interval",
        "level", "n", "n_pos", "n_neg", "status", "note",
    ]  # fmt: skip
    rows = {row["quantity"]: row for row in table.to_pylist()}
    assert list(rows) == [
        "threshold", "apparent", "out_of_bag", "optimism", "corrected", "holds_out_of_bag",
    ]  # fmt: skip
    assert rows["out_of_bag"]["low"] == found.out_of_bag.low
    assert rows["out_of_bag"]["interval"] == "bootstrap multinomial percentile"
    assert rows["apparent"]["interval"] is None
    assert rows["threshold"]["value"] == rows["corrected"]["threshold"] == found.threshold
    assert (rows["corrected"]["n_pos"], rows["corrected"]["n"]) == (y.sum(), 120)
    assert rows["corrected"]["note"] == "few_positives"
    text = str(found)
    for words in (
        "f1 of model_a where recall >= 0.9: threshold", "out of bag", "(corrected)",
        f"holds out of bag in {found.holds_out_of_bag:.1%} of the resamples",
        "90 % bootstrap percentile, multinomial over rows, 99 resamples, seed 7, few positives",
    ):  # fmt: skip
        assert words in text
    assert repr(found).startswith("ThresholdBootstrap(f1 of model_a, threshold=")
    again = pickle.loads(pickle.dumps(found))
    assert str(again) == text
    with pytest.raises(ValueError, match="read-only"):
        found.replicates.in_bag[0] = 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"metric": "roc_auc"}, ["`metric`"]), ({"metric": "f2"}, ["`metric`"]),
        ({"metric": "prevalence"}, ["`metric`", "direction"]),
        ({"where": "recal > 1"}, ["`where`"]), ({"ties": "random"}, ["`ties`"]),
        ({"scheme": "cells"}, ["`scheme`"]),
        ({"scheme": "cluster"}, ["`scheme`"]), ({"n_resamples": 0}, ["`n_resamples`"]),
        ({"level": 95}, ["`level`"]), ({"seed": -1}, ["`seed`"]),
        ({"missing": "no"}, ["`missing`"]), ({"direction": "left"}, ["`direction`"]),
        ({"engine": "c"}, ["`engine`"]),
        ({"scores": {"a": [1, 2], "b": [2, 1]}}, ["`scores`", "2 models"]),
        ({"scores": [1]}, []), ({"scores": [1, None]}, []),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_checked(wrong, words):
    call = {"label": [0, 1], "scores": [0.1, 0.2], "n_resamples": 2}
    with refused(*words):
        bootstrap_threshold(**(call | wrong))
