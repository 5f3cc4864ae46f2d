"""Works on arrays in memory: areas, tallies, points, weights, many models and classes, groups."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import data_gen
import ranktally as rt
from tests.peers import PEERS

from .race import BEST_PEER, Contestant, Goal, Work

__all__ = [
    "areas", "binormal", "classes", "describe", "groups", "models", "points", "shown", "tally",
    "weighted",
]  # fmt: skip

SEED = 1
SKLEARN_MODELS = 2
SKLEARN_GROUPS = 1000
RAPIDSTATS_SHARE = 10
THRESHOLDS = 1000
# Both areas from one window, where the peers table asks for one at a time. A window's RANGE takes
# tied rows together: tp and selected count the rows at or above each score.
DUCKDB_AREAS = """
WITH above AS (
    SELECT y, sum(y) OVER w AS tp, count(*) OVER w AS selected FROM t WINDOW w AS (ORDER BY s DESC)
)
SELECT 0.5 + sum(CASE WHEN y = 1 THEN tp - selected ELSE tp END)::DOUBLE
    / nullif(2.0 * sum(y) * sum(1 - y), 0), sum(y * tp / selected) / sum(y)
FROM above
"""
DUCKDB_GROUPS = """
WITH ranked AS (
    SELECT g, y, rank() OVER (PARTITION BY g ORDER BY s) AS low,
        count(*) OVER (PARTITION BY g ORDER BY s) AS high
    FROM t
)
SELECT g, (sum(CASE WHEN y = 1 THEN (low + high) / 2.0 END) - sum(y) * (sum(y) + 1) / 2.0)
    / nullif(sum(y) * sum(1 - y), 0) AS auc
