"""Chains of cumulated counts that make the value largest, see ``extremes.py``; compiled as they stand.

With Q_n documents expected down to rank n, q_n = Q_n - Q_n-1 of them at it, and f(x) the worth of the best x, the
value is sum_n d_n [f(Q_n) - f(Q_n-1) + q_n f(Q_n-1)] = sum_n [(d_n - d_n+1) f(Q_n) + d_n q_n f(Q_n-1)], d_N+1 = 0.
The term d_N f(Q_N) is the same for all chains and left out: where counts are tiny it is nearly everything.
"""

import numpy as np
from numba import njit

from maxent.measures.form import FloatArray

WORK = 1e5  # pairs of points, about, that a round may look at
REACH = 4  # steps on either side of a path that it looks at in any case
ROUNDS = 8
ENOUGH = 3e-13  # relative gain that is not rounding
SLACK = 1e-14  # rounding of cumulated counts, relative


@njit(cache=True, nogil=True, error_model="numpy")
def worths(x: FloatArray, knots: FloatArray, heights: FloatArray, f: FloatArray, slope: FloatArray) -> None:
    """Worth of the best x documents, ascending, and its slope at or before them: linear between the knots."""
    k = 1
    for n in range(len(x)):
        while k < len(knots) - 1 and x[n] > knots[k]:
            k += 1
        slope[n] = (heights[k] - heights[k - 1]) / (knots[k] - knots[k - 1])
        f[n] = heights[k - 1] + (x[n] - knots[k - 1]) * slope[n]


@njit(cache=True, nogil=True, error_model="numpy")
def value(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray) -> float:
    """Value of a path but for the term that is the same for all."""
    f, slope = np.empty(len(d)), np.empty(len(d))
    worths(path, knots, heights, f, slope)
    found = 0.0
    for n in range(len(d) - 1):
        found += (d[n] - d[n + 1]) * f[n] + d[n + 1] * (path[n + 1] - path[n]) * f[n]
    return float(found)


@njit(cache=True, nogil=True, error_model="numpy")
def points_near(
    x: float, least: float, most: float, knots: FloatArray, step: float, reach: int, points: FloatArray
) -> tuple[int, int]:
    """Write points around x, ascending, knots among them; how many there are, and which one is x."""
    for k in range(-reach, reach + 1):
        points[reach + k] = x + k * step
    for knot in knots:  # the worth has kinks: the path may have to meet one exactly
        k = int(np.rint(min(max((knot - x) / step, -reach - 1.0), reach + 1.0)))
        if k == 0 and knot != x:
            k = 1 if knot > x else -1
        if 0 < abs(k) <= reach:
            points[reach + k] = knot
    size, own = 0, 0
    for k in range(2 * reach + 1):
        t = x if k == reach else min(max(points[k], least), most)
        if size == 0 or t > points[size - 1]:
            points[size] = t
            size += 1
        if k == reach:
            own = size - 1
            points[own] = x
    return size, own


@njit(cache=True, nogil=True, error_model="numpy")
def better_near(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray, step: float) -> bool:
    """Replace a path by the best one at most some steps away at every rank, if that is better.

    The best point before a higher one is not lower: the value's only mixed term x f(before) rises in both.
    """
    depth, total = len(d), path[-1]
    reach = int(min(max(REACH, WORK * step / min(1.0, total) / depth), total / step + 1))
    width = 2 * reach + 1
    x, origin = np.empty((depth, width)), np.empty((depth, width), np.int16)
    f, slope, best = np.empty(width), np.empty(width), np.empty(width)
    last, sofar, weighted = np.zeros(width), np.zeros(width), np.zeros(width)  # of the rank before
    slack, size, own = SLACK * total, 1, 0
    for n in range(depth):
        before, first = size, 0
        least, most = max(0.0, total - (depth - 1 - n)), min(total, n + 1.0)
        size, own = points_near(path[n], least, most, knots, step, reach, x[n])
        worths(x[n, :size], knots, heights, f, slope)
        following = d[n + 1] if n + 1 < depth else d[n]
        for k in range(size):
            best[k] = -np.inf
            for m in range(first, before):
                q = x[n, k] - last[m]
                if q < -slack:
                    break
                v = sofar[m] + q * weighted[m]
                if q <= 1.0 + slack and v > best[k]:
                    best[k], first = v, m
            origin[n, k] = first
        last[:size] = x[n, :size]
        sofar[:size] = best[:size] + (d[n] - following) * f[:size]
        weighted[:size] = following * f[:size]
    present = value(d, knots, heights, path)
    if not sofar[own] > present + ENOUGH * abs(present):
        return False
    for n in range(depth - 1, -1, -1):
        path[n] = x[n, own]
        own = origin[n, own]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def climb(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray, step: float) -> float:
    """Value of a path to which dynamic programming leads; the path becomes that one.

    Parameters
    ----------
    d : (depth,) array
        Weights of the ranks.
    knots, heights : (classes + 1,) arrays
        Numbers of documents of the best grades, and what they are worth together.
    path : (depth,) array
        Documents expected down to each rank; overwritten.
    step : float
        In documents.

    Returns
    -------
    float
        But for a term that is the same for all paths.
    """
    for _ in range(ROUNDS):
        if not better_near(d, knots, heights, path, step):
            break
    return float(value(d, knots, heights, path))
