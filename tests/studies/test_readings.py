"""All readings of a study from one pass, compared on common lists."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.curves.error import Align
from maxent.problem import Count
from maxent.stats.corrections import corrected
from maxent.studies.topics import SOLVED
from maxent.texts import READING

MEASURES = ["AP", "GAP(g=0.5,0.5)", "nDCG(gain=exp2)"]
Tables = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def collection() -> Tables:
    """Lists long enough for all relevant documents, which ``total`` asks for."""
    return me.simulate(systems=4, topics=5, depth=1000, rng=3)


@pytest.fixture(scope="module")
def every(collection: Tables) -> pd.DataFrame:
    return me.studies.readings(*collection, measures=MEASURES, progress=False)


@pytest.mark.parametrize("count", ["retrieved", "total", "at_most"])
@pytest.mark.parametrize("align", ["recall", "rank"])
def test_each_reading_is_the_study_with_its_options(
    count: Count, align: Align, every: pd.DataFrame, collection: Tables
) -> None:
    own = every[(every["count"] == count) & (every["align"] == align)]
    alone = me.informativeness(
        *collection, measures=MEASURES, min_retrieved=1, count=count, align=align, progress=False
    )
    pd.testing.assert_frame_equal(own[alone.columns].reset_index(drop=True), alone)


@pytest.mark.slow
def test_model_reference_and_depth_are_readings() -> None:
    runs, qrels = me.simulate(systems=2, topics=4, depth=40)
    options: dict[str, Any] = {"measures": ["AP", "P@10"], "min_retrieved": 1, "progress": False}
    every: pd.DataFrame = me.studies.readings(
        runs, qrels, counts=["retrieved"], models=["ranks", "lists"], references=[None, "log-uniform"],
        aligns=["recall", "expected"], depths=[20, 40], **options,
    )  # fmt: skip
    assert len(every) == 2**4 * 2 * 4 * 2 * 2
    for reading, own in every.groupby(READING, sort=False):
        known: dict[str, Any] = dict(zip(READING, reading, strict=True))
        known["reference"] = None if known["reference"] == "uniform" else known["reference"]
        alone = me.informativeness(runs, qrels, **known, **options)
        pd.testing.assert_frame_equal(own[alone.columns].reset_index(drop=True), alone)


def test_other_questions_have_other_checkpoints(collection: Tables, tmp_path: Path) -> None:
    """As the same one would give the answers of the first."""
    options: dict[str, Any] = {
        "measures": ["AP"],
        "min_retrieved": 1,
        "checkpoint": tmp_path / "kept",
        "progress": False,
    }
    questions: tuple[list[Align], ...] = (["recall"], ["rank"], ["rank", "recall"])
    for aligns in questions:
        found = me.studies.readings(*collection, counts=["retrieved"], aligns=aligns, **options)
        expected = me.studies.readings(
            *collection, counts=["retrieved"], aligns=aligns, **{**options, "checkpoint": None}
        )
        pd.testing.assert_frame_equal(found, expected)
    me.informativeness(*collection, **options)
    assert "predictions" in me.predict(*collection, **options).tables


def test_the_filter_can_be_applied_afterwards(every: pd.DataFrame, collection: Tables) -> None:
    strict = me.informativeness(*collection, measures=["AP"], min_retrieved=5, progress=False)
    own = every[(every["count"] == "retrieved") & (every["align"] == "recall") & (every["measure"] == "AP")]
    assert (own["fewest"] >= 5).to_numpy().tolist() == strict["status"].isin(SOLVED).tolist()


def test_linear_measures_give_the_list_the_likelihood_of_their_entropy(every: pd.DataFrame) -> None:
    """Log p is linear in counts and value there, so any list with them has log-likelihood -H; pairwise ones not."""
    own = every[(every["count"] == "retrieved") & every["status"].isin(SOLVED)]
    linear = own["measure"] == "nDCG(gain=exp2)"
    np.testing.assert_allclose(own.loc[linear, "log_likelihood"], -own.loc[linear, "entropy"], rtol=1e-6)
    assert (own.loc[~linear, "log_likelihood"] + own.loc[~linear, "entropy"]).abs().max() > 0.1


@pytest.mark.slow
def test_differences_are_paired_on_the_lists_of_every_reading(every: pd.DataFrame) -> None:
    gone = (every["count"] == "total") & (every["measure"] == "AP") & (every["query_id"] == "1")
    table = every.assign(status=every["status"].mask(gone & every["status"].isin(SOLVED), "failed"))
    summary = me.studies.summarize_readings(table, baselines=["AP", "nDCG(gain=exp2)"], min_retrieved=[1, 5, 999])
    assert set(summary["min_retrieved"]) == {1, 5}  # no list has 999
    keys = ["run_id", "query_id"]
    common = table.groupby(keys).filter(lambda own: bool(own["status"].isin(SOLVED).all()))
    assert not (common["query_id"] == "1").any()
    for row in summary.sample(12, random_state=0).to_dict("records"):
        own = common[(common["count"] == row["count"]) & (common["align"] == row["align"])]
        own = own[own["fewest"] >= row["min_retrieved"]]
        assert row["lists"] == len(own.drop_duplicates(keys))
        if row["threshold"]:
            own = own[own["threshold"] == row["threshold"]]
        means = own.groupby(["measure", "threshold"])["rms"].mean().groupby("measure").mean()
        assert row["rms"] == pytest.approx(means[row["measure"]])
        assert row["difference"] == pytest.approx(means[row["measure"]] - means[row["baseline"]])
        assert row["difference_low"] <= row["difference"] <= row["difference_high"]
        itself = row["measure"] == row["baseline"]
        assert np.isnan(row["p_value"]) == itself
        assert itself or (row["p_value"] < 0.05) == (row["difference_low"] > 0 or row["difference_high"] < 0)
    of_all = summary[summary["measure"] != summary["baseline"]]
    np.testing.assert_array_equal(of_all["p_value_corrected"], corrected(of_all["p_value"], "holm"))


def test_what_cannot_be_compared_is_an_error(every: pd.DataFrame, collection: Tables) -> None:
    with pytest.raises(me.errors.ProblemError, match="baseline P@10 is not among the measures"):
        me.studies.summarize_readings(every, baselines=["P@10"])
    with pytest.raises(me.errors.ProblemError, match="no list is solved"):
        me.studies.summarize_readings(every.assign(status="failed"))
    with pytest.raises(me.errors.ProblemError, match="at least one reading"):
        me.studies.readings(*collection, counts=[])
    with pytest.raises(me.errors.ProblemError, match="depths are at most 50"):
        me.studies.readings(me.collect(*collection, depth=50), depths=[20, 60])
