"""Bootstrap loops in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np

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

WORD = 0xFFFFFFFF
BATCH = 256
BLOCK = 1 << 15
SPLIT = 1 << 16
STIRLING = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.0207906721037650,
    0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
    0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def philox(c0, c1, c2, c3, k0, k1):
    for _ in range(10):
        first = c0 * 0xD2511F53
        second = c2 * 0xCD9E8D57
        c0, c1, c2, c3 = (
            (second >> 32) ^ c1 ^ k0,
            second & WORD,
            (first >> 32) ^ c3 ^ k1,
            first & WORD,
        )
        k0 = (k0 + 0x9E3779B9) & WORD
        k1 = (k1 + 0xBB67AE85) & WORD
    return c0, c1, c2, c3


def _batches(key, first, node, replicate, purpose, batches):
    """Words of some batches of counters: shape (batches, 4, BATCH)."""
    index = np.arange(first, first + batches * BATCH, dtype=np.uint64)
    fixed = [np.full(index.size, x, np.uint64) for x in (node, replicate, purpose)]
    words = philox(index, *fixed, int(key[0]), int(key[1]))
    return np.stack(words).reshape(4, batches, BATCH).swapaxes(0, 1)


def _uniforms(key, node, replicate, purpose):
    index = 0
    while True:
        a, b, c, d = philox(
            index, int(node), int(replicate), int(purpose), int(key[0]), int(key[1])
        )
        yield ((a >> 5) * 67108864.0 + (b >> 6) + 0.5) / 9007199254740992.0
        yield ((c >> 5) * 67108864.0 + (d >> 6) + 0.5) / 9007199254740992.0
        index += 1


def _stirling(k):
    if k < 10:
        return STIRLING[int(k)]
    square = (k + 1.0) * (k + 1.0)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0)


def _binomial(draws, part, whole, uniforms):
    if 2 * part > whole:
        return draws - _binomial(draws, whole - part, whole, uniforms)
    if draws == 0 or part == 0:
        return 0
    n, p = float(draws), part / whole
    if n * p < 10.0:
        log_q = math.log1p(-p)
        found, waited = -1, 0.0
        while waited <= n:
            waited += math.floor(math.log(next(uniforms)) / log_q) + 1.0
            found += 1
        return found
    deviation = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = n * p + 0.5
    v_r = 0.92 - 4.2 / b
    r = p / (1.0 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    m = float(math.floor((n + 1.0) * p))
    while True:
        u = next(uniforms) - 0.5
        v = next(uniforms)
        us = 0.5 - abs(u)
        k = float(math.floor((2.0 * a / us + b) * u + c))
        if us >= 0.07 and v <= v_r:
            return int(k)
        if k < 0 or k > n:
            continue
        v = math.log(v * alpha / (a / (us * us) + b))
        bound = (m + 0.5) * math.log((m + 1.0) / (r * (n - m + 1.0)))
        bound += (n + 1.0) * math.log((n - m + 1.0) / (n - k + 1.0))
        bound += (k + 0.5) * math.log(r * (n - k + 1.0) / (k + 1.0))
        bound += _stirling(m) + _stirling(n - m) - _stirling(k) - _stirling(n - k)
        if v <= bound:
            return int(k)


def draw_cells(key, replicate, purpose, edges, draws, cells):
    cells[:] = 0
    waiting = [(0, cells.size, int(draws))] if cells.size else []
    while waiting:
        low, high, share = waiting.pop()
        if high - low == 1:
            cells[low] = share
        elif share:
            middle = (low + high) // 2
            part, whole = int(edges[middle] - edges[low]), int(edges[high] - edges[low])
            left = _binomial(share, part, whole, _uniforms(key, middle, replicate, purpose + SPLIT))
            waiting += [(low, middle, left), (middle, high, share - left)]


def draw_units(key, replicate, purpose, counts):
    size = counts.size
    n_blocks = -(-size // BLOCK)
    edges = np.minimum(np.arange(n_blocks + 1) * BLOCK, size)
    shares = np.empty(n_blocks, np.int64)
    draw_cells(key, replicate, purpose, edges, size, shares)
    for block, share in enumerate(shares.tolist()):
        here = counts[edges[block] : edges[block + 1]]
        stream = (key, block, replicate, purpose, share)
        drawn = _whole_block(*stream) if here.size == BLOCK else _places(*stream, here.size)
        here[:] = np.bincount(drawn.astype(np.int64), minlength=here.size)


def _whole_block(key, block, replicate, purpose, share):
    batches = -(-share // (8 * BATCH))
    words = _batches(key, 0, block, replicate, purpose, batches).reshape(batches, 1, 4 * BATCH)
    halves = np.concatenate([words & 0xFFFF, words >> 16], axis=1)
    return halves.ravel()[:share] & (BLOCK - 1)


def _places(key, block, replicate, purpose, share, size):
    found, have, index = [np.empty(0, np.uint64)], 0, 0
    while have < share:
        batches = 1 + (share - have) // (4 * BATCH)
        product = _batches(key, index, block, replicate, purpose, batches).ravel() * size
        fair = (product & WORD) >= (1 << 32) % size
        found.append(product[fair] >> 32)
        have += found[-1].size
        index += batches * BATCH
    return np.concatenate(found)[:share]


def draw_poisson(key, replicate, purpose, steps, counts):
    batches = -(-counts.size // (2 * BATCH))
    words = _batches(key, 0, 0, replicate, purpose, batches)
    u = (words[:, 0::2] << 32) | words[:, 1::2]
    counts[:] = np.searchsorted(steps, u.ravel()[: counts.size], side="right")


def draw_words(key, replicate, purpose, words):
    batches = -(-words.size // (4 * BATCH))
    words[:] = _batches(key, 0, 0, replicate, purpose, batches).ravel()[: words.size]


def unit_areas(counts, place, groups, parts, longest):
    running = np.concatenate([[0], np.cumsum(counts[place], dtype=np.int64)])
    above, middle, now = running[groups].T
    found = middle - above
    tp = np.cumsum(found)
    n_pos = int(found.sum())
    n_neg = int(running[-1]) - n_pos
    lost = int(np.sum(found * (above - 2 * (tp - found) + now - found)))
    precision = (tp / np.maximum(now, 1) * float(1 << 62)).astype(np.int64)
    ap_high = int(np.sum(found * (precision >> 31)))
    ap_low = int(np.sum(found * (precision & ((1 << 31) - 1))))
    return n_pos, n_neg, 2 * n_pos * n_neg - lost, ap_high, ap_low


def _sums_at(values, edges, positive, ends, tp, fp):
    mine = np.repeat(positive != 0, np.diff(edges))
    last = edges[1:][ends != 0] - 1
    tp[:] = np.cumsum(np.where(mine, values, 0))[last]
    fp[:] = np.cumsum(np.where(mine, 0, values))[last]


def unit_tally(counts, place, edges, positive, ends, tp, fp):
    _sums_at(counts[place].astype(np.int64), edges, positive, ends, tp, fp)


def cell_tally(cells, positive, ends, tp, fp):
    tp[:] = np.cumsum(np.where(positive, cells, 0))[ends != 0]
    fp[:] = np.cumsum(np.where(positive, 0, cells))[ends != 0]


def weight_tally(counts, place, weight, edges, positive, ends, tp, fp):
    _sums_at(counts[place] * weight, edges, positive, ends, tp, fp)
