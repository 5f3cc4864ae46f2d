"""Losses of probabilities, and how often what was called likely came true."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import AnyArray, Bytes
from ..errors import InputError
from ._binary_counts import is_positive, read_pos_label
from ._encoding import classes_of, encode
from ._parameters import (
    ARRAY,
    ARRAY_OR_NONE,
    BOOLEAN,
    LABEL_OR_NONE,
    Rule,
    check_parameters,
    choice,
    number_within,
    warn,
)
from ._targets import (
    Target,
    as_column,
    as_floats,
    as_numbers,
    as_weights,
    check_finite,
    check_lengths,
    read_target,
    unique,
)

__all__ = ["brier_score_loss", "calibration_curve", "log_loss"]

LABEL_KINDS = ("binary", "multiclass", "multilabel-indicator")
# Up to this many bins, one comparison of all rows a bin beats a search for each row.
COMPARED_BINS = 24


def _probabilities(y_proba: Any) -> AnyArray:
    array = as_numbers(y_proba)
    keeps = array.dtype in (np.float64, np.float32, np.float16)
    return array if keeps else array.astype(np.float64)


def _check_range(y_proba: AnyArray, below: str) -> None:
    high, low = y_proba.max(), y_proba.min()
    if high > 1:
        raise InputError(f"y_prob contains values greater than 1: {high}")
    if low < 0:
        raise InputError(f"y_prob contains values {below} than 0: {low}")


def _mean(loss: AnyArray, weight: AnyArray | None, *, normalize: bool = True) -> float:
    if normalize:
        return float(np.average(loss.astype(np.float64, copy=False), weights=weight))
    return float(loss.sum(dtype=np.float64) if weight is None else np.dot(loss, weight))


def _read_outcomes(
    y_true: Any, y_proba: AnyArray, sample_weight: Any, labels: Any
) -> tuple[AnyArray, AnyArray, AnyArray | None]:
    """Codes (or indicators) of the outcomes, probabilities of every class, weights."""
    _check_range(y_proba, "lower")
    check_lengths(y_proba, y_true, sample_weight)
    weight = as_weights(sample_weight, y_proba.shape[0])
    target = read_target(y_true, "y_true")
    if "multioutput" in target.kind:
        raise InputError("Multioutput target data is not supported with label binarization")
    if target.kind not in LABEL_KINDS:
        raise InputError(f"Unknown label type: {target.kind}")
    if target.kind == "multilabel-indicator":
        codes, classes = target.array, np.arange(target.array.shape[1])
    else:
        codes, classes = _read_codes(target, labels)
    if y_proba.ndim == 1 or y_proba.shape[1] == 1:
        flat = y_proba.reshape(-1)
        y_proba = np.stack([1 - flat, flat], axis=1)
    else:
        _warn_of_sums(y_proba)
    if classes.size != y_proba.shape[1]:
        if labels is None:
            raise InputError(
                f"y_true and y_prob contain different number of classes: {classes.size} vs "
                f"{y_proba.shape[1]}. Please provide the true labels explicitly through the "
                f"labels argument. Classes found in y_true: {classes}"
            )
        raise InputError(
            f"The number of classes in labels is different from that in y_prob. Classes found in "
            f"labels: {classes}"
        )
    return codes, y_proba, weight


def _warn_of_sums(y_proba: AnyArray) -> None:
    tolerance = np.sqrt(np.finfo(y_proba.dtype).eps) + 1e-8
    if not (np.abs(y_proba.sum(axis=1) - 1) <= tolerance).all():
        warn("The y_prob values do not sum to one. Make sure to pass probabilities.")


def _read_codes(target: Target, labels: Any) -> tuple[AnyArray, AnyArray]:
    """Codes of the labels and the classes that the columns of probabilities stand for."""
    present = classes_of(target)
    classes = present
    if labels is not None:
        given = as_column(labels)
        classes = unique(given)
        if classes.size != given.size or not (classes == given).all():
            warn(
                f"Labels passed were {labels}. But this function assumes labels are ordered "
                f"lexicographically. Pass the ordered labels={classes.tolist()} and ensure that "
                f"the columns of y_prob correspond to this ordering."
            )
        undeclared = set(present.tolist()) - set(classes.tolist())
        if undeclared:
            raise InputError(
                f"y_true contains values {undeclared} not belonging to the passed labels {labels}."
            )
    if classes.size == 1:
        if labels is None:
            raise InputError(
                f"y_true contains only one label ({classes[0]}). Please provide the list of all "
                f"expected class labels explicitly through the labels argument."
            )
        raise InputError(f"The labels array needs to contain at least two labels, got {classes}.")
    return encode(as_column(target.array), classes), classes


def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Mean negative logarithm of the probability that was given to what happened.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels of two classes or more.
    y_proba : array-like, shape (n,) or (n, k)
        Probabilities of the greater of two labels, or of each label in sorted order. Values are
        clipped to [eps, 1 - eps], eps that of their type.
    normalize : bool
        False for the sum instead of the mean.
    sample_weight : array-like, shape (n,), optional
    labels : array-like, optional
        All labels, where `y_true` may lack one.
    y_pred : array-like
        Former name of `y_proba`.

    Returns
    -------
    float

    Examples
    --------
    >>> log_loss([0, 1], [0.5, 0.5])
    0.6931471805599453
    """
    check_parameters(
        "log_loss",
        y_true=(y_true, ARRAY),
        y_proba=(y_proba, ARRAY_OR_NONE),
        normalize=(normalize, BOOLEAN),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        labels=(labels, ARRAY_OR_NONE),
        y_pred=(y_pred, Rule("an array-like", lambda x: isinstance(x, str) or ARRAY.accepts(x))),
    )
    if not (isinstance(y_pred, str) and y_pred == "deprecated"):
        if y_proba is not None:
            raise InputError(
                "Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` "
                "instead."
            )
        warn(
            "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use "
            "`y_proba` instead.",
            FutureWarning,
        )
        y_proba = y_pred
    check_parameters("log_loss", y_proba=(y_proba, ARRAY))
    codes, proba, weight = _read_outcomes(y_true, _probabilities(y_proba), sample_weight, labels)
    eps = np.finfo(proba.dtype).eps
    if codes.ndim == 2:
        logs = np.log(np.clip(proba, eps, 1 - eps))
        loss = -np.where(codes == 0, 0, codes * logs).sum(axis=1)
    else:
        given = np.take_along_axis(proba, codes.astype(np.intp)[:, None], axis=1)[:, 0]
        loss = -np.log(np.clip(given, eps, 1 - eps))
    return _mean(loss, weight, normalize=normalize)


