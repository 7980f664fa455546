"""An exponential for non-positive arguments without a branch, a table or a call: it works on vectors as well."""

import math
from typing import Any

from llvmlite import ir
from numba import float64
from numba.extending import intrinsic

LOWEST = -300.0  # exp of it is as good as 0, and products of two such are still normal numbers: others are slow
SHIFT = 1.5 * 2.0**52  # adding it rounds to an integer, which then stands in the lowest bits
LOG2E = 1.0 / math.log(2.0)
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # their sum is log(2)
SERIES = tuple(1.0 / math.factorial(k) for k in range(13, -1, -1))  # to |r| <= log(2) / 2: below 1e-17


@intrinsic
def times_power_of_two(context: Any, x: Any, shifted: Any) -> Any:
    """``x * 2**k`` for ``shifted = SHIFT + k``: adds k to the bits of the exponent."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = ir.IntType(64)
        x, shifted = (builder.bitcast(argument, bits) for argument in arguments)
        return builder.bitcast(builder.add(x, builder.shl(shifted, ir.Constant(bits, 52))), ir.DoubleType())

    return float64(float64, float64), generate


def exp(x: float) -> Any:
    """e**x for x <= 0, to two units in the last place; a source for :mod:`maxent.compiled.machine`."""
    x = max(x, LOWEST)
    shifted = x * LOG2E + SHIFT
    k = shifted - SHIFT
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    y = SERIES[0]
    for j in range(1, 14):
        y = y * r + SERIES[j]
    return times_power_of_two(y, shifted)
