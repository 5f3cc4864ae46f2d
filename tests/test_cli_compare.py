"""`ranktally compare`: both forms, what it prints and writes, its gate, and how it fails."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shell import DATA, run_here, write_csv

from ranktally._compare import compare

MODELS = {"label": "y", "scores": ["good", "poor"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("data")
    data = {**DATA, "same": DATA["good"], "id": np.arange(400) // 4}
    write_csv(root / "all.csv", data)
    for name, part in (("last", slice(0, 200)), ("this", slice(200, None))):
        half = {key: np.asarray(values)[part] for key, values in data.items()}
        write_csv(root / f"{name}.csv", half)
        (root / name).mkdir()
        for k, rows in enumerate((slice(0, 90), slice(90, None))):
            small = {key: values[rows] for key, values in half.items()}
            pq.write_table(pa.table(small), root / name / f"{k}.parquet")
    return root


@pytest.fixture
def run(capsys, folder):
    """Run `compare` in the folder's name: words that are files there become paths."""

    def run(*words: object) -> tuple[int, str, str]:
        known = {"all.csv", "last.csv", "this.csv", "last", "this", "last/*", "this/*"}
        paths = [folder / str(word) if word in known else word for word in words]
        return run_here(capsys, "compare", *paths)

    return run


@pytest.fixture
def two(run):
    return partial(run, "all.csv", "--label", "y", "--scores", "good,poor")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_one_data_set_is_paired(two, folder):
    code, out, err = two("--baseline", "good")
    assert (code, err) == (0, "")
    told, head, line = out.splitlines()[:3]
    assert told.startswith("1 file, 400 rows, y = 1 in 28.7 % (115 rows), 2 models, ")
    assert head.split() == [
        *("model", "roc_auc", "baseline", "its", "value", "difference", "95", "%", "interval", "p"),
        "verdict",
    ]
    expected = compare(folder / "all.csv", **MODELS, baseline="good").row()
    assert line.split()[:4] == [
        "poor", f"{expected['value']:.4f}", "good", f"{expected['baseline_value']:.4f}",
    ]  # fmt: skip
    assert line.endswith("worse")
    assert "paired: on 400 rows" in out
    assert "DeLong" in out


def test_two_data_sets_are_unpaired(run, folder):
    code, out, _ = run("last.csv", "this.csv", "--label", "y", "--scores", "good,poor")
    assert code == 0
    assert f"value: {folder / 'this.csv'}; baseline: {folder / 'last.csv'}" in out
    assert "unpaired" in out
    code, out, _ = run("last.csv", "this.csv", "--label", "y", "--scores", "g*d,poor", "--format",
                       "csv")  # fmt: skip
    expected = compare(folder / "last.csv", other=folder / "this.csv", **MODELS).to_dict()
    for row, wanted in zip(rows_of(out), expected, strict=True):
        assert (row["model"], row["baseline"]) == (wanted["model"], wanted["model"])
        assert float(row["difference"]) == wanted["difference"]
        assert float(row["p"]) == wanted["p"]
        assert (row["n"], row["baseline_n"]) == ("200", "200")


@pytest.mark.parametrize("kind", ["{}", "{}/*"])
def test_a_data_set_may_be_a_folder_or_a_glob(run, kind):
    call = ["--label", "y", "--scores", "good", "--format", "csv"]
    whole = run("last.csv", "this.csv", *call)[1]
    code, out, err = run(kind.format("last"), kind.format("this"), *call)
    assert (code, err) == (0, "")
    assert out == whole


