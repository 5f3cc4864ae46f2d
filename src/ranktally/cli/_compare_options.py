"""The options of `ranktally compare`, and what is checked of them without data."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase

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
    near,
    need_scores,
    numbers,
    split_list,
    words,
)

__all__ = ["COMPARE"]

_EXAMPLES = """\
examples:
  ranktally compare preds.parquet --label y --scores a,b,c --baseline a
  ranktally compare 'preds/*.csv' --label y --scores 'model_*' --metric f1 --at 0.5 --seed 7
  ranktally compare last_week.parquet this_week.parquet --label y --scores a
  ranktally compare 'w27/*.csv' 'w28/*.csv' --label y --scores a --fail-if worse

One data set: models on the same rows, paired. Two: each model on the second less on the first,
unpaired. A data set is a file, a folder, a glob in quotes, or - for stdin.

"""
_METHODS = ("auto", "delong", "bootstrap", "jackknife", "permutation")
_ADJUSTMENTS = ("holm", "bonferroni", "bh", "none")


def _add(parser: argparse.ArgumentParser) -> None:
    data = add_data(parser, MANY)
    add_missing(data)
    group = parser.add_argument_group("comparison")
    add = group.add_argument
    add(
        "--baseline",
        metavar="COLUMN",
        help="the score column that the others are compared with (default: all pairs)",
    )
    add(
        "--metric",
        action="append",
        metavar="NAMES",
        help="comma list, calls allowed: roc_auc,'recall_at_fpr(0.01)' (default: roc_auc)",
    )
    add("--at", action="append", metavar="THRESHOLD", help="of metrics at a threshold, such as f1")
    add(
        "--method",
        choices=_METHODS,
        default="auto",
        help="default: delong for roc_auc and gini without --cluster, else bootstrap",
    )
    add(
        "--adjust",
        choices=_ADJUSTMENTS,
        default="holm",
        help="of p-values for their number (default: holm)",
    )
    add_resampling(group)
    # Whether they are given is told apart, for methods that draw nothing.
    parser.set_defaults(resamples=None)
    add(
        "--fail-if",
        choices=("worse",),
        help="leave with code 4 if any verdict is 'worse' or undefined, or if resamples are too "
        "few for any",
    )
    add_progress(add_output(parser))
    add_running(parser)


def _complete(options: argparse.Namespace) -> None:
    need_scores(options)
    if len(options.files) > 2:
        raise UsageError(
            f"compare takes one data set, or two to compare with each other, and got "
            f"{len(options.files)}: put a glob in quotes, such as 'preds/*.csv', so that the shell "
            f"leaves it whole, or name a folder"
        )
    if options.files.count("-") > 1:
        raise UsageError("`-` (stdin) can be one data set alone: write the other to a file first")
    if len(options.files) == 2 and options.baseline is not None:
        raise UsageError(
            "`--baseline` is for models of one data set: with two, each model is compared with "
            "itself; where both are files of one data set, put their glob in quotes, such as "
            "'preds/*.csv'"
        )
    _check_baseline(options)
    if len(options.files) == 2 and options.method == "permutation":
        raise UsageError(
            "`--method permutation` swaps two models of one row, and two data sets have different "
            "rows: use --method bootstrap"
        )
    options.metric = list(dict.fromkeys(words("--metric", options.metric))) or ["roc_auc"]
    late = next((text for text in options.metric if "@" in text), None)
    if late is not None:
        name, _, cut = late.partition("@")
        raise UsageError(
            f"`--metric` {late!r}: a threshold is an option of its own: --metric {name.strip()} "
            f"--at {cut.strip()}"
        )
    cuts = numbers("--at", options.at)
    if len(cuts) > 1:
        raise UsageError(f"`--at` takes one threshold here, got {len(cuts)}")
    options.at = cuts[0] if cuts else None


def _check_baseline(options: argparse.Namespace) -> None:
    """Raise UsageError for a baseline that --scores cannot hold, whatever the columns are."""
    name = options.baseline
    if name is None:
        return
    known = [*options.scores, *(x for part in options.scores for x in split_list(part))]
    if name not in known and not any(fnmatchcase(name, pattern) for pattern in known):
        raise UsageError(
            f"`--baseline` {name!r} is not among --scores: add it to --scores{near(name, known)}"
        )


COMPARE = Verb(
    "models on the same rows, or on two data sets: differences, p-values and verdicts",
    _EXAMPLES,
    _add,
    _complete,
)
