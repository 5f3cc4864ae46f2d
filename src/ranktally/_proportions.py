"""Intervals of the rates at a threshold that are a share of rows: binomial proportions."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from ._binomial import clopper_pearson, jeffreys, wilson
from ._requests import Request
from ._types import Floats
from ._validate import check_choice

__all__ = [
    "PROPORTION_METHODS",
    "WEIGHTED_NOTE",
    "is_share",
    "proportion_interval",
    "proportion_of",
]

ProportionMethod: TypeAlias = Literal["wilson", "jeffreys", "clopper_pearson"]

PROPORTION_METHODS = ("wilson", "jeffreys", "clopper_pearson")
WEIGHTED_NOTE = 'weighted and no share of rows: take ci="delong" or "bootstrap"'
_INTERVALS = {"wilson": wilson, "jeffreys": jeffreys, "clopper_pearson": clopper_pearson}
# Of each metric the counts that are successes and those that are failures.
_SHARES: dict[str, tuple[str, str]] = {
    "precision": ("tp", "fp"),
    "recall": ("tp", "fn"),
    "specificity": ("tn", "fp"),
    "fpr": ("fp", "tn"),
    "fnr": ("fn", "tp"),
    "npv": ("tn", "fn"),
    "fdr": ("fp", "tp"),
    "false_omission_rate": ("fn", "tn"),
    "accuracy": ("tp tn", "fp fn"),
    "error_rate": ("fp fn", "tp tn"),
    "prevalence": ("tp fn", "fp tn"),
    "predicted_positive_rate": ("tp fp", "tn fn"),
}


def is_share(request: Request) -> bool:
    """Whether a metric is a share of rows."""
    return not request.is_callers and request.metric.name in _SHARES


def proportion_of(
    request: Request, tp: Any, fp: Any, tn: Any, fn: Any
) -> tuple[Floats, Floats] | None:
    """Give the successes and trials of which a metric is the share; None if it is no share.

    Parameters
    ----------
    request : Request
    tp, fp, tn, fn : array-like
        Of one shape.
    """
    if not is_share(request):
        return None
    counts = {"tp": tp, "fp": fp, "tn": tn, "fn": fn}
    hits, misses = (
        sum(np.asarray(counts[name], np.float64) for name in side.split())
        for side in _SHARES[request.metric.name]
    )
    return np.asarray(hits), np.asarray(hits + misses)


def proportion_interval(
    request: Request,
    counts: tuple[Any, Any, Any, Any],
    method: ProportionMethod = "wilson",
    level: float = 0.95,
    *,
    weighted: bool = False,
) -> tuple[Floats, Floats, str] | None:
    """Interval of a metric that is a share of rows; None for any other.

    Parameters
    ----------
    request : Request
    counts : (tp, fp, tn, fn)
        Arrays of one shape.
    method : {"wilson", "jeffreys", "clopper_pearson"}
        The last two need SciPy.
    level : float
    weighted : bool
        Whether the counts are sums of weights, of which no binomial law holds: ends are nan, also
        of whole weights, and the note says so.

    Returns
    -------
    low, high : ndarray of float64
        Of the counts' shape; nan where there is no trial.
    note : str

    Raises
    ------
    InputError
        For an unknown method, or a level that is none.
    MissingExtra
        Without SciPy, for a method that needs it.

    Notes
    -----
    Trials are taken as given: for precision the rows predicted positive, for recall the positive
    ones. For accuracy, prevalence and the share of predicted positives they are all rows.

    Examples
    --------
    >>> from ranktally._requests import parse_metric
    >>> low, high, _ = proportion_interval(parse_metric("recall"), ([19], [3], [40], [1]))
    >>> low.round(4).item(), high.round(4).item()
    (0.7639, 0.9911)
    """
    check_choice("method", method, PROPORTION_METHODS)
    found = proportion_of(request, *counts)
    if found is None:
        return None
    low, high = _INTERVALS[method](*found, level)
    if weighted:
        return np.full_like(low, np.nan), np.full_like(high, np.nan), WEIGHTED_NOTE
    return low, high, ""
