"""`ranktally evaluate --ci`: the printed table, what files hold, gates, and wrong usage."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from shell import COMMAND, DATA, run_here, write_csv

import ranktally as rt

NAMES = ["low", "value", "high", "interval", "level"]
SMALL = ["--ci", "bootstrap", "--resamples", "50", "--seed", "7"]


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    who = np.random.default_rng(0).integers(0, 60, 400)
    return write_csv(tmp_path_factory.mktemp("data") / "p.csv", {**DATA, "who": who})


@pytest.fixture
def evaluate(capsys, file):
    call = partial(run_here, capsys, "evaluate", file, "--label", "y")
    return lambda *words, scores="good,poor": call("--scores", scores, *words)


def expected(**more: object) -> list[dict]:
    call = {"label": DATA["y"], "scores": {"good": DATA["good"], "poor": DATA["poor"]}, **more}
    return rt.evaluate(**call).to_dict()


def test_table(evaluate):
    code, out, err = evaluate("--ci", "bootstrap", "--seed", "417")
    assert (code, err) == (0, "")
    head, names, *lines = out.splitlines()
    assert head.startswith("1 file, 400 rows, y = 1 in 28.7 % (115 rows), 2 models, ")
    assert names.split()[:3] == ["model", "roc_auc", "average_precision"]
    assert names.endswith("(chance 0.5 / 0.2875)")
    rows = expected(ci="bootstrap", seed=417)
    for line, model in zip(lines, ("good", "poor"), strict=False):
        cells = [f"{r['value']:.4f} [{r['low']:.4f}, {r['high']:.4f}]" for r in rows
                 if r["model"] == model]  # fmt: skip
        mark = "* " if model == "good" else ""
        assert " ".join(line.split()) == " ".join([model, *(mark + cell for cell in cells)])
    assert lines[2:] == [
        "intervals: 95 % bootstrap percentile, multinomial over rows, 2,000 resamples, seed 417, "
        "paired"
    ]


@pytest.mark.parametrize(
    ("words", "feet"),
    [
        (
            [*SMALL, "--level", "0.9", "--ci-method", "normal", "--scheme", "stratified"],
            ["90 % bootstrap normal, stratified over rows, 50 resamples, seed 7, paired"],
        ),
        (
            [*SMALL, "--cluster", "who"],
            ["95 % bootstrap percentile, 60 whole clusters, 50 resamples, seed 7, paired"],
        ),
        (
            ["--ci", "delong", "--at", "0.5", "--metrics", "f1,roc_auc"],
            ["95 % jackknife plain of f1", "95 % DeLong plain of roc_auc"],
        ),
        (
            ["--ci", "delong", "--cluster", "who", "--ci-method", "logit"],
            ["95 % jackknife cluster logit"],
        ),
        (["--ci", "wilson", "--at", "0.5", "--metrics", "recall"], ["95 % Wilson"]),
    ],
)
def test_the_foot_says_what_intervals_are(evaluate, words, feet):
    code, out, _ = evaluate(*words)
    assert code == 0
    found = [line for line in out.splitlines() if line.startswith("intervals: ")]
    assert found == [f"intervals: {foot}" for foot in feet]


def test_every_format_carries_the_ends(evaluate, tmp_path):
    rows = [[row[k] for k in NAMES] for row in expected(ci="bootstrap", n_resamples=50, seed=7)]
    code, out, _ = evaluate(*SMALL, "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert [[row[k] for k in NAMES] for row in document["rows"]] == rows
    told = document["summary"]
    assert [told[k] for k in ("ci", "scheme", "plan", "n_resamples", "seed", "ci_method")] == [
        "bootstrap", "multinomial", "rows", 50, 7, "percentile",
    ]  # fmt: skip
    _, out, _ = evaluate(*SMALL, "--format", "csv")
    texts = [[row[k] for k in NAMES] for row in csv.DictReader(out.splitlines())]
    assert texts == [[str(x) for x in row] for row in rows]
    evaluate(*SMALL, "--output", tmp_path / "r.parquet")
    table = pq.read_table(tmp_path / "r.parquet").to_pylist()
    assert [[row[k] for k in NAMES] for row in table] == rows
    _, out, _ = evaluate(*SMALL, "--format", "markdown")
    assert out.splitlines()[0].replace(" ", "").startswith("|model|metric|value|low|high|interval|")
    assert "bootstrap multinomial percentile" in out


def test_groups(evaluate):
    code, out, _ = evaluate(*SMALL, "--by", "total", "--by", "g", "--format", "csv")
    assert code == 0
    found = list(csv.DictReader(out.splitlines()))
    rows = expected(ci="bootstrap", n_resamples=50, seed=7, by=[[], [DATA["g"]]])
    assert [float(row["low"]) for row in found] == [row["low"] for row in rows]


@pytest.mark.parametrize(
    ("gate", "code", "said"),
    [
        ("roc_auc.low < 0.5", 0, []),
        ("roc_auc.low < 0.7", 4, ["poor: roc_auc.low is 0.5"]),
        ("precision.high@0.5 < 0.99", 4, ["good: precision.high@0.5", "poor: precision.high@0.5"]),
        ("precision@0.5.high < 0.99", 4, ["good: precision.high@0.5", "poor: precision.high@0.5"]),
        ("recall.low@99 < 0", 0, []),
        ("recall@99.low < 0", 0, []),
        ("precision.low@99 < 0", 4, ["is undefined (no positive predictions)"]),
        ("roc_auc < 0.6", 0, []),
    ],
)
def test_gates_on_the_ends_of_intervals(evaluate, gate, code, said):
    found, _, err = evaluate("--ci", "delong", "--fail-if", gate)
    assert found == code
    assert bool(err) == bool(said)
    for words in said:
        assert words in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--resamples", "50"], ["--resamples", "--ci"]),
        (["--level", "0.9"], ["--level", "--ci"]),
        (["--seed", "0"], ["--seed", "--ci"]),
        (["--cluster", "who"], ["--cluster", "--ci"]),
        (["--ci-method", "bca"], ["--ci-method", "--ci"]),
        (["--scheme", "poisson"], ["--scheme", "--ci"]),
        (["--ci", "delong", "--seed", "1"], ["--seed", "--ci bootstrap", "delong"]),
        (["--ci", "wilson", "--at", "1", "--resamples", "9"], ["--resamples", "--ci bootstrap"]),
        (["--ci", "delong", "--scheme", "poisson"], ["--scheme", "--ci bootstrap"]),
        (["--ci", "wilson", "--at", "1", "--cluster", "who"], ["--ci", "--ci delong"]),
        (["--ci", "bootstrap", "--scheme", "cluster"], ["--scheme", "--cluster"]),
        (["--ci", "bootstrap", "--scheme", "poisson", "--cluster", "who"], ["--cluster"]),
        (["--ci", "bootstrap", "--ci-method", "logit"], ["--ci-method", "percentile", "logit"]),
        (["--ci", "nothing"], ["--ci", "bootstrap", "nothing"]),
        (["--ci", "bootstrap", "--level", "95"], ["--level", "0.95", "95"]),
        (["--ci", "bootstrap", "--resamples", "0"], ["--resamples", "0"]),
        (["--ci", "bootstrap", "--seed", "-1"], ["--seed"]),
        (["--fail-if", "roc_auc.low < 0.9"], ["--fail-if", "roc_auc.low", "--ci"]),
        (["--ci", "delong", "--fail-if", "roc_auc.middle < 0.9"], ["--fail-if", "middle", ".low"]),
        (
            ["--ci", "delong", "--fail-if", "f1.low@1.high < 0.9"],
            ["METRIC[.low|.high][@THRESHOLD]"],
        ),
        (["--fail-if", "precision@0.1.low < 0.9"], ["--fail-if", "precision@0.1.low", "--ci"]),
        (
            ["--ci", "wilson"],
            ["`--ci`", "--at 0.5", "recall", "roc_auc", "--ci delong or bootstrap"],
        ),
        (["--ci", "delong", "--metrics", "ks"], ["`--ci`", "ks", "--ci bootstrap"]),
        (
            ["--ci", "wilson", "--at", "0.5", "--fail-if", "f1.low < 0.9"],
            ["--fail-if", "f1.low", "never", "--ci delong or bootstrap"],
        ),
        (["--ci", "delong", "--fail-if", "ks.low < 0"], ["ks.low", "never", "--ci bootstrap"]),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(evaluate, words, said):
    code, out, err = evaluate(*words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    for word in said:
        assert word in err


@pytest.mark.parametrize("form", ["csv", "markdown", "parquet", "json", "table"])
def test_a_seed_that_was_drawn_is_told(evaluate, tmp_path, form):
    words = ["--ci", "bootstrap", "--resamples", "20", "--format", form]
    path = tmp_path / "out"
    code, _, err = evaluate(*words, "--output", path)
    assert code == 0
    if form in ("json", "table"):
        assert err == ""
        assert "seed" in path.read_text()
        return
    found = re.fullmatch(r"ranktally: seed (\d+) was drawn: pass --seed (\d+) to repeat\n", err)
    assert found[1] == found[2]
    held = (lambda: pq.read_table(path).to_pylist()) if form == "parquet" else path.read_bytes
    drawn = held()
    code, _, err = evaluate(*words, "--output", path, "--seed", found[1])
    assert (code, err) == (0, "")
    assert held() == drawn
    _, _, err = evaluate("--ci", "delong", "--format", form, "--output", path)
    assert err == ""


def test_the_foot_speaks_of_options_in_words(evaluate):
    code, out, _ = evaluate("--ci", "wilson", "--at", "0.5", "--metrics", "f1,recall")
    assert code == 0
    assert out.splitlines()[-1] == "note: no share of rows: take --ci delong or bootstrap (f1@0.5)"
    _, out, _ = evaluate(*SMALL, "--cluster", "g", "--by", "g")
    assert "no interval: a single cluster" in out
    assert "_cluster" not in out
    _, _, err = evaluate(*SMALL, "--cluster", "g", "--by", "g", "--fail-if", "roc_auc.low < 0.1")
    assert "roc_auc.low is undefined (fewer than 50 clusters, no interval: a single cluster)" in err


def test_the_head_tells_of_the_rows_that_all_models_have(capsys, tmp_path):
    good = np.where(np.arange(400) % 9 == 0, "", np.char.mod("%.3f", DATA["good"]))
    path = write_csv(tmp_path / "gaps.csv", {**DATA, "good": good})
    call = ["evaluate", path, "--label", "y", "--scores", "good,poor", "--missing", "omit"]
    code, out, _ = run_here(capsys, *call, "--ci", "delong")
    assert code == 0
    kept = DATA["y"][np.arange(400) % 9 != 0]
    head, names, *_ = out.splitlines()
    share = f"y = 1 in {100 * kept.mean():.1f} % ({kept.sum()} rows)"
    assert head.startswith(f"1 file, 355 of 400 rows (those that all models have), {share}, ")
    assert names.endswith(f"(chance 0.5 / {kept.mean():.4g})")


def test_resamples_beyond_the_memory_are_named_as_the_option(evaluate):
    cuts = ",".join(map(str, np.linspace(0, 1, 2000)))
    code, _, err = evaluate(
        "--ci", "bootstrap", "--resamples", "4000000000", "--at", cuts, "--metrics", "recall"
    )
    assert (code, err.count("\n")) == (3, 1)
    assert "`--resamples` 4,000,000,000 needs about" in err


def test_unusable_clusters_are_a_data_error(evaluate, tmp_path, capsys):
    code, _, err = evaluate(*SMALL, "--cluster", "whom")
    assert (code, err.count("\n")) == (3, 1)
    assert "did you mean 'who'" in err
    holes = np.where(np.arange(400) == 7, "", "x")
    path = write_csv(tmp_path / "holes.csv", {**DATA, "who": holes})
    code, _, err = run_here(
        capsys, "evaluate", path, "--label", "y", "--scores", "good", *SMALL, "--cluster", "who"
    )
    assert code == 3
    assert "line 9" in err


def test_a_broken_column_is_reported_and_the_rest_have_intervals(evaluate):
    words = [*SMALL, "--on-error", "status", "--format", "json"]
    code, out, _ = evaluate(*words, scores="good,g,poor")
    assert code == 0
    rows = json.loads(out)["rows"]
    alone = expected(ci="bootstrap", n_resamples=50, seed=7)
    assert [r["low"] for r in rows if r["model"] != "g"] == [r["low"] for r in alone]
    assert all(r["low"] is None and "error" in r["status"] for r in rows if r["model"] == "g")


@pytest.mark.parametrize("width", [40, 70, 120])
def test_a_terminal_gets_lines_that_fit(file, width):
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "dumb"}
    words = [*COMMAND, "evaluate", str(file), "--label", "y", "--scores", "good,poor", *SMALL]
    subprocess.run(
        [*words, "--no-progress"], stdout=follower, env=environment, check=True, timeout=60
    )
    os.close(follower)
    text = b""
    try:
        while part := os.read(leader, 1 << 16):
            text += part
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    lines = text.decode().replace("\r\n", "\n").splitlines()[1:]
    assert max(map(len, lines)) <= width
    assert len(re.findall(r"\[0\.\d{4}, 0\.\d{4}\]", text.decode())) == 4
    told = " ".join(" ".join(lines).split())
    assert "multinomial over rows, 50 resamples, seed 7, paired" in told


def test_help_names_the_options(capsys):
    code, out, _ = run_here(capsys, "evaluate", "--help")
    assert code == 0
    for option in ("--ci", "--ci-method", "--scheme", "--resamples", "--level", "--cluster"):
        assert option in out
    words = " ".join(out.split())
    for way in ("bootstrap: of", "delong: of", "wilson: of", "(needs --at)", "precision.low@0.1"):
        assert way in words
    assert words.count("for all models") == 1
