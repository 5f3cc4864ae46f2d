"""Files of one data set -> one table: schemas agreed first, then column by column."""

from __future__ import annotations

import os
import re
import threading
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from ._arrays import numbers_of
from ._arrow import CODED_TEXT, DataType, common_type, decoded, even, is_text, numpy_dtype
from ._delimited import DelimitedFile
from ._formats import ArrowFile, ParquetFile
from ._frames import Table
from ._paths import Found
from ._runtime import check, run
from ._types import AnyArray
from .errors import InputError, SchemaMismatch

__all__ = ["FileTable", "SpooledTable", "open_files"]

_FILE = "_file"
# Columns read together may take so much: a pass over 300 files costs a tenth of reading this.
_ROOM = 128 << 20
# In the time of opening a file one reads a tenth of so many bytes for each of its columns.
_OPENING_BYTES = 16 << 10


class _Source(Protocol):
    """What every file format offers."""

    kind: str
    path: str
    names: tuple[str, ...]

    @property
    def n_rows(self) -> int: ...
    @property
    def parts(self) -> tuple[int, ...]: ...
    def type_of(self, name: str) -> DataType: ...
    def has_nulls(self, name: str) -> bool | None: ...
    def is_coded(self, name: str) -> bool: ...
    def read(
        self, parts: range, names: Sequence[str], texts: Collection[str] = ()
    ) -> Iterator[list[pa.Array[Any]]]: ...
    def place(self, row: int) -> str: ...


class _Work(NamedTuple):
    """Pieces of one file that are read in one go, and the rows of the table that they fill."""

    source: _Source
    parts: range
    start: int
    stop: int


