"""Checks of grades, counts and coefficients before a measure is evaluated."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from maxent.checks import finite_number, is_number
from maxent.errors import MeasureError, ProblemError
from maxent.measures.form import Form, grade_counts
from maxent.types import FloatArray, GradeCounts, IntArray

EXAMPLE = "such as (40, 10), or (40,) for a single one"  # what to write for numbers of documents


def check_grades(grades: npt.ArrayLike, levels: int) -> IntArray:
    """Grades of lists (..., depth) as an integer array; MeasureError if one is not an integer in 0..levels."""
    array = grade_array(grades)
    if array.size and (array.min() < 0 or array.max() > levels):
        bad = array[(array < 0) | (array > levels)].flat[0]
        raise MeasureError(f"grade {bad} is outside 0..{levels}, the grades that `relevant` counts")
    return array


def grade_array(grades: npt.ArrayLike) -> IntArray:
    """Grades of lists as an integer array (..., depth), of any values; MeasureError if they are not integers."""
    try:
        array = np.asarray(grades)
    except ValueError:  # lists of different lengths
        raise MeasureError("grades must be lists of one length, 0 after the end of shorter ones") from None
    if array.dtype.kind not in "iu":
        raise MeasureError(f"grades must be integers 0, 1, 2, ..., got an array of {array.dtype}")
    if array.ndim == 0:
        raise MeasureError("grades must have a rank axis: shape (..., depth)")
    return array


def one_list(grades: npt.ArrayLike, levels: int) -> IntArray:
    """Grades of a single list as a checked array, (depth,)."""
    array = check_grades(grades, levels)
    if array.ndim != 1:
        raise ProblemError(f"one list has grades of shape (depth,), got {array.shape}")
    return array


def check_counts(grades: IntArray, relevant: FloatArray) -> None:
    """Raise MeasureError if a list (..., depth) has more documents of a grade than the topic (levels,) has."""
    levels = len(relevant)
    most_in_a_list = grade_counts(grades, levels).reshape(-1, levels).max(axis=0, initial=0)
    for level, (documents, most) in enumerate(zip(most_in_a_list, relevant, strict=True), start=1):
        if documents > np.ceil(most):  # fractional counts stand for whole documents
            raise MeasureError(
                f"a list has {documents} documents of grade {level}, but the topic has only {most:g} (`relevant`)"
            )


def check_form(form: Form, levels: int, depth: int, *, name: str) -> None:
    """Raise MeasureError if the coefficients of the measure ``name`` do not fit the topic or are not finite."""
    shapes = {"a": (depth, levels + 1), "d": (depth,), "K": (levels + 1, levels + 1)}
    for part, shape in shapes.items():
        array = getattr(form, part)
        if array.shape != shape:
            raise MeasureError(
                f"{name}: its form has {part} of shape {array.shape}, but {levels} positive grades and depth "
                f"{depth} need {shape}"
            )
        if not np.isfinite(array).all():
            raise MeasureError(f"{name}: its form has coefficients {part} that are not finite")


def check_topic(relevant: GradeCounts, depth: int = 1) -> FloatArray:
    """R_i of a topic as an array (levels,), after a check of the counts and, if given, of the depth."""
    try:
        counts = np.array(relevant, dtype=np.float64)
    except (TypeError, ValueError):
        counts = np.empty(())  # no numbers at all
    if counts.ndim != 1:
        raise MeasureError(f"relevant must be numbers, one for each positive grade, {EXAMPLE}, got {relevant!r}")
    if not counts.size or not np.all((counts >= 0) & (counts < np.inf)):
        raise MeasureError(f"relevant must be at least one finite count >= 0, got {tuple(counts.tolist())}")
    if depth < 1:
        raise MeasureError(f"depth must be at least 1, got {depth}")
    return counts


def finite_numbers(name: str, values: object) -> tuple[float, ...]:
    """Checked finite numbers, one for each positive grade; a number alone is that of a single grade."""
    values = (values,) if is_number(values) else values
    listed = () if isinstance(values, str | bytes) or not isinstance(values, Iterable) else tuple(values)
    if not listed:
        raise ProblemError(f"{name} must be numbers, one for each positive grade, {EXAMPLE}, got {values!r}")
    return tuple(finite_number(f"{name}, grade {grade},", value) for grade, value in enumerate(listed, start=1))
