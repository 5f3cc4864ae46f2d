"""Kernels of the bootstrap: random multiplicities, and counts that follow from them.

Random words come from Philox4x32-10 [1]_, a function of a key and a counter and of nothing else.
The counter names the place of use: ``(index, node, replicate, purpose)``. A replicate is therefore
the same whichever thread makes it, and after whichever other.

A multinomial over many units is split over blocks of units by binomials, halving the range
again and again, and then drawn unit by unit inside a block, whose counters stay in the innermost
cache. Binomials are drawn by transformed rejection [2]_ where the smaller mean is at least 10, else
by waiting times [3]_, in double precision.

A unit is counted in a byte: a count of 256 in a draw of n units over n has a probability below
``n / 256!``, less than 1e-490.

References
----------
.. [1] J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
   1, 2, 3", SC11, 2011.
.. [2] W. Hormann, "The generation of binomial random variates", Journal of Statistical
   Computation and Simulation 46, 1993, algorithm BTRS.
.. [3] L. Devroye, "Non-Uniform Random Variate Generation", 1986, chapter X, section 4.3.
.. [4] D. Lemire, "Fast random integer generation in an interval", ACM Transactions on Modeling
   and Computer Simulation 29, 2019.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np

from .._runtime import jit

__all__ = [
    "cell_tally",
    "draw_cells",
    "draw_poisson",
    "draw_units",
    "draw_words",
    "philox",
    "unit_areas",
    "unit_tally",
    "weight_tally",
]

MULTIPLY_0 = np.uint64(0xD2511F53)
MULTIPLY_1 = np.uint64(0xCD9E8D57)
WEYL_0 = np.uint64(0x9E3779B9)
WEYL_1 = np.uint64(0xBB67AE85)
WORD = np.uint64(0xFFFFFFFF)
WORD_BITS = np.uint64(32)
HALF_BITS = np.uint64(16)
LEADING = np.uint64(56)
ROUNDS = 10

BATCH = 256  # counters whose words are made together, in vectors
BLOCK_BITS = 15
BLOCK = 1 << BLOCK_BITS
IN_BLOCK = np.uint64(BLOCK - 1)
SPLIT = 1 << 16  # set in the purpose of words that split ranges
CHUNK = 1024
DEPTH = 64
# Precision in fixed point, as in `count_areas`.
ONE = float(1 << 62)
LIMB = 31
LOW = (1 << LIMB) - 1

SMALL_MEAN = 10.0
SHIFT_5 = np.uint64(5)
SHIFT_6 = np.uint64(6)
# ln k! - Stirling's formula, as BTRS wants it, for k below 10.
STIRLING = np.array(
    [
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.0207906721037650,
        0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
        0.00925546218271273, 0.00833056343336287,
    ]
)  # fmt: skip


@jit
def philox(c0, c1, c2, c3, k0, k1):
    """Four 32-bit words, each in a uint64, of a counter and a key of such words."""
    for _ in range(ROUNDS):
        first = MULTIPLY_0 * c0
        second = MULTIPLY_1 * c2
        c0, c1, c2, c3 = (
            (second >> WORD_BITS) ^ c1 ^ k0,
            second & WORD,
            (first >> WORD_BITS) ^ c3 ^ k1,
            first & WORD,
        )
        k0 = (k0 + WEYL_0) & WORD
        k1 = (k1 + WEYL_1) & WORD
    return c0, c1, c2, c3


@jit
def fill_words(key, first, node, replicate, purpose, words):
    """Write the words of `BATCH` counters from index `first` on: ``words[which, counter]``."""
    k0, k1 = key[0], key[1]
    index, node = np.uint64(first), np.uint64(node)
    replicate, purpose = np.uint64(replicate), np.uint64(purpose)
    for i in range(BATCH):
        a, b, c, d = philox(index + np.uint64(i), node, replicate, purpose, k0, k1)
        words[0, i] = a
        words[1, i] = b
        words[2, i] = c
        words[3, i] = d


@jit
def stirling(k):
    """What Stirling's formula lacks of ln k!."""
    if k < 10:
        return STIRLING[int(k)]
    square = (k + 1.0) * (k + 1.0)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0)


@jit
def two_uniforms(key, index, node, replicate, purpose):
    """Two doubles strictly between 0 and 1."""
    a, b, c, d = philox(
        np.uint64(index), np.uint64(node), np.uint64(replicate), np.uint64(purpose), key[0], key[1]
    )
    u = (float(a >> SHIFT_5) * 67108864.0 + float(b >> SHIFT_6) + 0.5) / 9007199254740992.0
    v = (float(c >> SHIFT_5) * 67108864.0 + float(d >> SHIFT_6) + 0.5) / 9007199254740992.0
    return u, v


