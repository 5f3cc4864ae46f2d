"""The command `ranktally` in trouble: bad input, wrong usage, bugs, signals, terminals."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shell import COMMAND, DATA, run_here, write_csv

import ranktally as rt
from ranktally import _progress, cli
from ranktally.cli._spelling import as_options


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("data")
    write_csv(root / "p.csv", DATA)
    return root


@pytest.fixture
def run(capsys):
    return partial(run_here, capsys)


# -- bad input -----------------------------------------------------------------------------------


def _truncated(root: Path) -> Path:
    content = io.BytesIO()
    pq.write_table(pa.table(DATA), content)
    (root / "bad.parquet").write_bytes(content.getvalue()[:-50])
    return root / "bad.parquet"


def _empty(root: Path) -> Path:
    (root / "bad.csv").touch()
    return root / "bad.csv"


def _broken_row(root: Path) -> Path:
    (root / "bad.csv").write_text("y,s\n0,0.1\n1,0.5,7\n1,0.5\n")
    return root / "bad.csv"


def _mixed(root: Path) -> Path:
    (root / "bad").mkdir()
    pq.write_table(pa.table({"y": [0, 1], "s": [0.1, 0.2]}), root / "bad" / "a.parquet")
    pq.write_table(pa.table({"y": [0, 1], "z": [0.1, 0.2]}), root / "bad" / "b.parquet")
    return root / "bad"


def _csv(**data):
    def make(root: Path) -> Path:
        return write_csv(root / "bad.csv", data)

    return make


SOUND = {"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.8, 0.3]}

BAD_INPUT = {
    "wrong column": (
        _csv(**SOUND, labels=[1, 2, 3, 4]), ["--label", "lables"], ["did you mean 'labels'"],
    ),
    "wrong score": (_csv(y=[0, 1], score=[1, 2]), ["--scores", "scoer"], ["mean 'score'"]),
    "glob without match": (_csv(**SOUND), ["--scores", "model_*"], ["model_*"]),
    "label with three values": (_csv(y=[0, 1, 2, 1], s=[1, 2, 3, 4]), [], ["'y'", "2"]),
    "third text label": (_csv(y=[*"abc"], s=[1, 2, 3]), ["--pos-label", "a"], ["'y'", "'c'"]),
    "text labels without a positive": (_csv(y=["a", "b"], s=[1, 2]), [], ["'y'", "--pos-label"]),
    "text scores": (_csv(y=[0, 1], s=["0.1", "high"]), [], ["'s'"]),
    "empty file": (_empty, [], ["bad.csv"]),
    "truncated parquet": (_truncated, ["--scores", "good"], ["bad.parquet"]),
    "broken row": (_broken_row, [], ["bad.csv", "line 3"]),
    "mixed schemas": (_mixed, [], ["b.parquet", "'s'"]),
    "negative weight": (
        _csv(**SOUND, w=[1, 1, -1, 1]), ["--weight", "w"], ["bad.csv", "'w'", "line 4"],
    ),
    "nan weight": (
        _csv(**SOUND, w=[1, "nan", 1, 1]), ["--weight", "w"], ["bad.csv", "'w'", "line 3"],
    ),
    "all scores missing": (_csv(y=[0, 1], s=["nan", "nan"]), [], ["bad.csv", "'s'", "2"]),
    "null group": (
        _csv(**SOUND, g=[1, "", 2, 2]), ["--by", "g"],
        ["`--by` 'g'", "bad.csv", "line 3", "--missing omit"],
    ),
    "missing label": (_csv(y=["0", "", "1"], s=[1, 2, 3]), [], ["bad.csv", "'y'", "line 3"]),
    "no rows": (_csv(y=[], s=[]), [], ["no rows"]),
    "output to nowhere": (_csv(**SOUND), ["--output", "nowhere/r.csv"], ["does not exist"]),
    "output is a folder": (_csv(**SOUND), ["--output", ".", "--format", "csv"], ["folder"]),
    "no such file": (lambda root: root / "absent.csv", [], ["absent.csv"]),
    "glob of no file": (lambda root: root / "*.parquet", [], ["*.parquet"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_line_that_says_where(run, tmp_path, monkeypatch, case):
    make, options, said = BAD_INPUT[case]
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    path = make(tmp_path / "in")
    words = ["evaluate", path, *options]
    for option, default in (("--label", "y"), ("--scores", "s"), ("--output", "r.json")):
        if option not in options:
            words += [option, default]
    code, out, err = run(*words)
    assert code == 3, err
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("ranktally: ")
    for part in said:
        assert part in err
    assert os.listdir(tmp_path / "out") == []


def test_null_groups_are_groups_when_asked(run, tmp_path):
    path = write_csv(tmp_path / "n.csv", {**SOUND, "g": [1, 1, "", ""]})
    words = ["evaluate", path, "--label", "y", "--scores", "s", "--by", "g", "--missing", "omit"]
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["1", "null"]


def test_messages_speak_of_options():
    assert as_options(
        '`data`: `pos_label` is wrong: pass missing="omit", at=0.5 or pos_label='
    ) == ("`--pos-label` is wrong: pass --missing omit, --at 0.5 or --pos-label ")


# -- usage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no command given"),
        (["evalute"], "did you mean evaluate?"),
        (["evaluate"], "missing FILES"),
        (["evaluate", "f.csv", "--scores", "s"], "missing --label"),
        (["evaluate", "f.csv", "--label", "y"], "missing --scores"),
        (["evaluate", "f.csv", "--lable", "y"], "no option '--lable'; did you mean --label"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "g.csv"], "unexpected 'g.csv'"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--format", "xml"], "'xml'"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--at", "x"], "`--at` expects"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--at", "nan"], "nan is no thr"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--threads", "0"], "--threads"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--output", "r.x"], "no format"),
        (["evaluate", "f.csv", "-", "--label", "y", "--scores", "s"], "`-` (stdin)"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--metrics", "rocauc"], "roc_auc"),
        (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--metrics", "f1"], "at"),
        *(
            (["evaluate", "f.csv", "--label", "y", "--scores", "s", "--fail-if", gate], said)
            for gate, said in (
                ("roc_auc", "`--fail-if` expects"),
                ("roc_auc < nan", "`--fail-if` expects"),
                ("0.9 > roc_auc", "`--fail-if` expects"),
                ("roc_auc < 0.9 or ks < 1", "`--fail-if` expects"),
                ("rocauc < 0.9", "roc_auc"),
                ("precision < 0.9", "precision"),
            )
        ),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(run, words, said):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.splitlines()[-1].startswith("ranktally: ")
    assert len(err.splitlines()) == 1 or not words


def test_help_and_version(run):
    code, out, _ = run("evaluate", "--help")
    assert code == 0
    assert "--fail-if EXPR" in out
    assert run("--help")[0] == 0
    assert run("--version") == (0, f"ranktally {rt.__version__}\n", "")


def test_our_own_bugs_ask_to_be_reported(run, folder, monkeypatch, capsys):
    def broken(*_, **__):
        raise ZeroDivisionError("oops\nand more")

    monkeypatch.setattr(rt, "evaluate", broken)
    words = ["evaluate", folder / "p.csv", "--label", "y", "--scores", "good"]
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert err == (
        "ranktally: this is a bug in ranktally: ZeroDivisionError: oops and more; run again with "
        "--debug and report what it shows\n"
    )
    assert cli.main([str(word) for word in [*words, "--debug"]]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_interruption_and_lack_of_memory(run, folder, monkeypatch):
    words = ["evaluate", folder / "p.csv", "--label", "y", "--scores", "good"]
    for error, code, said in (
        (KeyboardInterrupt(), 130, "ranktally: interrupted\n"),
        (MemoryError(), 3, "ranktally: not enough memory\n"),
    ):
        monkeypatch.setattr(rt, "evaluate", lambda *_, e=error, **__: (_ for _ in ()).throw(e))
        assert run(*words) == (code, "", said)


def test_progress_only_when_asked_or_on_a_terminal(run, folder, monkeypatch):
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    words = ["evaluate", folder / "p.csv", "--label", "y", "--scores", "good,poor"]
    assert run(*words)[2] == ""
    assert run(*words, "--no-progress")[2] == ""
    assert "%" in run(*words, "--progress")[2]


# -- real processes ------------------------------------------------------------------------------


def spawn(*words: object, **options) -> subprocess.Popen:
    command = [*COMMAND, *map(str, words)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **options)


WORDS = ["evaluate", "-", "--label", "y", "--scores", "good"]


def test_piped_csv(folder):
    with open(folder / "p.csv", "rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "ranktally.cli", *WORDS], stdin=file, capture_output=True,
            text=True, timeout=60, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].startswith("model  roc_auc")
    assert done.stdout.isascii()


def test_a_reader_that_goes_away_is_no_error(folder):
    words = ("evaluate", folder / "p.csv", "--label", "y", "--scores", "good")
    with spawn(*words, stdout=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    ("shell", "code", "said"),
    [
        ("{} >&-", 0, ""),
        ("{} 2>&- >/dev/null", 0, ""),
        ("{} --format csv --output /dev/null", 0, ""),
        ("{} >/dev/full", 3, "ranktally: cannot write to stdout: No space left on device\n"),
        ("{} --format json --output /dev/full", 3, "ranktally: cannot write '/dev/full': No space"),
        ("PYTHONIOENCODING=ascii {} --scores '*' >/dev/null", 0, ""),
        ("cd /; {python} - --label y --scores s <&-", 3, "ranktally: standard input is closed"),
    ],
)
def test_streams_that_are_closed_full_or_narrow(tmp_path, shell, code, said):
    pq.write_table(pa.table({"y": [0, 1], "s": [0.1, 0.2], "\u6a21": [1, 2]}), tmp_path / "p.pq")
    python = f"{sys.executable} -m ranktally evaluate"
    line = shell.format(f"{python} {tmp_path}/p.pq --label y --scores s", python=python)
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr[: len(said)]) == (code, said)
    assert done.stderr.count("\n") == bool(said)


def test_ctrl_c_leaves_with_130():
    process = spawn(
        "evaluate", "-", "--label", "y", "--scores", "s",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        # A test run in the background may have been told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    with process:
        # More than a pipe holds: when this returns, the process reads; soon it waits for more.
        process.stdin.write(b"y,s\n" + b"0,0.5\n1,0.5\n" * 40_000)
        process.stdin.flush()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b"ranktally: interrupted\n"
        assert process.stdout.read() == b""


def test_ctrl_c_amid_the_models_leaves_within_a_second(tmp_path):
    """The threads at work end where they next look, not when their model is done."""
    rng = np.random.default_rng(0)
    n = 150_000
    data = {"y": rng.random(n) < 0.1, "g": rng.integers(0, 3, n)}
    data |= {f"m{i:02}": rng.random(n, dtype=np.float32) for i in range(16)}
    pq.write_table(pa.table(data), tmp_path / "a.parquet", use_dictionary=False)
    code = f"""if True:
        import os, signal, threading, time
        import ranktally as rt

        def interrupt(done, total):
            if done >= 2:
                interrupted.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

        interrupted = []
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            rt.evaluate({str(tmp_path / "a.parquet")!r}, label="y", scores="m*",
                        by=[[], ["g"]], threads=2, progress=interrupt)
        except KeyboardInterrupt:
            print(len(interrupted), time.monotonic() - interrupted[0], threading.active_count())
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr == ""
    count, seconds, threads = done.stdout.split()
    assert (count, threads) == ("1", "1")
    assert float(seconds) < 5  # a busy machine; a second is the aim


