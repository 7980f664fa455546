"""Runs and judgments that people hold in memory: tables of any library, dictionaries, tuples; as rows."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
import pyarrow as pa

from maxent.data.column_names import LISTS, has_columns, name_of_list, positions
from maxent.data.nested import engine_rows, is_of_engine, unrolled
from maxent.data.numbers import EXACT
from maxent.data.rows import ROW, Rows
from maxent.errors import InputError, missing_package, quoted
from maxent.types import IntArray

IRDS = "irds:"  # in front of the id of a data set of ir_datasets
_LISTS, _SETS = (list, tuple), (set, frozenset)
SEVERAL = (Mapping, *_LISTS, *_SETS)  # types of what holds documents or cells


def rows_of(title: str, source: object, value: str) -> Rows:
    """Rows of an object in memory: query_id, doc_id, ``value``, and run_id if it has one."""
    if isinstance(source, Rows):
        return source
    # 1. what hides a table or rows is asked for them
    if isinstance(source, str | os.PathLike):
        source = _load_ir_datasets(str(source), value)
    elif hasattr(source, "docs_iter") or hasattr(source, "qrels_iter") or hasattr(source, "scoreddocs_iter"):
        source = _data_set_rows(f"{title}: {quoted(source)}", source, value)
    elif hasattr(source, "to_dataframe") and type(source).__module__.startswith("ranx"):
        source = source.to_dataframe()
    elif hasattr(source, "collect") and type(source).__module__.startswith("polars"):
        source = source.collect()  # a LazyFrame
    if type(source).__module__.startswith("polars") and hasattr(source, "get_columns"):
        # old versions of pyarrow do not convert categories of polars
        source = pd.DataFrame({column.name: column.to_numpy() for column in source.get_columns()})
    # 2. tables
    if isinstance(source, pd.DataFrame):
        return frame_rows(title, source, value)
    if hasattr(source, "__arrow_c_stream__"):
        return frame_rows(title, _arrow_table(title, source), value)
    if hasattr(source, "to_pandas"):  # a Dataset of Hugging Face
        return frame_rows(title, source.to_pandas(), value)
    # 3. Python's objects
    if isinstance(source, Iterator):
        source = list(source)
    if isinstance(source, Mapping) or is_rows(source):
        return objects_rows(title, source, value)
    raise InputError(
        f"{title}: {type(source).__name__} {quoted(source)}, expected a table, a path, "
        f"{{query: {{document: {value}}}}}, or tuples or dictionaries with query_id, doc_id and {value}"
    )


def frame_rows(title: str, frame: pd.DataFrame, value: str) -> Rows:
    """Rows of a table of pandas, whatever it calls the columns."""
    if _has_lists(frame, value):
        records = frame.map(lambda cell: cell.tolist() if isinstance(cell, np.ndarray) else cell).to_dict("records")
        return objects_rows(title, records, value)
    places = positions(title, [str(name) for name in frame.columns], value)
    cells = {column: frame.iloc[:, place] for column, place in places.items()}
    return Rows(title, ROW, frame.index.to_numpy(), cells)


def _has_lists(frame: pd.DataFrame, value: str) -> bool:
    """Whether cells of a table of pandas are lists of documents."""
    name = name_of_list(map(str, frame.columns), LISTS[value])
    return name in frame and len(frame) > 0 and isinstance(frame[name].iloc[0], list | tuple | np.ndarray)


def require_rows(rows: Rows) -> Rows:
    """The same rows; InputError if there are none."""
    if not len(rows):
        raise InputError(f"{rows.title}: empty, expected at least one row")
    return rows


def is_rows(source: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list of named tuples or dictionaries, each a line of a run or of judgments."""
    first = source[0] if isinstance(source, Sequence) and len(source) else None
    return hasattr(first, "_fields") or is_row(first)


def _arrow_table(title: str, source: Any) -> pd.DataFrame:
    """Table of an object that has Arrow's interface for streams; InputError if it has not."""
    try:
        table: pd.DataFrame = pa.table(source).to_pandas()
    except (pa.ArrowException, TypeError) as error:
        raise InputError(f"{title}: {type(source).__name__} {quoted(source)}, expected a table ({error})") from None
    return table


def _load_ir_datasets(name: str, value: str) -> list[Any]:
    """Rows of the data set that ``irds:ID`` names."""
    try:
        import ir_datasets
    except ModuleNotFoundError as error:
        raise missing_package(name, error) from error
    try:
        data = ir_datasets.load(name.removeprefix(IRDS))
    except KeyError:
        raise InputError(f"{name}: ir_datasets has no data set of this name") from None
    return _data_set_rows(name, data, value)


def _data_set_rows(title: str, data: Any, value: str) -> list[Any]:
    """Scored documents or judgments of a data set of ir_datasets."""
    if value == "score" and not data.has_scoreddocs():
        raise InputError(f"{title}: the data set has no scored documents")
    if value == "relevance" and not data.has_qrels():
        raise InputError(f"{title}: the data set has no judgments")
    try:
        return list(data.scoreddocs_iter() if value == "score" else data.qrels_iter())
    except Exception as error:  # a download that fails, above all
        raise InputError(f"{title}: cannot be read: {error}") from error


