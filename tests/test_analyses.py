"""One smoke run of every analysis, on a small collection in files."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from tests.conftest import Script, write_collection

FOLDER = Path(__file__).resolve().parents[1] / "analyses"


def test_figure2(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--out", str(tmp_path)]
    script("analyses/figure2").main([*argv, "--g-steps", "3"])
    table = pd.read_csv(tmp_path / "figure2.csv")
    assert (table["lists"] > 0).all()
    assert table["rms"].between(0, 1).all()
    assert (tmp_path / "figure2.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_readings(files: Path, tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("analyses/readings")
    monkeypatch.setattr(module, "TREC12", files.name)
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--g-steps", "3"]
    module.main([*argv, "--out", str(tmp_path)])
    verdicts = pd.read_csv(tmp_path / "readings_verdicts.csv")
    assert len(verdicts.drop_duplicates(["first", "second"])) == len(module.PAIRS)
    assert (verdicts["difference_low"] <= verdicts["difference"]).all()
    ndcg = pd.read_csv(tmp_path / "readings_ndcg.csv")
    assert len(ndcg) == 9 * 6 * 3
    paper = ndcg[ndcg["measure"] == "nDCG(gain=exp2)"]
    assert (paper[["difference", "difference_low", "difference_high"]] == 0).all().all()
    choice = pd.read_csv(tmp_path / "readings_choice.csv")
    assert set(choice["count"]) == {"retrieved", "total", "at_most"}
    fits = pd.read_csv(tmp_path / "readings_published.csv")
    assert fits["min"].le(fits["max"]).all()
    assert (tmp_path / "readings.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_ternary(tmp_path: Path, script: Script) -> None:
    """The small collection has two grades; this one has three."""
    runs, qrels = me.simulate(systems=3, topics=4, depth=1000, rng=1)
    third = qrels[qrels["relevance"] == 2].groupby("query_id").head(8).index
    qrels.loc[third, "relevance"] = 3
    write_collection(tmp_path / "three", runs, qrels)
    argv = ["--data", str(tmp_path), "--collections", "three", "--jobs", "1", "--g-steps", "3"]
    script("analyses/ternary").main([*argv, "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "ternary.csv")
    assert len(table) == (6 + 2) * 3
    assert (table["lists"] > 0).all()
    parts = table[table["objective"].notna()].groupby("measure")[["rms", "objective"]].mean()
    np.testing.assert_allclose(parts["objective"], parts["rms"])
    assert (tmp_path / "ternary.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_prediction(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--out", str(tmp_path)]
    script("analyses/prediction").main(argv)
    table = pd.read_csv(tmp_path / "prediction.csv")
    assert len(table) == (1 + len(script("analyses/prediction").MEASURES)) ** 2
    itself = table["measure"] == table["target"]
    assert (table.loc[itself, "rms"] < 1e-7).all()
    assert (table.loc[~itself, "rms"] > 1e-4).all()
    differences = pd.read_csv(tmp_path / "prediction_differences.csv")
    assert len(differences) == 1 + len(script("analyses/prediction").MEASURES)
    assert (differences.loc[0, ["difference", "low", "high"]] == 0).all()
    assert differences["rms"].is_monotonic_increasing
    assert (tmp_path / "prediction.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_joint(files: Path, tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("analyses/joint")
    few = [me.parse_measure(text) for text in ("AP", "AP(rel=2)", "nDCG@10", "R@100", "R@1000")]
    monkeypatch.setattr(module, "MEASURES", few)
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--out", str(tmp_path)]
    module.main([*argv, "--splits", "20"])
    table = pd.read_csv(tmp_path / "joint.csv")
    assert len(table) == 9 + 6
    rms = table[table["count"] == "retrieved"].set_index("what")["rms"].to_dict()
    assert rms["usual pair"] == pytest.approx(rms["nDCG@10 alone"])
    assert rms["best pair"] < rms["best measure"] < rms["counts alone"]
    assert (table.loc[table["what"] == "usual pair", "difference"] == 0).all()
    assert table["difference"].between(table["difference_low"] - 1e-9, table["difference_high"] + 1e-9).all()
    gains = pd.read_csv(tmp_path / "joint_gains.csv").query("count == 'retrieved' and threshold == 0")
    assert len(gains) == 5 + 2 * 10 + 3 * 3
    statuses = pd.read_csv(tmp_path / "joint_statuses.csv")
    assert not statuses["status"].isin(["failed", "infeasible"]).any()
    held_out = pd.read_csv(tmp_path / "joint_held_out.csv")
    assert held_out["reference"].tolist()[:2] == ["best", "nDCG@10 & R@1000"]
    worse = pd.read_csv(tmp_path / "joint_worse.csv")
    assert (worse["gain_high"] < 0).all()
    of_ap = worse[(worse["known"] == "AP") & (worse["added"] == "AP(rel=2)")].iloc[0]
    assert of_ap["too_high_first"] > 0  # the curve is too high at the top, and goes up there
    assert of_ap["moved_first"] > 0 > of_ap["moved_third"]
    for name in ("joint", "joint_gains"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_joint_takes_runs_at_even_distances(files: Path, script: Script) -> None:
    module = script("analyses/joint")
    assert module.spaced({f"run{k}": Path(f"{k}") for k in range(10)}, 4) == ["run0", "run3", "run6", "run9"]
    assert module.spaced({"a": files, "b": files}, 6) == ["a", "b"]


@pytest.mark.slow
def test_league(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--g-steps", "3"]
    script("analyses/league").main([*argv, "--splits", "20", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "league.csv")
    assert set(table["threshold"]) == {0, 1, 2}
    module = script("analyses/league")
    overall = table[table["threshold"] == 0]
    others = overall["same"].dropna().str.split("; ").explode()  # three systems: some measures agree by chance
    assert {*overall["measure"], *others} == set(map(str, module.measures(2, 3)))
    assert not table["measure"].str.contains(r"GAP\(g=1,0\)").any()  # AP, once
    assert {"AP", "GAP(g=0,1)", "GAP(g=0.875,0.125)", "xGAP(g=0.5,0.5)"} <= set(table["measure"])
    assert (table["rank_low"] <= table["rank_high"]).all()
    held_out = pd.read_csv(tmp_path / "league_held_out.csv")
    assert len(held_out) == 3 * 6
    assert (held_out.loc[held_out["reference"] == "best", "difference"] >= 0).all()
    assert (tmp_path / "league.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "league_left_out.csv").exists()


@pytest.mark.parametrize(("name", "argv"), [("kishida", []), ("kishida_judgments", ["--seeds", "3"])])
def test_kishida(name: str, argv: list[str], tmp_path: Path, script: Script) -> None:
    """Their numbers: test_published.py."""
    script(f"analyses/{name}").main([*argv, "--out", str(tmp_path)])
    assert len(pd.read_csv(tmp_path / f"{name}.csv")) == {"kishida": 67, "kishida_judgments": 14}[name]
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_muap_tables(tmp_path: Path, script: Script) -> None:
    """All numbers of both tables, to the printed digits."""
    script("analyses/muap_tables").main(["--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "muap_tables.csv")
    assert len(table) == 8 + 3 * (8 + 8 + 9)
    assert table["agrees"].all(), table[~table["agrees"]]
    assert (tmp_path / "muap_tables.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_swap_simulation(tmp_path: Path, script: Script) -> None:
    script("analyses/swap_simulation").main(["--repetitions", "6", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "swap_simulation.csv")
    assert len(table) == 2 * 4 * 4 * 100
    np.testing.assert_allclose(table.loc[table["swaps"] == 0, "mean"], 1.0)
    binary = table[table["levels"] == 2].pivot(index=["distribution", "swaps"], columns="measure", values="mean")
    np.testing.assert_allclose(binary["muAP"], binary["AP"])  # the paper: compatible with AP on two levels
    np.testing.assert_allclose(binary["NDCNG"], binary["NDCG"])
    assert (tmp_path / "swap_simulation.png").read_bytes().startswith(b"\x89PNG")


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
def test_ohsumed_features(tmp_path: Path, script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    write_folds(tmp_path, "test")
    script("analyses/ohsumed_features").main(["--data", str(tmp_path), "--orders", "2", "--out", str(tmp_path)])
    documents = pd.concat([me.read_letor(path) for path in sorted(tmp_path.glob("Fold*/test.txt"))])
    printed = capsys.readouterr().out
    assert f"{len(documents)} documents, {documents['query_id'].nunique()} queries, 0 with more than 30" in printed
    assert f"feature 9: {documents['f9'].nunique()} distinct values" in printed
    table = pd.read_csv(tmp_path / "ohsumed_features.csv")
    means = table[table["measure"] != "MAP"]
    assert means.groupby("reference")["queries"].unique().map(list).to_dict() == {
        "relevance": [22],
        "f1": [24],
        "f9": [24],
    }
    np.testing.assert_allclose(means.loc[means["reference"] == means["feature"], "mean"], 1.0)
    assert means["mean"].between(0, 1).all()
    assert (tmp_path / "ohsumed_features.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_lightgbm_ohsumed(tmp_path: Path, script: Script) -> None:
    write_folds(tmp_path, "training", "validation", "test")
    module = script("analyses/lightgbm_ohsumed")
    module.main(["--data", str(tmp_path), "--seeds", "1", "--trees", "3", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "lightgbm_ohsumed.csv")
    assert table.groupby(["objective", "measure"])["query_id"].nunique().eq(22).all()
    summary = pd.read_csv(tmp_path / "lightgbm_ohsumed_summary.csv")
    assert len(summary) == len(module.objectives()) * len(module.MEASURES)
    assert summary["mean"].between(0, 1).all()
    assert (summary["low"] <= summary["difference"]).all()
    assert (summary["difference"] <= summary["high"]).all()
    assert (tmp_path / "lightgbm_ohsumed.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_learning_to_rank(tmp_path: Path, script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    write_folds(tmp_path, "training", "validation", "test", documents=30)
    module = script("analyses/learning_to_rank")
    argv = ["--data", str(tmp_path), "--seeds", "2", "--epochs", "1", "--jobs", "1", "--out", str(tmp_path / "out")]
    module.main(argv)
    table = pd.read_csv(tmp_path / "out" / "learning_to_rank.csv")
    keys = ["algorithm", "objective", "selected_by", "measure"]
    assert table.groupby(keys)["query_id"].nunique().eq(22).all()
    assert len(table) == 2 * 4 * 2 * 4 * 2 * 22
    assert (table["epoch"] == 1).all()
    summary = pd.read_csv(tmp_path / "out" / "learning_to_rank_summary.csv")
    np.testing.assert_allclose(
        summary.set_index(keys)["mean"].sort_index(), table.groupby(keys)["value"].mean(), atol=1e-12
    )
    assert summary["p"].between(0, 1).all()
    assert pd.read_csv(tmp_path / "out" / "learning_to_rank_rms.csv")["rms"].between(0, 1).all()
    assert len(pd.read_csv(tmp_path / "out" / "learning_to_rank_relation.csv")) == 2 * 2 * 4
    assert (tmp_path / "out" / "learning_to_rank.png").read_bytes().startswith(b"\x89PNG")

    with pytest.raises(SystemExit):
        module.main([*argv, "--seeds", "0"])
    module.main([*argv, "--seeds", "1", "--tune"])
    assert capsys.readouterr().out.count("SoftRank") > 0


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
def test_comparisons(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--out", str(tmp_path)]
    script("analyses/discriminative_power").main([*argv, "--replicates", "100"])
    power = pd.read_csv(tmp_path / "discriminative_power.csv")
    assert len(power) == 7 * 2
    assert power[["power", "top_power"]].apply(lambda x: x.between(0, 1)).all().all()
    script("analyses/agreement").main(argv)
    assert pd.read_csv(tmp_path / "agreement.csv")["tau"].max() == pytest.approx(1)
    features = pd.read_csv(tmp_path / "agreement_features.csv").set_index("feature")[files.name]
    assert features[["runs", "relevance degrees", "run length"]].tolist() == [3, 3, 150]
    assert features["minimum relevant"] <= features["average relevant"] <= features["maximum relevant"]
    script("analyses/pools").main([*argv, "--repetitions", "1"])
    pools = pd.read_csv(tmp_path / "pools.csv")
    np.testing.assert_allclose(pools[pools["share"] == 1]["tau"], 1)
    for name in ("discriminative_power", "agreement", "pools"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_robustness(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--out", str(tmp_path)]
    script("analyses/robustness").main([*argv, "--g-steps", "3", "--repetitions", "1"])
    table = pd.read_csv(tmp_path / "robustness.csv")
    assert len(table) == 4 * 4 * 2
    assert (table.groupby(["measure", "threshold"])["lists"].diff().dropna() <= 0).all()
    choice = pd.read_csv(tmp_path / "robustness_choice.csv")
    assert choice["share_same"].between(0, 1).all()
    assert (tmp_path / "robustness.png").read_bytes().startswith(b"\x89PNG")


def test_every_analysis_has_a_row_in_the_readme() -> None:
    text = (FOLDER / "README.md").read_text()
    for script in FOLDER.glob("*.py"):
        assert f"`{script.name}`" in text, script.name


@pytest.mark.slow
def test_information(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--g-steps", "3"]
    module = script("analyses/information")
    module.main([*argv, "--replicates", "20", "--out", str(tmp_path)])
    means = pd.read_csv(tmp_path / "information.csv")
    assert set(means["measure"]) == set(map(str, module.measures(2, 3)))
    linear = means[means["linear"]]  # the mean log-likelihood is minus the entropy there
    np.testing.assert_allclose(linear["entropy_reduction"], linear["log_likelihood_gain"], rtol=1e-6)
    assert (means["entropy_reduction"] > 0).all()
    agreement = pd.read_csv(tmp_path / "information_agreement.csv")
    assert len(agreement) == 6
    assert agreement["tau"].between(-1, 1).all()
    assert (tmp_path / "information.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_aslam(files: Path, tmp_path: Path, script: Script) -> None:
    argv = ["--data", str(files.parent), "--collections", files.name, "--jobs", "1", "--replicates", "50"]
    module = script("analyses/aslam")
    module.main([*argv, "--out", str(tmp_path)])
    curves = pd.read_csv(tmp_path / "aslam.csv").set_index("measure")["rms"]
    assert curves["AP"] < curves["Rprec"] < curves["P@5"]
    errors = pd.read_csv(tmp_path / "aslam_predictions.csv")
    pairs = sum(known != target for known in module.KNOWN for target in module.TARGETS)
    assert len(errors) == pairs * len(module.METHODS)
    assert errors["rms"].between(0, 1).all()
    assert (errors.loc[errors["method"] == module.METHODS[0], "difference"] == 0).all()
    assert (tmp_path / "aslam.png").read_bytes().startswith(b"\x89PNG")


def test_a_regression_is_fitted_to_other_topics(script: Script) -> None:
    module, rng = script("analyses/aslam"), np.random.default_rng(0)
    x, fold = rng.uniform(size=60), np.repeat(np.arange(3), 20)
    features = np.column_stack((np.ones(60), x))
    line = 0.1 + 0.5 * x
    np.testing.assert_allclose(module.cross_fitted(features, line, fold), line)
    odd = np.where(fold == 1, 1 - line, line)  # its own topics cannot help
    np.testing.assert_allclose(module.cross_fitted(features, odd, fold)[fold == 1], line[fold == 1])


@pytest.mark.slow
def test_ltr_informativeness(tmp_path: Path, script: Script) -> None:
    write_folds(tmp_path, "training", "validation", "test", documents=30)
    module = script("analyses/ltr_informativeness")
    argv = ["--data", str(tmp_path), "--seeds", "1", "--trees", "2", "--jobs", "1", "--out", str(tmp_path)]
    module.main(argv)
    table = pd.read_csv(tmp_path / "ltr_informativeness.csv").set_index("objective")
    assert list(table.index) == list(map(str, module.OBJECTIVES))
    assert table.drop(columns=["lists", "trees"]).apply(lambda own: own.between(0, 1)).all().all()
    relation = pd.read_csv(tmp_path / "ltr_informativeness_relation.csv")
    assert len(relation) == 2 * 2 * len(module.MEASURES)
    assert set(module.NARROW) < set(table.index)
    assert relation["tau"].between(-1, 1).all()
    assert (tmp_path / "ltr_informativeness.png").read_bytes().startswith(b"\x89PNG")
