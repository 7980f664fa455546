"""The study: a row for every list, reasons, and going on after an interruption."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent.curves import Align
from maxent.problem import Problems, Solutions
from maxent.solvers import solve_arrays
from maxent.studies import SOLVED, Results, StudyOptions, Topic, study_key, topics
from maxent.studies import informativeness as study_module
from maxent.types import IntArray
from tests.collections import of_documents
from tests.studies.conftest import solution_of


@pytest.mark.parametrize("name", ["single", "joint", "reference"])
def test_rows_equal_the_steps_done_by_hand(
    name: str, arrays: me.data.Collection, table: pd.DataFrame, joint_table: pd.DataFrame
) -> None:
    known: dict[str, Any] = {"reference": "log-uniform"} if name == "reference" else {}
    align: Align = "expected" if known else "recall"
    if known:
        table = me.informativeness(arrays, measures=["AP", "P@10"], progress=False)
    table = joint_table if name == "joint" else table
    solved = table[table["status"].isin(SOLVED)]
    assert set(solved["measure"]) == set(table["measure"])
    for row in solved.iloc[::11].to_dict("records"):
        t, r = arrays.topics.index(row["query_id"]), arrays.runs.index(row["run_id"])
        solution = solution_of(arrays, row, **known)
        actual = me.actual_curve(arrays.grades[t, r], arrays.relevant[t], threshold=row["threshold"])
        error = me.curve_error(actual, me.inferred_curve(solution, threshold=row["threshold"]), align=align)
        # side by side, a problem's sums are rounded in another order
        assert (row["rms"], row["mae"], row["points"]) == pytest.approx(tuple(error), rel=1e-7)
        assert row["entropy"] == pytest.approx(solution.entropy, rel=1e-9)
        assert row["status"] == solution.status


TWO_GRADES = [("1", "a", 1), ("1", "b", 2)]
CASES: dict[str, tuple[Any, dict[str, Any], dict[tuple[str, str, int], str]]] = {
    "every reason": (
        of_documents(
            [*TWO_GRADES, ("2", "a", 1), ("2", "b", 2), ("3", "a", 0)], A=["1:axb", "3:a"], B=["1:a", "2:b"]
        ),
        {"thresholds": [1]},
        {
            ("A", "1", 1): "optimal",
            ("A", "2", 1): "missing",
            ("A", "3", 1): "no_relevant",
            ("B", "1", 1): "too_few",
            ("B", "2", 1): "too_few",
            ("B", "3", 1): "no_relevant",
        },
    ),
    "a grade that no topic has asks for no documents": (
        of_documents([("1", "a", 1), ("1", "b", 4)], A=["1:ba"]),
        {"thresholds": [1]},
        {("A", "1", 1): "boundary"},
    ),
    "documents of a higher grade may count for a threshold": (
        of_documents([*TWO_GRADES, ("1", "c", 2)], A=["1:axb"], B=["1:bc"], C=["1:ca"]),
        {"thresholds": [1], "min_retrieved": 2, "min_retrieved_by": "threshold"},
        {("A", "1", 1): "too_few", ("B", "1", 1): "boundary", ("C", "1", 1): "too_few"},
    ),
    "a topic without documents of the highest grade has no curve for it": (
        of_documents([("1", "a", 1), ("1", "b", 1), ("2", "c", 2)], A=["1:axbyz"]),
        {"topics": ["1"]},
        {("A", "1", 1): "optimal", ("A", "1", 2): "no_relevant"},
    ),
    "a threshold that no retrieved document reaches has no curve": (
        of_documents(TWO_GRADES, A=["1:xa"]),
        {"min_retrieved": 0, "model": "ranks", "align": "recall"},
        {("A", "1", 1): "optimal", ("A", "1", 2): "too_few"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_list_left_out_has_a_reason(name: str) -> None:
    (runs, qrels), options, expected = CASES[name]
    table = me.informativeness(runs, qrels, measures=["AP"], depth=10, **{"min_retrieved": 1, **options})
    assert table.set_index(["run_id", "query_id", "threshold"])["status"].to_dict() == expected
    solved = table["status"].isin(SOLVED)
    assert table["rms"].notna().equals(solved)
    assert (table.loc[solved, "points"] > 0).all()
    counts = table[table["threshold"] == 1]["status"].value_counts().to_dict()
    assert me.left_out(table).set_index("status")["lists"].to_dict() == counts


def test_infeasible_lists_are_counted_not_dropped(arrays: me.data.Collection) -> None:
    table = me.informativeness(arrays, measures=["nDCG(gain=exp2)"], count="total", progress=False)
    assert len(table) == 4 * 5 * 2
    assert "infeasible" in set(table["status"])


def test_an_interrupted_study_goes_on(
    arrays: me.data.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"measures": ["AP", "nDCG"], "progress": False}
    whole, real = me.informativeness(arrays, **options), study_module._study_topic
    done, allowed = list[str](), 2

    def counted(topic: Topic, options: StudyOptions) -> Results:
        if len(done) == allowed:
            raise KeyboardInterrupt
        done.append(topic.query_id)
        return real(topic, options)

    path = tmp_path / "out" / "partial.csv"
    monkeypatch.setattr(study_module, "_study_topic", counted)
    with pytest.raises(KeyboardInterrupt):
        me.informativeness(arrays, checkpoint=path, **options)
    (kept,) = path.parent.iterdir()
    with kept.open("a") as file:  # what a power cut in the middle of a line leaves
        file.write(kept.read_text().splitlines()[-1][:25])
    allowed = 10
    for _ in range(2):  # at the second time nothing is left to do
        pd.testing.assert_frame_equal(me.informativeness(arrays, checkpoint=path, **options), whole)
        assert len(done) == len(set(done)) == 5
    me.informativeness(arrays, checkpoint=path, align="rank", **options)  # another study does not use these rows
    assert len(done) == 10


@pytest.mark.parametrize("jobs", [1, 2])
def test_topics_solved_together_give_what_each_gives(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Studies of many topics with few lists; a topic without documents of a grade, and joints, are among them."""
    runs, qrels = me.simulate(systems=2, topics=9, depth=100)
    qrels.loc[qrels["query_id"] == "3", "relevance"] = qrels["relevance"].clip(upper=1)
    options = {"measures": ["AP", "nDCG", "counts", "AP & P@10"], "depth": 100, "min_retrieved": 1, "jobs": jobs}
    alone = me.informativeness(runs, qrels, **options)  # type: ignore[arg-type]
    asked = list[int]()

    def counted(problems: Problems, *, solver: str, model: Any) -> Iterator[tuple[IntArray, Solutions]]:
        asked.append(len(problems))
        yield from solve_arrays(problems, solver=solver, model=model)

    monkeypatch.setattr(topics, "solve_arrays", counted)
    monkeypatch.setattr(topics, "PIECES", 2)
    together = me.informativeness(runs, qrels, **options)  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(together, alone, rtol=1e-9, atol=1e-12)
    assert max(asked) == 2 * 2 * 4, "two measures for two lists of four topics"


