"""Problems with intervals: a search for the active bounds, by problems that have only values.

At the optimum a bound is inactive, with multiplier 0, or active: it holds with equality, and its multiplier is at
least 0 at a lower bound and at most 0 at an upper one. The search activates violated bounds, the worst first, and
releases bounds with a wrong sign. For linear measures and over lists the problem is convex, and these conditions
suffice. Among the sets tried are those of Lawson and Hanson (1974, chapter 23) within the bounds active at the
optimum. They terminate, and each is feasible: the optimum has all these values. For a measure with a pairwise part
over ranks the result is a stationary point, as for given values.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from maxent.problem import Problem, Solution
from maxent.problem.certificate import bounds_missed
from maxent.shown import NOTHING
from maxent.solvers.contradictions import proved_infeasible
from maxent.solvers.presolve import infeasible_solution
from maxent.texts import many
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
    reason = ""
    while waiting and len(tried) < MOST:
        # 1. the problem with the active bounds as values
        active = waiting.pop()
        solution = tried[active] = solve(problem.with_active({k: float(bounds[k, upper]) for k, upper in active}))
        if solution.status in NOTHING:
            infeasible = None if reason else _proved_infeasible(problem, active, solution, lists=lists)
            if infeasible:
                return infeasible
            reason = reason or solution.message
            continue
        # 2. other sets, unless no bound is violated and no sign is wrong
        solution = solution.widened(problem)
        missed = bounds_missed(problem, solution.distribution.expected(problem.expectations))
        further = list(_next_sets(active, solution.multipliers.values, missed))
        if not further:
            return replace(solution, iterations=sum(solution.iterations for solution in tried.values()))
        waiting += [new_set for new_set in further if new_set not in tried]
    return _failure(problem, [*tried.values()], reason)


def _next_sets(active: Active, numbers: Sequence[float], missed: FloatArray) -> Iterator[Active]:
    """Sets of active bounds to try next, the best last; none if ``active`` is optimal.

    ``numbers`` are the multipliers of the m values, and ``missed`` (m, 2) says by how much each bound is violated.
    1. Without a bound whose multiplier has the wrong sign. 2. If there is none, with a violated bound of a measure
    that has no active one.
    """
    # 1.
    wrong = [(k, upper) for k, upper in active if (numbers[k] > 0 if upper else numbers[k] < 0)]
    if wrong:
        smallest_first = sorted(wrong, key=lambda bound: abs(numbers[bound[0]]))
        yield from (active - {bound} for bound in smallest_first)
        return
    # 2.
    with_active = {k for k, _ in active}
    violated = [(missed[k, upper], (k, upper)) for k, upper in np.argwhere(missed > VIOLATED).tolist()]
    least_first = [bound for _, bound in sorted(violated)]
    yield from (active | {bound} for bound in least_first if bound[0] not in with_active)


def _proved_infeasible(problem: Problem, active: Active, solution: Solution, *, lists: bool) -> Solution | None:
    """Infeasible solution of a problem, after one with ``active`` bounds has none; None without a proof."""
    infeasible = proved_infeasible(problem, lists=lists)
    if infeasible is None and solution.status == "infeasible" and not active:
        return infeasible_solution(problem, solution.message)
    return infeasible


def _failure(problem: Problem, tried: Sequence[Solution], reason: str) -> Solution:
    """Failed solution, with the reason of the first failure or the bound that the last set misses."""
    if not reason:
        missed = bounds_missed(problem, tried[-1].distribution.expected(problem.expectations)).max()
        reason = f"the last misses a bound by {missed:.2g} of its range, or a multiplier has the wrong sign"
    attempts = f"{many(len(tried), 'set')} of active bounds tried: {reason}"
    message = f"no distribution found with {problem.known}, though there may be one: {attempts}"
    iterations = sum(solution.iterations for solution in tried)
    without = infeasible_solution(problem, message)  # no distribution, either
    return replace(without, status="failed", solver=tried[-1].solver, iterations=iterations)
