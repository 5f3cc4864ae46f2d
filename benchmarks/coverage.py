"""How often intervals hold the truth: ``python -m benchmarks.coverage [--write]``.

Writes coverage.csv and COVERAGE.md beside itself. A run of the whole grid takes tens of minutes;
with ``--progress-file`` it takes up where an interrupted one stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from .coverage_population import CORRELATION, CUT, DIFFERENCE, MODELS, Cell, truths
from .coverage_report import Row, parse_rows, render, write_rows
from .coverage_simulation import METRICS, PAIR, Sums, simulate

__all__ = ["GRID", "STRATIFIED", "collect", "opening", "to_rows"]

HERE = Path(__file__).parent
TABLE, PAGE = HERE / "coverage.csv", HERE / "COVERAGE.md"
SIZES = (200, 500, 1000, 2000, 5000)
PREVALENCES = (0.5, 0.1, 0.02)
GRID = tuple(Cell(n, prevalence) for prevalence in PREVALENCES for n in SIZES)
STRATIFIED = tuple(Cell(n, prevalence) for prevalence in (0.5, 0.1) for n in (500, 1000, 2000))
BATCH = 50

Task = tuple[str, int, float, int, int]
Key = tuple[str, str, str]


def tasks_of(cells: Iterable[Cell], simulations: int) -> list[Task]:
    """(scheme, n, prevalence, first, stop): batches of samples, those of all cells in turn."""
    chosen = set(cells)
    found = [
        (scheme, cell.n, cell.prevalence, first, min(first + BATCH, simulations))
        for scheme, grid in (("multinomial", GRID), ("stratified", STRATIFIED))
        for cell in grid
        if cell in chosen
        for first in range(0, simulations, BATCH)
    ]
    return sorted(found, key=lambda task: (task[3], -task[1]))


def run_task(task: Task, n_resamples: int) -> dict[Key, Sums]:
    """Simulate a batch; its numbers depend on nothing but the arguments."""
    scheme, n, prevalence, first, stop = task
    return simulate(Cell(n, prevalence), scheme, first, stop, n_resamples)


def collect(
    tasks: Sequence[Task], n_resamples: int, processes: int, kept: Path | None
) -> dict[Task, dict[Key, Sums]]:
    """Run the tasks that `kept` does not hold, and add them to it."""
    done = _read_kept(kept, n_resamples)
    waiting = [task for task in tasks if task not in done]
    begun = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        running = {pool.submit(run_task, task, n_resamples): task for task in waiting}
        for count, future in enumerate(as_completed(running), 1):
            task = running[future]
            done[task] = future.result()
            if kept is not None:
                _keep(kept, task, n_resamples, done[task])
            minutes = (time.monotonic() - begun) / 60
            print(f"\r{count}/{len(waiting)} batches, {minutes:.1f} min", end="", file=sys.stderr)
    print(file=sys.stderr)
    return {task: done[task] for task in tasks}


def _keep(kept: Path, task: Task, n_resamples: int, sums: dict[Key, Sums]) -> None:
    held = [[*key, asdict(value)] for key, value in sums.items()]
    with kept.open("a") as file:
        file.write(json.dumps({"task": task, "resamples": n_resamples, "sums": held}) + "\n")


def _read_kept(kept: Path | None, n_resamples: int) -> dict[Task, dict[Key, Sums]]:
    found: dict[Task, dict[Key, Sums]] = {}
    if kept is None or not kept.exists():
        return found
    for line in kept.read_text().splitlines():
        try:
            held = json.loads(line)
        except json.JSONDecodeError:  # the line that an interruption cut short
            continue
        if held["resamples"] == n_resamples:
            scheme, n, prevalence, first, stop = held["task"]
            task = (scheme, n, prevalence, first, stop)
            found[task] = {(a, b, c): Sums(**sums) for a, b, c, sums in held["sums"]}
    return found


def to_rows(found: dict[Task, dict[Key, Sums]], n_resamples: int) -> list[Row]:
    """Rows of the table: batches joined in order, so that every run gives the same digits."""
    joined: dict[tuple[Key, float, int], Sums] = {}
    for task in sorted(found):
        _, n, prevalence, _, _ = task
        for key, sums in found[task].items():
            joined.setdefault((key, prevalence, n), Sums()).join(sums)
    names = {name: f"AUC {auc:.2f}" for name, auc in MODELS.items()}
    names[PAIR] = " - ".join(names[name] for name in DIFFERENCE)
    models = list(names)
    rows = []
    for (key, prevalence, n), sums in joined.items():
        metric, model, interval = key
        count = sums.defined or math.nan
        truth = truths(prevalence)[metric, model]
        bias = sums.error / count
        spread = math.sqrt(max(sums.squared_error / count - bias**2, 0.0))
        counts = (sums.samples, sums.defined, sums.zero_width, sums.below_95, sums.above_95)
        rows.append(
            Row(
                metric, names[model], interval, n, prevalence, truth, *counts,
                sums.width_95 / count, sums.below_90, sums.above_90, sums.width_90 / count,
                bias, spread, n_resamples,
            )
        )  # fmt: skip
    shown = {names[model]: k for k, model in enumerate(models)}
    return sorted(rows, key=lambda r: (METRICS.index(r.metric), shown[r.model]))


def opening(rows: Sequence[Row]) -> str:
    """What was simulated."""
    samples, n_resamples = max((row.samples, row.resamples) for row in rows)
    areas = ", ".join(f"{auc:.2f}" for auc in MODELS.values())
    sizes = ", ".join(map(str, sorted({row.n for row in rows})))
    shares = ", ".join(f"{p:g}" for p in sorted({row.prevalence for row in rows}, reverse=True))
    return f"""# How often intervals hold the truth

