"""Counts of true against predicted labels, and the measures of the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import AnyArray
from ..errors import InputError
from ._encoding import encode_pair, positions
from ._parameters import (
    ARRAY,
    ARRAY_OR_NONE,
    ARRAY_OR_SPARSE,
    BOOLEAN,
    InputTypeError,
    check_parameters,
    choice,
    is_sparse,
    warn,
)
from ._targets import as_array, as_weights, check_lengths, dense, read_target

__all__ = [
    "Decisions",
    "accuracy_score",
    "balanced_accuracy_score",
    "confusion_matrix",
    "matthews_corrcoef",
    "read_decisions",
]

SINGLE = {"binary", "multiclass"}


@dataclass(frozen=True)
class Decisions:
    """True and predicted labels in one coding.

    Attributes
    ----------
    kind : {"binary", "multiclass", "multilabel-indicator"}
    classes : ndarray, shape (k,)
        Labels that occur in either column, sorted; column numbers of indicators.
    true, pred : ndarray, shape (n,) or (n, k)
        Codes of the classes, or the indicators.
    weight : ndarray, shape (n,), or None
    """

    kind: str
    classes: AnyArray
    true: AnyArray
    pred: AnyArray
    weight: AnyArray | None


def read_decisions(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Decisions:
    """Check and code a pair of label columns or of indicator matrices.

    Raises
    ------
    InputError, InputTypeError
        With the messages of scikit-learn.
    """
    check_lengths(y_true, y_pred, sample_weight)
    true, pred = read_target(y_true, "y_true"), read_target(y_pred, "y_pred")
    rows = true.array.shape[0]
    if rows < 1:
        raise InputError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is "
            "required."
        )
    weight = as_weights(sample_weight, rows)
    kinds = {true.kind, pred.kind}
    if len(kinds) > 1 and kinds != SINGLE:
        raise InputError(
            f"Classification metrics can't handle a mix of {true.kind} and {pred.kind} targets"
        )
    kind = true.kind if len(kinds) == 1 else "multiclass"
    if kind == "multilabel-indicator":
        return _read_indicators(true.array, pred.array, weight)
    if kind not in SINGLE:
        raise InputError(f"{kind} is not supported")
    if is_sparse(true.array) or is_sparse(pred.array):
        raise InputTypeError("Sparse input is only supported when targets are of multilabel type")
    classes, true_codes, pred_codes = encode_pair(true, pred)
    kind = "multiclass" if classes.size > 2 else kind
    return Decisions(kind, classes, true_codes, pred_codes, weight)


def _read_indicators(y_true: Any, y_pred: Any, weight: AnyArray | None) -> Decisions:
    true, pred = dense(y_true), dense(y_pred)
    if true.shape[1] != pred.shape[1]:
        raise InputError("Multi-label binary indicator input with different numbers of labels")
    return Decisions("multilabel-indicator", np.arange(true.shape[1]), true, pred, weight)


def _table(decisions: Decisions) -> AnyArray:
    """Count each pair of codes: float64 with weights, else int64."""
    size = decisions.classes.size
    true, pred, weight = decisions.true, decisions.pred, decisions.weight
    if weight is None and true.dtype == pred.dtype == np.uint8:
        n, hit = true.size, int(np.count_nonzero(true & pred))
        n_true, n_pred = int(np.count_nonzero(true)), int(np.count_nonzero(pred))
        cells = [n - n_true - n_pred + hit, n_pred - hit, n_true - hit, hit]
        return np.asarray(cells, np.int64).reshape(2, 2)[:size, :size]
    joint = np.multiply(true, size, dtype=np.intp)
    joint += pred
    if weight is not None and weight.dtype.kind in "iu" and weight.sum(dtype=float) >= 2.0**53:
        exact = np.zeros(size * size, np.int64)
        np.add.at(exact, joint, weight.astype(np.int64))
        return exact.reshape(size, size)
    return np.bincount(joint, weight, size * size).reshape(size, size)


def _matrix(decisions: Decisions, labels: AnyArray | None) -> AnyArray:
    """Confusion matrix over the classes or over the labels asked for."""
    if labels is not None:
        decisions = _restricted(decisions, labels)
    matrix = _table(decisions)
    whole = decisions.weight is None or decisions.weight.dtype.kind in "iub"
    return matrix.astype(np.int64, copy=False) if whole else matrix


def _restricted(decisions: Decisions, labels: AnyArray) -> Decisions:
    """Keep rows whose labels are both among `labels`, coded by their place there."""
    place = np.full(decisions.classes.size + 1, -1, np.intp)
    place[positions(labels.tolist(), decisions.classes)] = np.arange(labels.size)
    place[-1] = -1
    true, pred = place[decisions.true], place[decisions.pred]
    weight = decisions.weight
    if (true < 0).all():
        raise InputError("At least one label specified must be in y_true")
    keep = (true >= 0) & (pred >= 0)
    if not keep.all():
        true, pred = true[keep], pred[keep]
        weight = None if weight is None else weight[keep]
    return Decisions(decisions.kind, labels, true, pred, weight)


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: str | None = None,
) -> AnyArray:
    """Count every pair of true and predicted label.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,)
        Labels of any one type: numbers, text, bool.
    labels : array-like, optional
        Which labels, in which order; None for all that occur, sorted.
    sample_weight : array-like, shape (n,), optional
    normalize : {"true", "pred", "all"}, optional
        Divide by the row sums, the column sums or the total.

    Returns
    -------
    ndarray, shape (k, k)
        Rows are true labels, columns predicted ones; int64 unless weights or `normalize` make
        it float64.

    Examples
    --------
    >>> confusion_matrix(["a", "b", "a"], ["a", "b", "b"]).tolist()
    [[1, 1], [0, 1]]
    """
    check_parameters(
        "confusion_matrix",
        y_true=(y_true, ARRAY),
        y_pred=(y_pred, ARRAY),
        labels=(labels, ARRAY_OR_NONE),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        normalize=(normalize, choice("true", "pred", "all", None)),
    )
    decisions = read_decisions(y_true, y_pred, sample_weight)
    if decisions.kind not in SINGLE:
        raise InputError(f"{decisions.kind} is not supported")
    if labels is not None:
        labels = as_array(labels)
        if labels.size == 0:
            raise InputError("'labels' should contain at least one label.")
    matrix = _matrix(decisions, labels)
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        with np.errstate(divide="ignore", invalid="ignore"):
            matrix = np.nan_to_num(matrix / matrix.sum(axis=axis, keepdims=True))
    _warn_of_one_label(matrix)
    return matrix


def _warn_of_one_label(matrix: AnyArray) -> None:
    if matrix.shape == (1, 1):
        warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels."
        )


def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Share of rows whose prediction is right, of indicators in every column.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,) or (n, k), or sparse indicators
    normalize : bool
        False for the number of rows (or the sum of weights) instead of the share.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float

    Examples
    --------
    >>> accuracy_score([0, 1, 2, 1], [0, 1, 1, 1])
    0.75
    """
    check_parameters(
        "accuracy_score",
        y_true=(y_true, ARRAY_OR_SPARSE),
        y_pred=(y_pred, ARRAY_OR_SPARSE),
        normalize=(normalize, BOOLEAN),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
    )
    decisions = read_decisions(y_true, y_pred, sample_weight)
    right = decisions.true == decisions.pred
    if right.ndim == 2:
        right = right.all(axis=1)
    weight = decisions.weight
    hit = np.count_nonzero(right) if weight is None else np.dot(right, weight)
    if not normalize:
        return float(hit)
    return float(hit / (right.size if weight is None else _total(weight)))


