"""Names for the types that cross module borders."""

from __future__ import annotations

from collections.abc import Callable
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
