"""What a Tally holds and answers: counts, areas, cuts and curves, on any engine."""

from __future__ import annotations

import math
from fractions import Fraction

import naive
import numpy as np
import pytest
from refusals import answer
from sameness import same

import ranktally as rt

TIED = ([1, 1, 1, 0, 0, 0, 0], [0.9, 0.6, 0.4, 0.7, 0.4, 0.2, 0.1])
# --- counts and areas -------------------------------------------------------------------------


def test_counts_at_every_distinct_score(engine):
    t = rt.tally(*TIED, engine=engine)
    assert t.threshold.tolist() == [0.9, 0.7, 0.6, 0.4, 0.2, 0.1]
    assert t.tp.tolist() == [1, 1, 2, 3, 3, 3]
    assert t.fp.tolist() == [0, 1, 1, 2, 3, 4]
    assert t.tp.dtype == t.fp.dtype == np.int64
    assert (t.n_pos, t.n_neg, t.n_rows, t.n_null, t.n_nan) == (3, 4, 7, 0, 0)
    assert t.complete is True


def test_areas(engine):
    t = rt.tally(*TIED, engine=engine)
    assert t.roc_auc() == float(Fraction(19, 24))
    assert t.average_precision() == pytest.approx(34 / 45, abs=1e-15)
    assert t.gini() == pytest.approx(7 / 12, abs=1e-15)
    assert t.ks() == pytest.approx(0.5, abs=1e-15)
    for value in (t.roc_auc(), t.average_precision(), t.gini(), t.ks()):
        assert type(value) is float


def test_both_zeros_are_one_score(engine):
    t = rt.tally([1, 0, 1], [0.0, -0.0, -1.0], engine=engine)
    assert t.threshold.tolist() == [0.0, -1.0]
    assert (t.tp.tolist(), t.fp.tolist()) == ([1, 2], [1, 1])
    assert t.at(0.0).tp == t.at(-0.0).tp == 1


def test_the_sign_of_a_zero_threshold_does_not_depend_on_the_rows(engine):
    signs = {
        np.signbit(rt.tally(y, s, engine=engine).threshold[0]).item()
        for y in ([1, 0], [0, 1], [1, 1])
        for s in ([0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0])
    }
    assert signs == {False}


def test_one_class_is_undefined(engine):
    positives = rt.tally([1, 1, 1], [0.2, 0.5, 0.9], engine=engine)
    assert math.isnan(positives.roc_auc())
    assert math.isnan(positives.gini())
    assert math.isnan(positives.ks())
    assert positives.average_precision() == 1.0
    negatives = rt.tally([0, 0, 0], [0.2, 0.5, 0.9], engine=engine)
    for value in (negatives.roc_auc(), negatives.average_precision(), negatives.ks()):
        assert math.isnan(value)


def test_one_row(engine):
    t = rt.tally([1], [0.7], engine=engine)
    assert math.isnan(t.roc_auc())
    assert t.average_precision() == 1.0
    assert (t.threshold.tolist(), t.tp.tolist(), t.fp.tolist()) == ([0.7], [1], [0])


def test_infinite_scores_rank_and_tie(engine):
    y, s = [0, 1, 1, 0, 1], [math.inf, math.inf, math.inf, math.inf, 2.5]
    t = rt.tally(y, s, engine=engine)
    assert t.roc_auc() == float(Fraction(1, 3))
    assert t.threshold.tolist() == [math.inf, 2.5]
    assert t.at(math.inf).tp == 2


def test_more_pairs_than_int64_holds():
    """Exact, or an error that states the limit: never a number that wrapped around."""
    big = 2**40
    pos, neg = [big, 1, 7], [5, big, 11]
    t = rt.Tally.from_counts([3.0, 2.0, 1.0], pos, neg)
    won = sum(2 * p * sum(neg[i + 1 :]) + p * neg[i] for i, p in enumerate(pos))
    area = answer(t.roc_auc, "2**")
    assert area is None or area == float(Fraction(won, 2 * sum(pos) * sum(neg)))
    exact = naive.mcc(naive.Counts(*map(Fraction, (big + 1, big + 5, 7, 11))))
    assert t.at(2.0).mcc == pytest.approx(float(exact), rel=1e-14)


# --- cuts -------------------------------------------------------------------------------------


