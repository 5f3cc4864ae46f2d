"""What `rt.tally` lets in, what it refuses, and what the refusal says."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusals import answer, refused

import ranktally as rt

Y = [1, 0, 1, 0]
S = [0.9, 0.8, 0.7, 0.1]
AUC = 0.75
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

# --- scores -----------------------------------------------------------------------------------

RANKS = [7, 5, 3, 1]
FORMS = {
    **{f"numpy {d}": np.array(RANKS, dtype=d) for d in INTEGERS},
    **{f"numpy {d}": np.array(RANKS, dtype=d) for d in ("float16", "float32", "float64")},
    **{f"numpy {d}": np.array(RANKS, dtype=d) for d in (">f8", ">f4", ">f2", ">i8", ">i4", ">u2")},
    "strided": np.array([7, 0, 5, 0, 3, 0, 1, 0], dtype=np.float32)[::2],
    "reversed": np.array(RANKS[::-1], dtype=np.float64)[::-1],
    "column of a matrix": np.array([[r, 0] for r in RANKS], dtype=np.float64)[:, 0],
    "unaligned": np.frombuffer(b"0" + np.array(RANKS, "<f8").tobytes(), "u1")[1:].view("<f8"),
    "list": RANKS,
    "tuple": tuple(RANKS),
    "list of floats": [float(r) for r in RANKS],
    "object": np.array(RANKS, dtype=object),
    "pandas float64": pd.Series(RANKS, dtype="float64"),
    "pandas Float32": pd.Series(RANKS, dtype="Float32"),
    "pandas Int64": pd.Series(RANKS, dtype="Int64"),
    "pandas UInt8": pd.Series(RANKS, dtype="UInt8"),
    "pandas arrow": pd.Series(RANKS, dtype=pd.ArrowDtype(pa.float32())),
    "polars Float64": pl.Series(RANKS, dtype=pl.Float64),
    "polars Float32": pl.Series(RANKS, dtype=pl.Float32),
    "polars UInt64": pl.Series(RANKS, dtype=pl.UInt64),
    "arrow float16": pa.array(np.array(RANKS, np.float16)),
    "arrow float32": pa.array(RANKS, pa.float32()),
    "arrow uint8": pa.array(RANKS, pa.uint8()),
    "arrow chunks": pa.chunked_array([[7.0], [], [5.0, 3.0], [1.0]]),
    "arrow at an offset": pa.array([0.0, *map(float, RANKS), 9.0])[1:5],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_scores(engine, form):
    t = rt.tally(Y, FORMS[form], engine=engine)
    assert t.roc_auc() == AUC
    assert t.threshold.tolist() == RANKS


@pytest.mark.parametrize("dtype", ["float32", "float64", *INTEGERS])
def test_thresholds_keep_the_dtype_of_the_scores(engine, dtype):
    t = rt.tally(Y, np.array(RANKS, dtype=dtype), engine=engine)
    assert t.threshold.dtype == np.dtype(dtype)


def test_half_precision_thresholds_stay_the_same_numbers(engine):
    scores = np.array([0.1, 0.7, 0.3, 0.1], dtype=np.float16)
    t = rt.tally(Y, scores, engine=engine)
    assert t.threshold.tolist() == sorted(set(scores.tolist()), reverse=True)
    assert t.at(0.7).tp + t.at(0.7).fp == 1


@pytest.mark.parametrize(
    "scores",
    [
        [True, True, False, False],
        np.array([True, True, False, False]),
        pa.array([False, True, True, False, False])[1:],
        pd.Series([True, True, False, False], dtype="boolean"),
    ],
)
def test_boolean_scores_rank(engine, scores):
    t = rt.tally(Y, scores, engine=engine)
    assert t.roc_auc() == 0.5
    assert [int(x) for x in t.threshold] == [1, 0]


def test_memory_map(engine, tmp_path):
    np.save(tmp_path / "s.npy", np.array(S))
    before = (tmp_path / "s.npy").read_bytes()
    scores = np.load(tmp_path / "s.npy", mmap_mode="r")
    assert type(rt.tally(Y, scores, engine=engine).roc_auc()) is float
    assert (tmp_path / "s.npy").read_bytes() == before


def test_read_only_input_and_no_aliasing(engine):
    labels, scores = np.array(Y), np.array(S)
    for array in (labels, scores):
        array.flags.writeable = False
    t = rt.tally(labels, scores, engine=engine)
    assert t.roc_auc() == AUC
    loose = np.array([0.9])
    kept = rt.tally([1], loose, engine=engine)
    loose[0] = -1
    assert kept.threshold.tolist() == [0.9]


def test_input_is_left_alone(engine):
    labels, scores, weights = np.array(Y), np.array([0.1, 0.9, 0.5, 0.5]), np.array([1.0, 2, 3, 0])
    copies = [x.copy() for x in (labels, scores, weights)]
    rt.tally(labels, scores, engine=engine)
    rt.tally(labels, scores, weights, engine=engine)
    for array, copy in zip((labels, scores, weights), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    "scores",
    [
        ["a", "b", "c", "d"],
        ["0.9", "0.8", "0.7", "0.1"],
        np.array([1j, 2, 3, 4]),
        np.array(["2020-01-01"] * 4, dtype="datetime64[D]"),
        [[1], [2], [3], [4, 5]],
        pa.array(["a", "b", "c", "d"]),
        pa.array([b"ab"] * 4, pa.binary(2)),
        pd.Series(["a", "b", "c", "d"], dtype="category"),
        [object()] * 4,
    ],
)
def test_scores_that_are_no_numbers(scores):
    with refused("y_score"):
        rt.tally(Y, scores)


def test_wider_floats_are_not_narrowed_in_silence():
    # 1 and its longdouble neighbour are one float64: either kept apart or refused.
    scores = np.array([1, 0], dtype=np.longdouble)
    scores[1] = np.nextafter(np.longdouble(1), np.longdouble(0))
    if np.finfo(np.longdouble).eps == np.finfo(np.float64).eps:
        scores[1] = 0
    t = answer(lambda: rt.tally([1, 0], scores), "y_score")
    assert t is None or t.roc_auc() == 1.0


# --- shapes and lengths -----------------------------------------------------------------------


def test_lengths_that_differ():
    with refused("y_true", 4, "y_score", 3):
        rt.tally(Y, S[:3])
    with refused("sample_weight", 2, 4):
        rt.tally(Y, S, [1, 2])


@pytest.mark.parametrize(
    "proba",
    [
        [[0.1, 0.9], [0.8, 0.2], [0.35, 0.65], [0.6, 0.4]],
        np.array([[0.1, 0.9], [0.8, 0.2], [0.35, 0.65], [0.6, 0.4]], dtype=np.float32),
        pd.DataFrame({"0": [0.1, 0.8, 0.35, 0.6], "1": [0.9, 0.2, 0.65, 0.4]}),
    ],
)
def test_predict_proba_output(proba):
    with refused("y_score", "predict_proba", "[:, 1]"):
        rt.tally(Y, proba)


def test_other_matrices():
    with refused("y_score", "(4, 3)"):
        rt.tally(Y, np.zeros((4, 3)))
    with refused("y_true", "(4, 2)"):
        rt.tally(np.zeros((4, 2)), S)
    with refused("sample_weight", "(4, 2)"):
        rt.tally(Y, S, np.zeros((4, 2)))
    with refused("y_true"):
        rt.tally(1, S)
    with refused("y_score"):
        rt.tally(Y, 0.5)


def test_pandas_indexes_must_agree():
    labels, scores = pd.Series(Y), pd.Series(S)
    moved = scores.set_axis([3, 2, 1, 0])
    with refused("index"):
        rt.tally(labels, moved)
    with refused("index"):
        rt.tally(labels, scores, pd.Series([1.0] * 4, index=[3, 2, 1, 0]))
    same = [10, 11, 12, 13]
    assert rt.tally(labels.set_axis(same), scores.set_axis(same)).roc_auc() == AUC
    assert rt.tally(Y, moved).roc_auc() == AUC


def test_zero_rows_raise():
    for labels, scores in (([], []), (np.array([], bool), np.array([])), (pa.array([]), [])):
        with refused("y_true", "no rows"):
            rt.tally(labels, scores)


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("missing", "drop", ("missing", "raise", "omit", "worst", "'drop'")),
        ("engine", "cuda", ("engine", "auto", "numba", "numpy", "'cuda'")),
        ("threads", 0, ("threads", "0")),
        ("threads", 1.5, ("threads", "1.5")),
    ],
)
def test_options_out_of_range(option, value, named):
    with refused(*named):
        rt.tally(Y, S, **{option: value})


# --- missing ----------------------------------------------------------------------------------

GAPS = {
    "float nan": ([0.9, math.nan, 0.7, 0.1], 0, 1),
    "list with None": ([0.9, None, 0.7, 0.1], 1, 0),
    "object with None and nan": (np.array([0.9, None, math.nan, 0.1], dtype=object), 1, 1),
    "float32 nan": (np.array([0.9, np.nan, 0.7, 0.1], np.float32), 0, 1),
    "float16 nan": (np.array([0.9, np.nan, 0.7, 0.1], np.float16), 0, 1),
    "negative nan": (np.copysign([0.9, np.nan, 0.7, 0.1], [1, -1, 1, 1]), 0, 1),
    "pandas Float64": (pd.Series([0.9, pd.NA, 0.7, 0.1], dtype="Float64"), 1, 0),
    "pandas Int64": (pd.Series([9, pd.NA, 7, 1], dtype="Int64"), 1, 0),
    "polars": (pl.Series([0.9, None, math.nan, 0.1]), 1, 1),
    "polars int": (pl.Series([9, None, 7, 1]), 1, 0),
    "arrow": (pa.array([0.9, None, math.nan, 0.1]), 1, 1),
    "arrow int": (pa.array([9, None, 7, 1]), 1, 0),
    "arrow bool": (pa.array([True, None, True, False]), 1, 0),
    "arrow chunks": (pa.chunked_array([[0.9], [None, math.nan], [], [0.1]]), 1, 1),
    "arrow at an offset": (pa.array([None, 0.9, None, math.nan, 0.1])[1:], 1, 1),
}


@pytest.mark.parametrize("form", GAPS)
def test_missing_scores_raise_by_default(form):
    scores, n_null, n_nan = GAPS[form]
    with refused("y_score", n_null + n_nan, "row 1", "missing="):
        rt.tally(Y, scores)


@pytest.mark.parametrize("form", GAPS)
def test_missing_scores_omitted(engine, form):
    scores, n_null, n_nan = GAPS[form]
    t = rt.tally(Y, scores, missing="omit", engine=engine)
    assert (t.n_null, t.n_nan) == (n_null, n_nan)
    assert t.n_pos + t.n_neg == 4 - n_null - n_nan
    assert (t.tp[-1], t.fp[-1]) == (t.n_pos, t.n_neg)
    assert t.roc_auc() == 1.0


@pytest.mark.parametrize("form", GAPS)
def test_missing_scores_worst(engine, form):
    scores, n_null, n_nan = GAPS[form]
    t = rt.tally(Y, scores, missing="worst", engine=engine)
    assert (t.n_null, t.n_nan, t.n_pos, t.n_neg) == (n_null, n_nan, 2, 2)
    assert t.tp[-1] + t.fp[-1] == 4 - n_null - n_nan
    assert not np.isnan(t.threshold.astype(float)).any()
    lowest = t.at(-math.inf)
    assert lowest.tp + lowest.fp == 4 - n_null - n_nan


def test_worst_ranks_below_minus_infinity_in_one_group(engine):
    t = rt.tally([1, 0, 1, 0], [math.nan, -math.inf, None, math.nan], missing="worst",
                 engine=engine)  # fmt: skip
    # the row at -inf beats both positives; the nan negative ties with both
    assert t.roc_auc() == 0.25
    assert (t.n_null, t.n_nan) == (1, 2)


def test_all_scores_missing(engine):
    with refused("y_score", 2):
        rt.tally([1, 0], [math.nan, None])
    omitted = rt.tally([1, 0], [math.nan, None], missing="omit", engine=engine)
    assert math.isnan(omitted.roc_auc())
    assert math.isnan(omitted.average_precision())
    assert len(omitted.threshold) == 0
    assert omitted.n_pos == omitted.n_neg == 0
    worst = rt.tally([1, 0], [math.nan, None], missing="worst", engine=engine)
    assert worst.roc_auc() == 0.5
    assert worst.at(0.0).recall == 0


# --- weights ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, -math.inf])
def test_weights_must_be_finite_and_not_negative(bad):
    with refused("sample_weight", "row 2", bad):
        rt.tally(Y, S, [1.0, 1.0, bad, bad])


@pytest.mark.parametrize(
    "weights",
    [[1, None, 1, 1], pa.array([1.0, None, 1.0, 1.0]), pd.Series([1, pd.NA, 1, 1], dtype="Int64")],
)
def test_weights_must_not_be_null(weights):
    with refused("sample_weight", "row 1"):
        rt.tally(Y, S, weights)


def test_text_weights():
    with refused("sample_weight"):
        rt.tally(Y, S, ["a", "b", "c", "d"])


@pytest.mark.parametrize(
    "weights",
    [
        [1, 2, 3, 4],
        np.array([1, 2, 3, 4], np.float32),
        np.array([1, 2, 3, 4], ">i2"),
        np.array([1, 9, 2, 9, 3, 9, 4, 9.0])[::2],
        pd.Series([1, 2, 3, 4], dtype="Int64"),
        pl.Series([1, 2, 3, 4]),
        pa.array([1, 2, 3, 4], pa.uint8()),
        pa.chunked_array([[1.0, 2.0], [], [3.0, 4.0]]),
    ],
)
def test_forms_of_weights(engine, weights):
    t = rt.tally(Y, S, weights, engine=engine)
    assert (t.n_pos, t.n_neg) == (4, 6)
    # positive 0.9 (weight 1) beats both negatives, 0.7 (weight 3) only the one of weight 4
    assert t.roc_auc() == (1 * 6 + 3 * 4) / 24
    assert t.tp.dtype == t.fp.dtype == np.float64


def test_boolean_weights(engine):
    t = rt.tally(Y, S, np.array([True, True, True, False]), engine=engine)
    assert (t.n_pos, t.n_neg) == (2, 1)


def test_zero_weight_rows_leave_no_trace(engine):
    y, s, w = [0, 1, 0, 1, 1, 0], [0.1, 0.3, 0.3, 0.6, 0.9, 0.95], [2, 1, 3, 2, 0, 0]
    t = rt.tally(y, s, w, engine=engine)
    short = rt.tally(y[:4], s[:4], w[:4], engine=engine)
    assert t.threshold.tolist() == short.threshold.tolist() == [0.6, 0.3, 0.1]
    assert t.roc_auc() == short.roc_auc()
    assert t.average_precision() == short.average_precision()


@pytest.mark.parametrize("w", [[0, 0, 1, 2], [1, 2, 0, 0], [0, 0, 0, 0]])
def test_a_class_without_weight_is_a_missing_class(engine, w):
    t = rt.tally([1, 1, 0, 0], [0.9, 0.2, 0.7, 0.1], w, engine=engine)
    assert math.isnan(t.roc_auc())


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 0.3, 2.0, 1e12, 1e150])
def test_scaling_all_weights_changes_nothing(engine, scale):
    y, s = [1, 0, 1, 0, 1, 0, 1], [0.5, 0.5, 0.3, 0.3, 0.1, 0.9, 0.9]
    w = np.array([3, 7, 2, 9, 1, 5, 6.0])
    t, plain = (rt.tally(y, s, x, engine=engine) for x in (w * scale, w))
    assert t.roc_auc() == pytest.approx(0.625, abs=1e-12)
    assert t.average_precision() == pytest.approx(plain.average_precision(), abs=1e-12)
    assert t.at(0.5).f1 == pytest.approx(plain.at(0.5).f1, abs=1e-12)
    assert t.at(0.5).mcc == pytest.approx(plain.at(0.5).mcc, abs=1e-12)


@pytest.mark.parametrize("w", [[1e308, 1e308, 1e308, 1e308], [1e-310] * 4])
def test_weights_whose_sums_no_float_holds(engine, w):
    """Right, or refused with the name of the argument; never a warning or an infinite sum."""
    t = answer(lambda: rt.tally(Y, S, w, engine=engine), "sample_weight")
    assert t is None or t.roc_auc() == AUC


def test_missing_scores_beside_weights(engine):
    y, s, w = [1, 0, 1, 0], [0.9, math.nan, 0.7, 0.8], [1, 2, 3, 4]
    assert rt.tally(y, s, w, missing="omit", engine=engine).n_neg == 4
    worst = rt.tally(y, s, w, missing="worst", engine=engine)
    assert (worst.n_neg, worst.fp[-1]) == (6, 4)
    assert worst.roc_auc() == pytest.approx((1 * 6 + 3 * 2) / 24)


# --- direction --------------------------------------------------------------------------------


def test_direction_is_never_flipped(engine):
    assert rt.tally([1, 0], [0.1, 0.9], engine=engine).roc_auc() == 0.0
    assert rt.tally([1, 0], [0.1, 0.9], higher_is_better=False, engine=engine).roc_auc() == 1.0


@pytest.mark.parametrize(
    ("dtype", "scores"),
    [
        ("int32", [-(2**31), 10, 5, -7]),
        ("int64", [1 - 2**63, 2**63 - 1, 2**53 + 1, 2**53]),
        ("uint8", [0, 200, 100, 1]),
        ("uint64", [0, 2**63 - 1, 2**53 + 1, 2**53]),
        ("float32", [-np.inf, np.inf, 0.1, -0.0]),
        ("bool", [False, True, True, False]),
    ],
)
def test_negation_does_not_wrap(engine, dtype, scores):
    y, s = [1, 1, 0, 0], np.array(scores, dtype=dtype)
    up = rt.tally(y, s, engine=engine)
    down = rt.tally(y, s, higher_is_better=False, engine=engine)
    assert up.roc_auc() + down.roc_auc() == 1
    ordered = sorted(set(s.tolist()))
    counts = [(sum(a and b <= t for a, b in zip(y, s.tolist(), strict=True))) for t in ordered]
    assert down.tp.tolist() == counts


@pytest.mark.parametrize(("dtype", "extreme"), [("int64", -(2**63)), ("uint64", 2**64 - 1)])
def test_negation_that_no_integer_holds_is_exact_or_refused(engine, dtype, extreme):
    s = np.array([extreme, 10, 7], dtype=dtype)
    down = answer(lambda: rt.tally([1, 0, 0], s, higher_is_better=False, engine=engine), "y_score")
    assert down is None or down.roc_auc() == (extreme < 0)


@pytest.mark.parametrize(
    "scores",
    [[2**53 + 1, None, 2**53], np.array([2**64 - 1, None, 2**64 - 2], dtype=object)],
)
def test_whole_numbers_beside_gaps_stay_whole(engine, scores):
    t = rt.tally([1, 0, 0], scores, missing="omit", engine=engine)
    assert t.threshold.tolist() == [scores[0], scores[2]]


@pytest.mark.parametrize(
    "scores",
    [
        np.array([2**64 - 1, 2**64 - 2], dtype=object),
        [2**64 - 1, 2**64 - 2],
        [2**63 + 1, 2**63],
        [2**53 + 1, 2**53],
    ],
)
def test_large_whole_numbers_as_python_objects(engine, scores):
    assert rt.tally([1, 0], scores, engine=engine).roc_auc() == 1.0


@pytest.mark.parametrize("scores", [[2**63 + 1, 2**63, -1], [2**70 + 1, 2**70, 3]])
def test_whole_numbers_of_no_common_type_are_refused_or_exact(engine, scores):
    t = answer(lambda: rt.tally([1, 0, 0], scores, engine=engine), "y_score")
    assert t is None or t.roc_auc() == 1.0


# --- coded numbers, pandas' own arrays, and numbers that no one type holds --------------------

CODED = {
    "null in the dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None]), pa.array([3.0, None, 2.0], pa.float32())
    ),
    "nan in the dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 1]), pa.array([3.0, math.nan, 2.0], pa.float32())
    ),
    "chunks with dictionaries of their own": pa.chunked_array(
        [pa.array(part, pa.float32()).dictionary_encode() for part in ([3.0, None], [2.0, None])]
    ),
    "run ends": pa.RunEndEncodedArray.from_arrays(
        [1, 2, 3, 4], pa.array([3.0, None, 2.0, None], pa.float32())
    ),
    "categories": pd.Series(np.array([3, np.nan, 2, np.nan], "float32")).astype("category"),
    "categorical": pd.Categorical(np.array([3, np.nan, 2, np.nan], "float32")),
    "sparse": pd.Series(pd.arrays.SparseArray(np.array([3, np.nan, 2, np.nan], "float32"))),
    "pandas array": pd.array([3, None, 2, None], dtype="Float32"),
    "pandas index": pd.Index(np.array([3, np.nan, 2, np.nan], "float32")),
}


@pytest.mark.parametrize("name", CODED)
def test_coded_numbers_are_numbers(name):
    tally = rt.tally([1, 0, 0, 1], CODED[name], missing="omit")
    assert tally.threshold.dtype == np.float32
    assert (tally.threshold.tolist(), tally.tp.tolist(), tally.fp.tolist()) == (
        [3, 2],
        [1, 1],
        [0, 1],
    )
    assert tally.n_null + tally.n_nan == 2


def test_coded_labels_and_weights():
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 2]), pa.array([1.0, 0.0, math.nan]))
    assert rt.tally(labels, S, missing="omit").n_nan == 1
    weight = pa.array([2, 1, 2, 1]).dictionary_encode()
    assert rt.tally(Y, S, weight).n_pos == 4


def test_lists_of_large_integers():
    scores = [2**64 - 1, 2**64 - 2, 5, 0]
    tally = rt.tally(Y, scores)
    assert (tally.threshold.dtype, tally.threshold.tolist()) == (np.uint64, scores)
    for mixed in ([2**64 - 1, -1, 1, 0], [2**53 + 1, 0.5, 1, 0], [2**70, 3, 1, 0]):
        with refused("y_score", "type"):
            rt.tally(Y, mixed)


@pytest.mark.parametrize("argument", [0, 1, 2])
@pytest.mark.parametrize(
    "value",
    [
        pd.Timestamp("2020"),
        np.array([1j, 0, 1, 0]),
        np.array([1, 0, 1, 0], "m8[s]"),
        np.array(["2020"] * 4, "M8[D]"),
        [{}, {}, {}, {}],
        [10**30, 10**30, 1, 0],
        [10**400, 0, 1, 2],
        ["1", "0", "x", "y"],
        [[0, 1], [0]],
        {1: 2},
        pd.Series(pd.interval_range(0, 4)),
        pd.Series(pd.period_range("2020", periods=4)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_column_of_numbers(argument, value):
    columns = [Y, S, [1, 1, 1, 1]]
    columns[argument] = value
    with refused(("y_true", "y_score", "sample_weight")[argument]):
        rt.tally(*columns)


def test_columns_of_nothing_but_none():
    assert rt.tally(Y, [None] * 4, missing="worst").n_null == 4
    with refused("y_score", "4 null", "row 0"):
        rt.tally(Y, [None] * 4)


# --- arguments that are no column -------------------------------------------------------------

NO_FLAG = [None, 0, 1, "no", math.nan, np.array([True, False])]
NO_NUMBER = [None, "a", [], {}, (0, 1), 1j, object(), np.array([0.1, 0.5]), 10**400, -(10**400)]


@pytest.mark.parametrize("value", NO_FLAG, ids=str)
def test_flags(value):
    columns = {"a": [1, 2], "b": [2, 1]}
    for call in (
        lambda: rt.tally(Y, S, higher_is_better=value),
        lambda: rt.evaluate(label=Y, scores=S, higher_is_better=value, on_error="status"),
        lambda: rt.multiclass(label=["a", "b"], scores=columns, higher_is_better=value),
        lambda: rt.classification_report(label=Y, scores=S, at=1, higher_is_better=value),
        lambda: rt.top_k(Y, S, 1, higher_is_better=value),
    ):
        with refused("higher_is_better", "True or False"):
            call()
    with refused("complete"):
        rt.Tally.from_counts([1.0], [1], [1], complete=value)
    with refused("per_row"):
        rt.tally(Y, S).at(0.5).cost(1, 1, per_row=value)


@pytest.mark.parametrize("value", NO_NUMBER, ids=lambda value: str(value)[:12])
def test_single_numbers(value):
    tally = rt.tally(Y, S)
    calls = {
        "level": lambda: tally.calibration(2, level=value),
        "beta": lambda: tally.at(0.5).fbeta(value),
        "cost_fp": lambda: tally.best_cost(value, 1),
        "cost_fn": lambda: rt.cost_threshold(1, value),
        "cost_alert": lambda: tally.at(0.5).cost(1, 1, 0, value),
        "prevalence": lambda: tally.at_prevalence(value),
        "recall": lambda: tally.precision_at_recall(value),
        "labels": lambda: tally.at(0.5).matrix(value),
        "ties": lambda: rt.top_k(Y, S, 2, value),
        "engine": lambda: rt.tally(Y, S, engine=value),
        "threads": lambda: rt.tally(Y, S, threads=value),
    }
    if value is None or isinstance(value, int):
        del calls["threads"]
    if isinstance(value, tuple):
        del calls["labels"]
    for name, call in calls.items():
        with refused(name):
            call()
    with refused("table"):
        rt.Tally.from_arrow(value)


@pytest.mark.parametrize("value", [[], [1], np.array([1, 2]), pd.DataFrame({"a": [1, 0]}), {}])
def test_positive_labels_are_single(value):
    with refused("pos_label", "among the labels"):
        rt.tally(Y, S, pos_label=value)


def test_thresholds():
    tally = rt.tally(Y, S)
    assert (tally.at(10**400).tp, tally.at(-(10**400)).tp) == (0, 2)
    assert rt.tally(Y, [4, 3, 2, 1]).at([10**400, 2, -(10**400)]).tp.tolist() == [0, 2, 2]
    for bad in ([[0.1], [0.1, 0.2]], np.ma.array([0.1, 0.2], mask=[0, 1]), np.ma.masked):
        with refused("threshold"):
            tally.at(bad)


def test_numpy_scalars():
    result = rt.evaluate(
        label=Y, scores=S, threads=np.int64(1), max_memory=np.int32(10**6), at=np.float32(0.5)
    )
    assert result.value("score", "roc_auc") == AUC


def test_values_that_print_as_many_lines():
    frame = pd.DataFrame({"a": range(100)})
    for call in (
        lambda: rt.evaluate(label=Y, scores=S, metrics=frame),
        lambda: rt.evaluate(label=Y, scores=S, at=np.zeros((9, 9))),
        lambda: rt.evaluate(label=Y, scores=S, progress=frame),
        lambda: rt.tally(Y, S).top(np.zeros((9, 9))),
        lambda: rt.tally(Y, S).at(["x"] * 10_000),
    ):
        with pytest.raises(rt.InputError) as caught:
            call()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 2_100


def test_incomplete_tallies_can_be_shown():
    assert "complete=False" in repr(rt.Tally.from_counts([0.5], [1], [1], complete=False))


def test_weights_that_one_sum_cannot_hold_are_refused(engine):
    for small in (1e-30, 2.0**-90):
        w = [small, 0.5, 1.0, 1.0]
        with refused("sample_weight", "row 0", small, "weight 0"):
            rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], w, engine=engine)
    # What is let in keeps its share, at the top of the order as well.
    w = [2.0**-70, 0.5, 1.0, 1.0]
    t = rt.tally([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], w, engine=engine)
    assert t.tp[0] == pytest.approx(2.0**-70, rel=2.0**-30)
