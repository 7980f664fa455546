"""The structured Newton solver: every pairwise form in O(depth c^3) per iteration.

Problems of the same kind are solved side by side in the lanes of the kernels. A long list starts from the solution
of a coarse problem, in which ranks far down the list share rows. A problem whose result is not confirmed by its
certificate is then solved from the uniform distribution, and if that fails from another start (``restart``).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from maxent.measures.cascade import pairwise
from maxent.measures.form import indistinguishable
from maxent.problem.arrays import Forms, MergedGrades, Problems, apart, as_batch, unmerge
from maxent.problem.certificate import STATIONARY, certify_batch, slackness
from maxent.problem.face import independent
from maxent.problem.interval import end_values, with_nonrelevant
from maxent.problem.location import are_inside
from maxent.problem.problem import Problem
from maxent.problem.solution import Solution, Solutions
from maxent.solvers.joint import solve_joint
from maxent.solvers.presolve import explain_failure, no_multipliers, presolve, sorted_list_solution
from maxent.solvers.reduced import ReducedProblem, expand, of_all_grades
from maxent.solvers.restart import restart
from maxent.solvers.starts import run_newton
from maxent.types import BoolArray, FloatArray, IntArray

LANES = 8
WORTHWHILE = 200  # depth from which a coarse problem is solved first
NEARBY = 1e-6  # share of the interval between a value beyond the sorted list and one whose solution is its start


def chunks(problems: Sequence[Problem], size: int) -> list[list[int]]:
    """Problems by index, in chunks for :func:`solve_newton`.

    Problems with the same topic and measure stay together, because they share coefficients and intervals.

    Parameters
    ----------
    problems : sequence of Problem
        Problems of any kind.
    size : int
        Largest number of problems in a chunk.

    Returns
    -------
    list of lists of int
    """
    topics: dict[tuple[Forms, int, int, bool], list[int]] = defaultdict(list)
    for k, problem in enumerate(problems):
        topics[problem.forms, problem.depth, problem.levels, problem.count == "at_most"].append(k)
    kinds: dict[tuple[int, int, int, bool, bool], list[int]] = defaultdict(list)
    for (forms, depth, levels, at_most), members in topics.items():
        kinds[depth, levels, len(forms), all(form.linear for form in forms), at_most] += members
    return [kind[k : k + size] for kind in kinds.values() for k in range(0, len(kind), size)]


def solve_newton(problems: Problems) -> Solutions:
    """Solutions of problems side by side; some measure of each has a pairwise part, or none has."""
    solutions = Solutions.empty(problems)
    intervals, groups = _intervals(problems), defaultdict(list)
    low, high = np.moveaxis(intervals, -1, 0)
    inside = are_inside(problems.values, low, high).all(axis=1) & ~problems.overfull
    for forms, present, members in problems.patterns:
        merged, own = indistinguishable(forms, present), members[inside[members]]
        grades = merged if 1 < len(merged) < len(present) else apart(present)
        if len(own) and len(present) > 1 and _independent(problems.part(own[:1]), grades):
            groups[grades].append(own)
    for merged, parts in groups.items():
        members = np.concatenate(parts)
        if len(members):
            _solve(solutions, members, intervals, merged, coarse=problems.depth >= WORTHWHILE)
    for k in np.flatnonzero(solutions.statuses == "").tolist():
        problem = problems[k]
        further = solve_joint if problem.is_joint else _second_attempt
        solutions.put(k, presolve(problem) or further(problem))
    return solutions


def _independent(problems: Problems, merged: MergedGrades) -> bool:
    """Whether no measure of problems with the same forms is a combination of the others."""
    m = problems.measures
    return m < 2 or len(independent(as_batch(problems, merged))) == m


def _intervals(problems: Problems) -> FloatArray:
    """Ends of the attainable intervals of each measure, or bounds in their place, (k, m, 2)."""
    found = np.zeros((len(problems), problems.measures, 2))
    for forms, present, members in problems.patterns:
        fits = members[~problems.overfull[members]]
        for j, form in enumerate(pairwise(forms)):
            if len(fits) and (problems.at_most or len(form.indistinguishable(present)) > 1):
                found[fits, j] = end_values(form, problems.counts[fits], at_most=problems.at_most)[:2].T
    return found


def _solve(
    solutions: Solutions, members: IntArray, intervals: FloatArray, merged: MergedGrades, *, coarse: bool
) -> None:
    """Enter the solutions of ``members`` that their certificates confirm.

    ``merged`` are the grades present, grouped; ``coarse`` says whether to start from coarse problems.
    """
    problems = solutions.problems
    low, high = np.moveaxis(intervals[members], -1, 0)
    # neighbours in the lanes wait for each other; with similar values they take similar numbers of iterations
    members = members[((problems.values[members] - low) / (high - low)).sum(axis=1).argsort(kind="stable")]
    found = _attempt(problems.part(members), intervals[members], merged, coarse=coarse)
    sure = members[found.accepted]
    solutions.p[members] = found.p  # others are entered later
    solutions.multipliers[members], solutions.iterations[members] = found.multipliers, found.iterations
    solutions.statuses[sure] = "optimal"
    rest, present = members[~found.accepted], sorted(grade for group in merged for grade in group)
    if len(rest) and coarse:
        _solve(solutions, rest, intervals, merged, coarse=False)
    elif len(rest) and len(merged) < len(present) and problems.at_most:
        # not all bounds of the merged grades are reached
        _solve(solutions, rest, intervals, apart(present), coarse=problems.depth >= WORTHWHILE)


class _Attempt(NamedTuple):
    """What one run of Newton's method finds, for all grades, and what the certificates confirm of it."""

    p: FloatArray
    multipliers: FloatArray
    iterations: IntArray
    accepted: BoolArray


