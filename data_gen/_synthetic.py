"""Recipes that draw from a law whose truth is known."""

from __future__ import annotations

import math

import numpy as np

from ._binormal import Floats, cdf, shift, truth, truth_of_cells
from ._stream import BLOCK, Array, Columns, Source, Truth

_COUNTRIES = ("US", "IN", "BR", "DE", "FR", "JP", "MX", "NG", "SE", "NZ", "IS", "AQ")
_CHANNELS = ("web", "app", "phone", "branch")
_NO_POSITIVES = "AQ"


def binormal(
    *, auc: float = 0.8, prevalence: float = 0.1, dtype: str = "float64", squash: bool = False
) -> Source:
    """One model, scores without ties; `squash` maps them to calibrated probabilities."""
    _check(auc=auc, prevalence=prevalence, dtype=dtype)
    scale = _squash_line(auc, prevalence) if squash else None

    def draw(rng: np.random.Generator) -> Columns:
        label, latent = _latent(rng, shift(auc), prevalence)
        score = latent if scale is None else _logistic(scale[0] * latent + scale[1])
        return {"label": label, "score": score.astype(dtype)}

    return Source(draw, truth(auc, prevalence))


def rare(
    *, auc: float = 0.9, prevalence: float = 0.001, dtype: str = "float32", squash: bool = False
) -> Source:
    """One model and few positives."""
    return binormal(auc=auc, prevalence=prevalence, dtype=dtype, squash=squash)


def ties(
    *, auc: float = 0.8, prevalence: float = 0.3, decimals: int = 2, dtype: str = "float64"
) -> Source:
    """One model, probabilities rounded to `decimals` places (0 to 5): many tied rows."""
    _check(auc=auc, prevalence=prevalence, dtype=dtype)
    if not 0 <= decimals <= 5:
        raise ValueError(f"`decimals` must be from 0 to 5, got {decimals}")
    slope, offset = _squash_line(auc, prevalence)

    def draw(rng: np.random.Generator) -> Columns:
        label, latent = _latent(rng, shift(auc), prevalence)
        score = np.round(_logistic(slope * latent + offset), decimals)
        return {"label": label, "score": score.astype(dtype)}

    cells = 10**decimals
    middle = (np.arange(cells) + 0.5) / cells
    edges = (np.log(middle) - np.log1p(-middle) - offset) / slope
    return Source(draw, truth_of_cells(auc, prevalence, edges))


def points(*, auc: float = 0.75, prevalence: float = 0.05, spread: int = 50) -> Source:
    """One model with integer scores around 600 points, as credit scores are."""
    _check(auc=auc, prevalence=prevalence)
    if not 1 <= spread <= 10_000:
        raise ValueError(f"`spread` must be from 1 to 10000, got {spread}")

    def draw(rng: np.random.Generator) -> Columns:
        label, latent = _latent(rng, shift(auc), prevalence)
        return {"label": label, "score": np.rint(600.0 + spread * latent).astype(np.int64)}

    reach = spread * (math.ceil(abs(shift(auc))) + 10)
    edges = (np.arange(-reach, reach) + 0.5) / spread
    return Source(draw, truth_of_cells(auc, prevalence, edges))


def models(
    *,
    aucs: tuple[float, ...] = (0.6, 0.75, 0.8, 0.9),
    rho: float = 0.5,
    prevalence: float = 0.1,
    dtype: str = "float32",
) -> Source:
    """Several models ``model_0 ...``, with correlation `rho` between any two inside a class."""
    _check_models(aucs, rho)
    _check(prevalence=prevalence, dtype=dtype)

    def draw(rng: np.random.Generator) -> Columns:
        label = (rng.random(BLOCK) < prevalence).astype(np.int8)
        return {"label": label, **_scores(rng, label, aucs, rho, dtype)}

    return Source(draw, _truth_of_models(aucs, prevalence) | {"rho": rho})


