"""README's table of metrics, from METRICS: ``python -m benchmarks.metric_table [--write]``."""

from __future__ import annotations

import argparse
import inspect

import numpy as np

from ranktally import METRICS
from ranktally._metric_table import ALIASES, Metric

from .readme import write_between

__all__ = ["metric_table"]

BETTER = {"up": "higher", "down": "lower", None: "-"}


def metric_table() -> str:
    """Markdown of all metrics, in the order of METRICS."""
    lines = [
        "| metric | what it is | `at=` | better | range | without skill | undefined (nan) when |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_line(metric) for metric in METRICS.values()]
    others: dict[str, list[str]] = {}
    for alias, name in ALIASES.items():
        others.setdefault(name, []).append(f"`{alias}`")
    told = "; ".join(f"{', '.join(names)} = `{name}`" for name, names in others.items())
    return "\n".join(lines) + f"\n\nOther names are understood: {told}.\n"


def _line(metric: Metric) -> str:
    call = inspect.signature(metric.bind)
    name = f"{metric.name}({', '.join(map(_parameter, call.parameters.values()))})".removesuffix(
        "()"
    )
    at = "yes" if metric.needs == "counts" else ""
    low, high = (f"{x:g}" for x in metric.range)
    why = " or ".join(code.replace("_", " ").replace("0 1", "[0, 1]") for code in metric.undefined)
    meaning = metric.meaning.replace("|", "\\|")
    cells = [f"`{name}`", meaning, at, BETTER[metric.direction], f"{low} to {high}"]
    return f"| {' | '.join([*cells, _baseline(metric), why])} |"


def _parameter(parameter: inspect.Parameter) -> str:
    """As the caller writes it, with what holds when it is left out."""
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    return f"{parameter.name}={parameter.default!r}"


def _baseline(metric: Metric) -> str:
    """The baseline as people write it: a constant, the prevalence, or that it varies."""
    if metric.baseline is None:
        return "-"
    prevalence = np.array([0.1, 0.3, 0.9])
    value = np.asarray(metric.baseline(prevalence))
    if np.ptp(value) == 0:
        return f"{value[0]:g}"
    if np.array_equal(value, prevalence):
        return "prevalence"
    if np.allclose(value, 1 - prevalence):
        return "1 - prevalence"
    return "of prevalence"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metric_table", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put it into README.md")
    table = metric_table()
    if parser.parse_args().write:
        write_between("metric_table", table)
    else:
        print(table, end="")


if __name__ == "__main__":
    main()
