"""Parts of a page about the data: sizes, grades, runs and topics."""

import pandas as pd

from maxent.data.collection import Collection
from maxent.results.content import Fact, Share, Table
from maxent.results.page.tables import number_text
from maxent.results.schema import Column, Schema

RUNS = Schema(
    Column("run_id", "name of the run, which is the system", "run", "name"),
    Column("missing", "topics for which the run has no documents: an empty list"),
)
TOPICS = Schema(
    Column("query_id", "a query with its judgments", "topic", "name"),
    Column("nonrelevant", "judged documents that are not relevant", "grade 0"),
    Column("grade_{k}", "judged documents of grade {k}", "grade {k}"),
)


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
    total, most = max(sum(numbers), 1), max(*numbers, 1)
    return tuple(
        Share(f"grade {grade}", f"{number_text(n)} ({number_text(n / total, share=True)})", n / most, grade)
        for grade, n in enumerate(numbers)
    )


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
