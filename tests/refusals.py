"""Errors are tested for what they name, not for their wording."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import ranktally as rt


def says(*words: object) -> str:
    """A pattern that wants every one of these in a message of one line."""
    return r"\A" + "".join(rf"(?=.*{re.escape(str(word))})" for word in words) + r".*\Z"


def refused(*words: object) -> pytest.RaisesExc:
    return pytest.raises(rt.InputError, match=says(*words))


def answer(call: Callable[[], Any], *words: object) -> Any:
    """What the call gives, or None when it refuses with a message that holds these words."""
    try:
        return call()
    except rt.InputError as error:
        message = str(error)
    assert re.match(says(*words), message), message
    return None
