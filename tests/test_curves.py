"""Curves: their vertices, what may be left out of them, and their heights between vertices."""

from __future__ import annotations

import itertools
import math
import pickle
import time
from fractions import Fraction

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import samples

import ranktally as rt

KINDS = ["roc", "pr", "det", "gain", "lift"]
EVERY = pytest.mark.parametrize("kind", KINDS)
kinds = st.sampled_from(KINDS)


def tally(sample, engine, **options):
    return rt.tally(sample.labels, sample.scores, sample.weights, engine=engine, **options)


def curve_of(t: rt.Tally, kind: str) -> rt.Curve:
    return getattr(t, f"{kind}_curve")()


def exact_points(sample, kind: str) -> list[tuple[Fraction | None, Fraction | None]]:
    """Both coordinates of each vertex by their definitions."""
    labels, scores, weights = sample.lists
    n_pos, n_neg = naive.totals(labels, weights)
    found = []
    for _, tp, fp in naive.vertices(labels, scores, weights)[kind in ("pr", "lift") :]:
        c = naive.Counts(tp, fp, n_pos - tp, n_neg - fp)
        names = {
            "roc": ("fpr", "recall"),
            "pr": ("recall", "precision"),
            "det": ("fpr", "fnr"),
            "gain": ("predicted_positive_rate", "recall"),
            "lift": ("predicted_positive_rate", "lift"),
        }[kind]
        found.append(tuple(naive.MEASURES[name](c) for name in names))
    return found


@given(samples(), kinds)
def test_vertices(engine, sample, kind):
    curve = curve_of(tally(sample, engine), kind)
    expected = exact_points(sample, kind)
    for axis, got in enumerate((curve.x, curve.y)):
        wanted = [naive.as_float(point[axis]) for point in expected]
        np.testing.assert_allclose(got, wanted, rtol=4e-16)


@given(samples(weights="real", both=True), kinds)
def test_vertices_of_real_weights(engine, sample, kind):
    curve = curve_of(tally(sample, engine), kind)
    expected = np.array(exact_points(sample, kind), dtype=float)
    np.testing.assert_allclose(curve.x, expected[:, 0], rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(curve.y, expected[:, 1], rtol=1e-13, atol=1e-14)


@EVERY
def test_ends(engine, kind):
    t = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35], engine=engine)
    curve = curve_of(t, kind)
    first, last = ((curve.x[k], curve.y[k]) for k in (0, -1))
    assert last == {"det": (1, 0), "pr": (1, 0.5)}.get(kind, (1, 1))
    if kind in ("roc", "gain", "det"):
        assert first == {"det": (0, 1)}.get(kind, (0, 0))
        assert curve.threshold[0] == np.inf
        assert curve.n_predicted[0] == 0
    assert (np.diff(curve.x) >= 0).all()
    assert not any(getattr(curve, name).flags.writeable for name in ("x", "y", "tp", "threshold"))
    assert len(curve) == curve.threshold.size == curve.tp.size
    assert kind == "pr" or f"{curve.y_name} over {curve.x_name}" in repr(curve)


@EVERY
def test_missing_scores_rank_last_without_a_threshold(engine, kind):
    t = rt.tally([1, 0, 1, 0], [0.9, 0.5, np.nan, np.nan], missing="worst", engine=engine)
    curve = curve_of(t, kind)
    assert math.isnan(curve.threshold[-1])
    assert (curve.tp[-1], curve.fp[-1]) == (2, 2)
    assert np.isfinite(curve.threshold[:-1][curve.n_predicted[:-1] > 0]).all()
    rows = curve.frame().to_dict()
    assert rows[-1]["threshold"] is None
    assert rows[-1]["n_predicted"] == 4


@EVERY
@pytest.mark.parametrize("label", [0, 1])
def test_one_class(engine, kind, label):
    t = rt.tally([label] * 3, [0.9, 0.5, 0.1], engine=engine)
    curve = curve_of(t, kind)
    missing = {
        ("roc", 0): "y", ("roc", 1): "x", ("det", 0): "y", ("det", 1): "x", ("pr", 0): "x",
        ("gain", 0): "y", ("lift", 0): "y",
    }  # fmt: skip
    for axis in "xy":
        undefined = np.isnan(getattr(curve, axis)).all()
        assert undefined == (missing.get((kind, label)) == axis)
    if (kind, label) in missing:
        short = curve.reduce(2)
        assert len(short) == 2
        assert math.isnan(short.max_error) or len(curve.reduce()) == 2
        assert np.isnan(curve.interpolate([0.0, 0.5])).all()


