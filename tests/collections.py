"""Collections that tests of several rooms share."""

import gzip
from pathlib import Path
from typing import TypeAlias

import pandas as pd

import maxent as me
from maxent.types import IntArray

Tables: TypeAlias = tuple[pd.DataFrame, pd.DataFrame]
"""Runs and judgments."""


def small() -> Tables:
    """Four runs on five topics."""
    return me.simulate(systems=4, topics=5, depth=200, rng=3)


def six_topics() -> me.data.Collection:
    """Four runs on six topics."""
    return me.collect(*me.simulate(systems=4, topics=6, depth=200), depth=200)


def collection_of_lists(lists: IntArray, relevant: tuple[int, ...]) -> me.data.Collection:
    """A run for each list (lists, topics, depth), and topics with as many judged documents of each grade."""
    runs: dict[str, dict[str, dict[str, float]]] = {}
    judged: dict[str, dict[str, int]] = {}
    for t in range(lists.shape[1]):
        of_grade = {g: [f"{g}-{k}" for k in range(n)] for g, n in enumerate(relevant, 1)}
        judged[str(t)] = {doc: grade for grade, docs in of_grade.items() for doc in docs}
    for r, of_run in enumerate(lists):
        runs[f"run{r}"] = {}
        for t, grades in enumerate(of_run):
            left = {g: [f"{g}-{k}" for k in range(n)] for g, n in enumerate(relevant, 1)}
            names = [left[g].pop() if g else f"other{n}" for n, g in enumerate(grades.tolist())]
            runs[f"run{r}"][str(t)] = {doc: float(len(names) - n) for n, doc in enumerate(names)}
    return me.collect(runs, judged, allow_unjudged=True)


def of_documents(
    qrels: list[tuple[str, str, int]], **runs: list[str]
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Judgments, and runs whose documents are given in order, as ``topic:documents``."""
    frames = {}
    for name, lists in runs.items():
        parts = [(topic, docs) for topic, _, docs in (text.partition(":") for text in lists)]
        rows = [(topic, doc, -k) for topic, docs in parts for k, doc in enumerate(docs)]
        frames[name] = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    return frames, pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"])


def write_collection(folder: Path, runs: pd.DataFrame, qrels: pd.DataFrame) -> None:
    """Files of a collection: qrels.txt and runs/NAME.gz."""
    (folder / "runs").mkdir(parents=True)
    lines = (f"{q} 0 {d} {g}" for q, d, g in qrels.itertuples(index=False))
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for name, rows in runs.groupby("run_id"):
        text = "".join(f"{r.query_id} Q0 {r.doc_id} 0 {r.score!r} {name}\n" for r in rows.itertuples())
        (folder / "runs" / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
