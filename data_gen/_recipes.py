"""The table of recipes, and rows of them in memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _real, _synthetic
from ._stream import BLOCK, Columns, Source, Stream, Truth, spans, tell, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

RECIPES: Mapping[str, Callable[..., Source]] = {
    recipe.__name__: recipe
    for recipe in (
        _synthetic.binormal,
        _synthetic.rare,
        _synthetic.ties,
        _synthetic.points,
        _synthetic.models,
        _synthetic.nightly,
        _synthetic.groups,
        _synthetic.weights,
        _synthetic.text_labels,
        _synthetic.dirty,
        _real.breast_cancer,
        _real.digits,
    )
}
"""Name -> function whose keyword parameters are those of the recipe."""

DEFAULT_ROWS = 100_000


@dataclass(frozen=True)
class Dump:
    """Rows of a recipe and what is known about them."""

    recipe: str
    parameters: Mapping[str, object]
    seed: int
    columns: Columns
    """Name -> values; a column with nulls is a ``numpy.ma.MaskedArray``."""
    sample: Truth
    """Exact for these rows: n_rows, n_pos, n_neg and the recipe's own counts."""
    population: Truth
    """The law the rows were drawn from: roc_auc and whatever else has a closed form."""
    categories: Mapping[str, tuple[str, ...]]

    def table(self) -> pa.Table:
        """The columns as an Arrow table; masked entries are nulls, categories dictionaries."""
        return to_arrow(self.columns, self.categories)


def parameters(recipe: str) -> dict[str, Any]:
    """The parameters of a recipe and their defaults."""
    known = inspect.signature(_function(recipe)).parameters
    return {name: parameter.default for name, parameter in known.items()}


def source(recipe: str, given: Mapping[str, object]) -> Source:
    """Set a recipe up, with unknown parameters told by name."""
    known = parameters(recipe)
    for name in given:
        if name not in known:
            names = ", ".join(f"`{one}`" for one in known)
            raise ValueError(f"recipe `{recipe}` has no parameter `{name}`; it has {names}")
    return _function(recipe)(**given)


def make(recipe: str, rows: int | None = None, *, seed: int = 0, **given: Any) -> Dump:
    """Draw rows into memory.

    Parameters
    ----------
    recipe : str
        A name in `RECIPES`.
    rows : int, optional
        Default 100,000, or all rows of a real data set.
    seed : int
        The same seed gives the same rows; fewer rows are the head of more.
    **given
        Parameters of the recipe, see `parameters`.

    Returns
    -------
    Dump
    """
    drawn = source(recipe, given)
    n_rows = count_rows(recipe, drawn, rows)
    columns = Stream(drawn, seed).read(0, n_rows)
    sample = drawn.finish(tell(drawn, columns))
    everything = parameters(recipe) | given
    return Dump(recipe, everything, seed, columns, sample, drawn.population, drawn.categories)


def batches(
    recipe: str, rows: int | None = None, *, seed: int = 0, batch_rows: int = BLOCK, **given: Any
) -> Iterator[Columns]:
    """Draw rows batch by batch, in bounded memory; the rows are those of `make`."""
    drawn = source(recipe, given)
    n_rows = count_rows(recipe, drawn, rows)
    stream = Stream(drawn, seed)
    for start, stop in spans(0, n_rows, batch_rows):
        yield stream.read(start, stop)


def count_rows(recipe: str, drawn: Source, rows: int | None) -> int:
    """The number of rows to draw, checked against what the recipe has."""
    if rows is None:
        return DEFAULT_ROWS if drawn.n_rows is None else drawn.n_rows
    if rows < 1:
        raise ValueError(f"`rows` must be 1 or more, got {rows}")
    if drawn.n_rows is not None and rows > drawn.n_rows:
        raise ValueError(f"recipe `{recipe}` has {drawn.n_rows} rows, got `rows` {rows}")
    return rows


def describe(recipe: str) -> str:
    """The first line of the recipe's documentation."""
    return (inspect.getdoc(_function(recipe)) or "").splitlines()[0].replace("`", "")


def _function(recipe: str) -> Callable[..., Source]:
    if recipe not in RECIPES:
        raise ValueError(f"no recipe `{recipe}`; there are {', '.join(RECIPES)}")
    return RECIPES[recipe]
