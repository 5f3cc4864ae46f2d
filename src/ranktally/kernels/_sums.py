"""Kernels over count arrays: the areas of a tally that is already there.

`tp` and `fp` never fall; what is missing to the totals is one last tie group without a threshold.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from .._runtime import jit

__all__ = ["count_areas", "weighted_areas"]

ONE = float(1 << 62)
LIMB = 31
LOW = (1 << LIMB) - 1
HEAD = float(1 << 52)


@jit
def count_areas(tp, fp, n_pos, n_neg):
    """Areas of whole counts: twice_u, ap_high, ap_low, above, below as in `class_areas`."""
    twice_u = 0
    ap_high = 0
    ap_low = 0
    above = 0
    below = 0
    tp_before = 0
    fp_before = 0
    for k in range(tp.size + 1):
        tp_now = np.int64(tp[k]) if k < tp.size else n_pos
        fp_now = np.int64(fp[k]) if k < tp.size else n_neg
        d_pos = tp_now - tp_before
        twice_u += (fp_now - fp_before) * (tp_before + tp_now)
        if d_pos > 0:
            precision = np.int64(tp_now / (tp_now + fp_now) * ONE)
            ap_high += d_pos * (precision >> LIMB)
            ap_low += d_pos * (precision & LOW)
        gap = tp_now * n_neg - fp_now * n_pos
        above = max(above, gap)
        below = max(below, -gap)
        tp_before = tp_now
        fp_before = fp_now
    return twice_u, ap_high, ap_low, above, below


@jit
def weighted_areas(tp, fp, starts, n_pos, n_neg, out):
    """Areas of weight sums: ROC AUC, average precision and KS of each group in a row of `out`.

    Each area and its complement are summed, in fixed point, and the smaller one is used: it has
    the smaller error, and a perfect order gives exactly 1.
    """
    for g in range(out.shape[0]):
        first = starts[g]
        last = starts[g + 1]
        pos = n_pos[g]
        neg = n_neg[g]
        out[g, :] = np.nan
        spare = 0
        while (1 << spare) <= last - first + 1:
            spare += 1
        unit = float(1 << (62 - spare))
        heads = np.zeros(4, np.int64)
        tails = np.zeros(4, np.int64)
        term = np.zeros(4)
        ks = 0.0
        tp_before = 0.0
        fp_before = 0.0
        for k in range(first, last + 1):
            tp_now = tp[k] if k < last else pos
            fp_now = fp[k] if k < last else neg
            d_pos = tp_now - tp_before
            d_neg = fp_now - fp_before
            if pos > 0.0 and neg > 0.0:
                term[0] = (d_neg / neg) * ((tp_before + tp_now) / (2.0 * pos))
                term[1] = (d_pos / pos) * ((fp_before + fp_now) / (2.0 * neg))
                ks = max(ks, abs(tp_now / pos - fp_now / neg))
            if d_pos > 0.0:
                term[2] = (d_pos / pos) * (tp_now / (tp_now + fp_now))
                term[3] = (d_pos / pos) * (fp_now / (tp_now + fp_now))
            else:
                term[2] = 0.0
                term[3] = 0.0
            for t in range(4):
                head = np.floor(term[t] * HEAD)
                heads[t] += np.int64(head)
                tails[t] += np.int64((term[t] * HEAD - head) * unit)
            tp_before = tp_now
            fp_before = fp_now
        total = heads / HEAD + tails / (unit * HEAD)
        if pos > 0.0 and neg > 0.0:
            out[g, 0] = total[0] if total[0] <= total[1] else 1.0 - total[1]
            out[g, 2] = min(1.0, ks)
        if pos > 0.0:
            out[g, 1] = total[2] if total[2] <= total[3] else 1.0 - total[3]
