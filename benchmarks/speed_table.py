"""README's speed table: every work against its peers, in one run on the same arrays.

``python -m benchmarks.speed_table [--write] [--quick] [--only NAME ...]``

README gets the table of one whole run or none: rows of several runs under one date and load would
say what no run has measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from . import in_memory, in_processes, resampling, uncertainty
from .machine import conditions, load
from .race import BEST_PEER, Goal, Outcome, Work, run
from .readme import write_between

WORKS: Mapping[str, Callable[[bool], Work]] = MappingProxyType(
    {
        "areas": in_memory.areas,
        "tally": in_memory.tally,
        "points": in_memory.points,
        "weighted": in_memory.weighted,
        "models": in_memory.models,
        "classes": in_memory.classes,
        "groups": in_memory.groups,
        "bootstrap": resampling.bootstrap,
        "bootstrap_rows": resampling.bootstrap_rows,
        "bootstrap_models": resampling.bootstrap_models,
        "bootstrap_rare": resampling.bootstrap_rare,
        "delong": uncertainty.delong,
        "delong_even": uncertainty.delong_even,
        "delong_models": uncertainty.delong_models,
        "parquet": in_processes.parquet,
        "memory_areas": in_processes.memory_areas,
        "memory_tally": in_processes.memory_tally,
        "import": in_processes.imports,
        "command": in_processes.command,
        "start_up": in_processes.start_up,
    }
)
PACKAGES = (
    "numpy", "numba", "pyarrow", "scikit-learn", "rapidstats", "polars", "polars-ds", "duckdb",
    "pandas", "scipy", "confidenceinterval", "MLstatkit",
)  # fmt: skip


def table(outcomes: Iterable[Outcome], before: float | None) -> str:
    """Markdown: the ratios first, then what was measured, then on what."""
    outcomes = list(outcomes)
    lines = [
        "| work | ratio | against | target | | ranktally | other |",
        "|---|---|---|---|---|---|---|",
    ]
    data: dict[str, list[str]] = {}
    for number, outcome in enumerate(outcomes, 1):
        lines += _lines(number, outcome)
        data.setdefault(outcome.work.data, []).append(str(number))
    told = "; ".join(f"({', '.join(numbers)}) {text}" for text, numbers in data.items())
    how = (
        "Contestants are called in turn, round after round, after a warm-up; ratios are those of "
        "the median times."
    )
    return "\n".join([*lines, "", f"Data: {told}.", "", f"{conditions(PACKAGES, before)} {how}\n"])


def _lines(number: int, outcome: Outcome) -> Iterator[str]:
    work = outcome.work
    ours = _value(outcome.median(outcome.ours), work.unit)
    title = f"{work.title} ({number})"
    for goal in work.goals:
        if goal.against is None:
            value = outcome.median(outcome.ours)
            yield _row(title, "", "-", *_judged(goal, value, work.unit), ours, "")
            title = ""
    for c in work.contestants[1:]:
        ratio = outcome.ratio(c.name)
        goals = [g for g in work.goals if _concerns(g, c.name, outcome)]
        for goal in goals or [None]:
            best = goal is not None and goal.against == BEST_PEER
            against = f"{c.name} (the best peer)" if best else c.name
            theirs = _value(outcome.median(c.name), work.unit)
            yield _row(
                title, _ratio(ratio, goal, work.unit), against, *_judged(goal, ratio), ours, theirs
            )
            title = ""


def _concerns(goal: Goal, name: str, outcome: Outcome) -> bool:
    if goal.against == BEST_PEER:
        return outcome.best_peer() == name
    return goal.against == name


def _judged(goal: Goal | None, ratio: float, unit: str = "x") -> tuple[str, str]:
    if goal is None:
        return "", ""
    if goal.faster is not None:
        limit = f">= {goal.faster:g}x faster"
    elif goal.against is None:
        limit = f"<= {_value(goal.most or 0, unit)}"
    else:
        limit = f"<= {goal.most:g}x the time"
    return limit, "pass" if goal.met(ratio) else "**FAIL**"


def _ratio(ratio: float, goal: Goal | None, unit: str = "s") -> str:
    """Times faster where that is the point; else the share of what the other takes."""
    if ratio < 1 and (goal is None or goal.faster is not None):
        return f"**{_short(1 / ratio)}x {'faster' if unit == 's' else 'less'}**"
    return f"**{_short(ratio)}x {'the time' if unit == 's' else 'as much'}**"


def _short(x: float) -> str:
    return f"{x:,.0f}" if x >= 20 else f"{x:.1f}" if x >= 5 else f"{x:.2f}"


def _value(x: float, unit: str) -> str:
    if unit != "s":
        return f"{x:.2f} {unit}"
    return f"{x:.2f} s" if x >= 1 else f"{x * 1000:.0f} ms" if x >= 0.01 else f"{x * 1000:.1f} ms"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed_table",
        description="Measure every work against its peers and print a Markdown table.",
    )
    parser.add_argument("--write", action="store_true", help="put the whole table into README.md")
    parser.add_argument("--quick", action="store_true", help="small sizes: a trial of the script")
    parser.add_argument("--only", nargs="+", choices=list(WORKS), metavar="NAME", default=[],
                        help=f"some of: {', '.join(WORKS)}")  # fmt: skip
    args = parser.parse_args()
    if args.write and (args.quick or args.only):
        parser.error("--write takes one whole run at full size: leave --quick and --only out")
    before = load()
    outcomes = []
    for name in args.only or WORKS:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        outcomes.append(run(WORKS[name](args.quick)))
        print("\n".join(_lines(len(outcomes), outcomes[-1])), file=sys.stderr, flush=True)
    text = table(outcomes, before)
    print(text, end="")
    if args.write:
        write_between("speed_table", text)


if __name__ == "__main__":
    main()
