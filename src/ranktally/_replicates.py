"""The replicates of a bootstrap: each one scan of every model's ordered rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np

from ._counts import Areas, Counts, areas_from_integers, areas_of_counts
from ._draws import Deletions, Draws
from ._order import check_range
from ._runtime import check, run
from ._score_cells import ScoreCells
from ._types import AnyArray, Floats, Ints
from .errors import InputError

__all__ = [
    "Reading",
    "Replicates",
    "Scan",
    "choose_plan",
    "make_scan",
    "read_all",
    "run_replicates",
    "task_edges",
]

# A cell costs as much as so many rows.
ROWS_PER_CELL = 25
# Rows (of all models) after which a task is long enough, and after which it is too long.
TASK_ROWS = 20_000_000
TASKS_PER_THREAD = 8
NOTHING = np.empty(0)
BOTH = {"roc_auc", "average_precision", "gini"}


@dataclass(frozen=True)
class Reading:
    """Numbers that need the whole tally of a replicate: `width` of them, by `function`."""

    function: Callable[[Counts], Any]
    width: int = 1


@dataclass(frozen=True)
class Replicates:
    """What the replicates of a call give, before metrics.

    Attributes
    ----------
    roc_auc, average_precision, ks : ndarray of float64, shape (replicates, models)
    n_pos, n_neg : ndarray, shape (replicates, models)
        int64, or float64 weight sums.
    tp, fp : ndarray, shape (replicates, models, cuts)
    read : ndarray of float64, shape (replicates, models, numbers)
        Of all readings, one after the other.
    """

    roc_auc: Floats
    average_precision: Floats
    ks: Floats
    n_pos: AnyArray
    n_neg: AnyArray
    tp: AnyArray
    fp: AnyArray
    read: Floats


@dataclass(frozen=True)
class Scan:
    """One model as replicates see it: with the units of its rows, in order."""

    cells: ScoreCells
    place: AnyArray
    loops: ModuleType

    def tally(self, counts: AnyArray, tp: AnyArray, fp: AnyArray) -> None:
        """Counts at the thresholds, from multiplicities of units."""
        cells = self.cells
        shape = (cells.edges, cells.positive, cells.ends, tp, fp)
        if cells.weight is None:
            self.loops.unit_tally(counts, self.place, *shape)
        else:
            self.loops.weight_tally(counts, self.place, cells.weight, *shape)

    def counts(self, tp: AnyArray, fp: AnyArray) -> Counts:
        """Tally of what was drawn: scores of which no row was drawn are no thresholds."""
        threshold = self.cells.threshold
        assert threshold is not None
        if not tp.size:
            return Counts(threshold, tp, fp, 0, 0)
        n_pos, n_neg = tp[-1].item(), fp[-1].item()
        if self.cells.missing_last:
            threshold, tp, fp = threshold[:-1], tp[:-1], fp[:-1]
        drawn = np.empty(tp.size, bool)
        drawn[:1] = (tp[:1] > 0) | (fp[:1] > 0)
        np.logical_or(tp[1:] > tp[:-1], fp[1:] > fp[:-1], out=drawn[1:])
        kept = np.flatnonzero(drawn)  # places are taken many times faster than by a mask
        return Counts(threshold[kept], tp[kept], fp[kept], n_pos, n_neg)


def make_scan(cells: ScoreCells, draws: Draws | Deletions, plan: str, loops: ModuleType) -> Scan:
    """Scan of one model under these draws."""
    return Scan(cells, cells.row if plan == "cells" else cells.placed(draws.unit), loops)


def choose_plan(plan: str, scheme: str, models: Sequence[ScoreCells]) -> tuple[str, str]:
    """Which plan runs, and why cells cannot ("" when they can)."""
    why = ""
    if len(models) > 1:
        why = "there are several models, which must share their draws"
    elif scheme != "multinomial":
        why = f"the scheme is {scheme!r}"
    elif models[0].weight is not None:
        why = "there are weights"
    if plan != "auto":
        return plan, why
    few = not why and models[0].positive.size * ROWS_PER_CELL < models[0].row.size
    return "cells" if few else "rows", why


def run_replicates(
    models: Sequence[ScoreCells],
    draws: Draws | Deletions,
    plan: str,
    n_resamples: int,
    wanted: frozenset[str],
    readings: Sequence[Reading],
    loops: ModuleType,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> Replicates:
    """Draw and scan all replicates, in tasks of some replicates each.

    `wanted` names the areas that are asked for; others may stay nan. With `readings` the models
    must be cut at every score. A thread needs a byte a
    unit and 16 bytes a threshold of the largest model, or 8 for each row between two positives.

    Raises
    ------
    InputError
        If the results do not fit the memory.
    """
    scans = [make_scan(cells, draws, plan, loops) for cells in models]
    count_type = np.dtype(np.int64 if models[0].weight is None else np.float64)
    widths = models[0].at.size, sum(reading.width for reading in readings)
    out = _room(n_resamples, len(models), *widths, count_type)
    edges = task_edges(sum(cells.row.size for cells in models), n_resamples, threads)
    batch = partial(_run_batch, scans, draws, plan, wanted, readings, out)
    run([partial(batch, a, b) for a, b in pairwise(edges)], threads, progress)
    return out


def _room(
    n_resamples: int, n_models: int, n_cuts: int, n_read: int, count_type: np.dtype[Any]
) -> Replicates:
    """Room for results, nothing in it yet."""
    shape = (n_resamples, n_models)
    size = 8 * n_resamples * n_models * (5 + 2 * n_cuts + n_read)
    try:
        # Asked for as a whole first: a part that fits would be filled before the next is refused.
        np.empty(size, np.uint8)
        return Replicates(
            np.full(shape, np.nan),
            np.full(shape, np.nan),
            np.full(shape, np.nan),
            np.zeros(shape, count_type),
            np.zeros(shape, count_type),
            np.zeros((*shape, n_cuts), count_type),
            np.zeros((*shape, n_cuts), count_type),
            np.full((*shape, n_read), np.nan),
        )
    except MemoryError:
        raise InputError(
            f"`n_resamples` {n_resamples:,} needs about {size / 2**30:,.3g} GiB for its results: "
            f"ask for fewer"
        ) from None


def task_edges(rows: int, n_resamples: int, threads: int) -> list[int]:
    """Cut replicates of so many rows into tasks: where each begins, and the end."""
    most = max(1, TASK_ROWS // max(rows, 1))
    size = max(1, min(most, n_resamples // (TASKS_PER_THREAD * threads)))
    return [*range(0, n_resamples, size), n_resamples]


def _run_batch(
    scans: Sequence[Scan],
    draws: Draws | Deletions,
    plan: str,
    wanted: frozenset[str],
    readings: Sequence[Reading],
    out: Replicates,
    start: int,
    stop: int,
) -> None:
    counts = np.empty(draws.n_units if plan == "rows" else 0, np.uint8)
    cells = np.empty(scans[0].cells.positive.size if plan == "cells" else 0, np.int64)
    # Both areas alone need no counts at thresholds.
    direct = plan == "rows" and wanted <= BOTH and not out.tp.size and not readings
    direct = direct and bool(wanted) and scans[0].cells.weight is None
    room = 0 if direct else max(scan.cells.n_thresholds for scan in scans)
    tp_room = np.empty(room, out.n_pos.dtype)
    fp_room = np.empty(room, out.n_pos.dtype)
    for replicate in range(start, stop):
        if plan == "rows":
            draws.draw(replicate, scans[0].loops, counts)
        for m, scan in enumerate(scans):
            check()
            if direct:
                _store_areas(scan, counts, out, (replicate, m))
                continue
            tp, fp = tp_room[: scan.cells.n_thresholds], fp_room[: scan.cells.n_thresholds]
            if isinstance(draws, Draws) and plan == "cells":
                _draw_cells(scan, draws, replicate, cells, tp, fp)
            else:
                scan.tally(counts, tp, fp)
            _store(scan, tp, fp, wanted, out, replicate, m)
            if readings:
                out.read[replicate, m] = read_all(readings, scan.counts(tp, fp))


def read_all(readings: Sequence[Reading], counts: Counts) -> Floats:
    """Numbers of all readings, one after the other."""
    found = [np.reshape(reading.function(counts), reading.width) for reading in readings]
    return np.asarray(np.concatenate([np.empty(0), *found]), np.float64)


def _store_areas(scan: Scan, counts: AnyArray, out: Replicates, place: tuple[int, int]) -> None:
    layout = scan.cells
    sums = scan.loops.unit_areas(counts, scan.place, layout.groups, layout.parts, layout.longest)
    n_pos, n_neg, twice_u, high, low = (int(x) for x in sums)
    check_range(n_pos, n_neg)
    areas = areas_from_integers(n_pos, n_neg, twice_u, high, low, 0, 0)
    out.n_pos[place], out.n_neg[place] = n_pos, n_neg
    out.roc_auc[place] = areas.roc_auc
    out.average_precision[place] = areas.average_precision


def _draw_cells(
    scan: Scan, draws: Draws, replicate: int, cells: Ints, tp: AnyArray, fp: AnyArray
) -> None:
    layout = scan.cells
    scan.loops.draw_cells(draws.key, replicate, 0, layout.edges, layout.row.size, cells)
    scan.loops.cell_tally(cells, layout.positive, layout.ends, tp, fp)


def _store(
    scan: Scan,
    tp: AnyArray,
    fp: AnyArray,
    wanted: frozenset[str],
    out: Replicates,
    replicate: int,
    m: int,
) -> None:
    if not tp.size:
        return
    place = replicate, m
    out.n_pos[place], out.n_neg[place] = tp[-1], fp[-1]
    if wanted:
        areas = _areas(tp, fp, scan.loops)
        out.roc_auc[place] = areas.roc_auc
        out.average_precision[place] = areas.average_precision
        out.ks[place] = areas.ks
    at = scan.cells.at
    if at.size:
        out.tp[place] = np.where(at < 0, 0, tp[at])
        out.fp[place] = np.where(at < 0, 0, fp[at])


def _areas(tp: AnyArray, fp: AnyArray, loops: ModuleType) -> Areas:
    return areas_of_counts(Counts(NOTHING, tp, fp, tp[-1].item(), fp[-1].item()), loops)
