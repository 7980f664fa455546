"""Orders and exchanges of grades for the lower ends that sorted lists do not have, compiled as they stand."""

import numpy as np
import numpy.typing as npt
from numba import njit

from maxent.measures.form import FloatArray

Places = npt.NDArray[np.intp]


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
    before = np.zeros((depth, grades))  # sums of the rows before
    for n in range(1, depth):
        before[n] = before[n - 1] + p[n - 1]
    open_ = np.ones(depth, np.bool_)  # ranks to be looked at: they or the next one changed
    for _ in range(rounds):
        changed = False
        for n in range(depth - 1):
            if not open_[n]:
                continue
            open_[n] = False
            value = np.nan  # not needed where both ranks have the same grade
            for i in range(grades):
                for j in range(grades):
                    t = min(p[n, i], p[n + 1, j])
                    if i == j or t <= 0.0:
                        continue
                    if np.isnan(value):
                        value = _pair(d, K, before, p, n)
                    for sign in (1.0, -1.0):
                        p[n, i] -= sign * t
                        p[n + 1, i] += sign * t
                        p[n, j] += sign * t
                        p[n + 1, j] -= sign * t
                        if sign > 0.0:
                            now = _pair(d, K, before, p, n)
                            if now < value - 1e-14 * abs(value):
                                value, changed = now, True
                                open_[max(n - 1, 0)] = open_[n] = open_[n + 1] = True
                                break
            for i in range(grades):
                before[n + 1, i] = before[n, i] + p[n, i]
        if not changed:
            break


@njit(cache=True, nogil=True, error_model="numpy")
def _pair(d: FloatArray, K: FloatArray, before: FloatArray, p: FloatArray, n: int) -> float:
    """What ranks n and n + 1 contribute, but for what depends on the sum of their rows alone."""
    value = 0.0
    for i in range(len(K)):
        if p[n, i] + p[n + 1, i] > 0.0:
            t0, t1 = K[i, i], K[i, i]
            for j in range(len(K)):
                t0 += K[i, j] * before[n, j]
                t1 += K[i, j] * (before[n, j] + p[n, j])
            value += d[n] * p[n, i] * t0 + d[n + 1] * p[n + 1, i] * t1
    return value
