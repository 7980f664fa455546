"""Solutions of many problems side by side."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from maxent.kernels.curves import Observed, Seen, curve_errors
from maxent.problem.arrays import Problems
from maxent.problem.certificate import multipliers_of
from maxent.problem.solution import Solution, at_ends, entropies
from maxent.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions of many problems as arrays; one becomes an object when it is asked for."""

    problems: Problems  # what is solved
    p: FloatArray  # (k, depth, levels + 1): distributions; NaN where there is none
    statuses: npt.NDArray[np.object_]  # (k,): status of each solution
    constant: BoolArray  # (k,): whether the counts alone fix its values
    multipliers: FloatArray  # (k, m + levels): multipliers of the values and of the counts
    iterations: IntArray  # (k,): iterations of Newton's method
    others: dict[int, Solution]  # solutions that were found one by one
    seen: Seen | None  # what they say of observed lists, where that is wanted in place of p, which then is empty

    @classmethod
    def empty(cls, problems: Problems) -> Self:
        """No solution yet: the statuses are empty texts."""
        k, observed = len(problems), problems.observed
        return cls(
            problems=problems,
            p=np.empty((0 if observed else k, problems.depth, problems.levels + 1)),
            statuses=np.full(k, "", dtype=object),
            constant=np.zeros(k, dtype=np.bool_),
            multipliers=np.full((k, problems.m + problems.levels), np.nan),
            iterations=np.zeros(k, dtype=np.int64),
            others={},
            seen=observed.blank if observed else None,
        )

    def part(self, chosen: IntArray) -> Self:
        """Some of the solutions."""
        return replace(
            self,
            problems=self.problems.part(chosen),
            p=self.p if self.seen else self.p[chosen],
            statuses=self.statuses[chosen],
            constant=self.constant[chosen],
            multipliers=self.multipliers[chosen],
            iterations=self.iterations[chosen],
            others={place: self.others[k] for place, k in enumerate(chosen.tolist()) if k in self.others},
            seen=self.seen and self.seen.part(chosen),
        )

    def put(self, index: int, solution: Solution) -> None:
        """Enter a solution that was found by itself."""
        self.others[index], self.statuses[index] = solution, solution.status
        self.constant[index] = solution.constant
        self.enter(np.array([index]), solution.p[None])

    def enter(self, members: IntArray, p: FloatArray) -> None:
        """Enter distributions (k, depth, levels + 1), or what they say of observed lists."""
        if self.seen and self.problems.observed:
            self.seen.put(members, seen_of(p, self.problems.observed.part(members)))
        else:
            self.p[members] = p

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
    def over_lists(self) -> list[tuple[int, Solution]]:
        """Solutions over whole lists, with their places."""
        return [(k, solution) for k, solution in self.others.items() if solution.whole_lists]


def seen_of(p: FloatArray, observed: Observed) -> Seen:
    """What distributions p (k, depth, levels + 1) say of lists."""
    likely = _log_likelihoods(p, observed.rows())
    return Seen(entropies(p), likely, curve_errors(p, observed), p[:, observed.at - 1])


def _log_likelihoods(p: FloatArray, grades: IntArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.take_along_axis(p, grades[..., None], axis=-1)).sum(axis=(1, 2)))
