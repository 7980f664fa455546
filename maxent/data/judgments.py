"""Relevance judgments as arrays, in which the grades of a run's documents are looked up in trec_eval's order."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any
from unicodedata import normalize

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pyarrow.compute import (
    index_in,
    invert,
    is_in,
    replace_substring_regex,
    sort_indices,
    utf8_lower,
    utf8_normalize,
)

from maxent.data.inputs import Qrels, Runs, qrels_columns, run_columns
from maxent.data.line_arrays import POOL, Columns, Ids, Texts
from maxent.data.rows import TEXT
from maxent.data.select_topics import wanted_topics
from maxent.data.sources import sources
from maxent.data.trec import Duplicates
from maxent.errors import InputError
from maxent.limits import GRADE, HIGHEST, too_large
from maxent.types import BoolArray, FloatArray, IntArray

UNJUDGED = -1  # in place of a grade; negative grades as well
ENDED = -2  # in place of a grade, after the end of a list
_FLOAT = re.compile(r"\d+\.0")  # an id that a table of floats had
_PREFIX = re.compile(r"^.*(\D(?=\d+$)|[:/])")  # of an id, in tools that add one


@dataclass(frozen=True, eq=False)
class Judgments:
    """Qrels as a sparse matrix: a key combines topic ``key // len(docs)`` and document ``key % len(docs)``."""

    topics: "pd.Index[str]"
    docs: Any  # distinct ids, an array of pyarrow
    keys: "pd.Index[Any]"
    grades: IntArray  # UNJUDGED for a negative one

    @classmethod
    def of(cls, qrels: Columns | pd.DataFrame) -> "Judgments":
        """Judgments of lines, or of a table."""
        lines = qrels if isinstance(qrels, Columns) else qrels_columns(qrels)
        if (highest := int(lines.values.max(initial=0))) > HIGHEST:
            place = lines.place(int(lines.values.argmax()))
            raise InputError(f"{place}: relevance {highest}, expected an integer up to {HIGHEST}")
        if reason := too_large("the highest grade", highest, GRADE):
            raise InputError(f"{lines.title}: {reason}")
        keys = lines.topics.codes.astype(np.int64) * len(lines.docs.names) + lines.docs.codes
        grades = lines.values.clip(UNJUDGED).astype(np.int16)
        topics: Texts = lines.topics.names.to_numpy(zero_copy_only=False)
        return cls(_index(topics), lines.docs.names, _index(keys), grades)

    def select(self, topics: Iterable[str] | None) -> IntArray:
        """Positions, ascending, of topics given by ids or a text; None selects all topics."""
        if topics is None:
            return np.arange(len(self.topics))
        wanted = wanted_topics(topics, list(self.topics), "the qrels have")
        return np.flatnonzero(self.topics.isin(wanted))

    def count(self, levels: int | None = None) -> IntArray:
        """Number of documents of each grade 0, 1, ..., (topics, levels + 1); by default up to the highest."""
        highest = int(self.grades.max(initial=0))
        if levels is not None and not highest <= levels:
            topic = self.topics[int(self.keys[int(self.grades.argmax())]) // len(self.docs)]
            raise InputError(f"qrels: topic {topic!r} has grade {highest}, expected at most levels={levels}")
        grades = 1 + (highest if levels is None else levels)
        judged = self.grades >= 0
        topics = self.keys.to_numpy()[judged] // len(self.docs)
        cells = topics * grades + self.grades[judged]  # of the table, row by row
        return np.bincount(cells, minlength=len(self.topics) * grades).reshape(-1, grades)

    @property
    def is_gold(self) -> bool:
        """Whether no document is judged 0: others may be relevant, or not."""
        return not (self.grades == 0).any()

    def look_up(self, topics: IntArray, docs: IntArray) -> IntArray:
        """Grades of documents, ``UNJUDGED`` if a document has none; position -1 is a document without judgment."""
        places = self._places(topics, docs)
        return np.where(places >= 0, self.grades[places], np.int16(UNJUDGED))

    def unmatched(self, run: Columns) -> str:
        """Reason why no document of a run is judged, with an id of run and qrels; empty if one is judged."""
        topics, docs = self.positions(run)
        if (self._places(topics, docs) >= 0).any():
            return ""
        if len(topics) and (topics < 0).all():
            return f"no topic in common with the qrels: {_unlike_ids(run.topics, self.topics.tolist())}"
        return f"no document is judged: {_unlike_ids(run.docs, self.docs.to_pylist())}"

    def _places(self, topics: IntArray, docs: IntArray) -> IntArray:
        """Position of the judgment of each pair of topic and document, of the same shape; -1 if there is none."""
        return _find(self.keys, np.where(docs >= 0, topics * len(self.docs) + docs, -1))

    def positions(self, run: Columns) -> tuple[IntArray, IntArray]:
        """Positions of the topic and of the document of each line of a run, (lines,) each; -1 for absent ones."""
        topics = _find(self.topics, run.topics.names.to_numpy(zero_copy_only=False))
        return topics[run.topics.codes], self.match(run.docs)

    def match(self, docs: Ids) -> IntArray:
        """Position of each document in the qrels, (documents,); -1 for a document without judgment."""
        places = index_in(docs.names, value_set=self.docs, memory_pool=POOL).fill_null(-1)
        return np.asarray(places.to_numpy()[docs.codes])


def read_judgments(runs: Runs, qrels: Qrels, duplicates: Duplicates) -> Judgments:
    """Read judgments; an error points out that runs and qrels are swapped."""
    try:
        return Judgments.of(qrels_columns(qrels, duplicates=duplicates))
    except InputError as error:
        try:  # they are swapped if each can be read as the other
            Judgments.of(qrels_columns(runs))
            for source in sources(qrels):
                run_columns("run", source.run)
        except InputError:
            raise error from None
        raise InputError(f"{error} (runs and qrels swapped? The runs come first)") from None


def _unlike_ids(ids: Ids, judged: Sequence[str]) -> str:
    """An id of the run and one of the qrels, for an error: the same id in two forms, or the first id of each."""
    # those that have a line; all if none has, as where documents are their own queries
    names_of_run = ids.names.take(pa.array(np.unique(ids.codes))) if len(ids.codes) else ids.names
    names = names_of_run.to_pylist()
    judged_of_form = {_form(name): name for name in judged}
    of_run, of_qrels = names[0], judged[0]
    for name in names:
        same = judged_of_form.get(_form(name), name)
        if same != name:
            of_run, of_qrels = name, same
            break
    floats = [who for who, ids_of in (("run", names), ("qrels", judged)) if all(map(_FLOAT.fullmatch, ids_of))]
    reason = f"the run has {of_run!a}, the qrels have {of_qrels!a}"
    if len(floats) == 1:
        reason += f"; those of the {floats[0]} became floats: write them after .astype('Int64')"
    alike = matching(names_of_run, pa.array(judged, TEXT), "ids")
    return f"{reason}; {alike}" if alike else reason


def matching(ids_of_run: Any, judged: Any, what: str) -> str:
    """How many ids of a run that no judgment has would match in another form, and in which; empty if none would.

    The form is the one of fewest ``CHANGES`` in which most match.
    """
    ids = ids_of_run.filter(invert(is_in(ids_of_run, value_set=judged)))
    if not is_in(_changed(ids, CHANGES), value_set=_changed(judged, CHANGES)).true_count:
        return ""
    best, best_changes = 0, tuple[str, ...]()
    for number in range(1, len(CHANGES) + 1):
        for changes in combinations(CHANGES, number):
            count = is_in(_changed(ids, changes), value_set=_changed(judged, changes)).true_count
            if count > best:
                best, best_changes = count, changes
    return f"{best} of {len(ids)} {what} match after {' and '.join(best_changes)}" if best else ""


CHANGES: Mapping[str, Callable[[Any], Any]] = {
    "Unicode normalisation (NFKC)": partial(utf8_normalize, form="NFKC"),
    "removing blanks": partial(replace_substring_regex, pattern=r"\s+", replacement=""),
    "lower-casing": utf8_lower,
}
"""Changes, in this order, after which ids of a run may match those of judgments: arrays of pyarrow."""


def _changed(ids: Any, changes: Iterable[str]) -> Any:
    for change in changes:
        ids = CHANGES[change](ids)
    return ids


def _form(name: str) -> str:
    """Id without the parts that tools change: blanks, case, Unicode forms, prefixes, leading zeros."""
    return _PREFIX.sub("", normalize("NFKC", name).strip().casefold()).lstrip("0")


def _index(values: Any) -> "pd.Index[Any]":
    """Index for concurrent searches: before pandas 3 the first search builds the hash table without a lock."""
    index: pd.Index[Any] = pd.Index(values)
    index.get_indexer(index[:1])
    return index


def _find(index: "pd.Index[Any]", values: npt.NDArray[Any]) -> IntArray:
    """Positions of values in an index, -1 for absent values."""
    return index.get_indexer(pd.Index(values))


def same_id_as_topic(run: Columns) -> BoolArray:
    """Whether the document of each line has the id of its topic, as where queries are documents."""
    places = index_in(run.docs.names, value_set=run.topics.names, memory_pool=POOL).fill_null(-1)
    return np.asarray(places.to_numpy()[run.docs.codes] == run.topics.codes)


def in_single_precision(scores: FloatArray) -> FloatArray:
    """Scores rounded to single precision, as in trec_eval up to version 9; they may become infinite or 0."""
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32)


def trec_order(topics: IntArray, scores: FloatArray, ids: Ids) -> IntArray:
    """Order of entries by topic, score descending, document id descending."""
    lines = pa.record_batch({"topic": topics, "score": scores, "doc": ids.names.take(pa.array(ids.codes))})
    keys = [("topic", "ascending"), ("score", "descending"), ("doc", "descending")]
    order: IntArray = sort_indices(lines, keys).to_numpy()
    return order
