"""Measures of each class against the rest, of pairs of classes, and the averages of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np

from ._cells import text_of
from ._classes import ClassColumns, ClassLabels
from ._columns import Column, column_name
from ._counts import Areas, Counts, areas_of_counts, class_sums, sample_areas, tally_counts
from ._cuts import counts_at
from ._engine import loops
from ._order import SortedClasses, join_zeros
from ._rates import STATUSES, why_undefined
from ._requests import Request, measured
from ._runtime import run
from ._types import AnyArray
from ._validate import Labels, Sample, Scores, Weights, make_sample, read_scores
from ._wording import missing_note
from .errors import InputError

__all__ = ["ClassCall", "ClassRow", "averaged", "classes_against_rest", "pairs_of_classes"]


@dataclass(frozen=True)
class ClassRow:
    """Values of one class, pair or average: one of each slot."""

    name: str
    average: str | None
    value: AnyArray
    baseline: AnyArray
    status: list[str]
    n_pos: float
    n_neg: float
    note: list[str]


@dataclass(frozen=True)
class ClassCall:
    """What the classes of one call share."""

    found: ClassColumns
    requests: Sequence[Request]
    thresholds: AnyArray
    higher_is_better: bool
    missing: str
    engine: str
    pairs: bool

    @property
    def loops(self) -> ModuleType:
        return loops(self.engine, self.found.columns.n_rows * len(self.found.names))

    def slots(self) -> list[tuple[Request, float]]:
        cuts = self.thresholds.tolist()
        return [
            (request, cut)
            for request in self.requests
            for cut in (cuts if request.metric.needs == "counts" else [math.nan])
        ]

    def scores(self, column: Column) -> Scores:
        return read_scores(
            column.values(), column_name(column), column.locate,
            higher_is_better=self.higher_is_better,
        )  # fmt: skip

    def sample(self, k: int) -> Sample:
        """Rows of one class against the rest."""
        column, label = self.found.scores[k], self.found.columns.label
        return make_sample(
            self.found.truth.against_rest(k),
            self.scores(column),
            self.found.weights,
            missing=self.missing,
            label_name=column_name(label),
            score_name=column_name(column),
            locate=column.locate,
        )


# -- one class against the rest ------------------------------------------------------------------


def classes_against_rest(call: ClassCall, threads: int) -> list[ClassRow]:
    """Measure each class against all others, from one order of its column."""
    inner = max(1, threads // len(call.found.names))
    return run([partial(_one, call, k, inner) for k in range(len(call.found.names))], threads)


def _one(call: ClassCall, k: int, threads: int) -> ClassRow:
    name = text_of(call.found.names[k])
    return _measured(call, call.sample(k), name, None, threads)


def _measured(
    call: ClassCall, sample: Sample, name: str, average: str | None, threads: int
) -> ClassRow:
    """All slots of one sample, from one order of its rows."""
    engine = call.loops
    counts: Counts | None = None
    if any(r.metric.needs != "areas" for r in call.requests):
        counts = tally_counts(sample, engine, threads)
        areas = areas_of_counts(counts, engine)
    else:
        areas = sample_areas(sample, engine, threads)
    values, status = [], []
    for request, cut in call.slots():
        cells: tuple[Any, ...] = (0, 0, areas.n_neg, areas.n_pos)
        if request.metric.needs == "counts":
            assert counts is not None
            point = counts_at(counts, cut, complete=True)
            cells = (point.tp, point.fp, point.tn, point.fn)
        value = _value(request, areas, counts, cells)
        values.append(value)
        status.append(_status(request, value, cells))
    note = missing_note(sample.n_null, sample.n_nan, call.missing)
    return ClassRow(
        name, average, np.asarray(values), _baselines(call, areas), status,
        areas.n_pos, areas.n_neg, [note] * len(values),
    )  # fmt: skip


def _value(request: Request, areas: Areas, counts: Counts | None, cells: Any) -> float:
    if request.metric.needs == "areas":
        return float(request.function(areas))
    if request.metric.needs == "tally":
        return float(request.function(counts))
    return float(measured(request, cells, "metrics"))


def _status(request: Request, value: float, cells: tuple[Any, ...]) -> str:
    one = [np.asarray([x]) for x in cells]
    place = why_undefined(np.asarray([value]), request.metric.undefined, *one)
    return STATUSES[int(place[0])]


def _baselines(call: ClassCall, areas: Areas) -> AnyArray:
    n = areas.n_pos + areas.n_neg
    prevalence = np.float64(areas.n_pos / n if n else math.nan)
    return np.asarray(
        [
            math.nan if r.metric.baseline is None else float(r.metric.baseline(prevalence))
            for r, _ in call.slots()
        ]
    )


# -- pairs ---------------------------------------------------------------------------------------


def pairs_of_classes(call: ClassCall, threads: int) -> list[ClassRow]:
    """AUC of each pair of classes: the mean of what the columns of both say."""
    names = [r.metric.name for r in call.requests]
    if names != ["roc_auc"]:
        raise InputError('`metrics` must be "roc_auc" with strategy="ovo", which knows no other')
    if call.found.truth.code is None:
        raise InputError('`strategy` "ovo" needs one class a row, and `label` has a column a class')
    k = len(call.found.names)
    areas = run([partial(_against_each, call, a) for a in range(k)], threads)
    rows = []
    for a, b in combinations(range(k), 2):
        one, other = areas[a][b], areas[b][a]
        value = (one.roc_auc + other.roc_auc) / 2
        status = "ok"
        if math.isnan(value):
            status = "no_positives" if not one.n_pos else "no_negatives"
        name = f"{text_of(call.found.names[a])} | {text_of(call.found.names[b])}"
        rows.append(
            ClassRow(name, None, np.asarray([value]), np.asarray([0.5]), [status],
                 one.n_pos, one.n_neg, [""])
        )  # fmt: skip
    return rows


def _against_each(call: ClassCall, a: int) -> list[Areas]:
    """Areas of one column for its class against each other class."""
    sample = call.sample(a)
    code = _codes_of(call.found.truth, sample)
    if sample.weight is not None:
        return [_weighted_pair(call, sample, code, a, b) for b in range(len(call.found.names))]
    parts = _sorted_parts(sample, code, len(call.found.names))
    results = []
    for part in parts:
        cuts = [(parts[a].size, part.size), (0, 0)]
        results.append(class_sums(SortedClasses(parts[a], part, cuts), call.loops, 1))
    return results


def _codes_of(truth: ClassLabels, sample: Sample) -> AnyArray:
    assert truth.code is not None
    return truth.code if sample.kept is None else truth.code[sample.kept]


def _sorted_parts(sample: Sample, code: AnyArray, k: int) -> list[Any]:
    """Keys of each class, ascending."""
    order = np.argsort(code.astype(np.min_scalar_type(k)), kind="stable")
    keys: Any = sample.bits[order]
    if sample.codec.flip:
        keys = np.where(keys < 0, keys ^ keys.dtype.type(sample.codec.flip), keys)
    ends = np.cumsum(np.bincount(code, minlength=k))[:-1]
    parts = np.split(keys, ends)
    for part in parts:
        part.sort()
        if sample.codec.flip:
            join_zeros(part)
    return parts


def _weighted_pair(call: ClassCall, sample: Sample, code: AnyArray, a: int, b: int) -> Areas:
    kept = np.flatnonzero((code == a) | (code == b))
    assert sample.weight is not None
    pair = Sample(
        (code[kept] == a).view(np.uint8), sample.bits[kept], sample.codec, sample.weight[kept],
        None if sample.count is None else sample.count[kept],
        kept.size, 0, 0, sample.has_missing, None,
    )  # fmt: skip
    return sample_areas(pair, call.loops, 1)


# -- averages ------------------------------------------------------------------------------------


def averaged(
    call: ClassCall, rows: Sequence[ClassRow], kind: str, on_undefined: str, threads: int
) -> ClassRow:
    """Average the rows of classes or pairs, or measure all cells together."""
    if kind == "micro":
        return _measured(call, _pooled(call), "micro avg", "micro", threads)
    value = np.asarray([row.value for row in rows])
    # A pair weighs all its rows, a class against the rest those of the class.
    support = np.asarray([row.n_pos + (row.n_neg if call.pairs else 0) for row in rows])
    values, status, notes = [], [], []
    for column in value.T:
        defined = ~np.isnan(column)
        note = "" if defined.all() else f"{np.count_nonzero(defined)}/{defined.size} defined"
        use = defined if on_undefined == "skip" else np.ones(defined.size, bool)
        share = np.ones(column.size) if kind == "macro" else support
        total = math.fsum(share[use])
        mean = math.nan
        if total > 0:
            with np.errstate(invalid="ignore"):  # an infinite value without weight
                mean = math.fsum(share[use] * column[use]) / total
        values.append(mean)
        status.append("ok" if not math.isnan(mean) else "undefined_classes")
        notes.append(note)
    baseline = np.asarray([row.baseline for row in rows])
    weights = np.ones(len(rows)) if kind == "macro" else support
    known = np.average(baseline, axis=0, weights=weights if weights.sum() else None)
    n_pos = math.fsum(row.n_pos for row in rows)
    n_neg = math.fsum(row.n_neg for row in rows)
    return ClassRow(f"{kind} avg", kind, np.asarray(values), known, status, n_pos, n_neg, notes)


def _pooled(call: ClassCall) -> Sample:
    """All cells (row, class) as one sample."""
    found = call.found
    columns = range(len(found.names))
    parts = [call.scores(column) for column in found.scores]
    values = [part.codec.decode(part.bits) for part in parts]
    real = np.result_type(*values).kind == "f"
    if any((value.dtype.kind == "f") != real for value in values):
        told = ", ".join(sorted({str(value.dtype) for value in values}))
        raise InputError(
            f"`scores` has columns of {told}, which no one type holds exactly: convert them to "
            f'pool their cells, or leave average="micro" out'
        )
    pooled = np.concatenate(values)
    if any(part.n_null for part in parts):
        # nan speaks for itself, and what stands under a null is masked.
        gone = [
            np.zeros(v.size, bool) if p.missing is None else p.missing & (v == v)
            for p, v in zip(parts, values, strict=True)
        ]
        pooled = np.ma.MaskedArray(pooled, np.concatenate(gone))
    truth = [found.truth.against_rest(k) for k in columns]
    unknown = [np.zeros(t.value.size, bool) if t.missing is None else t.missing for t in truth]
    labels = Labels(
        np.concatenate([t.value for t in truth]),
        np.concatenate(unknown) if any(t.missing is not None for t in truth) else None,
        sum(t.n_null for t in truth),
        sum(t.n_nan for t in truth),
    )
    weights = found.weights
    if weights is not None:
        count = None if weights.count is None else np.tile(weights.count, len(parts))
        weights = Weights(np.tile(weights.value, len(parts)), count, weights.any_zero)
    n = found.columns.n_rows
    return make_sample(
        labels,
        read_scores(pooled, "`scores`", lambda cell: found.columns.label.locate(cell % n),
                    higher_is_better=True),
        weights,
        missing=call.missing,
        label_name=column_name(found.columns.label),
        score_name="`scores`",
        locate=lambda cell: found.columns.label.locate(cell % n),
    )  # fmt: skip
