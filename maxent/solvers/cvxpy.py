"""Conic programs with CVXPY and Clarabel, which comes with it.

The problem of linear measures is one convex program. The problem of a measure with a pairwise part is not convex: a
sequence of convex programs, each with the measure linearised at the last point, converges to a stationary point.
"""

from dataclasses import replace

import cvxpy as cp
import numpy as np

from maxent.solvers.back_end_problem import RawSolution, ReducedProblem
from maxent.types import FloatArray

MOST_PROGRAMS = 80
NEWTON_STEPS = 20
STEADY = 1e-6  # the sequence ends when no probability changes by this much between programs


def solve_cvxpy(reduced: ReducedProblem) -> RawSolution:
    """Solve convex programs with the measures linearised at the last point; one suffices for linear measures.

    If a linearised program has no solution, the step towards the values is halved. The sequence converges linearly;
    its fixed points are exactly the stationary points of the problem.
    """
    forms, linear = reduced.forms, reduced.linear
    program = _LinearProgram(reduced)
    point = np.tile(reduced.uniform, (reduced.problem.depth, 1))
    share, last = 1.0, np.inf
    message = f"no fixed point within {MOST_PROGRAMS} programs"
    for number in range(1, MOST_PROGRAMS + 1):
        slopes = np.array([form.gradient(point[:, 1:]) for form in forms]).reshape(-1, *point[:, 1:].shape)
        short = reduced.values - [form.expected(point[:, 1:]) for form in forms]
        raw_solution = program.solve(slopes, share * short + np.sum(slopes * point[:, 1:], axis=(1, 2)))
        if linear:
            return raw_solution
        if raw_solution.failed:
            share /= 2
            if share < 1e-3:
                return RawSolution(point, None, number, raw_solution.message, failed=True)
            continue
        change = float(np.abs(raw_solution.p - point).max())
        point = raw_solution.p
        if share == 1 and (change < STEADY or (change < 1e-4 and change > 0.8 * last)):
            message = ""
            break
        share, last = min(1.0, 2 * share), change
    return RawSolution(point, None, number, message, failed=bool(message))


class _LinearProgram:
    """The conic program of linear measures, written once; their weights and values are its parameters."""

    def __init__(self, reduced: ReducedProblem) -> None:
        depth, c = reduced.problem.depth, len(reduced.counts)
        self.reduced, self.p = reduced, cp.Variable((depth, c + 1))
        self.slopes = [cp.Parameter((depth, c)) for _ in reduced.forms]
        self.levels = [cp.Parameter() for _ in reduced.forms]
        pairs = zip(self.slopes, self.levels, strict=True)
        self.measured = [cp.sum(cp.multiply(slope, self.p[:, 1:])) == level for slope, level in pairs]
        rows, self.counted = simplex(reduced, self.p)
        constraints = [*self.measured, rows, self.counted]
        odds = np.pad(np.exp(reduced.log_odds), ((0, 0), (1, 0)), constant_values=1.0)
        entropy = cp.entr(self.p) if reduced.problem.reference is None else -cp.rel_entr(self.p, odds)
        self.problem = cp.Problem(cp.Maximize(cp.sum(entropy)), constraints)

    def solve(self, slopes: FloatArray, levels: FloatArray) -> RawSolution:
        """Solution for weights (m, depth, c) and values (m,), with its multipliers."""
        scale = np.abs(slopes).max(axis=(1, 2))
        for slope, level, w, value, size in zip(self.slopes, self.levels, slopes, levels, scale, strict=True):
            slope.value, level.value = w / size, value / size
        raw_solution = _run(self.problem, self.p, solver=cp.CLARABEL)
        if raw_solution.failed:
            # near an end of the interval Clarabel may give up where a first-order method does not
            raw_solution = _run(self.problem, self.p, solver=cp.SCS)
        if raw_solution.failed:
            return raw_solution
        value_multipliers = [
            -float(constraint.dual_value) / size for constraint, size in zip(self.measured, scale, strict=True)
        ]
        start = np.concatenate((value_multipliers, -np.asarray(self.counted.dual_value)))
        p, multipliers = _sharpen(slopes, levels, self.reduced, start)
        return replace(raw_solution, p=p, multipliers=multipliers)


