"""evaluate(ci=...): what it refuses, how it reports progress and stops, and what it prints."""

from __future__ import annotations

import math
import signal
import threading

import numpy as np
import pyarrow as pa
import pytest
from refusals import refused
from scored import CLUSTER, SCORES, SMALL, A, B, G, N, Y, numbers

import ranktally as rt

# -- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"ci": "bayes"}, ["`ci`", "bayes", "wilson"]),
        ({"ci": "bootstrap", "ci_method": "logit"}, ["`ci_method`", "percentile", "logit"]),
        ({"ci": "delong", "ci_method": "bca"}, ["`ci_method`", "plain", "bca"]),
        ({"ci_method": "bca"}, ["`ci_method`", "ci="]),
        ({"cluster": CLUSTER}, ["`cluster`", "ci="]),
        ({"scheme": "poisson"}, ["`scheme`", "ci="]),
        ({"ci": "delong", "scheme": "poisson"}, ["`scheme`", "bootstrap", "delong"]),
        ({"ci": "bootstrap", "scheme": "cluster"}, ["`scheme`", "cluster="]),
        ({"ci": "bootstrap", "scheme": "poisson", "cluster": CLUSTER}, ["`scheme`", "cluster"]),
        ({"ci": "wilson", "cluster": CLUSTER}, ["`ci`", "wilson", "delong"]),
        ({"ci": "wilson"}, ["`ci`", "wilson", "at=0.5", "recall", "roc_auc"]),
        ({"ci": "wilson", "at": 0.5, "metrics": "f1"}, ["`ci`", "wilson", "recall", "f1"]),
        ({"ci": "delong", "metrics": "ks"}, ["`ci`", "delong", "ks", "bootstrap"]),
        ({"ci": "bootstrap", "level": 1.5}, ["`level`", "1.5"]),
        ({"ci": "bootstrap", "n_resamples": 0}, ["`n_resamples`", "0"]),
        ({"ci": "bootstrap", "seed": -1}, ["`seed`", "-1"]),
        ({"tolerance": 0.01}, ["`tolerance`", "exact", "0.01"]),
        ({"tolerance": "no"}, ["`tolerance`", "no"]),
        ({"ci": "bootstrap", "cluster": ["x", None] * (N // 2)}, ["`cluster`", "row 1"]),
        ({"ci": "bootstrap", "cluster": CLUSTER[:9]}, ["`cluster`", "9", N]),
    ],
)
def test_refusals(more, named):
    with refused(*named):
        rt.evaluate(label=Y, scores=A, **more)


def test_models_held_together_must_fit_the_memory_allowed():
    call = {"label": Y, "scores": SCORES, "ci": "bootstrap", **SMALL}
    with refused("`max_memory`", "20,000", "2 models", "`ci`"):
        rt.evaluate(**call, max_memory=20_000)
    whole = rt.evaluate(**call, max_memory=1_000_000)
    assert numbers(whole.to_dict()) == numbers(rt.evaluate(**call).to_dict())
    assert len(rt.evaluate(label=Y, scores=SCORES, ci="wilson", at=0.5, max_memory=20_000))


def test_columns_of_a_table():
    data = pa.table({"y": Y, "a": A, "b": B, "g": G, "who": CLUSTER})
    named = rt.evaluate(
        data, label="y", scores=["a", "b"], by="g", cluster="who", ci="bootstrap", **SMALL
    )
    arrays = rt.evaluate(label=Y, scores=SCORES, by=[G], cluster=CLUSTER, ci="bootstrap", **SMALL)
    assert numbers(named.to_dict()) == numbers(arrays.to_dict())
    # A glob takes no column that has another role.
    globbed = rt.evaluate(
        data.drop(["g", "b"]).rename_columns(["y", "s_a", "s_who"]), label="y", scores="s_*",
        cluster="s_who", ci="bootstrap", **SMALL,
    )  # fmt: skip
    assert {row["model"] for row in globbed.to_dict()} == {"s_a"}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("ci", ["bootstrap", "delong", "wilson"])
def test_progress_counts_models_then_replicates(threads, ci):
    told: list[tuple[int, int]] = []
    rt.evaluate(
        label=Y, scores=SCORES, by=[[], [G]], ci=ci, at=0.5, threads=threads,
        progress=lambda done, total: told.append((done, total)), **SMALL,
    )  # fmt: skip
    total = {"bootstrap": 2 + 4 * 30, "delong": 2 + 4, "wilson": 2}[ci]
    assert {t for _, t in told} == {total}
    steps = [done for done, _ in told]
    assert steps == sorted(set(steps))
    assert steps[-1] == total


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interruption_amid_the_replicates_ends_the_call(threads):
    def interrupt(done: int, total: int) -> None:
        if done > 2:
            signal.raise_signal(signal.SIGINT)

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        rt.evaluate(
            label=Y, scores=SCORES, by=[G], ci="bootstrap", n_resamples=1000, threads=threads,
            progress=interrupt,
        )  # fmt: skip
    assert threading.active_count() == before


def test_the_same_call_without_intervals_holds_null_ends():
    result = rt.evaluate(label=Y, scores=SCORES, level=0.9, seed=3)
    for row in result.to_dict():
        assert row["low"] is row["high"] is row["interval"] is row["level"] is None


def test_infinite_values_keep_their_place():
    result = rt.evaluate(
        label=Y, scores=A, metrics={"odds": lambda tp, fp, tn, fn: tp / (0 * fp)}, at=0.5,
        ci="bootstrap", **SMALL,
    )  # fmt: skip
    (row,) = result.to_dict()
    assert math.isinf(row["value"])


# -- what a person sees --------------------------------------------------------------------------


def test_the_printed_table(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    result = rt.evaluate(
        label=np.tile([1, 0, 0], 40), scores={"a": np.arange(120) % 3 == 0, "b": np.arange(120.0)},
        ci="bootstrap", seed=417,
    )  # fmt: skip
    _, head, *lines = str(result).splitlines()
    assert " ".join(head.split()) == "model roc_auc average_precision (chance 0.5 / 0.3333)"
    assert " ".join(lines[0].split()) == "a * 1.0000 [1.0000, 1.0000] * 1.0000 [1.0000, 1.0000]"
    assert lines[2] == (
        "intervals: 95 % bootstrap percentile, multinomial over rows, 2,000 resamples, seed 417, "
        "paired"
    )
    assert repr(result) == "Evaluation(4 rows, 2 models)"


@pytest.mark.parametrize("width", [24, 40, 60, 100])
def test_the_table_fits_the_terminal(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    result = rt.evaluate(label=Y, scores=SCORES, at=0.5, ci="bootstrap", **SMALL)
    text = str(result)
    _, *lines = text.splitlines()
    longest = max(len(line) for line in lines if not line.startswith("note"))
    assert longest <= max(width, 35)
    words = " ".join(text.split())
    assert "percentile, multinomial over rows, 30 resamples, seed 5, paired" in words
    assert words.count("[") == 2 * 5
