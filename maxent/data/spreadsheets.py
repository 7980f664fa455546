r"""Texts in CSV and TSV that a spreadsheet would take for formulas: written with an apostrophe, read without it.

A run may be named ``=cmd|' /C calc'!A0``, and a spreadsheet that opens a table with this name would execute it.
Control characters, which a terminal obeys, become escapes such as ``\x1b`` after an apostrophe, with backslashes
doubled.
"""

import re

import pandas as pd

_FORMULA = re.compile("'*[=+@\t\r\uff1d\uff0b\uff0d\uff20-]")  # full-width ones are taken for formulas, too

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all but tab and line ends
_ESCAPE = re.compile(r"\\x[0-9a-f]{2}")


def guarded(table: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before names and texts that look like formulas; numbers stay."""
    safe = table.rename(columns=lambda name: _guard(name) if isinstance(name, str) else name)
    texts = [k for k, kind in enumerate(table.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    for k in texts:  # by position: names may be there twice
        column = table.iloc[:, k]
        guarded_texts = {text: _guard(text) for text in column.unique() if isinstance(text, str)}  # once each
        if any(text != guarded_text for text, guarded_text in guarded_texts.items()):
            safe.isetitem(k, [guarded_texts.get(value, value) for value in column])
    return safe


def unguarded(text: str) -> str:
    """A text as it was before :func:`guarded`; itself if that writes no such text."""
    if not text.startswith("'"):
        return text
    plain = text[1:]
    if _ESCAPE.search(text):
        plain = re.sub(
            r"\\(\\|x([0-9a-f]{2}))", lambda escape: chr(int(escape[2], 16)) if escape[2] else "\\", plain
        )
    return plain if _guard(plain) == text else text


def _guard(text: str) -> str:
    """A text that no spreadsheet takes for a formula and no terminal obeys, or itself if that is so already.

    A text that has something like an escape gets doubled backslashes wherever it gets, or has, an apostrophe: only
    there does :func:`unguarded` read escapes.
    """
    formula = _FORMULA.match(text)
    would_be_unescaped = _ESCAPE.search(text) and (formula or text.startswith("'"))
    if _CONTROL.search(text) or would_be_unescaped:
        doubled = text.replace("\\", "\\\\")
        return "'" + _CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", doubled)
    return f"'{text}" if formula else text
