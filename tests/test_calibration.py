"""Probability quality: losses, their parts, and the calibration table."""

from __future__ import annotations

import math
import pickle
import time
from fractions import Fraction
from statistics import NormalDist

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Sample

import ranktally as rt
from ranktally._binomial import wilson
from ranktally._calibrating import calibration

STRATEGIES = ["quantile", "uniform"]
DTYPES = ["float64", "float32"]


@st.composite
def forecasts(draw, weights=None, max_size=30):
    """Probabilities with ties, ends, neighbours of the ends and of edges of bins."""
    dtype = draw(st.sampled_from(DTYPES))
    one = np.dtype(dtype).type(1)
    pool = [0.0, 1.0, 0.1, 0.2, 0.25, 0.5, 0.7, 0.75, 1e-9,
            float(np.nextafter(one, one * 0)), float(np.nextafter(one / 2, one))]  # fmt: skip
    value = st.one_of(st.sampled_from(pool), st.floats(0, 1, width=np.dtype(dtype).itemsize * 8))
    n = draw(st.integers(1, max_size))
    some = draw(st.lists(value, min_size=1, max_size=10))
    scores = draw(st.lists(st.sampled_from(some), min_size=n, max_size=n))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    weight = None
    if weights is not None:
        each = st.integers(0, 4).map(float) if weights == "integral" else st.floats(0.01, 10)
        weight = np.array(draw(st.lists(each, min_size=n, max_size=n)))
        weight[0] = weight[0] or 1.0
    return Sample(np.array(labels), np.array(scores, dtype=dtype), weight)


def tally(sample, engine):
    return rt.tally(sample.labels, sample.scores, sample.weights, engine=engine)


bins = st.integers(1, 12)
strategies_ = st.sampled_from(STRATEGIES)
weightings = st.sampled_from([None, "integral", "real"])


@given(weightings.flatmap(lambda w: forecasts(w)))
def test_brier(engine, sample):
    got = tally(sample, engine).brier()
    assert got == pytest.approx(float(naive.brier(*sample.lists)), abs=1e-15)
    assert isinstance(got, float)


@given(weightings.flatmap(lambda w: forecasts(w)))
def test_log_loss(engine, sample):
    loss = tally(sample, engine).log_loss()
    clip = float(np.finfo(sample.scores.dtype).eps)
    assert loss.clip == clip
    expected = float(naive.log_loss(*sample.lists, clip=clip))
    assert loss == pytest.approx(expected, rel=1e-14, abs=1e-15)
    moved = (sample.scores < clip) | (sample.scores > 1 - clip)
    weight = np.ones(len(moved)) if sample.weights is None else sample.weights
    assert loss.n_clipped == pytest.approx(weight[moved].sum(), rel=1e-13, abs=1e-13)


@given(weightings.flatmap(lambda w: forecasts(w)), st.one_of(st.none(), bins), strategies_)
def test_parts_of_the_brier_score(engine, sample, n_bins, strategy):
    parts = tally(sample, engine).brier_decomposition(n_bins, strategy)
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within_bin
    assert total == pytest.approx(parts.brier, abs=1e-14)
    assert parts.brier == pytest.approx(float(naive.brier(*sample.lists)), abs=1e-15)
    assert parts.within_bin == 0 or n_bins is not None
    labels, scores, weights = sample.lists
    pos, neg = naive.totals(labels, weights)
    base = pos / (pos + neg)
    assert parts.uncertainty == pytest.approx(float(base * (1 - base)), abs=1e-15)
    if n_bins is not None:
        table = naive.calibration_gaps(labels, scores, weights, n_bins, strategy)
        share = [n / (pos + neg) for n, _, _ in table]
        reliability = sum(w * (p - y) ** 2 for w, (_, p, y) in zip(share, table, strict=True))
        resolution = sum(w * (y - base) ** 2 for w, (_, _, y) in zip(share, table, strict=True))
        assert parts.reliability == pytest.approx(float(reliability), abs=1e-13)
        assert parts.resolution == pytest.approx(float(resolution), abs=1e-13)


@given(st.sampled_from([None, "integral"]).flatmap(lambda w: forecasts(w)), bins, strategies_)
def test_calibration_table(engine, sample, n_bins, strategy):
    labels, scores, weights = sample.lists
    table = tally(sample, engine).calibration(n_bins, strategy)
    expected = naive.calibration_gaps(labels, scores, weights, n_bins, strategy)
    assert table.n.tolist() == [float(n) for n, _, _ in expected]
    np.testing.assert_allclose(table.mean_predicted, [float(p) for _, p, _ in expected], rtol=1e-14)
    assert table.observed.tolist() == [float(y) for _, _, y in expected]
    assert (table.lowest <= table.mean_predicted).all()
    assert (table.mean_predicted <= table.highest).all()
    # no score stands in two bins
    assert (table.highest[:-1] < table.lowest[1:]).all()
    assert (np.diff(table.bin) > 0).all()
    assert 0 <= table.bin[0] <= table.bin[-1] < n_bins
    gaps = [(n, abs(p - y)) for n, p, y in expected]
    ece = sum((n * gap for n, gap in gaps), Fraction(0)) / sum(n for n, _ in gaps)
    assert table.ece == pytest.approx(float(ece), abs=1e-14)
    assert table.mce == pytest.approx(float(max(gap for _, gap in gaps)), abs=1e-14)
    assert table.ece == tally(sample, engine).ece(n_bins, strategy)
    assert table.mce == tally(sample, engine).mce(n_bins, strategy)


