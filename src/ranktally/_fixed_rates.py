"""One rate where another is given: at real operating points, or where two rates are equal."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ._counts import Counts
from ._types import AnyArray, Floats
from ._vertices import check_share, path, share, whole

__all__ = [
    "RateAt",
    "break_even",
    "eer",
    "precision_at_recall",
    "precision_at_recall_of",
    "precisions_at_recall",
    "recall_at_fpr",
    "recall_at_fpr_of",
    "recall_at_precision",
    "recall_at_precision_of",
    "recall_at_specificity",
    "recall_at_specificity_of",
    "recalls_at_fpr",
    "specificity_at_recall",
    "specificity_at_recall_of",
]


Rate = Callable[[Counts], float]


class RateAt(float):
    """The best rate under a condition, and the threshold that gives it.

    A float, nan where undefined, with the attributes

    Attributes
    ----------
    threshold : float or int
        The highest one that gives this rate: predict positive where ``score >= threshold``;
        ``inf`` predicts nothing, nan goes with nan.
    status : str
        "ok", or why the rate is nan: "no_positives", "no_negatives", "unreachable".
    """

    threshold: float
    status: str

    def __new__(cls, rate: float, threshold: float = math.nan, status: str = "ok") -> RateAt:
        self = super().__new__(cls, rate)
        self.threshold = threshold
        self.status = status
        return self

    def __repr__(self) -> str:
        told = f"threshold={self.threshold!r}" if self.status == "ok" else self.status
        return f"{float(self)!r} ({told})"


def _undefined(status: str) -> RateAt:
    return RateAt(math.nan, math.nan, status)


def _absent(counts: Counts, *, both: bool) -> RateAt | None:
    if not counts.n_pos:
        return _undefined("no_positives")
    return _undefined("no_negatives") if both and not counts.n_neg else None


def _at(counts: Counts, rate: AnyArray, k: int) -> RateAt:
    """Rate of a point, 0 being the one that predicts nothing."""
    return RateAt(float(rate[k]), counts.threshold[k - 1].item() if k else math.inf)


def _from_nothing(counts: AnyArray) -> AnyArray:
    return np.concatenate([np.zeros(1, counts.dtype), counts])


def recall_at_fpr(counts: Counts, limit: float) -> RateAt:
    """Largest recall of a threshold whose fpr is at most `limit`."""
    fpr = share(_from_nothing(counts.fp), counts.n_neg)
    return _last_recall(counts, np.searchsorted(fpr, limit, side="right").item() - 1)


def recall_at_specificity(counts: Counts, target: float) -> RateAt:
    """Largest recall of a threshold whose specificity is at least `target`."""
    specificity = share(counts.n_neg - _from_nothing(counts.fp), counts.n_neg)
    return _last_recall(counts, np.searchsorted(-specificity, -target, side="right").item() - 1)


def _last_recall(counts: Counts, last: int) -> RateAt:
    """Recall of the point `last`, at the highest threshold that has it."""
    absent = _absent(counts, both=True)
    if absent is not None:
        return absent
    tp = _from_nothing(counts.tp)
    k = int(np.searchsorted(tp, tp[last], side="left"))
    return _at(counts, share(tp, counts.n_pos), k)


def specificity_at_recall(counts: Counts, target: float) -> RateAt:
    """Largest specificity of a threshold whose recall is at least `target`."""
    absent = _absent(counts, both=True)
    if absent is not None:
        return absent
    recall = share(_from_nothing(counts.tp), counts.n_pos)
    k = int(np.searchsorted(recall, target, side="left"))
    if k == recall.size:
        return _undefined("unreachable")
    return _at(counts, share(counts.n_neg - _from_nothing(counts.fp), counts.n_neg), k)


def recall_at_precision(counts: Counts, target: float) -> RateAt:
    """Largest recall of a threshold whose precision is at least `target`."""
    absent = _absent(counts, both=False)
    if absent is not None:
        return absent
    tp = counts.tp
    reached = np.flatnonzero(tp / (tp + counts.fp) >= target)
    if not reached.size:
        return _undefined("unreachable")
    k = int(np.searchsorted(tp, tp[reached[-1]], side="left"))
    return _at(counts, share(_from_nothing(tp), counts.n_pos), k + 1)


def precision_at_recall(counts: Counts, target: float) -> RateAt:
    """Largest precision of a threshold whose recall is at least `target`."""
    absent = _absent(counts, both=False)
    if absent is not None:
        return absent
    first = int(np.searchsorted(share(counts.tp, counts.n_pos), target, side="left"))
    if first == counts.tp.size:
        return _undefined("unreachable")
    precision = counts.tp / (counts.tp + counts.fp)
    return _at(counts, np.append(np.nan, precision), first + int(np.argmax(precision[first:])) + 1)


# The same at many limits at once: one pass over the tally.


def recalls_at_fpr(counts: Counts, limits: Floats) -> Floats:
    """`recall_at_fpr` at each limit, nan where a class is missing."""
    if not counts.n_pos or not counts.n_neg:
        return np.full(limits.size, np.nan)
    fpr = share(_from_nothing(counts.fp), counts.n_neg)
    last = np.searchsorted(fpr, limits, side="right") - 1
    return share(_from_nothing(counts.tp)[last], counts.n_pos)


def precisions_at_recall(counts: Counts, targets: Floats) -> Floats:
    """`precision_at_recall` at each of rising targets, nan where it is undefined."""
    found = np.full(targets.size, np.nan)
    if not counts.n_pos:
        return found
    first = np.searchsorted(share(counts.tp, counts.n_pos), targets, side="left")
    first = first[first < counts.tp.size]
    if first.size:
        best = np.maximum.reduceat(counts.tp / (counts.tp + counts.fp), first)
        found[: first.size] = np.maximum.accumulate(best[::-1])[::-1]
    return found


def eer(counts: Counts) -> float:
    """The fpr where the ROC curve, straight inside a tie group, has ``fpr == fnr``."""
    if not counts.n_pos or not counts.n_neg:
        return math.nan
    exact = whole(counts)
    tp, fp = path(exact)
    n_pos, n_neg = exact.n_pos, exact.n_neg
    # fpr + tpr in units of pairs rises along the curve; it is 1 where fpr is fnr.
    height = fp * n_pos + tp * n_neg
    return float(_where(height, n_pos * n_neg, fp) / n_neg)


def break_even(counts: Counts) -> float:
    """Precision where as many rows are predicted positive as there are positives."""
    if not counts.n_pos:
        return math.nan
    exact = whole(counts)
    tp, fp = path(exact)
    return float(_where(tp + fp, exact.n_pos, tp) / exact.n_pos)


def _where(rising: AnyArray, level: float, values: AnyArray) -> Any:
    """Interpolate `values` to where the `rising` sums reach a level above 0."""
    k = min(int(np.searchsorted(rising, level, side="left")), rising.size - 1)
    before, after = rising[k - 1].item(), rising[k].item()
    low, high = values[k - 1].item(), values[k].item()
    if isinstance(before, int):
        return low + Fraction(int(level) - before, after - before) * (high - low)
    return low + min((level - before) / (after - before), 1.0) * (high - low)


# As metrics: the argument of a call, checked.


def recall_at_fpr_of(fpr: float) -> Rate:
    limit = check_share(fpr, "fpr")
    return lambda counts: recall_at_fpr(counts, limit)


def recall_at_specificity_of(specificity: float) -> Rate:
    limit = check_share(specificity, "specificity")
    return lambda counts: recall_at_specificity(counts, limit)


def specificity_at_recall_of(recall: float) -> Rate:
    limit = check_share(recall, "recall")
    return lambda counts: specificity_at_recall(counts, limit)


def recall_at_precision_of(precision: float) -> Rate:
    limit = check_share(precision, "precision")
    return lambda counts: recall_at_precision(counts, limit)


def precision_at_recall_of(recall: float) -> Rate:
    limit = check_share(recall, "recall")
    return lambda counts: precision_at_recall(counts, limit)
