"""What the benchmark files share: the size of the data, and one contestant under the clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .race import Work


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="small sizes: a trial of the benchmarks")


@pytest.fixture(scope="session")
def quick(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--quick"))


@pytest.fixture
def clock(benchmark) -> Callable[[Work, str], None]:
    """Time the contestant of a work whose name begins so; skip one that is not installed."""

    def measure(work: Work, name: str) -> None:
        found = [c for c in work.contestants if c.name.strip("`").startswith(name)]
        if not found:
            pytest.skip(f"{name} is not installed")
        benchmark.group = work.title
        benchmark.extra_info |= {"data": work.data, "times": found[0].scale}
        benchmark.pedantic(found[0].call, rounds=work.rounds // 3, warmup_rounds=1)

    return measure
