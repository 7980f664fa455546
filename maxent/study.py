"""The informativeness study: how well does a measure's value alone give back the precision-recall curve?"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from maxent.collection import Collection, Runs, collect
from maxent.curves import ALIGNS, Align, Curve, actual_curve, curve_error, inferred_curve
from maxent.errors import ProblemError
from maxent.journal import Journal
from maxent.measures import AP, GAP, Measure, as_measures, nDCG
from maxent.problem import COUNTS, Count, Problem
from maxent.solution import Solution
from maxent.solvers import solve_many
from maxent.solvers.solve import backend

COLUMNS: dict[str, type] = {
    **dict.fromkeys(("run_id", "query_id", "measure"), str),
    "threshold": int,
    "status": str,
    **dict.fromkeys(("value", "rms", "mae"), float),
    "points": int,
    "entropy": float,
}
SOLVED = ("optimal", "boundary")
MOST_CANDIDATES = 20_000  # of a grid of g
LEFT_OUT = {
    "too_few": "fewer retrieved documents than the minimum in some grade",
    "missing": "topic missing from the run",
    "no_relevant": "topic without relevant documents",
    "infeasible": "value outside what the counts can attain",
    "failed": "no solution that its certificate confirms",
}
"""Statuses of lists without an error, with the reason in words."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a study does with every list; see :func:`informativeness`."""

    measures: tuple[Measure, ...]
    thresholds: tuple[int, ...]
    count: Count = "retrieved"
    min_retrieved: int = 5
    align: Align = "recall"
    solver: str = "auto"

    def __post_init__(self) -> None:
        if not self.measures:
            raise ProblemError("a study needs at least one measure")
        if self.count not in COUNTS:
            raise ProblemError(f"unknown count {self.count!r}; known: {', '.join(COUNTS)}")
        if self.align not in ALIGNS:
            raise ProblemError(f"unknown alignment {self.align!r}; known: {', '.join(ALIGNS)}")
        if self.min_retrieved < 1:
            raise ProblemError(
                f"min_retrieved must be at least 1 (a curve needs a point), got {self.min_retrieved}"
            )
        backend(self.solver)


def g_grid(*, levels: int = 2, steps: int = 9) -> list[tuple[float, ...]]:
    """Threshold probabilities on an even grid of the simplex.

    Parameters
    ----------
    levels : int
        Number of positive grades, c.
    steps : int
        Points along one edge: g_k is a multiple of 1 / (steps - 1).

    Returns
    -------
    list of (levels,) tuples
        By increasing g_1; for two grades from (0, 1) to (1, 0).
    """
    if levels < 1 or steps < 2:
        raise ProblemError(f"a grid needs levels >= 1 and steps >= 2, got {levels} and {steps}")
    size = comb(steps + levels - 2, levels - 1)
    if size > MOST_CANDIDATES:
        raise ProblemError(
            f"a grid of {steps} steps over {levels} grades has {size} candidates: take fewer steps or name measures"
        )
    last = steps - 1
    heads = product(range(steps), repeat=levels - 1)
    return [tuple(k / last for k in (*head, last - sum(head))) for head in heads if sum(head) <= last]


def default_measures(levels: int, *, g_steps: int = 9) -> tuple[Measure, ...]:
    """GAP over the grid, AP, and nDCG with exponential gain and log2 discount, as in the GAP paper's figure 2."""
    grid = [GAP(g=g) for g in g_grid(levels=levels, steps=g_steps)]
    return (*grid, AP(), nDCG(gain="exp2", discount="log2"))


def informativeness(
    runs: Runs,
    qrels: pd.DataFrame,
    *,
    measures: Sequence[Measure | str] | None = None,
    count: Count = "retrieved",
    thresholds: Sequence[int] | None = None,
    min_retrieved: int = 5,
    depth: int = 1000,
    align: Align = "recall",
    topics: Sequence[str] | None = None,
    solver: str = "auto",
    jobs: int = 1,
    progress: bool = True,
    checkpoint: str | Path | None = None,
) -> pd.DataFrame:
    """Error of the curve that each measure's value implies, for every list (GAP paper 4.1).

    Parameters
    ----------
    runs : DataFrame, iterable of DataFrames, or mapping from name to DataFrame
        Columns query_id, doc_id, score (and run_id).
    qrels : DataFrame
        Columns query_id, doc_id, relevance.
    measures : sequence of Measure or text, optional
        Default: GAP over :func:`g_grid`, AP and ``nDCG(gain=exp2)``.
    count : {"retrieved", "total", "at_most"}
        Reading of the counts, see :class:`maxent.Problem`.
    thresholds : sequence of int, optional
        Grades from which a document counts as relevant on the curves; default: every positive grade.
    min_retrieved : int
        Lists with fewer retrieved documents in some positive grade of the collection are left out.
    depth : int
        Ranks that count; shorter lists are padded with non-relevant documents.
    align : {"recall", "rank"}
        See :func:`maxent.curve_error`.
    topics : sequence of str, optional
        Topics to study; default: all of the qrels.
    solver : str
    jobs : int
        Processes.
    progress : bool
        Show a progress bar on a terminal where it takes more than two seconds.
    checkpoint : path, optional
        File that keeps finished topics, so that an interrupted study goes on where it stopped.

    Returns
    -------
    DataFrame
        One row per run x topic x measure x threshold: run_id, query_id, measure (its text form), threshold, status,
        value, rms, mae, points (of the actual curve), entropy (nats). A list without error has NaN and says why in
        ``status``: ``too_few``, ``missing``, ``no_relevant``, ``infeasible`` or ``failed``.
    """
    collection = collect(runs, qrels, depth=depth, topics=topics)
    setup = Setup(
        measures=default_measures(collection.levels) if measures is None else as_measures(measures),
        thresholds=tuple(thresholds) if thresholds is not None else tuple(range(1, collection.levels + 1)),
        count=count,
        min_retrieved=min_retrieved,
        align=align,
        solver=solver,
    )
    return study_collection(collection, setup, jobs=jobs, progress=progress, checkpoint=checkpoint)


