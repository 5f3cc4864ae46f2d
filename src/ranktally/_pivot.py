"""Tidy rows turned to a grid: a line a group and model, a column a metric and threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._cells import Coded, RowColumn, take, values_of
from ._rows import Rows
from ._types import Floats, Ints

__all__ = ["Pivot", "group_codes", "key_names", "metric_codes", "metric_name", "n_groups", "pivot"]


@dataclass(frozen=True)
class Pivot:
    """What the wide table shows; matrices have a row a shown line and a column a metric."""

    names: tuple[str, ...]
    keys: dict[str, RowColumn]
    group: Ints
    n_lines: int
    row: Ints
    value: Floats
    low: Floats
    high: Floats
    best: npt.NDArray[np.bool_]
    baseline: tuple[float | str | None, ...]
    n: Floats
    base_rate: Floats
    rates_differ: bool

    @property
    def n_left_out(self) -> int:
        """Lines of the middle that are not shown."""
        return self.n_lines - len(self.row)


def pivot(rows: Rows, directions: Mapping[str, str | None], max_lines: int | None) -> Pivot:
    """Return the grid: groups in order of first appearance, the models of one side by side."""
    group = group_codes(rows)
    # Without models each group has its one line.
    model = _codes(rows.columns["model"]) if "model" in rows.columns else np.zeros_like(group)
    n_models = int(model.max()) + 1
    lines, line = np.unique(group * n_models + model, return_inverse=True)
    metrics, cuts, column = metric_codes(rows)
    row = np.full((len(lines), len(metrics)), -1, dtype=np.int64)
    row[line, column] = np.arange(len(rows))
    value = _matrix(rows, "value", row)
    group_of_line = lines // n_models
    best = np.zeros(row.shape, dtype=bool)
    for j, metric in enumerate(metrics):
        best[:, j] = _best(value[:, j], group_of_line, directions.get(metric))
    one = row.max(axis=1)
    n = np.asarray(rows.columns["n"], dtype=np.float64)[one]
    n_pos = np.asarray(rows.columns["n_pos"], dtype=np.float64)[one]
    n_neg = np.asarray(rows.columns["n_neg"], dtype=np.float64)[one]
    with np.errstate(invalid="ignore", divide="ignore"):
        base_rate = n_pos / (n_pos + n_neg)
    shown = _ends(len(lines), max_lines)
    baseline = _matrix(rows, "baseline", row)
    keys = key_names(rows)
    # The group comes before the model, so that models to be compared stand together.
    order = sorted(keys, key=lambda name: name == "model")
    return Pivot(
        names=tuple(map(metric_name, metrics, cuts)),
        keys={name: take(rows.columns[name], one[shown]) for name in order},
        group=group_of_line[shown],
        n_lines=len(lines),
        row=row[shown],
        value=value[shown],
        low=_matrix(rows, "low", row[shown]),
        high=_matrix(rows, "high", row[shown]),
        best=best[shown],
        baseline=tuple(_common(baseline[:, j], base_rate) for j in range(len(metrics))),
        n=n[shown],
        base_rate=base_rate[shown],
        rates_differ=len(order) > 1 or len(np.unique(n[n > 0])) > 1 or _differ(base_rate),
    )


def metric_name(metric: str, threshold: float | None) -> str:
    """Return the heading of a metric: its name, with the threshold where there is one."""
    if threshold is None or threshold != threshold:
        return metric
    short = f"{threshold:g}"
    # float32(0.7) is shown as 0.7, any other number in full.
    with np.errstate(over="ignore"):
        same = threshold in (float(short), float(np.float32(short)))
    return f"{metric}@{short if same else repr(float(threshold))}"


def n_groups(rows: Rows) -> int:
    """Return how many groups the rows tell of (1 without groups)."""
    return int(group_codes(rows).max()) + 1 if len(rows) else 0


def key_names(rows: Rows) -> list[str]:
    """Return the columns that say whose number a row holds: the model, and the group keys."""
    names = list(rows.columns)
    return names[: names.index("metric")]


def group_codes(rows: Rows) -> Ints:
    """Return the number of each row's group, from 0 in order of first appearance."""
    group = np.zeros(len(rows), dtype=np.int64)
    for name in key_names(rows):
        if name != "model":
            codes = _codes(rows.columns[name])
            group = _renumbered(group * (int(codes.max()) + 1) + codes)
    return group


def metric_codes(rows: Rows) -> tuple[list[str], list[float], Ints]:
    """Return metric and threshold of each column of the grid, and the column of each row."""
    metric = rows.columns["metric"]
    threshold = np.asarray(rows.columns["threshold"], dtype=np.float64)
    cuts = _codes(threshold)
    column = _renumbered(_codes(metric) * (int(cuts.max()) + 1) + cuts)
    first = np.unique(column, return_index=True)[1]
    return values_of(take(metric, first)), threshold[first].tolist(), column


def _codes(column: RowColumn) -> Ints:
    """Return equal numbers for equal values, from 0 in order of first appearance."""
    if isinstance(column, Coded):
        return _renumbered(column.codes)
    if isinstance(column, np.ndarray):
        return _renumbered(column)
    encoded: Any = column.dictionary_encode(null_encoding="encode")
    return _renumbered(encoded.indices.to_numpy(zero_copy_only=False))


def _renumbered(values: npt.NDArray[Any]) -> Ints:
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    rank: Ints = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.take(rank, inverse)


def _matrix(rows: Rows, name: str, row: Ints) -> Floats:
    column = rows.columns.get(name)
    if column is None:
        return np.full(row.shape, np.nan)
    return np.where(row >= 0, np.asarray(column, dtype=np.float64)[row], np.nan)


def _best(value: Floats, group: Ints, direction: str | None) -> npt.NDArray[np.bool_]:
    """Mark the best of each group of two or more defined values that are not all equal."""
    if direction is None:
        return np.zeros(len(value), dtype=bool)
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    sizes = np.diff(np.r_[starts, len(value)])
    low, high = np.fmin.reduceat(value, starts), np.fmax.reduceat(value, starts)
    wanted = np.where(low < high, high if direction == "up" else low, np.nan)
    return np.asarray(value == np.repeat(wanted, sizes))


def _differ(base_rate: Floats) -> bool:
    return len(np.unique(base_rate[~np.isnan(base_rate)])) > 1


def _common(baseline: Floats, base_rate: Floats) -> float | str | None:
    """Return the one baseline of a column, or words for one that changes with the line."""
    defined = ~np.isnan(baseline)
    known = baseline[defined]
    if not len(known):
        return None
    if (known == known[0]).all():
        return float(known[0])
    return "base rate" if np.allclose(known, base_rate[defined], rtol=1e-9) else "varies"


def _ends(n: int, most: int | None) -> npt.NDArray[np.intp]:
    lines = np.arange(n)
    if most is None or n <= most:
        return lines
    return np.delete(lines, slice(most - most // 2, n - most // 2))
