"""Problems as arrays for the kernels, and merged grades, which are solved as one grade."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import compress
from typing import Self

import numpy as np

from maxent.kernels.batch import Batch, Coefficients
from maxent.kernels.curves import Observed
from maxent.measures.form import FULL, Form
from maxent.problem.problem import Problem
from maxent.types import FloatArray, IntArray

MergedGrades = tuple[tuple[int, ...], ...]
Forms = tuple[Form, ...]


@dataclass(frozen=True, eq=False)
class Problems:
    """Problems as arrays, all with the same depth, numbers of grades and measures, and meaning of counts."""

    forms: tuple[Forms, ...]  # coefficients of the m measures of a problem, for the topics that occur
    form_index: IntArray  # (k,): which forms belong to each problem
    values: FloatArray  # (k, m): wanted values
    counts: FloatArray  # (k, levels): expected number of documents of each grade, or its upper bound
    at_most: bool  # whether the counts are upper bounds
    depth: int  # length of the lists, N
    make: Callable[[int], Problem]  # makes the problem of an index
    log_odds: FloatArray | None = None  # (depth, levels): the reference of all; None where it is uniform
    observed: Observed | None = None  # lists to compare with the solutions, in place of returning distributions

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Self:
        """Arrays of problems; all must have the same depth, numbers of grades and measures, count and reference."""
        forms: dict[Forms, int] = {}
        index = [forms.setdefault(problem.forms, len(forms)) for problem in problems]
        return cls(
            forms=tuple(forms),
            form_index=np.array(index, dtype=np.int64),
            values=np.array([problem.values for problem in problems]),
            counts=np.array([problem.counts for problem in problems]),
            at_most=problems[0].count == "at_most",
            depth=problems[0].depth,
            make=problems.__getitem__,
            log_odds=problems[0].log_odds,
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Concatenate problems, such as those of several topics."""
        if len(parts) == 1:
            return parts[0]
        forms = np.cumsum([0, *(len(part.forms) for part in parts)])
        starts = np.cumsum([0, *map(len, parts)])

        def make(k: int) -> Problem:
            part = int(np.searchsorted(starts, k, side="right")) - 1
            return parts[part][k - int(starts[part])]

        return replace(
            parts[0],
            forms=tuple(topic_forms for part in parts for topic_forms in part.forms),
            form_index=np.concatenate([part.form_index + first for part, first in zip(parts, forms, strict=False)]),
            values=np.concatenate([part.values for part in parts]),
            counts=np.concatenate([part.counts for part in parts]),
            make=make,
            observed=parts[0].observed and Observed.joined([part.observed for part in parts if part.observed]),
        )

    def __getitem__(self, index: int) -> Problem:
        return self.make(index)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def m(self) -> int:
        """Number of measures, m."""
        return int(self.values.shape[1])

    @property
    def levels(self) -> int:
        """Highest grade, c."""
        return int(self.counts.shape[1])

    def part(self, chosen: IntArray) -> Self:
        """Some of the problems."""
        return replace(
            self,
            form_index=self.form_index[chosen],
            values=self.values[chosen],
            counts=self.counts[chosen],
            make=lambda k: self.make(int(chosen[k])),
            observed=self.observed and self.observed.part(chosen),
        )

    @cached_property
    def patterns(self) -> list[tuple[Forms, tuple[int, ...], list[int]]]:
        """Problems by pattern: forms, grades present, and indices of the problems that share both.

        Problems with more documents than ranks are excluded.
        """
        most = np.inf if self.at_most else self.depth
        indices = defaultdict[tuple[int, ...], list[int]](list)
        rows = self.form_index.tolist(), self.counts.sum(axis=1).tolist(), (self.counts > 0).tolist()
        for k, (form, documents, present) in enumerate(zip(*rows, strict=True)):
            if documents <= most * (1 + FULL):
                indices[form, documents < most * (1 - FULL), *present].append(k)
        return [
            (self.forms[form], tuple(compress(range(len(present)), present)), members)
            for (form, *present), members in indices.items()
        ]


def apart(present: Sequence[int]) -> MergedGrades:
    """Grades present, without merging."""
    return tuple((grade,) for grade in present)


def as_batch(problems: Problems, merged: MergedGrades, measures: Sequence[int] | None = None) -> Batch:
    """Arrays for the kernels, from problems whose counts fit into the depth, with equal merged grades."""
    places: dict[int, int] = {}
    index = np.array([places.setdefault(form, len(places)) for form in problems.form_index.tolist()])
    lowest = tuple(group[0] for group in merged)
    chosen = list(range(problems.m) if measures is None else measures)
    topics = tuple(
        coefficients(tuple(problems.forms[k][j] for j in chosen), lowest, problems.depth) for k in places
    )
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


def single_batch(problem: Problem, merged: MergedGrades | None = None) -> Batch:
    """:func:`as_batch` for one problem; by default no grades are merged."""
    return as_batch(Problems.of([problem]), apart(problem.present) if merged is None else merged)


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
        at = np.array(members)
        documents = np.where(at > 0, counts[:, at - 1], 0.0)
        whole = np.maximum(documents.sum(axis=1), 1e-300)
        if at[0] == 0:
            whole = np.maximum(whole, rest)  # upper bounds may exceed the group's mass
        share = documents / whole[:, None]
        if at[0] == 0:
            share[:, 0] = np.maximum(1 - share[:, 1:].sum(axis=1), 0.0)  # rounding, where the list is full
        group[at], shares[at] = number, share.T
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
    m = multipliers.shape[1] - len(merged) + 1
    mu = np.log(np.maximum(shares[present], 1e-300)).T
    mu += np.insert(multipliers[:, m:], 0, 0.0, axis=1)[:, group[present]]
    return probabilities, np.column_stack((multipliers[:, :m], mu[:, 1:] - mu[:, :1]))


def fit_multipliers(batch: Batch, p: FloatArray, *, slightly: float = 1e-6) -> FloatArray:
    """Multipliers (m + c,) of one problem that fit the logits of p (depth, c + 1), weighted by the probabilities.

    Multipliers of upper bounds that are not reached, or are missed by more than ``slightly``, are 0.
    """
    topic, (depth, c, m), safe = batch.topics[0], batch.sizes, np.maximum(p, 1e-300)
    theta = np.log(safe[:, 1:]) - np.log(safe[:, :1]) - (0.0 if batch.offset is None else batch.offset[0])
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