@given(forecasts("integral"), bins, strategies_)
def test_whole_weights_are_repeated_rows(engine, sample, n_bins, strategy):
    w = sample.weights.astype(int)
    a = tally(sample, engine)
    b = rt.tally(np.repeat(sample.labels, w), np.repeat(sample.scores, w), engine=engine)
    assert (a.brier(), a.log_loss()) == (b.brier(), b.log_loss())
    assert a.calibration(n_bins, strategy).to_dict() == b.calibration(n_bins, strategy).to_dict()


def test_quantile_bins_are_level(engine):
    p = np.linspace(0, 1, 1000)
    table = rt.tally(p > 0.5, p, engine=engine).calibration(8)
    assert table.n.tolist() == [125] * 8


def test_a_large_tie_is_one_bin(engine):
    p = np.concatenate([np.full(80, 0.5), np.linspace(0.6, 1, 20)])
    table = rt.tally(np.arange(100) % 2, p, engine=engine).calibration(10)
    assert table.bin.tolist() == [0, 8, 9]
    assert table.n.tolist() == [80, 10, 10]


def test_uniform_bins_take_their_upper_edge(engine):
    table = rt.tally([0, 1, 1, 0], [0.0, 0.5, 0.5000001, 1.0], engine=engine).calibration(
        2, "uniform"
    )
    assert table.bin.tolist() == [0, 1]
    assert table.n.tolist() == [2, 2]


def test_against_scikit_learn(engine):
    metrics = pytest.importorskip("sklearn.metrics")
    curve = pytest.importorskip("sklearn.calibration").calibration_curve
    rng = np.random.default_rng(4)
    for dtype in DTYPES:
        p = rng.random(5000).astype(dtype)
        p[:10], p[10:20] = 0, 1
        y = rng.random(5000) < p
        y[:3] = 1
        w = rng.random(5000) + 0.1
        for weight in (None, w):
            t = rt.tally(y, p, weight, engine=engine)
            theirs = metrics.brier_score_loss(y, p, sample_weight=weight)
            rel = 1e-13 if dtype == "float64" else 1e-6
            assert t.brier() == pytest.approx(theirs, rel=rel)
            theirs = metrics.log_loss(y, p, sample_weight=weight)
            assert t.log_loss() == pytest.approx(theirs, rel=rel)
    p = rng.random(5000)
    y = rng.random(5000) < p
    for strategy in STRATEGIES:
        observed, predicted = curve(y, p, n_bins=10, strategy=strategy)
        table = rt.tally(y, p, engine=engine).calibration(10, strategy)
        np.testing.assert_allclose(table.observed, observed, rtol=1e-13)
        np.testing.assert_allclose(table.mean_predicted, predicted, rtol=1e-12)


# --- what is no probability -----------------------------------------------------------------------

ASK = {
    "brier": lambda t: t.brier(),
    "log_loss": lambda t: t.log_loss(),
    "brier_decomposition": lambda t: t.brier_decomposition(),
    "calibration": lambda t: t.calibration(),
    "ece": lambda t: t.ece(),
    "mce": lambda t: t.mce(),
}
EACH = pytest.mark.parametrize("ask", ASK)


@EACH
@pytest.mark.parametrize("score", [-0.25, 1.25, math.inf, -math.inf, 7])
def test_scores_outside_raise(engine, ask, score):
    t = rt.tally([0, 1, 1], [0.5, 0.25, score], engine=engine)
    with pytest.raises(rt.InputError, match=str(score).replace(".", r"\.")):
        ASK[ask](t)


@EACH
def test_missing_scores_raise(engine, ask):
    t = rt.tally([0, 1, 1], [0.5, 0.25, np.nan], missing="worst", engine=engine)
    with pytest.raises(rt.InputError, match="missing"):
        ASK[ask](t)


@EACH
def test_incomplete_tallies_raise(ask):
    t = rt.Tally.from_counts([0.5, 0.25], [1, 2], [2, 1], complete=False)
    with pytest.raises(rt.InputError, match="incomplete"):
        ASK[ask](t)


@EACH
def test_nothing_at_all_is_undefined(ask):
    got = ASK[ask](rt.Tally.from_counts([], [], []))
    got = getattr(got, "brier", getattr(got, "ece", got))
    assert math.isnan(got)


@EACH
def test_integers_of_zero_and_one_are_probabilities(engine, ask):
    ASK[ask](rt.tally([0, 1, 1], np.array([0, 1, 0]), engine=engine))