@jit
def binomial(draws, part, whole, key, node, replicate, purpose):
    """How many of `draws` fall to `part` of `whole` equal places."""
    if 2 * part > whole:
        rest = smaller_binomial(draws, whole - part, whole, key, node, replicate, purpose)
        return draws - rest
    return smaller_binomial(draws, part, whole, key, node, replicate, purpose)


@jit
def smaller_binomial(draws, part, whole, key, node, replicate, purpose):
    """`binomial` where `part` is at most half of `whole`."""
    if draws == 0 or part == 0:
        return 0
    n = float(draws)
    p = part / whole
    index = 0
    if n * p < SMALL_MEAN:
        log_q = math.log1p(-p)
        found = 0
        waited = 0.0
        while True:
            u, v = two_uniforms(key, index, node, replicate, purpose)
            waited += math.floor(math.log(u) / log_q) + 1.0
            if waited > n:
                return found
            found += 1
            waited += math.floor(math.log(v) / log_q) + 1.0
            if waited > n:
                return found
            found += 1
            index += 1
    deviation = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = n * p + 0.5
    v_r = 0.92 - 4.2 / b
    r = p / (1.0 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    m = math.floor((n + 1.0) * p)
    while True:
        u, v = two_uniforms(key, index, node, replicate, purpose)
        index += 1
        u -= 0.5
        us = 0.5 - abs(u)
        k = math.floor((2.0 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            return int(k)
        if k < 0 or k > n:
            continue
        v = math.log(v * alpha / (a / (us * us) + b))
        bound = (m + 0.5) * math.log((m + 1.0) / (r * (n - m + 1.0)))
        bound += (n + 1.0) * math.log((n - m + 1.0) / (n - k + 1.0))
        bound += (k + 0.5) * math.log(r * (n - k + 1.0) / (k + 1.0))
        bound += stirling(m) + stirling(n - m) - stirling(k) - stirling(n - k)
        if v <= bound:
            return int(k)


@jit
def draw_cells(key, replicate, purpose, edges, draws, cells):
    """Multinomial over cells: ``cells[e]`` of the draws lie in ``edges[e]:edges[e + 1]``."""
    lows = np.empty(DEPTH, np.int64)
    highs = np.empty(DEPTH, np.int64)
    shares = np.empty(DEPTH, np.int64)
    lows[0], highs[0], shares[0] = 0, cells.size, draws
    held = 1 if cells.size else 0
    while held:
        held -= 1
        low, high, share = lows[held], highs[held], shares[held]
        while share > 0 and high - low > 1:
            middle = (low + high) // 2
            part = edges[middle] - edges[low]
            whole = edges[high] - edges[low]
            left = binomial(share, part, whole, key, middle, replicate, purpose + SPLIT)
            lows[held], highs[held], shares[held] = middle, high, share - left
            held += 1
            high, share = middle, left
        cells[low:high] = share


@jit
def draw_units(key, replicate, purpose, counts):
    """As many draws as there are units, with replacement: how often each was drawn."""
    size = counts.size
    n_blocks = (size + BLOCK - 1) // BLOCK
    edges = np.empty(n_blocks + 1, np.int64)
    for block in range(n_blocks + 1):
        edges[block] = min(block * BLOCK, size)
    shares = np.empty(n_blocks, np.int64)
    draw_cells(key, replicate, purpose, edges, size, shares)
    words = np.empty((4, BATCH), np.uint32)
    flat = words.reshape(4 * BATCH)
    counts[:] = 0
    for block in range(n_blocks):
        here = counts[edges[block] : edges[block + 1]]
        left = shares[block]
        index = 0
        if here.size == BLOCK:
            # Each word gives two draws: all lower halves of a batch, then all upper ones.
            while left > 0:
                fill_words(key, index, block, replicate, purpose, words)
                index += BATCH
                for i in range(min(left, flat.size)):
                    here[np.uint64(flat[i]) & IN_BLOCK] += 1
                left -= flat.size
                for i in range(min(left, flat.size)):
                    here[(np.uint64(flat[i]) >> HALF_BITS) & IN_BLOCK] += 1
                left -= flat.size
        else:
            # Lemire's multiplication [4], which rejects what would favour some units.
            places = np.uint64(here.size)
            unfair = np.uint64((1 << 32) % here.size)
            while left > 0:
                fill_words(key, index, block, replicate, purpose, words)
                index += BATCH
                for i in range(flat.size):
                    product = np.uint64(flat[i]) * places
                    if (product & WORD) >= unfair and left > 0:
                        here[product >> WORD_BITS] += 1
                        left -= 1


@jit
def draw_poisson(key, replicate, purpose, steps, counts):
    """Independent Poisson counts; `steps` are the distribution function in units of 2**-64."""
    words = np.empty((4, BATCH), np.uint32)
    least = np.zeros(1 << 8, np.int64)
    for byte in range(1 << 8):
        k = 0
        while k < steps.size and np.uint64(byte) << LEADING >= steps[k]:
            k += 1
        least[byte] = k
    for start in range(0, counts.size, 2 * BATCH):
        fill_words(key, start // 2, 0, replicate, purpose, words)
        for i in range(min(2 * BATCH, counts.size - start)):
            row = 0 if i < BATCH else 2
            upper = np.uint64(words[row, i % BATCH])
            u = (upper << WORD_BITS) | np.uint64(words[row + 1, i % BATCH])
            # Most counts follow from the leading byte; the search goes on from where it leads.
            k = least[u >> LEADING]
            while k < steps.size and u >= steps[k]:
                k += 1
            counts[start + i] = k


@jit
def draw_words(key, replicate, purpose, words):
    """Words as the generator gives them: fair bits."""
    made = np.empty((4, BATCH), np.uint32)
    flat = made.reshape(4 * BATCH)
    for start in range(0, words.size, flat.size):
        fill_words(key, start // 4, 0, replicate, purpose, made)
        for i in range(min(flat.size, words.size - start)):
            words[start + i] = flat[i]


@jit
def unit_areas(counts, place, groups, parts, longest):
    """Sums of both areas straight from multiplicities, without the counts at each threshold.

    A row of `groups` tells of a tie group with positives where these begin and end, and where
    the group ends; ``parts`` cuts the groups into runs that lie in at most `longest` rows.

    Returns
    -------
    n_pos, n_neg, twice_u, ap_high, ap_low : int
        As `count_areas` sums them.
    """
    running = np.empty(longest + 1, np.int64)
    base = np.int64(0)
    selected = np.int64(0)
    tp = np.int64(0)
    lost = np.int64(0)  # twice the pairs out of order, ties half
    ap_high = np.int64(0)
    ap_low = np.int64(0)
    for part in range(parts.size - 1):
        last = np.int64(groups[parts[part + 1] - 1, 2])
        # Counts above each row first, without a branch: their loads are scattered.
        for k in range(last - base):
            running[k] = selected
            selected += counts[np.uint64(place[base + k])]
        running[last - base] = selected
        for g in range(parts[part], parts[part + 1]):
            above = running[np.uint64(groups[g, 0] - base)]
            found = running[np.uint64(groups[g, 1] - base)] - above
            now = running[np.uint64(groups[g, 2] - base)]
            lost += found * (above - 2 * tp + now - found)
            tp += found
            precision = np.int64(tp / max(now, 1) * ONE)
            ap_high += found * (precision >> LIMB)
            ap_low += found * (precision & LOW)
        base = last
    for k in range(base, place.size):
        selected += counts[np.uint64(place[k])]
    n_neg = selected - tp
    return tp, n_neg, 2 * tp * n_neg - lost, ap_high, ap_low


@jit
def unit_tally(counts, place, edges, positive, ends, tp, fp):
    """Rows at or above the end of each tie group, every row counted as often as its unit.

    Cell e holds rows ``edges[e]:edges[e + 1]`` in falling order of the scores, all of class
    ``positive[e]``; ``ends[e]`` tells whether a tie group ends with it. ``place`` is the unit of
    each row.
    """
    running = np.empty(CHUNK + 1, np.int64)
    total = np.int64(0)
    last = np.int64(0)
    above_p = np.int64(0)
    above_n = np.int64(0)
    e = 1
    out = 0
    for start in range(0, place.size, CHUNK):
        size = min(CHUNK, place.size - start)
        for k in range(size):
            running[k] = total
            total += counts[np.uint64(place[start + k])]
        running[size] = total
        while e < edges.size and edges[e] <= start + size:
            now = running[edges[e] - start]
            found = now - last
            last = now
            mine = np.int64(positive[e - 1])
            above_p += found & -mine
            above_n += found & (mine - 1)
            tp[out] = above_p
            fp[out] = above_n
            out += np.int64(ends[e - 1])
            e += 1


@jit
def cell_tally(cells, positive, ends, tp, fp):
    """Like `unit_tally`, from the draws of whole cells."""
    above_p = np.int64(0)
    above_n = np.int64(0)
    out = 0
    for e in range(cells.size):
        mine = np.int64(positive[e])
        above_p += cells[e] & -mine
        above_n += cells[e] & (mine - 1)
        tp[out] = above_p
        fp[out] = above_n
        out += np.int64(ends[e])


@jit
def weight_tally(counts, place, weight, edges, positive, ends, tp, fp):
    """Like `unit_tally`, each row counting its unit's multiplicity times its own weight.

    `weight` is in falling order of the scores. Sums run in that order, in float64: exact for
    whole weights, within ``n * 2**-53`` of the class total otherwise.
    """
    above = np.zeros(2)
    out = 0
    for e in range(positive.size):
        mine = positive[e]
        for k in range(edges[e], edges[e + 1]):
            above[mine] += counts[np.uint64(place[k])] * weight[k]
        fp[out] = above[0]
        tp[out] = above[1]
        out += np.int64(ends[e])
