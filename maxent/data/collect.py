"""Collect runs and judgments into a `Collection`: read every run, order its lists, and look up their grades."""

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from maxent.checks import check_choice, whole_number
from maxent.data.collection import Collection, DepthBy
from maxent.data.inputs import Qrels, Runs, graded_columns
from maxent.data.inspect_run import FIRST, Remarks, unlike_ids
from maxent.data.judgments import (
    ENDED,
    Judgments,
    read_judgments,
    same_id_as_topic,
)
from maxent.data.line_arrays import Ids
from maxent.data.run_lists import RunLists, grades_of
from maxent.data.sources import ReadRun, Source, read_source, run_names, sources
from maxent.data.trec import DUPLICATES
from maxent.errors import InputError, noted, noting, warn_of_input
from maxent.limits import DEPTH, GRADE, LONGEST
from maxent.options import READING_OPTIONS, CollectOptions, takes
from maxent.progress import progress_bar
from maxent.types import BoolArray, FloatArray, IntArray
from maxent.workers import workers

_SHOWN = 20  # runs that an error names


@takes(CollectOptions)
def collect(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    by_name: bool = False,
    **options: Unpack[CollectOptions],
) -> Collection:
    """Collect runs and judgments into a `Collection` with the grades of all ranked lists.

    Parameters
    ----------
    runs : a run, iterable of runs, or mapping from name to run
        Runs in any form that :func:`maxent.data.as_run` accepts: tables, paths, dictionaries, objects of other
        tools. TREC files take less time and memory as paths than as tables. The path of a folder means all its
        files, a path with ``*`` all matching files. The names in a mapping replace ``run_id``; a single table
        without ``run_id`` is named ``run``. A file is named by its tag or, if files share a tag, by its file name.
        A `Collection` is returned unchanged; the options must fit it or have their defaults. If it was collected
        without a depth, studies take its lists to their typical length (``Collection.of_typical_length``).
    qrels : judgments
        Judgments in any form that :func:`maxent.data.as_qrels` accepts. A topic may have no judged document, as
        in ``{"q2": {}}``. Negative judgments count as grade 0; for Bpref they count as unjudged. Not needed with a
        `Collection`, which contains them.
    by_name : bool
        Sort the runs by name (in Python's order of texts), whatever the order in which they are given.

    Returns
    -------
    Collection
        Grades of every list, and counts of every topic with a relevant document. An ``InputWarning`` names
        runs that lack topics, have few judged documents at the top, tied scores, or ranks that go against scores,
        and what else :func:`maxent.check` finds odd about them.

    Raises
    ------
    InputError
        If a table is malformed (the message names table, row and value, and every malformed run), a topic is
        unknown, no chosen topic has a relevant document, a grade is above ``levels``, two runs have the same name,
        a run has no judged document, or an option does not fit the given `Collection`.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> collection = me.collect(runs, qrels, depth=100)
    >>> collection.grades.shape  # topics, runs, ranks
    (4, 3, 100)
    >>> collection.relevant.tolist()  # documents of grades 1 and 2 in each topic
    [[30, 23], [31, 68], [49, 76], [22, 109]]
    >>> me.AP().evaluate(collection.grades[0], collection.relevant[0]).round(3).tolist()  # of the first topic
    [0.307, 0.267, 0.44]
    """
    return collect_documents(runs, qrels, {**options}, by_name=by_name, with_documents=False)[0]


class Retrieved(NamedTuple):
    """Documents of lists: the ids of each run and, for (topics, ranks), indices into them, -1 after the end."""

    judged: Judgments
    topics: IntArray  # positions of the chosen ones, with and without relevant documents
    runs: list[Ids]


