"""Intervals of a share of counts."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ._normal import normal_reach
from ._types import Floats, real_of
from .errors import InputError, MissingExtra

__all__ = ["check_level", "clopper_pearson", "jeffreys", "wilson"]

# Closer to 0 or 1, a level's tail is mostly the rounding of the level.
CLOSEST_LEVEL = 1e-12


def check_level(level: object) -> float:
    """Return a confidence level as a float.

    Raises
    ------
    InputError
        If it is not strictly between 0 and 1, or too close to either for a tail to be told.
    """
    number = real_of(level)
    if not 0 < number < 1:
        raise InputError(f"`level` must be a number strictly between 0 and 1, got {level!r}")
    if not CLOSEST_LEVEL <= number <= 1 - CLOSEST_LEVEL:
        raise InputError(
            f"`level` must be from {CLOSEST_LEVEL:g} to 1 - {CLOSEST_LEVEL:g}, beyond which its "
            f"tails are lost in rounding, got {level!r}"
        )
    return number


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
    z2 = normal_reach(check_level(level)) ** 2
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


def clopper_pearson(successes: Any, trials: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Clopper and Pearson's exact interval, which covers at least as often as it says.

    Parameters, returns and errors as of `wilson`; needs SciPy.

    Raises
    ------
    MissingExtra
        If SciPy is not installed.

    References
    ----------
    C. J. Clopper and E. S. Pearson (1934), The use of confidence or fiducial limits illustrated
    in the case of the binomial, Biometrika 26.

    Examples
    --------
    >>> low, high = clopper_pearson([19], [20])
    >>> low.round(4).item(), high.round(4).item()
    (0.7513, 0.9987)
    """
    k, n = np.asarray(successes, np.float64), np.asarray(trials, np.float64)
    return _beta_interval(k, n, (k, n - k + 1), (k + 1, n - k), level)


def jeffreys(successes: Any, trials: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Equal-tailed interval of the share's posterior under Jeffreys' prior.

    The low end is 0 without successes and the high end 1 without failures, as is customary.
    Parameters, returns and errors as of `clopper_pearson`.

    References
    ----------
    L. D. Brown, T. T. Cai and A. DasGupta (2001), Interval estimation for a binomial proportion,
    Statistical Science 16, section 4.1.

    Examples
    --------
    >>> low, high = jeffreys([19], [20])
    >>> low.round(4).item(), high.round(4).item()
    (0.7892, 0.9946)
    """
    k, n = np.asarray(successes, np.float64), np.asarray(trials, np.float64)
    beta = (k + 0.5, n - k + 0.5)
    return _beta_interval(k, n, beta, beta, level)


def _beta_interval(
    k: Floats,
    n: Floats,
    lower: tuple[Floats, Floats],
    upper: tuple[Floats, Floats],
    level: float,
) -> tuple[Floats, Floats]:
    """Tails of two beta distributions, ends that the share touches set exactly."""
    tail = (1 - check_level(level)) / 2
    try:
        special = importlib.import_module("scipy.special")
    except ImportError:
        raise MissingExtra("scipy", "stats", "a beta quantile") from None
    # Parameters of the ends that are set are kept in range, so that nothing is computed of them.
    inverse = special.betaincinv
    low = np.where(k == 0, 0.0, inverse(np.maximum(lower[0], 0.5), lower[1], tail))
    high = np.where(k == n, 1.0, inverse(upper[0], np.maximum(upper[1], 0.5), 1 - tail))
    empty = n == 0
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
