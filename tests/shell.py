"""What the tests of the command share: small files, and the command run in this process."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ranktally import cli

COMMAND = [sys.executable, "-m", "ranktally"]


def columns(n: int = 400) -> dict[str, object]:
    rng = np.random.default_rng(3)
    y = (rng.random(n) < 0.3).astype(int)
    return {
        "y": y,
        "good": np.round(y + rng.normal(size=n), 3),
        "poor": np.round(0.3 * y + rng.normal(size=n), 3),
        "w": rng.integers(1, 4, n),
        "g": np.where(np.arange(n) % 3 == 0, "north", "south"),
        "channel": np.where(np.arange(n) % 2 == 0, "web", "shop"),
    }


DATA = columns()


def write_csv(path: Path, data: dict[str, object]) -> Path:
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


def run_here(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Run the command in this process -> (code, stdout, stderr)."""
    code = cli.main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err
