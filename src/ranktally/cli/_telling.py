"""What the command says on stderr: one line that no name in the data can break or colour."""

from __future__ import annotations

import sys
from contextlib import suppress

__all__ = ["tell"]


def tell(message: str) -> None:
    """Print one line on stderr, whatever the message holds."""
    line = " ".join(message.split())
    if not line.isprintable():
        from .._wording import printable

        line = printable(line)
    with suppress(OSError):  # a stderr that takes nothing must not change the exit code
        print("ranktally:", line, file=sys.stderr, flush=True)
