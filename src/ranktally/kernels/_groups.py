"""Kernels over the rows of each group: one order for all groups, and the areas of each.

Without weights a row of a 32-bit key is all in one 64-bit word: the group above the key above the
label. Sorted as plain integers such words need no row, and nothing is dealt to groups. Any other
rows are ordered by score first (see ``_rows.py``) and then dealt.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from .._runtime import jit

__all__ = ["group_sums", "group_words", "pack_groups", "segment_areas"]

ONE = float(1 << 62)
LIMB = 31
LOW = (1 << LIMB) - 1
HALF = 0xFFFFFFFF
FETCH = 1024
GROUP = 33  # bits below a group's code
BIAS = 1 << 31
STEP = np.uint64(1)


@jit
def pack_groups(label, bits, flip, code, start, stop, words):
    """Words of rows start..stop: group, 32-bit key from 0 on, label."""
    for row in range(start, stop):
        key = np.int64(bits[row])
        key ^= (key >> 63) & flip
        key += key == -1 and flip != 0  # -0.0
        words[row] = (np.int64(code[row]) << GROUP) | ((key + BIAS) << 1) | np.int64(label[row])


@jit
def group_sums(words, start, stop, sums):
    """Sums of the groups whose words, ascending, are start..stop, each in its column of `sums`.

    The rows of `sums` are those of `segment_areas`.
    """
    # Unsigned indexes spare the test for counting from the end.
    start, last = np.uint64(start), np.uint64(stop)
    while last > start:
        g = words[last - STEP] >> GROUP
        first = last
        n_pos = np.int64(0)
        while first > start and words[first - STEP] >> GROUP == g:
            first -= STEP
            n_pos += words[first] & 1
        n_neg = np.int64(last - first) - n_pos
        tp = fp = tp_before = np.int64(0)
        twice_u = ap_high = ap_low = np.int64(0)
        above = below = np.int64(0)
        k = last
        while k > first:
            k -= STEP
            word = words[k]
            positive = word & 1
            tp += positive
            fp += 1 - positive
            # From the top the positives of a tie group come before its negatives.
            twice_u += (positive - 1) & (tp_before + tp)
            if k == first or words[k - STEP] >> 1 != word >> 1:
                d_pos = tp - tp_before
                if d_pos > 0:
                    precision = np.int64(tp / (tp + fp) * ONE)
                    ap_high += d_pos * (precision >> LIMB)
                    ap_low += d_pos * (precision & LOW)
                gap = tp * n_neg - fp * n_pos
                above = max(above, gap)
                below = max(below, -gap)
                tp_before = tp
        sums[0, g] = n_pos
        sums[1, g] = n_neg
        sums[2, g] = twice_u
        sums[3, g] = ap_high
        sums[4, g] = ap_low
        sums[5, g] = above
        sums[6, g] = below
        last = first


@jit
def group_words(words, group, ends, out):
    """Deal words to their groups, order kept: a stable counting sort.

    `ends` holds where each group begins in `out` and, on return, where it ends.
    """
    # Codes lie scattered. Fetched a block ahead, their loads overlap; in one loop with the stores,
    # few groups make the processor wait for each place it has just moved.
    codes = np.empty(FETCH, np.int32)
    for start in range(0, words.size, FETCH):
        size = min(FETCH, words.size - start)
        for k in range(size):
            codes[k] = group[np.uint64((words[start + k] & HALF) >> 1)]
        for k in range(size):
            g = codes[k]
            out[ends[g]] = words[start + k]
            ends[g] += 1


@jit
def segment_areas(words, starts, count, start, stop, sums):
    """Sums of groups start..stop; group g owns ``words[starts[g]:starts[g + 1]]``.

    `count` holds whole multiplicities a row, or is empty for one each. Column g of `sums` gets
    n_pos, n_neg, twice_u, ap_high, ap_low, above, below: the meanings of `class_areas`.
    """
    plain = count.size == 0
    for g in range(start, stop):
        n_pos = np.int64(0)
        n_neg = np.int64(0)
        for k in range(starts[g], starts[g + 1]):
            c = words[k] & 1
            m = np.int64(1) if plain else count[(words[k] & HALF) >> 1]
            n_pos += c * m
            n_neg += (1 - c) * m
        tp = np.int64(0)
        fp = np.int64(0)
        twice_u = np.int64(0)
        ap_high = np.int64(0)
        ap_low = np.int64(0)
        above = np.int64(0)
        below = np.int64(0)
        k = starts[g + 1] - 1
        while k >= starts[g]:
            upper = words[k] >> 32
            d_pos = np.int64(0)
            d_neg = np.int64(0)
            while k >= starts[g] and words[k] >> 32 == upper:
                c = words[k] & 1
                m = np.int64(1) if plain else count[(words[k] & HALF) >> 1]
                d_pos += c * m
                d_neg += (1 - c) * m
                k -= 1
            twice_u += d_neg * (2 * tp + d_pos)
            tp += d_pos
            fp += d_neg
            if d_pos > 0:
                precision = np.int64(tp / (tp + fp) * ONE)
                ap_high += d_pos * (precision >> LIMB)
                ap_low += d_pos * (precision & LOW)
            gap = tp * n_neg - fp * n_pos
            above = max(above, gap)
            below = max(below, -gap)
        sums[0, g] = n_pos
        sums[1, g] = n_neg
        sums[2, g] = twice_u
        sums[3, g] = ap_high
        sums[4, g] = ap_low
        sums[5, g] = above
        sums[6, g] = below
