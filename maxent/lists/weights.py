"""Weights of the steps of lists, from a state of documents found to the next; ``recursion`` says what they mean.

Every process compiles these functions and the recursion anew, which takes about seven seconds: the cache of numba
loads pickles from a folder that it does not check.
"""

import math
from typing import NamedTuple

from maxent.errors import MissingPackageError
from maxent.types import BoolArray, FloatArray, IntArray

try:
    from numba import njit
except ModuleNotFoundError as error:
    raise MissingPackageError(f"lists need {error.name}, which is missing: pip install numba") from error


class Steps(NamedTuple):
    """What the weights of all steps are made of: N ranks, c groups, m measures, S states in lexicographic order."""

    sizes: IntArray  # (c,) numbers of documents of a group that a state can have
    strides: IntArray  # (c,) by how much one more document of a group moves a state
    totals: IntArray  # (S,) documents of all groups in a state
    fits: BoolArray  # (c, S) whether one more document of a group fits into a state
    odds: FloatArray  # (N, c) logarithms of the reference's odds against group 0
    a: FloatArray  # (m, N, c)
    d: FloatArray  # (m, N)
    K: FloatArray  # (m, c, c) zero for a cascade
    X: FloatArray  # (m, c, S)
    curved: BoolArray  # (m,) whether the measure is a cascade, whose exponential is no product
    flat: bool  # whether no measure depends on the documents above
    exact: bool  # whether the counts are reached, not only kept


@njit(nogil=True, error_model="numpy")
def fill(x: FloatArray, value: float) -> None:
    """Set all numbers of an array; numba compiles this ten times as fast as ``x[:] = value``."""
    for s in range(len(x)):
        x[s] = value


@njit(nogil=True, error_model="numpy")
def copy(x: FloatArray, to: FloatArray) -> None:
    """Copy an array, for the same reason."""
    for s in range(len(x)):
        to[s] = x[s]


@njit(nogil=True, error_model="numpy")
def weights(steps: Steps, multipliers: FloatArray, n: int, scale: float, powers: FloatArray, w: FloatArray) -> None:
    """Weights (c + 1, S) of the steps at rank n, counted from 0, times a scale; the last row is that of group 0.

    A document that does not fit has the weight 0.
    """
    c, m = len(steps.sizes), len(multipliers)
    fill(w[c], scale)
    for i in range(c):
        own, logarithm, length = w[i], steps.odds[n, i], 1
        for v in range(m):
            logarithm += multipliers[v] * steps.a[v, n, i]
        if steps.flat:
            weight = scale * math.exp(logarithm)
            for s in range(len(own)):
                own[s] = weight if steps.fits[i, s] else 0.0
            continue
        own[0] = scale * math.exp(logarithm)
        for j in range(c):
            size, logarithm = steps.sizes[j], 0.0
            for v in range(m):
                logarithm += multipliers[v] * steps.d[v, n] * steps.K[v, i, j]
            factor, power = math.exp(logarithm) if logarithm != 0.0 else 1.0, 1.0
            for k in range(size):
                powers[k] = power
                power *= factor
            if i == j:
                powers[size - 1] = 0.0
            for t in range(length - 1, -1, -1):
                first, part = own[t], own[t * size : (t + 1) * size]
                for k in range(size):
                    part[k] = first * powers[k]
            length *= size
        for v in range(m):
            slope = multipliers[v] * steps.d[v, n]
            if steps.curved[v] and slope != 0.0:
                for s in range(length):
                    gain = slope * steps.X[v, i, s]
                    if gain != 0.0:
                        own[s] *= math.exp(gain)


@njit(nogil=True, error_model="numpy")
def exponents(
    steps: Steps,
    multipliers: FloatArray,
    n: int,
    allowed: IntArray,
    behind: FloatArray,
    states: range,
    e: FloatArray,
) -> None:
    """Logarithms (c + 1, S) of the weights at rank n, with what is ``behind`` the next state; -inf if ruled out."""
    c, m = len(steps.sizes), len(multipliers)
    for s in states:
        for i in range(c + 1):
            open_ = len(allowed) == 0 or (allowed[n, s] >> i) & 1
            value = -math.inf
            if open_ and i == c:
                value = behind[s]
            elif open_ and steps.fits[i, s]:
                value = behind[s + steps.strides[i]] + steps.odds[n, i]
                for v in range(m):
                    if multipliers[v] != 0.0:
                        value += multipliers[v] * (steps.a[v, n, i] + steps.d[v, n] * steps.X[v, i, s])
            e[i, s] = value
