"""Labels -> codes from 0 in the order of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import AnyArray
from ..errors import InputError
from ._targets import SMALL_TABLE, TABLE_PER_ROW, Target, unique

__all__ = ["classes_of", "encode", "encode_pair", "positions"]


def classes_of(target: Target) -> AnyArray:
    """Sorted distinct labels of one column."""
    if target.pair is not None:
        low, high, _ = target.pair
        return np.asarray([low] if low is high else [low, high], dtype=target.array.dtype)
    return unique(target.array)


def _is_text(array: AnyArray) -> bool:
    return array.dtype.kind in "OUST"


def encode(column: AnyArray, classes: AnyArray) -> AnyArray:
    """Position of each label among sorted classes, all of which are known to occur in them."""
    if _is_text(column):
        places = {label: k for k, label in enumerate(classes.tolist())}
        values = column.tolist()
        return np.fromiter(map(places.__getitem__, values), np.intp, len(values))
    if classes.size <= 2:
        return (column == classes[-1]).view(np.uint8) if classes.size else np.zeros(0, np.uint8)
    whole = _as_integers(column, classes)
    if whole is None:
        return np.searchsorted(classes, column)
    values, labels = whole
    low = int(labels[0])
    table = np.zeros(int(labels[-1]) - low + 1, np.intp)
    table[labels - low] = np.arange(labels.size)
    return table[values - low]  # type: ignore[no-any-return]


def _as_integers(column: AnyArray, classes: AnyArray) -> tuple[AnyArray, AnyArray] | None:
    """Column and classes as int64 if a table over their range is worth its room."""
    if not -(2**62) < classes[0] <= classes[-1] < 2**62:
        return None
    if int(classes[-1]) - int(classes[0]) >= max(SMALL_TABLE, TABLE_PER_ROW * column.size):
        return None
    if column.dtype.kind == "f" and not np.array_equal(np.floor(classes), classes):
        return None
    return column.astype(np.int64, copy=False), classes.astype(np.int64)


def _coded(target: Target) -> tuple[AnyArray, AnyArray]:
    """Sorted labels of one column, and the code of each row."""
    if target.pair is not None:
        return classes_of(target), target.pair[2].view(np.uint8)
    column = target.array.reshape(-1)
    classes = unique(column)
    return classes, encode(column, classes)


def encode_pair(true: Target, pred: Target) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Classes of two columns together, and the codes of each.

    Raises
    ------
    InputError
        If one holds text and the other numbers.
    """
    (mine, my_codes), (yours, your_codes) = _coded(true), _coded(pred)
    if _is_text(mine) != _is_text(yours):
        raise InputError(f"Mix of label input types (string and number); Got {mine} and {yours}.")
    if _is_text(mine):
        classes = np.asarray(sorted({*mine.tolist(), *yours.tolist()}))
    else:
        # Equal labels of two types show as those of the true ones.
        classes = mine if np.isin(yours, mine).all() else np.union1d(mine, yours)
    return classes, _recoded(my_codes, mine, classes), _recoded(your_codes, yours, classes)


def _recoded(codes: AnyArray, old: AnyArray, new: AnyArray) -> AnyArray:
    """Codes of labels among `old` as codes among the labels `new`, which hold all of them."""
    place = np.asarray(positions(old.tolist(), new))
    return codes if np.array_equal(place, np.arange(old.size)) else place[codes]


def positions(labels: Any, classes: AnyArray) -> list[int]:
    """Position of each label among the classes, -1 where it is none of them."""
    places = {label: k for k, label in enumerate(classes.tolist())}
    return [places.get(x.item() if isinstance(x, np.generic) else x, -1) for x in labels]
