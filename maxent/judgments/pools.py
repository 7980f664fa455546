"""The documents of each topic that are judged, labelled or returned by a run, and the lists of the runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pyarrow.compute import sort_indices

from maxent.data.collect import Retrieved, collect_documents
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs, qrels_columns
from maxent.data.inspect_run import FIRST, LITTLE
from maxent.data.judgments import UNJUDGED, Judgments
from maxent.data.line_arrays import POOL, Ids
from maxent.errors import InputError
from maxent.options import CollectOptions
from maxent.types import BoolArray, FloatArray, IntArray

# with fewer relevant documents judged by topic, or less than LITTLE of the first documents judged, means of the
# model were further off than its draws suggest, on robust03 (depth 5) and on two of three collections (random)
RELEVANT = 10


@dataclass(frozen=True, eq=False)
class Pool:
    """The documents of a topic, in the order of their ids."""

    topic: str
    ids: npt.NDArray[np.object_]  # (documents,)
    grades: IntArray  # (documents,): UNJUDGED if there is none
    lists: IntArray  # (runs, depth): index of the document at each rank; after the end, the number of documents
    labels: IntArray  # (documents,): grades in a second set of judgments, UNJUDGED if there is none

    @property
    def judged(self) -> BoolArray:
        """Whether each document is judged, (documents,)."""
        return np.asarray(self.grades >= 0)

    @property
    def best(self) -> FloatArray:
        """Best rank of each document in the runs, (documents,); infinite where none returns it."""
        return np.asarray(np.where(self.ranks > 0, self.ranks, np.inf).min(axis=0))

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each document in each run, (runs, documents); 0 where the run does not return it."""
        runs, depth = self.lists.shape
        ranks = np.zeros((runs, len(self.grades) + 1), dtype=np.int64)
        np.put_along_axis(ranks, self.lists, np.arange(1, depth + 1)[None], axis=1)
        return ranks[:, :-1]


@dataclass(frozen=True, eq=False)
class Pools:
    """Pools of a collection by topic, in the order of evaluation: topics without relevant documents come last."""

    collection: Collection
    topics: tuple[Pool, ...]
    labels: int = 0  # the highest label

    @property
    def relevant(self) -> float:
        """Number of documents of a topic that are judged relevant, in the mean over topics."""
        return float(np.mean([(pool.grades > 0).sum() for pool in self.topics]))

    @property
    def sparse(self) -> bool:
        """Whether few relevant documents are judged, or few of the first documents of runs: a random sample."""
        first = [np.append(pool.judged, True)[pool.lists[:, :FIRST]] for pool in self.topics]
        return bool(self.relevant < RELEVANT or np.mean(first) < LITTLE) and not self.complete

    @property
    def complete(self) -> bool:
        """Whether every document is judged."""
        return all(pool.judged.all() for pool in self.topics)


def pools_of(
    runs: Runs | Collection,
    qrels: Qrels | None,
    options: CollectOptions,
    *,
    labels: Qrels | None = None,
    none_relevant: bool = False,
) -> Pools:
    """Pools from runs and judgments; ``labels`` are other judgments of the same topics."""
    collection, retrieved = collect_documents(runs, qrels, options, none_relevant=none_relevant)
    if retrieved is None:
        raise InputError("a Collection has no document ids: give runs and qrels")
    labelled = None if labels is None else Judgments.of(qrels_columns(labels, duplicates=options["duplicates"]))
    by_topic = {pool.topic: pool for pool in _pools(retrieved, collection.depth, labelled)}
    topics = tuple(by_topic[topic] for topic in (*collection.topics, *collection.without_relevant))
    if labelled is not None and not any((pool.judged & (pool.labels >= 0)).any() for pool in topics):
        raise InputError("labels: no document has both a judgment and a label, so labels cannot be interpreted")
    return Pools(collection, topics, max((int(pool.labels.max(initial=0)) for pool in topics), default=0))


def _pools(retrieved: Retrieved, depth: int, labelled: Judgments | None) -> Iterator[Pool]:
    """The pool of each chosen topic; documents have numbers in the order of their ids."""
    judged = retrieved.judged
    others = [] if labelled is None else [labelled.docs]
    sets = [judged.docs, *others, *(run.names for run in retrieved.runs)]
    ids, numbers = _numbered(sets)
    of_runs = [
        np.where(run.codes >= 0, number[run.codes], -1)
        for run, number in zip(retrieved.runs, numbers[-len(retrieved.runs) :], strict=True)
    ]
    for place, topic in enumerate(retrieved.topics.tolist()):
        name = str(judged.topics[topic])
        docs, grades = _of_topic(judged, name, numbers[0])
        labelled_docs, labels = docs[:0], grades[:0]
        if labelled is not None:
            labelled_docs, labels = _of_topic(labelled, name, numbers[1])
        lists = np.full((len(of_runs), depth), -1, dtype=np.int64)
        for k, codes in enumerate(of_runs):
            lists[k, : codes.shape[1]] = codes[place]
        documents = np.unique(np.concatenate((docs, labelled_docs, lists[lists >= 0])))
        tables = np.full((2, len(documents)), UNJUDGED, dtype=np.int16)
        tables[0, np.searchsorted(documents, docs)] = grades
        tables[1, np.searchsorted(documents, labelled_docs)] = labels
        positions = np.where(lists >= 0, np.searchsorted(documents, lists), len(documents)).astype(np.int32)
        yield Pool(name, ids[documents], tables[0], positions, tables[1])


def _numbered(sets: list[pa.Array]) -> tuple[npt.NDArray[np.object_], list[IntArray]]:
    """All ids of several sets, sorted, and the number of each id of each set."""
    ids = Ids.joined([Ids(names, np.arange(len(names), dtype=np.int32)) for names in sets])
    order = sort_indices(ids.names, memory_pool=POOL).to_numpy()
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    ends = np.cumsum([len(names) for names in sets])[:-1]
    return ids.names.to_numpy(zero_copy_only=False)[order], np.split(numbers[ids.codes], ends)


def _of_topic(judged: Judgments, topic: str, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Numbers and grades of the documents that are judged for a topic; none for an unknown topic."""
    place = judged.topics.get_indexer(pd.Index([topic]))[0]
    in_topic = judged.keys.to_numpy() // len(judged.docs) == place
    return numbers[judged.keys.to_numpy()[in_topic] % len(judged.docs)], judged.grades[in_topic]
