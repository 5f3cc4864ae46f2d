"""Where and with what something was measured, for the tables of README."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import ranktally
from ranktally._runtime import thread_count

__all__ = ["conditions", "load"]


def load() -> float | None:
    """Load average over the last minute, where the system tells."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def conditions(packages: Iterable[str], before: float | None) -> str:
    """Threads, machine, versions, date and load; `before` is what `load` said at the start."""
    found = []
    for name in packages:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed (its rows are missing)")
    parts = [
        f"ranktally {ranktally.__version__}",
        f"{thread_count()} threads (peers on their default number, NumPy's sorts on one)",
        _processor(),
        f"{os.cpu_count()} cores",
        platform.system(),
        f"Python {platform.python_version()}",
        *found,
    ]
    after = load()
    busy = (
        ""
        if before is None or after is None
        else f", load average {before:.1f} before the run and {after:.1f} at its end"
    )
    return f"{', '.join(parts)}; {date.today()}{busy}."


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        fields = dict(
            (part.strip() for part in line.split(":", 1))
            for line in info.read_text().split("\n\n")[0].splitlines()
            if ":" in line
        )
        wide = "AVX-512" if "avx512f" in fields.get("flags", "") else "no AVX-512"
        name = fields.get("model name", platform.machine())
        return f"{name} (family {fields.get('cpu family')}, model {fields.get('model')}, {wide})"
    return platform.processor() or platform.machine()
