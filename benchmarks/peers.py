"""Other ways to solve the same problems, each a function from ReducedProblem to (seconds of the solve, entropy).

Building the model is not counted anywhere: what is timed is the peer's solve call alone.
"""

import time
import warnings
from collections.abc import Callable

import casadi as ca
import cvxpy as cp
import numpy as np

from maxent.solvers.back_end_problem import RawSolution, ReducedProblem
from maxent.solvers.cvxpy import simplex
from maxent.solvers.scipy import solve_trust_constr

Peer = Callable[[ReducedProblem], tuple[float, float]]


def entropy(p: np.ndarray) -> float:
    """Entropy of all grades from the probabilities (depth, c) after the eliminated grade, in nats."""
    everything = np.column_stack((1 - p.sum(axis=1), p))
    return float(-np.sum(everything * np.log(np.maximum(everything, 1e-300))))


def nonlinear_problem(reduced: ReducedProblem) -> tuple[cp.Problem, cp.Variable]:
    """The problem, started at the uniform distribution, and p; cumulative sums are variables to keep it sparse."""
    depth, c = reduced.problem.depth, len(reduced.counts)
    p = cp.Variable((depth, c + 1), bounds=[1e-12, 1.0])
    before = cp.Variable((depth, c))
    constraints = [*simplex(reduced, p), before[0] == 0, before[1:] == before[:-1] + p[:-1, 1:]]
    for form, value in zip(reduced.forms, reduced.values, strict=True):
        expected = cp.sum(cp.multiply(form.a, p[:, 1:]))
        if not form.linear:
            weights = np.repeat(form.d[:, None], c, axis=1)
            expected += cp.sum(cp.multiply(weights, cp.multiply(p[:, 1:] @ form.K, before)))
        constraints.append(expected == value)
    problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(p))), constraints)
    p.value = np.tile(reduced.uniform, (depth, 1))
    before.value = np.arange(depth)[:, None] * reduced.uniform[1:]
    return problem, p


def cvxpy_ipopt(reduced: ReducedProblem) -> tuple[float, float]:
    """CVXPY's nonlinear mode with IPOPT at its default tolerance."""
    problem, p = nonlinear_problem(reduced)
    start = time.perf_counter()
    problem.solve(solver=cp.IPOPT, nlp=True, print_level=0, sb="yes")
    return time.perf_counter() - start, entropy(np.asarray(p.value)[:, 1:])


def cvxpy_clarabel(reduced: ReducedProblem) -> tuple[float, float]:
    """Conic program of a linear measure."""
    p = cp.Variable((len(reduced.form.d), reduced.form.a.shape[1] + 1))
    measured = cp.sum(cp.multiply(reduced.form.a, p[:, 1:])) == reduced.value
    problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(p))), [measured, *simplex(reduced, p)])
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=cp.CLARABEL)
    return time.perf_counter() - start, entropy(np.asarray(p.value)[:, 1:])


