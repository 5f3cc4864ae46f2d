"""DeLong's covariance against its definition by placements, in fractions, and what it says."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import pairwise
from typing import Any

import naive
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import samples

import ranktally as rt
from ranktally import DeLong, _delong, _placements, delong
from ranktally._binomial import clopper_pearson, jeffreys
from ranktally._columns import resolve
from ranktally._delong import delong_panel
from ranktally._engine import loops
from ranktally._normal import without_rounding, z_and_p
from ranktally._panel import read_panel

Y = [1, 1, 1, 0, 0, 0]
A = [0.9, 0.8, 0.4, 0.5, 0.3, 0.1]
B = [0.7, 0.45, 0.3, 0.6, 0.35, 0.2]


def components(
    y: list[Any], s: list[Any], w: list[Fraction]
) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Area, and of each positive and negative ``weight / class weight * (placement - area)``."""
    area = naive.roc_auc(y, s, w)
    assert area is not None
    parts: dict[bool, list[Fraction]] = {True: [], False: []}
    for side, mine in parts.items():
        own = [i for i, label in enumerate(y) if bool(label) is side]
        other = [i for i, label in enumerate(y) if bool(label) is not side]
        mass = sum(w[i] for i in own)
        for i in own:
            pick = [i, *other]
            place = naive.roc_auc([y[j] for j in pick], [s[j] for j in pick], [w[j] for j in pick])
            mine.append(w[i] / mass * (place - area))
    return area, parts[True], parts[False]


def definition(
    y: list[Any], models: list[list[Any]], w: list[Any] | None = None
) -> tuple[list[Fraction], list[list[Fraction]], list[list[Fraction]]]:
    """Areas, covariances and variances of differences; unit weights make it DeLong's own."""
    weights = [Fraction(x) for x in (w or [1] * len(y))]
    found = [components(y, s, weights) for s in models]

    def total(of: Any) -> list[list[Fraction]]:
        return [
            [
                sum(
                    Fraction(len(a[side]), len(a[side]) - 1)
                    * sum(of(p, q) for p, q in zip(a[side], b[side], strict=True))
                    for side in (1, 2)
                )
                for b in found
            ]
            for a in found
        ]

    return (
        [area for area, _, _ in found],
        total(lambda p, q: p * q),
        total(lambda p, q: (p - q) ** 2),
    )


def close(got: np.ndarray, expected: list[list[Fraction]], rel: float = 1e-13) -> None:
    """Each covariance against the product of the two standard errors."""
    exact = np.array([[float(x) for x in line] for line in expected])
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    assert np.all(np.abs(got - exact) <= rel * np.maximum(scale, exact) + 1e-30), (got, exact)


def two_of_each(rows: Any) -> bool:
    mine = rows.labels if rows.weights is None else rows.labels[rows.weights > 0]
    return 2 <= mine.sum() <= mine.size - 2


@pytest.mark.parametrize("weights", [None, "integral", "real"])
def test_the_definition(engine, weights):
    @given(samples(both=True, weights=weights), st.randoms(use_true_random=False))
    def check(rows, random):
        if not two_of_each(rows):
            return
        mixed = rows.scores.tolist()
        random.shuffle(mixed)
        table = {"a": rows.scores, "b": np.array(mixed, rows.scores.dtype), "c": rows.scores[::-1]}
        found = delong(label=rows.labels, scores=table, weight=rows.weights, engine=engine)
        keep = [i for i in range(len(mixed)) if rows.weights is None or rows.weights[i] > 0]
        lists = [[s.tolist()[i] for i in keep] for s in table.values()]
        w = None if rows.weights is None else [rows.weights.tolist()[i] for i in keep]
        areas, covariance, gaps = definition([rows.labels.tolist()[i] for i in keep], lists, w)
        for got, s, exact in zip(found.auc, table.values(), areas, strict=True):
            tally = rt.tally(rows.labels, s, rows.weights, engine=engine)
            assert got == tally.roc_auc() == pytest.approx(float(exact), abs=1e-15)
        if weights is None:
            np.testing.assert_array_equal(found.covariance, np.array(covariance, float))
            np.testing.assert_array_equal(found.difference_variance, np.array(gaps, float))
        else:
            close(found.covariance, covariance, 1e-11)
            np.testing.assert_allclose(
                found.difference_variance, np.array(gaps, float), rtol=1e-11, atol=1e-28
            )
        assert np.all(np.diag(found.difference_variance) == 0)

    check()


