"""scikit-learn's own tests, run on `ranktally.metrics` by tests/test_metrics_sklearn_suite.py."""

from __future__ import annotations

import importlib.metadata
import os

import pytest

__all__ = ["needs_sklearn_1_9"]


def needs_sklearn_1_9() -> pytest.MarkDecorator:
    """Skip without scikit-learn 1.9, the release whose behaviour is promised.

    Where everything is required, a missing scikit-learn fails (as every skip does there), while
    another release is only told.
    """
    try:
        version = importlib.metadata.version("scikit-learn")
    except importlib.metadata.PackageNotFoundError:
        return pytest.mark.skip(reason="scikit-learn is not installed")
    reason = f"scikit-learn 1.9 is what ranktally.metrics follows, {version} is installed"
    if version.startswith("1.9."):
        return pytest.mark.skipif(False, reason=reason)
    if os.environ.get("RANKTALLY_REQUIRE_ALL") == "1":
        return pytest.mark.xfail(run=False, reason=reason)
    return pytest.mark.skip(reason=reason)
