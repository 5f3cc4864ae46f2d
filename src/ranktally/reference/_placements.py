"""Placements in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

__all__ = ["center_placements", "pair_sums", "spread_values"]

HALF = 0xFFFFFFFF
LANES = 32
TILE = 2048


def _from_the_top(words):
    """Row and label of each word, highest score first, and where its tie groups end."""
    part = words[::-1]
    upper = part >> 32
    last = np.ones(part.size, bool)
    np.not_equal(upper[1:], upper[:-1], out=last[:-1])
    return (part & HALF) >> 1, part & 1, np.flatnonzero(last)


def _spread(row, label, ends, of_pos, of_neg, out):
    sizes = np.diff(ends, prepend=-1)
    out[row] = np.where(label == 1, np.repeat(of_pos, sizes), np.repeat(of_neg, sizes))


def center_placements(words, label, n_pos, n_neg, of_pos, of_neg, out):
    row, positive, ends = _from_the_top(words)
    tp = np.cumsum(positive)[ends]
    fp = ends + 1 - tp
    d_neg = np.diff(fp, prepend=0)
    above = tp + np.concatenate([[0], tp[:-1]])
    below = 2 * (n_neg - fp) + d_neg
    twice_u = int((d_neg * above).sum())
    pos_values = (below * n_pos - twice_u).astype(np.float64) * of_pos
    neg_values = (above * n_neg - twice_u).astype(np.float64) * of_neg
    _spread(row, positive, ends, pos_values, neg_values, out)
    return twice_u


def spread_values(words, of_pos, of_neg, out):
    _spread(*_from_the_top(words), of_pos, of_neg, out)


def _lane_sums(terms):
    """Sums over the last axis, in the order of the compiled loop."""
    spare = -terms.shape[-1] % LANES
    padded = np.concatenate([terms, np.zeros((terms.shape[0], spare))], axis=1)
    lanes = np.add.accumulate(padded.reshape(terms.shape[0], -1, LANES), axis=1)[:, -1]
    return np.add.accumulate(lanes, axis=1)[:, -1]


def pair_sums(values, edges, start, stop, products, gaps):
    products[start:stop] = 0.0
    gaps[start:stop] = 0.0
    for b in range(start, stop):
        for low in range(edges[b], edges[b + 1], TILE):
            tile = values[:, low : min(low + TILE, edges[b + 1])]
            for i in range(values.shape[0]):
                products[b, i, i:] += _lane_sums(tile[i:] * tile[i])
                gaps[b, i, i:] += _lane_sums((tile[i] - tile[i:]) ** 2)
