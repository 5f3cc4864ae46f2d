"""Areas under a part of the ROC curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ._counts import Counts
from ._types import AnyArray
from ._validate import check_choice
from ._vertices import check_share, path, whole
from .errors import InputError

__all__ = ["PartialArea", "partial_auc", "partial_auc_of", "read_box"]

Band = tuple[float, float]
WHOLE: Band = (0.0, 1.0)


@dataclass(frozen=True)
class PartialArea:
    """Area under the ROC curve inside a box of the unit square, on three scales.

    Attributes
    ----------
    raw : float
        The area itself; nan when a class is missing.
    normalized : float
        `raw` over the area of the box: the mean height of the curve in a band of fpr.
    mcclish : float
        1/2 for the diagonal and 1 for the full box (McClish 1989); nan below the diagonal.
    fpr, tpr : tuple of float
        The box.
    """

    raw: float
    normalized: float
    mcclish: float
    fpr: Band
    tpr: Band


def read_box(fpr: object, tpr: object) -> tuple[Band, Band]:
    """Two bands of rates, of which one may be None for the whole axis.

    Raises
    ------
    InputError
        If both are None, or one is no pair of numbers ``0 <= low < high <= 1``.
    """
    if fpr is None and tpr is None:
        raise InputError("`fpr` or `tpr` must be a pair (low, high), such as fpr=(0, 0.1)")
    return _band(fpr, "fpr"), _band(tpr, "tpr")


def _band(value: object, name: str) -> Band:
    if value is None:
        return WHOLE
    if not isinstance(value, (Sequence, np.ndarray)) or isinstance(value, str) or len(value) != 2:
        raise InputError(f"`{name}` must be a pair (low, high), such as (0, 0.1), got {value!r}")
    low, high = (check_share(x, name) for x in value)
    if low >= high:
        raise InputError(f"`{name}` must be a pair (low, high) with low < high, got {value!r}")
    return low, high


def partial_auc(counts: Counts, fpr: Band, tpr: Band) -> PartialArea:
    """Area of the part of the box that lies under the curve.

    In integers (fractions at the four cuts) unless weights are fractions, and divided once.
    """
    if not counts.n_pos or not counts.n_neg:
        return PartialArea(math.nan, math.nan, math.nan, fpr, tpr)
    tp, fp = path(whole(counts))
    number: Any = Fraction if tp.dtype.kind == "i" else float
    n_pos, n_neg = number(tp[-1].item()), number(fp[-1].item())
    across, up = ([number(x) * total for x in band] for band, total in ((fpr, n_neg), (tpr, n_pos)))
    area = Fraction(_box_area(tp, fp, (across[0], across[1]), (up[0], up[1])) / (n_pos * n_neg))
    left, right, low, high = (Fraction(x) for x in (*fpr, *tpr))
    box = (right - left) * (high - low)
    area = min(max(area, Fraction(0)), box)
    chance = _under_diagonal(right, low, high) - _under_diagonal(left, low, high)
    mcclish = math.nan
    if chance <= area and chance < box:
        mcclish = float((1 + (area - chance) / (box - chance)) / 2)
    return PartialArea(float(area), float(area / box), mcclish, fpr, tpr)


def partial_auc_of(
    fpr: object = None, tpr: object = None, scale: str = "raw"
) -> Callable[[Counts], float]:
    """Make the metric of a box, on one of the three scales."""
    box = read_box(fpr, tpr)
    check_choice("scale", scale, ("raw", "normalized", "mcclish"))

    def area(counts: Counts) -> float:
        return float(getattr(partial_auc(counts, *box), scale))

    return area


def _under_diagonal(x: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Area below the diagonal and above the height `low`, cut at `high`, from 0 to `x`."""
    if x <= low:
        return Fraction(0)
    if x <= high:
        return (x - low) ** 2 / 2
    return (high - low) ** 2 / 2 + (x - high) * (high - low)


def _box_area(tp: AnyArray, fp: AnyArray, across: tuple[Any, Any], up: tuple[Any, Any]) -> Any:
    """Area in units of pairs: under the curve inside the box, and to its right what is full.

    All bounds are fractions, or all are floats; the area is of their type.
    """
    (left, right), (low, high) = across, up
    half = type(low)(0.5)
    start = max(_crossing(fp, left), _crossing(tp, low))
    end = min(_crossing(fp, right), _crossing(tp, high))
    here, there = _point(start, fp, tp), _point(end, fp, tp)
    area = max(right - max(there[0], left), type(low)(0)) * (high - low)
    if start >= end:
        return area
    pieces = [(here, there)]
    i, j = start[0] + 1, end[0]
    if i <= j:
        pieces = [(here, _point((i, 0), fp, tp)), (_point((j, 0), fp, tp), there)]
        twice = np.sum(np.diff(fp[i : j + 1]) * (tp[i:j] + tp[i + 1 : j + 1])).item()
        area += twice * half - (fp[j] - fp[i]).item() * low
    for (x0, y0), (x1, y1) in pieces:
        area += (x1 - x0) * ((y0 + y1) * half - low)
    return area


def _crossing(values: AnyArray, target: Any) -> tuple[int, Any]:
    """Where a rising count first reaches `target`: a vertex and the share of the step after it."""
    cut = math.ceil(target) if isinstance(target, Fraction) else target
    k = int(np.searchsorted(values, cut, side="left"))
    if k == 0 or values[k] == target:
        return k, 0
    before, after = values[k - 1].item(), values[k].item()
    return k - 1, (target - before) / (after - before)


def _point(position: tuple[int, Any], fp: AnyArray, tp: AnyArray) -> tuple[Any, Any]:
    k, part = position
    if not part:
        return fp[k].item(), tp[k].item()
    x, y = fp[k].item(), tp[k].item()
    return x + part * (fp[k + 1].item() - x), y + part * (tp[k + 1].item() - y)