def test_status_in_evaluate(engine):
    metrics = ["brier", "log_loss", "ece(5)", "mce(5, 'uniform')", "roc_auc"]
    result = rt.evaluate(
        label=[0, 1, 1, 0], scores={"good": [0.1, 0.9, 0.8, 0.8], "bad": [0.1, 1.5, 0.8, 0.2]},
        metrics=metrics, engine=engine,
    )  # fmt: skip
    for row in result.to_dict():
        fine = row["model"] == "good" or row["metric"] == "roc_auc"
        assert row["status"] == ("ok" if fine else "scores_outside_0_1")
        assert (row["value"] is None) == (not fine)
    base = {row["metric"]: row["baseline"] for row in result.to_dict()}
    assert base["brier"] == 0.25
    assert base["log_loss"] == pytest.approx(math.log(2))


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_has_losses(engine, label):
    t = rt.tally([label] * 2, [0.25, 0.75], engine=engine)
    assert t.brier() == 0.3125
    assert t.brier_decomposition().uncertainty == 0
    result = rt.evaluate(label=[label] * 2, scores=[0.25, 0.75], metrics=["log_loss"])
    assert result.to_dict()[0]["baseline"] == 0.0


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "10", None, 10**7])
def test_bins_are_checked(bad):
    t = rt.tally([0, 1], [0.1, 0.9])
    for ask in (t.calibration, t.ece, t.mce):
        with pytest.raises(rt.InputError, match="`n_bins`"):
            ask(bad)
    with pytest.raises(rt.InputError, match="`strategy`"):
        t.calibration(5, "equal")
    with pytest.raises(rt.InputError, match="`strategy`"):
        t.brier_decomposition(5, "equal")


# --- the function and its table -------------------------------------------------------------------


def test_function_is_the_method(engine):
    y, p, w = [0, 1, 1, 0, 1], [0.1, 0.4, 0.8, 0.8, 0.9], [1, 2, 0.5, 1, 1]
    for weight in (None, w):
        one = calibration(y, p, weight, n_bins=3, strategy="uniform", engine=engine)
        other = rt.tally(y, p, weight, engine=engine).calibration(3, "uniform")
        assert one.to_dict() == other.to_dict()
    words = calibration(["a", "b"], [0.1, 0.9], pos_label="b", engine=engine)
    assert words.observed.tolist() == [0, 1]
    gone = calibration([0, 1, 1], [0.1, 0.9, None], missing="omit", engine=engine)
    assert gone.n.sum() == 2


def test_function_refuses(engine):
    with pytest.raises(rt.InputError, match=r"1\.5"):
        calibration([0, 1], [0.5, 1.5], engine=engine)
    with pytest.raises(rt.InputError, match="missing"):
        calibration([0, 1], [0.5, np.nan], engine=engine)
    with pytest.raises(rt.InputError, match="`missing`"):
        calibration([0, 1], [0.5, 0.5], missing="worst", engine=engine)


def test_forms_of_the_table(engine):
    table = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.8], engine=engine).calibration(2)
    arrow = pa.table(table)
    assert arrow.column_names == [
        "bin", "lowest", "highest", "mean_predicted", "observed", "low", "high", "n", "n_pos",
    ]  # fmt: skip
    assert arrow.column("n").type == pa.int64()
    assert [row["n"] for row in table.to_dict()] == [2, 2]
    assert (table.n_bins, table.strategy, table.level) == (2, "quantile", 0.95)
    again = pickle.loads(pickle.dumps(table))
    assert again.to_dict() == table.to_dict()
    assert again.ece == table.ece
    assert "2 of 2 quantile bins" in repr(table)
    with pytest.raises(AttributeError, match="'recall'"):
        _ = table.recall


def test_log_loss_keeps_its_attributes(engine):
    loss = rt.tally([0, 1], [0.0, 0.5], engine=engine).log_loss()
    again = pickle.loads(pickle.dumps(loss))
    assert (float(again), again.n_clipped, again.clip) == (float(loss), 1, 2.0**-52)


@pytest.mark.big
def test_a_million_distinct_scores_are_quick():
    rng = np.random.default_rng(3)
    p = rng.random(1_000_000)
    t = rt.tally(rng.random(1_000_000) < p, p)
    start = time.perf_counter()
    assert t.ece() < 0.01
    t.brier(), t.log_loss(), t.mce(), t.brier_decomposition(), t.calibration(100, "uniform")
    assert time.perf_counter() - start < 10


# --- the interval ---------------------------------------------------------------------------------


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_solves_its_equation(k, rest, level):
    """An end is the share p from which k lies z standard errors (of p itself) away."""
    n = k + rest
    low, high = (float(x[0]) for x in wilson([k], [n], level))
    if n == 0:
        assert math.isnan(low)
        assert math.isnan(high)
        return
    assert 0 <= low <= k / n <= high <= 1
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    for p in (low, high):
        assert (k - n * p) ** 2 == pytest.approx(z2 * n * p * (1 - p), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, "0.95", True])
def test_level_is_checked(level):
    with pytest.raises(rt.InputError, match="`level`"):
        rt.tally([0, 1], [0.1, 0.9]).calibration(level=level)
