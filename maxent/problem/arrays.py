"""Many problems as arrays, of which each :class:`maxent.Problem` is a row."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import NamedTuple, Self

import numpy as np

from maxent.kernels.observed import Observed
from maxent.measures.form import FULL, Form
from maxent.problem.problem import Problem
from maxent.types import FloatArray, IntArray

Forms = tuple[Form, ...]


class Pattern(NamedTuple):
    """Problems that share forms and grades."""

    forms: Forms  # of their measures
    present: tuple[int, ...]  # grades that occur
    members: list[int]  # indices of the problems


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
        first_forms = np.cumsum([0, *(len(part.forms) for part in parts)])[:-1]  # of each part, in the joined forms
        starts = np.cumsum([0, *map(len, parts)])[:-1]  # the first problem of each part

        def make(k: int) -> Problem:
            part = int(np.searchsorted(starts, k, side="right")) - 1
            return parts[part][k - int(starts[part])]

        return replace(
            parts[0],
            forms=tuple(topic_forms for part in parts for topic_forms in part.forms),
            form_index=np.concatenate(
                [part.form_index + first for part, first in zip(parts, first_forms, strict=True)]
            ),
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
        """Some of the problems, by index (k,)."""
        return replace(
            self,
            form_index=self.form_index[chosen],
            values=self.values[chosen],
            counts=self.counts[chosen],
            make=lambda k: self.make(int(chosen[k])),
            observed=self.observed and self.observed.part(chosen),
        )

    @cached_property
    def patterns(self) -> list[Pattern]:
        """Problems by the forms and the grades that they share; those with too many documents are excluded."""
        room = np.inf if self.at_most else self.depth
        # the first number of a key is the index of its forms, the others say for grade 0, 1, ... whether it occurs
        members_of = defaultdict[tuple[int, ...], list[int]](list)
        rows = self.form_index.tolist(), self.counts.sum(axis=1).tolist(), (self.counts > 0).tolist()
        for k, (form, documents, positive_grades) in enumerate(zip(*rows, strict=True)):
            if documents <= room * (1 + FULL):
                has_nonrelevant = documents < room * (1 - FULL)
                members_of[form, has_nonrelevant, *positive_grades].append(k)
        return [
            Pattern(self.forms[form], tuple(compress(range(len(occurs)), occurs)), members)
            for (form, *occurs), members in members_of.items()
        ]
