"""Reports of comparisons: their tables say what the commands' tables say, names are text in figures, too."""

import pandas as pd
import pytest

import maxent as me
from maxent.reports.comparisons import discrimination_content, systems_content
from maxent.reports.content import Provenance
from maxent.reports.page import render
from tests.reports.conftest import EVIL

Tables = tuple[pd.DataFrame, pd.DataFrame]
TITLE = ("maxent compare", "here")
MADE = Provenance(command="", versions={"maxent": "0"}, inputs=(), grades="")


@pytest.fixture(scope="module")
def collection(tables: Tables) -> me.Collection:
    return me.collect(*tables, depth=200)


def test_systems_with_any_names(tables: Tables, collection: me.Collection) -> None:
    table = me.compare_systems(*tables, measures=["AP"], baseline=list(EVIL.values())[2], depth=200, progress=False)
    content = systems_content(TITLE, collection, table, None, MADE, facts=())
    tests = content.tables[0]
    at = [column.heading for column in tests.columns].index("p corrected")
    assert [row[at].text for row in tests.rows] == [f"{p:.4f}" for p in table["p_value_corrected"]]
    (figure,) = content.figures
    for name in EVIL.values():
        assert name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in figure.svg
        assert name not in render(content).replace("a plain run", "") or name == "a plain run"


def test_pairs_on_which_measures_disagree_come_first(tables: Tables, collection: me.Collection) -> None:
    values = me.evaluate(*tables, measures=["AP", "P@10", "nDCG"], depth=200)
    found = me.discriminative_power(values, replicates=200, progress=False)
    content = discrimination_content(
        TITLE, collection, found.pairs, found.power, MADE, method="bootstrap", alpha=0.3
    )
    told = found.pairs.assign(told=found.pairs["asl"] < 0.3).groupby(["run_a", "run_b"])["told"].sum()
    pairs = content.tables[1]
    counts = [int(row[2].text) for row in pairs.rows]
    assert sorted(counts) == sorted(told)
    disputed = [min(count, 3 - count) for count in counts]
    assert disputed == sorted(disputed, reverse=True)
    assert sum(disputed) > 0
