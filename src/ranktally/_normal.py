"""What the normal law makes of numbers with their standard errors: intervals, z and p-values."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from ._types import Floats

__all__ = ["logit_ends", "normal_ends", "normal_reach", "without_rounding", "z_and_p"]

NAN = math.nan
LARGEST_EXPONENT = 700.0
# Standard errors, and differences, up to this share of the numbers they are of are rounding.
ROUNDING = 1e-12


def normal_reach(level: float) -> float:
    """Standard errors from an estimate to either end of its interval.

    Of the tail, which the level determines to more digits than what is below it.
    """
    return -NormalDist().inv_cdf((1.0 - level) / 2.0)


def normal_ends(
    estimate: float, error: float, level: float, within: tuple[float, float]
) -> tuple[float, float, bool]:
    """Low and high about an estimate, and whether one was moved to the end of the range."""
    if math.isnan(error):
        return NAN, NAN, False
    half = normal_reach(level) * error
    low, high = estimate - half, estimate + half
    clipped = low < within[0] or high > within[1]
    return max(low, within[0]), min(high, within[1]), clipped


def logit_ends(share: float, error: float, level: float) -> tuple[float, float]:
    """Low and high about a share between 0 and 1, alike on the scale of ``log(x / (1 - x))``."""
    rest = 1.0 - share
    stretch = min(normal_reach(level) * error / (share * rest), LARGEST_EXPONENT)
    low = share / (share + rest * math.exp(stretch))
    high = share / (share + rest * math.exp(-stretch))
    return low, high


def z_and_p(difference: float, error: float, scale: float) -> tuple[float, float]:
    """Z and its two-sided p-value, for a difference of numbers of a size.

    0 and 1 where there is neither a difference nor a variance; nan for a difference without.
    """
    if error > 0.0:
        z = difference / error
        # The tail itself rather than 1 - cdf, which is 0 from z = 8.3 on.
        return z, math.erfc(abs(z) / math.sqrt(2.0))
    same = error == 0.0 and abs(difference) <= ROUNDING * scale
    return (0.0, 1.0) if same else (NAN, NAN)


def without_rounding(products: Floats, gaps: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Variances with zeros for those that are rounding: of rows that all bear alike on a number.

    Parameters
    ----------
    products, gaps : ndarray of float64, shape (k, k)
        Covariances of k numbers, and variances of their differences.
    scale : ndarray of float64, shape (k,)
        Size of the numbers.
    """
    still = np.sqrt(np.diagonal(products)) <= ROUNDING * scale
    alike = np.sqrt(gaps) <= ROUNDING * np.maximum.outer(scale, scale)
    return np.where(still | still[:, None], 0.0, products), np.where(alike, 0.0, gaps)
