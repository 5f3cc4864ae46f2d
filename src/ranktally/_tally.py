"""The Tally: everything that one order of a score column says, as one object."""

from __future__ import annotations

from ._counts import Areas, areas_of_counts
from ._curve_answers import CurveAnswers
from ._engine import loops
from ._point_answers import PointAnswers
from ._probability_answers import ProbabilityAnswers
from .errors import InputError

__all__ = ["Tally"]


class Tally(CurveAnswers, PointAnswers, ProbabilityAnswers):
    """Counts at every distinct score, and what follows from them without another sort.

    Made by `ranktally.tally`, `Tally.from_counts`, `Tally.from_arrow` and `Tally.merge`.

    Attributes
    ----------
    threshold : ndarray, shape (g,)
        The distinct scores in their own dtype, strictly decreasing.
    tp, fp : ndarray, shape (g,)
        Positive and negative rows with ``score >= threshold[i]``: int64, or float64 sums of
        weights.
    n_pos, n_neg : int or float
        All rows (weights) of each class. Larger than ``tp[-1]``, ``fp[-1]`` where missing scores
        rank last.
    n_rows : int
        Rows that came in and were not omitted.
    n_null, n_nan : int
        Missing values found in labels and scores.
    complete : bool
        False when some thresholds are left out; `at` between those there are then raises.

    Notes
    -----
    Arrays are read-only, the object can be pickled and shared between threads.
    """

    def __repr__(self) -> str:
        held = f"{self.threshold.size} thresholds, n_pos={self.n_pos:g}, n_neg={self.n_neg:g}"
        if not self.complete:
            return f"Tally({held}, complete=False)"
        return (
            f"Tally({held}, "
            f"roc_auc={self.roc_auc():.4g}, average_precision={self.average_precision():.4g})"
        )

    def _areas(self) -> Areas:
        if not self.complete:
            raise InputError(
                "this tally holds only some thresholds, which leaves its areas open: make it of "
                "all distinct scores"
            )
        return areas_of_counts(self.counts, loops("auto", self.tp.size))

    def roc_auc(self) -> float:
        """Area under the ROC curve: the share of positive-negative pairs in order, ties half.

        Returns
        -------
        float
            In [0, 1]; nan when a class is missing. Correctly rounded from an integer ratio
            unless weights are fractions.

        Notes
        -----
        O(g). Hanley and McNeil (1982), Radiology 143(1).

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).roc_auc()
        0.875
        """
        return self._areas().roc_auc

    def average_precision(self) -> float:
        """Average precision: the step sum of precision over recall, never interpolated.

        Returns
        -------
        float
            In [0, 1]; nan without positives.

        Notes
        -----
        O(g). Each precision is rounded once, their sum is exact in fixed point.

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).average_precision()
        0.8333333333333333
        """
        return self._areas().average_precision

    def gini(self) -> float:
        """Gini coefficient, ``2 * roc_auc - 1``; nan when a class is missing."""
        return 2.0 * self._areas().roc_auc - 1.0

    def ks(self) -> float:
        """Kolmogorov-Smirnov distance of the classes: the largest ``abs(tpr - fpr)``."""
        return self._areas().ks
