"""Tidy rows: every way out of them, lookup, and files that appear whole or not at all."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import os
import pickle
import stat
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from ranktally._rows import FORMATS, Coded, Rows
from ranktally.errors import InputError, MissingExtra


def coded(*texts: str | None) -> Coded:
    names = tuple(dict.fromkeys(text for text in texts if text is not None))
    codes = [-1 if text is None else names.index(text) for text in texts]
    return Coded(np.array(codes, dtype=np.int32), names)


@pytest.fixture
def rows() -> Rows:
    return Rows(
        {
            "model": coded("a", "a", "b", "b"),
            "country": pa.array(["SE", None, "SE", None]),
            "metric": coded("roc_auc", "precision", "roc_auc", "precision"),
            "threshold": np.array([np.nan, 0.7, np.nan, float(np.float32(0.7))]),
            "value": np.array([0.75, np.nan, np.inf, 0.25]),
            "low": np.full(4, np.nan),
            "interval": coded(None, None, None, None),
            "n": np.array([4, 5, 4, 5]),
            "status": coded("ok", "no_positives", "ok", "ok"),
        }
    )


def test_arrow_has_nulls_for_nan_and_the_columns_in_order(rows):
    table = rows.to_arrow()
    assert table.column_names == list(rows.columns)
    assert table["value"].to_pylist() == [0.75, None, math.inf, 0.25]
    assert table["interval"].null_count == 4
    assert table["country"].to_pylist() == ["SE", None, "SE", None]
    assert table.schema.field("n").type == pa.int64()
    assert table.schema.field("model").type == pa.string()


def test_any_arrow_reader_takes_the_rows(rows):
    assert pa.table(rows).equals(rows.to_arrow())
    polars = pytest.importorskip("polars")
    assert polars.from_arrow(pa.table(rows)).height == 4


def test_pandas(rows):
    pytest.importorskip("pandas")
    frame = rows.to_pandas()
    assert frame.loc[frame.model == "b", "value"].tolist() == [math.inf, 0.25]


def test_pandas_missing_names_the_extra(rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"to_pandas.*pip install 'ranktally\[pandas\]'"):
        rows.to_pandas()


def test_dict_holds_python_values(rows):
    first, second, *_ = rows.to_dict()
    assert first == {
        "model": "a", "country": "SE", "metric": "roc_auc", "threshold": None, "value": 0.75,
        "low": None, "interval": None, "n": 4, "status": "ok",
    }  # fmt: skip
    assert type(first["n"]) is int
    assert second["value"] is None


def test_pickle(rows):
    assert pickle.loads(pickle.dumps(rows)).to_arrow().equals(rows.to_arrow())


def test_columns_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        Rows({"model": coded("a"), "value": np.zeros(2)})


# -- text formats --------------------------------------------------------------------------------


def test_markdown_is_this(rows):
    assert rows.to_markdown() == (
        "| model | country | metric    | threshold | value |    n | status       |\n"
        "| ----- | ------- | --------- | --------: | ----: | ---: | ------------ |\n"
        "| a     | SE      | roc_auc   |           |  0.75 |    4 | ok           |\n"
        "| a     |         | precision |       0.7 |       |    5 | no_positives |\n"
        "| b     | SE      | roc_auc   |           |   inf |    4 | ok           |\n"
        "| b     |         | precision |       0.7 |  0.25 |    5 | ok           |\n"
    )


def test_markdown_cells_cannot_break_the_table():
    text = Rows({"model": coded("a|b\n<i>*`\\")}).to_markdown()
    assert text.splitlines()[-1] == "| a\\|b &lt;i>\\*\\`\\\\ |"


def test_html_is_escaped_and_small():
    names = [f"<b>{i}</b>" for i in range(500)]
    text = Rows({"model": coded(*names), "value": np.arange(500.0)})._repr_html_()
    assert "<b>" not in text
    assert "&lt;b&gt;0&lt;/b&gt;" in text
    assert "440 of 500 rows" in text
    assert text.count("<tr>") == 62


def test_json_is_valid_and_holds_no_nan(rows):
    text = rows.encode("json", summary={"x": math.nan, "y": [math.inf, np.float64(1)]}).decode()

    def refuse(name):
        raise AssertionError(name)

    document = json.loads(text, parse_constant=refuse)
    assert list(document) == ["summary", "rows"]
    assert document["summary"] == {"x": None, "y": [None, 1.0]}
    assert [row["value"] for row in document["rows"]] == [0.75, None, None, 0.25]


def test_json_keys_of_any_type():
    keys = pa.array([dt.date(2026, 1, 2), None])
    rows = Rows({"day": keys, "raw": pa.array([b"\xff", b"a"]), "nan": pa.array([math.nan, 1.0])})
    got = json.loads(rows.encode("json"))["rows"]
    assert got == [
        {"day": "2026-01-02", "raw": "\\xff", "nan": None},
        {"day": None, "raw": "a", "nan": 1.0},
    ]


def test_csv_round_trip(rows):
    text = rows.encode("csv").decode()
    back = list(csv.DictReader(io.StringIO(text)))
    assert [row["value"] for row in back] == ["0.75", "", "inf", "0.25"]
    assert back[0]["n"] == "4"
    table = pa.csv.read_csv(io.BytesIO(text.encode()))
    assert table["threshold"].to_pylist() == rows.to_arrow()["threshold"].to_pylist()


def test_csv_tells_null_from_empty_text_and_quotes_what_needs_it():
    rows = Rows({"a,b": pa.array(["", None, 'say "x"', "two\nlines"]), "t": pa.array([True] * 4)})
    text = rows.encode("csv").decode()
    assert text == '"a,b",t\n"",true\n,true\n"say ""x""",true\n"two\nlines",true\n'


