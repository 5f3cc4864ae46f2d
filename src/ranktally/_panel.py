"""Models that scored the same rows: their samples, kept in step, and the rows' clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ._columns import Columns, column_name
from ._grouping import read_key
from ._types import AnyArray
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

__all__ = ["Panel", "read_panel", "read_rows", "with_common_gaps"]


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
    if missing == "omit":
        scores = with_common_gaps(scores)
    samples = [
        make_sample(
            labels,
            score,
            weights,
            missing=missing,
            label_name=column_name(columns.label),
            score_name=column_name(column),
            locate=column.locate,
        )
        for score, column in zip(scores, columns.scores, strict=True)
    ]
    if not samples[0].n:
        raise InputError("no row is left to draw from: every one is omitted or has weight 0")
    cluster, n_clusters = _read_clusters(columns, samples[0], threads)
    return Panel(tuple(c.name for c in columns.scores), samples, cluster, n_clusters)


def read_rows(
    columns: Columns, pos_label: object, higher_is_better: bool, threads: int
) -> tuple[Labels, Weights | None, list[Scores]]:
    """Read the labels, weights and every score column of a call."""
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
    scores = [
        read_scores(
            column.values(threads),
            column_name(column),
            column.locate,
            higher_is_better=higher_is_better,
        )
        for column in columns.scores
    ]
    return labels, weights, scores


def with_common_gaps(scores: Sequence[Scores]) -> list[Scores]:
    """Give every model the gaps of all, so that all are left with the same rows."""
    found = [score.missing for score in scores if score.missing is not None]
    if not found:
        return list(scores)
    gone = np.logical_or.reduce(found)
    return [replace(score, missing=gone) for score in scores]


def _read_clusters(columns: Columns, sample: Sample, threads: int) -> tuple[AnyArray | None, int]:
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
    code = key.code if sample.kept is None else key.code[sample.kept]
    # Clusters of which no row is left are not drawn.
    present, code = np.unique(code, return_inverse=True)
    return code, int(present.size)
