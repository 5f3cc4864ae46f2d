"""One area for each column of indicators, or for each row, and their averages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._engine import loops
from .._grouping import Grouping
from .._runtime import thread_count
from .._segments import GroupAreas, group_areas
from .._types import AnyArray, Bytes, Floats
from ..errors import InputError
from ._binary_counts import sample_of
from ._targets import as_matrix, check_lengths

__all__ = ["areas_of_rows", "average_columns"]

Area = Callable[[Bytes, Any, Any], float]
AreaOfRows = Callable[[AnyArray, AnyArray], Floats]


def average_columns(
    area: Area,
    area_of_rows: AreaOfRows | None,
    indicators: AnyArray,
    y_score: Any,
    average: str | None,
    weight: AnyArray | None,
) -> Any:
    """Area of each column, or the average over columns, or over rows (``average="samples"``).

    Columns that weigh nothing count 0 in the weighted average, as in scikit-learn.
    """
    check_lengths(indicators, y_score, weight)
    score = as_matrix(y_score)
    if indicators.shape != score.shape:
        raise InputError(
            f"`y_true` has shape {indicators.shape} and `y_score` {score.shape}: they must agree"
        )
    positive = np.equal(indicators, 1)
    if average == "micro":
        flat = None if weight is None else np.repeat(weight, positive.shape[1])
        return area(positive.reshape(-1).view(np.uint8), score.reshape(-1), flat)
    share = None
    if average == "weighted":
        share = positive.sum(axis=0) if weight is None else weight @ positive
        if np.isclose(share.sum(), 0):
            return 0
    elif average == "samples":
        share, weight = weight, None
        positive, score = positive.T, score.T
    if average == "samples" and area_of_rows is not None:
        values = area_of_rows(positive.T, score.T)
    else:
        values = np.empty(score.shape[1])
        for k in range(score.shape[1]):
            label = np.ascontiguousarray(positive[:, k]).view(np.uint8)
            values[k] = area(label, score[:, k], weight)
    if average is None:
        return values
    if share is not None:
        values[share == 0] = 0
    return float(np.average(values, weights=share))


def areas_of_rows(positive: AnyArray, score: AnyArray, wanted: str) -> GroupAreas:
    """Areas of each row over its columns: rows are groups."""
    rows, columns = score.shape
    code = np.repeat(np.arange(rows, dtype=np.int32), columns)
    label = np.ascontiguousarray(positive).reshape(-1).view(np.uint8)
    sample = sample_of(label, score.reshape(-1), None)
    grouping = Grouping(("row",), code, rows, ())
    engine = loops("auto", sample.n, rows)
    return group_areas(sample, [grouping], [wanted], engine, thread_count())[0]