def test_ctrl_c_while_files_are_read(tmp_path):
    """The interrupt comes from the reading itself, and no file after it is read."""
    part = pa.table({f"m{i}": np.arange(50.0) for i in range(3)} | {"y": [0, 1] * 25})
    for i in range(40):
        pq.write_table(part, tmp_path / f"{i:03}.parquet")
    code = f"""if True:
        import signal, sys, threading, time
        import pyarrow.parquet as pq
        from ranktally.cli import main

        class Interrupting(pq.ParquetFile):
            opened = 0

            def iter_batches(self, *args, **options):
                Interrupting.opened += 1
                if Interrupting.opened == 20:
                    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                if Interrupting.opened >= 20:
                    time.sleep(0.1)  # the main thread of a busy machine wakes late
                return super().iter_batches(*args, **options)

        signal.signal(signal.SIGINT, signal.default_int_handler)
        pq.ParquetFile = Interrupting
        words = ["--label", "y", "--scores", "m*", "--threads", "2"]
        code = main(["evaluate", {str(tmp_path)!r}, *words])
        print(Interrupting.opened, file=sys.stderr)
        sys.exit(code)
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    said, opened = done.stderr.splitlines()
    assert said == "ranktally: interrupted"
    assert 20 <= int(opened) < 80  # of 160


def on_terminal(*words: object, **variables: str) -> tuple[int, str]:
    """Run the command with a terminal for stdout -> (code, what the terminal got)."""
    ours, theirs = pty.openpty()
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "COLUMNS")}
    env = {**kept, "COLUMNS": "100", "TERM": "xterm", **variables}
    with spawn(*words, stdout=theirs, env=env) as process:
        os.close(theirs)
        got = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            got += part
    os.close(ours)
    return process.returncode, got.decode()


def test_a_terminal_gets_bold_a_fitting_width_and_no_binary(folder):
    words = ("evaluate", folder / "p.csv", "--label", "y", "--scores", "good,poor", "--at", "0.5")
    code, text = on_terminal(*words, COLUMNS="50")
    assert code == 0
    assert "\x1b[1m* 0." in text
    plain = text.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert max(map(len, plain.splitlines()[1:])) <= 50
    assert "\x1b" not in on_terminal(*words, NO_COLOR="1")[1]
    assert on_terminal(*words, "--format", "parquet") == (2, "")


@pytest.mark.parametrize("words", ["curve", "threshold --maximize f1", "report --at 0.5"])
def test_sentences_fit_the_terminal(folder, words):
    verb, *options = words.split()
    columns = ("--label", "y", "--scores", "good")
    code, text = on_terminal(verb, folder / "p.csv", *columns, *options, COLUMNS="64")
    assert code == 0
    assert max(map(len, text.splitlines())) <= 64


def test_help_and_usage_errors_load_nothing_heavy():
    heavy = ("numba", "pyarrow", "numpy", "pandas", "tqdm")
    for words in (["--help"], ["evaluate", "--lable"], ["--version"]):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "ranktally", *words],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines() if "|" in line}
        assert "ranktally.cli" in loaded
        assert loaded.isdisjoint(heavy)


def test_a_small_file_needs_no_compiler_and_no_bar(folder):
    words = ["evaluate", str(folder / "p.csv"), "--label", "y", "--scores", "good", "--by", "g"]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ranktally", *words],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "pyarrow" in loaded
    assert loaded.isdisjoint(("numba", "pandas.compat", "tqdm"))
