"""Counts of a tally at thresholds that somebody asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._confusion import Confusion
from ._counts import Counts
from ._types import AnyArray, Ints
from ._validate import read_thresholds, whole_cut
from .errors import InputError

__all__ = ["counts_at"]

SORT_FROM = 512
"""Thresholds from which sorting them first pays: neighbours share cache lines."""


def counts_at(counts: Counts, threshold: Any, *, complete: bool) -> Confusion:
    """Counts where ``score >= threshold``, for one threshold or an array of any shape."""
    asked = read_thresholds(threshold, "threshold")
    place = _last_at_or_above(counts.threshold, asked.ravel(), complete=complete)
    tp, fp = (_picked(side, place).reshape(asked.shape) for side in (counts.tp, counts.fp))
    tn, fn = counts.n_neg - fp, counts.n_pos - tp
    if asked.ndim == 0:
        return Confusion(asked.item(), tp.item(), fp.item(), tn.item(), fn.item())
    return Confusion(asked, tp, fp, tn, fn)


def _picked(side: AnyArray, place: Ints) -> AnyArray:
    """Counts at each place, 0 at -1."""
    if not side.size:
        return np.zeros(place.size, side.dtype)
    found = side[place]
    found[place < 0] = 0
    return found


def _last_at_or_above(threshold: AnyArray, asked: AnyArray, *, complete: bool) -> Ints:
    """Index of the lowest threshold at or above each of `asked`, -1 where there is none."""
    if threshold.dtype.kind == "f":
        with np.errstate(over="ignore"):
            cuts = asked.astype(threshold.dtype)
        above = None
    else:
        cuts, above = _whole_cuts(asked, threshold.dtype)
    place: Ints = threshold.size - 1 - _searched(threshold[::-1], cuts)
    if above is not None:
        place[above] = -1
    if not complete:
        held = _picked(threshold, place) == asked.astype(cuts.dtype, copy=False)
        held &= (place >= 0) & (cuts == asked if above is not None else True)
        if not held.all():
            raise InputError(
                f"`threshold` {asked[np.argmin(held)]!r} lies between the thresholds that this "
                f"incomplete tally holds: ask for one of `tally.threshold`"
            )
    return place


def _searched(ascending: AnyArray, cuts: AnyArray) -> Ints:
    if cuts.size < SORT_FROM or bool((cuts[1:] >= cuts[:-1]).all()):
        return np.asarray(np.searchsorted(ascending, cuts), np.int64)
    if bool((cuts[1:] <= cuts[:-1]).all()):
        return np.asarray(np.searchsorted(ascending, cuts[::-1])[::-1], np.int64)
    order = np.argsort(cuts)
    found = np.empty(cuts.size, np.int64)
    found[order] = np.searchsorted(ascending, cuts[order])
    return found


def _whole_cuts(asked: AnyArray, dtype: np.dtype[Any]) -> tuple[AnyArray, AnyArray]:
    """The integers from which scores are selected, and which lie above all of the type's.

    0.5 selects the integers from 1 on; nothing is rounded on the way.
    """
    info = np.iinfo(dtype)
    if asked.dtype.kind == "f" and asked.dtype.itemsize <= 8:
        whole = np.ceil(asked.astype(np.float64))
        above = whole >= float(info.max + 1)
        whole[above] = 0.0
        return np.maximum(whole, float(info.min)).astype(dtype), above
    if asked.dtype.kind in "iu":
        above = asked > info.max
        inside = np.where(above | (asked < info.min), 0, asked).astype(dtype)
        inside[asked < info.min] = info.min
        return inside, above
    exact = [whole_cut(x) for x in asked.tolist()]
    above = np.asarray([x > info.max for x in exact], bool)
    return np.asarray([int(min(max(x, info.min), info.max)) for x in exact], dtype), above
