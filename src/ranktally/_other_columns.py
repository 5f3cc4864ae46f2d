"""The columns of a second data set that is compared with a first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ._columns import Columns, resolve
from .errors import InputError

__all__ = ["resolve_other"]

ARGUMENTS = ("label", "scores", "weight", "cluster")


def resolve_other(
    data: Any, other: Any, names: Mapping[str, Any], models: Sequence[str], threads: int
) -> Columns:
    """Find the columns of `other`, with its models in the order of those of `data`.

    Parameters
    ----------
    data, other : object
        As of `ranktally.compare`: tables whose columns have the same names, or None and a dict of
        arguments.
    names : mapping
        The arguments that say which columns of `data` are meant.
    models : sequence of str

    Raises
    ------
    InputError
        Where a column is missing, or cannot be found by its name.
    """
    try:
        if data is None:
            columns = resolve(None, **_read_arguments(other, names), threads=threads)
        else:
            columns = resolve(other, **_named_columns(names, models), threads=threads)
    except InputError as error:
        if "`other`" in str(error):
            raise
        raise type(error)(f"of `other`: {error}") from None
    held = {column.name: column for column in columns.scores}
    if sorted(held) != sorted(models):
        raise InputError(
            f"`other` has the models {', '.join(held)} and `data` {', '.join(models)}: expected "
            f"the same ones"
        )
    return replace(columns, scores=tuple(held[name] for name in models))


def _read_arguments(other: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(other, Mapping) or not {"label", "scores"} <= set(other):
        raise InputError(
            '`other` must be a dict {"label": ..., "scores": ...} where there is no `data`'
        )
    strange = next((name for name in other if name not in ARGUMENTS), None)
    if strange is not None:
        raise InputError(f"`other` has the key {strange!r}, expected {', '.join(ARGUMENTS)}")
    for name in ("weight", "cluster"):
        if (other.get(name) is None) != (names[name] is None):
            given, lacking = (name, f"other[{name!r}]")
            if names[name] is None:
                given, lacking = lacking, given
            raise InputError(
                f"`other` and the data must both have a {name}, or neither: `{given}` is given, "
                f"`{lacking}` is not; pass both"
            )
    return dict(other)


def _named_columns(names: Mapping[str, Any], models: Sequence[str]) -> dict[str, Any]:
    given = dict(names)
    if not isinstance(given["scores"], Mapping):
        if isinstance(given["scores"], str) or _all_text(given["scores"]):
            # The models of the first data set, not what a glob finds in the second.
            given["scores"] = list(models)
        else:
            raise _unnamed("scores")
    elif not _all_text(list(given["scores"].values())):
        raise _unnamed("scores")
    for name in ("label", "weight", "cluster"):
        if given[name] is not None and not isinstance(given[name], str):
            raise _unnamed(name)
    return given


def _all_text(values: object) -> bool:
    return isinstance(values, (list, tuple)) and all(isinstance(x, str) for x in values)


def _unnamed(name: str) -> InputError:
    return InputError(
        f"`{name}` is an array, which `other` cannot hold: name a column of both data sets, or "
        f'leave `data` out and pass other={{"label": ..., "scores": ...}}'
    )
