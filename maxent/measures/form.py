"""Pairwise forms: the algebra that most measures share.

For one topic, the value of such a measure is a pairwise form of the grades i_1..i_N in the list,

    M(i_1..i_N) = sum_n [ a_n(i_n) + d_n sum_{m<n} K(i_n, i_m) ].

Ranks are independent under a probability-at-rank distribution p, so the expected value is the same expression with
probabilities in place of grades. With S_n = sum_{m<n} p_m and T_n = sum_{m>n} d_m p_m, the expected value and its
derivative are

    E[M] = sum_n [ a_n' p_n + d_n p_n' K S_n ],     w_n = dE[M]/dp_n = a_n + d_n K S_n + K' T_n.

S and T are cumulative sums, so that every function here takes O(depth * levels^2) operations.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from maxent.errors import MeasureError
from maxent.types import FloatArray, IntArray

FULL = 1e-13  # counts whose sum is within this share of the depth fill the list: no rank is left for grade 0


@dataclass(frozen=True, eq=False)
class Form:
    """Coefficients of a measure for one topic.

    Attributes
    ----------
    a : (depth, levels + 1) array
        Contribution of grade i at rank n alone; column 0 is for non-relevant documents.
    d : (depth,) array
        Weight of rank n in the pairwise part.
    K : (levels + 1, levels + 1) array
        Entry [i, m] is the contribution of a document of grade i after one of grade m; row and column 0 are zero.
    """

    a: FloatArray
    d: FloatArray
    K: FloatArray

    @property
    def depth(self) -> int:
        """Length of the ranked list, N."""
        return len(self.d)

    @property
    def levels(self) -> int:
        """Highest grade, c."""
        return len(self.a[0]) - 1

    @cached_property
    def linear(self) -> bool:
        """Whether the form has no pairwise part."""
        return not (self.K.any() and self.d.any())

    def evaluate(self, grades: IntArray) -> FloatArray:
        """Values (...) of observed lists, whose grades (..., depth) are in rank order."""
        # sum_n a_n(i_n)
        value = self.a[np.arange(self.depth), grades].sum(axis=-1)
        if self.linear:
            return np.asarray(value)
        # sum_n d_n sum_{m<n} K(i_n, i_m), where earlier documents of the same grade count together
        before = documents_before(grades, self.levels)  # (levels, ..., depth)
        has_pairs = np.any(self.K[:, 1:], axis=0)  # (levels,)
        for level in 1 + np.flatnonzero(has_pairs):
            value = value + (self.d * self.K[grades, level] * before[level - 1]).sum(axis=-1)
        return np.asarray(value)

    def evaluate_documents(self, documents: "Documents") -> FloatArray:
        """Values as by :meth:`evaluate`, up to rounding, from relevant documents; faster for many forms."""
        n, i = documents.ranks - 1, documents.grades
        added = self.a[n, i] - self.a[n, 0]  # by a document to the value of a list without any
        if not self.linear:
            for level, before in enumerate(documents.before, start=1):
                if self.K[:, level].any():
                    added += self.d[n] * self.K[i, level] * before
        of_lists = np.bincount(documents.lists, added, minlength=len(documents.begin))
        return np.asarray(self.a[:, 0].sum() + of_lists)

    def expected(self, p: FloatArray) -> float:
        """Expected value E[M] under the probability-at-rank distribution ``p`` of shape (depth, levels + 1)."""
        return float(self.expected_values(p))

    def expected_values(self, p: FloatArray) -> FloatArray:
        """Expected values E[M], (...), under distributions (..., depth, levels + 1)."""
        if self.linear:
            return np.asarray(np.sum(p * self.a, axis=(-2, -1)))
        before = np.cumsum(p, axis=-2) - p  # S_n
        return np.asarray(np.sum(p * (self.a + self.d[:, None] * (before @ self.K.T)), axis=(-2, -1)))

    def gradient(self, p: FloatArray) -> FloatArray:
        """Derivative ``w = a + d K S + K' T`` of E[M] with respect to p_n(i), in the shape of ``p``.

        The shape is (..., depth, levels + 1).
        """
        return self.a + self.hessian_action(p)

    def hessian_action(self, x: FloatArray) -> FloatArray:
        """Product of the (constant) Hessian of E[M] with ``x`` of shape (..., depth, levels + 1)."""
        before = np.cumsum(x, axis=-2) - x
        weighted = self.d[:, None] * x
        after = weighted.sum(axis=-2, keepdims=True) - np.cumsum(weighted, axis=-2)  # T_n
        return np.asarray(self.d[:, None] * (before @ self.K.T) + after @ self.K)

    def changes(self, grades: IntArray) -> FloatArray:
        """Changes (..., depth, levels + 1) in the values of lists (..., depth) when a rank gets another grade.

        The difference of two derivatives is exact, because the form is linear in each row of a distribution.
        """
        w = self.gradient(np.eye(self.levels + 1)[grades])
        return np.asarray(w - np.take_along_axis(w, grades[..., None], axis=-1))

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """A label for each grade 0..levels; grades that the measure does not distinguish share a label."""
        return kinds(self.a, self.K, self.K.T)

    def eliminate(self, present: tuple[int, ...]) -> "EliminatedForm":
        """The form in the probabilities of ``present[1:]`` alone; ``present[0]``, r, has 1 minus their sum."""
        r, others = present[0], list(present[1:])
        K, d = self.K, self.d
        # a'_n(i) = a_n(i) - a_n(r); where r is at every rank, the value is sum_n a_n(r)
        a, constant = self.a[:, others] - self.a[:, r, None], float(self.a[:, r].sum())
        if not (K[r].any() or K[:, r].any()):  # true for grade 0, which is nearly always the eliminated one
            return EliminatedForm(Form(a=a, d=d, K=np.ascontiguousarray(K[np.ix_(others, others)])), constant)
        # pairs add d_n (n - 1) (K(i, r) - K(r, r)) + (sum_{m>n} d_m) (K(r, i) - K(r, r)) to a'_n(i)
        before = d * np.arange(self.depth)
        after = d.sum() - np.cumsum(d)
        a += np.outer(before, K[others, r] - K[r, r]) + np.outer(after, K[r, others] - K[r, r])
        # K'(i, m) = K(i, m) - K(r, m) - K(i, r) + K(r, r)
        kernel = K[np.ix_(others, others)] - K[r, others] - K[others, r][:, None] + K[r, r]
        # r at every rank also has the pairs K(r, r) sum_n d_n (n - 1)
        constant += float(K[r, r] * before.sum())
        return EliminatedForm(Form(a=a, d=d, K=np.ascontiguousarray(kernel)), constant)


class EliminatedForm(NamedTuple):
    """A form without one of its grades, whose probability at each rank is 1 minus the sum of the others."""

    form: Form  # without row and column of the grade
    constant: float  # value of a list with that grade at every rank, which is to be added


def kinds(*tables: FloatArray) -> tuple[int, ...]:
    """A label for each column of tables (rows, columns); columns that are equal in all tables share a label."""
    label_of: dict[bytes, int] = {}  # by the numbers of a column
    columns = np.concatenate(tables).T + 0.0  # turns -0.0 into 0.0
    return tuple(label_of.setdefault(column.tobytes(), len(label_of)) for column in columns)


def merge_grades(
    present: Iterable[int], kinds_by_measure: Iterable[tuple[int, ...]]
) -> tuple[tuple[int, ...], ...]:
    """Groups of the grades ``present`` that share their label in each of several :func:`kinds`."""
    groups: dict[tuple[int, ...], list[int]] = {}  # by the labels that its grades have
    kinds_of_measures = list(kinds_by_measure)
    for grade in present:
        labels = tuple(labels_of_grades[grade] for labels_of_grades in kinds_of_measures)
        groups.setdefault(labels, []).append(grade)
    return tuple(map(tuple, groups.values()))


def grade_counts(grades: IntArray, levels: int) -> IntArray:
    """Number of documents of each positive grade in lists (..., depth): (..., levels)."""
    return np.stack([(grades == level).sum(axis=-1) for level in range(1, levels + 1)], axis=-1)


def documents_before(grades: IntArray, levels: int) -> IntArray:
    """Number of earlier documents of each positive grade at every rank of lists: (levels, ..., depth)."""
    hits = [grades == level for level in range(1, levels + 1)]
    return np.array([np.cumsum(hit, axis=-1) - hit for hit in hits])


@dataclass(frozen=True, eq=False)
class Documents:
    """The relevant documents of lists, one document after the other, by rank in each list."""

    begin: IntArray  # (lists,): where the documents of each list begin
    end: IntArray  # (lists,): where they end
    ranks: IntArray  # (documents,): from 1
    grades: IntArray  # (documents,)

    @classmethod
    def of(cls, grades: IntArray) -> Self:
        """Relevant documents of lists with grades (lists, depth)."""
        lists, ranks = np.nonzero(grades)
        edges = np.searchsorted(lists, np.arange(len(grades) + 1))
        return cls(edges[:-1], edges[1:], ranks + 1, grades[lists, ranks])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All lists of several parts."""
        starts = np.cumsum([0, *(len(part.ranks) for part in parts[:-1])])
        return cls(
            begin=np.concatenate([part.begin + start for part, start in zip(parts, starts, strict=True)]),
            end=np.concatenate([part.end + start for part, start in zip(parts, starts, strict=True)]),
            ranks=np.concatenate([part.ranks for part in parts]),
            grades=np.concatenate([part.grades for part in parts]),
        )

    def part(self, chosen: IntArray) -> Self:
        """Some of the lists, which may occur several times; the documents are the same."""
        return replace(self, begin=self.begin[chosen], end=self.end[chosen])

    @cached_property
    def lists(self) -> IntArray:
        """Index of the list of each document, (documents,), where every list has documents of its own."""
        return np.repeat(np.arange(len(self.begin)), self.end - self.begin)

    @cached_property
    def before(self) -> IntArray:
        """Number of earlier documents of each grade in the list of each document, (highest grade, documents).

        As :attr:`lists`, it is for lists with documents of their own.
        """
        grades = np.arange(1, int(self.grades.max(initial=0)) + 1)
        counts = np.cumsum(self.grades == grades[:, None], axis=1)
        earlier = np.pad(counts, ((0, 0), (1, 0)))  # [i - 1, k]: those of grade i among the first k of all lists
        return np.asarray(earlier[:, :-1] - earlier[:, self.begin[self.lists]])

    def rows(self, depth: int) -> IntArray:
        """Grades of the lists, (lists, depth)."""
        rows = np.zeros((len(self.begin), depth), dtype=np.int64)
        for row, begin, end in zip(rows, self.begin, self.end, strict=True):
            row[self.ranks[begin:end] - 1] = self.grades[begin:end]
        return rows


