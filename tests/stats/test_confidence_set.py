"""The model confidence set against its definition in loops, and what it must never do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxent.stats import set_p_values
from maxent.stats.confidence_set import confidence_set
from maxent.types import FloatArray, IntArray


def drawn(
    seed: int, topics: int, measures: int, spread: float
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Means, influences, samples and weights of errors of measures, by topic, with means apart by ``spread``."""
    rng = np.random.default_rng(seed)
    errors = rng.gamma(2, 0.1, (topics, 1)) + rng.normal(0, 0.05, (topics, measures)) + spread * np.arange(measures)
    weights = rng.multinomial(topics, np.full(topics, 1 / topics), size=200)
    means = errors.mean(axis=0)
    return means, errors - means, weights @ errors / topics, weights


def naive_p_values(
    means: FloatArray, influences: FloatArray, samples: FloatArray, weights: IntArray
) -> list[float]:
    """Hansen, Lunde and Nason, section 3.1.2: the equivalence test and the elimination rule in loops."""
    topics = len(influences)

    def error(i: int, j: int, counts: IntArray) -> float:
        rows = np.repeat(influences[:, i] - influences[:, j], counts)
        return float(rows.std() / np.sqrt(topics - 1))

    left, p_values, largest = list(range(len(means))), [1.0] * len(means), 0.0
    once = np.ones(topics, dtype=np.int64)
    while len(left) > 1:
        t = {(i, j): (means[i] - means[j]) / error(i, j, once) for i in left for j in left if i != j}
        observed = max(t.values())
        exceeding = 0
        for sample, counts in zip(samples, weights, strict=True):
            deviations = (
                abs(sample[i] - sample[j] - means[i] + means[j]) / error(i, j, counts) for i, j in t if i < j
            )
            exceeding += max(deviations) >= observed
        largest = max(largest, exceeding / len(samples))
        worst = max(left, key=lambda i: max(t[i, j] for j in left if j != i))
        p_values[worst] = largest
        left.remove(worst)
    p_values[left[0]] = 1.0
    return p_values


@given(st.integers(0, 999), st.integers(12, 25), st.integers(2, 4), st.sampled_from([0.0, 0.01, 0.05]))
def test_p_values_equal_the_loops(seed: int, topics: int, measures: int, spread: float) -> None:
    data = drawn(seed, topics, measures, spread)
    assert set_p_values(*data) == pytest.approx(naive_p_values(*data), abs=1e-12)


def test_the_best_is_kept_and_clearly_worse_measures_leave() -> None:
    kept = confidence_set(set_p_values(*drawn(seed=1, topics=40, measures=5, spread=0.05)))
    assert kept.tolist() == [True, False, False, False, False]


def test_measures_that_are_the_same_stay_together() -> None:
    means, influences, samples, weights = drawn(seed=2, topics=40, measures=3, spread=0.05)
    twice = [0, 0, 1, 1, 2]
    p_values = set_p_values(means[twice], influences[:, twice], samples[:, twice], weights)
    assert confidence_set(p_values).tolist() == [True, True, False, False, False]
    assert p_values[2] == p_values[3]


def test_one_measure_is_the_set() -> None:
    means, influences, samples, weights = drawn(seed=3, topics=20, measures=1, spread=0.0)
    assert set_p_values(means, influences, samples, weights).tolist() == [1.0]


def test_a_smaller_level_never_has_a_larger_set() -> None:
    p_values = set_p_values(*drawn(seed=4, topics=25, measures=8, spread=0.01))
    sizes = [confidence_set(p_values, level).sum() for level in (0.5, 0.8, 0.95, 0.99)]
    assert sizes == sorted(sizes)
