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
from .errors import InputError

__all__ = ["Request", "measured", "parse_metric", "read_measure", "read_metrics"]

INF = math.inf


@dataclass(frozen=True)
class Request:
    """A metric as a caller asked for it: its label in the rows, table entry and function."""

    label: str
    metric: Metric
    function: Callable[..., Any]
    arguments: tuple[tuple[str, Any], ...] = ()
    is_callers: bool = False


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
    return Request(text.strip(), metric, function, tuple(bound.arguments.items()))


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
    try:
        args = [ast.literal_eval(x) for x in node.args]
        keywords = {str(x.arg): ast.literal_eval(x.value) for x in node.keywords}
    except (ValueError, TypeError, SyntaxError, RecursionError):
        raise InputError(f"`{argument}` {text!r}: arguments must be plain numbers") from None
    return node.func.id, args, keywords


def read_metrics(metrics: Any, *, has_thresholds: bool) -> list[Request]:
    """Requests of an ``evaluate`` call: names, one name, a dict of callables, or the default.

    Raises
    ------
    InputError
        For unknown or repeated metrics, or one that needs a threshold when there is none.
    """
    if metrics is None:
        names = ["roc_auc", "average_precision"]
        metrics = [*names, "precision", "recall", "f1"] if has_thresholds else names
    if isinstance(metrics, str):
        metrics = [metrics]
    if isinstance(metrics, Mapping):
        requests = [_read_callable(name, function) for name, function in metrics.items()]
    elif isinstance(metrics, Sequence):
        requests = [parse_metric(text) for text in metrics]
    else:
        raise InputError(f"`metrics` must be names or a dict of callables, got {metrics!r}")
    if not requests:
        raise InputError("`metrics` is empty: leave it out for roc_auc and average_precision")
    labels = [request.label for request in requests]
    repeated = next((x for x in labels if labels.count(x) > 1), None)
    if repeated is not None:
        raise InputError(f"`metrics` names {repeated!r} twice")
    needy = [r.label for r in requests if r.metric.needs == "counts"]
    if needy and not has_thresholds:
        raise InputError(f"`metrics` {needy[0]!r} needs a threshold: pass at=, such as at=0.5")
    return requests


def _read_callable(name: object, function: object) -> Request:
    if function is None or isinstance(function, str):
        raise InputError(f"`metrics` {name!r} must be a callable(tp, fp, tn, fn)")
    if not isinstance(name, str) or not callable(function):
        raise InputError(f"`metrics` {name!r} must map a name to a callable(tp, fp, tn, fn)")
    measure: Callable[..., Any] = function
    metric = Metric(
        name, "counts", None, (-INF, INF), None, (), "a function of the caller", lambda: measure
    )
    return Request(name, metric, measure, is_callers=True)


def read_measure(measure: Any, argument: str) -> Request:
    """A measure of the four counts: its name or call, or a caller's own function.

    Raises
    ------
    InputError
        For an unknown name, or a metric that is no function of the counts at one threshold.
    """
    if callable(measure):
        return _read_callable(getattr(measure, "__name__", type(measure).__name__), measure)
    request = parse_metric(measure, argument)
    if request.metric.needs != "counts":
        raise InputError(
            f"`{argument}` {request.label!r} is no measure at a threshold: name one that is made "
            f"of tp, fp, tn and fn, such as f1"
        )
    return request


def measured(request: Request, counts: tuple[Any, Any, Any, Any], argument: str) -> Any:
    """Values of a metric of counts, in float64, also of a caller's own function.

    Raises
    ------
    InputError
        If the caller's function fails, or returns something else than a number for each count.
    """
    if not request.is_callers:
        return np.asarray(request.function(*counts), np.float64)
    try:
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.asarray(request.function(*counts), np.float64)
        return np.broadcast_to(value, np.shape(counts[0])).copy()
    except Exception as error:
        raise InputError(
            f"`{argument}` {request.label!r}: the function must take arrays (tp, fp, tn, fn) of "
            f"one shape and return numbers of that shape; it raised {type(error).__name__}: {error}"
        ) from error
