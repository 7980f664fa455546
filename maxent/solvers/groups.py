"""Which problems are solved side by side: those with the same grades and the same measures that constrain them.

In a joint problem a measure whose value every distribution has constrains nothing. One whose value is at an end of
its interval rules out cells (rank, grade) instead, see :mod:`maxent.problem.face`. Problems with such measures are
solved side by side if these are linear; the rest is done one by one.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maxent.measures.form import Form, indistinguishable
from maxent.problem.arrays import MergedGrades, Problems, apart, as_batch
from maxent.problem.face import UNUSED, independent
from maxent.problem.interval import constant_ends, end_values, locations, sorted_lists, with_nonrelevant
from maxent.problem.reference import same_odds
from maxent.types import BoolArray, FloatArray, IntArray


class Group(NamedTuple):
    """Problems that are solved side by side."""

    # grades present, those together that no measure tells apart but those whose value all distributions have
    merged: MergedGrades
    # where the values of the measures are in their intervals, see :func:`maxent.problem.interval.locate`
    where: tuple[str, ...]
    members: IntArray  # (k,): indices of the problems
    # (k, depth, levels + 1): cells that values at ends leave; None if there are none at ends
    support: BoolArray | None = None

    @property
    def kept(self) -> list[int]:
        """Indices of the measures that constrain the distribution."""
        return [j for j, place in enumerate(self.where) if place == "inside"]

    @property
    def multipliers(self) -> list[float]:
        """Those of the measures that do not constrain it: infinite at ends, else 0; and 0 for the others."""
        return [{"low": -np.inf, "high": np.inf}.get(place, 0.0) for place in self.where]

    @property
    def present(self) -> list[int]:
        """Grades present, ascending."""
        return sorted(grade for group in self.merged for grade in group)

    @property
    def allowed(self) -> BoolArray | None:
        """``support`` for each group of merged grades, (k, depth, groups); they share it."""
        return None if self.support is None else self.support[:, :, [own[0] for own in self.merged]]

    def part(self, chosen: BoolArray | IntArray) -> "Group":
        """Some of the problems."""
        support = None if self.support is None else self.support[chosen]
        return self._replace(members=self.members[chosen], support=support)


def intervals_of(problems: Problems) -> FloatArray:
    """Ends of the attainable intervals of each measure, or bounds in their place, (k, m, 2)."""
    found = np.zeros((len(problems), problems.measures, 2))
    for forms, present, members in problems.patterns:
        fits = members[~problems.overfull[members]]
        for j, form in enumerate(forms):
            if len(fits) and (problems.at_most or len(form.indistinguishable(present)) > 1):
                found[fits, j] = end_values(form, problems.counts[fits], at_most=problems.at_most)[:2].T
            elif problems.measures > 1:
                for k in fits:
                    found[k, j] = constant_ends(form, problems.counts[k])[0].value
    return found


def groups_of(problems: Problems, intervals: FloatArray) -> list[Group]:
    """Groups, none empty, of the problems that Newton's method can solve side by side; intervals (k, m, 2)."""
    where = locations(problems.values, *np.moveaxis(intervals, -1, 0))
    found: dict[tuple[MergedGrades, tuple[str, ...]], list[Group]] = defaultdict(list)
    for forms, present, members in problems.patterns:
        fits = members[~problems.overfull[members]]
        if len(present) > 1:
            for own in dict.fromkeys(map(tuple, where[fits].tolist())):
                chosen = fits[(where[fits] == own).all(axis=1)]
                group = _group(problems, forms, present, own, chosen)
                if group is not None:
                    found[group.merged, group.where].append(group)
    groups = [_with_independent_measures(problems, _joined(parts)) for parts in found.values()]
    return [group for group in groups if len(group.members)]


def _group(
    problems: Problems, forms: Sequence[Form], present: tuple[int, ...], where: tuple[str, ...], members: IntArray
) -> Group | None:
    """The group of problems with the same forms, grades present, and places of the values in the intervals."""
    used = [form for form, place in zip(forms, where, strict=True) if place != "constant"]
    ends = [(forms[j], int(place == "high")) for j, place in enumerate(where) if place in ("low", "high")]
    if set(where) - {"inside"} and (len(forms) == 1 or problems.at_most or {"below", "above"} & set(where)):
        return None
    merged = same_odds(indistinguishable(used, present), problems.log_odds)
    merged = merged if 1 < len(merged) < len(present) else apart(present)
    if not ends:
        return Group(merged, where, members)
    if not all(form.linear for form, _ in ends):
        return None
    support = np.zeros((len(members), problems.depth, problems.levels + 1), dtype=np.bool_)
    support[:, :, present] = True
    for form, above in ends:
        support &= sorted_lists(form, problems.counts[members], above=above) > UNUSED
    group = Group(merged, where, members, support)
    return group.part(_remain(group, with_nonrelevant(problems.counts[members], problems.depth)))


def _remain(group: Group, mass: FloatArray) -> BoolArray:
    """Whether every rank has a grade, and documents of each grade present, (k, levels + 1), are not all fixed."""
    allowed = group.allowed
    assert allowed is not None
    left = _number(allowed)
    fixed = np.einsum("kni,kn->ki", allowed, left == 1, dtype=np.int64)
    free = np.column_stack([mass[:, list(own)].sum(axis=1) for own in group.merged]) - fixed
    return np.asarray((left > 0).all(axis=1) & (free > UNUSED * allowed.shape[1]).all(axis=1))


def _number(allowed: BoolArray) -> npt.NDArray[np.int16]:
    """Number of grades at each rank, (k, depth); faster than a sum over so few."""
    return np.asarray(allowed @ np.ones(allowed.shape[2], dtype=np.int16))


def _joined(parts: Sequence[Group]) -> Group:
    members = np.concatenate([part.members for part in parts])
    supports = [part.support for part in parts if part.support is not None]
    return parts[0]._replace(members=members, support=np.concatenate(supports) if supports else None)


def _with_independent_measures(problems: Problems, group: Group) -> Group:
    """The problems of a group in which, at the ranks with several grades, no measure is a combination of others."""
    m, allowed = len(group.kept), group.allowed
    if m < 2 and allowed is None:
        return group
    batch = as_batch(problems.part(group.members).of_measures(group.kept), group.merged)
    several = np.ones((1, problems.depth), dtype=np.bool_) if allowed is None else _number(allowed) > 1
    known: dict[tuple[int, bytes], bool] = {}
    sure = np.zeros(len(group.members), dtype=np.bool_)
    for k, ranks in enumerate(np.broadcast_to(several, (len(sure), problems.depth))):
        key = int(batch.form_index[k]), ranks.tobytes()
        if key not in known:
            known[key] = len(independent(batch, k, ranks=ranks)) == m
        sure[k] = known[key]
    return group.part(sure)
