"""The wide table that a person reads: a line a model (and group), a column a metric."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ._cells import is_number, take, values_of
from ._layout import fit, pad, shortened, width_of, wrapped
from ._pivot import Pivot, pivot
from ._rows import Rows
from ._types import Floats, Ints
from ._wording import (
    headline,
    interval_lines,
    key_text,
    note_lines,
    printable,
    reason_of,
)

__all__ = ["terminal_width", "wide_table"]

_CHANCE = "(chance)"
_MOST_DECIMALS = 8
_CHANCE_BESIDE = 3
_LONGEST_REASON = 40


def wide_table(
    rows: Rows,
    directions: Mapping[str, str | None],
    summary: Mapping[str, Any] | None = None,
    *,
    width: int | None = None,
    max_lines: int | None = None,
    bold: bool = False,
    rest: str = "to_pandas() or write('all.csv')",
) -> str:
    """Return the table as text, without a line end after its last line.

    Parameters
    ----------
    rows : Rows
        Tidy rows: `model` and group keys, `metric`, then threshold, value and what belongs to it.
    directions : mapping of str to {"up", "down"} or None
        Which way is better, by metric; the best of two or more models is marked with `*`.
    summary : mapping, optional
        What the headline tells.
    width : int, optional
        Longest line; a wider table is continued below, its keys repeated. None: no limit.
    max_lines : int, optional
        Lines kept of a long table, half from either end. None: all.
    bold : bool
        Print the best in bold, for terminals.
    rest : str
        How to get the lines left out.
    """
    lines = [headline(summary)] if summary else []
    if not len(rows):
        return "\n".join([*lines, "no rows"])
    wide = pivot(rows, directions, max_lines)
    grid = _grid(wide, rows)
    gap = ""
    if wide.n_left_out:
        gap = f"... {wide.n_left_out:,} of {wide.n_lines:,} lines left out; all of them: {rest}"
    keys = _key_columns(wide, width)
    for number, block in enumerate(_blocks(keys, grid, width)):
        body = _block(keys, block, width, bold)
        if gap:
            body.insert(len(body) - len(wide.row) // 2, fit(gap, width))
        lines += [""] * (number > 0) + body
    return "\n".join([*lines, *_feet(rows, summary, width)])


def _feet(rows: Rows, summary: Mapping[str, Any] | None, width: int | None) -> list[str]:
    """What the intervals are, and the notes, wrapped to the width."""
    return wrapped([*interval_lines(rows, summary), *note_lines(rows)], width)


def terminal_width() -> int:
    """Return the width that a text for a person should fit."""
    return shutil.get_terminal_size((100, 24)).columns


# -- columns of text -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Keys:
    head: str
    cells: list[str]
    right: bool
    also: str = ""

    @cached_property
    def width(self) -> int:
        return max(map(width_of, [self.head, self.also, *self.cells]))

    def put(self, text: str) -> str:
        return pad(text, self.width, self.right)


@dataclass(frozen=True)
class _Metric:
    """A column of the grid: a number or a reason per line."""

    head: str
    numbers: list[str]
    reasons: list[str]
    best: list[bool]
    ranged: bool
    chance: str

    @cached_property
    def starred(self) -> bool:
        return any(self.best)

    @cached_property
    def longest(self) -> int:
        """The longest number without its star."""
        return max(map(len, self.numbers))

    @cached_property
    def indent(self) -> str:
        """What stands before the heading and the numbers of a column with intervals."""
        return "  " if self.ranged and self.starred else ""

    def width(self, lines: Sequence[int], chance_row: bool = True) -> int:
        """Return the width that the given lines need."""
        heads = [width_of(self.indent + self.head), len(self.chance) if chance_row else 0]
        return max([*heads, *(width_of(self.cell(i)) for i in lines)])

    def cell(self, i: int) -> str:
        if self.reasons[i]:
            return self.indent + fit(f"undefined: {self.reasons[i]}", _LONGEST_REASON)
        if self.ranged:
            return ("* " if self.best[i] else self.indent) + self.numbers[i].rjust(self.longest)
        return ("* " if self.best[i] else "") + self.numbers[i]

    def start(self, width: int) -> int:
        """Return where the numbers begin in a cell of this width."""
        if self.ranged or not self.longest:
            return 2 if self.starred else 0
        return width - self.longest


def _key_columns(wide: Pivot, width: int | None) -> list[_Keys]:
    keys = [
        _Keys(printable(name), _key_cells(wide, name), is_number(column))
        for name, column in wide.keys.items()
    ]
    if width is not None and sum(key.width + 2 for key in keys) > width * 3 // 5:
        most = max(12, width // 2 // len(keys))
        keys = [replace(key, cells=shortened(key.cells, most)) for key in keys]
    if wide.rates_differ:
        keys.append(_Keys("rows", [f"{n:,.0f}" for n in wide.n], True))
        decimals = _decimals(wide.base_rate, np.arange(len(wide.n)))
        rates = ["" if r != r else f"{r:.{decimals}f}" for r in wide.base_rate.tolist()]
        keys.append(_Keys("base rate", rates, True))
    return keys


def _with_chance(keys: list[_Keys]) -> list[_Keys]:
    """Make room for the name of the line that holds the chance levels."""
    return [replace(keys[0], also=_CHANCE), *keys[1:]]


def _key_cells(wide: Pivot, name: str) -> list[str]:
    cells = [key_text(value) for value in values_of(wide.keys[name])]
    if "grouping" not in wide.keys or name in ("model", "grouping"):
        return cells
    # A column that a grouping does not use has no key there, which is not a null key.
    uses = [name in text.split(", ") for text in values_of(wide.keys["grouping"])]
    return [text if used else "" for text, used in zip(cells, uses, strict=True)]


def _grid(wide: Pivot, rows: Rows) -> list[_Metric]:
    status = rows.columns["status"]
    grid = []
    for j, name in enumerate(wide.names):
        value, low, high = wide.value[:, j], wide.low[:, j], wide.high[:, j]
        decimals = _decimals(value, wide.group)
        ranged = bool((~np.isnan(low)).any())
        numbers = [""] * len(value)
        reasons = [""] * len(value)
        for i in np.flatnonzero(~np.isnan(value)).tolist():
            numbers[i] = _number(value[i], decimals)
        if ranged:
            numbers = _with_ends(numbers, low, high, decimals)
        undefined = np.flatnonzero(np.isnan(value) & (wide.row[:, j] >= 0))
        for i, text in zip(
            undefined.tolist(), values_of(take(status, wide.row[undefined, j])), strict=True
        ):
            reasons[i] = printable(reason_of(text))
        best = wide.best[:, j].tolist()
        grid.append(_Metric(name, numbers, reasons, best, ranged, _chance(wide.baseline[j])))
    if any(metric.ranged for metric in grid):
        # A column without any number stands as those with intervals do.
        grid = [replace(metric, ranged=metric.ranged or not metric.longest) for metric in grid]
    return grid


def _with_ends(numbers: list[str], low: Floats, high: Floats, decimals: int) -> list[str]:
    """Numbers with their intervals; those that have none stand where the others do."""
    ends = [
        "" if np.isnan(a) else f" [{_number(a, decimals)}, {_number(b, decimals)}]"
        for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]
    room = max(map(len, ends))
    return [number and number + end.ljust(room) for number, end in zip(numbers, ends, strict=True)]


def _decimals(values: Floats, group: Ints) -> int:
    """Return how many decimals show the values, and tell the models of one group apart."""
    known = ~np.isnan(values) & ~np.isinf(values)
    numbers, group = values[known], group[known]
    sizes = np.abs(numbers[numbers != 0])
    if not len(sizes) or (sizes.max() > 1 and (numbers == np.round(numbers)).all()):
        return 0 if len(sizes) else 4
    decimals = 1 if sizes.max() >= 1000 else 4
    # Two digits at least of the smallest.
    decimals = max(decimals, min(_MOST_DECIMALS, 1 - int(np.floor(np.log10(sizes.min())))))
    order = np.lexsort((numbers, group))
    numbers, group = numbers[order], group[order]
    apart = (np.diff(numbers) > 10.0**-_MOST_DECIMALS) & (np.diff(group) == 0)
    while decimals < _MOST_DECIMALS:
        rounded = np.round(numbers, decimals)
        if not (apart & (np.diff(rounded) == 0)).any():
            break
        decimals += 1
    return decimals


def _number(value: float, decimals: int) -> str:
    if value and abs(value) < 0.5 * 10.0**-_MOST_DECIMALS:
        return f"{value:.1e}"
    return f"{value:.{decimals}f}"


def _chance(baseline: float | str | None) -> str:
    if baseline is None:
        return "-"
    return baseline if isinstance(baseline, str) else f"{baseline:.4g}"


# -- lines ---------------------------------------------------------------------------------------


def _blocks(keys: list[_Keys], grid: list[_Metric], width: int | None) -> list[list[_Metric]]:
    """Split the columns of the grid so that each part fits the width."""
    if width is None:
        return [grid]
    # A line that is undefined for one reason says it once and needs no width.
    lines = [
        i
        for i in range(len(grid[0].numbers))
        if len({metric.reasons[i] for metric in grid}) > 1 or not grid[0].reasons[i]
    ]
    room = width - sum(key.width + 2 for key in _with_chance(keys))
    blocks: list[list[_Metric]] = [[]]
    used = 0
    for metric in grid:
        need = metric.width(lines) + 2
        if blocks[-1] and used + need - 2 > room:
            blocks.append([])
            used = 0
        blocks[-1].append(metric)
        used += need
    return blocks


def _block(keys: list[_Keys], grid: list[_Metric], width: int | None, bold: bool) -> list[str]:
    n = len(keys[0].cells)
    tails = [_tail(grid, i) for i in range(n)]
    told = any(metric.chance != "-" for metric in grid)
    beside = len(grid) <= _CHANCE_BESIDE
    keys = _with_chance(keys) if told and not beside else keys
    while True:
        widths = [
            metric.width([i for i in range(n) if tails[i] > j], told and not beside)
            for j, metric in enumerate(grid)
        ]
        head = "  ".join([key.put(key.head) for key in keys])
        for metric, w in zip(grid, widths, strict=True):
            head += "  " + pad(metric.indent + metric.head, w, not metric.ranged)
        suffix = f"  (chance {' / '.join(metric.chance for metric in grid)})"
        if not (told and beside and width is not None and width_of(head + suffix) > width):
            break
        beside = False
        keys = _with_chance(keys)
    lines = [head + suffix if told and beside else head]
    if told and not beside:
        cells = [_CHANCE, *[""] * (len(keys) - 1)]
        start = "  ".join(key.put(cell) for key, cell in zip(keys, cells, strict=True))
        chances = ("" if metric.chance == "-" else metric.chance for metric in grid)
        lines.append(
            start
            + "".join(
                "  " + pad(metric.indent + c, w, not metric.ranged)
                for metric, c, w in zip(grid, chances, widths, strict=True)
            )
        )
    for i in range(n):
        line = "  ".join(key.put(key.cells[i]) for key in keys)
        for metric, w in zip(grid[: tails[i]], widths, strict=False):
            line += "  " + _cell(metric, i, w, bold)
        if tails[i] < len(grid):
            metric = grid[tails[i]]
            line += "  " + " " * metric.start(widths[tails[i]])
            room = None if width is None else max(width - width_of(line), _LONGEST_REASON)
            line += fit(f"undefined: {metric.reasons[i]}", room)
        lines.append(line)
    return [line.rstrip() for line in lines]


def _tail(grid: list[_Metric], i: int) -> int:
    """Return the column from which on a line is undefined for one and the same reason."""
    j = len(grid)
    while j and grid[j - 1].reasons[i] and grid[j - 1].reasons[i] == grid[-1].reasons[i]:
        j -= 1
    return j


def _cell(metric: _Metric, i: int, width: int, bold: bool) -> str:
    text = metric.cell(i)
    padded = pad(text, width, not metric.ranged)
    return padded.replace(text, f"\x1b[1m{text}\x1b[0m") if bold and metric.best[i] else padded
