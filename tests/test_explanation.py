"""One list explained: its numbers are those of a study, its curves those of the functions for single lists."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import maxent as me

RUNS, QRELS = me.simulate(systems=2, topics=3, depth=100)
MEASURES = ["GAP(g=0.5,0.5)", "P@10"]


@pytest.fixture(autouse=True)
def off_screen() -> None:
    mpl.use("Agg")


def one(run: str = "system1", topic: str = "2", **options: Any) -> me.explanation.Explanation:
    return me.explain(RUNS, QRELS, run=run, topic=topic, depth=100, **{"measures": MEASURES, **options})


@pytest.mark.parametrize(("count", "align"), [("retrieved", "recall"), ("total", "recall"), ("at_most", "rank")])
def test_its_errors_are_rows_of_a_study(count: str, align: str) -> None:
    options: dict[str, Any] = {"count": count, "align": align, "measures": MEASURES}
    study = me.informativeness(RUNS, QRELS, min_retrieved=1, depth=100, progress=False, **options)
    assert "too_few" not in set(study["status"])
    for (run, topic), rows in study.groupby(["run_id", "query_id"], sort=False):
        found = one(str(run), str(topic), **options).to_frame()
        pd.testing.assert_frame_equal(found, rows.reset_index(drop=True), rtol=1e-6, atol=1e-9)


def test_a_threshold_that_no_document_reaches_has_no_curve() -> None:
    qrels = QRELS[(QRELS["query_id"] != "2") | (QRELS["relevance"] < 2)]
    found = me.explain(RUNS, qrels, run="system1", topic="2", measures=["AP"], depth=100)
    assert found.to_frame()["status"].tolist() == ["optimal", "no_relevant"]
    assert found.to_frame()["rms"].isna().tolist() == [False, True]
    assert set(found.curves["threshold"]) == {1}


def test_a_list_without_relevant_documents_is_explained() -> None:
    runs = RUNS[~RUNS["doc_id"].isin(QRELS.loc[QRELS["relevance"] > 0, "doc_id"])]
    found = me.explain(runs, QRELS, run="system1", topic="2", depth=100)
    assert found.retrieved == (0, 0)
    assert set(found.to_frame()["status"]) == {"constant"}
    assert found.to_frame()["rms"].isna().all()
    assert set(found.curves["curve"]) == {str(solution.problem.measure) for solution in found.solutions}


def test_curves_and_profiles_are_those_of_the_list() -> None:
    found = one()
    collection = me.collect(RUNS, QRELS, depth=100, progress=False)
    grades, relevant = collection.grades[1, 0], collection.relevant[1]
    np.testing.assert_array_equal(found.grades, grades)
    assert found.relevant == tuple(relevant)
    solution = me.solve(me.Problem.of_list(me.P(cutoff=10), grades, relevant))
    points = found.curves.query("threshold == 2 and curve == 'P@10'")[["rank", "recall", "precision"]]
    np.testing.assert_allclose(points, me.inferred_curve(solution, threshold=2).to_frame())
    points = found.curves.query("threshold == 2 and curve == 'actual'")[["rank", "recall", "precision"]]
    np.testing.assert_allclose(points, me.actual_curve(grades, relevant, threshold=2).to_frame())
    np.testing.assert_allclose(found.profiles.query("measure == 'P@10'")["p"], solution.p.ravel())


def test_two_lists_stand_side_by_side() -> None:
    _, axes = plt.subplots(1, 2)
    found = [one(run, measures=["AP"]) for run in ("system1", "system2")]
    for ax, explanation in zip(axes, found, strict=True):
        assert explanation.plot(ax) is ax
        assert ax.get_title().startswith(f"run {explanation.run_id}, topic 2; ")
        labels = [line.get_label() for line in ax.lines]
        names = ["actual, grade ≥ {}", "from AP, grade ≥ {}"]
        assert labels == [name.format(t) for t in (1, 2) for name in names]
        points = explanation.curves.query("threshold == 2 and curve == 'actual'")
        np.testing.assert_allclose(np.asarray(ax.lines[2].get_xydata()), points[["recall", "precision"]])
    assert len(me.summarize(pd.concat(e.to_frame() for e in found))) == 2
    plt.close("all")


def test_it_reads_well_and_names_are_escaped() -> None:
    found = me.explain(
        {"<b>": RUNS[RUNS["run_id"] == "system1"].drop(columns="run_id")}, QRELS, topic="1", depth=100
    )
    text = repr(found)
    assert text.startswith("run <b>, topic 1; count=retrieved, align=recall\ndocuments retrieved: ")
    assert "nDCG(gain=exp2)" in text
    html = found._repr_html_()
    assert "run &lt;b&gt;, topic 1" in html
    assert "<b>," not in html
    assert f"{found.to_frame()['rms'].iloc[0]:.4f}" in html


def test_the_finding_is_a_measure_for_a_reading_unless_several_are_alike() -> None:
    best = one(measures=["AP", "P@10"]).result.finding
    assert best is not None
    assert "over thresholds 1, 2" in best.support[0]
    assert "model=ranks" in best.support[-1]
    alike = one(measures=["AP", "GAP(g=1,0)"]).result.finding
    assert alike is not None
    assert alike.sentence.startswith("curves are equally close from AP")


def test_what_has_no_solution_says_why() -> None:
    text = repr(one(measures=["P@10", "nDCG(gain=exp2)"], count="total", topic="3"))
    assert "infeasible" in text
    assert "nDCG(gain=exp2), infeasible: the topic has 104 relevant" in text


def test_only_the_run_that_is_asked_for_is_read(tmp_path: Path) -> None:
    table = RUNS[RUNS["run_id"] == "system1"].drop(columns="run_id")
    runs: dict[str, pd.DataFrame | Path] = {"a": table, "b": tmp_path / "none"}
    found = me.explain(runs, QRELS, run="a", topic="1", depth=100)
    assert found.run_id == "a"


@pytest.mark.parametrize(
    ("run", "topic", "says"),
    [
        (None, "1", "several runs given: choose one: system1, system2"),
        ("system9", "1", "no run is called 'system9': choose one: system1, system2"),
        ("system1", "9", "no topic '9'"),
        ("system2", "1", "run 'system2' has no document for topic '1'"),
    ],
)
def test_wrong_names_are_refused(run: str | None, topic: str, says: str) -> None:
    runs = RUNS[(RUNS["run_id"] != "system2") | (RUNS["query_id"] != "1")]
    with pytest.raises(me.errors.InputError, match=says):
        me.explain(runs, QRELS, run=run, topic=topic, depth=100)
    with pytest.raises(me.errors.ProblemError, match="unknown alignment 'ranks'"):
        one(align="ranks")
