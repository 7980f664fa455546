"""Runs and relevance judgments as arrays.

Studies and comparisons use a `Collection`: the grades of every ranked list, and the number of documents of each
grade in every topic. Lists are ordered as in trec_eval: by descending score, then by descending document id.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from maxent.data.inspect_run import Remarks, notes_of
from maxent.data.lengths import mixed_lengths, typical_length
from maxent.errors import InputError
from maxent.shown import Shown
from maxent.texts import many
from maxent.types import BoolArray, FloatArray, IntArray

ALL = slice(None)
DepthBy = Literal["given", "longest", "typical"]


@dataclass(frozen=True, eq=False)
class Collection(Shown):
    """Ranked lists and judgments as read-only arrays.

    Attributes
    ----------
    runs : tuple of str
        Names of the runs, in the order given or, with ``by_name``, sorted.
    topics : tuple of str
        Chosen topics with at least one relevant document, in the order of their first appearance in the qrels.
    grades : array (topics, runs, depth) of int16
        Relevance grade at each rank; 0 for unjudged documents and after the end of a list.
    nonrelevant : array (topics, runs, depth) of bool
        Whether the document at each rank is judged exactly 0, neither unjudged nor below 0.
    relevant : array (topics, levels) of int64
        R_i: number of documents of grade i = 1, 2, ... in the qrels.
    judged_nonrelevant : array (topics,) of int64
        Number of documents judged exactly 0 in the qrels.
    lengths : array (topics, runs) of int64
        Number of documents of each list within the depth.
    judged_10 : array (topics, runs) of float64
        Share of judged documents among the first 10 of each list, or among all within the depth if there are fewer.
    tied : array (topics, runs) of bool
        Whether a document within the depth has the same score as the next one.
    without_relevant : tuple of str
        Chosen topics that are excluded because they have no relevant document.
    depth_by : {"given", "longest", "typical"}
        How the depth was chosen: by the caller, or as the length of the longest list, or the typical length.
    cut : int
        Number of lists that are longer than a depth that the caller did not choose.
    remarks : tuple
        For each run what reading shows besides: lists of unknown topics, ranks that go against scores, repetitions;
        empty if nothing is known.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> collection = me.collect(runs, qrels, depth=100)
    >>> collection
    Collection(3 runs x 4 topics, depth 100, grades 1 to 2)
    >>> collection.grades.shape
    (4, 3, 100)
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    grades: IntArray
    nonrelevant: BoolArray
    relevant: IntArray
    judged_nonrelevant: IntArray
    lengths: IntArray
    judged_10: FloatArray
    tied: BoolArray
    without_relevant: tuple[str, ...]
    depth_by: DepthBy = "given"
    cut: int = 0
    remarks: tuple[Remarks, ...] = ()

    def __post_init__(self) -> None:
        for name in ("grades", "nonrelevant", "relevant", "judged_nonrelevant", "lengths", "judged_10", "tied"):
            array = getattr(self, name)
            if not isinstance(array, np.ndarray):
                raise InputError(f"Collection: {name} is a {type(array).__name__}, expected an array")
            array.setflags(write=False)

    @property
    def size(self) -> str:
        """Numbers of runs, topics, ranks and grades in words."""
        grades = f"grades 1 to {self.levels}" if self.levels > 1 else "one grade"
        depth = f"depth {self.depth}"
        if self.depth_by == "typical" and self.cut:
            are = "is" if self.cut == 1 else "are"
            depth += f" ({self.cut} of {many(int((~self.missing).sum()), 'list')} {are} longer and {are} cut)"
        return f"{many(len(self.runs), 'run')} x {many(len(self.topics), 'topic')}, {depth}, {grades}"

    def __repr__(self) -> str:
        return f"Collection({self.size})"

    def to_frame(self) -> pd.DataFrame:
        """Contents of the collection as a table with the columns ``quantity`` and ``is``."""
        rows = {
            "runs": ", ".join(self.runs),
            "topics": ", ".join(self.topics),
            "documents of each grade": ", ".join(map(str, self.relevant.sum(axis=0))),
            "lists that are missing from their run": int(self.missing.sum()),
            "topics excluded, without relevant documents": ", ".join(self.without_relevant) or "none",
        }
        return pd.DataFrame(rows.items(), columns=["quantity", "is"])

    @property
    def depth(self) -> int:
        """Length of the ranked lists, N."""
        return int(self.grades.shape[2])

    @property
    def missing(self) -> BoolArray:
        """Whether the run has no document for the topic, (topics, runs)."""
        return np.asarray(self.lengths == 0)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Caution that many lists do not reach half of the depth, so that most of their ranks are padding."""
        return tuple(filter(None, [mixed_lengths(self.lengths, self.depth)]))

    def of_typical_length(self) -> "Collection":
        """The lists as studies take them: cut to their typical length, unless the depth was given.

        Padding would change what a value says about a list, so a few long lists must not set the depth for all.
        """
        if self.depth_by != "longest":
            return self
        depth = typical_length(self.lengths)
        cut = int((self.lengths > depth).sum()) if depth < self.depth else self.cut
        return replace(self.part(depth=depth), depth_by="typical", cut=cut)

    @cached_property
    def used(self) -> BoolArray:
        """Whether some topic has documents of a grade, for each positive grade, (levels,)."""
        return np.asarray(self.relevant.any(axis=0))

    @property
    def levels(self) -> int:
        """Highest relevance grade, c."""
        return int(self.relevant.shape[1])

    @property
    def notes(self) -> tuple[str, ...]:
        """Oddities of the runs, one line each; :func:`maxent.check` finds more."""
        return notes_of(
            self.runs,
            self.topics,
            missing=self.missing,
            judged_10=self.judged_10,
            tied=self.tied,
            gold=not self.judged_nonrelevant.any(),
            remarks=self.remarks,
        )

    def part(
        self, *, topics: slice | IntArray = ALL, runs: slice | BoolArray = ALL, depth: int | None = None
    ) -> "Collection":
        """Collection of some topics, runs and ranks; ``without_relevant`` is empty if topics are chosen."""
        topic_names, run_names = np.array(self.topics, dtype=object), np.array(self.runs, dtype=object)
        chosen_runs = np.arange(len(self.runs))[runs].tolist()
        by_topic = ("relevant", "judged_nonrelevant")  # fields whose arrays are (topics, ...)
        by_list = ("judged_10", "tied")  # (topics, runs)
        by_rank = ("grades", "nonrelevant")  # (topics, runs, depth)
        return replace(
            self,
            runs=tuple(run_names[runs].tolist()),
            topics=tuple(topic_names[topics].tolist()),
            lengths=np.minimum(self.lengths[topics][:, runs], depth or self.depth),
            depth_by=self.depth_by if depth is None else "given",
            cut=self.cut if topics is ALL and runs is ALL and depth is None else 0,
            without_relevant=self.without_relevant if topics is ALL else (),
            remarks=tuple(self.remarks[k].of_topics(topics) for k in chosen_runs) if self.remarks else (),
            **{name: getattr(self, name)[topics] for name in by_topic},
            **{name: getattr(self, name)[topics][:, runs] for name in by_list},
            **{name: np.ascontiguousarray(getattr(self, name)[topics][:, runs, :depth]) for name in by_rank},
        )
