"""Telling how far a long call is: a callable of the caller's, or a bar on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from ._types import Progress
from .errors import InputError

__all__ = ["Bar", "reporting"]

PATIENCE = 0.5


class Bar:
    """A bar on stderr that appears when the work takes longer than half a second.

    Call it with (done, total); use it as a context, so that it is wiped whatever happens.
    """

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done."""
        if self._bar is None:
            if time.monotonic() - self._start < PATIENCE:
                return
            from tqdm import tqdm

            tqdm.monitor_interval = 0  # no thread of its own
            self._bar = tqdm(
                total=total,
                file=sys.stderr,
                leave=False,
                bar_format="{percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} to go",
            )
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def reporting(progress: Progress) -> Iterator[Callable[[int, int], object] | None]:
    """Give what is to be called with (done, total), or None.

    Raises
    ------
    InputError
        If `progress` is neither a bool nor callable.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with Bar() as bar:
            yield bar
    elif callable(progress):
        yield progress
    else:
        raise InputError(f"`progress` must be True, False or callable, got {progress!r}")
