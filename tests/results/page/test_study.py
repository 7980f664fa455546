"""The report of a study says what its tables say."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.results.content import Table
from maxent.results.page.data import grade_shares
from maxent.results.page.tables import MOST, number_text, page_table
from maxent.studies.explorer import POINTS, evenly_by_error, explorer_data, spaced, thinned
from maxent.studies.g_choice import comparable
from maxent.studies.options import StudyOptions
from maxent.texts import g_label

Tables = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def collection(tables: Tables) -> me.data.Collection:
    return me.collect(*tables, depth=200)


@pytest.fixture(scope="module")
def result(tables: Tables) -> me.results.Result:
    return me.study(*tables, depth=200, progress=False)


@pytest.fixture(scope="module")
def study(result: me.results.Result) -> pd.DataFrame:
    return result.tables["informativeness"]


@pytest.fixture(scope="module")
def choice(study: pd.DataFrame) -> me.studies.GChoice:
    return me.studies.choose_from(study)


def options(study: pd.DataFrame) -> StudyOptions:
    return StudyOptions(measures=tuple(map(me.parse_measure, study["measure"].unique())), thresholds=(1, 2))


def texts(result: me.results.Result, name: str, heading: str) -> list[str]:
    """Cells of a column of a table of the page."""
    table = page_table(next(table for table in result.views if table.name == name))
    column = [word.heading for word, _ in table.columns].index(heading)
    return [row[column].text for row in table.rows]


def test_every_column_is_explained(result: me.results.Result) -> None:
    for table in map(page_table, result.views):
        assert all(word.meaning for word, _ in table.columns), table.title


def test_the_data_are_counted(
    result: me.results.Result, collection: me.data.Collection, study: pd.DataFrame
) -> None:
    solved = study[study["status"].isin(["optimal", "boundary"])].drop_duplicates(["run_id", "query_id"])
    assert f"{len(collection.runs) * len(collection.topics)} lists; {len(solved)} solved" in result.notes[0]
    assert sum(map(int, texts(result, "runs", "used"))) == len(solved)
    assert sum(map(int, texts(result, "topics", "used"))) == len(solved)
    grades = [
        int(share.text.split(" (")[0].replace("\N{NO-BREAK SPACE}", "")) for share in grade_shares(collection)
    ]
    assert grades == [collection.judged_nonrelevant.sum(), *collection.relevant.sum(axis=0)]


@pytest.mark.slow
def test_the_explorer_shows_the_mean_of_measures_that_have_no_g(
    collection: me.data.Collection, study: pd.DataFrame, choice: me.studies.GChoice
) -> None:
    for weights, shares in ((None, [1, 1]), ({1: 1.0, 2: 3.0}, [1, 3])):
        own = choice if weights is None else me.studies.choose_from(study, weights=weights)
        data = explorer_data(study, collection, options(study), own, weights)
        assert data is not None
        for other in data["others"]:
            assert other["mean"] == pytest.approx(np.average(other["rms"], weights=shares), abs=1e-4)
        assert {other["label"] for other in data["others"]} == {"AP", "nDCG(gain=exp2)"}


def test_the_explorer_has_the_errors_and_curves_of_the_study(
    collection: me.data.Collection, study: pd.DataFrame, choice: me.studies.GChoice
) -> None:
    data = explorer_data(study, collection, options(study), choice)
    assert data is not None
    assert data["labels"][data["best"]] == g_label(choice.g)
    table = choice.table.sort_values(["g_1", "g_2"])
    for t, threshold in enumerate((1, 2)):
        np.testing.assert_allclose(data["rms"][t], table[f"rms_t{threshold}"], atol=6e-5)
    rows = study.set_index(["run_id", "query_id", "threshold", "measure"])["rms"].sort_index()
    for one in data["lists"]:
        for t, threshold in enumerate((1, 2)):
            known = rows.loc[(one["run"], one["topic"], threshold)].loc[table["measure"].tolist()]
            np.testing.assert_allclose(one["rms"][t], known, atol=6e-5)
    one, k = data["lists"][0], 3
    topic, run = collection.topics.index(one["topic"]), collection.runs.index(one["run"])
    grades, relevant = collection.grades[topic, run], collection.relevant[topic]
    solution = me.solve(me.Problem.of_list(me.GAP(g=data["g"][k]), grades, relevant))
    inferred = me.inferred_curve(solution, threshold=2)
    at = np.array(data["ranks"]) - 1
    np.testing.assert_allclose(np.array(one["curves"][1][k]) / 1e4, inferred.precision[at], atol=6e-5)
    np.testing.assert_allclose(  # recall follows from precision, rank and recall base, as the page computes it
        np.array(one["curves"][1][k]) / 1e4 * data["ranks"] / one["base"][1], inferred.recall[at], atol=2e-3
    )
    actual = me.actual_curve(grades, relevant, threshold=2)
    assert {*zip(one["at"][1], one["found"][1], strict=True)} <= {
        *zip(actual.rank.astype(int).tolist(), range(1, len(actual.rank) + 1), strict=True)
    }


def test_the_explorer_has_expected_curves_and_the_band_of_the_chosen_one(tables: Tables) -> None:
    collection = me.collect(*tables, depth=200)
    given: dict[str, Any] = {
        "measures": ["GAP(g=.5,.5)", "GAP(g=.75,.25)"],
        "align": "expected",
        "reference": "log-uniform",
    }
    table = me.informativeness(collection, progress=False, **given)
    measures = tuple(map(me.parse_measure, given.pop("measures")))
    known = StudyOptions(measures=measures, thresholds=(1, 2), **given)
    choice = me.studies.choose_from(table)
    data = explorer_data(table, collection, known, choice)
    assert data is not None
    one = data["lists"][0]
    topic, run = collection.topics.index(one["topic"]), collection.runs.index(one["run"])
    grades, relevant = collection.grades[topic, run], collection.relevant[topic]
    problem = me.Problem.of_list(choice.measure, grades, relevant, reference="log-uniform")
    curve = me.inferred_curve(me.solve(problem), threshold=2, expected=True, band=0.9)
    at = np.array(one["found"][1]) - 1
    assert curve.low is not None
    np.testing.assert_allclose(np.array(one["curves"][1][data["best"]]) / 1e4, curve.precision[at], atol=6e-5)
    np.testing.assert_allclose(np.array(one["bands"][1][0]) / 1e4, curve.low[at], atol=6e-5)
    assert data["band"] == "90 %"


@pytest.mark.parametrize("depth", [1, 3, 10, 50, 1000, 100_000])
def test_curves_are_thinned(depth: int) -> None:
    ranks = spaced(depth)
    assert len(ranks) <= POINTS
    assert (ranks[0], ranks[-1]) == (1, depth)
    few = thinned(np.arange(depth))
    assert len(few) <= POINTS
    assert (few[0], few[-1]) == (0, depth - 1)


def test_lists_are_chosen_evenly(study: pd.DataFrame, choice: me.studies.GChoice) -> None:
    chosen = str(choice.measure)
    errors = study[study["measure"] == chosen].groupby(["run_id", "query_id"])["rms"].mean()
    lists = evenly_by_error(comparable(study, None)[0], chosen, 5)
    assert len(lists) == 5
    own = errors.loc[lists]
    assert own.is_monotonic_increasing
    assert (own.min(), own.max()) == (errors.min(), errors.max())


def test_a_single_candidate_is_nothing_to_explore(
    collection: me.data.Collection, study: pd.DataFrame, choice: me.studies.GChoice
) -> None:
    one = replace(choice, table=choice.table.head(1))
    assert explorer_data(study, collection, options(study), one) is None


def test_numbers_as_text() -> None:
    assert number_text(1234567) == "1\N{NO-BREAK SPACE}234\N{NO-BREAK SPACE}567"
    assert [number_text(x) for x in (-0.12345, 1e-5, 1e-17, -0.0)] == ["−0.1235", "1.0e−05", "0.0000", "0.0000"]
    assert [number_text(x, share=True) for x in (0.5, 0.737)] == [
        "50\N{NO-BREAK SPACE}%",
        "73.7\N{NO-BREAK SPACE}%",
    ]


def test_long_tables_are_cut_and_say_so() -> None:
    table = page_table(Table(name="long", frame=pd.DataFrame({"rms": np.linspace(0, 1, MOST + 1)})))
    assert len(table.rows) == MOST
    assert f"The first {MOST} of {MOST + 1} rows" in table.note


def rendered(result: me.results.Result, tmp_path: Path) -> str:
    return result.report(tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_report_of_one_topic_and_one_grade(tmp_path: Path) -> None:
    runs, qrels = me.simulate(systems=3, topics=1, depth=100)
    qrels = qrels.assign(relevance=qrels["relevance"].clip(upper=1))
    page = rendered(me.study(runs, qrels, depth=100, min_retrieved=1, progress=False), tmp_path)
    assert "a single topic: no interval" in page
    assert 'id="explorer-data"' not in page
