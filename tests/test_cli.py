"""The command `ranktally evaluate`: what it prints and writes, and its gates."""

from __future__ import annotations

import io
import json
import os
import sys
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from shell import DATA, run_here, write_csv

import ranktally as rt


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("data")
    write_csv(root / "p.csv", DATA)
    table = pa.table(DATA)
    pq.write_table(table, root / "p.parquet")
    pyarrow.feather.write_feather(table, root / "p.feather")
    (root / "parts").mkdir()
    for i in range(4):
        pq.write_table(table.slice(100 * i, 100), root / "parts" / f"{i}.parquet")
    return root


@pytest.fixture
def run(capsys):
    return partial(run_here, capsys)


@pytest.fixture
def evaluate(run, folder):
    """Run `evaluate` on the CSV with its label and its good score."""

    def evaluate(*words: object) -> tuple[int, str, str]:
        return run("evaluate", folder / "p.csv", "--label", "y", "--scores", "good", *words)

    return evaluate


def rows(text: str) -> list[dict]:
    return json.loads(text)["rows"]


# -- what comes out ------------------------------------------------------------------------------


def test_table(run, folder):
    code, out, err = run("evaluate", folder / "p.csv", "--label", "y", "--scores", "good,poor")
    assert (code, err) == (0, "")
    head, names, *lines = out.splitlines()
    assert head.startswith("1 file, 400 rows, y = 1 in 28.7 % (115 rows), 2 models, ")
    assert names.split() == [
        "model",
        "roc_auc",
        "average_precision",
        "(chance",
        "0.5",
        "/",
        "0.2875)",
    ]
    auc = rt.tally(DATA["y"], DATA["good"]).roc_auc()
    assert lines[0].split()[:3] == ["good", "*", f"{auc:.4f}"]
    assert lines[1].startswith("poor")
    assert len(lines) == 2


@pytest.mark.parametrize(
    "files", [["p.csv"], ["p.parquet"], ["p.feather"], ["parts"], ["parts/*.parquet"]]
)
def test_every_source_gives_the_same_rows(run, folder, files):
    paths = [folder / name for name in files]
    options = ["--label", "y", "--scores", "good", "--by", "g", "--format", "csv"]
    expected = run("evaluate", folder / "p.csv", *options)
    assert run("evaluate", *paths, *options) == expected


def test_several_files(run, folder):
    parts = sorted((folder / "parts").iterdir())
    code, out, _ = run("evaluate", *parts, "--label", "y", "--scores", "good")
    assert code == 0
    assert out.startswith("4 files, 400 rows")


def test_json_is_the_summary_the_rows_and_the_warnings(evaluate):
    code, out, err = evaluate("--format", "json", "--at", "0.5,99")
    document = json.loads(out, parse_constant=pytest.fail)
    assert (code, err) == (0, "")
    assert list(document) == ["summary", "rows", "warnings"]
    assert document["summary"]["n_rows"] == 400
    auc = rt.tally(DATA["y"], DATA["good"]).roc_auc()
    assert document["rows"][0]["value"] == auc
    assert document["warnings"] == ["good: precision@99: undefined: no positive predictions"]
    assert [row["value"] for row in document["rows"] if row["threshold"] == 99].count(None) == 1


def test_csv_and_parquet_and_markdown(evaluate, tmp_path):
    _, text, _ = evaluate("--format", "csv")
    assert text.splitlines()[1].startswith("good,roc_auc,,0.")
    code, out, err = evaluate("--output", tmp_path / "r.parquet")
    assert (code, out, err) == (0, "", "")
    assert pq.read_table(tmp_path / "r.parquet")["metric"].to_pylist() == [
        "roc_auc",
        "average_precision",
    ]
    _, text, _ = evaluate("--format", "markdown")
    assert text.startswith("| model | metric ")


@pytest.mark.parametrize("name", ["r.json", "r.csv", "r.md", "r.txt", "r.parquet"])
def test_output_takes_its_format_from_the_suffix(evaluate, tmp_path, name):
    code, out, err = evaluate("--output", tmp_path / name)
    assert (code, out, err) == (0, "", "")
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).stat().st_size > 50