def nightly(
    *,
    aucs: tuple[float, ...] = (0.78, 0.84, 0.86),
    rho: float = 0.7,
    prevalence: float = 0.05,
    dtype: str = "float32",
) -> Source:
    """Probabilities of several models, two segment columns: country (AQ has no positives), channel.

    Each model is calibrated where the prevalence is the one given: in every country but AQ.
    """
    _check_models(aucs, rho)
    _check(prevalence=prevalence, dtype=dtype)
    chance = _falling(len(_COUNTRIES), 1.0)
    lines = {f"model_{i}": _squash_line(auc, prevalence) for i, auc in enumerate(aucs)}

    def draw(rng: np.random.Generator) -> Columns:
        country = np.array(_COUNTRIES)[_pick(rng, chance)]
        channel = np.array(_CHANNELS)[_pick(rng, _falling(len(_CHANNELS), 1.0))]
        label = ((rng.random(BLOCK) < prevalence) & (country != _NO_POSITIVES)).astype(np.int8)
        scores = {
            name: _logistic(lines[name][0] * latent + lines[name][1]).astype(dtype)
            for name, latent in _scores(rng, label, aucs, rho, "float64").items()
        }
        return {"label": label, **scores, "country": country, "channel": channel}

    share = prevalence * (1.0 - float(chance[_COUNTRIES.index(_NO_POSITIVES)]))
    return Source(
        draw,
        _truth_of_models(aucs, share) | {"rho": rho},
        count=lambda columns: _count_groups(columns, ("country", "channel")),
        finish=_finish_groups,
        categories={"channel": _CHANNELS},
    )


def groups(
    *,
    auc: float = 0.8,
    n_groups: int = 200,
    skew: float = 1.0,
    one_class: float = 0.1,
    prevalence: float = 0.2,
    dtype: str = "float32",
) -> Source:
    """One model and interleaved groups of skewed sizes: int, text, dictionary, date and bool.

    A share `one_class` of the stores has one class by law, in turn only negatives and only
    positives, and country AQ has no positives. A score depends on its label alone, so the AUC
    of every group that has both classes is that of the whole.
    """
    _check(auc=auc, prevalence=prevalence, dtype=dtype)
    if n_groups < 1 or not 0 <= one_class <= 1 or skew < 0:
        raise ValueError("`n_groups` must be 1 or more, `one_class` 0 to 1, `skew` 0 or more")
    size = _falling(n_groups, skew)
    ordinal = np.arange(n_groups)
    step = np.floor((ordinal + 1) * one_class) - np.floor(ordinal * one_class)
    rate = np.where(step > 0, np.cumsum(step) % 2 == 0, prevalence).astype(float)
    abroad = _falling(len(_COUNTRIES), 1.0)

    def draw(rng: np.random.Generator) -> Columns:
        group = _pick(rng, size)
        country = np.array(_COUNTRIES)[_pick(rng, abroad)]
        label = ((rng.random(BLOCK) < rate[group]) & (country != _NO_POSITIVES)).astype(np.int8)
        return {
            "label": label,
            "score": (rng.standard_normal(BLOCK) + shift(auc) * label).astype(dtype),
            "store": group * 7 + 1_000,
            "country": country,
            "channel": np.array(_CHANNELS)[_pick(rng, _falling(len(_CHANNELS), 1.0))],
            "day": np.datetime64("2026-01-01") + rng.integers(0, 28, BLOCK),
            "member": rng.random(BLOCK) < 0.3,
        }

    share = float(size @ rate) * (1.0 - float(abroad[_COUNTRIES.index(_NO_POSITIVES)]))
    return Source(
        draw,
        truth(auc, share) if 0 < share < 1 else {"roc_auc": auc, "prevalence": share},
        count=lambda columns: _count_groups(
            columns, ("store", "country", "channel", "day", "member")
        ),
        finish=_finish_groups,
        categories={"channel": _CHANNELS},
    )


def weights(*, auc: float = 0.8, prevalence: float = 0.2, zero: float = 0.05) -> Source:
    """One model with a float and an integral weight column, a share `zero` of each being 0."""
    _check(auc=auc, prevalence=prevalence)
    if not 0 <= zero < 1:
        raise ValueError(f"`zero` must be at least 0 and below 1, got {zero}")

    def draw(rng: np.random.Generator) -> Columns:
        label, score = _latent(rng, shift(auc), prevalence)
        weight = rng.gamma(2.0, 0.5, BLOCK)
        times = rng.integers(1, 6, BLOCK)
        weight[rng.random(BLOCK) < zero] = 0.0
        times[rng.random(BLOCK) < zero] = 0
        return {"label": label, "score": score, "weight": weight, "times": times}

    def count(columns: Columns) -> Truth:
        weight, times, label = columns["weight"], columns["times"], columns["label"]
        return {
            "weight_sum": math.fsum(weight),
            "weight_sum_pos": math.fsum(weight[label == 1]),
            "weight_zeros": int(np.count_nonzero(weight == 0)),
            "times_sum": int(times.sum()),
            "times_sum_pos": int(times[label == 1].sum()),
            "times_zeros": int(np.count_nonzero(times == 0)),
        }

    return Source(draw, truth(auc, prevalence), count=count)


