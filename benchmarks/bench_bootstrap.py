"""Bootstrap of ROC AUC and average precision: 2000 replicates, one model and ten."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ranktally import bootstrap

from .in_memory import binormal, shown
from .race import Contestant, Goal, Work

REPLICATES = 2000
MODELS = 10
SORT = "`np.sort` of the scores, a replicate"


def ours(y: np.ndarray, scores: Any, **options: Any) -> Callable[[], object]:
    return lambda: bootstrap(label=y, scores=scores, n_resamples=REPLICATES, seed=1, **options)


def peers(y: np.ndarray, s: np.ndarray) -> list[Contestant]:
    """What others do for one replicate, times the replicates."""
    rng = np.random.default_rng(0)
    found = []
    if importlib.util.find_spec("sklearn"):
        from sklearn.metrics import average_precision_score, roc_auc_score

        def loop() -> tuple[float, float]:
            rows = rng.integers(0, y.size, y.size)
            return roc_auc_score(y[rows], s[rows]), average_precision_score(y[rows], s[rows])

        found.append(Contestant("scikit-learn loop", loop, REPLICATES))
    if importlib.util.find_spec("rapidstats"):
        import rapidstats

        few = 20

        def resample() -> list[object]:
            boot = rapidstats.Bootstrap(iterations=few, seed=1)
            return [boot.roc_auc(y, s), boot.average_precision(y, s)]

        found.append(Contestant("rapidstats", resample, REPLICATES / few))
    return [*found, Contestant(SORT, lambda: np.sort(s), REPLICATES, peer=False)]


def resampled_areas(quick: bool) -> Work:
    rows = 2000 if quick else 100_000
    y, s, data = binormal(rows)
    return Work(
        f"{shown(rows)} rows, {REPLICATES} bootstrap replicates of AUC + AP (`bootstrap`)",
        f"{data}, int64 labels",
        [Contestant("ranktally", ours(y, s)), *peers(y, s)],
        (Goal("scikit-learn loop", faster=150), Goal(SORT, most=0.6)),
    )


@pytest.fixture(scope="module")
def areas(quick: bool) -> Work:
    return resampled_areas(quick)


@pytest.mark.parametrize("name", ["ranktally", "scikit-learn loop", "rapidstats", SORT])
def test_bootstrap(benchmark, areas, name):
    found = [c for c in areas.contestants if c.name == name]
    if not found:
        pytest.skip(f"{name} is not installed")
    benchmark.group = areas.title
    benchmark.extra_info |= {"data": areas.data, "times": found[0].scale}
    benchmark.pedantic(found[0].call, rounds=areas.rounds // 3, warmup_rounds=1)


@pytest.mark.parametrize("models", [1, MODELS])
def test_bootstrap_of_paired_models(benchmark, quick, models):
    rows = 2000 if quick else 100_000
    y, s, _ = binormal(rows)
    noise = np.random.default_rng(0).normal(size=(models, rows)).astype(np.float32)
    scores = {f"model_{k}": s + noise[k] for k in range(models)}
    benchmark.extra_info["models"] = models
    benchmark.pedantic(ours(y, scores, plan="rows"), rounds=1, warmup_rounds=0)


def test_bootstrap_of_many_rows(benchmark, quick):
    y, s, _ = binormal(20_000 if quick else 1_000_000)
    benchmark.pedantic(ours(y, s), rounds=1, warmup_rounds=0)


def test_bootstrap_of_rare_positives(benchmark, quick):
    rows = 100_000 if quick else 10_000_000
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.001).astype(np.int8)
    s = (rng.normal(size=rows) + y).astype(np.float32)
    result = benchmark.pedantic(ours(y, s), rounds=1, warmup_rounds=0)
    assert result.plan == "cells"
