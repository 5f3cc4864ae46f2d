"""Agreement with the peers where they are right, and a record of where they are not.

A record that no longer holds fails: a peer that was mended should leave the table.
"""

from __future__ import annotations

import naive
import numpy as np
import pytest
from peers import DUCKDB_RANK_AUC, PEERS, Peer, duckdb_query, duckdb_table

import ranktally as rt

EACH = pytest.mark.parametrize("peer", PEERS, ids=lambda p: p.name)
AREAS = pytest.mark.parametrize("area", ["roc_auc", "average_precision"])


def ask(peer: Peer, area: str, y, s, w=None) -> float:
    pytest.importorskip(peer.module)
    function = getattr(peer, area)
    return function(peer.prepare(np.asarray(y), np.asarray(s), w))


@pytest.fixture(scope="module")
def data() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(3)
    n = 5000
    y = (rng.random(n) < 0.1).astype(np.int64)
    s = rng.normal(size=n) + y
    return {
        "distinct": (y, s),
        "tied": (y, np.round(s, 1)),
        "float32": (y, s.astype(np.float32)),
        "small integers": (y, np.clip(s * 10, -100, 100).astype(np.int64)),
        "constant": (y, np.zeros(n)),
        "balanced": ((rng.random(n) < 0.5).astype(np.int64), np.round(s, 2)),
        "two values": (y, (s > 1).astype(np.float64)),
        "all positive but one": ((np.arange(n) > 0).astype(np.int64), s),
    }


KINDS = [
    "distinct", "tied", "float32", "small integers", "constant", "balanced", "two values",
    "all positive but one",
]  # fmt: skip


@EACH
@AREAS
@pytest.mark.parametrize("kind", KINDS)
def test_agreement(engine, data, peer, area, kind):
    y, s = data[kind]
    ours = getattr(rt.tally(y, s, engine=engine), area)()
    assert ours == pytest.approx(ask(peer, area, y, s), abs=1e-12)


@EACH
@AREAS
@pytest.mark.parametrize("kind", ["distinct", "tied"])
def test_agreement_with_weights(engine, data, peer, area, kind):
    if not peer.weights:
        return
    y, s = data[kind]
    w = np.random.default_rng(8).random(len(y))
    ours = getattr(rt.tally(y, s, w, engine=engine), area)()
    assert ours == pytest.approx(ask(peer, area, y, s, w), abs=1e-12)


@EACH
@AREAS
def test_agreement_on_infinite_scores(engine, peer, area):
    if not peer.infinite:
        return
    y, s = [0, 1, 1, 0, 1, 0], [np.inf, np.inf, np.inf, np.inf, 2.5, -np.inf]
    ours = getattr(rt.tally(y, s, engine=engine), area)()
    assert ours == pytest.approx(ask(peer, area, y, s), abs=1e-15)


@EACH
def test_agreement_on_one_class(engine, peer):
    if not peer.one_class:
        return
    y, s = [1, 1], [0.1, 0.2]
    np.testing.assert_equal(ask(peer, "roc_auc", y, s), rt.tally(y, s, engine=engine).roc_auc())


def test_rank_query(engine, data):
    """The query people write by hand, with mid-ranks."""
    pytest.importorskip("duckdb")
    for y, s in data.values():
        found = duckdb_query(DUCKDB_RANK_AUC)(duckdb_table(y, s, None))
        assert rt.tally(y, s, engine=engine).roc_auc() == pytest.approx(found, abs=1e-12)


WRONG = [
    pytest.param(peer, area, wrong, id=f"{peer.name}-{area}-{wrong.case}")
    for peer in PEERS
    for area, records in (("roc_auc", peer.wrong_auc), ("average_precision", peer.wrong_ap))
    for wrong in records
]


@pytest.mark.parametrize(("peer", "area", "wrong"), WRONG)
def test_where_a_peer_is_wrong(engine, peer, area, wrong):
    given = ask(peer, area, wrong.labels, wrong.scores)
    assert given == pytest.approx(wrong.gives, abs=1e-12), "mended: take it out of the table"
    ours = rt.tally(wrong.labels, wrong.scores, missing="omit", engine=engine)
    kept = [(y, s) for y, s in zip(wrong.labels, wrong.scores.tolist(), strict=True) if s == s]
    exact = naive.as_float(naive.RANKINGS[area](*zip(*kept, strict=True)))
    np.testing.assert_allclose(getattr(ours, area)(), exact, rtol=1e-15)
    np.testing.assert_allclose(exact, wrong.right, rtol=1e-15)


def test_scikit_learn_refuses_what_we_rank():
    """Missing and infinite scores: an error there, a rule here."""
    metrics = pytest.importorskip("sklearn.metrics")
    for scores in ([np.nan, 0.9], [np.inf, 0.9]):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            metrics.roc_auc_score([0, 1], scores)
