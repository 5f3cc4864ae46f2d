"""The same loops in plain NumPy: the oracle of `kernels`, and the engine of small inputs."""

from ._classes import class_areas, class_blocks, class_tally, split_classes
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
    "class_areas",
    "class_blocks",
    "class_tally",
    "count_areas",
    "cut_counts",
    "cut_weights",
    "group_words",
    "key_range",
    "limb_sums",
    "order_weights",
    "pack_words",
    "refine_words",
    "row_scales",
    "segment_areas",
    "segment_blocks",
    "segment_tally",
    "split_classes",
    "weighted_areas",
]
