"""compare(): models against a baseline on the same rows, or each on two data sets."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any, Literal

import numpy as np

from ._binomial import check_level
from ._bootstrap import read_size
from ._columns import Columns, resolve
from ._compare_question import DRAWING, Finding, Question, read_pairs, read_question
from ._compare_result import Comparison
from ._compare_text import FEW_RESAMPLES
from ._differences import METHODS, find_differences
from ._draws import read_seed
from ._engine import loops, resampling_rows
from ._other_columns import resolve_other
from ._panel import Panel, read_panel
from ._progress import reporting
from ._runtime import thread_count
from ._slots import coded
from ._tables import open_table
from ._types import AnyArray, EngineName, Missing, Progress
from ._validate import check_choice, check_flag
from ._verdicts import ADJUSTMENTS, adjust_p, resamples_needed, verdict_of

__all__ = ["Comparison", "compare"]

# Methods whose p-values come from replicates: at the least 1 / (their number and one).
LEAST = {"bootstrap": 1.0, "permutation": 1.0}


def compare(
    data: Any = None,
    *,
    label: Any,
    scores: Any,
    weight: Any = None,
    cluster: Any = None,
    baseline: str | None = None,
    metric: Any = "roc_auc",
    at: Any = None,
    other: Any = None,
    method: Literal["auto", "delong", "bootstrap", "jackknife", "permutation"] = "auto",
    adjust: Literal["holm", "bonferroni", "bh", "none"] = "holm",
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int | None = None,
    missing: Missing = "raise",
    pos_label: object = None,
    higher_is_better: bool = True,
    engine: EngineName = "auto",
    threads: int | None = None,
    progress: Progress = None,
) -> Comparison:
    """Compare models on the same rows, or each model on two data sets.

    Parameters
    ----------
    data : table or path(s), optional
        As in `ranktally.evaluate`; so are `label`, `scores` and `weight`.
    label : str or array-like, shape (n,)
    scores : str, list of str, dict, or array-like of shape (n,) or (n, m)
    weight : str or array-like, shape (n,), optional
        A row keeps its weight, whatever is drawn or swapped. Rows of weight 0 are left out.
    cluster : str or array-like, shape (n,), optional
        What is independent where rows are not, a customer or a day: drawn, or swapped, as a whole.
    baseline : str, optional
        The model that every other one is compared with. By default all pairs are compared, the
        later model of each against the earlier one.
    metric : str, callable(tp, fp, tn, fn), or a list or dict of these
        Names and calls of `ranktally.METRICS`, such as ``"partial_auc(fpr=(0, 0.1))"``. p-values
        of several metrics are adjusted together.
    at : float, optional
        The threshold of metrics that need one.
    other : table, path(s), or dict, optional
        A second data set of other rows: each model there is compared with itself in `data`, and
        the difference is `other` less `data`, as of this week and last. Where columns are named,
        it holds columns of the same names. Where arrays are given in place of `data`, it is a
        dict of arguments, ``{"label": ..., "scores": ...}``, with "weight" and "cluster" as there.
        ks, ece and mce are refused: they are larger in fewer rows, whatever the model.
    method : {"auto", "delong", "bootstrap", "jackknife", "permutation"}
        "auto" is "delong" for roc_auc and gini without clusters, else "bootstrap" (percentile
        intervals, as of `ranktally.bootstrap`). "jackknife" is for metrics that are smooth in the
        rows' weights. "permutation" swaps, for each row with probability one half, the ranks that
        it has within each of two models, or at a threshold their decisions; it gives no interval,
        and is for one data set and metrics of ranks.
    adjust : {"holm", "bonferroni", "bh", "none"}
        How p-values are adjusted for their number; "bh" is Benjamini and Hochberg's, which bounds
        the share of false verdicts rather than the chance of any.
    level : float
        Of the intervals, which are not adjusted; verdicts need an adjusted p below ``1 - level``.
    n_resamples : int
        Replicates of "bootstrap" and "permutation".
    seed : int, optional
        From 0 to 2**64 - 1; None takes one from the operating system. The result tells it.
    missing : {"raise", "omit", "worst"}
        "omit" leaves out the rows in which the label or any model's score is missing; "worst"
        ranks missing scores last, which "permutation" does for roc_auc, gini and metrics at a
        threshold alone.
    pos_label, higher_is_better, engine, threads
        As in `ranktally.evaluate`.
    progress : bool or callable(done, total), optional
        Called after each batch of replicates.

    Returns
    -------
    Comparison
        A row a pair of models and metric, with `value`, `baseline_value`, their `difference`, its
        interval, `p`, `p_adjusted` and a `verdict`: "better" or "worse" ("higher" or "lower" for a
        metric without a better side), "no difference shown", or "undefined".

    Raises
    ------
    InputError
        If an argument, column or row cannot be used, or a method does not fit a metric.

    Notes
    -----
    A verdict needs something that varies. It is "undefined", and p nan, where a class that the
    metric needs has a single row or lies in a single cluster (status "one_positive",
    "one_negative", "one_row", "one_cluster"), where the models differ by the same amount in every
    replicate ("zero_variance"; at a difference of 0 p is 1), and of fewer than 10 clusters
    ("too_few_clusters": the interval stays) but by "permutation". On two data sets this holds for
    either. With too few replicates for any verdict among so many comparisons a note says so, and
    ``summary["n_resamples_needed"]`` how many there would have to be.

    On one data set comparisons are paired: every model sees the same rows, and the same draws.
    "No difference shown" is not a proof of equality; the interval says how large a difference the
    rows leave open.

    A permutation tests that the two models' ranks could be exchanged row by row. Scores themselves
    are never swapped: a probability and a margin are on different scales, and swapping them would
    test that. p is ``(count + 1) / (n_resamples + 1)``, of replicates whose difference is at least
    as large as the one found in absolute value; where sums are not whole numbers, two differences
    count as equal within a share of 1e-12 of the larger value. A replicate of a pair takes O(n)
    time, without a sort.

    On two data sets variances add, and bootstrap draws are independent: those of `data` are those
    of `seed`, those of `other` of ``seed ^ 2**63``.

    References
    ----------
    S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal
    of Statistics 6.

    A. I. Bandos, H. E. Rockette and D. Gur (2005), A permutation test sensitive to differences in
    areas for comparing ROC curves from a paired design, Statistics in Medicine 24.

    Examples
    --------
    >>> import ranktally as rt
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> models = {"a": [0.9, 0.8, 0.4, 0.5, 0.3, 0.1], "b": [0.7, 0.45, 0.3, 0.6, 0.35, 0.2]}
    >>> result = rt.compare(label=y, scores=models, baseline="a")
    >>> row = result.row("b")
    >>> round(row["difference"], 4), round(row["p"], 4), row["verdict"]
    (-0.2222, 0.1573, 'no difference shown')
    """
    begin = time.perf_counter()
    check_choice("method", method, ("auto", *METHODS))
    check_choice("adjust", adjust, ADJUSTMENTS)
    check_choice("missing", missing, ("raise", "omit", "worst"))
    check_flag("higher_is_better", higher_is_better)
    level, n_resamples = check_level(level), read_size(n_resamples)
    seed, workers = read_seed(seed), thread_count(threads)
    paired = other is None
    requests, cuts, methods = read_question(
        metric, at, method, clustered=cluster is not None, paired=paired, missing=missing
    )
    names = {"label": label, "scores": scores, "weight": weight, "cluster": cluster}
    sources = [data] if paired else [data, other]
    tables = [_opened(source) for source in sources]
    columns = resolve(tables[0], **names, threads=workers)
    models = tuple(column.name for column in columns.scores)
    pairs = read_pairs(models, baseline, paired=paired)
    sets = [(columns, read_panel(columns, pos_label, higher_is_better, missing, workers))]
    if not paired:
        there = resolve_other(tables[0], tables[1], names, models, workers)
        sets.append((there, read_panel(there, pos_label, higher_is_better, missing, workers)))
    drawn = any(chosen in DRAWING for chosen in methods)
    rows = sum(p.samples[0].n for _, p in sets)
    work = resampling_rows(rows, len(models), n_resamples) if drawn else rows * len(models)
    with reporting(progress) as report:
        question = Question(
            panel=sets[0][1],
            other=None if paired else sets[1][1],
            pairs=pairs,
            requests=requests,
            cuts=cuts,
            level=level,
            n_resamples=n_resamples,
            seed=seed,
            loops=loops(engine, work),
            threads=workers,
            progress=report,
        )
        found = [x for row in find_differences(question, methods) for x in row]
    needed = _resamples_needed(question, found, methods, adjust)
    if needed is not None:
        found = _with_note(found, methods, FEW_RESAMPLES)
    table = _tidy(question, found, adjust)
    summary = {
        "paired": paired,
        "methods": {r.label: chosen for r, chosen in zip(requests, methods, strict=True)},
        "adjust": adjust,
        "level": level,
        "n_comparisons": int(np.count_nonzero(~np.isnan(table["p"]))),
        "n_resamples": n_resamples if drawn else None,
        "n_resamples_needed": needed,
        "seed": seed if drawn else None,
        "label": columns.label.name,
        "pos_label": 1 if pos_label is None else pos_label,
        "weight": columns.weight.name if columns.weight else None,
        "cluster": columns.cluster.name if columns.cluster else None,
        "n_models": len(models),
        **_sizes(*sets[-1], ""),
        **({} if paired else {**_sizes(*sets[0], "baseline_"), **_origins(sources, tables)}),
        "seconds": time.perf_counter() - begin,
    }
    return Comparison(table, summary, {r.label: r.metric.direction for r in requests})


# -- data sets -------------------------------------------------------------------------------------


def _opened(source: Any) -> Any:
    """Open paths, of which the files can then be told; all else is taken as it is."""
    is_list = isinstance(source, (list, tuple)) and bool(source)
    paths = source if is_list else [source]
    return open_table(source) if all(isinstance(x, (str, os.PathLike)) for x in paths) else source


def _origins(sources: Sequence[Any], tables: Sequence[Any]) -> dict[str, Any]:
    """Which data set is which, and how many files are in both."""
    named = [os.fspath(x) if isinstance(x, (str, os.PathLike)) else None for x in sources]
    files = [{os.path.realpath(path) for path in getattr(x, "paths", ())} for x in tables]
    return {
        "value_data": named[1],
        "baseline_data": named[0],
        "n_shared_files": len(files[0] & files[1]),
    }


def _sizes(columns: Columns, panel: Panel, side: str) -> dict[str, Any]:
    first = panel.samples[0]
    n_pos = int(np.count_nonzero(first.label))
    sizes = {
        "n_files": columns.n_files,
        "n_rows": columns.n_rows,
        "n_common_rows": first.n_rows,
        "n_used": first.n,
        "n_pos": n_pos,
        "n_neg": first.n - n_pos,
        "prevalence": n_pos / first.n,
        "n_clusters": None if panel.cluster is None else panel.n_clusters,
    }
    return {f"{side}{name}": size for name, size in sizes.items()}


# -- rows ------------------------------------------------------------------------------------------


def _resamples_needed(
    question: Question, found: Sequence[Finding], methods: Sequence[str], adjust: str
) -> int | None:
    """How many replicates a verdict takes, where there are fewer and the models differ at all."""
    least = [
        LEAST.get(method, np.nan) if x.difference else np.nan
        for x, method in zip(found, cycle(methods), strict=False)
    ]
    p = np.asarray([x.p for x in found], np.float64)
    return resamples_needed(p, np.asarray(least), question.n_resamples, question.level, adjust)


def _with_note(found: Sequence[Finding], methods: Sequence[str], note: str) -> list[Finding]:
    """Note it of all differences that come from replicates."""
    return [
        replace(x, note=f"{x.note}, {note}".removeprefix(", "))
        if method in DRAWING and x.difference and not np.isnan(x.p)
        else x
        for x, method in zip(found, cycle(methods), strict=False)
    ]


def _tidy(question: Question, found: Sequence[Finding], adjust: str) -> dict[str, Any]:
    requests, level = question.requests, question.level
    cells = [(i, j, r) for i, j in question.pairs for r in requests]
    names = question.panel.names
    cuts = [question.cut(r) for _, _, r in cells]
    p = np.asarray([x.p for x in found], np.float64)
    adjusted = adjust_p(p, adjust)
    verdicts = [
        verdict_of(x.difference, share, level, r.metric.direction)
        for x, share, (_, _, r) in zip(found, adjusted.tolist(), cells, strict=True)
    ]
    count = len(cells)
    columns = {
        "model": coded([names[i] for i, _, _ in cells]),
        "baseline": coded([names[j] for _, j, _ in cells]),
        "metric": coded([r.label for _, _, r in cells]),
        "threshold": np.asarray([np.nan if cut is None else cut for cut in cuts], np.float64),
        "value": np.asarray([x.value for x in found]),
        "baseline_value": np.asarray([x.baseline_value for x in found]),
        "difference": np.asarray([x.difference for x in found]),
        "low": np.asarray([x.low for x in found]),
        "high": np.asarray([x.high for x in found]),
        "interval": coded([x.interval for x in found]),
        "level": np.full(count, level),
        "p": p,
        "p_adjusted": adjusted,
        "verdict": coded(verdicts),
        **_totals(question.panels[-1], count, ""),
    }
    if question.other is not None:
        columns |= _totals(question.panel, count, "baseline_")
    columns["status"] = coded([x.status for x in found])
    columns["note"] = coded([x.note for x in found])
    return columns


def _totals(panel: Panel, count: int, side: str) -> dict[str, AnyArray]:
    """Rows of each class, or their weight, in every row of the result."""
    sample = panel.samples[0]
    positive = sample.label != 0
    weight = sample.weight if sample.count is None else sample.count
    n_pos, n_neg = (
        (np.count_nonzero(mine) if weight is None else weight[mine].sum())
        for mine in (positive, ~positive)
    )
    kind = np.int64 if weight is None else np.float64
    values = {"n": n_pos + n_neg, "n_pos": n_pos, "n_neg": n_neg}
    return {f"{side}{name}": np.full(count, x, kind) for name, x in values.items()}
