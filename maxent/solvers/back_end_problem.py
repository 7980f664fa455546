"""Reduced problems, the input of back ends, and raw solutions, their output.

In a reduced problem, each value is strictly inside the attainable interval, no grade is absent, one grade is
eliminated, values are scaled, and no measure is determined by the others.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from maxent.measures.form import Form
from maxent.problem.arrays import Problems
from maxent.problem.certificate import make_multipliers
from maxent.problem.face import lenient_face
from maxent.problem.independent_ranks import IndependentRanks
from maxent.problem.problem import Problem
from maxent.problem.reduced import Reduced, apart
from maxent.problem.solution import Solution
from maxent.types import FloatArray


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """The only problem of a :class:`maxent.problem.Reduced`, as back ends read it: its m values are scaled.

    Values are divided by the lengths of the attainable intervals; c is the number of grades, or of groups of merged
    grades, not counting the eliminated one.
    """

    arrays: Reduced  # the problem, not scaled, and the way back to all grades and measures

    @classmethod
    def of(cls, problem: Problem, *, merged: bool = False) -> Self:
        """Reduce a problem; with ``merged``, merge grades that the measure does not distinguish."""
        if problem.is_joint:  # values at ends leave all ranks, but not all measures
            return cls(lenient_face(problem).reduced)
        groups = problem.merged_grades if merged else apart(problem.present)
        return cls(Reduced.of(Problems.of([problem]), groups, (0,), np.array([[problem.interval]])))

    @property
    def problem(self) -> Problem:
        """The original problem."""
        return self.arrays.problems[0]

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """The scaled measures without the eliminated grade: a (depth, c), d (depth,), K (c, c)."""
        coefficients = self.arrays.batch.topics[0]
        return tuple(
            Form(coefficients.a[:, j] / size, coefficients.d[:, j], coefficients.K[j] / size)
            for j, size in enumerate(self.arrays.scale[0])
        )

    @property
    def values(self) -> FloatArray:
        """Values (m,) that :attr:`forms` must have."""
        return np.asarray(self.arrays.batch.value[0] / self.arrays.scale[0])

    @property
    def counts(self) -> FloatArray:
        """Expected number of documents of each group, or its upper bound, (c,)."""
        return np.asarray(self.arrays.batch.counts[0])

    @cached_property
    def log_odds(self) -> FloatArray:
        """Logarithms (depth, c) of the reference's odds against the eliminated grade."""
        offset = self.arrays.batch.offset
        return np.zeros((self.problem.depth, len(self.counts))) if offset is None else offset[0]

    @property
    def form(self) -> Form:
        """Form of a problem with one measure."""
        (form,) = self.forms
        return form

    @property
    def value(self) -> float:
        """Value that :attr:`form` must have."""
        return float(self.values.item())

    @property
    def linear(self) -> bool:
        """Whether no measure has a pairwise part."""
        return all(form.linear for form in self.forms)

    @property
    def bounded(self) -> bool:
        """Whether the counts are upper bounds."""
        return self.problem.count == "at_most"

    @property
    def uniform(self) -> FloatArray:
        """Row (c + 1,) of the uniform distribution with these counts, where general back ends start."""
        row = self.arrays.uniform[0]
        return np.concatenate(([1 - row.sum()], row))


@dataclass(frozen=True, eq=False)
class RawSolution:
    """Result of a back end, before its certificate."""

    p: FloatArray  # (depth, c + 1): probabilities in the reduced problem, that of the eliminated grade first
    # (m + c,): lambda and mu of the reduced problem; None where the back end has none
    multipliers: FloatArray | None
    iterations: int  # as for :class:`maxent.problem.Solution`
    message: str = ""  # as for :class:`maxent.problem.Solution`
    failed: bool = False  # whether the back end gave up


def claimed_solution(reduced: ReducedProblem, raw: RawSolution, solver: str) -> Solution:
    """The solution of the problem itself that a back end claims; its certificate has not been looked at."""
    multipliers = reduced.arrays.fitted(raw.p) if raw.multipliers is None else raw.multipliers
    p, expanded = reduced.arrays.expanded(raw.p[None], multipliers[None])
    distribution = IndependentRanks(reduced.problem, p[0])
    numbers = make_multipliers(reduced.problem, expanded[0])
    return Solution(distribution, "optimal", numbers, solver, raw.iterations, raw.message)
