"""Means, intervals and tests by category of the topics, and with weights: the same numbers from loops."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import maxent as me
from tests.collections import Tables
from tests.golden.messages import refused

MEASURES = ["AP", "P@10"]


@pytest.fixture(scope="module")
def topics(collection: Tables) -> list[str]:
    return list(
        map(str, me.evaluate(*collection, measures=MEASURES, depth=200).tables["values"]["query_id"].unique())
    )


@pytest.fixture(scope="module")
def kinds(topics: list[str]) -> dict[str, str]:
    return {topic: "abc"[k % 3] for k, topic in enumerate(topics)}


def test_means_by_category_equal_loops(collection: Tables, kinds: dict[str, str]) -> None:
    weights = {topic: 1.0 + k for k, topic in enumerate(kinds)}
    result = me.evaluate(*collection, measures=MEASURES, depth=200, by=kinds, weights=weights, interval=0.9)
    values = result.tables["values"]
    assert (values["category"] == values["query_id"].map(kinds)).all()
    assert result.table.columns.tolist() == ["run_id", "category", "topics", "measure", "value", "low", "high"]
    for row in result.table.to_dict("records"):
        rows = values[(values["run_id"] == row["run_id"]) & (values["measure"] == row["measure"])]
        rows = rows if row["category"] == "all" else rows[rows["category"] == row["category"]]
        assert row["topics"] == len(rows)
        assert row["value"] == pytest.approx(np.average(rows["value"], weights=rows["query_id"].map(weights)))
        assert row["low"] <= row["value"] <= row["high"]
    assert result.table["category"].unique().tolist() == ["a", "b", "c", "all"]


def test_intervals_of_means_are_those_of_scipy(collection: Tables) -> None:
    result = me.evaluate(*collection, measures=MEASURES, depth=200, interval=0.95)
    for row in result.table.to_dict("records"):
        values = result.tables["values"].query("run_id == @row['run_id'] and measure == @row['measure']")["value"]
        expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
        assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))


def test_tests_by_category_are_corrected_together(collection: Tables, kinds: dict[str, str]) -> None:
    options: dict[str, Any] = {"measures": MEASURES, "depth": 200, "baseline": 0}
    table = me.compare_systems(*collection, **options, by=kinds).table
    values = me.evaluate(*collection, measures=MEASURES, depth=200).tables["values"]
    wide = values.pivot(index="query_id", columns=["measure", "run_id"], values="value")
    for row in table.to_dict("records"):
        chosen = [t for t, kind in kinds.items() if row["category"] in ("all", kind)]
        pair = wide.loc[chosen, row["measure"]]
        outcome = stats.ttest_rel(pair[row["run_id"]], pair[row["baseline"]])
        assert row["p_value"] == pytest.approx(outcome.pvalue)
        assert row["topics"] == len(chosen)
    for _, rows in table.groupby("measure"):
        assert rows["p_value_corrected"].to_numpy() == pytest.approx(
            multipletests(rows["p_value"], method="holm")[1]
        )
    of_family = ["p_value_corrected", "reject", "topics_needed"]
    whole = table[table["category"] == "all"].drop(columns=["category", *of_family])
    alone = me.compare_systems(*collection, **options).table.drop(columns=of_family)
    pd.testing.assert_frame_equal(whole.reset_index(drop=True), alone)


def test_a_category_of_one_topic_is_noted(collection: Tables, topics: list[str]) -> None:
    kinds = {topic: "lone" if k == 0 else "usual" for k, topic in enumerate(topics)}
    result = me.compare_systems(*collection, measures=["AP"], depth=200, by=kinds)
    assert set(result.table["category"]) == {"all", "usual"}
    assert any("lone" in note for note in result.notes)


def test_the_number_of_topics_is_for_the_difference_asked_for(collection: Tables) -> None:
    observed = me.compare_systems(*collection, measures=["AP"], depth=200).table
    asked = me.compare_systems(*collection, measures=["AP"], depth=200, difference=0.02, power=0.9).table
    assert observed["sd"].to_numpy() == pytest.approx((observed["difference"] / observed["effect_size"]).to_numpy())
    for row, other in zip(observed.to_dict("records"), asked.to_dict("records"), strict=True):
        for needed, size, power in (
            (row["topics_needed"], abs(row["effect_size"]), 0.8),
            (other["topics_needed"], 0.02 / row["sd"], 0.9),
        ):
            level = 0.05 / len(observed)  # Holm's for one comparison on its own
            assert power_over(needed, size, level) >= power
            assert needed == 2 or power_over(needed - 1, size, level) < power


def power_over(topics: int, effect: float, level: float) -> float:
    """Power of the two-sided paired t-test."""
    critical = stats.t.isf(level / 2, topics - 1)
    return float(stats.nct.sf(critical, topics - 1, np.sqrt(topics) * effect))


@pytest.mark.parametrize(
    "options",
    [
        {"test": "wilcoxon", "weights": {}},
        {"unjudged": "model", "weights": {}},
        {"difference": 0},
        {"power": 1.0},
        {"values": pd.DataFrame()},
    ],
    ids=["wilcoxon", "model", "difference", "power", "values"],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], collection: Tables) -> None:
    with refused(me.errors.MaxentError):
        me.compare_systems(*collection, **options)


def test_bands_have_no_intervals_beside_them(collection: Tables) -> None:
    with refused(me.errors.ProblemError):
        me.evaluate(*collection, unjudged="bounds", measures=["P@10"], interval=0.95)


def test_a_note_says_how_many_equal_topics_the_weights_are_worth(collection: Tables, topics: list[str]) -> None:
    weights = {topic: 100.0 if k == 0 else 1.0 for k, topic in enumerate(topics)}
    worth = (100 + len(topics) - 1) ** 2 / (100**2 + len(topics) - 1)
    for question in (me.evaluate, me.compare_systems):
        notes = question(*collection, measures=["AP"], depth=200, weights=weights).notes
        assert any(f"worth {worth:.1f} topics" in note for note in notes)


def test_topics_and_categories_that_are_none_are_refused(collection: Tables, topics: list[str]) -> None:
    values = me.evaluate(*collection, measures=["AP"], depth=200).tables["values"]
    with refused(me.errors.InputError):
        me.compare_systems(values=values, topics=[topics[0], topics[1], "unknown"])
    for question in (me.evaluate, me.compare_systems):
        with refused(me.errors.InputError):
            question(*collection, measures=["AP"], depth=200, by=dict.fromkeys(topics, "all"))
