"""calibration(): labels and probabilities -> a Calibration."""

from __future__ import annotations

from typing import Any

from ._calibration import Calibration
from ._tallying import tally
from ._types import EngineName, Missing
from ._validate import check_choice

__all__ = ["calibration"]


def calibration(
    y_true: Any,
    y_prob: Any,
    sample_weight: Any = None,
    *,
    n_bins: int = 10,
    strategy: str = "quantile",
    level: float = 0.95,
    pos_label: object = None,
    missing: Missing = "raise",
    engine: EngineName = "auto",
    threads: int | None = None,
) -> Calibration:
    """Calibration table: predicted against observed share of positives, bin by bin.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        Labels, as in `tally`.
    y_prob : array-like, shape (n,)
        Probabilities of the positive class, from 0 to 1.
    sample_weight : array-like, shape (n,), optional
        Finite weights of at least 0.
    n_bins : int
        Bins asked for; those without rows have no line.
    strategy : {"quantile", "uniform"}
        Bins of nearly equal weight, or of equal width with their upper edges. Equal scores are
        never parted.
    level : float
        Of Wilson's interval of the observed share.
    pos_label : scalar, optional
        The positive class.
    missing : {"raise", "omit"}
        What to do with null or nan.
    engine, threads
        As in `tally`.

    Returns
    -------
    Calibration
        A row for each bin that holds rows, with counts (weights) and intervals, and `ece` and
        `mce` of them.

    Raises
    ------
    InputError
        If a probability is outside [0, 1], or the rows cannot be used.

    Notes
    -----
    O(n log n): one tally, then one pass over its distinct scores. `Tally.calibration` gives the
    same from a tally that is already there.

    Examples
    --------
    >>> import ranktally as rt
    >>> table = rt.calibration([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.8], n_bins=2)
    >>> table.observed.round(3).tolist(), table.high.round(3).tolist()
    ([0.333, 0.667], [0.792, 0.939])
    """
    check_choice("missing", missing, ("raise", "omit"))
    t = tally(
        y_true,
        y_prob,
        sample_weight,
        pos_label=pos_label,
        missing=missing,
        engine=engine,
        threads=threads,
    )
    return t.calibration(n_bins, strategy, level=level)
