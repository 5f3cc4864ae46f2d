"""The columns of a call -> a tally for each model."""

from __future__ import annotations

from collections.abc import Iterator

from ._columns import Columns, column_name
from ._counts import tally_counts
from ._engine import loops
from ._tally import Tally
from ._types import EngineName, Missing
from ._validate import make_sample, read_labels, read_scores, read_weights

__all__ = ["tally_models"]


def tally_models(
    columns: Columns,
    *,
    pos_label: object,
    higher_is_better: bool,
    missing: Missing,
    engine: EngineName,
    threads: int,
) -> Iterator[tuple[str, Tally]]:
    """Name and tally of each model, one after the other; messages name columns and files."""
    label, weight = columns.label, columns.weight
    labels = read_labels(label.values(threads), pos_label, column_name(label), label.locate)
    weights = None
    if weight is not None:
        weights = read_weights(weight.values(threads), column_name(weight), weight.locate)
    for column in columns.scores:
        scores = read_scores(
            column.values(threads),
            column_name(column),
            column.locate,
            higher_is_better=higher_is_better,
        )
        sample = make_sample(
            labels,
            scores,
            weights,
            missing=missing,
            label_name=column_name(label),
            score_name=column_name(column),
            locate=column.locate,
        )
        counts = tally_counts(sample, loops(engine, columns.n_rows), threads)
        yield (
            column.name,
            Tally(
                counts.threshold, counts.tp, counts.fp, counts.n_pos, counts.n_neg,
                sample.n_rows, sample.n_null, sample.n_nan,
            ),
        )  # fmt: skip
