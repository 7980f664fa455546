"""Runs and judgments in nested objects, as rows: a list of documents in a cell, and what search engines write."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from maxent.data.column_names import LISTS, NUMBER_LISTS, name_of_column, name_of_list
from maxent.errors import InputError
from maxent.texts import many

ID_OF_HIT = ("_id", "id")  # in a list of objects, besides the names of columns
LIST_TYPES = frozenset({list, tuple})
RATED_ALONE = "a response of _rank_eval has the ratings of retrieved documents alone, expected the request"
NO_HITS = "no ranked lists, expected the response of _rank_eval"


def unrolled(
    title: str, rows: Iterable[tuple[int, Mapping[Any, Any]]], value: str
) -> Iterator[tuple[int, Mapping[Any, Any]]]:
    """Rows with their labels; a row for each document in place of a row with a list of documents."""
    for label, row in rows:
        if LIST_TYPES.isdisjoint(map(type, row.values())):  # almost always
            yield label, row
            continue
        lists = {str(name): cell for name, cell in row.items() if type(cell) in LIST_TYPES}
        others = {str(name): cell for name, cell in row.items() if type(cell) not in LIST_TYPES}
        name = name_of_list(lists, LISTS[value])
        if name is None or name_of_column(others, "doc_id") is not None:
            yield label, row
        else:
            documents, numbers = lists[name], lists.get(name_of_list(lists, NUMBER_LISTS[value]) or "")
            yield from ((label, one) for one in _documents(title, others, documents, numbers, value))


def _documents(
    title: str, row: Mapping[str, Any], documents: Sequence[Any], numbers: Sequence[Any] | None, value: str
) -> Iterator[Mapping[Any, Any]]:
    """A row for each of the documents of a row, ids or objects, with numbers, ranks, or grade 1."""
    columns = ("query_id", *(["run_id"] if value == "score" else []))
    cells = {column: row[own] for column in columns if (own := name_of_column(row, column, title)) is not None}
    if not documents and value == "relevance":  # a query without relevant documents
        yield cells | {"doc_id": None, "relevance": None}
    if numbers is not None and len(numbers) != len(documents):
        both = f"{many(len(documents), 'document')} and {many(len(numbers), 'number')}"
        raise InputError(f"{title}, query {cells.get('query_id')!r}: {both}, expected as many")
    for place, document in enumerate(documents):
        number = {"rank": place + 1} if value == "score" else {value: 1}
        if numbers is not None:
            number = {value: numbers[place]}
        of_document = (
            _cells(document, value, number) if isinstance(document, Mapping) else {"doc_id": document, **number}
        )
        yield cells | of_document


def _cells(document: Mapping[str, Any], value: str, number: dict[str, Any]) -> dict[str, Any]:
    """Id and number of a document in a list of objects; ``number`` if it has none."""
    names = list(map(str, document))
    own_id = name_of_column(names, "doc_id") or next((name for name in ID_OF_HIT if name in names), "")
    own = name_of_column(names, value) or ("_score" if value == "score" and "_score" in names else None)
    return {"doc_id": document.get(own_id)} | (number if own is None else {value: document[own]})


def is_of_engine(source: Mapping[Any, Any]) -> bool:
    """Whether this is a request or a response of _rank_eval, or OpenSearch's list of judgments."""
    details = source.get("details")
    lists = (source.get(name) for name in ("requests", "judgmentRatings"))
    return any(isinstance(objects, list) and objects and isinstance(objects[0], Mapping) for objects in lists) or (
        isinstance(details, Mapping) and any(isinstance(of, Mapping) and "hits" in of for of in details.values())
    )


def engine_rows(title: str, source: Mapping[str, Any], value: str) -> list[Mapping[Any, Any]]:
    """Rows of requests and responses of Elasticsearch's _rank_eval, and of OpenSearch's ``judgmentRatings``."""
    if (value == "score") != ("details" in source):
        raise InputError(f"{title}: {NO_HITS if value == 'score' else RATED_ALONE}")
    try:
        if value == "score":
            return [
                {"query_id": query, "doc_id": hit["hit"]["_id"], "rank": rank}
                for query, of_query in source["details"].items()
                for rank, hit in enumerate(of_query["hits"], 1)
            ]
        is_request = "requests" in source
        queries, query, doc = ("requests", "id", "_id") if is_request else ("judgmentRatings", "query", "docId")
        return [
            {"query_id": of_query[query], "doc_id": rated.get(doc), "relevance": rated.get("rating")}
            for of_query in source[queries]
            for rated in of_query["ratings"] or [{}]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{title}: {type(error).__name__} {error}, expected the keys of _rank_eval or of judgmentRatings"
        ) from None
