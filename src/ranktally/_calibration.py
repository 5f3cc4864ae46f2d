"""Probability quality: losses and calibration, as sums over the distinct scores of a tally."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ._binomial import wilson
from ._counts import Counts
from ._rows import Rows
from ._types import AnyArray, Floats, Ints
from ._validate import check_choice
from ._vertices import whole
from .errors import InputError

__all__ = [
    "BrierParts",
    "Calibration",
    "LogLoss",
    "brier",
    "brier_parts",
    "calibration_table",
    "check_probabilities",
    "ece_of",
    "log_loss",
    "mce_of",
    "read_bins",
]

STRATEGIES = ("quantile", "uniform")
MAX_BINS = 1_000_000
LEVEL = 0.95


class LogLoss(float):
    """Mean negative log likelihood, and what was clipped for it.

    A float, nan where undefined, with the attributes

    Attributes
    ----------
    n_clipped : int or float
        Rows (or weight) whose probability was moved.
    clip : float
        How near to 0 and 1 a probability was let: the machine epsilon of the score's type.
    """

    n_clipped: float
    clip: float

    def __new__(cls, loss: float, n_clipped: float = 0, clip: float = 0.0) -> LogLoss:
        self = super().__new__(cls, loss)
        self.n_clipped = n_clipped
        self.clip = clip
        return self


@dataclass(frozen=True)
class BrierParts:
    """Brier score as reliability less resolution plus uncertainty.

    Attributes
    ----------
    reliability : float
        Mean squared distance between predicted and observed share of a bin; 0 is best.
    resolution : float
        Mean squared distance between observed share of a bin and base rate; large is best.
    uncertainty : float
        ``prevalence * (1 - prevalence)``.
    within_bin : float
        What a bin hides by its mean; 0 when every distinct score is a bin of its own.
    brier : float
        The Brier score: ``reliability - resolution + uncertainty + within_bin``.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_bin: float
    brier: float


class Calibration(Rows):
    """Predicted against observed shares, a row for each bin that holds a row.

    Columns: ``bin`` (from 0), ``lowest`` and ``highest`` (scores in it), ``mean_predicted``,
    ``observed`` (share of positives), ``low`` and ``high`` (Wilson's interval of it), ``n`` and
    ``n_pos`` (rows, or weight). Each column is an attribute too.

    Attributes
    ----------
    n_bins : int
        As asked for; bins without rows have no line.
    strategy : {"quantile", "uniform"}
    level : float
        Of the intervals.
    """

    def __init__(
        self, columns: dict[str, AnyArray], n_bins: int, strategy: str, level: float
    ) -> None:
        super().__init__(columns)
        self.n_bins = n_bins
        self.strategy = strategy
        self.level = level

    def __getattr__(self, name: str) -> AnyArray:
        column = self.__dict__.get("columns", {}).get(name)
        if column is None:
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        return np.asarray(column)

    def __repr__(self) -> str:
        return (
            f"Calibration({len(self)} of {self.n_bins} {self.strategy} bins, "
            f"ece={self.ece:.4g}, mce={self.mce:.4g})"
        )

    def _gaps(self) -> Floats:
        return np.asarray(np.abs(self.mean_predicted - self.observed))

    @property
    def ece(self) -> float:
        """Expected calibration error: mean distance of predicted and observed share, by weight."""
        if not len(self):
            return math.nan
        return float(np.sum(self._gaps() * (self.n / np.sum(self.n))))

    @property
    def mce(self) -> float:
        """Maximum calibration error: the largest distance of predicted and observed share."""
        return float(self._gaps().max()) if len(self) else math.nan


class _Groups(NamedTuple):
    """Rows at each distinct probability, ascending."""

    p: Floats
    pos: AnyArray
    neg: AnyArray
    total: Any


def _groups(counts: Counts) -> _Groups | None:
    """Rows at each distinct score; None where some score is no probability or is missing."""
    exact = whole(counts)
    tp, fp = exact.tp, exact.fp
    if not tp.size or tp[-1] != exact.n_pos or fp[-1] != exact.n_neg:
        return None
    p = exact.threshold[::-1].astype(np.float64)
    if p[0] < 0.0 or p[-1] > 1.0:
        return None
    pos, neg = (np.diff(x, prepend=x.dtype.type(0))[::-1] for x in (tp, fp))
    return _Groups(p, pos, neg, exact.n_pos + exact.n_neg)


def check_probabilities(counts: Counts) -> None:
    """Raise InputError where a score is no probability, or missing."""
    if counts.threshold.size:
        for extreme in (counts.threshold[-1].item(), counts.threshold[0].item()):
            if not 0 <= extreme <= 1:
                raise InputError(
                    f"scores must be probabilities from 0 to 1 for this, and one is {extreme!r}: "
                    f"no score is transformed unasked"
                )
    seen = (counts.tp[-1], counts.fp[-1]) if counts.tp.size else (0, 0)
    if seen != (counts.n_pos, counts.n_neg):
        raise InputError('a missing score has no loss: leave such rows out with missing="omit"')


def brier(counts: Counts) -> float:
    """Mean squared distance of probability and outcome."""
    groups = _groups(counts)
    if groups is None:
        return math.nan
    p, pos, neg, total = groups
    return float(np.sum(pos * (1.0 - p) ** 2 + neg * p**2)) / float(total)


