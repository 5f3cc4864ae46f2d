"""The commands `curve`, `threshold` and `report`: what they print and write, and how they fail."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from shell import COMMAND, DATA, run_here, write_csv

import ranktally as rt

RNG = np.random.default_rng(7)
KIND = RNG.choice(list("abc"), 200)
CLASSES = {
    "kind": KIND,
    "guess": np.where(RNG.random(200) < 0.7, KIND, "a"),
    **{c: np.round((c == KIND) + RNG.normal(size=200), 2) for c in "abc"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("data")
    write_csv(root / "p.csv", DATA)
    write_csv(root / "m.csv", CLASSES)
    halves = {"v": slice(None, None, 2), "t": slice(1, None, 2)}
    for name, half in halves.items():
        write_csv(root / f"{name}.csv", {k: np.asarray(x)[half] for k, x in DATA.items()})
    pq.write_table(pa.table(DATA), root / "p.parquet")
    return root


@pytest.fixture
def run(capsys):
    return partial(run_here, capsys)


@pytest.fixture
def verb(run, folder):
    """Run a command on the file with two classes, its label and its good score."""

    def verb(name: str, *words: object, file: str = "p.csv") -> tuple[int, str, str]:
        return run(name, folder / file, "--label", "y", "--scores", "good", *words)

    return verb


@pytest.fixture
def report(run, folder):
    """Run `report` on the file with three classes."""

    def report(*words: object) -> tuple[int, str, str]:
        return run("report", folder / "m.csv", "--label", "kind", *words)

    return report


def tally(half: slice = slice(None)) -> rt.Tally:
    return rt.tally(DATA["y"][half], DATA["good"][half])


# -- curve ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["roc", "pr", "det", "gain", "lift"])
def test_curve(verb, kind):
    code, out, err = verb("curve", "--kind", kind, "--format", "csv")
    assert (code, err) == (0, "")
    expected = getattr(tally(), f"{kind}_curve")()
    table = pyarrow.csv.read_csv(io.BytesIO(out.encode()))
    assert table.column_names == [
        "model", expected.x_name, expected.y_name, "threshold", "n_predicted", "tp", "fp",
    ]  # fmt: skip
    np.testing.assert_array_equal(table[expected.x_name].to_numpy(), expected.x)
    np.testing.assert_array_equal(table[expected.y_name].to_numpy(), expected.y)
    np.testing.assert_array_equal(table["threshold"].to_numpy(), expected.threshold)


def test_curve_of_several_models_with_few_points(run, folder):
    code, out, _ = run(
        "curve", folder / "p.parquet", "--label", "y", "--scores", "good,poor", "--max-points", 9,
        "--format", "json",
    )  # fmt: skip
    assert code == 0
    document = json.loads(out, parse_constant=pytest.fail)
    for name in ("good", "poor"):
        expected = rt.tally(DATA["y"], DATA[name]).roc_curve().reduce(9)
        rows = [row for row in document["rows"] if row["model"] == name]
        assert [row["tpr"] for row in rows] == expected.y.tolist()
        assert rows[0]["threshold"] is None
        assert rows[0]["n_predicted"] == 0
        about = document["summary"]["models"][name]
        assert about["max_error"] == expected.max_error > 0
        assert about["n_shown"] == 9


def test_curve_table(verb, tmp_path):
    code, out, _ = verb("curve")
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith("good: roc curve, 25 of 385 points, largest vertical error ")
    assert lines[0].endswith("115 positive, 285 negative (prevalence 0.2875)")
    assert lines[1].split() == ["fpr", "tpr", "threshold", "n_predicted", "tp", "fp"]
    assert len(lines) == 27
    code, out, _ = verb("curve", "--output", tmp_path / "c.parquet")
    assert (code, out) == (0, "")
    assert pq.read_table(tmp_path / "c.parquet").num_rows == 385


def test_curve_with_weights_and_direction(verb):
    _, out, _ = verb("curve", "--weight", "w", "--lower-is-better", "--format", "json")
    expected = rt.tally(DATA["y"], -DATA["good"], DATA["w"]).roc_curve()
    assert [row["fpr"] for row in json.loads(out)["rows"]] == expected.x.tolist()


# -- threshold -----------------------------------------------------------------------------------

RECALL = ("--maximize", "precision", "--where", "recall >= 0.95")


def test_threshold(verb):
    code, out, err = verb("threshold", *RECALL, "--format", "json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    (row,) = document["rows"]
    point = tally().best("precision", where="recall >= 0.95")
    assert row["threshold"] == point.threshold
    for key in ("tp", "fp", "fn", "tn", "value", "recall", "specificity", "mcc", "status"):
        assert row[key] == getattr(point, key)
    assert row["data"] == "same rows"
    assert "--test" in document["warnings"][0]


def test_threshold_says_that_it_was_chosen_on_the_same_rows(verb):
    code, out, _ = verb("threshold", *RECALL)
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "good: precision, where recall >= 0.95"
    assert lines[1].startswith("same rows: chosen on the rows it is measured on")
    assert any(line.split()[:1] == ["threshold"] for line in lines)


def test_threshold_on_other_rows(run, folder):
    words = ("--label", "y", "--scores", "good", *RECALL, "--test", folder / "t.csv")
    code, out, _ = run("threshold", folder / "v.csv", *words, "--format", "json")
    assert code == 0
    rows = json.loads(out)["rows"]
    chosen = rt.select_threshold(
        tally(slice(None, None, 2)), tally(slice(1, None, 2)), metric="precision",
        where="recall >= 0.95",
    )  # fmt: skip
    assert [row["data"] for row in rows] == ["validation", "test"]
    for row, point in zip(rows, (chosen.validation, chosen.test), strict=True):
        assert row["threshold"] == chosen.threshold
        assert (row["tp"], row["precision"]) == (point.tp, point.precision)
    assert rows[1]["note"] == (chosen.note or None)
    _, out, _ = run("threshold", folder / "v.csv", *words)
    assert "chosen on the rows" not in out
    assert ["validation", "test"] in [line.split() for line in out.splitlines()]


@pytest.mark.parametrize("goal", [RECALL, ("--cost-fp", 1, "--cost-fn", 5)])
def test_the_same_rows_under_two_names_are_told(run, folder, goal):
    files = [folder / "p.csv", "--label", "y", "--scores", "good"]
    _, out, _ = run("threshold", *files, *goal, "--test", folder / "p.parquet")
    assert "validation and test are the same rows" in out


def test_costs(verb, folder):
    _, out, _ = verb("threshold", "--cost-fp", 1, "--cost-fn", 5, "--format", "json")
    (row,) = json.loads(out)["rows"]
    point = tally().best_cost(1, 5)
    assert (row["threshold"], row["value"]) == (point.threshold, point.value)
    _, out, _ = verb(
        "threshold", "--cost-fp", 1, "--cost-fn", 5, "--test", folder / "t.csv", "--format", "json",
        file="v.csv",
    )  # fmt: skip
    rows = json.loads(out)["rows"]
    cut = tally(slice(1, None, 2)).at(rows[0]["threshold"])
    assert rows[1]["value"] == cut.cost(1, 5)
    assert rows[1]["fn"] == cut.fn


def test_flagging_nothing_stays_that_on_other_rows(run, tmp_path):
    a = write_csv(tmp_path / "a.csv", {"y": [0, 1, 0, 0], "s": [4, 3, 2, 1]})
    b = write_csv(tmp_path / "b.csv", {"y": [0, 1], "s": ["inf", 1]})
    words = ("--label", "y", "--scores", "s", "--cost-fp", 9, "--cost-fn", 1)
    code, out, _ = run("threshold", a, *words, "--test", b, "--format", "json")
    assert code == 0
    rows = json.loads(out)["rows"]
    assert [(row["n_predicted"], row["value"]) for row in rows] == [(0, 1), (0, 1)]
    assert rows[1]["precision"] is None
    assert rows[0]["note"] == "flag nothing: every threshold costs more"


def test_minimize_and_ties(verb):
    _, out, _ = verb(
        "threshold", "--minimize", "fpr", "--where", "recall >= 0.5", "--ties", "highest",
        "--format", "csv",
    )  # fmt: skip
    table = pyarrow.csv.read_csv(io.BytesIO(out.encode()))
    point = tally().best("fpr", where="recall >= 0.5", ties="highest")
    assert table["threshold"].to_pylist() == [point.threshold]


def test_unreachable_is_a_result_and_a_gate_only_when_asked(verb, tmp_path):
    words = ("--maximize", "f1", "--where", "recall > 0.99 and fpr < 0.01")
    code, out, err = verb("threshold", *words)
    assert (code, err) == (0, "")
    assert "unreachable: no threshold satisfies" in out
    code, _, err = verb(
        "threshold", *words, "--fail-if-unreachable", "--output", tmp_path / "t.csv"
    )
    assert code == 4
    assert err.startswith("ranktally: failed: good: no threshold satisfies")
    assert (tmp_path / "t.csv").read_text().count("unreachable") == 1
    assert verb("threshold", *RECALL, "--fail-if-unreachable")[0] == 0


# -- report --------------------------------------------------------------------------------------


def test_report(verb):
    code, out, err = verb("report", "--at", 0.5)
    assert (code, err) == (0, "")
    expected = rt.classification_report(label=DATA["y"], scores=DATA["good"], at=0.5)
    assert out.startswith(str(expected))
    assert out.splitlines()[-1].startswith("without skill: accuracy 0.7125, balanced accuracy 0.5")


@pytest.mark.parametrize(
    ("at", "cuts"),
    [
        ("0.5", 0.5),
        ("a=0.4,b=0.5,c=0.6", {"a": 0.4, "b": 0.5, "c": 0.6}),
        ("-0.5,0,1", [-0.5, 0, 1]),
    ],
)
def test_report_of_classes(report, at, cuts):
    scores = {c: CLASSES[c] for c in "abc"}
    code, out, _ = report("--scores", "a,b,c", "--at", at)
    expected = rt.classification_report(label=KIND, scores=scores, at=cuts)
    assert code == 0
    assert out.startswith(str(expected))
    told = ", ".join(f"{k}: {n}" for k, n in expected.classes_per_row.items())
    assert out.splitlines()[-1] == f"rows by number of classes given: {told}"


def test_report_of_decisions(report):
    code, out, _ = report("--predictions", "guess", "--format", "json")
    document = json.loads(out, parse_constant=pytest.fail)
    assert code == 0
    assert document["summary"]["accuracy"] == np.mean(CLASSES["guess"] == KIND)
    assert [row["class"] for row in document["rows"]] == [
        "a", "b", "c", "accuracy", "macro avg", "weighted avg",
    ]  # fmt: skip
    assert document["summary"]["classes_per_row"] == {"1": 200}


def test_report_of_0_by_0(report):
    words = ("--scores", "a,b,c", "--at", "a=0,b=0,c=99")
    _, out, _ = report(*words)
    assert out.splitlines()[-1] == "c: precision 0/0: class never predicted (shown as 0)"
    _, out, _ = report(*words, "--zero-division", "nan", "--format", "json")
    document = json.loads(out, parse_constant=pytest.fail)
    assert document["rows"][2]["precision"] is None
    assert "macro avg: precision over 2/3 classes" in document["warnings"]


def test_report_names_classes(run, tmp_path):
    data = {"y": [1, 2, 1], "p_one": [3, 1, 2], "p_two": [1, 2, 3]}
    path = write_csv(tmp_path / "c.csv", data)
    words = ("report", path, "--label", "y", "--scores", "p_*", "--at", 2)
    code, out, err = run(*words)
    assert (code, out) == (3, "")
    assert "--classes" in err
    code, out, _ = run(*words, "--classes", "1,2", "--format", "csv")
    assert code == 0
    assert out.splitlines()[1].startswith("1,,2.0,1.0,1.0,")


def test_report_with_missing_scores(run, tmp_path):
    path = write_csv(tmp_path / "m.csv", {"y": [1, 0, 1], "s": [0.9, "", 0.1]})
    code, out, _ = run("report", path, "--label", "y", "--scores", "s", "--at", -1)
    assert code == 0
    assert out.splitlines()[-1] == "1 scores are missing: no positive decisions"


# -- what all have in common ---------------------------------------------------------------------

GOOD = {
    "curve": (),
    "threshold": ("--maximize", "f1"),
    "report": ("--at", "0.5"),
}


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("suffix", ["json", "csv", "md", "txt", "parquet"])
def test_formats_and_outputs(verb, tmp_path, name, suffix):
    path = tmp_path / f"r.{suffix}"
    assert verb(name, *GOOD[name], "--output", path) == (0, "", "")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_size > 50


@pytest.mark.parametrize("name", GOOD)
def test_stdin(verb, run, folder, monkeypatch, name):
    words = ("--label", "y", "--scores", "good", *GOOD[name], "--format", "csv")
    expected = run(name, folder / "p.csv", *words)
    content = io.TextIOWrapper(io.BytesIO((folder / "p.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", content)
    assert run(name, "-", *words) == expected


@pytest.mark.parametrize("name", GOOD)
def test_a_text_label(run, tmp_path, name):
    data = {"y": ["bad", "good", "bad"], "s": [1, 3, 2]}
    words = (write_csv(tmp_path / "l.csv", data), "--label", "y", "--scores", "s", *GOOD[name])
    code, _, err = run(name, *words)
    assert code == 3
    assert "--pos-label" in err
    assert run(name, *words, "--pos-label", "good")[0] == 0


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (["--scores", "goood"], 3, ["goood", "'good'"]),
        (["--label", "lable"], 3, ["lable"]),
        (["--scoers", "good"], 2, ["--scoers", "--scores", "{name} --help"]),
        (["--output", "/no/such/folder/r.csv"], 3, ["/no/such/folder"]),
        (["--output", "r.xyz"], 2, ["--format"]),
        (["--threads", "0"], 2, ["--threads"]),
    ],
)
def test_trouble(run, folder, name, change, code, words):
    options = {"--label": "y", "--scores": "good", change[0]: change[1]}
    flat = [word for pair in options.items() for word in pair]
    got, out, err = run(name, folder / "p.csv", *flat, *GOOD[name])
    assert (got, out) == (code, "")
    assert err.count("\n") == 1
    for word in words:
        assert word.format(name=name) in err


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("curve", ["--kind", "rocc"], ["rocc", "'roc'"]),
        ("curve", ["--max-points", "1"], ["--max-points", "2"]),
        ("threshold", [], ["--maximize", "--minimize", "--cost-fp"]),
        ("threshold", ["--maximize", "f1", "--minimize", "fpr"], ["two goals"]),
        ("threshold", ["--maximize", "precison"], ["--maximize", "'precison'", "precision"]),
        ("threshold", ["--minimize", "roc_auc"], ["--minimize", "roc_auc"]),
        ("threshold", ["--maximize", "f1", "--where", "recal > 1"], ["--where", "recall"]),
        ("threshold", ["--cost-fp", "1"], ["--cost-fn"]),
        ("threshold", ["--cost-fp", "0", "--cost-fn", "0"], ["both 0"]),
        ("threshold", ["--cost-fp", "-1", "--cost-fn", "0"], ["--cost-fp", "at least 0"]),
        ("threshold", ["--cost-fp", "1", "--cost-fn", "2", "--where", "fpr < 1"], ["--minimize"]),
        ("report", [], ["--at", "no default"]),
        ("report", ["--at", "x"], ["--at", "'x'"]),
        ("report", ["--at", "a=1,b="], ["--at", "a=0.4"]),
        ("report", ["--at", ","], ["--at"]),
        ("report", ["--at", "1", "--predictions", "g"], ["--scores", "--predictions"]),
    ],
)
def test_usage(verb, name, options, words):
    code, out, err = verb(name, *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


def test_decisions_take_no_options_of_scores(report):
    for words in (["--at", "1"], ["--pos-label", "a"], ["--lower-is-better"]):
        code, _, err = report("--predictions", "guess", *words)
        assert code == 2
        assert words[0] in err


def test_stdin_serves_once(verb, run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y,s\n0,1\n1,2\n")))
    code, _, err = run(
        "threshold", "-", "--label", "y", "--scores", "s", "--maximize", "f1", "--test", "-"
    )
    assert code == 2
    assert "--test" in err


@pytest.mark.parametrize("name", GOOD)
def test_help_needs_nothing_heavy(name):
    code = (
        "import sys; from ranktally import cli\n"
        f"assert cli.main(['{name}', '--help']) == 0\n"
        "print([m for m in ('numpy', 'pyarrow', 'numba') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.strip() == "[]"
    assert f"ranktally {name}" in done.stdout
    assert "exit codes:" in done.stdout


def test_in_a_process_of_its_own(folder):
    done = subprocess.run(
        [*COMMAND, "report", str(folder / "m.csv"), "--label", "kind", "--predictions", "guess"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("\n              precision    recall")
