"""Areas from count arrays in plain NumPy; names, parameters and results as in `kernels`."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ._classes import count_sums

__all__ = ["count_areas", "weighted_areas"]


def count_areas(tp, fp, n_pos, n_neg):
    tp = np.append(tp, n_pos).astype(np.int64)
    fp = np.append(fp, n_neg).astype(np.int64)
    return count_sums(tp, fp, 0, 0, n_pos, n_neg)


def _area(terms):
    """Sum of terms within [0, 1] in fixed point, so that it cannot depend on their order."""
    spare = terms.size.bit_length()
    head = np.floor(terms * 2.0**52)
    tail = np.trunc((terms * 2.0**52 - head) * 2.0 ** (62 - spare))
    low = int(tail.astype(np.int64).sum()) / (2.0 ** (62 - spare) * 2.0**52)
    return int(head.astype(np.int64).sum()) / 2.0**52 + low


def _smaller(area, complement):
    return area if area <= complement else 1.0 - complement


def weighted_areas(tp, fp, starts, n_pos, n_neg, out):
    for g in range(out.shape[0]):
        pos, neg = n_pos[g], n_neg[g]
        tp_now = np.append(tp[starts[g] : starts[g + 1]], pos)
        fp_now = np.append(fp[starts[g] : starts[g + 1]], neg)
        d_pos = np.diff(tp_now, prepend=0.0)
        d_neg = np.diff(fp_now, prepend=0.0)
        out[g] = np.nan
        if pos > 0 and neg > 0:
            tp_before = np.concatenate([[0.0], tp_now[:-1]])
            fp_before = np.concatenate([[0.0], fp_now[:-1]])
            ordered = (d_neg / neg) * ((tp_before + tp_now) / (2.0 * pos))
            reversed_ = (d_pos / pos) * ((fp_before + fp_now) / (2.0 * neg))
            out[g, 0] = _smaller(_area(ordered), _area(reversed_))
            out[g, 2] = min(1.0, np.abs(tp_now / pos - fp_now / neg).max())
        if pos > 0:
            some = d_pos > 0
            share = d_pos[some] / pos
            total = tp_now[some] + fp_now[some]
            # The terms left out are zeros; the limb scale counts them as the kernel does.
            right = np.zeros(tp_now.size)
            wrong = np.zeros(tp_now.size)
            right[some] = share * (tp_now[some] / total)
            wrong[some] = share * (fp_now[some] / total)
            out[g, 1] = _smaller(_area(right), _area(wrong))
