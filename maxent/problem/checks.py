"""Checks of users' arguments: numbers of any type, such as NumPy scalars, choices, and single lists."""

from collections.abc import Iterable
from math import isfinite, nan
from numbers import Real

import numpy.typing as npt

from maxent.checks import whole_number
from maxent.errors import ProblemError, quoted
from maxent.limits import SAMPLE, too_large
from maxent.measures.checks import EXAMPLE, check_grades
from maxent.types import IntArray


def check_type(name: str, value: object, kind: type) -> None:
    """Raise ProblemError unless a value is of this type."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise ProblemError(f"{name}: {type(value).__name__}, expected {article} {kind.__name__}")


def check_band(band: object) -> None:
    """Raise ProblemError unless the probability of a band is between 0 and 1."""
    if not (isinstance(band, Real) and 0 < band < 1):  # type: ignore[operator]  # Real has no types of its order
        raise ProblemError(f"a band has a probability between 0 and 1, got {quoted(band)}")


def sample_size(number: object, grades: int) -> int:
    """Checked number of random lists or systems; ProblemError if ``number`` times ``grades`` is too large."""
    size = whole_number("number", number, raises=ProblemError)
    if reason := too_large("the number of grades of all random lists", size * grades, SAMPLE):
        raise ProblemError(reason)
    return size


def one_list(grades: npt.ArrayLike, levels: int) -> IntArray:
    """Grades of a single list as a checked array, (depth,)."""
    array = check_grades(grades, levels)
    if array.ndim != 1:
        raise ProblemError(f"one list has grades of shape (depth,), got {array.shape}")
    return array


def finite_number(name: str, value: object) -> float:
    """Convert a finite number of any type, such as a NumPy scalar, to float."""
    try:
        number = float("nan" if isinstance(value, str | bytes) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not isfinite(number):
        raise ProblemError(f"{name} must be a finite number, got {value!r}")
    return number


def finite_numbers(name: str, values: object) -> tuple[float, ...]:
    """Checked finite numbers, one for each positive grade; a number alone is that of a single grade."""
    values = (values,) if isinstance(values, Real) and not isinstance(values, bool) else values
    listed = () if isinstance(values, str | bytes) or not isinstance(values, Iterable) else tuple(values)
    if not listed:
        raise ProblemError(f"{name} must be numbers, one for each positive grade, {EXAMPLE}, got {values!r}")
    return tuple(finite_number(f"{name}, grade {grade},", value) for grade, value in enumerate(listed, start=1))