def text_labels(*, auc: float = 0.8, prevalence: float = 0.2) -> Source:
    """One model; the label as text (dictionary), plain text, bool, -1/1 and 1/2."""
    _check(auc=auc, prevalence=prevalence)

    def draw(rng: np.random.Generator) -> Columns:
        hit, score = _latent(rng, shift(auc), prevalence)
        text = np.where(hit == 1, "fraud", "legit")
        return {
            "label": text,
            "label_text": text,
            "label_bool": hit == 1,
            "label_signed": (2 * hit - 1).astype(np.int8),
            "label_one_two": (hit + 1).astype(np.int64),
            "score": score,
        }

    return Source(
        draw,
        truth(auc, prevalence),
        positive="fraud",
        categories={"label": ("legit", "fraud")},
    )


def dirty(
    *,
    auc: float = 0.8,
    prevalence: float = 0.3,
    null: float = 0.02,
    nan: float = 0.02,
    inf: float = 0.01,
    zero: float = 0.02,
    subnormal: float = 0.01,
    label_null: float = 0.0,
) -> Source:
    """One model with nulls, nan, infinities, -0.0 and 0.0, subnormals; ``segment`` has nulls.

    `null`, `nan`, `zero` and `subnormal` are shares of the scores, half of `inf` is -inf and
    half of `zero` is -0.0; `label_null` is a share of the labels. All are independent of the
    label. ``population["roc_auc"]`` is that of the rows whose score is neither null nor nan.
    """
    _check(auc=auc, prevalence=prevalence)
    kinds = np.array([null, nan, inf / 2, inf / 2, zero / 2, zero / 2, subnormal])
    if kinds.min() < 0 or kinds.sum() >= 1 or not 0 <= label_null < 1:
        raise ValueError("the shares of special values must be 0 or more and sum to less than 1")
    stand_in = np.array([0.0, np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324])

    def draw(rng: np.random.Generator) -> Columns:
        label, score = _latent(rng, shift(auc), prevalence)
        kind = np.searchsorted(np.cumsum(kinds), rng.random(BLOCK), side="right")
        special = kind < len(kinds)
        score[special] = stand_in[kind[special]]
        tiny = kind == len(kinds) - 1
        score[tiny] *= rng.integers(1, 4, int(tiny.sum()))
        segment = np.array(["a", "b", "c", "d"])[rng.integers(0, 4, BLOCK)]
        return {
            "label": np.ma.MaskedArray(label, rng.random(BLOCK) < label_null),
            "score": np.ma.MaskedArray(score, kind == 0),
            "segment": np.ma.MaskedArray(segment, segment == "d"),
        }

    mu = shift(auc)
    missing = null + nan
    infinite, nought = inf / (1 - missing), (zero + subnormal) / (1 - missing)
    plain = 1.0 - infinite - nought
    # A special value against its like, or against another kind, is even on average, because
    # both classes hold the same share of each kind; so is a plain score against an infinity.
    ranked = plain**2 * auc + plain * nought * (cdf(mu) + 0.5)
    ranked += plain * infinite + 0.5 * (infinite + nought) ** 2
    law = {"mu": mu, "prevalence": prevalence, "roc_auc": ranked, "roc_auc_of_plain_scores": auc}
    return Source(draw, law, count=_count_dirt)


