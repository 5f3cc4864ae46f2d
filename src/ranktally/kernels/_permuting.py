"""Kernels of the permutation test: rows counted in cells after some pairs were swapped.

A row of class c whose place in a model's order is k, the best being 0, lies in cell ``2 k + c``.
The two models' cells of a row are swapped where the bit of its unit is set; `words` hold those
bits, 32 in each, the lowest first.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from .._runtime import jit

__all__ = ["pair_halves", "running_cells", "swap_counts", "swap_weights"]


@jit
def swap_counts(words, unit, first, second, counts):
    """Count in each cell the rows that the first model has there after swapping.

    What the second one has is the rest of both models' rows.
    """
    counts[:] = 0
    for k in range(unit.size):
        u = unit[k]
        # Without a branch, which nobody could foresee.
        swapped = -np.int64((words[u >> 5] >> np.uint32(u & 31)) & np.uint32(1))
        counts[np.uint64(first[k] ^ ((first[k] ^ second[k]) & swapped))] += 1


@jit
def swap_weights(words, unit, first, second, weight, sums):
    """Sum each row's weight in the cells of both models after swapping: a line of `sums` each.

    The second model's are not the rest of both: a difference of sums would not be 0 where no row
    lies.
    """
    sums[:] = 0.0
    for k in range(unit.size):
        u = unit[k]
        swapped = -np.int64((words[u >> 5] >> np.uint32(u & 31)) & np.uint32(1))
        turn = (first[k] ^ second[k]) & swapped
        sums[0, np.uint64(first[k] ^ turn)] += weight[k]
        sums[1, np.uint64(second[k] ^ turn)] += weight[k]


@jit
def pair_halves(cells):
    """Twice the pairs of a positive above a negative, ties half, of one model's cells."""
    above = np.int64(0)
    twice_u = np.int64(0)
    for k in range(cells.size // 2):
        positive = np.int64(cells[2 * k + 1])
        twice_u += cells[2 * k] * (2 * above + positive)
        above += positive
    return twice_u


@jit
def running_cells(cells, tp, fp):
    """Rows at or above each place that holds rows, from the best on; return how many hold some."""
    above_p = tp.dtype.type(0)
    above_n = fp.dtype.type(0)
    held = 0
    for k in range(cells.size // 2):
        above_n += cells[2 * k]
        above_p += cells[2 * k + 1]
        fp[held] = above_n
        tp[held] = above_p
        held += (cells[2 * k] + cells[2 * k + 1]) > 0
    return held
