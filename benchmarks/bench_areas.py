"""AUC and average precision of one score column."""

from __future__ import annotations

import pytest

from . import in_memory
from .race import Work


@pytest.fixture(scope="module")
def areas(quick: bool) -> Work:
    return in_memory.areas(quick)


@pytest.mark.parametrize(
    "name", ["ranktally", "scikit-learn", "rapidstats", "polars-ds", "DuckDB", "one bare"]
)
def test_areas(clock, areas, name):
    clock(areas, name)
