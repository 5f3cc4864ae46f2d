"""Groups: one order of the scores, then one counting pass for each grouping."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np

from ._counts import Counts, counts_of, sample_areas
from ._grouping import Grouping, group_starts
from ._order import PARALLEL_ROWS, check_range, order_rows, sort_parts
from ._runtime import blocks, check, run
from ._segment_tally import segment_tally, shares, weight_scales
from ._types import AnyArray, Codes, Floats, Ints
from ._validate import MAX_PAIRS, MAX_POSITIVES, Sample

__all__ = ["GroupAreas", "cut_counts", "group_areas", "group_tallies"]

MAX_EXACT = 1 << 53
MAX_PACKED = 1 << 30  # groups that a word holds beside the key and the label
SUMS = 7
DEALT_ROWS = 1 << 20  # between two looks at whether the call is over


@dataclass(frozen=True)
class GroupAreas:
    """Areas of each group; arrays of shape (groups,), nan where a class is missing."""

    n_pos: Ints | Floats
    n_neg: Ints | Floats
    roc_auc: Floats
    average_precision: Floats
    ks: Floats


def group_areas(
    sample: Sample,
    groupings: Sequence[Grouping],
    wanted: Collection[str],
    loops: ModuleType,
    threads: int,
) -> list[GroupAreas]:
    """Areas of every group of every grouping, from one order of the rows.

    `wanted` holds names of area metrics; those that are not wanted may be left nan, since the
    exact division of average precision is the dearest part of many small groups.
    """
    if sample.weight is None:
        n_pos = int(np.count_nonzero(sample.label))
        check_range(n_pos, sample.n - n_pos)
        if sample.codec.width == 4 and all(g.size < MAX_PACKED for g in groupings):
            return [_packed_areas(sample, g, wanted, loops, threads) for g in groupings]
    words = order_rows(sample, loops, threads)
    return [_areas(sample, words, g, wanted, loops, threads) for g in groupings]


def _packed_areas(
    sample: Sample, grouping: Grouping, wanted: Collection[str], loops: ModuleType, threads: int
) -> GroupAreas:
    """Areas from one sort by group and score."""
    if grouping.is_total:
        return GroupAreas(*(np.asarray([x]) for x in sample_areas(sample, loops, threads)))
    n = sample.n
    if n < PARALLEL_ROWS:
        threads = 1
    words = np.empty(n, np.int64)
    pack = partial(loops.pack_groups, sample.label, sample.bits, sample.codec.flip)
    code = grouping.codes_of(sample)
    run([partial(pack, code, a, b, words) for a, b in blocks(n, threads)], threads)
    sort_parts([words], threads)
    marks = [a for a, _ in blocks(n, threads)][1:]
    edges = [0, *np.searchsorted(words, words[marks] >> 33 << 33).tolist(), n]
    sums = np.zeros((SUMS, grouping.size), np.int64)
    run([partial(loops.group_sums, words, a, b, sums) for a, b in pairwise(edges)], threads)
    return _whole_areas(sample, sums, wanted)


def _areas(
    sample: Sample,
    words: Ints,
    grouping: Grouping,
    wanted: Collection[str],
    loops: ModuleType,
    threads: int,
) -> GroupAreas:
    words, code, starts = _dealt(sample, words, grouping, loops)
    if sample.weight is None or (sample.count is not None and _fits(sample)):
        return _integer_areas(sample, words, starts, wanted, loops, threads)
    return _weighted_areas(sample, words, starts, code, loops, threads)


def _dealt(
    sample: Sample, words: Ints, grouping: Grouping, loops: ModuleType
) -> tuple[Ints, Codes, Ints]:
    """Words dealt to their groups, order kept; the rows' groups; where each group starts."""
    code = grouping.codes_of(sample)
    if grouping.is_total:
        return words, code, np.asarray([0, sample.n], np.int64)
    starts = grouping.starts if sample.kept is None else group_starts(code, grouping.size)
    dealt = np.empty_like(words)
    ends = starts[:-1].copy()
    for start, stop in blocks(words.size, 1 + words.size // DEALT_ROWS):
        check()
        loops.group_words(words[start:stop], code, ends, dealt)
    return dealt, code, starts


def _fits(sample: Sample) -> bool:
    """Whether sums of whole weights stay within the integer loops' range."""
    assert sample.count is not None
    n_pos = int(sample.count[sample.label == 1].sum())
    n_neg = int(sample.count[sample.label == 0].sum())
    return n_pos * n_neg < MAX_PAIRS and n_pos < MAX_POSITIVES


def _integer_areas(
    sample: Sample,
    words: Ints,
    starts: Ints,
    wanted: Collection[str],
    loops: ModuleType,
    threads: int,
) -> GroupAreas:
    count = np.empty(0, np.int64) if sample.count is None else sample.count
    sums = np.zeros((SUMS, starts.size - 1), np.int64)
    work = shares(starts, threads)
    run([partial(loops.segment_areas, words, starts, count, a, b, sums) for a, b in work], threads)
    return _whole_areas(sample, sums, wanted)


def _whole_areas(sample: Sample, sums: Ints, wanted: Collection[str]) -> GroupAreas:
    """Divide the integer sums of each group, those that are wanted."""
    n_pos, n_neg, twice_u, ap_high, ap_low, above, below = sums
    pairs = n_pos * n_neg
    nothing = np.full(pairs.size, np.nan)
    ap = _exact_precision(n_pos, ap_high, ap_low) if "average_precision" in wanted else nothing
    ks = _exact_ratio(np.maximum(above, below), pairs) if "ks" in wanted else nothing
    return GroupAreas(
        n_pos if sample.weight is None else n_pos.astype(np.float64),
        n_neg if sample.weight is None else n_neg.astype(np.float64),
        _exact_ratio(twice_u, 2 * pairs),
        ap,
        ks,
    )


def _exact_ratio(numerator: Ints, denominator: Ints) -> Floats:
    """Correctly rounded quotients: float division where both are exact, else Python's integers."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = numerator / denominator
    ratio[denominator == 0] = np.nan
    for g in np.flatnonzero(denominator >= MAX_EXACT):
        ratio[g] = int(numerator[g]) / int(denominator[g])
    return ratio


def _exact_precision(n_pos: Ints, high: Ints, low: Ints) -> Floats:
    return np.asarray(
        [
            ((h << 31) + part) / (m << 62) if m else np.nan
            for m, h, part in zip(n_pos.tolist(), high.tolist(), low.tolist(), strict=True)
        ],
        np.float64,
    )


def _weighted_areas(
    sample: Sample, words: Ints, starts: Ints, code: Codes, loops: ModuleType, threads: int
) -> GroupAreas:
    _, tp, fp, ends = segment_tally(sample, words, starts, code, loops, threads)
    n_pos, n_neg = _last(tp, ends), _last(fp, ends)
    out = np.empty((starts.size - 1, 3))
    loops.weighted_areas(tp, fp, ends, n_pos, n_neg, out)
    return GroupAreas(n_pos, n_neg, out[:, 0], out[:, 1], out[:, 2])


def _last(counts: Floats, ends: Ints) -> Floats:
    """Counts at the last tie group of each group; 0 for an empty one."""
    padded = np.concatenate([counts, [0.0]])
    return np.where(np.diff(ends) > 0, padded[ends[1:] - 1], 0.0)


def group_tallies(
    sample: Sample, words: Ints, grouping: Grouping, loops: ModuleType, threads: int
) -> list[Counts]:
    """Counts at every distinct score of each group, for metrics that need whole curves."""
    check()
    words, code, starts = _dealt(sample, words, grouping, loops)
    bits, tp, fp, ends = segment_tally(sample, words, starts, code, loops, threads)
    return [counts_of(sample, bits[a:b], tp[a:b], fp[a:b]) for a, b in pairwise(ends)]


def cut_counts(
    sample: Sample, thresholds: Floats, grouping: Grouping, loops: ModuleType, threads: int
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Counts at given thresholds, without a sort: O(n log k).

    Returns
    -------
    tp, fp : ndarray, shape (groups, k)
    n_pos, n_neg : ndarray, shape (groups,)
    """
    check()
    order = np.argsort(thresholds, kind="stable")
    keys, reachable = sample.codec.cut_keys(thresholds[order], has_missing=sample.has_missing)
    shape = (grouping.size, 2, keys.size + 1)
    code = grouping.codes_of(sample)
    rows = (sample.label, sample.bits, sample.codec.flip, keys, code)
    if sample.weight is None or sample.count is not None:
        above = _count_cuts(sample, rows, shape, loops, threads)
    else:
        heads, tails = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        above = np.zeros(shape)
        scales = weight_scales(sample, code, grouping.size, loops, threads)
        loops.cut_weights(*rows, sample.weight, scales, heads, tails, above)
    totals = above[:, :, 0]
    at = above[:, :, 1:].copy()
    at[:, :, ~reachable] = 0
    back = np.argsort(order, kind="stable")
    return at[:, 1][:, back], at[:, 0][:, back], totals[:, 1], totals[:, 0]


def _count_cuts(
    sample: Sample,
    rows: tuple[Any, ...],
    shape: tuple[int, int, int],
    loops: ModuleType,
    threads: int,
) -> AnyArray:
    """Whole counts between cuts, by threads with a table each, summed from above."""
    count = np.empty(0, np.int64) if sample.count is None else sample.count
    if shape[0] * shape[2] * 8 > sample.n or sample.n < 1 << 17:
        threads = 1  # the tables would outweigh the rows
    tables = []
    tasks = []
    for start, stop in blocks(sample.n, threads):
        table = np.zeros(shape, np.int64)
        tables.append(table)
        tasks.append(partial(loops.cut_counts, *rows, count, start, stop, table))
    run(tasks, threads)
    total = sum(tables[1:], tables[0])
    above = np.cumsum(total[:, :, ::-1], axis=2)[:, :, ::-1]
    return above if sample.weight is None else above.astype(np.float64)
