"""Living inside other programs: imports, forks, threads, caches, global state."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import ranktally as rt

TESTS = Path(__file__).parent
SOURCE = Path(rt.__file__).parents[1]
MAX_SPECIALISATIONS = 3
"""Compiled variants that one kernel may have; the layouts of a sample allow no more."""

HEAVY = ("numba", "pyarrow", "pandas", "polars", "tqdm", "matplotlib", "scipy", "sklearn")


def environment() -> dict[str, str]:
    paths = [str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def launch(arguments: list[str], timeout: float, **changes: str) -> str:
    """Run Python in a session of its own; its output, read once it has ended.

    A worker that hangs would hold a pipe open for ever, so the output goes to a file, and the
    whole session is killed when the time is up.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env={**environment(), **changes},
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=TESTS.parent,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = f"no end after {timeout} s"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        text = output.read().decode()
    assert code == 0, f"{code}: {text[-6000:]}"
    return text


def run(code: str, *, timeout: float = 60, **changes: str) -> str:
    """Run code with warnings as errors."""
    return launch(["-W", "error", "-c", textwrap.dedent(code)], timeout, **changes)


def loaded(code: str) -> set[str]:
    code = textwrap.dedent(code) + "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    modules = json.loads(run(code).splitlines()[-1])
    return {name.split(".")[0] for name in modules} & set(HEAVY)


ROWS = """
import numpy as np, ranktally as rt
def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, rng.normal(size=n).round(2) + y
y, s = rows(1000)
"""

SOME = np.random.default_rng(0)
LABELS = SOME.random(40_000) < 0.3
SCORES = SOME.normal(size=40_000).round(3) + LABELS
WEIGHTS = SOME.random(40_000)


# --- imports ----------------------------------------------------------------------------------


def test_import_is_light():
    assert loaded("import ranktally") == set()


def test_listing_the_names_is_light():
    assert loaded("import ranktally\ndir(ranktally)\nranktally.__version__") == set()


def test_small_inputs_do_not_wait_for_a_compiler():
    code = ROWS + "t = rt.tally(y, s); t.roc_auc(); t.average_precision(); t.at(0.5).mcc"
    assert loaded(code) == set()
    assert "numba" not in loaded(ROWS + "rt.tally(y, s, np.arange(1000)).roc_auc()")


def test_small_evaluations_do_not_wait_for_a_compiler():
    code = ROWS + "str(rt.evaluate(label=y, scores={'a': s, 'b': -s}, by=(s > 0), at=0.5))"
    assert "numba" not in loaded(code)


def test_public_names_are_no_modules():
    for name in rt.__all__:
        assert type(getattr(rt, name)).__name__ != "module", name


def test_version_is_that_of_the_distribution():
    from importlib.metadata import PackageNotFoundError, version

    try:
        assert rt.__version__ == version("ranktally")
    except PackageNotFoundError:
        assert rt.__version__


# --- forks and processes ----------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["numba", "numpy"])
def test_fork_after_use(engine):
    code = (
        ROWS
        + f"""
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)
y, s = rows(40_000)
call = lambda: (
    rt.tally(y, s, engine={engine!r}, threads=2).roc_auc(),
    rt.evaluate(label=y, scores={{"a": s, "b": -s}}, engine={engine!r}, threads=2).value(
        "b", "roc_auc"),
)
before = call()
read, write = os.pipe()
if (pid := os.fork()) == 0:
    os.write(write, repr(call()).encode())
    os._exit(0)
_, status = os.waitpid(pid, 0)
assert status == 0
assert os.read(read, 1000).decode() == repr(before)
assert call() == before
"""
    )
    run(code, timeout=60)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method, tmp_path):
    code = (
        ROWS
        + f"""
import multiprocessing as mp, warnings
from concurrent.futures import ProcessPoolExecutor
def work(seed):
    y, s = rows(30_000, seed)
    return rt.tally(y, s, engine="numba", threads=2)
if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)
    here = [work(k) for k in range(2)]
    with ProcessPoolExecutor(2, mp.get_context({method!r})) as pool:
        there = list(pool.map(work, range(2)))
    assert [t.roc_auc() for t in there] == [t.roc_auc() for t in here]
    assert here[0].merge(here[1]).roc_auc() == there[1].merge(there[0]).roc_auc()
"""
    )
    script = tmp_path / "script.py"  # a spawned child imports its main module by path
    script.write_text(code)
    launch([str(script)], timeout=60)


# --- threads ----------------------------------------------------------------------------------


