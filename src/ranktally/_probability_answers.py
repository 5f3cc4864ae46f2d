"""What a Tally answers about scores that are probabilities."""

from __future__ import annotations

from . import _calibration
from ._calibration import BrierParts, Calibration, LogLoss, check_probabilities, read_bins
from ._counts import Counts
from ._tally_state import TallyState
from .errors import InputError

__all__ = ["ProbabilityAnswers"]


class ProbabilityAnswers(TallyState):
    """The methods of `Tally` that take its scores as probabilities of the positive class.

    All raise InputError where a score is outside [0, 1] or missing, or left out of an incomplete
    tally; none transforms scores.
    """

    def _probabilities(self) -> Counts:
        """The counts, if each of their scores is a probability of the rows that have it."""
        if not self.complete:
            raise InputError(
                "an incomplete tally does not hold the score of every row: losses and calibration "
                "need the complete one"
            )
        check_probabilities(self.counts)
        return self.counts

    def brier(self) -> float:
        """Brier score: mean squared distance of probability and outcome, 0 is best.

        Returns
        -------
        float
            In [0, 1].

        Raises
        ------
        InputError
            If a score is no probability.

        References
        ----------
        G. W. Brier (1950), Verification of forecasts expressed in terms of probability, Monthly
        Weather Review 78.

        Examples
        --------
        >>> import ranktally as rt
        >>> round(rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]).brier(), 6)
        0.275
        """
        return _calibration.brier(self._probabilities())

    def log_loss(self) -> LogLoss:
        """Log loss: mean of minus the natural log of the probability of the true class.

        Returns
        -------
        LogLoss
            A float with `n_clipped`: how many rows had a probability nearer to 0 or 1 than `clip`,
            the machine epsilon of the score's type (of float64 for integers).

        Raises
        ------
        InputError
            If a score is no probability.

        Examples
        --------
        >>> import ranktally as rt
        >>> loss = rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.0]).log_loss()
        >>> round(loss, 4), loss.n_clipped
        (0.5179, 1)
        """
        return _calibration.log_loss(self._probabilities())

    def brier_decomposition(
        self, n_bins: int | None = None, strategy: str = "quantile"
    ) -> BrierParts:
        """Brier score in parts: reliability less resolution plus uncertainty.

        Parameters
        ----------
        n_bins : int, optional
            None takes each distinct score as a bin, for which the parts add up; else what the
            bins hide is told as `within_bin`.
        strategy : {"quantile", "uniform"}
            As in `calibration`.

        Returns
        -------
        BrierParts

        Raises
        ------
        InputError
            If a score is no probability, or for bins that are none.

        Notes
        -----
        With many distinct scores and few rows of each, the exact parts say more about the sample
        than about the forecast: bin them.

        References
        ----------
        A. H. Murphy (1973), A new vector partition of the probability score, Journal of Applied
        Meteorology 12(4); D. B. Stephenson et al. (2008), Two extra components in the Brier score
        decomposition, Weather and Forecasting 23(4).

        Examples
        --------
        >>> import ranktally as rt
        >>> parts = rt.tally([1, 0, 1, 0], [0.75, 0.75, 0.75, 0.25]).brier_decomposition()
        >>> round(parts.reliability, 4), round(parts.resolution, 4), parts.uncertainty
        (0.0208, 0.0833, 0.25)
        """
        if n_bins is not None:
            n_bins, strategy = read_bins(n_bins, strategy)
        return _calibration.brier_parts(self._probabilities(), n_bins, strategy)

    def calibration(
        self, n_bins: int = 10, strategy: str = "quantile", *, level: float = 0.95
    ) -> Calibration:
        """Calibration table: predicted against observed share of positives, bin by bin.

        Parameters
        ----------
        n_bins : int
            Bins asked for; those without rows have no line.
        strategy : {"quantile", "uniform"}
            Bins of nearly equal weight: a score's bin is the share of rows below it, times
            `n_bins`. Or bins of equal width, each with its upper edge, the first with 0 too.
            Equal scores are never parted.
        level : float
            Of Wilson's interval of the observed share.

        Returns
        -------
        Calibration
            Also with `ece` and `mce`.

        Raises
        ------
        InputError
            If a score is no probability, or for bins or a level that are none.

        Notes
        -----
        O(g). The interval takes weights as numbers of repeated rows.

        Examples
        --------
        >>> import ranktally as rt
        >>> t = rt.tally([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
        >>> table = t.calibration(2)
        >>> table.mean_predicted.round(3).tolist(), table.observed.round(3).tolist()
        ([0.2, 0.7], [0.333, 0.667])
        >>> table.n.tolist(), round(table.ece, 4)
        ([3, 3], 0.0833)
        """
        n_bins, strategy = read_bins(n_bins, strategy)
        return _calibration.calibration_table(self._probabilities(), n_bins, strategy, level)

    def ece(self, n_bins: int = 10, strategy: str = "quantile") -> float:
        """Expected calibration error: weighted mean distance over the bins of `calibration`.

        Notes
        -----
        It depends on the bins; the usual 15 bins of equal width are ``ece(15, "uniform")``.

        References
        ----------
        M. P. Naeini, G. Cooper and M. Hauskrecht (2015), Obtaining well calibrated probabilities
        using Bayesian binning, AAAI.

        Examples
        --------
        >>> import ranktally as rt
        >>> round(rt.tally([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]).ece(2), 6)
        0.2
        """
        return self.calibration(n_bins, strategy).ece

    def mce(self, n_bins: int = 10, strategy: str = "quantile") -> float:
        """Maximum calibration error: largest distance over the bins of `calibration`."""
        return self.calibration(n_bins, strategy).mce
