"""A pytest plugin: scikit-learn's tests find our functions where its own stood.

It is loaded (``-p tests.sklearn_suite.in_place``) before a test module of scikit-learn is imported,
and puts our functions under their names into ``sklearn.metrics`` and ``sklearn.calibration``. The
test modules import from there, and so do their tables of metrics; scikit-learn's own code imports
from its private modules and keeps its own functions. Each call of ours is counted, and with
RANKTALLY_SUITE_REPORT=path the outcome of every test is written there.
"""

from __future__ import annotations

import functools
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sklearn.calibration
import sklearn.metrics

import ranktally.metrics as ours

NAMES = tuple(name for name in ours.__all__ if name != "UndefinedMetricWarning")

# Tests that are left out, by the part of their id that tells them; each with the reason.
LEFT_OUT = {
    "array_api": "arrays of other libraries are dispatched to them; ours are computed by NumPy",
}

calls: Counter[str] = Counter()
outcomes: dict[str, str] = {}
calling: set[str] = set()
left_out: Counter[str] = Counter()


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        calls[name] += 1
        return function(*args, **kwargs)

    return call


for _name in NAMES:
    _home = sklearn.calibration if _name == "calibration_curve" else sklearn.metrics
    assert hasattr(_home, _name), f"scikit-learn has no {_name}"
    setattr(_home, _name, _counted(_name, getattr(ours, _name)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, dropped = [], []
    for item in items:
        reason = next((part for part in LEFT_OUT if part in item.name), None)
        if reason is not None:
            left_out[reason] += 1
        (kept if reason is None else dropped).append(item)
    config.hook.pytest_deselected(items=dropped)
    items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    before = calls.total()
    try:
        return (yield)
    finally:
        if calls.total() > before:
            calling.add(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = report.outcome


def summary() -> dict[str, Any]:
    tally = Counter(outcomes.values())
    return {
        "version": sklearn.__version__,
        "loaded_from": [str(Path(ours.__file__).parent), str(Path(sklearn.__file__).parent)],
        "tests": len(outcomes),
        "calling": sum(node in calling for node in outcomes),
        "passed": tally["passed"],
        "skipped": tally["skipped"],
        "failed": [node for node, outcome in outcomes.items() if outcome == "failed"],
        "left_out": dict(left_out),
        "calls": dict(calls),
    }


def pytest_sessionfinish() -> None:
    path = os.environ.get("RANKTALLY_SUITE_REPORT")
    if path:
        Path(path).write_text(json.dumps(summary()))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    s = summary()
    terminalreporter.write_line(
        f"scikit-learn {s['version']}: {s['tests']} tests, {s['calling']} call functions of "
        f"ranktally.metrics ({sum(s['calls'].values())} calls); {s['passed']} passed, "
        f"{s['skipped']} skipped, {len(s['failed'])} failed, left out {s['left_out']}"
    )
