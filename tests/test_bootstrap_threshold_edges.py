"""A chosen threshold of which little can be known: what is nan, why, and what is said."""

from __future__ import annotations

import math
import os

import numpy as np
import pyarrow as pa
import pytest
from refusals import refused

import ranktally as rt
from ranktally import _threshold_bootstrap
from ranktally._threshold_bootstrap_replicates import threshold_ends

LABEL = np.repeat([1, 0], 10)
SCORE = np.asarray(
    [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05,
     0.85, 0.75, 0.65, 0.55, 0.95, 0.35, 0.25, 0.15, 0.12, 0.01]
)  # fmt: skip


def rows_of(n: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, np.round(rng.normal(size=n) + y, 1)


def quantities(found) -> dict[str, dict[str, object]]:
    return {row["quantity"]: row for row in found.rows().to_dict()}


def is_unknown(found, status: str) -> None:
    """Nothing is said of rows other than those at hand, anywhere."""
    numbers = [found.optimism, found.corrected, found.same_share, found.holds_out_of_bag]
    for span in (found.interval, found.out_of_bag):
        assert span.status == status
        numbers += [span.low, span.high, span.standard_error]
    assert np.isnan([*numbers, found.out_of_bag.estimate]).all()
    rows = quantities(found)
    for name, row in rows.items():
        assert (row["low"], row["high"], row["interval"], row["level"]) == (None,) * 4
        if name != "apparent":
            assert row["status"] == status
        if name not in ("apparent", "threshold"):
            assert row["value"] is None
    for words in ("out of bag", "corrected", "lies in", "intervals: 95"):
        assert words not in str(found)


# -- few units ---------------------------------------------------------------------------------


def test_one_cluster(engine):
    y, s = rows_of(60)
    found = rt.bootstrap_threshold(
        label=y, scores=s, cluster=np.zeros(60), n_resamples=50, seed=1, engine=engine
    )
    is_unknown(found, "one_cluster")
    assert found.n_clusters == 1
    assert "few_clusters" in found.interval.note
    best = rt.tally(y, s).best("f1")
    assert (found.threshold, found.apparent) == (best.threshold, best.value)
    rows = quantities(found)
    assert rows["apparent"]["status"] == "ok"
    assert rows["threshold"]["value"] == best.threshold
    assert "not known: all rows are of one cluster" in str(found)
    assert "1 whole cluster, 50 resamples" in str(found)


@pytest.mark.parametrize(
    ("y", "cluster", "status", "words"),
    [
        ([1], None, "one_row", "there is no other row"),
        ([1] + [0] * 20, None, "one_positive", "the positives are a single row"),
        ([0] + [1] * 20, None, "one_negative", "the negatives are a single row"),
        ([1, 1, 0, 0], [7, 7, 7, 8], "one_positive", "the positives are a single cluster"),
        ([1, 1, 0, 0], [7, 8, 8, 8], "one_negative", "the negatives are a single cluster"),
    ],
)
@pytest.mark.parametrize("scheme", ["auto", "stratified", "poisson"])
def test_a_single_unit(y, cluster, status, words, scheme):
    if cluster is not None and scheme != "auto":
        return
    found = rt.bootstrap_threshold(
        label=y, scores=np.arange(len(y))[::-1], cluster=cluster, scheme=scheme, pos_label=1,
        n_resamples=30, seed=2, where="recall >= 0.1",
    )  # fmt: skip
    is_unknown(found, status)
    assert words in str(found)


def test_few_clusters_are_noted():
    y, s = rows_of(400)
    for many, noted in ((49, True), (50, False)):
        found = rt.bootstrap_threshold(
            label=y, scores=s, cluster=np.arange(400) % many, n_resamples=40, seed=1
        )
        assert found.n_clusters == many
        assert found.interval.status == found.out_of_bag.status == "ok"
        notes = {row["note"] or "" for row in found.rows().to_dict()}
        assert all(("few_clusters" in note) == noted for note in notes)
        assert ("few clusters" in str(found)) == noted
        assert f"{many} whole clusters" in str(found)
    assert rt.bootstrap_threshold(label=y, scores=s, n_resamples=2).n_clusters is None


# -- no threshold on all rows ------------------------------------------------------------------


def test_what_no_threshold_meets(engine):
    found = rt.bootstrap_threshold(
        label=LABEL, scores=SCORE, metric="recall", where="precision >= 0.6", n_resamples=200,
        seed=1, engine=engine,
    )  # fmt: skip
    assert 0 < found.unreachable < 200
    is_unknown(found, "unreachable")
    assert quantities(found)["apparent"]["status"] == "unreachable"
    assert f"one is found in {1 - found.unreachable / 200:.1%} of 200 resamples" in str(found)
    # What replicates did stays to be looked at.
    assert np.nanmax(found.replicates.holds) == 1
    assert found.n_thresholds > 0


def test_what_no_resample_meets_either():
    found = rt.bootstrap_threshold(
        label=LABEL, scores=SCORE, where="recall > 2", n_resamples=1, seed=1
    )
    is_unknown(found, "unreachable")
    assert "one is found in none of 1 resample\n" in str(found)


# -- integers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "base"),
    [(np.int64, 2**63 - 10), (np.int64, -(2**63)), (np.uint64, 2**64 - 10), (np.int32, 0)],
)
def test_integers_stay_whole(engine, kind, base):
    y, _ = rows_of(60)
    steps = np.arange(60) % 7
    s = np.asarray([base + int(step) for step in steps], kind)
    call = {"label": y, "n_resamples": 199, "seed": 1, "engine": engine}
    found, small = (rt.bootstrap_threshold(scores=x, **call) for x in (s, steps))
    span = found.interval
    ordered = np.sort(found.replicates.threshold).tolist()
    assert (span.low, span.high) == (ordered[4], ordered[194])
    assert all(type(x) is int for x in (span.low, span.estimate, span.high, found.threshold))
    assert found.threshold == small.threshold + base
    assert span.standard_error == small.interval.standard_error > 0
    assert span.low < span.high
    assert "zero width" not in span.note
    assert f"[{span.low}, {span.high}]" in str(found)
    assert f"threshold {found.threshold}, where" in str(found)
    rounded = base != 0 and base != -(2**63)
    exact = all(int(float(x)) == x for x in (span.low, found.threshold, span.high))
    assert ("threshold rounded" in quantities(found)["threshold"]["note"]) == (not exact)
    exact = int(float(found.threshold)) == found.threshold
    assert ("threshold rounded" in quantities(found)["apparent"]["note"]) == (not exact)
    assert exact != rounded or base == -(2**63)
    assert pa.table(found)["threshold"].type == pa.float64()


