"""The structured Newton solver, for every pairwise form in O(depth c^3) per iteration.

Problems of the same kind are solved side by side in the lanes of the kernels. A long list starts from the solution
of a coarse problem, in which ranks far down the list share rows. If the certificate does not confirm the result,
the problem is solved again from the uniform distribution and, if that fails, from another start (``restart``).
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from maxent.kernels.curves import Deal, Seen
from maxent.problem.arrays import Forms, Problems, apart, as_batch, deal_groups, spread_multipliers, unmerge
from maxent.problem.certificate import STATIONARY, certify_batch, slackness
from maxent.problem.distribution import IndependentRanks
from maxent.problem.problem import Problem
from maxent.problem.solution import Solution
from maxent.problem.solutions import Solutions
from maxent.solvers.back_end_problem import ReducedProblem, expand, unscale
from maxent.solvers.groups import Group, find_intervals, group_problems
from maxent.solvers.joint import apply_reference, solve_joint
from maxent.solvers.presolve import explain_failure, failed_solution, presolve, sorted_list_solution
from maxent.solvers.restart import restart
from maxent.solvers.starts import run_newton
from maxent.types import BoolArray, FloatArray, IntArray

LANES = 8  # problems side by side
WORTHWHILE = 200  # depth from which a coarse problem is solved first


def chunks(problems: Sequence[Problem], size: int) -> list[list[int]]:
    """Problems by index, in chunks of at most ``size``; those of a topic and measure share coefficients."""
    topics: dict[tuple[Forms, tuple[int, int, bool, Hashable]], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        reading: Hashable = problem.reference, problem.has_intervals
        shape = problem.depth, problem.levels, problem.count == "at_most", reading
        topics[problem.forms, shape].append(k)
    kinds: dict[tuple[int, bool, tuple[int, int, bool, Hashable]], list[int]] = defaultdict(list)
    for (forms, shape), members in topics.items():
        kinds[len(forms), all(form.linear for form in forms), shape] += members
    return [kind[k : k + size] for kind in kinds.values() for k in range(0, len(kind), size)]


def solve_newton(problems: Problems) -> Solutions:
    """Solve problems side by side; either all or none of them have a measure with a pairwise part."""
    solutions, intervals = Solutions.empty(problems), find_intervals(problems)
    for group in group_problems(problems, intervals):
        _solve(solutions, group, intervals, coarse=problems.depth >= WORTHWHILE)
        solutions.constant[group.members] = problems.m > 0 and not group.constraining
    for k in [k for k, status in enumerate(solutions.statuses) if not status]:
        problem = problems[k]
        presolved = presolve(problem)
        further = solve_joint if problem.is_joint else _second_attempt
        solutions.put(k, apply_reference(presolved) if presolved else further(problem))
    return solutions


def _solve(solutions: Solutions, group: Group, intervals: FloatArray, *, coarse: bool) -> None:
    """Solve a group, and put confirmed solutions into ``solutions``; ``coarse``: start from coarse problems."""
    problems = solutions.problems
    if len(group.members) > LANES:
        # neighbours in the lanes wait for each other; with similar values they take similar numbers of iterations,
        # and coefficients of the same measure need not be loaded again
        rows = np.ix_(group.members, np.array(group.constraining, dtype=np.int64))
        low, high = intervals[rows][..., 0], intervals[rows][..., 1]
        share = (problems.values[rows] - low) / (high - low)
        group = group.part(np.lexsort((share.sum(axis=1), problems.form_index[group.members])))
    members = group.members
    attempt = _attempt(problems.part(members), intervals[members], group, coarse=coarse)
    if attempt.seen and solutions.seen:  # others are entered later
        solutions.seen.put(members, attempt.seen)
    else:
        solutions.enter(members, attempt.p)
    solutions.multipliers[members], solutions.iterations[members] = attempt.multipliers, attempt.iterations
    solutions.statuses[members[attempt.accepted]] = "optimal"
    rest = group.part(~attempt.accepted)
    if len(rest.members) and coarse and len(group.constraining) < 2:
        _solve(solutions, rest, intervals, coarse=False)
    elif len(rest.members) and len(group.merged) < len(group.present) and problems.at_most:
        # not all bounds of the merged grades are reached
        apart_again = rest._replace(merged=apart(group.present))
        _solve(solutions, apart_again, intervals, coarse=problems.depth >= WORTHWHILE)


class _Attempt(NamedTuple):
    """Results of one run of Newton's method, with merged grades split again, and verdicts of the certificates."""

    p: FloatArray
    multipliers: FloatArray
    iterations: IntArray
    accepted: BoolArray
    seen: Seen | None = None  # comparison of p, which then is empty, with observed lists


