"""Inspection of one run: its lists, their judgments, ties, ranks and repetitions."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from maxent.data.inputs import is_file, run_columns
from maxent.data.judgments import Judgments, entries, in_single_precision, same_id_as_topic, trec_order
from maxent.data.line_arrays import COMMENTS
from maxent.data.lines import as_text, title_of
from maxent.data.sources import Source
from maxent.errors import InputError
from maxent.texts import many, percent
from maxent.types import BoolArray, FloatArray, IntArray

FIRST = 10  # documents of a list that people look at
LITTLE = 0.5  # share of the first documents judged, below which a run is odd
SHOWN_TOPICS, SHOWN_RUNS = 5, 8  # in a line
REPEATED = "documents listed twice in a topic"
ODD_LISTS = {  # by the number of lists that are so
    "itself": "lists with the query itself, which ignore_identical_ids leaves out",
    "rank_against": "lists whose ranks go against their scores, which count",
    "rank_differs": "lists with other ranks where scores are tied",
}


class InspectedRun(NamedTuple):
    """Contents of a run: ``facts`` are numbers of the table of runs, see :func:`maxent.check`."""

    name: str  # or its tag
    file: str  # empty for a table
    tagged: bool  # whether the name is the tag of a file
    topics: list[str]  # of its lists
    lengths: list[int]  # of its lists
    missing: list[str]  # topics of the judgments without a list
    unknown: list[str]  # topics of lists without judgments
    unmatched: str  # why none of its documents is judged, if none is
    facts: dict[str, Any]


def inspected_run(
    source: Source,
    judged: Judgments | None,
    *,
    depth: int,
    topics: Collection[str] | None,
    queries: bool,
    float32: bool = False,
) -> InspectedRun:
    """Contents of a run, or of its lists for some topics, down to ``depth``, and shares of judged documents.

    Documents with the id of their topic (the query itself) are excluded unless ``queries``.
    """
    name, raw_run = source
    file = as_text(raw_run) if is_file(raw_run) else ""
    title = title_of(raw_run) if is_file(raw_run) else f"run {name!r}"
    run = run_columns(title, raw_run, repeated="keep")
    run = run if queries else run.only(~same_id_as_topic(run))
    run = run._replace(values=in_single_precision(run.values)) if float32 else run
    unmatched = "" if judged is None else judged.unmatched(run, entries(run, judged))
    if topics is not None:
        run = run.only(np.isin(run.topics.texts(), list(topics)))
    if not len(run.lines):
        raise InputError(f"{title}: no list for the chosen topics")
    topic_codes, topic = np.unique(run.topics.codes, return_inverse=True)
    of_lists = run.topics.names.to_numpy(zero_copy_only=False)[topic_codes]
    once = ~run.again()
    order = np.flatnonzero(once)[trec_order(topic[once], run.values[once], run.docs.only(once))]
    facts: dict[str, Any] = {"topics": len(of_lists), "lines": len(topic)}
    places, missing = np.full(len(of_lists), -1), np.zeros(0, dtype=object)
    graded = np.zeros(len(order), dtype=np.bool_)
    if judged is not None:
        places = judged.topics.get_indexer(pd.Index(of_lists))
        wanted = judged.topics if topics is None else judged.topics[judged.topics.isin(topics)]
        missing = wanted[~wanted.isin(of_lists)].to_numpy(dtype=object)
        graded = judged.look_up(places[topic[order]], judged.match(run.docs)[order]) >= 0
    facts |= _lists(topic[order], run.values[order], graded, places >= 0, depth)
    facts |= dict.fromkeys(("rank_differs", "rank_against"))
    if run.ranks is not None:
        differing, against = other_ranks(topic[order], run.values[order], run.ranks[order])
        facts |= {"rank_differs": len(differing), "rank_against": len(against)}
    facts["itself"] = len(np.unique(topic[same_id_as_topic(run)]))
    facts |= {"repeated": int((~once).sum()), "comments": run.comments}
    unknown = [] if judged is None else of_lists[places < 0].tolist()
    tag = run.tags.names[0].as_py() if file and run.tags else ""
    return InspectedRun(
        name or tag, file, not name, of_lists.tolist(), np.bincount(topic[once]).tolist(), missing.tolist(),
        unknown, unmatched, facts,
    )  # fmt: skip


class Remarks(NamedTuple):
    """What reading shows of a run and a Collection has no array for; arrays are (topics,)."""

    itself: BoolArray  # whether the list has the query itself
    rank_against: BoolArray  # whether its ranks go against its scores
    rank_differs: BoolArray  # whether its ranks are another order, perhaps only of tied scores
    unknown: tuple[str, ...]  # topics of lists without judgments
    repeated: int  # lines that repeat a document of their topic
    comments: int  # lines of its file that are comments

    def of_topics(self, topics: slice | IntArray) -> "Remarks":
        """Remarks on the lists of some topics."""
        lists = {name: getattr(self, name)[topics] for name in ("itself", "rank_against", "rank_differs")}
        return self._replace(**lists)


def oddities(
    missing: Sequence[str],
    *,
    judged_10: float,
    tied: int,
    lists: int,
    unknown: Sequence[str] = (),
    repeated: int = 0,
    comments: int = 0,
    **odd_lists: int | None,
) -> Iterator[tuple[str, str]]:
    """Findings about a run, and details; ``odd_lists`` has numbers of lists by the names in ``ODD_LISTS``."""
    if repeated:
        yield REPEATED, many(repeated, "line")
    if len(missing):
        yield "topics without a list", listed(missing)
    if judged_10 < LITTLE:
        yield f"less than {LITTLE:.0%} of the first {FIRST} documents judged", percent(judged_10)
    if tied:
        yield "lists with tied scores, ordered by document id", f"{tied} of {lists}"
    if len(unknown):
        yield "lists of topics without judgments", listed(unknown)
    for name, finding in ODD_LISTS.items():
        if odd_lists.get(name) and not (name == "rank_differs" and odd_lists.get("rank_against")):
            yield finding, f"{odd_lists[name]} of {lists}"
    if comments:
        yield COMMENTS, many(comments, "line")


def notes_of(
    runs: Sequence[str],
    topics: Sequence[str],
    *,
    missing: BoolArray,
    judged_10: FloatArray,
    tied: BoolArray,
    remarks: Sequence[Remarks],
) -> tuple[str, ...]:
    """A line for each oddity of runs; the arrays are those of a Collection, and so are the remarks, if any."""
    runs_of: dict[str, list[str]] = {}
    lists = (~missing).sum(axis=0)
    judged = judged_10.sum(axis=0) / np.where(lists, lists, np.nan)
    for k, run in enumerate(runs):
        absent = [topics[place] for place in np.flatnonzero(missing[:, k]).tolist()]
        facts: dict[str, Any] = {"judged_10": judged[k], "tied": tied[:, k].sum(), "lists": lists[k]}
        if remarks:
            facts |= {"unknown": remarks[k].unknown, "repeated": remarks[k].repeated}
            facts["comments"] = remarks[k].comments
            facts |= {name: getattr(remarks[k], name).sum() for name in ODD_LISTS}
        for finding, detail in oddities(absent, **facts):
            runs_of.setdefault(finding, []).append(f"{run} ({detail})")
    return tuple(about_runs(finding, names) for finding, names in runs_of.items())


def listed(topics: Sequence[str]) -> str:
    """Number of topics, and the first of them."""
    return f"{len(topics)}: {', '.join(topics[:SHOWN_TOPICS])}{', ...' if len(topics) > SHOWN_TOPICS else ''}"


def about_runs(finding: str, runs: Sequence[str]) -> str:
    """One line: a finding, and the runs it concerns with their details."""
    more = f", and {len(runs) - SHOWN_RUNS} more" if len(runs) > SHOWN_RUNS else ""
    return f"{finding}: {', '.join(runs[:SHOWN_RUNS])}{more}"


def _lists(topic: IntArray, scores: FloatArray, graded: BoolArray, judged: BoolArray, depth: int) -> dict[str, Any]:
    """Facts about the lists of a run, from entries in trec_eval's order.

    ``topic``, ``scores`` and ``graded`` have an element for each entry: position of its list, score, whether the
    document is judged. ``judged`` says for each list whether its topic has judgments.
    """
    lengths = np.bincount(topic)
    place = np.arange(len(topic)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    tied = (topic[1:] == topic[:-1]) & (scores[1:] == scores[:-1]) & (place[:-1] < depth)

    def share(k: int) -> float:
        of_lists = np.bincount(topic, weights=graded & (place < k)) / np.minimum(lengths, k)
        return float(of_lists[judged].mean()) if judged.any() else float("nan")

    return {
        "shortest": int(lengths.min()),
        "longest": int(lengths.max()),
        "judged_10": share(FIRST),
        "judged": share(depth),
        "tied": len(np.unique(topic[:-1][tied])),
    }


def other_ranks(topic: IntArray, scores: FloatArray, ranks: FloatArray) -> tuple[IntArray, IntArray]:
    """Lists whose ranks differ from the order of their entries, which is trec_eval's; those also without ties.

    The arrays have an element for each entry: position of its list, score, rank in the file; NaN is no rank.
    """
    same_list = topic[1:] == topic[:-1]
    differing = topic[1:][same_list & (ranks[1:] < ranks[:-1])]
    changes = 1 + np.flatnonzero(~same_list | (scores[1:] != scores[:-1]))
    starts = np.concatenate(([0], changes))[: len(topic)]  # of entries with the same score
    lowest, highest, lists = np.fmin.reduceat(ranks, starts), np.fmax.reduceat(ranks, starts), topic[starts]
    against = lists[1:][(lists[1:] == lists[:-1]) & (lowest[1:] < highest[:-1])]
    return np.unique(differing), np.unique(against)
