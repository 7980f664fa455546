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
        # (runs, first ranks) of each topic; there is nothing to judge after the end of a list
        is_judged = [np.append(pool.judged, True)[pool.lists[:, :FIRST]] for pool in self.topics]
        is_sparse = self.relevant < RELEVANT or np.mean(is_judged) < LITTLE
        return bool(is_sparse) and not self.complete

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
    highest_label = max((int(pool.labels.max(initial=0)) for pool in topics), default=0)
    return Pools(collection, topics, highest_label)


def _pools(retrieved: Retrieved, depth: int, labelled: Judgments | None) -> Iterator[Pool]:
    """The pool of each chosen topic; documents have numbers in the order of their ids."""
    # 1. numbers of the documents of the judgments, the labels and the runs
    judged = retrieved.judged
    ids, numbers = _numbered(
        [judged.docs, *([] if labelled is None else [labelled.docs]), *(run.names for run in retrieved.runs)]
    )
    judged_numbers, run_numbers = numbers[0], numbers[-len(retrieved.runs) :]
    # (topics, ranks) of each run; -1 after the end of a list
    of_runs = [
        np.where(run.codes >= 0, number[run.codes], -1)
        for run, number in zip(retrieved.runs, run_numbers, strict=True)
    ]
    for place, topic in enumerate(retrieved.topics.tolist()):
        # 2. numbers of the documents that are judged, labelled (none without labels), and at each rank of the lists
        name = str(judged.topics[topic])
        docs, grades = _of_topic(judged, name, judged_numbers)
        labelled_docs, labels = docs[:0], grades[:0]
        if labelled is not None:
            labelled_docs, labels = _of_topic(labelled, name, numbers[1])
        lists = np.full((len(of_runs), depth), -1, dtype=np.int64)
        for k, of_run in enumerate(of_runs):
            lists[k, : of_run.shape[1]] = of_run[place]
        # 3. the pool: in place of the numbers, indices of these documents
        documents = np.unique(np.concatenate((docs, labelled_docs, lists[lists >= 0])))
        pool_grades, pool_labels = np.full((2, len(documents)), UNJUDGED, dtype=np.int16)
        pool_grades[np.searchsorted(documents, docs)] = grades
        pool_labels[np.searchsorted(documents, labelled_docs)] = labels
        pool_lists = np.where(lists >= 0, np.searchsorted(documents, lists), len(documents)).astype(np.int32)
        yield Pool(name, ids[documents], pool_grades, pool_lists, pool_labels)


def _numbered(sets: list[pa.Array]) -> tuple[npt.NDArray[np.object_], list[IntArray]]:
    """All ids of several sets, sorted, and the number of each id of each set: its place among the sorted ids."""
    ids = Ids.joined([Ids(names, np.arange(len(names), dtype=np.int32)) for names in sets])
    order = sort_indices(ids.names, memory_pool=POOL).to_numpy()
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    ends = np.cumsum([len(names) for names in sets])[:-1]
    return ids.names.to_numpy(zero_copy_only=False)[order], np.split(numbers[ids.codes], ends)


def _of_topic(judged: Judgments, topic: str, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Numbers and grades of the documents that are judged for a topic; none for an unknown topic.

    ``numbers`` are of the documents of the judgments. A key of these is topic x documents + document.
    """
    place = judged.topics.get_indexer(pd.Index([topic]))[0]
    topics, docs = np.divmod(judged.keys.to_numpy(), len(judged.docs))
    in_topic = topics == place
    return numbers[docs[in_topic]], judged.grades[in_topic]
