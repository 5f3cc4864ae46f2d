"""Bands of ROC and PR curves: heights that are metrics, intervals of points, whole curves."""

from __future__ import annotations

import math
import pickle
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pytest
from refusals import refused

import ranktally as rt
from ranktally._bands import read_grid, sup_interval

METRIC = {"roc": "recall_at_fpr", "pr": "precision_at_recall"}
GRID = [0.0, 0.07, 0.1, 0.25, 0.29, 0.5, 0.75, 0.99, 1.0]


def rows_of(n: int, seed: int = 0, prevalence: float = 0.3, decimals: int = 1):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(np.int8)
    return y, np.round(rng.normal(size=n) + 1.5 * y, decimals)


def named(curve: str, grid=GRID) -> list[str]:
    return [f"{METRIC[curve]}({x!r})" for x in grid]


# -- heights -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["multinomial", "stratified", "poisson", "cluster"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("prevalence", [0.3, 0.02])
def test_each_point_is_the_metric_of_its_name(engine, scheme, weighted, prevalence):
    y, s = rows_of(90, prevalence=prevalence)
    rng = np.random.default_rng(1)
    call = {"label": y, "scores": {"a": s, "b": -s}, "scheme": scheme, "seed": 3, "engine": engine}
    call["n_resamples"] = 6
    if scheme == "cluster":
        call["cluster"] = rng.integers(0, 20, 90)
    if weighted:
        call["weight"] = rng.random(90)
    plain = rt.bootstrap(metrics=[*named("roc"), "eer", *named("pr")], **call)
    curves = rt.bootstrap(metrics=["eer", "roc_auc"], curves=["pr", "roc"], grid=GRID, **call)
    k = len(GRID)
    for curve, part in (("roc", slice(0, k)), ("pr", slice(k + 1, 2 * k + 1))):
        held = curves._curves[curve]
        np.testing.assert_array_equal(held.estimate, plain.estimate[:, part])
        np.testing.assert_array_equal(held.replicates, plain.replicates[:, :, part])
        for m in range(2):
            assert held.status[m] == plain._status[m][part]
    np.testing.assert_array_equal(curves.replicates[:, :, 0], plain.replicates[:, :, k])


@pytest.mark.parametrize("direction", [True, False])
def test_missing_scores_rank_last(engine, direction):
    y, s = rows_of(60)
    s = pa.array(s, mask=np.random.default_rng(5).random(60) < 0.3)
    call = {"label": y, "scores": s, "missing": "worst", "seed": 2, "n_resamples": 20}
    call |= {"higher_is_better": direction, "engine": engine}
    plain = rt.bootstrap(metrics=[*named("roc"), *named("pr")], **call)
    found = rt.bootstrap(curves=["roc", "pr"], grid=GRID, **call)
    both = [found._curves[c].replicates for c in ("roc", "pr")]
    np.testing.assert_array_equal(np.concatenate(both, axis=2), plain.replicates)
    band = found.band(curve="pr")
    assert band.status[0] == "ok"
    assert band.status[-1] == "unreachable"
    assert math.isnan(band.low[-1])
    whole = found.band(curve="pr", simultaneous=True)
    assert np.array_equal(np.isnan(whole.low), np.isnan(band.estimate))
    assert 0 < band.n_undefined[-2] <= 20


@pytest.mark.big
def test_plans_and_grids(engine):
    y, s = rows_of(4000, prevalence=0.01, decimals=6)
    call = {"label": y, "scores": s, "seed": 9, "n_resamples": 5, "engine": engine}
    cells = rt.bootstrap(curves="roc", grid=11, plan="cells", metrics=named("roc", [0.1]), **call)
    assert cells.plan == "cells"
    assert cells.grid.tolist() == [k / 10 for k in range(11)]
    np.testing.assert_array_equal(
        cells._curves["roc"].replicates[:, 0, 1], cells.replicates[:, 0, 0]
    )
    assert rt.bootstrap(curves="roc", **call).grid.tolist() == [k / 100 for k in range(101)]
    assert rt.bootstrap(curves="roc", grid=np.float32([0.5]), **call).grid.tolist() == [0.5]
    assert rt.bootstrap(**call).grid.size == 0


