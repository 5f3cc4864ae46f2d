"""What each row contributes to ROC AUC and average precision, in O(n) after the order.

Three kinds of value a row, all in the order of the sample's rows:

* its *placement*: the share of the other class that it is on the right side of, ties half;
* its *influence*: how the metric answers to a little more weight on the row, times all the weight
  there is (of the metric's class or classes: see `influence`);
* the metric *left without it*, exactly.

All three follow from the counts at the distinct scores by sums from the top and from the bottom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from ._counts import Areas, areas_of_counts, counts_of
from ._order import order_rows
from ._segment_tally import segment_tally
from ._types import AnyArray, Floats, Ints
from ._validate import Sample
from .errors import InputError

__all__ = ["RowValues", "area_parts", "influence", "leave_one_out", "placements"]

NAN = math.nan


@dataclass(frozen=True)
class RowValues:
    """A metric, and a value of each row.

    Attributes
    ----------
    estimate : float
        The metric, equal to that of the tally; nan when undefined.
    value : ndarray of float64, shape (n,)
        In the order of the sample's rows; nan where undefined.
    """

    estimate: float
    value: Floats


@dataclass(frozen=True)
class _Steps:
    """Counts (weights) at the tie groups from the top, and what the rows need to find theirs."""

    words: Ints
    tp: Floats
    fp: Floats
    d_pos: Floats
    d_neg: Floats
    areas: Areas

    def spread(self, of_pos: AnyArray, of_neg: AnyArray, n: int, loops: ModuleType) -> Floats:
        out = np.empty(n)
        loops.spread_values(
            self.words, np.asarray(of_pos, np.float64), np.asarray(of_neg, np.float64), out
        )
        return out


def _steps(sample: Sample, loops: ModuleType, threads: int) -> _Steps:
    words = order_rows(sample, loops, threads)
    starts = np.asarray([0, words.size], np.int64)
    bits, tp, fp, _ = segment_tally(sample, words, starts, np.empty(0, np.int32), loops, threads)
    areas = areas_of_counts(counts_of(sample, bits, tp, fp), loops)
    tp, fp = tp.astype(np.float64), fp.astype(np.float64)
    return _Steps(words, tp, fp, np.diff(tp, prepend=0.0), np.diff(fp, prepend=0.0), areas)


def placements(sample: Sample, loops: ModuleType, threads: int = 1) -> RowValues:
    """ROC AUC, and the placement of each row: its class's mean of them is the area.

    Of a positive the share of negatives (of their weight) below it, of a negative the share of
    positives above it, ties half. nan where the other class has no row.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two or
    more correlated receiver operating characteristic curves, Biometrics 44: the structural
    components V10 and V01.
    """
    steps = _steps(sample, loops, threads)
    value = steps.spread(*_placements(steps), sample.n, loops)
    return RowValues(steps.areas.roc_auc, value)


def _placements(steps: _Steps) -> tuple[Floats, Floats]:
    n_pos, n_neg = steps.areas.n_pos, steps.areas.n_neg
    with np.errstate(invalid="ignore", divide="ignore"):
        below = ((n_neg - steps.fp) + (n_neg - (steps.fp - steps.d_neg))) / (2.0 * n_neg)
        above = (steps.tp + (steps.tp - steps.d_pos)) / (2.0 * n_pos)
    return below, above


def area_parts(sample: Sample, loops: ModuleType, threads: int, out: Floats) -> float:
    """Write each row's part in the error of ROC AUC, and return the area.

    A part is the row's influence value times sqrt(m / (m - 1)), m rows in its class: the products
    of the parts in two areas sum to DeLong's covariance of them. Without weights
    `count_placements` does the same in whole numbers.

    `out` is nan where a class is missing, and for the only row of its class.
    """
    n_pos = int(np.count_nonzero(sample.label))
    found = influence(sample, "roc_auc", loops, threads)
    factors = _corrected(sample.n - n_pos), _corrected(n_pos)
    np.multiply(found.value, np.where(sample.label == 1, factors[1], factors[0]), out=out)
    return found.estimate


def _corrected(m: int) -> float:
    """Factor that turns a mean of m squares about their own mean into an unbiased variance."""
    return math.sqrt(m / (m - 1)) if m > 1 else NAN


def influence(sample: Sample, metric: str, loops: ModuleType, threads: int = 1) -> RowValues:
    """Influence values: the derivative of a metric in each row's weight, times the row's weight.

    Their squares sum to the infinitesimal-jackknife variance, and they themselves to 0: no metric
    answers to the scale of the weights.

    Parameters
    ----------
    metric : {"roc_auc", "average_precision"}

    Notes
    -----
    With a row's weight w, class totals P and N, and the counts TP, FP at its score:

    * ROC AUC: ``w * (placement - area) / P`` of a positive, the same over N of a negative;
    * average precision, with q = TP / (TP + FP) and sums over the tie groups from the row's own
      one down: ``w * (q - AP + sum(dTP * FP / (TP + FP)**2)) / P`` of a positive,
      ``-w * sum(dTP * TP / (TP + FP)**2) / P`` of a negative.

    References
    ----------
    B. Efron (1982), The jackknife, the bootstrap and other resampling plans, chapter 6.
    """
    steps = _steps(sample, loops, threads)
    areas = steps.areas
    weight = 1.0 if sample.weight is None else sample.weight
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric == "roc_auc":
            estimate = areas.roc_auc
            below, above = _placements(steps)
            of_pos = (below - estimate) / areas.n_pos
            of_neg = (above - estimate) / areas.n_neg
        elif metric == "average_precision":
            estimate = areas.average_precision
            selected = steps.tp + steps.fp
            of_pos = steps.tp / selected - estimate
            of_pos += _from_below(steps.d_pos * (steps.fp / selected) / selected)
            of_neg = -_from_below(steps.d_pos * (steps.tp / selected) / selected)
            of_pos /= areas.n_pos
            of_neg /= areas.n_pos
        else:
            raise _no_closed_form(metric)
    return RowValues(estimate, steps.spread(of_pos, of_neg, sample.n, loops) * weight)


def leave_one_out(sample: Sample, metric: str, loops: ModuleType, threads: int = 1) -> RowValues:
    """The metric of all rows but one, for each row: nan where that leaves a class empty.

    Parameters
    ----------
    metric : {"roc_auc", "average_precision"}

    Raises
    ------
    InputError
        For average precision with weights, where leaving a row out changes every lower step by an
        amount that depends on its weight: `influence` serves there.

    Notes
    -----
    ROC AUC without a row of weight w: ``(P * area - w * placement) / (P - w)``, P the total of
    its class.

    Average precision without a positive: the steps above it stay; its own loses a positive; each
    one below has one positive and one row fewer, ``dTP * (TP - 1) / (TP + FP - 1)``. Without a
    negative: its own step and each below are ``dTP * TP / (TP + FP - 1)``.
    """
    steps = _steps(sample, loops, threads)
    areas = steps.areas
    if metric == "roc_auc":
        value = _auc_without(sample, steps, loops)
        return RowValues(areas.roc_auc, value)
    if metric != "average_precision":
        raise _no_closed_form(metric)
    if sample.weight is not None:
        raise InputError(
            "average precision left without a row has no closed form with weights: use influence "
            "values or resampling"
        )
    tp, d_pos, n_pos = steps.tp, steps.d_pos, areas.n_pos
    selected = tp + steps.fp
    # A step that loses its only row is no step: its terms are 0 whatever they are divided by.
    left = np.maximum(selected - 1.0, 1.0)
    gained = d_pos * tp / selected
    above = np.cumsum(gained) - gained
    less_negative = d_pos * tp / left
    less_positive = d_pos * (tp - 1.0) / left
    below = _from_below(less_positive) - less_positive
    own = (d_pos - 1.0) * (tp - 1.0) / left
    with np.errstate(invalid="ignore", divide="ignore"):
        of_pos = (above + own + below) / (n_pos - 1.0) if n_pos > 1 else np.full(tp.size, NAN)
        of_neg = (above + _from_below(less_negative)) / n_pos
    return RowValues(areas.average_precision, steps.spread(of_pos, of_neg, sample.n, loops))


def _auc_without(sample: Sample, steps: _Steps, loops: ModuleType) -> Floats:
    areas = steps.areas
    place = steps.spread(*_placements(steps), sample.n, loops)
    positive = sample.label == 1
    total = np.where(positive, areas.n_pos, areas.n_neg)
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    alone = np.where(positive, np.count_nonzero(positive), np.count_nonzero(~positive)) == 1
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (total * areas.roc_auc - weight * place) / (total - weight)
    return np.where(alone, NAN, np.clip(value, 0.0, 1.0))


def _from_below(values: Floats) -> Floats:
    """Sum of each value and all after it."""
    return np.cumsum(values[::-1])[::-1]


def _no_closed_form(metric: str) -> InputError:
    return InputError(
        f"{metric!r} has no closed form for what a single row contributes: expected "
        f'"roc_auc" or "average_precision"'
    )
