"""bootstrap_threshold(): a threshold chosen anew in each replicate, and tried on rows not drawn."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType
from typing import Any, Literal

import numpy as np

from ._binomial import check_level
from ._bootstrap import choose_scheme, read_size
from ._columns import resolve
from ._counts import Counts, tally_counts
from ._cuts import counts_at
from ._draws import SCHEMES, Draws, Scheme, make_draws, read_seed
from ._engine import loops, resampling_rows
from ._operating import BestTies, OperatingPoint, best_point, read_goal
from ._panel import Panel, read_panel
from ._progress import reporting
from ._replicates import Scan, make_scan, task_edges
from ._requests import Request, measured
from ._runtime import check, run, thread_count
from ._score_cells import cut_score_cells
from ._threshold_bootstrap_replicates import ThresholdReplicates
from ._threshold_bootstrap_result import ThresholdBootstrap
from ._types import AnyArray, Bytes, EngineName, Ints, Missing, Progress
from ._units import Units
from ._validate import check_choice
from ._where import Cells, Constraint, read_where
from .errors import InputError

__all__ = ["bootstrap_threshold"]

REPLICATE_BYTES = 8 * (2 * 4 + 4) + 8 + 1
"""Eight counts, four values, a threshold, and whether it was reached."""


def bootstrap_threshold(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    weight: Any = None,
    cluster: Any = None,
    metric: Any = "f1",
    where: str | None = None,
    ties: BestTies = "lowest",
    direction: Literal["up", "down"] | None = None,
    scheme: Scheme = "auto",
    n_resamples: int = 1000,
    level: float = 0.95,
    seed: int | None = None,
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Missing = "raise",
    engine: EngineName = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> ThresholdBootstrap:
    """Choose the best threshold, and tell what it will do on rows that had no part in the choice.

    Each replicate draws rows, chooses a threshold on them by the rule of `Tally.best`, and
    measures it there, on the rows that it did not draw (out of bag), and on all rows.

    Parameters
    ----------
    data : table or path(s), optional
        As in `ranktally.evaluate`; so is `label`.
    label : str or array-like, shape (n,)
    scores : str, or array-like of shape (n,)
        One model.
    weight : str or array-like, shape (n,), optional
        A drawn row brings its weight along. Rows of weight 0 are left out before drawing.
    cluster : str or array-like, shape (n,), optional
        What is drawn as a whole, a customer or a day; out of bag are the clusters not drawn.
    metric : str or callable(tp, fp, tn, fn)
        What to optimise; see `Tally.best`.
    where : str, optional
        What the choice must meet on the rows it is made on, such as ``"recall >= 0.95"``.
    ties, direction
        As in `Tally.best`.
    scheme : {"auto", "multinomial", "stratified", "cluster", "poisson"}
        As in `ranktally.bootstrap`.
    n_resamples : int
    level : float
        Of the intervals, which are percentiles of the replicates.
    seed : int, optional
        From 0 to 2**64 - 1; None takes one from the operating system. The result tells it.
    pos_label, higher_is_better, engine, threads
        As in `ranktally.evaluate`.
    missing : {"raise", "omit", "worst"}
        As in `ranktally.evaluate`; under "worst" a row without a score is never positive.
    progress : bool or callable(done, total), optional
        Called after each batch of replicates.

    Returns
    -------
    ThresholdBootstrap

    Raises
    ------
    InputError
        If an argument, column or row cannot be used, or `scores` are those of several models.

    Notes
    -----
    The value of a metric at the threshold that is best for it is optimistic on the same rows. Two
    answers are given [1]_. `out_of_bag` averages over rows that were not drawn, about 37 % of
    them; it is a little pessimistic, as each choice saw only the other 63 %. `corrected` takes off
    the mean gap between a replicate's value on its own rows and on all rows.

    With `where`, `holds_out_of_bag` tells how often the constraint holds on rows that were not
    drawn. A rate that is met exactly on the rows at hand is met in about half of the cases on
    others: ask for more than what is needed.

    Nothing is known of other rows where there is a single row or cluster, where a class is in a
    single one, or where no threshold meets `where` on all rows: all that is said of them is nan
    then, with a status such as "one_cluster" or "unreachable". `replicates` has what was drawn.

    The rows are ordered once, with about 50 bytes a row. A replicate is two passes over them, and
    the metric at every distinct score: O(n), a few milliseconds for 100,000 rows. A thread needs 3
    bytes a row and 16 a distinct score. The same seed and scheme give the same bytes for any number
    of threads and either engine.

    References
    ----------
    .. [1] F. E. Harrell, K. L. Lee and D. B. Mark (1996), Multivariable prognostic models,
       Statistics in Medicine 15, section 6; B. Efron and R. J. Tibshirani (1993), An introduction
       to the bootstrap, chapter 17.

    Examples
    --------
    >>> import ranktally as rt
    >>> y = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> s = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0]
    >>> found = rt.bootstrap_threshold(label=y, scores=s, metric="f1", seed=1)
    >>> found.threshold, found.apparent, found.out_of_bag.estimate < found.apparent
    (0.6, 0.75, True)
    """
    check_choice("scheme", scheme, SCHEMES)
    check_choice("missing", missing, ("raise", "omit", "worst"))
    check_choice("ties", ties, ("lowest", "highest"))
    level, n_resamples = check_level(level), read_size(n_resamples)
    _check_room(n_resamples)
    seed, workers = read_seed(seed), thread_count(threads)
    goal = Goal(metric, None if where is None else read_where(where), ties, direction)
    request, _ = read_goal(metric, direction)
    chosen_scheme = choose_scheme(scheme, clustered=cluster is not None)
    columns = resolve(
        data, label=label, scores=scores, weight=weight, cluster=cluster, threads=workers
    )
    if len(columns.scores) != 1:
        names = ", ".join(repr(column.name) for column in columns.scores[:3])
        raise InputError(
            f"`scores` are those of {len(columns.scores)} models ({names}, ...), expected one: a "
            f"threshold is chosen for each alone"
        )
    panel = read_panel(columns, pos_label, higher_is_better, missing, workers)
    sample = panel.samples[0]
    chosen_loops = loops(engine, resampling_rows(sample.n, 1, n_resamples))
    whole = tally_counts(sample, chosen_loops, workers)
    chosen = goal.best(whole)
    draws = make_draws(chosen_scheme, seed, sample.label, panel.cluster, panel.n_clusters)
    with reporting(progress) as report:
        made = _run_all(panel, draws, goal, n_resamples, chosen_loops, workers, report)
    n_pos = int(np.count_nonzero(sample.label))
    return ThresholdBootstrap(
        model=panel.names[0],
        chosen=chosen,
        replicates=_measured(made, whole, request, goal.where),
        n=sample.n,
        n_pos=n_pos,
        n_neg=sample.n - n_pos,
        n_clusters=panel.n_clusters if chosen_scheme == "cluster" else None,
        totals=(whole.n_pos, whole.n_neg),
        scheme=chosen_scheme,
        seed=seed,
        n_resamples=n_resamples,
        level=level,
        _range=request.metric.range,
        # A choice weighs the two classes against each other, whatever the metric.
        _status=chosen.status
        if chosen.status != "ok"
        else Units.of(panel, sample.label).too_few(("no_positives", "no_negatives")),
    )


@dataclass(frozen=True)
class Goal:
    """What a threshold is chosen for."""

    metric: Any
    where: Constraint | None
    ties: BestTies
    direction: Literal["up", "down"] | None

    def best(self, counts: Counts) -> OperatingPoint:
        """The choice on a tally."""
        return best_point(counts, self.metric, self.where, self.ties, self.direction)


@dataclass(frozen=True)
class Made:
    """What the replicates leave: thresholds, and the four counts there, in bag and out of bag."""

    threshold: AnyArray
    reached: AnyArray
    in_bag: Cells
    out_of_bag: Cells


def _room(n_resamples: int, kind: type, threshold: np.dtype[Any]) -> Made:
    """Arrays of all replicates, still empty."""
    try:
        tables: AnyArray = np.zeros((2, 4, n_resamples), kind)
        chosen = np.zeros(n_resamples, threshold)
        return Made(chosen, np.zeros(n_resamples, bool), tuple(tables[0]), tuple(tables[1]))
    except MemoryError:
        raise _too_many(n_resamples) from None


def _check_room(n_resamples: int) -> None:
    """Refuse what no memory holds before anything is read; some systems promise more."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return
    if n_resamples * REPLICATE_BYTES > memory > 0:
        raise _too_many(n_resamples)


