"""Means, intervals over topics, and the league table."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap, t

import maxent as me
from maxent.studies import SOLVED, compare
from tests.golden.messages import refused


def test_summary_is_the_mean_with_an_interval_over_topics(table: pd.DataFrame) -> None:
    summary = me.summarize(table, rng=1)
    ends = ["rms_low", "rms_high", "mae_low", "mae_high"]
    assert list(summary.columns) == ["measure", "threshold", "lists", "topics", "constant", "rms", "mae", *ends]
    solved = table[table["status"].isin(SOLVED)]
    for _, row in summary.iterrows():
        own = solved[(solved["measure"] == row["measure"]) & (solved["threshold"] == row["threshold"])]
        assert row["rms"] == pytest.approx(own["rms"].mean())
        assert row["lists"] == len(own)
        assert row["rms_low"] < row["rms"] < row["rms_high"]
        assert row["mae_low"] < row["mae"] < row["mae_high"]
    pd.testing.assert_frame_equal(summary, me.summarize(table, rng=1))


def test_the_league_is_paired_and_on_common_lists(table: pd.DataFrame) -> None:
    """Against loops over replicates; one list is unsolved for one measure and counts for none."""
    gone = (table["measure"] == "AP") & (table["query_id"] == "1") & table["status"].isin(SOLVED)
    gone &= table["run_id"] == table.loc[gone, "run_id"].iloc[0]
    table = table.assign(status=table["status"].mask(gone, "failed"))
    league = me.league(table, replicates=50, rng=3)
    solved = table[table["status"].isin(SOLVED)]
    number = solved["measure"].nunique()
    common = solved.groupby(["run_id", "query_id"]).filter(lambda own: own["measure"].nunique() == number)
    assert set(league["lists"]) == {len(common.drop_duplicates(["run_id", "query_id"]))}
    topics = sorted(common["query_id"].unique(), key=list(common["query_id"].unique()).index)
    weights = np.random.default_rng(3).multinomial(len(topics), np.full(len(topics), 1 / len(topics)), size=50)
    replicates = []
    for weight in weights:
        drawn = common["query_id"].map(dict(zip(topics, weight, strict=True)))
        weighted = (
            common.assign(w=drawn, rw=common["rms"] * drawn).groupby(["measure", "threshold"])[["rw", "w"]].sum()
        )
        replicates.append((weighted["rw"] / weighted["w"]).groupby("measure").mean())
    overall = league[league["threshold"] == 0].set_index("measure")
    each = pd.concat(replicates, axis=1)
    best = overall.index[0]
    assert overall["rms"].is_monotonic_increasing
    for measure in overall.index:
        row = overall.loc[measure]
        own = common[common["measure"] == measure].groupby("threshold")["rms"].mean()
        assert row["rms"] == pytest.approx(own.mean())
        samples = each.loc[measure] - each.loc[best]
        reach = t.ppf(0.975, len(topics) - 1) * samples.std(ddof=0) * np.sqrt(len(topics) / (len(topics) - 1))
        assert row["difference_low"] == pytest.approx(samples.mean() - reach, abs=1e-12)
        assert row["difference_high"] == pytest.approx(samples.mean() + reach, abs=1e-12)
    assert league.groupby("threshold")["share_best"].sum().to_numpy() == pytest.approx(1)
    with refused(me.errors.ProblemError):
        me.league(table.assign(status="failed"))


def test_the_bootstrap_interval_equals_scipys(table: pd.DataFrame) -> None:
    """Ratio of sums over resampled topics, percentile interval."""
    rng = np.random.default_rng(2)
    ap = table[(table["measure"] == "AP") & (table["threshold"] == 1) & table["status"].isin(SOLVED)].sample(
        100, replace=True, random_state=1
    )
    ap = ap.assign(query_id=rng.integers(30, size=100).astype(str), rms=rng.random(100))
    sums, sizes = (ap.groupby("query_id")["rms"].agg(how).to_numpy(dtype=float) for how in ("sum", "size"))
    interval = bootstrap(
        (sums, sizes),
        lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=20_000,
        rng=0,
    ).confidence_interval
    row = me.summarize(ap, replicates=20_000).iloc[0]
    assert row["rms_low"] == pytest.approx(interval.low, abs=2e-3)
    assert row["rms_high"] == pytest.approx(interval.high, abs=2e-3)


def test_a_measure_with_several_names_has_one_place_in_the_league(table: pd.DataFrame) -> None:
    league = me.league(table)
    overall = league[league["threshold"] == 0].set_index("measure")
    assert overall.loc["AP", "same"] == "GAP(g=1,0)"
    assert "GAP(g=1,0)" not in overall.index
    assert (overall.drop(index="AP")["same"] == "").all()
    assert overall["rank"].tolist() == list(range(1, len(overall) + 1))
    assert (overall["rank_low"] <= overall["rank"]).all()
    assert (overall["rank"] <= overall["rank_high"]).all()


def test_measures_are_equally_good_if_they_print_alike(table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "AP"]
    errors = {"AP": 0.0, "same": 0.0, "alike": 2e-6, "worse": 1e-4}
    every = [rows.assign(measure=name, rms=0.2 + error) for name, error in errors.items()]
    assert compare(pd.concat(every)).best() == {"AP", "same", "alike"}


STUDY = ["run_id", "query_id", "measure", "threshold", "status", "rms"]
TABLES: dict[str, tuple[Callable[[pd.DataFrame], object], list[str]]] = {
    "summarize": (me.summarize, [*STUDY, "mae"]),
    "league": (me.league, STUDY),
    "choose_from": (me.studies.choose_from, STUDY),
    "held_out": (me.studies.held_out, STUDY),
    "left_out": (me.left_out, ["run_id", "query_id", "measure", "status"]),
    "summarize_predictions": (
        me.studies.summarize_predictions,
        ["run_id", "query_id", "measure", "target", "status", "actual", "predicted"],
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_without_a_column_are_refused_in_a_line(name: str) -> None:
    function, columns = TABLES[name]
    for column in columns:
        table = pd.DataFrame({other: [1] for other in columns if other != column})
        with refused(me.errors.InputError):
            function(table)
    with refused(me.errors.InputError):
        function([1])  # type: ignore[arg-type]