@dataclass
class _Block:
    """Columns that are read in one pass and held until each is asked for."""

    names: Sequence[str]
    threads: int
    columns: dict[str, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class FileTable(Table):
    """The rows of many files, one after the other, in the order of the list.

    Parameters
    ----------
    sources : list of _Source
        The files.
    keys : mapping of str to list of str or None
        Further columns that have one value a file; a column of the files goes before a key of
        the same name.
    """

    def __init__(
        self, sources: list[_Source], keys: Mapping[str, list[str | None]] | None = None
    ) -> None:
        self._sources = sources
        self.n_files = len(sources)
        self.paths = tuple(source.path for source in sources)
        own = dict.fromkeys(name for source in sources for name in source.names)
        self._keys = {key: words for key, words in (keys or {}).items() if key not in own}
        self.names = (*own, *self._keys)
        self.derived = tuple(self._keys)
        self._own = [set(source.names) for source in self._sources]
        self._types: dict[str, DataType] = {}
        self._blocks: dict[str, _Block] = {}
        self._lock = threading.Lock()

    @property
    def n_rows(self) -> int:
        return sum(source.n_rows for source in self._sources)

    def prepare(
        self, names: Sequence[str], threads: int = 1, max_memory: int | None = None
    ) -> None:
        """Check that all files agree about the columns, and parse those of CSV files.

        Raises
        ------
        SchemaMismatch
            Where a column is missing in a file or has another type there.
        """
        with self._lock:
            new = [n for n in dict.fromkeys(names) if n not in self._types]
            self._agree(new, threads)
            if len(new) > 1:
                room = _ROOM if max_memory is None else min(_ROOM, max_memory // 4)
                self._plan(new, room, threads)

    def column(self, name: str, threads: int = 1) -> Any:
        self.prepare([name], threads)
        if name in self._keys:
            return self._key(name)
        held = self._held(name)
        return self._read([name], threads)[name] if held is None else held

    def locate(self, row: int) -> str:
        ends = list(accumulate(source.n_rows for source in self._sources))
        index = bisect_right(ends, row)
        source = self._sources[index]
        return f"file {source.path!r}, {source.place(row - ends[index] + source.n_rows)}"

    def _work(self, threads: int) -> list[_Work]:
        """Cut the files into pieces that can be read independently.

        Row groups that follow each other stay together as far as all threads have work, because
        opening a file costs in proportion to its columns.
        """
        enough = self.n_rows // (4 * threads) + 1 if threads > 1 else self.n_rows + 1
        work: list[_Work] = []
        start = 0
        for source in self._sources:
            first, rows = 0, 0
            for part, more in enumerate(source.parts, 1):
                rows += more
                if rows and (rows >= enough or part == len(source.parts)):
                    work.append(_Work(source, range(first, part), start, start + rows))
                    start, first, rows = start + rows, part, 0
        return work

    def _plan(self, names: Sequence[str], room: int, threads: int) -> None:
        """Decide which columns are read together: those too small to open all files for each."""
        opening = sum(
            _OPENING_BYTES * (len(source.names) + 16)
            for source in self._sources
            if not isinstance(source, DelimitedFile)
        )
        sizes = {name: self._width(name) * self.n_rows for name in names} if opening else {}
        block: list[str] = []
        blocks = [block]
        free = room
        for name, size in sizes.items():
            if 0 < size < opening:
                if size > free:
                    block, free = [], room
                    blocks.append(block)
                block.append(name)
                free -= size
        for block in blocks:
            if len(block) > 1:
                self._blocks |= dict.fromkeys(block, _Block(block, threads))

    def _width(self, name: str) -> int:
        """Bytes of a row of a column; 0 where only reading would tell."""
        dtype = self._types[name]
        if (plain := numpy_dtype(dtype)) is not None:
            return plain.itemsize
        if name not in self._keys and is_text(dtype):
            return 4 if all(source.is_coded(name) for source in self._sources) else 0
        return int(pa.types.is_boolean(dtype))

    def _held(self, name: str) -> Any | None:
        """Hand out a column of a block, which is read when the first of its columns is wanted."""
        block = self._blocks.get(name)
        if block is None:
            return None
        with block.lock:
            check()
            if name not in self._blocks:  # another thread has had it meanwhile
                return None
            if not block.columns:
                try:
                    block.columns = self._read(block.names, block.threads)
                except InputError:
                    # Each alone, the broken column is named and the others are of use.
                    for other in block.names:
                        del self._blocks[other]
                    return None
            del self._blocks[name]
            return block.columns.pop(name)

    def _read(self, names: Sequence[str], threads: int, *, fill: bool = True) -> dict[str, Any]:
        """Read columns in one pass: numbers straight into one array, all else chunk by chunk."""
        work = self._work(threads)
        arrays: dict[str, AnyArray] = {}
        for name in names if fill else ():
            dtype = numpy_dtype(self._types[name])
            if dtype is not None and not any(s.has_nulls(name) for s in self._sources):
                arrays[name] = np.empty(self.n_rows, dtype)
        texts = {name for name in names if is_text(self._types[name])}
        chunks: dict[str, list[list[pa.Array[Any]]]] = {
            name: [[] for _ in work] for name in names if name not in arrays
        }
        nulls: set[str] = set()

        def read(place: int) -> None:
            piece = work[place]
            row = piece.start
            for columns in piece.source.read(piece.parts, names, texts):
                check()
                end = row + len(columns[0])
                if end > piece.stop:
                    break
                for name, chunk in zip(names, columns, strict=True):
                    if name in chunks:
                        chunks[name][place].append(chunk)
                    elif name not in nulls and not _copy(chunk, arrays[name][row:end]):
                        nulls.add(name)
                if len(nulls) == len(names):
                    return
                row = end
            if row != piece.stop:
                raise InputError(
                    f"file {piece.source.path!r}: has another number of rows than when it was"
                    " opened: was it replaced meanwhile?"
                )

        run([partial(read, place) for place in range(len(work))], threads)
        result: dict[str, Any] = {n: a for n, a in arrays.items() if n not in nulls}
        for name, pieces in chunks.items():
            result[name] = even([c for piece in pieces for c in piece], self._types[name])
        if nulls:  # which no footer announced
            result |= self._read(sorted(nulls), threads, fill=False)
        return result

    def _key(self, name: str) -> pa.ChunkedArray[Any]:
        """Repeat what the path says about a file for each of its rows."""
        words = self._keys[name]
        rows = [source.n_rows for source in self._sources]
        if all(word is None or re.fullmatch(r"0|-?[1-9]\d{0,17}", word) for word in words):
            each: Any = pa.array([None if w is None else int(w) for w in words], pa.int64())
        else:
            each = pa.array(words, pa.string()).dictionary_encode().cast(CODED_TEXT)
        return pa.chunked_array(
            [each.take(pa.array(np.repeat(np.arange(len(rows), dtype=np.int32), rows)))]
        )

    def _agree(self, names: list[str], threads: int) -> None:
        own = [name for name in names if name not in self._keys]
        for name in own:
            self._position(name)
            for source, held in zip(self._sources, self._own, strict=True):
                if name not in held:
                    holder = self._holder(name)
                    raise SchemaMismatch(
                        f"file {source.path!r}: has no column {name!r}, which file"
                        f" {holder.path!r} has: leave the file out or add the column"
                    )
                if source.names.count(name) > 1 and not isinstance(source, DelimitedFile):
                    raise InputError(
                        f"file {source.path!r}: there are {source.names.count(name)} columns named"
                        f" {name!r}: expected one"
                    )
        typed = [s for s in self._sources if not isinstance(s, DelimitedFile)]
        texts = [s for s in self._sources if isinstance(s, DelimitedFile)]
        settled = {name: self._common(name, typed) for name in own} if typed else {}
        if own and texts:
            run([partial(text.load, own, settled) for text in texts], threads)
        if not typed:
            settled = {name: _agree_texts(name, texts) for name in own}
        self._types |= settled
        self._types |= {name: pa.null() for name in names if name in self._keys}

    def _holder(self, name: str) -> _Source:
        held = zip(self._sources, self._own, strict=True)
        return next(source for source, names in held if name in names)

    def _common(self, name: str, sources: Sequence[_Source]) -> DataType:
        dtype = sources[0].type_of(name)
        for source in sources[1:]:
            other = source.type_of(name)
            common = common_type(dtype, other)
            if common is None:
                before = self._before(name, sources, source)
                raise SchemaMismatch(
                    f"file {source.path!r}: column {name!r} is {other}, but"
                    f" {before.type_of(name)} in file {before.path!r}: write both with one type"
                )
            dtype = common
        return dtype

    def _before(self, name: str, sources: Sequence[_Source], clashing: _Source) -> _Source:
        """Find the file that a message should name beside the clashing one."""
        other = clashing.type_of(name)
        return next((s for s in sources if common_type(s.type_of(name), other) is None), sources[0])


class SpooledTable(FileTable):
    """A CSV from a stream, kept in a temporary file."""

    def __init__(self, spool: Any) -> None:
        super().__init__([DelimitedFile(spool.name, shown="<stdin>")])
        self.n_files = 0
        self.paths = ()
        self._spool = spool

    def close(self) -> None:
        self._spool.close()


def open_files(files: Sequence[Found]) -> FileTable:
    """Open files as one table, with their Hive keys and their paths as columns."""
    keys: dict[str, list[str | None]] = {
        key: [file.keys.get(key) for file in files] for file in files for key in file.keys
    }
    return FileTable([_open(file) for file in files], {**keys, _FILE: [f.path for f in files]})


def _open(file: Found) -> _Source:
    try:
        size = os.path.getsize(file.path)
    except OSError as error:
        raise InputError(f"file {file.path!r}: cannot be read ({error.strerror})") from error
    if size == 0:
        raise InputError(
            f"file {file.path!r}: is empty (0 bytes), which is no {file.format} file: was its"
            " writer interrupted?"
        )
    if file.format == "parquet":
        return ParquetFile(file.path)
    return ArrowFile(file.path) if file.format == "arrow" else DelimitedFile(file.path)


def _agree_texts(name: str, texts: Sequence[DelimitedFile]) -> DataType:
    """Settle the type of a column over CSV files, each of which was guessed alone."""
    dtype: DataType = pa.null()
    for text in texts:
        other = text.type_of(name)
        numbers = pa.types.is_integer(dtype) and pa.types.is_floating(other)
        numbers = numbers or (pa.types.is_floating(dtype) and pa.types.is_integer(other))
        # The text behind both is the same kind of number, so floats lose nothing that was there.
        common = pa.float64() if numbers else common_type(dtype, other)
        dtype = pa.string() if common is None else common
        if is_text(dtype):
            break
    if is_text(dtype):
        for text in texts:
            if not is_text(text.type_of(name)):
                text.load([name], {name: pa.string()})
    return dtype


def _copy(chunk: pa.Array[Any], out: AnyArray) -> bool:
    """Copy numbers to where they belong; False where there are nulls among them."""
    plain = decoded(chunk)
    if plain.null_count:
        return False
    if out.size:
        np.copyto(out, numbers_of(plain))
    return True
