"""Where a value lies in the interval of attainable values, up to rounding."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from maxent.types import FloatArray

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


def locations(values: FloatArray, low: FloatArray, high: FloatArray) -> npt.NDArray[np.str_]:
    """What :func:`locate` says of each of many values."""
    size, length = np.maximum(np.abs(low), np.abs(high)), high - low
    far, near = AT_END * np.maximum(size, 1e-300), np.maximum(AT_END * length, ROUNDING * size)
    cases = {
        "below": values < low - far,
        "above": values > high + far,
        "constant": length <= CONSTANT * size,
        "low": values <= low + near,
        "high": values >= high - near,
    }
    return np.select(list(cases.values()), list(cases), "inside")
