"""Problems as arrays, and grades that stand as one."""

from collections.abc import Sequence

import numpy as np

from maxent.kernels.batch import Batch
from maxent.measures.form import Form
from maxent.problem.problem import Problem
from maxent.types import FloatArray, IntArray

MergedGrades = tuple[tuple[int, ...], ...]


def as_batch(problems: Sequence[Problem], merged: Sequence[MergedGrades] | None = None) -> tuple[Batch, IntArray]:
    """Arrays of problems that are alike in depth, number of grades present and reading of the counts.

    The first grade present is eliminated, see :meth:`Form.eliminate`.

    Parameters
    ----------
    problems : sequence of Problem
    merged : sequence of tuples, optional
        For each problem, the grades that stand as one (:attr:`Problem.merged_grades`); by default none do.

    Returns
    -------
    batch : Batch
    grades : (k, c + 1) array
        Grades present, or the lowest one of each class.
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
        own=which,
        which=which,
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
    """Distributions and multipliers of all grades present, where alike ones stand as one.

    For given probabilities q_n of such a class, sum_n H(p_n) is largest where every rank deals its documents out
    alike, p_n(i) = q_n C_i / sum_j C_j: the entropy of the deal is concave in it, and its mean over the documents
    is fixed. So counts that are known make this exact. Upper bounds do only where all of them are reached, which
    the multipliers' signs tell.

    Parameters
    ----------
    merged : tuple of tuples of int
        Grades present, alike ones together.
    counts : (k, levels) array
        Expected number of documents of each positive grade.
    p : (k, depth, len(merged)) array
        Probabilities of the merged.
    multipliers : (k, m + len(merged) - 1) array
        Of the values and of all merged but the first.

    Returns
    -------
    p : (k, depth, levels + 1) array
    multipliers : (k, m + c) array
        Of the values and of the grades present but the lowest, in ascending order.
    """
    size, m = counts.shape[1] + 1, multipliers.shape[1] - len(merged) + 1
    mu, deal = np.zeros((len(p), size)), np.zeros((len(p), len(merged), size))
    for number, members in enumerate(merged):
        at = np.array(members)
        own = np.where(at > 0, counts[:, at - 1], 0.0)
        whole = np.maximum(own.sum(axis=1), 1e-300)
        if at[0] == 0:
            whole = np.maximum(whole, p[:, :, 0].sum(axis=1))  # bounds may be above what there is
        share = own / whole[:, None]
        if at[0] == 0:
            share[:, 0] = np.maximum(1 - share[:, 1:].sum(axis=1), 0.0)  # lists may be full but for rounding
        deal[:, number, at] = share
        own_multiplier = multipliers[:, m + number - 1, None] if number else 0.0
        mu[:, at] = np.log(np.maximum(share, 1e-300)) + own_multiplier
    lowest, *others = sorted(grade for members in merged for grade in members)
    of_grades = mu[:, others] - mu[:, lowest, None]
    return p @ deal, np.column_stack((multipliers[:, :m], of_grades))
