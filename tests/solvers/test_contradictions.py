"""Values that exclude each other, held against linear programs over all lists, one by one."""

import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.special import softmax

from maxent.measures import parse_measure
from maxent.measures.joint import joint
from maxent.problem import Model, Problem
from maxent.solvers import solve
from maxent.types import FloatArray
from tests.golden.messages import as_golden
from tests.lists.every_list import EveryList

LINEAR = ("P@1", "P@2", "P@3", "R@4", "nDCG", "nDCG(gain=exp2)@3", "RBP(p=.8)", "CG@2", "P(rel=2)@2")
PAIRWISE = ("AP", "AP(rel=2)", "GAP(g=.3,.7)", "xGAP(g=.5,.5)", "Q", "AP@3")
CASCADES = ("RR", "RR@3", "Success@2", "ERR")
LOGITS = (-40.0, -1.0, 0.0, 0.7, 40.0)
CLEAR = 1e-5  # violations below are too small to tell, those above are certain


@st.composite
def problems(draw: st.DrawFn, texts: tuple[str, ...]) -> Problem:
    """Problems whose values are each attainable, or nearly, and seldom all together."""
    depth = draw(st.integers(3, 6))
    relevant = draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    names = draw(st.lists(st.sampled_from(texts), min_size=2, max_size=4, unique=True))
    count: Any = draw(st.sampled_from(["total", "at_most"] if sum(relevant) <= depth else ["at_most"]))
    lists = EveryList(Problem(relevant=relevant, depth=depth, count=count), np.zeros((depth, 2))).grades
    values: dict[Any, Any] = {}
    for measure in map(parse_measure, names):
        attained = np.unique(measure.values(lists, relevant))
        value = draw(st.sampled_from(attained.tolist())) + draw(st.sampled_from([0.0, 0.0, -0.1, 0.1]))
        width = draw(st.sampled_from([0.01, 0.1]))
        bounds = [value, (value, None), (None, value), (value - width, value + width)]
        values[measure] = draw(st.sampled_from(bounds))
    return Problem(values, relevant=relevant, depth=depth, count=count)


def part(problem: Problem, measures: Any) -> Problem:
    """The problem with some of its measures."""
    parts = [problem.parts[k] for k in measures]
    return replace(problem, measure=joint(tuple(p.measure for p in parts)), value=tuple(p.value for p in parts))


def missed(problem: Problem, *, lists: bool, spread: bool = False) -> float:
    """Least by which any mixture of lists misses bounds; over ranks, of lists of any counts with these means.

    With ``spread``, the variances of the counts are those that independent ranks can have.
    """
    if lists:
        grades = EveryList(problem, np.zeros((problem.depth, problem.levels))).grades
    else:
        grades = np.array(list(product(range(problem.levels + 1), repeat=problem.depth)))
    rows = [measure.values(grades, problem.relevant) for measure in problem.measure.parts]
    low, high = problem.bounds.T
    if not lists:  # numbers of documents, of a grade or of both
        numbers = np.array([*((grades == grade).sum(axis=1) for grade in (1, 2)), (grades > 0).sum(axis=1)])
        exact, counts = problem.count != "at_most", np.append(problem.counts, problem.counts.sum())
        rows += [*numbers, *numbers**2]
        squares = counts + counts**2 * (1 - 1 / problem.depth) if spread else np.full(len(counts), np.inf)
        high = np.concatenate((high, counts, squares))
        low = np.concatenate((low, np.where(exact, counts, -np.inf), np.where(exact, counts**2, -np.inf)))
    return least_missed(np.array(rows), low, high)


