"""roc_auc_score and average_precision_score, of one column, of several, of several classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._types import AnyArray, Bytes, Floats
from ..errors import InputError
from ._binary_counts import areas_of, counts_of, is_positive, read_pos_label
from ._columns_average import areas_of_rows, average_columns
from ._encoding import classes_of, encode
from ._one_vs_one import average_pairs
from ._parameters import (
    ARRAY,
    ARRAY_OR_NONE,
    LABEL,
    NotAvailableError,
    check_parameters,
    choice,
    number_within,
    undefined_warning,
    warn,
)
from ._targets import (
    Target,
    as_array,
    as_column,
    as_numbers,
    check_finite,
    check_lengths,
    check_shape,
    dense,
    read_target,
    two_values,
    unique,
)

__all__ = ["average_precision_score", "roc_auc_score"]

AVERAGE = choice("micro", "macro", "samples", "weighted", None)
Area = Callable[..., float]


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Area under the ROC curve.

    Parameters
    ----------
    y_true : array-like, shape (n,) or (n, k)
        Labels of two classes, the greater one positive; of more classes; or multilabel
        indicators.
    y_score : array-like, shape (n,) or (n, k)
        Finite scores. Of more than two classes: probabilities, whose rows sum to 1.
    average : {"micro", "macro", "samples", "weighted"} or None
        How to average columns or classes; None for an array.
    sample_weight : array-like, shape (n,), optional
    max_fpr : float in (0, 1], optional
        Area up to this false positive rate only, standardized so that chance is 0.5 (McClish
        1989, Medical Decision Making 9(3)).
    multi_class : {"raise", "ovr", "ovo"}
        More than two classes: each against the rest, or all pairs (Hand and Till 2001, Machine
        Learning 45(2)).
    labels : array-like, shape (k,), optional
        Classes of the columns of `y_score`, sorted.

    Returns
    -------
    float or ndarray of float64, shape (k,)
        nan, with an UndefinedMetricWarning, where only one class is present.

    Notes
    -----
    Ties count half. Without weights the value is a quotient of two integers, rounded once.

    Examples
    --------
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    check_parameters(
        "roc_auc_score",
        y_true=(y_true, ARRAY),
        y_score=(y_score, ARRAY),
        average=(average, AVERAGE),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        max_fpr=(max_fpr, number_within(0.0, 1.0, above=True, none=True)),
        multi_class=(multi_class, choice("raise", "ovr", "ovo")),
        labels=(labels, ARRAY_OR_NONE),
    )
    target = read_target(y_true, "y_true")
    check_shape(target.array)
    check_finite(target.array)
    score = as_numbers(y_score)
    weight = None if sample_weight is None else as_column(sample_weight)
    many = score.ndim == 2 and score.shape[1] > 2
    if target.kind == "multiclass" or (target.kind == "binary" and many):
        if max_fpr is not None and max_fpr != 1:
            raise InputError(
                f"Partial AUC computation not available in multiclass setting, 'max_fpr' must be "
                f"set to `None`, received `max_fpr={max_fpr}` instead"
            )
        return _of_classes(target, score, labels, multi_class, average, weight)
    area = _roc_area if max_fpr is None or max_fpr == 1 else _partial_area(float(max_fpr))
    if target.kind == "binary":
        return area(_greater(target), score, weight)
    if target.kind != "multilabel-indicator":
        raise InputError(f"{target.kind} format is not supported")
    _refuse_codes(target.array)
    rows = _roc_of_rows if area is _roc_area else None
    return average_columns(area, rows, target.array, score, average, weight)


def _greater(target: Target) -> Bytes:
    """1 for the greater of two labels; one label alone is no positive."""
    assert target.pair is not None
    return target.pair[2].view(np.uint8)


def _warn_of_one_class() -> None:
    warn(
        "Only one class is present in y_true. ROC AUC score is not defined in that case.",
        undefined_warning(),
    )


def _warn_of_no_positive() -> None:
    warn("No positive class found in y_true, recall is set to one for all thresholds.")


def _one_class(label: Bytes) -> bool:
    if 0 < np.count_nonzero(label) < label.size:
        return False
    _warn_of_one_class()
    return True


def _warn_of_weightless(n_pos: float, n_neg: float) -> None:
    """Warn where a class is present but all its weights are 0."""
    for total, lacks, rate in (
        (n_neg, "negative", "false positive"),
        (n_pos, "positive", "true positive"),
    ):
        if total <= 0:
            warn(
                f"No {lacks} samples in y_true, {rate} value should be meaningless",
                undefined_warning(),
            )


def _roc_area(label: Bytes, score: Any, weight: Any) -> float:
    if _one_class(label):
        return float("nan")
    areas = areas_of(label, score, weight)
    _warn_of_weightless(areas.n_pos, areas.n_neg)
    return areas.roc_auc


def _refuse_codes(indicators: AnyArray) -> None:
    """Refuse indicators of two values that do not say which one is positive."""
    pair = two_values(indicators)
    if pair is not None and pair[0] is not pair[1]:
        read_pos_label(Target("binary", indicators, pair), None)


def _roc_of_rows(positive: AnyArray, score: AnyArray) -> Floats:
    areas = areas_of_rows(positive, score, "roc_auc")
    if np.isnan(areas.roc_auc).any():
        _warn_of_one_class()
    return areas.roc_auc


def _precision_of_rows(positive: AnyArray, score: AnyArray) -> Floats:
    areas = areas_of_rows(positive, score, "average_precision")
    if (areas.n_pos == 0).any():
        _warn_of_no_positive()
    return np.where(areas.n_pos == 0, 0.0, areas.average_precision)


def _partial_area(max_fpr: float) -> Area:
    def area(label: Bytes, score: Any, weight: Any) -> float:
        if _one_class(label):
            return float("nan")
        counts = counts_of(label, score, weight)
        _warn_of_weightless(counts.n_pos, counts.n_neg)
        if counts.n_pos <= 0 or counts.n_neg <= 0:
            return float("nan")
        fpr = np.concatenate([[0.0], counts.fp / counts.fp[-1]])
        tpr = np.concatenate([[0.0], counts.tp / counts.tp[-1]])
        stop = int(np.searchsorted(fpr, max_fpr, side="right"))
        at_end = np.interp(max_fpr, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1])
        raw = np.trapezoid(np.append(tpr[:stop], at_end), np.append(fpr[:stop], max_fpr))
        chance = max_fpr**2 / 2
        return float(0.5 * (1 + (raw - chance) / (max_fpr - chance)))

    return area


def _of_classes(
    target: Target, score: AnyArray, labels: Any, multi_class: str, average: Any, weight: Any
) -> Any:
    """More than two classes: check what must hold, then average over classes or pairs."""
    if multi_class == "raise":
        raise InputError("multi_class must be in ('ovo', 'ovr')")
    if score.ndim != 2:
        raise InputError(_SHAPE.format(score.shape))
    if not np.allclose(1, score.sum(axis=1)):
        raise InputError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum "
            "up to 1.0 over classes"
        )
    options: tuple[str | None, ...] = ("macro", "weighted", None)
    if multi_class == "ovr":
        options = ("micro", *options)
    if average not in options:
        raise InputError(f"average must be one of {options} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotAvailableError("average=None is not implemented for multi_class='ovo'.")
    classes = _read_classes(target, score.shape[1], labels)
    if multi_class == "ovo" and weight is not None:
        raise InputError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' "
            "must be None in this case."
        )
    column = as_column(target.array)
    check_lengths(column, score, weight)
    codes = encode(column, classes)
    if multi_class == "ovo":
        return average_pairs(codes, score, weighted=average == "weighted")
    return average_columns(_roc_area, None, _against_rest(codes, classes), score, average, weight)


_SHAPE = (
    "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple "
    "classes. Got `y_score.shape={}`."
)


def _read_classes(target: Target, columns: int, labels: Any) -> AnyArray:
    present = classes_of(target)
    if labels is None:
        if present.size != columns:
            raise InputError(
                "Number of classes in y_true not equal to the number of columns in 'y_score'"
            )
        return present
    labels = as_column(labels)
    classes = unique(labels)
    if classes.size != labels.size:
        raise InputError("Parameter 'labels' must be unique")
    if not np.array_equal(classes, labels):
        raise InputError("Parameter 'labels' must be ordered")
    if classes.size != columns:
        raise InputError(
            f"Number of given labels, {classes.size}, not equal to the number of columns in "
            f"'y_score', {columns}"
        )
    if set(present.tolist()) - set(classes.tolist()):
        raise InputError("'y_true' contains labels not in parameter 'labels'")
    return classes


def _against_rest(codes: AnyArray, classes: AnyArray) -> AnyArray:
    """Indicators of each class, a contiguous column each."""
    out = np.empty((codes.size, classes.size), np.uint8, order="F")
    for k in range(classes.size):
        np.equal(codes, k, out=out[:, k].view(bool))
    return out


def _precision_area(label: Bytes, score: Any, weight: Any) -> float:
    areas = areas_of(label, score, weight)
    if areas.n_pos == 0:
        _warn_of_no_positive()
        return 0.0
    return max(0.0, areas.average_precision)


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> Any:
    """Sum of the precisions at all distinct scores, each times the recall that it adds.

    Parameters
    ----------
    y_true : array-like, shape (n,) or (n, k)
        Labels of two classes or of more, or multilabel indicators.
    y_score : array-like, shape (n,) or (n, k)
        Finite scores, a column a class where there are more than two.
    average : {"micro", "macro", "samples", "weighted"} or None
        How to average columns or classes; None for an array.
    pos_label : int, float, bool or str
        The positive one of two classes.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float or ndarray of float64, shape (k,)
        0.0, with a warning, without positives.

    Examples
    --------
    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    """
    check_parameters(
        "average_precision_score",
        y_true=(y_true, ARRAY),
        y_score=(y_score, ARRAY),
        average=(average, AVERAGE),
        pos_label=(pos_label, LABEL),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
    )
    weight = None if sample_weight is None else as_column(sample_weight)
    target = read_target(y_true, "y_true")
    if target.kind == "binary":
        classes = classes_of(target)
        if classes.size == 2 and pos_label not in classes.tolist():
            raise InputError(
                f"pos_label={pos_label} is not a valid label. It should be one of {classes}"
            )
        return _precision_area(is_positive(target, pos_label), y_score, weight)
    if target.kind not in ("multiclass", "multilabel-indicator"):
        raise InputError(f"{target.kind} format is not supported")
    if pos_label != 1:
        raise InputError(
            f"Parameter pos_label is fixed to 1 for {target.kind} y_true. Do not set pos_label or "
            f"set pos_label to 1."
        )
    indicators = target.array
    score = as_array(y_score)
    if target.kind == "multiclass":
        classes = classes_of(target)
        indicators = _against_rest(encode(as_column(target.array), classes), classes)
        if score.shape != indicators.shape:
            raise InputError(_SHAPE.format(score.shape))
    return average_columns(
        _precision_area, _precision_of_rows, dense(indicators), score, average, weight
    )