# --- fewer points -----------------------------------------------------------------------------


def is_subset(short: rt.Curve, full: rt.Curve) -> list[int]:
    """Indices of the kept points, which are points of the full curve with both its ends."""
    places = {(tp, fp): k for k, (tp, fp) in enumerate(zip(full.tp, full.fp, strict=True))}
    kept = [places[tp, fp] for tp, fp in zip(short.tp, short.fp, strict=True)]
    assert kept == sorted(set(kept))
    assert kept[0] == 0
    assert kept[-1] == len(full) - 1
    for name in ("x", "y", "threshold", "n_predicted"):
        np.testing.assert_array_equal(getattr(short, name), getattr(full, name)[kept])
    return kept


def distances(full: rt.Curve, kept: list[int]) -> list[Fraction]:
    """Exact vertical distance of every vertex from the chord above it."""
    x, y = ([Fraction(v) for v in axis.tolist()] for axis in (full.x, full.y))
    found = []
    for i, j in itertools.pairwise(kept):
        for k in range(i, j + 1):
            if x[i] == x[j]:
                low, high = min(y[i], y[j]), max(y[i], y[j])
                found.append(max(low - y[k], y[k] - high, Fraction(0)))
            else:
                found.append(abs(y[k] - y[i] - (y[j] - y[i]) * (x[k] - x[i]) / (x[j] - x[i])))
    return found or [Fraction(0)]


@given(samples(both=True, weights=None, max_size=40), kinds)
def test_lossless_reduction(engine, sample, kind):
    full = curve_of(tally(sample, engine), kind)
    short = full.reduce()
    kept = is_subset(short, full)
    assert (short.max_error, short.area_error) == (0.0, 0.0)
    for i, j in itertools.pairwise(kept):
        a, b = (exact_points(sample, kind)[k] for k in (i, j))
        for k in range(i + 1, j):
            c = exact_points(sample, kind)[k]
            assert (b[0] - a[0]) * (c[1] - a[1]) == (c[0] - a[0]) * (b[1] - a[1])
            assert min(a[1], b[1]) <= c[1] <= max(a[1], b[1])
    for k in range(1, len(short) - 1) if kind in ("roc", "gain") else ():
        cross = int(short.tp[k] - short.tp[k - 1]) * int(short.fp[k + 1] - short.fp[k])
        assert cross != int(short.tp[k + 1] - short.tp[k]) * int(short.fp[k] - short.fp[k - 1])


def test_what_is_straight_on_each_curve():
    t = rt.tally([1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1], [9, 8, 7, 6, 5, 4, 3, 3, 2, 2, 1])
    kept = {kind: curve_of(t, kind).reduce().n_predicted.tolist() for kind in KINDS}
    assert kept == {
        "roc": [0, 3, 6, 10, 11],
        "det": [0, 3, 6, 8, 10, 11],  # a tie group is no straight line on normal deviates
        "gain": [0, 3, 6, 10, 11],
        "pr": [1, 3, 6, 10, 11],
        "lift": [1, 3, 4, 5, 6, 10, 11],  # falls as a hyperbola where recall stands still
    }
    level = rt.Tally.from_counts([4, 3, 2, 1], [1, 2, 3, 0], [2, 4, 6, 1])
    assert curve_of(level, "pr").reduce().n_predicted.tolist() == [3, 18, 19]
    assert curve_of(level, "lift").reduce().n_predicted.tolist() == [3, 18, 19]


@given(samples(both=True, weights=None, max_size=40))
def test_lossless_reduction_keeps_the_areas(engine, sample):
    t = tally(sample, engine)
    for kind in ("roc", "pr"):
        short = curve_of(t, kind).reduce()
        first = 0 if kind == "roc" else None
        tp, fp = ([*([0] if first is None else []), *map(int, c)] for c in (short.tp, short.fp))
        steps = list(itertools.pairwise(zip(tp, fp, strict=True)))
        if kind == "roc":
            twice = sum((f1 - f0) * (t1 + t0) for (t0, f0), (t1, f1) in steps)
            assert Fraction(twice, 2 * t.n_pos * t.n_neg) == naive.roc_auc(*sample.lists)
        else:
            area = sum(Fraction((t1 - t0) * t1, t1 + f1) for (t0, _), (t1, f1) in steps)
            assert area / t.n_pos == naive.average_precision(*sample.lists)


