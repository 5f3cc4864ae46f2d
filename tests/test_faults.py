"""The reported faults, each under its id: what other tools got wrong, computed right here."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import FAULTS, SLOW, numbers

import ranktally as rt
from ranktally import delong
from ranktally._compare import compare
from ranktally.metrics import auc

RUNS: dict[str, Callable[[dict[str, Any], dict[str, Any], str], None]] = {}


def fault(*ids: str) -> Callable[[Any], Any]:
    """The function that runs these cases, given input, expected and engine."""

    def keep(function: Any) -> Any:
        for name in ids:
            assert name not in RUNS, name
            RUNS[name] = function
        return function

    return keep


def area(i: dict[str, Any], engine: str, **options: Any) -> float:
    w = numbers(i["w"]) if "w" in i else None
    return rt.tally(i["y"], numbers(i["s"]), w, engine=engine, **options).roc_auc()


@fault("T01", "T06", "T10", "T13", "D10", "D12", "L04", "L10", "M03", "S03", "W04", "W08",
       "O01", "O06", "ST04", "ST05")  # fmt: skip
def run_area(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    got = area(i, engine)
    value = e.get("value", (e.get("values") or {}).get("roc_auc"))
    if value is None:
        assert math.isnan(got)
    else:
        assert got == pytest.approx(value, abs=1e-15)
        assert math.copysign(1, got) == 1


def check_curve(curve: Any, e: dict[str, Any]) -> None:
    assert curve.threshold.tolist() == numbers(e["thresholds"])
    np.testing.assert_allclose(curve.x, e["fpr"], rtol=1e-15)
    np.testing.assert_allclose(curve.y, e["tpr"], rtol=1e-15)


@fault("T02", "T05", "ST10")
def run_orders(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    rows = list(zip(i["y"], i["s"], strict=True))
    for order in itertools.permutations(rows):
        y, s = zip(*order, strict=True)
        assert rt.tally(y, s, engine=engine).roc_auc() == e["value"]


@fault("T03", "C01", "M05")
def run_roc(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    check_curve(rt.tally(i["y"], numbers(i["s"]), engine=engine).roc_curve(), e)


@fault("C02")
def run_first_threshold(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    curve = rt.tally(i["y"], i["s"], engine=engine).roc_curve()
    assert curve.threshold[0] == float(e["value"])


@fault("C04")
def run_full_curve(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    t = rt.tally(i["y"], i["s"], engine=engine)
    assert t.roc_auc() == e["value"]
    assert t.roc_curve().x.tolist() == e["full"]["fpr"]
    assert t.roc_curve().y.tolist() == e["full"]["tpr"]
    short = t.roc_curve().reduce()
    kept = set(zip(e["full"]["fpr"], e["full"]["tpr"], strict=True))
    assert set(zip(short.x.tolist(), short.y.tolist(), strict=True)) == kept  # all are corners
    assert np.trapezoid(short.y, short.x) == e["value"]


@fault("C03")
def run_no_straight_points(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    curve = rt.tally(i["y"], i["s"], engine=engine).roc_curve().reduce()
    check_curve(curve, e)
    assert curve.max_error == 0


@fault("C05")
def run_shared_grid(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    curves = [rt.tally(i["y"], i[model], engine=engine).roc_curve() for model in "ab"]
    heights = [curve.interpolate(i["grid"]) for curve in curves]
    assert np.mean(heights, axis=0).tolist() == e["values"]["mean_tpr_upper"]


@fault("PL01")
def run_few_points(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    rng = np.random.default_rng(6)
    n = 1_000_000
    y = rng.random(n) < 0.1
    t = rt.tally(y, rng.normal(size=n) + y, engine=engine)
    curve = t.roc_curve().reduce(2000)
    assert len(curve) <= 2000
    assert (curve.x[[0, -1]].tolist(), curve.y[[0, -1]].tolist()) == ([0, 1], [0, 1])
    change = np.trapezoid(curve.y, curve.x) - t.roc_auc()
    assert curve.area_error == pytest.approx(change, abs=1e-12)
    assert abs(change) <= curve.max_error < 1e-3


@fault("P02", "P04", "P07")
def run_partial(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    t = rt.tally(i["y"], i["s"], engine=engine)
    fpr = (0, i["max_fpr"]) if "max_fpr" in i else i.get("fpr_range")
    area = t.partial_auc(fpr=fpr, tpr=i.get("tpr_range"))
    values = e.get("values", {"raw": e.get("value")})
    found = {"raw": area.raw, "mcclish": area.mcclish, "raw_over_width": area.normalized}
    assert {name: found[name] for name in values} == values


@fault("P05")
def run_partial_range(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    t = rt.tally(i["y"], i["s"], engine=engine)
    for limit in numbers(e["raises"]):
        with pytest.raises(rt.InputError, match="`fpr`"):
            t.partial_auc(fpr=(0, limit))
    area = t.partial_auc(fpr=(0, 1))
    assert area.raw == area.mcclish == e["value_at_1"]


@fault("O04")
def run_partial_one_class(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    t = rt.tally(i["y"], i["s"], engine=engine)
    area = t.partial_auc(fpr=(0, 0.01))
    assert math.isnan(area.raw)
    assert math.isnan(area.mcclish)
    result = rt.evaluate(
        label=i["y"], scores=i["s"], metrics=["partial_auc(fpr=(0, 0.01))"], engine=engine
    )
    assert result.to_dict()[0]["status"] == "no_negatives"


@fault("T15")
def run_gini(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for order in itertools.permutations(range(4)):
        y, s = ([i[k][j] for j in order] for k in ("y", "s"))
        assert rt.tally(y, s, engine=engine).gini() == e["value"]


@fault("D02")
def run_large_counts(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    n = 16_777_219
    y, s = np.ones(n, np.uint8), np.full(n, 0.75, np.float32)
    y[-2:], s[-2:] = 0, 0.25
    t = rt.tally(y, s, engine=engine)
    found = {"tp_at_0.75": t.at(0.75).tp, "fp_at_0.75": t.at(0.75).fp, "roc_auc": t.roc_auc()}
    assert found == e["values"]


@fault("D04")
def run_many_pairs(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    s = np.arange(100_000, dtype=np.int32)
    assert rt.tally(s % 2, s, engine=engine).roc_auc() == e["value"]


@fault("D05", "D06")
def run_mcc(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    kind = np.dtype(i["dtype"])
    pos, neg = (np.array([i[a], i[b]], dtype=kind) for a, b in (("tp", "fn"), ("fp", "tn")))
    c = rt.Tally.from_counts([1, 0], pos, neg).at(1)
    assert c.mcc == pytest.approx(e["value"], abs=1e-14)


@fault("D07")
def run_no_wrap(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for kind, rows in (("int32", i), ("uint8", i["second"])):
        scores = np.array(rows["s"], dtype=kind)
        assert rt.tally(rows["y"], scores, engine=engine).roc_auc() == e["values"][kind]
        turned = rt.tally(rows["y"], scores, higher_is_better=False, engine=engine)
        assert turned.roc_auc() == 1 - e["values"][kind]


@fault("D11")
def run_large_integers(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for kind in ("int64", "uint64"):
        scores = np.array(i["s"], dtype=kind)
        assert rt.tally(i["y"], scores, engine=engine).roc_auc() == e["value"]


@fault("L02", "L03")
def run_ask_for_pos_label(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    with pytest.raises(rt.InputError, match="pos_label") as refusal:
        area(i, engine)
    for label in set(i["y"]):
        assert repr(label) in str(refusal.value)
    for name, value in e["values"].items():
        label = 0 if name == "pos_label=0" else name
        assert area(i, engine, pos_label=label) == pytest.approx(value, abs=1e-15)


@fault("L06")
def run_gaps_in_labels(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for labels in (i["y"], np.array(i["y"], dtype=object), pd.Series(i["y"], dtype=object)):
        with pytest.raises(rt.InputError, match=r"1.*missing|missing.*1"):
            rt.tally(labels, i["s"], engine=engine)
        t = rt.tally(labels, i["s"], missing="omit", engine=engine)
        assert t.roc_auc() == e["value"]
        assert (t.n_pos + t.n_neg, t.n_null) == (e["n_used"], e["n_dropped"])


@fault("L07")
def run_categories(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for categories in i["categories"]:
        labels = pd.Categorical(i["y"], categories=categories)
        for form in (labels, pd.Series(labels), pa.array(labels)):
            t = rt.tally(form, i["s"], pos_label="yes", engine=engine)
            assert t.roc_auc() == e["value"]


@fault("L13")
def run_two_columns(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for proba in (i["p"], np.array(i["p"])):
        with pytest.raises(rt.InputError, match=r"\[:, 1\]"):
            rt.tally(i["y"], proba, engine=engine)
        with pytest.raises(rt.InputError, match=r"\[:, 1\]"):
            rt.evaluate(label=i["y"], scores=np.array(proba), engine=engine)
    assert rt.tally(i["y"], np.array(i["p"])[:, 1]).roc_auc() == e["value_if_column_1"]


@fault("L14")
def run_third_label(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    with pytest.raises(rt.InputError, match=r"0.*1.*2"):
        area(i, engine)


@fault("L15")
def run_foreign_pos_label(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    with pytest.raises(rt.InputError, match="pos_label") as refusal:
        area(i, engine, pos_label=1)
    assert "'0'" in str(refusal.value)
    assert "'1'" in str(refusal.value)
    assert area(i, engine, pos_label="1") == e["values"]['pos_label="1"']


@fault("L16")
def run_lone_label(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    with pytest.raises(rt.InputError, match=r"(?=.*pos_label)(?=.*'b')"):
        area(i, engine)


@fault("M02", "IO06")
def run_nan_score(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    with pytest.raises(rt.InputError, match=r"1.*nan|nan.*1"):
        area(i, engine)
    expected = e["values"].get("drop", e["values"].get("missing=drop"))
    assert area(i, engine, missing="omit") == expected
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"y": i["y"], "s": pa.array(numbers(i["s"]), pa.float64())})
    with duckdb.connect() as connection:
        connection.register("table_", table)
        relation = connection.sql("SELECT y, s FROM table_")
        result = rt.evaluate(relation, label="y", scores="s", missing="omit", engine=engine)
    assert result.value("s", "roc_auc") == expected


@fault("W01")
def run_zero_weights(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    curve = rt.tally(i["y"], i["s"], i["w"], engine=engine).pr_curve()
    assert curve.threshold.tolist() == e["thresholds_desc"]
    np.testing.assert_allclose(curve.x, e["recall"], rtol=1e-15)
    np.testing.assert_allclose(curve.y, e["precision"], rtol=1e-15)


@fault("W02")
def run_weightless_class(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    assert math.isnan(area(i, engine))
    result = rt.evaluate(label=i["y"], scores=i["s"], weight=i["w"], engine=engine)
    assert result.to_dict()[0]["status"] == "no_positives"


@fault("W05")
def run_scaled_weights(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for scale in (1, 2, 0.3, 1e-12, 1e12):
        got = area({**i, "w": [x * scale for x in i["w"]]}, engine)
        assert got == pytest.approx(e["value"], abs=1e-12)


@fault("W06", "A02")
def run_lengths(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    other = len(i.get("w", i["s"]))
    for call in (
        lambda: area(i, engine),
        lambda: rt.evaluate(label=i["y"], scores=i["s"], weight=i.get("w"), engine=engine),
    ):
        with pytest.raises(rt.InputError) as refusal:
            call()
        assert "4" in str(refusal.value)
        assert str(other) in str(refusal.value)


@fault("O07")
def run_missing_axis(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    curve = rt.tally(i["y"], i["s"], engine=engine).roc_curve()
    assert np.isnan(curve.x).all()
    np.testing.assert_allclose(curve.y, [0, 1 / 3, 2 / 3, 1], rtol=1e-15)


@fault("C06")
def run_whole_pr(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    curve = rt.tally(i["y"], i["s"], engine=engine).pr_curve()
    assert curve.threshold.tolist() == e["thresholds_desc"]
    np.testing.assert_allclose(curve.x, e["recall"], rtol=1e-15)
    np.testing.assert_allclose(curve.y, e["precision"], rtol=1e-15)


@fault("C07")
def run_aligned(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    curve = rt.tally(i["y"], i["s"], engine=engine).pr_curve()
    assert len(curve.x) == len(curve.y) == len(curve.threshold) == len(curve.n_predicted) == 3


@fault("C08")
def run_no_anchor(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    t = rt.tally(i["y"], i["s"], engine=engine)
    assert t.average_precision() == pytest.approx(e["value"], abs=1e-15)
    for start, key in (("flat", "trapezoid_flat_start"), ("one", "trapezoid_with_invented_point")):
        got = t.pr_auc("linear", start=start)
        assert got == pytest.approx(float(Fraction(e[key])), abs=1e-15)


@fault("C09")
def run_above_all(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    c = rt.tally(i["y"], i["s"], engine=engine).at(i["thresholds"])
    np.testing.assert_array_equal(c.precision, numbers(e["precision"]))
    np.testing.assert_array_equal(c.recall, e["recall"])


@fault("S01")
def run_step_sum(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    t = rt.tally(i["y"], i["s"], engine=engine)
    found = {
        "average_precision": t.average_precision(),
        "trapezoid_anchor_1": t.pr_auc("linear", start="one"),
        "davis_goadrich": t.pr_auc("davis_goadrich"),
    }
    for name, got in found.items():
        assert got == pytest.approx(e["values"][name], abs=1e-15)


@fault("S02")
def run_weighted_ap(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    got = rt.tally(i["y"], i["s"], i["w"], engine=engine).average_precision()
    assert got == pytest.approx(e["value"], abs=1e-15)


@fault("S04")
def run_decisions(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    soft = rt.tally(i["y"], i["s"], engine=engine)
    hard = rt.tally(i["y"], [s >= i["threshold"] for s in i["s"]], engine=engine)
    found = {
        "ap_scores": soft.average_precision(),
        "ap_hard": hard.average_precision(),
        "auc_scores": soft.roc_auc(),
        "auc_hard": hard.roc_auc(),
    }
    assert found == pytest.approx(e["values"], abs=1e-15)


@fault("S06")
def run_zero_margin(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    assert math.isnan(rt.tally(i["y"], i["s"], engine=engine).at(i["threshold"]).mcc)
    result = rt.evaluate(
        label=i["y"], scores=i["s"], metrics=["mcc"], at=i["threshold"], engine=engine
    )
    assert result.to_dict()[0]["status"] == "zero_margin"


@fault("MC02")
def run_columns(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    result = rt.multiclass(label=i["Y"], scores=i["S"], metrics="roc_auc", engine=engine)
    got = [result.value(k, "roc_auc") for k in range(3)]
    np.testing.assert_array_equal(got, numbers(e["per_column"]))
    assert [row["status"] for row in result.to_dict()][:3] == ["ok", "no_positives", "ok"]


@fault("MC04")
def run_two_classes(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    result = rt.multiclass(
        label=i["y"], scores=i["p"], classes=i["columns"], metrics="roc_auc", engine=engine
    )
    assert [result.value(name, "roc_auc") for name in i["columns"]] == e["per_class"]


@fault("MC05")
def run_micro_and_macro(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    result = rt.multiclass(
        label=i["Y"], scores=i["S"], average=["micro", "macro"], metrics="roc_auc", engine=engine
    )
    assert result.value("micro avg", "roc_auc") == e["values"]["micro"]
    assert result.value("macro avg", "roc_auc") == e["values"]["macro_defined"]
    assert result.to_dict()[-1]["note"] == "2/3 defined"


@fault("G01", "G04", "G06")
def run_groups(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    result = rt.evaluate(i, label="y", scores="s", by="g", metrics=["roc_auc"], engine=engine)
    rows = {row["g"]: row for row in result.to_dict()}
    assert list(rows) == sorted(set(i["g"]))
    for group, value in e["per_group"].items():
        got = rows[group]["value"]
        np.testing.assert_equal(math.nan if got is None else got, float(value))
        labels = [y for y, g in zip(i["y"], i["g"], strict=True) if g == group]
        assert rows[group]["n"] == len(labels)
        assert rows[group]["n_pos"] == sum(labels)
    assert sum(r["status"] != "ok" for r in rows.values()) == e.get("n_undefined", 0)


@fault("G02")
def run_mean_of_groups(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    result = rt.evaluate(i, label="y", scores="s", by="g", metrics=["roc_auc"], engine=engine)
    defined = [row["value"] for row in result.to_dict() if row["status"] == "ok"]
    assert sum(defined) / len(defined) == e["value"]


@fault("B11")
def run_multiplicities(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for w, value in zip(i["w"], e["values"], strict=True):
        weighted = rt.tally(i["y"], i["s"], w, engine=engine)
        rows = rt.tally(np.repeat(i["y"], w), np.repeat(i["s"], w), engine=engine)
        assert weighted.roc_auc() == rows.roc_auc() == pytest.approx(value, abs=1e-15)
        assert weighted.average_precision() == rows.average_precision()


@fault("C13")
def run_area_of_points(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    assert auc(i["fpr"], i["tpr"]) == e["value"]
    with pytest.raises(rt.InputError):
        auc([0.0, 0.5, 0.25, 1.0], [0.0, 0.5, 0.6, 1.0])


@fault("B04")
def run_seeds(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    call = {"label": i["y"], "scores": i["s"], "n_resamples": 200, "engine": engine}
    before = np.random.get_state()[1].copy()
    first = rt.bootstrap(**call, seed=7, threads=1)
    np.random.seed(1)
    second = rt.bootstrap(**call, seed=7, threads=4)
    assert first.replicates.tobytes() == second.replicates.tobytes()
    assert first.replicates.tobytes() != rt.bootstrap(**call, seed=8).replicates.tobytes()
    np.random.seed(1)
    after_seed = np.random.get_state()[1].copy()
    rt.bootstrap(**call, seed=7)
    assert (np.random.get_state()[1] == after_seed).all()
    np.random.set_state(("MT19937", before, 624, 0, 0.0))


@fault("B05")
def run_enumerated_replicates(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    n = 4000
    result = rt.bootstrap(
        label=i["y"], scores=i["s"], scheme="stratified", metrics="roc_auc", n_resamples=n,
        seed=1, engine=engine,
    )  # fmt: skip
    values = result.replicates[:, 0, 0]
    for area, ways in e["distribution_of_16"].items():
        share = ways / 16
        found = np.mean(values == float(Fraction(area)))
        assert abs(found - share) < 5 * (share * (1 - share) / n) ** 0.5
    spread = float(Fraction(e["population_variance"]))
    assert values.var() == pytest.approx(spread, rel=0.15)


@fault("B07")
def run_least_p_value(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    y = np.arange(200) % 2
    models = {"perfect": y.astype(float), "none": np.arange(200) // 2 % 2}
    for method in ("bootstrap", "permutation"):
        found = compare(
            label=y, scores=models, method=method, n_resamples=i["B"], seed=1, engine=engine
        ).row()  # fmt: skip
        assert found["p"] == e["value"] == float(Fraction(e["exact"]))


@fault("B09")
def run_estimate_beside_replicates(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    result = rt.bootstrap(label=i["y"], scores=i["s"], n_resamples=99, seed=1, engine=engine)
    assert result.interval("score", "roc_auc").estimate == e["value"] == area(i, engine)


@fault("B10")
def run_paired_with_itself(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    models = {"a": i["a"], "b": i["b"]}
    result = rt.bootstrap(label=i["y"], scores=models, n_resamples=200, seed=3, engine=engine)
    found = result.difference("a", "b", "roc_auc")
    assert (found.estimate, [found.low, found.high]) == (e["diff"], e["ci"])
    np.testing.assert_array_equal(result.replicates[:, 0], result.replicates[:, 1])


@fault("SC08")
def run_one_order_for_all_replicates(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(140_000) < 0.1
    s = (rng.normal(size=y.size) + y).astype(np.float32)
    result = rt.bootstrap(label=y, scores=s, n_resamples=20, seed=1, engine=engine)
    found = result.interval("score", "roc_auc")
    assert found.low < found.estimate < found.high
    assert found.high - found.low < 0.02


@fault("IO03")
def run_null_in_dictionary(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    labels = pa.DictionaryArray.from_arrays(pa.array(i["indices"], pa.int8()), i["dictionary"])
    for form in (labels, pa.chunked_array([labels]), labels.slice(0, 4)):
        with pytest.raises(rt.InputError, match=r"1.*missing|missing.*1"):
            rt.tally(form, i["s"], pos_label=i["pos_label"], engine=engine)
        t = rt.tally(form, i["s"], pos_label=i["pos_label"], missing="omit", engine=engine)
        assert t.roc_auc() == e["values"]["missing=drop"]
        assert (t.n_pos, t.n_neg, t.n_null) == (2, 1, 1)


@fault("IO04")
def run_chunks(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    y, s = pa.array(i["y"]), pa.array(i["s"])
    for sizes in i["chunks"]:
        starts = np.cumsum([0, *sizes[:-1]]).tolist()
        chunked = [
            pa.chunked_array([a.slice(b, n) for b, n in zip(starts, sizes, strict=True)])
            for a in (y, s)
        ]
        assert rt.tally(*chunked, engine=engine).roc_auc() == e["value"]
    for offset in range(1, 10):
        longer = pa.array([False] * offset + i["y"] + [True]).slice(offset, 5)
        assert rt.tally(longer, s, engine=engine).roc_auc() == e["value"]


@fault("SC02")
def run_all_thresholds(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    s = np.random.default_rng(1).permutation(100_000).astype(float)
    y = s % 3 == 0
    t = rt.tally(y, s, engine=engine)
    start = time.perf_counter()
    cuts = t.at(t.threshold)
    assert cuts.precision.shape == cuts.recall.shape == cuts.mcc.shape == (100_000,)
    assert time.perf_counter() - start < 5  # a search of all rows for each would take minutes


@fault("C16")
def run_threshold_for_recall(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    t = rt.tally(i["y"], i["s"], engine=engine)
    point = t.best("precision", where="recall >= 0.8")
    assert point.threshold == e["threshold"]
    assert point.threshold not in e["must_not"]
    assert (point.recall, point.precision) == (e["recall"], e["precision"])
    fewest = t.best("alert_rate", where="recall >= 0.8", direction="down")
    assert fewest.threshold == e["threshold"]


@fault("A01")
def run_indexes(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    y, s = pd.Series(i["y"], index=i["y_index"]), pd.Series(i["s"], index=i["s_index"])
    for call in (
        lambda: rt.tally(y, s, engine=engine),
        lambda: rt.tally(y, y, s, engine=engine),
        lambda: rt.evaluate(label=y, scores=s, engine=engine),
        lambda: rt.evaluate(label=y, scores=y, weight=s, engine=engine),
        lambda: rt.evaluate(label=y, scores=y, by=s, engine=engine),
    ):
        with pytest.raises(rt.InputError, match="index"):
            call()
    assert rt.tally(y, s.to_numpy(), engine=engine).roc_auc() == e["values"]["positional"]


@fault("A05")
def run_big_endian(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    for kind in (">f8", ">f4"):
        got = rt.tally(np.array(i["y"], ">i4"), np.array(i["s"], kind), engine=engine)
        assert got.roc_auc() == e["value"]
        assert got.threshold.dtype.isnative


def merged(pieces: list[rt.Tally]) -> rt.Tally:
    return reduce(lambda a, b: a.merge(b), pieces)


@fault("A06")
def run_row_by_row(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    rows = [rt.tally([y], [s], engine=engine) for y, s in zip(i["y"], i["s"], strict=True)]
    assert merged(rows).roc_auc() == rt.tally(i["y"], i["s"]).roc_auc() == e["value"]


@fault("ST07")
def run_all_splits(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    y, s = np.array(i["y"]), np.array(i["s"])
    for owner in itertools.product(range(3), repeat=6):
        if list(dict.fromkeys(owner)) != sorted(set(owner)):
            continue  # the same parts under other names
        masks = [np.array(owner) == k for k in range(3)]
        pieces = [rt.tally(y[m], s[m], engine=engine) for m in masks if m.any()]
        assert merged(pieces).roc_auc() == merged(pieces[::-1]).roc_auc()
        assert merged(pieces).roc_auc() == pytest.approx(e["value"], abs=1e-15)


@fault("ST08")
def run_thin_shards(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    pieces = [
        rt.tally(p["y"], p["s"], engine=engine) if p["y"] else rt.Tally.from_counts([], [], [])
        for p in i["shards"]
    ]
    for order in itertools.permutations(pieces):
        assert merged(list(order)).roc_auc() == e["value"]


@fault("ST11")
def run_partitions(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    index = np.arange(30)
    y, s = (index % 4 == 0), (index * 7) % 30
    for parts in (1, 2, 3, 5):
        pieces = [rt.tally(y[k::parts], s[k::parts], engine=engine) for k in range(parts)]
        assert merged(pieces).roc_auc() == float(Fraction(e["exact"]))


@fault("T11", "M04", "DL01", "B03")
def run_area_and_variance(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    s = numbers(i["s"])
    found = delong(label=i["y"], scores=s, engine=engine)
    assert found.auc[0] == area(i, engine)
    if "auc" in e:
        assert found.auc[0] == float(Fraction(e["auc"]))
        variance = float(Fraction(e.get("exact") or e["variance"]))
        assert found.covariance[0, 0] == pytest.approx(variance, rel=1e-14)
    else:
        assert found.auc[0] == float(Fraction(e["exact"]))
    for kind in ("plain", "logit"):
        x = found.interval(kind=kind)
        assert 0 <= x.low < x.estimate < x.high <= 1
        assert x.clipped is (kind == "plain")


@fault("M08")
def run_pairs_with_gaps(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    found = delong(i, label="y", scores=["a", "b"], missing="omit", engine=engine)
    assert found.auc.tolist() == [float(Fraction(e["exact"][k])) for k in ("auc_a", "auc_b")]
    assert found.n_used == e["n_used"]
    variance = float(Fraction(e["exact"]["var_diff"]))
    assert found.difference("a", "b").standard_error ** 2 == pytest.approx(variance, rel=1e-14)


@fault("DL03")
def run_one_positive(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    x = delong(label=i["y"], scores=i["s"], engine=engine).interval()
    assert x.estimate == float(Fraction(e["auc"]))
    np.testing.assert_equal([x.low, x.high], numbers(e["ci"]))
    assert x.status == "one_positive"


@fault("DL04")
def run_perfect_order(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    found = delong(label=i["y"], scores=i["s"], engine=engine)
    assert found.covariance[0, 0] == e["variance"]
    for kind in ("plain", "logit"):
        x = found.interval(kind=kind)
        assert [x.low, x.high] == e["ci"]
        assert (x.estimate, x.status) == (e["auc"], "zero_variance")


@fault("DL05")
def run_identical_models(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    found = delong(label=i["y"], scores={"a": i["a"], "b": i["a"]}, engine=engine)
    d = found.difference("a", "b")
    assert (d.estimate, d.standard_error) == (e["diff"], e["var_diff"])
    assert (d.z, d.p, d.status) == (0.0, 1.0, "zero_variance")


@fault("DL06")
def run_sign_of_z(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    found = delong(i, label="y", scores=["a", "b"], engine=engine)
    there, back = found.difference("a", "b"), found.difference("b", "a")
    assert there.z == pytest.approx(e["z_a_minus_b"], rel=1e-14)
    assert back.z == pytest.approx(e["z_b_minus_a"], rel=1e-14)
    assert there.p == back.p == pytest.approx(e["two_sided_p"], rel=1e-13)


@fault("DL08")
def run_weighted_variance(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    """The documented estimator: squared weight shares times (placement - area), m / (m - 1)."""
    found = delong(label=i["y"], scores=i["s"], weight=i["w"], engine=engine)
    # Positives .8 (weight 2), .4, .9 outrank 3, 2, 3 of 3 negatives, an area of 11/12; negatives
    # .1, .5, .3 are outranked by weights 4, 3, 4 of 4.
    area_ = Fraction(11, 12)
    positives = [Fraction(w, 4) * (v - area_) for w, v in ((2, 1), (1, Fraction(2, 3)), (1, 1))]
    negatives = [(v - area_) / 3 for v in (1, Fraction(3, 4), 1)]
    variance = Fraction(3, 2) * sum(x * x for x in positives + negatives)
    assert found.auc[0] == area(i, engine) == float(area_)
    assert found.covariance[0, 0] == pytest.approx(float(variance), rel=1e-14)


@fault("SC06")
def run_variance_of_many_rows(i: dict[str, Any], e: dict[str, Any], engine: str) -> None:
    n = 1_000_000
    begun = time.process_time()
    found = delong(label=np.arange(n) % 2, scores=np.arange(n), engine=engine)
    assert found.covariance[0, 0] == pytest.approx(e["variance"], rel=1e-5)
    # Pairs of these rows would take minutes.
    assert time.process_time() - begun < 10


IN_FILES = {"D15", "IO01", "IO08", "IO09", "IO10"}
"""Cases with a test of their own below."""

IDS = set(RUNS) | IN_FILES


@pytest.mark.parametrize(
    "case",
    [pytest.param(k, marks=pytest.mark.big) if k in SLOW else k for k in RUNS],
)
def test_reported_fault(engine, case):
    RUNS[case](FAULTS[case]["input"], FAULTS[case]["expected"], engine)


# --- faults that need files -------------------------------------------------------------------


def test_D15_memory_map(engine, tmp_path):
    for name, values in (("y", [0, 1]), ("s", [0.1, 0.9])):
        np.save(tmp_path / f"{name}.npy", values)
    before = (tmp_path / "s.npy").read_bytes()
    y, s = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "ys")
    result = rt.tally(y, s, engine=engine).roc_auc()
    assert type(result) is float
    assert result == FAULTS["D15"]["expected"]["value"]
    assert (tmp_path / "s.npy").read_bytes() == before


def test_IO01_half_precision_file(engine, tmp_path):
    i, e = FAULTS["IO01"]["input"], FAULTS["IO01"]["expected"]
    half = np.array(i["s"], np.float16)
    pq.write_table(pa.table({"y": i["y"], "s": half}), tmp_path / "half.parquet")
    result = rt.evaluate(tmp_path / "half.parquet", label="y", scores="s", engine=engine)
    assert result.value("s", "roc_auc") == e["value"]
    raw = pa.array([x.tobytes() for x in half], pa.binary(2))
    pq.write_table(pa.table({"y": i["y"], "s": raw}), tmp_path / "raw.parquet")
    with pytest.raises(rt.InputError, match=r"(?=.*`?s`?)(?=.*fixed_size_binary)"):
        rt.evaluate(tmp_path / "raw.parquet", label="y", scores="s", engine=engine)


def test_IO08_infinities_in_csv(engine, tmp_path):
    i, e = FAULTS["IO08"]["input"], FAULTS["IO08"]["expected"]
    path = tmp_path / "a.csv"
    path.write_text(i["csv"])
    result = rt.evaluate(path, label="y", scores="s", engine=engine)
    assert result.value("s", "roc_auc") == e["value"]
    path.write_text(i["csv"] + "0,\n")
    with pytest.raises(rt.InputError, match=r"1.*missing|missing.*1"):
        rt.evaluate(path, label="y", scores="s", engine=engine)
    omitted = rt.evaluate(path, label="y", scores="s", missing="omit", engine=engine)
    assert omitted.to_dict()[0]["n"] == 4
    path.write_text("y,s\n1,0.5\n0,n/a\n1,oops\n")
    with pytest.raises(rt.InputError, match=r"(?=.*a\.csv)(?=.*line \d)"):
        rt.evaluate(path, label="y", scores="s", engine=engine)


def test_IO09_json_without_nan(tmp_path):
    i = FAULTS["IO09"]["input"]
    path = tmp_path / "a.csv"
    pd.DataFrame(i).to_csv(path, index=False)
    command = [sys.executable, "-m", "ranktally", "evaluate", str(path), "--label", "y"]
    done = subprocess.run(
        [*command, "--scores", "s", "--format", "json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    document = json.loads(done.stdout, parse_constant=refuse)
    assert "no_negatives" in json.dumps(document)


@pytest.mark.parametrize("form", range(4))
def test_IO10_labels_in_csv(engine, tmp_path, form):
    i, e = FAULTS["IO10"]["input"], FAULTS["IO10"]["expected"]
    path = tmp_path / "a.csv"
    rows = zip(i["y_forms"][form], i["s"], strict=True)
    path.write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in rows))
    result = rt.evaluate(path, label="y", scores="s", engine=engine)
    assert result.value("s", "roc_auc") == e["value"]
