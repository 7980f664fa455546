"""The simulated collection: its shape, its refusals, and how close it comes to a real one."""

from pathlib import Path

import embedded as compared
import numpy as np
import pandas as pd
import pytest

from maxent import collect, simulate
from maxent.data import Model
from maxent.errors import InputError
from tests.golden.messages import refused

# Real value and spread over random 20 x 30 sub-collections of TREC-COVID round 4, as printed by
# analyses/embedded.py. Its other statistics are further quantiles of the same quantities, except the one
# that the model does not reproduce: teams' runs are relatives, simulated systems are not, so that
# "overlap at 100, sd over pairs" is .09 instead of .14.
REAL = {
    "R_1 mean": (50.6, 8.4),
    "R_1 sd": (38.8, 7.0),
    "R_1 q50": (40.0, 8.3),
    "R_2 mean": (78.8, 8.7),
    "R_2 sd": (49.3, 8.0),
    "R_2 q50": (66.0, 8.5),
    "R_1, R_2 correlation": (0.26, 0.27),
    "AP(rel=1) mean": (0.264, 0.030),
    "AP(rel=1) sd": (0.179, 0.011),
    "AP(rel=1) q5": (0.015, 0.014),
    "AP(rel=1) q50": (0.245, 0.040),
    "AP(rel=1) q95": (0.575, 0.040),
    "AP(rel=1) sd of system means": (0.104, 0.014),
    "AP(rel=1) sd of topic means": (0.120, 0.015),
    "AP(rel=2) mean": (0.249, 0.033),
    "AP(rel=2) sd": (0.191, 0.014),
    "AP(rel=2) sd of system means": (0.103, 0.015),
    "AP(rel=2) sd of topic means": (0.132, 0.017),
    "nDCG mean": (0.535, 0.040),
    "nDCG sd": (0.225, 0.016),
    "nDCG q5": (0.136, 0.077),
    "nDCG q50": (0.555, 0.051),
    "nDCG q95": (0.853, 0.022),
    "nDCG sd of system means": (0.147, 0.026),
    "nDCG sd of topic means": (0.141, 0.017),
    "nDCG of topic, log R_1 correlation": (-0.35, 0.11),
    "recall of grade 1": (0.510, 0.040),
    "recall of grade 2": (0.627, 0.047),
    "lists with 5 of each grade": (0.839, 0.058),
    "overlap at 1000": (0.293, 0.039),
    "overlap at 100": (0.258, 0.036),
    "shared relevant in top 100": (16.2, 2.4),
    "Kendall tau between topics (AP)": (0.490, 0.058),
}


@pytest.fixture(scope="module")
def embedded() -> tuple[pd.DataFrame, pd.DataFrame]:
    return simulate()


@pytest.fixture(scope="module")
def statistics(embedded: tuple[pd.DataFrame, pd.DataFrame]) -> dict[str, float]:
    return compared.statistics(compared.observe(*embedded))