@pytest.mark.big
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_engines_and_threads_agree_to_the_byte(engine, dtype, weighted, monkeypatch):
    monkeypatch.setattr(_delong, "PARALLEL_SCORES", 0)
    rng = np.random.default_rng(2)
    n = 140_001
    y = (rng.random(n) < 0.1).astype(int)
    models = {
        f"m{k}": (100 * rng.normal(y / (k + 1), 1.0, n)).round(k).astype(dtype) for k in range(3)
    }
    given = {"label": y, "scores": models, "weight": rng.random(n) if weighted else None}
    first = delong(**given, engine=engine, threads=1)
    others = [delong(**given, engine=engine, threads=k) for k in (2, 3)]
    for other in [*others, delong(**given, engine="numpy", threads=1)]:
        for name in ("auc", "covariance", "difference_variance"):
            assert getattr(other, name).tobytes() == getattr(first, name).tobytes(), name


BIG = 1 << 60
FEW = np.random.default_rng(11)


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param(1.5 + 2.0**-52 * FEW.integers(0, 9, 40), id="neighbours"),
        pytest.param(
            np.append(FEW.permutation(38) * 2.0**-1074, [-1e300, 1e300]), id="subnormals far apart"
        ),
        pytest.param(
            np.append(1 + FEW.integers(0, 30, 38) * 2.0**-52, [-np.inf, np.inf]), id="infinities"
        ),
        pytest.param(FEW.choice([-0.0, 0.0, 5e-324, -5e-324], 40), id="zeros of either sign"),
        pytest.param(FEW.choice([-0.0, -1.0, -2 + 2.0**-52], 40), id="none above zero"),
        pytest.param(BIG + FEW.integers(0, 9, 40), id="wide integers"),
        pytest.param(
            np.append(FEW.integers(-6, 6, 38), [-(2**63), 2**63 - 1]), id="the whole of int64"
        ),
        pytest.param(
            np.append(FEW.integers(0, 9, 39, np.uint64), np.uint64(2**64 - 1)),
            id="the whole of uint64",
        ),
        pytest.param(FEW.integers(0, 4, 40).astype(np.int8), id="int8"),
        pytest.param(np.append(FEW.random(38, np.float32), [-0.0, 0.0]).astype("f4"), id="float32"),
        pytest.param(np.full(40, 0.1), id="all tied"),
    ],
)
def test_scores_of_every_kind(engine, scores):
    """Among them scores that differ in the last bits alone, which the sorted words leave out."""
    y = np.random.default_rng(12).permutation(np.arange(40) % 3 == 0)
    given = (scores[::-1].tolist(), scores.tolist())
    areas, covariance, gaps = definition(y.tolist(), list(given))
    strided = np.repeat(scores, 2)[::2]
    scores = scores.copy()
    scores.flags.writeable = False
    found = delong(label=y, scores={"a": strided[::-1], "b": scores}, engine=engine)
    np.testing.assert_array_equal(found.auc, np.array(areas, float))
    np.testing.assert_array_equal(found.covariance, np.array(covariance, float))
    np.testing.assert_array_equal(found.difference_variance, np.array(gaps, float))


