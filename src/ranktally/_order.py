"""Sample -> ordered: the one sort, in the form that the question needs.

Without weights two keys-only sorts, one a class, are all that areas and tallies need: no
permutation exists. Weights, groups and resampling need to know which row is where: they get words
that carry the row along (see ``kernels/_rows.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType

import numpy as np

from ._runtime import blocks, run
from ._types import Bytes, Floats, Ints, Keys
from ._validate import MAX_PAIRS, MAX_POSITIVES, Sample
from .errors import InputError

__all__ = ["SortedClasses", "key_ends", "order_rows", "order_weights", "sort_classes"]

# Below this many rows a second thread costs more than it brings.
PARALLEL_ROWS = 1 << 17
MAX_WORD_ROWS = 1 << 31
# Rows are dealt by the leading bits of their keys: to parts of about the rows that a core's cache
# holds, and to few, since a core writes slowly to more places than it has page addresses at hand.
CELL_BITS = 16
CELLS = (1 << CELL_BITS) + 1
PART_ROWS = 1 << 16
MAX_PARTS = 16


@dataclass(frozen=True)
class SortedClasses:
    """Keys of each class, ascending, and the parts in which threads may walk them.

    `cuts` are (i, j) positions in `pos` and `neg` from the top to (0, 0); between two of them
    lie whole tie groups.
    """

    pos: Keys
    neg: Keys
    cuts: list[tuple[int, int]]


def sort_classes(sample: Sample, loops: ModuleType, threads: int) -> SortedClasses:
    """Split the scores by class and sort each: O(n log n) time, the keys' bytes of room."""
    n = sample.n
    if n < PARALLEL_ROWS:
        threads = 1
    n_pos = int(np.count_nonzero(sample.label))
    check_range(n_pos, n - n_pos)
    out = np.empty(n, sample.codec.key_dtype)
    tasks = []
    i, j = 0, n_pos
    for start, stop in blocks(n, threads):
        split = (sample.label, sample.bits, sample.codec.flip, start, stop, out, i, j)
        tasks.append(partial(loops.split_classes, *split))
        found = int(np.count_nonzero(sample.label[start:stop]))
        i += found
        j += stop - start - found
    run(tasks, threads)
    pos, neg = out[:n_pos], out[n_pos:]
    sort_parts([pos, neg], threads)
    if sample.codec.flip:
        join_zeros(pos)
        join_zeros(neg)
    return SortedClasses(pos, neg, _cuts(pos, neg, threads))


def join_zeros(keys: Keys) -> None:
    """Give -0.0, whose key is -1 and no other float's, the key of 0.0, which comes next."""
    first, last = (
        np.searchsorted(keys, keys.dtype.type(-1)),
        np.searchsorted(keys, keys.dtype.type(0)),
    )
    keys[first:last] = 0


def check_range(n_pos: int, n_neg: int) -> None:
    """Raise InputError where the sums of the loops would leave int64."""
    if n_pos * n_neg >= MAX_PAIRS or n_pos >= MAX_POSITIVES:
        raise InputError(
            f"{n_pos} positive and {n_neg} negative rows are more than one exact sum can hold "
            f"(positives below 2**32, pairs below 2**62): evaluate parts of the rows"
        )


def sort_parts(arrays: list[Keys], threads: int) -> None:
    """Sort arrays in place, cutting large ones at ranks so that each thread sorts one range."""
    parts: list[Keys] = []
    total = sum(a.size for a in arrays)
    for array in arrays:
        share = max(1, round(threads * array.size / total)) if total else 1
        ranks = [start for start, _ in blocks(array.size, share)][1:]
        if ranks:
            array.partition(ranks)
        edges = [0, *ranks, array.size]
        parts += [array[a:b] for a, b in pairwise(edges)]
    parts.sort(key=lambda part: -part.size)
    run([part.sort for part in parts], threads)


def _cuts(pos: Keys, neg: Keys, threads: int) -> list[tuple[int, int]]:
    """Positions that part both classes at the same keys, into about equal shares."""
    larger = pos if pos.size >= neg.size else neg
    cuts = [(pos.size, neg.size)]
    for start, _ in reversed(blocks(larger.size, threads)[1:]):
        key = larger[start]
        cut = (int(np.searchsorted(pos, key)), int(np.searchsorted(neg, key)))
        if cut != cuts[-1]:
            cuts.append(cut)
    if cuts[-1] != (0, 0):
        cuts.append((0, 0))
    return cuts


