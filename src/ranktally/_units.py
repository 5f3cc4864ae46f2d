"""What is drawn independently of one another in a panel: rows, or clusters of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from ._panel import Panel
from ._types import AnyArray, Floats

__all__ = ["Units"]

NEEDS_POSITIVES = {"no_positives", "zero_margin"}
NEEDS_NEGATIVES = {"no_negatives", "zero_margin"}


@dataclass(frozen=True)
class Units:
    """Units of a panel, and how many of them hold each class.

    Attributes
    ----------
    n : int
    cluster : ndarray of int64, shape (rows,), or None
        Cluster of each row; None where rows are the units.
    with_positives, with_negatives : int
    """

    n: int
    cluster: AnyArray | None
    with_positives: int
    with_negatives: int

    @classmethod
    def of(cls, panel: Panel, label: AnyArray) -> Units:
        n = label.size if panel.cluster is None else panel.n_clusters
        held = [
            int(np.count_nonzero(label == side))
            if panel.cluster is None
            else int(np.unique(panel.cluster[label == side]).size)
            for side in (1, 0)
        ]
        return cls(n, panel.cluster, *held)

    def too_few(self, undefined: Collection[str]) -> str:
        """Why nothing is known of a spread, whatever the scores are; "ok" where something is.

        `undefined` tells without which rows the metric is undefined, as in `METRICS`.
        """
        if self.n == 1:
            return "one_row" if self.cluster is None else "one_cluster"
        if self.with_positives == 1 and NEEDS_POSITIVES.intersection(undefined):
            return "one_positive"
        if self.with_negatives == 1 and NEEDS_NEGATIVES.intersection(undefined):
            return "one_negative"
        return "ok"

    def write(self, row_values: Callable[[], Floats], out: Floats) -> None:
        """Write the deviations from their mean of the values of rows, summed in each cluster."""
        value = row_values()
        if self.cluster is not None:
            value = np.bincount(self.cluster, value, self.n).astype(np.float64, copy=False)
        np.subtract(value, value.mean(), out=out)
