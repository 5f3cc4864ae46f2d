"""One set of rows -> the interval of every model, metric and threshold, by the way asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ._bootstrap import resample
from ._cells import values_of
from ._contributions import is_smooth
from ._delong import delong_panel
from ._jackknife import jackknife_panel
from ._measure import Block, Bounds, Plan
from ._panel import Panel
from ._proportions import PROPORTION_METHODS, is_share, proportion_interval
from ._requests import Request
from ._rows import Rows
from ._types import AnyArray, Floats

__all__ = [
    "INTERVALS",
    "Cells",
    "Report",
    "Uncertainty",
    "cells_of",
    "has_interval",
    "proportion_bounds",
]

Report: TypeAlias = Callable[[int, int], object] | None

INTERVALS = {
    "bootstrap": ("percentile", "basic", "normal", "bca"),
    "delong": ("plain", "logit"),
    "wilson": PROPORTION_METHODS,
}
"""Methods of each kind, the default first."""

_NAMES = {"wilson": "Wilson", "jeffreys": "Jeffreys", "clopper_pearson": "Clopper-Pearson"}
_NO_FORM = 'no closed form: take ci="bootstrap"'
_NO_SHARE = 'no share of rows: take ci="delong" or "bootstrap"'
_AREAS = {"roc_auc": 1.0, "gini": 2.0}


@dataclass(frozen=True)
class Uncertainty:
    """Intervals as a call asks for them, its defaults filled in."""

    ci: str
    method: str
    level: float
    scheme: str
    n_resamples: int
    seed: int

    @property
    def steps(self) -> int:
        """How much work a set of rows is, in units of which a model is one."""
        return self.n_resamples if self.ci == "bootstrap" else 1

    def told(self) -> dict[str, Any]:
        """What a summary says."""
        said: dict[str, Any] = {"ci": self.ci, "ci_method": self.method, "level": self.level}
        if self.ci == "bootstrap":
            said |= {"scheme": self.scheme, "n_resamples": self.n_resamples, "seed": self.seed}
        return said


@dataclass(frozen=True)
class Cells:
    """Intervals: matrices with a row a model and a column a slot; `plan` is that of the draws."""

    low: Floats
    high: Floats
    interval: AnyArray
    note: AnyArray
    plan: str = ""


def cells_of(
    panel: Panel, plan: Plan, wanted: Uncertainty, threads: int, progress: Report
) -> Cells:
    """Intervals of all models of a panel that has rows."""
    cells = _empty(len(panel.names), plan.n_slots)
    if wanted.ci == "delong":
        _put_closed_forms(cells, panel, plan, wanted, threads)
        return cells
    found = resample(
        panel,
        plan.requests,
        plan.thresholds,
        scheme=wanted.scheme,
        method=wanted.method,
        n_resamples=wanted.n_resamples,
        level=wanted.level,
        seed=wanted.seed,
        plan="auto",
        loops=plan.loops,
        threads=threads,
        progress=progress,
    )
    _put(cells, slice(None), found.rows())
    return Cells(cells.low, cells.high, cells.interval, cells.note, found.plan)


def _empty(rows: int, columns: int) -> Cells:
    shape = (rows, columns)
    nothing, text = np.full(shape, np.nan), np.full(shape, "", object)
    return Cells(nothing, nothing.copy(), text, text.copy())


def _put(cells: Cells, places: Any, rows: Rows, scale: float = 1.0) -> None:
    """Store tidy rows, a line a model and slot; why a defined value has no ends is noted.

    With `scale` 2 the rows are of areas, and ends those of Gini coefficients, 2 * area - 1.
    """
    shape = cells.low[:, places].shape

    def matrix(name: str) -> AnyArray:
        column = rows.columns[name]
        return np.reshape(np.asarray(column), shape)

    def texts(name: str) -> list[str]:
        return [text or "" for text in values_of(rows.columns[name])]

    low, value = matrix("low"), matrix("value")
    cells.low[:, places] = scale * low - (scale - 1.0)
    cells.high[:, places] = scale * matrix("high") - (scale - 1.0)
    parts = zip(
        *(texts(name) for name in ("interval", "status", "note")),
        np.isnan(low).ravel().tolist(),
        np.isnan(value).ravel().tolist(),
        strict=True,
    )
    interval, notes = [], []
    for name, status, note, no_ends, undefined in parts:
        interval.append("" if no_ends else name)
        why = "" if status == "ok" else f"no interval: {status}" if no_ends else status
        # Of an undefined value its own status tells.
        notes.append("" if undefined else ", ".join(x for x in (why, note) if x))
    for store, found in ((cells.interval, interval), (cells.note, notes)):
        store[:, places] = np.reshape(np.asarray(found, object), shape)


def _put_closed_forms(
    cells: Cells, panel: Panel, plan: Plan, wanted: Uncertainty, threads: int
) -> None:
    """DeLong's for areas under the ROC curve; the jackknife for what else is smooth."""
    places: dict[str, list[int]] = {}
    column = 0
    for request in plan.requests:
        width = len(plan.slots(request))
        places[request.label] = list(range(column, column + width))
        column += width
    areas = [r for r in plan.requests if panel.cluster is None and _is_area(r)]
    smooth = [r for r in plan.requests if r not in areas and is_smooth(r)]
    for request in plan.requests:
        if request not in areas and request not in smooth:
            cells.note[:, places[request.label]] = _NO_FORM
    if areas:
        delong = delong_panel(panel, level=wanted.level, loops=plan.loops, threads=threads)
        for request in areas:
            scale = _AREAS[request.metric.name]
            _put(cells, places[request.label], delong.rows(wanted.method), scale)
    if smooth:
        found = jackknife_panel(
            panel, smooth, plan.thresholds, level=wanted.level, loops=plan.loops, threads=threads
        )
        _put(cells, [k for r in smooth for k in places[r.label]], found.rows(wanted.method))


def has_interval(ci: str, request: Request) -> bool:
    """Whether intervals of this kind are made of a metric at all."""
    if ci == "delong":
        return _is_area(request) or is_smooth(request)
    return ci == "bootstrap" or is_share(request)


def _is_area(request: Request) -> bool:
    return not request.is_callers and request.metric.name in _AREAS


def proportion_bounds(plan: Plan, wanted: Uncertainty, block: Block) -> Bounds:
    """Intervals of the rates of a block that are shares of rows."""
    cells = _empty(*block.value.shape)
    counts = (
        block.tp,
        block.fp,
        block.n_neg[:, None] - block.fp,
        block.n_pos[:, None] - block.tp,
    )
    column = 0
    for request in plan.requests:
        places = slice(column, column + len(plan.slots(request)))
        column = places.stop
        found = None
        if request.metric.needs == "counts":
            found = proportion_interval(
                request,
                counts,
                wanted.method,  # type: ignore[arg-type]
                wanted.level,
                weighted=plan.weights is not None,
            )
        if found is None:
            cells.note[:, places] = _NO_SHARE
            continue
        low, high, note = found
        cells.low[:, places], cells.high[:, places] = low, high
        cells.interval[:, places] = np.where(np.isnan(low), "", _NAMES[wanted.method])
        cells.note[:, places] = note
    return Bounds(cells.low, cells.high, cells.interval, cells.note)
