"""Reduced problems, which solvers get, and the way back to distributions and multipliers of the problems.

In a reduced problem no grade is absent, one grade is eliminated, grades that nothing distinguishes are merged, no
measure is determined by the others, and weights are relative to the middle rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Self

import numpy as np

from maxent.kernels.batch import Batch, Coefficients
from maxent.measures.form import FULL, Form
from maxent.problem.arrays import Forms, Problems
from maxent.problem.problem import Problem
from maxent.types import BoolArray, FloatArray, IntArray

MergedGrades = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Reduced:
    """k problems as solvers get them: the same grades are present in all, and the same measures constrain them.

    m is the number of these measures. The grades present are in c + 1 groups of merged ones; the first group is
    eliminated, so that arrays have c columns for grades.
    """

    problems: Problems  # the k problems themselves
    merged: MergedGrades  # the c + 1 groups
    constraining: tuple[int, ...]  # (m,): indices of the measures that no others determine
    intervals: FloatArray  # (k, m, 2): their attainable intervals, or outer bounds
    batch: Batch  # for the kernels, with weights relative to the middle rank; values are not scaled
    middle: FloatArray  # (k, m, c): weights of the middle rank, which were subtracted

    @classmethod
    def of(
        cls, problems: Problems, merged: MergedGrades, constraining: Sequence[int], intervals: FloatArray
    ) -> Self:
        """Reduce problems to some grades and measures; ``intervals`` (k, m, 2) are those of these measures."""
        batch, middle = as_batch(problems, merged, constraining).centred()
        return cls(problems, merged, tuple(constraining), intervals, batch, middle)

    @cached_property
    def scale(self) -> FloatArray:
        """Lengths (k, m) of the attainable intervals, the units of the values."""
        return np.asarray(self.intervals[..., 1] - self.intervals[..., 0])

    @cached_property
    def present(self) -> list[int]:
        """Grades present, ascending."""
        return sorted(grade for group in self.merged for grade in group)

    @cached_property
    def is_merged(self) -> bool:
        """Whether any grades are merged."""
        return len(self.merged) < len(self.present)

    def part(self, chosen: BoolArray | IntArray) -> Self:
        """Some of the problems."""
        indices = np.arange(len(self.problems))[chosen]
        return self.of(self.problems.part(indices), self.merged, self.constraining, self.intervals[indices])

    def unmerged(self) -> Self:
        """The same problems with no grades merged."""
        return self.of(self.problems, apart(self.present), self.constraining, self.intervals)

    def with_measures(self, chosen: Sequence[int]) -> Self:
        """The problems with some of the m measures, by position, and with no other values."""
        return replace(
            self,
            constraining=tuple(self.constraining[j] for j in chosen),
            intervals=self.intervals[:, chosen],
            batch=self.batch.with_measures(chosen),
            middle=self.middle[:, chosen],
        )

    @property
    def uniform(self) -> FloatArray:
        """Uniform rows (k, c) with the counts, or fewer if they fill the list, so that no probability is 0."""
        shares = self.batch.counts / self.batch.depth
        total = shares.sum(axis=-1, keepdims=True)
        c = shares.shape[-1]
        with_room = shares * (1 - 1 / (1 + c)) / total  # leaves the eliminated grade 1 / (c + 1)
        return np.where(total < 1 - FULL / 2, shares, with_room)

    def fitted(self, p: FloatArray) -> FloatArray:
        """Multipliers (m + c,) of the scaled values and of the counts of one problem that fit p (depth, c + 1)."""
        units = np.append(self.scale[0], np.ones(len(self.merged) - 1))
        return np.asarray(fit_multipliers(self.batch, p) * units)

    def expanded(self, p: FloatArray, multipliers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distributions (k, depth, levels + 1) and multipliers (k, measures + levels) of the problems themselves.

        ``p`` (k, depth, c + 1) has the probabilities of the groups. ``multipliers`` (k, m + c) belong to the scaled
        values and to the counts of all groups but the first; those returned are as
        :func:`spread_multipliers` says.
        """
        m, levels, present = len(self.constraining), self.problems.levels, self.present
        # 1. lambda_j of the values themselves, and mu_i of weights that are not centred
        values = multipliers[:, :m] / self.scale
        counts = multipliers[:, m:] - (values[..., None] * self.middle).sum(axis=1)
        relative = np.concatenate((values, counts), axis=1)
        # 2. the grades of merged groups, and absent grades, which have probability 0
        if self.is_merged:
            p, relative = unmerge(self.merged, self.problems.counts, p, relative)
        elif len(present) <= levels:
            probabilities = np.zeros((*p.shape[:2], levels + 1))
            probabilities[:, :, present] = p
            p = probabilities
        # 3. the measures that constrain nothing, and absent grades
        return p, spread_multipliers(relative, present, levels, self.constraining, self.problems.m)


