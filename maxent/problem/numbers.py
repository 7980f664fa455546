"""Numbers of any type, such as scalars of numpy, as floats."""

from collections.abc import Iterable
from math import isfinite, nan

from maxent.errors import ProblemError


def finite_number(name: str, value: object) -> float:
    """A finite number of any type, such as a scalar of numpy, as float."""
    try:
        found = float("nan" if isinstance(value, str | bytes) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        found = nan
    if not isfinite(found):
        raise ProblemError(f"{name} must be a finite number, got {value!r}")
    return found


def finite_numbers(name: str, values: object) -> tuple[float, ...]:
    """Numbers as floats, one for each positive grade."""
    listed = () if isinstance(values, str | bytes) or not isinstance(values, Iterable) else tuple(values)
    if not listed:
        raise ProblemError(f"{name} must be numbers, one for each positive grade, got {values!r}")
    return tuple(finite_number(f"{name}, grade {grade},", value) for grade, value in enumerate(listed, start=1))
