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
        """Some of the lists."""
        first, last, _ = runs.indices(len(self.runs))
        return replace(
            self,
            runs=self.runs[runs],
            grades=self.grades[runs],
            missing=self.missing[runs],
            shown=tuple(k - first for k in self.shown if first <= k < last),
        )


def fewest(numbers: IntArray, used: BoolArray, by: MinRetrievedBy) -> IntArray:
    """As :meth:`Topic.fewest`, for numbers of retrieved documents (..., levels)."""
    counts = numbers[..., used]
    return np.asarray(counts.min(axis=-1) if by == "grade" else counts[..., -1])


def left_out(
    numbers: IntArray, missing: BoolArray, used: BoolArray, options: StudyOptions
) -> npt.NDArray[np.object_]:
    """As :meth:`Topic.left_out`, for numbers of retrieved documents (..., levels)."""
    few = fewest(numbers, used, options.min_retrieved_by) < options.min_retrieved
    few |= numbers.sum(axis=-1) < options.min_retrieved_total
    return np.where(missing, "missing", np.where(few, "too_few", "")).astype(object)


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
        shown = np.zeros(collection.missing.shape, dtype=np.bool_) if shown is None else shown
        references = topic_references(collection, reference)
        places, first, owners = _distinct(collection, references)
        is_shown = np.zeros(len(first), dtype=np.bool_)
        is_shown[places[shown.ravel()]] = True
        topics = []
        for members in np.split(np.arange(len(first)), np.flatnonzero(np.diff(owners)) + 1):
            topic = _topic(collection, first[members], references, merged=len(first) < len(places))
            topics.append(
                replace(
                    topic,
                    aligns=aligns,
                    shown=tuple(np.flatnonzero(is_shown[members]).tolist()),
                    shown_ranks=ranks,
                )
            )
        group_of_topic = owners[places.reshape(shown.shape)[:, 0]]
        return cls(tuple(topics), np.bincount(group_of_topic), places, places[shown.ravel()])

    def dealt(self, results: Sequence[Results]) -> Results:
        """Columns for all lists of the collection, from the columns of the groups."""
        columns = {name: np.concatenate([group[name] for group in results]) for name in results[0]}
        distinct = sum(len(topic.runs) for topic in self.topics)
        if distinct == len(self.places):
            return columns
        rows = dict.fromkeys(columns, (distinct, self.places))
        if DISTRIBUTIONS in columns:
            solved = np.unique(self.shown)
            rows[DISTRIBUTIONS] = len(solved), np.searchsorted(solved, self.shown)
        return {name: columns[name].reshape(number, -1)[places].ravel() for name, (number, places) in rows.items()}


def _distinct(collection: Collection, references: Sequence[Reference]) -> tuple[IntArray, IntArray, IntArray]:
    """Distinct lists: position of every list among them, and the first occurrence and the group of each.

    Lists are equal if their grades, the R_i of their topics and their references are equal. Distinct lists are
    sorted by group. Unless each list occurs twice on average, all lists count as distinct, with topics as groups.
    """
    topics, runs, depth = collection.grades.shape
    numbers = {id(reference): k for k, reference in enumerate(references)}
    kinds = np.column_stack((collection.relevant, [numbers[id(reference)] for reference in references]))
    groups = np.repeat(np.unique(kinds, axis=0, return_inverse=True)[1].ravel(), runs)
    digests = (blake2b(row.tobytes(), digest_size=16).digest() for row in collection.grades.reshape(-1, depth))
    of_list: dict[tuple[int, bool, bytes], int] = {}
    keys = zip(groups.tolist(), collection.missing.ravel().tolist(), digests, strict=True)
    numbered = np.array([of_list.setdefault(key, len(of_list)) for key in keys])
    if REPEATED * len(of_list) > len(numbered):
        positions = np.arange(topics * runs)
        return positions, positions, positions // runs
    first = np.unique(numbered, return_index=True)[1]
    order = np.argsort(groups[first], kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place[numbered], first[order], groups[first[order]]


def _topic(collection: Collection, lists: IntArray, references: Sequence[Reference], *, merged: bool) -> Topic:
    """Topic with the lists of these indices, counted topic by topic; ``merged``: the lists of a group."""
    runs = len(collection.runs)
    k, grades = int(lists[0]) // runs, collection.grades.reshape(-1, collection.depth)
    relevant, names = collection.relevant[k], collection.runs
    name = collection.topics[k]
    if merged:
        fold = next(j for j, reference in enumerate(references) if reference is references[k])
        name = f"{','.join(map(str, relevant.tolist()))} relevant, reference of {collection.topics[fold]}"
        names = tuple(" ".join(map(str, row)) for row in grades[lists].tolist())
    span = slice(int(lists[0]), int(lists[-1]) + 1)
    return Topic(
        query_id=name,
        runs=names,
        grades=grades[lists] if merged else grades[span],
        relevant=relevant,
        missing=collection.missing.ravel()[lists],
        used=collection.used,
        reference=references[k],
    )


def chosen_lists(collection: Collection, query_id: str, runs: Sequence[str], reference: Reference) -> Topic:
    """Lists of some runs of a topic, ready to be solved, with the reference of a study."""
    columns, k = [collection.runs.index(run) for run in runs], collection.topics.index(query_id)
    return Topic(
        query_id=query_id,
        runs=tuple(runs),
        grades=collection.grades[k, columns].astype(np.int64),
        relevant=collection.relevant[k],
        missing=collection.missing[k, columns],
        used=collection.used,
        reference=topic_references(collection, reference)[k],
    )
