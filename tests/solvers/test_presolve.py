"""Problems that need no solver."""

import dataclasses

import numpy as np
import pytest

from maxent.measures import AP, Measure, P, Rprec, nDCG, parse_measure
from maxent.problem import COUNTS, Count, Problem
from maxent.solvers import solve
from tests.golden.messages import as_golden
from tests.helpers import MEASURES, at


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("measure", [*MEASURES, "GAP(g=1,0)", "nDCG(gain=0,1)@5", "nDCG(gain=2,2)"])
def test_both_ends_have_a_limiting_distribution(measure: str, count: Count) -> None:
    for share in (0.0, 1.0):
        solution = solve(at(measure, share, count=count))
        assert solution.certificate.accepted, solution.certificate
        if not solution.problem.ends[int(share)].exact and solution.status == "optimal":
            continue  # other distributions than the list have its value
        assert solution.status == "boundary", solution.message
        assert abs(solution.multipliers.value) == np.inf
        # approached from inside: the boundary distribution is the limit
        near = solve(at(measure, abs(share - 1e-8), count=count))
        if near.status == "optimal":
            assert near.entropy == pytest.approx(solution.entropy, abs=0.2)


def test_beyond_the_ends_is_infeasible_and_says_the_interval() -> None:
    for share in (-0.01, 1.01):
        solution = solve(at("GAP(g=.5,.5)", share))
        assert solution.status == "infeasible"
        assert not solution.certificate.accepted
        assert np.isnan(solution.p).all()
        low, high = (end.value for end in solution.problem.ends)
        assert f"{low:.10g} to {high:.10g}" in solution.message


def test_more_relevant_documents_than_ranks() -> None:
    problem = Problem(AP(), value=0.5, relevant=(8, 5), depth=10, count="total")
    solution = solve(problem)
    assert solution.status == "infeasible"
    as_golden(solution.message)
    assert not solution.certificate.accepted
    assert solve(dataclasses.replace(problem, count="at_most")).status == "optimal"


def test_the_total_reading_can_be_infeasible_where_the_others_are_not() -> None:
    """A list that misses most relevant documents: its nDCG is below what all of them would attain at the bottom."""
    grades = np.zeros(1000, dtype=int)
    grades[[100, 200]] = 1, 2
    m = nDCG(gain="exp2")
    status = {count: solve(Problem.of_list(m, grades, (60, 40), count=count)).status for count in COUNTS}
    assert status == {"retrieved": "optimal", "total": "infeasible", "at_most": "optimal"}


@pytest.mark.parametrize(
    ("measure", "relevant", "retrieved", "depth", "value"),
    [
        ("AP", (0, 0), (0, 0), 5, 0.0),  # nothing relevant
        ("GAP(g=.5,.5)", (4, 0), (0, 0), 5, 0.0),  # nothing retrieved
        ("GAP(g=0,1)", (4, 0), (2, 0), 5, 0.0),  # all of g on an absent grade
        ("nDCG", (5, 0), (5, 0), 5, 1.0),  # every rank relevant, one grade
        ("AP", (2, 3), (2, 3), 5, 1.0),  # every rank relevant, two grades of equal worth
        ("P@10", (2, 1), (2, 1), 5, 0.3),  # cutoff beyond the depth
        ("AP", (1,), (1,), 1, 1.0),  # one rank
        ("GAP(g=1)", (3,), (0,), 1, 0.0),
    ],
)
def test_values_that_leave_no_choice(
    measure: str, relevant: tuple[int, ...], retrieved: tuple[int, ...], depth: int, value: float
) -> None:
    problem = Problem(parse_measure(measure), value=value, relevant=relevant, retrieved=retrieved, depth=depth)
    solution = solve(problem)
    assert solution.status == "boundary"
    assert solution.multipliers.value == 0
    assert solution.certificate.accepted
    np.testing.assert_allclose(solution.p, np.tile(solution.p.mean(axis=0), (depth, 1)), atol=1e-15)


@pytest.mark.parametrize(
    ("measure", "value", "relevant"),
    [(P(cutoff=3), 0.9999999999989999, 24.479999999997002), (Rprec(), 0.7698229407234564, 3.896999999997)],
)
def test_lists_full_but_for_rounding_have_the_value_of_their_counts(
    measure: Measure, value: float, relevant: float
) -> None:
    """2.999999999997 documents in three ranks: the end is theirs, not that of three documents."""
    problem = Problem(measure, value=value, relevant=(relevant,), retrieved=(2.999999999997,), depth=3)
    assert solve(problem).status == "boundary"
