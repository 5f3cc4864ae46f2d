"""What `jackknife` returns: metrics with their covariances, and what is read off them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ._binomial import check_level
from ._layout import aligned
from ._normal import logit_ends, normal_ends, z_and_p
from ._rows import Rows
from ._slots import Slot, coded, model_place, slot_place
from ._types import Floats
from ._validate import check_choice
from .errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Jackknife", "JackknifeDifference", "JackknifeInterval"]

NAN = math.nan
KINDS = ("plain", "logit")
UNIT = (0.0, 1.0)
FEW = 50
TOO_FEW_CLUSTERS = 10
SHOWN_PAIRS = 10


@dataclass(frozen=True)
class JackknifeInterval:
    """A metric of a model with its interval.

    Attributes
    ----------
    low, estimate, high : float
        Ends within the metric's range; nan when the variance is unknown.
    standard_error : float
    level : float
    kind : str
        "plain" or "logit".
    status : str
        "ok"; "zero_variance" (no row moves the metric by more than rounding does, as at a
        precision of exactly 1: the width of 0 understates what is not known); "no_logit" (a metric
        of 0 or 1, whose ends are the plain ones). Without a variance: why the metric is undefined,
        such as "no_positives"; "infinite"; "one_row", "one_cluster", "one_positive",
        "one_negative" (a single row, or cluster, of a class that the metric needs);
        "no_derivative" (a caller's own function that is nan nearby).
    clipped : bool
        An end lay outside the metric's range and was moved there.
    note : str
        What to know about it: "few_positives", "few_negatives" (rows), "few_clusters", each for
        fewer than 50; "clipped". With few clusters the interval is too narrow.
    """

    low: float
    estimate: float
    high: float
    standard_error: float
    level: float
    kind: str
    status: str
    clipped: bool
    note: str


@dataclass(frozen=True)
class JackknifeDifference:
    """A metric of one model less that of another on the same rows.

    Attributes
    ----------
    low, estimate, high : float
        Ends within the range of differences; nan when the variance is unknown.
    standard_error : float
    z : float
        Positive when the first model's metric is larger; 0 when the models do not differ at all,
        nan when they differ by an amount without variance.
    p : float
        Two-sided; 1 when the models do not differ at all, nan where z is, and with fewer than 10
        clusters, whose z does not follow the normal law.
    level : float
    status : str
        As of `JackknifeInterval`; "zero_variance" when every row, or cluster, bears on both models
        alike; "too_few_clusters" where that is why there is no p.
    clipped : bool
        An end lay outside the range and was moved there.
    note : str
        As of `JackknifeInterval`.
    """

    low: float
    estimate: float
    high: float
    standard_error: float
    z: float
    p: float
    level: float
    status: str
    clipped: bool
    note: str


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Metrics of models on the same rows, with their covariances.

    Attributes
    ----------
    models : tuple of str
    slots : tuple of Slot
        Metric and threshold of each column of `estimate`.
    estimate : ndarray of float64, shape (models, slots)
    covariance : ndarray of float64, shape (slots, models, models)
        nan where the variance is unknown.
    difference_variance : ndarray of float64, shape (slots, models, models)
        Variance of the difference of two models, summed from differences row by row: never
        negative, and exact where the covariance would cancel.
    n, n_pos, n_neg : int
        Rows used.
    n_clusters : int or None
        None where rows are independent.
    totals : tuple of (number, number)
        Positives and negatives of each model: rows, or weight sums.
    baseline : ndarray of float64, shape (models, slots)
        Value without skill; nan where there is none.
    level : float
        Of intervals unless they are asked for otherwise.
    """

    models: tuple[str, ...]
    slots: tuple[Slot, ...]
    estimate: Floats
    covariance: Floats
    difference_variance: Floats
    n: int
    n_pos: int
    n_neg: int
    n_clusters: int | None
    totals: tuple[tuple[float, float], ...]
    baseline: Floats
    level: float
    _status: tuple[tuple[str, ...], ...] = field(repr=False)

    def __post_init__(self) -> None:
        for array in (self.estimate, self.covariance, self.difference_variance, self.baseline):
            array.flags.writeable = False

    @property
    def standard_error(self) -> Floats:
        """Standard error of each metric, shape (models, slots)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2)).T

    def interval(
        self,
        model: str | None = None,
        metric: str | None = None,
        *,
        threshold: float | None = None,
        kind: str = "plain",
        level: float | None = None,
    ) -> JackknifeInterval:
        """Return the interval of one metric of one model.

        Parameters
        ----------
        model, metric : str
            May be left out where the result holds only one.
        threshold : float, optional
            Which, for a measure at several thresholds.
        kind : {"plain", "logit"}
            Symmetric about the metric, and clipped to its range; or, for a metric from 0 to 1,
            symmetric on the scale of ``log(x / (1 - x))``, which stays inside.
        level : float, optional
            Another than that of the call.

        Returns
        -------
        JackknifeInterval

        Raises
        ------
        InputError
            For an unknown model, metric, threshold, kind or level, or "logit" of a metric that
            does not run from 0 to 1.
        """
        check_choice("kind", kind, KINDS)
        m = model_place(self.models, model, "model")
        k = slot_place(self.slots, metric, threshold)
        level = self.level if level is None else check_level(level)
        slot = self.slots[k]
        if kind == "logit" and slot.range != UNIT:
            raise InputError(
                f'`kind` "logit" is for metrics from 0 to 1, and {slot.metric!r} runs from '
                f'{slot.range[0]:g} to {slot.range[1]:g}: pass kind="plain"'
            )
        x, error = float(self.estimate[m, k]), float(self.standard_error[m, k])
        status = self._status[m][k]
        logit = kind == "logit" and status == "ok"
        if logit and not 0.0 < x < 1.0:
            status, logit = "no_logit", False
        if logit:
            (low, high), clipped = logit_ends(x, error, level), False
        else:
            low, high, clipped = normal_ends(x, error, level, slot.range)
        note = self._note(clipped)
        return JackknifeInterval(low, x, high, error, level, kind, status, clipped, note)

    def difference(
        self,
        a: str,
        b: str,
        metric: str | None = None,
        *,
        threshold: float | None = None,
        level: float | None = None,
    ) -> JackknifeDifference:
        """Return the interval of the paired difference ``a - b``, with z and its p-value.

        Parameters
        ----------
        a, b : str
            Models.
        metric, threshold, level
            As for `interval`.

        Returns
        -------
        JackknifeDifference

        Raises
        ------
        InputError
            As `interval` does.
        """
        i, j = model_place(self.models, a, "a"), model_place(self.models, b, "b")
        k = slot_place(self.slots, metric, threshold)
        level = self.level if level is None else check_level(level)
        estimate, error = self._gap(i, j, k)
        status = self._gap_status(i, j, k, error)
        sizes = abs(float(self.estimate[i, k])), abs(float(self.estimate[j, k]))
        z, p = z_and_p(estimate, error, max(sizes))
        if status == "too_few_clusters":
            p = NAN
        least, most = self.slots[k].range
        low, high, clipped = normal_ends(estimate, error, level, (least - most, most - least))
        note = self._note(clipped)
        return JackknifeDifference(low, estimate, high, error, z, p, level, status, clipped, note)

    def _gap(self, i: int, j: int, k: int) -> tuple[float, float]:
        with np.errstate(invalid="ignore"):  # infinite in both models
            estimate = float(self.estimate[i, k] - self.estimate[j, k])
        return estimate, math.sqrt(self.difference_variance[k, i, j])

    def _gap_status(self, i: int, j: int, k: int, error: float) -> str:
        for status in (self._status[i][k], self._status[j][k]):
            if status not in ("ok", "zero_variance"):
                return status
        if error == 0.0:
            return "zero_variance"
        few = self.n_clusters is not None and self.n_clusters < TOO_FEW_CLUSTERS
        return "too_few_clusters" if few else "ok"

    def _note(self, clipped: bool) -> str:
        few = (
            ("few_positives", self.n_pos),
            ("few_negatives", self.n_neg),
            ("few_clusters", FEW if self.n_clusters is None else self.n_clusters),
        )
        return ", ".join([name for name, n in few if n < FEW] + ["clipped"] * clipped)

    def rows(self, kind: str = "plain", level: float | None = None) -> Rows:
        """Return tidy rows in the columns of an evaluation, one a model, metric and threshold.

        Parameters
        ----------
        kind : {"plain", "logit"}
            Of the intervals; those of metrics that do not run from 0 to 1 are plain.
        level : float, optional
            Another than that of the call.
        """
        check_choice("kind", kind, KINDS)
        cells = [(m, k) for m in range(len(self.models)) for k in range(len(self.slots))]
        found = [self._of_slot(m, k, kind, level) for m, k in cells]
        cuts = [self.slots[k].threshold for _, k in cells]
        totals = np.asarray([self.totals[m] for m, _ in cells])
        whole = "jackknife" if self.n_clusters is None else "jackknife cluster"
        return Rows(
            {
                "model": coded([self.models[m] for m, _ in cells]),
                "metric": coded([self.slots[k].metric for _, k in cells]),
                "threshold": np.asarray([NAN if x is None else x for x in cuts], np.float64),
                "value": self.estimate.ravel().copy(),
                "standard_error": self.standard_error.ravel().copy(),
                "low": np.asarray([x.low for x in found]),
                "high": np.asarray([x.high for x in found]),
                "interval": coded([f"{whole} {x.kind}" * (x.low == x.low) for x in found]),
                "level": np.asarray([x.level if x.low == x.low else NAN for x in found]),
                "baseline": self.baseline.ravel().copy(),
                "n": totals.sum(axis=1),
                "n_pos": totals[:, 0].copy(),
                "n_neg": totals[:, 1].copy(),
                "status": coded([x.status for x in found]),
                "note": coded([x.note for x in found]),
            }
        )

    def _of_slot(self, m: int, k: int, kind: str, level: float | None) -> JackknifeInterval:
        slot = self.slots[k]
        kind = kind if slot.range == UNIT else "plain"
        return self.interval(
            self.models[m], slot.metric, threshold=slot.threshold, kind=kind, level=level
        )

    def to_arrow(self, kind: str = "plain", level: float | None = None) -> pa.Table:
        """Return a `pyarrow.Table` of `rows`; nan becomes null.

        Parameters
        ----------
        kind, level
            As for `rows`.
        """
        return self.rows(kind, level).to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        units = f"{self.n} rows" if self.n_clusters is None else f"{self.n_clusters} clusters"
        return f"Jackknife({len(self.models)} models, {len(self.slots)} metrics, {units})"

    def __str__(self) -> str:
        clusters = "" if self.n_clusters is None else f" in {self.n_clusters:,} clusters"
        lines = [["model", "metric", "value", "error", "low", "high", ""]]
        for m, model in enumerate(self.models):
            for k, slot in enumerate(self.slots):
                x = self._of_slot(m, k, "plain", None)
                numbers = [f"{v:.4f}" for v in (x.estimate, x.standard_error, x.low, x.high)]
                lines.append([model, str(slot), *numbers, _remark(x)])
        text = [
            f"jackknife, {self.n:,} rows{clusters}, {self.n_pos:,} positive, "
            f"{self.n_neg:,} negative",
            *aligned(lines, texts=2),
        ]
        pairs = list(combinations(self.models, 2))
        if 0 < len(pairs) * len(self.slots) <= SHOWN_PAIRS:
            lines = [["difference", "metric", "value", "low", "high", "z", "p", ""]]
            for a, b in pairs:
                for slot in self.slots:
                    d = self.difference(a, b, slot.metric, threshold=slot.threshold)
                    numbers = [f"{v:+.4f}" for v in (d.estimate, d.low, d.high)]
                    tests = [f"{d.z:.2f}", f"{d.p:.3g}"]
                    lines.append([f"{a} - {b}", str(slot), *numbers, *tests, _remark(d)])
            text += ["", *aligned(lines, texts=2)]
        return "\n".join([*text, f"intervals: {100 * self.level:g} % jackknife plain"])


def _remark(x: JackknifeInterval | JackknifeDifference) -> str:
    said = [] if x.status == "ok" else [x.status]
    return ", ".join([*said, *([x.note] if x.note else [])]).replace("_", " ")
