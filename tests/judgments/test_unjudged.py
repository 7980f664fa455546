"""Unjudged documents: every vector of grades counted, the gradient at the mode, limits, bounds, labels, errors."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.judgments import (
    SPREAD,
    TOPIC,
    Features,
    Model,
    Pool,
    Pools,
    Step,
    draw_grades,
    fitted,
    mean_bands,
    pools_of,
    values_of,
)
from maxent.options import READING_OPTIONS
from maxent.types import FloatArray, IntArray
from tests.collections import Tables
from tests.golden.messages import as_golden, refused
from tests.helpers import sources
from tests.naive import ap

READING: Any = {name: option.default for name, option in READING_OPTIONS.items()}


@pytest.fixture(scope="module")
def part() -> Tables:
    """Five runs of six topics, of which the first 15 documents are judged in part."""
    runs, qrels = me.simulate(systems=5, topics=6, depth=60, rng=2)
    return runs, qrels.sample(frac=0.4, random_state=1).sort_values(["query_id", "doc_id"])


def judged_to(rank: int) -> Tables:
    """Five runs of six topics, and judgments of their first documents."""
    runs, qrels = me.simulate(systems=5, topics=6, depth=60, rng=2)
    best = runs.groupby(["run_id", "query_id"])["score"].rank(ascending=False).groupby(runs["doc_id"]).min()
    return runs, qrels[qrels["doc_id"].map(best) <= rank]


def pools(tables: tuple[Any, Any], **options: Any) -> Pools:
    return pools_of(*tables, READING | options)


def fit(tables: Tables) -> Sequence[Step]:
    own = pools(tables)
    return fitted(Features.of(own), own.topics)


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_lists_and_grades_of_pools_are_those_of_the_collection(part: Tables) -> None:
    own = pools(part)
    for k, pool in enumerate(own.topics[: len(own.collection.topics)]):
        np.testing.assert_array_equal(np.append(pool.grades.clip(0), 0)[pool.lists], own.collection.grades[k])
        judged = part[1][part[1]["query_id"] == pool.topic].set_index("doc_id")["relevance"]
        assert judged.to_dict() == dict(zip(pool.ids[pool.judged], pool.grades[pool.judged], strict=True))
        for rank in (1, 7):
            at = pool.lists[:, rank - 1]
            np.testing.assert_array_equal(pool.ranks[np.arange(5), at], rank)
    assert [pool.topic for pool in own.topics] == [*own.collection.topics, *own.collection.without_relevant]


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_the_gradient_is_zero_and_a_difference_of_values(part: Tables) -> None:
    steps = fit(part)
    assert len(steps) == 2
    rng = np.random.default_rng(0)
    for step in steps:
        assert np.abs(step.objective(step.mode)[1]).max() < 1e-6
        assert step.penalties[1, 1] in TOPIC
        assert max(float(kappa.max()) for kappa in step.kappas) < 1
        mode, way = rng.normal(size=step.mode.shape) / 5, rng.normal(size=step.mode.shape)
        ends = [step.objective(mode + sign * 1e-5 * way)[0] for sign in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx((step.objective(mode)[1] * way).sum(), rel=1e-6)


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_the_gradient_is_zero_for_many_judged_documents_of_one_topic() -> None:
    number, rng = 60_000, np.random.default_rng(0)
    qrels = {"1": {f"d{k}": int(k % 500 == 0) for k in range(number)}}
    docs = [
        [*rng.choice(number, 50, replace=False), *(number + rng.choice(1000, 50, replace=False))] for _ in range(3)
    ]
    runs = {
        f"run{k}": {"1": {f"d{doc}": -n for n, doc in enumerate(rng.permutation(own))}}
        for k, own in enumerate(docs)
    }
    (step,) = fitted(Features.of(own := pools((runs, qrels))), own.topics)
    assert np.abs(step.objective(step.mode)[1]).max() < 1e-6


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
@pytest.mark.parametrize("number", [1000, 33_333])
def test_features_that_are_the_same_for_all_judged_documents_are_not_stretched(number: int) -> None:
    """No run returns a judged document, and sums of equal numbers are rounded."""
    qrels = {"1": {f"d{k}": int(k % 500 == 0) for k in range(number)}}
    own = pools(({"run": {"1": {f"u{k}": -k for k in range(100)}}}, qrels), allow_unjudged=True)
    features = Features.of(own)
    assert (features.spread == 1).all()
    assert np.abs(features.table(own.topics[0])).max() < 100


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_drawn_multipliers_have_the_covariances_of_the_whole_hessian(part: Tables) -> None:
    step = fit(part)[0]
    topics, size = len(step.tables), step.mode.shape[1]
    whole = np.diag(step.penalties.ravel())
    for t, own in enumerate(step.curvatures(step.mode), 1):
        for a, b in itertools.product((0, t), repeat=2):
            whole[a * size : (a + 1) * size, b * size : (b + 1) * size] += own
    covariance = np.linalg.inv(whole)
    units = np.eye(step.mode.size).reshape(step.mode.size, *step.mode.shape)
    moves = step.draw(units) - (step.mode[0] + step.mode[1:])[:, None]
    for t in range(topics):
        both = np.zeros((size, step.mode.size))
        both[:, :size] = both[:, (t + 1) * size : (t + 2) * size] = np.eye(size)
        expected = SPREAD**2 * both @ covariance @ both.T
        np.testing.assert_allclose(step.covariances[t], expected, atol=1e-9)
        np.testing.assert_allclose(moves[t].T @ moves[t], expected, atol=1e-9)
    logarithm = -step.objective(step.mode)[0] + (np.log(step.penalties).sum() - np.linalg.slogdet(whole)[1]) / 2
    assert step.evidence == pytest.approx(logarithm)


LISTS_OF_SIX = np.array([[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], [2, 0, 6, 6, 6, 6]])
CHANCES = np.array([0.9, 0.5, 0.2, 0.7, 0.1, 0.4])


def every_grade() -> tuple[IntArray, FloatArray]:
    """All vectors of two grades of six documents, and their probabilities."""
    vectors = np.array(list(itertools.product((0, 1), repeat=6)))
    return vectors, np.where(vectors == 1, CHANCES, 1 - CHANCES).prod(axis=1)


def test_values_of_all_grade_vectors_are_those_of_plain_loops() -> None:
    vectors, chances = every_grade()
    values = values_of(LISTS_OF_SIX, vectors, [me.AP(), me.P(cutoff=3), me.RR(), me.Bpref()], 1)
    for vector, own in zip(vectors, values[0].T, strict=True):
        lists = [[int(np.append(vector, 0)[d]) for d in row] for row in LISTS_OF_SIX]
        expected = [ap(row, (int(vector.sum()),)) if vector.any() else 0.0 for row in lists]
        np.testing.assert_allclose(own, expected, atol=1e-12)
    precision = [CHANCES[row[row < 6][:3]].sum() / 3 for row in LISTS_OF_SIX]
    np.testing.assert_allclose(values[1] @ chances, precision, atol=1e-12)


class LogOdds:
    """Features that are the log-odds of the six documents."""

    @staticmethod
    def table(pool: Pool) -> FloatArray:
        odds: FloatArray = np.log(CHANCES / (1 - CHANCES))[:, None]
        return odds


def test_draws_have_the_mean_and_the_variance_of_every_grade_vector() -> None:
    none = np.full(6, -1)
    pool = Pool("1", np.arange(6).astype(object), none, LISTS_OF_SIX, none)
    features: Any = LogOdds()
    grades = draw_grades(features, pool, np.ones((1, 40_000, 1)), (0, 0))
    np.testing.assert_allclose(grades.mean(axis=0), CHANCES, atol=0.01)
    vectors, chances = every_grade()
    exact, drawn = (values_of(LISTS_OF_SIX, x, [me.AP()], 1)[0] for x in (vectors, grades[:4000]))
    mean = exact @ chances
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=0.02)
    np.testing.assert_allclose(drawn.var(axis=1), (exact - mean[:, None]) ** 2 @ chances, atol=0.01)


def test_a_band_of_means_is_the_loop() -> None:
    """Topics resampled, one joint draw of grades for each replicate."""
    draws = np.random.default_rng(1).random((2, 7, 3, 5))
    low, high = mean_bands(draws, 4)
    counts = np.random.default_rng(4).multinomial(7, np.full(7, 1 / 7), size=(10, 5))
    for k, run in itertools.product(range(2), range(3)):
        means = [np.repeat(draws[k, :, run, d], row[d]).mean() for row in counts for d in range(5)]
        assert (low[k, run], high[k, run]) == pytest.approx(tuple(np.quantile(means, (0.05, 0.95))), abs=1e-12)
    assert np.isnan(mean_bands(draws[:, :1], 4)).all()


def test_a_band_contains_its_value(part: Tables) -> None:
    result = me.evaluate(*part, measures=["Success@5", "P@5", "AP"], unjudged="model", progress=False)
    values = result.tables["values"]
    assert (values["low"] <= values["value"] + 1e-12).all()
    assert (values["value"] <= values["high"] + 1e-12).all()


def test_bounds_are_the_extremes_of_every_grade_vector() -> None:
    runs = pd.DataFrame(
        [
            ("q", f"d{d}", -rank, f"r{k}")
            for k, row in enumerate(LISTS_OF_SIX)
            for rank, d in enumerate(row)
            if d < 6
        ],
        columns=["query_id", "doc_id", "score", "run_id"],
    )
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["d0", "d1"], "relevance": [1, 0]})
    measures = ["P@3", "RBP(p=.8)", "DCG", "CG@4", "gP@2"]
    table = me.evaluate(runs, qrels, measures=measures, unjudged="bounds").tables["values"]
    for (run, text), rows in table.groupby(["run_id", "measure"]):
        place = int(str(run)[1])
        values = []
        for rest in itertools.product((0, 1), repeat=4):
            grades = np.append([1, 0, *rest], 0)[LISTS_OF_SIX[place]]
            values.append(float(me.parse_measure(str(text)).evaluate(grades, (sum(rest) + 1,))))
        assert rows[["low", "high"]].to_numpy()[0] == pytest.approx([min(values), max(values)], abs=1e-12)
        assert rows["value"].to_numpy()[0] == pytest.approx(values[0], abs=1e-12)
    for text in ("AP", "nDCG@10", "R@5", "Rprec", "RR", "Bpref", "gR@3", "SR@3", "P(judged_only=True)@3"):
        with refused(me.errors.MeasureError):
            me.evaluate(runs, qrels, measures=[text], unjudged="bounds")


def test_where_all_is_judged_nothing_changes() -> None:
    runs, qrels = me.simulate(systems=3, topics=5, depth=20)
    options: Any = {"measures": ["AP", "nDCG@10", "Bpref", "ERR", "P(judged_only=True)@5"], "depth": 20}
    plain = me.evaluate(runs, qrels, **options)
    model = me.evaluate(runs, qrels, **options, unjudged="model")
    for column in ("value", "low", "high"):
        assert model.tables["values"][column].equals(plain.tables["values"]["value"])
    assert model.table["value"].equals(plain.table["value"])
    relevant = qrels[qrels["relevance"] > 0]
    few = relevant[["query_id", "doc_id"]].assign(score=1.0, run_id="all")
    every = [me.evaluate(few, relevant, measures=["R@1000"], unjudged=way).tables for way in ("zero", "model")]
    assert every[0]["values"]["value"].equals(every[1]["values"]["value"])
    tested = me.compare_systems(runs, qrels, measures=["AP"], depth=20).table
    drawn = me.compare_systems(runs, qrels, measures=["AP"], depth=20, unjudged="model").table
    pd.testing.assert_frame_equal(drawn, tested, check_exact=True)


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_values_with_a_part_of_the_judgments_are_near_those_with_all(part: Tables) -> None:
    full = me.simulate(systems=5, topics=6, depth=60, rng=2)[1]
    runs = part[0].merge(full[["query_id", "doc_id"]])
    truth, zero = (
        me.evaluate(runs, q, measures=["AP", "nDCG@10"], depth=60).table["value"].to_numpy().reshape(-1, 2)
        for q in (full, part[1])
    )
    result = me.evaluate(runs, part[1], measures=["AP", "nDCG@10"], depth=60, unjudged="model")
    model = result.table["value"].to_numpy().reshape(truth.shape)
    assert (np.abs(model - truth).mean(axis=0) < 0.6 * np.abs(zero - truth).mean(axis=0)).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
@pytest.mark.parametrize(("systems", "topics"), [(1, None), (2, None), (5, ["1"])])
def test_one_run_two_runs_one_topic(systems: int, topics: list[str] | None) -> None:
    runs, qrels = judged_to(20)
    runs = runs[runs["run_id"].isin([f"system{k + 1}" for k in range(systems)])]
    result = me.evaluate(runs, qrels, measures=["AP"], depth=60, topics=topics, unjudged="model")
    values = result.tables["values"]
    assert values["value"].between(0, 1).all()
    assert (values["low"] < values["high"]).all()
    assert result.table["low"].isna().all() == (topics is not None)


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_a_topic_without_judgments_above_0_has_expected_values(part: Tables) -> None:
    runs, qrels = part
    qrels = qrels.assign(relevance=qrels["relevance"].where(qrels["query_id"] != "3", 0))
    options: Any = {"measures": ["AP"], "depth": 60, "unjudged": "model"}
    table = me.evaluate(runs, qrels, **options).tables["values"]
    skipped = me.evaluate(runs, qrels, **options, empty="skip").tables["values"]
    assert table["query_id"].iloc[5] == "3"  # the last
    assert (table.loc[table["query_id"] == "3", "value"] > 0).all()
    assert "3" not in set(skipped["query_id"])


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_labels_are_evidence(part: Tables) -> None:
    runs, qrels = part
    full = me.simulate(systems=5, topics=6, depth=60, rng=2)[1]
    runs = runs.merge(full[["query_id", "doc_id"]])
    plain, labelled = (me.unjudged(runs, qrels, labels=labels, depth=60) for labels in (None, full))
    known = [
        result.table.merge(full).merge(runs[["query_id", "doc_id"]].drop_duplicates())
        for result in (plain, labelled)
    ]
    misses = [np.abs(table["p_0"] - (table["relevance"] == 0)).mean() for table in known]
    assert len(known[0]) == len(known[1]) == len(plain.table)
    assert misses[1] < misses[0] / 3
    assert "label 2 or more" in set(labelled.tables["learned"]["feature"])
    other = full.assign(doc_id="x" + full["doc_id"])
    with refused(me.errors.InputError):
        me.unjudged(runs, qrels, labels=other, depth=60)
    with refused(me.errors.ProblemError):
        me.evaluate(runs, qrels, measures=["AP"], labels=full)


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_probabilities_of_grades(part: Tables) -> None:
    result = me.unjudged(*part, depth=60)
    own = pools(part)
    assert len(result.table) == sum(int((~pool.judged).sum()) for pool in own.topics)
    p = result.table.filter(like="p_").to_numpy()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p >= 0).all()
    topics = result.tables["topics"].set_index("query_id")
    expected = topics["relevant"] + (1 - result.table["p_0"]).groupby(result.table["query_id"]).sum()
    np.testing.assert_allclose(topics["expected"], expected[topics.index])
    model = Model.of(own, rng=0)
    for place, pool in enumerate(own.topics):
        shares = (model.grades(place) > 0).mean(axis=0)
        assert np.abs(shares - (1 - model.probabilities(place)[:, 0])).max() < 0.25  # of 100 draws
        np.testing.assert_array_equal(
            model.grades(place)[:, pool.judged], np.tile(pool.grades[pool.judged], (100, 1))
        )


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_moments_of_drawn_grades_agree_with_the_judged_ones(part: Tables) -> None:
    """The number of relevant documents among the judged ones, in the average over multipliers."""
    own = pools(part)
    model = Model.of(own, rng=1, draws=400)
    known = drawn = 0.0
    for place, pool in enumerate(own.topics):
        chances = 1 / (1 + np.exp(-model.multipliers[place, 0] @ model.features.table(pool)[pool.judged].T))
        known, drawn = known + (pool.grades > 0).sum(), drawn + chances.mean(axis=0).sum()
    assert drawn == pytest.approx(known, rel=0.02)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_there_are_bands_of_means_for_pools_but_not_where_they_would_be_too_narrow(part: Tables) -> None:
    deep, shallow = judged_to(20), judged_to(2)
    relevant = [(qrels["relevance"] > 0).sum() / 6 for _, qrels in (deep, shallow, part)]
    assert relevant[1] < 10 < min(relevant[0], relevant[2])
    for tables, printed in ((deep, True), (shallow, False), (part, False)):  # part is a random sample
        means = me.evaluate(*tables, measures=["AP"], unjudged="model").table
        inside = (means["low"] < means["value"]) & (means["value"] < means["high"])
        assert inside.all() == printed == means[["low", "high"]].notna().all(axis=None)
        assert means["value"].notna().all() == (tables is not shallow)


def test_only_relevant_documents_say_nothing_of_others(part: Tables) -> None:
    runs, qrels = part
    with refused(me.errors.InputError):
        me.evaluate(runs, qrels[qrels["relevance"] > 0], measures=["AP"], unjudged="model")


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_a_collection_does_not_know_its_documents(part: Tables) -> None:
    collection = me.collect(*part)
    with refused(me.errors.InputError):
        me.evaluate(collection, measures=["AP"], unjudged="model")
    with refused(me.errors.ProblemError):
        me.evaluate(collection, measures=["AP"], unjudged="none")  # type: ignore[arg-type]
    with refused(me.errors.ProblemError):
        me.compare_systems(*part, unjudged="model", test="wilcoxon")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_drawn_differences_are_tested_as_rubin_says(part: Tables) -> None:
    options: Any = {"measures": ["AP"], "depth": 60, "unjudged": "model"}
    table = me.compare_systems(*part, **options, baseline="system1").table
    values = Model.of(pools(part, depth=60), rng=0).values([me.AP()], jobs=1, progress=False)[0]
    z = values[:, 1] - values[:, 0]
    row = table.iloc[0]
    assert row["difference"] == pytest.approx(z.mean())
    variance = z.var(axis=0, ddof=1).mean() / len(z) + 1.01 * z.mean(axis=0).var(ddof=1)
    from scipy.stats import t

    assert row["p_value"] == pytest.approx(2 * t.sf(abs(z.mean()) / np.sqrt(variance), len(z) - 1))
    assert (row["low"], row["high"]) == pytest.approx(t.interval(0.95, len(z) - 1, z.mean(), np.sqrt(variance)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_jobs_change_no_byte(part: Tables) -> None:
    one, two = (me.evaluate(*part, measures=["AP"], unjudged="model", jobs=jobs) for jobs in (1, 2))
    for name, table in one.tables.items():
        assert table.to_csv() == two.tables[name].to_csv()


@pytest.mark.slow
def test_a_real_collection_is_read_alike(data: Path) -> None:
    folder = data / "robust03"
    runs, qrels = sorted((folder / "runs").iterdir())[:4], folder / "qrels.txt"
    plain, bounds = (
        me.evaluate(runs, qrels, measures=["P@10"], unjudged=unjudged).tables["values"]
        for unjudged in ("zero", "bounds")
    )
    assert bounds["value"].equals(plain["value"])
    assert (bounds["low"] == bounds["value"]).all()
    assert (bounds["high"] >= bounds["value"]).all()


@pytest.mark.parametrize(("unjudged", "heading"), [("model", "90 %"), ("bounds", "bounds"), ("zero", "P@10")])
def test_the_command_says_what_its_intervals_are(
    unjudged: str, heading: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["evaluate", *sources(files, 60), "--measures", "P@10", "--unjudged", unjudged]
    assert main(argv) == 0
    printed = capsys.readouterr().out
    header = next(line for line in printed.splitlines() if line.startswith("run "))
    assert heading in header
    assert "95 %" not in printed
    assert main([*argv, "--format", "csv", "-q"]) == 0
    names = "run_id,measure,value" + (",low,high" if unjudged != "zero" else "")
    assert capsys.readouterr().out.splitlines()[0] == names
    assert main(["unjudged", *sources(files, 60)]) == 0
    assert "90 %" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_a_note_says_how_many_of_the_first_documents_are_not_judged(part: Tables) -> None:
    runs, qrels = part
    seen = runs.groupby(["run_id", "query_id"]).head(10).merge(qrels, how="left")
    number = int(seen["relevance"].isna().sum())
    for unjudged in ("zero", "model"):
        notes = me.compare_systems(runs, qrels, measures=["AP"], unjudged=unjudged).notes
        assert f"unjudged among the first 10 documents of the lists: {number} of 300" in notes


TOO_FEW = "means are not estimated: 6.7 relevant documents of a topic are judged, fewer than 10 in a pool"


def test_means_are_not_estimated_where_too_few_relevant_documents_are_judged() -> None:
    """A pool with 6.7 relevant documents of a topic: no mean, no band, no test of differences of means."""
    runs, qrels = judged_to(2)
    options: Any = {"measures": ["AP", "P@10"], "unjudged": "model"}
    answer = me.evaluate(runs, qrels, **options, per_topic=True)
    assert answer.finding is not None
    assert answer.finding.cautions == (TOO_FEW,)
    values = answer.tables["values"]
    assert values["value"].notna().all()
    assert values[["low", "high"]].isna().all(axis=None)
    with refused(me.errors.InputError):
        me.compare_systems(runs, qrels, **options)
    result = me.unjudged(runs, qrels)
    assert "cannot be estimated" in str(result.finding)
    assert result.tables["topics"][["expected", "low", "high"]].isna().all(axis=None)
    printed = answer.table.set_index("query_id")
    assert printed[["low", "high"]].isna().all(axis=None)
    assert printed["value"].isna().tolist() == (printed.index == "all").tolist()


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_a_random_sample_needs_fewer_relevant_documents_than_a_pool(part: Tables) -> None:
    """Its relevant documents are not below the judged ranks. 7.8 are enough for means, not for bands."""
    runs, _ = part
    full = me.simulate(systems=5, topics=6, depth=60, rng=2)[1]
    for share, enough in ((0.05, True), (0.02, False)):
        sample = full.sample(frac=share, random_state=1)
        number = (sample["relevance"] > 0).sum() / 6
        assert (5 <= number < 10) == enough
        means = me.evaluate(runs, sample, measures=["AP"], unjudged="model").table
        assert means["value"].notna().all() == enough
        assert means["low"].isna().all()


def alone(runs: pd.DataFrame, run: str) -> set[str]:
    """Documents among the first ten of a run and of no other; ids of simulated topics differ."""
    first = runs[runs.groupby(["run_id", "query_id"])["score"].rank(ascending=False) <= 10]
    number = first.groupby("doc_id")["run_id"].size()
    return set(first.loc[(first["run_id"] == run) & (first["doc_id"].map(number) == 1), "doc_id"])


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_runs_are_left_out_of_the_pool_in_turn() -> None:
    """Hidden judgments, a fit to the others, and the mean over draws of multipliers, by plain loops."""
    runs, qrels = judged_to(20)
    step, own = (model := Model.of(pools((runs, qrels)), rng=0)).steps[0], pools((runs, qrels))
    documents, observed, predicted = 0, 0, 0.0
    normals = np.random.default_rng(0).normal(size=(4000, *step.mode.shape))
    grades = qrels.set_index("doc_id")["relevance"]
    for run in own.collection.runs:
        hidden = alone(runs, run) & set(grades.index)
        documents, observed = documents + len(hidden), observed + int((grades[list(hidden)] > 0).sum())
        at = [np.isin(pool.ids.astype(str), list(hidden)) for pool in own.topics]
        rest = step.without([rows[pool.judged] for rows, pool in zip(at, own.topics, strict=True)]).solved()
        assert sum(map(len, rest.hits)) == len(qrels) - len(hidden)
        drawn = rest.draw(normals)
        for rows, pool, multipliers in zip(at, own.topics, drawn, strict=True):
            chances = 1 / (1 + np.exp(-multipliers @ model.features.table(pool)[rows].T))
            predicted += chances.mean(axis=0).sum()
    assert (model.left_out.documents, model.left_out.observed) == (documents, observed)
    assert model.left_out.predicted == pytest.approx(predicted, rel=0.02)


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
@pytest.mark.parametrize("lied", [False, True])
def test_the_command_prints_the_calibration_by_runs_left_out(lied: bool) -> None:
    """If no document that one run alone has at the top is relevant, the note shows that the model expects more."""
    runs, qrels = judged_to(20)
    if lied:
        single = set.union(*(alone(runs, run) for run in set(runs["run_id"])))
        qrels = qrels.assign(relevance=qrels["relevance"].where(~qrels["doc_id"].isin(single), 0))
    left_out = Model.of(pools((runs, qrels)), rng=0).left_out
    assert (left_out.observed == 0) == lied
    assert left_out.predicted > left_out.observed
    number = left_out.documents
    result = me.evaluate(runs, qrels, measures=["P@10"], unjudged="model")
    assert result.table["value"].isna().all() == result.table["value"].isna().any() == lied
    calibration = (
        f"calibration, each run left out in turn: {left_out.predicted / number:.2f} predicted relevant, "
        f"{left_out.observed / number:.2f} are, of {number} judged documents that one run alone returns among its "
        "first 10"
    )
    assert calibration in result.notes
    assert result.finding is not None
    assert (f"means are not estimated: the {calibration}" in result.finding.cautions) == lied


def test_runs_of_the_pool_that_are_absent_are_missed() -> None:
    """What a run outside the pool has judged was found by others, which says nothing of its other documents.

    The caution stands before the numbers.
    """
    runs, qrels = me.simulate(systems=6, topics=10, depth=100)
    pool = runs[runs["run_id"] != "system6"].groupby(["run_id", "query_id"]).head(20)
    judged = qrels.merge(pool[["query_id", "doc_id"]].drop_duplicates())
    two = runs[runs["run_id"].isin(["system1", "system6"])]
    options: Any = {"measures": ["P@10"], "depth": 100, "unjudged": "model"}
    printed = []
    for result in (
        me.evaluate(two, judged, **options),
        me.compare_systems(two, judged, **options),
        me.unjudged(two, judged, depth=100),
    ):
        assert result.finding is not None
        (caution,) = (line for line in result.finding.cautions if "give all runs of the pool" in line)
        assert caution not in result.notes
        printed.append(str(result))
        lines = printed[-1].splitlines()
        table = next(number for number, line in enumerate(lines) if line.startswith(("run ", "topic ")))
        assert lines.index(f"  {caution}") < table
    as_golden(printed[0])


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_values_of_all_kinds_stand_beside_each_other(part: Tables) -> None:
    runs, qrels = part
    options: Any = {"measures": ["P@5", "AP", "P(judged_only=True)@5"], "per_topic": True, "progress": False}
    labels = me.simulate(systems=5, topics=6, depth=60, rng=2)[1]
    result = me.evaluate(runs, qrels, unjudged="all", labels=labels, **options)
    by_model = me.evaluate(runs, qrels, unjudged="model", labels=labels, **options)
    first = runs.groupby(["run_id", "query_id"]).head(10).merge(qrels, how="left")
    judged = first["relevance"].notna().groupby([first["run_id"], first["query_id"]]).mean()
    for kind in ("values", "means"):
        table = result.tables[kind]
        pd.testing.assert_frame_equal(table[by_model.tables[kind].columns], by_model.tables[kind])
        zero = me.evaluate(runs, qrels, **options).tables[kind]
        np.testing.assert_allclose(table["zero"], zero["value"])
        bounds = me.evaluate(runs, qrels, unjudged="bounds", **options | {"measures": ["P@5"]}).tables[kind]
        rows = table[table["measure"] == "P@5"]
        np.testing.assert_allclose(rows[["bounds_low", "bounds_high"]], bounds[["low", "high"]])
        assert table.loc[table["measure"] != "P@5", ["bounds_low", "bounds_high"]].isna().all(axis=None)
    lists = result.tables["values"].drop_duplicates(["run_id", "query_id"]).set_index(["run_id", "query_id"])
    np.testing.assert_allclose(lists["judged_10"], judged[lists.index])
    means = result.table[result.table["query_id"] == "all"].drop_duplicates("run_id").set_index("run_id")
    np.testing.assert_allclose(means["judged_10"], judged.groupby("run_id").mean()[means.index])
    as_golden(str(me.evaluate(runs, qrels, unjudged="all", **options | {"per_topic": False})))


@pytest.mark.filterwarnings("ignore::maxent.errors.InputWarning")
def test_values_of_all_kinds_with_an_empty_list_and_a_topic_without_relevant_documents() -> None:
    runs, qrels = judged_to(20)
    runs = runs[(runs["run_id"] != "system1") | (runs["query_id"] != "2")]
    qrels = qrels.assign(relevance=qrels["relevance"].where(qrels["query_id"] != "3", 0))
    for empty, topics in (("zero", 6), ("skip", 5)):
        result = me.evaluate(runs, qrels, measures=["P@5"], empty=empty, unjudged="all", progress=False)  # type: ignore[arg-type]
        values = result.tables["values"]
        assert len(values) == 5 * topics
        missing = (values["run_id"] == "system1") & (values["query_id"] == "2")
        assert (values["judged_10"].isna() == missing).all()
        assert result.table.notna().all(axis=None)
