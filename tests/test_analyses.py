"""One smoke run of every analysis, on a small collection in files."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from tests.conftest import Script, write_collection

FOLDER = Path(__file__).resolve().parents[1] / "analyses"
Analyse = Callable[..., dict[str, pd.DataFrame]]


@pytest.fixture
def analyse(tmp_path: Path, script: Script) -> Analyse:
    """Runs an analysis, which draws a figure, and gives its tables by the end of their files' names."""

    def run(name: str, *argv: str) -> dict[str, pd.DataFrame]:
        script(f"analyses/{name}").main([*argv, "--out", str(tmp_path)])
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        return {path.stem.removeprefix(name): pd.read_csv(path) for path in tmp_path.glob(f"{name}*.csv")}

    return run


@pytest.fixture
def given(files: Path) -> list[str]:
    """The small collection as arguments."""
    return ["--data", str(files.parent), "--collections", files.name]


@pytest.fixture
def studied(given: list[str]) -> list[str]:
    return [*given, "--jobs", "1"]


def test_figure2(studied: list[str], analyse: Analyse) -> None:
    table = analyse("figure2", *studied, "--g-steps", "3")[""]
    assert (table["lists"] > 0).all()
    assert table["rms"].between(0, 1).all()


@pytest.mark.slow
def test_readings(
    files: Path, studied: list[str], analyse: Analyse, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = script("analyses/readings")
    monkeypatch.setattr(module, "TREC12", files.name)
    found = analyse("readings", *studied, "--g-steps", "3")
    verdicts, ndcg, fits = found["_verdicts"], found["_ndcg"], found["_published"]
    assert len(verdicts.drop_duplicates(["first", "second"])) == len(module.PAIRS)
    assert (verdicts["difference_low"] <= verdicts["difference"]).all()
    assert len(ndcg) == 9 * 6 * 3
    paper = ndcg[ndcg["measure"] == "nDCG(gain=exp2)"]
    assert (paper[["difference", "difference_low", "difference_high"]] == 0).all().all()
    assert set(found["_choice"]["count"]) == {"retrieved", "total", "at_most"}
    assert fits["min"].le(fits["max"]).all()


@pytest.mark.slow
def test_lists(studied: list[str], analyse: Analyse, script: Script) -> None:
    found, inferences = analyse("lists", *studied, "--g-steps", "3", "--depth", "60"), script("analyses/inferences")
    means = found[""].set_index(["threshold", "inference", "measure"])["rms"]
    names = means.index.unique("inference")
    assert len(names) == 2 * 2 * 2 + 1 + len(inferences.LEARNED)
    assert len(means) == 3 * len(names) * 5
    of_best = found["_inferences"].set_index(["threshold", "inference", "measure"])
    assert set(of_best.index) == {own for own in means.index if own[1] != "lists, 1/n, expected"}
    row = of_best.loc[[(0, "ridge", "AP")]].iloc[0]
    assert row["difference"] == pytest.approx(means[0, "lists, 1/n, expected", "AP"] - means[0, "ridge", "AP"])
    assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    to_ap = found["_measures"].set_index("measure")["difference"]
    assert (to_ap["AP"] == 0).all()


def test_learned_curves_come_from_other_topics(script: Script) -> None:
    """Lists that are power curves of their values, but for a fold that is not: it does not know itself."""
    module, rng = script("analyses/inferences"), np.random.default_rng(0)
    value = rng.uniform(size=100)
    fold = np.repeat(np.arange(5), 20)
    k, exponents = np.arange(1.0, 31), np.exp(2 * value - 1)
    ranks = [np.maximum(k, np.ceil(1000 * (k / 30) ** (1 / b))).astype(int) for b in exponents]
    counts = np.tile(np.log1p([30.0, 40.0]), (100, 1))
    lists = module.Lists(pd.MultiIndex.from_arrays([range(100)] * 2), fold, counts, ranks, [40] * 100, 1000)
    for name in module.LEARNED:
        targets = module.targets_of(lists, name)
        known = module.features(name, value, lists)
        right = module.curve_errors(lists, name, module.predicted(name, known, targets, fold))
        assert right.mean() < (0.2 if name == "exponential" else 0.03), name
        odd = np.where(fold[:, None] == 1, targets[::-1] + 1, targets)
        same = module.predicted(name, known, odd, fold)[fold == 1]
        np.testing.assert_allclose(same, module.predicted(name, known, targets, fold)[fold == 1])


@pytest.mark.slow
def test_verdicts(studied: list[str], analyse: Analyse, script: Script) -> None:
    found, module = (
        analyse("verdicts", *studied, "--depths", "60", "100", "--models", "ranks"),
        script("analyses/verdicts"),
    )
    rows, verdicts = found["_differences"], found[""]
    assert {frozenset(pair) for pair in module.PAIRS} == set(
        map(frozenset, verdicts[["first", "second"]].to_numpy())
    )
    assert (verdicts["readings"] == 2 * (5 + 4)).all()
    assert len(rows) == len(module.PAIRS) * 2 * (5 + 4) * 3
    assert (rows["difference_low"] <= rows["difference_high"]).all()
    said = found["_inferences"]
    assert (said[["better", "open", "worse"]].sum(axis=1) == 2).all()


@pytest.mark.slow
def test_ternary(tmp_path: Path, analyse: Analyse) -> None:
    """The small collection has two grades; this one has three."""
    runs, qrels = me.simulate(systems=3, topics=4, depth=1000, rng=1)
    third = qrels[qrels["relevance"] == 2].groupby("query_id").head(8).index
    qrels.loc[third, "relevance"] = 3
    write_collection(tmp_path / "three", runs, qrels)
    argv = ["--data", str(tmp_path), "--collections", "three", "--jobs", "1", "--g-steps", "3"]
    table = analyse("ternary", *argv)[""]
    assert len(table) == (6 + 2) * 3
    assert (table["lists"] > 0).all()
    parts = table[table["objective"].notna()].groupby("measure")[["rms", "objective"]].mean()
    np.testing.assert_allclose(parts["objective"], parts["rms"])


@pytest.mark.slow
def test_prediction(studied: list[str], analyse: Analyse, script: Script) -> None:
    found = analyse("prediction", *studied)
    table, differences = found[""], found["_differences"]
    number = 1 + len(script("analyses/prediction").MEASURES)
    assert len(table) == number**2
    itself = table["measure"] == table["target"]
    assert (table.loc[itself, "rms"] < 1e-7).all()
    assert (table.loc[~itself, "rms"] > 1e-4).all()
    assert len(differences) == number
    assert (differences.loc[0, ["difference", "low", "high"]] == 0).all()
    assert differences["rms"].is_monotonic_increasing


@pytest.mark.slow
def test_joint(
    studied: list[str], analyse: Analyse, script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few = [me.parse_measure(text) for text in ("AP", "AP(rel=2)", "nDCG@10", "R@100", "R@1000")]
    monkeypatch.setattr(script("analyses/joint"), "MEASURES", few)
    monkeypatch.setattr(script("analyses/joint"), "LEVEL", 1)  # three runs are too few to be certain of anything
    found = analyse("joint", *studied, "--splits", "20")
    table, worse, statuses = found[""], found["_worse"], found["_statuses"]
    assert len(table) == 9 + 6
    rms = table[table["count"] == "retrieved"].set_index("what")["rms"].to_dict()
    assert rms["usual pair"] == pytest.approx(rms["nDCG@10 alone"])
    assert rms["best pair"] < rms["best measure"] < rms["counts alone"]
    assert (table.loc[table["what"] == "usual pair", "difference"] == 0).all()
    assert table["difference"].between(table["difference_low"] - 1e-9, table["difference_high"] + 1e-9).all()
    assert len(found["_gains"].query("count == 'retrieved' and threshold == 0")) == 5 + 2 * 10 + 3 * 3
    assert not statuses["status"].isin(["failed", "infeasible"]).any()
    assert found["_held_out"]["reference"].tolist()[:2] == ["best", "nDCG@10 & R@1000"]
    assert (worse["gain"] < 0).all()
    of_ap = worse[(worse["known"] == "AP") & (worse["added"] == "AP(rel=2)")].iloc[0]
    assert of_ap["too_high_first"] > 0  # the curve is too high at the top, and goes up there
    assert of_ap["moved_first"] > 0 > of_ap["moved_third"]
    assert (tmp_path / "joint_gains.png").read_bytes().startswith(b"\x89PNG")


def test_joint_takes_runs_at_even_distances(files: Path, script: Script) -> None:
    module = script("analyses/common")
    assert list(module.spaced({f"run{k}": Path(f"{k}") for k in range(10)}, 4)) == ["run0", "run3", "run6", "run9"]
    assert list(module.spaced({"a": files, "b": files}, 6)) == ["a", "b"]


@pytest.mark.slow
def test_league(studied: list[str], analyse: Analyse, script: Script) -> None:
    found = analyse("league", *studied, "--g-steps", "3", "--splits", "20")
    table, held_out = found[""], found["_held_out"]
    assert set(table["threshold"]) == {0, 1, 2}
    overall = table[table["threshold"] == 0]
    others = overall["same"].dropna().str.split("; ").explode()  # three systems: some measures agree by chance
    assert {*overall["measure"], *others} == set(map(str, script("analyses/league").measures(2, 3)))
    assert not table["measure"].str.contains(r"GAP\(g=1,0\)").any()  # AP, once
    assert {"AP", "GAP(g=0,1)", "GAP(g=0.875,0.125)", "xGAP(g=0.5,0.5)"} <= set(table["measure"])
    assert {"nDCG(gain=1,1)", "nDCG(gain=0.875,1)"} <= set(table["measure"])  # gains of AP and of that GAP
    assert (table["rank_low"] <= table["rank_high"]).all()
    assert len(held_out) == 3 * 6
    assert (held_out.loc[held_out["reference"] == "best", "difference"] >= 0).all()
    assert "_left_out" in found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "argv"), [("kishida", []), ("kishida_judgments", ["--seeds", "3"])])
