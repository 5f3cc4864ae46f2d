"""Samples from the law, every interval of each, and whether it holds the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import ranktally as rt
from ranktally._binomial import clopper_pearson, jeffreys, wilson

from .coverage_population import CUT, DIFFERENCE, Cell, truths

__all__ = ["AT_CUT", "LEVELS", "METRICS", "Sums", "simulate"]

LEVELS = (0.95, 0.90)
AT_CUT = ("recall", "precision", "f1")
METRICS = ("roc_auc", "average_precision", "ks", *AT_CUT)
SMOOTH = tuple(metric for metric in METRICS if metric != "ks")
PAIRED = ("roc_auc", "average_precision")
METHODS = ("percentile", "basic", "normal", "bca")
BINOMIAL = {"Wilson": wilson, "Jeffreys": jeffreys, "Clopper-Pearson": clopper_pearson}
# The pair is judged by its difference, and the model with the larger area on its own too.
ALONE = (DIFFERENCE[0], "c")
PAIR = " - ".join(DIFFERENCE)

Found = tuple[str, str, str, list[tuple[float, float, float]]]


@dataclass
class Sums:
    """What is counted and summed over samples, for one kind of interval of one number."""

    samples: int = 0
    defined: int = 0
    zero_width: int = 0
    below_95: int = 0
    above_95: int = 0
    width_95: float = 0.0
    below_90: int = 0
    above_90: int = 0
    width_90: float = 0.0
    error: float = 0.0
    squared_error: float = 0.0

    def add(self, ends: list[tuple[float, float, float]], truth: float) -> None:
        """Count (low, estimate, high) at each level: the truth is inside, below or above."""
        self.samples += 1
        (low, estimate, high), (low_90, _, high_90) = ends
        if not (low == low and high == high and low_90 == low_90 and high_90 == high_90):
            return
        self.defined += 1
        self.zero_width += low == high
        self.below_95 += truth < low
        self.above_95 += truth > high
        self.width_95 += high - low
        self.below_90 += truth < low_90
        self.above_90 += truth > high_90
        self.width_90 += high_90 - low_90
        self.error += estimate - truth
        self.squared_error += (estimate - truth) ** 2

    def join(self, other: Sums) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def simulate(
    cell: Cell, scheme: str, first: int, stop: int, n_resamples: int
) -> dict[tuple[str, str, str], Sums]:
    """Samples `first` to `stop` of a cell: sums under (metric, model, interval)."""
    truth = truths(cell.prevalence)
    out: dict[tuple[str, str, str], Sums] = {}
    for k in range(first, stop):
        label, scores, seed = cell.sample(k)
        if scheme == "multinomial":
            found = _all_intervals(label, scores, seed, n_resamples)
        else:
            call = {"scheme": scheme, "n_resamples": n_resamples, "seed": seed}
            only = {ALONE[0]: scores[ALONE[0]]}
            found = _bootstrap(label, only, ("percentile",), f"{scheme} ", call)
        for metric, model, interval, ends in found:
            out.setdefault((metric, model, interval), Sums()).add(ends, truth[metric, model])
    return out


def _all_intervals(
    label: np.ndarray, scores: dict[str, np.ndarray], seed: int, n_resamples: int
) -> Iterator[Found]:
    call = {"method": "bca", "n_resamples": n_resamples, "seed": seed}
    yield from _bootstrap(label, scores, METHODS, "", call)
    yield from _delong(label, scores)
    yield from _jackknife(label, scores)
    yield from _binomial(label, scores)


def _ends(intervals: list[Any]) -> list[tuple[float, float, float]]:
    return [(x.low, x.estimate, x.high) for x in intervals]


def _bootstrap(
    label: np.ndarray,
    scores: dict[str, np.ndarray],
    methods: tuple[str, ...],
    prefix: str,
    call: dict[str, Any],
) -> Iterator[Found]:
    result = rt.bootstrap(
        label=label, scores=scores, metrics=METRICS, at=CUT, threads=1, engine="numba", **call
    )
    for method in methods:
        name = prefix + method
        for model in ALONE:
            if model not in scores:
                continue
            for metric in METRICS:
                both = [result.interval(model, metric, method=method, level=x) for x in LEVELS]
                yield metric, model, name, _ends(both)
        if set(DIFFERENCE) <= set(scores):
            for metric in PAIRED:
                both = [
                    result.difference(*DIFFERENCE, metric, method=method, level=x) for x in LEVELS
                ]
                yield metric, PAIR, name, _ends(both)


def _delong(label: np.ndarray, scores: dict[str, np.ndarray]) -> Iterator[Found]:
    first = rt.delong(label=label, scores=scores, threads=1, engine="numba")
    results = [replace(first, level=level) for level in LEVELS]
    for model in ALONE:
        for kind, name in (("plain", "DeLong"), ("logit", "DeLong logit")):
            yield "roc_auc", model, name, _ends([x.interval(model, kind) for x in results])
    yield "roc_auc", PAIR, "DeLong", _ends([x.difference(*DIFFERENCE) for x in results])


def _jackknife(label: np.ndarray, scores: dict[str, np.ndarray]) -> Iterator[Found]:
    first = rt.jackknife(
        label=label, scores=scores, metrics=SMOOTH, at=CUT, threads=1, engine="numba"
    )
    results = [replace(first, level=level) for level in LEVELS]
    for kind, name in (("plain", "jackknife"), ("logit", "jackknife logit")):
        for model in ALONE:
            for metric in SMOOTH:
                both = [result.interval(model, metric, kind=kind) for result in results]
                yield metric, model, name, _ends(both)
    for metric in PAIRED:
        both = [result.difference(*DIFFERENCE, metric) for result in results]
        yield metric, PAIR, "jackknife", _ends(both)


def _binomial(label: np.ndarray, scores: dict[str, np.ndarray]) -> Iterator[Found]:
    """Intervals of shares of counts: recall of the positives, precision of the predicted."""
    for model in ALONE:
        predicted = scores[model] >= CUT
        tp = int(np.count_nonzero(predicted & (label == 1)))
        trials = {"recall": int(label.sum()), "precision": int(predicted.sum())}
        for metric, total in trials.items():
            share = tp / total if total else np.nan
            for name, interval in BINOMIAL.items():
                pairs = [interval(tp, total, level) for level in LEVELS]
                yield metric, model, name, [(float(a), share, float(b)) for a, b in pairs]
