"""The same rows give the same numbers on every path: tally, evaluate, groups, any loops."""

from __future__ import annotations

import inspect
import math
from fractions import Fraction

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import answer
from strategies import samples, splits

import ranktally as rt
from ranktally import kernels, reference
from ranktally._counts import Counts, areas_of_counts
from ranktally._engine import loops

AREAS = ["roc_auc", "average_precision", "gini", "ks"]
CUT = ["precision", "recall", "fpr", "npv", "f1", "mcc", "accuracy", "predicted_positive_rate"]


def loop_names(package) -> dict[str, inspect.Signature]:
    functions = {k: f for k, f in vars(package).items() if callable(f) and not k.startswith("_")}
    return {k: inspect.signature(getattr(f, "py_func", f)) for k, f in functions.items()}


def test_kernels_and_reference_have_the_same_names_and_parameters():
    ours, oracle = loop_names(kernels), loop_names(reference)
    assert ours
    assert ours == oracle


def exact(name: str, labels, scores, weights=None, at=None) -> float:
    return naive.as_float(naive.value(name, labels, scores, weights, at))


def evaluate(sample, engine, **options):
    return rt.evaluate(
        label=sample.labels, scores=sample.scores, weight=sample.weights, engine=engine, **options
    )


@given(samples())
def test_areas_without_a_tally(engine, sample):
    """`evaluate` sums the areas while it merges the sorted classes."""
    labels, scores, _ = sample.lists
    result = evaluate(sample, engine, metrics=AREAS)
    np.testing.assert_equal(result.value("score", "roc_auc"), exact("roc_auc", labels, scores))
    ap = naive.average_precision(labels, scores)
    got = result.value("score", "average_precision")
    assert math.isnan(got) if ap is None else abs(Fraction(got) - ap) <= Fraction(1, 10**15)
    t = rt.tally(sample.labels, sample.scores, engine=engine)
    for name in AREAS:
        np.testing.assert_equal(result.value("score", name), getattr(t, name)())


@given(samples(weights="integral"))
def test_areas_with_integral_weights(engine, sample):
    labels, scores, weights = sample.lists
    result = evaluate(sample, engine, metrics=AREAS)
    t = rt.tally(sample.labels, sample.scores, sample.weights, engine=engine)
    expected = exact("roc_auc", labels, scores, weights)
    np.testing.assert_equal(result.value("score", "roc_auc"), expected)
    for name in AREAS:
        np.testing.assert_equal(result.value("score", name), getattr(t, name)())


@given(samples(weights="real"))
def test_areas_with_real_weights(engine, sample):
    labels, scores, weights = sample.lists
    result = evaluate(sample, engine, metrics=AREAS)
    for name in AREAS:
        expected = exact(name, labels, scores, weights)
        got = result.value("score", name)
        assert got == pytest.approx(expected, abs=1e-14, nan_ok=True), name


@given(samples(), st.data())
def test_counts_without_a_sort(engine, sample, data):
    """Measures at given cuts count rows; they must agree with the tally's search."""
    labels, scores, _ = sample.lists
    cut = data.draw(st.sampled_from([*scores, 0.5, math.inf, -math.inf, 0]))
    cut = float(cut) if sample.scores.dtype.kind == "f" else cut
    result = evaluate(sample, engine, metrics=CUT, at=cut)
    points = rt.tally(sample.labels, sample.scores, engine=engine).at(cut)
    for name in CUT:
        got = result.value("score", name)
        np.testing.assert_equal(got, getattr(points, name))
        expected = exact(name, labels, scores, at=cut)
        assert got == pytest.approx(expected, abs=2e-15, nan_ok=True), name


