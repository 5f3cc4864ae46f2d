"""`ranktally threshold`: the best or cheapest threshold, and what it gives elsewhere."""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import numpy as np

import ranktally

from .._rates import MEASURES
from .._rows import Rows
from .._runtime import thread_count
from .._wording import printable, reason_of
from ..errors import InputError
from ._delivery import check_output, coded, deliver, prose
from ._options import UsageError
from ._source import open_files, read_tallies
from ._spelling import as_options
from ._telling import tell

if TYPE_CHECKING:
    from .._tally import Tally

__all__ = ["run"]

_GATE_FAILED = 4
_SAME = "same rows"
_CHOSEN = "validation"
_HELD = "test"
_WARNING = "chosen on the rows"
_TEXT = ("model", "data", "metric", "where", "ties", "status", "note")
_COUNTS = ("tp", "fp", "fn", "tn", "n_predicted", "n")


def run(options: Namespace) -> int:
    """Choose, measure, write; return the exit code."""
    check_output(options)
    threads = thread_count(options.threads)
    _check_goal(options)
    with open_files(options) as table:
        tallies = read_tallies(options, table, threads)
    held: dict[str, Tally] = {}
    if options.test:
        if options.files == ["-"] == options.test:
            raise UsageError("`-` (stdin) can be read once: name a file for --test")
        with open_files(options, options.test) as table:
            # The models that were chosen for, not what a glob finds in the other files.
            held = read_tallies(options, table, threads, list(tallies))
    found = [row for name in tallies for row in _choose(name, tallies[name], held, options)]
    rows = _rows(found)
    warnings = [f"{row['model']}, {row['data']}: {row['note']}" for row in found if row["note"]]
    deliver(rows, options, lambda: _table(found, options), lambda: {"warnings": warnings})
    lost = [row for row in found if row["status"] == "unreachable" and row["data"] != _HELD]
    if not options.fail_if_unreachable or not lost:
        return 0
    sys.stdout.flush()
    for row in lost:
        tell(f"failed: {row['model']}: {row['note']}")
    return _GATE_FAILED


def _check_goal(options: Namespace) -> None:
    """Find what is wrong with the goal before any file is read."""
    try:
        if options.cost_fp is not None:
            _nothing().best_cost(options.cost_fp, options.cost_fn)
        else:
            _nothing().best(**_goal(options))
    except InputError as error:
        told = as_options(str(error)).replace("`metric`", f"`--{_way(options)}`")
        raise UsageError(told) from None


def _nothing() -> Tally:
    return ranktally.Tally.from_counts([0], [1], [1])


def _way(options: Namespace) -> str:
    return "maximize" if options.maximize is not None else "minimize"


def _goal(options: Namespace) -> dict[str, Any]:
    way = _way(options)
    return {
        "metric": getattr(options, way),
        "where": options.where,
        "ties": options.ties,
        "direction": "up" if way == "maximize" else "down",
    }


def _choose(
    name: str, tally: Tally, held: dict[str, Tally], options: Namespace
) -> list[dict[str, Any]]:
    """Rows of one model: where the threshold was chosen and, if there is one, the test."""
    if not held:
        return [_row(name, _SAME, _best(tally, options))]
    if options.cost_fp is None:
        goal = _goal(options)
        both = ranktally.select_threshold(tally, held[name], **goal)
        rows = [_row(name, _CHOSEN, both.validation), _row(name, _HELD, both.test)]
        note = both.note
    else:
        point = _best(tally, options)
        rows = [_row(name, _CHOSEN, point), _cost_row(name, point, held[name], options)]
        both = ranktally.select_threshold(tally, held[name], metric="f1")
        note = both.note if both.selected_on_same_data else ""
    # With a test at hand nobody takes the numbers of the choice for the result.
    parts = rows[0]["note"].split("; ")
    rows[0]["note"] = "; ".join(part for part in parts if not part.startswith(_WARNING))
    rows[1]["note"] = note
    return rows


def _best(tally: Tally, options: Namespace) -> Any:
    if options.cost_fp is None:
        return tally.best(**_goal(options))
    return tally.best_cost(options.cost_fp, options.cost_fn, ties=options.ties)


def _cost_row(name: str, point: Any, test: Tally, options: Namespace) -> dict[str, Any]:
    """The threshold of least cost on other rows; flagging nothing stays that."""
    cut = test.at(point.threshold)
    if point.n_predicted == 0:
        counts = {"tp": 0, "fp": 0, "tn": test.n_neg, "fn": test.n_pos}
        cut = ranktally.Confusion.from_counts(**counts, threshold=point.threshold)
    row = _row(name, _HELD, cut)
    cost = cut.cost(options.cost_fp, options.cost_fn)
    asked = {key: getattr(point, key) for key in ("metric", "where", "ties")}
    return {**row, **asked, "value": cost, "status": "ok"}


def _row(name: str, data: str, point: Any) -> dict[str, Any]:
    own = ("metric", "where", "ties", "status", "note", "value")
    row = {"model": name, "data": data, **{key: getattr(point, key, None) for key in own}}
    row["note"] = as_options(row["note"] or "")
    row["threshold"] = point.threshold
    row.update({key: getattr(point, key) for key in _COUNTS})
    # nan counts of an unreachable threshold make every measure nan.
    row.update({key: getattr(point, key) for key in MEASURES})
    return row


def _rows(found: list[dict[str, Any]]) -> Rows:
    order = [
        *("model", "data", "metric", "where", "ties", "threshold", "value"),
        *_COUNTS,
        *MEASURES,
        *("status", "note"),
    ]
    columns: dict[str, Any] = {}
    for key in order:
        values = [row[key] for row in found]
        if key in _TEXT:
            columns[key] = coded([value or None for value in values])
        elif all(isinstance(value, int) for value in values):
            columns[key] = np.asarray(values, np.int64)
        else:
            columns[key] = np.asarray(values, np.float64)
    return Rows(columns)


def _table(found: list[dict[str, Any]], options: Namespace) -> str:
    """A block a model: a line a field, a column a data set."""
    blocks = []
    for name in dict.fromkeys(row["model"] for row in found):
        rows = [row for row in found if row["model"] == name]
        first = rows[0]
        goal = first["metric"] + (f", where {first['where']}" if first["where"] else "")
        lines = [f"{printable(name)}: {goal}"]
        for row in rows:
            if row["status"] != "ok":
                lines.append(f"{row['data']}: {reason_of(row['status'])}: {row['note']}")
            elif row["note"]:
                lines.append(f"{row['data']}: {row['note']}")
        lines = [prose(line, options) for line in lines]
        shown = [row for row in rows if row["status"] != "unreachable"]
        fields = ("threshold", "value", *_COUNTS, *MEASURES) if shown else ()
        grid = [["", *(row["data"] for row in shown)]] if shown else []
        grid += [[key, *(_text(row[key]) for row in shown)] for key in fields]
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        lines += [
            "  ".join(
                [line[0].ljust(widths[0])]
                + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
            )
            for line in grid
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _text(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return "undefined" if math.isnan(value) else f"{value:.6g}"
