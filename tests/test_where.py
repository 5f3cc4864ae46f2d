"""The parser of constraints: what it reads, what it refuses and where it points."""

from __future__ import annotations

import ast
import math
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused

import ranktally as rt

Y = [1, 0, 1, 1, 0, 0, 1, 0]
S = [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.fixture(scope="module")
def tally():
    return rt.tally(Y, S)


def kept(tally, where):
    """Thresholds that satisfy a constraint: the best of each one alone."""
    found = []
    for t in tally.threshold.tolist():
        only = tally.best(lambda tp, fp, tn, fn, t=t: (tally.at(t).tp == tp) & (
            tally.at(t).fp == fp), where=where)  # fmt: skip
        if only.status == "ok" and only.value == 1:
            found.append(t)
    return found


def test_what_it_says(tally):
    cut = tally.at(S)
    for where, mask in {
        "recall >= 0.75": cut.recall >= 0.75,
        "0.75 <= recall": cut.recall >= 0.75,
        "recall > 0.75": cut.recall > 0.75,
        "recall==0.75": cut.recall == 0.75,
        "recall != 0.75": cut.recall != 0.75,
        "recall < 75e-2": cut.recall < 0.75,
        "sensitivity >= .75 and ppv > 0.6": (cut.recall >= 0.75) & (cut.precision > 0.6),
        "fpr <= 0.25 or fpr >= 1": (cut.fpr <= 0.25) | (cut.fpr >= 1),
        "not fpr <= 0.25": cut.fpr > 0.25,
        "not (recall < 0.5 or fpr > 0.5)": (cut.recall >= 0.5) & (cut.fpr <= 0.5),
        "recall > 0.5 or fpr < 0.3 and precision > 0.9": (cut.recall > 0.5)
        | ((cut.fpr < 0.3) & (cut.precision > 0.9)),
        "0.5 <= recall < 1": (cut.recall >= 0.5) & (cut.recall < 1),
        "precision >= recall": cut.precision >= cut.recall,
        "fbeta(2) > 0.6": cut.fbeta(2) > 0.6,
        "fbeta(beta=0.5) > 0.6": cut.fbeta(0.5) > 0.6,
        "expected_cost(1, cost_fn=2) < 0.5": cut.cost(1, 2) < 4,
        "n_predicted <= 3": cut.n_predicted <= 3,
        "tp >= 2 and fn > 0 and tn >= 1 and fp < 3": (cut.tp >= 2)
        & (cut.fn > 0)
        & (cut.tn >= 1)
        & (cut.fp < 3),
        "youden > -0.1": cut.youden > -0.1,
        "mcc > +0.1": cut.mcc > 0.1,
        "\n  recall >= 0.75\n  and\tfpr <= 0.5  ": (cut.recall >= 0.75) & (cut.fpr <= 0.5),
        "((recall)) >= ((0.75))": cut.recall >= 0.75,
        "tp < 1e999": cut.tp < math.inf,
        "tp >= -1" + "0" * 400: cut.tp >= 0,
    }.items():
        assert kept(tally, where) == np.asarray(S)[mask].tolist(), where


def test_undefined_is_neither_true_nor_false(tally):
    """npv has no value where everything is selected."""
    everything = 1
    assert math.isnan(tally.at(everything).npv)
    for where in ("npv >= 0", "not npv >= 0", "npv != 0.5", "npv == npv", "not (npv < 0.5)"):
        assert everything not in kept(tally, where), where
    assert everything in kept(tally, "npv >= 0 or recall >= 0")
    assert everything in kept(tally, "not (npv >= 0 and recall < 0)")
    assert kept(tally, "npv >= 0.5 or not npv >= 0.5") == S[:-1]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("recal >= 0.9", ["character 1", "'recal'", "recall"]),
        ("recall >= 0.9 and  fppr < 1", ["character 20", "'fppr'", "fpr"]),
        ("  recal >= 0.9", ["character 3", "'recal'"]),
        ("recall >= 0.9 and zzzz > 1", ["character 19", "ranktally.METRICS"]),
        ("recall", ["recall", "compared with nothing"]),
        ("recall > 0.5 and precision", ["character 18", "'precision'", "nothing"]),
        ("recall >= 0.5 & fpr <= 0.1", ["`and`"]),
        ("(recall >= 0.5) & (fpr <= 0.1)", ["`and`"]),
        ("(recall >= 0.5) | (fpr <= 0.1)", ["`or`"]),
        ("~(recall >= 0.5)", ["`not`"]),
        ("recall = 0.9", ["character 8", "'= 0.9'", "cannot be read"]),
        ("recall => 0.9", ["cannot be read"]),
        ("recall >= 95%", ["cannot be read"]),
        ("recall >= 0.9 AND fpr < 1", ["character 15", "'AND fpr < 1'"]),
        ("recall >= 0.5 # and fpr < 1", ["character 15", "comments"]),
        ("recall >=", ["its end", "cannot be read"]),
        ("(recall >= 0.9", ["cannot be read"]),
        ("recall >= 0.9; fpr < 1", ["cannot be read"]),
        ("0.5 < 0.7", ["two numbers"]),
        ("recall > 0.5 > 0.7", ["two numbers"]),
        ("True", ["True"]),
        ("recall >= True", ["'True'"]),
        ("recall >= '0.9'", ["'0.9'"]),
        ("recall >= 1j", ["1j"]),
        ("recall >= None", ["None"]),
        ("recall in (0, 1)", ["no comparison"]),
        ("recall is 1", ["recall is 1"]),
        ("recall + fpr > 1", ["recall + fpr"]),
        ("recall >= 1/2", ["1/2"]),
        ("roc_auc > 0.9", ["roc_auc", "threshold"]),
        ("recall_at_k(3) > 0.9", ["recall_at_k", "threshold"]),
        ("fbeta > 0.9", ["'fbeta'", "beta"]),
        ("fbeta(-1) > 0.9", ["fbeta(-1)", "positive"]),
        ("fbeta(1, 2) > 0.9", ["fbeta(1, 2)"]),
        ("fbeta(recall) > 0.9", ["fbeta(recall)", "numbers"]),
        ("recall(2) > 0.9", ["recall(2)", "no arguments"]),
        ("tp(2) > 0.9", ["tp(2)"]),
        ("__import__('os').system('true') > 0", ["__import__"]),
        ("__import__('os') > 0", ["__import__"]),
        ("recall.__class__ > 0", ["recall.__class__"]),
        ("(lambda: 0)() > 1", ["lambda"]),
        ("[recall][0] > 1", ["[recall][0]"]),
        ("recall if fpr else 1", ["recall if fpr else 1"]),
        ("(x := 1) > 0", ["x := 1"]),
        ("f'{recall}' > 0", ["recall"]),
        ("*recall > 0", ["recall"]),
        ("yield", ["cannot be read"]),
        ("é >= 1 and recal > 2", ["'é'"]),
        ("recall >= 0.5 and é > recal", ["character 19", "'é'"]),
        ("'é' > recall", ["'é'"]),
        ("recall > 1or fpr > 2", ["cannot be read"]),
        ("\x00", ["cannot be read"]),
    ],
)
def test_what_it_refuses(tally, where, words):
    with refused("where", *words):
        tally.best("f1", where=where)


