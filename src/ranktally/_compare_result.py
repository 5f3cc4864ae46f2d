"""What `compare` returns: tidy rows of differences with p-values and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._cells import equal, take, values_of
from ._compare_text import comparison_text
from ._rendering import terminal_width
from ._rows import Rows

__all__ = ["Comparison"]


class Comparison(Rows):
    """Tidy rows of a `compare` call: one a model, baseline and metric.

    Columns are ``model``, ``baseline``, ``metric``, ``threshold``, ``value``, ``baseline_value``,
    ``difference`` (value less baseline_value), ``low``, ``high``, ``interval``, ``level``, ``p``,
    ``p_adjusted``, ``verdict``, ``n``, ``n_pos``, ``n_neg``, ``status`` and ``note``; with two data
    sets also ``baseline_n``, ``baseline_n_pos`` and ``baseline_n_neg``. ``low`` and ``high`` are
    the ends of each difference's own interval, whatever the adjustment of p. ``str()`` gives the
    table for people.

    Attributes
    ----------
    columns : dict
        The columns by name.
    summary : dict
        How: ``paired``, ``methods`` (by metric), ``adjust``, ``level``, ``n_comparisons`` (those
        with a p-value), ``n_resamples`` and ``seed`` (None where nothing was drawn), and
        ``n_resamples_needed`` (how many a verdict on so many comparisons takes, where there were
        fewer; else None). Names: ``label``, ``pos_label``, ``weight``, ``cluster``.

        Rows: ``n_files``, ``n_rows``, ``n_common_rows`` (those that every model has), ``n_used``
        (less those of weight 0), of these ``n_pos``, ``n_neg`` and ``prevalence``, and
        ``n_clusters``. Of two data sets these are of `other`, and those of `data` have names such
        as ``baseline_n_rows``; ``value_data`` and ``baseline_data`` are their paths, where they
        have one, and ``n_shared_files`` counts the files of both.

        ``n_models`` and ``seconds``.
    directions : dict
        Metric name to "up", "down" or None: which way is better.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        summary: Mapping[str, Any],
        directions: Mapping[str, str | None],
    ) -> None:
        super().__init__(columns)
        self.summary = dict(summary)
        self.directions = dict(directions)

    def row(
        self, model: str | None = None, baseline: str | None = None, metric: str | None = None
    ) -> dict[str, Any]:
        """Return one comparison as a dict: column name to value, None for nan.

        Parameters
        ----------
        model, baseline, metric : str, optional
            As far as they are needed.

        Raises
        ------
        InputError
            Unless exactly one row matches.
        """
        named = {"model": model, "baseline": baseline, "metric": metric}
        match = {name: text for name, text in named.items() if text is not None}
        self.value(**match)
        hits = np.ones(len(self), bool)
        for name, text in match.items():
            hits &= equal(self.columns[name], text)
        place = np.flatnonzero(hits)
        return {name: values_of(take(column, place))[0] for name, column in self.columns.items()}

    def __str__(self) -> str:
        return comparison_text(self, self.summary, terminal_width())

    def __repr__(self) -> str:
        kind = "paired" if self.summary["paired"] else "unpaired"
        return f"Comparison({len(self)} rows, {kind})"
