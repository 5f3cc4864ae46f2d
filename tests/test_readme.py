"""README is executed: its Python runs, its commands print what it shows, its tables are current."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from test_metrics_sklearn_suite import SUITES

from benchmarks import sklearn_calls, speed_table
from benchmarks.metric_table import metric_table
from benchmarks.readme import between
from ranktally import _engine, metrics

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
TOLD = " ".join(README.split())
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.M | re.S)
PROGRAMS = {
    "ranktally": [sys.executable, "-m", "ranktally"],
    "python": [sys.executable],
}
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*(?:e-?\d+)?")


def same(shown: str, printed: str) -> None:
    """Texts agree but for the time a call took and what another release of NumPy may draw."""
    shown, printed = (re.sub(r", [\d.e-]+ s$", ", T s", x, flags=re.M) for x in (shown, printed))
    layout = [re.sub(r"[ ]+", " ", NUMBER.sub("#", x)).strip() for x in (shown, printed)]
    assert layout[0] == layout[1]
    numbers = [
        [float(x.replace(",", "")) for x in NUMBER.findall(text)] for text in (shown, printed)
    ]
    assert numbers[1] == pytest.approx(numbers[0], rel=0.02, abs=0.005)


def test_python_blocks_run_in_order_and_print_what_is_shown(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    namespace: dict[str, object] = {}
    code = [k for k, (language, _) in enumerate(BLOCKS) if language == "python"]
    assert len(code) >= 2
    for k in code:
        exec(compile(BLOCKS[k][1], f"README.md python block {k}", "exec"), namespace)
        printed = capsys.readouterr().out
        language, shown = BLOCKS[k + 1]
        assert language == "text"
        same(shown, printed)


def commands() -> list[tuple[str, str]]:
    """Every ``$ command`` of README with the output it shows, in order."""
    found = []
    for language, text in BLOCKS:
        if language == "console":
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def test_commands_print_what_is_shown(tmp_path):
    assert len(commands()) >= 4
    paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "COLUMNS": "100",
    }
    for command, shown in commands():
        program, *arguments = shlex.split(command)
        done = subprocess.run(
            [*PROGRAMS[program], *arguments],
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode in (0, 3, 4), done.stdout
        same(shown, done.stdout)


def test_make_targets_exist():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.M)
    named = re.findall(r"\bmake (\w+)(?=`|\s+#)", README)
    assert {"demo", "test"} <= set(named) <= set(targets)


def test_commands_that_start_the_page():
    assert BLOCKS[0][1].startswith("make demo")


def test_metric_table_is_current():
    assert between("metric_table") == metric_table()


def test_engine_rows_are_current():
    assert f"fewer than {_engine.COLD_ROWS:,} rows ({_engine.WARM_ROWS:,} once" in TOLD


def test_exit_codes_are_those_of_the_command():
    from ranktally import cli

    codes = {v for k, v in vars(cli).items() if re.fullmatch(r"_[A-Z_]+", k) and type(v) is int}
    told = set(map(int, re.findall(r"^\| (\d+) \|", README, flags=re.M)))
    assert codes <= told
    assert told - codes <= {0, 4}


@pytest.mark.slow
def test_speed_table_has_a_row_for_every_work():
    """The table in README is one run of the script; it must have been a whole one."""
    text = between("speed_table")
    numbered = re.findall(r"^\| \S.*\((\d+)\) \|", text, flags=re.M)
    assert numbered == [str(k) for k in range(1, len(speed_table.WORKS) + 1)]


def test_table_of_functions_has_every_call():
    text = between("sklearn_table").replace("`", "")
    assert [title for title in sklearn_calls.CALLS if f"| {title} | " not in text] == []


def test_sizes_of_the_suite_of_sklearn_are_current():
    counted = [name for name in metrics.__all__ if not name.endswith("Warning")]
    assert f"{len(counted)} functions with the signatures" in TOLD
    assert f"of {sum(s.tests for s in SUITES):,} tests at least" in TOLD
    assert f"{sum(s.calling for s in SUITES):,} call a function of ours" in TOLD


@pytest.mark.slow
def test_speed_table_script_runs():
    pytest.importorskip("sklearn")
    text = speed_table.table([speed_table.run(speed_table.WORKS["command"](quick=True))], 0.0)
    assert "pandas + scikit-learn script" in text
    assert "numpy" in text