def test_scores_by_glob_repetition_and_comma(run, folder):
    def models(*words):
        _, out, err = run("evaluate", folder / "p.csv", "--label", "y", "--format", "json", *words)
        assert err == ""
        return list(dict.fromkeys(row["model"] for row in rows(out)))

    assert models("--scores", "[gp]oo*") == ["good", "poor"]
    assert models("--scores", "poor", "--scores", "good") == ["poor", "good"]
    assert models("--scores", "poor,good,w") == ["poor", "good", "w"]


def test_a_name_with_a_comma_is_a_name(run, tmp_path):
    pq.write_table(pa.table({"y": [0, 1], "a,b": [0.1, 0.9]}), tmp_path / "c.parquet")
    code, out, _ = run("evaluate", tmp_path / "c.parquet", "--label", "y", "--scores", "a,b")
    assert code == 0
    assert out.splitlines()[-1].startswith("a,b ")


def test_groups(evaluate):
    _, out, _ = evaluate("--by", "g,channel", "--format", "json")
    assert len({(row["g"], row["channel"]) for row in rows(out)}) == 4
    _, out, _ = evaluate("--by", "total", "--by", "g", "--format", "json")
    assert [row["g"] for row in rows(out)].count(None) == 2
    assert len(rows(out)) == 6
    for total in ("total", ""):
        _, out, _ = evaluate("--by", total, "--format", "json")
        assert len(rows(out)) == 2
    _, out, _ = evaluate("--by", "g")
    assert out.splitlines()[1].split()[:5] == ["g", "model", "rows", "base", "rate"]


def test_weight_direction_and_metrics(evaluate):
    _, out, _ = evaluate(
        "--weight", "w", "--metrics", "roc_auc,fbeta(2)", "--at", "0.5", "--format", "json"
    )
    expected = rt.evaluate(
        DATA, label="y", scores="good", weight="w", metrics=["roc_auc", "fbeta(2)"], at=0.5
    )
    assert [row["value"] for row in rows(out)] == [row["value"] for row in expected.to_dict()]
    _, out, _ = evaluate("--lower-is-better", "--metrics", "roc_auc", "--format", "json")
    assert rows(out)[0]["value"] == pytest.approx(1 - rt.tally(DATA["y"], DATA["good"]).roc_auc())


def test_negative_thresholds_need_no_equals_sign(evaluate):
    code, out, _ = evaluate("--at", "-0.5,-1", "--metrics", "recall", "--format", "json")
    assert code == 0
    assert [row["threshold"] for row in rows(out)] == [-0.5, -1.0]


