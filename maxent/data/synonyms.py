"""The names that columns of runs and judgments have in other tools."""

from collections.abc import Iterable, Sequence

import pandas as pd

from maxent.errors import InputError

SYNONYMS = {  # a name stands for the column if no earlier one is there
    "query_id": ("query_id", "qid", "q_id", "query-id", "topic", "topic_id", "query"),
    "doc_id": ("doc_id", "docno", "corpus-id", "corpus_id", "d_id", "doc-id", "document_id", "docid", "did"),
    "score": ("score", "sim"),
    "relevance": ("relevance", "label", "rel", "grade", "qrel", "score"),
    "run_id": ("run_id", "tag", "run", "system"),
}
"""Columns, and what ir_measures, ir_datasets, PyTerrier, ranx and BEIR call them."""


def renamed(table: str, frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """The columns query_id, doc_id, ``value``, and run_id if it is there, by these names.

    Parameters
    ----------
    table : str
        Named in errors.
    frame : DataFrame
        A table with one of the ``SYNONYMS`` of each column.
    value : {"score", "relevance"}
        The column of numbers.

    Raises
    ------
    InputError
        If a column is missing, or there twice.
    """
    names = [str(column) for column in frame.columns]
    wanted = ("query_id", "doc_id", value, *(["run_id"] if value == "score" else []))
    found = {column: _found(names, column) for column in wanted}
    for column, name in found.items():
        if name is None and column != "run_id":
            known = ", ".join(SYNONYMS[column][1:])
            raise InputError(f"{table}: 0 columns {column!r} in {names}, expected one (or one of {known})")
        if name is not None and names.count(name) > 1:
            raise InputError(f"{table}: {names.count(name)} columns {name!r} in {names}, expected one")
    positions = {column: names.index(name) for column, name in found.items() if name is not None}
    if list(positions) == names:
        return frame
    chosen = frame.iloc[:, list(positions.values())]
    return chosen.set_axis(list(positions), axis=1)


def has_columns(names: Sequence[str], columns: Iterable[str]) -> bool:
    """Whether all of these columns, or synonyms, are among the names."""
    return all(_found(names, column) is not None for column in columns)


def _found(names: Sequence[str], column: str) -> str | None:
    return next((name for name in SYNONYMS[column] if name in names), None)
