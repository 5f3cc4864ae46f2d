"""When two tallies are the same: to the byte, types included."""

from __future__ import annotations

import ranktally as rt

ARRAYS = ("threshold", "tp", "fp")
TOTALS = ("n_pos", "n_neg", "n_rows", "n_null", "n_nan", "complete")


def same(a: rt.Tally, b: rt.Tally) -> bool:
    """Equal to the byte, types included."""
    arrays = all(
        getattr(a, k).dtype == getattr(b, k).dtype
        and getattr(a, k).tobytes() == getattr(b, k).tobytes()
        for k in ARRAYS
    )
    return arrays and all(getattr(a, k) == getattr(b, k) for k in TOTALS)
