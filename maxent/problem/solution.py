"""The answer to a problem."""

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
    p : (depth, levels + 1) array
        Probability of grade i at rank n; NaN where the problem is infeasible.
    status : {"optimal", "boundary", "infeasible", "failed"}
        ``boundary``: the value is at an end of the attainable interval and p the limiting distribution;
        ``failed``: no distribution that the certificate confirms was found.
    multipliers : Multipliers
    solver : str
        Name of the back end.
    iterations : int
    message : str
        What a user should know: the attainable interval, or why the back end failed.
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
        return float(-np.sum(self.p * np.log(self.p, out=np.zeros_like(self.p), where=self.p > 0)))

    @cached_property
    def certificate(self) -> Certificate:
        """Recomputed from the problem and p; acceptance never depends on a solver's word."""
        return certify(self.problem, self.p, self.status, self.multipliers)
