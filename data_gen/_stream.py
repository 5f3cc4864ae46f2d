"""Rows by position: fixed blocks, one spawned random stream each.

A block is always drawn whole and then cut, so that what row ``i`` holds depends on the recipe,
its parameters, the seed and ``i``, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 65_536
"""Rows drawn from one random stream."""

Array = np.ndarray[Any, np.dtype[Any]]
Columns = dict[str, Array]
Truth = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """What a recipe returns: how to draw a block, what to count in it, and the law's truth."""

    draw: Callable[[np.random.Generator], Columns]
    """One whole block of rows; columns with nulls are ``numpy.ma`` arrays."""
    population: Truth
    """What is known of the law, in closed form or by quadrature."""
    count: Callable[[Columns], Truth] = field(default=lambda _: {})
    """Facts of some rows beyond the class counts; they add up over a split of the rows."""
    finish: Callable[[Truth], Truth] = field(default=lambda total: total)
    """Facts that need all rows, from the summed ones."""
    n_rows: int | None = None
    """The number of rows where it is fixed (real data), else None."""
    positive: object = 1
    """The positive value of the ``label`` column."""
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns that are stored as Arrow dictionaries, with the values in order."""


class Stream:
    """Random access to the rows of a source; remembers the last block drawn."""

    def __init__(self, source: Source, seed: int) -> None:
        self._source = source
        self._seed = seed
        self._last: tuple[int, Columns] | None = None

    def _block(self, index: int) -> Columns:
        if self._last is None or self._last[0] != index:
            seeds = np.random.SeedSequence(self._seed, spawn_key=(index,))
            self._last = index, self._source.draw(np.random.Generator(np.random.PCG64(seeds)))
        return self._last[1]

    def read(self, start: int, stop: int) -> Columns:
        """Rows ``start`` to ``stop`` (exclusive)."""
        parts = []
        for index in range(start // BLOCK, max(start // BLOCK + 1, -(-stop // BLOCK))):
            base = index * BLOCK
            cut = slice(max(start - base, 0), stop - base)
            parts.append({name: values[cut] for name, values in self._block(index).items()})
        if len(parts) == 1:
            return {name: values.copy() for name, values in parts[0].items()}
        return {name: _concatenate([part[name] for part in parts]) for name in parts[0]}


def _concatenate(parts: list[Array]) -> Array:
    masked = any(isinstance(part, np.ma.MaskedArray) for part in parts)
    join: Callable[[list[Array]], Array] = np.ma.concatenate if masked else np.concatenate
    return join(parts)


def spans(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut ``start .. stop`` into pieces of at most ``size`` rows."""
    for low in range(start, stop, size):
        yield low, min(low + size, stop)


def tell(source: Source, columns: Columns) -> Truth:
    """Exact facts of some rows, in a form that `add` sums."""
    label = columns["label"]
    known = ~np.ma.getmaskarray(label)
    n_pos = int(np.count_nonzero((np.ma.getdata(label) == source.positive) & known))
    counts = {"n_rows": len(label), "n_pos": n_pos, "n_neg": int(known.sum()) - n_pos}
    return counts | source.count(columns)


def add(left: Any, right: Any) -> Any:
    """Sum of two nested facts: numbers add, lists add by position, mappings add by key."""
    if isinstance(left, dict):
        total = dict(left)
        for key, value in right.items():
            total[key] = add(total[key], value) if key in total else value
        return total
    if isinstance(left, list):
        return [add(a, b) for a, b in zip(left, right, strict=True)]
    return left + right


def to_arrow(columns: Columns, categories: Mapping[str, tuple[str, ...]] | None = None) -> pa.Table:
    """Turn columns into an Arrow table: masked entries become nulls, nan stays nan.

    Parameters
    ----------
    columns : dict of str to ndarray
        As recipes return them.
    categories : mapping of str to tuple of str, optional
        Columns to store as dictionaries. The values come in the given order, so that every batch
        of a file has the same dictionary.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    arrays = {}
    for name, values in columns.items():
        mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
        array = pa.array(np.ma.getdata(values), mask=mask, from_pandas=False)
        if categories and name in categories:
            words = pa.array(categories[name], type=array.type)
            array = pa.DictionaryArray.from_arrays(
                pc.index_in(array, value_set=words).cast(pa.int8()), words
            )
        arrays[name] = array
    return pa.table(arrays)
