"""The dumps that other tests draw from hold what their truth says."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import data_gen

ROOT = Path(__file__).resolve().parents[1]
SYNTHETIC = [name for name in data_gen.RECIPES if name not in ("breast_cancer", "digits")]


def auc_by_ranks(label, score):
    """Mann-Whitney with middle ranks."""
    _, code, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[code]
    n_pos = int(label.sum())
    return (rank[label].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * (len(label) - n_pos))


def ap_by_groups(label, score):
    values, code = np.unique(-score.astype(float), return_inverse=True)
    tp = np.cumsum(np.bincount(code[label], minlength=len(values)))
    found = np.cumsum(np.bincount(code, minlength=len(values)))
    return float(np.sum(np.diff(tp, prepend=0) * tp / found) / tp[-1])


def auc_deviation(auc, n_pos, n_neg):
    """Standard error of an AUC after Hanley and McNeil (1982)."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (n_pos - 1) * (q1 - auc**2) + (n_neg - 1) * (q2 - auc**2)
    return math.sqrt(spread / (n_pos * n_neg))


def ranked_rows(dump, name="score"):
    """Label and score of the rows that have both."""
    label, score = dump.columns["label"], dump.columns[name]
    value = np.ma.getdata(score)
    keep = ~(np.ma.getmaskarray(label) | np.ma.getmaskarray(score) | np.isnan(value))
    positive = "fraud" if dump.recipe == "text_labels" else 1
    return (np.ma.getdata(label) == positive)[keep], value[keep]


def same(left, right):
    assert list(left) == list(right)
    for name in left:
        a, b = left[name], right[name]
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(np.ma.getmaskarray(a), np.ma.getmaskarray(b))
        np.testing.assert_array_equal(np.ma.getdata(a), np.ma.getdata(b))


def check_auc(label, score, expected):
    found = auc_by_ranks(label, score)
    n_pos = int(label.sum())
    assert abs(found - expected) < 5 * auc_deviation(expected, n_pos, len(label) - n_pos)


@pytest.mark.parametrize("recipe", SYNTHETIC)
def test_population_auc(recipe):
    dump = data_gen.make(recipe, 150_000, seed=11)
    expected = dump.population["roc_auc"]
    by_name = expected if isinstance(expected, dict) else {"score": expected}
    for name, auc in by_name.items():
        check_auc(*ranked_rows(dump, name), auc)


@pytest.mark.parametrize(
    ("recipe", "given"),
    [
        ("binormal", {"auc": 0.95, "squash": True, "dtype": "float32"}),
        ("binormal", {"auc": 0.3}),
        ("ties", {"decimals": 1}),
        ("ties", {"decimals": 0, "auc": 0.9}),
        ("points", {"spread": 1}),
        ("dirty", {"inf": 0.2, "zero": 0.2, "subnormal": 0.1, "label_null": 0.1}),
    ],
)
def test_population_auc_of_parameters(recipe, given):
    dump = data_gen.make(recipe, 150_000, seed=5, **given)
    check_auc(*ranked_rows(dump), dump.population["roc_auc"])


@pytest.mark.parametrize("recipe", ["binormal", "ties", "points"])
def test_population_average_precision_and_ks(recipe):
    dump = data_gen.make(recipe, 400_000, seed=2)
    label, score = ranked_rows(dump)
    assert ap_by_groups(label, score) == pytest.approx(
        dump.population["average_precision"], abs=0.01
    )
    cuts = np.unique(score)
    tpr = 1 - np.searchsorted(np.sort(score[label]), cuts) / label.sum()
    fpr = 1 - np.searchsorted(np.sort(score[~label]), cuts) / (~label).sum()
    assert np.max(tpr - fpr) == pytest.approx(dump.population["ks"], abs=0.015)


def test_closed_form():
    law = data_gen.make("binormal", 1, auc=0.5, prevalence=0.25).population
    assert law["mu"] == 0
    assert law["average_precision"] == pytest.approx(0.25, abs=1e-12)
    assert law["ks"] == 0
    fine = data_gen.make("ties", 1, decimals=5).population
    assert fine["roc_auc"] == pytest.approx(0.8, abs=1e-6)


def test_squash_is_calibrated():
    dump = data_gen.make("binormal", 200_000, squash=True, auc=0.9, prevalence=0.3)
    label, score = dump.columns["label"], dump.columns["score"]
    assert score.min() > 0
    assert score.max() < 1
    for low in (0.0, 0.1, 0.4, 0.7):
        part = (score >= low) & (score < low + 0.3)
        assert label[part].mean() == pytest.approx(score[part].mean(), abs=0.01)


