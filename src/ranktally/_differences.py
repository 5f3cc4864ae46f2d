"""Differences of models, or of data sets, each metric by its own method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ._compare_question import Finding, Question
from ._drawn_differences import by_bootstrap, by_permutation
from ._normal_differences import by_delong, by_jackknife

__all__ = ["METHODS", "find_differences"]

METHODS: dict[str, Callable[[Question], list[list[Finding]]]] = {
    "delong": by_delong,
    "bootstrap": by_bootstrap,
    "jackknife": by_jackknife,
    "permutation": by_permutation,
}


def find_differences(question: Question, methods: Sequence[str]) -> list[list[Finding]]:
    """Findings of each pair, in the order of the requests, each metric by its own method."""
    found: dict[str, list[list[Finding]]] = {}
    for method in dict.fromkeys(methods):
        mine = [r for r, m in zip(question.requests, methods, strict=True) if m == method]
        found[method] = METHODS[method](replace(question, requests=mine))
    rows = []
    for pair in range(len(question.pairs)):
        waiting = {method: iter(table[pair]) for method, table in found.items()}
        rows.append([next(waiting[method]) for method in methods])
    return rows
