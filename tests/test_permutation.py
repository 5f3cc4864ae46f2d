"""The permutation test: against every swap there is, in fractions, and what must not change it."""

from __future__ import annotations

import math
import signal
from fractions import Fraction
from threading import active_count
from types import SimpleNamespace

import naive
import numpy as np
import pytest
from refusals import refused

import ranktally as rt
from ranktally._columns import resolve
from ranktally._compare import compare
from ranktally._engine import loops
from ranktally._panel import read_panel
from ranktally._permutation import permutation_tests
from ranktally._requests import parse_metric

Y = [1, 0, 1, 0, 1, 0, 0, 1]
A = [0.9, 0.2, 0.6, 0.6, 0.6, -0.0, 0.3, 0.8]
B = [12, -3, -3, 5, 40, 0, 5, 5]
W = [1.0, 2.0, 0.5, 1.0, 3.0, 1.25, 1.0, 0.75]
CLUSTERS = [0, 0, 1, 2, 1, 3, 3, 4]
AT = ["f1", "precision", "mcc", "balanced_accuracy"]


def mid_ranks(scores):
    """Twice the mid-rank of each row."""
    return [sum(x < s for x in scores) + sum(x <= s for x in scores) + 1 for s in scores]


def enumerated(value, first, second, labels, weights, units):
    """p of (count + 1) / (all + 1) over every swap of units, exactly."""
    gaps = []
    for swaps in range(1 << (max(units) + 1)):
        turned = [swaps >> u & 1 for u in units]
        one = [b if t else a for a, b, t in zip(first, second, turned, strict=True)]
        other = [a if t else b for a, b, t in zip(first, second, turned, strict=True)]
        x, y = (value(labels, s, weights) for s in (one, other))
        gaps.append(None if x is None or y is None else abs(x - y))
    if gaps[0] is None:
        return math.nan
    defined = [gap for gap in gaps if gap is not None]
    return float(Fraction(sum(gap >= gaps[0] for gap in defined) + 1, len(defined) + 1))


def every_swap(engine, metrics, *, first=A, second=B, weights=None, clusters=None, at=None):
    """The test itself, its replicates being all the swaps, one after another."""

    def draw_words(key, replicate, purpose, words):
        words[:] = replicate

    chosen = loops(engine, 1)
    names = [x for x in dir(chosen) if not x.startswith("_")]
    counting = SimpleNamespace(**{name: getattr(chosen, name) for name in names})
    counting.draw_words = draw_words
    columns = resolve(label=Y, scores={"a": first, "b": second}, weight=weights, cluster=clusters)
    panel = read_panel(columns, None, True, "raise", 1)
    return permutation_tests(
        panel, [(1, 0), (0, 1)], [parse_metric(m) for m in metrics],
        np.asarray([] if at is None else [at]),
        n_resamples=1 << (len(Y) if clusters is None else max(clusters) + 1), seed=0,
        loops=counting, threads=1, progress=None,
    )  # fmt: skip


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
@pytest.mark.parametrize("weights", [None, W])
def test_every_swap_of_ranks(engine, weights, clusters):
    simple = ["roc_auc", "gini", "average_precision", "ks", "eer"]
    found = every_swap(engine, simple, weights=weights, clusters=clusters)
    units = clusters or range(len(Y))
    ranks = mid_ranks(A), mid_ranks(B)
    exact = [Fraction(w) for w in weights] if weights else None
    functions = {
        "roc_auc": naive.roc_auc, "gini": naive.gini, "ks": naive.ks, "eer": naive.eer,
        "average_precision": naive.average_precision,
    }  # fmt: skip
    for k, name in enumerate(simple):
        expected = enumerated(functions[name], *ranks, Y, exact, units)
        for row in found:  # whichever of the two is the baseline
            assert row[k].p == expected, name
            assert row[k].n_undefined == 0


