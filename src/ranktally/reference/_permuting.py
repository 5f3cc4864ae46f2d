"""Loops of the permutation test in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

__all__ = ["pair_halves", "running_cells", "swap_counts", "swap_weights"]


def _swapped(words, unit):
    return ((words[unit >> 5] >> (unit & 31).astype(np.uint32)) & 1) != 0


def swap_counts(words, unit, first, second, counts):
    cells = np.where(_swapped(words, unit), second, first)
    counts[:] = np.bincount(cells, minlength=counts.size)


def swap_weights(words, unit, first, second, weight, sums):
    swapped = _swapped(words, unit)
    for line, here, there in ((0, first, second), (1, second, first)):
        cells = np.where(swapped, there, here)
        sums[line] = np.bincount(cells, weight, minlength=sums.shape[1])


def pair_halves(cells):
    negative, positive = cells.reshape(-1, 2).T.astype(np.int64)
    above = np.cumsum(positive) - positive
    return int(np.sum(negative * (2 * above + positive)))


def running_cells(cells, tp, fp):
    negative, positive = cells.reshape(-1, 2).T
    some = (negative + positive) > 0
    held = int(np.count_nonzero(some))
    fp[:held] = np.cumsum(negative, dtype=fp.dtype)[some]
    tp[:held] = np.cumsum(positive, dtype=tp.dtype)[some]
    return held
