"""Rankings of systems: AP correlation, agreement between measures, reduced pools."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from scipy.stats import kendalltau

import maxent as me
from maxent.plot.systems import plot_agreement, plot_pools
from maxent.systems.agreement import agreement_matrix, paper_grid
from maxent.systems.pools import Pools
from maxent.systems.rankings import better_runs, topic_sets

Tables = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def collection() -> Tables:
    return me.simulate(systems=8, topics=10, depth=200, rng=3)


# --- AP correlation ---


def naive_tau_ap(estimate: list[int], truth: list[int]) -> float:
    """Yilmaz, Aslam and Robertson: walk down the estimate, count what is rightly above each item."""
    order = sorted(range(len(estimate)), key=lambda k: -estimate[k])
    total = 0.0
    for i in range(1, len(order)):
        right = sum(truth[order[j]] > truth[order[i]] for j in range(i))
        total += right / i
    return 2 / (len(order) - 1) * total - 1


@given(st.permutations(range(7)), st.permutations(range(7)))
def test_tau_ap_equals_loops(a: list[int], b: list[int]) -> None:
    assert me.tau_ap(a, b) == pytest.approx(naive_tau_ap(a, b), abs=1e-12)
    assert me.tau_ap(a, a) == 1
    assert me.tau_ap(a, [-x for x in a]) == -1


@given(st.lists(st.integers(0, 3), min_size=2, max_size=8))
def test_tau_ap_with_ties(a: list[int]) -> None:
    if len(set(a)) == 1:
        assert np.isnan(me.tau_ap(a, a))
    else:
        assert me.tau_ap(a, a) == 1
        assert me.tau_ap(a, [-x for x in a]) == -1
        assert np.isnan(me.tau_ap(a, [0] * len(a)))


def test_tau_ap_minds_the_top() -> None:
    truth = [5, 4, 3, 2, 1]
    assert me.tau_ap([4, 5, 3, 2, 1], truth) < me.tau_ap([5, 4, 3, 1, 2], truth)


def test_rounding_splits_no_tie() -> None:
    assert me.tau_ap([0.3, 0.1 + 0.2, 0.1], [0.3, 0.3, 0.1]) == 1


# --- which runs and topics ---


@pytest.mark.parametrize(("runs", "kept"), [(95, 71), (74, 55), (27, 20)])
def test_first_quartile_keeps_as_many_runs_as_in_the_paper(collection: Tables, runs: int, kept: int) -> None:
    """Table 1 of the xGAP paper."""
    few = me.collect(*collection, depth=200)
    ranks = np.arange(95)[:runs]
    grades = np.zeros((10, runs, 200), dtype=np.int16)
    grades[:, ranks, ranks] = 1
    many = replace(few, runs=tuple(map(str, ranks)), grades=grades, nonrelevant=grades == 0,
                   missing=np.zeros((10, runs), dtype=bool))  # fmt: skip
    better = better_runs(many, 0.25)
    assert better.runs == tuple(map(str, ranks[:kept]))
    assert better.grades.shape == (10, kept, 200)


def test_topic_sets(collection: Tables) -> None:
    arrays = me.collect(*collection, depth=200)
    relevant = np.array([(10, 1, 0), (9, 1, 1), (20, 0, 2), (20, 2, 3)] + [(1, 1, 1)] * 6)
    sets = topic_sets(replace(arrays, relevant=relevant), 10)
    assert {k: np.flatnonzero(v).tolist() for k, v in sets.items() if k != "all"} == {
        "few of grade 2": [0, 3], "few of grade 3": [2]
    }  # fmt: skip
    assert sets["all"].all()


# --- agreement ---


@pytest.fixture(scope="module")
def table(collection: Tables) -> pd.DataFrame:
    return me.agreement(*collection, few=1, quantile=0, depth=200, progress=False)


def test_agreement_equals_the_steps_done_by_hand(collection: Tables, table: pd.DataFrame) -> None:
    measures = ["xGAP(g=0.3,0.7)", "nDCG"]
    values = me.evaluate(*collection, measures=measures, depth=200)
    arrays = me.collect(*collection, depth=200)
    few = [t for t, (low, high) in zip(arrays.topics, arrays.relevant, strict=True) if high > 0 and low >= high]
    for name, topics in (("all", list(arrays.topics)), ("few of grade 2", few)):
        assert topics
        means = values[values["query_id"].isin(topics)].groupby(["measure", "run_id"])["value"].mean().unstack(0)
        a, b = means[measures[0]], means[measures[1]]
        row = table[(table["topics"] == name) & (table["g"] == "0.3,0.7") & (table["measure_a"] == "xGAP")]
        row = row[row["measure_b"] == "nDCG"]
        assert row["tau"].item() == pytest.approx(kendalltau(a, b).statistic)
        assert row["tau_ap"].item() == pytest.approx((me.tau_ap(a, b) + me.tau_ap(b, a)) / 2)


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


def test_the_papers_layout(table: pd.DataFrame) -> None:
    matrix = agreement_matrix(table)
    assert list(matrix.columns) == ["g", "measure_a", "GAP", "AP", "nDCG", "RBP", "Bpref"]
    assert matrix["g"].tolist()[:4] == ["0,1"] * 3 + ["0.1,0.9"]
    cell = matrix[(matrix["g"] == "0.2,0.8") & (matrix["measure_a"] == "eGAP")]["RBP"].iloc[0]
    rows = table[(table["g"] == "0.2,0.8") & (table["measure_a"] == "eGAP") & (table["measure_b"] == "RBP")]
    assert cell == "/".join(f"{x:.2f}" for x in rows["tau"])
    ax = plot_agreement(table, topics="few of grade 2")
    assert len(ax.get_xticks()) == 3 * 4 + 2
    plt.close("all")


def test_too_few_runs(collection: Tables) -> None:
    runs, qrels = collection
    one = runs[runs["run_id"] == runs["run_id"].iloc[0]]
    with pytest.raises(me.InputError, match="nothing to rank"):
        me.agreement(one, qrels, depth=200)
    with pytest.raises(me.InputError, match="quantile"):
        me.agreement(runs, qrels, depth=200, quantile=1)


# --- pools ---


def naive_sample(qrels: pd.DataFrame, pools: Pools, share: float, places: np.ndarray) -> pd.DataFrame:
    """Judgments that a sample keeps, grade by grade in loops."""
    kept = []
    for t, topic in enumerate(pools.full.topics):
        own = qrels[qrels["query_id"] == topic]
        for grade, rows in own.groupby("relevance"):
            numbers = [list(own.index).index(i) + 1 for i in rows.index]
            size = max(10 if grade == 0 else 1, round(share * len(rows)))
            order = sorted(zip((places[t, k] for k in numbers), rows.index, strict=True))
            kept += [i for _, i in order[:size]]
    return qrels.loc[sorted(kept)]


@pytest.mark.parametrize("share", [1.0, 0.5, 0.05])
def test_reduced_pools_equal_loops(collection: Tables, share: float) -> None:
    """The arrays of a sample are those of its judgments."""
    runs, qrels = collection
    pools = Pools.of(runs, qrels, depth=200)
    places = pools.shuffle(np.random.default_rng(0))
    found = pools.reduce(share, places)
    expected = me.collect(runs, naive_sample(qrels, pools, share, places), depth=200, topics=pools.full.topics)
    places_of = [expected.topics.index(t) for t in found.topics]
    for name in ("grades", "nonrelevant", "relevant", "judged_nonrelevant", "missing"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name)[places_of])


def test_negative_judgments_are_no_judgments(collection: Tables) -> None:
    runs, qrels = collection
    qrels = qrels.copy()
    qrels.loc[qrels.groupby("query_id").head(3).index, "relevance"] = -1
    pools = Pools.of(runs, qrels, depth=200)
    whole = pools.reduce(1.0, pools.shuffle(np.random.default_rng(0)))
    for name in ("grades", "nonrelevant", "relevant", "judged_nonrelevant", "missing"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(pools.full, name))


def test_samples_are_nested(collection: Tables) -> None:
    pools = Pools.of(*collection, depth=200)
    places = pools.shuffle(np.random.default_rng(0))
    small, large = pools.reduce(0.1, places), pools.reduce(0.3, places)
    assert ((small.grades == 0) | (small.grades == large.grades)).all()
    assert (small.relevant <= large.relevant).all()
    assert (small.relevant[pools.full.relevant > 0] >= 1).all()


def test_pool_reduction(collection: Tables) -> None:
    options = {"measures": ["AP", "Bpref"], "shares": (1.0, 0.5, 0.1), "repetitions": 3, "few": 1.0, "depth": 200}
    table = me.pool_reduction(*collection, **options, progress=False)  # type: ignore[arg-type]
    assert list(table.columns) == ["topics", "share", "repetition", "measure", "tau", "tau_ap"]
    assert len(table) == 2 * 3 * 3 * 2
    np.testing.assert_allclose(table[table["share"] == 1][["tau", "tau_ap"]], 1)
    assert table["tau"].between(-1, 1).all()
    summary = me.summarize_pools(table)
    own = table[(table["topics"] == "all") & (table["measure"] == "AP") & (table["share"] == 0.1)]["tau"]
    row = summary[(summary["topics"] == "all") & (summary["measure"] == "AP") & (summary["share"] == 0.1)].iloc[0]
    assert row["tau"] == pytest.approx(own.mean())
    assert row["tau_low"] <= row["tau"] <= row["tau_high"]
    ax = plot_pools(table)
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert np.asarray(lines["AP"].get_ydata())[0] == pytest.approx(own.mean())
    plt.close("all")
    for wrong in ({"shares": (0.0,)}, {"shares": ()}, {"repetitions": 0}):
        with pytest.raises(me.ProblemError):
            me.pool_reduction(*collection, **{**options, **wrong}, progress=False)  # type: ignore[arg-type]
