"""Discriminative power: loops over pairs and replicates, ends, wrong input, and what holds by construction."""

from collections.abc import Callable
from itertools import permutations, product
from math import ceil, isclose, sqrt
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.stats import top_pairs
from maxent.systems import Discrimination, top_power
from tests.golden.messages import refused

Power = Callable[..., Discrimination]


def table(scores: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(scores, columns=[f"s{k}" for k in range(scores.shape[1])])


def studentised(z: list[float]) -> tuple[float, float]:
    """Absolute mean and studentised mean of differences; 0 / 0 is 0."""
    n = len(z)
    mean = sum(z) / n
    sd = sqrt(sum((x - mean) ** 2 for x in z) / (n - 1))
    if max(abs(x - mean) for x in z) < 1e-12:
        return abs(mean), 0.0 if abs(mean) < 1e-12 else float("inf")
    return abs(mean), abs(mean) / (sd / sqrt(n))


def naive(a: np.ndarray, b: np.ndarray, samples: list[list[int]], alpha: float) -> tuple[float, float]:
    """Level of one pair and the difference it needs, replicate by replicate."""
    z = [float(x - y) for x, y in zip(a, b, strict=True)]
    t = studentised(z)[1]
    w = [x - sum(z) / len(z) for x in z]
    found = [studentised([w[k] for k in sample]) for sample in samples]
    asl = (1 + sum(t_b >= t * (1 - 1e-12) for _, t_b in found)) / (1 + len(found))
    enough = ceil(alpha * (1 + len(found))) - 1  # with as many replicates at least as large the level is alpha
    if enough == 0:
        return asl, float("inf")
    critical = sorted((t_b for _, t_b in found), reverse=True)[enough - 1]
    same = [m for m, t_b in found if isclose(t_b, critical)]
    return asl, max(same)


def samples(topics: int, replicates: int, seed: int) -> list[list[int]]:
    counts = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=replicates)
    return [np.repeat(np.arange(topics), c).tolist() for c in counts]


@given(st.integers(2, 12), st.integers(2, 5), st.integers(0, 10**6), st.booleans(), st.sampled_from([0.01, 0.3]))
def test_bootstrap_equals_loops(topics: int, systems: int, seed: int, coarse: bool, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (topics, systems)) / 4 if coarse else rng.random((topics, systems))
    found = me.systems.discriminative_power(table(scores), alpha=alpha, replicates=60, rng=seed)
    pairs = [(a, b) for a in range(systems) for b in range(a + 1, systems)]
    names = [(f"s{a}", f"s{b}") for a, b in pairs]
    assert list(zip(found.pairs["run_a"], found.pairs["run_b"], strict=True)) == names
    expected = [naive(scores[:, a], scores[:, b], samples(topics, 60, seed), alpha) for a, b in pairs]
    assert found.pairs["asl"].tolist() == [asl for asl, _ in expected]
    power = found.power.iloc[0]
    assert power["power"] == np.mean([asl < alpha for asl, _ in expected])
    assert power["difference_needed"] == pytest.approx(max(d for _, d in expected), abs=1e-12)


