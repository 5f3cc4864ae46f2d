"""The metrics of scikit-learn under its names: change one import.

Signatures, array orders, dtypes, warnings and refusals are those of scikit-learn 1.9; the counts
come from one tally of the scores. scikit-learn is not imported, and need not be installed.

What differs, on purpose: sums are exact or compensated, so that last digits may differ, and with
fractional weights ``drop_intermediate`` may keep another point of a straight run; integer scores
are never rounded to floats; indicators and scores of differing shapes, and a nan among the
probabilities of `calibration_curve`, are refused; a partial area without one class is nan; arrays
of other libraries are read by NumPy, and so are results. Errors are `ranktally.RanktallyError` as
well as the ValueError or TypeError that scikit-learn raises.
"""

from __future__ import annotations

from ._areas import average_precision_score, roc_auc_score
from ._confusion import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    matthews_corrcoef,
)
from ._curves import (
    auc,
    confusion_matrix_at_thresholds,
    det_curve,
    precision_recall_curve,
    roc_curve,
)
from ._decision_scores import (
    f1_score,
    fbeta_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from ._label_report import classification_report
from ._parameters import UndefinedMetricWarning
from ._probabilities import brier_score_loss, calibration_curve, log_loss

__all__ = [
    "UndefinedMetricWarning",
    "accuracy_score",
    "auc",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "calibration_curve",
    "classification_report",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "f1_score",
    "fbeta_score",
    "log_loss",
    "matthews_corrcoef",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
]
