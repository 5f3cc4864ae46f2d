"""README's table of `ranktally.metrics` against scikit-learn, call by call on the same arrays.

``python -m benchmarks.sklearn_table [--write] [--quick]``

It is measured whole or not at all. A few thousand rows are measured twice: while nothing has
loaded the compiled kernels yet, as in a short script, and with them.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping
from itertools import chain

from .in_memory import shown
from .machine import conditions, load
from .race import run
from .readme import write_between
from .sklearn_calls import CALLS, DATA, arrays, call

__all__ = ["table"]

FEW, MANY = 5_000, 1_000_000
KERNELS = "ranktally.kernels"
PACKAGES = ("numpy", "numba", "scikit-learn")
SIDE_BY_SIDE = 2

Ratios = Mapping[str, float]


def measure(rows: int, seconds: float) -> dict[str, float]:
    """How many times faster each call is than scikit-learn's."""
    data = arrays(rows)
    ratios = {}
    for title in CALLS:
        ratios[title] = 1 / run(call(title, data, seconds)).ratio("scikit-learn")
        print(f"{rows:>9,} rows  {title:<34} {ratios[title]:7.2f} x", file=sys.stderr, flush=True)
    return ratios


def measured(few: int, many: int, seconds: float) -> dict[str, Ratios]:
    """The columns of the table."""
    alone = measure(few, seconds)
    if KERNELS in sys.modules:
        raise SystemExit("the first calls were to run on the NumPy loops, but loaded the kernels")
    importlib.import_module(KERNELS)
    return {
        f"{shown(few)} rows, kernels not loaded": alone,
        f"{shown(few)} rows": measure(few, seconds),
        f"{shown(many)} rows": measure(many, seconds),
    }


def table(columns: Mapping[str, Ratios]) -> str:
    """Markdown: times faster than scikit-learn, a column a size, two calls a line."""
    cells = [
        [_code(title), *(_times(ratios[title]) for ratios in columns.values())] for title in CALLS
    ]
    height = -(-len(cells) // SIDE_BY_SIDE)
    blank = [[""] * len(cells[0])] * (height * SIDE_BY_SIDE - len(cells))
    cells += blank
    parts = [cells[k : k + height] for k in range(0, len(cells), height)]
    head = ["call", *columns] * SIDE_BY_SIDE
    lines = [head, ["---"] * len(head), *(list(chain(*line)) for line in zip(*parts, strict=True))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def verdict(columns: Mapping[str, Ratios]) -> str:
    """Whether each call is faster than scikit-learn's."""
    ratios = [ratio for column in columns.values() for ratio in column.values()]
    faster = sum(ratio > 1 for ratio in ratios)
    told = "pass" if faster == len(ratios) else "**FAIL**"
    return f"Target: every call faster at every size; {told}, {faster} of {len(ratios)} are."


def _code(title: str) -> str:
    name, comma, how = title.partition(",")
    return f"`{name}`{comma}{how}"


def _times(ratio: float) -> str:
    if ratio <= 1:
        return f"**{ratio:.2f}x**"
    return f"{ratio:,.0f}x" if ratio >= 20 else f"{ratio:.1f}x"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sklearn_table",
        description="Measure ranktally.metrics against scikit-learn and print a Markdown table.",
    )
    parser.add_argument("--write", action="store_true", help="put it into README.md")
    parser.add_argument("--quick", action="store_true", help="fewer rows: a trial of the script")
    args = parser.parse_args()
    if args.write and args.quick:
        parser.error("--write takes the table at full size: leave --quick out")
    before = load()
    columns = measured(FEW, MANY // 10 if args.quick else MANY, 0.2 if args.quick else 1.0)
    how = "Both are called in turn, round after round; ratios are those of the median times."
    told = f"{verdict(columns)} {how} {DATA}. {conditions(PACKAGES, before)}"
    text = f"{table(columns)}\n{told}\n"
    print(text, end="")
    if args.write:
        write_between("sklearn_table", text)


if __name__ == "__main__":
    main()
