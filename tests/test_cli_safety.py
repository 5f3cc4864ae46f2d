"""The command spares what it reads, and keeps to one line whatever the data are called."""

from __future__ import annotations

import io
import subprocess
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shell import COMMAND, DATA, run_here, write_csv

from ranktally import _tables
from ranktally.cli._spelling import as_options

VERBS = {
    "evaluate": [],
    "curve": [],
    "threshold": ["--maximize", "f1"],
    "report": ["--at", "0.5"],
}
COLUMNS = ["--label", "y", "--scores", "good"]


@pytest.fixture
def run(capsys):
    return partial(run_here, capsys)


@pytest.fixture
def path(tmp_path):
    return write_csv(tmp_path / "p.csv", DATA)


@pytest.mark.parametrize("verb", VERBS)
def test_the_output_spares_the_input(run, path, verb):
    before = path.read_bytes()
    (path.parent / "link.csv").symlink_to(path)
    for output in (path, path.parent / "link.csv"):
        code, out, err = run(verb, path, *COLUMNS, *VERBS[verb], "--output", output)
        assert (code, out) == (2, "")
        assert "is one of the files that are read" in err
    assert path.read_bytes() == before


def test_the_output_spares_the_test(run, path):
    test = write_csv(path.parent / "test.csv", DATA)
    words = ["--maximize", "f1", "--test", test, "--output", test]
    assert run("threshold", path, *COLUMNS, *words)[0] == 2
    assert test.read_text().startswith("y,good")


def test_the_output_may_be_stdout(run, path):
    code, out, _ = run("evaluate", path, *COLUMNS, "--format", "csv", "--output", "-")
    assert (code, out[:13]) == (0, "model,metric,")
    assert run("evaluate", path, *COLUMNS, "--format", "csv", "--output", " ")[0] == 2
    line = f"{' '.join(COMMAND)} evaluate {path} {' '.join(COLUMNS)} --format csv"
    done = subprocess.run(
        f"{line} --output /dev/stdout | cat", shell=True, capture_output=True, text=True, check=True
    )
    assert (done.stdout[:13], done.stderr) == ("model,metric,", "")


def test_a_full_stderr_keeps_the_exit_code(path):
    line = f"{' '.join(COMMAND)} evaluate {path} {' '.join(COLUMNS)}"
    for options, code in (("--by nothing", 3), ("--at x", 2), ("--fail-if 'roc_auc < 2'", 4)):
        done = subprocess.run(f"{line} {options} 2>/dev/full >/dev/null", shell=True, check=False)
        assert done.returncode == code


def test_a_full_temporary_folder_is_named(run, monkeypatch):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(_tables.tempfile, "NamedTemporaryFile", lambda **_: Full())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"y,s\n1,1\n")))
    code, _, err = run("evaluate", "-", "--label", "y", "--scores", "s")
    assert code == 3
    assert "No space left on device" in err
    assert "TMPDIR" in err


def test_the_test_is_read_for_the_models_that_were_chosen_for(run, path):
    less = write_csv(path.parent / "less.csv", {name: DATA[name] for name in ("y", "good")})
    words = ["--label", "y", "--scores", "*oo*", "--maximize", "f1"]
    code, _, err = run("threshold", path, *words, "--test", less)
    assert code == 3
    assert f"no column 'poor' in file {str(less)!r}" in err
    more = write_csv(path.parent / "more.csv", {**DATA, "boo": DATA["good"]})
    code, out, _ = run("threshold", path, *words, "--test", more, "--format", "csv")
    assert code == 0
    assert out.count("\n") == 5


@pytest.mark.parametrize("name", ["\x1b[31mred", "new\nline", "\u202ename"])
def test_names_stay_on_their_line_and_steer_no_terminal(run, tmp_path, name):
    table = pa.table({"y": [0, 1, 1], name: [0.1, 0.2, 0.0], "g": [name, name, None]})
    pq.write_table(table, tmp_path / "p.parquet")
    words = [tmp_path / "p.parquet", "--label", "y", "--scores", name]
    _, _, gate = run("evaluate", *words, "--metrics", "roc_auc", "--fail-if", "roc_auc < 2")
    grouped = ["--by", "total", "--by", "g", "--missing", "omit"]
    _, _, keys = run("evaluate", *words, *grouped, "--fail-if", "roc_auc < 2")
    where = ["--maximize", "f1", "--where", "recall > 2", "--fail-if-unreachable"]
    _, _, lost = run("threshold", *words, *where)
    for err, lines in ((gate, 1), (keys, 3), (lost, 1)):
        assert err.count("\n") == lines
        assert err.replace("\n", "").isprintable()
    assert "g=null" in keys
    assert "grouping=total: " in keys


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scores", ""], "`--scores` '' names no column"),
        (["--scores", "good", "--metrics", ""], "`--metrics` is empty"),
        (["--scores", "good", "--at", ","], "`--at` is empty"),
        (["--scores", "good", "--fail-if", "rocauc < 1"], "`--fail-if` has no metric 'rocauc'"),
    ],
)
def test_what_is_empty_or_unknown_is_wrong_usage(run, path, words, said):
    code, out, err = run("evaluate", path, "--label", "y", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_an_endless_threshold(run, path):
    code, out, _ = run("evaluate", path, *COLUMNS, "--at", "-inf", "--metrics", "recall")
    assert code == 0
    assert "1.0000" in out


def test_a_group_that_would_hide_a_result(run, tmp_path):
    path = write_csv(tmp_path / "p.csv", {**DATA, "value": DATA["g"]})
    code, _, err = run("evaluate", path, *COLUMNS, "--by", "value")
    assert code == 3
    assert "`--by` 'value': the result has a column of that name" in err


def test_the_first_text_among_numbers_is_named(run, tmp_path):
    (tmp_path / "p.csv").write_text("y,s\n1,0.5\n0,50%\n1,20%\n0,50%\n1,20%\n")
    code, _, err = run("evaluate", tmp_path / "p.csv", "--label", "y", "--scores", "s")
    assert code == 3
    assert "'50%'" in err
    assert "line 3" in err


def test_more_spelling():
    assert as_options('pass missing="omit" or "worst", which') == (
        "pass --missing omit or worst, which"
    )
    for message in (
        "for one class against the rest pass labels == class",
        "pass labels == class for one class against the rest",
    ):
        assert as_options(message) == (
            "for one class against the rest add a column that is 1 for it and 0 for all others"
        )
    assert as_options("`data` has no rows") == "the input has no rows"
