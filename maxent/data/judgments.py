"""Relevance judgments as arrays, in which runs look up the grades of their documents in trec_eval's order."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import GRADE, Limit, too_large
from maxent.data.columns import LONGEST, Columns, distinct, packed, texts
from maxent.data.tables import clean
from maxent.errors import InputError, quoted
from maxent.types import FloatArray, IntArray

UNJUDGED = -1  # in place of a grade; negative grades as well
ENDED = -2  # in place of a grade, after the end of a list
_MAX_GRADE = np.iinfo(np.int16).max


@dataclass(frozen=True, eq=False)
class Judgments:
    """Qrels as a sparse matrix: a key stands for topic ``key // len(docs)`` and document ``key % len(docs)``."""

    topics: "pd.Index[str]"
    docs: "pd.Index[str]"
    keys: "pd.Index[Any]"
    grades: IntArray  # UNJUDGED for a negative one

    @classmethod
    def of(cls, qrels: Columns | pd.DataFrame, *, limit: Limit | None = GRADE) -> "Judgments":
        """Judgments of lines, or of a table, with grades up to ``limit``, if any."""
        found = qrels if isinstance(qrels, Columns) else clean("qrels", qrels, "relevance", fractions=False)
        row = int(found.values.argmax())
        if (highest := int(found.values[row])) > _MAX_GRADE:
            place = f"{found.title}{found.unit}{found.lines[row]}"
            raise InputError(f"{place}: relevance {highest}, expected an integer up to {_MAX_GRADE}")
        if limit is not None and (reason := too_large("the highest grade", highest, limit)):
            raise InputError(f"{found.title}: {reason}")
        if found.texts is None:
            first, doc = distinct(found.ids)
            docs: Any = texts(found.ids[:, first])
        else:
            doc, docs = found.ids[0], found.texts
        keys = found.topic * len(docs) + doc
        return cls(_index(found.topics), _index(docs), _index(keys), found.values.clip(UNJUDGED).astype(np.int16))

    def select(self, topics: Iterable[str] | None) -> IntArray:
        """Positions of the chosen topics, ascending; None chooses all."""
        if topics is None:
            return np.arange(len(self.topics))
        if not isinstance(topics, Iterable):
            raise InputError(f"topics is {quoted(topics)}, expected several ids")
        if isinstance(topics, str):
            raise InputError(f"topics is the text {topics!r}, expected ids; select_topics makes them of a text")
        wanted = {str(topic) for topic in topics}
        if unknown := wanted.difference(self.topics):
            raise InputError(f"topics: the qrels have no topic {min(unknown)!r}")
        return np.flatnonzero(self.topics.isin(wanted))

    def count(self, levels: int | None = None) -> IntArray:
        """Number of documents of each grade 0, 1, ..., (topics, levels + 1); by default up to the highest."""
        highest = max(int(self.grades.max()), 0)
        if levels is not None and not highest <= levels:
            topic = self.topics[int(self.keys[int(self.grades.argmax())]) // len(self.docs)]
            raise InputError(f"qrels: topic {topic!r} has grade {highest}, expected at most levels={levels}")
        levels = highest if levels is None else levels
        judged = self.grades >= 0
        cells = self.keys.to_numpy()[judged] // len(self.docs) * (levels + 1) + self.grades[judged]
        return np.bincount(cells, minlength=len(self.topics) * (levels + 1)).reshape(-1, levels + 1)

    def look_up(self, topics: IntArray, docs: IntArray) -> IntArray:
        """Grades of documents, ``UNJUDGED`` where there is none; position -1 is a document without judgment."""
        places = _find(self.keys, np.where(docs >= 0, topics * len(self.docs) + docs, -1))
        return np.where(places >= 0, self.grades[places], np.int16(UNJUDGED))

    def match(self, run: Columns) -> IntArray:
        """Positions of the documents of a run; -1 for others."""
        if run.texts is not None:
            places: IntArray = _find(self.docs, run.texts)[run.ids[0]]
            return places
        steps, document = self._codes
        code = np.zeros(run.ids.shape[1], dtype=np.int64)
        for number, (values, known) in enumerate(steps):
            word = run.ids[number] if number < len(run.ids) else np.zeros(1, dtype=np.uint64)  # the id has ended
            own = _find(values, word)
            code = np.where((code >= 0) & (own >= 0), _find(known, code * len(values) + own), -1)
        code[run.ids[len(steps) :].any(axis=0)] = -1
        return np.asarray(np.where(code >= 0, document[code], -1))

    @cached_property
    def _codes(self) -> "tuple[list[tuple[pd.Index[Any], pd.Index[Any]]], IntArray]":
        """How ids become codes, word by word, and the document of each code.

        For each word its distinct values, and the pairs with the code of the words before: code times number of
        values plus index of the value. The position of a pair is the next code. Longer ids are never words.
        """
        short = np.flatnonzero([len(doc.encode()) <= LONGEST for doc in self.docs])
        code: IntArray = np.zeros(len(short), dtype=np.int64)
        steps: list[tuple[pd.Index[Any], pd.Index[Any]]] = []
        for word in np.asarray(packed(self.docs[short].tolist())):
            values, own = np.unique(word, return_inverse=True)
            known, code = np.unique(code * len(values) + own, return_inverse=True)
            steps.append((_index(values), _index(known)))
        return steps, short[np.argsort(code)] if len(short) else np.zeros(1, dtype=np.int64)


def _index(values: Any) -> "pd.Index[Any]":
    """Index that threads may search at once: before pandas 3 the first search makes its table, without a lock."""
    index: pd.Index[Any] = pd.Index(values)
    index.get_indexer(index[:1])
    return index


def _find(index: "pd.Index[Any]", values: npt.NDArray[Any]) -> IntArray:
    """Positions of values in an index, -1 for those that are not there."""
    return index.get_indexer(pd.Index(values))


class Entries(NamedTuple):
    """What a run returned: for each line the positions of topic and document among the judgments, or -1."""

    topics: IntArray
    docs: IntArray
    ids: IntArray  # (words, n): numbers that sort as the ids of the documents do
    scores: FloatArray


def entries(run: Columns, judged: Judgments) -> Entries:
    """Entries of the lines of a run."""
    topics = judged.topics.get_indexer(pd.Index(run.topics))[run.topic]
    return Entries(topics, judged.match(run), run.ids, run.values)


def grades_by_rank(name: str, found: Entries, judged: Judgments, *, depth: int, float32: bool = False) -> IntArray:
    """Grades of the lists for all topics of the judgments, (topics, depth); ``ENDED`` after the end of a list."""
    topics, docs, ids, scores = found
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
