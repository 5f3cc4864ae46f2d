"""The works of the speed table, a contestant a benchmark. Times of fresh processes are whole."""

from __future__ import annotations

from functools import lru_cache

import pytest

from .race import Work
from .speed_table import WORKS

# How the names of a work's contestants begin; those that are not installed are skipped.
CONTESTANTS = {
    "areas": ["ranktally", "scikit-learn", "rapidstats", "polars-ds", "DuckDB", "one bare"],
    "tally": ["ranktally", "scikit-learn", "one bare"],
    "points": ["ranktally", "the `tally`", "evaluate", "rapidstats"],
    "weighted": ["ranktally", "scikit-learn", "np.argsort"],
    "models": ["ranktally", "scikit-learn", "bare"],
    "classes": ["ranktally", "scikit-learn", "bare"],
    "groups": ["ranktally", "DuckDB", "polars", "pandas"],
    "bootstrap": ["ranktally", "scikit-learn", "rapidstats", "scipy", "confidence", "np.sort"],
    "bootstrap_rows": ["ranktally"],
    "bootstrap_models": ["ranktally", "one model"],
    "bootstrap_rare": ["ranktally", "a tenth"],
    "delong": ["ranktally", "MLstatkit", "bare"],
    "delong_even": ["ranktally", "MLstatkit", "bare"],
    "delong_models": ["ranktally", "bare `np.argsort", "bare `np.sort"],
    "parquet": ["ranktally", "pyarrow", "DuckDB"],
    "import": ["ranktally", "import numpy", "import numba", "import sklearn"],
    "command": ["ranktally", "pandas"],
    "start_up": ["ranktally", "kernels compiled", "engine"],
}


@lru_cache(maxsize=1)
def built(work: str, quick: bool) -> Work:
    """The work of the tests in turn: its arrays are large, and only its own tests need them."""
    return WORKS[work](quick)


@pytest.mark.parametrize(
    ("title", "name"), [(title, name) for title, names in CONTESTANTS.items() for name in names]
)
def test_work(benchmark, quick, title, name):
    work = built(title, quick)
    found = [c for c in work.contestants if c.name.strip("`").startswith(name)]
    if not found:
        pytest.skip(f"{name} is not installed")
    benchmark.group = work.title
    benchmark.extra_info |= {"data": work.data, "times": found[0].scale}
    benchmark.pedantic(found[0].call, rounds=work.rounds // 3, warmup_rounds=1)