def test_options_reach_the_comparison(two, folder):
    code, out, _ = two(
        "--metric", "f1,ks", "--at", "-0.5", "--method", "bootstrap", "--resamples", 150,
        "--level", 0.9, "--seed", 7, "--adjust", "bonferroni", "--cluster", "id", "--weight", "w",
        "--format", "json",
    )  # fmt: skip
    expected = compare(
        folder / "all.csv", **MODELS, metric=["f1", "ks"], at=-0.5, method="bootstrap",
        n_resamples=150, level=0.9, seed=7, adjust="bonferroni", cluster="id", weight="w",
    )  # fmt: skip
    assert code == 0
    found = json.loads(out)
    assert found["rows"] == expected.to_dict()
    assert found["summary"].pop("seconds") > 0
    assert found["summary"] == {k: v for k, v in expected.summary.items() if k != "seconds"}
    assert found["warnings"] == []


def test_the_seed_is_told_and_brings_the_same(two):
    call = ["--metric", "ks", "--resamples", 60]
    out = two(*call)[1]
    seed = next(line for line in out.splitlines() if line.startswith("resamples")).split()[-1]
    again = two(*call, "--seed", seed)[1]
    assert again.splitlines()[1:] == out.splitlines()[1:]


@pytest.mark.parametrize("form", ["csv", "markdown", "parquet"])
@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
def test_a_drawn_seed_is_told_where_the_result_cannot(two, tmp_path, form, method):
    path = tmp_path / f"out.{form}"
    call = ["--method", method, "--resamples", 200, "--format", form, "--output", path]
    code, _, err = two(*call)
    found = re.fullmatch(r"ranktally: seed (\d+) was drawn: pass --seed \1 to repeat\n", err)
    assert (code, bool(found)) == (0, True)
    rows = path.read_bytes()
    assert two(*call, "--seed", found[1]) == (0, "", "")
    if form == "parquet":
        table = pq.read_table(path)
        told = json.loads(table.schema.metadata[b"ranktally"])
        assert (told["summary"]["seed"], told["warnings"]) == (int(found[1]), [])
        assert table == pq.read_table(io.BytesIO(rows))
    else:
        assert path.read_bytes() == rows
    for told in ("table", "json"):
        assert two("--method", method, "--resamples", 200, "--format", told)[2] == ""


@pytest.mark.parametrize("form", ["csv", "json", "parquet", "markdown", "txt"])
def test_output_files(two, tmp_path, form):
    suffix = {"markdown": "md"}.get(form, form)
    code, out, _ = two("--output", tmp_path / f"out.{suffix}")
    assert (code, out) == (0, "")
    content = (tmp_path / f"out.{suffix}").read_bytes()
    if form == "parquet":
        assert pq.read_table(io.BytesIO(content)).column("verdict").to_pylist() == ["worse"]
    else:
        assert b"worse" in content


def test_the_gate(two, run):
    code, out, err = two("--fail-if", "worse")
    assert code == 4
    assert "poor against good" in err
    assert "worse" in out
    assert two("--fail-if", "worse", "--baseline", "poor")[0] == 0
    assert run("all.csv", "--label", "y", "--scores", "good,same", "--fail-if", "worse")[0] == 0
    # What is undefined has not passed.
    code, out, err = two("--metric", "precision", "--at", "99", "--fail-if", "worse")
    assert code == 4
    assert "undefined" in err
    assert "undefined: no positive predictions" in out
    code, _, err = two("--metric", "prevalence", "--at", "1", "--fail-if", "worse")
    assert (code, "better side" in err) == (2, True)


