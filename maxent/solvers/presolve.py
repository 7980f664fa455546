"""Problems that need no solver: infeasible ones, and values at an end of the interval."""

import math

import numpy as np

from maxent.problem.certificate import FEASIBLE, Multipliers
from maxent.problem.independent_ranks import IndependentRanks
from maxent.problem.interval import add_nonrelevant
from maxent.problem.problem import Problem
from maxent.problem.solution import Solution

INDISTINGUISHABLE = FEASIBLE / 2  # a value is that of a sorted list if it is within this share of the interval


def presolve(problem: Problem) -> Solution | None:
    """Solution of a problem that is infeasible or has a single measure at an end of its interval, else None."""
    if problem.overfull:
        return infeasible_solution(problem, problem.overfull)
    if problem.beyond:
        return infeasible_solution(problem, _why_infeasible(problem.beyond))
    if problem.is_joint or problem.location == "inside":
        return None
    if problem.location == "constant":
        return Solution(
            IndependentRanks(problem, problem.ends[0].p), "boundary", no_multipliers(problem, value=0.0), "none"
        )
    return sorted_list_solution(problem)


def infeasible_solution(problem: Problem, message: str) -> Solution:
    """Solution of an infeasible problem, without distribution, and with the reason as its message."""
    empty = np.full((problem.depth, problem.levels + 1), np.nan)
    return Solution(
        IndependentRanks(problem, empty), "infeasible", no_multipliers(problem), "none", message=message
    )


def failed_solution(problem: Problem, solver: str, message: str) -> Solution:
    """Solution after a failure: the uniform distribution, which no certificate accepts, and a message."""
    mass = add_nonrelevant(problem.counts, problem.depth)
    p = np.tile(mass / mass.sum(), (problem.depth, 1))
    return Solution(IndependentRanks(problem, p), "failed", no_multipliers(problem), solver, message=message)


def no_multipliers(problem: Problem, *, value: float = math.nan) -> Multipliers:
    """Multipliers of a solution that is not ``optimal``: ``value`` for the value, NaN for the counts."""
    values = (value,) * len(problem.parts) if problem.is_joint else value
    return Multipliers(values, (math.nan,) * problem.levels)


def sorted_list_solution(problem: Problem) -> Solution | None:
    """Sorted list at the nearer end as a ``boundary`` solution; None unless it nearly has the wanted value."""
    (low, high), above = problem.ends, problem.nearer_end
    end = problem.ends[above]
    share = abs(problem.value - end.listed) / max(high.value - low.value, 1e-300)
    if share > INDISTINGUISHABLE:
        return None
    multipliers = no_multipliers(problem, value=math.inf if above else -math.inf)
    nearly = "" if problem.value == end.listed or problem.location != "inside" else "nearly "
    what = f"{'largest' if above else 'smallest'} {'attainable value' if end.exact else 'value of a sorted list'}"
    message = f"{problem.measure} = {problem.value:.10g} is {nearly}the {what}"
    return Solution(IndependentRanks(problem, end.p), "boundary", multipliers, "none", message=message)


def explain_failure(problem: Problem) -> str:
    """Message of a failure: a value beyond the values of sorted lists may be unattainable."""
    low, high = problem.ends
    for end, beyond in ((low, problem.value < low.listed), (high, problem.value > high.listed)):
        if beyond and not end.exact:
            return (
                f"{problem.measure} = {problem.value:.10g} may be unattainable: sorted lists reach"
                f" {end.listed:.10g}, and {end.value:.10g} is an outer bound"
            )
    return "no strict local maximum found"


def _why_infeasible(problem: Problem) -> str:
    low, high = problem.ends
    least = f"{low.value:.10g}{'' if low.exact else ' (a bound)'}"
    most = f"{high.value:.10g}{'' if high.exact else ' (a bound)'}"
    grades = "grade 1" if problem.levels == 1 else f"grades 1..{problem.levels}"
    counts = " + ".join(f"{c:g}" for c in problem.counts)
    return (
        f"{problem.measure} = {problem.value:.10g} is {problem.location} every value of lists with"
        f" {'at most ' if problem.count == 'at_most' else ''}{counts} documents of {grades}:"
        f" {least} to {most}"
    )
