"""The errors that ranktally raises on purpose.

Everything else that escapes is a bug of ours.
"""

from __future__ import annotations

__all__ = ["InputError", "MissingExtra", "RanktallyError", "SchemaMismatch"]


LONGEST = 2_000


class RanktallyError(Exception):
    """Base of every error that ranktally raises on purpose.

    Its text is one line, also where it shows a value that prints as several, such as an array,
    and leaves out the middle of a value that would fill pages.
    """

    def __str__(self) -> str:
        text = " ".join(super().__str__().split("\n"))
        if len(text) > LONGEST:
            return f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
        return text


class InputError(RanktallyError, ValueError):
    """The data or an argument cannot be used; the message says which, where and the way out."""


class SchemaMismatch(InputError):
    """Two things that should fit together do not: files of one folder, states to be merged."""


class MissingExtra(RanktallyError, ImportError):
    """An optional dependency is not installed; the message holds the line that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs `{package}`, which is not installed: pip install 'ranktally[{extra}]'"
        )
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[object, ...]:
        # ImportError would be rebuilt from its one message; keep the three parts for pickling.
        return (_rebuild_missing_extra, (self.package, self.extra, str(self)))


def _rebuild_missing_extra(package: str, extra: str, message: str) -> MissingExtra:
    error = MissingExtra.__new__(MissingExtra)
    ImportError.__init__(error, message)
    error.package = package
    error.extra = extra
    return error
