"""What coverage is measured on: models of known quality, and rows drawn from their law.

Scores of negatives are N(0, 1), those of positives N(mu, 1). Labels are Bernoulli, so that class
counts vary from sample to sample, as they do when rows are what is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from data_gen import _binormal

__all__ = ["CUT", "DIFFERENCE", "MODELS", "Cell", "truths"]

# ROC AUC of each model. The first two are correlated: within a class, 0.7.
MODELS: Mapping[str, float] = MappingProxyType({"a": 0.80, "b": 0.77, "c": 0.95})
CORRELATION = 0.7
DIFFERENCE = ("a", "b")
CUT = 1.0
SEED = 20_240_613


@dataclass(frozen=True)
class Cell:
    """A sample size and a prevalence."""

    n: int
    prevalence: float

    @property
    def expected_positives(self) -> float:
        return self.n * self.prevalence

    def sample(self, k: int) -> tuple[np.ndarray, dict[str, np.ndarray], int]:
        """Labels and scores of the k-th sample of this cell, and a seed for its bootstrap."""
        place = (self.n, round(1e6 * self.prevalence), k)
        sequence = np.random.SeedSequence(SEED, spawn_key=place)
        rng = np.random.default_rng(sequence)
        label = (rng.random(self.n) < self.prevalence).astype(np.uint8)
        noise = {name: rng.normal(size=self.n) for name in MODELS}
        a, b = DIFFERENCE
        noise[b] = CORRELATION * noise[a] + math.sqrt(1 - CORRELATION**2) * noise[b]
        scores = {name: noise[name] + _binormal.shift(auc) * label for name, auc in MODELS.items()}
        return label, scores, int(rng.integers(1 << 32))


def truths(prevalence: float) -> dict[tuple[str, str], float]:
    """Population values of each metric and model; those of a pair are under "a - b".

    ROC AUC is given, ks and the measures at the threshold follow from the normal distribution
    function, and average precision is the integral of precision over recall (what it tends to
    with many rows), by a trapezoid rule that is exact to 1e-12 for these smooth integrands.
    """
    found: dict[tuple[str, str], float] = {}
    for name, auc in MODELS.items():
        law = _binormal.truth(auc, prevalence)
        recall = _binormal.cdf(law["mu"] - CUT)
        found_pos = prevalence * recall
        predicted = found_pos + (1 - prevalence) * _binormal.cdf(-CUT)
        found["roc_auc", name] = auc
        found["average_precision", name] = law["average_precision"]
        found["ks", name] = law["ks"]
        found["recall", name] = recall
        found["precision", name] = found_pos / predicted
        found["f1", name] = 2 * found_pos / (prevalence + predicted)
    a, b = DIFFERENCE
    for metric in ("roc_auc", "average_precision"):
        found[metric, f"{a} - {b}"] = found[metric, a] - found[metric, b]
    return found
