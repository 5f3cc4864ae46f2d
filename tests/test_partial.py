"""Areas of parts of the ROC curve, named PR areas, and one rate where another is given."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import astuple
from decimal import Decimal, getcontext
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FLOATS, samples

import ranktally as rt

EIGHT = ([0, 1, 0, 1, 0, 1, 0, 1], [0.1, 0.3, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9])
shares = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0]), st.floats(0, 1))
bands = st.tuples(shares, shares).map(sorted).filter(lambda b: b[0] < b[1]).map(tuple)


def tally(sample, engine, **options):
    return rt.tally(sample.labels, sample.scores, sample.weights, engine=engine, **options)


# --- partial areas ------------------------------------------------------------------------------


@given(samples(both=True), bands, bands)
def test_partial_area_is_the_exact_fraction_rounded_once(engine, sample, fpr, tpr):
    t = tally(sample, engine)
    for box in ({"fpr": fpr}, {"tpr": tpr}, {"fpr": fpr, "tpr": tpr}):
        area = t.partial_auc(**box)
        exact = naive.partial_auc(*sample.lists[:2], **box)
        assert area.raw == float(exact)
        (a, b), (c, d) = (tuple(map(Fraction, x)) for x in (area.fpr, area.tpr))
        size = (b - a) * (d - c)
        assert area.normalized == float(exact / size)
        # the diagonal itself, as the curve of a constant score
        chance = naive.partial_auc([0, 1], [0, 0], **box)
        if exact < chance or chance == size:
            assert math.isnan(area.mcclish)
        else:
            assert area.mcclish == float((1 + (exact - chance) / (size - chance)) / 2)


@given(samples(both=True, weights="real"), bands, bands)
def test_partial_area_of_real_weights(engine, sample, fpr, tpr):
    area = tally(sample, engine).partial_auc(fpr=fpr, tpr=tpr)
    exact = float(naive.partial_auc(*sample.lists, fpr=fpr, tpr=tpr))
    assert area.raw == pytest.approx(exact, rel=1e-9, abs=1e-13)
    assert 0 <= area.normalized <= 1


@given(samples(both=True, weights="integral"), bands)
def test_partial_area_of_weights_is_that_of_repeated_rows(engine, sample, fpr):
    weight = sample.weights.astype(int)
    rows = rt.tally(
        np.repeat(sample.labels, weight), np.repeat(sample.scores, weight), engine=engine
    )
    a, b = (astuple(t.partial_auc(fpr=fpr)) for t in (tally(sample, engine), rows))
    np.testing.assert_equal(a, b)


@given(samples(both=True), st.lists(shares, max_size=4))
def test_partial_areas_add_up(engine, sample, cuts):
    t = tally(sample, engine)
    edges = sorted({0.0, *cuts, 1.0})
    for axis in ("fpr", "tpr"):
        parts = [t.partial_auc(**{axis: band}).raw for band in itertools.pairwise(edges)]
        assert math.fsum(parts) == pytest.approx(t.roc_auc(), abs=1e-14)
    whole = t.partial_auc(fpr=(0, 1))
    assert whole.raw == whole.normalized == t.roc_auc()


@given(samples(FLOATS, both=True), bands, bands)
def test_swapping_the_classes_turns_the_box(engine, sample, fpr, tpr):
    t = tally(sample, engine)
    swapped = rt.tally(1 - sample.labels, sample.scores, higher_is_better=False, engine=engine)
    turned = [(1 - high, 1 - low) for low, high in (tpr, fpr)]
    if all(low < high for low, high in turned):
        here, there = t.partial_auc(fpr=fpr, tpr=tpr), swapped.partial_auc(*turned)
        assert there.raw == pytest.approx(here.raw, abs=1e-14)


@pytest.mark.parametrize("max_fpr", [0.1, 0.375, 0.5, 0.93, 1.0])
def test_partial_area_against_scikit_learn(engine, max_fpr):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    s = np.round(rng.normal(size=400) + y, 1)
    w = rng.random(400) + 0.1
    for weight in (None, w):
        theirs = metrics.roc_auc_score(y, s, max_fpr=max_fpr, sample_weight=weight)
        ours = rt.tally(y, s, weight, engine=engine).partial_auc(fpr=(0, max_fpr)).mcclish
        assert ours == pytest.approx(theirs, abs=1e-13)


@pytest.mark.parametrize("label", [0, 1])
def test_partial_area_of_one_class(engine, label):
    area = rt.tally([label] * 4, [0.1, 0.2, 0.2, 0.4], engine=engine).partial_auc(fpr=(0, 0.01))
    assert all(math.isnan(x) for x in (area.raw, area.normalized, area.mcclish))


def test_partial_area_with_missing_scores(engine):
    t = rt.tally([1, 0, 1, 0], [0.9, 0.5, np.nan, np.nan], missing="worst", engine=engine)
    # (0, 0) (0, .5) (.5, .5) and one straight step to (1, 1)
    assert t.partial_auc(fpr=(0.5, 1)).raw == 0.375
    assert t.partial_auc(tpr=(0.5, 1)).raw == 0.125


BAD_BANDS = [
    0.1, (0, 0), (0.2, 0.1), (-0.1, 0.5), (0, 1.1), (0, math.nan), (0.1,), (0, 0.1, 0.2), "01",
    (0, "1"), (False, True), (None, 0.1), [],
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_BANDS)
@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_bands_are_checked(bad, axis):
    t = rt.tally(*EIGHT)
    with pytest.raises(rt.InputError, match=f"`{axis}`"):
        t.partial_auc(**{axis: bad})


def test_a_band_must_be_given():
    with pytest.raises(rt.InputError, match="`fpr` or `tpr`"):
        rt.tally(*EIGHT).partial_auc()


# --- PR areas -----------------------------------------------------------------------------------


@given(samples(), st.sampled_from(["flat", "one"]))
def test_linear_pr_area(engine, sample, start):
    got = tally(sample, engine).pr_auc("linear", start=start)
    first = Fraction(1) if start == "one" else None
    exact = naive.pr_auc_linear(*sample.lists[:2], first=first)
    assert got == pytest.approx(naive.as_float(exact), abs=1e-15, nan_ok=True)


@given(samples(weights="real", both=True))
def test_linear_pr_area_of_real_weights(engine, sample):
    got = tally(sample, engine).pr_auc("linear")
    assert got == pytest.approx(float(naive.pr_auc_linear(*sample.lists)), abs=1e-13)


@given(samples())
def test_davis_goadrich_area(engine, sample):
    got = tally(sample, engine).pr_auc("davis_goadrich")
    exact = naive.pr_auc_davis_goadrich(*sample.lists[:2])
    assert got == pytest.approx(naive.as_float(exact), abs=2e-15, nan_ok=True)


def test_davis_goadrich_area_is_the_integral_of_the_interpolated_curve(engine):
    rng = np.random.default_rng(9)
    y = rng.random(60) < 0.4
    t = rt.tally(y, np.round(rng.normal(size=60) + y, 1), engine=engine)
    curve, pieces = t.pr_curve(), 2000
    area = 0.0
    for left, right in itertools.pairwise(np.unique([0, *curve.x])):
        # inside the step: at its ends stand the points of other steps
        middles = left + (right - left) * (np.arange(pieces) + 0.5) / pieces
        area += (right - left) * curve.interpolate(middles).mean()
    assert t.pr_auc("davis_goadrich") == pytest.approx(area, abs=1e-7)


def test_davis_goadrich_area_by_hand(engine):
    """One tie group of 3 positives and 1 negative after a positive: ∫ t / (1 + 4 (t - 1) / 3)."""
    t = rt.tally([1, 1, 1, 1, 0], [2, 1, 1, 1, 1], engine=engine)
    expected = (1 + 9 / 4 - (3 * 0 - 1 * 1) * 3 / 16 * math.log(5)) / 4
    assert t.pr_auc(interpolation="davis_goadrich") == pytest.approx(expected, abs=1e-15)


def test_davis_goadrich_area_of_many_small_steps(engine):
    """Small steps after many rows: the logarithm's argument is nearly 1."""
    rng = np.random.default_rng(3)
    y = rng.random(100_000) < 0.01
    t = rt.tally(y, rng.normal(size=100_000) + 2 * y, engine=engine)
    getcontext().prec = 40
    area, tp, fp = Decimal(0), 0, 0
    for a, b in zip(t.tp.tolist(), t.fp.tolist(), strict=True):
        up, n, before = a - tp, a + b - tp - fp, tp + fp
        if up:
            area += Decimal(up * up) / n
            if before:
                bend = Decimal((up * fp - (b - fp) * tp) * up) / (n * n)
                area -= bend * (1 + Decimal(n) / before).ln()
        tp, fp = a, b
    assert t.pr_auc("davis_goadrich") == pytest.approx(float(area / t.n_pos), abs=1e-15)


