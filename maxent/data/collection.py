"""Runs and relevance judgments as arrays.

Studies and comparisons work on a `Collection`: the grades of every ranked list, and the number of documents of each
grade in every topic. The order of a list is trec_eval's: score descending, then document id descending.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from maxent.data.tables import check_table, distinct_keys, finite_numbers, ids, require
from maxent.errors import InputError
from maxent.types import BoolArray, IntArray

Runs = pd.DataFrame | Iterable[pd.DataFrame] | Mapping[str, pd.DataFrame]

_RANGE = re.compile(r"([0-9]+)\s*-\s*([0-9]+)")
_MAX_GRADE = np.iinfo(np.int16).max
_UNJUDGED = -1  # in place of a grade: unjudged, or judged below 0
_ENDED = -2  # in place of a grade: after the last document of a list


@dataclass(frozen=True, eq=False)
class Collection:
    """Ranked lists and judgments as read-only arrays.

    Attributes
    ----------
    runs : tuple of str
        Names of the runs, in the order given.
    topics : tuple of str
        Chosen topics with at least one relevant document, in order of first appearance in the qrels.
    grades : array (topics, runs, depth) of int16
        Relevance grade at each rank; 0 for unjudged documents and after the end of a list.
    nonrelevant : array (topics, runs, depth) of bool
        Whether the document at each rank has a judgment of exactly 0 (it is not unjudged, nor below 0).
    relevant : array (topics, levels) of int64
        R_i: number of documents of grade i = 1, 2, ... in the qrels.
    judged_nonrelevant : array (topics,) of int64
        Number of documents with a judgment of exactly 0 in the qrels.
    missing : array (topics, runs) of bool
        Whether the run has no document for the topic.
    without_relevant : tuple of str
        Chosen topics that are left out because they have no relevant document.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    grades: IntArray
    nonrelevant: BoolArray
    relevant: IntArray
    judged_nonrelevant: IntArray
    missing: BoolArray
    without_relevant: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.grades, self.nonrelevant, self.relevant, self.judged_nonrelevant, self.missing):
            array.setflags(write=False)

    @property
    def depth(self) -> int:
        """Length of the ranked lists, N."""
        return int(self.grades.shape[2])

    @property
    def levels(self) -> int:
        """Highest relevance grade, c."""
        return int(self.relevant.shape[1])


