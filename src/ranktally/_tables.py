"""Anything that holds rows -> a `Table` that is read one column at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any

from ._frames import ArrowTable, MappingTable, PandasTable, StreamTable, Table, is_pandas, one_line
from .errors import InputError

__all__ = ["Table", "open_table", "read_stream"]

_ARROW_STREAM = b"\xff\xff\xff\xff"
_SEEKING = {b"PAR1": "Parquet", b"ARRO": "Feather"}


def open_table(data: Any) -> Table:
    """Open a table, a frame, a dict of arrays, a path, a list of paths, a glob or a folder.

    Only names, types and row counts of files are read here; their values are read by
    `Table.column`. A reader or stream can be read once.

    Parameters
    ----------
    data : object
        pyarrow, polars and pandas tables, DuckDB relations, anything with
        ``__arrow_c_stream__`` or ``__arrow_c_array__``, a dict of arrays, or the path(s) of
        Parquet, CSV or Feather (Arrow IPC) files.

    Returns
    -------
    Table

    Raises
    ------
    InputError
        Where the data cannot be read as a table; the message names the file.
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, (str, os.PathLike)):
        return _open_files(data)
    if isinstance(data, Mapping):
        return MappingTable(data)
    if is_pandas(data, "DataFrame"):
        return PandasTable(data)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return _open_arrow(data)
    if isinstance(data, (list, tuple)) and (
        not data or any(isinstance(item, (str, os.PathLike)) for item in data)
    ):
        return _open_files(data)
    raise InputError(
        f"`data` is {_said(data)}: expected a table (Arrow, pandas, polars, DuckDB relation), a"
        " dict of arrays, or the path(s) of Parquet, CSV or Feather files"
    )


def read_stream(file: IO[bytes]) -> Table:
    """Read a CSV or an Arrow IPC stream from a binary file that cannot be rewound.

    Parameters
    ----------
    file : binary file
        For instance ``sys.stdin.buffer``. An Arrow stream is recognised by its first bytes.

    Returns
    -------
    Table
        Close it when done: a CSV is kept in a temporary file, because its types are only
        certain at its end.
    """
    head = file.read(4)
    if not head:
        raise InputError("standard input is empty: expected CSV or an Arrow stream")
    if head in _SEEKING:
        raise InputError(
            f"standard input is {_SEEKING[head]}, which is read from its end: pass the path of the"
            " file, or pipe CSV or an Arrow stream"
        )
    import pyarrow as pa

    if head == _ARROW_STREAM:
        try:
            resumed: Any = _Resumed(head, file)
            return StreamTable(pa.ipc.open_stream(pa.PythonFile(resumed, mode="r")))
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"standard input is not a whole Arrow stream: {one_line(error)}"
            ) from error
    from ._files import SpooledTable

    try:
        spool = tempfile.NamedTemporaryFile(prefix="ranktally-", suffix=".csv")  # noqa: SIM115
    except OSError as error:
        raise _no_room(error) from error
    try:
        _copy(head, file, spool)
        return SpooledTable(spool)
    except BaseException:
        with suppress(OSError):  # what could not be written cannot be written at the end either
            spool.close()
        raise


def _copy(head: bytes, file: IO[bytes], spool: IO[bytes]) -> None:
    while head:
        try:
            spool.write(head)
            spool.flush()
        except OSError as error:
            raise _no_room(error) from error
        head = file.read(1 << 20)


def _no_room(error: OSError) -> InputError:
    return InputError(
        f"standard input is kept in folder {tempfile.gettempdir()!r} while it is read, which fails:"
        f" {error.strerror or error}; name another folder in TMPDIR, or pass the path of a file"
    )


class _Resumed:
    """A stream with the bytes put back that were read to find out what it is."""

    def __init__(self, head: bytes, file: IO[bytes]) -> None:
        self._head = head
        self._file = file
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._file.read(size)
        if size < 0:
            head, self._head = self._head, b""
            return head + self._file.read()
        head, self._head = self._head[:size], self._head[size:]
        return head + self._file.read(size - len(head)) if len(head) < size else head

    def close(self) -> None:
        self.closed = True

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


def _open_files(data: object) -> Table:
    from ._files import open_files
    from ._paths import find_files

    return open_files(find_files(data))


def _open_arrow(data: Any) -> Table:
    import pyarrow as pa

    try:
        if isinstance(data, pa.Table):
            return ArrowTable(data)
        if isinstance(data, pa.RecordBatchReader):
            return StreamTable(data)
        if hasattr(data, "__arrow_c_stream__"):
            return StreamTable(pa.RecordBatchReader.from_stream(data))
        batch = pa.record_batch(data)
        return ArrowTable(pa.Table.from_batches([batch]))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(
            f"`data` is {_said(data)}, which is not a table with columns: {one_line(error)}"
        ) from error


def _said(data: object) -> str:
    kind = f"{type(data).__module__.partition('.')[0]}.{type(data).__qualname__}"
    return kind.removeprefix("builtins.")
