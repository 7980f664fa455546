"""The study: a row for every list, reasons, and going on after an interruption."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.problem.arrays import Problems
from maxent.problem.solutions import Solutions
from maxent.solvers.solve import solve_arrays
from maxent.study import informativeness as study_module
from maxent.study import topics
from maxent.study.options import StudyOptions
from maxent.study.topics import SOLVED, Results, Topic, study_key
from maxent.types import IntArray


def test_one_row_per_run_topic_measure_and_threshold(table: pd.DataFrame) -> None:
    assert len(table) == 4 * 5 * 5 * 2
    assert not table.duplicated(["run_id", "query_id", "measure", "threshold"]).any()
    solved = table["status"].isin(SOLVED)
    assert solved.any()
    assert table.loc[solved, ["rms", "mae", "entropy"]].notna().all().all()
    assert table.loc[~solved, ["rms", "mae", "entropy"]].isna().all().all()
    assert (table.loc[solved, "mae"] <= table.loc[solved, "rms"] + 1e-12).all()


def test_rows_equal_the_steps_done_by_hand(
    collection: tuple[pd.DataFrame, pd.DataFrame], table: pd.DataFrame
) -> None:
    runs, qrels = collection
    arrays = me.collect(runs, qrels, depth=200)
    for _, row in table[table["status"].isin(SOLVED)].iloc[::17].iterrows():
        t, r = arrays.topics.index(row["query_id"]), arrays.runs.index(row["run_id"])
        grades, relevant = arrays.grades[t, r], arrays.relevant[t]
        solution = me.solve(me.Problem.of_list(me.parse_measure(row["measure"]), grades, relevant))
        actual = me.actual_curve(grades, relevant, threshold=row["threshold"])
        error = me.curve_error(actual, me.inferred_curve(solution, threshold=row["threshold"]))
        # side by side, a problem's sums are rounded in another order
        assert (row["rms"], row["mae"], row["points"]) == pytest.approx(tuple(error), rel=1e-9)
        assert row["entropy"] == pytest.approx(solution.entropy, rel=1e-12)


def test_gap_with_all_weight_on_the_lowest_grade_is_ap(table: pd.DataFrame) -> None:
    wide = table.pivot_table(index=["run_id", "query_id", "threshold"], columns="measure", values="rms")
    np.testing.assert_allclose(wide["GAP(g=1,0)"], wide["AP"], atol=1e-9)


def test_jobs_do_not_change_the_result(collection: tuple[pd.DataFrame, pd.DataFrame], table: pd.DataFrame) -> None:
    runs, qrels = collection
    measures = [me.parse_measure(m) for m in table["measure"].unique()]
    again = me.informativeness(runs, qrels, measures=measures, depth=200, jobs=2, progress=False)
    pd.testing.assert_frame_equal(again, table)


def test_every_list_left_out_has_a_reason() -> None:
    qrels = pd.DataFrame(
        [("1", "a", 1), ("1", "b", 2), ("2", "a", 1), ("2", "b", 2), ("3", "a", 0)],
        columns=["query_id", "doc_id", "relevance"],
    )
    run = pd.DataFrame(
        [("1", "a", 3.0), ("1", "x", 2.0), ("1", "b", 1.0), ("3", "a", 1.0)],
        columns=["query_id", "doc_id", "score"],
    )
    other = pd.DataFrame([("1", "a", 1.0), ("2", "b", 1.0)], columns=["query_id", "doc_id", "score"])
    table = me.informativeness(
        {"A": run, "B": other}, qrels, measures=[me.AP()], depth=10, min_retrieved=1, progress=False
    )
    status = table[table["threshold"] == 1].set_index(["run_id", "query_id"])["status"].to_dict()
    assert status == {
        ("A", "1"): "optimal",
        ("A", "2"): "missing",
        ("A", "3"): "no_relevant",
        ("B", "1"): "too_few",
        ("B", "2"): "too_few",
        ("B", "3"): "no_relevant",
    }
    counts = me.left_out(table).set_index("status")["lists"].to_dict()
    assert counts == {"optimal": 1, "missing": 1, "no_relevant": 2, "too_few": 2}


def test_a_grade_that_no_topic_has_asks_for_no_documents() -> None:
    qrels = pd.DataFrame([("1", "a", 1), ("1", "b", 4)], columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame([("1", "b", 2.0), ("1", "a", 1.0)], columns=["query_id", "doc_id", "score"])
    table = me.informativeness(run, qrels, measures=["AP"], depth=10, min_retrieved=1, progress=False)
    assert set(table["status"]) == {"optimal"} or set(table["status"]) == {"boundary"}


def test_infeasible_lists_are_counted_not_dropped(collection: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    runs, qrels = collection
    table = me.informativeness(
        runs, qrels, measures=[me.nDCG(gain="exp2"), me.AP()], count="total", depth=200, progress=False
    )
    retrieved = me.informativeness(runs, qrels, measures=[me.AP()], depth=200, progress=False)
    assert len(table) == 2 * len(retrieved)
    assert set(retrieved["status"]) <= {*SOLVED, "too_few"}
    assert "infeasible" in set(table["status"])


def test_bad_studies_fail_before_the_work(collection: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    runs, qrels = collection
    for options, says in (
        ({"measures": []}, "at least one measure"),
        ({"measures": [me.GAP(g=(1,))]}, "1 threshold probabilities, but the topic has 2"),
        ({"thresholds": [3]}, r"within 1\.\.2"),
        ({"count": "every"}, "unknown count"),
        ({"align": "precision"}, "unknown alignment"),
        ({"min_retrieved": 0}, "at least 1"),
        ({"solver": "simplex"}, "unknown solver"),
    ):
        with pytest.raises(me.MaxentError, match=says):
            me.informativeness(runs, qrels, **options)


def test_an_interrupted_study_goes_on(
    collection: tuple[pd.DataFrame, pd.DataFrame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, qrels = collection
    options = {"measures": [me.AP(), me.nDCG()], "depth": 200, "progress": False}
    whole = me.informativeness(runs, qrels, **options)  # type: ignore[arg-type]
    real = study_module._study_topic
    done: list[str] = []

    def interrupted(topic: Topic, options: StudyOptions) -> Results:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(topic.query_id)
        return real(topic, options)

    path = tmp_path / "out" / "partial.csv"
    monkeypatch.setattr(study_module, "_study_topic", interrupted)
    with pytest.raises(KeyboardInterrupt):
        me.informativeness(runs, qrels, checkpoint=path, **options)  # type: ignore[arg-type]
    (kept,) = path.parent.iterdir()
    with kept.open("a") as file:  # what a power cut in the middle of a line leaves
        file.write(kept.read_text().splitlines()[-1][:25])

    def counted(topic: Topic, options: StudyOptions) -> Results:
        done.append(topic.query_id)
        return real(topic, options)

    monkeypatch.setattr(study_module, "_study_topic", counted)
    again = me.informativeness(runs, qrels, checkpoint=path, **options)  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(again, whole)
    assert len(done) == len(set(done)) == 5
    # a third time nothing is left to do, and another study does not use these rows
    pd.testing.assert_frame_equal(
        me.informativeness(runs, qrels, checkpoint=path, **options),  # type: ignore[arg-type]
        whole,
    )
    assert len(done) == 5
    me.informativeness(runs, qrels, checkpoint=path, align="rank", **options)  # type: ignore[arg-type]
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


def test_a_topic_without_documents_of_the_highest_grade_has_no_curve_for_it() -> None:
    """The qrels have grade 2, the chosen topic has none: the threshold is left out, not the study ended."""
    qrels = pd.DataFrame([("1", "a", 1), ("1", "b", 1), ("2", "c", 2)], columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame([("1", d, -k) for k, d in enumerate("axbyz")], columns=["query_id", "doc_id", "score"])
    table = me.informativeness(run, qrels, measures=["AP"], topics=["1"], depth=10, min_retrieved=1, progress=False)
    rows = table.set_index("threshold")
    assert rows["status"].to_dict() == {1: "optimal", 2: "no_relevant"}
    assert rows["rms"].notna().to_dict() == {1: True, 2: False}
    assert rows["points"].to_dict() == {1: 2, 2: 0}


@pytest.fixture
def few() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Topics with one relevant document or two, as in BEIR."""
    qrels = [("1", "a", 1), ("2", "b", 2), ("3", "c", 1), ("3", "d", 2), ("4", "e", 1)]
    run = [(topic, doc, float(-rank)) for topic in "1234" for rank, doc in enumerate("xadbc")]
    return (
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
    )


