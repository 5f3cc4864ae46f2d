"""The door for labels: any coding of two classes -> 0 and 1, or an error that names the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ._arrays import Plain, plain
from ._runtime import blocks, run
from ._types import AnyArray, Bytes
from .errors import InputError

__all__ = ["Labels", "read_labels"]

Locate = Callable[[int], str]

# A block of labels stays in the cache between the passes over it.
BLOCK = 1 << 14
PARALLEL_ROWS = 1 << 17
SHOWN = 5


@dataclass(frozen=True)
class Labels:
    """Validated labels.

    Attributes
    ----------
    value : ndarray of uint8, shape (n,)
        1 for the positive class, else 0; 0 where missing.
    missing : ndarray of bool, shape (n,), or None
        True where the label is null or nan; None when none is.
    n_null, n_nan : int
        How many of each.
    """

    value: Bytes
    missing: AnyArray | None
    n_null: int
    n_nan: int


def read_labels(
    values: Any, pos_label: object, what: str, locate: Locate, threads: int = 1
) -> Labels:
    """Code labels as 0 and 1.

    ``False/True``, ``0/1`` and ``-1/1`` are known; any other coding must name `pos_label`.

    Raises
    ------
    InputError
        If the labels are of no known coding and `pos_label` is None, if there is a third label,
        or if `pos_label` does not occur among two labels that do.
    """
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    column = plain(values, what)
    n_null = int(np.count_nonzero(column.null)) if column.null is not None else 0
    if column.categories is not None:
        value = _code_categories(column, pos_label, what, locate)
        return Labels(value, column.null, n_null, 0)
    kind = column.values.dtype.kind
    if kind in "biu":
        return Labels(
            _code_numbers(column, pos_label, what, locate, threads), column.null, n_null, 0
        )
    if kind == "f":
        nan = np.isnan(column.values)
        if column.null is not None:
            nan &= ~column.null
        n_nan = int(np.count_nonzero(nan))
        missing = column.null
        if n_nan:
            missing = nan if missing is None else missing | nan
        known = Plain(column.values, missing)
        return Labels(
            _code_numbers(known, pos_label, what, locate, threads), missing, n_null, n_nan
        )
    if kind in "USO":
        column = _encode_text(column, what, locate)
        value = _code_categories(column, pos_label, what, locate)
        return Labels(value, column.null, n_null, 0)
    raise InputError(
        f"{what} holds {column.values.dtype} values, which cannot be class labels: pass bool, "
        f"integer, float or text labels"
    )


def _code_numbers(
    column: Plain, pos_label: object, what: str, locate: Locate, threads: int = 1
) -> Bytes:
    """Code bool, integer or float labels; missing ones become 0."""
    values = column.values
    if values.dtype.kind == "b" and pos_label in (None, True):
        return values.view(np.uint8)
    present = values if column.null is None else values[~column.null]
    if pos_label is None or _same_label(pos_label, 1):
        coded = _code_known(present, threads)
        if coded is not None:
            return _spread(coded, column)
    return _spread(_code_by_name(present, column, pos_label, what, locate), column)


def _spread(coded: Bytes, column: Plain) -> Bytes:
    """Put the codes of the present labels back in their rows."""
    if column.null is None:
        return coded
    value = np.zeros(len(column), np.uint8)
    value[~column.null] = coded
    return value


def _code_known(values: AnyArray, threads: int) -> Bytes | None:
    """Code 0/1 and -1/1; None if the values are anything else."""
    coded = np.empty(values.size, np.uint8)
    parts = blocks(values.size, threads if values.size >= PARALLEL_ROWS else 1)
    if all(run([partial(_code_part, values[a:b], coded[a:b]) for a, b in parts], threads)):
        return coded
    return _code_signs(values)


def _code_part(values: AnyArray, coded: Bytes) -> bool:
    """Code 0/1 a block at a time; False at the first that holds anything else."""
    for start in range(0, values.size, BLOCK):
        block = values[start : start + BLOCK]
        part = coded[start : start + BLOCK]
        np.copyto(part, block, casting="unsafe")
        if values.dtype.kind == "f":
            if not (part <= 1).all() or not np.array_equal(part, block):
                return False
        elif np.bitwise_or.reduce(block) not in (0, 1):
            return False
    return True


def _code_signs(values: AnyArray) -> Bytes | None:
    """Code -1/1; None if the values are anything else."""
    positive = values == 1
    if np.all(positive | (values == -1)):
        coded: Bytes = positive.view(np.uint8)
        return coded
    return None


def _same_label(a: object, b: object) -> bool:
    """Equal labels; text is never equal to a number."""
    if isinstance(a, (str, bytes)) or isinstance(b, (str, bytes)):
        return type(a) is type(b) and a == b
    try:
        return bool(a == b)
    except (TypeError, ValueError):
        return False


def _show(labels: list[object]) -> str:
    shown = ", ".join(repr(x) for x in labels[:SHOWN])
    return f"{{{shown}, ...}}" if len(labels) > SHOWN else f"{{{shown}}}"


def _code_by_name(
    present: AnyArray, column: Plain, pos_label: object, what: str, locate: Locate
) -> Bytes:
    """Code numbers by a named positive label, with a message for every way to go wrong."""
    if _is_number(pos_label):
        positive = present == pos_label
        if isinstance(positive, np.ndarray) and positive.dtype == bool:
            others = present[~positive]
            if others.size == 0 or (np.all(others == others[0]) and positive.any()):
                return positive.view(np.uint8)
    labels = [x.item() for x in np.unique(present)]
    numeric_pair = all(x in (-1, 0, 1) for x in labels)
    if len(labels) == 1 and numeric_pair and _is_number(pos_label):
        # Only the other class occurs; 0/1 and -1/1 leave no doubt what it is.
        return np.zeros(present.size, np.uint8)
    raise InputError(_label_message(labels, column, pos_label, what, locate))


def _is_number(x: object) -> bool:
    return isinstance(x, (bool, int, float, np.number, np.bool_))


def _label_message(
    labels: list[object], column: Plain, pos_label: object, what: str, locate: Locate
) -> str:
    found = _show(labels)
    if pos_label is None:
        if len(labels) > 2:
            return (
                f"{what} has {len(labels)} labels {found}, expected two classes; {labels[2]!r} "
                f"comes first at {locate(_first_row(column, labels[2]))}: for one class against "
                f"the rest pass labels == class"
            )
        return (
            f"{what} has the labels {found}, which do not say which class is positive: pass "
            f"pos_label="
        )
    if not any(_same_label(x, pos_label) for x in labels):
        return (
            f"`pos_label` {pos_label!r} is not among the labels {found} of {what}: pass one of "
            f"them, of the same type"
        )
    others = [x for x in labels if not _same_label(x, pos_label)]
    row = _first_row(column, others[1])
    return (
        f"{what} has {len(labels)} labels {found}, expected `pos_label` {pos_label!r} and one "
        f"other; the third, {others[1]!r}, comes first at {locate(row)}: pass labels == class for "
        f"one class against the rest"
    )


def _first_row(column: Plain, label: object) -> int:
    if column.categories is not None:
        codes = [k for k, x in enumerate(column.categories) if _same_label(x, label)]
        hit = np.isin(column.values, codes)
    else:
        hit = column.values == label
    if column.null is not None:
        hit = hit & ~column.null
    return int(np.argmax(hit))


def _encode_text(column: Plain, what: str, locate: Locate) -> Plain:
    """Object or NumPy text values -> codes and categories."""
    values = column.values
    if values.dtype.kind in "US":
        categories, codes = np.unique(values, return_inverse=True)
        return Plain(codes, column.null, np.asarray(categories.tolist(), dtype=object))
    places: dict[tuple[type, object], int] = {}
    codes = np.zeros(values.size, np.int64)
    null = column.null if column.null is not None else np.zeros(values.size, bool)
    nan = np.zeros(values.size, bool)
    for row, x in enumerate(values):
        if null[row]:
            continue
        if x != x:
            nan[row] = True
            continue
        try:
            codes[row] = places.setdefault((type(x), x), len(places))
        except TypeError:
            raise InputError(
                f"{what} holds {type(x).__name__} {x!r} at {locate(row)}, which cannot be a class "
                f"label: pass bool, number or text labels"
            ) from None
    categories = np.empty(len(places), dtype=object)
    categories[:] = [x for _, x in places]
    missing = null | nan
    return Plain(codes, missing if missing.any() else None, categories)


def _code_categories(column: Plain, pos_label: object, what: str, locate: Locate) -> Bytes:
    """Code dictionary or categorical labels; categories that do not occur do not count."""
    categories = column.categories
    assert categories is not None
    codes = column.values
    if codes.size == 0 or categories.size == 0:
        return np.zeros(codes.size, np.uint8)
    if codes.dtype.kind == "i" and codes.min() < 0:
        codes = np.where(codes < 0, 0, codes)  # pandas' null code
    used = codes if column.null is None else codes[~column.null]
    counts = np.bincount(used.astype(np.intp, copy=False), minlength=categories.size)
    # Equal categories may stand under several codes (concatenated dictionaries).
    labels: list[object] = []
    for category in categories[np.flatnonzero(counts)]:
        if not any(_same_label(category, x) for x in labels):
            labels.append(category)
    if labels and all(_is_number(x) for x in labels):
        numbers = np.asarray(categories.tolist())[codes]
        if numbers.dtype.kind != "O":
            return _code_numbers(Plain(numbers, column.null), pos_label, what, locate)
    hit = [x for x in labels if _same_label(x, pos_label)]
    only_other = len(labels) == 1 and isinstance(pos_label, type(labels[0]))
    if pos_label is None or len(labels) > 2 or not (hit or only_other or not labels):
        labels.sort(key=lambda x: (str(type(x)), str(x)))
        raise InputError(_label_message(labels, column, pos_label, what, locate))
    table = np.asarray([_same_label(x, pos_label) for x in categories], dtype=np.uint8)
    value = table[codes]
    if column.null is not None:
        value[column.null] = 0
    return value
