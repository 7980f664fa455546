"""What a report says about its data: sizes, grades, lists that were left out, runs and topics."""

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.reports.content import Share, Table
from maxent.reports.tables import number_text, table_of
from maxent.study.summary import left_out
from maxent.study.topics import SOLVED

Fact = tuple[str, str, str]


def sizes(collection: Collection) -> list[Fact]:
    """Runs, topics, depth and grades."""
    topics = len(collection.topics)
    empty = len(collection.without_relevant)
    without = f" and {empty} without relevant documents" if empty else ""
    judged = int(collection.relevant.sum() + collection.judged_nonrelevant.sum())
    grades = f"1 to {collection.levels}" if collection.levels > 1 else "1"
    return [
        ("runs", number_text(len(collection.runs)), "systems, each with one run"),
        ("topics", f"{number_text(topics)}{without}", "queries with at least one relevant document"),
        ("depth", number_text(collection.depth), "ranks of a list that count"),
        ("grades", grades, "positive relevance grades; 0 is not relevant or unjudged"),
        ("judgments", number_text(judged), "judged documents of these topics"),
    ]


def judgments(collection: Collection) -> tuple[Share, ...]:
    """Histogram of the grades of all judgments."""
    numbers = [int(collection.judged_nonrelevant.sum()), *collection.relevant.sum(axis=0).tolist()]
    total, most = sum(numbers), max(numbers)
    return tuple(
        Share(f"grade {grade}", f"{number_text(n)} ({number_text(n / total, share=True)})", n / most, grade)
        for grade, n in enumerate(numbers)
    )


def used_lists(table: pd.DataFrame) -> Fact:
    """How many lists the numbers of a study are means of."""
    lists = len(table.drop_duplicates(["run_id", "query_id"]))
    solved = table[table["status"].isin(SOLVED)].drop_duplicates(["run_id", "query_id", "measure"])
    counts = solved.groupby("measure").size().reindex(table["measure"].unique(), fill_value=0)
    used = _span(int(counts.min()), int(counts.max()))
    meaning = "what a run returns for a topic; the others are left out, for the reasons below"
    return ("lists used", f"{used} of {number_text(lists)}", meaning)


def left_out_table(table: pd.DataFrame) -> Table | None:
    """Lists that a study left out, by reason."""
    counts = left_out(table)
    counts = counts[~counts["status"].isin(SOLVED)]
    if counts.empty:
        return None
    measures = table["measure"].nunique()
    rows = []
    for (status, reason), own in counts.groupby(["status", "reason"], sort=False):
        fewest = int(own["lists"].min()) if len(own) == measures else 0
        rows.append((str(status), str(reason), _span(fewest, int(own["lists"].max()))))
    frame = pd.DataFrame(rows, columns=["status", "reason", "lists"])
    return table_of(
        frame,
        "left-out",
        "Lists that were left out",
        note="Two numbers are the fewest and the most over the measures.",
        meanings={"lists": "how many lists were left out for this reason"},
    )


def topics_table(collection: Collection, errors: pd.DataFrame | None = None, *, note: str = "") -> Table:
    """Topics with the number of judged documents of each grade, and their mean errors."""
    frame = pd.DataFrame({"query_id": collection.topics, "nonrelevant": collection.judged_nonrelevant})
    for grade, numbers in enumerate(collection.relevant.T, 1):
        frame[f"grade_{grade}"] = numbers
    return table_of(_with(frame, errors, "query_id"), "topics", "Topics", note=note, closed=True)


def runs_table(collection: Collection, errors: pd.DataFrame | None = None, *, note: str = "") -> Table:
    """Runs with the topics that they miss, and their mean errors."""
    frame = pd.DataFrame({"run_id": collection.runs, "missing": collection.missing.sum(axis=0)})
    return table_of(_with(frame, errors, "run_id"), "runs", "Runs", note=note, closed=True)


def errors_by(lists: pd.DataFrame, key: str) -> pd.DataFrame:
    """Mean RMS by run or topic and threshold, from rows of one measure: columns used, rms_t1, ..."""
    wide = lists.groupby([key, "threshold"])["rms"].mean().unstack("threshold")
    wide.columns = [f"rms_t{threshold}" for threshold in wide.columns]
    used = lists.drop_duplicates(["run_id", "query_id"]).groupby(key).size()
    wide.insert(0, "used", used)
    return wide


def _with(frame: pd.DataFrame, errors: pd.DataFrame | None, key: str) -> pd.DataFrame:
    if errors is None:
        return frame
    own = errors.reindex(frame[key].to_numpy())
    own["used"] = own["used"].fillna(0).astype(np.int64)
    return pd.concat([frame, own.reset_index(drop=True)], axis=1)


def _span(fewest: int, most: int) -> str:
    return number_text(most) if fewest == most else f"{number_text(fewest)} to {number_text(most)}"
