"""Readers of options: what a command makes of a text."""

import argparse
import re
from collections.abc import Callable, Mapping
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from maxent.errors import InputError, MeasureError
from maxent.options import Reader

if TYPE_CHECKING:
    from maxent.problem.reference import Reference

K = TypeVar("K")
V = TypeVar("V")
OWN = ".py:"  # between a file and one of its measures


def integer(text: str) -> int:
    """Whole number in plain notation."""
    from maxent.data.numbers import integer as read  # loads numpy

    return read(text)


def finite_number(text: str) -> float:
    """Finite number in plain notation."""
    from maxent.data.numbers import finite_number as read  # loads numpy

    return read(text)


def measure(text: str) -> str:
    """Text of a measure; ``own.py:CubeP@10`` registers a measure that the file defines, and is ``CubeP@10``."""
    return "&".join(map(_registered, text.split("&"))) if ".py" in text else text


def _registered(text: str) -> str:
    """Text of a single measure, which is registered if it comes with its file."""
    if text.strip().endswith(".py"):
        raise argparse.ArgumentTypeError(f"{text.strip()}: which measure? write {text.strip()}:NAME")
    file, own, measure = text.strip().rpartition(OWN)
    if not own:
        return text
    from maxent.measures.names import load_file  # loads numpy

    try:
        load_file(Path(f"{file}.py"), re.split(r"[(@=]", measure)[0].strip())
    except MeasureError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return measure


def reference(text: str) -> "Reference":
    """A reference by name, or the table in a file such as ``maxent check`` writes."""
    from maxent.problem.reference import UNIFORM, read_reference  # loads pandas
    from maxent.studies.reading_words import TOPICS

    if text in (UNIFORM, "log-uniform", TOPICS):
        return text
    try:
        return read_reference(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(
            f"uniform, log-uniform, topics or a table of rank and grades, but {error}"
        ) from None


def at_least(least: int, says: str) -> Callable[[str], int]:
    """Parser of whole numbers of at least ``least``; ``says`` ends the error message for smaller ones."""

    def read(text: str) -> int:
        number = integer(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} {says}")
        return number

    read.__name__ = "whole number"  # argparse uses it in error messages
    return read


def probability(text: str) -> float | None:
    """Number between 0 and 1, or ``None``."""
    if text == "None":
        return None
    number = numbers(text)[0]
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


def rating(text: str) -> int | str:
    """A rating: a whole number, or else a text in lower case."""
    try:
        return integer(text)
    except ValueError:
        if text.strip():
            return text.strip().casefold()
        raise


def pairs(kind: Callable[[str], V], example: str, key: Callable[[str], K]) -> Callable[[str], dict[K, V]]:
    """Parser of pairs such as ``1=0,2=1``; ``key`` and ``kind`` parse them, errors show ``example``."""

    def read(text: str) -> dict[K, V]:
        entries = []
        try:
            for pair in text.split(","):
                first, value = pair.rsplit("=", 1)
                entries.append((key(first), kind(value)))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not pairs such as {example}") from None
        if len(dict(entries)) < len(entries):
            raise argparse.ArgumentTypeError(f"{text!r} has one twice")
        return dict(entries)

    return read


def numbers(text: str) -> tuple[float, ...]:
    """Comma-separated numbers."""
    try:
        return tuple(map(finite_number, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a comma-separated list of numbers") from None


def bound(text: str) -> tuple[str, float]:
    """Measure and value from ``nDCG@10=0.40``."""
    from maxent.measures import parse_measure

    name, _, value = text.rpartition("=")
    try:
        return str(parse_measure(measure(name))), finite_number(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: write measure=value, e.g. nDCG@10=0.40 ({error})") from None


def measure_and_value(text: str) -> tuple[str, str]:
    """Measure and value, as text, from ``AP=.31`` (to its decimals) or ``AP=.305:.315`` (bounds)."""
    name, _, value = text.rpartition("=")
    has_bounds = ":" in value  # which are read later; here their place needs a number
    text_form, _ = bound(f"{name}=0" if has_bounds else text)
    return text_form, value


def average(text: str) -> tuple[str, str]:
    """Measure and printed number from ``AP=.31``."""
    name, equals, value = text.rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: write measure=value, e.g. AP=.31")
    return measure(name), value


def named(text: str) -> str | tuple[str, str]:
    """A value of --runs or --values: NAME=FILE is a name and a path, anything else a path or a pattern of paths."""
    name, equals, path = text.partition("=")
    is_renamed = equals and name and not (Path(text).exists() or glob(text, recursive=True))
    return (name, path) if is_renamed else text


class Added(argparse.Action):
    """Action of an option with several texts: where the option is repeated, they come after those before."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the texts, in place of the default."""
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, list(values) if before is self.default else [*before, *values])


class Mapped(argparse.Action):
    """Action that stores pairs as a mapping, or the path of a table in their place."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the pairs or the path; an error if a key or the option is repeated."""
        path_or_pairs = values if isinstance(values, str) else dict(values)
        if len(path_or_pairs) < len(values):
            names = [name for name, _ in values]
            twice = next(name for name in names if names.count(name) > 1)
            raise argparse.ArgumentError(self, f"{twice} is given twice")
        if not path_or_pairs:
            return
        if getattr(namespace, self.dest) is not None:
            raise argparse.ArgumentError(self, f"{self.dest} are given twice")
        setattr(namespace, self.dest, path_or_pairs)


READERS: Mapping[Reader, Callable[[str], Any]] = {
    "text": str,
    "measure": measure,
    "named": named,
    "positive": at_least(1, "is not a positive number"),
    "natural": at_least(0, "is negative"),
    "steps": at_least(2, "is too few: 2 or more"),
    "number": float,
    "numbers": numbers,
    "probability": probability,
    "grades": pairs(integer, "1=0,2=1,3=2 or exact=2,partial=1", rating),
    "weights": pairs(finite_number, "1=1,2=3", integer),
    "reference": reference,
    "bound": bound,
    "value": measure_and_value,
    "average": average,
}
"""What a text is read as, by the word with which an option declares it."""
