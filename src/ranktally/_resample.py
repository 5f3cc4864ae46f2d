"""Samples of models on the same rows -> their bootstrap: metrics of every replicate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType

import numpy as np

from ._bootstrap_result import Bootstrap, Jackknife, Slot
from ._counts import Areas, Counts, areas_of_counts, sample_areas, tally_counts
from ._cuts import counts_at
from ._draws import Deletions, Draws, make_deletions, make_draws
from ._influence import influence, leave_one_out
from ._panel import Panel
from ._rates import STATUSES, why_undefined
from ._replicates import Reading, Replicates, choose_plan, read_all, run_replicates
from ._requests import Request, measured
from ._runtime import run
from ._score_cells import cut_score_cells
from ._types import AnyArray, Floats
from ._validate import Sample
from .errors import InputError

__all__ = ["PLANS", "resample"]

PLANS = ("auto", "rows", "cells")
CLOSED_FORMS = ("roc_auc", "average_precision", "gini")


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
) -> Bootstrap:
    """Bootstrap the models of a panel; arguments as of `bootstrap`, already checked."""
    samples = list(panel.samples)
    readings = [Reading(r.function) for r in requests if r.metric.needs == "tally"]
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
    scan = partial(
        run_replicates, models, wanted=wanted, readings=readings, loops=loops, threads=threads
    )
    found = scan(draws, chosen_plan, n_resamples, progress=progress)
    plain = [_plain(sample, cuts, readings, loops, threads) for sample in samples]
    estimate, status, base = _estimates(plain, requests)
    slots = _slots(requests, cuts)
    jackknife = {}
    if method == "bca":

        def deleted(deletions: Deletions) -> Replicates:
            return scan(deletions, "rows", deletions.size, progress=None)

        jackknife = _jackknife(samples, requests, slots, draws, deleted, loops, threads)
    n_pos = int(np.count_nonzero(label))
    return Bootstrap(
        models=panel.names,
        slots=slots,
        estimate=estimate,
        replicates=np.concatenate(_values(found, requests), axis=2),
        n=label.size,
        n_pos=n_pos,
        n_neg=label.size - n_pos,
        totals=tuple((x.n_pos[0, 0].item(), x.n_neg[0, 0].item()) for x in plain),
        baseline=base,
        scheme=scheme,
        plan=chosen_plan,
        seed=seed,
        n_resamples=n_resamples,
        method=method,
        level=level,
        _status=status,
        _jackknife=jackknife,
    )


def _slots(requests: Sequence[Request], cuts: AnyArray) -> tuple[Slot, ...]:
    return tuple(
        Slot(r.label, cut, r.metric.range)
        for r in requests
        for cut in (cuts.tolist() if r.metric.needs == "counts" else [None])
    )


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


def _values(found: Replicates, requests: Sequence[Request]) -> list[Floats]:
    """Metrics of replicates, each of shape (replicates, models, its slots)."""
    parts: list[Floats] = []
    place = 0
    for request in requests:
        if request.metric.needs == "counts":
            parts.append(measured(request, _counts(found), "metrics"))
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


def _jackknife(
    samples: Sequence[Sample],
    requests: Sequence[Request],
    slots: Sequence[Slot],
    draws: Draws,
    deleted: Callable[[Deletions], Replicates],
    loops: ModuleType,
    threads: int,
) -> dict[tuple[int, int], Jackknife]:
    """What rows contribute to each number of each model, for the acceleration of BCa.

    In closed form row by row where there is one; else from one block of rows deleted at a time.
    """
    found: dict[tuple[int, int], Jackknife] = {}
    closed = {} if draws.scheme == "cluster" else {r.label: r for r in requests if _is_closed(r)}
    for m, sample in enumerate(samples):
        for k, slot in enumerate(slots):
            if slot.metric in closed:
                value = _row_values(sample, closed[slot.metric], loops, threads)
                found[m, k] = Jackknife(_centred(value, draws, sample.label), "")
    if len(closed) < len(requests):
        deletions = make_deletions(draws)
        values = np.concatenate(_values(deleted(deletions), requests), axis=2)
        for m in range(len(samples)):
            for k, slot in enumerate(slots):
                if slot.metric not in closed:
                    value = _centred(-values[:, m, k], draws, deletions.stratum)
                    found[m, k] = Jackknife(value, deletions.name)
    return found


def _is_closed(request: Request) -> bool:
    return not request.is_callers and request.metric.name in CLOSED_FORMS


def _row_values(sample: Sample, request: Request, loops: ModuleType, threads: int) -> Floats:
    """Each row's contribution: exactly, or with weights to first order."""
    name = request.metric.name
    base, scale = ("roc_auc", 2.0) if name == "gini" else (name, 1.0)
    if sample.weight is None:
        return -scale * leave_one_out(sample, base, loops, threads).value
    return scale * influence(sample, base, loops, threads).value


def _centred(value: Floats, draws: Draws, stratum: AnyArray) -> Floats:
    """Deviations from the mean, of its own class where the classes are drawn apart."""
    if draws.scheme != "stratified":
        return np.asarray(value - value.mean())
    out = np.empty(value.size)
    for which in (stratum == 0, stratum != 0):
        out[which] = value[which] - (value[which].mean() if which.any() else 0.0)
    return out
