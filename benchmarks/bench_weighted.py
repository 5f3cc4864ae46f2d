"""Every threshold of one weighted score column."""

from __future__ import annotations

import pytest

from . import in_memory
from .race import Work


@pytest.fixture(scope="module")
def weighted(quick: bool) -> Work:
    return in_memory.weighted(quick)


@pytest.mark.parametrize("name", ["ranktally", "scikit-learn", "np.argsort"])
def test_weighted(clock, weighted, name):
    clock(weighted, name)
