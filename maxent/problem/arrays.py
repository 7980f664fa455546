"""Problems as arrays for the kernels, and merged grades: grades that are solved as one."""

from collections.abc import Sequence

import numpy as np

from maxent.kernels.batch import Batch
from maxent.measures.form import Form
from maxent.problem.problem import Problem
from maxent.types import FloatArray, IntArray

MergedGrades = tuple[tuple[int, ...], ...]


def as_batch(problems: Sequence[Problem], merged: Sequence[MergedGrades] | None = None) -> tuple[Batch, IntArray]:
    """Arrays of problems with the same depth, number of grades present and reading of the counts.

    The first grade present is eliminated, see :meth:`Form.eliminate`.

    Parameters
    ----------
    problems : sequence of Problem
        Problems whose counts fit into the depth.
    merged : sequence of tuples, optional
        Groups of grades of each problem, as in :attr:`Problem.merged_grades`; by default no grades are merged.

    Returns
    -------
    batch : Batch
    grades : (k, c + 1) array
        Grades present, or the lowest one of each group.
    """
    if merged is None:
        merged = [tuple((grade,) for grade in problem.present) for problem in problems]
    lowest = [tuple([own[0] for own in groups]) for groups in merged]
    tables: dict[tuple[Form, tuple[int, ...]], int] = {}
    keys = [(problem.form, own) for problem, own in zip(problems, lowest, strict=True)]
    which = np.array([tables.setdefault(key, len(tables)) for key in keys], dtype=np.int64)
    forms, constants = zip(*(form.eliminate(own) for form, own in tables), strict=True)
    counts = [
        [sum([problem.known_counts[i - 1] for i in own]) for own in groups[1:]]
        for problem, groups in zip(problems, merged, strict=True)
    ]
    batch = Batch(
        linear_index=which,
        form_index=which,
        a=np.array([form.a for form in forms])[:, :, None],
        d=np.array([form.d for form in forms])[:, :, None],
        K=np.array([form.K for form in forms])[:, None],
        size=np.ones(problems[0].depth),
        value=np.array([[problem.value] for problem in problems]) - np.array(constants)[which, None],
        counts=np.array(counts, dtype=np.float64).reshape(len(problems), -1),
        bounded=problems[0].count == "at_most",
    )
    return batch, np.array(lowest, dtype=np.int64)


def unmerge(
    merged: MergedGrades, counts: FloatArray, p: FloatArray, multipliers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Distributions and multipliers of all grades present, from those of merged grades.

    For given probabilities q_n of a group, sum_n H(p_n) is largest where its grades have the same proportions at
    every rank, p_n(i) = q_n C_i / sum_j C_j: the entropy is concave in the proportions, and their mean over the
    documents is fixed. This is exact where counts are fixed. Where they are upper bounds, it is exact only if all
    bounds of the group are reached, which the signs of the multipliers tell.

    Parameters
    ----------
    merged : tuple of tuples of int
        Grades present, merged ones together.
    counts : (k, levels) array
        Expected number of documents of each positive grade.
    p : (k, depth, len(merged)) array
        Probabilities of the groups.
    multipliers : (k, m + len(merged) - 1) array
        Multipliers of the values and of all groups but the first.

    Returns
    -------
    p : (k, depth, levels + 1) array
    multipliers : (k, m + c) array
        Multipliers of the values and of the grades present but the lowest, in ascending order.
    """
    size, m = counts.shape[1] + 1, multipliers.shape[1] - len(merged) + 1
    mu, deal = np.zeros((len(p), size)), np.zeros((len(p), len(merged), size))
    for number, members in enumerate(merged):
        at = np.array(members)
        own = np.where(at > 0, counts[:, at - 1], 0.0)
        whole = np.maximum(own.sum(axis=1), 1e-300)
        if at[0] == 0:
            whole = np.maximum(whole, p[:, :, 0].sum(axis=1))  # upper bounds may exceed the group's mass
        share = own / whole[:, None]
        if at[0] == 0:
            share[:, 0] = np.maximum(1 - share[:, 1:].sum(axis=1), 0.0)  # rounding, where the list is full
        deal[:, number, at] = share
        own_multiplier = multipliers[:, m + number - 1, None] if number else 0.0
        mu[:, at] = np.log(np.maximum(share, 1e-300)) + own_multiplier
    lowest, *others = sorted(grade for members in merged for grade in members)
    of_grades = mu[:, others] - mu[:, lowest, None]
    return p @ deal, np.column_stack((multipliers[:, :m], of_grades))