def test_a_reference_is_part_of_the_reading_and_of_the_key(arrays: me.data.Collection) -> None:
    plain = StudyOptions(measures=(me.AP(),), thresholds=(1,))
    options = replace(plain, reference="uniform")
    assert options.reading_parts == {
        "reading": "standard", "count": "retrieved", "reference": "uniform", "align": "expected",
    }  # fmt: skip
    keys = {study_key(arrays, choice) for choice in (plain, options, replace(plain, reading="papers"))}
    assert len(keys) == 3


def test_measures_that_are_the_same_are_solved_once(
    arrays: me.data.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = ["GAP(g=1,0)", "GAP(g=0.5,0.5)", "AP", "nDCG", "nDCG(gain=1,2)"]
    expected = [me.informativeness(arrays, measures=[text], progress=False) for text in measures]
    numbers = []

    def counted(problems: Any, **options: Any) -> Any:
        numbers.append(len(problems.form_index))
        return solve_arrays(problems, **options)

    monkeypatch.setattr("maxent.studies.topics.solve_arrays", counted)
    table = me.informativeness(arrays, measures=measures, progress=False)
    used = table["status"].isin(SOLVED) & (table["threshold"] == 1)
    assert sum(numbers) == 3 * len(table[used].drop_duplicates(["run_id", "query_id"]))
    for text, alone in zip(measures, expected, strict=True):
        rows = table[table["measure"] == text].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone, rtol=1e-9)
