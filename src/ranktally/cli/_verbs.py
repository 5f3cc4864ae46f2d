"""The commands one by one: their options, and what is checked of them without data."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from typing import Any

from ._compare_options import COMPARE
from ._options import (
    MANY,
    UsageError,
    Verb,
    add_data,
    add_missing,
    add_output,
    add_progress,
    add_resampling,
    add_running,
    missing,
    need_scores,
    numbers,
    positive,
    split_list,
    words,
)

__all__ = ["VERBS", "Gate", "Verb"]

CURVES = ("roc", "pr", "det", "gain", "lift")

_EVALUATE = """\
examples:
  ranktally evaluate preds.parquet --label is_fraud --scores score
  ranktally evaluate 'preds/*.parquet' --label y --scores 'model_*' --by country --at 0.5,0.9
  ranktally evaluate preds.csv --label y --scores a,b --ci bootstrap --seed 7
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
    rf"\s*(?P<metric>[A-Za-z_]\w*(?:\s*\(.*\))?)(?:\.(?P<part>low|high))?"
    rf"\s*(?:@\s*(?P<at>{_NUMBER})(?:\.(?P<late>low|high))?)?"
    rf"\s*(?P<op><=|>=|==|!=|<|>)\s*(?P<bound>{_NUMBER})\s*"
)


@dataclass(frozen=True)
class Gate:
    """One `--fail-if`: a metric, at a threshold or not, compared with a number.

    `part` is what of it is compared: "value", or an end of its interval.
    """

    text: str
    metric: str
    part: str
    threshold: float | None
    op: str
    bound: float


# -- evaluate ------------------------------------------------------------------------------------


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    data = add_data(parser, MANY)
    data.add_argument(
        "--by",
        action="append",
        metavar="COLUMNS",
        help="group columns, a comma list; repeated: several groupings ('total' is one)",
    )
    add_missing(data, more="; --ci bootstrap or delong omits a row for all models")
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
        "'precision@0.5 < 0.2', with --ci 'roc_auc.low < 0.9' or 'precision.low@0.1 < 0.5'; may "
        "be repeated",
    )
    _add_intervals(parser)
    add_progress(add_output(parser))
    add_running(parser)


def _add_intervals(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("intervals")
    add = group.add_argument
    add(
        "--ci",
        choices=("bootstrap", "delong", "wilson"),
        help="bootstrap: of every metric, by resampling; delong: of roc_auc and gini by DeLong, of "
        "other smooth metrics by the jackknife; wilson: of rates that are a share of rows, such as "
        "recall (needs --at). bootstrap and delong measure all models on the rows that all have, "
        "which matters with --missing omit (default: none)",
    )
    add(
        "--ci-method",
        metavar="NAME",
        help="bootstrap: percentile, basic, normal, bca; delong: plain, logit; wilson: wilson, "
        "jeffreys, clopper_pearson (default: the first)",
    )
    add(
        "--scheme",
        choices=("multinomial", "stratified", "cluster", "poisson"),
        help="what a bootstrap draws (default: multinomial, or cluster with --cluster)",
    )
    add_resampling(group)
    # None tells what was not asked for.
    parser.set_defaults(level=None, resamples=None)


def _complete_intervals(options: argparse.Namespace) -> None:
    names = ("ci_method", "scheme", "level", "resamples", "seed", "cluster")
    given = [name for name in names if getattr(options, name) is not None]
    if options.ci is None and given:
        raise UsageError(
            f"`--{given[0].replace('_', '-')}` is of intervals, and none are asked for: add --ci "
            f"bootstrap, delong or wilson"
        )
    drawn = next((name for name in ("scheme", "resamples", "seed") if name in given), None)
    if drawn and options.ci != "bootstrap":
        raise UsageError(f"`--{drawn}` is of --ci bootstrap, and --ci {options.ci} draws nothing")
    gate = next((gate for gate in options.gates if gate.part != "value"), None)
    if gate is not None and options.ci is None:
        raise UsageError(f"`--fail-if` {gate.text!r} judges an interval: add --ci, such as delong")
    options.scheme = options.scheme or "auto"
    options.level = 0.95 if options.level is None else options.level
    options.resamples = 2000 if options.resamples is None else options.resamples


def _complete_evaluate(options: argparse.Namespace) -> None:
    need_scores(options)
    options.at = numbers("--at", options.at)
    options.metrics = list(dict.fromkeys(words("--metrics", options.metrics))) or None
    options.gates = [_gate(text) for text in options.fail_if or ()]
    _complete_intervals(options)


def _gate(text: str) -> Gate:
    found = _GATE.fullmatch(text)
    if found is None or (found["part"] and found["late"]):
        raise UsageError(
            f"`--fail-if` expects METRIC[.low|.high][@THRESHOLD] and a comparison (< <= > >= == "
            f"!=) with a number, such as 'roc_auc < 0.9' or, with --ci, 'precision.low@0.1 < "
            f"0.5'; got {text!r}"
        )
    at = found["at"]
    return Gate(
        text=" ".join(text.split()),
        metric=found["metric"],
        part=found["part"] or found["late"] or "value",
        threshold=None if at is None else float(at),
        op=found["op"],
        bound=float(found["bound"]),
    )


# -- curve ---------------------------------------------------------------------------------------


def _add_curve(parser: argparse.ArgumentParser) -> None:
    add_missing(add_data(parser, MANY))
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
    need_scores(options)
    if options.max_points == 1:
        raise UsageError("`--max-points` must be at least 2: a curve has two ends")


# -- threshold -----------------------------------------------------------------------------------


def _add_threshold(parser: argparse.ArgumentParser) -> None:
    add_missing(add_data(parser, MANY))
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
    need_scores(options)
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
    "compare": COMPARE,
    "report": Verb(
        "precision, recall and F1 of each class at a cut",
        _REPORT,
        _add_report,
        _complete_report,
    ),
}
