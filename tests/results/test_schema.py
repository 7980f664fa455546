"""Every column of every table has its words in the schema of the table, and no schema has a column of no table."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent.measures import MEASURES
from maxent.results import Column, Result, Table
from tests.questions import CLICKS, QRELS, QUESTIONS, ROWS, RUNS, TWO, answers_of

INFORMATIVENESS = me.informativeness(RUNS, QRELS, min_retrieved=1, **TWO)


def columns_of(table: Table) -> dict[str, Column]:
    """The column of the schema for each column of a table, in both forms; a bare one if the schema has none."""
    names = (*map(str, table.frame.columns), *map(str, table.people.columns))
    return {name: table.schema.find(name)[0] for name in names}


@pytest.mark.parametrize("question", QUESTIONS)
def test_tables_and_schemas_have_the_same_columns(question: str) -> None:
    declared, used = set[Column](), set[Column]()
    for call in answers_of(question):
        result = call()
        assert result.kind == question
        assert set(result.answers) <= set(Result.__annotations__), "every answer is an attribute with a type"
        for table in (*result.views, *result.holdings.tables):
            if table.frame.empty:
                continue
            names = [column.name for column in table.schema]
            assert len(names) == len(set(names)), table.name
            assert [column.name for column in table.schema if not column.meaning] == [], table.name
            columns = columns_of(table)
            assert [name for name, column in columns.items() if column not in (*table.schema,)] == [], table.name
            for name, column in columns.items():
                if column.name in ("{measure}", "{target}"):  # which any name would fit
                    assert name.partition("@")[0] in MEASURES, name
            used |= set(columns.values())
            declared |= set(table.schema)
    assert {column.name for column in declared - used} == set()


VALUES = me.evaluate(RUNS, QRELS, **TWO).tables["values"]
TABLES: dict[Callable[..., Any], Callable[[], pd.DataFrame]] = {
    me.informativeness: lambda: INFORMATIVENESS,
    me.summarize: lambda: me.summarize(INFORMATIVENESS),
    me.league: lambda: me.league(INFORMATIVENESS),
    me.left_out: lambda: me.left_out(INFORMATIVENESS),
    me.studies.summarize_predictions: lambda: me.predict(RUNS, QRELS, band=0.9, **TWO).table,
    me.compare_agreement: lambda: me.compare_agreement(RUNS, QRELS, quantile=0, **TWO).table,
    me.g_from_clicks: lambda: me.g_from_clicks(CLICKS).table,
    me.reported: lambda: me.reported(ROWS, QRELS, depth=100, progress=False).table,
    me.systems.Discrimination: lambda: pd.concat(me.systems.discriminative_power(VALUES)),
}
"""What has a list of columns in its docstring, and such a table."""


@pytest.mark.parametrize("documented", TABLES, ids=lambda documented: documented.__name__)
def test_a_list_of_columns_in_a_docstring_is_complete(documented: Callable[..., Any]) -> None:
    docstring = inspect.getdoc(documented) or ""
    listed = re.split(r"\n(?:Returns|Attributes)\n-+\n", docstring)[1].partition("\n---")[0]
    assert [name for name in TABLES[documented]() if not re.search(rf"\b{name}\b", listed)] == []
