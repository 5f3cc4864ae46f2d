"""Options that several commands share, and how their text becomes values."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

__all__ = [
    "FORMATS",
    "MANY",
    "Parser",
    "UsageError",
    "Verb",
    "add_data",
    "add_missing",
    "add_output",
    "add_progress",
    "add_resampling",
    "add_running",
    "complete",
    "missing",
    "near",
    "need_scores",
    "numbers",
    "positive",
    "split_list",
    "words",
]

FORMATS = ("table", "json", "csv", "parquet", "markdown")
MANY = "score columns: a comma list or a glob such as 'model_*'; may be repeated"


class UsageError(Exception):
    """The arguments cannot be understood."""


@dataclass(frozen=True)
class Verb:
    """One command: what it does, examples, its options, and what is checked after argparse."""

    help: str
    epilog: str
    add: Callable[[argparse.ArgumentParser], None]
    complete: Callable[[argparse.Namespace], None]


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


def add_missing(group: argparse._ArgumentGroup, *, more: str = "") -> None:
    """What to do with rows that lack a label or a score; `more` is added to the help."""
    group.add_argument(
        "--missing",
        choices=("raise", "omit", "worst"),
        default="raise",
        help=f"rows without label or score: an error (default), left out, or ranked last{more}",
    )


def add_resampling(group: argparse._ArgumentGroup) -> None:
    """How intervals are made, and by which replicates."""
    add = group.add_argument
    add("--level", type=_level, default=0.95, metavar="SHARE", help="of intervals (default: 0.95)")
    add(
        "--resamples",
        type=positive,
        default=2000,
        metavar="N",
        help="replicates, where some are drawn (default: 2000)",
    )
    add(
        "--seed",
        type=_seed,
        metavar="N",
        help="of the replicates, for the same ones again (default: a new one, which is told)",
    )
    add(
        "--cluster",
        metavar="COLUMN",
        help="column of what is independent where rows are not, such as a customer",
    )


def add_progress(group: argparse._ArgumentGroup) -> None:
    """Whether to show how far the work is."""
    group.add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="a progress bar on stderr (default: when it is a terminal)",
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
    if "-" in options.files and len(options.files) > 1 and verb != "compare":
        raise UsageError("`-` (stdin) cannot be combined with other files")
    if options.output is not None and not options.output.strip():
        raise UsageError("`--output` is empty: name a file, or - for stdout")
    if options.output == "-":
        options.output = None
    options.format = options.format or _format_of(options.output)
    if options.format == "parquet" and not options.output and sys.stdout.isatty():
        raise UsageError("`--format parquet` is binary: name a file with --output, or pipe it")


def need_scores(options: argparse.Namespace) -> None:
    """Check that score columns are named."""
    options.scores = options.scores or missing(
        options.verb, "--scores: the score columns, such as 'model_*'"
    )


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


def _level(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(
            f"expected a share strictly between 0 and 1, such as 0.95, got {text!r}"
        )
    return value


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 0 to 2**64 - 1, got {text!r}"
        )
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