def _too_many(n_resamples: int) -> InputError:
    size = n_resamples * REPLICATE_BYTES / (1 << 30)
    return InputError(
        f"`n_resamples` {n_resamples:,} needs about {size:,.0f} GiB for its results: ask for fewer"
    )


@dataclass(frozen=True)
class Task:
    """What the replicates of a call share.

    Attributes
    ----------
    scored : ndarray
        Scores of the rows in falling order, each once; a missing one is none of them.
    selected : ndarray of int64
        How many rows each of them selects.
    label : ndarray of bool, shape (n,)
        In the order of the scan.
    """

    scan: Scan
    draws: Draws
    goal: Goal
    scored: AnyArray
    selected: Ints
    label: AnyArray

    @classmethod
    def of(cls, scan: Scan, draws: Draws, goal: Goal) -> Task:
        cells = scan.cells
        assert cells.threshold is not None
        scored = cells.threshold[:-1] if cells.missing_last else cells.threshold
        selected = cells.edges[1:][cells.ends != 0]
        label = np.repeat(cells.positive, np.diff(cells.edges)) != 0
        return cls(scan, draws, goal, scored, selected, label)

    def choose(self, tp: AnyArray, fp: AnyArray) -> tuple[int, OperatingPoint]:
        """Place of the best of the scores that were drawn, and what it is.

        A score of which no row was drawn repeats the counts of the one above it, and so is no
        better than that: the counts are searched as they are, from the first row drawn on.
        """
        n_pos, n_neg = tp[-1].item(), fp[-1].item()
        tp, fp = tp[: self.scored.size], fp[: self.scored.size]
        first = min(int(np.searchsorted(x, 0, side="right")) for x in (tp, fp))
        drawn = slice(first, None)
        point = self.goal.best(Counts(self.scored[drawn], tp[drawn], fp[drawn], n_pos, n_neg))
        if point.status != "ok":
            return -1, point
        return max(int(np.searchsorted(tp, point.tp)), int(np.searchsorted(fp, point.fp))), point

    def outside(self, counts: Bytes, k: int, tp: AnyArray, fp: AnyArray) -> Cells:
        """Counts at a score over the rows not drawn; `tp` and `fp` are room for a tally."""
        scan = self.scan
        if scan.cells.weight is None:
            left_out = counts[scan.place] == 0
            both = left_out & self.label
            above = slice(self.selected[k])
            n, n_pos = np.count_nonzero(left_out), np.count_nonzero(both)
            n_above, true = np.count_nonzero(left_out[above]), np.count_nonzero(both[above])
            false = n_above - true
            return true, false, n - n_pos - false, n_pos - true
        scan.tally((counts == 0).astype(np.uint8), tp, fp)
        return tp[k], fp[k], fp[-1] - fp[k], tp[-1] - tp[k]


