"""The best k rows of a ranking, when ties may straddle the end of the list.

Sizes are weights: k rows of weight 1, or so much weight, of which a boundary row may belong in
part. Whole weights then give what repeated rows give, and a share of the rows is a point of the
gain curve.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from ._counts import Counts
from ._types import Ints
from ._validate import check_choice
from .errors import InputError

__all__ = [
    "Size",
    "TopK",
    "lift_at_k_of",
    "precision_at_k_of",
    "read_size",
    "recall_at_k_of",
    "top",
    "top_row",
]

Ties: TypeAlias = Literal["expected", "optimistic", "pessimistic", "threshold"]
TIES = ("expected", "optimistic", "pessimistic", "threshold")


@dataclass(frozen=True, eq=False)
class TopK:
    """What the k best-scored rows hold.

    Attributes
    ----------
    k : int or float
        As asked for (the rows that a fraction comes to).
    ties : str
        How a tie at the end of the list was settled.
    n_selected : int or float
        Rows in the list: fewer than k if there are no more, more under ``ties="threshold"``.
    threshold : float or int
        Lowest score in the list; nan when it reaches rows without a score.
    tp, fp : int or float
        Positive and negative rows in it; fractions are means over random orders of a tie.
    precision_at_k : float
        ``tp / n_selected``.
    recall_at_k : float
        ``tp`` over all positives; nan without any.
    lift : float
        Precision over prevalence.
    note : str
        What is out of the ordinary: a tie at the boundary, k beyond the rows.
    rows : ndarray of int64 or None
        Row numbers from the top down; only from `ranktally.top_k`.
    """

    k: int | float
    ties: str
    n_selected: int | float
    threshold: int | float
    tp: int | float
    fp: int | float
    precision_at_k: float
    recall_at_k: float
    lift: float
    note: str = ""
    rows: Ints | None = None

    @property
    def gain(self) -> float:
        """Share of all positives in the list: `recall_at_k` as gain curves call it."""
        return self.recall_at_k

    @property
    def capture(self) -> float:
        """Share of all positives in the list: `recall_at_k` as capture rates call it."""
        return self.recall_at_k


@dataclass(frozen=True)
class Size:
    """How long the list is: `rows`, or a `share` of all of them."""

    rows: int | None
    share: Fraction | None

    def of(self, n: Fraction) -> Fraction:
        """Rows (weight) that the list of `n` has room for."""
        return Fraction(self.rows) if self.rows is not None else cast(Fraction, self.share) * n


def read_size(k: Any, fraction: Any) -> Size:
    """Size of the list from the one of `k` and `fraction` that is given.

    Raises
    ------
    InputError
        If both or none are, or it is no whole number above 0, no fraction above 0 up to 1.
    """
    if (k is None) == (fraction is None):
        given = "none" if k is None else "both"
        raise InputError(f"give one of `k` (rows) and `fraction` (share of all rows), got {given}")
    if fraction is not None:
        number = isinstance(fraction, (int, float, np.number, Fraction))
        if not number or isinstance(fraction, bool) or not 0 < fraction <= 1:
            raise InputError(f"`fraction` must be above 0 and at most 1, got {fraction!r}")
        if isinstance(fraction, np.number):
            fraction = fraction.item()
        # A tenth is meant by 0.1, and not the double next to it.
        return Size(None, Fraction(str(fraction)))
    whole = isinstance(k, (int, np.integer)) or (isinstance(k, float) and k.is_integer())
    if not whole or isinstance(k, bool) or k < 1:
        raise InputError(f"`k` must be a whole number of at least 1, got {k!r}")
    return Size(int(k), None)


def top(counts: Counts, size: Size, ties: Ties = "expected") -> TopK:
    """Measures of the top of a ranking, each an exact fraction rounded once: O(log g)."""
    whole = counts.tp.dtype.kind == "i"
    n_pos, n_neg = Fraction(counts.n_pos), Fraction(counts.n_neg)
    asked = size.of(n_pos + n_neg)
    room = min(asked, n_pos + n_neg)
    g = counts.threshold.size

    def reached(i: int) -> tuple[Fraction, Fraction]:
        if i < 0:
            return Fraction(0), Fraction(0)
        if i >= g:
            return n_pos, n_neg
        return Fraction(counts.tp[i].item()), Fraction(counts.fp[i].item())

    place = bisect_left(range(g), room, key=lambda i: sum(reached(i), Fraction(0)))
    before, end = reached(place - 1), reached(place)
    pos, neg = (b - a for a, b in zip(before, end, strict=True))
    room -= sum(before)
    tied = pos + neg
    if ties == "threshold":
        hits, room = pos, tied
    elif ties == "optimistic":
        hits = min(pos, room)
    elif ties == "pessimistic":
        hits = max(Fraction(0), room - neg)
    else:
        hits = room * pos / tied if tied else Fraction(0)
    threshold = counts.threshold[place].item() if place < g else math.nan
    straddled = _straddled(room, pos, tied, threshold) if room < tied else ""
    return top_row(
        asked, ties, (before[0] + hits, before[1] + room - hits), (n_pos, n_neg), threshold,
        whole=whole, unscored=room if place >= g else Fraction(0), note=straddled,
    )  # fmt: skip


def _straddled(room: Fraction, pos: Fraction, tied: Fraction, threshold: float) -> str:
    where = "without a score" if threshold != threshold else f"tied at {threshold}"
    return (
        f"{float(room):g} of {float(tied):g} rows {where} fit in the list, and {float(pos):g} of "
        f"the {float(tied):g} are positive"
    )


def top_row(
    asked: Fraction,
    ties: str,
    chosen: tuple[Fraction, Fraction],
    totals: tuple[Fraction, Fraction],
    threshold: float,
    *,
    whole: bool,
    unscored: Fraction = Fraction(0),
    note: str = "",
    rows: Ints | None = None,
) -> TopK:
    """The answer for a list of `chosen` positives and negatives out of `totals`."""
    tp, fp = chosen
    n, selected = sum(totals), tp + fp
    notes = [note] if note else []
    if asked > n:
        notes.append(f"k exceeds the {float(n):g} rows there are: all are in the list")
    if unscored:
        notes.append(f"{float(unscored):g} rows of the list have no score")

    def number(x: Fraction) -> int | float:
        return int(x) if whole and x.denominator == 1 else float(x)

    def ratio(a: Fraction, b: Fraction) -> float:
        return float(a / b) if b else math.nan

    return TopK(
        number(asked),
        ties,
        number(selected),
        threshold,
        number(tp),
        number(fp),
        ratio(tp, selected),
        ratio(tp, totals[0]),
        ratio(tp * n, selected * totals[0]),
        "; ".join(notes),
        rows,
    )


def _measure(name: str, k: Any, fraction: Any, ties: Any) -> Callable[[Counts], float]:
    size = read_size(k, fraction)
    check_choice("ties", ties, TIES)

    def measure(counts: Counts) -> float:
        return cast(float, getattr(top(counts, size, ties), name))

    return measure


def precision_at_k_of(
    k: Any = None, *, fraction: Any = None, ties: Any = "expected"
) -> Callable[[Counts], float]:
    """Positives among the k best-scored rows, over k."""
    return _measure("precision_at_k", k, fraction, ties)


def recall_at_k_of(
    k: Any = None, *, fraction: Any = None, ties: Any = "expected"
) -> Callable[[Counts], float]:
    """Positives among the k best-scored rows, over all positives."""
    return _measure("recall_at_k", k, fraction, ties)


def lift_at_k_of(
    k: Any = None, *, fraction: Any = None, ties: Any = "expected"
) -> Callable[[Counts], float]:
    """Precision among the k best-scored rows over prevalence."""
    return _measure("lift", k, fraction, ties)