def test_kishida(name: str, argv: list[str], analyse: Analyse) -> None:
    """Their numbers: test_published.py."""
    assert len(analyse(name, *argv)[""]) == {"kishida": 67, "kishida_judgments": 14}[name]


def test_muap_tables(analyse: Analyse) -> None:
    """All numbers of both tables, to the printed digits."""
    table = analyse("muap_tables")[""]
    assert len(table) == 8 + 3 * (8 + 8 + 9)
    assert table["agrees"].all(), table[~table["agrees"]]


@pytest.mark.slow
def test_swap_simulation(analyse: Analyse) -> None:
    table = analyse("swap_simulation", "--repetitions", "6")[""]
    assert len(table) == 2 * 4 * 4 * 100
    np.testing.assert_allclose(table.loc[table["swaps"] == 0, "mean"], 1.0)
    binary = table[table["levels"] == 2].pivot(index=["distribution", "swaps"], columns="measure", values="mean")
    np.testing.assert_allclose(binary["muAP"], binary["AP"])  # the paper: compatible with AP on two levels
    np.testing.assert_allclose(binary["NDCNG"], binary["NDCG"])


def test_a_swap_exchanges_two_items(script: Script) -> None:
    module = script("analyses/swap_simulation")
    rng = np.random.default_rng(3)
    lists = module.swap(np.tile(np.arange(100), (5, 1)), rng=rng)
    assert (np.sort(lists, axis=2) == np.arange(100)).all()
    assert ((lists[:, 1:] != lists[:, :-1]).sum(axis=2) == 2).all()
    for kind in (True, False):
        ratings = module.references(10, 20, uniform=kind, rng=rng)
        assert ratings.shape == (20, 100)
        assert (np.diff(ratings, axis=1) <= 0).all()
        assert (ratings[:, 0] >= 5).all()


