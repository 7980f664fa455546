"""Content of a result as plain values, from which renderers make text, files and pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from maxent.data.collection import Collection
from maxent.options import options_of
from maxent.results.finding import Finding
from maxent.results.schema import UNNAMED, Schema

Place = Literal["file", "text", "page"]  # a file of ``--out``, a terminal, a report
EVERYWHERE: tuple[Place, ...] = ("file", "text", "page")


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A table in two forms: ``frame`` for programs and ``shown`` for people."""

    name: str  # stem of its file, and its anchor on the page
    frame: pd.DataFrame  # a row for each number, in the columns of the library; an empty one is shown nowhere
    shown: pd.DataFrame | None = None  # what people read in place of the frame
    title: str = ""
    note: str = ""  # what a reader must know about it
    keys: int = 1  # columns of ``shown`` that name a row
    marked: Sequence[int] = ()  # rows of ``shown`` that stand out
    schema: Schema = UNNAMED  # its columns, and those of ``shown``
    places: tuple[Place, ...] = EVERYWHERE
    closed: bool = False  # whether a report folds it away at first

    @property
    def people(self) -> pd.DataFrame:
        """The table in the form for people, without its hidden columns."""
        return self.schema.for_people(self.frame if self.shown is None else self.shown)


class Drawing:
    """A function of :mod:`maxent.plot`, by name, with its arguments: it pickles, and loads matplotlib late."""

    def __init__(self, name: str, *arguments: object, **options: object) -> None:
        self.name, self.arguments, self.options = name, arguments, options

    def __call__(self, *, ax: object) -> None:
        """Draw on axes."""
        import maxent.plot

        getattr(maxent.plot, self.name)(*self.arguments, **self.options, ax=ax)


@dataclass(frozen=True)
class Panel:
    """One Axes of a figure: the function that draws it, called only on demand, and a caption."""

    draw: Callable[..., object]
    caption: str
    size: tuple[float, float] = (4.1, 3.5)  # inches; what is no wider, a phone shows whole
    white: bool = False  # heat maps need a white ground for their numbers


@dataclass(frozen=True)
class Sheet:
    """A figure: panels, which files show in a grid with a given number of columns, and reports in sequence."""

    name: str
    panels: tuple[Panel, ...]
    columns: int | None = None


class Fact(NamedTuple):
    """A fact about the input or the options: its name, its value, and its meaning."""

    name: str
    value: str
    meaning: str = ""


def facts_of(declared: type, options: Mapping[str, Any], *names: str) -> tuple[Fact, ...]:
    """Facts about these of the options that a TypedDict declares, with the meanings declared there."""
    facts = []
    for name in names:
        option = options_of(declared)[name]
        value = options[name]
        text = f"{value:g}" if isinstance(option.default, float) else str(value)
        facts.append(Fact(name, text, option.fact))
    return tuple(facts)


class Share(NamedTuple):
    """One bar: its label, its number as text, its length from 0 to 1, and its place in the sequence of colours."""

    label: str
    text: str
    length: float
    step: int = 0


class Parts(NamedTuple):
    """An answer whose parts sum to 1, such as g: its name, its value, the parts, and remarks."""

    name: str
    value: str
    shares: tuple[Share, ...]
    remarks: tuple[str, ...] = ()


class Holdings(NamedTuple):
    """What a page shows of a collection: its sizes, bars of the grades of its judgments, its runs and topics."""

    sizes: tuple[Fact, ...] = ()
    grades: tuple[Share, ...] = ()
    tables: tuple[Table, ...] = ()  # unless a result has tables of these names


NO_HOLDINGS = Holdings()


@dataclass(frozen=True)
class Origin:
    """Origin of a result: the command or call that reproduces it, and its judgments and runs as arguments."""

    call: str = ""
    qrels: object = None
    runs: tuple[object, ...] = ()

    def __str__(self) -> str:
        return self.call


@dataclass(frozen=True, kw_only=True, eq=False)
class Content:
    """Everything that renderers show of a result."""

    kind: str = ""  # the function that found it
    title: str  # what was analysed
    question: str = ""  # what it answers, in a sentence or two
    finding: Finding | None = None  # the answer in words
    parts: Parts | None = None  # the answer as parts of a whole
    answers: Mapping[str, Any] = field(default_factory=dict)  # the answer for programs: attributes of the result
    reading: str = ""  # the options and the depth for which the numbers hold, in a line; figures say it
    introduction: str = ""  # what was analysed, in a line or two, logged before the work
    views: tuple[Table, ...] = ()  # the tables, and how they are shown
    sheets: tuple[Sheet, ...] = ()  # the figures
    facts: tuple[Fact, ...] = ()
    explanation: str = ""  # what a terminal shows in the place of tables
    notes: tuple[str, ...] = ()  # lines about the lists behind the numbers
    legend: tuple[str, ...] = ()  # what numbers mean beyond their columns
    main: str = ""  # name of the table for programs; else the first that a terminal shows
    collection: Collection | None = None  # what was analysed
    holdings: Holdings = NO_HOLDINGS  # what a page shows of it
    explorer: Callable[[], dict[str, Any] | None] | None = None  # gives the numbers of the g explorer
    failures: tuple[str, ...] = ()  # conditions that do not hold; a command then ends with code 1
    errors: str = ""  # why the input cannot be used, with something to show; a command then ends with code 2
    origin: Origin = Origin()  # where the numbers come from
    checkpoints: tuple[Path | None, ...] = ()  # files of finished topics, which go when the result is saved

    def __post_init__(self) -> None:
        for name, answer in self.answers.items():
            object.__setattr__(self, name, answer)

    def at(self, place: Place) -> list[Table]:
        """Non-empty tables for a place, such as ``text``."""
        return [view for view in self.views if place in view.places and len(view.frame)]

    @property
    def main_view(self) -> Table | None:
        """The table for programs."""
        for view in self.views:
            if view.name == self.main:
                return view
        for view in self.views:
            if "text" in view.places:
                return view
        return None