FROM ranked GROUP BY g ORDER BY g
"""


def shown(n: int) -> str:
    """Write 5,000,000 as 5M."""
    for size, suffix in ((1_000_000, "M"), (1000, "k")):
        if n >= size and n % size == 0:
            return f"{n // size}{suffix}"
    return f"{n:,}"


def binormal(rows: int) -> tuple[np.ndarray, np.ndarray, str]:
    """Labels as int64 and float32 scores, as a notebook would hold them."""
    columns = data_gen.make("binormal", rows, seed=SEED, dtype="float32").columns
    return np.asarray(columns["label"], np.int64), columns["score"], describe(columns["score"])


def describe(score: np.ndarray, prevalence: float = 0.1) -> str:
    tied = 1 - np.unique(score).size / score.size
    return f"n = {shown(score.size)}, {score.dtype}, prevalence {prevalence}, {tied:.0%} tied"


def _same(answers: dict[str, Any], tolerance: float = 1e-9) -> None:
    """Contestants that disagree are not doing the same work."""
    first, *rest = answers
    for name in rest:
        np.testing.assert_allclose(
            answers[name], answers[first], rtol=0, atol=tolerance, err_msg=f"{name} against {first}"
        )


def areas(quick: bool) -> Work:
    y, s, data = binormal(200_000 if quick else 5_000_000)
    ways = {"ranktally": partial(rt.evaluate, label=y, scores=s)}
    for peer in PEERS:
        if peer.installed:
            ways[peer.name] = _both(peer, peer.prepare(y, s, None))
    _same({name: _two(way()) for name, way in ways.items()})
    contestants = [Contestant(name, way) for name, way in ways.items()]
    return Work(
        f"{shown(s.size)} rows, AUC + AP (`evaluate`)",
        f"{data}, int64 labels",
        [*contestants, Contestant("one bare `np.sort`", partial(np.sort, s), peer=False)],
        (
            Goal("scikit-learn", faster=50),
            Goal(BEST_PEER, faster=10),
            Goal("one bare `np.sort`", most=2.0),
        ),
    )


def _two(answer: Any) -> Any:
    if isinstance(answer, rt.Evaluation):
        return answer.columns["value"]
    return answer


def _both(peer: Any, prepared: Any) -> Callable[[], tuple[float, ...]]:
    if peer.module == "duckdb":
        return lambda: prepared.execute(DUCKDB_AREAS).fetchone()
    if peer.module == "polars_ds":
        return lambda: _polars_ds(prepared)
    return lambda: (peer.roc_auc(prepared), peer.average_precision(prepared))


def _polars_ds(frame: Any) -> tuple[float, float]:
    """One call of it gives both areas, of float64 only."""
    import polars as pl
    import polars_ds as pds

    frame = frame.with_columns(pl.col("s").cast(pl.Float64))
    found = frame.select(pds.query_binary_metrics("y", "s").alias("m")).unnest("m")
    return found["roc_auc"].item(), found["avg_precision"].item()


def tally(quick: bool) -> Work:
    from sklearn.metrics import precision_recall_curve, roc_curve

    y, s, data = binormal(200_000 if quick else 5_000_000)

    def curves() -> None:
        roc_curve(y, s, drop_intermediate=False)
        precision_recall_curve(y, s)

    return Work(
        f"{shown(s.size)} rows, every threshold (`tally`)",
        f"{data}, int64 labels",
        [
            Contestant("ranktally", partial(rt.tally, y, s)),
            Contestant("one bare `np.sort`", partial(np.sort, s), peer=False),
            Contestant("scikit-learn `roc_curve` + `precision_recall_curve`", curves),
        ],
        (Goal("one bare `np.sort`", most=2.5),),
    )


def points(quick: bool) -> Work:
    """Thirty measures at a thousand thresholds: what they cost beside the tally that they read."""
    y, s, data = binormal(200_000 if quick else 5_000_000)
    cuts = np.quantile(s, np.linspace(0.0005, 0.9995, THRESHOLDS)).astype(s.dtype)
    names = [m.name for m in rt.METRICS.values() if m.needs == "counts" and not m.parameters]
    names += ["fbeta(2)", "fbeta(0.5)", "expected_cost(1, 10)"]

    def measured() -> dict[str, np.ndarray]:
        found = rt.tally(y, s).at(cuts)
        return {name: found.apply(name) for name in names}

    contestants = [
        Contestant("ranktally", measured),
        Contestant("the `tally` alone", partial(rt.tally, y, s), peer=False),
        Contestant(
            "`evaluate(..., at=thresholds)`",
            partial(rt.evaluate, label=y, scores=s, at=cuts, metrics=names),
            peer=False,
        ),
    ]
    if importlib.util.find_spec("rapidstats"):
        contestants.append(_rapidstats_points(y, s, cuts))
    return Work(
        f"{shown(s.size)} rows, {len(names)} measures at {THRESHOLDS} thresholds "
        "(`tally(...).at(...)`)",
        f"{data}, int64 labels",
        contestants,
        (Goal("the `tally` alone", most=1.2),),
    )


def _rapidstats_points(y: np.ndarray, s: np.ndarray, cuts: np.ndarray) -> Contestant:
    """Its 27 measures of a part of the rows, whose share of the time flatters it."""
    from rapidstats.metrics import confusion_matrix_at_thresholds

    part = s.size // RAPIDSTATS_SHARE
    y, s = y[:part], s[:part]
    call = partial(confusion_matrix_at_thresholds, y, s, cuts.tolist())
    found = call()
    mcc = found.filter(found["metric"] == "mcc").sort("threshold")["value"].to_numpy()
    _same({"rapidstats": mcc, "ranktally": rt.tally(y, s).at(cuts).mcc})
    told = f"rapidstats, 27 measures ({shown(part)} rows measured, times {RAPIDSTATS_SHARE})"
    return Contestant(told, call, scale=RAPIDSTATS_SHARE)


def weighted(quick: bool) -> Work:
    from sklearn.metrics import average_precision_score, roc_auc_score

    rows = 200_000 if quick else 5_000_000
    columns = data_gen.make("weights", rows, seed=SEED, prevalence=0.1).columns
    y, w = np.asarray(columns["label"], np.int64), columns["weight"]
    s = columns["score"].astype(np.float32)

    def sklearn_areas() -> tuple[float, float]:
        return (
            roc_auc_score(y, s, sample_weight=w),
            average_precision_score(y, s, sample_weight=w),
        )

    ours = rt.tally(y, s, w)
    _same({"scikit-learn": sklearn_areas(), "": (ours.roc_auc(), ours.average_precision())})
    return Work(
        f"{shown(s.size)} rows, every threshold, weighted (`tally`)",
        f"{describe(s)}, int64 labels, float64 weights of which 5 % are 0",
        [
            Contestant("ranktally", partial(rt.tally, y, s, w)),
            Contestant("`np.argsort` of the scores", partial(np.argsort, s), peer=False),
            Contestant("scikit-learn, weighted AUC + AP", sklearn_areas),
        ],
        (Goal("`np.argsort` of the scores", most=0.5),),
    )


def models(quick: bool) -> Work:
    from sklearn.metrics import average_precision_score, roc_auc_score

    rows, count = (50_000, 10) if quick else (1_000_000, 50)
    aucs = tuple(np.linspace(0.6, 0.9, count).tolist())
    columns = dict(data_gen.make("models", rows, seed=SEED, aucs=aucs).columns)
    y = columns["label"] = np.asarray(columns["label"], np.int64)
    names = [name for name in columns if name != "label"]
    ours = partial(rt.evaluate, columns, label="label", scores="model_*")

    def loop() -> list[float]:
        scores = [columns[name] for name in names[:SKLEARN_MODELS]]
        return [f(y, s) for s in scores for f in (roc_auc_score, average_precision_score)]

    _same({"": ours().columns["value"][: 2 * SKLEARN_MODELS], "scikit-learn": loop()})
    told = f"scikit-learn loop ({SKLEARN_MODELS} models measured, times {count}/{SKLEARN_MODELS})"
    return Work(
        f"{shown(rows)} rows x {count} models, AUC + AP (`evaluate`)",
        f"{describe(columns['model_0'])} in one model, int64 labels",
        [
            Contestant("ranktally", ours),
            Contestant(told, loop, scale=count / SKLEARN_MODELS),
            Contestant(
                f"bare `np.sort` of the {count} columns",
                lambda: [np.sort(columns[name]) for name in names],
                peer=False,
            ),
        ],
        (Goal(told, faster=60),),
        seconds=6.0,
    )


def classes(quick: bool) -> Work:
    """Each of several classes against the rest, and the averages."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    rows, count = (50_000 if quick else 1_000_000), 10
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, count, rows)
    scores = rng.random((rows, count), dtype=np.float32)
    scores[np.arange(rows), y] += 0.5
    scores /= scores.sum(axis=1, keepdims=True)
    ours = partial(rt.multiclass, label=y, scores=scores, classes=range(count))

    def sklearn_macro() -> tuple[float, float]:
        return roc_auc_score(y, scores, multi_class="ovr"), average_precision_score(y, scores)

    found = ours()
    names = ("roc_auc", "average_precision")
    _same({"": [found.value("macro avg", x) for x in names], "scikit-learn": sklearn_macro()})
    return Work(
        f"{shown(rows)} rows x {count} classes, each against the rest, AUC + AP (`multiclass`)",
        f"{describe(scores[:, 0])} in one class, int64 labels",
        [
            Contestant("ranktally", ours),
            Contestant("scikit-learn, the macro averages alone", sklearn_macro),
            Contestant(
                f"bare `np.sort` of the {count} columns",
                lambda: [np.sort(scores[:, k]) for k in range(count)],
                peer=False,
            ),
        ],
    )


