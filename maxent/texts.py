"""Texts that people read: numbers with their words, and small tables as HTML."""

from collections.abc import Mapping
from html import escape


def html_table(title: str, rows: Mapping[str, object]) -> str:
    """A title and a table of two columns, names and values, as HTML; all texts are escaped."""
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items()
    )
    return f"<p><b>{escape(title)}</b></p><table>{cells}</table>"


def many(number: int, word: str) -> str:
    """A number with its word: ``1 run``, ``2 runs``."""
    return f"{number} {word}{'s' if number != 1 else ''}"
