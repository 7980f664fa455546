"""Studies of lists of several lengths: they take the typical length, and say how many lists they cut."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.data import mixed_lengths, typical_length
from maxent.errors import ProblemError
from tests.collections import Tables
from tests.golden.messages import as_golden

LONG, USUAL = 200, 10
MEASURES, PAIR = ["nDCG@10", "P@10"], ["AP", "nDCG@5"]
QUICK: dict[str, Any] = {"progress": False}


def shortened(runs: pd.DataFrame, usual: int, long: int = 1) -> pd.DataFrame:
    """Lists cut to the ``usual`` length, without the first ``long`` ones."""
    rank = runs.groupby(["run_id", "query_id"])["score"].rank(ascending=False)
    number = runs.groupby(["run_id", "query_id"]).ngroup()
    return runs[(rank <= usual) | (number < long)].reset_index(drop=True)


@pytest.fixture(scope="module")
def tables() -> Tables:
    """Three runs on six topics: seventeen lists of ten documents, and one of two hundred."""
    runs, qrels = me.simulate(systems=3, topics=6, depth=LONG)
    return shortened(runs, USUAL), qrels


def depth_of(result: me.results.Result) -> int:
    """Depth of the lists behind a result."""
    assert result.collection is not None
    return result.collection.depth


STUDIES: dict[str, Callable[..., Any]] = {
    "study": lambda *data, **options: me.study(*data, measures=MEASURES, **options),
    "choose_g": lambda *data, **options: me.choose_g(*data, g_steps=2, refine=False, **options),
    "choose_measures": lambda runs, qrels=None, **options: me.choose_measures(
        runs, qrels, MEASURES, size=1, **options
    ),
    "compare_measures": lambda *data, **options: me.compare_measures(*data, measures=["AP", "P@10"], **options),
    "predict": lambda *data, **options: me.predict(*data, measures=PAIR, targets=PAIR, **options),
    "explain": lambda *data, **options: me.explain(*data, run="system1", topic="1", measures=MEASURES, **options),
}


@pytest.mark.parametrize("name", STUDIES)
def test_one_long_list_does_not_turn_a_study_round(name: str, tables: Tables) -> None:
    """The result is that of lists that are all cut, and its first line says how many are."""
    runs, qrels = tables
    result = STUDIES[name](runs, qrels, **QUICK)
    expected = STUDIES[name](shortened(runs, USUAL, long=0), qrels, **QUICK)
    assert depth_of(result) == depth_of(expected) == USUAL
    pd.testing.assert_frame_equal(result.table, expected.table)
    assert result.finding.sentence == expected.finding.sentence
    first = result.introduction.splitlines()[0]
    cut = "the list is longer and is cut" if name == "explain" else "1 of 18 lists is longer and is cut"
    assert cut in first
    assert cut not in expected.introduction
    assert "half of the depth" not in str(result)


def test_tables_of_studies_and_profiles_take_it_too(tables: Tables) -> None:
    runs, qrels = tables
    table = me.informativeness(runs, qrels, measures=["AP"], **QUICK)
    assert set(table["points"]) == {USUAL}, "precision at every rank, as lists are short"
    profile = me.studies.rank_profile(runs, qrels)
    assert len(profile) == USUAL
    me.informativeness(runs, qrels, measures=["AP"], reference=profile, **QUICK)
    check = me.check(runs, qrels)
    assert len(check.tables["profile"]) == USUAL
    assert f"depth={USUAL}" in check.reading


@pytest.mark.parametrize("name", ["choose_measures", "explain", "predict"])
def test_a_collection_of_whole_lists_is_studied_like_its_runs(name: str, tables: Tables) -> None:
    collection = me.collect(*tables)
    assert collection.depth == LONG
    result, expected = STUDIES[name](collection, **QUICK), STUDIES[name](*tables, **QUICK)
    assert depth_of(result) == USUAL
    pd.testing.assert_frame_equal(result.table, expected.table)
    assert result.introduction.partition(": ")[2] == expected.introduction.partition(": ")[2]


@pytest.mark.parametrize("depth", [5, 20, LONG])
def test_a_depth_that_is_given_stays(depth: int, tables: Tables) -> None:
    few: dict[str, Any] = {"measures": PAIR, "min_retrieved": 0, "min_retrieved_total": 1, **QUICK}
    options: dict[str, Any] = {"targets": ["P@3"], **few}
    result = me.predict(*tables, depth=depth, **options)
    assert depth_of(result) == depth
    assert "cut" not in result.introduction
    assert depth_of(me.predict(me.collect(*tables, depth=depth), **options)) == depth
    assert depth_of(me.predict(me.collect(*tables).part(depth=depth), **options)) == depth
    whole = me.collect(*tables)
    assert depth_of(me.predict(whole, depth=LONG, **options)) == LONG
    reading: dict[str, Any] = {"models": ["ranks"], "references": [None], "min_retrieved_by": "threshold"}
    deep = me.compare_measures(whole, depths=[depth], **reading, **few)
    assert set(deep.tables["differences"]["depth"]) == {depth}


def test_values_are_of_whole_lists(tables: Tables) -> None:
    whole, ten = (
        me.evaluate(runs, tables[1], measures=["R@200"]).tables["values"]
        for runs in (tables[0], shortened(tables[0], USUAL, long=0))
    )
    assert whole["value"].iloc[0] > ten["value"].iloc[0]
    assert depth_of(me.compare_systems(*tables, measures=["AP"], **QUICK)) == LONG
    assert depth_of(me.unjudged(*tables, **QUICK)) == LONG
    for name in ("agreement", "discriminative", "pools"):
        few = {"pools": {"repetitions": 1}, "discriminative": {"replicates": 20}, "agreement": {}}[name]
        compare: Callable[..., Any] = getattr(me, f"compare_{name}")
        assert depth_of(compare(*tables, measures=["AP"], **few, **QUICK)) == LONG


def test_the_typical_length_is_the_median_of_the_lists_that_are_studied() -> None:
    assert typical_length(np.array([[10, 10, 200], [0, 0, 10]])) == 10, "0: no list"
    assert typical_length(np.array([10, 10, 200, 200])) == 10, "a length that a list has"
    assert typical_length(np.array([5000, 5000, 10])) == 1000
    assert typical_length(np.zeros(3, dtype=int)) == 1
    runs = {"a": {str(t): {f"d{k}": -float(k) for k in range(length)} for t, length in enumerate((9, 9, 4, 30))}}
    qrels = {str(t): {"d0": 1, "d1": int(t == 2)} for t in range(3)} | {"3": {"d0": 0}}
    options: dict[str, Any] = {"measures": ["AP", "P@1"], **QUICK}
    assert depth_of(me.study(runs, qrels, **options)) == 9, "topic 3 has no relevant document"
    result = me.study(runs, qrels, topics=["2"], **options)
    assert depth_of(result) == 4
    assert "cut" not in result.introduction, "the other lists are not studied"


def test_lists_beyond_the_longest_default_are_counted() -> None:
    documents = {f"d{k}": -float(k) for k in range(1001)}
    runs, qrels = {"a": {"1": documents, "2": {"d0": 1.0}}, "b": {"1": documents}}, {"1": {"d0": 1}, "2": {"d0": 1}}
    result = me.predict(runs, qrels, measures=["P@1"], targets=["P@2"], min_retrieved=0, **QUICK)
    assert depth_of(result) == 1000
    as_golden(result.introduction)


def test_mixed_lengths_are_a_warning_with_the_depth_that_fits_most() -> None:
    lengths = np.repeat([1000, 100, 10], [15, 1, 1]).repeat(50)
    as_golden(mixed_lengths(lengths, 1000))
    assert mixed_lengths(lengths, 100) == ""
    assert mixed_lengths(np.array([10] * 19 + [2, 0]), 10) == "", "fewer than a tenth"
    as_golden(mixed_lengths(np.array([10] * 18 + [2, 2, 0]), 10))
    as_golden(mixed_lengths(np.array([10, 9, 8]), 21))
    assert mixed_lengths(np.zeros(3, dtype=int), 10) == ""


@pytest.mark.parametrize("name", STUDIES)
def test_a_finding_of_mixed_lengths_says_so(name: str) -> None:
    runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    rank = runs.groupby(["run_id", "query_id"])["score"].rank(ascending=False)
    mixed = runs[(rank <= 20) | (runs["run_id"] != "system2")]
    options: dict[str, Any] = QUICK if name == "explain" else {**QUICK, "min_retrieved": 1}
    result = STUDIES[name](mixed, qrels, **options)
    expected = "6 of 18 lists have less than half of the depth, 100: depth=20 fits most, as 18 lists reach it"
    assert expected in result.finding.cautions


def test_check_names_lengths_that_studies_change(tables: Tables) -> None:
    runs, qrels = tables
    findings = me.check(runs, qrels).table.set_index("finding")
    row = findings.loc["lists longer than the typical length, to which studies cut them"]
    assert (row["level"], row["source"], row["detail"]) == ("warning", "runs", "1 of 18: 10")
    even = me.check(shortened(runs, USUAL, long=0), qrels).table
    assert not even["finding"].str.contains("length").any()
    given = me.check(runs, qrels, depth=LONG).table
    assert not given["finding"].str.contains("typical").any()
    assert "no list reaches half" not in "".join(given["detail"])
    mixed = given.set_index("finding").loc["lists of mixed lengths"]
    as_golden(str(mixed["detail"]))


def test_no_list_is_an_error_as_before() -> None:
    with pytest.raises(ProblemError):
        me.study({"a": {"2": {"d": 1.0}}}, {"1": {"d": 1}, "2": {"d": 0}}, measures=["AP"], **QUICK)
