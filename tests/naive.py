"""The textbook sentence of every measure, in exact fractions.

The first rung of the tests: slow, obvious, and importing nothing of the package under test. Every
function takes plain lists. A label is true for a positive; a score is a Python number (integers
and floats compare exactly in Python, whatever their size), or None or nan when it is missing.
A missing score stands below all others, tied with the other missing ones, and no threshold
reaches it. `None` stands for an undefined value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import NamedTuple

Number = int | float
Score = Number | None
Value = Fraction | float | None
"""An exact number, an infinite one, or None where it is undefined."""


class Counts(NamedTuple):
    """Weight of the true and false positives and negatives at one cut."""

    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction


def is_missing(score: Score) -> bool:
    return score is None or score != score


def _weights(labels: Sequence[object], weights: Sequence[Number] | None) -> list[Fraction]:
    return [Fraction(1)] * len(labels) if weights is None else [Fraction(w) for w in weights]


def _ratio(top: Fraction | int, bottom: Fraction | int) -> Fraction | None:
    return None if bottom == 0 else Fraction(top) / Fraction(bottom)


def totals(
    labels: Sequence[object], weights: Sequence[Number] | None = None
) -> tuple[Fraction, Fraction]:
    """Weight of the positives and of the negatives."""
    rows = list(zip(labels, _weights(labels, weights), strict=True))
    return (
        sum((w for y, w in rows if y), Fraction(0)),
        sum((w for y, w in rows if not y), Fraction(0)),
    )


def roc_auc(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Mean over pairs of a positive and a negative: 1 above, one half tied, 0 below."""
    w = _weights(labels, weights)
    credit = pairs = Fraction(0)
    positives = [i for i, y in enumerate(labels) if y]
    negatives = [i for i, y in enumerate(labels) if not y]
    for i, j in product(positives, negatives):
        weight = w[i] * w[j]
        pairs += weight
        a, b = scores[i], scores[j]
        if is_missing(a) or is_missing(b):
            won = not is_missing(a)
            tied = is_missing(a) and is_missing(b)
        else:
            won, tied = a > b, a == b  # type: ignore[operator]
        credit += weight if won else weight / 2 if tied else 0
    return _ratio(credit, pairs)


def thresholds(scores: Sequence[Score], weights: Sequence[Number] | None = None) -> list[Number]:
    """Distinct scores of the rows that weigh something, in decreasing order."""
    w = [1] * len(scores) if weights is None else weights
    kept = {s for s, x in zip(scores, w, strict=True) if not is_missing(s) and x > 0}
    return sorted(kept, reverse=True)  # type: ignore[type-var]


def counts(
    labels: Sequence[object],
    scores: Sequence[Score],
    threshold: Number,
    weights: Sequence[Number] | None = None,
) -> Counts:
    """Positive when the score is at or above the threshold; a missing one never is."""
    tp = fp = fn = tn = Fraction(0)
    for y, s, w in zip(labels, scores, _weights(labels, weights), strict=True):
        if not is_missing(s) and s >= threshold:  # type: ignore[operator]
            tp, fp = (tp + w, fp) if y else (tp, fp + w)
        else:
            fn, tn = (fn + w, tn) if y else (fn, tn + w)
    return Counts(tp, fp, fn, tn)


