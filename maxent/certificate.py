"""What can be verified about a solution from the problem alone: a solver's word never counts."""

from typing import Literal, NamedTuple

import numpy as np
from scipy.special import softmax

from maxent.measures.form import FloatArray
from maxent.problem import Problem

Status = Literal["optimal", "boundary", "infeasible", "failed"]

FEASIBLE = 1e-7  # largest violation: of the value relative to its range, of a count relative to max(1, count)
STATIONARY = 1e-6  # largest stationarity residual, in units of probability
AT_END = 1e-12  # a value this close to an end of its range, relative to the range, is at the end


class Multipliers(NamedTuple):
    """Lagrange multipliers: log(p_n(i) / p_n(0)) = counts[i - 1] + value * w_n(i).

    ``value`` is minus the derivative of the entropy by the measure's value (nats per unit of the measure). Where
    every rank is relevant, the lowest grade present takes the place of grade 0; absent grades have -inf.
    """

    value: float
    counts: tuple[float, ...]


class Certificate(NamedTuple):
    """What can be verified about a solution without believing the solver.

    Attributes
    ----------
    value_violation : float
        abs(E[M] - value) relative to the attainable range.
    count_violation : float
        Largest violation of a count, relative to max(1, count).
    row_violation : float
        Largest deviation of a row of p from a distribution.
    stationarity : float
        Largest difference between p and the distribution that its gradient and multipliers imply (interior
        solutions); what first-order exchanges could still gain, relative to the range (boundary solutions).
    curvature : bool
        Whether the reduced Hessian is negative definite: a strict local maximum.
    accepted : bool
        Whether all of these confirm the status.
    """

    value_violation: float
    count_violation: float
    row_violation: float
    stationarity: float
    curvature: bool
    accepted: bool


def certify(problem: Problem, p: FloatArray, status: Status, multipliers: Multipliers) -> Certificate:
    """Recompute every residual of a claimed solution.

    Parameters
    ----------
    problem : Problem
    p : (depth, levels + 1) array
    status : {"optimal", "boundary", "infeasible", "failed"}
        The claim to confirm.
    multipliers : Multipliers
    """
    if status == "infeasible":
        confirmed = bool(problem.overfull) or position(problem) in ("below", "above")
        return Certificate(np.inf, np.inf, np.inf, np.inf, False, confirmed)
    if problem.overfull or not np.isfinite(p).all():
        return Certificate(np.inf, np.inf, np.inf, np.inf, False, False)
    value_violation = abs(problem.form.expected(p) - problem.value) / _range(problem)
    count_violation = _count_violation(problem, p)
    row_violation = max(float(np.abs(p.sum(axis=1) - 1).max()), -float(p.min()), 0.0)
    w = problem.form.gradient(p)
    if status == "boundary":
        stationarity, curvature = _duality_gap(problem, p, w), True
    else:
        stationarity = _stationarity(problem, p, w, multipliers)
        curvature = _strict_maximum(problem, p, w, multipliers.value)
    accepted = (
        status in ("optimal", "boundary")
        and max(value_violation, count_violation, row_violation) <= FEASIBLE
        and stationarity <= STATIONARY
        and curvature
    )
    return Certificate(value_violation, count_violation, row_violation, stationarity, curvature, accepted)


def _range(problem: Problem) -> float:
    low, high = (end.value for end in problem.ends)
    return max(high - low, abs(low), abs(high), 1e-300)


def position(problem: Problem) -> Literal["below", "low", "inside", "high", "above", "constant"]:
    """Where the value lies relative to the attainable interval."""
    low, high = (end.value for end in problem.ends)
    tolerance = AT_END * max(abs(low), abs(high), 1e-300)
    if problem.value < low - tolerance:
        return "below"
    if problem.value > high + tolerance:
        return "above"
    if high - low <= tolerance:
        return "constant"
    tolerance = max(AT_END * (high - low), 4 * np.finfo(float).eps * max(abs(low), abs(high)))
    if problem.value <= low + tolerance:
        return "low"
    return "high" if problem.value >= high - tolerance else "inside"


def _count_violation(problem: Problem, p: FloatArray) -> float:
    excess = p[:, 1:].sum(axis=0) - problem.counts
    if problem.count != "at_most":
        excess = np.abs(excess)
    return float(np.max(np.maximum(excess, 0) / np.maximum(1.0, problem.counts)))


