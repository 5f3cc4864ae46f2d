"""Intervals from bootstrap replicates: percentile, basic, normal, and BCa."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ._types import Floats
from .errors import InputError

__all__ = [
    "METHODS",
    "Contribution",
    "Interval",
    "acceleration",
    "make_interval",
    "read_interval",
    "two_sided_p",
]

METHODS = ("percentile", "basic", "normal", "bca")
NAN = math.nan
NORMAL = NormalDist()
# Replicates that differ by less than this share of the numbers differ by rounding.
NOISE = 1e-12
WORRYING = 0.25


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
        "ok", or why the interval is nan, such as "one_cluster".
    note : str
        What to know about it: few rows of a class, zero width, undefined replicates.
    n_resamples, n_undefined : int
        Replicates drawn, and those among them in which the metric is undefined and which the
        interval leaves out.
    p : float or None
        Of a difference: the two-sided p-value of no difference, which is below ``1 - level`` where
        the interval leaves out 0. None for a metric's own interval.
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


@dataclass(frozen=True, eq=False)
class Contribution:
    """What each unit contributes to a number: deviations, of any scale.

    `blocks` says in words what was deleted instead of single rows; "" for closed forms.
    """

    value: Floats
    blocks: str

    def __sub__(self, other: Contribution) -> Contribution:
        return Contribution(self.value - other.value, self.blocks)


def read_interval(
    estimate: float,
    replicates: Floats,
    status: str,
    within: tuple[float, float],
    *,
    method: str,
    level: float,
    scheme: str,
    contribution: Contribution | None,
    notes: Sequence[str],
    scale: float,
    paired: bool,
) -> Interval:
    """Interval of a number, or of a difference (`paired`), from its replicates.

    `status` is why nothing is known, or "ok"; `scale` that of the numbers, for which rounding
    errors are none.

    Raises
    ------
    InputError
        If "bca" lacks what the rows contribute.
    """
    if method == "bca" and contribution is None and status == "ok":
        raise InputError(
            '`method` "bca" needs what each row contributes, which this result does not hold: '
            'pass method="bca" to bootstrap'
        )
    accelerated = 0.0
    if method == "bca" and contribution is not None:
        accelerated = acceleration(contribution.value)
    defined = _without_noise(replicates[~np.isnan(replicates)], estimate, scale)
    if status == "ok" and math.isinf(estimate):
        status = "infinite"
    low, high, error, p = NAN, NAN, NAN, NAN
    if status == "ok":
        low, high, error = make_interval(estimate, defined, method, level, within, accelerated)
        if math.isnan(low):
            # Infinite replicates have no standard error, and neither has a single one.
            status = "no_standard_error" if defined.size else "no_defined_replicates"
            status = "no_acceleration" if math.isnan(accelerated) else status
        elif paired:
            p = two_sided_p(estimate, defined, method, accelerated)
            status = "zero_variance" if math.isnan(p) else status
    undefined = replicates.size - defined.size
    known = not math.isnan(low)
    few = known and _few_replicates(estimate, defined, method, level, accelerated)
    blocks = contribution.blocks if method == "bca" and contribution else ""
    told = {
        **dict.fromkeys(notes, True),
        "biased: replicates lie off the estimate": known and _is_off(estimate, defined, error),
        "degenerate: zero width": low == high,
        "replicates too few for the level": few,
        # Of a number that is undefined in all of them its status tells.
        f"{undefined} of {replicates.size} replicates undefined": undefined > 0
        and (defined.size > 0 or not math.isnan(estimate)),
        blocks: bool(blocks),
    }
    return Interval(
        low,
        estimate,
        high,
        error,
        method,
        level,
        scheme,
        status,
        ", ".join(note for note, holds in told.items() if holds),
        replicates.size,
        undefined,
        p if paired else None,
    )


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
    elif method == "bca" and math.isnan(accelerated):
        return NAN, NAN, error
    else:
        low, high = (
            _quantile(ordered, q) for q in _shares(estimate, ordered, method, tail, accelerated)
        )
        if method == "basic":
            low, high = 2.0 * estimate - high, 2.0 * estimate - low
    return _clip(low, within), _clip(high, within), error


def _is_off(estimate: float, defined: Floats, error: float) -> bool:
    """Whether the replicates' mean is far from the estimate, and not by chance.

    A quarter of the standard error is where B. Efron and R. J. Tibshirani (1993), section 10.2,
    begin to worry: a quantity such as ks or ece is larger in a sample than in what it is drawn
    from, and its replicates are by as much again.
    """
    if not error > 0.0:
        return False
    off = abs(float(defined.mean()) - estimate) / error
    return off > max(WORRYING, 4.0 / math.sqrt(defined.size))


def _without_noise(replicates: Floats, estimate: float, scale: float) -> Floats:
    """Replicates of which differences that rounding alone makes, to `scale`, are none."""
    least = NOISE * scale
    if replicates.size and math.isfinite(least) and np.ptp(replicates) <= least:
        near = abs(float(replicates[0]) - estimate) <= least
        return np.full(replicates.size, estimate if near else replicates[0])
    return replicates


def _deviation(values: Floats) -> float:
    if values.size < 2 or not np.isfinite(values).all():
        return NAN
    return float(np.std(values, ddof=1)) if values[0] != values[-1] else 0.0


def _clip(value: float, within: tuple[float, float]) -> float:
    return min(max(value, within[0]), within[1]) if value == value else value


def _shares(
    estimate: float, ordered: Floats, method: str, tail: float, accelerated: float
) -> tuple[float, float]:
    """Shares of the replicates that lie below the two ends."""
    if method != "bca":
        return tail, 1.0 - tail
    bias = _bias(estimate, ordered)
    low, high = (_moved(bias, NORMAL.inv_cdf(q), accelerated) for q in (tail, 1.0 - tail))
    return low, high


def _bias(estimate: float, ordered: Floats) -> float:
    """Normal quantile of the share of replicates below the estimate; ties count one half."""
    below = np.searchsorted(ordered, estimate, "left") + np.searchsorted(ordered, estimate, "right")
    share = float(below) / (2.0 * ordered.size)
    return NORMAL.inv_cdf(min(max(share, 0.5 / ordered.size), 1.0 - 0.5 / ordered.size))


def _moved(bias: float, z: float, accelerated: float) -> float:
    """Share that BCa takes in place of that of the normal quantile `z`."""
    moved = bias + z
    left = 1.0 - accelerated * moved
    if left <= 0.0:  # beyond the pole of the correction
        return 1.0 if moved > 0.0 else 0.0
    return NORMAL.cdf(bias + moved / left)


def _unmoved(bias: float, share: float, accelerated: float) -> float:
    """Inverse of `_moved`: the tail whose end has this share of the replicates below it."""
    if not 0.0 < share < 1.0:
        return min(max(share, 0.0), 1.0)
    moved = NORMAL.inv_cdf(share) - bias
    left = 1.0 + accelerated * moved
    if left <= 0.0:
        return 1.0 if moved > 0.0 else 0.0
    return NORMAL.cdf(moved / left - bias)


def _few_replicates(
    estimate: float, replicates: Floats, method: str, level: float, accelerated: float
) -> bool:
    """Whether an end lies beyond the outermost replicates, of which there would have to be more."""
    if method == "normal" or not replicates.size or math.isnan(accelerated):
        return False
    low, high = _shares(estimate, np.sort(replicates), method, (1.0 - level) / 2.0, accelerated)
    return min(low, 1.0 - high) * (replicates.size + 1) < 1.0


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


def acceleration(deviations: Floats) -> float:
    """Acceleration of BCa from what each unit contributes, as deviations from their mean.

    nan if one is undefined: a class has a single row, say.
    """
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6.0 * spread**1.5) if spread != 0.0 else 0.0


def two_sided_p(
    estimate: float, replicates: Floats, method: str = "percentile", accelerated: float = 0.0
) -> float:
    """p-value of no difference: the smallest ``1 - level`` whose interval leaves out 0.

    At least ``1 / (B + 1)``; nan where the replicates do not differ, and are not all 0.
    """
    if replicates.size == 0 or math.isnan(estimate) or math.isnan(accelerated):
        return NAN
    ordered = np.sort(replicates)
    if ordered[0] == ordered[-1]:
        return 1.0 if estimate == 0.0 == ordered[0] else NAN
    if method == "normal":
        return math.erfc(abs(estimate) / _deviation(ordered) / math.sqrt(2.0))
    if method == "basic":
        ordered = (2.0 * estimate - ordered)[::-1]
    below, above = (_rank_of_zero(side) / (ordered.size + 1) for side in (ordered, -ordered[::-1]))
    if method == "bca":
        bias = _bias(estimate, ordered)
        below = _unmoved(bias, below, accelerated)
        above = 1.0 - _unmoved(bias, 1.0 - above, accelerated)
    return min(1.0, 2.0 * min(below, above))


def _rank_of_zero(ordered: Floats) -> float:
    """The highest rank, counted from 1, whose quantile is 0 or less; 1/2 when there is none."""
    count = int(np.searchsorted(ordered, 0.0, "right"))
    if count == 0:
        return 0.5
    if count == ordered.size:
        return count + 1.0
    low, high = float(ordered[count - 1]), float(ordered[count])
    if math.isinf(low) or math.isinf(high):
        return count + float(math.isinf(low))
    return count - low / (high - low)
