"""The door for scores: numbers of any type -> keys that order as they do, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Plain, plain
from ._labels import Locate
from ._types import AnyArray, Ints, Keys, real_of
from .errors import InputError

__all__ = [
    "Codec",
    "Scores",
    "check_flag",
    "read_numbers",
    "read_scores",
    "read_thresholds",
    "whole_cut",
]

LARGEST = int(np.finfo(np.float64).max)
FLIP = {4: (1 << 31) - 1, 8: (1 << 63) - 1}


@dataclass(frozen=True)
class Codec:
    """How keys stand for scores.

    Attributes
    ----------
    dtype : numpy.dtype
        The score's own dtype, in which thresholds are given back.
    width : int
        Bytes of a key: 4 or 8.
    flip : int
        Mask of a float's magnitude bits; 0 when the key is the integer itself.
    offset : bool
        True for uint64 beyond int64, whose keys have the top bit turned.
    """

    dtype: np.dtype[Any]
    width: int
    flip: int
    offset: bool = False

    @property
    def lowest(self) -> int:
        """The key below that of every score: of a missing one that ranks last."""
        return -(1 << (8 * self.width - 1))

    @property
    def missing_bits(self) -> int:
        """What is stored for a missing score that ranks last."""
        return -1 if self.flip else self.lowest

    @property
    def key_dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int32 if self.width == 4 else np.int64)

    def decode(self, bits: Keys) -> AnyArray:
        """Scores, in their own dtype, from stored bits."""
        if self.flip:
            return bits.view(np.float32 if self.width == 4 else np.float64).astype(
                self.dtype, copy=False
            )
        if self.offset:
            return (bits ^ np.int64(self.lowest)).view(np.uint64)
        return bits.astype(self.dtype, copy=False)

    def cut_keys(self, thresholds: AnyArray, *, has_missing: bool) -> tuple[Ints, AnyArray]:
        """Keys k such that ``score >= threshold`` is ``key >= k``, and which can select anything.

        With `has_missing` the lowest key is that of missing scores, which nothing selects.

        Thresholds are rounded to a float score's dtype; for integer scores the comparison is
        exact, so that 0.5 selects the integers from 1 on.
        """
        if self.flip:
            with np.errstate(over="ignore"):
                cuts = thresholds.astype(self.dtype)
                cuts = cuts.astype(np.float32 if self.width == 4 else np.float64)
            bits = cuts.view(self.key_dtype).astype(np.int64)
            keys = np.where(bits < 0, bits ^ self.flip, bits)
            keys[cuts == 0] = 0
            return keys, np.ones(keys.size, bool)
        lowest, highest = self.lowest + has_missing, -(self.lowest + 1)
        exact = [whole_cut(x) for x in thresholds.tolist()]
        if self.offset:
            exact = [x if isinstance(x, float) else x + self.lowest for x in exact]
        reachable = np.asarray([x <= highest for x in exact], bool)
        inside = [int(min(max(x, lowest), highest)) for x in exact]
        return np.asarray(inside, np.int64), reachable


def read_thresholds(values: Any, name: str) -> AnyArray:
    """Thresholds as an array of any shape; a mix of large integers and floats stays exact.

    Raises
    ------
    InputError
        If one is no number, or nan.
    """
    wanted = f"`{name}` must be a number or an array of them"
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"{wanted}, got a masked one: leave it out")
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InputError(f"{wanted}, got {values!r}") from error
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        # In a list, integers beyond 2**53 among floats would have been rounded.
        exact = np.asarray(values, dtype=object)
        if any(isinstance(x, int) and abs(x) > 1 << 53 for x in exact.ravel()):
            array = exact
    numbers = array.dtype.kind in "biuf" or (
        array.dtype.kind == "O" and all(isinstance(x, (int, float)) for x in array.ravel())
    )
    if not numbers:
        raise InputError(f"{wanted}, got {values!r}")
    if any(x != x for x in array.ravel()) if array.dtype.kind == "O" else np.isnan(array).any():
        raise InputError(f"`{name}` must not be nan: no score compares with it")
    if array.dtype.kind == "O":  # beyond every float, and every integer score, is infinity
        bounded = [real_of(x) if abs(x) > LARGEST else x for x in array.ravel()]
        array = np.asarray([*bounded, None], dtype=object)[:-1].reshape(array.shape)
    return array


def whole_cut(threshold: float | int) -> float | int:
    """The integer that ``score >= threshold`` starts at, for integer scores; infinities stay."""
    if isinstance(threshold, float) and np.isinf(threshold):
        return threshold
    floor = int(threshold // 1)
    return floor if floor == threshold else floor + 1


@dataclass(frozen=True)
class Scores:
    """Validated scores of one model: raw bits and how to read them.

    `missing` is True where the score is null or nan (None when none is).
    """

    bits: Keys
    codec: Codec
    missing: AnyArray | None
    n_null: int
    n_nan: int


def read_scores(values: Any, what: str, locate: Locate, *, higher_is_better: bool) -> Scores:
    """Read one score column without changing what is equal to what.

    float16 widens to float32 and integers take the narrowest of int32 and int64 that holds them,
    both exactly.

    Raises
    ------
    InputError
        If the scores are not numbers, or are of a type that no key can hold exactly.
    """
    check_flag("higher_is_better", higher_is_better)
    array, null = read_numbers(values, what, locate)
    n_null = int(np.count_nonzero(null)) if null is not None else 0
    dtype = array.dtype
    if dtype.kind == "f":
        return _read_floats(array, null, n_null, what, higher_is_better)
    integers = array.view(np.uint8) if dtype.kind == "b" else array
    if not higher_is_better:
        integers = _negate_integers(integers, what)
        dtype = integers.dtype
    elif dtype.kind == "b":
        dtype = np.dtype(np.int8)
    bits, codec = _integer_bits(integers, dtype)
    return Scores(bits, codec, null, n_null, 0)


def read_numbers(values: Any, what: str, locate: Locate) -> tuple[AnyArray, AnyArray | None]:
    """Numbers of a column and where it is null.

    Raises
    ------
    InputError
        Naming the first value that is no number.
    """
    column = plain(values, what)
    array, null = column.values, column.null
    if column.categories is None and array.dtype.kind in "biuf":
        return array, null
    known = np.arange(len(column)) if null is None else np.flatnonzero(~null)
    if column.categories is not None:
        # The text that no conversion would mend says most about what is wrong.
        texts = sorted(_first_of(column, known), key=lambda found: found[0])
        worst = [found for found in texts if not _is_text_number(found[1])] or texts
        if worst:
            row, text = worst[0]
            raise InputError(_text_message(text, row, what, locate))
    for row in known.tolist():
        x = array[row]
        if array.dtype.kind != "O" or not isinstance(x, (int, float, np.number)):
            raise InputError(_text_message(x, row, what, locate))
    raise InputError(
        f"{what} mixes numbers that no one type holds, such as integers beyond 2**53 and floats: "
        f"convert it to an array of one type"
    )


def _first_of(column: Plain, known: Ints) -> Iterator[tuple[int, Any]]:
    """Each category that occurs, with its first row, in order of the categories."""
    assert column.categories is not None
    places, first = np.unique(column.values[known], return_index=True)
    for place, row in zip(places.tolist(), known[first].tolist(), strict=True):
        yield row, column.categories[place]


def _is_text_number(x: Any) -> bool:
    try:
        float(x)
    except (ValueError, TypeError):
        return False
    return True


def _text_message(x: object, row: int, what: str, locate: Locate) -> str:
    kind = "text" if isinstance(x, (str, bytes)) else type(x).__name__
    if isinstance(x, (str, bytes)):
        x = x.item() if isinstance(x, np.generic) else x
    shown = str(x) if isinstance(x, np.generic) else repr(x)
    return f"{what} must hold numbers, got {kind} {shown} at {locate(row)}: convert it or blank it"


def check_flag(name: str, value: object) -> None:
    """Raise InputError unless `value` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"`{name}` must be True or False, got {value!r}")


