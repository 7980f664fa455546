"""The report of a study says what its tables say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.results import Table
from maxent.results.page import MOST, number_text, page_table
from maxent.studies import grade_shares
from tests.collections import Tables


@pytest.fixture(scope="module")
def collection(tables: Tables) -> me.data.Collection:
    return me.collect(*tables, depth=200)


@pytest.fixture(scope="module")
def result(tables: Tables) -> me.results.Result:
    return me.study(*tables, depth=200, progress=False)


@pytest.fixture(scope="module")
def study(result: me.results.Result) -> pd.DataFrame:
    return result.tables["informativeness"]


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
    assert result.finding is not None
    lists = len(collection.runs) * len(collection.topics)
    assert f"on {len(solved)} of {lists} lists" in result.finding.support[0]
    assert sum(map(int, texts(result, "runs", "used"))) == len(solved)
    assert sum(map(int, texts(result, "topics", "used"))) == len(solved)
    grades = [
        int(share.text.split(" (")[0].replace("\N{NO-BREAK SPACE}", "")) for share in grade_shares(collection)
    ]
    assert grades == [collection.judged_nonrelevant.sum(), *collection.relevant.sum(axis=0)]


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
