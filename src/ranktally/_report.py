"""classification_report(): cuts or decisions -> precision, recall and F1 of each class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ._cells import text_of
from ._classes import ClassColumns, read_classes, read_decisions
from ._columns import Column, column_name
from ._confusion import Confusion
from ._report_rows import Report
from ._runtime import run, thread_count
from ._types import AnyArray
from ._validate import Labels, Scores, Weights, read_labels, read_scores, whole_cut
from ._wording import counted
from .errors import InputError

__all__ = ["classification_report"]


def classification_report(
    data: Any = None,
    *,
    label: Any,
    scores: Any = None,
    at: Any = None,
    predictions: Any = None,
    classes: Any = None,
    weight: Any = None,
    pos_label: object = None,
    higher_is_better: bool = True,
    zero_division: float = 0,
    threads: int | None = None,
) -> Report:
    """Report precision, recall, F1 and support of each class, at cuts that the caller names.

    Parameters
    ----------
    data : table or path(s), optional
        As for `ranktally.evaluate`; None when the columns are given as arrays.
    label : str, array-like of shape (n,) or (n, k), dict, or list of str
        The class of each row; or a 0/1 column a class, when a row may be of several or of none.
    scores : str, array-like of shape (n,); or, a column a class, list, glob, dict or (n, k) array
        One column gives the rows "negative" and "positive". Several are cut each on its own,
        class against the rest.
    at : float, dict of class to float, or sequence of float
        The cut: a row is positive when its score is at least that. One number for all classes,
        or one a class, by name or in the order of the classes. It has no default, since no number
        means the same on every scale.
    predictions : str or array-like of shape (n,) or (n, k), optional
        Instead of `scores` and `at`: the class that each row was given, or 0/1 a class.
    classes : sequence, optional
        The classes: in the order of the score columns, whose names they are otherwise; or, with
        `predictions`, in the order that the rows shall have.
    weight : str or array-like, shape (n,), optional
        Finite weights of at least 0.
    pos_label : scalar, optional
        The positive class, with one score column and labels other than bool, 0/1 or -1/1.
    higher_is_better : bool
        False negates the scores (`at` then applies to the negated scores).
    zero_division : {0, nan}
        What stands for 0/0: precision of a class that is never predicted, recall of one without
        rows. 0 enters the averages, nan is left out of them.
    threads : int, optional
        At most this many; None for the cores that this process may use.

    Returns
    -------
    Report
        With an accuracy row where each row has one class and gets one, and a micro average where
        it may get several or none. The rows say what was 0/0.

    Raises
    ------
    InputError
        If the cut is missing or does not fit the classes, or the rows cannot be used.

    Notes
    -----
    A missing score is never a positive decision, whatever the cut; a missing label is an error.
    F1 is taken by its count form, which is 0 where precision and recall are both 0, and 0/0 only
    for a class that has no rows and is never predicted. O(n k).

    Examples
    --------
    >>> import ranktally as rt
    >>> labels = [-1, -1, -1, 1, 1]
    >>> print(rt.classification_report(label=labels, scores=[3, 1, 7, 9, 2], at=5))
    <BLANKLINE>
                  precision    recall  f1-score   support
    <BLANKLINE>
         negative      0.67      0.67      0.67         3
         positive      0.50      0.50      0.50         2
    <BLANKLINE>
         accuracy                          0.60         5
        macro avg      0.58      0.58      0.58         5
     weighted avg      0.60      0.60      0.60         5
    <BLANKLINE>
    >>> labels, scores = ["a", "b", "c"], {"a": [3, 2, 0], "b": [0, 2, 1], "c": [0, 1, 2]}
    >>> report = rt.classification_report(label=labels, scores=scores, at={"a": 2, "b": 2, "c": 2})
    >>> report.to_dict()["micro avg"]["precision"], report.classes_per_row
    (0.75, {1: 2, 2: 1})
    """
    if (scores is None) == (predictions is None):
        raise InputError("pass either `scores` with `at`, or `predictions`")
    if scores is not None and at is None:
        raise InputError("`at` has no default: name the cut, such as at=0.5, that fits your scores")
    if predictions is not None and at is not None:
        raise InputError("`at` cuts scores, and `predictions` are decisions already")
    fill = _read_zero_division(zero_division)
    workers = thread_count(threads)
    if predictions is not None:
        return _of_decisions(data, label, predictions, classes, weight, fill, workers)
    found = read_classes(data, label, scores, classes, weight, workers)
    if len(found.scores) == 1 and found.indicators is None:
        return _of_two(found, at, pos_label, higher_is_better, fill)
    if pos_label is not None:
        raise InputError("`pos_label` is for one score column, and there is one for each class")
    return _of_cuts(found, _read_cuts(at, found.names), higher_is_better, fill, workers)


def _read_zero_division(value: Any) -> float:
    known = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not known or not (value == 0 or value != value):
        raise InputError(f"`zero_division` must be 0 or nan, got {value!r}")
    return float(value)


def _read_cuts(at: Any, names: Sequence[Any]) -> list[Any]:
    """One cut a class."""
    if isinstance(at, Mapping):
        texts = {text_of(name): cut for name, cut in at.items()}
        missing = [name for name in names if text_of(name) not in texts]
        unknown = set(texts) - {text_of(name) for name in names}
        if missing or unknown:
            wrong = f"no cut for {missing[0]!r}" if missing else f"no class {min(unknown)!r}"
            raise InputError(f"`at` has {wrong}: name each of {', '.join(map(repr, names))}")
        cuts = [texts[text_of(name)] for name in names]
    elif isinstance(at, (Sequence, np.ndarray)) and not isinstance(at, (str, bytes)):
        cuts = list(at)
        if len(cuts) != len(names):
            raise InputError(f"`at` has {len(cuts)} cuts for {len(names)} classes: they must agree")
    else:
        cuts = [at] * len(names)
    return [_read_cut(cut) for cut in cuts]


def _read_cut(cut: Any) -> float | int:
    if isinstance(cut, np.generic):
        cut = cut.item()
    if isinstance(cut, bool) or not isinstance(cut, (int, float)) or cut != cut:
        raise InputError(f"`at` must be a number, or one a class, got {cut!r}")
    return cut


# -- decisions -----------------------------------------------------------------------------------


def _positive(scores: Scores, cut: float | int) -> AnyArray:
    """Rows with ``score >= cut``, compared as the score's own type does; never missing ones."""
    value = scores.codec.decode(scores.bits)
    if value.dtype.kind == "f":
        with np.errstate(over="ignore"):
            positive: AnyArray = value >= value.dtype.type(cut)
    else:
        whole, info = whole_cut(cut), np.iinfo(value.dtype)
        if whole > info.max:
            return np.zeros(value.size, bool)
        positive = value >= value.dtype.type(max(whole, info.min))
    return positive if scores.missing is None else positive & ~scores.missing