def test_scalar_in_scalars_out(engine):
    c = rt.tally(*TIED, engine=engine).at(0.4)
    assert (c.tp, c.fp, c.fn, c.tn) == (3, 2, 0, 2)
    for name in ("tp", "fp", "fn", "tn", "precision", "recall", "mcc"):
        assert np.ndim(getattr(c, name)) == 0
        assert isinstance(getattr(c, name), int | float | np.number)
    assert isinstance(c.tp, int | np.integer)


def test_array_in_arrays_out(engine):
    cuts = [0.4, math.inf, -1.0, 0.4, 0.65]
    c = rt.tally(*TIED, engine=engine).at(cuts)
    assert c.tp.tolist() == [3, 0, 3, 3, 1]
    assert c.fp.tolist() == [2, 0, 4, 2, 1]
    np.testing.assert_allclose(c.precision, [0.6, np.nan, 3 / 7, 0.6, 0.5], rtol=1e-15)
    assert rt.tally(*TIED, engine=engine).at([]).tp.shape == (0,)
    assert rt.tally(*TIED, engine=engine).at(np.array([0.4])).tp.shape == (1,)


@pytest.mark.parametrize("cut", [0.05, 0.4, 0.65, 0.9, 1.0])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4, 5, 6, 0.5]])
def test_every_measure_of_the_counts(engine, cut, weights):
    c = rt.tally(*TIED, weights, engine=engine).at(cut)
    exact = naive.counts(*TIED, cut, weights)
    for name, measure in naive.MEASURES.items():
        got = c.apply(name) if "(" in name else getattr(c, name)
        expected = naive.as_float(measure(exact))
        assert got == pytest.approx(expected, rel=1e-15, abs=1e-15, nan_ok=True), name


def test_f_beta_limits(engine):
    c = rt.tally(*TIED, engine=engine).at(0.4)
    assert c.fbeta(1) == c.f1
    assert c.fbeta(1e-9) == pytest.approx(c.precision, abs=1e-15)
    assert c.fbeta(1e9) == pytest.approx(c.recall, abs=1e-15)
    for beta in (-1.0, math.nan, math.inf):
        with pytest.raises(rt.InputError, match="beta"):
            c.fbeta(beta)


def test_undefined_measures_are_nan(engine):
    t = rt.tally(*TIED, engine=engine)
    nothing, everything = t.at(1.0), t.at(0.0)
    assert math.isnan(nothing.precision)
    assert nothing.f1 == nothing.recall == 0
    assert math.isnan(nothing.mcc)
    assert math.isnan(everything.npv)
    assert everything.precision == everything.prevalence
    no_negatives = rt.tally([1], [0.5], engine=engine).at(0.5)
    assert math.isnan(no_negatives.specificity)
    assert math.isnan(no_negatives.fpr)
    assert math.isnan(no_negatives.balanced_accuracy)
    no_positives = rt.tally([0], [0.5], engine=engine).at(0.9)
    for name in ("recall", "fnr", "precision", "f1", "jaccard", "mcc"):
        assert math.isnan(getattr(no_positives, name)), name
    assert no_positives.accuracy == 1


def test_threshold_is_rounded_to_single_precision(engine):
    scores = np.array([0.7, 0.7, 0.3], dtype=np.float32)
    t = rt.tally([1, 0, 1], scores, engine=engine)
    for cut in (0.7, np.float64(0.7), np.float32(0.7), [0.7], np.array([0.7])):
        assert np.max(t.at(cut).tp) == 1, cut
    assert t.at(np.nextafter(np.float32(0.7), np.float32(1))).tp == 0
    double = rt.tally([1, 0, 1], scores.astype(np.float64), engine=engine)
    assert double.at(0.7).tp == 0


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "bool"])
def test_fractional_cut_on_whole_scores(engine, dtype):
    t = rt.tally([1, 0, 1], np.array([1, 0, 0], dtype=dtype), engine=engine)
    assert [int(t.at(c).tp + t.at(c).fp) for c in (-0.5, 0.0, 0.5, 1.0, 1.5)] == [3, 3, 1, 1, 0]
    assert t.at(0.5).threshold == 0.5