def average_precision(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Sum over decreasing thresholds of the gain in recall times the precision there.

    Rows with a missing score make one last step.
    """
    n_pos, n_neg = totals(labels, weights)
    if n_pos == 0:
        return None
    area = before = Fraction(0)
    steps = [counts(labels, scores, t, weights)[:2] for t in thresholds(scores, weights)]
    if any(is_missing(s) for s in scores):
        steps.append((n_pos, n_neg))
    for tp, fp in steps:
        if tp + fp:
            area += (tp - before) / n_pos * tp / (tp + fp)
        before = tp
    return area


def gini(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Twice the area under the ROC curve, less one."""
    area = roc_auc(labels, scores, weights)
    return None if area is None else 2 * area - 1


def ks(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Largest distance between the score distributions of the two classes."""
    n_pos, n_neg = totals(labels, weights)
    if n_pos == 0 or n_neg == 0:
        return None
    gaps = [Fraction(0)]
    for t in thresholds(scores, weights):
        c = counts(labels, scores, t, weights)
        gaps.append(abs(c.tp / n_pos - c.fp / n_neg))
    return max(gaps)


def _root(x: Fraction, digits: int = 60) -> Fraction:
    """Square root, cut after so many decimal digits."""
    scale = 10**digits
    return Fraction(math.isqrt(x.numerator * scale * scale // x.denominator), scale)


def mcc(c: Counts) -> Fraction | None:
    tp, fp, fn, tn = c
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if margins == 0:
        return None
    top = tp * tn - fp * fn
    # The quotient is rooted, not the product: its size is that of the answer.
    return _root(top * top / margins) * (1 if top >= 0 else -1)


def f_beta(c: Counts, beta: Number) -> Fraction | None:
    b2 = Fraction(beta) ** 2
    return _ratio((1 + b2) * c.tp, (1 + b2) * c.tp + b2 * c.fn + c.fp)


def balanced_accuracy(c: Counts) -> Fraction | None:
    sensitivity = _ratio(c.tp, c.tp + c.fn)
    specificity = _ratio(c.tn, c.tn + c.fp)
    if sensitivity is None or specificity is None:
        return None
    return (sensitivity + specificity) / 2


def _share(name: str, c: Counts) -> Fraction | float | None:
    return MEASURES[name](c)


def _difference(a: Value, b: Value) -> Value:
    return None if a is None or b is None else a - b


def _quotient(a: Value, b: Value) -> Value:
    """Quotient of two shares: infinite where only the lower one is 0."""
    if a is None or b is None or a == b == 0:
        return None
    return math.inf if b == 0 else Fraction(a) / Fraction(b)


def _geometric(a: Value, b: Value) -> Value:
    return None if a is None or b is None else _root(Fraction(a) * Fraction(b))


def cohen_kappa(c: Counts) -> Value:
    """Agreement above what independent decisions of the same margins would reach."""
    tp, fp, fn, tn = c
    n = sum(c)
    if n == 0:
        return None
    observed = (tp + tn) / n
    expected = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / n**2
    return _ratio(observed - expected, 1 - expected)


def prevalence_threshold(c: Counts) -> Value:
    """Root of the false positive rate over the sum of both roots."""
    tpr, fpr = _share("recall", c), _share("fpr", c)
    if tpr is None or fpr is None:
        return None
    return _ratio(_root(Fraction(fpr)), _root(Fraction(tpr)) + _root(Fraction(fpr)))


MEASURES: dict[str, Callable[[Counts], Value]] = {
    "precision": lambda c: _ratio(c.tp, c.tp + c.fp),
    "recall": lambda c: _ratio(c.tp, c.tp + c.fn),
    "specificity": lambda c: _ratio(c.tn, c.tn + c.fp),
    "fpr": lambda c: _ratio(c.fp, c.fp + c.tn),
    "fnr": lambda c: _ratio(c.fn, c.fn + c.tp),
    "npv": lambda c: _ratio(c.tn, c.tn + c.fn),
    "accuracy": lambda c: _ratio(c.tp + c.tn, sum(c)),
    "balanced_accuracy": balanced_accuracy,
    "f1": lambda c: _ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn),
    "fbeta(2)": lambda c: f_beta(c, 2),
    "fbeta(0.5)": lambda c: f_beta(c, 0.5),
    "mcc": mcc,
    "jaccard": lambda c: _ratio(c.tp, c.tp + c.fp + c.fn),
    "fdr": lambda c: _ratio(c.fp, c.tp + c.fp),
    "false_omission_rate": lambda c: _ratio(c.fn, c.tn + c.fn),
    "error_rate": lambda c: _ratio(c.fp + c.fn, sum(c)),
    "youden": lambda c: _difference(_share("recall", c), _share("fpr", c)),
    "markedness": lambda c: _difference(_share("precision", c), _share("false_omission_rate", c)),
    "cohen_kappa": cohen_kappa,
    "fowlkes_mallows": lambda c: _geometric(_share("precision", c), _share("recall", c)),
    "geometric_mean": lambda c: _geometric(_share("recall", c), _share("specificity", c)),
    "positive_likelihood_ratio": lambda c: _quotient(_share("recall", c), _share("fpr", c)),
    "negative_likelihood_ratio": lambda c: _quotient(_share("fnr", c), _share("specificity", c)),
    "diagnostic_odds_ratio": lambda c: _quotient(c.tp * c.tn, c.fp * c.fn),
    "lift": lambda c: _quotient(_share("precision", c), _share("prevalence", c)),
    "prevalence_threshold": prevalence_threshold,
    "prevalence": lambda c: _ratio(c.tp + c.fn, sum(c)),
    "predicted_positive_rate": lambda c: _ratio(c.tp + c.fp, sum(c)),
}
"""Measures of the four counts at one cut."""

RANKINGS: dict[str, Callable[..., Fraction | None]] = {
    "roc_auc": roc_auc,
    "average_precision": average_precision,
    "gini": gini,
    "ks": ks,
}
"""Measures of the whole ranking."""


def value(
    name: str,
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    at: Number | None = None,
) -> Value:
    """Any measure by name."""
    if name in RANKINGS:
        return RANKINGS[name](labels, scores, weights)
    assert at is not None, f"{name} needs a cut"
    return MEASURES[name](counts(labels, scores, at, weights))


def as_float(x: Value) -> float:
    """Nearest double, nan when undefined."""
    return math.nan if x is None else float(x)


# --- curves, areas of parts of them, and rates read off them ------------------------------------


class Vertex(NamedTuple):
    """Weight predicted positive at a point of the curves; the threshold is None for none."""

    threshold: Score
    tp: Fraction
    fp: Fraction


def vertices(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> list[Vertex]:
    """From nothing predicted through every distinct score to everything."""
    found = [Vertex(math.inf, Fraction(0), Fraction(0))]
    for t in thresholds(scores, weights):
        found.append(Vertex(t, *counts(labels, scores, t, weights)[:2]))
    everything = totals(labels, weights)
    if found[-1][1:] != everything:
        found.append(Vertex(None, *everything))
    return found


def height(points: Sequence[tuple[Fraction, Fraction]], x: Fraction) -> Fraction:
    """Upper height of a rising curve of straight pieces."""
    best = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1:
            best = max(best, y1 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return best


def _roc(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None
) -> list[tuple[Fraction, Fraction]] | None:
    n_pos, n_neg = totals(labels, weights)
    if not n_pos or not n_neg:
        return None
    return [(v.fp / n_neg, v.tp / n_pos) for v in vertices(labels, scores, weights)]


def partial_auc(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    fpr: tuple[Number, Number] = (0, 1),
    tpr: tuple[Number, Number] = (0, 1),
) -> Fraction | None:
    """Area of the box of rates that lies under the ROC curve: sums over every piece of it."""
    roc = _roc(labels, scores, weights)
    if roc is None:
        return None
    (left, right), (low, high) = (tuple(map(Fraction, band)) for band in (fpr, tpr))
    cuts = {left, right}
    for (x0, y0), (x1, y1) in pairwise(roc):
        cuts |= {x0, x1}
        cuts |= {x0 + (x1 - x0) * (y - y0) / (y1 - y0) for y in (low, high) if y0 < y < y1}
    xs = sorted(x for x in cuts if left <= x <= right)
    area = Fraction(0)
    for a, b in pairwise(xs):
        middle = min(max(height(roc, (a + b) / 2), low), high) - low
        area += (b - a) * middle
    return area


def pr_auc_linear(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    first: Fraction | None = None,
) -> Fraction | None:
    """Trapezoids between the points; left of the first one its own height, or from `first`."""
    n_pos, _ = totals(labels, weights)
    if not n_pos:
        return None
    points = [(v.tp / n_pos, v.tp / (v.tp + v.fp)) for v in vertices(labels, scores, weights)[1:]]
    points.insert(0, (Fraction(0), points[0][1] if first is None else first))
    pairs = pairwise(points)
    return sum(((r1 - r0) * (p0 + p1) / 2 for (r0, p0), (r1, p1) in pairs), Fraction(0))


def pr_auc_davis_goadrich(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Area where the counts of a step grow together, by its antiderivative in 60 digits.

    With t true positives, precision is t / (a t + b) on the way, whose integral is
    t / a - b / a^2 ln(a t + b).
    """
    n_pos, _ = totals(labels, weights)
    if not n_pos:
        return None
    area = Fraction(0)
    with localcontext() as context:
        context.prec = 60
        for before, after in pairwise(vertices(labels, scores, weights)):
            up, right = after.tp - before.tp, after.fp - before.fp
            if not up:
                continue
            a, b = 1 + right / up, before.fp - right / up * before.tp
            area += up / a
            ends = [
                Decimal(x.numerator) / x.denominator
                for x in (a * v.tp + b for v in (before, after))
            ]
            if b:
                area -= b / a**2 * Fraction((ends[1] / ends[0]).ln())
    return area / n_pos


def eer(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """The share of false positives where the ROC curve meets ``tpr = 1 - fpr``."""
    roc = _roc(labels, scores, weights)
    if roc is None:
        return None
    for (x0, y0), (x1, y1) in pairwise(roc):
        if x0 + y0 <= 1 <= x1 + y1:
            return x0 + (x1 - x0) * (1 - x0 - y0) / (x1 + y1 - x0 - y0)
    raise AssertionError("a curve from (0, 0) to (1, 1) meets it")


def break_even(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Recall where as much is predicted positive as there is."""
    n_pos, _ = totals(labels, weights)
    if not n_pos:
        return None
    path = vertices(labels, scores, weights)
    for a, b in pairwise(path):
        n0, n1 = a.tp + a.fp, b.tp + b.fp
        if n0 < n_pos <= n1:
            return (a.tp + (b.tp - a.tp) * (n_pos - n0) / (n1 - n0)) / n_pos
    raise AssertionError("all of them are at last")


def best_rate(
    rate: str,
    condition: str,
    limit: Number,
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
) -> tuple[Fraction, Score] | None:
    """Best rate over all thresholds, and none, that meet a condition; the highest threshold.

    Shares are rounded to floats before they are compared with the limit.
    """
    n_pos, n_neg = totals(labels, weights)
    if not n_pos or (not n_neg and {"fpr", "specificity"} & {rate, condition}):
        return None
    found: tuple[Fraction, Score] | None = None
    nothing = Counts(Fraction(0), Fraction(0), n_pos, n_neg)
    cuts = [(t, counts(labels, scores, t, weights)) for t in thresholds(scores, weights)]
    for t, c in [(math.inf, nothing), *cuts]:
        value, held = MEASURES[rate](c), MEASURES[condition](c)
        if value is None or held is None:
            continue
        meets = float(held) <= limit if condition == "fpr" else float(held) >= limit
        if meets and (found is None or value > found[0]):
            found = (Fraction(value), t)
    return found


def average_precision_at_prevalence(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    prevalence: Number = 0.5,
) -> Fraction | None:
    """Step sum of the precision that Bayes' rule gives from the two rates."""
    roc = _roc(labels, scores, weights)
    if roc is None:
        return None
    share = Fraction(prevalence)
    area = before = Fraction(0)
    for fpr, tpr in roc[1:]:
        area += (tpr - before) * tpr * share / (tpr * share + fpr * (1 - share))
        before = tpr
    return area


# --- probabilities ------------------------------------------------------------------------------


def _probabilities(scores: Sequence[Score], weights: Sequence[Number] | None) -> bool:
    w = [1] * len(scores) if weights is None else weights
    used = [s for s, x in zip(scores, w, strict=True) if x > 0]
    return bool(used) and all(not is_missing(s) and 0 <= s <= 1 for s in used)


def brier(
    labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Mean squared distance of probability and outcome; None if a score is no probability."""
    if not _probabilities(scores, weights):
        return None
    w = _weights(labels, weights)
    rows = [(bool(y), Fraction(s), x) for y, s, x in zip(labels, scores, w, strict=True) if x]
    return sum((x * (y - p) ** 2 for y, p, x in rows), Fraction(0)) / sum(w)


def log_loss(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    clip: float = 2.0**-52,
) -> Fraction | None:
    """Mean of minus the log of the probability of what came."""
    if not _probabilities(scores, weights):
        return None
    w = _weights(labels, weights)
    losses = []
    for y, s, x in zip(labels, scores, w, strict=True):
        if x:
            p = min(max(float(s), clip), 1 - clip)
            losses.append(float(x) * -(math.log(p) if y else math.log1p(-p)))
    return Fraction(math.fsum(losses)) / sum(w)


def bins(
    scores: Sequence[Score], weights: Sequence[Number] | None, n_bins: int, strategy: str
) -> list[int]:
    """Bin of each row: by the share of rows below it, or by the edge at or above it."""
    w = [Fraction(1)] * len(scores) if weights is None else [Fraction(x) for x in weights]
    found = []
    for s in scores:
        if strategy == "uniform":
            edges = [k * (1.0 / n_bins) for k in range(1, n_bins)]
            found.append(sum(s > edge for edge in edges))
        else:
            below = sum((x for t, x in zip(scores, w, strict=True) if t < s), Fraction(0))
            found.append(min(int(below * n_bins / sum(w)), n_bins - 1))
    return found


def calibration_gaps(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    n_bins: int = 10,
    strategy: str = "quantile",
) -> list[tuple[Fraction, Fraction, Fraction]] | None:
    """Weight, mean probability and share of positives of every bin that holds weight."""
    if not _probabilities(scores, weights):
        return None
    w = _weights(labels, weights)
    table = []
    place = bins(scores, weights, n_bins, strategy)
    for b in sorted(set(place)):
        rows = [i for i, k in enumerate(place) if k == b and w[i]]
        size = sum((w[i] for i in rows), Fraction(0))
        if size:
            mean = sum((w[i] * Fraction(scores[i]) for i in rows), Fraction(0)) / size
            table.append((size, mean, sum((w[i] for i in rows if labels[i]), Fraction(0)) / size))
    return table


def ece(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    n_bins: int = 10,
    strategy: str = "quantile",
) -> Fraction | None:
    """Mean distance of the two over the bins, by weight."""
    table = calibration_gaps(labels, scores, weights, n_bins, strategy)
    if table is None:
        return None
    return sum((n * abs(p - y) for n, p, y in table), Fraction(0)) / sum(n for n, _, _ in table)


def mce(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    n_bins: int = 10,
    strategy: str = "quantile",
) -> Fraction | None:
    """Largest distance of the two over the bins."""
    table = calibration_gaps(labels, scores, weights, n_bins, strategy)
    return None if table is None else max(abs(p - y) for _, p, y in table)


def _rate(rate: str, condition: str, limit: Number) -> Callable[..., Fraction | None]:
    def of(
        labels: Sequence[object], scores: Sequence[Score], weights: Sequence[Number] | None = None
    ) -> Fraction | None:
        found = best_rate(rate, condition, limit, labels, scores, weights)
        return None if found is None else found[0]

    return of


RANKINGS.update(
    {
        "partial_auc(fpr=(0.1, 0.4))": lambda y, s, w=None: partial_auc(y, s, w, fpr=(0.1, 0.4)),
        'pr_auc("davis_goadrich")': pr_auc_davis_goadrich,
        "eer": eer,
        "break_even": break_even,
        "recall_at_fpr(0.2)": _rate("recall", "fpr", 0.2),
        "recall_at_specificity(0.7)": _rate("recall", "specificity", 0.7),
        "specificity_at_recall(0.7)": _rate("specificity", "recall", 0.7),
        "recall_at_precision(0.4)": _rate("recall", "precision", 0.4),
        "precision_at_recall(0.6)": _rate("precision", "recall", 0.6),
        "average_precision_at_prevalence(0.01)": lambda y, s, w=None: (
            average_precision_at_prevalence(y, s, w, 0.01)
        ),
        "brier": brier,
        "log_loss": log_loss,
        "ece(4)": lambda y, s, w=None: ece(y, s, w, 4),
        'mce(4, "uniform")': lambda y, s, w=None: mce(y, s, w, 4, "uniform"),
    }
)


def top_of_the_list(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None,
    share: Fraction,
) -> tuple[Fraction, Fraction]:
    """Weight of the positives in the best-scored share of the rows, and of all in it.

    Of a tie group of which only a part fits, that part is taken of each of its rows.
    """
    n_pos, n_neg = totals(labels, weights)
    room = share * (n_pos + n_neg)
    before = (Fraction(0), Fraction(0))
    cuts = [counts(labels, scores, t, weights)[:2] for t in thresholds(scores, weights)]
    for tp, fp in [*cuts, (n_pos, n_neg)]:
        reached, there = sum(before), tp + fp
        if there >= room:
            part = _ratio(room - reached, there - reached) or 0
            return before[0] + part * (tp - before[0]), room
        before = (tp, fp)
    return before[0], room


def precision_at_k(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    share: str = "0.3",
) -> Fraction | None:
    return _ratio(*top_of_the_list(labels, scores, weights, Fraction(share)))


def recall_at_k(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    share: str = "0.3",
) -> Fraction | None:
    hits, _ = top_of_the_list(labels, scores, weights, Fraction(share))
    return _ratio(hits, totals(labels, weights)[0])


def lift_at_k(
    labels: Sequence[object],
    scores: Sequence[Score],
    weights: Sequence[Number] | None = None,
    share: str = "0.3",
) -> Fraction | None:
    n_pos, n_neg = totals(labels, weights)
    precision = precision_at_k(labels, scores, weights, share)
    prevalence = _ratio(n_pos, n_pos + n_neg)
    return None if not precision and not prevalence else _ratio(precision or 0, prevalence or 0)


RANKINGS.update(
    {
        "precision_at_k(fraction=0.3)": precision_at_k,
        "recall_at_k(fraction=0.3)": recall_at_k,
        "lift_at_k(fraction=0.3)": lift_at_k,
    }
)


def roc_distance(c: Counts) -> Value:
    """Length of the line from the ROC point to the corner of a perfect rule."""
    miss, alarm = _share("fnr", c), _share("fpr", c)
    if miss is None or alarm is None:
        return None
    return _root(Fraction(miss) ** 2 + Fraction(alarm) ** 2)


def expected_cost(c: Counts, cost_fp: Number, cost_fn: Number) -> Value:
    """Mean cost of a row."""
    return _ratio(Fraction(cost_fp) * c.fp + Fraction(cost_fn) * c.fn, sum(c))


MEASURES.update(
    {"roc_distance": roc_distance, "expected_cost(1, 5)": lambda c: expected_cost(c, 1, 5)}
)


def hand_till(labels: Sequence[object], scores: Mapping[object, Sequence[Score]]) -> Fraction:
    """Mean over pairs of classes of both AUC that tell one from the other (Hand and Till 2001)."""
    found = []
    for a, b in combinations(scores, 2):
        kept = [i for i, x in enumerate(labels) if x in (a, b)]
        for one in (a, b):
            area = roc_auc([labels[i] == one for i in kept], [scores[one][i] for i in kept])
            if area is not None:
                found.append(area)
    return Fraction(sum(found)) / len(found)
