"""Every column of every table has its words in the schema of the table, and no schema has a column of no table."""

import pytest

from maxent.measures import MEASURES
from maxent.results import Column, Result, Table
from tests.questions import QUESTIONS, answers_of


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
