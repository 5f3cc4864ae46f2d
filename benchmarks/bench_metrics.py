"""`ranktally.metrics` against scikit-learn, function by function, on the same arrays in turn."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("sklearn")

from .race import run
from .sklearn_calls import CALLS, arrays, call

ROWS = (5_000, 100_000, 1_000_000)


@pytest.fixture(scope="module", params=ROWS, ids=lambda rows: f"{rows} rows")
def data(request: pytest.FixtureRequest, quick: bool) -> dict[str, Any]:
    return arrays(request.param // 10 if quick else request.param)


@pytest.mark.parametrize("title", CALLS)
def test_metric(benchmark, capsys, data, title):
    work = call(title, data)
    outcome = run(work)
    ratio = 1 / outcome.ratio("scikit-learn")
    rows = len(data["weight"])
    benchmark.group = f"ranktally.metrics, {rows} rows"
    benchmark.extra_info["times faster than scikit-learn"] = ratio
    benchmark.pedantic(work.contestants[0].call, rounds=len(outcome.measured["ranktally"]))
    with capsys.disabled():
        print(f"\n{rows:>9,} rows  {title:<34} {ratio:7.1f} x", end="")
