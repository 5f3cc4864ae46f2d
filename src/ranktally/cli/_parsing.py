"""The arguments of the command; checked here as far as no data is needed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ._options import Parser, UsageError, complete, near
from ._verbs import VERBS

__all__ = ["parse"]

_DESCRIPTION = "Exact ROC AUC, average precision and threshold metrics of millions of rows."
_CODES = """\
exit codes:
  0 fine, 1 a bug of ranktally, 2 wrong usage, 3 unusable data, 4 a gate failed, 130 interrupted
"""
_COMPARE = """
  ranktally compare preds.parquet --label y --scores a,b --baseline a

"""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the checked options, or raise UsageError; --help and --version leave the program."""
    parser, parsers = _build()
    if not arguments:
        parser.print_help(sys.stderr)
        raise UsageError("no command given; `ranktally evaluate --help` shows what it takes")
    first = next((word for word in arguments if not word.startswith("-")), None)
    if arguments[0] == first and first not in VERBS:
        hint = near(first, list(VERBS)) or f"; there are: {', '.join(VERBS)}"
        raise UsageError(f"no command {first!r}{hint}")
    options, unknown = parser.parse_known_args(_joined(arguments))
    if unknown:
        _refuse(unknown, options.verb, parsers[options.verb])
    complete(options)
    VERBS[options.verb].complete(options)
    return options


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join `--at -0.5,1` with `=`: argparse would take the list for an option."""
    words: list[str] = []
    for word in arguments:
        if words and words[-1] == "--at" and re.match(r"-(?:[\d.]|inf)", word):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def _build() -> tuple[Parser, dict[str, Parser]]:
    shape: dict[str, Any] = {
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
    }
    parser = Parser(
        prog="ranktally",
        description=_DESCRIPTION,
        epilog=VERBS["evaluate"].epilog.rstrip("\n") + _COMPARE + _CODES,
        **shape,
    )
    parser.add_argument("--version", action=_Version, help="show the version and leave")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    parsers = {}
    for name, verb in VERBS.items():
        description = f"{verb.help[0].upper()}{verb.help[1:]}."
        parsers[name] = verbs.add_parser(
            name, help=verb.help, description=description, epilog=verb.epilog + _CODES, **shape
        )
        verb.add(parsers[name])
    return parser, parsers


class _Version(argparse.Action):
    """`--version`, read only when asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import ranktally

        print(f"ranktally {ranktally.__version__}")
        parser.exit()


def _refuse(unknown: list[str], verb: str, parser: argparse.ArgumentParser) -> NoReturn:
    wrong = next((word for word in unknown if word.startswith("-")), None)
    if wrong is None:
        raise UsageError(f"unexpected {unknown[0]!r}: files come first and stand together")
    option = wrong.split("=")[0]
    known = [name for action in parser._actions for name in action.option_strings]
    raise UsageError(f"no option {option!r}{near(option, known)} (see `ranktally {verb} --help`)")
