"""What `ranktally.metrics` loads, accepts, refuses and warns of, apart from the numbers."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
import warnings

import numpy as np
import pytest

import ranktally
import ranktally.metrics as metrics
from ranktally import _engine
from ranktally.metrics import _binary_counts, _parameters

FORBIDDEN = ("sklearn", "scipy", "numba", "pyarrow", "pandas", "matplotlib")


def in_fresh_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_loads_neither_sklearn_nor_numba():
    loaded = in_fresh_process(
        f"import sys, ranktally.metrics; print([x for x in {FORBIDDEN!r} if x in sys.modules])"
    )
    assert loaded == "[]"


def test_use_on_small_data_loads_neither_sklearn_nor_numba():
    loaded = in_fresh_process(
        "import sys, ranktally.metrics as m\n"
        "y, s, p = [0, 0, 1, 1], [.1, .4, .35, .8], [0, 1, 1, 1]\n"
        "m.roc_auc_score(y, s), m.roc_curve(y, s), m.det_curve(y, s), m.log_loss(y, s)\n"
        "m.classification_report(y, p), m.confusion_matrix(y, p), m.calibration_curve(y, s)\n"
        f"print([x for x in {FORBIDDEN!r} if x in sys.modules])"
    )
    assert loaded == "[]"


WARNED = """
import warnings
{first}
import ranktally.metrics as m
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    m.roc_auc_score([1, 1], [0.1, 0.2])
print(caught[0].category.__module__, caught[0].category.__name__)
"""


def test_undefined_warning_is_ours_without_sklearn():
    said = in_fresh_process(WARNED.format(first=""))
    assert said == "ranktally.metrics._parameters UndefinedMetricWarning"
    assert issubclass(metrics.UndefinedMetricWarning, UserWarning)


def test_undefined_warning_is_that_of_sklearn_once_loaded():
    pytest.importorskip("sklearn")
    said = in_fresh_process(WARNED.format(first="import sklearn.exceptions"))
    assert said == "sklearn.exceptions UndefinedMetricWarning"


def test_warnings_point_at_the_caller():
    undefined = _parameters.undefined_warning()
    calls = (
        lambda: metrics.roc_auc_score([1, 1], [0.1, 0.2]),
        lambda: metrics.precision_score([1, 0], [0, 0]),
        lambda: metrics.classification_report([1, 0], [0, 0]),
        lambda: metrics.confusion_matrix_at_thresholds([1, 0], [0.1, 0.2], None),
        lambda: metrics.roc_auc_score([[1, 0], [1, 0]], [[0.1, 0.2], [0.2, 0.1]]),
    )
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert caught
        assert {w.filename for w in caught} == {__file__}
        assert all(issubclass(w.category, (undefined, FutureWarning)) for w in caught)


@pytest.mark.parametrize(
    "call",
    [
        lambda: metrics.roc_auc_score([0, 1], [0.1, 0.2], average="mean"),
        lambda: metrics.roc_auc_score([0, 1], [0.1, 0.2], max_fpr=0),
        lambda: metrics.roc_auc_score([0, 1], 3.0),
        lambda: metrics.roc_curve([0, 1], [0.1, 0.2], drop_intermediate=1),
        lambda: metrics.roc_curve([0, 1], [0.1, 0.2], pos_label=[1]),
        lambda: metrics.average_precision_score([0, 1], [0.1, 0.2], pos_label=None),
        lambda: metrics.fbeta_score([0, 1], [0, 1], beta=-1),
        lambda: metrics.fbeta_score([0, 1], [0, 1], beta=math.nan),
        lambda: metrics.f1_score([0, 1], [0, 1], zero_division=2),
        lambda: metrics.confusion_matrix([0, 1], [0, 1], normalize="rows"),
        lambda: metrics.classification_report([0, 1], [0, 1], digits=1.5),
        lambda: metrics.calibration_curve([0, 1], [0.1, 0.2], n_bins=0),
        lambda: metrics.calibration_curve([0, 1], [0.1, 0.2], strategy="kmeans"),
        lambda: metrics.brier_score_loss([0, 1], [0.1, 0.2], scale_by_half="yes"),
        lambda: metrics.log_loss([0, 1]),
    ],
)
def test_options_are_refused_as_value_and_type_errors(call):
    with pytest.raises(ranktally.InputError, match="parameter of") as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)


def test_refusals_are_ours_and_pythons():
    cases = (
        (ValueError, lambda: metrics.roc_auc_score([0, 1], [math.nan, 0.5])),
        (TypeError, lambda: metrics.roc_curve([b"a", b"b"], [0.1, 0.2])),
        (
            NotImplementedError,
            lambda: metrics.roc_auc_score([0, 1, 2], np.eye(3), multi_class="ovo", average=None),
        ),
        (TypeError, lambda: metrics.f1_score([0, 1], [0, 1], average=2)),
    )
    for kind, call in cases:
        with pytest.raises(kind) as caught:
            call()
        assert isinstance(caught.value, ranktally.RanktallyError)


def test_indicators_and_scores_of_differing_shapes_are_refused():
    with pytest.raises(ranktally.InputError, match="must agree"):
        metrics.roc_auc_score([[0, 1, 0], [1, 0, 1]], [[0.1, 0.2], [0.3, 0.4]])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_other_libraries(library):
    module = pytest.importorskip(library)
    make = {"pandas": "Series", "polars": "Series", "pyarrow": "array"}[library]
    y, s, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0, 1, 1, 1]
    series = getattr(module, make)
    assert metrics.roc_auc_score(series(y), series(s)) == 0.75
    assert metrics.f1_score(series(y), series(p)) == metrics.f1_score(y, p)
    text = series(["b", "b", "a", "a"])
    assert metrics.accuracy_score(text, text) == 1.0
    assert metrics.roc_auc_score(text, series(s)) == 0.25


def test_nullable_and_categorical_pandas():
    pd = pytest.importorskip("pandas")
    y = pd.Series([0, 1, 1, 0], dtype="Int64")
    assert metrics.roc_auc_score(y, [0.1, 0.9, 0.8, 0.3]) == 1.0
    labels = pd.Series(["x", "y", "y", "x"], dtype="category")
    assert metrics.confusion_matrix(labels, labels).tolist() == [[2, 0], [0, 2]]
    with pytest.raises(ValueError, match="NaN"):
        metrics.roc_auc_score(pd.Series([0, 1, None], dtype="Int64"), [0.1, 0.2, 0.3])


def test_sparse_indicators():
    sparse = pytest.importorskip("scipy.sparse")
    y, p = np.array([[1, 0, 1], [0, 1, 0]]), np.array([[1, 0, 0], [0, 1, 1]])
    for container in (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix):
        a, b = container(y), container(p)
        for average in ("micro", "samples"):
            assert metrics.f1_score(a, b, average=average) == metrics.f1_score(
                y, p, average=average
            )
        assert metrics.accuracy_score(a, p) == metrics.accuracy_score(y, p)
        with pytest.raises(TypeError, match="multilabel"):
            metrics.f1_score(container(y[:, :1]), container(p[:, :1]))


def test_integer_scores_beyond_float64_do_not_tie():
    y, s = [0, 1], np.array([2**53, 2**53 + 1])
    assert metrics.roc_auc_score(y, s) == 1.0
    assert metrics.precision_recall_curve(y, s)[2].tolist() == s.tolist()


def test_report_of_one_label_named_accuracy():
    text = metrics.classification_report(["accuracy", "b"], ["accuracy", "b"])
    assert text.count("accuracy") == 2


@pytest.fixture
def on_engine(engine, monkeypatch):
    real = _engine.loops

    def forced(_: str, rows: int, groups: int = 1):
        return real(engine, rows, groups)

    for module in (_binary_counts, importlib.import_module("ranktally.metrics._columns_average")):
        monkeypatch.setattr(module, "loops", forced)
    return engine


@pytest.mark.big
@pytest.mark.parametrize("weighted", [False, True])
def test_larger_data_on_both_engines(on_engine, weighted):
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    n = 4000
    y = (rng.random(n) < 0.3).astype(int)
    s = np.round(rng.normal(size=n) + y, 2)
    w = rng.integers(0, 4, n) / 2 if weighted else None
    for name in ("roc_curve", "precision_recall_curve", "det_curve"):
        mine = getattr(metrics, name)(y, s, sample_weight=w)
        for a, b in zip(mine, getattr(theirs, name)(y, s, sample_weight=w), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    for name in ("roc_auc_score", "average_precision_score"):
        a, b = (getattr(m, name)(y, s, sample_weight=w) for m in (metrics, theirs))
        assert a == pytest.approx(b, rel=1e-12)
    classes = rng.integers(0, 4, n)
    proba = rng.random((n, 4)) + np.eye(4)[classes] / 2
    proba /= proba.sum(axis=1, keepdims=True)
    for kind in ("ovr", "ovo"):
        weight = w if kind == "ovr" else None
        a, b = (
            m.roc_auc_score(classes, proba, multi_class=kind, sample_weight=weight)
            for m in (metrics, theirs)
        )
        assert a == pytest.approx(b, rel=1e-12)
    rows = (rng.random((60, 5)) < 0.5).astype(int)
    rows[:, 0], rows[:, 1] = 0, 1
    scores = np.round(rng.random((60, 5)), 1)
    for name in ("roc_auc_score", "average_precision_score"):
        a, b = (getattr(m, name)(rows, scores, average="samples") for m in (metrics, theirs))
        assert a == pytest.approx(b, rel=1e-12)


@pytest.mark.parametrize("classes", [3, 40, 300])
@pytest.mark.parametrize("kind", ["integers", "wide", "floats", "text", "objects"])
def test_many_classes(classes, kind):
    theirs = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(classes)
    names = {
        "integers": np.arange(classes) - 5,
        "wide": np.sort(rng.integers(-(2**62), 2**62, classes)),
        "floats": np.arange(classes) * 1e6,
        "text": np.array([f"class {k:03d}" for k in range(classes)]),
        "objects": np.array([f"class {k:03d}" for k in range(classes)], object),
    }[kind]
    true, pred = names[rng.integers(0, classes, 3000)], names[rng.integers(0, classes, 3000)]
    w = rng.integers(1, 5, 3000) / 4
    assert np.array_equal(metrics.confusion_matrix(true, pred), theirs.confusion_matrix(true, pred))
    for average in ("macro", "weighted", "micro"):
        a, b = (m.f1_score(true, pred, average=average, sample_weight=w) for m in (metrics, theirs))
        assert a == pytest.approx(b, rel=1e-12)
    assert metrics.classification_report(true, pred) == theirs.classification_report(true, pred)
    a, b = (m.matthews_corrcoef(true, pred) for m in (metrics, theirs))
    assert a == pytest.approx(b, rel=1e-10)


@pytest.mark.parametrize("rows", [2, 3, 5, 6, 7, 9, 10, 33])
def test_blocks_leave_no_seam(rows, monkeypatch):
    theirs = pytest.importorskip("sklearn.metrics")
    monkeypatch.setattr("ranktally.metrics._curves.BLOCK", 4)
    monkeypatch.setattr("ranktally.metrics._targets.BLOCK", 4)
    rng = np.random.default_rng(rows)
    for _ in range(20):
        y = rng.integers(0, 2, rows)
        y[:2] = 0, 1
        s = np.round(rng.random(rows), 1)
        mine, yours = metrics.roc_curve(y, s), theirs.roc_curve(y, s)
        for a, b in zip(mine, yours, strict=True):
            np.testing.assert_array_equal(a, b)
        assert metrics.auc(mine[0], mine[1]) == pytest.approx(theirs.auc(yours[0], yours[1]))
    for third in range(rows):
        labels = np.arange(rows) % 2
        labels[third] = 2
        counts = metrics.confusion_matrix(labels, labels)
        assert counts.tolist() == theirs.confusion_matrix(labels, labels).tolist()
