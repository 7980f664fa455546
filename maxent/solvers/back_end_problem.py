"""Reduced problems, the input of back ends, and raw solutions, their output.

In a reduced problem, each value is strictly inside the attainable interval, no grade is absent, one grade is
eliminated, values are scaled, and no measure is determined by the others.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from maxent.measures.form import FULL, Form
from maxent.problem.arrays import Problems
from maxent.problem.certificate import make_multipliers
from maxent.problem.face import lenient_face
from maxent.problem.independent_ranks import IndependentRanks
from maxent.problem.problem import Problem
from maxent.problem.reduced import Reduced, apart, fit_multipliers
from maxent.problem.solution import Solution
from maxent.types import FloatArray


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """One of the problems of :class:`maxent.problem.Reduced`, with its m measures and values scaled.

    Values are divided by the lengths of the attainable intervals; c is the number of grades, or of groups of merged
    grades, not counting the eliminated one.
    """

    problem: Problem  # the original problem
    arrays: Reduced  # the reduced problem alone, not scaled, with the way back to all grades and measures
    forms: tuple[Form, ...]  # the scaled measures without the eliminated grade: a (depth, c), d (depth,), K (c, c)
    values: FloatArray  # (m,): the values that they must have
    counts: FloatArray  # (c,): expected number of documents of each group, or its upper bound
    log_odds: FloatArray  # (depth, c): logarithms of the reference's odds against the eliminated grade

    @classmethod
    def of(cls, problem: Problem, *, merged: bool = False) -> Self:
        """Reduce a problem; with ``merged``, merge grades that the measure does not distinguish."""
        if problem.is_joint:  # values at ends leave all ranks, but not all measures
            arrays = lenient_face(problem).reduced
        else:
            groups = problem.merged_grades if merged else apart(problem.present)
            arrays = Reduced.of(Problems.of([problem]), groups, (0,), np.array([[problem.interval]]))
        batch, (scale,) = arrays.batch, arrays.scale
        coefficients, counts = batch.topics[0], batch.counts[0]
        return cls(
            problem=problem,
            arrays=arrays,
            forms=tuple(
                Form(coefficients.a[:, j] / size, coefficients.d[:, j], coefficients.K[j] / size)
                for j, size in enumerate(scale)
            ),
            values=batch.value[0] / scale,
            counts=counts,
            log_odds=np.zeros((problem.depth, len(counts))) if batch.offset is None else batch.offset[0],
        )

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
        row = uniform_rows(self.counts, self.problem.depth)
        return np.concatenate(([1 - row.sum()], row))


def uniform_rows(counts: FloatArray, depth: int) -> FloatArray:
    """Uniform rows (..., c) with these counts, or fewer if they fill the list, so that no probability is 0."""
    share = counts / depth
    whole = share.sum(axis=-1, keepdims=True)
    return np.where(whole < 1 - FULL / 2, share, share * (1 - 1 / (1 + counts.shape[-1])) / whole)


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
    multipliers = fit_scaled(reduced, raw.p) if raw.multipliers is None else raw.multipliers
    p, expanded = reduced.arrays.expanded(raw.p[None], multipliers[None])
    distribution = IndependentRanks(reduced.problem, p[0])
    numbers = make_multipliers(reduced.problem, expanded[0])
    return Solution(distribution, "optimal", numbers, solver, raw.iterations, raw.message)


def fit_scaled(reduced: ReducedProblem, p: FloatArray) -> FloatArray:
    """Multipliers (m + c,) of the scaled values and of the counts that fit p (depth, c + 1)."""
    units = np.append(reduced.arrays.scale[0], np.ones(len(reduced.counts)))
    return np.asarray(fit_multipliers(reduced.arrays.batch, p) * units)
