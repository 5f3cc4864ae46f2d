"""jackknife(): standard errors of smooth metrics from what each row contributes, in O(n log n)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ._binomial import check_level
from ._columns import resolve
from ._contributions import (
    CellCounts,
    cell_derivatives,
    cell_influence,
    is_smooth,
    score_influence,
)
from ._counts import areas_of_counts, tally_counts
from ._cuts import counts_at
from ._engine import loops as choose_loops
from ._jackknife_result import Jackknife
from ._normal import without_rounding
from ._pair_sums import pair_sums
from ._panel import Panel, read_panel
from ._rates import STATUSES, why_undefined
from ._requests import Request, measured, read_cuts, read_metrics
from ._runtime import run, thread_count
from ._slots import make_slots
from ._types import AnyArray, EngineName, Floats, Missing
from ._units import Units
from ._validate import Sample, check_choice
from .errors import InputError

__all__ = ["jackknife", "jackknife_panel"]


def jackknife(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    weight: Any = None,
    cluster: Any = None,
    metrics: Any = ("roc_auc", "average_precision"),
    at: Any = None,
    level: float = 0.95,
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Missing = "raise",
    engine: EngineName = "auto",
    threads: int | None = None,
) -> Jackknife:
    """Give standard errors and intervals of smooth metrics by the infinitesimal jackknife.

    Parameters
    ----------
    data : table or path(s), optional
        As in `ranktally.evaluate`; so are `label`, `scores` and `weight`.
    label : str or array-like, shape (n,)
    scores : str, list of str, dict, or array-like of shape (n,) or (n, m)
    weight : str or array-like, shape (n,), optional
        Rows of weight 0 are left out.
    cluster : str or array-like, shape (n,), optional
        What is independent where rows are not, a customer or a day: keys of any type.
    metrics : str, callable(tp, fp, tn, fn), list of these, or dict of str to callable
        roc_auc, gini, average_precision, average_precision_at_prevalence, brier, log_loss and,
        with `at`, every measure of the four counts, a caller's own too, if it is smooth in them.
    at : float or list of float, optional
        Thresholds, fixed beforehand: one chosen on the same rows has an error of its own.
    level : float
        Of the intervals, strictly between 0 and 1.
    pos_label, higher_is_better, engine, threads
        As in `ranktally.evaluate`.
    missing : {"raise", "omit", "worst"}
        "omit" leaves out the rows in which the label or any model's score is missing; "worst"
        ranks missing scores last.

    Returns
    -------
    Jackknife

    Raises
    ------
    InputError
        If an argument, column or row cannot be used, or a metric is not smooth: ks, partial areas,
        metrics at a fixed rate or at the k best rows, and those of bins, for which there is
        `ranktally.bootstrap`.

    Notes
    -----
    The variance is ``n / (n - 1)`` times the sum of the squared influence values, which are the
    derivative of the metric in each row's weight, times that weight, about their mean. It
    estimates the variance under new rows drawn independently of one another, positives and
    negatives in the numbers that come: the same as a "multinomial" `ranktally.bootstrap` of many
    replicates, to first order. DeLong's variance of ROC AUC holds the class counts fixed. To this
    order AUC does not answer to them, and the two agree but for factors ``m / (m - 1)``, of each
    class there and of all rows here.

    With `cluster` the values are first summed within each cluster, and n is the number of
    clusters: the cluster-robust variance of whole clusters drawn independently.

    An interval of fewer than 50 clusters is noted, and of fewer than 10, whose normal law is far
    too narrow, there is no p-value of a difference.

    With weights a metric is a function of weighted sums, and its variance that of its linear part
    for rows drawn together with their weights, the sandwich estimator. A weight of 2 is one row
    that counts twice, not two independent rows.

    O(n log n) time for a metric of a model. 8 bytes for each row of each model, for one metric at
    one threshold at a time, besides some 70 bytes a row for a model that is being ordered. The
    numbers are the same to the byte for any number of threads and either engine.

    An interval by the normal law is of first order: where few rows bear a metric, as with rare
    positives or close to the end of its range, it covers less often than it says, and
    `ranktally.bootstrap` and the logit scale do better.

    References
    ----------
    L. A. Jaeckel (1972), The infinitesimal jackknife, Bell Laboratories Memorandum MM 72-1215-11.

    B. Efron (1982), The jackknife, the bootstrap and other resampling plans, chapter 6.

    D. A. Binder (1983), On the variances of asymptotically normal estimators from complex
    surveys, International Statistical Review 51.

    Examples
    --------
    >>> import ranktally as rt
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> models = {"a": [0.9, 0.8, 0.4, 0.5, 0.3, 0.1], "b": [0.7, 0.45, 0.3, 0.6, 0.35, 0.2]}
    >>> result = rt.jackknife(label=y, scores=models, metrics=["average_precision", "f1"], at=0.4)
    >>> interval = result.interval("a", "average_precision", kind="logit")
    >>> round(interval.estimate, 4), round(interval.standard_error, 4)
    (0.9167, 0.1087)
    >>> difference = result.difference("a", "b", "f1")
    >>> round(difference.estimate, 4), round(difference.p, 4)
    (0.1905, 0.3392)
    """
    check_choice("missing", missing, ("raise", "omit", "worst"))
    level, workers = check_level(level), thread_count(threads)
    cuts = read_cuts(at)
    requests = read_metrics(metrics, has_thresholds=cuts.size > 0)
    _check_smooth(requests)
    columns = resolve(
        data, label=label, scores=scores, weight=weight, cluster=cluster, threads=workers
    )
    panel = read_panel(columns, pos_label, higher_is_better, missing, workers)
    rows = panel.samples[0].n * len(panel.samples)
    return jackknife_panel(
        panel, requests, cuts, level=level, loops=choose_loops(engine, rows), threads=workers
    )


def _check_smooth(requests: Sequence[Request]) -> None:
    for request in requests:
        if not is_smooth(request):
            raise InputError(
                f"`{request.argument}` {request.label!r} is not smooth in the rows' weights, or "
                f"has no known derivative, which the jackknife needs: take its interval from "
                f"ranktally.bootstrap"
            )


def jackknife_panel(
    panel: Panel,
    requests: Sequence[Request],
    cuts: AnyArray,
    *,
    level: float,
    loops: ModuleType,
    threads: int,
) -> Jackknife:
    """Jackknife the models of a panel; arguments as of `jackknife`, already checked.

    Raises
    ------
    InputError
        If a metric is not smooth.
    """
    _check_smooth(requests)
    samples = list(panel.samples)
    side = threads if len(samples) >= threads else 1
    inner = 1 if side > 1 else threads
    points = run([partial(_point, s, requests, cuts, loops, inner) for s in samples], side)
    units = Units.of(panel, samples[0].label)
    estimate = np.asarray([point.value for point in points])
    slots = make_slots(requests, cuts)
    products: list[Floats] = []
    gaps: list[Floats] = []
    unknown: list[str] = []
    for request in requests:
        why = units.too_few(request.metric.undefined)
        for row_values in _row_values(request, samples, points, cuts, loops, inner):
            parts = np.empty((len(samples), units.n))
            run([partial(units.write, f, parts[m]) for m, f in enumerate(row_values)], side)
            found = pair_sums(parts, loops, threads)
            factor = np.nan if why != "ok" else units.n / (units.n - 1)
            slot = len(unknown)
            scale = _scale(estimate[:, slot], slots[slot].range)
            found = without_rounding(factor * found[0], factor * found[1], scale)
            products.append(found[0])
            gaps.append(found[1])
            unknown.append("" if why == "ok" else why)
    covariance = np.asarray(products)
    variance = np.diagonal(covariance, axis1=1, axis2=2).T
    n, n_pos = samples[0].n, int(np.count_nonzero(samples[0].label))
    return Jackknife(
        models=panel.names,
        slots=slots,
        estimate=estimate,
        covariance=covariance,
        difference_variance=np.asarray(gaps),
        n=n,
        n_pos=n_pos,
        n_neg=n - n_pos,
        n_clusters=None if panel.cluster is None else panel.n_clusters,
        totals=tuple(point.totals for point in points),
        baseline=np.asarray([point.baseline for point in points]),
        level=level,
        _status=tuple(
            tuple(map(_status, point.status, point.value.tolist(), unknown, errors.tolist()))
            for point, errors in zip(points, variance, strict=True)
        ),
    )


def _scale(estimate: Floats, within: tuple[float, float]) -> Floats:
    """Size of the numbers that a metric of each model is made of.

    One that runs from a loss to a gain, -1 to 1 say, is a difference of numbers of that size.
    """
    span = within[1] if within[0] < 0.0 and math.isfinite(within[1]) else 0.0
    return np.maximum(np.abs(estimate), span)


class _Point(NamedTuple):
    """A model's metrics, with a place for each slot, and its counts at the thresholds."""

    value: Floats
    status: list[str]
    baseline: list[float]
    counts: CellCounts
    totals: tuple[float, float]


