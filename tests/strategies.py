"""Samples for Hypothesis that meet the awkward cases by construction.

Scores are drawn from a small pool, so that ties are the rule; the pools hold both zeros,
neighbouring floats, subnormals, infinities, and integers that no float64 can tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SCORE_DTYPES = (*FLOATS, *INTEGERS, "bool")


@dataclass(frozen=True)
class Sample:
    """Arrays as a caller would pass them, and the same rows as Python lists."""

    labels: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None

    @property
    def lists(self) -> tuple[list[bool], list[Any], list[float] | None]:
        weights = None if self.weights is None else self.weights.tolist()
        return self.labels.astype(bool).tolist(), self.scores.tolist(), weights

    def rows(self, index: Any) -> Sample:
        weights = None if self.weights is None else self.weights[index]
        return Sample(self.labels[index], self.scores[index], weights)


def _float_pool(dtype: str) -> list[float]:
    kind = np.dtype(dtype).type
    info = np.finfo(kind)
    half, one = kind(0.5), kind(1)
    pool = [
        kind(0.0),
        kind(-0.0),
        info.smallest_subnormal,
        -info.smallest_subnormal,
        info.tiny,
        np.nextafter(info.tiny, kind(0)),
        half,
        np.nextafter(half, one),
        np.nextafter(half, kind(0)),
        one,
        np.nextafter(one, kind(0)),
        kind(0.1),
        kind(0.7),
        kind(-3.25),
        info.max,
        info.min,
        kind(np.inf),
        kind(-np.inf),
    ]
    return [float(x) for x in pool]


def _integer_pool(dtype: str) -> list[int]:
    info = np.iinfo(dtype)
    edge = 2**53
    candidates = [
        0, 1, 2, -1, -2,
        info.max, info.max - 1, info.min, info.min + 1,
        edge - 1, edge, edge + 1, edge + 2, -edge, -edge - 1,
        2**63 - 1, 2**63, 2**63 + 1,
    ]  # fmt: skip
    return sorted({x for x in candidates if info.min <= x <= info.max})


def values(dtype: str) -> st.SearchStrategy[Any]:
    """One score of that type, often an awkward one."""
    if dtype == "bool":
        return st.booleans()
    if dtype in FLOATS:
        width = np.dtype(dtype).itemsize * 8
        return st.one_of(
            st.sampled_from(_float_pool(dtype)), st.floats(allow_nan=False, width=width)
        )
    info = np.iinfo(dtype)
    return st.one_of(
        st.sampled_from(_integer_pool(dtype)), st.integers(int(info.min), int(info.max))
    )


def _labels(n: int, *, both: bool) -> st.SearchStrategy[list[int]]:
    free = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    if both:
        return free.map(lambda y: [0, 1, *y[2:]])
    return st.one_of(free, free, free, st.just([1] * n), st.just([0] * n))


@st.composite
def samples(
    draw: st.DrawFn,
    dtypes: tuple[str, ...] = SCORE_DTYPES,
    *,
    both: bool = False,
    weights: str | None = None,
    max_size: int = 24,
) -> Sample:
    """A sample of a few rows; `weights` is None, "integral" or "real", zeros included.

    Real weights stay within a factor of 1000: what lies below a cut is a difference of sums, exact
    only in units of the larger one.
    """
    dtype = draw(st.sampled_from(dtypes))
    pool = draw(st.lists(values(dtype), min_size=1, max_size=8))
    n = draw(st.integers(2 if both else 1, max_size))
    scores = draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n))
    labels = draw(_labels(n, both=both))
    weight = None
    if weights is not None:
        one = (
            st.integers(0, 4).map(float)
            if weights == "integral"
            else st.one_of(st.sampled_from([0.0, 0.1, 0.3, 1.0, 7.0]), st.floats(0.01, 10.0))
        )
        drawn = draw(st.lists(one, min_size=n, max_size=n))
        if both:
            drawn[:2] = [x or 1.0 for x in drawn[:2]]
        weight = np.array(drawn, dtype=np.float64)
    order = draw(st.permutations(range(n)))
    sample = Sample(np.array(labels, dtype=np.int8), np.array(scores, dtype=dtype), weight)
    return sample.rows(np.array(order, dtype=np.intp))


@st.composite
def splits(draw: st.DrawFn, n: int) -> list[np.ndarray]:
    """Row numbers cut into one to four parts, some perhaps empty, in any order."""
    owner = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    parts = [np.flatnonzero(owner == k) for k in range(4)]
    return draw(st.permutations(parts))
