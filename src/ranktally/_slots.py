"""The numbers that a result holds of each model, and how callers name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._cells import Coded
from ._requests import Request, parse_metric
from ._rows import near
from ._types import AnyArray
from .errors import InputError

__all__ = ["Slot", "coded", "make_slots", "model_place", "slot_place"]


@dataclass(frozen=True)
class Slot:
    """One number of a model: a metric, and the threshold it is at (None for an area)."""

    metric: str
    threshold: float | None
    range: tuple[float, float]

    def __str__(self) -> str:
        return self.metric if self.threshold is None else f"{self.metric} at {self.threshold:g}"


def make_slots(requests: Sequence[Request], cuts: AnyArray) -> tuple[Slot, ...]:
    """Give each metric a slot, or one for each threshold where it needs one."""
    return tuple(
        Slot(r.label, cut, r.metric.range)
        for r in requests
        for cut in (cuts.tolist() if r.metric.needs == "counts" else [None])
    )


def model_place(models: Sequence[str], model: object, role: str) -> int:
    """Find a model by name; None is the only one.

    Raises
    ------
    InputError
        For one that the result does not hold.
    """
    if model is None and len(models) == 1:
        return 0
    if model not in models:
        raise InputError(
            f"`{role}` is {model!r}, expected a model of the result{near(model, models)}"
        )
    return models.index(str(model))


def slot_place(slots: Sequence[Slot], metric: object, threshold: object) -> int:
    """Find a slot by metric, in any spelling, and threshold; None is the only one.

    Raises
    ------
    InputError
        For one that the result does not hold, or where several answer.
    """
    held = list(dict.fromkeys(slot.metric for slot in slots))
    if metric is None and len(held) == 1:
        metric = held[0]
    if metric not in held:
        name = _held_spelling(held, metric)
        if name is None:
            raise InputError(
                f"`metric` is {metric!r}, expected one of the result{near(metric, held)}"
            )
        metric = name
    found = [k for k, slot in enumerate(slots) if slot.metric == metric]
    if threshold is not None:
        found = [k for k in found if slots[k].threshold == threshold]
    if len(found) != 1:
        cuts = [s.threshold for s in slots if s.metric == metric]
        raise InputError(
            f"`threshold` is {threshold!r}, expected one of those of {metric!r}: {cuts}"
        )
    return found[0]


def _held_spelling(held: Sequence[str], metric: object) -> str | None:
    """The spelling in a result of what may be an alias."""
    try:
        wanted = parse_metric(metric, "metric")  # type: ignore[arg-type]
    except InputError:
        return None
    for label in held:
        try:
            known = parse_metric(label)
        except InputError:  # a caller's own
            continue
        if (known.metric.name, known.arguments) == (wanted.metric.name, wanted.arguments):
            return label
    return None


def coded(texts: Sequence[str]) -> Coded:
    """Texts by their places; an empty one is null."""
    names = tuple(dict.fromkeys(text for text in texts if text))
    places = {name: k for k, name in enumerate(names)}
    return Coded(np.asarray([places.get(text, -1) for text in texts], np.int32), names)
