"""Labels and score columns of many classes -> one class against the rest, as cheap views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ._cells import text_of
from ._columns import Column, Columns, column_name, resolve
from ._frames import is_pandas
from ._grouping import read_key
from ._tables import open_table
from ._types import AnyArray, Codes
from ._validate import Labels, Locate, Weights, read_labels, read_weights
from .errors import InputError

__all__ = ["ClassColumns", "ClassLabels", "read_classes", "read_decisions"]

SHOWN = 5


@dataclass(frozen=True)
class ClassLabels:
    """Which classes each row is of.

    Attributes
    ----------
    names : tuple
        The classes, as they were given.
    code : ndarray of int32, shape (n,), or None
        Place of each row's one class, -1 where it is missing; None with several labels a row.
    columns : tuple of Labels
        With several labels a row, those of each class.
    """

    names: tuple[Any, ...]
    code: Codes | None
    columns: tuple[Labels, ...] = ()

    def against_rest(self, k: int) -> Labels:
        """Labels of one class against all others."""
        if self.code is None:
            return self.columns[k]
        missing = self.code < 0
        n_null = int(np.count_nonzero(missing))
        return Labels((self.code == k).view(np.uint8), missing if n_null else None, n_null, 0)


@dataclass(frozen=True)
class ClassColumns:
    """The columns of a call about many classes, one column of scores or decisions a class.

    Attributes
    ----------
    names : tuple
        The classes, in the order of `scores`.
    scores : tuple of Column
    columns : Columns
        Everything that was resolved.
    indicators : tuple of Column, or None
        The label columns by class, where a row may have several labels.
    """

    names: tuple[Any, ...]
    scores: tuple[Column, ...]
    columns: Columns
    indicators: tuple[Column, ...] | None
    threads: int

    @cached_property
    def truth(self) -> ClassLabels:
        """The labels; InputError if one is of no class."""
        if self.indicators is None:
            return _read_labels(self.columns.label, self.names, self.threads)
        return _read_indicators(self.indicators, self.names, None, self.threads)

    @cached_property
    def weights(self) -> Weights | None:
        weight = self.columns.weight
        if weight is None:
            return None
        return read_weights(weight.values(self.threads), column_name(weight), weight.locate)


def read_classes(
    data: Any, label: Any, scores: Any, classes: Any, weight: Any, threads: int
) -> ClassColumns:
    """Columns of scores by class, and the labels: one a row, or a 0/1 column a class.

    Raises
    ------
    InputError
        If it is not told which column is of which class.
    """
    wanted = None if classes is None else _read_names(classes)
    data = None if data is None else open_table(data)
    several = _is_matrix(data, label)
    table = _by_name(scores, "scores", wanted, free=several)
    first, many = label, None
    if several:
        many = _by_name(label, "label", wanted, free=True)
        first = next(iter(many.values())) if isinstance(many, Mapping) else many[0]
    columns = resolve(data, label=first, scores=table, weight=weight, threads=threads)
    # The keys of a dict are the classes themselves, text or not.
    given = list(table) if isinstance(table, Mapping) else [c.name for c in columns.scores]
    names, order = _matched(given, wanted, "scores")
    indicators = None
    if several:
        found = resolve(data, label=first, scores=many, threads=threads).scores
        given = list(many) if isinstance(many, Mapping) else [c.name for c in found]
        _, places = _matched(given, names, "label")
        indicators = tuple(replace(found[k], role="label") for k in places)
    parts = tuple(columns.scores[k] for k in order)
    return ClassColumns(names, parts, columns, indicators, threads)


def read_decisions(
    data: Any, label: Any, predictions: Any, classes: Any, weight: Any, threads: int
) -> tuple[ClassColumns, ClassLabels, Column]:
    """Labels, hard decisions and (the first of) their columns.

    The classes are those that occur, unless they are named.
    """
    data = None if data is None else open_table(data)
    if _is_matrix(data, predictions):
        found = read_classes(data, label, predictions, classes, weight, threads)
        parts = tuple(replace(column, role="predictions") for column in found.scores)
        return found, _read_indicators(parts, found.names, 1, threads), parts[0]
    if _is_matrix(data, label):
        raise InputError(
            "`predictions` must have a 0/1 column a class, as `label` has: it holds one value a row"
        )
    name = predictions if isinstance(predictions, str) else "predicted"
    try:
        one = {name: predictions}
        columns = resolve(data, label=label, scores=one, weight=weight, threads=threads)
    except InputError as error:
        raise type(error)(str(error).replace("`scores`", "`predictions`")) from None
    column = replace(columns.scores[0], role="predictions")
    names = _all_classes((columns.label, column), threads)
    if classes is not None:
        names = _read_names(classes)
    found = ClassColumns(names, (), columns, None, threads)
    return found, _read_labels(column, names, threads), column


# -- which column is of which class --------------------------------------------------------------


def _read_names(classes: Any) -> tuple[Any, ...]:
    values = classes.tolist() if hasattr(classes, "tolist") else classes
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence) or not values:
        raise InputError(f"`classes` must list the classes, got {classes!r}")
    names = tuple(x.item() if isinstance(x, np.generic) else x for x in values)
    twice = next((x for x, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise InputError(f"`classes` names {twice!r} twice")
    return names


def _is_matrix(data: Any, values: Any) -> bool:
    """Whether values have a column a class; a list of names does where there is a table."""
    if isinstance(values, Mapping):
        return True
    if isinstance(values, (list, tuple)) and values:
        if all(isinstance(x, str) for x in values):
            return data is not None and all(x in data.names for x in values)
        return isinstance(values[0], (list, tuple, np.ndarray))
    return len(getattr(values, "shape", ())) == 2 and values.shape[1] != 1


def _by_name(values: Any, role: str, names: Any, *, free: bool) -> Any:
    """Columns by class where values are a matrix; anything else as it is."""
    if isinstance(values, str) or (
        isinstance(values, (list, tuple)) and all(isinstance(x, str) for x in values)
    ):
        return values
    if isinstance(values, Mapping):
        return dict(values)
    if is_pandas(values, "DataFrame"):
        return {name: values[name] for name in values.columns}
    if hasattr(values, "__arrow_c_stream__") and (
        hasattr(values, "columns") or hasattr(values, "column_names")
    ):
        values = open_table(values)
        return {name: values.column(name) for name in values.names}
    matrix = np.asarray(values)
    if matrix.ndim == 1:
        return values
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise InputError(f"`{role}` has shape {matrix.shape}: expected a column a class")
    if names is None and not free:
        raise InputError(
            f"`{role}` is a matrix of {matrix.shape[1]} columns and nothing tells which is of "
            f"which class: pass classes=, in the order of the columns, or a dict class -> column"
        )
    given = range(matrix.shape[1]) if names is None else names
    if len(given) != matrix.shape[1]:
        raise InputError(
            f"`classes` names {len(given)} classes and `{role}` has {matrix.shape[1]} columns: "
            f"they must agree"
        )
    return {name: matrix[:, k] for k, name in enumerate(given)}


def _matched(
    given: Sequence[Any], wanted: Sequence[Any] | None, role: str
) -> tuple[tuple[Any, ...], list[int]]:
    """Classes in their order, and the column of each: by name where names agree, else by place."""
    if wanted is None:
        return tuple(given), list(range(len(given)))
    if len(given) != len(wanted):
        raise InputError(
            f"`classes` names {len(wanted)} classes and `{role}` has {len(given)} columns: they "
            f"must agree"
        )
    places = {text_of(name): k for k, name in enumerate(given)}
    texts = [text_of(name) for name in wanted]
    if set(texts) == set(places):
        return tuple(wanted), [places[text] for text in texts]
    return tuple(wanted), list(range(len(wanted)))


# -- labels --------------------------------------------------------------------------------------


def _read_indicators(
    columns: Sequence[Column], names: tuple[Any, ...], pos_label: object, threads: int
) -> ClassLabels:
    parts = [read_labels(c.values(threads), pos_label, column_name(c), c.locate) for c in columns]
    return ClassLabels(names, None, tuple(parts))


def _read_labels(column: Column, names: Sequence[Any], threads: int) -> ClassLabels:
    what = column_name(column)
    code, present = _coded(column.values(threads), what, column.locate)
    by_value = {_hashed(name): k for k, name in enumerate(names)}
    by_text = {text_of(name): k for k, name in enumerate(names)}
    table = np.full(len(present) + 1, -1, np.int32)
    for place, value in enumerate(present):
        k = by_value.get(_hashed(value), by_text.get(_as_name(value)))
        if k is None:
            row = int(np.argmax(code == place))
            raise InputError(
                f"{what} holds the class {value!r}, first at {column.locate(row)}, which is not "
                f"among the classes {_show(names)}: name all of them with classes="
            )
        table[place] = k
    return ClassLabels(tuple(names), table[code])


def _coded(values: Any, what: str, locate: Locate) -> tuple[AnyArray, list[Any]]:
    """Codes of the distinct values present, -1 for a missing one, and those values."""
    key = read_key(values, "", what, locate, allow_null=True)
    present = key.values.tolist()
    if present and present[-1] is None:
        present.pop()
        return np.where(key.code == len(present), -1, key.code), present
    return key.code, present


def _as_name(value: Any) -> str:
    """Text under which a column of that class goes: labels with gaps come as 1.0 for 1."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else text_of(value)


def _hashed(name: Any) -> Any:
    """Text and numbers never meet, 1 and 1.0 do."""
    return (isinstance(name, (str, bytes)), name)


def _all_classes(columns: Sequence[Column], threads: int) -> tuple[Any, ...]:
    """Classes that occur in any of the columns, in order."""
    found: dict[Any, Any] = {}
    for column in columns:
        for value in _coded(column.values(threads), column_name(column), column.locate)[1]:
            found.setdefault(_hashed(value), value)
    names = list(found.values())
    try:
        return tuple(sorted(names))
    except TypeError:  # mixed types
        return tuple(sorted(names, key=lambda x: (type(x).__name__, str(x))))


def _show(names: Sequence[Any]) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > SHOWN else ""
    return ", ".join(map(repr, names[:SHOWN])) + more
