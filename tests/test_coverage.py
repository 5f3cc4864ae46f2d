"""Coverage by simulation: that the simulator is right, and that intervals keep what it found."""

from __future__ import annotations

import math
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest

import ranktally as rt
from benchmarks import coverage, coverage_population
from benchmarks.coverage_population import CUT, MODELS, Cell, truths
from benchmarks.coverage_report import Row, parse_rows, render, write_rows
from benchmarks.coverage_simulation import METRICS, Sums, simulate
from data_gen import _binormal

HERE = Path(coverage.__file__).parent
FRESH = 1_000_000  # samples that the table has not seen begin here


# -- truths --------------------------------------------------------------------------------------


@pytest.mark.big
@pytest.mark.parametrize("prevalence", [0.5, 0.02])
def test_truths_are_those_of_many_rows(prevalence):
    n = 1_000_000
    label, scores, _ = Cell(n, prevalence).sample(0)
    found = rt.evaluate(label=label, scores=scores, metrics=METRICS, at=CUT)
    errors = rt.jackknife(
        label=label, scores=scores, metrics=[m for m in METRICS if m != "ks"], at=CUT
    )
    truth = truths(prevalence)
    for model in MODELS:
        for metric in METRICS:
            if metric == "ks":  # its error is at most that of the two shares at the best threshold
                error = math.sqrt(0.25 / (n * prevalence) + 0.25 / (n * (1 - prevalence)))
            else:
                error = errors.interval(model, metric).standard_error
            assert abs(found.value(model, metric) - truth[metric, model]) < 5 * error
    difference = rt.delong(label=label, scores=scores).difference("a", "b")
    assert abs(difference.estimate - truth["roc_auc", "a - b"]) < 5 * difference.standard_error


@pytest.mark.big
def test_correlation_is_that_of_the_law():
    label, scores, _ = Cell(400_000, 0.5).sample(1)
    for side in (0, 1):
        a, b, c = (scores[name][label == side] for name in "abc")
        assert np.corrcoef(a, b)[0, 1] == pytest.approx(coverage_population.CORRELATION, abs=0.01)
        assert abs(np.corrcoef(a, c)[0, 1]) < 0.01


@pytest.mark.parametrize("prevalence", [0.5, 0.1, 0.02])
def test_average_precision_by_another_quadrature(prevalence):
    # Gauss and Legendre's rule on short panels.
    nodes, weights = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(-14.0, 18.0, 129)
    half = np.diff(edges)[:, None] / 2
    t = (edges[:-1, None] + half * (1 + nodes)).ravel()
    w = (half * weights).ravel()
    for name, auc in MODELS.items():
        mu = _binormal.shift(auc)
        pos = prevalence * _binormal.survival(t - mu)
        neg = (1 - prevalence) * _binormal.survival(t)
        density = np.exp(-0.5 * (t - mu) ** 2) / math.sqrt(2 * math.pi)
        exact = float(np.sum(w * density * pos / (pos + neg)))
        assert truths(prevalence)["average_precision", name] == pytest.approx(exact, abs=1e-12)


# -- the simulator -------------------------------------------------------------------------------


def test_samples_follow_from_the_cell_and_their_number():
    cell = Cell(50, 0.3)
    first, again = cell.sample(3), cell.sample(3)
    assert first[2] == again[2]
    np.testing.assert_array_equal(first[1]["b"], again[1]["b"])
    assert cell.sample(4)[2] != first[2]
    assert not np.array_equal(Cell(50, 0.4).sample(3)[1]["a"], first[1]["a"])


def test_counting():
    sums = Sums()
    ends = [(0.4, 0.5, 0.6), (0.45, 0.5, 0.55)]
    for truth in (0.3, 0.42, 0.5, 0.6, 0.7):
        sums.add(ends, truth)
    sums.add([(math.nan,) * 3, (math.nan,) * 3], 0.5)
    sums.add([(0.5, 0.5, 0.5)] * 2, 0.5)
    assert (sums.samples, sums.defined, sums.zero_width) == (7, 6, 1)
    assert (sums.below_95, sums.above_95, sums.below_90, sums.above_90) == (1, 1, 2, 2)
    assert sums.width_95 == pytest.approx(5 * 0.2)
    assert sums.error == pytest.approx(0.2 + 0.08 - 0.1 - 0.2)
    other = Sums()
    other.join(sums)
    other.join(sums)
    assert astuple(other) == tuple(2 * x for x in astuple(sums))


