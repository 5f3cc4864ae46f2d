"""CSV files: text without a schema, parsed once for all the columns that a call needs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ._arrow import DataType, even, is_text
from ._formats import readable
from ._runtime import check
from .errors import InputError, SchemaMismatch

__all__ = ["DelimitedFile"]

# In a column of numbers these are missing values; "n/a" and the like make the column text, so
# that the person who wrote it learns of it. In a column of text only a blank is missing: "NA" is
# Namibia. "nan" is a number to the parser, which keeps nan and missing apart.
_NULLS = ["", "NA", "null", "NULL"]
# The parser's own lists hold "1" and "0" as well, and would take a column of both for truth values.
_TRUE = ["true", "True", "TRUE"]
_FALSE = ["false", "False", "FALSE"]
# Types are guessed on the first block; one that a later block refutes gives way to the next.
_NEXT: dict[str, DataType] = {"null": pa.int64(), "int64": pa.float64(), "double": pa.bool_()}
_REFUSED = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to (.+?): (.*)")
_BLOCK = 1 << 20
# A row must fit in a block, and the parser counts the bytes of one in 32 bits.
_LARGEST_BLOCK = 1 << 30


_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PACKED = {
    b"\x1f\x8b": "gzip-compressed",
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\x28\xb5\x2f\xfd": "zstd-compressed",
    b"BZh": "bzip2-compressed",
}


@dataclass
class _Refused(Exception):
    """A value does not have the type of its column."""

    name: str
    row: int | None
    dtype: str
    said: str


class DelimitedFile:
    """One CSV file: its header now, its columns when `load` is told which.

    Parameters
    ----------
    path : str
        Where the file is.
    shown : str, optional
        What messages call it, if not by its path.
    """

    kind = "CSV"

    def __init__(self, path: str, shown: str | None = None) -> None:
        self._real = path
        self.path = shown or path
        with readable(self.path, self.kind):
            self.names, self._delimiter = self._header()
        self._columns: dict[str, pa.ChunkedArray[Any]] = {}
        self._n_rows: int | None = None
        self._block = _BLOCK

    @property
    def n_rows(self) -> int:
        """Count the rows, by parsing one column if none is loaded yet."""
        if self._n_rows is None:
            first = self.names[0]
            self._n_rows = len(self._parse([first], {first: pa.string()})[first])
        return self._n_rows

    @property
    def parts(self) -> tuple[int, ...]:
        """Return the rows of each piece that can be read alone: a CSV has one."""
        return (self.n_rows,)

    def load(self, names: Sequence[str], types: Mapping[str, DataType]) -> None:
        """Parse columns in one pass and keep them.

        Parameters
        ----------
        names : sequence of str
            Columns of this file.
        types : mapping of str to DataType
            Types that other files settle; all others are inferred.
        """
        for name in names:
            if (count := self.names.count(name)) > 1:
                raise InputError(
                    f"file {self.path!r}, line 1: there are {count} columns named {name!r}:"
                    " expected one"
                )
        settled = {name: _parsed_type(dtype) for name, dtype in types.items()}
        columns = self._parse_as(names, settled, {})
        big = [name for name in names if name not in types and _beyond_int64(columns[name])]
        if big:
            # Refused where some value has a sign or a fraction: floats they are, then.
            with suppress(_Refused):
                columns |= self._parse(big, dict.fromkeys(big, pa.uint64()))
        self._columns |= columns
        self._n_rows = len(columns[names[0]])

    def type_of(self, name: str) -> DataType:
        """Return the type of a loaded column."""
        return self._columns[name].type

    def is_loaded(self, name: str) -> bool:
        """Tell whether a column is parsed already."""
        return name in self._columns

    def has_nulls(self, name: str) -> bool | None:
        """Tell whether a loaded column has missing values."""
        return self._columns[name].null_count > 0

    def is_coded(self, name: str) -> bool:
        """Tell whether the text of a loaded column is coded."""
        return bool(pa.types.is_dictionary(self._columns[name].type))

    def read(
        self, parts: range, names: Sequence[str], texts: Collection[str] = ()
    ) -> Iterator[list[pa.Array[Any]]]:
        """Yield loaded columns piece by piece."""
        whole = pa.Table.from_arrays([self._columns[name] for name in names], list(names))
        for batch in whole.to_batches():
            yield batch.columns

    def place(self, row: int) -> str:
        """Say on which line of the file a row begins."""
        # Quoted line ends and blank lines put rows and lines out of step: the text is read again.
        begun = -2
        for number, line, quoted, _ in self._lines():
            begun += not quoted and bool(line.strip("\r\n"))
            if begun == row:
                return f"line {number}"
        return f"row {row}"

    def _parse_as(
        self, names: Sequence[str], settled: Mapping[str, DataType], guessed: dict[str, DataType]
    ) -> dict[str, pa.ChunkedArray[Any]]:
        """Parse, and parse again where the guess of a type proves wrong."""
        while True:
            try:
                columns = self._parse(names, {**guessed, **settled})
            except _Refused as refused:
                where = f"file {self.path!r}, {self._at(refused.row)}, column {refused.name!r}"
                if "UTF8" in refused.said:
                    raise InputError(f"{where}: is not UTF-8 text: convert the file") from refused
                if refused.name in settled:
                    raise SchemaMismatch(
                        f"{where}: {refused.said}, where the other files hold"
                        f" {settled[refused.name]}: one type per column is needed"
                    ) from refused
                guessed[refused.name] = _NEXT.get(refused.dtype, pa.string())
                continue
            # Bytes that are not UTF-8 are guessed to be binary: as text they are refused by line.
            binary = [name for name in names if pa.types.is_binary(columns[name].type)]
            if not binary:
                return columns
            guessed |= dict.fromkeys(binary, pa.string())

    def _parse(
        self, names: Sequence[str], types: Mapping[str, DataType]
    ) -> dict[str, pa.ChunkedArray[Any]]:
        bad: list[Any] = []

        def refuse(row: Any) -> str:
            bad.append(row)
            return "error"

        chunks: dict[str, list[pa.Array[Any]]] = {name: [] for name in names}
        coded: set[str] | None = None
        with (
            readable(self.path, self.kind),
            pa.input_stream(self._real, compression="detect") as file,
        ):
            counted = _Counted(file)
            try:
                with self._open(counted, names, types, refuse) as reader:
                    dtypes = {name: reader.schema.field(name).type for name in names}
                    for batch in reader:
                        check()
                        columns = {name: batch.column(name) for name in names}
                        if coded is None:
                            coded = {name for name in names if _repeats(columns[name])}
                        for name, column in columns.items():
                            chunks[name].append(_text(column, name in coded))
            except pa.ArrowInvalid as error:
                if bad:
                    raise self._broken(bad[0]) from error
                if refused := _REFUSED.search(str(error)):
                    position, record, dtype, said = refused.groups()
                    row = int(record) - 2 if record else None
                    raise _Refused(self.names[int(position)], row, dtype, said) from error
                if "straddl" in str(error):
                    return self._parse_in_larger_blocks(names, types)
                if "Empty CSV file" not in str(error):
                    raise
                # A header without so much as a line end after it.
                dtypes = {name: types.get(name, pa.null()) for name in names}
        if counted.quotes % 2:
            self._check_quotes()
        return {name: even(chunks[name], dtypes[name]) for name in names}

    def _parse_in_larger_blocks(
        self, names: Sequence[str], types: Mapping[str, DataType]
    ) -> dict[str, pa.ChunkedArray[Any]]:
        """Parse again after a row that is larger than a block, or seems so for want of a quote."""
        self._check_quotes()
        if self._block >= _LARGEST_BLOCK:
            raise InputError(
                f"file {self.path!r}: has a row of more than {self._block >> 20:,} MiB, which is"
                " more than can be read: leave its largest field out"
            )
        self._block *= 8
        return self._parse(names, types)

    def _open(
        self, file: Any, names: Sequence[str], types: Mapping[str, DataType], refuse: Any
    ) -> pa_csv.CSVStreamingReader:
        return pa_csv.open_csv(
            file,
            read_options=pa_csv.ReadOptions(block_size=self._block, use_threads=False),
            parse_options=pa_csv.ParseOptions(
                delimiter=self._delimiter, newlines_in_values=True, invalid_row_handler=refuse
            ),
            convert_options=pa_csv.ConvertOptions(
                include_columns=list(names),
                column_types=dict(types),
                null_values=_NULLS,
                true_values=_TRUE,
                false_values=_FALSE,
                strings_can_be_null=False,
            ),
        )

    def _header(self) -> tuple[tuple[str, ...], str]:
        with pa.input_stream(self._real, compression="detect") as file:
            head = file.read(_BLOCK)
        if not head:
            raise InputError(
                f"file {self.path!r}: is empty (0 bytes): expected a header and rows; was its"
                " writer interrupted?"
            )
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"file {self.path!r}: is UTF-16: expected UTF-8; convert the file")
        packed = next((kind for magic, kind in _PACKED.items() if head.startswith(magic)), None)
        if packed:
            raise InputError(
                f"file {self.path!r}: is {packed}, not text: unpack it (compressed CSV is"
                " read under a name such as x.csv.gz)"
            )
        text = head.decode("utf-8-sig", "replace").lstrip("\r\n")
        first = re.split(r"[\r\n]", text, maxsplit=1)[0]
        delimiter = next((mark for mark in ",\t;|" if mark in first), ",")
        try:
            names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), None)
        except csv.Error as error:
            raise InputError(
                f"file {self.path!r}, line 1: is no line of column names ({error})"
            ) from error
        if not names:
            raise InputError(f"file {self.path!r}: holds blank lines only: expected a header")
        if "\ufffd" in first or _CONTROL.search(first):
            raise InputError(
                f"file {self.path!r}, line 1: is not UTF-8 text: expected a line of column names"
            )
        return tuple(names), delimiter

    def _lines(self) -> Iterator[tuple[int, str, bool, bool]]:
        """Yield each line's number, its text, and whether it begins and ends inside quotes."""
        opening = re.compile(rf'(?:^|{re.escape(self._delimiter)})"')
        quoted = False
        with pa.input_stream(self._real, compression="detect") as file:
            raw: Any = file
            text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="")
            for number, line in enumerate(text, 1):
                before, quoted = quoted, _ends_quoted(line, quoted, opening)
                yield number, line, before, quoted

    def _check_quotes(self) -> None:
        opened = 0
        quoted = False
        for number, _line, before, quoted in self._lines():
            if quoted and not before:
                opened = number
        if quoted:
            raise InputError(
                f"file {self.path!r}, line {opened}: the last quote that opens here is never"
                " closed, so the rows after it are lost: close or remove it"
            )

    def _broken(self, row: Any) -> InputError:
        where = self._at(None if row.number is None else row.number - 2)
        return InputError(
            f"file {self.path!r}, {where}: expected {row.expected_columns} fields as in the header,"
            f" found {row.actual_columns}: {_shortened(row.text)!r}"
        )

    def _at(self, row: int | None) -> str:
        return "some line" if row is None else self.place(row)


