"""scikit-learn's own tests, with our functions in the places of its own."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from sklearn_suite import needs_sklearn_1_9

import ranktally

pytestmark = [needs_sklearn_1_9(), pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[1]

AREAS = {"auc", "average_precision_score", "roc_auc_score"}
CURVES = {"confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve"}
SCORES = {"f1_score", "fbeta_score", "precision_score", "recall_score"}
TABLES = {"accuracy_score", "balanced_accuracy_score", "confusion_matrix", "matthews_corrcoef"}
LOSSES = {"brier_score_loss", "log_loss"}


@dataclass(frozen=True)
class Suite:
    """A test module of scikit-learn, and what must be seen of it.

    `tests` are those that its 1.9.1 collects, less what in_place.py leaves out; at least `calling`
    of them must call a function of ours, and every one of `names` must be called.
    """

    module: str
    tests: int
    calling: int
    names: frozenset[str]
    select: str = ""


SUITES = (
    # Those that call none of ours are about ndcg, label ranking, coverage and top-k accuracy.
    Suite("sklearn.metrics.tests.test_ranking", 248, 175, frozenset(AREAS | CURVES)),
    # The others are about Cohen's kappa, Jaccard, Hamming, hinge, likelihood ratios, D2.
    Suite(
        "sklearn.metrics.tests.test_classification",
        253,
        168,
        frozenset(
            {"classification_report", "precision_recall_fscore_support"} | SCORES | LOSSES | TABLES
        ),
    ),
    # The others are about regression, clustering and the metrics named above.
    Suite(
        "sklearn.metrics.tests.test_common",
        1815,
        1059,
        frozenset((AREAS | CURVES | SCORES | LOSSES | TABLES) - {"auc"}),
    ),
    # The rest of this module fits calibrated classifiers.
    Suite(
        "sklearn.tests.test_calibration",
        6,
        5,
        frozenset({"calibration_curve"}),
        select="calibration_curve",
    ),
)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.module.rpartition(".")[2])
def test_suite_of_sklearn(suite, tmp_path, record_property):
    report = tmp_path / "report.json"
    paths = [Path(ranktally.__file__).parents[1], ROOT, os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, filter(None, paths))),
        "RANKTALLY_SUITE_REPORT": str(report),
    }
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", "--pyargs", suite.module, "-q", "--tb=short"]
    command += ["-p", "tests.sklearn_suite.in_place", "-p", "no:cacheprovider", "-p", "no:xdist"]
    if suite.select:
        command += ["-k", suite.select]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert report.exists(), done.stdout + done.stderr
    seen = json.loads(report.read_text())
    record_property(
        "summary",
        f"{suite.module} {seen['version']} on ranktally.metrics: {seen['tests']} tests, "
        f"{seen['calling']} call a function of ours ({sum(seen['calls'].values())} calls); "
        f"{seen['passed']} passed, {seen['skipped']} skipped by scikit-learn, "
        f"{len(seen['failed'])} failed; left out {seen['left_out'] or 'none'}",
    )
    assert seen["failed"] == [], done.stdout[-6000:]
    assert done.returncode == 0, done.stdout[-6000:]
    assert seen["loaded_from"][0] == str(Path(ranktally.__file__).parent / "metrics")
    assert suite.names <= set(seen["calls"]), "not called: " + ", ".join(
        sorted(suite.names - set(seen["calls"]))
    )
    if importlib.metadata.version("scikit-learn") == "1.9.1":
        assert seen["tests"] == suite.tests
        assert seen["calling"] >= suite.calling
