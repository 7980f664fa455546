"""Checks of tables in memory: every error names the table, the row and the value."""

from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.errors import InputError
from maxent.types import BoolArray, FloatArray, IntArray

Texts = npt.NDArray[np.object_]


def check_table(table: str, frame: object, columns: Sequence[str]) -> None:
    """Raise InputError unless this is a table with rows, and with each of these columns exactly once."""
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{table}: a {type(frame).__name__}, expected a DataFrame such as read_run returns")
    found = [str(column) for column in frame.columns]
    for column in columns:
        if found.count(column) != 1:
            raise InputError(f"{table}: {found.count(column)} columns {column!r} in {found}, expected one")
    if frame.empty:
        raise InputError(f"{table}: empty, expected at least one row")


def distinct_keys(table: str, frame: pd.DataFrame) -> tuple[IntArray, Texts, Texts]:
    """Key topic * len(docs) + document of each row, topics by first appearance, documents in order of their ids."""
    topic_codes, topics = pd.factorize(ids(table, frame, "query_id"))
    doc_codes, docs = pd.factorize(ids(table, frame, "doc_id"), sort=True)
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


def finite_numbers(table: str, frame: pd.DataFrame, column: str, expected: str) -> FloatArray:
    """A column as float64; InputError unless all are finite numbers."""
    values = frame[column]
    if not (pd.api.types.is_float_dtype(values) or pd.api.types.is_integer_dtype(values)):
        right = [isinstance(value, Real) and not isinstance(value, bool) for value in values]
        require(np.array(right), table, frame, column, expected)
    floats = values.to_numpy(dtype=np.float64, na_value=np.nan)
    require(np.isfinite(floats), table, frame, column, expected)
    return floats


def require(right: BoolArray, table: str, frame: pd.DataFrame, column: str, expected: str) -> None:
    """Raise InputError for the first row that is not right."""
    if not right.all():
        row = int(np.argmin(right))
        value = frame[column].iloc[row]
        raise InputError(f"{table}, row {frame.index[row]}: {column} {value!s:.80}, expected {expected}")
