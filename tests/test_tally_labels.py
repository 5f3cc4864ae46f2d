"""Labels: every coding with its rule, and the missing ones."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusals import refused

import ranktally as rt

Y = [1, 0, 1, 0]
S = [0.9, 0.8, 0.7, 0.1]
AUC = 0.75
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

TRUTH = [True, False, True, False]
CODINGS = {
    **{f"numpy {d}": np.array(Y, dtype=d) for d in INTEGERS},
    **{f"numpy {d} -1/1": np.where(TRUTH, 1, -1).astype(d) for d in INTEGERS[:4]},
    **{f"numpy {d}": np.array(Y, dtype=d) for d in ("float16", "float32", "float64")},
    "numpy float64 -1/1": np.array([1.0, -1.0, 1.0, -1.0]),
    "numpy bool": np.array(TRUTH),
    "big-endian": np.array(Y, dtype=">i4"),
    "object ints": np.array(Y, dtype=object),
    "object bools": np.array(TRUTH, dtype=object),
    "object bools and ints": np.array([True, 0, 1, False], dtype=object),
    "list of ints": Y,
    "list of bools": TRUTH,
    "list of floats": [1.0, 0.0, 1.0, 0.0],
    "list of bools and ints": [True, 0, 1, False],
    "tuple": tuple(Y),
    "strided": np.array([1, 9, 0, 9, 1, 9, 0, 9])[::2],
    "pandas int64": pd.Series(Y),
    "pandas Int8": pd.Series(Y, dtype="Int8"),
    "pandas boolean": pd.Series(TRUTH, dtype="boolean"),
    "pandas Float64": pd.Series(Y, dtype="Float64"),
    "pandas object": pd.Series(TRUTH, dtype=object),
    "pandas category of ints": pd.Series(Y, dtype="category"),
    "pandas category of bools": pd.Series(TRUTH, dtype="category"),
    "pandas arrow bool": pd.Series(TRUTH, dtype=pd.ArrowDtype(pa.bool_())),
    "polars Int8": pl.Series(Y, dtype=pl.Int8),
    "polars Boolean": pl.Series(TRUTH),
    "polars Float32": pl.Series(Y, dtype=pl.Float32),
    "arrow bool": pa.array(TRUTH),
    "arrow bool at an offset": pa.array([False, *TRUTH, True])[1:5],
    "arrow bool, chunks": pa.chunked_array([[], TRUTH[:1], [], TRUTH[1:]], type=pa.bool_()),
    "arrow int8": pa.array(Y, pa.int8()),
    "arrow uint64": pa.array(Y, pa.uint64()),
    "arrow float32": pa.array([1.0, 0.0, 1.0, 0.0], pa.float32()),
    "arrow dictionary of ints": pa.array(Y).dictionary_encode(),
}


@pytest.mark.parametrize("coding", CODINGS)
def test_codings_that_need_no_pos_label(engine, coding):
    t = rt.tally(CODINGS[coding], S, engine=engine)
    assert t.roc_auc() == AUC
    assert (t.n_pos, t.n_neg) == (2, 2)


WORDS = ["yes", "no", "yes", "no"]
TEXTS = {
    "list": WORDS,
    "numpy U": np.array(WORDS),
    "numpy S": np.array(WORDS, dtype="S3").astype("U3"),
    "numpy object": np.array(WORDS, dtype=object),
    "numpy StringDType": np.array(WORDS, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series(WORDS),
    "pandas object": pd.Series(WORDS, dtype=object),
    "pandas string": pd.Series(WORDS, dtype="string"),
    "pandas category": pd.Series(pd.Categorical(WORDS, categories=["yes", "no"])),
    "pandas category turned": pd.Series(pd.Categorical(WORDS, categories=["no", "yes"])),
    "pandas unused category": pd.Series(pd.Categorical(WORDS, categories=["no", "maybe", "yes"])),
    "polars String": pl.Series(WORDS),
    "polars Categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars Enum": pl.Series(WORDS, dtype=pl.Enum(["no", "yes"])),
    "arrow string": pa.array(WORDS),
    "arrow large_string": pa.array(WORDS, pa.large_string()),
    "arrow string_view": pa.array(WORDS, pa.string_view()),
    "arrow dictionary": pa.array(WORDS).dictionary_encode(),
    "arrow dictionary, chunks": pa.chunked_array(
        [pa.array(["yes", "no"]).dictionary_encode(), pa.array(["no", "yes"][::-1])
         .dictionary_encode()]
    ),
    "arrow dictionary at an offset": pa.array(["no", *WORDS]).dictionary_encode()[1:],
}  # fmt: skip


@pytest.mark.parametrize("coding", TEXTS)
def test_text_labels_with_pos_label(engine, coding):
    assert rt.tally(TEXTS[coding], S, pos_label="yes", engine=engine).roc_auc() == AUC
    assert rt.tally(TEXTS[coding], S, pos_label="no", engine=engine).roc_auc() == 1 - AUC


@pytest.mark.parametrize("coding", TEXTS)
def test_text_labels_must_name_the_positive_class(coding):
    with refused("pos_label", "'yes'", "'no'"):
        rt.tally(TEXTS[coding], S)


def test_chunks_with_different_dictionaries():
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), ["yes", "no"])
    second = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), ["no", "yes"])
    labels = pa.chunked_array([first, second])
    assert rt.tally(labels, S, pos_label="yes").roc_auc() == AUC


def test_null_value_inside_a_dictionary():
    labels = pa.DictionaryArray.from_arrays(
        pa.array([1, 0, 2, 0], pa.int32()), pa.array(["no", "yes", None])
    )
    with refused("1", "missing", "row 2"):
        rt.tally(labels, S, pos_label="yes")
    assert rt.tally(labels, S, pos_label="yes", missing="omit").n_pos == 1


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [
        ([1, 2, 1, 2], 1, AUC),
        ([1, 2, 1, 2], 2, 1 - AUC),
        ([0, 1, 0, 1], 0, AUC),
        ([-1, 0, -1, 0], -1, AUC),
        ([5.5, 2.5, 5.5, 2.5], 5.5, AUC),
        ([True, False, True, False], False, 1 - AUC),
        (pd.Series([3, 4, 3, 4], dtype="Int64"), 3, AUC),
        (np.array([200, 3, 200, 3], dtype="uint8"), 200, AUC),
        (np.array(Y), np.int64(1), AUC),
        (np.array(WORDS), np.str_("yes"), AUC),
    ],
)
def test_pos_label_names_the_class(engine, labels, pos_label, expected):
    assert rt.tally(labels, S, pos_label=pos_label, engine=engine).roc_auc() == expected


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        ([1, 2, 1, 2], ("1", "2")),
        ([-1, 0, -1, 0], ("-1", "0")),
        ([2, 2, 2, 2], ("2",)),
        ([0.0, 0.5, 0.0, 0.5], ("0.5",)),
        (["b", "b", "b", "b"], ("'b'",)),
        (["0", "1", "1", "0"], ("'0'", "'1'")),
    ],
)
def test_other_codings_must_name_pos_label(labels, named):
    with refused("pos_label", *named):
        rt.tally(labels, S)


@pytest.mark.parametrize(
    ("labels", "pos_label", "named"),
    [
        ([0, 1, 2, 1], None, ("0", "1", "2")),
        ([0, 1, 2, 1], 1, ("2",)),
        ([-1, 0, 1, 0], None, ("-1", "0", "1")),
        (["a", "b", "c", "a"], "a", ("'b'", "'c'")),
        (pd.Series(["a", "b", "c", "a"], dtype="category"), "a", ("'b'", "'c'")),
    ],
)
def test_a_third_label_is_named(labels, pos_label, named):
    with refused(*named):
        rt.tally(labels, S, pos_label=pos_label)


@pytest.mark.parametrize(
    ("labels", "pos_label", "named"),
    [
        (["0", "1", "1", "0"], 1, ("pos_label", "1", "'0'", "'1'")),
        ([0, 1, 1, 0], "1", ("pos_label", "'1'", "0", "1")),
        ([0, 1, 1, 0], 2, ("pos_label", "2", "0", "1")),
        (["a", "b", "b", "a"], "c", ("pos_label", "'c'", "'a'", "'b'")),
    ],
)
def test_pos_label_that_is_no_label(labels, pos_label, named):
    with refused(*named):
        rt.tally(labels, S, pos_label=pos_label)


def test_one_class_of_a_known_coding_needs_no_pos_label(engine):
    assert rt.tally([0, 0], [0.1, 0.2], engine=engine).n_pos == 0
    assert rt.tally([1, 1], [0.1, 0.2], engine=engine).n_neg == 0
    assert rt.tally([-1, -1], [0.1, 0.2], engine=engine).n_neg == 2
    assert rt.tally([True, True], [0.1, 0.2], engine=engine).n_pos == 2


MISSING_LABELS = {
    "list of bools": [True, None, False, True],
    "list of floats": [1.0, math.nan, 0.0, 1.0],
    "object": np.array([True, None, False, True], dtype=object),
    "pandas boolean": pd.Series([True, pd.NA, False, True], dtype="boolean"),
    "pandas Int8": pd.Series([1, pd.NA, 0, 1], dtype="Int8"),
    "pandas object": pd.Series([True, None, False, True], dtype=object),
    "pandas category": pd.Series([1, None, 0, 1], dtype="category"),
    "polars": pl.Series([True, None, False, True]),
    "arrow bool": pa.array([True, None, False, True]),
    "arrow bool at an offset": pa.array([None, True, None, False, True])[1:],
    "arrow int": pa.array([1, None, 0, 1]),
    "arrow dictionary": pa.array([1, None, 0, 1]).dictionary_encode(),
}


@pytest.mark.parametrize("form", MISSING_LABELS)
def test_missing_labels(engine, form):
    labels, scores = MISSING_LABELS[form], [0.9, 0.8, 0.7, 0.75]
    with refused("y_true", "1", "row 1", "missing="):
        rt.tally(labels, scores)
    t = rt.tally(labels, scores, missing="omit", engine=engine)
    assert t.roc_auc() == 1.0
    assert (t.n_pos, t.n_neg, t.n_null + t.n_nan) == (2, 1, 1)


@pytest.mark.parametrize(
    "labels",
    [
        ["yes", None, "no", "yes"],
        np.array(["yes", None, "no", "yes"], dtype=object),
        np.array(["yes", math.nan, "no", "yes"], dtype=object),
        pd.Series(["yes", None, "no", "yes"]),
        pd.Series(["yes", None, "no", "yes"], dtype="string"),
        pd.Series(["yes", None, "no", "yes"], dtype="category"),
        pl.Series(["yes", None, "no", "yes"], dtype=pl.Categorical),
        pa.array(["yes", None, "no", "yes"]),
        pa.array(["yes", None, "no", "yes"]).dictionary_encode(),
    ],
)
def test_missing_text_labels(engine, labels):
    with refused("y_true", "1", "row 1"):
        rt.tally(labels, S, pos_label="yes")
    t = rt.tally(labels, S, pos_label="yes", missing="omit", engine=engine)
    assert (t.n_pos, t.n_neg) == (2, 1)


def test_a_missing_label_has_one_way_out(engine):
    """Scores can rank last; a label that is not known cannot."""
    with pytest.raises(rt.InputError) as refusal:
        rt.tally([1, None, 0], [0.1, 0.2, 0.3], engine=engine)
    assert "omit" in str(refusal.value)
    assert "worst" not in str(refusal.value)
    with refused("y_true", "row 1", "omit"):
        rt.tally([1, None, 0], [0.1, 0.2, 0.3], missing="worst", engine=engine)
