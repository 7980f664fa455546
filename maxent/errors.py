"""Errors that the package raises on purpose."""

import re
import reprlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
QUOTED = 40  # characters of a value that are shown
WORD, MESSAGE = 200, 4000  # characters of a word and of a message that are shown
_LONG = re.compile(rf"(\S{{{WORD // 2}}})\S{{{WORD // 2},}}")  # a word that is cut, and its beginning, which stays


def visible(text: str, *, keep: str = "\n") -> str:
    """Escape control characters in a text: names come from files, and a terminal would obey what is in them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def quoted(value: object, text: Callable[[object], str] = repr) -> str:
    """Beginning of a value on one line."""
    try:
        shown = reprlib.repr(value) if isinstance(value, list | tuple | dict | set) else text(value)
    except ValueError:  # a whole number of too many digits
        shown = type(value).__name__
    if len(shown) > QUOTED:
        shown = f"{shown[:QUOTED]}..."
    return visible(shown, keep="")


class MaxentError(ValueError):
    """Base class of all errors that the package raises on purpose; the message says what to change.

    In the message, long words, such as a megabyte in place of a number, are cut and control characters escaped.
    """

    def __init__(self, message: object = "") -> None:
        text = visible(str(message))
        if len(text) > WORD:
            text = _LONG.sub(r"\1...", text)
        if len(text) > MESSAGE:
            text = f"{text[:MESSAGE]}..."
        super().__init__(text)


class MissingPackageError(MaxentError, ImportError):
    """Raised if a required package is not installed; the message says how to install it."""


def missing_package(what: str, error: ModuleNotFoundError, install: str = "") -> MissingPackageError:
    """Error to raise where ``what`` needs a package that is not installed."""
    needs = f"{what} needs {error.name}, which is not installed"
    return MissingPackageError(f"{needs}: pip install {install or error.name}")


class WorkerError(MaxentError):
    """Raised if a worker process ended early, perhaps for lack of memory, or a cluster cannot be reached.

    A study with a checkpoint keeps its finished topics and resumes from them.
    """


class InputError(MaxentError):
    """Raised if a file, table or number cannot be used; the message gives its place (file, line) and value."""


class InputWarning(UserWarning):
    """Warning about runs that are usable but unusual; commands print it as a note."""


_NOTES: ContextVar[list[str] | None] = ContextVar("notes", default=None)


@contextmanager
def input_notes() -> Iterator[list[str]]:
    """Context in which notes on the input are added to a list, whatever other threads do, and nothing warns."""
    notes: list[str] = []
    outer = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(outer)


def warn_of_input(text: str) -> None:
    """Add a note on the input to those of the context, or warn for the line of code that called the package."""
    if (notes := _NOTES.get()) is not None:
        notes.append(text)
        return
    frame, level = sys._getframe(1), 2  # the caller's frame, and its number as warnings count
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "maxent":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, InputWarning, stacklevel=level)


def noted(function: Callable[..., T], *arguments: Any) -> tuple[T, list[str]]:
    """Result of a function and its notes on the input: a thread cannot add them to those of its caller."""
    with input_notes() as notes:
        return function(*arguments), notes


def noting(outcomes: Iterable[tuple[T, list[str]]]) -> Iterator[T]:
    """Results of :func:`noted` calls, whose notes are passed on here, in the order of the results."""
    for outcome, notes in outcomes:
        for note in notes:
            warn_of_input(note)
        yield outcome


class MeasureError(MaxentError):
    """Raised if a measure does not exist, has invalid parameters, or does not fit the grades of the topic."""


class ProblemError(MaxentError):
    """Raised if a maximum-entropy problem, a study or a curve is ill-defined."""


def require_columns(table: object, columns: Iterable[str], source: str) -> None:
    """Raise InputError unless ``table`` is a table with these columns; ``source`` is its name in the message."""
    present = getattr(table, "columns", None)
    if present is None:
        raise InputError(f"{source}: {type(table).__name__} given, expected a DataFrame")
    for name in columns:
        if name not in present:
            names = visible(", ".join(map(str, present)), keep="")
            raise InputError(f"{source}: no column {name!r} in {names or 'an empty table'}")
