"""Every threshold of one score column."""

from __future__ import annotations

import pytest

from . import in_memory
from .race import Work


@pytest.fixture(scope="module")
def tally(quick: bool) -> Work:
    return in_memory.tally(quick)


@pytest.mark.parametrize("name", ["ranktally", "scikit-learn", "one bare"])
def test_tally(clock, tally, name):
    clock(tally, name)
