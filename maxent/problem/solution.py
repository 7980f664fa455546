"""The solution of a problem: the most random distribution, with a status and a certificate."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from maxent.problem.arrays import Problems
from maxent.problem.certificate import Certificate, Multipliers, Status, certify, multipliers_of
from maxent.problem.problem import Problem
from maxent.texts import html_table, many
from maxent.types import FloatArray, IntArray


def entropies(p: FloatArray) -> FloatArray:
    """Entropies in nats of distributions (..., depth, levels + 1), (...); NaN where there is none."""
    return np.asarray(0.0 - np.sum(p * np.log(np.where(p > 0, p, 1.0)), axis=(-2, -1)))


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

    def __repr__(self) -> str:
        found = f", entropy {self.entropy:.6g} nats" if np.isfinite(self.entropy) else ""
        return f"Solution({self._known()}: {self.status}{found})"

    def _known(self) -> str:
        """The values that are known, in words."""
        pairs = zip(self.problem.measure.parts, self.problem.values, strict=True)
        return " & ".join(f"{measure} = {value:.6g}" for measure, value in pairs) or "counts"

    def _repr_html_(self) -> str:
        counts = ", ".join(f"{n:g}" for n in self.problem.known_counts)
        rows = {
            "status": self.status,
            "entropy": f"{self.entropy:.6g} nats",
            "multipliers of the values": ", ".join(f"{own:.6g}" for own in self.multipliers.values) or "-",
            f"documents of each grade ({self.problem.count})": counts,
            "depth": self.problem.depth,
            "solver": f"{self.solver}, {many(self.iterations, 'iteration')}",
        }
        return html_table(self._known(), rows | {"message": self.message or "-"})

    @cached_property
    def entropy(self) -> float:
        """Entropy of p in nats."""
        return float(entropies(self.p))

    @cached_property
    def certificate(self) -> Certificate:
        """Certificate, recomputed from the problem, p and the multipliers; it does not depend on the back end."""
        return certify(self.problem, self.p, self.status, self.multipliers)


def at_ends(problem: Problem, multipliers: Multipliers) -> str:
    """Which values of a joint problem are at ends of their intervals, in words: those with infinite multipliers."""
    known = zip(problem.measure.parts, problem.values, multipliers.values, strict=True)
    ends = [
        f"{measure} = {value:.10g} is at an end of its interval" for measure, value, own in known if np.isinf(own)
    ]
    return "; ".join(ends)


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions of many problems as arrays; one becomes an object when it is asked for."""

    problems: Problems  # what is solved
    p: FloatArray  # (k, depth, levels + 1): distributions; NaN where there is none
    statuses: npt.NDArray[np.object_]  # (k,): status of each solution
    multipliers: FloatArray  # (k, m + levels): multipliers of the values and of the counts
    iterations: IntArray  # (k,): iterations of Newton's method
    others: dict[int, Solution]  # solutions that were found one by one

    @classmethod
    def empty(cls, problems: Problems) -> Self:
        """No solution yet: the statuses are empty texts."""
        k = len(problems)
        return cls(
            problems=problems,
            p=np.full((k, problems.depth, problems.levels + 1), np.nan),
            statuses=np.full(k, "", dtype=object),
            multipliers=np.full((k, problems.measures + problems.levels), np.nan),
            iterations=np.zeros(k, dtype=np.int64),
            others={},
        )

    def part(self, chosen: IntArray) -> Self:
        """Some of the solutions."""
        return replace(
            self,
            problems=self.problems.part(chosen),
            p=self.p[chosen],
            statuses=self.statuses[chosen],
            multipliers=self.multipliers[chosen],
            iterations=self.iterations[chosen],
            others={place: self.others[k] for place, k in enumerate(chosen.tolist()) if k in self.others},
        )

    def put(self, index: int, solution: Solution) -> None:
        """Enter a solution that was found by itself."""
        self.others[index] = solution
        self.p[index], self.statuses[index] = solution.p, solution.status

    def __getitem__(self, index: int) -> Solution:
        if index in self.others:
            return self.others[index]
        problem, status = self.problems[index], self.statuses[index]
        own = multipliers_of(problem, self.multipliers[index])
        message = at_ends(problem, own) if status == "boundary" else ""
        return Solution(problem, self.p[index], status, own, "newton", int(self.iterations[index]), message)

    def __iter__(self) -> Iterator[Solution]:
        return map(self.__getitem__, range(len(self.statuses)))

    @property
    def entropies(self) -> FloatArray:
        """Entropies in nats, (k,); NaN where there is no distribution."""
        return entropies(self.p)
