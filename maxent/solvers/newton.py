"""The structured Newton solver, for every pairwise form in O(depth c^3) per iteration.

Problems of the same kind are solved side by side in the lanes of the kernels. A long list starts from the solution
of a coarse problem, in which ranks far down the list share rows. If the certificate does not confirm the result,
the problem is solved again from the uniform distribution and, if that fails, alone (``attempts``).
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from maxent.kernels.curves import Deal, Seen
from maxent.problem.arrays import Forms, Problems
from maxent.problem.certificate import STATIONARY, certify_many, slackness
from maxent.problem.interval import value_ranges
from maxent.problem.problem import Problem
from maxent.problem.reduced import Reduced, deal_groups
from maxent.problem.solutions import Solutions
from maxent.solvers.groups import LANES, find_intervals, group_problems
from maxent.solvers.starts import run_newton
from maxent.types import BoolArray, FloatArray, IntArray

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
    """Solve problems side by side; either all or none of them have a measure with a pairwise part.

    The status is empty where no solution is found, or where values are at ends of their intervals.
    """
    solutions, intervals = Solutions.empty(problems), find_intervals(problems)
    for members, reduced in group_problems(problems, intervals):
        _solve(solutions, members, reduced, coarse=problems.depth >= WORTHWHILE)
        solutions.constant[members] = problems.m > 0 and not reduced.constraining
    return solutions


def _solve(solutions: Solutions, members: IntArray, reduced: Reduced, *, coarse: bool) -> None:
    """Put the confirmed solutions of reduced problems into ``solutions``, where their indices are ``members``.

    ``coarse``: start from coarse problems.
    """
    attempt = _attempt(reduced, coarse=coarse)
    if attempt.seen and solutions.seen:  # others are entered later
        solutions.seen.put(members, attempt.seen)
    else:
        solutions.enter(members, attempt.p)
    solutions.multipliers[members], solutions.iterations[members] = attempt.multipliers, attempt.iterations
    solutions.statuses[members[attempt.accepted]] = "optimal"
    unsolved = ~attempt.accepted
    if unsolved.any() and coarse and len(reduced.constraining) < 2:
        _solve(solutions, members[unsolved], reduced.part(unsolved), coarse=False)
    elif unsolved.any() and reduced.is_merged and reduced.problems.at_most:
        # not all bounds of the merged grades are reached
        unmerged = reduced.part(unsolved).unmerged()
        _solve(solutions, members[unsolved], unmerged, coarse=solutions.problems.depth >= WORTHWHILE)


class _Attempt(NamedTuple):
    """Results of one run of Newton's method, with merged grades split again, and verdicts of the certificates."""

    p: FloatArray
    multipliers: FloatArray
    iterations: IntArray
    accepted: BoolArray
    seen: Seen | None = None  # comparison of p, which then is empty, with observed lists


def _attempt(reduced: Reduced, *, coarse: bool) -> _Attempt:
    """Run Newton's method once for reduced problems."""
    problems, batch, scale = reduced.problems, reduced.batch, reduced.scale
    split_by_bounds = reduced.is_merged and problems.at_most  # as if all bounds of merged grades were reached
    lanes = LANES if len(problems) > 1 else 1
    deal = None
    if problems.observed and not split_by_bounds:
        rest = problems.depth - batch.counts.sum(axis=1)
        deal = Deal(problems.observed, *deal_groups(reduced.merged, problems.counts, rest))
    newton_result = run_newton(batch, scale, reduced.intervals[..., 0], lanes=lanes, coarse=coarse, observed=deal)
    ranges = value_ranges(reduced.intervals)
    certificates = certify_many(batch, newton_result.multipliers, newton_result.evidence, ranges)
    accepted = newton_result.converged & certificates.accepted
    iterations = newton_result.iterations.astype(np.int64)
    if deal:
        nobody_asks = np.full((len(problems), problems.m + problems.levels), np.nan)
        return _Attempt(newton_result.p, nobody_asks, iterations, accepted, newton_result.seen)
    p, multipliers = reduced.expanded(newton_result.p, newton_result.multipliers)
    if split_by_bounds:
        grades = np.array(reduced.present[1:])
        total, of_counts = p.sum(axis=1)[:, grades], multipliers[:, problems.m + grades - 1]
        accepted &= slackness(problems.counts[:, grades - 1], total, of_counts) <= STATIONARY
    return _Attempt(p, multipliers, iterations, accepted)
