"""Names, lists, globs and arrays -> the columns of one call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ._frames import Table, is_pandas
from ._tables import open_table
from .errors import InputError

__all__ = ["Column", "Columns", "column_name", "resolve"]

_LISTED = 12


@dataclass(frozen=True)
class Column:
    """One column of a call, not read yet.

    Attributes
    ----------
    role : str
        The argument it came by: ``label``, ``scores``, ``weight``, ``by`` or ``cluster``.
    name : str
        Its name in the data, or the name that an array without one is given.
    """

    role: str
    name: str
    _read: Callable[[int], Any] = field(repr=False)
    _locate: Callable[[int], str] = field(repr=False)

    def values(self, threads: int = 1) -> Any:
        """Read the column: a NumPy, Arrow, pandas or polars array, or a list, as it was given."""
        return self._read(threads)

    def locate(self, row: int) -> str:
        """Say where a row stands, in words for a message."""
        return self._locate(row)


def column_name(column: Column) -> str:
    """How messages call a column."""
    return f"`{column.role}` {column.name!r}"


@dataclass(frozen=True)
class Columns:
    """What one call reads.

    Attributes
    ----------
    n_rows, n_files : int
        Rows of every column, and the files they come from (0 in memory).
    label : Column
    scores : tuple of Column
        One a model, names all different.
    weight, cluster : Column or None
    groupings : tuple of tuple of Column, or None
        Each grouping by its columns; an empty one is the total.
    """

    n_rows: int
    n_files: int
    label: Column
    scores: tuple[Column, ...]
    weight: Column | None
    groupings: tuple[tuple[Column, ...], ...] | None
    cluster: Column | None


def resolve(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    weight: Any = None,
    by: Any = None,
    cluster: Any = None,
    threads: int = 1,
    max_memory: int | None = None,
) -> Columns:
    """Find the columns that the arguments of a call mean.

    Parameters
    ----------
    data : object, optional
        A table or path(s), see `open_table`.
    label, weight, cluster : str or array
        A column of `data`, or the values themselves.
    scores : str, list of str, dict, or array
        Names or globs (``"model_*"``), a dict of name to array or column name, a 1-D array, or
        an (n, m) array or frame with a column a model.
    by : str, array, list of these, or list of lists
        The columns of one grouping, or several groupings.
    threads : int
        To parse CSV files, and to read small columns of many files together.
    max_memory : int, optional
        Bytes that the call may take; a quarter of them may hold columns read together.

    Raises
    ------
    InputError
        For unknown names, lengths or pandas indexes that differ, and everything else that makes
        it unclear which rows and columns are meant.
    """
    return _Call(None if data is None else open_table(data), data).resolve(
        label, scores, weight, by, cluster, threads, max_memory
    )


class _Call:
    """One call while its arguments are being looked at."""

    def __init__(self, table: Table | None, data: Any) -> None:
        self._table = table
        self._used: list[str] = []
        # What was given as values: where, how many rows, and the pandas index if there is one.
        self._lengths: list[tuple[str, int]] = []
        self._indexes: list[tuple[str, Any]] = []
        # One array in two groupings is one column.
        self._arrays: dict[int, Column] = {}
        if is_pandas(data, "DataFrame"):
            self._indexes.append(("`data`", data.index))
        elif isinstance(data, Mapping):
            for name, values in data.items():
                self._note_index(f"`data` column {str(name)!r}", values)

    def resolve(
        self,
        label: Any,
        scores: Any,
        weight: Any,
        by: Any,
        cluster: Any,
        threads: int,
        max_memory: int | None,
    ) -> Columns:
        the_label = self._one("label", label)
        the_weight = None if weight is None else self._one("weight", weight)
        the_cluster = None if cluster is None else self._one("cluster", cluster)
        groupings = None if by is None else self._groupings(by)
        models = self._models(scores)
        twice = [name for name, n in Counter(m.name for m in models).items() if n > 1]
        if twice:
            raise InputError(f"`scores`: {twice[0]!r} comes twice: expected a name a model")
        self._check_indexes()
        if self._table is not None:
            self._table.prepare(list(dict.fromkeys(self._used)), threads, max_memory)
        return Columns(
            self._count_rows(),
            0 if self._table is None else self._table.n_files,
            the_label,
            models,
            the_weight,
            groupings,
            the_cluster,
        )

    # -- one column ------------------------------------------------------------------------

    def _one(self, role: str, given: Any, name: str | None = None) -> Column:
        if isinstance(given, str):
            return self._named(role, given, name)
        return self._array(role, given, name or _own_name(given) or role)

    def _named(self, role: str, name: str, shown: str | None = None) -> Column:
        if self._table is None:
            raise InputError(
                f"`{role}` is the name {name!r}, but there is no `data` to hold it: pass `data`, or"
                " the values themselves"
            )
        table = self._table
        if name not in table.names:
            raise InputError(f"`{role}`: {self._unknown(table, name)}")
        self._used.append(name)
        return Column(
            role, shown or name, lambda threads: table.column(name, threads), table.locate
        )

    def _array(self, role: str, values: Any, name: str, what: str | None = None) -> Column:
        what = what or f"`{role}`"
        shape = getattr(values, "shape", None)
        if isinstance(values, (bytes, Mapping)) or not hasattr(values, "__len__") or shape == ():
            raise InputError(
                f"{what} is {type(values).__name__}: expected a column name or a 1-D array"
            )
        if isinstance(shape, tuple) and len(shape) != 1 and shape[1:] != (1,):
            _refuse_probabilities(values, what)
            raise InputError(f"{what} has shape {shape}: expected a 1-D array")
        self._lengths.append((what, len(values)))
        self._note_index(what, values)
        return Column(role, name, lambda threads: values, _row)

    @staticmethod
    def _unknown(table: Table, name: str) -> str:
        names = [n for n in table.names if n != "_file"]
        place = f" in file {table.paths[0]!r}" if len(table.paths) == 1 else ""
        lost = f"there is no column {name!r}{place}"
        folded = {n.strip().casefold(): n for n in reversed(names)}
        near = [folded[n] for n in get_close_matches(name.strip().casefold(), folded, n=3)]
        if near:
            return f"{lost}; did you mean {_either(near)}?"
        if not names:
            return f"{lost}, nor any other"
        listed = ", ".join(map(repr, names[:_LISTED]))
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        return f"{lost}; the columns are {listed}{more}"

    # -- scores ----------------------------------------------------------------------------

    def _models(self, scores: Any) -> tuple[Column, ...]:
        if isinstance(scores, str):
            return self._matching(scores)
        if isinstance(scores, Mapping):
            if not scores:
                raise InputError("`scores` is an empty dict: expected at least one model")
            return tuple(
                self._named("scores", values, str(name))
                if isinstance(values, str)
                else self._array("scores", values, str(name), f"`scores` {str(name)!r}")
                for name, values in scores.items()
            )
        if isinstance(scores, (list, tuple)):
            if not scores:
                raise InputError("`scores` is an empty list: expected at least one model")
            if all(isinstance(item, str) for item in scores):
                return tuple(model for item in scores for model in self._matching(item))
            if any(hasattr(item, "__len__") for item in scores):
                raise InputError(
                    "`scores` is a list of arrays, which could be rows or models: pass a dict of"
                    " name -> array, or an (n, m) array with a column a model"
                )
        if _has_columns(scores):
            return self._frame(scores)
        if len(getattr(scores, "shape", ())) == 2:
            return self._matrix(scores)
        return (self._array("scores", scores, "score"),)

    def _matching(self, pattern: str) -> tuple[Column, ...]:
        table = self._table
        if table is None or pattern in table.names or not any(c in pattern for c in "*?["):
            return (self._named("scores", pattern),)
        # The columns that have another role in this call are no models, whatever they are called.
        hidden = {*self._used, *table.derived}
        names = [n for n in table.names if n not in hidden and fnmatchcase(n, pattern)]
        if not names:
            raise InputError(
                f"`scores`: no column matches {pattern!r}"
                f"; {self._unknown(table, pattern).partition('; ')[2]}"
            )
        return tuple(self._named("scores", name) for name in names)

    def _matrix(self, matrix: Any) -> tuple[Column, ...]:
        values = np.asarray(matrix)
        _refuse_probabilities(values, "`scores`")
        if values.shape[1] == 0:
            raise InputError(f"`scores` has shape {values.shape}: expected at least one column")
        self._note_index("`scores`", matrix)
        return tuple(
            self._array("scores", values[:, i], f"model_{i}", "`scores`")
            for i in range(values.shape[1])
        )

    def _frame(self, frame: Any) -> tuple[Column, ...]:
        if is_pandas(frame, "DataFrame") and frame.shape[1] == 2:
            _refuse_probabilities(frame, "`scores`")
        self._note_index("`scores`", frame)
        table = open_table(frame)
        table.prepare(table.names)
        self._lengths.append(("`scores`", table.n_rows))

        def column(name: str) -> Column:
            return Column("scores", name, lambda threads: table.column(name, threads), table.locate)

        return tuple(column(name) for name in table.names)

    # -- groups ----------------------------------------------------------------------------

    def _groupings(self, by: Any) -> tuple[tuple[Column, ...], ...]:
        several = isinstance(by, (list, tuple))
        if several and by and all(isinstance(item, (list, tuple)) for item in by):
            groupings = tuple(self._grouping(item) for item in by)
        elif several and self._is_list_of_columns(by):
            groupings = (self._grouping(by),)
        else:
            groupings = (self._grouping([by]),)
        names = [tuple(column.name for column in grouping) for grouping in groupings]
        for grouping, count in Counter(names).items():
            if count > 1:
                raise InputError(f"`by`: the grouping {list(grouping)} comes twice")
        return groupings

    def _is_list_of_columns(self, by: Sequence[Any]) -> bool:
        """Tell names and arrays from the group of each row, which may be a plain list as well."""
        if all(isinstance(item, str) for item in by):
            return self._table is not None or not by
        return any(isinstance(item, str) or _is_array(item) for item in by)

    def _grouping(self, items: Iterable[Any]) -> tuple[Column, ...]:
        columns: list[Column] = []
        for item in items:
            if isinstance(item, str):
                column = self._named("by", item)
            elif id(item) in self._arrays:
                column = self._arrays[id(item)]
            else:
                taken = {column.name for column in self._arrays.values()}
                name = _own_name(item) or "group"
                if name in taken:
                    name = f"{name}_{len(taken)}"
                column = self._arrays[id(item)] = self._array("by", item, name)
            columns.append(column)
        names = [column.name for column in columns]
        for name, count in Counter(names).items():
            if count > 1:
                raise InputError(f"`by`: {name!r} comes twice in one grouping")
        return tuple(columns)

    # -- rows ------------------------------------------------------------------------------

    def _note_index(self, what: str, values: Any) -> None:
        if is_pandas(values, "Series", "DataFrame"):
            self._indexes.append((what, values.index))

    def _check_indexes(self) -> None:
        for what, index in self._indexes[1:]:
            first, expected = self._indexes[0]
            if len(index) == len(expected) and not index.equals(expected):
                raise InputError(
                    f"{what} and {first} have different pandas indexes, so it is unclear which rows"
                    " belong together: align them, or pass `.to_numpy()` to go by position"
                )

    def _count_rows(self) -> int:
        lengths = list(self._lengths)
        if self._table is not None:
            lengths.insert(0, ("`data`", self._table.n_rows))
        first, n_rows = lengths[0]
        for what, length in lengths[1:]:
            if length != n_rows:
                raise InputError(
                    f"{first} has {n_rows:,} rows and {what} has {length:,}: expected equal lengths"
                )
        if n_rows == 0:
            paths = self._table.paths if self._table is not None else ()
            some = f"`data` ({len(paths)} files, the first {paths[0]!r})" if paths else first
            where = f"file {paths[0]!r}" if len(paths) == 1 else some
            raise InputError(f"{where} has no rows: expected at least one")
        return n_rows


def _row(row: int) -> str:
    return f"row {row}"


def _own_name(values: Any) -> str | None:
    """Return the name that a pandas or polars Series carries."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else None


def _is_array(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, list, tuple))


def _has_columns(values: Any) -> bool:
    """Tell frames and Arrow tables from 1-D arrays, which share most of their attributes."""
    if is_pandas(values, "DataFrame"):
        return True
    # Asked of the type: a lazy frame would work its columns out.
    shown = hasattr(type(values), "columns") or hasattr(type(values), "column_names")
    return shown and (hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"))


def _refuse_probabilities(given: Any, what: str) -> None:
    """Stop the output of `predict_proba`, of which only one column is a score."""
    values = np.asarray(given)
    if values.shape[1:] != (2,) or values.dtype.kind != "f" or len(values) == 0:
        return
    if np.allclose(values[:64].sum(axis=1), 1.0, atol=1e-4) and np.allclose(
        values.sum(axis=1), 1.0, atol=1e-4
    ):
        raise InputError(
            f"{what} has shape {values.shape} and its rows sum to 1, as `predict_proba` returns it:"
            " pass the column of the positive class, usually `p[:, 1]`"
        )


def _either(names: Sequence[str]) -> str:
    return " or ".join(map(repr, names))
