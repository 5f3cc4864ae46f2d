"""The counts of a coverage run as rows of a CSV, and the page that is made of them.

The page holds nothing that the CSV does not: sentences about intervals that fall short follow
rules, stated beside them.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields

__all__ = ["ENOUGH", "Row", "parse_rows", "render", "write_rows"]

# Intervals are ranked on cells with at least so many positives expected.
ENOUGH = 20
METHODS = ("percentile", "basic", "normal", "bca")
# The sample size whose widths and one-sided misses are shown.
SHOWN = 1000


@dataclass(frozen=True)
class Row:
    """One kind of interval of one number in one cell."""

    metric: str
    model: str
    interval: str
    n: int
    prevalence: float
    truth: float
    samples: int
    defined: int
    zero_width: int
    below_95: int
    above_95: int
    width_95: float
    below_90: int
    above_90: int
    width_90: float
    bias: float
    spread: float
    resamples: int

    @property
    def coverage(self) -> float:
        """Share of the defined 95 % intervals that hold the truth."""
        missed = self.below_95 + self.above_95
        return 1 - missed / self.defined if self.defined else math.nan

    @property
    def coverage_90(self) -> float:
        missed = self.below_90 + self.above_90
        return 1 - missed / self.defined if self.defined else math.nan

    @property
    def paired(self) -> bool:
        """Whether the number is a difference of two models."""
        return " - " in self.model

    @property
    def enough(self) -> bool:
        return self.n * self.prevalence >= ENOUGH - 1e-9


def write_rows(rows: Iterable[Row]) -> str:
    """Rows as CSV, numbers to six significant digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(field.name for field in fields(Row))
    for row in rows:
        writer.writerow(f"{x:.6g}" if isinstance(x, float) else x for x in astuple(row))
    return out.getvalue()


def parse_rows(text: str) -> list[Row]:
    """Read what `write_rows` wrote."""
    types = {"str": str, "int": int, "float": float}
    made = [(field.name, types[str(field.type)]) for field in fields(Row)]
    return [
        Row(**{name: convert(line[name]) for name, convert in made})
        for line in csv.DictReader(io.StringIO(text))
    ]


