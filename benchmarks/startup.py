"""Where NumPy loops and compiled kernels cross: the measurements behind ``engine="auto"``.

``python -m benchmarks.startup`` prints the time of both over the number of rows in a process that
has the kernels loaded (WARM_ROWS), what loading and compiling them costs a fresh process and how
many rows the NumPy loops do in that time (COLD_ROWS), and what a group costs the NumPy loops
(ROWS_PER_GROUP).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

import data_gen
import ranktally as rt
from ranktally import _engine

from .fresh import seconds_inside
from .race import Contestant, Work, run

WARM_SIZES = (10, 100, 1000, 2000, 4000, 8000, 16000, 32000)
COLD_SIZES = (100_000, 200_000, 500_000, 1_000_000, 2_000_000, 4_000_000)
GROUP_COUNTS = (1, 100, 1000, 5000)
ROUNDS = 15
SETUP = """
import numpy as np, ranktally as rt
rng = np.random.default_rng(0)
y = rng.integers(0, 2, {rows}); s = rng.normal(size={rows}).astype("f4") + y
rt.evaluate, rt.tally
"""


def _pair(call: Callable[..., object]) -> tuple[float, float]:
    """Seconds of a call on the NumPy loops and on the kernels, called in turn."""
    ways = [Contestant(engine, partial(call, engine=engine)) for engine in ("numpy", "numba")]
    outcome = run(Work("", "", ways, rounds=ROUNDS))
    return outcome.median("numpy"), outcome.median("numba")


def _rows(n: int, dtype: str = "float32") -> tuple[np.ndarray, np.ndarray]:
    columns = data_gen.make("binormal", n, seed=1, dtype=dtype).columns
    return columns["label"], columns["score"]


def warm() -> None:
    print(f"kernels loaded (WARM_ROWS is {_engine.WARM_ROWS:,}); milliseconds NumPy / kernels")
    calls = {
        "tally": lambda y, s: partial(rt.tally, y, s),
        "evaluate": lambda y, s: partial(rt.evaluate, label=y, scores=s),
        "weighted tally": lambda y, s: partial(rt.tally, y, s, np.abs(s) + 0.1),
        "evaluate at=0.5": lambda y, s: partial(
            rt.evaluate, label=y, scores=s, at=0.5, metrics="f1"
        ),
    }
    for name, make in calls.items():
        cells = []
        for n in WARM_SIZES:
            numpy_, numba_ = _pair(make(*_rows(n)))
            cells.append(f"{n:,}: {numpy_ * 1e3:.2f} / {numba_ * 1e3:.2f}")
        print(f"  {name:<16} {'   '.join(cells)}")


def _fresh(
    rows: int, engine: str, *, call: str = "rt.evaluate(label=y, scores=s,", **how: bool
) -> float:
    code = f"{call} engine={engine!r})"
    times = [seconds_inside(code, SETUP.format(rows=rows), **how) for _ in range(3)]
    return statistics.median(times)


def cold() -> None:
    loaded = _fresh(1000, "numba")
    compiled = _fresh(1000, "numba", compiled=False)
    print(f"first call of a process, 1,000 rows (COLD_ROWS is {_engine.COLD_ROWS:,})")
    print(f"  kernels in the cache {loaded:.2f} s, compiled for the first time {compiled:.2f} s")
    for name, call in (
        ("evaluate", "rt.evaluate(label=y, scores=s,"),
        ("tally", "rt.tally(y, s,"),
        ("weighted tally", "rt.tally(y, s, np.abs(s) + 0.1,"),
    ):
        cells = []
        for n in COLD_SIZES:
            numpy_ = _fresh(n, "numpy", call=call)
            numba_ = _fresh(n, "numba", call=call)
            cells.append(f"{n:,}: {numpy_ * 1e3:.0f} / {numba_ * 1e3:.0f}")
        print(f"  {name:<16} ms NumPy / cached kernels  {'   '.join(cells)}")


def grouped(rows: int = 50_000) -> None:
    y, s = _rows(rows)
    rng = np.random.default_rng(0)
    base = 0.0
    print(f"groups, {rows:,} rows (ROWS_PER_GROUP is {_engine.ROWS_PER_GROUP:,})")
    for count in GROUP_COUNTS:
        g = rng.integers(0, count, rows)
        call = partial(rt.evaluate, label=y, scores=s, by=g, engine="numpy")
        seconds = _median(call, 3)
        kernels = _median(partial(rt.evaluate, label=y, scores=s, by=g, engine="numba"), 3)
        base = base or seconds
        told = f"  {count:>6,} groups: NumPy {seconds * 1e3:.0f} ms, kernels {kernels * 1e3:.0f} ms"
        if count > 1:
            each = (seconds - base) / (count - 1)
            told += f"; a group costs NumPy as much as {each / (base / rows):,.0f} rows"
        print(told)


def _median(call: Callable[[], object], rounds: int) -> float:
    call()
    times: Sequence[float] = [_clock(call) for _ in range(rounds)]
    return statistics.median(times)


def _clock(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    warm()
    cold()
    grouped()
