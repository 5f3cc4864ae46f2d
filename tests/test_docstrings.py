"""The examples of every docstring give what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import ranktally

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(ranktally.__path__, "ranktally.")
    if not module.name.startswith(("ranktally.kernels", "ranktally.__main__"))
)


@pytest.mark.parametrize("name", ["ranktally", *MODULES])
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
