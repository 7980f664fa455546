"""Numbers of the g explorer: errors and inferred curves at every candidate g, for some lists of a study."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from maxent.curves.actual import actual_curve, recall_base
from maxent.curves.error import curve_error
from maxent.curves.inferred import inferred_curve
from maxent.data.collection import Collection
from maxent.measures import parse_measure
from maxent.results.words import WORDS
from maxent.studies.g_choice import GChoice, comparable
from maxent.studies.options import StudyOptions
from maxent.studies.topics import SOLVED, chosen_lists, solved_lists, values_of
from maxent.texts import g_label, measure_label, threshold_label
from maxent.types import FloatArray, IntArray

LISTS, FEWEST = 100, 6  # lists at most, and at least where there are many candidates
POINTS = 50  # of a curve at most
NUMBERS = 150_000  # of all curves, beyond which there are fewer lists: about five characters each
OTHERS = 4  # measures to compare with
DIGITS = 4
BAND = 0.9  # around the inferred curve of the chosen g


def explorer_data(
    table: pd.DataFrame,
    collection: Collection,
    options: StudyOptions,
    choice: GChoice,
    weights: Mapping[int, float] | None = None,
) -> dict[str, Any] | None:
    """What the explorer shows of a study and its choice, as values for JSON; None with a single candidate."""
    if len(choice.table) < 2:
        return None
    solved, shares = comparable(table, weights, choice.kind)
    thresholds = [int(threshold) for threshold in shares.index]
    order = choice.table.sort_values(list(map(str, choice.table.filter(regex="^g_"))), kind="stable")
    grid = [tuple(g) for g in order.filter(regex="^g_").to_numpy().tolist()]
    measures = tuple(map(parse_measure, order["measure"]))
    ranks = spaced(collection.depth)
    each = len(measures) * len(thresholds) * len(ranks)
    number = min(LISTS, max(FEWEST, NUMBERS // each))
    own = replace(options, measures=measures, thresholds=tuple(thresholds), checkpoint=None)
    best = order["measure"].tolist().index(str(choice.measure))
    lists = [
        _of_list(collection, str(run), str(topic), own, ranks, best)
        for run, topic in evenly_by_error(solved, str(choice.measure), number)
    ]
    return {
        "g": grid,
        "labels": [g_label(g) for g in grid],
        "objective": rounded(order["objective"]),
        "low": rounded(order["low"]),
        "high": rounded(order["high"]),
        "best": best,
        "band": f"{100 * BAND:g} %",
        "meanings": {name: WORDS[name].meaning for name in ("rms", "objective")},
        "thresholds": [
            {"label": threshold_label(t, collection.levels), "short": _short_label(t, collection.levels)}
            for t in thresholds
        ],
        "rms": [rounded(order[f"rms_t{t}"]) for t in thresholds],
        "others": [
            {"label": measure_label(name), "rms": rounded(rms), "mean": rounded([rms @ shares.to_numpy()])[0]}
            for name, rms in list(_others(table, order["measure"].tolist(), thresholds))[:OTHERS]
        ],
        "align": options.align,
        "ranks": ranks.tolist(),
        "lists": [found for found in lists if found is not None],
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


def evenly_by_error(solved: pd.DataFrame, chosen: str, number: int) -> list[tuple[str, str]]:
    """Lists (run, topic) from the smallest to the largest error of the chosen g, or of all if it was refined."""
    own = solved["measure"] == chosen
    rows = solved[own] if own.any() else solved
    errors = rows.groupby(["run_id", "query_id"], sort=False)["rms"].mean().sort_values(kind="stable")
    places = np.unique(np.linspace(0, len(errors) - 1, number).round().astype(int))
    return [errors.index[place] for place in places]


def spaced(depth: int) -> IntArray:
    """At most ``POINTS`` ranks down to ``depth``: the first ten, then in equal ratios."""
    first = min(10, depth)
    return np.unique(np.r_[1 : first + 1, np.geomspace(first, depth, POINTS - 10).round().astype(int)])


def thinned(values: IntArray) -> IntArray:
    """At most ``POINTS`` of the values, evenly spaced, with both ends."""
    if len(values) <= POINTS:
        return values
    return np.asarray(values[np.unique(np.linspace(0, len(values) - 1, POINTS).round().astype(int))])


def rounded(values: Iterable[float]) -> list[float | None]:
    """Numbers with four digits; None, which JSON has, for NaN, which it has not."""
    return [round(float(x), DIGITS) if np.isfinite(x) else None for x in values]


def _of_list(
    collection: Collection, run: str, query_id: str, options: StudyOptions, ranks: IntArray, best: int
) -> dict[str, Any] | None:
    """Actual curve of a list, and for every candidate its value, its errors and its inferred curve at ``ranks``."""
    expected = options.align == "expected"
    topic = chosen_lists(collection, query_id, [run], options.reference)
    grades, relevant = topic.grades[0], topic.relevant
    values = values_of(topic, options.measures)
    actual = [actual_curve(grades, relevant, threshold=t) for t in options.thresholds]
    shape = (len(options.thresholds), len(options.measures))
    shown = [thinned(np.arange(len(curve.rank))) for curve in actual]
    errors, curves, bands = np.full(shape, np.nan), {}, {}
    for measures, _, solutions in solved_lists(topic, options, values):
        for measure, solution in zip(measures, solutions, strict=True):
            if solution.status not in SOLVED:
                return None
            for t, threshold in enumerate(options.thresholds):
                band = BAND if measure == best else None
                inferred = inferred_curve(solution, threshold=threshold, expected=expected, band=band)
                errors[t, measure] = curve_error(actual[t], inferred, align=options.align).rms
                at = shown[t] if expected else ranks - 1
                curves[t, measure] = _ten_thousandths(inferred.precision[at])
                if inferred.low is not None and inferred.high is not None:
                    bands[t] = [_ten_thousandths(end[at]) for end in (inferred.low, inferred.high)]
    return {
        "run": run,
        "topic": query_id,
        "values": rounded(np.array([values[measure][0] for measure in options.measures])),
        "base": [recall_base(relevant, t) for t in options.thresholds],
        "found": [(at + 1).tolist() for at in shown],
        "at": [curve.rank[at].astype(int).tolist() for curve, at in zip(actual, shown, strict=True)],
        "rms": [rounded(row) for row in errors],
        "curves": [[curves[t, k] for k in range(shape[1])] for t in range(shape[0])],
        "bands": [bands.get(t) for t in range(shape[0])],
    }


def _ten_thousandths(numbers: FloatArray) -> list[int]:
    return list(map(int, (10**DIGITS * numbers).round()))
