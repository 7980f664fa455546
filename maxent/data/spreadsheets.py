"""Texts in CSV and TSV that a spreadsheet would take for formulas: written with an apostrophe, read without it.

A run may be called ``=cmd|' /C calc'!A0``, and a spreadsheet that opens a table with this name would run it.
"""

import re

import pandas as pd

_FORMULA = re.compile("'*[=+@\t\r\uff1d\uff0b\uff0d\uff20-]")  # full-width ones are taken for formulas, too


def guarded(table: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe in front of names and texts that look like formulas; numbers stay."""
    found = table.rename(columns=_guarded)
    texts = [k for k, kind in enumerate(table.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    for k in texts:  # by position: names may be there twice
        found.isetitem(k, list(map(_guarded, table.iloc[:, k])))
    return found


def unguarded(text: str) -> str:
    """A text as it was before :func:`guarded`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _guarded(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
