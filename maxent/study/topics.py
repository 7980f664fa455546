"""Topic by topic through a collection: every list is solved, finished topics are kept in a checkpoint."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.data.collection import Collection
from maxent.display import progress_bar
from maxent.measures import Measure
from maxent.measures.form import documents_before
from maxent.problem import Problem
from maxent.problem.arrays import Problems
from maxent.problem.solution import Solutions
from maxent.solvers.solve import backend, solve_arrays
from maxent.study.checkpoint import Checkpoint, file_of
from maxent.study.options import StudyOptions
from maxent.types import BoolArray, FloatArray, IntArray
from maxent.workers import each_result, without_advice

BLOCK = 256  # runs of a topic that are solved at once; part of the result, as its last digits depend on it
ALL = slice(None)
SOLVED = ("optimal", "boundary")
LEFT_OUT = {
    "too_few": "fewer retrieved documents than min_retrieved or min_retrieved_total",
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
    def retrieved(self) -> IntArray:
        """Number of documents of each positive grade in each list, (runs, levels)."""
        grades = np.arange(1, len(self.relevant) + 1)
        return np.stack([(self.grades == grade).sum(axis=1) for grade in grades], axis=1)

    def left_out(self, options: StudyOptions) -> npt.NDArray[np.object_]:
        """Status of each list that is left out without solving, (runs,); empty for the others."""
        few = self.retrieved[:, self.used].min(axis=1) < options.min_retrieved
        few |= self.retrieved.sum(axis=1) < options.min_retrieved_total
        return np.select([self.missing, few], ["missing", "too_few"], "").astype(object)


class SolvedLists(NamedTuple):
    """Solutions of lists of a topic.

    Attributes
    ----------
    measures, runs : (k,) arrays of int
        Index of the measure and of the run of each solution.
    solutions : Solutions
        One for each of them.
    """

    measures: IntArray
    runs: IntArray
    solutions: Solutions


def values_of(topic: Topic, measures: Sequence[Measure]) -> dict[Measure, FloatArray]:
    """Values for all lists, (runs,), of every measure, and of every measure of a joint."""
    before, depth = documents_before(topic.grades, len(topic.relevant)), topic.grades.shape[1]
    parts = dict.fromkeys(part for measure in measures for part in measure.parts)
    return {part: part.expectation(topic.relevant, depth).evaluate(topic.grades, before=before) for part in parts}


def solved_lists(
    topic: Topic, options: StudyOptions, values: Mapping[Measure, FloatArray]
) -> Iterator[SolvedLists]:
    """Solutions for all measures and all lists that are not left out, part by part.

    Parameters
    ----------
    topic : Topic
    options : StudyOptions
    values : mapping from Measure to (runs,) array
        From :func:`values_of`.
    """
    runs = np.flatnonzero(topic.left_out(options) == "")
    numbers = np.array([len(measure.parts) for measure in options.measures])
    for number in np.unique(numbers) if len(runs) else ():
        yield from _solved(topic, options, runs, np.flatnonzero(numbers == number), values)


def _solved(
    topic: Topic, options: StudyOptions, runs: IntArray, which: IntArray, values: Mapping[Measure, FloatArray]
) -> Iterator[SolvedLists]:
    """Solutions for the lists of ``runs`` and the measures of the indices ``which``, all joints of as many."""
    depth, relevant = topic.grades.shape[1], tuple(topic.relevant.tolist())
    index, own = np.repeat(which, len(runs)), np.tile(runs, len(which))
    known = [
        np.array([values[part] for part in options.measures[k].parts]).reshape(-1, len(topic.runs)) for k in which
    ]
    of_all = np.concatenate([each[:, runs].T for each in known])
    counts = topic.retrieved[own] if options.count == "retrieved" else np.tile(topic.relevant, (len(own), 1))

    def make(k: int) -> Problem:
        run = own[k]
        return Problem(
            options.measures[index[k]],
            value=of_all[k],
            relevant=relevant,
            retrieved=tuple(topic.retrieved[run].tolist()),
            depth=depth,
            count=options.count,
        )

    problems = Problems(
        forms=tuple(tuple(part.form(relevant, depth) for part in options.measures[k].parts) for k in which),
        form_index=np.repeat(np.arange(len(which)), len(runs)),
        values=of_all,
        counts=counts.astype(np.float64),
        at_most=options.count == "at_most",
        depth=depth,
        make=make,
    )
    for members, solutions in solve_arrays(problems, solver=options.solver):
        yield SolvedLists(index[members], own[members], solutions)


Work: TypeAlias = Callable[[Topic, StudyOptions], pd.DataFrame]


class Rows(NamedTuple):
    """The rows of a list in the table of a study.

    Attributes
    ----------
    columns : tuple of str
        Columns of the table: run_id, query_id, those that distinguish the rows of a list, status, and the results.
    cells : list of tuples
        The columns from the third to the one before the results, for each row of a list.
    empty : tuple
        Results in the rows of a list whose topic has no relevant document.
    """

    columns: tuple[str, ...]
    cells: list[tuple[Any, ...]]
    empty: tuple[Any, ...]


def each_topic(work: Work, collection: Collection, options: StudyOptions, rows: Rows) -> pd.DataFrame:
    """Table with the rows of all topics: those with a relevant document in collection order, then the others.

    Parameters
    ----------
    work : function of a Topic and StudyOptions
        Returns the rows of a topic. It must be importable: back ends other than Newton's run in other processes.
    collection : Collection
        Collection that is studied.
    options : StudyOptions
        Measures, how lists are solved, and the checkpoint.
    rows : Rows
        Columns of the table, and the rows that each list has.
    """
    results = rows.columns[2 + len(rows.cells[0]) :]  # after those that tell rows apart
    known: dict[str, pd.DataFrame] = {}
    with Checkpoint(options.checkpoint, key=study_key(collection, options)) as checkpoint:
        for topic, kept in checkpoint.read().items():
            known[topic] = _frame(collection.runs, topic, rows, *(kept[name] for name in results))
        todo = [k for k, topic in enumerate(collection.topics) if topic not in known]
        bar = progress_bar(total=len(todo), unit="topic", desc="solving", shown=options.progress)
        with bar, without_advice():
            for k, frame in _solved_topics(work, collection, options, todo):
                topic = collection.topics[k]
                checkpoint.add(topic, {name: np.array(frame[name].tolist()) for name in results})
                known[topic] = frame
                bar.update()
    frames = [known[topic] for topic in collection.topics]
    frames += [_without_relevant(topic, collection.runs, rows) for topic in collection.without_relevant]
    return pd.concat(frames, ignore_index=True)


def _solved_topics(
    work: Work, collection: Collection, options: StudyOptions, todo: list[int]
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Index and rows of each topic of ``todo`` as soon as all blocks of its runs are solved."""
    starts = range(0, len(collection.runs), BLOCK)
    blocks = list(product(todo, starts))
    bare = replace(options, checkpoint=None)  # a path of this machine
    pieces = ((work, _topic(collection, k, slice(start, start + BLOCK)), bare) for k, start in blocks)
    threads = backend(options.solver)[0] == "newton"  # it runs outside the interpreter
    parts: dict[int, dict[int, pd.DataFrame]] = {k: {} for k in todo}
    for number, frame in each_result(_rows_of, pieces, total=len(blocks), jobs=options.jobs, threads=threads):
        k, start = blocks[number]
        parts[k][start] = frame
        if len(parts[k]) == len(starts):
            own = parts.pop(k)
            yield k, pd.concat([own[start] for start in starts], ignore_index=True)


