"""Every function of `ranktally.metrics` against scikit-learn's: values, warnings, refusals."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn_suite import needs_sklearn_1_9
from sklearn_suite.agreement import NAMES, agree, other

import ranktally.metrics as ours

pytestmark = needs_sklearn_1_9()

CURVES = ["confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve"]
DECISIONS = ["precision_score", "recall_score", "f1_score", "precision_recall_fscore_support"]
AVERAGES = ["binary", "micro", "macro", "weighted", "samples", None]
ZERO_DIVISIONS = ["warn", 0, 1, math.nan, 0.0, 1.0]

# Sums of dyadic weights are exact in any order, so that no point is dropped by one and kept by the
# other for a rounding.
WEIGHTS = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 2.0, 3.5])
SCORES = st.sampled_from([0.0, -0.0, 0.1, 0.25, 0.5, 0.5, 0.75, 0.9, 1.0, 0.3333333])
LABELINGS = {
    "zero_one": [0, 1],
    "signs": [-1, 1],
    "bool": [False, True],
    "floats": [0.0, 1.0],
    "one_two": [1, 2],
    "text": ["ham", "spam"],
    "three": [0, 1, 2],
    "three_text": ["a", "b", "c"],
    "gaps": [-7, 3, 40],
    "only_zero": [0],
    "only_one": [1],
    "only_text": ["ham"],
}


def rtol_of(score: np.ndarray) -> float:
    """scikit-learn sums losses in the type of the probabilities, ours sums in float64."""
    return 1e-12 if score.dtype == np.float64 else 1e-6


@st.composite
def columns(draw: st.DrawFn, labelings: list[str] | None = None) -> dict[str, Any]:
    """True labels, other labels of the same coding, scores, weights."""
    labels = LABELINGS[draw(st.sampled_from(labelings or sorted(LABELINGS)))]
    n = draw(st.integers(1, 12))
    column = st.lists(st.sampled_from(labels), min_size=n, max_size=n)
    container = draw(st.sampled_from([np.array, np.array, list, _objects, _as_column]))
    dtype = draw(st.sampled_from([np.float64, np.float32]))
    weight = draw(st.none() | st.lists(WEIGHTS, min_size=n, max_size=n))
    return {
        "labels": labels,
        "true": container(draw(column)),
        "pred": container(draw(column)),
        "score": np.array(draw(st.lists(SCORES, min_size=n, max_size=n)), dtype),
        "weight": None if weight is None else np.array(weight),
    }


def _objects(values: list[Any]) -> Any:
    return np.array(values, dtype=object if isinstance(values[0], str) else None)


def _as_column(values: list[Any]) -> Any:
    return np.array(values).reshape(-1, 1)


@st.composite
def indicators(draw: st.DrawFn) -> dict[str, Any]:
    """Indicator matrices, scores of every cell, weights."""
    n, k = draw(st.integers(1, 7)), draw(st.integers(2, 4))

    def matrix(cell: st.SearchStrategy[Any]) -> np.ndarray:
        return np.array(draw(st.lists(cell, min_size=n * k, max_size=n * k))).reshape(n, k)

    weight = draw(st.none() | st.lists(WEIGHTS, min_size=n, max_size=n))
    bit = st.sampled_from(draw(st.sampled_from([[0, 1], [0, 0, 0, 1], [False, True]])))
    return {
        "true": matrix(bit),
        "pred": matrix(bit),
        "score": matrix(SCORES),
        "weight": None if weight is None else np.array(weight),
        "labels": list(range(k)),
    }


@st.composite
def probabilities(draw: st.DrawFn) -> dict[str, Any]:
    """Labels of three classes or four, probabilities of each, weights."""
    labels = draw(st.sampled_from([[0, 1, 2], ["a", "b", "c"], [1, 5, 6, 9]]))
    n = draw(st.integers(3, 12))
    true = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    k = len(labels)
    cells = draw(st.lists(st.integers(0, 4), min_size=n * k, max_size=n * k))
    raw = np.array(cells, float).reshape(n, k) + 0.25
    weight = draw(st.none() | st.lists(WEIGHTS, min_size=n, max_size=n))
    return {
        "labels": labels,
        "true": np.array(true),
        "proba": raw / raw.sum(axis=1, keepdims=True),
        "weight": None if weight is None else np.array(weight),
    }


@pytest.mark.parametrize("name", NAMES)
def test_signature(name):
    mine = inspect.signature(getattr(ours, name)).parameters.values()
    yours = inspect.signature(other(name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in mine] == [
        (p.name, p.kind, p.default) for p in yours
    ]


@pytest.mark.parametrize("name", CURVES)
@given(data=columns(), named=st.booleans(), drop=st.booleans())
def test_curves(name, data, named, drop):
    kwargs: dict[str, Any] = {"sample_weight": data["weight"]}
    if named:
        kwargs["pos_label"] = data["labels"][0]
    if name != "confusion_matrix_at_thresholds":
        kwargs["drop_intermediate"] = drop
    agree(name, data["true"], data["score"], **kwargs)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("dtype", ["int8", "uint64", "bool", "float16", "float32", "int64"])
def test_threshold_dtypes(name, dtype):
    score = np.array([0, 1, 1, 0, 1]).astype(dtype)
    agree(name, [0, 1, 1, 0, 0], score)


@pytest.mark.parametrize("name", CURVES)
def test_weights_of_either_sign(name):
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 40), rng.integers(0, 9, 40) / 8
    agree(name, y, s, sample_weight=rng.integers(-1, 5, 40) / 4)


@given(data=columns(), max_fpr=st.sampled_from([None, None, 1, 1.0, 0.5, 0.1, 1e-3]))
def test_roc_auc(data, max_fpr):
    if max_fpr not in (None, 1) and data["weight"] is not None:
        # Where a class has no weight, scikit-learn trips over its own nan in the partial area;
        # ours is nan with the same warning as in the whole.
        present = np.ravel(data["true"])[data["weight"] > 0]
        assume(len(set(present.tolist())) > 1)
    agree(
        "roc_auc_score", data["true"], data["score"], sample_weight=data["weight"], max_fpr=max_fpr
    )


@given(data=columns(), named=st.sampled_from([None, 0, -1]))
def test_average_precision(data, named):
    kwargs = {} if named is None else {"pos_label": data["labels"][named]}
    three = len(data["labels"]) > 2
    assume(not three or isinstance(data["score"], np.ndarray))
    agree(
        "average_precision_score",
        data["true"],
        data["score"],
        sample_weight=data["weight"],
        **kwargs,
    )


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@given(
    data=indicators(),
    average=st.sampled_from(["micro", "macro", "weighted", "samples", None]),
)
def test_areas_of_indicators(name, data, average):
    agree(name, data["true"], data["score"], average=average, sample_weight=data["weight"])


@pytest.mark.parametrize("multi_class", ["ovr", "ovo", "raise"])
@given(
    data=probabilities(),
    average=st.sampled_from(["micro", "macro", "weighted", "samples", None]),
    named=st.booleans(),
)
def test_roc_auc_of_classes(multi_class, data, average, named):
    agree(
        "roc_auc_score",
        data["true"],
        data["proba"],
        multi_class=multi_class,
        average=average,
        labels=data["labels"] if named else None,
        sample_weight=data["weight"],
    )


@given(data=probabilities(), average=st.sampled_from(["micro", "macro", "weighted", None]))
def test_average_precision_of_classes(data, average):
    agree(
        "average_precision_score",
        data["true"],
        data["proba"],
        average=average,
        sample_weight=data["weight"],
    )


@pytest.mark.parametrize("name", DECISIONS)
@given(
    data=columns() | indicators(),
    average=st.sampled_from(AVERAGES),
    zero_division=st.sampled_from(ZERO_DIVISIONS),
    named=st.sampled_from([None, 0, -1]),
    subset=st.sampled_from([None, slice(1), slice(None, None, -1)]),
)
def test_decision_scores(name, data, average, zero_division, named, subset):
    kwargs: dict[str, Any] = {} if named is None else {"pos_label": data["labels"][named]}
    if subset is not None:
        kwargs["labels"] = data["labels"][subset]
    agree(
        name,
        data["true"],
        data["pred"],
        average=average,
        zero_division=zero_division,
        sample_weight=data["weight"],
        **kwargs,
    )


@given(
    data=columns() | indicators(),
    average=st.sampled_from(AVERAGES),
    beta=st.sampled_from([0, 0.5, 1, 2.0, math.inf, -1]),
)
def test_fbeta(data, average, beta):
    agree("fbeta_score", data["true"], data["pred"], average=average, beta=beta)


@given(data=columns() | indicators(), normalize=st.booleans())
def test_accuracy(data, normalize):
    agree(
        "accuracy_score",
        data["true"],
        data["pred"],
        normalize=normalize,
        sample_weight=data["weight"],
    )


@given(
    data=columns() | indicators(),
    normalize=st.sampled_from([None, "true", "pred", "all", "rows"]),
    subset=st.sampled_from([None, slice(1), slice(None, None, -1), slice(0)]),
    whole=st.booleans(),
)
def test_confusion_matrix(data, normalize, subset, whole):
    weight = data["weight"]
    if whole and weight is not None:
        weight = weight.astype(np.int64)
    labels = None if subset is None else np.array(data["labels"][subset])
    agree(
        "confusion_matrix",
        data["true"],
        data["pred"],
        normalize=normalize,
        labels=labels,
        sample_weight=weight,
    )


@given(data=columns(), adjusted=st.booleans())
def test_balanced_accuracy(data, adjusted):
    agree(
        "balanced_accuracy_score",
        data["true"],
        data["pred"],
        adjusted=adjusted,
        sample_weight=data["weight"],
    )


@given(data=columns() | indicators())
def test_matthews(data):
    agree("matthews_corrcoef", data["true"], data["pred"], sample_weight=data["weight"])


@given(
    data=columns() | indicators(),
    output_dict=st.booleans(),
    digits=st.sampled_from([0, 2, 5, 13]),
    zero_division=st.sampled_from(ZERO_DIVISIONS),
    subset=st.sampled_from([None, slice(1), slice(None, None, -1)]),
    named=st.booleans(),
)
def test_classification_report(data, output_dict, digits, zero_division, subset, named):
    labels = None if subset is None else data["labels"][subset]
    agree(
        "classification_report",
        data["true"],
        data["pred"],
        labels=labels,
        target_names=[f"the class {x}" for x in data["labels"]] if named else None,
        output_dict=output_dict,
        digits=digits,
        zero_division=zero_division,
        sample_weight=data["weight"],
    )


@given(data=columns(), normalize=st.booleans(), named=st.booleans())
def test_log_loss(data, normalize, named):
    agree(
        "log_loss",
        data["true"],
        data["score"],
        rtol=rtol_of(data["score"]),
        normalize=normalize,
        labels=data["labels"] if named else None,
        sample_weight=data["weight"],
    )


@given(data=probabilities(), normalize=st.booleans(), named=st.booleans())
def test_log_loss_of_classes(data, normalize, named):
    agree(
        "log_loss",
        data["true"],
        data["proba"],
        normalize=normalize,
        labels=data["labels"] if named else None,
        sample_weight=data["weight"],
    )


@given(
    data=columns(),
    half=st.sampled_from(["auto", True, False]),
    named=st.sampled_from([None, 0, -1]),
)
def test_brier(data, half, named):
    agree(
        "brier_score_loss",
        data["true"],
        data["score"],
        rtol=rtol_of(data["score"]),
        scale_by_half=half,
        pos_label=None if named is None else data["labels"][named],
        sample_weight=data["weight"],
    )


@given(data=probabilities(), half=st.sampled_from(["auto", True, False]), named=st.booleans())
def test_brier_of_classes(data, half, named):
    agree(
        "brier_score_loss",
        data["true"],
        data["proba"],
        scale_by_half=half,
        labels=data["labels"] if named else None,
        sample_weight=data["weight"],
    )


@given(
    data=columns(),
    n_bins=st.sampled_from([1, 2, 5, 10, 30]),
    strategy=st.sampled_from(["uniform", "quantile"]),
    named=st.sampled_from([None, 0, -1]),
)
def test_calibration_curve(data, n_bins, strategy, named):
    agree(
        "calibration_curve",
        data["true"],
        data["score"],
        n_bins=n_bins,
        strategy=strategy,
        pos_label=None if named is None else data["labels"][named],
    )


@given(
    x=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=0, max_size=6),
    y=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=6, max_size=6),
    order=st.sampled_from([0, 1, -1]),
)
def test_auc(x, y, order):
    x = sorted(x)[::order] if order else x
    agree("auc", x, y[: len(x)])
