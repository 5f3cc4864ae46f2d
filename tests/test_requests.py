"""Metrics and thresholds as callers write them, at every door that takes them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from refusals import refused

import ranktally as rt
from ranktally._binomial import check_level, wilson
from ranktally._normal import normal_reach
from ranktally._requests import measured, parse_metric, read_cuts, read_measure, read_metrics

COUNTS = (np.array([3, 2]), np.array([1, 0]), np.array([4, 5]), np.array([2, 3]))
CALL: dict[str, Any] = {"label": [1, 0, 1, 0], "scores": [0.9, 0.2, 0.4, 0.6], "at": 0.5}


def hits(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return tp / (tp + fn)


def doors(engine: str) -> list[Any]:
    def quick(**call: Any) -> Any:
        return rt.bootstrap(**call, n_resamples=5, seed=1)

    return [rt.evaluate, quick, rt.jackknife]


# -- metrics -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["fbeta(beta=1, beta=2)", "fbeta(beta=2, beta=2)"])
def test_an_argument_given_twice(text):
    with refused("`metrics`", text, "'beta'", "twice"):
        parse_metric(text)
    with refused("`metric`", "twice"):
        parse_metric(text, "metric")
    with refused("`metrics`", "name or a call"):
        parse_metric("fbeta(**{'beta': 2})")


@pytest.mark.parametrize("metrics", [hits, [hits], (hits,), {"hits": hits}, ["recall", hits]])
def test_functions_stand_among_names(engine, metrics):
    for door in doors(engine):
        table = door(**CALL, metrics=metrics, engine=engine).to_arrow()
        assert table.column("metric").to_pylist()[-1] == "hits"
        assert table.column("value").to_pylist()[-1] == 0.5


def test_functions_of_one_name():
    with refused("`metrics`", "'hits'", "twice", "dict"):
        read_metrics([hits, lambda tp, fp, tn, fn: tp, hits], has_thresholds=True)
    recall = type("recall", (), {"__call__": lambda self, tp, fp, tn, fn: tp})()
    assert [r.label for r in read_metrics([recall], has_thresholds=True)] == ["recall"]
    with refused("`metrics`", "'recall'", "twice", "dict"):
        read_metrics(["recall", recall], has_thresholds=True)
    with refused("`metrics`", "'recall'", "twice"):
        read_metrics(["recall", "recall"], has_thresholds=True)


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        (3, ["3", "name", "callable"]),
        ([], ["empty"]),
        ({}, ["empty"]),
        ([3], ["3", "name or a call"]),
        ({"a": "recall"}, ["'a'", "callable"]),
        ({1: hits}, ["1", "name"]),
        ("recall", ["'recall'", "at="]),
        (hits, ["'hits'", "at="]),
        (["recal"], ["'recal'", "recall"]),
    ],
)
def test_refusals_name_the_argument(metrics, words):
    for argument in ("metrics", "metric"):
        with refused(f"`{argument}`", *words):
            read_metrics(metrics, has_thresholds=False, argument=argument)


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (lambda tp, fp, tn, fn: None, "None"),
        (lambda tp, fp, tn, fn: [None] * np.size(tp), "None"),
        (lambda tp, fp, tn, fn: tp + 0j, "complex"),
        (lambda tp, fp, tn, fn: 1j, "complex"),
        (lambda tp, fp, tn, fn: "0.5", "U3"),
        (lambda tp, fp, tn, fn: np.ones(7), "ValueError"),
        (lambda tp: tp, "TypeError"),
        (lambda tp, fp, tn, fn: [object()] * np.size(tp), "TypeError"),
    ],
)
def test_what_functions_must_return(engine, function, word):
    for door in doors(engine):
        with refused("`metrics`", "'odd'", "return real numbers", word):
            door(**CALL, metrics={"odd": function}, engine=engine)
    request = read_measure(function, "metric")
    with refused("`metric`", "return", word):
        measured(request, COUNTS)
    with refused("`measure`", "return", word):
        measured(request, COUNTS, "measure")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda tp, fp, tn, fn: tp / (tp + fn), [0.6, 0.4]),
        (lambda tp, fp, tn, fn: 2, [2.0, 2.0]),
        (lambda tp, fp, tn, fn: tp > 2, [1.0, 0.0]),
        (lambda tp, fp, tn, fn: [Fraction(1, 4), np.nan], [0.25, np.nan]),
    ],
)
def test_what_functions_may_return(function, expected):
    found = measured(read_measure(function, "metrics"), COUNTS)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, expected)


# -- thresholds ----------------------------------------------------------------------------------


def test_thresholds():
    assert read_cuts(None).tolist() == []
    assert read_cuts(0.5).tolist() == [0.5]
    assert read_cuts((1, 0.5)).tolist() == [1.0, 0.5]
    assert read_cuts(np.array([3, 1], np.int8)).tolist() == [3, 1]
    assert read_cuts([2**60 + 1, 0.5]).tolist() == [2**60 + 1, 0.5]


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ([], ["empty"]),
        (np.empty(0), ["empty"]),
        ([[0.5]], ["0.5"]),
        ("0.5", ["'0.5'"]),
        ([0.5, None], ["None"]),
        ([0.5, np.nan], ["nan"]),
        ([0.5, 0.1, 0.5], ["twice: 0.5"]),
        ([0.0, -0.0], ["twice"]),
        ([2**60 + 1, 2**60 + 1, 0.5], [f"twice: {2**60 + 1}"]),
    ],
)
def test_thresholds_that_are_none(engine, at, words):
    for door in doors(engine):
        with refused("`at`", *words):
            door(**{**CALL, "at": at}, metrics="recall", engine=engine)


# -- levels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1, 1 - 2**-53, 1 - 1e-13, 1e-13, 5e-324, True, "0.9", None])
def test_levels_without_tails(level):
    with refused("`level`", repr(level)):
        check_level(level)
    with refused("`level`", repr(level)):
        wilson([1], [2], level)
    found = rt.jackknife(**CALL, metrics="recall")
    if level is not None:
        for kind in ("plain", "logit"):
            with refused("`level`", repr(level)):
                found.interval(kind=kind, level=level)


def test_reach_of_levels():
    assert normal_reach(0.95) == pytest.approx(1.959963984540054, rel=1e-15)
    # Twice the tail, as erfc has it, is what is left of the level.
    level = 1 - 1e-12
    assert math.erfc(normal_reach(level) / math.sqrt(2)) == pytest.approx(1 - level, rel=1e-9)
    assert check_level(1 - 1e-12) == 1 - 1e-12
    assert check_level(1e-12) == 1e-12
