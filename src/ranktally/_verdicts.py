"""Adjusted p-values, and what a difference shows by them."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np

from ._types import Floats

__all__ = [
    "ADJUSTMENTS",
    "NO_DIFFERENCE",
    "UNDEFINED",
    "adjust_p",
    "resamples_needed",
    "verdict_bound",
    "verdict_of",
]

ADJUSTMENTS = ("holm", "bonferroni", "bh", "none")
NO_DIFFERENCE = "no difference shown"
UNDEFINED = "undefined"


def adjust_p(p: Floats, how: str) -> Floats:
    """Adjust p-values for their number; those that are nan do not count and stay nan.

    "holm" and "bonferroni" bound the chance of any false verdict, "bh" (Y. Benjamini and
    Y. Hochberg, 1995) the expected share of false ones among the differences shown.
    """
    out = np.array(p, np.float64)
    known = np.flatnonzero(~np.isnan(out))
    order = known[np.argsort(out[known], kind="stable")]
    rising, count = out[order], order.size
    if how == "bonferroni":
        rising = rising * count
    elif how == "holm":
        rising = np.maximum.accumulate(rising * np.arange(count, 0, -1))
    elif how == "bh":
        shares = rising * (count / np.arange(1, count + 1))
        rising = np.minimum.accumulate(shares[::-1])[::-1]
    out[order] = np.minimum(rising, 1.0)
    return out


def verdict_bound(level: float) -> float:
    """Return what an adjusted p-value must stay below: 0.05 for 0.95, without the last bit."""
    return float(f"{1.0 - level:.12g}")


def verdict_of(difference: float, p: float, level: float, direction: str | None) -> str:
    """Say in a few words what a difference and its adjusted p-value show."""
    if math.isnan(p) or math.isnan(difference):
        return UNDEFINED
    if not _is_below(p, level) or difference == 0.0:
        return NO_DIFFERENCE
    if direction is None:
        return "higher" if difference > 0.0 else "lower"
    return "better" if (difference > 0.0) == (direction == "up") else "worse"


def resamples_needed(
    p: Floats, least: Floats, n_resamples: int, level: float, how: str
) -> int | None:
    """Return how many replicates a verdict takes, or None where there are enough.

    Parameters
    ----------
    p : ndarray of float64
        All p-values of a family.
    least : ndarray of float64
        The least that each can be, times the number of replicates and one; nan of those that come
        from no replicates.
    """
    least = np.where(np.isnan(p), np.nan, least)
    drawn = ~np.isnan(least)
    if not drawn.any():
        return None

    def is_enough(size: int) -> bool:
        best = adjust_p(np.where(drawn, least / (size + 1), p), how)
        return _is_below(float(best[drawn].min()), level)

    if is_enough(n_resamples):
        return None
    known = int(np.count_nonzero(~np.isnan(p)))
    most = int(known * float(np.nanmax(least)) / verdict_bound(level)) + 2
    return bisect_left(range(most), True, lo=n_resamples, key=is_enough)


def _is_below(p: float, level: float) -> bool:
    """Whether a p-value is below the bound, and not merely rounded to below it."""
    return p < verdict_bound(level) * (1.0 - 1e-12)