def apart(present: Sequence[int]) -> MergedGrades:
    """Grades present, without merging."""
    return tuple((grade,) for grade in present)


def as_batch(problems: Problems, merged: MergedGrades, measures: Sequence[int] | None = None) -> Batch:
    """Arrays for the kernels, from problems whose counts fit into the depth, with equal merged grades.

    ``measures`` are indices; by default, all measures are meant.
    """
    # 1. coefficients of the topics that occur, in the probabilities of the first grade of each group
    places: dict[int, int] = {}
    index = np.array([places.setdefault(form, len(places)) for form in problems.form_index.tolist()])
    lowest = tuple(group[0] for group in merged)
    chosen = list(range(problems.m) if measures is None else measures)
    topics = tuple(
        coefficients(tuple(problems.forms[k][j] for j in chosen), lowest, problems.depth) for k in places
    )
    # 2. documents of each group but the first
    counts = np.empty((len(problems), len(merged) - 1))
    for column, group in enumerate(merged[1:]):
        counts[:, column] = sum(problems.counts[:, grade - 1] for grade in group)
    return Batch(
        topics=topics,
        index=index,
        value=problems.values[:, chosen] - np.array([topic.constants for topic in topics])[index],
        counts=counts,
        bounded=np.full(len(merged) - 1, problems.at_most),
        offset=None if problems.log_odds is None else _relative_odds(problems.log_odds, lowest)[None],
    )


@lru_cache(maxsize=64)
def coefficients(forms: Forms, present: tuple[int, ...], depth: int) -> Coefficients:
    """Stacked coefficients of a topic's measures for the kernels, in the probabilities of ``present[1:]``."""
    m, c = len(forms), len(present) - 1
    stacked = Coefficients(np.empty((depth, m, c)), np.empty((depth, m)), np.empty((m, c, c)), np.empty(m))
    for j, (form, constant) in enumerate(form.eliminate(present) for form in forms):
        stacked.a[:, j], stacked.d[:, j], stacked.K[j], stacked.constants[j] = form.a, form.d, form.K, constant
    return stacked


def _relative_odds(log_odds: FloatArray, grades: tuple[int, ...]) -> FloatArray:
    """Logarithms (depth, c) of the odds of grades against the first of them."""
    padded = np.pad(log_odds, ((0, 0), (1, 0)))
    return np.ascontiguousarray(padded[:, grades[1:]] - padded[:, grades[:1]])


def single_batch(problem: Problem) -> Batch:
    """:func:`as_batch` for one problem with all its measures and no grades merged."""
    return as_batch(Problems.of([problem]), apart(problem.present))


def deal_groups(merged: MergedGrades, counts: FloatArray, rest: FloatArray) -> tuple[IntArray, FloatArray]:
    """Group of each grade, (levels + 1,), -1 if absent, and its share of the group, (levels + 1, k).

    ``counts`` are (k, levels), and ``rest`` (k,) is the number of ranks left for the first group.

    For given probabilities q_n of a group, sum_n H(p_n) is largest if its grades have the same proportions at every
    rank, p_n(i) = q_n C_i / sum_j C_j: the entropy is concave in the proportions, and their mean over the documents
    is fixed. This is exact for fixed counts. For upper bounds, it is exact only if all bounds of the group are
    reached, which the signs of the multipliers show.
    """
    group = np.full(counts.shape[1] + 1, -1)
    shares = np.zeros((counts.shape[1] + 1, len(counts)))
    for number, members in enumerate(merged):
        grades = np.array(members)
        documents = np.where(grades > 0, counts[:, grades - 1], 0.0)  # (k, members)
        mass = np.maximum(documents.sum(axis=1), 1e-300)
        if grades[0] == 0:
            mass = np.maximum(mass, rest)  # upper bounds may exceed the group's mass
        member_shares = documents / mass[:, None]
        if grades[0] == 0:  # it has what the others leave; rounding may take more where the list is full
            member_shares[:, 0] = np.maximum(1 - member_shares[:, 1:].sum(axis=1), 0.0)
        group[grades], shares[grades] = number, member_shares.T
    return group, shares


