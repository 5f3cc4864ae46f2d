"""Covariances of ROC areas against MLstatkit's test of two models, and bare sorts of the scores."""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import Any

import numpy as np
import pytest

from ranktally import delong

from .in_memory import describe, shown
from .race import Contestant, Goal, Work, run

SEED = 1


def models(rows: int, count: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels of prevalence 0.1 and scores that share half of their noise."""
    rng = np.random.default_rng(SEED)
    y = (rng.random(rows) < 0.1).astype(np.int64)
    shared = rng.normal(y, 1.0)
    return y, {f"model_{k}": shared + rng.normal(0.05 * k * y, 1.0) for k in range(count)}


def mlstatkit(y: np.ndarray, a: np.ndarray, b: np.ndarray) -> Any:
    from MLstatkit import Delong_test

    return Delong_test(y, a, b)


def two(quick: bool) -> Work:
    y, scores = models(20_000 if quick else 100_000, 2)
    ours = partial(delong, label=y, scores=scores, engine="numba")
    sorts = "bare `np.sort` of the columns"
    contestants = [
        Contestant("ranktally", ours),
        Contestant(sorts, lambda: [np.sort(s) for s in scores.values()], peer=False),
    ]
    goals = ()
    if importlib.util.find_spec("MLstatkit"):
        theirs = partial(mlstatkit, y, *scores.values())
        z, found = theirs()[0], ours().difference(*scores)
        np.testing.assert_allclose(abs(found.z), abs(z), rtol=1e-9)
        contestants.append(Contestant("MLstatkit", theirs))
        goals = (Goal("MLstatkit", faster=100),)
    return Work(
        f"{shown(y.size)} rows x 2 models, DeLong (`delong`)",
        f"{describe(scores['model_0'])} in one model, int64 labels",
        contestants,
        goals,
    )


def ten(quick: bool) -> Work:
    y, scores = models(50_000 if quick else 1_000_000, 10)
    sorts = "bare `np.argsort` of the columns"
    return Work(
        f"{shown(y.size)} rows x 10 models, DeLong (`delong`)",
        f"{describe(scores['model_0'])} in one model, int64 labels",
        [
            Contestant("ranktally", partial(delong, label=y, scores=scores, engine="numba")),
            Contestant(sorts, lambda: [np.argsort(s) for s in scores.values()], peer=False),
            Contestant(
                "bare `np.sort` of the columns",
                lambda: [np.sort(s) for s in scores.values()],
                peer=False,
            ),
        ],
        (Goal(sorts, most=1.0),),
    )


@pytest.fixture(scope="module", params=[two, ten], ids=["two", "ten"])
def work(request: pytest.FixtureRequest, quick: bool) -> Work:
    return request.param(quick)


def test_delong(benchmark, capsys, work):
    outcome = run(work)
    benchmark.group = work.title
    with capsys.disabled():
        for name in outcome.measured:
            ratio = 1 / outcome.ratio(name)
            benchmark.extra_info[f"times faster than {name}"] = ratio
            print(
                f"\n{work.title}  {name:<34} {outcome.median(name):8.4f} s {ratio:7.1f} x", end=""
            )
    benchmark.pedantic(work.contestants[0].call, rounds=3)
