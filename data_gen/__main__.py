"""Command line: ``python -m data_gen RECIPE --rows N --output DIR``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ._recipes import DEFAULT_ROWS, RECIPES, describe, parameters
from ._write import FORMATS, write


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code (0, 2 for usage, 3 for a recipe that failed)."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.recipe == "list":
        print(_listing())
        return 0
    if args.output is None:
        parser.error("--output is required: the folder to write")
    try:
        given = dict(_parameter(args.recipe, text) for text in args.param)
    except ValueError as error:
        parser.error(str(error))
    try:
        manifest = write(
            args.recipe,
            args.output,
            args.rows,
            format=args.format,
            files=args.files,
            seed=args.seed,
            hive=args.hive,
            overwrite=args.overwrite,
            **given,
        )
    except (ValueError, OSError, ImportError) as error:
        print(f"data_gen: {error}", file=sys.stderr)
        return 3
    sample = manifest["truth"]["sample"]
    print(
        f"{args.output}: {manifest['rows']:,} rows in {len(manifest['files'])} {args.format} "
        f"file(s), {sample['n_pos']:,} positives, {', '.join(manifest['schema'])}"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m data_gen",
        description="Write a seeded prediction dump whose truth is known, with manifest.json.",
        epilog=f"recipes and their parameters:\n{_listing()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "recipe", choices=[*RECIPES, "list"], metavar="RECIPE", help="a recipe below, or 'list'"
    )
    parser.add_argument(
        "--rows", type=int, help=f"default {DEFAULT_ROWS:,}, or all rows of a real data set"
    )
    parser.add_argument("--output", metavar="DIR", help="the folder to make")
    parser.add_argument("--format", choices=FORMATS, default="parquet")
    parser.add_argument("--files", type=int, default=1, metavar="K", help="default 1")
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument("--hive", metavar="KEY", help="file i goes into a folder KEY=i")
    parser.add_argument("--overwrite", action="store_true", help="replace a folder written before")
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the recipe; may be given again (lists: --param aucs=0.7,0.8)",
    )
    return parser


def _listing() -> str:
    lines = []
    for recipe in RECIPES:
        shown = " ".join(f"{name}={_shown(value)}" for name, value in parameters(recipe).items())
        lines += [f"  {recipe:<14} {describe(recipe)}", f"  {'':<14} {shown}"]
    return "\n".join(lines)


def _shown(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _parameter(recipe: str, text: str) -> tuple[str, Any]:
    """Read ``name=value`` as the type of the parameter's default."""
    name, equals, value = text.partition("=")
    known = parameters(recipe)
    if not equals or name not in known:
        raise ValueError(
            f"--param {text!r}: expected NAME=VALUE with a name of recipe {recipe}: "
            + ", ".join(known)
        )
    default = known[name]
    try:
        if isinstance(default, bool):
            return name, {"true": True, "false": False}[value.lower()]
        if isinstance(default, tuple):
            return name, tuple(float(part) for part in value.split(","))
        return name, type(default)(value)
    except (ValueError, KeyError):
        kind = "true or false" if isinstance(default, bool) else f"like {_shown(default)}"
        raise ValueError(f"--param {text!r}: expected a value {kind}") from None


if __name__ == "__main__":
    sys.exit(main())
