"""The commands one by one: their options, and what is checked of them without data."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._options import (
    UsageError,
    add_data,
    add_missing,
    add_output,
    add_running,
    missing,
    numbers,
    positive,
    split_list,
    words,
)

__all__ = ["VERBS", "Gate", "Verb"]

CURVES = ("roc", "pr", "det", "gain", "lift")
_MANY = "score columns: a comma list or a glob such as 'model_*'; may be repeated"

_EVALUATE = """\
examples:
  ranktally evaluate preds.parquet --label is_fraud --scores score
  ranktally evaluate 'preds/*.parquet' --label y --scores 'model_*' --by country --at 0.5,0.9
  ranktally evaluate preds.csv --label y --scores s --fail-if 'roc_auc < 0.9'
  duckdb -c "copy (from preds) to stdout (format csv)" | ranktally evaluate - --label y --scores s

"""
_CURVE = """\
examples:
  ranktally curve preds.parquet --label y --scores s --kind pr --output pr.csv
  ranktally curve preds.parquet --label y --scores 'model_*' --max-points 500 --format json

"""
_THRESHOLD = """\
examples:
  ranktally threshold val.csv --label y --scores s --maximize precision --where 'recall >= 0.95' \\
      --test test.csv
  ranktally threshold preds.csv --label y --scores s --cost-fp 1 --cost-fn 20

"""
_REPORT = """\
examples:
  ranktally report preds.csv --label y --scores s --at 0.5
  ranktally report preds.csv --label kind --scores cat,dog,cow --at cat=0.4,dog=0.5,cow=0.6
  ranktally report preds.csv --label kind --predictions predicted

