"""Row-ordered loops in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ._classes import order_keys, score_bits

__all__ = [
    "block_ends",
    "count_cells",
    "cut_counts",
    "cut_weights",
    "deal_words",
    "fixed_points",
    "limb_sums",
    "order_weights",
    "pack_words",
    "refine_words",
    "segment_blocks",
    "segment_tally",
    "weight_ranges",
]

HALF = 0xFFFFFFFF


def _upper_halves(bits, flip, low, shift):
    upper = order_keys(bits, flip).astype(np.int64)
    if bits.itemsize == 4:
        return upper
    upper = upper - low if shift == 0 else ((upper >> 1) - (low >> 1)) >> (shift - 1)
    return upper - (1 << 31)


def _cells(bits, upper, low, cell):
    base = low if bits.itemsize == 4 else -(1 << 31)
    return (upper >> cell) - (base >> cell)


def count_cells(bits, flip, weight, low, shift, cell, start, stop, counts):
    some = bits[start:stop][weight[start:stop] > 0]
    cells = _cells(bits, _upper_halves(some, flip, low, shift), low, cell)
    counts += np.bincount(cells, minlength=counts.size)


def deal_words(
    label, bits, flip, weight, low, shift, cell, part, start, stop, ends, words, weights, keys
):
    rows = start + np.flatnonzero(weight[start:stop] > 0)
    upper = _upper_halves(bits[rows], flip, low, shift)
    parts = part[_cells(bits, upper, low, cell)]
    sizes = np.bincount(parts, minlength=ends.size)
    order = np.argsort(parts, kind="stable")
    rows, upper = rows[order], upper[order]
    place = np.repeat(ends - (np.cumsum(sizes) - sizes), sizes) + np.arange(rows.size)
    words[place] = (upper << 32) | (place << 1) | label[rows]
    weights[place] = weight[rows]
    if bits.itemsize != 4:
        keys[place] = bits[rows]
    ends += sizes


def pack_words(label, bits, flip, low, shift, start, stop, words):
    upper = _upper_halves(bits[start:stop], flip, low, shift)
    rows = np.arange(start, stop, dtype=np.int64)
    words[start:stop] = (upper << 32) | (rows << 1) | label[start:stop]


def refine_words(bits, flip, words, start, stop, keys):
    payload = words[start:stop] & HALF
    keys[:] = order_keys(bits[payload >> 1], flip)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    first = start + np.flatnonzero(new)[np.cumsum(new) - 1]
    words[start:stop] = (first.astype(np.int64) << 32) | payload[order]


def block_ends(part, bits=32):
    """Positions, from the top, of the last word of each tie group of words that ascend.

    Words of a tie group agree but for their low `bits`.
    """
    upper = part[::-1] >> bits
    return np.flatnonzero(np.concatenate([upper[1:] != upper[:-1], [True]]))


def segment_blocks(words, starts, start, stop, blocks):
    for g in range(start, stop):
        part = words[starts[g] : starts[g + 1]]
        blocks[g] = block_ends(part).size if part.size else 0


def fixed_point(rows, largest):
    """Exponents of the two limbs; `kernels` states the bound."""
    exponent = max(int(np.frexp(rows * largest)[1]), -900)
    head = 52 - exponent
    return head, head + 62 - int(rows).bit_length()


def weight_ranges(label, weight, group, start, stop, rows, largest):
    label, weight = label[start:stop], weight[start:stop]
    if group.size:
        place = group[start:stop], label
        np.add.at(rows, place, weight > 0)
        np.maximum.at(largest, place, weight)
    for c in range(0 if group.size else 2):
        mine = label == c
        rows[0, c] += np.count_nonzero(mine & (weight > 0))
        largest[0, c] = np.max(weight, initial=largest[0, c], where=mine)


def fixed_points(rows, largest, scales):
    for place in np.ndindex(rows.shape):
        scales[place] = fixed_point(rows[place], largest[place])


def _limbs(weight, scale):
    """Whole numbers of the two limb units in each weight."""
    head = np.floor(_shifted(weight, scale[0]))
    tail = np.trunc(_shifted(weight - _shifted(head, -scale[0]), scale[1]))
    return head.astype(np.int64), tail.astype(np.int64)


def _unlimb(head, tail, scale):
    return _shifted(head.astype(np.float64), -scale[0]) + _shifted(
        tail.astype(np.float64), -scale[1]
    )


def _shifted(values, exponent):
    """Values times a power of two, by ldexp only where the power itself leaves the normal range."""
    exponent = int(exponent)
    return values * 2.0**exponent if abs(exponent) < 1000 else np.ldexp(values, exponent)


def order_weights(words, weight, start, stop, out):
    out[:] = weight[(words[start:stop] & HALF) >> 1]


def limb_sums(words, weight, scales, start, stop, sums):
    for c in range(2):
        mine = weight[start:stop][words[start:stop] & 1 == c]
        sums[c] = [limb.sum() for limb in _limbs(mine, scales[c])]


def segment_tally(
    words, starts, bits, flip, weight, scales, before, first, start, stop, threshold, tp, fp
):
    for g in range(start, stop):
        part = words[starts[g] : starts[g + 1]][::-1]
        if part.size == 0:
            continue
        ends = block_ends(part[::-1])
        here = slice(first[g], first[g] + ends.size)
        keys = part[ends] >> 32
        if bits.itemsize != 4:
            keys = order_keys(bits[(part[ends] & HALF) >> 1], flip)
        threshold[here] = score_bits(keys, flip)
        w = weight[starts[g] : starts[g + 1]][::-1]
        for c, out in ((0, fp), (1, tp)):
            head, tail = _limbs(np.where(part & 1 == c, w, 0.0), scales[g, c])
            heads = before[g, c, 0] + np.cumsum(head)[ends]
            tails = before[g, c, 1] + np.cumsum(tail)[ends]
            out[here] = _unlimb(heads, tails, scales[g, c])


def _bins(label, bits, flip, cuts, group, start, stop):
    """Class, group and number of cuts at or below, of each row."""
    place = np.searchsorted(cuts, order_keys(bits[start:stop], flip), side="right")
    g = group[start:stop] if group.size else np.zeros(stop - start, np.int64)
    return g, label[start:stop], place


def cut_counts(label, bits, flip, cuts, group, count, start, stop, out):
    m = count[start:stop] if count.size else 1
    np.add.at(out, _bins(label, bits, flip, cuts, group, start, stop), m)


def cut_weights(label, bits, flip, cuts, group, weight, scales, heads, tails, out):
    g, c, place = _bins(label, bits, flip, cuts, group, 0, label.size)
    above = slice(None, None, -1)
    for which, side in np.ndindex(out.shape[:2]):
        mine = (g == which) & (c == side)
        scale = scales[which, side]
        head, tail = _limbs(weight[mine], scale)
        np.add.at(heads[which, side], place[mine], head)
        np.add.at(tails[which, side], place[mine], tail)
        sums = np.cumsum(heads[which, side, above]), np.cumsum(tails[which, side, above])
        out[which, side, above] = _unlimb(*sums, scale)
