"""Words in score order -> counts at the distinct scores of each group, with weights."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from types import ModuleType

import numpy as np

from ._order import PARALLEL_ROWS
from ._runtime import blocks, check, run
from ._types import AnyArray, Codes, Floats, Ints, Keys
from ._validate import Sample

__all__ = ["segment_tally", "shares"]


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
    groups = starts.size - 1
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    scales = np.zeros((groups, 2, 2), np.int64)
    loops.row_scales(sample.label, weight, code, scales)
    ordered = np.empty(sample.n)
    fetch = partial(loops.order_weights, words, weight)
    run([partial(fetch, a, b, ordered) for a, b in blocks(sample.n, threads)], threads)
    check()
    if groups == 1 and threads > 1 and sample.n >= PARALLEL_ROWS:
        # Parts of the one group, cut between tie groups, stand in for groups.
        firsts = [(words[start] >> 32) << 32 for start, _ in blocks(sample.n, threads)]
        edges = np.unique([*np.searchsorted(words, firsts), sample.n])
        before = _sums_above(words, ordered, scales[0], edges, loops, threads)
        scales = np.repeat(scales, edges.size - 1, axis=0)
    else:
        edges = starts
        before = np.zeros((groups, 2, 2), np.int64)
    sizes = np.zeros(edges.size - 1, np.int64)
    work = shares(edges, threads)
    run([partial(loops.segment_blocks, words, edges, a, b, sizes) for a, b in work], threads)
    first = np.cumsum(sizes) - sizes if edges is starts else np.cumsum(sizes[::-1])[::-1] - sizes
    total = int(sizes.sum())
    bits: Keys = np.empty(total, sample.codec.key_dtype)
    tp: AnyArray = np.empty(total)
    fp: AnyArray = np.empty(total)
    rows = (words, edges, sample.bits, sample.codec.flip, ordered, scales, before, first)
    run([partial(loops.segment_tally, *rows, a, b, bits, tp, fp) for a, b in work], threads)
    if sample.weight is None:
        tp, fp = tp.astype(np.int64), fp.astype(np.int64)
    ends = np.asarray([0, total]) if groups == 1 else np.append(first, total)
    return bits, tp, fp, ends.astype(np.int64)


def _sums_above(
    words: Ints, weight: Floats, scale: Ints, edges: Ints, loops: ModuleType, threads: int
) -> Ints:
    """Limb sums of all that lies above each part."""
    parts = list(pairwise(edges.tolist()))
    sums = np.zeros((len(parts), 2, 2), np.int64)
    run(
        [
            partial(loops.limb_sums, words, weight, scale, a, b, out)
            for (a, b), out in zip(parts, sums, strict=True)
        ],
        threads,
    )
    return np.cumsum(sums[::-1], axis=0)[::-1] - sums


def shares(starts: Ints, threads: int) -> list[tuple[int, int]]:
    """Runs of groups with about equal shares of the rows: group sizes are skewed as a rule."""
    marks = [start for start, _ in blocks(int(starts[-1]), threads)][1:]
    edges = [0, *np.searchsorted(starts, marks).tolist(), starts.size - 1]
    return [(a, b) for a, b in pairwise(edges) if a < b]
