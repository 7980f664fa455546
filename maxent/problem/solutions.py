"""Solutions of many problems as arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from maxent.kernels.observed import Seen
from maxent.measures.cascade import Expectation
from maxent.problem.arrays import Problems
from maxent.problem.certificate import make_multipliers
from maxent.problem.independent_ranks import IndependentRanks
from maxent.problem.solution import Solution, describe_ends
from maxent.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Solutions:
    """Solutions of many problems as arrays; indexing returns a Solution."""

    problems: Problems  # what is solved
    p: FloatArray  # (k, depth, levels + 1): distributions; NaN where there is none
    statuses: npt.NDArray[np.object_]  # (k,): status of each solution
    constant: BoolArray  # (k,): whether the counts alone fix its values
    multipliers: FloatArray  # (k, m + levels): multipliers of the values and of the counts
    iterations: IntArray  # (k,): iterations of Newton's method
    solved_singly: dict[int, Solution]  # solutions that were found one by one
    seen: Seen | None  # comparison with observed lists, if wanted in place of p, which then is empty

    @classmethod
    def empty(cls, problems: Problems) -> Self:
        """Arrays without solutions yet; statuses are empty strings."""
        k, observed = len(problems), problems.observed
        return cls(
            problems=problems,
            p=np.empty((0 if observed else k, problems.depth, problems.levels + 1)),
            statuses=np.full(k, "", dtype=object),
            constant=np.zeros(k, dtype=np.bool_),
            multipliers=np.full((k, problems.m + problems.levels), np.nan),
            iterations=np.zeros(k, dtype=np.int64),
            solved_singly={},
            seen=observed.blank if observed else None,
        )

    def part(self, chosen: IntArray) -> Self:
        """Some of the solutions, by index (k,)."""
        return replace(
            self,
            problems=self.problems.part(chosen),
            p=self.p if self.seen else self.p[chosen],
            statuses=self.statuses[chosen],
            constant=self.constant[chosen],
            multipliers=self.multipliers[chosen],
            iterations=self.iterations[chosen],
            solved_singly={
                place: self.solved_singly[k] for place, k in enumerate(chosen.tolist()) if k in self.solved_singly
            },
            seen=self.seen and self.seen.part(chosen),
        )

    def put(self, index: int, solution: Solution) -> None:
        """Enter a single Solution."""
        self.solved_singly[index], self.statuses[index] = solution, solution.status
        self.constant[index] = solution.constant
        if self.seen and self.problems.observed:
            indices = np.array([index])
            self.seen.put(indices, solution.distribution.seen(self.problems.observed.part(indices)))
        else:
            self.p[index] = solution.p

    def enter(self, members: IntArray, solutions: Self) -> None:
        """Enter solutions of some of the problems, whose indices are ``members``."""
        if self.seen and solutions.seen:
            self.seen.put(members, solutions.seen)
        else:
            self.p[members] = solutions.p
        self.statuses[members], self.constant[members] = solutions.statuses, solutions.constant
        self.multipliers[members], self.iterations[members] = solutions.multipliers, solutions.iterations

    def __getitem__(self, index: int) -> Solution:
        if index in self.solved_singly:
            return self.solved_singly[index]
        problem, status = self.problems[index], self.statuses[index]
        multipliers = make_multipliers(problem, self.multipliers[index])
        message = describe_ends(problem, multipliers) if status == "boundary" else ""
        distribution = IndependentRanks(problem, self.p[index])
        return Solution(distribution, status, multipliers, "newton", int(self.iterations[index]), message)

    def __iter__(self) -> Iterator[Solution]:
        return map(self.__getitem__, range(len(self.statuses)))

    def expected(self, forms: Sequence[Expectation]) -> FloatArray:
        """Expected values of measures, (k, measures)."""
        values = np.stack([form.expected_values(self.p) for form in forms], axis=-1)
        for k, solution in self.solved_singly.items():
            values[k] = solution.distribution.expected(forms)
        return values
