"""Hits, predictions and truths of each label, or of each row of indicators."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._types import AnyArray
from ..errors import InputError
from ._confusion import Decisions
from ._encoding import positions
from ._parameters import undefined_warning, warn

__all__ = ["LabelCounts", "averaged", "count_labels", "count_rows", "ratio"]

# A table of all pairs of labels is counted in one pass up to this many cells.
MAX_CELLS = 1 << 12


class LabelCounts(NamedTuple):
    """Rows that carry a label in both columns, in the predicted one, in the true one."""

    hit: AnyArray
    pred: AnyArray
    true: AnyArray


def count_labels(decisions: Decisions, labels: Any) -> LabelCounts:
    """Counts of each class, or of the labels asked for; 0 for one that does not occur."""
    if decisions.true.ndim == 2:
        return _count_indicators(decisions, labels, axis=0)
    size, weight = decisions.classes.size, decisions.weight
    true, pred = decisions.true, decisions.pred
    if weight is None and true.dtype == pred.dtype == np.uint8 and size == 2:
        n, hit = true.size, np.count_nonzero(true & pred)
        n_true, n_pred = np.count_nonzero(true), np.count_nonzero(pred)
        sums = [[n - n_true - n_pred + hit, hit], [n - n_pred, n_pred], [n - n_true, n_true]]
        counts = LabelCounts(*np.asarray(sums, np.int64))
    elif size * size <= MAX_CELLS:
        joint = np.multiply(true, size, dtype=np.intp)
        joint += pred
        table = np.bincount(joint, weight, size * size).reshape(size, size)
        counts = LabelCounts(np.diagonal(table).copy(), table.sum(axis=0), table.sum(axis=1))
    else:
        same = true == pred
        at = None if weight is None else weight[same]
        counts = LabelCounts(
            np.bincount(true[same], at, size),
            np.bincount(pred, weight, size),
            np.bincount(true, weight, size),
        )
    if not counts.hit.any():
        # Without one right row scikit-learn's counts, and so its supports, are floats.
        counts = LabelCounts(*(x.astype(np.float64) for x in counts))
    if labels is None:
        return counts
    where = positions(list(labels), decisions.classes)
    return LabelCounts(*(np.append(x, x.dtype.type(0))[where] for x in counts))


def count_rows(decisions: Decisions, labels: Any) -> LabelCounts:
    """Counts of each row of indicators, over all columns or those asked for."""
    if decisions.true.ndim == 1:
        raise InputError(
            "Samplewise metrics are not available outside of multilabel classification."
        )
    return _count_indicators(decisions, labels, axis=1)


def _count_indicators(decisions: Decisions, labels: Any, axis: int) -> LabelCounts:
    true, pred = decisions.true != 0, decisions.pred != 0
    if labels is not None:
        chosen = np.asarray(labels)
        if chosen.max() > decisions.classes[-1]:
            raise InputError(
                f"All labels must be in [0, n labels) for multilabel targets. "
                f"Got {chosen.max()} > {decisions.classes[-1]}"
            )
        if chosen.min() < 0:
            raise InputError(
                f"All labels must be in [0, n labels) for multilabel targets. "
                f"Got {chosen.min()} < 0"
            )
        true, pred = true[:, chosen], pred[:, chosen]
    parts = (true & pred, pred, true)
    weight = decisions.weight
    if weight is None:
        return LabelCounts(*(np.count_nonzero(x, axis=axis) for x in parts))
    if axis == 0:
        return LabelCounts(*(weight @ x for x in parts))
    return LabelCounts(*(np.count_nonzero(x, axis=1) * weight for x in parts))


def ratio(
    top: AnyArray, bottom: AnyArray, zero_division: Any, complaint: tuple[str, str, str | None]
) -> AnyArray:
    """Divide; 0/0 is what `zero_division` says, with a warning where it says "warn".

    `complaint` holds the measure, what it lacks, and the average: the words of the warning. An
    empty measure is silent.
    """
    empty = bottom == 0
    if not empty.any():
        return np.divide(top, bottom)
    fill = np.nan if zero_division != zero_division else zero_division
    if isinstance(zero_division, str):
        fill = 0.0
        _warn_of_empty(complaint, bottom.size)
    result = np.full(bottom.shape, np.float64(fill))
    return np.divide(top, bottom, out=result, where=~empty)


def _warn_of_empty(complaint: tuple[str, str, str | None], size: int) -> None:
    measure, lacks, average = complaint
    if not measure:
        return
    one, many = ("label", "sample") if average == "samples" else ("sample", "label")
    where = "due to" if size == 1 else f"in {many}s with"
    warn(
        f"{measure} is ill-defined and being set to 0.0 {where} no {lacks} {one}s. "
        f"Use `zero_division` parameter to control this behavior.",
        undefined_warning(),
    )


def averaged(values: AnyArray, weight: AnyArray | None) -> float:
    """Mean of what is not nan; weights that sum to 0 count as none."""
    known = ~np.isnan(values)
    if not known.any():
        return float("nan")
    values = values[known]
    if weight is not None:
        weight = weight[known]
        total = weight.sum()
        if total != 0:
            return float(np.multiply(values, weight).sum() / total)
    return float(values.mean())
