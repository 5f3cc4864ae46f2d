"""bootstrap(): intervals of any metric, for one model or many on the same rows."""

from __future__ import annotations

import operator
from typing import Any, Literal

from ._bands import read_curves, read_grid
from ._binomial import check_level
from ._bootstrap_result import Bootstrap
from ._columns import resolve
from ._draws import SCHEMES, Scheme, read_seed
from ._engine import loops, resampling_rows
from ._intervals import METHODS
from ._panel import read_panel
from ._progress import reporting
from ._requests import read_cuts, read_metrics
from ._resample import PLANS, resample
from ._runtime import thread_count
from ._types import EngineName, Missing, Progress
from ._validate import check_choice
from .errors import InputError

__all__ = ["bootstrap", "choose_scheme", "read_size", "resample"]

MOST_RESAMPLES = (1 << 32) - 1


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
    curves: Any = None,
    grid: Any = None,
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Missing = "raise",
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
    metrics : str, callable(tp, fp, tn, fn), list of these, or dict of str to callable
        Names of `ranktally.METRICS`; measures at thresholds need `at`. Areas (roc_auc,
        average_precision, gini, ks) and measures at thresholds cost one scan a replicate; the
        others read the replicate's whole tally, at ten times the cost or more.
    at : float or list of float, optional
        Thresholds.
    scheme : {"auto", "multinomial", "stratified", "cluster", "poisson"}
        What a replicate draws: n of the n rows with replacement ("multinomial", the default);
        within each class as many as it has, for data whose class counts were fixed by design
        ("stratified"); as many clusters as there are ("cluster", the default with `cluster`); an
        independent Poisson count of mean 1 for each row ("poisson").
    method : {"percentile", "basic", "normal", "bca"}
        Of the intervals. "bca" takes its acceleration from closed forms of what each row
        contributes to areas, losses and measures at thresholds; for metrics that have none, and
        for clusters, from one of 200 blocks of rows (of clusters) deleted at a time, which the
        interval then says.
    n_resamples : int
    level : float
    seed : int, optional
        From 0 to 2**64 - 1; None takes one from the operating system. The result tells it.
    plan : {"auto", "rows", "cells"}
        Whether rows are drawn, the same for all models, or, for one model, how many rows fall
        between distinct positive scores. Equal in distribution, not in bytes.
    curves : {"roc", "pr"} or list of both, optional
        Curves whose bands `Bootstrap.band` is to give, from the same replicates. Each replicate's
        whole tally is read then.
    grid : int or array-like, optional
        Places along the fpr of ROC and the recall of PR: how many from 0 to 1, or rising numbers;
        101 when left out.
    pos_label, higher_is_better, engine, threads
        As in `ranktally.evaluate`.
    missing : {"raise", "omit", "worst"}
        "omit" leaves out the rows in which the label or any model's score is missing; "worst"
        ranks missing scores last.
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
    "bca" adds 8 bytes for each row, model and metric with a closed form. A point of a curve is a
    number.

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
    check_choice("plan", plan, PLANS)
    check_choice("missing", missing, ("raise", "omit", "worst"))
    level, n_resamples = check_level(level), read_size(n_resamples)
    seed, workers = read_seed(seed), thread_count(threads)
    cuts = read_cuts(at)
    requests = read_metrics(metrics, has_thresholds=cuts.size > 0)
    chosen_curves = read_curves(curves)
    if grid is not None and not chosen_curves:
        raise InputError('`grid` is of curves: pass curves="roc", "pr" or both, or leave it out')
    places = read_grid(grid) if chosen_curves else None
    chosen_scheme = choose_scheme(scheme, clustered=cluster is not None)
    columns = resolve(
        data, label=label, scores=scores, weight=weight, cluster=cluster, threads=workers
    )
    panel = read_panel(columns, pos_label, higher_is_better, missing, workers)
    work = resampling_rows(panel.samples[0].n, len(panel.samples), n_resamples)
    with reporting(progress) as report:
        return resample(
            panel,
            requests,
            cuts,
            scheme=chosen_scheme,
            method=method,
            n_resamples=n_resamples,
            level=level,
            seed=seed,
            plan=plan,
            loops=loops(engine, work),
            threads=workers,
            progress=report,
            curves=chosen_curves,
            grid=places,
        )


def read_size(n_resamples: object) -> int:
    """Check a number of resamples."""
    try:
        size = 0 if isinstance(n_resamples, bool) else operator.index(n_resamples)  # type: ignore[arg-type]
    except TypeError:
        size = 0
    if not 1 <= size <= MOST_RESAMPLES:
        raise InputError(
            f"`n_resamples` must be a whole number from 1 to {MOST_RESAMPLES}, got {n_resamples!r}"
        )
    return size


def choose_scheme(scheme: str, *, clustered: bool) -> str:
    """Settle the scheme: clusters, where they are given, and none of them without."""
    if scheme == "auto":
        scheme = "cluster" if clustered else "multinomial"
    if clustered and scheme != "cluster":
        raise InputError(
            f'`scheme` "{scheme}" draws single rows, but `cluster` is given: pass '
            f'scheme="cluster", or leave `cluster` out'
        )
    if scheme == "cluster" and not clustered:
        raise InputError('`scheme` "cluster" needs the clusters: pass cluster=')
    return scheme