@given(samples(both=True, max_size=60), kinds, st.integers(2, 12))
def test_stated_error_bounds(engine, sample, kind, budget):
    full = curve_of(tally(sample, engine), kind)
    short = full.reduce(budget)
    assert len(short) <= max(budget, 2)
    worst = max(distances(full, is_subset(short, full)))
    if short.max_error == 0:
        # points that are straight in exact numbers, rounded
        assert worst <= Fraction(1, 10**15) * max(1, int(np.abs(full.y).max()))
    assert worst <= short.max_error or short.max_error == 0
    assert short.max_error <= worst + Fraction(1, 10**14) * max(1, int(np.abs(full.y).max()))
    change = np.trapezoid(short.y, short.x) - np.trapezoid(full.y, full.x)
    assert short.area_error == pytest.approx(change, abs=1e-14)


@given(samples(both=True, weights="real", max_size=40), kinds)
def test_reduction_of_real_weights(engine, sample, kind):
    full = curve_of(tally(sample, engine), kind)
    short = full.reduce()
    assert max(distances(full, is_subset(short, full))) <= Fraction(1, 10**14) * int(
        max(1, np.abs(full.y).max())
    )


def test_errors_of_two_reductions_add_up(engine):
    rng = np.random.default_rng(5)
    y = rng.random(3000) < 0.3
    full = rt.tally(y, rng.normal(size=3000) + y, engine=engine).roc_curve()
    once, twice = full.reduce(100), full.reduce(100).reduce(20)
    assert twice.max_error >= max(distances(full, is_subset(twice, full)))
    assert twice.max_error > once.max_error > 0
    change = np.trapezoid(twice.y, twice.x) - np.trapezoid(full.y, full.x)
    assert twice.area_error == pytest.approx(change, abs=1e-13)


@pytest.mark.parametrize("bad", [0, 1, -5, 2.5, True, "10", math.nan])
def test_max_points_is_checked(bad):
    curve = rt.tally([0, 1], [0.1, 0.2]).roc_curve()
    with pytest.raises(rt.InputError, match="`max_points`"):
        curve.reduce(bad)


@EVERY
def test_few_points_of_a_large_curve(engine, kind):
    rng = np.random.default_rng(8)
    n = 200_000
    y = rng.random(n) < 0.2
    full = curve_of(rt.tally(y, rng.normal(size=n) + y, engine=engine), kind)
    errors = []
    for budget in (50, 400, 3000):
        short = full.reduce(budget)
        kept = np.flatnonzero(np.isin(full.n_predicted, short.n_predicted))
        assert kept.size == len(short) <= budget
        worst = 0.0
        for i, j in itertools.pairwise(kept.tolist()):
            x, y_ = full.x[i : j + 1], full.y[i : j + 1]
            if x[-1] > x[0]:
                chord = y_[0] + (y_[-1] - y_[0]) * (x - x[0]) / (x[-1] - x[0])
                worst = max(worst, np.abs(y_ - chord).max())
        assert worst <= short.max_error <= worst + 1e-12
        errors.append(short.max_error)
    assert errors == sorted(errors, reverse=True)
    if kind == "roc":
        assert errors[-1] < 3e-4


@pytest.mark.big
def test_a_million_thresholds_are_quick():
    rng = np.random.default_rng(2)
    n = 1_000_000
    y = rng.random(n) < 0.1
    t = rt.tally(y, rng.normal(size=n) + y)
    start = time.perf_counter()
    for kind in KINDS:
        curve_of(t, kind).reduce(2000)
    t.partial_auc(fpr=(0, 0.1))
    for interpolation in ("linear", "davis_goadrich"):
        t.pr_auc(interpolation)
    t.eer(), t.break_even(), t.recall_at_fpr(0.01), t.precision_at_recall(0.5)
    assert time.perf_counter() - start < 20


@EVERY
def test_a_curve_of_nothing(kind):
    curve = curve_of(rt.Tally.from_counts([], [], []), kind)
    short = curve.reduce(5)
    assert len(short) == len(curve) == (0 if kind in ("pr", "lift") else 1)
    assert np.isnan(curve.interpolate([0.5])).all()
    assert len(curve.frame()) == len(curve)


def test_counts_whose_pairs_pass_int64():
    big = 2**31
    t = rt.Tally.from_counts([4, 3, 2, 1], [big, 0, 1, big], [0, big + 5, big, 0])
    short = t.roc_curve().reduce()
    assert short.tp.tolist() == [0, big, big, big + 1, 2 * big + 1]
    assert short.tp.dtype == np.int64
    exact = Fraction(big, 2 * big + 1) + Fraction(big, (2 * big + 1) * (2 * big + 5)) / 2
    assert t.partial_auc(fpr=(0, 1)).raw == pytest.approx(float(exact), rel=1e-14)
    assert t.eer() == pytest.approx(0.5, abs=1e-8)


