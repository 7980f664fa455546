"""Notes on the lists that a study used, excluded, and would use with other options."""

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.select_topics import name_some
from maxent.errors import ProblemError
from maxent.results.finding import Lists
from maxent.stats.intervals import few_topics
from maxent.studies.options import StudyOptions
from maxent.studies.same_lists import LIST, common_lists, numbered, ranked
from maxent.studies.topics import LEFT_OUT, SOLVED, TOO_LARGE, lists_kept
from maxent.texts import many

AS_EXPECTED = "they differ there as a value is taken as an expected one"
MANY = 0.25  # share of the lists; if as many have too few documents, notes suggest other limits


class ListCounts(NamedTuple):
    """Numbers of lists of a comparison, used, in total and excluded, and of their topics."""

    lists: Lists
    topics: int  # of the lists used
    all_topics: int
    large: str = ""  # topics that have lists with too many states

    @classmethod
    def of(cls, table: pd.DataFrame, used: pd.DataFrame | None = None) -> Self:
        """Numbers for a study, by default for lists solved for every measure.

        A list that is excluded for several reasons counts for the first of these in the order of ``LEFT_OUT``.
        """
        if used is None:
            used = common_lists(table, [*LIST, "threshold"] if "threshold" in table else LIST)
        rivals = ranked(table)
        table = table if rivals.empty else rivals
        # 1. number of the list of each row
        numbers = numbered(pd.concat((used[LIST], table[LIST])))
        used_numbers, all_numbers = numbers[: len(used)], numbers[len(used) :]
        # 2. the statuses that are reasons: a status of used lists, such as constant, is none
        used_statuses = set(used["status"])
        reasons = [status for status in LEFT_OUT if status not in used_statuses]
        # 3. index of the reason of each list; lists without one, and lists that are used, come after all reasons
        reason_of = np.full(numbers.max(initial=-1) + 1, len(reasons))
        for k, status in reversed([*enumerate(reasons)]):  # the first reason of a list is written last, and stays
            reason_of[all_numbers[table["status"] == status]] = k
        reason_of[used_numbers] = len(reasons)
        excluded = np.bincount(reason_of, minlength=len(reasons))[: len(reasons)]  # lists by reason
        return cls(
            lists=Lists(
                used=len(pd.unique(used_numbers)),
                all=len(pd.unique(all_numbers)),
                reasons={status: int(n) for status, n in zip(reasons, excluded, strict=True) if n},
            ),
            topics=used["query_id"].nunique(),
            all_topics=table["query_id"].nunique(),
            large=large_topics(table),
        )

    @property
    def text(self) -> str:
        """Used lists in one line."""
        return f"{self.lists.used} of {self.lists.all} lists, {self.topics} of {self.all_topics} topics"

    def lines(self) -> Iterator[str]:
        """Lines on used and excluded lists, with reasons, where no finding has :attr:`text`."""
        used = f"{self.lists.used} solved for every measure, of {many(self.topics, 'topic')}"
        yield f"{many(self.lists.all, 'list')}; {used}"
        yield from self.excluded()

    def excluded(self, of: str = "lists") -> Iterator[str]:
        """A line for each reason for which lists are excluded; ``of`` says which lists."""
        for status, number in self.lists.reasons.items():
            topics = f"; {self.large}" if status == TOO_LARGE else ""
            yield f"{of} excluded: {number} ({status}: {LEFT_OUT[status]}{topics})"

    @property
    def cautions(self) -> tuple[str, ...]:
        """Cautions that large topics or most lists are excluded, and that few topics have unreliable intervals."""
        texts = size_cautions(self.large)
        used, every, reasons = self.lists
        if 2 * used < every:
            why = "; ".join(f"{number} ({status}: {LEFT_OUT[status]})" for status, number in reasons.items())
            texts.append(f"more than half of the lists are excluded, {every - used} of {every}: {why}")
        if self.topics == 1:
            texts.append("a single topic: no interval, so the uncertainty is unknown")
        if few := few_topics(self.topics):
            texts.append(few)
        return tuple(texts)


def large_topics(table: pd.DataFrame) -> str:
    """Topics of a study that have lists with too many states, in words; empty without such topics."""
    topics = table.loc[table["status"] == TOO_LARGE, "query_id"].unique().tolist()
    return name_some(topics) if topics else ""


def size_cautions(topics: str) -> list[str]:
    """Caution that lists of ``topics``, as from :func:`large_topics`, are excluded; none without topics."""
    return [f"lists with too many states are excluded, {TOO_LARGE}: {topics}"] if topics else []


def few_found(collection: Collection) -> str:
    """Explanation of ties between measures if most lists have at most one relevant document; else empty."""
    relevant_found = (collection.grades > 0).sum(axis=2)  # (topics, runs)
    share = float((relevant_found <= 1).mean())
    if share < 0.5:
        return ""
    alike = (
        "AP is RR times a constant on lists with one relevant document, and AP, RR, nDCG and RBP each fix its rank"
    )
    return f"{share:.0%} of the lists have at most one relevant document: {alike}; {AS_EXPECTED}"


def list_notes(
    table: pd.DataFrame, collection: Collection, options: StudyOptions, lists: ListCounts | None = None
) -> tuple[str, ...]:
    """Notes on excluded lists, and on the lists that another ``min_retrieved`` would keep.

    ``lists`` are those whose numbers a finding has; without them the notes have these numbers, too.
    """
    notes = ListCounts.of(table).lines() if lists is None else lists.excluded()
    return (*notes, *other_limit(table, collection, options))


def other_limit(table: pd.DataFrame, collection: Collection, options: StudyOptions) -> Iterator[str]:
    """A line on the lists that other values of ``min_retrieved`` would keep, if this one excludes many."""
    few = len(table.loc[table["status"] == "too_few", LIST].drop_duplicates())
    all_lists = len(table.drop_duplicates(LIST))
    if few < max(1, MANY * all_lists) or options.min_retrieved_total:
        return
    if kept := kept_by_limit(collection, options):
        yield f"  {kept}"


def kept_by_limit(collection: Collection, options: StudyOptions) -> str:
    """Numbers of lists that each ``min_retrieved`` would keep, in words; empty if all are 0."""
    lists_by_limit = lists_kept(collection, options.min_retrieved_by)
    counts = ", ".join(f"{n}: {lists}" for n, lists in lists_by_limit.items())
    return f"lists that min_retrieved would keep: {counts}" if any(lists_by_limit.values()) else ""


def require_solved(table: pd.DataFrame, collection: Collection, options: StudyOptions) -> None:
    """Raise ProblemError if every list of a study is excluded: with reasons, and options that would keep lists."""
    if table["status"].isin(SOLVED).any():
        return
    message = f"no list could be used: {'; '.join(line.strip() for line in ListCounts.of(table).lines())}"
    if kept := kept_by_limit(collection, options):
        message += f"; {kept}"
    elif collection.grades.any():  # no limit from 1 on keeps a list, but some list has a relevant document
        message += "; try min_retrieved=0"
    raise ProblemError(message)