def write_folds(folder: Path, *parts: str, documents: int = 10) -> None:
    """Two folds of a data set in LETOR format; the first of their 12 queries has no relevant document."""
    rng = np.random.default_rng(2)
    for fold, part in itertools.product((1, 2), parts):
        lines = []
        for query, _ in np.ndindex(12, documents):
            features = " ".join(f"{k}:{max(v, 0):.2f}" for k, v in enumerate(rng.normal(1, 2, 25), start=1))
            lines.append(f"{rng.integers(3) if query else 0} qid:{fold}{query} {features}\n")
        (folder / f"Fold{fold}").mkdir(exist_ok=True)
        (folder / f"Fold{fold}" / f"{part}.txt").write_text("".join(lines))


@pytest.mark.slow
def test_ohsumed_features(tmp_path: Path, analyse: Analyse, capsys: pytest.CaptureFixture[str]) -> None:
    write_folds(tmp_path, "test")
    table = analyse("ohsumed_features", "--data", str(tmp_path), "--orders", "2")[""]
    documents = pd.concat([me.data.read_letor(path) for path in sorted(tmp_path.glob("Fold*/test.txt"))])
    printed = capsys.readouterr().out
    assert f"{len(documents)} documents, {documents['query_id'].nunique()} queries, 0 with more than 30" in printed
    assert f"feature 9: {documents['f9'].nunique()} distinct values" in printed
    means = table[table["measure"] != "MAP"]
    queries = means.groupby("reference")["queries"].unique().map(list).to_dict()
    assert queries == {"relevance": [22], "f1": [24], "f9": [24]}
    np.testing.assert_allclose(means.loc[means["reference"] == means["feature"], "mean"], 1.0)
    assert means["mean"].between(0, 1).all()


