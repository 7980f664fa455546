"""What comparisons of systems say: sentences on tables made by hand, and counts done in loops."""

from typing import Any

import pandas as pd
import pytest

import maxent as me
from maxent.results.finding import Finding
from maxent.systems.comparison import run_means, won_and_lost
from maxent.systems.findings import (
    agreement_finding,
    comparison_finding,
    discrimination_finding,
    failures,
    pools_finding,
)
from maxent.systems.pools import pools_matrix

Tables = tuple[pd.DataFrame, pd.DataFrame]


def compared(*rejected: tuple[str, str]) -> pd.DataFrame:
    """All pairs of runs a, b, c with means .5, .4, .1 by AP; these pairs are significant."""
    means = {"a": 0.5, "b": 0.4, "c": 0.1}
    rows = []
    for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
        difference = means[other] - means[one]
        reject = (one, other) in rejected
        row = {"measure": "AP", "baseline": one, "run_id": other, "difference": difference, "reject": reject}
        row |= {"mean_baseline": means[one], "mean": means[other], "low": difference, "high": difference}
        rows.append(row | {"effect_size": 0.0, "better": 1, "worse": 1, "topics": 30, "p_value_corrected": 0.01})
    return pd.DataFrame(rows)


def test_the_best_run_and_those_like_it() -> None:
    found = comparison_finding(compared(("a", "c")))
    assert found.sentence == "by AP, a has the highest mean, not significantly better than b"
    assert found.support == (
        "significant: paired t-test, p <= 0.05, holm correction of 3 comparisons by each measure",
    )
    assert found.cautions == ()
    found = comparison_finding(compared(("a", "b"), ("a", "c")), correction=None)
    assert found.sentence == "by AP, a has the highest mean, significantly better than every other"


def test_better_and_worse_than_a_baseline_whichever_way_a_pair_stands() -> None:
    found = comparison_finding(compared(("a", "b"), ("b", "c")), baselines=["b"])
    assert found.sentence == "by AP, 1 of 2 runs significantly better than b, 1 worse"


def test_too_few_samples_are_a_caution() -> None:
    (few,) = comparison_finding(compared(), test="bootstrap", replicates=20).cautions
    assert few == (
        "no p-value is below 0.048 with 20 replicates, and one comparison of 3 is significant on its own at 0.017: "
        "this takes 60 replicates"
    )


def test_wins_and_losses_equal_loops(collection: Tables) -> None:
    table = me.compare_systems(*collection, measures=["AP", "P@10"], depth=200, correction=None)
    found = won_and_lost(table)
    values = me.evaluate(*collection, measures=["AP", "P@10"], depth=200)
    means = values.groupby(["measure", "run_id"])["value"].mean()
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
    options: dict[str, Any] = {"baselines": ["a"]}
    assert failures(table, **options) == ()
    assert failures(table, fail_under=[("AP", 0.4)], **options) == ("run 'c': AP is 0.1, under 0.4",)
    worse = failures(table, fail_if_worse=0.0, **options)
    assert worse[0] == "run 'b': AP is 0.4, significantly worse than the 0.5 of 'a' (corrected p-value 0.01)"
    assert len(worse) == 2
    assert failures(table, fail_if_worse=0.2, **options) == worse[1:], "the difference of the other is 0.1"


def test_discriminative_power() -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    levels = {"AP": (0.01, 0.01, 0.5), "P@10": (0.01, 0.2, 0.3), "nDCG": (0.01, 0.02, 0.2)}
    table = pd.DataFrame(
        [(m, a, b, 0.1, asl) for m, all_asl in levels.items() for (a, b), asl in zip(pairs, all_asl, strict=True)],
        columns=["measure", "run_a", "run_b", "difference", "asl"],
    )
    power = pd.DataFrame({"measure": list(levels), "power": [2 / 3, 1 / 3, 2 / 3], "difference_needed": 0.1})
    found = discrimination_finding(me.systems.Discrimination(table, power))
    assert found.sentence == "the most pairs of systems told apart: 66.7% of 3 pairs, by AP, nDCG"
    fewest, family = found.support
    assert fewest == "the fewest: 33.3%, by P@10"
    assert "not corrected" in family
    assert (
        "corrected for all pairs"
        in discrimination_finding(me.systems.Discrimination(table, power), method="hsd").support[1]
    )
    assert len(found.cautions) == 1
    assert (
        "this takes 20 replicates"
        in discrimination_finding(me.systems.Discrimination(table, power), replicates=9).cautions[1]
    )


def test_agreement() -> None:
    rows = [("all", "1,0", "GAP", "AP", 1.0), ("all", "0,1", "GAP", "AP", 0.8), ("all", "1,0", "GAP", "nDCG", 0.95)]
    rows += [("all", "1,0", "xGAP", "nDCG", 0.1), ("few of grade 2", "1,0", "GAP", "nDCG", 0.2)]
    table = pd.DataFrame(rows, columns=["topics", "g", "measure_a", "measure_b", "tau"])
    found = agreement_finding(table)
    assert found.sentence == "the most like GAP in ranking the systems: nDCG 0.95, AP 0.90"
    assert agreement_finding(table[:0].assign(topics="all")[:0].reindex([0])) == Finding("no ranking to compare")


def test_pools() -> None:
    rows = [
        ("all", "AP", 1.0, 1.0, 1.0, 1.0),
        ("all", "AP", 0.1, 0.6, 0.5, 0.7),
        ("all", "nDCG", 1.0, 1.0, 1.0, 1.0),
    ]
    rows += [("all", "nDCG", 0.1, 0.8, 0.65, 0.9), ("all", "P@10", 0.1, 0.3, 0.2, 0.4)]
    summary = pd.DataFrame(rows, columns=["topics", "measure", "share", "tau", "tau_low", "tau_high"])
    found = pools_finding(summary)
    assert found.sentence == "the most robust with 10% of the judgments: nDCG"
    assert found.support[1] == "with intervals that overlap: AP"
    assert pools_matrix(summary).iloc[0].tolist() == ["all", "AP", 1.0, 0.6]
