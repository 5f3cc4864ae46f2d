"""`ranktally compare`: models on the same rows, or on two data sets, with a verdict each."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from .._compare import compare
from .._compare_question import DRAWING, read_question
from .._compare_text import comparison_text, few_resamples, shared_files
from .._pivot import metric_name
from .._rendering import terminal_width
from .._verdicts import UNDEFINED
from .._wording import printable, reason_of
from ..errors import InputError
from ._delivery import check_output, deliver
from ._options import UsageError
from ._source import open_files, read_pos_label, read_scores
from ._spelling import as_options
from ._telling import tell, tell_seed

if TYPE_CHECKING:
    from .._compare_result import Comparison
    from .._tables import Table

__all__ = ["run"]

_GATE_FAILED = 4


def run(options: Namespace) -> int:
    """Compare, write the result, then judge it; return the exit code."""
    check_output(options)
    _check_question(options)
    with ExitStack() as stack:
        tables = [stack.enter_context(open_files(options, [path])) for path in options.files]
        result = _compare(tables, options)
    if len(options.files) == 2:
        # A glob is told as it was given, whatever it found.
        sides = ["stdin" if path == "-" else path for path in options.files]
        result.summary |= {"value_data": sides[1], "baseline_data": sides[0]}
    rows = result.to_dict()
    few = [as_options(line) for line in few_resamples(result.summary)]
    shared = shared_files(result.summary)
    undefined = [_about(row) for row in rows if row["verdict"] == UNDEFINED]
    deliver(
        result,
        options,
        lambda: _table(result, options),
        lambda: {"summary": result.summary, "warnings": [*undefined, *few, *shared]},
    )
    sys.stdout.flush()
    tell_seed(options, result.summary)
    several = result.summary["n_models"] > 1
    if several and len(options.files) == 2 and all(map(os.path.isfile, options.files)):
        tell(
            "note: two data sets: each model is compared with itself; quote a glob to pool its "
            "files"
        )
    for line in [*shared, *(few if options.fail_if is None else ())]:
        tell(f"warning: {line}")
    if options.fail_if is None:
        return 0
    failed = [_about(row) for row in rows if row["verdict"] in (options.fail_if, UNDEFINED)]
    failed += [f"cannot be decided: {line}" for line in few]
    for line in failed:
        tell(f"failed: {options.fail_if}: {line}")
    return _GATE_FAILED if failed else 0


def _check_question(options: Namespace) -> None:
    """Find what is wrong with the question before any file is read."""
    try:
        requests, _, methods = read_question(
            options.metric,
            options.at,
            options.method,
            clustered=options.cluster is not None,
            paired=len(options.files) == 1,
            missing=options.missing,
        )
    except InputError as error:
        raise UsageError(as_options(str(error)).replace("`metric`", "`--metric`")) from None
    aimless = next((r.label for r in requests if r.metric.direction is None), None)
    if options.fail_if and aimless:
        raise UsageError(f"`--fail-if worse`: {aimless} has no better side")
    idle = next((name for name in ("resamples", "seed") if getattr(options, name) is not None), "")
    if idle and not set(methods) & set(DRAWING):
        used = " and ".join(dict.fromkeys(methods))
        raise UsageError(
            f"`--{idle}` is of replicates, and --method {used} draws nothing: leave it out, or use "
            f"--method bootstrap"
        )


def _compare(tables: list[Table], options: Namespace) -> Comparison:
    names: dict[str, Any] = {
        "label": options.label,
        "scores": read_scores(options.scores, tables[0].names),
        "weight": options.weight,
        "cluster": options.cluster,
    }
    return compare(
        tables[0],
        **names,
        other=tables[1] if len(tables) > 1 else None,
        baseline=options.baseline,
        metric=options.metric,
        at=options.at,
        method=options.method,
        adjust=options.adjust,
        level=options.level,
        n_resamples=2000 if options.resamples is None else options.resamples,
        seed=options.seed,
        missing=options.missing,
        pos_label=read_pos_label(options, tables[0], names),
        higher_is_better=not options.lower_is_better,
        engine=options.engine,
        threads=options.threads,
        progress=sys.stderr.isatty() if options.progress is None else options.progress,
    )


def _table(result: Comparison, options: Namespace) -> str:
    shown = not options.output and sys.stdout.isatty()
    width = terminal_width() if shown else None
    return comparison_text(result, result.summary, width, as_options)


def _about(row: dict[str, Any]) -> str:
    """One comparison in a line."""
    who = printable(row["model"])
    if row["baseline"] != row["model"]:
        who += f" against {printable(row['baseline'])}"
    name = metric_name(row["metric"], row["threshold"])
    if row["verdict"] == UNDEFINED:
        return f"{who}: {name} is undefined ({as_options(reason_of(row['status']))})"
    return f"{who}: {name} differs by {row['difference']:+.6g} (adjusted p {row['p_adjusted']:.3g})"
