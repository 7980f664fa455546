"""What a report says, as plain values: nothing here knows HTML."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Cell:
    """A number or text of a table: as it is shown, and what it is sorted by (None: last)."""

    text: str
    key: float | str | None
    number: bool


@dataclass(frozen=True)
class Column:
    """Heading of a column, what its numbers mean, and whether they are numbers."""

    heading: str
    meaning: str
    number: bool


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that readers sort and filter.

    Attributes
    ----------
    id : str
        Anchor on the page.
    title, note : str
        What it is, and what a reader must know about it.
    columns : tuple of Column
        One for each cell of a row.
    rows : tuple of tuples of Cell
        The cells, row by row.
    closed : bool
        Whether it is folded away at first.
    """

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    closed: bool = False


@dataclass(frozen=True)
class Figure:
    """An SVG element and what it shows.

    Attributes
    ----------
    svg, caption : str
        The element, and its caption.
    layout : {"half", "wide", "beside"}
        Half the width of a large screen, all of it, or all of it together with the caption.
    least : float
        Width in rem below which the figure scrolls rather than shrinks.
    """

    svg: str
    caption: str
    layout: Literal["half", "wide", "beside"]
    least: float


@dataclass(frozen=True)
class Share:
    """One bar: its label, its number as text, its length from 0 to 1, and its place in the sequence of colours."""

    label: str
    text: str
    length: float
    step: int = 0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The finding in large letters.

    Attributes
    ----------
    label, value : str
        What is found, and the finding.
    parts : tuple of Share
        The g as shares of users; empty where there is none.
    numbers : tuple of (label, value, meaning)
        What supports it.
    rivals : tuple of str
        Candidates that cannot be told from it.
    reading : str
        For which reading it holds.
    """

    label: str
    value: str
    parts: tuple[Share, ...] = ()
    numbers: tuple[tuple[str, str, str], ...] = ()
    rivals: tuple[str, ...] = ()
    reading: str = ""


@dataclass(frozen=True)
class Input:
    """A file of the input: what it is, its name, its bytes, and their SHA-256."""

    role: str
    name: str
    size: int
    digest: str


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where the numbers come from: command, versions by name, input files, and a hash of all grades."""

    command: str
    versions: Mapping[str, str]
    inputs: tuple[Input, ...]
    grades: str


@dataclass(frozen=True, kw_only=True)
class Content:
    """A whole report.

    Attributes
    ----------
    kind, title : str
        The command, and the collection.
    question : str
        What the report answers, in two sentences.
    facts : tuple of (name, value, meaning)
        Size of the data and the options.
    provenance : Provenance
        Command, versions and input files.
    answer : Answer, optional
        The finding.
    figures : tuple of Figure
        Figures.
    explorer : dict, optional
        Numbers of the g explorer, see :mod:`maxent.reports.explorer`.
    tables : tuple of Table
        Results.
    judgments : tuple of Share
        Histogram of the grades.
    details : tuple of Table
        Tables on the data.
    """

    kind: str
    title: str
    question: str
    facts: tuple[tuple[str, str, str], ...]
    provenance: Provenance
    answer: Answer | None = None
    figures: tuple[Figure, ...] = ()
    explorer: dict[str, Any] | None = field(default=None, repr=False)
    tables: tuple[Table, ...] = ()
    judgments: tuple[Share, ...] = ()
    details: tuple[Table, ...] = ()
