"""One model: a score column -> its values for every grouping, metric and threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TypeVar

import numpy as np

from ._columns import Column, Columns, column_name
from ._counts import Counts, areas_of_counts, sample_areas, tally_counts
from ._cuts import counts_at
from ._grouping import Grouping
from ._order import order_rows
from ._panel import read_model
from ._rates import why_undefined
from ._requests import Request, measured
from ._runtime import check
from ._segments import GroupAreas, cut_counts, group_areas, group_tallies
from ._types import AnyArray, Floats
from ._validate import Labels, Sample, Weights, make_sample
from ._wording import missing_note
from .errors import RanktallyError

__all__ = ["Block", "Bounds", "Plan", "attempt", "evaluate_model", "failed", "measure"]

T = TypeVar("T")

# From about here on one order of the scores costs less than a search for each row.
MANY_THRESHOLDS = 4


@dataclass(frozen=True)
class Plan:
    """What every model of one call shares."""

    columns: Columns
    labels: Labels
    weights: Weights | None
    groupings: Sequence[Grouping]
    requests: Sequence[Request]
    thresholds: Floats
    higher_is_better: bool
    missing: str
    on_error: str
    loops: ModuleType
    threads: int

    def needs(self, state: str) -> bool:
        """Whether a metric needs this state."""
        return any(r.metric.needs == state for r in self.requests)

    @property
    def only_total(self) -> bool:
        return all(g.is_total for g in self.groupings)

    @property
    def reads_tally(self) -> bool:
        """Whether counts at thresholds are looked up in a tally instead of counted row by row."""
        many = self.thresholds.size > MANY_THRESHOLDS
        return self.only_total and self.needs("counts") and (many or self.needs("tally"))

    def slots(self, request: Request) -> list[float]:
        """Thresholds of a request's rows; nan for one that takes none."""
        return self.thresholds.tolist() if request.metric.needs == "counts" else [np.nan]

    @property
    def n_slots(self) -> int:
        """Rows of one model and group."""
        return sum(len(self.slots(request)) for request in self.requests)


@dataclass(frozen=True)
class Bounds:
    """Intervals of a block's values: matrices of its shape.

    `interval` says what `low` and `high` are, "" where there are none; it and `note` hold text.
    """

    low: Floats
    high: Floats
    interval: AnyArray
    note: AnyArray


@dataclass(frozen=True)
class Block:
    """Rows of one model and grouping; matrices have a row a group and a column a slot.

    `status` holds places in ``STATUSES``; where `error` is not empty it stands for all of them.
    `tp` and `fp` have a column a threshold, or none where no metric is taken at one.
    """

    value: Floats
    baseline: Floats
    status: AnyArray
    n: AnyArray
    n_pos: AnyArray
    n_neg: AnyArray
    tp: AnyArray
    fp: AnyArray
    note: str = ""
    error: str = ""
    bounds: Bounds | None = None


def evaluate_model(plan: Plan, column: Column) -> list[Block]:
    """Values of one model, read and then let go."""
    found = attempt(plan, lambda: measure(plan, _read_sample(plan, column)))
    return failed(plan, found) if isinstance(found, RanktallyError) else found


def attempt(plan: Plan, work: Callable[[], T]) -> T | RanktallyError:
    """What the work gives, or the error that the rows of its model are to tell."""
    try:
        return work()
    except RanktallyError as error:
        if plan.on_error == "raise":
            raise
        return error


def _read_sample(plan: Plan, column: Column) -> Sample:
    return make_sample(
        plan.labels,
        read_model(column, plan.higher_is_better, plan.threads),
        plan.weights,
        missing=plan.missing,
        label_name=column_name(plan.columns.label),
        score_name=column_name(column),
        locate=column.locate,
    )


