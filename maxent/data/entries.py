"""The lines of a run as arrays, from a table or from a file, and their grades in trec_eval's order."""

import os
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.data import columns
from maxent.data.judgments import Judgments
from maxent.data.lines import read_bytes
from maxent.data.tables import check_table, distinct_keys, finite_scores
from maxent.data.trec import Duplicates, RunFile, scan_run, strict_run
from maxent.errors import InputError
from maxent.types import FloatArray, IntArray

ENDED = -2  # in place of a grade, after the end of a list


class Entries(NamedTuple):
    """What a run returned: one entry for each document of a topic.

    Attributes
    ----------
    topics, docs : (n,) arrays of int
        Positions among the topics and the documents of the judgments, -1 where they have no such id.
    ids : (words, n) array
        Numbers that sort as the ids of the documents do, the first row first.
    scores : (n,) array of float
    """

    topics: IntArray
    docs: IntArray
    ids: IntArray
    scores: FloatArray


def from_table(name: str, run: pd.DataFrame, judged: Judgments) -> Entries:
    """Entries of a table with the columns query_id, doc_id and score."""
    check_table(name, run, ("query_id", "doc_id", "score"))
    keys, topic_ids, doc_ids = distinct_keys(name, run)
    scores = finite_scores(name, run)
    topics, docs = np.divmod(keys, len(doc_ids))  # documents are numbered in the order of their ids
    return Entries(
        judged.topics.get_indexer(pd.Index(topic_ids))[topics],
        judged.docs.get_indexer(pd.Index(doc_ids))[docs],
        docs[None],
        scores,
    )


def from_file(
    path: str | os.PathLike[str], judged: Judgments, *, duplicates: Duplicates = "error"
) -> tuple[str, Entries]:
    """Tag of a run file, and its entries."""
    data = read_bytes(path)
    found = scan_run(data)
    if found is None:
        run = strict_run(path, data, duplicates=duplicates)
        return str(run["run_id"].iloc[0]), from_table(str(path), run, judged)
    return found.tag, _scanned(found, judged)


def _scanned(run: RunFile, judged: Judgments) -> Entries:
    names = columns.texts(run.topics[:, run.first])
    topics = judged.topics.get_indexer(pd.Index(names))[run.topic]
    return Entries(topics, judged.match(run.docs), run.docs, run.scores)


def grades_by_rank(
    name: str, entries: Entries, judged: Judgments, *, depth: int, float32: bool = False
) -> IntArray:
    """Grades of the lists for all topics of the judgments, (topics, depth); ``ENDED`` after the end of a list.

    Raises
    ------
    InputError
        If no topic of the run is judged; ``name`` says which run it is.
    """
    topics, docs, ids, scores = entries
    if float32:
        with np.errstate(over="ignore", under="ignore"):  # overflow to infinity or 0, as in trec_eval
            scores = scores.astype(np.float32)
    order = trec_order(topics, scores, ids)
    order = order[np.searchsorted(topics[order], 0) :]
    if not order.size:
        raise InputError(f"{name}: no topic in common with the qrels, whose first is {judged.topics[0]!r}")
    topics, docs = topics[order], docs[order]
    first = np.flatnonzero(np.concatenate(([True], topics[1:] != topics[:-1])))
    ranks = np.arange(len(topics)) - np.repeat(first, np.diff(np.append(first, len(topics))))
    seen = ranks < depth
    grades = np.full((len(judged.topics), depth), ENDED, dtype=np.int16)
    grades[topics[seen], ranks[seen]] = judged.look_up(topics[seen], docs[seen])
    return grades


def trec_order(topics: IntArray, scores: FloatArray, ids: IntArray) -> IntArray:
    """Order of entries by topic, score descending, document id descending."""
    same = topics[1:] == topics[:-1]
    if (topics[1:] >= topics[:-1]).all() and (scores[1:] < scores[:-1])[same].all():
        return np.arange(len(topics))  # as most files are written
    order = np.lexsort((-scores, topics))
    tied = (topics[order][1:] == topics[order][:-1]) & (scores[order][1:] == scores[order][:-1])
    if not tied.any():
        return order
    group = np.cumsum(np.concatenate(([True], ~tied)))
    among = np.flatnonzero(np.concatenate(([False], tied)) | np.concatenate((tied, [False])))
    falling = [~word for word in ids[::-1, order[among]]]  # ascending complements: ids descend
    order[among] = order[among][np.lexsort((*falling, group[among]))]
    return order
