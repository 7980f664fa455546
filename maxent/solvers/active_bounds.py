"""Problems with intervals: a search for the active bounds, by problems that have only values.

At the optimum a bound is inactive, with multiplier 0, or active: it holds with equality, and its multiplier is at
least 0 at a lower bound and at most 0 at an upper one. The search activates violated bounds, the worst first, and
releases bounds with a wrong sign. For linear measures and over lists the problem is convex, and these conditions
suffice. Among the sets tried are those of Lawson and Hanson (1974, chapter 23) within the bounds active at the
optimum. They terminate, and each is feasible: the optimum has all these values. For a measure with a pairwise part
over ranks the result is a stationary point, as for given values.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from maxent.problem import Problem, Solution
from maxent.problem.certificate import Status, bounds_missed, make_multipliers
from maxent.problem.linear_program import unattainable
from maxent.texts import NOTHING
from maxent.types import FloatArray

VIOLATED = 1e-10  # share of the range of a measure by which a bound must be missed to be made active
MOST = 300  # sets of active bounds that are tried

Active = frozenset[tuple[int, int]]  # measures by index, and 0 for the lower bound or 1 for the upper


def solve_intervals(problem: Problem, solve: Callable[[Problem], Solution], *, lists: bool) -> Solution:
    """Solve a problem over lists or ranks; ``solve`` is for problems without intervals."""
    if not problem.has_intervals:
        return solve(problem)
    if not lists:
        problem.forms  # noqa: B018 (raises MeasureError for a cascade)
    bounds = problem.bounds
    waiting = [Active()]
    tried = dict[Active, Solution]()
    impossible = False
    while waiting and len(tried) < MOST and not impossible:
        active = waiting.pop()
        solution = tried[active] = solve(problem.with_active({k: float(bounds[k, upper]) for k, upper in active}))
        if solution.status in NOTHING:
            impossible = bool(active and not lists and (solution.problem.beyond or unattainable(problem)))
            continue
        solution = solution.widened(problem)
        missed = bounds_missed(problem, solution.distribution.expected(problem.expectations))
        further = list(_next_sets(active, solution.multipliers.values, missed))
        if not further:
            return replace(solution, iterations=sum(solution.iterations for solution in tried.values()))
        waiting += [new_set for new_set in further if new_set not in tried]
    exhausted = lists and not waiting and all(solution.status != "failed" for solution in tried.values())
    return _failure(problem, tried, impossible or exhausted)


def _next_sets(active: Active, numbers: Sequence[float], missed: FloatArray) -> Iterator[Active]:
    """Sets of active bounds to try next, the best last; none if ``active`` is optimal."""
    if wrong := [(k, upper) for k, upper in active if (numbers[k] > 0 if upper else numbers[k] < 0)]:
        yield from (active - {bound} for bound in sorted(wrong, key=lambda bound: abs(numbers[bound[0]])))
        return
    holding = {k for k, _ in active}
    violated = [(missed[k, upper], (k, upper)) for k, upper in np.argwhere(missed > VIOLATED).tolist()]
    yield from (active | {bound} for _, bound in sorted(violated) if bound[0] not in holding)


def _failure(problem: Problem, tried: Mapping[Active, Solution], impossible: bool) -> Solution:
    """Solution without distribution; its message names the first infeasible set of bounds."""
    active, solution = next((pair for pair in tried.items() if pair[1].status in NOTHING), [*tried.items()][-1])
    names = [f"{problem.measure.parts[k]} = {problem.values[k]:.10g}" for k, _ in sorted(active)]
    message = f"no distribution with {' and '.join(names)}: {solution.message}" if names else solution.message
    none = make_multipliers(problem, np.full(len(problem.values) + problem.levels, np.nan))
    status: Status = "infeasible" if impossible else "failed" if names else solution.status
    return replace(solution, status=status, multipliers=none, message=message, interval_problem=problem)
