"""One call of ours and the same of scikit-learn's: value, dtype, shape, warnings, kind of error."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ranktally.metrics as ours

theirs = pytest.importorskip("sklearn.metrics")
calibration = pytest.importorskip("sklearn.calibration")

NAMES = [name for name in ours.__all__ if name != "UndefinedMetricWarning"]


def other(name: str) -> Callable[..., Any]:
    return getattr(calibration if name == "calibration_curve" else theirs, name)


def outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """Value and warnings, or the built-in kind of the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **kwargs)
        except (ValueError, TypeError, NotImplementedError, ZeroDivisionError) as error:
            kinds = (NotImplementedError, ZeroDivisionError, ValueError, TypeError)
            return next(kind for kind in kinds if isinstance(error, kind)), str(error)
    said = {(w.category, str(w.message)) for w in caught if w.category is not RuntimeWarning}
    return value, said


def assert_same(mine: Any, yours: Any, rtol: float) -> None:
    assert type(mine) is type(yours) or isinstance(yours, float), (mine, yours)
    if isinstance(yours, tuple):
        assert len(mine) == len(yours)
        for a, b in zip(mine, yours, strict=True):
            assert_same(a, b, rtol)
    elif isinstance(yours, dict):
        assert list(mine) == list(yours)
        for key in yours:
            assert_same(mine[key], yours[key], rtol)
    elif isinstance(yours, np.ndarray):
        assert mine.dtype == yours.dtype, (mine, yours)
        assert mine.shape == yours.shape, (mine, yours)
        np.testing.assert_allclose(mine, yours, rtol=rtol, atol=1e-14)
    elif isinstance(yours, float):
        np.testing.assert_allclose(mine, yours, rtol=rtol, atol=1e-14)
    else:
        assert mine == yours


def agree(
    name: str, *args: Any, rtol: float = 1e-12, any_error: bool = False, **kwargs: Any
) -> None:
    mine = outcome(getattr(ours, name), *args, **kwargs)
    yours = outcome(other(name), *args, **kwargs)
    assert isinstance(mine[0], type) == isinstance(yours[0], type), (name, mine, yours)
    if isinstance(yours[0], type):
        assert any_error or mine[0] is yours[0], (name, mine, yours)
        return
    assert mine[1] == yours[1], (name, mine, yours)
    assert_same(mine[0], yours[0], rtol)
