"""Messages speak of Python's arguments; the shell's user knows them as options."""

from __future__ import annotations

import re

__all__ = ["as_options"]

_NAMES = (
    "label|scores|weight|by|metrics|at|pos_label|missing|on_error|threads|engine|where|classes|"
    "predictions|zero_division|baseline|method|adjust|level|n_resamples|seed|cluster|ci|ci_method|"
    "scheme"
)
_QUOTED = re.compile(rf"`({_NAMES})`")
_CHOICE = re.compile(r"\b(missing|on_error|engine|method|ci|scheme)=\"(\w+)\"(?: or \"(\w+)\")?")
_DATA = re.compile(r"^`data` ")
_ONE_CLASS = re.compile(
    "for one class against the rest pass labels == class"
    "|pass labels == class for one class against the rest"
)
_COLUMN = "for one class against the rest add a column that is 1 for it and 0 for all others"
_ALL_METRICS = "python -c 'import ranktally; print(*ranktally.METRICS)' shows all"
_ASSIGNED = re.compile(r"\b(pos_label|at|classes|cluster|n_resamples)= ?")


def as_options(message: str) -> str:
    """Return a message with arguments as options: ``missing="omit"`` becomes ``--missing omit``."""
    message = _DATA.sub("the input ", message.removeprefix("`data`: "))
    message = _ONE_CLASS.sub(_COLUMN, message)
    message = message.replace("see ranktally.METRICS", _ALL_METRICS)
    message = message.replace("`other`", "the second data set")
    message = message.replace("higher_is_better=False", "--lower-is-better")
    message = message.replace("select_threshold measures", "--test measures")
    message = _QUOTED.sub(lambda found: f"`{_option(found[1])}`", message)
    message = _CHOICE.sub(_choice, message)
    return _ASSIGNED.sub(lambda found: f"{_option(found[1])} ", message)


def _choice(found: re.Match[str]) -> str:
    other = f" or {found[3]}" if found[3] else ""
    return f"{_option(found[1])} {found[2]}{other}"


def _option(name: str) -> str:
    name = "resamples" if name == "n_resamples" else name
    return "--" + name.replace("_", "-")
