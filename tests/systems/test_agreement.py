"""Agreement between measures: steps done by hand, the papers' grids and layout."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import maxent as me
from maxent.plot import plot_agreement
from maxent.systems import agreement_matrix, paper_grid
from tests.collections import Tables
from tests.golden.messages import refused


@pytest.fixture(scope="module")
def table(collection: Tables) -> pd.DataFrame:
    return me.compare_agreement(*collection, few=1, quantile=0, depth=200, progress=False).table


def test_agreement_equals_the_steps_done_by_hand(collection: Tables, table: pd.DataFrame) -> None:
    measures = ["xGAP(g=0.3,0.7)", "nDCG"]
    values = me.evaluate(*collection, measures=measures, depth=200).tables["values"]
    arrays = me.collect(*collection, depth=200)
    few = [t for t, (low, high) in zip(arrays.topics, arrays.relevant, strict=True) if high > 0 and low >= high]
    for name, topics in (("all", list(arrays.topics)), ("few of grade 2", few)):
        assert topics
        means = values[values["query_id"].isin(topics)].groupby(["measure", "run_id"])["value"].mean().unstack(0)
        a, b = means[measures[0]], means[measures[1]]
        row = table[(table["topics"] == name) & (table["g"] == "0.3,0.7") & (table["measure_a"] == "xGAP")]
        row = row[row["measure_b"] == "nDCG"]
        assert row["tau"].item() == pytest.approx(kendalltau(a, b).statistic)
        assert row["tau_ap"].item() == pytest.approx((me.systems.tau_ap(a, b) + me.systems.tau_ap(b, a)) / 2)


def test_what_holds_by_construction(table: pd.DataFrame) -> None:
    """With one g_k = 1 the three are one measure; with g_1 = 1 it is AP."""
    with_gap = table[table["measure_b"] == "GAP"]
    for g in ("0,1", "1,0"):
        np.testing.assert_allclose(with_gap[with_gap["g"] == g][["tau", "tau_ap"]], 1)
    with_ap = table[(table["measure_b"] == "AP") & (table["g"] == "1,0")]
    np.testing.assert_allclose(with_ap[["tau", "tau_ap"]], 1)
    assert len(with_ap) == 3 * 2


def test_the_papers_grids() -> None:
    assert paper_grid(2)[3] == (0.3, 0.7)
    assert len(paper_grid(2)) == 11
    assert len(paper_grid(3)) == 21
    assert paper_grid(3)[:3] == [(0.0, 0.0, 1.0), (0.0, 0.2, 0.8), (0.0, 0.4, 0.6)]
    assert paper_grid(3)[-1] == (1.0, 0.0, 0.0)
    assert paper_grid(1) == [(1.0,)]


@pytest.mark.slow
def test_the_papers_layout(table: pd.DataFrame) -> None:
    matrix = agreement_matrix(table)
    assert list(matrix.columns) == ["g", "measure_a", "GAP", "AP", "nDCG", "RBP", "Bpref"]
    assert matrix["g"].tolist()[:4] == ["0,1"] * 3 + ["0.1,0.9"]
    cell = matrix[(matrix["g"] == "0.2,0.8") & (matrix["measure_a"] == "eGAP")]["RBP"].iloc[0]
    rows = table[(table["g"] == "0.2,0.8") & (table["measure_a"] == "eGAP") & (table["measure_b"] == "RBP")]
    assert cell == "/".join(f"{x:.2f}" for x in rows["tau"])
    ax = plot_agreement(table, topics="few of grade 2")
    assert len(ax.get_xticks()) == 3 * 4 + 2


@pytest.mark.slow
def test_too_few_runs(collection: Tables) -> None:
    runs, qrels = collection
    one = runs[runs["run_id"] == runs["run_id"].iloc[0]]
    with refused(me.errors.InputError):
        me.compare_agreement(one, qrels, depth=200)
    with refused(me.errors.InputError):
        me.compare_agreement(runs, qrels, depth=200, quantile=1)
