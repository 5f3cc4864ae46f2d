"""What stands above and below the table, and what is said of single values, in words."""

from __future__ import annotations

import math

import pytest
from tables import DIRECTIONS, DRAWN, GROUPS, INTERVALS, SUMMARY, cell, check, rows_of

from ranktally._rendering import wide_table
from ranktally._wording import headline, notices


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "300 files, 12,400,000 rows, is_fraud = 1 in 0.21 % (26,040 rows), 3 models, 4.1 s"),
        (
            {"n_files": 1, "n_rows": 1, "n_pos": 1, "prevalence": 1.0, "n_models": 1},
            "1 file, 1 row, is_fraud = 1 in 100 % (1 row), 1 model, 4.1 s",
        ),
        (
            {"n_files": 0, "pos_label": True, "n_pos": 12.5, "prevalence": 0.6274},
            "12,400,000 rows, is_fraud = true in 62.7 % (weight 12.5), 3 models, 4.1 s",
        ),
        (
            {"prevalence": 0.99995, "seconds": 75.3},
            "300 files, 12,400,000 rows, is_fraud = 1 in 99.995 % (26,040 rows), 3 models, 75 s",
        ),
        (
            {"prevalence": math.nan, "seconds": 0.0},
            "300 files, 12,400,000 rows, 3 models, 0.001 s",
        ),
        (
            {
                "n_files": 1,
                "n_rows": 200,
                "n_common_rows": 177,
                "n_pos": 50,
                "prevalence": 50 / 177,
            },
            "1 file, 177 of 200 rows (those that all models have), is_fraud = 1 in 28.2 % "
            "(50 rows), 3 models, 4.1 s",
        ),
        (
            {"n_files": 1, "n_rows": 2, "n_common_rows": 0, "prevalence": None, "n_models": 1},
            "1 file, 0 of 2 rows (those that the model has), 1 model, 4.1 s",
        ),
    ],
)
def test_headline(change, expected):
    assert headline({**SUMMARY, **change}) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "percentile, multinomial over rows, 2,000 resamples, seed 417, paired"),
        (
            {"n_models": 1, "n_resamples": 1},
            "percentile, multinomial over rows, 1 resample, seed 417",
        ),
        (
            {"scheme": "cluster", "n_clusters": 1234, "ci_method": "bca"},
            "bca, 1,234 whole clusters, 2,000 resamples, seed 417, paired",
        ),
        (
            {"scheme": "cluster", "n_clusters": 90, "group_clusters": [1, 12]},
            "percentile, 90 whole clusters, 1 to 12 a group, 2,000 resamples, seed 417, paired",
        ),
        (
            {"scheme": "cluster", "n_clusters": 9, "group_clusters": [3, 3]},
            "percentile, 9 whole clusters, 3 a group, 2,000 resamples, seed 417, paired",
        ),
    ],
)
def test_the_foot_says_how_replicates_were_drawn(change, expected):
    summary = {**SUMMARY, **DRAWN, **change}
    text = wide_table(rows_of(INTERVALS), DIRECTIONS, summary)
    assert text.splitlines()[-1] == f"intervals: 95 % bootstrap {expected}"
    narrow = wide_table(rows_of(INTERVALS), DIRECTIONS, summary, width=40).splitlines()
    feet = narrow[next(i for i, line in enumerate(narrow) if line.startswith("intervals")) :]
    assert " ".join(feet) == f"intervals: 95 % bootstrap {expected}"
    assert max(map(len, feet)) <= 40


@pytest.mark.parametrize("width", range(20, 90))
def test_a_seed_stays_with_its_name(width):
    text = wide_table(rows_of(INTERVALS), DIRECTIONS, {**SUMMARY, **DRAWN}, width=width)
    assert text.count("seed 417") == 1


def test_intervals_of_several_kinds_name_their_metrics_and_some_values_have_none():
    records = [
        cell("a", "roc_auc", 0.75, 0.7, 0.8, interval="DeLong plain"),
        cell("a", "fpr", 0.1, 0.05, 0.125, threshold=0.5, interval="Wilson"),
        cell("a", "f1", 0.5, threshold=0.5),
        cell("b", "roc_auc", 0.5, note="no interval: one_positive"),
        cell("b", "fpr", 0.25, 0.125, 0.5, threshold=0.5, interval="Wilson"),
        cell("b", "f1", 0.25, threshold=0.5),
    ]
    check(
        wide_table(rows_of(records), {}),
        """
        model  roc_auc                  fpr@0.5                  f1@0.5  (chance 0.5 / - / -)
        a      0.7500 [0.7000, 0.8000]  0.1000 [0.0500, 0.1250]  0.5000
        b      0.5000                   0.2500 [0.1250, 0.5000]  0.2500
        intervals: 95 % DeLong plain of roc_auc
        intervals: 95 % Wilson of fpr
        note: no interval: a single positive (roc_auc of b)
        """,
    )


