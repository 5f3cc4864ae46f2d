"""A Parquet file to AUC."""

from __future__ import annotations

import pytest

from . import in_processes
from .race import Work


@pytest.fixture(scope="module")
def parquet(quick: bool) -> Work:
    return in_processes.parquet(quick)


@pytest.mark.parametrize("name", ["ranktally", "pyarrow", "DuckDB"])
def test_parquet(clock, parquet, name):
    clock(parquet, name)
