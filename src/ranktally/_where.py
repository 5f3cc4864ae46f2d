"""Constraints on an operating point, such as "recall >= 0.95 and fpr <= 0.01".

The text is parsed as a Python expression of which only comparisons, `and`, `or`, `not`, numbers and
metrics are known; nothing of it is run. A comparison with an undefined value is neither true nor
false, and so is its negation: only what is known to hold holds.
"""

from __future__ import annotations

import ast
import difflib
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from ._metric_table import ALIASES, METRICS
from ._requests import measured, parse_metric
from ._types import AnyArray
from .errors import InputError

__all__ = ["Cells", "Constraint", "Truth", "read_where"]

Cells: TypeAlias = tuple[Any, Any, Any, Any]
"""Counts tp, fp, tn, fn."""

Value: TypeAlias = Callable[["Cells", dict[str, Any]], Any]
Judge: TypeAlias = Callable[["Cells", dict[str, Any]], "Truth"]

MAX_LENGTH = 1000
COUNTS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "tp": lambda tp, fp, tn, fn: tp,
        "fp": lambda tp, fp, tn, fn: fp,
        "tn": lambda tp, fp, tn, fn: tn,
        "fn": lambda tp, fp, tn, fn: fn,
        "n_predicted": lambda tp, fp, tn, fn: tp + fp,
    }
)
COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
    }
)
ADVICE: Mapping[type[ast.AST], str] = MappingProxyType(
    {
        ast.BitAnd: "write `and` for `&`",
        ast.BitOr: "write `or` for `|`",
        ast.Invert: "write `not` for `~`",
        ast.NamedExpr: "write `==` or `>=` to compare",
    }
)
EXAMPLE = 'such as "recall >= 0.95 and fpr <= 0.01"'


@dataclass(frozen=True)
class Truth:
    """Where a condition is known to hold, and where it is known not to."""

    yes: AnyArray
    no: AnyArray


@dataclass(frozen=True)
class Part:
    """One comparison of a constraint, as written."""

    text: str
    judge: Judge


@dataclass(frozen=True)
class Constraint:
    """A condition on the four counts.

    Attributes
    ----------
    text : str
        As written.
    parts : tuple of Part
        Its comparisons one by one, to tell which of them is hard to meet.
    """

    text: str
    parts: tuple[Part, ...]
    _judge: Judge = field(repr=False)

    def judge(self, cells: Cells) -> tuple[Truth, list[Truth]]:
        """Truth of the whole and of each part, at each of the counts."""
        known: dict[str, Any] = {}
        whole = self._judge(cells, known)
        return whole, [part.judge(cells, known) for part in self.parts]


def read_where(text: Any) -> Constraint:
    """Parse a constraint.

    Raises
    ------
    InputError
        If it is none; the message points at the place in the text.
    """
    if isinstance(text, Constraint):
        return text
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"`where` must be a condition {EXAMPLE}, got {text!r}")
    if len(text) > MAX_LENGTH:
        raise InputError(f"`where` has {len(text)} characters, at most {MAX_LENGTH} are read")
    return _Parser(text).constraint()


