"""Choosing on one data set and measuring on another; the best rows themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from ._at_k import TopK, read_size, top_row
from ._cuts import counts_at
from ._labels import read_labels
from ._operating import BestTies, OperatingPoint, best_point, judged_point, unreachable
from ._tally import Tally
from ._tallying import same_index, tally
from ._types import AnyArray, Ints, Missing
from ._validate import Sample, check_choice, make_sample, read_scores, row_number
from .errors import InputError

__all__ = ["Selection", "select_threshold", "top_k"]

RowTies: TypeAlias = Literal["stable", "optimistic", "pessimistic"]


@dataclass(frozen=True, eq=False)
class Selection:
    """A threshold chosen on one data set and measured on another.

    Attributes
    ----------
    metric : str
        What was optimised.
    where : str or None
        The constraint that the choice had to meet on the validation data.
    ties : str
        Which of several equally good thresholds was kept.
    threshold : int or float
        The choice; nan when unreachable.
    validation, test : OperatingPoint
        The same threshold on both data sets.
    status : str
        "ok", or "unreachable" when no threshold meets the constraint on the validation data.
    holds_on_test : bool or None
        Whether the constraint holds on the test data too; None without a constraint, or when it
        is undefined there.
    selected_on_same_data : bool
        True when both data sets turned out to be the same.
    note : str
        What to know about the result, in plain words.
    """

    metric: str
    where: str | None
    ties: str
    threshold: int | float
    validation: OperatingPoint
    test: OperatingPoint
    status: str
    holds_on_test: bool | None
    selected_on_same_data: bool
    note: str


def select_threshold(
    validation: Any,
    test: Any,
    *,
    metric: Any,
    where: str | None = None,
    ties: BestTies = "lowest",
    direction: Literal["up", "down"] | None = None,
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Missing = "raise",
) -> Selection:
    """Choose a threshold on validation data, freeze it, and measure it on test data.

    Parameters
    ----------
    validation, test : Tally, or tuple (y_true, y_score) or (y_true, y_score, sample_weight)
        Two disjoint sets of rows.
    metric : str or callable(tp, fp, tn, fn)
        What to optimise; see `Tally.best`.
    where : str, optional
        What the choice must meet on the validation data, such as ``"recall >= 0.95"``.
    ties, direction
        See `Tally.best`.
    pos_label, higher_is_better, missing
        How tuples are read; see `ranktally.tally`.

    Returns
    -------
    Selection
        With both rows. When the constraint held on validation and fails on test, `holds_on_test`
        is False and `note` says so: a target that was met once is no guarantee.

    Raises
    ------
    InputError
        As `ranktally.tally` and `Tally.best` do.

    Examples
    --------
    >>> import ranktally as rt
    >>> chosen = rt.select_threshold(
    ...     ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]),
    ...     ([1, 0, 1, 0], [0.9, 0.5, 0.4, 0.3]),
    ...     metric="precision",
    ...     where="recall >= 0.9",
    ... )
    >>> chosen.threshold, chosen.validation.recall, chosen.test.recall, chosen.holds_on_test
    (0.7, 1.0, 0.5, False)
    """
    options: dict[str, Any] = {
        "pos_label": pos_label,
        "higher_is_better": higher_is_better,
        "missing": missing,
    }
    first = _read_side("validation", validation, options)
    second = _read_side("test", test, options)
    chosen = best_point(first.counts, metric, where, ties, direction)
    same = first is second or _same(first, second)
    asked: dict[str, Any] = {
        "metric": chosen.metric,
        "where": chosen.where,
        "ties": ties,
        "selected_on_same_data": same,
    }
    holds: bool | None = None
    if chosen.status == "ok":
        cut = counts_at(second.counts, chosen.threshold, complete=second.complete)
        row, holds = judged_point(cut, metric, where, asked)
    else:
        row = unreachable(chosen.note, asked)
    return Selection(
        chosen.metric,
        chosen.where,
        ties,
        chosen.threshold,
        chosen,
        row,
        chosen.status,
        holds,
        same,
        _told(chosen, row, holds, same),
    )


def _read_side(name: str, side: Any, options: dict[str, Any]) -> Tally:
    if isinstance(side, Tally):
        return side
    if not isinstance(side, tuple) or len(side) not in (2, 3):
        raise InputError(
            f"`{name}` must be a Tally or a tuple (y_true, y_score[, sample_weight]), got "
            f"{type(side).__name__}"
        )
    try:
        return tally(*side, **options)
    except InputError as error:
        raise type(error)(f"`{name}`: {error}") from None


def _same(a: Tally, b: Tally) -> bool:
    """Whether two tallies count the same rows, as far as counts can tell."""
    return (a.n_pos, a.n_neg) == (b.n_pos, b.n_neg) and all(
        np.array_equal(getattr(a, x), getattr(b, x)) for x in ("threshold", "tp", "fp")
    )


def _told(chosen: OperatingPoint, row: OperatingPoint, holds: bool | None, same: bool) -> str:
    if chosen.status != "ok":
        return f"validation: {chosen.note}"
    notes = []
    if same:
        notes.append("validation and test are the same rows: the result is optimistic")
    if holds is False:
        notes.append(f"{chosen.where} held on validation and fails on test")
    elif chosen.where is not None and holds is None:
        notes.append(f"{chosen.where} is undefined on test")
    if row.status != "ok":
        notes.append(f"{chosen.metric} is undefined on test: {row.status}")
    return "; ".join(notes)


def top_k(
    y_true: Any,
    y_score: Any,
    k: int,
    ties: RowTies = "stable",
    *,
    pos_label: object = None,
    higher_is_better: bool = True,
    missing: Missing = "raise",
) -> TopK:
    """The k best-scored rows, and what they hold.

    Parameters
    ----------
    y_true, y_score : array-like, shape (n,)
        As for `ranktally.tally`.
    k : int
        Rows to select; beyond n, all are.
    ties : {"stable", "optimistic", "pessimistic"}
        Order of rows with equal scores: as they came, positives first, positives last.
    pos_label, higher_is_better, missing
        As for `ranktally.tally`. With ``missing="worst"`` rows without a score come last.

    Returns
    -------
    TopK
        With `rows`: row numbers of the input, from the highest score down.

    Raises
    ------
    InputError
        If the rows cannot be used, or k is below 1.

    Notes
    -----
    O(n + k log k). For the mean over random orders of a tie see `Tally.top`.

    Examples
    --------
    >>> import ranktally as rt
    >>> found = rt.top_k([1, 1, 0, 1, 0], [0.9, 0.4, 0.7, 0.4, 0.4], k=3)
    >>> found.rows.tolist(), found.tp, found.threshold
    ([0, 2, 1], 2, 0.4)
    """
    check_choice("missing", missing, ("raise", "omit", "worst"))
    if isinstance(ties, str) and ties in ("expected", "threshold"):
        raise InputError(
            f'`ties` "{ties}" is for Tally.top, which selects no rows; here it must be "stable", '
            f'"optimistic" or "pessimistic"'
        )
    check_choice("ties", ties, ("stable", "optimistic", "pessimistic"))
    size = read_size(k, None)
    sample = _read_rows(y_true, y_score, pos_label, higher_is_better, missing)
    value, scored = _values(sample)
    order = _order_rows(value, scored, sample.label, min(int(k), sample.n), ties)
    tp = int(np.count_nonzero(sample.label[order]))
    unscored = int(np.count_nonzero(~scored[order]))
    n_pos = int(np.count_nonzero(sample.label))
    rows = order if sample.kept is None else sample.kept[order]
    rows.setflags(write=False)
    return top_row(
        size.of(Fraction(sample.n)),
        ties,
        (Fraction(tp), Fraction(order.size - tp)),
        (Fraction(n_pos), Fraction(sample.n - n_pos)),
        math.nan if unscored or not order.size else value[order[-1]].item(),
        whole=True,
        unscored=Fraction(unscored),
        rows=rows,
    )


def _read_rows(
    y_true: Any, y_score: Any, pos_label: object, higher_is_better: bool, missing: Missing
) -> Sample:
    same_index({"y_true": y_true, "y_score": y_score})
    labels = read_labels(y_true, pos_label, "`y_true`", row_number)
    scores = read_scores(y_score, "`y_score`", row_number, higher_is_better=higher_is_better)
    n, m = labels.value.size, scores.bits.size
    if n != m:
        raise InputError(f"`y_true` has {n} rows and `y_score` {m}: they must agree")
    if n == 0:
        raise InputError("`y_true` and `y_score` have no rows: there is nothing to select")
    return make_sample(
        labels, scores, None, missing=missing, label_name="`y_true`", score_name="`y_score`",
        locate=row_number,
    )  # fmt: skip


def _values(sample: Sample) -> tuple[AnyArray, AnyArray]:
    """Scores in their own dtype, and which rows have one."""
    value = sample.codec.decode(sample.bits)
    if not sample.has_missing:
        return value, np.ones(sample.n, bool)
    if value.dtype.kind == "f":
        return value, ~np.isnan(value)
    return value, sample.bits != sample.codec.lowest


def _order_rows(value: AnyArray, scored: AnyArray, label: AnyArray, k: int, ties: str) -> Ints:
    """The first `k` rows by falling score; rows without a score, all equal, come last."""
    have = np.flatnonzero(scored)
    if k < have.size:
        found = value[have]
        last = np.partition(found, found.size - k)[found.size - k]
        above, tied = have[found > last], have[found == last]
        chosen = np.concatenate([above, _settled(tied, label, ties)[: k - above.size]])
        rest = np.empty(0, np.int64)
    else:
        chosen = have
        rest = _settled(np.flatnonzero(~scored), label, ties)[: k - have.size]
    chosen = _settled(np.sort(chosen), label, ties)
    # A stable ascending sort of the rows from behind leaves ties in order when it is read back.
    falling = np.argsort(value[chosen][::-1] + value.dtype.type(0), kind="stable")[::-1]
    return np.concatenate([chosen[::-1][falling], rest]).astype(np.int64, copy=False)


def _settled(rows: AnyArray, label: AnyArray, ties: str) -> AnyArray:
    """Rows of one score in the order that `ties` asks for."""
    if ties == "stable":
        return rows
    first = label[rows] == (1 if ties == "optimistic" else 0)
    return np.concatenate([rows[first], rows[~first]])
