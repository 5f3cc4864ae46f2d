"""Names for the types that cross module borders."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

EngineName: TypeAlias = Literal["auto", "numba", "numpy"]
Missing: TypeAlias = Literal["raise", "omit", "worst"]

Bytes: TypeAlias = npt.NDArray[np.uint8]
Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Keys: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]
AnyArray: TypeAlias = npt.NDArray[Any]
Progress: TypeAlias = "bool | Callable[[int, int], object] | None"


def real_of(value: object) -> float:
    """An argument that should be one real number as a float; nan for anything else.

    An integer that no float holds counts as infinite.
    """
    known = isinstance(value, (int, float, np.integer, np.floating, Fraction))
    if not known or isinstance(value, (bool, np.timedelta64)):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
