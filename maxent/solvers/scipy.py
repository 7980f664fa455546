"""SciPy's trust-constr with exact derivatives, for independent solutions at moderate depth.

The Hessian is a linear operator, and depths of 100 to 200 take seconds to minutes. The variables are the
probabilities p themselves, kept inside the simplex.
"""

import numpy as np
from scipy import optimize
from scipy.sparse import csr_array, eye_array, hstack, kron
from scipy.sparse.linalg import LinearOperator

from maxent.solvers.back_end_problem import RawSolution, ReducedProblem
from maxent.types import FloatArray

SMALLEST = 1e-14  # lower bound of a probability: the entropy's derivative is infinite at 0


def solve_trust_constr(reduced: ReducedProblem) -> RawSolution:
    """Solve by the interior-point method of Byrd, Hribar and Nocedal with exact gradient and Hessian."""
    objective = _Objective(reduced)
    forms, shape = reduced.forms, objective.shape
    size = shape[0] * shape[1]

    def hessian(x: FloatArray, weight: FloatArray) -> LinearOperator:
        def act(v: FloatArray) -> FloatArray:
            along = v.reshape(shape)
            terms = [y * form.hessian_action(along) for y, form in zip(weight, forms, strict=True)]
            return np.asarray(sum(terms)).ravel()

        return LinearOperator((size, size), matvec=act, dtype=np.float64)

    values = optimize.NonlinearConstraint(
        objective.expected,
        reduced.values,
        reduced.values,
        jac=lambda x: csr_array(objective.expected_gradient(x)),
        hess=hessian,
    )
    count_matrix = csr_array(hstack([eye_array(shape[1])] * shape[0]))
    row_matrix = csr_array(kron(eye_array(shape[0]), np.ones((1, shape[1]))))
    fewest = -np.inf if reduced.bounded else reduced.counts
    counts = optimize.LinearConstraint(count_matrix, fewest, reduced.counts)
    rows = optimize.LinearConstraint(row_matrix, -np.inf, 1 - SMALLEST, keep_feasible=True)
    optimum = optimize.minimize(
        objective.negative_entropy,
        np.tile(reduced.uniform[1:], shape[0]),
        jac=True,
        hess=objective.entropy_hessian,
        method="trust-constr",
        bounds=optimize.Bounds(SMALLEST, 1.0, keep_feasible=True),
        constraints=[values, counts, rows] if forms else [counts, rows],
        options={"gtol": 1e-10, "xtol": 1e-13, "barrier_tol": 1e-10, "maxiter": 3000},
    )
    p = objective.split(np.asarray(optimum.x))
    return RawSolution(p / p.sum(axis=1, keepdims=True), None, int(optimum.nit), str(optimum.message))


class _Objective:
    """The problem in SciPy's flat vector: p_n(i) of all grades but the eliminated one, row by row."""

    def __init__(self, reduced: ReducedProblem) -> None:
        self.forms, self.log_odds = reduced.forms, reduced.log_odds
        self.shape = reduced.problem.depth, len(reduced.counts)

    def split(self, x: FloatArray) -> FloatArray:
        """All probabilities (depth, c + 1), the eliminated grade first."""
        p = np.maximum(x.reshape(self.shape), 1e-300)
        return np.column_stack((np.maximum(1 - p.sum(axis=1), 1e-300), p))

    def negative_entropy(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Negative entropy relative to the reference, and its gradient."""
        p = self.split(x)
        logs = np.log(p)
        logs[:, 1:] -= self.log_odds
        return float(np.sum(p * logs)), (logs[:, 1:] - logs[:, :1]).ravel()

    def entropy_hessian(self, x: FloatArray) -> csr_array:
        """Block diagonal: diag(1/p) + 1/p(eliminated)."""
        p = self.split(x)
        depth, c = self.shape
        blocks = np.zeros((depth, c, c)) + 1 / p[:, :1, None]
        blocks[:, np.arange(c), np.arange(c)] += 1 / p[:, 1:]
        columns = np.arange(depth * c).reshape(depth, 1, c).repeat(c, axis=1)
        return csr_array((blocks.ravel(), columns.ravel(), np.arange(0, depth * c * c + 1, c)))

    def expected(self, x: FloatArray) -> FloatArray:
        return np.array([form.expected(x.reshape(self.shape)) for form in self.forms])

    def expected_gradient(self, x: FloatArray) -> FloatArray:
        return np.array([form.gradient(x.reshape(self.shape)).ravel() for form in self.forms])