def _attempt(problems: Problems, intervals: FloatArray, merged: MergedGrades, *, coarse: bool) -> _Attempt:
    """One run of Newton's method, for problems with the same grades present."""
    batch = as_batch(problems, merged)
    centred, middle = batch.centred()
    low, high = np.moveaxis(intervals, -1, 0)
    scale, m = high - low, problems.measures
    found = run_newton(batch, centred, scale, low, lanes=LANES if len(problems) > 1 else 1, coarse=coarse)
    scaled = replace(centred, value=centred.value / scale)
    span = np.maximum.reduce((scale, np.abs(low), np.abs(high))) / scale
    accepted = found.converged & certify_batch(scaled, found.multipliers, found.evidence, span)[-1]
    multipliers = found.multipliers.copy()
    multipliers[:, :m] /= scale
    multipliers[:, m:] -= (multipliers[:, :m, None] * middle).sum(axis=1)
    p, present = found.p, sorted(grade for group in merged for grade in group)
    if len(merged) < len(present):
        p, multipliers = unmerge(merged, problems.counts, p, multipliers)
        if batch.bounded:  # merged grades were told apart as if all their bounds were reached
            rest = np.array(present[1:])
            gap = slackness(problems.counts[:, rest - 1], p.sum(axis=1)[:, rest], multipliers[:, m:])
            accepted &= gap <= STATIONARY
    elif len(present) <= problems.levels:
        p = np.zeros((len(problems), problems.depth, problems.levels + 1))
        p[:, :, present] = found.p
    of_all = of_all_grades(multipliers, present, problems.levels)
    return _Attempt(p, of_all, found.iterations.astype(np.int64), accepted)


# --- what the first attempt does not solve ---


def _second_attempt(problem: Problem) -> Solution:
    """Solution from another start; else the sorted list at an end, if it has nearly the value; else a failure."""
    nearby = _further_inside(problem)
    for reduced in _readings(problem):
        raw = restart(reduced, nearby)
        if raw is not None:
            p, multipliers = expand(reduced, raw)
            claimed = Solution(problem, p, "optimal", multipliers, "newton", raw.iterations)
            if claimed.certificate.accepted:
                return claimed
    listed = sorted_list_solution(problem)
    if listed is not None and listed.certificate.accepted:
        return listed
    mass = with_nonrelevant(problem.counts, problem.depth)
    p = np.tile(mass / mass.sum(), (problem.depth, 1))
    return Solution(problem, p, "failed", no_multipliers(problem), "newton", message=explain_failure(problem))


def _readings(problem: Problem) -> list[ReducedProblem]:
    """The problem with merged grades, and also without if they have upper bounds that need not all be reached."""
    merged = ReducedProblem(problem, merged=True)
    return [merged, ReducedProblem(problem)] if merged.bounded and merged.merges else [merged]


def _further_inside(problem: Problem) -> FloatArray | None:
    """For a value beyond the sorted list: p (depth, levels + 1) for one slightly further inside, if it is found."""
    low, high = problem.ends
    above, below = problem.value > high.listed, problem.value < low.listed
    if not (above or below):
        return None
    step = NEARBY * (high.value - low.value)
    inside = replace(problem, value=problem.value + (-step if above else step))
    found = _attempt(Problems.of([inside]), np.array([[inside.interval]]), apart(inside.present), coarse=False)
    return found.p[0] if found.accepted[0] else None
