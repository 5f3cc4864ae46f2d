"""Areas of groups in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ._classes import count_sums, order_keys
from ._rows import block_ends

__all__ = ["group_sums", "group_words", "pack_groups", "segment_areas"]

HALF = 0xFFFFFFFF
GROUP = 33


def pack_groups(label, bits, flip, code, start, stop, words):
    keys = order_keys(bits[start:stop], flip).astype(np.int64) + (1 << 31)
    words[start:stop] = (code[start:stop].astype(np.int64) << GROUP) | (keys << 1)
    words[start:stop] |= label[start:stop]


def group_sums(words, start, stop, sums):
    codes = words[start:stop] >> GROUP
    edges = start + np.flatnonzero(np.diff(codes, prepend=-1, append=-1))
    for a, b in pairwise(edges.tolist()):
        label = words[a:b][::-1] & 1
        ends = block_ends(words[a:b], 1)
        tp = np.cumsum(label)[ends]
        fp = ends + 1 - tp
        n_pos, n_neg = tp[-1], fp[-1]
        g = words[a] >> GROUP
        sums[:, g] = (n_pos, n_neg, *count_sums(tp, fp, 0, 0, n_pos, n_neg))


def group_words(words, group, ends, out):
    g = group[(words & HALF) >> 1]
    out[:] = words[np.argsort(g, kind="stable")]
    ends += np.bincount(g, minlength=ends.size)


def segment_areas(words, starts, count, start, stop, sums):
    for g in range(start, stop):
        part = words[starts[g] : starts[g + 1]][::-1]
        label = part & 1
        m = count[(part & HALF) >> 1] if count.size else np.ones(part.size, np.int64)
        ends = block_ends(part[::-1]) if part.size else np.zeros(0, np.intp)
        tp = np.cumsum(label * m)[ends]
        fp = np.cumsum((1 - label) * m)[ends]
        n_pos = int(tp[-1]) if part.size else 0
        n_neg = int(fp[-1]) if part.size else 0
        sums[:, g] = (n_pos, n_neg, *count_sums(tp, fp, 0, 0, n_pos, n_neg))
