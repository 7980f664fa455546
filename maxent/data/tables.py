"""Checks of tables in memory: every error names the table, the row and the value."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.data.lines import EXACT, SCORE
from maxent.errors import InputError
from maxent.types import BoolArray, FloatArray, IntArray

Texts = npt.NDArray[np.object_]
LARGEST = sys.float_info.max  # integers of Python may be larger


def check_table(table: str, frame: object, columns: Sequence[str]) -> None:
    """Raise InputError unless this is a table with rows, and with each of these columns exactly once."""
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{table}: {type(frame).__module__}.{type(frame).__name__}, expected a pandas DataFrame")
    found = [str(column) for column in frame.columns]
    for column in columns:
        if found.count(column) != 1:
            raise InputError(f"{table}: {found.count(column)} columns {column!r} in {found}, expected one")
    if frame.empty:
        raise InputError(f"{table}: empty, expected at least one row")


def of_nested(table: str, nested: object, value: str) -> pd.DataFrame:
    """Table of a dictionary of dictionaries, ``{query: {document: number}}``.

    Parameters
    ----------
    table : str
        Named in errors.
    nested : mapping
        From topics to mappings from documents to numbers.
    value : {"score", "relevance"}
        Name of the column of numbers.

    Raises
    ------
    InputError
        If it has another structure.
    """
    expected = f"expected {{query: {{document: {value}}}}}"
    if not isinstance(nested, Mapping):
        raise InputError(f"{table}: {str(nested)!s:.80}, {expected}")
    for topic, documents in nested.items():
        if not isinstance(documents, Mapping):
            raise InputError(f"{table}, query {topic!r}: {str(documents)!s:.80}, {expected}")
    topics = [topic for topic, documents in nested.items() for _ in range(len(documents))]
    docs = [doc for documents in nested.values() for doc in documents]
    numbers = [number for documents in nested.values() for number in documents.values()]
    for texts in (topics, docs):
        _require_text(table, texts)
    try:
        column = pd.Series(numbers)
    except OverflowError:  # pandas 2 converts whole numbers of hundreds of digits; clean refuses them
        column = pd.Series(numbers, dtype=object)
    return pd.DataFrame({"query_id": topics, "doc_id": docs, value: column})


def clean(
    table: str, frame: pd.DataFrame, value: str, *, fractions: bool = True, first: bool = False
) -> pd.DataFrame:
    """Table whose ids are text and whose numbers are finite, each document once in a topic.

    Parameters
    ----------
    table : str
        Named in errors.
    frame : DataFrame
        Columns query_id, doc_id, ``value``, and perhaps run_id.
    value : {"score", "relevance"}
        The column of numbers.
    fractions : bool
        Whether the numbers become floats; otherwise they have to be whole and become integers.
    first : bool
        Whether the first row counts of a document that comes twice; otherwise it is an error.
    """
    check_table(table, frame, ("query_id", "doc_id", value))
    if first:
        frame = first_of_each(frame)
    keys, topics, docs = distinct_keys(table, frame)
    if value == "score":
        numbers = finite_scores(table, frame)
    else:
        numbers = finite_numbers(table, frame, value, "a finite number" if fractions else "an integer")
    if not fractions:
        whole = (numbers == np.floor(numbers)) & (abs(numbers) < 1e18)  # as in files
        require(whole, table, frame, value, "an integer of at most 18 digits")
    found = pd.DataFrame({"query_id": topics[keys // len(docs)], "doc_id": docs[keys % len(docs)]})
    found[value] = numbers if fractions else numbers.astype(np.int64)
    if "run_id" in frame:
        found["run_id"] = ids(table, frame, "run_id")
    return found


def first_of_each(frame: pd.DataFrame) -> pd.DataFrame:
    """The table without the later rows of a document that comes more than once in a topic."""
    return frame[~frame.duplicated(["query_id", "doc_id"])]


def distinct_keys(table: str, frame: pd.DataFrame) -> tuple[IntArray, Texts, Texts]:
    """Key topic * len(docs) + document of each row, topics by first appearance, documents in order of their ids."""
    topic_codes, topics = pd.factorize(ids(table, frame, "query_id"))
    doc_codes, docs = pd.factorize(ids(table, frame, "doc_id"), sort=True)
    for texts in (topics, docs):
        _require_text(table, texts)
    keys = topic_codes * len(docs) + doc_codes
    repeated = pd.Series(keys).duplicated().to_numpy()
    if repeated.any():
        row = int(np.argmax(repeated))
        first = frame.index[int(np.argmax(keys == keys[row]))]
        found = f"document {docs[doc_codes[row]]!r} twice in topic {topics[topic_codes[row]]!r}"
        raise InputError(f"{table}, row {frame.index[row]}: {found} (first in row {first}), expected once")
    return keys, topics, docs


def ids(table: str, frame: pd.DataFrame, column: str) -> Texts:
    """A column of ids as an array of str; InputError unless they are text or integers."""
    found = frame[column].to_numpy(dtype=object)
    if pd.api.types.infer_dtype(found, skipna=False) == "string":
        return found
    right = [isinstance(value, str | Integral) and not isinstance(value, bool) for value in found]
    require(np.array(right), table, frame, column, "text or an integer")
    return np.array([str(value) for value in found], dtype=object)


def _require_text(table: str, texts: Iterable[object]) -> None:
    """Raise InputError if an id has half of a character, which JSON and Python can have, but no file in UTF-8."""
    for text in map(str, texts):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"{table}: id {text!r}, expected text that UTF-8 has") from None


def finite_numbers(table: str, frame: pd.DataFrame, column: str, expected: str) -> FloatArray:
    """A column as float64; InputError unless all are finite numbers."""
    values = frame[column]
    if not (pd.api.types.is_float_dtype(values) or pd.api.types.is_integer_dtype(values)):
        right = [_is_finite(value) for value in values]
        require(np.array(right), table, frame, column, expected)
    floats = values.to_numpy(dtype=np.float64, na_value=np.nan)
    require(np.isfinite(floats), table, frame, column, expected)
    return floats


def finite_scores(table: str, frame: pd.DataFrame) -> FloatArray:
    """The column score as float64; InputError also for whole numbers that would tie with their neighbours."""
    floats = finite_numbers(table, frame, "score", "a finite number")
    right = np.abs(floats) < EXACT
    large = zip(frame["score"][~right], floats[~right], strict=True)
    right[~right] = [not isinstance(x, Integral) or int(x) == int(y) for x, y in large]
    require(right, table, frame, "score", SCORE)
    return floats


def _is_finite(value: Any) -> bool:
    number: Any = value if isinstance(value, Real) and not isinstance(value, bool) else np.nan
    return bool(abs(number) <= LARGEST)


def require(right: BoolArray, table: str, frame: pd.DataFrame, column: str, expected: str) -> None:
    """Raise InputError for the first row that is not right."""
    if not right.all():
        row = int(np.argmin(right))
        value = frame[column].iloc[row]
        raise InputError(f"{table}, row {frame.index[row]}: {column} {value!s:.80}, expected {expected}")
