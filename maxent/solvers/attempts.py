"""Attempts at a problem that is solved by itself, in the order in which they are made; the certificate decides.

They are made where values are at ends of their intervals, and where Newton's method does not solve a problem side
by side with others: another start or another way may lead to a solution.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from maxent.problem.certificate import REFUSED, Certificate
from maxent.problem.face import face_at_end, lenient_face, strict_face
from maxent.problem.independent_ranks import IndependentRanks
from maxent.problem.problem import Problem
from maxent.problem.solution import Solution
from maxent.solvers.back_end_problem import ReducedProblem, claimed_solution
from maxent.solvers.joint_problems import continue_from_fewer_values, solve_fixed, solve_from_uniform
from maxent.solvers.presolve import explain_failure, failed_solution, sorted_list_solution
from maxent.solvers.restart import restart


class Attempt(NamedTuple):
    """A way to a solution, and the problems for which it is one."""

    claim: Callable[[Problem], Solution | None]  # what it takes for a solution; None without a distribution
    applies: Callable[[Problem], bool]


def solve_alone(problem: Problem) -> Solution:
    """The first claim that its certificate confirms, else a failure; the values are in their intervals.

    The counts fit into the depth.
    """
    closest = REFUSED
    for attempt in ATTEMPTS:
        solution = attempt.claim(problem) if attempt.applies(problem) else None
        if solution is None:
            continue
        certificate = solution.certificate
        if certificate.accepted:
            return solution
        closest = min(closest, certificate, key=lambda residuals: residuals.value_violation)
    return failed_solution(problem, "newton", _why_failed(problem, closest))


def apply_reference(listed: Solution) -> Solution:
    """Solution at an end of a single measure; the reference decides among the distributions with this value."""
    face = face_at_end(listed.problem) if listed.status == "boundary" else None
    if face is None:
        return listed
    solution = solve_alone(face.problem)
    return replace(solution, distribution=IndependentRanks(listed.problem, solution.p), message=listed.message)


# --- when attempts apply ---


def _is_inside(problem: Problem) -> bool:
    """Whether a single value is given, and it is not at an end."""
    return not problem.is_joint and problem.location == "inside"


def _may_miss_bounds(problem: Problem) -> bool:
    """Whether a single value is given, and upper bounds of merged grades need not all be reached."""
    return _is_inside(problem) and problem.count == "at_most" and len(problem.merged_grades) < len(problem.present)


def is_fixed(problem: Problem) -> bool:
    """Whether values at ends, or counts, leave one grade to every rank."""
    return not _is_inside(problem) and not strict_face(problem).empty and not len(strict_face(problem).free)


def _leaves_ranks(problem: Problem) -> bool:
    """Whether values at ends leave several grades to some ranks."""
    return not _is_inside(problem) and not strict_face(problem).empty and len(strict_face(problem).free) > 0


def _has_ends(problem: Problem) -> bool:
    """Whether values are at ends that can be taken for values inside."""
    if _is_inside(problem) or not strict_face(problem).ends:
        return False
    return not lenient_face(problem).empty and len(lenient_face(problem).free) > 0


# --- the attempts ---


def _restarted(problem: Problem, *, merged: bool) -> Solution | None:
    """Solution from another start, see :mod:`maxent.solvers.restart`."""
    reduced = ReducedProblem.of(problem, merged=merged)
    raw = restart(reduced)
    return None if raw.failed else claimed_solution(reduced, raw, "newton")


def _listed(problem: Problem) -> Solution | None:
    """The sorted list at an end, if it nearly has the value."""
    listed = sorted_list_solution(problem)
    return None if listed is None else apply_reference(listed)


ATTEMPTS = (
    Attempt(lambda problem: _restarted(problem, merged=True), _is_inside),
    Attempt(lambda problem: _restarted(problem, merged=False), _may_miss_bounds),
    Attempt(_listed, _is_inside),
    Attempt(lambda problem: solve_fixed(strict_face(problem)), is_fixed),
    Attempt(lambda problem: solve_from_uniform(strict_face(problem)), _leaves_ranks),
    Attempt(lambda problem: continue_from_fewer_values(strict_face(problem)), _leaves_ranks),
    Attempt(lambda problem: solve_from_uniform(lenient_face(problem)), _has_ends),
    Attempt(lambda problem: continue_from_fewer_values(lenient_face(problem)), _has_ends),
)


def _why_failed(problem: Problem, closest: Certificate) -> str:
    """Message of a failure, with what the closest point violates where several values are given."""
    if _is_inside(problem):
        return explain_failure(problem)
    residual = closest.violations if np.isfinite(closest.value_violation) else "no finite probabilities"
    return (
        f"no distribution found with {problem.known}, though there may be one: Newton's method and continuation "
        f"were tried, and the closest point has {residual}. Solve with model='lists', or without a measure"
    )
