"""Where Newton's method does not arrive: another start, and proximal steps."""

import dataclasses

import numpy as np
import pytest

from maxent.measures import Measure, Q, muAP, wAP
from maxent.problem import Problem
from maxent.solvers import solve
from maxent.solvers.back_end_problem import ReducedProblem
from maxent.solvers.restart import mixture, sorted_list


def low(measure: Measure, share: float, counts: tuple[float, ...], depth: int = 1000) -> Problem:
    """Problem whose value lies at ``share`` of the attainable interval."""
    problem = Problem(measure, value=0.5, relevant=counts, retrieved=counts, depth=depth)
    least, most = (end.listed for end in problem.ends)
    return dataclasses.replace(problem, value=least + share * (most - least))


FAILED = [  # once: most of them before there were proximal steps
    low(wAP(), 0.07, (9, 3)),
    low(wAP(), 0.02, (9, 3)),
    low(wAP(), 0.04, (5, 4, 3)),
    low(wAP(), 0.03, (5, 4, 3)),
    low(wAP(), 0.1, (3,)),
    low(wAP(), 0.05, (2, 1)),
    low(wAP(), 0.003, (100, 50)),
    Problem(
        muAP(levels=(0.001, 0.002, 0.003, 8.669163382470401, 9.669163382470401)),
        value=0.99999411414941,
        relevant=(8.709229608935988, 0.8663439255464529, 5.449557536213562, 11.155447539366449, 1.6350000000000002),
        retrieved=(6.204229608935988, 0.2573439255464529, 3.460557536213562, 8.653447539366448, 0),
        depth=1195,
        count="at_most",
    ),
    Problem(
        muAP(levels=(1.0, 1.001, 1.0019999999999998, 6.246094613372226, 11.490189226744452, 12.490189226744452)),
        value=0.19320727928621645,
        relevant=(3.139, 1.254, 3.411, 3.913, 3.811, 1.701),
        retrieved=(1, 0, 3, 1, 1, 0),
        depth=10,
    ),
]


@pytest.mark.parametrize("problem", FAILED, ids=lambda problem: f"{problem.measure}-{problem.value:.4g}")
def test_every_value_has_a_maximum(problem: Problem) -> None:
    solution = solve(problem)
    assert solution.status == "optimal", solution.message
    assert solution.certificate.stationarity < 1e-9


@pytest.mark.parametrize("share", [0.003, 0.05, 0.5, 0.9])
def test_the_start_has_the_value_and_the_counts(share: float) -> None:
    reduced = ReducedProblem.of(low(wAP(), share, (9, 3)))
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


def test_a_list_with_multipliers_beyond_all_bounds_is_no_maximum() -> None:
    """A perfect list has the value wanted to the last digit, and stays itself however large lambda is."""
    counts = (1.0, 1.0, 14.0, 3.0, 0.0, 5.0)
    measure, value = Q(beta=1.0, gain="exp2"), 0.9999999999999999
    solution = solve(Problem(measure, value=value, relevant=counts, retrieved=counts, depth=369, count="at_most"))
    assert (solution.status, solution.certificate.accepted) == ("optimal", True)
    assert solution.entropy == pytest.approx(2.061875, abs=1e-6)