def test_correlation_of_models():
    dump = data_gen.make("models", 100_000, rho=0.7, aucs=(0.6, 0.9))
    negative = dump.columns["label"] == 0
    pair = [dump.columns[name][negative] for name in ("model_0", "model_1")]
    assert np.corrcoef(pair)[0, 1] == pytest.approx(0.7, abs=0.01)
    assert pair[0].dtype == np.float32


@pytest.mark.parametrize("recipe", SYNTHETIC)
def test_counts(recipe):
    dump = data_gen.make(recipe, 70_001, seed=1)
    label = dump.columns["label"]
    positive = "fraud" if recipe == "text_labels" else 1
    n_pos = int(np.sum(label == positive))
    assert dump.sample["n_rows"] == len(label) == 70_001
    assert dump.sample["n_pos"] == n_pos
    assert dump.sample["n_neg"] == 70_001 - n_pos
    assert n_pos / 70_001 == pytest.approx(dump.population["prevalence"], abs=0.01)


def test_rows_do_not_depend_on_batches_or_total():
    size = 2 * data_gen.BLOCK + 1_000
    for recipe in ("binormal", "dirty", "groups"):
        whole = data_gen.make(recipe, size, seed=9).columns
        for batch_rows in (50_000, data_gen.BLOCK, 10 * data_gen.BLOCK):
            parts = list(data_gen.batches(recipe, size, seed=9, batch_rows=batch_rows))
            joined = {name: np.ma.concatenate([p[name] for p in parts]) for name in whole}
            same({k: np.ma.asarray(v) for k, v in whole.items()}, joined)
        head = data_gen.make(recipe, 1_234, seed=9).columns
        same(head, {name: values[:1_234] for name, values in whole.items()})
    other = data_gen.make("binormal", 1_000, seed=10).columns["score"]
    assert not np.isin(other, data_gen.make("binormal", size, seed=9).columns["score"]).any()


def test_groups_tell_which_have_one_class():
    dump = data_gen.make("groups", 30_000, n_groups=500)
    label = dump.columns["label"]
    for name, counts in dump.sample["groups"].items():
        column = dump.columns[name].astype(str)
        assert sum(n for n, _ in counts.values()) == 30_000
        for key, (n, n_pos) in counts.items():
            inside = column == str(key)
            assert (inside.sum(), label[inside].sum()) == (n, n_pos)
            assert (n_pos in (0, n)) == (key in dump.sample["one_class"][name])
    pure = [dump.sample["groups"]["store"][key] for key in dump.sample["one_class"]["store"]]
    assert any(n_pos == 0 for _, n_pos in pure)
    assert any(n_pos > 0 for _, n_pos in pure)
    assert dump.sample["one_class"]["country"] == ["AQ"]
    store = dump.columns["store"]
    assert np.count_nonzero(np.diff(store)) > 20_000, "interleaved"


def test_weights():
    dump = data_gen.make("weights", 50_000)
    weight, times = dump.columns["weight"], dump.columns["times"]
    assert times.dtype == np.int64
    assert weight.min() == times.min() == 0
    assert dump.sample["weight_zeros"] == np.sum(weight == 0) > 0
    assert dump.sample["times_sum_pos"] == times[dump.columns["label"] == 1].sum()
    assert dump.sample["weight_sum"] == math.fsum(weight)


def test_text_labels_agree():
    columns = data_gen.make("text_labels", 1_000).columns
    hit = columns["label"] == "fraud"
    np.testing.assert_array_equal(columns["label_bool"], hit)
    np.testing.assert_array_equal(columns["label_signed"], np.where(hit, 1, -1))
    np.testing.assert_array_equal(columns["label_one_two"], np.where(hit, 2, 1))


def check_dirt(table, truth):
    score = table["score"]
    value = score.drop_null().to_numpy()
    sign = np.signbit(value)
    found = {
        "score_null": score.null_count,
        "score_nan": np.isnan(value).sum(),
        "score_inf": (value == np.inf).sum(),
        "score_minus_inf": (value == -np.inf).sum(),
        "score_minus_zero": ((value == 0) & sign).sum(),
        "score_zero": ((value == 0) & ~sign).sum(),
        "score_subnormal": ((value != 0) & (np.abs(value) < np.finfo(float).tiny)).sum(),
        "label_null": table["label"].null_count,
        "segment_null": table["segment"].null_count,
    }
    assert found == {name: truth[name] for name in found}
    assert all(found.values())