Written by `python -m benchmarks.coverage --write`; every number is also in
[coverage.csv](coverage.csv).

Each cell is {samples} samples of n rows ({sizes}) at a prevalence ({shares}).

* Labels are Bernoulli, so that class counts vary; scores of negatives are N(0, 1), those of
  positives N(mu, 1), for models of ROC AUC {areas}. The first two are correlated
  ({CORRELATION} within a class), and compared.
* `recall`, `precision` and `f1` are those at the threshold {CUT:g}.
* Bootstrap intervals read {n_resamples} replicates, rows drawn by "multinomial" unless
  "stratified" is said.
* Truths are population values: ROC AUC as given; `ks` and the measures at the threshold from the
  normal distribution function; average precision the integral of precision over recall, by a rule
  exact to 1e-12. `ks` of a sample is biased upwards, and average precision with few positives:
  bias counts against an interval here.
* All samples follow from one seed."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--simulations", type=int, default=1000, help="samples a cell (1000)")
    parser.add_argument("--resamples", type=int, default=1000, help="replicates a sample (1000)")
    parser.add_argument("--only", nargs="+", metavar="N/PREVALENCE", help="cells, as 1000/0.1")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--progress-file", type=Path, help="batches done, to go on from")
    parser.add_argument("--write", action="store_true", help="write coverage.csv and COVERAGE.md")
    parser.add_argument("--render", action="store_true", help="COVERAGE.md from coverage.csv")
    args = parser.parse_args(arguments)
    if args.render:
        rows = parse_rows(TABLE.read_text())
        PAGE.write_text(render(rows, opening(rows)))
        return
    if args.write and args.only:
        parser.error("--write takes the whole grid: leave --only out")
    cells = GRID
    if args.only:
        pairs = (text.split("/") for text in args.only)
        cells = tuple(Cell(int(n), float(prevalence)) for n, prevalence in pairs)
    tasks = tasks_of(cells, args.simulations)
    found = collect(tasks, args.resamples, args.processes, args.progress_file)
    table = write_rows(to_rows(found, args.resamples))
    # What is written is what is read back, so that --render gives the same page.
    rows = parse_rows(table)
    page = render(rows, opening(rows))
    if args.write:
        TABLE.write_text(table)
        PAGE.write_text(page)
    else:
        print(page, end="")


if __name__ == "__main__":
    main()
