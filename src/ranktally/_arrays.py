"""Whatever holds a column -> one NumPy array, a null mask, and the categories if it is coded."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._types import AnyArray
from .errors import InputError

__all__ = ["Plain", "numbers_of", "plain"]


@dataclass(frozen=True)
class Plain:
    """A column as NumPy sees it.

    Attributes
    ----------
    values : ndarray, shape (n,)
        The values; integer codes when `categories` is given. Null entries hold anything.
    null : ndarray of bool, shape (n,), or None
        True where the value is null (None, NA, NaT); None when nothing is.
    categories : ndarray of object, or None
        What the codes stand for.
    """

    values: AnyArray
    null: AnyArray | None = None
    categories: AnyArray | None = None

    def __len__(self) -> int:
        return int(self.values.shape[0])


def plain(values: Any, what: str) -> Plain:
    """Bring any array-like to NumPy without a copy where its memory allows.

    NaN is a value, null is not one: the two are told apart wherever the source does so.

    Parameters
    ----------
    values : array-like
        NumPy arrays, lists, Arrow arrays and anything that exports the Arrow C interface,
        pandas and polars Series, memory maps.
    what : str
        How messages call the column, such as ``"`y_score`"``.

    Raises
    ------
    InputError
        If `values` is not one-dimensional or cannot be read as an array.
    """
    if isinstance(values, np.ndarray):
        return _from_numpy(values, what)
    module = type(values).__module__.partition(".")[0]
    if module == "pandas":
        return _from_pandas(values, what)
    if module == "pyarrow" or hasattr(values, "__arrow_c_stream__"):
        return _from_arrow(values, what)
    if hasattr(values, "__arrow_c_array__"):
        return _from_arrow(values, what)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise InputError(
            f"{what} must be a one-dimensional array or a list, got {type(values).__name__}"
        )
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InputError(f"{what} cannot be read as an array: {error}") from error
    if array.dtype.kind in "US" or (array.dtype.kind == "f" and _lost_integers(array, values)):
        # A list that mixes text with numbers has become all text, one of integers that no
        # integer type holds has become floats: neither is what was meant.
        array = np.asarray(values, dtype=object)
    return _from_numpy(array, what)


def _lost_integers(array: AnyArray, values: Any) -> bool:
    """Whether integers of a list became floats that do not hold them."""
    if array.ndim != 1:
        return False
    large = np.flatnonzero(np.abs(array) >= 2.0**53)
    return any(isinstance(values[k], int) and int(array[k]) != values[k] for k in large)


def _from_numpy(array: AnyArray, what: str) -> Plain:
    null = None
    if isinstance(array, np.ma.MaskedArray):
        null = np.ma.getmaskarray(array)
        array = array.data
    array = np.asarray(array)  # drops subclasses such as memmap and matrix
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
        null = null[:, 0] if null is not None else None
    if array.ndim != 1:
        raise InputError(_shape_message(array, what))
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind == "T":  # NumPy's variable-width text
        array = array.astype(object)
    if array.dtype.kind == "O":
        return _from_objects(array)
    if array.dtype.kind in "mM":
        null = np.isnat(array)
    return Plain(array, null if null is not None and null.any() else None)


def _shape_message(array: AnyArray, what: str) -> str:
    if array.ndim == 2 and array.shape[1] == 2 and _rows_sum_to_one(array):
        return (
            f"{what} has shape {array.shape} and its rows sum to 1, like the output of "
            f"predict_proba: pass the column of the positive class, usually [:, 1]"
        )
    return f"{what} must be one-dimensional, got an array of shape {array.shape}"


def _rows_sum_to_one(array: AnyArray) -> bool:
    if array.dtype.kind != "f" or array.shape[0] == 0:
        return False
    return bool(np.allclose(array[:1000].sum(axis=1), 1.0, rtol=0, atol=1e-3))


def _from_objects(array: AnyArray) -> Plain:
    """An object array: None and NA are nulls, the rest is what it is."""
    null = np.fromiter((_is_null(x) for x in array), dtype=bool, count=array.size)
    kept = array[~null] if null.any() else array
    types = {type(x) for x in kept}
    if not types or any(issubclass(t, (str, bytes)) for t in types):
        return Plain(array, null if null.any() else None)
    try:
        inner = np.asarray(kept.tolist())
    except (ValueError, TypeError, OverflowError):
        return Plain(array, null if null.any() else None)
    lost = inner.dtype.kind == "f" and _lost_integers(inner, kept)
    if inner.ndim != 1 or inner.dtype.kind not in "biuf" or lost:
        return Plain(array, null if null.any() else None)
    values = np.zeros(array.size, inner.dtype)
    values[~null] = inner
    return Plain(values, null if null.any() else None)


def _is_null(x: object) -> bool:
    return x is None or type(x).__name__ in ("NAType", "NaTType")


def _from_pandas(series: Any, what: str) -> Plain:
    if getattr(series, "ndim", 1) == 2:
        if series.shape[1] != 1:
            raise InputError(_shape_message(series.to_numpy(), what))
        series = series.iloc[:, 0]
    if isinstance(series.dtype, np.dtype):
        return _from_numpy(series.to_numpy(), what)
    import pyarrow as pa

    pandas = sys.modules["pandas"]
    if isinstance(series.dtype, pandas.CategoricalDtype):
        categorical = series.array if hasattr(series, "array") else series
        codes = np.asarray(categorical.codes)
        null = codes < 0
        return Plain(
            codes, null if null.any() else None, np.asarray(categorical.categories, dtype=object)
        )
    # The nullable types keep NaN apart from NA; from_pandas would merge them.
    return _from_arrow(pa.array(series.array, from_pandas=False), what)


def _from_arrow(values: Any, what: str) -> Plain:
    import pyarrow as pa

    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        try:
            if hasattr(values, "__arrow_c_stream__"):
                values = pa.chunked_array(values)
            else:
                values = pa.array(values)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InputError(
                f"{what} must be one column, got {type(values).__name__} ({error})"
            ) from error
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):  # combine_chunks may keep more than one chunk
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    null = numbers_of(array.is_null()) if array.null_count else None
    return _from_arrow_array(array, null, what)


def numbers_of(array: Any) -> AnyArray:
    """View the numbers of an Arrow array where they lie; truth values are unpacked.

    Under nulls stands anything. `to_numpy` would do, but it, like `pyarrow.array` and
    `pyarrow.scalar`, imports pandas where that is installed: 0.4 s for a question that never
    comes up here.
    """
    import pyarrow as pa

    if pa.types.is_boolean(array.type):
        return numbers_of(array.cast(pa.uint8())).view(np.bool_)
    dtype = np.dtype(array.type.to_pandas_dtype())
    if len(array) == 0:  # may have no buffer
        return np.empty(0, dtype)
    values = np.frombuffer(array.buffers()[1], dtype, len(array), array.offset * dtype.itemsize)
    values.flags.writeable = False
    return values


def _filled(array: Any, null: AnyArray | None) -> AnyArray:
    """Numbers of an Arrow array with 0 in place of nulls."""
    values = numbers_of(array)
    if null is None:
        return values
    values = values.copy()
    values[null] = 0
    return values


def _from_arrow_array(array: Any, null: AnyArray | None, what: str) -> Plain:
    import pyarrow as pa

    kind = array.type
    if pa.types.is_null(kind):
        return Plain(np.zeros(len(array)), np.ones(len(array), bool))
    if pa.types.is_dictionary(kind):
        return _from_dictionary(array, null)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return Plain(_filled(array, null), null)
    if pa.types.is_temporal(kind):
        return Plain(array.to_numpy(zero_copy_only=False), null)
    if (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    ):
        if pa.types.is_string_view(kind):
            array = array.cast(pa.large_string())
        return _from_dictionary(array.dictionary_encode(), null)
    if pa.types.is_decimal(kind):
        return Plain(np.asarray(array.to_pylist(), dtype=object), null)
    raise InputError(f"{what} has the Arrow type {kind}, which is neither number, text nor time")


def _from_dictionary(array: Any, null: AnyArray | None) -> Plain:
    # The null of a dictionary array may sit in its indices or in its dictionary, and a null
    # index holds an arbitrary number: it must not be looked up.
    codes = array.indices
    categories = np.asarray(array.dictionary.to_pylist(), dtype=object)
    values = _filled(codes, numbers_of(codes.is_null()) if codes.null_count else None)
    empty = np.asarray([x is None for x in categories], dtype=bool)
    if empty.any():
        hidden = empty[values]
        null = hidden if null is None else null | hidden
    return Plain(values, null, categories)