def test_ends_of_integers_are_rounded_outwards():
    found = np.asarray([10, 20, 30, 40, 50, 60, 70, 80])
    assert threshold_ends(40, found, 0.5)[:2] == (20, 70)  # of ranks 2.25 and 6.75
    assert threshold_ends(40, found, 0.9)[:2] == (10, 80)
    assert threshold_ends(40, found[:1], 0.9)[:2] == (10, 10)
    assert threshold_ends(40, found, 0.5)[2] == pytest.approx(np.std(found, ddof=1))
    assert threshold_ends(40.0, found / 1.0, 0.5)[:2] == (22.5, 67.5)
    assert np.isnan(threshold_ends(40, found[:0], 0.5)).all()


# -- infinite values ---------------------------------------------------------------------------


def test_infinite_replicates_are_not_undefined(engine):
    y, s = rows_of(40)
    found = rt.bootstrap_threshold(
        label=y, scores=s, metric="positive_likelihood_ratio", n_resamples=100, seed=2,
        engine=engine,
    )  # fmt: skip
    outside = found.out_of_bag
    infinite = np.count_nonzero(np.isinf(found.replicates.out_of_bag))
    assert infinite > 0
    assert outside.status == "infinite"
    assert f"{infinite} of 100 replicates infinite" in outside.note
    assert outside.n_undefined < 100 - infinite + 1
    rows = quantities(found)
    assert [rows[x]["status"] for x in ("out_of_bag", "optimism", "corrected")] == ["infinite"] * 3
    assert rows["out_of_bag"]["interval"] is None
    assert rows["out_of_bag"]["level"] is None
    assert rows["threshold"]["level"] == 0.95
    assert f"{infinite} of 100 resamples have an infinite value out of bag" in str(found)


@pytest.mark.parametrize("huge", [False, True])
def test_nothing_warns_of_numbers_that_float64_hardly_holds(huge):
    def gain(tp, fp, tn, fn):
        return 1.7e308 * (tp >= fp) + (tp if huge else math.inf)

    y, s = rows_of(40)
    scores = np.where(s > 0, 1.7e308, -1.7e308) * (1 - np.arange(40) / 100)
    found = rt.bootstrap_threshold(label=y, scores=scores, metric=gain, n_resamples=30, seed=1)
    assert found.interval.status == "ok"
    str(found)
    found.rows()


# -- words and refusals ------------------------------------------------------------------------


def test_one_of_anything_is_singular():
    text = str(rt.bootstrap_threshold(label=[1] * 9, scores=[1] * 9, pos_label=1, n_resamples=1))
    assert "1 different threshold, 1 the most often" in text
    assert ", 1 resample, seed" in text
    text = str(rt.bootstrap_threshold(label=[1], scores=[1], pos_label=1, n_resamples=1))
    assert "on the 1 row that" in text


@pytest.mark.parametrize("promised", [True, False])
def test_too_many_resamples_for_any_memory(monkeypatch, promised):
    words = ["`n_resamples` 4,294,967,295 needs about 420 GiB", "ask for fewer"]
    if promised:

        def memory(name):
            return {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1 << 20}[name]

        monkeypatch.setattr(os, "sysconf", memory, raising=False)
    else:

        def zeros(*shape):
            raise MemoryError

        monkeypatch.delattr(os, "sysconf", raising=False)
        monkeypatch.setattr(_threshold_bootstrap.np, "zeros", zeros)
    with refused(*words):
        if promised:
            rt.bootstrap_threshold(label=LABEL, scores=SCORE, n_resamples=(1 << 32) - 1)
        else:
            _threshold_bootstrap._check_room((1 << 32) - 1)
            _threshold_bootstrap._room((1 << 32) - 1, np.int64, np.dtype(np.float64))
