"""Files of a recipe: one or many, batch by batch, with a manifest of the truth."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._recipes import count_rows, parameters, source
from ._stream import Stream, Truth, add, spans, tell, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("parquet", "csv", "feather")
MANIFEST = "manifest.json"
BATCH_ROWS = 262_144
"""Rows of a written batch, which is a row group in Parquet."""


def write(
    recipe: str,
    path: str | os.PathLike[str],
    rows: int | None = None,
    *,
    format: str = "parquet",
    files: int = 1,
    seed: int = 0,
    hive: str | None = None,
    overwrite: bool = False,
    **given: Any,
) -> dict[str, Any]:
    """Write rows of a recipe as ``part-000.<format> ...`` and ``manifest.json`` in a folder.

    Memory is bounded by a batch of 262,144 rows. The folder appears when it is complete; after
    an error nothing is left.

    Parameters
    ----------
    recipe : str
        A name in `RECIPES`.
    path : path-like
        The folder to make.
    rows : int, optional
        Default 100,000, or all rows of a real data set.
    format : {"parquet", "csv", "feather"}
        Nulls are Arrow nulls, and blanks in CSV (where nan is written ``nan``).
    files : int
        The rows are cut into this many files of nearly equal length, in order.
    seed : int
        As in `make`.
    hive : str, optional
        A partition key: file ``i`` goes into the folder ``<hive>=<i>`` instead.
    overwrite : bool
        Replace a folder that exists, instead of raising FileExistsError.
    **given
        Parameters of the recipe.

    Returns
    -------
    dict
        The manifest: recipe, parameters, seed, rows, format, files, schema, truth.
    """
    if format not in FORMATS:
        raise ValueError(f"`format` must be one of {', '.join(FORMATS)}, got {format!r}")
    drawn = source(recipe, given)
    n_rows = count_rows(recipe, drawn, rows)
    if not 1 <= files <= n_rows:
        raise ValueError(f"`files` must be from 1 to the number of rows {n_rows}, got {files}")
    stream = Stream(drawn, seed)
    total: Truth = {}
    names = []
    with _folder(Path(path), overwrite) as folder:
        for i in range(files):
            names.append(_name(i, files, format, hive))
            (folder / names[-1]).parent.mkdir(exist_ok=True)
            with _writer(folder / names[-1], format) as put:
                for low, high in spans(n_rows * i // files, n_rows * (i + 1) // files, BATCH_ROWS):
                    columns = stream.read(low, high)
                    total = add(total, tell(drawn, columns))
                    table = to_arrow(columns, drawn.categories)
                    put(table)
        manifest = {
            "recipe": recipe,
            "parameters": parameters(recipe) | given,
            "seed": seed,
            "rows": n_rows,
            "format": format,
            "files": names,
            "schema": {column.name: str(column.type) for column in table.schema},
            "truth": {"sample": drawn.finish(total), "population": dict(drawn.population)},
        }
        text = json.dumps(manifest, indent=2, allow_nan=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return manifest


def _name(i: int, files: int, format: str, hive: str | None) -> str:
    digits = max(3, len(str(files - 1)))
    if hive is None:
        return f"part-{i:0{digits}}.{format}"
    return f"{hive}={i}/part-{0:0{digits}}.{format}"


@contextmanager
def _folder(path: Path, overwrite: bool) -> Iterator[Path]:
    """A folder beside `path` that takes its name once the block ends without an error."""
    if path.exists() and not overwrite:
        raise FileExistsError(f"`path` {str(path)!r} exists; choose another, or overwrite it")
    if path.exists() and not (path / MANIFEST).is_file():
        raise FileExistsError(f"`path` {str(path)!r} holds no {MANIFEST}: not ours to replace")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        new = draft / "new"
        new.mkdir()
        yield new
        if path.exists():
            path.rename(draft / "old")
        new.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _writer(path: Path, format: str) -> Iterator[Callable[[pa.Table], None]]:
    """A function that appends a batch to the file."""
    writers: list[Any] = []

    def put(table: pa.Table) -> None:
        if not writers:
            writers.append(_OPEN[format](path, table.schema))
        writers[0](table)

    try:
        yield put
    finally:
        for writer in writers:
            writer.close()


class _Parquet:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # A dictionary of scores is larger than the scores and slower to read.
        coded: Any = [column.name for column in schema if not pa.types.is_floating(column.type)]
        self._writer = pq.ParquetWriter(path, schema, use_dictionary=coded)
        self.close = self._writer.close

    def __call__(self, table: pa.Table) -> None:
        self._writer.write_table(table, row_group_size=BATCH_ROWS)


class _Feather:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow as pa

        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._writer = pa.ipc.new_file(str(path), schema, options=options)
        self.close = self._writer.close

    def __call__(self, table: pa.Table) -> None:
        self._writer.write_table(table)


class _Csv:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        import pyarrow as pa
        import pyarrow.csv

        fields = [
            column.with_type(column.type.value_type)
            if pa.types.is_dictionary(column.type)
            else column
            for column in schema
        ]
        self._schema = pa.schema(fields)
        self._writer = pyarrow.csv.CSVWriter(path, self._schema)
        self.close = self._writer.close

    def __call__(self, table: pa.Table) -> None:
        self._writer.write_table(table.cast(self._schema))


_OPEN: Mapping[str, Callable[[Path, pa.Schema], Any]] = {
    "parquet": _Parquet,
    "feather": _Feather,
    "csv": _Csv,
}
