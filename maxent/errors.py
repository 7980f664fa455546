"""Errors that the package raises on purpose."""

import re
import reprlib
import sys
import warnings
from collections.abc import Callable, Iterable

QUOTED = 40  # characters of a value that are shown
WORD, MESSAGE = 200, 4000  # characters of a word and of a message that are shown; input may have more
_LONG = re.compile(rf"(\S{{{WORD // 2}}})\S{{{WORD // 2},}}")


def visible(text: str, *, keep: str = "\n") -> str:
    """Text with control characters as escapes: names come from files, and a terminal would obey what is in them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def quoted(value: object, text: Callable[[object], str] = repr) -> str:
    """The beginning of a value on one line."""
    try:
        whole = reprlib.repr(value) if isinstance(value, list | tuple | dict | set) else text(value)
    except ValueError:  # a whole number of too many digits
        whole = type(value).__name__
    return visible(whole if len(whole) <= QUOTED else f"{whole[:QUOTED]}...", keep="")


class MaxentError(ValueError):
    """Base of every error that the package raises on purpose; the message says what to change.

    Long words, such as a megabyte in place of a number, are cut in the message, and control characters escaped.
    """

    def __init__(self, message: object = "") -> None:
        text = visible(str(message))
        text = text if len(text) <= WORD else _LONG.sub(r"\1...", text)
        super().__init__(text if len(text) <= MESSAGE else f"{text[:MESSAGE]}...")


class MissingPackageError(MaxentError, ImportError):
    """A package that the call needs is not installed; the message says how to install it."""


def missing_package(what: str, error: ModuleNotFoundError, install: str = "") -> MissingPackageError:
    """The error to raise where ``what`` needs a package that is not installed."""
    needs = f"{what} needs {error.name}, which is not installed"
    return MissingPackageError(f"{needs}: pip install {install or error.name}")


class WorkerError(MaxentError):
    """A worker process ended before its work was done, perhaps for lack of memory, or a cluster is out of reach.

    A study with a checkpoint keeps its finished topics and resumes from them.
    """


class InputError(MaxentError):
    """Files, tables or numbers that cannot be used; the message names the place (file and line) and the value."""


class InputWarning(UserWarning):
    """Runs can be used, but something about them is odd. A command prints it as a note."""


def warn_of_input(text: str) -> None:
    """Issue an InputWarning at the line that called the package, through however many of its functions."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "maxent":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, InputWarning, stacklevel=level)


class MeasureError(MaxentError):
    """A measure that does not exist, has impossible parameters, or does not fit the grades of the topic."""


class ProblemError(MaxentError):
    """A maximum-entropy problem, a study or a curve that makes no sense as stated."""


def require_columns(table: object, columns: Iterable[str], source: str) -> None:
    """Raise InputError unless this is a table with these columns; ``source`` names the table in the message."""
    present = getattr(table, "columns", None)
    if present is None:
        raise InputError(f"{source}: {type(table).__name__} given, expected a DataFrame")
    for name in columns:
        if name not in present:
            names = visible(", ".join(map(str, present)), keep="")
            raise InputError(f"{source}: no column {name!r} in {names or 'an empty table'}")
