"""Shares within bands, probability integral transforms and information: against counting all short lists."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent import plot
from maxent.problem.reference import log_odds
from maxent.studies.calibration import BANDS, PITS, binned
from maxent.studies.predict import DRAWN, drawn_band, drawn_place
from maxent.studies.topics import SOLVED
from tests.lists.every_list import EveryList

GIVEN: dict[str, Any] = {"min_retrieved": 1, "progress": False}
MEASURES = ["AP", "GAP(g=0.5,0.5) & nDCG"]


@pytest.fixture(scope="module")
def collection() -> me.data.Collection:
    """Three topics, and one without documents of grade 2; topic 5 has no relevant document."""
    rows = [("1", [1, 0, 2, 0, 1, 0, 2]), ("2", [0, 2, 0, 0, 1, 1, 0]), ("3", [0, 0, 1, 2, 0, 0, 0])]
    lists = [
        (topic, f"d{n}", float(9 - n), i) for topic, own in [*rows, ("4", [0, 1, 0, 1])] for n, i in enumerate(own)
    ]
    table = pd.DataFrame([*lists, ("5", "x", 1.0, 0)], columns=["query_id", "doc_id", "score", "relevance"])
    return me.collect({"a": table, "b": table.assign(score=-table["score"])}, table, depth=7)


def plain_share(lower: float, upper: float, low: float, high: float) -> float:
    """Share of the interval from lower to upper that is within that from low to high."""
    return max(0.0, min(upper, high) - max(lower, low)) / (upper - lower)


@pytest.mark.parametrize("model", ["ranks", "lists"])
@pytest.mark.parametrize("reference", [None, "log-uniform"])
def test_ranks_and_information_by_counting_all_lists(
    collection: me.data.Collection, model: Any, reference: Any
) -> None:
    table = me.studies.calibration(
        collection, measures=MEASURES, targets=[], model=model, reference=reference, **GIVEN
    )
    solved = table[table["status"] == "optimal"]
    assert set(solved["target"]) == {"ranks t=1", "ranks t=2"}
    assert solved["measure"].nunique() == len(MEASURES)
    for row in solved.to_dict("records"):
        topic, run = collection.topics.index(row["query_id"]), collection.runs.index(row["run_id"])
        grades, relevant = collection.grades[topic, run].astype(int), tuple(collection.relevant[topic].tolist())
        problem = me.Problem.of_list(me.parse_measure(row["measure"]), grades, relevant, reference=reference)
        if model == "lists":
            every = EveryList(problem, log_odds(reference, 7, 2))
            lists, observed = every.grades, int(np.flatnonzero((every.grades == grades).all(axis=1))[0])
            every.weigh(np.zeros(len(problem.values)))
            alone = every.log_p[observed]
            every.weigh(me.solve(problem, model=model).multipliers.values)
            weights, log_p, number = every.weights, every.log_p[observed], len(lists)
            assert row["information_counts"] == pytest.approx(log_p + np.log(number), abs=1e-9)
        else:
            lists = np.array(list(product(range(3), repeat=7)))
            p = me.solve(problem).p
            weights = p[np.arange(7), lists].prod(axis=1)
            counts = me.Problem.of_list(me.Joint(), grades, relevant, reference=reference)
            log_p, alone = (me.solve(own).log_likelihood(grades) for own in (problem, counts))
        assert row["information"] == pytest.approx(log_p - alone, abs=1e-9)
        threshold = int(row["target"][-1])
        ranks = np.flatnonzero(grades >= threshold) + 1
        found = np.cumsum(lists >= threshold, axis=1)
        within, pits = np.zeros(len(BANDS)), np.zeros(10)
        for k, rank in enumerate(ranks, start=1):
            exists = weights[found[:, -1] >= k].sum()
            before = weights[found[:, rank - 2] >= k].sum() / exists if rank > 1 else 0.0
            upto = weights[found[:, rank - 1] >= k].sum() / exists
            within += [upto >= (1 - band) / 2 and before <= (1 + band) / 2 for band in BANDS]
            pits += [plain_share(before, upto, j / 10, (j + 1) / 10) for j in range(10)]
        assert row["points"] == len(ranks)
        np.testing.assert_allclose([row[f"within_{share}"] for share in (50, 80, 90)], within / len(ranks))
        np.testing.assert_allclose([row[name] for name in PITS], pits / len(ranks), atol=1e-6)


def test_rows_without_ranks_say_why_and_known_values_are_no_targets(collection: me.data.Collection) -> None:
    table = me.studies.calibration(
        collection, measures=["AP", "AP & P@3"], **GIVEN | {"min_retrieved": 0, "min_retrieved_total": 1}
    )
    assert set(table["target"]) == {"ranks t=1", "ranks t=2", "P@3"}
    assert set(table.loc[table["target"] == "P@3", "measure"]) == {"AP"}
    rows = table[(table["query_id"] == "4") & (table["target"] == "ranks t=2")]
    assert set(rows["status"]) == {"no_relevant"}
    assert set(table.loc[table["query_id"] == "5", "status"]) == {"no_relevant"}
    left_out = table[~table["status"].isin(SOLVED)]
    assert left_out[["within_90", "pit_10"]].isna().all(axis=None)
    assert (table.loc[table["status"].isin(SOLVED), "points"] > 0).all()


@pytest.mark.parametrize("ties", [1, 7])
def test_each_of_lists_that_are_alike_is_within_a_band_as_often_as_it_says(ties: int) -> None:
    """Each of 200 values in turn is the observed one: PITs are even, and 180 are in the band of 90 %."""
    values = np.random.default_rng(0).permutation(np.arange(DRAWN + 1) // ties) / 10.0
    shares, within = np.zeros(10), 0
    for k, own in enumerate(values):
        others = np.sort(np.delete(values, k))[None]
        shares += binned(*drawn_place(others, np.array([own])))[0]
        low, high = drawn_band(others, 0.9)[:, 0]
        within += low <= own <= high
    np.testing.assert_allclose(shares, (DRAWN + 1) / 10)
    assert within == 180 if ties == 1 else within >= 180


def test_the_transform_of_what_cannot_be_is_at_an_end() -> None:
    shares = binned(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1 + 1e-15]))
    np.testing.assert_allclose(shares[:, [0, -1]], [(1, 0), (0, 1), (0, 1)])
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_jobs_and_a_checkpoint_change_no_byte(collection: me.data.Collection, tmp_path: Path) -> None:
    options = {"measures": ["AP"], "targets": ["P@3", "RR"], "model": "lists", **GIVEN}
    one = me.studies.calibration(collection, **options)
    assert one.equals(me.studies.calibration(collection, jobs=2, checkpoint=tmp_path / "part", **options))
    assert one.equals(me.studies.calibration(collection, checkpoint=tmp_path / "part", **options))


@pytest.mark.slow
def test_the_summary_and_its_figure() -> None:
    runs, qrels = me.simulate(systems=3, topics=5, depth=60)
    table = me.studies.calibration(runs, qrels, measures=["AP", "P@10"], targets=["P@10", "RR"], depth=60, **GIVEN)
    summary = me.studies.summarize_calibration(table, rng=1)
    assert summary["target"].tolist() == ["ranks t=1", "ranks t=2", "P@10", "RR", "ranks t=1", "ranks t=2", "RR"]
    for row in summary.to_dict("records"):
        own = table[(table["measure"] == row["measure"]) & (table["target"] == row["target"])]
        own = own[own["status"].isin(SOLVED)]
        assert row["lists"] == len(own)
        for name in ("within_50", "within_90", "information", "pit_10"):
            assert row[name] == pytest.approx(own[name].mean())
        assert row["within_90_low"] <= row["within_90"] <= row["within_90_high"]
    ax = plot.plot_calibration(summary, target="RR")
    drawn = [patch.get_data().values for patch in ax.patches]  # type: ignore[attr-defined]
    np.testing.assert_allclose(drawn, 10 * summary.loc[summary["target"] == "RR", list(PITS)])
    with pytest.raises(me.errors.ProblemError, match="no row with target 'AP'"):
        plot.plot_calibration(summary, target="AP")