@pytest.mark.parametrize(
    ("dtype", "lowest", "next_"),
    [
        ("int64", -(2**63), 1 - 2**63),
        ("int64", -(2**63), 2**63 - 1),
        ("uint64", 0, 1),
        ("uint64", 0, 2**64 - 1),
        ("int32", -(2**31), 0),
        ("int8", -128, -127),
        ("uint8", 0, 1),
        ("float32", -np.inf, -3e38),
    ],
)
@pytest.mark.parametrize("weights", [None, [1.0, 2.0]])
@pytest.mark.parametrize("by", [None, [["g"]]])
def test_a_cut_at_the_lowest_value_of_a_type(engine, dtype, lowest, next_, weights, by):
    table = {"y": [1, 1], "s": np.array([lowest, next_], dtype), "g": [0, 0]}
    if weights:
        table["w"] = weights
    result = rt.evaluate(
        table, label="y", scores="s", weight="w" if weights else None, by=by,
        metrics=["recall"], at=[lowest, next_], engine=engine,
    )  # fmt: skip
    recalls = [row["value"] for row in result.to_dict()]
    assert recalls == [1, 0.5 if weights is None else 2 / 3]


@given(samples(weights="real"), st.data())
def test_weighted_counts_without_a_sort(engine, sample, data):
    labels, scores, weights = sample.lists
    cut = data.draw(st.sampled_from([*scores, math.inf, -math.inf]))
    cut = float(cut) if sample.scores.dtype.kind == "f" else cut
    result = evaluate(sample, engine, metrics=CUT, at=cut)
    for name in CUT:
        expected = exact(name, labels, scores, weights, cut)
        got = result.value("score", name)
        # a difference of products can lose all but the last digits of its terms
        assert got == pytest.approx(expected, abs=1e-13, nan_ok=True), name


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@given(data=st.data())
def test_groups(engine, weights, data):
    """Each group as if it were alone, whatever lies between its rows."""
    sample = data.draw(samples(weights=weights))
    groups = [index for index in data.draw(splits(len(sample.labels))) if len(index)]
    key = np.empty(len(sample.labels), dtype=np.int64)
    for k, index in enumerate(groups):
        key[index] = k
    cut = data.draw(st.sampled_from(sample.scores.tolist()))
    table = {"y": sample.labels, "s": sample.scores, "g": key}
    if weights:
        table["w"] = sample.weights
    options = {"metrics": [*AREAS, *CUT], "at": cut}
    grouped = rt.evaluate(
        table,
        label="y",
        scores="s",
        weight="w" if weights else None,
        by=[[], ["g"]],
        engine=engine,
        **options,
    )
    whole = evaluate(sample, engine, **options)
    alone = [evaluate(sample.rows(index), engine, **options) for index in groups]
    bound = 1e-13 if weights == "real" else 0
    for name in [*AREAS, *CUT]:
        for k, one in enumerate(alone):
            got = grouped.value("s", name, g=k)
            assert got == pytest.approx(one.value("score", name), abs=bound, nan_ok=True), name
        total = [row for row in grouped.to_dict() if row["metric"] == name and row["g"] is None]
        assert len(total) == 1
        expected = whole.value("score", name)
        got = math.nan if total[0]["value"] is None else total[0]["value"]
        assert got == pytest.approx(expected, abs=bound, nan_ok=True), name


@pytest.mark.parametrize("weights", [None, "integral", "real"])
@given(data=st.data())
def test_missing_scores(engine, weights, data):
    sample = data.draw(samples(("float32", "float64"), weights=weights))
    n = len(sample.labels)
    gone = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    scores = np.where(gone, sample.scores.dtype.type(np.nan), sample.scores)
    labels, _, w = sample.lists
    kept = np.flatnonzero(~gone)
    for missing, rows in (("worst", range(n)), ("omit", kept)):
        result = rt.evaluate(
            label=sample.labels, scores=scores, weight=sample.weights, at=0.5,
            metrics=[*AREAS, *CUT], missing=missing, engine=engine,
        )  # fmt: skip
        parts = [[x[i] for i in rows] for x in (labels, scores.tolist())]
        parts.append(None if w is None else [w[i] for i in rows])
        for name in [*AREAS, *CUT]:
            expected = exact(name, *parts, at=0.5)
            got = result.value("score", name)
            assert got == pytest.approx(expected, abs=1e-13, nan_ok=True), (missing, name)


EXTREMES = {
    "int64": [-(2**63), 1 - 2**63, 2**63 - 1],
    "uint64": [0, 1, 2**64 - 1],
    "int8": [-128, -127, 127],
    "uint8": [0, 1, 255],
    "float32": [-math.inf, -3.4028234663852886e38, math.inf],
    "float64": [-math.inf, -1.7976931348623157e308, math.inf],
    "bool": [False, True, True],
}