def test_topics_with_few_relevant_documents_can_be_studied(few: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    options: dict[str, Any] = {"measures": ["AP"], "depth": 5}
    assert (me.informativeness(*few, **options)["status"] == "too_few").all()
    table = me.informativeness(*few, min_retrieved=0, min_retrieved_total=1, **options)
    status = table.pivot(index="query_id", columns="threshold", values="status")
    assert status.loc[["1", "2", "3"], 1].isin(SOLVED).all()
    assert (status.loc["4"] == "too_few").all()  # nothing retrieved
    assert status.loc["1", 2] == "no_relevant"
    assert status.loc[["2", "3"], 2].isin(SOLVED).all()
    assert table["rms"].notna().equals(table["status"].isin(SOLVED))
    two = me.informativeness(*few, min_retrieved=0, min_retrieved_total=2, **options)
    assert set(two.loc[two["status"].isin(SOLVED), "query_id"]) == {"3"}
    with pytest.raises(me.ProblemError, match="min_retrieved or min_retrieved_total must be at least 1"):
        me.informativeness(*few, min_retrieved=0, **options)
    with pytest.raises(me.ProblemError, match="min_retrieved_total must be a whole number, 0 or more, got -1"):
        me.informativeness(*few, min_retrieved_total=-1, **options)


def test_a_threshold_that_no_retrieved_document_reaches_has_no_curve() -> None:
    qrels = pd.DataFrame([("1", "a", 1), ("1", "b", 2)], columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame([("1", "x", 2.0), ("1", "a", 1.0)], columns=["query_id", "doc_id", "score"])
    table = me.informativeness(run, qrels, measures=["AP"], depth=4, min_retrieved=0, min_retrieved_total=1)
    assert table["status"].isin(SOLVED).tolist() == [True, False]
    assert table["status"].tolist()[1] == "too_few"
    assert table["points"].tolist() == [1, 0]


def test_a_study_takes_a_reference_and_expected_curves() -> None:
    """Each row is the error of the problem with that reference by itself, and the reading says so."""
    collection = me.collect(*me.simulate(systems=2, topics=3, depth=60), depth=60)
    given = {"measures": ["AP", "P@10"], "min_retrieved": 1, "progress": False}
    table = me.informativeness(collection, reference="log-uniform", align="expected", **given)  # type: ignore[arg-type]
    rows = table[table["status"] == "optimal"]
    assert len(rows) > 8
    for row in rows.itertuples():
        topic, run = collection.topics.index(row.query_id), collection.runs.index(row.run_id)
        grades, relevant = collection.grades[topic, run], tuple(collection.relevant[topic].tolist())
        problem = me.Problem.of_list(me.parse_measure(row.measure), grades, relevant, reference="log-uniform")
        threshold = int(str(row.threshold))
        inferred = me.inferred_curve(me.solve(problem), threshold=threshold)
        actual = me.actual_curve(grades, relevant, threshold=threshold)
        assert me.curve_error(actual, inferred, align="expected").rms == pytest.approx(row.rms, abs=1e-8)
    options = StudyOptions(measures=(me.AP(),), thresholds=(1,), reference="log-uniform")
    assert options.reading == {"count": "retrieved", "reference": "log-uniform", "align": "recall"}
    plain = StudyOptions(measures=(me.AP(),), thresholds=(1,))
    assert study_key(collection, options) != study_key(collection, plain)
    with pytest.raises(me.ProblemError, match="unknown reference 'uniform'; known: log-uniform"):
        me.informativeness(collection, reference="uniform", **given)  # type: ignore[arg-type]
