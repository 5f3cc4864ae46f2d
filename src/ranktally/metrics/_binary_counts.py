"""Labels, scores and weights of two classes -> the counts at every distinct score."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._counts import Areas, Counts, sample_areas, tally_counts
from .._engine import loops
from .._labels import Labels
from .._order import PARALLEL_ROWS
from .._runtime import thread_count
from .._types import AnyArray, Bytes
from .._validate import Sample, make_sample, read_scores, read_weights, row_number
from ..errors import InputError
from ._encoding import classes_of
from ._targets import (
    Target,
    as_column,
    as_floats,
    as_weights,
    check_finite,
    check_lengths,
    read_target,
)

__all__ = ["areas_of", "counts_of", "is_positive", "read_binary", "read_pos_label", "sample_of"]

KNOWN_PAIRS = ([0, 1], [-1, 1], [0], [-1], [1])


def read_pos_label(target: Target, pos_label: Any) -> Any:
    """Return the positive label: 1 of {0, 1} and {-1, 1}, else the one that was named.

    Raises
    ------
    InputError
        If none was named and the labels do not say which one is positive.
    """
    if pos_label is not None:
        return pos_label
    classes = classes_of(target)
    if classes.dtype.kind in "OUS" or classes.tolist() not in KNOWN_PAIRS:
        listed = ", ".join(repr(x) for x in classes.tolist())
        raise InputError(
            f"y_true takes value in {{{listed}}} and pos_label is not specified: either make "
            f"y_true take value in {{0, 1}} or {{-1, 1}} or pass pos_label explicitly."
        )
    return 1


def is_positive(target: Target, pos_label: Any) -> Bytes:
    """1 where the label is the positive one."""
    column = as_column(target.array)
    if target.pair is not None:
        low, high, is_high = target.pair
        if high == pos_label and low is not high:
            return is_high.view(np.uint8)
        if low is high:
            return np.full(column.size, bool(high == pos_label)).view(np.uint8)
        if low == pos_label:
            return np.logical_not(is_high).view(np.uint8)
        return np.zeros(column.size, np.uint8)
    same = np.asarray(column == pos_label)
    if same.shape != column.shape:  # types that do not compare
        return np.zeros(column.size, np.uint8)
    return same.astype(bool, copy=False).view(np.uint8)


def read_binary(y_true: Any, pos_label: Any) -> tuple[Target, Bytes]:
    """Labels as 0 and 1, of two classes or of one named class against the rest."""
    target = read_target(y_true, "y_true")
    if not (target.kind == "binary" or (target.kind == "multiclass" and pos_label is not None)):
        raise InputError(f"{target.kind} format is not supported")
    return target, is_positive(target, read_pos_label(target, pos_label))


def _columns(label: Bytes, y_score: Any, sample_weight: Any) -> tuple[AnyArray, AnyArray | None]:
    """Check scores and weights against the labels."""
    check_lengths(label, y_score, sample_weight)
    score = as_floats(as_column(y_score))
    check_finite(score)
    if not score.size:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if sample_weight is None:
        return score, None
    return score, as_weights(as_column(sample_weight), label.size)


def sample_of(label: Bytes, score: AnyArray, weight: AnyArray | None) -> Sample:
    """Columns that passed the checks, in the one layout."""
    return make_sample(
        Labels(label, None, 0, 0),
        read_scores(score, "`y_score`", row_number, higher_is_better=True),
        None if weight is None else read_weights(weight, "`sample_weight`", row_number),
        missing="raise",
        label_name="`y_true`",
        score_name="`y_score`",
        locate=row_number,
    )


def _threads(rows: int) -> int:
    """Return 1 where more would be left idle: finding out how many there are takes a while."""
    return 1 if rows < PARALLEL_ROWS else thread_count()


def counts_of(label: Bytes, y_score: Any, sample_weight: Any) -> Counts:
    """Counts of positives and negatives at every distinct score."""
    score, weight = _columns(label, y_score, sample_weight)
    if weight is not None and weight.min() < 0:
        return _signed_counts(label, score, weight)
    sample = sample_of(label, score, weight)
    counts = tally_counts(sample, loops("auto", sample.n), _threads(sample.n))
    threshold = counts.threshold.astype(score.dtype, copy=False)
    return Counts(threshold, counts.tp, counts.fp, counts.n_pos, counts.n_neg)


def _signed_counts(label: Bytes, score: AnyArray, weight: AnyArray) -> Counts:
    """Running sums of weights of either sign, which no ranking has but scikit-learn accepts."""
    kept = np.flatnonzero(weight)
    order = kept[np.argsort(score[kept], kind="stable")[::-1]]
    score, label, weight = score[order], label[order], weight[order].astype(np.float64)
    ends = np.append(np.flatnonzero(score[1:] != score[:-1]), score.size - 1)
    tp = np.cumsum(weight * label)[ends]
    fp = np.cumsum(weight * (1 - label.astype(np.int8)))[ends]
    return Counts(score[ends], tp, fp, float(tp[-1]), float(fp[-1]))


def areas_of(label: Bytes, y_score: Any, sample_weight: Any) -> Areas:
    """Areas of two classes; of weights of either sign by running sums."""
    score, weight = _columns(label, y_score, sample_weight)
    if weight is not None and weight.min() < 0:
        return _signed_areas(_signed_counts(label, score, weight))
    sample = sample_of(label, score, weight)
    return sample_areas(sample, loops("auto", sample.n), _threads(sample.n))


def _signed_areas(counts: Counts) -> Areas:
    fp = np.concatenate([[0.0], counts.fp])
    tp = np.concatenate([[0.0], counts.tp])
    n_pos, n_neg = counts.n_pos, counts.n_neg
    steps = np.diff(fp)
    if (steps < 0).any() and (steps > 0).any():
        raise InputError(
            "x is neither increasing nor decreasing : the weights of negative sign make the false "
            "positive rate fall and rise."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        auc = np.trapezoid(tp / n_pos, fp / n_neg)
        precision = np.nan_to_num(counts.tp / (counts.tp + counts.fp), nan=0.0)
        ap = np.sum(np.diff(tp / n_pos) * precision)
    return Areas(n_pos, n_neg, float(auc), float(ap), float("nan"))
