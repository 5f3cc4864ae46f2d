"""Cells of the score order: the only places at which a replicate's counts are needed.

Rows in falling order of the scores, positives of a tie group before its negatives, are cut into
cells of one class between which a threshold or a change of class lies. Negatives that no positive
parts are one cell, so that there are at most three cells for each distinct positive score.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np

from ._order import order_rows
from ._types import AnyArray, Bytes, Floats, Ints
from ._validate import Sample

__all__ = ["ScoreCells", "cut_score_cells"]

HALF = 0xFFFFFFFF
RUN = 2048  # rows whose counts stay in the innermost cache


@dataclass(frozen=True)
class ScoreCells:
    """One model, ordered once.

    Attributes
    ----------
    row : ndarray of int32, shape (n,)
        Rows of the sample in falling order of their scores.
    edges : ndarray of int64, shape (cells + 1,)
        Where cells begin in `row`.
    positive : ndarray of uint8, shape (cells,)
        Class of each cell.
    ends : ndarray of uint8, shape (cells,)
        Whether a threshold lies at the end of a cell.
    at : ndarray of int64, shape (cuts,)
        For each cut, the threshold it comes to: the place in the tallies, -1 above all rows.
    weight : ndarray of float64, shape (n,), or None
        In the order of `row`.
    threshold : ndarray, shape (thresholds,), or None
        The score at each end, in its own dtype; None unless cells end at every score.
    missing_last : bool
        Whether the last tie group is that of missing scores, which no threshold selects.
    groups : ndarray of int32, shape (positive scores, 3)
        Of each distinct positive score: where its positives begin and end in `row`, and where its
        tied negatives end.
    parts : ndarray of int64
        Cuts `groups` into runs of neighbours.
    longest : int
        Most rows of a run.
    """

    row: AnyArray
    edges: Ints
    positive: Bytes
    ends: Bytes
    at: Ints
    weight: Floats | None
    threshold: AnyArray | None
    missing_last: bool
    groups: AnyArray
    parts: Ints
    longest: int

    @cached_property
    def n_thresholds(self) -> int:
        return int(np.count_nonzero(self.ends))

    def placed(self, unit: AnyArray | None) -> AnyArray:
        """Units of the rows, in order."""
        return self.row if unit is None else unit[self.row]


def cut_score_cells(
    sample: Sample, cuts: AnyArray, loops: ModuleType, threads: int, *, every: bool = False
) -> ScoreCells:
    """Order a sample and cut it, also at thresholds `cuts`: O(n log n), about 50 bytes a row.

    With `every`, cells end at each distinct score, so that whole tallies can be had.
    """
    words = order_rows(sample, loops, threads)
    # The label moves above the row: positives of a tie group then come first from the top.
    words = (words & ~HALF) | ((words & 1) << 31) | ((words & HALF) >> 1)
    words.sort()
    words = words[::-1]
    row = (words & ((1 << 31) - 1)).astype(np.int32)
    label = ((words >> 31) & 1).astype(np.uint8)
    n = row.size
    new = np.ones(n + 1, bool)  # whether a tie group begins with a row
    np.not_equal(words[1:] >> 32, words[:-1] >> 32, out=new[1:-1])
    first = np.flatnonzero(new[:-1])
    sizes = np.diff(np.append(first, n))
    mixed = np.repeat(label[first], sizes) if n else label
    del words
    border = new.copy()
    if not every:
        # Nothing happens between two tie groups of negatives alone.
        border[1:-1] &= (label[1:] | mixed[:-1]) != 0
    border[1:-1] |= label[1:] != label[:-1]
    places = _places(sample, row, cuts)
    border[places] = True
    border[[0, n]] = True
    edges = np.flatnonzero(border)
    is_end = new[edges[1:]]
    marks = edges[1:][is_end]
    at = np.searchsorted(marks, places, side="left")
    at[places == 0] = -1
    weight = None if sample.weight is None else sample.weight[row]
    threshold = None
    if every:
        threshold = sample.codec.decode(sample.bits[row[marks - 1]])
        threshold = threshold + threshold.dtype.type(0)  # -0.0 is 0.0
    positive = label[edges[:-1]]
    groups = _groups(edges, positive, is_end)
    parts, longest = _runs(groups[:, 2], n)
    return ScoreCells(
        row,
        edges,
        positive,
        is_end.astype(np.uint8),
        at.astype(np.int64),
        weight,
        threshold,
        bool(n and sample.has_missing and sample.bits[row[-1]] == sample.codec.missing_bits),
        groups,
        parts,
        longest,
    )


def _groups(edges: Ints, positive: Bytes, is_end: AnyArray) -> AnyArray:
    cell = np.flatnonzero(positive)
    # Negatives of the same score, where there are any, are the next cell.
    last = np.where(is_end[cell], cell, cell + 1)
    return np.stack([edges[cell], edges[cell + 1], edges[last + 1]], axis=1).astype(np.int32)


def _runs(stops: AnyArray, n: int) -> tuple[Ints, int]:
    """Runs of groups that end within about `RUN` rows of each other."""
    if not stops.size:
        return np.zeros(1, np.int64), 0
    marks = np.searchsorted(stops, np.arange(RUN, n + RUN, RUN), side="right")
    parts = np.unique(np.concatenate([[0], marks, [stops.size]])).astype(np.int64)
    ends = stops[parts[1:] - 1]
    return parts, int(np.diff(ends, prepend=0).max())


def _places(sample: Sample, row: AnyArray, cuts: AnyArray) -> Ints:
    """How many rows each cut selects."""
    keys, reachable = sample.codec.cut_keys(cuts, has_missing=sample.has_missing)
    bits = sample.bits[row[::-1]].astype(np.int64)
    if sample.codec.flip:
        bits = np.where(bits < 0, bits ^ np.int64(sample.codec.flip), bits)
        bits[bits == -1] = 0
    below = np.searchsorted(bits, keys, side="left")
    return np.where(reachable, row.size - below, 0).astype(np.int64)
