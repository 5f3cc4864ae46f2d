"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat

from .errors import InputError

__all__ = ["check_destination", "format_of", "replace_file"]

_SUFFIXES = {
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's suffix stands for."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in _SUFFIXES:
        raise InputError(
            f"`format` is not given and the suffix of {os.fspath(path)!r} does not tell it; "
            f"known suffixes are {', '.join(_SUFFIXES)}"
        )
    return _SUFFIXES[suffix]


def check_destination(path: str | os.PathLike[str]) -> None:
    """Raise InputError, before the work is done, when a file could not be written there."""
    target = _target(path)
    folder = os.path.dirname(target)
    name = os.fspath(path)
    if os.path.isdir(target):
        raise InputError(f"cannot write {name!r}: it is a folder; name a file in it")
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InputError(f"cannot write {name!r}: {folder!r} is a file, not a folder")
    if not os.path.isdir(folder):
        raise InputError(
            f"cannot write {name!r}: the folder {folder!r} does not exist; make it first"
        )
    if not os.access(target if _is_special(target) else folder, os.W_OK):
        raise InputError(f"cannot write {name!r}: no permission to write in {folder!r}")


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a whole file or leave everything as it was."""
    target = _target(path)
    # A pipe or device must not be replaced by a file: it is written to as it stands.
    special = _is_special(target)
    partial = target
    if not special:
        folder, name = os.path.split(target)
        partial = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.partial")
    try:
        try:
            with open(partial, "wb" if special else "xb") as file:
                file.write(content)
            if not special:
                os.replace(partial, target)
        except BaseException:
            if not special and os.path.lexists(partial):
                os.unlink(partial)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from None


def _target(path: str | os.PathLike[str]) -> str:
    """Return where a file is written: behind links, but a pipe or device by the name it has."""
    # The link /dev/stdout leads to a pipe that has no name of its own.
    return os.path.abspath(path) if _is_special(os.fspath(path)) else os.path.realpath(path)


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