def _rows_of(work: Work, topic: Topic, options: StudyOptions) -> pd.DataFrame:
    """Rows of a topic or block; its grades travel as they are kept, in a quarter of the bytes."""
    return work(replace(topic, grades=topic.grades.astype(np.int64)), options)


def discard_checkpoint(collection: Collection, options: StudyOptions) -> None:
    """Remove the file of finished topics of a study whose results are safe."""
    if options.checkpoint is not None:
        file_of(options.checkpoint, study_key(collection, options)).unlink(missing_ok=True)


def lists_kept(collection: Collection, most: int = 5) -> pd.DataFrame:
    """Number of lists that values of ``min_retrieved`` keep.

    Returns
    -------
    DataFrame
        Columns min_retrieved (1 to ``most``), lists.
    """
    topics = [_topic(collection, k) for k in range(len(collection.topics))]
    fewest = np.concatenate([topic.retrieved[:, topic.used].min(axis=1) for topic in topics])
    numbers = range(1, most + 1)
    return pd.DataFrame({"min_retrieved": numbers, "lists": [int((fewest >= n).sum()) for n in numbers]})


def table_of(topic: Topic, rows: Rows, *results: npt.ArrayLike) -> pd.DataFrame:
    """Rows of a topic, run by run.

    Parameters
    ----------
    topic : Topic
    rows : Rows
    *results : arrays
        The columns from status on, (measures, runs, rows of a measure) or arrays that broadcast to this shape.
    """
    shape = np.broadcast_shapes(*(np.shape(result) for result in results))
    columns = [np.broadcast_to(result, shape).swapaxes(0, 1).ravel() for result in results]
    return _frame(topic.runs, topic.query_id, rows, *columns)


def _frame(runs: Sequence[str], query_id: str, rows: Rows, *results: npt.NDArray[Any]) -> pd.DataFrame:
    """Rows of a topic from the columns of results, run by run."""
    keys = [np.repeat(np.array(runs, dtype=object), len(rows.cells)).tolist(), query_id]
    keys += [list(column) * len(runs) for column in zip(*rows.cells, strict=True)]
    listed = [column if column.dtype.kind in "fi" else column.tolist() for column in results]
    return pd.DataFrame(dict(zip(rows.columns, [*keys, *listed], strict=True)))


def _without_relevant(query_id: str, runs: Sequence[str], rows: Rows) -> pd.DataFrame:
    """Rows of a topic without relevant documents."""
    cells = product(runs, rows.cells)
    table = [(run, query_id, *cell, "no_relevant", *rows.empty) for run, cell in cells]
    return pd.DataFrame(table, columns=rows.columns)


def study_key(collection: Collection, options: StudyOptions) -> str:
    """Digest of all that the rows of a study depend on: the lists, the options, and the version of the program."""
    shape = collection.runs, collection.topics, collection.grades.shape
    digest = hashlib.sha256(repr((version("maxent"), options, shape)).encode())
    for array in (collection.grades, collection.relevant, collection.missing):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _topic(collection: Collection, k: int, runs: slice = ALL) -> Topic:
    """Some lists of a topic."""
    used = collection.relevant.sum(axis=0) > 0  # min_retrieved does not apply to a grade that no topic has
    return Topic(
        query_id=collection.topics[k],
        runs=collection.runs[runs],
        grades=collection.grades[k, runs],
        relevant=collection.relevant[k],
        missing=collection.missing[k, runs],
        used=used,
    )
