"""Studies of short lists: their reading, against all lists counted, and what their finding says."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.data import Collection
from maxent.studies import BOTH, SHORT_MEASURES, fitting
from maxent.types import FloatArray
from tests.collections import collection_of_lists
from tests.golden.messages import as_golden, refused

DEPTH = 6
LISTS = np.array(list(product((0, 1, 2), repeat=DEPTH)))


def tilted(values: FloatArray, value: float, allowed: FloatArray) -> FloatArray:
    """Probabilities of all lists: the most random ones among those allowed with an expected value, by bisection."""
    ends = values[allowed > 0].min(), values[allowed > 0].max()
    for end in ends:
        if abs(value - end) < 1e-12:
            at_end = allowed * (abs(values - end) < 1e-12)
            return np.array(at_end / at_end.sum(), dtype=np.float64)
    low, high = -3000.0, 3000.0
    for _ in range(200):
        middle = (low + high) / 2
        logs = middle * values
        weights: FloatArray = allowed * np.exp(np.minimum(logs - logs[allowed > 0].max(), 0.0))
        weights /= weights.sum()
        low, high = (middle, high) if weights @ values < value else (low, middle)
    return np.array(weights, dtype=np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("count", ["retrieved", "at_most"])
@pytest.mark.parametrize("reference", ["uniform", "log-uniform"])
def test_errors_are_those_of_all_lists_counted(count: Any, reference: Any) -> None:
    relevant = (2, 1)
    rng = np.random.default_rng(3)
    possible = LISTS[((LISTS == 1).sum(1) <= 2) & ((LISTS == 2).sum(1) <= 1)]
    lists = rng.choice(possible, size=(2, 6))
    lists[0, 0] = 0  # nothing found
    measures = ["AP", "nDCG@5", "P@5", "RR", "Success@3", "ERR"]
    table = me.informativeness(
        collection_of_lists(lists, relevant), measures=measures, count=count, reference=reference
    ).set_index(["run_id", "query_id", "measure", "threshold"])
    ranks = np.arange(1, DEPTH + 1)
    odds = np.where(LISTS > 0, 1 / ranks if reference == "log-uniform" else 1.0, 1.0).prod(axis=1)
    for r, t in np.ndindex(2, 6):
        own = lists[r, t]
        found = [np.sum(g == LISTS, axis=1) for g in (1, 2)]
        wanted = [(own == g).sum() for g in (1, 2)] if count == "retrieved" else relevant
        fits = [n == w if count == "retrieved" else n <= w for n, w in zip(found, wanted, strict=True)]
        allowed = odds * (fits[0] & fits[1])
        index = int(np.flatnonzero((own == LISTS).all(axis=1))[0])
        for name in measures:
            values = np.zeros(len(LISTS))
            for k in np.flatnonzero(allowed):
                values[k] = me.parse_measure(name).evaluate(LISTS[k], relevant)
            p = tilted(values, values[index], allowed)
            for threshold in (1, 2):
                precision = (threshold <= LISTS).cumsum(axis=1) / ranks
                rms = np.sqrt(np.mean((p @ precision - precision[index]) ** 2))
                row: Any = table.loc[(f"run{r}", str(t), name, threshold), :]
                assert row["rms"] == pytest.approx(rms, abs=1e-6), (name, own)


@pytest.fixture(scope="module")
def few_gold() -> Collection:
    """Three runs of ten documents for thirty topics with a relevant document or two."""
    rng = np.random.default_rng(0)
    qrels = {str(t): {f"d{k}": 1 for k in range(1 + (t % 5 == 0))} for t in range(30)}
    runs: dict[str, dict[str, dict[str, float]]] = {f"run{r}": {} for r in range(3)}
    for r, t in product(range(3), range(30)):
        docs = [f"d{k}" for k in rng.permutation(14)[:10]]
        runs[f"run{r}"][str(t)] = {doc: 10.0 - n for n, doc in enumerate(docs)}
    return me.collect(runs, qrels, allow_unjudged=True)


@pytest.mark.slow
def test_a_study_of_short_lists_answers_two_questions(few_gold: Collection) -> None:
    result = me.study(few_gold, progress=False)
    table = result.tables["informativeness"]
    assert table["count"].unique().tolist() == ["retrieved", "at_most"]
    measures = [str(me.parse_measure(name)) for name in SHORT_MEASURES]
    assert table["measure"].unique().tolist() == [*measures, "BrokenStick"]
    assert set(table["status"]) <= {"optimal", "boundary", "constant"}
    assert "count=retrieved and at_most, model=lists, reference=log-uniform, align=every-rank" in result.reading
    for count in BOTH:
        rows = table[table["count"] == count]
        alone = me.informativeness(few_gold, count=count, progress=False)
        rows = rows[rows["measure"].isin(measures)]
        pd.testing.assert_frame_equal(rows.drop(columns="count").reset_index(drop=True), alone)
    assert (result.table["lists"] == 90).all()
    assert "RBP: p=0.8" in result.legend
    assert result.finding is not None
    finding = result.finding
    assert finding.best is None, "each question has its own"
    assert finding.reading is not None
    assert finding.reading["count"] == "retrieved and at_most"
    assert list(finding.parts) == list(BOTH)
    for (name, part), sentence in zip(finding.parts.items(), finding.sentence.split(".\n"), strict=True):
        places = result.tables[f"league-{name}"].query("threshold == 0")
        assert part.best == places["measure"].iloc[0]
        assert part.sentence in sentence
        assert part.lists is not None
        assert part.lists.used == places["lists"].iloc[0]
        assert part.reading == {**finding.reading, "count": name}
    as_golden(finding.support[-1])


def test_an_option_changes_only_itself(few_gold: Collection) -> None:
    result = me.study(few_gold, measures=["AP", "P@5"], count="retrieved", align="rank", progress=False)
    reading = "reading=standard, count=retrieved, model=lists, reference=log-uniform, align=rank, depth=10"
    assert result.reading == reading
    assert "count" not in result.table
    assert fitting(10, {"solver": "cvxpy"})["model"] == "ranks"
    beside = {"count": "retrieved", "model": "ranks"}
    standard = {"reading": "standard", "reference": "log-uniform", "align": "expected", "min_retrieved": 1}
    papers = {"reading": "papers", "reference": "uniform", "align": "recall", "min_retrieved": 5}
    assert fitting(21, {}) == standard | beside
    del papers["reading"]
    assert fitting(10, {"reading": "papers"}) == fitting(21, {"reading": "papers"}) == papers | beside
    del papers["align"]
    assert fitting(21, {"reading": "papers", "align": "rank"}) == papers | beside
    with refused(me.errors.ProblemError):
        me.study(few_gold, reading="paper")  # type: ignore[arg-type]


def test_the_papers_reading_has_the_papers_measures_at_any_depth(few_gold: Collection) -> None:
    table = me.informativeness(few_gold, reading="papers", min_retrieved=0, progress=False)
    assert table["measure"].unique().tolist() == ["GAP(g=1)", "AP", "nDCG(gain=exp2)"]
    with refused(me.errors.ProblemError):
        me.study(few_gold, reading="papers", progress=False)


def test_a_measure_that_the_counts_fix_is_not_ranked(few_gold: Collection) -> None:
    result = me.study(few_gold, measures=["AP", "P@10"], count="retrieved", progress=False)
    assert result.finding is not None
    assert (result.finding.best, result.finding.differences) == ("AP", ())
    assert result.tables["league"]["measure"].unique().tolist() == ["AP"]


def test_a_list_with_one_relevant_document_has_its_measures_alike() -> None:
    """The finding names the measures that are the same on all lists beside the best one."""
    collection = me.collect({"run": {"1": ["a", "b"], "2": ["a", "b"]}}, {"1": ["a"], "2": ["b"]})
    result = me.study(collection, measures=["AP", "RR"], count="retrieved", progress=False)
    assert result.finding is not None
    assert (result.finding.best, result.finding.differences) == ("AP", ())
    assert set(me.league(result.tables["informativeness"])["same"]) == {"RR"}
    assert "100% of the lists have at most one relevant document: AP is RR times a constant" in str(result.finding)
    notes = me.choose_measures(collection, candidates=["AP"], size=1).notes
    assert any("AP is RR times a constant" in note for note in notes)
    as_golden(notes[-1])
    asked = me.choose_measures(collection, candidates=["AP"], size=1, count="retrieved")
    assert not any("count=at_most" in note for note in asked.notes)
    assert me.explain(collection, topic="1").table["measure"].tolist() == ["nDCG@10", "AP@10", "RR@10"]


def test_cascades_are_chosen_and_known_together(few_gold: Collection) -> None:
    result = me.choose_measures(few_gold, candidates=["RR", "P@5"], progress=False)
    assert set(result.table["measure"]) & {"RR & P@5", "P@5 & RR"}
    assert result.table["rms"].is_monotonic_decreasing


@pytest.mark.slow
def test_a_study_of_short_lists_leaves_no_checkpoint(few_gold: Collection, tmp_path: Path) -> None:
    result = me.study(few_gold, measures=["AP", "P@5"], checkpoint=tmp_path / "study.partial", progress=False)
    assert len(list(tmp_path.glob("*.partial"))) == 2  # one for each count
    result.save(tmp_path)
    assert not list(tmp_path.glob("*.partial"))


def test_counts_may_rule_a_list_out(few_gold: Collection) -> None:
    assert me.study(few_gold, measures=["AP", "P@5"], count="total", progress=False).finding is not None


@pytest.mark.slow
def test_the_figure_has_a_row_for_each_question() -> None:
    for levels, columns in ((1, 1), (2, 2), (3, 3)):
        collection = me.collect(
            {"run": {str(t): {f"d{k}": 9.0 - k for k in range(5)} for t in range(4)}},
            {str(t): {f"d{g}": g for g in range(1, levels + 1)} for t in range(4)},
        )
        (sheet,) = me.study(collection, measures=["AP", "RR"], progress=False).sheets
        assert (len(sheet.panels), sheet.columns) == (2 * columns, columns)


def test_a_choice_says_which_lists_it_uses() -> None:
    """P@5 is fixed by the counts of every list, which is no reason to leave one out; a grade that is missing is."""
    collection = me.collect(
        {"run": {str(t): [f"d{k}" for k in np.roll(range(5), t)] for t in range(12)}},
        {str(t): {"d0": 1, "d1": 1 + (t % 3 > 0)} for t in range(12)},
    )
    result = me.choose_measures(collection, candidates=["AP", "P@5"], size=1, progress=False)
    assert result.finding is not None
    used = [line for line in result.finding.support if line.startswith(("training topics", "evaluation topics"))]
    notes = [note for note in result.notes if "no_relevant" in note]
    for line, note in zip(used, notes, strict=True):
        assert note.startswith(f"lists of the {line.split(': ')[0]} excluded: ")
        used_lists, lists = map(int, re.findall(r"(\d+) of (\d+) lists", line)[0])
        assert lists - used_lists == int(note.split(": ")[1].split()[0]) > 0