@given(samples(both=True))
def test_row_order_and_direction_do_not_matter(engine, rows):
    if not two_of_each(rows) or rows.scores.dtype.kind in "iub":
        return
    other = np.roll(rows.scores, 1)
    first = delong(label=rows.labels, scores={"a": rows.scores, "b": other}, engine=engine)
    back = delong(
        label=rows.labels[::-1], scores={"a": rows.scores[::-1], "b": other[::-1]}, engine=engine
    )
    turned = delong(
        label=1 - rows.labels, scores={"a": rows.scores, "b": other}, higher_is_better=False,
        engine=engine,
    )  # fmt: skip
    for again in (back, turned):
        np.testing.assert_array_equal(again.auc, first.auc)
        np.testing.assert_array_equal(again.covariance, first.covariance)


# --- weights ----------------------------------------------------------------------------------


def weighted_rows(n: int, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    models = {"a": rng.normal(y, 1.0).round(1), "b": rng.normal(0.7 * y, 1.0).round(1)}
    # Heavier rows are easier: an estimator that forgets the weights would be off.
    return y, models, rng.gamma(2.0, size=n) * np.exp(0.5 * models["a"])


def test_weights_that_are_equal_change_nothing(engine):
    y, models, _ = weighted_rows(60, 1)
    plain = delong(label=y, scores=models, engine=engine)
    for weight in (1.0, 0.25, 3.0, 0.1):
        found = delong(label=y, scores=models, weight=np.full(60, weight), engine=engine)
        np.testing.assert_allclose(found.auc, plain.auc, rtol=1e-14)
        np.testing.assert_allclose(found.covariance, plain.covariance, rtol=1e-12)


def test_a_weight_is_no_number_of_rows(engine):
    """The scale of weights says nothing, so a weight of 2 cannot stand for two rows."""
    y, models, w = weighted_rows(60, 2)
    one, two = (delong(label=y, scores=models, weight=k * w, engine=engine) for k in (1, 2))
    np.testing.assert_allclose(two.covariance, one.covariance, rtol=1e-12)
    repeated = delong(
        label=np.tile(y, 2), scores={k: np.tile(s, 2) for k, s in models.items()}, engine=engine
    )
    once = delong(label=y, scores=models, engine=engine)
    assert np.all(np.diag(repeated.covariance) < 0.55 * np.diag(once.covariance))


def test_weighted_variance_against_a_jackknife(engine):
    """Each row left out in turn, class by class, the area computed anew from pairs."""
    n = 400
    y, models, w = weighted_rows(n, 3)
    found = delong(label=y, scores=models, weight=w, engine=engine)
    wins = [np.sign(s[y == 1][:, None] - s[y == 0][None, :]) / 2 + 0.5 for s in models.values()]
    jackknife = np.zeros((2, 2))
    for side in (1, 0):
        p, q = w[y == 1], w[y == 0]
        left = np.zeros((2, p.size if side else q.size))
        for i in range(left.shape[1]):
            v = np.delete(p, i) if side else p
            u = q if side else np.delete(q, i)
            for k, won in enumerate(wins):
                left[k, i] = v @ np.delete(won, i, axis=1 - side) @ u / v.sum() / u.sum()
        left -= left.mean(axis=1, keepdims=True)
        jackknife += (left.shape[1] - 1) / left.shape[1] * (left @ left.T)
    scale = np.sqrt(np.outer(np.diag(jackknife), np.diag(jackknife)))
    np.testing.assert_allclose(found.covariance / scale, jackknife / scale, rtol=0, atol=0.05)
    gap = jackknife[0, 0] + jackknife[1, 1] - 2 * jackknife[0, 1]
    assert found.difference("a", "b").standard_error == pytest.approx(math.sqrt(gap), rel=0.03)


def test_weighted_variance_against_repeated_draws():
    """Over many samples the estimate agrees with the spread of the area itself."""
    areas, differences, variances, gaps = [], [], [], []
    for seed in range(600):
        found = delong(
            **dict(zip(("label", "scores", "weight"), weighted_rows(250, seed), strict=True)),
            engine="numpy",
        )
        areas.append(found.auc[0])
        differences.append(found.auc[0] - found.auc[1])
        variances.append(found.covariance[0, 0])
        gaps.append(found.difference_variance[0, 1])
    # A variance from 600 draws is itself off by about 6 %.
    assert np.mean(variances) == pytest.approx(np.var(areas), rel=0.2)
    assert np.mean(gaps) == pytest.approx(np.var(differences), rel=0.2)


# --- whole numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize("largest", [3, 1 << 20, (1 << 31) - 1])
def test_sums_of_products_do_not_overflow(engine, largest):
    """Beyond what rows could be laid out for: a chunk of products is as long as int64 allows."""
    rng = np.random.default_rng(3)
    counted = rng.integers(-largest, largest, (3, 2500), np.int32, endpoint=True)
    counted[:, :2000:7] = largest
    counted[1] = -largest
    for threads in (1, 2):
        got = _placements._products(counted, 3, 2450, largest, loops(engine, 1), threads)
        exact = [[int(x) for x in row] for row in counted[:, 3:2450]]
        assert got == [
            [sum(p * q for p, q in zip(a, b, strict=True)) for b in exact] for a in exact
        ]


def test_rows_beyond_a_word(engine, monkeypatch):
    monkeypatch.setattr(_placements, "MAX_ROWS", 6)
    with refused("6 rows", "2**31"):
        delong(label=Y, scores=A, engine=engine)


@pytest.mark.parametrize("missing", ["raise", "omit", "worst"])
def test_models_already_read(engine, missing):
    """The door for samples gives what the door for columns does."""
    y, models, w = weighted_rows(60, 4)
    if missing != "raise":
        models["a"][[3, 8]] = np.nan
    for weight in (None, w):
        given = {"label": y, "scores": models, "weight": weight}
        direct = delong(**given, missing=missing, level=0.9, engine=engine)
        panel = read_panel(resolve(None, **given), None, True, missing, 1)
        found = delong_panel(panel, level=0.9, loops=loops(engine, 1), threads=1)
        assert found.covariance.tobytes() == direct.covariance.tobytes()
        assert found.interval("a") == direct.interval("a")
        assert (found.n_used, found.n_missing) == (direct.n_used, direct.n_missing)
        assert found.n_rows == (58 if missing == "omit" else 60)


# --- intervals and differences ----------------------------------------------------------------


def test_interval(engine):
    found = delong(label=Y, scores={"a": A, "b": B}, level=0.9, engine=engine)
    z = 1.6448536269514722
    x = found.interval("b")
    error = math.sqrt(2 / 27)
    assert (x.estimate, x.level, x.kind, x.status) == (2 / 3, 0.9, "plain", "ok")
    assert x.low == pytest.approx(2 / 3 - z * error, rel=1e-13)
    assert (x.high, x.clipped) == (1.0, True)
    logit = found.interval("b", "logit")
    for end, sign in ((logit.low, -1), (logit.high, 1)):
        expected = math.log(2) + sign * z * error / (2 / 9)
        assert math.log(end / (1 - end)) == pytest.approx(expected, rel=1e-12)
    assert (logit.status, logit.clipped) == ("ok", False)
    assert found.standard_error[1] == pytest.approx(error, rel=1e-14)
    assert logit.standard_error == found.standard_error[1]
    assert x.note == "few_positives, few_negatives, clipped"
    assert logit.note == "few_positives, few_negatives"
    narrow = delong(label=Y, scores={"a": A, "b": B}, level=0.5, engine=engine)
    for kind in ("plain", "logit"):
        assert found.interval("b", kind, 0.5) == narrow.interval("b", kind)
    assert found.difference("a", "b", 0.5) == narrow.difference("a", "b")
    with refused("level", "1.5"):
        found.interval("b", level=1.5)
    with refused("level", "1.5"):
        found.difference("a", "b", level=1.5)
    many = delong(label=Y * 20, scores=A * 20, engine=engine)
    assert (many.interval().note, many.n_pos) == ("", 60)


@given(samples(both=True), st.sampled_from(["plain", "logit"]), st.floats(0.01, 0.999999))
def test_intervals_stay_in_range_and_around_the_area(engine, rows, kind, level):
    found = delong(label=rows.labels, scores=rows.scores, level=level, engine=engine)
    x = found.interval(kind=kind)
    assert x.estimate == found.auc[0]
    if two_of_each(rows):
        assert 0 <= x.low <= x.estimate <= x.high <= 1
        assert (x.low == x.high) is (x.status == "zero_variance")
    else:
        assert x.status in ("one_positive", "one_negative")
        assert math.isnan(x.low)
        assert math.isnan(x.high)


def test_an_area_that_rounds_to_one(engine):
    w = [1e17, 1e17, 1.0, 1.0, 1.0]
    found = delong(label=[1, 1, 0, 0, 1], scores=[8, 9, 1, 2, 0], weight=w, engine=engine)
    x = found.interval(kind="logit")
    assert (x.low, x.estimate, x.high) == (1.0, 1.0, 1.0)
    assert x.status == "zero_variance"  # a standard error of 1e-17


def test_a_variance_so_large_that_the_logit_overflows(engine):
    found = delong(label=[1, 1, 0, 0], scores=[1, 4, 2, 3], level=1 - 1e-12, engine=engine)
    x = found.interval(kind="logit")
    assert 0 <= x.low < 0.01
    assert 0.99 < x.high <= 1


def test_difference_of_models_that_rank_alike(engine):
    monotone = [x**3 for x in A]
    d = delong(label=Y, scores={"a": A, "b": monotone}, engine=engine).difference("a", "b")
    assert (d.low, d.estimate, d.high, d.z, d.p) == (0, 0, 0, 0, 1)
    assert d.status == "zero_variance"


def test_difference_without_variance(engine):
    """A perfect model against one that ties all: a gap, and nothing to measure it by."""
    found = delong(label=Y, scores={"a": Y, "b": [7] * 6}, engine=engine)
    d = found.difference("a", "b")
    assert (d.low, d.estimate, d.high, d.status) == (0.5, 0.5, 0.5, "zero_variance")
    assert math.isnan(d.z)
    assert math.isnan(d.p)


def test_rounding_is_no_standard_error(engine):
    """Models whose areas fall short of one another by rounding alone, with weights."""
    y = np.tile([1, 1, 0, 0], 25)
    w = np.tile([0.1, 0.3, 0.7, 0.2], 25)
    models = {"a": np.tile([4, 2, 3, 1], 25), "b": np.tile([4, 3, 2, 1], 25)}
    same = delong(label=y, scores={**models, "c": models["a"] * 2}, weight=w, engine=engine)
    d = same.difference("a", "c")
    assert (d.standard_error, d.z, d.p, d.status) == (0.0, 0.0, 1.0, "zero_variance")
    # All placements alike: a positive is above this share of the negatives' weight.
    y, w = np.array([1, 1, 1, 0, 0]), np.array([0.1, 0.7, 0.3, 0.1, 0.3])
    flat = delong(label=y, scores={"a": [2, 2, 2, 2, 2], "b": [3, 3, 3, 1, 1]}, weight=w)
    assert not flat.covariance.any()
    assert flat.interval("a").status == "zero_variance"
    d = flat.difference("a", "b")
    assert (d.estimate, d.status) == (-0.5, "zero_variance")
    assert math.isnan(d.p)


def test_without_rounding():
    scale = np.array([1.0, 1e-6, np.nan])
    products, gaps = without_rounding(np.full((3, 3), 1e-25), np.full((3, 3), 1e-25), scale)
    assert products[0].tolist() == products[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert products[1, 1] == products[2, 2] == 1e-25
    assert gaps.tolist() == [[0.0, 0.0, 1e-25], [0.0, 1e-25, 1e-25], [1e-25] * 3]
    large, _ = without_rounding(np.full((1, 1), 1e300), np.zeros((1, 1)), np.array([1e300]))
    assert large[0, 0] == 0.0
    assert z_and_p(1e-13, 0.0, 1.0) == (0.0, 1.0)
    assert all(map(math.isnan, z_and_p(1e-13, 0.0, 0.01)))


@pytest.mark.parametrize("missing", ["raise", "omit"])
def test_no_row_is_left(engine, missing, tmp_path):
    given = {"missing": missing, "engine": engine}
    arrays = {"label": [1, 0, 1], "scores": [0.5, 0.6, 0.1], "weight": [0, 0, 0]}
    for call in (delong, rt.jackknife, rt.bootstrap):
        with refused("no row is left", "all 3", "weight 0", "`weight`"):
            call(**arrays, **given)
    with refused("no row is left", "'w'", "all 2", "x.csv"):
        (tmp_path / "x.csv").write_text("y,s,w\n1,0.5,0\n0,0.4,0\n")
        delong(tmp_path / "x.csv", label="y", scores="s", weight="w", **given)


def test_every_row_is_omitted(engine):
    gaps = {"a": [None, 0.3, 0.2], "b": [0.3, None, 0.1]}
    given = {"label": [1, 0, 1], "missing": "omit", "engine": engine}
    for call in (delong, rt.jackknife, rt.bootstrap):
        with refused("no row is left", "2 of 3 are omitted", "1 of 3 have weight 0"):
            call(scores=gaps, weight=[1, 1, 0], **given)
        with refused("no row is left", "all 3 are omitted for missing values", "'a'"):
            call(scores={"b": [1, 2, 3], "a": np.full(3, np.nan)}, **given)


def test_near_twins_keep_their_digits(engine):
    """One pair swapped among many rows: the variance of the difference would cancel."""
    n = 4000
    y = np.arange(n) % 2
    a = np.arange(n, dtype=float) + 3 * n * y  # nearly perfect
    a[1], a[0] = 0.5, 0.25
    b = a.copy()
    b[[2, 5]] = b[[5, 2]]
    found = delong(label=y, scores={"a": a, "b": b}, engine=engine)
    _, _, gaps = direct(y, a, b)
    assert found.difference_variance[0, 1] == pytest.approx(gaps, rel=1e-12)


def direct(y: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[float, float, float]:
    """Areas and the variance of their difference, from all pairs at once."""
    parts = []
    for s in (a, b):
        won = np.sign(s[y == 1][:, None] - s[y == 0][None, :]) / 2 + 0.5
        parts.append((won.mean(axis=1), won.mean(axis=0)))
    gap = sum(np.var(p - q, ddof=1) / p.size for p, q in zip(*parts, strict=True))
    return float(parts[0][0].mean()), float(parts[1][0].mean()), float(gap)


def test_small_p_values_do_not_vanish(engine):
    rng = np.random.default_rng(5)
    y = np.arange(3000) % 2
    d = delong(
        label=y, scores={"a": rng.normal(1.5 * y), "b": rng.normal(size=3000)}, engine=engine
    ).difference("a", "b")
    assert d.z > 15
    assert 0 < d.p < 1e-50


def test_the_sign_of_z_says_which_is_better(engine):
    found = delong(label=Y, scores={"a": A, "b": B}, engine=engine)
    there, back = found.difference("a", "b"), found.difference("b", "a")
    assert (there.z, there.p, there.low) == (-back.z, back.p, -back.high)
    assert there.estimate > 0 < there.z


# --- what the rows are ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "status"),
    [([1, 0, 0], "one_positive"), ([1, 1, 0], "one_negative"), ([1, 0], "one_positive"),
     ([1, 1, 1], "no_negatives"), ([0, 0], "no_positives")],
)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_too_few_rows_of_a_class(engine, labels, status, weighted):
    s = [0.3, 0.1, 0.7][: len(labels)]
    w = [0.5] * len(labels) if weighted else None
    found = delong(label=labels, scores={"a": s, "b": s}, weight=w, engine=engine)
    np.testing.assert_equal(found.auc[0], rt.tally(labels, s, w, engine=engine).roc_auc())
    for x in (found.interval("a"), found.interval("a", "logit"), found.difference("a", "b")):
        assert x.status == status
        assert math.isnan(x.low)
        assert math.isnan(x.high)
    assert np.isnan(found.covariance).all()
    assert status.replace("_", " ") in str(found)


def test_rows_missing_in_one_model_are_left_out_of_all(engine):
    table = {
        "y": [1, 0, 1, 0, None, 0, 1, 1],
        "a": [0.9, 0.4, None, 0.5, 0.3, 0.1, 0.2, 0.6],
        "b": [0.5, 0.6, 0.2, math.nan, 0.3, 0.2, 0.4, 0.3],
    }
    given = {"label": "y", "scores": ["a", "b"], "engine": engine}
    with refused("missing", "omit"):
        delong(table, **given)
    found = delong(table, **given, missing="omit")
    assert (found.n_rows, found.n_used, found.n_pos, found.n_neg) == (8, 5, 3, 2)
    assert found.n_missing == (1, 1)
    keep = [0, 1, 5, 6, 7]
    again = delong({k: [v[i] for i in keep] for k, v in table.items()}, **given)
    assert found.covariance.tobytes() == again.covariance.tobytes()
    assert "5 of 8 rows" in str(found)
    assert "a lacks 1" in str(found)


def test_missing_scores_can_rank_last(engine):
    y, s = [1, 0, 1, 0, 1], [0.9, None, 0.4, 0.5, None]
    found = delong(label=y, scores={"a": s}, missing="worst", engine=engine)
    _, covariance, _ = definition(y, [[-1.0 if x is None else x for x in s]])
    close(found.covariance, covariance)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"level": 0}, ["level", "0"]),
        ({"level": "0.95"}, ["level", "0.95"]),
        ({"level": math.nan}, ["level", "nan"]),
        ({"level": 1 - 2**-53}, ["level", "1e-12", "0.9999999999999999"]),
        ({"level": 1e-300}, ["level", "1e-12", "1e-300"]),
        ({"level": None}, ["level", "None"]),
        ({"missing": "drop"}, ["missing", "drop"]),
        ({"engine": "gpu"}, ["engine", "gpu"]),
        ({"threads": 0}, ["threads", "0"]),
        ({"label": [1, 2, 1, 2, 2, 2]}, ["pos_label"]),
        ({"weight": [1, 2, -1, 1, 1, 1]}, ["weight", "row 2"]),
        ({"scores": {"a": A, "b": B[:5]}}, ["6", "5"]),
    ],
)
def test_refused(change, words):
    with refused(*words):
        delong(**{"label": Y, "scores": {"a": A, "b": B}, **change})


