"""AUC of many small groups."""

from __future__ import annotations

import pytest

from . import in_memory
from .race import Work


@pytest.fixture(scope="module")
def groups(quick: bool) -> Work:
    return in_memory.groups(quick)


@pytest.mark.parametrize("name", ["ranktally", "DuckDB", "polars", "pandas"])
def test_groups(clock, groups, name):
    clock(groups, name)
