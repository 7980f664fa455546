"""Solve every list of a collection topic by topic, with finished topics in a checkpoint."""

import hashlib
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

import maxent
from maxent.curves.error import Align
from maxent.data.collection import Collection
from maxent.errors import ProblemError
from maxent.files import digest_of_sources
from maxent.kernels.observed import Observed
from maxent.limits import STATES
from maxent.measures import Measure
from maxent.measures.cascade import evaluate_all
from maxent.measures.form import grade_counts
from maxent.options import MinRetrievedBy
from maxent.problem import Problem
from maxent.problem.arrays import Problems
from maxent.problem.reference import log_odds
from maxent.problem.solutions import Solutions
from maxent.progress import progress_bar
from maxent.solvers.solve import LISTS, checked_solver, solve_arrays
from maxent.studies.checkpoint import Checkpoint, file_of
from maxent.studies.checkpoint import Results as Results
from maxent.studies.options import StudyOptions, check_collection
from maxent.studies.reading_words import TOPICS
from maxent.studies.topic_groups import DISTRIBUTIONS, SolvedLists, Topic, TopicGroups, fewest
from maxent.types import BoolArray, FloatArray, IntArray
from maxent.workers import each_result

BLOCK = 256  # runs of a topic that are solved at once; the last digits of results depend on it
PIECES = 100  # least number of pieces of a study in which topics with few lists are solved together
RANKED = ("optimal", "boundary")
CONSTANT = "constant"  # solved, but the counts alone fix the value, so that it adds no information
SOLVED = (*RANKED, CONSTANT)
TOO_LARGE = "too_large"
LEFT_OUT = {
    CONSTANT: "the counts alone fix the value of a measure",
    "too_few": "fewer retrieved documents than required; see min_retrieved and min_retrieved_total",
    "missing": "topic missing from the run",
    "no_relevant": "topic without relevant documents, or without any for a threshold",
    TOO_LARGE: "more states of whole lists than the limit, which MAXENT_LIMITS=no-states lifts",
    "infeasible": "value outside what the counts can attain",
    "failed": "no solution that its certificate confirms",
}
"""Statuses of lists that are excluded, at least from comparisons, with the reason in words."""
NOTHING = {"status": "no_relevant", "value": 0.0, "actual": 0.0, "points": 0, "fewest": 0}
"""Results of a list whose topic has no relevant document, by column; NaN in other columns."""


def values_of(topic: Topic, measures: Sequence[Measure]) -> dict[Measure, FloatArray]:
    """Values (runs,) of every measure, and of each part of a joint measure."""
    parts = list(dict.fromkeys(part for measure in measures for part in measure.parts))
    expectations = [part.expectation(topic.relevant, topic.grades.shape[1]) for part in parts]
    return dict(zip(parts, evaluate_all(expectations, topic.grades, len(topic.relevant)), strict=True))


def solved_lists(
    topic: Topic, options: StudyOptions, values: Mapping[Measure, FloatArray]
) -> Iterator[SolvedLists]:
    """Solutions for all measures and all lists that are not excluded, in parts.

    ``values`` are from :func:`values_of`.
    """
    if topic.solved:  # together with other topics
        return iter(topic.solved)
    return (lists for _, lists in _solve_together([topic], options, [values]))


def statuses_of(solutions: Solutions) -> npt.NDArray[np.object_]:
    """Statuses of the lists of a study, (k,): the status of the solution, or ``CONSTANT``."""
    return np.where(solutions.constant, CONSTANT, solutions.statuses)


def _solve_together(
    topics: Sequence[Topic], options: StudyOptions, values: Sequence[Mapping[Measure, FloatArray]]
) -> Iterator[tuple[int, SolvedLists]]:
    """Solutions for the lists of topics, in parts with the index of their topic.

    Measures are solved together if their problems have the same number of values. Measures that are the same for
    these topics, such as AP and GAP(1, 0), are solved once.
    """
    runs_of = [np.flatnonzero(topic.left_out(options) == "") for topic in topics]  # lists to be solved
    solvable = [k for k, runs in enumerate(runs_of) if len(runs)]
    if not solvable:
        return
    numbers_of_values = np.array([len(measure.parts) for measure in options.measures])
    for number in np.unique(numbers_of_values):
        # 1. the problems of the distinct measures: by topic, then by measure, then by run
        measures, twins = _distinct(topics, options, np.flatnonzero(numbers_of_values == number))
        problems = Problems.joined(
            [_problems(topics[k], options, runs_of[k], measures, values[k]) for k in solvable]
        )
        # 2. topic, measure and run of each problem, (problems,) each
        topic_of = np.repeat(solvable, [len(measures) * len(runs_of[k]) for k in solvable])
        measure_of = np.concatenate([np.repeat(measures, len(runs_of[k])) for k in solvable])
        run_of = np.concatenate([np.tile(runs_of[k], len(measures)) for k in solvable])
        # 3. their solutions, as they are ready, split by topic
        for members, solutions in solve_arrays(problems, solver=options.solver, model=options.model):
            for k in np.unique(topic_of[members]).tolist():
                rows = np.flatnonzero(topic_of[members] == k)  # of these solutions, those of topic k
                solved = members[rows]
                lists = SolvedLists(measure_of[solved], run_of[solved], solutions.part(rows))
                yield k, lists
                yield from ((k, of_twin) for of_twin in _for_twins(lists, twins))


