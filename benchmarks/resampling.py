"""Works of the bootstrap: a replicate against its peers, many rows, many models, rare positives."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import ranktally as rt

from .in_memory import binormal, shown
from .race import Contestant, Goal, Work

__all__ = ["bootstrap", "bootstrap_models", "bootstrap_rare", "bootstrap_rows"]

REPLICATES = 2000
FEW = 20  # replicates of a peer that are measured
MODELS = 10
RARE = 0.001
SORT = "`np.sort` of the scores, a replicate"


def bootstrap(quick: bool) -> Work:
    rows = 2000 if quick else 100_000
    y, s, data = binormal(rows)
    loop = "scikit-learn loop"
    return Work(
        f"{shown(rows)} rows, {REPLICATES} replicates of AUC + AP (`bootstrap`)",
        f"{data}, int64 labels; of each peer {FEW} replicates are measured and scaled",
        [
            Contestant("ranktally", _ours(y, s)),
            Contestant(loop, partial(_sklearn_loop, y, s), REPLICATES / FEW),
            *_peers(y, s),
            Contestant(SORT, lambda: np.sort(s), REPLICATES, peer=False),
        ],
        (Goal(loop, faster=150), Goal(SORT, most=0.6)),
    )


def _ours(y: np.ndarray, scores: Any, **options: Any) -> Callable[[], object]:
    return lambda: rt.bootstrap(label=y, scores=scores, n_resamples=REPLICATES, seed=1, **options)


def _both(y: np.ndarray, s: np.ndarray) -> tuple[float, float]:
    from sklearn.metrics import average_precision_score, roc_auc_score

    return roc_auc_score(y, s), average_precision_score(y, s)


def _sklearn_loop(y: np.ndarray, s: np.ndarray) -> list[tuple[float, float]]:
    rng = np.random.default_rng(0)
    draws = (rng.integers(0, y.size, y.size) for _ in range(FEW))
    return [_both(y[rows], s[rows]) for rows in draws]


def _peers(y: np.ndarray, s: np.ndarray) -> list[Contestant]:
    found = []
    if importlib.util.find_spec("rapidstats"):
        import rapidstats

        def resample() -> list[object]:
            boot = rapidstats.Bootstrap(iterations=FEW, seed=1)
            return [boot.roc_auc(y, s), boot.average_precision(y, s)]

        found.append(Contestant("rapidstats", resample, REPLICATES / FEW))
    if importlib.util.find_spec("scipy"):
        from scipy.stats import bootstrap as scipy_bootstrap

        def scipy_way() -> object:
            return scipy_bootstrap(
                (np.arange(y.size),),
                lambda rows: _both(y[rows], s[rows]),
                n_resamples=FEW,
                vectorized=False,
                method="percentile",
                rng=np.random.default_rng(0),
            )

        found.append(Contestant("scipy.stats.bootstrap of both", scipy_way, REPLICATES / FEW))
    if importlib.util.find_spec("confidenceinterval"):
        from confidenceinterval.bootstrap import bootstrap_ci
        from sklearn.metrics import average_precision_score, roc_auc_score

        def wrapped() -> list[object]:
            return [
                bootstrap_ci(y, s, metric, n_resamples=FEW, method="bootstrap_percentile")
                for metric in (roc_auc_score, average_precision_score)
            ]

        found.append(Contestant("confidenceinterval", wrapped, REPLICATES / FEW))
    return found


def bootstrap_rows(quick: bool) -> Work:
    y, s, data = binormal(20_000 if quick else 1_000_000)
    return Work(
        f"{shown(s.size)} rows, {REPLICATES} replicates of AUC + AP (`bootstrap`)",
        f"{data}, int64 labels",
        [Contestant("ranktally", _ours(y, s))],
        (Goal(None, most=8.0),),
        rounds=3,
    )


def bootstrap_models(quick: bool) -> Work:
    """Paired over models: the draws are shared, and each model's scan comes on top."""
    rows = 2000 if quick else 100_000
    y, s, data = binormal(rows)
    noise = np.random.default_rng(0).normal(size=(MODELS, rows)).astype(np.float32)
    scores = {f"model_{k}": s + noise[k] for k in range(MODELS)}
    alone = f"one model alone, times {MODELS}"
    return Work(
        f"{shown(rows)} rows x {MODELS} models, {REPLICATES} paired replicates (`bootstrap`)",
        f"{data}, int64 labels",
        [
            Contestant("ranktally", _ours(y, scores)),
            Contestant(alone, _ours(y, scores["model_0"]), MODELS, peer=False),
        ],
        (Goal(alone, most=3.0),),
        rounds=5,
    )


def bootstrap_rare(quick: bool) -> Work:
    """Cost grows with the distinct positive scores: a tenth of the rows with as many takes as long.

    Ordering the rows is once a call and does grow with them.
    """
    rows = 200_000 if quick else 10_000_000
    rng = np.random.default_rng(0)

    def made(n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
        y = np.zeros(n, np.int8)
        y[rng.choice(n, round(n * share), replace=False)] = 1
        return y, (rng.normal(size=n) + y).astype(np.float32)

    fewer = "a tenth of the rows, as many positives"
    return Work(
        f"{shown(rows)} rows of which {RARE:.1%} are positive, {REPLICATES} replicates of AUC + AP "
        "(`bootstrap`)",
        f"n = {shown(rows)}, float32, prevalence {RARE}, int8 labels",
        [
            Contestant("ranktally", _ours(*made(rows, RARE))),
            Contestant(fewer, _ours(*made(rows // 10, RARE * 10)), peer=False),
        ],
        (Goal(None, most=8.0),),
        rounds=3,
    )
