"""Where a value lies in the interval of attainable values, up to rounding."""

from typing import Literal

import numpy as np

from maxent.types import BoolArray, FloatArray

Location = Literal["below", "low", "inside", "high", "above", "constant"]

AT_END = 1e-12  # a value this close to an end, relative to the length of the interval, is at the end
CONSTANT = 1e-10  # an interval this short, relative to the values, is a point with rounding errors
ROUNDING = 100 * float(np.finfo(float).eps)  # relative rounding error of values and ends, which are sums over ranks


def locate(value: float, low: float, high: float) -> Location:
    """Location of a value relative to an interval; ``constant`` where the interval is a point."""
    size = max(abs(low), abs(high))
    if value < low - AT_END * max(size, 1e-300):
        return "below"
    if value > high + AT_END * max(size, 1e-300):
        return "above"
    if high - low <= CONSTANT * size:
        return "constant"
    near = max(AT_END * (high - low), ROUNDING * size)
    if value <= low + near:
        return "low"
    return "high" if value >= high - near else "inside"


def are_inside(values: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
    """Which values :func:`locate` finds inside their intervals, (k,)."""
    size, length = np.maximum(np.abs(low), np.abs(high)), high - low
    near = np.maximum(AT_END * length, ROUNDING * size)
    return np.asarray((values > low + near) & (values < high - near) & (length > CONSTANT * size))
