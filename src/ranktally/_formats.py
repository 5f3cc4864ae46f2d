"""Files with a schema of their own: Parquet and Arrow IPC, of which only some columns are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ._arrow import DataType
from ._frames import one_line
from .errors import InputError

__all__ = ["ArrowFile", "ParquetFile", "readable"]

_BATCH_ROWS = 262_144
# Without these two pyarrow holds a whole row group, or more, of file bytes while it decodes.
_BOUNDED: dict[str, Any] = {"pre_buffer": False, "buffer_size": 1 << 20}
# A dictionary pays while codes are smaller than values: labels and groups, not unique ids.
_CODED_BYTES = 4.0


@contextmanager
def readable(path: str, kind: str, *names: str) -> Iterator[None]:
    """Turn what a reader says about a broken file into one line that names the file."""
    where = f"file {path!r}, column {names[0]!r}" if len(names) == 1 else f"file {path!r}"
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{where}: is gone: was it moved or replaced meanwhile?") from error
    except PermissionError as error:
        raise InputError(f"{where}: may not be read (permission denied)") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{where}: is not a whole {kind} file ({one_line(error)}): it was cut short, damaged,"
            " or is of another format"
        ) from error


class ParquetFile:
    """The footer of one Parquet file; the file itself is only open while a column is read."""

    kind = "Parquet"

    def __init__(self, path: str) -> None:
        self.path = path
        with readable(path, self.kind), pq.ParquetFile(path, **_BOUNDED) as file:
            self._metadata = file.metadata
            self.schema: pa.Schema = file.schema_arrow
        self.names = tuple(self.schema.names)
        self.n_rows: int = self._metadata.num_rows
        groups = (self._metadata.row_group(i) for i in range(self._metadata.num_row_groups))
        self.parts = tuple(group.num_rows for group in groups)
        self._leaves: dict[str, int] = {}

    def type_of(self, name: str) -> DataType:
        """Return the type of a column."""
        return self.schema.field(name).type

    def has_nulls(self, name: str) -> bool | None:
        """Tell whether a column has nulls, None where the footer does not say."""
        if not self.schema.field(name).nullable:
            return False
        counts = [
            chunk.statistics.null_count
            if chunk.statistics is not None and chunk.statistics.has_null_count
            else None
            for chunk in self._chunks(name)
        ]
        if any(counts):
            return True
        return None if None in counts else False

    def is_coded(self, name: str) -> bool:
        """Tell whether a text column is read as codes: where they are smaller than the text."""
        chunks = [chunk for chunk in self._chunks(name) if chunk.num_values]
        size = sum(chunk.total_uncompressed_size for chunk in chunks)
        values = sum(chunk.num_values for chunk in chunks)
        return all(c.has_dictionary_page for c in chunks) and size <= _CODED_BYTES * values

    def read(
        self, parts: range, names: Sequence[str], texts: Collection[str] = ()
    ) -> Iterator[list[pa.Array[Any]]]:
        """Yield columns of some row groups piece by piece.

        Parameters
        ----------
        parts : range
            The row groups.
        names : sequence of str
            Their columns, in the order in which their values come.
        texts : collection of str
            Those of them that may come as codes.
        """
        coded = [name for name in names if name in texts and self.is_coded(name)]
        with (
            readable(self.path, self.kind, *names),
            pq.ParquetFile(
                self.path, metadata=self._metadata, read_dictionary=coded or None, **_BOUNDED
            ) as file,
        ):
            batches: Iterator[Any]
            if coded:
                # In batches the dictionary of the row group would come again with each of them.
                groups = (file.read_row_group(i, list(names), use_threads=False) for i in parts)
                batches = (batch for group in groups for batch in group.to_batches())
            else:
                batches = file.iter_batches(
                    _BATCH_ROWS, row_groups=list(parts), columns=list(names), use_threads=False
                )
            for batch in batches:
                yield [batch.column(name) for name in names]

    def place(self, row: int) -> str:
        """Say where a row stands in this file."""
        return f"row {row}"

    def _chunks(self, name: str) -> list[Any]:
        if not self._leaves:
            leaves = self._metadata.schema
            self._leaves = {leaves.column(i).path: i for i in range(len(leaves))}
        leaf = self._leaves.get(name)
        if leaf is None:  # nested
            return []
        return [self._metadata.row_group(i).column(leaf) for i in range(len(self.parts))]


class ArrowFile:
    """One Arrow IPC file (Feather version 2) or stored Arrow stream."""

    kind = "Feather (Arrow IPC)"

    def __init__(self, path: str) -> None:
        self.path = path
        with readable(path, self.kind), pa.OSFile(path, "rb") as file:
            head = file.read(6)
            file.seek(0)
            if head[:4] == b"FEA1":
                raise InputError(
                    f"file {path!r}: is Feather version 1, which pyarrow is leaving behind: write"
                    " it again as version 2"
                )
            self._is_stream = head != b"ARROW1"
            reader: Any
            if self._is_stream:
                reader = pa.ipc.open_stream(file)
                self.schema: pa.Schema = reader.schema
                self.n_rows = sum(batch.num_rows for batch in reader)
            else:
                reader = pa.ipc.open_file(file)
                self.schema = reader.schema
                self.n_rows = reader.count_rows()
        self.names = tuple(self.schema.names)
        self.parts = (self.n_rows,)

    def type_of(self, name: str) -> DataType:
        """Return the type of a column."""
        return self.schema.field(name).type

    def has_nulls(self, name: str) -> bool | None:
        """Tell whether a column has nulls, None where only reading would tell."""
        return None if self.schema.field(name).nullable else False

    def is_coded(self, name: str) -> bool:
        """Tell whether the text of a column is stored as codes."""
        return bool(pa.types.is_dictionary(self.type_of(name)))

    def read(
        self, parts: range, names: Sequence[str], texts: Collection[str] = ()
    ) -> Iterator[list[pa.Array[Any]]]:
        """Yield columns batch by batch."""
        options = pa.ipc.IpcReadOptions(
            included_fields=[self.schema.get_field_index(name) for name in names],
            use_threads=False,
        )
        # Not mapped into memory: a map would hold the file open as long as the column lives, and
        # would end the process if the file were cut short meanwhile.
        with readable(self.path, self.kind, *names), pa.OSFile(self.path, "rb") as file:
            batches: Iterator[Any]
            if self._is_stream:
                batches = iter(pa.ipc.open_stream(file, options=options))
            else:
                reader = pa.ipc.open_file(file, options=options)
                batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
            for batch in batches:
                yield [batch.column(name) for name in names]

    def place(self, row: int) -> str:
        """Say where a row stands in this file."""
        return f"row {row}"