def unmerge(
    merged: MergedGrades, counts: FloatArray, p: FloatArray, multipliers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Distributions (k, depth, levels + 1) and multipliers (k, m + c) of all grades, from those of merged grades.

    ``p`` is (k, depth, len(merged)), ``counts`` (k, levels), ``multipliers`` (k, m + len(merged) - 1). The
    multipliers of counts belong to the grades present except the lowest, in ascending order.
    """
    group, shares = deal_groups(merged, counts, p[:, :, 0].sum(axis=1))
    present = np.flatnonzero(group >= 0)
    probabilities = np.zeros((*p.shape[:2], len(group)))
    for grade in present:
        np.multiply(p[:, :, group[grade]], shares[grade][:, None], out=probabilities[:, :, grade])
    # mu_i = mu of the group of grade i + log of its share, relative to the lowest grade present
    m = multipliers.shape[1] - len(merged) + 1
    mu = np.log(np.maximum(shares[present], 1e-300)).T
    mu_of_groups = np.insert(multipliers[:, m:], 0, 0.0, axis=1)  # the eliminated group, with 0, is the first
    mu += mu_of_groups[:, group[present]]
    return probabilities, np.column_stack((multipliers[:, :m], mu[:, 1:] - mu[:, :1]))


def fit_multipliers(batch: Batch, p: FloatArray, *, slightly: float = 1e-6) -> FloatArray:
    """Multipliers (m + c,) of one problem that fit the logits of p (depth, c + 1), weighted by the probabilities.

    Multipliers of upper bounds that are not reached, or are missed by more than ``slightly``, are 0.
    """
    # 1. logits, without the odds of the reference: theta_n(i) = log(p_n(i) / p_n(0)) - log q_n(i)
    topic, safe = batch.topics[0], np.maximum(p, 1e-300)
    depth, c, m = batch.depth, batch.c, batch.m
    theta = np.log(safe[:, 1:]) - np.log(safe[:, :1]) - (0.0 if batch.offset is None else batch.offset[0])
    # 2. least squares: theta_n(i) = sum_j lambda_j w_jn(i) + mu_i, weighted by p_n(i) p_n(0)
    columns = np.zeros((depth, c, m + c))
    for j in range(m):
        columns[:, :, j] = Form(topic.a[:, j], topic.d[:, j], topic.K[j]).gradient(p[:, 1:])
    reached = p[:, 1:].sum(axis=0) >= batch.counts[0] * (1 - slightly)
    columns[:, np.arange(c), m + np.arange(c)] = np.where(batch.bounded, reached, 1.0)
    weight = np.sqrt(safe[:, 1:] * safe[:, :1])
    rows = (columns * weight[..., None]).reshape(depth * c, m + c)
    fitted, *_ = np.linalg.lstsq(rows, (theta * weight).ravel())
    return np.asarray(fitted)


def spread_multipliers(
    multipliers: FloatArray, present: Sequence[int], levels: int, constraining: Sequence[int], measures: int
) -> FloatArray:
    """Multipliers of all values and of all grades 1..levels, (k, measures + levels).

    ``multipliers`` (k, m + c) belong to the m ``constraining`` measures, by index, and to the grades ``present``
    except the lowest, in ascending order. Other measures constrain nothing and get 0; absent grades get -inf.
    """
    all_multipliers = np.full((len(multipliers), measures + levels), -np.inf)
    all_multipliers[:, :measures] = 0.0
    lowest, *columns = (measures - 1 + grade for grade in present)  # their columns; grade 0 has none
    if present[0]:
        all_multipliers[:, lowest] = 0.0
    all_multipliers[:, [*constraining, *columns]] = multipliers
    return all_multipliers