def test_whole_cuts_are_exact(engine):
    edge = 2**53
    t = rt.tally([1, 0, 1], np.array([edge + 2, edge + 1, edge]), engine=engine)
    selected = {edge - 1: 3, edge: 3, edge + 1: 2, edge + 2: 1, edge + 3: 0}
    for cut, n in selected.items():
        assert t.at(cut).tp + t.at(cut).fp == n
        assert t.at([cut]).tp[0] + t.at(np.array([cut])).fp[0] == n
    assert t.at(float(edge)).tp + t.at(float(edge)).fp == 3
    assert t.at(float(edge) - 0.5).fp == 1
    assert t.at([edge + 1, 0.5]).tp.tolist() == [1, 2]
    assert t.at([edge + 2, -1, 2**63]).tp.tolist() == [1, 2, 0]


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_cuts_beyond_the_type(engine, dtype):
    info = np.iinfo(dtype)
    s = np.array([info.max, info.max - 1, info.min], dtype=dtype)
    t = rt.tally([1, 1, 1], s, engine=engine)
    cuts = [info.min - 1, info.min, info.max - 1, info.max, info.max + 1, -1e300, 1e300, 2.0**64]
    assert [int(t.at(c).tp) for c in cuts] == [3, 3, 2, 1, 0, 3, 0, 0]
    assert (t.at(math.inf).tp, t.at(-math.inf).tp) == (0, 3)


def test_cut_must_be_a_number(engine):
    t = rt.tally(*TIED, engine=engine)
    for bad in (math.nan, "0.5", None, [0.5, math.nan]):
        with pytest.raises(rt.InputError, match="threshold"):
            t.at(bad)


# --- curves -----------------------------------------------------------------------------------


def test_roc_curve(engine):
    t = rt.tally(*TIED, engine=engine)
    curve = t.roc_curve()
    assert curve.threshold.tolist() == [math.inf, *t.threshold.tolist()]
    np.testing.assert_allclose(curve.x, np.array([0, 0, 1, 1, 2, 3, 4]) / 4, rtol=0, atol=0)
    np.testing.assert_allclose(curve.y, np.array([0, 1, 1, 2, 3, 3, 3]) / 3, rtol=0, atol=0)
    assert curve.n_predicted.tolist() == [0, 1, 2, 3, 5, 6, 7]


def test_roc_curve_of_whole_numbers_starts_at_infinity(engine):
    curve = rt.tally([1, 0], [5, 4], engine=engine).roc_curve()
    assert [float(x) for x in curve.threshold] == [math.inf, 5, 4]


def test_roc_curve_of_large_whole_numbers_keeps_them_apart(engine):
    scores = [2**53 + 1, 2**53]
    curve = rt.tally([1, 0], scores, engine=engine).roc_curve()
    assert [int(x) for x in curve.threshold[1:]] == scores


def test_first_point_is_told_apart_from_an_infinite_score(engine):
    curve = rt.tally([1, 0], [math.inf, 0.0], engine=engine).roc_curve()
    assert curve.threshold.tolist() == [math.inf, math.inf, 0.0]
    assert (curve.n_predicted == 0).tolist() == [True, False, False]


def test_roc_curve_of_one_class(engine):
    curve = rt.tally([1, 1, 1], [0.2, 0.4, 0.9], engine=engine).roc_curve()
    assert np.isnan(curve.x).all()
    np.testing.assert_allclose(curve.y, [0, 1 / 3, 2 / 3, 1], rtol=1e-15)


def test_pr_curve(engine):
    t = rt.tally([1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.2], engine=engine)
    curve = t.pr_curve()
    assert curve.threshold.tolist() == [0.9, 0.8, 0.6, 0.4, 0.2]
    np.testing.assert_allclose(curve.x, [0.5, 0.5, 1, 1, 1], rtol=1e-15)
    np.testing.assert_allclose(curve.y, [1, 0.5, 2 / 3, 0.5, 0.4], rtol=1e-15)
    assert curve.n_predicted.tolist() == [1, 2, 3, 4, 5]


def test_pr_curve_without_positives(engine):
    curve = rt.tally([0, 0], [0.9, 0.8], engine=engine).pr_curve()
    assert np.isnan(curve.x).all()
    assert curve.y.tolist() == [0, 0]


def test_missing_scores_are_the_last_vertex(engine):
    t = rt.tally([1, 1, 0, 0], [0.9, math.nan, 0.5, math.nan], missing="worst", engine=engine)
    roc, pr = t.roc_curve(), t.pr_curve()
    np.testing.assert_array_equal(roc.threshold, [math.inf, 0.9, 0.5, math.nan])
    np.testing.assert_array_equal(pr.threshold, [0.9, 0.5, math.nan])
    assert (roc.x.tolist(), roc.y.tolist()) == ([0, 0, 0.5, 1], [0, 0.5, 0.5, 1])
    assert (pr.x.tolist(), pr.y.tolist()) == ([0.5, 0.5, 1], [1, 0.5, 0.5])


