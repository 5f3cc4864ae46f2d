"""What each row contributes to a metric, for every metric that is smooth in the rows' weights.

Areas have closed forms (`_influence`), losses are means over rows, and a metric of the four counts
at a threshold answers to a row by its cell alone: by the derivative in one of the counts.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np

from ._counts import tally_counts
from ._cuts import counts_at
from ._influence import influence, leave_one_out
from ._requests import Request, measured
from ._types import AnyArray, Bytes, Floats
from ._validate import Sample

__all__ = [
    "CellCounts",
    "bca_values",
    "cell_counts",
    "cell_derivatives",
    "cell_influence",
    "is_smooth",
    "row_influence",
    "score_influence",
]

AREAS = ("roc_auc", "average_precision")
LOSSES = ("brier", "log_loss")
OF_SCORES = (*AREAS, "gini", "average_precision_at_prevalence", *LOSSES)

# Counts move by this share of themselves, once and twice up and down: the five-point rule then
# loses as much to its fourth-order remainder as to rounding, each some 5e-13 of the metric.
STEP = 2.0**-11
# Values within so many units of the last place are one value with its rounding: no slope.
SAME = 8 * np.finfo(np.float64).eps

CellCounts = tuple[AnyArray, AnyArray, AnyArray, AnyArray]


def is_smooth(request: Request) -> bool:
    """Whether a metric has a derivative in the rows' weights that is known here.

    Callers' own functions of the counts are taken for smooth.
    """
    return request.metric.needs == "counts" or request.metric.name in OF_SCORES


def row_influence(
    sample: Sample, request: Request, cuts: AnyArray, loops: ModuleType, threads: int = 1
) -> Floats | None:
    """Derivative of a metric in each row's weight, times the weight.

    Parameters
    ----------
    sample : Sample
    request : Request
    cuts : ndarray, shape (c,)
        Thresholds, for metrics of the four counts.

    Returns
    -------
    ndarray of float64, shape (n, slots), or None
        A column for each threshold, or a single one; rows in the sample's order; nan where the
        metric is undefined or infinite. None for a metric that is not smooth.

    Notes
    -----
    Of every metric of METRICS the values sum to 0, since none answers to the scale of the weights,
    and their squares to the infinitesimal-jackknife variance. A caller's own function, ``tp - fp``
    say, may answer to it: there the variance is that of the values about their mean.

    Closed forms hold to rounding. Derivatives in the counts come from five-point differences, to
    about ``1e-12 * |metric|`` relative to the count.
    """
    if not is_smooth(request):
        return None
    if request.metric.needs != "counts":
        return score_influence(sample, request, loops, threads)[:, None]
    slopes = cell_derivatives(request, cell_counts(sample, cuts, loops, threads))
    return _of_cells(sample, cuts, slopes)


def bca_values(
    sample: Sample, request: Request, cuts: AnyArray, loops: ModuleType, threads: int = 1
) -> Floats | None:
    """What each row contributes, as the acceleration of BCa takes it: minus the metric without it.

    Without weights exact, from the row left out; with weights, and for
    average_precision_at_prevalence, the influence values. A positive factor and a constant are
    free, and so a mean over rows has the same of both.

    Parameters and shape as of `row_influence`; nan where the metric is undefined without the row.
    """
    if sample.weight is None and request.metric.needs == "counts":
        without = _cells_without(request, cell_counts(sample, cuts, loops, threads))
        return _of_cells(sample, cuts, -without)
    if sample.weight is None and request.metric.name in AREAS:
        return -leave_one_out(sample, request.metric.name, loops, threads).value[:, None]
    if sample.weight is None and request.metric.name == "gini":
        return 1.0 - 2.0 * leave_one_out(sample, "roc_auc", loops, threads).value[:, None]
    return row_influence(sample, request, cuts, loops, threads)


def score_influence(
    sample: Sample, request: Request, loops: ModuleType, threads: int = 1
) -> Floats:
    """Influence values of a smooth metric that takes no threshold: shape (n,)."""
    name = request.metric.name
    if name in LOSSES:
        return _loss_influence(sample, name)
    if name == "average_precision_at_prevalence":
        return _shifted_influence(
            sample, float(dict(request.arguments)["prevalence"]), loops, threads
        )
    if name == "gini":
        return 2.0 * influence(sample, "roc_auc", loops, threads).value
    return influence(sample, name, loops, threads).value


def _loss_influence(sample: Sample, name: str) -> Floats:
    """Deviation of each row's loss from the mean, times its share of the weight."""
    p = sample.codec.decode(sample.bits).astype(np.float64)
    if not p.size or not (p.min() >= 0.0 and p.max() <= 1.0):
        return np.full(sample.n, np.nan)
    positive = sample.label == 1
    if name == "brier":
        loss = np.where(positive, 1.0 - p, p) ** 2
    else:
        kind = sample.codec.dtype
        clip = float(np.finfo(kind if kind.kind == "f" else np.float64).eps)
        np.clip(p, clip, 1.0 - clip, out=p)
        loss = -np.where(positive, np.log(p), np.log1p(-p))
    share = np.full(sample.n, 1.0 / sample.n)
    if sample.weight is not None:
        share = sample.weight / np.sum(sample.weight)
    return np.asarray(share * (loss - np.sum(share * loss)))


