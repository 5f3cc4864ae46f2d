"""README's generated parts: text between a pair of markers."""

from __future__ import annotations

from .fresh import ROOT

__all__ = ["README", "between", "write_between"]

README = ROOT / "README.md"


def _markers(name: str) -> tuple[str, str]:
    return f"<!-- {name}: written by `python -m benchmarks.{name}` -->\n", f"<!-- end of {name} -->"


def between(name: str) -> str:
    """Return README's text between the markers."""
    opening, closing = _markers(name)
    return README.read_text().partition(opening)[2].partition(closing)[0]


def write_between(name: str, body: str) -> None:
    """Replace README's text between the markers."""
    opening, closing = _markers(name)
    head, found, rest = README.read_text().partition(opening)
    _, closed, tail = rest.partition(closing)
    if not found or not closed:
        raise SystemExit(f"README.md has no markers {opening.strip()} and {closing}")
    README.write_text(f"{head}{opening}{body}{closing}{tail}")
