"""Numbers that the papers print for their own small examples."""

import numpy as np
import pytest

import maxent as me
from tests.conftest import Script


def test_kishidas_tables_1_3_4_5(script: Script) -> None:
    """All 67 numbers, in every printed digit."""
    table = script("analyses/kishida").compute()
    assert len(table) == 9 + 8 + 14 + 36
    assert table["agrees"].all(), table[~table["agrees"]]


@pytest.mark.slow
def test_kishidas_table_2(script: Script) -> None:
    """Eq. 24 without chance; what the paper printed of one seed is not unusual, but for one number."""
    study = script("analyses/kishida_judgments")
    table, runs = study.compute(seeds=40)
    rows = table.set_index(["quantity", "theta"])
    assert len(runs) == 2 * 40
    np.testing.assert_allclose(rows.loc["observed", "expected"], study.list_values().var())  # whatever theta is
    parts = rows.loc[list(study.QUANTITIES)]
    spread = runs.groupby("theta").std().T
    for (name, theta), row in parts.iterrows():
        sd = spread.loc[name, theta]
        assert abs(row["found"] - row["expected"]) < 4 * sd / np.sqrt(40)
        if (name, theta) != ("gap", 0.5):
            assert abs(float(row["printed"]) - row["expected"]) < 2.5 * sd
    np.testing.assert_allclose(rows.loc["map", "found"], rows.loc["map", "expected"], rtol=0.4)


def test_kishidas_sliding_ratios() -> None:
    """Section 4.1.2: two systems that only the modified ratio tells apart."""
    lists, relevant = [[1, 2, 3, 0], [3, 2, 1, 0]], (1, 2, 1)
    np.testing.assert_allclose(me.SR().evaluate(lists, relevant), 0.75)
    np.testing.assert_allclose(me.mSR().evaluate(lists, relevant), (0.61, 0.88), atol=5.01e-3)


def test_kishidas_ranked_half_life() -> None:
    """Section 4.1.3: 3.0, and the same where the last two documents come at ranks 100 and 1000."""
    lists = np.zeros((2, 1000), dtype=int)
    lists[0, [0, 2, 8, 13]] = lists[1, [0, 2, 99, 999]] = (1, 2, 2, 1)
    np.testing.assert_allclose(me.RHL(gain=(0.5, 1.0)).evaluate(lists, (2, 2)), 3.0)
