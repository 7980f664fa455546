"""Sizes that are refused before any work, and numbers that make no sense."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxent as me
from maxent.errors import InputError, ProblemError
from maxent.lists import make_topics
from tests.golden.messages import refused

BANDS: list[Any] = [0, 1, 2, -0.1, float("nan"), "0.9", None]
NUMBERS: list[Any] = [-1, 0, 1.5, "3", None]


@pytest.fixture(scope="module")
def system() -> me.lists.ImpliedSystem:
    collection = me.collect(*me.simulate(systems=2, topics=3, depth=50), depth=50)
    return me.lists.solve_averages(me.Averages({"AP": 0.3}, collection.relevant, depth=50))


def test_the_memory_of_all_topics_is_estimated_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics that could be solved one by one, but take 2.7 gigabytes together."""
    averages = me.Averages({"nDCG": 0.5}, [[28] * 4] * 40, depth=100)
    with refused(ProblemError):
        me.lists.solve_averages(averages)
    monkeypatch.setenv("MAXENT_LIMITS", "no-memory")
    assert len(make_topics(averages)) == 40


def test_a_topic_with_too_many_states_is_named() -> None:
    averages = me.Averages({"nDCG": 0.5}, [[2] * 3, [900] * 3], topics=["small", "large"], depth=200)
    with refused(ProblemError):
        me.lists.solve_averages(averages)


@pytest.mark.parametrize("known", [{"AP": 0.3}, {"nDCG": 0.5, "ERR": 0.3}])
def test_the_estimate_is_that_of_the_arrays(known: dict[str, float]) -> None:
    (topic,) = make_topics(me.Averages(known, [[60, 60]], depth=100))
    steps = topic.lists.steps
    assert topic.lists.memory == pytest.approx(topic.lists.states.nbytes + steps.k.nbytes + steps.X.nbytes, rel=0.1)


@pytest.mark.parametrize("band", BANDS)
def test_a_band_is_a_probability(band: Any, system: me.lists.ImpliedSystem) -> None:
    solution = me.solve(me.Problem(me.AP(), value=0.5, relevant=(3,), retrieved=(3,), depth=9))
    calls: list[Callable[[], object]] = [
        lambda: system.predict(["P@10"], band=band),
        lambda: system.curve(band=band),
        lambda: system.levels(band=band),
    ]
    if band is not None:
        calls.append(lambda: me.inferred_curve(solution, band=band))
    for call in calls:
        with refused(ProblemError):
            call()


def test_random_lists_are_a_number_that_memory_holds(system: me.lists.ImpliedSystem) -> None:
    known: dict[str, Any] = {"value": 0.5, "relevant": (3,), "retrieved": (3,), "depth": 9}
    solutions = [me.solve(me.Problem(me.AP(), **known), model=model) for model in ("ranks", "lists")]
    two: Any = np.int64(2)
    for sample in (system.sample, *(solution.sample for solution in solutions)):
        assert len(sample(two)) == 2
        for number in NUMBERS:
            with refused(ProblemError):
                sample(number)
        with refused(ProblemError):
            sample(10**12)


@pytest.mark.parametrize("known", [[("AP", 0.3)], "AP", None, 3])
def test_averages_are_a_mapping(known: Any) -> None:
    with refused(ProblemError):
        me.Averages(known, [[1]])


@pytest.mark.parametrize("table", [[1], None, pd.Series([0.3], name="AP"), pd.DataFrame({"AP": []})])
def test_a_table_of_results_has_rows(table: Any) -> None:
    with refused(InputError):
        me.reported(table, {"1": {"a": 1}})
