"""How many lists a study used, why others were left out, and what other options would keep, in words."""

from collections.abc import Iterator

import pandas as pd

from maxent.data.collection import Collection
from maxent.errors import ProblemError
from maxent.study.compare import LIST, Lists, common_lists
from maxent.study.options import READINGS, StudyOptions
from maxent.study.topics import LEFT_OUT, SOLVED, discard_checkpoint, lists_kept
from maxent.texts import many

MANY = 0.25  # share of the lists; where as many have too few documents, another limit may be wanted


def readings_of(options: StudyOptions) -> dict[str, str]:
    """The ``count`` and ``align`` of a study."""
    return {name: value for name, value in options.reading.items() if value in READINGS}


def reading_text(options: StudyOptions) -> str:
    """The reading of a study as options: ``count=retrieved, align=recall``."""
    return ", ".join(f"{name}={value}" for name, value in readings_of(options).items())


def reading_legend(options: StudyOptions) -> tuple[str, ...]:
    """What the reading of a study is, in words."""
    return tuple(f"{name}={value}: {READINGS[value]}" for name, value in readings_of(options).items())


def list_notes(table: pd.DataFrame, collection: Collection, options: StudyOptions) -> tuple[str, ...]:
    """How many lists the means are over, how many were left out and why, and what another limit would keep."""
    return (*lists_used(table), *limits(table, collection, options))


def limits(table: pd.DataFrame, collection: Collection, options: StudyOptions) -> Iterator[str]:
    """A line on what another limit would keep, where many lists of a study have too few documents."""
    few = table.loc[table["status"] == "too_few", LIST].drop_duplicates()
    many_few = len(few) >= MANY * len(table.drop_duplicates(LIST))
    if len(few) and many_few and not options.min_retrieved_total and (kept := kept_by_limit(collection)):
        yield f"  {kept}"


def kept_by_limit(collection: Collection) -> str:
    """How many lists each --min-retrieved would keep, in words; empty if none does."""
    kept = lists_kept(collection)
    counts = ", ".join(f"{n}: {lists}" for n, lists in zip(kept["min_retrieved"], kept["lists"], strict=True))
    return f"lists that --min-retrieved would keep: {counts}" if (kept["lists"] > 0).any() else ""


def require_solved(table: pd.DataFrame, collection: Collection, options: StudyOptions) -> None:
    """Raise ProblemError if every list of a study is left out: why, and what other options would keep."""
    if table["status"].isin(SOLVED).any():
        return
    discard_checkpoint(collection, options)
    message = f"no list could be used: {'; '.join(line.strip() for line in lists_used(table))}"
    if kept := kept_by_limit(collection):
        message += f"; {kept}"
    elif any(part.any() for part in collection.grades):
        message += "; try --min-retrieved 0 --min-retrieved-total 1"
    raise ProblemError(message)


def lists_used(table: pd.DataFrame, of: str = "") -> Iterator[str]:
    """Lines on how many lists every measure solves, and why others are left out; ``of`` says whose lists."""
    within = [*LIST, "threshold"] if "threshold" in table else LIST
    lists = Lists.of(table, common_lists(table, within))
    used = f"{lists.used} solved for every measure, of {many(lists.topics, 'topic')}"
    yield f"{many(lists.all_lists, 'list')}{of}; {used}"
    for status, number in lists.reasons.items():
        yield f"  left out: {number} ({status}: {LEFT_OUT[status]})"
