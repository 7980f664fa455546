"""Whether linear measures can have their values together."""

from itertools import permutations

import numpy as np
import pytest

from maxent.measures import AP, P, nDCG, parse_measure
from maxent.problem import Problem, shortfall, unattainable
from maxent.solvers import solve
from tests.golden.messages import as_golden

KNOWN = {"relevant": (9, 6), "retrieved": (7, 5), "depth": 60}


@pytest.mark.parametrize("count", ["retrieved", "total", "at_most"])
def test_more_documents_in_the_first_ten_than_in_the_first_twenty(count: str) -> None:
    """P@20 = .2 are 4 documents; P@10 = .6 were 6 of them: each misses the other by as much of its range."""
    problem = Problem({P(cutoff=20): 0.2, P(cutoff=10): 0.6}, **KNOWN, count=count)  # type: ignore[arg-type]
    assert unattainable(problem)
    least = {"retrieved": (0.6, 1.0), "total": (0.75, 1.0), "at_most": (0.75, 1.0)}[count]
    ten, twenty = 0.6 * 10, 0.2 * 20
    missed = (ten - twenty) / (10 * least[1] + 20 * least[0])
    assert shortfall(problem) == pytest.approx(missed, rel=1e-6)
    solution = solve(problem)
    assert solution.status == "infeasible"
    assert not solution.certificate.accepted
    as_golden(solution.message)


def test_values_of_lists_are_attainable() -> None:
    for grades in set(permutations([2, 1, 0, 0, 1])):
        problem = Problem.of_list(parse_measure("nDCG & P@2 & DCG(discount=inverse)"), np.array(grades), (2, 1))
        assert shortfall(problem) < 1e-9


def test_no_linear_program_answers_for_pairwise_measures() -> None:
    assert not unattainable(Problem({AP(): 0.5, P(cutoff=10): 0.0}, **KNOWN))  # type: ignore[arg-type]
    assert not unattainable(Problem(nDCG(), value=0.5, **KNOWN))  # type: ignore[arg-type]
    apart = {parse_measure("GAP(g=.5,.5)"): 0.4, P(cutoff=10): 0.0}
    solution = solve(Problem(apart, relevant=(9, 6), retrieved=(7, 5), depth=1000))
    assert solution.status == "failed"
    as_golden(solution.message)
    assert not solution.certificate.accepted
