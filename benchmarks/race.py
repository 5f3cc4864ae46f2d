"""Contestants on the same arrays in the same run, called in turn so that noise hits all alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Contestant", "Goal", "Outcome", "Work", "run"]


@dataclass(frozen=True)
class Contestant:
    """One way to do the work.

    Attributes
    ----------
    name : str
    call : callable() -> result
    scale : float
        Factor from what is measured to the whole work, where `call` does a part of it.
    measures : bool
        `call` returns the measured number itself (seconds of a fresh process, bytes).
    peer : bool
        Another package's way, as opposed to a yardstick such as one bare sort.
    """

    name: str
    call: Callable[[], Any]
    scale: float = 1.0
    measures: bool = False
    peer: bool = True

    def measure(self) -> float:
        if self.measures:
            return float(self.call()) * self.scale
        begun = time.perf_counter()
        self.call()
        return (time.perf_counter() - begun) * self.scale


@dataclass(frozen=True)
class Goal:
    """What a work must reach.

    Against a contestant (or the best peer, or nothing: then `most` is in the work's own unit):
    at least `faster` times faster, or at most `most` times its time.
    """

    against: str | None
    faster: float | None = None
    most: float | None = None

    def met(self, ratio: float) -> bool:
        """Judge our time divided by theirs, or our number itself."""
        return 1.0 / ratio >= self.faster if self.faster is not None else ratio <= (self.most or 0)


BEST_PEER = "best peer"


@dataclass(frozen=True)
class Work:
    """A row of the speed table: ours is the first contestant.

    Attributes
    ----------
    title : str
    data : str
        n, dtype, prevalence, ties.
    contestants : sequence of Contestant
    goals : tuple of Goal
    unit : str
        "s", or what the numbers are multiples of.
    seconds : float
        Measuring time for each contestant; a slow one takes part in fewer rounds, but in three.
    """

    title: str
    data: str
    contestants: Sequence[Contestant]
    goals: tuple[Goal, ...] = ()
    unit: str = "s"
    seconds: float = 3.0
    rounds: int = 15


@dataclass(frozen=True)
class Outcome:
    """Numbers of each contestant, one a round."""

    work: Work
    measured: dict[str, list[float]]

    @property
    def ours(self) -> str:
        return self.work.contestants[0].name

    def median(self, name: str) -> float:
        return statistics.median(self.measured[name])

    def ratio(self, name: str) -> float:
        """Our median over theirs."""
        return self.median(self.ours) / self.median(name)

    def best_peer(self) -> str:
        peers = [c.name for c in self.work.contestants[1:] if c.peer]
        return min(peers, key=self.median)


def run(work: Work) -> Outcome:
    """Warm every contestant up, then call them in turn, round after round."""
    contestants = work.contestants
    contestants[0].measure()  # may load the kernels, which says nothing of what a round costs
    turns = {c.name: _turns(work, c.measure() / c.scale) for c in contestants}
    measured: dict[str, list[float]] = {c.name: [] for c in contestants}
    for k in range(work.rounds):
        shift = k % len(contestants)
        gc.collect()
        for c in [*contestants[shift:], *contestants[:shift]]:
            if k in turns[c.name]:
                measured[c.name].append(c.measure())
    return Outcome(work, measured)


def _turns(work: Work, cost: float) -> set[int]:
    """The rounds that a contestant takes part in, spread over all of them."""
    count = max(min(3, work.rounds), min(work.rounds, int(work.seconds / cost)))
    return {k * work.rounds // count for k in range(count)}
