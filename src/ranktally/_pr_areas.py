"""Interpolated areas under the precision-recall curve: other numbers than average precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ._counts import Counts
from ._types import Floats
from ._validate import check_choice
from ._vertices import path
from .errors import InputError

__all__ = ["pr_auc", "pr_auc_of", "read_interpolation"]


def read_interpolation(interpolation: object, start: object) -> tuple[str, str]:
    """Check the two choices that name the area.

    Raises
    ------
    InputError
        For unknown ones, or a start with an interpolation that needs none.
    """
    check_choice("interpolation", interpolation, ("linear", "davis_goadrich"))
    check_choice("start", start, ("flat", "one"))
    if start == "one" and interpolation != "linear":
        raise InputError('`start` "one" goes with linear interpolation only')
    return str(interpolation), str(start)


def pr_auc(counts: Counts, interpolation: str, start: str) -> float:
    """Area under precision over recall; nan without positives. Absolute error below 1e-14."""
    if not counts.n_pos:
        return math.nan
    tp, fp = (x.astype(np.float64) for x in path(counts))
    area = _linear(tp, fp, start) if interpolation == "linear" else _davis_goadrich(tp, fp)
    return min(max(area / float(counts.n_pos), 0.0), 1.0)


def pr_auc_of(interpolation: str, start: str = "flat") -> Callable[[Counts], float]:
    """Make the metric of a named interpolation."""
    interpolation, start = read_interpolation(interpolation, start)
    return lambda counts: pr_auc(counts, interpolation, start)


def _linear(tp: Floats, fp: Floats, start: str) -> float:
    precision = tp[1:] / (tp[1:] + fp[1:])
    before = np.concatenate([[precision[0] if start == "flat" else 1.0], precision[:-1]])
    return float(np.sum(np.diff(tp) * (before + precision))) / 2


def _davis_goadrich(tp: Floats, fp: Floats) -> float:
    """Integrate precision along each tie group, whose negatives come in step with its positives.

    With T positives and F negatives in the group, N = T + F, after n rows of which p are positive,
    the precision at t positives is t / (n + (t - p) N / T), whose integral over the group is
    T^2 / N - (T (n - p) - F p) T / N^2 ln(1 + N / n). The first group has constant precision.
    """
    up, right = np.diff(tp), np.diff(fp)
    step = up + right
    before = tp[:-1] + fp[:-1]
    used = (up > 0) & (before > 0)
    t, f, n, p = up[used], right[used], step[used], tp[:-1][used]
    rows = before[used]
    bend = (t * (rows - p) - f * p) / n * (t / n) * np.log1p(n / rows)
    area = float(np.sum(t * (t / n) - bend))
    first = float(up[0] * (up[0] / step[0])) if step.size else 0.0
    return first + area