@pytest.mark.parametrize("missing", ["omit", "worst"])
def test_areas_are_those_of_the_curves(engine, missing):
    y = [1, 0, 1, 1, 0, 0, 1, 0]
    s = [0.9, math.nan, 0.4, 0.4, 0.4, 0.2, math.nan, 0.1]
    t = rt.tally(y, s, missing=missing, engine=engine)
    roc, pr = t.roc_curve(), t.pr_curve()
    assert t.roc_auc() == pytest.approx(np.trapezoid(roc.y, roc.x), abs=1e-15)
    steps = np.diff(pr.x, prepend=0) * pr.y
    assert t.average_precision() == pytest.approx(steps.sum(), abs=1e-15)
    assert t.ks() == pytest.approx(np.abs(roc.y - roc.x).max(), abs=1e-15)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_curve_thresholds_answer_point_queries(engine, dtype):
    edge = 2**53
    s = np.array([edge + 2, edge + 1, edge, 3], dtype=dtype)
    t = rt.tally([1, 0, 1, 0], s, engine=engine)
    for curve in (t.pr_curve(), t.roc_curve()):
        n = [int(t.at(cut).tp + t.at(cut).fp) for cut in curve.threshold]
        assert n == curve.n_predicted.tolist()


# --- engines and threads ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    n = 30_000
    y = rng.random(n) < 0.1
    s = np.round(rng.normal(size=n) + y, 3)
    return y, s, rng.integers(0, 4, n).astype(float)


@pytest.mark.big
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint64", "int8"])
def test_engines_and_threads_agree_to_the_byte(rows, dtype):
    y, s, w = rows
    scale = 1 if dtype.startswith("float") else 15
    s = (s * scale + (100 if dtype == "uint64" else 0)).astype(dtype)
    for weight in (None, w):
        base = rt.tally(y, s, weight, engine="numpy", threads=1)
        for name in ("numpy", "numba", "auto"):
            for threads in (1, 2, 3, None):
                t = rt.tally(y, s, weight, engine=name, threads=threads)
                assert same(t, base), (name, threads)
                assert t.roc_auc() == base.roc_auc()
                assert t.average_precision() == base.average_precision()
                assert t.ks() == base.ks()


@pytest.mark.big
def test_real_weights_do_not_depend_on_threads(rows, engine):
    y, s, w = rows
    w = w * 0.1 + 0.01
    base = rt.tally(y, s, w, engine=engine, threads=1)
    for threads in (2, 3):
        assert same(rt.tally(y, s, w, engine=engine, threads=threads), base)
    assert base.tp[-1] == base.n_pos
    assert base.fp[-1] == base.n_neg
    assert (np.diff(base.tp) >= 0).all()
    assert (np.diff(base.fp) >= 0).all()


@pytest.mark.big
def test_real_weights_against_exact_sums(rows, engine):
    y, s, w = (x[:3000] for x in rows)
    w = w * 0.1 + 0.01
    t = rt.tally(y, s, w, engine=engine)
    assert t.n_pos == math.fsum(w[y])
    assert t.n_neg == math.fsum(w[~y])
    won = total = Fraction(0)
    below = {}
    for weight, score in zip(w[~y].tolist(), s[~y].tolist(), strict=True):
        below[score] = below.get(score, Fraction(0)) + Fraction(weight)
    steps = sorted(below)
    sums = [Fraction(0)]
    for step in steps:
        sums.append(sums[-1] + below[step])
    for weight, score in zip(w[y].tolist(), s[y].tolist(), strict=True):
        left = int(np.searchsorted(steps, score))
        won += Fraction(weight) * (sums[left] + below.get(score, Fraction(0)) / 2)
        total += Fraction(weight) * sums[-1]
    assert t.roc_auc() == pytest.approx(float(won / total), abs=1e-14)


@pytest.mark.big
def test_auc_is_never_above_one(engine):
    n = 10_000
    y = np.arange(n) >= n // 3
    w = np.full(n, 0.1)
    t = rt.tally(y, np.arange(n, dtype=float), w, engine=engine)
    assert t.roc_auc() == 1.0
    assert t.average_precision() == 1.0
