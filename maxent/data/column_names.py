"""What sources call the columns of runs and judgments, and where these columns stand among the names of a table."""

import re
from collections.abc import Container, Sequence

from maxent.errors import InputError, warn_of_input

SYNONYMS = {  # a name stands for the column if no earlier one is there
    "query_id": ("query_id", "qid", "q_id", "query-id", "topic", "topic_id", "query"),
    "doc_id": (
        *("doc_id", "docno", "corpus-id", "corpus_id", "d_id", "doc-id", "document_id", "docid", "did"),
        *("pid", "passage_id", "chunk_id"),
    ),
    "score": ("score", "sim", "rank"),
    "relevance": ("relevance", "label", "rel", "grade", "qrel", "rating", "score"),
    "run_id": ("run_id", "tag", "run", "system"),
}
"""Columns, and what ir_measures, ir_datasets, PyTerrier, ranx, BEIR, MS MARCO and Quepid call them."""
_ID = re.compile(
    r"(?i:(query|question|topic|doc|document|passage|.+[ _.-]id)s?)|.*[a-z]I[dD]"
)  # what people call ids


def positions(table: str, names: Sequence[str], value: str) -> dict[str, int]:
    """Position of each column among the names: query_id, doc_id, ``value`` or rank; of a run also run_id and rank.

    Judgments of two columns of ids have no ``value``: grade 1.
    """
    wanted = ("query_id", "doc_id", value, *(["run_id"] if value == "score" else []))
    name_of = {column: _synonym_in(names, column) for column in wanted}
    if value == "relevance" and len(names) == 2 and has_columns(names):
        warn_of_input(f"{table}: no column of grades in {list(names)}, every document has grade 1")
        del name_of[value]
    for column, name in name_of.items():
        if name is None and column != "run_id":
            synonyms = ", ".join(SYNONYMS[column][1:])
            raise InputError(f"{table}: no column {column!r} in {list(names)}, expected it (or one of {synonyms})")
        if name is not None and names.count(name) > 1:
            raise InputError(f"{table}: {names.count(name)} columns {name!r} in {list(names)}, expected one")
    places: dict[str, int] = {}
    for column, name in name_of.items():
        if name is not None:
            places["rank" if name == "rank" else column] = names.index(name)  # it may take the place of the score
    if value == "score" and "rank" in names:
        places["rank"] = names.index("rank")
    return places


def has_columns(names: Container[str]) -> bool:
    """Whether query_id and doc_id, or synonyms, are among the names."""
    return all(_synonym_in(names, column) is not None for column in ("query_id", "doc_id"))


def is_header(names: Sequence[str]) -> bool:
    """Whether a line of a file has names of columns: query_id and doc_id, or query_id first."""
    return has_columns(names) or (len(names) > 1 and names[0] in SYNONYMS["query_id"])


def is_id_name(name: str) -> bool:
    """Whether a name is like those of columns of ids, known or not."""
    return name in SYNONYMS["doc_id"] or _ID.fullmatch(name) is not None


def _synonym_in(names: Container[str], column: str) -> str | None:
    return next((name for name in SYNONYMS[column] if name in names), None)
