"""Many classes: one against the rest, one against one, averages, and which column is whose."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import ranktally as rt

CLASSES = ("a", "b", "c")


def columns(seed: int = 0, n: int = 60, ties: int = 2) -> tuple[list[str], dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    labels = rng.choice(CLASSES, n, p=[0.6, 0.3, 0.1]).tolist()
    scores = {c: np.round((np.array(labels) == c) + rng.normal(size=n), ties) for c in CLASSES}
    return labels, scores


LABELS, SCORES = columns()


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[int], dict[int, list[float]]]:
    n = draw(st.integers(2, 12))
    k = draw(st.integers(2, 4))
    labels = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    value = st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0, -1.0, np.inf])
    scores = {c: draw(st.lists(value, min_size=n, max_size=n)) for c in range(k)}
    return labels, scores


def by_hand(metric: str, labels: list[Any], scores: dict[Any, Any]) -> dict[Any, Any]:
    return {c: naive.value(metric, [x == c for x in labels], list(scores[c])) for c in scores}


def close(got: float, exact: Any) -> None:
    if exact is None:
        assert np.isnan(got)
    else:
        assert got == pytest.approx(float(exact), abs=1e-15)


@given(problem=problems())
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_classes_and_averages(engine, metric, problem):
    labels, scores = problem
    result = rt.multiclass(
        label=labels, scores=scores, metrics=metric, engine=engine,
        average=["macro", "weighted", "micro"],
    )  # fmt: skip
    exact = by_hand(metric, labels, scores)
    for name, value in exact.items():
        close(result.value(name, metric), value)
    defined = {c: x for c, x in exact.items() if x is not None}
    support = {c: Fraction(labels.count(c)) for c in defined}
    if defined:
        close(result.value("macro avg", metric), sum(defined.values()) / len(defined))
    if sum(support.values()):
        mean = sum(support[c] * x for c, x in defined.items()) / sum(support.values())
        close(result.value("weighted avg", metric), mean)
    cells = [(x == c, float(s)) for c in scores for x, s in zip(labels, scores[c], strict=True)]
    close(
        result.value("micro avg", metric), naive.value(metric, *map(list, zip(*cells, strict=True)))
    )


@given(problem=problems())
def test_one_against_one(engine, problem):
    labels, scores = problem
    result = rt.multiclass(
        label=labels, scores=scores, strategy="ovo", average="macro", engine=engine
    )
    present = sorted(set(labels))
    if len(present) > 1:
        known = {c: scores[c] for c in present}
        close(result.value("macro avg", "roc_auc"), naive.hand_till(labels, known))
    else:
        assert np.isnan(result.value("macro avg", "roc_auc"))
    pairs = len(scores) * (len(scores) - 1) // 2
    assert len(result) == pairs + 1


@pytest.mark.parametrize("strategy", ["ovr", "ovo"])
def test_a_weight_is_a_row_repeated(engine, strategy):
    labels, scores = columns(3)
    w = np.random.default_rng(4).integers(0, 4, len(labels))
    metrics = "roc_auc" if strategy == "ovo" else ["roc_auc", "average_precision", "eer"]
    options = {"strategy": strategy, "metrics": metrics, "engine": engine}
    if strategy == "ovr":
        options["average"] = ["macro", "weighted", "micro"]
    weighted = rt.multiclass(label=labels, scores=scores, weight=w, **options)
    rows = {c: np.repeat(s, w) for c, s in scores.items()}
    repeated = rt.multiclass(label=np.repeat(labels, w), scores=rows, **options)
    np.testing.assert_allclose(
        weighted.columns["value"], repeated.columns["value"], rtol=0, atol=1e-15
    )
    np.testing.assert_array_equal(weighted.columns["n_pos"], repeated.columns["n_pos"])


def test_fractional_weights_and_one_against_one(engine):
    labels, scores = columns(5)
    w = np.random.default_rng(6).random(len(labels))
    result = rt.multiclass(
        label=labels, scores=scores, weight=w, strategy="ovo", average="weighted", engine=engine
    )
    y = np.array(labels)
    kept = y != "c"
    one = [rt.tally(y[kept] == c, scores[c][kept], w[kept], engine=engine).roc_auc() for c in "ab"]
    assert result.value("a | b", "roc_auc") == pytest.approx(sum(one) / 2, abs=1e-15)
    rows = result.to_dict()
    mean = np.average([r["value"] for r in rows[:3]], weights=[r["n"] for r in rows[:3]])
    assert rows[3]["value"] == pytest.approx(mean, abs=1e-15)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_change_nothing(threads):
    result = rt.multiclass(
        label=LABELS, scores=SCORES, average=["macro", "micro"], at=[0.5, 1], threads=threads
    )
    alone = rt.multiclass(
        label=LABELS, scores=SCORES, average=["macro", "micro"], at=[0.5, 1], threads=1
    )
    assert result.encode("csv") == alone.encode("csv")


def test_every_kind_of_metric(engine):
    result = rt.multiclass(
        label=LABELS, scores=SCORES, at=[0.5], engine=engine,
        metrics=["roc_auc", "f1", "recall_at_fpr(0.1)", "fbeta(2)"],
        average=["macro", "micro"],
    )  # fmt: skip
    t = rt.tally([x == "b" for x in LABELS], SCORES["b"], engine=engine)
    assert result.value("b", "f1") == t.at(0.5).f1
    assert result.value("b", "recall_at_fpr(0.1)") == t.recall_at_fpr(0.1)
    cuts = [rt.tally([x == c for x in LABELS], SCORES[c]).at(0.5) for c in CLASSES]
    tp, fp, fn = (sum(getattr(c, key) for c in cuts) for key in ("tp", "fp", "fn"))
    assert result.value("micro avg", "f1") == 2 * tp / (2 * tp + fp + fn)
    assert result.value("macro avg", "f1") == pytest.approx(np.mean([c.f1 for c in cuts]))
    assert result.value("a", "f1", threshold=0.5) == cuts[0].f1


def test_agreement_with_the_other_library():
    metrics = pytest.importorskip("sklearn.metrics")
    labels, scores = columns(8, 300, ties=1)
    matrix = np.exp(np.column_stack(list(scores.values())))
    matrix /= matrix.sum(axis=1, keepdims=True)
    for strategy, average in [("ovr", "macro"), ("ovr", "weighted"), ("ovo", "macro"),
                              ("ovo", "weighted"), ("ovr", "micro")]:  # fmt: skip
        result = rt.multiclass(
            label=labels, scores=matrix, classes=CLASSES, strategy=strategy, average=average,
            metrics="roc_auc",
        )  # fmt: skip
        expected = metrics.roc_auc_score(labels, matrix, multi_class=strategy, average=average)
        assert result.value(f"{average} avg", "roc_auc") == pytest.approx(expected, abs=1e-12)


# -- undefined -----------------------------------------------------------------------------------


def test_undefined_classes_are_left_out_and_counted(engine):
    scores = {**SCORES, "never": np.zeros(len(LABELS))}
    result = rt.multiclass(label=LABELS, scores=scores, metrics="roc_auc", engine=engine)
    rows = {row["class"]: row for row in result.to_dict()}
    assert rows["never"]["value"] is None
    assert rows["never"]["status"] == "no_positives"
    defined = [rows[c]["value"] for c in CLASSES]
    assert rows["macro avg"]["value"] == pytest.approx(np.mean(defined))
    assert rows["macro avg"]["note"] == "3/4 defined"
    assert rows["macro avg"]["average"] == "macro"
    strict = rt.multiclass(
        label=LABELS, scores=scores, metrics="roc_auc", on_undefined="propagate", engine=engine
    )
    assert np.isnan(strict.value("macro avg", "roc_auc"))
    assert strict.to_dict()[-1]["status"] == "undefined_classes"
    assert "undefined" in str(result)


def test_an_infinite_value_without_weight():
    result = rt.multiclass(
        label=["a", "a", "b"], scores={"a": [2, 2, 0], "b": [0, 0, 2], "c": [0, 0, 2]},
        metrics="positive_likelihood_ratio", at=1,
    )  # fmt: skip
    assert result.value("macro avg") == result.value("weighted avg") == np.inf


def test_no_class_defined():
    result = rt.multiclass(label=["a", "a"], scores={"a": [1, 2], "b": [2, 1]}, metrics="roc_auc")
    assert [row["value"] for row in result.to_dict()] == [None] * 4
    assert result.to_dict()[-1]["note"] == "0/2 defined"


# -- forms of input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        lambda labels, scores: {"label": labels, "scores": scores},
        lambda labels, scores: {"label": np.array(labels), "scores": pd.DataFrame(scores)},
        lambda labels, scores: {"label": pl.Series(labels), "scores": pl.DataFrame(scores)},
        lambda labels, scores: {"label": pa.array(labels), "scores": pa.table(scores)},
        lambda labels, scores: {
            "label": pd.Series(labels, dtype="category"),
            "scores": np.column_stack([scores[c] for c in "abc"]),
            "classes": np.array(["a", "b", "c"]),
        },
        lambda labels, scores: {
            "data": {"kind": labels, **scores}, "label": "kind", "scores": ["a", "b", "c"],
        },
        lambda labels, scores: {
            "data": pa.table({"kind": labels, **{f"p_{c}": scores[c] for c in scores}}),
            "label": "kind", "scores": "p_*", "classes": ["a", "b", "c"],
        },
    ],
)  # fmt: skip
def test_forms(form):
    expected = rt.multiclass(label=LABELS, scores=SCORES)
    assert rt.multiclass(**form(LABELS, SCORES)).encode("csv") == expected.encode("csv")


def test_named_columns_are_matched_by_name_and_not_by_place():
    turned = rt.multiclass(label=LABELS, scores=SCORES, classes=["c", "a", "b"])
    assert turned.classes == ("c", "a", "b")
    straight = rt.multiclass(label=LABELS, scores=SCORES)
    for c in (*CLASSES, "macro avg"):
        assert turned.value(c, "roc_auc") == straight.value(c, "roc_auc")


@pytest.mark.parametrize("labels", [[0, 1, 2, 1], [0.0, 1.0, 2.0, 1.0], ["0", "1", "2", "1"]])
@pytest.mark.parametrize("names", [(0, 1, 2), ("0", "1", "2")])
def test_numbers_find_columns_named_by_their_digits(labels, names):
    matrix = [[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.5, 0.4, 0.1]]
    result = rt.multiclass(label=labels, scores=matrix, classes=names)
    assert result.value(1, "roc_auc") == result.value("1", "roc_auc") == 1.0


def test_indicators(engine):
    y = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 0]])
    s = np.array([[0.9, 0.1, 0.2], [0.3, 0.4, 0.8], [0.6, 0.2, 0.5], [0.7, 0.3, 0.1]])
    names = ["x", "y", "z"]
    whole = rt.multiclass(label=y, scores=s, classes=names, engine=engine)
    for k, name in enumerate(names):
        assert whole.value(name, "roc_auc") == rt.tally(y[:, k], s[:, k]).roc_auc()
    table = {**{f"y_{c}": y[:, k] for k, c in enumerate(names)},
             **{f"s_{c}": s[:, k] for k, c in enumerate(names)}}  # fmt: skip
    named = rt.multiclass(
        table, label=[f"y_{c}" for c in names], scores="s_*", classes=names, engine=engine
    )
    assert named.encode("csv") == whole.encode("csv")
    dicts = rt.multiclass(
        label={c: y[:, k] for k, c in enumerate(names)},
        scores={c: s[:, k] for k, c in reversed(list(enumerate(names)))},
        classes=names,
        engine=engine,
    )
    assert dicts.encode("csv") == whole.encode("csv")


def test_missing_scores(engine):
    labels = ["a", "b", "a", "b", "a"]
    scores = {"a": [0.9, None, 0.2, 0.1, np.nan], "b": [0.1, 0.5, 0.3, 0.8, 0.2]}
    with pytest.raises(rt.InputError, match=r"'a'.*missing"):
        rt.multiclass(label=labels, scores=scores, engine=engine)
    options = {"average": ["macro", "micro"], "metrics": "roc_auc", "engine": engine}
    omitted = rt.multiclass(label=labels, scores=scores, missing="omit", **options)
    assert [row["n"] for row in omitted.to_dict()] == [3, 5, 8, 8]
    notes = [row["note"] for row in omitted.to_dict()]
    assert notes == ["1 null and 1 nan omitted", None, None, "1 null and 1 nan omitted"]
    worst = rt.multiclass(label=labels, scores=scores, missing="worst", **options)
    assert [row["n"] for row in worst.to_dict()] == [5, 5, 10, 10]
    t = rt.tally([x == "a" for x in labels], scores["a"], missing="worst")
    assert worst.value("a", "roc_auc") == t.roc_auc()
    cells = [(x == c, s) for c in "ab" for x, s in zip(labels, scores[c], strict=True)]
    exact = naive.roc_auc(*map(list, zip(*cells, strict=True)))
    close(worst.value("micro avg", "roc_auc"), exact)
    pairs = {"strategy": "ovo", "average": None, "engine": engine}
    both = rt.multiclass(label=labels, scores=scores, missing="omit", **pairs)
    parts = [rt.tally([x == c for x in labels], scores[c], missing="omit") for c in "ab"]
    assert both.value("a | b", "roc_auc") == sum(p.roc_auc() for p in parts) / 2


def test_missing_labels():
    labels = ["a", None, "b", "a"]
    scores = {"a": [0.9, 0.5, 0.2, 0.7], "b": [0.1, 0.5, 0.8, 0.2]}
    with pytest.raises(rt.InputError, match="missing"):
        rt.multiclass(label=labels, scores=scores)
    result = rt.multiclass(label=labels, scores=scores, missing="omit", average="micro")
    assert [row["n"] for row in result.to_dict()] == [3, 3, 3, 3, 6, 6]


def test_integer_scores_stay_integers(engine):
    big = 1 << 53
    scores = {"a": [big, big + 1, 3], "b": [5, 4, 3]}
    result = rt.multiclass(
        label=["b", "a", "b"], scores=scores, metrics="roc_auc", average="micro", engine=engine
    )
    assert result.value("a", "roc_auc") == 1.0
    mixed = {"a": np.array([1.0, 2.0, 3.0]), "b": np.array([5, 4, 3])}
    with refused("`scores`", "int64", "float64", "micro"):
        rt.multiclass(label=["b", "a", "b"], scores=mixed, average="micro", engine=engine)


# -- refusals ------------------------------------------------------------------------------------

MATRIX = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"label": ["a", "b", "a"], "scores": MATRIX}, ["`scores`", "2 columns", "classes="]),
        ({"label": ["a", "b", "x"], "scores": MATRIX, "classes": "ab"}, ["`classes`"]),
        ({"label": ["a", "b", "x"], "scores": MATRIX, "classes": ["a", "b"]}, ["'x'", "row 2"]),
        ({"label": ["a", "b", "a"], "scores": MATRIX, "classes": ["a", "b", "c"]}, ["3", "2"]),
        ({"label": ["a", "b", "a"], "scores": MATRIX, "classes": ["a", "a"]}, ["'a'", "twice"]),
        ({"label": ["a", "b"], "scores": MATRIX, "classes": ["a", "b"]}, ["2 rows", "3"]),
        ({"label": ["a", "a"], "scores": {"a": [1, 2]}}, ["one column"]),
        ({"label": ["a", "b"], "scores": {"a": [1, 2], "b": ["x", "y"]}}, ["'b'", "'x'"]),
    ],
)
def test_refused(arguments, words):
    with refused(*words):
        rt.multiclass(**arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"average": "mean"}, ["`average`", "'mean'"]),
        ({"strategy": "all"}, ["`strategy`", "'all'"]),
        ({"on_undefined": "zero"}, ["`on_undefined`"]),
        ({"strategy": "ovo", "average": "micro"}, ["micro", "ovr"]),
        ({"strategy": "ovo", "metrics": "average_precision"}, ["`metrics`", "roc_auc"]),
        ({"metrics": "precision"}, ["precision", "at="]),
        ({"metrics": "precision", "at": [1, 1]}, ["`at`", "twice"]),
    ],
)
def test_refused_options(options, words):
    with refused(*words):
        rt.multiclass(label=LABELS, scores=SCORES, **options)


def test_one_against_one_needs_one_class_a_row():
    with refused("ovo", "one class a row"):
        rt.multiclass(label=[[1, 0], [0, 1]], scores=[[1, 0], [0, 1]], strategy="ovo")


def test_differing_indexes():
    scores = pd.DataFrame(SCORES)
    labels = pd.Series(LABELS, index=range(1, len(LABELS) + 1))
    with refused("index"):
        rt.multiclass(label=labels, scores=scores)