def log_loss(counts: Counts) -> LogLoss:
    """Mean of minus the natural log of the probability of the true class."""
    kind = counts.threshold.dtype
    clip = float(np.finfo(kind if kind.kind == "f" else np.float64).eps)
    groups = _groups(counts)
    if groups is None:
        return LogLoss(math.nan, 0, clip)
    p, pos, neg, total = groups
    kept = np.clip(p, clip, 1.0 - clip)
    moved = kept != p
    n_clipped = np.sum((pos + neg)[moved]).item()
    loss = float(np.sum(pos * -np.log(kept) + neg * -np.log1p(-kept))) / float(total)
    return LogLoss(loss, n_clipped, clip)


def read_bins(n_bins: object, strategy: object) -> tuple[int, str]:
    """Check the binning.

    Raises
    ------
    InputError
        If `n_bins` is no whole number from 1 to a million, or the strategy is unknown.
    """
    fine = isinstance(n_bins, (int, np.integer)) and not isinstance(n_bins, bool)
    if not fine or not 1 <= n_bins <= MAX_BINS:  # type: ignore[operator]
        raise InputError(f"`n_bins` must be a whole number from 1 to {MAX_BINS:,}, got {n_bins!r}")
    check_choice("strategy", strategy, STRATEGIES)
    return int(n_bins), str(strategy)  # type: ignore[call-overload]


def _bins(groups: _Groups, n_bins: int, strategy: str) -> Ints:
    """Bin of each distinct score: equal scores are never parted."""
    if strategy == "uniform":
        edges = np.linspace(0.0, 1.0, n_bins + 1)
        return np.searchsorted(edges[1:-1], groups.p, side="left")
    size = groups.pos + groups.neg
    below = np.cumsum(size) - size
    if below.dtype.kind == "i" and groups.total < 2**63 // n_bins:
        found = below * n_bins // groups.total
    else:
        found = (below / float(groups.total) * n_bins).astype(np.int64)
    return np.asarray(np.minimum(found, n_bins - 1))


class _Sums(NamedTuple):
    """Of each bin that holds a row."""

    bin: Ints
    lowest: Floats
    highest: Floats
    mean: Floats
    n: AnyArray
    n_pos: AnyArray


def _sums(groups: _Groups, found: Ints) -> _Sums:
    p, pos, neg, _ = groups
    first = np.flatnonzero(np.diff(found, prepend=-1))
    last = np.append(first[1:], p.size) - 1
    n_pos, n = (np.add.reduceat(x, first) for x in (pos, pos + neg))
    mean = np.add.reduceat(p * (pos + neg), first) / n
    # A mean lies within, and of one score is that score, whatever rounding says.
    mean = np.clip(mean, p[first], p[last])
    return _Sums(found[first], p[first], p[last], mean, n, n_pos)


def calibration_table(counts: Counts, n_bins: int, strategy: str, level: float) -> Calibration:
    """Table of bins; without a line where the scores are no probabilities."""
    groups = _groups(counts)
    none: AnyArray = np.empty(0)
    if groups is None:
        sums = _Sums(none.astype(np.int64), none, none, none, none, none)
    else:
        sums = _sums(groups, _bins(groups, n_bins, strategy))
    low, high = wilson(sums.n_pos, sums.n, level)
    columns = {
        "bin": sums.bin,
        "lowest": sums.lowest,
        "highest": sums.highest,
        "mean_predicted": sums.mean,
        "observed": sums.n_pos / sums.n,
        "low": low,
        "high": high,
        "n": sums.n,
        "n_pos": sums.n_pos,
    }
    return Calibration(columns, n_bins, strategy, level)


def ece_of(n_bins: int = 10, strategy: str = "quantile") -> Callable[[Counts], float]:
    """Make the metric of some bins: mean distance of predicted and observed share."""
    bins = read_bins(n_bins, strategy)
    return lambda counts: calibration_table(counts, *bins, LEVEL).ece


def mce_of(n_bins: int = 10, strategy: str = "quantile") -> Callable[[Counts], float]:
    """Make the metric of some bins: largest distance of predicted and observed share."""
    bins = read_bins(n_bins, strategy)
    return lambda counts: calibration_table(counts, *bins, LEVEL).mce


def brier_parts(counts: Counts, n_bins: int | None, strategy: str) -> BrierParts:
    """Murphy's parts over bins; each distinct score is one where `n_bins` is None."""
    groups = _groups(counts)
    if groups is None:
        return BrierParts(*[math.nan] * 5)
    distinct = np.arange(groups.p.size)
    sums = _sums(groups, distinct if n_bins is None else _bins(groups, n_bins, strategy))
    weight = sums.n / float(groups.total)
    share = sums.n_pos / sums.n
    base = float(np.sum(groups.pos)) / float(groups.total)
    reliability = float(np.sum(weight * (sums.mean - share) ** 2))
    resolution = float(np.sum(weight * (share - base) ** 2))
    uncertainty = base * (1.0 - base)
    total = brier(counts)
    hidden = 0.0 if n_bins is None else total - (reliability - resolution + uncertainty)
    return BrierParts(reliability, resolution, uncertainty, hidden, total)
