"""METRICS: what each metric needs, which way is better, its range and chance level, when it is nan.

`needs` chooses the work: ``areas`` are sums of one pass over the sorted classes, ``counts`` are
rows at or above given thresholds and need no sort, ``tally`` would need every distinct score.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from . import _at_k, _calibration, _fixed_rates, _partial, _pr_areas, _prevalence, _rates

__all__ = ["ALIASES", "METRICS", "Metric"]

Direction = Literal["up", "down"] | None
INF = math.inf
ONE_CLASS = ("no_positives", "no_negatives")
NO_PROBABILITY = ("empty", "scores_outside_0_1")


@dataclass(frozen=True)
class Metric:
    """One metric of the table.

    Attributes
    ----------
    name : str
    needs : {"areas", "counts", "tally", "sample"}
        The cheapest state that gives it.
    direction : {"up", "down"} or None
        Which way is better; None for a mere description.
    range : tuple of float
        Smallest and largest possible value.
    baseline : callable(prevalence) -> float, or None
        Value without skill: of a constant score for areas; None where there is none.
    undefined : tuple of str
        Status codes of the conditions under which it is nan.
    meaning : str
        One line for people.
    bind : callable(*arguments) -> callable(state) -> value, or None
        Checks the arguments of a call such as ``fbeta(2)`` and gives the function of the state:
        ``Areas`` (of arrays, one a group), four count arrays, or the ``Counts`` of one group.
    """

    name: str
    needs: Literal["areas", "counts", "tally", "sample"]
    direction: Direction
    range: tuple[float, float]
    baseline: Callable[[Any], Any] | None
    undefined: tuple[str, ...]
    meaning: str
    bind: Callable[..., Callable[..., Any]]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the arguments that a call gives."""
        return tuple(inspect.signature(self.bind).parameters)


def _constant(value: float) -> Callable[[Any], Any]:
    return lambda prevalence: prevalence * 0.0 + value


def _same(prevalence: Any) -> Any:
    return prevalence


def _majority(prevalence: Any) -> Any:
    return 0.5 + abs(prevalence - 0.5)


