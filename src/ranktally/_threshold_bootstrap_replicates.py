"""Replicates of a choice of threshold, and what they say together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ._intervals import make_interval
from ._types import AnyArray, Floats

__all__ = ["Threshold", "ThresholdReplicates", "mean_of", "threshold_ends"]

Threshold = int | float


@dataclass(frozen=True, eq=False)
class ThresholdReplicates:
    """What each replicate chose, and the metric there; arrays of shape (n_resamples,).

    Attributes
    ----------
    threshold : ndarray
        In the score's own dtype; of no meaning where `reached` is False.
    reached : ndarray of bool
        Whether a threshold meets the constraint on the rows drawn and has a defined value.
    in_bag, out_of_bag, on_all : ndarray of float64
        The metric on the rows drawn, on those not drawn, and on all rows of the data; nan where
        it is undefined or nothing was reached.
    holds : ndarray of float64
        1 where the constraint holds on the rows not drawn, 0 where it fails, nan where that is
        undefined, where nothing was reached, and without a constraint.
    """

    threshold: AnyArray
    reached: AnyArray
    in_bag: Floats
    out_of_bag: Floats
    on_all: Floats
    holds: Floats

    def __post_init__(self) -> None:
        for array in vars(self).values():
            array.flags.writeable = False

    @property
    def chosen(self) -> AnyArray:
        """Thresholds of the replicates that reach one."""
        return np.asarray(self.threshold[self.reached])

    @property
    def most_common(self) -> tuple[Threshold, float]:
        """The threshold chosen most often (the lowest of several), and the share that does."""
        value, times = np.unique(self.chosen, return_counts=True)
        if not value.size:
            return math.nan, math.nan
        k = int(np.argmax(times))
        return value[k].item(), float(times[k] / times.sum())

    @property
    def optimism(self) -> tuple[float, str]:
        """Mean of `in_bag` less `on_all` where both are defined, and why it is nan."""
        both = np.stack([self.in_bag, self.on_all])
        both = both[:, ~np.isnan(both).any(axis=0)]
        if np.isinf(both).any():
            return math.nan, "infinite"
        return mean_of(both[0] - both[1]), "ok" if both.size else "no_defined_replicates"


def mean_of(values: Floats) -> float:
    """Mean of defined values; nan where there is none, or where some are infinite."""
    if not values.size or not np.isfinite(values).all():
        return math.nan
    with np.errstate(over="ignore"):
        return float(values.mean())


def threshold_ends(
    chosen: Threshold, found: AnyArray, level: float
) -> tuple[Threshold, Threshold, float]:
    """Percentile interval of a threshold, and its standard error; nan without replicates.

    Integers are thresholds that replicates chose, since rounding would make others of them: those
    of rank ``q (B + 1)``, rounded outwards.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if found.dtype.kind == "f" or not found.size:
            wide = found.astype(np.float64)
            whole = (-math.inf, math.inf)
            return make_interval(float(chosen), wide, "percentile", level, whole, 0.0)
    ordered = np.sort(found)
    # Rounded first: what should be a whole rank may have lost its last bit.
    rank = max(1, math.floor(round((1.0 - level) / 2.0 * (ordered.size + 1), 9)))
    low, high = ordered[rank - 1].item(), ordered[-rank].item()
    # Distances from the least of them fit even where the integers, as floats, run together.
    apart = (ordered.astype(np.uint64) - ordered[:1].astype(np.uint64)).astype(np.float64)
    error = float(np.std(apart, ddof=1)) if apart.size > 1 else math.nan
    return low, high, error
