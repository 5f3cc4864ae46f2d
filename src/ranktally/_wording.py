"""What tables say in words: the headline, reasons, notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._cells import Coded, take, text_of, values_of
from ._pivot import group_codes, key_names, metric_codes, metric_name, n_groups
from ._rows import Rows
from ._types import AnyArray, Ints

__all__ = [
    "common_note",
    "counted",
    "headline",
    "interval_lines",
    "key_text",
    "missing_note",
    "note_lines",
    "notices",
    "printable",
    "reason_of",
    "told",
]

_WORDS = {
    "empty": "no rows",
    "scores_outside_0_1": "scores outside 0 to 1",
    "zero_margin": "a margin of the confusion table is zero",
    "no_positives_or_predictions": "no positives and no positive predictions",
    "too_few_clusters": "fewer than 10 clusters",
    "one_positive": "a single positive",
    "one_negative": "a single negative",
    "one_row": "a single row",
    "one_cluster": "a single cluster",
    "infinite": "an infinite value",
    "no_derivative": "no derivative at the value",
    "no_acceleration": "no acceleration for BCa",
    "no_defined_replicates": "undefined in all replicates",
    "zero_variance": "zero variance, since no row moves the value",
}
_FEW = {"few_positives": "positives", "few_negatives": "negatives", "few_clusters": "clusters"}
_NOTES = {
    "clipped": "an end moved into the range",
    "degenerate: zero width": "zero width",
    "zero_variance": _WORDS["zero_variance"],
}
_LOST = re.compile(r"(\d+) of (\d+) replicates undefined")
_NOTE_LINES = 6
_NAMED = 3


def headline(summary: Mapping[str, Any]) -> str:
    """Return the line above the table: how much was read, and the base rate."""
    parts = [counted(summary["n_files"], "file")] if summary.get("n_files") else []
    parts.append(_rows_used(summary))
    n_pos, prevalence = summary["n_pos"], summary["prevalence"]
    if prevalence is not None and prevalence == prevalence:
        weighted = isinstance(n_pos, float)
        amount = f"weight {n_pos:,.6g}" if weighted else counted(n_pos, "row")
        of = f"{printable(summary['label'])} = {printable(summary['pos_label'])}"
        parts.append(f"{of} in {_percent(prevalence)} % ({amount})")
    parts.append(counted(summary["n_models"], "model"))
    seconds = summary["seconds"]
    parts.append(f"{seconds:.0f} s" if seconds >= 10 else f"{max(seconds, 0.001):.2g} s")
    return ", ".join(parts)


def _rows_used(summary: Mapping[str, Any]) -> str:
    """Say how many rows there are, and how many of them the values are of."""
    n = summary["n_rows"]
    used = summary.get("n_common_rows", n)
    if used == n:
        return counted(n, "row")
    whose = "all models have" if summary["n_models"] > 1 else "the model has"
    return f"{used:,} of {counted(n, 'row')} (those that {whose})"


def notices(rows: Rows) -> list[str]:
    """Return in words what is undefined or noted, counted over the groups."""
    groups = n_groups(rows)
    said = []
    for name in ("status", "note"):
        found: dict[tuple[str, str, str], int] = {}
        at = _told(rows, name)
        parts = [
            values_of(take(rows.columns[key], at)) for key in ("model", "metric", "threshold", name)
        ]
        for model, metric, cut, text in zip(*parts, strict=True):
            place = (model, metric_name(metric, cut), text)
            found[place] = found.get(place, 0) + 1
        for (model, metric, text), count in found.items():
            share = f" in {count:,} of {groups:,} groups" if groups > 1 else ""
            words = f"undefined{share}: {reason_of(text)}"
            if name == "note":
                words = told(text) + share
            said.append(f"{model}: {metric}: {words}")
    return said


def reason_of(status: str | None) -> str:
    """Return in words why a value is undefined."""
    if not status or status == "ok":
        return "not a number"
    if status.startswith("error: "):
        return status.removeprefix("error: ")
    return _WORDS.get(status, status.replace("_", " "))


def told(note: str) -> str:
    """Return a note in words: what there is little of is said together."""
    parts = note.split(", ")
    few = [_FEW[part] for part in parts if part in _FEW]
    said = [f"fewer than 50 {' and '.join(few)}"] if few else []
    for part in parts:
        if part.startswith("no interval: "):
            said.append(f"no interval: {reason_of(part.removeprefix('no interval: '))}")
        elif part not in _FEW:
            said.append(_NOTES.get(part, part))
    return ", ".join(said)


def _told(rows: Rows, name: str) -> Ints:
    """Return the rows whose status or note says something."""
    column = rows.columns.get(name)
    if not isinstance(column, Coded):
        return np.empty(0, dtype=np.int64)
    quiet = [code for code, text in enumerate(column.categories) if text in ("", "ok")]
    return np.flatnonzero((column.codes >= 0) & ~np.isin(column.codes, quiet))


def interval_lines(rows: Rows, summary: Mapping[str, Any] | None = None) -> list[str]:
    """Say what the intervals of a table are, of which metrics where there are several kinds.

    Parameters
    ----------
    summary : mapping, optional
        Of an evaluation: how a bootstrap was drawn.

    Returns
    -------
    list of str
        In which a no-break space holds together what is not to be parted.
    """
    told = _told(rows, "interval")
    if not len(told):
        return []
    names = ("level", "interval", "metric")
    parts = (values_of(take(rows.columns[name], told)) for name in names)
    kinds: dict[tuple[float | None, str], dict[str, None]] = {}
    for level, kind, metric in zip(*parts, strict=True):
        kinds.setdefault((level, kind), {})[metric] = None
    drawn = (summary or {}).get("ci") == "bootstrap"
    lines = []
    for (level, kind), metrics in kinds.items():
        share = "" if level is None else f"{_percent(level)} % "
        words = _drawn(summary or {}) if drawn else kind
        of = f" of {', '.join(map(printable, metrics))}" if len(kinds) > 1 else ""
        lines.append(f"intervals: {share}{words}{of}")
    return lines


def _drawn(summary: Mapping[str, Any]) -> str:
    """Say how the replicates of a bootstrap were drawn."""
    scheme, plan = summary["scheme"], summary.get("plan", "rows")
    drawn = f"{scheme} over {plan}"
    if "n_clusters" in summary:
        drawn = counted(summary["n_clusters"], "whole cluster")
    if "group_clusters" in summary:
        least, most = summary["group_clusters"]
        drawn += f", {least:,} to {most:,} a group" if least < most else f", {least:,} a group"
    parts = [
        f"bootstrap {summary['ci_method']}",
        drawn,
        counted(summary["n_resamples"], "resample"),
        f"seed\N{NO-BREAK SPACE}{summary['seed']}",
    ]
    return ", ".join([*parts, "paired"] if summary["n_models"] > 1 else parts)


def missing_note(n_null: int, n_nan: int, missing: str) -> str:
    """Say what was done with missing values, or nothing."""
    found = _gaps(n_null, n_nan)
    return f"{found} {'omitted' if missing == 'omit' else 'ranked last'}" if found else ""


def common_note(n_null: int, n_nan: int, n_omitted: int) -> str:
    """Say what was left out of a model measured on the rows that all have, or nothing."""
    if not n_omitted:
        return ""
    rows = "row" if n_omitted == 1 else "rows"
    return (
        f"{_gaps(n_null, n_nan) or 'nothing'} missing; {n_omitted:,} {rows} omitted that one model "
        f"or another lacks"
    )


def _gaps(n_null: int, n_nan: int) -> str:
    kinds = ((n_null, "null"), (n_nan, "nan"))
    return " and ".join(f"{count:,} {kind}" for count, kind in kinds if count)


def note_lines(rows: Rows) -> list[str]:
    """Say in words what is noted of the values of a table: each thing once, and of which."""
    at = _told(rows, "note")
    column = rows.columns.get("note")
    if not isinstance(column, Coded) or not len(at):
        return []
    # Parts of notes, and the notes (by code) that have them.
    noted: dict[str, list[int]] = {}
    lost: dict[str, int] = {}
    for code in dict.fromkeys(column.codes[at].tolist()):
        for part in column.categories[code].split(", "):
            name = part
            if found := _LOST.fullmatch(part):
                name = f"{int(found[2]):,} replicates undefined"
                lost[name] = max(lost.get(name, 0), int(found[1]))
            noted.setdefault(name, []).append(code)
    together: dict[tuple[int, ...], list[str]] = {}
    for name, codes in noted.items():
        if name in lost:
            name = f"{'up to ' if len(codes) > 1 else ''}{lost[name]:,} of {name}"
        together.setdefault(tuple(codes), []).append(name)
    where = _Places(rows)
    lines = []
    for held, names in list(together.items())[:_NOTE_LINES]:
        place = where.of(np.flatnonzero(np.isin(column.codes, held)))
        lines.append(f"note: {printable(told(', '.join(names)))}{place and f' ({place})'}")
    if len(together) > _NOTE_LINES:
        lines.append(f"note: ... and {len(together) - _NOTE_LINES:,} more, in the column `note`")
    return lines


class _Places:
    """Says which values of a table some rows are."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        model = rows.columns.get("model")
        names, cuts, metric = metric_codes(rows)
        self._metrics = [*map(metric_name, map(printable, names), cuts)]
        # Without models each group has its one line.
        codes = model.codes if isinstance(model, Coded) else np.zeros(len(rows), np.int32)
        self._axes: tuple[AnyArray, ...] = (metric, codes, group_codes(rows))

    def of(self, at: Ints) -> str:
        """Name the metrics, models and groups where they are few; else count the values."""
        n = len(self._rows)
        if at.size == n:
            return "all values" if n > 1 else ""
        whole = np.ones(n, bool)
        for codes in self._axes:
            whole &= np.isin(codes, codes[at])
        if np.count_nonzero(whole) == at.size:
            return self._named(at)
        if at.size <= _NAMED:
            return "; ".join(self._named(at[k : k + 1]) for k in range(at.size))
        return f"{at.size:,} of {n:,} values"

    def _named(self, at: Ints) -> str:
        """Name what rows are of, as far as not all rows are."""
        said: list[str] = []
        parts = zip(self._axes, ("metric", "model", "group"), ("", "of ", "in "), strict=True)
        for codes, noun, word in parts:
            used, first = np.unique(codes[at], return_index=True)
            if used.size == np.unique(codes).size:
                continue
            some = at[np.sort(first)].tolist()
            names = ", ".join(self._name(noun, row) for row in some[:_NAMED])
            if len(some) > _NAMED:
                names += f" and {counted(len(some) - _NAMED, f'more {noun}')}"
            said.append((word if said else "") + names)
        return " ".join(said)

    def _name(self, noun: str, row: int) -> str:
        if noun == "metric":
            return self._metrics[int(self._axes[0][row])]
        columns, place = self._rows.columns, np.asarray([row])
        keys = {name: values_of(take(columns[name], place))[0] for name in key_names(self._rows)}
        return key_text(keys["model"]) if noun == "model" else _group_text(keys)


def _group_text(keys: Mapping[str, Any]) -> str:
    """Return the keys of a group; a column that its grouping does not use is not one of them."""
    if keys.get("grouping") == "total":
        return "total"
    used = keys["grouping"].split(", ") if "grouping" in keys else list(keys)
    return " ".join(
        f"{printable(name)}={key_text(value)}"
        for name, value in keys.items()
        if name in used and name not in ("model", "grouping")
    )


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless there is one."""
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
