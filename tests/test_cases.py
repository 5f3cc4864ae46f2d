"""The worked examples, each under its id, and the books that show none was left out."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pytest
import test_faults
from cases import FAULTS, PARTLY, TABLES, WAITING, WAITS_FOR, WORKED, number, spelled

import ranktally as rt
from ranktally._binomial import clopper_pearson


def agrees(got: Any, expected: Any, *, abs_: float = 1e-15) -> None:
    assert float(got) == pytest.approx(number(expected), abs=abs_, nan_ok=True)


def counts_tally(tp: int, fp: int, fn: int, tn: int, **_: Any) -> rt.Tally:
    return rt.Tally.from_counts([1, 0], [tp, fn], [fp, tn])


def tally_of(inputs: dict[str, Any], engine: str) -> rt.Tally:
    labels, scores = spelled(inputs)
    gaps = "worst" if None in scores else "raise"
    return rt.tally(labels, scores, missing=gaps, engine=engine)


ATTRIBUTES = {"tp", "fp", "fn", "tn", "precision", "recall", "specificity", "npv", "fpr",
              "accuracy", "f1", "prevalence"}  # fmt: skip
FOLLOWING = {
    "selected_ids", "predictions", "display_precision", "positives", "negatives",
    "always_negative_accuracy", "precision_zero_division_0", "never_alert_accuracy",
    "never_alert_recall", "never_alert_precision",
    "confusion_matrix_rows_true_cols_pred_labels01", "ravel_tn_fp_fn_tp",
}  # fmt: skip
"""Keys that restate the counts in another form, or that only a display shows."""


def check_cut(cut: Any, expected: dict[str, Any]) -> None:
    checked = 0
    for key, value in expected.items():
        if key in ATTRIBUTES:
            agrees(getattr(cut, key), value)
            checked += 1
    assert checked
    if "ravel_tn_fp_fn_tp" in expected:
        assert [cut.tn, cut.fp, cut.fn, cut.tp] == expected["ravel_tn_fp_fn_tp"]
        matrix = [[cut.tn, cut.fp], [cut.fn, cut.tp]]
        assert matrix == expected["confusion_matrix_rows_true_cols_pred_labels01"]
    assert set(expected) <= ATTRIBUTES | FOLLOWING | {"threshold"}, expected.keys()


def metrics_from_counts(case: dict[str, Any], engine: str) -> None:
    check_cut(counts_tally(**case["inputs"]).at(1), case["expected"])
    check_cut(rt.Confusion.from_counts(**case["inputs"]), case["expected"])


def metrics_at_threshold(case: dict[str, Any], engine: str) -> None:
    inputs, expected = case["inputs"], case["expected"]
    t = tally_of(inputs, engine)
    check_cut(t.at(inputs["threshold"]), expected)
    if "selected_ids" in expected:
        _, scores = spelled(inputs)
        chosen = [i for i, s in enumerate(scores, 1) if s >= inputs["threshold"]]
        assert chosen == expected["selected_ids"]
    if "positives" in expected:
        assert (t.n_pos, t.n_neg) == (expected["positives"], expected["negatives"])


def roc_curve(case: dict[str, Any], engine: str) -> None:
    curve = tally_of(case["inputs"], engine).roc_curve()
    points = case["expected"]["points_fpr_tpr"]
    assert curve.x.tolist() == [number(x) for x, _ in points]
    assert curve.y.tolist() == [number(y) for _, y in points]
    assert curve.threshold.tolist() == [float(t) for t in case["expected"]["thresholds"]]


def ranking(case: dict[str, Any], engine: str) -> None:
    """Areas, points and limits of a ranking, whichever the case states."""
    inputs, expected = case["inputs"], case["expected"]
    t = tally_of(inputs, engine)
    checked = 0
    for keys, got in (
        (("auc", "roc_auc", "pairwise", "trapezoid_of_roc"), t.roc_auc()),
        (("ap",), t.average_precision()),
    ):
        for key in keys:
            if key in expected:
                agrees(got, expected[key])
                checked += 1
    assert checked
    if "pr_points_recall_precision" in expected:
        curve = t.pr_curve()
        points = expected["pr_points_recall_precision"]
        assert list(zip(curve.x.tolist(), curve.y.tolist(), strict=True)) == [
            (number(x), number(y)) for x, y in points
        ]
    if "roc_points" in expected:
        curve = t.roc_curve()
        assert list(zip(curve.x.tolist(), curve.y.tolist(), strict=True)) == [
            (number(x), number(y)) for x, y in expected["roc_points"]
        ]
    if "trapezoid_pr_area_with_endpoint" in expected:
        agrees(t.pr_auc("linear", start="one"), expected["trapezoid_pr_area_with_endpoint"])
    if "roc_first5_fpr_tpr_drop_intermediate" in expected:
        wanted = [tuple(p) for p in expected["roc_first5_fpr_tpr_drop_intermediate"]]
        full, short = (
            list(zip(c.x.tolist(), c.y.tolist(), strict=True))
            for c in (t.roc_curve(), t.roc_curve().reduce())
        )
        assert set(wanted) <= set(full)
        # the tool behind the file keeps one straight point after the origin
        corners = [p for p in wanted if p in short or p != wanted[1]]
        assert short[: len(corners)] == corners
    if "pr_first5_recall_precision_ascending_threshold" in expected:
        curve = t.pr_curve()
        five = list(zip(curve.x[:-6:-1].tolist(), curve.y[:-6:-1].tolist(), strict=True))
        wanted = expected["pr_first5_recall_precision_ascending_threshold"]
        np.testing.assert_allclose(five, wanted, rtol=1e-15)
    if "recall" in expected:
        agrees(t.at(0.2).recall, expected["recall"])


def baseline_accuracy(case: dict[str, Any], engine: str) -> None:
    y = TABLES[case["inputs"]["data"]]["labels"]
    s = TABLES[case["inputs"]["data"]]["model_A"]
    result = rt.evaluate(
        label=y, scores=s, metrics=["accuracy", "prevalence"], at=0.7, engine=engine
    )
    agrees(result.value("score", "prevalence"), case["expected"]["prevalence"])
    row = next(r for r in result.to_dict() if r["metric"] == "accuracy")
    agrees(row["baseline"], case["expected"]["majority_rule_accuracy"])


def identity(case: dict[str, Any], engine: str) -> None:
    c = counts_tally(**case["inputs"]["counts"]).at(1)
    parts = c.prevalence * c.recall + (1 - c.prevalence) * c.specificity
    agrees(parts, case["expected"]["pi*sens+(1-pi)*spec"])
    agrees(c.accuracy, case["expected"]["pi*sens+(1-pi)*spec"])


def f_from_rates(case: dict[str, Any], engine: str) -> None:
    c = counts_tally(tp=1, fp=2, fn=1, tn=6).at(1)
    agrees(c.precision, {"frac": case["inputs"]["precision"]})
    agrees(c.recall, {"frac": case["inputs"]["recall"]})
    agrees(c.fbeta(case["inputs"]["beta"]), case["expected"]["f"])


def compare_models(case: dict[str, Any], engine: str) -> None:
    table = TABLES[case["inputs"]["data"]]
    models = {name: table[name] for name in ("model_A", "model_B")}
    result = rt.evaluate(label=table["labels"], scores=models, engine=engine)
    for metric, key in (("roc_auc", "larger_auc"), ("average_precision", "larger_ap")):
        assert max(models, key=lambda m: result.value(m, metric)) == case["expected"][key]


def counts_from_totals(case: dict[str, Any], engine: str) -> None:
    i = case["inputs"]
    c = rt.Confusion.from_totals(
        n=i["n"], positives=i["actual_positives"], predicted=i["predicted_positives"],
        tp=i["true_positives"],
    )  # fmt: skip
    check_cut(c, case["expected"])
    t = counts_tally(tp=c.tp, fp=c.fp, fn=c.fn, tn=c.tn)
    agrees(t.at(2).accuracy, case["expected"]["never_alert_accuracy"])
    agrees(t.at(2).recall, case["expected"]["never_alert_recall"])


def confusion_matrix(case: dict[str, Any], engine: str) -> None:
    i = case["inputs"]
    truth, decisions = i["y_true"], i["y_pred"]
    if isinstance(truth, str):
        truth = [1.0] * 12 + [0.0] * 88
        decisions = [1] * 8 + [0] * 4 + [1] * 2 + [0] * 86
    c = rt.tally(truth, decisions, engine=engine).at(1)
    assert [[c.tn, c.fp], [c.fn, c.tp]] == case["expected"]["matrix"]
    for key in ("precision", "recall", "f1"):
        if key in case["expected"]:
            agrees(getattr(c, key), case["expected"][key])


def precision_recall_arrays(case: dict[str, Any], engine: str) -> None:
    """The array form of other tools is ours backwards with an end point put on."""
    curve = tally_of(case["inputs"], engine).pr_curve()
    expected = case["expected"]
    assert [*curve.y[::-1].tolist(), 1.0] == [number(x) for x in expected["precision"]]
    assert [*curve.x[::-1].tolist(), 0.0] == [number(x) for x in expected["recall"]]


def pr_points(case: dict[str, Any], engine: str) -> None:
    curve = tally_of(case["inputs"], engine).pr_curve()
    expected = case["expected"]
    assert curve.y.tolist() == [number(x) for x in expected["precision_as_threshold_falls"]]
    assert curve.x.tolist() == [number(x) for x in expected["recall_as_threshold_falls"]]


def threshold_table(case: dict[str, Any], engine: str) -> None:
    cuts = tally_of(case["inputs"], engine).at(case["inputs"]["thresholds"])
    for k, row in enumerate(case["expected"]["rows"]):
        assert set(row) <= ATTRIBUTES | {"threshold"}
        for key, value in row.items():
            agrees(getattr(cuts, key)[k], value)


def f_beta(case: dict[str, Any], engine: str) -> None:
    i, expected = case["inputs"], case["expected"]
    c = counts_tally(tp=i["tp"], fp=i["fp"], fn=i["fn"], tn=0).at(1)
    agrees(c.fbeta(float(i["beta"])), expected["f"])
    agrees(1 - c.fbeta(float(i["beta"])), expected["effectiveness_E"])


def losses(case: dict[str, Any], engine: str) -> None:
    i, expected = case["inputs"], case["expected"]
    t = rt.tally(i["labels"], i["probabilities"], engine=engine)
    found = {
        "auc": t.roc_auc(),
        "ap": t.average_precision(),
        "brier": t.brier(),
        "log_loss": t.log_loss(),
    }
    assert set(expected) <= set(found)
    for key, value in expected.items():
        agrees(found[key], value)


def trapezoid_pr_area(case: dict[str, Any], engine: str) -> None:
    t = tally_of(case["inputs"], engine)
    agrees(t.pr_auc("linear", start="one"), case["expected"]["area"])
    agrees(t.average_precision(), case["expected"]["ap"])


def folds(case: dict[str, Any], engine: str) -> None:
    parts = case["inputs"]["folds"]
    tallies = [rt.tally(p["labels"], p["scores"], engine=engine) for p in parts]
    agrees(sum(t.roc_auc() for t in tallies) / 2, case["expected"]["mean_of_fold_auc"])
    agrees(tallies[0].merge(tallies[1]).roc_auc(), case["expected"]["pooled_auc"])


def dice(case: dict[str, Any], engine: str) -> None:
    c = counts_tally(**case["inputs"], tn=0).at(1)
    agrees(c.f1, case["expected"]["dice"])
    agrees(c.jaccard, case["expected"]["iou"])


def bayes(case: dict[str, Any], engine: str) -> None:
    i = case["inputs"]
    tpr, fpr = Fraction(i["tpr"]), Fraction(i["fpr"])
    c = rt.Confusion.from_counts(
        tp=tpr.numerator, fn=tpr.denominator - tpr.numerator,
        fp=fpr.numerator, tn=fpr.denominator - fpr.numerator,
    )  # fmt: skip
    there = c.at_prevalence(float(Fraction(i["prevalence"])))
    agrees(there.precision, case["expected"]["precision"])
    assert there.recall == float(tpr)


def cost_threshold(case: dict[str, Any], engine: str) -> None:
    i = case["inputs"]
    agrees(rt.cost_threshold(i["c_fp"], i["c_fn"]), case["expected"]["threshold"])


def expected_cost(case: dict[str, Any], engine: str) -> None:
    i = dict(case["inputs"])
    costs = i.pop("c_fp"), i.pop("c_fn")
    c = rt.Confusion.from_counts(**i)
    agrees(c.cost(*costs), case["expected"]["total"])
    agrees(c.cost(*costs, per_row=True), case["expected"]["per_case"])


def threshold_for_recall(case: dict[str, Any], engine: str) -> None:
    expected = case["expected"]
    where = f"recall >= {case['inputs']['target']}"
    t = tally_of(case["inputs"], engine)
    point = t.best("precision", where=where)
    if "error" in expected:  # told, not raised
        assert point.status == "unreachable"
        assert "no positives" in point.note
        return
    assert point.threshold == expected["threshold"]
    check_cut(point, expected)
    if "val_labels" in case["inputs"].values():
        table = TABLES[case["inputs"]["data"]]
        held = rt.tally(table["test_labels"], table["test_scores"], engine=engine)
        chosen = rt.select_threshold(t, held, metric="precision", where=where)
        report = WORKED[f"test-report-{case['inputs']['data']}-tuned"]["expected"]
        check_cut(chosen.test, report)
        assert chosen.holds_on_test is (number(report["recall"]) >= 0.95)


def best_f1(case: dict[str, Any], engine: str) -> None:
    point = tally_of(case["inputs"], engine).best("f1")
    agrees(point.threshold, case["expected"]["threshold"])
    check_cut(point, case["expected"])
    agrees(point.value, case["expected"]["f1"])
    assert point.selected_on_same_data


def best_f1_over_splits(case: dict[str, Any], engine: str) -> None:
    """Digit 3 against the others by the difference of mean images, ten splits."""
    data = pytest.importorskip("sklearn.datasets").load_digits()
    images, threes = data.data / 16, data.target == 3
    found = []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(threes))
        train, test = order[:1000], order[1000:]
        of_three, of_others = (images[train][threes[train] == k].mean(axis=0) for k in (1, 0))
        score = images[test] @ (of_three - of_others)
        found.append(rt.tally(threes[test], score, engine=engine).best("f1").value)
    for got, key in ((min(found), "min"), (max(found), "max")):
        agrees(got, case["expected"][key], abs_=5e-5)


def digits_program(case: dict[str, Any], engine: str) -> None:
    """What the program prints, byte for byte."""
    table = TABLES["digits_is3"]
    t = rt.tally(table["labels"], table["scores"], engine=engine)
    c, best = t.at(1.0), t.best("f1")
    keep = table["balanced_keep"]
    half = rt.tally(*(np.asarray(table[x])[keep] for x in ("labels", "scores")), engine=engine)
    even = half.at(1.0)
    cuts = t.at([0.0, 0.5, 1.0, 1.5, 2.0, 2.5])
    rows = zip(cuts.threshold, cuts.precision, cuts.recall, cuts.fpr, strict=True)
    lines = [
        f"{t.n_pos} positives, {t.n_neg} negatives; threshold {c.threshold}",
        f"TP={c.tp} FP={c.fp} FN={c.fn} TN={c.tn}",
        f"precision {c.precision:.3f}  recall {c.recall:.3f}  specificity {c.specificity:.3f}"
        f"  accuracy {c.accuracy:.3f}",
        "",
        "  thr  precision  recall    FPR",
        *(f"{a:5.1f} {p:10.3f} {r:7.3f} {f:7.3f}" for a, p, r, f in rows),
        "",
        f"best F1 {best.f1:.3f} at threshold {best.threshold:.2f}: precision "
        f"{best.precision:.3f}, recall {best.recall:.3f}, FPR {best.fpr:.3f}",
        f"balanced 1:1 test set: precision {even.precision:.3f}, recall {even.recall:.3f}, "
        f"FPR {even.fpr:.3f}",
        "",
    ]
    assert "\n".join(lines) == case["printed_output"]


def precision_at_k(case: dict[str, Any], engine: str) -> None:
    i, expected = case["inputs"], case["expected"]
    t, k = tally_of(i, engine), i["k"]
    if "precision" in expected:
        agrees(t.top(k).precision_at_k, expected["precision"])
        agrees(t.top(k).recall_at_k, expected["recall"])
        agrees(rt.top_k(*spelled(i), k).precision_at_k, expected["precision"])
        return
    for ties in ("optimistic", "pessimistic"):
        agrees(t.top(k, ties=ties).precision_at_k, expected[ties])
    agrees(t.top(k).precision_at_k, expected["expected_under_random_order"])
    agrees(t.top(k).recall_at_k, expected["recall_expected"])
    agrees(rt.top_k(*spelled(i), k).precision_at_k, expected["stable_input_order"])
    admitted = t.top(k, ties="threshold")
    assert admitted.n_selected == expected["threshold_admits"]
    agrees(admitted.precision_at_k, expected["precision_if_all_ties_admitted"])
    agrees(admitted.recall_at_k, expected["recall_if_all_ties_admitted"])


SUMMARIES = {"accuracy", "micro avg"}


def report_of(inputs: dict[str, Any], **options: Any) -> rt.Report:
    table = TABLES[inputs["data"]]
    return rt.classification_report(
        label=table[inputs.get("labels", "labels")],
        scores=table[inputs.get("scores", "scores")],
        at=inputs.get("at", inputs.get("threshold")),
        **options,
    )


def classification_report(case: dict[str, Any], engine: str) -> None:
    i, expected = case["inputs"], case["expected"]
    report = report_of(i, zero_division=i["zero_division"])
    cells = report.to_dict()
    there = SUMMARIES & set(cells)
    assert there == {expected["summary_row"].partition(" (")[0]}
    for row in expected.get("rows", ()):
        if row["row"] == "accuracy":
            agrees(cells["accuracy"], row["f1"])
            continue
        got = cells[row["row"]]
        assert got["support"] == row["support"]
        for key in ("precision", "recall", "f1"):
            agrees(got[key], row[key])
    for k, counts in enumerate(expected.get("counts", {}).values()):
        for key, value in counts.items():
            assert getattr(report.counts, key)[k] == value
    if "tp" in expected:
        assert [getattr(report.counts, x)[1] for x in ("tp", "fp", "fn", "tn")] == [
            expected[x] for x in ("tp", "fp", "fn", "tn")
        ]
    if "printed_output" in case:  # in the layout of scikit-learn
        from ranktally import metrics

        labels, scores = spelled(i)
        decisions = [int(s >= i["threshold"]) for s in scores]
        labels = [int(y) for y in labels]
        assert (
            metrics.classification_report(labels, decisions, zero_division=0)
            == (case["printed_output"])
        )
        numbers = [line.split()[-4:] for line in case["printed_output"].splitlines()[2:4]]
        assert [line.split()[-4:] for line in str(report).splitlines()[3:5]] == numbers


def report_text(case: dict[str, Any], engine: str) -> None:
    assert str(report_of(case["inputs"])) == case["printed_output"]


def report_cell(case: dict[str, Any], engine: str) -> None:
    i, expected = case["inputs"], case["expected"]
    arrays = {"label": i["y_true"], "predictions": i["y_pred"]}
    cells = {
        "default": rt.classification_report(**arrays).to_dict()[str(i["class"])],
        "na": rt.classification_report(**arrays, zero_division=math.nan).to_dict()[str(i["class"])],
    }
    for key, value in expected.items():
        measure, _, policy = key.partition("_")
        agrees(cells[policy or "na"][measure], value)


def multiclass_report(case: dict[str, Any], engine: str) -> None:
    i, expected = case["inputs"], case["expected"]
    report = rt.classification_report(label=i["y_true"], predictions=i["y_pred"])
    cells = report.to_dict()
    for name, row in zip("012", expected["per_class"], strict=True):
        assert cells[name]["support"] == row["support"]
        for key in ("precision", "recall", "f1"):
            agrees(cells[name][key], row[key])
    agrees(cells["accuracy"], expected["accuracy"])
    for average in ("macro", "weighted"):
        got = cells[f"{average} avg"]
        for key, value in zip(("precision", "recall", "f1"), expected[average], strict=True):
            agrees(got[key], value)
    indicators = [[[int(x == k) for k in range(3)] for x in i[y]] for y in ("y_true", "y_pred")]
    pooled = rt.classification_report(label=indicators[0], predictions=indicators[1]).to_dict()
    for key in ("precision", "recall", "f1"):
        agrees(pooled["micro avg"][key], expected["micro_precision_recall_f1"])
    got = cells["weighted avg"]
    mean = 2 * got["precision"] * got["recall"] / (got["precision"] + got["recall"])
    agrees(mean, expected["f1_of_weighted_p_r"])


def classes_per_row(case: dict[str, Any], engine: str) -> None:
    expected = {int(k): count for k, count in case["expected"].items()}
    assert report_of(case["inputs"]).classes_per_row == expected


def binomial_interval(case: dict[str, Any], engine: str) -> None:
    inputs, expected = case["inputs"], case["expected"]
    pytest.importorskip("scipy")
    assert inputs["method"] == "Clopper-Pearson"
    ends = clopper_pearson(inputs["successes"], inputs["n"], inputs["level"])
    for end, name in zip(ends, ("low", "high"), strict=True):
        agrees(end, expected[name], abs_=expected[name]["tol"])


OPERATIONS: dict[str, Callable[[dict[str, Any], str], None]] = {
    "average_precision": ranking,
    "aggregate_folds": folds,
    "baseline_accuracy": baseline_accuracy,
    "binomial_interval": binomial_interval,
    "best_f1_range": best_f1_over_splits,
    "best_f1_threshold": best_f1,
    "classification_report": classification_report,
    "classification_report_cell": report_cell,
    "compare_models": compare_models,
    "confusion_matrix": confusion_matrix,
    "cost_threshold": cost_threshold,
    "count_positive_classes": classes_per_row,
    "counts_from_totals": counts_from_totals,
    "dice": dice,
    "expected_cost": expected_cost,
    "f1": metrics_from_counts,
    "f_beta": f_beta,
    "f_beta_from_precision_recall": f_from_rates,
    "identity": identity,
    "metrics_at_threshold": metrics_at_threshold,
    "metrics_from_counts": metrics_from_counts,
    "multiclass_report": multiclass_report,
    "pr_points": pr_points,
    "precision_at_k": precision_at_k,
    "precision_at_prevalence": bayes,
    "precision_recall_curve": precision_recall_arrays,
    "printed_output": digits_program,
    "probability_losses": losses,
    "ranking_summaries": ranking,
    "report_text": report_text,
    "roc_auc": ranking,
    "roc_curve": roc_curve,
    "threshold_for_recall": threshold_for_recall,
    "threshold_table": threshold_table,
    "trapezoid_pr_area": trapezoid_pr_area,
}


@pytest.mark.parametrize("case", [k for k in WORKED if k not in WAITING])
def test_worked_example(engine, case):
    OPERATIONS[WORKED[case]["operation"]](WORKED[case], engine)


# --- nothing left out, nothing stale ----------------------------------------------------------


def test_every_case_runs_or_waits():
    runnable = {k for k, c in WORKED.items() if k not in WAITING}
    unknown = {k for k in runnable if WORKED[k]["operation"] not in OPERATIONS}
    assert not unknown, unknown
    faults = set(FAULTS) - set(WAITING)
    assert faults - test_faults.IDS == set()
    assert len(WORKED) == 108
    assert len(FAULTS) == 111


def test_no_waiting_case_is_stale():
    everything = set(WORKED) | set(FAULTS)
    assert set(WAITING) <= everything
    assert set(PARTLY) <= everything
    assert not set(WAITING) & set(PARTLY)
    assert not set(WAITING) & test_faults.IDS


@pytest.mark.parametrize("reason", WAITS_FOR)
def test_what_is_waited_for_is_not_there_yet(reason):
    """When it arrives, this test says which cases to release."""
    owner: Any = rt
    for part in WAITS_FOR[reason].split("."):
        owner = getattr(owner, part, None)
    held = [k for k, why in {**WAITING, **PARTLY}.items() if reason in why]
    assert held, f"nothing waits for {reason}"
    assert owner is None, f"{reason} is there: release {held}"


def test_fractions_of_the_file_are_those_of_the_oracle():
    """The oracle itself against the file, for every case with labels and scores."""
    checked = 0
    for case in WORKED.values():
        expected = case["expected"]
        if case["operation"] not in ("roc_auc", "average_precision", "ranking_summaries"):
            continue
        labels, scores = spelled(case["inputs"])
        if len(labels) > 200:  # the oracle is quadratic
            continue
        for key, name in (("auc", "roc_auc"), ("ap", "average_precision")):
            if "frac" in expected.get(key, {}):
                assert naive.value(name, labels, scores) == Fraction(expected[key]["frac"])
                checked += 1
    assert checked >= 15
