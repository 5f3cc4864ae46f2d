"""Works on files and in fresh processes: reading, the command, start-up, peak memory."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import data_gen
import ranktally as rt

from .fresh import bytes_above_input, seconds_inside, seconds_of
from .in_memory import DUCKDB_AREAS, SEED, binormal, shown
from .race import Contestant, Goal, Work

__all__ = ["command", "imports", "memory_areas", "memory_tally", "parquet", "start_up"]

SORTS = "pyarrow read + 2 bare `np.sort`"


@cache
def folder() -> Path:
    """A place for this run's files."""
    path = Path(tempfile.mkdtemp(prefix="ranktally-benchmark-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def parquet(quick: bool) -> Work:
    import duckdb

    rows = 500_000 if quick else 20_000_000
    data_gen.write("binormal", folder() / "parquet", rows, seed=SEED, dtype="float32")
    path = str(folder() / "parquet" / "part-000.parquet")

    def sorts() -> None:
        table = pq.read_table(path, columns=["label", "score"])
        scores = table["score"].to_numpy()
        np.sort(scores)
        np.sort(scores)

    query = DUCKDB_AREAS.replace("FROM t ", f"FROM (SELECT label AS y, score AS s FROM '{path}') ")
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    return Work(
        f"Parquet file of {shown(rows)} rows, AUC (`evaluate`)",
        f"n = {shown(rows)}, float32 and int8, prevalence 0.1, two columns, one file in the page "
        "cache",
        [
            Contestant(
                "ranktally",
                partial(rt.evaluate, path, label="label", scores="score", metrics="roc_auc"),
            ),
            Contestant(SORTS, sorts, peer=False),
            Contestant(
                "DuckDB SQL on the file, AUC + AP",
                lambda: connection.execute(query).fetchone(),
            ),
        ],
        (Goal(SORTS, most=1.3),),
        seconds=6.0,
    )


def _memory(quick: bool, title: str, call: str, theirs: str, most: float, note: str = "") -> Work:
    """Peak of a call after the same call on the first rows, which loads all code it needs.

    `call` leaves room for an engine, since few rows would not load the kernels.
    """
    y, s, data = binormal(1_000_000 if quick else 5_000_000)
    path = folder() / "arrays.npz"
    np.savez(path, y=y, s=s)
    setup = (
        "import numpy as np\n"
        f"with np.load({str(path)!r}) as z:\n    everything = z['y'], z['s']\n"
        "y, s = (a[:300_000].copy() for a in everything)"
    )

    def peak(name: str, module: str, first: str, code: str) -> Contestant:
        warm_up = f"import {module} as m\n{first}\ny, s = everything"
        call = partial(bytes_above_input, setup, warm_up, code)
        return Contestant(name, call, 1 / s.nbytes, measures=True)

    kernels = ", engine='numba'"
    return Work(
        title,
        f"{data}, int64 labels; in multiples of the scores' {s.nbytes / 1e6:.0f} MB, with the "
        f"kernels loaded{note}",
        [
            peak("ranktally", "ranktally", call.format(kernels), call.format(kernels)),
            peak("scikit-learn", "sklearn.metrics", theirs, theirs),
        ],
        (Goal(None, most=most),),
        unit="x",
        rounds=3,
        seconds=60.0,
    )


def memory_areas(quick: bool) -> Work:
    return _memory(
        quick,
        "peak memory above the input, AUC + AP (`evaluate`)",
        "m.evaluate(label=y, scores=s{})",
        "(m.roc_auc_score(y, s), m.average_precision_score(y, s))",
        2.0,
    )


def memory_tally(quick: bool) -> Work:
    _, s, _ = binormal(1_000_000 if quick else 5_000_000)
    distinct = np.unique(s).size
    output = distinct * (s.itemsize + 16) / s.nbytes
    return _memory(
        quick,
        "peak memory above the input, `tally`",
        "m.tally(y, s{})",
        "(m.roc_curve(y, s, drop_intermediate=False), m.precision_recall_curve(y, s))",
        output + 2.0,
        f"; the tally itself takes {output:.2f}",
    )


def imports(quick: bool) -> Work:
    def fresh(name: str, code: str, peer: bool = True) -> Contestant:
        return Contestant(name, partial(seconds_inside, code), measures=True, peer=peer)

    numpy = "`import numpy`"
    return Work(
        "`import ranktally`",
        "fresh processes, the import alone",
        [
            fresh("ranktally", "import ranktally"),
            fresh(numpy, "import numpy", peer=False),
            fresh("`import ranktally; ranktally.evaluate`", "import ranktally as r; r.evaluate"),
            fresh("`import numba`", "import numba"),
            fresh("`import sklearn.metrics`", "import sklearn.metrics"),
        ],
        (Goal(numpy, most=1.5),),
        seconds=60.0,
        rounds=3 if quick else 7,
    )


def command(quick: bool) -> Work:
    target = folder() / "csv"
    data_gen.write("binormal", target, 10_000, seed=SEED, format="csv")
    path = str(target / "part-000.csv")
    ours = [sys.executable, "-m", "ranktally", "evaluate", path]
    ours += ["--label", "label", "--scores", "score"]
    script = (
        "import sys, pandas as pd, sklearn.metrics as m\n"
        "d = pd.read_csv(sys.argv[1])\n"
        "print(m.roc_auc_score(d.label, d.score), m.average_precision_score(d.label, d.score))"
    )
    return Work(
        "`ranktally evaluate` on a 10k-row CSV, whole command",
        "fresh processes, nothing compiled before",
        [
            Contestant("ranktally", partial(seconds_of, ours, compiled=False), measures=True),
            Contestant(
                "pandas + scikit-learn script",
                partial(seconds_of, [sys.executable, "-c", script, path]),
                measures=True,
            ),
        ],
        (Goal(None, most=1.0),),
        seconds=60.0,
        rounds=3 if quick else 7,
    )


def start_up(quick: bool) -> Work:
    """The first call of a process: what loading and compiling the kernels costs."""
    rows = 20_000
    setup = (
        "import numpy as np, ranktally as rt\n"
        "rng = np.random.default_rng(0)\n"
        f"y = rng.integers(0, 2, {rows}); s = rng.normal(size={rows}).astype('f4') + y\n"
        "rt.evaluate"
    )
    call = "rt.evaluate(label=y, scores=s, engine={0!r})"

    def first(name: str, engine: str, *, compiled: bool = True) -> Contestant:
        code = partial(seconds_inside, call.format(engine), setup, compiled=compiled)
        return Contestant(name, code, measures=True, peer=False)

    return Work(
        "first call of a process, kernels cached",
        f"n = {shown(rows)}, float32, fresh processes, numpy imported before",
        [
            first("ranktally", "numba"),
            first("kernels compiled in that process", "numba", compiled=False),
            first('`engine="auto"`: NumPy loops', "auto"),
        ],
        seconds=60.0,
        rounds=3 if quick else 5,
    )
