"""The worked examples and the reported faults of tests/data, and what some of them wait for.

Every case runs under its id in test_cases.py or test_faults.py, or stands in WAITING with what it
waits for; PARTLY names cases of which a part runs and the rest waits.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
EXAMPLES = json.loads((DATA / "worked_examples.json").read_text())
TABLES: dict[str, dict[str, Any]] = EXAMPLES["data"]
WORKED: dict[str, dict[str, Any]] = {c["id"]: c for c in EXAMPLES["cases"]}
FAULTS: dict[str, dict[str, Any]] = {
    c["id"]: c for c in map(json.loads, (DATA / "reported_faults.jsonl").read_text().splitlines())
}

DETECTION = "ranktally.detection"
PLOT = "Curve.plot"
SKETCH = "Sketch"
STREAM = "Accumulator"

WAITING = {
    "detection-iou": DETECTION,
    "detection-match-0.5": DETECTION,
    "detection-match-0.45": DETECTION,
    "detection-pr-points": DETECTION,
    "detection-printed-output": DETECTION,
    "detection-inclusive-coordinates": DETECTION,
    "voc-five-on-one": DETECTION,
    "voc-versus-coco": DETECTION,
    "average-recall-maxdet-1": DETECTION,
    "average-recall-maxdet-10": DETECTION,
    "average-recall-maxdet-100": DETECTION,
    "C10": "curves from given thresholds",
    "C11": "curves from given thresholds",
    "P08": "intervals of curves",
    "SC04": STREAM,
    "SC07": "ranktally.dask",
    "PL03": PLOT,
    "ST09": "sums over ranges of scores",
}

PARTLY = {
    "W04": PLOT,
    "ST04": SKETCH,
    "A06": STREAM,
}

WAITS_FOR = {
    DETECTION: "detection",
    SKETCH: "Sketch",
    STREAM: "Accumulator",
}
"""Where each thing that is waited for will be found in the package."""

SLOW = {"D02", "D04", "SC06"}
"""Cases of many rows, left out of the plain-Python pass."""


def number(expected: Any) -> float:
    """A value object of the file as a float, exact where the file is."""
    if isinstance(expected, dict):
        if expected.get("undefined"):
            return math.nan
        if "frac" in expected:
            return float(Fraction(expected["frac"]))
        return float(expected["float"])
    return float(expected)


def spelled(inputs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Labels and scores of a case, given in place, by table, or in words."""
    if "data" in inputs:
        table = TABLES[inputs["data"]]
        labels = table[inputs.get("labels", "labels")]
        scores = table[inputs.get("scores", "scores")]
        if "subset" in inputs:
            keep = table[inputs["subset"]]
            labels, scores = ([x[i] for i in keep] for x in (labels, scores))
        return labels, scores
    labels, scores = inputs["labels"], inputs["scores"]
    if labels == "12 zeros, 10 ones, 1188 zeros":
        labels, scores = [0] * 12 + [1] * 10 + [0] * 1188, list(range(1210, 0, -1))
    return labels, scores


def numbers(values: list[Any]) -> list[Any]:
    """The file's spelling of nan and infinity as floats."""
    return [
        float(v) if isinstance(v, str) and v.strip("-") in ("nan", "inf") else v for v in values
    ]
