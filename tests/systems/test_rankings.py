"""Rankings of systems: AP correlation, and which runs and topics take part."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.systems import better_runs, tau, topic_sets
from tests.collections import Tables
from tests.golden.messages import refused


def naive_tau_ap(estimate: list[int], truth: list[int]) -> float:
    """Yilmaz, Aslam and Robertson: walk down the estimate, count what is rightly above each item."""
    order = sorted(range(len(estimate)), key=lambda k: -estimate[k])
    total = 0.0
    for i in range(1, len(order)):
        right = sum(truth[order[j]] > truth[order[i]] for j in range(i))
        total += right / i
    return 2 / (len(order) - 1) * total - 1


@given(st.permutations(range(7)), st.permutations(range(7)))
def test_tau_ap_equals_loops(a: list[int], b: list[int]) -> None:
    assert me.systems.tau_ap(a, b) == pytest.approx(naive_tau_ap(a, b), abs=1e-12)
    assert me.systems.tau_ap(a, a) == 1
    assert me.systems.tau_ap(a, [-x for x in a]) == -1


@given(st.lists(st.integers(0, 3), min_size=2, max_size=8))
def test_tau_ap_with_ties(a: list[int]) -> None:
    if len(set(a)) == 1:
        assert np.isnan(me.systems.tau_ap(a, a))
    else:
        assert me.systems.tau_ap(a, a) == 1
        assert me.systems.tau_ap(a, [-x for x in a]) == -1
        assert np.isnan(me.systems.tau_ap(a, [0] * len(a)))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e300])
def test_scores_of_any_size_have_a_ranking(scale: float) -> None:
    a, b = np.array([1.0, 4.0, 2.0, 3.0]), np.array([2.0, 4.0, 1.0, 3.0])
    assert me.systems.tau_ap(scale * a, scale * b) == me.systems.tau_ap(a, b)
    assert tau(scale * a, scale * b) == tau(a, b)


def test_infinite_scores_have_a_ranking_and_others_that_are_no_numbers_have_none() -> None:
    a, ends = [1.0, 2.0, 2.0, 3.0], [-np.inf, 0.0, 0.0, np.inf]
    for infinite in (ends, [-np.inf, np.inf, np.inf, np.inf]):
        finite = np.clip(infinite, -1, 1)
        for agreement in (me.systems.tau_ap, tau):
            assert agreement(a, infinite) == agreement(a, finite)
            assert agreement(infinite, a) == agreement(finite, a)
    for none in ([1.0, np.nan, 2.0, 3.0], [np.inf] * 4):
        assert np.isnan(me.systems.tau_ap(none, a))
        assert np.isnan(me.systems.tau_ap(a, none))
        assert np.isnan(tau(a, none))


@pytest.mark.parametrize("scores", [[], [0.5]])
def test_a_ranking_has_two_items(scores: list[float]) -> None:
    assert np.isnan(me.systems.tau_ap(scores, scores))
    assert np.isnan(tau(scores, scores))


@pytest.mark.parametrize(("runs", "kept"), [(95, 71), (74, 55), (27, 20)])
def test_first_quartile_keeps_as_many_runs_as_in_the_paper(collection: Tables, runs: int, kept: int) -> None:
    """Table 1 of the xGAP paper."""
    few = me.collect(*collection, depth=200)
    ranks = np.arange(95)[:runs]
    grades = np.zeros((10, runs, 200), dtype=np.int16)
    grades[:, ranks, ranks] = 1
    many = replace(few, runs=tuple(map(str, ranks)), grades=grades, nonrelevant=grades == 0,
                   lengths=np.full((10, runs), 200), judged_10=np.ones((10, runs)),
                   tied=np.zeros((10, runs), dtype=bool), remarks=())  # fmt: skip
    better = better_runs(many, 0.25)
    assert better.runs == tuple(map(str, ranks[:kept]))
    assert better.grades.shape == (10, kept, 200)


def test_topic_sets(collection: Tables) -> None:
    arrays = me.collect(*collection, depth=200)
    relevant = np.array([(10, 1, 0), (9, 1, 1), (20, 0, 2), (20, 2, 3)] + [(1, 1, 1)] * 6)
    sets = topic_sets(replace(arrays, relevant=relevant), 10)
    assert {k: np.flatnonzero(v).tolist() for k, v in sets.items() if k != "all"} == {
        "few of grade 2": [0, 3], "few of grade 3": [2]
    }  # fmt: skip
    assert sets["all"].all()


def test_rankings_of_other_items() -> None:
    for estimate, truth in (([1.0, 2.0], [1.0]), (1.0, 2.0), (np.eye(2), np.eye(2))):
        with refused(me.errors.InputError):
            me.systems.tau_ap(estimate, truth)