def test_same_bytes_for_any_threads(engine):
    y, s = rows_of(300)
    call = {"label": y, "scores": s, "seed": 4, "n_resamples": 50, "curves": ["roc", "pr"]}
    one = rt.bootstrap(threads=1, engine=engine, **call)
    two = rt.bootstrap(threads=2, engine="numpy", **call)
    for curve in ("roc", "pr"):
        for kind in (False, True):
            a, b = (x.band(curve=curve, simultaneous=kind) for x in (one, two))
            assert a.low.tobytes() == b.low.tobytes()
            assert a.high.tobytes() == b.high.tobytes()
    assert (
        one.replicates.tobytes()
        == rt.bootstrap(
            metrics=["roc_auc", "average_precision"], threads=2, **call
        ).replicates.tobytes()
    )


# -- point by point ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["percentile", "basic", "normal"])
@pytest.mark.parametrize("curve", ["roc", "pr"])
def test_a_pointwise_band_holds_the_intervals_of_its_points(method, curve):
    y, s = rows_of(70, prevalence=0.04)
    call = {"label": y, "scores": s, "seed": 5, "n_resamples": 99, "level": 0.9}
    found = rt.bootstrap(curves=curve, grid=GRID, metrics=named(curve), method=method, **call)
    band = found.band()
    assert (band.method, band.level, band.kind) == (method, 0.9, "pointwise")
    for k, name in enumerate(named(curve)):
        one = found.interval(metric=name)
        assert (band.low[k], band.estimate[k], band.high[k]) == (one.low, one.estimate, one.high)
        assert (band.status[k], band.n_undefined[k]) == (one.status, one.n_undefined)
        if band.note[k] != "1 by definition":
            assert band.note[k] == one.note
    assert band.n_undefined.any()
    other = found.band(method="basic", level=0.5)
    assert other.low[3] == found.interval(metric=named(curve)[3], method="basic", level=0.5).low


def test_bca_is_no_method_of_bands():
    y, s = rows_of(60)
    found = rt.bootstrap(label=y, scores=s, curves="roc", method="bca", n_resamples=50, seed=1)
    assert found.band().method == "percentile"
    assert found.band().interval == "bootstrap multinomial percentile, pointwise"
    with refused("`method`"):
        found.band(method="bca")


# -- the whole curve ---------------------------------------------------------------------------


def test_a_whole_band_by_hand():
    x = np.asarray([0.0, 0.5, 1.0])
    estimate = np.asarray([0.5, 0.8, 1.0])
    drawn = np.asarray([[0.4, 0.9, 1.0], [0.7, 0.8, 1.0], [0.5, 0.6, 1.0], [np.nan] * 3])
    low, high, enough = sup_interval("roc", x, estimate, drawn, 0.5, (20, 4))
    share = (20 * estimate + 2) / 24
    least = np.sqrt(share * (1 - share) / 24)
    s = np.maximum(np.std(drawn[:3], axis=0, ddof=1), least)
    largest = sorted(np.max(np.abs(drawn[:3] - estimate) / s, axis=1))
    c = largest[1]  # of rank 0.5 * (3 + 1)
    assert c > NormalDist().inv_cdf(0.75)
    assert enough
    assert s[2] == least[2] > 0
    assert low.tolist() == pytest.approx([0.0, 0.8 - c * s[1], 1.0])
    assert high.tolist() == pytest.approx([0.5 + c * s[0], min(0.8 + c * s[1], 1), 1.0])
    assert not sup_interval("roc", x, estimate, drawn, 0.95, (20, 4))[2]


@pytest.mark.parametrize("level", [1 - 2.0**-53, 5e-324])
def test_a_whole_band_at_the_ends_of_what_a_level_can_be(level):
    x = np.asarray([0.25, 0.75])
    drawn = np.asarray([[0.5, 0.7], [0.6, 0.8], [0.4, 0.7]])
    low, high, enough = sup_interval("roc", x, np.asarray([0.5, 0.75]), drawn, level, (50, 50))
    assert (low >= 0.0).all()
    assert (low <= high).all()
    assert (high <= 1.0).all()
    assert enough == (level < 0.5)


