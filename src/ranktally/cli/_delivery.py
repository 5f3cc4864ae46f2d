"""A result on its way out: to a file, whole or not at all, or to stdout."""

from __future__ import annotations

import os
import sys
import textwrap
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._cells import Coded, is_number, short_texts
from .._layout import pad, width_of
from .._rendering import terminal_width
from .._rows import Rows
from .._tables import Table
from .._writing import check_destination, replace_file
from ._options import UsageError

__all__ = ["check_output", "coded", "deliver", "lines_of", "prose", "spare_inputs"]


def check_output(options: Namespace) -> None:
    """Raise InputError, before the work is done, where the output could not be written."""
    if options.output:
        check_destination(options.output)


def spare_inputs(options: Namespace, table: Table) -> None:
    """Raise UsageError where the output would take the place of a file that is read."""
    if not options.output or not os.path.exists(options.output):
        return
    for path in table.paths:
        if os.path.exists(path) and os.path.samefile(path, options.output):
            raise UsageError(
                f"`--output` {options.output!r} is one of the files that are read: name another"
            )


def deliver(
    rows: Rows,
    options: Namespace,
    table: Callable[[], str],
    beside: Callable[[], dict[str, Any]],
) -> None:
    """Write the rows; `table` gives the text for people, `beside` what files hold beside them."""
    if options.format == "table":
        # Names that the terminal cannot show must not stop the numbers.
        encoding = "utf-8" if options.output else sys.stdout.encoding or "utf-8"
        content = f"{table()}\n".encode(encoding, "backslashreplace")
    elif options.format == "json":
        content = rows.encode("json", **beside())
    elif options.format == "parquet":
        held = beside()
        if "summary" in held:  # without the time it took: the same call gives the same file
            held["summary"] = {k: v for k, v in held["summary"].items() if k != "seconds"}
        content = rows.encode("parquet", **held)
    else:
        content = rows.encode(options.format)
    if options.output:
        replace_file(options.output, content)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        told = f"cannot write to stdout: {error.strerror or error}"
        raise OSError(error.errno, told) from error


def prose(text: str, options: Namespace) -> str:
    """Return a sentence, in lines that fit the terminal if it goes to one."""
    if options.output or not sys.stdout.isatty():
        return text
    width = terminal_width()
    return "\n".join(
        textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [text]
    )


def lines_of(rows: Rows) -> list[str]:
    """Return rows as lines with aligned columns, their names first."""
    texts = []
    for name, column in rows.columns.items():
        cells = [name, *short_texts(column)]
        width, right = max(map(width_of, cells)), is_number(column)
        texts.append([pad(cell, width, right) for cell in cells])
    return ["  ".join(line).rstrip() for line in zip(*texts, strict=True)]


def coded(values: Sequence[str | None]) -> Coded:
    """Text as one column; None is null."""
    names = tuple(dict.fromkeys(x for x in values if x is not None))
    places = {name: place for place, name in enumerate(names)}
    codes = [-1 if x is None else places[x] for x in values]
    return Coded(np.asarray(codes, np.int32), names)
