"""The structured Newton solver."""

import dataclasses
from itertools import product

import numpy as np
import pytest

from maxent.curves import ALIGNS
from maxent.kernels import Observed
from maxent.measures import AP, GAP, Measure, nPrecision, nRecall, parse_measure
from maxent.problem import COUNTS, Count, Problem, Problems, Reduced, apart, seen_of
from maxent.solvers import solve, solve_arrays, solve_many, solve_reduced
from tests.helpers import MEASURES, SHARES, at, slow_but


@pytest.mark.parametrize(("measure", "count", "share"), list(product(MEASURES, COUNTS, SHARES)))
def test_newton_is_certified(measure: str, count: Count, share: float) -> None:
    solution = solve(at(measure, share, count=count))
    assert solution.status == "optimal", solution.message
    c = solution.certificate
    assert c.accepted
    assert max(c.value_violation, c.count_violation, c.row_violation, c.stationarity) < 1e-10


@pytest.mark.parametrize("measure", slow_but(["AP", "GAP(g=.5,.5)", "nDCG@10"], MEASURES))
def test_newton_at_full_size(measure: str) -> None:
    for share in SHARES:
        solution = solve(at(measure, share, depth=1000))
        assert solution.status == "optimal", solution.message
        assert solution.certificate.stationarity < 1e-10


@pytest.mark.slow
def test_an_observed_list_is_never_infeasible() -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        grades = rng.choice(3, size=rng.integers(1, 40), p=(0.6, 0.3, 0.1))
        relevant = np.bincount(grades, minlength=3)[1:] + rng.integers(0, 4, 2)
        for text in ("AP", "GAP(g=.5,.5)", "nDCG(gain=exp2)", "P@10", "Rprec"):
            solution = solve(Problem.of_list(parse_measure(text), grades, relevant))
            assert solution.status in ("optimal", "boundary"), (text, grades, relevant, solution.message)
            assert solution.certificate.accepted


def test_a_list_without_non_relevant_documents() -> None:
    grades = np.array([1, 2, 2, 1, 1, 2])
    for text in ("GAP(g=.5,.5)", "nDCG(gain=exp2)"):
        solution = solve(Problem.of_list(parse_measure(text), grades, (3, 3)))
        assert solution.status == "optimal", solution.message
        assert (solution.p[:, 0] == 0).all()


@pytest.mark.parametrize("depth", [1, 2, 5, 20_000])
def test_depths(depth: int) -> None:
    grades = np.zeros(depth, dtype=int)
    grades[[0, depth // 2]] = 1
    for text in ("AP", "nDCG"):
        solution = solve(Problem.of_list(parse_measure(text), grades, (2,)))
        assert solution.status in ("optimal", "boundary"), solution.message


@pytest.mark.parametrize("levels", [1, 3, 5, 10])
def test_many_grades(levels: int) -> None:
    rng = np.random.default_rng(levels)
    grades = rng.choice(levels + 1, size=300, p=[0.6, *[0.4 / levels] * levels])
    relevant = np.bincount(grades, minlength=levels + 1)[1:] + 2
    for text in (f"GAP(g={','.join(['1'] + ['0'] * (levels - 1))})", "nDCG(gain=exp2)"):
        assert solve(Problem.of_list(parse_measure(text), grades, relevant)).status == "optimal"


@pytest.mark.parametrize("measure", [nPrecision(), nRecall(), GAP(g=(1.0, 0.0)), AP()])
def test_lists_full_of_grades_that_are_alike_have_one_value(measure: Measure) -> None:
    """A normalisation divides by next to nothing there, if it does not notice."""
    for counts in [(2.5, 1.499999999999996), (4.0, 0.0)]:
        problem = Problem(measure, value=1.0, relevant=counts, retrieved=counts, depth=4)
        low, high = problem.interval
        assert low == high
        assert solve(dataclasses.replace(problem, value=low)).status == "boundary"
        below = solve(dataclasses.replace(problem, value=low - 0.1))
        assert (below.status, below.certificate.accepted) == ("infeasible", False)


ALIKE = ("AP", "AP(rel=3)", "GAP(g=0,.5,0,.5)", "xGAP(g=0,0,0,1)", "eGAP(g=.5,0,0,.5)", "P@10", "nRecall(rel=2)")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", [*ALIKE, "gAP(gain=1,1,2,2)", "nDCG(gain=1,2,1,2)"])
@pytest.mark.parametrize("share", [0.03, 0.3, 0.9])
def test_grades_that_are_alike_are_solved_as_one(text: str, count: Count, share: float) -> None:
    """The same p and multipliers as with every grade for itself, alone and in a batch."""
    counts = (4.0, 3.0, 6.5, 2.0)
    problem = Problem(parse_measure(text), value=0.0, relevant=counts, retrieved=counts, depth=60, count=count)
    low, high = (end.listed for end in problem.ends)
    problem = dataclasses.replace(problem, value=low + share * (high - low))
    assert len(problem.merged_grades) < len(problem.present)
    reduced = Reduced.of(Problems.of([problem]), apart(problem.present), (0,), np.array([[problem.interval]]))
    alone = solve_reduced(reduced, coarse=False)
    assert alone.statuses.tolist() == ["optimal"]
    for found in (solve(problem), *solve_many([problem, dataclasses.replace(problem)])):
        assert found.status == "optimal"
        assert found.certificate.accepted
        np.testing.assert_allclose(found.p, alone.p[0], atol=1e-9)
        np.testing.assert_allclose(found.multipliers.counts, alone.multipliers[0, 1:], atol=1e-8)
        assert found.multipliers.value == pytest.approx(alone.multipliers[0, 0], rel=1e-7)


@pytest.mark.parametrize("text", ["AP", "GAP(g=0,1)"])
def test_bounds_of_alike_grades_that_are_not_reached(text: str) -> None:
    """Documents are dealt out by their bounds only where these are reached; here 30 would do for five."""
    problem = Problem(parse_measure(text), value=0.05, relevant=(30.0, 2.0), depth=40, count="at_most")
    solution = solve(problem)
    assert (solution.status, solution.certificate.accepted) == ("optimal", True)
    assert solution.p[:, 1].sum() < 29
    assert solution.p[:, 2].sum() < 2 + 1e-6


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", ["GAP(g=.5,.5)", "AP(rel=2)", "AP", "nDCG", "AP & P@10", "P@10", "wAP"])
def test_what_solutions_say_of_lists_comes_out_of_the_lanes(text: str, count: Count) -> None:
    """As what their distributions say: grades merged or absent, values inside and at ends, empty lists."""
    measure, relevant, rng = parse_measure(text), np.array([9, 6]), np.random.default_rng(1)
    grades = rng.choice(3, (30, 250), p=(0.97, 0.02, 0.01)) * (rng.random((30, 1)) < 0.9)
    grades[:3, 20:] = 0
    grades[3:6] = np.minimum(grades[3:6], 1)
    grades = grades[[max((own == 1).sum() - 9, (own == 2).sum() - 6) <= 0 for own in grades]]
    problems = Problems.of([Problem.of_list(measure, own, relevant, count=count) for own in grades])
    observed = Observed.of(grades, relevant, (1, 2), ALIGNS, at=(1, 7, 250))
    for (members, solutions), (_, compared) in zip(
        solve_arrays(problems), solve_arrays(dataclasses.replace(problems, observed=observed)), strict=True
    ):
        wanted = seen_of(solutions.p, observed.part(members))
        assert compared.statuses.tolist() == solutions.statuses.tolist()
        assert compared.seen
        assert not compared.p.size
        for own, other in zip(compared.seen, wanted, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-9)
