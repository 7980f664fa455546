"""Faces: joint problems reduced by values at ends of their intervals, which fix a part of the distribution.

A value at an end of its interval allows a rank only the grades of the sorted list at this end. For a linear measure
and fixed counts it implies nothing else, because empty cells (rank, grade) and the counts imply the value. So it
rules out cells, and its measure drops out. A rank with a single grade left is fixed. With fixed rows f_n and other
rows x_n, E[M] is E[M](f) plus the form of x with the derivatives of E[M] at f in place of a: on the other ranks,
the problem keeps its shape.

Where the counts are upper bounds, the value also implies that the bounds of some grades are reached: of those with
a gain whose documents all count, as the one document of a topic with the largest P@5. These counts are then fixed,
and the others remain bounds of what the other ranks hold.

For a pairwise measure, the sorted list need not be the only list at the end (if d_n is the same for several ranks).
It then represents all of them, and a solution that needs another list is missed.

A measure also drops out if its interval is a point, or if the others determine its value: several GAP(g) differ by
combinations of two of them, and all measures of relevant documents are equivalent if a list has only one grade.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from maxent.kernels.batch import Batch
from maxent.measures.form import FULL, Form
from maxent.problem.arrays import Problems
from maxent.problem.interval import End
from maxent.problem.problem import Problem
from maxent.problem.reduced import Reduced, apart, as_batch
from maxent.types import BoolArray, FloatArray, IntArray

UNUSED = 1e-11  # probabilities up to here count as 0 in a sorted list
RULED_OUT = 200.0  # nats by which the logit of a cell that is ruled out is lower: a probability of 1e-87
DEPENDENT = 1e-9  # share of a measure that the others must leave unexplained


@dataclass(frozen=True, eq=False)
class Face:
    """Joint problem reduced to the cells (rank, grade) that values at ends allow, and to the counts left open."""

    problem: Problem  # the joint problem; its values are in their intervals, and its counts fit into the depth
    # whether values at ends rule out cells and fix counts. If not, they are taken for values inside
    strict: bool = True

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Indices of the measures that rule out cells or fix counts."""
        return tuple(j for j, p in enumerate(self.problem.parts) if self.strict and p.location in ("low", "high"))

    @property
    def _sorted_lists(self) -> list[End]:
        """The ends at which values are."""
        parts = self.problem.parts
        return [parts[j].ends[parts[j].location == "high"] for j in self.ends]

    @cached_property
    def support(self) -> BoolArray:
        """Cells (rank, grade) that values at ends allow, (depth, levels + 1)."""
        problem = self.problem
        support = np.zeros((problem.depth, problem.levels + 1), dtype=np.bool_)
        support[:, problem.present] = True
        for end in self._sorted_lists:
            support &= end.p > UNUSED
        return support

    @cached_property
    def bounded(self) -> BoolArray:
        """Whether the count of each grade is an upper bound that values at ends do not fix, (levels,)."""
        bounded = np.full(self.problem.levels, self.problem.count == "at_most")
        for end in self._sorted_lists:
            bounded &= ~end.reached
        return bounded

    @property
    def empty(self) -> bool:
        """Whether the ends contradict each other: a rank has no allowed grade, or documents have no rank."""
        fixed_counts = self._left[~self.bounded].sum()
        return not self.support.any(axis=1).all() or bool(fixed_counts > len(self.free) * (1 + FULL))

    @cached_property
    def free(self) -> IntArray:
        """Ranks, counted from 0, with several allowed grades; the others are fixed."""
        return np.flatnonzero(self.support.sum(axis=1) > 1)

    @cached_property
    def fixed(self) -> FloatArray:
        """Distribution (depth, levels + 1) at ranks with one allowed grade; rows of 0 at free ranks."""
        distribution = self.support.astype(np.float64)
        distribution[self.free] = 0.0
        return distribution

    @cached_property
    def _left(self) -> FloatArray:
        """Documents (levels,) of each grade that fixed ranks leave, or upper bounds of them."""
        counts = self.problem.counts - self.fixed[:, 1:].sum(axis=0)
        return np.where(counts > UNUSED * np.maximum(self.problem.counts, 1.0), counts, 0.0)

    @cached_property
    def free_problems(self) -> Problems:
        """The problem that fixed ranks leave to the free ones, as the only row, with all measures.

        Its counts are upper bounds if those of any grade are (see :attr:`bounded`).
        """
        problem = self.problem
        # E[M](f + x) = E[M](f) + the form of x with the derivatives at f in place of a
        forms, values = list(problem.forms), np.array(problem.values)
        if len(self.free) < problem.depth:
            values = values - [form.expected(self.fixed) for form in forms]
            forms = [Form(form.gradient(self.fixed)[self.free], form.d[self.free], form.K) for form in forms]
        return Problems(
            forms=(tuple(forms),),
            form_index=np.zeros(1, dtype=np.int64),
            values=values[None],
            counts=self._left[None],
            at_most=bool(self.bounded.any()),
            depth=len(self.free),
            make=lambda _: problem,  # errors name the problem itself
            log_odds=None if problem.log_odds is None else problem.log_odds[self.free],
        )

    @property
    def present(self) -> tuple[int, ...]:
        """Grades that can occur at the free ranks."""
        return self.free_problems.patterns[0].present  # a single problem has one pattern

    @cached_property
    def constraining(self) -> tuple[int, ...]:
        """Indices of the measures that still constrain the distribution; they imply the other values."""
        if not len(self.free):
            return ()
        parts = self.problem.parts
        varying = [j for j, part in enumerate(parts) if part.location != "constant" and j not in self.ends]
        batch = as_batch(self.free_problems, apart(self.present), varying)
        return tuple(varying[k] for k in independent(batch, fixed=~self._is_bounded))

    @property
    def _is_bounded(self) -> BoolArray:
        """Whether the count of each grade present is an upper bound, (c,), without the eliminated first of them."""
        return np.asarray(self.bounded[np.array(self.present[1:], dtype=int) - 1])

    @cached_property
    def batch(self) -> Batch:
        """The problem of the free ranks with the constraining measures, as arrays; not scaled."""
        batch = as_batch(self.free_problems, apart(self.present), self.constraining)
        allowed = self.support[np.ix_(self.free, np.array(self.present))]  # (free ranks, c + 1)
        bounded = self._is_bounded
        implied = _implied_counts(allowed, ~bounded)  # (c,)
        # an implied count becomes an upper bound that no distribution reaches, which is no constraint
        out_of_reach = len(self.free) + 1.0
        counts = np.where(implied, out_of_reach, batch.counts)
        batch = replace(batch, bounded=bounded | implied, counts=counts)
        return batch.with_offset(exclude_cells(allowed)[None])

    @cached_property
    def reduced(self) -> Reduced:
        """:attr:`free_problems` as solvers get them: :attr:`batch`, and the way back to all grades and measures."""
        intervals = np.array([self.problem.parts[j].interval for j in self.constraining]).reshape(1, -1, 2)
        merged = apart(self.present)
        return Reduced(self.free_problems, merged, self.constraining, intervals, *self.batch.centred())

    def with_fixed_ranks(self, p: FloatArray) -> FloatArray:
        """Distribution (depth, levels + 1) from the probabilities p (free ranks, levels + 1) of the free ranks."""
        distribution = self.fixed.copy()
        distribution[self.free] = np.where(self.support[self.free], p, 0.0)
        return distribution


