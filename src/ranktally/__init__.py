"""ranktally: sort once, know everything.

Exact ROC, precision-recall and threshold measures from one ordering of a score column, over
millions of rows, many models and many groups.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Importing the package loads none of these; each comes with its first use, and so do numba and
# pyarrow.
_HOMES = {
    "Band": "_bands",
    "Bootstrap": "_bootstrap_result",
    "BrierParts": "_calibration",
    "Calibration": "_calibration",
    "Comparison": "_compare_result",
    "Confusion": "_confusion",
    "Curve": "_curves",
    "DeLong": "_delong_result",
    "DeLongDifference": "_delong_result",
    "DeLongInterval": "_delong_result",
    "Evaluation": "_evaluation",
    "InputError": "errors",
    "Interval": "_intervals",
    "Jackknife": "_jackknife_result",
    "JackknifeDifference": "_jackknife_result",
    "JackknifeInterval": "_jackknife_result",
    "LogLoss": "_calibration",
    "METRICS": "_metric_table",
    "MissingExtra": "errors",
    "Multiclass": "_multiclass",
    "OperatingPoint": "_operating",
    "PartialArea": "_partial",
    "RanktallyError": "errors",
    "RateAt": "_fixed_rates",
    "Report": "_report_rows",
    "SchemaMismatch": "errors",
    "Selection": "_selection",
    "Tally": "_tally",
    "ThresholdBootstrap": "_threshold_bootstrap_result",
    "TopK": "_at_k",
    "bootstrap": "_bootstrap",
    "bootstrap_threshold": "_threshold_bootstrap",
    "calibration": "_calibrating",
    "classification_report": "_report",
    "compare": "_compare",
    "cost_threshold": "_operating",
    "delong": "_delong",
    "evaluate": "_evaluation",
    "jackknife": "_jackknife",
    "multiclass": "_multiclass",
    "select_threshold": "_selection",
    "tally": "_tallying",
    "top_k": "_selection",
}

__all__ = [*sorted(_HOMES), "__version__"]

if TYPE_CHECKING:
    from ._at_k import TopK as TopK
    from ._bands import Band as Band
    from ._bootstrap import bootstrap as bootstrap
    from ._bootstrap_result import Bootstrap as Bootstrap
    from ._calibrating import calibration as calibration
    from ._calibration import BrierParts as BrierParts
    from ._calibration import Calibration as Calibration
    from ._calibration import LogLoss as LogLoss
    from ._compare import compare as compare
    from ._compare_result import Comparison as Comparison
    from ._confusion import Confusion as Confusion
    from ._curves import Curve as Curve
    from ._delong import delong as delong
    from ._delong_result import DeLong as DeLong
    from ._delong_result import DeLongDifference as DeLongDifference
    from ._delong_result import DeLongInterval as DeLongInterval
    from ._evaluation import Evaluation as Evaluation
    from ._evaluation import evaluate as evaluate
    from ._fixed_rates import RateAt as RateAt
    from ._intervals import Interval as Interval
    from ._jackknife import jackknife as jackknife
    from ._jackknife_result import Jackknife as Jackknife
    from ._jackknife_result import JackknifeDifference as JackknifeDifference
    from ._jackknife_result import JackknifeInterval as JackknifeInterval
    from ._metric_table import METRICS as METRICS
    from ._multiclass import Multiclass as Multiclass
    from ._multiclass import multiclass as multiclass
    from ._operating import OperatingPoint as OperatingPoint
    from ._operating import cost_threshold as cost_threshold
    from ._partial import PartialArea as PartialArea
    from ._report import classification_report as classification_report
    from ._report_rows import Report as Report
    from ._selection import Selection as Selection
    from ._selection import select_threshold as select_threshold
    from ._selection import top_k as top_k
    from ._tally import Tally as Tally
    from ._tallying import tally as tally
    from ._threshold_bootstrap import bootstrap_threshold as bootstrap_threshold
    from ._threshold_bootstrap_result import ThresholdBootstrap as ThresholdBootstrap
    from .errors import InputError as InputError
    from .errors import MissingExtra as MissingExtra
    from .errors import RanktallyError as RanktallyError
    from .errors import SchemaMismatch as SchemaMismatch


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
