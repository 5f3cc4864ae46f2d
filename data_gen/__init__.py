"""Seeded prediction dumps with known truth, for tests, benchmarks, the README and the demo.

A recipe returns the columns of a prediction dump and what is known about it: facts that hold
exactly for the generated rows (``sample``) and closed forms of the law that they were drawn from
(``population``). The same recipe, parameters and seed give the same rows for any batch size, any
number of files and any total: ``rows=1_000`` is the head of ``rows=1_000_000``. (NumPy may change
its distributions between releases, so the rows are fixed for one NumPy version.)

>>> import data_gen
>>> dump = data_gen.make("binormal", rows=1_000, seed=7, auc=0.9)
>>> sorted(dump.columns)
['label', 'score']
>>> dump.population["roc_auc"]
0.9
>>> dump.sample["n_pos"] + dump.sample["n_neg"]
1000
"""

from ._recipes import RECIPES, Dump, batches, make, parameters
from ._stream import BLOCK, to_arrow
from ._write import FORMATS, write

__all__ = [
    "BLOCK",
    "FORMATS",
    "RECIPES",
    "Dump",
    "batches",
    "make",
    "parameters",
    "to_arrow",
    "write",
]
