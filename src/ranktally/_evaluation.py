"""evaluate(): data and names -> needs -> one order a model -> tidy rows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._columns import Columns, column_name, resolve
from ._engine import loops, resampling_rows
from ._grouping import Grouping, KeyColumn, make_grouping, read_key
from ._measure import Plan, evaluate_model
from ._panel import read_truth
from ._progress import reporting
from ._rendering import terminal_width, wide_table
from ._requests import read_cuts, read_metrics
from ._rows import Rows
from ._runtime import run, thread_count
from ._tidy import check_key_names, tidy_columns
from ._types import EngineName, Missing, Progress, real_of
from ._validate import Weights, check_choice, check_flag
from ._wording import counted
from .errors import InputError

if TYPE_CHECKING:
    from ._draws import Scheme

__all__ = ["Evaluation", "evaluate"]

SHOWN_LINES = 60
# Room of one column at work, in bytes a row: as read, its keys or words, and flags.
ROOM_KEYS = 8 + 8 + 1
ROOM_WORDS = 8 + 16 + 1 + 24


class Evaluation(Rows):
    """Tidy rows of an `evaluate` call: one a model, group, metric and threshold.

    Columns are ``model``, ``grouping`` (with several groupings), the group columns, ``metric``,
    ``threshold``, ``value``, ``low``, ``high``, ``interval``, ``level``, ``baseline``, ``n``,
    ``n_pos``, ``n_neg``, ``status`` and ``note``. ``str()`` gives the wide table for people.

    Attributes
    ----------
    columns : dict
        The columns by name.
    summary : dict
        ``n_files``, ``n_rows``, ``label``, ``pos_label``, ``n_pos``, ``n_neg``, ``prevalence``,
        ``n_models`` and ``seconds``; with intervals also ``ci``, ``ci_method`` and ``level``,
        of a bootstrap ``scheme``, ``plan``, ``n_resamples`` and ``seed``, with clusters
        ``n_clusters`` and, of groups, the least and most as ``group_clusters``. Where models are
        measured on common rows ``n_common_rows``: ``n_pos``, ``n_neg`` and ``prevalence`` are
        then of those rows, as the values are.
    directions : dict
        Metric name to "up", "down" or None: which way is better.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        summary: Mapping[str, Any],
        directions: Mapping[str, str | None],
    ) -> None:
        super().__init__(columns)
        self.summary = dict(summary)
        self.directions = dict(directions)

    def value(
        self, model: str | None = None, metric: str | None = None, /, **group: object
    ) -> float:
        """Return the value of one row.

        Parameters
        ----------
        model, metric : str
        **group
            Group keys, ``grouping`` or ``threshold``, as far as they are needed.

        Raises
        ------
        InputError
            Unless exactly one row matches.
        """
        named = {"model": model, "metric": metric}
        return super().value(**{k: v for k, v in named.items() if v is not None}, **group)

    def __str__(self) -> str:
        return wide_table(
            self,
            self.directions,
            self.summary,
            width=terminal_width(),
            max_lines=SHOWN_LINES,
        )

    def __repr__(self) -> str:
        return (
            f"Evaluation({counted(len(self), 'row')}, {counted(self.summary['n_models'], 'model')})"
        )