class _Adder:
    """Sums of rows, or of their weights."""

    def __init__(self, weights: Weights | None) -> None:
        self.weight = None
        if weights is not None:
            self.weight = weights.value if weights.count is None else weights.count

    def sum(self, rows: AnyArray) -> Any:
        if self.weight is None:
            return int(np.count_nonzero(rows))
        picked = self.weight[rows.view(np.bool_)]
        return math.fsum(picked) if picked.dtype.kind == "f" else int(picked.sum())

    def all(self, n: int) -> Any:
        return n if self.weight is None else self.sum(np.ones(n, bool))

    def cells(self, truth: AnyArray, positive: AnyArray) -> tuple[Any, Any, Any]:
        """Hits, positive decisions and support of one class."""
        return self.sum(truth & positive.view(np.uint8)), self.sum(positive), self.sum(truth)


def _report(
    names: tuple[Any, ...],
    cuts: Sequence[float],
    cells: Sequence[tuple[Any, Any, Any]],
    adder: _Adder,
    n: int,
    per_row: Mapping[int, int],
    *,
    single: bool,
    n_missing: int,
    fill: float,
) -> Report:
    tp, predicted, support = (np.asarray(column) for column in zip(*cells, strict=True))
    total = adder.all(n)
    # Sums of weights may miss each other by their rounding.
    fp, fn = np.maximum(predicted - tp, 0), np.maximum(support - tp, 0)
    threshold = np.asarray(cuts, np.float64)
    counts = Confusion(threshold, tp, fp, np.maximum(total - support - fp, 0), fn)
    return Report(names, counts, single, n, n_missing, per_row, fill, total)


