"""One list explained: its numbers are those of a study, its curves those of the functions for single lists."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.cli import main
from maxent.results import Result
from tests.golden.messages import as_golden, refused

RUNS, QRELS = me.simulate(systems=2, topics=3, depth=100)
MEASURES = ["GAP(g=0.5,0.5)", "P@10"]


def one(run: str = "system1", topic: str = "2", **options: Any) -> Result:
    return me.explain(RUNS, QRELS, run=run, topic=topic, depth=100, **{"measures": MEASURES, **options})


@pytest.mark.parametrize(("count", "align"), [("retrieved", "recall"), ("total", "recall"), ("at_most", "rank")])
def test_its_errors_are_rows_of_a_study(count: str, align: str) -> None:
    options: dict[str, Any] = {"count": count, "align": align, "measures": MEASURES}
    study = me.informativeness(RUNS, QRELS, min_retrieved=1, depth=100, progress=False, **options)
    assert "too_few" not in set(study["status"])
    for (run, topic), rows in study.groupby(["run_id", "query_id"], sort=False):
        table = one(str(run), str(topic), **options).table
        pd.testing.assert_frame_equal(table, rows.reset_index(drop=True), rtol=1e-6, atol=1e-9)


def test_a_threshold_that_no_document_reaches_has_no_curve() -> None:
    qrels = QRELS[(QRELS["query_id"] != "2") | (QRELS["relevance"] < 2)]
    result = me.explain(RUNS, qrels, run="system1", topic="2", measures=["AP"], depth=100)
    assert result.table["status"].tolist() == ["optimal", "no_relevant"]
    assert result.table["rms"].isna().tolist() == [False, True]
    assert set(result.tables["curves"]["threshold"]) == {1}


def test_a_list_without_relevant_documents_is_explained() -> None:
    runs = RUNS[~RUNS["doc_id"].isin(QRELS.loc[QRELS["relevance"] > 0, "doc_id"])]
    result = me.explain(runs, QRELS, run="system1", topic="2", reading="papers", depth=100)
    assert result.retrieved == (0, 0)
    assert set(result.table["status"]) == {"constant"}
    assert result.table["rms"].isna().all()
    assert set(result.tables["curves"]["curve"]) == {str(own.problem.measure) for own in result.solutions}


def test_curves_and_profiles_are_those_of_the_list() -> None:
    result = one(reading="papers")
    curves = result.tables["curves"]
    collection = me.collect(RUNS, QRELS, depth=100, progress=False)
    grades, relevant = collection.grades[1, 0], collection.relevant[1]
    np.testing.assert_array_equal(result.grades, grades)
    assert result.relevant == tuple(relevant)
    solution = me.solve(me.Problem.of_list(me.P(cutoff=10), grades, relevant))
    points = curves.query("threshold == 2 and curve == 'P@10'")[["rank", "recall", "precision"]]
    np.testing.assert_allclose(points, me.inferred_curve(solution, threshold=2).to_frame())
    points = curves.query("threshold == 2 and curve == 'actual'")[["rank", "recall", "precision"]]
    np.testing.assert_allclose(points, me.actual_curve(grades, relevant, threshold=2).to_frame())
    np.testing.assert_allclose(result.tables["profiles"].query("measure == 'P@10'")["p"], solution.p.ravel())


def test_a_joint_beside_a_single_measure_is_printed() -> None:
    result = one(measures=["AP", "AP & P@10"])
    assert result.table["value"].isna().tolist() == [False, False, True, True]
    assert "AP & P@10" in str(result)


def test_tables_of_several_lists_are_summarized() -> None:
    tables = [one(run, measures=["AP"]).table for run in ("system1", "system2")]
    assert me.summarize(pd.concat(tables))["lists"].tolist() == [2, 2]


def test_the_finding_is_a_measure_for_a_reading_unless_several_are_alike() -> None:
    best, alike = (one(measures=["AP", other]).finding for other in ("P@10", "GAP(g=1,0)"))
    assert best is not None
    assert alike is not None
    assert best.best in ("AP", "P@10")
    assert alike.best is None


def test_what_has_no_solution_says_why() -> None:
    result = one(measures=["P@10", "nDCG(gain=exp2)"], count="total", topic="3")
    assert set(result.table["status"]) == {"infeasible"}
    for name, note in zip(("P@10", "nDCG(gain=exp2)"), result.notes, strict=True):
        assert note.startswith(f"{name}, infeasible: the topic has 104 relevant")


def test_values_without_a_list_are_one_joint_problem() -> None:
    counts: dict[str, Any] = {"relevant": (30, 10), "retrieved": (24, 9)}
    values: dict[me.measures.Measure | str, float] = {me.GAP(g=(0.5, 0.5)): 0.35, "P@10": 0.6}
    result = me.explain(values=values, reference="log-uniform", **counts)
    problem = me.Problem(
        me.parse_measure("GAP(g=0.5,0.5) & P@10"), value=(0.35, 0.6), reference="log-uniform", **counts
    )
    np.testing.assert_array_equal(result.tables["p"]["p"], me.solve(problem).p.ravel())
    assert result.table["quantity"].tolist().count("multiplier") == 2
    curve = me.inferred_curve(me.solve(problem), threshold=2)
    rows = result.tables["curves"].query("threshold == 2")
    np.testing.assert_array_equal(rows["precision"], curve.precision)
    as_golden("\n".join(result.notes))
    assert list(result.figures) == ["curves", "profile"]
    assert (result.relevant, result.retrieved) == ((30, 10), (24, 9))
    (solution,) = me.explain(values={"AP": 0.35}, relevant=[40], reading="papers", depth=100).solutions
    assert solution.problem == me.Problem(me.AP(), value=0.35, relevant=[40], retrieved=[40], depth=100)


@pytest.mark.parametrize("text", ["1", "0", ".6", "0.60", ".5:.7", ".6:.6"])
def test_a_text_says_the_same_in_a_problem_in_python_and_on_the_command_line(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = me.Problem({me.P(cutoff=10): text}, relevant=[40], retrieved=[20], depth=100, reference="log-uniform")
    expected = me.solve(problem)
    (solution,) = me.explain(values={"P@10": text}, relevant=[40], retrieved=[20], depth=100).solutions
    assert solution.problem == problem
    assert main(["explain", f"P@10={text}", "--relevant", "40", "--retrieved", "20", "--depth", "100"]) == 0
    assert f"{expected.entropy:.10f} nats" in capsys.readouterr().out


@pytest.mark.parametrize(("relevant", "thresholds"), [([0], []), ([0, 10], [1, 2]), ([10, 0], [1])])
def test_curves_of_values_are_for_the_thresholds_that_documents_reach(
    relevant: list[int], thresholds: list[int]
) -> None:
    result = me.explain(values={"P@10": 0.0}, relevant=relevant, depth=20)
    assert ("curves" in result.tables) == bool(thresholds)
    if thresholds:
        assert result.tables["curves"]["threshold"].unique().tolist() == thresholds
    assert "profile" in result.figures


def test_values_that_no_list_has_say_why() -> None:
    result = me.explain(values={"AP": 1.5}, relevant=[3])
    assert list(result.tables) == ["solution"]
    assert not result.figures
    assert result.solutions[0].status == "infeasible"
    assert result.errors  # a command ends with code 2
    assert result.solutions[0].message in result.table["is"][0]


@pytest.mark.parametrize(
    "options",
    [
        {"values": {"AP": 0.3}},
        {"values": {"AP": 0.3}, "relevant": [3], "run": "a", "topic": "1"},
        {"relevant": [3]},
        {"retrieved": [3]},
    ],
)
def test_values_and_lists_are_not_mixed(options: dict[str, Any]) -> None:
    with refused(me.errors.ProblemError):
        me.explain(**options)


def test_its_collection_is_the_list_whatever_else_is_read() -> None:
    """Two runs are read here, and with this reference all topics."""
    result = one(reference="topics")
    assert result.collection is not None
    assert (result.collection.runs, result.collection.topics) == (("system1",), ("2",))
    np.testing.assert_array_equal(result.collection.grades[0, 0], result.grades)
    assert "Data: collection: run system1, topic 2, 1 run x 1 topic" in result.text()


def test_only_the_run_that_is_asked_for_is_read(tmp_path: Path) -> None:
    table = RUNS[RUNS["run_id"] == "system1"].drop(columns="run_id")
    runs: dict[str, pd.DataFrame | Path] = {"a": table, "b": tmp_path / "none"}
    assert set(me.explain(runs, QRELS, run="a", topic="1", depth=100).table["run_id"]) == {"a"}


@pytest.mark.parametrize(
    ("run", "topic"),
    [
        ("system1", None),
        (None, "1"),
        ("system9", "1"),
        ("system1", "9"),
        ("system2", "1"),
    ],
)
def test_wrong_names_are_refused(run: str | None, topic: str | None) -> None:
    runs = RUNS[(RUNS["run_id"] != "system2") | (RUNS["query_id"] != "1")]
    with refused(me.errors.InputError):
        me.explain(runs, QRELS, run=run, topic=topic, depth=100)
    with refused(me.errors.ProblemError):
        one(align="ranks")


def test_its_first_line_names_the_collection(tmp_path: Path) -> None:
    """Whoever gives no files learns that the list is a simulated one."""
    first = "run system1, topic 1; reading=standard, count=retrieved, reference=log-uniform, align=expected"
    embedded = me.explain(depth=100)
    as_golden(embedded.introduction)
    assert embedded.title in embedded.text()
    QRELS.to_csv(tmp_path / "qrels.csv", index=False)
    files = me.explain(RUNS, tmp_path / "qrels.csv", run="system1", topic="1", depth=100)
    assert files.introduction.startswith(f"{tmp_path.name}/qrels.csv: {first}")
    collection = me.explain(me.collect(RUNS, QRELS, depth=100), run="system1", topic="1")
    assert collection.introduction.startswith(f"collection: {first}")


def test_notes_are_about_the_list_that_is_explained() -> None:
    docs = QRELS[QRELS["query_id"] == "1"]["doc_id"].tolist()
    runs = {"tied": {"1": dict.fromkeys(docs, 1.0)}, "clear": {"1": {doc: -float(k) for k, doc in enumerate(docs)}}}
    for given in (runs, me.collect(runs, QRELS)):
        notes = [me.explain(given, None if given is not runs else QRELS, run=run, topic="1").notes for run in runs]
        assert notes == [("lists with tied scores, ordered by document id: tied (1 of 1)",), ()]


def test_values_have_a_finding() -> None:
    result = me.explain(values={"AP": 0.35}, relevant=40)
    (solution,) = result.solutions
    expected = solution.p[:10, 1:].sum()
    assert result.finding is not None
    assert (
        result.finding.sentence
        == f"with AP = 0.35, of the first 10 documents, {expected:.1f} are expected to be relevant"
    )
    nothing = me.explain(values={"AP": 0.35, "P@10": 0.0}, relevant=4)
    assert nothing.finding is not None
    as_golden(nothing.finding.sentence)
    as_golden(nothing.finding.support[0])
    assert "relevant documents of each grade: 4" in str(me.explain(values={"AP": 0.3}, relevant=4, count="at_most"))


def test_a_measure_for_more_grades_than_there_are_is_noted() -> None:
    result = me.evaluate({"q": {"a": 1.0}}, {"q": {"a": 2}}, measures=["GAP(g=.5,.3,.2)"])
    as_golden(result.notes[-1])
