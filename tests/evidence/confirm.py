"""Is a solution right? Checked from the definitions alone, without the package's own certificate."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from definitions import PROGRAM, Parts, bend, claimed_ends, ends, expected, parts, program, slope, wrong_ends
from scipy.special import entr, softmax

import maxent as me

HOLDS = 1e-7  # violation of a constraint, relative
LIKE = 1e-6  # probabilities that differ by less are the same
DENSE = 120  # depth * levels up to which the reduced Hessian is made
PROBES = 12  # directions of each kind along which the curvature of larger problems is taken


def confirm(solution: me.problem.Solution) -> str:
    """Why a solution is not what it claims to be; empty if everything is confirmed."""
    problem, status = solution.problem, solution.status
    measure = parts(problem)
    low, high = ends(problem, measure)
    if status == "infeasible":
        return _outside(problem, measure)
    if status not in ("optimal", "boundary"):
        return status
    checks = [_constraints(solution, measure, low, high)]
    if checks[0]:  # relative to a range that sorted lists do not reach
        low, high, _ = claimed_ends(problem, measure)
        checks = [_constraints(solution, measure, low, high)]
    if not checks[0] and status == "optimal":
        checks += [_stationary(solution, measure), curvature(solution, measure)]
    elif not checks[0]:
        *bounds, wrong = claimed_ends(problem, measure)
        checks += [wrong, wrong_ends(problem, measure, *bounds)]
        low, high = ends(problem, measure)
        checks += [_at_end(solution, measure, low, high), _no_exchange(solution, measure, low, high)]
    return "; ".join(reason for reason in checks if reason)


# --- the checks ---


def _outside(problem: me.Problem, measure: Parts) -> str:
    low, high, wrong = claimed_ends(problem, measure)
    if np.isnan(low) or wrong:
        return wrong  # else there are more documents than ranks
    largest = max(abs(low), abs(high))
    if low - 5e-13 * largest <= problem.value <= high + 5e-13 * largest:
        return f"called infeasible, but {problem.value!r} is within {low!r} to {high!r}"
    return wrong_ends(problem, measure, low, high)


def _constraints(solution: me.problem.Solution, measure: Parts, low: float, high: float) -> str:
    problem, p = solution.problem, solution.p
    if p.shape != (problem.depth, problem.levels + 1) or not np.isfinite(p).all():
        return "p is not finite"
    if p.min() < 0 or np.abs(p.sum(axis=1) - 1).max() > 1e-9:
        return "rows are not distributions"
    if abs(solution.entropy - entr(p).sum()) > 1e-9 * max(1.0, solution.entropy):
        return "the entropy is not that of p"
    excess = p[:, 1:].sum(axis=0) - problem.counts
    excess = np.maximum(excess, 0) if problem.count == "at_most" else np.abs(excess)
    if (excess > HOLDS * np.maximum(1.0, problem.counts)).any():
        return f"counts differ by {excess.max():.1e}"
    allowed = HOLDS * (high - low) + _rounding(solution, measure, low, high)
    difference = abs(expected(measure, p) - problem.value)
    return "" if difference <= allowed else f"value differs by {difference / (high - low or 1):.1e} of its range"


def _rounding(solution: me.problem.Solution, measure: Parts, low: float, high: float) -> float:
    """Values that differ by 1e-10 of themselves count as equal; tiny counts are known to the rounding of p only."""
    p = solution.p
    return 1e-10 * max(abs(low), abs(high)) + 1e-15 * len(p) ** 0.5 * float(np.abs(slope(measure, p)).max())


def _stationary(solution: me.problem.Solution, measure: Parts) -> str:
    problem, p = solution.problem, solution.p
    mu = np.array(solution.multipliers.counts)
    by_value = solution.multipliers.value * slope(measure, p)
    logits = by_value + np.concatenate(([0.0], mu))
    if not p[:, 0].any():
        logits[:, 0] = -np.inf  # every rank is relevant
    difference = float(np.abs(softmax(logits, axis=1) - p).max())
    if not difference <= LIKE + 4 * np.finfo(float).eps * float(np.abs(by_value).max()):  # logits are rounded
        return f"p differs by {difference:.1e} from what its multipliers imply"
    if problem.count != "at_most":
        return ""
    known = problem.counts > 0
    slack = (problem.counts - p[:, 1:].sum(axis=0))[known] / np.maximum(1.0, problem.counts[known])
    wrong = (mu[known] > LIKE) | ((slack > LIKE) & (mu[known] < -LIKE))
    return f"multipliers {mu} of bounds with slack {slack}" if wrong.any() else ""


def curvature(solution: me.problem.Solution, measure: Parts) -> str:
    """Whether the Lagrangian is convex along some feasible direction.

    In the coordinates y = x / sqrt(p) the entropy's Hessian is -1, however small the probabilities.
    """
    problem, p = solution.problem, solution.p
    multiplier = solution.multipliers.value
    if not measure.pairwise or multiplier == 0:
        return ""  # the entropy is concave
    root = np.sqrt(p)
    basis = _normals(problem, measure, p)

    def project(y: np.ndarray) -> np.ndarray:
        for _ in range(2):  # the second time removes rounding
            y = y - root * (root * y).sum(axis=1, keepdims=True)
            y = y - np.tensordot(np.tensordot(basis, y, 2), basis, 1)
        return y

    def hessian(y: np.ndarray) -> np.ndarray:
        y = project(y)
        return project(multiplier * _tangent(p, bend(measure, _balanced(p, root * y))) - y)

    small = problem.depth * problem.levels <= DENSE
    tried = np.eye(p.size).reshape(-1, *p.shape) if small else _probes(p, hessian)
    matrix = np.tensordot(np.array([hessian(y) for y in tried]), tried, ([1, 2], [1, 2]))
    largest = float(np.linalg.eigvalsh((matrix + matrix.T) / 2).max())
    return f"positive curvature {largest:.1e}" if largest > LIKE else ""


def _tangent(p: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Slopes by p as slopes by y along directions that keep the sums of rows; no difference of large numbers."""
    means = [(p * (slopes[:, [i]] - slopes)).sum(axis=1) for i in range(p.shape[1])]
    return np.sqrt(p) * np.array(means).T


