"""Topic by topic through a collection: every list is solved, finished topics are kept in a checkpoint."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from maxent.data.collection import Collection
from maxent.measures import Measure
from maxent.problem import Problem, Solution
from maxent.solvers import solve_many
from maxent.study.checkpoint import Checkpoint
from maxent.study.options import StudyOptions
from maxent.types import BoolArray, IntArray

SOLVED = ("optimal", "boundary")
LEFT_OUT = {
    "too_few": "fewer retrieved documents of some grade than min_retrieved",
    "missing": "topic missing from the run",
    "no_relevant": "topic without relevant documents",
    "infeasible": "value outside what the counts can attain",
    "failed": "no solution that its certificate confirms",
}
"""Statuses of lists that are left out, with the reason in words."""


@dataclass(frozen=True, eq=False)
class Topic:
    """All lists of one topic.

    Attributes
    ----------
    query_id : str
        The topic.
    runs : tuple of str
        Names of the runs.
    grades : (runs, depth) array
        Grades of the lists.
    relevant : (levels,) array
        R_i of the topic.
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
        """Number of documents of each positive grade in each list, a (levels,) array for each."""
        return [np.bincount(grades, minlength=len(self.relevant) + 1)[1:] for grades in self.grades]

    def left_out(self, min_retrieved: int) -> list[str]:
        """Status of each list that is left out without solving; empty for the others."""
        return [
            "missing" if gone else "too_few" if found[self.used].min() < min_retrieved else ""
            for gone, found in zip(self.missing, self.retrieved, strict=True)
        ]


def solved_lists(topic: Topic, options: StudyOptions) -> Iterator[tuple[int, Measure, float, Solution | str]]:
    """Index of the run, measure, its value, and the solution or the status of a list left out; run by run."""
    values = {measure: measure.evaluate(topic.grades, topic.relevant) for measure in options.measures}
    skips = topic.left_out(options.min_retrieved)
    cells = list(product(range(len(topic.runs)), options.measures))
    problems = [
        Problem(
            measure,
            value=float(values[measure][r]),
            relevant=tuple(topic.relevant),
            retrieved=tuple(topic.retrieved[r]),
            depth=topic.grades.shape[1],
            count=options.count,
        )
        for r, measure in cells
        if not skips[r]
    ]
    solutions = iter(solve_many(problems, solver=options.solver, progress=False))
    for r, measure in cells:
        yield r, measure, float(values[measure][r]), skips[r] or next(solutions)


class Rows(NamedTuple):
    """The rows of a list in the table of a study.

    Attributes
    ----------
    columns : mapping from name to type
        Columns of the table: run_id, query_id, two that distinguish the rows of a list, status, and the results.
    cells : list of pairs
        Third and fourth column of each row of a list.
    empty : tuple
        Results in the rows of a list whose topic has no relevant document.
    """

    columns: Mapping[str, type]
    cells: list[tuple[Any, Any]]
    empty: tuple[Any, ...]


def each_topic(
    work: Callable[[Topic, StudyOptions], pd.DataFrame], collection: Collection, options: StudyOptions, rows: Rows
) -> pd.DataFrame:
    """Rows of all topics: those with a relevant document in the order of the collection, then the others.

    Parameters
    ----------
    work : function of a Topic and the options
        Makes the rows of a topic. It must be importable by its name, because other processes run it.
    collection, options
        What determines the result; ``options.checkpoint`` is the file of finished topics.
    rows : Rows
        Form of the rows.
    """
    number = len(collection.runs) * len(rows.cells)
    key = _fingerprint(collection), options
    checkpoint = Checkpoint(options.checkpoint, key=key, columns=rows.columns, rows=number)
    known = checkpoint.read()
    todo = [k for k, topic in enumerate(collection.topics) if topic not in known]
    tasks = (delayed(work)(_topic(collection, k), options) for k in todo)
    found = Parallel(n_jobs=options.jobs, return_as="generator")(tasks)
    shown = None if options.progress else True
    bar = tqdm(found, total=len(todo), unit="topic", desc="solving", delay=2, disable=shown)
    for k, frame in zip(todo, bar, strict=True):
        checkpoint.add(frame)
        known[collection.topics[k]] = frame
    frames = [known[topic] for topic in collection.topics]
    frames += [_without_relevant(topic, collection.runs, rows) for topic in collection.without_relevant]
    return pd.concat(frames, ignore_index=True)


def _without_relevant(query_id: str, runs: Sequence[str], rows: Rows) -> pd.DataFrame:
    """Rows of a topic without relevant documents."""
    cells = product(runs, rows.cells)
    table = [(run, query_id, *cell, "no_relevant", *rows.empty) for run, cell in cells]
    return pd.DataFrame(table, columns=list(rows.columns))


def _fingerprint(collection: Collection) -> str:
    digest = hashlib.sha256(repr((collection.runs, collection.topics, collection.grades.shape)).encode())
    for array in (collection.grades, collection.relevant, collection.missing):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _topic(collection: Collection, k: int) -> Topic:
    grades, relevant = collection.grades[k].astype(np.int64), collection.relevant[k]
    used = collection.relevant.sum(axis=0) > 0  # min_retrieved does not apply to a grade that no topic has
    return Topic(collection.topics[k], collection.runs, grades, relevant, collection.missing[k], used)
