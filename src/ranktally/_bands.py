"""Bands around ROC and PR curves from bootstrap replicates: point by point, or the whole curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ._counts import Counts
from ._fixed_rates import precisions_at_recall, recalls_at_fpr
from ._intervals import Interval
from ._rows import Rows
from ._slots import coded
from ._types import AnyArray, Floats, Ints, real_of
from .errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "CURVES",
    "Band",
    "CurveReplicates",
    "curve_heights",
    "curve_statuses",
    "make_band",
    "read_curves",
    "read_grid",
]

POINTS = 101
MOST_POINTS = (1 << 24) - 1
FLAT, STILL = "degenerate: zero width", "all replicates alike"

CURVES: Mapping[str, Callable[[Counts, Floats], Floats]] = MappingProxyType(
    {"roc": recalls_at_fpr, "pr": precisions_at_recall}
)
"""Heights of each curve over a grid."""


@dataclass(frozen=True, eq=False)
class CurveReplicates:
    """Heights of one curve over the grid of a call.

    Attributes
    ----------
    estimate : ndarray of float64, shape (models, points)
    replicates : ndarray of float64, shape (n_resamples, models, points)
    status : tuple of tuple of str
        Of each model's estimates: "ok", or why they are nan.
    """

    estimate: Floats
    replicates: Floats
    status: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        self.estimate.flags.writeable = False
        self.replicates.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Band:
    """A curve with what the data leave open about it.

    Attributes
    ----------
    curve : str
        "roc": `x` is the fpr, heights are the largest recall of a threshold with an fpr of at
        most `x`, as the metric ``recall_at_fpr(x)``. "pr": `x` is the recall, heights are the
        largest precision of a threshold with a recall of at least `x`, ``precision_at_recall(x)``.
    model : str
    x, low, estimate, high : ndarray of float64, shape (k,)
        nan where undefined.
    method : str
        "percentile", "basic" or "normal" point by point; "studentized" for the whole curve.
    level : float
    kind : str
        "pointwise": each point alone is covered with this level, and the whole curve far less
        often. "simultaneous": the whole curve at once.
    scheme : str
        How replicates were drawn.
    n_resamples : int
    n_undefined : ndarray of int64, shape (k,)
        Replicates in which a point is undefined, which its interval leaves out.
    status, note : tuple of str
        Of each point, as of an `Interval`.
    """

    curve: str
    model: str
    x: Floats
    low: Floats
    estimate: Floats
    high: Floats
    method: str
    level: float
    kind: str
    scheme: str
    n_resamples: int
    n_undefined: Ints
    status: tuple[str, ...]
    note: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.x, self.low, self.estimate, self.high, self.n_undefined):
            array.flags.writeable = False

    def __len__(self) -> int:
        return int(self.x.size)

    @property
    def interval(self) -> str:
        """What `low` and `high` are, in words."""
        return f"bootstrap {self.scheme} {self.method}, {self.kind}"

    def rows(self) -> Rows:
        """Return tidy rows, one a point.

        Returns
        -------
        Rows
            In the columns model, curve, x, low, estimate, high, interval, level, kind, status,
            note. Without a low and high, `interval` and `level` are null.
        """
        n, known = len(self), ~np.isnan(self.low)
        return Rows(
            {
                "model": coded([self.model] * n),
                "curve": coded([self.curve] * n),
                "x": self.x,
                "low": self.low,
                "estimate": self.estimate,
                "high": self.high,
                "interval": coded([self.interval if told else "" for told in known]),
                "level": np.where(known, self.level, np.nan),
                "kind": coded([self.kind] * n),
                "status": coded(self.status),
                "note": coded(self.note),
            }
        )

    def to_arrow(self) -> pa.Table:
        """Return a `pyarrow.Table` of `rows`; nan becomes null."""
        return self.rows().to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return (
            f"Band({self.curve} of {self.model}, {len(self)} points, {100 * self.level:g} % "
            f"{self.interval}, {self.n_resamples} resamples)"
        )


# --- what is asked for --------------------------------------------------------------------------


def read_curves(curves: Any) -> tuple[str, ...]:
    """Names of curves, each once.

    Raises
    ------
    InputError
        For anything but "roc", "pr", or both.
    """
    if curves is None:
        return ()
    names = [curves] if isinstance(curves, str) else curves
    known = isinstance(names, (list, tuple)) and all(
        isinstance(name, str) and name in CURVES for name in names
    )
    if not known or len(set(names)) != len(names):
        raise InputError(f'`curves` must be "roc", "pr", or a list of both, got {curves!r}')
    return tuple(names)


def read_grid(grid: Any) -> Floats:
    """Places at which heights are taken, rising: as many as asked for from 0 to 1, or these.

    Raises
    ------
    InputError
        Unless `grid` is a whole number from 2 to `MOST_POINTS`, or rising numbers from 0 to 1.
    """
    if grid is None:
        grid = POINTS
    if np.ndim(grid) == 0:
        real = real_of(grid)
        if not (2 <= real <= MOST_POINTS and real.is_integer()):
            raise InputError(
                f"`grid` must be a whole number of points from 2 to {MOST_POINTS:,}, or an array "
                f"of places from 0 to 1, got {grid!r}"
            )
        # Divided, not added up: 0.29 of 101 points is the float 0.29.
        return np.arange(int(real)) / (real - 1.0)
    places = np.asarray(grid)
    if places.ndim != 1 or places.dtype.kind not in "iuf" or not places.size:
        raise InputError(f"`grid` must be numbers in one dimension, got {grid!r}")
    places = places.astype(np.float64) + 0.0  # -0.0 is 0.0
    if not (np.all(np.diff(places) > 0) and places[0] >= 0 and places[-1] <= 1):
        raise InputError(f"`grid` must rise from 0 at the least to 1 at the most, got {grid!r}")
    return places


def curve_heights(curve: str, grid: Floats) -> Callable[[Counts], Floats]:
    """Function of a tally that gives the heights of a curve: O(thresholds + points)."""
    return partial(_heights, CURVES[curve], grid)


def _heights(function: Callable[[Counts, Floats], Floats], grid: Floats, counts: Counts) -> Floats:
    return function(counts, grid)


def curve_statuses(curve: str, heights: Floats, n_pos: float, n_neg: float) -> tuple[str, ...]:
    """Why heights are nan."""
    why = "unreachable"
    if not n_pos:
        why = "no_positives"
    elif curve == "roc" and not n_neg:
        why = "no_negatives"
    return tuple("ok" if height == height else why for height in heights.tolist())


# --- the whole curve ----------------------------------------------------------------------------


def sup_interval(
    curve: str, x: Floats, estimate: Floats, replicates: Floats, level: float, rows: tuple[int, int]
) -> tuple[Floats, Floats, bool]:
    """Low and high ends that hold the whole curve at once, and whether replicates were enough.

    The half width at a point is ``c * s``: `s` is the standard deviation of its replicates, but
    never less than that of a share of as many rows by the rule of Agresti and Coull, and `c` the
    quantile, over replicates, of the largest ``|replicate - estimate| / s`` of a curve, but never
    less than the normal quantile of a single point.

    Parameters
    ----------
    replicates : ndarray, shape (n_resamples, k)
    rows : (int, int)
        Positives and negatives that the estimate is made of.

    Returns
    -------
    low, high : ndarray, shape (k,)
        nan with fewer than two replicates.
    enough : bool
        Whether the replicates are as many as the level asks for.
    """
    used = replicates[~np.isnan(replicates).all(axis=1)]
    nothing = np.full(x.size, np.nan)
    if len(used) < 2 or np.isnan(estimate).all():
        return nothing, nothing.copy(), True
    scale = np.fmax(_deviations(used), _least_deviation(curve, x, estimate, rows[0]))
    largest = np.sort(np.fmax.reduce(np.abs(used - estimate) / scale, axis=1))
    rank = math.ceil(level * (largest.size + 1))
    c = float(largest[min(rank, largest.size) - 1])
    # Perfect separation leaves no deviation at all: not less than a single point needs.
    # The tail is a number even where its complement is rounded to 1.
    c = max(c, -NormalDist().inv_cdf((1.0 - level) / 2.0))
    low = np.clip(estimate - c * scale, 0.0, 1.0)
    high = np.clip(estimate + c * scale, 0.0, 1.0)
    low[_without_floor(curve, x, rows)] = 0.0
    # Both curves are monotone, so that a bound at one point bounds all beyond it.
    order = slice(None) if curve == "roc" else slice(None, None, -1)
    low = np.fmax.accumulate(low[order])[order]
    high = np.fmin.accumulate(high[order][::-1])[::-1][order]
    if curve == "roc":
        certain = (x == 1.0) & (estimate == 1.0)
        low[certain] = high[certain] = 1.0
    undefined = np.isnan(estimate)
    low[undefined] = high[undefined] = np.nan
    return low, high, rank <= largest.size


def _deviations(replicates: Floats) -> Floats:
    """Standard deviation of each point over the replicates that have it."""
    known = ~np.isnan(replicates)
    n = known.sum(axis=0)
    filled = np.where(known, replicates, 0.0)
    mean = filled.sum(axis=0) / np.maximum(n, 1)
    squares = np.where(known, (replicates - mean) ** 2, 0.0).sum(axis=0)
    return np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)


def _least_deviation(curve: str, x: Floats, estimate: Floats, n_pos: int) -> Floats:
    """Standard deviation of a share of rows, two successes and two failures added.

    Resampling does not see what did not happen: where every positive is found, all replicates
    find every one, and their deviation is 0.
    """
    # Of positives, or of the rows predicted positive.
    n = np.full(x.size, float(n_pos))
    if curve == "pr":
        n = np.divide(x * n_pos, estimate, out=np.zeros(x.size), where=estimate > 0)
    shrunk = (n * estimate + 2.0) / (n + 4.0)
    return np.asarray(np.sqrt(shrunk * (1.0 - shrunk) / (n + 4.0)))


def _without_floor(curve: str, x: Floats, rows: tuple[int, int]) -> AnyArray:
    """Where not even one row of a class may be on the wrong side: an extreme score decides."""
    spare = x * rows[1] if curve == "roc" else (1.0 - x) * rows[0]
    return np.asarray(spare < 1.0)


# --- both kinds ---------------------------------------------------------------------------------


def make_band(
    curve: str,
    model: str,
    x: Floats,
    heights: tuple[Floats, Floats],
    intervals: Sequence[Interval],
    rows: tuple[int, int],
    *,
    simultaneous: bool,
) -> Band:
    """Band of one model, from the heights, their replicates, and each point's own interval.

    `rows` are the positives and negatives drawn from. A simultaneous band takes from the intervals
    what there is to say of a point.
    """
    estimate, replicates = heights
    one = intervals[0]
    low, high = (np.asarray([getattr(x, end) for x in intervals]) for end in ("low", "high"))
    notes = [part.note for part in intervals]
    if simultaneous:
        low, high, enough = sup_interval(curve, x, estimate, replicates, one.level, rows)
        unknown = np.asarray([part.status != "ok" for part in intervals])
        low[unknown] = high[unknown] = np.nan
        spare = "negative" if curve == "roc" else "positive"
        is_open = _without_floor(curve, x, rows) & ~unknown
        told = np.where(is_open, f"low end open: no {spare} to spare", "")
        few = "" if enough else "replicates too few for the level"
        notes = [
            ", ".join(text for text in (note.replace(FLAT, STILL), own, few) if text)
            for note, own in zip(notes, told.tolist(), strict=True)
        ]
    alone = np.asarray([part.status == "one_cluster" for part in intervals])
    low[alone] = high[alone] = np.nan
    if curve == "roc" and x[-1] == 1.0 and low[-1] == 1.0:
        notes[-1] = "1 by definition"
    return Band(
        curve=curve,
        model=model,
        x=x,
        low=low,
        estimate=estimate,
        high=high,
        method="studentized" if simultaneous else one.method,
        level=one.level,
        kind="simultaneous" if simultaneous else "pointwise",
        scheme=one.scheme,
        n_resamples=one.n_resamples,
        n_undefined=np.asarray([part.n_undefined for part in intervals], np.int64),
        status=tuple(part.status for part in intervals),
        note=tuple(notes),
    )
