"""Fresh processes: importing, the first call, the whole command. Times include the interpreter."""

from __future__ import annotations

import pytest

from . import in_processes
from .race import Work


@pytest.fixture(scope="module")
def imports(quick: bool) -> Work:
    return in_processes.imports(quick)


@pytest.fixture(scope="module")
def start_up(quick: bool) -> Work:
    return in_processes.start_up(quick)


@pytest.fixture(scope="module")
def command(quick: bool) -> Work:
    return in_processes.command(quick)


@pytest.mark.parametrize("name", ["ranktally", "import numpy", "import numba", "import sklearn"])
def test_import(clock, imports, name):
    clock(imports, name)


@pytest.mark.parametrize("name", ["ranktally", "kernels compiled", "engine"])
def test_first_call(clock, start_up, name):
    clock(start_up, name)


@pytest.mark.parametrize("name", ["ranktally", "pandas"])
def test_command(clock, command, name):
    clock(command, name)