def evaluate(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    weight: Any = None,
    by: Any = None,
    metrics: Any = None,
    at: Any = None,
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Missing = "raise",
    on_error: str = "raise",
    ci: Literal["bootstrap", "delong", "wilson"] | None = None,
    ci_method: str | None = None,
    level: float = 0.95,
    scheme: Scheme = "auto",
    n_resamples: int = 2000,
    cluster: Any = None,
    seed: int | None = None,
    tolerance: float = 0,
    max_memory: int | None = None,
    engine: EngineName = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Evaluation:
    """Evaluate many models, and groups of rows, in one call.

    Parameters
    ----------
    data : table or path(s), optional
        An Arrow, pandas or polars table, a dict of arrays, anything with the Arrow C stream
        protocol, or Parquet, CSV and Feather files: a path, a list, a glob or a folder (Hive
        keys and ``"_file"`` are columns). None when the columns are given as arrays.
    label : str or array-like, shape (n,)
        Bool, 0/1 or -1/1; any other coding with `pos_label`.
    scores : str, list of str, dict, or array-like of shape (n,) or (n, m)
        Column names or globs, name -> array, or arrays: one model each.
    weight : str or array-like, shape (n,), optional
        Finite weights of at least 0.
    by : str, list of str, list of lists, or array-like, optional
        Columns to group by; a list of lists gives several groupings, ``[]`` being the total.
    metrics : str, callable(tp, fp, tn, fn), list of these, or dict of str to callable, optional
        Names of ``ranktally.METRICS``, calls such as ``"fbeta(2)"``. Default: roc_auc and
        average_precision; with `at` also precision, recall and f1.
    at : float or list of float, optional
        Thresholds: a row is positive when its score is at least that.
    pos_label : scalar, optional
        The positive class.
    higher_is_better : bool
        False negates the scores (`at` then applies to the negated score).
    missing : {"raise", "omit", "worst"}
        Null and nan are an error, leave their row out (for that model, but for all models with
        `ci` "bootstrap" or "delong", whose values are of the rows of their intervals), or rank
        last.
    on_error : {"raise", "status"}
        With "status" a column that cannot be used becomes nan rows that say why.
    ci : {"bootstrap", "delong", "wilson"}, optional
        Intervals. "bootstrap" gives those of `ranktally.bootstrap` with the same seed, for each
        group by itself. "delong" gives those of `ranktally.delong` to roc_auc and gini, and those
        of `ranktally.jackknife` to other smooth metrics, and to all of them with `cluster`.
        "wilson" gives binomial ones to the rates at thresholds that are a share of rows, and needs
        `at`. A metric that they do not fit has none, and its note says so; none that they fit is
        an error.
    ci_method : str, optional
        "percentile", "basic", "normal" or "bca" of "bootstrap"; "plain" or "logit" of "delong";
        "wilson", "jeffreys" or "clopper_pearson" of "wilson". Default: the first.
    level : float
        Of the intervals.
    scheme : {"auto", "multinomial", "stratified", "cluster", "poisson"}
        What a bootstrap replicate draws, as in `ranktally.bootstrap`.
    n_resamples : int
        Bootstrap replicates.
    cluster : str or array-like, shape (n,), optional
        What is independent of one another where rows are not, a customer or a day.
    seed : int, optional
        Of the bootstrap; None takes one from the operating system. The summary tells it.
    tolerance : 0
        Every number is exact; there is no other mode yet.
    max_memory : int, optional
        Bytes that the columns at work may take; fewer models run side by side to keep to it.
    engine : {"auto", "numba", "numpy"}
        Loops to run on; the numbers are the same.
    threads : int, optional
        At most this many; None for the cores that this process may use.
    progress : bool or callable(done, total), optional
        Called, or shown as a bar, after each model, then as replicates are drawn. An error it
        raises stops the call.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If an argument, file, column or row cannot be used; the message says which and why.

    Notes
    -----
    Each model is ordered once, whatever the number of metrics, thresholds and groupings; columns
    are read one at a time.

    With `ci` "bootstrap" or "delong" all models are held at once, about 40 bytes a row each, and
    each group of each grouping is ordered again: a bootstrap costs `n_resamples` scans of its
    rows, and tens of milliseconds for 2000 replicates of even the smallest group.

    Examples
    --------
    >>> import ranktally as rt
    >>> data = {"y": [0, 1, 1, 0], "a": [0.1, 0.4, 0.35, 0.35], "b": [0.2, 0.1, 0.9, 0.3]}
    >>> result = rt.evaluate(data, label="y", scores=["a", "b"])
    >>> result.value("a", "roc_auc"), result.value("b", "roc_auc")
    (0.875, 0.5)
    >>> result = rt.evaluate(data, label="y", scores="b", ci="bootstrap", seed=7)
    >>> row = result.to_dict()[0]
    >>> row["low"], row["value"], row["high"], row["interval"]
    (0.0, 0.5, 1.0, 'bootstrap multinomial percentile')
    """
    begun = time.perf_counter()
    check_choice("missing", missing, ("raise", "omit", "worst"))
    check_choice("on_error", on_error, ("raise", "status"))
    workers = thread_count(threads)
    max_memory = _read_memory(max_memory)
    check_flag("higher_is_better", higher_is_better)
    _check_tolerance(tolerance)
    clustered = cluster is not None
    wanted = None
    if ci is None:
        _refuse_idle({"ci_method": ci_method, "scheme": scheme != "auto", "cluster": clustered})
    else:
        from ._uncertainty import check_requests, check_room, measure_all, read_uncertainty

        wanted = read_uncertainty(
            ci,
            method=ci_method,
            level=level,
            scheme=scheme,
            n_resamples=n_resamples,
            seed=seed,
            clustered=clustered,
        )
    thresholds = read_cuts(at)
    requests = read_metrics(metrics, has_thresholds=thresholds.size > 0)
    if wanted is not None:
        check_requests(wanted.ci, requests)
    columns = resolve(
        data,
        label=label,
        scores=scores,
        weight=weight,
        by=by,
        cluster=cluster,
        threads=workers,
        max_memory=max_memory,
    )
    check_key_names(columns.groupings)
    labels, weights = read_truth(columns, pos_label, workers)
    groupings = _read_groupings(columns, missing, workers)
    side, inner = _share_threads(columns, groupings, weights, workers, max_memory)
    models, groups = len(columns.scores), sum(g.size for g in groupings)
    rows = columns.n_rows * models
    if wanted is not None and wanted.steps > 1:
        rows = resampling_rows(columns.n_rows, models, wanted.steps)
    plan = Plan(
        columns,
        labels,
        weights,
        groupings,
        requests,
        thresholds,
        higher_is_better,
        missing,
        on_error,
        loops(engine, rows, groups * models),
        inner,
    )
    told: dict[str, Any] = {}
    if wanted is not None:
        check_room(plan, wanted, side, max_memory)
    with reporting(progress) as report:
        if wanted is None:
            tasks = [partial(evaluate_model, plan, column) for column in columns.scores]
            blocks = run(tasks, side, report)
        else:
            blocks, told = measure_all(plan, wanted, side, workers, report)
    return Evaluation(
        tidy_columns(plan, blocks, wanted.level if wanted else np.nan),
        {**_summary(plan, pos_label, time.perf_counter() - begun), **told},
        {r.label: r.metric.direction for r in requests},
    )


def _refuse_idle(options: Mapping[str, object]) -> None:
    """Raise InputError for options of intervals where none are asked for."""
    name = next((name for name, given in options.items() if given), None)
    if name is not None:
        raise InputError(
            f'`{name}` is of intervals, and none are asked for: pass ci="bootstrap" too, or leave '
            f"it out"
        )


def _check_tolerance(tolerance: object) -> None:
    if real_of(tolerance) != 0.0:
        raise InputError(
            f"`tolerance` must be 0, since every number is exact and there is no approximate mode, "
            f"got {tolerance!r}"
        )


def _read_groupings(columns: Columns, missing: str, threads: int) -> list[Grouping]:
    if columns.groupings is None:
        return [make_grouping([])]
    keys: dict[str, KeyColumn] = {}  # a column of several groupings is read once
    for column in (column for grouping in columns.groupings for column in grouping):
        if column.name not in keys:
            keys[column.name] = read_key(
                column.values(threads),
                column.name,
                column_name(column),
                column.locate,
                allow_null=missing != "raise",
                threads=threads,
            )
    return [
        make_grouping([keys[column.name] for column in grouping], threads)
        for grouping in columns.groupings
    ]


def _read_memory(max_memory: object) -> int | None:
    if max_memory is None:
        return None
    if isinstance(max_memory, bool) or not isinstance(max_memory, Integral) or max_memory < 1:
        raise InputError(f"`max_memory` must be a number of bytes, got {max_memory!r}")
    return int(max_memory)


def _share_threads(
    columns: Columns,
    groupings: Sequence[Grouping],
    weights: Weights | None,
    workers: int,
    max_memory: int | None,
) -> tuple[int, int]:
    """Models side by side, and threads within each."""
    models = len(columns.scores)
    words = weights is not None or any(not g.is_total for g in groupings)
    room = columns.n_rows * (ROOM_WORDS if words else ROOM_KEYS)
    side = workers if models >= workers else 1
    if max_memory is not None:
        if room > max_memory:
            raise InputError(
                f"`max_memory` {max_memory:,} is less than the {room:,} bytes that one column of "
                f"{columns.n_rows:,} rows takes: raise it, or evaluate parts and merge their "
                f"tallies"
            )
        side = min(side, max_memory // room) if room else side
    return side, 1 if side > 1 else workers


def _summary(plan: Plan, pos_label: object, seconds: float) -> dict[str, Any]:
    labels = plan.labels
    known = labels.value.size - (
        0 if labels.missing is None else int(np.count_nonzero(labels.missing))
    )
    n_pos = int(np.count_nonzero(labels.value))
    return {
        "n_files": plan.columns.n_files,
        "n_rows": plan.columns.n_rows,
        "label": plan.columns.label.name,
        "pos_label": 1 if pos_label is None else pos_label,
        "n_pos": n_pos,
        "n_neg": known - n_pos,
        "prevalence": n_pos / known if known else None,
        "n_models": len(plan.columns.scores),
        "seconds": seconds,
    }
