"""Rows ordered by group and by score with their weights: whatever the path, the same numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import ranktally as rt
from ranktally._grouping import read_key
from ranktally._order import PARALLEL_ROWS, key_ends
from ranktally._validate import row_number

AREAS = ["roc_auc", "average_precision", "ks"]
BIG = PARALLEL_ROWS + 70_001  # threads share the work, and rows are dealt to several parts


def scores_of(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "uint64":
        return rng.choice(np.array([0, 1, 1 << 63, (1 << 64) - 1], np.uint64), n)
    if kind == "int8":
        return rng.integers(-128, 128, n).astype(np.int8)
    if kind == "one bit apart":
        return 1.0 + rng.integers(0, 9, n) * 2.0**-52
    if kind == "far apart":
        return rng.choice([-np.inf, -1e300, -5e-324, -0.0, 0.0, 5e-324, np.inf], n)
    scores = rng.normal(size=n).round(1).astype(kind)
    scores[rng.random(n) < 0.1] = -0.0
    return scores


KINDS = ["float32", "float64", "int8", "uint64", "one bit apart", "far apart"]


def same(a: rt.Tally, b: rt.Tally) -> None:
    for name in ("threshold", "tp", "fp"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    assert (a.n_pos, a.n_neg) == (b.n_pos, b.n_neg)


@pytest.mark.parametrize("groups", [1, 7, 400])
@pytest.mark.parametrize("kind", KINDS)
def test_areas_of_groups_are_those_of_each_group_alone(engine, kind, groups):
    """As many groups as rows, and few rows a group: classes are missing from many."""
    rng = np.random.default_rng(groups)
    n = 400
    y, s = rng.integers(0, 2, n), scores_of(kind, n, rng)
    g = rng.permutation(n) if groups == n else rng.integers(0, groups, n)
    found = rt.evaluate(label=y, scores=s, by=g, metrics=AREAS, engine=engine).columns
    values = found["value"].reshape(-1, len(AREAS))
    some = np.unique(g)
    assert len(values) == len(some)
    for k in range(0, len(some), 1 + len(some) // 40):
        mine = g == some[k]
        alone = rt.evaluate(label=y[mine], scores=s[mine], metrics=AREAS, engine=engine)
        np.testing.assert_array_equal(values[k], alone.columns["value"])


def test_groups_without_the_rows_that_lack_a_score(engine):
    """A group all of whose scores are missing stays, and is empty."""
    s = np.array([0.1, np.nan, 0.3, np.nan, 0.9, np.nan, 0.3], np.float32)
    y = np.array([0, 1, 1, 0, 1, 1, 0])
    g = np.array(["a", "b", "a", "b", "c", "c", "a"])
    found = rt.evaluate(
        label=y, scores=s, by=g, metrics="roc_auc", missing="omit", engine=engine
    ).columns
    np.testing.assert_array_equal(found["value"], [0.75, np.nan, np.nan])
    assert found["n"].tolist() == [3, 0, 1]
    ranked = rt.evaluate(
        label=y, scores=s, by=g, metrics="roc_auc", missing="worst", engine=engine
    ).columns
    np.testing.assert_array_equal(ranked["value"], [0.75, 0.5, np.nan])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_weight_zero_are_as_if_left_out(engine, kind):
    rng = np.random.default_rng(3)
    n = 300
    y, s = rng.integers(0, 2, n), scores_of(kind, n, rng)
    w = np.where(rng.random(n) < 0.4, -0.0, rng.gamma(2.0, size=n))
    w[::7] = 0.0
    some = w > 0
    same(rt.tally(y, s, w, engine=engine), rt.tally(y[some], s[some], w[some], engine=engine))


@pytest.mark.big
@pytest.mark.parametrize("kind", KINDS)
def test_weights_give_the_same_bytes_on_any_threads(engine, kind):
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, BIG), scores_of(kind, BIG, rng)
    w = np.where(rng.random(BIG) < 0.05, 0.0, rng.gamma(2.0, size=BIG))
    one = rt.tally(y, s, w, engine=engine, threads=1)
    for threads in (2, 3):
        same(rt.tally(y, s, w, engine=engine, threads=threads), one)
    whole = rng.integers(0, 3, BIG)
    found = rt.tally(y, s, whole, engine=engine, threads=2)
    row = np.repeat(np.arange(BIG), whole)
    same(found, rt.tally(y[row], s[row], engine=engine, threads=2))


@pytest.mark.big
@pytest.mark.parametrize("n_groups", [1, 3, BIG // 8])
def test_groups_give_the_same_bytes_on_any_threads(n_groups):
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 2, BIG), scores_of("float32", BIG, rng)
    g = (rng.random(BIG) ** 3 * n_groups).astype(np.int64)
    found = [
        rt.evaluate(label=y, scores=s, by=g, metrics=AREAS, engine="numba", threads=threads)
        for threads in (1, 2, 3)
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.columns["value"], found[0].columns["value"])


@pytest.mark.parametrize("threads", [1, 3])
def test_codes_of_integer_keys_lead_back_to_the_keys(threads):
    rng = np.random.default_rng(6)
    near = rng.integers(0, 900, BIG)
    gaps = pa.array(near - 450, mask=rng.random(BIG) < 0.1)
    for key, plain in (
        (near.astype(np.uint64) + np.uint64((1 << 64) - 1000), None),
        (near.astype(np.int8), None),
        (near + np.iinfo(np.int64).min, None),
        (gaps, gaps.to_pylist()),
    ):
        found = read_key(key, "key", "`by`", row_number, allow_null=True, threads=threads)
        assert found.values[found.code].tolist() == (plain or key.tolist())
        assert len(set(found.values.tolist())) == len(found.values)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "scores",
    [
        [], [0.0], [-0.0], [-0.0, 0.0], [-3.0, -0.0], [-3.0, -1.0], [-1.0, 2.0], [1.0, 2.0],
        [-np.inf, np.inf],
    ],
)  # fmt: skip
def test_bounds_of_keys(dtype, scores):
    """They hold every key; that of -0.0 is the key of 0.0, above it by one."""
    array = np.array(scores, dtype)
    bits = array.view(np.int32 if dtype is np.float32 else np.int64)
    flip = np.iinfo(bits.dtype).max
    keys = np.where(bits < 0, bits ^ flip, bits).tolist() or [0]
    assert key_ends(bits, int(flip)) == (min(keys), max(k + (k == -1) for k in keys))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("scores", [[-0.0] * 4, [-0.0, -0.0, -1.0, -2.0]])
def test_weights_where_minus_zero_is_the_largest_score(engine, dtype, scores):
    y, w = [1, 0, 1, 0], [0.5, 2.0, 1.5, 1.0]
    found = rt.tally(y, np.array(scores, dtype), w, engine=engine)
    plain = rt.tally(y, np.array(scores, dtype) + dtype(0), w, engine=engine)
    assert found.threshold.tolist() == plain.threshold.tolist()
    assert found.tp.tolist() == plain.tp.tolist()
    assert found.roc_auc() == plain.roc_auc()
