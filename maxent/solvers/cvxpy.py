"""CVXPY back ends.

The problem of a linear measure is a convex program in conic form, solved by Clarabel, which comes with CVXPY. That
of a measure with a pairwise part is not convex: CVXPY's nonlinear mode hands it to IPOPT where that is installed
(``pip install cyipopt-wheels``); otherwise a sequence of convex programs, each with the measure linearised at the
last point, converges to a stationary point.
"""

import importlib.util
import warnings
from typing import Any

import numpy as np

from maxent.errors import MissingPackageError, ProblemError
from maxent.measures.cascade import pairwise
from maxent.solvers.reduced import RawSolution, ReducedProblem
from maxent.types import FloatArray

try:
    import cvxpy as cp
except ModuleNotFoundError as error:
    raise MissingPackageError(f"solver cvxpy needs {error.name}, which is missing: pip install cvxpy") from error

CONIC = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11, "max_iter": 200}
MOST_PROGRAMS = 80
STEADY = 1e-6  # the sequence ends when no probability changes by this much between programs


def solve_cvxpy(reduced: ReducedProblem) -> RawSolution:
    """Conic program for linear measures; for others IPOPT where it is installed, else a sequence of programs."""
    if not reduced.linear and importlib.util.find_spec("cyipopt") is not None:
        return solve_ipopt(reduced)
    return solve_sequential(reduced)


def solve_ipopt(reduced: ReducedProblem) -> RawSolution:
    """CVXPY's nonlinear mode with IPOPT.

    Raises
    ------
    ProblemError
        If IPOPT's Python binding is not installed.
    """
    if importlib.util.find_spec("cyipopt") is None:
        raise ProblemError("solver cvxpy-ipopt needs IPOPT: pip install cyipopt-wheels")
    problem, p = nonlinear_problem(reduced)
    return _run(problem, p, solver=cp.IPOPT, nlp=True, tol=1e-10, print_level=0, sb="yes")


def nonlinear_problem(reduced: ReducedProblem) -> tuple[cp.Problem, cp.Variable]:
    """The problem, started at the uniform distribution, and p; cumulative sums are variables to keep it sparse."""
    depth, c = reduced.problem.depth, len(reduced.counts)
    p = cp.Variable((depth, c + 1), bounds=[1e-12, 1.0])
    before = cp.Variable((depth, c))
    constraints = [*_simplex(reduced, p), before[0] == 0, before[1:] == before[:-1] + p[:-1, 1:]]
    for form, value in zip(pairwise(reduced.forms), reduced.values, strict=True):
        expected = cp.sum(cp.multiply(form.a, p[:, 1:]))
        if not form.linear:
            weights = np.repeat(form.d[:, None], c, axis=1)
            expected += cp.sum(cp.multiply(weights, cp.multiply(p[:, 1:] @ form.K, before)))
        constraints.append(expected == value)
    problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(p))), constraints)
    p.value = np.tile(reduced.uniform_with_eliminated, (depth, 1))
    before.value = np.arange(depth)[:, None] * reduced.uniform
    return problem, p


def solve_sequential(reduced: ReducedProblem) -> RawSolution:
    """Convex programs with the measures linearised at the last point; one suffices for linear measures.

    Where a linearised program has no solution, the step towards the values is halved. The sequence converges
    linearly, to about the accuracy of the conic solver; its fixed points are exactly the stationary points of the
    problem.
    """
    forms, linear = reduced.forms, reduced.linear
    depth, c = reduced.problem.depth, len(reduced.counts)
    p = cp.Variable((depth, c + 1))
    slopes, levels = [cp.Parameter((depth, c)) for _ in forms], [cp.Parameter() for _ in forms]
    measured = [cp.sum(cp.multiply(s, p[:, 1:])) == v for s, v in zip(slopes, levels, strict=True)]
    problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(p))), [*measured, *_simplex(reduced, p)])
    point = np.tile(reduced.uniform_with_eliminated, (depth, 1))
    share, last = 1.0, np.inf
    message = f"no fixed point within {MOST_PROGRAMS} programs"
    for program in range(1, MOST_PROGRAMS + 1):
        for form, value, slope, level in zip(forms, reduced.values, slopes, levels, strict=True):
            w = form.gradient(point[:, 1:])
            scale = float(np.abs(w).max())
            slope.value = w / scale
            short = value - form.expected(point[:, 1:])
            level.value = (share * short + float(np.sum(w * point[:, 1:]))) / scale
        found = _run(problem, p, solver=cp.CLARABEL, **CONIC)
        if found.failed:
            share /= 2
            if share < 1e-3 or linear:
                return RawSolution(point, None, program, found.message, failed=True)
            continue
        change = float(np.abs(found.p - point).max())
        point = found.p
        if linear or (share == 1 and (change < STEADY or (change < 1e-4 and change > 0.8 * last))):
            message = ""
            break
        share, last = min(1.0, 2 * share), change
    return RawSolution(point, None, program, message, failed=bool(message))


def _simplex(reduced: ReducedProblem, p: cp.Variable) -> list[cp.Constraint]:
    counted = cp.sum(p[:, 1:], axis=0)
    return [cp.sum(p, axis=1) == 1, counted <= reduced.counts if reduced.bounded else counted == reduced.counts]


def _run(problem: cp.Problem, p: cp.Variable, **options: Any) -> RawSolution:
    """Solve; a solver that gives up returns a failed raw solution, not an exception."""
    try:
        with warnings.catch_warnings():  # the certificate judges accuracy
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            problem.solve(**options)
    except cp.SolverError as error:
        return RawSolution(np.empty(p.shape), None, 0, str(error), failed=True)
    if p.value is None or problem.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        return RawSolution(np.empty(p.shape), None, 0, f"CVXPY ended with status {problem.status}", failed=True)
    value: FloatArray = np.maximum(np.asarray(p.value, dtype=np.float64), 1e-300)
    iterations = problem.solver_stats.num_iters
    return RawSolution(
        value / value.sum(axis=1, keepdims=True), None, iterations if isinstance(iterations, int) else 0
    )
