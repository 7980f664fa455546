"""Runs and relevance judgments as arrays.

Studies and comparisons use a `Collection`: the grades of every ranked list, and the number of documents of each
grade in every topic. Lists are ordered as in trec_eval: by descending score, then by descending document id.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import Parallel, delayed

from maxent.checks import DEPTH, GRADE, LONGEST, check_choice, whole_number
from maxent.data.inputs import Qrels, Runs, graded_columns, is_file, run_columns
from maxent.data.inspect_run import FIRST, Remarks, notes_of
from maxent.data.judgments import (
    ENDED,
    Judgments,
    read_judgments,
    same_id_as_topic,
)
from maxent.data.lengths import mixed_lengths, typical_length
from maxent.data.line_arrays import Ids
from maxent.data.lines import title_of
from maxent.data.options import READING_OPTIONS, CollectOptions
from maxent.data.run_lists import RunLists, grades_of
from maxent.data.sources import Source, run_names, sources
from maxent.data.trec import DUPLICATES
from maxent.errors import InputError, noted, noting, warn_of_input
from maxent.options import takes
from maxent.progress import progress_bar
from maxent.texts import Shown, many
from maxent.types import BoolArray, FloatArray, IntArray
from maxent.workers import workers

ALL = slice(None)
DepthBy = Literal["given", "longest", "typical"]
_SHOWN = 20  # runs that an error names


@dataclass(frozen=True, eq=False)
class Collection(Shown):
    """Ranked lists and judgments as read-only arrays.

    Attributes
    ----------
    runs : tuple of str
        Names of the runs, in the order given or, with ``by_name``, sorted.
    topics : tuple of str
        Chosen topics with at least one relevant document, in the order of their first appearance in the qrels.
    grades : array (topics, runs, depth) of int16
        Relevance grade at each rank; 0 for unjudged documents and after the end of a list.
    nonrelevant : array (topics, runs, depth) of bool
        Whether the document at each rank is judged exactly 0, neither unjudged nor below 0.
    relevant : array (topics, levels) of int64
        R_i: number of documents of grade i = 1, 2, ... in the qrels.
    judged_nonrelevant : array (topics,) of int64
        Number of documents judged exactly 0 in the qrels.
    lengths : array (topics, runs) of int64
        Number of documents of each list within the depth.
    judged_10 : array (topics, runs) of float64
        Share of judged documents among the first 10 of each list, or among all within the depth if there are fewer.
    tied : array (topics, runs) of bool
        Whether a document within the depth has the same score as the next one.
    without_relevant : tuple of str
        Chosen topics that are excluded because they have no relevant document.
    depth_by : {"given", "longest", "typical"}
        How the depth was chosen: by the caller, or as the length of the longest list, or the typical length.
    cut : int
        Number of lists that are longer than a depth that the caller did not choose.
    remarks : tuple
        For each run what reading shows besides: lists of unknown topics, ranks that go against scores, repetitions;
        empty if nothing is known.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> collection = me.collect(runs, qrels, depth=100)
    >>> collection
    Collection(3 runs x 4 topics, depth 100, grades 1 to 2)
    >>> collection.grades.shape
    (4, 3, 100)
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    grades: IntArray
    nonrelevant: BoolArray
    relevant: IntArray
    judged_nonrelevant: IntArray
    lengths: IntArray
    judged_10: FloatArray
    tied: BoolArray
    without_relevant: tuple[str, ...]
    depth_by: DepthBy = "given"
    cut: int = 0
    remarks: tuple[Remarks, ...] = ()

    def __post_init__(self) -> None:
        for name in ("grades", "nonrelevant", "relevant", "judged_nonrelevant", "lengths", "judged_10", "tied"):
            array = getattr(self, name)
            if not isinstance(array, np.ndarray):
                raise InputError(f"Collection: {name} is a {type(array).__name__}, expected an array")
            array.setflags(write=False)

    @property
    def size(self) -> str:
        """Numbers of runs, topics, ranks and grades in words."""
        grades = f"grades 1 to {self.levels}" if self.levels > 1 else "one grade"
        depth = f"depth {self.depth}"
        if self.depth_by == "typical" and self.cut:
            are = "is" if self.cut == 1 else "are"
            depth += f" ({self.cut} of {many(int((~self.missing).sum()), 'list')} {are} longer and {are} cut)"
        return f"{many(len(self.runs), 'run')} x {many(len(self.topics), 'topic')}, {depth}, {grades}"

    def __repr__(self) -> str:
        return f"Collection({self.size})"

    def to_frame(self) -> pd.DataFrame:
        """Contents of the collection as a table with the columns ``quantity`` and ``is``."""
        rows = {
            "runs": ", ".join(self.runs),
            "topics": ", ".join(self.topics),
            "documents of each grade": ", ".join(map(str, self.relevant.sum(axis=0))),
            "lists that are missing from their run": int(self.missing.sum()),
            "topics excluded, without relevant documents": ", ".join(self.without_relevant) or "none",
        }
        return pd.DataFrame(rows.items(), columns=["quantity", "is"])

    @property
    def depth(self) -> int:
        """Length of the ranked lists, N."""
        return int(self.grades.shape[2])

    @property
    def missing(self) -> BoolArray:
        """Whether the run has no document for the topic, (topics, runs)."""
        return np.asarray(self.lengths == 0)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Caution that many lists do not reach half of the depth, so that most of their ranks are padding."""
        return tuple(filter(None, [mixed_lengths(self.lengths, self.depth)]))

    def of_typical_length(self) -> "Collection":
        """The lists as studies take them: cut to their typical length, unless the depth was given.

        Padding would change what a value says about a list, so a few long lists must not set the depth for all.
        """
        if self.depth_by != "longest":
            return self
        depth = typical_length(self.lengths)
        cut = int((self.lengths > depth).sum()) if depth < self.depth else self.cut
        return replace(self.part(depth=depth), depth_by="typical", cut=cut)

    @cached_property
    def used(self) -> BoolArray:
        """Whether some topic has documents of a grade, for each positive grade, (levels,)."""
        return np.asarray(self.relevant.any(axis=0))

    @property
    def levels(self) -> int:
        """Highest relevance grade, c."""
        return int(self.relevant.shape[1])

    @property
    def notes(self) -> tuple[str, ...]:
        """Oddities of the runs, one line each; :func:`maxent.check` finds more."""
        return notes_of(
            self.runs,
            self.topics,
            missing=self.missing,
            judged_10=self.judged_10,
            tied=self.tied,
            remarks=self.remarks,
        )

    def part(
        self, *, topics: slice | IntArray = ALL, runs: slice | BoolArray = ALL, depth: int | None = None
    ) -> "Collection":
        """Collection of some topics, runs and ranks; ``without_relevant`` is empty if topics are chosen."""
        topic_names, run_names = np.array(self.topics, dtype=object), np.array(self.runs, dtype=object)
        lists, places = ("grades", "nonrelevant"), np.arange(len(self.runs))
        return replace(
            self,
            runs=tuple(run_names[runs].tolist()),
            topics=tuple(topic_names[topics].tolist()),
            lengths=np.minimum(self.lengths[topics][:, runs], depth or self.depth),
            depth_by=self.depth_by if depth is None else "given",
            cut=self.cut if topics is ALL and runs is ALL and depth is None else 0,
            without_relevant=self.without_relevant if topics is ALL else (),
            remarks=tuple(self.remarks[k].of_topics(topics) for k in places[runs]) if self.remarks else (),
            **{name: getattr(self, name)[topics][:, runs] for name in ("judged_10", "tied")},
            **{name: np.ascontiguousarray(getattr(self, name)[topics][:, runs, :depth]) for name in lists},
            **{name: getattr(self, name)[topics] for name in ("relevant", "judged_nonrelevant")},
        )


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
    return collect_documents(runs, qrels, {**options}, by_name=by_name, kept=False)[0]


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
    kept: bool = True,
    none_relevant: bool = False,
) -> tuple[Collection, Retrieved | None]:
    """The collection of :func:`collect` and, if ``kept``, the documents of its lists.

    It may have no topic with a relevant document only if ``none_relevant``.
    """
    check_choice("duplicates", options["duplicates"], DUPLICATES, raises=InputError)
    if options["depth"] is not None:
        options["depth"] = whole_number("depth", options["depth"], raises=InputError, limit=DEPTH)
    if options["levels"] is not None:
        options["levels"] = whole_number("levels", options["levels"], raises=InputError, limit=GRADE)
    if isinstance(runs, Collection):
        _check_fits(runs, {**options, "by_name": by_name, "qrels": qrels})
        return runs, None
    if qrels is None:
        raise InputError("qrels: none given, expected judgments")
    judged = qrels if isinstance(qrels, Judgments) else _judgments(runs, qrels, options)
    chosen = judged.select(options["topics"])
    counts = judged.count(options["levels"] or max(int(judged.grades.max()), 1))
    relevant = counts[:, 1:]
    positions = chosen[relevant[chosen].any(axis=1)]
    if not positions.size and not (none_relevant and chosen.size):
        which = "no topic" if options["topics"] is None else "none of the chosen topics"
        raise InputError(f"qrels: {which} has a relevant document, expected at least one")
    work = [
        delayed(noted)(_run_lists, source, judged, positions, options, chosen if kept else None)
        for source in sources(runs)
    ]
    outcomes = Parallel(n_jobs=workers(options["jobs"]), require="sharedmem", return_as="generator")(work)
    bar = progress_bar(outcomes, desc="reading runs", unit="run", total=len(work), shown=options["progress"])
    lists = _usable(noting(bar))
    names = run_names([run_lists.name for run_lists in lists], [run_lists.file for run_lists in lists])
    order = sorted(range(len(names)), key=names.__getitem__) if by_name else range(len(names))
    depth_by: DepthBy = "given" if options["depth"] is not None else "longest"
    depth = options["depth"] or max(run_lists.grades.shape[1] for run_lists in lists)
    grades = np.full((len(positions), len(lists), depth), ENDED, dtype=np.int16)
    for place, k in enumerate(order):
        grades[:, place, : lists[k].grades.shape[1]] = lists[k].grades
    judged_10 = np.stack([lists[k].judged_10 for k in order], axis=1)
    tied = np.stack([lists[k].tied for k in order], axis=1)
    cut = 0 if depth_by == "given" else sum(int((run_lists.lengths > depth).sum()) for run_lists in lists)
    remarks = tuple(lists[k].remarks for k in order)
    documents = [own for k in order if (own := lists[k].documents) is not None]
    del lists  # as large as the grades: from here on only one copy of them is needed
    nonrelevant, lengths = grades == 0, (grades != ENDED).sum(axis=2)
    collection = Collection(
        runs=tuple(names[k] for k in order),
        topics=tuple(judged.topics[positions]),
        grades=np.maximum(grades, 0, out=grades),
        nonrelevant=nonrelevant,
        relevant=relevant[positions],
        judged_nonrelevant=counts[positions, 0],
        lengths=lengths,
        judged_10=judged_10,
        tied=tied,
        without_relevant=tuple(judged.topics[np.setdiff1d(chosen, positions)]),
        depth_by=depth_by,
        cut=cut,
        remarks=remarks,
    )
    for note in collection.notes:
        warn_of_input(note)
    return collection, Retrieved(judged, chosen, documents) if kept else None


def _judgments(runs: Runs, qrels: Qrels, options: CollectOptions) -> Judgments:
    duplicates, grades, bins = options["duplicates"], options["grades"], options["bins"]
    if grades is None and bins is None:
        return read_judgments(runs, qrels, duplicates)
    return Judgments.of(graded_columns(qrels, grades=grades, bins=bins, duplicates=duplicates))


def _check_fits(collection: Collection, options: Mapping[str, Any]) -> None:
    """Raise an error if an option asks for a different collection."""
    fits = {
        "depth": collection.depth,
        "topics": {*collection.topics, *collection.without_relevant},
        "levels": collection.levels,
        "by_name": list(collection.runs) == sorted(collection.runs),
    }
    usual = {name: option.default for name, option in READING_OPTIONS.items()} | {"by_name": False, "qrels": None}
    for name, value in options.items():
        wanted = set(value) if name == "topics" and value is not None else value
        if name not in ("jobs", "progress") and not (
            wanted is usual[name] or wanted in (usual[name], fits.get(name))
        ):
            raise InputError(f"{name}: does not fit {collection}, which is used as it was collected")


class _RunLists(NamedTuple):
    """Ranked lists of a run for the topics of a Collection, the name or tag of the run, and its file."""

    name: str
    file: Path | None
    lengths: IntArray  # also beyond the depth
    grades: IntArray
    judged_10: FloatArray
    tied: BoolArray
    remarks: Remarks
    documents: Ids | None


def _run_lists(
    source: Source, judged: Judgments, positions: IntArray, options: CollectOptions, chosen: IntArray | None
) -> _RunLists | InputError:
    """Lists of a run for the topics at ``positions`` and documents for the ``chosen``, or why it is unusable."""
    name, run = source
    try:
        title = title_of(run) if is_file(run) else f"run {name!r}"
        columns = run_columns(title, run, repeated=options["duplicates"])
        if options["ignore_identical_ids"]:
            columns = columns.only(~same_id_as_topic(columns))
        lists = RunLists.of(columns, float32=options["float32"])
        of_topics = lists.for_topics(judged.topics)
        depth = options["depth"] or min(int(lists.lengths[of_topics[of_topics >= 0]].max(initial=0)), LONGEST)
        ranked = lists.ranked(of_topics, depth)
        grades = grades_of(ranked, columns, judged)
        unseen = not (options["allow_unjudged"] or (grades >= 0).any())
        if unseen and (reason := judged.unmatched(columns)):
            raise InputError(f"{title}: {reason}; allow_unjudged accepts it")
    except InputError as error:
        return error
    file = Path(run) if is_file(run) and name is None else None
    grades, first, used = grades[positions], grades[positions, :FIRST], of_topics[positions]
    documents = None
    if chosen is not None:
        places = ranked[chosen]
        documents = columns.docs._replace(
            codes=np.where(places >= 0, columns.docs.codes[places], -1).astype(np.int32)
        )
    return _RunLists(
        columns.tags.names[0].as_py() if file and columns.tags else str(name),
        file,
        _at(lists.lengths, used),
        grades,
        judged_10=(first >= 0).sum(axis=1) / (first != ENDED).sum(axis=1).clip(min=1),
        tied=_at(lists.tied(depth), used),
        remarks=_remarks(lists, used, depth, judged if options["topics"] is None else None),
        documents=documents,
    )


def _at(of_lists: npt.NDArray[Any], lists: IntArray) -> npt.NDArray[Any]:
    """Elements of some lists; 0 where a list is -1."""
    return np.append(of_lists, np.zeros(1, of_lists.dtype))[lists]


def _remarks(lists: RunLists, used: IntArray, depth: int, judged: Judgments | None) -> Remarks:
    """Remarks on the lists ``used``; ``judged`` tells lists without judgments, unless topics are chosen."""
    return Remarks(
        itself=_at(lists.with_topic(), used),
        rank_against=_at(lists.rank_against(depth), used),
        rank_differs=_at(lists.rank_differs(depth), used),
        unknown=() if judged is None else tuple(lists.topics[lists.among(judged.topics) < 0]),
        repeated=lists.run.repeated,
        comments=lists.run.comments,
    )


def _usable(read_runs: Iterable[_RunLists | InputError]) -> list[_RunLists]:
    """The lists of all runs; an error names every run that cannot be used."""
    outcomes = list(read_runs)
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
