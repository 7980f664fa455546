"""Schemas of tables: the name, heading, meaning and format of every column, declared beside the table.

The name of a column may have placeholders, so that one column stands for several: ``g_{k}`` for g_1 and g_2,
``rms t={t}`` for the errors at each threshold. Its heading and its meaning repeat them. Both ends of an interval
are one column, ``rms_{end}`` for rms_low and rms_high, and people read them as one.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import pandas as pd

Format = Literal["value", "share", "p-value", "measure", "name"]
"""How a cell is written: by the type of its value, as a percentage, with the digits of a small p-value, as the
label of a measure, or as a text even if it looks like a number."""
PLACEHOLDERS = {"k": r"\d+", "t": r"\d+", "end": "low|high"}
"""What may stand in the place of a placeholder, by its name; any text for others."""


class Column(NamedTuple):
    """A column of a table.

    In ``meaning``, ``{heading}`` is the heading, which is left out where the heading is beside the meaning.
    """

    name: str  # in files and in tables for programs
    meaning: str
    heading: str = ""  # for people; default: the name
    format: Format = "value"
    explained: bool = False  # whether a terminal explains it below the table
    hidden: bool = False  # whether only files and programs have it
    attached: bool = False  # whether a narrow terminal keeps it beside the column before it


class ShownColumn(NamedTuple):
    """A column as people read it; its values are pairs for intervals."""

    heading: str
    meaning: str  # beside the heading
    format: Format
    attached: bool
    values: list[Any]


class Schema:
    """The columns of a table, in any order; the first whose name matches describes a column of the table.

    Examples
    --------
    >>> frame = pd.DataFrame({"rms t=2": [0.3], "rms_low t=2": [0.2], "rms_high t=2": [0.4]})
    >>> schema = Schema(
    ...     Column("rms t={t}", "mean error", "RMS t={t}", explained=True),
    ...     Column("rms_{end} t={t}", "{heading} bootstrap interval", "95 %"),
    ... )
    >>> [(column.heading, column.meaning, column.values) for column in schema.shown(frame)]
    [('RMS t=2', 'mean error', [0.3]), ('95 %', 'bootstrap interval', [(0.2, 0.4)])]
    >>> schema.meaning("rms_high t=2")
    '95 % bootstrap interval'
    >>> schema.legend(frame)
    ['RMS: mean error']
    """

    def __init__(self, *columns: Column) -> None:
        self.columns = columns

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def find(self, name: str) -> tuple[Column, Mapping[str, str]]:
        """The column that a name belongs to, and the texts of its placeholders; a bare one if there is none."""
        for column in self.columns:
            if match := re.fullmatch(_pattern(column.name), name):
                return column, match.groupdict()
        return Column(name.replace("{", "{{").replace("}", "}}"), ""), {}

    def meaning(self, name: str) -> str:
        """Meaning of a column of a file, where its heading is not beside it."""
        column, texts = self.find(name)
        return column.meaning.format(heading=column.heading, **texts)

    def for_people(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns of a table that are not hidden from people."""
        return frame.loc[:, [not self.find(str(name))[0].hidden for name in frame.columns]]

    def shown(self, frame: pd.DataFrame) -> list[ShownColumn]:
        """Columns of a table for people: one for both ends of an interval."""
        names, columns = list(map(str, frame.columns)), []
        for position, name in enumerate(names):
            column, texts = self.find(name)
            if texts.get("end") == "high":  # it is shown with the other end
                continue
            values = frame.iloc[:, position].tolist()
            if texts.get("end") == "low":
                high = names.index(column.name.format(**{**texts, "end": "high"}))
                values = list(zip(values, frame.iloc[:, high].tolist(), strict=True))
            heading = (column.heading or column.name).format(**texts)
            meaning = _beside(column, texts)
            columns.append(ShownColumn(heading, meaning, column.format, column.attached, values))
        return columns

    def legend(self, frame: pd.DataFrame) -> list[str]:
        """Lines below a table: the meanings of the columns that a terminal explains, one for each heading."""
        meanings: dict[str, str] = {}  # by heading
        for name in frame.columns:
            column, texts = self.find(str(name))
            if column.explained:
                words = (column.heading or column.name).split(" ")
                heading = " ".join(word for word in words if "{" not in word)  # one for all of these
                meanings.setdefault(heading, _beside(column, texts))
        return [f"{heading}: {meaning}" for heading, meaning in meanings.items()]


UNNAMED = Schema()
"""Schema of a table whose columns have no words but their names."""


def _pattern(name: str) -> str:
    """Regular expression of the names that the name of a column stands for."""
    first, *others = re.split(r"\{(\w+)\}", name)  # text, placeholder, text, ...
    pattern = re.escape(first)
    for placeholder, text in zip(others[::2], others[1::2], strict=True):
        pattern += f"(?P<{placeholder}>{PLACEHOLDERS.get(placeholder, '.+')}){re.escape(text)}"
    return pattern


def _beside(column: Column, texts: Mapping[str, str]) -> str:
    """Meaning of a column beside its heading."""
    return column.meaning.format(heading="", **texts).strip()