def _point(
    sample: Sample, requests: Sequence[Request], cuts: AnyArray, loops: ModuleType, threads: int
) -> _Point:
    tally = tally_counts(sample, loops, threads)
    areas = areas_of_counts(tally, loops)
    at = counts_at(tally, cuts, complete=True)
    counts = (at.tp, at.fp, at.tn, at.fn)
    nothing = np.zeros(1)
    rows = (nothing, nothing, nothing + tally.n_neg, nothing + tally.n_pos)
    total = tally.n_pos + tally.n_neg
    prevalence = np.float64(tally.n_pos / total if total else np.nan)
    values: list[Floats] = []
    status: list[str] = []
    baseline: list[float] = []
    for request in requests:
        metric = request.metric
        if metric.needs == "counts":
            value, used = measured(request, counts), counts
        else:
            state = areas if metric.needs == "areas" else tally
            value, used = np.asarray([request.function(state)], np.float64), rows
        places = why_undefined(value, metric.undefined, *used)
        values.append(value)
        status += [STATUSES[place] for place in places]
        chance = np.nan if metric.baseline is None else float(metric.baseline(prevalence))
        baseline += [chance] * places.size
    return _Point(np.concatenate(values), status, baseline, counts, (tally.n_pos, tally.n_neg))


def _row_values(
    request: Request,
    samples: Sequence[Sample],
    points: Sequence[_Point],
    cuts: AnyArray,
    loops: ModuleType,
    threads: int,
) -> Iterator[list[Callable[[], Floats]]]:
    """For each slot of a metric: what makes the influence values of each model, when called."""
    if request.metric.needs != "counts":
        yield [partial(score_influence, sample, request, loops, threads) for sample in samples]
        return
    slopes = [cell_derivatives(request, point.counts) for point in points]
    for k in range(cuts.size):
        cut = cuts[k : k + 1]
        yield [
            partial(cell_influence, sample, cut, slope[:, k])
            for sample, slope in zip(samples, slopes, strict=True)
        ]


def _status(defined: str, value: float, unknown: str, variance: float) -> str:
    if defined != "ok":
        return defined
    if math.isinf(value):
        return "infinite"
    if unknown:
        return unknown
    if math.isnan(variance):
        return "no_derivative"
    return "zero_variance" if variance == 0.0 else "ok"
