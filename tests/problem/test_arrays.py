"""Grades that stand as one, and elimination."""

import numpy as np
import pytest

from maxent.measures import GAP
from maxent.problem.arrays import unmerge


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
