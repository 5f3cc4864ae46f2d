"""Values that other software gives on public data, to the digits that it gives.

`data/known_values.json` holds them, each with the command that made it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pytest

import ranktally as rt

DATA = Path(__file__).parent / "data"
ASAH: dict[str, Any] = json.loads((DATA / "known_values.json").read_text())["asah"]
MODELS = ["s100b", "wfns", "ndka"]
# Numbers of 15 significant digits.
PRINTED = 2e-14


def known(kind: str) -> Any:
    """Every value of a kind, under the command that made it."""
    cases = ASAH[kind]
    return pytest.mark.parametrize("case", list(cases.values()), ids=list(cases))


@pytest.fixture(scope="module")
def asah() -> dict[str, np.ndarray]:
    table = pyarrow.csv.read_csv(DATA / ASAH["file"])
    return {name: table[name].to_numpy() for name in table.column_names}


@pytest.fixture(scope="module")
def delong(asah) -> Any:
    return rt.delong(asah, label="outcome", pos_label="Poor", scores=MODELS)


@pytest.fixture(scope="module")
def tallies(asah) -> dict[str, Any]:
    return {name: rt.tally(asah["outcome"], asah[name], pos_label="Poor") for name in MODELS}


@known("auc")
def test_areas(case, delong, tallies):
    assert tallies[case["model"]].roc_auc() == case["value"]
    assert delong.auc[MODELS.index(case["model"])] == case["value"]


@known("variance")
def test_covariances_of_areas(case, delong):
    a, b = (MODELS.index(name) for name in case["models"])
    assert delong.covariance[a, b] == pytest.approx(case["value"], rel=PRINTED, abs=0)


@known("interval")
def test_intervals_of_areas(case, delong):
    found = delong.interval(case["model"])
    near = 0.5 * 10.0 ** -case["digits"]
    assert found.low == pytest.approx(case["low"], rel=0, abs=near)
    assert found.high == pytest.approx(case["high"], rel=0, abs=near)


@known("difference")
def test_differences_of_areas(case, delong):
    found = delong.difference(*case["models"])
    for name in ("z", "p", "low", "high"):
        # An end is what is left of two numbers a few times its size.
        assert getattr(found, name) == pytest.approx(case[name], rel=10 * PRINTED, abs=0)


@known("unpaired")
def test_areas_as_of_different_patients(case, asah):
    a, b = (rt.delong(asah, label="outcome", pos_label="Poor", scores=m) for m in case["models"])
    error = math.hypot(a.standard_error[0], b.standard_error[0])
    assert (a.auc[0] - b.auc[0]) / error == pytest.approx(case["d"], rel=PRINTED, abs=0)


@known("partial")
def test_partial_areas(case, tallies):
    box = {axis: tuple(case[axis]) for axis in ("fpr", "tpr") if axis in case}
    found = tallies[case["model"]].partial_auc(**box)
    assert found.raw == pytest.approx(case["raw"], rel=PRINTED, abs=0)
    expected = math.nan if case["mcclish"] is None else case["mcclish"]
    assert found.mcclish == pytest.approx(expected, rel=PRINTED, abs=0, nan_ok=True)


@known("best")
def test_best_threshold(case, asah, tallies):
    tally = tallies[case["model"]]
    best = tally.best("youden_j")
    for at in (best, tally.at(case["threshold"])):
        assert round(at.recall, case["digits"]) == case["sensitivity"]
        assert round(at.specificity, case["digits"]) == case["specificity"]
    # There a threshold is the middle between two scores, here the upper one of them.
    scores = np.unique(asah[case["model"]])
    upper = np.searchsorted(scores, best.threshold)
    assert case["threshold"] == pytest.approx(scores[upper - 1 : upper + 1].mean())


def test_bootstrap_of_the_area_agrees(asah, delong):
    result = rt.bootstrap(
        asah, label="outcome", pos_label="Poor", scores=MODELS, metrics="roc_auc",
        scheme="stratified", n_resamples=4000, seed=1,
    )  # fmt: skip
    for k, name in enumerate(MODELS):
        found = result.interval(name).standard_error
        assert found == pytest.approx(delong.standard_error[k], rel=0.06)
