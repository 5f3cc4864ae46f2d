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
from ._types import Ints, Keys
from ._validate import MAX_PAIRS, MAX_POSITIVES, Sample
from .errors import InputError

__all__ = ["SortedClasses", "order_rows", "sort_classes"]

# Below this many rows a second thread costs more than it brings.
PARALLEL_ROWS = 1 << 17
MAX_WORD_ROWS = 1 << 31


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
    if n >= MAX_WORD_ROWS:
        raise InputError(
            f"{n} rows with weights or groups are more than one call can order (2**31): evaluate "
            f"parts of the rows"
        )
    if n < PARALLEL_ROWS:
        threads = 1
    words = np.empty(n, np.int64)
    bits, flip = sample.bits, sample.codec.flip
    low, shift = 0, 0
    if sample.codec.width == 8 and n:
        low, shift = _leading_bits(sample, loops, threads)
    rows = (sample.label, bits, flip, low, shift)
    run([partial(loops.pack_words, *rows, a, b, words) for a, b in blocks(n, threads)], threads)
    sort_parts([words], threads)
    if shift:
        # Runs of one upper half must not be cut: begin each part where a run begins.
        firsts = [(words[start] >> 32) << 32 for start, _ in blocks(n, threads)]
        edges = [*np.searchsorted(words, firsts).tolist(), n]
        keys = np.empty(n, np.int64)
        run(
            [
                partial(loops.refine_words, bits, flip, words, a, b, keys[a:b])
                for a, b in pairwise(edges)
                if a < b
            ],
            threads,
        )
    return words


def _leading_bits(sample: Sample, loops: ModuleType, threads: int) -> tuple[int, int]:
    """Lowest key, and how many bits of a key's distance from it do not fit a word's upper half."""
    ends = run(
        [
            partial(loops.key_range, sample.bits, sample.codec.flip, a, b)
            for a, b in blocks(sample.n, threads)
        ],
        threads,
    )
    low, high = int(min(a for a, _ in ends)), int(max(b for _, b in ends))
    bits = (high - low).bit_length()
    return low, 0 if bits <= 32 else bits - 31