def test_batches_join_to_the_whole():
    cell = Cell(60, 0.4)
    whole = simulate(cell, "multinomial", 0, 4, 40)
    parts = [simulate(cell, "multinomial", a, b, 40) for a, b in ((0, 1), (1, 4))]
    assert list(whole) == list(parts[0])
    for key, sums in whole.items():
        joined = Sums()
        for part in parts:
            joined.join(part[key])
        assert astuple(joined) == pytest.approx(astuple(sums), rel=1e-12)
        assert sums.samples == 4
    kinds = {(metric, interval) for metric, _, interval in whole}
    assert {interval for metric, interval in kinds if metric == "recall"} == {
        "percentile", "basic", "normal", "bca", "jackknife", "jackknife logit", "Wilson",
        "Jeffreys", "Clopper-Pearson",
    }  # fmt: skip
    assert {i for m, i in kinds if m == "roc_auc"} > {"DeLong", "DeLong logit"}
    only = simulate(cell, "stratified", 0, 1, 40)
    assert {interval for _, _, interval in only} == {"stratified percentile"}


def test_an_interrupted_run_goes_on(tmp_path):
    kept = tmp_path / "kept.jsonl"
    tasks = [("stratified", 40, 0.5, first, first + 1) for first in range(2)]
    first = coverage.run_task(tasks[0], 20)
    coverage._keep(kept, tasks[0], 20, first)
    with kept.open("a") as file:
        file.write('{"task": ["stratif')
    found = coverage._read_kept(kept, 20)
    assert found == {tasks[0]: first}
    assert coverage._read_kept(kept, 21) == {}
    assert coverage._read_kept(None, 20) == {}


# -- the page ------------------------------------------------------------------------------------


def a_row(interval: str, missed: int, **changes: object) -> Row:
    row = Row(
        "roc_auc", "AUC 0.80", interval, 1000, 0.5, 0.8, 1000, 1000, 0, missed, 0, 0.05, missed,
        50, 0.04, 0.001, 0.01, 200,
    )  # fmt: skip
    return replace(row, **changes)


def test_the_page_says_what_the_rows_do():
    rows = [
        a_row("percentile", 50),
        a_row("basic", 80),
        a_row("normal", 30, prevalence=0.01, defined=980, zero_width=40),
    ]
    assert parse_rows(write_rows(rows)) == rows
    page = render(rows, "# opening")
    assert page.startswith("# opening\n")
    assert "| 0.5 | 1000 | +0.10 | .950 | **.920** |  |" in page
    assert "| 0.01 | 1000 * | +0.10 |  |  | .969 |" in page
    assert "* `roc_auc`, AUC 0.80: basic in 1 of 1 cells (lowest .920, n = 1000" in page
    assert "With fewer (n = 1000 at prevalence 0.01):\n\n* none." in page
    assert (
        "More than one in a hundred is undefined at n = 1000 at prevalence 0.01, at most 2" in page
    )
    assert "no width" in page
    assert "opening" not in coverage.opening(rows)
    assert "1000 samples" in coverage.opening(rows)


def test_the_page_is_that_of_the_csv():
    rows = parse_rows((HERE / "coverage.csv").read_text())
    assert (HERE / "COVERAGE.md").read_text() == render(rows, coverage.opening(rows))
    held = {(row.n, row.prevalence) for row in rows if row.interval == "percentile"}
    assert held == {(cell.n, cell.prevalence) for cell in coverage.GRID}
    assert {row.samples for row in rows} == {1000}


# -- intervals against theory and the table ------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("cell", [Cell(2000, 0.5), Cell(500, 0.1)], ids=str)
def test_coverage_is_that_of_the_table(cell):
    simulations = 400
    found = simulate(cell, "multinomial", FRESH, FRESH + simulations, 1000)
    names = {name: f"AUC {auc:.2f}" for name, auc in MODELS.items()}
    names["a - b"] = f"{names['a']} - {names['b']}"
    table = {
        (row.metric, row.model, row.interval): row
        for row in parse_rows((HERE / "coverage.csv").read_text())
        if (row.n, row.prevalence) == (cell.n, cell.prevalence)
    }
    for (metric, model, interval), sums in found.items():
        row = table[metric, names[model], interval]
        share = 1 - (sums.below_95 + sums.above_95) / sums.defined
        pooled = (share * sums.defined + row.coverage * row.defined) / (sums.defined + row.defined)
        spread = pooled * (1 - pooled) * (1 / sums.defined + 1 / row.defined)
        # Four deviations: there are 87 of them.
        assert abs(share - row.coverage) <= 4 * math.sqrt(spread) + 0.002, (metric, model, interval)
        if cell.n == 2000 and metric != "ks":
            error = math.sqrt(0.05 * 0.95 / simulations)
            assert abs(share - 0.95) < 4 * error + 0.005, (metric, model, interval)


