"""What a Tally answers at thresholds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

from . import _operating
from ._at_k import TIES, Ties, TopK, read_size, top
from ._confusion import Confusion, read_share
from ._cuts import counts_at
from ._operating import BestTies, OperatingPoint
from ._prevalence import at_prevalence
from ._tally_state import TallyState
from ._validate import check_choice
from .errors import InputError

__all__ = ["PointAnswers"]


class PointAnswers(TallyState):
    """The methods of `Tally` that ask for operating points."""

    def at(self, threshold: Any) -> Confusion:
        """Confusion matrix and measures where ``score >= threshold`` is positive.

        Parameters
        ----------
        threshold : float or array-like
            Rounded to a float score's dtype (0.7 finds ``float32(0.7)``); compared exactly with
            integer scores.

        Returns
        -------
        Confusion
            Scalars for a scalar, arrays of the same shape for an array.

        Raises
        ------
        InputError
            For nan, or for a threshold whose counts an incomplete tally does not hold.

        Notes
        -----
        O(k log g) for k thresholds, which are sorted first when they are many.

        Examples
        --------
        >>> import ranktally as rt
        >>> point = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).at(0.35)
        >>> point.tp, point.fp, point.recall
        (2, 1, 1.0)
        """
        return counts_at(self.counts, threshold, complete=self.complete)

    def best(
        self,
        metric: Any,
        where: str | None = None,
        *,
        ties: BestTies = "lowest",
        direction: Literal["up", "down"] | None = None,
    ) -> OperatingPoint:
        """The threshold that makes a measure best, among those that meet a constraint.

        Parameters
        ----------
        metric : str or callable(tp, fp, tn, fn)
            A measure of the four counts such as ``"f1"`` or ``"fbeta(2)"``, or a function that
            takes their arrays and returns one of values.
        where : str, optional
            A condition such as ``"recall >= 0.95 and fpr <= 0.01"``: comparisons of measures, of
            ``tp, fp, tn, fn, n_predicted`` and of numbers, joined by ``and``, ``or``, ``not``. A
            comparison with an undefined value does not hold.
        ties : {"lowest", "highest"}
            Which of several equally good thresholds to keep: the lowest flags most rows and has
            the larger recall. Values that differ by rounding alone are equally good.
        direction : {"up", "down"}, optional
            Larger or smaller is better; by default as METRICS says, larger for a function.

        Returns
        -------
        OperatingPoint
            The whole row. Its `status` is "unreachable" when no threshold will do, and `note`
            says why. It was chosen on the rows that it is measured on, and says so
            (`selected_on_same_data`).

        Raises
        ------
        InputError
            For a metric that needs no threshold, or a constraint that cannot be read.

        Notes
        -----
        O(g), in blocks of bounded size. Candidates are the distinct scores: predicting nothing is
        never the answer, nor is a value that is undefined.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1])
        >>> point = t.best("precision", where="recall >= 0.6")
        >>> point.threshold, point.value == point.precision == 2 / 3
        (4, True)
        >>> t.best("recall", where="precision > 2").status
        'unreachable'
        """
        return _operating.best_point(self.counts, metric, where, ties, direction)

    def best_cost(
        self,
        cost_fp: float,
        cost_fn: float,
        benefit_tp: float = 0,
        cost_alert: float = 0,
        *,
        ties: BestTies = "lowest",
    ) -> OperatingPoint:
        """The threshold of least total cost, or the advice to flag nothing.

        Parameters
        ----------
        cost_fp, cost_fn : float
            Cost of a false positive and of a false negative.
        benefit_tp, cost_alert : float
            Gained by a true positive; spent on every row that is flagged.
        ties : {"lowest", "highest"}
            Which of several equally cheap cuts to keep. Flagging nothing stands above all
            thresholds: it wins a tie only under "highest".

        Returns
        -------
        OperatingPoint
            `value` is the total cost. `threshold` is ``inf`` when flagging nothing costs least,
            and `note` says so.

        Raises
        ------
        InputError
            For negative costs, or when all of them are 0.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1])
        >>> point = t.best_cost(cost_fp=1, cost_fn=10)
        >>> point.threshold, point.value
        (4, 1.0)
        >>> t.best_cost(cost_fp=1, cost_fn=1, cost_alert=5).threshold
        inf
        """
        costs = (cost_fp, cost_fn, benefit_tp, cost_alert)
        return _operating.best_cost(self.counts, costs, ties)

    def top(
        self, k: int | None = None, *, fraction: float | None = None, ties: Ties = "expected"
    ) -> TopK:
        """What the k best-scored rows hold: precision, recall and lift at k.

        Parameters
        ----------
        k : int
            Rows in the list (weight, with weights). Beyond all rows, the list holds them all.
        fraction : float
            Instead of k, the share of all rows; a row at the boundary may count in part.
        ties : {"expected", "optimistic", "pessimistic", "threshold"}
            When only some of the rows of equal score fit: the mean over random orders, positives
            first, positives last, or all of them, so that the list grows beyond k.

        Returns
        -------
        TopK
            Precision is over the rows in the list, also where they are fewer or more than k.
            Rows without a score come last, after all others.

        Raises
        ------
        InputError
            For k below 1, for both or none of `k` and `fraction`, and when the boundary lies
            between the thresholds of an incomplete tally.

        Notes
        -----
        O(log g). `ranktally.top_k` also gives the rows.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 1, 0, 1, 0], [0.9, 0.6, 0.7, 0.4, 0.4])
        >>> t.top(4).precision_at_k, t.top(4, ties="threshold").n_selected
        (0.625, 5)
        """
        check_choice("ties", ties, TIES)
        size = read_size(k, fraction)
        found = top(self.counts, size, ties)
        if not self.complete and top(self.counts, size, "threshold").n_selected > found.k:
            raise InputError(
                f"`k` {found.k} ends between two thresholds that this incomplete tally holds: ask "
                f"for a k of `tally.tp + tally.fp`"
            )
        return found

    def at_prevalence(self, prevalence: float) -> Self:
        """The same scores in a population with another share of positives.

        Parameters
        ----------
        prevalence : float
            Above 0 and below 1.

        Returns
        -------
        Tally
            Its negatives are reweighted: recall and false positive rates stay, and precision, the
            precision-recall curve and average precision are those of that population.

        Raises
        ------
        InputError
            When a class is missing.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]).at_prevalence(0.1)
        >>> round(t.at(0.7).precision, 3), round(t.average_precision(), 3)
        (0.182, 0.591)
        """
        share = read_share("prevalence", prevalence)
        if not 0 < share < 1:
            raise InputError(f"`prevalence` must lie between 0 and 1, got {prevalence!r}")
        if not self.n_pos or not self.n_neg:
            missing = "negatives" if self.n_pos else "positives"
            raise InputError(f"`prevalence` cannot be changed: the tally has no {missing}")
        there = at_prevalence(self.counts, share)
        return replace(self, tp=there.tp, fp=there.fp, n_pos=there.n_pos, n_neg=there.n_neg)
