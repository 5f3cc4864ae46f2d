"""Out-of-fold predictions of small models on the data sets that scikit-learn ships."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._stream import Array, Columns, Source


def breast_cancer(*, folds: int = 5) -> Source:
    """569 tumours, label 1 for malignant: logistic regression, a small tree, naive Bayes."""
    from_sklearn = _sklearn("breast_cancer")
    data = from_sklearn.load_breast_cancer()
    label = (data.target == 0).astype(np.int8)

    def draw(rng: np.random.Generator) -> Columns:
        found = _out_of_fold(data.data, label, folds, rng)
        return {"label": label} | {name: scores[:, 1] for name, scores in found.items()}

    return Source(draw, {}, n_rows=len(label))


def digits(*, folds: int = 5, positive: int = 8) -> Source:
    """1,797 written digits, label 1 for `positive`; ``digit`` and ``proba_0 ...`` hold all ten."""
    from_sklearn = _sklearn("digits")
    if not 0 <= positive <= 9:
        raise ValueError(f"`positive` must be a digit from 0 to 9, got {positive}")
    data = from_sklearn.load_digits()
    digit = data.target.astype(np.int8)

    def draw(rng: np.random.Generator) -> Columns:
        found = _out_of_fold(data.data, digit, folds, rng)
        columns = {"label": (digit == positive).astype(np.int8), "digit": digit}
        columns |= {name: scores[:, positive] for name, scores in found.items()}
        every = found["model_logistic"]
        return columns | {f"proba_{k}": every[:, k] for k in range(10)}

    return Source(draw, {}, n_rows=len(digit))


def _sklearn(recipe: str) -> Any:
    try:
        from sklearn import datasets
    except ImportError as error:
        raise ImportError(
            f"recipe `{recipe}` needs scikit-learn: run `pip install scikit-learn`, "
            "or use a synthetic recipe such as `binormal`"
        ) from error
    return datasets


def _out_of_fold(x: Array, y: Array, folds: int, rng: np.random.Generator) -> dict[str, Array]:
    """Class probabilities of three models, each row predicted by a model that never saw it."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    state = int(rng.integers(2**31))
    fitted = {
        "model_logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000)),
        "model_tree": DecisionTreeClassifier(max_depth=6, random_state=state),
        "model_bayes": GaussianNB(var_smoothing=1e-3),
    }
    split = StratifiedKFold(folds, shuffle=True, random_state=state)
    return {
        name: cross_val_predict(model, x, y, cv=split, method="predict_proba")
        for name, model in fitted.items()
    }