def collect(
    runs: Runs,
    qrels: pd.DataFrame,
    *,
    depth: int = 1000,
    topics: Iterable[str] | None = None,
    float32: bool = False,
) -> Collection:
    """Collection with the grades of all ranked lists, as looked up in the qrels.

    Parameters
    ----------
    runs : DataFrame, iterable of DataFrame, or mapping of name to DataFrame
        Columns ``query_id``, ``doc_id``, ``score`` and ``run_id``. The names in a mapping replace ``run_id``;
        a single table without ``run_id`` is called ``run``.
    qrels : DataFrame
        Columns ``query_id``, ``doc_id``, ``relevance``. Negative judgments count as grade 0; for Bpref they count
        as unjudged.
    depth : int
        Length of the lists, N: longer lists are cut, shorter ones padded with grade 0.
    topics : iterable of str, optional
        Topics to use; default: all of the qrels. The levels are always those of the whole qrels.
    float32 : bool
        Compare scores in single precision, as trec_eval does up to version 9.

    Returns
    -------
    Collection
        Grades of every list, and counts of every topic with a relevant document.

    Raises
    ------
    InputError
        If a table is malformed (the message names table, row and value), a topic is unknown, no chosen topic has a
        relevant document, two runs have the same name, or runs and qrels have nothing in common.

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
    if depth < 1:
        raise InputError(f"depth is {depth}, expected at least 1")
    judged = _Judgments.of(qrels)
    chosen = judged.select(topics)
    counts = judged.count()
    relevant = counts[:, 1:]
    kept = chosen[relevant[chosen].any(axis=1)]
    if not kept.size:
        raise InputError("topics: none of the chosen has a relevant document in the qrels, expected at least one")
    lists: dict[str, IntArray] = {}
    judged_any = False
    for name, frame in _named(runs):
        if name in lists:
            raise InputError(f"two runs are called {name!r}: give a mapping of different names to tables")
        lists[name] = _lists(f"run {name!r}", frame, judged, depth, float32)[kept]
        judged_any = judged_any or bool(frame["doc_id"].astype(str).isin(judged.docs).any())
    if not lists:
        raise InputError("no runs, expected at least one")
    if not judged_any:
        raise InputError("no document of any run is judged: are these the judgments of another collection?")
    grades = np.stack(list(lists.values()), axis=1)
    return Collection(
        runs=tuple(lists),
        topics=tuple(judged.topics[kept]),
        grades=grades.clip(min=0),
        nonrelevant=grades == 0,
        relevant=relevant[kept],
        judged_nonrelevant=counts[kept, 0],
        missing=grades[:, :, 0] == _ENDED,
        without_relevant=tuple(judged.topics[np.setdiff1d(chosen, kept)]),
    )


def select_topics(spec: str, available: Sequence[str]) -> tuple[str, ...]:
    """Topics that are selected by a text such as ``601-650,700,qtest2014.3``.

    Parameters
    ----------
    spec : str
        Ids and inclusive numeric ranges, separated by commas. An available id is taken literally, even if it
        looks like a range.
    available : sequence of str
        Topics to select from. A range selects those that are numbers within it.

    Returns
    -------
    tuple of str
        The selected topics, in the order of ``available``.

    Raises
    ------
    InputError
        If an id is not available, or no available topic is in a range.

    Examples
    --------
    >>> import maxent as me
    >>> me.select_topics("601-603,qtest2014.3", ["601", "602", "604", "qtest2014.3"])
    ('601', '602', 'qtest2014.3')
    """
    chosen: set[str] = set()
    for part in map(str.strip, spec.split(",")):
        found = {part}.intersection(available)
        if not found and (limits := _RANGE.fullmatch(part)):
            low, high = map(int, limits.groups())
            found = {topic for topic in available if topic.isdecimal() and low <= int(topic) <= high}
        if not found:
            raise InputError(f"topics {spec!r}: no topic is {part!r}")
        chosen |= found
    return tuple(topic for topic in dict.fromkeys(available) if topic in chosen)


@dataclass(frozen=True, eq=False)
class _Judgments:
    """Qrels as a sparse matrix: a key stands for topic ``key // len(docs)`` and document ``key % len(docs)``."""

    topics: "pd.Index[str]"
    docs: "pd.Index[str]"
    keys: IntArray  # ascending
    grades: IntArray  # _UNJUDGED for a negative one

    @classmethod
    def of(cls, qrels: pd.DataFrame) -> "_Judgments":
        check_table("qrels", qrels, ("query_id", "doc_id", "relevance"))
        keys, topics, docs = distinct_keys("qrels", qrels)
        grades = finite_numbers("qrels", qrels, "relevance", "an integer")
        right = (grades == np.floor(grades)) & (grades <= _MAX_GRADE)
        require(right, "qrels", qrels, "relevance", f"an integer up to {_MAX_GRADE}")
        order = np.argsort(keys)
        return cls(pd.Index(topics), pd.Index(docs), keys[order], grades[order].clip(_UNJUDGED).astype(np.int16))

    def select(self, topics: Iterable[str] | None) -> IntArray:
        """Positions of the chosen topics, ascending; None chooses all."""
        if topics is None:
            return np.arange(len(self.topics))
        if isinstance(topics, str):
            raise InputError(f"topics is the text {topics!r}, expected ids; select_topics makes them of a text")
        wanted = {str(topic) for topic in topics}
        if unknown := wanted.difference(self.topics):
            raise InputError(f"topics: the qrels have no topic {min(unknown)!r}")
        return np.flatnonzero(self.topics.isin(wanted))

    def count(self) -> IntArray:
        """Number of documents of each grade 0, 1, ..., (topics, levels + 1)."""
        levels = max(int(self.grades.max()), 0)
        judged = self.grades >= 0
        cells = self.keys[judged] // len(self.docs) * (levels + 1) + self.grades[judged]
        return np.bincount(cells, minlength=len(self.topics) * (levels + 1)).reshape(-1, levels + 1)

    def look_up(self, topics: IntArray, docs: IntArray) -> IntArray:
        """Grades of documents, ``_UNJUDGED`` where there is none; position -1 is a document without judgment."""
        keys = topics * len(self.docs) + docs
        places = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return np.where((docs >= 0) & (self.keys[places] == keys), self.grades[places], np.int16(_UNJUDGED))


def _named(runs: Runs) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every run with its name; one table may hold several runs."""
    if isinstance(runs, pd.DataFrame):
        runs = [runs] if "run_id" in runs else {"run": runs}
    if isinstance(runs, Mapping):
        yield from ((str(name), frame) for name, frame in runs.items())
    else:
        for number, frame in enumerate(runs):
            if isinstance(frame, pd.DataFrame) and "run_id" not in frame:
                raise InputError(
                    f"runs[{number}]: no column 'run_id'; add it, or give a mapping from names to tables"
                )
            check_table(f"runs[{number}]", frame, ("run_id",))
            for name, part in frame.groupby(ids(f"runs[{number}]", frame, "run_id"), sort=False):
                yield str(name), part


def _lists(table: str, run: pd.DataFrame, judged: _Judgments, depth: int, float32: bool) -> IntArray:
    """Grades of one run for all topics of the qrels, (topics, depth); ``_ENDED`` after the end of a list."""
    check_table(table, run, ("query_id", "doc_id", "score"))
    keys, topic_ids, doc_ids = distinct_keys(table, run)
    scores = finite_numbers(table, run, "score", "a finite number")
    if float32:
        with np.errstate(over="ignore", under="ignore"):  # overflow to infinity or 0, as in trec_eval
            scores = scores.astype(np.float32)
    in_run, doc_codes = np.divmod(keys, len(doc_ids))
    topics = judged.topics.get_indexer(pd.Index(topic_ids))[in_run]
    docs = judged.docs.get_indexer(pd.Index(doc_ids))[doc_codes]
    # documents are numbered in the order of their ids, so that the numbers decide ties as the ids would
    order = np.lexsort((-doc_codes, -scores, topics))
    order = order[topics[order] >= 0]
    if not order.size:
        raise InputError(f"{table}: no topic in common with the qrels, whose first is {judged.topics[0]!r}")
    topics, docs = topics[order], docs[order]
    ranks = np.arange(len(topics)) - np.searchsorted(topics, topics)
    seen = ranks < depth
    grades = np.full((len(judged.topics), depth), _ENDED, dtype=np.int16)
    grades[topics[seen], ranks[seen]] = judged.look_up(topics[seen], docs[seen])
    return grades
