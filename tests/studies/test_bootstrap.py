"""Resampling topics, or topics and systems."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

import maxent as me
from maxent.stats import FEW, RESAMPLES, Resample, few_topics, interval, topic_bootstrap


def lists(of_topic: float, of_system: float, rng: np.random.Generator) -> pd.DataFrame:
    """30 systems x 20 topics whose errors are effects of both; some lists are missing."""
    t, s = of_topic * rng.normal(size=20), of_system * rng.normal(size=30)
    rows = [(f"s{i}", f"t{j}", "AP", s[i] + t[j]) for i in range(30) for j in range(20)]
    frame = pd.DataFrame(rows, columns=["run_id", "query_id", "measure", "rms"])
    return frame.iloc[np.sort(rng.choice(600, 550, replace=False))]


def test_both_by_plain_loops() -> None:
    table = lists(1, 1, np.random.default_rng(0))
    table = pd.concat([table, table.assign(measure="P", rms=table["rms"] ** 2)])
    found = topic_bootstrap(table, ["measure"], resample="both", replicates=5, rng=4)
    rng = np.random.default_rng(4)
    topics = rng.multinomial(20, np.full(20, 1 / 20), size=5)
    systems = rng.multinomial(30, np.full(30, 1 / 30), size=5)
    order = [sorted(table["query_id"].unique()), list(pd.factorize(table["run_id"])[1])]
    first = list(dict.fromkeys(table["query_id"]))
    for b in range(5):
        weight = table["query_id"].map(dict(zip(first, topics[b], strict=True)))
        weight = weight * table["run_id"].map(dict(zip(order[1], systems[b], strict=True)))
        for measure in ("AP", "P"):
            own = table["measure"] == measure
            assert found[measure][b] == pytest.approx(np.average(table.loc[own, "rms"], weights=weight[own]))


def test_systems_widen_the_interval_only_where_they_differ() -> None:
    def width(of_topic: float, of_system: float, resample: Resample) -> float:
        table = lists(of_topic, of_system, np.random.default_rng(1))
        boot = topic_bootstrap(table, ["measure"], resample=resample, replicates=2000, rng=0)["AP"]
        return float(boot.std())

    assert width(1, 0.01, "both") == pytest.approx(width(1, 0.01, "topics"), rel=0.1)
    assert width(0.01, 1, "both") > 5 * width(0.01, 1, "topics")
    spread = 1 / np.sqrt(30)  # of the mean of 30 systems
    assert width(0.01, 1, "both") == pytest.approx(spread, rel=0.4)


@pytest.mark.parametrize("topics", [2, FEW - 1, FEW])
def test_intervals_over_few_topics_are_students(topics: int) -> None:
    """As many lists of each topic: the mean is that of the topics' means."""
    of_topic = np.random.default_rng(topics).gamma(2, size=topics)
    rows = [(f"s{i}", f"t{j}", "AP", x + i) for i in range(3) for j, x in enumerate(of_topic)]
    table = pd.DataFrame(rows, columns=["run_id", "query_id", "measure", "rms"])
    samples = topic_bootstrap(table, ["measure"], replicates=20_000, rng=0)
    found = interval(samples, "rms", topics).iloc[0]
    student = t.interval(0.95, topics - 1, of_topic.mean() + 1, of_topic.std(ddof=1) / np.sqrt(topics))
    if topics < FEW:
        assert found.tolist() == pytest.approx(student, rel=0.1)
        assert interval(samples, "rms", topics, within=(3, 4)).iloc[0].tolist() == found.clip(3, 4).tolist()
    else:
        assert found.tolist() == np.quantile(samples, (0.025, 0.975)).tolist()
    assert interval(samples, "rms", 1).isna().all().all()
    assert [bool(few_topics(n)) for n in (0, 1, 2, FEW - 1, FEW)] == [False, False, True, True, False]


def study_of(errors: dict[tuple[str, str, int], list[float]]) -> pd.DataFrame:
    """Table of a study of AP and nDCG: their errors by topic, run and threshold; other lists are left out."""
    rows = []
    topics, runs, thresholds = map(set, zip(*errors, strict=True))
    for topic, run, threshold in itertools.product(sorted(topics), sorted(runs), sorted(thresholds)):
        pair = errors.get((topic, run, threshold), [np.nan, np.nan])
        status = "too_few" if np.isnan(pair[0]) else "optimal"
        rows += [(run, topic, m, threshold, status, e, e) for m, e in zip(("AP", "nDCG"), pair, strict=True)]
    return pd.DataFrame(rows, columns=["run_id", "query_id", "measure", "threshold", "status", "rms", "mae"])


def intervals_of(table: pd.DataFrame, resample: Resample) -> list[list[float]]:
    """Every estimate with an interval in the summary and the league of a study, with its ends."""
    options: dict[str, Any] = {"resample": resample, "replicates": 50, "rng": 0}
    summary, league = me.summarize(table, **options), me.league(table, **options)
    parts = [(summary, "rms"), (summary, "mae"), (league, "rms"), (league, "difference")]
    return [row for part, name in parts for row in part[[name, f"{name}_low", f"{name}_high"]].to_numpy().tolist()]


ERROR = st.floats(0, 1).map(lambda x: round(x, 2))
KEY = st.tuples(st.sampled_from("12345"), st.sampled_from("AB"), st.sampled_from([1, 2]))


@settings(max_examples=30)
@given(st.dictionaries(KEY, st.lists(ERROR, min_size=2, max_size=2), min_size=1), st.sampled_from(RESAMPLES))
def test_an_interval_contains_its_estimate_or_is_none(
    errors: dict[tuple[str, str, int], list[float]], resample: Resample
) -> None:
    """Topics with one list, thresholds with one topic, and equal differences are among them."""
    for estimate, low, high in intervals_of(study_of(errors), resample):
        assert np.isnan([low, high]).all() or low - 1e-9 <= estimate <= high + 1e-9


def test_a_mean_over_thresholds_has_no_interval_where_one_of_them_has_one_topic() -> None:
    errors = {("1", "A", 1): [0.2, 0.2], ("2", "A", 1): [0.2, 0.2], ("1", "A", 2): [0.1, 0.45]}
    table = study_of(errors)
    rows = me.league(table).set_index(["threshold", "measure"])
    assert rows["difference"][0, "nDCG"] == pytest.approx(0.175)
    assert rows.loc[0, ["rms_low", "difference_low"]].isna().all().all()
    assert rows.loc[2, ["rms_low", "difference_low"]].isna().all().all()
    assert rows["difference_high"][1, "nDCG"] == 0
