"""Dynamic programs for the ends of intervals that sorted lists do not reach, compiled as they stand."""

import numpy as np
import numpy.typing as npt
from numba import njit

from maxent.measures.form import FloatArray

Places = npt.NDArray[np.intp]

REACH = 8  # steps on either side of a path that one round looks at
FINER = 4.0  # factor by which steps shrink
ENOUGH = 1e-11  # relative gain of a round for which another with the same step is worthwhile
ROUNDS = 200  # with the same step


@njit(cache=True, nogil=True, error_model="numpy")
def worth(x: float, knots: FloatArray, heights: FloatArray) -> float:
    """Worth of the best x documents: linear between the knots."""
    k = 1
    while k < len(knots) - 1 and x > knots[k]:
        k += 1
    slope: float = (heights[k] - heights[k - 1]) / (knots[k] - knots[k - 1])
    return float(heights[k - 1] + (x - knots[k - 1]) * slope)


@njit(cache=True, nogil=True, error_model="numpy")
def best_near(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray, step: float) -> float:
    """Replace a path of cumulated counts by the best one at most ``REACH`` steps away at every rank; its value."""
    depth, points, total = len(d), 2 * REACH + 2, path[-1]
    slack = 1e-14 + 1e-15 * depth  # rounding of cumulated counts
    x, f = np.empty((depth, points)), np.empty((depth, points))
    origin = np.zeros((depth, points), np.int8)
    before = np.full(points, -np.inf)
    for n in range(depth):
        knot = path[n]
        for k in range(len(knots)):  # the worth has kinks: the path may have to meet one exactly
            if abs(knots[k] - path[n]) < step:
                knot = knots[k]
        now = np.full(points, -np.inf)
        for k in range(points):
            t = knot if k == points - 1 else path[n] + (k - REACH) * step
            x[n, k] = min(max(t, total - (depth - 1 - n), 0.0), total, n + 1.0)
            f[n, k] = worth(x[n, k], knots, heights)
            for m in range(points if n > 0 else 1):
                x0, f0, v0 = (x[n - 1, m], f[n - 1, m], before[m]) if n > 0 else (0.0, 0.0, 0.0)
                own = x[n, k] - x0
                if -slack <= own <= 1.0 + slack:
                    v = v0 + d[n] * (f[n, k] - f0 + own * f0)
                    if v > now[k]:
                        now[k] = v
                        origin[n, k] = m
        before = now
    k, value = REACH, before[REACH]
    for n in range(depth - 1, -1, -1):
        path[n] = x[n, k]
        k = origin[n, k]
    return float(value)


@njit(cache=True, nogil=True, error_model="numpy")
def climb(
    d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray, step: float, finest: float
) -> float:
    """Highest value that ever finer steps from a path lead to; the path becomes the one that has it.

    Parameters
    ----------
    d : (depth,) array
        Weights of the ranks.
    knots, heights : (classes + 1,) arrays
        Numbers of documents of the best grades, and what they are worth together.
    path : (depth,) array
        Documents expected up to each rank; overwritten.
    step, finest : float
        First and shortest step, in documents.
    """
    value = -np.inf
    while step > finest:
        for _ in range(ROUNDS):
            last = value
            value = max(value, best_near(d, knots, heights, path, step))
            if not value > last + ENOUGH * abs(last):
                break
        step /= FINER
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def cheapest_order(d: FloatArray, K: FloatArray, pieces: Places, mass: FloatArray, first: float) -> Places:
    """Order of the grades' pieces that makes the value smallest; exact for whole documents.

    Parameters
    ----------
    d : (depth,) array
    K : (grades, grades) array
        Kernel of the grades to be placed.
    pieces : (grades,) array
        Number of pieces of each grade.
    mass : (grades,) array
        Documents in a piece of each.
    first : float
        Documents before the first piece.

    Returns
    -------
    (sum of pieces,) array
        Grade of each piece.
    """
    grades = len(pieces)
    stride, states = np.empty(grades, np.intp), 1
    for i in range(grades):
        stride[i] = states
        states *= pieces[i] + 1
    sums = np.concatenate((np.zeros(1), np.cumsum(d)))
    cost, choice = np.full(states, np.inf), np.zeros(states, np.int8)
    placed = np.zeros(grades, np.intp)
    cost[0] = 0.0
    for state in range(states):
        here = first
        for j in range(grades):
            here += placed[j] * mass[j]
        start = _between(sums, here)
        for i in range(grades):
            if placed[i] < pieces[i]:
                own = 0.5 * (1.0 + mass[i]) * K[i, i]
                for j in range(grades):
                    own += K[i, j] * placed[j] * mass[j]
                t = cost[state] + own * (_between(sums, here + mass[i]) - start)
                if t < cost[state + stride[i]]:
                    cost[state + stride[i]] = t
                    choice[state + stride[i]] = i
        i = 0  # the next state
        while i < grades and placed[i] == pieces[i]:
            placed[i] = 0
            i += 1
        if i < grades:
            placed[i] += 1
    order, state = np.empty(pieces.sum(), np.intp), states - 1
    for n in range(len(order) - 1, -1, -1):
        order[n] = choice[state]
        state -= stride[order[n]]
    return order


@njit(cache=True, nogil=True, error_model="numpy")
def _between(sums: FloatArray, x: float) -> float:
    """Sum of the weights of the first x ranks, x not necessarily whole."""
    n = min(int(x), len(sums) - 2)
    return float(sums[n] + (x - n) * (sums[n + 1] - sums[n]))


@njit(cache=True, nogil=True, error_model="numpy")
def exchange(d: FloatArray, K: FloatArray, p: FloatArray, rounds: int) -> None:
    """Exchange grades between adjacent ranks of p (depth, grades) as long as the value falls.

    It is concave along such exchanges, so that each goes as far as it can.
    """
    depth, grades = p.shape
    before = np.empty(grades)
    for _ in range(rounds):
        changed = False
        before[:] = 0.0
        for n in range(depth - 1):
            value = _pair(d[n], d[n + 1], K, before, p[n], p[n + 1])
            for i in range(grades):
                for j in range(grades):
                    t = min(p[n, i], p[n + 1, j])
                    if i == j or t <= 0.0:
                        continue
                    for sign in (1.0, -1.0):
                        p[n, i] -= sign * t
                        p[n + 1, i] += sign * t
                        p[n, j] += sign * t
                        p[n + 1, j] -= sign * t
                        if sign > 0.0:
                            now = _pair(d[n], d[n + 1], K, before, p[n], p[n + 1])
                            if now < value - 1e-14 * abs(value):
                                value, changed = now, True
                                break
            before += p[n]
        if not changed:
            break


@njit(cache=True, nogil=True, error_model="numpy")
def _pair(d0: float, d1: float, K: FloatArray, before: FloatArray, p0: FloatArray, p1: FloatArray) -> float:
    """What two adjacent ranks contribute, but for what depends on the sum of their rows alone."""
    value = 0.0
    for i in range(len(p0)):
        t0, t1 = K[i, i], K[i, i]
        for j in range(len(p0)):
            t0 += K[i, j] * before[j]
            t1 += K[i, j] * (before[j] + p0[j])
        value += d0 * p0[i] * t0 + d1 * p1[i] * t1
    return value
