"""Groups of problems to solve side by side, with the same grades and the same constraining measures.

In a joint problem, a measure whose value is the same for every distribution constrains nothing. A measure whose
value is at an end of its interval rules out cells (rank, grade), see :mod:`maxent.problem.face`; such problems are
solved one by one.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from maxent.measures.form import Form, merge_grades
from maxent.problem.arrays import MergedGrades, Problems, apart, as_batch
from maxent.problem.face import independent
from maxent.problem.interval import Location, Sorting, end_values, ends, locate, sorting
from maxent.problem.reference import kinds_of_odds
from maxent.types import BoolArray, FloatArray, IntArray


class Group(NamedTuple):
    """Problems to solve side by side."""

    merged: MergedGrades  # grades present, those together that no measure distinguishes that constrains them
    constraining: tuple[int, ...]  # indices of the measures that do
    members: IntArray  # (k,): indices of the problems

    @property
    def present(self) -> list[int]:
        """Grades present, ascending."""
        return sorted(grade for group in self.merged for grade in group)

    def part(self, chosen: BoolArray | IntArray) -> "Group":
        """Some of the problems."""
        return self._replace(members=self.members[chosen])


def find_intervals(problems: Problems) -> FloatArray:
    """Ends of the attainable intervals of each measure, or bounds in their place, (k, m, 2)."""
    intervals, at_most = np.zeros((len(problems), problems.m, 2)), problems.at_most
    same: dict[Sorting, list[tuple[int, Form, list[int]]]] = defaultdict(list)
    for forms, present, members in problems.patterns:
        for j, form in enumerate(forms):
            if at_most or len({form.kinds[grade] for grade in present}) > 1:
                same[sorting(form)].append((j, form, members))
            elif problems.m > 1:
                for k in members:
                    intervals[k, j] = ends(form, problems.counts[k], at_most=False, present=present)[0].value
    for same_sorting in same.values():
        values = end_values(
            [(form, problems.counts[members]) for _, form, members in same_sorting], at_most=at_most
        )
        for (j, _, members), form_values in zip(same_sorting, values, strict=True):
            intervals[members, j] = form_values[:2].T
    return intervals


def group_problems(problems: Problems, intervals: FloatArray) -> list[Group]:
    """Groups, none empty, of the problems that Newton's method can solve side by side; intervals (k, m, 2)."""
    allowed = {"inside"} if problems.at_most or problems.m == 1 else {"inside", "constant"}
    members_of: dict[tuple[MergedGrades, tuple[int, ...]], list[int]] = defaultdict(list)
    values = problems.values.tolist()
    lows = intervals[..., 0].tolist()
    highs = intervals[..., 1].tolist()
    odds = kinds_of_odds(problems.log_odds)
    for forms, present, members in problems.patterns:
        kinds: dict[tuple[Location, ...], list[int]] = defaultdict(list)
        for k in members if len(present) > 1 else ():
            places = tuple(map(locate, values[k], lows[k], highs[k]))
            if allowed.issuperset(places):
                kinds[places].append(k)
        for places, chosen in kinds.items():
            constraining = tuple(j for j, place in enumerate(places) if place == "inside")
            merged = merge_grades(present, [*(forms[j].kinds for j in constraining), *odds])
            members_of[merged if 1 < len(merged) < len(present) else apart(present), constraining] += chosen
    groups = [Group(*key, np.array(members)) for key, members in members_of.items()]
    groups = [
        _keep_independent_measures(problems, group) if len(group.constraining) > 1 else group for group in groups
    ]
    return [group for group in groups if len(group.members)]


def _keep_independent_measures(problems: Problems, group: Group) -> Group:
    """The problems of a group in which no measure is a combination of others."""
    batch = as_batch(problems.part(group.members), group.merged, group.constraining)
    m = len(group.constraining)
    _, first = np.unique(batch.index, return_index=True)
    sure = np.array([len(independent(batch, k)) == m for k in first])
    return group.part(sure[batch.index])
