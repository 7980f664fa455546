"""Cascades (ERR, nERR, RR, Success): derivatives against differences and plain loops."""

from operator import methodcaller

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maxent as me
from maxent.measures import Cascade
from tests.measures.test_measures import Topic, topics


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@given(topics(most_depth=7, wanted=methodcaller("is_cascade")), st.data())
def test_derivative_equals_the_difference_that_a_certain_grade_makes(topic: Topic, data: st.DataObject) -> None:
    """The value is linear in each row, so that this is exact, also where ranks are certain to stop the user."""
    measure, _, depth, relevant, _ = topic
    weights = st.lists(st.integers(0, 3), min_size=len(relevant) + 1, max_size=len(relevant) + 1).filter(any)
    rows = data.draw(st.lists(weights, min_size=depth, max_size=depth))
    p = np.array([[x / sum(row) for x in row] for row in rows])
    w = measure.expectation(relevant, len(p)).gradient(p)
    for n, i in np.ndindex(p.shape):
        certain = np.array([p, p])
        certain[:, n] = np.eye(p.shape[1])[[i, 0]]
        difference = measure.expected(certain[0], relevant) - measure.expected(certain[1], relevant)
        assert w[n, i] - w[n, 0] == pytest.approx(difference, abs=1e-12)


def coefficients(text: str, depth: int, relevant: tuple[int, ...] = (4, 3)) -> Cascade:
    found = me.parse_measure(text).expectation(relevant, depth)
    assert isinstance(found, Cascade)
    return found


@pytest.mark.parametrize("text", ["ERR", "RR", "Success@1500"])
@pytest.mark.parametrize("share", [1e-9, 0.01, 0.9, 1 - 1e-15])
def test_derivatives_keep_their_digits_down_a_long_list(text: str, share: float, rng: np.random.Generator) -> None:
    """Against the recursion V_n = u_n r_n + (1 - r_n) V_n+1 of what is still to be gained."""
    cascade, depth = coefficients(text, 2000), 2000
    p = np.zeros((depth, 3))
    p[:, 1], p[:, 2] = share * rng.random((2, depth)) / 2
    p[:, 0] = 1 - p[:, 1:].sum(axis=1)
    stops, still, passed = p @ cascade.stops, np.zeros(depth + 1), np.cumprod(1 - p @ cascade.stops)
    for n in range(depth - 1, -1, -1):
        still[n] = cascade.weights[n] * stops[n] + (1 - stops[n]) * still[n + 1]
    w = np.concatenate(([1.0], passed[:-1])) * (cascade.weights - still[1:])
    assert cascade.expected(p) == pytest.approx(still[0], rel=1e-12)
    np.testing.assert_allclose(cascade.gradient(p)[:, 2], w * cascade.stops[2], rtol=1e-9, atol=1e-15)


def test_many_distributions_at_once(rng: np.random.Generator) -> None:
    cascade = coefficients("nERR@6", 8)
    p = rng.dirichlet(np.ones(3), (2, 3, 8))
    p[0, 0, 2] = p[1, 1, 0] = (0, 0, 1)
    values = [[cascade.expected(own) for own in row] for row in p]
    np.testing.assert_allclose(cascade.expected_values(p), values, rtol=1e-14)
    derivatives = [[cascade.gradient(own) for own in row] for row in p]
    np.testing.assert_allclose(cascade.gradient(p), derivatives, rtol=1e-14)