def present_grades(problem: Problem) -> list[int]:
    """Grades that can occur at all: 0 unless every rank is relevant, and those with a positive count."""
    counts = problem.counts
    room = problem.count == "at_most" or counts.sum() < problem.depth
    return ([0] if room else []) + [i + 1 for i in range(problem.levels) if counts[i] > 0]


def _stationarity(problem: Problem, p: FloatArray, w: FloatArray, multipliers: Multipliers) -> float:
    """Largest difference between p and the distribution that its own gradient and the multipliers imply."""
    present = present_grades(problem)
    mu = np.concatenate(([0.0], multipliers.counts))[present]
    residual = float(np.abs(p[:, present] - softmax(multipliers.value * w[:, present] + mu, axis=1)).max())
    if problem.count == "at_most":  # complementary slackness: a bound that is not reached has multiplier 0
        slack = np.maximum(problem.counts - p[:, 1:].sum(axis=0), 0) / np.maximum(1.0, problem.counts)
        push = -np.array(multipliers.counts)
        gap = np.where(problem.counts > 0, np.abs(np.minimum(push, slack)), 0.0)
        residual = max(residual, float(gap.max()))
    return residual if np.isfinite(residual) else float("inf")


def _duality_gap(problem: Problem, p: FloatArray, w: FloatArray) -> float:
    """How much a first-order exchange of mass between ranks could still push the value beyond the end.

    The counts' multipliers mu must satisfy mu_i - mu_j <= w_n(i) - w_n(j) wherever p_n(i) > 0: a system of
    difference constraints, solvable unless some cycle of exchanges has a negative sum (Floyd-Warshall).
    """
    low, high = (end.value for end in problem.ends)
    towards = 1.0 if problem.value > (low + high) / 2 else -1.0
    grades = problem.levels + 1
    bound = np.full((grades, grades), np.inf)
    for i in range(grades):
        used = p[:, i] > 1e-14
        if used.any():
            bound[i] = (towards * (w[used, i, None] - w[used])).min(axis=0)
    if problem.count == "at_most":
        slack = problem.counts - p[:, 1:].sum(axis=0) > FEASIBLE * np.maximum(1.0, problem.counts)
        bound[0, 1:] = np.minimum(bound[0, 1:], 0.0)
        bound[1:, 0] = np.where(slack, np.minimum(bound[1:, 0], 0.0), bound[1:, 0])
    for k in range(grades):
        bound = np.minimum(bound, bound[:, k, None] + bound[None, k])
    return max(0.0, -float(np.diag(bound).min())) / _range(problem)


def _strict_maximum(problem: Problem, p: FloatArray, w: FloatArray, multiplier: float) -> bool:
    """Inertia of the bordered Hessian: as many negative pivots as the Schur complement has."""
    present = present_grades(problem)
    if problem.form.linear or multiplier == 0 or len(present) == 1:
        return True
    from maxent.kernels import RECURSIONS  # the compiler is loaded at the first use
    from maxent.unroll import compile_for

    reduced = problem.form.eliminate(present)
    q, gradient = p[:, present[1:]], w[:, present[1:]] - w[:, present[:1]]
    depth, c = q.shape
    schur = np.empty((c + 1, c + 2))
    work = np.empty((depth, c, c + 2)), np.empty((depth, c, c)), np.empty((depth, c, c))
    kernels = compile_for(c, RECURSIONS)
    q, gradient = np.ascontiguousarray(q), np.ascontiguousarray(gradient)
    kernels.forward(reduced.d, reduced.K, multiplier, q, gradient, np.zeros((depth, c)), *work, schur)
    negative = kernels.negative_eigenvalues(reduced.d, reduced.K, multiplier, q, work[2])
    active = _active(problem, p, present)
    border = schur[np.ix_(active, active)]
    scale = np.sqrt(np.abs(np.diag(border)))
    scale[scale == 0] = 1.0
    return bool(negative == (np.linalg.eigvalsh(border / np.outer(scale, scale)) < 0).sum())


def _active(problem: Problem, p: FloatArray, present: list[int]) -> list[int]:
    """Rows of the Schur complement that are constraints: the value, and the counts that hold with equality."""
    if problem.count != "at_most":
        return list(range(len(present)))
    slack = problem.counts - p[:, 1:].sum(axis=0)
    reached = slack <= FEASIBLE * np.maximum(1.0, problem.counts)
    return [0] + [k for k, grade in enumerate(present[1:], start=1) if reached[grade - 1]]
