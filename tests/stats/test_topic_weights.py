"""Weighted means, Student's intervals and numbers of topics, compared with SciPy and statsmodels."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.power import TTestPower

from maxent.stats import paired_test, pseudo_values, student_interval, topic_samples, topics_for_power
from maxent.types import FloatArray


def scores_and_weights(seed: int, topics: int = 30) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    return rng.random((topics, 3)), rng.integers(1, 50, topics).astype(float)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_student_intervals_are_those_of_scipy(level: float) -> None:
    scores, _ = scores_and_weights(0)
    low, high = student_interval(scores, level)
    for k, column in enumerate(scores.T):
        expected = stats.ttest_1samp(column, 0.0).confidence_interval(level)
        assert (low[k], high[k]) == pytest.approx(tuple(expected), rel=1e-12)


def test_a_single_topic_has_no_interval() -> None:
    assert np.isnan(student_interval(np.ones((1, 2)), 0.95)).all()


def test_weighted_means_and_their_intervals_are_those_of_weighted_least_squares() -> None:
    scores, weights = scores_and_weights(1)
    low, high = student_interval(pseudo_values(scores, weights), 0.95)
    for k, column in enumerate(scores.T):
        fit = sm.WLS(column, np.ones(len(column)), weights=weights).fit(cov_type="HC1", use_t=True)
        assert pseudo_values(scores, weights)[:, k].mean() == pytest.approx(fit.params[0], rel=1e-12)
        assert (low[k], high[k]) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-10)


def pairs_of(scores: FloatArray, test: str, weights: FloatArray | None, replicates: int = 2000) -> dict[str, float]:
    counts, seed = topic_samples(len(scores), replicates, 0)
    one, two = np.array([0]), np.array([1])
    table = paired_test(scores, one, two, test=test, alpha=0.05, counts=counts, seed=seed, weights=weights)
    return {str(name): float(value) for name, value in table.iloc[0].items()}


def test_the_weighted_t_test_is_that_of_weighted_least_squares() -> None:
    scores, weights = scores_and_weights(2)
    row = pairs_of(scores, "t", weights)
    z = scores[:, 1] - scores[:, 0]
    fit = sm.WLS(z, np.ones(len(z)), weights=weights).fit(cov_type="HC1", use_t=True)
    assert row["difference"] == pytest.approx(fit.params[0], rel=1e-10)
    assert row["p_value"] == pytest.approx(fit.pvalues[0], rel=1e-8)
    assert (row["low"], row["high"]) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-8)
    assert row["better"] == (z > 0).sum(), "weights do not change in which topics a run is better"


def test_the_weighted_randomisation_test_counts_all_signs() -> None:
    scores, weights = scores_and_weights(3, topics=8)
    z = weights * (scores[:, 1] - scores[:, 0])
    sums = [(z * signs).sum() for signs in np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1).T]
    more = min((np.array(sums) >= z.sum() - 1e-12).mean(), (np.array(sums) <= z.sum() + 1e-12).mean())
    assert pairs_of(scores, "permutation", weights)["p_value"] == pytest.approx(min(1.0, 2 * more))


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_equal_weights_change_nothing(test: str) -> None:
    scores, _ = scores_and_weights(4)
    equal = pairs_of(scores, test, np.full(len(scores), 7.0))
    assert equal == pytest.approx(pairs_of(scores, test, None), abs=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_numbers_of_topics_are_those_of_statsmodels(alpha: float, power: float) -> None:
    effects = np.array([0.02, 0.05, 0.1, 0.28, 0.5, 1.0])  # statsmodels has NaN for some larger ones
    expected = [math.ceil(TTestPower().solve_power(effect, alpha=alpha, power=power) - 1e-9) for effect in effects]
    assert topics_for_power(effects, power=power, alpha=alpha).tolist() == expected


def test_the_numbers_of_topics_at_the_ends() -> None:
    needed = topics_for_power(np.array([0.0, -0.5, 1e-5, 1e9, np.inf, np.nan]), power=0.8, alpha=0.05)
    assert needed[:5].tolist() == [np.inf, 34, np.inf, 2, 2]
    assert np.isnan(needed[5])
