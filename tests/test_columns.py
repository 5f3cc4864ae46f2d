"""Names, globs and arrays -> columns; and every way in which they may not fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ranktally._columns import Column, Columns, resolve
from ranktally._tables import open_table
from ranktally.errors import InputError, SchemaMismatch

Y = np.array([0, 1, 1, 0])
S = np.array([0.1, 0.9, 0.6, 0.7])
DATA = {
    "y": Y,
    "model_a": S,
    "model_b": S * 2,
    "model_weight": np.ones(4),
    "other": S,
    "land": ["de", "fr", "de", "us"],
}


def named(value: Any) -> str | None:
    """Name a case by the words in it: what prints its address is named anew by each process."""
    return value[:40] if isinstance(value, str) else None


def names(columns: tuple[Column, ...]) -> list[str]:
    return [column.name for column in columns]


def grouped(columns: Columns) -> list[list[str]] | None:
    return None if columns.groupings is None else [names(g) for g in columns.groupings]


# -- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("model_a", ["model_a"]),
        (["model_b", "model_a"], ["model_b", "model_a"]),
        ("model_*", ["model_a", "model_b"]),
        ("*_[ab]", ["model_a", "model_b"]),
        (["other", "model_?"], ["other", "model_a", "model_b"]),
        (["model_b", "model_*"], ["model_b", "model_a"]),
        ("*", ["model_a", "model_b", "other"]),
        ({"mine": "other", "new": S}, ["mine", "new"]),
        (S, ["score"]),
        (list(S), ["score"]),
        (pd.Series(S, name="mine"), ["score"]),
        (S.reshape(4, 1), ["model_0"]),
        (np.column_stack([S, S, S]), ["model_0", "model_1", "model_2"]),
        (pd.DataFrame({"p": S, "q": S}), ["p", "q"]),
        (pl.DataFrame({"p": S, "q": S}), ["p", "q"]),
        (pa.table({"p": S}), ["p"]),
    ],
    ids=named,
)
def test_scores(scores: Any, expected: list[str]) -> None:
    columns = resolve(DATA, label="y", scores=scores, weight="model_weight", by="land")
    assert names(columns.scores) == expected
    assert (columns.n_rows, columns.n_files) == (4, 0)
    for model in columns.scores:
        assert model.role == "scores"
        assert len(model.values()) == 4
        assert model.locate(2) == "row 2"


def test_a_column_whose_name_looks_like_a_glob() -> None:
    data = {"y": Y, "m*": S, "mx": S}
    assert names(resolve(data, label="y", scores="m*").scores) == ["m*"]


def test_the_columns_of_a_matrix_and_of_a_frame() -> None:
    matrix = np.column_stack([S, S * 2])
    for scores in (matrix, pd.DataFrame(matrix), pl.DataFrame(matrix)):
        models = resolve(label=Y, scores=scores).scores
        assert [np.asarray(m.values()).tolist() for m in models] == matrix.T.tolist()


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (
            "model_c",
            r"`scores`: there is no column 'model_c'; did you mean 'model_[ab]' or 'model_",
        ),
        ("MODEL_A", r"did you mean 'model_a'"),
        ("zzz", r"no column 'zzz'; the columns are 'y', 'model_a', .* 'land'$"),
        ("zz_*", r"no column matches 'zz_\*'; the columns are 'y'"),
        (["model_a", "model_a"], r"`scores`: 'model_a' comes twice"),
        ([], "empty list"),
        ({}, "empty dict"),
        ([S, S], r"list of arrays, which could be rows or models: pass a dict"),
        (0.5, "`scores` is float: expected a column name or a 1-D array"),
        (np.zeros((4, 2, 2)), r"`scores` has shape \(4, 2, 2\)"),
        (np.zeros((4, 0)), r"`scores` has shape \(4, 0\): expected at least one column"),
        (np.column_stack([1 - S, S]), r"shape \(4, 2\) and its rows sum to 1, as `predict_proba`"),
        (pd.DataFrame(np.column_stack([1 - S, S])), "as `predict_proba` returns"),
        ({"a": np.column_stack([1 - S, S])}, r"`scores` 'a' has shape \(4, 2\) and its rows sum"),
        ({"a": np.zeros((4, 2))}, r"`scores` 'a' has shape \(4, 2\): expected a 1-D array"),
        ({"a": S, "b": S[:3]}, r"`data` has 4 rows and `scores` 'b' has 3: expected equal lengths"),
        (S[:3], "`data` has 4 rows and `scores` has 3"),
        (pd.DataFrame({"p": S[:2]}), "`data` has 4 rows and `scores` has 2"),
    ],
    ids=named,
)
def test_scores_that_do_not_fit(scores: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        resolve(DATA, label="y", scores=scores)
    assert "\n" not in str(caught.value)


def test_only_the_first_columns_of_many_are_listed() -> None:
    data = {f"c{i}": Y for i in range(40)}
    with pytest.raises(InputError, match=r"'c11' and 28 more$"):
        resolve(data, label="zzzz", scores="c1")


# -- label, weight, cluster -----------------------------------------------------------------------


def test_arrays_beside_names() -> None:
    weight = pd.Series([1, 2, 3, 4], name="w")
    cluster = pl.Series("who", [1, 1, 2, 2])
    columns = resolve(DATA, label=list(Y), scores="model_a", weight=weight, cluster=cluster)
    assert (columns.label.role, columns.label.name) == ("label", "label")
    assert columns.weight is not None
    assert columns.cluster is not None
    assert (columns.weight.role, columns.weight.name) == ("weight", "w")
    assert (columns.cluster.role, columns.cluster.name) == ("cluster", "who")
    assert columns.weight.values() is weight
    assert columns.label.values() == list(Y)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"label": "lable"}, "`label`: there is no column 'lable'"),
        ({"label": "Y"}, "did you mean 'y'"),
        ({"label": 3}, "`label` is int: expected a column name or a 1-D array"),
        ({"label": b"y"}, "`label` is bytes"),
        ({"label": iter(Y)}, "`label` is .*iterator"),
        ({"label": np.zeros((4, 3))}, r"`label` has shape \(4, 3\)"),
        ({"label": Y[:3]}, "`data` has 4 rows and `label` has 3"),
        ({"weight": "w"}, "`weight`: there is no column 'w'"),
        ({"weight": np.ones(5)}, "`weight` has 5"),
        ({"cluster": "land_"}, "`cluster`: there is no column 'land_'; did you mean 'land'"),
        ({"cluster": [1]}, "`cluster` has 1"),
        ({"by": "lnd"}, "`by`: there is no column 'lnd'; did you mean 'land'"),
        ({"by": np.zeros(9)}, "`by` has 9"),
    ],
    ids=named,
)
def test_what_does_not_fit(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        resolve(DATA, **({"label": "y", "scores": "model_a"} | arguments))


def test_lengths_without_data() -> None:
    with pytest.raises(InputError, match="`label` has 4 rows and `scores` has 3"):
        resolve(label=Y, scores=S[:3])
    with pytest.raises(InputError, match=r"`label` is the name 'y', but there is no `data`"):
        resolve(label="y", scores=S)


def test_no_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`label` has no rows"):
        resolve(label=[], scores=np.array([]))
    with pytest.raises(InputError, match="`data` has no rows"):
        resolve({"y": [], "s": []}, label="y", scores="s")
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("y,s\n")
    with pytest.raises(InputError, match=r"`data` \(2 files, the first '.*a.csv'\) has no rows"):
        resolve(tmp_path, label="y", scores="s")
    with pytest.raises(InputError, match=r"^file '.*a\.csv' has no rows"):
        resolve(tmp_path / "a.csv", label="y", scores="s")


def test_columns_of_one() -> None:
    columns = resolve(label=Y.reshape(4, 1), scores=S)
    assert columns.n_rows == 4


# -- pandas indexes -------------------------------------------------------------------------------


def test_pandas_indexes_must_agree() -> None:
    y = pd.Series(Y)
    turned = pd.Series(S, index=[3, 2, 1, 0])
    shifted = pd.DataFrame({"m": S}, index=[1, 2, 3, 4])
    said = "have different pandas indexes"
    with pytest.raises(InputError, match=f"`scores` and `label` {said}"):
        resolve(label=y, scores=turned)
    with pytest.raises(InputError, match=f"`scores` 'm' and `label` {said}"):
        resolve(label=y, scores={"m": turned})
    with pytest.raises(InputError, match=f"`scores` and `label` {said}"):
        resolve(label=y, scores=shifted)
    with pytest.raises(InputError, match=f"`label` and `data` {said}"):
        resolve(shifted, label=y, scores="m")
    with pytest.raises(InputError, match=f"`weight` and `label` {said}"):
        resolve(label=y, scores=S, weight=turned)
    with pytest.raises(InputError, match=f"`by` and `label` {said}"):
        resolve(label=y, scores=S, by=turned)
    with pytest.raises(InputError, match=f"`data` column 's' and `data` column 'y' {said}"):
        resolve({"y": y, "s": turned}, label="y", scores="s")
    assert resolve(label=y, scores=turned.to_numpy(), weight=list(turned)).n_rows == 4
    assert resolve(label=y[::-1], scores=turned).n_rows == 4


# -- groups ---------------------------------------------------------------------------------------

PLACE = pd.Series(list("abab"), name="place")


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (None, None),
        ("land", [["land"]]),
        (["land", "other"], [["land", "other"]]),
        (("land",), [["land"]]),
        ([[], ["land"], ["land", "other"]], [[], ["land"], ["land", "other"]]),
        ([[]], [[]]),
        ([], [[]]),
        (PLACE, [["place"]]),
        (np.array([1, 2, 1, 2]), [["group"]]),
        ([1, 2, 1, 2], [["group"]]),
        ([PLACE, "land"], [["place", "land"]]),
        ([[PLACE], [PLACE, "land"]], [["place"], ["place", "land"]]),
        ([np.arange(4), np.arange(4)], [["group", "group_1"]]),
    ],
    ids=named,
)
def test_groupings(by: Any, expected: Any) -> None:
    columns = resolve(DATA, label="y", scores="model_a", by=by)
    assert grouped(columns) == expected
    for grouping in columns.groupings or ():
        assert all(column.role == "by" and len(column.values()) == 4 for column in grouping)


def test_a_list_of_words_is_names_with_data_and_values_without() -> None:
    assert grouped(resolve(label=Y, scores=S, by=["de", "fr", "de", "us"])) == [["group"]]
    with pytest.raises(InputError, match="`by`: there is no column 'de'"):
        resolve(DATA, label="y", scores="model_a", by=["de", "fr", "de", "us"])


def test_one_array_in_two_groupings_is_one_column() -> None:
    columns = resolve(DATA, label="y", scores="model_a", by=[[PLACE], [PLACE, "land"]])
    assert columns.groupings is not None
    assert columns.groupings[0][0] is columns.groupings[1][0]


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (["land", "land"], "`by`: 'land' comes twice in one grouping"),
        ([["land"], ["land"]], r"`by`: the grouping \['land'\] comes twice"),
    ],
    ids=named,
)
def test_groupings_that_do_not_fit(by: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        resolve(DATA, label="y", scores="model_a", by=by)


# -- tables and files -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "arrow", "duckdb", "opened"])
def test_every_table(kind: str) -> None:
    frame = pd.DataFrame(DATA)
    data: Any = {
        "dict": lambda: DATA,
        "pandas": lambda: frame,
        "polars": lambda: pl.DataFrame(DATA),
        "arrow": lambda: pa.table(DATA),
        "duckdb": lambda: duckdb.from_df(frame),
        "opened": lambda: open_table(pa.table(DATA)),
    }[kind]()
    columns = resolve(data, label="y", scores="model_[ab]", by=["land"])
    assert np.asarray(columns.label.values()).tolist() == Y.tolist()
    assert [np.asarray(m.values()).tolist() for m in columns.scores] == [
        S.tolist(),
        (S * 2).tolist(),
    ]


def test_files(tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        data = {"y": Y, "model_a": S, "model_b": S, "model_day": S}
        pq.write_table(pa.table(data), tmp_path / f"day={day}" / "x.parquet")
    columns = resolve(tmp_path, label="y", scores="*", weight="model_day", by=["day", "_file"])
    assert names(columns.scores) == ["model_a", "model_b"]
    assert (columns.n_rows, columns.n_files) == (8, 2)
    assert columns.label.values(2).tolist() == Y.tolist() * 2
    assert columns.groupings is not None
    day, file = columns.groupings[0]
    assert day.values().to_pylist() == [1] * 4 + [2] * 4
    assert file.values().to_pylist()[4].endswith("day=2/x.parquet")
    assert columns.scores[0].locate(5).endswith("day=2/x.parquet', row 1")
    with pytest.raises(InputError, match=r"no column 'modl_a'; did you mean 'model_a'"):
        resolve(tmp_path, label="y", scores="modl_a")
    with pytest.raises(InputError, match="`data` has 8 rows and `label` has 4"):
        resolve(tmp_path, label=Y, scores="model_a")


def test_files_that_disagree(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": Y, "m_1": S}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": Y, "m_1": S, "m_2": S}), tmp_path / "b.parquet")
    assert resolve(tmp_path, label="y", scores="m_1").n_rows == 8
    with pytest.raises(SchemaMismatch, match=r"a\.parquet': has no column 'm_2'"):
        resolve(tmp_path, label="y", scores="m_*")


def test_csv_is_parsed_once_for_all_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,a,b,note\n1,0.5,1,x\n0,0.25,2,y\n")
    columns = resolve(str(path), label="y", scores=["a", "b"], threads=2)
    path.unlink()
    assert [m.values().tolist() for m in columns.scores] == [[0.5, 0.25], [1, 2]]
    assert columns.n_rows == 2


def test_small_columns_of_files_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(3):
        data = {"y": Y, "model_a": S + i, "model_b": S - i, "land": DATA["land"]}
        part = pa.table({name: np.tile(values, 50) for name, values in data.items()})
        pq.write_table(part, tmp_path / f"{i}.parquet")
    for max_memory, passes in ((None, 1), (1, 4)):
        columns = resolve(
            tmp_path, label="y", scores="model_*", by="land", threads=2, max_memory=max_memory
        )
        opened: list[str] = []
        plain = pq.ParquetFile

        def count(path: str, *args: Any, **options: Any) -> Any:
            opened.append(path)  # noqa: B023
            return plain(path, *args, **options)  # noqa: B023

        with monkeypatch.context() as patch:
            patch.setattr(pq, "ParquetFile", count)
            assert columns.label.values(2).tolist() == Y.tolist() * 150
            assert columns.groupings is not None
            assert columns.groupings[0][0].values(2).to_pylist() == list(DATA["land"]) * 150
            for model, sign in zip(columns.scores, (1, -1), strict=True):
                assert np.array_equal(
                    model.values(1), np.concatenate([np.tile(S + sign * i, 50) for i in range(3)])
                )
        assert len(opened) == 3 * passes
