"""delong(): the covariance of the ROC areas of models that scored the same rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from ._binomial import check_level
from ._columns import resolve
from ._delong_result import DeLong
from ._engine import loops as loops_of
from ._influence import area_parts
from ._normal import without_rounding
from ._pair_sums import pair_sums
from ._panel import Panel, Samples, no_row_left, read_rows
from ._placements import class_places, count_placements, covariances
from ._runtime import run, thread_count
from ._types import EngineName, Floats, Missing
from ._validate import Sample, check_choice

__all__ = ["DeLong", "delong", "delong_panel"]

NAN = math.nan
# Below this many scores a second thread costs more than it brings.
PARALLEL_SCORES = 1 << 19


def delong(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    weight: Any = None,
    level: float = 0.95,
    missing: Missing = "raise",
    pos_label: object = None,
    higher_is_better: bool = True,
    threads: int | None = None,
    engine: EngineName = "auto",
) -> DeLong:
    """Give standard errors, intervals and paired differences of ROC AUC by DeLong's method.

    Parameters
    ----------
    data, label, scores, weight, pos_label, higher_is_better
        As in `evaluate`; each model of `scores` is one of the k compared.
    level : float
        Of the intervals, strictly between 0 and 1.
    missing : {"raise", "omit", "worst"}
        What to do with null or nan: an error; leaving the row out for every model, so that all
        are judged on the same rows; or ranking it last for its model.
    threads : int, optional
        At most this many; None for the cores that this process may use. The bytes are the same.
    engine : {"auto", "numba", "numpy"}
        Loops to run on; the numbers are the same.

    Returns
    -------
    DeLong

    Raises
    ------
    InputError
        If an argument, column or row cannot be used; the message says which and why.

    Notes
    -----
    O(k n log n + k**2 n) time, of which the second term has a small constant, and O(k n) memory:
    the placements of every model, 4 bytes each and 8 with weights.

    The covariance of two areas is that of their placements among positives over the number of
    positives, plus the same of negatives, with n - 1 in the sample covariances; ties count half.
    Without weights placements are counted and their products summed in integers: each covariance,
    and each variance of a difference, is the double nearest to its exact value.

    With weights the area is a ratio of weighted sums, and its variance that of the ratio's linear
    part: within each class ``m / (m - 1) * sum((w * (placement - area) / sum(w))**2)`` over its m
    rows, placements being shares of weight. This is the sandwich estimator for rows drawn
    independently within each class together with their weights. It does not depend on the scale
    of the weights, gives DeLong's own when they are equal, and takes a weight of 2 as one row
    that counts twice, not as two independent rows: repeat the rows where that is meant.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two or
    more correlated receiver operating characteristic curves, Biometrics 44, 837-845.

    X. Sun and W. Xu (2014), Fast implementation of DeLong's algorithm, IEEE Signal Processing
    Letters 21, 1389-1393.

    D. A. Binder (1983), On the variances of asymptotically normal estimators from complex
    surveys, International Statistical Review 51: the linear part of a weighted ratio.

    Examples
    --------
    >>> import ranktally as rt
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> models = {"a": [0.9, 0.8, 0.4, 0.5, 0.3, 0.1], "b": [0.7, 0.45, 0.3, 0.6, 0.35, 0.2]}
    >>> result = rt.delong(label=y, scores=models)
    >>> result.auc.round(4).tolist()
    [0.8889, 0.6667]
    >>> difference = result.difference("a", "b")
    >>> round(difference.z, 4), round(difference.p, 4)
    (1.4142, 0.1573)
    """
    check_choice("missing", missing, ("raise", "omit", "worst"))
    level = check_level(level)
    workers = thread_count(threads)
    columns = resolve(data, label=label, scores=scores, weight=weight, threads=workers)
    labels, weights, read = read_rows(columns, pos_label, higher_is_better, workers)
    samples = Samples(columns, labels, weights, read, missing)
    found = delong_panel(
        Panel(tuple(column.name for column in columns.scores), samples, None, 0),
        level=level,
        loops=loops_of(engine, columns.n_rows * len(read)),
        threads=workers,
        n_rows=columns.n_rows,
        n_missing=tuple(score.n_null + score.n_nan for score in read),
    )
    if not found.n_used:
        raise no_row_left(columns, labels, read)
    return found


def delong_panel(
    panel: Panel,
    *,
    level: float,
    loops: ModuleType,
    threads: int,
    n_rows: int | None = None,
    n_missing: tuple[int, ...] | None = None,
) -> DeLong:
    """Areas of models already read, with their covariance.

    Parameters
    ----------
    n_rows : int, optional
        Rows that came in; by default those that missing values left.
    n_missing : tuple of int, optional
        Missing scores of each model; by default together with the missing labels.
    """
    samples = panel.samples
    first = samples[0]  # made once: its making may copy
    n_pos = int(np.count_nonzero(first.label))
    n_neg = first.n - n_pos
    if n_missing is None:
        n_missing = tuple(sample.n_null + sample.n_nan for sample in samples)
    if not n_pos or not n_neg:
        auc = np.full(len(samples), NAN)
        covariance, gaps = _unknown(auc.size), _unknown(auc.size)
    else:
        measure = _counted if first.weight is None else _weighted
        auc, covariance, gaps = measure(first, samples, min(n_pos, n_neg) > 1, loops, threads)
    return DeLong(
        panel.names,
        auc,
        covariance,
        gaps,
        level,
        first.n_rows if n_rows is None else n_rows,
        first.n,
        n_pos,
        n_neg,
        n_missing,
        first.weight is not None,
    )


def _unknown(k: int) -> Floats:
    return np.full((k, k), NAN)


def _counted(
    first: Sample, samples: Sequence[Sample], varies: bool, loops: ModuleType, threads: int
) -> tuple[Floats, Floats, Floats]:
    """Areas, covariances and variances of differences without weights."""
    k = len(samples)
    places = class_places(first.label, loops)
    side, inner = _shared(k, places.n, threads)
    counted = np.empty((k, places.n), np.int32)
    # As many as there are calls at a time: a thread's own would be paged in for each model.
    spare = [np.empty(places.n, np.int64) for _ in range(side)]

    def count(model: int) -> int:
        words = spare.pop()
        sample = samples[model] if model else first
        twice_u = count_placements(sample, places, loops, inner, words, counted[model])
        spare.append(words)
        return twice_u

    twice_u = run([partial(count, model) for model in range(k)], side)
    auc = np.asarray([u / (2 * places.n_pos * places.n_neg) for u in twice_u])
    if not varies:
        return auc, _unknown(k), _unknown(k)
    return auc, *covariances(counted, twice_u, places, loops, threads)


def _shared(k: int, n: int, threads: int) -> tuple[int, int]:
    """Models at a time, and threads of each."""
    if k < threads:
        return 1, threads
    return (threads, 1) if k * n >= PARALLEL_SCORES else (1, 1)


def _weighted(
    first: Sample, samples: Sequence[Sample], varies: bool, loops: ModuleType, threads: int
) -> tuple[Floats, Floats, Floats]:
    """Areas, covariances and variances of differences with weights."""
    k, n = len(samples), first.n
    side, inner = _shared(k, n, threads)
    parts = np.empty((k, n))

    def weigh(model: int) -> float:
        sample = samples[model] if model else first
        return area_parts(sample, loops, inner, parts[model])

    auc = np.asarray(run([partial(weigh, model) for model in range(k)], side))
    if not varies:
        return auc, _unknown(k), _unknown(k)
    return auc, *without_rounding(*pair_sums(parts, loops, threads), auc)