@pytest.mark.parametrize("weights", [None, W])
def test_every_swap_of_whole_tallies(engine, weights):
    """Metrics of the swapped ranks as the package itself gives them."""
    metrics = ["recall_at_fpr(0.3)", "precision_at_k(3)", "recall_at_precision(0.7)"]
    found = every_swap(engine, metrics, weights=weights, clusters=CLUSTERS)

    def by_tally(metric):
        def value(labels, scores, weights):
            result = rt.evaluate(label=labels, scores=scores, weight=weights, metrics=metric)
            x = result.value()
            return None if math.isnan(x) else Fraction(x).limit_denominator(10**9)

        return value

    for k, metric in enumerate(metrics):
        expected = enumerated(by_tally(metric), mid_ranks(A), mid_ranks(B), Y, weights, CLUSTERS)
        assert found[0][k].p == expected, metric


@pytest.mark.parametrize("cut", [0.6, 5.0, 0.0])
@pytest.mark.parametrize("weights", [None, W])
def test_every_swap_of_decisions(engine, weights, cut):
    second = [0.1 * x for x in B]
    found = every_swap(engine, AT, second=second, weights=weights, at=cut)
    decisions = [[int(s >= cut) for s in scores] for scores in (A, second)]
    exact = [Fraction(w) for w in weights] if weights else None
    for k, name in enumerate(AT):

        def value(labels, chosen, weights, name=name):
            x = naive.MEASURES[name](naive.counts(labels, chosen, 1, weights))
            return None if x is None or x != x else Fraction(x).limit_denominator(10**12)

        expected = enumerated(value, *decisions, Y, exact, range(8))
        assert found[0][k].p == pytest.approx(expected, nan_ok=True), name


