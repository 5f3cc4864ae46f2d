"""compare(): each method against the result it comes from, the family of p-values, the door."""

from __future__ import annotations

import math
import pickle
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusals import refused

import ranktally as rt
from ranktally._compare import compare
from ranktally._compare_result import Comparison
from ranktally._intervals import two_sided_p
from ranktally._jackknife import jackknife

COLUMNS = [
    *("model", "baseline", "metric", "threshold", "value", "baseline_value", "difference", "low"),
    *("high", "interval", "level", "p", "p_adjusted", "verdict", "n", "n_pos", "n_neg"),
]


def table(n: int = 600, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    a = np.round(rng.normal(size=n) + 1.3 * y, 2)
    return {
        "y": y,
        "a": a,
        "b": np.round(a + rng.normal(size=n), 2),
        "c": a + 0.01 * rng.normal(size=n),
        "w": rng.integers(1, 4, n).astype(float),
        "g": rng.integers(0, 80, n),
    }


DATA = table()
OTHER = table(500, 1)
CALL = {"label": "y", "scores": ["a", "b", "c"], "n_resamples": 200, "seed": 7}


def numbers(row, *names):
    return [row[name] for name in names]


# -- methods -----------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "w"])
def test_delong_is_that_of_delong(engine, weight):
    found = compare(DATA, **CALL, weight=weight, baseline="a", engine=engine)
    plain = rt.delong(DATA, label="y", scores=["a", "b", "c"], weight=weight)
    for model in ("b", "c"):
        row, gap = found.row(model), plain.difference(model, "a")
        assert numbers(row, "difference", "low", "high", "p") == [
            gap.estimate, gap.low, gap.high, gap.p,
        ]  # fmt: skip
        assert row["value"] == rt.tally(DATA["y"], DATA[model], weight and DATA["w"]).roc_auc()
        assert row["interval"] == "DeLong plain"
    gini = compare(DATA, **CALL, weight=weight, baseline="a", metric="gini").row("b")
    area = found.row("b")
    assert gini["difference"] == pytest.approx(2 * area["difference"], abs=1e-15)
    assert numbers(gini, "low", "high", "p") == [2 * area["low"], 2 * area["high"], area["p"]]


@pytest.mark.parametrize("cluster", [None, "g"])
def test_bootstrap_is_that_of_bootstrap(engine, cluster):
    metrics = ["average_precision", "ks", "f1", "recall_at_fpr(0.2)"]
    found = compare(
        DATA, **CALL, cluster=cluster, metric=metrics, at=0.5, method="bootstrap", engine=engine
    )
    boot = rt.bootstrap(DATA, **CALL, cluster=cluster, metrics=metrics, at=0.5, engine=engine)
    assert len(found) == 3 * len(metrics)
    for base, model in (("a", "b"), ("a", "c"), ("b", "c")):
        for metric in metrics:
            row, gap = found.row(model, base, metric), boot.difference(model, base, metric)
            assert numbers(row, "difference", "low", "high", "p") == [
                gap.estimate, gap.low, gap.high, gap.p,
            ]  # fmt: skip
            assert row["threshold"] == (0.5 if metric == "f1" else None)
            assert row["interval"] == f"bootstrap {boot.scheme} percentile"
    assert found.summary["seed"] == 7


@pytest.mark.parametrize("cluster", [None, "g"])
def test_jackknife_is_that_of_jackknife(cluster):
    found = compare(DATA, **CALL, cluster=cluster, metric=["roc_auc", "f1"], at=0.5,
                    method="jackknife")  # fmt: skip
    plain = jackknife(DATA, label="y", scores=["a", "b", "c"], cluster=cluster,
                      metrics=["roc_auc", "f1"], at=0.5)  # fmt: skip
    for metric in ("roc_auc", "f1"):
        row, gap = found.row("c", "b", metric), plain.difference("c", "b", metric)
        assert numbers(row, "difference", "low", "high", "p") == [
            gap.estimate, gap.low, gap.high, gap.p,
        ]  # fmt: skip
    assert found.summary["seed"] is None


def test_auto_chooses_by_metric_and_clusters():
    both = {"metric": ["roc_auc", "average_precision", "gini"], "baseline": "a"}
    plain = compare(DATA, **CALL, **both)
    assert plain.summary["methods"] == {
        "roc_auc": "delong", "average_precision": "bootstrap", "gini": "delong",
    }  # fmt: skip
    # Every metric keeps its place, whichever method it goes by.
    assert [x["metric"] for x in plain.to_dict()] == both["metric"] * 2
    clustered = compare(DATA, **CALL, **both, cluster="g")
    assert set(clustered.summary["methods"].values()) == {"bootstrap"}
    assert compare(DATA, **CALL).summary["seed"] is None


def test_unpaired_delong_adds_variances():
    found = compare(DATA, other=OTHER, **CALL)
    here, there = (rt.delong(d, label="y", scores=["a", "b", "c"]) for d in (DATA, OTHER))
    for k, model in enumerate("abc"):
        row = found.row(model)
        error = math.hypot(here.standard_error[k], there.standard_error[k])
        z = (there.auc[k] - here.auc[k]) / error
        assert row["difference"] == there.auc[k] - here.auc[k]
        assert row["p"] == pytest.approx(math.erfc(abs(z) / math.sqrt(2)))
        assert row["high"] - row["low"] == pytest.approx(2 * 1.959963985 * error)
        assert row["baseline"] == model
        assert (row["n"], row["baseline_n"]) == (500, 600)
        assert row["baseline_n_pos"] == DATA["y"].sum()


def test_unpaired_bootstrap_draws_apart(engine):
    found = compare(
        DATA, other=OTHER, **CALL, method="bootstrap", metric="average_precision", engine=engine
    )
    here = rt.bootstrap(DATA, **CALL, metrics="average_precision", plan="rows")
    call = {**CALL, "seed": 7 ^ (1 << 63)}
    there = rt.bootstrap(OTHER, **call, metrics="average_precision", plan="rows")
    gaps = there.replicates[:, 1, 0] - here.replicates[:, 1, 0]
    estimate = there.estimate[1, 0] - here.estimate[1, 0]
    row = found.row("b")
    assert row["p"] == two_sided_p(estimate, gaps)
    low, high = (np.quantile(gaps, q, method="weibull") for q in (0.025, 0.975))
    assert numbers(row, "low", "high") == pytest.approx([low, high])
    # The two sets do not move together.
    assert abs(np.corrcoef(here.replicates[:, 1, 0], there.replicates[:, 1, 0])[0, 1]) < 0.25


def test_unpaired_methods_agree():
    wide = {**CALL, "n_resamples": 1000}
    rows = [
        compare(DATA, other=OTHER, **wide, method=method).row("a")
        for method in ("delong", "jackknife", "bootstrap")
    ]
    for row in rows[1:]:
        assert row["difference"] == rows[0]["difference"]
        width = row["high"] - row["low"]
        assert width == pytest.approx(rows[0]["high"] - rows[0]["low"], rel=0.12)


def test_permutation_gives_no_interval():
    found = compare(DATA, **CALL, method="permutation", metric=["roc_auc", "f1"], at=0.5)
    for row in found.to_dict():
        assert numbers(row, "low", "high", "interval") == [None] * 3
        assert 0 < row["p"] <= 1
    assert found.row("b", "a", "roc_auc")["p"] == 1 / 201
    assert "permutation" in str(found)


# -- the family --------------------------------------------------------------------------------


def test_p_values_of_several_metrics_are_one_family():
    found = compare(DATA, **CALL, metric=["roc_auc", "gini"], adjust="bonferroni")
    p = np.asarray(found.columns["p"])
    np.testing.assert_allclose(found.columns["p_adjusted"], np.minimum(6 * p, 1))
    assert found.summary["n_comparisons"] == 6


def test_verdicts_follow_the_direction_of_the_metric():
    call = {**CALL, "baseline": "a", "at": 0.5, "method": "bootstrap"}
    assert compare(DATA, **call, metric="accuracy").row("b")["verdict"] == "worse"
    assert compare(DATA, **call, metric="error_rate").row("b")["verdict"] == "worse"
    own = compare(DATA, **call, metric=lambda tp, fp, tn, fn: (tp + tn) / (tp + fp + tn + fn))
    assert own.row("b")["verdict"] == "lower"


# -- edges -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["delong", "bootstrap", "jackknife", "permutation"])
def test_a_model_against_itself(method):
    found = compare(
        label=DATA["y"], scores={"a": DATA["a"], "b": DATA["a"]}, method=method, n_resamples=50,
        seed=1,
    ).row()  # fmt: skip
    assert (found["difference"], found["p"]) == (0.0, 1.0)
    assert found["verdict"] == "no difference shown"


@pytest.mark.parametrize("method", ["delong", "bootstrap", "jackknife", "permutation"])
@pytest.mark.parametrize("two", [False, True])
def test_one_class_is_undefined(method, two):
    if two and method == "permutation":
        return
    y = [0, 0, 0, 0]
    scores = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.1, 0.3, 0.4]}
    other = {"label": y, "scores": scores} if two else None
    found = compare(label=y, scores=scores, method=method, n_resamples=20, seed=1, other=other)
    row = found.row("b")
    assert numbers(row, "value", "difference", "low", "high", "p", "p_adjusted") == [None] * 6
    assert (row["status"], row["verdict"]) == ("no_positives", "undefined")
    assert found.summary["n_comparisons"] == 0
    assert "undefined: no positives" in str(found)