def collect_documents(
    runs: Runs | Collection,
    qrels: Qrels | None,
    options: CollectOptions,
    *,
    by_name: bool = False,
    with_documents: bool = True,
    none_relevant: bool = False,
) -> tuple[Collection, Retrieved | None]:
    """The collection of :func:`collect` and, if ``with_documents``, the documents of its lists.

    It may have no topic with a relevant document only if ``none_relevant``.
    """
    options = _checked(options)
    if isinstance(runs, Collection):
        _check_fits(runs, {**options, "by_name": by_name, "qrels": qrels})
        return runs, None
    if qrels is None:
        raise InputError("qrels: none given, expected judgments")
    # 1. judgments, and the positions of the topics that have a relevant document
    judged = qrels if isinstance(qrels, Judgments) else _judgments(runs, qrels, options)
    chosen = judged.select(options["topics"])
    counts = judged.count(options["levels"] or max(int(judged.grades.max()), 1))
    with_relevant = chosen[counts[chosen, 1:].any(axis=1)]
    if not with_relevant.size and not (none_relevant and chosen.size):
        which = "no topic" if options["topics"] is None else "none of the chosen topics"
        raise InputError(f"qrels: {which} has a relevant document, expected at least one")
    # 2. the lists of every run
    documents_of = chosen if with_documents else None
    work = [
        delayed(noted)(_lists_of_source, source, judged, with_relevant, options, documents_of)
        for source in sources(runs)
    ]
    outcomes = Parallel(n_jobs=workers(options["jobs"]), require="sharedmem", return_as="generator")(work)
    bar = progress_bar(outcomes, desc="reading runs", unit="run", total=len(work), shown=options["progress"])
    lists = _usable(noting(bar))
    # 3. their order, and one array of all
    names = run_names([run_lists.name for run_lists in lists], [run_lists.file for run_lists in lists])
    order = sorted(range(len(names)), key=names.__getitem__) if by_name else list(range(len(names)))
    lists = [lists[k] for k in order]
    documents = [run_lists.documents for run_lists in lists if run_lists.documents is not None]
    retrieved = Retrieved(judged, chosen, documents)
    collection = _collection(
        lists,
        options["depth"],
        runs=tuple(names[k] for k in order),
        topics=tuple(judged.topics[with_relevant]),
        relevant=counts[with_relevant, 1:],
        judged_nonrelevant=counts[with_relevant, 0],
        without_relevant=tuple(judged.topics[np.setdiff1d(chosen, with_relevant)]),
    )
    for note in collection.notes:
        warn_of_input(note)
    return collection, retrieved if with_documents else None


def _checked(options: CollectOptions) -> CollectOptions:
    """The options, with sizes as int; InputError if one is not among its choices or too large."""
    check_choice("duplicates", options["duplicates"], DUPLICATES, raises=InputError)
    depth, levels = options["depth"], options["levels"]
    if depth is not None:
        depth = whole_number("depth", depth, raises=InputError, limit=DEPTH)
    if levels is not None:
        levels = whole_number("levels", levels, raises=InputError, limit=GRADE)
    return {**options, "depth": depth, "levels": levels}


def _collection(lists: "list[_RunLists]", depth: int | None, **of_topics: Any) -> Collection:
    """The lists of all runs as one collection; ``lists`` is emptied, and ``of_topics`` are the other fields."""
    depth_by: DepthBy = "longest" if depth is None else "given"
    depth = depth or max(run_lists.grades.shape[1] for run_lists in lists)
    grades = np.full((len(of_topics["topics"]), len(lists), depth), ENDED, dtype=np.int16)
    for k, run_lists in enumerate(lists):
        grades[:, k, : run_lists.grades.shape[1]] = run_lists.grades
    of_runs: dict[str, Any] = {
        "judged_10": np.stack([run_lists.judged_10 for run_lists in lists], axis=1),
        "tied": np.stack([run_lists.tied for run_lists in lists], axis=1),
        "cut": 0 if depth_by == "given" else sum(int((run_lists.lengths > depth).sum()) for run_lists in lists),
        "remarks": tuple(run_lists.remarks for run_lists in lists),
    }
    lists.clear()  # they are as large as the grades, of which one copy is enough
    nonrelevant, lengths = grades == 0, (grades != ENDED).sum(axis=2)
    np.maximum(grades, 0, out=grades)  # unjudged documents and the ranks after the end count as grade 0
    return Collection(
        **of_topics, **of_runs, grades=grades, nonrelevant=nonrelevant, lengths=lengths, depth_by=depth_by
    )


def _judgments(runs: Runs, qrels: Qrels, options: CollectOptions) -> Judgments:
    duplicates, grades, bins = options["duplicates"], options["grades"], options["bins"]
    if grades is None and bins is None:
        return read_judgments(runs, qrels, duplicates)
    return Judgments.of(graded_columns(qrels, grades=grades, bins=bins, duplicates=duplicates))


def _check_fits(collection: Collection, options: Mapping[str, Any]) -> None:
    """Raise an error unless every option has its default or asks for what the collection is."""
    actual = {
        "depth": collection.depth,
        "topics": {*collection.topics, *collection.without_relevant},
        "levels": collection.levels,
        "by_name": list(collection.runs) == sorted(collection.runs),
    }
    defaults = {name: option.default for name, option in READING_OPTIONS.items()}
    defaults |= {"by_name": False, "qrels": None}
    for name, value in options.items():
        if name in ("jobs", "progress"):  # these change no collection
            continue
        wanted = set(value) if name == "topics" and value is not None else value
        if wanted not in (defaults[name], actual.get(name)):
            raise InputError(f"{name}: does not fit {collection}, which is used as it was collected")


