"""Differences by the normal law: DeLong's for areas under the ROC curve, and the jackknife's."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ._compare_question import TOO_FEW_CLUSTERS, Finding, Question
from ._delong import delong_panel
from ._delong_result import DeLong
from ._jackknife import jackknife_panel
from ._jackknife_result import Jackknife
from ._types import Floats

__all__ = ["by_delong", "by_jackknife"]

NAN = math.nan

# -- DeLong ----------------------------------------------------------------------------------------


def by_delong(question: Question) -> list[list[Finding]]:
    """Findings of each pair, in the order of the requests."""
    areas = [
        delong_panel(panel, level=question.level, loops=question.loops, threads=question.threads)
        for panel in question.panels
    ]
    few = question.few()
    rows = []
    for i, j in question.pairs:
        model, base = question.panel.names[i], question.panel.names[j]
        both = areas[0]
        if question.other is not None:
            both, model, base = _side_by_side(areas[1], areas[0], i), "other", "data"
        gap = both.difference(model, base)
        values = [float(both.auc[both.models.index(name)]) for name in (model, base)]
        note = ", ".join([*few, "clipped"] if gap.clipped else few)
        row = []
        for request in question.requests:
            # The Gini coefficient is 2 AUC - 1.
            scale, shift = (2.0, 1.0) if request.metric.name == "gini" else (1.0, 0.0)
            ends = scale * gap.low, scale * gap.high
            shown = scale * values[0] - shift, scale * values[1] - shift
            kind = _named("DeLong plain", gap.low)
            row.append(Finding(*shown, *ends, kind, gap.p, gap.status, note))
        rows.append(row)
    return rows


def _side_by_side(there: DeLong, here: DeLong, model: int) -> DeLong:
    """One model on two data sets, as two models whose areas are independent."""
    sides = (there, here)
    variance = np.asarray([x.covariance[model, model] for x in sides])
    return replace(
        there,
        models=("other", "data"),
        auc=np.asarray([x.auc[model] for x in sides]),
        covariance=np.diag(variance),
        difference_variance=_apart(variance),
        n_pos=min(x.n_pos for x in sides),
        n_neg=min(x.n_neg for x in sides),
        n_missing=(0, 0),
    )


def _apart(variance: Floats) -> Floats:
    """Variances of the differences of two independent numbers."""
    total = variance.sum()
    return np.asarray([[0.0, total], [total, 0.0]])


def _named(interval: str, low: float) -> str:
    """What an interval is, or nothing where there is none."""
    return "" if math.isnan(low) else interval


# -- jackknife -------------------------------------------------------------------------------------


def by_jackknife(question: Question) -> list[list[Finding]]:
    """Findings of each pair, in the order of the requests."""
    done = [
        jackknife_panel(
            panel,
            question.requests,
            question.cuts,
            level=question.level,
            loops=question.loops,
            threads=question.threads,
        )
        for panel in question.panels
    ]
    few, clustered = question.few(), question.panel.cluster is not None
    why = question.why_unknown()
    rows = []
    for i, j in question.pairs:
        model, base = question.panel.names[i], question.panel.names[j]
        both = done[0]
        if question.other is not None:
            both, model, base = _jackknives_side_by_side(done[1], done[0], i), "other", "data"
        places = [both.models.index(name) for name in (model, base)]
        row = []
        for k, request in enumerate(question.requests):
            gap = both.difference(model, base, request.label, threshold=question.cut(request))
            values = float(both.estimate[places[0], k]), float(both.estimate[places[1], k])
            note = ", ".join([*few, "clipped"] if gap.clipped else few)
            kind = _named("jackknife" + " cluster" * clustered + " plain", gap.low)
            p, status = gap.p, gap.status
            if status in ("ok", "zero_variance") and why[request.label] == TOO_FEW_CLUSTERS:
                p, status = NAN, TOO_FEW_CLUSTERS
            row.append(Finding(*values, gap.low, gap.high, kind, p, status, note))
        rows.append(row)
    return rows


def _jackknives_side_by_side(there: Jackknife, here: Jackknife, model: int) -> Jackknife:
    sides = (there, here)
    variance = np.asarray([x.covariance[:, model, model] for x in sides]).T
    return replace(
        there,
        models=("other", "data"),
        estimate=np.asarray([x.estimate[model] for x in sides]),
        covariance=np.asarray([np.diag(x) for x in variance]),
        difference_variance=np.asarray([_apart(x) for x in variance]),
        baseline=np.asarray([x.baseline[model] for x in sides]),
        n_pos=min(x.n_pos for x in sides),
        n_neg=min(x.n_neg for x in sides),
        totals=tuple(x.totals[model] for x in sides),
        _status=tuple(x._status[model] for x in sides),
    )
