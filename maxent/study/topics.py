"""Topic by topic through a collection: solve every list, keep finished topics, go on after an interruption."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from maxent.data.collection import Collection
from maxent.errors import ProblemError
from maxent.measures import Measure
from maxent.problem import COUNTS, Count, Problem, Solution
from maxent.solvers import solve_many
from maxent.solvers.solve import backend
from maxent.study.checkpoint import Journal
from maxent.types import BoolArray, IntArray

SOLVED = ("optimal", "boundary")
LEFT_OUT = {
    "too_few": "fewer retrieved documents than the minimum in some grade",
    "missing": "topic missing from the run",
    "no_relevant": "topic without relevant documents",
    "infeasible": "value outside what the counts can attain",
    "failed": "no solution that its certificate confirms",
}
"""Statuses of lists without a result, with the reason in words."""


@dataclass(frozen=True, kw_only=True)
class Lists:
    """Which problem is solved for every list, and which lists are left out."""

    measures: tuple[Measure, ...]
    count: Count = "retrieved"
    min_retrieved: int = 5
    solver: str = "auto"

    def __post_init__(self) -> None:
        if not self.measures:
            raise ProblemError("a study needs at least one measure")
        if self.count not in COUNTS:
            raise ProblemError(f"unknown count {self.count!r}; known: {', '.join(COUNTS)}")
        if self.min_retrieved < 0:
            raise ProblemError(f"min_retrieved must be at least 0, got {self.min_retrieved}")
        backend(self.solver)


@dataclass(frozen=True, eq=False)
class Topic:
    """All lists of one topic.

    Attributes
    ----------
    query_id : str
    runs : tuple of str
    grades : (runs, depth) array
    relevant : (levels,) array
    missing : (runs,) array
        Whether the run has no document for the topic.
    used : (levels,) array
        Whether any topic of the collection has documents of the grade.
    """

    query_id: str
    runs: tuple[str, ...]
    grades: IntArray
    relevant: IntArray
    missing: BoolArray
    used: BoolArray

    @cached_property
    def retrieved(self) -> list[IntArray]:
        """Documents of each positive grade in each list, (levels,) arrays."""
        return [np.bincount(grades, minlength=len(self.relevant) + 1)[1:] for grades in self.grades]

    def left_out(self, min_retrieved: int) -> list[str]:
        """Why each list is left out before any solving; empty where it is not."""
        return [
            "missing" if gone else "too_few" if found[self.used].min() < min_retrieved else ""
            for gone, found in zip(self.missing, self.retrieved, strict=True)
        ]


def solved_lists(topic: Topic, lists: Lists) -> Iterator[tuple[int, Measure, float, Solution | str]]:
    """Position of the run, measure, its value, and the solution or why the list is left out; run by run."""
    values = {measure: measure.evaluate(topic.grades, topic.relevant) for measure in lists.measures}
    skips = topic.left_out(lists.min_retrieved)
    cells = list(product(range(len(topic.runs)), lists.measures))
    problems = [
        Problem(
            measure,
            value=float(values[measure][r]),
            relevant=tuple(topic.relevant),
            retrieved=tuple(topic.retrieved[r]),
            depth=topic.grades.shape[1],
            count=lists.count,
        )
        for r, measure in cells
        if not skips[r]
    ]
    solutions = iter(solve_many(problems, solver=lists.solver, progress=False))
    for r, measure in cells:
        yield r, measure, float(values[measure][r]), skips[r] or next(solutions)


L = TypeVar("L", bound=Lists)


def each_topic(
    work: Callable[[Topic, L], pd.DataFrame],
    collection: Collection,
    lists: L,
    *,
    columns: Mapping[str, type],
    rows: int,
    jobs: int = 1,
    progress: bool = True,
    checkpoint: str | Path | None = None,
) -> list[pd.DataFrame]:
    """Rows of every topic with a relevant document, in the order of the collection.

    Parameters
    ----------
    work : function of a Topic and ``lists``
        Must be importable: it runs in other processes.
    collection : Collection
    lists : Lists
        Together with the collection it determines the result.
    columns : mapping from name to type
        Of the tables that ``work`` returns.
    rows : int
        Number of rows of each of them.
    jobs : int
        Processes.
    progress : bool
        Show a progress bar on a terminal where it takes more than two seconds.
    checkpoint : path, optional
        File that keeps finished topics, so that interrupted work goes on where it stopped.
    """
    journal = Journal(checkpoint, key=(_fingerprint(collection), lists), columns=columns, rows=rows)
    known = journal.read()
    todo = [k for k, topic in enumerate(collection.topics) if topic not in known]
    tasks = (delayed(work)(_topic(collection, k), lists) for k in todo)
    found = Parallel(n_jobs=jobs, return_as="generator")(tasks)
    bar = tqdm(found, total=len(todo), unit="topic", desc="solving", delay=2, disable=None if progress else True)
    for k, frame in zip(todo, bar, strict=True):
        journal.add(frame)
        known[collection.topics[k]] = frame
    return [known[topic] for topic in collection.topics]


def check_measures(measures: Sequence[Measure], collection: Collection) -> None:
    """Raise MeasureError for a measure that does not fit the grades: here, not after minutes."""
    for measure in measures:
        measure.form(collection.relevant[0], collection.depth)


def _fingerprint(collection: Collection) -> str:
    digest = hashlib.sha256(repr((collection.runs, collection.topics, collection.grades.shape)).encode())
    for array in (collection.grades, collection.relevant, collection.missing):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _topic(collection: Collection, k: int) -> Topic:
    grades, relevant = collection.grades[k].astype(np.int64), collection.relevant[k]
    used = collection.relevant.sum(axis=0) > 0  # a grade that no topic has asks for no documents
    return Topic(collection.topics[k], collection.runs, grades, relevant, collection.missing[k], used)
