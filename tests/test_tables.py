"""Files of every writer, streams and frames: the same rows, or one line that says what is wrong."""

from __future__ import annotations

import datetime
import gzip
import io
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from ranktally._tables import open_table, read_stream
from ranktally.errors import InputError, SchemaMismatch

LABEL = [0, 1, 1, 0, 1]
SCORE = [0.25, 0.5, 0.75, 0.125, 1.0]
LAND = ["de", "fr", None, "de", "us"]


def named(value: Any) -> str | None:
    """Name a case by the words in it: what prints its address is named anew by each process."""
    return value[:40] if isinstance(value, str) else None


def table(rows: slice = slice(None)) -> pa.Table:
    return pa.table(
        {
            "y": pa.array(LABEL[rows], pa.int8()),
            "s": pa.array(SCORE[rows], pa.float32()),
            "land": pa.array(LAND[rows]),
        }
    )


def listed(values: Any) -> list[Any]:
    return values.to_pylist() if hasattr(values, "to_pylist") else values.tolist()


def read(data: Any, *names: str, threads: int = 1) -> list[list[Any]]:
    with open_table(data) as opened:
        opened.prepare(names)
        return [listed(opened.column(name, threads)) for name in names]


def csv(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def stream_of(data: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, data.schema) as writer:
        writer.write_table(data, max_chunksize=2)
    return sink.getvalue()


# -- the same rows whoever wrote the file ---------------------------------------------------------


def _stream_file(data: pa.Table, path: str) -> None:
    Path(path).write_bytes(stream_of(data))


WRITERS: dict[str, Callable[[pa.Table, str], object]] = {
    "pyarrow.parquet": lambda t, p: pq.write_table(t, p, row_group_size=2),
    "plain.parquet": lambda t, p: pq.write_table(
        t, p, use_dictionary=False, write_statistics=False
    ),
    "split.parquet": lambda t, p: pq.write_table(
        t, p, compression="zstd", use_dictionary=["land"], use_byte_stream_split=["s"]
    ),
    "v1.parquet": lambda t, p: pq.write_table(t, p, version="1.0", data_page_version="2.0"),
    "duckdb.parquet": lambda t, p: duckdb.sql("select * from t").write_parquet(
        p, compression="gzip"
    ),
    "polars.parquet": lambda t, p: pl.from_arrow(t).write_parquet(p, row_group_size=2),
    "pandas.parquet": lambda t, p: t.to_pandas().to_parquet(p),
    "pyarrow.feather": lambda t, p: feather.write_feather(t, p, compression="lz4", chunksize=2),
    "plain.feather": lambda t, p: feather.write_feather(t, p, compression="uncompressed"),
    "polars.arrow": lambda t, p: pl.from_arrow(t).write_ipc(p, compression="zstd"),
    "stream.arrows": _stream_file,
    "polars_stream.ipc": lambda t, p: pl.from_arrow(t).write_ipc_stream(p),
    "pyarrow.csv": lambda t, p: pa_csv.write_csv(t, p),
    "duckdb.csv": lambda t, p: duckdb.sql("select * from t").write_csv(p),
    "polars.csv": lambda t, p: pl.from_arrow(t).write_csv(p),
    "pandas.csv": lambda t, p: t.to_pandas().to_csv(p),
    "pandas.csv.gz": lambda t, p: t.to_pandas().to_csv(p, index=False),
    "pandas.tsv": lambda t, p: t.to_pandas().to_csv(p, index=False, sep="\t"),
    "dump": lambda t, p: pq.write_table(t, p),
    "dump.txt": lambda t, p: t.to_pandas().to_csv(p, index=False, sep=";", lineterminator="\r\n"),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("threads", [1, 3])
def test_every_writer(tmp_path: Path, name: str, threads: int) -> None:
    WRITERS[name](table(), str(tmp_path / name))
    y, s, land = read(tmp_path / name, "y", "s", "land", threads=threads)
    assert y == LABEL
    assert s == SCORE
    assert land == LAND


def test_all_formats_in_one_folder(tmp_path: Path) -> None:
    for name, write in WRITERS.items():
        if not name.startswith("dump"):
            write(table(), str(tmp_path / name))
    opened = open_table(tmp_path)
    assert opened.n_files == len(WRITERS) - 2
    opened.prepare(["y", "s", "land", "_file"], threads=2)
    assert opened.n_rows == 5 * opened.n_files
    assert listed(opened.column("y", 2)) == LABEL * opened.n_files
    assert listed(opened.column("s", 2)) == SCORE * opened.n_files
    assert listed(opened.column("land", 2)) == LAND * opened.n_files
    files = listed(opened.column("_file"))
    assert files == sorted(files)
    # Float32 in the typed files settles how the text is read: ties stay ties.
    assert opened.column("s").dtype == np.float32


def test_numbers_arrive_as_stored(tmp_path: Path) -> None:
    types = [pa.int8(), pa.uint16(), pa.int64(), pa.uint64(), pa.float16(), pa.float32()]
    columns = {str(t): pa.array([1, 2, 3, 4], pa.int64()).cast(t) for t in types}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=3)
    feather.write_feather(pa.table(columns), str(tmp_path / "b.feather"), compression="lz4")
    opened = open_table(tmp_path)
    for t in types:
        column = opened.column(str(t), 2)
        assert column.dtype == t.to_pandas_dtype()
        assert column.tolist() == [1, 2, 3, 4] * 2


def test_nulls_and_nan_stay_apart(tmp_path: Path) -> None:
    nan = float("nan")
    pq.write_table(pa.table({"s": [0.5, None, nan]}), tmp_path / "a.parquet")
    no_statistics = {"write_statistics": False}
    pq.write_table(pa.table({"s": [None, 1.0]}), tmp_path / "b.parquet", **no_statistics)
    column = open_table(tmp_path).column("s")
    assert column.null_count == 2
    assert np.isnan(column[2].as_py())


def test_nulls_that_the_footer_does_not_announce(tmp_path: Path) -> None:
    for name in ("a", "b"):
        data = pa.table({"s": pa.array([1, None, 3], pa.int64())})
        pq.write_table(data, tmp_path / f"{name}.parquet", write_statistics=False)
    (s,) = read(tmp_path, "s", threads=2)
    assert s == [1, None, 3] * 2


def test_label_and_group_types_pass_through(tmp_path: Path) -> None:
    day = datetime.datetime(2024, 1, 2)
    columns = {
        "flag": pa.array([True, None, False]),
        "when": pa.array([day, None, day]),
        "price": pa.array([1, None, 2]).cast(pa.decimal128(25, 2)),
        "raw": pa.array([b"ab", None, b"cd"], pa.binary(2)),
        "code": pa.array(["a", None, "a"]).dictionary_encode(),
        "number": pa.array([7, None, 7]).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    feather.write_feather(pa.table(columns), str(tmp_path / "b.feather"))
    opened = open_table(tmp_path)
    for name, column in columns.items():
        assert listed(opened.column(name)) == column.to_pylist() * 2
    assert opened.column("raw").type == pa.binary(2)
    assert opened.column("code").type == pa.dictionary(pa.int32(), pa.string())
    assert opened.column("number").type == pa.int64()


def test_repeated_text_is_coded_and_unique_text_is_not(tmp_path: Path) -> None:
    n = 5000
    data = {"few": ["ok", "fraud"] * (n // 2), "many": [f"customer {i:07}" for i in range(n)]}
    pq.write_table(pa.table(data), tmp_path / "a.parquet", row_group_size=1000)
    pd.DataFrame(data).to_csv(tmp_path / "a.csv", index=False)
    for name in ("a.parquet", "a.csv"):
        opened = open_table(tmp_path / name)
        few, many = opened.column("few", 2), opened.column("many", 2)
        assert few.type == pa.dictionary(pa.int32(), pa.string())
        assert many.type == pa.string()
        assert few.to_pylist() == data["few"]
        assert many.to_pylist() == data["many"]


def test_dictionaries_differ_between_files(tmp_path: Path) -> None:
    parts = [["a", "b"], ["b", None, "c"], [], ["c", "a"]]
    for i, part in enumerate(parts):
        column = pa.array(part, pa.string()).dictionary_encode()
        if i == 1:
            column = column.cast(pa.dictionary(pa.int8(), pa.large_string()))
        feather.write_feather(pa.table({"g": column}), str(tmp_path / f"{i}.feather"))
    column = open_table(tmp_path).column("g")
    assert column.to_pylist() == [x for part in parts for x in part]
    assert all(chunk.dictionary.equals(column.chunk(0).dictionary) for chunk in column.chunks)


def test_a_name_that_begins_another(tmp_path: Path) -> None:
    pq.write_table(pa.table({"m": [1, 2], "m.v2": [3, 4], "m_x": [5, 6]}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet", "m", "m.v2", "m_x") == [[1, 2], [3, 4], [5, 6]]


def test_columns_stay_readable_after_close_and_from_threads(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    n = 1000
    names = [f"m{i}" for i in range(8)]
    data = {name: np.arange(n) + i for i, name in enumerate(names)}
    pq.write_table(pa.table(data), tmp_path / "a.parquet", row_group_size=100)
    pa_csv.write_csv(pa.table(data), tmp_path / "b.csv")
    with open_table(tmp_path) as opened, ThreadPoolExecutor(4) as pool:
        columns = list(pool.map(opened.column, names))
    for name, column in zip(names, columns, strict=True):
        assert np.array_equal(column, np.tile(data[name], 2))


def test_three_hundred_small_files(tmp_path: Path) -> None:
    for i in range(300):
        data = {"s": pa.array([i, i + 0.5], pa.float32()), "g": ["a" if i % 2 else "b"] * 2}
        pq.write_table(pa.table(data), tmp_path / f"part-{i:03}.parquet")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    opened = open_table(tmp_path)
    assert (opened.n_files, opened.n_rows) == (300, 600)
    assert opened.column("s", 2).tolist() == [x for i in range(300) for x in (i, i + 0.5)]
    assert opened.column("g", 2).to_pylist()[:4] == ["b", "b", "a", "a"]
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) <= before + 2
    assert opened.locate(13).endswith("part-006.parquet', row 1")


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_change_the_order(tmp_path: Path, threads: int) -> None:
    values = np.random.default_rng(1).random(10_000)
    for i in range(5):
        part = pa.table({"s": values[i * 2000 : (i + 1) * 2000]})
        pq.write_table(part, tmp_path / f"{i}.parquet", row_group_size=170 * (i + 1))
    assert np.array_equal(open_table(tmp_path).column("s", threads), values)


# -- columns of many files read together ----------------------------------------------------------


def opened_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of Parquet files in the order in which they are opened."""
    opened: list[str] = []

    class Counted(pq.ParquetFile):
        def __init__(self, source: Any, *args: Any, **options: Any) -> None:
            opened.append(source)
            super().__init__(source, *args, **options)

    monkeypatch.setattr(pq, "ParquetFile", Counted)
    return opened


def many_files(folder: Path, n_files: int = 6, n_rows: int = 400) -> dict[str, list[Any]]:
    """Small files of int8, float32, float64, bool and text; the column "gap" has nulls."""
    whole: dict[str, list[Any]] = {}
    rng = np.random.default_rng(5)
    for i in range(n_files):
        n = n_rows if i else 0  # the first is empty
        part = pa.table(
            {
                "y": pa.array(rng.integers(0, 2, n), pa.int8()),
                "f": pa.array(rng.random(n), pa.float32()),
                "d": pa.array(rng.random(n)),
                "flag": pa.array(rng.random(n) < 0.5),
                "g": pa.array([f"land {k}" for k in rng.integers(0, 3, n)], pa.string()),
                "gap": pa.array(rng.random(n), mask=rng.random(n) < 0.1),
            }
        )
        pq.write_table(part, folder / f"{i}.parquet", row_group_size=150, write_statistics=i != 2)
        for name in part.column_names:
            whole.setdefault(name, []).extend(part.column(name).to_pylist())
    return whole


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_small_columns_are_read_in_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    whole = many_files(tmp_path)
    opened = opened_files(monkeypatch)
    with open_table(tmp_path) as data:
        data.prepare([*whole, "_file"], threads)
        opened.clear()
        for name, values in whole.items():
            assert listed(data.column(name, threads)) == values
        assert data.column("f", threads).dtype == np.float32
        assert data.column("g", threads).type == pa.dictionary(pa.int32(), pa.string())
    # One pass, and one for each column that was asked for again; threads take half a file each.
    passes = 3 * (2 if threads > 1 else 1)
    files = [str(tmp_path / f"{i}.parquet") for i in range(1, 6)]  # the first has no rows
    assert sorted(opened) == sorted(files * passes)


@pytest.mark.parametrize(
    ("room", "passes"),
    [(3 * 8 * 400, 1), (3 * 8 * 400 - 1, 2), (2 * 8 * 400, 2), (2 * 8 * 400 - 1, 3), (1, 3)],
)
def test_passes_keep_to_their_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, passes: int
) -> None:
    values = np.arange(400.0)
    for i in range(4):
        part = values[i * 100 : (i + 1) * 100]
        pq.write_table(pa.table({n: part + ord(n) for n in "abc"}), tmp_path / f"{i}.parquet")
    opened = opened_files(monkeypatch)
    data = open_table(tmp_path)
    data.prepare(["a", "b", "c"], 1, max_memory=4 * room)
    opened.clear()
    for name in "bca":  # in any order
        assert np.array_equal(data.column(name), values + ord(name))
    assert len(opened) == 4 * passes


def test_unannounced_nulls_among_columns_read_together(tmp_path: Path) -> None:
    for i in range(3):
        part = {"a": pa.array([1, 2, None if i == 1 else 3]), "b": [i, 5, 6], "c": [0.5, None, 1.0]}
        pq.write_table(pa.table(part), tmp_path / f"{i}.parquet", write_statistics=False)
    for threads in (1, 2):
        a, b, c = read(tmp_path, "a", "b", "c", threads=threads)
        assert a == [1, 2, 3, 1, 2, None, 1, 2, 3]
        assert b == [0, 5, 6, 1, 5, 6, 2, 5, 6]
        assert c == [0.5, None, 1.0] * 3


def test_large_columns_are_read_one_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.arange(1 << 17, dtype=np.float64)
    pq.write_table(pa.table({"a": values, "b": values, "y": values < 9}), tmp_path / "x.parquet")
    opened = opened_files(monkeypatch)
    data = open_table(tmp_path)
    data.prepare(["a", "b", "y"])
    opened.clear()
    for done, name in enumerate(("a", "b"), 1):
        assert np.array_equal(data.column(name), values)
        assert len(opened) == done


def test_a_column_is_handed_out_once_and_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = many_files(tmp_path)
    data = open_table(tmp_path)
    data.prepare(["y", "f"])
    first = data.column("y")
    opened = opened_files(monkeypatch)
    assert listed(data.column("f")) == whole["f"]
    assert opened == []
    again = data.column("y")
    assert again is not first
    assert again.tolist() == first.tolist() == whole["y"]
    assert len(opened) == 5


def test_a_broken_column_among_those_read_together(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random(500)
    for i in range(3):
        path = tmp_path / f"{i}.parquet"
        pq.write_table(pa.table(dict.fromkeys("abc", values)), path, use_dictionary=False)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(1)
    data = bytearray(path.read_bytes())
    start = chunk.data_page_offset
    data[start : start + 40] = b"\xff" * 40
    path.write_bytes(data)
    opened = open_table(tmp_path)
    opened.prepare("abc", 2)
    assert np.array_equal(opened.column("a", 2), np.tile(values, 3))
    with pytest.raises(InputError, match=r"2\.parquet', column 'b': is not a whole Parquet file"):
        opened.column("b", 2)
    assert np.array_equal(opened.column("c", 2), np.tile(values, 3))


def test_columns_read_together_in_formats_side_by_side(tmp_path: Path) -> None:
    part = pa.table({"y": [0, 1, 1], "s": [0.5, 0.25, 1.0], "g": ["a", "b", "a"]})
    pq.write_table(part, tmp_path / "a.parquet")
    feather.write_feather(part, str(tmp_path / "b.feather"))
    _stream_file(part, str(tmp_path / "c.arrows"))
    pa_csv.write_csv(part, tmp_path / "d.csv")
    for threads in (1, 2, 3):
        found = read(tmp_path, "s", "g", "y", threads=threads)
        assert found == [part.column(n).to_pylist() * 4 for n in ("s", "g", "y")]


def test_threads_share_what_is_read_together(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    names = [f"m{i}" for i in range(12)]
    for i in range(5):
        part = {name: np.arange(40) * (k + 1) + i for k, name in enumerate(names)}
        pq.write_table(pa.table(part), tmp_path / f"{i}.parquet")
    data = open_table(tmp_path)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    data.prepare(names, 2, max_memory=4 * 3 * 8 * 200)
    with ThreadPoolExecutor(4) as pool:
        columns = list(pool.map(data.column, names))
    for k, column in enumerate(columns):
        assert np.array_equal(
            column, np.concatenate([np.arange(40) * (k + 1) + i for i in range(5)])
        )
    if before is not None:
        assert len(os.listdir("/proc/self/fd")) <= before + 2


# -- paths ----------------------------------------------------------------------------------------


def test_globs_lists_and_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for i, path in enumerate(["a/2.csv", "a/10.csv", "b/c/1.csv", "b/_SUCCESS", "b/.1.csv.crc"]):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        csv(Path(path), f"y\n{i}\n" if path.endswith("csv") else b"")
    csv(Path("a/odd[1].csv"), "y\n7\n")
    assert read("a/[0-9]*.csv", "y", "_file") == [[1, 0], ["a/10.csv", "a/2.csv"]]
    assert read("**/*.csv", "y") == [[1, 0, 7, 2]]
    assert read("b/c/*", "y") == [[2]]
    assert read("b/**", "y") == [[2]]
    assert read("*", "y") == [[1, 0, 7, 2]]
    assert read("a/odd[1].csv", "y", "_file") == [[7], ["a/odd[1].csv"]]
    assert read(["b", Path("a/2.csv")], "y", "_file") == [[2, 0], ["b/c/1.csv", "a/2.csv"]]
    with pytest.raises(InputError, match=r"'a/2\.csv' comes twice"):
        open_table(["a/2.csv", "a/*.csv"])
    with pytest.raises(InputError, match=r"no file matches 'x/\*\.csv'"):
        open_table("x/*.csv")
    with pytest.raises(InputError, match=r"no file or folder 'a/3\.csv'; did you mean 'a/2\.csv'"):
        open_table("a/3.csv")
    with pytest.raises(InputError, match="folder 'zz' does not exist either"):
        open_table("zz/3.csv")
    Path("empty").mkdir()
    Path("empty/README.md").write_text("not data")
    with pytest.raises(InputError, match="'empty' holds no Parquet, CSV or Feather file"):
        open_table("empty")
    with pytest.raises(InputError, match="empty list"):
        open_table([])
    with pytest.raises(InputError, match="holds int: expected paths only"):
        open_table(["a/2.csv", 3])
    with pytest.raises(InputError, match="is not a local path"):
        open_table("s3://bucket/x.parquet")


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"is a pipe or device: pipe it to standard input"):
        open_table(tmp_path / "pipe")


def test_a_link_that_leads_back_up(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", "y\n1\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    assert read(tmp_path, "y") == [[1]]


def test_hive_keys(tmp_path: Path) -> None:
    pl.DataFrame({"y": [0, 1, 1], "day": [1, 2, 2], "land": ["de", "d e", None]}).write_parquet(
        tmp_path / "polars", partition_by=["day", "land"], mkdir=True
    )
    opened = open_table(tmp_path / "polars")
    assert opened.names == ("y", "day", "land", "_file")
    assert read(tmp_path / "polars", "y", "day", "land") == [
        [0, 1, 1],
        [1, 2, 2],
        ["de", None, "d e"],
    ]


def test_hive_keys_as_text_and_in_part(tmp_path: Path) -> None:
    for path in ["month=01/a.csv", "month=__HIVE_DEFAULT_PARTITION__/b.csv", "c.csv"]:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        csv(tmp_path / path, "y,s\n1,0.5\n")
    assert read(f"{tmp_path}/**/*.csv", "month") == [[None, "01", None]]


def test_a_column_of_the_file_wins_over_its_path(tmp_path: Path) -> None:
    (tmp_path / "y=5").mkdir()
    csv(tmp_path / "y=5" / "a.csv", "y,_file\n1,me\n")
    opened = open_table(tmp_path)
    assert opened.names == ("y", "_file")
    assert read(tmp_path, "y", "_file") == [[1], ["me"]]


# -- files that do not fit together ---------------------------------------------------------------


def test_a_missing_column_matters_when_it_is_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": [1], "s": [0.5]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": [0]}), tmp_path / "b.parquet")
    opened = open_table(tmp_path)
    opened.prepare(["y"])
    with pytest.raises(SchemaMismatch, match=r"b\.parquet': has no column 's', which file '.*a\.p"):
        opened.prepare(["y", "s"])
    with pytest.raises(InputError, match="no column named 'z'"):
        opened.column("z")


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        (pa.int32(), pa.int64(), np.int64),
        (pa.int8(), pa.uint8(), np.int16),
        (pa.float32(), pa.float64(), np.float64),
        (pa.int32(), pa.float32(), np.float64),
        (pa.null(), pa.float32(), None),
        (pa.string(), pa.dictionary(pa.int8(), pa.string()), None),
        (pa.string(), pa.large_string(), None),
        (pa.int64(), pa.float64(), "mismatch"),
        (pa.uint64(), pa.int8(), "mismatch"),
        (pa.bool_(), pa.int8(), "mismatch"),
        (pa.string(), pa.float64(), "mismatch"),
        (pa.timestamp("us"), pa.string(), "mismatch"),
    ],
    ids=named,
)
def test_types_of_two_files(tmp_path: Path, first: Any, second: Any, common: Any) -> None:
    for name, dtype in (("a", first), ("b", second), ("c", second)):
        column: Any = pa.array([None, None]) if pa.types.is_null(dtype) else pa.array([0, 1])
        if pa.types.is_dictionary(dtype):
            column = column.cast(pa.string()).dictionary_encode()
        feather.write_feather(pa.table({"x": column.cast(dtype)}), str(tmp_path / f"{name}.arrow"))
    opened = open_table(tmp_path)
    if common == "mismatch":
        with pytest.raises(SchemaMismatch) as caught:
            opened.prepare(["x"])
        message = str(caught.value)
        assert "b.arrow': column 'x' is " + str(second) in message
        assert f"{first} in file" in message
        return
    column = opened.column("x", 2)
    assert len(column) == 6
    if common is not None:
        assert column.dtype == common


def test_the_mismatch_names_the_file_that_clashes(tmp_path: Path) -> None:
    for name, dtype in (("a", pa.null()), ("b", pa.int8()), ("c", pa.string())):
        data = pa.table({"x": pa.array([None], dtype)})
        pq.write_table(data, tmp_path / f"{name}.parquet")
    with pytest.raises(SchemaMismatch, match=r"c\.parquet': .* string, but int8 in file .*b\.parq"):
        open_table(tmp_path).prepare(["x"])


def test_half_floats_beside_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"s": pa.array([0.5], pa.float16())}), tmp_path / "a.parquet")
    csv(tmp_path / "b.csv", "s\n0.25\n")
    column = open_table(tmp_path).column("s")
    assert (column.dtype, column.tolist()) == (np.float16, [0.5, 0.25])


def test_text_beside_typed_files(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": pa.array([1, 0], pa.int8())}), tmp_path / "a.parquet")
    csv(tmp_path / "b.csv", "y\n1\n0.5\n")
    with pytest.raises(
        SchemaMismatch, match=r"b\.csv', line 3, column 'y': invalid value '0\.5', where .* int8"
    ):
        open_table(tmp_path).prepare(["y"])


# -- files that are broken ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.feather"])
def test_zero_bytes(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=rf"{name}': is empty \(0 bytes\)"):
        open_table(csv(tmp_path / name, b""))


@pytest.mark.parametrize("name", ["pyarrow.parquet", "pyarrow.feather", "stream.arrows"])
def test_cut_short(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](pa.concat_tables([table()] * 40), str(path))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(InputError, match=rf"{name}'.*is not a whole .* file") as caught:
        read(path, "s")
    assert "\n" not in str(caught.value)


def test_damage_in_the_middle_names_the_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"s": np.random.default_rng(0).random(5000)}), path)
    data = bytearray(path.read_bytes())
    data[4:2000] = b"\xff" * 1996
    path.write_bytes(data)
    opened = open_table(path)
    with pytest.raises(InputError, match=r"a\.parquet', column 's': is not a whole Parquet file"):
        opened.column("s")


def test_text_under_a_parquet_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.parquet': is not a whole Parquet file"):
        open_table(csv(tmp_path / "x.parquet", "y,s\n1,2\n"))


def test_a_file_replaced_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "a.feather"
    feather.write_feather(pa.table({"s": [1.0, 2.0, 3.0]}), str(path))
    opened = open_table(path)
    feather.write_feather(pa.table({"s": [1.0]}), str(path))
    with pytest.raises(InputError, match="another number of rows"):
        opened.column("s")
    path.unlink()
    with pytest.raises(InputError, match="is gone"):
        opened.column("s")


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["y", "y", "s"])
    pq.write_table(twice, tmp_path / "a.parquet")
    csv(tmp_path / "a.csv", "y,y,s\n1,2,3\n")
    frame = pd.DataFrame([[1, 2, 3]], columns=["y", "y", "s"])
    for data in (tmp_path / "a.parquet", tmp_path / "a.csv", twice, twice.to_reader(), frame):
        assert read(data if not isinstance(data, pa.RecordBatchReader) else twice, "s") == [[3]]
        with pytest.raises(InputError, match="there are 2 columns named 'y'"):
            read(data, "y")


def test_no_rows(tmp_path: Path) -> None:
    pq.write_table(table(slice(0, 0)), tmp_path / "a.parquet")
    csv(tmp_path / "b.csv", "y,s,land\n")
    feather.write_feather(table(slice(0, 0)), str(tmp_path / "c.feather"))
    assert open_table(tmp_path).n_rows == 0
    assert read(tmp_path, "y", "s", "land", threads=2) == [[], [], []]
    pq.write_table(table(), tmp_path / "d.parquet")
    assert read(tmp_path, "y", "s", "land", threads=2) == [LABEL, SCORE, LAND]


# -- CSV ------------------------------------------------------------------------------------------


def test_csv_numbers(tmp_path: Path) -> None:
    text = "y,s\n1,inf\n0,-inf\n1,Infinity\n0,nan\n0,NaN\n1,\n0,NA\n1,NULL\n1,1e-3\n0, 0.5\n"
    y, s = read(csv(tmp_path / "a.csv", text), "y", "s")
    assert y == [1, 0, 1, 0, 0, 1, 0, 1, 1, 0]
    assert s[:3] == [np.inf, -np.inf, np.inf]
    assert np.isnan(s[3:5]).all()
    assert s[5:] == [None, None, None, 1e-3, 0.5]


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (["True", "False", "True"], [True, False, True]),
        (["true", "false", ""], [True, False, None]),
        (["1", "0", "1"], [1, 0, 1]),
        (["1.0", "0.0", "1.0"], [1.0, 0.0, 1.0]),
        (["1", "0.0", "nan"], None),
        (["1", "true", "0"], ["1", "true", "0"]),
        (["fraud", "ok", ""], ["fraud", "ok", None]),
        (["NA", "EU", ""], ["NA", "EU", None]),
        (["0", "n/a", "1"], ["0", "n/a", "1"]),
        ([" 1", "0 ", "1"], [1, 0, 1]),
        (["2024-01-02", "", "x"], ["2024-01-02", None, "x"]),
    ],
    ids=named,
)
@pytest.mark.parametrize("layout", ["one file", "many files", "late"])
def test_csv_types(tmp_path: Path, forms: list[str], expected: Any, layout: str) -> None:
    if layout == "many files":
        for i, form in enumerate(forms):
            csv(tmp_path / f"{i}.csv", f"i,y\n{i},{form}\n")
    else:
        # Beyond the first megabyte, on which the parser bases its guess.
        padding = "x" * (400_000 if layout == "late" else 1)
        rows = [f"{i},{form},{padding}" for i, form in enumerate(forms) for _ in range(3)][::3]
        if layout == "late":
            rows = [row for row in rows for _ in range(3)]
        csv(tmp_path / "0.csv", "\n".join(["i,y,pad", *rows]) + "\n")
    (y,) = read(tmp_path, "y", threads=2)
    y = y[::3] if layout == "late" else y
    if expected is None:
        assert y[:2] == [1.0, 0.0]
        assert np.isnan(y[2])
    else:
        assert y == expected
        assert [type(x) for x in y] == [type(x) for x in expected]


def test_csv_integers_beyond_int64(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "id,s\n18446744073709551615,1\n18446744073709551614,2\n")
    assert read(path, "id") == [[2**64 - 1, 2**64 - 2]]
    path = csv(tmp_path / "b.csv", "id,s\n18446744073709551615,1\n0.5,2\n")
    assert read(path, "id") == [[2.0**64, 0.5]]


def test_csv_lines(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", '\n\ny,note\r\n1,"a\nb"\n\n0,c\n1,"""q"""\n')
    opened = open_table(path)
    assert opened.n_rows == 3
    assert [opened.locate(i).removeprefix(f"file {path!r}, ") for i in range(3)] == [
        "line 4",
        "line 7",
        "line 8",
    ]
    assert read(path, "note") == [["a\nb", "c", '"q"']]


def test_csv_line_where_fields_are_too_long(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "y,s\n1,2\n1," + "x" * 200_000 + "\n1,3\n")
    assert open_table(path).locate(2) == f"file {path!r}, line 4"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_csv_bytes(tmp_path: Path, ending: str, last: bool, mark: bytes) -> None:
    text = ending.join(["é y,s", "1,0.5", "0,0.25"]) + (ending if last else "")
    path = csv(tmp_path / "a.csv", mark + text.encode())
    assert read(path, "é y", "s") == [[1, 0], [0.5, 0.25]]
    assert open_table(path).locate(1).endswith("line 3")


def test_csv_header_only(tmp_path: Path) -> None:
    for text in ("y,s", "y,s\n", "y,s\r\n\r\n"):
        opened = open_table(csv(tmp_path / "a.csv", text))
        assert opened.names == ("y", "s", "_file")
        assert opened.n_rows == 0
        assert listed(opened.column("s")) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y,s\n1,2\n1,2,3\n", r"line 3: expected 2 fields as in the header, found 3: '1,2,3'"),
        ("y,s\n1,2\n\n7\n", r"line 4: expected 2 fields as in the header, found 1: '7'"),
        ('y,s\n1,"a\nb"\n1,2\n7\n', r"line 5: expected 2 fields"),
        ('y,s\n1,2\n1,"3\n0,4\n', r"line 3: the last quote that opens here is never closed"),
        ("\n\n", "holds blank lines only"),
        ("y,s\n1,2\n".encode("utf-16"), "is UTF-16: expected UTF-8"),
        ("y,caf\xe9\n1,2\n".encode("latin-1"), "line 1: is not UTF-8 text"),
        ("y,c\n1,a\n0,caf\xe9\n".encode("latin-1"), r"line 3, column 'c': is not UTF-8 text"),
        ('"' + "y" * 200_000 + ",s\n1,2\n", "line 1: is no line of column names"),
        (b"y\x00,s\n1,2\n", "line 1: is not UTF-8 text"),
    ],
    ids=named,
)
def test_csv_faults(tmp_path: Path, text: str | bytes, said: str) -> None:
    path = csv(tmp_path / "bad.csv", text)
    with pytest.raises(InputError, match=r"file '.*bad\.csv'.*" + said):
        read(path, "y", "c" if b"c\n" in Path(path).read_bytes() else "s")


def test_csv_encoding_of_a_column_that_nobody_reads(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "y,c\n1,caf\xe9\n".encode("latin-1"))
    assert read(path, "y") == [[1]]


def test_csv_reads_only_what_is_asked_and_keeps_it(tmp_path: Path) -> None:
    path = Path(csv(tmp_path / "a.csv", "y,s,z\n1,2,3\n"))
    opened = open_table(path)
    opened.prepare(["y", "s"])
    path.unlink()
    assert listed(opened.column("s")) == [2]
    with pytest.raises(InputError, match=r"a\.csv': is gone"):
        opened.column("z")


def test_csv_compressed_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"y,s\n1,0.5\n0,x\n"))
    opened = open_table(path)
    assert listed(opened.column("s")) == ["0.5", "x"]
    assert opened.locate(1).endswith("a.csv.gz', line 3")


# -- streams --------------------------------------------------------------------------------------


class Pipe(io.RawIOBase):
    """A file that gives a few bytes at a time and cannot be rewound."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:
        return self._data.readinto(memoryview(buffer)[:7])


@pytest.mark.parametrize("kind", ["csv", "arrow"])
def test_stream(kind: str) -> None:
    text = b"y,s,land\n0,0.25,de\n1,0.5,fr\n1,0.75,\n0,0.125,de\n1,1.0,us\n"
    with read_stream(io.BufferedReader(Pipe(text if kind == "csv" else stream_of(table())))) as t:
        assert t.names == ("y", "s", "land")
        t.prepare(["y", "land"])
        assert (t.n_files, t.n_rows) == (0, 5)
        assert listed(t.column("y")) == LABEL
        assert listed(t.column("land")) == LAND
        assert t.locate(2) == ("file '<stdin>', line 4" if kind == "csv" else "row 2")


def test_the_copy_of_a_stream_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with read_stream(io.BytesIO(b"y,s\n1,2\n")) as opened:
        assert len(list(tmp_path.iterdir())) == 1
        assert listed(opened.column("s")) == [2]
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="file '<stdin>': is UTF-16"):
        read_stream(io.BytesIO("y,s\n1,2\n".encode("utf-16")))
    assert not list(tmp_path.iterdir())


def test_stream_is_read_once() -> None:
    opened = read_stream(io.BytesIO(stream_of(table())))
    opened.prepare(["y"])
    assert listed(opened.column("y")) == LABEL
    with pytest.raises(InputError, match="a stream that was read without column 's'"):
        opened.column("s")
    assert open_table(table().to_reader()).n_rows == 5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "standard input is empty"),
        (b"PAR1....", "is Parquet, which is read from its end"),
        (b"ARROW1..", "is Feather, which is read from its end"),
        (b"\xff\xff\xff\xff\x10\x00", "not a whole Arrow stream"),
        (b"y,s\n1,2,3\n", "'<stdin>', line 2: expected 2 fields"),
    ],
    ids=named,
)
def test_bad_stream(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said), read_stream(io.BytesIO(data)) as opened:
        opened.column("s")


def test_stream_cut_short() -> None:
    whole = stream_of(pa.concat_tables([table()] * 20))
    with (
        pytest.raises(InputError, match="the Arrow stream is broken"),
        read_stream(io.BytesIO(whole[: len(whole) // 2])) as opened,
    ):
        opened.column("s")


# -- in memory ------------------------------------------------------------------------------------

FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "table": lambda t: t,
    "sliced": lambda t: pa.concat_tables([t, t]).slice(3, 7).slice(2, 5),
    "chunked": lambda t: pa.concat_tables([t.slice(0, 2), t.slice(0, 0), t.slice(2)]),
    "reader": lambda t: t.to_reader(max_chunksize=2),
    "batch": lambda t: t.to_batches()[0],
    "polars": pl.from_arrow,
    "duckdb": lambda t: duckdb.sql("select * from t"),
    "pandas": lambda t: t.to_pandas(),
    "pandas arrow": lambda t: t.to_pandas(types_mapper=pd.ArrowDtype),
    "dict": lambda t: {n: t.column(n) for n in t.column_names},
}


@pytest.mark.parametrize("kind", FRAMES)
def test_in_memory(kind: str) -> None:
    opened = open_table(FRAMES[kind](table()))
    assert opened.names == ("y", "s", "land")
    opened.prepare(["y", "s", "land"])
    assert (opened.n_files, opened.n_rows) == (0, 5)
    assert listed(opened.column("y")) == LABEL
    assert listed(opened.column("s")) == SCORE
    assert [x if isinstance(x, str) else None for x in listed(opened.column("land"))] == LAND
    assert opened.locate(3) == "row 3"


def test_numbers_of_pandas_are_not_copied() -> None:
    frame = pd.DataFrame({"s": np.arange(5.0), "y": np.arange(5)})
    assert np.shares_memory(open_table(frame).column("s"), frame["s"].to_numpy())


def test_uncommon_arrow_layouts() -> None:
    words = pa.array(["a", None, "b", "a"])
    layouts = [
        words.cast(pa.large_string()),
        words.cast(pa.string_view()),
        words.dictionary_encode().cast(pa.dictionary(pa.int8(), pa.large_string())),
        pa.RunEndEncodedArray.from_arrays([1, 2, 3, 4], words),
        pa.chunked_array(
            [words.dictionary_encode().slice(1), words.slice(0, 1).dictionary_encode()]
        ),
    ]
    for layout in layouts:
        column = open_table(pa.table({"g": layout})).column("g")
        assert sorted(map(str, column.to_pylist())) == ["None", "a", "a", "b"]
        assert column.type in (
            pa.string(),
            pa.large_string(),
            pa.dictionary(pa.int32(), pa.string()),
        )
    frame = pl.DataFrame({"c": pl.Series(["a", None, "b"], dtype=pl.Categorical)})
    enum = frame.select(e=pl.col("c").cast(pl.Enum(["b", "a"])))
    for data, name in ((frame, "c"), (enum, "e")):
        assert open_table(data).column(name).to_pylist() == ["a", None, "b"]
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8()))
    assert open_table(pa.table({"y": flags})).column("y").to_pylist() == [1, 0]


def test_whatever_speaks_arrow() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table().__arrow_c_stream__()

    class Array:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return table().to_batches()[0].__arrow_c_array__()

    assert read(Stream(), "y") == [LABEL]
    assert read(Array(), "y") == [LABEL]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (3, "`data` is int: expected a table"),
        (np.zeros((3, 2)), r"`data` is numpy\.ndarray: expected a table"),
        (pl.Series([1, 2]), "is not a table with columns"),
        (pa.array([1, 2]), "is not a table with columns"),
        ({}, "`data` is an empty dict"),
        ({"y": [1, 2], "s": [1]}, "column 's' has 1 rows and 'y' has 2"),
        ({"y": [1, 2], "s": 0.5}, "column 's' is float: expected a 1-D array"),
        ({"y": [1, 2], "s": np.zeros((2, 2))}, r"column 's' has shape \(2, 2\)"),
        ([1, 2], "`data` is list: expected a table"),
    ],
    ids=named,
)
def test_not_a_table(data: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_table(data)


def test_dicts_do_not_wait_for_pyarrow() -> None:
    code = """
    import sys
    from ranktally._columns import resolve
    columns = resolve({"y": [0, 1], "s": [0.5, 0.7]}, label="y", scores="s")
    assert columns.scores[0].values() == [0.5, 0.7]
    assert not {"pyarrow", "pandas", "polars", "numba"} & set(sys.modules), sorted(sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


# -- what stands in the way of reading ------------------------------------------------------------


def test_csv_row_larger_than_a_block(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.csv", "y,t\n1," + "x" * 3_000_000 + "\n0,b\n")
    assert read(path, "y") == [[1, 0]]
    assert open_table(path).locate(1).endswith("line 3")


@pytest.mark.parametrize("rows", [20_000, 300_000])
def test_csv_quote_that_swallows_many_rows(tmp_path: Path, rows: int) -> None:
    path = csv(tmp_path / "a.csv", 'y,t\n1,"a ""b"""\n1,"open\n' + "0,abcdefgh\n" * rows)
    with pytest.raises(InputError, match=r"a\.csv', line 3: the last quote that opens"):
        read(path, "y")


def test_csv_quote_inside_a_field_is_a_sign(tmp_path: Path) -> None:
    assert read(csv(tmp_path / "a.csv", 'y,t\n1,3"\n0,b\n'), "t") == [['3"', "b"]]


@pytest.mark.parametrize(
    ("head", "said"),
    [(b"PK\x03\x04xx", "zip archive"), (b"\x1f\x8b\x08xx", "gzip"), (b"y\x01,s\n", "not UTF-8")],
)
def test_csv_that_is_no_text(tmp_path: Path, head: bytes, said: str) -> None:
    path = csv(tmp_path / "a.csv", head + b"\n1,2\n")
    with pytest.raises(InputError, match=rf"a\.csv'.*{said}"):
        open_table(path)


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a.csv").symlink_to(tmp_path / "gone")
    for given in (tmp_path / "a.csv", tmp_path, f"{tmp_path}/*.csv"):
        with pytest.raises(InputError, match=r"a\.csv': is a link to '.*gone', which does"):
            open_table(given)


def test_pipes_in_a_folder(tmp_path: Path) -> None:
    csv(tmp_path / "a.csv", "y\n1\n")
    os.mkfifo(tmp_path / "control")  # no data by its name
    assert read(tmp_path, "y") == [[1]]
    os.mkfifo(tmp_path / "b.csv")
    with pytest.raises(InputError, match=r"b\.csv': is a pipe or device"):
        open_table(tmp_path)


def test_folders_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    csv(tmp_path / "a.csv", "y\n1\n")
    (tmp_path / "closed").mkdir()
    scandir, access = os.scandir, os.access

    def refuse(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InputError, match=r"folder '.*closed' cannot be read: Permission denied"):
        open_table(tmp_path)
    monkeypatch.setattr(os, "access", lambda p, mode: access(p, mode) and "closed" not in str(p))
    for given in (f"{tmp_path}/closed/*.csv", tmp_path / "closed" / "a.csv"):
        with pytest.raises(InputError, match=r"no permission for folder '.*closed'"):
            open_table(given)


def test_a_file_name_that_is_not_utf_8(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")).write_text("y\n1\n")
    except OSError:
        pytest.skip("this file system takes no such name")
    with pytest.raises(InputError, match="has a name that is not UTF-8: rename it"):
        open_table(tmp_path)