def measure(plan: Plan, sample: Sample, note: str = "") -> list[Block]:
    """Values of one sample: a block for each grouping."""
    areas, tallies = _states(plan, sample)
    note = note or missing_note(sample.n_null, sample.n_nan, plan.missing)
    blocks = []
    for k, grouping in enumerate(plan.groupings):
        check()
        tp = fp = np.empty((grouping.size, 0))
        if plan.needs("counts") and plan.reads_tally:
            found = counts_at(tallies[k][0], plan.thresholds, complete=True)
            tp, fp = found.tp[None, :], found.fp[None, :]
            n_pos, n_neg = np.asarray([tallies[k][0].n_pos]), np.asarray([tallies[k][0].n_neg])
        elif plan.needs("counts"):
            tp, fp, n_pos, n_neg = cut_counts(
                sample, plan.thresholds, grouping, plan.loops, plan.threads
            )
        elif areas:
            n_pos, n_neg = areas[k].n_pos, areas[k].n_neg
        else:
            n_pos = np.asarray([tally.n_pos for tally in tallies[k]])
            n_neg = np.asarray([tally.n_neg for tally in tallies[k]])
        blocks.append(
            _block(
                plan,
                areas[k] if areas else None,
                tallies[k] if tallies else [],
                tp,
                fp,
                n_pos,
                n_neg,
                note,
            )
        )
    return blocks


def _states(plan: Plan, sample: Sample) -> tuple[list[GroupAreas], list[list[Counts]]]:
    """Areas and tallies for each grouping, as far as the metrics need them.

    Where there is only the total, both come from the classes sorted each on its own; groups
    share one order of the rows.
    """
    only_total = plan.only_total
    areas: list[GroupAreas] = []
    tallies: list[list[Counts]] = []
    if plan.needs("tally") or plan.reads_tally:
        if only_total:
            tallies = [[tally_counts(sample, plan.loops, plan.threads)]] * len(plan.groupings)
        else:
            words = order_rows(sample, plan.loops, plan.threads)
            tallies = [
                group_tallies(sample, words, g, plan.loops, plan.threads) for g in plan.groupings
            ]
    wanted = {r.metric.name for r in plan.requests if r.metric.needs == "areas"}
    if wanted and only_total:
        if tallies:
            sums = areas_of_counts(tallies[0][0], plan.loops)
        else:
            sums = sample_areas(sample, plan.loops, plan.threads)
        areas = [GroupAreas(*(np.asarray([x]) for x in sums))] * len(plan.groupings)
    elif wanted:
        areas = group_areas(sample, plan.groupings, wanted, plan.loops, plan.threads)
    return areas, tallies


def _block(
    plan: Plan,
    areas: GroupAreas | None,
    tallies: Sequence[Counts],
    tp: AnyArray,
    fp: AnyArray,
    n_pos: AnyArray,
    n_neg: AnyArray,
    note: str,
) -> Block:
    total = n_pos + n_neg
    with np.errstate(invalid="ignore", divide="ignore"):
        prevalence = n_pos / np.asarray(total, np.float64)
    counts = (tp, fp, n_neg[:, None] - fp, n_pos[:, None] - tp)
    rows = (n_pos[:, None] * 0, n_pos[:, None] * 0, n_neg[:, None], n_pos[:, None])
    values, status, baselines = [], [], []
    for request in plan.requests:
        metric = request.metric
        if metric.needs == "counts":
            value = measured(request, counts, "metrics")
            state = why_undefined(value, metric.undefined, *counts)
        elif metric.needs == "areas":
            value = request.function(areas)[:, None]
            state = why_undefined(value, metric.undefined, *rows)
        else:
            value = np.asarray([[request.function(tally)] for tally in tallies], np.float64)
            state = why_undefined(value, metric.undefined, *rows)
        values.append(value)
        status.append(state)
        base = np.full(prevalence.size, np.nan)
        if metric.baseline is not None:
            base = metric.baseline(prevalence)
        baselines.append(np.repeat(base[:, None], value.shape[1], axis=1))
    whole = plan.weights is None
    return Block(
        np.concatenate(values, axis=1),
        np.concatenate(baselines, axis=1),
        np.concatenate(status, axis=1),
        total.astype(np.int64) if whole else total,
        n_pos.astype(np.int64) if whole else n_pos,
        n_neg.astype(np.int64) if whole else n_neg,
        tp,
        fp,
        note,
    )


def failed(plan: Plan, error: RanktallyError) -> list[Block]:
    """Rows without values, which tell why."""
    blocks = []
    for grouping in plan.groupings:
        nothing = np.full((grouping.size, plan.n_slots), np.nan)
        status = np.zeros(nothing.shape, np.int8)
        zero = np.zeros(grouping.size, np.int64 if plan.weights is None else np.float64)
        none = np.empty((grouping.size, 0))
        blocks.append(
            Block(nothing, nothing, status, zero, zero, zero, none, none, error=f"error: {error}")
        )
    return blocks
