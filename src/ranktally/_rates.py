"""Measures of one confusion matrix, or of arrays of them.

Every measure is a function of ``(tp, fp, tn, fn)``, counts or weight sums, scalars or arrays of one
shape, and gives float64; 0/0 is nan. Nothing here knows where the counts come from.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from ._types import AnyArray, real_of
from .errors import InputError

__all__ = [
    "CONDITIONS",
    "MEASURES",
    "STATUSES",
    "Measure",
    "cost_of",
    "expected_cost_of",
    "fbeta_of",
    "read_costs",
    "why_undefined",
]

Measure: TypeAlias = Callable[[Any, Any, Any, Any], Any]


def _ratio(numerator: Any, denominator: Any) -> Any:
    """Divide in float64; 0/0 is nan and x/0 infinite, both in silence."""
    top = np.asarray(numerator, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return top / np.asarray(denominator, np.float64)


def _real(*counts: Any) -> tuple[AnyArray, ...]:
    """Counts as float64 on the scale of their total, so that products stay within range.

    The scale is a power of two, which leaves every ratio of products as it is.
    """
    real = [np.asarray(x, np.float64) for x in counts]
    _, exponent = np.frexp(sum(real))
    return tuple(np.ldexp(x, -exponent) for x in real)


def precision(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tp, tp + fp)


def recall(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tp, tp + fn)


def specificity(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tn, tn + fp)


def fpr(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(fp, tn + fp)


def fnr(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(fn, tp + fn)


def npv(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tn, tn + fn)


def fdr(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(fp, tp + fp)


def false_omission_rate(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(fn, tn + fn)


def accuracy(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tp + tn, tp + fp + tn + fn)


def error_rate(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(fp + fn, tp + fp + tn + fn)


def balanced_accuracy(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return (recall(tp, fp, tn, fn) + specificity(tp, fp, tn, fn)) / 2


def fbeta_of(beta: float) -> Measure:
    """F-beta by its count form, which is 0 where the form of precision and recall is 0/0."""
    real = real_of(beta)
    if not 0 < real < float("inf"):
        raise InputError(f"`beta` must be a positive number, got {beta!r}")
    b2 = real**2

    def fbeta(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        true = (1 + b2) * np.asarray(tp, np.float64)
        return _ratio(true, true + b2 * np.asarray(fn, np.float64) + fp)

    return fbeta


def f1(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(2 * tp, 2 * tp + fp + fn)


def mcc(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    """Matthews correlation; roots are taken before the product, which can pass any integer."""
    tp, fp, tn, fn = _real(tp, fp, tn, fn)
    margins = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return np.clip(_ratio(tp * tn - fp * fn, margins), -1.0, 1.0)


def jaccard(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tp, tp + fp + fn)


def youden(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return recall(tp, fp, tn, fn) - fpr(tp, fp, tn, fn)


def markedness(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return precision(tp, fp, tn, fn) - false_omission_rate(tp, fp, tn, fn)


def cohen_kappa(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    tp, fp, tn, fn = _real(tp, fp, tn, fn)
    return _ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def fowlkes_mallows(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return np.sqrt(precision(tp, fp, tn, fn) * recall(tp, fp, tn, fn))


def geometric_mean(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return np.sqrt(recall(tp, fp, tn, fn) * specificity(tp, fp, tn, fn))


def positive_likelihood_ratio(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(recall(tp, fp, tn, fn), fpr(tp, fp, tn, fn))


def negative_likelihood_ratio(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(fnr(tp, fp, tn, fn), specificity(tp, fp, tn, fn))


def diagnostic_odds_ratio(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    tp, fp, tn, fn = _real(tp, fp, tn, fn)
    return _ratio(tp * tn, fp * fn)


def prevalence(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tp + fn, tp + fp + tn + fn)


def predicted_positive_rate(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(tp + fp, tp + fp + tn + fn)


def lift(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _ratio(precision(tp, fp, tn, fn), prevalence(tp, fp, tn, fn))


def prevalence_threshold(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    """Prevalence below which precision falls fastest (Balayla 2020, PLoS ONE 15(10))."""
    root_fpr = np.sqrt(fpr(tp, fp, tn, fn))
    return _ratio(root_fpr, np.sqrt(recall(tp, fp, tn, fn)) + root_fpr)


def roc_distance(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    """Distance of the ROC point to the corner of a perfect rule."""
    return np.hypot(fnr(tp, fp, tn, fn), fpr(tp, fp, tn, fn))


def read_costs(**costs: Any) -> tuple[float, ...]:
    """Costs by name as floats.

    Raises
    ------
    InputError
        If one is no number, negative or not finite.
    """
    for name, cost in costs.items():
        if not 0 <= real_of(cost) < float("inf"):
            raise InputError(f"`{name}` must be a finite number of at least 0, got {cost!r}")
    return tuple(real_of(cost) for cost in costs.values())


def cost_of(cost_fp: Any, cost_fn: Any, benefit_tp: Any = 0, cost_alert: Any = 0) -> Measure:
    """Total cost of errors and of action, less what true positives gain."""
    of_fp, of_fn, gain, alert = read_costs(
        cost_fp=cost_fp, cost_fn=cost_fn, benefit_tp=benefit_tp, cost_alert=cost_alert
    )

    def cost(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        tp, fp, fn = (np.asarray(x, np.float64) for x in (tp, fp, fn))
        return (of_fp + alert) * fp + of_fn * fn + (alert - gain) * tp

    return cost


def expected_cost_of(
    cost_fp: Any, cost_fn: Any, benefit_tp: Any = 0, cost_alert: Any = 0
) -> Measure:
    """Mean cost of a row; see `cost_of`."""
    total = cost_of(cost_fp, cost_fn, benefit_tp, cost_alert)

    def expected_cost(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        return _ratio(total(tp, fp, tn, fn), tp + fp + tn + fn)

    return expected_cost


MEASURES: MappingProxyType[str, Measure] = MappingProxyType(
    {
        measure.__name__: measure
        for measure in (
            precision,
            recall,
            specificity,
            fpr,
            fnr,
            npv,
            fdr,
            false_omission_rate,
            accuracy,
            error_rate,
            balanced_accuracy,
            f1,
            mcc,
            jaccard,
            youden,
            markedness,
            cohen_kappa,
            fowlkes_mallows,
            geometric_mean,
            positive_likelihood_ratio,
            negative_likelihood_ratio,
            diagnostic_odds_ratio,
            prevalence,
            predicted_positive_rate,
            lift,
            prevalence_threshold,
            roc_distance,
        )
    }
)

CONDITIONS: MappingProxyType[str, Measure] = MappingProxyType(
    {
        "empty": lambda tp, fp, tn, fn: tp + fp + tn + fn == 0,
        "no_positives": lambda tp, fp, tn, fn: tp + fn == 0,
        "no_negatives": lambda tp, fp, tn, fn: fp + tn == 0,
        "no_positive_predictions": lambda tp, fp, tn, fn: tp + fp == 0,
        "no_negative_predictions": lambda tp, fp, tn, fn: tn + fn == 0,
        "no_positives_or_predictions": lambda tp, fp, tn, fn: tp + fp + fn == 0,
        "zero_margin": lambda tp, fp, tn, fn: (
            (tp + fn == 0) | (fp + tn == 0) | (tp + fp == 0) | (tn + fn == 0)
        ),
        "unreachable": lambda tp, fp, tn, fn: np.ones(np.shape(tp + fp), bool),
        "below_chance": lambda tp, fp, tn, fn: np.ones(np.shape(tp + fp), bool),
        "scores_outside_0_1": lambda tp, fp, tn, fn: np.ones(np.shape(tp + fp), bool),
        "zero_denominator": lambda tp, fp, tn, fn: np.ones(np.shape(tp + fp), bool),
    }
)


STATUSES = ("ok", *CONDITIONS)


def why_undefined(
    value: AnyArray, codes: tuple[str, ...], tp: Any, fp: Any, tn: Any, fn: Any
) -> AnyArray:
    """Places in STATUSES: "ok", or where a value is nan the first of `codes` that holds."""
    status = np.zeros(np.shape(value), np.int8)
    open_ = np.isnan(value)
    for code in ("empty", *codes, "zero_denominator"):
        if not np.any(open_):
            break
        hit = open_ & CONDITIONS[code](tp, fp, tn, fn)
        status[hit] = STATUSES.index(code)
        open_ &= ~hit
    return status
