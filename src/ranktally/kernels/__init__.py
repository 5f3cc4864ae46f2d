"""The compiled loops: one sort order, one pass. `reference` holds the same names in plain NumPy."""

from ._classes import class_areas, class_blocks, class_tally, split_classes
from ._placements import center_placements, pair_sums, spread_values
from ._resampling import (
    cell_tally,
    draw_cells,
    draw_poisson,
    draw_units,
    philox,
    unit_areas,
    unit_tally,
    weight_tally,
)
from ._rows import (
    cut_counts,
    cut_weights,
    group_words,
    key_range,
    limb_sums,
    order_weights,
    pack_words,
    refine_words,
    row_scales,
    segment_areas,
    segment_blocks,
    segment_tally,
)
from ._sums import count_areas, weighted_areas

__all__ = [
    "cell_tally",
    "center_placements",
    "class_areas",
    "class_blocks",
    "class_tally",
    "count_areas",
    "cut_counts",
    "cut_weights",
    "draw_cells",
    "draw_poisson",
    "draw_units",
    "group_words",
    "key_range",
    "limb_sums",
    "order_weights",
    "pack_words",
    "pair_sums",
    "philox",
    "refine_words",
    "row_scales",
    "segment_areas",
    "segment_blocks",
    "segment_tally",
    "split_classes",
    "spread_values",
    "unit_areas",
    "unit_tally",
    "weight_tally",
    "weighted_areas",
]
