"""Operating points that a tally finds: the best threshold for a measure, the cheapest one.

Searches walk the distinct scores in blocks, so that they need little room beside the tally.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from ._confusion import Confusion
from ._counts import Counts
from ._rates import STATUSES, cost_of, read_costs, why_undefined
from ._requests import Request, measured, read_measure
from ._types import AnyArray
from ._validate import check_choice
from ._where import Cells, Constraint, read_where
from .errors import InputError

__all__ = [
    "BestTies",
    "OperatingPoint",
    "best_cost",
    "best_point",
    "cost_threshold",
    "judged_point",
    "unreachable",
]

BestTies: TypeAlias = Literal["lowest", "highest"]
Direction: TypeAlias = Literal["up", "down"]

BLOCK = 1 << 13
"""Thresholds of one block: their counts and a few measures of them stay in the cache."""

ROUNDING = 8 * np.finfo(np.float64).eps
"""Values this close, relative to the best one, may differ by rounding alone and are tied."""

OPTIMISTIC = (
    "chosen on the rows it is measured on, which flatters it: select_threshold measures on others"
)


@dataclass(frozen=True, eq=False)
class OperatingPoint(Confusion):
    """One threshold, what it was chosen for, and its counts and measures as a `Confusion`.

    Attributes
    ----------
    threshold : int or float
        A score of the tally; ``inf`` where flagging nothing costs least; nan when unreachable.
    tp, fp, tn, fn : int or float
        nan when unreachable.
    metric : str
        What was optimised.
    value : float
        Its value here.
    where : str or None
        The constraint.
    ties : str
        Which of several equally good thresholds is kept.
    status : str
        "ok", "unreachable", or for a threshold that was chosen elsewhere why `value` is undefined.
    selected_on_same_data : bool
        Whether the threshold was chosen on the rows that it is measured on.
    note : str
        The same in plain words.
    """

    metric: str = ""
    value: float = math.nan
    where: str | None = None
    ties: str = "lowest"
    status: str = "ok"
    selected_on_same_data: bool = True
    note: str = ""


# --- searches over all thresholds ---------------------------------------------------------------


def _blocks(counts: Counts) -> Iterator[Cells]:
    for start in range(0, counts.threshold.size, BLOCK):
        yield _cells(counts, slice(start, start + BLOCK))


def _cells(counts: Counts, rows: slice) -> Cells:
    tp, fp = counts.tp[rows], counts.fp[rows]
    return tp, fp, counts.n_neg - fp, counts.n_pos - tp


@dataclass
class _Search:
    """The largest value over all thresholds, and how many share it."""

    counts: Counts
    score: Callable[[Cells], AnyArray]
    scale: Callable[[float], float]
    tops: list[float] = field(default_factory=list)

    def run(self) -> float:
        """Best value; nan when none is defined. `fmax` passes over nan."""
        self.tops = [float(np.fmax.reduce(self.score(cells))) for cells in _blocks(self.counts)]
        return float(np.fmax.reduce(self.tops)) if self.tops else math.nan

    def tied(self, best: float, ties: str) -> tuple[int, int]:
        """Index of the lowest or highest threshold that reaches `best`, and how many there are."""
        floor = best if math.isinf(best) else best - ROUNDING * self.scale(best)
        first, last, number = -1, -1, 0
        for k, top in enumerate(self.tops):
            if not top >= floor:
                continue
            start = k * BLOCK
            value = self.score(_cells(self.counts, slice(start, start + BLOCK)))
            found = np.flatnonzero(value >= floor) + start
            first = int(found[0]) if first < 0 else first
            last = int(found[-1])
            number += found.size
        return (last if ties == "lowest" else first), number


def best_point(
    counts: Counts, metric: Any, where: Any, ties: BestTies, direction: Direction | None
) -> OperatingPoint:
    """The threshold with the best value of `metric` among those that satisfy `where`."""
    check_choice("ties", ties, ("lowest", "highest"))
    request, sign = read_goal(metric, direction)
    constraint = None if where is None else read_where(where)
    parts = constraint.parts if constraint else ()
    met, known = np.zeros(len(parts), np.int64), np.zeros(len(parts), np.int64)

    def score(cells: Cells) -> AnyArray:
        value: AnyArray = sign * measured(request, cells, "metric")
        if constraint is None:
            return value
        whole, each = constraint.judge(cells)
        met[:] += [np.count_nonzero(x.yes) for x in each]
        known[:] += [np.count_nonzero(x.yes | x.no) for x in each]
        return np.where(whole.yes, value, np.nan)

    low, high = request.metric.range
    bounded = math.isfinite(low) and math.isfinite(high)
    search = _Search(counts, score, lambda best: max(abs(best), 1.0 if bounded else 0.0))
    best = search.run()
    asked = {
        "metric": request.label,
        "where": constraint.text if constraint else None,
        "ties": ties,
    }
    if math.isnan(best):
        note = _unreachable(counts, request, constraint, met.tolist(), known.tolist())
        return unreachable(note, asked)
    index, number = search.tied(best, ties)
    value = float(measured(request, _cells(counts, slice(index, index + 1)), "metric")[0])
    return _chosen(counts, index, value, _tie_note(number, ties), asked)


def read_goal(metric: Any, direction: Direction | None) -> tuple[Request, float]:
    """What to optimise, and the sign that makes more of it better."""
    request = read_measure(metric, "metric")
    if direction is None:
        direction = "up" if request.is_callers else request.metric.direction
        if direction is None:
            raise InputError(
                f"`metric` {request.label!r} has no better end: pass direction='up' or 'down'"
            )
    check_choice("direction", direction, ("up", "down"))
    return request, 1.0 if direction == "up" else -1.0


def _chosen(
    counts: Counts, index: int, value: float, notes: list[str], asked: dict[str, Any]
) -> OperatingPoint:
    tp, fp, tn, fn = (x[0].item() for x in _cells(counts, slice(index, index + 1)))
    threshold = counts.threshold[index].item()
    note = "; ".join([*notes, OPTIMISTIC])
    return OperatingPoint(threshold, tp, fp, tn, fn, value=value, note=note, **asked)


def _tie_note(number: int, ties: str) -> list[str]:
    return [f"{number:,} thresholds tie, the {ties} is kept"] if number > 1 else []


def unreachable(note: str, asked: dict[str, Any]) -> OperatingPoint:
    """The answer when there is none."""
    nan = math.nan
    return OperatingPoint(nan, nan, nan, nan, nan, status="unreachable", note=note, **asked)


def _unreachable(
    counts: Counts,
    request: Request,
    constraint: Constraint | None,
    met: list[int],
    known: list[int],
) -> str:
    """Why no threshold is the answer."""
    g = counts.threshold.size
    if g == 0:
        return "no row has a score: there is no threshold to choose"
    if counts.n_pos == 0 or counts.n_neg == 0:
        missing = "positives" if counts.n_pos == 0 else "negatives"
        absent = f" (there are no {missing})"
    else:
        absent = ""
    if constraint is None:
        return f"{request.label} is undefined at every threshold{absent}"
    parts = [
        f"{part.text} holds at {yes:,} of {g:,}"
        if defined
        else f"{part.text} is undefined at all{absent}"
        for part, yes, defined in zip(constraint.parts, met, known, strict=True)
    ]
    return f"no threshold satisfies {constraint.text}: {', '.join(parts)}"


def judged_point(
    point: Confusion, metric: Any, where: Any, asked: dict[str, Any]
) -> tuple[OperatingPoint, bool | None]:
    """A threshold that was chosen elsewhere, here, and whether the constraint holds here."""
    request = read_measure(metric, "metric")
    cells = tuple(np.atleast_1d(x) for x in (point.tp, point.fp, point.tn, point.fn))
    value = np.atleast_1d(measured(request, cells, "metric"))  # type: ignore[arg-type]
    status = STATUSES[why_undefined(value, request.metric.undefined, *cells)[0]]
    holds: bool | None = None
    if where is not None:
        truth, _ = read_where(where).judge(cells)  # type: ignore[arg-type]
        holds = True if truth.yes.all() else False if truth.no.all() else None
    row = OperatingPoint(
        point.threshold, point.tp, point.fp, point.tn, point.fn,
        value=float(value[0]), status=status, **asked,
    )  # fmt: skip
    return row, holds


# --- costs --------------------------------------------------------------------------------------


def best_cost(
    counts: Counts, costs: tuple[float, float, float, float], ties: BestTies
) -> OperatingPoint:
    """The cheapest threshold, or flagging nothing."""
    check_choice("ties", ties, ("lowest", "highest"))
    names = ("cost_fp", "cost_fn", "benefit_tp", "cost_alert")
    of_fp, of_fn, gain, alert = read_costs(**dict(zip(names, costs, strict=True)))
    if not any((of_fp, of_fn, gain, alert)):
        raise InputError(
            f"{', '.join(f'`{x}`' for x in names)} are all 0: every cut costs the same"
        )
    spelled = zip(names, (of_fp, of_fn, gain, alert), strict=True)
    asked: dict[str, Any] = {
        "metric": f"cost({', '.join(f'{name}={x:g}' for name, x in spelled if x)})",
        "ties": ties,
    }
    cost = cost_of(*costs)
    # Sums of costs are rounded in units of the largest of them.
    largest = max(of_fp + alert, gain + alert, of_fn) * float(counts.n_pos + counts.n_neg)
    search = _Search(counts, lambda cells: -cost(*cells), lambda best: largest)
    idle = float(cost(0, 0, counts.n_neg, counts.n_pos))
    best = search.run()
    lead = idle + best  # how much dearer flagging nothing is
    slack = ROUNDING * largest
    if math.isnan(lead) or lead < -slack or (ties == "highest" and lead <= slack):
        why = "every threshold costs more" if lead < -slack else "no threshold costs less"
        why = "no row has a score" if math.isnan(lead) else why
        note = f"flag nothing: {why}; {OPTIMISTIC}"
        totals = (0, 0, counts.n_neg, counts.n_pos)
        return OperatingPoint(math.inf, *totals, value=idle, note=note, **asked)
    index, number = search.tied(best, ties)
    value = float(cost(*_cells(counts, slice(index, index + 1)))[0])
    notes = [*_tie_note(number, ties), f"flagging nothing costs {idle:g}"]
    return _chosen(counts, index, value, notes, asked)


def cost_threshold(
    cost_fp: float, cost_fn: float, benefit_tp: float = 0, cost_alert: float = 0
) -> float:
    """Probability from which flagging a row costs no more than letting it pass.

    Parameters
    ----------
    cost_fp, cost_fn : float
        Cost of a false positive and of a false negative.
    benefit_tp, cost_alert : float
        Gained by a true positive; spent on every row that is flagged.

    Returns
    -------
    float
        ``(cost_fp + cost_alert) / (cost_fp + cost_fn + benefit_tp)``: flag where the probability
        is at least this. nan when nothing has a cost; above 1 when flagging never pays.

    Raises
    ------
    InputError
        For a negative or infinite cost.

    Notes
    -----
    Right for calibrated probabilities, whatever the class balance; `Tally.best_cost` looks for
    the cheapest cut of any score instead. Elkan (2001), The foundations of cost-sensitive learning.

    Examples
    --------
    >>> import ranktally as rt
    >>> rt.cost_threshold(cost_fp=1, cost_fn=9)
    0.1
    """
    of_fp, of_fn, gain, alert = read_costs(
        cost_fp=cost_fp, cost_fn=cost_fn, benefit_tp=benefit_tp, cost_alert=cost_alert
    )
    spent, saved = of_fp + alert, of_fp + of_fn + gain
    if saved == 0:
        return math.nan if spent == 0 else math.inf
    return spent / saved