def test_many_callers_at_once(engine):
    alone = rt.tally(LABELS, SCORES, WEIGHTS, engine=engine)
    answers: list[tuple[float, float]] = []

    def call(_: int) -> tuple[float, float]:
        t = rt.tally(LABELS, SCORES, WEIGHTS, engine=engine, threads=2)
        return t.roc_auc(), t.average_precision()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(call, range(16)))
    assert set(answers) == {(alone.roc_auc(), alone.average_precision())}


def test_one_result_shared_by_many_threads(engine):
    t = rt.tally(LABELS, SCORES, engine=engine)
    with ThreadPoolExecutor(8) as pool:
        cuts = list(pool.map(lambda k: t.at(k / 8).tp, range(16)))
    assert cuts == [t.at(k / 8).tp for k in range(16)]


@pytest.mark.big
def test_first_call_from_many_threads_at_once():
    code = (
        ROWS
        + """
from concurrent.futures import ThreadPoolExecutor
y, s = rows(20_000)
with ThreadPoolExecutor(6) as pool:
    found = set(pool.map(lambda _: rt.tally(y, s, engine="numba").roc_auc(), range(6)))
assert len(found) == 1
"""
    )
    run(code)


def test_no_thread_outlives_a_call(engine):
    before = set(threading.enumerate())
    rt.tally(LABELS, SCORES, engine=engine, threads=3)
    rt.evaluate(label=LABELS, scores={"a": SCORES, "b": -SCORES}, at=0.5, engine=engine, threads=3)
    assert set(threading.enumerate()) == before


def test_no_thread_outlives_an_error(engine):
    before = set(threading.enumerate())
    broken = SCORES.copy()
    broken[7] = np.nan
    with pytest.raises(rt.InputError):
        rt.evaluate(label=LABELS, scores={"a": SCORES, "b": broken}, engine=engine, threads=3)
    assert set(threading.enumerate()) == before


# --- global state -----------------------------------------------------------------------------


def test_global_state_is_left_alone(engine):
    np.random.seed(3)
    state = np.random.get_state()
    errors = np.geterr()
    variables = dict(os.environ)
    rt.tally(LABELS, SCORES, WEIGHTS, engine=engine)
    rt.evaluate(label=LABELS, scores=SCORES, at=0.5, engine=engine)
    after = np.random.get_state()
    assert state[0] == after[0]
    assert (state[1] == after[1]).all()
    assert state[2:] == after[2:]
    assert np.geterr() == errors
    assert dict(os.environ) == variables


def test_numba_threads_are_left_alone():
    code = (
        ROWS
        + """
import numba
settings = lambda: (numba.config.NUMBA_NUM_THREADS, numba.config.THREADING_LAYER)
before = settings()
y, s = rows(40_000)
rt.tally(y, s, engine="numba", threads=2)
rt.evaluate(label=y, scores={"a": s, "b": -s}, engine="numba", threads=2)
assert settings() == before
try:
    numba.threading_layer()
except ValueError:
    pass  # never initialised: no parallel kernel ran
else:
    raise AssertionError("a parallel kernel ran")
assert numba.get_num_threads() == numba.config.NUMBA_NUM_THREADS
"""
    )
    run(code)


def test_number_of_threads_from_the_environment():
    code = ROWS + "print(rt.tally(y, s).roc_auc())"
    assert run(code, RANKTALLY_NUM_THREADS="1") == run(code, RANKTALLY_NUM_THREADS="3")
    broken = (
        ROWS.replace("y, s = rows(1000)", "")
        + """
y, s = rows(1000)
try:
    rt.evaluate(label=y, scores={"a": s, "b": -s})
except rt.InputError as error:
    assert "RANKTALLY_NUM_THREADS" in str(error)
else:
    raise AssertionError("accepted")
"""
    )
    run(broken, RANKTALLY_NUM_THREADS="many")


def test_results_are_picklable(engine):
    t = rt.tally(LABELS, SCORES, engine=engine)
    e = rt.evaluate(label=LABELS, scores=SCORES, at=[0.1, 0.5], engine=engine)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        assert pickle.loads(pickle.dumps(t, protocol)).roc_auc() == t.roc_auc()
        assert pickle.loads(pickle.dumps(t.roc_curve(), protocol)).x.tolist() == (
            t.roc_curve().x.tolist()
        )
        assert pickle.loads(pickle.dumps(t.at(0.5), protocol)).f1 == t.at(0.5).f1
        np.testing.assert_equal(pickle.loads(pickle.dumps(e, protocol)).to_dict(), e.to_dict())
    error = rt.InputError("`a` is wrong")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


# --- the cache of compiled kernels ------------------------------------------------------------


