"""Refinement of g between the points of a grid: a local minimum of the mean error of the inferred curves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from maxent.curves import Curve, actual_curve, curve_error, inferred_curve
from maxent.data.collection import Collection
from maxent.derivatives import sensitivity
from maxent.measures import GAP
from maxent.problem import Problem
from maxent.progress import progress_bar
from maxent.solvers import solve
from maxent.study.options import StudyOptions
from maxent.study.topics import SOLVED
from maxent.types import FloatArray, IntArray
from maxent.workers import rounds

PRECISION = 1e-6  # of the objective: its intervals over topics are ten thousand times wider
MOST = 30  # iterations at most
DECIMALS = 4  # of the refined g
BLOCK = 16  # lists that a processor takes at once


@dataclass(frozen=True, eq=False)
class ObservedList:
    """One list of a study.

    Attributes
    ----------
    grades : (depth,) array
        Grades of the list.
    relevant : (levels,) array
        R_i of the topic.
    curves : mapping from threshold to Curve
        The actual curves.
    """

    grades: IntArray
    relevant: IntArray
    curves: Mapping[int, Curve]


def observed_lists(
    collection: Collection, keys: Iterable[tuple[str, str]], thresholds: Sequence[int]
) -> list[ObservedList]:
    """The lists of a collection that ``keys`` names by run and topic, with their actual curves."""
    found = []
    for run, topic in keys:
        k, r = collection.topics.index(topic), collection.runs.index(run)
        grades, relevant = collection.grades[k, r].astype(np.int64), collection.relevant[k]
        curves = {t: actual_curve(grades, relevant, threshold=t) for t in thresholds}
        found.append(ObservedList(grades, relevant, curves))
    return found


def list_error(
    one: ObservedList, g: tuple[float, ...], shares: pd.Series, options: StudyOptions
) -> tuple[float, FloatArray]:
    """RMS error of one list at g, weighted over the thresholds, and its derivative by g, (levels,).

    A list without a solution has error 1, the largest possible, so that such g are avoided, and derivative 0. The
    derivative of a solution with status ``boundary`` is 0, too: a sorted list does not change with g.
    """
    flat = np.zeros(len(g))
    problem = Problem.of_list(GAP(g=g), one.grades, one.relevant, count=options.count)
    solution = solve(problem, solver=options.solver)
    if solution.status not in SOLVED:
        return 1.0, flat
    inferred = {t: inferred_curve(solution, threshold=t) for t in one.curves}
    error = sum(shares[t] * curve_error(one.curves[t], inferred[t], align=options.align).rms for t in one.curves)
    if solution.status == "boundary":
        return float(error), flat
    moved = sensitivity(solution, by="g", grades=one.grades)
    slopes = [shares[t] * moved.error(one.curves[t], threshold=t, align=options.align).rms for t in one.curves]
    return float(error), np.sum(slopes, axis=0)


def list_errors(
    lists: Sequence[ObservedList], g: tuple[float, ...], shares: pd.Series, options: StudyOptions
) -> list[tuple[float, FloatArray]]:
    """:func:`list_error` of several lists."""
    return [list_error(one, g, shares, options) for one in lists]


def refine_g(
    g: tuple[float, ...],
    lists: Sequence[ObservedList],
    shares: pd.Series,
    options: StudyOptions,
) -> tuple[float, ...]:
    """Local minimum of the mean error of lists over g, found by SLSQP from a start.

    The objective, the mean of :func:`list_error`, is only piecewise smooth. If a line search fails, the point that
    was reached is returned; the caller has to check that it is better than the start.

    Parameters
    ----------
    g : (levels,) tuple
        Start.
    lists : sequence of ObservedList
        Lists to average over.
    shares : Series
        Weight of each threshold; sums to 1.
    options : StudyOptions
        Their count, align, solver, jobs and progress are used.

    Returns
    -------
    (levels,) tuple
        Rounded to four decimals; sums to 1.
    """
    from scipy.optimize import minimize  # loaded at its first use

    bar = progress_bar(desc="refine g", unit="list", shown=options.progress)
    blocks = [lists[start : start + BLOCK] for start in range(0, len(lists), BLOCK)]
    with bar, rounds(list_errors, blocks, jobs=options.jobs) as each_block:

        def objective(x: FloatArray) -> tuple[float, FloatArray]:
            point = tuple(map(float, on_simplex(x)))
            found = each_block(point, shares, options)
            bar.update(len(lists))
            errors, slopes = zip(*chain.from_iterable(found), strict=True)
            return float(np.mean(errors)), np.mean(slopes, axis=0)

        best = minimize(
            objective,
            np.array(g),
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * len(g),
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
            options={"ftol": PRECISION, "maxiter": MOST},
        )
    return rounded(on_simplex(best.x))


def on_simplex(x: FloatArray) -> FloatArray:
    """``x`` clipped to 0..1 and divided by its sum: the optimiser may leave the simplex by rounding errors."""
    clipped = np.clip(x, 0.0, 1.0)
    return np.asarray(clipped / clipped.sum())


def rounded(g: FloatArray) -> tuple[float, ...]:
    """``g`` rounded to four decimals so that it still sums to 1 (method of largest remainders)."""
    units = np.floor(g * 10**DECIMALS)
    rest = g * 10**DECIMALS - units
    units[np.argsort(-rest)[: round(10**DECIMALS - units.sum())]] += 1
    return tuple(float(u) / 10**DECIMALS for u in units)
