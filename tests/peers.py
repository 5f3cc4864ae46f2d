"""The one table of peers, for the tests that agree with them and the benchmarks that race them.

Each peer turns (labels, scores, weights or None) into a float, from NumPy arrays in the layout it
likes best: `prepare` does what a user of it would have done before the clock starts. A peer that
is not installed is skipped by whoever reads the table.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = tuple[np.ndarray, np.ndarray, "np.ndarray | None"]


@dataclass(frozen=True)
class Wrong:
    """A known wrong answer: what goes in, what comes out, what is right."""

    case: str
    why: str
    labels: list[Any]
    scores: np.ndarray
    gives: float
    right: float


@dataclass(frozen=True)
class Peer:
    """How to ask another package for the two areas, and what it can be asked."""

    name: str
    module: str
    prepare: Callable[[np.ndarray, np.ndarray, np.ndarray | None], Any]
    roc_auc: Callable[[Any], float]
    average_precision: Callable[[Any], float] | None
    weights: bool
    infinite: bool = False
    one_class: bool = False
    wrong_auc: tuple[Wrong, ...] = ()
    wrong_ap: tuple[Wrong, ...] = ()

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def _arrays(y: np.ndarray, s: np.ndarray, w: np.ndarray | None) -> Arrays:
    return y, s, w


def _sklearn(name: str) -> Callable[[Arrays], float]:
    def call(data: Arrays) -> float:
        from sklearn import metrics

        y, s, w = data
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(getattr(metrics, name)(y, s, sample_weight=w))

    return call


def _polars_frame(y: np.ndarray, s: np.ndarray, w: np.ndarray | None) -> Any:
    import polars as pl

    return pl.DataFrame({"y": y.astype(np.int8), "s": s})


def _polars_ds_auc(frame: Any) -> float:
    import polars_ds as pds

    return float(frame.select(pds.query_roc_auc("y", "s")).item())


def _polars_ds_ap(frame: Any) -> float:
    import polars as pl
    import polars_ds as pds

    frame = frame.with_columns(pl.col("s").cast(pl.Float64))  # it takes no other type
    found = frame.select(pds.query_binary_metrics("y", "s").alias("m")).unnest("m")
    return float(found["avg_precision"].item())


def _rapidstats(name: str) -> Callable[[Arrays], float]:
    def call(data: Arrays) -> float:
        from rapidstats import metrics

        y, s, w = data
        value = getattr(metrics, name)(y, s, sample_weight=w)
        return float("nan") if value is None else float(value)

    return call


def duckdb_table(y: np.ndarray, s: np.ndarray, w: np.ndarray | None) -> Any:
    """A connection whose table t holds the rows."""
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.register("rows_", pa.table({"y": y.astype(np.int8), "s": s}))
    connection.execute("CREATE TABLE t AS SELECT * FROM rows_")
    return connection


DUCKDB_AUC = """
WITH cells AS (
    SELECT s, sum(y)::DOUBLE AS pos, (count(*) - sum(y))::DOUBLE AS neg FROM t GROUP BY s
), below AS (
    SELECT pos, neg, sum(neg) OVER (ORDER BY s) - neg AS neg_below FROM cells
)
SELECT sum(pos * (neg_below + neg / 2)) / nullif(sum(pos) * sum(neg), 0) FROM below
"""

DUCKDB_RANK_AUC = """
WITH ranked AS (
    SELECT y, rank() OVER (ORDER BY s) AS low, count(*) OVER (PARTITION BY s) AS tied FROM t
)
SELECT (sum(CASE WHEN y = 1 THEN low + (tied - 1) / 2.0 END) - sum(y) * (sum(y) + 1) / 2.0)
    / nullif(sum(y) * sum(1 - y), 0)
FROM ranked
"""

DUCKDB_AP = """
WITH cells AS (
    SELECT s, sum(y)::DOUBLE AS pos, count(*)::DOUBLE AS n FROM t GROUP BY s
), above AS (
    SELECT pos, sum(pos) OVER w AS tp, sum(n) OVER w AS selected FROM cells
    WINDOW w AS (ORDER BY s DESC)
)
SELECT sum(pos * tp / selected) / nullif(sum(pos), 0) FROM above
"""


def duckdb_query(query: str) -> Callable[[Any], float]:
    """The one number of a query."""

    def call(connection: Any) -> float:
        value = connection.execute(query).fetchone()[0]
        return float("nan") if value is None else float(value)

    return call


_LARGE = np.array([2**53, 2**53 + 1])
_WITH_NAN = np.array([np.nan, 0.9, 0.4, 0.1])
_NAN_LABELS = [1, 0, 1, 0]


def _nan_is_largest(gives: float, right: float) -> Wrong:
    return Wrong("IO06", "nan ranks above all scores", _NAN_LABELS, _WITH_NAN, gives, right)


def _no_positives(gives: float) -> Wrong:
    return Wrong(
        "no-positives",
        "no positives gives a number instead of undefined",
        [0, 0],
        np.array([0.1, 0.2]),
        gives,
        float("nan"),
    )


_INTEGERS = Wrong(
    "D11", "integers beyond 2**53 are cast to float64 and tie", [0, 1], _LARGE, 0.5, 1.0
)
_INFINITE_TIES = Wrong(
    "M03",
    "equal infinities are not tied",
    [0, 1, 1, 0, 1, 0],
    np.array([np.inf, np.inf, np.inf, np.inf, 2.5, -np.inf]),
    0.6,
    8 / 15,
)

PEERS = (
    Peer(
        "scikit-learn",
        "sklearn",
        _arrays,
        _sklearn("roc_auc_score"),
        _sklearn("average_precision_score"),
        weights=True,
        one_class=True,
        wrong_ap=(_no_positives(0.0),),
    ),
    Peer(
        "polars-ds",
        "polars_ds",
        _polars_frame,
        _polars_ds_auc,
        _polars_ds_ap,
        weights=False,
        infinite=True,
        one_class=True,
        wrong_auc=(_INTEGERS, _nan_is_largest(0.75, 0.5)),
        wrong_ap=(_nan_is_largest(5 / 6, 0.5),),
    ),
    Peer(
        "rapidstats",
        "rapidstats",
        _arrays,
        _rapidstats("roc_auc"),
        _rapidstats("average_precision"),
        weights=True,
        infinite=False,
        one_class=True,
        wrong_auc=(_INTEGERS, _nan_is_largest(0.75, 0.5)),
        wrong_ap=(_INTEGERS, _INFINITE_TIES, _nan_is_largest(7 / 12, 0.5), _no_positives(0.0)),
    ),
    Peer(
        "DuckDB SQL",
        "duckdb",
        duckdb_table,
        duckdb_query(DUCKDB_AUC),
        duckdb_query(DUCKDB_AP),
        weights=False,
        infinite=True,
        one_class=True,
        wrong_auc=(_nan_is_largest(0.75, 0.5),),
        wrong_ap=(_nan_is_largest(5 / 6, 0.5),),
    ),
)
