"""What a verdict of compare() needs: rows, clusters and replicates, and what varies."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from refusals import refused

from ranktally._compare import compare
from ranktally._verdicts import adjust_p, resamples_needed, verdict_bound, verdict_of

RNG = np.random.default_rng(5)
N = 300
Y = (RNG.random(N) < 0.4).astype(int)
A = np.round(RNG.normal(size=N) + 1.5 * Y, 2)
B = np.round(A + 2 * RNG.normal(size=N), 2)
MODELS = {"a": A, "b": B}
DRAWN = {"n_resamples": 200, "seed": 1}
DRAWING = ["bootstrap", "permutation"]
VARYING = ["bootstrap", "jackknife"]


def one_row(**options):
    return compare(**{"label": Y, "scores": MODELS, **DRAWN, **options}).row()


# -- p and words -------------------------------------------------------------------------------


def test_holm_by_hand():
    p = np.asarray([0.01, 0.04, math.nan, 0.03, 0.005])
    assert adjust_p(p, "holm") == pytest.approx([0.03, 0.06, math.nan, 0.06, 0.02], nan_ok=True)
    assert adjust_p(p, "bonferroni") == pytest.approx(
        [0.04, 0.16, math.nan, 0.12, 0.02], nan_ok=True
    )
    assert adjust_p(p, "bh") == pytest.approx([0.02, 0.04, math.nan, 0.04, 0.02], nan_ok=True)
    assert adjust_p(p, "none") == pytest.approx(p, nan_ok=True)
    assert adjust_p(np.asarray([0.9, 0.8]), "holm").tolist() == [1.0, 1.0]
    assert adjust_p(np.asarray([math.nan]), "holm").tolist() != [0.0]
    assert adjust_p(np.empty(0), "bh").size == 0


@pytest.mark.parametrize("how", ["holm", "bonferroni", "bh"])
def test_adjusted_values_keep_the_order(how):
    p = np.random.default_rng(0).random(50) ** 4
    adjusted = adjust_p(p, how)
    order = np.argsort(p)
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    shuffled = np.random.default_rng(1).permutation(50)
    np.testing.assert_array_equal(adjust_p(p[shuffled], how), adjusted[shuffled])


@pytest.mark.parametrize(
    ("difference", "p", "direction", "word"),
    [
        (0.1, 0.01, "up", "better"),
        (-0.1, 0.01, "up", "worse"),
        (0.1, 0.01, "down", "worse"),
        (-0.1, 0.01, "down", "better"),
        (0.1, 0.01, None, "higher"),
        (-0.1, 0.01, None, "lower"),
        (0.1, 0.06, "up", "no difference shown"),
        (0.1, math.nan, "up", "undefined"),
        (math.nan, 0.01, "up", "undefined"),
    ],
)
def test_verdicts(difference, p, direction, word):
    assert verdict_of(difference, p, 0.95, direction) == word


# -- replicates --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", DRAWING)
@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "bh", "none"])
def test_so_many_replicates_make_a_verdict_possible(method, adjust):
    """The models are far apart: what is missing are replicates alone."""
    scores = {"good": A, "bad": -A, "worse": -B - Y}
    call = {"label": Y, "scores": scores, "method": method, "adjust": adjust, "seed": 1,
            "baseline": "good"}  # fmt: skip
    few = compare(**call, n_resamples=9)
    needed = few.summary["n_resamples_needed"]
    assert {row["verdict"] for row in few.to_dict()} == {"no difference shown"}
    assert all("too few for a verdict" in row["note"] for row in few.to_dict())
    assert f"pass n_resamples={needed} or more" in str(few)
    short = compare(**call, n_resamples=needed - 1)
    assert short.summary["n_resamples_needed"] == needed
    enough = compare(**call, n_resamples=needed)
    assert enough.summary["n_resamples_needed"] is None
    assert not any("too few for a verdict" in (row["note"] or "") for row in enough.to_dict())
    if method == "bootstrap" and adjust != "bh":  # else not every p is the least
        assert {row["verdict"] for row in enough.to_dict()} == {"worse"}


def test_needed_replicates_by_hand():
    p = np.asarray([0.5, 0.5, math.nan])
    both = np.asarray([2.0, 2.0, 2.0])
    assert resamples_needed(p, both, 10, 0.95, "none") == 40
    assert resamples_needed(p, both, 10, 0.95, "bonferroni") == 80  # 79 gives 0.05 itself
    assert resamples_needed(p, both, 80, 0.95, "bonferroni") is None
    assert resamples_needed(p, np.full(3, math.nan), 10, 0.95, "holm") is None
    # A p-value that comes from no replicates is as it is.
    mixed = resamples_needed(np.asarray([1e-9, 0.5]), np.asarray([math.nan, 1.0]), 1, 0.95, "holm")
    assert mixed == 20


def test_nothing_is_missing_where_models_do_not_differ():
    found = compare(label=Y, scores={"a": A, "b": A}, method="bootstrap", n_resamples=5, seed=1)
    assert found.summary["n_resamples_needed"] is None
    assert found.row()["p"] == 1


def test_the_bound_is_not_reached_by_rounding():
    assert verdict_bound(0.95) == 0.05
    assert verdict_of(0.1, 0.05, 0.95, "up") == "no difference shown"
    assert verdict_of(0.1, float(adjust_p(np.full(3, 1 / 60), "holm")[0]), 0.95, "up") != "better"
    assert verdict_of(0.1, 0.0499999, 0.95, "up") == "better"


# -- rows and clusters -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["delong", *VARYING])
@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize(("side", "status"), [(1, "one_positive"), (0, "one_negative")])
def test_a_single_row_of_a_class_shows_nothing(method, two, side, status):
    mine = np.flatnonzero(side == Y)
    keep = np.delete(np.arange(N), mine[1:])
    few = {"label": Y[keep], "scores": {name: x[keep] for name, x in MODELS.items()}}
    call = {**few, **DRAWN, "method": method}
    rows = compare(**call).to_dict()
    if two:
        whole = {"label": Y, "scores": MODELS}
        rows = compare(**call, other=whole).to_dict()
        rows += compare(**{**call, **whole}, other=few).to_dict()
    for row in rows:
        assert (row["status"], row["verdict"], row["p"]) == (status, "undefined", None)
        assert (row["low"], row["high"], row["interval"]) == (None, None, None)
        assert row["value"] is not None
    assert "a single" in str(compare(**call))


def test_metrics_that_need_no_class_are_still_compared():
    keep = (Y == 0) | (np.arange(N) == np.flatnonzero(Y)[3])
    found = compare(
        label=Y[keep], scores={name: x[keep] for name, x in MODELS.items()}, at=0.5,
        metric="accuracy", method="bootstrap", **DRAWN,
    ).row()  # fmt: skip
    assert (found["status"], found["verdict"]) == ("ok", "worse")


@pytest.mark.parametrize("method", VARYING)
def test_a_single_row_shows_nothing(method):
    found = one_row(label=[1], scores={"a": [0.9], "b": [0.2]}, metric="accuracy", at=0.5,
                    method=method)  # fmt: skip
    assert (found["status"], found["p"], found["low"]) == ("one_row", None, None)
    assert (found["difference"], found["verdict"]) == (-1.0, "undefined")


@pytest.mark.parametrize("method", VARYING)
@pytest.mark.parametrize(
    ("count", "status"), [(1, "one_cluster"), (2, "too_few_clusters"), (9, "too_few_clusters")]
)
def test_few_clusters_show_nothing(method, count, status):
    cluster = np.arange(N) % count
    found = one_row(cluster=cluster, method=method)
    assert (found["status"], found["verdict"], found["p"]) == (status, "undefined", None)
    # An interval stays, with its note.
    assert (found["low"] is None) == (count == 1)
    assert "few_clusters" in found["note"]
    enough = one_row(cluster=np.arange(N) % 10, method=method)
    assert (enough["status"], enough["verdict"]) == ("ok", "worse")
    assert "few_clusters" in enough["note"]


@pytest.mark.parametrize("method", VARYING)
def test_clusters_of_either_data_set_may_be_few(method):
    sides = [{"label": Y, "scores": MODELS, "cluster": np.arange(N) % count} for count in (100, 9)]
    for here, there in (sides, sides[::-1]):
        found = compare(**here, other=there, method=method, **DRAWN)
        row = found.row("a")
        assert (row["status"], row["verdict"]) == ("too_few_clusters", "undefined")
        assert row["note"].endswith("few_clusters")
        assert row["low"] is not None
        sizes = found.summary["n_clusters"], found.summary["baseline_n_clusters"]
        assert sorted(sizes) == [9, 100]


def test_a_permutation_may_answer_with_few_clusters():
    found = one_row(cluster=np.arange(N) % 9, method="permutation")
    assert found["status"] == "ok"
    assert found["p"] > 0


def test_a_class_in_one_cluster_shows_nothing():
    cluster = np.where(Y == 1, 0, np.arange(N) % 40)
    for method in VARYING:
        assert one_row(cluster=cluster, method=method)["status"] == "one_positive"


# -- what does not vary ------------------------------------------------------------------------


@pytest.mark.parametrize("two", [False, True])
def test_a_difference_without_variance_shows_nothing(two):
    """One model is always right and the other never, in any rows that may be drawn."""
    y = np.arange(40) % 2
    right, wrong = {"label": y, "scores": y + 0.0}, {"label": y, "scores": 1.0 - y}
    call = {"label": y, "scores": {"a": y + 0.0, "b": 1.0 - y}}
    if two:
        call = {**right, "other": wrong}
    for method in ("bootstrap", "delong", "jackknife"):
        row = compare(**call, method=method, **DRAWN).row()
        assert row["difference"] == -1
        assert (row["status"], row["p"]) == ("zero_variance", None), method
        assert row["verdict"] == "undefined"
        assert (row["low"], row["high"]) == (-1, -1)


def test_models_that_never_differ_do_not_differ():
    row = one_row(scores={"a": A, "b": A}, method="bootstrap")
    assert (row["difference"], row["p"], row["verdict"]) == (0, 1, "no difference shown")


# -- undefined metrics -------------------------------------------------------------------------


@pytest.mark.parametrize("method", DRAWING)
def test_nothing_is_drawn_for_what_is_undefined(method):
    def told(done, total):
        raise AssertionError("nothing is to be drawn")

    metric = {"bootstrap": "log_loss", "permutation": "roc_auc"}[method]
    label = Y if method == "bootstrap" else np.zeros_like(Y)
    row = one_row(label=label, metric=metric, method=method, progress=told)
    status = "scores_outside_0_1" if method == "bootstrap" else "no_positives"
    assert (row["status"], row["verdict"], row["p"]) == (status, "undefined", None)
    assert "replicates" not in (row["note"] or "")


def test_what_is_defined_is_drawn_beside_what_is_not():
    found = compare(
        label=Y, scores={**MODELS, "c": 1 / (1 + np.exp(-A)), "d": 1 / (1 + np.exp(-B))},
        metric=["brier", "ks"], method="bootstrap", **DRAWN,
    )  # fmt: skip
    assert found.row("b", "a", "brier")["status"] == "scores_outside_0_1"
    assert found.row("d", "c", "brier")["p"] is not None
    assert found.row("b", "a", "ks")["p"] == found.row("d", "c", "ks")["p"]
    assert found.summary["n_comparisons"] == 7


# -- missing scores ----------------------------------------------------------------------------

GAPS = {"a": np.where(np.arange(N) % 37 == 3, np.nan, A), "b": np.where(Y & (B > 4), np.nan, B)}


@pytest.mark.parametrize("method", ["delong", "bootstrap", "jackknife", "permutation"])
def test_missing_scores_rank_last(method):
    """For the area under the ROC curve, a score below all others is the same."""
    filled = {name: np.where(np.isnan(x), -99.0, x) for name, x in GAPS.items()}
    found = one_row(scores=GAPS, missing="worst", method=method)
    assert found == one_row(scores=filled, method=method)
    with refused("missing", "worst"):
        one_row(scores=GAPS, method=method)


@pytest.mark.parametrize("method", ["bootstrap", "jackknife", "permutation"])
@pytest.mark.parametrize(("kind", "lowest"), [("Float64", -math.inf), ("Int64", -(2**63))])
def test_missing_scores_are_never_selected(method, kind, lowest):
    given = {name: [None if np.isnan(v) else round(v) for v in x] for name, x in GAPS.items()}
    call = {"metric": "accuracy", "method": method}
    scores = {name: pd.array(x, kind) for name, x in given.items()}
    found = one_row(scores=scores, missing="worst", at=1, **call)
    low = {name: [-99 if v is None else v for v in x] for name, x in given.items()}
    assert found == one_row(scores=low, at=1, **call)
    # The lowest threshold selects every score there is.
    found = one_row(scores=scores, missing="worst", at=lowest, **call)
    right = [np.mean(np.isnan(GAPS[name]) != Y) for name in "ba"]
    assert [found["value"], found["baseline_value"]] == pytest.approx(right)
    assert found["p"] < 1


def test_ranks_that_no_threshold_reaches_are_not_swapped():
    with refused("missing", "average_precision", "permutation", "bootstrap"):
        one_row(scores=GAPS, missing="worst", method="permutation", metric="average_precision")
    assert one_row(scores=GAPS, missing="worst", metric="average_precision")["status"] == "ok"


# -- what is told ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bootstrap", "jackknife", "permutation"])
def test_clusters_are_told_by_every_method(method):
    cluster = np.arange(N) // 5
    found = compare(label=Y, scores=MODELS, cluster=cluster, method=method, **DRAWN)
    assert (found.summary["cluster"], found.summary["n_clusters"]) == ("cluster", 60)
    assert "whole clusters: 60, of cluster" in str(found)
    wanted = {"bootstrap": "bootstrap cluster percentile", "jackknife": "jackknife cluster plain"}
    assert found.row()["interval"] == wanted.get(method)
    plain = compare(label=Y, scores=MODELS, method=method, **DRAWN)
    assert (plain.summary["cluster"], plain.summary["n_clusters"]) == (None, None)
    assert "whole clusters" not in str(plain)
