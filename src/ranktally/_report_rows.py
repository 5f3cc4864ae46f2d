"""What a classification report holds: rows, text and dict from the counts of each class."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ._cells import Coded, text_of
from ._confusion import Confusion
from ._rates import f1, precision, recall
from ._rows import Rows
from ._types import AnyArray
from ._wording import printable
from .errors import InputError

__all__ = ["Report"]

MEASURES = {"precision": precision, "recall": recall, "f1": f1}
WHY = {
    "precision": "class never predicted",
    "recall": "no rows of the class",
    "f1": "no rows of the class, none predicted",
}
HEADS = ("precision", "recall", "f1-score", "support")
NAMES = 13
CELL = 10


@dataclass(frozen=True)
class _Line:
    """One row of the report; `values` are precision, recall and F1, nan where undefined."""

    name: str
    average: str | None
    threshold: float
    values: tuple[float, ...]
    support: float
    baseline: float
    note: str = ""


@dataclass(frozen=True, eq=False)
class Report:
    """Precision, recall, F1 and support of each class at chosen cuts, with averages.

    Attributes
    ----------
    classes : tuple
        The classes, in the order of the rows.
    counts : Confusion
        Counts of each class against the rest, arrays of shape (k,), with every measure of them
        as an attribute; ``counts.threshold`` are the cuts (nan for hard decisions).
    single_label : bool
        Whether every row has one class and gets one: the report then has an accuracy row, else a
        micro average.
    n_rows : int
        Rows, each counted once whatever its classes.
    n_missing : int
        Scores that were missing, and hence no positive decision.
    classes_per_row : dict of int to int
        How many rows were given so many classes.
    zero_division : float
        What stands for 0/0.
    baselines : dict
        What no skill gives: ``accuracy`` of always naming the most frequent class,
        ``balanced_accuracy`` of any constant answer, and ``precision`` by class, its prevalence.
    rows : Rows
        Tidy rows: ``class``, ``average`` (null for classes), ``threshold``, ``precision``,
        ``recall``, ``f1``, ``support``, ``baseline`` (of precision; in the accuracy row, whose
        value stands under ``f1``, of accuracy) and ``note`` (what was 0/0 and why).

    Notes
    -----
    ``str()`` prints two decimals, rounded half to even as floats are; undefined cells read
    "undefined". The Arrow C stream protocol gives `rows`.
    """

    classes: tuple[Any, ...]
    counts: Confusion
    single_label: bool
    n_rows: int
    n_missing: int
    classes_per_row: Mapping[int, int]
    zero_division: float
    total: float

    # -- rows ------------------------------------------------------------------------------------

    @cached_property
    def _lines(self) -> tuple[list[_Line], list[_Line]]:
        c = self.counts
        cells = {name: np.asarray(m(c.tp, c.fp, c.tn, c.fn)) for name, m in MEASURES.items()}
        shown = {name: np.where(np.isnan(x), self.zero_division, x) for name, x in cells.items()}
        support = np.asarray(c.n_pos)
        prevalence = self._prevalence.tolist()
        classes = []
        for k, name in enumerate(self.classes):
            empty = [m for m in MEASURES if math.isnan(cells[m][k])]
            classes.append(
                _Line(
                    text_of(name),
                    None,
                    float(c.threshold[k]),
                    tuple(float(shown[m][k]) for m in MEASURES),
                    support[k].item(),
                    prevalence[k],
                    "; ".join(f"{m} 0/0: {WHY[m]}" for m in empty),
                )
            )
        averages = [self._accuracy() if self.single_label else self._micro()]
        averages += [self._mean("macro", shown, None), self._mean("weighted", shown, support)]
        return classes, averages

    def _accuracy(self) -> _Line:
        value = self.accuracy
        return _Line(
            "accuracy", "accuracy", math.nan, (math.nan, math.nan, value), self.total,
            self.baselines["accuracy"],
        )  # fmt: skip

    def _micro(self) -> _Line:
        """Pool the counts of the classes first, then divide once."""
        pooled = [np.sum(x) for x in (self.counts.tp, self.counts.fp, self.counts.tn)]
        cells = (*pooled, np.sum(self.counts.fn))
        values = [float(m(*cells)) for m in MEASURES.values()]
        empty = [name for name, x in zip(MEASURES, values, strict=True) if math.isnan(x)]
        total = math.fsum(np.ravel(sum(cells)))
        support = np.sum(self.counts.n_pos).item()
        return _Line(
            "micro avg",
            "micro",
            math.nan,
            tuple(self.zero_division if math.isnan(x) else x for x in values),
            support,
            support / total if total else math.nan,
            "; ".join(f"{name} 0/0" for name in empty),
        )

    def _mean(self, kind: str, cells: Mapping[str, AnyArray], weights: AnyArray | None) -> _Line:
        values, notes = [], []
        prevalence = self._prevalence
        share = np.ones(len(self.classes)) if weights is None else np.asarray(weights, np.float64)
        for name, column in cells.items():
            known = ~np.isnan(column)
            total = math.fsum(share[known])
            mean = math.fsum(share[known] * column[known]) / total if total else math.nan
            values.append(self.zero_division if math.isnan(mean) else mean)
            if not known.all():
                notes.append(f"{name} over {np.count_nonzero(known)}/{known.size} classes")
        total = math.fsum(share)
        base = math.fsum(share * prevalence) / total if total else math.nan
        support = np.sum(self.counts.n_pos).item()
        return _Line(f"{kind} avg", kind, math.nan, tuple(values), support, base, "; ".join(notes))

    @property
    def accuracy(self) -> float:
        """Share of rows (weight) with the right class; nan where rows may have several or none."""
        if not self.single_label or not self.total:
            return math.nan
        return float(np.sum(self.counts.tp) / self.total)

    @property
    def _prevalence(self) -> AnyArray:
        support = np.asarray(self.counts.n_pos, np.float64)
        return support / self.total if self.total else np.full(support.size, np.nan)

    @property
    def baselines(self) -> dict[str, Any]:
        """Values without skill; see the class."""
        share = self._prevalence
        prevalence = dict(zip(map(text_of, self.classes), share.tolist(), strict=True))
        if not self.single_label:
            return {"precision": prevalence}
        present = int(np.count_nonzero(share))
        return {
            "accuracy": float(share.max()),
            "balanced_accuracy": 1 / present if present else math.nan,
            "precision": prevalence,
        }

    @cached_property
    def rows(self) -> Rows:
        """The tidy rows; see the class."""
        classes, averages = self._lines
        lines = [*classes, *averages]
        values = np.asarray([line.values for line in lines], np.float64)
        return Rows(
            {
                "class": _text([line.name for line in lines]),
                "average": _text([line.average for line in lines]),
                "threshold": np.asarray([line.threshold for line in lines], np.float64),
                **{name: values[:, k] for k, name in enumerate(MEASURES)},
                "support": np.asarray([line.support for line in lines]),
                "baseline": np.asarray([line.baseline for line in lines], np.float64),
                "note": _text([line.note for line in lines]),
            }
        )

    # -- forms -----------------------------------------------------------------------------------

    def to_text(self, digits: int = 2) -> str:
        """Return the printed report.

        Parameters
        ----------
        digits : int
            Decimals, from 0 to 15.
        """
        if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 15:
            raise InputError(f"`digits` must be a whole number from 0 to 15, got {digits!r}")
        classes, averages = self._lines
        names = [printable(line.name) for line in (*classes, *averages)]
        width = max(NAMES, *map(len, names))
        cell = max(CELL, digits + 4)

        def cells(line: _Line) -> str:
            numbers = [_number(x, digits) for x in line.values]
            if line.average == "accuracy":
                numbers[:2] = ["", ""]
            return "".join(x.rjust(cell) for x in [*numbers, _support(line.support)])

        head = " " * width + "".join(x.rjust(cell) for x in HEADS)
        body = [
            name.rjust(width) + cells(line)
            for name, line in zip(names, (*classes, *averages), strict=True)
        ]
        body.insert(len(classes), "")
        return "\n".join(["", head, "", *body, ""])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Report({len(self.classes)} classes, {self.n_rows:,} rows)"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of dicts: precision, recall, f1 and support by row; accuracy is a number.

        Examples
        --------
        >>> import ranktally as rt
        >>> report = rt.classification_report(label=[0, 1, 1], scores=[0.2, 0.9, 0.4], at=0.5)
        >>> report.to_dict()["positive"]["recall"], round(report.to_dict()["accuracy"], 4)
        (0.5, 0.6667)
        """
        classes, averages = self._lines
        report: dict[str, Any] = {}
        for line in (*classes, *averages):
            named = dict(zip(MEASURES, line.values, strict=True))
            report[line.name] = {**named, "support": line.support}
        if self.single_label:
            report["accuracy"] = self.accuracy
        return report

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`; nan becomes null."""
        return self.rows.to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the rows to any library that speaks the Arrow C stream protocol."""
        return self.rows.__arrow_c_stream__(requested_schema)


def _text(values: Sequence[str | None]) -> Coded:
    names = tuple(dict.fromkeys(x for x in values if x))
    places = {name: place for place, name in enumerate(names)}
    return Coded(np.asarray([places[x] if x else -1 for x in values], np.int32), names)


def _number(value: float, digits: int) -> str:
    return "undefined" if math.isnan(value) else f"{value:.{digits}f}"


def _support(value: float) -> str:
    """Counts as they are, weights to two decimals unless they are whole."""
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}"
