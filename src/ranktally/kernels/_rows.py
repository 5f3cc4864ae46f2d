"""Kernels over rows in score order: what weights and groups need.

A row travels as one 64-bit *word*: the upper half orders it, the lower holds ``row * 2 + label``.
Words sort with the vectorised sort of plain integers, which moves the payload along for nothing,
and equal upper halves are tie groups. Words ascend and are walked from the top down.

Group g owns ``words[starts[g]:starts[g + 1]]``; a call without groups has one.

Weights are summed in fixed point, two int64 limbs a class and group, on a scale set by the largest
weight and the number of rows. Integer sums do not depend on the order of their terms, so neither do
the counts: any row order and any number of threads give the same bytes. A weight loses less than
``n**2 * 2**-114`` of the largest one of its class and group: for a million rows n of them lose
1e-16 of the largest at the very most, and weights of one scale lose nothing that a double holds.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np

from .._runtime import jit

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

ONE = float(1 << 62)
LIMB = 31
LOW = (1 << LIMB) - 1
HALF = 0xFFFFFFFF
HEAD_BITS = 52
TAIL_BITS = 62
SMALLEST = -900
SHORT = 24
FETCH = 1024


@jit
def order_key(b, flip):
    """Order-preserving signed image of a score's bits, as int64."""
    key = np.int64(b)
    key ^= (key >> 63) & flip
    if key == -1 and flip != 0:
        key += 1
    return key


@jit
def key_range(bits, flip, start, stop):
    """Smallest and largest key of rows start..stop."""
    low = high = order_key(bits[start], flip)
    for row in range(start, stop):
        key = order_key(bits[row], flip)
        low = min(low, key)
        high = max(high, key)
    return low, high


@jit
def pack_words(label, bits, flip, low, shift, start, stop, words):
    """Words of rows start..stop.

    The upper half is the key, or of 64-bit keys the leading bits of its distance from `low`:
    `shift` bits are left to `refine_words`.
    """
    narrow = bits.itemsize == 4
    for row in range(start, stop):
        upper = order_key(bits[row], flip)
        if not narrow:
            # Halved before they are subtracted, two keys cannot leave int64.
            upper = upper - low if shift == 0 else ((upper >> 1) - (low >> 1)) >> (shift - 1)
            upper -= 1 << 31
        words[row] = (upper << 32) | (np.int64(row) << 1) | np.int64(label[row])


@jit
def refine_words(bits, flip, words, start, stop, keys):
    """Finish the order of 64-bit keys within runs of one upper half, and name the tie groups.

    On return the upper half of each word is the index of the first word of its tie group, which
    is unique to the group and ascends. Runs must not straddle `start` or `stop`; `keys` is room
    for ``stop - start`` keys.
    """
    for k in range(start, stop):
        keys[k - start] = order_key(bits[np.uint64((words[k] & HALF) >> 1)], flip)
    first = start
    while first < stop:
        upper = words[first] >> 32
        last = first + 1
        ascending = True
        while last < stop and words[last] >> 32 == upper:
            ascending &= keys[last - start - 1] <= keys[last - start]
            last += 1
        if not ascending:
            sort_run(words[first:last], keys[first - start : last - start])
        tie = first
        for k in range(first, last):
            if keys[k - start] != keys[tie - start]:
                tie = k
            words[k] = (np.int64(tie) << 32) | (words[k] & HALF)
        first = last