def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: bool | str = "auto",
) -> float:
    """Mean squared distance of the probabilities from what happened.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels of two classes or more.
    y_proba : array-like, shape (n,) or (n, k)
        Probabilities of the positive label, or of each label in sorted order.
    sample_weight : array-like, shape (n,), optional
    pos_label : int, float, bool or str, optional
        The positive one of two classes; None takes 1, or the greater of two numbers.
    labels : array-like, optional
        All labels, where `y_true` may lack one.
    scale_by_half : bool or "auto"
        Halve the sum over the classes; "auto" does so for two classes.

    Returns
    -------
    float

    Examples
    --------
    >>> brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.4])
    0.055
    """
    half = Rule("a bool or 'auto'", lambda x: BOOLEAN.accepts(x) or choice("auto").accepts(x))
    check_parameters(
        "brier_score_loss",
        y_true=(y_true, ARRAY),
        y_proba=(y_proba, ARRAY),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        pos_label=(pos_label, LABEL_OR_NONE),
        labels=(labels, ARRAY_OR_NONE),
        scale_by_half=(scale_by_half, half),
    )
    proba = _probabilities(y_proba)
    if proba.ndim == 1 or proba.shape[1] == 1:
        flat, label, weight = _read_binary(y_true, proba.reshape(-1), sample_weight, pos_label)
        score = _mean((label - flat) ** 2, weight) * 2
        columns = 2
    else:
        codes, proba, weight = _read_outcomes(y_true, proba, sample_weight, labels)
        score = _mean(_squared_distance(codes, proba), weight)
        columns = proba.shape[1]
    halve = columns < 3 if isinstance(scale_by_half, str) else bool(scale_by_half)
    return score / 2 if halve else score


