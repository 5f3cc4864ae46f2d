"""Rows of an evaluation as the tests of its table write them: a dict a row."""

from __future__ import annotations

import math
import textwrap

import numpy as np
import pyarrow as pa

from ranktally._rows import Coded, Rows

DIRECTIONS = {"roc_auc": "up", "average_precision": "up", "fpr": "down", "prevalence": None}
BOOTSTRAP = "bootstrap multinomial percentile"
SUMMARY = {
    "n_files": 300, "n_rows": 12_400_000, "label": "is_fraud", "pos_label": 1, "n_pos": 26_040,
    "n_neg": 12_373_960, "prevalence": 0.0021, "n_models": 3, "seconds": 4.1,
}  # fmt: skip


def coded(texts) -> Coded:
    names = tuple(dict.fromkeys(text for text in texts if text is not None))
    codes = [-1 if text is None else names.index(text) for text in texts]
    return Coded(np.array(codes, dtype=np.int32), names)


def rows_of(records, *keys) -> Rows:
    """Tidy rows from dicts; what a dict leaves out is null."""

    def floats(name):
        values = [record.get(name) for record in records]
        return np.array([math.nan if value is None else value for value in values])

    n = np.array([record.get("n", 100) for record in records])
    n_pos = np.array([record.get("n_pos", 10) for record in records])
    return Rows(
        {
            "model": coded([record["model"] for record in records]),
            **{key: pa.array([record[key] for record in records]) for key in keys},
            "metric": coded([record["metric"] for record in records]),
            **{name: floats(name) for name in ("threshold", "value", "low", "high")},
            "interval": coded([record.get("interval") for record in records]),
            **{name: floats(name) for name in ("level", "baseline")},
            "n": n,
            "n_pos": n_pos,
            "n_neg": n - n_pos,
            "status": coded([record.get("status", "ok") for record in records]),
            "note": coded([record.get("note") for record in records]),
        }
    )


def cell(model, metric, value, low=None, high=None, **more):
    base = {"roc_auc": 0.5, "average_precision": 0.0021}.get(metric)
    ranged = {} if low is None else {"low": low, "high": high, "interval": BOOTSTRAP, "level": 0.95}
    return {"model": model, "metric": metric, "value": value, "baseline": base, **ranged, **more}


def check(text, expected):
    assert text == textwrap.dedent(expected).strip("\n")


INTERVALS = [
    cell("model_a", "roc_auc", 0.8731, 0.8709, 0.8752),
    cell("model_a", "average_precision", 0.2114, 0.2061, 0.2168),
    cell("model_b", "roc_auc", 0.8802, 0.8781, 0.8822),
    cell("model_b", "average_precision", 0.2098, 0.2046, 0.2151),
    cell("model_c", "roc_auc", 0.8644, 0.8621, 0.8667),
    cell("model_c", "average_precision", None, status="error: 412 scores are nan"),
]

DRAWN = {
    "ci": "bootstrap", "ci_method": "percentile", "scheme": "multinomial", "plan": "rows",
    "n_resamples": 2000, "seed": 417,
}  # fmt: skip

GROUPS = [
    cell(
        model, metric, value, country=country, n=n, n_pos=pos, status=status,
        baseline=0.5 if metric == "roc_auc" else pos / n,
    )
    for country, n, pos, status, values in (
        ("SE", 100, 10, "ok", (0.7, 0.2, 0.6, 0.3)),
        ("NO", 5, 0, "no_positives", (None,) * 4),
        (None, 2000, 300, "ok", (0.8, 0.4, 0.8, 0.1)),
    )
    for (model, metric), value in zip(
        [(m, k) for m in "ab" for k in ("roc_auc", "average_precision")], values, strict=True
    )
]  # fmt: skip