def groups(quick: bool) -> Work:
    """AUC of many small groups; skew 0 makes them about equal."""
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    rows, count = (200_000, 20_000) if quick else (2_000_000, 200_000)
    made = data_gen.make("groups", rows, seed=SEED, n_groups=count, skew=0.0, prevalence=0.1)
    y, s, g = (made.columns[name] for name in ("label", "score", "store"))
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.register("rows_", pa.table({"y": y, "s": s, "g": g}))
    connection.execute("CREATE TABLE t AS SELECT * FROM rows_")
    frame = pl.DataFrame({"y": y, "s": s, "g": g})
    pandas_frame = pd.DataFrame({"y": y, "s": s, "g": g})
    both = pandas_frame.groupby("g")["y"].nunique().eq(2)
    some = pandas_frame[pandas_frame["g"].isin(both.index[both][:SKLEARN_GROUPS])]
    scale = len(both) / some["g"].nunique()

    ways: dict[str, Callable[[], Any]] = {
        "ranktally": partial(rt.evaluate, label=y, scores=s, by=g, metrics="roc_auc"),
        "DuckDB rank SQL": lambda: connection.execute(DUCKDB_GROUPS).fetchnumpy()["auc"],
        "polars rank": lambda: _polars_groups(frame),
    }
    answers = {name: np.ma.filled(_two(way()), np.nan) for name, way in ways.items()}
    _same(answers)
    told = f"pandas groupby + scikit-learn ({some['g'].nunique():,} groups measured, scaled)"
    return Work(
        f"{shown(rows)} rows in {shown(count)} groups, AUC of each (`by=`)",
        f"{describe(s)}, int8 labels, interleaved int64 keys, {len(both):,} groups that occur",
        [
            *(Contestant(name, way) for name, way in ways.items()),
            Contestant(told, partial(_pandas_groups, some), scale=scale),
        ],
        (Goal("DuckDB rank SQL", faster=5), Goal(told, faster=500)),
    )


def _polars_groups(frame: Any) -> np.ndarray:
    import polars as pl

    y, ranks = pl.col("y").cast(pl.Int64), pl.col("s").rank("average")
    n_pos = y.sum()
    auc = ((ranks * y).sum() - n_pos * (n_pos + 1) / 2) / (n_pos * (pl.len() - n_pos))
    return frame.group_by("g").agg(auc.alias("auc")).sort("g")["auc"].to_numpy()


def _pandas_groups(frame: Any) -> Any:
    from sklearn.metrics import roc_auc_score

    return frame.groupby("g").apply(lambda part: roc_auc_score(part["y"], part["s"]))
