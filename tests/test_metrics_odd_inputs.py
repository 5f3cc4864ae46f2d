"""Inputs that are not what a metric wants: refused or answered as scikit-learn does."""

from __future__ import annotations

import contextlib
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn_suite import needs_sklearn_1_9
from sklearn_suite.agreement import NAMES, agree, other

import ranktally
import ranktally.metrics as ours

pytestmark = needs_sklearn_1_9()

ODD = {
    "binary": [0, 1, 1, 0],
    "text": ["a", "b", "b", "a"],
    "text objects": np.array(["a", "b", "b", "a"], dtype=object),
    "numbers as objects": np.array([0, 1, 1, 0], dtype=object),
    "mixed objects": np.array([0, "b", 1, "a"], dtype=object),
    "multiclass": np.array([0, 2, 1, 0]),
    "multiclass floats": np.array([0.0, 2.0, 1.0, 0.0]),
    "continuous": [0.1, 0.9, 0.4, 0.4],
    "large": [1e300, 0.0, 1.0, 1e300],
    "nan": [0.0, np.nan, 1.0, 0.0],
    "inf": [0.0, np.inf, 1.0, 0.0],
    "shorter": [0, 1, 1],
    "empty": [],
    "one row": [1],
    "bytes": [b"a", b"b", b"b", b"a"],
    "complex": [0j, 1j, 1j, 0j],
    "column": np.array([[0], [1], [1], [0]]),
    "row": np.array([[0, 1, 1, 0]]),
    "indicators": np.array([[0, 1], [1, 0], [1, 1], [0, 0]]),
    "wider indicators": np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [0, 0, 0]]),
    "signed indicators": np.array([[-1, 1], [1, -1], [1, 1], [-1, -1]]),
    "indicators of 1 and 2": np.array([[2, 1], [1, 2], [1, 1], [2, 2]]),
    "multioutput": np.array([[0, 2], [1, 0], [3, 1], [0, 0]]),
    "probabilities": np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0], [0.75, 0.25]]),
    "three probabilities": np.array(
        [[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [1.0, 0.0, 0.0], [0.75, 0.125, 0.125]]
    ),
    "cube": np.zeros((4, 2, 2)),
    "lists of labels": [[0, 1], [1], [0], []],
    "number": 3,
    "scalar array": np.array(1),
    "name": "abba",
    "None": None,
}
# Pairs that scikit-learn answers, or trips over in its own code, and ours does not as it does.
DIFFERENT = {
    # The shapes must agree; scikit-learn leaves out the columns that the scores do not have.
    ("roc_auc_score", "shapes"),
    ("average_precision_score", "shapes"),
    # Of indicators that are not 0 and 1 ours makes a report, scikit-learn refuses its own copy.
    ("classification_report", "codes"),
    # A nan has no bin: ours refuses it, scikit-learn counts it in the last.
    ("calibration_curve", "nan"),
    # Scores that are objects are read as floats; thresholds and all.
    ("calibration_curve", "objects"),
    ("confusion_matrix_at_thresholds", "objects"),
    ("precision_recall_curve", "objects"),
}


def situation(first: Any, second: Any) -> str:
    shapes = [x.shape if isinstance(x, np.ndarray) else () for x in (first, second)]
    if second is ODD["nan"]:
        return "nan"
    if second is ODD["numbers as objects"]:
        return "objects"
    if min(map(len, shapes)) == 2 and shapes[0] != shapes[1]:
        return "shapes"
    coded = ("signed indicators", "indicators of 1 and 2")
    return "codes" if any(x is ODD[key] for x in (first, second) for key in coded) else ""


@pytest.mark.parametrize("name", NAMES)
def test_odd_inputs(name):
    kwargs = {"beta": 2} if name == "fbeta_score" else {}
    for pair in product(ODD.values(), repeat=2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Answered, or refused as it should be: any other error is a bug.
            with contextlib.suppress(ranktally.RanktallyError):
                getattr(ours, name)(*pair, **kwargs)
            try:
                other(name)(*pair, **kwargs)
            except (AttributeError, IndexError):
                continue  # a bug of theirs
            except (ValueError, TypeError):
                pass
        if (name, situation(*pair)) not in DIFFERENT:
            agree(name, *pair, any_error=True, **kwargs)
