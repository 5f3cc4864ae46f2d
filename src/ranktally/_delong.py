"""delong(): the covariance of the ROC areas of models that scored the same rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from ._binomial import check_level
from ._columns import Columns, column_name, resolve
from ._delong_result import DeLong
from ._engine import loops
from ._influence import area_parts
from ._panel import read_rows, with_common_gaps
from ._runtime import run, thread_count
from ._types import EngineName, Floats, Missing
from ._validate import (
    Labels,
    Sample,
    Scores,
    Weights,
    check_choice,
    make_sample,
)

__all__ = ["DeLong", "delong"]

NAN = math.nan
# Sums run over blocks of rows that depend on the number of rows alone: so do their bytes.
BLOCK_ROWS = 1 << 14
MAX_BLOCKS = 256


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
    the placements of every model.

    The covariance of two areas is that of their placements among positives over the number of
    positives, plus the same of negatives, with n - 1 in the sample covariances; ties count half.

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
    labels, weights, models = read_rows(columns, pos_label, higher_is_better, workers)
    n_missing = tuple(model.n_null + model.n_nan for model in models)
    if missing == "omit":
        models = with_common_gaps(models)
    panel = _Panel(columns, labels, weights, models, missing)
    k = len(models)
    chosen = loops(engine, columns.n_rows * k)
    auc, covariance, gaps, n_pos, n_neg = _covariances(panel, chosen, workers)
    return DeLong(
        tuple(column.name for column in columns.scores),
        auc,
        covariance,
        gaps,
        level,
        columns.n_rows,
        n_pos + n_neg,
        n_pos,
        n_neg,
        n_missing,
        weights is not None,
    )


@dataclass(frozen=True)
class _Panel:
    """Models that scored the same rows."""

    columns: Columns
    labels: Labels
    weights: Weights | None
    models: Sequence[Scores]
    missing: str

    def sample(self, k: int) -> Sample:
        column = self.columns.scores[k]
        return make_sample(
            self.labels,
            self.models[k],
            self.weights,
            missing=self.missing,
            label_name=column_name(self.columns.label),
            score_name=column_name(column),
            locate=column.locate,
        )


def _covariances(
    panel: _Panel, chosen: ModuleType, threads: int
) -> tuple[Floats, Floats, Floats, int, int]:
    """Areas, their covariances, the variances of their differences, and the rows of each class."""
    k = len(panel.models)
    first = panel.sample(0)
    n, n_pos = first.n, int(np.count_nonzero(first.label))
    parts = np.empty((k, n))
    side = threads if k >= threads else 1

    def measure(model: int) -> float:
        sample = panel.sample(model) if model else first
        return area_parts(sample, chosen, threads if side == 1 else 1, parts[model])

    auc = np.asarray(run([partial(measure, model) for model in range(k)], side))
    if n_pos < 2 or n - n_pos < 2:
        unknown = np.full((k, k), NAN)
        return auc, unknown, unknown.copy(), n_pos, n - n_pos
    step = max(BLOCK_ROWS, -(-n // MAX_BLOCKS))
    edges = np.asarray([*range(0, n, step), n], np.int64)
    blocks = edges.size - 1
    products, gaps = np.empty((blocks, k, k)), np.empty((blocks, k, k))
    sums = (parts, edges)
    run(
        [partial(chosen.pair_sums, *sums, b, b + 1, products, gaps) for b in range(blocks)], threads
    )
    return auc, _mirrored(products), _mirrored(gaps), n_pos, n - n_pos


def _mirrored(blocks: Floats) -> Floats:
    """Sum of the blocks, and what is above the diagonal below it too."""
    upper = np.add.accumulate(blocks)[-1]
    both: Floats = np.triu(upper) + np.triu(upper, 1).T
    return both
