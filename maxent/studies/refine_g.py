"""Refinement of g between the points of a grid: a local minimum of the mean error of the inferred curves."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from maxent.curves.actual import actual_curve
from maxent.curves.derivatives import sensitivity
from maxent.curves.error import curve_error
from maxent.curves.inferred import inferred_curve
from maxent.data.collection import Collection
from maxent.measures.candidates import Kind, candidate
from maxent.problem import Solution
from maxent.problem.reference import Reference
from maxent.progress import progress_bar
from maxent.solvers.solve import checked_solver
from maxent.studies.options import StudyOptions
from maxent.studies.same_lists import LIST
from maxent.studies.topic_groups import Topic, chosen_lists
from maxent.studies.topics import SOLVED, solved_lists, values_of
from maxent.types import FloatArray, IntArray
from maxent.workers import each_result

PRECISION = 1e-6  # of the objective; its intervals over topics are ten thousand times wider
MOST = 30  # iterations at most
DECIMALS = 4  # of the refined g


def observed_lists(collection: Collection, table: pd.DataFrame, reference: Reference) -> list[Topic]:
    """The lists of a collection that occur in a table, with the study's reference."""
    runs_by_topic = table.drop_duplicates(LIST).groupby("query_id", sort=False)["run_id"]
    return [chosen_lists(collection, str(topic), runs.tolist(), reference) for topic, runs in runs_by_topic]


def list_errors(
    topic: Topic, g: tuple[float, ...], shares: pd.Series, options: StudyOptions, kind: Kind = "GAP"
) -> tuple[FloatArray, FloatArray]:
    """RMS error of each list at g, weighted over thresholds, (lists,), and its derivative by g, (lists, levels).

    A list without a solution has the largest possible error, 1, so that such g are avoided, and derivative 0.
    """
    at_g = replace(options, measures=(candidate(kind, g),))
    errors, slopes = np.ones(len(topic.runs)), np.zeros((len(topic.runs), len(g)))
    for lists in solved_lists(topic, at_g, values_of(topic, at_g.measures)):
        for run, solution in zip(lists.runs, lists.solutions, strict=True):
            if solution.status in SOLVED:
                errors[run], slopes[run] = _list_error(solution, topic.grades[run], shares, options)
    return errors, slopes


def _list_error(
    solution: Solution, grades: IntArray, shares: pd.Series, options: StudyOptions
) -> tuple[float, FloatArray]:
    """Error of a list and its derivative by g (levels,); 0 at a boundary, as a sorted list does not change with g.

    Both are sums over the thresholds, weighted by ``shares``.
    """
    relevant = solution.problem.relevant
    actual = {t: actual_curve(grades, relevant, threshold=t) for t in shares.index}
    error = sum(
        shares[t] * curve_error(actual[t], inferred_curve(solution, threshold=t), align=options.align).rms
        for t in actual
    )
    if solution.status == "boundary":
        return float(error), np.zeros(len(relevant))
    by_g = sensitivity(solution, by="g", grades=grades)
    slopes = [shares[t] * by_g.error(actual[t], threshold=t, align=options.align).rms for t in actual]
    return float(error), np.sum(slopes, axis=0)


def refine_g(
    g: tuple[float, ...], lists: Sequence[Topic], shares: pd.Series, options: StudyOptions, kind: Kind = "GAP"
) -> tuple[float, ...]:
    """Local minimum over g of the mean error of lists, found by SLSQP from a start, rounded to four decimals.

    The objective, the mean of :func:`list_errors`, is only piecewise smooth. If a line search fails, the last point
    is returned. The caller must check that it is better than the start.
    """
    from scipy.optimize import minimize  # loaded at its first use

    threads = checked_solver(options.solver) == "newton"  # its passes release Python's lock
    with progress_bar(desc="refine g, at most", unit="step", total=MOST, shown=options.progress) as bar:

        def objective(x: FloatArray) -> tuple[float, FloatArray]:
            """Mean error of all lists at g = x, and its derivative by g, (levels,)."""
            point = tuple(map(float, on_simplex(x)))
            pieces = ((topic, point, shares, options, kind) for topic in lists)
            calls = each_result(list_errors, pieces, total=len(lists), jobs=options.jobs, threads=threads)
            by_topic = dict(calls)  # in the order of completion
            errors, slopes = zip(*(by_topic[k] for k in range(len(lists))), strict=True)
            return float(np.mean(np.concatenate(errors))), np.mean(np.concatenate(slopes), axis=0)

        best = minimize(
            objective,
            np.array(g),
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * len(g),
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
            callback=lambda _: bar.update(),
            options={"ftol": PRECISION, "maxiter": MOST},
        )
        bar.total = bar.n  # so that fewer steps do not look like a failure
    return rounded(on_simplex(best.x))


def on_simplex(x: FloatArray) -> FloatArray:
    """``x`` clipped to 0..1 and divided by its sum, as rounding errors may take it off the simplex."""
    clipped = np.clip(x, 0.0, 1.0)
    return np.asarray(clipped / clipped.sum())


def rounded(g: FloatArray) -> tuple[float, ...]:
    """``g`` rounded to four decimals so that it still sums to 1 (method of largest remainders)."""
    units = np.floor(g * 10**DECIMALS)
    remainders = g * 10**DECIMALS - units
    missing = round(10**DECIMALS - units.sum())
    units[np.argsort(-remainders)[:missing]] += 1
    return tuple(float(unit) / 10**DECIMALS for unit in units)
