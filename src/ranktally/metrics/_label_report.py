"""classification_report: precision, recall, F1 and support of every label, as text or dict."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ._confusion import Decisions, read_decisions
from ._decision_scores import scores_of
from ._label_counts import count_labels, count_rows
from ._parameters import (
    ARRAY_OR_NONE,
    ARRAY_OR_SPARSE,
    BOOLEAN,
    ZERO_DIVISION,
    check_parameters,
    number_within,
    warn,
)

__all__ = ["classification_report"]

HEADERS = ("precision", "recall", "f1-score", "support")
Row = tuple[str, list[Any]]


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support of every label, with their averages below.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,) or (n, k), or sparse indicators
    labels : array-like, optional
        Which labels, in which order; None for all that occur.
    target_names : array-like of str, optional
        What to call them, in the same order.
    sample_weight : array-like, shape (n,), optional
    digits : int
        Decimals in the text.
    output_dict : bool
        True for a dict of dicts instead of text.
    zero_division : {"warn", 0, 1, nan}
        What 0/0 is; "warn" is 0 with an UndefinedMetricWarning.

    Returns
    -------
    str or dict

    Examples
    --------
    >>> print(classification_report([0, 1, 1], [0, 1, 0], digits=1))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0        0.5       1.0       0.7         1
               1        1.0       0.5       0.7         2
    <BLANKLINE>
        accuracy                            0.7         3
       macro avg        0.8       0.8       0.7         3
    weighted avg        0.8       0.7       0.7         3
    <BLANKLINE>
    """
    check_parameters(
        "classification_report",
        y_true=(y_true, ARRAY_OR_SPARSE),
        y_pred=(y_pred, ARRAY_OR_SPARSE),
        labels=(labels, ARRAY_OR_NONE),
        target_names=(target_names, ARRAY_OR_NONE),
        sample_weight=(sample_weight, ARRAY_OR_NONE),
        digits=(digits, number_within(0, float("inf"), whole=True)),
        output_dict=(output_dict, BOOLEAN),
        zero_division=(zero_division, ZERO_DIVISION),
    )
    decisions = read_decisions(y_true, y_pred, sample_weight)
    chosen = decisions.classes if labels is None else np.asarray(labels)
    names = _names(chosen, target_names, given=labels is not None)
    of_labels, of_averages = _rows(decisions, chosen, names, zero_division)
    if output_dict:
        return _as_dict(of_labels + of_averages)
    return _as_text(of_labels, of_averages, names, digits)


def _names(labels: Any, target_names: Any, *, given: bool) -> list[Any]:
    if target_names is None:
        return [f"{label}" for label in labels]
    if len(labels) != len(target_names):
        if not given:
            raise InputError(
                f"Number of classes, {len(labels)}, does not match size of target_names, "
                f"{len(target_names)}. Try specifying the labels parameter"
            )
        warn(
            f"labels size, {len(labels)}, does not match size of target_names, {len(target_names)}"
        )
    return list(target_names)


def _rows(
    decisions: Decisions, labels: Any, names: list[Any], zero_division: Any
) -> tuple[list[Row], list[Row]]:
    """Rows of the labels and of the averages, from one count of the labels."""
    indicators = decisions.kind == "multilabel-indicator"
    wanted = labels.tolist()
    counts = count_labels(decisions, wanted)
    scores = scores_of(counts, None, None, zero_division=zero_division)[:3]
    columns = zip(*scores, counts.true, strict=True)
    of_labels = [(name, list(values)) for name, values in zip(names, columns, strict=False)]
    total = counts.true.sum()
    complete = not indicators and set(wanted) >= set(decisions.classes.tolist())
    of_averages = []
    for average in ("micro", "macro", "weighted", *(["samples"] if indicators else [])):
        shown = count_rows(decisions, wanted) if average == "samples" else counts
        means = scores_of(shown, average, decisions.weight, zero_division=zero_division)[:3]
        name = "accuracy" if average == "micro" and complete else f"{average} avg"
        of_averages.append((name, [*means, total]))
    return of_labels, of_averages


def _as_dict(rows: list[Row]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for name, values in rows:
        cells = dict(zip(HEADERS, map(float, values), strict=True))
        report[name] = cells["precision"] if name == "accuracy" else cells
    return report


def _as_text(of_labels: list[Row], of_averages: list[Row], names: list[Any], digits: int) -> str:
    width = max(*(len(name) for name in names), len("weighted avg"), digits)
    lines = [" " * width + " " + "".join(f" {header:>9}" for header in HEADERS), ""]
    for k, (name, values) in enumerate([*of_labels, *of_averages]):
        if k == len(of_labels):
            lines.append("")
        numbers = [f" {value:>9.{digits}f}" for value in values[:3]]
        if name == "accuracy" and k == len(of_labels):
            numbers[:2] = [" " * 10] * 2
        lines.append(f"{name:>{width}s} {''.join(numbers)} {values[3]:>9}")
    return "\n".join(lines) + "\n"
