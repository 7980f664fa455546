"""Comparison of systems: values by hand, SciPy and PyTerrier called directly, ends, wrong input."""

import warnings
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import maxent as me
from maxent.stats import CORRECTIONS, TESTS, against, corrected, paired_test, samples_needed, topic_samples
from tests.collections import Tables
from tests.golden.messages import refused

MEASURES = ["AP", "P@10"]


def all_pairs(scores: np.ndarray, test: str, *, alpha: float = 0.05, replicates: int = 2000) -> pd.DataFrame:
    """All pairs of columns."""
    counts, _ = topic_samples(len(scores), replicates, 0)
    first, second = np.triu_indices(scores.shape[1], 1)
    return paired_test(scores, first, second, test=test, alpha=alpha, counts=counts, seed=1)


def values_of(collection: Tables, measure: str) -> pd.DataFrame:
    """Values, a row for each topic and a column for each run."""
    values = me.evaluate(*collection, measures=[measure], depth=200).tables["values"]
    return values.pivot(index="query_id", columns="run_id", values="value")


def test_an_example_by_hand() -> None:
    """Differences 1, 2, 3, -2 of four topics: t = 1 / (sd / 2), sd = sqrt(14 / 3), 3 degrees of freedom."""
    scores = np.array([[0.0, 1.0], [1.0, 3.0], [1.0, 4.0], [5.0, 3.0]])
    row = all_pairs(scores, "t").iloc[0]
    sd = sqrt((0 + 1 + 4 + 9) / 3)
    assert row["difference"] == 1
    assert row["effect_size"] == pytest.approx(1 / sd)
    reach = 3.182446305 * sd / 2
    assert (row["low"], row["high"]) == pytest.approx((1 - reach, 1 + reach))
    t = 1 / (sd / 2)  # distribution function of t with 3 degrees of freedom in closed form
    below = 0.5 + (np.arctan(t / sqrt(3)) + t / sqrt(3) / (1 + t * t / 3)) / np.pi
    assert row["p_value"] == pytest.approx(2 * (1 - below))
    assert row[["topics", "better", "worse", "equal"]].tolist() == [4, 3, 1, 0]
    # of the 16 signs of 1, 2, 3, 2 the sum is at least 4 with 5: all plus (8), and one of 1, 2, 2 minus (6, 4, 4)
    assert all_pairs(scores, "permutation")["p_value"].item() == 2 * 4 / 16


@pytest.mark.parametrize("topics", [5, 30])
@pytest.mark.parametrize("kind", ["real", "coarse"])
def test_values_equal_direct_calls_of_scipy(topics: int, kind: str) -> None:
    rng = np.random.default_rng(topics)
    scores = rng.random((topics, 4)) if kind == "real" else rng.integers(0, 8, (topics, 4)) / 8  # exact, with ties
    first, second = np.triu_indices(4, 1)
    for test in TESTS:
        found = all_pairs(scores, test, alpha=0.1)
        for k, (a, b) in enumerate(zip(first, second, strict=True)):
            x, y = scores[:, b], scores[:, a]
            row = found.iloc[k]
            if test == "t":
                direct = stats.ttest_rel(x, y)
                interval = direct.confidence_interval(0.9)
                assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high))
                assert row["p_value"] == pytest.approx(direct.pvalue)
            elif test == "wilcoxon":
                assert row["p_value"] == pytest.approx(stats.wilcoxon(x, y).pvalue)
            elif test == "permutation":
                how: Any = {"permutation_type": "samples", "n_resamples": 2000, "rng": 1}
                direct = stats.permutation_test((x, y), lambda x, y, axis: np.mean(x - y, axis=axis), **how)
                exact = 2**topics <= 2000
                assert row["p_value"] == pytest.approx(direct.pvalue, abs=1e-12 if exact else 0.03)
            assert row["effect_size"] == pytest.approx((x - y).mean() / (x - y).std(ddof=1))


