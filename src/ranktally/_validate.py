"""The door: labels, scores and weights as they come -> a `Sample` in one contiguous layout."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ._labels import PARALLEL_ROWS, Labels, Locate, read_labels
from ._runtime import blocks, run
from ._scores import (
    Codec,
    Scores,
    check_flag,
    read_numbers,
    read_scores,
    read_thresholds,
    whole_cut,
)
from ._types import AnyArray, Bytes, Floats, Ints, Keys
from .errors import InputError

__all__ = [
    "Codec",
    "Labels",
    "Locate",
    "Sample",
    "Scores",
    "Weights",
    "check_choice",
    "check_flag",
    "make_sample",
    "read_labels",
    "read_scores",
    "read_thresholds",
    "read_weights",
    "row_number",
    "whole_cut",
]

BLOCK = 1 << 16
# Half the int64 range for 2 * n_pos * n_neg, and 62 bits of precision times a positive.
MAX_PAIRS = 1 << 62
MAX_POSITIVES = 1 << 32
SMALLEST_WEIGHT = 2.0**-800
# Of n weights each keeps its value to n**2 * 2**-114 of the largest (kernels/_rows.py); this share
# of it leaves a relative error of 2**-30 to the smallest, and less to every larger one.
FINEST_SHARE = 2.0**-84


def row_number(row: int) -> str:
    """Where a row stands when its source is an array."""
    return f"row {row}"


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise InputError unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(f'"{x}"' for x in choices[:-1])
        raise InputError(f'`{name}` must be {listed} or "{choices[-1]}", got {value!r}')


@dataclass(frozen=True)
class Weights:
    """Validated weights; `count` holds them as integers when all of them are whole."""

    value: Floats
    count: Ints | None
    any_zero: bool


@dataclass(frozen=True)
class Sample:
    """Rows that count, ready for the loops.

    Attributes
    ----------
    label : ndarray of uint8, shape (n,)
    bits : ndarray of int32 or int64, shape (n,)
        Score bits; `codec` says how they order.
    weight : ndarray of float64, shape (n,), or None
        Positive weights; rows of weight 0 are gone, unless they were to stay for a while.
    count : ndarray of int64, shape (n,), or None
        The weights as integers when all are whole.
    n_rows : int
        Rows that came in, less those omitted for missing values.
    n_null, n_nan : int
        Missing values found, of the label and of the score together.
    has_missing : bool
        Whether missing scores are among the rows, under the lowest key (``missing="worst"``).
    kept : ndarray of int64, or None
        Rows of the input that are in the sample; None when all are.
    """

    label: Bytes
    bits: Keys
    codec: Codec
    weight: Floats | None
    count: Ints | None
    n_rows: int
    n_null: int
    n_nan: int
    has_missing: bool
    kept: Ints | None

    @property
    def n(self) -> int:
        return int(self.label.size)

    def take(self, rows: Ints) -> Sample:
        """Some of the rows, given by their ascending places; nothing is missing from them."""
        bits = self.bits[rows]
        weight = count = None
        if self.weight is not None:
            weight = self.weight[rows]
            count = None if self.count is None else self.count[rows]
        last = self.has_missing and bool(np.any(bits == self.codec.missing_bits))
        kept = rows if self.kept is None else self.kept[rows]
        return Sample(
            self.label[rows], bits, self.codec, weight, count, rows.size, 0, 0, last, kept
        )


def read_weights(values: Any, what: str, locate: Locate, threads: int = 1) -> Weights:
    """Read weights: finite and not negative, nothing missing.

    Raises
    ------
    InputError
        Naming the first offending row.
    """
    numbers, null = read_numbers(values, what, locate)
    if null is not None:
        row = int(np.argmax(null))
        raise InputError(
            f"{what} has {np.count_nonzero(null)} null values, first at {locate(row)}: "
            f"fill them, with 0 to leave those rows out"
        )
    value = np.ascontiguousarray(numbers, np.float64)
    parts = blocks(value.size, threads if value.size >= PARALLEL_ROWS else 1)
    found = run([partial(_weigh, value[start:stop]) for start, stop in parts], threads)
    lowest, leasts, highs, totals, wholes = zip(*found, strict=True)
    smallest, largest, total = min(leasts), max(highs), sum(totals)
    if any(math.isnan(low) for low in lowest):
        row = int(np.argmax(~(value >= 0) | np.isinf(value)))
        raise InputError(
            f"{what} must be finite and not negative, got {value[row]} at {locate(row)}"
        )
    if not np.isfinite(total) or 0.0 < largest < SMALLEST_WEIGHT:
        raise InputError(
            f"{what} is out of the range that sums can hold (largest {largest}): rescale it, only "
            f"the proportions matter"
        )
    exact = all(wholes) and total < 2.0**53
    if not exact and smallest < largest * value.size**2 * FINEST_SHARE:
        row = int(np.argmax(value == smallest))
        raise InputError(
            f"{what} spans too much for one sum: {smallest} at {locate(row)} would be lost beside "
            f"{largest}; give such rows the weight 0 to leave them out"
        )
    count = value.astype(np.int64) if exact else None
    return Weights(value, count, any_zero=0.0 in lowest)


def _weigh(value: Floats) -> tuple[float, float, float, float, bool]:
    """Smallest weight, smallest above 0, largest, sum, and whether all are whole.

    The smallest is nan where one is nan, negative or infinite.
    """
    lowest, smallest, largest, total, whole = math.inf, math.inf, 0.0, 0.0, True
    for start in range(0, value.size, BLOCK):
        block = value[start : start + BLOCK]
        low, high = float(block.min()), float(block.max())
        if not (low >= 0.0 and high < math.inf):
            return math.nan, smallest, largest, total, whole
        lowest, largest = min(lowest, low), max(largest, high)
        # The bits of floats that are not negative order as they do; less 1, zeros are last.
        least = (block.view(np.uint64) - np.uint64(1)).min(keepdims=True) + np.uint64(1)
        smallest = min(smallest, float(least.view(np.float64)[0]) or math.inf)
        with np.errstate(over="ignore"):
            total += float(block.sum())
        whole = whole and np.array_equal(np.floor(block), block)
    return lowest, smallest, largest, total, whole


def make_sample(
    labels: Labels,
    scores: Scores,
    weights: Weights | None,
    *,
    missing: str,
    label_name: str,
    score_name: str,
    locate: Locate,
    zeros: bool = False,
) -> Sample:
    """Join validated columns under the `missing` policy.

    Rows of weight 0 are left out, unless `zeros` says that what follows will leave them out.

    Raises
    ------
    InputError
        If something is missing under ``missing="raise"``, or a label under ``"worst"``, or the
        sample has more rows than the integer sums can hold.
    """
    gone = labels.missing
    bits = scores.bits
    if missing == "raise":
        omit = 'pass missing="omit" to leave those rows out'
        worst = f'{omit} or missing="worst" to rank missing scores last'
        _refuse_missing(labels.missing, labels.n_null, labels.n_nan, label_name, locate, omit)
        _refuse_missing(scores.missing, scores.n_null, scores.n_nan, score_name, locate, worst)
    elif missing == "omit":
        if scores.missing is not None:
            gone = scores.missing if gone is None else gone | scores.missing
    elif gone is not None:
        raise InputError(
            f"{label_name} has {_missing(labels.n_null + labels.n_nan)}, first at "
            f'{locate(int(np.argmax(gone)))}: missing="worst" is for scores, a label must be '
            f'known; pass missing="omit" to leave those rows out'
        )
    elif scores.missing is not None:
        bits = _rank_last(scores, score_name)
    n_null = labels.n_null + scores.n_null
    n_nan = labels.n_nan + scores.n_nan
    n_rows = labels.value.size if gone is None else int(np.count_nonzero(~gone))
    keep = None if gone is None else ~gone
    if weights is not None and weights.any_zero and not zeros:
        keep = weights.value > 0 if keep is None else keep & (weights.value > 0)
    kept = None if keep is None else np.flatnonzero(keep)
    label = labels.value
    weight = None if weights is None else weights.value
    count = None if weights is None else weights.count
    if kept is not None:
        label, bits = label[kept], bits[kept]
        weight = None if weight is None else weight[kept]
        count = None if count is None else count[kept]
    last = missing == "worst" and scores.missing is not None
    return Sample(label, bits, scores.codec, weight, count, n_rows, n_null, n_nan, last, kept)


def _missing(count: int) -> str:
    return f"{count} missing value" + ("" if count == 1 else "s")


def _refuse_missing(
    missing: AnyArray | None, n_null: int, n_nan: int, name: str, locate: Locate, way_out: str
) -> None:
    if missing is None:
        return
    kinds = [f"{count} {kind}" for count, kind in ((n_null, "null"), (n_nan, "nan")) if count]
    raise InputError(
        f"{name} has {_missing(n_null + n_nan)} in {missing.size} ({', '.join(kinds)}), "
        f"first at {locate(int(np.argmax(missing)))}: {way_out}"
    )


def _rank_last(scores: Scores, name: str) -> Keys:
    """Give missing scores the key below all others."""
    codec = scores.codec
    missing = scores.missing
    assert missing is not None
    if codec.flip:
        bits = scores.bits.copy()
        # The bits of the float that sorts below -inf: every magnitude bit set, negative.
        bits[missing] = -1
        return bits
    if codec.width == 8 and np.any(scores.bits[~missing] == codec.lowest):
        raise InputError(
            f"{name} uses the whole range of its integer type, which leaves no place below for "
            f'missing scores: pass missing="omit" or float scores'
        )
    bits = scores.bits.copy()
    bits[missing] = codec.lowest
    return bits
