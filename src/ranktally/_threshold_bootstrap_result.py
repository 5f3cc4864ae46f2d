"""What a chosen threshold will really do: the replicates of its choice, and what follows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ._intervals import Interval, make_interval
from ._operating import OperatingPoint
from ._rows import Rows
from ._slots import coded
from ._threshold_bootstrap_replicates import (
    Threshold,
    ThresholdReplicates,
    mean_of,
    threshold_ends,
)
from ._types import Floats
from ._wording import counted, printable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ThresholdBootstrap"]

FEW = 50
NAN = math.nan
NOTHING = (NAN, NAN, NAN)
ALONE = MappingProxyType(
    {
        "one_row": "there is no other row",
        "one_cluster": "all rows are of one cluster",
        "one_positive": "the positives are a single {}",
        "one_negative": "the negatives are a single {}",
    }
)
"""Why nothing is known of other rows, in words."""


@dataclass(frozen=True, eq=False)
class ThresholdBootstrap:
    """A threshold chosen on some rows, and how such a choice fares on rows it did not see.

    Attributes
    ----------
    model : str
    chosen : OperatingPoint
        The choice on all rows, as `Tally.best` gives it.
    replicates : ThresholdReplicates
    n, n_pos, n_neg : int
        Rows drawn from.
    n_clusters : int or None
        Clusters drawn from; None where rows are drawn.
    totals : tuple of (number, number)
        Positives and negatives: rows, or weight sums.
    scheme : str
        As of `Bootstrap`.
    seed, n_resamples : int
    level : float
        Of the intervals.

    Notes
    -----
    Where nothing is known of other rows (see `ranktally.bootstrap_threshold`), everything but
    `threshold`, `apparent` and what counts replicates is nan.
    """

    model: str
    chosen: OperatingPoint
    replicates: ThresholdReplicates
    n: int
    n_pos: int
    n_neg: int
    n_clusters: int | None
    totals: tuple[Any, Any]
    scheme: str
    seed: int
    n_resamples: int
    level: float
    _range: tuple[float, float] = field(repr=False)
    _status: str = field(repr=False)

    @property
    def metric(self) -> str:
        """What the threshold is best for."""
        return self.chosen.metric

    @property
    def where(self) -> str | None:
        """The constraint."""
        return self.chosen.where

    # -- the threshold -------------------------------------------------------------------------

    @property
    def threshold(self) -> Threshold:
        """The choice on all rows; nan when no threshold meets the constraint."""
        found: Threshold = self.chosen.threshold
        return found

    @property
    def interval(self) -> Interval:
        """Percentile interval of the threshold, over the replicates that reach one.

        Its ends are on a straight line between two of their thresholds, or for integer scores are
        themselves such thresholds, as integers, the interval being rounded outwards.
        """
        found = self.replicates.chosen
        ends = threshold_ends(self.threshold, found, self.level)
        return self._interval(self.threshold, ends, found.size, 0)

    @property
    def n_thresholds(self) -> int:
        """How many different thresholds the replicates choose."""
        return int(np.unique(self.replicates.chosen).size)

    @property
    def most_common(self) -> tuple[Threshold, float]:
        """The threshold chosen most often (the lowest of several), and the share that chooses it.

        Shares are of the replicates that reach a threshold; nan without any.
        """
        return self.replicates.most_common

    @property
    def same_share(self) -> float:
        """Share of the replicates with a threshold that choose `threshold` itself."""
        if self._status != "ok":
            return NAN
        return mean_of((self.replicates.chosen == self.threshold).astype(np.float64))

    # -- the metric ----------------------------------------------------------------------------

    @property
    def apparent(self) -> float:
        """The metric at `threshold`, on the rows it was chosen on."""
        return self.chosen.value

    @property
    def out_of_bag(self) -> Interval:
        """The metric where replicates did not draw: mean (as `estimate`) and percentile interval.

        The interval spans the replicates: the choice varies, and so do the rows it is tried on.
        """
        defined = self._tried(self.replicates.out_of_bag)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = mean_of(defined)
            ends = make_interval(mean, defined, "percentile", self.level, self._range, 0.0)
        infinite = int(np.isinf(defined).sum())
        mean = mean if self._status == "ok" else NAN
        return self._interval(mean, ends, defined.size, infinite)

    @property
    def optimism(self) -> float:
        """By how much a threshold flatters itself: mean of `in_bag` less `on_all`.

        Negative for a metric that is better when it is less.
        """
        return self._optimism()[0]

    @property
    def corrected(self) -> float:
        """`apparent` less `optimism`."""
        return self.apparent - self.optimism

    def _optimism(self) -> tuple[float, str]:
        """With its status."""
        return self.replicates.optimism if self._status == "ok" else (NAN, self._status)

    # -- what did not work ---------------------------------------------------------------------

    @property
    def unreachable(self) -> int:
        """Replicates in which no threshold meets the constraint or has a defined value."""
        return int(np.count_nonzero(~self.replicates.reached))

    @property
    def oob_undefined(self) -> int:
        """Replicates that choose a threshold at which the metric is undefined out of bag."""
        made = self.replicates
        return int(np.count_nonzero(made.reached & np.isnan(made.out_of_bag)))

    @property
    def holds_out_of_bag(self) -> float:
        """Share of the replicates whose threshold meets the constraint out of bag too.

        Of those in which that is defined; nan without any, and without a constraint.
        """
        return mean_of(self._tried(self.replicates.holds)) if self._status == "ok" else NAN

    @staticmethod
    def _tried(values: Floats) -> Floats:
        return np.asarray(values[~np.isnan(values)])

    def _interval(
        self,
        estimate: Threshold,
        ends: tuple[Threshold, Threshold, float],
        n_defined: int,
        n_infinite: int,
    ) -> Interval:
        low, high, error = ends if self._status == "ok" else NOTHING
        status = self._status
        if status == "ok" and low != low:
            status = "infinite" if n_infinite else "no_defined_replicates"
        undefined = self.n_resamples - n_defined
        few = status == "ok" and (1 - self.level) / 2 * (n_defined + 1) < 1
        notes = {
            "degenerate: zero width": low == high,
            "replicates too few for the level": few,
            f"{undefined} of {self.n_resamples} replicates undefined": undefined > 0,
            f"{n_infinite} of {self.n_resamples} replicates infinite": n_infinite > 0,
        }
        told = [*self._few(), *(note for note, holds in notes.items() if holds)]
        return Interval(
            low, estimate, high, error, "percentile", self.level, self.scheme, status,
            ", ".join(told), self.n_resamples, undefined,
        )  # fmt: skip

    def _few(self) -> list[str]:
        counts = {
            "few_positives": self.n_pos,
            "few_negatives": self.n_neg,
            "few_clusters": FEW if self.n_clusters is None else self.n_clusters,
        }
        return [note for note, count in counts.items() if count < FEW]

    # -- renderings ----------------------------------------------------------------------------

    def rows(self) -> Rows:
        """Return tidy rows, one a quantity.

        Returns
        -------
        Rows
            `quantity` is "threshold", "apparent", "out_of_bag", "optimism", "corrected" and, with
            a constraint, "holds_out_of_bag"; `threshold` is the choice on all rows. It is a float:
            the note is "threshold rounded" where that is another than the integer.
        """
        spans = {"threshold": self.interval, "out_of_bag": self.out_of_bag}
        values = self._values()
        k = len(values)
        held = [spans.get(name) for name in values]
        known = [x is not None and x.low == x.low for x in held]
        kind = f"bootstrap {self.scheme} percentile"
        n_pos, n_neg = self.totals
        return Rows(
            {
                "model": coded([self.model] * k),
                "metric": coded([self.metric] * k),
                "where": coded([self.where or ""] * k),
                "quantity": coded(list(values)),
                "threshold": np.full(k, float(self.threshold)),
                "value": np.asarray([float(value) for value, _ in values.values()]),
                "low": np.asarray([float(x.low) if x else NAN for x in held]),
                "high": np.asarray([float(x.high) if x else NAN for x in held]),
                "interval": coded([kind if told else "" for told in known]),
                "level": np.where(known, self.level, NAN),
                "n": np.full(k, n_pos + n_neg),
                "n_pos": np.full(k, n_pos),
                "n_neg": np.full(k, n_neg),
                "status": coded([status for _, status in values.values()]),
                "note": coded([self._note(x) for x in held]),
            }
        )

    def _values(self) -> dict[str, tuple[Threshold, str]]:
        """Value and status of each quantity."""
        span, outside = self.interval, self.out_of_bag
        optimism, status = self._optimism()
        if math.isinf(self.apparent):
            status = "infinite"
        values = {
            "threshold": (self.threshold, span.status),
            "apparent": (self.apparent, self.chosen.status),
            "out_of_bag": (outside.estimate, outside.status),
            "optimism": (optimism, status),
            "corrected": (self.corrected, status),
        }
        if self.where is not None:
            holds = self.holds_out_of_bag
            nothing = "no_defined_replicates" if self._status == "ok" else self._status
            values["holds_out_of_bag"] = (holds, "ok" if holds == holds else nothing)
        return values

    def _note(self, span: Interval | None) -> str:
        told = [span.note] if span else self._few()
        numbers = [self.threshold, *((span.low, span.high) if span else ())]
        # Python compares integers with floats exactly.
        if any(isinstance(x, int) and float(x) != x for x in numbers):
            told.append("threshold rounded")
        return ", ".join(note for note in told if note)

    def to_arrow(self) -> pa.Table:
        """Return a `pyarrow.Table` of `rows`; nan becomes null."""
        return self.rows().to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return (
            f"ThresholdBootstrap({self.metric} of {self.model}, threshold={self.threshold!r}, "
            f"{counted(self.n_resamples, 'resample')}, {self.scheme}, seed {self.seed})"
        )

    def __str__(self) -> str:
        return "\n".join([*self._choice(), *self._value(), *self._trouble(), self._method()])

    def _choice(self) -> list[str]:
        of = f"{self.metric} of {printable(self.model)}"
        if self.where is not None:
            of += f" where {printable(self.where)}"
        drawn = counted(self.n_resamples, "resample")
        if self.chosen.status != "ok":
            share = float(self.replicates.reached.mean())
            found = f"{share:.1%}" if share else "none"
            lines = [f"{of}: no threshold. {self.chosen.note}"]
            return [*lines, f"one is found in {found} of {drawn}"]
        lines = [
            f"{of}: threshold {_text(self.threshold)}, where it is {self.apparent:.4f} on the "
            f"{counted(self.n, 'row')} that it was chosen on"
        ]
        span, (common, share) = self.interval, self.most_common
        if self._status != "ok":
            unit = "row" if self.n_clusters is None else "cluster"
            why = ALONE[self._status].format(unit)
            lines.append(f"how it does on other rows is not known: {why}")
        elif span.status == "ok":
            lines.append(
                f"chosen again from resampled rows, it lies in "
                f"[{_text(span.low)}, {_text(span.high)}]: "
                f"{counted(self.n_thresholds, 'different threshold')}, {_text(common)} the most "
                f"often ({share:.1%})"
            )
        return lines

    def _value(self) -> list[str]:
        outside = self.out_of_bag
        lines = []
        if outside.estimate == outside.estimate:
            lines.append(
                f"on rows that had no part in the choice (out of bag) it is "
                f"{outside.estimate:.4f} [{outside.low:.4f}, {outside.high:.4f}]"
            )
        if self.corrected == self.corrected:
            lines.append(
                f"less an optimism of {self.optimism:.4f}, it is {self.corrected:.4f} (corrected)"
            )
        if self.where is not None and not math.isnan(self.holds_out_of_bag):
            lines.append(
                f"{printable(self.where)}, met by choice, holds out of bag in "
                f"{self.holds_out_of_bag:.1%} of the resamples"
            )
        return lines

    def _trouble(self) -> list[str]:
        if self._status != "ok":
            return []
        counts = {
            "no choice": self.unreachable,
            "no defined value out of bag": self.oob_undefined,
            "an infinite value out of bag": int(np.isinf(self.replicates.out_of_bag).sum()),
        }
        drawn = counted(self.n_resamples, "resample")
        few = [
            note for note in self.out_of_bag.note.split(", ") if note.startswith("replicates too")
        ]
        return few + [
            f"{count:,} of {drawn} {'has' if count == 1 else 'have'} {what}"
            for what, count in counts.items()
            if count
        ]

    def _method(self) -> str:
        over = f"{self.scheme} over rows"
        if self.n_clusters is not None:
            over = counted(self.n_clusters, "whole cluster")
        parts = [
            f"intervals: {100 * self.level:g} % bootstrap percentile"
            if self._status == "ok"
            else "no intervals: bootstrap",
            over,
            counted(self.n_resamples, "resample"),
            f"seed {self.seed}",
            *(note.replace("_", " ") for note in self._few()),
        ]
        return ", ".join(parts)


def _text(threshold: Threshold) -> str:
    """Integers whole, floats in six digits."""
    return str(threshold) if isinstance(threshold, int) else f"{threshold:.6g}"
