"""Values of measures in every form of the tables, and the treatment of the input."""

import numpy as np
import pandas.testing as pdt
import pytest

import maxent as me
from maxent.cli import main
from tests.collections import Tables
from tests.golden.messages import as_golden, refused
from tests.naive import ap

MEASURES = ["AP", "P@5"]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return me.simulate(systems=3, topics=4, depth=50)


def test_values_of_every_run_and_topic_are_there_whatever_is_shown(tables: Tables) -> None:
    collection = me.collect(*tables)
    values = me.evaluate(*tables, measures=MEASURES).tables["values"]
    assert list(values.columns) == ["run_id", "query_id", "measure", "value"]
    assert len(values) == 3 * 4 * 2
    of_ap = values[values["measure"] == "AP"].set_index(["run_id", "query_id"])["value"]
    for k, topic in enumerate(collection.topics):
        for r, run in enumerate(collection.runs):
            expected = ap(collection.grades[k, r], collection.relevant[k])
            assert of_ap[run, topic] == pytest.approx(expected, abs=1e-12)
    for per_topic, wide in ((True, False), (False, True), (True, True)):
        result = me.evaluate(*tables, measures=MEASURES, per_topic=per_topic, wide=wide)
        pdt.assert_frame_equal(result.tables["values"], values)


def test_the_table_has_means_or_with_per_topic_also_values(tables: Tables) -> None:
    result = me.evaluate(*tables, measures=MEASURES)
    values = result.tables["values"]
    expected = values.groupby(["run_id", "measure"], sort=False)["value"].mean()
    pdt.assert_frame_equal(result.table, expected.reset_index())
    by_topic = me.evaluate(*tables, measures=MEASURES, per_topic=True).table
    is_mean = by_topic["query_id"] == "all"
    pdt.assert_frame_equal(by_topic[~is_mean].reset_index(drop=True), values)
    assert by_topic.loc[is_mean, "value"].tolist() == result.table["value"].tolist()
    assert by_topic["run_id"].tolist() == np.repeat(["system1", "system2", "system3"], 2 * (4 + 1)).tolist()


def test_a_wide_table_has_a_column_for_each_measure(tables: Tables) -> None:
    means = me.evaluate(*tables, measures=MEASURES).table
    wide = me.evaluate(*tables, measures=MEASURES, wide=True).table
    assert list(wide.columns) == ["run_id", *MEASURES]
    assert wide[MEASURES].to_numpy().ravel().tolist() == means["value"].tolist()
    by_topic = me.evaluate(*tables, measures=MEASURES, wide=True, per_topic=True).table
    assert list(by_topic.columns) == ["run_id", "query_id", *MEASURES]


def test_the_defaults_are_those_of_the_command(tables: Tables) -> None:
    assert me.evaluate(*tables).table["measure"].unique().tolist() == ["AP", "nDCG", "P@10", "Rprec"]


def test_a_collection_has_its_judgments_but_files_do_not(
    tables: Tables, capsys: pytest.CaptureFixture[str]
) -> None:
    assert me.evaluate(me.collect(*tables)) == me.evaluate(*tables)
    with refused(me.errors.InputError):
        me.evaluate(tables[0])
    with pytest.raises(SystemExit):
        main(["evaluate", "--runs", "run.txt"])
    assert "--qrels" in capsys.readouterr().err


def test_what_the_input_shows_is_a_note(tables: Tables) -> None:
    runs, qrels = tables
    short = runs[(runs["run_id"] != "system1") | (runs["query_id"] != "2")]
    result = me.evaluate(short, qrels)
    as_golden("\n".join(result.notes))
    with pytest.warns(me.errors.InputWarning):
        collection = me.collect(short, qrels)
    assert me.evaluate(collection).notes == result.notes
