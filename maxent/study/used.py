"""How many lists a study used, why others were left out, and what other options would keep, in words."""

from collections.abc import Iterator

import pandas as pd

from maxent.data.collection import Collection
from maxent.display import many
from maxent.errors import ProblemError
from maxent.study.options import READINGS, StudyOptions
from maxent.study.summary import left_out
from maxent.study.topics import SOLVED, discard_checkpoint, lists_kept

MANY = 0.25  # share of the lists; where as many have too few documents, another limit may be wanted
KEYS = ["run_id", "query_id"]


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
    few = table.loc[table["status"] == "too_few", KEYS].drop_duplicates()
    many_few = len(few) >= MANY * len(table.drop_duplicates(KEYS))
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


def lists_used(table: pd.DataFrame) -> Iterator[str]:
    """Lines on how many lists the means are over, how many were left out, and why."""
    counts = left_out(table)
    solved = counts[counts["status"].isin(SOLVED)].groupby("measure", sort=False)["lists"].sum()
    solved = solved.reindex(counts["measure"].unique(), fill_value=0)
    topics = table.loc[table["status"].isin(SOLVED), "query_id"].nunique()
    used = f"{_span(solved)} used, of {many(topics, 'topic')}" if topics else "none used"
    yield f"{len(table.drop_duplicates(KEYS))} lists; {used}"
    rest = counts[~counts["status"].isin(SOLVED)]
    for (status, reason), rows in rest.groupby(["status", "reason"], sort=False):
        numbers = rows.set_index("measure")["lists"].reindex(solved.index, fill_value=0)
        yield f"  left out: {_span(numbers)} ({status}: {reason})"
    yield from _at_thresholds(table)
    if solved.nunique() > 1:
        yield "  the means of different measures are over different lists: compare them with care"


def _span(numbers: pd.Series) -> str:
    """A number, or from which to which measures differ."""
    least, most = int(numbers.min()), int(numbers.max())
    if least == most:
        return str(most)
    return f"{least} ({numbers.idxmin()}) to {most} ({numbers.idxmax()})"


def _at_thresholds(table: pd.DataFrame) -> Iterator[str]:
    """A line for each higher threshold with fewer lists, as topics or lists may have no document of such grades."""
    solved = table[table["status"].isin(SOLVED)]
    if solved.empty or "threshold" not in table:
        return
    measure = solved["measure"].iloc[0]
    own = solved[solved["measure"] == measure].groupby("threshold")["query_id"].agg(["size", "nunique"])
    first = own["size"].iloc[0]
    for threshold, lists, topics in own.iloc[1:].itertuples(name=None):
        if lists < first:
            fewer = f"{first - lists} have no document of grade {threshold} or higher to draw a curve of"
            yield f"  t={threshold}: {lists} used, of {many(topics, 'topic')}; {fewer}"
