"""What a row contributes to a metric: against weights moved by hand and rows left out, exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import samples
from test_influence import door, kept, without

import ranktally as rt
from ranktally._contributions import (
    bca_values,
    cell_counts,
    cell_derivatives,
    cell_influence,
    is_smooth,
    row_influence,
)
from ranktally._engine import loops
from ranktally._intervals import acceleration
from ranktally._requests import parse_metric, read_measure

NONE = np.empty(0)
AT_A_CUT = {
    **{name: lambda c, f=f: f(c) for name, f in naive.MEASURES.items()},
    "roc_distance": naive.roc_distance,
    "expected_cost(1, 5)": partial(naive.expected_cost, cost_fp=1, cost_fn=5),
}
OF_SCORES = {
    "roc_auc": naive.roc_auc,
    "gini": naive.gini,
    "average_precision": naive.average_precision,
    "average_precision_at_prevalence(0.125)": partial(
        naive.average_precision_at_prevalence, prevalence=0.125
    ),
}
LOSSES = {"brier": naive.brier, "log_loss": naive.log_loss}


def moved(measure: Any, y: list[Any], s: list[Any], w: list[Any] | None, step: Any) -> list[float]:
    """Derivative of a naive measure in each row's weight, times the weight."""
    mass = [Fraction(x) for x in (w or [1] * len(y))]
    found = []
    for i, weight in enumerate(mass):
        ends = [
            measure(y, s, [*mass[:i], weight * (1 + sign * step), *mass[i + 1 :]])
            for sign in (1, -1)
        ]
        exact = all(isinstance(x, (Fraction, int)) for x in ends)
        found.append(float((ends[0] - ends[1]) / 2 / step) if exact else math.nan)
    return found


def influence_of(rows: Any, metric: str, engine: str, cuts: Any = NONE, **door_options: Any):
    sample = door(rows.labels, rows.scores, rows.weights, **door_options)
    return row_influence(sample, parse_metric(metric), np.asarray(cuts), loops(engine, 1))


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@pytest.mark.parametrize("metric", OF_SCORES)
def test_influence_of_areas(engine, metric, weights):
    @given(samples(weights=weights, max_size=10))
    def check(rows):
        y, s, w = kept(rows)
        if y:
            found = influence_of(rows, metric, engine)
            assert found.shape == (len(y), 1)
            expected = moved(OF_SCORES[metric], y, s, w, Fraction(1, 10**7))
            np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=2e-12)

    check()


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@pytest.mark.parametrize("metric", LOSSES)
def test_influence_of_losses(engine, metric, weights):
    @given(samples(("float32", "float64", "bool"), weights=weights, max_size=10), st.booleans())
    def check(rows, squeeze):
        if squeeze and rows.scores.dtype.kind == "f":
            with np.errstate(over="ignore"):
                squeezed = (1 / (1 + np.exp(-rows.scores.clip(-80, 80)))).astype(rows.scores.dtype)
            rows = type(rows)(rows.labels, squeezed, rows.weights)
        y, s, w = kept(rows)
        if not y:
            return
        measure = LOSSES[metric]
        slack = 1e-12
        if metric == "log_loss":  # which is computed in floats
            kind = rows.scores.dtype
            clip = float(np.finfo(kind if kind.kind == "f" else float).eps)
            measure, slack = partial(measure, clip=clip), 2e-7
        expected = moved(measure, y, s, w, Fraction(1, 10**7))
        np.testing.assert_allclose(
            influence_of(rows, metric, engine)[:, 0], expected, rtol=0, atol=slack
        )

    check()


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@pytest.mark.parametrize("metric", AT_A_CUT)
def test_influence_at_thresholds(metric, weights):
    @given(samples(("float32", "int8", "bool"), weights=weights, max_size=10), st.data())
    def check(rows, data):
        y, s, w = kept(rows)
        if not y:
            return
        cuts = data.draw(st.lists(st.sampled_from(s), min_size=1, max_size=3, unique=True))
        found = influence_of(rows, metric, "numpy", np.asarray(cuts, rows.scores.dtype))
        assert found.shape == (len(y), len(cuts))
        for k, cut in enumerate(cuts):
            values = [float(x) if isinstance(x, (float, Fraction)) else math.nan
                      for x in [AT_A_CUT[metric](naive.counts(y, s, cut, w))]]  # fmt: skip
            size = max(1.0, abs(values[0])) if math.isfinite(values[0]) else 1.0
            expected = moved(
                lambda y, s, w, cut=cut: AT_A_CUT[metric](naive.counts(y, s, cut, w)),
                y, s, w, Fraction(1, 10**7),
            )  # fmt: skip
            np.testing.assert_allclose(found[:, k], expected, rtol=0, atol=4e-12 * size)
            if metric != "expected_cost(1, 5)" and np.isfinite(expected).all():
                assert abs(found[:, k].sum()) < 1e-11 * size * len(y)

    check()


