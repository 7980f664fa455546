"""Reduced problems, the input of back ends, and raw solutions, their output.

In a reduced problem, each value is strictly inside the attainable interval, no grade is absent, one grade is
eliminated, values are scaled, and no measure is determined by the others.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from maxent.kernels.batch import Batch
from maxent.measures.form import FULL, Form
from maxent.problem.arrays import MergedGrades, apart, fit_multipliers, single_batch, spread_multipliers, unmerge
from maxent.problem.certificate import Multipliers, make_multipliers
from maxent.problem.face import Face
from maxent.problem.problem import Problem
from maxent.types import FloatArray


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem without absent grades, with the lowest present grade eliminated and the m measures scaled.

    Values are divided by the lengths of the attainable intervals; c is the number of grades, or of groups of merged
    grades, not counting the eliminated one.
    """

    problem: Problem  # the original problem
    groups: MergedGrades  # grades present, merged ones in one group
    constraining: tuple[int, ...]  # indices of the measures that no others determine
    scale: FloatArray  # (m,): lengths of the attainable intervals, or of those between the bounds
    batch: Batch  # the unscaled problem as centred arrays
    middle: FloatArray  # (m, c): what was subtracted from its weights
    forms: tuple[Form, ...]  # the scaled measures without the eliminated grade: a (depth, c), d (depth,), K (c, c)
    values: FloatArray  # (m,): the values that they must have
    counts: FloatArray  # (c,): expected number of documents of each group, or its upper bound
    log_odds: FloatArray  # (depth, c): logarithms of the reference's odds against the eliminated grade

    @classmethod
    def of(cls, problem: Problem, *, merged: bool = False) -> Self:
        """Reduce a problem; with ``merged``, merge grades that the measure does not distinguish."""
        groups = problem.merged_grades if merged else apart(problem.present)
        constraining: tuple[int, ...] = (0,)
        if problem.is_joint:  # values at ends leave all ranks, but not all measures
            face = Face(problem, strict=False)
            constraining, unscaled_batch = face.constraining, face.batch
        else:
            unscaled_batch = single_batch(problem, groups)
        scale = np.array([high - low for low, high in (problem.parts[j].interval for j in constraining)])
        batch, middle = unscaled_batch.centred()
        coefficients, counts = batch.topics[0], batch.counts[0]
        return cls(
            problem=problem,
            groups=groups,
            constraining=constraining,
            scale=scale,
            batch=batch,
            middle=middle[0],
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


def expand(reduced: ReducedProblem, raw: RawSolution) -> tuple[FloatArray, Multipliers]:
    """Convert p and multipliers of the reduced problem to p (depth, levels + 1) and multipliers of the problem."""
    problem, fitted = reduced.problem, raw.multipliers
    if fitted is None:
        fitted = fit_scaled(reduced, raw.p)
    relative = unscale(fitted[None], reduced.scale, reduced.middle)
    p, unmerged = unmerge(reduced.groups, problem.counts[None], raw.p[None], relative)
    return p[0], make_multipliers(
        problem,
        spread_multipliers(unmerged, problem.present, problem.levels, reduced.constraining, len(problem.forms))[0],
    )


def unscale(multipliers: FloatArray, scale: FloatArray, middle: FloatArray) -> FloatArray:
    """Undo the ``scale`` (..., m) of values and the centring of weights (..., m, c) in multipliers (k, m + c)."""
    m = scale.shape[-1]
    values = multipliers[:, :m] / scale
    return np.concatenate((values, multipliers[:, m:] - (values[..., None] * middle).sum(axis=1)), axis=1)


def fit_scaled(reduced: ReducedProblem, p: FloatArray) -> FloatArray:
    """Multipliers (m + c,) of the scaled values and of the counts that fit p."""
    return np.asarray(fit_multipliers(reduced.batch, p) * np.append(reduced.scale, np.ones(len(reduced.counts))))
