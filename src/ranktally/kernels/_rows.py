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
HEAD_BITS = 52
TAIL_BITS = 62
SMALLEST = -900
SHORT = 24
STEP = np.uint64(1)


@jit
def order_key(b, flip):
    """Order-preserving signed image of a score's bits, as int64."""
    key = np.int64(b)
    key ^= (key >> 63) & flip
    if key == -1 and flip != 0:
        key += 1
    return key


@jit
def upper_half(key, narrow, low, shift):
    """What orders a word: the key, or the leading bits of a 64-bit key's distance from `low`."""
    if narrow:
        return key
    # Halved before they are subtracted, two keys cannot leave int64.
    upper = key - low if shift == 0 else ((key >> 1) - (low >> 1)) >> (shift - 1)
    return upper - (1 << 31)


@jit
def count_cells(bits, flip, weight, low, shift, cell, start, stop, counts):
    """Count rows start..stop of some weight by cell: what orders a word, without `cell` bits."""
    narrow = bits.itemsize == 4
    base = upper_half(low, narrow, low, shift) >> cell
    for row in range(start, stop):
        upper = upper_half(order_key(bits[row], flip), narrow, low, shift)
        counts[np.uint64((upper >> cell) - base)] += weight[row] > 0.0


@jit
def deal_words(
    label, bits, flip, weight, low, shift, cell, part, start, stop, ends, words, weights, keys
):
    """Words of rows start..stop of some weight, dealt to parts of neighbouring cells.

    ``part[c]`` is the part of cell c. `ends` holds where each part begins for these rows in
    `words` and, on return, where it ends. The lower half of a word holds its place in place of its
    row: there the weight is, and in `keys` the bits of 64-bit scores.
    """
    narrow = bits.itemsize == 4
    base = upper_half(low, narrow, low, shift) >> cell
    for row in range(start, stop):
        w = weight[row]
        if w > 0.0:
            upper = upper_half(order_key(bits[row], flip), narrow, low, shift)
            p = part[np.uint64((upper >> cell) - base)]
            place = ends[p]
            ends[p] += 1
            words[np.uint64(place)] = (upper << 32) | (place << 1) | np.int64(label[row])
            weights[np.uint64(place)] = w
            if not narrow:
                keys[np.uint64(place)] = bits[row]


@jit
def pack_words(label, bits, flip, low, shift, start, stop, words):
    """Words of rows start..stop; of 64-bit keys `shift` bits are left to `refine_words`."""
    narrow = bits.itemsize == 4
    for row in range(start, stop):
        upper = upper_half(order_key(bits[row], flip), narrow, low, shift)
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
def segment_blocks(words, starts, start, stop, blocks):
    """Write the number of tie groups of groups start..stop."""
    for g in range(start, stop):
        count = np.int64(starts[g] < starts[g + 1])
        for k in range(starts[g] + 1, starts[g + 1]):
            count += words[k] >> 32 != words[k - 1] >> 32
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
def weight_ranges(label, weight, group, start, stop, rows, largest):
    """Count rows start..stop of some weight and raise `largest`, both ``[group, class]``.

    `group` may be empty: all rows are then in group 0.
    """
    if group.size == 0:
        # Floats of one sign order as their bits do, and integers make a vector of maxima.
        bits = weight.view(np.int64)
        n = n_pos = np.int64(0)
        most_n = most_p = np.int64(0)
        for row in range(start, stop):
            positive = np.int64(label[row])
            some = np.int64(bits[row] > 0)
            n += some
            n_pos += some & positive
            most_p = max(most_p, bits[row] & -positive)
            most_n = max(most_n, bits[row] & (positive - 1))
        ends = np.empty(2, np.int64)
        ends[0], ends[1] = most_n, most_p
        rows[0, 0] += n - n_pos
        rows[0, 1] += n_pos
        largest[0, :] = np.maximum(largest[0, :], ends.view(np.float64))
        return
    for row in range(start, stop):
        g = group[row]
        c = label[row]
        rows[g, c] += weight[row] > 0.0
        largest[g, c] = max(largest[g, c], weight[row])


@jit
def fixed_points(rows, largest, scales):
    """Write the limb exponents of each group and class: ``scales[g, class, limb]``."""
    for g in range(scales.shape[0]):
        for c in range(2):
            scales[g, c, 0], scales[g, c, 1] = fixed_point(rows[g, c], largest[g, c])


@jit
def order_weights(words, weight, start, stop, out):
    """Fetch the weights of words start..stop: on its own, so that the scattered loads overlap."""
    for k in range(start, stop):
        out[k - start] = weight[np.uint64((words[k] & HALF) >> 1)]


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
    ``before[g, class, limb]`` of what lies above it. `weight` is in word order. Every row writes,
    a later one of a tie group over an earlier one: what would be a branch a row is an addition.
    """
    # A word's upper half is the key itself where it fits.
    narrow = bits.itemsize == 4
    for g in range(start, stop):
        up_n, up_p = math.ldexp(1.0, int(scales[g, 0, 0])), math.ldexp(1.0, int(scales[g, 1, 0]))
        fine_n = math.ldexp(1.0, int(scales[g, 0, 1]))
        fine_p = math.ldexp(1.0, int(scales[g, 1, 1]))
        down_n, down_p, least_n, least_p = 1.0 / up_n, 1.0 / up_p, 1.0 / fine_n, 1.0 / fine_p
        head_n, tail_n = before[g, 0, 0], before[g, 0, 1]
        head_p, tail_p = before[g, 1, 0], before[g, 1, 1]
        below = head_n * down_n + tail_n * least_n
        above = head_p * down_p + tail_p * least_p
        block = np.uint64(first[g])
        last, k = np.uint64(starts[g]), np.uint64(starts[g + 1])
        while k > last:
            k -= STEP
            word = words[k]
            w = weight[k]
            if word & 1:
                head = np.floor(w * up_p)
                head_p += np.int64(head)
                tail_p += np.int64((w - head * down_p) * fine_p)
                above = head_p * down_p + tail_p * least_p
            else:
                head = np.floor(w * up_n)
                head_n += np.int64(head)
                tail_n += np.int64((w - head * down_n) * fine_n)
                below = head_n * down_n + tail_n * least_n
            key = word >> 32 if narrow else order_key(bits[np.uint64((word & HALF) >> 1)], flip)
            threshold[block] = key ^ ((key >> 63) & flip)
            tp[block] = above
            fp[block] = below
            block += np.uint64(k == last or words[k - STEP] >> 32 != word >> 32)


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
