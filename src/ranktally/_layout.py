"""Text in columns and lines: how wide it is on a screen, and how it is made to fit."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

__all__ = ["aligned", "fit", "pad", "shortened", "width_of", "wrapped"]

_TIE = "\N{NO-BREAK SPACE}"


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def pad(text: str, width: int, right: bool) -> str:
    """Fill a text up to a width, on its left where it stands to the right."""
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def fit(text: str, width: int | None) -> str:
    """Shorten a text in its middle."""
    if width is None or width_of(text) <= width:
        return text
    keep = width - 3
    return _start(text, keep - keep // 2) + "..." + _start(text[::-1], keep // 2)[::-1]


def _start(text: str, width: int) -> str:
    size, used = 0, 0
    while size < len(text) and used + width_of(text[size]) <= width:
        used += width_of(text[size])
        size += 1
    return text[:size]


def shortened(cells: Sequence[str], most: int) -> list[str]:
    """Shorten names, unless some would become the same."""
    short = [fit(text, most) for text in cells]
    return short if len(set(short)) == len(set(cells)) else list(cells)


def wrapped(lines: Sequence[str], width: int | None) -> list[str]:
    """Break lines to a width, never at a no-break space, which becomes a plain one."""
    if width is not None:
        lines = [part for line in lines for part in textwrap.wrap(line, max(width, 20)) or [line]]
    return [line.replace(_TIE, " ") for line in lines]


def aligned(lines: Sequence[Sequence[str]], texts: int = 1) -> list[str]:
    """Put cells in columns: the first `texts` and the last to the left, numbers to the right."""
    widths = [max(map(width_of, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            pad(cell, width, texts <= k < len(line) - 1)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