def test_bytes_are_not_characters(tally):
    with refused("character 12", "'recal'"):
        tally.best("f1", where="(recall)>0<recal")
    with refused("character 8", "'é'"):
        tally.best("f1", where="tp > 1<é")


@pytest.mark.parametrize("where", ["", "  ", 3, b"recall > 1", ["recall > 1"], True])
def test_what_is_no_text(tally, where):
    with refused("where", repr(where)):
        tally.best("f1", where=where)


def test_length_and_depth(tally):
    with refused("where", "1000"):
        tally.best("f1", where="recall > 0 and " * 100 + "fpr > 0")
    deep = "(" * 450 + "recall > 0" + ")" * 450
    with refused("where", "cannot be read"):
        tally.best("f1", where=deep)
    with refused("where", "not understood"):
        tally.best("f1", where="-" * 900 + "1 < recall")
    assert tally.best("f1", where="not " * 240 + "recall > 0").status == "ok"
    assert tally.best("f1", where="recall > 0" + " < recall" * 100).status == "unreachable"


WORDS = [
    "recall", "fpr", "recal", "fbeta(2)", "fbeta(", ")", "(", ">=", "<", "=", "==", "and", "or",
    "not", "0.5", "1e999", "-", "--1", "&", "|", "~", "if", "else", "lambda", ":", ".", "[", "]",
    "'", '"', "\\", "\n", "#", "é", "\U0001d487", "\x00", "True", "None", "...", ",", "*", "**",
    "is", "in", "await", "print('x')", "exit()", "tp", "n_predicted", "0x", "1_", "@", "!", "$",
    ":=",
]  # fmt: skip


@given(text=st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map("".join),
    st.text(max_size=40),
))  # fmt: skip
@example("recall > '\\d'")
@example("1or recall > 2")
@example("\ud800 > 1")
@example("recall >= 0.5 # and fpr <= 0.1")
def test_junk_is_refused_and_never_run(text):
    tally = rt.tally(Y, S)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            point = tally.best("f1", where=text)
        except rt.InputError as error:
            message = str(error)
            assert "`where`" in message
            assert "\n" not in message
            return
    assert point.status in ("ok", "unreachable")
    # what was read is Python of the few kinds that are allowed
    tree = ast.parse("".join(" " if c.isspace() else c for c in text).strip(), mode="eval")
    allowed = (
        ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd,
        ast.Compare, ast.cmpop, ast.Name, ast.Load, ast.Constant, ast.Call, ast.keyword,
    )  # fmt: skip
    assert all(isinstance(node, allowed) for node in ast.walk(tree))


def test_nothing_of_the_text_runs(tally, monkeypatch):
    def never(*args, **keywords):
        raise AssertionError("text was run")

    for name in ("eval", "exec", "print", "exit"):
        monkeypatch.setattr(f"builtins.{name}", never, raising=False)
    for where in ("print('x') > 1", "exit() > 1", "fbeta(print(1)) > 0", "f'{print(1)}' > 'a'"):
        with pytest.raises(rt.InputError, match="`where`"):
            tally.best("f1", where=where)
