"""Counts and measures at thresholds, and the search for the best and the cheapest one."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import samples

import ranktally as rt

INF, NAN = math.inf, math.nan
SEARCHED = [
    "f1", "fbeta(2)", "precision", "recall", "accuracy", "youden", "balanced_accuracy", "mcc",
    "cohen_kappa", "jaccard", "fpr", "error_rate", "npv", "roc_distance",
]  # fmt: skip
DOWN = {"fpr", "error_rate", "roc_distance"}


def rows_of(sample):
    """Exact counts at every distinct score, thresholds falling."""
    labels, scores, weights = sample.lists
    return [
        (t, naive.counts(labels, scores, t, weights)) for t in naive.thresholds(scores, weights)
    ]


def close(got, expected, *, rel=1e-13):
    assert got == pytest.approx(expected, rel=rel, abs=1e-13, nan_ok=True)


# --- at -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, "integral"])
@given(data=st.data())
def test_counts_at_any_threshold(engine, weights, data):
    sample = data.draw(samples(weights=weights))
    labels, scores, w = sample.lists
    t = rt.tally(sample.labels, sample.scores, sample.weights, engine=engine)
    whole = sample.scores.dtype.kind != "f"
    pool = [float(x) for x in (-INF, INF, -1e300, 1e300, 0.5, -0.5, 1.5)] + t.threshold.tolist()
    if whole:
        pool += [2**70, -(2**70), 2**53 + 1]
    asked = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=12))
    cuts = t.at(asked)
    for k, cut in enumerate(asked):
        rounded = cut
        if not whole:
            with np.errstate(over="ignore"):
                rounded = float(np.asarray(cut, np.float64).astype(sample.scores.dtype))
        exact = naive.counts(labels, scores, rounded, w)
        one = t.at(cut)
        for name in ("tp", "fp", "tn", "fn"):
            assert getattr(cuts, name)[k] == getattr(one, name) == getattr(exact, name)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u8"])
@pytest.mark.parametrize("order", ["random", "rising", "falling"])
def test_many_thresholds_are_those_one_by_one(engine, dtype, order):
    rng = np.random.default_rng(3)
    scores = (rng.normal(size=3000) * 50 + 200).round(1).astype(dtype)
    t = rt.tally(rng.random(3000) < 0.3, scores, engine=engine)
    asked = rng.normal(size=2000) * 60 + 200
    asked = {"random": asked, "rising": np.sort(asked), "falling": np.sort(asked)[::-1]}[order]
    cuts = t.at(asked)
    for k in range(0, 2000, 37):
        one = t.at(float(asked[k]))
        assert (cuts.tp[k], cuts.fp[k], cuts.tn[k], cuts.fn[k]) == (one.tp, one.fp, one.tn, one.fn)
    square = t.at(asked.reshape(40, 50))
    assert square.tp.shape == square.mcc.shape == (40, 50)
    assert np.array_equal(square.tp.ravel(), cuts.tp)


def test_whole_thresholds_of_every_kind(engine):
    t = rt.tally([0, 1, 1], np.array([0, 5, 2**63 + 1], np.uint64), engine=engine)
    for asked in (
        np.array([-3, 0, 5, 6], np.int64),
        np.array([False, True, True, True]),
        np.array([0, 5, 2**63 + 1, 2**64 - 1], np.uint64),
        np.array([-INF, 4.5, 2.0**64, INF]),
        np.array([-1, 2**63 + 1, 2**63 + 2, 2**80], object),
        np.array([-0.5, 0.5, 5.5], np.float16),
    ):
        for cut, tp in zip(asked.tolist(), t.at(asked).tp.tolist(), strict=True):
            assert tp == sum(y and s >= cut for y, s in ((0, 0), (1, 5), (1, 2**63 + 1))), cut


def test_incomplete_tally_answers_at_its_own_thresholds():
    for kind, other in (("f8", 4.5), ("i8", 4), ("i8", 4.5)):
        t = rt.Tally.from_counts(np.array([5, 3], kind), [2, 1], [1, 1], complete=False)
        assert t.at([3, 5]).tp.tolist() == [3, 2]
        with refused("threshold", other, "incomplete"):
            t.at(other)
        with refused("threshold", "incomplete"):
            t.at(9)


def test_every_measure_has_its_aliases():
    point = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).at(0.35)
    for names in (
        ("recall", "sensitivity", "tpr", "sens", "hit_rate"), ("precision", "ppv"),
        ("specificity", "tnr", "spec", "selectivity"), ("jaccard", "csi", "threat_score", "iou"),
        ("youden", "informedness", "j", "youden_j"), ("f1", "dice"), ("mcc", "phi"),
        ("fpr", "fall_out"), ("fnr", "miss_rate"), ("cohen_kappa", "kappa"),
        ("diagnostic_odds_ratio", "dor"), ("positive_likelihood_ratio", "lr_plus"),
    ):  # fmt: skip
        values = [getattr(point, name) for name in names]
        assert values.count(values[0]) == len(values), names
        assert set(names) <= set(dir(point))
    assert sum(m.needs == "counts" for m in rt.METRICS.values()) >= 28
    with pytest.raises(AttributeError, match=r"sensitivty.*sensitivity"):
        _ = point.sensitivty
    with pytest.raises(AttributeError, match="roc_auc"):
        _ = point.roc_auc
    assert (point.n, point.n_pos, point.n_neg, point.n_predicted) == (4, 2, 2, 3)
    again = pickle.loads(pickle.dumps(point))
    assert again.to_dict() == point.to_dict()


def test_a_function_of_the_caller():
    t = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35])
    cuts = t.at([0.35, 0.4, 9.0])
    assert cuts.apply(lambda tp, fp, tn, fn: 10 * tp - fp).tolist() == [19.0, 10.0, 0.0]
    assert t.at(0.4).apply(lambda tp, fp, tn, fn: tp / (tp + fp)) == 1.0
    assert cuts.apply("fbeta(2)").tolist() == cuts.fbeta(2).tolist()
    assert cuts.apply("sensitivity").tolist() == cuts.recall.tolist()
    with np.errstate(all="raise"):
        got = cuts.apply(lambda tp, fp, tn, fn: tp / (tp + fp))
    np.testing.assert_array_equal(got, cuts.precision)
    assert cuts.apply(lambda tp, fp, tn, fn: 3).tolist() == [3.0] * 3
    with refused("measure", "ZeroDivisionError"):
        cuts.apply(lambda tp, fp, tn, fn: 1 // 0)
    with refused("measure", "<lambda>", "shape"):
        cuts.apply(lambda tp, fp, tn, fn: [1, 2])
    with refused("measure", "roc_auc"):
        cuts.apply("roc_auc")
    with refused("measure", "fbeta", "beta"):
        cuts.apply("fbeta")
    with refused("measure", "f11", "f1"):
        cuts.apply("f11")


# --- the matrix itself --------------------------------------------------------------------------


def test_matrix_layouts():
    c = rt.Confusion.from_counts(tp=8, fp=2, tn=86, fn=4)
    assert c.matrix().tolist() == [[86, 2], [4, 8]]
    assert c.matrix((0, 1)).ravel().tolist() == [c.tn, c.fp, c.fn, c.tp]
    assert c.matrix(labels=[1, 0]).tolist() == [[8, 4], [2, 86]]
    assert math.isnan(c.threshold)
    many = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).at([0.35, 9])
    assert many.matrix().tolist() == [[[1, 1], [0, 2]], [[2, 0], [2, 0]]]
    for labels in ((0, 2), (1, 1), (0,), "01"):
        with refused("labels", repr(labels)):
            c.matrix(labels)


def test_one_class_and_hard_decisions_stay_square(engine):
    assert rt.tally([1, 1], [1, 0], engine=engine).at(1).matrix().tolist() == [[0, 0], [1, 1]]
    assert rt.tally([0, 0], [False, False], engine=engine).at(1).matrix().tolist() == [
        [2, 0],
        [0, 0],
    ]


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_totals_give_the_counts_back(tp, fp, tn, fn):
    c = rt.Confusion.from_totals(n=tp + fp + tn + fn, positives=tp + fn, predicted=tp + fp, tp=tp)
    assert (c.tp, c.fp, c.tn, c.fn) == (tp, fp, tn, fn)


@given(*[st.integers(0, 6)] * 4)
def test_totals_that_contradict_each_other(n, positives, predicted, tp):
    fp, fn = predicted - tp, positives - tp
    if min(fp, fn, n - positives - fp) >= 0:
        return
    with refused("contradict", f"n={n}", f"tp={tp}"):
        rt.Confusion.from_totals(n=n, positives=positives, predicted=predicted, tp=tp)


def test_counts_that_are_none():
    assert rt.Confusion.from_counts([1, 2], [0, 0], [3, 3], [2, 1]).recall.tolist() == [
        1 / 3,
        2 / 3,
    ]
    small = {name: np.array([3], np.uint8) for name in ("n", "positives", "predicted")}
    with refused("contradict", "n=3"):  # and no unsigned count wraps around
        rt.Confusion.from_totals(**small, tp=np.array([1], np.uint8))
    for wrong in (-1, NAN, INF, "3", None, True):
        with refused("fp", wrong):
            rt.Confusion.from_counts(1, wrong, 1, 1)
    with refused("shape"):
        rt.Confusion.from_counts([1, 2], 0, 0, 0)
    with refused("contradict", "positives=1"):
        rt.Confusion.from_totals(n=[9, 9], positives=[3, 1], predicted=[4, 4], tp=[2, 2])


def test_cost():
    c = rt.Confusion.from_counts(tp=8, fp=2, tn=86, fn=4)
    assert c.cost(1, 10) == 42.0
    assert c.cost(1, 10, per_row=True) == 0.42
    assert c.apply("expected_cost(1, 10)") == 0.42
    assert c.cost(cost_fp=1, cost_fn=10, benefit_tp=2, cost_alert=0.5) == 42 - 16 + 5
    many = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).at([0.35, 9])
    assert many.cost(1, 10).tolist() == [1.0, 20.0]
    for wrong in (-1, NAN, INF, "1", None, True):
        for name in ("cost_fp", "cost_fn", "benefit_tp", "cost_alert"):
            with refused(name, wrong):
                c.cost(**{"cost_fp": 1, "cost_fn": 1, name: wrong})


# --- prevalence ---------------------------------------------------------------------------------


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9),
       st.fractions(0, 1, max_denominator=1000))  # fmt: skip
def test_bayes(tp, fp, tn, fn, share):
    c = rt.Confusion.from_counts(tp, fp, tn, fn)
    there = c.at_prevalence(float(share))
    if not (tp + fn and fp + tn):
        assert math.isnan(there.tp)
        assert math.isnan(there.precision)
        return
    pi = Fraction(float(share))
    s, f = Fraction(tp, tp + fn), Fraction(fp, fp + tn)
    exact = naive.Counts(s * pi, f * (1 - pi), (1 - s) * pi, (1 - f) * (1 - pi))
    for name in ("precision", "npv", "accuracy", "f1", "recall", "fpr", "prevalence", "mcc"):
        close(getattr(there, name), naive.as_float(naive.MEASURES[name](exact)), rel=1e-12)
    if share:
        assert there.recall == c.recall


def test_prevalence_of_many_points_and_of_the_whole_tally(engine):
    rng = np.random.default_rng(8)
    y = rng.random(400) < 0.4
    s = (rng.normal(size=400) + y).round(1)
    t = rt.tally(y, s, engine=engine)
    there = t.at_prevalence(0.01)
    assert there.roc_auc() == pytest.approx(t.roc_auc(), rel=1e-12)
    points, moved = t.at(t.threshold), there.at(t.threshold)
    np.testing.assert_allclose(moved.precision, points.at_prevalence(0.01).precision, rtol=1e-12)
    np.testing.assert_array_equal(moved.recall, points.recall)
    np.testing.assert_allclose(moved.prevalence, 0.01, rtol=1e-12)
    np.testing.assert_allclose(there.pr_curve().y, moved.precision, rtol=1e-12)
    step = np.sum(np.diff(points.recall, prepend=0) * moved.precision)
    assert there.average_precision() == pytest.approx(step, rel=1e-12)
    same = t.at_prevalence(float(np.mean(y)))
    assert same.average_precision() == pytest.approx(t.average_precision(), rel=1e-12)
    scaled = rt.tally(y, s, np.where(y, 3.0, 1.0), engine=engine)
    np.testing.assert_allclose(scaled.at_prevalence(0.01).pr_curve().y, moved.precision, rtol=1e-12)


def test_a_chosen_point_elsewhere_is_a_plain_one():
    """The value that it was chosen for belongs to the prevalence it was chosen at."""
    point = rt.tally([1, 0, 1, 0], [4, 3, 2, 1]).best("f1")
    there = point.at_prevalence(0.1)
    assert type(there) is rt.Confusion
    assert there.f1 < point.value == point.f1


def test_prevalence_that_is_none():
    t = rt.tally([0, 1], [0, 1])
    for wrong in (-0.1, 1.1, NAN, "0.5", None, True):
        for call in (t.at(1).at_prevalence, t.at_prevalence):
            with refused("prevalence", wrong):
                call(wrong)
    for end in (0, 1):
        with refused("prevalence", end):
            t.at_prevalence(end)
    assert math.isnan(t.at(1).at_prevalence(0).recall)
    assert t.at(1).at_prevalence(0).specificity == 1.0
    assert math.isnan(t.at(1).at_prevalence(1).fpr)
    for label, missing in ((0, "positives"), (1, "negatives")):
        with refused("prevalence", missing):
            rt.tally([label], [0.5]).at_prevalence(0.5)


# --- best ---------------------------------------------------------------------------------------


def brute(rows, name, where=None, ties="lowest"):
    """The best row by exact values; thresholds fall, so that the last of equals is the lowest."""
    sign = -1 if name in DOWN else 1
    found = []
    for t, c in rows:
        value = naive.MEASURES[name](c)
        if value is not None and (where is None or where(c)):
            found.append((sign * value, t, c))
    if not found:
        return None
    best = max(v for v, *_ in found)
    # roots are cut after sixty digits
    equal = [row for row in found if abs(row[0] - best) < Fraction(1, 10**40)]
    return equal[-1 if ties == "lowest" else 0]


def matches(point, expected, name):
    if expected is None:
        assert point.status == "unreachable"
        assert math.isnan(point.threshold)
        assert math.isnan(point.value)
        assert math.isnan(point.tp)
        assert math.isnan(point.f1)
        assert point.note
        return
    value, threshold, c = expected
    assert point.status == "ok"
    assert point.threshold == threshold
    assert (point.tp, point.fp, point.tn, point.fn) == (c.tp, c.fp, c.tn, c.fn)
    close(point.value, float(-value if name in DOWN else value))
    assert point.n_predicted > 0
    assert point.selected_on_same_data
    assert "flatters" in point.note


@pytest.mark.parametrize("weights", [None, "integral"])
@given(data=st.data())
def test_best_is_the_best_of_all_cuts(engine, weights, data):
    sample = data.draw(samples(weights=weights))
    name = data.draw(st.sampled_from(SEARCHED))
    ties = data.draw(st.sampled_from(["lowest", "highest"]))
    t = rt.tally(sample.labels, sample.scores, sample.weights, engine=engine)
    matches(t.best(name, ties=ties), brute(rows_of(sample), name, ties=ties), name)


@given(data=st.data())
def test_best_under_a_constraint(engine, data):
    sample = data.draw(samples(("float32", "int8"), max_size=16))
    name = data.draw(st.sampled_from(SEARCHED))
    low = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
    high = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    t = rt.tally(sample.labels, sample.scores, engine=engine)

    def where(c):
        recall, fpr = naive.MEASURES["recall"](c), naive.MEASURES["fpr"](c)
        if recall is None or fpr is None:
            return False
        return float(recall) >= low and float(fpr) <= high

    got = t.best(name, where=f"recall >= {low} and fpr <= {high}")
    matches(got, brute(rows_of(sample), name, where), name)


def test_best_passes_over_block_borders(engine):
    """Ties and maxima on either side of the blocks that the search walks in."""
    n = 70_000
    y = np.zeros(n, bool)
    y[[0, 32_767, 32_768, 65_535, 65_536]] = True
    t = rt.tally(y, -np.arange(n, dtype=np.int32), engine=engine)
    assert t.best("recall").threshold == -(n - 1)
    assert t.best("recall", ties="highest").threshold == -65_536
    assert t.best("recall").note.startswith(f"{n - 65_536:,} thresholds tie, the lowest")
    assert t.best("recall", where="n_predicted <= 32768").threshold == -32_767
    assert t.best("precision").threshold == 0
    assert t.best("accuracy", where="recall >= 0.5").threshold == -32_768
    constant = t.best(lambda tp, fp, tn, fn: tp * 0)
    assert constant.threshold == -(n - 1)


def test_rounding_makes_and_breaks_no_tie(engine):
    """0.1 + 0.7 and 0.2 + 0.6 are one sum, whatever doubles make of it."""
    for n_pos, n_neg in ((10, 10), (7, 21), (3, 9), (49, 49)):
        # a step up and as long a one to the right: Youden is again what it was
        y = ([1] + [0] * (n_neg // n_pos)) * n_pos
        s = -np.arange(len(y))
        rows = [(t, naive.counts(y, s.tolist(), t)) for t in s.tolist()]
        t = rt.tally(y, s, engine=engine)
        for name in ("youden", "balanced_accuracy"):
            for ties in ("lowest", "highest"):
                matches(t.best(name, ties=ties), brute(rows, name, ties=ties), name)


def test_best_of_a_function_and_of_a_direction(engine):
    t = rt.tally([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], engine=engine)
    point = t.best(lambda tp, fp, tn, fn: 3 * tp - 2 * fp)
    assert (point.threshold, point.value, point.metric) == (2, 5.0, "<lambda>")
    assert t.best(lambda tp, fp, tn, fn: fp - tp, direction="down").threshold in (2, 4, 6)
    fewest = t.best("alert_rate", where="recall >= 0.6", direction="down")
    assert (fewest.threshold, fewest.value) == (4, 0.5)
    with refused("metric", "predicted_positive_rate", "direction"):
        t.best("predicted_positive_rate")
    with refused("direction", "sideways"):
        t.best("f1", direction="sideways")
    with refused("ties", "median"):
        t.best("f1", ties="median")
    with refused("metric", "roc_auc"):
        t.best("roc_auc")
    with refused("metric", "precision_at_k"):
        t.best("precision_at_k(3)")
    with refused("metric", "f11", "f1"):
        t.best("f11")
    with refused("metric", "ValueError", "what"):
        t.best(_raises)


def _raises(tp, fp, tn, fn):
    raise ValueError("what")


def test_undefined_never_wins(engine):
    t = rt.tally([1, 0, 1], [0.9, 0.5, 0.1], engine=engine)
    point = t.best("npv")  # undefined at the lowest threshold, where everything is selected
    assert (point.threshold, point.value) == (0.9, 0.5)
    odd = t.best(lambda tp, fp, tn, fn: np.where(tp == 1, np.nan, 0.0))
    assert odd.threshold == 0.1
    none = t.best(lambda tp, fp, tn, fn: tp * np.nan)
    assert none.status == "unreachable"
    assert "undefined" in none.note


def test_infinite_values_and_scores(engine):
    t = rt.tally([1, 1, 0], [INF, 2.0, -INF], engine=engine)
    point = t.best("positive_likelihood_ratio")
    assert (point.threshold, point.value) == (2.0, INF)
    assert t.best("precision", ties="highest").threshold == INF
    assert t.best("precision", ties="highest").n_predicted == 1
    assert t.best("recall").threshold == -INF


def test_one_class_and_no_rows(engine):
    only = rt.tally([0, 0], [1, 2], engine=engine)
    point = only.best("precision", where="recall >= 0.9")
    assert point.status == "unreachable"
    assert "recall" in point.note
    assert "positives" in point.note
    assert "positives" in only.best("recall").note
    assert only.best("accuracy").threshold == 2
    assert "negatives" in rt.tally([1], [1]).best("fpr").note
    empty = rt.Tally.from_counts([], [], [])
    for found in (empty.best("f1"), rt.tally([1], [np.nan], missing="worst").best("f1")):
        assert found.status == "unreachable"
        assert "score" in found.note


def test_unreachable_says_which_part_is_hard(engine):
    t = rt.tally([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], engine=engine)
    note = t.best("f1", where="recall >= 0.9 and fpr < 0.1").note
    assert "recall >= 0.9 holds at 2 of 6" in note
    assert "fpr < 0.1 holds at 1 of 6" in note


def test_missing_scores_are_never_selected(engine):
    y, s = [1, 1, 0, 1], [0.9, 0.5, 0.4, None]
    t = rt.tally(y, s, missing="worst", engine=engine)
    assert t.best("recall").recall == 2 / 3
    point = t.best("f1", where="recall >= 0.7")
    assert point.status == "unreachable"
    assert t.best("f1").fn == 1


def test_best_keeps_the_dtype_and_finds_itself_again(engine):
    s = np.array([0.7, 0.1, 0.3], np.float32)
    t = rt.tally([1, 0, 1], s, engine=engine)
    point = t.best("f1")
    assert type(point.threshold) is float
    assert point.threshold == float(np.float32(0.3))
    assert t.at(point.threshold).tp == point.tp == 2
    assert type(point.tp) is int
    assert set(point.to_dict()) >= {"threshold", "tp", "metric", "value", "status", "note", "f1"}
    weighted = rt.tally([1, 0, 1], s, [0.5, 1, 2], engine=engine).best("f1")
    assert type(weighted.tp) is float
    assert pickle.loads(pickle.dumps(point)).threshold == point.threshold


def test_room_does_not_grow_with_the_tally():
    peaks = []
    for n in (200_000, 1_000_000):
        t = rt.Tally.from_counts(np.arange(n, dtype=float), np.ones(n, int), np.ones(n, int))
        tracemalloc.start()
        t.best("mcc", where="recall >= 0.5 or precision > 0.7")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] < 8e6


# --- costs --------------------------------------------------------------------------------------

COSTS = st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.0, 10.0])


@pytest.mark.parametrize("weights", [None, "integral"])
@given(data=st.data())
def test_cheapest_cut(engine, weights, data):
    sample = data.draw(samples(weights=weights))
    costs = data.draw(st.tuples(COSTS, COSTS, COSTS, COSTS).filter(any))
    ties = data.draw(st.sampled_from(["lowest", "highest"]))
    # the costs as they are written: a tenth three times is three tenths
    of_fp, of_fn, gain, alert = (Fraction(str(x)) for x in costs)
    rows = rows_of(sample)
    labels, _, w = sample.lists
    n_pos, n_neg = naive.totals(labels, w)
    rows = [(INF, naive.Counts(Fraction(0), Fraction(0), n_pos, n_neg)), *rows]
    priced = [
        (of_fp * c.fp + of_fn * c.fn + alert * (c.tp + c.fp) - gain * c.tp, t) for t, c in rows
    ]
    low = min(price for price, _ in priced)
    equal = [t for price, t in priced if price == low]
    t = rt.tally(sample.labels, sample.scores, sample.weights, engine=engine)
    point = t.best_cost(*costs, ties=ties)
    assert point.threshold == equal[-1 if ties == "lowest" else 0]
    close(point.value, float(low))
    close(point.value, point.cost(*costs))
    if point.tp + point.fp == 0:
        assert point.threshold == INF
        assert "flag nothing" in point.note


def test_flag_nothing_is_an_answer(engine):
    t = rt.tally([1, 0, 0, 0], [4, 3, 2, 1], engine=engine)
    point = t.best_cost(cost_fp=1, cost_fn=1, cost_alert=5)
    assert (point.threshold, point.value, point.status) == (INF, 1.0, "ok")
    assert (point.tp, point.fp, point.tn, point.fn) == (0, 0, 3, 1)
    assert "every threshold costs more" in point.note
    point = t.best_cost(cost_fp=1, cost_fn=1)
    assert (point.threshold, point.value) == (4, 0.0)
    assert "flagging nothing costs 1" in point.note
    assert point.metric == "cost(cost_fp=1, cost_fn=1)"
    assert point.selected_on_same_data
    tied = rt.tally([0, 1], [2, 1], engine=engine)
    assert tied.best_cost(1, 1).threshold == 1
    assert tied.best_cost(1, 1, ties="highest").threshold == INF
    assert "no threshold costs less" in tied.best_cost(1, 1, ties="highest").note
    assert rt.tally([0, 0], [2, 1], engine=engine).best_cost(1, 1).value == 0.0
    empty = rt.tally([1], [np.nan], missing="worst").best_cost(1, 1)
    assert (empty.threshold, empty.value) == (INF, 1.0)
    with refused("cost_fp", "0"):
        t.best_cost(0, 0)
    with refused("cost_fn", -1):
        t.best_cost(1, -1)
    with refused("ties", "median"):
        t.best_cost(1, 1, ties="median")


def test_cost_threshold():
    assert rt.cost_threshold(1, 1) == 0.5
    assert rt.cost_threshold(1, 9) == 0.1
    assert rt.cost_threshold(cost_fp=5, cost_fn=20) == 0.2
    assert math.isnan(rt.cost_threshold(0, 0))
    assert rt.cost_threshold(0, 0, cost_alert=1) == INF
    assert rt.cost_threshold(1, 2, benefit_tp=2, cost_alert=1) == 0.4
    for wrong in (-1, NAN, INF, "1", None):
        with refused("cost_fp", wrong):
            rt.cost_threshold(wrong, 1)


def test_cost_threshold_is_the_cheapest_cut_of_calibrated_scores(engine):
    """Counts that are exactly as the probabilities say."""
    p = np.arange(1, 20) / 20
    t = rt.Tally.from_counts(p, np.arange(1, 20), 20 - np.arange(1, 20))
    for cost_fp, cost_fn in ((1, 1), (1, 3), (3, 1), (1, 9), (2, 3)):
        cut = rt.cost_threshold(cost_fp, cost_fn)
        found = t.best_cost(cost_fp, cost_fn)
        assert found.threshold == p[p >= cut - 1e-12][0]
