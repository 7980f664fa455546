"""Tables in memory: the names of their columns, and checks whose errors name the table, the row and the value."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain, repeat
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from maxent.data.line_arrays import TEXT, Columns, Ids, Repeated, Texts, distinct_ranks
from maxent.data.lines import EXACT, GRADE, SCORE, WHOLE, finite_number, ties
from maxent.errors import InputError, quoted, warn_of_input
from maxent.types import BoolArray, FloatArray, IntArray

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
LINE = "line"  # name of an index that has the numbers of lines in a file
_MARK = "\ufeff"  # the byte order mark, which is no part of an id in files of text either
_LISTS, _SETS = (list, tuple), (set, frozenset)
SEVERAL = (Mapping, *_LISTS, *_SETS)  # types of what holds documents or cells


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
    places = {"rank" if name == "rank" else column: names.index(name) for column, name in name_of.items() if name}
    return places | ({"rank": names.index("rank")} if value == "score" and "rank" in names else {})


def renamed(table: str, frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """The table with its columns renamed to query_id, doc_id, ``value`` and, if present, run_id."""
    names = [str(column) for column in frame.columns]
    places = positions(table, names, value)
    if list(places) != names:
        frame = frame.iloc[:, list(places.values())].set_axis(list(places), axis=1)
    return _graded(frame)


def _graded(frame: pd.DataFrame) -> pd.DataFrame:
    """The table; judgments of two columns of ids have grade 1, a query without a document has a blank rating."""
    if len(frame.columns) > 2:
        return frame
    return frame.assign(relevance=np.where(_is_blank(frame["doc_id"]), np.nan, 1.0))


def _is_blank(cells: "pd.Series[Any]") -> BoolArray:
    """Whether a cell is missing or an empty text, (rows,)."""
    return (cells.isna() | cells.isin([""])).to_numpy(dtype=np.bool_)


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


def is_row(source: object) -> bool:
    """Whether this is a dictionary with the cells of a row, ``{column: cell}``."""
    return isinstance(source, Mapping) and any(isinstance(cell, str | Real | None) for cell in source.values())


def objects_table(table: str, source: Mapping[str, Any] | Sequence[Any], value: str) -> pd.DataFrame:
    """Table from rows ``[{column: cell}, ...]``, columns ``{column: [cell, ...]}``, or ``{query: documents}``."""
    if not isinstance(source, Mapping):
        return _tuples_table(source) if hasattr(source[0], "_fields") else _rows_table(table, source, value)
    if not has_columns(source):
        return _query_table(table, source, value)
    columns = {
        name: _inferred(cells).array if isinstance(cells, _LISTS) else cells for name, cells in source.items()
    }
    try:
        return pd.DataFrame(columns)
    except ValueError as error:
        raise InputError(f"{table}: {error}, expected {{column: [cell, ...]}}") from None


def _inferred(cells: Sequence[Any]) -> "pd.Series[Any]":
    """Cells in the type that pandas infers, or as they are where it would round whole numbers."""
    try:
        column = pd.Series(cells)
    except OverflowError:  # pandas 2 converts whole numbers of hundreds of digits; clean refuses them
        return pd.Series(cells, dtype=object)
    large = pd.api.types.is_float_dtype(column) and (column.abs() >= EXACT).any()
    return pd.Series(cells, dtype=object) if large else column


def _tuples_table(rows: Sequence[Any]) -> pd.DataFrame:
    """Table of named tuples."""
    frame = pd.DataFrame(rows, columns=rows[0]._fields)
    floats = [k for k, kind in enumerate(frame.dtypes) if pd.api.types.is_float_dtype(kind)]
    return frame.assign(**{frame.columns[k]: _inferred([row[k] for row in rows]) for k in floats})


def _rows_table(table: str, rows: Sequence[Any], value: str) -> pd.DataFrame:
    """Table of dictionaries; the keys of all of them say which columns count."""
    require_rows(table, rows)
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    places = positions(table, list(map(str, names)), value)
    return picked(rows, {column: names[place] for column, place in places.items()})


def require_rows(table: str, rows: Sequence[Any], index: "pd.Index[Any] | None" = None) -> None:
    """Raise InputError unless all rows are dictionaries of cells; the index has the labels of the rows."""
    frame = pd.Series(rows, index, dtype=object).to_frame("row")
    require(np.array([is_row(row) for row in rows]), table, frame, "row", "{column: cell}")


def picked(
    rows: Iterable[Mapping[Any, Any]], names: Mapping[str, Any], index: "pd.Index[Any] | None" = None
) -> pd.DataFrame:
    """Table of the cells that rows have below the name of each column."""
    cells = [[row.get(name, np.nan) for name in names.values()] for row in rows]
    return _graded(pd.DataFrame(cells, index, list(names), dtype=object))


def _query_table(title: str, source: Mapping[str, Any], value: str) -> pd.DataFrame:
    """Table of ``{query: {document: number}}``, or of the documents of each query, ranked or of grade 1."""
    kinds = _LISTS if value == "score" else (*_LISTS, *_SETS)
    listed = isinstance(next(iter(source.values()), None), kinds)
    for topic, documents in source.items():
        if not isinstance(documents, kinds if listed else Mapping):
            expected = f"{{query: {{document: {value}}}}}, or a list of documents for every query"
            raise InputError(f"{title}, query {topic!r}: {quoted(documents)}, expected {expected}")
    ratings = [1.0 if documents else np.nan for documents in source.values()]
    if value == "relevance":  # a query without documents has a row with a blank rating
        source = {topic: documents or ([None] if listed else {None: None}) for topic, documents in source.items()}
    sizes = [len(documents) for documents in source.values()]
    topics = list(chain.from_iterable(map(repeat, source, sizes)))
    lists = (sorted(docs, key=str) if isinstance(docs, _SETS) else docs for docs in source.values())
    table = pd.DataFrame({"query_id": topics, "doc_id": list(chain.from_iterable(lists))}, dtype=object)
    if listed:
        ranks = list(chain.from_iterable(range(1, size + 1) for size in sizes))
        return table.assign(rank=ranks) if value == "score" else table.assign(relevance=np.repeat(ratings, sizes))
    numbers = [number for documents in source.values() for number in documents.values()]
    if isinstance(next((number for number in numbers if number is not None), None), SEVERAL):
        several = f"{'runs' if value == 'score' else 'qrels'} by name, {quoted(list(source))}"
        one = f"one of them, {{query: {{document: {value}}}}}; write a file for each"
        raise InputError(f"{title}: {several}, expected {one}")
    return table.assign(**{value: _inferred(numbers)})


def clean(
    table: str, frame: pd.DataFrame, value: str, *, fractions: bool = True, repeated: Repeated = "error"
) -> Columns:
    """Lines of a table whose ids are text and whose numbers are finite, and whole unless ``fractions``.

    A query stays among the topics of judgments if the ratings of all its rows are blank.
    """
    frame = renamed(table, frame, value)
    if frame.empty:
        raise InputError(f"{table}: empty, expected at least one row")
    blank = 0
    if value == "relevance":
        topics, frame, blank = _rated(table, frame)
    else:
        topics = _numbered(table, ids(table, frame, "query_id"))
    docs = _numbered(table, ids(table, frame, "doc_id"))
    values: FloatArray | IntArray
    ranks = _numbers(frame["rank"]) if "rank" in frame else None
    if ranks is not None and value not in frame:
        values = -whole_numbers(table, frame, "rank").astype(np.float64)
    elif value == "score":
        values = _finite_scores(table, frame)
    elif fractions:
        values = _finite_numbers(table, frame, value, "a finite number")
    else:
        values = whole_numbers(table, frame, value, GRADE)
    tag = ids(table, frame, "run_id") if "run_id" in frame else None
    lines = Columns(table, _unit(frame), frame.index.to_numpy(), topics, docs, values, tag, ranks)
    return distinct_ranks(lines._replace(blank=blank).once(repeated))


def _rated(table: str, frame: pd.DataFrame) -> tuple[Ids, pd.DataFrame, int]:
    """Topics and rows of the ratings, and the number of blank ones; topics without ratings are among the names."""
    rated = frame["relevance"].notna().to_numpy()
    has_topic = rated | ~_is_blank(frame["query_id"])
    blank = ~rated & ~(has_topic & _is_blank(frame["doc_id"]))
    topics = _numbered(table, ids(table, frame[has_topic], "query_id"))
    return topics.only(rated[has_topic]), frame[rated], int(blank.sum())


def _unit(frame: pd.DataFrame) -> str:
    """Text between the name of a table and the label of a row in errors."""
    return ":" if frame.index.name == LINE else ", row "


def ids(table: str, frame: pd.DataFrame, column: str) -> Texts:
    """A column of ids as an array of str; InputError unless they are text or integers."""
    cells = frame[column].to_numpy(dtype=object)
    if pd.api.types.infer_dtype(cells, skipna=False) != "string":
        right = [isinstance(value, str | Integral) and not isinstance(value, bool) for value in cells]
        require(np.array(right), table, frame, column, "text or an integer")
        cells = np.array([str(value) for value in cells], dtype=object)
    for text in cells:  # each, as old versions of pandas take ids for the same that differ behind a NUL
        if "\0" in text:
            raise InputError(f"{table}: id {text!r} with NUL, expected text without")
    if any(_MARK in text for text in cells):
        return np.array([text.replace(_MARK, "") for text in cells], dtype=object)
    return cells


def _numbered(table: str, texts: Texts) -> Ids:
    """Ids of texts; InputError for a lone surrogate, which JSON and Python can have, but UTF-8 cannot."""
    codes, names = pd.factorize(texts)
    try:
        return Ids(pa.array(names, TEXT), codes)
    except UnicodeEncodeError as error:
        raise InputError(f"{table}: id {error.object!r}, expected text that UTF-8 has") from None


def whole_numbers(table: str, frame: pd.DataFrame, column: str, expected: str = WHOLE) -> IntArray:
    """A column of whole numbers; InputError unless all have at most 18 digits, as in files."""
    values = _finite_numbers(table, frame, column, "an integer")
    require((values == np.floor(values)) & (abs(values) < 1e18), table, frame, column, expected)
    return values.astype(np.int64)


def _finite_numbers(table: str, frame: pd.DataFrame, column: str, expected: str) -> FloatArray:
    floats = _numbers(frame[column])
    require(np.isfinite(floats), table, frame, column, expected)
    return floats


def _numbers(cells: "pd.Series[Any]") -> FloatArray:
    """Numbers in cells, NaN for anything else."""
    if pd.api.types.is_float_dtype(cells) or pd.api.types.is_integer_dtype(cells):
        return cells.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.array([_number(cell) for cell in cells], dtype=np.float64)


def _finite_scores(table: str, frame: pd.DataFrame) -> FloatArray:
    """Scores; InputError also for whole numbers that would tie with their neighbours."""
    floats = _finite_numbers(table, frame, "score", "a finite number")
    right = np.abs(floats) < EXACT
    right[~right] = [not ties(str(score)) for score in frame["score"][~right]]
    require(right, table, frame, "score", SCORE)
    return floats


def _number(value: Any) -> float:
    """Number from a value of any type, or from text as in files; NaN for anything else."""
    if getattr(value, "ndim", None) == 0:  # scalars of numpy and others
        value = value.item()
    try:
        if isinstance(value, str | Decimal):
            return finite_number(str(value))
        return float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
    except (OverflowError, ValueError):
        return np.nan


def require(right: BoolArray, table: str, frame: pd.DataFrame, column: str, expected: str) -> None:
    """Raise InputError for the first row where ``right`` (rows,) is False."""
    if not right.all():
        row = int(np.argmin(right))
        value = frame[column].iloc[row]
        kind = type(value).__name__
        shown = quoted(value, str) + ("" if kind.startswith(("float", "int", "uint")) else f" ({kind})")
        raise InputError(f"{table}{_unit(frame)}{frame.index[row]}: {column} {shown}, expected {expected}")
