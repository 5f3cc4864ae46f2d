"""Bootstrap: replicates of a call, and the intervals and differences they give."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ._bands import CURVES, Band, CurveReplicates, make_band
from ._binomial import check_level
from ._intervals import METHODS, Contribution, Interval, read_interval
from ._layout import aligned
from ._rows import Rows
from ._slots import Slot, coded, model_place, slot_place
from ._types import Floats, Ints
from ._validate import check_choice
from ._wording import counted, told
from .errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Bootstrap"]

FEW = 50


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Replicates of metrics, with intervals.

    Attributes
    ----------
    models : tuple of str
    slots : tuple of Slot
        Metric and threshold of each column of `estimate` and `replicates`.
    estimate : ndarray of float64, shape (models, slots)
        Of the rows themselves, never a mean of replicates.
    replicates : ndarray of float64, shape (n_resamples, models, slots)
        nan where the metric is undefined in a replicate.
    n, n_pos, n_neg : int
        Rows drawn from.
    n_clusters : int or None
        Clusters drawn from; None where rows are drawn.
    totals : tuple of (number, number)
        Positives and negatives of each model: rows, or weight sums.
    baseline : ndarray of float64, shape (models, slots)
        Value without skill; nan where there is none.
    scheme : str
        "multinomial", "stratified" (class counts fixed), "cluster" or "poisson".
    plan : str
        "rows" or "cells"; see `ranktally.bootstrap`.
    seed, n_resamples : int
    method : str
    level : float
        Of intervals unless they are asked for otherwise.
    grid : ndarray of float64, shape (points,)
        Where the heights of curves are held; empty without curves.
    """

    models: tuple[str, ...]
    slots: tuple[Slot, ...]
    estimate: Floats
    replicates: Floats
    n: int
    n_pos: int
    n_neg: int
    n_clusters: int | None
    totals: tuple[tuple[Any, Any], ...]
    baseline: Floats
    scheme: str
    plan: str
    seed: int
    n_resamples: int
    method: str
    level: float
    _status: tuple[tuple[str, ...], ...] = field(repr=False)
    _too_few: tuple[str, ...] = field(repr=False)
    _contributions: dict[tuple[int, int], Contribution] = field(repr=False)
    grid: Floats = field(default_factory=lambda: np.empty(0))
    _curves: dict[str, CurveReplicates] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for array in (self.estimate, self.replicates, self.baseline, self.grid):
            array.flags.writeable = False

    @property
    def n_undefined(self) -> Ints:
        """Replicates in which a number is undefined: shape (models, slots)."""
        return np.asarray(np.isnan(self.replicates).sum(axis=0), np.int64)

    def interval(
        self,
        model: str | None = None,
        metric: str | None = None,
        *,
        threshold: float | None = None,
        method: str | None = None,
        level: float | None = None,
    ) -> Interval:
        """Return the interval of one metric of one model.

        Parameters
        ----------
        model, metric : str
            May be left out where the result holds only one.
        threshold : float, optional
            Which, for a measure at several thresholds.
        method, level : optional
            Others than those of the call, from the same replicates.

        Returns
        -------
        Interval

        Raises
        ------
        InputError
            For an unknown model, metric, threshold, method or level.
        """
        m = model_place(self.models, model, "model")
        slot = slot_place(self.slots, metric, threshold)
        status = self._status[m][slot]
        return self._interval(
            float(self.estimate[m, slot]),
            self.replicates[:, m, slot],
            status if status != "ok" else self._too_few[slot],
            self.slots[slot].range,
            self._contributions.get((m, slot)),
            method,
            level,
            scale=abs(float(self.estimate[m, slot])),
        )

    def difference(
        self,
        a: str,
        b: str,
        metric: str | None = None,
        *,
        threshold: float | None = None,
        method: str | None = None,
        level: float | None = None,
    ) -> Interval:
        """Return the interval of the paired difference ``a - b``, with its two-sided p-value.

        The p-value is the smallest ``1 - level`` whose interval, of the same method, leaves out 0,
        and at least ``1 / (B + 1)``. Replicates that do not differ tell nothing: p is nan, and the
        status "zero_variance", unless the models agree in all of them.

        Parameters
        ----------
        a, b : str
            Models.
        metric, threshold, method, level
            As for `interval`.

        Returns
        -------
        Interval

        Raises
        ------
        InputError
            As `interval` does.
        """
        i, j = model_place(self.models, a, "a"), model_place(self.models, b, "b")
        slot = slot_place(self.slots, metric, threshold)
        low, high = self.slots[slot].range
        status = next(
            (s for s in (self._status[i][slot], self._status[j][slot]) if s != "ok"), "ok"
        )
        first, second = self._contributions.get((i, slot)), self._contributions.get((j, slot))
        values = float(self.estimate[i, slot]), float(self.estimate[j, slot])
        replicates = self.replicates[:, i, slot], self.replicates[:, j, slot]
        # Infinite in both models, a difference is unknown, and leaving it out would be a choice.
        if status == "ok" and (np.isinf(replicates[0]) & np.isinf(replicates[1])).any():
            status = "infinite"
        with np.errstate(invalid="ignore"):
            gap, gaps = np.subtract(*values), np.subtract(*replicates)
        return self._interval(
            float(gap),
            gaps,
            status if status != "ok" else self._too_few[slot],
            (low - high, high - low),
            None if first is None or second is None else first - second,
            method,
            level,
            scale=max(map(abs, values)),
            paired=True,
        )

    def _interval(
        self,
        estimate: float,
        replicates: Floats,
        status: str,
        within: tuple[float, float],
        contribution: Contribution | None,
        method: str | None,
        level: float | None,
        *,
        scale: float,
        paired: bool = False,
    ) -> Interval:
        method = self.method if method is None else method
        check_choice("method", method, METHODS)
        notes = {
            "few_positives": self.n_pos < FEW,
            "few_negatives": self.n_neg < FEW,
            "few_clusters": self.n_clusters is not None and self.n_clusters < FEW,
        }
        return read_interval(
            estimate,
            replicates,
            status,
            within,
            method=method,
            level=self.level if level is None else check_level(level),
            scheme=self.scheme,
            contribution=contribution,
            notes=[note for note, holds in notes.items() if holds],
            scale=scale,
            paired=paired,
        )

    def band(
        self,
        model: str | None = None,
        curve: str | None = None,
        *,
        simultaneous: bool = False,
        method: str | None = None,
        level: float | None = None,
    ) -> Band:
        """Return the band of a curve that `bootstrap` was asked for.

        Parameters
        ----------
        model : str, optional
        curve : {"roc", "pr"}, optional
            Both may be left out where the result holds only one.
        simultaneous : bool
            Whether the whole curve is to be covered at once, instead of each point alone.
        method : {"percentile", "basic", "normal"}, optional
            Of pointwise bands; those of the call unless it is "bca", then "percentile".
        level : float, optional
            Another than that of the call.

        Returns
        -------
        Band

        Raises
        ------
        InputError
            For an unknown model, curve, method or level.

        Notes
        -----
        A pointwise band holds the intervals of the metrics ``recall_at_fpr(x)`` or
        ``precision_at_recall(x)``. Where an estimate is 0 or 1 in every replicate it has no width,
        which its note says; close by it is too narrow, since resampling cannot draw what was not
        seen.

        A simultaneous band is ``estimate +- c s``: `s` the standard deviation of a point's
        replicates, no less than that of a share of as many rows with two successes and two
        failures added [1]_; `c` the quantile over replicates of a curve's largest
        ``|replicate - estimate| / s``, no less than the normal one. It is cut to [0, 1], and
        tightened where a bound further along says more, as both curves are monotone. Where the
        grid leaves less than one row to spare (`x` below ``1 / n_neg`` of ROC, above
        ``1 - 1 / n_pos`` of PR) an extreme score alone decides, and the low end is 0. With
        clusters the replicates widen `s`, but its lower limit takes rows as independent.

        In simulations of two normal classes (200 to 2000 rows, 20 positives or more, 101 points,
        level 0.95) the whole true curve lay inside at least 94 % of these bands. One width for all
        points [2]_ would be wider where scores are dense; without the least deviation, and with
        pointwise bands [3]_, the whole curve is seldom inside.

        References
        ----------
        .. [1] A. Agresti and B. A. Coull (1998), Approximate is better than "exact" for interval
           estimation of binomial proportions, The American Statistician 52.
        .. [2] G. Campbell (1994), Advances in statistical methodology for the evaluation of
           diagnostic and laboratory tests, Statistics in Medicine 13.
        .. [3] S. Macskassy, F. Provost and S. Rosset (2005), ROC confidence bands: an empirical
           evaluation, ICML.

        Examples
        --------
        >>> import ranktally as rt
        >>> y, s = [1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.55, 0.6, 0.2, 0.1]
        >>> result = rt.bootstrap(label=y, scores=s, curves="roc", grid=[0.25, 0.5], seed=1)
        >>> band = result.band()
        >>> band.estimate.round(3).tolist(), band.interval
        ([0.667, 1.0], 'bootstrap multinomial percentile, pointwise')
        """
        m = model_place(self.models, model, "model")
        if curve is None and len(self._curves) == 1:
            curve = next(iter(self._curves))
        if curve not in self._curves:
            known = " and ".join(map(repr, self._curves)) or "no curves"
            raise InputError(
                f"`curve` is {curve!r}, but the result holds {known}: pass "
                f"curves={list(CURVES)} to bootstrap"
            )
        if simultaneous and method is not None:
            raise InputError("`method` is for pointwise bands: leave it out with simultaneous=True")
        if method is None:
            method = "percentile" if self.method == "bca" else self.method
        method = "normal" if simultaneous else method
        check_choice("method", method, METHODS[:3])
        held = self._curves[curve]
        estimate, replicates = held.estimate[m], held.replicates[:, m]
        points = zip(estimate.tolist(), replicates.T, held.status[m], strict=True)
        intervals = [
            self._interval(height, drawn, status, (0.0, 1.0), None, method, level, scale=1.0)
            for height, drawn, status in points
        ]
        return make_band(
            curve,
            self.models[m],
            self.grid,
            (estimate, replicates),
            intervals,
            (self.n_pos, self.n_neg),
            simultaneous=simultaneous,
        )

    def rows(self, method: str | None = None, level: float | None = None) -> Rows:
        """Return tidy rows in the columns of an evaluation, one a model, metric and threshold."""
        cells = [(m, k) for m in range(len(self.models)) for k in range(len(self.slots))]
        found = [
            self.interval(
                self.models[m],
                self.slots[k].metric,
                threshold=self.slots[k].threshold,
                method=method,
                level=level,
            )
            for m, k in cells
        ]
        cuts = [self.slots[k].threshold for _, k in cells]
        totals = np.asarray([self.totals[m] for m, _ in cells])
        # Where there are no ends, nothing made them.
        names = ["" if math.isnan(x.low) else f"bootstrap {self.scheme} {x.method}" for x in found]
        levels = [math.nan if math.isnan(x.low) else x.level for x in found]
        return Rows(
            {
                "model": coded([self.models[m] for m, _ in cells]),
                "metric": coded([self.slots[k].metric for _, k in cells]),
                "threshold": np.asarray([math.nan if x is None else x for x in cuts], np.float64),
                "value": np.asarray([x.estimate for x in found]),
                "low": np.asarray([x.low for x in found]),
                "high": np.asarray([x.high for x in found]),
                "interval": coded(names),
                "level": np.asarray(levels),
                "baseline": self.baseline.ravel().copy(),
                "n": totals.sum(axis=1),
                "n_pos": totals[:, 0].copy(),
                "n_neg": totals[:, 1].copy(),
                "status": coded([x.status for x in found]),
                "note": coded([x.note for x in found]),
            }
        )

    def to_arrow(self) -> pa.Table:
        """Return a `pyarrow.Table` of `rows`; nan becomes null."""
        return self.rows().to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return (
            f"Bootstrap({counted(len(self.models), 'model')}, "
            f"{counted(self.n_resamples, 'resample')}, {self.scheme} over {self.plan}, "
            f"seed {self.seed})"
        )

    def __str__(self) -> str:
        lines = [["model", "metric", "value", "error", "low", "high", ""]]
        for model in self.models:
            for slot in self.slots:
                x = self.interval(model, slot.metric, threshold=slot.threshold)
                numbers = [f"{v:.4f}" for v in (x.estimate, x.standard_error, x.low, x.high)]
                why = "" if x.status == "ok" else x.status.replace("_", " ")
                remark = ", ".join(filter(None, (why, told(x.note))))
                lines.append([model, str(slot), *numbers, remark])
        drawn = f"{counted(self.n_resamples, 'resample')}, seed {self.seed}"
        foot = f"intervals: {100 * self.level:g} % bootstrap {self.method}, {self.scheme}, {drawn}"
        return "\n".join([*aligned(lines, texts=2), foot])