def linear_form(weights: "npt.ArrayLike", gains: "npt.ArrayLike") -> Form:
    """Form of a measure without pairwise part, in which grade i at rank n adds weight_n * gain_i.

    Parameters
    ----------
    weights : (depth,) array
        Weights of the ranks 1..depth.
    gains : (levels,) array
        Gains of the grades 1..levels.

    Raises
    ------
    MeasureError
        If either is not a one-dimensional array.

    Examples
    --------
    P@2 of a list of four documents:

    >>> import maxent as me
    >>> import numpy as np
    >>> form = me.measures.linear_form([0.5, 0.5, 0, 0], [1])
    >>> form.linear, float(form.evaluate(np.array([1, 0, 1, 0])))
    (True, 0.5)
    """
    w, x = np.asarray(weights, dtype=np.float64), np.asarray(gains, dtype=np.float64)
    if w.ndim != 1 or x.ndim != 1:
        shapes = f"{w.shape} and {x.shape}"
        raise MeasureError(f"weights and gains of a linear form have shapes (depth,) and (levels,), got {shapes}")
    a = np.outer(w, np.concatenate(([0.0], x)))
    return Form(a=a, d=np.zeros(len(w)), K=np.zeros((len(x) + 1, len(x) + 1)))


def pairwise_form(d: "npt.ArrayLike", kernel: "npt.ArrayLike") -> Form:
    """Form of a measure in which each document also counts as its own predecessor: a_n(i) = d_n K(i, i).

    Parameters
    ----------
    d : (depth,) array
        Weights of the ranks.
    kernel : (levels, levels) array
        K for the grades 1..levels.

    Raises
    ------
    MeasureError
        If ``d`` is not a one-dimensional array, or the kernel is not square.

    Examples
    --------
    AP of a list of four documents in a topic with two relevant documents: d_n = 1/n, K(1, 1) = 1/R.

    >>> import maxent as me
    >>> import numpy as np
    >>> form = me.measures.pairwise_form([1, 1 / 2, 1 / 3, 1 / 4], [[1 / 2]])
    >>> round(float(form.evaluate(np.array([1, 0, 1, 0]))), 4)
    0.8333
    """
    weights, pairs = np.asarray(d, dtype=np.float64), np.asarray(kernel, dtype=np.float64)
    if weights.ndim != 1 or pairs.ndim != 2 or len(set(pairs.shape)) != 1:
        shapes = f"{weights.shape} and {pairs.shape}"
        raise MeasureError(f"d and K of a pairwise form have shapes (depth,) and (levels, levels), got {shapes}")
    K = np.pad(pairs, ((1, 0), (1, 0)))  # row and column 0 are of non-relevant documents
    return Form(a=np.outer(weights, np.diag(K)), d=weights, K=K)
