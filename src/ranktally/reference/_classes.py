"""Class-sorted areas and tallies in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

__all__ = [
    "class_areas",
    "class_blocks",
    "class_tally",
    "order_keys",
    "score_bits",
    "split_classes",
]


def order_keys(bits, flip):
    """Order-preserving integer image of score bits."""
    if flip == 0:
        return bits
    negative = bits < 0
    keys = np.where(negative, bits ^ bits.dtype.type(flip), bits)
    keys[negative & (keys == -1)] = 0  # -0.0
    return keys


def score_bits(keys, flip):
    """Undo `order_keys`."""
    return np.where(keys < 0, keys ^ keys.dtype.type(flip), keys)


def split_classes(label, bits, flip, start, stop, out, i, j):
    part = bits[start:stop]
    keys = np.where(part < 0, part ^ part.dtype.type(flip), part)  # -0.0 still below 0.0
    positive = label[start:stop] != 0
    pos = keys[positive]
    neg = keys[~positive]
    out[i : i + pos.size] = pos
    out[j : j + neg.size] = neg


def _distinct(part_pos, part_neg):
    """Distinct keys of two sorted runs, ascending; merged, which beats hashing them."""
    keys = np.concatenate([part_neg, part_pos])
    keys.sort(kind="stable")
    fresh = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys[fresh]


def _tie_groups(pos, neg, i, i_stop, j, j_stop):
    """Distinct keys of a part from the top down, with tp and fp at each."""
    part_pos = pos[i_stop:i]
    part_neg = neg[j_stop:j]
    keys = _distinct(part_pos, part_neg)[::-1]
    tp = pos.size - (i_stop + np.searchsorted(part_pos, keys, side="left"))
    fp = neg.size - (j_stop + np.searchsorted(part_neg, keys, side="left"))
    return keys, tp.astype(np.int64), fp.astype(np.int64)


def class_areas(pos, neg, i, i_stop, j, j_stop):
    _, tp, fp = _tie_groups(pos, neg, i, i_stop, j, j_stop)
    return count_sums(tp, fp, pos.size - i, neg.size - j, pos.size, neg.size)


def class_blocks(pos, neg, i, i_stop, j, j_stop):
    return int(_distinct(pos[i_stop:i], neg[j_stop:j]).size)


def class_tally(pos, neg, i, i_stop, j, j_stop, flip, bits, tp, fp, block):
    keys, tp_part, fp_part = _tie_groups(pos, neg, i, i_stop, j, j_stop)
    bits[block : block + keys.size] = score_bits(keys, flip)
    tp[block : block + keys.size] = tp_part
    fp[block : block + keys.size] = fp_part


def count_sums(tp, fp, tp_before, fp_before, n_pos, n_neg):
    """The five sums of `class_areas` over tie groups that end at counts `tp`, `fp`."""
    d_pos = np.diff(tp, prepend=tp_before)
    d_neg = np.diff(fp, prepend=fp_before)
    twice_u = int(np.sum(d_neg * (2 * tp - d_pos)))
    some = d_pos > 0
    precision = (tp[some] / (tp[some] + fp[some]) * float(1 << 62)).astype(np.int64)
    ap_high = int(np.sum(d_pos[some] * (precision >> 31)))
    ap_low = int(np.sum(d_pos[some] * (precision & ((1 << 31) - 1))))
    gap = np.concatenate([[tp_before * n_neg - fp_before * n_pos], tp * n_neg - fp * n_pos])
    return twice_u, ap_high, ap_low, max(0, int(gap.max())), max(0, int((-gap).max()))