@pytest.mark.slow
def test_bootstrap_is_that_of_discriminative_power(collection: Tables) -> None:
    table = me.compare_systems(
        *collection, measures=MEASURES, test="bootstrap", depth=200, replicates=500, rng=7
    ).table
    values = me.evaluate(*collection, measures=MEASURES, depth=200).tables["values"]
    pairs = me.systems.discriminative_power(values, replicates=500, rng=7).pairs
    assert table[["baseline", "run_id"]].to_numpy().tolist() == pairs[["run_a", "run_b"]].to_numpy().tolist()
    np.testing.assert_array_equal(table["p_value"], pairs["asl"])
    np.testing.assert_allclose(table["difference"], -pairs["difference"], atol=1e-15)


@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize("alpha", [0.01, 0.2])
def test_intervals_leave_zero_out_where_the_test_is_significant(test: str, alpha: float) -> None:
    scores = np.random.default_rng(4).random((12, 9)) + np.arange(9) / 30
    found = all_pairs(scores, test, alpha=alpha)
    outside = (found["low"] > 0) | (found["high"] < 0)
    assert 0 < outside.sum() < len(found)
    np.testing.assert_array_equal(outside, found["p_value"] < alpha)


def test_each_measure_is_corrected_on_its_own(collection: Tables) -> None:
    corrections: tuple[Any, ...] = (*CORRECTIONS, None)
    for correction in corrections:
        table = me.compare_systems(*collection, measures=MEASURES, correction=correction, depth=200).table
        for _, rows in table.groupby("measure"):
            np.testing.assert_array_equal(rows["p_value_corrected"], corrected(rows["p_value"], correction))
        np.testing.assert_array_equal(table["reject"], table["p_value_corrected"] <= 0.05)


@pytest.mark.slow
def test_baselines_by_name_and_position(collection: Tables) -> None:
    def compared(baseline: Any) -> list[tuple[str, str]]:
        table = me.compare_systems(*collection, measures=["AP"], baseline=baseline, depth=200).table
        return list(zip(table["baseline"], table["run_id"], strict=True))

    names = [f"system{k}" for k in range(1, 9)]
    assert compared("system3") == compared(2) == compared(np.int64(2))
    assert compared("system3") == [("system3", n) for n in names if n != "system3"]
    both = compared(["system3", 0, "system3"])  # the pair of baselines is there once
    assert both[:7] == compared("system3")
    assert both[7:] == [("system1", n) for n in names[1:] if n != "system3"]
    assert compared(None) == compared(names) == [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]


def test_all_pairs_seen_from_one_run_equal_a_comparison_with_it(collection: Tables) -> None:
    options: dict[str, Any] = {"measures": MEASURES, "correction": None, "depth": 200}
    table = me.compare_systems(*collection, **options).table
    expected = me.compare_systems(*collection, **options, baseline="system4").table
    pd.testing.assert_frame_equal(against(table, "system4").reset_index(drop=True), expected)
    with refused(me.errors.ProblemError):
        against(table, "x")


