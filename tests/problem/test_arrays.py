"""Grades that stand as one, and elimination."""

import numpy as np
import pytest

from maxent.measures import AP, GAP
from maxent.problem import Problem, Problems, unmerge


def test_elimination_keeps_the_value() -> None:
    """Any grade may be the eliminated grade: the reduced form differs by a constant."""
    rng = np.random.default_rng(0)
    form = GAP(g=(0.2, 0.5, 0.3)).form((3, 2, 2), 6)
    p, q = rng.dirichlet(np.ones(4), 6), rng.dirichlet(np.ones(4), 6)
    for present in ((0, 1, 2, 3), (2, 0, 1, 3), (3, 2, 1, 0)):
        reduced, constant = form.eliminate(present)
        rest = list(present[1:])
        assert reduced.expected(p[:, rest]) + constant == pytest.approx(form.expected(p), abs=1e-14)
        assert reduced.expected(q[:, rest]) + constant == pytest.approx(form.expected(q), abs=1e-14)
        only = np.full(6, present[0])
        assert constant == pytest.approx(form.evaluate(only), abs=1e-14)


@pytest.mark.parametrize("left", [0.0, 1e-307])
def test_dealing_out_what_is_not_there(left: float) -> None:
    p = np.array([[[left, 1 - left]]])
    for merged in (((0, 2), (1,)), ((0,), (1, 2))):
        found, multipliers = unmerge(merged, np.array([[2.0, 3.0]]), p, np.zeros((1, 2)))
        np.testing.assert_allclose(found.sum(axis=2), 1.0)
        assert np.isfinite(multipliers).all()


def test_patterns_of_many_grades() -> None:
    """Each list lacks another grade of 99; the first and the last have the same ones."""
    lacking = [*range(99), 0]
    counts = [[float(grade != own) for grade in range(99)] for own in lacking]
    problems = [Problem(AP(), value=0.5, relevant=(1.0,) * 99, retrieved=own, depth=200) for own in counts]
    found = Problems.of(problems).patterns
    assert [members for _, _, members in found] == [[0, 99], *([k] for k in range(1, 99))]
    assert found[7][1] == tuple(grade for grade in range(100) if grade != 8)
