"""What `delong` returns: areas with their covariance, and what is read off them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ._binomial import check_level
from ._layout import aligned
from ._normal import logit_ends, normal_ends, z_and_p
from ._rows import Rows
from ._slots import coded, model_place
from ._types import AnyArray, Floats
from ._validate import check_choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DeLong", "DeLongDifference", "DeLongInterval"]

NAN = math.nan
FEW = 50
SHOWN_PAIRS = 10


@dataclass(frozen=True)
class DeLongInterval:
    """A model's ROC AUC with its interval.

    Attributes
    ----------
    low, estimate, high : float
        Ends within [0, 1], nan when the variance is unknown.
    standard_error : float
    level : float
    kind : str
        "plain" or "logit".
    status : str
        "ok"; "zero_variance" (all placements of a class are equal, as at an area of exactly 1:
        the width of 0 understates what is not known); "no_logit" (an area that rounds to 0 or
        1: the ends are the plain ones); "one_positive", "one_negative" (a variance needs two rows
        of each class); "no_positives", "no_negatives" (no area).
    clipped : bool
        An end lay outside [0, 1] and was moved there.
    note : str
        What to know about it: "few_positives", "few_negatives", each for fewer than 50 rows;
        "clipped".
    """

    low: float
    estimate: float
    high: float
    standard_error: float
    level: float
    kind: str
    status: str
    clipped: bool
    note: str


@dataclass(frozen=True)
class DeLongDifference:
    """ROC AUC of one model less that of another on the same rows.

    Attributes
    ----------
    low, estimate, high : float
        Ends within [-1, 1]; nan when the variance is unknown.
    standard_error : float
    z : float
        Positive when the first model's area is larger; 0 when the models do not differ at all,
        nan when they differ by an amount without variance.
    p : float
        Two-sided; 1 when the models do not differ at all, nan where z is.
    level : float
    status : str
        As of `DeLongInterval`; "zero_variance" when every row has the same part in both areas.
    clipped : bool
        An end lay outside [-1, 1] and was moved there.
    note : str
        As of `DeLongInterval`.
    """

    low: float
    estimate: float
    high: float
    standard_error: float
    z: float
    p: float
    level: float
    status: str
    clipped: bool
    note: str


@dataclass(frozen=True, eq=False)
class DeLong:
    """ROC areas of models on the same rows, with their covariance.

    Attributes
    ----------
    models : tuple of str
    auc : ndarray of float64, shape (k,)
        Each equal to ``ranktally.tally(...).roc_auc()`` of the same rows, to the bit.
    covariance : ndarray of float64, shape (k, k)
        nan when a class has fewer than two rows. Without weights the doubles nearest to the exact
        values.
    difference_variance : ndarray of float64, shape (k, k)
        Variance of the difference of two areas, from the differences of their rows' parts: never
        negative, and with all its digits where the covariances would cancel.
    level : float
        Of intervals unless they are asked for otherwise.
    n_rows, n_used : int
        Rows that came in, and those that every model and the label have (weights of 0 left out).
    n_pos, n_neg : int
        Rows of each class among those used.
    n_missing : tuple of int
        Missing scores of each model.
    weighted : bool
    """

    models: tuple[str, ...]
    auc: Floats
    covariance: Floats
    difference_variance: Floats
    level: float
    n_rows: int
    n_used: int
    n_pos: int
    n_neg: int
    n_missing: tuple[int, ...]
    weighted: bool

    def __post_init__(self) -> None:
        for array in (self.auc, self.covariance, self.difference_variance):
            array.flags.writeable = False

    @property
    def standard_error(self) -> Floats:
        """Standard error of each area, shape (k,)."""
        return np.sqrt(np.diagonal(self.covariance))

    def interval(
        self, model: str | None = None, kind: str = "plain", level: float | None = None
    ) -> DeLongInterval:
        """Give the area of a model with its interval.

        Parameters
        ----------
        model : str, optional
            Needed when there are several.
        kind : {"plain", "logit"}
            Symmetric about the area and clipped to [0, 1]; or symmetric on the scale of
            ``log(area / (1 - area))``, which stays inside and covers better near 0 and 1.
        level : float, optional
            Another than that of the call.

        Returns
        -------
        DeLongInterval

        Raises
        ------
        InputError
            For an unknown model, kind or level.

        Notes
        -----
        Share of 1000 samples of two normal classes whose 95 % interval held the true area, plain /
        logit (``benchmarks/COVERAGE.md``): .949 / .955 for 200 rows, half of them positive, and an
        area of .8; .936 / .947 for 500 rows of which a tenth is positive; .847 / .901 for 200
        rows, a tenth positive, and an area of .95. With few rows of a class neither keeps its
        level.

        References
        ----------
        M. S. Pepe (2003), The statistical evaluation of medical tests for classification and
        prediction, section 5.2: the logit scale.
        """
        check_choice("kind", kind, ("plain", "logit"))
        k = model_place(self.models, model, "model")
        level = self.level if level is None else check_level(level)
        area, error = float(self.auc[k]), float(self.standard_error[k])
        status = self._status(error)
        logit = kind == "logit" and error > 0
        if logit and not 0 < area < 1:
            status, logit = "no_logit", False
        if logit:
            (low, high), clipped = logit_ends(area, error, level), False
        else:
            low, high, clipped = normal_ends(area, error, level, (0.0, 1.0))
        note = self._note(clipped)
        return DeLongInterval(low, area, high, error, level, kind, status, clipped, note)

    def difference(self, a: str, b: str, level: float | None = None) -> DeLongDifference:
        """Compare two models on their common rows.

        Parameters
        ----------
        a, b : str
        level : float, optional
            Another than that of the call.

        Returns
        -------
        DeLongDifference
            Of ``auc(a) - auc(b)``.

        Raises
        ------
        InputError
            For an unknown model or level.
        """
        i, j = model_place(self.models, a, "a"), model_place(self.models, b, "b")
        level = self.level if level is None else check_level(level)
        estimate = float(self.auc[i] - self.auc[j])
        error = math.sqrt(self.difference_variance[i, j])
        z, p = z_and_p(estimate, error, max(float(self.auc[i]), float(self.auc[j])))
        low, high, clipped = normal_ends(estimate, error, level, (-1.0, 1.0))
        status, note = self._status(error), self._note(clipped)
        return DeLongDifference(low, estimate, high, error, z, p, level, status, clipped, note)

    def _status(self, error: float) -> str:
        for count, name in ((self.n_pos, "positive"), (self.n_neg, "negative")):
            if count == 0:
                return f"no_{name}s"
        for count, name in ((self.n_pos, "positive"), (self.n_neg, "negative")):
            if count == 1:
                return f"one_{name}"
        return "zero_variance" if error == 0 else "ok"

    def _note(self, clipped: bool) -> str:
        few = (("few_positives", self.n_pos), ("few_negatives", self.n_neg))
        return ", ".join([name for name, n in few if n < FEW] + ["clipped"] * clipped)

    def rows(self, kind: str = "plain", level: float | None = None) -> Rows:
        """Return tidy rows, a line a model, in the columns of an evaluation.

        Parameters
        ----------
        kind : {"plain", "logit"}
            Of the interval.
        level : float, optional
            Another than that of the call.
        """
        found = [self.interval(model, kind, level) for model in self.models]
        k = len(found)

        def constant(value: float) -> AnyArray:
            return np.full(k, value)

        return Rows(
            {
                "model": coded(self.models),
                "metric": coded(["roc_auc"] * k),
                "value": self.auc,
                "standard_error": self.standard_error,
                "low": np.asarray([x.low for x in found]),
                "high": np.asarray([x.high for x in found]),
                "interval": coded([f"DeLong {kind}" * (x.low == x.low) for x in found]),
                "level": np.asarray([x.level if x.low == x.low else NAN for x in found]),
                "baseline": constant(0.5),
                "n": constant(self.n_used),
                "n_pos": constant(self.n_pos),
                "n_neg": constant(self.n_neg),
                "status": coded([x.status for x in found]),
                "note": coded([x.note for x in found]),
            }
        )

    def to_arrow(self, kind: str = "plain", level: float | None = None) -> pa.Table:
        """Return a `pyarrow.Table` of `rows`; nan becomes null.

        Parameters
        ----------
        kind, level
            As for `rows`.
        """
        return self.rows(kind, level).to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"DeLong({len(self.models)} models, {self.n_pos} positive, {self.n_neg} negative)"

    def __str__(self) -> str:
        gaps = [f"{m} lacks {n:,}" for m, n in zip(self.models, self.n_missing, strict=True) if n]
        used = f"{self.n_used:,} of {self.n_rows:,} rows" + f" ({', '.join(gaps)})" * bool(gaps)
        weights = ", weighted" * self.weighted
        head = f"DeLong, {used}, {self.n_pos:,} positive, {self.n_neg:,} negative{weights}"
        lines = [["model", "roc_auc", "error", "low", "high", ""]]
        for model, error in zip(self.models, self.standard_error, strict=True):
            x = self.interval(model)
            numbers = [f"{v:.4f}" for v in (x.estimate, error, x.low, x.high)]
            lines.append([model, *numbers, _remark(x)])
        text = [head, *aligned(lines)]
        pairs = list(combinations(self.models, 2))
        if 0 < len(pairs) <= SHOWN_PAIRS:
            lines = [["difference", "estimate", "low", "high", "z", "p", ""]]
            for a, b in pairs:
                d = self.difference(a, b)
                numbers = [f"{v:+.4f}" for v in (d.estimate, d.low, d.high)]
                lines.append([f"{a} - {b}", *numbers, f"{d.z:.2f}", f"{d.p:.3g}", _remark(d)])
            text += ["", *aligned(lines)]
        return "\n".join([*text, f"intervals: {100 * self.level:g} % DeLong plain"])


def _remark(x: DeLongInterval | DeLongDifference) -> str:
    said = [] if x.status == "ok" else [x.status]
    return ", ".join([*said, *([x.note] if x.note else [])]).replace("_", " ")
