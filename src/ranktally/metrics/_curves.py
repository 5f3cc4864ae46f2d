"""Curves of two classes in scikit-learn's orders: all of them read one count of the scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._types import AnyArray
from ..errors import InputError
from ._binary_counts import counts_of, read_binary
from ._encoding import classes_of
from ._parameters import (
    ARRAY,
    ARRAY_OR_NONE,
    BOOLEAN,
    LABEL_OR_NONE,
    check_parameters,
    keyword_only_from,
    undefined_warning,
    warn,
)
from ._targets import as_column, as_floats, check_lengths

__all__ = [
    "auc",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "precision_recall_curve",
    "roc_curve",
]

BLOCK = 1 << 15
Curve = tuple[AnyArray, AnyArray, AnyArray]


def auc(x: Any, y: Any) -> float:
    """Area under the points of a curve by the trapezoidal rule.

    Parameters
    ----------
    x, y : array-like, shape (n,)
        At least two points; `x` never falls or never rises.

    Returns
    -------
    float

    Examples
    --------
    >>> auc([0.0, 0.5, 1.0], [0.0, 0.8, 1.0])
    0.65
    """
    check_parameters("auc", x=(x, ARRAY), y=(y, ARRAY))
    check_lengths(x, y)
    x, y = as_floats(as_column(x)), as_floats(as_column(y))
    if x.size < 2:
        raise InputError(
            f"At least 2 points are needed to compute area under curve, but x.shape = {x.shape}"
        )
    falls = False
    areas = []
    for start in range(0, x.size - 1, BLOCK):
        part = slice(start, start + BLOCK + 1)
        step, height = np.diff(x[part]), y[part]
        falls = falls or bool((step < 0).any())
        areas.append(float((step * (height[1:] + height[:-1]) / 2.0).sum()))
    if falls and not (np.diff(x) <= 0).all():
        raise InputError(f"x is neither increasing nor decreasing : {x}.")
    area = math.fsum(areas) if np.isfinite(areas).all() else float(np.sum(areas))
    return -area if falls else area


def _check(
    caller: str, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, drop: Any
) -> None:
    check_parameters(
        caller,
        y_true=(y_true, ARRAY),
        y_score=(y_score, ARRAY),
        pos_label=(pos_label, LABEL_OR_NONE),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        drop_intermediate=(drop, BOOLEAN),
    )


@keyword_only_from("1.11")
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray, AnyArray]:
    """Counts of the four outcomes at every distinct score.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels of two classes.
    y_score : array-like, shape (n,)
        Finite scores; a row is predicted positive at ``score >= threshold``.
    pos_label : int, float, bool or str, optional
        The positive class; may be None for {0, 1} and {-1, 1}.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    tns, fps, fns, tps : ndarray of float64, shape (g,)
    thresholds : ndarray, shape (g,)
        Distinct scores, decreasing, in their own dtype.

    Examples
    --------
    >>> tns, fps, fns, tps, cut = confusion_matrix_at_thresholds([0, 1, 1], [0.1, 0.4, 0.4])
    >>> tps.tolist(), fps.tolist(), cut.tolist()
    ([2.0, 2.0], [0.0, 1.0], [0.4, 0.1])
    """
    _check("confusion_matrix_at_thresholds", y_true, y_score, pos_label, sample_weight, False)
    _, label = read_binary(y_true, pos_label)
    counts = counts_of(label, y_score, sample_weight)
    tps, fps = counts.tp.astype(np.float64), counts.fp.astype(np.float64)
    return fps[-1] - fps, fps, tps[-1] - tps, tps, counts.threshold


def _turns(fp: AnyArray, tp: AnyArray) -> AnyArray:
    """Positions of first and last and of points that are not amid a straight run."""
    keep = np.ones(fp.size, bool)
    for start in range(1, fp.size - 1, BLOCK):
        stop = min(start + BLOCK, fp.size - 1)
        right, up = np.diff(fp[start - 1 : stop + 1]), np.diff(tp[start - 1 : stop + 1])
        np.not_equal(right[1:], right[:-1], out=keep[start:stop])
        keep[start:stop] |= up[1:] != up[:-1]
    return np.flatnonzero(keep)


def _hits(tp: AnyArray) -> AnyArray:
    """Positions of first and last and of points where the positives change before or after."""
    keep = np.ones(tp.size, bool)
    steps = tp[1:] != tp[:-1]
    np.logical_or(steps[:-1], steps[1:], out=keep[1:-1])
    return np.flatnonzero(keep)


def _led(first: float, rest: AnyArray, scale: float = 1.0) -> AnyArray:
    """Put `first` before an array divided by `scale`, as float64."""
    out = np.empty(rest.size + 1)
    out[0] = first
    np.divide(rest, scale, out=out[1:])
    return out


def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = True,
) -> Curve:
    """False and true positive rates at falling thresholds.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels of two classes.
    y_score : array-like, shape (n,)
        Finite scores; a row is predicted positive at ``score >= threshold``.
    pos_label : int, float, bool or str, optional
        The positive class; may be None for {0, 1} and {-1, 1}.
    sample_weight : array-like, shape (n,), optional
    drop_intermediate : bool
        Leave out points amid a straight line.

    Returns
    -------
    fpr, tpr, thresholds : ndarray of float64, shape (g + 1,)
        The first point is (0, 0) at the threshold inf. A rate without a class is nan, with an
        UndefinedMetricWarning.

    Examples
    --------
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    _check("roc_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate)
    _, label = read_binary(y_true, pos_label)
    counts = counts_of(label, y_score, sample_weight)
    tp, fp, threshold = counts.tp, counts.fp, counts.threshold
    if drop_intermediate and fp.size > 2:
        kept = _turns(fp, tp)
        tp, fp, threshold = tp[kept], fp[kept], threshold[kept]
    fpr = _rate(fp, "negative", "false positive")
    tpr = _rate(tp, "positive", "true positive")
    return fpr, tpr, _led(np.inf, threshold)


def _rate(counts: AnyArray, lacks: str, what: str) -> AnyArray:
    if counts[-1] > 0:
        return _led(0.0, counts, counts[-1])
    warn(f"No {lacks} samples in y_true, {what} value should be meaningless", undefined_warning())
    return np.full(counts.size + 1, np.nan)


def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Curve:
    """Precision and recall at rising thresholds.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels of two classes.
    y_score : array-like, shape (n,)
        Finite scores; a row is predicted positive at ``score >= threshold``.
    pos_label : int, float, bool or str, optional
        The positive class; may be None for {0, 1} and {-1, 1}.
    sample_weight : array-like, shape (n,), optional
    drop_intermediate : bool
        Leave out points where the true positives are those of both neighbours.

    Returns
    -------
    precision, recall : ndarray of float64, shape (g + 1,)
        The last point is (precision 1, recall 0) and has no threshold. Without positives recall
        is 1, with a warning.
    thresholds : ndarray, shape (g,)
        Distinct scores, increasing, in their own dtype.

    Examples
    --------
    >>> precision, recall, thresholds = precision_recall_curve([0, 1, 1], [0.1, 0.35, 0.8])
    >>> precision.tolist(), recall.tolist()
    ([0.6666666666666666, 1.0, 1.0, 1.0], [1.0, 1.0, 0.5, 0.0])
    """
    _check("precision_recall_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate)
    _, label = read_binary(y_true, pos_label)
    counts = counts_of(label, y_score, sample_weight)
    tp, fp, threshold = counts.tp, counts.fp, counts.threshold
    if drop_intermediate and fp.size > 2:
        kept = _hits(tp)
        tp, fp, threshold = tp[kept], fp[kept], threshold[kept]
    tp, fp = tp[::-1], fp[::-1]
    chosen = tp + fp
    precision, recall = np.zeros(tp.size + 1), np.ones(tp.size + 1)
    np.divide(tp, chosen, out=precision[:-1], where=chosen != 0)
    precision[-1], recall[-1] = 1.0, 0.0
    if tp[0] == 0:
        warn("No positive class found in y_true, recall is set to one for all thresholds.")
    else:
        np.divide(tp, tp[0], out=recall[:-1])
    return precision, recall, threshold[::-1]


def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Curve:
    """False positive and false negative rates at rising thresholds.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels of two classes.
    y_score : array-like, shape (n,)
        Finite scores; a row is predicted positive at ``score >= threshold``.
    pos_label : int, float, bool or str, optional
        The positive class; may be None for {0, 1} and {-1, 1}.
    sample_weight : array-like, shape (n,), optional
    drop_intermediate : bool
        Leave out points where the true positives are those of both neighbours.

    Returns
    -------
    fpr, fnr, thresholds : ndarray of float64, shape (g,)
        From the last threshold without false negatives to the first without false positives,
        which is inf where no score has none.

    Examples
    --------
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr.tolist(), fnr.tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])
    """
    _check("det_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate)
    target, label = read_binary(y_true, pos_label)
    counts = counts_of(label, y_score, sample_weight)
    if classes_of(target).size != 2:
        raise InputError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined "
            "in that case."
        )
    tp, fp, threshold = (
        _led(first, x)
        for first, x in ((0.0, counts.tp), (0.0, counts.fp), (np.inf, counts.threshold))
    )
    if drop_intermediate and fp.size > 2:
        kept = _hits(tp)
        tp, fp, threshold = tp[kept], fp[kept], threshold[kept]
    first = max(int(np.searchsorted(fp, 0.0, side="right")) - 1, 0)
    part = slice(first, int(np.searchsorted(tp, tp[-1])) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        fpr = fp[part][::-1] / fp[-1]
        fnr = (tp[-1] - tp[part][::-1]) / tp[-1]
    return fpr, fnr, threshold[part][::-1]