def _total(weight: AnyArray) -> Any:
    total = weight.sum()
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return total


def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> float:
    """Mean of the recalls of the classes that occur in `y_true`.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,)
    sample_weight : array-like, shape (n,), optional
    adjusted : bool
        True rescales so that chance is 0 and perfect 1.

    Returns
    -------
    float

    Examples
    --------
    >>> balanced_accuracy_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.8333333333333333
    """
    check_parameters(
        "balanced_accuracy_score",
        y_true=(y_true, ARRAY),
        y_pred=(y_pred, ARRAY),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        adjusted=(adjusted, BOOLEAN),
    )
    matrix = confusion_matrix(y_true, y_pred, sample_weight=sample_weight)
    total = matrix.sum(axis=1)
    known = total != 0
    if not known.all():
        warn("y_pred contains classes not in y_true")
    recall = np.diagonal(matrix)[known] / total[known]
    score = float(recall.mean())
    if adjusted:
        chance = 1 / recall.size
        with np.errstate(invalid="ignore"):
            score = float(np.float64(score - chance) / np.float64(1 - chance))
    return score


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Correlation of true and predicted labels, over two classes or more (Gorodkin 2004).

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,)
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float
        From -1 to 1; 0.0 where either column holds one label only.

    Examples
    --------
    >>> matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1])
    -0.3333333333333333
    """
    check_parameters(
        "matthews_corrcoef",
        y_true=(y_true, ARRAY),
        y_pred=(y_pred, ARRAY),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
    )
    decisions = read_decisions(y_true, y_pred, sample_weight)
    if decisions.kind not in SINGLE:
        raise InputError(f"{decisions.kind} is not supported")
    matrix = _matrix(decisions, None).astype(np.float64)
    _warn_of_one_label(matrix)
    true, pred = matrix.sum(axis=1), matrix.sum(axis=0)
    total = pred.sum()
    margins = (total**2 - pred @ pred) * (total**2 - true @ true)
    if margins == 0:
        return 0.0
    return float((np.trace(matrix) * total - true @ pred) / np.sqrt(margins))
