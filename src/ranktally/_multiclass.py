"""multiclass(): one score column a class -> metrics of each class, of pairs, and their averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ._cells import Coded, text_of
from ._class_measures import (
    ClassCall,
    ClassRow,
    averaged,
    classes_against_rest,
    pairs_of_classes,
)
from ._classes import read_classes
from ._rendering import terminal_width, wide_table
from ._requests import read_cuts, read_metrics
from ._rows import Rows
from ._runtime import thread_count
from ._types import AnyArray, EngineName, Missing
from ._validate import check_choice
from .errors import InputError

__all__ = ["Multiclass", "multiclass"]

Average: TypeAlias = Literal["macro", "weighted", "micro"]
AVERAGES = ("macro", "weighted", "micro")


class Multiclass(Rows):
    """Tidy rows of a `multiclass` call: one a class (or pair of classes), average and metric.

    Columns are ``class``, ``metric``, ``threshold``, ``value``, ``baseline``, ``n``, ``n_pos``,
    ``n_neg``, ``average``, ``status`` and ``note``. In the rows of an average, ``class`` reads
    ``"macro avg"`` and the like, ``average`` which one it is (null in the rows of classes), and
    ``note`` how many classes are defined where some are not. ``str()`` gives a table for people.

    Attributes
    ----------
    columns : dict
        The columns by name.
    classes : tuple
        The classes as they were given, in the order of the rows.
    directions : dict
        Metric name to "up", "down" or None: which way is better.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        classes: tuple[Any, ...],
        directions: Mapping[str, str | None],
    ) -> None:
        super().__init__(columns)
        self.classes = classes
        self.directions = dict(directions)

    def value(self, name: object = None, metric: str | None = None, /, **match: object) -> float:
        """Return the value of one row.

        Parameters
        ----------
        name : object
            A class, ``"macro avg"``, ``"weighted avg"`` or ``"micro avg"``.
        metric : str
        **match
            ``average`` or ``threshold``, as far as they are needed.

        Raises
        ------
        InputError
            Unless exactly one row matches.
        """
        named = {"class": None if name is None else text_of(name), "metric": metric}
        return super().value(**{k: v for k, v in named.items() if v is not None}, **match)

    def __str__(self) -> str:
        return wide_table(self, self.directions, width=terminal_width())

    def __repr__(self) -> str:
        return f"Multiclass({len(self)} rows, {len(self.classes)} classes)"


