"""Attainable values of cascades: against all lists, many distributions, and minima found by search."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import maxent as me
from maxent.measures.cascade import Cascade
from maxent.measures.gain import ideal_shares
from maxent.problem.cascade_ends import cascade_ends
from tests import naive

MEASURES = ("ERR", "nERR@3", "ERR(gain=0,2)", "RR", "RR(rel=2)", "RR@2", "Success@2")


def balanced(rng: np.random.Generator, counts: np.ndarray, depth: int) -> np.ndarray:
    """A random distribution with these counts: a mixture of sorted lists with their ranks in another order."""
    shares = ideal_shares(rng.random(2), counts, depth)
    rows = np.column_stack((1 - shares.sum(axis=1), shares))
    weights = rng.dirichlet(np.full(6, rng.choice([0.1, 1.0])))
    return np.asarray(sum(weight * rng.permutation(rows) for weight in weights))


@given(st.sampled_from(MEASURES), st.integers(2, 5), st.integers(0, 99), st.sampled_from([1, 2, 3]))
@settings(max_examples=60, deadline=None)
def test_no_list_and_no_distribution_is_beyond_the_ends(text: str, depth: int, seed: int, parts: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(parts * depth, rng.dirichlet(np.ones(3)))[1:] / parts  # whole, halves, thirds
    problem = me.Problem(me.parse_measure(text), value=0, relevant=counts, retrieved=counts, depth=depth)
    low, high = problem.ends
    values = [problem.form.expected(balanced(rng, counts, depth)) for _ in range(20)]
    assert low.value - 1e-12 <= min(values)
    assert max(values) <= high.value + 1e-12
    assert high.exact
    assert problem.form.expected(high.p) == pytest.approx(high.value, abs=1e-12)
    np.testing.assert_allclose(high.p.sum(axis=0)[1:], counts, atol=1e-9)
    if low.exact:
        assert problem.form.expected(low.p) == pytest.approx(low.value, abs=1e-12)
    lists = naive.all_lists(depth, 2)
    bounded = me.Problem(problem.measure, value=0, relevant=counts, depth=depth, count="at_most").ends
    assert bounded[0].value == 0
    fits = np.all([(lists == i).sum(axis=1) <= counts[i - 1] for i in (1, 2)], axis=0)
    assert problem.form.evaluate(lists[fits]).max() <= bounded[1].value + 1e-12
    for end in bounded:
        assert problem.form.expected(end.p) == pytest.approx(end.value, abs=1e-12)
        assert (end.p.sum(axis=0)[1:] <= counts + 1e-9).all()


def test_relevance_spread_over_ranks_may_be_found_later_than_in_any_list() -> None:
    """One relevant document at three ranks: RR is 1/3 or more in a list; 0.3125 if it is at rank 2 in a quarter."""
    problem = me.Problem(me.RR(), value=0.3, relevant=(1,), retrieved=(1,), depth=3)
    low, high = problem.ends
    assert low.listed == pytest.approx(1 / 3)
    assert high.value == 1
    assert low.value == pytest.approx((1 - (2 / 3) ** 3) / 3)
    assert not low.exact
    found = minimize(
        lambda q: problem.form.expected(np.column_stack((1 - q, q))),
        [0.2, 0.3, 0.5],
        bounds=[(0, 1)] * 3,
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
    )
    assert found.fun == pytest.approx(0.3125, abs=1e-6)
    assert low.value < found.fun < low.listed


def test_a_list_at_an_end_is_as_random_as_the_value_allows() -> None:
    known: dict[str, Any] = {"relevant": (2, 1), "retrieved": (2, 1), "depth": 6}
    first = me.solve(me.Problem(me.RR(), value=1, **known), solver="scipy")
    assert first.status == "boundary"
    np.testing.assert_allclose(first.p, np.array([[0, 2 / 3, 1 / 3], *[[0.6, 4 / 15, 2 / 15]] * 5]))
    none = me.solve(me.Problem(me.RR(cutoff=2), value=0, **known), solver="scipy")
    np.testing.assert_allclose(none.p, np.array([*[[1.0, 0, 0]] * 2, *[[0.25, 0.5, 0.25]] * 4]))
    ideal = me.solve(me.Problem.of_list(me.ERR(), [2, 1, 1, 0, 0, 0], (2, 1)), solver="scipy")
    assert ideal.entropy == 0
    for solution in (first, none, ideal):
        assert solution.certificate.accepted


def test_fractional_documents_fill_the_first_rank_in_part() -> None:
    low, high = cascade_ends(Cascade(1 / np.arange(1, 5), np.array([0.0, 1.0])), np.array([0.5]), at_most=False)
    assert high.value == 0.5
    np.testing.assert_allclose(high.p[:, 1], [0.5, 0, 0, 0])
    assert low.value < low.listed == 0.125
