"""Kernels over placements: what each row contributes to an area, and sums over pairs of models.

The placement of a row is the share of the other class that it is on the right side of, ties half:
of a positive the share of negatives below, of a negative the share of positives above. Without
weights it is a whole number of halves: such placements are counted, and summed, in integers.

The words of `spread_values` are rows in score order as `_rows` packs them. Those of counted
placements hold a row's *place*, its number when rows are numbered class by class, in their lower
bits: fewer bits than `_rows` takes, which leaves more of a key to the sort.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from .._runtime import jit

__all__ = [
    "class_places",
    "count_placements",
    "pair_sums",
    "place_words",
    "product_sums",
    "spread_values",
]

HALF = 0xFFFFFFFF
# Sums run in lanes that a vector unit takes side by side; how many is part of their bytes.
LANES = 32
TILE = 2048
SHORT = 24
# Words with this bit set and none above it are those of normal, positive doubles, which sort alike.
MARK = 1 << 61


@jit
def order_key(b, flip):
    """Order-preserving signed image of a score's bits, as int64."""
    key = np.int64(b)
    key ^= (key >> 63) & flip
    return key + np.int64((key == -1) & (flip != 0))


@jit
def class_places(label, n_pos, place):
    """Number rows class by class: positives from 0, negatives from `n_pos`."""
    above = np.int64(0)
    for k in range(label.size):
        positive = np.int64(label[k])
        p = n_pos + k - above
        place[k] = p + ((above - p) & -positive)
        above += positive


@jit
def place_words(bits, flip, low, shift, width, place, start, stop, words):
    """Words of rows start..stop: the key's distance from `low` over the row's place.

    The place takes `width` bits; `shift` of the distance do not fit and are left out. `low` is
    even unless `shift` is 0. The whole stays below `MARK`, and has it added.
    """
    # Halved before they are subtracted, two keys cannot leave int64.
    half = np.int64(shift > 0)
    rest = shift - half
    least = np.int64(low) >> half
    mine, places, out = bits[start:stop], place[start:stop], words[start:stop]
    for k in range(out.size):
        upper = ((order_key(mine[k], flip) >> half) - least) >> rest
        out[k] = MARK | (upper << width) | np.int64(places[k])


@jit
def count_placements(words, width, whole, bits, flip, row, n_pos, n_neg, out):
    """Write each row's rows of the other class on its right side less those on the wrong one.

    ``out[place]`` is ``2 * placement * rows - rows`` for `rows` of the other class: whole, between
    -rows and rows. Returns twice U. `words` ascend, and may be rearranged.

    Words that do not hold the `whole` of their keys leave some to be compared by the bits of the
    `row` at each place: an empty one may do, and else -1 is returned.
    """
    mask = (1 << width) - 1
    n = n_pos + n_neg
    keys = np.empty(SHORT, np.int64)
    twice_u = np.int64(0)
    tp = np.int64(0)
    stop = words.size
    while stop > 0:
        word = words[stop - 1]
        if stop == 1 or (words[stop - 2] ^ word) >> width != 0:
            # No branch: labels come in no order that could be foreseen.
            place = word & mask
            positive = np.int64(place < n_pos)
            base = 2 * tp + positive - n_pos
            span = 2 * stop - n - 1
            out[np.uint64(place)] = base + (span & -positive)
            twice_u += (positive - 1) & (2 * tp)
            tp += positive
            stop -= 1
            continue
        start = stop - 2
        while start > 0 and (words[start - 1] ^ word) >> width == 0:
            start -= 1
        if not whole:
            if row.size == 0:
                return np.int64(-1)
            if keys.size < stop - start:
                keys = np.empty(stop - start, np.int64)
            order_run(words[start:stop], mask, bits, flip, row, keys)
        while stop > start:
            tie = start
            if not whole:
                tie = stop - 1
                while tie > start and keys[tie - 1 - start] == keys[stop - 1 - start]:
                    tie -= 1
            d_pos = np.int64(0)
            for k in range(tie, stop):
                d_pos += np.int64((words[k] & mask) < n_pos)
            base = 2 * tp + d_pos - n_pos
            span = tie + stop - n
            for k in range(tie, stop):
                place = words[k] & mask
                out[np.uint64(place)] = base + (span & -np.int64(place < n_pos))
            twice_u += (stop - tie - d_pos) * (2 * tp + d_pos)
            tp += d_pos
            stop = tie
    return twice_u


@jit
def order_run(words, mask, bits, flip, row, keys):
    """Sort words that differ in their keys' last bits at most, and write those keys."""
    ascending = True
    for k in range(words.size):
        keys[k] = order_key(bits[row[np.uint64(words[k] & mask)]], flip)
        ascending &= k == 0 or keys[k - 1] <= keys[k]
    if ascending:
        return
    if words.size > SHORT:
        order = np.argsort(keys[: words.size])
        words[:] = words[order]
        keys[: words.size] = keys[order]
        return
    for k in range(1, words.size):
        word, key = words[k], keys[k]
        place = k
        while place > 0 and keys[place - 1] > key:
            words[place], keys[place] = words[place - 1], keys[place - 1]
            place -= 1
        words[place], keys[place] = word, key


@jit
def product_sums(values, start, stop, chunk, sums):
    """Sum the products of each pair of models over places start..stop, in two limbs.

    ``sums[0, i, j]`` gets the upper bits of the sum, ``sums[1, i, j]`` the lower 32 of each chunk
    of products, which must fit int64.
    """
    models = values.shape[0]
    sums[:] = 0
    for low in range(start, stop, chunk):
        high = min(low + chunk, stop)
        for i in range(models):
            x = values[i, low:high]
            for j in range(i, models):
                y = values[j, low:high]
                total = np.int64(0)
                for k in range(x.size):
                    total += np.int64(x[k]) * np.int64(y[k])
                sums[0, i, j] += total >> 32
                sums[1, i, j] += total & HALF
    for i in range(models):
        for j in range(i):
            sums[:, i, j] = sums[:, j, i]


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