@pytest.mark.parametrize("kind", [False, True])
def test_one_cluster_has_no_band(kind):
    y, s = rows_of(30)
    found = rt.bootstrap(
        label=y, scores=s, cluster=np.zeros(30), curves="roc", grid=5, n_resamples=20, seed=1
    )
    band = found.band(simultaneous=kind)
    assert np.isnan(band.low[:-1]).all()
    assert np.isnan(band.high[:-1]).all()
    assert set(band.status) == {"one_cluster"}
    rows = band.rows().to_dict()
    told = [(row["low"], row["interval"], row["level"]) for row in rows if row["low"] is None]
    assert told == [(None, None, None)] * len(told)
    assert not any("low end open" in note for note in band.note)


@pytest.mark.parametrize("curve", ["roc", "pr"])
@pytest.mark.parametrize("n", [30, 400])
def test_a_whole_band_is_monotone_and_holds_the_curve(curve, n):
    y, s = rows_of(n, seed=n)
    found = rt.bootstrap(label=y, scores=s, curves=curve, n_resamples=200, seed=2)
    band = found.band(simultaneous=True)
    assert (band.kind, band.method) == ("simultaneous", "studentized")
    sign = 1 if curve == "roc" else -1
    for array in (band.low, band.estimate, band.high):
        assert (sign * np.diff(array) >= 0).all()
        assert ((array >= 0) & (array <= 1)).all()
    assert (band.low <= band.estimate).all()
    assert (band.estimate <= band.high).all()
    inside = found._curves[curve].replicates[:, 0]
    share = ((inside >= band.low - 1e-12) & (inside <= band.high + 1e-12)).all(axis=1).mean()
    assert share >= 0.9
    narrow = found.band(simultaneous=True, level=0.5)
    assert (narrow.high - narrow.low <= band.high - band.low).all()


def test_ends_and_points_without_variance_are_told():
    y = np.repeat([1, 0], [80, 60])
    found = rt.bootstrap(label=y, scores=y, curves=["roc", "pr"], n_resamples=200, seed=3)
    points = found.band(curve="roc")
    assert points.low.tolist() == points.high.tolist() == [1.0] * 101
    assert points.note[50] == "degenerate: zero width"
    assert points.note[100] == "1 by definition"
    whole = found.band(curve="roc", simultaneous=True)
    assert whole.note[50] == "all replicates alike"
    assert whole.note[100] == "1 by definition"
    assert "low end open" in whole.note[0]
    assert "low end open" not in whole.note[2]  # 0.02 of 60 is more than one
    assert whole.low[0] == 0.0
    assert 0.8 < whole.low[50] < 1.0
    turned = found.band(curve="pr", simultaneous=True)
    assert turned.low[100] == 0.0
    assert "no positive to spare" in turned.note[100]


@pytest.mark.parametrize("label", [0, 1])
def test_one_class(label):
    found = rt.bootstrap(
        label=np.full(9, label), scores=np.arange(9), curves=["roc", "pr"], n_resamples=9, seed=0,
        pos_label=1,
    )  # fmt: skip
    for kind in (False, True):
        roc, pr = (found.band(curve=c, simultaneous=kind) for c in ("roc", "pr"))
        assert set(roc.status) == {"no_negatives" if label else "no_positives"}
        assert set(pr.status) == {"ok" if label else "no_positives"}
        assert np.isnan(roc.low).all()
        assert np.isnan(pr.low).all() == (not label)


def test_a_single_replicate_has_no_deviation():
    y, s = rows_of(30)
    found = rt.bootstrap(label=y, scores=s, curves="roc", n_resamples=1, seed=0)
    band = found.band(simultaneous=True)
    assert set(band.status) == {"no_standard_error"}
    assert np.isnan(band.low[5])


