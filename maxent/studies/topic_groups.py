"""The lists that a study solves: all lists of each topic or, if lists repeat, each distinct list once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from maxent.curves.error import Align
from maxent.data.collection import Collection
from maxent.measures.form import grade_counts
from maxent.options import MinRetrievedBy
from maxent.problem.reference import Reference
from maxent.problem.solutions import Solutions
from maxent.studies.checkpoint import Results
from maxent.studies.options import StudyOptions
from maxent.studies.rank_profile import topic_references
from maxent.types import BoolArray, IntArray

DISTRIBUTIONS = "distributions"  # column of results: distributions of shown lists, as a flat array
REPEATED = 2  # if lists occur at least so often on average, each distinct list is solved once


class SolvedLists(NamedTuple):
    """Solutions of lists of a topic, with the index of the measure and of the run of each, (k,)."""

    measures: IntArray
    runs: IntArray
    solutions: Solutions


@dataclass(frozen=True, eq=False)
class Topic:
    """All lists of one topic, or distinct lists of topics with equal numbers of documents of each grade."""

    query_id: str
    runs: tuple[str, ...]  # names of the lists
    grades: IntArray  # (runs, depth)
    relevant: IntArray  # (levels,), R_i of the topic
    missing: BoolArray  # (runs,), whether the run has no document for the topic
    used: BoolArray  # (levels,), whether any topic of the collection has documents of the grade
    reference: Reference = None  # of its problems
    # how curves of solutions are compared with the actual curves, at the study's thresholds; if they are not,
    # solutions have their distributions
    aligns: tuple[Align, ...] = ()
    shown: tuple[int, ...] = ()  # lists whose distributions are shown, at these ranks from 1
    shown_ranks: tuple[int, ...] = ()
    solved: tuple[SolvedLists, ...] = ()  # solutions, if they were computed together with other topics

    @cached_property
    def retrieved(self) -> IntArray:
        """Number of documents of each positive grade in each list, (runs, levels)."""
        return grade_counts(self.grades, len(self.relevant))

    def fewest(self, by: MinRetrievedBy) -> IntArray:
        """Documents of the rarest used grade in each list or, by threshold, of the highest used grade, (runs,)."""
        return fewest(self.retrieved, self.used, by)

    def left_out(self, options: StudyOptions) -> npt.NDArray[np.object_]:
        """Status of each list that is excluded without solving, (runs,); empty for the others."""
        return left_out(self.retrieved, self.missing, self.used, options)

    def part(self, runs: slice) -> Self:
        """The lists of some consecutive runs."""
        first, end, _ = runs.indices(len(self.runs))
        return replace(
            self,
            runs=self.runs[runs],
            grades=self.grades[runs],
            missing=self.missing[runs],
            shown=tuple(run - first for run in self.shown if first <= run < end),
        )


def fewest(numbers: IntArray, used: BoolArray, by: MinRetrievedBy) -> IntArray:
    """As :meth:`Topic.fewest`, for numbers of retrieved documents (..., levels)."""
    counts = numbers[..., used]
    return np.asarray(counts.min(axis=-1) if by == "grade" else counts[..., -1])


def left_out(
    numbers: IntArray, missing: BoolArray, used: BoolArray, options: StudyOptions
) -> npt.NDArray[np.object_]:
    """As :meth:`Topic.left_out`, for numbers of retrieved documents (..., levels)."""
    is_few = fewest(numbers, used, options.min_retrieved_by) < options.min_retrieved
    is_few |= numbers.sum(axis=-1) < options.min_retrieved_total
    return np.where(missing, "missing", np.where(is_few, "too_few", "")).astype(object)


@dataclass(frozen=True, eq=False)
class TopicGroups:
    """The lists of a collection, in groups that are solved one after the other."""

    topics: tuple[Topic, ...]  # the groups, each a topic of the collection, or several of the same R_i
    sizes: IntArray  # (groups,): numbers of topics of the collection
    # (lists of the collection,), topic by topic: position of each among the lists of all groups
    places: IntArray
    shown: IntArray  # positions of the lists that are shown

    @classmethod
    def of(
        cls,
        collection: Collection,
        reference: Reference,
        *,
        aligns: tuple[Align, ...] = (),
        shown: BoolArray | None = None,
        ranks: tuple[int, ...] = (),
    ) -> Self:
        """Groups of all lists; ``shown`` (topics, runs) and ``ranks`` are as for :attr:`Topic.shown`."""
        references = topic_references(collection, reference)
        # 1. the lists that are solved, and which of them are shown
        solved = _solved_lists(collection, references)
        shown = np.zeros(collection.missing.shape, dtype=np.bool_) if shown is None else shown
        shown_places = solved.places[shown.ravel()]
        is_shown = np.zeros(len(solved.first), dtype=np.bool_)
        is_shown[shown_places] = True
        # 2. the groups of lists that are solved: without repeated lists, the topics of the collection
        are_distinct = len(solved.first) < len(solved.places)
        starts = np.flatnonzero(np.diff(solved.groups)) + 1
        topics = []
        for members in np.split(np.arange(len(solved.first)), starts):
            if are_distinct:
                topic = _topic_of_lists(collection, solved.first[members], references)
            else:
                topic = _topic_of_collection(collection, int(solved.groups[members[0]]), references)
            shown_runs = tuple(np.flatnonzero(is_shown[members]).tolist())
            topics.append(replace(topic, aligns=aligns, shown=shown_runs, shown_ranks=ranks))
        # 3. the group of each topic of the collection is that of its first list
        group_of_topic = solved.groups[solved.places.reshape(shown.shape)[:, 0]]
        return cls(tuple(topics), np.bincount(group_of_topic), solved.places, shown_places)

    def dealt(self, results: Sequence[Results]) -> Results:
        """Columns for all lists of the collection, from the columns of the groups."""
        columns = {name: np.concatenate([group[name] for group in results]) for name in results[0]}
        solved_lists = sum(len(topic.runs) for topic in self.topics)
        if solved_lists == len(self.places):
            return columns
        for name, column in columns.items():
            # a column has equally many numbers for each solved list; distributions are of shown lists only
            lists, places = solved_lists, self.places
            if name == DISTRIBUTIONS:
                shown_lists = np.unique(self.shown)
                lists, places = len(shown_lists), np.searchsorted(shown_lists, self.shown)
            columns[name] = column.reshape(lists, -1)[places].ravel()
        return columns


class _SolvedOnce(NamedTuple):
    """The lists that are solved for all lists of a collection: each distinct list once, or all; sorted by group.

    Lists have indices topic by topic, run by run.
    """

    places: IntArray  # (lists of the collection,): place of each among the lists that are solved
    first: IntArray  # (lists that are solved,): index in the collection, of the first if several are equal
    groups: IntArray  # (lists that are solved,): number of the group that is solved together


def _solved_lists(collection: Collection, references: Sequence[Reference]) -> _SolvedOnce:
    """The distinct lists; unless each list occurs twice on average, all lists, with topics as groups.

    Lists are equal if their grades, the R_i of their topics and their references are equal. Lists of topics with
    equal R_i and references are a group.
    """
    topics, runs, depth = collection.grades.shape
    # 1. the group of each list
    reference_numbers = {id(reference): k for k, reference in enumerate(references)}
    kinds = np.column_stack((collection.relevant, [reference_numbers[id(reference)] for reference in references]))
    groups = np.repeat(np.unique(kinds, axis=0, return_inverse=True)[1].ravel(), runs)
    # 2. equal lists have the same number, in the order of their first occurrence
    digests = (blake2b(row.tobytes(), digest_size=16).digest() for row in collection.grades.reshape(-1, depth))
    keys = zip(groups.tolist(), collection.missing.ravel().tolist(), digests, strict=True)
    number_of: dict[tuple[int, bool, bytes], int] = {}
    numbers = np.array([number_of.setdefault(key, len(number_of)) for key in keys])
    if REPEATED * len(number_of) > len(numbers):
        all_lists = np.arange(topics * runs)
        return _SolvedOnce(all_lists, all_lists, all_lists // runs)
    # 3. the distinct lists, sorted by group
    first = np.unique(numbers, return_index=True)[1]
    order = np.argsort(groups[first], kind="stable")
    place_of_number = np.empty_like(order)
    place_of_number[order] = np.arange(len(order))
    return _SolvedOnce(place_of_number[numbers], first[order], groups[first[order]])


def _topic_of_collection(collection: Collection, k: int, references: Sequence[Reference]) -> Topic:
    """A topic of the collection, with all its lists."""
    return Topic(
        query_id=collection.topics[k],
        runs=collection.runs,
        grades=collection.grades[k],
        relevant=collection.relevant[k],
        missing=collection.missing[k],
        used=collection.used,
        reference=references[k],
    )


def _topic_of_lists(collection: Collection, lists: IntArray, references: Sequence[Reference]) -> Topic:
    """A group of distinct lists as one topic, named by what the lists have in common; their names are their grades.

    ``lists`` has their indices, topic by topic. The names are keys of checkpoints.
    """
    k = int(lists[0]) // len(collection.runs)  # all lists have the R_i and the reference of this topic
    relevant = collection.relevant[k]
    fold = next(j for j, reference in enumerate(references) if reference is references[k])
    grades = collection.grades.reshape(-1, collection.depth)[lists]
    return Topic(
        query_id=f"{','.join(map(str, relevant.tolist()))} relevant, reference of {collection.topics[fold]}",
        runs=tuple(" ".join(map(str, row)) for row in grades.tolist()),
        grades=grades,
        relevant=relevant,
        missing=collection.missing.ravel()[lists],
        used=collection.used,
        reference=references[k],
    )


def chosen_lists(collection: Collection, query_id: str, runs: Sequence[str], reference: Reference) -> Topic:
    """Lists of some runs of a topic, ready to be solved, with the reference of a study."""
    k = collection.topics.index(query_id)
    rows = [collection.runs.index(run) for run in runs]
    return Topic(
        query_id=query_id,
        runs=tuple(runs),
        grades=collection.grades[k, rows].astype(np.int64),
        relevant=collection.relevant[k],
        missing=collection.missing[k, rows],
        used=collection.used,
        reference=topic_references(collection, reference)[k],
    )
