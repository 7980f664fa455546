"""Data of the g explorer: errors and inferred curves at every candidate g, for some lists of a study."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from maxent.curves.actual import actual_curve, recall_base
from maxent.curves.inferred import inferred_curve
from maxent.data.collection import Collection
from maxent.measures import parse_measure
from maxent.measures.form import grade_counts
from maxent.problem import Problem, Solution
from maxent.problem.independent_ranks import IndependentRanks
from maxent.solvers.presolve import no_multipliers
from maxent.solvers.solve import LISTS, solve
from maxent.studies.columns import MEAN_RMS, RMS
from maxent.studies.g_choice import GChoice, comparable
from maxent.studies.options import StudyOptions
from maxent.studies.rank_profile import topic_references
from maxent.studies.shown_lists import ShownLists, distribution, thinned
from maxent.studies.study_finding import RECOMMENDED
from maxent.studies.topics import SOLVED
from maxent.texts import g_label, measure_label, threshold_label
from maxent.types import FloatArray, IntArray

OTHERS = 4  # other measures to compare with, at most
DIGITS = 4
BAND = 0.9  # around the inferred curve of the recommended g


def explorer_data(
    collection: Collection,
    options: StudyOptions,
    choice: GChoice,
    shown: ShownLists,
    weights: Mapping[int, float] | None = None,
) -> dict[str, Any] | None:
    """Data of the explorer for a study and its choice, as JSON values; None with a single candidate.

    Distributions of lists come from ``shown``; nothing is solved.
    """
    if len(choice.table) < 2:
        return None
    solved, shares = comparable(choice.study, weights, choice.kind)
    thresholds = [int(threshold) for threshold in shares.index]
    # 1. candidates, sorted by g
    g_columns = list(map(str, choice.table.filter(regex="^g_")))
    candidates = choice.table.sort_values(g_columns, kind="stable")
    grid = [tuple(g) for g in candidates[g_columns].to_numpy().tolist()]
    labels = [g_label(g) for g in grid]
    recommended = candidates["role"].tolist().index(RECOMMENDED)
    if choice.kind == "GAP":
        name, names = "GAP(g)", [f"GAP({label})" for label in labels]
    else:
        name, names = choice.kind, [f"{choice.kind}, g = {label}" for label in labels]
    # 2. measures to compare with, and lists with their curves for every candidate
    others = list(_others(choice.study, candidates["measure"].tolist(), thresholds))[:OTHERS]
    measures = tuple(map(parse_measure, candidates["measure"]))
    of_candidates = replace(options, measures=measures, thresholds=tuple(thresholds))
    return {
        "g": grid,
        "name": name,
        "labels": labels,
        "measures": names,
        "objective": rounded(candidates["objective"]),
        "low": rounded(candidates["low"]),
        "high": rounded(candidates["high"]),
        "recommended": recommended,
        "band": f"{100 * BAND:g} %",
        "meanings": {column.name: column.meaning for column in (RMS, MEAN_RMS)},
        "thresholds": [
            {"label": threshold_label(t, collection.levels), "short": _short_label(t, collection.levels)}
            for t in thresholds
        ],
        "rms": [rounded(candidates[f"rms_t{t}"]) for t in thresholds],
        "others": [
            {"label": measure_label(other), "rms": rounded(rms), "mean": rounded([rms @ shares.to_numpy()])[0]}
            for other, rms in others
        ],
        "align": options.align,
        "ranks": shown.ranks.tolist(),
        "lists": _lists(solved, collection, of_candidates, shown, recommended),
    }


def _others(table: pd.DataFrame, candidates: list[str], thresholds: list[int]) -> Iterator[tuple[str, FloatArray]]:
    """Other measures of a study with their mean errors by threshold."""
    solved = table[table["status"].isin(SOLVED) & ~table["measure"].isin(candidates)]
    for name, rows in solved.groupby("measure", sort=False):
        yield str(name), rows.groupby("threshold")["rms"].mean().reindex(thresholds).to_numpy()


def _short_label(threshold: int, highest: int) -> str:
    return (
        f"grade \N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}{threshold}"
        if threshold < highest
        else f"grade {highest}"
    )


def rounded(values: Iterable[float]) -> list[float | None]:
    """Numbers rounded to four digits; None for NaN, which JSON lacks."""
    return [round(float(x), DIGITS) if np.isfinite(x) else None for x in values]


def _lists(
    solved: pd.DataFrame, collection: Collection, options: StudyOptions, shown: ShownLists, recommended: int
) -> list[dict[str, Any]]:
    """Numbers and curves of the lists solved for all candidates, sorted by the error of the recommended one."""
    # 1. indices and distributions (measures, ranks, levels + 1) of the shown lists, by topic and run
    names, columns = list(map(str, options.measures)), ("rms", "value", "status")
    places = {(collection.topics[k], collection.runs[run]): (k, run) for k, run in np.argwhere(shown.places)}
    of_measures = [shown.measures.index(name) for name in names]
    p = dict(zip(places, shown.p[:, of_measures].astype(float), strict=True))
    # 2. errors, values and statuses (lists, thresholds, measures) of those that are solved for all candidates
    rows = solved[pd.MultiIndex.from_frame(solved[["query_id", "run_id"]]).isin(list(places))]
    wide = rows.pivot(index=["query_id", "run_id"], columns=["threshold", "measure"], values=list(columns))
    wide = wide.reindex(columns=pd.MultiIndex.from_product([columns, options.thresholds, names])).dropna()
    cells = wide.to_numpy().reshape(len(wide), len(columns), len(options.thresholds), len(names))
    errors_of, values_of, statuses_of = np.moveaxis(cells, 1, 0)
    # 3. curves of each list
    references, lists = topic_references(collection, options.reference), []
    for number in np.argsort(errors_of[:, :, recommended].mean(axis=1), kind="stable"):
        query_id, run_id = wide.index[number]
        values, statuses = values_of[number, 0], statuses_of[number, 0]  # the same at every threshold
        k, run = places[query_id, run_id]
        grades, relevant = collection.grades[k, run], tuple(collection.relevant[k].tolist())
        problem = partial(
            Problem,
            relevant=relevant,
            retrieved=tuple(grade_counts(grades, collection.levels).tolist()),
            depth=collection.depth,
            count=options.count,
            reference=references[k],
        )
        problems = [problem(measure, value=value) for measure, value in zip(options.measures, values, strict=True)]
        solutions = _solutions(problems, statuses, p[query_id, run_id], shown.ranks, options)
        curves = _curves(grades, relevant, solutions, options, shown.ranks, recommended)
        numbers = {"values": rounded(values), "rms": [rounded(row) for row in errors_of[number]]}
        lists.append({"run": run_id, "topic": query_id, **numbers, **curves})
    return lists


def _solutions(
    problems: Sequence[Problem], statuses: Iterable[str], p: FloatArray, ranks: IntArray, options: StudyOptions
) -> Iterator[Solution]:
    """Solutions for a list from the distributions of a study; solved again at boundaries and for whole lists."""
    distributions = distribution(p, ranks, problems[0].log_odds)
    for problem, status, row in zip(problems, statuses, distributions, strict=True):
        if status == "boundary" or options.model == LISTS:
            yield solve(problem, solver=options.solver, model=options.model)
        else:
            yield Solution(IndependentRanks(problem, row), "optimal", no_multipliers(problem), "none")


def _curves(
    grades: IntArray,
    relevant: tuple[int, ...],
    solutions: Iterable[Solution],
    options: StudyOptions,
    ranks: IntArray,
    recommended: int,
) -> dict[str, Any]:
    """Actual curves of a list, and the curves inferred for every candidate.

    At each threshold the actual curve has points at some retrieved documents. Inferred curves have the same points
    if they are expected at the number of these documents, and points at ``ranks`` otherwise.
    """
    expected = options.align == "expected"
    actual = [actual_curve(grades, relevant, threshold=t) for t in options.thresholds]
    shown_points = [thinned(np.arange(len(curve.rank))) for curve in actual]  # (thresholds,) of indices of points
    curves: list[list[list[int]]] = [[] for _ in actual]  # (thresholds, measures, points)
    bands: list[list[list[int]] | None] = [None for _ in actual]  # (thresholds, 2, points), of the recommended one
    for measure, solution in enumerate(solutions):
        band = BAND if measure == recommended else None
        for t, threshold in enumerate(options.thresholds):
            inferred = inferred_curve(solution, threshold=threshold, expected=expected, band=band)
            points = shown_points[t] if expected else ranks - 1
            curves[t].append(_ten_thousandths(inferred.precision[points]))
            if inferred.low is not None and inferred.high is not None and np.isfinite(inferred.low).all():
                bands[t] = [_ten_thousandths(end[points]) for end in (inferred.low, inferred.high)]
    return {
        "base": [recall_base(relevant, t) for t in options.thresholds],
        "found": [(points + 1).tolist() for points in shown_points],
        "at": [curve.rank[points].astype(int).tolist() for curve, points in zip(actual, shown_points, strict=True)],
        "curves": curves,
        "bands": bands,
    }


def _ten_thousandths(numbers: FloatArray) -> list[int]:
    return list(map(int, (10**DIGITS * numbers).round()))