@pytest.mark.parametrize("kind", EXTREMES)
@pytest.mark.parametrize("by", [None, [["g"]]])
@pytest.mark.parametrize("weights", [None, [1.0, 1, 1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]])
def test_nothing_ranks_below_a_missing_score_but_another(engine, kind, by, weights):
    """The lowest value of a type still beats a missing score."""
    arrow = {"bool": pa.bool_(), "float32": pa.float32(), "float64": pa.float64()}
    kind_of = arrow.get(kind) or getattr(pa, kind)()
    scores = pa.array([*EXTREMES[kind], None, None, EXTREMES[kind][0]], kind_of)
    labels = [1, 0, 1, 0, 1, 0]
    values = scores.to_pylist()
    t = answer(lambda: rt.tally(labels, scores, weights, missing="worst", engine=engine), "y_score")
    if t is None:  # a 64-bit type may have no place left below its lowest value
        assert kind in ("int64", "uint64")
        return
    assert t.threshold.tolist() == naive.thresholds(values)
    assert t.roc_auc() == exact("roc_auc", labels, values)
    low = t.at(EXTREMES[kind][0])
    assert low.tp + low.fp == (4 if weights is None else 4 * weights[0])
    table = {"y": labels, "s": scores, "g": np.zeros(6, int), "w": weights or [0] * 6}
    result = rt.evaluate(
        table, label="y", scores="s", weight="w" if weights else None, by=by, missing="worst",
        metrics=["roc_auc", "average_precision", "predicted_positive_rate"],
        at=EXTREMES[kind][0], engine=engine,
    )  # fmt: skip
    assert result.value("s", "roc_auc") == exact("roc_auc", labels, values)
    assert result.value("s", "predicted_positive_rate") == 4 / 6
    ap = exact("average_precision", labels, values)
    assert result.value("s", "average_precision") == pytest.approx(ap, abs=1e-15)


@given(samples(weights="real"), st.booleans())
def test_areas_of_counts_on_both_loops(engine, sample, whole):
    """A small tally asks the NumPy loops by itself; here the others answer too."""
    weights = np.ceil(sample.weights) if whole else sample.weights
    t = rt.tally(sample.labels, sample.scores, weights, engine=engine)
    plain = rt.tally(sample.labels, sample.scores, engine=engine)
    for one in (t, plain):
        counts = Counts(one.threshold, one.tp, one.fp, one.n_pos, one.n_neg)
        found = areas_of_counts(counts, loops(engine, 1))
        for name in AREAS[:2]:
            got, own = getattr(found, name), getattr(one, name)()
            assert got == pytest.approx(own, abs=1e-15 if one is plain or whole else 1e-14,
                                        nan_ok=True)  # fmt: skip


@given(samples(weights="real"), st.data())
def test_weighted_merge_is_commutative(engine, sample, data):
    parts = [index for index in data.draw(splits(len(sample.labels))) if len(index)][:2]
    tallies = [
        rt.tally(*(getattr(sample.rows(i), k) for k in ("labels", "scores", "weights")),
                 engine=engine) for i in parts
    ]  # fmt: skip
    if len(tallies) < 2:
        return
    a, b = tallies
    one, other = a.merge(b), b.merge(a)
    assert one.tp.tobytes() == other.tp.tobytes()
    assert one.fp.tobytes() == other.fp.tobytes()
    np.testing.assert_equal(one.roc_auc(), other.roc_auc())


def test_no_rows_left(engine):
    for by in (None, [["g"]]):
        result = rt.evaluate(
            {"y": [1, 0], "s": [math.nan, math.nan], "g": [0, 0]},
            label="y", scores="s", by=by, missing="omit", engine=engine,
        )  # fmt: skip
        rows = result.to_dict()
        assert {row["metric"] for row in rows} == {"roc_auc", "average_precision"}
        assert {row["value"] for row in rows} == {None}
        assert {row["status"] for row in rows} == {"empty"}