def multiclass(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    classes: Any = None,
    weight: Any = None,
    metrics: Any = None,
    at: Any = None,
    average: Average | Sequence[Average] | None = ("macro", "weighted"),
    strategy: Literal["ovr", "ovo"] = "ovr",
    on_undefined: Literal["skip", "propagate"] = "skip",
    higher_is_better: bool = True,
    missing: Missing = "raise",
    engine: EngineName = "auto",
    threads: int | None = None,
) -> Multiclass:
    """Metrics of a model with a score for each of several classes, and their averages.

    Parameters
    ----------
    data : table or path(s), optional
        As for `ranktally.evaluate`; None when the columns are given as arrays.
    label : str, array-like of shape (n,) or (n, k), dict, or list of str
        The class of each row; or a 0/1 column a class, when a row may be of several or of none.
    scores : list of str, glob, dict of class to column, or array-like of shape (n, k)
        One score column a class. The names of the columns are the classes, unless `classes` says
        otherwise.
    classes : sequence, optional
        The classes in the order of the columns (in that of the rows of the result, where the
        columns bear the same names). Needed for a matrix, whose columns nothing else tells apart.
    weight : str or array-like, shape (n,), optional
        Finite weights of at least 0.
    metrics : str, list of str, or dict of str to callable(tp, fp, tn, fn), optional
        As for `ranktally.evaluate`. One against one gives ``"roc_auc"`` alone.
    at : float or list of float, optional
        Thresholds for metrics such as precision: a row is of the class when its score is at
        least that.
    average : {"macro", "weighted", "micro"}, list of these, or None
        The mean over classes; the mean by support (weight of each class); or one value of all
        cells (row, class) pooled, which orders them once more.
    strategy : {"ovr", "ovo"}
        Each class against all others, or each pair of classes against each other: the mean of
        both AUC that tell one from the other, and averages over pairs ("weighted": by their
        rows), the macro one of which is Hand and Till's M.
    on_undefined : {"skip", "propagate"}
        Whether an average leaves undefined classes out and says so, or is nan itself.
    higher_is_better, missing, engine, threads
        As for `ranktally.evaluate`.

    Returns
    -------
    Multiclass

    Raises
    ------
    InputError
        If the columns cannot be matched with the classes, a label is of no class, or a row cannot
        be used.

    Notes
    -----
    Each column is ordered once, also for all pairs: its scores are sorted class by class (pairs
    with weights are ordered each on its own). Labels of one class against the rest are a byte a
    row, made when they are needed.

    References
    ----------
    D. J. Hand and R. J. Till (2001), A simple generalisation of the area under the ROC curve for
    multiple class classification problems, Machine Learning 45(2).

    Examples
    --------
    >>> import ranktally as rt
    >>> labels = ["a", "b", "c", "a"]
    >>> scores = {"a": [0.9, 0.2, 0.1, 0.3], "b": [0.0, 0.7, 0.4, 0.5], "c": [0.1, 0.1, 0.5, 0.2]}
    >>> result = rt.multiclass(label=labels, scores=scores, average=["macro", "micro"])
    >>> result.value("a", "roc_auc"), result.value("macro avg", "roc_auc")
    (1.0, 1.0)
    >>> round(result.value("micro avg", "roc_auc"), 4)
    0.9219
    >>> rt.multiclass(label=labels, scores=scores, strategy="ovo").value("a | c", "roc_auc")
    1.0
    """
    check_choice("strategy", strategy, ("ovr", "ovo"))
    check_choice("on_undefined", on_undefined, ("skip", "propagate"))
    check_choice("missing", missing, ("raise", "omit", "worst"))
    workers = thread_count(threads)
    wanted = _read_averages(average, strategy)
    thresholds = read_cuts(at)
    if metrics is None and strategy == "ovo":
        metrics = "roc_auc"
    requests = read_metrics(metrics, has_thresholds=thresholds.size > 0)
    found = read_classes(data, label, scores, classes, weight, workers)
    if len(found.names) < 2:
        raise InputError("`scores` has one column: for two classes pass it to ranktally.evaluate")
    call = ClassCall(
        found, requests, thresholds, higher_is_better, missing, engine, strategy == "ovo"
    )
    rows = (pairs_of_classes if call.pairs else classes_against_rest)(call, workers)
    averages = [averaged(call, rows, kind, on_undefined, workers) for kind in wanted]
    return _result(call, [*rows, *averages])


def _read_averages(average: Any, strategy: str) -> tuple[str, ...]:
    kinds = () if average is None else (average,) if isinstance(average, str) else tuple(average)
    for kind in kinds:
        check_choice("average", kind, AVERAGES)
    if strategy == "ovo" and "micro" in kinds:
        raise InputError(
            '`average` "micro" pools all cells, which pairs do not: use strategy="ovr"'
        )
    return kinds


# -- rows ----------------------------------------------------------------------------------------


def _result(call: ClassCall, rows: Sequence[ClassRow]) -> Multiclass:
    slots = call.slots()
    m, whole = len(slots), call.found.weights is None
    labels = list(dict.fromkeys(request.label for request, _ in slots))
    metric = np.asarray([labels.index(request.label) for request, _ in slots], np.int32)

    def each(values: Sequence[float]) -> AnyArray:
        column = np.repeat(np.asarray(values, np.float64), m)
        return column.astype(np.int64) if whole else column

    def text(values: Sequence[str | None]) -> Coded:
        names = tuple(dict.fromkeys(x for x in values if x))
        places = {name: place for place, name in enumerate(names)}
        return Coded(np.asarray([places[x] if x else -1 for x in values], np.int32), names)

    columns = {
        "class": text([row.name for row in rows for _ in range(m)]),
        "metric": Coded(np.tile(metric, len(rows)), tuple(labels)),
        "threshold": np.tile(np.asarray([cut for _, cut in slots], np.float64), len(rows)),
        "value": np.concatenate([row.value for row in rows]),
        "baseline": np.concatenate([row.baseline for row in rows]),
        "n": each([row.n_pos + row.n_neg for row in rows]),
        "n_pos": each([row.n_pos for row in rows]),
        "n_neg": each([row.n_neg for row in rows]),
        "average": text([row.average for row in rows for _ in range(m)]),
        "status": text([x for row in rows for x in row.status]),
        "note": text([x for row in rows for x in row.note]),
    }
    directions = {r.label: r.metric.direction for r in call.requests}
    return Multiclass(columns, call.found.names, directions)
