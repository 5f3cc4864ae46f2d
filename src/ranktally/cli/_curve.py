"""`ranktally curve`: the points of a curve for each model."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._rows import Rows
from .._runtime import thread_count
from .._wording import printable
from ._delivery import check_output, coded, deliver, lines_of, prose
from ._source import open_files, read_tallies

if TYPE_CHECKING:
    from .._curves import Curve

__all__ = ["run"]

_TABLE_POINTS = 25


def run(options: Namespace) -> int:
    """Compute the curves and write their points; return the exit code."""
    check_output(options)
    with open_files(options) as table:
        tallies = read_tallies(options, table, thread_count(options.threads))
    most = options.max_points or (_TABLE_POINTS if options.format == "table" else None)
    full: dict[str, Curve] = {
        name: getattr(t, f"{options.kind}_curve")() for name, t in tallies.items()
    }
    shown = {name: curve if most is None else curve.reduce(most) for name, curve in full.items()}
    told = {name: _told(full[name], curve) for name, curve in shown.items()}
    deliver(
        _rows(shown),
        options,
        lambda: _table(shown, told, options),
        lambda: {"summary": {"kind": options.kind, "models": told}},
    )
    return 0


def _told(full: Curve, shown: Curve) -> dict[str, Any]:
    return {
        "n_points": len(full),
        "n_shown": len(shown),
        "max_error": shown.max_error,
        "area_error": shown.area_error,
        "n_pos": full.n_pos,
        "n_neg": full.n_neg,
    }


def _rows(curves: dict[str, Curve]) -> Rows:
    """Points of all models below each other."""
    frames = [curve.frame().columns for curve in curves.values()]
    names = [name for name, curve in curves.items() for _ in range(len(curve))]
    return Rows(
        {
            "model": coded(names),
            **{
                column: np.concatenate([np.asarray(frame[column]) for frame in frames])
                for column in frames[0]
            },
        }
    )


def _table(curves: dict[str, Curve], told: dict[str, dict[str, Any]], options: Namespace) -> str:
    parts = []
    for name, curve in curves.items():
        about = told[name]
        error = about["max_error"]
        less = "" if not error else f", largest vertical error {error:.2g}"
        share = about["n_pos"] / ((about["n_pos"] + about["n_neg"]) or 1)
        head = (
            f"{printable(name)}: {options.kind} curve, {about['n_shown']:,} of "
            f"{about['n_points']:,} points{less}; {about['n_pos']:,} positive, "
            f"{about['n_neg']:,} negative (prevalence {share:.4g})"
        )
        parts += [prose(head, options), *lines_of(curve.frame()), ""]
    return "\n".join(parts[:-1])
