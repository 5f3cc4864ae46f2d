"""What compare() prints: a table that fits its width, and below it what was done."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from ranktally._compare import compare
from ranktally._compare_text import comparison_text
from ranktally._layout import fit, shortened, width_of, wrapped

RNG = np.random.default_rng(0)
N = 600
Y = (RNG.random(N) < 0.4).astype(int)
A = np.round(RNG.normal(size=N) + 1.3 * Y, 2)
MODELS = {"a": A, "b": np.round(A + RNG.normal(size=N), 2), "c": A - 0.4 * Y}
CALL = {"label": Y, "scores": MODELS, "n_resamples": 200, "seed": 1234567890123}
LONG = {f"gradient_boosting_of_week_{name}": x for name, x in MODELS.items()}
TWO = ["roc_auc", "average_precision"]


def shown(found, width=None):
    return comparison_text(found, found.summary, width)


def test_one_line_a_comparison():
    text = shown(compare(**CALL, baseline="a"))
    head, *lines = text.splitlines()
    assert head.startswith("600 rows, label = 1 in 36.2 % (217 rows), 3 models, ")
    assert "\n".join(lines) == textwrap.dedent(
        """\
        model  roc_auc  baseline  its value  difference       95 % interval         p  adjusted p  verdict
        b       0.7742  a            0.8312     -0.0571  [-0.0880, -0.0261]  0.000308    0.000308  worse
        c       0.7467  a            0.8312     -0.0845  [-0.0941, -0.0750]  3.29e-67    6.58e-67  worse
        paired: on 600 rows, 217 positive, 383 negative
        intervals: 95 % DeLong plain, each for itself, not adjusted
        p: two-sided, by DeLong, adjusted by Holm for 2 comparisons; a verdict needs less than 0.05"""  # noqa: E501
    )


@pytest.mark.parametrize("scores", [MODELS, LONG])
@pytest.mark.parametrize("metric", ["average_precision", TWO])
@pytest.mark.parametrize("baseline", [False, True])
@pytest.mark.parametrize("width", [60, 70, 80, 100])
def test_the_table_fits(scores, metric, baseline, width):
    call = {**CALL, "scores": scores, "metric": metric, "method": "bootstrap"}
    found = compare(**call, baseline=next(iter(scores)) if baseline else None)
    wide, narrow = shown(found).splitlines(), shown(found, width).splitlines()
    assert max(map(len, narrow)) <= width
    # A verdict in each line of the upper part.
    top = narrow[[line.startswith("model") for line in narrow].index(True) :][: len(found) + 1]
    assert top[0].endswith("verdict")
    for line, row in zip(top[1:], found.to_dict(), strict=True):
        assert line.endswith(row["verdict"])
    # Nothing is left out.
    text = "\n".join(narrow)
    for row in found.to_dict():
        for number in (f"{row['baseline_value']:.4f}", f"{row['low']:+.4f}", f"{row['p']:.3g}"):
            assert number in text
    assert f"seed {CALL['seed']}" in text
    assert shown(found, 1000).splitlines() == wide


def test_a_baseline_of_all_lines_is_named_once():
    text = shown(compare(**CALL, baseline="b", metric=TWO), 70)
    assert "value of b" in text
    assert "baseline value" not in text
    assert "baseline value" in shown(compare(**CALL, metric=TWO), 70)


def test_reasons_are_shortened_before_they_leave_the_line():
    call = {**CALL, "metric": "precision", "at": 99}
    text = shown(compare(**call, method="bootstrap"), 60)
    assert "undefined: no positi" in text
    assert max(map(len, text.splitlines())) <= 60


def test_lines_name_their_metrics():
    text = shown(compare(**CALL, metric=[*TWO, "gini"]))
    for words in (
        "intervals: 95 % DeLong plain of roc_auc, gini, each",
        "intervals: 95 % bootstrap multinomial percentile of average_precision, each",
        "by DeLong of roc_auc, gini and bootstrap of average_precision, adjusted by Holm for 9",
        "resamples: 200, seed 1234567890123",
    ):
        assert words in text
    assert " of roc_auc" not in shown(compare(**CALL))
    assert "adjusted p" not in shown(compare(**CALL, adjust="none"))
    assert "none with permutation" in shown(compare(**CALL, method="permutation"))


def test_notes_are_told_in_words_and_together():
    few = {name: x[:60] for name, x in MODELS.items()}
    text = shown(compare(label=Y[:60], scores=few, cluster=np.arange(60) // 2, n_resamples=300))
    assert "note: fewer than 50 positives and negatives and clusters" in text
    assert "few_" not in text


def test_few_replicates_are_told_once():
    text = shown(compare(**{**CALL, "n_resamples": 19, "method": "bootstrap"}))
    assert text.count("too few for any verdict on 3 comparisons: pass n_resamples=60 or more") == 1
    assert "a baseline in place of all pairs" in text
    assert "for a verdict" not in text
    text = shown(compare(**{**CALL, "n_resamples": 1, "method": "permutation"}, baseline="a"))
    assert "1 resample is too few for any verdict on 2 comparisons" in text
    assert "a baseline" not in text


def test_rows_weights_and_singular():
    weight = np.full(N, 0.1)
    assert "weight 21.7 of positives, 38.3 of negatives" in shown(compare(**CALL, weight=weight))
    one = compare(label=[1], scores={"a": [1.0], "b": [2.0]}, metric="accuracy", at=1,
                  n_resamples=20)  # fmt: skip
    assert shown(one).startswith("1 row, label = 1 in 100 % (1 row), 2 models")
    assert "paired: on 1 row, 1 positive, 0 negative" in shown(one)


def test_unpaired_says_what_is_where(tmp_path):
    paths = []
    for name, rows in (("last", slice(0, 300)), ("this", slice(300, None))):
        paths.append(tmp_path / f"{name}.csv")
        lines = [f"{y},{a}" for y, a in zip(Y[rows], A[rows], strict=True)]
        paths[-1].write_text("\n".join(["y,a", *lines]))
    found = compare(paths[0], other=paths[1], label="y", scores="a")
    told = found.summary
    assert (told["baseline_data"], told["value_data"]) == tuple(map(str, paths))
    assert (told["n_files"], told["baseline_n_files"], told["n_shared_files"]) == (1, 1, 0)
    assert f"value: {paths[1]}; baseline: {paths[0]}" in shown(found)
    same = compare(paths[0], other=[paths[0], paths[1]], label="y", scores="a")
    assert same.summary["n_shared_files"] == 1
    assert "the two data sets share 1 file" in shown(same)


def test_the_summary_names_what_was_compared():
    data = {**MODELS, "y": np.where(Y, "yes", "no"), "w": np.full(N, 2), "id": np.arange(N)}
    found = compare(data, label="y", pos_label="yes", scores=["a", "b"], weight="w", cluster="id",
                    n_resamples=50)  # fmt: skip
    names = ("label", "pos_label", "weight", "cluster", "n_models", "n_pos", "n_neg", "n_rows")
    wanted = ["y", "yes", "w", "id", 2, 217, 383, 600]
    assert [found.summary[name] for name in names] == wanted
    assert "y = yes in 36.2 %" in str(found)


def test_wide_characters_stand_in_line():
    scores = {"模型一": A, "b": MODELS["b"], "模型": MODELS["c"]}
    text = shown(compare(**{**CALL, "scores": scores}))
    lines = text.splitlines()[1:5]
    places = {width_of(line[: line.index("0.")]) for line in lines[1:]}
    assert len(places) == 1


def test_texts_are_fitted_by_their_width():
    assert width_of("模型a") == 5
    assert fit("模型模型模型", 9) == "模...型"
    assert width_of(fit("模型模型模型", 10)) <= 10
    assert fit("abcdefghij", 8) == "abc...ij"
    assert shortened(["a" * 20, "a" * 21], 10) == ["a" * 20, "a" * 21]
    assert wrapped(["one two\N{NO-BREAK SPACE}three " + "x" * 12], 22) == [
        "one two three", "x" * 12,
    ]  # fmt: skip
    assert wrapped(["aaaaa bbbbb ccccc seed\N{NO-BREAK SPACE}7"], 20) == [
        "aaaaa bbbbb ccccc", "seed 7",
    ]  # fmt: skip
