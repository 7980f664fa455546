"""Reduced problems, which back ends get, and raw solutions, which they return.

The value of a reduced problem is strictly inside the attainable interval. No grade is absent, one grade is
eliminated, and values are scaled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from maxent.kernels.batch import Batch
from maxent.measures.form import FULL, Form
from maxent.problem.arrays import MergedGrades, apart, single_batch, unmerge
from maxent.problem.certificate import Multipliers
from maxent.problem.problem import Problem
from maxent.types import FloatArray


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem without absent grades, with the lowest present grade eliminated and the measure scaled.

    Values are divided by the length of the attainable interval; c is the number of grades present besides the
    eliminated one.

    Attributes
    ----------
    problem : Problem
        The original problem.
    merged : bool
        Whether grades that the measure does not tell apart are merged into the lowest of them.
    """

    problem: Problem
    merged: bool = False

    @cached_property
    def merged_grades(self) -> MergedGrades:
        """Grades present, grouped; merged ones share a group."""
        problem = self.problem
        return problem.merged_grades if self.merged else apart(problem.present)

    @property
    def merges(self) -> bool:
        """Whether any grades are merged."""
        return len(self.merged_grades) < len(self.problem.present)

    @cached_property
    def present(self) -> list[int]:
        """Lowest grade of each group; the first is the eliminated grade."""
        return [grades[0] for grades in self.merged_grades]

    @cached_property
    def scale(self) -> float:
        """Length of the attainable interval, or of that between the bounds."""
        low, high = self.problem.interval
        return high - low

    @cached_property
    def centred(self) -> tuple[Batch, FloatArray]:
        """The unscaled problem as centred arrays, and the row (c,) subtracted from its weights."""
        batch, middle = single_batch(self.problem, self.merged_grades).centred()
        return batch, middle[0, 0]

    @cached_property
    def form(self) -> Form:
        """The scaled measure in the probabilities of ``present[1:]``: a (depth, c), d (depth,), K (c, c)."""
        batch, _ = self.centred
        return Form(a=batch.a[0, :, 0] / self.scale, d=batch.d[0, :, 0], K=batch.K[0, 0] / self.scale)

    @property
    def value(self) -> float:
        """The value that :attr:`form` must have."""
        return float(self.centred[0].value[0, 0]) / self.scale

    def merge(self, p: FloatArray) -> FloatArray:
        """A distribution (depth, levels + 1) in the groups of present grades, (depth, c + 1)."""
        return np.column_stack([p[:, list(grades)].sum(axis=1) for grades in self.merged_grades])

    def end(self, above: bool) -> FloatArray:
        """Sorted list at the upper or the lower end, as a distribution (depth, c + 1) of the present grades."""
        return self.merge(self.problem.ends[int(above)].p)

    @cached_property
    def counts(self) -> FloatArray:
        """Expected number of documents of the grades ``present[1:]``, or its upper bound, (c,)."""
        return np.asarray(self.centred[0].counts[0])

    @property
    def bounded(self) -> bool:
        """Whether the counts are upper bounds."""
        return self.problem.count == "at_most"

    @cached_property
    def uniform(self) -> FloatArray:
        """Row (c,) of the uniform distribution that respects the counts, the start of general back ends."""
        return uniform_rows(self.counts, self.problem.depth)

    @cached_property
    def uniform_value(self) -> float:
        """Value of the form for the uniform distribution."""
        return self.form.expected(np.tile(self.uniform, (self.problem.depth, 1)))

    @property
    def uniform_with_eliminated(self) -> FloatArray:
        """:attr:`uniform` with the eliminated grade in front, (c + 1,)."""
        return np.concatenate(([1 - self.uniform.sum()], self.uniform))


def uniform_rows(counts: FloatArray, depth: int) -> FloatArray:
    """Rows (..., c) of the uniform distributions with these counts, with fewer documents where the list is full.

    So every probability is positive, that of the eliminated grade as well.
    """
    share = counts / depth
    whole = share.sum(axis=-1, keepdims=True)
    return np.where(whole < 1 - FULL / 2, share, share * (1 - 1 / (1 + counts.shape[-1])) / whole)


@dataclass(frozen=True, eq=False)
class RawSolution:
    """What a back end returns, before its certificate.

    Attributes
    ----------
    p : (depth, c + 1) array
        Probabilities in the reduced problem, that of the eliminated grade first.
    multipliers : (1 + c,) array, optional
        lambda and mu of the reduced problem; None where the back end has none.
    iterations, message
        As for :class:`maxent.Solution`.
    failed : bool
        Whether the back end gave up.
    """

    p: FloatArray
    multipliers: FloatArray | None
    iterations: int
    message: str = ""
    failed: bool = False


def expand(reduced: ReducedProblem, raw: RawSolution) -> tuple[FloatArray, Multipliers]:
    """Distribution (depth, levels + 1) and multipliers of the original problem, from a raw solution."""
    problem = reduced.problem
    fitted = raw.multipliers
    if fitted is None:
        fitted = fit_multipliers(reduced, raw.p)
    own = np.concatenate((fitted[:1], fitted[1:] - fitted[0] / reduced.scale * reduced.centred[1]))
    p, found = unmerge(reduced.merged_grades, problem.counts[None], raw.p[None], own[None])
    found[0, 0] /= reduced.scale
    value, *counts = of_all_grades(found, problem.present, problem.levels)[0].tolist()
    return p[0], Multipliers(value, tuple(counts))


def of_all_grades(found: FloatArray, present: Sequence[int], levels: int) -> FloatArray:
    """Multipliers of the value and of all grades 1..levels, (k, 1 + levels): -inf for absent grades.

    Parameters
    ----------
    found : (k, 1 + c) array
        Multipliers of the value and of the grades present but the lowest.
    present : sequence of int
        Grades present, ascending.
    levels : int
        Highest grade.
    """
    mu = np.full((len(found), levels + 1), -np.inf)
    mu[:, present[0]] = 0.0
    mu[:, present[1:]] = found[:, 1:]
    return np.column_stack((found[:, 0], mu[:, 1:]))


def fit_multipliers(reduced: ReducedProblem, p: FloatArray) -> FloatArray:
    """Multipliers (1 + c,) that fit the logits of p by least squares, weighted by the probabilities."""
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
