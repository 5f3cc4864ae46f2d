"""What a tally is: counts at every distinct score, how they merge, where they come from."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ._counts import Counts
from ._types import AnyArray, Floats, Ints
from ._validate import check_flag, read_scores, read_weights, row_number
from .errors import InputError, SchemaMismatch

__all__ = ["TallyState"]

FORMAT = 1


@dataclass(frozen=True, eq=False)
class TallyState:
    """The arrays and totals of a `Tally`; see there."""

    threshold: AnyArray
    tp: Ints | Floats
    fp: Ints | Floats
    n_pos: float
    n_neg: float
    n_rows: int
    n_null: int = 0
    n_nan: int = 0
    complete: bool = True

    def __post_init__(self) -> None:
        for array in (self.threshold, self.tp, self.fp):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writable

    @property
    def counts(self) -> Counts:
        """The counts alone, as the functions of curves and areas take them."""
        return Counts(self.threshold, self.tp, self.fp, self.n_pos, self.n_neg)

    def merge(self, other: Self) -> Self:
        """Tally of the rows of both, as if they had been tallied together.

        Parameters
        ----------
        other : Tally
            Of the same kind of score: float with float, integer with integer.

        Returns
        -------
        Tally
            Commutative and, without fractional weights, associative to the bit.

        Raises
        ------
        SchemaMismatch
            For integer with float scores, or incomplete tallies of different thresholds.
        """
        if not isinstance(other, TallyState):
            raise SchemaMismatch(f"`other` must be a Tally, got {type(other).__name__}")
        totals = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("n_pos", "n_neg", "n_rows", "n_null", "n_nan")
        }
        complete = self.complete and other.complete
        if not self.n_pos + self.n_neg or not other.n_pos + other.n_neg:
            kept = self if self.n_pos + self.n_neg else other
            return type(self)(kept.threshold, kept.tp, kept.fp, **totals, complete=complete)
        dtype = _common_dtype(self.threshold, other.threshold)
        mine, theirs = self.threshold.astype(dtype), other.threshold.astype(dtype)
        if not complete and not np.array_equal(mine, theirs):
            raise SchemaMismatch(
                "an incomplete tally merges only with one of the same thresholds, and these differ"
            )
        ascending = np.sort(np.concatenate([mine, theirs]))
        ascending = ascending[np.append(True, ascending[1:] != ascending[:-1])]
        threshold = ascending[::-1].copy()
        tp = _counts_at(self.tp, mine, ascending) + _counts_at(other.tp, theirs, ascending)
        fp = _counts_at(self.fp, mine, ascending) + _counts_at(other.fp, theirs, ascending)
        return type(self)(threshold, tp[::-1].copy(), fp[::-1].copy(), **totals, complete=complete)

    @classmethod
    def from_counts(cls, score: Any, pos: Any, neg: Any, *, complete: bool = True) -> Self:
        """Tally of rows that were counted before: by SQL, by a stream, by another machine.

        Parameters
        ----------
        score : array-like, shape (k,)
            In any order; equal scores are joined.
        pos, neg : array-like, shape (k,)
            Rows of each class with that score: whole numbers, or sums of weights.
        complete : bool
            Whether every distinct score of the data is there.

        Raises
        ------
        InputError
            If lengths differ, a score is missing or a count is negative or not finite.

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.Tally.from_counts([0.2, 0.8], pos=[1, 3], neg=[4, 0]).roc_auc()
        0.875
        """
        check_flag("complete", complete)
        scores = read_scores(score, "`score`", row_number, higher_is_better=True)
        sides = [_read_counts(pos, "`pos`"), _read_counts(neg, "`neg`")]
        for name, side in zip(("pos", "neg"), sides, strict=True):
            if side.size != scores.bits.size:
                raise InputError(
                    f"`score` has {scores.bits.size} rows and `{name}` {side.size}: they must agree"
                )
        if scores.missing is not None:
            row = int(np.argmax(scores.missing))
            raise InputError(f"`score` is missing at {row_number(row)}: every count needs a score")
        value = scores.codec.decode(scores.bits) + scores.codec.dtype.type(0)
        used = (sides[0] > 0) | (sides[1] > 0)
        ascending, place = np.unique(value[used], return_inverse=True)
        dtype = np.result_type(sides[0].dtype, sides[1].dtype)
        sums = []
        for side in sides:
            total = np.zeros(ascending.size, dtype)
            np.add.at(total, place, side[used])
            sums.append(np.cumsum(total[::-1], dtype=dtype))
        n_pos, n_neg = (x[-1].item() if x.size else dtype.type(0).item() for x in sums)
        n_rows = int(n_pos + n_neg) if dtype.kind == "i" else int(np.count_nonzero(used))
        return cls(
            ascending[::-1].copy(), sums[0], sums[1], n_pos, n_neg, n_rows, complete=complete
        )

    def to_arrow(self) -> Any:
        """Arrow table of threshold, tp and fp; totals and format version in its metadata."""
        import pyarrow as pa

        state = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name not in ("threshold", "tp", "fp")
        }
        table = pa.table({"threshold": self.threshold, "tp": self.tp, "fp": self.fp})
        text = json.dumps({"format": FORMAT, "thresholds": self.threshold.size, **state})
        return table.replace_schema_metadata({"ranktally.tally": text})

    @classmethod
    def from_arrow(cls, table: Any) -> Self:
        """Undo `to_arrow`.

        Raises
        ------
        SchemaMismatch
            If `table` holds no tally or one of a newer format.
        """
        import pyarrow as pa

        try:
            table = table if isinstance(table, pa.Table) else pa.table(table)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise SchemaMismatch(
                f"`table` must be what `Tally.to_arrow` made, got {type(table).__name__}"
            ) from error
        text = (table.schema.metadata or {}).get(b"ranktally.tally")
        if text is None or table.column_names != ["threshold", "tp", "fp"]:
            raise SchemaMismatch("`table` holds no tally: pass what `Tally.to_arrow` made")
        try:
            state = json.loads(text)
            version, thresholds = state.pop("format"), state.pop("thresholds")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise SchemaMismatch(f"`table` has damaged tally metadata ({error})") from None
        if version > FORMAT:
            raise SchemaMismatch(
                f"`table` has tally format {version}, this ranktally reads up to {FORMAT}: upgrade"
            )
        if table.num_rows != thresholds or any(c.null_count for c in table.columns):
            raise SchemaMismatch(
                f"`table` has {table.num_rows} rows of a tally of {thresholds} thresholds: pass "
                f"all of what `Tally.to_arrow` made, in its order"
            )
        try:
            made = cls(*(column.to_numpy() for column in table.columns), **state)
        except TypeError as error:
            raise SchemaMismatch(f"`table` has damaged tally metadata ({error})") from None
        made._check()
        return made

    def _check(self) -> None:
        """Raise SchemaMismatch unless counts and thresholds can be those of a tally."""
        falls = np.all(self.threshold[1:] < self.threshold[:-1])
        for counts, total in ((self.tp, self.n_pos), (self.fp, self.n_neg)):
            inside = not counts.size or (counts[0] >= 0 and counts[-1] <= total)
            if not falls or not inside or np.any(counts[1:] < counts[:-1]):
                raise SchemaMismatch(
                    "`table` does not hold a tally: thresholds must fall, counts rise, and both "
                    "stay within their totals"
                )


def _common_dtype(a: AnyArray, b: AnyArray) -> np.dtype[Any]:
    if (a.dtype.kind == "f") != (b.dtype.kind == "f"):
        raise SchemaMismatch(
            f"tallies of {a.dtype} and {b.dtype} scores do not merge: the same number may be equal "
            f"in one and not in the other; convert the scores of one of them first"
        )
    dtype = np.result_type(a.dtype, b.dtype)
    if dtype.kind == "f" and a.dtype.kind != "f":  # int64 with uint64
        high = max(int(x.max(initial=0)) for x in (a, b))
        low = min(int(x.min(initial=0)) for x in (a, b))
        if high < 1 << 63:
            return np.dtype(np.int64)
        if low < 0:
            raise SchemaMismatch(
                f"tallies of {a.dtype} and {b.dtype} scores do not merge: no integer type holds "
                f"both {low} and {high}"
            )
        return np.dtype(np.uint64)
    return dtype


def _counts_at(counts: AnyArray, threshold: AnyArray, ascending: AnyArray) -> AnyArray:
    """Counts at or above each of `ascending`."""
    selected = threshold.size - np.searchsorted(threshold[::-1], ascending, side="left")
    return np.concatenate([[counts.dtype.type(0)], counts])[selected]


def _read_counts(values: Any, name: str) -> AnyArray:
    weights = read_weights(values, name, row_number)
    return weights.value if weights.count is None else weights.count