def noted(*notes):
    """The last lines of a table of 12 values: 3 groups, 2 models, 2 metrics."""
    keys = [(g, m, k) for g in ("SE", "NO", None) for m in "ab" for k in ("roc_auc", "x")]
    records = [
        cell(m, k, 0.5, country=g, note=note)
        for (g, m, k), note in zip(keys, [*notes, *[None] * (12 - len(notes))], strict=True)
    ]
    lines = wide_table(rows_of(records, "country"), DIRECTIONS).splitlines()
    return [line for line in lines if line.startswith("note: ")]


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (["few_positives"] * 12, ["fewer than 50 positives (all values)"]),
        (["few_positives"] * 4, ["fewer than 50 positives (country=SE)"]),
        (["few_negatives"] * 8, ["fewer than 50 negatives (country=SE, country=NO)"]),
        (["few_clusters", None] * 6, ["fewer than 50 clusters (roc_auc)"]),
        ([None, "clipped"], ["an end moved into the range (x of a in country=SE)"]),
        (["zero_variance", *[None] * 4, "zero_variance"], [
            "zero variance, since no row moves the value (roc_auc of a in country=SE; x of a in "
            "country=NO)",
        ]),
        (["degenerate: zero width"] * 5, ["zero width (5 of 12 values)"]),
        (["no interval: one_cluster"], [
            "no interval: a single cluster (roc_auc of a in country=SE)",
        ]),
        (["few_positives, few_negatives"] * 12, [
            "fewer than 50 positives and negatives (all values)",
        ]),
        (["few_positives, clipped", "few_positives"] * 6, [
            "fewer than 50 positives (all values)", "an end moved into the range (roc_auc)",
        ]),
        (["3 of 2000 replicates undefined", "41 of 2000 replicates undefined"], [
            "up to 41 of 2,000 replicates undefined (a in country=SE)",
        ]),
        (["3 of 2000 replicates undefined"] * 12, ["3 of 2,000 replicates undefined (all values)"]),
        ([f"reason {k}" for k in range(9)], [
            *(f"reason {k} ({'roc_auc' if k % 2 == 0 else 'x'} of {'aabb'[k % 4]} in country="
              f"{'SE' if k < 4 else 'NO'})" for k in range(6)),
            "... and 3 more, in the column `note`",
        ]),
    ],
)  # fmt: skip
def test_notes_are_words_with_the_place_where_they_apply(notes, expected):
    assert noted(*notes) == [f"note: {line}" for line in expected]


def test_many_groups_of_a_note_are_counted():
    records = [
        cell("m", "roc_auc", 0.5, key=k, note="few_positives" if k < 12 else None)
        for k in range(20)
    ]
    text = wide_table(rows_of(records, "key"), DIRECTIONS)
    expected = "note: fewer than 50 positives (key=0, key=1, key=2 and 9 more groups)"
    assert text.splitlines()[-1] == expected


def test_groups_of_several_groupings_in_notes():
    records = [
        cell("m", "roc_auc", 0.5, grouping=grouping, g=g, h=h, note=note)
        for grouping, g, h, note in (
            ("total", None, None, "clipped"), ("g", "a", None, "few_positives"),
            ("g, h", "a", None, "few_negatives"),
        )
    ]  # fmt: skip
    lines = wide_table(rows_of(records, "grouping", "g", "h"), DIRECTIONS).splitlines()[-3:]
    assert [line.rpartition("(")[2] for line in lines] == ["total)", "g=a)", "g=a h=null)"]


def test_notices_count_over_the_groups():
    assert notices(rows_of(GROUPS, "country")) == [
        f"{model}: {metric}: undefined in 1 of 3 groups: no positives"
        for model in "ab"
        for metric in ("roc_auc", "average_precision")
    ]
    records = [cell("m", "precision", None, threshold=0.5, status="error: bad", note="few")]
    assert notices(rows_of(records)) == [
        "m: precision@0.5: undefined: bad",
        "m: precision@0.5: few",
    ]
