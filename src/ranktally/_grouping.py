"""Columns to group by -> a code for each row and the keys of each group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

import numpy as np

from ._arrays import Plain, plain
from ._labels import PARALLEL_ROWS
from ._runtime import blocks, run
from ._types import AnyArray, Codes, Ints
from ._validate import Locate, Sample
from .errors import InputError

__all__ = ["Grouping", "KeyColumn", "group_starts", "make_grouping", "read_key"]

PIECE = 1 << 16


@dataclass(frozen=True)
class KeyColumn:
    """One column to group by: a code a row and what each code stands for, in order.

    `values` has the null, if there is one, last and as None (then its dtype is object).
    """

    name: str
    code: AnyArray
    values: AnyArray


@dataclass(frozen=True)
class Grouping:
    """Rows dealt to groups.

    Attributes
    ----------
    names : tuple of str
        The columns that make the key; empty for the total.
    code : ndarray of int32, shape (n,)
        Group of each row; empty for the total, whose rows are all in group 0.
    size : int
        Groups.
    keys : tuple of ndarray, each of shape (size,)
        Key values of each group, ascending from the left, nulls last.
    """

    names: tuple[str, ...]
    code: Codes
    size: int
    keys: tuple[AnyArray, ...]

    @cached_property
    def starts(self) -> Ints:
        """Where each group begins when all rows are dealt to them; models share it."""
        return group_starts(self.code, self.size)

    @property
    def is_total(self) -> bool:
        return not self.names

    def codes_of(self, sample: Sample) -> Codes:
        """Groups of the rows that are in a sample."""
        if self.is_total or sample.kept is None:
            return self.code
        return self.code[sample.kept]


def read_key(
    values: Any, name: str, what: str, locate: Locate, *, allow_null: bool, threads: int = 1
) -> KeyColumn:
    """Code one group column.

    Raises
    ------
    InputError
        If a key is missing and `allow_null` is False.
    """
    column = plain(values, what)
    null = column.null
    if column.categories is None and column.values.dtype.kind in "fO":
        nan = _nan(column.values)
        null = nan if null is None else null | nan
    if null is not None and not null.any():
        null = None
    if null is not None and not allow_null:
        raise InputError(
            f"{what} has {int(np.count_nonzero(null))} missing group keys, first at "
            f'{locate(int(np.argmax(null)))}: fill them, or pass missing="omit" or "worst", '
            f"which make them a group of their own"
        )
    if column.values.dtype.kind not in "biufmMOUS":
        raise InputError(
            f"{what} holds {column.values.dtype} values, which cannot be group keys: convert it "
            f"to text"
        )
    code, present = _code(column, null, what, locate, threads)
    if present.dtype.kind in "mM":
        present = _times(present, column.zone)
    elif present.dtype.kind == "O":
        present = _storable(present, what)
    if null is None:
        return KeyColumn(name, code, present)
    code = np.where(null, present.size, code)
    with_null = np.empty(present.size + 1, dtype=object)
    with_null[:-1] = present.tolist()
    return KeyColumn(name, code, with_null)


def _nan(values: AnyArray) -> AnyArray:
    """Where a column holds nan, which also stands for missing among pandas' Python objects."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    return np.fromiter(
        (isinstance(x, (float, np.floating)) and x != x for x in values), bool, values.size
    )


def _times(present: AnyArray, zone: str | None) -> AnyArray:
    """Points in time and durations as Python's own; as text where those are too coarse."""
    kind = present.dtype.kind
    days = kind == "M" and np.datetime_data(present.dtype)[0] in ("Y", "M", "W", "D")
    narrow = present.astype("M8[D]" if days else f"{kind}8[us]")
    keys = np.empty(present.size, dtype=object)
    if np.array_equal(narrow.astype(present.dtype), present):
        keys[:] = narrow.tolist()
    if not all(isinstance(x, (date, timedelta)) for x in keys):  # beyond year 9999 as well
        keys[:] = [str(x) for x in present]
    elif zone is not None:
        import pyarrow as pa

        keys[:] = pa.array(narrow, pa.timestamp("us", tz=zone)).to_pylist()
    return keys


# What a column of keys can hold as it is; a bool is no number here.
STORABLE: tuple[tuple[type, ...], ...] = (
    (str,),
    (bytes,),
    (bool, np.bool_),
    (int, float, np.integer, np.floating),
    (Decimal,),
    (datetime,),
    (date,),
    (time,),
    (timedelta,),
)


def _storable(present: AnyArray, what: str) -> AnyArray:
    """Keys of one type that Arrow knows as they are, objects of another type as their text."""
    types = {type(x) for x in present.tolist()}
    moments = [t for t in types if issubclass(t, datetime)]
    mixed = 0 < len(moments) < len(types)
    if not mixed and any(all(issubclass(t, kind) for t in types) for kind in STORABLE):
        whole = [x for x in present.tolist() if isinstance(x, int)]
        if not whole or -(1 << 63) <= min(whole) <= max(whole) < 1 << 63:
            return present
    elif len(types) > 1:
        names = ", ".join(sorted(t.__name__ for t in types))
        raise InputError(f"{what} mixes keys of types {names}: convert it to text")
    texts = np.empty(present.size, dtype=object)
    texts[:] = [str(x) for x in present]
    return texts


