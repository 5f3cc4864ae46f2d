"""Tidy rows: the columnar form in which every result leaves the package."""

from __future__ import annotations

import difflib
import html
import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ._cells import (
    Coded,
    RowColumn,
    all_null,
    csv_texts,
    distinct,
    equal,
    finite,
    is_number,
    markdown_text,
    quoted,
    short_texts,
    take,
    text_of,
    to_arrow,
    values_of,
)
from ._layout import pad, width_of
from ._writing import check_destination, format_of, replace_file
from .errors import InputError, MissingExtra

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["FORMATS", "Coded", "RowColumn", "Rows", "near"]

FORMATS = ("csv", "json", "markdown", "parquet")
_HTML_ROWS = 60
_DUMP = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=text_of).encode


class Rows:
    """Named columns of equal length, in order; nan in a NumPy float column means null.

    Parameters
    ----------
    columns : mapping of str to array
        NumPy arrays, `Coded` text, or Arrow arrays (for group keys of any type).
    """

    columns: dict[str, RowColumn]

    def __init__(self, columns: Mapping[str, RowColumn]) -> None:
        self.columns = dict(columns)
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of one length expected, got {lengths}")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    # -- conversions ---------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """Return a `pyarrow.Table`; nan in float columns becomes null."""
        import pyarrow as pa

        arrays = [to_arrow(column) for column in self.columns.values()]
        return pa.table(arrays, names=list(self.columns))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the rows to any library that speaks the Arrow C stream protocol."""
        table: Any = self.to_arrow()
        return cast(object, table.__arrow_c_stream__(requested_schema))

    def to_pandas(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame`; needs pandas."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise MissingExtra("pandas", "pandas", "`to_pandas`") from None
        return self.to_arrow().to_pandas()

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one dict a row, with Python values and None for null and nan."""
        return _records({name: values_of(column) for name, column in self.columns.items()})

    def to_markdown(self) -> str:
        """Return a GitHub table: columns without any value left out, numbers right-aligned."""
        shown = self._shown_columns()
        cells = [[markdown_text(text) for text in short_texts(column)] for column in shown.values()]
        heads = [markdown_text(name) for name in shown]
        widths = [
            max(map(width_of, [head, "---:", *rest]))
            for head, rest in zip(heads, cells, strict=True)
        ]
        right = [is_number(column) for column in shown.values()]
        rule = ["-" * (w - 1) + ":" if r else "-" * w for w, r in zip(widths, right, strict=True)]
        lines = [heads, rule, *map(list, zip(*cells, strict=True))]
        return "".join(
            "| "
            + " | ".join(pad(cell, w, r) for cell, w, r in zip(line, widths, right, strict=True))
            + " |\n"
            for line in lines
        )

    def _repr_html_(self) -> str:
        """Return a small table for notebooks; the middle of a long one is left out."""
        n, shown = len(self), self._shown_columns()
        keep = np.arange(n)
        if n > _HTML_ROWS:
            keep = np.r_[: _HTML_ROWS // 2, n - _HTML_ROWS // 2 : n]
        cells = [short_texts(take(column, keep)) for column in shown.values()]
        align = ["right" if is_number(column) else "left" for column in shown.values()]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in shown)
        body = [
            "<tr>"
            + "".join(
                f'<td style="text-align:{a}">{html.escape(cell)}</td>'
                for cell, a in zip(line, align, strict=True)
            )
            + "</tr>"
            for line in zip(*cells, strict=True)
        ]
        if n > len(keep):
            gap = (
                f'<tr><td colspan="{len(shown)}">... {n - len(keep):,} of {n:,} rows ...</td></tr>'
            )
            body.insert(_HTML_ROWS // 2, gap)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"

    def _shown_columns(self) -> dict[str, RowColumn]:
        """Return the columns that hold at least one value (all of them when there is no row)."""
        return {name: c for name, c in self.columns.items() if not len(c) or not all_null(c)}

    # -- writing -------------------------------------------------------------------------------

    def encode(self, format: str, **beside: object) -> bytes:
        """Return the rows as the bytes of a file.

        Parameters
        ----------
        format : {"csv", "json", "markdown", "parquet"}
            JSON is an object whose `rows` is a list of objects; it never holds NaN or Infinity.
        **beside
            What JSON holds beside `rows`, and the schema of Parquet under "ranktally", as JSON; the
            other formats have no place for it.
        """
        if format == "csv":
            return self._csv().encode()
        if format == "json":
            return self._json(beside).encode()
        if format == "markdown":
            return self.to_markdown().encode()
        if format == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            table = self.to_arrow()
            if beside:
                table = table.replace_schema_metadata({"ranktally": _json_text(beside)})
            sink = pa.BufferOutputStream()
            pq.write_table(table, sink)
            return bytes(sink.getvalue())
        raise InputError(f"`format` must be one of {', '.join(FORMATS)}; got {format!r}")

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the rows to a file that appears whole or not at all.

        Parameters
        ----------
        path : path
            Written beside its final place first, then moved over it.
        format : {"csv", "json", "markdown", "parquet"}, optional
            Taken from the suffix of `path` when not given.

        Raises
        ------
        InputError
            The folder is missing or not writable, or the format is unknown.
        """
        format = format_of(path) if format is None else format
        check_destination(path)
        replace_file(path, self.encode(format))

    def _csv(self) -> str:
        cells = [csv_texts(column) for column in self.columns.values()]
        head = ",".join(map(quoted, self.columns))
        return "\n".join([head, *map(",".join, zip(*cells, strict=True)), ""])

    def _json(self, beside: Mapping[str, object]) -> str:
        # One row a line: the file stays readable and can be compared line by line.
        rows = _records({name: finite(column) for name, column in self.columns.items()})
        parts = {name: _json_text(value) for name, value in beside.items()}
        parts["rows"] = "[\n  " + ",\n  ".join(map(_DUMP, rows)) + "\n]" if rows else "[]"
        order = sorted(parts, key=lambda name: (name != "summary", name != "rows"))
        return "{" + ",\n".join(f"{_DUMP(name)}: {parts[name]}" for name in order) + "}\n"

    # -- lookup --------------------------------------------------------------------------------

    def value(self, /, **match: object) -> float:
        """Return `value` of the one row whose columns equal what is asked for.

        Parameters
        ----------
        **match
            Column name = value; None finds null.

        Raises
        ------
        InputError
            No column of that name, or not exactly one row matches.

        Examples
        --------
        >>> rows = Rows({"model": Coded(np.array([0, 1], np.int32), ("a", "b")),
        ...              "value": np.array([0.8, 0.9])})
        >>> rows.value(model="b")
        0.9
        """
        hits = np.ones(len(self), dtype=bool)
        alone = {}
        for name, wanted in match.items():
            if name not in self.columns:
                raise InputError(
                    f"`{name}` is not a column of the result{near(name, self.columns)}"
                )
            alone[name] = equal(self.columns[name], wanted)
            hits &= alone[name]
        found = np.flatnonzero(hits)
        if len(found) == 1:
            return float(np.asarray(self.columns["value"])[found[0]])
        asked = ", ".join(f"{name}={wanted!r}" for name, wanted in match.items()) or "no condition"
        if len(found):
            raise InputError(f"{len(found):,} rows match {asked}; {self._what_differs(found)}")
        strangers = [
            f"; `{name}` is never {match[name]!r}{near(match[name], distinct(self.columns[name]))}"
            for name, mask in alone.items()
            if not mask.any()
        ]
        raise InputError(f"no row matches {asked}{''.join(strangers)}")

    def _what_differs(self, found: npt.NDArray[np.intp]) -> str:
        """Say which columns could tell the rows apart."""
        results = {"value", "low", "high", "interval", "level", "baseline", "n", "n_pos", "n_neg"}
        for name, column in self.columns.items():
            options = distinct(take(column, found))
            if name not in results and len(options) > 1:
                return f"name `{name}` too: {_some(options)}"
        return "more than one row was expected to be told apart by its other columns"


def near(word: object, known: Iterable[object]) -> str:
    """Return a clause that offers the known names nearest to a wrong one, or some of them."""
    names = [text_of(name) for name in known]
    close = difflib.get_close_matches(text_of(word), names, n=3, cutoff=0.6)
    if close:
        return f"; did you mean {' or '.join(map(repr, close))}?"
    return f"; there are {_some(names)}" if names else ""


def _some(options: Iterable[object], most: int = 5) -> str:
    names = list(options)
    more = f", ... ({len(names):,} in all)" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def _records(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    names = list(columns)
    return [dict(zip(names, line, strict=True)) for line in zip(*columns.values(), strict=True)]


def _json_text(value: object) -> str:
    return _DUMP(_without_nan(value))


def _without_nan(value: object) -> object:
    """Return a JSON value with None in the place of what JSON cannot say."""
    if isinstance(value, Mapping):
        return {text_of(name): _without_nan(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