@pytest.mark.parametrize("interpolation", ["linear", "davis_goadrich"])
def test_pr_area_of_one_class(engine, interpolation):
    assert rt.tally([1, 1], [0.1, 0.2], engine=engine).pr_auc(interpolation) == 1.0
    assert math.isnan(rt.tally([0, 0], [0.1, 0.2], engine=engine).pr_auc(interpolation))


def test_pr_area_has_no_default_and_checks_its_name():
    t = rt.tally(*EIGHT)
    with pytest.raises(TypeError, match="interpolation"):
        t.pr_auc()
    with pytest.raises(rt.InputError, match="`interpolation`"):
        t.pr_auc("step")
    with pytest.raises(rt.InputError, match="`start`"):
        t.pr_auc("linear", start="origin")
    with pytest.raises(rt.InputError, match="`start`"):
        t.pr_auc("davis_goadrich", start="one")


# --- where two rates are equal --------------------------------------------------------------------


@given(samples())
def test_equal_rates_are_exact(engine, sample):
    t = tally(sample, engine)
    for name in ("eer", "break_even"):
        expected = naive.as_float(getattr(naive, name)(*sample.lists[:2]))
        np.testing.assert_equal(getattr(t, name)(), expected)


@given(samples(FLOATS, both=True))
def test_equal_error_rate_of_swapped_classes(engine, sample):
    turned = rt.tally(1 - sample.labels, sample.scores, higher_is_better=False, engine=engine)
    assert turned.eer() == pytest.approx(tally(sample, engine).eer(), abs=1e-15)