def is_row(source: object) -> bool:
    """Whether this is a dictionary with the cells of a row, ``{column: cell}``."""
    return isinstance(source, Mapping) and any(isinstance(cell, str | Real | None) for cell in source.values())


def objects_rows(title: str, source: Mapping[str, Any] | Sequence[Any], value: str) -> Rows:
    """Rows ``[{column: cell}, ...]``, columns ``{column: [cell, ...]}``, or ``{query: documents}``."""
    # 1. rows
    if isinstance(source, Mapping) and is_of_engine(source):
        source = engine_rows(title, source, value)
        if not source:
            raise InputError(f"{title}: no document, expected at least one")
    if not isinstance(source, Mapping):
        if hasattr(source[0], "_fields"):
            return frame_rows(title, _tuples_table(source), value)
        require_cells(title, ROW, np.arange(len(source)), source)
        rows = list(unrolled(title, enumerate(source), value))
        return picked_rows(title, ROW, rows, names_of(title, rows, value))
    # 2. queries
    if not has_columns(source):
        return frame_rows(title, _query_table(title, source, value), value)
    # 3. columns
    columns = {
        name: _inferred(cells).array if isinstance(cells, _LISTS) else cells for name, cells in source.items()
    }
    try:
        frame = pd.DataFrame(columns)
    except ValueError as error:
        raise InputError(f"{title}: {error}, expected {{column: [cell, ...]}}") from None
    return frame_rows(title, frame, value)


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
    for k, name in enumerate(rows[0]._fields):
        if pd.api.types.is_float_dtype(frame[name]):  # perhaps of large whole numbers, rounded
            frame[name] = _inferred([row[k] for row in rows])
    return frame


def require_cells(title: str, unit: str, labels: IntArray, rows: Sequence[Any]) -> None:
    """Raise InputError unless all rows are dictionaries of cells."""
    of_rows = Rows(title, unit, labels, {"row": pd.Series(rows, dtype=object)})
    of_rows.require(np.array([is_row(row) for row in rows], np.bool_), "row", "{column: cell}")


def names_of(title: str, rows: Iterable[tuple[int, Mapping[Any, Any]]], value: str) -> dict[str, Any]:
    """The name that labelled rows have for each column; the keys of all of them say which columns count."""
    names = list(dict.fromkeys(chain.from_iterable(row for _, row in rows)))  # keys of any type
    places = positions(title, [str(name) for name in names], value)
    return {column: names[place] for column, place in places.items()}


def picked_rows(
    title: str, unit: str, rows: Iterable[tuple[int, Mapping[Any, Any]]], names: Mapping[str, Any]
) -> Rows:
    """The cells that labelled rows have below the name of each column, NaN where they have none."""
    picked = [(label, [row.get(name, np.nan) for name in names.values()]) for label, row in rows]
    frame = pd.DataFrame([cells for _, cells in picked], columns=list(names), dtype=object)
    labels = np.array([label for label, _ in picked], dtype=np.int64)
    return Rows(title, unit, labels, {column: frame[column] for column in names})


def _query_table(title: str, source: Mapping[str, Any], value: str) -> pd.DataFrame:
    """Table of ``{query: {document: number}}``, or of the documents of each query, ranked or of grade 1."""
    # 1. the documents of all queries are in one form
    list_types = _LISTS if value == "score" else (*_LISTS, *_SETS)
    are_lists = isinstance(next(iter(source.values()), None), list_types)
    for topic, documents in source.items():
        if not isinstance(documents, list_types if are_lists else Mapping):
            expected = f"{{query: {{document: {value}}}}}, or a list of documents for every query"
            raise InputError(f"{title}, query {topic!r}: {quoted(documents)}, expected {expected}")
    # 2. the rows: queries and documents, then numbers
    queries: list[Any] = []
    docs: list[Any] = []
    numbers: list[Any] = []
    for topic, documents in source.items():
        if not documents and value == "relevance":  # a query without documents has a row with a blank rating
            docs_of_topic, numbers_of_topic = [None], [np.nan if are_lists else None]
        elif not are_lists:
            docs_of_topic, numbers_of_topic = list(documents), list(documents.values())
        else:
            docs_of_topic = sorted(documents, key=str) if isinstance(documents, _SETS) else list(documents)
            numbers_of_topic = list(range(1, len(documents) + 1)) if value == "score" else [1.0] * len(documents)
        queries += [topic] * len(docs_of_topic)
        docs += docs_of_topic
        numbers += numbers_of_topic
    table = pd.DataFrame({"query_id": queries, "doc_id": docs}, dtype=object)
    if are_lists:
        return table.assign(**{"rank" if value == "score" else value: numbers})
    # 3. what stands below the documents should be numbers
    if isinstance(next((number for number in numbers if number is not None), None), SEVERAL):
        several = f"{'runs' if value == 'score' else 'qrels'} by name, {quoted(list(source))}"
        one = f"one of them, {{query: {{document: {value}}}}}; write a file for each"
        raise InputError(f"{title}: {several}, expected {one}")
    return table.assign(**{value: _inferred(numbers)})
