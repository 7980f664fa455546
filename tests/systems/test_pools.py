"""Reduced pools: loops over judgments, nested samples."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.plot import plot_pools
from maxent.systems import Pools
from tests.collections import Tables
from tests.golden.messages import refused


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


def test_agreement_with_a_share_of_the_judgments(collection: Tables) -> None:
    options: dict[str, Any] = {
        "measures": ["AP", "Bpref"], "shares": (1.0, 0.5, 0.1), "repetitions": 3, "few": 1.0, "depth": 200,
        "progress": False,
    }  # fmt: skip
    result = me.compare_pools(*collection, **options)
    table, summary = result.tables["pools"], result.table
    assert list(table.columns) == ["topics", "share", "repetition", "measure", "tau", "tau_ap"]
    assert len(table) == 2 * 3 * 3 * 2
    np.testing.assert_allclose(table[table["share"] == 1][["tau", "tau_ap"]], 1)
    assert table["tau"].between(-1, 1).all()
    few = table[(table["topics"] == "all") & (table["measure"] == "AP") & (table["share"] == 0.1)]["tau"]
    row = summary[(summary["topics"] == "all") & (summary["measure"] == "AP") & (summary["share"] == 0.1)].iloc[0]
    assert row["tau"] == pytest.approx(few.mean())
    assert row["tau_low"] <= row["tau"] <= row["tau_high"]
    ax = plot_pools(table)
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert np.asarray(lines["AP"].get_ydata())[0] == pytest.approx(few.mean())
    for wrong in ({"shares": (0.0,)}, {"shares": ()}, {"repetitions": 0}, {"repetitions": 10**30}):
        with pytest.raises(me.errors.ProblemError):
            me.compare_pools(*collection, **{**options, **wrong})


def test_a_collection_does_not_know_its_documents(collection: Tables) -> None:
    with refused(me.errors.InputError):
        me.compare_pools(me.collect(*collection, depth=200), measures=["AP"])


def test_numbers_of_documents_are_as_deep_as_their_grades() -> None:
    """The longest list, of a topic that is not chosen, has no numbers."""
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {str(k): -k for k in range(10)}}
    pools = Pools.of({"run": run}, {"1": {"a": 1, "b": 0}, "2": {"1": 1}}, topics=["1"])
    assert pools.numbers.shape == pools.full.grades.shape == (1, 1, 10)


def test_more_documents_are_judged_than_16_bits_count() -> None:
    documents = 33_000
    qrels = {"1": {f"d{k}": int(k % 3 == 0) for k in range(documents)}, "2": {"a": 1}}
    last_documents = {f"d{k}": float(k) for k in range(documents - 50, documents)}
    pools = Pools.of({"run": {"1": last_documents, "2": {"a": 1.0}}}, qrels)
    assert pools.numbers[0, 0].tolist() == list(range(documents, documents - 50, -1))
    whole = pools.reduce(1.0, pools.shuffle(np.random.default_rng(0)))
    np.testing.assert_array_equal(whole.grades, pools.full.grades)
    assert whole.relevant.tolist() == [[11_000], [1]]


@pytest.mark.parametrize("option", [{"grades": {1: 1, 2: 1}}, {"bins": (1,)}])
def test_grades_are_mapped_before_documents_are_numbered(collection: Tables, option: dict[str, Any]) -> None:
    runs, qrels = collection
    mapped = qrels.assign(relevance=qrels["relevance"].clip(upper=1))
    pools, expected = Pools.of(runs, qrels, depth=200, **option), Pools.of(runs, mapped, depth=200)
    for name in ("numbers", "judged"):
        np.testing.assert_array_equal(getattr(pools, name), getattr(expected, name))
