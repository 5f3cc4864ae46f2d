"""The engines that every behaviour test runs on, Hypothesis profiles, and the rule about skips."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

PLAIN = os.environ.get("RANKTALLY_DISABLE_JIT") == "1"
REQUIRE_ALL = os.environ.get("RANKTALLY_REQUIRE_ALL") == "1"

# Tables fit the terminal: whoever starts the tests, and from where, must not matter.
os.environ["COLUMNS"] = "100"

_COMMON = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("dev", max_examples=15, **_COMMON)
settings.register_profile("ci", max_examples=150, **_COMMON)
# The plain-Python pass repeats what the compiled kernels have met: a few examples suffice.
settings.register_profile("plain", max_examples=8, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "plain" if PLAIN else "dev"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "big: large input, left out of the plain-Python pass")


@pytest.fixture(scope="session", params=["python"] if PLAIN else ["numba", "numpy"])
def engine(request: pytest.FixtureRequest) -> str:
    """Name of the loops to run.

    "python" are the kernels without their compiler: a process started with
    RANKTALLY_DISABLE_JIT=1 runs them under the name "numba", and only the tests that ask for an
    engine are kept there. test_embedding.py starts that process and counts what passed.
    """
    return "numba" if request.param == "python" else str(request.param)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not PLAIN:
        return
    kept, dropped = [], []
    for item in items:
        wanted = "engine" in getattr(item, "fixturenames", ()) and not item.get_closest_marker(
            "big"
        )
        (kept if wanted else dropped).append(item)
    config.hook.pytest_deselected(items=dropped)
    items[:] = kept


def _skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped although RANKTALLY_REQUIRE_ALL=1: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    _skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    _skipped(report)
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what tests recorded as their "summary", from whichever worker they ran on."""
    for report in [
        r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, [])
    ]:
        for name, value in getattr(report, "user_properties", ()):
            if name == "summary":
                terminalreporter.write_line(str(value))
