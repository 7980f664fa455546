"""Checks of users' arguments: numbers of any type, such as NumPy scalars, choices, types and sizes."""

from collections.abc import Iterable
from math import inf, isfinite, nan
from numbers import Real
from typing import Any

from maxent.errors import MaxentError, ProblemError, quoted
from maxent.limits import SAMPLE, Limit, too_large


def is_number(value: object, kind: type = Real) -> bool:
    """Whether a value is a number of a kind; Python and NumPy scalars are, truth values are not."""
    return isinstance(value, kind) and not isinstance(value, bool)


def is_whole(value: Any, least: float = -inf) -> bool:
    """Whether a value is a whole number of any type, ``least`` or more."""
    return bool(is_number(value) and value >= least and value == value // 1)


def whole_number(
    what: str, value: Any, *, raises: type[MaxentError], least: int = 1, limit: Limit | None = None
) -> int:
    """Convert a whole number of any type, such as a NumPy scalar, to int; raise ``raises`` for anything else."""
    if not is_whole(value, least):
        raise raises(f"{what} must be a whole number, {least} or more, got {quoted(value)}")
    if limit is not None and (reason := too_large(what, value, limit)):
        raise raises(reason)
    return int(value)


def sample_size(number: object, grades: int) -> int:
    """Checked number of random lists or systems; ProblemError if ``number`` times ``grades`` is too large."""
    size = whole_number("number", number, raises=ProblemError)
    if reason := too_large("the number of grades of all random lists", size * grades, SAMPLE):
        raise ProblemError(reason)
    return size


def finite_number(name: str, value: object) -> float:
    """Convert a finite number of any type, such as a NumPy scalar, to float."""
    number = nan
    if not isinstance(value, str | bytes):  # float would read numbers in texts
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = nan
    if not isfinite(number):
        raise ProblemError(f"{name} must be a finite number, got {value!r}")
    return number


def check_choice(what: str, value: Any, choices: Iterable[str], *, raises: type[MaxentError]) -> None:
    """Raise an error that lists the choices unless the value is one of them."""
    names = tuple(choices)
    if not (isinstance(value, str) and value in names):
        raise raises(f"unknown {what} {quoted(value)}; known: {', '.join(names)}")


def check_type(name: str, value: object, kind: type) -> None:
    """Raise ProblemError unless a value is of this type."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise ProblemError(f"{name}: {type(value).__name__}, expected {article} {kind.__name__}")


def check_band(band: object) -> None:
    """Raise ProblemError unless the probability of a band is between 0 and 1."""
    if not (isinstance(band, Real) and 0 < band < 1):  # type: ignore[operator]  # Real has no types of its order
        raise ProblemError(f"a band has a probability between 0 and 1, got {quoted(band)}")