def _run_all(
    panel: Panel,
    draws: Draws,
    goal: Goal,
    n_resamples: int,
    loops: ModuleType,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> Made:
    sample = panel.samples[0]
    cells = cut_score_cells(sample, np.empty(0), loops, threads, every=True)
    assert cells.threshold is not None
    kind = np.int64 if cells.weight is None else np.float64
    made = _room(n_resamples, kind, cells.threshold.dtype)
    task = Task.of(make_scan(cells, draws, "rows", loops), draws, goal)
    batch = partial(_run_batch, task, made)
    edges = task_edges(sample.n, n_resamples, threads)
    run([partial(batch, a, b) for a, b in pairwise(edges)], threads, progress)
    return made


def _run_batch(task: Task, made: Made, start: int, stop: int) -> None:
    scan, draws = task.scan, task.draws
    kind = made.in_bag[0].dtype
    tp, fp = np.empty(scan.cells.n_thresholds, kind), np.empty(scan.cells.n_thresholds, kind)
    counts = np.empty(draws.n_units, np.uint8)
    for replicate in range(start, stop):
        check()
        draws.draw(replicate, scan.loops, counts)
        scan.tally(counts, tp, fp)
        k, point = task.choose(tp, fp)
        if k < 0:
            continue
        made.reached[replicate] = True
        made.threshold[replicate] = task.scored[k]
        for side, count in zip(made.in_bag, (point.tp, point.fp, point.tn, point.fn), strict=True):
            side[replicate] = count
        for side, count in zip(made.out_of_bag, task.outside(counts, k, tp, fp), strict=True):
            side[replicate] = count


def _measured(
    made: Made, whole: Counts, request: Request, where: Constraint | None
) -> ThresholdReplicates:
    """The metric and the constraint at all choices at once."""
    on = made.reached
    at = counts_at(whole, made.threshold[on], complete=True)
    outside: Cells = tuple(side[on] for side in made.out_of_bag)
    inside: Cells = tuple(side[on] for side in made.in_bag)
    values = [np.full(on.size, np.nan) for _ in range(4)]
    if on.any():
        for value, cells in zip(
            values, (inside, outside, (at.tp, at.fp, at.tn, at.fn)), strict=False
        ):
            value[on] = measured(request, cells, "metric")
        if where is not None:
            truth, _ = where.judge(outside)
            values[3][on] = np.where(truth.yes, 1.0, np.where(truth.no, 0.0, np.nan))
    return ThresholdReplicates(made.threshold, on, values[0], values[1], values[2], values[3])
