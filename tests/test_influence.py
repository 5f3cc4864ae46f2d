"""What a row contributes to an area: the closed forms against the definitions, row by row."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from refusals import refused
from strategies import Sample as Rows
from strategies import samples

from ranktally._engine import loops
from ranktally._influence import area_parts, influence, leave_one_out, placements
from ranktally._validate import (
    Sample,
    make_sample,
    read_labels,
    read_scores,
    read_weights,
    row_number,
)

AREAS = {"roc_auc": naive.roc_auc, "average_precision": naive.average_precision}
SLACK = 4e-15


def door(labels: Any, scores: Any, weights: Any = None, missing: str = "raise") -> Sample:
    return make_sample(
        read_labels(labels, 1, "y", row_number),
        read_scores(scores, "s", row_number, higher_is_better=True),
        None if weights is None else read_weights(weights, "w", row_number),
        missing=missing, label_name="y", score_name="s", locate=row_number,
    )  # fmt: skip


def kept(rows: Rows) -> tuple[list[bool], list[Any], list[float] | None]:
    """Rows that weigh something, as lists."""
    if rows.weights is not None:
        rows = rows.rows(np.flatnonzero(rows.weights > 0))
    return rows.lists


def without(values: list[Any] | None, i: int) -> list[Any] | None:
    return None if values is None else [*values[:i], *values[i + 1 :]]


def near(got: np.ndarray, expected: list[Fraction | None], slack: float = SLACK) -> None:
    floats = [np.nan if x is None else float(x) for x in expected]
    np.testing.assert_allclose(got, floats, rtol=0, atol=slack)


@pytest.mark.parametrize("weights", [None, "integral", "real"])
def test_placements(engine, weights):
    @given(samples(both=True, weights=weights))
    def check(rows):
        y, s, w = kept(rows)
        found = placements(door(rows.labels, rows.scores, rows.weights), loops(engine, 1))
        # A positive alone against all negatives has its placement for an area.
        expected = []
        for i in range(len(y)):
            pick = [i, *(j for j in range(len(y)) if y[j] != y[i])]
            mass = None if w is None else [w[j] for j in pick]
            expected.append(naive.roc_auc([y[j] for j in pick], [s[j] for j in pick], mass))
        near(found.value, expected)
        assert found.estimate == pytest.approx(float(naive.roc_auc(y, s, w)), abs=1e-15)

    check()


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@pytest.mark.parametrize("metric", AREAS)
def test_leave_one_out(engine, metric, weights):
    if metric == "average_precision" and weights:
        with refused("average precision", "weights"):
            leave_one_out(door([0, 1], [1, 2], [1, 2]), metric, loops(engine, 1))
        return

    @given(samples(weights=weights))
    def check(rows):
        y, s, w = kept(rows)
        if not y:
            return
        sample = door(rows.labels, rows.scores, rows.weights)
        found = leave_one_out(sample, metric, loops(engine, 1))
        parts = [(without(y, i), without(s, i), without(w, i)) for i in range(len(y))]
        # Of a light row beside a heavy one little is left to subtract from: it loses digits.
        slack = SLACK if w is None else SLACK * sum(w) / min(w)
        near(found.value, [AREAS[metric](*part) for part in parts], slack)
        np.testing.assert_allclose(
            found.estimate, naive.as_float(AREAS[metric](y, s, w)), rtol=0, atol=1e-15
        )

    check()


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@pytest.mark.parametrize("metric", AREAS)
def test_influence_is_the_derivative_in_the_weights(engine, metric, weights):
    @given(samples(both=True, weights=weights, max_size=12))
    def check(rows):
        y, s, w = kept(rows)
        found = influence(door(rows.labels, rows.scores, rows.weights), metric, loops(engine, 1))
        mass = [Fraction(x) for x in (w or [1] * len(y))]
        expected = []
        for i, weight in enumerate(mass):
            ends = []
            for step in (1, -1):
                moved = [*mass[:i], weight * (1 + step * Fraction(1, 10**7)), *mass[i + 1 :]]
                ends.append(AREAS[metric](y, s, moved))
            expected.append((ends[0] - ends[1]) / 2 * 10**7)
        near(found.value, expected, 1e-12)
        assert abs(found.value.sum()) <= 1e-14 * len(y)

    check()


@pytest.mark.parametrize("metric", AREAS)
def test_influence_gives_the_standard_error_of_the_jackknife(engine, metric):
    rng = np.random.default_rng(4)
    y = (rng.random(2000) < 0.3).astype(int)
    sample = door(y, (rng.normal(y, 1.0)).round(1))
    gaps = leave_one_out(sample, metric, loops(engine, 1)).value
    jackknife = np.sqrt((len(y) - 1) / len(y) * np.square(gaps - gaps.mean()).sum())
    found = influence(sample, metric, loops(engine, 1)).value
    assert np.sqrt(np.square(found).sum()) == pytest.approx(jackknife, rel=0.01)


def test_missing_scores_rank_last(engine):
    y, s = [1, 0, 1, 0, 1], [0.9, None, 0.4, 0.5, None]
    sample = door(y, s, missing="worst")
    found = leave_one_out(sample, "average_precision", loops(engine, 1))
    near(found.value, [naive.average_precision(without(y, i), without(s, i)) for i in range(5)])
    near(placements(sample, loops(engine, 1)).value, [
        Fraction(1), Fraction(5, 6), Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
    ])  # fmt: skip


def test_a_class_without_rows(engine):
    for labels in ([1, 1], [0, 0]):
        sample = door(labels, [0.1, 0.2])
        out = np.zeros(2)
        assert np.isnan(area_parts(sample, loops(engine, 1), 1, out))
        assert np.isnan(out).all()
        for call in (influence, leave_one_out):
            assert np.isnan(call(sample, "roc_auc", loops(engine, 1)).value).all()


@pytest.mark.parametrize("call", [influence, leave_one_out])
def test_metrics_without_a_closed_form(engine, call):
    with refused("'ks'", "roc_auc", "average_precision"):
        call(door([0, 1], [1, 2]), "ks", loops(engine, 1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.big
def test_engines_and_threads_agree(engine, dtype, weighted):
    rng = np.random.default_rng(9)
    n = 140_000
    y = (rng.random(n) < 0.2).astype(int)
    s = (1000 * rng.normal(0.5 * y, 1.0)).round().astype(dtype)
    sample = door(y, s, rng.random(n) if weighted else None)
    first = influence(sample, "average_precision", loops(engine, 1), 1)
    for threads in (2, 3):
        other = influence(sample, "average_precision", loops(engine, 1), threads)
        assert other.value.tobytes() == first.value.tobytes()
    plain = influence(sample, "average_precision", loops("numpy", 1), 1)
    assert plain.value.tobytes() == first.value.tobytes()
