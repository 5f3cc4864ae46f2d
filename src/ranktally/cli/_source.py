"""Files and names as the shell gives them -> a table and the columns of a call."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._columns import resolve
from .._model_tallies import tally_models
from .._tables import Table, open_table, read_stream
from ..errors import InputError
from ._delivery import spare_inputs
from ._options import UsageError, split_list

if TYPE_CHECKING:
    from .._tally import Tally

__all__ = ["open_files", "read_names", "read_pos_label", "read_scores", "read_tallies"]


def open_files(options: Namespace, files: list[str] | None = None) -> Table:
    """Open the files of a command, others of its files, or what comes on stdin."""
    table = _open(options.files if files is None else files)
    spare_inputs(options, table)
    return table


def _open(files: list[str]) -> Table:
    if files == ["-"]:
        if sys.stdin is None:
            raise InputError("standard input is closed: pipe CSV or an Arrow stream into `-`")
        return read_stream(sys.stdin.buffer)
    return open_table(files[0] if len(files) == 1 else files)


def read_names(text: str, known: Sequence[str]) -> list[str]:
    """Split a comma list; a column whose name holds the comma is itself."""
    return [text] if text in known else split_list(text)


def read_scores(parts: list[str], known: Sequence[str]) -> str | list[str]:
    """Return the score columns: a name, or a list of several."""
    names = list(dict.fromkeys(name for part in parts for name in read_names(part, known)))
    if not names:
        raise UsageError(f"`--scores` {parts[0]!r} names no column")
    return names[0] if len(names) == 1 else names


def read_pos_label(options: Namespace, table: Table, names: dict[str, Any]) -> object:
    """Return the positive label as a value of the label column's type."""
    text = options.pos_label
    if text is None:
        return None
    number = _as_number(text)
    flag = {"true": True, "false": False}.get(text.lower())
    if number is None and flag is None:
        return text
    kind = _kind(resolve(table, **names).label.values())
    if kind == "bool":
        return flag if number is None else bool(number) if number in (0, 1) else text
    return number if kind == "number" and number is not None else text


def _as_number(text: str) -> int | float | None:
    for form in (int, float):
        try:
            return form(text)
        except ValueError:
            continue
    return None


def _kind(values: Any) -> str:
    """Return "bool", "number" or "other": what the values of a label column are."""
    kind = getattr(values, "dtype", None)
    if kind is not None:
        return {"b": "bool", "i": "number", "u": "number", "f": "number"}.get(kind.kind, "other")
    import pyarrow.types as types

    kind = values.type
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_boolean(kind):
        return "bool"
    return "number" if types.is_integer(kind) or types.is_floating(kind) else "other"


def read_tallies(
    options: Namespace, table: Table, threads: int, scores: Sequence[str] | None = None
) -> dict[str, Tally]:
    """Return the tally of each model that the options name, or of the given ones."""
    names: dict[str, Any] = {
        "label": options.label,
        "scores": list(scores) if scores else read_scores(options.scores, table.names),
        "weight": options.weight,
    }
    pos_label = read_pos_label(options, table, names)
    columns = resolve(table, **names, threads=threads)
    found = tally_models(
        columns,
        pos_label=pos_label,
        higher_is_better=not options.lower_is_better,
        missing=options.missing,
        engine=options.engine,
        threads=threads,
    )
    return dict(found)
