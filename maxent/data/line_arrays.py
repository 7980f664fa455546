"""Checked lines of a run or of judgments as arrays."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from maxent.data.rows import LINE, NUMBERED
from maxent.data.select_topics import name_some
from maxent.errors import InputError, warn_of_input
from maxent.texts import many
from maxent.types import BoolArray, FloatArray, IntArray

Texts: TypeAlias = npt.NDArray[np.object_]
Repeated: TypeAlias = Literal["error", "unequal", "first", "keep"]
"""What happens if a topic lists a document twice: ``error`` raises, ``unequal`` raises unless the numbers are
equal, ``first`` keeps the first line, ``keep`` keeps all lines."""

POOL = pa.system_memory_pool()  # pyarrow's usual one keeps what threads have freed
COMMENTS = "lines that begin with # and do not have the columns, skipped"
_LOOK = 1 << 19  # lines after which repetitions are looked for before the end


class Ids(NamedTuple):
    """Ids of lines, each distinct id stored once."""

    names: Any  # the distinct ids, an array of pyarrow in the order of first appearance
    codes: IntArray  # (lines,): position of each line's id among the names, which may have ids without a line

    @classmethod
    def joined(cls, parts: Sequence["Ids"]) -> "Ids":
        """The ids of all parts, one after the other."""
        arrays = [pa.DictionaryArray.from_arrays(part.codes, part.names) for part in parts]
        chunks = pa.chunked_array(arrays, NUMBERED).unify_dictionaries(POOL).chunks
        names = chunks[0].dictionary  # that of all chunks
        return cls(names, np.concatenate([chunk.indices.to_numpy() for chunk in chunks]))

    def only(self, chosen: BoolArray) -> "Ids":
        """The ids of some of the lines."""
        return self._replace(codes=self.codes[chosen])

    def texts(self) -> Texts:
        """The id of each line."""
        names: Texts = self.names.to_numpy(zero_copy_only=False)
        return names[self.codes]


class Columns(NamedTuple):
    """The lines of a run or of judgments."""

    title: str  # of a file or a table, for errors
    unit: str  # LINE or ROW
    lines: npt.NDArray[Any]  # (n,) numbers of the lines, or labels of the rows
    topics: Ids
    docs: Ids
    values: npt.NDArray[Any]  # (n,) scores or grades
    tags: Ids | None = None  # the name of the run of each line, if it has one
    ranks: FloatArray | None = None  # (n,) of a run with ranks, NaN for those that are no numbers
    by_rank: bool = False  # whether ranks take the place of scores
    blank: int = 0  # rows besides these whose rating is blank
    repeated: int = 0  # lines besides these that repeat a document of their topic
    comments: int = 0  # lines besides these that are comments

    def only(self, chosen: BoolArray) -> "Columns":
        """Some of the lines."""
        return self._replace(
            lines=self.lines[chosen],
            topics=self.topics.only(chosen),
            docs=self.docs.only(chosen),
            values=self.values[chosen],
            tags=None if self.tags is None else self.tags.only(chosen),
            ranks=None if self.ranks is None else self.ranks[chosen],
        )

    def of_topics(self, topics: Iterable[str]) -> "Columns":
        """The lines of some topics, and these topics only."""
        chosen = np.isin(self.topics.names.to_numpy(zero_copy_only=False), list(topics))
        lines = self.only(chosen[self.topics.codes])
        new_codes = np.cumsum(chosen) - 1  # of the chosen names, which are numbered anew
        names = self.topics.names.filter(pa.array(chosen))
        return lines._replace(topics=Ids(names, new_codes[lines.topics.codes]))

    def frame(self, value: str) -> pd.DataFrame:
        """Table with the columns query_id, doc_id, ``value``, and run_id if there is a tag."""
        table = {"query_id": self.topics.texts(), "doc_id": self.docs.texts(), value: self.values}
        return pd.DataFrame(table if self.tags is None else table | {"run_id": self.tags.texts()})

    def place(self, row: int) -> str:
        """Where a line is, for errors."""
        return f"{self.title}{self.unit}{self.lines[row]}"

    def place_within(self, row: int) -> str:
        """Where a line is, for errors that have named its file or table."""
        return f"{'line' if self.unit == LINE else 'row'} {self.lines[row]}"

    def pairs(self) -> IntArray:
        """Number of the pair of topic and document of each line, (lines,)."""
        return self.topics.codes.astype(np.int64) * len(self.docs.names) + self.docs.codes

    def again(self) -> BoolArray:
        """Whether an earlier line has the same topic and document, (lines,)."""
        return pd.Series(self.pairs()).duplicated().to_numpy()

    def once(self, repeated: Repeated, what: str = "document") -> "Columns":
        """One line for each document of a topic; errors call the document ``what``."""
        if repeated == "keep":
            return self
        again = self.again()
        if not again.any():
            return self
        once = self.only(~again)._replace(repeated=int(again.sum()))
        if repeated == "first":
            return once
        # where a line repeats an earlier one, is this an error?
        _, first_of_pair, pair = np.unique(self.pairs(), return_index=True, return_inverse=True)
        first_line = first_of_pair[pair]  # (lines,) with the same topic and document
        wrong = self.values != self.values[first_line] if repeated == "unequal" else again
        if not wrong.any():
            return once
        row = int(np.argmax(wrong))
        topic = self.topics.names[self.topics.codes[row]].as_py()
        doc = self.docs.names[self.docs.codes[row]].as_py()
        expected = "once, or with equal numbers" if repeated == "unequal" else "once"
        raise InputError(
            f"{self.place(row)}: {what} {doc!r} twice in topic {topic!r} "
            f"(first in {self.place_within(first_line[row])}), expected {expected}"
        )


def distinct_ranks(lines: Columns) -> Columns:
    """The same lines; InputError if two documents of a topic have the same rank in place of a score."""
    if lines.by_rank:
        once = lines.once("first")
        codes, scores = pd.factorize(once.values)
        ranks = Ids(pa.array(-scores.astype(np.int64)), codes)
        once._replace(docs=ranks).once("error", "rank")  # a rank twice is found as a document twice would be
    return lines


def rated(judgments: Columns) -> Columns:
    """The same judgments; warnings count comments, and rows with a blank rating, whose documents are not judged."""
    blank_note = f"{judgments.title}: {many(judgments.blank, 'row')} with a blank rating, not judged"
    if not len(judgments.lines):
        contents = blank_note if judgments.blank else f"{judgments.title}: empty"
        raise InputError(f"{contents}, expected at least one rating")
    if judgments.blank:
        warn_of_input(blank_note)
    if judgments.comments:
        warn_of_input(_comments_note(judgments))
    return judgments


def _comments_note(lines: Columns) -> str:
    return f"{lines.title}: {COMMENTS}: {many(lines.comments, 'line')}"


def run_table(run: Columns) -> pd.DataFrame:
    """Table of a run; a warning counts comments."""
    if run.comments:
        warn_of_input(_comments_note(run))
    return run.frame("score")


def judgment_table(judgments: Columns) -> pd.DataFrame:
    """Table of judgments; a warning names the queries that it lacks, because none of their documents is judged."""
    names = judgments.topics.names.to_numpy(zero_copy_only=False)
    without = np.bincount(judgments.topics.codes, minlength=len(names)) == 0
    if without.any():
        absent = name_some(names[without].tolist())
        warn_of_input(f"{judgments.title}: without a judged document, not in the table: {absent}")
    return judgments.frame("relevance")


def one_run(lines: Columns) -> Columns:
    """The same lines; InputError if they are of several runs."""
    if lines.tags is None:
        return lines
    differs = lines.tags.codes != lines.tags.codes[:1]
    if differs.any():
        row = int(np.argmax(differs))
        expected, tag = (lines.tags.names[lines.tags.codes[k]].as_py() for k in (0, row))
        first = lines.place_within(0)
        raise InputError(
            f"{lines.place(row)}: run id {tag!r}, expected {expected!r} as in {first}: a file holds one run"
        )
    return lines


def runs_of(lines: Columns) -> list[Columns]:
    """The lines of each run, in the order of the first appearance of its name."""
    if lines.tags is None or len(lines.tags.names) == 1:
        return [lines]
    return [
        run._replace(tags=Ids(lines.tags.names.slice(k, 1), np.zeros(len(run.lines), np.int32)))
        for k in range(len(lines.tags.names))
        if len((run := lines.only(lines.tags.codes == k)).lines)
    ]


def joined(parts: Iterable[Columns], repeated: Repeated, *, several: bool = False) -> list[Columns]:
    """The lines of all parts of a file, a run each if there are ``several``, and each document of a topic once.

    Repetitions are looked for before the end: a file may be one line repeated.
    """

    def runs() -> list[Columns]:
        lines = _concatenated(read)
        return [run.once(repeated) for run in (runs_of(lines) if several else [one_run(lines)])]

    read: list[Columns] = []
    size, next_check = 0, _LOOK
    for part in parts:
        read.append(part)
        size += len(part.lines)
        if size >= next_check:
            runs()  # only to raise its errors
            next_check = 2 * size
    return runs()


def _concatenated(parts: Sequence[Columns]) -> Columns:
    """The lines of all parts, which have the same columns, one after the other."""
    if len(parts) == 1:
        return parts[0]
    ranks = [part.ranks for part in parts if part.ranks is not None]
    tags = [part.tags for part in parts if part.tags is not None]
    return parts[0]._replace(
        lines=np.concatenate([part.lines for part in parts]),
        topics=Ids.joined([part.topics for part in parts]),
        docs=Ids.joined([part.docs for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        tags=Ids.joined(tags) if tags else None,
        ranks=np.concatenate(ranks) if ranks else None,
        blank=sum(part.blank for part in parts),
        comments=sum(part.comments for part in parts),
    )
