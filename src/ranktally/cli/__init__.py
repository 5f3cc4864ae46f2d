"""The command `ranktally`.

Nothing heavy is imported here: help and usage errors answer at once.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..errors import RanktallyError
from ._options import UsageError
from ._parsing import parse
from ._spelling import as_options
from ._telling import tell

__all__ = ["main"]

_BUG = 1
_USAGE = 2
_DATA = 3
_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the command's name; `sys.argv[1:]` when not given.

    Returns
    -------
    int
        0 fine, 1 a bug of ranktally, 2 wrong usage, 3 unusable data, 4 a gate failed,
        130 interrupted, 141 the reader of the output went away.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    own_process = argv is None
    _open_missing_streams()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _tell_warning
            code = _run(arguments)
        sys.stdout.flush()
        return code
    except SystemExit as done:  # argparse's way out of --help and --version
        return done.code if isinstance(done.code, int) else _USAGE
    except KeyboardInterrupt:
        return _fail("interrupted", _INTERRUPTED, debug)
    except BrokenPipeError:
        if own_process:
            _close_stdout()
        return _BROKEN_PIPE
    except UsageError as error:
        return _fail(str(error), _USAGE, debug)
    except RanktallyError as error:
        return _fail(as_options(str(error)), _DATA, debug)
    except OSError as error:  # a full disk, a device that fails
        if own_process:
            _close_stdout()
        where = f"{error.filename!r}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", _DATA, debug)
    except MemoryError as error:
        return _fail(
            f"not enough memory: {error}" if str(error) else "not enough memory", _DATA, debug
        )
    except Exception as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        way_out = "" if debug else "; run again with --debug and report what it shows"
        return _fail(f"this is a bug in ranktally: {told}{way_out}", _BUG, debug)


def _run(arguments: list[str]) -> int:
    options = parse(arguments)
    verb = importlib.import_module(f"._{options.verb}", __name__)
    code: int = verb.run(options)
    return code


def _fail(message: str, code: int, debug: bool) -> int:
    if debug:
        with suppress(OSError):
            traceback.print_exc()
    tell(message)
    return code


def _tell_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    tell(f"warning: {message}")


def _open_missing_streams() -> None:
    """Stand in for streams that the caller closed: Python then has None in their place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


def _close_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter's exit stays quiet."""
    try:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)
    except (OSError, ValueError):
        pass
