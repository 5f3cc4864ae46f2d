"""`ranktally report`: precision, recall and F1 of each class, from cuts or decisions."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from .._cells import values_of
from .._report import classification_report
from .._report_rows import Report
from ._delivery import check_output, deliver, prose
from ._source import open_files, read_pos_label, read_scores

__all__ = ["run"]


def run(options: Namespace) -> int:
    """Report and write; return the exit code."""
    check_output(options)
    with open_files(options) as table:
        report = classification_report(table, **_arguments(options, table))
    told = _notes(report)
    below = [prose(line, options) for line in [*_below(report), *told]]
    deliver(
        report.rows,
        options,
        lambda: "\n".join([str(report).rstrip("\n"), "", *below]),
        lambda: {"summary": _summary(report), "warnings": told},
    )
    return 0


def _arguments(options: Namespace, table: Any) -> dict[str, Any]:
    same = {
        "label": options.label,
        "classes": options.classes,
        "weight": options.weight,
        "zero_division": options.zero_division,
        "threads": options.threads,
    }
    if options.predictions is not None:
        return {**same, "predictions": options.predictions}
    scores = read_scores(options.scores, table.names)
    names = {"label": options.label, "scores": scores, "weight": options.weight}
    return {
        **same,
        "scores": scores,
        "at": options.at,
        "pos_label": read_pos_label(options, table, names),
        "higher_is_better": not options.lower_is_better,
    }


def _below(report: Report) -> list[str]:
    """What stands below the printed report: values without skill, and how classes fell."""
    if report.single_label:
        base = report.baselines
        return [
            f"without skill: accuracy {base['accuracy']:.4g}, balanced accuracy "
            f"{base['balanced_accuracy']:.4g}, precision the share of the class"
        ]
    counts = ", ".join(f"{k}: {count:,}" for k, count in report.classes_per_row.items())
    return [f"rows by number of classes given: {counts}"]


def _notes(report: Report) -> list[str]:
    rows = report.rows
    pairs = zip(values_of(rows.columns["class"]), values_of(rows.columns["note"]), strict=True)
    fill = "undefined" if report.zero_division != 0 else "shown as 0"
    notes = [
        f"{name}: {note}" + (f" ({fill})" if "0/0" in note else "") for name, note in pairs if note
    ]
    if report.n_missing:
        notes.append(f"{report.n_missing:,} scores are missing: no positive decisions")
    return notes


def _summary(report: Report) -> dict[str, Any]:
    return {
        "n_rows": report.n_rows,
        "n_missing": report.n_missing,
        "accuracy": report.accuracy,
        "baselines": report.baselines,
        "classes_per_row": {str(k): count for k, count in report.classes_per_row.items()},
    }
