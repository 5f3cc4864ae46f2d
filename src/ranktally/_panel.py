"""Models that scored the same rows: their samples, kept in step, and the rows' clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from ._columns import Column, Columns, column_name
from ._grouping import read_key
from ._types import AnyArray, Ints
from ._validate import (
    Labels,
    Sample,
    Scores,
    Weights,
    make_sample,
    read_labels,
    read_scores,
    read_weights,
)
from .errors import InputError

__all__ = [
    "Panel",
    "Samples",
    "no_row_left",
    "read_clusters",
    "read_model",
    "read_panel",
    "read_rows",
    "read_truth",
]


@dataclass(frozen=True)
class Panel:
    """Models on their common rows.

    Attributes
    ----------
    names : tuple of str
    samples : sequence of Sample
        One a model, of the same rows in the same order.
    cluster : ndarray of int64, shape (n,), or None
        Cluster of each row, from 0 to `n_clusters` - 1, none of them empty.
    n_clusters : int
    """

    names: tuple[str, ...]
    samples: Sequence[Sample]
    cluster: AnyArray | None
    n_clusters: int

    def take(self, rows: Ints) -> Panel:
        """Models on some of the rows, given by their ascending places."""
        cluster, n_clusters = None, 0
        if self.cluster is not None:
            cluster, n_clusters = _numbered(self.cluster[rows])
        samples = [sample.take(rows) for sample in self.samples]
        return replace(self, samples=samples, cluster=cluster, n_clusters=n_clusters)


class Samples(Sequence[Sample]):
    """Samples of models, each made when it is asked for: one with rows left out is a copy.

    Under "omit" a row that any model lacks is left out for all.
    """

    def __init__(
        self,
        columns: Columns,
        labels: Labels,
        weights: Weights | None,
        scores: Sequence[Scores],
        missing: str,
    ) -> None:
        self._columns = columns
        self._rows = (labels, weights)
        self._scores = _with_common_gaps(scores) if missing == "omit" else scores
        self._missing = missing

    def __len__(self) -> int:
        return len(self._scores)

    @overload
    def __getitem__(self, model: int) -> Sample: ...
    @overload
    def __getitem__(self, model: slice) -> list[Sample]: ...
    def __getitem__(self, model: int | slice) -> Sample | list[Sample]:
        if isinstance(model, slice):
            return [self[k] for k in range(len(self))[model]]
        labels, weights = self._rows
        column = self._columns.scores[model]
        return make_sample(
            labels,
            self._scores[model],
            weights,
            missing=self._missing,
            label_name=column_name(self._columns.label),
            score_name=column_name(column),
            locate=column.locate,
        )


def read_panel(
    columns: Columns, pos_label: object, higher_is_better: bool, missing: str, threads: int
) -> Panel:
    """Read the columns of a call; under "omit" a row that any model lacks is left out for all.

    Raises
    ------
    InputError
        If a column cannot be used, a cluster key is missing, or no row is left.
    """
    labels, weights, scores = read_rows(columns, pos_label, higher_is_better, threads)
    samples = list(Samples(columns, labels, weights, scores, missing))
    if not samples[0].n:
        raise no_row_left(columns, labels, scores)
    cluster, n_clusters = read_clusters(columns, samples[0], threads)
    return Panel(tuple(c.name for c in columns.scores), samples, cluster, n_clusters)


def no_row_left(columns: Columns, labels: Labels, scores: Sequence[Scores]) -> InputError:
    """Say what became of the rows of a call of which none is left."""
    n, gone = columns.n_rows, np.zeros(columns.n_rows, bool)
    empty = ""
    missing = [labels.missing, *(score.missing for score in scores)]
    for column, lost in zip((columns.label, *columns.scores), missing, strict=True):
        if lost is not None:
            gone |= lost
            if lost.all():
                empty = empty or f" (all of {column_name(column)})"
    omitted = int(np.count_nonzero(gone))
    why = []
    if omitted:
        why.append(f"{_all_of(omitted, n)} are omitted for missing values{empty}")
    if omitted < n and columns.weight is not None:
        why.append(f"{_all_of(n - omitted, n)} have weight 0 in {column_name(columns.weight)}")
    where = f" ({columns.label.locate(0)} and on)" if columns.n_files else ""
    return InputError(f"no row is left: {', '.join(why)}{where}")


def _all_of(count: int, n: int) -> str:
    return f"all {n:,}" if count == n else f"{count:,} of {n:,}"


def read_rows(
    columns: Columns, pos_label: object, higher_is_better: bool, threads: int
) -> tuple[Labels, Weights | None, list[Scores]]:
    """Read the labels, weights and every score column of a call."""
    labels, weights = read_truth(columns, pos_label, threads)
    scores = [read_model(column, higher_is_better, threads) for column in columns.scores]
    return labels, weights, scores


def read_truth(columns: Columns, pos_label: object, threads: int) -> tuple[Labels, Weights | None]:
    """Read the labels and weights of a call, which its models share."""
    labels = read_labels(
        columns.label.values(threads),
        pos_label,
        column_name(columns.label),
        columns.label.locate,
        threads,
    )
    weights = None
    if columns.weight is not None:
        raw = columns.weight.values(threads)
        weights = read_weights(raw, column_name(columns.weight), columns.weight.locate)
    return labels, weights


def read_model(column: Column, higher_is_better: bool, threads: int) -> Scores:
    """Read one score column."""
    return read_scores(
        column.values(threads),
        column_name(column),
        column.locate,
        higher_is_better=higher_is_better,
    )


def _with_common_gaps(scores: Sequence[Scores]) -> list[Scores]:
    """Give every model the gaps of all, so that all are left with the same rows."""
    found = [score.missing for score in scores if score.missing is not None]
    if not found:
        return list(scores)
    gone = np.logical_or.reduce(found)
    return [replace(score, missing=gone) for score in scores]


def read_clusters(columns: Columns, sample: Sample, threads: int) -> tuple[AnyArray | None, int]:
    """Number the clusters of a sample's rows, and count them; None where there is no such column.

    Raises
    ------
    InputError
        If a key is missing.
    """
    column = columns.cluster
    if column is None:
        return None, 0
    what = column_name(column)
    key = read_key(column.values(threads), column.name, what, column.locate, allow_null=True)
    if key.values.dtype == object and key.values.size and key.values[-1] is None:
        row = int(np.argmax(key.code == key.values.size - 1))
        raise InputError(
            f"{what} has missing keys, first at {column.locate(row)}: rows of unknown cluster "
            f"cannot be drawn; fill them, with a key of its own where a row stands alone"
        )
    return _numbered(key.code if sample.kept is None else key.code[sample.kept])


def _numbered(code: AnyArray) -> tuple[AnyArray, int]:
    """Clusters of which no row is left are not drawn."""
    present, code = np.unique(code, return_inverse=True)
    return code, int(present.size)