def _for_twins(lists: SolvedLists, twins: Mapping[int, int]) -> Iterator[SolvedLists]:
    """The same solutions for each of the ``twins``: measures that equal a solved one, see :func:`_distinct`."""
    for twin, measure in twins.items():
        rows = np.flatnonzero(lists.measures == measure)
        if len(rows):
            yield SolvedLists(np.full(len(rows), twin), lists.runs[rows], lists.solutions.part(rows))


class _DistinctMeasures(NamedTuple):
    """Measures of a study, by index, of which those that are the same for some topics are solved once."""

    measures: IntArray  # (k,): those that are solved
    twins: dict[int, int]  # each of the others, with the solved one that it equals


def _distinct(topics: Sequence[Topic], options: StudyOptions, indices: IntArray) -> _DistinctMeasures:
    """Of the measures with these ``indices`` those with distinct forms; over lists, all measures are distinct."""
    if options.model != "ranks":
        return _DistinctMeasures(indices, {})
    first_of: dict[bytes, int] = {}  # the first measure with the forms of a digest
    twins: dict[int, int] = {}
    for index in indices.tolist():
        digest = hashlib.sha256()
        for topic, part in product(topics, options.measures[index].parts):
            form = part.form(tuple(topic.relevant.tolist()), topic.grades.shape[1])
            for array in (form.a, form.d, form.K):
                digest.update(np.ascontiguousarray(array).tobytes())
        first = first_of.setdefault(digest.digest(), index)
        if first != index:
            twins[index] = first
    return _DistinctMeasures(np.array([index for index in indices.tolist() if index not in twins]), twins)


def _problems(
    topic: Topic, options: StudyOptions, runs: IntArray, indices: IntArray, values: Mapping[Measure, FloatArray]
) -> Problems:
    """Problems for the lists of ``runs`` and the measures with these ``indices``: by measure, and then by run.

    The measures have equally many parts.
    """
    depth, relevant = topic.grades.shape[1], tuple(topic.relevant.tolist())
    measures = [options.measures[k] for k in indices]
    # 1. of each problem: the measure, among these, the run, the values (problems, parts) and the counts
    measure_of, run_of = np.repeat(np.arange(len(measures)), len(runs)), np.tile(runs, len(measures))
    matrices = []
    for measure in measures:
        of_parts = np.array([values[part] for part in measure.parts])
        of_parts = of_parts.reshape(-1, len(topic.runs))  # (parts, all runs), also for a joint of no measure
        matrices.append(of_parts[:, runs].T)
    value_matrix = np.concatenate(matrices)
    counts = topic.retrieved[run_of] if options.count == "retrieved" else np.tile(topic.relevant, (len(run_of), 1))

    # 2. what makes a single problem, where one is needed
    def make(k: int) -> Problem:
        return Problem(
            measures[measure_of[k]],
            value=value_matrix[k],
            relevant=relevant,
            retrieved=tuple(topic.retrieved[run_of[k]].tolist()),
            depth=depth,
            count=options.count,
            reference=topic.reference,
        )

    # 3. the curves with which solutions are compared, if they are
    observed = None
    if topic.aligns:
        observed = Observed.of(
            topic.grades[runs], topic.relevant, options.thresholds, topic.aligns, len(measures), topic.shown_ranks
        )
    over_ranks = options.model == "ranks"  # problems over lists are made one by one, and need not be forms
    return Problems(
        forms=tuple(
            tuple(part.form(relevant, depth) for part in measure.parts if over_ranks) for measure in measures
        ),
        form_index=measure_of,
        values=value_matrix,
        counts=counts.astype(np.float64),
        at_most=options.count == "at_most",
        depth=depth,
        make=make,
        log_odds=None if topic.reference is None else log_odds(topic.reference, depth, len(relevant)),
        observed=observed,
    )


