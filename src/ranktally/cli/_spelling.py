"""Messages speak of Python's arguments; the shell's user knows them as options."""

from __future__ import annotations

import re

__all__ = ["as_options"]

_NAMES = (
    "label|scores|weight|by|metrics|at|pos_label|missing|on_error|threads|engine|where|classes|"
    "predictions|zero_division"
)
_QUOTED = re.compile(rf"`({_NAMES})`")
_CHOICE = re.compile(r"\b(missing|on_error|engine)=\"(\w+)\"")
_ASSIGNED = re.compile(r"\b(pos_label|at|classes)= ?")


def as_options(message: str) -> str:
    """Return a message with arguments as options: ``missing="omit"`` becomes ``--missing omit``."""
    message = message.removeprefix("`data`: ")
    message = message.replace("higher_is_better=False", "--lower-is-better")
    message = message.replace("select_threshold measures", "--test measures")
    message = _QUOTED.sub(lambda found: f"`{_option(found[1])}`", message)
    message = _CHOICE.sub(lambda found: f"{_option(found[1])} {found[2]}", message)
    return _ASSIGNED.sub(lambda found: f"{_option(found[1])} ", message)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