def exact_slopes(name: str, counts: tuple[int, int, int, int]) -> list[float]:
    """Derivatives of a naive measure in tp, fp, tn and fn, by tiny steps in fractions."""
    tp, fp, tn, fn = map(Fraction, counts)
    found = []
    for cell in range(4):
        step = Fraction(counts[cell], 10**12)
        ends = []
        for sign in (1, -1):
            c = [tp, fp, tn, fn]
            c[cell] += sign * step
            ends.append(AT_A_CUT[name](naive.Counts(tp=c[0], fp=c[1], tn=c[2], fn=c[3])))
        found.append(float((ends[0] - ends[1]) / 2 / step))
    return found


@pytest.mark.parametrize("name", AT_A_CUT)
@pytest.mark.parametrize(
    "counts",
    [(7, 3, 11, 5), (1, 1, 1, 1), (1, 10**6, 10**9, 3), (10**8 + 1, 10**4 + 7, 10**9, 10**8 - 1)],
)
def test_derivatives_in_the_counts(name, counts):
    request = parse_metric(name)
    found = cell_derivatives(request, tuple(np.asarray([x]) for x in counts))[:, 0]
    exact = exact_slopes(name, counts)
    tp, fp, tn, fn = map(Fraction, counts)
    size = abs(float(AT_A_CUT[name](naive.Counts(tp=tp, fp=fp, tn=tn, fn=fn))))
    size = max(size, np.abs(np.multiply(exact, counts)).max())
    assert np.abs((found - exact) * np.asarray(counts)).max() <= 2e-12 * size


def test_derivatives_by_hand():
    counts = tuple(np.asarray([x]) for x in (6, 2, 9, 4))
    by_hand = {
        "precision": [2 / 64, -6 / 64, 0, 0],
        "f1": [2 / 18 - 2 * 12 / 18**2, -12 / 18**2, 0, -12 / 18**2],
        "diagnostic_odds_ratio": [9 / 8, -54 / 16, 6 / 8, -54 / 32],
    }
    for name, expected in by_hand.items():
        found = cell_derivatives(parse_metric(name), counts)[:, 0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    own = read_measure(lambda tp, fp, tn, fn: tp * fn - 3.0 * fp, "metrics")
    np.testing.assert_allclose(cell_derivatives(own, counts)[:, 0], [4, -3, 0, 6], atol=1e-10)


def test_a_perfect_metric_has_no_slope():
    counts = tuple(np.asarray([x]) for x in (7, 0, 1234567, 0))
    for name in ("precision", "f1", "mcc", "cohen_kappa", "geometric_mean", "roc_distance"):
        found = cell_derivatives(parse_metric(name), counts)[:, 0]
        assert found[[0, 2]].tolist() == [0.0, 0.0], name
        assert np.isnan(found[[1, 3]]).all()


@given(samples(weights="real"), st.data())
def test_cells_of_rows(rows, data):
    """Any type of score, thresholds of any size: the rows in a cell weigh what the tally says."""
    if rows.weights is not None and not (rows.weights > 0).any():
        return
    sample = door(rows.labels, rows.scores, rows.weights)
    near = st.sampled_from([rows.scores[0].item(), 0, -0.0, 0.5, -3, 2**60, np.inf, -np.inf])
    cut = data.draw(near)
    cuts = np.asarray([cut])
    counts = cell_counts(sample, cuts, loops("numpy", 1))
    for cell, count in enumerate(counts):
        value = np.zeros(4)
        value[cell] = 1.0
        assert cell_influence(sample, cuts, value).sum() == pytest.approx(count[0], rel=1e-12)


# -- a row left out ------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["roc_auc", "gini", "average_precision"])
def test_areas_without_a_row(engine, metric):
    @given(samples(both=True))
    def check(rows):
        y, s, _ = rows.lists
        found = bca_values(door(y, rows.scores), parse_metric(metric), NONE, loops(engine, 1))
        expected = [
            -naive.as_float(OF_SCORES[metric](without(y, i), without(s, i))) for i in range(len(y))
        ]
        np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-14)

    check()


@pytest.mark.parametrize("metric", AT_A_CUT)
def test_measures_without_a_row(metric):
    @given(samples(("float32", "int8"), max_size=12), st.data())
    def check(rows, data):
        y, s, _ = rows.lists
        cut = data.draw(st.sampled_from(s))
        sample = door(rows.labels, rows.scores)
        cuts = np.asarray([cut], rows.scores.dtype)
        found = bca_values(sample, parse_metric(metric), cuts, loops("numpy", 1))
        expected = [
            -naive.as_float(AT_A_CUT[metric](naive.counts(without(y, i), without(s, i), cut)))
            for i in range(len(y))
        ]
        np.testing.assert_allclose(found[:, 0], expected, rtol=1e-14, atol=1e-14)

    check()


