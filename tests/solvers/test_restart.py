"""Where Newton's method does not arrive: another start, and proximal steps."""

import dataclasses

import numpy as np
import pytest

from maxent.measures import wAP
from maxent.problem import Problem
from maxent.solvers import ReducedProblem, mixture, solve, sorted_list
from tests.solvers.test_hard_problems import within


@pytest.mark.parametrize("share", [0.003, 0.05, 0.5, 0.9])
def test_the_start_has_the_value_and_the_counts(share: float) -> None:
    reduced = ReducedProblem.of(within(wAP(), share, (9, 3)))
    p = mixture(reduced)
    assert p.min() > 0
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(p[:, 1:].sum(axis=0), (9, 3))
    assert reduced.form.expected(p[:, 1:]) == pytest.approx(reduced.value, abs=1e-9)


def test_beyond_the_sorted_list_the_start_is_next_to_it() -> None:
    reduced = ReducedProblem.of(Problem(wAP(), value=1.001, relevant=(4, 2), retrieved=(4, 2), depth=200))
    p = mixture(reduced)
    assert p.min() > 0
    np.testing.assert_allclose(p, sorted_list(reduced, above=True), atol=1e-8)


@pytest.mark.slow
def test_what_is_left_is_said() -> None:
    """Between the best sorted list and the bound nobody knows whether a value can be attained."""
    known = Problem(wAP(), value=0.5, relevant=(4, 2), retrieved=(4, 2), depth=6)
    best = known.ends[1]
    assert best.listed < best.value
    solution = solve(dataclasses.replace(known, value=0.999 * best.value + 0.001 * best.listed))
    assert solution.status == "failed"
    assert f"may be unattainable: sorted lists reach {best.listed:.10g}" in solution.message
    assert not solution.certificate.accepted