Work: TypeAlias = Callable[[Topic, StudyOptions], Results]
"""Function that returns the results of a topic by column, status among them, as arrays that broadcast to (measures,
runs, rows of a list and measure). It must be importable: solvers other than Newton's run in other processes."""
Rows: TypeAlias = Mapping[str, Iterable[Any]]
"""Columns that identify the rows of a list and measure, with their values: one row for every combination."""


def each_topic(
    work: Work, collection: Collection, options: StudyOptions, rows: Rows, aligns: tuple[Align, ...] = ()
) -> pd.DataFrame:
    """Table with the rows of all topics, from :func:`topic_results`."""
    return results_table(collection, options, rows, topic_results(work, collection, options, aligns))


def topic_results(
    work: Work,
    collection: Collection,
    options: StudyOptions,
    aligns: tuple[Align, ...] = (),
    shown: BoolArray | None = None,
    ranks: tuple[int, ...] = (),
) -> Results:
    """Columns of the results of all lists, topic by topic and run by run.

    With ``aligns``, solutions are compared with their lists and keep no distributions, except for the lists that
    are ``shown`` (topics, runs), at some ``ranks``.
    """
    check_collection(options, collection)
    groups = TopicGroups.of(collection, options.reference, aligns=aligns, shown=shown, ranks=ranks)
    names = [topic.query_id for topic in groups.topics]
    key = study_key(collection, options) if options.checkpoint is not None else ""
    with Checkpoint(options.checkpoint, key=key) as checkpoint:
        results: dict[str, Results] = dict(checkpoint.read())
        todo = [k for k, name in enumerate(names) if name not in results]
        slow, total = options.model == LISTS, int(groups.sizes[todo].sum())
        bar = progress_bar(total=total, unit="topic", desc="solving", shown=options.progress, slow=slow)
        with bar, closing(_results_by_topic(work, groups.topics, options, todo)) as solved:
            for k, columns in solved:
                checkpoint.add(names[k], columns)
                results[names[k]] = columns
                bar.update(int(groups.sizes[k]))
    return groups.dealt([results[name] for name in names])


class _Piece(NamedTuple):
    """What is solved at once: a block of the runs of a topic, or all runs of several topics."""

    topics: range
    first_run: int