def test_gaps(run, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("y,a,b\n1,0.9,0.8\n0,,0.1\n0,0.3,0.2\n1,0.4,0.1\n0,0.1,0.3\n")
    call = [path, "--label", "y", "--scores", "a,b"]
    code, _, err = run(*call)
    assert code == 3
    assert "line 3" in err
    assert "--missing omit" in err
    code, out, _ = run(*call, "--missing", "omit")
    assert code == 0
    assert "4 of 5 rows" in out
    code, out, _ = run(*call, "--missing", "worst")
    assert code == 0
    assert "paired: on 5 rows" in out
    call += ["--missing", "worst", "--metric", "ks"]
    code, _, err = run(*call, "--method", "permutation")
    assert code == 2
    assert "--missing" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["all.csv", "last.csv", "this.csv"], 2, ["got 3", "quotes", "folder"]),
        (["last.csv", "this.csv", "--baseline", "good"], 2, ["--baseline"]),
        (["last.csv", "this.csv", "--method", "permutation"], 2, ["permutation", "bootstrap"]),
        (["last.csv", "this.csv", "--baseline", "good"], 2, ["glob", "quotes"]),
        (["-", "-"], 2, ["stdin", "file"]),
        (["all.csv", "--metric", "rocauc"], 2, ["--metric", "roc_auc"]),
        (["all.csv", "--metric", "f1"], 2, ["--metric", "f1", "--at 0.5"]),
        (["all.csv", "--metric", "f1", "--at", "0.4,0.5"], 2, ["--at", "one"]),
        (["all.csv", "--at", "0.5"], 2, ["--at", "roc_auc"]),
        (["all.csv", "--method", "delong", "--cluster", "id"], 2, ["--cluster", "--method"]),
        (["all.csv", "--method", "permutation", "--metric", "brier"], 2, ["brier"]),
        (["all.csv", "--method", "wald"], 2, ["--method", "wald"]),
        (["all.csv", "--level", "95"], 2, ["--level", "95"]),
        (["all.csv", "--seed", "x"], 2, ["--seed", "x"]),
        (["all.csv", "--resamples", "0"], 2, ["--resamples", "0"]),
        (["all.csv", "--fail-if", "roc_auc < 0.9"], 2, ["--fail-if", "worse"]),
        (["all.csv", "--baseline", "goood"], 2, ["--baseline", "goood", "--scores", "good?"]),
        (["all.csv", "--baseline", "same"], 2, ["--baseline", "same", "add it to --scores"]),
        (["all.csv", "--metric", "ks,f1@0.1"], 2, ["f1@0.1", "--metric f1 --at 0.1"]),
        (["all.csv", "--seed", "7"], 2, ["--seed", "delong", "draws nothing", "bootstrap"]),
        (["all.csv", "--method", "jackknife", "--resamples", "7"], 2, ["--resamples", "jackknife"]),
        (["all.csv", "--cluster", "ids"], 3, ["--cluster", "ids", "id"]),
        (["last.csv", "nowhere.csv"], 3, ["nowhere.csv"]),
    ],
)
def test_failures(run, words, code, said):
    found, out, err = run(*words, "--label", "y", "--scores", "good,poor")
    assert (found, out) == (code, "")
    assert len(err.splitlines()) == 1
    for word in said:
        assert word in err


def test_a_baseline_may_be_found_by_a_glob(run):
    call = ["all.csv", "--label", "y", "--scores", "[gp]oo*"]
    assert run(*call, "--baseline", "poor")[0] == 0
    code, _, err = run(*call, "--baseline", "pooor")
    assert code == 3
    assert "add it to `--scores`" in err


def test_the_gate_is_not_passed_for_want_of_resamples(two):
    call = ["--method", "bootstrap", "--resamples", 19, "--seed", 1]
    code, out, err = two(*call)
    words = "19 resamples are too few for any verdict on 1 comparison: pass --resamples 20 or more"
    assert code == 0
    assert err.startswith(f"ranktally: warning: {words}")
    assert words in out
    assert words in json.loads(two(*call, "--format", "json")[1])["warnings"][0]
    code, _, err = two(*call, "--fail-if", "worse")
    assert code == 4
    assert err.startswith(f"ranktally: failed: worse: cannot be decided: {words}")
    # The other way round the difference would be none that fails, but for lack of resamples.
    assert two(*call, "--baseline", "poor", "--fail-if", "worse")[0] == 4
    assert two(*call[:2], "--baseline", "poor", "--fail-if", "worse")[0] == 0