def test_equal_rates_with_missing_scores(engine):
    t = rt.tally([1, 0, 1, 0], [0.9, 0.5, np.nan, np.nan], missing="worst", engine=engine)
    assert (t.eer(), t.break_even()) == (0.5, 0.5)
    t = rt.tally([1, 0], [np.nan, np.nan], missing="worst", engine=engine)
    assert (t.eer(), t.break_even()) == (0.5, 0.5)


# --- one rate where another is given --------------------------------------------------------------

RATES = [
    ("recall", "fpr"), ("recall", "specificity"), ("specificity", "recall"),
    ("recall", "precision"), ("precision", "recall"),
]  # fmt: skip


@given(samples(), st.sampled_from(RATES), shares)
def test_rate_where_another_is_given(engine, sample, rates, limit):
    rate, condition = rates
    got = getattr(tally(sample, engine), f"{rate}_at_{condition}")(limit)
    expected = naive.best_rate(rate, condition, limit, *sample.lists[:2])
    if expected is None:
        assert math.isnan(got)
        assert math.isnan(got.threshold)
        assert got.status in ("no_positives", "no_negatives", "unreachable")
    else:
        assert got == float(expected[0])
        assert got.threshold == expected[1]
        assert got.status == "ok"


@given(samples(both=True, weights="real"), st.sampled_from(RATES), shares)
def test_the_threshold_gives_the_rate_and_meets_the_condition(engine, sample, rates, limit):
    rate, condition = rates
    t = tally(sample, engine)
    got = getattr(t, f"{rate}_at_{condition}")(limit)
    if got.status == "ok" and got.threshold != math.inf:
        point = t.at(got.threshold)
        assert getattr(point, rate) == pytest.approx(float(got), abs=1e-13)
        held = getattr(point, condition)
        if condition == "fpr":
            assert held <= limit + 1e-13
        else:
            assert held >= limit - 1e-13


