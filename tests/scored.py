"""One small data set with groups, clusters and weights, and how results of it are compared."""

from __future__ import annotations

import numpy as np

import ranktally as rt

N = 240
RNG = np.random.default_rng(11)
Y = (RNG.random(N) < 0.35).astype(int)
A, B = np.round(RNG.normal(size=N) + Y, 1), np.round(RNG.normal(size=N) + 0.8 * Y, 2)
G = RNG.choice(["north", "south", "west"], N)
H = RNG.integers(0, 2, N)
CLUSTER = RNG.integers(0, 40, N).astype(str)
WEIGHTS = {
    "whole": RNG.integers(0, 4, N),
    "real": RNG.random(N) * RNG.choice([0.0, 1.0, 1.0], N),
}
SCORES = {"a": A, "b": B}
CUTS = [0.5, -0.3, 99.0]
METRICS = ["roc_auc", "average_precision", "ks", "gini", "precision", "f1", "recall_at_fpr(0.2)"]
NUMBERS = ("value", "low", "high", "baseline", "n", "n_pos", "n_neg")
SMALL = {"n_resamples": 30, "seed": 5}


def gaps(scores: dict[str, np.ndarray], seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {k: np.where(rng.random(N) < 0.1, np.nan, s) for k, s in scores.items()}


def records(rows: rt.Rows | list[dict], **where: object) -> list[dict]:
    found = rows if isinstance(rows, list) else rows.to_dict()
    return [r for r in found if all(r[k] == v for k, v in where.items())]


def numbers(rows: list[dict], *names: str) -> list[tuple]:
    """What must be equal; statuses of values and of intervals differ in words."""
    return [tuple(row[k] for k in names or NUMBERS) for row in rows]


def at_rows(call: dict, mask: np.ndarray) -> dict:
    """The same call on some of the rows."""
    cut = {k: call[k][mask] for k in ("label", "weight", "cluster") if call.get(k) is not None}
    return {**call, **cut, "scores": {k: s[mask] for k, s in call["scores"].items()}}
