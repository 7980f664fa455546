"""What can be verified about a solution from the problem alone: a solver's word never counts."""

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from maxent.measures.form import FloatArray
from maxent.problem import Problem
from maxent.statement import Lot, Statement

if TYPE_CHECKING:
    from maxent.compiled import Workspace

Status = Literal["optimal", "boundary", "infeasible", "failed"]

FEASIBLE = 1e-7  # largest violation: of the value relative to its range, of a count relative to max(1, count)
STATIONARY = 1e-6  # largest stationarity residual, in units of probability
CONSTANT = 1e-10  # a range this small, relative to the values, is rounding
ROUNDING = 100 * float(np.finfo(float).eps)  # of a value or an end, sums over the ranks, relative
UNUSED = 1e-11  # probabilities up to here are rounding; exchanging them is worth no more
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

    statement = Statement.of([Lot.of([problem])])
    work = Workspace(problem.depth, len(problem.present) - 1)
    own = relative(problem, multipliers)[None]
    low, high = (np.array([end]) for end in problem.interval)
    judged = judge(statement, own, examine(work, statement, p[None], own), low, high)
    found = Certificate(*(column.item() for column in judged))
    return found._replace(accepted=found.accepted and status == "optimal")


def relative(problem: Problem, multipliers: Multipliers) -> FloatArray:
    """Multipliers of the value and of the grades present but the first, (c + 1,)."""
    mu = (0.0, *multipliers.counts)
    first, *rest = problem.present
    return np.array([multipliers.value, *(mu[i] - mu[first] for i in rest)])


def _certify_boundary(problem: Problem, p: FloatArray) -> Certificate:
    value = abs(problem.form.expected(p) - problem.value) / _range(problem)
    rows = max(float(np.abs(p.sum(axis=1) - 1).max()), -float(p.min()), 0.0)
    constant = position(problem) == "constant"  # then every distribution is at the end
    gap = 0.0 if constant else _duality_gap(problem, p, problem.form.gradient(p))
    count = float(_count_violation(p[:, 1:].sum(axis=0), problem.counts, np.array(problem.count == "at_most")))
    return Certificate(value, count, rows, gap, True, max(value, count, rows) <= FEASIBLE and gap <= STATIONARY)


class Evidence(NamedTuple):
    """What compiled code finds out about k claimed optima.

    Attributes
    ----------
    expected, rows, deviation : (k,) arrays
        Value of the measure, how far rows are from distributions, largest difference to what the gradient implies.
    total : (k, c) array
        Expected number of documents of each grade present but the first.
    border, active, negative
        See :func:`maxent.compiled.workspace.strict_maxima`.
    """

    expected: FloatArray
    rows: FloatArray
    deviation: FloatArray
    total: FloatArray
    border: FloatArray
    active: FloatArray
    negative: FloatArray


def examine(work: "Workspace", statement: Statement, p: FloatArray, multipliers: FloatArray) -> Evidence:
    """Collect evidence about claimed optima, side by side.

    Parameters
    ----------
    work : Workspace
        Overwritten; the last problems stay in it.
    statement : Statement
    p : (k, depth, levels + 1) array
    multipliers : (k, c + 1) array
        Of the value and of the grades present but the first.
    """
    k, size = multipliers.shape
    expected, rows, deviation, negative = np.empty((4, k))
    total, border, active = np.empty((k, work.c)), np.zeros((k, size, size)), np.empty((k, size))
    found = Evidence(expected, rows, deviation, total, border, active, negative)
    quadratic = bool(statement.K.any())
    work.run("examine_all", *statement, np.ascontiguousarray(p), multipliers, FEASIBLE, quadratic, *found)
    return found


