"""What a result says of its collection: name, size and reading, and for a page its grades, runs and topics."""

from typing import Any

import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import collection_name
from maxent.data.inputs import Qrels, Runs
from maxent.errors import visible
from maxent.results.content import Fact, Holdings, Share, Table
from maxent.results.page.html_tables import number_text
from maxent.results.question import announce
from maxent.results.schema import Column, Schema
from maxent.studies.columns import RUN, TOPIC

RUNS = Schema(RUN, Column("missing", "topics for which the run has no documents: an empty list"))
"""Columns of the runs of a collection."""
TOPICS = Schema(
    TOPIC,
    Column("nonrelevant", "judged documents that are not relevant", "grade 0"),
    Column("grade_{k}", "judged documents of grade {k}", "grade {k}"),
)
"""Columns of the topics of a collection."""


def heading(
    collection: Collection,
    runs: Runs | Collection | None,
    qrels: Qrels | None,
    options: str,
    *,
    title: str | None = None,
    is_in_finding: bool = False,
) -> dict[str, Any]:
    """Title, introduction, reading and collection of a result; logs the introduction before the work.

    The introduction has the options unless the finding has them.
    """
    name = title or collection_name(runs, qrels)
    reading = "" if is_in_finding else f"; {options}"
    introduction = f"{visible(name)}: {collection.size}{reading}\n"
    announce(introduction)
    reading = f"{options}, depth={collection.depth}"
    return {"title": name, "introduction": introduction, "reading": reading, **of_collection(collection)}


def of_collection(collection: Collection) -> dict[str, Any]:
    """The collection of a result, and what a page shows of it."""
    tables = (runs_table(collection), topics_table(collection))
    holdings = Holdings(tuple(sizes(collection)), grade_shares(collection), tables)
    return {"collection": collection, "holdings": holdings}


def sizes(collection: Collection) -> list[Fact]:
    """Runs, topics, depth and grades."""
    empty = len(collection.without_relevant)
    without = f" and {empty} without relevant documents" if empty else ""
    judged = int(collection.relevant.sum() + collection.judged_nonrelevant.sum())
    grades = f"1 to {collection.levels}" if collection.levels > 1 else "1"
    topics = f"{number_text(len(collection.topics))}{without}"
    return [
        Fact("runs", number_text(len(collection.runs)), "systems, each with one run"),
        Fact("topics", topics, "queries with at least one relevant document"),
        Fact("depth", number_text(collection.depth), "ranks of a list that count"),
        Fact("grades", grades, "positive relevance grades; 0 is not relevant or unjudged"),
        Fact("judgments", number_text(judged), "judged documents of these topics"),
    ]


def grade_shares(collection: Collection) -> tuple[Share, ...]:
    """Histogram of the grades of all judgments, a bar for each grade."""
    numbers = [int(collection.judged_nonrelevant.sum()), *collection.relevant.sum(axis=0).tolist()]
    total, most = max(sum(numbers), 1), max(*numbers, 1)  # 1 without judgments, so that bars are empty
    bars = []
    for grade, number in enumerate(numbers):
        text = f"{number_text(number)} ({number_text(number / total, share=True)})"
        bars.append(Share(f"grade {grade}", text, number / most, grade))
    return tuple(bars)


def topics_table(collection: Collection) -> Table:
    """Topics with the number of judged documents of each grade."""
    frame = pd.DataFrame({"query_id": collection.topics, "nonrelevant": collection.judged_nonrelevant})
    for grade, numbers in enumerate(collection.relevant.T, 1):
        frame[f"grade_{grade}"] = numbers
    return Table(name="topics", title="Topics", frame=frame, schema=TOPICS, places=("page",), closed=True)


def runs_table(collection: Collection) -> Table:
    """All runs, one per row, with the number of topics for which each has no list."""
    frame = pd.DataFrame({"run_id": collection.runs, "missing": collection.missing.sum(axis=0)})
    return Table(name="runs", title="Runs", frame=frame, schema=RUNS, places=("page",), closed=True)
