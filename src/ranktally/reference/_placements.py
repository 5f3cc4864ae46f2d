"""Placements in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ._classes import order_keys

__all__ = [
    "class_places",
    "count_placements",
    "pair_sums",
    "place_words",
    "product_sums",
    "spread_values",
]

HALF = 0xFFFFFFFF
LANES = 32
TILE = 2048
MARK = 1 << 61


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


def class_places(label, n_pos, place):
    place[label != 0] = np.arange(n_pos)
    place[label == 0] = np.arange(n_pos, label.size)


def place_words(bits, flip, low, shift, width, place, start, stop, words):
    keys = order_keys(bits[start:stop], flip).astype(np.int64)
    upper = keys - low if shift == 0 else ((keys >> 1) - (low >> 1)) >> (shift - 1)
    words[start:stop] = MARK | (upper << width) | place[start:stop]


def count_placements(words, width, whole, bits, flip, row, n_pos, n_neg, out):
    place = words & ((1 << width) - 1)
    keys = words >> width
    if not whole and np.any(keys[1:] == keys[:-1]):
        if row.size == 0:
            return -1
        keys = order_keys(bits[row[place]], flip)
        # Nearly in order already, of which a stable sort makes use.
        order = np.argsort(keys, kind="stable")
        place, keys = place[order], keys[order]
    place, keys = place[::-1], keys[::-1]
    positive = place < n_pos
    last = np.ones(place.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=last[:-1])
    ends = np.flatnonzero(last)
    tp = np.cumsum(positive)[ends]
    fp = ends + 1 - tp
    above = tp + np.concatenate([[0], tp[:-1]])
    beyond = fp + np.concatenate([[0], fp[:-1]])
    sizes = np.diff(ends, prepend=-1)
    of_pos, of_neg = np.repeat(n_neg - beyond, sizes), np.repeat(above - n_pos, sizes)
    out[place] = np.where(positive, of_pos, of_neg)
    return int((np.diff(fp, prepend=0) * above).sum())


def product_sums(values, start, stop, chunk, sums):
    sums[:] = 0
    for low in range(start, stop, chunk):
        part = values[:, low : min(low + chunk, stop)].astype(np.int64)
        totals = part @ part.T
        sums[0] += totals >> 32
        sums[1] += totals & HALF


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
