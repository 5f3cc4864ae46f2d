"""The works of DeLong, each contestant in turn: ``pytest benchmarks/bench_delong.py``."""

from __future__ import annotations

import pytest

from .race import Work, run
from .uncertainty import delong, delong_even, delong_models


@pytest.fixture(
    scope="module",
    params=[delong, delong_even, delong_models],
    ids=["two", "two_even", "ten"],
)
def work(request: pytest.FixtureRequest, quick: bool) -> Work:
    return request.param(quick)


def test_delong(benchmark, capsys, work):
    outcome = run(work)
    benchmark.group = work.title
    with capsys.disabled():
        for name in outcome.measured:
            ratio = 1 / outcome.ratio(name)
            benchmark.extra_info[f"times faster than {name}"] = ratio
            print(
                f"\n{work.title}  {name:<34} {outcome.median(name):8.4f} s {ratio:7.1f} x", end=""
            )
    benchmark.pedantic(work.contestants[0].call, rounds=3)
