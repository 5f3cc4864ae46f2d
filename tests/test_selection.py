"""A threshold chosen on one data set and measured on another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused

import ranktally as rt

VALIDATION = ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
TEST = ([1, 0, 1, 0, 0], [0.9, 0.75, 0.4, 0.3, 0.2])


def test_chosen_here_measured_there(engine):
    first, second = (rt.tally(*side, engine=engine) for side in (VALIDATION, TEST))
    found = rt.select_threshold(first, second, metric="precision", where="recall >= 0.9")
    assert (found.status, found.threshold) == ("ok", 0.7)
    assert found.validation.to_dict() == first.best("precision", "recall >= 0.9").to_dict()
    at = second.at(0.7)
    assert (found.test.tp, found.test.fp, found.test.tn, found.test.fn) == (
        at.tp, at.fp, at.tn, at.fn,
    )  # fmt: skip
    assert found.test.value == at.precision == 0.5
    assert found.test.metric == found.metric == "precision"
    assert found.validation.selected_on_same_data
    assert not found.selected_on_same_data
    assert not found.test.selected_on_same_data
    assert found.holds_on_test is False
    assert found.note == "recall >= 0.9 held on validation and fails on test"


def test_tuples_and_tallies_are_one(engine):
    weights = [1, 2, 3, 4]
    by_hand = rt.select_threshold(
        rt.tally(*VALIDATION, weights, engine=engine), rt.tally(*TEST, engine=engine), metric="f1"
    )
    for side in ((*VALIDATION, weights), tuple(map(np.asarray, (*VALIDATION, weights)))):
        found = rt.select_threshold(side, TEST, metric="f1")
        assert found.threshold == by_hand.threshold
        assert found.test.to_dict() == by_hand.test.to_dict()


def test_options_reach_the_door():
    y, s = ["bad", "good", "bad"], [1.0, 2.0, None]
    found = rt.select_threshold(
        (y, s), (["good", "bad"], [2.0, 1.5]), metric="recall", pos_label="bad",
        higher_is_better=False, missing="worst",
    )  # fmt: skip
    assert found.threshold == -2.0
    assert found.validation.n_pos == 2
    assert found.test.recall == 1.0
    with refused("validation", "y_score", "missing"):
        rt.select_threshold((y, s), TEST, metric="f1", pos_label="bad")
    with refused("test", "y_true"):
        rt.select_threshold(VALIDATION, ([1, 0], [1.0]), metric="f1")


def test_it_holds_or_it_is_undefined():
    kept = rt.select_threshold(VALIDATION, TEST, metric="f1", where="fpr <= 0.5", ties="highest")
    assert kept.holds_on_test is True
    assert kept.note == ""
    assert kept.ties == kept.validation.ties == kept.test.ties == "highest"
    assert rt.select_threshold(VALIDATION, TEST, metric="f1").holds_on_test is None
    only = rt.select_threshold(VALIDATION, ([0, 0], [1, 2]), metric="recall", where="recall > 0.5")
    assert only.holds_on_test is None
    assert only.status == "ok"
    assert only.test.status == "no_positives"
    assert math.isnan(only.test.value)
    assert "recall > 0.5 is undefined on test" in only.note
    assert "recall is undefined on test: no_positives" in only.note


def test_unreachable():
    found = rt.select_threshold(VALIDATION, TEST, metric="f1", where="recall > 0.9 and fpr < 0.1")
    assert found.status == found.validation.status == found.test.status == "unreachable"
    assert math.isnan(found.threshold)
    assert math.isnan(found.test.recall)
    assert found.holds_on_test is None
    assert found.note.startswith("validation: no threshold satisfies recall > 0.9 and fpr < 0.1")


@pytest.mark.parametrize("again", ["the object", "its rows"])
def test_the_same_rows_twice_are_told(again):
    first = rt.tally(*VALIDATION)
    second = first if again == "the object" else VALIDATION
    found = rt.select_threshold(first, second, metric="f1")
    assert found.selected_on_same_data
    assert found.test.selected_on_same_data
    assert "same rows" in found.note


def test_functions_directions_and_costs():
    found = rt.select_threshold(VALIDATION, TEST, metric=lambda tp, fp, tn, fn: fn + fp,
                                direction="down")  # fmt: skip
    assert found.threshold == 0.7
    assert found.test.value == 2
    cheap = rt.select_threshold(VALIDATION, TEST, metric="expected_cost(1, 10)")
    assert cheap.test.value == cheap.test.cost(1, 10, per_row=True)


def test_threshold_of_a_finer_type():
    y, s = [1, 0], np.array([0.7, 0.1], np.float32)
    found = rt.select_threshold((y, s), (y, s.astype(float)), metric="precision")
    assert found.test.tp == 1
    back = rt.select_threshold((y, [0.7, 0.1]), (y, s), metric="precision")
    assert back.test.tp == 1


def test_what_is_refused():
    for side in ([1, 0], VALIDATION[0], ([1],), "data.csv", None, (1, 2, 3, 4)):
        with refused("validation", "Tally"):
            rt.select_threshold(side, TEST, metric="f1")
    with refused("metric", "f11"):
        rt.select_threshold(VALIDATION, TEST, metric="f11")
    with refused("where", "recal"):
        rt.select_threshold(VALIDATION, TEST, metric="f1", where="recal > 1")
    with refused("ties", "median"):
        rt.select_threshold(VALIDATION, TEST, metric="f1", ties="median")
