"""Which set of loops a call runs on: compiled or plain NumPy. The numbers are the same."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from .errors import InputError

__all__ = ["loops", "resampling_rows"]

# Loading numba and the cached kernels takes what NumPy needs for several million rows, compiling
# them twice that; but a process that calls again and again should not stay with the slower loops
# for ever. Once kernels are loaded they win at any size, but a type they have not met yet must be
# compiled first. `benchmarks/startup.py` measures the crossings.
COLD_ROWS = 1_000_000
WARM_ROWS = 1_000
# The NumPy loops visit groups one by one; a group costs them as much as this many rows.
ROWS_PER_GROUP = 500
# A replicate of the NumPy loops costs 160 microseconds and 18 nanoseconds a row, so that loading
# kernels pays from some forty million rows of replicates on, the fixed part counted as rows.
ROWS_PER_REPLICATE = 9_000
REPLICATE_ROWS = 40


def loops(engine: str, rows: int, groups: int = 1) -> ModuleType:
    """Return the module of loops for a call over `rows` rows (times columns) and `groups` groups.

    Raises
    ------
    InputError
        If `engine` is none of ``"auto"``, ``"numba"``, ``"numpy"``.
    """
    known = isinstance(engine, str)
    if known and engine == "auto":
        loaded = f"{__package__}.kernels" in sys.modules
        work = rows + ROWS_PER_GROUP * (groups - 1)
        engine = "numba" if work >= (WARM_ROWS if loaded else COLD_ROWS) else "numpy"
    if known and engine == "numba":
        return importlib.import_module(".kernels", __package__)
    if known and engine == "numpy":
        return importlib.import_module(".reference", __package__)
    raise InputError(f'`engine` must be "auto", "numba" or "numpy", got {engine!r}')


def resampling_rows(rows: int, models: int, replicates: int) -> int:
    """Rows, as `loops` counts them, that replicates of some models of `rows` rows come to."""
    drawn = replicates * (rows + ROWS_PER_REPLICATE) // REPLICATE_ROWS
    return models * max(rows, drawn)  # the rows themselves are ordered and counted, too