def _balanced(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Rows that sum to 0 but for rounding, made to: the largest probability takes what the others leave."""
    rows, largest = np.arange(len(p)), p.argmax(axis=1)
    x = x.copy()
    x[rows, largest] = 0.0
    x[rows, largest] = -x.sum(axis=1)
    return x


def _normals(problem: me.Problem, measure: Parts, p: np.ndarray) -> np.ndarray:
    """Orthonormal normals of the active constraints beside the rows' sums, (constraints, depth, levels + 1)."""
    slack = problem.counts - p[:, 1:].sum(axis=0)
    active = (slack <= HOLDS * np.maximum(1.0, problem.counts)) | (problem.count != "at_most")
    grades = np.eye(p.shape[1])[1:][active]
    found: list[np.ndarray] = []
    for slopes in (*(np.tile(g, (len(p), 1)) for g in grades), slope(measure, p)):
        normal = _tangent(p, slopes)
        size = np.linalg.norm(normal)
        for _ in range(2):
            normal = normal - sum((other * np.vdot(other, normal) for other in found), np.zeros(p.shape))
        if np.linalg.norm(normal) > 1e-10 * size:  # where every rank is relevant one count follows from the others
            found.append(normal / np.linalg.norm(normal))
    return np.array(found).reshape(-1, *p.shape)


def _probes(p: np.ndarray, hessian: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Orthonormal directions: random ones, exchanges between adjacent ranks, and what the Hessian makes of one."""
    rng = np.random.default_rng(len(p))
    found = list(rng.normal(size=(PROBES, *p.shape)))
    for n in rng.integers(len(p) - 1, size=PROBES):
        exchange = np.zeros(p.shape)
        exchange[n : n + 2] = rng.normal(size=(2, p.shape[1]))
        found.append(exchange)
    last = found[0]
    for _ in range(PROBES):
        last = hessian(last / np.linalg.norm(last))
        found.append(last)
    stacked = np.array(found).reshape(len(found), -1)
    stacked /= np.linalg.norm(stacked, axis=1, keepdims=True)
    sizes, mixed = np.linalg.eigh(stacked @ stacked.T)
    used = sizes > 1e-6
    return ((mixed[:, used] / np.sqrt(sizes[used])).T @ stacked).reshape(-1, *p.shape)


def _at_end(solution: me.problem.Solution, measure: Parts, low: float, high: float) -> str:
    problem = solution.problem
    # a value that no solver can tell from an end may be answered by the end's limiting distribution
    allowed = max(5.001e-8 * (high - low), _rounding(solution, measure, low, high))
    if min(abs(problem.value - low), abs(problem.value - high)) > allowed:
        return f"called boundary, but {problem.value!r} is no end of {low!r} to {high!r}"
    return ""


def _no_exchange(solution: me.problem.Solution, measure: Parts, low: float, high: float) -> str:
    """Linear programs: no exchange of mass goes beyond the end, none along the end gives more entropy."""
    problem, p = solution.problem, solution.p
    if problem.depth * problem.levels > PROGRAM:
        return ""
    w = slope(measure, p)
    cost = w if abs(problem.value - low) <= abs(problem.value - high) else -w
    if high - low > 1e-9 * high:  # else the measure is constant but for rounding
        gain = float((cost * (p - program(problem, cost))).sum()) / (high - low)
        if gain > LIKE:
            return f"exchanges gain {gain:.1e} of the range beyond the end"
    more = np.log(np.maximum(p, 1e-12))
    gain = float((more * (p - program(problem, more, _same_value(measure, p), p))).sum())
    return f"at the end an entropy {gain:.1e} nats larger is possible" if gain > 1e-5 * len(p) else ""


def _same_value(measure: Parts, p: np.ndarray) -> sp.csr_array:
    """Sums of p that are the same wherever the value is at the end: of ranks and grades that count alike."""
    ranks = 1 / np.arange(1.0, len(p) + 1) if measure.pairwise else measure.weights
    alike = [np.unique(key, return_inverse=True) for key in (ranks, measure.worth)]
    members = [sp.csr_array(np.eye(len(keys))[classes].T[keys != 0]) for keys, classes in alike]
    return sp.csr_array(sp.kron(*members))
