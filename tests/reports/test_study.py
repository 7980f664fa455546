"""The report of a study says what its tables say."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.measures.labels import g_label
from maxent.reports.content import Content, Provenance, Table
from maxent.reports.explorer import POINTS, evenly_by_error, explorer_data, spaced, thinned
from maxent.reports.study import study_content
from maxent.reports.tables import MOST, number_text, table_of
from maxent.study.options import StudyOptions

Tables = tuple[pd.DataFrame, pd.DataFrame]
MADE = Provenance(command="", versions={}, inputs=(), grades="")


@pytest.fixture(scope="module")
def collection(tables: Tables) -> me.Collection:
    return me.collect(*tables, depth=200)


@pytest.fixture(scope="module")
def study(tables: Tables) -> pd.DataFrame:
    return me.informativeness(*tables, depth=200, progress=False)


@pytest.fixture(scope="module")
def choice(study: pd.DataFrame) -> me.GChoice:
    return me.choose_from(study)


def options(study: pd.DataFrame) -> StudyOptions:
    return StudyOptions(measures=tuple(map(me.parse_measure, study["measure"].unique())), thresholds=(1, 2))


@pytest.fixture(scope="module")
def content(collection: me.Collection, study: pd.DataFrame, choice: me.GChoice) -> Content:
    return study_content("maxent study", "here", collection, options(study), study, choice, MADE)


def texts(table: Table, heading: str) -> list[str]:
    column = [c.heading for c in table.columns].index(heading)
    return [row[column].text for row in table.rows]


def test_tables_show_the_numbers(content: Content, study: pd.DataFrame, choice: me.GChoice) -> None:
    measures, candidates = content.tables
    summary = me.summarize(study)
    assert texts(measures, "RMS") == [f"{x:.4f}" for x in summary["rms"]]
    assert texts(measures, "RMS to") == [f"{x:.4f}" for x in summary["rms_high"]]
    assert texts(candidates, "mean RMS") == [f"{x:.4f}" for x in choice.table["objective"]]
    assert [row[1].key for row in candidates.rows] == choice.table["objective"].tolist()


def test_the_answer_is_the_choice(content: Content, choice: me.GChoice) -> None:
    answer = content.answer
    assert answer is not None
    best = choice.table.iloc[int(choice.table["objective"].argmin())]
    assert answer.value == g_label(choice.g)
    assert [part.length for part in answer.parts] == list(choice.g)
    assert [value for _, value, _ in answer.numbers][:2] == [
        f"{best['objective']:.4f}", f"{best['low']:.4f} to {best['high']:.4f} (few topics)"
    ]  # fmt: skip
    assert len(answer.rivals) == (choice.table["excess_low"] <= 0).sum() - 1
    assert "count=retrieved" in answer.reading


def test_every_column_is_explained(content: Content) -> None:
    for table in (*content.tables, *content.details):
        assert all(column.meaning for column in table.columns), table.title


def test_the_data_are_counted(content: Content, collection: me.Collection, study: pd.DataFrame) -> None:
    facts = {name: value for name, value, _ in content.facts}
    assert facts["runs"] == "4"
    solved = study[study["status"].isin(["optimal", "boundary"])].drop_duplicates(["run_id", "query_id"])
    assert facts["lists used"] == f"{len(solved)} of {len(collection.runs) * len(collection.topics)}"
    runs = next(table for table in content.details if table.id == "runs")
    assert sum(map(int, texts(runs, "used"))) == len(solved)
    grades = [int(share.text.split(" (")[0].replace("\N{NO-BREAK SPACE}", "")) for share in content.judgments]
    assert grades == [collection.judged_nonrelevant.sum(), *collection.relevant.sum(axis=0)]


def test_without_several_g_the_answer_is_a_measure(collection: me.Collection, study: pd.DataFrame) -> None:
    some = study[study["measure"].isin(["AP", "nDCG(gain=exp2)"])]
    content = study_content("maxent study", "here", collection, options(some), some, None, MADE)
    means = me.summarize(some).groupby("measure")["rms"].mean()
    assert content.answer is not None
    assert content.answer.value == means.idxmin()
    assert content.explorer is None


def test_the_explorer_has_the_errors_and_curves_of_the_study(
    content: Content, collection: me.Collection, study: pd.DataFrame, choice: me.GChoice
) -> None:
    data = content.explorer
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


@pytest.mark.parametrize("depth", [1, 3, 10, 50, 1000, 100_000])
def test_curves_are_thinned(depth: int) -> None:
    ranks = spaced(depth)
    assert len(ranks) <= POINTS
    assert (ranks[0], ranks[-1]) == (1, depth)
    few = thinned(np.arange(depth))
    assert len(few) <= POINTS
    assert (few[0], few[-1]) == (0, depth - 1)


def test_lists_are_chosen_evenly(study: pd.DataFrame, choice: me.GChoice) -> None:
    chosen = str(choice.measure)
    errors = study[study["measure"] == chosen].groupby(["run_id", "query_id"])["rms"].mean()
    lists = evenly_by_error(study, chosen, [1, 2], 5)
    assert len(lists) == 5
    own = errors.loc[lists]
    assert own.is_monotonic_increasing
    assert (own.min(), own.max()) == (errors.min(), errors.max())


def test_a_single_candidate_is_nothing_to_explore(
    collection: me.Collection, study: pd.DataFrame, choice: me.GChoice
) -> None:
    one = replace(choice, table=choice.table.head(1))
    assert explorer_data(study, me.summarize(study), collection, options(study), one) is None


def test_numbers_as_text() -> None:
    assert number_text(1234567) == "1\N{NO-BREAK SPACE}234\N{NO-BREAK SPACE}567"
    assert [number_text(x) for x in (-0.12345, 1e-5, 1e-17, -0.0)] == ["−0.1235", "1.0e−05", "0.0000", "0.0000"]
    assert [number_text(x, share=True) for x in (0.5, 0.737)] == [
        "50\N{NO-BREAK SPACE}%",
        "73.7\N{NO-BREAK SPACE}%",
    ]


def test_long_tables_are_cut_and_say_so() -> None:
    table = table_of(pd.DataFrame({"rms": np.linspace(0, 1, MOST + 1)}), "long", "Long")
    assert len(table.rows) == MOST
    assert f"The first {MOST} of {MOST + 1} rows" in table.note


def test_a_report_of_one_topic_or_one_grade(tmp_path: Path) -> None:
    runs, qrels = me.simulate(systems=3, topics=3, depth=200, rng=3)
    first = qrels["query_id"].iloc[0]
    path = me.report(runs, qrels, tmp_path / "one.html", topics=[first], depth=200, min_retrieved=1, progress=False)
    assert "a single topic: no interval" in path.read_text(encoding="utf-8")
    binary = qrels.assign(relevance=qrels["relevance"].clip(upper=1))
    path = me.report(runs, binary, tmp_path / "binary.html", depth=200, progress=False)
    assert 'id="explorer-data"' not in path.read_text(encoding="utf-8")
