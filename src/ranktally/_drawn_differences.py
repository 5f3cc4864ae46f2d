"""Differences from replicates: the bootstrap's, and those of permuted ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from ._bootstrap import choose_scheme
from ._bootstrap_result import Bootstrap
from ._compare_question import TOO_FEW_CLUSTERS, Finding, Question
from ._counts import areas_of_counts, tally_counts
from ._cuts import counts_at
from ._intervals import read_interval
from ._panel import Panel
from ._permutation import permutation_tests
from ._rates import STATUSES, why_undefined
from ._requests import Request, measured
from ._resample import resample
from ._types import Floats
from ._validate import Sample

__all__ = ["by_bootstrap", "by_permutation"]

NAN = math.nan
METHOD = "percentile"
OTHER_STREAM = 1 << 63
# Value and status of each metric of a model.
Plain: TypeAlias = list[tuple[float, str]]


def by_bootstrap(question: Question) -> list[list[Finding]]:
    """Findings of each pair, in the order of the requests."""
    plain = [_plain(question, panel) for panel in question.panels]
    drawn = _defined(question, plain[-1], plain[0])
    found = _resampled(question, drawn) if drawn else []
    unknown = question.why_unknown()
    rows = []
    for i, j in question.pairs:
        row = []
        for k, request in enumerate(question.requests):
            (value, first), (base, second) = plain[-1][i][k], plain[0][j][k]
            why = second if first == "ok" else first
            finding = Finding(value, base, NAN, NAN, "", NAN, why, "")
            if why == "ok":
                slot = drawn.index(request)
                sides = found[-1].replicates[:, i, slot], found[0].replicates[:, j, slot]
                why = unknown[request.label]
                finding = _judged(question, finding, request, sides, why, found[0].scheme)
            row.append(finding)
        rows.append(row)
    return rows


def _resampled(question: Question, requests: Sequence[Request]) -> list[Bootstrap]:
    """Replicates of each data set."""
    found = []
    panels = question.panels
    for number, panel in enumerate(panels):
        told = question.progress
        if told is not None:
            told = partial(_tell, told, number, len(panels))
        found.append(
            resample(
                panel,
                requests,
                question.cuts,
                scheme=choose_scheme("auto", clustered=panel.cluster is not None),
                method=METHOD,
                n_resamples=question.n_resamples,
                level=question.level,
                # Data sets are drawn independently: the second has a key of its own.
                seed=question.seed ^ (OTHER_STREAM * number),
                plan="auto",
                loops=question.loops,
                threads=question.threads,
                progress=told,
            )
        )
    return found


def _tell(
    progress: Callable[[int, int], object], number: int, passes: int, done: int, total: int
) -> None:
    progress(number * total + done, passes * total)


def _judged(
    question: Question,
    finding: Finding,
    request: Request,
    sides: Sequence[Floats],
    why: str,
    scheme: str,
) -> Finding:
    """Add the interval and p-value of a difference, as far as replicates can tell them."""
    # Infinite on both sides, a difference is unknown, and leaving it out would be a choice.
    if any((np.isinf(sides[0]) & np.isinf(sides[1])).tolist()):
        why = "infinite"
    with np.errstate(invalid="ignore"):
        gaps = np.subtract(*sides)
    least, most = request.metric.range
    found = read_interval(
        finding.difference,
        gaps,
        # An interval of few clusters stays, and a verdict does not.
        "ok" if why == TOO_FEW_CLUSTERS else why,
        (least - most, most - least),
        method=METHOD,
        level=question.level,
        scheme=scheme,
        contribution=None,
        notes=question.few(),
        scale=max(abs(finding.value), abs(finding.baseline_value)),
        paired=True,
    )
    p, status = NAN if found.p is None else found.p, found.status
    if why == TOO_FEW_CLUSTERS and status in ("ok", "zero_variance"):
        p, status = NAN, why
    return replace(
        finding,
        low=found.low,
        high=found.high,
        interval="" if math.isnan(found.low) else f"bootstrap {scheme} {METHOD}",
        p=p,
        status=status,
        note=found.note,
    )


# -- permutation -----------------------------------------------------------------------------------


def by_permutation(question: Question) -> list[list[Finding]]:
    """Findings of each pair, in the order of the requests; without intervals."""
    plain = _plain(question, question.panel)
    drawn = _defined(question, plain, plain)
    tests = permutation_tests(
        question.panel,
        question.pairs,
        drawn,
        question.cuts,
        n_resamples=question.n_resamples,
        seed=question.seed,
        loops=question.loops,
        threads=question.threads,
        progress=question.progress,
    )
    rows = []
    for (i, j), row in zip(question.pairs, tests, strict=True):
        findings = []
        for k, request in enumerate(question.requests):
            (value, first), (base, second) = plain[i][k], plain[j][k]
            status, p, notes = second if first == "ok" else first, NAN, question.few()
            if status == "ok":
                test = row[drawn.index(request)]
                p, lost = test.p, test.n_undefined
                if lost:
                    notes = [*notes, f"{lost} of {question.n_resamples} replicates undefined"]
                if math.isnan(p):
                    status = "infinite"
            findings.append(Finding(value, base, NAN, NAN, "", p, status, ", ".join(notes)))
        rows.append(findings)
    return rows


# -- the rows themselves ---------------------------------------------------------------------------


def _defined(question: Question, there: Sequence[Plain], here: Sequence[Plain]) -> list[Request]:
    """Metrics that are defined on both sides of a pair: of others there is nothing to draw."""
    return [
        request
        for k, request in enumerate(question.requests)
        if any(there[i][k][1] == here[j][k][1] == "ok" for i, j in question.pairs)
    ]


def _plain(question: Question, panel: Panel) -> list[Plain]:
    """Values of each model, and why they are undefined."""
    return [_estimates(question, sample) for sample in panel.samples]


def _estimates(question: Question, sample: Sample) -> Plain:
    counts = tally_counts(sample, question.loops, question.threads)
    areas = areas_of_counts(counts, question.loops)
    rows = tuple(np.asarray([x]) for x in (0, 0, counts.n_neg, counts.n_pos))
    found = []
    for request in question.requests:
        metric, used = request.metric, rows
        if metric.needs == "counts":
            cut = counts_at(counts, question.cuts, complete=True)
            used = tuple(np.asarray(x) for x in (cut.tp, cut.fp, cut.tn, cut.fn))
            value = measured(request, used, "metric")  # type: ignore[arg-type]
        else:
            value = np.asarray([request.function(areas if metric.needs == "areas" else counts)])
        status = STATUSES[int(why_undefined(value, metric.undefined, *used)[0])]
        found.append((float(value[0]), status))
    return found
