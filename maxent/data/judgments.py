"""Relevance judgments as arrays, in which runs look up the grades of their documents."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from maxent.data.tables import check_table, distinct_keys, finite_numbers, require
from maxent.errors import InputError
from maxent.limits import GRADE, Limit, too_large
from maxent.types import IntArray

UNJUDGED = -1  # in place of a grade; negative grades as well
_MAX_GRADE = np.iinfo(np.int16).max


@dataclass(frozen=True, eq=False)
class Judgments:
    """Qrels as a sparse matrix: a key stands for topic ``key // len(docs)`` and document ``key % len(docs)``."""

    topics: "pd.Index[str]"
    docs: "pd.Index[str]"
    keys: "pd.Index[Any]"
    grades: IntArray  # UNJUDGED for a negative one

    @classmethod
    def of(cls, qrels: pd.DataFrame, *, limit: Limit | None = GRADE) -> "Judgments":
        """Judgments of a table with the columns query_id, doc_id and relevance (up to ``limit``, if any)."""
        check_table("qrels", qrels, ("query_id", "doc_id", "relevance"))
        keys, topics, docs = distinct_keys("qrels", qrels)
        grades = finite_numbers("qrels", qrels, "relevance", "an integer")
        right = (grades == np.floor(grades)) & (grades <= _MAX_GRADE)
        require(right, "qrels", qrels, "relevance", f"an integer up to {_MAX_GRADE}")
        if limit is not None and (reason := too_large("the highest grade", int(grades.max()), limit)):
            raise InputError(f"qrels: {reason}")
        return cls(_index(topics), _index(docs), _index(keys), grades.clip(UNJUDGED).astype(np.int16))

    def select(self, topics: Iterable[str] | None) -> IntArray:
        """Positions of the chosen topics, ascending; None chooses all."""
        if topics is None:
            return np.arange(len(self.topics))
        if not isinstance(topics, Iterable):
            raise InputError(f"topics is {topics!r}, expected several ids")
        if isinstance(topics, str):
            raise InputError(f"topics is the text {topics!r}, expected ids; select_topics makes them of a text")
        wanted = {str(topic) for topic in topics}
        if unknown := wanted.difference(self.topics):
            raise InputError(f"topics: the qrels have no topic {min(unknown)!r}")
        return np.flatnonzero(self.topics.isin(wanted))

    def count(self, levels: int | None = None) -> IntArray:
        """Number of documents of each grade 0, 1, ..., (topics, levels + 1).

        Parameters
        ----------
        levels : int, optional
            Highest grade; default: that of the judgments.

        Raises
        ------
        InputError
            If a judgment has a higher grade.
        """
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

    def match(self, packed: IntArray) -> IntArray:
        """Positions of documents whose ids are given as words (words, n), see ``columns``; -1 for others."""
        steps, document = self._codes
        code = np.zeros(packed.shape[1], dtype=np.int64)
        for number, (values, known) in enumerate(steps):
            word = packed[number] if number < len(packed) else np.zeros(1, dtype=np.uint64)  # the id has ended
            own = _find(values, word)
            code = np.where((code >= 0) & (own >= 0), _find(known, code * len(values) + own), -1)
        code[packed[len(steps) :].any(axis=0)] = -1
        return np.asarray(np.where(code >= 0, document[code], -1))

    @cached_property
    def _codes(self) -> "tuple[list[tuple[pd.Index[Any], pd.Index[Any]]], IntArray]":
        """How ids become codes, word by word, and the document of each code.

        For each word its distinct values, and the pairs with the code of the words before: code times number of
        values plus index of the value. The position of a pair is the next code.
        """
        texts = np.array([doc.encode() for doc in self.docs])
        width = -(-texts.itemsize // 8)
        words = texts.astype(f"S{8 * width}").view(">u8").reshape(len(texts), width).T.astype(np.uint64)
        code: IntArray = np.zeros(len(texts), dtype=np.int64)
        steps: list[tuple[pd.Index[Any], pd.Index[Any]]] = []
        for word in words:
            values, own = np.unique(word, return_inverse=True)
            known, code = np.unique(code * len(values) + own, return_inverse=True)
            steps.append((_index(values), _index(known)))
        return steps, np.argsort(code)


def _index(values: Any) -> "pd.Index[Any]":
    """Index that threads may search at once: before pandas 3 the first search makes its table, without a lock."""
    index: pd.Index[Any] = pd.Index(values)
    index.get_indexer(index[:1])
    return index


def _find(index: "pd.Index[Any]", values: IntArray) -> IntArray:
    """Positions of values in an index, -1 for those that are not there."""
    return index.get_indexer(pd.Index(values))
