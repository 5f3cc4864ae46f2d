"""classification_report: cuts and decisions, the summary row, 0/0, and the forms of the result."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import ranktally as rt

LABELS = ["a", "b", "c", "a", "b", "a"]
SCORES = {
    "a": [3, 2, 0, 1, 0, 3],
    "b": [0, 2, 1, 2, 3, 0],
    "c": [0, 1, 2, 0, 0, 2],
}


def counts_of(truth: list[bool], positive: list[bool]) -> list[int]:
    pairs = list(zip(truth, positive, strict=True))
    return [pairs.count(x) for x in ((True, True), (False, True), (True, False), (False, False))]


def cells(report: rt.Report, k: int) -> list[int]:
    return [getattr(report.counts, name)[k] for name in ("tp", "fp", "fn", "tn")]


# -- counts --------------------------------------------------------------------------------------


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 2),
            *[st.sampled_from([None, math.nan, -1.0, 0.0, -0.0, 0.5, 1.0, math.inf])] * 3,
        ),
        min_size=1,
        max_size=12,
    ),
    cuts=st.lists(st.sampled_from([-1.0, 0.0, 0.5, 0.7, math.inf]), min_size=3, max_size=3),
)
def test_cuts_against_the_rest(rows, cuts):
    labels, *columns = (list(x) for x in zip(*rows, strict=True))
    typed = {k: pa.array(column, pa.float64()) for k, column in enumerate(columns)}
    report = rt.classification_report(label=labels, scores=typed, at=cuts)
    given = [0] * len(rows)
    for k, (column, cut) in enumerate(zip(columns, cuts, strict=True)):
        positive = [s is not None and s >= cut for s in column]
        assert cells(report, k) == counts_of([x == k for x in labels], positive)
        given = [n + p for n, p in zip(given, positive, strict=True)]
    assert report.classes_per_row == {k: given.count(k) for k in sorted(set(given))}
    assert report.n_missing == sum(s is None or s != s for c in columns for s in c)
    assert not report.single_label


@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.sampled_from([None, -3, 0, 1, 2, 2**60])), min_size=1
    ),
    cut=st.sampled_from([-5, 0, 0.5, 1, 1.5, 2**60, 2.0**70, -math.inf, math.inf]),
)
def test_one_cut_of_integers(rows, cut):
    labels, scores = (list(x) for x in zip(*rows, strict=True))
    typed = pa.array(scores, pa.int64())
    report = rt.classification_report(label=labels, scores=typed, at=cut)
    positive = [s is not None and s >= cut for s in scores]
    assert cells(report, 1) == counts_of(labels, positive)
    assert cells(report, 0) == counts_of([not y for y in labels], [not p for p in positive])
    right = sum(y == p for y, p in zip(labels, positive, strict=True))
    assert report.accuracy == report.to_dict()["accuracy"] == right / len(rows)
    assert report.classes_per_row == {1: len(rows)}


def test_the_cut_equals_that_of_the_tally():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 500)
    for dtype in (np.float16, np.float32, np.float64):
        s = rng.normal(size=500).round(1).astype(dtype)
        for cut in (0.1, 0.7, -0.3):
            c = rt.tally(y, s).at(cut)
            report = rt.classification_report(label=y, scores=s, at=cut)
            assert cells(report, 1) == [c.tp, c.fp, c.fn, c.tn]
            low = rt.classification_report(label=y, scores=-s, at=cut, higher_is_better=False)
            assert cells(low, 1) == cells(report, 1)


@given(pairs=st.lists(st.tuples(*[st.sampled_from("abc")] * 2), min_size=1, max_size=15))
def test_decisions(pairs):
    labels, decided = (list(x) for x in zip(*pairs, strict=True))
    report = rt.classification_report(label=labels, predictions=decided)
    assert report.classes == tuple(sorted({*labels, *decided}))
    for k, name in enumerate(report.classes):
        assert cells(report, k) == counts_of([x == name for x in labels],
                                             [x == name for x in decided])  # fmt: skip
    right = sum(x == y for x, y in pairs)
    assert report.accuracy == right / len(pairs)
    micro = report.counts.tp.sum() / (report.counts.tp + report.counts.fp).sum()
    assert report.accuracy == micro  # one class each: both are the same number


def test_agreement_with_the_other_library():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    y, p = rng.integers(0, 4, 300), rng.integers(0, 5, 300)
    w = rng.random(300)
    for weight in (None, w):
        for fill in (0, math.nan):
            ours = rt.classification_report(
                label=y, predictions=p, weight=weight, zero_division=fill
            ).to_dict()
            theirs = metrics.classification_report(
                y, p, output_dict=True, zero_division=fill, sample_weight=weight
            )
            for name, row in ours.items():
                if name == "accuracy":
                    assert row == pytest.approx(theirs[name], abs=1e-12)
                    continue
                for mine, other in (("precision", "precision"), ("recall", "recall"),
                                    ("f1", "f1-score"), ("support", "support")):  # fmt: skip
                    expected = theirs[name][other]
                    assert row[mine] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_weight_is_a_row_repeated():
    w = np.array([2, 0, 1, 3, 1, 2])
    weighted = rt.classification_report(label=LABELS, scores=SCORES, at=2, weight=w)
    rows = {c: np.repeat(s, w) for c, s in SCORES.items()}
    repeated = rt.classification_report(label=np.repeat(LABELS, w), scores=rows, at=2)
    assert str(weighted) == str(repeated)
    assert weighted.to_dict() == repeated.to_dict()
    half = rt.classification_report(label=LABELS, scores=SCORES, at=2, weight=w / 8)
    assert half.to_dict()["a"]["precision"] == repeated.to_dict()["a"]["precision"]
    assert "0.88" in str(half)  # support 7/8 of a


# -- which row sums up ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "row"),
    [
        ({"label": [0, 1, 1], "scores": [1, 2, 3], "at": 2}, "accuracy"),
        ({"label": LABELS, "predictions": LABELS}, "accuracy"),
        ({"label": LABELS, "scores": SCORES, "at": 2}, "micro avg"),
        ({"label": [[1, 0], [1, 1]], "scores": [[3, 1], [0, 2]], "at": 2}, "micro avg"),
        ({"label": [[1, 0], [1, 1]], "predictions": [[1, 0], [0, 1]]}, "micro avg"),
        ({"label": ["a", "b"], "predictions": [[1, 0], [0, 1]], "classes": ["a", "b"]},
         "micro avg"),
    ],
)  # fmt: skip
def test_summary_row(arguments, row):
    report = rt.classification_report(**arguments)
    names = list(report.to_dict())
    assert names[-3:] == [row, "macro avg", "weighted avg"]
    assert len({"accuracy", "micro avg"} & set(names)) == 1
    assert report.single_label == (row == "accuracy")
    assert math.isnan(report.accuracy) != report.single_label


# -- 0/0 -----------------------------------------------------------------------------------------


def test_zero_division():
    arrays = {"label": ["a", "b", "a"], "predictions": ["a", "a", "c"]}
    zero = rt.classification_report(**arrays)
    gaps = rt.classification_report(**arrays, zero_division=math.nan)
    rows, holes = zero.rows.to_dict(), gaps.rows.to_dict()
    assert [rows[1]["precision"], rows[2]["recall"]] == [0, 0]
    assert [holes[1]["precision"], holes[2]["recall"]] == [None, None]
    assert holes[1]["f1"] == rows[1]["f1"] == 0  # by its count form
    assert rows[1]["note"] == "precision 0/0: class never predicted"
    assert rows[2]["note"] == "recall 0/0: no rows of the class"
    assert zero.to_dict()["macro avg"]["precision"] == pytest.approx(0.5 / 3)
    assert gaps.to_dict()["macro avg"]["precision"] == pytest.approx(0.25)
    assert holes[4]["note"] == "precision over 2/3 classes; recall over 2/3 classes"
    assert "undefined" in str(gaps)
    assert "undefined" not in str(zero)


def test_nothing_at_all():
    report = rt.classification_report(
        label=[[0, 0], [0, 0]], scores=[[1, 1], [1, 1]], at=5, zero_division=math.nan
    )
    assert all(math.isnan(x) for x in report.to_dict()["micro avg"].values() if x != 0)
    assert report.rows.to_dict()[2]["note"] == "precision 0/0; recall 0/0; f1 0/0"


# -- forms of input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        {"label": np.array(LABELS), "scores": pd.DataFrame(SCORES)},
        {"label": pl.Series(LABELS), "scores": pl.DataFrame(SCORES)},
        {"label": LABELS, "scores": np.column_stack(list(SCORES.values())), "classes": [*"abc"]},
        {"data": {"y": LABELS, **SCORES}, "label": "y", "scores": ["a", "b", "c"]},
        {"data": pa.table({"y": LABELS, **SCORES}), "label": "y", "scores": "[abc]"},
        {"data": pd.DataFrame({"y": LABELS, **SCORES}), "label": "y", "scores": ["c", "a", "b"],
         "classes": ["a", "b", "c"]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("at", [2, {"c": 2, "b": 2, "a": 2}, [2, 2, 2], np.array([2.0, 2, 2])])
def test_forms(form, at):
    expected = rt.classification_report(label=LABELS, scores=SCORES, at=2)
    assert str(rt.classification_report(**form, at=at)) == str(expected)


def test_from_files(tmp_path):
    path = tmp_path / "p.csv"
    pd.DataFrame({"y": LABELS, **SCORES, "p": LABELS[::-1]}).to_csv(path, index=False)
    report = rt.classification_report(path, label="y", scores=["a", "b", "c"], at=2)
    assert str(report) == str(rt.classification_report(label=LABELS, scores=SCORES, at=2))
    hard = rt.classification_report(path, label="y", predictions="p", classes=["c", "b", "a"])
    assert hard.classes == ("c", "b", "a")
    assert hard.accuracy == sum(x == y for x, y in zip(LABELS, LABELS[::-1], strict=True)) / 6
    path.write_text("y,s\na,1\n,2\nb,3\n")
    with refused("p.csv", "line 3", "'y'", "missing"):
        rt.classification_report(path, label="y", predictions="y")
    with refused("p.csv", "line 3", "missing"):
        rt.classification_report(path, label="y", scores="s", at=2, pos_label="a")


# -- forms of the result -------------------------------------------------------------------------


def test_rows_dict_and_arrow():
    report = rt.classification_report(label=LABELS, scores=SCORES, at={"a": 1, "b": 2, "c": 2})
    table = report.to_arrow()
    assert table.column_names == [
        "class", "average", "threshold", "precision", "recall", "f1", "support", "baseline", "note",
    ]  # fmt: skip
    assert pa.table(report).equals(table)
    assert table["threshold"].to_pylist() == [1, 2, 2, None, None, None]
    assert table["average"].to_pylist() == [None] * 3 + ["micro", "macro", "weighted"]
    assert report.rows.to_dict()[0]["baseline"] == 0.5
    json.dumps(report.to_dict())
    np.testing.assert_array_equal(report.counts.recall, table["recall"].to_numpy()[:3])
    assert report.counts.mcc.shape == (3,)


def test_baselines():
    report = rt.classification_report(label=[0, 0, 0, 1], scores=[1, 2, 3, 4], at=3)
    assert report.baselines == {
        "accuracy": 0.75,
        "balanced_accuracy": 0.5,
        "precision": {"negative": 0.75, "positive": 0.25},
    }
    assert report.rows.to_dict()[2]["baseline"] == 0.75
    many = rt.classification_report(label=LABELS, scores=SCORES, at=2)
    assert set(many.baselines) == {"precision"}


def test_text():
    report = rt.classification_report(label=LABELS, scores=SCORES, at=2)
    lines = str(report).split("\n")
    assert lines[0] == lines[2] == lines[6] == lines[-1] == ""
    assert lines[3][:13] == "            a"
    assert [len(x) for x in lines if x] == [53] * 7
    assert "0.6667" in report.to_text(digits=4)
    assert report._repr_html_().startswith("<pre>")
    assert repr(report) == "Report(3 classes, 6 rows)"
    long = rt.classification_report(label=["a" * 20, "b\n"], predictions=["a" * 20, "b\n"])
    assert ("a" * 20) in str(long)
    assert "b\\n" in str(long)


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"scores": SCORES}, ["`at`", "no default"]),
        ({}, ["`scores`", "`predictions`"]),
        ({"scores": SCORES, "at": 1, "predictions": LABELS}, ["`scores`", "`predictions`"]),
        ({"predictions": LABELS, "at": 1}, ["`at`", "`predictions`"]),
        ({"scores": SCORES, "at": {"a": 1, "b": 2}}, ["`at`", "'c'"]),
        ({"scores": SCORES, "at": {"a": 1, "b": 2, "c": 1, "d": 3}}, ["`at`", "'d'"]),
        ({"scores": SCORES, "at": [1, 2]}, ["`at`", "2", "3"]),
        ({"scores": SCORES, "at": math.nan}, ["`at`", "nan"]),
        ({"scores": SCORES, "at": "0.5"}, ["`at`", "'0.5'"]),
        ({"scores": SCORES, "at": 1, "zero_division": 1}, ["`zero_division`", "0 or nan"]),
        ({"scores": SCORES, "at": 1, "zero_division": "warn"}, ["`zero_division`"]),
        ({"scores": SCORES, "at": 1, "pos_label": "a"}, ["`pos_label`"]),
        ({"scores": {"a": SCORES["a"], "b": SCORES["b"]}, "at": 1}, ["'c'", "row 2", "classes="]),
        ({"scores": [1, 2, 3, 4, 5, 6], "at": 1}, ["`label`", "'a'", "'b'", "'c'"]),
        ({"predictions": LABELS[1:]}, ["6", "5"]),
        ({"predictions": [*LABELS[:4], None, "a"]}, ["`predictions`", "missing", "row 4"]),
        ({"predictions": [*LABELS[:4], "z", "a"], "classes": [*"abc"]}, ["'z'", "row 4"]),
    ],
)
def test_refused(arguments, words):
    with refused(*words):
        rt.classification_report(label=LABELS, **arguments)


def test_refused_shapes():
    with refused("`at`", "one number"):
        rt.classification_report(label=[0, 1], scores=[1, 2], at=[1, 2])
    with refused("`predictions`", "0/1 column"):
        rt.classification_report(label=[[0, 1], [1, 0]], predictions=[0, 1])
    with refused("`digits`"):
        rt.classification_report(label=[0, 1], scores=[1, 2], at=1).to_text(digits=-1)
