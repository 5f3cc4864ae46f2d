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
        What the codes stand for: text, or objects that NumPy has no type for. Coded numbers and
        times come as the values themselves.
    zone : str or None
        Time zone in which points in time are shown; `values` hold them in UTC.
    """

    values: AnyArray
    null: AnyArray | None = None
    categories: AnyArray | None = None
    zone: str | None = None

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
    if module == "pandas" and hasattr(values, "__len__"):
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
    if not types:
        return Plain(np.zeros(array.size), null if null.any() else None)
    if any(issubclass(t, (str, bytes)) for t in types):
        return Plain(array, null if null.any() else None)
    try:
        inner = np.asarray(kept.tolist())
    except (ValueError, TypeError, OverflowError):
        return Plain(array, null if null.any() else None)
    lost = inner.dtype.kind == "f" and _lost_integers(inner, kept)
    if lost and all(isinstance(x, int) and 0 <= x < 1 << 64 for x in kept):
        # NumPy takes small and large integers together for floats.
        inner, lost = np.asarray(kept.tolist(), np.uint64), False
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
    pandas = sys.modules["pandas"]
    held = getattr(series, "array", series)
    if isinstance(series.dtype, pandas.CategoricalDtype):
        codes = np.asarray(held.codes)
        null = codes < 0
        codes = np.where(null, 0, codes)
        return _decoded(codes, null if null.any() else None, plain(held.categories, what))
    if isinstance(series.dtype, (pandas.PeriodDtype, pandas.IntervalDtype)):
        return _from_numpy(np.asarray(series), what)
    if isinstance(series.dtype, pandas.SparseDtype):
        return _from_numpy(np.asarray(series, dtype=series.dtype.subtype), what)
    import pyarrow as pa

    try:
        # The nullable types keep NaN apart from NA; from_pandas would merge them.
        array = pa.array(held, from_pandas=False)
    except (pa.ArrowException, TypeError, ValueError):  # a type of somebody else's
        return _from_numpy(np.asarray(series), what)
    return _from_arrow(array, what)


def _decoded(codes: AnyArray, null: AnyArray | None, inner: Plain) -> Plain:
    """Coded values: numbers and times looked up, all others left as codes and categories.

    A null may be the code's, or that of the category it points to; null codes must be in range.
    """
    if len(inner) == 0:
        return Plain(np.zeros(codes.size), np.ones(codes.size, bool) if codes.size else None)
    if inner.null is not None:
        hidden = inner.null[codes]
        null = hidden if null is None else null | hidden
        null = null if null.any() else None
    if inner.categories is not None:  # codes of codes
        return Plain(inner.values[codes], null, inner.categories)
    if inner.values.dtype.kind in "OUS":
        return Plain(codes, null, inner.values.astype(object))
    return Plain(inner.values[codes], null, None, inner.zone)


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
    if isinstance(array, pa.RunEndEncodedArray):
        import pyarrow.compute as pc

        array = pc.call_function("run_end_decode", [array])
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
        return _from_dictionary(array, null, what)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return Plain(_filled(array, null), null)
    if pa.types.is_temporal(kind):
        zone = kind.tz if pa.types.is_timestamp(kind) else None
        return Plain(array.to_numpy(zero_copy_only=False), null, None, zone)
    if pa.types.is_string_view(kind):
        array = array.cast(pa.large_string())
    elif pa.types.is_binary_view(kind):
        array = array.cast(pa.large_binary())
    if _is_text(array.type):
        return _from_dictionary(array.dictionary_encode(), null, what)
    if pa.types.is_decimal(kind):
        return Plain(np.asarray(array.to_pylist(), dtype=object), null)
    raise InputError(f"{what} has the Arrow type {kind}, which is neither number, text nor time")


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _from_dictionary(array: Any, null: AnyArray | None, what: str) -> Plain:
    # A null index holds an arbitrary number: it must not be looked up.
    codes = _filled(array.indices, null)
    words = array.dictionary
    if not _is_text(words.type):
        return _decoded(codes, null, _from_arrow(words, what))
    texts = np.empty(len(words), dtype=object)
    texts[:] = words.to_pylist()
    empty = np.asarray([x is None for x in texts], dtype=bool)
    return _decoded(codes, null, Plain(texts, empty if empty.any() else None))