def test_hsd_equals_all_shuffles() -> None:
    scores = np.random.default_rng(0).random((3, 3))
    found = me.systems.discriminative_power(table(scores), method="hsd", alpha=0.2, replicates=10**4)
    orders = product(permutations(range(3)), repeat=3)
    shuffles = [[row[list(p)] for row, p in zip(scores, ps, strict=True)] for ps in orders]
    largest = sorted(np.ptp(np.mean(s, axis=0)) for s in shuffles)
    means = scores.mean(axis=0)
    asl = [np.mean([x >= abs(means[a] - means[b]) - 1e-12 for x in largest]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert found.pairs["asl"].tolist() == asl
    assert found.power["difference_needed"].iloc[0] == pytest.approx(largest[-ceil(0.2 * 216)])


@pytest.mark.parametrize("method", ["bootstrap", "hsd"])
def test_ends(method: Literal["bootstrap", "hsd"]) -> None:
    """No difference has level 1; a large one that every topic shares has the smallest level, and never 0."""
    x = np.random.default_rng(1).random(20) / 10
    scores = table(np.column_stack((x, x, x + 0.7)))
    found = me.systems.discriminative_power(scores, method=method).pairs.set_index(["run_a", "run_b"])
    assert found.loc[("s0", "s1"), "asl"] == 1
    assert found.loc[("s0", "s2"), "asl"] == 1 / 1001
    assert found.loc[("s0", "s2"), "difference"] == pytest.approx(-0.7)


def test_every_measure_sees_the_same_replicates() -> None:
    """So a multiple of a measure has its levels, and an order of the measures does not matter."""
    collection = me.simulate(systems=4, topics=8, depth=100, rng=1)
    values = me.evaluate(*collection, measures=["AP", "P@10"], depth=100).tables["values"]
    half = values[values["measure"] == "AP"].assign(measure="half", value=lambda v: v["value"] / 2)
    for method in ("bootstrap", "hsd"):
        found = me.systems.discriminative_power(pd.concat([values, half]), method=method, replicates=200)
        levels = {m: rows["asl"].tolist() for m, rows in found.pairs.groupby("measure")}
        assert levels["AP"] == levels["half"]
        needed = found.power.set_index("measure")["difference_needed"]
        assert needed["half"] == pytest.approx(needed["AP"] / 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v[v["query_id"] == v["query_id"].iloc[0]],
        lambda v: v[v["run_id"] == v["run_id"].iloc[0]],
        lambda v: v.iloc[1:],
        lambda v: v.assign(value=np.inf),
        lambda v: pd.concat([v, v]),
        lambda v: v.drop(columns="query_id"),
    ],
)
def test_wrong_values(change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    collection = me.simulate(systems=2, topics=3, depth=50, rng=1)
    values = me.evaluate(*collection, measures=["AP"], depth=50).tables["values"]
    with refused(me.errors.InputError):
        me.systems.discriminative_power(change(values))


@pytest.mark.parametrize("options", [{"method": "t"}, {"alpha": 0.0}, {"alpha": 1.0}, {"replicates": 0}])
def test_wrong_options(options: dict[str, object]) -> None:
    power: Power = me.systems.discriminative_power
    with pytest.raises(me.errors.ProblemError):
        power(table(np.eye(3)), **options)


def test_top_pairs_are_those_of_the_best_means() -> None:
    scores = table(np.random.default_rng(2).random((5, 6)))
    best = set(scores.mean().nlargest(3).index)
    kept = top_pairs(me.systems.discriminative_power(scores, replicates=10).pairs, 3)
    assert set(kept["run_a"]) | set(kept["run_b"]) == best
    assert len(kept) == 3


def test_the_best_by_both_are_among_the_best_by_each() -> None:
    collection = me.simulate(systems=9, topics=5, depth=100, rng=2)
    values = me.evaluate(*collection, measures=["AP", "P@10"], depth=100).tables["values"]
    pairs = me.systems.discriminative_power(values, replicates=20).pairs
    means = values.groupby(["measure", "run_id"])["value"].mean()
    best = [set(means[measure].nlargest(4).index) for measure in ("AP", "P@10")]
    assert best[0] != best[1]
    shared = best[0] & best[1]
    kept = top_pairs(pairs, 4, by="both")
    assert len(kept) == 2 * len(shared) * (len(shared) - 1) / 2
    assert set(kept["run_a"]) | set(kept["run_b"]) == shared
    found = top_power(pairs, 4, by="both", alpha=0.2)
    row = found[found["measure"] == "P@10"].iloc[0]
    levels = kept.loc[kept["measure"] == "P@10", "asl"]
    assert row.to_list()[1:] == [len(shared), len(levels), (levels < 0.2).mean()]
    with refused(me.errors.ProblemError):
        top_pairs(pairs, 4, by="all")