def _code(
    column: Plain, null: AnyArray | None, what: str, locate: Locate, threads: int
) -> tuple[AnyArray, AnyArray]:
    """Codes in order of the distinct values present, and those values."""
    values = column.values
    if column.categories is not None:
        safe = values if null is None else np.where(null, 0, values)
        return _compact_categories(safe.astype(np.int64), column.categories, null)
    if values.dtype.kind == "O":
        return _code_objects(values, null, what, locate)
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
        code, present = _code_integers(values, null, threads)
        return code, present.astype(bool)
    if values.dtype.kind in "iu":
        return _code_integers(values, null, threads)
    if values.dtype.kind == "f":
        values = values + values.dtype.type(0)  # -0.0 is 0.0
    present, inverse = np.unique(values if null is None else values[~null], return_inverse=True)
    if null is None:
        return inverse.astype(np.int64), present
    code = np.zeros(values.size, np.int64)
    code[~null] = inverse
    return code, present


def _code_objects(
    values: AnyArray, null: AnyArray | None, what: str, locate: Locate
) -> tuple[Ints, AnyArray]:
    """Codes of Python objects, text mostly."""
    places: dict[Any, int] = {}
    code = np.zeros(values.size, np.int64)
    for row, x in enumerate(values):
        if null is None or not null[row]:
            try:
                code[row] = places.setdefault(x, len(places))
            except TypeError:
                raise InputError(
                    f"{what} holds {type(x).__name__} {x!r} at {locate(row)}, which cannot be a "
                    f"group key: convert it to text"
                ) from None
    categories = np.empty(len(places), dtype=object)
    categories[:] = list(places)
    return _compact_categories(code, categories, null)


def _code_integers(
    values: AnyArray, null: AnyArray | None, threads: int
) -> tuple[AnyArray, AnyArray]:
    """Codes by a table over the range where that is small, else by sorting."""
    present = values if null is None else values[~null]
    if present.size == 0:
        return np.zeros(values.size, np.int64), present
    low, high = int(present.min()), int(present.max())
    if high - low > 4 * present.size + 1024:
        unique, inverse = np.unique(present, return_inverse=True)
        if null is None:
            return inverse.astype(np.int64), unique
        code = np.zeros(values.size, np.int64)
        code[~null] = inverse
        return code, unique
    # Keys may lie beyond int64, or their differences beyond a narrow type. Both wrap to what is
    # right: the distances from the lowest are small.
    lowest = np.asarray(low, values.dtype).astype(np.int64)
    used = np.zeros(high - low + 1, bool)
    parts = blocks(values.size, threads if values.size >= PARALLEL_ROWS else 1)

    def distances(start: int, stop: int) -> Iterator[tuple[slice, Ints]]:
        """Yield them in pieces that stay in the cache."""
        for first in range(start, stop, PIECE):
            piece = slice(first, min(first + PIECE, stop))
            part = values[piece].astype(np.int64)
            part -= lowest
            if null is not None:
                part[null[piece]] = 0
            yield piece, part

    # On one thread: an indexed write holds the interpreter, for which threads would only queue.
    for _, part in distances(0, values.size):
        used[part] = True
    found = np.flatnonzero(used)
    table = np.empty(used.size, np.int32)
    table[found] = np.arange(found.size, dtype=np.int32)
    code = np.empty(values.size, np.int32)

    def look_up(start: int, stop: int) -> None:
        for piece, part in distances(start, stop):
            table.take(part, out=code[piece], mode="clip")

    run([partial(look_up, *part) for part in parts], threads)
    return code, values.dtype.type(low) + found.astype(values.dtype)


def _compact_categories(
    code: Ints, categories: AnyArray, null: AnyArray | None
) -> tuple[Ints, AnyArray]:
    """Keep the categories that occur, each once, in order."""
    if categories.size == 0:
        return np.zeros(code.size, np.int64), categories
    used = np.bincount(code if null is None else code[~null], minlength=categories.size) > 0
    labels = [x for x, is_used in zip(categories, used, strict=True) if is_used]
    distinct = list(dict.fromkeys(labels))
    try:
        distinct.sort()
    except TypeError:  # mixed types
        distinct.sort(key=lambda x: (type(x).__name__, str(x)))
    places = {x: place for place, x in enumerate(distinct)}
    table = np.asarray([places.get(x, 0) for x in categories], np.int64)
    values = np.empty(len(distinct), dtype=object)
    values[:] = distinct
    return table[code], values


def group_starts(code: Codes, groups: int) -> Ints:
    """Where each group begins when rows are dealt to them: shape (groups + 1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(code, minlength=groups))]).astype(np.int64)


def make_grouping(columns: Sequence[KeyColumn], threads: int = 1) -> Grouping:
    """Cross the codes of some columns; only combinations that occur become groups."""
    if not columns:
        return Grouping((), np.empty(0, np.int32), 1, ())
    code = columns[0].code
    size = columns[0].values.size
    parts = [np.arange(size)]
    for column in columns[1:]:
        crossed = code.astype(np.int64) * column.values.size + column.code
        code, present = _code_integers(crossed, None, threads)
        above, below = np.divmod(present, column.values.size)
        parts = [part[above] for part in parts] + [below]
        size = present.size
    keys = tuple(column.values[part] for column, part in zip(columns, parts, strict=True))
    names = tuple(column.name for column in columns)
    return Grouping(names, code.astype(np.int32, copy=False), size, keys)
