"""What general back ends get: a problem whose solution is known to lie strictly inside, in scaled numbers."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from maxent.kernels.batch import Batch
from maxent.measures.form import FULL, Form
from maxent.problem.arrays import MergedGrades, as_batch, unmerge
from maxent.problem.certificate import Multipliers
from maxent.problem.problem import Problem
from maxent.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem without absent grades and with the lowest present grade eliminated.

    The measure is divided by its attainable range; c is the number of present grades but one. If ``merged``, grades
    that the measure does not tell apart stand as one, the lowest of them.
    """

    problem: Problem
    merged: bool = False

    @cached_property
    def merged_grades(self) -> MergedGrades:
        """Grades that can occur at all, those that stand as one together."""
        problem = self.problem
        return problem.merged_grades if self.merged else tuple((grade,) for grade in problem.present)

    @property
    def merges(self) -> bool:
        """Whether any grades stand as one."""
        return len(self.merged_grades) < len(self.problem.present)

    @cached_property
    def present(self) -> list[int]:
        """Lowest grade of each class; the first is the one eliminated."""
        return [grades[0] for grades in self.merged_grades]

    @cached_property
    def scale(self) -> float:
        """Attainable range of the measure, as far as it is known."""
        low, high = self.problem.interval
        return high - low

    @cached_property
    def centred(self) -> tuple[Batch, FloatArray]:
        """The unscaled problem as arrays, and what was taken from its weights (c,)."""
        batch, mean = as_batch([self.problem], [self.merged_grades])[0].centred()
        return batch, mean[0, 0]

    @cached_property
    def form(self) -> Form:
        """A (depth, c), d (depth,), K (c, c): the scaled measure in the probabilities of ``present[1:]``."""
        batch, _ = self.centred
        return Form(a=batch.a[0, :, 0] / self.scale, d=batch.d[0, :, 0], K=batch.K[0, 0] / self.scale)

    @property
    def value(self) -> float:
        """Value wanted of the form."""
        return float(self.centred[0].value[0, 0]) / self.scale

    def merge(self, p: FloatArray) -> FloatArray:
        """A distribution (depth, levels + 1) in the present grades, alike ones together, (depth, c + 1)."""
        return np.column_stack([p[:, list(grades)].sum(axis=1) for grades in self.merged_grades])

    def end(self, above: bool) -> FloatArray:
        """Sorted list at the upper or the lower end, as a distribution (depth, c + 1) of the present grades."""
        return self.merge(self.problem.ends[int(above)].p)

    @cached_property
    def counts(self) -> FloatArray:
        """Expected number of documents of each of the grades ``present[1:]``, or its upper bound, (c,)."""
        return np.asarray(self.centred[0].counts[0])

    @property
    def bounded(self) -> bool:
        """Whether the counts are upper bounds."""
        return self.problem.count == "at_most"

    @cached_property
    def uniform(self) -> FloatArray:
        """Row of the uniform distribution that respects the counts, (c,): where every back end starts."""
        return uniform_rows(self.counts, self.problem.depth)

    @cached_property
    def uniform_value(self) -> float:
        """Value of the form for the uniform distribution."""
        return self.form.expected(np.tile(self.uniform, (self.problem.depth, 1)))

    @property
    def uniform_with_eliminated(self) -> FloatArray:
        """The same row with the eliminated grade in front, (c + 1,)."""
        return np.concatenate(([1 - self.uniform.sum()], self.uniform))


def uniform_rows(counts: FloatArray, depth: int) -> FloatArray:
    """Rows (..., c) of the uniform distributions with these counts; inside the simplex even if the list is full."""
    share = counts / depth
    whole = share.sum(axis=-1, keepdims=True)
    return np.where(whole < 1 - FULL / 2, share, share * (1 - 1 / (1 + counts.shape[-1])) / whole)


@dataclass(frozen=True, eq=False)
class RawSolution:
    """What a back end returns: p (depth, c + 1) of the present grades, and what it has to say.

    ``multipliers`` (c + 1,) are lambda and mu of the interior problem, or None where the back end has none.
    """

    p: FloatArray
    multipliers: FloatArray | None
    iterations: int
    message: str = ""
    failed: bool = False


def expand(reduced: ReducedProblem, candidate: RawSolution) -> tuple[FloatArray, Multipliers]:
    """P (depth, levels + 1) and multipliers of the original problem."""
    problem = reduced.problem
    fitted = candidate.multipliers
    if fitted is None:
        fitted = fit_multipliers(reduced, candidate.p)
    own = np.concatenate((fitted[:1], fitted[1:] - fitted[0] / reduced.scale * reduced.centred[1]))
    p, found = unmerge(reduced.merged_grades, problem.counts[None], candidate.p[None], own[None])
    found[0, 0] /= reduced.scale
    return p[0], as_multipliers(found, np.array([problem.present]), problem.levels)[0]


def as_multipliers(found: FloatArray, grades: IntArray, levels: int) -> list[Multipliers]:
    """Multipliers of the values and of the counts of all grades, -inf for absent ones."""
    multipliers = []
    for (value, *own), (first, *others) in zip(found.tolist(), grades.tolist(), strict=True):
        mu = [-math.inf] * (levels + 1)
        mu[first] = 0.0
        for grade, multiplier in zip(others, own, strict=True):
            mu[grade] = multiplier
        multipliers.append(Multipliers(value, tuple(mu[1:])))
    return multipliers


def fit_multipliers(reduced: ReducedProblem, p: FloatArray) -> FloatArray:
    """Multipliers that explain the logits of p best, weighted by the probabilities (least squares)."""
    safe = np.maximum(p, 1e-300)
    theta = np.log(safe[:, 1:]) - np.log(safe[:, :1])
    w = reduced.form.gradient(p[:, 1:])
    depth, c = w.shape
    reached = p[:, 1:].sum(axis=0) >= reduced.counts * (1 - 1e-6)
    columns = np.zeros((depth, c, 1 + c))
    columns[:, :, 0] = w
    columns[:, np.arange(c), 1 + np.arange(c)] = reached if reduced.bounded else 1.0
    weight = np.sqrt(safe[:, 1:] * safe[:, :1])
    fitted, *_ = np.linalg.lstsq((columns * weight[..., None]).reshape(-1, 1 + c), (theta * weight).ravel())
    return np.asarray(fitted)
