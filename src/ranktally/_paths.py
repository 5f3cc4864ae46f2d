"""Paths, lists, globs and folders -> the files of one data set, in order."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePath
from urllib.parse import unquote

from .errors import InputError

__all__ = ["Found", "find_files"]

_FORMATS = {
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
}
_COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".br")
_MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow", b"\xff\xff\xff\xff": "arrow"}
_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Found:
    """One file: its path as the caller would write it, its format and its Hive keys."""

    path: str
    format: str
    keys: dict[str, str | None]


def find_files(data: object) -> list[Found]:
    """Expand a path, glob, folder or a list of them.

    A list keeps its order; a glob and a folder give their files in sorted order.

    Raises
    ------
    InputError
        Where nothing matches, a path is missing, or a file comes twice.
    """
    items: Iterable[object]
    items = [data] if isinstance(data, (str, os.PathLike)) else list(data)  # type: ignore[call-overload]
    if not items:
        raise InputError("`data` is an empty list: expected at least one path")
    found: list[Found] = []
    for item in items:
        if not isinstance(item, (str, os.PathLike)):
            raise InputError(
                f"`data` is a list that holds {type(item).__name__}: expected paths only"
            )
        found += _expand(os.fspath(item))
    seen: dict[str, str] = {}
    for file in found:
        real = os.path.realpath(file.path)
        if real in seen:
            raise InputError(
                f"`data`: file {file.path!r} comes twice (first as {seen[real]!r}), so its rows"
                " would count double: name it once"
            )
        seen[real] = file.path
    return found


def _expand(path: str | bytes) -> list[Found]:
    path = os.path.expanduser(os.fsdecode(path))
    if "://" in path:
        raise InputError(
            f"`data`: {path!r} is not a local path: read it with its own client and pass the"
            " table, or pass `pyarrow.dataset.dataset(...).scanner(columns=[...]).to_reader()`"
        )
    if os.path.isdir(path):
        return _walk(path)
    if os.path.isfile(path):
        return [_found(path)]
    if os.path.exists(path):
        raise InputError(f"`data`: {path!r} is a pipe or device: pipe it to standard input (`-`)")
    if os.path.islink(path):
        raise _dangling(path)
    closed = _closed_folder(path)
    if closed:
        raise InputError(f"`data`: {path!r} cannot be read: no permission for folder {closed!r}")
    if not glob.has_magic(path):
        raise InputError(f"`data`: there is no file or folder {path!r}{_near(path)}")
    names = sorted(glob.glob(path, recursive=True))
    # Writers leave markers such as _SUCCESS beside the data; only a pattern for them finds them.
    if not os.path.basename(path).startswith(("_", ".")):
        names = [n for n in names if not os.path.basename(n.rstrip("/")).startswith(("_", "."))]
    files: dict[str, Found] = {}
    for name in names:
        # With ** a folder and its files both match: each file counts once.
        for file in _walk(name, strict=False) if os.path.isdir(name) else [_found(name)]:
            files.setdefault(os.path.realpath(file.path), file)
    if not files:
        raise InputError(f"`data`: no file matches {path!r}")
    return sorted(files.values(), key=lambda file: file.path)


def _walk(folder: str, *, strict: bool = True) -> list[Found]:
    paths: list[str] = []
    visited: set[str] = set()
    for root, folders, files in os.walk(folder, followlinks=True, onerror=_refuse_folder):
        real = os.path.realpath(root)
        if real in visited:  # a link that leads back up
            folders.clear()
            continue
        visited.add(real)
        folders[:] = [name for name in folders if not name.startswith(("_", "."))]
        paths += [os.path.join(root, n) for n in files if not n.startswith(("_", "."))]
    found = [
        _found(path, format_) for path in sorted(paths) if (format_ := _kind(path)) is not None
    ]
    if not found and strict:
        raise InputError(f"`data`: folder {folder!r} holds no Parquet, CSV or Feather file")
    return found


def _found(path: str, format_: str | None = None) -> Found:
    # A file that was named is taken for text where neither its name nor its first bytes tell.
    format_ = format_ or _kind(path) or "csv"
    shown = path.replace(os.sep, "/")
    if not shown.isascii() and shown != shown.encode(errors="replace").decode():
        raise InputError(f"file {path!r}: has a name that is not UTF-8: rename it")
    return Found(shown, format_, _hive_keys(shown))


def _kind(path: str) -> str | None:
    """Return the format of a file, None for what is no data by its name and first bytes."""
    by_name = _suffix_format(path)
    if not os.path.isfile(path):  # opening a pipe would wait for its writer
        if by_name is None:
            return None
        if os.path.islink(path) and not os.path.exists(path):
            raise _dangling(path)
        raise InputError(f"file {path!r}: is a pipe or device: pipe it to standard input (`-`)")
    if by_name is not None:
        return by_name
    try:
        with open(path, "rb") as file:
            return _MAGIC.get(file.read(4))
    except OSError as error:
        raise InputError(f"file {path!r} cannot be opened: {error.strerror}") from error


def _suffix_format(path: str) -> str | None:
    stem, suffix = os.path.splitext(path.lower())
    if suffix in _COMPRESSED and os.path.splitext(stem)[1] in (".csv", ".tsv"):
        return "csv"
    return _FORMATS.get(suffix)


def _dangling(path: str) -> InputError:
    return InputError(
        f"file {path!r}: is a link to {os.readlink(path)!r}, which does not exist: mend or"
        " remove it"
    )


def _refuse_folder(error: OSError) -> None:
    # Files that cannot be seen would be missing from the result without a word.
    raise InputError(f"folder {error.filename!r} cannot be read: {error.strerror}") from error


def _closed_folder(path: str) -> str | None:
    """Return the folder, plain in its name, in which a path or pattern cannot be looked up."""
    parts = PurePath(path).parts[:-1]
    plain = list(takewhile(lambda part: not glob.has_magic(part), parts))
    folders = [os.path.join(*plain[: i + 1]) for i in range(len(plain))]
    need = os.R_OK | os.X_OK if glob.has_magic(path) else os.X_OK
    return next((f for f in folders if os.path.isdir(f) and not os.access(f, need)), None)


def _hive_keys(path: str) -> dict[str, str | None]:
    keys: dict[str, str | None] = {}
    for part in PurePath(path).parts[:-1]:
        key, equals, value = part.partition("=")
        if key and equals:
            keys[unquote(key)] = None if value == _HIVE_NULL else unquote(value)
    return keys


def _near(path: str) -> str:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        return f" (folder {folder!r} does not exist either)"
    from difflib import get_close_matches

    names = os.listdir(folder) if os.access(folder, os.R_OK) else []
    near = get_close_matches(os.path.basename(path), names, n=1)
    return f"; did you mean {os.path.join(os.path.dirname(path), near[0])!r}?" if near else ""
