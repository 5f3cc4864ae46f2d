"""Laws that hold for every sample, against the textbook sentence in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sameness import same
from strategies import FLOATS, SCORE_DTYPES, samples, splits

import ranktally as rt

# Hypothesis calls one test many times; the engine fixture lives for the session, so that is safe.


def tally(sample, engine, **options):
    return rt.tally(sample.labels, sample.scores, sample.weights, engine=engine, **options)


@given(samples())
def test_counts(engine, sample):
    t = tally(sample, engine)
    labels, scores, _ = sample.lists
    expected = naive.thresholds(scores)
    assert [x == e for x, e in zip(t.threshold.tolist(), expected, strict=True)]
    for i, threshold in enumerate(expected):
        assert t.threshold[i].item() == threshold
        assert (t.tp[i], t.fp[i]) == naive.counts(labels, scores, threshold)[:2]


@given(samples())
def test_auc_is_the_exact_fraction_rounded_once(engine, sample):
    labels, scores, _ = sample.lists
    expected = naive.as_float(naive.roc_auc(labels, scores))
    np.testing.assert_equal(tally(sample, engine).roc_auc(), expected)


@given(samples())
def test_average_precision(engine, sample):
    labels, scores, _ = sample.lists
    exact, got = naive.average_precision(labels, scores), tally(sample, engine).average_precision()
    if exact is None:
        assert math.isnan(got)
    else:
        assert abs(Fraction(got) - exact) <= Fraction(1, 10**15)


@given(samples())
def test_gini_and_ks(engine, sample):
    labels, scores, _ = sample.lists
    t = tally(sample, engine)
    for name in ("gini", "ks"):
        expected = naive.as_float(naive.RANKINGS[name](labels, scores))
        assert getattr(t, name)() == pytest.approx(expected, abs=1e-15, nan_ok=True)


@given(samples(FLOATS, both=True))
def test_negated_scores_give_the_rest_of_the_area(engine, sample):
    up = rt.tally(sample.labels, sample.scores, engine=engine).roc_auc()
    down = rt.tally(sample.labels, -sample.scores, engine=engine).roc_auc()
    turned = rt.tally(sample.labels, sample.scores, higher_is_better=False, engine=engine).roc_auc()
    assert up + down == 1
    assert turned == down


@given(samples())
def test_point_equals_curve(engine, sample):
    t = tally(sample, engine)
    points = t.at(t.threshold)
    assert points.tp.tolist() == t.tp.tolist()
    assert points.fp.tolist() == t.fp.tolist()
    roc, pr = t.roc_curve(), t.pr_curve()
    np.testing.assert_array_equal(points.fpr, roc.x[1:])
    np.testing.assert_array_equal(points.recall, roc.y[1:])
    np.testing.assert_array_equal(points.recall, pr.x)
    np.testing.assert_array_equal(points.precision, pr.y)
    for i, threshold in enumerate(t.threshold):
        assert (t.at(threshold).tp, t.at(threshold).fp) == (t.tp[i], t.fp[i])
        assert t.at(threshold.item()).tp == t.tp[i]
    assert roc.n_predicted[0] == 0
    assert roc.n_predicted[1:].tolist() == (t.tp + t.fp).tolist()


@given(samples(("float64", "int64", "uint64", "int8", "bool")), st.data())
def test_cut_anywhere(engine, sample, data):
    labels, scores, _ = sample.lists
    cut = data.draw(st.one_of(st.floats(allow_nan=False), st.integers(-(2**70), 2**70)))
    if sample.scores.dtype.kind == "f":
        cut = float(cut)
    c = tally(sample, engine).at(cut)
    assert (c.tp, c.fp, c.fn, c.tn) == naive.counts(labels, scores, cut)


@given(samples(("float16", "float32")), st.data())
def test_cut_is_rounded_to_single_precision(engine, sample, data):
    labels, scores, _ = sample.lists
    limit = float(np.finfo(np.float32).max)
    cut = data.draw(st.one_of(st.floats(-limit, limit), st.sampled_from([math.inf, -math.inf])))
    c = tally(sample, engine).at(cut)
    assert (c.tp, c.fp, c.fn, c.tn) == naive.counts(labels, scores, float(np.float32(cut)))


@given(samples(), st.data())
def test_merge_of_any_split_in_any_order(engine, sample, data):
    parts = data.draw(splits(len(sample.labels)))
    whole = tally(sample, engine)
    kind = whole.threshold.dtype
    pieces = [
        tally(sample.rows(index), engine)
        if len(index)
        else rt.Tally.from_counts(np.array([], dtype=kind), [], [])
        for index in parts
    ]
    merged = reduce(lambda a, b: a.merge(b), pieces)
    assert same(merged, whole)
    other = reduce(lambda a, b: b.merge(a), pieces)
    assert same(other, whole)


@given(samples(), st.randoms(use_true_random=False))
def test_order_of_rows(engine, sample, random):
    order = list(range(len(sample.labels)))
    random.shuffle(order)
    assert same(tally(sample.rows(order), engine), tally(sample, engine))


@given(samples(weights="integral"))
def test_integral_weights_are_repeated_rows(engine, sample):
    t = tally(sample, engine)
    repeats = sample.weights.astype(int)
    if repeats.sum() == 0:
        assert len(t.threshold) == 0
        assert math.isnan(t.roc_auc())
        assert math.isnan(t.average_precision())
        return
    rows = rt.tally(
        np.repeat(sample.labels, repeats), np.repeat(sample.scores, repeats), engine=engine
    )
    assert t.threshold.tolist() == rows.threshold.tolist()
    assert t.tp.tolist() == rows.tp.tolist()
    assert t.fp.tolist() == rows.fp.tolist()
    assert (t.n_pos, t.n_neg) == (rows.n_pos, rows.n_neg)
    np.testing.assert_equal(t.roc_auc(), rows.roc_auc())
    np.testing.assert_equal(t.average_precision(), rows.average_precision())
    np.testing.assert_equal(t.ks(), rows.ks())


@given(samples(weights="real"))
def test_real_weights(engine, sample):
    labels, scores, weights = sample.lists
    t = tally(sample, engine)
    assert t.threshold.tolist() == naive.thresholds(scores, weights)
    assert t.tp.dtype == np.float64
    for got, exact in zip((t.n_pos, t.n_neg), naive.totals(labels, weights), strict=True):
        assert got == pytest.approx(float(exact), rel=1e-15)
    if len(t.threshold):
        assert (t.tp[-1], t.fp[-1]) == (t.n_pos, t.n_neg)
    assert (np.diff(t.tp, prepend=0) >= 0).all()
    assert (np.diff(t.fp, prepend=0) >= 0).all()
    auc = naive.as_float(naive.roc_auc(labels, scores, weights))
    ap = naive.as_float(naive.average_precision(labels, scores, weights))
    assert t.roc_auc() == pytest.approx(auc, abs=1e-14, nan_ok=True)
    assert t.average_precision() == pytest.approx(ap, abs=1e-14, nan_ok=True)
    assert not t.roc_auc() > 1
    assert not t.average_precision() > 1


@given(samples(FLOATS), st.data())
def test_missing_scores(engine, sample, data):
    n = len(sample.labels)
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    scores = np.where(gone, sample.scores.dtype.type(np.nan), sample.scores)
    labels, values = sample.labels.tolist(), scores.tolist()
    worst = rt.tally(sample.labels, scores, missing="worst", engine=engine)
    exact = naive.roc_auc(labels, values)
    np.testing.assert_equal(worst.roc_auc(), naive.as_float(exact))
    ap = naive.as_float(naive.average_precision(labels, values))
    assert worst.average_precision() == pytest.approx(ap, abs=1e-15, nan_ok=True)
    ks = naive.as_float(naive.ks(labels, values))
    assert worst.ks() == pytest.approx(ks, abs=1e-15, nan_ok=True)
    assert worst.n_nan == gone.sum()
    for cut in (-math.inf, 0.5):
        c = worst.at(cut)
        rounded = float(np.float32(cut))
        assert (c.tp, c.fp, c.fn, c.tn) == naive.counts(labels, values, rounded)
    omit = rt.tally(sample.labels, scores, missing="omit", engine=engine)
    kept = [i for i in range(n) if not gone[i]]
    left = naive.roc_auc([labels[i] for i in kept], [values[i] for i in kept])
    np.testing.assert_equal(omit.roc_auc(), naive.as_float(left))
    assert (omit.n_pos + omit.n_neg, omit.n_nan) == (len(kept), gone.sum())


@pytest.mark.parametrize("dtype", SCORE_DTYPES)
@given(data=st.data())
def test_a_monotone_map_changes_nothing(engine, dtype, data):
    sample = data.draw(samples((dtype,)))
    _, ranks = np.unique(sample.scores, return_inverse=True)
    plain, mapped = tally(sample, engine), rt.tally(sample.labels, ranks, engine=engine)
    assert plain.tp.tolist() == mapped.tp.tolist()
    assert plain.fp.tolist() == mapped.fp.tolist()
    np.testing.assert_equal(plain.roc_auc(), mapped.roc_auc())
    np.testing.assert_equal(plain.average_precision(), mapped.average_precision())


@given(samples(), st.data())
def test_saved_and_read_back(engine, sample, data):
    t = tally(sample, engine)
    assert same(rt.Tally.from_arrow(t.to_arrow()), t)
    pos, neg = np.diff(t.tp, prepend=0), np.diff(t.fp, prepend=0)
    order = data.draw(st.permutations(range(len(pos))))
    again = rt.Tally.from_counts(t.threshold[order], pos[order], neg[order])
    assert same(again, t)
