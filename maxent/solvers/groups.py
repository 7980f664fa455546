"""Groups of problems to solve side by side, with the same grades and the same constraining measures.

In a joint problem, a measure whose value is the same for every distribution constrains nothing. A measure whose
value is at an end of its interval rules out cells (rank, grade), see :mod:`maxent.problem.face`; such problems are
solved one by one.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from maxent.measures.form import Form, merge_grades
from maxent.problem.arrays import Problems
from maxent.problem.face import independent
from maxent.problem.interval import Location, Sorting, end_values, ends, locate, sorting
from maxent.problem.reduced import MergedGrades, Reduced, apart, as_batch
from maxent.problem.reference import kinds_of_odds
from maxent.types import BoolArray, FloatArray, IntArray

LANES = 8  # problems side by side


class _MeasureOfProblems(NamedTuple):
    """A measure of some problems that share its form."""

    column: int  # among the measures of each problem
    form: Form
    members: list[int]  # indices of the problems


def find_intervals(problems: Problems) -> FloatArray:
    """Ends of the attainable intervals of each measure, or bounds in their place, (k, m, 2)."""
    intervals, at_most = np.zeros((len(problems), problems.m, 2)), problems.at_most
    # 1. a measure that does not distinguish the grades present has a point, which only joint problems need
    same_sorting: dict[Sorting, list[_MeasureOfProblems]] = defaultdict(list)
    for forms, present, members in problems.patterns:
        for j, form in enumerate(forms):
            if at_most or len({form.kinds[grade] for grade in present}) > 1:
                same_sorting[sorting(form)].append(_MeasureOfProblems(j, form, members))
            elif problems.m > 1:
                for k in members:
                    intervals[k, j] = ends(form, problems.counts[k], at_most=False, present=present)[0].value
    # 2. forms that sort lists alike share the sorted lists
    for measures in same_sorting.values():
        forms_and_counts = [(measure.form, problems.counts[measure.members]) for measure in measures]
        values = end_values(forms_and_counts, at_most=at_most)
        for measure, (low, high, *_) in zip(measures, values, strict=True):
            intervals[measure.members, measure.column] = np.stack((low, high), axis=1)
    return intervals


def group_problems(problems: Problems, intervals: FloatArray) -> Iterator[tuple[IntArray, Reduced]]:
    """Indices (k,) and reduced problems of each group, none empty, that Newton's method can solve side by side.

    ``intervals`` (problems, measures, 2) are the attainable ones.
    """
    # 1. problems by merged grades and constraining measures; values at ends are left to others
    allowed = {"inside"} if problems.at_most or problems.m == 1 else {"inside", "constant"}
    members_of: dict[tuple[MergedGrades, tuple[int, ...]], list[int]] = defaultdict(list)
    values = problems.values.tolist()
    lows = intervals[..., 0].tolist()
    highs = intervals[..., 1].tolist()
    odds = kinds_of_odds(problems.log_odds)
    for forms, present, members in problems.patterns:
        if len(present) < 2:  # no probability is open
            continue
        located: dict[tuple[Location, ...], list[int]] = defaultdict(list)  # by the locations of all values
        for k in members:
            locations = tuple(map(locate, values[k], lows[k], highs[k]))
            if allowed.issuperset(locations):
                located[locations].append(k)
        for locations, chosen in located.items():
            constraining = tuple(j for j, location in enumerate(locations) if location == "inside")
            merged = merge_grades(present, [*(forms[j].kinds for j in constraining), *odds])
            if not 1 < len(merged) < len(present):  # merging all, or none, is no use
                merged = apart(present)
            members_of[merged, constraining] += chosen
    # 2. without those whose measures follow from each other, in the order of the lanes
    for (merged, constraining), chosen in members_of.items():
        indices = np.array(chosen)
        if len(constraining) > 1:
            indices = indices[_are_independent(problems.part(indices), merged, constraining)]
        if len(indices) > LANES:
            rows = np.ix_(indices, np.array(constraining, dtype=np.int64))
            order = _order_in_lanes(problems.form_index[indices], problems.values[rows], intervals[rows])
            indices = indices[order]
        if len(indices):
            of_measures = intervals[np.ix_(indices, np.array(constraining, dtype=np.int64))]
            yield indices, Reduced.of(problems.part(indices), merged, constraining, of_measures)


def _are_independent(problems: Problems, merged: MergedGrades, constraining: Sequence[int]) -> BoolArray:
    """Whether none of the constraining measures of each problem is a combination of others, (k,)."""
    batch = as_batch(problems, merged, constraining)
    _, first = np.unique(batch.index, return_index=True)  # a problem of each topic: they share coefficients
    is_independent = np.array([len(independent(batch, k)) == len(constraining) for k in first])
    return np.asarray(is_independent[batch.index])


def _order_in_lanes(form_index: IntArray, values: FloatArray, intervals: FloatArray) -> IntArray:
    """Order (k,) in which problems stand side by side, from their values (k, m) and intervals (k, m, 2).

    Neighbours in the lanes wait for each other. With similar values they take similar numbers of iterations, and
    coefficients of the same measure need not be loaded again.
    """
    low, high = intervals[..., 0], intervals[..., 1]
    share = (values - low) / (high - low)
    return np.lexsort((share.sum(axis=1), form_index))