@pytest.mark.parametrize(
    ("labels", "positive", "n_pos"),
    [
        (["1", "2", "2", "1"], "2", 2),
        (["1.0", "2.5", "1.0", "1.0"], "2.5", 1),
        (["true", "false", "true", "true"], "true", 3),
        (["true", "false", "true", "true"], "0", 1),
        (["fraud", "fine", "fine", "fine"], "fraud", 1),
        (["a1", "1", "1", "a1"], "1", 2),
    ],
)
def test_the_positive_label_is_read_as_the_column_is(run, tmp_path, labels, positive, n_pos):
    path = write_csv(tmp_path / "l.csv", {"y": labels, "s": [0.1, 0.4, 0.3, 0.2]})
    code, out, err = run(
        "evaluate",
        path,
        "--label",
        "y",
        "--scores",
        "s",
        "--pos-label",
        positive,
        "--format",
        "json",
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["summary"]["n_pos"] == n_pos


def test_missing_scores_and_broken_columns(run, tmp_path):
    data = {"y": [0, 1, 1, 0], "s": ["0.1", "", "0.9", "0.2"], "t": [1, 2, 3, 4]}
    path = write_csv(tmp_path / "m.csv", data)
    options = ["evaluate", path, "--label", "y", "--scores", "s,t", "--format", "json"]
    code, _, err = run(*options)
    assert code == 3
    assert "m.csv" in err
    code, out, _ = run(*options, "--missing", "omit")
    assert code == 0
    assert [row["n"] for row in rows(out)] == [3, 3, 4, 4]
    code, out, err = run(*options, "--on-error", "status")
    assert (code, err) == (0, "")
    assert [row["value"] is None for row in rows(out)] == [True, True, False, False]
    assert json.loads(out)["warnings"][0].startswith("s: roc_auc: undefined: ")
    code, out, _ = run(*options[:-2], "--on-error", "status")
    _, names, line, _ = out.splitlines()
    assert names.startswith("model  roc_auc")
    assert line.split()[:2] == ["s", "undefined:"]
    assert "--missing omit" in line


# -- stdin ---------------------------------------------------------------------------------------


def test_csv_and_arrow_on_stdin(run, folder, monkeypatch):
    sink = pa.BufferOutputStream()
    table = pa.table(DATA)
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    expected = run(
        "evaluate", folder / "p.csv", "--label", "y", "--scores", "good", "--format", "csv"
    )
    for content in ((folder / "p.csv").read_bytes(), sink.getvalue().to_pybytes()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        got = run(
            "evaluate",
            "-",
            "--label",
            "y",
            "--scores",
            "good",
            "--format",
            "csv",
            "--pos-label",
            "1",
        )
        assert got == expected


# -- gates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("roc_auc < 0.5", 0),
        ("roc_auc<0.99", 4),
        ("roc_auc >= 0.5", 4),
        ("average_precision == 2", 0),
        ("average_precision != 2", 4),
        ("ks <= -1e3", 0),
        ("precision @ 0.5 > 0", 4),
        ("precision@99 < 0.5", 4),
        ("fbeta(2)@0.5 < 0.01", 0),
    ],
)
def test_gates(evaluate, gate, code):
    got, out, err = evaluate("--fail-if", gate, "--format", "json")
    assert got == code
    assert gate.split("@")[0].split()[0].split("<")[0] in {row["metric"] for row in rows(out)}
    assert err.count("\n") == bool(code)
    if code:
        assert err.startswith("ranktally: failed: ")


def test_a_gate_reports_the_rows_and_the_result_is_still_written(evaluate, tmp_path):
    code, out, err = evaluate(
        "--by", "g", "--fail-if", "roc_auc < 1", "--fail-if", "precision@99 < 0", "--metrics",
        "roc_auc", "--output", tmp_path / "r.csv",
    )  # fmt: skip
    assert (code, out) == (4, "")
    lines = err.splitlines()
    assert lines[0].startswith("ranktally: failed: roc_auc < 1: good, g=north: roc_auc is 0.")
    assert lines[2] == (
        "ranktally: failed: precision@99 < 0: good, g=north: precision@99 is undefined "
        "(no positive predictions)"
    )
    assert len(lines) == 4
    text = (tmp_path / "r.csv").read_text()
    assert "precision" in text
    assert "average_precision" not in text


def test_a_gate_tells_ten_rows_and_how_many_more(run, tmp_path):
    n = 60
    data = {"y": [0, 1] * (n // 2), "s": [0.5] * n, "g": [i // 2 for i in range(n)]}
    path = write_csv(tmp_path / "g.csv", data)
    code, _, err = run(
        "evaluate", path, "--label", "y", "--scores", "s", "--by", "g", "--fail-if", "roc_auc < 0.9"
    )
    assert code == 4
    assert len(err.splitlines()) == 11
    assert err.splitlines()[-1] == "ranktally: failed: roc_auc < 0.9: 20 more rows"


def test_a_gate_finds_the_threshold_of_float32_scores(run, tmp_path):
    table = pa.table({"y": [0, 1], "s": pa.array([0.1, 0.7], pa.float32())})
    pq.write_table(table, tmp_path / "f.parquet")
    options = ["evaluate", tmp_path / "f.parquet", "--label", "y", "--scores", "s"]
    assert run(*options, "--at", "0.7", "--fail-if", "recall@0.7 < 1")[0] == 0
    assert run(*options, "--fail-if", "recall@0.7 == 1")[0] == 4
