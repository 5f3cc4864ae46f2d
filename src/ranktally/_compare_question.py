"""What `compare` is asked: metrics, methods, pairs and rows; and what it finds of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np

from ._contributions import is_smooth
from ._panel import Panel
from ._permutation import reads_values
from ._requests import Request, read_metrics
from ._rows import near
from ._types import AnyArray
from ._units import Units
from ._validate import read_thresholds
from .errors import InputError

__all__ = [
    "DRAWING",
    "TOO_FEW_CLUSTERS",
    "Finding",
    "Question",
    "read_pairs",
    "read_question",
]

DRAWING = ("bootstrap", "permutation")
DELONG = ("roc_auc", "gini")
FEW = 50
LEAST_CLUSTERS = 10
# Distances and maxima of counts, which chance makes larger the fewer rows there are.
BIASED = ("ks", "ece", "mce")
TOO_FEW_CLUSTERS = "too_few_clusters"


@dataclass(frozen=True)
class Finding:
    """One metric of one model against its baseline."""

    value: float
    baseline_value: float
    low: float
    high: float
    interval: str
    p: float
    status: str
    note: str

    @property
    def difference(self) -> float:
        return self.value - self.baseline_value


@dataclass(frozen=True)
class Question:
    """What is compared, and how.

    Attributes
    ----------
    panel : Panel
        Holds the baselines.
    other : Panel or None
        The second data set, whose models are compared with their own namesakes in `panel`; None
        where models of `panel` are compared with each other.
    pairs : sequence of (int, int)
        Places of a model and its baseline.
    requests : sequence of Request
    cuts : ndarray
        The threshold, or nothing.
    """

    panel: Panel
    other: Panel | None
    pairs: Sequence[tuple[int, int]]
    requests: Sequence[Request]
    cuts: AnyArray
    level: float
    n_resamples: int
    seed: int
    loops: ModuleType
    threads: int
    progress: Callable[[int, int], object] | None

    def cut(self, request: Request) -> float | None:
        """Threshold of a metric; None where it takes none."""
        return self.cuts[0].item() if request.metric.needs == "counts" else None

    @property
    def panels(self) -> list[Panel]:
        return [self.panel] if self.other is None else [self.panel, self.other]

    def few(self) -> list[str]:
        """Say what a data set has few of: rows of a class, or clusters."""
        labels = [panel.samples[0].label for panel in self.panels]
        counts = {
            "few_positives": min(int(np.count_nonzero(label)) for label in labels),
            "few_negatives": min(int(np.count_nonzero(label == 0)) for label in labels),
            "few_clusters": min(FEW if p.cluster is None else p.n_clusters for p in self.panels),
        }
        return [name for name, count in counts.items() if count < FEW]

    def why_unknown(self) -> dict[str, str]:
        """Say by metric why rows cannot tell how it varies, whatever the scores; "ok" if they can.

        A single row, or cluster, of a class that the metric needs tells nothing; less than ten
        clusters tell too little for a verdict.
        """
        panels = self.panels
        units = [Units.of(panel, panel.samples[0].label) for panel in panels]
        few = any(p.cluster is not None and p.n_clusters < LEAST_CLUSTERS for p in panels)
        found = {}
        for request in self.requests:
            reasons = [x.too_few(request.metric.undefined) for x in units]
            reasons += [TOO_FEW_CLUSTERS] * few
            found[request.label] = next((x for x in reasons if x != "ok"), "ok")
        return found


# -- arguments -------------------------------------------------------------------------------------


def read_question(
    metric: Any, at: Any, method: str, *, clustered: bool, paired: bool, missing: str
) -> tuple[list[Request], AnyArray, list[str]]:
    """Read what is compared: the metrics, the threshold or nothing, and the method of each metric.

    Raises
    ------
    InputError
        For a metric that is unknown, or does not fit the method or the threshold.
    """
    cuts = _read_cut(at)
    requests = _read_requests(metric, cuts)
    choose = partial(_choose_method, method, clustered=clustered, paired=paired)
    methods = [choose(request) for request in requests]
    if missing == "worst":
        for request, chosen in zip(requests, methods, strict=True):
            _check_worst(request, chosen)
    return requests, cuts, methods


def _read_cut(at: Any) -> AnyArray:
    if at is None:
        return np.empty(0)
    cuts = np.atleast_1d(read_thresholds(at, "at"))
    if cuts.shape != (1,):
        raise InputError(f"`at` must be one number, got {at!r}")
    return cuts


def _read_requests(metric: Any, cuts: AnyArray) -> list[Request]:
    if metric is None:
        raise InputError("`metric` must be a name, a callable or a list of them, got None")
    given = list(metric) if isinstance(metric, tuple) else metric
    requests = read_metrics(given, has_thresholds=cuts.size > 0, argument="metric")
    held: dict[tuple[str, object], str] = {}
    for request in requests:
        key = request.metric.name, request.label if request.is_callers else request.arguments
        same = held.setdefault(key, request.label)
        if same != request.label:
            raise InputError(
                f"`metric` {request.label!r} is {same!r} by another name, and would be adjusted "
                f"for twice: leave one out"
            )
    if cuts.size and not any(request.metric.needs == "counts" for request in requests):
        raise InputError(
            f"`at` is a threshold, and `metric` {requests[0].label!r} takes none: leave it out"
        )
    return requests


def _choose_method(method: str, request: Request, *, clustered: bool, paired: bool) -> str:
    """Settle the method of a metric, or say why the one asked for cannot be."""
    fits = request.metric.name in DELONG and not request.is_callers
    if not paired and request.metric.name in BIASED:
        raise InputError(
            f"`metric` {request.label!r} is larger in fewer rows, whatever the model: on two data "
            f"sets a difference would speak of their sizes. Compare models on one data set"
        )
    if method == "auto":
        return "delong" if fits and not clustered else "bootstrap"
    if method == "delong" and not fits:
        raise InputError(
            f'`method` "delong" is for roc_auc and gini, got {request.label!r}: pass '
            f'method="bootstrap"'
        )
    if method == "delong" and clustered:
        raise InputError(
            '`method` "delong" takes rows for independent, but `cluster` is given: pass '
            'method="bootstrap" or method="jackknife"'
        )
    if method == "jackknife" and not is_smooth(request):
        raise InputError(
            f'`method` "jackknife" is for metrics that are smooth in the rows\' weights, and '
            f'{request.label!r} is not: pass method="bootstrap"'
        )
    if method == "permutation" and not paired:
        raise InputError(
            '`method` "permutation" swaps two models of one row, and `other` has other rows: pass '
            'method="bootstrap"'
        )
    if method == "permutation" and reads_values(request):
        raise InputError(
            f'`method` "permutation" swaps ranks, and {request.label!r} reads the scores '
            f'themselves: pass method="bootstrap"'
        )
    return method


def _check_worst(request: Request, method: str) -> None:
    """Refuse swaps of ranks with one that no threshold reaches, but for areas under the ROC."""
    swaps = method == "permutation" and request.metric.needs != "counts"
    if swaps and request.metric.name not in DELONG:
        raise InputError(
            f'`missing` "worst" ranks scores last that no threshold selects, and '
            f'method="permutation" of {request.label!r} cannot swap such a rank: pass '
            f'missing="omit" or method="bootstrap"'
        )


def read_pairs(models: Sequence[str], baseline: object, *, paired: bool) -> list[tuple[int, int]]:
    """Places of each model and its baseline."""
    if not paired:
        if baseline is not None:
            raise InputError(
                "`baseline` is for models on the same rows: on two data sets each model is "
                "compared with itself"
            )
        return [(k, k) for k in range(len(models))]
    if baseline is not None and baseline not in models:
        raise InputError(
            f"`baseline` {baseline!r} is not among `scores`: add it to `scores`"
            f"{near(baseline, models)}"
        )
    if len(models) < 2:
        raise InputError(
            f"`scores` holds one model, {models[0]!r}: a comparison needs two of them, or a second "
            f"data set"
        )
    if baseline is None:
        return [(j, i) for i, j in combinations(range(len(models)), 2)]
    place = models.index(str(baseline))
    return [(k, place) for k in range(len(models)) if k != place]