def test_csv_numbers_are_exact():
    values = np.array([0.1, 1 / 3, 5e-324, 1.7976931348623157e308])
    text = Rows({"value": values}).encode("csv").decode()
    assert [float(line) for line in text.split()[1:]] == values.tolist()


@pytest.mark.parametrize("format", FORMATS)
def test_no_rows_is_fine(format):
    empty = Rows({"model": coded(), "value": np.empty(0)})
    assert b"model" in empty.encode(format) or format == "json"
    assert empty.to_dict() == []
    assert "model" in empty._repr_html_()


def test_unknown_format(rows):
    with pytest.raises(InputError, match="`format` must be one of csv, json"):
        rows.encode("xlsx")


# -- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["r.csv", "r.json", "r.md", "r.parquet", "r.PQ"])
def test_write_takes_the_format_from_the_suffix(rows, tmp_path, name):
    rows.write(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    if name.lower().endswith(("parquet", "pq")):
        assert pq.read_table(tmp_path / name).equals(rows.to_arrow())
    else:
        assert b"no_positives" in content
    assert os.listdir(tmp_path) == [name]


def test_write_replaces_and_keeps_usual_permissions(rows, tmp_path):
    target = tmp_path / "r.csv"
    target.write_text("old")
    rows.write(target)
    assert target.read_bytes() == rows.encode("csv")
    plain = tmp_path / "plain"
    plain.write_text("")
    rows.write(tmp_path / "new.csv")
    assert stat.S_IMODE(os.stat(tmp_path / "new.csv").st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_write_follows_a_link(rows, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    rows.write(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_bytes() == rows.encode("csv")


def test_write_into_a_pipe_leaves_it_a_pipe(rows, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    rows.write(pipe, format="csv")
    reader.join(10)
    assert got == [rows.encode("csv")]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "missing/r.csv",
            r"cannot write '.*missing/r\.csv': the folder '.*missing' does not exist",
        ),
        ("", "it is a folder"),
        ("r.xyz", r"suffix of '.*r\.xyz' does not tell"),
    ],
)
def test_write_errors_name_the_place(rows, tmp_path, name, said):
    with pytest.raises(InputError, match=said):
        rows.write(f"{tmp_path}/{name}", None if name else "csv")
    assert os.listdir(tmp_path) == []


def test_a_failing_write_leaves_nothing_and_keeps_the_old_file(rows, tmp_path, monkeypatch):
    target = tmp_path / "r.csv"
    target.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match=r"cannot write .*r\.csv.*No space left"):
        rows.write(target)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        rows.write(target)
    assert os.listdir(tmp_path) == ["r.csv"]
    assert target.read_text() == "old"


# -- lookup --------------------------------------------------------------------------------------


def test_value_of_one_row(rows):
    assert rows.value(model="a", metric="roc_auc") == 0.75
    assert math.isnan(rows.value(model="a", country=None))
    assert rows.value(model="b", threshold=None) == math.inf


def test_value_finds_a_float32_threshold_by_the_number_asked_for(rows):
    assert rows.value(model="b", threshold=0.7) == 0.25
    assert math.isnan(rows.value(model="a", threshold=0.7))


@pytest.mark.parametrize(
    ("match", "said"),
    [
        ({"modle": "a"}, r"`modle` is not a column of the result; did you mean 'model'"),
        ({"metric": "rocauc"}, r"`metric` is never 'rocauc'; did you mean 'roc_auc'"),
        (
            {"model": "zzz"},
            r"no row matches model='zzz'; `model` is never 'zzz'; there are 'a', 'b'",
        ),
        ({"model": "a"}, r"2 rows match model='a'; name `country` too: 'SE', None"),
        ({"model": "a", "country": "SE", "metric": "precision"}, r"no row matches model='a', c"),
        ({}, r"4 rows match no condition; name `model` too: 'a', 'b'"),
        ({"n": "4"}, r"`n` is never '4'; did you mean '4'|`n` is never '4'"),
        ({"country": 3}, r"`country` is never 3; there are"),
    ],
)
def test_value_says_what_matched(rows, match, said):
    with pytest.raises(InputError, match=said):
        rows.value(**match)


def test_value_finds_keys_of_any_type():
    days = pa.array([dt.date(2026, 1, 2), dt.date(2026, 1, 3), None])
    rows = Rows(
        {
            "day": days,
            "self": pa.array([1.5, math.nan, None]),
            "flag": np.array([True, False, False]),
            "value": np.array([1.0, 2.0, 3.0]),
        }
    )
    assert rows.value(day=dt.date(2026, 1, 3)) == 2.0
    assert rows.value(day=None) == 3.0
    assert rows.value(self=math.nan) == 2.0
    assert rows.value(flag=True) == 1.0