def data(n: int = 120, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    a = rng.normal(size=n) + y
    b = np.round(a + rng.normal(size=n), 1)
    return y, a, b


def p_of(y, a, b, **options):
    options = {"method": "permutation", "n_resamples": 200, "seed": 5, **options}
    result = compare(label=y, scores={"a": a, "b": b}, **options)
    return np.asarray(result.columns["p"]).tolist()


def test_a_replicate_swaps_what_its_words_say(engine):
    """p of drawn swaps, counted again from the words of the generator."""
    chosen = loops(engine, 1)
    gaps = []
    ranks = mid_ranks(A), mid_ranks(B)
    for replicate in range(100):
        key = [np.uint64(x) for x in (5, 0)]
        word = int(chosen.philox(*map(np.uint64, (0, 0, replicate, 1 << 24)), *key)[0])
        # The first word of a batch is that of its first counter.
        turned = [word >> u & 1 for u in range(len(Y))]
        pairs = [pair[::-1] if t else pair for *pair, t in zip(*ranks, turned, strict=True)]
        gaps.append(abs(naive.roc_auc(Y, [x for x, _ in pairs])
                        - naive.roc_auc(Y, [x for _, x in pairs])))  # fmt: skip
    found = abs(naive.roc_auc(Y, A) - naive.roc_auc(Y, B))
    expected = (sum(gap >= found for gap in gaps) + 1) / 101
    assert p_of(Y, A, B, n_resamples=100, engine=engine) == [expected]


def test_monotone_maps_of_one_model_change_nothing(engine):
    y, a, b = data()
    metric = ["roc_auc", "average_precision", "ks"]
    plain = p_of(y, a, b, metric=metric, engine=engine)
    assert p_of(y, 1 / (1 + np.exp(-a)), b, metric=metric, engine=engine) == plain
    assert p_of(y, a, 1000 * b - 7, metric=metric, engine=engine) == plain
    # At a threshold the decisions are what counts.
    cut = p_of(y, a, b, metric="f1", at=0.5, engine=engine)
    assert p_of(y, np.where(a >= 0.5, a + 100, a - 100), b, metric="f1", at=0.5) == cut


@pytest.mark.parametrize("metric", [["roc_auc", "average_precision"], "f1", "ks"])
def test_a_model_against_itself(engine, metric):
    y, a, _ = data()
    at = 0.5 if metric == "f1" else None
    assert set(p_of(y, a, a, metric=metric, at=at, engine=engine)) == {1.0}
    assert set(p_of(y, a, np.exp(a), metric="roc_auc", engine=engine)) == {1.0}


def test_p_does_not_depend_on_which_is_the_baseline(engine):
    y, a, b = data()
    metric = ["roc_auc", "average_precision", "ks", "partial_auc(fpr=(0, 0.2))"]
    assert p_of(y, a, b, metric=metric, engine=engine) == p_of(y, b, a, metric=metric)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_same_bytes_for_threads_and_engines(weighted, clustered):
    y, a, _ = data(3000, 1)
    rng = np.random.default_rng(2)
    b = a + 0.1 * rng.normal(size=a.size)
    call = {
        "metric": ["roc_auc", "average_precision", "ks", "f1"], "at": 0.4,
        "weight": rng.random(y.size) + 0.1 if weighted else None,
        "cluster": rng.integers(0, 200, y.size) if clustered else None,
    }  # fmt: skip
    first = p_of(y, a, b, **call, threads=1, engine="numpy")
    assert all(0 < p <= 1 for p in first)
    for threads, engine in ((1, "numba"), (3, "numpy"), (4, "numba")):
        assert p_of(y, a, b, **call, threads=threads, engine=engine) == first
    assert p_of(y, a, b, **call, seed=6) != first


def test_rows_may_come_in_any_order_of_models():
    """A third model changes nothing between the first two."""
    y, a, b = data()
    both = compare(label=y, scores={"a": a, "b": b}, method="permutation", n_resamples=99, seed=1)
    more = compare(
        label=y, scores={"a": a, "c": a * b, "b": b}, method="permutation", n_resamples=99, seed=1
    )
    assert both.row("b", "a")["p"] == more.row("b", "a")["p"]


def test_metrics_that_read_scores_are_refused():
    y, a, b = data()
    for metric in ("brier", "log_loss", "ece"):
        with refused("method", metric, "bootstrap"):
            p_of(y, a, b, metric=metric)


def test_an_infinite_difference_has_no_p_value():
    a = [0.9] * 20 + [0.1] * 20
    result = compare(
        label=[1] * 20 + [0] * 20, scores={"a": a, "b": [*a[:-1], 0.9]}, seed=1, at=0.5,
        metric="positive_likelihood_ratio", method="permutation", n_resamples=50,
    )  # fmt: skip
    row = result.row()
    assert (row["p"], row["status"], row["verdict"]) == (None, "infinite", "undefined")


def test_undefined_values():
    y, a, b = data()
    assert math.isnan(p_of(np.ones_like(y), a, b, pos_label=1)[0])
    result = compare(
        label=Y, scores={"a": A, "b": B}, metric="precision", at=12, method="permutation",
        n_resamples=50, seed=0,
    )  # fmt: skip
    row = result.row()
    assert row["p"] is None
    assert (row["status"], row["verdict"]) == ("no_positive_predictions", "undefined")
    assert "replicates" not in row["note"]  # nothing was drawn


def test_errors_of_progress_stop_the_call():
    y, a, b = data(2000)
    before = active_count()

    def stop(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        p_of(y, a, b, progress=stop, threads=3)
    assert active_count() == before


@pytest.mark.parametrize("threads", [1, 3])
def test_interruption_stops_the_call(threads):
    y, a, b = data(2000)
    before = active_count()
    with pytest.raises(KeyboardInterrupt):
        p_of(y, a, b, threads=threads, n_resamples=10_000,
             progress=lambda *_: signal.raise_signal(signal.SIGINT))  # fmt: skip
    assert active_count() == before


def test_progress_counts_to_the_end():
    y, a, b = data()
    told = []
    p_of(y, a, b, metric=["ks", "f1"], at=0.3, progress=lambda *x: told.append(x), threads=1)
    assert told[-1][0] == told[-1][1]
    assert [x for x, _ in told] == sorted(x for x, _ in told)
    assert len({total for _, total in told}) == 1


@pytest.mark.long
@pytest.mark.parametrize("transform", [lambda x: x, lambda x: 1 / (1 + np.exp(-x))])
def test_level(transform):
    """Share of false verdicts where both models are as good: a probability against a margin."""
    rejected, runs = 0, 800
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        y = np.arange(150) < 45
        shared = rng.normal(size=150) + 1.2 * y
        a, b = (shared + rng.normal(size=150) for _ in range(2))
        p = p_of(y, transform(a), 3 * b, n_resamples=199, seed=seed)[0]
        rejected += p <= 0.05
    share = rejected / runs
    assert abs(share - 0.05) < 4 * math.sqrt(0.05 * 0.95 / runs)
