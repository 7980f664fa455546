"""What an analysis found, as plain values: renderers make text, files and pages of them, and know no analysis."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import pandas as pd

from maxent.data.collection import Collection as Lists
from maxent.study.choose_g import GChoice
from maxent.study.finding import Finding


def plotted(name: str, *arguments: object, **options: object) -> Callable[..., None]:
    """A function of :mod:`maxent.plot` with its arguments, loaded when it draws: matplotlib takes a second."""

    def draw(*, ax: object) -> None:
        import maxent.plot

        getattr(maxent.plot, name)(*arguments, **options, ax=ax)

    return draw


Place = Literal["file", "text", "page"]
EVERYWHERE: tuple[Place, ...] = ("file", "text", "page")


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A table, for programs and for people.

    Attributes
    ----------
    name : str
        Stem of its file, and its anchor on the page.
    frame : DataFrame
        A row for each number, in the columns of the library; an empty one is not written.
    shown : DataFrame, optional
        What people read in its place; default: the frame.
    title, note : str
        What it is, and what a reader must know about it.
    keys : int
        Columns of ``shown`` that name a row.
    marked : collection of int
        Rows of ``shown`` that stand out.
    meanings : mapping
        Meanings of columns that differ from those of :mod:`maxent.words`.
    places : tuple of {"file", "text", "page"}
        Where it goes: a file of ``--out``, a terminal, a report.
    closed : bool
        Whether a report folds it away at first.
    """

    name: str
    frame: pd.DataFrame
    shown: pd.DataFrame | None = None
    title: str = ""
    note: str = ""
    keys: int = 1
    marked: Collection[int] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    places: tuple[Place, ...] = EVERYWHERE
    closed: bool = False

    @property
    def people(self) -> pd.DataFrame:
        """What people read."""
        return self.frame if self.shown is None else self.shown


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One axes of a figure: a function with a parameter ``ax``, called only if wanted, and what it shows."""

    draw: Callable[..., object]
    caption: str
    size: tuple[float, float] = (4.1, 3.5)  # inches; what is no wider, a phone shows whole
    white: bool = False  # heat maps need a white ground for their numbers


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Panels that a file shows side by side, in so many columns, and a report one after the other."""

    name: str
    panels: tuple[Panel, ...]
    columns: int | None = None


class Fact(NamedTuple):
    """Something about the input or the options: its name, its value, and what it means."""

    name: str
    value: str
    meaning: str = ""


@dataclass(frozen=True)
class Origin:
    """Where numbers come from: the command or call, judgments and runs as they were given."""

    command: str
    qrels: object = None
    runs: tuple[object, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Content:
    """What an analysis found.

    Attributes
    ----------
    kind, title : str
        The command or function, and what was analysed.
    question : str
        What it answers, in a sentence or two.
    finding : Finding, optional
        The answer in words.
    choice : GChoice, optional
        The chosen g.
    introduction : str
        What was analysed, in a line or two, said before the work.
    tables, figures, facts
        The results.
    text : str
        What a terminal shows in the place of tables.
    notes, legend : tuple of str
        Lines about the lists behind the numbers, and what numbers mean beyond their columns.
    main : str
        Name of the table for programs; default: the first that a terminal shows.
    absent : tuple of str
        Names of tables that such an analysis may write and this one has not.
    collection : Collection, optional
        What was analysed; a report has its sizes, runs and topics.
    explorer : function, optional
        Gives the numbers of the g explorer of a report.
    failures : tuple of str
        Conditions that do not hold; a command then ends with code 1.
    errors : str
        Why the input cannot be used, although there is something to show; a command then ends with code 2.
    origin : Origin, optional
        Where the numbers come from.
    """

    kind: str
    title: str
    question: str = ""
    finding: Finding | None = None
    choice: GChoice | None = None
    introduction: str = ""
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    facts: tuple[Fact, ...] = ()
    text: str = ""
    notes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    main: str = ""
    absent: tuple[str, ...] = ()
    collection: Lists | None = None
    explorer: Callable[[], dict[str, Any] | None] | None = None
    failures: tuple[str, ...] = ()
    errors: str = ""
    origin: Origin | None = None

    def at(self, place: Place) -> list[Table]:
        """Tables that go to a place and have rows."""
        return [table for table in self.tables if place in table.places and len(table.frame)]

    @property
    def table(self) -> Table | None:
        """The table for programs."""
        named = [table for table in self.tables if table.name == self.main]
        return next(iter(named or (table for table in self.tables if "text" in table.places)), None)
