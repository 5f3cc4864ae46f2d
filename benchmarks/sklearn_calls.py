"""Calls of `ranktally.metrics` and the same of scikit-learn, for the benchmark and the table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

import ranktally.metrics as ours

from .race import Contestant, Work

__all__ = ["CALLS", "DATA", "arrays", "call"]

CLASSES = 5
DATA = (
    "Binary labels are int64 at prevalence 0.1 with float32 scores in [0, 1], 2 to 4 % of them "
    f"tied; {CLASSES} balanced classes as int64 or text, and float64 probabilities of each"
)


def arrays(rows: int) -> dict[str, Any]:
    """Every array that a call takes."""
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
CALLS: Mapping[str, tuple[str, str, dict[str, Any]]] = MappingProxyType(
    {
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
)


def call(title: str, data: Mapping[str, Any], seconds: float = 2.0) -> Work:
    """One entry of CALLS on both packages."""
    from sklearn import calibration, metrics

    name, columns, options = CALLS[title]
    options = {k: data[v] if v == "weight" else v for k, v in options.items()}
    home = calibration if name == "calibration_curve" else metrics
    contestants = [
        Contestant(package, partial(getattr(module, name), *data[columns], **options))
        for package, module in (("ranktally", ours), ("scikit-learn", home))
    ]
    return Work(title, f"n = {len(data['weight'])}", contestants, seconds=seconds)
