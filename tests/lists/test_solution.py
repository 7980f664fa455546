import numpy as np
import pytest

from maxent.lists.curves import expected_precision
from maxent.lists.extremes import interval
from maxent.lists.solution import ListSolution, solve_lists
from maxent.lists.steps import Lists, log_odds
from maxent.measures import parse_measure
from maxent.problem import COUNTS, Count, Problem
from tests.helpers import MEASURES
from tests.lists.every_list import EveryList

ALL = (*MEASURES, "ERR", "nERR", "RR", "RR(rel=2)", "Success@3", "ERR@4")
TABLE = np.random.default_rng(5).uniform(0.2, 2.0, (9, 2))
REFERENCES = {"uniform": None, "log-uniform": "log-uniform", "table": TABLE}
EXACT = 1e-12


def problem(text: str, count: Count = "retrieved", share: float = 0.4) -> Problem:
    """Problem of nine ranks whose value lies at a share of the interval over lists."""
    measures = tuple(parse_measure(part) for part in text.split(" & "))
    own = [Problem(m, value=0.5, relevant=(3, 2), retrieved=(2, 2), depth=9, count=count) for m in measures]
    values = {}
    for part in own:
        low, high = interval(part, Lists.of(part, None), 0)
        values[part.measure] = low + share * (high - low)
    return (
        Problem(values, relevant=(3, 2), retrieved=(2, 2), depth=9, count=count)
        if len(own) > 1
        else (
            Problem(measures[0], value=values[measures[0]], relevant=(3, 2), retrieved=(2, 2), depth=9, count=count)
        )
    )


def check(solution: ListSolution, every: EveryList) -> None:
    """Compare everything that a solution says with the lists one by one."""
    wanted = solution.problem
    assert np.isclose(solution.log_z, every.log_z, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(solution.p, every.p, rtol=0, atol=EXACT)
    lengths = [high - low for low, high in solution.intervals]
    reached = np.abs(every.values @ every.weights - wanted.values)
    assert (reached <= 1e-9 * np.array(lengths) + EXACT).all()
    for k in (0, len(every.grades) // 3, len(every.grades) - 1):
        found = solution.log_likelihood(every.grades[k])
        assert found == every.log_p[k] or np.isclose(found, every.log_p[k], rtol=EXACT, atol=EXACT)
    for threshold in (1, 2):
        ranks = solution.ranks(threshold)
        one_by_one = every.ranks(threshold, len(ranks))
        np.testing.assert_allclose(ranks, one_by_one, rtol=0, atol=EXACT)
        np.testing.assert_allclose(
            expected_precision(ranks), expected_precision(one_by_one), rtol=0, atol=10 * EXACT
        )


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("text", ALL)
def test_all_lists_one_by_one(text: str, reference: str, count: Count) -> None:
    wanted = problem(text, count)
    solution = solve_lists(wanted, REFERENCES[reference])
    low, high = solution.intervals[0]
    assert solution.status == "optimal", solution.message
    every = EveryList(wanted, log_odds(REFERENCES[reference], 9, 2))
    every.weigh(solution.multipliers)
    check(solution, every)
    np.testing.assert_allclose([low, high], [every.values.min(), every.values.max()], rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("text", ["AP & P@3", "GAP(g=.5,.5) & nDCG(gain=exp2)", "AP & nDCG & RBP(p=.9)"])
def test_joints_one_by_one(text: str, reference: str) -> None:
    wanted = problem(text)
    solution = solve_lists(wanted, REFERENCES[reference])
    assert solution.status == "optimal", solution.message
    every = EveryList(wanted, log_odds(REFERENCES[reference], 9, 2))
    every.weigh(solution.multipliers)
    check(solution, every)


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("text", ALL)
def test_ends_are_the_extreme_lists(text: str, count: Count, share: float) -> None:
    wanted = problem(text, count, share)
    solution = solve_lists(wanted, "log-uniform")
    low, high = solution.intervals[0]
    every = EveryList(wanted, log_odds("log-uniform", 9, 2))
    every.weigh([0.0], np.abs(every.values[0] - (low, high)[int(share)]) <= 1e-10 * (high - low) + EXACT)
    assert solution.status == ("boundary" if high - low > EXACT else "optimal"), solution.message
    check(solution, every)
