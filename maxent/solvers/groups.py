"""Which problems are solved side by side: those with the same grades and the same measures that constrain them.

In a joint problem a measure whose value every distribution has constrains nothing. One whose value is at an end of
its interval rules out cells (rank, grade) instead, see :mod:`maxent.problem.face`; such problems are solved one by
one.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from maxent.measures.form import Form, alike
from maxent.problem.arrays import MergedGrades, Problems, apart, as_batch
from maxent.problem.face import independent
from maxent.problem.interval import LOCATIONS, Sorting, end_values, ends, locations, sorting
from maxent.problem.reference import kinds_of_odds
from maxent.types import BoolArray, FloatArray, IntArray

INSIDE, CONSTANT = LOCATIONS.index("inside"), LOCATIONS.index("constant")


class Group(NamedTuple):
    """Problems that are solved side by side."""

    merged: MergedGrades  # grades present, those together that no measure tells apart that constrains them
    kept: tuple[int, ...]  # indices of the measures that do
    members: IntArray  # (k,): indices of the problems

    @property
    def present(self) -> list[int]:
        """Grades present, ascending."""
        return sorted(grade for group in self.merged for grade in group)

    def part(self, chosen: BoolArray | IntArray) -> "Group":
        """Some of the problems."""
        return self._replace(members=self.members[chosen])


def intervals_of(problems: Problems) -> FloatArray:
    """Ends of the attainable intervals of each measure, or bounds in their place, (k, m, 2)."""
    found, at_most = np.zeros((len(problems), problems.m, 2)), problems.at_most
    same: dict[Sorting, list[tuple[int, Form, IntArray]]] = defaultdict(list)
    for forms, present, members in problems.patterns:
        fits = members[~problems.overfull[members]]
        for j, form in enumerate(forms):
            if len(fits) and (at_most or len({form.kinds[grade] for grade in present}) > 1):
                same[sorting(form)].append((j, form, fits))
            elif problems.m > 1:
                for k in fits:
                    found[k, j] = ends(form, problems.counts[k], at_most=False, present=present)[0].value
    for own in same.values():
        triples = [(k, j, place) for place, (j, _, fits) in enumerate(own) for k in fits.tolist()]
        members, columns, index = np.array(triples).T
        places: dict[tuple[float, ...], int] = {}
        row = [places.setdefault(tuple(counts), len(places)) for counts in problems.counts[members].tolist()]
        measures = [form for _, form, _ in own]
        of_all = end_values(measures, index, np.array(list(places)), np.array(row), at_most=at_most)
        found[members, columns] = of_all[:2].T
    return found


def groups_of(problems: Problems, intervals: FloatArray) -> list[Group]:
    """Groups, none empty, of the problems that Newton's method can solve side by side; intervals (k, m, 2)."""
    where = locations(problems.values, intervals[..., 0], intervals[..., 1]).tolist()
    allowed = {INSIDE} if problems.at_most or problems.m == 1 else {INSIDE, CONSTANT}
    found: dict[tuple[MergedGrades, tuple[int, ...]], list[int]] = defaultdict(list)
    odds = kinds_of_odds(problems.log_odds)
    for forms, present, members in problems.patterns:
        kinds: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for k in members[~problems.overfull[members]].tolist() if len(present) > 1 else ():
            if allowed.issuperset(where[k]):
                kinds[tuple(where[k])].append(k)
        for places, chosen in kinds.items():
            kept = tuple(j for j, place in enumerate(places) if place == INSIDE)
            merged = alike(present, [*(forms[j].kinds for j in kept), *odds])
            found[merged if 1 < len(merged) < len(present) else apart(present), kept] += chosen
    groups = [Group(*key, np.array(members)) for key, members in found.items()]
    groups = [_with_independent_measures(problems, group) if len(group.kept) > 1 else group for group in groups]
    return [group for group in groups if len(group.members)]


def _with_independent_measures(problems: Problems, group: Group) -> Group:
    """The problems of a group in which no measure is a combination of others."""
    batch, m = as_batch(problems.part(group.members), group.merged, group.kept), len(group.kept)
    _, first = np.unique(batch.index, return_index=True)
    sure = np.array([len(independent(batch, k)) == m for k in first])
    return group.part(sure[batch.index])
