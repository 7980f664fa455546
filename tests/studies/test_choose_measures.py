"""Measures chosen one after the other."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.measures import as_measures
from maxent.studies import MeasureChoice, StudyOptions, choose_from_candidates
from tests.collections import Tables
from tests.golden.messages import refused

CANDIDATES = ("P@10", "AP", "nDCG", "Rprec")
OPTIONS: dict[str, Any] = {"min_retrieved": 1, "progress": False}


@pytest.fixture(scope="module")
def steps(arrays: me.data.Collection) -> pd.DataFrame:
    return me.choose_measures(arrays, candidates=CANDIDATES, size=2, **OPTIONS).table


@pytest.mark.slow
def test_every_step_adds_a_measure(arrays: me.data.Collection) -> None:
    steps = me.choose_measures(arrays, candidates=CANDIDATES, size=3, **OPTIONS).table
    assert steps["step"].tolist() == [0, 1, 2, 3]
    assert steps["measure"].tolist()[0] == "counts"
    added = steps["added"].tolist()[1:]
    assert len(set(added)) == 3
    assert set(added) <= set(CANDIDATES)
    assert steps["measure"].tolist()[3] == " & ".join(added)
    np.testing.assert_allclose(steps["difference"], steps["rms"].diff())
    assert steps["difference"][1:].between(steps["difference_low"][1:], steps["difference_high"][1:]).all()
    assert steps["rms"].between(steps["rms_low"], steps["rms_high"]).all()
    assert (steps["rms_training"].diff()[2:] < 0).all()


@pytest.mark.slow
def test_the_first_choice_is_the_best_measure_of_the_training_topics(
    collection: Tables, arrays: me.data.Collection, steps: pd.DataFrame
) -> None:
    order = np.random.default_rng(0).permutation(len(arrays.topics))
    training, held_out = ([arrays.topics[k] for k in part] for part in (order[:3], order[3:]))
    table = me.informativeness(*collection, measures=CANDIDATES, topics=training, depth=200, **OPTIONS)
    mean = table.groupby("measure")["rms"].mean()
    assert steps["added"][1] == mean.idxmin()
    assert steps["rms_training"][1] == pytest.approx(mean.min())
    others = me.informativeness(*collection, measures=["counts"], topics=held_out, depth=200, **OPTIONS)
    assert steps["rms"][0] == pytest.approx(others["rms"].mean())


def test_verdicts_are_what_the_intervals_say(steps: pd.DataFrame) -> None:
    for row in steps.iloc[1:].to_dict("records"):
        low, high = row["difference_low"], row["difference_high"]
        assert row["verdict"] == ("helps" if high < 0 else "worse" if low > 0 else "within noise")
    assert (steps["lists"] + steps["left_out"] == 4 * 2).all()  # 4 runs, 2 held-out topics


def chosen(arrays: me.data.Collection, *measures: str, size: int, **options: Any) -> MeasureChoice:
    known = OPTIONS | {"thresholds": None} | options
    return choose_from_candidates(arrays, StudyOptions.of(arrays, known, measures=as_measures(measures)), size=size)


def test_lists_that_cannot_be_used_are_counted(arrays: me.data.Collection) -> None:
    choice = chosen(arrays, "AP", "P@10", size=1, min_retrieved=3)
    steps = me.choose_measures(arrays, candidates=["AP", "P@10"], size=1, min_retrieved=3, progress=False).table
    pd.testing.assert_frame_equal(choice.steps, steps)
    assert steps["left_out"][0] > 0
    left_out = me.left_out(choice.held_out).query("reason != ''")
    assert (left_out["status"] == "too_few").all()
    assert (left_out["lists"] == steps["left_out"][0]).all()
    assert set(choice.training["measure"]) == {"AP", "P@10"}


@pytest.mark.parametrize(
    ("candidates", "topics"),
    [
        (["AP"], None),
        (["AP", "AP & P@10"], None),
        (["AP", "P@10"], ["1"]),
    ],
)
def test_choices_that_make_no_sense(candidates: list[str], topics: list[str] | None, collection: Tables) -> None:
    with refused(me.errors.ProblemError):
        me.choose_measures(*collection, candidates, size=2, topics=topics, depth=200, **OPTIONS)


def test_a_measure_that_repeats_another_does_not_help() -> None:
    """Within a topic, R@10 is P@10 times 10 / R: the second step changes nothing."""
    collection = me.collect(*me.simulate(systems=4, topics=10, depth=200, rng=3), depth=200)
    choice = chosen(collection, "P@10", "R@10", size=2, reading="papers", min_retrieved=1)
    assert choice.steps["verdict"].tolist() == ["", "helps", "within noise"]
    assert choice.steps["difference"][2] == pytest.approx(0, abs=1e-6)
    finding, steps = choice.finding, choice.steps.iloc[1:]
    assert finding.best == choice.steps["measure"][1]
    assert finding.differences is not None
    ends = ["added", "difference", "difference_low", "difference_high"]
    assert [tuple(row) for row in finding.differences] == [tuple(row) for row in steps[ends].to_numpy().tolist()]
    assert finding.reading == choice.scope


def test_a_choice_without_an_interval_says_how_many_topics_it_would_take(collection: Tables) -> None:
    choice = chosen(me.collect(*collection, depth=200, topics=["1", "2"]), "AP", size=1)
    assert choice.steps["verdict"].tolist() == ["", "no interval"]
    found = choice.finding
    assert (found.best, found.topics) == (None, 1)
    assert found.differences is not None
    assert [(row.name, np.isnan(row.low)) for row in found.differences] == [("AP", True)]
    assert len(found.cautions) == 1
