"""tally(): three columns -> a Tally."""

from __future__ import annotations

from typing import Any

from ._counts import tally_counts
from ._engine import loops
from ._runtime import thread_count
from ._tally import Tally
from ._types import EngineName, Missing
from ._validate import (
    check_choice,
    make_sample,
    read_labels,
    read_scores,
    read_weights,
    row_number,
)
from .errors import InputError

__all__ = ["same_index", "tally"]


def tally(
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    *,
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Missing = "raise",
    engine: EngineName = "auto",
    threads: int | None = None,
) -> Tally:
    """Order a score column once and count both classes at every distinct score.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels: bool, 0/1 or -1/1 as they are, anything else with `pos_label`.
    y_score : array-like, shape (n,)
        Scores: floats or integers of any width, compared in their own type. Infinite scores
        rank. A larger score speaks for the positive class.
    sample_weight : array-like, shape (n,), optional
        Finite weights of at least 0; rows of weight 0 count for nothing.
    pos_label : scalar, optional
        The positive class.
    higher_is_better : bool
        False negates the scores (thresholds are then those of the negated score).
    missing : {"raise", "omit", "worst"}
        What to do with null or nan: an error, leaving the row out, or ranking it last as one
        group that is never predicted positive (scores only).
    engine : {"auto", "numba", "numpy"}
        Loops to run on; the numbers are the same.
    threads : int, optional
        At most this many; None for the cores that this process may use.

    Returns
    -------
    Tally

    Raises
    ------
    InputError
        If the rows cannot be used; the message names the argument and the first row.

    Notes
    -----
    O(n log n) time. Without weights two keys-only sorts, about one ``numpy.sort`` of the scores;
    memory beyond the result is below twice that of the scores.

    Examples
    --------
    >>> import ranktally as rt
    >>> t = rt.tally([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> t.threshold.tolist(), t.tp.tolist(), t.fp.tolist()
    ([0.8, 0.4, 0.35, 0.1], [1, 1, 2, 2], [0, 1, 1, 2])
    """
    check_choice("missing", missing, ("raise", "omit", "worst"))
    workers = thread_count(threads)
    same_index({"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight})
    labels = read_labels(y_true, pos_label, "`y_true`", row_number, workers)
    scores = read_scores(y_score, "`y_score`", row_number, higher_is_better=higher_is_better)
    weights = (
        None
        if sample_weight is None
        else read_weights(sample_weight, "`sample_weight`", row_number, workers)
    )
    n = labels.value.size
    sizes = {"y_score": scores.bits.size}
    if weights is not None:
        sizes["sample_weight"] = weights.value.size
    for name, size in sizes.items():
        if size != n:
            raise InputError(f"`y_true` has {n} rows and `{name}` {size}: they must agree")
    if n == 0:
        raise InputError("`y_true` and `y_score` have no rows: there is nothing to evaluate")
    sample = make_sample(
        labels,
        scores,
        weights,
        missing=missing,
        label_name="`y_true`",
        score_name="`y_score`",
        locate=row_number,
        zeros=True,
    )
    counts = tally_counts(sample, loops(engine, n), workers)
    return Tally(
        counts.threshold,
        counts.tp,
        counts.fp,
        counts.n_pos,
        counts.n_neg,
        sample.n_rows,
        sample.n_null,
        sample.n_nan,
    )


def same_index(columns: dict[str, Any]) -> None:
    """Raise InputError if two pandas columns have differing indexes."""
    indexed = [
        (name, column.index)
        for name, column in columns.items()
        if type(column).__module__.partition(".")[0] == "pandas" and hasattr(column, "index")
    ]
    for name, index in indexed[1:]:
        if not indexed[0][1].equals(index):
            raise InputError(
                f"`{indexed[0][0]}` and `{name}` have differing pandas indexes: align them first, "
                f"or pass .to_numpy() to match by position"
            )