"""

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_GATE = re.compile(
    rf"\s*(?P<metric>[A-Za-z_]\w*(?:\s*\(.*\))?)\s*(?:@\s*(?P<at>{_NUMBER}))?"
    rf"\s*(?P<op><=|>=|==|!=|<|>)\s*(?P<bound>{_NUMBER})\s*"
)


@dataclass(frozen=True)
class Gate:
    """One `--fail-if`: a metric, at a threshold or not, compared with a number."""

    text: str
    metric: str
    threshold: float | None
    op: str
    bound: float


@dataclass(frozen=True)
class Verb:
    """One command: what it does, examples, its options, and what is checked after argparse."""

    help: str
    epilog: str
    add: Callable[[argparse.ArgumentParser], None]
    complete: Callable[[argparse.Namespace], None]


# -- evaluate ------------------------------------------------------------------------------------


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    data = add_data(parser, _MANY)
    data.add_argument(
        "--by",
        action="append",
        metavar="COLUMNS",
        help="group columns, a comma list; repeated: several groupings ('total' is one)",
    )
    add_missing(data)
    data.add_argument(
        "--on-error",
        choices=("raise", "status"),
        default="raise",
        help="a broken score column: stop (default), or report it and go on",
    )
    add = parser.add_argument_group("metrics").add_argument
    add(
        "--metrics",
        action="append",
        metavar="NAMES",
        help="comma list, calls allowed: roc_auc,'fbeta(2)' (default: roc_auc,average_precision; "
        "with --at also precision,recall,f1)",
    )
    add(
        "--at",
        action="append",
        metavar="THRESHOLDS",
        help="thresholds, a comma list: rows with score >= threshold are predicted positive",
    )
    add(
        "--fail-if",
        action="append",
        metavar="EXPR",
        help="leave with code 4 if any row matches or is undefined: 'roc_auc < 0.9', "
        "'precision@0.5 < 0.2'; may be repeated",
    )
    add_output(parser).add_argument(
        "--progress",
        action=argparse.BooleanOptionalAction,
        help="a progress bar on stderr (default: when it is a terminal)",
    )
    add_running(parser)


def _complete_evaluate(options: argparse.Namespace) -> None:
    _need_scores(options)
    options.at = numbers("--at", options.at)
    options.metrics = list(dict.fromkeys(words("--metrics", options.metrics))) or None
    options.gates = [_gate(text) for text in options.fail_if or ()]


def _need_scores(options: argparse.Namespace) -> None:
    options.scores = options.scores or missing(
        options.verb, "--scores: the score columns, such as 'model_*'"
    )


def _gate(text: str) -> Gate:
    found = _GATE.fullmatch(text)
    if found is None:
        raise UsageError(
            f"`--fail-if` expects METRIC[@THRESHOLD] and a comparison (< <= > >= == !=) with a "
            f"number, such as 'roc_auc < 0.9'; got {text!r}"
        )
    at = found["at"]
    return Gate(
        text=" ".join(text.split()),
        metric=found["metric"],
        threshold=None if at is None else float(at),
        op=found["op"],
        bound=float(found["bound"]),
    )


# -- curve ---------------------------------------------------------------------------------------


def _add_curve(parser: argparse.ArgumentParser) -> None:
    add_missing(add_data(parser, _MANY))
    add = parser.add_argument_group("curve").add_argument
    add("--kind", choices=CURVES, default="roc", help="default: roc")
    add(
        "--max-points",
        type=positive,
        metavar="N",
        help="leave points out, and say how far that moves the curve (default: all points; "
        "25 in a table)",
    )
    add_output(parser)
    add_running(parser)


def _complete_curve(options: argparse.Namespace) -> None:
    _need_scores(options)
    if options.max_points == 1:
        raise UsageError("`--max-points` must be at least 2: a curve has two ends")


# -- threshold -----------------------------------------------------------------------------------


def _add_threshold(parser: argparse.ArgumentParser) -> None:
    add_missing(add_data(parser, _MANY))
    add = parser.add_argument_group("choice").add_argument
    add("--maximize", metavar="METRIC", help="such as precision, f1 or 'fbeta(2)'")
    add("--minimize", metavar="METRIC", help="such as fpr or 'expected_cost(1, 20)'")
    add("--where", metavar="EXPR", help="a condition such as 'recall >= 0.95 and fpr <= 0.01'")
    add("--cost-fp", type=_cost, metavar="X", help="cost of a false positive: find the cheapest")
    add("--cost-fn", type=_cost, metavar="X", help="cost of a false negative")
    add(
        "--ties",
        choices=("lowest", "highest"),
        default="lowest",
        help="which of several equally good thresholds (default: lowest)",
    )
    add(
        "--test",
        action="append",
        metavar="FILES",
        help="files to measure the chosen threshold on: on the rows it was chosen on it looks "
        "better than it is",
    )
    add(
        "--fail-if-unreachable",
        action="store_true",
        help="leave with code 4 where no threshold meets --where (otherwise a result like others)",
    )
    add_output(parser)
    add_running(parser)


def _complete_threshold(options: argparse.Namespace) -> None:
    _need_scores(options)
    goals = [x for x in (options.maximize, options.minimize) if x is not None]
    costs = [options.cost_fp, options.cost_fn]
    if costs != [None, None]:
        if None in costs:
            raise UsageError("`--cost-fp` and `--cost-fn` come together")
        if costs == [0, 0]:
            raise UsageError("`--cost-fp` and `--cost-fn` are both 0: every threshold is as cheap")
        if goals or options.where:
            raise UsageError(
                "`--cost-fp` and `--cost-fn` are a goal of their own: for one under a condition "
                "use --minimize 'expected_cost(1, 20)' with --where"
            )
    elif len(goals) > 1:
        raise UsageError("`--maximize` and `--minimize` are two goals: name one")
    elif not goals:
        missing("threshold", "the goal: one of --maximize, --minimize, or --cost-fp and --cost-fn")


def _cost(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, got {text!r}")
    return value


# -- report --------------------------------------------------------------------------------------


def _add_report(parser: argparse.ArgumentParser) -> None:
    add_data(parser, "the score column; or, with several classes, a column for each class")
    add = parser.add_argument_group("report").add_argument
    add(
        "--at",
        metavar="CUTS",
        help="the cut, which has no default: one number, one a class in order (0.4,0.5,0.6), or "
        "by name (a=0.4,b=0.5); rows with score >= cut are predicted positive",
    )
    add("--predictions", metavar="COLUMN", help="column of hard decisions, instead of scores")
    add(
        "--classes",
        metavar="NAMES",
        help="the classes, in the order of the score columns (default: the names of the columns)",
    )
    add(
        "--zero-division",
        choices=("0", "nan"),
        default="0",
        help="what stands for 0/0 (default: 0, which enters the averages)",
    )
    add_output(parser)
    add("--threads", type=positive, metavar="N", help="default: all that may be used")


def _complete_report(options: argparse.Namespace) -> None:
    if options.scores is not None and options.predictions is not None:
        raise UsageError("`--scores` and `--predictions` are two ways to the same report: name one")
    if options.scores is None and options.predictions is None:
        missing("report", "either --scores with --at, or --predictions")
    if options.scores is not None and options.at is None:
        missing("report", "--at: the cut, such as --at 0.5; it has no default")
    if options.predictions is not None and options.at is not None:
        raise UsageError("`--at` cuts scores, and `--predictions` are decisions already")
    if options.predictions is not None and (options.pos_label or options.lower_is_better):
        wrong = "--pos-label" if options.pos_label else "--lower-is-better"
        raise UsageError(f"`{wrong}` is for scores, and `--predictions` are decisions already")
    options.at = _read_cuts(options.at)
    options.classes = split_list(options.classes) if options.classes else None
    options.zero_division = float(options.zero_division)


def _read_cuts(text: str | None) -> Any:
    """One cut, one a class in order, or by name."""
    if text is None:
        return None
    parts = split_list(text)
    if parts and all("=" in part for part in parts):
        pairs = [part.rpartition("=") for part in parts]
        cuts = {name.strip(): numbers("--at", [cut])[0] for name, _, cut in pairs if cut.strip()}
        if len(cuts) != len(parts):
            raise UsageError(f"`--at` expects a cut a class, such as a=0.4,b=0.5; got {text!r}")
        return cuts
    found = numbers("--at", [text])
    if not found:
        missing("report", "--at: the cut, such as --at 0.5; it has no default")
    return found[0] if len(found) == 1 else found


VERBS = {
    "evaluate": Verb(
        "metrics of many models and groups, from files or stdin",
        _EVALUATE,
        _add_evaluate,
        _complete_evaluate,
    ),
    "curve": Verb(
        "points of a ROC, PR, DET, gain or lift curve", _CURVE, _add_curve, _complete_curve
    ),
    "threshold": Verb(
        "the best threshold under a condition, or the cheapest one",
        _THRESHOLD,
        _add_threshold,
        _complete_threshold,
    ),
    "report": Verb(
        "precision, recall and F1 of each class at a cut",
        _REPORT,
        _add_report,
        _complete_report,
    ),
}
