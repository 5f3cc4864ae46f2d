"""The permutation test of two models on the same rows.

If the models were exchangeable, each row's two ranks could stand either way round. A replicate
swaps them, for each row (or each cluster of rows) with probability one half, and ranks both columns
anew. What is swapped is the mid-rank that the row has within each model, never the score: scores of
two models need not be on one scale, as a probability and a margin are not. At a threshold the two
decisions are swapped in their place.

A mid-rank is a half of a whole number, so that a replicate needs no sort: rows are counted in the
cells of at most 2 n places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType

import numpy as np

from ._counts import Counts, areas_of_counts
from ._draws import seed_key
from ._order import check_range, order_rows
from ._panel import Panel
from ._requests import Request, measured
from ._runtime import check, run
from ._types import AnyArray, Floats, Ints
from ._validate import Sample
from .errors import InputError

__all__ = ["Permuted", "permutation_tests", "reads_values"]

HALF = 0xFFFFFFFF
# Words of the generator are named by their purpose; strata of a bootstrap have the small ones.
PURPOSE = 1 << 24
# Differences that are this share of the larger value apart are the same one, rounded otherwise.
SAME = 1e-12
TASK_ROWS = 10_000_000
TASKS_PER_THREAD = 8
AREAS_OF_PAIRS = ("roc_auc", "gini")


@dataclass(frozen=True)
class Permuted:
    """The test of one metric of two models.

    Attributes
    ----------
    p : float
        ``(count + 1) / (defined + 1)``: the share of the replicates, of those in which the metric
        is defined, whose difference is at least as large as the one found, which is one of them.
        nan when that one is undefined or infinite.
    n_undefined : int
    """

    p: float
    n_undefined: int


@dataclass(frozen=True)
class _Cells:
    """Rows of two models in cells that replicates swap; see ``kernels/_permuting.py``.

    Attributes
    ----------
    unit : ndarray of int32, shape (n,)
        Which bit swaps the row.
    n_units : int
    first, second : ndarray of int32 or int64, shape (n,)
    weight : ndarray of float64, shape (n,), or None
    both : ndarray of int32, shape (cells,)
        Rows of both models together.
    still : ndarray, shape (cells,)
        What is in the cells of either model besides, whatever is swapped.
    """

    unit: AnyArray
    n_units: int
    first: AnyArray
    second: AnyArray
    weight: Floats | None
    both: AnyArray
    still: AnyArray

    @property
    def of_pairs(self) -> bool:
        """Whether pairs of the classes can be counted in whole numbers."""
        return self.weight is None and all(bool(self.both[c::2].any()) for c in (0, 1))

    def swapped(self, words: AnyArray, loops: ModuleType) -> tuple[AnyArray, AnyArray]:
        """Cells of both models after the swaps that the words say: counts, or sums of weights."""
        layout = (words, self.unit, self.first, self.second)
        if self.weight is not None:
            sums = np.empty((2, self.both.size))
            loops.swap_weights(*layout, self.weight, sums)
            return sums[0], sums[1]
        counts = np.empty(self.both.size, np.int32)
        loops.swap_counts(*layout, counts)
        return counts, self.both - counts


def reads_values(request: Request) -> bool:
    """Whether a metric needs the scores themselves, of which swapped ranks know nothing."""
    return "scores_outside_0_1" in request.metric.undefined


def permutation_tests(
    panel: Panel,
    pairs: Sequence[tuple[int, int]],
    requests: Sequence[Request],
    cuts: AnyArray,
    *,
    n_resamples: int,
    seed: int,
    loops: ModuleType,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> list[list[Permuted]]:
    """Test metrics of pairs of models: a list a pair, in the order of the requests.

    `cuts` holds the one threshold of the metrics that need one. The bits of a replicate depend on
    the seed and its number, and are the same for every pair. O(n) time a replicate, after one
    order of each model; about 45 bytes a row, and 30 for each thread.

    Raises
    ------
    InputError
        For a metric that reads the scores themselves.
    """
    for request in requests:
        if reads_values(request):
            raise InputError(
                f"`metric` {request.label!r} reads the scores themselves, and a permutation swaps "
                f'ranks: pass method="bootstrap"'
            )
    label = panel.samples[0].label
    n_pos = int(np.count_nonzero(label))
    check_range(n_pos, label.size - n_pos)
    models = sorted({model for pair in pairs for model in pair})
    ranked = [r for r in requests if r.metric.needs != "counts"]
    cut = [r for r in requests if r.metric.needs == "counts"]
    orders = {m: _order(panel.samples[m], loops, threads) for m in models} if ranked else {}
    chosen = {m: _decisions(panel.samples[m], cuts) for m in models} if cut else {}
    jobs = [(pair, group) for pair in pairs for group in (ranked, cut) if group]
    found: dict[tuple[tuple[int, int], str], Permuted] = {}
    for number, ((i, j), group) in enumerate(jobs):
        if group is ranked:
            cells = _rank_cells(panel, orders[i], orders[j])
        else:
            cells = _decision_cells(panel, chosen[i], chosen[j])
        told = None if progress is None else partial(_tell, progress, number, len(jobs))
        tests = _test(cells, group, n_resamples, seed_key(seed), loops, threads, told)
        found |= {((i, j), r.label): test for r, test in zip(group, tests, strict=True)}
    return [[found[pair, r.label] for r in requests] for pair in pairs]


def _tell(
    progress: Callable[[int, int], object], number: int, jobs: int, done: int, total: int
) -> None:
    progress(number * total + done, jobs * total)


# -- cells -----------------------------------------------------------------------------------------


def _order(sample: Sample, loops: ModuleType, threads: int) -> tuple[AnyArray, AnyArray]:
    """Rows in rising order of their scores, and twice the mid-rank of each row."""
    words = order_rows(sample, loops, threads)
    row = ((words & HALF) >> 1).astype(np.int32)
    new = np.ones(row.size, bool)
    np.not_equal(words[1:] >> 32, words[:-1] >> 32, out=new[1:])
    del words
    first = np.flatnonzero(new)
    last = np.append(first[1:], row.size)
    rank = np.empty(row.size, _narrow(2 * row.size + 1))
    rank[row] = np.repeat(first + last + 1, last - first)
    return row, rank


def _rank_cells(
    panel: Panel, one: tuple[AnyArray, AnyArray], other: tuple[AnyArray, AnyArray]
) -> _Cells:
    row, first = one
    second = other[1]
    # Only ranks that occur have a place; the highest has place 0.
    held = np.zeros(2 * row.size + 1, bool)
    held[first] = held[second] = True
    place = np.cumsum(held[::-1], dtype=_narrow(held.size))[::-1] - 1
    # Rows in the order of one model count into cells that are close together.
    return _cells(panel, place[first], place[second], row, int(place[0]) + 1, np.zeros(0))


def _decisions(sample: Sample, cuts: AnyArray) -> AnyArray:
    """Place of each row: 0 for those predicted positive, 1 for the others."""
    keys, reachable = sample.codec.cut_keys(cuts[:1], has_missing=sample.has_missing)
    bits = sample.bits.astype(np.int64)
    if sample.codec.flip:
        bits = np.where(bits < 0, bits ^ np.int64(sample.codec.flip), bits)
        bits[bits == -1] = 0  # -0.0
    chosen = (bits >= keys[0]) & reachable[0]
    return np.asarray(~chosen, np.int64)


def _decision_cells(panel: Panel, first: AnyArray, second: AnyArray) -> _Cells:
    sample = panel.samples[0]
    # Nothing changes where both models decide the same.
    agreed = first == second
    still = np.bincount(
        2 * first[agreed] + sample.label[agreed],
        None if sample.weight is None else sample.weight[agreed],
        minlength=4,
    )
    return _cells(panel, first, second, np.flatnonzero(~agreed).astype(np.int32), 2, still)


def _cells(
    panel: Panel, first: AnyArray, second: AnyArray, row: AnyArray, places: int, still: AnyArray
) -> _Cells:
    sample = panel.samples[0]
    label = sample.label[row]
    one, other = ((2 * place[row] + label).astype(_narrow(places)) for place in (first, second))
    both = np.bincount(one, minlength=2 * places).astype(np.int32)
    both += np.bincount(other, minlength=2 * places).astype(np.int32)
    return _Cells(
        unit=row if panel.cluster is None else panel.cluster[row].astype(np.int32),
        n_units=sample.n if panel.cluster is None else panel.n_clusters,
        first=one,
        second=other,
        weight=None if sample.weight is None else sample.weight[row],
        both=both,
        still=still,
    )


def _narrow(places: int) -> type[np.int32] | type[np.int64]:
    """Return the type that holds the cells of so many places."""
    return np.int32 if places < 1 << 30 else np.int64


# -- replicates ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """What replicates leave, before metrics: a line a replicate, the last one without any swap.

    `pairs` are twice the differences of pairs in order, `values` those of metrics of ranks, and
    `counts` the tp, fp, tn and fn of both models at the threshold.
    """

    pairs: Ints
    values: Floats
    counts: AnyArray


def _test(
    cells: _Cells,
    requests: Sequence[Request],
    n_resamples: int,
    key: AnyArray,
    loops: ModuleType,
    threads: int,
    progress: Callable[[int, int], object] | None,
) -> list[Permuted]:
    found = _Found(
        np.zeros(n_resamples + 1, np.int64),
        np.zeros((n_resamples + 1, 2, len(requests))),
        np.zeros((4, n_resamples + 1, 2), np.int64 if cells.weight is None else np.float64),
    )
    most = max(1, TASK_ROWS // max(cells.unit.size, 1))
    size = max(1, min(most, n_resamples // (TASKS_PER_THREAD * threads)))
    edges = [*range(0, n_resamples, size), n_resamples + 1]
    batch = partial(_run_batch, cells, requests, key, loops, found)
    run([partial(batch, a, b) for a, b in pairwise(edges)], threads, progress)
    return [_judge(_differences(cells, r, k, found)) for k, r in enumerate(requests)]


def _run_batch(
    cells: _Cells,
    requests: Sequence[Request],
    key: AnyArray,
    loops: ModuleType,
    found: _Found,
    start: int,
    stop: int,
) -> None:
    words = np.zeros(-(-cells.n_units // 32), np.uint32)
    of_counts = requests[0].metric.needs == "counts"
    by_pairs = [_is_exact(r, cells) for r in requests]
    others = [(k, r) for k, r in enumerate(requests) if not by_pairs[k]]
    for replicate in range(start, stop):
        check()
        if replicate < found.pairs.size - 1:
            loops.draw_words(key, replicate, PURPOSE, words)
        else:
            words[:] = 0
        both = cells.swapped(words, loops)
        if of_counts:
            for m, model in enumerate(both):
                fp, tp, tn, fn = model + cells.still
                found.counts[:, replicate, m] = tp, fp, tn, fn
            continue
        if any(by_pairs):
            found.pairs[replicate] = loops.pair_halves(both[0]) - loops.pair_halves(both[1])
        if others:
            for m, model in enumerate(both):
                found.values[replicate, m] = _values(model, others, len(requests), loops)


def _is_exact(request: Request, cells: _Cells) -> bool:
    """Whether differences are whole numbers of pairs."""
    metric = request.metric
    return metric.needs == "areas" and metric.name in AREAS_OF_PAIRS and cells.of_pairs


def _values(
    model: AnyArray, requests: Sequence[tuple[int, Request]], size: int, loops: ModuleType
) -> Floats:
    room: AnyArray = np.empty(
        (2, model.size // 2), np.int64 if model.dtype.kind == "i" else np.float64
    )
    tp, fp = room[:, : int(loops.running_cells(model, *room))]
    held = tp.size
    counts = Counts(np.arange(held, 0, -1), tp, fp, tp[-1].item(), fp[-1].item())
    values = np.full(size, np.nan)
    areas = None
    for k, request in requests:
        if request.metric.needs == "areas":
            areas = areas_of_counts(counts, loops) if areas is None else areas
            values[k] = request.function(areas)
        else:
            values[k] = request.function(counts)
    return values


# -- the test --------------------------------------------------------------------------------------


def _differences(cells: _Cells, request: Request, k: int, found: _Found) -> tuple[Floats, Floats]:
    """Absolute differences of all replicates, and how far apart two equal ones may come out."""
    if _is_exact(request, cells):
        return np.abs(found.pairs), np.zeros(found.pairs.size)
    if request.metric.needs == "counts":
        values = measured(request, tuple(found.counts), "metric")
    else:
        values = found.values[:, :, k]
    with np.errstate(invalid="ignore"):  # infinite in both models
        gap = np.abs(values[:, 0] - values[:, 1])
        return gap, SAME * np.abs(values).max(axis=1)


def _judge(differences: tuple[AnyArray, Floats]) -> Permuted:
    gap, slack = differences
    defined = ~np.isnan(gap[:-1])
    total = int(np.count_nonzero(defined))
    undefined = defined.size - total
    if not np.isfinite(gap[-1]):
        return Permuted(np.nan, undefined)
    with np.errstate(invalid="ignore"):
        reached = gap[:-1] >= gap[-1] - np.maximum(slack[:-1], slack[-1])
    return Permuted((int(np.count_nonzero(reached & defined)) + 1) / (total + 1), undefined)