@pytest.mark.parametrize("metric", LOSSES)
def test_acceleration_of_losses_is_that_of_rows_left_out(engine, metric):
    rng = np.random.default_rng(1)
    y, p = (rng.random(40) < 0.3).astype(int), rng.random(40)
    found = bca_values(door(y, p), parse_metric(metric), NONE, loops(engine, 1))
    left = np.asarray([
        -float(LOSSES[metric](without(y.tolist(), i), without(p.tolist(), i))) for i in range(40)
    ])  # fmt: skip
    exact = acceleration(left - left.mean())
    assert acceleration(found[:, 0] - found.mean()) == pytest.approx(exact, rel=1e-9)


def test_with_weights_it_is_the_influence(engine):
    y, s, w = [1, 0, 1, 0, 1], [0.9, 0.7, 0.4, 0.5, 0.2], [1.0, 2.0, 0.5, 3.0, 1.0]
    for name in ("roc_auc", "f1", "average_precision", "brier"):
        call = (door(y, s, w), parse_metric(name), np.asarray([0.45]), loops(engine, 1))
        assert bca_values(*call).tobytes() == row_influence(*call).tobytes()


# -- which metrics, and odd rows -----------------------------------------------------------------


def test_every_metric_is_smooth_or_told_apart(engine):
    rough = {
        "ks", "precision_at_k(5)", "recall_at_k(5)", "lift_at_k(5)", "partial_auc(fpr=(0, 0.1))",
        'pr_auc("linear")', "eer", "break_even", "recall_at_fpr(0.1)", "recall_at_specificity(0.9)",
        "specificity_at_recall(0.9)", "recall_at_precision(0.5)", "precision_at_recall(0.5)",
        "ece", "mce",
    }  # fmt: skip
    sample = door([0, 1, 1], [0.1, 0.2, 0.3])
    for name in rough:
        request = parse_metric(name)
        assert not is_smooth(request)
        for call in (row_influence, bca_values):
            assert call(sample, request, NONE, loops(engine, 1)) is None
    smooth = {parse_metric(x).metric.name for x in [*AT_A_CUT, *OF_SCORES, *LOSSES]}
    assert smooth | {parse_metric(x).metric.name for x in rough} == set(rt.METRICS)


def test_missing_scores_rank_last(engine):
    y, s = [1, 0, 1, 0, 1], [0.9, None, 0.4, 0.5, None]
    sample = door(y, s, missing="worst")
    for name, measure in OF_SCORES.items():
        found = row_influence(sample, parse_metric(name), NONE, loops(engine, 1))
        if "prevalence" not in name:
            expected = moved(measure, y, s, None, Fraction(1, 10**7))
            np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-12)
    cuts = np.asarray([-np.inf, 0.45])
    found = row_influence(sample, parse_metric("recall"), cuts, loops(engine, 1))
    np.testing.assert_allclose(found[:, 0] * 9, [1, 0, 1, 0, -2], atol=1e-11)
    np.testing.assert_allclose(found[:, 1] * 9, [2, 0, -1, 0, -1], atol=1e-11)
    assert np.isnan(row_influence(sample, parse_metric("brier"), NONE, loops(engine, 1))).all()


def test_nothing_to_move(engine):
    sample = door([0, 0], [0.1, 0.9])
    for name in ("roc_auc", "average_precision", "recall", "average_precision_at_prevalence(0.5)"):
        found = row_influence(sample, parse_metric(name), np.asarray([0.5]), loops(engine, 1))
        assert np.isnan(found).all(), name
    infinite = door([0, 1, 1], [0.1, 0.8, 0.2])
    for name in ("diagnostic_odds_ratio", "positive_likelihood_ratio"):
        found = row_influence(infinite, parse_metric(name), np.asarray([0.5]), loops(engine, 1))
        assert np.isnan(found).all(), name


def test_a_callers_function_may_answer_to_the_scale():
    rows = door([1, 1, 0, 0, 1], [0.9, 0.2, 0.7, 0.1, 0.6])
    request = read_measure(lambda tp, fp, tn, fn: 5 * tp - 2 * fp, "metrics")
    found = row_influence(rows, request, np.asarray([0.5]), loops("numpy", 1))
    np.testing.assert_allclose(found[:, 0], [5, 0, -2, 0, 5], atol=1e-10)
