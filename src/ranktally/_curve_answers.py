"""What a Tally answers with curves, and with areas and rates read off them."""

from __future__ import annotations

from typing import Self

from . import _curves, _fixed_rates
from ._curves import Curve
from ._fixed_rates import RateAt
from ._partial import PartialArea, partial_auc, read_box
from ._pr_areas import pr_auc, read_interpolation
from ._prevalence import at_prevalence
from ._tally_state import TallyState
from ._vertices import check_share
from .errors import InputError

__all__ = ["CurveAnswers"]


class CurveAnswers(TallyState):
    """The methods of `Tally` that give curves, their areas and their points."""

    def roc_curve(self) -> Curve:
        """ROC curve: x is the false positive rate, y the true positive rate.

        Returns
        -------
        Curve
            From (0, 0), whose threshold is ``inf``, through one vertex for each distinct score
            to (1, 1). An axis whose class is missing is nan.

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).roc_curve()
        >>> curve.x.tolist(), curve.y.tolist()
        ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
        """
        return _curves.roc_curve(self.counts)

    def pr_curve(self) -> Curve:
        """Precision-recall curve: x is recall, y precision.

        Returns
        -------
        Curve
            One point for each distinct score, thresholds falling; no point is invented at
            recall 0.

        Notes
        -----
        The curve at another share of positives is ``t.at_prevalence(0.01).pr_curve()``.

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([1, 0, 1], [0.9, 0.5, 0.3]).pr_curve()
        >>> curve.x.tolist(), curve.y.round(3).tolist()
        ([0.5, 0.5, 1.0], [1.0, 0.5, 0.667])
        """
        return _curves.pr_curve(self.counts)

    def det_curve(self) -> Curve:
        """Detection error trade-off: x is the false positive rate, y the false negative rate.

        Returns
        -------
        Curve
            From (0, 1), whose threshold is ``inf``, to (1, 0); plain shares, no normal deviates.

        References
        ----------
        A. Martin et al. (1997), The DET curve in assessment of detection task performance,
        Eurospeech.

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).det_curve()
        >>> curve.x.tolist(), curve.y.tolist()
        ([0.0, 0.0, 0.5, 1.0], [1.0, 0.5, 0.0, 0.0])
        """
        return _curves.det_curve(self.counts)

    def gain_curve(self) -> Curve:
        """Cumulative gain: x is the share of rows predicted positive, y recall.

        Returns
        -------
        Curve
            From (0, 0), whose threshold is ``inf``, to (1, 1). Chance is the diagonal.

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]).gain_curve()
        >>> curve.x.tolist(), curve.y.tolist()
        ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
        """
        return _curves.gain_curve(self.counts)

    def lift_curve(self) -> Curve:
        """Lift: x is the share of rows predicted positive, y precision over prevalence.

        Returns
        -------
        Curve
            One point for each distinct score; the last one is (1, 1).

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]).lift_curve()
        >>> curve.x.tolist(), curve.y.round(3).tolist()
        ([0.25, 0.5, 0.75, 1.0], [2.0, 1.0, 1.333, 1.0])
        """
        return _curves.lift_curve(self.counts)

    def at_prevalence(self, prevalence: float) -> Self:
        """Reweighted tally in which the positives have another share.

        Parameters
        ----------
        prevalence : float
            Share of positives to assume, strictly between 0 and 1.

        Returns
        -------
        Tally
            The negatives weigh what the odds ask for, the positives what they did: recall and fpr
            at each threshold stay, and precision, the precision-recall curve, average precision
            and all else that looks at class shares follow Bayes' rule. Its counts are weights;
            intervals from them would be wrong.

        Raises
        ------
        InputError
            If `prevalence` is out of range or a class is missing.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.Tally.from_counts([1, 0], pos=[80, 20], neg=[1, 99])
        >>> round(t.at_prevalence(0.001).at(1).precision, 4)
        0.0741
        """
        wanted = check_share(prevalence, "prevalence", inside=True)
        if not self.n_pos or not self.n_neg:
            absent = "negatives" if self.n_pos else "positives"
            raise InputError(f"`prevalence` cannot change: this tally has no {absent}")
        there = at_prevalence(self.counts, wanted)
        return type(self)(
            there.threshold,
            there.tp,
            there.fp,
            there.n_pos,
            there.n_neg,
            self.n_rows,
            self.n_null,
            self.n_nan,
            self.complete,
        )

    def partial_auc(
        self, fpr: tuple[float, float] | None = None, tpr: tuple[float, float] | None = None
    ) -> PartialArea:
        """Area under the ROC curve inside a band of fpr, of tpr, or inside the box of both.

        Parameters
        ----------
        fpr, tpr : tuple of float, optional
            ``(low, high)`` with ``0 <= low < high <= 1``; at least one of them.

        Returns
        -------
        PartialArea
            `raw`, `normalized` (by the area of the box) and `mcclish`; nan when a class is
            missing. A band of fpr alone gives the integral of tpr over it, a band of tpr alone
            that of ``1 - fpr``, both together the part of the box that lies under the curve.

        Raises
        ------
        InputError
            For bands that are none.

        Notes
        -----
        Straight inside tie groups. Integer sums and exact fractions at the cuts, divided once,
        unless weights are fractions. O(g).

        References
        ----------
        D. K. McClish (1989), Analyzing a portion of the ROC curve, Medical Decision Making 9(3);
        H. Yang et al. (2019), Two-way partial AUC and its properties, Statistical Methods in
        Medical Research 28(1).

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([0, 1, 0, 1, 0, 1, 0, 1], [0.1, 0.3, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9])
        >>> area = t.partial_auc(fpr=(0, 0.375))
        >>> area.raw, round(area.normalized, 4), round(area.mcclish, 4)
        (0.125, 0.3333, 0.5897)
        >>> t.partial_auc(tpr=(0.75, 1)).raw
        0.0625
        """
        return partial_auc(self.counts, *read_box(fpr, tpr))

    def pr_auc(self, interpolation: str, *, start: str = "flat") -> float:
        """Interpolated area under precision over recall: not average precision.

        Parameters
        ----------
        interpolation : {"linear", "davis_goadrich"}
            Straight lines between the points of `pr_curve`, which is too optimistic but widely
            printed; or the curve that they really allow, counts growing in step inside each tie
            group.
        start : {"flat", "one"}
            Of the linear area, left of the first point: its own precision, or a line to the
            invented point of recall 0 and precision 1, as the trapezoid over the arrays of
            scikit-learn's ``precision_recall_curve`` has it.

        Returns
        -------
        float
            In [0, 1], within 1e-14 of the exact area; nan without positives.

        Notes
        -----
        O(g); the closed form (with one logarithm a tie group) of the interpolation.

        References
        ----------
        J. Davis and M. Goadrich (2006), The relationship between precision-recall and ROC curves,
        ICML, section 4.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
        >>> round(t.pr_auc("linear"), 4), round(t.pr_auc("davis_goadrich"), 4)
        (0.7917, 0.7973)
        >>> round(t.average_precision(), 4)
        0.8333
        """
        return pr_auc(self.counts, *read_interpolation(interpolation, start))

    def eer(self) -> float:
        """Equal error rate: the fpr where the ROC curve has ``fpr == fnr``.

        Returns
        -------
        float
            In [0, 1]; 0.5 for a constant score, nan when a class is missing. The curve is straight
            inside a tie group, so that no threshold need reach the point.

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).eer()
        0.25
        """
        return _fixed_rates.eer(self.counts)

    def break_even(self) -> float:
        """Break-even point: precision where it equals recall.

        Returns
        -------
        float
            In [0, 1]; the prevalence for a constant score, nan without positives. As many rows
            are predicted positive there as there are positives; inside a tie group the expected
            number of true positives is taken.

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]).break_even()
        0.5
        """
        return _fixed_rates.break_even(self.counts)

    def recall_at_fpr(self, fpr: float) -> RateAt:
        """Largest recall whose false positive rate is at most `fpr`.

        Parameters
        ----------
        fpr : float
            From 0 to 1.

        Returns
        -------
        RateAt
            A float with the highest `threshold` that gives it. Only thresholds count: nothing is
            interpolated inside a tie group. Predicting nothing (threshold ``inf``, recall 0)
            always qualifies; nan when a class is missing.

        Raises
        ------
        InputError
            If the argument is no number from 0 to 1.

        Notes
        -----
        The rate of a threshold is rounded to a float and then compared, as in ``t.at``:
        3 of 10 negatives are within 0.3.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
        >>> t.recall_at_fpr(0)
        0.6666666666666666 (threshold=0.8)
        """
        return _fixed_rates.recall_at_fpr(self.counts, check_share(fpr, "fpr"))

    def recall_at_specificity(self, specificity: float) -> RateAt:
        """Largest recall whose specificity is at least `specificity`; see `recall_at_fpr`."""
        target = check_share(specificity, "specificity")
        return _fixed_rates.recall_at_specificity(self.counts, target)

    def specificity_at_recall(self, recall: float) -> RateAt:
        """Largest specificity whose recall is at least `recall`; see `recall_at_fpr`.

        nan with status "unreachable" where no threshold has that recall, as may be when missing
        scores rank last.
        """
        return _fixed_rates.specificity_at_recall(self.counts, check_share(recall, "recall"))

    def recall_at_precision(self, precision: float) -> RateAt:
        """Largest recall whose precision is at least `precision`; see `recall_at_fpr`.

        nan with status "unreachable" where no threshold has that precision; predicting nothing
        has none.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
        >>> t.recall_at_precision(0.75)
        1.0 (threshold=0.6)
        """
        target = check_share(precision, "precision")
        return _fixed_rates.recall_at_precision(self.counts, target)

    def precision_at_recall(self, recall: float) -> RateAt:
        """Largest precision whose recall is at least `recall`; see `recall_at_fpr`.

        nan with status "unreachable" where no threshold has that recall.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
        >>> t.precision_at_recall(0.9)
        0.75 (threshold=0.6)
        """
        return _fixed_rates.precision_at_recall(self.counts, check_share(recall, "recall"))
