"""The wide table as a person sees it, line by line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tables import DIRECTIONS, GROUPS, INTERVALS, SUMMARY, cell, check, rows_of

from ranktally._rendering import wide_table
from ranktally._wording import notices

PLAIN = [
    cell("a", "roc_auc", 0.87312345),
    cell("a", "fpr", 0.1, threshold=0.5),
    cell("b", "roc_auc", 0.87312366),
    cell("b", "fpr", 0.25, threshold=0.5),
    cell("long_model_name_with_many_parts_v17", "roc_auc", None, status="no_positives"),
    cell("long_model_name_with_many_parts_v17", "fpr", 0.3, threshold=0.5),
]


def test_intervals():
    check(
        wide_table(rows_of(INTERVALS), DIRECTIONS, SUMMARY),
        """
        300 files, 12,400,000 rows, is_fraud = 1 in 0.21 % (26,040 rows), 3 models, 4.1 s
        model      roc_auc                    average_precision        (chance 0.5 / 0.0021)
        model_a    0.8731 [0.8709, 0.8752]  * 0.2114 [0.2061, 0.2168]
        model_b  * 0.8802 [0.8781, 0.8822]    0.2098 [0.2046, 0.2151]
        model_c    0.8644 [0.8621, 0.8667]    undefined: 412 scores are nan
        intervals: 95 % bootstrap multinomial percentile
        """,
    )


def test_decimals_grow_until_models_differ_and_low_can_be_best():
    check(
        wide_table(rows_of(PLAIN), DIRECTIONS),
        """
        model                                                roc_auc   fpr@0.5  (chance 0.5 / -)
        a                                                   0.873123  * 0.1000
        b                                                 * 0.873124    0.2500
        long_model_name_with_many_parts_v17  undefined: no positives    0.3000
        """,
    )


def test_a_narrow_terminal_gets_parts_and_shorter_names():
    text = wide_table(rows_of(PLAIN), DIRECTIONS, width=50)
    check(
        text,
        """
        model                         roc_auc
        (chance)                          0.5
        a                            0.873123
        b                          * 0.873124
        long_model_...y_parts_v17    undefined: no positives

        model                       fpr@0.5
        a                          * 0.1000
        b                            0.2500
        long_model_...y_parts_v17    0.3000
        """,
    )
    assert max(map(len, text.splitlines())) <= 52


def test_names_that_would_become_the_same_are_not_shortened():
    names = ["model_" + "x" * 30 + letter + "y" * 30 for letter in "ab"]
    text = wide_table(rows_of([cell(n, "roc_auc", 0.5) for n in names]), DIRECTIONS, width=50)
    assert all(name in text for name in names)


def test_groups_stand_together_with_their_base_rate_and_their_best():
    check(
        wide_table(rows_of(GROUPS, "country"), DIRECTIONS),
        """
        country  model   rows  base rate   roc_auc  average_precision  (chance 0.5 / base rate)
        SE       a        100     0.1000  * 0.7000             0.2000
        SE       b        100     0.1000    0.6000           * 0.3000
        NO       a          5     0.0000    undefined: no positives
        NO       b          5     0.0000    undefined: no positives
        null     a      2,000     0.1500    0.8000           * 0.4000
        null     b      2,000     0.1500    0.8000             0.1000
        """,
    )


def test_row_order_does_not_matter_to_who_stands_where():
    by_model = sorted(GROUPS, key=lambda record: record["model"])
    assert wide_table(rows_of(by_model, "country"), {}) == wide_table(
        rows_of(GROUPS, "country"), {}
    )


def test_a_grouping_that_does_not_use_a_column_leaves_it_blank():
    records = [
        cell("m", "roc_auc", 0.7, grouping=grouping, g=g, h=h)
        for grouping, g, h in (("total", None, None), ("g", "a", None), ("g, h", "a", None))
    ]
    check(
        wide_table(rows_of(records, "grouping", "g", "h"), DIRECTIONS),
        """
        grouping  g  h     model  rows  base rate  roc_auc  (chance 0.5)
        total              m       100     0.1000   0.7000
        g         a        m       100     0.1000   0.7000
        g, h      a  null  m       100     0.1000   0.7000
        """,
    )


def test_chance_is_a_line_when_there_are_many_columns():
    records = [cell("m", name, 0.25, threshold=0.5) for name in ("precision", "recall", "f1")]
    text = wide_table(rows_of([cell("m", "roc_auc", 0.75), *records]), DIRECTIONS)
    check(
        text,
        """
        model     roc_auc  precision@0.5  recall@0.5  f1@0.5
        (chance)      0.5
        m          0.7500         0.2500      0.2500  0.2500
        """,
    )


def test_a_long_table_is_cut_in_its_middle_and_says_so():
    records = [cell("m", "roc_auc", i / 1000, key=i) for i in range(1000)]
    text = wide_table(rows_of(records, "key"), DIRECTIONS, max_lines=4, rest="--format csv")
    check(
        text,
        """
        key  model  rows  base rate  roc_auc  (chance 0.5)
          0  m       100     0.1000   0.0000
          1  m       100     0.1000   0.0010
        ... 996 of 1,000 lines left out; all of them: --format csv
        998  m       100     0.1000   0.9980
        999  m       100     0.1000   0.9990
        """,
    )


def test_bold_marks_the_best_without_moving_anything():
    plain = wide_table(rows_of(INTERVALS), DIRECTIONS)
    bold = wide_table(rows_of(INTERVALS), DIRECTIONS, bold=True)
    assert "\x1b[1m* 0.8802 [0.8781, 0.8822]\x1b[0m" in bold
    assert bold.replace("\x1b[1m", "").replace("\x1b[0m", "") == plain
    assert plain.isascii()


def test_no_star_without_a_rival_a_difference_or_a_direction():
    alone = [cell("a", "roc_auc", 0.9), cell("b", "roc_auc", None, status="empty")]
    equal = [cell("a", "roc_auc", 0.9), cell("b", "roc_auc", 0.9)]
    neutral = [cell("a", "prevalence", 0.1), cell("b", "prevalence", 0.2)]
    for records in (alone, equal, neutral):
        assert "*" not in wide_table(rows_of(records), DIRECTIONS)
    three = [cell("a", "roc_auc", 0.9), cell("b", "roc_auc", 0.9), cell("c", "roc_auc", 0.1)]
    assert wide_table(rows_of(three), DIRECTIONS).count("*") == 2


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3.0, 12345.0], ["3", "12345"]),
        ([0.0, 1.0], ["0.0000", "1.0000"]),
        ([0.000123, 0.5], ["0.00012", "0.50000"]),
        ([-0.25, 1e-12], ["-0.25000000", "1.0e-12"]),
        ([1234.56, 0.5], ["1234.56", "0.50"]),
        ([math.inf, 0.5], ["inf", "0.5000"]),
    ],
)
def test_numbers(values, expected):
    records = [cell(f"m{i}", "x", value, key=i) for i, value in enumerate(values)]
    text = wide_table(rows_of(records, "key"), {})
    assert [line.split()[-1] for line in text.splitlines()[1:]] == expected


def test_thresholds_read_as_they_were_asked_for():
    cuts = [float(np.float32(0.7)), 1 / 3, 1e300, 2.0]
    text = wide_table(rows_of([cell("m", "x", 0.5, threshold=cut) for cut in cuts]), {})
    assert text.splitlines()[0].split()[1:] == ["x@0.7", f"x@{1 / 3!r}", "x@1e+300", "x@2"]


def test_names_cannot_steer_the_terminal():
    text = wide_table(rows_of([cell("a\x1b[31m\nb", "roc_auc", 0.5)]), DIRECTIONS)
    assert "a\\x1b[31m\\nb" in text


def test_wide_letters_keep_the_columns_straight():
    text = wide_table(rows_of([cell("模型", "x", 0.5), cell("model", "x", 0.25)]), {})
    assert text.splitlines()[1:] == ["模型   0.5000", "model  0.2500"]


def test_reasons_that_differ_and_notes():
    records = [
        cell("a", "roc_auc", None, status="no_negatives"),
        cell("a", "x", None, status="zero_margin"),
        cell("b", "roc_auc", 0.5, note="few_positives"),
        cell("b", "x", 1.0),
    ]
    check(
        wide_table(rows_of(records), DIRECTIONS),
        """
        model                  roc_auc       x  (chance 0.5 / -)
        a      undefined: no negatives  undefined: a margin of the confusion table is zero
        b                       0.5000  1.0000
        note: fewer than 50 positives (roc_auc of b)
        """,
    )


def test_a_column_without_any_number_stands_as_those_with_intervals():
    records = [
        cell(model, metric, value, *ends, status=status)
        for model, value, low in (("a", 0.75, 0.7), ("b", 0.5, 0.4))
        for metric, value, ends, status in (
            ("log_loss", None, (), "scores_outside_0_1"), ("roc_auc", value, (low, 0.8), "ok"),
        )
    ]  # fmt: skip
    check(
        wide_table(rows_of(records), {}),
        """
        model  log_loss                          roc_auc                  (chance - / 0.5)
        a      undefined: scores outside 0 to 1  0.7500 [0.7000, 0.8000]
        b      undefined: scores outside 0 to 1  0.5000 [0.4000, 0.8000]
        intervals: 95 % bootstrap multinomial percentile
        """,
    )


def test_no_rows():
    assert wide_table(rows_of([]), DIRECTIONS) == "no rows"
    assert notices(rows_of([])) == []


def test_wide_characters_take_two_columns():
    records = [cell(m, metric, 0.75) for m in ("模型", "b") for metric in ("正確率", "roc_auc")]
    check(
        wide_table(rows_of(records), {}),
        """
        model  正確率  roc_auc  (chance - / 0.5)
        模型   0.7500   0.7500
        b      0.7500   0.7500
        """,
    )
