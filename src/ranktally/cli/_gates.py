"""`--fail-if`: what it adds to the metrics and thresholds asked for, and which rows it finds."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._cells import equal, take
from .._pivot import metric_name
from .._requests import Request, parse_metric, read_metrics
from .._rows import Rows
from .._wording import key_text, reason_of, told
from ..errors import InputError
from ._options import UsageError
from ._spelling import as_options
from ._verbs import Gate

__all__ = ["Plan", "check_ends", "judge", "plan"]

_TOLD_ROWS = 10
_COMPARE: dict[str, Any] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Plan:
    """What to compute, and the gates under the names that the rows will bear."""

    metrics: list[str]
    at: list[float]
    gates: list[Gate]


def plan(metrics: list[str] | None, at: Sequence[float], gates: Sequence[Gate]) -> Plan:
    """Add to the metrics and thresholds what the gates judge; raise UsageError for wrong ones."""
    try:
        wanted = [*map(parse_metric, metrics)] if metrics else []
        judged = [parse_metric(gate.metric, argument="--fail-if") for gate in gates]
        # The default depends on --at alone: a gate adds its own metric and no other.
        wanted = wanted or read_metrics(None, has_thresholds=bool(at))
    except InputError as error:
        raise UsageError(as_options(str(error))) from None
    named = []
    for gate, request in zip(gates, judged, strict=True):
        known = next((other for other in wanted if _same(other, request)), None)
        if known is None:
            wanted.append(request)
        if gate.threshold is not None and request.metric.needs != "counts":
            raise UsageError(
                f"`--fail-if` {gate.text!r}: {gate.metric} is not taken at a threshold"
            )
        named.append(replace(gate, metric=(known or request).label))
    cuts = list(dict.fromkeys([*at, *(g.threshold for g in gates if g.threshold is not None)]))
    needy = next((request.label for request in wanted if request.metric.needs == "counts"), None)
    if needy and not cuts:
        raise UsageError(f"{needy} is taken at a threshold: add one, such as --at 0.5")
    return Plan(list(dict.fromkeys(request.label for request in wanted)), cuts, named)


def check_ends(planned: Plan, ci: str) -> None:
    """Raise UsageError for a gate on the end of an interval that this kind can never give."""
    from .._interval_cells import has_interval

    for gate in planned.gates:
        if gate.part != "value" and not has_interval(ci, parse_metric(gate.metric)):
            others = "bootstrap" if ci == "delong" else "delong or bootstrap"
            raise UsageError(
                f"`--fail-if` {gate.text!r} can never be defined, since --ci {ci} gives "
                f"{gate.metric} no interval: use --ci {others}"
            )


def _same(one: Request, other: Request) -> bool:
    return one.metric is other.metric and one.arguments == other.arguments


def judge(rows: Rows, gate: Gate) -> list[str]:
    """Return a line for each row that the gate finds, undefined ones included; the first ten."""
    asked = equal(rows.columns["metric"], gate.metric)
    if gate.threshold is not None:
        asked &= equal(rows.columns["threshold"], gate.threshold)
    value = np.asarray(rows.columns[gate.part], dtype=np.float64)
    failed = np.flatnonzero(asked & (np.isnan(value) | _COMPARE[gate.op](value, gate.bound)))
    if not asked.any():
        return [f"failed: {gate.text}: the result has no such row"]
    shown = Rows({name: take(column, failed[:_TOLD_ROWS]) for name, column in rows.columns.items()})
    lines = [f"failed: {gate.text}: {_row(row, gate.part)}" for row in shown.to_dict()]
    if len(failed) > _TOLD_ROWS:
        lines.append(f"failed: {gate.text}: {len(failed) - _TOLD_ROWS:,} more rows")
    return lines


def _row(row: dict[str, Any], part: str) -> str:
    names = list(row)
    # A column that a grouping does not use has no key there, which is not a null key.
    used = row["grouping"].split(", ") if "grouping" in row else names
    keys = [
        key_text(row[name]) if name == "model" else f"{name}={key_text(row[name])}"
        for name in names[: names.index("metric")]
        if name in ("model", "grouping") or name in used
    ]
    found = "undefined"
    if row[part] is not None:
        found = f"{row[part]:.6g}"
    elif row["value"] is None:
        found += f" ({as_options(reason_of(row['status']))})"
    elif row["note"]:
        found += f" ({as_options(told(row['note']))})"
    name = row["metric"] + (f".{part}" if part != "value" else "")
    return f"{', '.join(keys)}: {metric_name(name, row['threshold'])} is {found}"
