"""The jit gate, thread counts and the pool that lives for one call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any, TypeVar, cast

from .errors import InputError

__all__ = ["blocks", "check", "jit", "run", "thread_count"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_THREADS_VARIABLE = "RANKTALLY_NUM_THREADS"
_PLAIN_VARIABLE = "RANKTALLY_DISABLE_JIT"

# Of each `run` that the current task is part of, the outermost first: whether it is to end.
_stops: ContextVar[tuple[threading.Event, ...]] = ContextVar("stops", default=())


class _Stopped(BaseException):
    """Ends a task whose call is over; `run` raises what ended the call in its place."""


def jit(function: F) -> F:
    """Compile a kernel: no GIL, no fast-math, kept on disk where a place is writable.

    numba looks for a cache folder when it decorates and raises when it finds none that can be
    written (a read-only container, a zipped package): such a machine compiles in each process.
    With ``RANKTALLY_DISABLE_JIT=1`` the kernel stays plain Python, for debuggers and for the tests
    that run the very same lines without a compiler.
    """
    if os.environ.get(_PLAIN_VARIABLE) == "1":
        return function
    import numba

    compiled: Any
    try:
        compiled = numba.njit(nogil=True, cache=True)(function)
        # A package run from a zip file names a cache folder that is only made at the first call.
        cache = getattr(compiled, "_cache", None)
        locator = getattr(getattr(cache, "_impl", None), "locator", None)
        if locator is not None:
            locator.ensure_cache_path()
        if cache is not None:
            cache.save_overload = partial(_save, cache.save_overload)
    except (RuntimeError, OSError):
        compiled = numba.njit(nogil=True)(function)
    return cast(F, compiled)


def _save(keep: Callable[..., None], *compiled: Any) -> None:
    """Keep a kernel on disk; a disk that is full costs the next process time, and nothing else."""
    with suppress(OSError):
        keep(*compiled)


def thread_count(threads: int | None = None) -> int:
    """Threads that a call may use.

    Parameters
    ----------
    threads : int or None
        None takes ``RANKTALLY_NUM_THREADS`` or else what the affinity mask and the cgroup quota
        leave to this process.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    InputError
        If `threads` or the environment variable is not a positive whole number.
    """
    if threads is not None:
        number: object = threads
        if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
            raise InputError(f"`threads` must be a whole number of at least 1, got {threads!r}")
        return int(number)
    text = os.environ.get(_THREADS_VARIABLE)
    if text:
        if not text.strip().isdecimal() or int(text) < 1:
            raise InputError(
                f"the environment variable {_THREADS_VARIABLE} must be a whole number of at "
                f"least 1, got {text!r}: correct it or unset it"
            )
        return int(text)
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        cores = os.cpu_count() or 1
    quota = _cgroup_quota()
    return max(1, min(cores, quota) if quota else cores)


def _cgroup_quota() -> int | None:
    """Whole cores that the container's CPU quota allows, or None without a quota."""
    try:
        quota, period = _system_file("/sys/fs/cgroup/cpu.max").split()[:2]
    except (OSError, ValueError):
        try:
            quota = _system_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us").strip()
            period = _system_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us").strip()
        except OSError:
            return None
    if not (quota.isdigit() and period.isdigit()) or int(period) == 0:
        return None
    return max(1, round(int(quota) / int(period)))


def _system_file(path: str) -> bytes:
    """What a small file of the system says, without the 50 microseconds of `Path.read_text`."""
    with open(path, "rb", buffering=0) as file:
        return file.read()


def run(
    tasks: Sequence[Callable[[], T]],
    threads: int,
    progress: Callable[[int, int], object] | None = None,
) -> list[T]:
    """Run tasks on a pool that lives for this call; results in the order of the tasks.

    The first error, from a task or from `progress`, or Ctrl-C, drops the tasks not yet begun and
    ends those under way where they next `check`; the call returns when they have ended, so that
    nothing is left running. A pool of the module's own would hang in a forked child.
    """
    total = len(tasks)
    if threads == 1 or total <= 1:
        results = []
        for done, task in enumerate(tasks, start=1):
            check()
            results.append(task())
            if progress is not None:
                progress(done, total)
        return results
    stop = threading.Event()
    stops = (*_stops.get(), stop)

    def begin(task: Callable[[], T]) -> T:
        _stops.set(stops)
        check()
        return task()

    with ThreadPoolExecutor(min(threads, total), thread_name_prefix="ranktally") as pool:
        try:
            futures = [pool.submit(begin, task) for task in tasks]
            pending = set(futures)
            while pending:
                finished, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                check()
                if progress is not None and finished:
                    progress(total - len(pending), total)
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [future.result() for future in futures]


def check() -> None:
    """End the current task if its call is over; to be called between steps that take long.

    Outside the tasks of `run` it does nothing: there, Python itself raises KeyboardInterrupt.
    """
    if any(stop.is_set() for stop in _stops.get()):
        raise _Stopped


def blocks(n: int, parts: int) -> list[tuple[int, int]]:
    """Cut ``range(n)`` into at most `parts` runs of nearly equal length, none of them empty."""
    parts = max(1, min(parts, n))
    edges = [n * part // parts for part in range(parts + 1)]
    return list(pairwise(edges))
