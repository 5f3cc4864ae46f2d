"""The generator, and the distribution of what is drawn with it."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
import pytest
from refusals import refused

from ranktally._draws import make_draws, read_seed, seed_key
from ranktally._engine import loops

# From the known-answer vectors that Random123 publishes for Philox4x32 of 10 rounds:
# counter, key, words.
ONES = 0xFFFFFFFF
KNOWN = [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((ONES,) * 4, (ONES,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]
LIMIT = 5.0  # standard deviations: one wrong alarm in two million


@pytest.fixture
def loop(engine: str) -> ModuleType:
    return loops(engine, 1)


def drawn(loop: ModuleType, n: int, replicate: int = 0, seed: int = 1) -> np.ndarray:
    counts = np.full(n, 99, np.uint8)
    loop.draw_units(seed_key(seed), replicate, 0, counts)
    return counts


def chi_square_excess(observed: np.ndarray, expected: np.ndarray) -> float:
    """How many standard deviations chi-square lies above its mean (Wilson and Hilferty)."""
    keep = expected > 5
    observed = np.append(observed[keep], observed[~keep].sum())
    expected = np.append(expected[keep], expected[~keep].sum())
    keep = expected > 0
    value = float(((observed - expected)[keep] ** 2 / expected[keep]).sum())
    degrees = int(keep.sum()) - 1
    part = 2.0 / (9.0 * degrees)
    return ((value / degrees) ** (1 / 3) - (1 - part)) / math.sqrt(part)


def binomial_masses(n: int, p: float) -> np.ndarray:
    k = np.arange(n + 1)
    logs = np.asarray([math.lgamma(x + 1) for x in range(n + 1)])
    return np.exp(logs[n] - logs[k] - logs[n - k] + k * math.log(p) + (n - k) * math.log1p(-p))


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_known_answers(loop, counter, key, words):
    given = [np.uint64(x) for x in (*counter, *key)]
    assert " ".join(f"{int(x):08x}" for x in loop.philox(*given)) == words


@pytest.mark.parametrize("n", [1, 2, 7, 100, 1000])
def test_as_many_draws_as_units(loop, n):
    for replicate in range(3):
        assert drawn(loop, n, replicate).sum(dtype=int) == n


@pytest.mark.big
@pytest.mark.parametrize("n", [1, 3, 1000, (1 << 15) - 1, 1 << 15, (1 << 15) + 1, 200_003])
def test_both_engines_draw_the_same_bytes(n):
    for replicate in range(2):
        first, second = (
            drawn(loops(name, 1), n, replicate, (1 << 40) + 5) for name in ("numba", "numpy")
        )
        assert first.sum(dtype=int) == n
        assert first.tobytes() == second.tobytes()


def test_replicates_and_seeds_differ(loop):
    base = drawn(loop, 100).tobytes()
    assert base == drawn(loop, 100).tobytes()
    assert base != drawn(loop, 100, replicate=1).tobytes()
    assert base != drawn(loop, 100, seed=2).tobytes()
    assert base != drawn(loop, 100, seed=1 + (1 << 32)).tobytes()


@pytest.mark.big
def test_small_draws_are_multinomial():
    kernels = loops("numba", 1)
    tally: dict[bytes, int] = {}
    total = 54_000
    for replicate in range(total):
        counts = drawn(kernels, 4, replicate, 3).tobytes()
        tally[counts] = tally.get(counts, 0) + 1
    observed, expected = [], []
    for a in range(5):
        for b in range(5 - a):
            for c in range(5 - a - b):
                cell = (a, b, c, 4 - a - b - c)
                ways = math.factorial(4) / math.prod(math.factorial(x) for x in cell)
                observed.append(tally.get(bytes(cell), 0))
                expected.append(total * ways / 4**4)
    assert sum(observed) == total
    assert abs(chi_square_excess(np.asarray(observed), np.asarray(expected))) < LIMIT


@pytest.mark.big
@pytest.mark.parametrize(
    ("draws", "edges"),
    [
        (40, [0, 3, 10]),  # waiting times, on either side of a half
        (40, [0, 7, 10]),
        (1000, [0, 3, 10]),  # transformed rejection
        (1000, [0, 8, 10]),
        (30, [0, 1, 2]),
        (100_000, [0, 1, 20_000]),  # a rare cell
        (20, [0, 10, 20]),  # a mean of exactly 10
    ],
)
def test_cells_are_binomial(draws, edges):
    kernels = loops("numba", 1)
    total = 40_000
    edges = np.asarray(edges, np.int64)
    found = np.zeros(draws + 1, np.int64)
    cells = np.empty(2, np.int64)
    for replicate in range(total):
        kernels.draw_cells(seed_key(11), replicate, 0, edges, draws, cells)
        assert cells.sum() == draws
        found[cells[0]] += 1
    masses = binomial_masses(draws, edges[1] / edges[2])
    assert abs(chi_square_excess(found, total * masses)) < LIMIT


@pytest.mark.big
def test_blocks_share_the_draws():
    # Over several blocks of units, and within them: every unit is as likely as any other.
    kernels = loops("numba", 1)
    n = 3 * (1 << 15) + 1000
    total = np.zeros(n, np.int64)
    blocks = []
    for replicate in range(400):
        counts = drawn(kernels, n, replicate, 5)
        total += counts
        blocks.append(np.add.reduceat(counts.astype(np.int64), [0, 1 << 15, 2 << 15, 3 << 15]))
    assert abs(chi_square_excess(total, np.full(n, 400.0))) < LIMIT
    p = (1 << 15) / n
    spread = np.var(np.asarray(blocks)[:, 0]) / (n * p * (1 - p))
    assert abs(spread - 1) < LIMIT * math.sqrt(2 / 400)


@pytest.mark.big
def test_cells_of_both_engines():
    edges = np.unique(np.random.default_rng(0).integers(1, 10**7, 400))
    edges = np.concatenate([[0], edges, [10**7]])
    found = []
    for name in ("numba", "numpy"):
        cells = np.full(edges.size - 1, -1, np.int64)
        loops(name, 1).draw_cells(seed_key(2), 7, 0, edges, 10**7, cells)
        assert cells.sum() == 10**7
        found.append(cells.tobytes())
    assert found[0] == found[1]


@pytest.mark.big
def test_poisson_counts():
    draws = make_draws("poisson", 9, np.zeros(100_001, np.uint8), None, 0)
    found = []
    for name in ("numba", "numpy"):
        counts = np.empty(100_001, np.uint8)
        draws.draw(4, loops(name, 1), counts)
        found.append(counts)
    assert found[0].tobytes() == found[1].tobytes()
    masses = np.asarray([math.exp(-1) / math.factorial(k) for k in range(20)])
    observed = np.bincount(found[0], minlength=20)
    assert abs(chi_square_excess(observed, 100_001 * masses)) < LIMIT


def test_stratified_draws_keep_class_counts(loop):
    label = np.asarray([1, 0, 0, 1, 1, 0, 0, 0], np.uint8)
    draws = make_draws("stratified", 1, label, None, 0)
    counts = np.empty(8, np.uint8)
    for replicate in range(5):
        draws.draw(replicate, loop, counts)
        of_rows = counts[draws.unit]
        assert of_rows[label == 1].sum() == 3
        assert of_rows[label == 0].sum() == 5


@pytest.mark.parametrize("seed", [-1, 1 << 64, 1.5, True, "7"])
def test_seeds_are_checked(seed):
    with refused("`seed`", repr(seed)):
        read_seed(seed)


def test_seeds_from_the_system_differ():
    assert len({read_seed(None) for _ in range(5)}) > 1
    assert read_seed(np.int64(7)) == 7