def _count_dirt(columns: Columns) -> Truth:
    label, score, segment = columns["label"], columns["score"], columns["segment"]
    value, null = np.ma.getdata(score), np.ma.getmaskarray(score)
    with_label = ~np.ma.getmaskarray(label)
    ranked = ~null & ~np.isnan(value)
    complete = ranked & with_label
    hit = np.ma.getdata(label) == 1

    def tally(where: Array) -> int:
        return int(np.count_nonzero(where & ~null))

    zero = value == 0
    return {
        "score_null": int(null.sum()),
        "score_nan": tally(np.isnan(value)),
        "score_inf": tally(value == np.inf),
        "score_minus_inf": tally(value == -np.inf),
        "score_minus_zero": tally(zero & np.signbit(value)),
        "score_zero": tally(zero & ~np.signbit(value)),
        "score_subnormal": tally(~zero & (np.abs(value) < np.finfo(float).tiny)),
        "label_null": int(np.count_nonzero(~with_label)),
        "segment_null": int(np.ma.getmaskarray(segment).sum()),
        "n_complete": int(complete.sum()),
        "n_pos_complete": int(np.count_nonzero(complete & hit)),
        "n_neg_complete": int(np.count_nonzero(complete & ~hit)),
    }


def _count_groups(columns: Columns, names: tuple[str, ...]) -> Truth:
    counted: Truth = {}
    for name in names:
        values, code = np.unique(columns[name], return_inverse=True)
        n = np.bincount(code, minlength=len(values)).tolist()
        n_pos = np.bincount(code[columns["label"] == 1], minlength=len(values)).tolist()
        keys = values.astype(str) if values.dtype.kind == "M" else values
        counted[name] = {key: [a, b] for key, a, b in zip(keys.tolist(), n, n_pos, strict=True)}
    return {"groups": counted}


def _finish_groups(total: Truth) -> Truth:
    """Order the groups and name those that hold one class."""
    ordered = {name: dict(sorted(counts.items())) for name, counts in total["groups"].items()}
    one_class = {
        name: [key for key, (n, n_pos) in counts.items() if n_pos in (0, n)]
        for name, counts in ordered.items()
    }
    return total | {"groups": ordered, "one_class": one_class}


def _latent(rng: np.random.Generator, mu: float, prevalence: float) -> tuple[Array, Floats]:
    label = (rng.random(BLOCK) < prevalence).astype(np.int8)
    return label, rng.standard_normal(BLOCK) + mu * label


def _scores(
    rng: np.random.Generator, label: Array, aucs: tuple[float, ...], rho: float, dtype: str
) -> Columns:
    shared = math.sqrt(rho) * rng.standard_normal(BLOCK)
    own = math.sqrt(1.0 - rho)
    return {
        f"model_{i}": (shared + own * rng.standard_normal(BLOCK) + shift(auc) * label).astype(dtype)
        for i, auc in enumerate(aucs)
    }


def _truth_of_models(aucs: tuple[float, ...], prevalence: float) -> Truth:
    one_by_one = [truth(auc, prevalence) for auc in aucs]
    names = ("mu", "roc_auc", "gini", "ks", "average_precision")
    by_model = {
        name: {f"model_{i}": one[name] for i, one in enumerate(one_by_one)} for name in names
    }
    return {"prevalence": prevalence, **by_model}


def _squash_line(auc: float, prevalence: float) -> tuple[float, float]:
    """Slope and offset of the log odds of the positive class, given the score."""
    if auc <= 0.5:
        raise ValueError(f"`auc` must be above 0.5 for scores that are probabilities, got {auc}")
    mu = shift(auc)
    return mu, math.log(prevalence / (1.0 - prevalence)) - 0.5 * mu * mu


def _logistic(x: Floats) -> Floats:
    smaller = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, smaller) / (1.0 + smaller)


def _falling(size: int, skew: float) -> Floats:
    share: Floats = np.arange(1, size + 1, dtype=float) ** -skew
    share /= share.sum()
    return share


def _pick(rng: np.random.Generator, share: Floats) -> Array:
    bounds = np.cumsum(share)[:-1]
    return np.searchsorted(bounds, rng.random(BLOCK), side="right")


def _check_models(aucs: tuple[float, ...], rho: float) -> None:
    if not aucs:
        raise ValueError("`aucs` must name at least one model")
    for auc in aucs:
        _check(auc=auc)
    if not 0 <= rho <= 1:
        raise ValueError(f"`rho` must be from 0 to 1, got {rho}")


def _check(
    *, auc: float | None = None, prevalence: float | None = None, dtype: str | None = None
) -> None:
    for name, value in (("auc", auc), ("prevalence", prevalence)):
        if value is not None and not 0 < value < 1:
            raise ValueError(f"`{name}` must be above 0 and below 1, got {value}")
    if dtype not in (None, "float32", "float64"):
        raise ValueError(f"`dtype` must be float32 or float64, got {dtype!r}")
