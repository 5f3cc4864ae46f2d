"""Columns to group by: keys of every type, and what cannot be a key."""

from __future__ import annotations

import datetime
import uuid
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ranktally as rt

DAY, LATER = datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
MIDNIGHT = datetime.datetime(2020, 1, 1, tzinfo=BERLIN)
KEYS = {
    "dates": (pl.Series([DAY, None] * 3), [DAY, None]),
    "days": (np.array(["2020-01-01", "NaT"] * 3, "M8[D]"), [DAY, None]),
    "hours east": (pl.Series([MIDNIGHT, None] * 3), [MIDNIGHT, None]),
    "nanoseconds": (
        np.array([1, 2] * 3, "M8[ns]"),
        ["1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000000002"],
    ),
    "durations": (np.array([1, "NaT"] * 3, "m8[s]"), [datetime.timedelta(seconds=1), None]),
    "times in a dictionary": (
        pa.array([DAY, LATER] * 3).dictionary_encode(),
        [DAY, LATER],
    ),
    "objects with nan": (np.array(["a", np.nan] * 3, object), ["a", None]),
    "intervals": (pd.cut(pd.Series([1, 2] * 3), [0, 1, 2]), ["(0, 1]", "(1, 2]"]),
    "periods": (
        pd.Series(pd.PeriodIndex(["2020-02", "2020-01"] * 3, freq="M")),
        ["2020-01", "2020-02"],
    ),
    "uuids": ([uuid.UUID(int=k) for k in (1, 2)] * 3, [str(uuid.UUID(int=k)) for k in (1, 2)]),
    "integers beyond 64 bits": ([10**30, 1] * 3, ["1", str(10**30)]),
    "negative zero": (np.array([-0.0, 0.0, 1.0] * 2), [0.0, 1.0]),
    "sparse": (pd.Series(pd.arrays.SparseArray([1, 0] * 3)), [0, 1]),
    "bytes": (pl.Series([b"a", b"b"] * 3), [b"a", b"b"]),
    "run ends": (pa.RunEndEncodedArray.from_arrays([2, 6], ["a", "b"]), ["a", "b"]),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_every_type(name):
    by, expected = KEYS[name]
    result = rt.evaluate(
        label=[0, 1, 1, 0, 1, 0], scores=range(6), by=by, metrics="prevalence", at=1, missing="omit"
    )
    rows = result.to_dict()
    assert [row["group"] for row in rows] == expected
    assert not any(str(row["group"]) == "-0.0" for row in rows)
    assert sum(row["n"] for row in rows) == 6
    for row in rows:
        assert result.value("score", "prevalence", group=row["group"]) == row["value"]
    for format in ("csv", "json", "markdown", "parquet"):
        assert result.encode(format)
    assert str(result)


@pytest.mark.parametrize(
    "by",
    [
        np.array([1, "a", 2.5] * 2, object),
        np.array([DAY, MIDNIGHT, DAY] * 2, object),
        np.array([{}] * 6, object),
        np.array([1j] * 6),
        np.zeros(6, [("a", "i4")]),
    ],
    ids=["mixed", "mixed times", "unhashable", "complex", "records"],
)
def test_keys_that_are_none(by):
    with pytest.raises(rt.InputError, match=r"\A`by` 'group' .*convert it to text\Z"):
        rt.evaluate(label=[0, 1, 1, 0, 1, 0], scores=range(6), by=by)
