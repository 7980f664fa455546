"""Inspection of one run: its lists, their judgments, ties, ranks and repetitions."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from maxent.data.judgments import Judgments, same_id_as_topic
from maxent.data.line_arrays import COMMENTS
from maxent.data.run_lists import RunLists
from maxent.data.sources import ReadRun
from maxent.data.ties import means_over_ties
from maxent.errors import InputError
from maxent.texts import many, percent
from maxent.types import BoolArray, FloatArray, IntArray

FIRST = 10  # documents of a list that people look at
LITTLE = 0.5  # share of the first documents judged, below which a run is odd
SHOWN_TOPICS, SHOWN_RUNS = 5, 8  # in a line
REPEATED = "documents listed twice in a topic"
UNLIKE = "ids that would match those of the judgments in another form"
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
    unlike: str  # ids that would match judgments in another form
    by_ties: str  # how far its means depend on the order of ties; empty if they do not
    facts: dict[str, Any]


def inspected_run(
    run: ReadRun,
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
    # 1. the lines of the run; whether its documents are judged is asked of all topics
    lines = run.lines
    if not queries:
        lines = lines.only(~same_id_as_topic(lines))
    unmatched = "" if judged is None else judged.unmatched(lines)
    if topics is not None:
        lines = lines.only(np.isin(lines.topics.texts(), list(topics)))
    if not len(lines.lines):
        raise InputError(f"{run.title}: no list for the chosen topics")
    # 2. its lists, and the topics that only the run or only the judgments have
    lists = RunLists.of(lines.once("first"), float32=float32)
    has_judgments = np.zeros(len(lists.topics), np.bool_)
    missing: list[str] = []
    unknown: list[str] = []
    if judged is not None:
        has_judgments = lists.among(judged.topics) >= 0
        unknown = lists.topics[~has_judgments].tolist()
        wanted = judged.topics if topics is None else judged.topics[judged.topics.isin(topics)]
        missing = wanted[~wanted.isin(lists.topics)].tolist()
    facts = _facts(lists, judged, has_judgments, depth) | {"lines": len(lines.lines)}
    return InspectedRun(
        name=run.name,
        file=run.file,
        tagged=run.tagged,
        topics=lists.topics.tolist(),
        lengths=lists.lengths.tolist(),
        missing=missing,
        unknown=unknown,
        unmatched=unmatched,
        unlike=unlike_ids(lists, judged, facts["judged_10"], enough=1) if judged is not None else "",
        by_ties=_by_ties(lists, judged, depth) if judged is not None and facts["tied"] else "",
        facts=facts,
    )


def _by_ties(lists: RunLists, judged: Judgments, depth: int) -> str:
    """Lowest and highest mean of each measure that the order of ties changes, in the digits that are shown."""
    means = means_over_ties(lists, judged, min(depth, int(lists.lengths.max())))
    shown = {measure: tuple(f"{mean:.4f}" for mean in pair) for measure, pair in means.items()}
    return ", ".join(f"{measure} {low} to {high}" for measure, (low, high) in shown.items() if low != high)


def _facts(lists: RunLists, judged: Judgments | None, has_judgments: BoolArray, depth: int) -> dict[str, Any]:
    """Numbers of the table of runs; shares are means over the lists whose topic ``has_judgments`` (lists,)."""
    shares = {"judged_10": float("nan"), "judged": float("nan")}
    if judged is not None and has_judgments.any():
        for name, first in (("judged_10", FIRST), ("judged", depth)):
            shares[name] = float(lists.judged_shares(judged, first)[has_judgments].mean())
    differs = against = None
    if lists.run.ranks is not None:
        differs, against = int(lists.rank_differs().sum()), int(lists.rank_against().sum())
    return shares | {
        "topics": len(lists.topics),
        "shortest": int(lists.lengths.min()),
        "longest": int(lists.lengths.max()),
        "tied": int(lists.tied(depth).sum()),
        "rank_differs": differs,
        "rank_against": against,
        "itself": int(lists.with_topic().sum()),
        "repeated": lists.run.repeated,
        "comments": lists.run.comments,
    }


def unlike_ids(lists: RunLists, judged: Judgments, judged_10: float, enough: float = LITTLE) -> str:
    """Ids that would match judgments in another form, where less than ``enough`` or not all topics are judged."""
    has_unknown = (lists.among(judged.topics) < 0).any()
    return lists.unlike(judged, FIRST) if has_unknown or not judged_10 >= enough else ""


class Remarks(NamedTuple):
    """What reading shows of a run and a Collection has no array for; arrays are (topics,)."""

    itself: BoolArray  # whether the list has the query itself
    rank_against: BoolArray  # whether its ranks go against its scores
    rank_differs: BoolArray  # whether its ranks are another order, perhaps only of tied scores
    unknown: tuple[str, ...]  # topics of lists without judgments
    unlike: str  # ids that would match judgments in another form
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
    gold: bool = False,
    unknown: Sequence[str] = (),
    unlike: str = "",
    repeated: int = 0,
    comments: int = 0,
    **odd_lists: int | None,
) -> Iterator[tuple[str, str]]:
    """Findings about a run, and details; ``odd_lists`` has numbers of lists by the names in ``ODD_LISTS``.

    With ``gold`` judgments, none of which is 0, few documents are judged in any run.
    """
    if repeated:
        yield REPEATED, many(repeated, "line")
    if len(missing):
        yield "topics without a list", listed(missing)
    if unlike:
        yield UNLIKE, unlike
    if judged_10 < LITTLE and not gold:
        yield f"less than {LITTLE:.0%} of the first {FIRST} documents judged", percent(judged_10)
    if tied:
        yield "lists with tied scores, ordered by document id", f"{tied} of {lists}"
    if len(unknown):
        yield "lists of topics without judgments", listed(unknown)
    for name, finding in ODD_LISTS.items():
        if name == "rank_differs" and odd_lists.get("rank_against"):
            continue  # they differ for a better reason than ties
        if odd_lists.get(name):
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
    gold: bool,
    remarks: Sequence[Remarks],
) -> tuple[str, ...]:
    """A line for each oddity of runs; the arrays are those of a Collection, and so are the remarks, if any."""
    runs_of: dict[str, list[str]] = {}  # by finding
    lists = (~missing).sum(axis=0)  # (runs,)
    mean_judged_10 = judged_10.sum(axis=0) / np.where(lists, lists, np.nan)  # over lists that are there
    for k, run in enumerate(runs):
        absent = [topics[place] for place in np.flatnonzero(missing[:, k]).tolist()]
        facts: dict[str, Any] = {
            "judged_10": mean_judged_10[k],
            "gold": gold,
            "tied": tied[:, k].sum(),
            "lists": lists[k],
        }
        if remarks:
            facts |= {name: getattr(remarks[k], name) for name in ("unknown", "unlike", "repeated", "comments")}
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