def test_few_clusters_do_not_pass_the_gate(run, tmp_path):
    path = write_csv(tmp_path / "few.csv", {**DATA, "id": np.arange(400) // 100})
    call = [path, "--label", "y", "--scores", "good,poor", "--cluster", "id", "--fail-if", "worse"]
    for method in ("bootstrap", "jackknife"):
        code, out, err = run(*call, "--method", method)
        assert code == 4
        assert "undefined (fewer than 10 clusters)" in err
        assert "whole clusters: 4, of id" in out


def test_stdin_may_be_one_of_two(run, folder, monkeypatch):
    call = ["--label", "y", "--scores", "good", "--format", "json"]
    wanted = json.loads(run("last.csv", "this.csv", *call)[1])
    for name, words in (("this.csv", ["last.csv", "-"]), ("last.csv", ["-", "this.csv"])):
        data = SimpleNamespace(buffer=io.BytesIO((folder / name).read_bytes()))
        monkeypatch.setattr("sys.stdin", data)
        code, out, err = run(*words, *call)
        assert (code, err) == (0, "")
        found = json.loads(out)
        assert found["rows"] == wanted["rows"]
        side = "value_data" if words[1] == "-" else "baseline_data"
        assert found["summary"][side] == "stdin"


def test_two_data_sets_are_named_and_may_be_a_mistake(run, folder):
    call = ["--label", "y", "--scores", "good,poor", "--format", "json"]
    code, out, err = run("last.csv", "this.csv", *call)
    assert code == 0
    told = json.loads(out)["summary"]
    names = [told["baseline_data"], told["value_data"]]
    assert names == [str(folder / "last.csv"), str(folder / "this.csv")]
    assert "each model is compared with itself; quote a glob" in err
    assert run("last", "this", *call)[2] == ""
    code, out, err = run("last.csv", "last.csv", *call)
    assert code == 0
    assert "share 1 file" in err
    assert "share 1 file" in json.loads(out)["warnings"][0]


def test_no_row_of_weight(run, tmp_path):
    path = tmp_path / "zero.csv"
    path.write_text("y,a,b,w\n1,0.9,0.8,0\n0,0.1,0.2,0\n")
    code, _, err = run(path, "--label", "y", "--scores", "a,b", "--weight", "w")
    assert code == 3
    for word in ("weight 0", "'w'", "zero.csv"):
        assert word in err


@pytest.mark.parametrize("width", [60, 80])
def test_the_table_fits_a_terminal(run, monkeypatch, width):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    seed = 12345678901234567890
    code, out, _ = run(
        "all.csv", "--label", "y", "--scores", "good,poor,same", "--metric",
        "roc_auc,average_precision", "--seed", seed, "--resamples", 400,
    )  # fmt: skip
    lines = out.splitlines()
    assert code == 0
    assert max(map(len, lines)) <= width
    verdicts = ("worse", "better", "no difference shown")
    assert sum(line.endswith(verdicts) for line in lines) == 6
    assert any(line.endswith(f"seed {seed}") for line in lines)


def test_one_model_needs_a_second_data_set(run):
    code, _, err = run("all.csv", "--label", "y", "--scores", "good")
    assert code == 3
    assert "second data set" in err
    code, _, err = run("all.csv", "--label", "y")
    assert (code, "--scores" in err) == (2, True)


def test_the_output_must_not_be_an_input(run, folder):
    for name in ("last.csv", "this.csv"):
        code, _, err = run("last.csv", "this.csv", "--label", "y", "--scores", "good", "--output",
                           folder / name)  # fmt: skip
        assert (code, "one of the files" in err) == (2, True)
        assert (folder / name).read_text().startswith("y,")


def test_help_tells_of_both_forms(capsys):
    code, out, _ = run_here(capsys, "compare", "--help")
    assert code == 0
    for word in ("last_week.parquet", "--baseline", "--fail-if", "--seed", "quotes"):
        assert word in out
