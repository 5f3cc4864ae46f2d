"""The best k rows: four ways with ties, and the rows themselves."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import samples

import ranktally as rt

NAN = math.nan
TIES = ("expected", "optimistic", "pessimistic", "threshold")


def group_by_group(labels, scores, weights, room, ties):
    """Positives and size of the list, taken one tie group after the other."""
    w = [Fraction(1)] * len(labels) if weights is None else [Fraction(x) for x in weights]
    groups = [
        [(bool(y), x) for y, s, x in zip(labels, scores, w, strict=True) if s == t]
        for t in naive.thresholds(scores, weights)
    ]
    last = [(bool(y), x) for y, s, x in zip(labels, scores, w, strict=True) if naive.is_missing(s)]
    groups += [last] if sum(x for _, x in last) else []
    hits = size = Fraction(0)
    for group in groups:
        pos = sum((x for y, x in group if y), Fraction(0))
        all_ = sum((x for _, x in group), Fraction(0))
        left = room - size
        if left <= 0:
            break
        if ties == "threshold" or left >= all_:
            hits, size = hits + pos, size + all_
        else:
            part = {
                "expected": left * pos / all_,
                "optimistic": min(left, pos),
                "pessimistic": max(Fraction(0), left - (all_ - pos)),
            }[ties]
            return hits + part, size + left
    return hits, size


def agrees(found, hits, size, n_pos, n):
    assert found.tp == float(hits)
    assert found.n_selected == float(size)
    assert found.tp + found.fp == pytest.approx(float(size))
    for got, top, bottom in (
        (found.precision_at_k, hits, size),
        (found.recall_at_k, hits, n_pos),
        (found.lift, hits * n, size * n_pos),
    ):
        expected = float(top / bottom) if bottom else NAN
        np.testing.assert_equal(got, expected)
    np.testing.assert_equal(found.gain, found.recall_at_k)
    np.testing.assert_equal(found.capture, found.recall_at_k)


@pytest.mark.parametrize("weights", [None, "integral"])
@given(data=st.data())
def test_against_fractions(engine, weights, data):
    sample = data.draw(samples(weights=weights))
    labels, scores, w = sample.lists
    n_pos, n_neg = naive.totals(labels, w)
    t = rt.tally(sample.labels, sample.scores, sample.weights, engine=engine)
    for ties in TIES:
        k = data.draw(st.integers(1, len(labels) + 3))
        hits, size = group_by_group(labels, scores, w, Fraction(k), ties)
        agrees(t.top(k, ties=ties), hits, size, n_pos, n_pos + n_neg)
        share = data.draw(st.sampled_from(["0.1", "0.25", "0.333", "1"]))
        room = Fraction(share) * (n_pos + n_neg)
        hits, size = group_by_group(labels, scores, w, room, ties)
        agrees(t.top(fraction=float(share), ties=ties), hits, size, n_pos, n_pos + n_neg)


@given(samples(("int8",), max_size=7), st.integers(1, 7))
def test_expected_is_the_mean_over_all_orders(sample, k):
    labels, scores, _ = sample.lists
    k = min(k, len(labels))
    found = []
    for order in itertools.permutations(range(len(labels))):
        ranked = sorted(order, key=lambda i: -scores[i])
        found.append(sum(labels[i] for i in ranked[:k]))
    t = rt.tally(sample.labels, sample.scores)
    assert t.top(k).tp == float(Fraction(sum(found), len(found)))
    assert t.top(k, ties="optimistic").tp == max(found)
    assert t.top(k, ties="pessimistic").tp == min(found)
    assert rt.top_k(sample.labels, sample.scores, k, ties="optimistic").tp == max(found)
    assert rt.top_k(sample.labels, sample.scores, k, ties="pessimistic").tp == min(found)


@given(samples(max_size=16), st.integers(1, 18), st.sampled_from(["stable", "optimistic",
                                                                  "pessimistic"]))  # fmt: skip
def test_rows_are_those_of_a_stable_sort(sample, k, ties):
    labels, scores, _ = sample.lists
    first = {"stable": [0] * 2, "optimistic": [1, 0], "pessimistic": [0, 1]}[ties]
    order = sorted(range(len(labels)), key=lambda i: (-scores[i], first[labels[i]], i))[:k]
    found = rt.top_k(sample.labels, sample.scores, k, ties)
    assert found.rows.tolist() == order
    assert found.rows.dtype == np.int64
    assert found.tp == sum(labels[i] for i in order)
    assert found.threshold == scores[order[-1]]
    assert found.n_selected == len(order)


def test_k_beyond_the_rows(engine):
    """The list holds all rows, and precision is over those: prevalence."""
    y, s = [1, 0, 0, 1], [4, 3, 2, 1]
    for found in (
        rt.tally(y, s, engine=engine).top(10),
        rt.tally(y, s, engine=engine).top(10, ties="threshold"),
        rt.top_k(y, s, 10),
    ):
        assert (found.k, found.n_selected, found.precision_at_k) == (10, 4, 0.5)
        assert (found.recall_at_k, found.lift, found.threshold) == (1.0, 1.0, 1)
        assert "exceeds" in found.note
    assert rt.tally(y, s).top(4).note == ""


def test_missing_scores_come_last(engine):
    y, s = [1, 1, 0, 0, 1], [None, 0.2, 0.9, None, -math.inf]
    t = rt.tally(y, s, missing="worst", engine=engine)
    assert (t.top(3).tp, t.top(3).threshold) == (2, -math.inf)
    found = t.top(4)
    assert (found.tp, found.n_selected) == (2.5, 4)
    assert math.isnan(found.threshold)
    assert "1 of 2 rows without a score" in found.note
    assert "1 rows of the list have no score" in found.note
    rows = rt.top_k(y, s, 4, missing="worst")
    assert rows.rows.tolist() == [2, 1, 4, 0]
    assert math.isnan(rows.threshold)
    assert "no score" in rows.note
    assert rt.top_k(y, s, 9, ties="pessimistic", missing="worst").rows.tolist() == [2, 1, 4, 3, 0]
    assert rt.top_k(y, s, 9, missing="omit").rows.tolist() == [2, 1, 4]
    whole = rt.top_k([1, 0, 1], [None, 3, -128], 3, missing="worst")
    assert whole.rows.tolist() == [1, 2, 0]
    with refused("y_score", "missing", "row 0"):
        rt.top_k(y, s, 2)


def test_ties_at_the_boundary_are_told(engine):
    t = rt.tally([1, 1, 1, 0, 0, 0, 0], [0.9, 0.6, 0.4, 0.7, 0.4, 0.2, 0.1], engine=engine)
    found = t.top(4)
    assert (found.precision_at_k, found.recall_at_k) == (5 / 8, 5 / 6)
    assert "1 of 2 rows tied at 0.4" in found.note
    assert t.top(5).note == t.top(4, ties="threshold").note == ""
    assert (t.top(4, ties="threshold").n_selected, t.top(4, ties="threshold").k) == (5, 4)


def test_whole_numbers_stay_whole(engine):
    t = rt.tally([1, 0, 1, 0], np.array([2**53 + 1, 2**53, 5, 5]), engine=engine)
    assert repr(t.top(1).threshold) == str(2**53 + 1)
    assert [type(x) for x in (t.top(2).tp, t.top(2).fp, t.top(2).n_selected)] == [int] * 3
    assert t.top(3).tp == 1.5


def test_share_of_the_rows_is_a_point_of_the_gain_curve(engine):
    rng = np.random.default_rng(2)
    y = rng.random(50) < 0.3
    t = rt.tally(y, rng.integers(0, 9, 50), engine=engine)
    cuts = t.at(t.threshold)
    for share in (0.05, 0.1, 0.37, 0.5, 1.0):
        reached = np.interp(share, [0, *(cuts.n_predicted / 50)], [0, *cuts.recall])
        assert t.top(fraction=share).gain == pytest.approx(reached, rel=1e-12)
    assert t.top(fraction=0.1).k == 5
    assert t.top(fraction=np.float64(0.05)).k == 2.5


def test_weights_of_any_size():
    t = rt.tally([1, 0, 1], [3, 2, 1], [0.5, 0.25, 0.25])
    assert t.top(fraction=0.5).precision_at_k == 1.0
    assert t.top(fraction=0.625).tp == 0.5
    assert t.top(1).n_selected == 1.0


def test_one_class_and_no_rows(engine):
    found = rt.tally([0, 0], [1, 2], engine=engine).top(1)
    assert found.precision_at_k == 0.0
    assert math.isnan(found.recall_at_k)
    assert math.isnan(found.lift)
    empty = rt.Tally.from_counts([], [], []).top(3)
    assert empty.n_selected == 0
    assert math.isnan(empty.precision_at_k)
    assert math.isnan(empty.threshold)


def test_incomplete_tally():
    t = rt.Tally.from_counts([5, 3], [2, 1], [1, 4], complete=False)
    assert t.top(3).tp == 2
    assert t.top(8).tp == t.top(80).tp == 3
    for ties in TIES:
        with refused("k", 4, "incomplete"):
            t.top(4, ties=ties)


def test_as_metrics_of_evaluate(engine):
    y = [1, 1, 1, 0, 0, 0, 0]
    s = [0.9, 0.6, 0.4, 0.7, 0.4, 0.2, 0.1]
    names = [
        "precision_at_k(4)", "recall_at_k(4)", "lift_at_k(fraction=0.5)", "gain_at_k(4)",
        "precision_at_k(4, ties='optimistic')", "precision_at_k(k=100)",
    ]  # fmt: skip
    result = rt.evaluate(label=y, scores=s, metrics=names, engine=engine)
    t = rt.tally(y, s)
    assert [row["value"] for row in result.to_dict()] == [
        5 / 8, 5 / 6, t.top(fraction=0.5).lift, 5 / 6, 3 / 4, 3 / 7,
    ]  # fmt: skip
    rows = rt.evaluate(
        label=[0, 0], scores=[1, 2], metrics=names[:3], by=np.array(["a", "b"]), engine=engine
    ).to_dict()
    assert [row["status"] for row in rows[:3]] == ["ok", "no_positives", "no_positives"]
    for wrong in ("precision_at_k", "precision_at_k(0)", "precision_at_k(1.5)",
                  "precision_at_k(3, fraction=0.5)", "recall_at_k(fraction=0)",
                  "recall_at_k(fraction=2)"):  # fmt: skip
        with refused("metrics", wrong):
            rt.evaluate(label=y, scores=s, metrics=wrong)
    with refused("ties", "stable"):
        rt.evaluate(label=y, scores=s, metrics="lift_at_k(3, ties='stable')")


def test_what_is_refused():
    t = rt.tally([1, 0], [2, 1])
    for k in (0, -1, 1.5, "3", NAN, True):
        for call in (t.top, lambda k: rt.top_k([1, 0], [2, 1], k)):
            with refused("k", repr(k)):
                call(k)
    for share in (0, -0.1, 1.5, NAN, "half", True):
        with refused("fraction", repr(share)):
            t.top(fraction=share)
    with refused("k", "fraction", "none"):
        t.top()
    with refused("k", "fraction", "both"):
        t.top(1, fraction=0.5)
    with refused("ties", "stable"):
        t.top(1, ties="stable")
    for ties in ("expected", "threshold"):
        with refused("ties", ties, "Tally.top"):
            rt.top_k([1, 0], [2, 1], 1, ties)
    with refused("ties", "random"):
        rt.top_k([1, 0], [2, 1], 1, "random")
    with refused("y_true", 1, "y_score", 2):
        rt.top_k([1], [2, 1], 1)
    with refused("no rows"):
        rt.top_k([], [], 1)
    assert t.top(np.int64(1)).tp == 1


def test_labels_and_directions():
    found = rt.top_k(["a", "b", "a"], [1, 2, 3], 2, pos_label="a", higher_is_better=False)
    assert found.rows.tolist() == [0, 1]
    assert found.tp == 1
    assert not found.rows.flags.writeable
