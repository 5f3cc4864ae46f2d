"""Blocks of values -> the tidy columns of an `Evaluation`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._cells import Coded
from ._columns import Column
from ._grouping import Grouping
from ._measure import Block, Plan
from ._rates import STATUSES
from ._types import AnyArray
from .errors import InputError

__all__ = ["check_key_names", "tidy_columns"]

_OWN_NAMES = (
    *("model", "metric", "threshold", "value", "low", "high", "interval", "level", "baseline"),
    *("n", "n_pos", "n_neg", "status", "note"),
)


def tidy_columns(
    plan: Plan, models: Sequence[Sequence[Block]], level: float = np.nan
) -> dict[str, Any]:
    """Tidy columns: model by model, grouping by grouping, group by group, slot by slot.

    `level` is that of the intervals, where there are any.
    """
    slots = [(r.label, cut) for r in plan.requests for cut in plan.slots(r)]
    labels = [r.label for r in plan.requests]
    codes = np.asarray([labels.index(name) for name, _ in slots], np.int32)
    cuts = np.asarray([cut for _, cut in slots], np.float64)
    groups = sum(g.size for g in plan.groupings)
    n_models = len(models)
    n = groups * len(slots) * n_models
    flat = [block for model in models for block in model]

    def joined(pick: Callable[[Block], AnyArray]) -> AnyArray:
        return np.concatenate([pick(block).ravel() for block in flat])

    def each_slot(pick: Callable[[Block], AnyArray]) -> AnyArray:
        return np.repeat(joined(pick), len(slots))

    names = tuple(column.name for column in plan.columns.scores)
    low, high, interval = _intervals(flat)
    return {
        "model": Coded(np.repeat(np.arange(n_models, dtype=np.int32), n // n_models), names),
        **_key_columns(plan.groupings, len(slots), n_models),
        "metric": Coded(np.tile(codes, groups * n_models), tuple(labels)),
        "threshold": np.tile(cuts, groups * n_models),
        "value": joined(lambda b: b.value),
        "low": low,
        "high": high,
        "interval": interval,
        "level": np.where(interval.codes < 0, np.nan, level),
        "baseline": joined(lambda b: b.baseline),
        "n": each_slot(lambda b: b.n),
        "n_pos": each_slot(lambda b: b.n_pos),
        "n_neg": each_slot(lambda b: b.n_neg),
        "status": _statuses(flat, joined(lambda b: b.status)),
        "note": _notes(flat),
    }


def _statuses(flat: Sequence[Block], status: AnyArray) -> Coded:
    """Statuses that occur, "ok" first; the error of a block replaces those of its rows."""
    used = [k for k in range(len(STATUSES)) if k == 0 or (status == k).any()]
    place = np.zeros(len(STATUSES), np.int32)
    place[used] = np.arange(len(used))
    codes = place[status]
    texts = [STATUSES[k] for k in used]
    row = 0
    for block in flat:
        if block.error:
            if block.error not in texts:
                texts.append(block.error)
            codes[row : row + block.value.size] = texts.index(block.error)
        row += block.value.size
    return Coded(codes, tuple(texts))


def _intervals(flat: Sequence[Block]) -> tuple[AnyArray, AnyArray, Coded]:
    """Low, high and what they are; null in blocks without intervals."""
    low, high = (
        np.concatenate(
            [
                np.full(block.value.size, np.nan)
                if block.bounds is None
                else (block.bounds.low, block.bounds.high)[side].ravel()
                for block in flat
            ]
        )
        for side in (0, 1)
    )
    parts = [(b.value.size, "" if b.bounds is None else b.bounds.interval) for b in flat]
    return low, high, _coded(parts)


def _notes(flat: Sequence[Block]) -> Coded:
    """The note of a block, and after it those of its intervals."""
    parts: list[tuple[int, str | AnyArray]] = []
    for block in flat:
        note: str | AnyArray = block.note
        if block.bounds is not None:
            own = block.bounds.note
            note = own if not block.note else _joined(block.note, own)
        parts.append((block.value.size, note))
    return _coded(parts)


def _joined(note: str, more: AnyArray) -> AnyArray:
    return np.where(more == "", note, f"{note}, " + more)


def _coded(parts: Sequence[tuple[int, str | AnyArray]]) -> Coded:
    """Texts, one for so many rows or one a row, by their places; an empty one is null."""
    places = {"": -1}
    codes = []
    for size, texts in parts:
        some = [texts] if isinstance(texts, str) else texts.ravel().tolist()
        found = [places.setdefault(text, len(places) - 1) for text in some]
        codes.append(np.repeat(np.asarray(found, np.int32), size // max(1, len(found))))
    return Coded(np.concatenate(codes), tuple(places)[1:])


def check_key_names(groupings: Sequence[Sequence[Column]] | None) -> None:
    """Raise InputError, before the work is done, where a group key would hide a result."""
    several = groupings is not None and len(groupings) > 1
    for column in (column for grouping in groupings or () for column in grouping):
        if column.name in _OWN_NAMES or (several and column.name == "grouping"):
            raise InputError(
                f"`by` {column.name!r}: the result has a column of that name itself: rename yours"
            )


def _key_columns(groupings: Sequence[Grouping], slots: int, n_models: int) -> dict[str, Any]:
    """Group keys of every row; null where a grouping does not use the column."""
    columns: dict[str, Any] = {}
    if len(groupings) > 1:
        sizes = np.asarray([g.size * slots for g in groupings])
        codes = np.repeat(np.arange(len(groupings), dtype=np.int32), sizes)
        labels = tuple(", ".join(g.names) or "total" for g in groupings)
        columns["grouping"] = Coded(np.tile(codes, n_models), labels)
    for name in dict.fromkeys(name for g in groupings for name in g.names):
        parts = [
            g.keys[g.names.index(name)] if name in g.names else np.full(g.size, None, object)
            for g in groupings
        ]
        columns[name] = _key_column(parts, slots, n_models)
    return columns


def _key_column(parts: Sequence[AnyArray], slots: int, n_models: int) -> Any:
    kinds = {part.dtype for part in parts}
    if len(kinds) == 1 and parts[0].dtype.kind != "O":
        return np.tile(np.repeat(np.concatenate(parts), slots), n_models)
    whole = [x for part in parts for x in part.tolist()]
    if all(x is None or isinstance(x, str) for x in whole):
        categories = tuple(dict.fromkeys(x for x in whole if x is not None))
        places = {x: place for place, x in enumerate(categories)}
        codes = np.asarray([-1 if x is None else places[x] for x in whole], np.int32)
        return Coded(np.tile(np.repeat(codes, slots), n_models), categories)
    import pyarrow as pa

    keys = pa.array(whole)
    return keys.take(pa.array(np.tile(np.repeat(np.arange(len(whole)), slots), n_models)))
