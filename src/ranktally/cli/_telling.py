"""What the command says on stderr: one line that no name in the data can break or colour."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

__all__ = ["tell", "tell_seed"]


def tell(message: str) -> None:
    """Print one line on stderr, whatever the message holds."""
    line = " ".join(message.split())
    if not line.isprintable():
        from .._wording import printable

        line = printable(line)
    with suppress(OSError):  # a stderr that takes nothing must not change the exit code
        print("ranktally:", line, file=sys.stderr, flush=True)


def tell_seed(options: Namespace, summary: Mapping[str, Any]) -> None:
    """Tell a seed that was drawn where the result, bare rows, has no place for it."""
    seed = summary.get("seed")
    if seed is None or options.seed is not None or options.format in ("table", "json"):
        return
    tell(f"seed {seed} was drawn: pass --seed {seed} to repeat")