def _sharpen(
    slopes: FloatArray, levels: FloatArray, reduced: ReducedProblem, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Refine the distribution (depth, c + 1) and multipliers (m + c,) of a conic solver.

    The measures have the weights ``slopes`` (m, depth, c) and the values ``levels`` (m,).

    Such a solver stops before the last digits are exact, and which problems this spoils depends on the processor.
    The multipliers minimise a smooth dual function, so a few Newton steps make all digits exact. The distribution
    is empty if the first one is not finite.
    """
    (m, depth, c), multipliers = slopes.shape, start
    smallest, sharpened = np.inf, (np.empty(0), start)
    # weights of the measures, then of the counts, (m + c, depth, c)
    columns = np.concatenate((slopes, np.broadcast_to(np.eye(c)[:, None], (c, depth, c))))
    wanted = np.concatenate((levels, reduced.counts))
    for _ in range(NEWTON_STEPS):
        # 1. log(p_n(i) / p_n(0)) = sum_j lambda_j slope_jn(i) + mu_i + log q_n(i)
        theta = np.insert(np.einsum("jni,j->ni", columns, multipliers) + reduced.log_odds, 0, 0.0, axis=1)
        p = np.exp(theta - theta.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        # 2. residuals of the active constraints, and multipliers of the others
        means = np.einsum("jni,ni->jn", columns, p[:, 1:])
        missing = wanted - means.sum(axis=1)
        active = np.ones(m + c, dtype=np.bool_)
        if reduced.bounded:  # an upper bound is active while its multiplier, which is negative, outweighs its slack
            active[m:] = (multipliers + missing)[m:] < 0
        error = float(np.abs(np.where(active, missing, multipliers)).max())
        if not error < smallest:
            break
        smallest, sharpened = error, (p, multipliers)
        # 3. a Newton step: the Hessian of the dual function is the covariance of the columns
        covariance = np.einsum("jni,kni,ni->jk", columns, columns, p[:, 1:]) - means @ means.T
        multipliers = np.where(active, multipliers, 0.0)
        multipliers[active] += np.linalg.lstsq(covariance[np.ix_(active, active)], missing[active])[0]
    return sharpened


def simplex(reduced: ReducedProblem, p: cp.Variable) -> tuple[cp.Constraint, cp.Constraint]:
    """Constraints that every row of p is a distribution and that its columns have the counts."""
    counted = cp.sum(p[:, 1:], axis=0)
    return cp.sum(p, axis=1) == 1, counted <= reduced.counts if reduced.bounded else counted == reduced.counts


def _run(problem: cp.Problem, p: cp.Variable, *, solver: str) -> RawSolution:
    """Solve; a solver that gives up yields a failed raw solution, not an exception.

    These are the steps of ``problem.solve``, which would warn of an inaccurate solution; the certificate judges it.
    """
    try:
        data, chain, inverse_data = problem.get_problem_data(solver, solver_opts={})
        optimum = chain.invert(chain.solve_via_data(problem, data, solver_opts={}), inverse_data)
    except cp.SolverError as error:
        return RawSolution(np.empty(p.shape), None, 0, str(error), failed=True)
    if optimum.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        return RawSolution(np.empty(p.shape), None, 0, f"CVXPY ended with status {optimum.status}", failed=True)
    problem.unpack(optimum)
    value: FloatArray = np.maximum(np.asarray(p.value, dtype=np.float64), 1e-300)
    iterations = optimum.attr.get("num_iters")
    return RawSolution(
        value / value.sum(axis=1, keepdims=True), None, iterations if isinstance(iterations, int) else 0
    )
