"""The solution of a problem: the most random distribution, with a status and a certificate."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from maxent.problem.certificate import Certificate, Multipliers, Status, certify
from maxent.problem.problem import Problem
from maxent.types import FloatArray


@dataclass(frozen=True, eq=False)
class Solution:
    """Most random probability-at-rank distribution of a problem.

    Attributes
    ----------
    problem : Problem
        The problem solved.
    p : (depth, levels + 1) array
        Probability of grade i at rank n; NaN where the problem is infeasible.
    status : {"optimal", "boundary", "infeasible", "failed"}
        ``boundary``: the value is at an end of the attainable interval and p the limiting distribution;
        ``failed``: no distribution that the certificate confirms was found.
    multipliers : Multipliers
        Lagrange multipliers; those of the counts are NaN unless the solution is ``optimal``.
    solver : str
        Name of the back end, or ``none`` where no solver was needed.
    iterations : int
        Iterations of the back end.
    message : str
        What a user should know: the attainable interval, or why the back end failed.

    Examples
    --------
    The certificate of a solution, and that of a wrong claim: the same rows in reverse order have the counts, but
    another value.

    >>> from dataclasses import replace
    >>> import maxent as me
    >>> problem = me.Problem.of_list(me.AP(), [1, 0, 1, 0, 0, 1, 0, 0], relevant=(4,))
    >>> solution = me.solve(problem)
    >>> solution.p[:, 1].round(2).tolist()
    [0.66, 0.5, 0.41, 0.35, 0.31, 0.28, 0.26, 0.24]
    >>> found = solution.certificate
    >>> found.accepted, found.curvature, found.value_violation < 1e-9, found.stationarity < 1e-9
    (True, True, True, True)
    >>> wrong = replace(solution, p=solution.p[::-1]).certificate
    >>> wrong.accepted, round(wrong.count_violation, 9), round(wrong.value_violation, 2)
    (False, 0.0, 0.24)
    """

    problem: Problem
    p: FloatArray
    status: Status
    multipliers: Multipliers
    solver: str
    iterations: int = 0
    message: str = ""

    @cached_property
    def entropy(self) -> float:
        """Entropy of p in nats."""
        return float(0.0 - np.sum(self.p * np.log(self.p, out=np.zeros_like(self.p), where=self.p > 0)))

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate, recomputed from the problem, p and the multipliers; it does not depend on the back end."""
        return certify(self.problem, self.p, self.status, self.multipliers)