def test_models_and_kinds_are_named():
    found = delong(label=Y, scores={"alpha": A, "beta": B})
    with refused("model", "alpa", "alpha"):
        found.interval("alpa")
    with refused("model", "None"):
        found.interval()
    with refused("b", "gamma"):
        found.difference("alpha", "gamma")
    with refused("kind", "probit"):
        found.interval("alpha", "probit")
    assert delong(label=Y, scores=A).interval().estimate == 8 / 9


# --- handing on -------------------------------------------------------------------------------


def test_result_travels(engine):
    found = delong(label=Y, scores={"a": A, "b": B, "c": A}, engine=engine)
    table = found.to_arrow()
    assert table.column("model").to_pylist() == ["a", "b", "c"]
    assert table.column("value").to_pylist() == found.auc.tolist()
    assert table.column("high").to_pylist() == [1.0, 1.0, 1.0]
    assert set(table.column("note").to_pylist()) == {"few_positives, few_negatives, clipped"}
    wide = found.to_arrow("logit", 0.99).to_pylist()
    assert [(row["low"], row["level"]) for row in wide] == [
        (found.interval(m, "logit", 0.99).low, 0.99) for m in "abc"
    ]
    nothing = delong(label=[1, 0, 0], scores=[0.1, 0.2, 0.3], engine=engine).to_arrow()
    (row,) = nothing.to_pylist()
    assert (row["value"], row["status"]) == (0.0, "one_positive")
    assert [row[k] for k in ("low", "high", "interval", "level")] == [None] * 4
    assert set(table.column("interval").to_pylist()) == {"DeLong plain"}
    assert pa.table(found).equals(table)
    logit = found.to_arrow("logit")
    assert logit.column("low").to_pylist() == [found.interval(m, "logit").low for m in "abc"]
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(again, DeLong)
    assert again.covariance.tobytes() == found.covariance.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        found.covariance[0, 0] = 1.0