def exclude_cells(allowed: BoolArray) -> FloatArray:
    """Constant part of the logits, (..., c), that leaves only the ``allowed`` cells (rank, grade), (..., c + 1)."""
    logits = np.where(allowed, 0.0, -RULED_OUT)
    return np.ascontiguousarray(logits[..., 1:] - logits[..., :1])


def _implied_counts(allowed: BoolArray, fixed: BoolArray) -> BoolArray:
    """Grades (c,) whose ``fixed`` count follows from other counts and the ``allowed`` cells (ranks, c + 1).

    Grades that share ranks with each other, but not with grade 0, fill these ranks: one of their counts is the
    rest, and its constraint would make the Newton system singular. It is that of the lowest of them, unless one of
    their counts is not fixed.
    """
    share_ranks = allowed.T.astype(np.float64) @ allowed  # (c + 1, c + 1): number of ranks that allow both grades
    linked = np.linalg.matrix_power(share_ranks, allowed.shape[1]) > 0  # also through others
    is_lowest = linked.argmax(axis=1)[1:] == np.arange(1, len(linked))  # of those linked to it
    has_open_count = linked[1:, 1:][:, ~fixed].any(axis=1)
    return np.asarray(is_lowest & ~has_open_count)


@lru_cache(maxsize=8)
def strict_face(problem: Problem) -> Face:
    """The face with cells ruled out (``strict``), cached for solution, certificate and derivatives."""
    return Face(problem)


@lru_cache(maxsize=8)
def lenient_face(problem: Problem) -> Face:
    """The face without cells ruled out: values at ends are taken for values inside."""
    return Face(problem, strict=False)


def face_at_end(problem: Problem) -> Face | None:
    """Face at the end nearer to a single measure's value, in which the reference decides; None if it cannot.

    None means the most random sorted list: the answer for a uniform reference, and its substitute if the end is
    only a bound.
    """
    if problem.reference is None:
        return None
    end = replace(problem, value=problem.ends[problem.nearer_end].listed)
    return None if end.location == "inside" else strict_face(end)


def independent(batch: Batch, k: int = 0, *, fixed: BoolArray | None = None) -> tuple[int, ...]:
    """Indices of the measures of problem k, not centred, that are not linear combinations of earlier ones.

    A combination may leave a constant in each of the columns (c,) whose counts are ``fixed``: by default those
    that are not upper bounds.

    By Gram and Schmidt: what earlier measures leave of a measure is orthogonal to all of them, and must be more
    than rounding errors of the measure itself.
    """
    fixed = ~batch.bounded if fixed is None else fixed
    topic = batch.topics[batch.index[k]]
    a, d, K = topic.a, topic.d, topic.K
    if not K.size or not len(a):
        return ()
    size = np.linalg.norm(_vectors(a, d, K), axis=1)
    without_constants = a - np.where(fixed, a[len(a) // 2], 0.0)  # a constant is the weight of the middle rank
    vectors = _vectors(without_constants, d, K)
    indices: list[int] = []
    basis = np.zeros((0, vectors.shape[1]))  # orthonormal rows
    for j, residual in enumerate(vectors):
        for _ in range(2):  # twice is enough against rounding
            residual = residual - (basis @ residual) @ basis
        length = np.linalg.norm(residual)
        if length > DEPENDENT * size[j]:
            indices.append(j)
            basis = np.vstack((basis, residual / length))
    return tuple(indices)


def _vectors(a: FloatArray, d: FloatArray, K: FloatArray) -> FloatArray:
    """Coefficients of the measures of a problem, (m, numbers): a_n(i), and d_n K(i, k) of all n, i, k."""
    m = len(K)
    pairs = np.einsum("nj,jik->jnik", d, K)
    return np.concatenate((a.swapaxes(0, 1).reshape(m, -1), pairs.reshape(m, -1)), axis=1)
