"""One smoke run of every analysis, on a small collection in files."""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, ttest_rel

import maxent as me
from maxent.judgments import pools_of
from maxent.options import READING_OPTIONS
from maxent.studies import readings
from tests.collections import write_collection
from tests.conftest import Script
from tests.helpers import slow_but

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


STUDIED: dict[str, list[str]] = {
    "figure2": ["--g-steps", "3"],
    "null": ["--depths", "10", "150", "--whole"],
    "lists": ["--g-steps", "3", "--depth", "60"],
    "verdicts": ["--depths", "60", "100", "--models", "ranks"],
    "prediction": [],
    "short_lists": ["--depths", "5", "--runs", "2"],
    "robustness": ["--g-steps", "3", "--repetitions", "1"],
    "information": ["--g-steps", "3", "--replicates", "20"],
    "aslam": ["--replicates", "50", "--depth", "500"],
    "validity": ["--replicates", "10", "--splits", "4"],
}
COMPARED: dict[str, list[str]] = {
    "averages": ["--every", "9", "--known", "AP & R@1000"],
    "discriminative_power": ["--replicates", "100"],
    "agreement": [],
    "pools": ["--repetitions", "1"],
    "unjudged": ["--seeds", "1", "--ways", "random 25 %", "depth 5", "--jobs", "1"],
    "unjudged_notes": ["--seeds", "1", "--ways", "random 25 %", "depth 5", "relevant 20 %", "--jobs", "1"],
}
ALONE: dict[str, tuple[list[str], int]] = {
    "kishida": ([], 67),
    "kishida_judgments": (["--seeds", "3"], 14),
    "swap_simulation": (["--repetitions", "6"], 3200),
}
LETOR: dict[str, list[str]] = {
    "ohsumed_features": ["--orders", "2"],
    "lightgbm_ohsumed": ["--seeds", "1", "--trees", "3"],
    "ltr_informativeness": ["--seeds", "1", "--trees", "2", "--jobs", "1", "--depth", "20"],
    "validity": ["--collections", ".", "--jobs", "1", "--replicates", "10", "--splits", "4"],
}


def check(table: pd.DataFrame) -> None:
    """What holds for every table: it has rows, shares and errors are shares, and intervals have their ends."""
    assert len(table)
    table = table.select_dtypes("number")
    assert (table.filter(regex="^(rms|power|top_power|share_.*)$").max() <= 1).all()
    assert (table.filter(regex="^(rms|lists|topics|queries)").min() >= 0).all()
    assert (table.filter(regex="^tau").abs().max() <= 1).all()
    for low in map(str, table.filter(regex="low$")):
        assert (table[[low, low.replace("low", "high")]].dropna().diff(axis=1).iloc[:, 1] >= 0).all()


@pytest.mark.parametrize("name", slow_but(["figure2"], [*STUDIED, *COMPARED]))
def test_analyses_of_collections(name: str, given: list[str], studied: list[str], analyse: Analyse) -> None:
    own = analyse(name, *studied, *STUDIED[name]) if name in STUDIED else analyse(name, *given, *COMPARED[name])
    for end, table in own.items():
        if end != "_left_out":
            check(table)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALONE)
def test_analyses_without_data(name: str, analyse: Analyse) -> None:
    """Their numbers: test_published.py."""
    argv, rows = ALONE[name]
    assert len(analyse(name, *argv)[""]) == rows


@pytest.mark.slow
@pytest.mark.parametrize("name", LETOR)
def test_analyses_of_data_sets_for_learning(name: str, tmp_path: Path, analyse: Analyse) -> None:
    write_folds(tmp_path, "training", "validation", "test", documents=30)
    for table in analyse(name, "--data", str(tmp_path), *LETOR[name]).values():
        check(table)


@pytest.mark.slow
def test_what_is_known_is_predicted_and_linear_measures_say_what_entropy_says(
    studied: list[str], analyse: Analyse
) -> None:
    table = analyse("prediction", *studied)[""]
    itself = table["measure"] == table["target"]
    assert (table.loc[itself, "rms"] < 1e-7).all()
    assert (table.loc[~itself, "rms"] > 1e-4).all()
    means = analyse("information", *studied, *STUDIED["information"])[""]
    linear = means[means["linear"]]  # the mean log-likelihood is minus the entropy there
    np.testing.assert_allclose(linear["entropy_reduction"], linear["information"], rtol=1e-6)


