"""`ranktally.metrics` against scikit-learn, function by function, on the same arrays in turn."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import ranktally.metrics as ours

pytest.importorskip("sklearn")

from sklearn import calibration
from sklearn import metrics as theirs

ROWS = (5_000, 100_000, 1_000_000)
CLASSES = 5
SECONDS = 2.0


def arrays(rows: int) -> dict[str, Any]:
    """Binary labels at prevalence 0.1 with float32 scores, and five classes."""
    rng = np.random.default_rng(1)
    y = (rng.random(rows) < 0.1).astype(np.int64)
    s = np.clip(rng.normal(0.3 + 0.2 * y, 0.15), 0, 1).astype(np.float32)
    classes = rng.integers(0, CLASSES, rows)
    decided = np.where(rng.random(rows) < 0.7, classes, rng.integers(0, CLASSES, rows))
    proba = rng.random((rows, CLASSES)) + np.eye(CLASSES)[classes]
    names = np.array(["ant", "bee", "cat", "dog", "elk"])
    fpr, tpr, _ = ours.roc_curve(y, s, drop_intermediate=False)
    return {
        "binary": (y, s),
        "decided": (y, (s >= 0.5).astype(np.int64)),
        "classes": (classes, decided),
        "text": (names[classes], names[decided]),
        "proba": (classes, proba / proba.sum(axis=1, keepdims=True)),
        "indicators": (np.eye(CLASSES, dtype=np.int64)[classes], proba),
        "curve": (fpr, tpr),
        "weight": rng.random(rows),
    }


# What is called: the arrays, and the options.
CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "roc_curve": ("roc_curve", "binary", {}),
    "roc_curve, weights": ("roc_curve", "binary", {"sample_weight": "weight"}),
    "precision_recall_curve": ("precision_recall_curve", "binary", {}),
    "det_curve": ("det_curve", "binary", {}),
    "confusion_matrix_at_thresholds": ("confusion_matrix_at_thresholds", "binary", {}),
    "auc": ("auc", "curve", {}),
    "roc_auc_score": ("roc_auc_score", "binary", {}),
    "roc_auc_score, weights": ("roc_auc_score", "binary", {"sample_weight": "weight"}),
    "roc_auc_score, max_fpr": ("roc_auc_score", "binary", {"max_fpr": 0.1}),
    "roc_auc_score, ovr": ("roc_auc_score", "proba", {"multi_class": "ovr"}),
    "roc_auc_score, ovo": ("roc_auc_score", "proba", {"multi_class": "ovo"}),
    "roc_auc_score, multilabel": ("roc_auc_score", "indicators", {}),
    "average_precision_score": ("average_precision_score", "binary", {}),
    "confusion_matrix": ("confusion_matrix", "decided", {}),
    "confusion_matrix, 5 classes": ("confusion_matrix", "classes", {}),
    "confusion_matrix, text": ("confusion_matrix", "text", {}),
    "precision_recall_fscore_support": ("precision_recall_fscore_support", "classes", {}),
    "precision_score": ("precision_score", "decided", {}),
    "recall_score": ("recall_score", "decided", {}),
    "f1_score": ("f1_score", "decided", {}),
    "f1_score, macro": ("f1_score", "classes", {"average": "macro"}),
    "fbeta_score": ("fbeta_score", "decided", {"beta": 2}),
    "accuracy_score": ("accuracy_score", "decided", {}),
    "accuracy_score, 5 classes": ("accuracy_score", "classes", {}),
    "balanced_accuracy_score": ("balanced_accuracy_score", "decided", {}),
    "matthews_corrcoef": ("matthews_corrcoef", "decided", {}),
    "classification_report": ("classification_report", "classes", {}),
    "classification_report, text": ("classification_report", "text", {}),
    "brier_score_loss": ("brier_score_loss", "binary", {}),
    "brier_score_loss, 5 classes": ("brier_score_loss", "proba", {}),
    "log_loss": ("log_loss", "binary", {}),
    "log_loss, 5 classes": ("log_loss", "proba", {}),
    "calibration_curve": ("calibration_curve", "binary", {}),
    "calibration_curve, quantile": ("calibration_curve", "binary", {"strategy": "quantile"}),
}


@pytest.fixture(scope="module", params=ROWS, ids=lambda rows: f"{rows} rows")
def data(request: pytest.FixtureRequest, quick: bool) -> dict[str, Any]:
    return arrays(request.param // 10 if quick else request.param)


def clocked(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


@pytest.mark.parametrize("title", CALLS)
def test_metric(benchmark, capsys, data, title):
    name, columns, options = CALLS[title]
    options = {k: data[v] if v == "weight" else v for k, v in options.items()}
    home = calibration if name == "calibration_curve" else theirs
    mine = partial(getattr(ours, name), *data[columns], **options)
    yours = partial(getattr(home, name), *data[columns], **options)
    mine()
    rounds = min(15, max(3, int(SECONDS / clocked(yours))))
    gc.collect()
    ratios = [clocked(yours) / clocked(mine) for _ in range(rounds)]
    rows = len(data["weight"])
    benchmark.group = f"ranktally.metrics, {rows} rows"
    benchmark.extra_info["times faster than scikit-learn"] = statistics.median(ratios)
    benchmark.pedantic(mine, rounds=rounds)
    with capsys.disabled():
        print(f"\n{rows:>9,} rows  {title:<34} {statistics.median(ratios):7.1f} x", end="")
