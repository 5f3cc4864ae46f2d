"""The same rates under another share of positives."""

from __future__ import annotations

import math
from collections.abc import Callable

from ._counts import Counts, areas_of_counts
from ._engine import loops
from ._vertices import check_share

__all__ = [
    "at_prevalence",
    "average_precision_at_prevalence",
    "average_precision_at_prevalence_of",
]


def at_prevalence(counts: Counts, prevalence: float) -> Counts:
    """Counts whose negatives weigh as much as the wanted odds ask for; positives stay.

    Bayes' rule for a change of the class shares alone: recall and fpr at every threshold are what
    they were. Both classes must be there.
    """
    wanted = float(counts.n_pos) * ((1.0 - prevalence) / prevalence)
    # Shares first: the last one is exactly 1, so that the sums end exactly at the total.
    fp = counts.fp / float(counts.n_neg) * wanted
    return Counts(counts.threshold, counts.tp.astype(float), fp, float(counts.n_pos), wanted)


def average_precision_at_prevalence(counts: Counts, prevalence: float) -> float:
    """Average precision of the reweighted counts; nan when a class is missing."""
    if not counts.n_pos or not counts.n_neg:
        return math.nan
    there = at_prevalence(counts, prevalence)
    return areas_of_counts(there, loops("auto", there.tp.size)).average_precision


def average_precision_at_prevalence_of(prevalence: float) -> Callable[[Counts], float]:
    """Make the metric of one prevalence."""
    wanted = check_share(prevalence, "prevalence", inside=True)
    return lambda counts: average_precision_at_prevalence(counts, wanted)