def order_rows(sample: Sample, loops: ModuleType, threads: int) -> Ints:
    """Words of all rows, ascending by score: O(n log n) time, 8 bytes a row.

    Raises
    ------
    InputError
        If there are 2**31 rows or more.
    """
    n = sample.n
    _check_words(n)
    if n < PARALLEL_ROWS:
        threads = 1
    words = np.empty(n, np.int64)
    low, shift = 0, 0
    if sample.codec.width == 8:
        low, high = key_ends(sample.bits, sample.codec.flip)
        shift = _left_bits(low, high)
    rows = (sample.label, sample.bits, sample.codec.flip, low, shift)
    run([partial(loops.pack_words, *rows, a, b, words) for a, b in blocks(n, threads)], threads)
    sort_parts([words], threads)
    if shift:
        # Runs of one upper half must not be cut: begin each part where a run begins.
        marks = [start for start, _ in blocks(n, threads)][1:]
        edges = [0, *np.searchsorted(words, words[marks] >> 32 << 32).tolist(), n]
        keys = np.empty(n, np.int64)
        run(
            [
                partial(loops.refine_words, sample.bits, sample.codec.flip, words, a, b, keys[a:b])
                for a, b in pairwise(edges)
                if a < b
            ],
            threads,
        )
    return words


def order_weights(sample: Sample, loops: ModuleType, threads: int) -> tuple[Ints, Keys, Floats]:
    """Words of the rows of some weight, ascending by score, and the weights in that order.

    Rows are dealt to parts of rising scores, each of which is then sorted on its own: within a part
    the weights are near enough to be put in order from a core's cache. O(n log n) time, 24 bytes a
    row, 32 of 64-bit scores.

    Returns
    -------
    words : ndarray of int64, shape (m,)
        The lower half holds ``place * 2 + label``.
    bits : ndarray
        Score bits by place; none of 32-bit scores, which are in the words themselves.
    weight : ndarray of float64, shape (m,)
        In the order of `words`.

    Raises
    ------
    InputError
        If there are 2**31 rows or more.
    """
    n, weight, flip = sample.n, sample.weight, sample.codec.flip
    assert weight is not None
    _check_words(n)
    if n < PARALLEL_ROWS:
        threads = 1
    low, high = key_ends(sample.bits, flip)
    shift = _left_bits(low, high) if sample.codec.width == 8 else 0
    cell = max(0, min(32, (high - low).bit_length()) - CELL_BITS)
    keys = (sample.bits, flip, weight, low, shift, cell)
    ranges = blocks(n, threads)
    counts = np.zeros((len(ranges), CELLS), np.int64)
    count = partial(loops.count_cells, *keys)
    run([partial(count, *ab, c) for ab, c in zip(ranges, counts, strict=True)], threads)
    part, edges, ends = _parts(counts)
    m = int(edges[-1])
    words, dealt = np.empty(m, np.int64), np.empty(m)
    bits: Keys = np.empty(m if sample.codec.width == 8 else 0, sample.codec.key_dtype)
    deal = partial(loops.deal_words, sample.label, *keys, part)
    tasks = [partial(deal, *ab, e, words, dealt, bits) for ab, e in zip(ranges, ends, strict=True)]
    run(tasks, threads)
    ordered = np.empty(m)

    def order(start: int, stop: int) -> None:
        words[start:stop].sort()
        if shift:
            loops.refine_words(bits, flip, words, start, stop, np.empty(stop - start, np.int64))
        loops.order_weights(words, dealt, start, stop, ordered[start:stop])

    run([partial(order, *ab) for ab in pairwise(edges.tolist())], threads)
    return words, bits, ordered


def _parts(counts: Ints) -> tuple[Bytes, Ints, Ints]:
    """Deal cells to parts of about equal size.

    Returns
    -------
    part : ndarray of uint8, shape (cells,)
    edges : ndarray, shape (parts + 1,)
    ends : ndarray, shape (ranges, parts)
        Where the rows of each range begin in each part.
    """
    cells = counts.sum(axis=0)
    rows = int(cells.sum())
    parts = max(1, min(MAX_PARTS, rows // PART_ROWS))
    part = np.minimum((np.cumsum(cells) - cells) * parts // max(rows, 1), parts - 1)
    sizes = np.asarray([np.bincount(part, c, parts) for c in counts]).astype(np.int64)
    edges = np.append(0, np.cumsum(sizes.sum(axis=0)))
    return part.astype(np.uint8), edges, edges[:-1] + np.cumsum(sizes, axis=0) - sizes


def _check_words(n: int) -> None:
    if n >= MAX_WORD_ROWS:
        raise InputError(
            f"{n} rows with weights or groups are more than one call can order (2**31): evaluate "
            f"parts of the rows"
        )


def key_ends(bits: Keys, flip: int) -> tuple[int, int]:
    """Bounds of all keys, from whole-array minima, which are vectorised: (0, 0) of none."""
    if bits.size == 0:
        return 0, 0
    high = int(bits.max())
    if not flip:
        return int(bits.min()), high
    # The bits of negative floats order against their keys; unsigned, they are above all others.
    unsigned = bits.view(np.uint32 if bits.itemsize == 4 else np.uint64)
    beyond = 2 * (flip + 1)
    most = int(unsigned.max())
    low = (most - beyond) ^ flip if most > flip else int(bits.min())
    if high < 0:
        high = (int(unsigned.min()) - beyond) ^ flip
        if high == -1:  # -0.0, whose key is that of 0.0
            high = 0
    return low, high


def _left_bits(low: int, high: int) -> int:
    """How many bits of a key's distance from the lowest do not fit a word's upper half."""
    bits = (high - low).bit_length()
    return 0 if bits <= 32 else bits - 31
