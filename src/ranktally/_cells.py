"""One column of tidy rows: as Arrow, as Python values and as text."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Coded",
    "RowColumn",
    "all_null",
    "csv_texts",
    "distinct",
    "equal",
    "finite",
    "is_number",
    "markdown_text",
    "quoted",
    "short_texts",
    "take",
    "text_of",
    "to_arrow",
    "values_of",
]


@dataclass(frozen=True)
class Coded:
    """Text with few distinct values: one int32 code a row, -1 for null."""

    codes: npt.NDArray[np.int32]
    categories: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)


RowColumn: TypeAlias = "npt.NDArray[Any] | Coded | pa.Array[Any]"


def text_of(value: object) -> str:
    """Return one group key or name as text; null is the empty string."""
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    return str(value)


def is_float(column: RowColumn) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind == "f"


def is_number(column: RowColumn) -> bool:
    if isinstance(column, Coded):
        return False
    if isinstance(column, np.ndarray):
        return column.dtype.kind in "iuf"
    import pyarrow.types as types

    kind = column.type
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def all_null(column: RowColumn) -> bool:
    if isinstance(column, Coded):
        return bool((column.codes < 0).all())
    if isinstance(column, np.ndarray):
        return is_float(column) and bool(np.isnan(column).all())
    return bool(column.null_count == len(column))


def take(column: RowColumn, rows: npt.NDArray[np.intp]) -> RowColumn:
    if isinstance(column, Coded):
        return Coded(column.codes[rows], column.categories)
    if isinstance(column, np.ndarray):
        return column[rows]
    import pyarrow as pa

    return column.take(pa.array(rows, type=pa.int64()))


def to_arrow(column: RowColumn) -> pa.Array[Any]:
    import pyarrow as pa

    if isinstance(column, Coded):
        codes = pa.array(column.codes, type=pa.int32(), mask=column.codes < 0)
        return pa.array(column.categories, type=pa.string()).take(codes)
    if isinstance(column, np.ndarray):
        return pa.array(column, mask=np.isnan(column) if is_float(column) else None)
    return column


def values_of(column: RowColumn) -> list[Any]:
    """Return Python values, None for null and nan."""
    return _plain(column, np.isnan)


def finite(column: RowColumn) -> list[Any]:
    """Return Python values, None for null and whatever is no finite number."""
    return _plain(column, lambda values: ~np.isfinite(values))


def _plain(column: RowColumn, is_none: Callable[[Any], npt.NDArray[np.bool_]]) -> list[Any]:
    if isinstance(column, Coded):
        return _looked_up(column, list(column.categories), None)
    values: list[Any] = column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()
    if is_float(column):
        for i in np.flatnonzero(is_none(column)).tolist():
            values[i] = None
    elif is_number(column):
        values = [None if isinstance(v, float) and is_none(v) else v for v in values]
    return values


def _looked_up(column: Coded, texts: list[Any], null: object) -> list[Any]:
    # Code -1 finds the last place, which stands for null.
    table = np.empty(len(texts) + 1, dtype=object)
    table[:] = [*texts, null]
    return list(table[column.codes])


def _texts(column: RowColumn, one: Callable[[Any], str], null: str) -> list[str]:
    """Return one text a row; `one` is called once per category of coded text."""
    if isinstance(column, Coded):
        return _looked_up(column, [one(name) for name in column.categories], null)
    if all_null(column):
        return [null] * len(column)
    return [null if value is None else one(value) for value in values_of(column)]


def csv_texts(column: RowColumn) -> list[str]:
    return _texts(column, str if is_number(column) else lambda value: quoted(text_of(value)), "")


def quoted(text: str) -> str:
    # An empty text is quoted so that it differs from null.
    if not text or text != text.strip() or any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def short_texts(column: RowColumn) -> list[str]:
    def short(value: Any) -> str:
        return f"{value:.6g}" if isinstance(value, float) else text_of(value)

    return _texts(column, short, "")


def markdown_text(text: str) -> str:
    for mark in ("\\", "|", "`", "*"):
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.replace("<", "&lt;").split())


def distinct(column: RowColumn) -> list[Any]:
    """Return the values in order of first appearance."""
    return list(dict.fromkeys(values_of(column)))


def equal(column: RowColumn, wanted: Any) -> npt.NDArray[np.bool_]:
    is_nan = isinstance(wanted, float) and math.isnan(wanted)
    if isinstance(column, Coded):
        code = -1 if wanted is None else _position(column.categories, wanted)
        return np.asarray(column.codes == code)
    if isinstance(column, np.ndarray):
        if wanted is None or is_nan:
            return np.isnan(column) if is_float(column) else np.zeros(len(column), dtype=bool)
        if is_float(column) and isinstance(wanted, int | float):
            # A threshold of float32 scores is found by the number that was asked for.
            with np.errstate(over="ignore"):
                narrow = float(np.float32(wanted))
            return np.asarray((column == wanted) | (column == narrow))
        return np.asarray(column == wanted) & np.ones(len(column), dtype=bool)
    values = column.to_pylist()
    if is_nan:
        return np.fromiter((value != value for value in values), bool, len(values))
    return np.fromiter((value == wanted for value in values), bool, len(values))


def _position(categories: tuple[str, ...], wanted: object) -> int:
    return categories.index(wanted) if wanted in categories else -2