def _entropy(prevalence: Any) -> Any:
    """Log loss of the base rate as everyone's probability."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [-x * np.log(x) for x in (prevalence, 1.0 - prevalence)]
    return sum(np.where(np.asarray(prevalence) % 1.0 == 0.0, 0.0, part) for part in parts)


UNIT = (0.0, 1.0)
POSITIVE = (0.0, INF)
HALF, ZERO, ONE = _constant(0.5), _constant(0.0), _constant(1.0)


def _table(*metrics: Metric) -> MappingProxyType[str, Metric]:
    return MappingProxyType({metric.name: metric for metric in metrics})


METRICS: Mapping[str, Metric] = _table(
    Metric("roc_auc", "areas", "up", UNIT, HALF, ONE_CLASS,
           "share of positive-negative pairs in order, ties half",
           lambda: lambda areas: areas.roc_auc),
    Metric("average_precision", "areas", "up", UNIT, _same, ("no_positives",),
           "step sum of precision over recall",
           lambda: lambda areas: areas.average_precision),
    Metric("gini", "areas", "up", (-1.0, 1.0), ZERO, ONE_CLASS, "2 roc_auc - 1",
           lambda: lambda areas: 2.0 * areas.roc_auc - 1.0),
    Metric("ks", "areas", "up", UNIT, ZERO, ONE_CLASS, "largest |tpr - fpr|",
           lambda: lambda areas: areas.ks),
    Metric("precision", "counts", "up", UNIT, _same, ("no_positive_predictions",),
           "tp / (tp + fp)",
           lambda: _rates.precision),
    Metric("recall", "counts", "up", UNIT, None, ("no_positives",), "tp / (tp + fn)",
           lambda: _rates.recall),
    Metric("specificity", "counts", "up", UNIT, None, ("no_negatives",), "tn / (tn + fp)",
           lambda: _rates.specificity),
    Metric("fpr", "counts", "down", UNIT, None, ("no_negatives",), "fp / (fp + tn)",
           lambda: _rates.fpr),
    Metric("fnr", "counts", "down", UNIT, None, ("no_positives",), "fn / (fn + tp)",
           lambda: _rates.fnr),
    Metric("npv", "counts", "up", UNIT, lambda prevalence: 1.0 - prevalence,
           ("no_negative_predictions",), "tn / (tn + fn)",
           lambda: _rates.npv),
    Metric("fdr", "counts", "down", UNIT, lambda prevalence: 1.0 - prevalence,
           ("no_positive_predictions",), "fp / (fp + tp)",
           lambda: _rates.fdr),
    Metric("false_omission_rate", "counts", "down", UNIT, _same, ("no_negative_predictions",),
           "fn / (fn + tn)",
           lambda: _rates.false_omission_rate),
    Metric("accuracy", "counts", "up", UNIT, _majority, ("empty",), "(tp + tn) / n",
           lambda: _rates.accuracy),
    Metric("error_rate", "counts", "down", UNIT, lambda prevalence: 1.0 - _majority(prevalence),
           ("empty",), "(fp + fn) / n",
           lambda: _rates.error_rate),
    Metric("balanced_accuracy", "counts", "up", UNIT, HALF, ONE_CLASS,
           "(recall + specificity) / 2",
           lambda: _rates.balanced_accuracy),
    Metric("f1", "counts", "up", UNIT, lambda prevalence: 2.0 * prevalence / (1.0 + prevalence),
           ("no_positives_or_predictions",), "2 tp / (2 tp + fp + fn)",
           lambda: _rates.f1),
    Metric("fbeta", "counts", "up", UNIT, None, ("no_positives_or_predictions",),
           "(1 + b^2) tp / ((1 + b^2) tp + b^2 fn + fp)", _rates.fbeta_of),
    Metric("mcc", "counts", "up", (-1.0, 1.0), ZERO, ("zero_margin",),
           "(tp tn - fp fn) / root of the product of the four margins",
           lambda: _rates.mcc),
    Metric("jaccard", "counts", "up", UNIT, _same, ("no_positives_or_predictions",),
           "tp / (tp + fp + fn)",
           lambda: _rates.jaccard),
    Metric("youden", "counts", "up", (-1.0, 1.0), ZERO, ONE_CLASS, "recall - fpr",
           lambda: _rates.youden),
    Metric("markedness", "counts", "up", (-1.0, 1.0), ZERO,
           ("no_positive_predictions", "no_negative_predictions"),
           "precision - false_omission_rate",
           lambda: _rates.markedness),
    Metric("cohen_kappa", "counts", "up", (-1.0, 1.0), ZERO, ("empty", *ONE_CLASS),
           "agreement beyond chance",
           lambda: _rates.cohen_kappa),
    Metric("fowlkes_mallows", "counts", "up", UNIT, None,
           ("no_positives", "no_positive_predictions"), "root of precision times recall",
           lambda: _rates.fowlkes_mallows),
    Metric("geometric_mean", "counts", "up", UNIT, None, ONE_CLASS,
           "root of recall times specificity",
           lambda: _rates.geometric_mean),
    Metric("positive_likelihood_ratio", "counts", "up", POSITIVE, ONE,
           (*ONE_CLASS, "no_positive_predictions"), "recall / fpr",
           lambda: _rates.positive_likelihood_ratio),
    Metric("negative_likelihood_ratio", "counts", "down", POSITIVE, ONE,
           (*ONE_CLASS, "no_negative_predictions"), "fnr / specificity",
           lambda: _rates.negative_likelihood_ratio),
    Metric("diagnostic_odds_ratio", "counts", "up", POSITIVE, ONE,
           (*ONE_CLASS, "no_positive_predictions", "no_negative_predictions"),
           "tp tn / (fp fn)",
           lambda: _rates.diagnostic_odds_ratio),
    Metric("prevalence", "counts", None, UNIT, None, ("empty",), "positive rows / n",
           lambda: _rates.prevalence),
    Metric("predicted_positive_rate", "counts", None, UNIT, None, ("empty",),
           "predicted positive / n",
           lambda: _rates.predicted_positive_rate),
    Metric("lift", "counts", "up", POSITIVE, ONE, ("no_positives", "no_positive_predictions"),
           "precision / prevalence",
           lambda: _rates.lift),
    Metric("prevalence_threshold", "counts", "down", UNIT, None,
           (*ONE_CLASS, "no_positive_predictions"),
           "root(fpr) / (root(recall) + root(fpr))",
           lambda: _rates.prevalence_threshold),
    Metric("roc_distance", "counts", "down", (0.0, math.sqrt(2.0)), None, ONE_CLASS,
           "root of fnr^2 + fpr^2",
           lambda: _rates.roc_distance),
    Metric("expected_cost", "counts", "down", (-INF, INF), None, ("empty",),
           "(cost_fp fp + cost_fn fn + cost_alert (tp + fp) - benefit_tp tp) / n",
           _rates.expected_cost_of),
    Metric("precision_at_k", "tally", "up", UNIT, _same, ("empty",),
           "positives among the k best-scored rows / k", _at_k.precision_at_k_of),
    Metric("recall_at_k", "tally", "up", UNIT, None, ("no_positives",),
           "positives among the k best-scored rows / positives", _at_k.recall_at_k_of),
    Metric("lift_at_k", "tally", "up", POSITIVE, ONE, ("no_positives",),
           "precision_at_k / prevalence", _at_k.lift_at_k_of),
    Metric("partial_auc", "tally", "up", UNIT, None, (*ONE_CLASS, "below_chance"),
           "area under the ROC curve inside a band of fpr, of tpr, or both",
           _partial.partial_auc_of),
    Metric("pr_auc", "tally", "up", UNIT, _same, ("no_positives",),
           "area under the PR curve by a named interpolation", _pr_areas.pr_auc_of),
    Metric("eer", "tally", "down", UNIT, HALF, ONE_CLASS, "fpr where it equals fnr",
           lambda: _fixed_rates.eer),
    Metric("break_even", "tally", "up", UNIT, _same, ("no_positives",),
           "precision where it equals recall",
           lambda: _fixed_rates.break_even),
    Metric("recall_at_fpr", "tally", "up", UNIT, None, ONE_CLASS,
           "largest recall with fpr at most so much", _fixed_rates.recall_at_fpr_of),
    Metric("recall_at_specificity", "tally", "up", UNIT, None, ONE_CLASS,
           "largest recall with specificity at least so much",
           _fixed_rates.recall_at_specificity_of),
    Metric("specificity_at_recall", "tally", "up", UNIT, None, (*ONE_CLASS, "unreachable"),
           "largest specificity with recall at least so much",
           _fixed_rates.specificity_at_recall_of),
    Metric("recall_at_precision", "tally", "up", UNIT, None, ("no_positives", "unreachable"),
           "largest recall with precision at least so much",
           _fixed_rates.recall_at_precision_of),
    Metric("precision_at_recall", "tally", "up", UNIT, _same, ("no_positives", "unreachable"),
           "largest precision with recall at least so much",
           _fixed_rates.precision_at_recall_of),
    Metric("average_precision_at_prevalence", "tally", "up", UNIT, None, ONE_CLASS,
           "average precision if positives had another share",
           _prevalence.average_precision_at_prevalence_of),
    Metric("brier", "tally", "down", UNIT, lambda prevalence: prevalence * (1.0 - prevalence),
           NO_PROBABILITY, "mean squared distance of probability and outcome",
           lambda: _calibration.brier),
    Metric("log_loss", "tally", "down", POSITIVE, _entropy, NO_PROBABILITY,
           "mean of - ln of the probability of the true class",
           lambda: _calibration.log_loss),
    Metric("ece", "tally", "down", UNIT, None, NO_PROBABILITY,
           "mean distance of predicted and observed share over bins", _calibration.ece_of),
    Metric("mce", "tally", "down", UNIT, None, NO_PROBABILITY,
           "largest distance of predicted and observed share over bins", _calibration.mce_of),
)  # fmt: skip

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "auc": "roc_auc",
        "auroc": "roc_auc",
        "ap": "average_precision",
        "sensitivity": "recall",
        "tpr": "recall",
        "hit_rate": "recall",
        "ppv": "precision",
        "tnr": "specificity",
        "selectivity": "specificity",
        "fall_out": "fpr",
        "miss_rate": "fnr",
        "false_discovery_rate": "fdr",
        "threat_score": "jaccard",
        "csi": "jaccard",
        "informedness": "youden",
        "j": "youden",
        "phi": "mcc",
        "matthews_corrcoef": "mcc",
        "kappa": "cohen_kappa",
        "dor": "diagnostic_odds_ratio",
        "lr_plus": "positive_likelihood_ratio",
        "lr_minus": "negative_likelihood_ratio",
        "alert_rate": "predicted_positive_rate",
        "tpr_at_fpr": "recall_at_fpr",
        "equal_error_rate": "eer",
        "brier_score": "brier",
        "cross_entropy": "log_loss",
        "expected_calibration_error": "ece",
        "maximum_calibration_error": "mce",
        "sens": "recall",
        "true_positive_rate": "recall",
        "positive_predictive_value": "precision",
        "spec": "specificity",
        "true_negative_rate": "specificity",
        "false_positive_rate": "fpr",
        "false_negative_rate": "fnr",
        "negative_predictive_value": "npv",
        "critical_success_index": "jaccard",
        "iou": "jaccard",
        "dice": "f1",
        "youden_j": "youden",
        "g_mean": "geometric_mean",
        "gain_at_k": "recall_at_k",
        "capture_at_k": "recall_at_k",
    }
)
