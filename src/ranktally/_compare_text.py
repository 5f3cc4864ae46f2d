"""A comparison as a person reads it: a line each, and below what was done."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ._cells import Coded, values_of
from ._layout import fit, pad, shortened, width_of, wrapped
from ._pivot import metric_name
from ._rows import Rows
from ._verdicts import NO_DIFFERENCE, UNDEFINED, verdict_bound
from ._wording import counted, headline, note_lines, printable, reason_of

__all__ = ["FEW_RESAMPLES", "comparison_text", "few_resamples", "shared_files"]

FEW_RESAMPLES = "resamples too few for a verdict"

_ADJUSTED = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini and Hochberg"}
_METHODS = {"delong": "DeLong"}
_MOST_DECIMALS = 8
_SHORTEST_NAME = 10
_TIE = "\N{NO-BREAK SPACE}"
_LONGEST_VERDICT = len(NO_DIFFERENCE)
# Ranks of columns.
_KEY = 0
_BASELINE = 7


def comparison_text(
    rows: Rows,
    summary: Mapping[str, Any],
    width: int | None = None,
    spell: Callable[[str], str] = str,
) -> str:
    """Return the table and its foot, without a line end after the last line.

    Parameters
    ----------
    rows : Rows
        Of a `Comparison`.
    summary : mapping
        Its summary.
    width : int, optional
        Longest line; a wider table is continued below, its keys repeated, with the verdicts in the
        upper part. None: no limit.
    spell : callable(str)
        How a sentence names arguments where they are not those of Python.
    """
    head = [_tied(headline(summary))] if summary["paired"] else []
    return "\n".join(
        [
            *wrapped(head, width),
            *_table_lines(rows, summary, width),
            *wrapped(_foot_lines(rows, summary, spell), width),
        ]
    )


# -- table -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """A heading and its cells; `rank` says which columns stay together in a narrow table."""

    head: str
    right: bool
    cells: list[str]
    rank: int

    @cached_property
    def width(self) -> int:
        return max(map(width_of, [self.head, *self.cells]))

    def lines(self) -> list[str]:
        return [pad(text, self.width, self.right) for text in (self.head, *self.cells)]


def _table_lines(rows: Rows, summary: Mapping[str, Any], width: int | None) -> list[str]:
    columns = _columns(rows.to_dict(), summary)
    if width is None or _room(columns) <= width:
        return _joined(columns)
    columns = _apart(columns, width)
    order = [column.head for column in columns]
    left = [column for column in columns if column.rank != _KEY]
    left.sort(key=lambda column: column.rank)
    room = max([_LONGEST_VERDICT, *(column.width for column in left[1:])])
    keys = _fitted([column for column in columns if column.rank == _KEY], width - room - 2)
    reasons = max(room, width - _room(keys) - 2)
    left[0] = replace(left[0], cells=[fit(text, reasons) for text in left[0].cells])
    lines: list[str] = []
    while left:
        block = [*keys, left.pop(0)]
        for column in list(left):
            if _room([*block, column]) <= width:
                block.append(column)
                left.remove(column)
        block.sort(key=lambda column: order.index(column.head))
        lines += [""] * bool(lines) + _joined(block)
    return lines


def _apart(columns: Sequence[_Column], width: int) -> list[_Column]:
    """Columns that need not stand side by side: each heading says whose value it is."""
    bases = next((c.cells for c in columns if c.head == "baseline" and c.rank == _KEY), [])
    if len(set(bases)) == 1:
        columns = [c for c in columns if c.cells is not bases]
    head = "baseline value"
    if len(set(bases)) == 1:
        head = f"value of {fit(bases[0], max(_SHORTEST_NAME, width // 4))}"
    return [replace(c, head=head) if c.rank == _BASELINE else c for c in columns]


def _fitted(keys: Sequence[_Column], width: int) -> list[_Column]:
    """Names, shortened as far as they must be."""
    short = list(keys)
    for most in range(max(key.width for key in keys) - 1, _SHORTEST_NAME - 1, -1):
        if _room(short) <= width:
            break
        short = [replace(key, cells=shortened(key.cells, most)) for key in keys]
    return short


def _columns(rows: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> list[_Column]:
    names = [metric_name(printable(row["metric"]), row["threshold"]) for row in rows]
    several = len(set(names)) > 1
    decimals = _decimals(rows)

    def numbers(name: str, sign: str = "") -> list[str]:
        return [_fixed(row[name], decimals, sign) for row in rows]

    columns = [_Column("model", False, [printable(row["model"]) for row in rows], _KEY)]
    if several:
        columns.append(_Column("metric", False, names, _KEY))
    columns.append(_Column("value" if several else names[0], True, numbers("value"), 6))
    if summary["paired"]:
        bases = [printable(row["baseline"]) for row in rows]
        columns.append(_Column("baseline", False, bases, _KEY))
    head = "its value" if summary["paired"] else "baseline"
    columns.append(_Column(head, True, numbers("baseline_value"), _BASELINE))
    columns.append(_Column("difference", True, numbers("difference", "+"), 2))
    if any(row["low"] is not None for row in rows):
        ends = [_interval(row, decimals) for row in rows]
        columns.append(_Column(f"{100 * summary['level']:g} % interval", True, ends, 3))
    columns.append(_Column("p", True, [_share(row["p"]) for row in rows], 5))
    if summary["adjust"] != "none" and summary["n_comparisons"] > 1:
        columns.append(_Column("adjusted p", True, [_share(row["p_adjusted"]) for row in rows], 4))
    columns.append(_Column("verdict", False, [_verdict(row) for row in rows], 1))
    return columns


def _room(columns: Sequence[_Column]) -> int:
    return sum(column.width + 2 for column in columns) - 2


def _joined(columns: Sequence[_Column]) -> list[str]:
    texts = [column.lines() for column in columns]
    return ["  ".join(line).rstrip() for line in zip(*texts, strict=True)]


def _decimals(rows: Sequence[Mapping[str, Any]]) -> int:
    """Enough for two digits of the narrowest interval, or else of the smallest difference."""
    widths = [row["high"] - row["low"] for row in rows if row["low"] is not None]
    sizes = [abs(row["difference"]) for row in rows if row["difference"]]
    known = [x for x in widths if 0 < x < math.inf] or [x for x in sizes if 0 < x < math.inf]
    if not known:
        return 4
    return max(4, min(_MOST_DECIMALS, 1 - math.floor(math.log10(min(known)))))


def _fixed(value: float | None, decimals: int, sign: str = "") -> str:
    return "undefined" if value is None else f"{value:{sign}.{decimals}f}"


def _interval(row: Mapping[str, Any], decimals: int) -> str:
    if row["low"] is None:
        return ""
    return f"[{_fixed(row['low'], decimals, '+')}, {_fixed(row['high'], decimals, '+')}]"


def _share(p: float | None) -> str:
    return "" if p is None else f"{p:.3g}"


def _verdict(row: Mapping[str, Any]) -> str:
    if row["verdict"] != UNDEFINED:
        return str(row["verdict"])
    return f"{UNDEFINED}: {printable(reason_of(row['status']))}"


# -- foot ------------------------------------------------------------------------------------------


def _foot_lines(rows: Rows, summary: Mapping[str, Any], spell: Callable[[str], str]) -> list[str]:
    """Rows, intervals, p-values, and what to know of them."""
    lines = [*_rows_lines(rows, summary), *_interval_lines(rows, summary), _p_line(summary)]
    if summary["seed"] is not None:
        drawn = counted(summary["n_resamples"], "resample")
        number, noun = drawn.split()
        lines.append(f"{noun}: {number}, seed{_TIE}{summary['seed']}")
    lines += [*map(spell, few_resamples(summary)), *shared_files(summary)]
    return [*lines, *_note_lines(rows)]


def _note_lines(rows: Rows) -> list[str]:
    """Notes of the rows, but for one that the foot tells anyhow."""
    column = rows.columns["note"]
    assert isinstance(column, Coded)
    parts = ([x for x in text.split(", ") if x != FEW_RESAMPLES] for text in column.categories)
    note = Coded(column.codes, tuple(map(", ".join, parts)))
    return note_lines(Rows({**rows.columns, "note": note}))


def _tied(text: str) -> str:
    """Tie the last two words together."""
    start, space, end = text.rpartition(" ")
    return f"{start}{space and _TIE}{end}"


def few_resamples(summary: Mapping[str, Any]) -> list[str]:
    """Say that no verdict was possible, and what makes one possible, or nothing."""
    needed = summary["n_resamples_needed"]
    if needed is None:
        return []
    count = summary["n_comparisons"]
    ways = ["another method"]
    if summary["paired"] and count > len(summary["methods"]) * (summary["n_models"] - 1):
        ways.append("a baseline in place of all pairs")
    drawn = counted(summary["n_resamples"], "resample")
    return [
        f"{drawn} {'is' if drawn == '1 resample' else 'are'} too few for any verdict on "
        f"{counted(count, 'comparison')}: pass n_resamples={needed} or more, or choose "
        f"{' or '.join(ways)}"
    ]


def shared_files(summary: Mapping[str, Any]) -> list[str]:
    """Say that two data sets are not apart, or nothing."""
    count = summary.get("n_shared_files")
    if not count:
        return []
    return [f"the two data sets share {counted(count, 'file')}, and are taken for independent"]


def _rows_lines(rows: Rows, summary: Mapping[str, Any]) -> list[str]:
    clusters = [summary["n_clusters"]]
    if summary["paired"]:
        used = counted(summary["n_used"], "row")
        if summary["n_used"] != summary["n_rows"]:
            used = (
                f"the {summary['n_used']:,} of {counted(summary['n_rows'], 'row')} that count for "
                f"every model"
            )
        lines = [f"paired: on {used}, {_classes(rows, '')}"]
    else:
        lines = []
        if summary["value_data"] is not None and summary["baseline_data"] is not None:
            files = (printable(summary[f"{side}_data"]) for side in ("value", "baseline"))
            lines = ["value: {}; baseline: {}".format(*files)]
        there = f"{counted(summary['n_used'], 'row')}, {_classes(rows, '')}"
        here = f"{counted(summary['baseline_n_used'], 'row')}, {_classes(rows, 'baseline_')}"
        lines.append(f"unpaired: value on {there}; baseline on {here}")
        clusters.append(summary["baseline_n_clusters"])
    if summary["cluster"] is not None:
        numbers = " and ".join(f"{count:,}" for count in clusters)
        lines.append(f"whole clusters: {numbers}, of {printable(summary['cluster'])}")
    return lines


def _classes(rows: Rows, side: str) -> str:
    pos, neg = (values_of(rows.columns[f"{side}{name}"])[0] for name in ("n_pos", "n_neg"))
    if isinstance(pos, float):
        return f"weight {pos:,.10g} of positives, {neg:,.10g} of negatives"
    return f"{pos:,} positive, {neg:,} negative"


def _interval_lines(rows: Rows, summary: Mapping[str, Any]) -> list[str]:
    kinds: dict[str, dict[str, None]] = {}
    columns = (values_of(rows.columns[name]) for name in ("interval", "metric"))
    for kind, metric in zip(*columns, strict=True):
        if kind:
            kinds.setdefault(kind, {})[metric] = None
    swapped = [name for name, how in summary["methods"].items() if how == "permutation"]
    several = len(kinds) + bool(swapped) > 1
    level = f"{100 * summary['level']:g} %"
    lines = [
        f"intervals: {level} {kind}{_of(metrics) if several else ''}, each for itself, not adjusted"
        for kind, metrics in kinds.items()
    ]
    if swapped:
        lines.append("intervals: none with permutation, which gives p alone")
    return lines


def _p_line(summary: Mapping[str, Any]) -> str:
    count = summary["n_comparisons"]
    way = _ADJUSTED.get(summary["adjust"]) if count > 1 else None
    adjusted = f"adjusted by {way} for {count:,} comparisons" if way else "not adjusted"
    by: dict[str, list[str]] = {}
    for metric, method in summary["methods"].items():
        by.setdefault(_METHODS.get(method, method), []).append(metric)
    methods = " and ".join(
        method + (_of(metrics) if len(by) > 1 else "") for method, metrics in by.items()
    )
    bound = f"{verdict_bound(summary['level']):g}"
    return f"p: two-sided, by {methods}, {adjusted}; a verdict needs less than {bound}"


def _of(metrics: Mapping[str, None] | Sequence[str]) -> str:
    return f" of {', '.join(map(printable, metrics))}"