def _casadi(reduced: ReducedProblem, solver: str) -> tuple[float, float]:
    """The problem as optimal control: state (S_n, value so far), control p_n, in the order FATROP wants."""
    form = reduced.form
    depth, c = form.a.shape
    state = ca.MX.sym("x0", c + 1)
    variables, constraints, low, high = [state], [], [], []
    cost = ca.MX(0)

    def constrain(expression: ca.MX, lower: float, upper: float) -> None:
        constraints.append(expression)
        low.extend([lower] * expression.numel())
        high.extend([upper] * expression.numel())

    for n in range(depth):
        p, following = ca.MX.sym(f"p{n}", c), ca.MX.sym(f"x{n + 1}", c + 1)
        gained = ca.dot(p, ca.DM(form.a[n]) + form.d[n] * (ca.DM(form.K) @ state[:c]))
        constrain(following - ca.vertcat(state[:c] + p, state[c] + gained), 0.0, 0.0)
        if n == 0:
            constrain(state, 0.0, 0.0)
        constrain(p, 1e-10, 1 - 1e-10)
        last = 1 - ca.sum1(p)
        cost += ca.sum1(p * ca.log(p)) + last * ca.log(last)
        variables += [p, following]
        state = following
    constrain(state - ca.DM(np.concatenate((reduced.counts, [reduced.value]))), 0.0, 0.0)
    options = {"print_time": False, "expand": True, f"{solver}.print_level": 0, f"{solver}.tol": 1e-8}
    if solver == "fatrop":
        equality = [lower == upper for lower, upper in zip(low, high, strict=True)]
        options |= {"structure_detection": "auto", "equality": equality}
    else:
        options["ipopt.sb"] = "yes"
    problem = {"x": ca.vertcat(*variables), "f": cost, "g": ca.vertcat(*constraints)}
    call = ca.nlpsol("solver", solver, problem, options)
    reached = np.arange(depth + 1)[:, None] * np.append(reduced.uniform[1:], reduced.value / depth)
    guess = np.concatenate([reached[0], *(np.append(reduced.uniform[1:], reached[n + 1]) for n in range(depth))])
    start = time.perf_counter()
    found = call(x0=guess, lbg=low, ubg=high)
    seconds = time.perf_counter() - start
    x = np.asarray(found["x"]).ravel()[c + 1 :].reshape(depth, 2 * c + 1)
    return seconds, entropy(x[:, :c])


def casadi_ipopt(reduced: ReducedProblem) -> tuple[float, float]:
    """CasADi with IPOPT."""
    return _casadi(reduced, "ipopt")


def casadi_fatrop(reduced: ReducedProblem) -> tuple[float, float]:
    """CasADi with FATROP, the structured interior-point solver of optimal control."""
    return _casadi(reduced, "fatrop")


def scipy_trust_constr(reduced: ReducedProblem) -> tuple[float, float]:
    """SciPy's trust-constr with sparse Jacobians and a Hessian action, as the back end ``scipy`` calls it."""
    return _back_end(reduced, solve_trust_constr)


def _back_end(reduced: ReducedProblem, solve: Callable[[ReducedProblem], RawSolution]) -> tuple[float, float]:
    start = time.perf_counter()
    found = solve(reduced)
    return time.perf_counter() - start, entropy(found.p[:, 1:])


def numpy_dual_newton(reduced: ReducedProblem) -> tuple[float, float]:
    """Damped Newton on the convex dual of a linear measure, in plain numpy."""
    start = time.perf_counter()
    a, counts = reduced.form.a, reduced.counts
    c = a.shape[1]
    even = reduced.uniform[1:]
    x = np.concatenate(([0.0], np.log(even / (1 - even.sum()))))
    goal = np.concatenate(([reduced.value], counts))

    def state(x: np.ndarray) -> tuple[float, np.ndarray]:
        theta = x[1:] + x[0] * a
        top = np.maximum(theta.max(axis=1), 0.0)
        e = np.exp(theta - top[:, None])
        total = e.sum(axis=1) + np.exp(-top)
        return float(np.sum(top + np.log(total)) - x @ goal), e / total[:, None]

    dual, p = state(x)
    for _ in range(200):
        gradient = np.concatenate(([np.sum(p * a)], p.sum(axis=0))) - goal
        if np.abs(gradient).max() < 1e-10:
            break
        mean = np.sum(p * a, axis=1)
        hessian = np.empty((c + 1, c + 1))
        hessian[0, 0] = np.sum(p * a * a) - mean @ mean
        hessian[0, 1:] = hessian[1:, 0] = np.sum(p * (a - mean[:, None]), axis=0)
        hessian[1:, 1:] = np.diag(p.sum(axis=0)) - p.T @ p
        step = -np.linalg.solve(hessian, gradient)
        share = 1.0
        while True:
            new_dual, new_p = state(x + share * step)
            if new_dual <= dual + 1e-4 * share * (gradient @ step) or share < 1e-6:
                break
            share /= 2
        x, dual, p = x + share * step, new_dual, new_p
    return time.perf_counter() - start, entropy(p)
