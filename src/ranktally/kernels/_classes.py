"""Kernels over the two classes, each sorted on its own: areas and tallies without weights.

Scores are handled as *keys*: int32 or int64 images of the same order, made from the bits of a
float or from an integer as it is. Equal keys are equal scores: -0.0 and 0.0 share a key, subnormal
numbers keep theirs, and no other library's flush-to-zero mode can merge them. `flip` is the mask
of magnitude bits of a float (0 for integers).

Sorted arrays ascend and are walked from the top down, since thresholds fall. A walk may cover a
part: ``pos[i_stop:i]`` with ``neg[j_stop:j]``; what lies above is already counted by the positions.
Indexes are unsigned where it pays: a signed one costs a test for counting from the end at each
access.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from .._runtime import jit

__all__ = ["class_areas", "class_blocks", "class_tally", "split_classes"]

# Precision is summed in fixed point: 62 fractional bits in two limbs, so that neither limb's int64
# can overflow while there are fewer than 2**32 positives.
ONE = float(1 << 62)
LIMB = 31
LOW = (1 << LIMB) - 1
STEP = np.uint64(1)


@jit
def split_classes(label, bits, flip, start, stop, out, i, j):
    """Deal the keys of rows start..stop to ``out[i:]`` (positives) and ``out[j:]`` (negatives).

    The key of -0.0 is still -1 here, one below that of 0.0: see `join_zeros`.
    """
    mask = bits.dtype.type(flip)
    width = bits.dtype.type(bits.itemsize * 8 - 1)
    for row in range(start, stop):
        b = bits[row]
        positive = np.int64(label[row])
        # One store at a place chosen without a branch: labels of a mixed sample are unpredictable.
        out[j + positive * (i - j)] = b ^ ((b >> width) & mask)
        i += positive
        j += 1 - positive


@jit
def class_areas(pos, neg, i, i_stop, j, j_stop):
    """Sums over the tie groups of one part.

    Returns
    -------
    twice_u : int
        Twice the positive-negative pairs in order, ties counted one half.
    ap_high, ap_low : int
        Sum of positives times precision, in units of 2**-31 and 2**-62.
    above, below : int
        Largest ``tp * n_neg - fp * n_pos`` and largest ``fp * n_pos - tp * n_neg``, at least 0.
    """
    n_pos = np.int64(pos.size)
    n_neg = np.int64(neg.size)
    tp = n_pos - i
    fp = n_neg - j
    i, i_stop, j, j_stop = np.uint64(i), np.uint64(i_stop), np.uint64(j), np.uint64(j_stop)
    twice_u = 0
    ap_high = 0
    ap_low = 0
    above = max(0, tp * n_neg - fp * n_pos)
    below = 0
    while i > i_stop:
        value = pos[i - STEP]
        before = j
        while j > j_stop and neg[j - STEP] > value:
            j -= STEP
        d_neg = np.int64(before - j)
        twice_u += d_neg * 2 * tp
        fp += d_neg
        below = max(below, fp * n_pos - tp * n_neg)
        before = i
        while i > i_stop and pos[i - STEP] == value:
            i -= STEP
        d_pos = np.int64(before - i)
        before = j
        while j > j_stop and neg[j - STEP] == value:
            j -= STEP
        d_neg = np.int64(before - j)
        twice_u += d_neg * (2 * tp + d_pos)
        tp += d_pos
        fp += d_neg
        precision = np.int64(tp / (tp + fp) * ONE)
        ap_high += d_pos * (precision >> LIMB)
        ap_low += d_pos * (precision & LOW)
        above = max(above, tp * n_neg - fp * n_pos)
    d_neg = np.int64(j - j_stop)
    twice_u += d_neg * 2 * tp
    fp += d_neg
    below = max(below, fp * n_pos - tp * n_neg)
    return twice_u, ap_high, ap_low, above, below


@jit
def class_blocks(pos, neg, i, i_stop, j, j_stop):
    """Count the distinct keys of one part."""
    i, i_stop, j, j_stop = np.uint64(i), np.uint64(i_stop), np.uint64(j), np.uint64(j_stop)
    count = 0
    while i > i_stop:
        value = pos[i - STEP]
        while j > j_stop and neg[j - STEP] > value:
            j -= STEP
            count += j == j_stop or neg[j - STEP] != neg[j]
        while i > i_stop and pos[i - STEP] == value:
            i -= STEP
        while j > j_stop and neg[j - STEP] == value:
            j -= STEP
        count += 1
    while j > j_stop:
        j -= STEP
        count += j == j_stop or neg[j - STEP] != neg[j]
    return count


@jit
def class_tally(pos, neg, i, i_stop, j, j_stop, flip, bits, tp, fp, block):
    """Write the tie groups of one part, from index `block` on: score bits, tp and fp.

    A run of negatives is written row by row, a later row of a tie group over an earlier one:
    what would be a branch for each row is an addition.
    """
    n_pos = np.int64(pos.size)
    n_neg = np.int64(neg.size)
    above = n_pos - i
    i, i_stop, j, j_stop = np.uint64(i), np.uint64(i_stop), np.uint64(j), np.uint64(j_stop)
    block = np.uint64(block)
    while i > i_stop or j > j_stop:
        # Negatives above the next positive, or all that are left.
        last = i == i_stop
        value = pos[i - STEP] if not last else neg[j_stop]
        while j > j_stop and (last or neg[j - STEP] > value):
            j -= STEP
            key = neg[j]
            bits[block] = key ^ ((key >> 63) & flip)
            tp[block] = above
            fp[block] = n_neg - np.int64(j)
            block += np.uint64(j == j_stop or neg[j - STEP] != key)
        if not last:
            while i > i_stop and pos[i - STEP] == value:
                i -= STEP
            while j > j_stop and neg[j - STEP] == value:
                j -= STEP
            above = n_pos - np.int64(i)
            bits[block] = value ^ ((value >> 63) & flip)
            tp[block] = above
            fp[block] = n_neg - np.int64(j)
            block += STEP
