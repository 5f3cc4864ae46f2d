"""Options as scikit-learn accepts them, its refusals, and its warnings raised where the user is."""

from __future__ import annotations

import functools
import inspect
import math
import sys
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..errors import InputError, RanktallyError

__all__ = [
    "ARRAY",
    "ARRAY_OR_NONE",
    "ARRAY_OR_SPARSE",
    "BOOLEAN",
    "CONTAINER",
    "LABEL",
    "LABEL_OR_NONE",
    "ZERO_DIVISION",
    "InputTypeError",
    "InvalidParameterError",
    "NotAvailableError",
    "Rule",
    "UndefinedMetricWarning",
    "check_parameters",
    "choice",
    "is_sparse",
    "keyword_only_from",
    "number_within",
    "undefined_warning",
    "warn",
]

F = TypeVar("F", bound=Callable[..., Any])


class InvalidParameterError(InputError, TypeError):
    """An argument is of a type or value that the function does not take."""


class InputTypeError(RanktallyError, TypeError):
    """The data is of a type that no rule can read."""


class NotAvailableError(RanktallyError, NotImplementedError):
    """The combination of options has no definition."""


class UndefinedMetricWarning(UserWarning):
    """A value is undefined for this data; scikit-learn's class of this name where it is loaded."""


class Rule(NamedTuple):
    """What an option may be: in words, and as a test."""

    words: str
    accepts: Callable[[Any], bool]


def is_sparse(value: Any) -> bool:
    """Whether a value is a SciPy sparse array; none can exist before SciPy is loaded."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))


def _is_array(value: Any) -> bool:
    if isinstance(value, (np.ndarray, list, tuple)):
        return True
    if np.isscalar(value) or is_sparse(value):
        return False
    return any(hasattr(value, name) for name in ("__len__", "shape", "__array__"))


def _is_boolean(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_label(value: Any) -> bool:
    return isinstance(value, (Real, str, np.bool_))


def _is_zero_division(value: Any) -> bool:
    if isinstance(value, str):
        return value == "warn"
    return isinstance(value, Real) and (value in (0, 1) or math.isnan(value))


ARRAY = Rule("an array-like", _is_array)
ARRAY_OR_NONE = Rule("an array-like or None", lambda x: x is None or _is_array(x))
ARRAY_OR_SPARSE = Rule(
    "an array-like or a sparse array or matrix", lambda x: _is_array(x) or is_sparse(x)
)
BOOLEAN = Rule("an instance of 'bool'", _is_boolean)
LABEL = Rule("a number, a bool or a str", _is_label)
LABEL_OR_NONE = Rule("a number, a bool, a str or None", lambda x: x is None or _is_label(x))
CONTAINER = Rule("a list, a tuple or a set", lambda x: isinstance(x, (list, tuple, set)))
ZERO_DIVISION = Rule("0, 1, nan or 'warn'", _is_zero_division)


def choice(*options: str | None) -> Rule:
    """Build the rule of a few names, with None among them or not."""
    names = ", ".join(repr(x) for x in options if x is not None)
    words = f"a str among {{{names}}}" + (" or None" if None in options else "")

    def accepts(value: Any) -> bool:
        return (value is None or isinstance(value, str)) and value in options

    return Rule(words, accepts)


def number_within(
    low: float, high: float, *, above: bool = False, whole: bool = False, none: bool = False
) -> Rule:
    """Build the rule of a number in [low, high], or in (low, high] with `above`."""
    kind: type = Integral if whole else Real
    words = f"{'an int' if whole else 'a float'} in the range {'(' if above else '['}{low}, {high}]"

    def accepts(value: Any) -> bool:
        if value is None:
            return none
        if not isinstance(value, kind):
            return False
        number: Any = value
        return bool((number > low if above else number >= low) and number <= high)

    return Rule(words + (" or None" if none else ""), accepts)


def check_parameters(caller: str, **parameters: tuple[Any, Rule]) -> None:
    """Raise InvalidParameterError for the first argument that its rule does not accept."""
    for name, (value, rule) in parameters.items():
        if not rule.accepts(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {caller} must be {rule.words}. Got {value!r} instead."
            )


def undefined_warning() -> type[Warning]:
    """Return the class for undefined values: scikit-learn's own once a program has loaded it."""
    exceptions = sys.modules.get("sklearn.exceptions")
    return UndefinedMetricWarning if exceptions is None else exceptions.UndefinedMetricWarning


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of this package that asked."""
    package = __name__.rpartition(".")[0]
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(package):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level + 1)


def keyword_only_from(version: str) -> Callable[[F], F]:
    """Still accept keyword-only arguments by position, with a FutureWarning."""

    def decorate(function: F) -> F:
        names = list(inspect.signature(function).parameters)
        positional = function.__code__.co_argcount

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            extra = dict(zip(names[positional:], args[positional:], strict=False))
            if not extra or len(args) > len(names):
                return function(*args, **kwargs)
            listed = ", ".join(f"{name}={value}" for name, value in extra.items())
            warn(
                f"Pass {listed} as keyword args. From version {version} passing these as "
                f"positional arguments will result in an error",
                FutureWarning,
            )
            return function(*args[:positional], **extra, **kwargs)

        return call  # type: ignore[return-value]

    return decorate
