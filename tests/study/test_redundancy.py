"""What a measure adds to others."""

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.study.corrections import corrected
from tests.study.conftest import Tables

TEXTS = ["counts", "AP", "P@10", "R@10", "P@10 & AP", "P@10 & R@10", "AP & R@10 & P@10"]
STEPS = {  # known, added: both
    ("counts", "AP"): "AP",
    ("counts", "P@10"): "P@10",
    ("counts", "R@10"): "R@10",
    ("AP", "P@10"): "P@10 & AP",
    ("P@10", "AP"): "P@10 & AP",
    ("R@10", "P@10"): "P@10 & R@10",
    ("P@10", "R@10"): "P@10 & R@10",
    ("P@10 & R@10", "AP"): "AP & R@10 & P@10",
    ("P@10 & AP", "R@10"): "AP & R@10 & P@10",
}


@pytest.fixture(scope="module")
def table(collection: Tables) -> pd.DataFrame:
    return me.informativeness(*collection, measures=TEXTS, depth=200, min_retrieved=1, progress=False)


def test_gains_are_those_of_plain_loops(table: pd.DataFrame) -> None:
    found = me.study.redundancy(table)
    assert len(found) == 3 * len(STEPS)
    solved = table.dropna(subset="rms").to_dict("records")
    errors = {(row["measure"], row["run_id"], row["query_id"], row["threshold"]): row["rms"] for row in solved}
    lists = {(run, topic) for _, run, topic, _ in errors}
    for row in found.to_dict("records"):
        assert row["measure"] == STEPS[row["known"], row["added"]]
        thresholds = [row["threshold"]] if row["threshold"] else [1, 2]
        without, both = (
            [np.mean([errors[text, run, topic, t] for t in thresholds]) for run, topic in lists]
            for text in (row["known"], row["measure"])
        )
        assert (row["lists"], row["topics"]) == (len(lists), 5)
        assert (row["rms_known"], row["rms"]) == pytest.approx((np.mean(without), np.mean(both)))
        assert row["gain"] == pytest.approx(np.mean(without) - np.mean(both))
        assert row["worse"] == np.mean([x > y + 1e-6 for x, y in zip(both, without, strict=True)])
        assert row["gain_low"] <= row["gain"] <= row["gain_high"]
        assert (row["p_value"] > 0.05) == (row["gain_low"] < 0 < row["gain_high"])
    np.testing.assert_array_equal(found["p_value_corrected"], corrected(found["p_value"], "holm"))


def test_a_measure_in_other_units_is_redundant(table: pd.DataFrame) -> None:
    """Within a topic, R@10 is P@10 times 10 / R."""
    found = me.study.redundancy(table).query("known == 'P@10' and added == 'R@10'")
    np.testing.assert_allclose(found[["gain", "gain_low", "gain_high"]], 0, atol=1e-6)
    assert (found["p_value"] == 1).all()
    assert (found["worse"] == 0).all()


def test_all_are_compared_on_the_same_lists(table: pd.DataFrame) -> None:
    """The lists that one pair cannot solve count for none of the others."""
    failed = (table["measure"] == "P@10 & R@10") & table["query_id"].isin(["1", "2"])
    lame = table.assign(
        status=table["status"].mask(failed, "failed"),
        rms=table["rms"].mask(failed),
    )
    found = me.study.redundancy(lame)
    assert (found["lists"] == 11).all()
    pd.testing.assert_frame_equal(found, me.study.redundancy(table[~table["query_id"].isin(["1", "2"])]))


def test_tables_that_say_nothing_of_it(table: pd.DataFrame) -> None:
    with pytest.raises(me.errors.ProblemError, match="no joint of the table stands there with one measure less"):
        me.study.redundancy(table[table["measure"].isin(["AP", "P@10", "AP & R@10 & P@10"])])
    failed = table.assign(status=table["status"].mask(table["measure"] == "P@10 & AP", "failed"))
    with pytest.raises(me.errors.ProblemError, match="no list is solved for every measure: P@10 & AP has 0"):
        me.study.redundancy(failed)
    one = me.study.redundancy(table[table["query_id"] == "1"])
    assert one[["gain_low", "gain_high"]].isna().all().all()
