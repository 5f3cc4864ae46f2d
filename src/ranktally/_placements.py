"""Placements of rows without weights, in whole numbers, and their covariances: exact ones.

A placement is the share of the other class that a row is on the right side of, ties half. Twice
that, less 1, times the rows of the other class is a whole number (rows on the right side less rows
on the wrong one), and shifts and scales cancel in what is asked of it. Products of two such numbers
sum to whole numbers too, in any order: each covariance is rounded once, from a ratio of integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from types import ModuleType
from typing import cast

import numpy as np

from ._order import PARALLEL_ROWS, check_range, key_ends, sort_parts
from ._runtime import blocks, run
from ._types import Bytes, Codes, Floats, Ints
from ._validate import Sample
from .errors import InputError

__all__ = ["Places", "class_places", "count_placements", "covariances"]

MAX_ROWS = 1 << 31
WORD_BITS = 61
LIMB = 32
TILE = 1024
# Below this many products of two placements a second thread costs more than it brings.
PARALLEL_PRODUCTS = 1 << 21


@dataclass(frozen=True)
class Places:
    """Rows numbered class by class, in their order: positives from 0, negatives from `n_pos`.

    Attributes
    ----------
    place : ndarray of int32, shape (n,)
        Of each row.
    n_pos, n_neg : int
    """

    place: Codes
    n_pos: int
    n_neg: int

    @property
    def n(self) -> int:
        return self.n_pos + self.n_neg

    @cached_property
    def row(self) -> Codes:
        """The row at each place."""
        found = np.empty(self.n, np.int32)
        found[self.place] = np.arange(self.n, dtype=np.int32)
        return found


def class_places(label: Bytes, loops: ModuleType) -> Places:
    """Number the rows of a label column.

    Raises
    ------
    InputError
        If there are 2**31 rows or more, or more pairs than int64 can count.
    """
    n, n_pos = label.size, int(np.count_nonzero(label))
    if n >= MAX_ROWS:
        raise InputError(
            f"{n} rows are more than one call can rank (2**31): evaluate parts of the rows"
        )
    check_range(n_pos, n - n_pos)
    place = np.empty(n, np.int32)
    loops.class_places(label, n_pos, place)
    return Places(place, n_pos, n - n_pos)


def count_placements(
    sample: Sample, places: Places, loops: ModuleType, threads: int, words: Ints, out: Codes
) -> int:
    """Write, by place, rows of the other class on a row's right side less those on the wrong one.

    Returns twice U, the pairs in the right order with ties as halves. `words` is room for a number
    a row.
    """
    bits, flip = sample.bits, sample.codec.flip
    parts = blocks(places.n, threads if places.n >= PARALLEL_ROWS else 1)
    width = max(1, (places.n - 1).bit_length())
    low, high = -(1 << 31), (1 << 31) - 1
    if sample.codec.width == 8:
        low, high = key_ends(bits, flip)
        low &= ~1
    # One more than the bounds say: the key of -0.0 is that of 0.0.
    shift = max(0, (high + 1 - low).bit_length() - (WORD_BITS - width))
    rows = (bits, flip, low, shift, width, places.place)
    run([partial(loops.place_words, *rows, a, b, words) for a, b in parts], threads)
    # Vector units have the minimum of two doubles at less cost than that of two integers.
    sort_parts([cast(Ints, words.view(np.float64))], len(parts))
    numbers = (places.n_pos, places.n_neg, out)
    call = partial(loops.count_placements, words, width, shift == 0, bits, flip)
    twice_u = int(call(places.place[:0], *numbers))
    return twice_u if twice_u >= 0 else int(call(places.row, *numbers))


def covariances(
    counted: Codes, twice_u: list[int], places: Places, loops: ModuleType, threads: int
) -> tuple[Floats, Floats]:
    """Covariances of the areas, and the variances of their differences.

    Parameters
    ----------
    counted : ndarray of int32, shape (k, n)
        Of each model, what `count_placements` wrote.
    twice_u : list of int
        And what it returned.

    Returns
    -------
    covariance, difference_variance : ndarray of float64, shape (k, k)
        Each the double next to the exact value.
    """
    k, n_pos, n_neg = len(twice_u), places.n_pos, places.n_neg
    of_pos = _products(counted, 0, n_pos, n_neg, loops, threads)
    of_neg = _products(counted, n_pos, places.n, n_pos, loops, threads)
    # Placements of either class sum to the same.
    total = [u - n_pos * n_neg for u in twice_u]

    def top(i: int, j: int) -> int:
        mean = total[i] * total[j]
        among_pos, among_neg = n_pos * of_pos[i][j] - mean, n_neg * of_neg[i][j] - mean
        return among_pos * (n_neg - 1) + among_neg * (n_pos - 1)

    bottom = (2 * n_pos * n_neg) ** 2 * (n_pos - 1) * (n_neg - 1)
    own = [top(i, i) for i in range(k)]
    found, gaps = np.empty((k, k)), np.zeros((k, k))
    for i in range(k):
        found[i, i] = own[i] / bottom
        for j in range(i):
            both = top(i, j)
            found[i, j] = found[j, i] = both / bottom
            gaps[i, j] = gaps[j, i] = (own[i] + own[j] - 2 * both) / bottom
    return found, gaps


def _products(
    counted: Codes, start: int, stop: int, largest: int, loops: ModuleType, threads: int
) -> list[list[int]]:
    """Sums of products over places start..stop, of each pair of models."""
    k = len(counted)
    parts = blocks(stop - start, threads if k * k * (stop - start) >= PARALLEL_PRODUCTS else 1)
    limbs = np.empty((len(parts), 2, k, k), np.int64)
    chunk = min(TILE, ((1 << 63) - 1) // largest**2)
    run(
        [
            partial(loops.product_sums, counted, start + a, start + b, chunk, sums)
            for (a, b), sums in zip(parts, limbs, strict=True)
        ],
        threads,
    )
    upper, lower = limbs.sum(axis=0).tolist()
    return [
        [(high << LIMB) + low for high, low in zip(*lines, strict=True)]
        for lines in zip(upper, lower, strict=True)
    ]
