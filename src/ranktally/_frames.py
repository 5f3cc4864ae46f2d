"""The table that is read one column at a time, and its forms that are in memory already."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowTable", "MappingTable", "PandasTable", "StreamTable", "Table", "is_pandas"]


class Table(ABC):
    """Rows that are read one column at a time.

    Attributes
    ----------
    names : tuple of str
        The columns in order; of files also the Hive keys and ``"_file"``.
    derived : tuple of str
        Those of them that stand in the path instead of the rows.
    n_files : int
        How many files the rows come from, 0 for data in memory.
    paths : tuple of str
        Those files.
    """

    names: tuple[str, ...]
    derived: tuple[str, ...] = ()
    n_files: int = 0
    paths: tuple[str, ...] = ()

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Count the rows."""

    @abstractmethod
    def column(self, name: str, threads: int = 1) -> Any:
        """Return a whole column in row order, in the type it is stored in."""

    def prepare(  # noqa: B027
        self, names: Sequence[str], threads: int = 1, max_memory: int | None = None
    ) -> None:
        """Announce every column that will be read: some sources cannot be read twice cheaply.

        Of files, columns may be read together and held until they are asked for, in a quarter of
        `max_memory` bytes at most.
        """

    def locate(self, row: int) -> str:
        """Say where a row stands, in words for a message."""
        return f"row {row}"

    def close(self) -> None:  # noqa: B027
        """Let go of files."""

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _position(self, name: str) -> int:
        if self.names.count(name) != 1:
            count = self.names.count(name)
            said = f"there are {count} columns" if count else "there is no column"
            raise InputError(f"`data`: {said} named {name!r}: expected one")
        return self.names.index(name)


class ArrowTable(Table):
    """A pyarrow table."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.names = tuple(table.column_names)

    @property
    def n_rows(self) -> int:
        return self._table.num_rows

    def column(self, name: str, threads: int = 1) -> pa.ChunkedArray[Any]:
        from ._arrow import even

        column = self._table.column(self._position(name))
        return even(column.chunks, column.type)


class StreamTable(Table):
    """A stream of record batches: read once, and only the announced columns are kept."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader = reader
        self._kept: ArrowTable | None = None
        self.names = tuple(reader.schema.names)

    def prepare(
        self, names: Sequence[str], threads: int = 1, max_memory: int | None = None
    ) -> None:
        if self._kept is None:
            self._keep([self._position(name) for name in dict.fromkeys(names)])

    def _keep(self, positions: list[int]) -> ArrowTable:
        import pyarrow as pa

        # One column is kept even where none is asked for: a table without columns has no rows.
        positions = positions or [0]
        schema = pa.schema([self._reader.schema.field(i) for i in positions])

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in self._reader:
                yield pa.record_batch([batch.column(i) for i in positions], schema=schema)

        try:
            self._kept = ArrowTable(pa.Table.from_batches(batches(), schema=schema))
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"`data`: the Arrow stream is broken: {one_line(error)}") from error
        return self._kept

    @property
    def n_rows(self) -> int:
        return (self._kept or self._keep(list(range(len(self.names))))).n_rows

    def column(self, name: str, threads: int = 1) -> pa.ChunkedArray[Any]:
        kept = self._kept or self._keep(list(range(len(self.names))))
        if name in self.names and name not in kept.names:
            raise InputError(
                f"`data` is a stream that was read without column {name!r}: pass a table instead"
            )
        return kept.column(name)

    def close(self) -> None:
        self._reader.close()


class PandasTable(Table):
    """A pandas DataFrame: numbers as the arrays they lie in, all other columns as Series."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = tuple(str(name) for name in frame.columns)

    @property
    def n_rows(self) -> int:
        return len(self._frame)

    def column(self, name: str, threads: int = 1) -> Any:
        series = self._frame.iloc[:, self._position(name)]
        if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
            return series.to_numpy()
        return series


class MappingTable(Table):
    """A dict of equally long arrays, each handed on as it is."""

    def __init__(self, arrays: Mapping[Any, Any]) -> None:
        if not arrays:
            raise InputError("`data` is an empty dict: expected columns")
        self._arrays = {str(name): values for name, values in arrays.items()}
        self.names = tuple(self._arrays)
        first = self.names[0]
        for name, values in self._arrays.items():
            if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
                raise InputError(
                    f"`data`: column {name!r} is {type(values).__name__}: expected a 1-D array"
                )
            shape = getattr(values, "shape", None)
            if isinstance(shape, tuple) and len(shape) != 1:
                raise InputError(f"`data`: column {name!r} has shape {shape}: expected a 1-D array")
            if len(values) != len(self._arrays[first]):
                raise InputError(
                    f"`data`: column {name!r} has {len(values):,} rows and {first!r} has"
                    f" {len(self._arrays[first]):,}: expected equal lengths"
                )
        self._n_rows = len(self._arrays[first])

    @property
    def n_rows(self) -> int:
        return self._n_rows

    def column(self, name: str, threads: int = 1) -> Any:
        return self._arrays[self.names[self._position(name)]]


def is_pandas(value: object, *kinds: str) -> bool:
    """Tell whether a value is of one of pandas' classes, without importing pandas to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and any(
        isinstance(value, getattr(pandas, kind, ())) for kind in kinds
    )


def one_line(error: BaseException) -> str:
    """Return the first line of somebody else's message, without its full stop."""
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(". ") if lines else type(error).__name__
