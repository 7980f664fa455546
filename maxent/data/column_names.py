"""What sources call the columns of runs and judgments, and where these columns stand among the names of a table."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from maxent.errors import InputError, warn_of_input

SYNONYMS = {  # a name stands for the column if no earlier one is there
    "query_id": (
        *("query_id", "qid", "q_id", "query-id", "topic", "topic_id", "query"),
        *("query_text", "user_id", "user", "uid"),
    ),
    "doc_id": (
        *("doc_id", "docno", "corpus-id", "corpus_id", "d_id", "doc-id", "document_id", "docid", "did"),
        *("pid", "passage_id", "chunk_id", "item_id", "product_id", "movie_id", "item", "iid"),
    ),
    "score": ("score", "sim", "prediction", "similarity"),
    "rank": ("rank", "position", "doc_position"),
    "relevance": (
        *("relevance", "label", "rel", "grade", "qrel", "rating", "judgment", "judgement", "esci_label", "score"),
    ),
    "run_id": (
        *("run_id", "tag", "run", "system", "run_name", "system_id", "system_name", "retriever", "ranker"),
        *("model", "model_name", "method", "engine", "algorithm", "snapshot_name"),
    ),
}
"""Columns, and what ir_measures, ir_datasets, PyTerrier, ranx, BEIR, MS MARCO, Quepid, shops and recommenders call
them, in any case and with blanks, hyphens, dots, underscores, or nothing between the words."""
_OF_IDS = ("ids", "doc_ids", "docs", "documents", "passage_ids", "chunk_ids", "item_ids", "product_ids", "items")
LISTS = {  # of the documents of a query, in one cell
    "score": ("retrieved", "retrieved_ids", "results", "hits", "ranking", "ranked_ids", *_OF_IDS),
    "relevance": ("relevant", "relevant_ids", "relevant_docs", "gold", "gold_ids", "positives", *_OF_IDS),
}
"""Names of cells with a list of documents, of a run and of judgments."""
NUMBER_LISTS = {"score": ("scores",), "relevance": ("relevances", "grades", "labels", "ratings")}
"""Names of cells with the numbers of these documents."""
_SHOWN = 10  # synonyms that an error lists
_BETWEEN = re.compile(r"[\s_.-]+")  # the words of a name
_ID = re.compile(
    r"(?i:(query|question|topic|doc|document|passage|.+[ _.-]id)s?)|.*[a-z]I[dD]"
)  # what people call ids


def positions(table: str, names: Sequence[str], value: str) -> dict[str, int]:
    """Position of each column among the names: query_id, doc_id, ``value`` or rank; of a run also run_id and rank.

    Judgments of two columns of ids have no ``value``: grade 1.
    """
    wanted = ("query_id", "doc_id", value, *(["run_id", "rank"] if value == "score" else []))
    name_of = {column: name for column in wanted if (name := name_of_column(names, column, table)) is not None}
    is_of_ids = value == "relevance" and len(names) == 2 and has_columns(names)
    if is_of_ids:
        warn_of_input(f"{table}: no column of grades in {list(names)}, every document has grade 1")
    for column in ("query_id", "doc_id", *([] if is_of_ids else [value])):
        if column not in name_of and not (column == "score" and "rank" in name_of):
            synonyms = (*SYNONYMS[column][1:], *(SYNONYMS["rank"] if column == "score" else ()))
            more = ", ..." if len(synonyms) > _SHOWN else ""
            raise InputError(
                f"{table}: no column {column!r} in {list(names)}, expected it (or one of "
                f"{', '.join(synonyms[:_SHOWN])}{more})"
            )
    return {column: names.index(name) for column, name in name_of.items()}


def name_of_list(names: Iterable[str], synonyms: Iterable[str]) -> str | None:
    """The name that stands for a cell with a list, None if there is none."""
    name_of_plain = {_plain(name): name for name in names}
    return next((name_of_plain[plain] for plain in map(_plain, synonyms) if plain in name_of_plain), None)


def name_of_column(names: Iterable[str], column: str, table: str = "") -> str | None:
    """The name that stands for a column, None if there is none.

    A name as in ``SYNONYMS`` goes before one that is alike but for case and what is between its words. In a
    ``table``, it is an error if two names are alike.
    """
    names = list(names)
    name = next((name for name in SYNONYMS[column] if name in names), None)
    if name is None:
        name_of_plain = {_plain(name): name for name in reversed(names)}  # the first of those that are alike
        plain = next((plain for plain in map(_plain, SYNONYMS[column]) if plain in name_of_plain), None)
        name = None if plain is None else name_of_plain[plain]
    if name is None or not table:
        return name
    alike = [other for other in names if _plain(other) == _plain(name)]
    if len(set(alike)) > 1:
        raise InputError(f"{table}: columns {', '.join(map(repr, alike))} mean the same ({column}), expected one")
    if len(alike) > 1:
        raise InputError(f"{table}: {len(alike)} columns {name!r} in {names}, expected one")
    return name


@lru_cache  # rows of objects repeat their names
def _plain(name: str) -> str:
    """A name in lower case, with nothing between its words: ``queryid`` for ``Query ID`` and ``queryId``."""
    return _BETWEEN.sub("", name).casefold()


def has_columns(names: Iterable[str]) -> bool:
    """Whether query_id and doc_id, or synonyms, are among the names."""
    plain_names = {_plain(str(name)) for name in names}
    return all(not plain_names.isdisjoint(map(_plain, SYNONYMS[column])) for column in ("query_id", "doc_id"))


def is_header(names: Sequence[str]) -> bool:
    """Whether a line of a file has names of columns: query_id and doc_id, or query_id first."""
    return has_columns(names) or (len(names) > 1 and name_of_column(names[:1], "query_id") is not None)


def is_id_name(name: str) -> bool:
    """Whether a name is like those of columns of ids, known or not."""
    return name_of_column([name], "doc_id") is not None or _ID.fullmatch(name) is not None
