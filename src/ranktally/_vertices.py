"""The path of a tally through the plane of counts, which every curve and area walks along."""

from __future__ import annotations

import math

import numpy as np

from ._counts import Counts
from ._types import AnyArray, real_of
from ._validate import MAX_PAIRS
from .errors import InputError

__all__ = ["check_share", "path", "share", "whole", "with_missing"]


def whole(counts: Counts) -> Counts:
    """The same counts in a type whose products can be trusted.

    int64 where all are whole numbers and their pairs stay below 2**62, so that sums are exact;
    else float64.
    """
    n_pos, n_neg = counts.n_pos, counts.n_neg
    tp, fp = counts.tp, counts.fp
    fit = n_pos * n_neg < MAX_PAIRS
    if tp.dtype.kind == "i":
        if fit:
            return counts
        return Counts(
            counts.threshold, tp.astype(float), fp.astype(float), float(n_pos), float(n_neg)
        )
    fit = fit and max(n_pos, n_neg) < 2.0**53
    if not fit or not (float(n_pos).is_integer() and float(n_neg).is_integer()):
        return counts
    whole_tp, whole_fp = tp.astype(np.int64), fp.astype(np.int64)
    if not (np.array_equal(whole_tp, tp) and np.array_equal(whole_fp, fp)):
        return counts
    return Counts(counts.threshold, whole_tp, whole_fp, int(n_pos), int(n_neg))


def with_missing(counts: Counts) -> tuple[AnyArray, AnyArray, bool]:
    """True and false positives with the group of missing scores, if there is one, at the end."""
    tp: AnyArray = counts.tp
    fp: AnyArray = counts.fp
    last = (tp[-1], fp[-1]) if tp.size else (0, 0)
    if last == (counts.n_pos, counts.n_neg):
        return tp, fp, False
    tp = np.append(tp, tp.dtype.type(counts.n_pos))
    fp = np.append(fp, fp.dtype.type(counts.n_neg))
    return tp, fp, True


def path(counts: Counts) -> tuple[AnyArray, AnyArray]:
    """True and false positives from (0, 0) through every tie group to the totals."""
    tp, fp, _ = with_missing(counts)
    zero = np.zeros(1, tp.dtype)
    return np.concatenate([zero, tp]), np.concatenate([zero, fp])


def share(part: AnyArray, total: float) -> AnyArray:
    """Parts over their total; nan where there is none."""
    if total == 0:
        return np.full(part.size, np.nan)
    return np.asarray(part / np.float64(total))


def check_share(value: object, name: str, *, inside: bool = False) -> float:
    """A number of [0, 1], or of (0, 1) for `inside`, as a float.

    Raises
    ------
    InputError
        For anything else.
    """
    real = real_of(value)
    if (0 < real < 1) if inside else (0 <= real <= 1):
        return real if real else math.fabs(real)
    where = "strictly between 0 and 1" if inside else "from 0 to 1"
    raise InputError(f"`{name}` must be a number {where}, got {value!r}")
