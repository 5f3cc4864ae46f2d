"""Intervals of a share of counts."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from ._types import Floats
from .errors import InputError

__all__ = ["wilson"]


def wilson(successes: Any, trials: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's score interval for shares of successes.

    Parameters
    ----------
    successes, trials : array-like
        Counts of one shape; sums of weights are taken as numbers of repeated rows.
    level : float
        Between 0 and 1.

    Returns
    -------
    low, high : ndarray of float64
        Within [0, 1], around the share; nan where there is no trial.

    Raises
    ------
    InputError
        If `level` is not strictly between 0 and 1.

    References
    ----------
    E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference,
    JASA 22.

    Examples
    --------
    >>> low, high = wilson([19], [20])
    >>> low.round(4).item(), high.round(4).item()
    (0.7639, 0.9911)
    """
    if isinstance(level, (bool, str)) or not 0 < level < 1:
        raise InputError(f"`level` must be a number strictly between 0 and 1, got {level!r}")
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    n = np.asarray(trials, np.float64)
    k = np.asarray(successes, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        center = (k + z2 / 2) / (n + z2)
        half = np.sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
        share = k / n
    # Rounding must not push an end past the share, which it touches at 0 and 1.
    low = np.where(k == 0, 0.0, np.minimum(np.maximum(center - half, 0.0), share))
    high = np.where(k == n, 1.0, np.maximum(np.minimum(center + half, 1.0), share))
    empty = n == 0
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
