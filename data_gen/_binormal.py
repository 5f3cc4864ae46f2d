"""The binormal law in closed form: scores N(mu, 1) of positives, N(0, 1) of negatives."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STANDARD = NormalDist()


def cdf(x: float) -> float:
    """Standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def survival(x: Floats) -> Floats:
    """Upper tail of the standard normal, accurate far out."""
    tails = (0.5 * math.erfc(value / math.sqrt(2.0)) for value in x.tolist())
    return np.fromiter(tails, float, len(x))


def shift(auc: float) -> float:
    """The mean of the positives that gives this AUC: ``auc = cdf(mu / sqrt(2))``."""
    return math.sqrt(2.0) * _STANDARD.inv_cdf(auc)


def average_precision(mu: float, prevalence: float) -> float:
    """Precision integrated over recall, for the law (the limit of many rows).

    The integrand is smooth and falls off like a normal density at both ends, where the trapezoid
    rule converges faster than any power of the step.
    """
    t = np.linspace(min(mu, 0.0) - 12.0, max(mu, 0.0) + 12.0, 8_001)
    pos = prevalence * survival(t - mu)
    neg = (1.0 - prevalence) * survival(t)
    found = pos + neg
    precision = np.divide(pos, found, out=np.zeros_like(t), where=found > 0)
    density = np.exp(-0.5 * (t - mu) ** 2) / math.sqrt(2.0 * math.pi)
    return float(np.sum(precision * density) * (t[1] - t[0]))


def truth(auc: float, prevalence: float) -> dict[str, float]:
    """What the law says about a score without ties."""
    mu = shift(auc)
    return {
        "mu": mu,
        "prevalence": prevalence,
        "roc_auc": auc,
        "gini": 2.0 * auc - 1.0,
        "ks": max(2.0 * cdf(mu / 2.0) - 1.0, 0.0),
        "average_precision": average_precision(mu, prevalence),
    }


def truth_of_cells(auc: float, prevalence: float, edges: Floats) -> dict[str, float]:
    """What the law says once scores between two neighbours of `edges` are one tied value.

    Parameters
    ----------
    auc : float
        The AUC before rounding.
    prevalence : float
        Share of positives.
    edges : ndarray
        Where the cells begin and end on the scale of N(mu, 1) and N(0, 1), increasing.
    """
    mu = shift(auc)
    above_pos = np.concatenate([[1.0], survival(edges - mu), [0.0]])
    above_neg = np.concatenate([[1.0], survival(edges), [0.0]])
    in_pos = above_pos[:-1] - above_pos[1:]
    in_neg = above_neg[:-1] - above_neg[1:]
    roc_auc = float(np.sum(in_neg * (above_pos[1:] + 0.5 * in_pos)))
    pos = prevalence * above_pos[:-1]
    found = pos + (1.0 - prevalence) * above_neg[:-1]
    precision = np.divide(pos, found, out=np.zeros_like(pos), where=found > 0)
    return {
        "mu": mu,
        "prevalence": prevalence,
        "roc_auc": roc_auc,
        "gini": 2.0 * roc_auc - 1.0,
        "ks": max(float(np.max(above_pos - above_neg)), 0.0),
        "average_precision": float(np.sum(in_pos * precision)),
        "roc_auc_before_rounding": auc,
    }
