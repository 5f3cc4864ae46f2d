"""bootstrap(): intervals of any metric, for one model or many on the same rows."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from ._binomial import check_level
from ._bootstrap_result import Bootstrap, Slot
from ._columns import resolve
from ._counts import Areas, areas_of_counts, sample_areas, tally_counts
from ._cuts import counts_at
from ._draws import SCHEMES, Scheme, make_draws, read_seed
from ._engine import loops
from ._influence import influence, leave_one_out
from ._intervals import METHODS
from ._panel import read_panel
from ._progress import reporting
from ._rates import STATUSES, why_undefined
from ._replicates import Replicates, choose_plan, run_replicates
from ._requests import Request, measured, read_metrics
from ._runtime import run, thread_count
from ._score_cells import cut_score_cells
from ._types import AnyArray, EngineName, Floats, Progress
from ._validate import Sample, check_choice, read_thresholds
from .errors import InputError

__all__ = ["bootstrap"]

MOST_RESAMPLES = (1 << 32) - 1
CLOSED_FORMS = ("roc_auc", "average_precision", "gini")


def bootstrap(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    weight: Any = None,
    cluster: Any = None,
    metrics: Any = ("roc_auc", "average_precision"),
    at: Any = None,
    scheme: Scheme = "auto",
    method: Literal["percentile", "basic", "normal", "bca"] = "percentile",
    n_resamples: int = 2000,
    level: float = 0.95,
    seed: int | None = None,
    plan: Literal["auto", "rows", "cells"] = "auto",
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Literal["raise", "omit"] = "raise",
    engine: EngineName = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Bootstrap:
    """Bootstrap metrics of one model or of many that scored the same rows.

    Parameters
    ----------
    data : table or path(s), optional
        As in `ranktally.evaluate`; so are `label`, `scores` and `weight`.
    label : str or array-like, shape (n,)
    scores : str, list of str, dict, or array-like of shape (n,) or (n, m)
    weight : str or array-like, shape (n,), optional
        A drawn row brings its weight along. Rows of weight 0 are left out before drawing.
    cluster : str or array-like, shape (n,), optional
        What is drawn as a whole, a customer or a day: keys of any type.
    metrics : str, list of str, or dict of str to callable(tp, fp, tn, fn)
        Areas (roc_auc, average_precision, gini, ks) and, with `at`, measures at thresholds.
    at : float or list of float, optional
        Thresholds.
    scheme : {"auto", "multinomial", "stratified", "cluster", "poisson"}
        What a replicate draws: n of the n rows with replacement ("multinomial", the default);
        within each class as many as it has, for data whose class counts were fixed by design
        ("stratified"); as many clusters as there are ("cluster", the default with `cluster`); an
        independent Poisson count of mean 1 for each row ("poisson").
    method : {"percentile", "basic", "normal", "bca"}
        Of the intervals. "bca" takes its acceleration from closed forms of roc_auc, gini and
        average_precision, for rows drawn by "multinomial".
    n_resamples : int
    level : float
    seed : int, optional
        From 0 to 2**64 - 1; None takes one from the operating system. The result tells it.
    plan : {"auto", "rows", "cells"}
        Whether rows are drawn, the same for all models, or, for one model, how many rows fall
        between distinct positive scores. Equal in distribution, not in bytes.
    pos_label, higher_is_better, engine, threads
        As in `ranktally.evaluate`.
    missing : {"raise", "omit"}
        "omit" leaves out the rows in which the label or any model's score is missing.
    progress : bool or callable(done, total), optional
        Called after each batch of replicates.

    Returns
    -------
    Bootstrap

    Raises
    ------
    InputError
        If an argument, column or row cannot be used.

    Notes
    -----
    Each model is ordered once. A replicate is a multiplicity for each row, and one scan: O(n)
    time, or O(cells) in the plan "cells". Ordering takes about 50 bytes a row for each model that
    is ordered at the time, an ordered model about 10 (20 with weights or clusters), and a thread a
    byte a row and 16 bytes a threshold. Results take 8 bytes for each replicate, model and number;
    "bca" adds 8 bytes for each row, model and metric.

    The same seed, scheme and plan give the same bytes for any number of threads and either engine.
    Every model sees the same draws, so that differences are paired.

    References
    ----------
    B. Efron and R. J. Tibshirani (1993), An introduction to the bootstrap.

    Examples
    --------
    >>> import ranktally as rt
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> result = rt.bootstrap(label=y, scores=[0.9, 0.8, 0.55, 0.6, 0.2, 0.1], seed=1)
    >>> interval = result.interval("score", "roc_auc")
    >>> round(interval.estimate, 4), interval.high
    (0.8889, 1.0)
    """
    check_choice("scheme", scheme, SCHEMES)
    check_choice("method", method, METHODS)
    check_choice("plan", plan, ("auto", "rows", "cells"))
    check_choice("missing", missing, ("raise", "omit"))
    level, n_resamples = check_level(level), _read_size(n_resamples)
    seed, workers = read_seed(seed), thread_count(threads)
    cuts = np.empty(0) if at is None else np.atleast_1d(read_thresholds(at, "at"))
    if cuts.ndim != 1 or np.unique(cuts).size != cuts.size:
        raise InputError(f"`at` must be a number or a list of different numbers, got {at!r}")
    requests = _read_requests(metrics, cuts, method)
    chosen_scheme = _choose_scheme(scheme, method, clustered=cluster is not None)
    columns = resolve(
        data, label=label, scores=scores, weight=weight, cluster=cluster, threads=workers
    )
    panel = read_panel(columns, pos_label, higher_is_better, missing, workers)
    n = panel.samples[0].n
    chosen_loops = loops(engine, n * len(panel.samples) * n_resamples)
    side = workers if len(panel.samples) >= workers else 1
    order = partial(
        cut_score_cells, cuts=cuts, loops=chosen_loops, threads=1 if side > 1 else workers
    )
    models = run([partial(order, sample) for sample in panel.samples], side)
    chosen_plan, why = choose_plan(plan, chosen_scheme, models)
    if chosen_plan == "cells" and why:
        raise InputError(f'`plan` "cells" cannot run, since {why}: pass plan="rows"')
    draws = make_draws(chosen_scheme, seed, panel.samples[0].label, panel.cluster, panel.n_clusters)
    wanted = frozenset(r.metric.name for r in requests if r.metric.needs == "areas")
    with reporting(progress) as report:
        found = run_replicates(
            models, draws, chosen_plan, n_resamples, wanted, chosen_loops, workers, report
        )
    plain = [_plain(sample, cuts, chosen_loops, workers) for sample in panel.samples]
    estimate, status, base = _estimates(plain, requests)
    jackknife = {}
    if method == "bca":
        jackknife = _jackknife(panel.samples, requests, chosen_loops, workers)
    label_values = panel.samples[0].label
    n_pos = int(np.count_nonzero(label_values))
    return Bootstrap(
        models=panel.names,
        slots=_slots(requests, cuts),
        estimate=estimate,
        replicates=_values(found, requests),
        n=n,
        n_pos=n_pos,
        n_neg=n - n_pos,
        totals=tuple((x.n_pos[0, 0].item(), x.n_neg[0, 0].item()) for x in plain),
        baseline=base,
        scheme=chosen_scheme,
        plan=chosen_plan,
        seed=seed,
        n_resamples=n_resamples,
        method=method,
        level=level,
        _status=status,
        _jackknife=jackknife,
    )


def _read_size(n_resamples: object) -> int:
    try:
        size = 0 if isinstance(n_resamples, bool) else operator.index(n_resamples)  # type: ignore[arg-type]
    except TypeError:
        size = 0
    if not 1 <= size <= MOST_RESAMPLES:
        raise InputError(
            f"`n_resamples` must be a whole number from 1 to {MOST_RESAMPLES}, got {n_resamples!r}"
        )
    return size


def _read_requests(metrics: Any, cuts: AnyArray, method: str) -> list[Request]:
    if isinstance(metrics, tuple):
        metrics = list(metrics)
    requests = read_metrics(metrics, has_thresholds=cuts.size > 0)
    for request in requests:
        if request.metric.needs not in ("areas", "counts"):
            raise InputError(
                f"`metrics` {request.label!r} needs whole curves, which replicates do not make: "
                f"choose among roc_auc, average_precision, gini, ks and, with at=, measures at "
                f"thresholds"
            )
        if method == "bca" and request.metric.name not in CLOSED_FORMS:
            raise InputError(
                f'`method` "bca" has no closed form for {request.label!r}, only for '
                f'{", ".join(CLOSED_FORMS)}: pass method="percentile" or leave that metric out'
            )
    return requests


def _choose_scheme(scheme: str, method: str, *, clustered: bool) -> str:
    if scheme == "auto":
        scheme = "cluster" if clustered else "multinomial"
    if clustered and scheme != "cluster":
        raise InputError(
            f'`scheme` "{scheme}" draws single rows, but `cluster` is given: pass '
            f'scheme="cluster", or leave `cluster` out'
        )
    if scheme == "cluster" and not clustered:
        raise InputError('`scheme` "cluster" needs the clusters: pass cluster=')
    if method == "bca" and scheme != "multinomial":
        raise InputError(
            f'`method` "bca" is for rows drawn by "multinomial", the scheme is "{scheme}": pass '
            f'method="percentile"'
        )
    return scheme


def _slots(requests: Sequence[Request], cuts: AnyArray) -> tuple[Slot, ...]:
    return tuple(
        Slot(r.label, cut, r.metric.range)
        for r in requests
        for cut in (cuts.tolist() if r.metric.needs == "counts" else [None])
    )


def _plain(sample: Sample, cuts: AnyArray, chosen: Any, threads: int) -> Replicates:
    """The rows themselves, in the form of a single replicate."""
    if not cuts.size:
        areas: Areas = sample_areas(sample, chosen, threads)
        tp = fp = np.empty(0)
    else:
        counts = tally_counts(sample, chosen, threads)
        areas = areas_of_counts(counts, chosen)
        found = counts_at(counts, cuts, complete=True)
        tp, fp = np.asarray(found.tp), np.asarray(found.fp)
    return Replicates(
        np.asarray([[areas.roc_auc]]),
        np.asarray([[areas.average_precision]]),
        np.asarray([[areas.ks]]),
        np.asarray([[areas.n_pos]]),
        np.asarray([[areas.n_neg]]),
        tp[None, None],
        fp[None, None],
    )


def _counts(found: Replicates) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    return (
        found.tp,
        found.fp,
        found.n_neg[:, :, None] - found.fp,
        found.n_pos[:, :, None] - found.tp,
    )


def _values(found: Replicates, requests: Sequence[Request]) -> Floats:
    """Metrics of replicates: shape (replicates, models, slots)."""
    parts = []
    for request in requests:
        if request.metric.needs == "counts":
            parts.append(measured(request, _counts(found), "metrics"))
        else:
            areas = np.asarray(request.function(found), np.float64)
            parts.append(areas[:, :, None])
    return np.concatenate(parts, axis=2)


def _estimates(
    plain: Sequence[Replicates], requests: Sequence[Request]
) -> tuple[Floats, tuple[tuple[str, ...], ...], Floats]:
    """Estimates, their statuses and chance levels: each of shape (models, slots)."""
    estimates, statuses, levels = [], [], []
    for one in plain:
        estimates.append(_values(one, requests)[0, 0])
        counts = _counts(one)
        total = float(one.n_pos[0, 0] + one.n_neg[0, 0])
        prevalence = one.n_pos[0, 0] / total if total else np.nan
        nothing = np.zeros((1, 1, 1))
        rows = (nothing, nothing, one.n_neg[:, :, None], one.n_pos[:, :, None])
        texts: list[str] = []
        base: list[float] = []
        for request in requests:
            metric = request.metric
            used = counts if metric.needs == "counts" else rows
            value = _values(one, [request])
            places = why_undefined(value, metric.undefined, *used)[0, 0]
            texts += [STATUSES[place] for place in places]
            chance = np.nan if metric.baseline is None else float(metric.baseline(prevalence))
            base += [chance] * places.size
        statuses.append(tuple(texts))
        levels.append(base)
    return np.asarray(estimates), tuple(statuses), np.asarray(levels)


def _jackknife(
    samples: Sequence[Sample], requests: Sequence[Request], chosen: Any, threads: int
) -> dict[tuple[int, int], Floats]:
    """Influence of each row on each metric of each model, for the acceleration of BCa."""
    found: dict[tuple[int, int], Floats] = {}
    for m, sample in enumerate(samples):
        for slot, request in enumerate(requests):
            name = request.metric.name
            base = "roc_auc" if name == "gini" else name
            scale = 2.0 if name == "gini" else 1.0
            if sample.weight is None:
                value = -leave_one_out(sample, base, chosen, threads).value
            else:
                value = influence(sample, base, chosen, threads).value
            found[m, slot] = scale * value
    return found