def test_few_positives_are_told():
    y, a, b = ([*DATA[k][:60]] for k in "yab")
    found = compare(label=y, scores={"a": a, "b": b})
    assert found.row()["note"] == "few_positives, few_negatives"
    assert "note: fewer than 50 positives and negatives" in str(found)
    rows = {"label": y, "scores": {"a": a, "b": b}}
    large = {"label": DATA["y"], "scores": {"a": DATA["a"], "b": DATA["b"]}}
    assert "few_positives" in compare(**large, other=rows).row("a")["note"]


def test_gaps_are_those_of_all_models():
    a, b = DATA["a"].copy(), DATA["b"].copy()
    a[3], b[[5, 7]] = np.nan, np.nan
    with refused("a", "missing"):
        compare(label=DATA["y"], scores={"a": a, "b": b})
    keep = np.delete(np.arange(600), [3, 5, 7])
    found = compare(label=DATA["y"], scores={"a": a, "b": b}, missing="omit")
    plain = compare(label=DATA["y"][keep], scores={"a": a[keep], "b": b[keep]})
    assert found.row() == plain.row()
    assert (found.summary["n_rows"], found.summary["n_used"]) == (600, 597)
    assert "597 of 600" in str(found)


def test_weights_are_told_as_weights():
    found = compare(DATA, **CALL, weight="w", baseline="a").row("b")
    assert found["n"] == DATA["w"].sum()
    assert found["n_pos"] == DATA["w"][DATA["y"] == 1].sum()


