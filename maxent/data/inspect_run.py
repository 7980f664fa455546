"""One run looked at closely: its lists, their judgments, ties, ranks and repetitions."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from maxent.data.inputs import is_file, run_columns
from maxent.data.judgments import Judgments, trec_order
from maxent.data.lines import as_text, title_of
from maxent.data.sources import Source
from maxent.errors import InputError
from maxent.types import BoolArray, FloatArray, IntArray


class InspectedRun(NamedTuple):
    """What is in a run: ``facts`` are numbers of the table of runs, see :class:`maxent.data.Check`."""

    name: str  # or its tag
    file: str  # empty for a table
    tagged: bool  # whether the name is the tag of a file
    topics: list[str]  # of its lists
    missing: list[str]  # topics of the judgments without a list
    unknown: list[str]  # topics of lists without judgments
    foreign: bool  # whether the judgments have none of its documents
    facts: dict[str, Any]


def inspected_run(
    source: Source, judged: Judgments | None, *, depth: int, topics: Collection[str] | None
) -> InspectedRun:
    """What is in a run, or in its lists of some topics, as far as ``depth``, and what of it is judged."""
    name, given = source
    file = as_text(given) if is_file(given) else ""
    title = title_of(given) if is_file(given) else f"run {name!r}"
    run = run_columns(title, given, repeated="keep", ranks=True)
    if topics is not None:
        run = run.only(np.isin(run.topics.texts(), list(topics)))
        if not len(run.lines):
            raise InputError(f"{title}: no list for the chosen topics")
    found, topic = np.unique(run.topics.codes, return_inverse=True)
    of_lists = run.topics.names.to_numpy(zero_copy_only=False)[found]
    once = ~run.again()
    order = np.flatnonzero(once)[trec_order(topic[once], run.values[once], run.docs.only(once))]
    facts: dict[str, Any] = {"topics": len(of_lists), "lines": len(topic)}
    known, missing = np.full(len(of_lists), -1), np.zeros(0, dtype=object)
    docs, graded = np.full(len(topic), -1), np.zeros(len(order), dtype=np.bool_)
    if judged is not None:
        known = judged.topics.get_indexer(pd.Index(of_lists))
        missing = judged.topics.delete(known[known >= 0]).to_numpy(dtype=object)
        docs = judged.match(run.docs)
        graded = judged.look_up(known[topic[order]], docs[order]) >= 0
    facts |= _lists(topic[order], run.values[order], graded, known >= 0, depth)
    facts |= dict.fromkeys(("rank_differs", "rank_against"))
    if run.ranks is not None:
        ranks = run.ranks
        within_ties = np.flatnonzero(once)[np.lexsort((ranks[once], -run.values[once], topic[once]))]
        facts["rank_differs"] = _falling(topic[order], ranks[order])
        facts["rank_against"] = _falling(topic[within_ties], ranks[within_ties])
    facts["repeated"] = int((~once).sum())
    unknown = [] if judged is None else of_lists[known < 0].tolist()
    foreign = judged is not None and not (docs >= 0).any()
    tag = str(run.tag) if file else ""
    return InspectedRun(name or tag, file, not name, of_lists.tolist(), missing.tolist(), unknown, foreign, facts)


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
