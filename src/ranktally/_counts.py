"""Counts at the distinct scores: plain data with a merge law, and the areas that follow from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

import numpy as np

from ._order import SortedClasses, check_range, order_weights, sort_classes
from ._runtime import run
from ._segment_tally import weight_scales, words_tally
from ._types import AnyArray, Floats, Ints
from ._validate import MAX_PAIRS, MAX_POSITIVES, Sample

__all__ = [
    "Areas",
    "Counts",
    "areas_of_counts",
    "class_sums",
    "counts_of",
    "sample_areas",
    "tally_counts",
]

NAN = math.nan


class Areas(NamedTuple):
    """What one pass over the tie groups sums up; nan where a class is missing."""

    n_pos: float
    n_neg: float
    roc_auc: float
    average_precision: float
    ks: float


@dataclass(frozen=True)
class Counts:
    """Rows at or above each distinct score, thresholds falling.

    Attributes
    ----------
    threshold : ndarray, shape (g,)
        In the score's own dtype, strictly decreasing.
    tp, fp : ndarray, shape (g,)
        int64, or float64 weight sums.
    n_pos, n_neg : int or float
        Totals; above ``tp[-1]``, ``fp[-1]`` when missing scores rank last.
    """

    threshold: AnyArray
    tp: Ints | Floats
    fp: Ints | Floats
    n_pos: float
    n_neg: float


def areas_from_integers(
    n_pos: int, n_neg: int, twice_u: int, ap_high: int, ap_low: int, above: int, below: int
) -> Areas:
    """Divide the integer sums, each once and correctly rounded."""
    pairs = n_pos * n_neg
    return Areas(
        n_pos,
        n_neg,
        twice_u / (2 * pairs) if pairs else NAN,
        ((ap_high << 31) + ap_low) / (n_pos << 62) if n_pos else NAN,
        max(above, below) / pairs if pairs else NAN,
    )


def class_sums(classes: SortedClasses, loops: ModuleType, threads: int) -> Areas:
    """Areas straight from sorted classes: no tally is made."""
    pos, neg, cuts = classes.pos, classes.neg, classes.cuts
    tasks = [
        partial(loops.class_areas, pos, neg, i, i_stop, j, j_stop)
        for (i, j), (i_stop, j_stop) in pairwise(cuts)
    ]
    parts = run(tasks, threads)
    sums = [sum(int(part[k]) for part in parts) for k in range(3)]
    gaps = [max((int(part[k]) for part in parts), default=0) for k in (3, 4)]
    return areas_from_integers(pos.size, neg.size, sums[0], sums[1], sums[2], gaps[0], gaps[1])


def sample_areas(sample: Sample, loops: ModuleType, threads: int) -> Areas:
    """Areas of one sample by the cheapest exact way."""
    if sample.weight is None:
        return class_sums(sort_classes(sample, loops, threads), loops, threads)
    return areas_of_counts(tally_counts(sample, loops, threads), loops)


def tally_counts(sample: Sample, loops: ModuleType, threads: int) -> Counts:
    """Counts at every distinct score of a sample."""
    if sample.weight is not None:
        return _weighted_counts(sample, loops, threads)
    classes = sort_classes(sample, loops, threads)
    pos, neg = classes.pos, classes.neg
    parts = [
        (pos, neg, i, i_stop, j, j_stop) for (i, j), (i_stop, j_stop) in pairwise(classes.cuts)
    ]
    sizes = run([partial(loops.class_blocks, *part) for part in parts], threads)
    ends = np.cumsum([0, *sizes])
    bits = np.empty(ends[-1], sample.codec.key_dtype)
    tp = np.empty(ends[-1], np.int64)
    fp = np.empty(ends[-1], np.int64)
    run(
        [
            partial(loops.class_tally, *part, sample.codec.flip, bits, tp, fp, int(first))
            for part, first in zip(parts, ends, strict=False)
        ],
        threads,
    )
    return counts_of(sample, bits, tp, fp)


def _weighted_counts(sample: Sample, loops: ModuleType, threads: int) -> Counts:
    scales = weight_scales(sample, np.empty(0, np.int32), 1, loops, threads)
    words, bits, weight = order_weights(sample, loops, threads)
    starts = np.asarray([0, words.size], np.int64)
    flip = sample.codec.flip
    threshold, tp, fp, _ = words_tally(words, starts, bits, flip, weight, scales, loops, threads)
    return counts_of(sample, threshold, tp, fp)


def counts_of(sample: Sample, bits: AnyArray, tp: AnyArray, fp: AnyArray) -> Counts:
    """Totals, and the tie group of missing scores taken off the thresholds."""
    n_pos = tp[-1].item() if tp.size else tp.dtype.type(0).item()
    n_neg = fp[-1].item() if fp.size else fp.dtype.type(0).item()
    missing = -1 if sample.codec.flip else sample.codec.lowest
    if bits.size and bits[-1] == missing and sample.has_missing:
        bits, tp, fp = bits[:-1], tp[:-1], fp[:-1]
    return Counts(sample.codec.decode(bits), tp, fp, n_pos, n_neg)


def areas_of_counts(counts: Counts, loops: ModuleType) -> Areas:
    """Areas of counts that are already there: in integers when they are whole."""
    tp, fp = counts.tp, counts.fp
    n_pos, n_neg = counts.n_pos, counts.n_neg
    if tp.dtype.kind == "i":
        check_range(int(n_pos), int(n_neg))
        whole = True
    else:
        small = n_pos * n_neg < MAX_PAIRS and n_pos < MAX_POSITIVES and n_neg < 2.0**53
        whole = small and _all_whole(tp) and _all_whole(fp)
        whole = whole and float(n_pos).is_integer() and float(n_neg).is_integer()
    if whole:
        sums = loops.count_areas(tp, fp, int(n_pos), int(n_neg))
        exact = areas_from_integers(int(n_pos), int(n_neg), *(int(x) for x in sums))
        return Areas(n_pos, n_neg, *exact[2:])
    out = np.empty((1, 3))
    starts = np.asarray([0, tp.size], np.int64)
    loops.weighted_areas(tp, fp, starts, np.asarray([n_pos]), np.asarray([n_neg]), out)
    return Areas(n_pos, n_neg, *out[0].tolist())


def _all_whole(array: AnyArray) -> bool:
    return bool(np.array_equal(np.floor(array), array))