@pytest.mark.parametrize("place", ["file", "below a file", "nowhere"])
def test_no_place_to_keep_kernels(tmp_path, place):
    """A cache folder that cannot be made costs time, not the call.

    A file stands where the folder should be: permission bits would not stop root.
    """
    (tmp_path / "file").write_text("")
    target = {
        "file": tmp_path / "file",
        "below a file": tmp_path / "file" / "cache",
        "nowhere": Path("/proc/nowhere"),
    }[place]
    code = """
    from ranktally._runtime import jit
    assert jit(lambda x: x + 1)(1) == 2
    """
    run(code, NUMBA_CACHE_DIR=str(target))


def test_no_room_to_keep_kernels(tmp_path):
    """A full disk costs the next process time, not this one its result."""
    code = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    """
    call = ROWS + "assert 0.5 < rt.tally(y, s, engine='numba').roc_auc() < 1"
    run(textwrap.dedent(code) + textwrap.dedent(call), NUMBA_CACHE_DIR=str(tmp_path))


def test_whole_tally_without_a_cache(tmp_path):
    (tmp_path / "file").write_text("")
    code = ROWS + "assert 0.5 < rt.tally(y, s, engine='numba').roc_auc() < 1"
    run(code, NUMBA_CACHE_DIR=str(tmp_path / "file"))


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_read_only_package_and_home(tmp_path, form):
    """No folder beside the package can be written, and none at home."""
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    place = tmp_path / "site"
    shutil.copytree(SOURCE / "ranktally", place / "ranktally", ignore=_caches)
    for folder in {path.parent for path in place.rglob("*.py")}:
        (folder / "__pycache__").write_text("")
    if form == "zip":
        place = Path(shutil.make_archive(str(place), "zip", place))
    code = ROWS + f"assert rt.__file__.startswith({str(place)!r}), rt.__file__\n"
    code += "assert rt.tally(y, s).roc_auc() == rt.tally(y, s, engine='numba').roc_auc()"
    run(code, PYTHONPATH=str(place), HOME=str(blocked), XDG_CACHE_HOME=str(blocked))


def _caches(folder: str, names: list[str]) -> set[str]:
    return {"__pycache__"} & set(names)


def test_number_of_specialisations():
    """Each kernel has few compiled variants after everything has been asked of it."""
    code = (
        ROWS
        + """
import gc, json
from numba.core.dispatcher import Dispatcher
y, s = rows(3000)
kinds = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f8", ">i4"]
for kind in kinds:
    scores = (s * 8).clip(0, 100).astype(kind)
    strided = np.repeat(scores, 2)[::2]
    for x in (scores, strided):
        for w in (None, np.arange(len(s)), np.linspace(0, 1, len(s), dtype="f4")):
            for label in (y, y.astype("f8"), np.where(y, 1, -1)):
                t = rt.tally(label, x, w, engine="numba")
            t.roc_auc(), t.average_precision(), t.ks(), t.at([0.5, 1]), t.merge(t)
            rt.evaluate(label=y, scores=x, weight=w, engine="numba")
            rt.evaluate(label=y, scores=x, weight=w, by=s.round(0), at=[0.5], engine="numba")
    holes = np.where(s > 2, np.nan, s).astype("f4" if kind == "f4" else "f8")
    rt.tally(y, holes, missing="worst", engine="numba").roc_auc()
found = {
    f"{d.py_func.__module__}.{d.py_func.__name__}": len(d.signatures)
    for d in gc.get_objects()
    if isinstance(d, Dispatcher) and d.py_func.__module__.startswith("ranktally")
}
print(json.dumps(found))
"""
    )
    found = json.loads(run(code, timeout=300).splitlines()[-1])
    assert found, "no kernel was compiled"
    assert max(found.values()) <= MAX_SPECIALISATIONS, found


# --- the kernels as plain Python --------------------------------------------------------------


@pytest.mark.big
def test_kernels_without_their_compiler(tmp_path):
    """The tests that ask for an engine pass on the very same lines, not compiled."""
    report = tmp_path / "report.xml"
    left_out = {Path(__file__).name, "test_peers.py"}
    files = [p for p in sorted(TESTS.glob("test_*.py")) if p.name not in left_out]
    launch(
        [
            "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
            "--override-ini", "addopts=", f"--junitxml={report}", *map(str, files),
        ],
        timeout=300, RANKTALLY_DISABLE_JIT="1",
    )  # fmt: skip
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    assert int(suite.get("tests", 0)) > 700
    assert suite.get("skipped") == suite.get("failures") == suite.get("errors") == "0"
