"""Precision, recall and F-beta of predicted labels."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from .._types import AnyArray
from ..errors import InputError
from ._confusion import Decisions, read_decisions
from ._label_counts import LabelCounts, averaged, count_labels, count_rows, ratio
from ._parameters import (
    ARRAY_OR_NONE,
    ARRAY_OR_SPARSE,
    CONTAINER,
    LABEL_OR_NONE,
    ZERO_DIVISION,
    check_parameters,
    choice,
    number_within,
    warn,
)
from ._targets import as_array

__all__ = [
    "f1_score",
    "fbeta_score",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "scores_of",
]

AVERAGE = choice("binary", "micro", "macro", "weighted", "samples", None)
BETA = number_within(0.0, float("inf"))
ALL = ("precision", "recall", "f-score")

Scores = tuple[Any, Any, Any, "AnyArray | None"]


def scores_of(
    counts: LabelCounts,
    average: str | None,
    sample_weight: AnyArray | None,
    *,
    beta: float = 1.0,
    zero_division: Any = "warn",
    warn_for: Collection[str] = ALL,
) -> Scores:
    """Precision, recall, F-beta and support of counts: arrays, or their averages."""
    if average == "micro":
        counts = LabelCounts(*(x.sum(keepdims=True) for x in counts))
    hit, pred, true = counts

    def share(top: AnyArray, bottom: AnyArray, measure: str, lacks: str) -> AnyArray:
        said = measure.capitalize() if measure in warn_for else ""
        return ratio(top, bottom, zero_division, (said, lacks, average))

    precision = share(hit, pred, "precision", "predicted")
    recall = share(hit, true, "recall", "true")
    beta2 = float(beta) ** 2
    if np.isinf(beta2):
        f_score = recall
    elif beta2 == 0:
        f_score = precision
    else:
        both = beta2 * true.astype(np.float64) + pred
        f_score = share((1 + beta2) * hit, both, "f-score", "true nor predicted")
    if average is None:
        return precision, recall, f_score, true
    weight = {"weighted": true, "samples": sample_weight}.get(average)
    return averaged(precision, weight), averaged(recall, weight), averaged(f_score, weight), None


def _positive_labels(decisions: Decisions, labels: Any, pos_label: Any, average: str | None) -> Any:
    """Labels to count; the positive one alone for ``average="binary"``."""
    if average == "binary":
        if decisions.kind != "binary":
            options: list[str | None] = [None, "micro", "macro", "weighted"]
            if decisions.kind != "multiclass":
                options.append("samples")
            raise InputError(
                f"Target is {decisions.kind} but average='binary'. Please choose another average "
                f"setting, one of {options!r}."
            )
        classes = decisions.classes
        if pos_label not in classes.tolist() and classes.size >= 2:
            raise InputError(
                f"pos_label={pos_label} is not a valid label. It should be one of {classes}"
            )
        return [pos_label]
    if pos_label not in (None, 1):
        warn(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got "
            f"{average!r}). You may use labels=[pos_label] to specify a single positive class."
        )
    return labels


def _scores(
    caller: str,
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any,
    pos_label: Any,
    average: str | None,
    warn_for: Collection[str],
    sample_weight: Any,
    zero_division: Any,
) -> Scores:
    check_parameters(
        caller,
        y_true=(y_true, ARRAY_OR_SPARSE),
        y_pred=(y_pred, ARRAY_OR_SPARSE),
        beta=(beta, BETA),
        labels=(labels, ARRAY_OR_NONE),
        pos_label=(pos_label, LABEL_OR_NONE),
        average=(average, AVERAGE),
        warn_for=(warn_for, CONTAINER),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        zero_division=(zero_division, ZERO_DIVISION),
    )
    decisions = read_decisions(y_true, y_pred, sample_weight)
    labels = None if labels is None else as_array(labels).tolist()
    labels = _positive_labels(decisions, labels, pos_label, average)
    count = count_rows if average == "samples" else count_labels
    return scores_of(
        count(decisions, labels),
        average,
        decisions.weight,
        beta=beta,
        zero_division=zero_division,
        warn_for=warn_for,
    )


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Collection[str] = ALL,
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Scores:
    """Precision, recall, F-beta and support of each label, or their averages.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,) or (n, k), or sparse indicators
        Labels of one type, or multilabel indicators.
    beta : float
        Weight of recall against precision in the F-score.
    labels : array-like, optional
        Which labels, in which order; None for all that occur.
    pos_label : int, float, bool or str
        The positive class of ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None
        None for arrays with an entry a label.
    warn_for : list, tuple or set of str
        Which of "precision", "recall", "f-score" may warn.
    sample_weight : array-like, shape (n,), optional
    zero_division : {"warn", 0, 1, nan}
        What 0/0 is; "warn" is 0 with an UndefinedMetricWarning. nan stays out of averages.

    Returns
    -------
    precision, recall, fbeta_score : float or ndarray of float, shape (k,)
    support : None or ndarray, shape (k,)
        True rows of each label; None with an average.

    Examples
    --------
    >>> precision_recall_fscore_support(["a", "b", "b"], ["a", "a", "b"], average="macro")
    (0.75, 0.75, 0.6666666666666666, None)
    """
    return _scores(
        "precision_recall_fscore_support",
        y_true,
        y_pred,
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=warn_for,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Share of the predictions of a label that are right.

    Parameters are those of `precision_recall_fscore_support`.

    Returns
    -------
    float or ndarray of float, shape (k,)

    Examples
    --------
    >>> precision_score([0, 1, 1, 0], [0, 1, 1, 1])
    0.6666666666666666
    """
    return _scores(
        "precision_score",
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("precision",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[0]


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Share of the rows of a label that are predicted so.

    Parameters are those of `precision_recall_fscore_support`.

    Returns
    -------
    float or ndarray of float, shape (k,)

    Examples
    --------
    >>> recall_score([0, 1, 1, 0], [0, 1, 0, 1])
    0.5
    """
    return _scores(
        "recall_score",
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("recall",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[1]


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Harmonic mean of precision and recall.

    Parameters are those of `precision_recall_fscore_support`.

    Returns
    -------
    float or ndarray of float, shape (k,)

    Examples
    --------
    >>> f1_score([0, 1, 1, 0], [0, 1, 1, 1])
    0.8
    """
    return _scores(
        "f1_score",
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("f-score",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[2]


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Mean of precision and recall in which recall counts `beta` times as much.

    Parameters are those of `precision_recall_fscore_support`.

    Returns
    -------
    float or ndarray of float, shape (k,)

    Examples
    --------
    >>> fbeta_score([0, 1, 1, 0], [0, 1, 1, 1], beta=2)
    0.9090909090909091
    """
    return _scores(
        "fbeta_score",
        y_true,
        y_pred,
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("f-score",),
        sample_weight=sample_weight,
        zero_division=zero_division,
    )[2]