@jit
def sort_run(words, keys):
    """Sort words by their keys; most runs have two or three."""
    if words.size > SHORT:
        order = np.argsort(keys)
        words[:] = words[order]
        keys[:] = keys[order]
        return
    for k in range(1, words.size):
        word, key = words[k], keys[k]
        place = k
        while place > 0 and keys[place - 1] > key:
            words[place], keys[place] = words[place - 1], keys[place - 1]
            place -= 1
        words[place], keys[place] = word, key


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
def segment_areas(words, starts, count, start, stop, integers, extremes):
    """Sums of groups start..stop; group g owns ``words[starts[g]:starts[g + 1]]``.

    `count` holds whole multiplicities a row, or is empty for one each. A row of `integers`
    gets n_pos, n_neg, twice_u, ap_high, ap_low; a row of `extremes` above, below: the meanings
    of `class_areas`.
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
        integers[g, 0] = n_pos
        integers[g, 1] = n_neg
        integers[g, 2] = twice_u
        integers[g, 3] = ap_high
        integers[g, 4] = ap_low
        extremes[g, 0] = above
        extremes[g, 1] = below


@jit
def segment_blocks(words, starts, start, stop, blocks):
    """Write the number of tie groups of groups start..stop."""
    for g in range(start, stop):
        count = 0
        previous = np.int64(0)
        for k in range(starts[g], starts[g + 1]):
            upper = words[k] >> 32
            if k == starts[g] or upper != previous:
                count += 1
            previous = upper
        blocks[g] = count


@jit
def fixed_point(rows, largest):
    """Exponents of the two limbs that hold `rows` weights of at most `largest` each.

    A weight w becomes ``floor(w * 2**head)`` and ``floor(rest * 2**tail)``.
    """
    exponent = max(math.frexp(rows * largest)[1], SMALLEST)
    spare = 0
    while (1 << spare) <= rows:
        spare += 1
    head = HEAD_BITS - exponent
    return head, head + TAIL_BITS - spare


@jit
def row_scales(label, weight, group, scales):
    """Write the limb exponents of each group and class: ``scales[g, class, limb]``.

    `group` may be empty: all rows are then in group 0.
    """
    largest = np.zeros(scales.shape[:2])
    rows = np.zeros(scales.shape[:2], np.int64)
    if group.size == 0:
        # Floats of one sign order as their bits do, and integers make a vector of maxima.
        bits = weight.view(np.int64)
        ends = np.zeros(2, np.int64)
        n_pos = np.int64(0)
        most_n = most_p = np.int64(0)
        for row in range(label.size):
            positive = np.int64(label[row])
            n_pos += positive
            most_p = max(most_p, bits[row] & -positive)
            most_n = max(most_n, bits[row] & (positive - 1))
        ends[0], ends[1] = most_n, most_p
        largest[0, :] = ends.view(np.float64)
        rows[0, 0], rows[0, 1] = label.size - n_pos, n_pos
    for row in range(group.size):
        g = group[row]
        c = label[row]
        rows[g, c] += 1
        largest[g, c] = max(largest[g, c], weight[row])
    for g in range(scales.shape[0]):
        for c in range(2):
            scales[g, c, 0], scales[g, c, 1] = fixed_point(rows[g, c], largest[g, c])


@jit
def order_weights(words, weight, start, stop, out):
    """Fetch the weights of words start..stop: on its own, so that the scattered loads overlap."""
    for k in range(start, stop):
        out[k] = weight[np.uint64((words[k] & HALF) >> 1)]


@jit
def limb_sums(words, weight, scales, start, stop, sums):
    """Sum the limbs of words start..stop: ``sums[class, limb]``; `weight` is in word order."""
    up_n, up_p = math.ldexp(1.0, int(scales[0, 0])), math.ldexp(1.0, int(scales[1, 0]))
    fine_n, fine_p = math.ldexp(1.0, int(scales[0, 1])), math.ldexp(1.0, int(scales[1, 1]))
    down_n, down_p = 1.0 / up_n, 1.0 / up_p
    head_n = head_p = tail_n = tail_p = np.int64(0)
    for k in range(start, stop):
        positive = words[k] & 1
        w = weight[k]
        head = np.floor(w * (up_p if positive else up_n))
        rest = w - head * (down_p if positive else down_n)
        whole = np.int64(head)
        tail = np.int64(rest * (fine_p if positive else fine_n))
        head_p += whole & -positive
        head_n += whole & (positive - 1)
        tail_p += tail & -positive
        tail_n += tail & (positive - 1)
    sums[0, 0], sums[0, 1], sums[1, 0], sums[1, 1] = head_n, tail_n, head_p, tail_p


@jit
def segment_tally(
    words, starts, bits, flip, weight, scales, before, first, start, stop, threshold, tp, fp
):
    """Write threshold bits and weighted tp and fp of each tie group, from the top of a group down.

    Group g of start..stop writes from index ``first[g]`` on, and adds to the limbs
    ``before[g, class, limb]`` of what lies above it. `weight` is in word order.
    """
    # A word's upper half is the key itself where it fits.
    narrow = bits.itemsize == 4
    for g in range(start, stop):
        up_n, up_p = math.ldexp(1.0, int(scales[g, 0, 0])), math.ldexp(1.0, int(scales[g, 1, 0]))
        fine_n = math.ldexp(1.0, int(scales[g, 0, 1]))
        fine_p = math.ldexp(1.0, int(scales[g, 1, 1]))
        head_n, tail_n = before[g, 0, 0], before[g, 0, 1]
        head_p, tail_p = before[g, 1, 0], before[g, 1, 1]
        block = first[g]
        k = starts[g + 1] - 1
        while k >= starts[g]:
            word = words[k]
            tie = word >> 32
            key = tie if narrow else order_key(bits[np.uint64((word & HALF) >> 1)], flip)
            threshold[block] = key ^ ((key >> 63) & flip)
            while word >> 32 == tie:
                w = weight[k]
                if word & 1:
                    head = np.floor(w * up_p)
                    head_p += np.int64(head)
                    tail_p += np.int64((w - head * (1.0 / up_p)) * fine_p)
                else:
                    head = np.floor(w * up_n)
                    head_n += np.int64(head)
                    tail_n += np.int64((w - head * (1.0 / up_n)) * fine_n)
                k -= 1
                if k < starts[g]:
                    break
                word = words[k]
            fp[block] = head_n * (1.0 / up_n) + tail_n * (1.0 / fine_n)
            tp[block] = head_p * (1.0 / up_p) + tail_p * (1.0 / fine_p)
            block += 1


@jit
def cuts_below(cuts, key):
    """Number of ascending cuts at or below a key."""
    low = 0
    high = cuts.size
    while low < high:
        middle = (low + high) >> 1
        if cuts[middle] <= key:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def cut_counts(label, bits, flip, cuts, group, count, start, stop, out):
    """Count rows start..stop between cuts: ``out[group, class, number of cuts at or below]``.

    `cuts` are ascending keys; `group` may be empty (all rows in group 0), and so may `count`.
    """
    for row in range(start, stop):
        key = order_key(bits[row], flip)
        place = cuts_below(cuts, key)
        g = group[row] if group.size else 0
        out[g, label[row], place] += count[row] if count.size else 1


@jit
def cut_weights(label, bits, flip, cuts, group, weight, scales, heads, tails, out):
    """Like `cut_counts` with weights; `heads` and `tails` are room of the shape of `out`."""
    n_groups = out.shape[0]
    scale = np.empty((n_groups, 2, 2))
    for g in range(n_groups):
        for c in range(2):
            for limb in range(2):
                scale[g, c, limb] = math.ldexp(1.0, int(scales[g, c, limb]))
    for row in range(label.size):
        key = order_key(bits[row], flip)
        place = cuts_below(cuts, key)
        g = group[row] if group.size else 0
        c = label[row]
        head = np.floor(weight[row] * scale[g, c, 0])
        heads[g, c, place] += np.int64(head)
        rest = weight[row] - head / scale[g, c, 0]
        tails[g, c, place] += np.int64(rest * scale[g, c, 1])
    # From bins to "at or above each cut", in integers so that the order of sums cannot matter.
    for g in range(n_groups):
        for c in range(2):
            head = np.int64(0)
            tail = np.int64(0)
            for place in range(cuts.size, -1, -1):
                head += heads[g, c, place]
                tail += tails[g, c, place]
                out[g, c, place] = head / scale[g, c, 0] + tail / scale[g, c, 1]
