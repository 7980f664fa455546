"""The lists of a run in trec_eval's order: where its lines stand, and what the lists look like."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from maxent.data.judgments import ENDED, Judgments, in_single_precision, matching, same_id_as_topic, trec_order
from maxent.data.line_arrays import Columns, Texts
from maxent.data.rows import TEXT
from maxent.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RunLists:
    """The lists of a run, each document once. An entry is a line at its place, by list, then by rank."""

    run: Columns
    topics: Texts  # (lists,) ids of their topics
    lengths: IntArray  # (lists,)
    list_of_line: IntArray  # (lines,)
    lines: IntArray  # (entries,) the line of each entry
    list_of: IntArray  # (entries,)
    rank_of: IntArray  # (entries,) 0, 1, ...
    scores: FloatArray  # (entries,)

    @classmethod
    def of(cls, run: Columns, *, float32: bool = False) -> "RunLists":
        """The lists of a run's lines, in the order of their topics' first appearance."""
        # 1. lists: the topics among the names that have a line
        lines_of_topic = np.bincount(run.topics.codes, minlength=len(run.topics.names))
        has_list = lines_of_topic > 0
        topics = run.topics.names.to_numpy(zero_copy_only=False)[has_list]
        lengths = lines_of_topic[has_list]
        list_of_topic = np.cumsum(has_list, dtype=np.int32) - 1
        list_of_line = list_of_topic[run.topics.codes]
        # 2. entries: the lines in order
        scores = in_single_precision(run.values) if float32 else run.values
        lines = trec_order(list_of_line, scores, run.docs)
        list_of = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        start_of_list = np.cumsum(lengths) - lengths
        rank_of = np.arange(len(lines)) - np.repeat(start_of_list, lengths)
        return cls(run, topics, lengths, list_of_line, lines, list_of, rank_of, scores[lines])

    def among(self, topics: "pd.Index[str]") -> IntArray:
        """Position of the topic of each list among these topics, (lists,); -1 for others."""
        return topics.get_indexer(pd.Index(self.topics))

    def for_topics(self, topics: "pd.Index[str]") -> IntArray:
        """The list of each of these topics, (topics,); -1 for those without one."""
        return pd.Index(self.topics).get_indexer(topics)

    def tied(self, depth: int) -> BoolArray:
        """Whether a document within the depth has the same score as the next one, (lists,)."""
        same_list = self.list_of[1:] == self.list_of[:-1]
        tie = same_list & (self.scores[1:] == self.scores[:-1]) & (self.rank_of[:-1] < depth)
        return self._any(self.list_of[:-1][tie])

    def with_topic(self) -> BoolArray:
        """Whether a list has a document with the id of its topic, (lists,)."""
        return self._any(self.list_of_line[same_id_as_topic(self.run)])

    def rank_differs(self, depth: int | None = None) -> BoolArray:
        """Whether the ranks within the depth, as the run has them, are not in this order, (lists,)."""
        lists, _, ranks = self._ranks(depth)
        is_lower = (lists[1:] == lists[:-1]) & (ranks[1:] < ranks[:-1])
        return self._any(lists[1:][is_lower])

    def rank_against(self, depth: int | None = None) -> BoolArray:
        """Whether the ranks within the depth go against the scores, however ties are broken, (lists,)."""
        lists, scores, ranks = self._ranks(depth)
        # 1. groups: entries of a list with the same score; none if there are no entries
        changes = 1 + np.flatnonzero((lists[1:] != lists[:-1]) | (scores[1:] != scores[:-1]))
        starts = np.concatenate(([0], changes))[: len(lists)]
        lowest, highest = np.fmin.reduceat(ranks, starts), np.fmax.reduceat(ranks, starts)
        list_of_group = lists[starts]
        # 2. no order of ties explains an entry whose rank is better than one of the score above
        same_list = list_of_group[1:] == list_of_group[:-1]
        is_against = same_list & (lowest[1:] < highest[:-1])
        return self._any(list_of_group[1:][is_against])

    def _ranks(self, depth: int | None) -> tuple[IntArray, FloatArray, FloatArray]:
        """List, score and rank, as the run has it, of the entries within the depth; none of a run without ranks."""
        if self.run.ranks is None:
            return self.list_of[:0], self.scores[:0], np.zeros(0)
        ranks = self.run.ranks[self.lines]
        within = self.rank_of < (len(self.lines) if depth is None else depth)
        return self.list_of[within], self.scores[within], ranks[within]

    def _any(self, lists: IntArray) -> BoolArray:
        """Whether a list is among these, (lists,)."""
        return np.bincount(lists, minlength=len(self.lengths)) > 0

    def judged_shares(self, judged: Judgments, first: int) -> FloatArray:
        """Share of judged documents among the first ones of each list, (lists,)."""
        is_first = self.rank_of < first
        lists, lines = self.list_of[is_first], self.lines[is_first]
        topics = self.among(judged.topics)[lists]
        is_judged = judged.look_up(topics, judged.match(self.run.docs)[lines]) >= 0
        numbers = np.bincount(lists, weights=is_judged, minlength=len(self.lengths))
        return np.asarray(numbers / np.minimum(self.lengths, first))

    def unlike(self, judged: Judgments, first: int) -> str:
        """How many ids of topics, and of the first documents of lists, would match judgments in another form."""
        is_first = self.rank_of < first
        docs = np.unique(self.run.docs.codes[self.lines[is_first]])
        ids = self.run.docs.names.take(pa.array(docs))
        matches = (
            matching(pa.array(self.topics, TEXT), pa.array(judged.topics, TEXT), "topics without judgments"),
            matching(ids, judged.docs, f"unjudged documents among the first {first}"),
        )
        return ", ".join(filter(None, matches))

    def ranked(self, lists: IntArray, depth: int) -> IntArray:
        """The line at each rank of some lists, (number, depth); -1 after the end, and where a list is -1."""
        row_of_list = np.full(len(self.lengths) + 1, -1)
        row_of_list[lists] = np.arange(len(lists))
        row_of_list[-1] = -1  # which a list -1 has written
        rows = row_of_list[self.list_of]  # (entries,)
        wanted = (rows >= 0) & (self.rank_of < depth)
        ranked = np.full((len(lists), depth), -1)
        ranked[rows[wanted], self.rank_of[wanted]] = self.lines[wanted]
        return ranked


def grades_of(ranked: IntArray, run: Columns, judged: Judgments) -> IntArray:
    """Grades of the lists of all judged topics, (topics, depth), given their lines; ``ENDED`` after the end."""
    topics, ranks = np.nonzero(ranked >= 0)
    docs = judged.match(run.docs)[ranked[topics, ranks]]
    grades = np.full(ranked.shape, ENDED, dtype=np.int16)
    grades[topics, ranks] = judged.look_up(topics, docs)
    return grades