@pytest.mark.slow
def test_lightgbm_ohsumed(tmp_path: Path, analyse: Analyse, script: Script) -> None:
    write_folds(tmp_path, "training", "validation", "test")
    module = script("analyses/lightgbm_ohsumed")
    found = analyse("lightgbm_ohsumed", "--data", str(tmp_path), "--seeds", "1", "--trees", "3")
    assert found[""].groupby(["objective", "measure"])["query_id"].nunique().eq(22).all()
    summary = found["_summary"]
    assert len(summary) == len(module.objectives()) * len(module.MEASURES)
    assert summary["mean"].between(0, 1).all()
    assert (summary["low"] <= summary["difference"]).all()
    assert (summary["difference"] <= summary["high"]).all()


@pytest.mark.slow
def test_learning_to_rank(
    tmp_path: Path, analyse: Analyse, script: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    write_folds(tmp_path, "training", "validation", "test", documents=30)
    argv = ["--data", str(tmp_path), "--epochs", "1", "--jobs", "1"]
    found = analyse("learning_to_rank", *argv, "--seeds", "2")
    table, summary = found[""], found["_summary"]
    keys = ["algorithm", "objective", "selected_by", "measure"]
    assert table.groupby(keys)["query_id"].nunique().eq(22).all()
    assert len(table) == 2 * 4 * 2 * 4 * 2 * 22
    assert (table["epoch"] == 1).all()
    np.testing.assert_allclose(
        summary.set_index(keys)["mean"].sort_index(), table.groupby(keys)["value"].mean(), atol=1e-12
    )
    assert summary["p"].between(0, 1).all()
    assert found["_rms"]["rms"].between(0, 1).all()
    assert len(found["_relation"]) == 2 * 2 * 4
    with pytest.raises(SystemExit):
        analyse("learning_to_rank", *argv, "--seeds", "0")
    analyse("learning_to_rank", *argv, "--seeds", "1", "--tune")
    assert capsys.readouterr().out.count("SoftRank") > 0


@pytest.mark.slow
def test_intervals_know_that_a_fold_shares_its_networks(script: Script) -> None:
    """Differences that depend on query and seed; then the same mean over seeds in every query of a fold."""
    module, rng = script("analyses/learning_to_rank"), np.random.default_rng(0)
    frames = []
    for fold in range(5):
        for seed in range(4):
            keys = {"fold": fold, "seed": seed, "measure": "AP", "query_id": np.arange(20) + 20 * fold}
            frames.append(pd.DataFrame({**keys, "objective": module.PEER, "value": 0.0}))
            frames.append(pd.DataFrame({**keys, "objective": "AP", "value": rng.normal(size=20)}))
    table = pd.concat(frames, ignore_index=True)
    own = table["objective"] == "AP"

    def width(values: pd.Series) -> float:
        low, high = module.interval(table.assign(value=values), "AP", "AP")
        return float(high - low)

    of_query = table.groupby(["fold", "query_id"])["value"].transform("mean") * 2 * own  # no seeds
    spread = of_query[own].groupby(table["query_id"]).mean().std(ddof=0)
    assert width(of_query) == pytest.approx(2 * 1.96 * spread / 10, rel=0.05)
    shared = of_query + table["seed"].map({0: -2, 1: -1, 2: 1, 3: 2}) * own  # another network, other values
    alone = np.sqrt(2.5 / 4 / 5)  # of the mean over seeds and folds
    assert width(shared) == pytest.approx(np.hypot(width(of_query), 2 * 1.96 * alone), rel=0.05)


@pytest.mark.slow
def test_training_goes_on_where_it_stopped(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folds(tmp_path, "training", "validation", "test")
    module, parts, trained = script("analyses/learning_to_rank"), tmp_path / "parts", []
    values = module.values

    def counted(*arguments: object) -> pd.DataFrame:
        trained.append(arguments)
        table: pd.DataFrame = values(*arguments)
        return table

    def compute(**options: int) -> pd.DataFrame:
        trained.clear()
        folds = module.read(tmp_path)
        table: pd.DataFrame = module.compute(folds, dict.fromkeys(folds, me.AP()), jobs=1, parts=parts, **options)
        return table

    monkeypatch.setattr(module, "values", counted)
    table = compute(seeds=2, epochs=1)
    assert len(trained) == len(list(parts.iterdir())) == 2 * 4 * 2 * 2
    sorted(parts.iterdir())[3].unlink()
    pd.testing.assert_frame_equal(compute(seeds=2, epochs=1), table)
    assert len(trained) == 1
    compute(seeds=1, epochs=2)  # another study is never mixed in
    assert len(trained) == 2 * 4 * 2
    write_folds(tmp_path, "training", documents=9)
    compute(seeds=1, epochs=2)
    assert len(trained) == 2 * 4 * 2


@pytest.mark.slow
def test_comparisons(given: list[str], files: Path, analyse: Analyse) -> None:
    power = analyse("discriminative_power", *given, "--replicates", "100")[""]
    assert len(power) == 7 * 2
    assert power[["power", "top_power"]].apply(lambda x: x.between(0, 1)).all().all()
    agreement = analyse("agreement", *given)
    assert agreement[""]["tau"].max() == pytest.approx(1)
    features = agreement["_features"].set_index("feature")[files.name]
    assert features[["runs", "relevance degrees", "run length"]].tolist() == [3, 3, 150]
    assert features["minimum relevant"] <= features["average relevant"] <= features["maximum relevant"]
    pools = analyse("pools", *given, "--repetitions", "1")[""]
    np.testing.assert_allclose(pools[pools["share"] == 1]["tau"], 1)


@pytest.mark.slow
def test_robustness(studied: list[str], analyse: Analyse) -> None:
    found = analyse("robustness", *studied, "--g-steps", "3", "--repetitions", "1")
    table = found[""]
    assert len(table) == 4 * 4 * 2
    assert (table.groupby(["measure", "threshold"])["lists"].diff().dropna() <= 0).all()
    assert found["_choice"]["share_same"].between(0, 1).all()


@pytest.mark.parametrize(
    ("name", "read"), [("aslam", "me.informativeness"), ("joint", "me.collect"), ("robustness", "Pools.of")]
)
def test_a_depth_reaches_the_study(
    name: str,
    read: str,
    studied: list[str],
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop(*_: object, depth: int, **__: object) -> None:
        raise me.errors.ProblemError(f"read to depth {depth}")

    owner, attribute = read.split(".")
    monkeypatch.setattr(getattr(script(f"analyses/{name}"), owner), attribute, stop)
    with pytest.raises(SystemExit):
        script(f"analyses/{name}").main([*studied, "--depth", "60"])
    assert "read to depth 60" in capsys.readouterr().err


def test_every_analysis_has_a_row_in_the_readme() -> None:
    text = (FOLDER / "README.md").read_text()
    for script in FOLDER.glob("*.py"):
        assert f"`{script.name}`" in text, script.name


@pytest.mark.slow
def test_information(studied: list[str], analyse: Analyse, script: Script) -> None:
    found = analyse("information", *studied, "--g-steps", "3", "--replicates", "20")
    means, agreement = found[""], found["_agreement"]
    assert set(means["measure"]) == set(map(str, script("analyses/information").measures(2, 3)))
    linear = means[means["linear"]]  # the mean log-likelihood is minus the entropy there
    np.testing.assert_allclose(linear["entropy_reduction"], linear["information"], rtol=1e-6)
    assert (means["entropy_reduction"] > 0).all()
    assert len(agreement) == 6
    assert agreement["tau"].between(-1, 1).all()


@pytest.mark.slow
def test_aslam(studied: list[str], analyse: Analyse, script: Script) -> None:
    found, module = analyse("aslam", *studied, "--replicates", "50", "--depth", "500"), script("analyses/aslam")
    curves, errors = found[""].set_index("measure")["rms"], found["_predictions"]
    assert curves["AP"] < curves["Rprec"] < curves["P@5"]
    assert "P@500" in curves
    assert "P@1000" not in curves  # deeper than the lists
    pairs = sum(known != target for known in module.KNOWN for target in module.TARGETS)
    assert len(errors) == pairs * len(module.METHODS)
    assert errors["rms"].between(0, 1).all()
    assert (errors.loc[errors["method"] == module.METHODS[0], "difference"] == 0).all()


def test_a_regression_is_fitted_to_other_topics(script: Script) -> None:
    module, rng = script("analyses/aslam"), np.random.default_rng(0)
    x, fold = rng.uniform(size=60), np.repeat(np.arange(3), 20)
    features = np.column_stack((np.ones(60), x))
    line = 0.1 + 0.5 * x
    np.testing.assert_allclose(module.cross_fitted(features, line, fold), line)
    odd = np.where(fold == 1, 1 - line, line)  # its own topics cannot help
    np.testing.assert_allclose(module.cross_fitted(features, odd, fold)[fold == 1], line[fold == 1])


@pytest.mark.slow
def test_ltr_informativeness(tmp_path: Path, analyse: Analyse, script: Script) -> None:
    write_folds(tmp_path, "training", "validation", "test", documents=30)
    module = script("analyses/ltr_informativeness")
    argv = ["--data", str(tmp_path), "--seeds", "1", "--trees", "2", "--jobs", "1", "--depth", "20"]
    found = analyse("ltr_informativeness", *argv)
    table, relation = found[""].set_index("objective"), found["_relation"]
    assert list(table.index) == list(map(str, module.OBJECTIVES))
    documents = pd.concat([me.data.read_letor(path) for path in sorted(tmp_path.glob("Fold*/test.txt"))])
    grades = me.collect(module.as_runs(documents), documents[module.JUDGMENTS], depth=20).grades
    enough = [(grades == grade).sum(axis=2) >= 5 for grade in (1, 2)]
    assert (table["lists"] == np.logical_and(*enough).sum()).all()
    assert table.drop(columns=["lists", "trees"]).apply(lambda own: own.between(0, 1)).all().all()
    assert len(relation) == 2 * 2 * len(module.MEASURES)
    assert set(module.NARROW) < set(table.index)
    assert relation["tau"].between(-1, 1).all()


@pytest.mark.slow
def test_averages(given: list[str], analyse: Analyse) -> None:
    found = analyse("averages", *given, "--every", "9", "--known", "AP & R@1000")
    errors, planted = found[""], found["_planted"]
    assert errors["method"].unique().tolist() == ["maximum entropy, 1/n", "maximum entropy, uniform"]
    assert (errors["target"] == "curve").sum() == 2
    assert not planted[planted["error"] == "none"]["found"].any()