@given(samples(both=True), st.lists(shares, min_size=2, max_size=2).map(sorted))
def test_a_looser_condition_never_costs(engine, sample, limits):
    t = tally(sample, engine)
    for rate, condition in RATES:
        low, high = (getattr(t, f"{rate}_at_{condition}")(x) for x in limits)
        tight, loose = (low, high) if condition == "fpr" else (high, low)
        assert math.isnan(tight) or loose >= tight


def test_no_interpolation_inside_a_tie_group(engine):
    t = rt.tally([1, 1, 0, 1, 0], [0.9, 0.5, 0.5, 0.5, 0.1], engine=engine)
    got = t.recall_at_fpr(0.25)  # half of the group would reach 2/3
    assert (float(got), got.threshold) == (1 / 3, 0.9)
    assert t.recall_at_fpr(0.5) == 1.0
    assert t.recall_at_fpr(0).threshold == 0.9
    assert rt.tally([0, 1], [2, 1], engine=engine).recall_at_fpr(0.5).threshold == math.inf


def test_decimal_limits_are_met(engine):
    s = np.arange(20)[::-1]
    y = np.arange(20) % 2  # negatives first
    t = rt.tally(y, s, engine=engine)
    for k in range(1, 11):
        assert t.recall_at_fpr(k / 10) == k / 10
        assert t.specificity_at_recall(k / 10) == pytest.approx(1 - k / 10, abs=1e-15)


def test_unreachable(engine):
    t = rt.tally([0, 1, 1], [0.9, 0.8, np.nan], missing="worst", engine=engine)
    for got in (t.recall_at_precision(0.6), t.precision_at_recall(0.6), t.specificity_at_recall(1)):
        assert math.isnan(got)
        assert got.status == "unreachable"
    result = rt.evaluate(
        label=[0, 1, 1], scores=[0.9, 0.8, np.nan], missing="worst", engine=engine,
        metrics=["recall_at_precision(0.6)", "recall_at_fpr(1)"],
    )  # fmt: skip
    assert [row["status"] for row in result.to_dict()] == ["unreachable", "ok"]


@pytest.mark.parametrize("label", [0, 1])
def test_rates_of_one_class(engine, label):
    t = rt.tally([label] * 3, [0.1, 0.2, 0.3], engine=engine)
    for rate, condition in RATES:
        got = getattr(t, f"{rate}_at_{condition}")(0.5)
        both = {"fpr", "specificity"} & {rate, condition}
        if label and not both:
            assert got == 1.0
        else:
            assert got.status == ("no_negatives" if label else "no_positives")


def test_a_rate_is_a_float(engine):
    got = rt.tally([0, 1], np.array([3, 7]), engine=engine).recall_at_fpr(0)
    assert isinstance(got, float)
    assert got == 1.0
    assert (got.threshold, repr(got)) == (7, "1.0 (threshold=7)")
    again = pickle.loads(pickle.dumps(got))
    assert (float(again), again.threshold, again.status) == (1.0, 7, "ok")


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, "0.5", None, True, [0.5]])
def test_limits_are_checked(bad):
    t = rt.tally(*EIGHT)
    for rate, condition in RATES:
        with pytest.raises(rt.InputError, match=f"`{condition}`"):
            getattr(t, f"{rate}_at_{condition}")(bad)
    with pytest.raises(rt.InputError, match="`prevalence`"):
        t.at_prevalence(bad)


# --- another prevalence ---------------------------------------------------------------------------