def least_missed(values: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Least by which mixtures of columns of values miss bounds."""
    sides = [(values[k], high[k]) for k in np.flatnonzero(high < np.inf)]
    sides += [(-values[k], -low[k]) for k in np.flatnonzero(low > -np.inf)]
    number = values.shape[1]
    optimum = linprog(
        np.append(np.zeros(number), 1.0),
        A_ub=np.array([np.append(row, -1.0) for row, _ in sides]),
        b_ub=[limit for _, limit in sides],
        A_eq=np.append(np.ones(number), 0.0)[None],
        b_eq=[1.0],
        options={"primal_feasibility_tolerance": 1e-10},
    )
    assert optimum.status == 0
    return float(optimum.fun)


def check(problem: Problem, model: Model) -> None:
    """A set that is named cannot hold, and can without any of its values; a failure has its reason."""
    lists = model == "lists"
    solution = solve(problem, model=model)
    least = missed(problem, lists=lists)
    if least > CLEAR:
        assert solution.status == "infeasible", solution.message
    if solution.status == "failed":
        assert "though there may be one" in solution.message
    if solution.status != "infeasible":
        return
    pairs = zip(problem.measure.parts, problem.values, strict=True)
    patterns = [rf"(^| ){re.escape(f'{measure} = {value:.10g}')}(:| is | and )" for measure, value in pairs]
    named = [k for k, pattern in enumerate(patterns) if re.search(pattern, solution.message)]
    assert named, solution.message
    assert missed(part(problem, named), lists=lists, spread=True) > 0
    for k in named if len(named) > 1 else ():
        assert missed(part(problem, [j for j in named if j != k]), lists=lists) < CLEAR


@given(problem=problems(LINEAR + PAIRWISE + CASCADES))
def test_over_lists_the_named_values_exclude_each_other(problem: Problem) -> None:
    check(problem, "lists")


@given(problem=problems(LINEAR))
def test_over_ranks_the_named_values_exclude_each_other(problem: Problem) -> None:
    check(problem, "ranks")


@given(problem=problems(LINEAR + PAIRWISE))
def test_over_ranks_with_pairwise_measures_too(problem: Problem) -> None:
    check(problem, "ranks")


@given(
    logits=arrays(
        np.float64,
        st.tuples(st.integers(2, 7), st.just(3)),
        elements=st.sampled_from([-40.0, -1.0, 0.0, 0.7, 40.0]),
    ),
    names=st.lists(st.sampled_from(LINEAR + PAIRWISE), min_size=2, max_size=4, unique=True),
    count=st.sampled_from(["total", "at_most"]),
)
def test_values_of_independent_ranks_are_never_infeasible(logits: FloatArray, names: list[str], count: Any) -> None:
    p = softmax(logits, axis=1)
    relevant = tuple(p[:, 1:].sum(axis=0))
    measures = [parse_measure(name) for name in names]
    values = {measure: measure.expected(p, relevant) for measure in measures}
    solution = solve(Problem(values, relevant=relevant, depth=len(p), count=count))
    assert solution.status != "infeasible", solution.message


@pytest.mark.parametrize("solver", ["scipy", "cvxpy"])
def test_other_back_ends_name_values_too(solver: str) -> None:
    values = {parse_measure(name): value for name, value in {"AP": 0.4, "P@2": 0.9, "P@5": 0.2}.items()}
    solution = solve(Problem(values, relevant=(4,), retrieved=(4,), depth=12), solver=solver)
    assert solution.status == "infeasible"
    as_golden(solution.message)


@pytest.mark.parametrize(
    ("values", "count", "named"),
    [
        ({"Success@2": 0.0, "RR@3": (1, None)}, "at_most", "Success@2 = 0 and RR@3 = 1 or more"),
        ({"P@2": 1.0, "RR@3": (None, 0.505)}, "total", "P@2 = 1 and RR@3 = 0.505 or less"),
        ({"P@2": 1.0, "RR@3": 0.505}, "total", "P@2 = 1 and RR@3 = 0.505"),
        ({"nDCG": (0.1, None), "P@2": 1.0, "RR@3": 0.505}, "total", "P@2 = 1 and RR@3 = 0.505"),
    ],
)
def test_an_exact_value_is_named_beside_a_bound(values: Any, count: Any, named: str) -> None:
    measured = {parse_measure(name): value for name, value in values.items()}
    solution = solve(Problem(measured, relevant=(2,), depth=3, count=count), model="lists")
    assert solution.status == "infeasible"
    assert solution.message.startswith(f"no distribution with {named}: ")


@pytest.mark.parametrize("model", ["ranks", "lists"])
def test_a_search_without_end_says_what_is_missed(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxent.solvers.active_bounds.MOST", 1)
    problem = Problem({parse_measure("P@2"): (0.9, None)}, relevant=(4,), retrieved=(4,), depth=12)
    solution = solve(problem, model=model)
    assert solution.status == "failed"
    assert not solution.certificate.accepted
    as_golden(solution.message)