@pytest.mark.big
def test_copies_of_rows_tell_nothing_new():
    label, scores, _ = Cell(300, 0.3).sample(0)
    copies = 4
    call = {"metrics": ["roc_auc", "average_precision", "f1"], "at": CUT}
    many = {
        "label": np.tile(label, copies),
        "scores": np.tile(scores["a"], copies),
    }
    rows = {"label": label, "scores": scores["a"]}
    cluster = np.tile(np.arange(300), copies)
    boot = {**call, "n_resamples": 200, "seed": 4, "plan": "rows"}
    # A replicate of clusters that are copies of rows is that replicate of the rows.
    alone = rt.bootstrap(**rows, **boot)
    together = rt.bootstrap(**many, cluster=cluster, **boot)
    np.testing.assert_allclose(together.replicates, alone.replicates, rtol=1e-14)
    # Taken for rows of their own they would narrow the interval by the root of their number.
    exact = rt.jackknife(**rows, **call)
    clustered = rt.jackknife(**many, cluster=cluster, **call)
    naive = rt.jackknife(**many, **call)
    for metric in call["metrics"]:
        error = exact.interval(metric=metric).standard_error
        assert clustered.interval(metric=metric).standard_error == pytest.approx(error, rel=1e-12)
        ratio = error / naive.interval(metric=metric).standard_error
        assert ratio == pytest.approx(math.sqrt(copies), rel=2e-3)


def of_clusters(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of 200 clusters of 5, which share a label and half of the variance of the noise."""
    clusters, size = 200, 5
    of = np.repeat(np.arange(clusters), size)
    label = (rng.random(clusters) < 0.4).astype(np.uint8)[of]
    noise = rng.normal(size=clusters)[of] + rng.normal(size=of.size)
    return label, noise * math.sqrt(0.5) + _binormal.shift(0.8) * label, of


@pytest.mark.long
def test_clusters_are_what_covers():
    # Each score is still N(mu, 1) or N(0, 1): the area is 0.8.
    rng = np.random.default_rng(8)
    simulations = 400
    hits = {"clusters": 0, "rows": 0, "jackknife": 0}
    for k in range(simulations):
        label, score, of = of_clusters(rng)
        call = {"label": label, "scores": score, "metrics": "roc_auc"}
        boot = {**call, "n_resamples": 599, "seed": k, "engine": "numba"}
        intervals = {
            "clusters": rt.bootstrap(**boot, cluster=of).interval(),
            "rows": rt.bootstrap(**boot).interval(),
            "jackknife": rt.jackknife(**call, cluster=of).interval(kind="logit"),
        }
        for name, found in intervals.items():
            hits[name] += found.low <= 0.8 <= found.high
    error = math.sqrt(0.05 * 0.95 / simulations)
    for name in ("clusters", "jackknife"):
        assert abs(hits[name] / simulations - 0.95) < 4 * error
    # What rows of a cluster share makes the interval of rows too short by a factor of about 1.6,
    # so that it holds the truth in four samples of five.
    assert 0.72 < hits["rows"] / simulations < 0.86


@pytest.mark.big
def test_replicates_spread_as_first_order_theory_says():
    label, scores, _ = Cell(3000, 0.3).sample(0)
    metrics = ["roc_auc", "average_precision", "recall", "precision", "f1"]
    call = {"label": label, "scores": scores, "metrics": metrics, "at": CUT}
    n_resamples = 3000
    result = rt.bootstrap(**call, n_resamples=n_resamples, seed=1)
    theory = rt.jackknife(**call)
    delong = rt.delong(label=label, scores=scores)
    # Chance in the spread of replicates, and what is of second order.
    near = 4 / math.sqrt(2 * n_resamples) + 0.02
    for metric in metrics:
        for model in MODELS:
            found = result.interval(model, metric).standard_error
            expected = theory.interval(model, metric).standard_error
            assert found == pytest.approx(expected, rel=near)
        found = result.difference("a", "b", metric).standard_error
        assert found == pytest.approx(theory.difference("a", "b", metric).standard_error, rel=near)
    paired = result.difference("a", "b", "roc_auc").standard_error
    assert paired == pytest.approx(delong.difference("a", "b").standard_error, rel=near)
