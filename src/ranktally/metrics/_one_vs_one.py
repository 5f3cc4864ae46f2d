"""Average AUC over all pairs of classes (Hand and Till 2001, Machine Learning 45(2))."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .._types import AnyArray
from ._binary_counts import areas_of

__all__ = ["average_pairs"]


def average_pairs(codes: AnyArray, score: AnyArray, *, weighted: bool) -> float:
    """Mean over the pairs of present classes of both AUC that tell one from the other.

    A pair weighs as many rows as it has with `weighted`, else as much as any other.
    """
    counts = np.bincount(codes, minlength=score.shape[1])
    order = np.argsort(codes.astype(np.min_scalar_type(score.shape[1])), kind="stable")
    columns = np.asfortranarray(score[order])
    ends = np.cumsum(counts)
    parts = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
    values, shares = [], []
    for a, b in combinations(np.flatnonzero(counts).tolist(), 2):
        first = np.zeros(counts[a] + counts[b], np.uint8)
        first[: counts[a]] = 1
        both = [
            areas_of(label, np.concatenate([columns[parts[a], k], columns[parts[b], k]]), None)
            for label, k in ((first, a), (1 - first, b))
        ]
        values.append(sum(x.roc_auc for x in both) / 2)
        shares.append(int(counts[a] + counts[b]))
    return float(np.average(values, weights=shares if weighted else None))
