"""Intervals of an evaluation: what a call asks for, and its models measured together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ._binomial import check_level
from ._bootstrap import choose_scheme, read_size
from ._draws import SCHEMES, read_seed
from ._grouping import Grouping, group_starts
from ._interval_cells import (
    INTERVALS,
    Report,
    Uncertainty,
    cells_of,
    has_interval,
    proportion_bounds,
)
from ._measure import Block, Bounds, Plan, attempt, evaluate_model, failed, measure
from ._panel import Panel, Samples, read_clusters, read_model
from ._requests import Request
from ._runtime import check, run
from ._types import Ints
from ._validate import Sample, check_choice
from ._wording import common_note
from .errors import InputError, RanktallyError

__all__ = ["check_requests", "check_room", "measure_all", "read_uncertainty"]

# Bytes a row: of a model that is held and ordered, and of one while it is being ordered.
ROOM_HELD = 40
ROOM_ORDER = 50
# Rows (of all models) below which threads spend their time waiting for the interpreter.
PARALLEL_ROWS = 10_000


def read_uncertainty(
    ci: object,
    *,
    method: object,
    level: object,
    scheme: str,
    n_resamples: object,
    seed: object,
    clustered: bool,
) -> Uncertainty:
    """Check what a call asks of its intervals.

    Raises
    ------
    InputError
        For unknown words, or options that go with another kind of interval.
    """
    number, size = check_level(level), read_size(n_resamples)
    check_choice("scheme", scheme, SCHEMES)
    check_choice("ci", ci, tuple(INTERVALS))
    kind = str(ci)
    method = INTERVALS[kind][0] if method is None else method
    check_choice("ci_method", method, INTERVALS[kind])
    if kind == "bootstrap":
        scheme = choose_scheme(scheme, clustered=clustered)
    elif scheme != "auto":
        raise InputError(f'`scheme` is of ci="bootstrap" alone, got ci="{kind}": leave it out')
    if kind == "wilson" and clustered:
        raise InputError(
            '`ci` "wilson" takes rows for independent, which those of a cluster are not: pass '
            'ci="bootstrap" or ci="delong"'
        )
    # The operating system is asked for a seed only where there are draws.
    seed = read_seed(0 if seed is None and kind != "bootstrap" else seed)
    return Uncertainty(kind, str(method), number, scheme, size, seed)


def check_requests(ci: str, requests: Sequence[Request]) -> None:
    """Raise InputError where no metric of a call can have an interval of this kind."""
    if any(has_interval(ci, request) for request in requests):
        return
    named = ", ".join(request.label for request in requests)
    if ci == "wilson":
        raise InputError(
            f'`ci` "wilson" needs `at`, such as at=0.5, and a metric that is a share of rows, such '
            f'as recall, got {named}: add one, or pass ci="delong" or "bootstrap"'
        )
    raise InputError(f'`ci` "{ci}" has no closed form for {named}: pass ci="bootstrap"')


def check_room(plan: Plan, wanted: Uncertainty, side: int, max_memory: int | None) -> None:
    """Raise InputError where the models of a call, held together, take more than they may."""
    if wanted.ci == "wilson" or max_memory is None:
        return
    models, rows = len(plan.columns.scores), plan.columns.n_rows
    room = rows * (models * ROOM_HELD + min(side, models) * ROOM_ORDER)
    if wanted.ci == "bootstrap":
        room += wanted.n_resamples * models * plan.n_slots * 8
    if room > max_memory:
        raise InputError(
            f"`max_memory` {max_memory:,} is less than the {room:,} bytes that intervals of "
            f"{models} models of {rows:,} rows take, which are held together: raise it, evaluate "
            f"fewer models at a time, or leave `ci` out"
        )


def measure_all(
    plan: Plan, wanted: Uncertainty, side: int, threads: int, report: Report
) -> tuple[list[list[Block]], dict[str, Any]]:
    """Blocks of each model and grouping, and what the summary says of their intervals.

    Parameters
    ----------
    side, threads : int
        Models that are read and measured side by side, and threads for the intervals.
    """
    if wanted.ci != "wilson":
        blocks, told = _measure_together(plan, wanted, side, threads, report)
        return blocks, {**wanted.told(), **told}
    tasks = [partial(evaluate_model, plan, column) for column in plan.columns.scores]
    blocks = run(tasks, side, report)
    return [[_with_proportions(plan, wanted, b) for b in model] for model in blocks], wanted.told()


def _with_proportions(plan: Plan, wanted: Uncertainty, block: Block) -> Block:
    if block.error:
        return block
    return replace(block, bounds=proportion_bounds(plan, wanted, block))


def _measure_together(
    plan: Plan, wanted: Uncertainty, side: int, threads: int, report: Report
) -> tuple[list[list[Block]], dict[str, Any]]:
    """Values and intervals of all models, on the rows that all of them have.

    Each group is resampled by itself, all models of it by the same draws.
    """
    columns = plan.columns.scores
    meter = _Meter(report, len(columns) + sum(g.size for g in plan.groupings) * wanted.steps)
    reading = partial(read_model, higher_is_better=plan.higher_is_better, threads=plan.threads)
    scores = run([partial(attempt, plan, partial(reading, column)) for column in columns], side)
    read = [m for m, x in enumerate(scores) if not isinstance(x, RanktallyError)]
    shared = replace(plan.columns, scores=tuple(columns[m] for m in read))
    usable = [x for x in scores if not isinstance(x, RanktallyError)]
    samples = Samples(shared, plan.labels, plan.weights, usable, plan.missing)
    works = [partial(attempt, plan, partial(_measured, plan, samples, k)) for k in range(len(read))]
    found = dict(zip(read, run(works, side, meter.part(len(columns))), strict=True))
    blocks: list[list[Block]] = []
    kept: dict[int, Sample] = {}
    for m, score in enumerate(scores):
        outcome = score if isinstance(score, RanktallyError) else found[m]
        if isinstance(outcome, RanktallyError):
            blocks.append(failed(plan, outcome))
        else:
            kept[m] = outcome[0]
            blocks.append(outcome[1])
    if not kept:
        return blocks, {"n_common_rows": 0, "n_pos": 0, "n_neg": 0, "prevalence": None}
    first = next(iter(kept.values()))
    cluster, n_clusters = read_clusters(plan.columns, first, plan.threads)
    names = tuple(columns[m].name for m in kept)
    panel = Panel(names, list(kept.values()), cluster, n_clusters)
    drawn = _Drawn()
    for k, grouping in enumerate(plan.groupings):
        bounds = _bounds(plan, wanted, panel, grouping, threads, meter, drawn)
        for m, own in zip(kept, bounds, strict=True):
            blocks[m][k] = replace(blocks[m][k], bounds=own)
    told = _of_common_rows(plan, first)
    if panel.cluster is not None:
        told["n_clusters"] = n_clusters
    if drawn.clusters:
        told["group_clusters"] = [min(drawn.clusters), max(drawn.clusters)]
    if drawn.plans:
        told["plan"] = " and ".join(sorted(drawn.plans))
    return blocks, told


@dataclass(frozen=True)
class _Drawn:
    """What groups are drawn from: the plans, and of parts of the rows the numbers of clusters."""

    plans: set[str] = field(default_factory=set)
    clusters: set[int] = field(default_factory=set)


def _of_common_rows(plan: Plan, sample: Sample) -> dict[str, Any]:
    """What a summary says of the rows that all models have, where they are not all rows."""
    told: dict[str, Any] = {"n_common_rows": sample.n_rows}
    if sample.n_rows < plan.columns.n_rows:
        n_pos = int(np.count_nonzero(sample.label))
        told |= {
            "n_pos": n_pos,
            "n_neg": sample.n - n_pos,
            "prevalence": n_pos / sample.n if sample.n else None,
        }
    return told


def _measured(plan: Plan, samples: Samples, k: int) -> tuple[Sample, list[Block]]:
    sample = samples[k]
    note = ""
    if plan.missing == "omit" and len(samples) > 1:
        gone = plan.columns.n_rows - sample.n_rows
        note = common_note(sample.n_null, sample.n_nan, gone)
    return sample, measure(plan, sample, note)


def _bounds(
    plan: Plan,
    wanted: Uncertainty,
    panel: Panel,
    grouping: Grouping,
    threads: int,
    meter: _Meter,
    drawn: _Drawn,
) -> list[Bounds]:
    """Intervals of each model in every group; a group without rows has none."""
    shape = (len(panel.names), grouping.size, plan.n_slots)
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    interval, note = np.full(shape, "", object), np.full(shape, "", object)
    for g, rows in enumerate(_group_rows(grouping, panel.samples[0])):
        check()
        report = meter.part(wanted.steps)
        part = panel if rows is None else panel.take(rows)
        if part.samples[0].n:
            rows_of_all = part.samples[0].n * len(panel.names)
            workers = threads if rows_of_all >= PARALLEL_ROWS else 1
            cells = cells_of(part, plan, wanted, workers, report)
            low[:, g], high[:, g] = cells.low, cells.high
            interval[:, g], note[:, g] = cells.interval, cells.note
            drawn.plans.update({cells.plan} - {""})
            if rows is not None and part.cluster is not None:
                drawn.clusters.add(part.n_clusters)
        if report is not None and not (part.samples[0].n and wanted.ci == "bootstrap"):
            report(1, 1)
    return [Bounds(low[m], high[m], interval[m], note[m]) for m in range(shape[0])]


def _group_rows(grouping: Grouping, sample: Sample) -> Sequence[Ints | None]:
    """Rows of each group in the order of the input; None for all rows."""
    if grouping.is_total:
        return [None]
    code = grouping.codes_of(sample)
    order = np.argsort(code, kind="stable")
    return [order[a:b] for a, b in pairwise(group_starts(code, grouping.size).tolist())]


class _Meter:
    """Counts models, then replicates (or groups), as one run from 0 to `total`."""

    def __init__(self, report: Report, total: int) -> None:
        self._report = report
        self._total = total
        self._before = 0

    def part(self, steps: int) -> Report:
        """What the next part of the work is to call, which makes up so many steps of the total."""
        before = self._before
        self._before += steps
        report = self._report
        if report is None:
            return None
        return lambda done, of: report(before + steps * done // of, self._total)
