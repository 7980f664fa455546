"""Grades that a measure does not tell apart are solved as one: nobody may notice."""

import dataclasses

import numpy as np
import pytest

from maxent.measures import AP, GAP, Measure, nPrecision, nRecall, parse_measure
from maxent.problem import COUNTS, Count, Problem
from maxent.solvers import solve, solve_many
from maxent.solvers.alike import deal_out
from maxent.solvers.interior import Interior, expand
from maxent.solvers.newton import solve_newton


@pytest.mark.parametrize("measure", [nPrecision(), nRecall(), GAP(g=(1.0, 0.0)), AP()])
def test_lists_full_of_grades_that_are_alike_have_one_value(measure: Measure) -> None:
    """A normalisation divides by next to nothing there, if it does not notice."""
    for counts in [(2.5, 1.499999999999996), (4.0, 0.0)]:
        problem = Problem(measure, value=1.0, relevant=counts, retrieved=counts, depth=4)
        low, high = problem.interval
        assert low == high
        assert solve(dataclasses.replace(problem, value=low)).status == "boundary"
        below = solve(dataclasses.replace(problem, value=low - 0.1))
        assert (below.status, below.certificate.accepted) == ("infeasible", True)


ALIKE = ("AP", "AP(rel=3)", "GAP(g=0,.5,0,.5)", "xGAP(g=0,0,0,1)", "eGAP(g=.5,0,0,.5)", "P@10", "nRecall(rel=2)")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", [*ALIKE, "gAP(gain=1,1,2,2)", "nDCG(gain=1,2,1,2)"])
@pytest.mark.parametrize("share", [0.03, 0.3, 0.9])
def test_grades_that_are_alike_are_solved_as_one(text: str, count: Count, share: float) -> None:
    """The same p and multipliers as with every grade for itself, alone and in a batch."""
    counts = (4.0, 3.0, 6.5, 2.0)
    problem = Problem(parse_measure(text), value=0.0, relevant=counts, retrieved=counts, depth=60, count=count)
    low, high = problem.interval
    problem = dataclasses.replace(problem, value=low + share * (high - low))
    assert len(problem.classes) < len(problem.present)
    apart = Interior(problem)
    p, multipliers = expand(apart, solve_newton(apart))
    for found in (solve(problem), *solve_many([problem, dataclasses.replace(problem)])):
        assert found.status == "optimal"
        assert found.certificate.accepted
        np.testing.assert_allclose(found.p, p, atol=1e-9)
        np.testing.assert_allclose(found.multipliers.counts, multipliers.counts, atol=1e-8)
        assert found.multipliers.value == pytest.approx(multipliers.value, rel=1e-7)


@pytest.mark.parametrize("text", ["AP", "GAP(g=0,1)"])
def test_bounds_of_alike_grades_that_are_not_reached(text: str) -> None:
    """Documents are dealt out by their bounds only where these are reached; here 30 would do for five."""
    problem = Problem(parse_measure(text), value=0.05, relevant=(30.0, 2.0), depth=40, count="at_most")
    solution = solve(problem)
    assert (solution.status, solution.certificate.accepted) == ("optimal", True)
    assert solution.p[:, 1].sum() < 29
    assert solution.p[:, 2].sum() < 2 + 1e-6


def test_bounds_above_what_newtons_method_leaves_of_a_class() -> None:
    """Q near its largest value: 1e-307 of the documents that are worth as little as irrelevant ones."""
    relevant, retrieved = (28.66, 20.49, 18.42, 22.98, 21.27), (1.0, 0.0, 0.0, 0.0, 0.0)
    measure = parse_measure("Q(beta=0.7317226905392302,gain=0.001,0.002,0,0.001,0.001)")
    value = 0.021413276230985177
    problem = Problem(measure, value=value, relevant=relevant, retrieved=retrieved, depth=2, count="at_most")
    for solution in (solve(problem), *solve_many([problem], progress=False)):
        assert (solution.status, solution.certificate.accepted) == ("optimal", True)


@pytest.mark.parametrize("left", [0.0, 1e-307])
def test_dealing_out_what_is_not_there(left: float) -> None:
    p = np.array([[[left, 1 - left, 0.0]]])
    for classes in (((0, 2), (1,)), ((0,), (1, 2))):
        found, multipliers = deal_out(classes, np.array([[2.0, 3.0]]), p, np.zeros((1, 2)))
        np.testing.assert_allclose(found.sum(axis=2), 1.0)
        assert np.isfinite(multipliers).all()
