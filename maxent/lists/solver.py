"""The solver over whole lists."""

from collections.abc import Sequence

import numpy as np

from maxent.checks import check_type
from maxent.errors import ProblemError
from maxent.lists.distribution import ListDistribution
from maxent.lists.dual import minimise
from maxent.lists.extremes import face, interval
from maxent.lists.recursion import EVERY
from maxent.lists.steps import Lists
from maxent.problem import Problem, Solution
from maxent.problem.certificate import FEASIBLE, Multipliers, Status
from maxent.problem.independent_ranks import IndependentRanks
from maxent.problem.interval import locate
from maxent.types import FloatArray, IntArray


def solve_lists(problem: Problem, *, start: FloatArray | None = None, exclude_large: bool = False) -> Solution:
    """Solve a problem over lists; the multipliers ``start`` (m,) of independent ranks are a close start.

    Too many states are an error or, with ``exclude_large``, a solution of the status ``too_large``.

    1. Lists that do not exist, or are too many. 2. Values beyond their intervals. 3. Values at ends restrict the
    lists, and have infinite multipliers. 4. Newton's method on the dual, for the others. 5. What it found.
    """
    # 1.
    check_type("a problem", problem, Problem)
    lists, m = Lists.of(problem), len(problem.expectations)
    if problem.overfull:
        return _empty_solution(problem, "infeasible", problem.overfull)
    if reason := lists.too_large():
        if not exclude_large:
            raise ProblemError(reason)
        return _empty_solution(problem, "too_large", reason)
    # 2.
    intervals = tuple(interval(lists, j) for j in range(m))
    if reason := beyond_intervals(problem, intervals):
        return _empty_solution(problem, "infeasible", reason)
    # 3.
    locations = [locate(value, *ends) for value, ends in zip(problem.values, intervals, strict=True)]
    allowed: IntArray = EVERY
    multipliers = np.zeros(m)  # those of values inside follow in step 5
    for j, location in enumerate(locations):
        if location in ("low", "high"):
            extreme_steps = face(lists, j, above=location == "high")
            allowed = extreme_steps if not len(allowed) else allowed & extreme_steps
            multipliers[j] = np.inf if location == "high" else -np.inf
    # 4.
    free = np.array([j for j, location in enumerate(locations) if location == "inside"], dtype=np.int64)
    ends = np.array(intervals).reshape(m, 2).T
    start_multipliers = np.zeros(m)
    if start is not None:
        start_multipliers[free] = np.where(np.isfinite(start), start, 0.0)[free]
    dual = minimise(lists, np.array(problem.values), ends, free, start_multipliers, allowed)
    # 5.
    if dual.unbounded or not np.isfinite(dual.log_z):
        return _empty_solution(problem, "infeasible", "no list, and no mixture of lists, has these values together")
    if not dual.residual <= FEASIBLE:
        message = (
            f"no distribution found with {problem.known}, though there may be one: after {dual.passes} passes of "
            f"Newton's method on the dual, the expected values are {dual.residual:.2g} of their intervals off"
        )
        return _empty_solution(problem, "failed", message, dual.passes)
    multipliers[free] = dual.multipliers[free]
    distribution = ListDistribution(
        problem=problem,
        multipliers=tuple(multipliers.tolist()),
        intervals=intervals,
        lists=lists,
        dual=dual,
        allowed=allowed,
    )
    status: Status = "boundary" if len(allowed) else "optimal"
    return Solution(distribution, status, _multipliers(problem, distribution.multipliers), "lists", dual.passes)


def beyond_intervals(problem: Problem, intervals: Sequence[tuple[float, float]]) -> str:
    """Error message for the first value, or bounds, beyond the interval of its measure over lists; else empty."""
    triples = zip(problem.parts, problem.bounds.tolist(), intervals, strict=True)
    for part, (least, most), (low, high) in triples:
        # the allowed value that is nearest to the middle of the interval is outside only if all allowed ones are
        nearest = float(np.clip((low + high) / 2, least, most))
        location = locate(nearest, low, high)
        if location in ("below", "above"):
            equation = f"{part.measure} = {part.value:.10g}"
            return f"{equation} is {location} the lists' interval [{low:.10g}, {high:.10g}]"
    return ""


def _empty_solution(problem: Problem, status: Status, message: str, passes: int = 0) -> Solution:
    """Solution with NaN in place of the distribution."""
    p = np.full((problem.depth, problem.levels + 1), np.nan)
    undefined = _multipliers(problem, (np.nan,) * len(problem.parts))
    return Solution(IndependentRanks(problem, p), status, undefined, "lists", passes, message)


def _multipliers(problem: Problem, values: tuple[float, ...]) -> Multipliers:
    """Multipliers of the values; counts are conditions on lists, which have none."""
    return Multipliers(values if problem.is_joint else values[0], (np.nan,) * problem.levels)
