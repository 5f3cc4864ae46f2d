"""Metrics as callers write them: names, aliases, calls such as ``fbeta(2)``, callables."""

from __future__ import annotations

import ast
import difflib
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._metric_table import ALIASES, METRICS, Metric
from ._types import AnyArray
from ._validate import read_thresholds
from .errors import InputError

__all__ = ["Request", "measured", "parse_metric", "read_cuts", "read_measure", "read_metrics"]

INF = math.inf


@dataclass(frozen=True)
class Request:
    """A metric as a caller asked for it: its label in the rows, table entry and function.

    `argument` is what it was passed as, for messages.
    """

    label: str
    metric: Metric
    function: Callable[..., Any]
    arguments: tuple[tuple[str, Any], ...] = ()
    is_callers: bool = False
    argument: str = "metrics"


def parse_metric(text: str, argument: str = "metrics") -> Request:
    """Read a metric written as a name, an alias or a call such as ``"fbeta(2)"``.

    The text is parsed as Python and its arguments as literals; nothing of it is run. `argument`
    is what messages call it.

    Raises
    ------
    InputError
        For an unknown name (with the near ones), or arguments that do not fit.

    Examples
    --------
    >>> parse_metric("fbeta(2)").metric.name
    'fbeta'
    """
    name, args, keywords = _parse_call(text, argument)
    metric = METRICS.get(ALIASES.get(name, name))
    if metric is None:
        near = difflib.get_close_matches(name.lower(), [*METRICS, *ALIASES], n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see ranktally.METRICS"
        raise InputError(f"`{argument}` has no metric {name!r}: {hint}")
    try:
        bound = inspect.signature(metric.bind).bind(*args, **keywords)
    except TypeError as error:
        takes = f"({', '.join(metric.parameters)})" if metric.parameters else "no arguments"
        raise InputError(f"`{argument}` {text!r}: {error}; {name} takes {takes}") from None
    try:
        function = metric.bind(*args, **keywords)
    except InputError as error:
        raise InputError(f"`{argument}` {text!r}: {error}") from None
    bound.apply_defaults()
    arguments = tuple(bound.arguments.items())
    return Request(text.strip(), metric, function, arguments, argument=argument)


def _parse_call(text: str, argument: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Name, positional and keyword arguments of a call or a bare name."""
    expected = f"`{argument}` {text!r} is no metric: write a name or a call such as fbeta(2)"
    if not isinstance(text, str):
        raise InputError(expected)
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise InputError(expected) from None
    if isinstance(node, ast.Name):
        return node.id, [], {}
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise InputError(expected)
    names = [x.arg for x in node.keywords]
    if None in names:
        raise InputError(expected)
    twice = next((x for x in names if names.count(x) > 1), None)
    if twice is not None:
        raise InputError(f"`{argument}` {text!r} gives {twice!r} twice")
    try:
        args = [ast.literal_eval(x) for x in node.args]
        keywords = {str(x.arg): ast.literal_eval(x.value) for x in node.keywords}
    except (ValueError, TypeError, SyntaxError, RecursionError):
        raise InputError(f"`{argument}` {text!r}: arguments must be plain numbers") from None
    return node.func.id, args, keywords


def read_cuts(at: Any) -> AnyArray:
    """Thresholds of a call, each once: shape (c,); empty where none are asked for.

    Raises
    ------
    InputError
        If `at` is not a number or a list of different numbers.
    """
    if at is None:
        return np.empty(0)
    wanted = "`at` must be a number or a list of numbers"
    cuts = np.atleast_1d(read_thresholds(at, "at"))
    if cuts.ndim != 1:
        raise InputError(f"{wanted}, got {at!r}")
    if not cuts.size:
        raise InputError(f"{wanted}, got an empty one: leave it out where there is no threshold")
    values, count = np.unique(cuts, return_counts=True)
    if values.size != cuts.size:
        raise InputError(f"`at` names a threshold twice: {values[count > 1][0]}")
    return cuts


def read_metrics(metrics: Any, *, has_thresholds: bool, argument: str = "metrics") -> list[Request]:
    """Requests of a call: a name or callable, a list of them, a dict of callables, or the default.

    Parameters
    ----------
    has_thresholds : bool
        Whether metrics that need a threshold have one.
    argument : str
        What messages call `metrics`.

    Raises
    ------
    InputError
        For unknown or repeated metrics, or one that needs a threshold when there is none.
    """
    if metrics is None:
        names = ["roc_auc", "average_precision"]
        metrics = [*names, "precision", "recall", "f1"] if has_thresholds else names
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if isinstance(metrics, Mapping):
        requests = [_read_callable(name, function, argument) for name, function in metrics.items()]
    elif isinstance(metrics, Sequence):
        requests = [_read_one(metric, argument) for metric in metrics]
    else:
        raise InputError(
            f"`{argument}` must be a name or a callable(tp, fp, tn, fn), a list of them, or a dict "
            f"of callables, got {metrics!r}"
        )
    if not requests:
        raise InputError(f"`{argument}` is empty: name at least one, or leave it out")
    _refuse_repeated(requests, argument)
    needy = [r.label for r in requests if r.metric.needs == "counts"]
    if needy and not has_thresholds:
        raise InputError(f"`{argument}` {needy[0]!r} needs a threshold: pass one, such as at=0.5")
    return requests


def _refuse_repeated(requests: Sequence[Request], argument: str) -> None:
    held: dict[str, Request] = {}
    for request in requests:
        other = held.setdefault(request.label, request)
        if other is not request:
            named = any(x.is_callers for x in (request, other))
            way_out = ": pass a dict, to name functions apart" if named else ""
            raise InputError(f"`{argument}` names {request.label!r} twice{way_out}")


def _read_one(metric: Any, argument: str) -> Request:
    if callable(metric):
        return _read_callable(getattr(metric, "__name__", type(metric).__name__), metric, argument)
    return parse_metric(metric, argument)


def _read_callable(name: object, function: object, argument: str) -> Request:
    if function is None or isinstance(function, str):
        raise InputError(f"`{argument}` {name!r} must be a callable(tp, fp, tn, fn)")
    if not isinstance(name, str) or not callable(function):
        raise InputError(f"`{argument}` {name!r} must map a name to a callable(tp, fp, tn, fn)")
    measure: Callable[..., Any] = function
    metric = Metric(
        name, "counts", None, (-INF, INF), None, (), "a function of the caller", lambda: measure
    )
    return Request(name, metric, measure, is_callers=True, argument=argument)


def read_measure(measure: Any, argument: str) -> Request:
    """A measure of the four counts: its name or call, or a caller's own function.

    Raises
    ------
    InputError
        For an unknown name, or a metric that is no function of the counts at one threshold.
    """
    request = _read_one(measure, argument)
    if request.metric.needs != "counts":
        raise InputError(
            f"`{argument}` {request.label!r} is no measure at a threshold: name one that is made "
            f"of tp, fp, tn and fn, such as f1"
        )
    return request


def measured(
    request: Request, counts: tuple[Any, Any, Any, Any], argument: str | None = None
) -> Any:
    """Values of a metric of counts, in float64, also of a caller's own function.

    Parameters
    ----------
    argument : str, optional
        What messages call the argument, where it is not the request's own.

    Raises
    ------
    InputError
        If the caller's function fails, or returns something else than a number for each count.
    """
    if not request.is_callers:
        return np.asarray(request.function(*counts), np.float64)
    try:
        with np.errstate(invalid="ignore", divide="ignore"):
            value, odd = _real_values(request.function(*counts))
            if not odd:
                return np.broadcast_to(value, np.shape(counts[0])).copy()
    except Exception as error:
        raise InputError(
            f"{_ruled(request, argument)}; it raised {type(error).__name__}: {error}"
        ) from error
    raise InputError(f"{_ruled(request, argument)}; it returned {odd}")


def _ruled(request: Request, argument: str | None) -> str:
    return (
        f"`{argument or request.argument}` {request.label!r}: the function must take arrays "
        f"(tp, fp, tn, fn) of one shape and return real numbers of that shape, nan where it is "
        f"undefined"
    )


def _real_values(returned: Any) -> tuple[AnyArray, str]:
    """What a function returned as float64, or what is in it that is no real number."""
    raw = np.asarray(returned)
    if raw.dtype.kind == "O" and any(x is None for x in raw.ravel()):
        return raw, "None"
    if raw.dtype.kind not in "biufO":
        return raw, "complex numbers" if raw.dtype.kind == "c" else f"{raw.dtype} values"
    return raw.astype(np.float64), ""