def _read_floats(
    array: AnyArray, null: AnyArray | None, n_null: int, what: str, higher_is_better: bool
) -> Scores:
    dtype = array.dtype
    if dtype.itemsize == 2:
        array = array.astype(np.float32)
    elif dtype.itemsize > 8:
        raise InputError(
            f"{what} is of type {dtype}, which ranks more finely than any of float64, float32 or "
            f"float16: convert it with .astype(numpy.float64)"
        )
    if not higher_is_better:
        array = -array
    array = np.ascontiguousarray(array)
    missing = null
    n_nan = 0
    if _any_nan(array):
        nan = np.isnan(array)
        if null is not None:
            nan &= ~null
        n_nan = int(np.count_nonzero(nan))
        missing = nan if null is None else null | nan
    width = array.dtype.itemsize
    bits: Keys = array.view(np.int32) if width == 4 else array.view(np.int64)
    return Scores(bits, Codec(dtype, width, FLIP[width]), missing, n_null, n_nan)


def _any_nan(array: AnyArray) -> bool:
    return array.size > 0 and bool(np.isnan(array.min()))  # a minimum hands nan on


def _negate_integers(array: AnyArray, what: str) -> AnyArray:
    if array.size == 0:
        return array.astype(np.int64)
    if int(array.max()) > 1 << 63 or int(array.min()) <= -(1 << 63):
        raise InputError(
            f"{what} holds integers that int64 cannot negate: pass them reversed instead of "
            f"higher_is_better=False"
        )
    if array.dtype.kind == "u":
        return (~array.astype(np.uint64) + np.uint64(1)).view(np.int64)
    return -array.astype(np.int64)


def _integer_bits(array: AnyArray, dtype: np.dtype[Any]) -> tuple[Keys, Codec]:
    """Keys of integer scores: int32 where they fit above its lowest value, else int64."""
    low = int(array.min()) if array.size else 0
    high = int(array.max()) if array.size else 0
    if low > -(1 << 31) and high < (1 << 31) - 1:
        return np.ascontiguousarray(array, np.int32), Codec(dtype, 4, 0)
    if high < 1 << 63:
        return np.ascontiguousarray(array, np.int64), Codec(dtype, 8, 0)
    turned = np.ascontiguousarray(array, np.uint64).view(np.int64) ^ np.int64(-(1 << 63))
    return turned, Codec(dtype, 8, 0, offset=True)
