"""Fewer vertices for a curve: none that matters first, then those that matter least."""

from __future__ import annotations

import numpy as np

from ._types import AnyArray, Floats, Ints

__all__ = ["corners", "largest_error", "most_telling"]


def corners(tp: AnyArray, fp: AnyArray, y_name: str) -> AnyArray:
    """Whether each vertex is an end or a corner; the others lie on a straight line exactly.

    Parameters
    ----------
    tp, fp : ndarray, shape (k,)
        Counts at the vertices.
    y_name : str
        What the curve shows. Where both axes are shares of counts, a vertex between two steps of
        one direction is dropped, by the integer cross product. Error trade-offs (`fnr`), which are
        drawn on normal deviates, lose runs parallel to an axis, `precision` over recall those of
        one recall or one precision, `lift` those of one lift.

    Notes
    -----
    Fractional weights have no exact products: they lose runs in which a count stands still.
    """
    keep = np.ones(tp.size, bool)
    if tp.size < 3:
        return keep
    up, right = np.diff(tp), np.diff(fp)
    upright, flat = (right[:-1] == 0) & (right[1:] == 0), (up[:-1] == 0) & (up[1:] == 0)
    whole = tp.dtype.kind == "i"
    if y_name == "fnr":
        straight = upright | flat
    elif y_name == "precision":
        straight = flat | _level(tp, fp, whole)
    elif y_name == "lift":
        straight = _level(tp, fp, whole)
    elif whole:
        straight = up[:-1] * right[1:] == up[1:] * right[:-1]
    else:
        straight = upright | flat
    keep[1:-1] = ~straight
    return keep


def _level(tp: AnyArray, fp: AnyArray, whole: bool) -> AnyArray:
    """Whether the share of positives is the same at an inner vertex and at both its neighbours."""
    same = (fp[:-1] == 0) & (fp[1:] == 0) | (tp[:-1] == 0) & (tp[1:] == 0)
    if whole:
        same = tp[:-1] * fp[1:] == tp[1:] * fp[:-1]
    return np.asarray(same[:-1] & same[1:])


def most_telling(x: Floats, y: Floats, budget: int) -> Ints:
    """Indices of at most `budget` vertices whose chords stay near the curve.

    Notes
    -----
    The splitting rule of Douglas and Peucker (1973, Cartographica 10(2)) with the vertical
    distance, a whole level at a time: each round splits the worst chords at their worst vertex.
    A curve of many more vertices is thinned first to the ends and the extremes of small stretches
    of equal length. O(k) a round and about the logarithm of `budget` rounds.
    """
    candidates = _thinned(x, y, 8 * budget) if x.size > 32 * budget else np.arange(x.size)
    x, y = x[candidates], y[candidates]
    kept = np.asarray([0, x.size - 1])
    while kept.size < budget:
        gap = _gaps(x, y, kept)
        worst = np.maximum.reduceat(gap, kept[:-1])
        top = worst.max()
        if top <= 0:
            break
        chosen = np.flatnonzero(worst >= top / 2)
        if chosen.size > budget - kept.size:
            order = np.argsort(-worst[chosen], kind="stable")
            chosen = np.sort(chosen[order[: budget - kept.size]])
        split = [kept[s] + np.argmax(gap[kept[s] : kept[s + 1]]) for s in chosen.tolist()]
        kept = np.union1d(kept, split)
    return np.asarray(candidates[kept])


def _thinned(x: Floats, y: Floats, stretches: int) -> Ints:
    """First, last, lowest and highest vertex of stretches of equal length, both axes counted."""
    rise = np.abs(np.diff(y, prepend=y[0]))
    length = (x - x[0]) / (x[-1] - x[0] or 1.0) + np.cumsum(rise) / (rise.sum() or 1.0)
    stretch = np.minimum((length * (stretches / 2)).astype(np.int64), stretches - 1)
    first = np.flatnonzero(np.diff(stretch, prepend=-1))
    last = np.append(first[1:], x.size) - 1
    size = last - first + 1
    found = [first, last]
    for sign in (1.0, -1.0):
        extreme = np.repeat(np.maximum.reduceat(sign * y, first), size)
        hits = np.flatnonzero(sign * y == extreme)
        found.append(hits[np.flatnonzero(np.diff(stretch[hits], prepend=-1))])
    return np.unique(np.concatenate(found))


def _gaps(x: Floats, y: Floats, kept: Ints) -> Floats:
    """Vertical distance of every vertex from the chord above its stretch."""
    size = np.diff(kept)
    run, rise = np.diff(x[kept]), np.diff(y[kept])
    upright = run == 0
    slope = np.divide(rise, run, out=np.zeros(size.size), where=~upright)
    x0, y0 = x[kept[:-1]], y[kept[:-1]]
    gap = np.zeros(x.size)
    inner = slice(0, -1)
    # The difference first: a steep chord times its distance from 0 would swallow the digits.
    line = np.repeat(y0, size) + np.repeat(slope, size) * (x[inner] - np.repeat(x0, size))
    gap[inner] = np.abs(y[inner] - line)
    # Rounding leaves a trace at the vertices that are kept.
    gap[kept] = 0.0
    if upright.any():
        low, high = np.minimum(y0, y0 + rise), np.maximum(y0, y0 + rise)
        beside = np.maximum(np.repeat(low, size) - y[inner], y[inner] - np.repeat(high, size))
        on = np.repeat(upright, size)
        gap[inner][on] = np.maximum(beside[on], 0.0)
    return gap


def largest_error(x: Floats, y: Floats, kept: Ints) -> float:
    """Upper bound of the vertical distance between a curve and the chords of its kept vertices.

    Both are straight between neighbouring vertices, so the distance is largest at a vertex that
    was dropped. An allowance for the rounding of the distance itself is added.
    """
    largest = float(_gaps(x, y, kept).max())
    allowance = 16 * float(np.finfo(np.float64).eps) * float(np.abs(y).max())
    return largest + allowance if largest else 0.0
