"""`ranktally evaluate`: files and names -> the result, written and judged."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ranktally

from .._cells import Coded
from .._rendering import terminal_width, wide_table
from .._requests import read_metrics
from .._rows import Rows
from .._tables import Table
from .._wording import notices
from ..errors import InputError
from ._delivery import check_output, deliver
from ._gates import Plan, check_ends, judge, plan
from ._options import UsageError
from ._source import open_files, read_names, read_pos_label, read_scores
from ._spelling import as_options
from ._telling import tell, tell_seed

if TYPE_CHECKING:
    from .._evaluation import Evaluation

__all__ = ["run"]

_GATE_FAILED = 4
_SHOWN_LINES = 60


def run(options: Namespace) -> int:
    """Evaluate, write the result, then judge it; return the exit code."""
    check_output(options)
    planned = plan(options.metrics, options.at, options.gates)
    _check_intervals(options, planned)
    with open_files(options) as table:
        result = _evaluate(table, planned, options)
    deliver(
        result,
        options,
        lambda: _table(result, options.output),
        lambda: {"summary": result.summary, "warnings": notices(result)},
    )
    tell_seed(options, result.summary)
    failures = [line for gate in planned.gates for line in judge(result, gate)]
    if failures:
        sys.stdout.flush()
    for line in failures:
        tell(line)
    return _GATE_FAILED if failures else 0


def _check_intervals(options: Namespace, planned: Plan) -> None:
    """Find what is wrong with the intervals asked for before any file is read."""
    if options.ci is None:
        return
    from .._uncertainty import check_requests, read_uncertainty

    try:
        read_uncertainty(
            options.ci,
            method=options.ci_method,
            level=options.level,
            scheme=options.scheme,
            n_resamples=options.resamples,
            seed=options.seed,
            clustered=options.cluster is not None,
        )
        check_requests(options.ci, read_metrics(planned.metrics, has_thresholds=bool(planned.at)))
    except InputError as error:
        raise UsageError(as_options(str(error))) from None
    check_ends(planned, options.ci)


def _evaluate(table: Table, planned: Plan, options: Namespace) -> Evaluation:
    names: dict[str, Any] = {
        "label": options.label,
        "scores": read_scores(options.scores, table.names),
        "weight": options.weight,
        "by": _groupings(options.by or [], table.names),
        "cluster": options.cluster,
    }
    show = sys.stderr.isatty() if options.progress is None else options.progress
    return ranktally.evaluate(
        table,
        **names,
        metrics=planned.metrics,
        at=planned.at or None,
        pos_label=read_pos_label(options, table, names),
        higher_is_better=not options.lower_is_better,
        missing=options.missing,
        on_error=options.on_error,
        ci=options.ci,
        ci_method=options.ci_method,
        level=options.level,
        scheme=options.scheme,
        n_resamples=options.resamples,
        seed=options.seed,
        engine=options.engine,
        threads=options.threads,
        progress=show,
    )


def _groupings(parts: list[str], known: Sequence[str]) -> list[Any] | None:
    """Return one grouping as a list of names, several as a list of lists."""
    groupings: list[Any] = [
        [] if part.strip() == "total" and "total" not in known else read_names(part, known)
        for part in parts
    ]
    return groupings if len(groupings) > 1 else (groupings or [None])[0] or None


def _table(result: Evaluation, output: str | None) -> str:
    shown = not output and sys.stdout.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return wide_table(
        Rows({**result.columns, **{name: _spelled(result, name) for name in ("status", "note")}}),
        result.directions,
        result.summary,
        width=terminal_width() if shown else None,
        max_lines=_SHOWN_LINES if shown else None,
        bold=shown and not plain,
        rest="--format csv --output all.csv",
    )


def _spelled(result: Evaluation, name: str) -> Coded:
    """Texts of a column, with arguments as options."""
    column = result.columns[name]
    assert isinstance(column, Coded)
    return Coded(column.codes, tuple(map(as_options, column.categories)))
