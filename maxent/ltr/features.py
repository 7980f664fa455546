"""Features of documents: their names, and their values scaled within each query."""

import numpy as np
import pandas as pd

from maxent.errors import InputError

_OTHERS = ("query_id", "doc_id", "relevance")


def require_table(table: object) -> None:
    """Raise InputError unless this is a DataFrame."""
    if not isinstance(table, pd.DataFrame):
        raise InputError(f"got a {type(table).__name__}, expected a DataFrame with a row for each document")


def feature_names(table: pd.DataFrame) -> list[str]:
    """Names of the features of a table: all columns except query_id, doc_id and relevance, in their order."""
    return [name for name in table.columns if name not in _OTHERS]


def normalize(table: pd.DataFrame) -> pd.DataFrame:
    """Table with every feature scaled to 0..1 within each query, as in the normalised files of LETOR.

    Parameters
    ----------
    table : DataFrame
        As from :func:`maxent.read_letor`: column ``query_id``, optionally ``doc_id`` and ``relevance``; all others
        are features.

    Returns
    -------
    DataFrame
        The same table with features (x - min) / (max - min), where min and max are over the documents of the query;
        0 if these are equal.

    Raises
    ------
    InputError
        If there is no feature or no document, or a value is not a finite number (the message names query, document
        and feature).
    """
    require_table(table)
    names = feature_names(table)
    if "query_id" not in table or not names or table.empty:
        found = f"{len(table)} rows with the columns {list(table.columns)}"
        raise InputError(f"{found}, expected at least one document with query_id and features")
    values = table[names].apply(pd.to_numeric, errors="coerce").astype(np.float64)
    wrong = np.argwhere(~np.isfinite(values.to_numpy()))
    if wrong.size:
        row, column = wrong[0]
        where = f"query {table['query_id'].iloc[row]}, document {_document(table, row)}, feature {names[column]}"
        raise InputError(f"{where}: {table[names[column]].iloc[row]}, expected a finite number")
    groups = values.groupby(table["query_id"].to_numpy(), sort=False)
    low, high = groups.transform("min"), groups.transform("max")
    spread = (high - low).where(high > low, 1.0)
    scaled = table.copy()
    scaled[names] = (values - low) / spread
    return scaled


def _document(table: pd.DataFrame, row: int) -> object:
    """Id of the document, or the index of its row if there are no ids."""
    return table["doc_id"].iloc[row] if "doc_id" in table else table.index[row]
