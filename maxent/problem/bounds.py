"""Constraints on a value: a number, or lower and upper bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from typing import Any

import numpy as np

from maxent.checks import finite_number
from maxent.data.numbers import finite_number as plain_number
from maxent.errors import ProblemError
from maxent.measures.measure import Measure


@dataclass(frozen=True)
class Bounds:
    """Smallest and largest value of a measure; infinite where there is no bound."""

    low: float
    high: float

    def __format__(self, spec: str) -> str:
        if self.high == inf:
            return f"{self.low:{spec}} or more" if self.low > -inf else "any value"
        return f"{self.low:{spec}} to {self.high:{spec}}" if self.low > -inf else f"{self.high:{spec}} or less"


Known = float | Bounds
Value = float | str | Sequence[float | None] | Bounds  # texts are printed numbers or low:high


def value_or_bounds(measure: Measure, value: Value) -> Known:
    """Read a number, or bounds from a pair or a string; equal bounds become a number."""
    name = f"the value of {measure}"
    pair: Sequence[object]
    if isinstance(value, str) and ":" in value:
        pair = [printed(end, name)[0] if end.strip() else None for end in value.split(":")]
    elif isinstance(value, str):
        number, half = printed(value, name)
        pair = number - half, number + half
    elif isinstance(value, tuple | list):
        pair = value
    else:
        return value if isinstance(value, Bounds) else finite_number(name, value)
    if len(pair) != 2:
        raise ProblemError(f"{name} is a number or a pair of bounds, got {value!r}")
    low, high = (
        missing if end is None else finite_number(name, end) for end, missing in zip(pair, (-inf, inf), strict=True)
    )
    if low > high:
        raise ProblemError(f"{name}: the lower bound {low:g} is above the upper bound {high:g}")
    return low if low == high else Bounds(low, high)


def printed(value: object, what: str) -> tuple[float, float]:
    """Number and its rounding error: half a unit of the last decimal of a string, and 0 without decimals."""
    if not isinstance(value, str):
        return finite_number(what, value), 0.0
    try:
        number, exponent = plain_number(value), int(Decimal(value).as_tuple().exponent)
        return number, 0.5 * 10.0**exponent if exponent < 0 else 0.0
    except ValueError:
        raise ProblemError(f"{what} must be a finite number, got {value!r}") from None


def check_value(measure: Measure, value: Any) -> Known | tuple[Known, ...]:
    """Check that there is a finite number, or bounds, for each measure; for a single measure, return no tuple."""
    values = () if value is None else (value,)
    if np.ndim(value):
        values = tuple(value)
    if len(values) != len(measure.parts):
        wanted = "1 value" if len(measure.parts) == 1 else f"{len(measure.parts)} values"
        raise ProblemError(f"{measure} needs {wanted}, got {', '.join(map(str, values)) or 'none'}")
    pairs = zip(measure.parts, values, strict=True)
    checked = tuple(
        part_value if isinstance(part_value, Bounds) else finite_number(f"the value of {part}", part_value)
        for part, part_value in pairs
    )
    return checked[0] if measure.parts == (measure,) else checked