# --- between the points -----------------------------------------------------------------------


@given(samples(both=True, max_size=30), st.lists(st.fractions(0, 1), min_size=1, max_size=8))
def test_heights_of_the_roc_curve(engine, sample, grid):
    t = tally(sample, engine)
    xs = [float(x) for x in grid]
    points = exact_points(sample, "roc")
    expected = [float(naive.height(points, Fraction(x))) for x in xs]
    # a step may stand at a share that no float hits: look at the vertices themselves below
    away = [all(abs(x - float(p[0])) > 1e-9 for p in points) for x in xs]
    got = t.roc_curve().interpolate(xs)
    np.testing.assert_allclose(got[away], np.array(expected)[away], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(t.det_curve().interpolate(xs), 1 - got, atol=1e-13)


@given(samples(both=True, max_size=30), kinds)
def test_heights_over_vertices(engine, sample, kind):
    curve = curve_of(tally(sample, engine), kind)
    best = np.minimum if kind == "det" else np.maximum
    expected = [best.reduce(curve.y[curve.x == x]) for x in curve.x]
    np.testing.assert_array_equal(curve.interpolate(curve.x), expected)


def test_heights_between_points_of_precision(engine):
    """Counts grow together inside a tie group, as in the paper's table 1."""
    t = rt.Tally.from_counts([3, 2, 1], pos=[5, 5, 10], neg=[5, 25, 0])
    curve = t.pr_curve()
    got = curve.interpolate([0.1, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5])
    expected = [0.5, 0.5, 6 / 16, 7 / 22, 8 / 28, 9 / 34, 10 / 40]
    np.testing.assert_allclose(got, expected, rtol=1e-14)
    assert isinstance(curve.interpolate(0.3), float)


def test_heights_left_of_the_first_point(engine):
    t = rt.tally([0, 1, 1, 0], [0.9, 0.8, 0.8, 0.1], engine=engine)
    assert t.pr_curve().interpolate(0.0) == 0.0  # a negative on top: recall 0, precision 0
    assert t.lift_curve().interpolate([0, 0.1]).tolist() == [0.0, 0.0]
    t = rt.tally([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], engine=engine)
    assert t.lift_curve().interpolate([0, 0.1]).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, "0.5", [0.5, None], [0.2, math.inf]])
def test_grid_is_checked(bad):
    curve = rt.tally([0, 1], [0.1, 0.2]).roc_curve()
    with pytest.raises(rt.InputError, match="`x`"):
        curve.interpolate(bad)


# --- the forms of a curve ---------------------------------------------------------------------


@EVERY
def test_frame(engine, kind):
    t = rt.tally([0, 1, 1, 0], np.float32([0.1, 0.4, 0.35, 0.35]), engine=engine)
    curve = curve_of(t, kind)
    table = pa.table(curve.frame())
    assert table.column_names == [
        curve.x_name, curve.y_name, "threshold", "n_predicted", "tp", "fp",
    ]  # fmt: skip
    assert table.column(1).to_pylist() == curve.y.tolist()
    assert table.column("threshold").type == pa.float32()
    assert table.column("tp").type == pa.int64()


def test_frame_of_integers_that_no_float_holds(engine):
    t = rt.tally([0, 1], np.array([2**53, 2**53 + 1]), engine=engine)
    curve = t.roc_curve()
    assert curve.threshold.tolist() == [math.inf, 2**53 + 1, 2**53]
    assert curve.frame().to_arrow().column("threshold").type == pa.float64()
    assert curve.reduce().threshold.tolist() == [math.inf, 2**53 + 1, 2**53]


def test_pickle(engine):
    curve = rt.tally([0, 1, 1], [0.1, 0.4, 0.35], engine=engine).roc_curve()
    again = pickle.loads(pickle.dumps(curve))
    assert again.y.tolist() == curve.y.tolist()
    assert not again.y.flags.writeable
    assert again.reduce(2).max_error == curve.reduce(2).max_error


def test_det_curve_against_scikit_learn(engine):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    y = rng.random(500) < 0.3
    s = np.round(rng.normal(size=500) + y, 1)
    fpr, fnr, thresholds = metrics.det_curve(y, s)
    ours = rt.tally(y, s, engine=engine).det_curve()
    keep = np.isin(ours.threshold, thresholds)
    np.testing.assert_array_equal(ours.threshold[keep][::-1], thresholds)
    np.testing.assert_allclose(ours.x[keep][::-1], fpr, rtol=1e-15)
    np.testing.assert_allclose(ours.y[keep][::-1], fnr, rtol=1e-14, atol=1e-16)