def test_weighted_measures_under_cancellation(engine):
    """What lies below a cut is a difference of sums: its error is that of the larger one."""
    y, s, w = [0, 1, 0], [0.9, 0.1, 0.1], [1e6, 0.1, 0.1]
    bound = 4 * np.finfo(float).eps * sum(w) / 0.2
    for got in (
        rt.tally(y, s, w, engine=engine).at(0.5).npv,
        rt.evaluate(label=y, scores=s, weight=w, metrics=["npv"], at=0.5, engine=engine).value(),
    ):
        assert abs(got - 0.5) <= bound


def test_files_and_memory(engine, tmp_path):
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet as pq

    rng = np.random.default_rng(4)
    y = rng.random(500) < 0.3
    s = (rng.normal(size=500) + y).round(2)
    table = pa.table({"y": y, "s": s, "w": rng.integers(0, 3, 500)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=70)
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    pyarrow.csv.write_csv(table, tmp_path / "a.csv")
    halves = tmp_path / "halves"
    halves.mkdir()
    pq.write_table(table[:123], halves / "1.parquet")
    pq.write_table(table[123:], halves / "2.parquet")
    columns = {name: table[name].to_numpy() for name in table.column_names}
    sources = [table, columns, table.to_pandas(), halves, str(halves / "*.parquet")]
    sources += [tmp_path / f"a.{kind}" for kind in ("parquet", "feather", "csv")]
    for weight in (None, "w"):
        base = rt.tally(y, s, None if weight is None else columns["w"], engine=engine)
        for source in sources:
            result = rt.evaluate(
                source, label="y", scores="s", weight=weight, metrics=AREAS, engine=engine
            )
            for name in AREAS:
                assert result.value("s", name) == getattr(base, name)()


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        ("int8", -128, 127),
        ("uint8", 0, 255),
        ("int16", -(2**15), 2**15 - 1),
        ("int32", -(2**31), 2**31 - 1),
        ("int64", -(2**63), 2**63 - 1),
        ("uint64", 2**64 - 300, 2**64 - 1),
        ("uint64", 0, 2**64 - 1),
    ],
)
def test_keys_over_the_whole_range_of_their_type(dtype, low, high):
    span = [low, low + 1, (low + high) // 2, high - 1, high]
    keys = np.repeat(np.asarray(span, dtype), 40)
    y = np.tile([0, 1, 1, 0], 50)
    s = np.random.default_rng(3).normal(size=keys.size)
    result = rt.evaluate(label=y, scores=s, by=keys, metrics="roc_auc")
    assert result.to_arrow()["group"].to_pylist() == span
    for key in span:
        mine = keys == np.asarray(key, dtype)
        assert result.value(group=key) == rt.tally(y[mine], s[mine]).roc_auc()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "int64"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", ["raise", "omit", "worst"])
def test_many_thresholds_are_those_of_one_call_each(engine, dtype, weighted, missing):
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.4
    s = pa.array((rng.normal(size=300) * 9 + y).astype(dtype))
    if missing != "raise":
        s = pa.array([None if k % 7 == 0 else x for k, x in enumerate(s.to_pylist())], s.type)
    call = {"label": y, "scores": s, "missing": missing, "engine": engine}
    call |= {
        "metrics": ["precision", "recall", "mcc"],
        "weight": rng.random(300) if weighted else None,
    }
    cuts = [-np.inf, -20.5, -3, 0.0, 0.5, 2.25, 7, 1e9, np.inf]
    together = rt.evaluate(**call, at=cuts)
    for cut in cuts:
        alone = rt.evaluate(**call, at=cut)
        for metric in call["metrics"]:
            a = together.value("score", metric, threshold=cut)
            b = alone.value("score", metric, threshold=cut)
            assert a == pytest.approx(b, rel=1e-15, nan_ok=True)


def test_many_thresholds_where_no_row_is_left(engine):
    none = pa.array([None, None], pa.float64())
    result = rt.evaluate(
        label=[0, 1],
        scores=none,
        missing="omit",
        metrics="recall",
        at=[0, 1, 2, 3, 4, 5],
        engine=engine,
    )
    assert {row["status"] for row in result.to_dict()} == {"empty"}
