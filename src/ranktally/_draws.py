"""What is drawn in a bootstrap replicate: schemes, seeds, and multiplicities of units."""

from __future__ import annotations

import operator
import secrets
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import ModuleType
from typing import Literal, TypeAlias

import numpy as np

from ._types import AnyArray, Bytes, Ints
from .errors import InputError

__all__ = [
    "SCHEMES",
    "Deletions",
    "Draws",
    "Scheme",
    "make_deletions",
    "make_draws",
    "read_seed",
    "seed_key",
]

Scheme: TypeAlias = Literal["auto", "multinomial", "stratified", "cluster", "poisson"]
SCHEMES = ("auto", "multinomial", "stratified", "cluster", "poisson")
TERMS = 40
# Blocks of a stratum that a jackknife deletes in turn.
BLOCKS = 200
# Multipliers and shifts of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable
# pseudorandom number generators", OOPSLA 2014).
MIX = ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27))


def read_seed(seed: object) -> int:
    """Check a seed, or draw one of 32 bits from the operating system.

    Raises
    ------
    InputError
        Unless `seed` is None or a whole number from 0 to 2**64 - 1.
    """
    if seed is None:
        return secrets.randbits(32)
    try:
        value = -1 if isinstance(seed, (bool, np.bool_)) else operator.index(seed)  # type: ignore[arg-type]
    except TypeError:
        value = -1
    if not 0 <= value < 1 << 64:
        raise InputError(f"`seed` must be None or a whole number from 0 to 2**64 - 1, got {seed!r}")
    return value


def seed_key(seed: int) -> AnyArray:
    """Return the two 32-bit words of a generator's key, in uint64."""
    return np.asarray([seed & 0xFFFFFFFF, seed >> 32], np.uint64)


@cache
def _poisson_steps() -> AnyArray:
    """Distribution function of a Poisson count of mean 1, in units of 2**-64, below its end."""
    terms = [Fraction(1)]
    for k in range(1, TERMS):
        terms.append(terms[-1] / k)
    e = sum(terms, Fraction(0))
    below = Fraction(0)
    steps = []
    for term in terms:
        below += term / e
        step = round(below * (1 << 64))
        if step >= 1 << 64:
            break
        steps.append(step)
    found = np.asarray(steps, np.uint64)
    found.flags.writeable = False
    return found


@dataclass(frozen=True)
class Draws:
    """How the units of a replicate are drawn; the same for all models of a call.

    Attributes
    ----------
    scheme : str
    key : ndarray of uint64, shape (2,)
    strata : tuple of int
        Units of each stratum, which are numbered one stratum after the other.
    unit : ndarray of int32, shape (n,), or None
        Unit of each row; None where each row is its own, in order.
    """

    scheme: str
    key: AnyArray
    strata: tuple[int, ...]
    unit: AnyArray | None
    _steps: AnyArray

    @property
    def n_units(self) -> int:
        return sum(self.strata)

    def draw(self, replicate: int, loops: ModuleType, counts: Bytes) -> None:
        """Write how often each unit is in a replicate."""
        if self.scheme == "poisson":
            loops.draw_poisson(self.key, replicate, 0, self._steps, counts)
            return
        first = 0
        for stratum, size in enumerate(self.strata):
            loops.draw_units(self.key, replicate, stratum, counts[first : first + size])
            first += size


def make_draws(
    scheme: str, seed: int, label: Bytes, cluster: Ints | AnyArray | None, n_clusters: int
) -> Draws:
    """Plan the draws over rows of these labels and clusters."""
    n = label.size
    strata: tuple[int, ...] = (n,)
    unit: AnyArray | None = None
    if scheme == "cluster":
        assert cluster is not None
        strata, unit = (n_clusters,), cluster.astype(np.int32)
    elif scheme == "stratified":
        unit = np.empty(n, np.int32)
        by_class = np.argsort(label, kind="stable")
        unit[by_class] = np.arange(n, dtype=np.int32)
        n_pos = int(np.count_nonzero(label))
        strata = (n - n_pos, n_pos)
    return Draws(scheme, seed_key(seed), strata, unit, _poisson_steps())


@dataclass(frozen=True)
class Deletions:
    """Units of a call in blocks, one of which is left out at a time: replicates of a jackknife.

    Attributes
    ----------
    block : ndarray of int64, shape (units,)
    size : int
        How many blocks there are.
    stratum : ndarray of int64, shape (blocks,)
        The stratum that a block is of.
    unit : ndarray of int32, shape (n,), or None
        As of `Draws`.
    name : str
        What is deleted, in words.
    """

    block: Ints
    size: int
    stratum: Ints
    unit: AnyArray | None
    name: str

    @property
    def n_units(self) -> int:
        return int(self.block.size)

    def draw(self, replicate: int, loops: ModuleType, counts: Bytes) -> None:
        """Write 1 for each unit but those of the block, which get 0."""
        np.not_equal(self.block, replicate, out=counts, casting="unsafe")


def make_deletions(draws: Draws) -> Deletions:
    """Cut the units of each stratum into at most `BLOCKS` blocks, by chance.

    Neighbours are scattered, since rows are often kept in an order that means something.
    """
    blocks, strata = [], []
    first = 0
    for stratum, size in enumerate(draws.strata):
        words = np.arange(size, dtype=np.uint64) + draws.key[0] + (draws.key[1] << np.uint64(32))
        for multiplier, shift in MIX:
            words = (words ^ (words >> np.uint64(shift))) * np.uint64(multiplier)
        words ^= words >> np.uint64(31)
        many = min(size, BLOCKS)
        block = np.empty(size, np.int64)
        block[np.argsort(words, kind="stable")] = np.arange(size) % max(many, 1)
        blocks.append(block + first)
        strata += [stratum] * many
        first += many
    units = "clusters" if draws.scheme == "cluster" else "rows"
    name = f"one of {first} blocks of {units} deleted at a time"
    if first == draws.n_units:
        name = f"one of {first} {units} deleted at a time"
    return Deletions(np.concatenate(blocks), first, np.asarray(strata, np.int64), draws.unit, name)
