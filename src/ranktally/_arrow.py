"""Arrow columns made even: one dictionary, plain encodings, one type over several files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["CODED_TEXT", "DataType", "common_type", "decoded", "even", "is_text", "numpy_dtype"]

# The stubs of pyarrow type every concrete type apart; one loose name keeps signatures readable.
DataType: TypeAlias = Any

CODED_TEXT: DataType = pa.dictionary(pa.int32(), pa.string())


def is_text(dtype: DataType) -> bool:
    """Tell whether the values are text, in any of Arrow's layouts, dictionary-coded or not."""
    if pa.types.is_dictionary(dtype):
        dtype = dtype.value_type
    return bool(
        pa.types.is_string(dtype)
        or pa.types.is_large_string(dtype)
        or pa.types.is_string_view(dtype)
    )


def numpy_dtype(dtype: DataType) -> np.dtype[Any] | None:
    """Return the NumPy dtype with the same bytes as an Arrow number, None for everything else."""
    if pa.types.is_integer(dtype) or pa.types.is_floating(dtype):
        return np.dtype(dtype.to_pandas_dtype())
    return None


def common_type(first: DataType, second: DataType) -> DataType | None:
    """Return the type that holds the values of both without changing one, None if there is none.

    A 64-bit integer beside a float has none: the float would merge neighbouring integers, and
    with that make ties that the data do not hold.
    """
    if first.equals(second) or pa.types.is_null(second):
        return first
    if pa.types.is_null(first):
        return second
    if is_text(first) and is_text(second):
        large = pa.types.is_large_string(first) or pa.types.is_large_string(second)
        return pa.large_string() if large else pa.string()
    if pa.types.is_dictionary(first) or pa.types.is_dictionary(second):
        plain = [t.value_type if pa.types.is_dictionary(t) else t for t in (first, second)]
        return common_type(*plain)
    for one, other in ((first, second), (second, first)):
        if pa.types.is_int64(one) or pa.types.is_uint64(one):
            if pa.types.is_floating(other):
                return None
            # Arrow would promote to int64, which does not hold the upper half of uint64.
            if pa.types.is_uint64(one) and pa.types.is_signed_integer(other):
                return None
    try:
        schemas = [pa.schema([("x", one)]) for one in (first, second)]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def even(chunks: Sequence[pa.Array[Any]], dtype: DataType) -> pa.ChunkedArray[Any]:
    """Join chunks to one column of the given type.

    Dictionaries of text are unified (each file and batch has its own), other dictionaries are
    decoded, and layouts that only few readers know become the plain ones.
    """
    if pa.types.is_dictionary(dtype) and not is_text(dtype):
        dtype = dtype.value_type
    if not is_text(dtype):
        plain = [_cast(decoded(chunk), dtype) for chunk in chunks]
        return pa.chunked_array(plain, type=_plain_type(dtype))
    chunks = [decoded(chunk) for chunk in chunks]
    if pa.types.is_dictionary(dtype) or any(pa.types.is_dictionary(c.type) for c in chunks):
        coded = [_coded(chunk) for chunk in chunks]
        return pa.chunked_array(coded, type=CODED_TEXT).unify_dictionaries()
    plain_text = pa.string() if pa.types.is_string(dtype) else pa.large_string()
    return pa.chunked_array([_cast(chunk, plain_text) for chunk in chunks], type=plain_text)


def _coded(chunk: pa.Array[Any]) -> pa.Array[Any]:
    """Code one chunk of text as a dictionary of strings with 32-bit indices."""
    if not pa.types.is_dictionary(chunk.type):
        chunk = pc.dictionary_encode(_cast(chunk, pa.string()))
    if chunk.type.equals(CODED_TEXT):
        return chunk
    values = cast("pa.DictionaryArray[Any, Any]", chunk)
    indices = values.indices.cast(pa.int32())
    words: Any = values.dictionary.cast(pa.string())
    return pa.DictionaryArray.from_arrays(indices, words)


def decoded(chunk: pa.Array[Any]) -> pa.Array[Any]:
    """Return the values themselves of an extension, run-end or dictionary-coded number array."""
    loose: Any = chunk
    if isinstance(loose, pa.ExtensionArray):
        loose = loose.storage
    if pa.types.is_run_end_encoded(loose.type):
        decode: Any = pc.run_end_decode  # type: ignore[attr-defined]
        loose = decode(loose)
    if pa.types.is_dictionary(loose.type) and not is_text(loose.type):
        loose = loose.dictionary_decode()
    return cast("pa.Array[Any]", loose)


def _plain_type(dtype: DataType) -> DataType:
    if isinstance(dtype, pa.BaseExtensionType):
        dtype = dtype.storage_type
    if pa.types.is_run_end_encoded(dtype):
        dtype = dtype.value_type
    return dtype


def _cast(chunk: pa.Array[Any], dtype: DataType) -> pa.Array[Any]:
    dtype = _plain_type(dtype)
    if chunk.type.equals(dtype):
        return chunk
    # Safe casts refuse integers above 2**53 as float64; the nearest float is what text would give.
    loose = pa.types.is_integer(chunk.type) and pa.types.is_floating(dtype)
    return chunk.cast(dtype, safe=not loose)
