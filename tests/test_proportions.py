"""Which metrics are shares of rows, and their binomial intervals."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import ranktally as rt
from ranktally._binomial import clopper_pearson, jeffreys, wilson
from ranktally._proportions import proportion_interval, proportion_of
from ranktally._requests import parse_metric, read_measure
from ranktally.errors import MissingExtra

SHARES = {
    "precision", "recall", "specificity", "fpr", "fnr", "npv", "fdr", "false_omission_rate",
    "accuracy", "error_rate", "prevalence", "predicted_positive_rate",
}  # fmt: skip
CALLS = {"fbeta": "fbeta(2)", "expected_cost": "expected_cost(1, 5)"}
COUNTS = tuple(np.asarray(x) for x in ([6, 0, 3], [2, 0, 7], [9, 4, 0], [4, 5, 0]))


@pytest.mark.parametrize(
    "name", [name for name, metric in rt.METRICS.items() if metric.needs == "counts"]
)
def test_a_share_is_its_metric(name):
    request = parse_metric(CALLS.get(name, name))
    found = proportion_of(request, *COUNTS)
    assert (found is not None) == (name in SHARES)
    if found is not None:
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(found[0] / found[1], request.function(*COUNTS))


@pytest.mark.parametrize("method", ["wilson", "jeffreys", "clopper_pearson"])
def test_intervals_are_those_of_the_share(method):
    if method != "wilson":
        pytest.importorskip("scipy")
    of = {"wilson": wilson, "jeffreys": jeffreys, "clopper_pearson": clopper_pearson}[method]
    low, high, note = proportion_interval(parse_metric("ppv"), COUNTS, method, 0.9)
    expected = of([6, 0, 3], [8, 0, 10], 0.9)
    np.testing.assert_array_equal(low, expected[0])
    np.testing.assert_array_equal(high, expected[1])
    assert np.isnan(low).tolist() == [False, True, False]
    assert note == ""
    table = tuple(np.reshape(x, (3, 1)) for x in COUNTS)
    assert proportion_interval(parse_metric("ppv"), table, method)[0].shape == (3, 1)


def test_other_metrics_are_none():
    own = read_measure(lambda tp, fp, tn, fn: tp, "metrics")
    precision = type(own)("precision", parse_metric("precision").metric, own.function, (), True)
    for request in (parse_metric("f1"), parse_metric("roc_auc"), own, precision):
        assert proportion_interval(request, COUNTS) is None


def test_sums_of_weights_are_refused():
    low, high, note = proportion_interval(parse_metric("recall"), COUNTS, weighted=True)
    assert np.isnan(low).all()
    assert np.isnan(high).all()
    assert "weight" in note
    assert "bootstrap" in note


def test_a_method_that_is_none():
    with refused("`method`", "wald", "wilson"):
        proportion_interval(parse_metric("recall"), COUNTS, "wald")
    with refused("`level`"):
        proportion_interval(parse_metric("recall"), COUNTS, level=2)


def test_without_scipy(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(MissingExtra):
        proportion_interval(parse_metric("recall"), COUNTS, "jeffreys")
