"""Bootstrap: replicates of a call, and the intervals and differences they give."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ._binomial import check_level
from ._cells import Coded
from ._intervals import METHODS, Interval, acceleration, make_interval, two_sided_p
from ._requests import parse_metric
from ._rows import Rows, near
from ._types import Floats, Ints
from ._validate import check_choice
from .errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Bootstrap", "Jackknife", "Slot"]

FEW = 50


@dataclass(frozen=True)
class Slot:
    """One number of a model: a metric, and the threshold it is at (None for an area)."""

    metric: str
    threshold: float | None
    range: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Jackknife:
    """What each unit contributes to a number: deviations, of any scale.

    `blocks` says in words what was deleted instead of single rows; "" for closed forms.
    """

    value: Floats
    blocks: str

    def __sub__(self, other: Jackknife) -> Jackknife:
        return Jackknife(self.value - other.value, self.blocks)


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
    """

    models: tuple[str, ...]
    slots: tuple[Slot, ...]
    estimate: Floats
    replicates: Floats
    n: int
    n_pos: int
    n_neg: int
    totals: tuple[tuple[Any, Any], ...]
    baseline: Floats
    scheme: str
    plan: str
    seed: int
    n_resamples: int
    method: str
    level: float
    _status: tuple[tuple[str, ...], ...] = field(repr=False)
    _jackknife: dict[tuple[int, int], Jackknife] = field(repr=False)

    def __post_init__(self) -> None:
        for array in (self.estimate, self.replicates, self.baseline):
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
        m, slot = self._model(model, "model"), self._slot(metric, threshold)
        return self._interval(
            float(self.estimate[m, slot]),
            self.replicates[:, m, slot],
            self._status[m][slot],
            self.slots[slot].range,
            self._jackknife.get((m, slot)),
            method,
            level,
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

        The p-value counts the replicates whose difference is at least as far from the estimate
        as the estimate is from 0: ``(count + 1) / (B + 1)``.

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
        i, j = self._model(a, "a"), self._model(b, "b")
        slot = self._slot(metric, threshold)
        low, high = self.slots[slot].range
        status = next(
            (s for s in (self._status[i][slot], self._status[j][slot]) if s != "ok"), "ok"
        )
        first, second = self._jackknife.get((i, slot)), self._jackknife.get((j, slot))
        with np.errstate(invalid="ignore"):  # infinite in both models
            replicates = self.replicates[:, i, slot] - self.replicates[:, j, slot]
        return self._interval(
            float(self.estimate[i, slot]) - float(self.estimate[j, slot]),
            replicates,
            status,
            (low - high, high - low),
            None if first is None or second is None else first - second,
            method,
            level,
            paired=True,
        )

    def _interval(
        self,
        estimate: float,
        replicates: Floats,
        status: str,
        within: tuple[float, float],
        jackknife: Jackknife | None,
        method: str | None,
        level: float | None,
        *,
        paired: bool = False,
    ) -> Interval:
        method = self.method if method is None else method
        check_choice("method", method, METHODS)
        level = self.level if level is None else check_level(level)
        defined = replicates[~np.isnan(replicates)]
        accelerated = 0.0
        if method == "bca" and status == "ok":
            if jackknife is None:
                raise InputError(
                    '`method` "bca" needs what each row contributes, which this result does not '
                    'hold: pass method="bca" to bootstrap'
                )
            accelerated = acceleration(jackknife.value)
            if math.isnan(accelerated):
                status = "no_acceleration"
        low, high, error = make_interval(estimate, defined, method, level, within, accelerated)
        if status == "ok" and math.isnan(low):
            # Infinite replicates have no standard error, and neither has a single one.
            status = "no_standard_error" if defined.size else "no_defined_replicates"
        few = method in ("percentile", "basic") and (1 - level) / 2 * (defined.size + 1) < 1
        undefined = replicates.size - defined.size
        notes = [
            *(["few_positives"] if self.n_pos < FEW else []),
            *(["few_negatives"] if self.n_neg < FEW else []),
            *(["degenerate: zero width"] if low == high else []),
            *(["replicates too few for the level"] if few and status == "ok" else []),
            *([f"{undefined} of {replicates.size} replicates undefined"] if undefined else []),
            *([jackknife.blocks] if method == "bca" and jackknife and jackknife.blocks else []),
        ]
        return Interval(
            low,
            estimate,
            high,
            error,
            method,
            level,
            self.scheme,
            status,
            ", ".join(notes),
            self.n_resamples,
            undefined,
            two_sided_p(estimate, defined) if paired else None,
        )

    def _model(self, model: object, role: str) -> int:
        if model is None and len(self.models) == 1:
            return 0
        if model not in self.models:
            raise InputError(
                f"`{role}` is {model!r}, expected a model of the result{near(model, self.models)}"
            )
        return self.models.index(str(model))

    def _slot(self, metric: object, threshold: object) -> int:
        held = list(dict.fromkeys(slot.metric for slot in self.slots))
        if metric is None and len(held) == 1:
            metric = held[0]
        if metric not in held:
            name = self._canonical(metric)
            if name not in held:
                raise InputError(
                    f"`metric` is {metric!r}, expected one of the result{near(metric, held)}"
                )
            metric = name
        found = [k for k, slot in enumerate(self.slots) if slot.metric == metric]
        if threshold is not None:
            found = [k for k in found if self.slots[k].threshold == threshold]
        if len(found) != 1:
            cuts = [s.threshold for s in self.slots if s.metric == metric]
            raise InputError(
                f"`threshold` is {threshold!r}, expected one of those of {metric!r}: {cuts}"
            )
        return found[0]

    def _canonical(self, metric: object) -> str | None:
        """The spelling in this result of what may be an alias."""
        try:
            wanted = parse_metric(metric, "metric")  # type: ignore[arg-type]
        except InputError:
            return None
        for slot in self.slots:
            try:
                held = parse_metric(slot.metric)
            except InputError:  # a caller's own
                continue
            if (held.metric.name, held.arguments) == (wanted.metric.name, wanted.arguments):
                return slot.metric
        return None

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
        names = [f"bootstrap {self.scheme} {x.method}" for x in found]
        return Rows(
            {
                "model": _coded([self.models[m] for m, _ in cells]),
                "metric": _coded([self.slots[k].metric for _, k in cells]),
                "threshold": np.asarray([math.nan if x is None else x for x in cuts], np.float64),
                "value": np.asarray([x.estimate for x in found]),
                "low": np.asarray([x.low for x in found]),
                "high": np.asarray([x.high for x in found]),
                "interval": _coded(names),
                "level": np.asarray([x.level for x in found]),
                "baseline": self.baseline.ravel().copy(),
                "n": totals.sum(axis=1),
                "n_pos": totals[:, 0].copy(),
                "n_neg": totals[:, 1].copy(),
                "status": _coded([x.status for x in found]),
                "note": _coded([x.note for x in found]),
            }
        )

    def to_arrow(self) -> pa.Table:
        """Return a `pyarrow.Table` of `rows`; nan becomes null."""
        return self.rows().to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return (
            f"Bootstrap({len(self.models)} models, {self.n_resamples} resamples, {self.scheme} "
            f"over {self.plan}, seed {self.seed})"
        )


def _coded(texts: list[str]) -> Coded:
    """Texts by their places; an empty one is null."""
    names = tuple(dict.fromkeys(text for text in texts if text))
    places = {name: k for k, name in enumerate(names)}
    return Coded(np.asarray([places.get(text, -1) for text in texts], np.int32), names)