def _attempt(problems: Problems, intervals: FloatArray, group: Group, *, coarse: bool) -> _Attempt:
    """Run Newton's method once for the problems of a group."""
    constraining, merged, present, m = (
        list(group.constraining),
        group.merged,
        group.present,
        len(group.constraining),
    )
    batch, middle = as_batch(problems, merged, constraining).centred()
    low, high = intervals[:, constraining].transpose(2, 0, 1)
    scale = high - low
    lanes = LANES if len(problems) > 1 else 1
    deal = None
    if problems.observed and not (problems.at_most and len(merged) < len(present)):
        rest = problems.depth - batch.counts.sum(axis=1)
        deal = Deal(problems.observed, *deal_groups(merged, problems.counts, rest))
    newton_result = run_newton(batch, scale, low, lanes=lanes, coarse=coarse, observed=deal)
    span = np.maximum(scale, np.maximum(high, -low))
    accepted = (
        newton_result.converged & certify_batch(batch, newton_result.multipliers, newton_result.evidence, span)[-1]
    )
    p, iterations = newton_result.p, newton_result.iterations.astype(np.int64)
    if deal:
        nobody_asks = np.full((len(problems), problems.m + problems.levels), np.nan)
        return _Attempt(p, nobody_asks, iterations, accepted, newton_result.seen)
    multipliers = unscale(newton_result.multipliers, scale, middle)
    if len(merged) < len(present):
        p, multipliers = unmerge(merged, problems.counts, p, multipliers)
        if problems.at_most:  # merged grades were split as if all their bounds were reached
            grades = np.array(present[1:])
            gap = slackness(problems.counts[:, grades - 1], p.sum(axis=1)[:, grades], multipliers[:, m:])
            accepted &= gap <= STATIONARY
    elif len(present) <= problems.levels:
        p = np.zeros((len(problems), problems.depth, problems.levels + 1))
        p[:, :, present] = newton_result.p
    all_multipliers = spread_multipliers(multipliers, present, problems.levels, constraining, problems.m)
    return _Attempt(p, all_multipliers, iterations, accepted)


# --- what the first attempt does not solve ---


def _second_attempt(problem: Problem) -> Solution:
    """Solution from another start, else the sorted list at an end if it nearly has the value, else a failure."""
    # upper bounds of merged grades need not all be reached
    apart_as_well = problem.count == "at_most" and len(problem.merged_grades) < len(problem.present)
    for merged in (True, False) if apart_as_well else (True,):
        reduced = ReducedProblem.of(problem, merged=merged)
        raw = restart(reduced)
        if not raw.failed:
            p, multipliers = expand(reduced, raw)
            claimed = Solution(IndependentRanks(problem, p), "optimal", multipliers, "newton", raw.iterations)
            if claimed.certificate.accepted:
                return claimed
    listed = sorted_list_solution(problem)
    boundary_solution = None if listed is None else apply_reference(listed)
    if boundary_solution is not None and boundary_solution.certificate.accepted:
        return boundary_solution
    return failed_solution(problem, "newton", explain_failure(problem))
