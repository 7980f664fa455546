"""What can be verified about a solution from the problem alone: a solver's word never counts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from maxent.measures.form import FloatArray
from maxent.problem import Problem

if TYPE_CHECKING:
    from maxent.compiled import Workspace

Status = Literal["optimal", "boundary", "infeasible", "failed"]

FEASIBLE = 1e-7  # largest violation: of the value relative to its range, of a count relative to max(1, count)
STATIONARY = 1e-6  # largest stationarity residual, in units of probability
CONSTANT = 1e-10  # a range this small, relative to the values, is rounding
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


REFUSED = Certificate(np.inf, np.inf, np.inf, np.inf, False, False)


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
        return REFUSED._replace(accepted=confirmed)
    if problem.overfull or not np.isfinite(p).all():
        return REFUSED
    if status == "boundary":
        return _certify_boundary(problem, p)
    from maxent.compiled import Workspace  # the compiler is loaded at the first use

    work = Workspace(problem.depth, len(problem.present) - 1)
    found = certify_in(work, [(problem, p, multipliers)])[0]
    return found._replace(accepted=found.accepted and status == "optimal")


def _certify_boundary(problem: Problem, p: FloatArray) -> Certificate:
    value = abs(problem.form.expected(p) - problem.value) / _range(problem)
    rows = max(float(np.abs(p.sum(axis=1) - 1).max()), -float(p.min()), 0.0)
    constant = position(problem) == "constant"  # then every distribution is at the end
    gap = 0.0 if constant else _duality_gap(problem, p, problem.form.gradient(p))
    count = _count_violation(problem, p[:, 1:].sum(axis=0))
    return Certificate(value, count, rows, gap, True, max(value, count, rows) <= FEASIBLE and gap <= STATIONARY)


Claim = tuple[Problem, FloatArray, Multipliers]


def load_claim(
    work: "Workspace", lane: int, problem: Problem, p: FloatArray, multipliers: Multipliers
) -> tuple[float, float, FloatArray]:
    """Put a distribution with its problem and multipliers into a lane.

    Returns
    -------
    constant : float
        What the elimination of the lowest present grade takes from the measure's value.
    violation : float
        How far the rows of p are from distributions.
    total : (levels + 1,) array
        Expected number of documents of each grade.
    """
    present, form = problem.present, problem.form
    grades, total = np.array(present), np.empty(problem.levels + 1)
    bounded = problem.count == "at_most"
    given = form.a, form.d, form.K, grades, 1.0, problem.value, problem.counts, bounded
    constant = work.run("load_problem", lane, *given)
    violation = work.run("read_probabilities", lane, np.ascontiguousarray(p), grades, total)
    mu = (0.0, *multipliers.counts)
    work["multipliers"][:, lane] = multipliers.value, *(mu[i] - mu[present[0]] for i in present[1:])
    work["active"][:, lane] = active_rows(problem, total, present)
    return constant, violation, total


def certify_in(work: "Workspace", claims: Sequence[Claim]) -> list[Certificate]:
    """Certificates of claimed optima, side by side in the lanes of a workspace of their depth and number of grades.

    Parameters
    ----------
    work : Workspace
        Overwritten.
    claims : sequence of (Problem, p, Multipliers)
        At most as many as there are lanes.
    """
    totals, constants, rows = [], [], []
    for lane, (problem, p, multipliers) in enumerate(claims):
        constant, row, total = load_claim(work, lane, problem, p, multipliers)
        constants.append(constant)
        rows.append(row)
        totals.append(total)
    work.run("gradient")
    work.run("deviation")
    strict = work.strict_maxima()
    found = []
    for lane, (problem, _, multipliers) in enumerate(claims):
        trivial = problem.form.linear or multipliers.value == 0 or work.c == 0
        value = abs(work["expected"][lane] + constants[lane] - problem.value) / _range(problem)
        count = _count_violation(problem, totals[lane][1:])
        stationarity = max(float(work["error"][lane]), _slackness(problem, totals[lane], multipliers))
        curvature = trivial or bool(strict[lane])
        accepted = max(value, count, rows[lane]) <= FEASIBLE and stationarity <= STATIONARY and curvature
        found.append(Certificate(float(value), count, rows[lane], stationarity, curvature, accepted))
    return found


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
    if high - low <= CONSTANT * max(abs(low), abs(high)):
        return "constant"
    tolerance = max(AT_END * (high - low), 4 * np.finfo(float).eps * max(abs(low), abs(high)))
    if problem.value <= low + tolerance:
        return "low"
    return "high" if problem.value >= high - tolerance else "inside"


def _count_violation(problem: Problem, total: FloatArray) -> float:
    worst = 0.0
    for found, count in zip(total.tolist(), problem.counts.tolist(), strict=True):  # a few grades: no arrays
        excess = found - count if problem.count == "at_most" else abs(found - count)
        worst = max(worst, excess / max(1.0, count))
    return worst


def _slackness(problem: Problem, total: FloatArray, multipliers: Multipliers) -> float:
    """Complementary slackness: a bound that is not reached has multiplier 0."""
    if problem.count != "at_most":
        return 0.0
    slack = np.maximum(problem.counts - total[1:], 0) / np.maximum(1.0, problem.counts)
    gap = np.where(problem.counts > 0, np.abs(np.minimum(-np.array(multipliers.counts), slack)), 0.0)
    return float(gap.max())


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


def active_rows(problem: Problem, total: FloatArray, present: Sequence[int]) -> list[float]:
    """1 for the constraints that count (the value, and the counts that hold with equality), else 0.

    ``total`` (levels + 1,) is the expected number of documents of each grade.
    """
    if problem.count != "at_most":
        return [1.0] * len(present)
    slack = problem.counts - total[1:]
    reached = slack <= FEASIBLE * np.maximum(1.0, problem.counts)
    return [1.0, *(float(reached[grade - 1]) for grade in present[1:])]