@pytest.mark.slow
def test_the_league_and_other_readings(
    files: Path, studied: list[str], analyse: Analyse, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = script("analyses/league")
    monkeypatch.setattr(module, "TREC12", files.name)
    tables = analyse("league", *studied, "--g-steps", "3", "--splits", "20")
    for end in tables.keys() - {"_left_out"}:
        check(tables[end])
    pairs, discounts, fits = tables["_pairs"], tables["_discounts"], tables["_published"]
    assert len(pairs.drop_duplicates(["first", "second"])) == len(module.PAIRS)
    assert (pairs["difference_low"] <= pairs["difference"]).all()
    for end in ("", "_standard"):
        stick = tables[end]["measure"] == "broken stick (no content)"
        assert stick.sum() == 3
        assert (tables[end]["rank"].isna() == stick).all()
    assert len(discounts) == 9 * 6 * 3
    paper = discounts[discounts["measure"] == "nDCG(gain=exp2)"]
    assert (paper[["difference", "difference_low", "difference_high"]] == 0).all().all()
    assert set(tables["_choice"]["count"]) == {"retrieved", "total", "at_most"}
    assert fits["min"].le(fits["max"]).all()
    first = tables["_readings"].query("lists_of == 'retrieved' and min_retrieved == 5 and baseline == 'AP'")
    first = first.query("count == 'retrieved' and align == 'recall' and measure == 'AP'").set_index("threshold")
    league = tables[""].query("measure == 'AP'").set_index("threshold")
    pd.testing.assert_series_equal(first["rms"].sort_index(), league["rms"].sort_index())


def test_qualities_of_measures(script: Script) -> None:
    """They are those of SciPy and numpy, and topics with weights are as good as copies of topics."""
    module, rng = script("analyses/validity"), np.random.default_rng(0)
    values = rng.uniform(size=(12, 6, 23)).round(1) + np.linspace(0, 1, 6)[:, None]
    weights = rng.multinomial(12, np.full(12, 1 / 12), size=3)
    once = np.ones((1, 12), dtype=int)
    halves = rng.permuted(np.tile(np.arange(12) < 6, (5, 1)), axis=1)
    power, stability = module.power(values, weights), module.stability(values, weights, halves)
    for sample, weight in enumerate(weights):
        copies = np.repeat(np.arange(12), weight)
        np.testing.assert_allclose(power[sample], module.power(values[copies], once)[0])
        again = module.stability(values[copies], once, halves[:, copies])[0]
        np.testing.assert_allclose(stability[sample], again)
    for k in range(23):
        p = [ttest_rel(values[:, a, k], values[:, b, k]).pvalue for a, b in itertools.combinations(range(6), 2)]
        assert module.power(values, once)[0, k] == pytest.approx(np.mean(np.array(p) < 0.05))
        taus = [kendalltau(*(values[h].mean(axis=0)[:, k].round(9) for h in (half, ~half))) for half in halves]
        rankings = np.mean([result.statistic for result in taus])
        assert module.stability(values, once, halves)[0, k] == pytest.approx(rankings)


def test_predictions_come_from_other_topics(script: Script) -> None:
    """Measures that are multiples of each other say all of each other, and noise says nothing."""
    module, rng = script("analyses/validity"), np.random.default_rng(0)
    line = rng.uniform(size=(40, 50, 1)) * np.linspace(1, 2, 23) + 0.1
    once = np.ones((1, 40), dtype=int)
    np.testing.assert_allclose(module.prediction(line, once), 1, atol=1e-5)
    noise = np.concatenate((line[..., :1], rng.uniform(size=(40, 50, 22))), axis=2)
    np.testing.assert_allclose(module.prediction(noise, once), 0, atol=0.02)
    shifted = line.copy()
    shifted[::5] += 5  # the topics of one fold cannot know it
    np.testing.assert_allclose(module.squared_errors(line, shifted)[::5], 50 * 5**2, rtol=1e-3)


@pytest.mark.slow
def test_errors_and_taus_of_validity(studied: list[str], files: Path, analyse: Analyse, script: Script) -> None:
    tables = analyse("validity", *studied, *STUDIED["validity"])
    measures, readings = tables["_measures"].set_index("measure"), script("analyses/validity").READINGS
    runs = {path.name: path for path in (files / "runs").iterdir()}
    for reading, keywords in readings.items():
        options = {"measures": ["AP", "P@5"], "depth": 1000, **keywords}
        table = me.informativeness(runs, files / "qrels.txt", **options)
        means = table.groupby("measure")["rms"].mean()
        pd.testing.assert_series_equal(measures.loc[means.index, f"rms_{reading}"], means, check_names=False)
    whole = measures[measures["set"] == "whole list"]
    tau = kendalltau(-whole["rms_papers"].round(10), whole["stability"].round(10)).statistic
    row = tables[""].query("collection == 'mean' and order == 'papers' and set == 'whole list'")
    assert row.set_index("quality").loc["stability", "tau"] == pytest.approx(tau)


@pytest.mark.slow
def test_measures_beside_the_broken_stick(studied: list[str], analyse: Analyse) -> None:
    tables = analyse("null", *studied, "--depths", "10", "150")
    table, filters, whole = tables[""], tables["_filters"], tables["_whole"]
    assert set(table["measure"]) == set(table["baseline"])
    itself = table["measure"] == table["baseline"]
    assert (table.loc[itself, "difference"] == 0).all()
    keys = ["reading", "depth", "count", "threshold"]
    errors = table[itself].set_index([*keys, "measure"])["rms"]
    pairs = table[~itself].merge(errors.rename("other"), left_on=[*keys, "baseline"], right_index=True)
    np.testing.assert_allclose(pairs["difference"], pairs["rms"] - pairs["other"], atol=1e-12)
    statements = tables["_statements"]
    assert (statements["told"] + statements["opposite"] <= statements["collections"]).all()
    assert (filters["lists"].diff().dropna() <= 0).all()
    chosen = table[itself & (table["reading"] == "standard") & (table["depth"] == 150) & (table["threshold"] == 0)]
    standard = chosen.set_index("measure")["rms"]
    row = filters.set_index("min_retrieved").loc[1]
    assert row["rms"] == pytest.approx(standard[row["first"]])
    assert row["stick"] == pytest.approx(standard["broken stick (no content)"])
    assert set(whole["reading"]) == {"papers"}


def test_the_broken_stick_of_a_study_has_the_smaller_mean_error_of_two(script: Script) -> None:
    module = script("analyses/common")
    flat, linear = map(str, module.STICKS)
    rows = pd.DataFrame({
        "measure": ["AP", flat, linear] * 2, "threshold": [1] * 3 + [2] * 3, "rms": [0.1, 0.2, 0.4, 0.1, 0.5, 0.2],
    })  # fmt: skip
    table = module.with_stick(rows)
    assert table.loc[table["measure"] == module.STICK, "rms"].tolist() == [0.4, 0.2]
    assert len(table) == 4


@pytest.mark.slow
def test_any_number_has_half_a_nat_and_no_smaller_error(script: Script) -> None:
    """A number drawn for each list; and the counted AP has the error and the nats of the package."""
    module = script("analyses/information")
    collection = me.collect(*me.simulate(systems=8, topics=30, depth=10, rng=1), depth=10)
    relevant = collection.relevant.sum(axis=1, keepdims=True)
    binary = replace(collection, grades=np.minimum(collection.grades, 1), relevant=relevant)
    table = module.counted(binary).set_index(["count", "reference", "measure"]).sort_index()
    beside = table.loc["retrieved", "uniform"]
    assert beside.loc["a random number for each list", "nats"] == pytest.approx(0.5, abs=0.15)
    assert beside.loc["a random number for each list", "rms"] > 0.9 * beside.loc["counts alone", "rms"]
    solved = readings(
        binary, [me.Joint(), me.AP(), me.nDCG(cutoff=10)], counts=["retrieved"], models=["lists"],
        aligns=["every-rank"], min_retrieved=0,
    )  # fmt: skip
    likely = solved.pivot(index=["run_id", "query_id"], columns="measure", values="log_likelihood")
    for measure in ("AP", "nDCG@10"):
        rms = solved.loc[solved["measure"] == measure, "rms"].mean()
        assert beside.loc[measure, "rms"] == pytest.approx(rms, rel=1e-5)
        nats = (likely[measure] - likely[str(me.Joint())]).mean()
        assert beside.loc[measure, "nats"] == pytest.approx(nats, rel=1e-5)


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
def test_joint(
    studied: list[str], analyse: Analyse, script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few = [me.parse_measure(text) for text in ("AP", "AP(rel=2)", "nDCG@10", "R@100", "R@1000")]
    monkeypatch.setattr(script("analyses/joint"), "MEASURES", few)
    found = analyse("joint", *studied, "--splits", "20")
    table, statuses = found[""], found["_statuses"]
    assert len(table) == 9 + 6
    rms = table[table["count"] == "retrieved"].set_index("what")["rms"].to_dict()
    assert rms["usual pair"] == pytest.approx(rms["nDCG@10 alone"])
    assert rms["best pair"] < rms["best measure"] < rms["counts alone"]
    assert (table.loc[table["what"] == "usual pair", "difference"] == 0).all()
    assert table["difference"].between(table["difference_low"] - 1e-9, table["difference_high"] + 1e-9).all()
    assert not statuses["status"].isin(["failed", "infeasible"]).any()
    assert found["_held_out"]["reference"].tolist()[:2] == ["best", "nDCG@10 & R@1000"]


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


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_a_pool_of_two_runs_has_a_third_one_of_another_team(script: Script) -> None:
    module = script("analyses/unjudged")
    runs, qrels = me.simulate(systems=6, topics=4, depth=40)
    teams = {f"system{k + 1}": f"{'abc'[k % 3] * 4}{k}" for k in range(6)}
    reading: Any = {name: option.default for name, option in READING_OPTIONS.items()}
    pools = module.known(pools_of(runs.assign(run_id=runs["run_id"].map(teams)), qrels, reading))
    full, part, pooled = module.reduced(pools, "pair 5", 0)
    assert {run[0] for run in full.collection.runs} == {"a", "b", "c"}
    assert pooled.tolist() == [True, True, False]
    for whole, pool in zip(full.topics, part.topics, strict=True):
        assert whole.judged.all()
        assert set(pool.ids[pool.judged]) == set(pool.ids[pool.lists[:2, :5].ravel()])
        assert (pool.ranks > 0).any(axis=0).all()


def test_joint_takes_runs_at_even_distances(files: Path, script: Script) -> None:
    module = script("analyses/common")
    assert list(module.spaced({f"run{k}": Path(f"{k}") for k in range(10)}, 4)) == ["run0", "run3", "run6", "run9"]
    assert list(module.spaced({"a": files, "b": files}, 6)) == ["a", "b"]


def test_muap_tables(analyse: Analyse) -> None:
    """All numbers of both tables, to the printed digits."""
    table = analyse("muap_tables")[""]
    assert len(table) == 8 + 3 * (8 + 8 + 9)
    assert table["agrees"].all(), table[~table["agrees"]]


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
def test_short_lists_have_the_errors_that_all_lists_counted_have(script: Script) -> None:
    table = script("analyses/short_lists").counted(Path(), "few gold")
    assert len(table) == 2 * 2 * 7
    assert table["same"].all(), table[~table["same"]]


@pytest.mark.slow
def test_labels_beside_judgments(data: Path, analyse: Analyse) -> None:
    """Where all passages of the first ten are judged, nothing is estimated; labels alone are labels of anyone."""
    table = analyse(
        "labels", "--data", str(data), "--seeds", "1", "--ways", "random 20", "depth 10", "--jobs", "1"
    )[""]
    check(table)
    assert len(table) == 2 * 4 * 3 * 2
    pooled = table.query("way == 'depth 10' and measure == 'P(rel=2)@10' and estimate != 'labels'")
    assert (pooled["rmse"] < 1e-12).all()
    labels = table[table["estimate"] == "labels"].groupby(["measure", "family"])["rmse"]
    assert (labels.max() - labels.min() < 1e-12).all()  # whatever people judge


def test_every_analysis_has_a_row_in_the_readme() -> None:
    text = (FOLDER / "README.md").read_text()
    for script in FOLDER.glob("*.py"):
        assert re.search(rf"`(python analyses/)?{script.name}\b", text), script.name


def test_a_regression_is_fitted_to_other_topics(script: Script) -> None:
    module, rng = script("analyses/aslam"), np.random.default_rng(0)
    x, fold = rng.uniform(size=60), np.repeat(np.arange(3), 20)
    features = np.column_stack((np.ones(60), x))
    line = 0.1 + 0.5 * x
    np.testing.assert_allclose(module.cross_fitted(features, line, fold), line)
    odd = np.where(fold == 1, 1 - line, line)  # its own topics cannot help
    np.testing.assert_allclose(module.cross_fitted(features, odd, fold)[fold == 1], line[fold == 1])


@pytest.mark.slow
def test_finished_runs_are_not_computed_again(given: list[str], analyse: Analyse, tmp_path: Path) -> None:
    options = *given, *COMPARED["averages"], "--checkpoint", str(tmp_path / "kept")
    found = analyse("averages", *options)
    finished = {path: path.read_bytes() for path in tmp_path.glob("kept-*")}
    again = analyse("averages", *options)
    assert {path: path.read_bytes() for path in tmp_path.glob("kept-*")} == finished
    for name, table in again.items():
        pd.testing.assert_frame_equal(table, found[name], check_exact=True)
    planted = found["_planted"]
    assert not planted[planted["error"] == "none"]["found"].any()
