"""Options that several commands share, and how their text becomes values."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = [
    "FORMATS",
    "Parser",
    "UsageError",
    "add_data",
    "add_missing",
    "add_output",
    "add_running",
    "complete",
    "missing",
    "near",
    "numbers",
    "positive",
    "split_list",
    "words",
]

FORMATS = ("table", "json", "csv", "parquet", "markdown")


class UsageError(Exception):
    """The arguments cannot be understood."""


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises instead of printing its usage and leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see `{self.prog} --help`)")


def add_data(parser: argparse.ArgumentParser, scores: str) -> argparse._ArgumentGroup:
    """Files and columns; `scores` is the help of ``--scores``."""
    group = parser.add_argument_group("data")
    add = group.add_argument
    add(
        "files",
        nargs="*",
        metavar="FILES",
        help="Parquet, CSV or Feather files, globs, a folder, or - for CSV or Arrow on stdin",
    )
    add("--label", metavar="COLUMN", help="column of the true labels")
    add("--scores", action="append", metavar="COLUMNS", help=scores)
    add("--weight", metavar="COLUMN", help="column of the row weights")
    add("--pos-label", metavar="VALUE", help="the label that counts as positive")
    add("--lower-is-better", action="store_true", help="small scores mean positive")
    return group


def add_missing(group: argparse._ArgumentGroup) -> None:
    """What to do with rows that lack a label or a score."""
    group.add_argument(
        "--missing",
        choices=("raise", "omit", "worst"),
        default="raise",
        help="rows without label or score: an error (default), left out, or ranked last",
    )


def add_output(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Where the result goes, and in which form."""
    group = parser.add_argument_group("output")
    add = group.add_argument
    add("--format", choices=FORMATS, help="default: from the suffix of --output, else table")
    add("--output", metavar="FILE", help="write there, whole or not at all, instead of stdout (-)")
    add("--debug", action="store_true", help="show the traceback of an error")
    return group


def add_running(parser: argparse.ArgumentParser) -> None:
    """How the work is done."""
    add = parser.add_argument_group("running").add_argument
    add("--threads", type=positive, metavar="N", help="default: all that may be used")
    add("--engine", choices=("auto", "numba", "numpy"), default="auto", help="default: auto")


def complete(options: argparse.Namespace) -> None:
    """Check what every command needs, and find the format."""
    verb = options.verb
    options.files = options.files or missing(verb, "FILES: one or more files, globs or -")
    options.label = options.label or missing(verb, "--label: the column of the true labels")
    if "-" in options.files and len(options.files) > 1:
        raise UsageError("`-` (stdin) cannot be combined with other files")
    if options.output is not None and not options.output.strip():
        raise UsageError("`--output` is empty: name a file, or - for stdout")
    if options.output == "-":
        options.output = None
    options.format = options.format or _format_of(options.output)
    if options.format == "parquet" and not options.output and sys.stdout.isatty():
        raise UsageError("`--format parquet` is binary: name a file with --output, or pipe it")


def missing(verb: str, what: str) -> NoReturn:
    """Raise UsageError for an option that a command cannot do without."""
    raise UsageError(f"missing {what} (see `ranktally {verb} --help`)")


def split_list(text: str) -> list[str]:
    """Split at the commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, mark in enumerate(text):
        depth += (mark in "([{") - (mark in ")]}")
        if mark == "," and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def numbers(option: str, texts: Sequence[str] | None) -> list[float]:
    """Numbers of a comma list that may be repeated."""
    return [_number(option, text) for text in words(option, texts)]


def words(option: str, texts: Sequence[str] | None) -> list[str]:
    """Words of a comma list that may be repeated; an empty one is a variable that was not set."""
    found = [split_list(part) for part in texts or ()]
    if not all(found):
        raise UsageError(f"`{option}` is empty: name at least one, or leave the option out")
    return [word for part in found for word in part]


def _number(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"`{option}` expects numbers such as 0.5,0.9; got {text!r}") from None
    if value != value:
        raise UsageError(f"`{option}` expects numbers; nan is no threshold")
    return value


def positive(text: str) -> int:
    """Whole number from 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _format_of(output: str | None) -> str:
    if output is None:
        return "table"
    from .._writing import format_of
    from ..errors import InputError

    if os.path.splitext(output)[1].lower() == ".txt":
        return "table"
    try:
        return format_of(output)
    except InputError:
        raise UsageError(
            f"the suffix of `--output` {output!r} tells no format; add --format {'|'.join(FORMATS)}"
        ) from None


def near(word: str | None, known: Sequence[str]) -> str:
    """Return a clause that offers the known words nearest to a wrong one."""
    close = difflib.get_close_matches(word or "", known, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""