def study_collection(
    collection: Collection,
    setup: Setup,
    *,
    jobs: int = 1,
    progress: bool = True,
    checkpoint: str | Path | None = None,
) -> pd.DataFrame:
    """As :func:`informativeness`, on grade arrays."""
    for measure in setup.measures:  # a measure that does not fit the grades fails here, not after minutes
        measure.form(collection.relevant[0], collection.depth)
    if not all(1 <= t <= collection.levels for t in setup.thresholds):
        raise ProblemError(f"thresholds must be grades within 1..{collection.levels}, got {setup.thresholds}")
    lists = len(collection.runs) * len(setup.measures) * len(setup.thresholds)
    journal = Journal(checkpoint, key=(_fingerprint(collection), setup), columns=COLUMNS, rows=lists)
    known = journal.read()
    todo = [k for k, topic in enumerate(collection.topics) if topic not in known]
    tasks = (delayed(_study_topic)(_topic(collection, k), setup) for k in todo)
    found = Parallel(n_jobs=jobs, return_as="generator")(tasks)
    bar = tqdm(found, total=len(todo), unit="topic", desc="study", delay=2, disable=None if progress else True)
    for k, frame in zip(todo, bar, strict=True):
        journal.add(frame)
        known[collection.topics[k]] = frame
    frames = [known[topic] for topic in collection.topics]
    frames += [_nothing_relevant(topic, collection.runs, setup) for topic in collection.without_relevant]
    return pd.concat(frames, ignore_index=True)


def _fingerprint(collection: Collection) -> str:
    digest = hashlib.sha256(repr((collection.runs, collection.topics, collection.grades.shape)).encode())
    for array in (collection.grades, collection.relevant, collection.missing):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class _Topic:
    query_id: str
    runs: tuple[str, ...]
    grades: npt.NDArray[np.int64]
    relevant: npt.NDArray[np.int64]
    missing: npt.NDArray[np.bool_]
    used: npt.NDArray[np.bool_]


def _topic(collection: Collection, k: int) -> _Topic:
    grades, relevant = collection.grades[k].astype(np.int64), collection.relevant[k]
    used = collection.relevant.sum(axis=0) > 0  # a grade that no topic has asks for no documents
    return _Topic(collection.topics[k], collection.runs, grades, relevant, collection.missing[k], used)


def _study_topic(topic: _Topic, setup: Setup) -> pd.DataFrame:
    values = {measure: measure.evaluate(topic.grades, topic.relevant) for measure in setup.measures}
    retrieved = [np.bincount(grades, minlength=len(topic.relevant) + 1)[1:] for grades in topic.grades]
    skips = [
        "missing" if gone else "too_few" if found[topic.used].min() < setup.min_retrieved else ""
        for gone, found in zip(topic.missing, retrieved, strict=True)
    ]
    actual = {
        r: {t: actual_curve(topic.grades[r], topic.relevant, threshold=t) for t in setup.thresholds}
        for r, skip in enumerate(skips)
        if not skip
    }
    cells = list(product(range(len(topic.runs)), setup.measures))
    problems = [
        Problem(
            measure,
            value=float(values[measure][r]),
            relevant=tuple(topic.relevant),
            retrieved=tuple(retrieved[r]),
            depth=topic.grades.shape[1],
            count=setup.count,
        )
        for r, measure in cells
        if not skips[r]
    ]
    solutions = iter(solve_many(problems, solver=setup.solver, progress=False))
    rows: list[tuple[Any, ...]] = []
    for r, measure in cells:
        head = (topic.runs[r], topic.query_id, str(measure))
        if skips[r]:
            tail = (skips[r], float(values[measure][r]), np.nan, np.nan, 0, np.nan)
            rows += [(*head, threshold, *tail) for threshold in setup.thresholds]
        else:
            rows += [(*head, *tail) for tail in _study_list(next(solutions), actual[r], setup.align)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _study_list(solution: Solution, actual: Mapping[int, Curve], align: Align) -> Iterator[tuple[Any, ...]]:
    """Tails of the rows of one list and measure, one for each threshold."""
    status, value = solution.status, solution.problem.value
    for threshold, curve in actual.items():
        if status in SOLVED:
            error = curve_error(curve, inferred_curve(solution, threshold=threshold), align=align)
            yield threshold, status, value, error.rms, error.mae, error.points, solution.entropy
        else:
            yield threshold, status, value, np.nan, np.nan, len(curve.rank), np.nan


def _nothing_relevant(query_id: str, runs: Sequence[str], setup: Setup) -> pd.DataFrame:
    cells = product(runs, map(str, setup.measures), setup.thresholds)
    rows = [(run, query_id, measure, t, "no_relevant", 0.0, np.nan, np.nan, 0, np.nan) for run, measure, t in cells]
    return pd.DataFrame(rows, columns=list(COLUMNS))
