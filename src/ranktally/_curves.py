"""Curves through the tie groups: arrays with one vertex for each distinct score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ._counts import Counts
from ._reduction import corners, largest_error, most_telling
from ._rows import Rows
from ._types import AnyArray, Floats
from ._vertices import share, whole, with_missing
from .errors import InputError

__all__ = ["Curve", "det_curve", "gain_curve", "lift_curve", "pr_curve", "roc_curve"]


def _precision(tp: AnyArray, fp: AnyArray, n_pos: float, n_neg: float) -> Any:
    with np.errstate(invalid="ignore"):
        return tp / (tp + fp)


def _lift(tp: AnyArray, fp: AnyArray, n_pos: float, n_neg: float) -> Any:
    if n_pos == 0:
        return np.full(tp.size, np.nan)
    return _precision(tp, fp, n_pos, n_neg) / (n_pos / (n_pos + n_neg))


AXES: MappingProxyType[str, Callable[[AnyArray, AnyArray, float, float], Any]] = MappingProxyType(
    {
        "fpr": lambda tp, fp, n_pos, n_neg: share(fp, n_neg),
        "tpr": lambda tp, fp, n_pos, n_neg: share(tp, n_pos),
        "fnr": lambda tp, fp, n_pos, n_neg: share(n_pos - tp, n_pos),
        "recall": lambda tp, fp, n_pos, n_neg: share(tp, n_pos),
        "precision": _precision,
        "predicted_positive_rate": lambda tp, fp, n_pos, n_neg: share(tp + fp, n_pos + n_neg),
        "lift": _lift,
    }
)
"""What an axis shows, as a function of the counts at the vertices and the totals."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve with its thresholds.

    Attributes
    ----------
    x, y : ndarray of float64, shape (k,)
        Coordinates, in order of falling threshold; `x` never falls.
    threshold : ndarray, shape (k,)
        In the score's dtype; float64 for integer scores, or Python integers in an object array
        when they pass 2**53. The vertex before any row is predicted
        positive has ``inf``, the group of missing scores that rank last has nan.
    tp, fp : ndarray of int64 or float64, shape (k,)
        Positive and negative rows (or weight) predicted positive at each vertex.
    n_pos, n_neg : int or float
        All rows (or weight) of each class.
    x_name, y_name : str
        What the axes are, by the names and aliases of ``ranktally.METRICS``.
    max_error : float
        Largest vertical distance from the full curve, 0.0 while nothing but straight runs was
        left out; see `reduce`.
    area_error : float
        Area under this curve less that under the full one.
    """

    x: Floats
    y: Floats
    threshold: AnyArray
    tp: AnyArray
    fp: AnyArray
    n_pos: float
    n_neg: float
    x_name: str
    y_name: str
    max_error: float = 0.0
    area_error: float = 0.0

    def __post_init__(self) -> None:
        for array in (self.x, self.y, self.threshold, self.tp, self.fp):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # unpickled arrays are writable

    def __len__(self) -> int:
        return int(self.x.size)

    def __repr__(self) -> str:
        error = f", max_error={self.max_error:.3g}" if self.max_error else ""
        return f"Curve({len(self)} points, {self.y_name} over {self.x_name}{error})"

    @property
    def n_predicted(self) -> AnyArray:
        """Rows (or weight) predicted positive, shape (k,).

        0 marks the vertex before the first threshold, also when scores are infinite.
        """
        n_predicted = np.asarray(self.tp + self.fp)
        n_predicted.setflags(write=False)
        return n_predicted

    def reduce(self, max_points: int | None = None) -> Curve:
        """Leave vertices out: without loss first, then with a stated error.

        Parameters
        ----------
        max_points : int, optional
            Upper limit of the points, at least 2. None for the lossless step alone.

        Returns
        -------
        Curve
            Its points are a subset of these, both ends among them. `max_error` is 0.0 when only
            points on straight runs went, else at least the largest vertical distance between this
            curve and the reduced one, both joined by straight lines; `area_error` is the reduced
            area less this one.

        Raises
        ------
        InputError
            If `max_points` is no whole number of at least 2.

        Notes
        -----
        The lossless step of a ROC or gain curve drops a vertex where the integer cross product of
        its two steps is 0, so every corner stays. On the other curves it drops the inner points of
        runs that are parallel to an axis, which are straight on any scale; the step sum of
        precision over recall stays the same. The second step is that of Douglas and Peucker (1973),
        Cartographica 10(2), with vertical distances; O(k log max_points). An undefined curve is
        cut to evenly spaced points, its error is nan.

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([0, 0, 0, 1, 1], [1, 2, 3, 4, 5]).roc_curve()
        >>> short = curve.reduce()
        >>> short.x.tolist(), short.y.tolist(), short.threshold.tolist()
        ([0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [inf, 4.0, 1.0])
        >>> curve.reduce(2).max_error > 0.99
        True
        """
        if max_points is not None and (
            isinstance(max_points, bool)
            or not isinstance(max_points, (int, np.integer))
            or max_points < 2
        ):
            raise InputError(
                f"`max_points` must be a whole number of at least 2, got {max_points!r}"
            )
        exact = whole(Counts(self.threshold, self.tp, self.fp, self.n_pos, self.n_neg))
        kept = np.flatnonzero(corners(exact.tp, exact.fp, self.y_name))
        if max_points is None or kept.size <= max_points:
            return self._of(kept, self.max_error, self.area_error)
        x, y = self.x[kept], self.y[kept]
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            even = np.linspace(0, kept.size - 1, max_points).astype(np.int64)
            return self._of(kept[even], np.nan, np.nan)
        chosen = kept[most_telling(x, y, int(max_points))]
        error = self.max_error + largest_error(self.x, self.y, chosen)
        change = _area(self.x[chosen], self.y[chosen]) - _area(self.x, self.y)
        return self._of(chosen, error, self.area_error + change)

    def _of(self, kept: AnyArray, max_error: float, area_error: float) -> Curve:
        arrays = {name: getattr(self, name)[kept] for name in ("x", "y", "threshold", "tp", "fp")}
        return replace(self, **arrays, max_error=max_error, area_error=area_error)

    def interpolate(self, x: Any) -> Any:
        """Heights of the curve over any `x`, such as a grid that several curves share.

        Parameters
        ----------
        x : float or array-like
            Numbers from 0 to 1.

        Returns
        -------
        float or ndarray of float64
            Over a vertical step its better end: the upper one, for `fnr` the lower one. Between
            two thresholds the counts are interpolated linearly, as if the tie group came in random
            order: straight on a ROC curve, the curve of Davis and Goadrich between points of
            precision and recall. Before the first point of a curve that has none at 0, the value
            of that point.

        Raises
        ------
        InputError
            For nan or numbers outside [0, 1].

        References
        ----------
        J. Davis and M. Goadrich (2006), The relationship between precision-recall and ROC curves,
        ICML, section 4.

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([0, 1, 0, 1], [0.2, 0.6, 0.7, 0.9]).roc_curve()
        >>> curve.interpolate([0, 0.25, 0.5]).tolist()
        [0.5, 0.5, 1.0]
        """
        asked = np.asarray(x)
        if asked.dtype.kind not in "iufb" or not np.all((asked >= 0) & (asked <= 1)):
            raise InputError(f"`x` must hold numbers from 0 to 1, got {x!r}")
        heights = self._heights(asked.astype(np.float64).ravel()).reshape(asked.shape)
        return float(heights) if asked.ndim == 0 else heights

    def _heights(self, asked: Floats) -> Floats:
        if not len(self) or np.isnan(self.x).any():
            return np.full(asked.size, np.nan)
        # Over a vertical step precision falls, tpr rises and fnr gets better.
        first = self.y_name in ("precision", "lift")
        right = np.searchsorted(self.x, asked, side="left" if first else "right")
        on = np.clip(right if first else right - 1, 0, self.x.size - 1)
        left, right = np.maximum(right - 1, 0), np.minimum(right, self.x.size - 1)
        run = self.x[right] - self.x[left]
        weight = np.divide(asked - self.x[left], run, out=np.zeros(asked.size), where=run > 0)
        weight = np.clip(weight, 0.0, 1.0)
        tp, fp = (c[left] + weight * (c[right] - c[left]) for c in (self.tp, self.fp))
        between = AXES[self.y_name](tp, fp, self.n_pos, self.n_neg)
        return np.where((self.x[on] == asked) | (asked < self.x[0]), self.y[on], between)

    def frame(self) -> Rows:
        """Rows with one line a vertex: both axes, threshold, n_predicted, tp and fp.

        Returns
        -------
        Rows
            With ``to_arrow``, ``to_pandas``, ``to_dict``, ``write``; the Arrow C stream protocol
            too. A threshold of nan (missing scores) is null; integers past 2**53 become float64.

        Examples
        --------
        >>> import ranktally as rt
        >>> curve = rt.tally([0, 1], [0.25, 0.75]).roc_curve()
        >>> curve.frame().to_dict()[1]
        {'fpr': 0.0, 'tpr': 1.0, 'threshold': 0.75, 'n_predicted': 1, 'tp': 1, 'fp': 0}
        """
        threshold = self.threshold
        if threshold.dtype == object:
            threshold = threshold.astype(np.float64)
        return Rows(
            {
                self.x_name: self.x,
                self.y_name: self.y,
                "threshold": threshold,
                "n_predicted": self.n_predicted,
                "tp": self.tp,
                "fp": self.fp,
            }
        )


def _area(x: Floats, y: Floats) -> float:
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]))) / 2


def _real(threshold: AnyArray) -> AnyArray:
    """Thresholds in a type that holds inf and nan without making two of them equal."""
    if threshold.dtype.kind == "f":
        return threshold
    real = threshold.astype(np.float64)
    exact = threshold.size == 0 or float(np.abs(real).max()) < 2.0**53
    return real if exact else threshold.astype(object)


def _curve(counts: Counts, x_name: str, y_name: str, *, from_nothing: bool) -> Curve:
    tp, fp, has_missing = with_missing(counts)
    threshold = _real(counts.threshold)
    if has_missing:
        threshold = np.append(threshold, np.asarray([np.nan], threshold.dtype))
    if from_nothing:
        zero = np.zeros(1, tp.dtype)
        threshold = np.concatenate([np.asarray([np.inf], threshold.dtype), threshold])
        tp, fp = np.concatenate([zero, tp]), np.concatenate([zero, fp])
    x, y = (AXES[name](tp, fp, counts.n_pos, counts.n_neg) for name in (x_name, y_name))
    return Curve(x, y, threshold, tp, fp, counts.n_pos, counts.n_neg, x_name, y_name)


def roc_curve(counts: Counts) -> Curve:
    return _curve(counts, "fpr", "tpr", from_nothing=True)


def det_curve(counts: Counts) -> Curve:
    return _curve(counts, "fpr", "fnr", from_nothing=True)


def pr_curve(counts: Counts) -> Curve:
    return _curve(counts, "recall", "precision", from_nothing=False)


def gain_curve(counts: Counts) -> Curve:
    return _curve(counts, "predicted_positive_rate", "recall", from_nothing=True)


def lift_curve(counts: Counts) -> Curve:
    return _curve(counts, "predicted_positive_rate", "lift", from_nothing=False)