def _results_by_topic(
    work: Work, topics: Sequence[Topic], options: StudyOptions, todo: list[int]
) -> Generator[tuple[int, Results]]:
    """Index and results of each topic of ``todo`` as soon as all blocks of its runs are solved."""
    threads = checked_solver(options.solver, options.model) in ("newton", LISTS)  # they release Python's lock
    # 1. how many topics are solved at once: their problems fill a block at most, and all workers have pieces
    together = threads and options.model == "ranks" and options.reference != TOPICS
    most_runs = max(len(topic.runs) for topic in topics)
    in_block = BLOCK // (most_runs * len(options.measures)) if together else 1
    size = max(1, min(in_block, len(topics) // PIECES))
    # 2. the pieces; topics are grouped from the first, so that their groups do not depend on what is done already
    pieces = [
        _Piece(range(first, min(first + size, len(topics))), first_run)
        for first in dict.fromkeys(k - k % size for k in todo)
        for first_run in range(0, len(topics[first].runs), BLOCK)  # several topics have a single block
    ]
    bare = replace(options, checkpoint=None)  # a path of this machine
    arguments = (
        (work, [topics[k].part(slice(piece.first_run, piece.first_run + BLOCK)) for k in piece.topics], bare)
        for piece in pieces
    )
    # 3. the blocks of each topic, by first run, until the last one is solved
    blocks_of: dict[int, dict[int, Results]] = {k: {} for k in todo}
    calls = each_result(_piece_results, arguments, total=len(pieces), jobs=options.jobs, threads=threads)
    for number, results_of_topics in calls:
        piece = pieces[number]
        for k, results in zip(piece.topics, results_of_topics, strict=True):
            if k not in blocks_of:  # done in an earlier run of the command
                continue
            blocks_of[k][piece.first_run] = results
            if len(blocks_of[k]) == -(-len(topics[k].runs) // BLOCK):
                blocks = [block for _, block in sorted(blocks_of.pop(k).items())]
                yield k, {name: np.concatenate([block[name] for block in blocks]) for name in results}


def _piece_results(work: Work, topics: Sequence[Topic], options: StudyOptions) -> list[Results]:
    """Results of topics that are solved together, or of a block; grades come in their compact type."""
    prepared = [replace(topic, grades=topic.grades.astype(np.int64)) for topic in topics]
    if len(prepared) > 1:
        solved_of: list[list[SolvedLists]] = [[] for _ in prepared]
        values = [values_of(topic, options.measures) for topic in prepared]
        for k, lists in _solve_together(prepared, options, values):
            solved_of[k].append(lists)
        prepared = [replace(topic, solved=tuple(lists)) for topic, lists in zip(prepared, solved_of, strict=True)]
    return [_columns(work(topic, options)) for topic in prepared]


def _columns(results: Results) -> Results:
    """Columns of the rows of a topic, run by run, from arrays that broadcast to (measures, runs, rows)."""
    arrays = {name: array for name, array in results.items() if name != DISTRIBUTIONS}
    full = np.broadcast_arrays(*arrays.values())
    columns = {name: np.swapaxes(array, 0, 1).ravel() for name, array in zip(arrays, full, strict=True)}
    if DISTRIBUTIONS in results:  # a flat array already
        columns[DISTRIBUTIONS] = results[DISTRIBUTIONS]
    columns["status"] = np.array(columns["status"].tolist())  # strings, not objects
    return columns


def checkpoint_file(collection: Collection, options: StudyOptions) -> Path | None:
    """The file of finished topics of a study."""
    if options.checkpoint is None:
        return None
    return file_of(options.checkpoint, study_key(collection, options))


@contextmanager
def forgotten_on_error(collection: Collection, options: StudyOptions) -> Iterator[None]:
    """Within the block, an error in the study removes the file of finished topics: resumed, it would end alike."""
    try:
        yield
    except ProblemError:
        if (file := checkpoint_file(collection, options)) is not None:
            file.unlink(missing_ok=True)
        raise


def lists_kept(collection: Collection, by: MinRetrievedBy = "grade", most: int = 5) -> dict[int, int]:
    """Number of lists that each ``min_retrieved`` from 1 to ``most`` keeps."""
    numbers = fewest(grade_counts(collection.grades, collection.levels), collection.used, by)
    return {n: int((numbers >= n).sum()) for n in range(1, most + 1)}


def results_table(collection: Collection, options: StudyOptions, rows: Rows, results: Results) -> pd.DataFrame:
    """Rows of all topics: topics with a relevant document in collection order, then the others."""
    # 1. the rows of one list, measure by measure; lists follow each other topic by topic, run by run
    of_list = pd.MultiIndex.from_product(
        [map(str, options.measures), *rows.values()], names=["measure", *rows]
    ).to_frame()
    topics = (*collection.topics, *collection.without_relevant)
    rows_per_topic = len(collection.runs) * len(of_list)
    row = np.arange(rows_per_topic * len(topics))
    # 2. what identifies a row
    columns: dict[Hashable, Any] = {
        "run_id": pd.Index(collection.runs).take(row // len(of_list) % len(collection.runs)),
        "query_id": pd.Index(topics).take(row // rows_per_topic),
    }
    columns |= {name: pd.Index(column).take(row % len(of_list)) for name, column in of_list.items()}
    # 3. results, which topics without a relevant document do not have
    without_results = rows_per_topic * len(collection.without_relevant)
    for name, column in results.items():
        if name == DISTRIBUTIONS:
            continue
        if without_results:
            column = np.concatenate((column, np.full(without_results, NOTHING.get(name, np.nan))))
        columns[name] = column if column.dtype.kind in "fi" else column.tolist()
    return pd.DataFrame(columns)


def study_key(collection: Collection, options: StudyOptions) -> str:
    """Digest of everything that the rows of a study depend on.

    These are the lists, the options, the version and the sources of this package, and the coefficients of measures
    from elsewhere, whose formulas may change while their texts stay the same.
    """
    program = maxent.__version__, digest_of_sources(Path(__file__).parents[1])
    shape = collection.runs, collection.topics, collection.grades.shape
    digest = hashlib.sha256(repr((program, options, shape, STATES.lifted)).encode())
    for array in (collection.grades, collection.relevant, collection.missing):
        digest.update(np.ascontiguousarray(array).data)
    parts = dict.fromkeys(part for measure in (*options.measures, *options.targets) for part in measure.parts)
    for part in parts:
        package = type(part).__module__.partition(".")[0]
        if package != maxent.__name__:
            _add_coefficients(digest, part, collection)
    return digest.hexdigest()


def _add_coefficients(digest: Any, measure: Measure, collection: Collection) -> None:
    """Add what a measure computes to a digest: its coefficients for all topics."""
    for relevant in np.unique(collection.relevant, axis=0):
        expectation = measure.expectation(relevant, collection.depth)
        for coefficient in fields(expectation):
            array = np.asarray(getattr(expectation, coefficient.name), dtype=np.float64)
            digest.update(repr((coefficient.name, array.shape)).encode())
            digest.update(array.tobytes())