def test_text():
    text = str(delong(label=Y, scores={"a": A, "b": B, "twin": A}))
    lines = text.splitlines()
    assert lines[0] == "DeLong, 6 of 6 rows, 3 positive, 3 negative"
    assert lines[2].split(maxsplit=5) == [
        "a", "0.8889", "0.1571", "0.5809", "1.0000", "few positives, few negatives, clipped"
    ]  # fmt: skip
    assert "a - twin" in text
    assert "zero variance" in text
    assert lines[-1] == "intervals: 95 % DeLong plain"
    assert all(line == line.rstrip() for line in lines)


def test_files_and_globs(engine, tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"y": Y, "m_a": A, "m_b": B}), tmp_path / "x.parquet")
    found = delong(tmp_path / "x.parquet", label="y", scores="m_*", engine=engine)
    assert found.models == ("m_a", "m_b")
    assert found.difference("m_a", "m_b").z == pytest.approx(math.sqrt(2), rel=1e-14)


@pytest.mark.big
def test_a_million_rows(engine):
    n = 1_000_000
    found = delong(label=np.arange(n) % 2, scores=np.arange(n), engine=engine)
    m = n // 2
    assert found.covariance[0, 0] == float(Fraction(m + 1, 6 * m**2))


# --- shares of counts -------------------------------------------------------------------------


