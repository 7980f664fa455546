"""One comparison of means: by plain loops, over parts, and one set however often it is asked for."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from maxent.stats import ENOUGH, RESAMPLES, Comparison, Resample, interval, sampled_means, set_p_values

BOOTSTRAP: dict[str, Any] = {"replicates": 200, "rng": 0}
NAMES = ("AP", "nDCG", "P@10")


def errors(topics: int = 20, runs: int = 2) -> pd.DataFrame:
    """Errors of three measures at two thresholds on the same lists; topics 0 and 1 have no list at threshold 2."""
    rng = np.random.default_rng(1)
    rows = [
        (f"run{run}", topic, threshold, name, 0.1 * place + 0.1 * threshold + 0.05 * rng.random())
        for run in range(runs)
        for topic in range(topics)
        for threshold in (1, 2)
        if topic > 1 or threshold == 1
        for place, name in enumerate(NAMES)
    ]
    return pd.DataFrame(rows, columns=["run_id", "query_id", "threshold", "measure", "rms"])


@pytest.fixture(scope="module")
def whole() -> Comparison:
    return Comparison.of(errors(), ["threshold", "measure"], within=(0, 1), **BOOTSTRAP)


def count_calls(function: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets an element for every call of the function of the sets."""
    calls: list[int] = []

    def counted(*args: Any) -> Any:
        calls.append(1)
        return set_p_values(*args)

    monkeypatch.setattr(function, counted)
    return calls


def test_means_and_samples_are_those_of_plain_loops(whole: Comparison) -> None:
    table = errors()
    drawn = np.random.default_rng(0).multinomial(20, np.full(20, 1 / 20), size=200)
    for threshold, name in whole.means.index:
        rows = table[(table["threshold"] == threshold) & (table["measure"] == name)]
        assert whole.means[threshold, name] == pytest.approx(rows["rms"].mean())
        for replicate in (0, 199):
            weights = drawn[replicate][rows["query_id"]]
            assert whole.samples[threshold, name][replicate] == pytest.approx(
                np.average(rows["rms"], weights=weights)
            )
        assert whole.topics[threshold, name] == rows["query_id"].nunique() == {1: 20, 2: 18}[threshold]


@pytest.mark.parametrize("weights", [None, {1: 0.25, 2: 0.75}, {2: 1.0}])
def test_an_average_is_over_its_parts(whole: Comparison, weights: dict[int, float] | None) -> None:
    shares = weights or {1: 0.5, 2: 0.5}
    average = whole.average(None if weights is None else pd.Series(weights))
    assert list(average.parts) == [1, 2]
    for name in NAMES:
        assert average.means[name] == pytest.approx(sum(w * whole.means[k, name] for k, w in shares.items()))
        samples = sum(w * whole.samples[k, name] for k, w in shares.items())
        np.testing.assert_allclose(average.samples[name], samples)
        assert average.topics[name] == 18
        assert average.parts[1].means[name] == whole.means[1, name]
    again = average.weighted().means
    pd.testing.assert_series_equal(again, whole.average().means)


def test_differences_are_paired(whole: Comparison) -> None:
    average = whole.average()
    pairs = average.differences(["nDCG", "P@10", "P@10"], ["AP", "AP", "nDCG"])
    assert pairs.index.tolist() == ["nDCG", "P@10", "P@10"]
    samples = average.samples
    drawn = pd.DataFrame({0: samples["nDCG"] - samples["AP"], 2: samples["P@10"] - samples["nDCG"]})
    ends = interval(drawn, "difference", 18)
    for place in (0, 2):
        assert list(pairs.iloc[place, 1:]) == list(ends.loc[place])
    assert pairs["difference"].tolist() == pytest.approx(
        [average.means[a] - average.means[b] for a, b in (("nDCG", "AP"), ("P@10", "AP"), ("P@10", "nDCG"))]
    )
    to_ap = average.to("AP")
    assert list(to_ap.loc["P@10"]) == list(pairs.iloc[1])
    assert list(to_ap.loc["AP"]) == [0, 0, 0]
    with pytest.raises(KeyError, match="MAP"):
        average.to("MAP")


