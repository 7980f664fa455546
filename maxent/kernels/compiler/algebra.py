"""Functions that the passes use besides + - * / @, for numbers and for ``registers``."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from maxent.kernels.compiler.registers import Register, Truth

LOWEST = -300.0  # its exp counts as 0; products of two such are still normal numbers (subnormal ones are slow)
SHIFT = 1.5 * 2.0**52  # adding it rounds to an integer, which then stands in the lowest bits of the sum
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # their sum is log 2
SERIES = [1.0 / math.factorial(k) for k in range(13, -1, -1)]  # for |r| <= log(2) / 2 the remainder is below 1e-17


def exp(x: Any) -> Any:
    """The exponential of x <= 0, to two units in the last place, without a branch or a table.

    With x = k log 2 + r it is 2**k times the Taylor series of exp(r).
    """
    x = maximum(x, LOWEST)
    shifted = x * (1 / math.log(2)) + SHIFT
    k = shifted - SHIFT
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    y = SERIES[0]
    for term in SERIES[1:]:
        y = r * y + term
    return y.times_power_of_two(shifted) if isinstance(y, Register) else y * 2.0**k


def where(condition: Any, yes: Any, no: Any) -> Any:
    """``yes`` if the condition holds, else ``no``; both are computed."""
    if isinstance(condition, Truth):
        return condition.select(yes, no)
    return yes if condition else no


def truth(condition: Any) -> Any:
    """1 if the condition holds, else 0."""
    return where(condition, 1.0, 0.0)


def minimum(x: Any, y: Any) -> Any:
    """The smaller of two numbers; x where y is NaN."""
    return where(y < x, y, x)


def maximum(x: Any, y: Any) -> Any:
    """The larger of two numbers; x where y is NaN."""
    return where(y > x, y, x)


def absolute(x: Any) -> Any:
    """The absolute value of a number or of each number of an array."""
    return np.array([absolute(y) for y in x]) if isinstance(x, np.ndarray) else abs(x)


def square_root(x: Any) -> Any:
    """The square root of a number >= 0."""
    return x.square_root() if isinstance(x, Register) else math.sqrt(x)


def logarithm(x: Any) -> Any:
    """The natural logarithm of a number > 0."""
    return x.logarithm() if isinstance(x, Register) else math.log(x)


def largest(values: Iterable[Any]) -> Any:
    """The largest of several numbers, compared in pairs: in a chain, every comparison waits for the one before."""
    candidates = list(values)
    while len(candidates) > 1:
        pairs = [candidates[k : k + 2] for k in range(0, len(candidates), 2)]  # the last may be a single number
        candidates = [maximum(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return candidates[0]


def symmetric(A: Any) -> Any:
    """A symmetric matrix from its upper triangle, so that the lower one need not be computed."""
    return np.triu(A) + np.triu(A, 1).T


def inverse(M: Any) -> Any:
    """The inverse of a small matrix, by elimination without pivoting."""
    if M.shape == (2, 2):
        t = 1.0 / (M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0])
        return np.array([[M[1, 1] * t, -M[0, 1] * t], [-M[1, 0] * t, M[0, 0] * t]])
    matrix = M.copy()  # column after column, the inverse takes the place of the identity
    for q in range(len(matrix)):
        pivot, matrix[q, q] = matrix[q, q], 1.0
        matrix[q] = matrix[q] * (1.0 / pivot)
        for i in range(len(matrix)):
            if i != q:
                factor, matrix[i, q] = matrix[i, q], 0.0
                matrix[i] = matrix[i] - factor * matrix[q]
    return matrix