def render(rows: Sequence[Row], opening: str) -> str:
    """Markdown: what was simulated, rankings, where intervals fall short, and the tables."""
    parts = [
        opening,
        "## Bootstrap methods",
        _methods(rows),
        "## Every interval",
        _closest(rows),
        _ranking(rows),
        "## Where intervals fall short",
        *_shortfalls(rows),
        "## Coverage at 95 %",
        _how_to_read(rows),
        *_folded(rows, _coverage_table),
        f"## Widths and sides at n = {SHOWN}",
        "Mean width of the 95 % interval; misses with the truth below the interval and above it "
        "(.025 each is nominal); coverage of the 90 % interval; samples in which the interval is "
        "undefined, and those in which it has no width. All cells are in the CSV.",
        *_folded([row for row in rows if row.n == SHOWN], _detail_table),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


# -- rankings ------------------------------------------------------------------------------------


def _deviations(rows: Iterable[Row]) -> tuple[float, float, float, float, float, int]:
    """Worst and mean distance from .95, worst coverage, mean distance from .90, width, cells."""
    used = [row for row in rows if row.defined]
    off = [abs(row.coverage - 0.95) for row in used]
    off_90 = [abs(row.coverage_90 - 0.90) for row in used]
    width = [row.width_95 for row in used]
    count = len(used)
    lowest = min(row.coverage for row in used)
    return max(off), sum(off) / count, lowest, sum(off_90) / count, sum(width) / count, count


def _methods(rows: Sequence[Row]) -> str:
    """The four methods on the same replicates, by kinds of numbers."""
    lines = [
        "| numbers | method | worst distance | mean distance | lowest coverage | "
        "mean distance at 90 % | mean width | cells |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    groups: list[tuple[str, Callable[[Row], bool]]] = [
        ("roc_auc", lambda r: r.metric == "roc_auc" and not r.paired),
        ("average_precision", lambda r: r.metric == "average_precision" and not r.paired),
        ("differences of either", lambda r: r.paired),
        ("recall, precision, f1", lambda r: r.metric in ("recall", "precision", "f1")),
        ("all of these", lambda r: r.metric != "ks"),
        ("ks", lambda r: r.metric == "ks"),
    ]
    for title, belongs in groups:
        for method in METHODS:
            chosen = [r for r in rows if r.enough and r.interval == method and belongs(r)]
            if chosen:
                lines.append(f"| {title} | {method} | {_ranked(_deviations(chosen))} |")
    told = (
        f"Distances of the coverage of 95 % intervals from .95, over the cells in which at least "
        f"{ENOUGH} positives are expected; all four methods read the same replicates."
    )
    return told + "\n\n" + "\n".join(lines)


def _ranked(found: tuple[float, float, float, float, float, int]) -> str:
    worst, mean, lowest, mean_90, width, count = found
    numbers = (_share(worst), _share(mean), _share(lowest), _share(mean_90), f"{width:.3f}")
    return " | ".join([*numbers, str(count)])


def _closest(rows: Sequence[Row]) -> str:
    """Of each number the interval of the least mean distance, beside the default."""
    lines = [
        "| number | closest to .95 | mean distance | lowest | percentile: mean distance | lowest |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for number, chosen in _by_number(rows):
        kinds: dict[str, list[Row]] = {}
        for row in chosen:
            if row.enough and row.defined:
                kinds.setdefault(row.interval, []).append(row)
        most = max(map(len, kinds.values()), default=0)
        ranked = {kind: _deviations(of) for kind, of in kinds.items() if len(of) == most}
        if not ranked:
            continue
        best = min(ranked, key=lambda kind: (round(ranked[kind][1], 4), ranked[kind][0]))
        shown = [_share(ranked[best][k]) for k in (1, 2)]
        base = [_share(ranked["percentile"][k]) if "percentile" in ranked else "" for k in (1, 2)]
        lines.append(f"| {number} | {best} | {' | '.join([*shown, *base])} |")
    return "\n".join(lines)


def _ranking(rows: Sequence[Row]) -> str:
    lines = [
        "| number | interval | worst distance | mean distance | lowest coverage | "
        "mean distance at 90 % | mean width | cells |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for number, chosen in _by_number(rows):
        kinds = dict.fromkeys(row.interval for row in chosen)
        for kind in kinds:
            used = [row for row in chosen if row.interval == kind and row.enough and row.defined]
            if used:
                lines.append(f"| {number} | {kind} | {_ranked(_deviations(used))} |")
    return _fold("each number on its own", lines)


# -- sentences -----------------------------------------------------------------------------------


def _shortfalls(rows: Sequence[Row]) -> list[str]:
    """Sentences by rule: too many misses beyond what chance explains."""
    rule = (
        "An interval is named here when its coverage is .925 or less, and that by more than twice "
        'the Monte Carlo error. "stratified" is the wrong scheme for these samples, whose class '
        "counts vary: its rows show what holding them fixed leaves out."
    )
    few = [row for row in rows if not row.enough]
    many = [row for row in rows if row.enough]
    return [
        rule,
        f"With {ENOUGH} expected positives or more:\n\n{_named(many)}",
        f"With fewer ({_cells(few)}):\n\n{_named(few)}",
        _undefined(rows),
    ]


def _short(row: Row) -> bool:
    if not row.defined:
        return False
    error = math.sqrt(0.05 * 0.95 / row.defined)
    return row.coverage <= 0.925 and row.coverage < 0.95 - 2 * error


def _named(rows: Sequence[Row]) -> str:
    lines = []
    for number, chosen in _by_number(rows):
        told = []
        for kind in dict.fromkeys(row.interval for row in chosen):
            all_cells = [row for row in chosen if row.interval == kind and row.defined]
            short = [row for row in all_cells if _short(row)]
            if short:
                worst = min(short, key=lambda row: row.coverage)
                told.append(
                    f"{kind} in {len(short)} of {len(all_cells)} cells (lowest "
                    f"{_share(worst.coverage)}, n = {worst.n}, prevalence {worst.prevalence:g})"
                )
        if told:
            lines.append(f"* {number}: {'; '.join(told)}.")
    return "\n".join(lines) if lines else "* none."


def _cells(rows: Sequence[Row]) -> str:
    found = sorted({(row.prevalence, row.n) for row in rows})
    return ", ".join(f"n = {n} at prevalence {p:g}" for p, n in found) or "no cell"


def _undefined(rows: Sequence[Row]) -> str:
    often = [row for row in rows if row.samples and row.defined < 0.99 * row.samples]
    zero = [row for row in rows if row.defined and row.zero_width > 0.01 * row.defined]
    lines = ["Coverage is that of the defined intervals."]
    for chosen, what in ((often, "undefined"), (zero, "of zero width")):
        if not chosen:
            lines.append(f"Nowhere is more than one in a hundred {what}.")
            continue
        share = max(
            1 - row.defined / row.samples if what == "undefined" else row.zero_width / row.defined
            for row in chosen
        )
        lines.append(
            f"More than one in a hundred is {what} at {_cells(chosen)}, at most {100 * share:.0f} "
            f"in a hundred ({', '.join(sorted({row.metric for row in chosen}))})."
        )
    return " ".join(lines)


# -- tables --------------------------------------------------------------------------------------


def _by_number(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(f"`{row.metric}`, {row.model}", []).append(row)
    return list(found.items())


def _how_to_read(rows: Sequence[Row]) -> str:
    most = max((row.samples for row in rows), default=0)
    error = math.sqrt(0.05 * 0.95 / most) if most else math.nan
    return (
        f"The Monte Carlo error of a share near .95 is {_share(error)}. **Bold**: .925 or less. "
        f"A star marks cells of fewer than {ENOUGH} expected positives. Bias is the mean error of "
        f"the estimate in units of its standard deviation."
    )


def _folded(rows: Sequence[Row], table: Callable[[list[Row]], list[str]]) -> list[str]:
    return [_fold(number, table(chosen)) for number, chosen in _by_number(rows)]


def _fold(title: str, lines: Sequence[str]) -> str:
    # Markdown is not read inside of HTML.
    plain = title.replace("`", "")
    return f"<details>\n<summary>{plain}</summary>\n\n{_text(lines)}\n</details>"


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def _coverage_table(rows: list[Row]) -> list[str]:
    kinds = list(dict.fromkeys(row.interval for row in rows))
    lines = [
        f"| prevalence | n | bias | {' | '.join(kinds)} |",
        f"|---:|---:|---:|{'---:|' * len(kinds)}",
    ]
    cells = {(row.prevalence, row.n, row.interval): row for row in rows}
    for prevalence, n in sorted({(row.prevalence, row.n) for row in rows}, key=_order):
        star = "" if n * prevalence >= ENOUGH - 1e-9 else " *"
        shown = [cells.get((prevalence, n, kind)) for kind in kinds]
        texts = [
            ""
            if row is None
            else f"**{_share(row.coverage)}**"
            if row.coverage <= 0.925
            else _share(row.coverage)
            for row in shown
        ]
        first = next(row for row in shown if row is not None)
        bias = f"{first.bias / first.spread:+.2f}" if first.spread > 0 else "-"
        lines.append(f"| {prevalence:g} | {n}{star} | {bias} | {' | '.join(texts)} |")
    return lines


def _detail_table(rows: list[Row]) -> list[str]:
    lines = [
        "| prevalence | interval | width | below | above | at 90 % | undefined | no width |",
        "|---:|---|" + "---:|" * 6,
    ]
    for row in sorted(rows, key=lambda row: _order((row.prevalence, row.n))):
        count = row.defined or math.nan
        shares = [row.below_95 / count, row.above_95 / count, row.coverage_90]
        counts = [str(row.samples - row.defined), str(row.zero_width)]
        texts = [row.interval, f"{row.width_95:.4f}", *map(_share, shares), *counts]
        lines.append(f"| {row.prevalence:g} | {' | '.join(texts)} |")
    return lines


def _order(place: tuple[float, int]) -> tuple[float, int]:
    return -place[0], place[1]


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}".removeprefix("0")
