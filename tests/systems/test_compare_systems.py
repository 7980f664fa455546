"""Comparisons of systems: counts done in loops, conditions, and what too few samples cannot show."""

from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent.stats import run_means, won_and_lost
from maxent.systems import Rule, comparison_finding, failures
from tests.collections import Tables
from tests.golden.messages import as_golden


def compared(*rejected: tuple[str, str]) -> pd.DataFrame:
    """All pairs of runs a, b, c with means .5, .4, .1 by AP; these pairs are significant."""
    means = {"a": 0.5, "b": 0.4, "c": 0.1}
    rows = []
    for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
        difference = means[other] - means[one]
        reject = (one, other) in rejected
        row = {"measure": "AP", "baseline": one, "run_id": other, "difference": difference, "reject": reject}
        row |= {"mean_baseline": means[one], "mean": means[other], "low": difference, "high": difference}
        rows.append(
            row
            | {
                "effect_size": 0.0,
                "better": 1,
                "worse": 1,
                "topics": 30,
                "p_value_corrected": 0.01,
                "topics_needed": 99,
            }
        )
    return pd.DataFrame(rows)


def test_too_few_samples_are_a_caution() -> None:
    (few,) = comparison_finding(compared(), Rule(test="bootstrap", replicates=20)).cautions
    as_golden(few)


def test_the_best_run_is_that_of_a_single_measure() -> None:
    table = compared()
    assert comparison_finding(table).best == "a"
    assert comparison_finding(table, baselines=["b"]).best is None
    assert comparison_finding(pd.concat([table, table.assign(measure="P@10")])).best is None


@pytest.mark.parametrize(("alpha", "heading"), [(0.05, "95 %"), (0.1, "90 %"), (0.001, "99.9 %")])
def test_the_heading_of_intervals_follows_from_the_level(alpha: float, heading: str, collection: Tables) -> None:
    options: dict[str, Any] = {"measures": ["AP"], "baseline": "system1", "depth": 200, "alpha": alpha}
    columns = str(me.compare_systems(*collection, **options)).partition("mean  ")[2].splitlines()[0]
    assert heading in columns
    assert columns.count("%") == 1


def test_wins_and_losses_equal_loops(collection: Tables) -> None:
    table = me.compare_systems(*collection, measures=["AP", "P@10"], depth=200, correction=None).table
    found = won_and_lost(table)
    result = me.evaluate(*collection, measures=["AP", "P@10"], depth=200)
    means = result.table.set_index(["measure", "run_id"])["value"]
    assert table["reject"].any()
    for row in found.to_dict("records"):
        better = worse = 0
        for pair in table[(table["measure"] == row["measure"]) & table["reject"]].to_dict("records"):
            winner, loser = pair["run_id"], pair["baseline"]
            if pair["difference"] < 0:
                winner, loser = loser, winner
            better, worse = better + (winner == row["run_id"]), worse + (loser == row["run_id"])
        assert (row["better"], row["worse"]) == (better, worse)
        assert row["mean"] == pytest.approx(means[row["measure"], row["run_id"]])
    for _, rows in found.groupby("measure"):
        assert rows["mean"].is_monotonic_decreasing
    assert run_means(table).loc["system3", "AP"] == pytest.approx(means["AP", "system3"])


def test_conditions_that_fail() -> None:
    table = compared(("a", "b"), ("a", "c"))
    options: dict[str, Any] = {"baselines": ["a"], "fail_under": {}}
    assert failures(table, **options) == ()
    (under,) = failures(table, **options | {"fail_under": {"AP": 0.4}})
    as_golden(under)
    worse = failures(table, fail_if_worse=0.0, **options)
    as_golden("\n".join(worse))
    assert len(worse) == 2
    assert failures(table, fail_if_worse=0.2, **options) == worse[1:], "the difference of the other is 0.1"