@pytest.mark.long
@pytest.mark.parametrize(("n", "prevalence"), [(200, 0.5), (500, 0.2), (2000, 0.05)])
@pytest.mark.parametrize("apart", [1.0, 2.0])
def test_coverage(n, prevalence, apart):
    """Two normal classes: the truth is known at each point."""
    normal = NormalDist()
    x = np.arange(1, 100) / 100
    upper = np.asarray([normal.inv_cdf(v) for v in x])
    cdf = np.vectorize(normal.cdf)
    false = 1 - cdf(apart - upper)
    true = {
        "roc": cdf(apart + upper),
        "pr": prevalence * x / (prevalence * x + (1 - prevalence) * false),
    }
    rounds, rng = 150, np.random.default_rng(8)
    whole = dict.fromkeys(true, 0)
    alone = []
    for seed in range(rounds):
        y = rng.random(n) < prevalence
        s = rng.normal(size=n) + apart * y
        found = rt.bootstrap(
            label=y, scores=s, curves=["roc", "pr"], grid=x, n_resamples=400, seed=seed
        )
        for curve, height in true.items():
            band = found.band(curve=curve, simultaneous=True)
            whole[curve] += bool(((band.low <= height) & (height <= band.high)).all())
        band = found.band(curve="roc")
        seen = (x * n * (1 - prevalence) >= 3) & (true["roc"] < 1 - 3 / (n * prevalence))
        alone.append(((band.low <= true["roc"]) & (true["roc"] <= band.high))[seen].mean())
    assert whole["roc"] / rounds >= 0.91
    assert whole["pr"] / rounds >= 0.91
    assert 0.92 <= np.mean(alone) <= 0.98


# -- results and refusals ----------------------------------------------------------------------


def test_rows_say_what_they_are():
    y, s = rows_of(60)
    found = rt.bootstrap(
        label=y, scores={"a": s, "b": -s}, curves=["roc", "pr"], grid=5, n_resamples=60, seed=3
    )
    band = found.band("b", "pr", simultaneous=True, level=0.9)
    table = pa.table(band)
    assert table.column_names == [
        "model", "curve", "x", "low", "estimate", "high", "interval", "level", "kind", "status",
        "note",
    ]  # fmt: skip
    row = band.rows().to_dict()[2]
    told = {k: row[k] for k in ("model", "curve", "x", "interval", "level", "kind", "status")}
    assert told == {
        "model": "b", "curve": "pr", "x": 0.5, "level": 0.9, "kind": "simultaneous",
        "status": "ok", "interval": "bootstrap multinomial studentized, simultaneous",
    }  # fmt: skip
    assert repr(band) == (
        "Band(pr of b, 5 points, 90 % bootstrap multinomial studentized, simultaneous, "
        "60 resamples)"
    )
    again = pickle.loads(pickle.dumps(found)).band("b", "pr", simultaneous=True, level=0.9)
    assert again.low.tobytes() == band.low.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        band.low[0] = 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"curves": "det"}, {"curves": ["roc", "roc"]}, {"curves": 3}, {"curves": [["roc"]]},
        {"grid": 5}, {"curves": "roc", "grid": 1}, {"curves": "roc", "grid": 2.5},
        {"curves": "roc", "grid": [0.5, 0.5]}, {"curves": "roc", "grid": [0.5, 0.2]},
        {"curves": "roc", "grid": [-0.1]}, {"curves": "roc", "grid": [0.5, 1.1]},
        {"curves": "roc", "grid": [math.nan]}, {"curves": "roc", "grid": []},
        {"curves": "roc", "grid": [[0.5]]}, {"curves": "roc", "grid": "many"},
        {"curves": "roc", "grid": True}, {"curves": "roc", "grid": 1 << 24},
    ],
)  # fmt: skip
def test_what_is_asked_for_is_checked(wrong):
    y, s = rows_of(20)
    argument = "`grid`" if "grid" in wrong else "`curves`"
    with refused(argument):
        rt.bootstrap(label=y, scores=s, n_resamples=2, **wrong)


def test_the_most_points_are_told():
    with refused("`grid`", "from 2 to 16,777,215", "16777216"):
        read_grid(1 << 24)


def test_bands_of_what_is_not_there():
    y, s = rows_of(20)
    call = {"label": y, "scores": {"a": s, "b": s}, "n_resamples": 3}
    plain, both = rt.bootstrap(**call), rt.bootstrap(curves=["roc", "pr"], **call)
    with refused("curves="):
        plain.band("a")
    with refused("`curve`"):
        both.band("a")
    with refused("`model`"):
        both.band(curve="roc")
    with refused("`curve`"):
        both.band("a", "gain")
    with refused("`level`"):
        both.band("a", "roc", level=1)
    with refused("`level`"):
        both.band("a", "roc", simultaneous=True, level=2)
    with refused("`method`"):
        both.band("a", "roc", simultaneous=True, method="basic")
