"""Works of DeLong: two models against MLstatkit's test, ten against bare sorts of the scores."""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import Any

import numpy as np

import ranktally as rt

from .in_memory import describe, shown
from .race import Contestant, Goal, Work

__all__ = ["delong", "delong_even", "delong_models"]

SEED = 1
MODELS = 10
PEER = "MLstatkit"


def paired_models(rows: int, count: int, prevalence: float) -> tuple[np.ndarray, dict[str, Any]]:
    """Labels, and float64 scores that share half of their noise."""
    rng = np.random.default_rng(SEED)
    y = (rng.random(rows) < prevalence).astype(np.int64)
    shared = rng.normal(y, 1.0)
    return y, {f"model_{k}": shared + rng.normal(0.05 * k * y, 1.0) for k in range(count)}


def _sorts(scores: dict[str, np.ndarray], sort: Any) -> Contestant:
    name = f"bare `np.{sort.__name__}` of the columns"
    return Contestant(name, lambda: [sort(s) for s in scores.values()], peer=False)


def delong(quick: bool, prevalence: float = 0.1) -> Work:
    y, scores = paired_models(20_000 if quick else 100_000, 2, prevalence)
    ours = partial(rt.delong, label=y, scores=scores, engine="numba")
    contestants = [Contestant("ranktally", ours)]
    if importlib.util.find_spec(PEER):
        from MLstatkit import Delong_test

        theirs = partial(Delong_test, y, *scores.values())
        # Of its z the sign is always that of a loss.
        np.testing.assert_allclose(
            abs(ours().difference(*scores).z), abs(theirs()[0]), rtol=1e-9, err_msg=PEER
        )
        contestants.append(Contestant(PEER, theirs))
    contestants.append(_sorts(scores, np.sort))
    return Work(
        f"DeLong, 2 models x {shown(y.size)} rows (`delong`)",
        f"{describe(scores['model_0'], prevalence)}, int64 labels",
        contestants,
        (Goal(PEER, faster=100),),
    )


def delong_even(quick: bool) -> Work:
    return delong(quick, prevalence=0.5)


def delong_models(quick: bool) -> Work:
    y, scores = paired_models(50_000 if quick else 1_000_000, MODELS, 0.1)
    sort = _sorts(scores, np.sort)
    return Work(
        f"DeLong, {MODELS} models x {shown(y.size)} rows (`delong`)",
        f"{describe(scores['model_0'])} in one model, int64 labels",
        [
            Contestant("ranktally", partial(rt.delong, label=y, scores=scores, engine="numba")),
            _sorts(scores, np.argsort),
            sort,
        ],
        (Goal("bare `np.argsort` of the columns", most=1.0),),
    )
