"""What only a fresh process can tell: start-up times and peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

__all__ = ["ROOT", "bytes_above_input", "seconds_inside", "seconds_of"]

ROOT = Path(__file__).resolve().parent.parent


def _environment(**changes: str) -> dict[str, str]:
    paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))} | changes


def _output(code: str, **changes: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=_environment(**changes), capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"a fresh process failed:\n{code}\n{done.stderr}")
    return done.stdout


def seconds_inside(code: str, setup: str = "", *, compiled: bool = True) -> float:
    """Time `code` after `setup` in a fresh process, its own start-up left out.

    With ``compiled=False`` no kernel was ever compiled: numba's cache is an empty folder.
    """
    program = (
        f"{setup}\nimport time\nbegun = time.perf_counter()\n{code}\n"
        "print(time.perf_counter() - begun)"
    )
    if compiled:
        return float(_output(program))
    with tempfile.TemporaryDirectory() as empty:
        return float(_output(program, NUMBA_CACHE_DIR=empty))


def seconds_of(command: list[str], *, compiled: bool = True) -> float:
    """Time a whole command, from its start to its end."""
    with tempfile.TemporaryDirectory() as empty:
        environment = _environment() if compiled else _environment(NUMBA_CACHE_DIR=empty)
        begun = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begun


def bytes_above_input(setup: str, warm_up: str, code: str) -> int:
    """Peak resident memory while `code` runs, above what `setup` and `warm_up` hold.

    Linux only: it resets the high-water mark that the kernel keeps for a process.
    """
    program = f"""
{setup}
{warm_up}
def field(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(name))
before = field("VmRSS")
with open("/proc/self/clear_refs", "w") as mark:
    mark.write("5")
result = {code}
print(field("VmHWM") - before)
"""
    return int(_output(program))