# -- the door ----------------------------------------------------------------------------------


def test_all_pairs_or_one_baseline():
    pairs = [(x["model"], x["baseline"]) for x in compare(DATA, **CALL).to_dict()]
    assert pairs == [("b", "a"), ("c", "a"), ("c", "b")]
    one = [(x["model"], x["baseline"]) for x in compare(DATA, **CALL, baseline="b").to_dict()]
    assert one == [("a", "b"), ("c", "b")]


def test_forms_of_two_data_sets(tmp_path):
    for name, data in (("last", DATA), ("this", OTHER)):
        pq.write_table(pa.table(data), tmp_path / f"{name}.parquet")
    expected = compare(DATA, other=OTHER, label="y", scores=["a", "b"])
    call = {"label": "y", "scores": "[ab]"}
    paths = [tmp_path / "last.parquet", tmp_path / "this.parquet"]
    assert compare(paths[0], other=paths[1], **call).to_dict() == expected.to_dict()
    arrays = [
        {"label": d["y"], "scores": {name: d[name] for name in order}}
        for d, order in ((DATA, "ab"), (OTHER, "ba"))
    ]
    assert compare(**arrays[0], other=arrays[1]).to_dict() == expected.to_dict()
    named = compare(DATA, other=OTHER, label="y", scores={"x": "a", "z": "b"})
    assert named.row("x")["p"] == expected.row("a")["p"]


def test_a_glob_is_read_in_the_first_data_set():
    more = {**OTHER, "b2": OTHER["b"]}
    found = compare(DATA, other=more, label="y", scores="b*")
    assert [x["model"] for x in found.to_dict()] == ["b"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"baseline": "z"}, ["baseline", "'z'"]),
        ({"scores": ["a"]}, ["scores", "'a'", "second data set"]),
        ({"metric": "rocauc"}, ["metric", "rocauc", "roc_auc"]),
        ({"metric": "f1"}, ["metric", "f1", "at="]),
        ({"metric": []}, ["metric", "empty"]),
        ({"metric": 3}, ["metric", "3"]),
        ({"metric": ["ks", "ks"]}, ["metric", "ks", "twice"]),
        ({"at": 0.5}, ["at", "roc_auc"]),
        ({"metric": "f1", "at": [0.4, 0.5]}, ["at", "one number"]),
        ({"method": "delong", "metric": "ks"}, ["delong", "ks", "bootstrap"]),
        ({"method": "delong", "cluster": "g"}, ["delong", "cluster", "bootstrap"]),
        ({"method": "jackknife", "metric": "ks"}, ["jackknife", "ks", "bootstrap"]),
        ({"method": "permutation", "metric": "brier"}, ["permutation", "brier", "bootstrap"]),
        ({"method": "permutation", "other": OTHER}, ["permutation", "other", "bootstrap"]),
        ({"method": "wald"}, ["method", "wald", "delong"]),
        ({"adjust": "hommel"}, ["adjust", "hommel", "holm"]),
        ({"missing": "first"}, ["missing", "omit", "worst"]),
        (
            {"missing": "worst", "method": "permutation", "metric": "ks"},
            ["missing", "worst", "permutation", "ks"],
        ),
        ({"level": 1.0}, ["level"]),
        ({"n_resamples": 0}, ["n_resamples"]),
        ({"seed": -1}, ["seed"]),
        ({"baseline": "a", "other": OTHER}, ["baseline", "itself"]),
        ({"other": {"y": [0, 1], "a": [1, 2]}}, ["scores", "b"]),
        ({"label": DATA["y"], "other": OTHER}, ["label", "array", "other"]),
        ({"scores": DATA["a"], "other": OTHER}, ["scores", "array", "other"]),
    ],
)
def test_refusals(options, words):
    with refused(*words):
        compare(DATA, **{**CALL, **options})


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ([1, 2], ["other", "label", "scores"]),
        ({"label": [0, 1]}, ["other", "scores"]),
        ({"label": [0, 1], "scores": [1, 2], "wieght": [1, 1]}, ["wieght"]),
        ({"label": [0, 1], "scores": [1, 2], "weight": [1, 1]}, ["weight"]),
        ({"label": [0, 1], "scores": {"x": [1, 2]}}, ["other", "x", "score"]),
    ],
)
def test_refusals_of_arrays(other, words):
    with refused(*words):
        compare(label=DATA["y"], scores=DATA["a"], other=other)