def _squared_distance(codes: AnyArray, proba: AnyArray) -> AnyArray:
    gap = proba.copy()
    if codes.ndim == 2:
        gap -= codes.astype(gap.dtype)
    else:
        gap[np.arange(codes.size), codes] -= 1
    squares: AnyArray = np.einsum("ij,ij->i", gap, gap)
    return squares


def _read_binary(
    y_true: Any, y_proba: AnyArray, sample_weight: Any, pos_label: Any
) -> tuple[AnyArray, Bytes, AnyArray | None]:
    column = as_column(y_true)
    check_finite(column)
    check_lengths(y_proba, column, sample_weight)
    weight = as_weights(sample_weight, y_proba.size)
    target = read_target(column, "y_true")
    if target.kind != "binary":
        raise InputError(
            f"The type of the target inferred from y_true is {target.kind} but should be binary "
            f"according to the shape of y_prob."
        )
    _check_range(y_proba, "less")
    classes = classes_of(target)
    if pos_label is None and classes.dtype.kind not in "OUS" and classes.tolist() != [-1]:
        # Of two numbers the greater is positive, whatever they are; {0} and {-1} lack it.
        pos_label = 1 if classes.tolist() == [0] else classes[-1]
    return y_proba, is_positive(target, read_pos_label(target, pos_label)), weight


def calibration_curve(
    y_true: Any,
    y_prob: Any,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: str = "uniform",
) -> tuple[AnyArray, AnyArray]:
    """Share of positives and mean probability in bins of the probability.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels of two classes.
    y_prob : array-like, shape (n,)
        Probabilities of the positive class.
    pos_label : int, float, bool or str, optional
        The positive class; may be None for {0, 1} and {-1, 1}.
    n_bins : int
    strategy : {"uniform", "quantile"}
        Bins of equal width, or of about equal numbers of rows.

    Returns
    -------
    prob_true, prob_pred : ndarray of float64, shape (b,)
        Of the bins that hold a row; a bin holds its upper edge.

    Examples
    --------
    >>> prob_true, prob_pred = calibration_curve([0, 0, 1, 1], [0.1, 0.3, 0.7, 0.9], n_bins=2)
    >>> prob_true.tolist(), prob_pred.tolist()
    ([0.0, 1.0], [0.2, 0.8])
    """
    check_parameters(
        "calibration_curve",
        y_true=(y_true, ARRAY),
        y_prob=(y_prob, ARRAY),
        pos_label=(pos_label, LABEL_OR_NONE),
        n_bins=(n_bins, number_within(1, float("inf"), whole=True)),
        strategy=(strategy, choice("uniform", "quantile")),
    )
    column, prob = as_column(y_true), as_floats(as_column(y_prob))
    check_lengths(column, prob)
    check_finite(prob, "y_prob")
    target = read_target(column, "y_true")
    pos_label = read_pos_label(target, pos_label)
    if prob.min() < 0 or prob.max() > 1:
        raise InputError("y_prob has values outside [0, 1].")
    if target.pair is None:
        raise InputError(
            f"Only binary classification is supported. Provided labels {unique(column)}."
        )
    label = is_positive(target, pos_label)
    inner = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    if strategy == "quantile":
        inner = np.percentile(prob, inner * 100)
    bins = _bins(prob, inner)
    total = np.bincount(bins, minlength=n_bins)
    positive = np.bincount(bins, label, n_bins)
    mass = np.bincount(bins, prob, n_bins)
    used = total != 0
    return positive[used] / total[used], mass[used] / total[used]


def _bins(prob: AnyArray, inner: AnyArray) -> AnyArray:
    """How many inner edges lie below each probability."""
    if inner.size >= COMPARED_BINS:
        return np.searchsorted(inner, prob)
    bins = np.zeros(prob.size, np.uint8)
    for edge in inner:
        bins += prob > edge
    return bins