class _RunLists(NamedTuple):
    """Ranked lists of a run for the topics of a Collection."""

    name: str  # of the run, or its tag
    file: Path | None  # of a run that has no name but its tag
    lengths: IntArray  # (topics,) also beyond the depth
    grades: IntArray  # (topics, depth)
    judged_10: FloatArray  # (topics,) as in a Collection
    tied: BoolArray  # (topics,)
    remarks: Remarks
    documents: Ids | None  # those of the lists of other topics, too, if somebody needs them


def _lists_of_source(
    source: Source,
    judged: Judgments,
    with_relevant: IntArray,
    options: CollectOptions,
    documents_of: IntArray | None,
) -> list[_RunLists | InputError]:
    """The lists of each run of a source; errors are returned, so that all unusable runs can be named."""
    try:
        runs = read_source(source, options["duplicates"])
    except InputError as error:
        return [error]
    return [_run_lists(run, judged, with_relevant, options, documents_of) for run in runs]


def _run_lists(
    run: ReadRun,
    judged: Judgments,
    with_relevant: IntArray,
    options: CollectOptions,
    documents_of: IntArray | None,
) -> _RunLists | InputError:
    """Lists of a run for the topics ``with_relevant``, and documents for those of ``documents_of``, by position.

    An error, why the run is unusable, is returned.
    """
    # 1. the lists of all topics, and their grades
    columns = run.lines
    if options["ignore_identical_ids"]:
        columns = columns.only(~same_id_as_topic(columns))
    lists = RunLists.of(columns, float32=options["float32"])
    list_of_topic = lists.for_topics(judged.topics)  # -1 for a topic without one
    longest = int(lists.lengths[list_of_topic[list_of_topic >= 0]].max(initial=0))
    depth = options["depth"] or min(longest, LONGEST)
    lines = lists.ranked(list_of_topic, depth)
    grades = grades_of(lines, columns, judged)
    if not (options["allow_unjudged"] or (grades >= 0).any()):
        reason = judged.unmatched(columns)  # empty if a document below the depth is judged
        if reason:
            return InputError(f"{run.title}: {reason}; allow_unjudged accepts it")
    # 2. documents of the lists, by their places among the ids of the run
    documents = None
    if documents_of is not None:
        lines_of = lines[documents_of]
        codes = np.where(lines_of >= 0, columns.docs.codes[lines_of], -1)
        documents = columns.docs._replace(codes=codes.astype(np.int32))
    # 3. the topics of the collection
    list_of_topic, grades = list_of_topic[with_relevant], grades[with_relevant]
    first_grades = grades[:, :FIRST]
    judged_10 = (first_grades >= 0).sum(axis=1) / (first_grades != ENDED).sum(axis=1).clip(min=1)
    has_list = list_of_topic >= 0
    unlike = unlike_ids(lists, judged, float(judged_10[has_list].mean()) if has_list.any() else 0.0)
    return _RunLists(
        run.name,
        Path(run.file) if run.tagged else None,
        _values_of(list_of_topic, lists.lengths),
        grades,
        judged_10=judged_10,
        tied=_values_of(list_of_topic, lists.tied(depth)),
        remarks=_remarks(lists, list_of_topic, depth, judged if options["topics"] is None else None, unlike),
        documents=documents,
    )


def _values_of(list_of_topic: IntArray, of_lists: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Value of the list of each topic, (topics,), from values (lists,); 0 where the list is -1."""
    return np.append(of_lists, np.zeros(1, of_lists.dtype))[list_of_topic]


def _remarks(
    lists: RunLists, list_of_topic: IntArray, depth: int, judged: Judgments | None, unlike: str
) -> Remarks:
    """Remarks on the lists of topics; ``judged`` tells lists without judgments, unless topics are chosen."""
    return Remarks(
        itself=_values_of(list_of_topic, lists.with_topic()),
        rank_against=_values_of(list_of_topic, lists.rank_against(depth)),
        rank_differs=_values_of(list_of_topic, lists.rank_differs(depth)),
        unknown=() if judged is None else tuple(lists.topics[lists.among(judged.topics) < 0]),
        unlike=unlike,
        repeated=lists.run.repeated,
        comments=lists.run.comments,
    )


def _usable(of_sources: Iterable[list[_RunLists | InputError]]) -> list[_RunLists]:
    """The lists of all runs; an error names every run that cannot be used."""
    outcomes = list(chain.from_iterable(of_sources))
    lists = [outcome for outcome in outcomes if isinstance(outcome, _RunLists)]
    errors = [str(outcome) for outcome in outcomes if isinstance(outcome, InputError)]
    if not outcomes:
        raise InputError("no runs, expected at least one")
    if len(errors) > 1:
        shown = [*errors[:_SHOWN], *(["..."] if len(errors) > _SHOWN else [])]
        raise InputError("\n  ".join((f"{len(errors)} of {len(outcomes)} runs cannot be used:", *shown)))
    if errors:
        raise InputError(errors[0])
    return lists
