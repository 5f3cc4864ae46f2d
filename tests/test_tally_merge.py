"""Tallies put together, taken apart, saved and read back."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pyarrow as pa
import pytest
from refusals import answer
from sameness import ARRAYS, same

import ranktally as rt

TIED = ([1, 1, 1, 0, 0, 0, 0], [0.9, 0.6, 0.4, 0.7, 0.4, 0.2, 0.1])


def test_merge_equals_all_rows(engine):
    y, s = map(np.array, TIED)
    a, b = (rt.tally(y[i], s[i], engine=engine) for i in (slice(0, 3), slice(3, None)))
    whole = rt.tally(y, s, engine=engine)
    assert same(a.merge(b), whole)
    assert same(b.merge(a), whole)


def test_empty_is_the_identity_of_merge(engine):
    t = rt.tally(*TIED, engine=engine)
    empty = rt.Tally.from_counts([], [], [])
    assert (empty.n_pos, empty.n_neg, empty.n_rows) == (0, 0, 0)
    assert same(t.merge(empty), t)
    assert same(empty.merge(t), t)
    assert same(empty.merge(empty), empty)


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint64"])
def test_empty_of_the_same_type_is_the_identity_too(engine, dtype):
    t = rt.tally([1, 0], np.array([2, 1], dtype=dtype), engine=engine)
    empty = rt.Tally.from_counts(np.array([], dtype=dtype), [], [])
    assert same(t.merge(empty), t)
    assert same(empty.merge(t), t)


def test_merge_promotes_single_to_double(engine):
    single = rt.tally([1, 0], np.array([0.7, 0.3], np.float32), engine=engine)
    double = rt.tally([1, 0], np.array([0.7, 0.5]), engine=engine)
    for both in (single.merge(double), double.merge(single)):
        assert both.threshold.dtype == np.float64
        wide = float(np.float32(0.7))
        assert both.threshold.tolist() == sorted(
            {wide, 0.7, 0.5, float(np.float32(0.3))}, reverse=True
        )


def test_merge_of_whole_and_real_scores_is_refused(engine):
    whole, real = rt.tally([1], [1], engine=engine), rt.tally([1], [1.0], engine=engine)
    for a, b in ((whole, real), (real, whole)):
        with pytest.raises(rt.SchemaMismatch, match=r"int64.*float64|float64.*int64"):
            a.merge(b)


def test_merge_of_signed_and_unsigned_is_exact_or_refused(engine):
    signed = rt.tally([1, 0], np.array([2**53 + 1, -1]), engine=engine)
    unsigned = rt.tally([0], np.array([2**53], np.uint64), engine=engine)
    large = rt.tally([0], np.array([2**64 - 1], np.uint64), engine=engine)
    with pytest.raises(rt.SchemaMismatch, match=r"int64.*uint64|uint64.*int64"):
        signed.merge(large)
    merged = answer(lambda: signed.merge(unsigned), "int64", "uint64")
    assert merged is None or merged.roc_auc() == 1.0


def test_merge_of_weighted_and_unweighted(engine):
    y, s = map(np.array, TIED)
    plain = rt.tally(y[:3], s[:3], engine=engine)
    heavy = rt.tally(y[3:], s[3:], [2, 2, 2, 2], engine=engine)
    whole = rt.tally(y, s, [1, 1, 1, 2, 2, 2, 2], engine=engine)
    for both in (plain.merge(heavy), heavy.merge(plain)):
        assert both.tp.dtype == both.fp.dtype == np.float64
        assert both.tp.tolist() == whole.tp.tolist()
        assert both.roc_auc() == whole.roc_auc()


def test_merge_adds_what_was_missing(engine):
    a = rt.tally([1, 0], [0.5, math.nan], missing="worst", engine=engine)
    b = rt.tally([1, 0], [None, 0.2], missing="worst", engine=engine)
    both = a.merge(b)
    whole = rt.tally([1, 0, 1, 0], [0.5, math.nan, None, 0.2], missing="worst", engine=engine)
    assert same(both, whole)
    assert both.roc_auc() == whole.roc_auc()


def test_merge_wants_a_tally(engine):
    t = rt.tally(*TIED, engine=engine)
    with pytest.raises((TypeError, rt.InputError), match="Tally"):
        t.merge(t.threshold)


def test_from_counts(engine):
    t = rt.Tally.from_counts([0.4, 0.9, 0.4, 0.1], [1, 2, 0, 0], [0, 0, 1, 3])
    assert t.threshold.tolist() == [0.9, 0.4, 0.1]
    assert (t.tp.tolist(), t.fp.tolist()) == ([2, 3, 3], [0, 1, 4])
    rows = rt.tally([1, 1, 1, 0, 0, 0, 0], [0.9, 0.9, 0.4, 0.4, 0.1, 0.1, 0.1], engine=engine)
    assert same(t, rows)


def test_from_counts_drops_empty_cells_and_keeps_weights():
    t = rt.Tally.from_counts([3, 2, 1], [1.5, 0.0, 0.25], [0.5, 0.0, 0.0])
    assert t.threshold.tolist() == [3, 1]
    assert t.tp.tolist() == [1.5, 1.75]
    assert (t.n_pos, t.n_neg) == (1.75, 0.5)


@pytest.mark.parametrize(
    ("score", "pos", "neg", "named"),
    [
        ([1.0, 2.0], [1, -1], [0, 0], "pos"),
        ([1.0, 2.0], [1, 1], [0, math.nan], "neg"),
        ([1.0, 2.0], [1, 1], [0, math.inf], "neg"),
        ([1.0, math.nan], [1, 1], [0, 0], "score"),
        ([1.0, 2.0], [1, 1, 1], [0, 0], "3"),
        (["a", "b"], [1, 1], [0, 0], "score"),
    ],
)
def test_from_counts_refuses(score, pos, neg, named):
    with pytest.raises(rt.InputError, match=named):
        rt.Tally.from_counts(score, pos, neg)


# --- saved forms ------------------------------------------------------------------------------

KEPT = {
    "ties": lambda e: rt.tally(*TIED, engine=e),
    "weights": lambda e: rt.tally(*TIED, [1, 2, 3, 4, 5, 6, 0.1], engine=e),
    "float32": lambda e: rt.tally([1, 0], np.array([0.7, 0.1], np.float32), engine=e),
    "int64": lambda e: rt.tally([1, 0], [2**53 + 1, 2**53], engine=e),
    "uint64": lambda e: rt.tally([1, 0], np.array([2**64 - 1, 0], np.uint64), engine=e),
    "infinite": lambda e: rt.tally([1, 0], [math.inf, -math.inf], engine=e),
    "worst": lambda e: rt.tally([1, 0, 1], [0.5, math.nan, None], missing="worst", engine=e),
    "omit": lambda e: rt.tally([1, 0, 1], [0.5, math.nan, None], missing="omit", engine=e),
    "empty": lambda e: rt.Tally.from_counts([], [], []),
    "negated": lambda e: rt.tally(*TIED, higher_is_better=False, engine=e),
}


@pytest.mark.parametrize("kind", KEPT)
def test_arrow_round_trip(engine, kind, tmp_path):
    t = KEPT[kind](engine)
    table = t.to_arrow()
    assert same(rt.Tally.from_arrow(table), t)
    path = tmp_path / "t.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pa.memory_map(str(path)) as source:
        back = rt.Tally.from_arrow(pa.ipc.open_file(source).read_all())
        assert same(back, t)
        np.testing.assert_equal(back.roc_auc(), t.roc_auc())


@pytest.mark.parametrize("kind", KEPT)
def test_pickle_and_copies(engine, kind):
    t = KEPT[kind](engine)
    for other in (pickle.loads(pickle.dumps(t)), copy.copy(t), copy.deepcopy(t)):
        assert same(other, t)
        assert not other.tp.flags.writeable
        np.testing.assert_equal(other.average_precision(), t.average_precision())


def test_saved_form_has_a_version(engine):
    table = rt.tally(*TIED, engine=engine).to_arrow()
    metadata = table.schema.metadata
    assert metadata
    key = next(k for k in metadata if b"version" in k or b"ranktally" in k)
    other = metadata[key].replace(b"1", b"999")
    assert other != metadata[key]
    future = table.replace_schema_metadata({**metadata, key: other})
    with pytest.raises(rt.SchemaMismatch, match="999"):
        rt.Tally.from_arrow(future)


def test_from_arrow_refuses_other_tables():
    with pytest.raises(rt.InputError, match=r"from_arrow|to_arrow|Tally"):
        rt.Tally.from_arrow(pa.table({"a": [1]}))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda table: table.slice(0, 3),
        lambda table: table.slice(2),
        lambda table: table.take(list(range(table.num_rows))[::-1]),
        lambda table: table.set_column(1, "tp", pa.array([9] * table.num_rows)),
        lambda table: table.set_column(2, "fp", pa.array([-1] * table.num_rows)),
        lambda table: table.replace_schema_metadata({"ranktally.tally": "{bad"}),
        lambda table: table.replace_schema_metadata({"ranktally.tally": '{"format": 1}'}),
        lambda table: table.rename_columns(["threshold", "fp", "tp"]),
    ],
    ids=["head", "tail", "turned", "tp", "fp", "json", "no totals", "names"],
)
def test_from_arrow_refuses_a_spoiled_tally(engine, spoil):
    table = rt.tally(*TIED, engine=engine).to_arrow()
    with pytest.raises(rt.InputError):
        rt.Tally.from_arrow(spoil(table))


def test_an_incomplete_tally_does_not_pass_for_a_complete_one(engine):
    whole = rt.tally(*TIED, engine=engine)
    some = rt.Tally.from_counts([0.9, 0.4], [1, 2], [0, 4], complete=False)
    assert some.complete is False
    assert some.at(0.4).tp == 3
    with pytest.raises(rt.InputError, match="threshold"):
        some.at(0.7)
    with pytest.raises(rt.InputError):
        some.merge(whole)


def test_arrays_are_read_only(engine):
    t = rt.tally(*TIED, engine=engine)
    roc, pr = t.roc_curve(), t.pr_curve()
    arrays = [getattr(t, k) for k in ARRAYS]
    arrays += [getattr(c, k) for c in (roc, pr) for k in ("x", "y", "threshold", "n_predicted")]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_tally_is_frozen(engine):
    t = rt.tally(*TIED, engine=engine)
    with pytest.raises(AttributeError):
        t.n_pos = 7