def small(rng: np.random.Generator | int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    return simulate(systems=3, topics=4, depth=50, rng=rng)


def test_a_seed_stands_for_its_generator_and_fixes_the_collection() -> None:
    for seeded, again, generated in zip(small(3), small(3), small(np.random.default_rng(3)), strict=True):
        pd.testing.assert_frame_equal(seeded, again)
        pd.testing.assert_frame_equal(seeded, generated)


def test_another_seed_and_a_used_generator_give_another_collection() -> None:
    rng = np.random.default_rng(3)
    frames = [small(rng)[0], small(rng)[0], small(4)[0]]
    for i, frame in enumerate(frames):
        assert not any(frame.equals(other) for other in frames[:i])


@pytest.mark.slow
def test_the_default_collection_is_valid(embedded: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """Whole lists in rank order, without ties; ids that a file in TREC format can hold."""
    runs, qrels = embedded
    collection = collect(runs, qrels)  # which refuses what is repeated or missing
    assert collection.grades.shape == (30, 20, 1000)
    lists = runs.groupby(["run_id", "query_id"])
    assert lists.size().tolist() == [1000] * 20 * 30
    assert (lists["score"].diff().dropna() < 0).all()
    assert set(qrels["relevance"]) == {0, 1, 2}
    for ids in (runs["run_id"], runs["query_id"], runs["doc_id"], qrels["query_id"], qrels["doc_id"]):
        assert pd.Series(ids.unique()).str.fullmatch(r"[A-Za-z0-9.-]+").all()


def test_a_document_id_tells_nothing_of_its_grade(embedded: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    _, qrels = embedded
    number = qrels["doc_id"].str.split("-").str[1].astype(float)
    means = number.groupby(qrels["relevance"]).mean()
    assert ((means > 4500) & (means < 5500)).all()


def test_every_topic_has_documents_of_each_grade() -> None:
    _, qrels = simulate(systems=1, topics=200, depth=10, rng=1, model=Model(documents=2000))
    counts = qrels.groupby(["query_id", "relevance"]).size().unstack()
    assert (counts[[1, 2]] >= 1).all(axis=None)


def test_the_pool_is_judged() -> None:
    model = Model(pool=7)
    runs, qrels = simulate(systems=4, topics=3, depth=40, rng=2, model=model)
    top = runs.groupby(["run_id", "query_id"]).head(7)[["query_id", "doc_id"]].drop_duplicates()
    judged = top.merge(qrels, how="left", on=["query_id", "doc_id"])
    assert judged["relevance"].notna().all()
    rest = qrels.merge(top, how="left", on=["query_id", "doc_id"], indicator=True)
    assert (rest.loc[rest["_merge"] == "left_only", "relevance"] > 0).all()


@pytest.mark.parametrize("levels", [1, 4])
def test_other_numbers_of_grades(levels: int) -> None:
    model = Model(shapes=(1.0,) * levels, prominence=tuple(1.0 + i for i in range(levels)))
    _, qrels = simulate(systems=2, topics=2, depth=20, rng=0, model=model)
    assert set(qrels["relevance"]) == set(range(levels + 1))


def test_smallest_and_longest_lists() -> None:
    runs, qrels = simulate(systems=1, topics=1, depth=1)
    assert len(runs) == 1
    assert (qrels["relevance"] > 0).any()
    runs, _ = simulate(systems=2, topics=1, depth=1500, model=Model(documents=1500))
    assert (runs.groupby("run_id")["doc_id"].nunique() == 1500).all()


@pytest.mark.parametrize("name", ["systems", "topics", "depth"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "3", True])
def test_sizes_are_positive_integers(name: str, value: object) -> None:
    with refused(InputError):
        simulate(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("rng", [-1, 1.5, None, "0", True])
def test_rng_is_a_generator_or_a_seed(rng: object) -> None:
    with refused(InputError):
        simulate(rng=rng)  # type: ignore[arg-type]


def test_sizes_and_parameters_must_fit_each_other() -> None:
    with refused(InputError):
        simulate(depth=10_001)
    with refused(InputError):
        simulate(depth=10, model=Model(documents=20))
    with refused(InputError):
        Model(shapes=(1.0,))
    with refused(InputError):
        Model(scale=-1.0)
    with refused(InputError):
        Model(pool=0)
    with refused(InputError):
        Model(few=(3, 1))


@pytest.mark.slow
@pytest.mark.parametrize("statistic", REAL)
def test_it_is_close_to_the_real_collection(statistics: dict[str, float], statistic: str) -> None:
    real, spread = REAL[statistic]
    assert abs(statistics[statistic] - real) <= 2 * spread
    if statistic == "lists with 5 of each grade":
        assert statistics[statistic] > 0.75


@pytest.mark.slow
def test_analysis_of_the_real_collection(
    statistics: dict[str, float], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "some-runs", tmp_path / "table.csv"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").symlink_to(data / "covid-round4" / "qrels.txt")
    for path in sorted((data / "covid-round4" / "runs").iterdir())[::3]:
        (folder / "runs" / path.name).symlink_to(path)
    compared.main(["--data", str(folder), "--out", str(out)])
    table = pd.read_csv(out)
    assert list(table.columns) == ["statistic", "real", "spread", "simulated"]
    assert set(REAL) <= set(table["statistic"])
    assert np.isfinite(table[["real", "spread", "simulated"]]).all(axis=None)
    assert dict(zip(table["statistic"], table["simulated"], strict=True)) == pytest.approx(statistics)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 1 + len(table)
    assert len({len(line) for line in printed}) == 1  # aligned
    # the relevance judgments are complete even where the runs are every third one
    real = dict(zip(table["statistic"], table["real"], strict=True))
    assert real["R_1 mean"] == pytest.approx(50.644, abs=1e-3)
    assert real["nDCG mean"] == pytest.approx(REAL["nDCG mean"][0], abs=0.1)


@pytest.mark.slow
def test_ten_documents_a_query() -> None:
    runs, qrels = simulate(model="ten-documents")
    assert runs.groupby(["run_id", "query_id"]).size().tolist() == [10] * 8 * 300
    relevant = qrels[qrels["relevance"] > 0].groupby("query_id").size()
    assert len(relevant) == 300
    assert set(relevant) == {1, 2, 3}
    assert set(qrels["relevance"]) == {0, 1, 2, 3}
    for table, again in zip((runs, qrels), simulate(model="ten-documents"), strict=True):
        pd.testing.assert_frame_equal(table, again)
    few, _ = simulate(systems=2, topics=3, depth=5, model="ten-documents")
    assert len(few) == 30
    with refused(InputError):
        simulate(model="ten")  # type: ignore[arg-type]