@pytest.mark.parametrize("format", data_gen.FORMATS)
def test_dirty_round_trip(tmp_path, format):
    given = {"label_null": 0.01}
    manifest = data_gen.write(
        "dirty", tmp_path / "d", 20_000, format=format, files=3, seed=4, **given
    )
    parts = [read(tmp_path / "d" / name, format) for name in manifest["files"]]
    assert [part.num_rows for part in parts] == [6_666, 6_667, 6_667]
    dump = data_gen.make("dirty", 20_000, seed=4, **given)
    table = pa.concat_tables(parts)
    check_dirt(table, dump.sample)
    bits = table["score"].fill_null(1.5).to_numpy().view(np.int64)
    np.testing.assert_array_equal(bits, dump.columns["score"].filled(1.5).view(np.int64))


def read(path, format):
    if format == "parquet":
        return pq.read_table(path, partitioning=None)
    if format == "feather":
        return pa.ipc.open_file(path).read_all()
    # Left alone, pyarrow reads nan as a null.
    blank_is_null = pa.csv.ConvertOptions(null_values=[""], strings_can_be_null=True)
    return pa.csv.read_csv(path, convert_options=blank_is_null)


def test_manifest(tmp_path):
    returned = data_gen.write("nightly", tmp_path / "n", 5_000, files=2, seed=3, rho=0.2)
    manifest = json.loads((tmp_path / "n" / "manifest.json").read_text())
    assert manifest["recipe"] == "nightly"
    assert manifest["parameters"]["rho"] == 0.2
    assert manifest["parameters"]["aucs"] == [0.78, 0.84, 0.86]
    assert (manifest["seed"], manifest["rows"]) == (3, 5_000)
    assert manifest["files"] == ["part-000.parquet", "part-001.parquet"]
    assert manifest["schema"]["country"] == "string"
    dump = data_gen.make("nightly", 5_000, seed=3, rho=0.2)
    assert returned["truth"] == {"sample": dump.sample, "population": dict(dump.population)}
    assert manifest["truth"]["sample"]["one_class"] == dump.sample["one_class"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["n"]


@pytest.mark.parametrize("recipe", SYNTHETIC)
@pytest.mark.parametrize("format", data_gen.FORMATS)
def test_every_recipe_in_every_format(tmp_path, recipe, format):
    manifest = data_gen.write(recipe, tmp_path / "x", 500, format=format)
    table = read(tmp_path / "x" / manifest["files"][0], format)
    expected = data_gen.make(recipe, 500).table()
    assert table.column_names == list(manifest["schema"]) == expected.column_names
    if format == "feather":  # Parquet and CSV may widen or drop a dictionary's codes
        assert table.schema.equals(expected.schema)
    for name in table.column_names:
        assert table[name].null_count == expected[name].null_count
        if pa.types.is_floating(expected[name].type):
            left, right = table[name].to_numpy(), expected[name].to_numpy()
            np.testing.assert_array_equal(left.astype(right.dtype), right)


def test_parquet_layout(tmp_path):
    rows = 300_000
    data_gen.write("text_labels", tmp_path / "x", rows)
    meta = pq.ParquetFile(tmp_path / "x" / "part-000.parquet").metadata
    assert [meta.row_group(i).num_rows for i in range(2)] == [262_144, rows - 262_144]
    encodings = {
        meta.row_group(0).column(i).path_in_schema: meta.row_group(0).column(i).encodings
        for i in range(meta.num_columns)
    }
    assert not any("DICTIONARY" in name for name in encodings["score"])
    assert any("DICTIONARY" in name for name in encodings["label"])


def test_hive_folders(tmp_path):
    manifest = data_gen.write("binormal", tmp_path / "h", 100, files=3, hive="night")
    paths = [tmp_path / "h" / name for name in manifest["files"]]
    table = pq.read_table(paths, partitioning="hive", filters=[("night", "=", 1)])
    assert table.num_rows == 33


def test_nothing_is_left_after_an_error(tmp_path, monkeypatch):
    calls = []

    def fail_late(*args):
        calls.append(args)
        if len(calls) == 2:
            raise OSError("no space left")
        return {}

    monkeypatch.setattr("data_gen._write.tell", fail_late)
    with pytest.raises(OSError, match="no space left"):
        data_gen.write("binormal", tmp_path / "x", 1_000, files=2)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_replaced_only_when_asked_and_ours(tmp_path):
    data_gen.write("binormal", tmp_path / "x", 10, files=2)
    with pytest.raises(FileExistsError, match="exists"):
        data_gen.write("binormal", tmp_path / "x", 10)
    data_gen.write("binormal", tmp_path / "x", 10, overwrite=True)
    assert len(list((tmp_path / "x").glob("*.parquet"))) == 1
    (tmp_path / "mine").mkdir()
    with pytest.raises(FileExistsError, match="not ours"):
        data_gen.write("binormal", tmp_path / "mine", 10, overwrite=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["mine", "x"]


@pytest.mark.parametrize(
    ("recipe", "rows", "given", "message"),
    [
        ("binomial", 10, {}, "no recipe `binomial`; there are binormal"),
        ("binormal", 10, {"ac": 0.7}, "no parameter `ac`; it has `auc`"),
        ("binormal", 10, {"auc": 1.0}, "`auc` must be above 0 and below 1, got 1.0"),
        ("binormal", 10, {"auc": 0.4, "squash": True}, "`auc` must be above 0.5"),
        ("binormal", 10, {"dtype": "float16"}, "`dtype` must be float32 or float64"),
        ("binormal", 0, {}, "`rows` must be 1 or more, got 0"),
        ("models", 10, {"rho": -0.1}, "`rho` must be from 0 to 1"),
        ("models", 10, {"aucs": ()}, "`aucs` must name at least one"),
        ("ties", 10, {"decimals": 6}, "`decimals` must be from 0 to 5"),
        ("dirty", 10, {"null": 0.9, "nan": 0.2}, "sum to less than 1"),
    ],
)
def test_bad_parameters(recipe, rows, given, message):
    with pytest.raises(ValueError, match=message):
        data_gen.make(recipe, rows, **given)


def test_bad_files(tmp_path):
    with pytest.raises(ValueError, match="`format` must be one of parquet, csv, feather"):
        data_gen.write("binormal", tmp_path / "x", 10, format="orc")
    with pytest.raises(ValueError, match="`files` must be from 1 to the number of rows 10, got 11"):
        data_gen.write("binormal", tmp_path / "x", 10, files=11)


@pytest.mark.parametrize(("recipe", "rows"), [("breast_cancer", 569), ("digits", 1_797)])
def test_real_data(recipe, rows):
    pytest.importorskip("sklearn")
    dump = data_gen.make(recipe, seed=1)
    label = dump.columns["label"] == 1
    assert dump.sample["n_rows"] == rows
    assert dump.sample["n_pos"] == label.sum()
    assert dump.population == {}
    scores = {k: v for k, v in dump.columns.items() if k.startswith("model_")}
    assert len(scores) == 3
    for score in scores.values():
        assert 0.85 < auc_by_ranks(label, score) < 1
    assert len(np.unique(scores["model_tree"])) < rows / 4, "many ties"
    same(dump.columns, data_gen.make(recipe, seed=1).columns)
    with pytest.raises(ValueError, match=f"has {rows} rows"):
        data_gen.make(recipe, rows + 1)


def test_real_data_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError, match="pip install scikit-learn"):
        data_gen.make("digits")


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "data_gen", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_command(tmp_path):
    done = run(
        *("models", "--rows", 1_000, "--output", tmp_path / "x", "--format", "csv"),
        *("--files", 2, "--seed", 8, "--param", "aucs=0.7,0.8", "--param", "dtype=float64"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1,000 rows in 2 csv file(s)" in done.stdout
    manifest = json.loads((tmp_path / "x" / "manifest.json").read_text())
    table = pa.concat_tables(read(tmp_path / "x" / name, "csv") for name in manifest["files"])
    expected = data_gen.make("models", 1_000, seed=8, aucs=(0.7, 0.8), dtype="float64")
    np.testing.assert_array_equal(table["model_1"].to_numpy(), expected.columns["model_1"])


def test_command_lists_and_helps():
    listed, helped = run("list"), run("--help")
    assert listed.returncode == helped.returncode == 0
    for recipe in data_gen.RECIPES:
        assert recipe in listed.stdout
        assert recipe in helped.stdout


def test_command_errors(tmp_path, capsys):
    from data_gen.__main__ import main

    assert main(["binormal", "--rows", "0", "--output", str(tmp_path / "x")]) == 3
    assert capsys.readouterr().err == "data_gen: `rows` must be 1 or more, got 0\n"
    output = ["--output", str(tmp_path / "x")]
    for arguments, message in [
        (["binormal"], "--output is required"),
        (["nonsense", *output], "invalid choice: 'nonsense'"),
        (["binormal", "--param", "auc", *output], "expected NAME=VALUE"),
        (["binormal", "--param", "auc=high", *output], "expected a value like 0.8"),
        (["binormal", "--param", "squash=yes", *output], "expected a value true or false"),
    ]:
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
        assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