def _shifted_influence(
    sample: Sample, prevalence: float, loops: ModuleType, threads: int
) -> Floats:
    """Average precision of classes that weigh as wanted, whatever their rows weigh together.

    A row's weight moves its class's rows only against each other: the influence is that of the
    reweighted rows, less what falls to the row's class as a whole.
    """
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    positive = sample.label == 1
    sides = ((positive, prevalence), (~positive, 1.0 - prevalence))
    totals = [float(np.sum(weight[side])) for side, _ in sides]
    if not all(totals):
        return np.full(sample.n, np.nan)
    moved = np.empty(sample.n)
    for (side, share), total in zip(sides, totals, strict=True):
        moved[side] = weight[side] * (share / total)
    found = influence(replace(sample, weight=moved, count=None), AREAS[1], loops, threads).value
    for (side, _), total in zip(sides, totals, strict=True):
        found[side] -= weight[side] * (float(np.sum(found[side])) / total)
    return found


def cell_counts(sample: Sample, cuts: AnyArray, loops: ModuleType, threads: int = 1) -> CellCounts:
    """Counts (tp, fp, tn, fn) at each threshold, each of shape (c,)."""
    found = counts_at(tally_counts(sample, loops, threads), cuts, complete=True)
    return found.tp, found.fp, found.tn, found.fn


def cell_derivatives(request: Request, counts: CellCounts) -> Floats:
    """Derivative of a metric of counts in each of tp, fp, tn and fn: shape (4, c).

    nan where the metric is undefined or infinite nearby, and for a count of 0: no row is there.
    """
    real = np.asarray(counts, np.float64)
    moves = np.asarray([2.0, 1.0, -1.0, -2.0])
    # A power of two, so that whole counts are moved without rounding; no count goes below 0.
    step = np.where(real > 0.0, np.ldexp(STEP, np.frexp(real)[1] - 1), 0.0)
    moved = np.repeat(np.repeat(real[:, None, None, :], 4, axis=1), 4, axis=2)
    for cell in range(4):
        moved[cell, cell] += moves[:, None] * step[cell]
    values = measured(request, tuple(moved))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        up, down = 8.0 * (values[:, 1] - values[:, 2]), values[:, 0] - values[:, 3]
        slope = (up - down) / (12.0 * step)
        spread = values.max(axis=1) - values.min(axis=1)
        flat = spread <= SAME * np.abs(values).max(axis=1)
    slope[flat & np.isfinite(spread)] = 0.0
    slope[(real == 0.0) | ~np.isfinite(slope)] = np.nan
    return np.asarray(slope)


def _cells_without(request: Request, counts: CellCounts) -> Floats:
    """The metric without one row of each cell, exactly: shape (4, c); nan for an empty cell."""
    whole = np.asarray(counts)
    less = np.repeat(whole[:, None, :], 4, axis=1)
    there = whole > 0
    for cell in range(4):
        less[cell, cell] -= there[cell]
    return np.where(there, measured(request, tuple(less)), np.nan)


def cell_influence(sample: Sample, cut: AnyArray, value: Floats) -> Floats:
    """Give each row the value of its cell at one threshold, times its weight: shape (n,).

    Parameters
    ----------
    cut : ndarray, shape (1,)
    value : ndarray of float64, shape (4,)
        Of the cells tp, fp, tn and fn.
    """
    found = value[FROM_CODE][_cell_codes(sample, cut)]
    if sample.weight is not None:
        found *= sample.weight
    return found


# Cells in the order of their codes, twice "selected" and once "positive": tn, fn, fp, tp.
FROM_CODE = [2, 3, 1, 0]


def _cell_codes(sample: Sample, cut: AnyArray) -> Bytes:
    codec = sample.codec
    if codec.flip:
        # As floats, -0.0 is 0.0, and a missing score, a nan, is never selected.
        kind = np.dtype(np.float32 if codec.width == 4 else np.float64)
        with np.errstate(over="ignore"):
            start = cut.astype(codec.dtype).astype(kind)
        selected = sample.bits.view(kind) >= start
    else:
        keys, reachable = codec.cut_keys(cut, has_missing=sample.has_missing)
        selected = (sample.bits >= keys) & reachable
    codes = selected.view(np.uint8)
    codes <<= 1
    codes |= sample.label
    return codes


def _of_cells(sample: Sample, cuts: AnyArray, value: Floats) -> Floats:
    """Values of the rows' cells at each threshold: shape (n, c), each column in one piece."""
    out = np.empty((cuts.size, sample.n))
    for k in range(cuts.size):
        out[k] = cell_influence(sample, cuts[k : k + 1], value[:, k])
    return out.T
