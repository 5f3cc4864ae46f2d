"""What tables say in words: the headline, reasons, notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._cells import Coded, take, text_of, values_of
from ._pivot import metric_name, n_groups
from ._rows import Rows
from ._types import Ints

__all__ = [
    "headline",
    "interval_lines",
    "key_text",
    "missing_note",
    "note_lines",
    "notices",
    "printable",
    "reason_of",
]

_WORDS = {
    "empty": "no rows",
    "scores_outside_0_1": "scores outside 0 to 1",
    "zero_margin": "a margin of the confusion table is zero",
    "no_positives_or_predictions": "no positives and no positive predictions",
}


def headline(summary: Mapping[str, Any]) -> str:
    """Return the line above the table: how much was read, and the base rate."""
    parts = [_counted(summary["n_files"], "file")] if summary.get("n_files") else []
    parts.append(_counted(summary["n_rows"], "row"))
    n_pos, prevalence = summary["n_pos"], summary["prevalence"]
    if prevalence is not None and prevalence == prevalence:
        weighted = isinstance(n_pos, float)
        amount = f"weight {n_pos:,.6g}" if weighted else _counted(n_pos, "row")
        of = f"{printable(summary['label'])} = {printable(summary['pos_label'])}"
        parts.append(f"{of} in {_percent(prevalence)} % ({amount})")
    parts.append(_counted(summary["n_models"], "model"))
    seconds = summary["seconds"]
    parts.append(f"{seconds:.0f} s" if seconds >= 10 else f"{max(seconds, 0.001):.2g} s")
    return ", ".join(parts)


def notices(rows: Rows) -> list[str]:
    """Return in words what is undefined or noted, counted over the groups."""
    groups = n_groups(rows)
    said = []
    for name in ("status", "note"):
        found: dict[tuple[str, str, str], int] = {}
        told = _told(rows, name)
        parts = [
            values_of(take(rows.columns[key], told))
            for key in ("model", "metric", "threshold", name)
        ]
        for model, metric, cut, text in zip(*parts, strict=True):
            place = (model, metric_name(metric, cut), text)
            found[place] = found.get(place, 0) + 1
        for (model, metric, text), count in found.items():
            share = f" in {count:,} of {groups:,} groups" if groups > 1 else ""
            words = f"undefined{share}: {reason_of(text)}" if name == "status" else text + share
            said.append(f"{model}: {metric}: {words}")
    return said


def reason_of(status: str | None) -> str:
    """Return in words why a value is undefined."""
    if not status or status == "ok":
        return "not a number"
    if status.startswith("error: "):
        return status.removeprefix("error: ")
    return _WORDS.get(status, status.replace("_", " "))


def _told(rows: Rows, name: str) -> Ints:
    """Return the rows whose status or note says something."""
    column = rows.columns.get(name)
    if not isinstance(column, Coded):
        return np.empty(0, dtype=np.int64)
    quiet = [code for code, text in enumerate(column.categories) if text in ("", "ok")]
    return np.flatnonzero((column.codes >= 0) & ~np.isin(column.codes, quiet))


def interval_lines(rows: Rows) -> list[str]:
    """Say what the intervals of a table are."""
    told = _told(rows, "interval")
    if not len(told):
        return []
    kinds = zip(
        values_of(take(rows.columns["level"], told)),
        values_of(take(rows.columns["interval"], told)),
        strict=True,
    )
    return [
        f"intervals: {kind}" if level is None else f"intervals: {_percent(level)} % {kind}"
        for level, kind in dict.fromkeys(kinds)
    ]


def missing_note(n_null: int, n_nan: int, missing: str) -> str:
    """Say what was done with missing values, or nothing."""
    kinds = ((n_null, "null"), (n_nan, "nan"))
    found = [f"{count:,} {kind}" for count, kind in kinds if count]
    if not found:
        return ""
    return f"{' and '.join(found)} {'omitted' if missing == 'omit' else 'ranked last'}"


def note_lines(rows: Rows) -> list[str]:
    """Count the notes of a table."""
    counts: dict[str, int] = {}
    if len(told := _told(rows, "note")):
        for text in values_of(take(rows.columns["note"], told)):
            counts[text] = counts.get(text, 0) + 1
    return [
        f"note: {printable(text)} ({count:,} of {len(rows):,} values)"
        for text, count in counts.items()
    ]


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _percent(share: float) -> str:
    """Return a share in percent, with three digits of the rarer side."""
    percent = 100 * share
    rarer = min(percent, 100 - percent)
    decimals = 1 if rarer <= 0 else min(8, max(1, 2 - int(np.floor(np.log10(rarer)))))
    text = f"{percent:.{decimals}f}"
    return text.rstrip("0").rstrip(".")


def printable(value: object) -> str:
    """Return text that stays on its line and cannot steer a terminal."""
    text = text_of(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def key_text(value: object) -> str:
    """Return a group key so that null and the empty text can be told apart."""
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:.6g}"
    return printable(value) or '""'
