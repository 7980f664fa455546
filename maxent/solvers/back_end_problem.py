"""Reduced problems, which back ends get, and raw solutions, which they return.

Each value of a reduced problem is strictly inside the attainable interval. No grade is absent, one grade is
eliminated, values are scaled, and no measure is determined by the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from maxent.kernels.batch import Batch
from maxent.measures.form import FULL, Form
from maxent.problem.arrays import MergedGrades, apart, single_batch, unmerge
from maxent.problem.certificate import Multipliers, multipliers_of
from maxent.problem.face import Face
from maxent.problem.problem import Problem
from maxent.types import FloatArray


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem without absent grades, with the lowest present grade eliminated and the m measures scaled.

    Values are divided by the lengths of the attainable intervals; c is the number of grades present besides the
    eliminated one.
    """

    problem: Problem  # the original problem
    merged: bool = False  # whether grades that the measure does not tell apart are merged into the lowest of them

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
    def face(self) -> Face | None:
        """What values at ends leave of a joint problem: all ranks, but not all measures; None without a joint."""
        return Face(self.problem, strict=False) if self.problem.is_joint else None

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Indices of the measures that no others determine."""
        return self.face.kept if self.face else (0,)

    @cached_property
    def scale(self) -> FloatArray:
        """Lengths of the attainable intervals, or of those between the bounds, (m,)."""
        intervals = np.array([self.problem.parts[j].interval for j in self.kept]).reshape(-1, 2)
        return np.asarray(intervals[:, 1] - intervals[:, 0])

    @cached_property
    def centred(self) -> tuple[Batch, FloatArray]:
        """The unscaled problem as centred arrays, and the rows (m, c) subtracted from its weights."""
        own = self.face.batch if self.face else single_batch(self.problem, self.merged_grades)
        batch, middle = own.centred()
        return batch, middle[0]

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """The scaled measures in the probabilities of ``present[1:]``: a (depth, c), d (depth,), K (c, c)."""
        own, scale = self.centred[0].topics[0], self.scale
        return tuple(
            Form(a=own.a[:, j] / scale[j], d=own.d[:, j], K=own.K[j] / scale[j]) for j in range(len(scale))
        )

    @property
    def form(self) -> Form:
        """The only one of :attr:`forms`."""
        (form,) = self.forms
        return form

    @property
    def linear(self) -> bool:
        """Whether no measure has a pairwise part."""
        return all(form.linear for form in self.forms)

    @property
    def values(self) -> FloatArray:
        """The values that :attr:`forms` must have, (m,)."""
        return np.asarray(self.centred[0].value[0] / self.scale)

    @property
    def value(self) -> float:
        """The value that :attr:`form` must have."""
        return float(self.values.item())

    @cached_property
    def counts(self) -> FloatArray:
        """Expected number of documents of the grades ``present[1:]``, or its upper bound, (c,)."""
        return np.asarray(self.centred[0].counts[0])

    @property
    def log_odds(self) -> FloatArray:
        """Logarithms (depth, c) of the reference's odds of ``present[1:]`` against the eliminated grade."""
        offset = self.centred[0].offset
        return np.zeros((self.problem.depth, len(self.counts))) if offset is None else offset[0]

    @property
    def bounded(self) -> bool:
        """Whether the counts are upper bounds."""
        return self.problem.count == "at_most"

    @cached_property
    def uniform(self) -> FloatArray:
        """Row (c,) of the uniform distribution that respects the counts, the start of general back ends."""
        return uniform_rows(self.counts, self.problem.depth)

    @property
    def uniform_with_eliminated(self) -> FloatArray:
        """:attr:`uniform` with the eliminated grade in front, (c + 1,)."""
        return np.concatenate(([1 - self.uniform.sum()], self.uniform))


def uniform_rows(counts: FloatArray, depth: int) -> FloatArray:
    """Uniform rows (..., c) with these counts, or fewer where the list is full: every probability is positive."""
    share = counts / depth
    whole = share.sum(axis=-1, keepdims=True)
    return np.where(whole < 1 - FULL / 2, share, share * (1 - 1 / (1 + counts.shape[-1])) / whole)


@dataclass(frozen=True, eq=False)
class RawSolution:
    """What a back end returns, before its certificate."""

    p: FloatArray  # (depth, c + 1): probabilities in the reduced problem, that of the eliminated grade first
    # (m + c,): lambda and mu of the reduced problem; None where the back end has none
    multipliers: FloatArray | None
    iterations: int  # as for :class:`maxent.problem.Solution`
    message: str = ""  # as for :class:`maxent.problem.Solution`
    failed: bool = False  # whether the back end gave up


def expand(reduced: ReducedProblem, raw: RawSolution) -> tuple[FloatArray, Multipliers]:
    """Make p (depth, levels + 1) and multipliers of the given problem from those of the reduced one."""
    problem, kept = reduced.problem, reduced.kept
    fitted, m = raw.multipliers, len(reduced.kept)
    if fitted is None:
        fitted = fit_multipliers(reduced, raw.p)
    values = fitted[:m] / reduced.scale
    own = np.concatenate((values, fitted[m:] - values @ reduced.centred[1]))
    p, found = unmerge(reduced.merged_grades, problem.counts[None], raw.p[None], own[None])
    given = np.zeros(len(problem.forms))
    given[list(kept)] = found[0, :m]
    of_all = of_all_grades(found, problem.present, problem.levels)[0, m:]
    return p[0], multipliers_of(problem, np.concatenate((given, of_all)))


def of_all_grades(found: FloatArray, present: Sequence[int], levels: int) -> FloatArray:
    """Multipliers of the values and of all grades 1..levels, (k, m + levels): -inf for absent grades.

    ``found`` (k, m + c) has those of the values and of the grades ``present`` but the lowest, ascending.
    """
    mu, m = np.full((len(found), levels + 1), -np.inf), found.shape[1] - len(present) + 1
    mu[:, present[0]] = 0.0
    mu[:, present[1:]] = found[:, m:]
    return np.column_stack((found[:, :m], mu[:, 1:]))


def fit_multipliers(reduced: ReducedProblem, p: FloatArray) -> FloatArray:
    """Multipliers (m + c,) that fit the logits of p by least squares, weighted by the probabilities."""
    safe = np.maximum(p, 1e-300)
    theta = np.log(safe[:, 1:]) - np.log(safe[:, :1]) - reduced.log_odds
    m, (depth, c) = len(reduced.forms), theta.shape
    reached = p[:, 1:].sum(axis=0) >= reduced.counts * (1 - 1e-6)
    columns = np.zeros((depth, c, m + c))
    for j, form in enumerate(reduced.forms):
        columns[:, :, j] = form.gradient(p[:, 1:])
    columns[:, np.arange(c), m + np.arange(c)] = reached if reduced.bounded else 1.0
    weight = np.sqrt(safe[:, 1:] * safe[:, :1])
    fitted, *_ = np.linalg.lstsq((columns * weight[..., None]).reshape(-1, m + c), (theta * weight).ravel())
    return np.asarray(fitted)