@pytest.mark.parametrize("test", TESTS)
def test_equal_runs_and_constant_differences(test: str) -> None:
    """Also where the values are equal up to rounding errors, or all 0."""
    x = np.random.default_rng(1).random(20) / 3
    scores = np.column_stack((x, x, (x * 3) / 3 + 1e-17, x + 0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = all_pairs(scores, test)
        zeros = all_pairs(np.zeros((3, 2)), test).iloc[0]
    same, shifted = found.iloc[[0, 1, 3]], found.iloc[[2, 4, 5]]
    assert (same["p_value"] == 1).all()
    assert (same[["difference", "low", "high", "effect_size"]] == 0).all().all()
    assert (same["equal"] == 20).all()
    np.testing.assert_allclose(shifted[["difference", "low", "high"]], 0.5)
    assert (shifted["effect_size"] == np.inf).all()
    if test == "t":
        assert (shifted["p_value"] == 0).all()
    elif test == "bootstrap":
        assert (shifted["p_value"] == 1 / 2001).all()
    else:
        assert (shifted["p_value"] < 0.001).all()
    assert zeros[["p_value", "difference", "low", "high", "effect_size"]].tolist() == [1, 0, 0, 0, 0]


@pytest.mark.slow
def test_two_topics_and_missing_topics(collection: Tables) -> None:
    runs, qrels = collection
    gone = (runs["run_id"] == "system2") & (runs["query_id"] == "1")
    for test in TESTS:
        table = me.compare_systems(
            runs[~gone], qrels, measures=["AP"], baseline=0, test=test, topics=["1", "2"], depth=200
        ).table
        assert table.loc[table["missing"] > 0, ["run_id", "missing"]].to_numpy().tolist() == [["system2", 1]]
        assert (table["topics"] == 2).all()
        assert table["p_value"].between(0, 1).all()
        assert (table["low"] <= table["difference"]).all()
        assert table["low"].notna().all()
    values = values_of((runs[~gone], qrels), "AP")
    own = table[table["run_id"] == "system2"]
    assert own["mean"].item() == pytest.approx((0 + values["system2"]["2"]) / 2)


@pytest.mark.parametrize(
    "options",
    [
        {"topics": ["1"]},
        {"baseline": "sistem1"},
        {"baseline": "zzz"},
        {"baseline": 8},
        {"baseline": True},
        {"baseline": []},
        {"measures": []},
        {"test": "z"},
        {"correction": "h"},
        {"alpha": 1},
        {"empty": "none"},
        {"replicates": 0},
    ],
    ids=str,
)
def test_wrong_input(collection: Tables, options: dict[str, Any]) -> None:
    with refused(me.MaxentError):
        me.compare_systems(*collection, **{"measures": ["AP"], "depth": 200, **options})


@pytest.mark.slow
@pytest.mark.parametrize("correction", [*CORRECTIONS, None])
@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_a_line_says_how_many_samples_would_be_enough(test: str, correction: str | None) -> None:
    """With as many, the smallest p-value is significant alone of its family; with fewer by a few, it is not."""
    family, options = 45, {"test": test, "correction": correction, "alpha": 0.01}
    (line,) = samples_needed(family, 60, replicates=50, **options)  # type: ignore[arg-type]
    number = int(line.split()[-2].replace(",", ""))
    for replicates, enough in ((number, True), (number - 5, False)):
        least = (2 if test == "permutation" else 1) / (replicates + 1)
        p = pd.Series([least] + [1.0] * (family - 1))
        assert (corrected(p, correction)[0] <= 0.01) == enough
        assert (samples_needed(family, 60, replicates=replicates, **options) == ()) == enough  # type: ignore[arg-type]


def test_no_number_of_samples_helps_where_topics_are_few() -> None:
    options: dict[str, Any] = {"correction": None, "alpha": 0.05, "replicates": 100}
    assert "5 topics" in str(samples_needed(1, 5, test="permutation", **options))
    assert samples_needed(1, 6, test="permutation", **options) == ()
    assert samples_needed(1, 5, test="t", **options) == ()


def test_wilcoxon_ranks_differences_that_are_equal_in_exact_arithmetic_as_ties() -> None:
    """.3 - .2 and .1 - 0 are no tie in floating point, and SciPy then takes an exact distribution that is wrong."""
    tenths = np.random.default_rng(5).integers(0, 11, (30, 8))
    first, second = np.triu_indices(8, 1)
    found = all_pairs(tenths / 10, "wilcoxon")["p_value"]
    exact = [stats.wilcoxon(tenths[:, b], tenths[:, a]).pvalue for a, b in zip(first, second, strict=True)]
    np.testing.assert_allclose(found, exact, rtol=1e-12)
    rounded = [
        stats.wilcoxon(tenths[:, b] / 10, tenths[:, a] / 10).pvalue for a, b in zip(first, second, strict=True)
    ]
    assert np.abs(np.array(rounded) - exact).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_runs_without_a_difference_are_seldom_told_apart(test: str) -> None:
    """With Holm's correction in at most 5 % of the families; 20 of 200 are 3.2 standard errors more."""
    families = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        hard = 4 * rng.beta(1, 3, (25, 1)) + 0.05  # values as skewed as those of AP; runs change places at will
        found = all_pairs(rng.beta(hard, 4.1 - hard, (25, 6)), test, replicates=1000)
        families += found["p_value"].min() <= 0.05 / len(found)  # Holm's first step
    assert families <= 20