def test_columns_and_forms():
    found = compare(DATA, **CALL)
    assert isinstance(found, Comparison)
    assert list(found.columns) == [*COLUMNS, "status", "note"]
    two = compare(DATA, other=OTHER, **CALL)
    sizes = ["baseline_n", "baseline_n_pos", "baseline_n_neg"]
    assert list(two.columns) == [*COLUMNS, *sizes, "status", "note"]
    assert pa.table(found).num_rows == 3
    assert found.to_pandas()["model"].tolist() == ["b", "c", "c"]
    assert "verdict" in found.to_markdown()
    assert found.value(model="b") == found.row("b")["value"]
    with refused("2 rows match", "baseline"):
        found.row("c")
    with refused("no row", "'z'"):
        found.row("z")
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict()
    assert str(again) == str(found)
    assert repr(found) == "Comparison(3 rows, paired)"


@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
def test_same_bytes_for_threads_and_engines(method):
    call = {**CALL, "metric": ["roc_auc", "average_precision"], "method": method}
    first = compare(DATA, **call, threads=1, engine="numpy").to_dict()
    assert compare(DATA, **call, threads=3, engine="numba").to_dict() == first


@pytest.mark.parametrize("two", [False, True])
def test_progress_counts_to_the_end(two):
    told: list[tuple[int, int]] = []
    compare(DATA, **CALL, method="bootstrap", other=OTHER if two else None,
            progress=lambda *x: told.append(x), threads=1)  # fmt: skip
    assert told[-1][0] == told[-1][1]
    assert [x for x, _ in told] == sorted(x for x, _ in told)
    before = threading.active_count()

    def stop(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        compare(DATA, **CALL, method="bootstrap", progress=stop, threads=3)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"label": [1, 0], "scores": {"a": [1.0]}}, ("`other`", "scores")),
        ({"label": [1, 0], "scores": {"a": ["x", "y"]}}, ("a",)),
        (
            {"label": [1, 0], "scores": {"a": [1, 2]}, "weight": [1, 1]},
            ("`other`", "weight", "both"),
        ),
    ],
)
def test_faults_of_the_other_data_set_are_said_to_be_its_own(other, words):
    with refused(*words):
        compare(label=[1, 0], scores={"a": [0.1, 0.2]}, other=other)


def test_the_argument_is_called_what_it_is_called():
    call = {"label": [1, 0], "scores": {"a": [0.1, 0.2], "b": [0.2, 0.1]}}
    with refused("`metric`", "empty"):
        compare(**call, metric={})
    with refused("`metric`", "twice", "dict"):
        compare(**call, metric=[lambda tp, fp, tn, fn: tp, lambda tp, fp, tn, fn: fp], at=0.1)
    for method in ("bootstrap", "jackknife", "permutation"):
        with refused("`metric`", "ZeroDivisionError"):
            compare(**call, metric=lambda tp, fp, tn, fn: 1 / 0, at=0.1, method=method)


@pytest.mark.parametrize("metric", ["ks", "ece", "mce"])
def test_what_depends_on_the_number_of_rows_is_not_compared_across_data_sets(metric):
    call = {"label": [1, 0, 1, 0], "scores": {"a": [0.9, 0.2, 0.6, 0.7]}, "metric": metric}
    with refused(metric, "fewer rows", "one data set"):
        compare(**call, other={k: call[k] for k in ("label", "scores")})


def test_one_metric_under_two_names_is_one_comparison():
    call = {"label": [1, 0], "scores": {"a": [0.1, 0.2], "b": [0.2, 0.1]}}
    with refused("`metric`", "'tpr'", "'recall'"):
        compare(**call, metric=["fnr", "recall", "tpr"], at=0.1)
    with refused("`metric`", "'auc'"):
        compare(**call, metric=["auc", "roc_auc"])
