"""Samples of models on the same rows -> their bootstrap: metrics of every replicate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from types import ModuleType

import numpy as np

from ._bands import CurveReplicates, curve_heights, curve_statuses
from ._bootstrap_result import Bootstrap
from ._contributions import bca_values, is_smooth
from ._counts import Areas, Counts, areas_of_counts, sample_areas, tally_counts
from ._cuts import counts_at
from ._draws import Deletions, Draws, make_deletions, make_draws
from ._intervals import Contribution
from ._panel import Panel
from ._rates import STATUSES, why_undefined
from ._replicates import Reading, Replicates, choose_plan, read_all, run_replicates
from ._requests import Request, measured
from ._runtime import run
from ._score_cells import cut_score_cells
from ._slots import make_slots
from ._types import AnyArray, Floats
from ._units import Units
from ._validate import Sample
from .errors import InputError

__all__ = ["PLANS", "resample"]

PLANS = ("auto", "rows", "cells")
CURVE_NEEDS = {"roc": ("no_positives", "no_negatives"), "pr": ("no_positives",)}


def resample(
    panel: Panel,
    requests: Sequence[Request],
    cuts: AnyArray,
    *,
    scheme: str,
    method: str,
    n_resamples: int,
    level: float,
    seed: int,
    plan: str,
    loops: ModuleType,
    threads: int,
    progress: Callable[[int, int], object] | None,
    curves: Sequence[str] = (),
    grid: Floats | None = None,
) -> Bootstrap:
    """Bootstrap the models of a panel; arguments as of `bootstrap`, already checked."""
    samples = list(panel.samples)
    of_tally = [r for r in requests if r.metric.needs == "tally"]
    of_metrics = [Reading(r.function) for r in of_tally]
    grid = np.empty(0) if grid is None else grid
    of_curves = [Reading(curve_heights(c, grid), grid.size) for c in curves]
    readings = [*of_metrics, *of_curves]
    plain = [_plain(sample, cuts, readings, loops, threads) for sample in samples]
    estimate, status, base = _estimates(plain, requests)
    slots = make_slots(requests, cuts)
    # What the scores themselves leave undefined in every model is not looked for in replicates.
    idle = {
        x.metric
        for x, why in zip(slots, zip(*status, strict=True), strict=True)
        if set(why) == {"scores_outside_0_1"}
    }
    if idle:
        gone = [k for k, request in enumerate(of_tally) if request.label in idle]
        plain = [replace(one, read=np.delete(one.read, gone, axis=2)) for one in plain]
        of_metrics = [Reading(r.function) for r in of_tally if r.label not in idle]
        readings = [*of_metrics, *of_curves]
    side = threads if len(samples) >= threads else 1
    order = partial(
        cut_score_cells,
        cuts=cuts,
        loops=loops,
        threads=1 if side > 1 else threads,
        every=bool(readings),
    )
    models = run([partial(order, sample) for sample in samples], side)
    chosen_plan, why = choose_plan(plan, scheme, models)
    if chosen_plan == "cells" and why:
        raise InputError(f'`plan` "cells" cannot run, since {why}: pass plan="rows"')
    label = samples[0].label
    draws = make_draws(scheme, seed, label, panel.cluster, panel.n_clusters)
    wanted = frozenset(r.metric.name for r in requests if r.metric.needs == "areas")
    scan = partial(run_replicates, models, wanted=wanted, loops=loops, threads=threads)
    found = scan(draws, chosen_plan, n_resamples, readings=readings, progress=progress)
    contributions = {}
    if method == "bca":

        def deleted(deletions: Deletions) -> Replicates:
            return scan(deletions, "rows", deletions.size, readings=of_metrics, progress=None)

        contributions = _contributions(
            samples, requests, cuts, draws, deleted, idle, loops, threads
        )
    n_pos = int(np.count_nonzero(label))
    units = Units.of(panel, label)
    too_few = [units.too_few(request.metric.undefined) for request in requests]
    return Bootstrap(
        models=panel.names,
        slots=slots,
        estimate=estimate,
        replicates=np.concatenate(_values(found, requests, idle), axis=2),
        n=label.size,
        n_pos=n_pos,
        n_neg=label.size - n_pos,
        n_clusters=panel.n_clusters if scheme == "cluster" else None,
        totals=tuple((x.n_pos[0, 0].item(), x.n_neg[0, 0].item()) for x in plain),
        baseline=base,
        scheme=scheme,
        plan=chosen_plan,
        seed=seed,
        n_resamples=n_resamples,
        method=method,
        level=level,
        _status=status,
        _too_few=tuple(
            why
            for request, why in zip(requests, too_few, strict=True)
            for _ in (cuts if request.metric.needs == "counts" else [None])
        ),
        _contributions=contributions,
        grid=grid,
        _curves=_heights(curves, grid.size, len(of_metrics), units, plain, found),
    )


def _heights(
    curves: Sequence[str],
    points: int,
    first: int,
    units: Units,
    plain: Sequence[Replicates],
    found: Replicates,
) -> dict[str, CurveReplicates]:
    """Heights of each curve, which are read after the metrics."""
    held = {}
    for k, curve in enumerate(curves):
        part = slice(first + k * points, first + (k + 1) * points)
        estimate = np.concatenate([one.read[0, :, part] for one in plain])
        why = units.too_few(CURVE_NEEDS[curve])
        status = tuple(
            tuple(x if x != "ok" else why for x in found_status)
            for found_status in (
                curve_statuses(curve, heights, one.n_pos[0, 0], one.n_neg[0, 0])
                for heights, one in zip(estimate, plain, strict=True)
            )
        )
        held[curve] = CurveReplicates(estimate, found.read[:, :, part].copy(), status)
    return held


def _plain(
    sample: Sample, cuts: AnyArray, readings: Sequence[Reading], loops: ModuleType, threads: int
) -> Replicates:
    """The rows themselves, in the form of a single replicate."""
    if not cuts.size and not readings:
        areas: Areas = sample_areas(sample, loops, threads)
        tp = fp = read = np.empty(0)
    else:
        counts: Counts = tally_counts(sample, loops, threads)
        areas = areas_of_counts(counts, loops)
        found = counts_at(counts, cuts, complete=True)
        tp, fp = np.asarray(found.tp), np.asarray(found.fp)
        read = read_all(readings, counts)
    return Replicates(
        np.asarray([[areas.roc_auc]]),
        np.asarray([[areas.average_precision]]),
        np.asarray([[areas.ks]]),
        np.asarray([[areas.n_pos]]),
        np.asarray([[areas.n_neg]]),
        tp[None, None],
        fp[None, None],
        read[None, None],
    )


def _counts(found: Replicates) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    return (
        found.tp,
        found.fp,
        found.n_neg[:, :, None] - found.fp,
        found.n_pos[:, :, None] - found.tp,
    )


def _values(
    found: Replicates, requests: Sequence[Request], idle: Collection[str] = ()
) -> list[Floats]:
    """Metrics of replicates, each of shape (replicates, models, its slots); of `idle` ones nan."""
    parts: list[Floats] = []
    place = 0
    for request in requests:
        if request.metric.needs == "counts":
            parts.append(measured(request, _counts(found)))
        elif request.label in idle:
            parts.append(np.full((*found.n_pos.shape, 1), np.nan))
        elif request.metric.needs == "tally":
            parts.append(found.read[:, :, place : place + 1])
            place += 1
        else:
            parts.append(np.asarray(request.function(found), np.float64)[:, :, None])
    return parts


def _estimates(
    plain: Sequence[Replicates], requests: Sequence[Request]
) -> tuple[Floats, tuple[tuple[str, ...], ...], Floats]:
    """Estimates, their statuses and chance levels: each of shape (models, slots)."""
    estimates, statuses, levels = [], [], []
    for one in plain:
        values = _values(one, requests)
        counts = _counts(one)
        total = float(one.n_pos[0, 0] + one.n_neg[0, 0])
        prevalence = one.n_pos[0, 0] / total if total else np.nan
        nothing = np.zeros((1, 1, 1))
        rows = (nothing, nothing, one.n_neg[:, :, None], one.n_pos[:, :, None])
        texts: list[str] = []
        base: list[float] = []
        for request, value in zip(requests, values, strict=True):
            metric = request.metric
            used = counts if metric.needs == "counts" else rows
            places = why_undefined(value, metric.undefined, *used)[0, 0]
            texts += [STATUSES[place] for place in places]
            chance = np.nan if metric.baseline is None else float(metric.baseline(prevalence))
            base += [chance] * places.size
        estimates.append(np.concatenate(values, axis=2)[0, 0])
        statuses.append(tuple(texts))
        levels.append(base)
    return np.asarray(estimates), tuple(statuses), np.asarray(levels)


def _contributions(
    samples: Sequence[Sample],
    requests: Sequence[Request],
    cuts: AnyArray,
    draws: Draws,
    deleted: Callable[[Deletions], Replicates],
    idle: Collection[str],
    loops: ModuleType,
    threads: int,
) -> dict[tuple[int, int], Contribution]:
    """What rows contribute to each number of each model, for the acceleration of BCa.

    In closed form row by row where there is one; else from one block of rows deleted at a time.
    """
    found: dict[tuple[int, int], Contribution] = {}
    closed = [draws.scheme != "cluster" and is_smooth(request) for request in requests]
    if not all(closed):
        deletions = make_deletions(draws)
        blocks = _values(deleted(deletions), requests, idle)
    for m, sample in enumerate(samples):
        slot = 0
        for k, request in enumerate(requests):
            rows = bca_values(sample, request, cuts, loops, threads) if closed[k] else None
            stratum: AnyArray
            if rows is None:
                values, stratum, name = -blocks[k][:, m], deletions.stratum, deletions.name
            else:
                values, stratum, name = rows, sample.label, ""
            for value in values.T:
                found[m, slot] = Contribution(_centred(value, draws, stratum), name)
                slot += 1
    return found


def _centred(value: Floats, draws: Draws, stratum: AnyArray) -> Floats:
    """Deviations from the mean, of its own class where the classes are drawn apart."""
    out = np.empty(value.size)
    parts = [stratum == 0, stratum != 0] if draws.scheme == "stratified" else [slice(None)]
    with np.errstate(invalid="ignore"):  # infinite ones have no mean
        for part in parts:
            mine = value[part]
            out[part] = mine - mine.mean() if mine.size else mine
    return out