@given(samples(both=True), st.floats(1e-6, 1 - 1e-6))
def test_another_prevalence_is_bayes_rule(engine, sample, prevalence):
    t = tally(sample, engine)
    there = t.at_prevalence(prevalence)
    np.testing.assert_array_equal(there.tp / there.n_pos, t.tp / t.n_pos)
    np.testing.assert_allclose(there.fp / there.n_neg, t.fp / t.n_neg, rtol=1e-15)
    assert there.n_pos / (there.n_pos + there.n_neg) == pytest.approx(prevalence, rel=1e-14)
    r, f = (Fraction(int(x[0])) / int(n) for x, n in ((t.tp, t.n_pos), (t.fp, t.n_neg)))
    share = Fraction(prevalence)
    expected = r * share / (r * share + f * (1 - share))
    assert there.pr_curve().y[0] == pytest.approx(float(expected), rel=1e-14)
    labels, scores, _ = sample.lists
    ap = naive.average_precision_at_prevalence(labels, scores, None, prevalence)
    assert there.average_precision() == pytest.approx(float(ap), rel=1e-13)
    assert there.roc_auc() == pytest.approx(t.roc_auc(), abs=1e-14)


def test_the_same_prevalence_changes_nothing(engine):
    t = rt.tally(*EIGHT, engine=engine)
    there = t.at_prevalence(0.5)
    assert there.fp.tolist() == t.fp.tolist()
    assert there.average_precision() == t.average_precision()


@pytest.mark.parametrize("label", [0, 1])
def test_another_prevalence_needs_both_classes(engine, label):
    t = rt.tally([label] * 3, [0.1, 0.2, 0.3], engine=engine)
    with pytest.raises(rt.InputError, match="positives" if label == 0 else "negatives"):
        t.at_prevalence(0.1)


@pytest.mark.parametrize("edge", [0, 1, 0.0, 1.0])
def test_prevalence_lies_inside(edge):
    with pytest.raises(rt.InputError, match="`prevalence`"):
        rt.tally(*EIGHT).at_prevalence(edge)


# --- in evaluate ----------------------------------------------------------------------------------

CALLS = {
    "partial_auc(fpr=(0, 0.375))": 0.125,
    "partial_auc((0, 0.375), scale='normalized')": 1 / 3,
    "partial_auc(fpr=(0, 0.375), scale='mcclish')": 23 / 39,
    "partial_auc(tpr=(0.75, 1))": 0.0625,
    "pr_auc('linear')": None,
    "pr_auc('linear', start='one')": None,
    "eer": 0.5,
    "recall_at_fpr(0.25)": 0.5,
}


def test_metrics_of_evaluate(engine):
    y, s = EIGHT
    result = rt.evaluate(
        {"y": y + y, "s": s + s, "g": ["a"] * 8 + ["b"] * 8}, label="y", scores="s",
        by=[[], ["g"]], metrics=list(CALLS), engine=engine,
    )  # fmt: skip
    for row in result.to_dict():
        assert row["status"] == "ok"
        if CALLS[row["metric"]] is not None:
            assert row["value"] == pytest.approx(CALLS[row["metric"]], abs=1e-15), row


def test_below_chance_says_so(engine):
    result = rt.evaluate(
        label=[1, 0, 0, 1], scores=[1, 2, 3, 0], engine=engine,
        metrics=["partial_auc(fpr=(0, 0.5), scale='mcclish')"],
    )  # fmt: skip
    row = result.to_dict()[0]
    assert (row["value"], row["status"]) == (None, "below_chance")


@pytest.mark.parametrize(
    "call",
    ["partial_auc", "partial_auc(fpr=(0, 2))", "partial_auc(fpr=(0, 1), scale='x')", "pr_auc",
     "pr_auc('step')", "recall_at_fpr(2)", "precision_at_recall", "ece(0)", "mce(5, 'equal')",
     "average_precision_at_prevalence(0)", "ece(True)"],
)  # fmt: skip
def test_bad_calls_are_refused(call):
    y, s = EIGHT
    with pytest.raises(rt.InputError, match="`metrics`"):
        rt.evaluate(label=y, scores=s, metrics=[call])
