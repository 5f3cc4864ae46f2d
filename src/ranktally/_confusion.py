"""The four counts at one threshold or many, and everything that follows from them alone."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Self

import numpy as np

from ._metric_table import ALIASES
from ._rates import MEASURES, cost_of, fbeta_of
from ._requests import Request, measured, read_measure
from ._validate import check_flag
from .errors import InputError

__all__ = ["Confusion", "read_share"]

COUNTS = ("tp", "fp", "tn", "fn")
SIZES = ("n", "n_pos", "n_neg", "n_predicted")


@dataclass(frozen=True, eq=False)
class Confusion:
    """The four counts at one threshold or at many, and every measure of them as an attribute.

    Attributes
    ----------
    threshold : float or ndarray
        As asked for; a row is positive when its score is at least this. nan where counts came
        without one.
    tp, fp, tn, fn : int, float or ndarray
        Counts (weight sums with weights).
    n, n_pos, n_neg, n_predicted : int, float or ndarray
        All rows, those of each class, and those predicted positive.
    precision, recall, specificity, fpr, npv, accuracy, f1, mcc, ... : float or ndarray
        The measures in ``ranktally.METRICS`` that are made of the four counts, also under their
        other names (``tpr``, ``sensitivity``, ``ppv``, ``csi``, ...); nan where undefined.

    Examples
    --------
    >>> import ranktally as rt
    >>> point = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).at(0.35)
    >>> point.recall, point.sensitivity, point.fpr
    (1.0, 1.0, 0.5)
    """

    threshold: Any
    tp: Any
    fp: Any
    tn: Any
    fn: Any

    @classmethod
    def from_counts(cls, tp: Any, fp: Any, tn: Any, fn: Any, threshold: Any = math.nan) -> Self:
        """Confusion matrix of counts that are known already.

        Parameters
        ----------
        tp, fp, tn, fn : number or array-like
            Finite and at least 0; arrays of one shape.
        threshold : float or array-like, optional

        Raises
        ------
        InputError
            For a negative count, or one that is no number.

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.Confusion.from_counts(tp=8, fp=2, tn=86, fn=4).precision
        0.8
        """
        counts = [_read_count(name, x) for name, x in zip(COUNTS, (tp, fp, tn, fn), strict=True)]
        return cls(threshold, *_joined(counts, COUNTS))

    @classmethod
    def from_totals(cls, n: Any, positives: Any, predicted: Any, tp: Any) -> Self:
        """Confusion matrix from totals: rows, actual positives, predicted positives and hits.

        Parameters
        ----------
        n, positives, predicted, tp : number or array-like
            Rows, positive rows, rows predicted positive, and positive rows predicted so.

        Raises
        ------
        InputError
            If the totals contradict each other.

        Examples
        --------
        >>> import ranktally as rt
        >>> c = rt.Confusion.from_totals(n=40, positives=6, predicted=10, tp=4)
        >>> c.fp, c.fn, c.tn
        (6, 2, 28)
        """
        names = ("n", "positives", "predicted", "tp")
        given = [
            _read_count(x, v) for x, v in zip(names, (n, positives, predicted, tp), strict=True)
        ]
        n, positives, predicted, tp = _joined(given, names)
        fp, fn = predicted - tp, positives - tp
        tn = n - positives - fp
        for cell, rule in (
            (fn, "`tp` must not exceed `positives`"),
            (fp, "`tp` must not exceed `predicted`"),
            (tn, "`predicted` - `tp` must not exceed `n` - `positives`"),
        ):
            if np.any(cell < 0):
                place = np.unravel_index(np.argmin(cell), np.shape(cell))
                values = (np.asarray(x)[place].item() for x in (n, positives, predicted, tp))
                told = ", ".join(f"{x}={v}" for x, v in zip(names, values, strict=True))
                raise InputError(f"totals contradict each other: {rule}, got {told}")
        return cls(math.nan, tp, fp, tn, fn)

    @property
    def n(self) -> Any:
        """All rows."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def n_pos(self) -> Any:
        """Positive rows."""
        return self.tp + self.fn

    @property
    def n_neg(self) -> Any:
        """Negative rows."""
        return self.fp + self.tn

    @property
    def n_predicted(self) -> Any:
        """Rows predicted positive."""
        return self.tp + self.fp

    def __getattr__(self, name: str) -> Any:
        measure = MEASURES.get(ALIASES.get(name, name))
        if measure is None:
            raise AttributeError(_no_measure(type(self).__name__, name))
        return _plain(measure(self.tp, self.fp, self.tn, self.fn))

    def __dir__(self) -> list[str]:
        aliases = (alias for alias, name in ALIASES.items() if name in MEASURES)
        return sorted({*super().__dir__(), *MEASURES, *aliases})

    def fbeta(self, beta: float) -> Any:
        """F-beta: recall counts `beta` times as much as precision."""
        return _plain(fbeta_of(beta)(self.tp, self.fp, self.tn, self.fn))

    def apply(self, measure: Any) -> Any:
        """Value of a measure that is written as text, or of a function of the counts.

        Parameters
        ----------
        measure : str or callable(tp, fp, tn, fn)
            A name or call such as ``"fbeta(2)"``, or a function that takes the four counts
            (arrays, when there are many thresholds) and returns as many numbers.

        Raises
        ------
        InputError
            For an unknown name, one that is no measure of the four counts, or a function that
            fails or returns another shape.

        Examples
        --------
        >>> import ranktally as rt
        >>> points = rt.tally([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.35]).at([0.35, 0.4])
        >>> points.apply(lambda tp, fp, tn, fn: 10 * tp - 3 * fp)
        array([17., 10.])
        """
        request: Request = read_measure(measure, "measure")
        return _plain(measured(request, (self.tp, self.fp, self.tn, self.fn), "measure"))

    def matrix(self, labels: Sequence[Any] = (0, 1)) -> Any:
        """Counts as a square: rows are the true classes, columns the predicted ones.

        Parameters
        ----------
        labels : sequence of 0 and 1
            Order of the classes: (0, 1) gives ``[[tn, fp], [fn, tp]]``, (1, 0) puts the positive
            class first.

        Returns
        -------
        ndarray, shape (2, 2) or (k, 2, 2)

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.Confusion.from_counts(tp=8, fp=2, tn=86, fn=4).matrix().tolist()
        [[86, 2], [4, 8]]
        """
        order = np.asarray(labels, dtype=object).tolist()
        if not isinstance(order, list) or order not in ([0, 1], [1, 0]):
            raise InputError(f"`labels` must be (0, 1) or (1, 0), got {labels!r}")
        cells = np.stack([np.asarray(x) for x in (self.tn, self.fp, self.fn, self.tp)], axis=-1)
        square = cells.reshape((*cells.shape[:-1], 2, 2))
        return square if order == [0, 1] else square[..., ::-1, ::-1].copy()

    def cost(
        self,
        cost_fp: float,
        cost_fn: float,
        benefit_tp: float = 0,
        cost_alert: float = 0,
        *,
        per_row: bool = False,
    ) -> Any:
        """Total cost: ``cost_fp fp + cost_fn fn + cost_alert (tp + fp) - benefit_tp tp``.

        Parameters
        ----------
        cost_fp, cost_fn, benefit_tp, cost_alert : float
            Finite and at least 0: of a false positive, of a false negative, gained by a true
            positive, of every row predicted positive.
        per_row : bool
            True divides by the number of rows.

        Examples
        --------
        >>> import ranktally as rt
        >>> rt.Confusion.from_counts(tp=8, fp=2, tn=86, fn=4).cost(cost_fp=1, cost_fn=10)
        42.0
        """
        check_flag("per_row", per_row)
        measure = cost_of(cost_fp, cost_fn, benefit_tp, cost_alert)
        total = measure(self.tp, self.fp, self.tn, self.fn)
        if per_row:
            with np.errstate(invalid="ignore"):
                total = total / np.asarray(self.n, np.float64)
        return _plain(total)

    def at_prevalence(self, prevalence: float) -> Confusion:
        """The same rule in a population with another share of positives.

        Recall and the false positive rate stay; precision, accuracy, F1 and all others follow
        from them by Bayes' rule. The positives keep their counts, the negatives are reweighted.

        Parameters
        ----------
        prevalence : float
            In [0, 1]. At 0 no positives are left, at 1 no negatives.

        Returns
        -------
        Confusion
            With float counts; nan where a class is missing here, whose rate nobody knows.

        Examples
        --------
        >>> import ranktally as rt
        >>> c = rt.Confusion.from_counts(tp=9, fp=5, tn=95, fn=1)
        >>> round(c.precision, 3), round(c.at_prevalence(0.5).precision, 3)
        (0.643, 0.947)
        """
        share = read_share("prevalence", prevalence)
        pos, neg = np.asarray(self.n_pos, np.float64), np.asarray(self.n_neg, np.float64)
        known = np.where((pos > 0) & (neg > 0), 1.0, np.nan)
        if share == 0:
            keep, factor = 0.0 * known, known
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                factor = (1 - share) / share * (pos / neg) * known
            keep = known
        counts = (self.tp * keep, self.fp * factor, self.tn * factor, self.fn * keep)
        return Confusion(self.threshold, *map(_plain, counts))

    def to_dict(self) -> dict[str, Any]:
        """Threshold, counts and all measures by name."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**own, **{name: getattr(self, name) for name in MEASURES}}


def _plain(value: Any) -> Any:
    """0-d results as Python numbers."""
    return float(value) if np.ndim(value) == 0 else value


def _no_measure(owner: str, name: str) -> str:
    near = difflib.get_close_matches(name, [*MEASURES, *ALIASES, *COUNTS, *SIZES], n=3)
    hint = f": did you mean {' or '.join(near)}?" if near else ""
    return f"{owner!r} has no measure {name!r}{hint}"


def _read_count(name: str, value: Any) -> Any:
    """One count or an array of them."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise InputError(f"`{name}` must be a count or an array of them, got {value!r}")
    wrong = ~np.isfinite(array) | (array < 0)
    if wrong.any():
        first = array[np.unravel_index(np.argmax(wrong), array.shape)]
        raise InputError(f"`{name}` must be finite and at least 0, got {first.item()!r}")
    if array.dtype.kind != "f":
        array = array.astype(np.int64)  # differences of unsigned counts would wrap around
    return array.item() if array.ndim == 0 else array


def _joined(counts: list[Any], names: Sequence[str]) -> list[Any]:
    shapes = {np.shape(x) for x in counts}
    if len(shapes) > 1:
        told = ", ".join(f"`{x}` {np.shape(c)}" for x, c in zip(names, counts, strict=True))
        raise InputError(f"counts must have one shape, got {told}")
    return counts


def read_share(name: str, value: Any) -> float:
    """A number in [0, 1]."""
    if isinstance(value, Fraction):
        value = float(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise InputError(f"`{name}` must be a number from 0 to 1, got {value!r}")
    if not 0 <= value <= 1:
        raise InputError(f"`{name}` must lie in [0, 1], got {value!r}")
    return float(value)