def judge(
    statement: Statement, multipliers: FloatArray, evidence: Evidence, low: FloatArray, high: FloatArray
) -> tuple[npt.NDArray[Any], ...]:
    """Certificates of claimed optima.

    Parameters
    ----------
    statement : Statement
    multipliers : (k, c + 1) array
    evidence : Evidence
    low, high : (k,) arrays
        Ends of the attainable intervals.

    Returns
    -------
    tuple of (k,) arrays
        One for each attribute of :class:`Certificate`.
    """
    from maxent.compiled import strict_maxima

    span = np.maximum.reduce((high - low, np.abs(low), np.abs(high), np.full_like(low, 1e-300)))
    value = np.abs(evidence.expected - statement.value) / span
    count = _count_violation(evidence.total, statement.counts, statement.bounded)
    stationarity = np.maximum(evidence.deviation, _slackness(statement, multipliers, evidence))
    linear = ~np.asarray(statement.K.any(axis=(1, 2)))[statement.which]
    trivial = linear | (multipliers[:, 0] == 0) | (multipliers.shape[1] == 1)
    curvature = trivial | strict_maxima(evidence.border, evidence.active, evidence.negative)
    feasible = np.maximum.reduce((value, count, evidence.rows)) <= FEASIBLE
    accepted = feasible & (stationarity <= STATIONARY) & curvature
    return value, count, evidence.rows, stationarity, curvature, accepted


def _range(problem: Problem) -> float:
    low, high = problem.interval
    return max(high - low, abs(low), abs(high), 1e-300)


Position = Literal["below", "low", "inside", "high", "above", "constant"]


def position(problem: Problem) -> Position:
    """Where the value lies relative to the attainable interval."""
    return place(problem.value, *problem.interval)


def place(value: float, low: float, high: float) -> Position:
    """As :func:`position`, of a value and the ends of its interval."""
    tolerance = AT_END * max(abs(low), abs(high), 1e-300)
    if value < low - tolerance:
        return "below"
    if value > high + tolerance:
        return "above"
    if high - low <= CONSTANT * max(abs(low), abs(high)):
        return "constant"
    tolerance = max(AT_END * (high - low), ROUNDING * max(abs(low), abs(high)))
    if value <= low + tolerance:
        return "low"
    return "high" if value >= high - tolerance else "inside"


def _count_violation(total: FloatArray, counts: FloatArray, bounded: npt.NDArray[np.bool_]) -> FloatArray:
    """Largest violation of counts (..., c), upper bounds where ``bounded`` (...), relative to max(1, count)."""
    off = np.where(bounded[..., None], np.maximum(total - counts, 0.0), np.abs(total - counts))
    return np.asarray((off / np.maximum(1.0, counts)).max(axis=-1, initial=0.0))


def _slackness(statement: Statement, multipliers: FloatArray, evidence: Evidence) -> FloatArray:
    """Complementary slackness, (k,): a bound that is not reached has multiplier 0."""
    if not statement.bounded.any():
        return np.zeros(len(evidence.rows))
    counts = statement.counts
    slack = np.maximum(counts - evidence.total, 0.0) / np.maximum(1.0, counts)
    gap = np.abs(np.minimum(-multipliers[:, 1:], slack)).max(axis=1, initial=0.0)
    return np.where(statement.bounded, gap, 0.0)


def _duality_gap(problem: Problem, p: FloatArray, w: FloatArray) -> float:
    """How much a first-order exchange of mass between ranks could still push the value beyond the end.

    The counts' multipliers mu must satisfy mu_i - mu_j <= w_n(i) - w_n(j) wherever p_n(i) > 0: a system of
    difference constraints, solvable unless some cycle of exchanges has a negative sum (Floyd-Warshall).
    """
    low, high = problem.interval
    towards = 1.0 if problem.value > (low + high) / 2 else -1.0
    grades = problem.levels + 1
    bound = np.full((grades, grades), np.inf)
    for i in range(grades):
        used = p[:, i] > UNUSED
        if used.any():
            bound[i] = (towards * (w[used, i, None] - w[used])).min(axis=0)
    if problem.count == "at_most":
        slack = problem.counts - p[:, 1:].sum(axis=0) > FEASIBLE * np.maximum(1.0, problem.counts)
        bound[0, 1:] = np.minimum(bound[0, 1:], 0.0)
        bound[1:, 0] = np.where(slack, np.minimum(bound[1:, 0], 0.0), bound[1:, 0])
    for k in range(grades):
        bound = np.minimum(bound, bound[:, k, None] + bound[None, k])
    return max(0.0, -float(np.diag(bound).min())) / _range(problem)
