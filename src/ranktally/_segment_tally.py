"""Words in score order -> counts at the distinct scores of each group, with weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from types import ModuleType

import numpy as np

from ._order import PARALLEL_ROWS
from ._runtime import blocks, check, run
from ._types import AnyArray, Codes, Floats, Ints, Keys
from ._validate import Sample

__all__ = ["segment_tally", "shares", "weight_scales", "words_tally"]


def segment_tally(
    sample: Sample, words: Ints, starts: Ints, code: Codes, loops: ModuleType, threads: int
) -> tuple[Keys, AnyArray, AnyArray, Ints]:
    """Counts at the distinct scores of each group of rows.

    Parameters
    ----------
    words : ndarray of int64, shape (n,)
        Rows of group g, ascending by score, in ``words[starts[g]:starts[g + 1]]``.
    code : ndarray of int32, shape (n,) or (0,)
        Group of each row; empty when there is one.

    Returns
    -------
    bits, tp, fp : ndarray, shape (k,)
        Of each tie group from the top of a group down, group after group.
    ends : ndarray of int64, shape (groups + 1,)
        Where each group begins in them.
    """
    scales = weight_scales(sample, code, starts.size - 1, loops, threads)
    if sample.weight is None:
        weight = np.ones(sample.n)
    else:
        weight = np.empty(sample.n)
        fetch = partial(loops.order_weights, words, sample.weight)
        run([partial(fetch, a, b, weight[a:b]) for a, b in blocks(sample.n, threads)], threads)
    rows = (sample.bits, sample.codec.flip, weight, scales)
    bits, tp, fp, ends = words_tally(words, starts, *rows, loops, threads)
    if sample.weight is None:
        tp, fp = tp.astype(np.int64), fp.astype(np.int64)
    return bits, tp, fp, ends


def words_tally(
    words: Ints,
    starts: Ints,
    bits: Keys,
    flip: int,
    weight: Floats,
    scales: Ints,
    loops: ModuleType,
    threads: int,
) -> tuple[Keys, AnyArray, AnyArray, Ints]:
    """Counts like `segment_tally`, of words that lead to `bits`, and weights in their order."""
    n, groups = words.size, starts.size - 1
    check()
    edges, before = starts, np.zeros((groups, 2, 2), np.int64)
    above: list[Callable[[], None]] = []
    if groups == 1 and threads > 1 and n >= PARALLEL_ROWS:
        # Parts of the one group, cut between tie groups, stand in for groups.
        firsts = [(words[start] >> 32) << 32 for start, _ in blocks(n, threads)]
        edges = np.unique([*np.searchsorted(words, firsts), n])
        scales = np.repeat(scales, edges.size - 1, axis=0)
        before = np.zeros(scales.shape, np.int64)
        limbs = partial(loops.limb_sums, words, weight, scales[0])
        # Nothing lies below the first part, which need not be summed.
        above = [partial(limbs, edges[p], edges[p + 1], before[p]) for p in range(1, len(before))]
    sizes = np.zeros(edges.size - 1, np.int64)
    work = shares(edges, threads)
    count = partial(loops.segment_blocks, words, edges)
    run(above + [partial(count, a, b, sizes) for a, b in work], threads)
    first = np.cumsum(sizes) - sizes
    if above:
        first = np.cumsum(sizes[::-1])[::-1] - sizes
        before = np.cumsum(before[::-1], axis=0)[::-1] - before
    total = int(sizes.sum())
    keys: Keys = np.empty(total, bits.dtype)
    tp: AnyArray = np.empty(total)
    fp: AnyArray = np.empty(total)
    rows = (words, edges, bits, flip, weight, scales, before, first)
    run([partial(loops.segment_tally, *rows, a, b, keys, tp, fp) for a, b in work], threads)
    ends = np.asarray([0, total]) if groups == 1 else np.append(first, total)
    return keys, tp, fp, ends.astype(np.int64)


def weight_scales(
    sample: Sample, code: Codes, groups: int, loops: ModuleType, threads: int
) -> Ints:
    """Limb exponents of each group and class: shape (groups, 2, 2)."""
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    parts = blocks(sample.n, threads if groups == 1 and sample.n >= PARALLEL_ROWS else 1)
    rows = np.zeros((len(parts), groups, 2), np.int64)
    largest = np.zeros((len(parts), groups, 2))
    tasks = [
        partial(loops.weight_ranges, sample.label, weight, code, a, b, rows[p], largest[p])
        for p, (a, b) in enumerate(parts)
    ]
    run(tasks, threads)
    scales = np.zeros((groups, 2, 2), np.int64)
    loops.fixed_points(rows.sum(axis=0), largest.max(axis=0), scales)
    return scales


def shares(starts: Ints, threads: int) -> list[tuple[int, int]]:
    """Runs of groups with about equal shares of the rows: group sizes are skewed as a rule."""
    marks = [start for start, _ in blocks(int(starts[-1]), threads)][1:]
    edges = [0, *np.searchsorted(starts, marks).tolist(), starts.size - 1]
    return [(a, b) for a, b in pairwise(edges) if a < b]
