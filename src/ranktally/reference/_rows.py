"""Row-ordered loops in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ._classes import count_sums, order_keys, score_bits

__all__ = [
    "cut_counts",
    "cut_weights",
    "group_words",
    "key_range",
    "limb_sums",
    "order_weights",
    "pack_words",
    "refine_words",
    "row_scales",
    "segment_areas",
    "segment_blocks",
    "segment_tally",
]

HALF = 0xFFFFFFFF


def key_range(bits, flip, start, stop):
    keys = order_keys(bits[start:stop], flip)
    return int(keys.min()), int(keys.max())


def pack_words(label, bits, flip, low, shift, start, stop, words):
    upper = order_keys(bits[start:stop], flip).astype(np.int64)
    if bits.itemsize != 4:
        upper = upper - low if shift == 0 else ((upper >> 1) - (low >> 1)) >> (shift - 1)
        upper -= 1 << 31
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


def _block_ends(part):
    """Positions, from the top, of the last word of each tie group of words that ascend."""
    upper = part[::-1] >> 32
    return np.flatnonzero(np.concatenate([upper[1:] != upper[:-1], [True]]))


def segment_blocks(words, starts, start, stop, blocks):
    for g in range(start, stop):
        part = words[starts[g] : starts[g + 1]]
        blocks[g] = _block_ends(part).size if part.size else 0


def fixed_point(rows, largest):
    """Exponents of the two limbs; `kernels` states the bound."""
    exponent = max(int(np.frexp(rows * largest)[1]), -900)
    head = 52 - exponent
    return head, head + 62 - int(rows).bit_length()


def row_scales(label, weight, group, scales):
    rows = np.zeros(scales.shape[:2], np.int64)
    largest = np.zeros(scales.shape[:2])
    if group.size:
        np.add.at(rows, (group, label), 1)
        np.maximum.at(largest, (group, label), weight)
    for c in range(0 if group.size else 2):
        mine = label == c
        rows[0, c] = np.count_nonzero(mine)
        largest[0, c] = np.max(weight, initial=0.0, where=mine)
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
    out[start:stop] = weight[(words[start:stop] & HALF) >> 1]


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
        ends = _block_ends(part[::-1])
        here = slice(first[g], first[g] + ends.size)
        keys = order_keys(bits[(part[ends] & HALF) >> 1], flip)
        threshold[here] = score_bits(keys, flip)
        w = weight[starts[g] : starts[g + 1]][::-1]
        for c, out in ((0, fp), (1, tp)):
            head, tail = _limbs(np.where(part & 1 == c, w, 0.0), scales[g, c])
            heads = before[g, c, 0] + np.cumsum(head)[ends]
            tails = before[g, c, 1] + np.cumsum(tail)[ends]
            out[here] = _unlimb(heads, tails, scales[g, c])


def group_words(words, group, ends, out):
    g = group[(words & HALF) >> 1]
    out[:] = words[np.argsort(g, kind="stable")]
    ends += np.bincount(g, minlength=ends.size)


def segment_areas(words, starts, count, start, stop, integers, extremes):
    for g in range(start, stop):
        part = words[starts[g] : starts[g + 1]][::-1]
        label = part & 1
        m = count[(part & HALF) >> 1] if count.size else np.ones(part.size, np.int64)
        ends = _block_ends(part[::-1]) if part.size else np.zeros(0, np.intp)
        tp = np.cumsum(label * m)[ends]
        fp = np.cumsum((1 - label) * m)[ends]
        n_pos = int(tp[-1]) if part.size else 0
        n_neg = int(fp[-1]) if part.size else 0
        sums = count_sums(tp, fp, 0, 0, n_pos, n_neg)
        integers[g] = (n_pos, n_neg, *sums[:3])
        extremes[g] = sums[3:]


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
