"""Checks of arguments: whole numbers of any type, and choices."""

from collections.abc import Iterable
from numbers import Real
from typing import Any

from maxent.errors import MaxentError, quoted
from maxent.limits import Limit, too_large


def whole_number(
    what: str, value: Any, *, raises: type[MaxentError], least: int = 1, limit: Limit | None = None
) -> int:
    """Convert a whole number of any type, such as a NumPy scalar, to int; raise ``raises`` for anything else."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not (number and value == value // 1 and value >= least):
        raise raises(f"{what} must be a whole number, {least} or more, got {quoted(value)}")
    if limit is not None and (reason := too_large(what, value, limit)):
        raise raises(reason)
    return int(value)


def check_choice(what: str, value: Any, choices: Iterable[str], *, raises: type[MaxentError]) -> None:
    """Raise an error that lists the choices unless the value is one of them."""
    names = tuple(choices)
    if not (isinstance(value, str) and value in names):
        raise raises(f"unknown {what} {quoted(value)}; known: {', '.join(names)}")