class _Counted:
    """A binary file that counts the quotes which pass through it."""

    closed = False

    def __init__(self, file: pa.NativeFile) -> None:
        self._file = file
        self.quotes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.quotes += data.count(b'"')
        return data

    def close(self) -> None:
        self.closed = True


def _ends_quoted(line: str, quoted: bool, opening: re.Pattern[str]) -> bool:
    """Tell whether a line ends inside a quoted field, which may have begun before it."""
    at = 0
    while True:
        if quoted:
            at = line.find('"', at)
            if at < 0:
                return True
            quoted = line.startswith('"', at + 1)  # a doubled quote stands for itself
            at += 1 + quoted
        else:
            opened = opening.search(line, at)
            if opened is None:
                return False
            quoted, at = True, opened.end()


def _parsed_type(dtype: DataType) -> DataType:
    """Return the type to parse for values that are to have the given one."""
    if is_text(dtype):
        return pa.string()
    return pa.float32() if pa.types.is_float16(dtype) else dtype


def _repeats(column: pa.Array[Any]) -> bool:
    """Tell whether text has few distinct values, so that codes are smaller and quicker."""
    return is_text(column.type) and pc.count_distinct(column).as_py() * 2 <= len(column)


def _text(column: pa.Array[Any], coded: bool) -> pa.Array[Any]:
    if not is_text(column.type):
        return column
    loose: Any = column
    # Not compared with a scalar: making one would import pandas.
    blank: Any = pc.invert(pc.binary_length(loose).cast(pa.bool_()))
    if pc.any(blank).as_py():
        loose = pc.if_else(blank, pa.nulls(1, loose.type)[0], loose)
    return cast("pa.Array[Any]", pc.dictionary_encode(loose) if coded else loose)


def _beyond_int64(column: pa.ChunkedArray[Any]) -> bool:
    """Tell whether floats may be integers that only an unsigned 64-bit type holds."""
    if not pa.types.is_float64(column.type) or column.null_count == len(column):
        return False
    ends: Any = pc.min_max(column).as_py()
    return bool(ends["min"] >= 0 and 2.0**63 <= ends["max"] <= 2.0**64)


def _shortened(text: str, width: int = 60) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
