"""Intervals from bootstrap replicates: percentile, basic, normal, and BCa."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ._types import Floats

__all__ = ["METHODS", "Interval", "acceleration", "make_interval", "two_sided_p"]

METHODS = ("percentile", "basic", "normal", "bca")
NAN = math.nan
NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """An estimate and its bootstrap interval.

    Attributes
    ----------
    low, estimate, high : float
        `estimate` is the metric of the rows themselves, never a mean of replicates.
    standard_error : float
        Standard deviation of the replicates.
    method : str
        "percentile", "basic", "normal" or "bca".
    level : float
    scheme : str
        How replicates were drawn.
    status : str
        "ok", or why the interval is nan.
    note : str
        What to know about it: few rows of a class, zero width, undefined replicates.
    n_resamples, n_undefined : int
        Replicates drawn, and those among them in which the metric is undefined and which the
        interval leaves out.
    p : float or None
        Of a difference: the two-sided p-value of no difference. None for a metric's own interval.
    """

    low: float
    estimate: float
    high: float
    standard_error: float
    method: str
    level: float
    scheme: str
    status: str
    note: str
    n_resamples: int
    n_undefined: int
    p: float | None = None


def make_interval(
    estimate: float,
    replicates: Floats,
    method: str,
    level: float,
    within: tuple[float, float],
    accelerated: float,
) -> tuple[float, float, float]:
    """Low, high and standard error, from the defined replicates.

    Quantiles are those of B. Efron and R. J. Tibshirani (1993), An introduction to the bootstrap:
    the order statistic of rank ``q (B + 1)``, with a straight line between two of them.
    """
    ordered = np.sort(replicates)
    if ordered.size == 0 or math.isnan(estimate):
        return NAN, NAN, NAN
    error = _deviation(ordered)
    tail = (1.0 - level) / 2.0
    if method == "normal":
        reach = -NORMAL.inv_cdf(tail) * error
        low, high = estimate - reach, estimate + reach
    elif method == "bca":
        if math.isnan(accelerated):
            return NAN, NAN, error
        low, high = (
            _quantile(ordered, _bca_share(estimate, ordered, accelerated, q))
            for q in (tail, 1.0 - tail)
        )
    else:
        low, high = _quantile(ordered, tail), _quantile(ordered, 1.0 - tail)
        if method == "basic":
            low, high = 2.0 * estimate - high, 2.0 * estimate - low
    return _clip(low, within), _clip(high, within), error


def _deviation(values: Floats) -> float:
    if values.size < 2 or not np.isfinite(values).all():
        return NAN
    return float(np.std(values, ddof=1)) if values[0] != values[-1] else 0.0


def _clip(value: float, within: tuple[float, float]) -> float:
    return min(max(value, within[0]), within[1]) if value == value else value


def _quantile(ordered: Floats, share: float) -> float:
    rank = min(max(share * (ordered.size + 1) - 1.0, 0.0), ordered.size - 1.0)
    lower = int(rank)
    low = float(ordered[lower])
    high = float(ordered[min(lower + 1, ordered.size - 1)])
    part = rank - lower
    if part == 0.0 or low == high:
        return low
    # Infinite replicates must not meet in a difference.
    return low * (1.0 - part) + high * part if math.isinf(low) else low + part * (high - low)


def _bca_share(estimate: float, ordered: Floats, accelerated: float, q: float) -> float:
    """Share of the replicates below the end that BCa takes for `q`; ties count one half."""
    below = np.searchsorted(ordered, estimate, "left") + np.searchsorted(ordered, estimate, "right")
    share = float(below) / (2.0 * ordered.size)
    share = min(max(share, 0.5 / ordered.size), 1.0 - 0.5 / ordered.size)
    bias = NORMAL.inv_cdf(share)
    moved = bias + NORMAL.inv_cdf(q)
    return NORMAL.cdf(bias + moved / (1.0 - accelerated * moved))


def acceleration(deviations: Floats) -> float:
    """Acceleration of BCa from what each unit contributes, as deviations from their mean.

    nan if one is undefined: a class has a single row, say.
    """
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6.0 * spread**1.5) if spread != 0.0 else 0.0


def two_sided_p(estimate: float, replicates: Floats) -> float:
    """p-value of no difference: replicates as far from the estimate as it is from 0.

    ``(count + 1) / (B + 1)``, so that it is never 0.
    """
    if replicates.size == 0 or math.isnan(estimate):
        return NAN
    count = int(np.count_nonzero(np.abs(replicates - estimate) >= abs(estimate)))
    return (count + 1) / (replicates.size + 1)