@pytest.mark.parametrize("interval", [clopper_pearson, jeffreys])
def test_intervals_of_shares(interval):
    stats = pytest.importorskip("scipy.stats")
    k, n = (x.ravel() for x in np.meshgrid(np.arange(0, 31), np.arange(0, 31)))
    k, n = k[k <= n], n[k <= n]
    low, high = interval(k, n, 0.9)
    assert np.isnan(low[n == 0]).all()
    assert np.isnan(high[n == 0]).all()
    k, n, low, high = (x[n > 0] for x in (k, n, low, high))
    assert np.all((low >= 0) & (low <= k / n) & (k / n <= high) & (high <= 1))
    np.testing.assert_array_equal(low[k == 0], 0)
    np.testing.assert_array_equal(high[k == n], 1)
    inner = (k > 0) & (k < n)
    if interval is clopper_pearson:
        np.testing.assert_allclose(stats.binom.sf(k - 1, n, low)[inner], 0.05, rtol=1e-9)
        np.testing.assert_allclose(stats.binom.cdf(k, n, high)[inner], 0.05, rtol=1e-9)
    else:
        np.testing.assert_allclose(
            stats.beta.cdf(low, k + 0.5, n - k + 0.5)[inner], 0.05, rtol=1e-9
        )
        np.testing.assert_allclose(
            stats.beta.cdf(high, k + 0.5, n - k + 0.5)[inner], 0.95, rtol=1e-9
        )
    assert all(a <= b for a, b in pairwise(low[n == 30]))


def test_intervals_of_shares_without_scipy(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(rt.MissingExtra, match=r"scipy.*ranktally\[stats\]"):
        clopper_pearson([1], [2])


def test_level_of_intervals_of_shares():
    pytest.importorskip("scipy")
    with refused("level", "95"):
        jeffreys([1], [2], 95)
