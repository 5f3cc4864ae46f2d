"""Kernels over placements: what each row contributes to an area, and sums over pairs of models.

The placement of a row is the share of the other class that it is on the right side of, ties half:
of a positive the share of negatives below, of a negative the share of positives above. `words` are
rows in score order as `_rows` packs them.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from .._runtime import jit

__all__ = ["center_placements", "pair_sums", "spread_values"]

HALF = 0xFFFFFFFF
# Sums run in lanes that a vector unit takes side by side; how many is part of their bytes.
LANES = 32
TILE = 2048


@jit
def center_placements(words, label, n_pos, n_neg, of_pos, of_neg, out):
    """Write (placement - area) of each row, times a factor of its class; return twice U.

    The factors are for ``(placement - area) * 2 * n_pos * n_neg``, which is whole and below 2**63
    and is rounded once, to a double.
    """
    twice_u = np.int64(0)
    tp = np.int64(0)
    fp = np.int64(0)
    stop = words.size
    while stop > 0:
        tie = words[stop - 1] >> 32
        start = stop - 1
        d_pos = words[start] & 1
        while start > 0 and words[start - 1] >> 32 == tie:
            start -= 1
            d_pos += words[start] & 1
        d_neg = stop - start - d_pos
        below = 2 * (n_neg - fp) - d_neg
        above = 2 * tp + d_pos
        twice_u += d_neg * above
        for k in range(start, stop):
            # No branch: labels come in no order that could be foreseen.
            positive = words[k] & 1
            out[np.uint64((words[k] & HALF) >> 1)] = above + positive * (below - above)
        tp += d_pos
        fp += d_neg
        stop = start
    for row in range(out.size):
        positive = label[row]
        count = n_pos if positive else n_neg
        factor = of_pos if positive else of_neg
        out[row] = np.float64(np.int64(out[row]) * count - twice_u) * factor
    return twice_u


@jit
def spread_values(words, of_pos, of_neg, out):
    """Give each row the value of its class and tie group; groups count from the top."""
    group = -1
    before = np.int64(0)
    for k in range(words.size - 1, -1, -1):
        word = words[k]
        tie = word >> 32
        if group < 0 or tie != before:
            group += 1
            before = tie
        out[np.uint64((word & HALF) >> 1)] = of_pos[group] if word & 1 else of_neg[group]


@jit
def pair_sums(values, edges, start, stop, products, gaps):
    """Sum over rows, for each pair of models, their product and their squared difference.

    ``values[model, row]`` of rows ``edges[b]:edges[b + 1]`` go into ``products[b, model, model]``
    and ``gaps[b, model, model]``, for blocks start..stop. Only the half above the diagonal is
    written. The order of each sum depends on `edges` alone.
    """
    models = values.shape[0]
    product = np.empty(LANES)
    gap = np.empty(LANES)
    for b in range(start, stop):
        products[b, :, :] = 0.0
        gaps[b, :, :] = 0.0
        for low in range(edges[b], edges[b + 1], TILE):
            high = min(low + TILE, edges[b + 1])
            whole = high - (high - low) % LANES
            for i in range(models):
                for j in range(i, models):
                    product[:] = 0.0
                    gap[:] = 0.0
                    x = values[i, low:high]
                    y = values[j, low:high]
                    for row in range(0, whole - low, LANES):
                        for lane in range(LANES):
                            p = x[row + lane]
                            q = y[row + lane]
                            product[lane] += p * q
                            gap[lane] += (p - q) * (p - q)
                    for row in range(whole - low, high - low):
                        p = x[row]
                        q = y[row]
                        product[row - whole + low] += p * q
                        gap[row - whole + low] += (p - q) * (p - q)
                    sum_product = 0.0
                    sum_gap = 0.0
                    for lane in range(LANES):
                        sum_product += product[lane]
                        sum_gap += gap[lane]
                    products[b, i, j] += sum_product
                    gaps[b, i, j] += sum_gap
