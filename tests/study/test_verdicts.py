"""Verdicts on measures: which stand in every reading, and which depend on it."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent.problem import COUNTS
from maxent.study.readings import READING

Row = dict[str, Any]
BOTH = {("retrieved", "uniform"): -0.05, ("total", "log-uniform"): 0.05, ("at_most", "log-uniform"): 0.05}
CHANGES: dict[str, Callable[[Row], float]] = {  # of the error of AP minus that of P@10, by what it depends on
    "stands": lambda row: -0.05,
    "depends on reference": lambda row: -0.05 if row["reference"] == "uniform" else 0.05,
    "depends on count": lambda row: 0.05 if row["count"] == "retrieved" else -0.05,
    "stands for threshold 1": lambda row: -0.05 if row["threshold"] == 1 else 0.05,
    "depends on the reading": lambda row: BOTH.get((row["count"], row["reference"]), 0.0),
    "open": lambda row: 0.0,
}


def table_of(kind: str) -> pd.DataFrame:
    """A study of 12 topics with two systems in which AP differs from P@10 by what the kind says, and by topic."""
    rows: list[Row] = []
    for count, reference, threshold in product(COUNTS, ("uniform", "log-uniform"), (1, 2)):
        for topic, run, measure in product(range(12), "ab", ("AP", "P@10")):
            row: Row = dict(zip(READING, (count, "ranks", reference, "recall", 1000), strict=True))
            row |= {
                "run_id": run,
                "query_id": topic,
                "measure": measure,
                "threshold": threshold,
                "status": "optimal",
            }
            change = CHANGES[kind](row) + 0.005 * (-1) ** topic if measure == "AP" else 0.0
            rows.append({**row, "rms": 0.3 + change})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("kind", CHANGES)
def test_what_a_verdict_depends_on(kind: str) -> None:
    table = table_of(kind)
    found = me.verdicts(table)
    row = found.table.iloc[0]
    assert row["verdict"] == kind
    assert row["readings"] == 4, "total and at_most are one"
    assert (found.finding.sentence == "stands in the readings compared: AP before P@10") == (kind == "stands")
    own = found.differences
    assert len(own) == 6 * 3
    signs = table["measure"].map({row["first"]: 2, row["second"]: -2})
    signed = table.assign(signed=signs * table["rms"]).groupby(READING)["signed"].mean()
    over = own[own["threshold"] == 0].set_index(READING)
    pd.testing.assert_series_equal(over["difference"].sort_index(), signed, check_names=False)
    assert (over["difference_low"] <= over["difference"]).all()
    assert (over["difference"] <= over["difference_high"]).all()


def test_a_verdict_for_threshold_1_is_that_of_its_measure() -> None:
    table = table_of("stands for threshold 1").replace({"measure": {"AP": "P@10", "P@10": "AP"}})
    row = me.verdicts(table).table.iloc[0]
    assert row.tolist() == ["P@10", "AP", "stands for threshold 1", 4, 4, 4, 0]


def test_the_measure_that_is_ahead_comes_first_and_intervals_are_corrected() -> None:
    table = table_of("stands")
    third = table[table["measure"] == "AP"].assign(measure="nDCG")
    alone = me.verdicts(table, pairs=[("P@10", "AP")])
    several = me.verdicts(pd.concat([table, third]))
    assert (alone.table["first"].item(), alone.table["second"].item()) == ("AP", "P@10")
    assert several.table["verdict"].tolist() == ["stands", "open", "stands"]
    width = [
        (own["difference_high"] - own["difference_low"]).mean()
        for own in (alone.differences, several.differences[:18])
    ]
    assert width[0] < width[1]
    with pytest.raises(me.errors.ProblemError, match="RBP is not among"):
        me.verdicts(table, pairs=[("RBP", "AP")])
    with pytest.raises(me.errors.ProblemError, match="nothing to compare"):
        me.verdicts(table.assign(status="failed"))


def test_lists_of_one_topic_have_no_interval() -> None:
    table = table_of("stands")
    with pytest.raises(me.errors.ProblemError, match="of one topic: intervals need at least two"):
        me.verdicts(table[table["query_id"] == 0])
