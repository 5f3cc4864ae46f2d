"""AUC and average precision of many models."""

from __future__ import annotations

import pytest

from . import in_memory
from .race import Work


@pytest.fixture(scope="module")
def models(quick: bool) -> Work:
    return in_memory.models(quick)


@pytest.mark.parametrize("name", ["ranktally", "scikit-learn", "bare"])
def test_models(clock, models, name):
    clock(models, name)
