"""One run looked at closely: its lists, their judgments, ties, ranks and repetitions."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from maxent.data.entries import trec_order
from maxent.data.inputs import is_file, run_table
from maxent.data.judgments import Judgments
from maxent.data.lines import read_bytes
from maxent.data.sources import Source
from maxent.data.tables import check_table, finite_scores, ids
from maxent.data.trec import run_lines
from maxent.errors import InputError
from maxent.types import BoolArray, FloatArray, IntArray


class InspectedRun(NamedTuple):
    """What is in a run.

    Attributes
    ----------
    name : str
        Its name, or its tag.
    file : str
        Path of its file; empty for a table.
    tagged : bool
        Whether the name is the tag of a file.
    topics : list of str
        Topics of its lists.
    missing, unknown : list of str
        Topics of the judgments without a list, and topics of lists without judgments; empty without judgments.
    foreign : bool
        Whether the judgments have none of its documents; False without judgments.
    facts : dict
        Numbers of the table of runs, see :class:`maxent.Check`.
    """

    name: str
    file: str
    tagged: bool
    topics: list[str]
    missing: list[str]
    unknown: list[str]
    foreign: bool
    facts: dict[str, Any]


def inspected_run(
    source: Source, judged: Judgments | None, *, depth: int, topics: Collection[str] | None, first: bool
) -> InspectedRun:
    """What is in a run, or in its lists of some topics.

    Parameters
    ----------
    source : Source
        The run.
    judged : Judgments or None
        Judgments of the topics, if they can be read.
    depth : int
        Ranks that count.
    topics : collection of str or None
        Topics whose lists are looked at; None stands for all.
    first : bool
        Whether the first line counts of a document that comes twice.

    Raises
    ------
    InputError
        If the run cannot be read, or has no list for these topics.
    """
    name, run = source
    file = str(run) if is_file(run) else ""
    if is_file(run):
        _, table = run_lines(run, read_bytes(run), first=first)
    else:
        table = run_table(f"run {name!r}", run)
        check_table(f"run {name!r}", table, ("query_id", "doc_id", "score"))
    title = file or f"run {name!r}"
    if topics is not None:
        table = table[pd.Index(ids(title, table, "query_id")).isin(list(topics))]
        if table.empty:
            raise InputError(f"{title}: no list for the chosen topics")
    topic, of_lists = pd.factorize(ids(title, table, "query_id"))
    doc, docs = pd.factorize(ids(title, table, "doc_id"), sort=True)
    scores = finite_scores(title, table)
    once = ~pd.Series(topic * len(docs) + doc).duplicated().to_numpy()
    ranks = pd.to_numeric(table["rank"], errors="coerce").to_numpy(np.float64) if "rank" in table else None
    order = np.flatnonzero(once)[trec_order(topic[once], scores[once], doc[once][None])]
    facts: dict[str, Any] = {"topics": len(of_lists), "lines": len(table)}
    known, missing = np.full(len(of_lists), -1), np.zeros(0, dtype=object)
    if judged is not None:
        known = judged.topics.get_indexer(pd.Index(of_lists))
        missing = judged.topics.delete(known[known >= 0]).to_numpy(dtype=object)
    places = np.full(len(docs), -1) if judged is None else judged.docs.get_indexer(pd.Index(docs))
    graded = _graded(judged, known[topic[order]], places, doc[order])
    facts |= _lists(topic[order], scores[order], graded, known >= 0, depth)
    facts |= dict.fromkeys(("rank_differs", "rank_against"))
    if ranks is not None:
        within_ties = np.flatnonzero(once)[np.lexsort((ranks[once], -scores[once], topic[once]))]
        facts["rank_differs"] = _falling(topic[order], ranks[order])
        facts["rank_against"] = _falling(topic[within_ties], ranks[within_ties])
    facts["repeated"] = int((~once).sum())
    unknown = [] if judged is None else of_lists[known < 0].tolist()
    tag = str(table["run_id"].iloc[0]) if file else ""
    foreign = judged is not None and not (places >= 0).any()
    return InspectedRun(name or tag, file, not name, of_lists.tolist(), missing.tolist(), unknown, foreign, facts)


def _graded(judged: Judgments | None, topics: IntArray, places: IntArray, doc: IntArray) -> BoolArray:
    """Whether documents of topics (positions among the judgments) have a grade of at least 0."""
    if judged is None:
        return np.zeros(len(doc), dtype=np.bool_)
    return judged.look_up(topics, places[doc]) >= 0


def _lists(topic: IntArray, scores: FloatArray, graded: BoolArray, known: BoolArray, depth: int) -> dict[str, Any]:
    """Facts about lists, whose entries are in trec_eval's order."""
    lengths = np.bincount(topic)
    place = np.arange(len(topic)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    tied = (topic[1:] == topic[:-1]) & (scores[1:] == scores[:-1]) & (place[:-1] < depth)

    def share(k: int) -> float:
        of_lists = np.bincount(topic, weights=graded & (place < k)) / np.minimum(lengths, k)
        return float(of_lists[known].mean()) if known.any() else float("nan")

    return {
        "shortest": int(lengths.min()),
        "longest": int(lengths.max()),
        "judged_10": share(10),
        "judged": share(depth),
        "tied": len(np.unique(topic[:-1][tied])),
    }


def _falling(topic: IntArray, ranks: FloatArray) -> int:
    """Number of lists in which the rank falls somewhere; equal ranks and those that are no numbers do not fall."""
    falls = (topic[1:] == topic[:-1]) & (ranks[1:] < ranks[:-1])
    return len(np.unique(topic[1:][falls]))
