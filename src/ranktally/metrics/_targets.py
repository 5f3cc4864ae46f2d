"""Arrays as scikit-learn reads them: shapes, finite values, lengths, weights, kinds of targets."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._types import AnyArray
from ..errors import InputError
from ._parameters import InputTypeError, is_sparse

__all__ = [
    "Target",
    "as_array",
    "as_column",
    "as_floats",
    "as_matrix",
    "as_numbers",
    "as_weights",
    "check_finite",
    "check_lengths",
    "check_shape",
    "dense",
    "read_target",
    "two_values",
    "unique",
]

BLOCK = 1 << 16
# A table over the range of integer labels beats sorting them up to about this many entries a row.
TABLE_PER_ROW = 4
SMALL_TABLE = 1 << 12

LEGACY = (
    "You appear to be using a legacy multi-label data representation. Sequence of sequences are "
    "no longer supported; use a binary array or sparse matrix instead - the MultiLabelBinarizer "
    "transformer can convert to this format."
)


def dense(values: Any) -> Any:
    """Sparse indicators as arrays; anything else as it is."""
    return values.toarray() if is_sparse(values) else values


def as_array(values: Any) -> AnyArray:
    """Bring an array-like to NumPy: nullable pandas columns as floats, ragged lists as objects."""
    if type(values) is np.ndarray:
        array = values
    elif isinstance(values, np.matrix):
        raise InputTypeError(
            "np.matrix is not supported. Please convert to a numpy array with np.asarray."
        )
    elif is_sparse(values):
        raise InputTypeError(
            "Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a "
            "dense numpy array."
        )
    elif type(values).__module__.startswith("pandas") and hasattr(values, "dtype"):
        array = _from_pandas(values)
    else:
        try:
            array = np.asarray(values)
        except ValueError:
            array = np.asarray(values, dtype=object)
    if array.dtype.kind == "c":
        raise InputError(f"Complex data not supported\n{array}\n")
    return array.view(np.ndarray)


def _from_pandas(column: Any) -> AnyArray:
    extension = sys.modules["pandas"].api.types.is_extension_array_dtype(column.dtype)
    if extension and getattr(column.dtype, "kind", "O") in "biuf":
        return np.asarray(column.astype(np.float64))
    return np.asarray(column)


def as_column(values: Any) -> AnyArray:
    """Give one dimension to (n,) and (n, 1); refuse every other shape."""
    array = as_array(values)
    if array.ndim == 1:
        return array
    if array.ndim > 2:
        raise InputError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    if array.ndim == 2 and array.shape[1] == 1:
        return array.reshape(-1)
    raise InputError(f"y should be a 1d array, got an array of shape {array.shape} instead.")


def as_matrix(values: Any) -> AnyArray:
    """Two dimensions of finite numbers, at least one row and one column."""
    array = as_numbers(values)
    if array.ndim == 2:
        return array
    raise InputError(
        f"Expected 2D array, got 1D array instead:\narray={array}.\nReshape your data either "
        f"using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if "
        f"it contains a single sample."
    )


def as_numbers(values: Any, name: str = "") -> AnyArray:
    """One or two dimensions of finite numbers, not empty; objects become float64."""
    array = as_floats(as_array(values))
    check_shape(array)
    check_finite(array, name)
    return array


def as_floats(array: AnyArray) -> AnyArray:
    """Objects as float64, numbers of any type as they are; refuse text and dates."""
    if array.dtype.kind == "O":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"Expected numbers, got objects that are none: {error}") from error
    if array.dtype.kind not in "biuf":
        raise InputError(
            f"dtype='numeric' is not compatible with arrays of bytes/strings, got {array.dtype}. "
            f"Convert your data to numeric values explicitly instead."
        )
    return array


def check_shape(array: AnyArray) -> None:
    """Refuse scalars, more than two dimensions, and arrays without rows or columns."""
    if array.ndim > 2:
        raise InputError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    if array.ndim == 0:
        raise InputTypeError(
            "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, "
            f"got scalar `{array!r}` instead."
        )
    for axis, what in enumerate(("sample", "feature")[: array.ndim]):
        if array.shape[axis] < 1:
            raise InputError(
                f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is "
                f"required."
            )


def check_finite(array: AnyArray, name: str = "") -> None:
    """Refuse nan and infinity."""
    kind = array.dtype.kind
    name = name + " " if name else ""
    if kind == "O":
        if any(x != x for x in array.ravel().tolist()):
            raise InputError(f"Input {name}contains NaN")
        return
    if kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum()):
            return
    if np.isnan(array).any():
        raise InputError(f"Input {name}contains NaN.")
    if np.isinf(array).any():
        raise InputError(f"Input {name}contains infinity or a value too large for {array.dtype!r}.")


def check_lengths(*arrays: Any) -> None:
    """Refuse arrays of differing numbers of rows; None is no array."""
    lengths = [_length(x) for x in arrays if x is not None]
    if len(set(lengths)) > 1:
        raise InputError(f"Found input variables with inconsistent numbers of samples: {lengths!r}")


def _length(values: Any) -> int:
    shape = getattr(values, "shape", None)
    if shape is None:
        return len(values)
    if len(shape) == 0:
        raise InputTypeError(
            f"Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, "
            f"got scalar `{values!r}` instead."
        )
    return int(shape[0])


def as_weights(values: Any, rows: int) -> AnyArray | None:
    """Read weights: a finite number a row, not all of them 0."""
    if values is None:
        return None
    weight = as_numbers(values, "sample_weight")
    if weight.ndim != 1:
        raise InputError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim}D array. Expected "
            f"either a scalar value or a 1D array of length {rows}."
        )
    if weight.shape != (rows,):
        raise InputError(f"sample_weight.shape == {weight.shape}, expected {(rows,)}!")
    if not weight.any():
        raise InputError("Sample weights must contain at least one non-zero number.")
    return weight


def two_values(array: AnyArray) -> tuple[Any, Any, AnyArray] | None:
    """Least and greatest value and where the greatest stands, of at most two values that differ.

    One value is both the least and the greatest, and stands nowhere. None for a third value, nan
    or nothing at all.
    """
    if array.size == 0:
        return None
    flat = array.reshape(-1)
    first = flat[0]
    other = np.empty(flat.size, bool)
    second: Any = None
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK]
        differs = np.not_equal(block, first, out=other[start : start + BLOCK])
        count = np.count_nonzero(differs)
        if count == 0:
            continue
        if second is None:
            second = block[np.argmax(differs)]
        if np.count_nonzero(block == second) != count:
            return None
    if second is None:
        return first, first, other
    if first < second:
        return first, second, other
    return second, first, np.logical_not(other, out=other)


def unique(array: AnyArray) -> AnyArray:
    """Sorted distinct values, without a sort where a table over their range will do."""
    found = two_values(array)
    if found is not None:
        pair = [found[0]] if found[0] is found[1] else [found[0], found[1]]
        return np.asarray(pair, dtype=array.dtype)
    flat = array.reshape(-1)
    if flat.dtype.kind in "iu":
        low, high = int(flat.min()), int(flat.max())
        if high - low < max(SMALL_TABLE, TABLE_PER_ROW * flat.size) and high < 1 << 62:
            seen = np.zeros(high - low + 1, bool)
            seen[flat - flat.dtype.type(low)] = True
            return (np.flatnonzero(seen) + low).astype(flat.dtype)
    if flat.dtype.kind == "O":
        try:
            values = sorted(set(flat.tolist()))
        except TypeError as error:
            raise InputTypeError(
                f"Labels must be of one type that can be sorted: {error}"
            ) from error
        out = np.empty(len(values), object)
        out[:] = values
        return out
    return np.unique(flat)


class Target(NamedTuple):
    """Labels and what they are.

    Attributes
    ----------
    kind : str
        "binary", "multiclass", "multilabel-indicator", "continuous", ..., as scikit-learn says.
    array : ndarray or sparse array
        The labels.
    pair : tuple or None
        What `two_values` found, of labels in one column.
    """

    kind: str
    array: Any
    pair: tuple[Any, Any, AnyArray] | None


def read_target(values: Any, name: str = "") -> Target:
    """Tell what kind of target an array-like is.

    Raises
    ------
    InputError, InputTypeError
        If it is no array, a list of lists of labels, or holds bytes, nan or infinity.
    """
    if is_sparse(values):
        return Target(_kind_of_sparse(values), values, None)
    sequence = isinstance(values, Sequence) or hasattr(values, "__array__")
    if not sequence or isinstance(values, str):
        raise InputError(f"Expected array-like (array or non-string sequence), got {values!r}")
    array = as_array(values)
    if array.ndim == 2 and array.shape[1] > 1:
        return Target(_kind_of_matrix(array, name), array, None)
    return _column_target(array, name)


def _kind_of_sparse(values: Any) -> str:
    stored = unique(np.asarray(values.tocsr().data))
    if values.ndim == 2 and values.shape[1] > 1:
        few = stored.size < 2 or (stored.size == 2 and 0 in stored)
        if few and (stored.dtype.kind in "biu" or _all_whole(stored)):
            return "multilabel-indicator"
        return "multiclass-multioutput"
    present = set(stored.tolist())
    if values.nnz < math.prod(values.shape):
        present.add(0)
    return "binary" if len(present) <= 2 else "multiclass"


def _all_whole(array: AnyArray) -> bool:
    """Whether floats are all integers that int64 holds; nan and infinity are none."""
    with np.errstate(invalid="ignore", over="ignore"):
        if not (np.abs(array) < 2.0**63).all():
            return False
    return bool(np.array_equal(np.floor(array), array))


def _kind_of_matrix(array: AnyArray, name: str) -> str:
    kind = array.dtype.kind
    if kind in "biuf":
        found = two_values(array)
        if not array.size or (found and (kind != "f" or _all_whole(np.asarray(found[:2])))):
            return "multilabel-indicator"
    _refuse_legacy(array)
    if not array.size or (kind == "O" and not isinstance(array.flat[0], str)):
        return "unknown"
    if kind == "f" and not _all_whole(array):
        check_finite(array, name)
        return "continuous-multioutput"
    return "multiclass-multioutput"


def _refuse_legacy(array: AnyArray) -> None:
    if array.dtype.kind not in "OS" or not array.ndim or not array.shape[0]:
        return
    first = array[0]
    if isinstance(first, bytes):
        raise InputTypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a "
            "string or integer format."
        )
    if isinstance(first, Sequence) and not isinstance(first, str):
        raise InputError(LEGACY)


def _column_target(array: AnyArray, name: str) -> Target:
    _refuse_legacy(array)
    if array.ndim not in (1, 2):
        return Target("unknown", array, None)
    if not array.size:
        return Target("binary" if array.ndim == 1 else "unknown", array, None)
    if array.dtype.kind == "O" and not isinstance(array.flat[0], str):
        return Target("unknown", array, None)
    pair = two_values(array)
    if array.dtype.kind == "f" and not _all_whole(np.asarray(pair[:2]) if pair else array):
        check_finite(array, name)
        return Target("continuous", array, None)
    if pair is None:
        return Target("multiclass", array, None)
    return Target("binary", array, pair)
