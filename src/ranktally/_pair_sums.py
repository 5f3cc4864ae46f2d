"""Sums over rows of products and squared differences, for every pair of models."""

from __future__ import annotations

from functools import partial
from types import ModuleType

import numpy as np

from ._runtime import run
from ._types import Floats

__all__ = ["pair_sums"]

# Sums run over blocks of rows that depend on the number of rows alone: so do their bytes.
BLOCK_ROWS = 1 << 14
MAX_BLOCKS = 256


def pair_sums(parts: Floats, loops: ModuleType, threads: int) -> tuple[Floats, Floats]:
    """Sum products and squared differences of the parts of each two models.

    Parameters
    ----------
    parts : ndarray of float64, shape (k, n)
        What each row contributes to each of k models.

    Returns
    -------
    products, gaps : ndarray of float64, shape (k, k)
        The second is never negative, and exact where the first would cancel.
    """
    k, n = parts.shape
    step = max(BLOCK_ROWS, -(-n // MAX_BLOCKS))
    edges = np.asarray([*range(0, n, step), n], np.int64)
    blocks = edges.size - 1
    products, gaps = np.empty((blocks, k, k)), np.empty((blocks, k, k))
    sums = (parts, edges)
    run([partial(loops.pair_sums, *sums, b, b + 1, products, gaps) for b in range(blocks)], threads)
    return _mirrored(products), _mirrored(gaps)


def _mirrored(blocks: Floats) -> Floats:
    """Sum of the blocks, and what is above the diagonal below it too."""
    upper = np.add.accumulate(blocks)[-1]
    both: Floats = np.triu(upper) + np.triu(upper, 1).T
    return both
