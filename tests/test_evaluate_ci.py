"""evaluate(ci=...): intervals of the rows of their values, equal to those of each door alone."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from refusals import refused
from scored import (
    CLUSTER,
    CUTS,
    METRICS,
    SCORES,
    SMALL,
    WEIGHTS,
    A,
    B,
    G,
    H,
    N,
    Y,
    at_rows,
    gaps,
    numbers,
    records,
)  # fmt: skip

import ranktally as rt
from ranktally._binomial import wilson

# -- bootstrap -----------------------------------------------------------------------------------


@pytest.mark.parametrize("models", ["a", "ab"])
@pytest.mark.parametrize("weight", [None, "whole", "real"])
@pytest.mark.parametrize("missing", ["raise", "omit", "worst"])
@pytest.mark.parametrize("clustered", [False, True])
def test_equals_the_bootstrap_of_the_same_rows(models, weight, missing, clustered):
    scores = {k: SCORES[k] for k in models}
    call = {
        "label": Y,
        "scores": scores if missing == "raise" else gaps(scores),
        "weight": None if weight is None else WEIGHTS[weight],
        "cluster": CLUSTER if clustered else None,
        "missing": missing,
        "metrics": METRICS,
        "at": CUTS,
        **SMALL,
    }
    result = rt.evaluate(**call, by=[[], [G], [G, H]], ci="bootstrap")
    plain = {k: v for k, v in call.items() if k not in ("cluster", *SMALL)}
    if missing != "omit":
        values = rt.evaluate(**plain, by=[[], [G], [G, H]]).columns["value"]
        np.testing.assert_array_equal(result.columns["value"], values)
    expected = rt.bootstrap(**call).rows().to_dict()
    assert numbers(records(result, grouping="total")) == numbers(expected)
    mask = G == "west"
    expected = rt.bootstrap(**at_rows(call, mask)).rows().to_dict()
    assert numbers(records(result, grouping="group", group="west")) == numbers(expected)
    expected = rt.bootstrap(**at_rows(call, mask & (H == 1))).rows().to_dict()
    got = records(result, grouping="group, group_1", group="west", group_1=1)
    assert numbers(got) == numbers(expected)


@pytest.mark.parametrize("method", ["percentile", "basic", "normal", "bca"])
@pytest.mark.parametrize("scheme", ["multinomial", "stratified", "poisson"])
def test_every_method_and_scheme(engine, method, scheme):
    call = {"label": Y, "scores": SCORES, "metrics": METRICS, "at": 0.5, "scheme": scheme, **SMALL}
    call["engine"] = engine
    result = rt.evaluate(**call, ci="bootstrap", ci_method=method, level=0.8)
    expected = rt.bootstrap(**call, method=method, level=0.8).rows()
    assert numbers(result.to_dict()) == numbers(expected.to_dict())
    assert set(records(result)[0]) == set(expected.columns)
    for row in result.to_dict():
        assert (row["interval"], row["level"]) == (f"bootstrap {scheme} {method}", 0.8)


def test_rare_positives_of_one_model_are_drawn_by_cells():
    y, s = np.zeros(3000, int), np.random.default_rng(0).normal(size=3000)
    y[:20], s[:20] = 1, s[:20] + 1
    call = {"label": y, "scores": s, **SMALL}
    result = rt.evaluate(**call, ci="bootstrap")
    assert result.summary["plan"] == "cells"
    assert numbers(result.to_dict()) == numbers(rt.bootstrap(**call).rows().to_dict())
    assert all(row["note"].startswith("few_positives") for row in result.to_dict())
    both = rt.evaluate(**call, by=[[], [np.arange(3000) < 40]], ci="bootstrap")
    assert both.summary["plan"] == "cells and rows"


def test_any_engine_and_number_of_threads_gives_the_same_bytes():
    call = {"label": Y, "scores": SCORES, "by": [[], [G]], "ci": "bootstrap", "at": 0.5, **SMALL}
    first, *others = (
        rt.evaluate(**call, engine=e, threads=t) for e in ("numba", "numpy") for t in (1, 3)
    )
    assert all(numbers(r.to_dict()) == numbers(first.to_dict()) for r in others)


def test_default_method_is_that_of_the_bootstrap():
    default = inspect.signature(rt.bootstrap).parameters["method"].default
    result = rt.evaluate(label=Y, scores=A, ci="bootstrap", **SMALL)
    assert result.summary["ci_method"] == default


def test_summary_tells_how_replicates_were_drawn():
    result = rt.evaluate(label=Y, scores=SCORES, ci="bootstrap", n_resamples=20)
    told = result.summary
    assert {k: told[k] for k in ("ci", "ci_method", "level", "scheme", "n_resamples", "plan")} == {
        "ci": "bootstrap",
        "ci_method": "percentile",
        "level": 0.95,
        "scheme": "multinomial",
        "n_resamples": 20,
        "plan": "rows",
    }
    again = rt.evaluate(label=Y, scores=SCORES, ci="bootstrap", n_resamples=20, seed=told["seed"])
    assert numbers(again.to_dict()) == numbers(result.to_dict())
    clustered = rt.evaluate(label=Y, scores=A, ci="bootstrap", cluster=CLUSTER, **SMALL)
    assert clustered.summary["scheme"] == "cluster"
    assert clustered.summary["n_clusters"] == np.unique(CLUSTER).size
    assert "40 whole clusters" in " ".join(str(clustered).split())
    assert "ci" not in rt.evaluate(label=Y, scores=A).summary


@pytest.mark.parametrize("ci", ["bootstrap", "delong"])
def test_omitted_rows_are_common_and_both_counts_are_told(ci):
    scores = gaps(SCORES)
    common = ~np.isnan(scores["a"]) & ~np.isnan(scores["b"])
    result = rt.evaluate(label=Y, scores=scores, missing="omit", ci=ci, by=[[], [G]], **SMALL)
    inside = rt.evaluate(
        label=Y[common], scores={k: s[common] for k, s in scores.items()}, ci=ci,
        by=[[], [G[common]]], **SMALL,
    )  # fmt: skip
    assert numbers(result.to_dict()) == numbers(inside.to_dict())
    assert result.summary["n_common_rows"] == int(common.sum())
    told = {k: result.summary[k] for k in ("n_rows", "n_pos", "n_neg", "prevalence")}
    assert told == {
        "n_rows": N, "n_pos": int(Y[common].sum()), "n_neg": int((1 - Y[common]).sum()),
        "prevalence": Y[common].mean(),
    }  # fmt: skip
    assert f"{common.sum()} of {N} rows (those that all models have), " in str(result)
    for model, s in scores.items():
        own, gone = int(np.isnan(s).sum()), int((~common).sum())
        for row in records(result, model=model):
            assert f"{own} nan" in row["note"]
            assert f"{gone} rows omitted" in row["note"]
    # Without intervals, and with those of shares, each model keeps its own rows.
    for alone in (None, "wilson"):
        result = rt.evaluate(label=Y, scores=scores, missing="omit", ci=alone, at=0.5)
        n = {row["model"]: row["n"] for row in result.to_dict()}
        assert n == {k: int((~np.isnan(s)).sum()) for k, s in scores.items()}


@pytest.mark.parametrize("ci", ["bootstrap", "delong"])
def test_one_cluster_has_no_interval(ci):
    call = {"label": Y, "scores": SCORES, "at": 0.5, "metrics": ["roc_auc", "recall", "brier"]}
    result = rt.evaluate(**call, by=[G], cluster=G, ci=ci, **SMALL)
    for row in records(result):
        assert row["low"] is row["high"] is row["interval"] is None
        if row["value"] is not None:
            assert "no interval: one_cluster" in row["note"]
    assert result.summary["group_clusters"] == [1, 1]
    mask = G == "west"
    alone = rt.bootstrap(**at_rows(call, mask), cluster=G[mask], **SMALL)
    interval = alone.interval("a", "roc_auc")
    assert (interval.status, math.isnan(interval.low)) == ("one_cluster", True)
    assert math.isnan(alone.difference("a", "b", "roc_auc").p)
    curves = rt.bootstrap(
        label=Y, scores=A, cluster=np.zeros(N), curves=["roc", "pr"], grid=5, **SMALL
    )
    for curve in ("roc", "pr"):
        for simultaneous in (False, True):
            band = curves.band(curve=curve, simultaneous=simultaneous)
            assert np.isnan(band.low).all()
            assert np.isnan(band.high).all()


def test_clusters_are_counted_by_group(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    group = np.where(CLUSTER == "7", "one", np.where(G == "west", "some", "more"))
    result = rt.evaluate(
        label=Y, scores=A, by=[[], [group]], cluster=CLUSTER, ci="bootstrap", **SMALL
    )
    most = max(np.unique(CLUSTER[group == k]).size for k in ("some", "more"))
    assert result.summary["group_clusters"] == [1, most]
    assert f"40 whole clusters, 1 to {most} a group, 30 resamples" in str(result)
    total = rt.evaluate(label=Y, scores=A, by=[[]], cluster=CLUSTER, ci="bootstrap", **SMALL)
    assert "group_clusters" not in total.summary


def test_what_scores_leave_undefined_is_not_looked_for_in_replicates(monkeypatch):
    from ranktally import _resample

    drawn: list[int] = []
    scan = _resample.run_replicates

    def counted(*words, readings, **more):
        drawn.append(len(readings))
        return scan(*words, readings=readings, **more)

    monkeypatch.setattr(_resample, "run_replicates", counted)
    inside = 1 / (1 + np.exp(-A))
    call = {"label": Y, "metrics": ["brier", "roc_auc", "log_loss", "recall_at_fpr(0.1)"], **SMALL}
    for method in ("percentile", "bca"):
        for scores, readings in (({"a": A, "b": B}, 1), ({"a": A, "p": inside}, 3)):
            drawn.clear()
            result = rt.bootstrap(**call, scores=scores, method=method, curves="roc", grid=3)
            assert set(drawn) <= {readings, readings + 1}
            interval = result.interval("a", "log_loss")
            assert (interval.status, math.isnan(interval.low)) == ("scores_outside_0_1", True)
            assert "undefined" not in interval.note
            both = rt.bootstrap(**call, scores={"a": A}, method=method, curves="roc", grid=3)
            for metric in ("roc_auc", "recall_at_fpr(0.1)"):
                found = result.interval("a", metric)
                assert found == both.interval("a", metric)
            np.testing.assert_array_equal(result.band("a").low, both.band("a").low)


def test_results_that_fit_no_memory():
    # More bytes than a process can address, whatever the machine grants.
    cuts = np.linspace(-1, 1, 5000)
    with refused("`n_resamples` 4,000,000,000", "GiB", "fewer"):
        rt.evaluate(
            label=Y, scores=A, at=cuts, metrics="recall", ci="bootstrap", n_resamples=4 * 10**9
        )


def test_a_broken_column_leaves_the_others_their_intervals():
    bad = np.where(np.arange(N) == 3, np.nan, A)
    scores = {"bad": bad, "a": A, "text": np.array(["x"] * N), "b": B}
    for ci in ("bootstrap", "delong", "wilson"):
        call = {"label": Y, "at": 0.5, "ci": ci, "by": [[], [G]], **SMALL}
        result = rt.evaluate(**call, scores=scores, on_error="status")
        alone = rt.evaluate(**call, scores=SCORES)
        for model in SCORES:
            assert numbers(records(result, model=model)) == numbers(records(alone, model=model))
        for model in ("bad", "text"):
            for row in records(result, model=model):
                assert row["status"].startswith("error: ")
                assert row["low"] is row["high"] is row["interval"] is row["level"] is None
        with refused("bad" if ci == "delong" else "missing"):
            rt.evaluate(**call, scores={"bad": bad, "a": A})
    none = rt.evaluate(label=Y, scores={"bad": bad}, on_error="status", ci="bootstrap", **SMALL)
    assert np.isnan(none.columns["low"]).all()
    assert none.summary["n_common_rows"] == 0


def test_groups_of_one_class_and_without_rows():
    y = np.where(G == "north", 0, Y)
    s = np.where(G == "south", np.nan, A)
    for ci in ("bootstrap", "delong"):
        result = rt.evaluate(
            label=y, scores=s, by=[G], ci=ci, missing="omit", at=0.5,
            metrics=["roc_auc", "recall", "predicted_positive_rate"], **SMALL,
        )  # fmt: skip
        for row in records(result, group="north")[:2]:
            assert row["status"] == "no_positives"
            assert row["low"] is row["high"] is row["interval"] is row["level"] is None
        assert records(result, group="north")[2]["low"] is not None
        for row in records(result, group="south"):
            assert row["status"] == "empty" or row["metric"] != "roc_auc"
            assert row["low"] is None
        assert records(result, group="west")[0]["low"] < records(result, group="west")[0]["value"]


def test_notes_say_what_to_know_of_an_interval():
    y = np.array([1] + [0] * 60 + [1])
    result = rt.evaluate(
        label=y, scores=np.arange(62.0), at=100.0, metrics=["roc_auc", "precision", "recall"],
        ci="bootstrap", **SMALL,
    )  # fmt: skip
    auc, precision, recall = result.to_dict()
    assert "few_positives" in auc["note"]
    assert "replicates undefined" in auc["note"]
    assert (precision["status"], precision["note"]) == ("no_positive_predictions", None)
    assert "degenerate" in recall["note"]
    one = rt.evaluate(label=[1, 0, 0], scores=[0.3, 0.2, 0.4], metrics="roc_auc", ci="delong")
    (row,) = one.to_dict()
    assert (row["status"], row["low"], row["interval"]) == ("ok", None, None)
    assert "no interval: one_positive" in row["note"]


# -- closed forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["plain", "logit"])
@pytest.mark.parametrize("weight", [None, "real"])
def test_delong_for_areas_and_the_jackknife_for_the_rest(engine, kind, weight):
    call = {"label": Y, "scores": SCORES, "engine": engine}
    call["weight"] = None if weight is None else WEIGHTS[weight]
    metrics = ["gini", "f1", "ks", "roc_auc", "average_precision", "mcc"]
    result = rt.evaluate(
        **call, metrics=metrics, at=[0.5, 0.1], ci="delong", ci_method=kind, level=0.9
    )
    delong = rt.delong(**call, level=0.9)
    smooth = ["f1", "average_precision", "mcc"]
    rest = rt.jackknife(**call, metrics=smooth, at=[0.5, 0.1], level=0.9)
    expected = records(rest.rows(kind))
    got = [row for row in result.to_dict() if row["metric"] in smooth]
    assert numbers(got, "low", "high", "interval") == numbers(expected, "low", "high", "interval")
    for model in SCORES:
        area = delong.interval(model, kind)
        (row,) = records(result, model=model, metric="roc_auc")
        assert (row["low"], row["value"], row["high"]) == (area.low, area.estimate, area.high)
        assert (row["interval"], row["level"]) == (f"DeLong {kind}", 0.9)
        (row,) = records(result, model=model, metric="gini")
        assert (row["low"], row["high"]) == (2 * area.low - 1, 2 * area.high - 1)
        (row,) = records(result, model=model, metric="ks")
        assert row["low"] is row["interval"] is row["level"] is None
        assert "bootstrap" in row["note"]


def test_delong_of_groups_is_that_of_their_rows():
    result = rt.evaluate(label=Y, scores=SCORES, by=[G], ci="delong")
    mask = G == "west"
    delong = rt.delong(label=Y[mask], scores={k: s[mask] for k, s in SCORES.items()})
    for row in records(result, group="west", metric="roc_auc"):
        area = delong.interval(row["model"])
        assert (row["low"], row["high"]) == (area.low, area.high)


def test_clusters_take_every_area_to_the_jackknife():
    result = rt.evaluate(label=Y, scores=SCORES, ci="delong", cluster=CLUSTER, metrics=["roc_auc"])
    expected = rt.jackknife(label=Y, scores=SCORES, cluster=CLUSTER, metrics=["roc_auc"])
    assert numbers(result.to_dict(), "low", "high") == numbers(
        expected.rows().to_dict(), "low", "high"
    )
    assert {row["interval"] for row in result.to_dict()} == {"jackknife cluster plain"}
    assert result.summary["n_clusters"] == 40


def test_wilson_for_shares_of_rows(engine):
    metrics = ["precision", "recall", "f1", "roc_auc", "accuracy"]
    result = rt.evaluate(
        label=Y, scores=SCORES, by=[[], [G]], metrics=metrics, at=CUTS, ci="wilson", engine=engine
    )
    tally = rt.tally(Y, A)
    for cut in CUTS:
        at = tally.at(cut)
        shares = {
            "precision": (at.tp, at.tp + at.fp),
            "recall": (at.tp, at.tp + at.fn),
            "accuracy": (at.tp + at.tn, N),
        }
        for metric, (hits, trials) in shares.items():
            (row,) = records(result, grouping="total", model="a", metric=metric, threshold=cut)
            low, high = wilson([hits], [trials])
            if trials == 0:
                assert row["low"] is row["interval"] is row["level"] is None
                continue
            assert (row["low"], row["high"]) == (low.item(), high.item())
            assert (row["interval"], row["level"]) == ("Wilson", 0.95)
    for row in records(result, metric="f1") + records(result, metric="roc_auc"):
        assert row["low"] is None
        assert row["note"] == 'no share of rows: take ci="delong" or "bootstrap"'


@pytest.mark.parametrize("cuts", [[0.5], [0.5, 0.1, 0.2, 0.3, 0.4, 0.9]])
@pytest.mark.parametrize(
    ("method", "name"), [("jeffreys", "Jeffreys"), ("clopper_pearson", "Clopper-Pearson")]
)
def test_other_intervals_of_shares(method, name, cuts):
    pytest.importorskip("scipy")
    result = rt.evaluate(
        label=Y, scores=A, metrics="recall", at=cuts, ci="wilson", ci_method=method
    )
    for row in result.to_dict():
        assert row["interval"] == name
        assert row["low"] < row["value"] < row["high"]


def test_weighted_shares_have_no_binomial_law():
    result = rt.evaluate(
        label=Y, scores=A, metrics="recall", at=0.5, weight=WEIGHTS["whole"], ci="wilson"
    )
    (row,) = result.to_dict()
    assert row["low"] is None
    assert "weighted" in row["note"]
