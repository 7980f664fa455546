"""Every column of every table has its words in the schema of the table, and no schema has a column of no table."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent import evaluate
from maxent.cli.measures import measures
from maxent.measures import MEASURES
from maxent.results import Column, Result, Table

RUNS, QRELS = me.simulate(systems=4, topics=6, depth=100)
SHORT = me.simulate(systems=3, topics=6, model="ten-documents")
STRICT = QRELS.assign(relevance=QRELS["relevance"].where(QRELS.index % 3 > 0, 0))
HALF = QRELS.sample(frac=0.5, random_state=0)
CLICKS = pd.DataFrame({"grade": [0, 1, 2], "impressions": [100, 100, 100], "clicks": [5, 20, 50]})
ROWS = pd.DataFrame({"AP": [".31", ".9"], "P@10": [".5", ".1"]}, index=["a", "b"])
TWO: dict[str, Any] = {"measures": ["AP", "P@10"], "depth": 100}
QUIET: dict[str, Any] = {"min_retrieved": 1, "depth": 100, "progress": False}
CASES: dict[str, list[Callable[[], Result]]] = {  # calls that together show every column of a question
    "study": [
        lambda: me.study(RUNS, QRELS, measures=["AP", "P@10", "GAP"], g_steps=3, **QUIET),
        lambda: me.study(RUNS, QRELS, measures=["AP", "P@10"], thresholds=[1], align="recall", **QUIET),
        lambda: me.study(*SHORT, progress=False),
    ],
    "choose_g": [
        lambda: me.choose_g(RUNS, QRELS, g_steps=3, refine=False, **QUIET),
        lambda: me.choose_g(RUNS, QRELS, g_steps=3, refine=False, measure="nDCG", **QUIET),
    ],
    "choose_measures": [lambda: me.choose_measures(RUNS, QRELS, candidates=["AP", "P@10"], size=1, **QUIET)],
    "explain": [
        lambda: me.explain(RUNS, QRELS, run="system1", topic="1", **TWO),
        lambda: me.explain(values={"AP": 0.35}, relevant=[40], retrieved=[20]),
    ],
    "predict": [lambda: me.predict(RUNS, QRELS, measures=["AP", "P@10"], band=0.9, **QUIET)],
    "check": [lambda: me.check(RUNS, QRELS, depth=100), lambda: me.check({"a": {"1": {"x": 1.0}}}, STRICT)],
    "unjudged": [lambda: me.unjudged(RUNS, HALF, depth=100, progress=False)],
    "compare_systems": [
        lambda: me.compare_systems(RUNS, QRELS, **TWO),
        lambda: me.compare_systems(RUNS, QRELS, baseline="system1", **TWO),
    ],
    "compare_measures": [lambda: me.compare_measures(RUNS, QRELS, progress=False, **TWO)],
    "compare_pools": [lambda: me.compare_pools(RUNS, QRELS, repetitions=2, quantile=0, progress=False, **TWO)],
    "compare_agreement": [lambda: me.compare_agreement(RUNS, QRELS, quantile=0, progress=False, **TWO)],
    "compare_discriminative": [
        lambda: me.compare_discriminative(RUNS, QRELS, replicates=50, progress=False, **TWO)
    ],
    "compare_judgments": [
        lambda: me.compare_judgments([QRELS, HALF]),
        lambda: me.compare_judgments([QRELS, STRICT], RUNS, **TWO),
    ],
    "g_from_clicks": [lambda: me.g_from_clicks(CLICKS)],
    "reported": [
        lambda: me.reported({"AP": ".31", "P@10": ".50"}, QRELS, depth=100),
        lambda: me.reported(ROWS, QRELS, depth=100, progress=False),
    ],
    "evaluate": [
        lambda: evaluate(RUNS, QRELS, per_topic=True, **TWO),
        lambda: evaluate(RUNS, HALF, unjudged="model", progress=False, **TWO),
        lambda: evaluate(RUNS, HALF, unjudged="bounds", measures=["P@10"], depth=100),
    ],
    "measures": [measures],
}


def columns_of(table: Table) -> dict[str, Column]:
    """The column of the schema for each column of a table, in both forms; a bare one if the schema has none."""
    names = (*map(str, table.frame.columns), *map(str, table.people.columns))
    return {name: table.schema.find(name)[0] for name in names}


@pytest.mark.parametrize("question", CASES)
def test_tables_and_schemas_have_the_same_columns(question: str) -> None:
    declared, used = set[Column](), set[Column]()
    for call in CASES[question]:
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