def test_an_interval_for_many_pairs_is_students(whole: Comparison) -> None:
    average = whole.average()
    single, many = (average.between("P@10", "AP", pairs=pairs) for pairs in (1, 10))
    width = [pair["difference_high"] - pair["difference_low"] for pair in (single, many)]
    assert width[1] / width[0] == pytest.approx(t.ppf(1 - 0.0025, 17) / t.ppf(0.975, 17))
    assert single["difference"] == average.to("AP")["difference"]["P@10"]


def test_a_table_is_within_the_range_of_the_value(whole: Comparison) -> None:
    few = Comparison.of(errors(topics=4), ["threshold", "measure"], within=(0.15, 0.2), **BOOTSTRAP).table
    assert few[["rms_low", "rms_high"]].min(axis=None) == 0.15
    assert few[["rms_low", "rms_high"]].max(axis=None) == 0.2
    assert list(whole.table) == ["rms", "rms_low", "rms_high"]


@pytest.mark.parametrize("resample", RESAMPLES)
def test_the_fewer_of_topics_and_runs_count(resample: Resample) -> None:
    whole = Comparison.of(errors(), ["threshold", "measure"], resample=resample, **BOOTSTRAP)
    assert set(whole.topics) == ({20, 18} if resample == "topics" else {2})
    assert (whole.average().best_set is None) == (resample == "both"), "sets are over topics alone"


@pytest.mark.parametrize("topics", [ENOUGH + 1, ENOUGH + 2])
def test_the_part_with_the_fewest_topics_decides_whether_there_is_a_set(topics: int) -> None:
    average = Comparison.of(errors(topics), ["threshold", "measure"], **BOOTSTRAP).average()
    assert (average.best_set is None) == (topics - 2 < ENOUGH)
    assert average.parts[1].best_set == ("AP",)


def test_a_set_is_computed_once(whole: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    average = whole.average()
    with monkeypatch.context() as patched:
        calls = count_calls("maxent.stats.comparison.set_p_values", patched)
        assert average.best_set == ("AP",)
        assert average.may_be_best().to_dict() == {"AP": True, "nDCG": False, "P@10": False}
        assert len(calls) == 1
        assert average.among(["nDCG", "P@10"]).best_set == ("nDCG",)
        assert len(calls) == 2


def test_places_are_those_in_every_sample(whole: Comparison) -> None:
    average = whole.average()
    by_loops = pd.DataFrame(
        [
            {name: sum(row[other] <= row[name] for other in NAMES) for name in NAMES}
            for _, row in average.samples.iterrows()
        ]
    )
    ranks = average.ranks()
    assert ranks["rank"].to_dict() == {"AP": 1, "nDCG": 2, "P@10": 3}
    for name in NAMES:
        assert list(ranks.loc[name][1:]) == list(by_loops[name].quantile([0.025, 0.975]))
    assert average.share_best().to_dict() == (by_loops == 1).mean().to_dict()


def test_samples_drawn_for_several_comparisons_are_shared() -> None:
    table = pd.concat([errors().assign(reading=name) for name in ("one", "two")])
    drawn = sampled_means(table, ["reading", "threshold", "measure"], **BOOTSTRAP)
    part = table[table["reading"] == "one"]
    shared = Comparison.of(part, ["threshold", "measure"], samples=drawn.under(["one"]))
    alone = Comparison.of(part, ["threshold", "measure"], **BOOTSTRAP)
    pd.testing.assert_frame_equal(shared.samples, alone.samples)
    with pytest.raises(KeyError):
        Comparison.of(part.assign(measure="MAP"), ["threshold", "measure"], samples=drawn.under(["one"]))