def _of_two(
    found: ClassColumns, at: Any, pos_label: object, higher_is_better: bool, fill: float
) -> Report:
    """One score column: the positive class and, turned around, the negative one."""
    if isinstance(at, (Mapping, Sequence, np.ndarray)) and not isinstance(at, (str, bytes)):
        raise InputError(f"`at` must be one number for one score column, got {at!r}")
    cut = _read_cut(at)
    label = found.columns.label
    labels = read_labels(label.values(), pos_label, column_name(label), label.locate)
    _refuse_missing(labels, label)
    scores = _read_column(found.scores[0], higher_is_better)
    adder = _Adder(found.weights)
    positive, truth, n = _positive(scores, cut), labels.value, labels.value.size
    cells = [adder.cells(1 - truth, ~positive), adder.cells(truth, positive)]
    return _report(
        ("negative", "positive"), [cut, cut], cells, adder, n, {1: n},
        single=True, n_missing=scores.n_null + scores.n_nan, fill=fill,
    )  # fmt: skip


def _read_column(column: Column, higher_is_better: bool) -> Scores:
    return read_scores(
        column.values(), column_name(column), column.locate, higher_is_better=higher_is_better
    )


def _of_cuts(
    found: ClassColumns,
    cuts: Sequence[float | int],
    higher_is_better: bool,
    fill: float,
    threads: int,
) -> Report:
    """A score column a class: each class against the rest, at its own cut."""
    adder = _Adder(found.weights)
    _check_truth(found)

    def one(k: int) -> tuple[tuple[Any, Any, Any], AnyArray, int]:
        scores = _read_column(found.scores[k], higher_is_better)
        positive = _positive(scores, cuts[k])
        truth = found.truth.against_rest(k).value
        return adder.cells(truth, positive), positive, scores.n_null + scores.n_nan

    n = found.columns.n_rows
    per_row = np.zeros(n, np.int32)
    cells, gaps = [], 0
    # A few classes at a time: their decisions are a byte a row each.
    for start in range(0, len(cuts), threads):
        part = range(start, min(start + threads, len(cuts)))
        for cell, positive, missing in run([partial(one, k) for k in part], threads):
            cells.append(cell)
            per_row += positive
            gaps += missing
    return _report(
        found.names, [float(c) for c in cuts], cells, adder, n, _tabulated(per_row),
        single=False, n_missing=gaps, fill=fill,
    )  # fmt: skip


def _of_decisions(
    data: Any, label: Any, predictions: Any, classes: Any, weight: Any, fill: float, threads: int
) -> Report:
    found, decided, column = read_decisions(data, label, predictions, classes, weight, threads)
    _check_truth(found)
    _refuse_missing(decided.against_rest(0), column)
    adder = _Adder(found.weights)
    n, k = found.columns.n_rows, len(found.names)
    truth = found.truth
    single = decided.code is not None and truth.code is not None
    if single:
        cells = _cells_of_codes(truth.code, decided.code, k, adder)
        per_row: Mapping[int, int] = {1: n}
    else:
        sides = [(truth.against_rest(j).value, decided.against_rest(j).value) for j in range(k)]
        cells = run([partial(adder.cells, *pair) for pair in sides], threads)
        given = np.zeros(n, np.int32)
        for _, positive in sides:
            given += positive
        per_row = _tabulated(given)
    nothing = [math.nan] * k
    return _report(
        found.names, nothing, cells, adder, n, per_row, single=single, n_missing=0, fill=fill
    )


def _cells_of_codes(truth: Any, decided: Any, k: int, adder: _Adder) -> list[tuple[Any, ...]]:
    """Hits, decisions and support of every class from its codes, in one pass each."""
    hit = truth == decided
    weight = adder.weight
    whole = weight is None or weight.dtype.kind == "i"
    columns = []
    for code, kept in ((truth, hit), (decided, None), (truth, None)):
        rows = code if kept is None else code[kept]
        shares = weight if weight is None or kept is None else weight[kept]
        sums = np.bincount(rows, shares, minlength=k)
        columns.append(sums.astype(np.int64) if whole else sums)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _tabulated(per_row: AnyArray) -> dict[int, int]:
    return {k: count for k, count in enumerate(np.bincount(per_row).tolist()) if count}


def _check_truth(found: ClassColumns) -> None:
    """Raise InputError for the first label that is missing."""
    columns = (found.columns.label,) if found.indicators is None else found.indicators
    for k, column in enumerate(columns):
        _refuse_missing(found.truth.against_rest(k), column)


def _refuse_missing(labels: Labels, column: Column) -> None:
    if labels.missing is not None:
        row = int(np.argmax(labels.missing))
        raise InputError(
            f"{column_name(column)} has {counted(labels.n_null + labels.n_nan, 'missing value')}, "
            f"first at {column.locate(row)}: a report needs every one, leave those rows out"
        )