class _Parser:
    """Turns the syntax tree of one constraint into functions."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[Part] = []
        # Line breaks end an expression in Python; here they are blanks like any other.
        flat = "".join(" " if c.isspace() else c for c in text)
        self.source = flat.lstrip()
        self.indent = len(flat) - len(self.source)

    def constraint(self) -> Constraint:
        if "#" in self.source:  # a comment: what follows would go unread
            raise self._wrong(self.source.index("#"), "cannot be read: leave comments out")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                node = ast.parse(self.source, mode="eval").body
        except SyntaxError as error:
            # 0 where the text ends too soon
            place = min((error.offset or len(self.source) + 1) - 1, len(self.source))
            raise self._wrong(place, f"cannot be read: write a condition {EXAMPLE}") from None
        except (ValueError, RecursionError, MemoryError, Warning):
            raise self._wrong(0, f"cannot be read: write a condition {EXAMPLE}") from None
        try:
            judge = self._condition(node)
        except RecursionError:
            raise self._wrong(0, "is nested too deeply") from None
        return Constraint(self.text.strip(), tuple(self.parts), judge)

    def _condition(self, node: ast.expr) -> Judge:
        if isinstance(node, ast.BoolOp):
            return _joined(
                [self._condition(x) for x in node.values], conjunction=isinstance(node.op, ast.And)
            )
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return _negated(self._condition(node.operand))
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, (ast.Name, ast.Call, ast.Constant)):
            self._value(node)  # an unknown name is the likelier mistake
            raise self._at(node, "is compared with nothing: write a condition such as recall > 0.9")
        raise self._unknown(node)

    def _comparison(self, node: ast.Compare) -> Judge:
        if any(type(op) not in COMPARE for op in node.ops):
            raise self._at(node, "is no comparison of numbers: use >=, >, <=, <, == or !=")
        sides = [node.left, *node.comparators]
        values = [self._value(x) for x in sides]
        steps = []
        for k, op in enumerate(node.ops):
            if all(isinstance(x, (ast.Constant, ast.UnaryOp)) for x in sides[k : k + 2]):
                raise self._at(node, "compares two numbers: name a metric on one side")
            steps.append(_compared(values[k], values[k + 1], COMPARE[type(op)]))
        judge = steps[0] if len(steps) == 1 else _joined(steps, conjunction=True)
        self.parts.append(Part(self._segment(node), judge))
        return judge

    def _value(self, node: ast.expr) -> Value:
        number = _number(node)
        if number is not None:
            return lambda cells, known: number
        if isinstance(node, ast.Name):
            return self._metric(node, node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._metric(node, node.func.id)
        raise self._unknown(node)

    def _metric(self, node: ast.expr, name: str) -> Value:
        text = self._segment(node)
        if name in COUNTS and isinstance(node, ast.Name):
            return _remembered(name, lambda cells: COUNTS[name](*cells))
        metric = METRICS.get(ALIASES.get(name, name))
        if metric is None:
            names = [x for x, m in METRICS.items() if m.needs == "counts"]
            near = difflib.get_close_matches(name, [*names, *ALIASES, *COUNTS], n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "see ranktally.METRICS"
            raise self._at(node, f"is no metric: {hint}")
        if metric.needs != "counts":
            raise self._at(node, "is no measure at a threshold: name one of tp, fp, tn and fn")
        try:
            request = parse_metric(text, "where")
        except InputError as error:
            reason = str(error).partition(": ")[2]
            raise self._at(node, f"cannot be used: {reason}") from None
        return _remembered(text, lambda cells: measured(request, cells, "where"))

    def _unknown(self, node: ast.expr) -> InputError:
        advice = next((ADVICE[type(x)] for x in ast.walk(node) if type(x) in ADVICE), None)
        return self._at(
            node,
            advice or "is not understood: compare metrics with numbers, join with and, or, not",
        )

    def _segment(self, node: ast.expr) -> str:
        return ast.get_source_segment(self.source, node) or ""

    def _at(self, node: ast.expr, problem: str) -> InputError:
        # The parser counts bytes.
        place = len(self.source.encode()[: node.col_offset].decode(errors="ignore"))
        return self._wrong(place, f"{self._segment(node)!r} {problem}")

    def _wrong(self, place: int, problem: str) -> InputError:
        start = place + self.indent
        if problem[0] != "'" and problem[0] != '"':
            rest = self.text[start : start + 20]
            problem = f"{rest!r} {problem}" if rest else f"its end {problem}"
        shown = " ".join(self.text.split())
        return InputError(f"`where` {shown!r}, character {start + 1}: {problem}")


def _number(node: ast.expr) -> float | None:
    """A number as written, perhaps with a sign."""
    sign = 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
        node = node.operand
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return None
    try:
        return sign * float(node.value)  # type: ignore[arg-type]
    except OverflowError:
        return sign * float("inf")


def _remembered(text: str, compute: Callable[[Cells], Any]) -> Value:
    """A value computed once for the counts at hand, however often it is named."""

    def value(cells: Cells, known: dict[str, Any]) -> Any:
        if text not in known:
            known[text] = compute(cells)
        return known[text]

    return value


def _compared(left: Value, right: Value, compare: Callable[[Any, Any], Any]) -> Judge:
    def judge(cells: Cells, known: dict[str, Any]) -> Truth:
        a, b = np.asarray(left(cells, known)), np.asarray(right(cells, known))
        holds = np.asarray(compare(a, b), bool)
        defined = ~(np.isnan(a) | np.isnan(b))
        return Truth(holds & defined, ~holds & defined)

    return judge


def _joined(parts: list[Judge], *, conjunction: bool) -> Judge:
    def judge(cells: Cells, known: dict[str, Any]) -> Truth:
        found = [part(cells, known) for part in parts]
        every, some = np.logical_and.reduce, np.logical_or.reduce
        if not conjunction:
            every, some = some, every
        return Truth(every([x.yes for x in found]), some([x.no for x in found]))

    return judge


def _negated(part: Judge) -> Judge:
    def judge(cells: Cells, known: dict[str, Any]) -> Truth:
        found = part(cells, known)
        return Truth(found.no, found.yes)

    return judge
