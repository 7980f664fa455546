"""Orders and exchanges of grades for the lower ends that sorted lists do not have, compiled as they stand."""

import numpy as np
import numpy.typing as npt
from numba import njit

from maxent.measures.form import FloatArray

Places = npt.NDArray[np.intp]

ROUNDING = 1e-14  # relative change of a value that is none


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
def exchange(d: FloatArray, K: FloatArray, p: FloatArray, rounds: int, upwards: bool) -> None:
    """Exchange grades between adjacent ranks of p (depth, grades) as long as the value falls.

    It is concave along such exchanges, so that each goes as far as it can. Rounds go down the list and up in turn,
    so that one of them takes a document as far as it should go; the first goes up if ``upwards``.
    """
    depth, grades = p.shape
    before = np.zeros((depth, grades))  # sums of the rows before
    for n in range(1, depth):
        before[n] = before[n - 1] + p[n - 1]
    open_ = np.ones(depth, np.bool_)  # ranks to be looked at: they or the next one changed
    for _ in range(rounds):
        changed = False
        for k in range(depth - 1):
            n = depth - 2 - k if upwards else k
            if open_[n]:
                open_[n] = False
                if _exchange_at(d, K, before, p, n):
                    changed = True
                    open_[max(n - 1, 0)] = open_[n] = open_[n + 1] = True
        if not changed:
            break
        upwards = not upwards


@njit(cache=True, nogil=True, error_model="numpy")
def _exchange_at(d: FloatArray, K: FloatArray, before: FloatArray, p: FloatArray, n: int) -> bool:
    """Exchange grades between rank n and the next where the value falls; False if it does not."""
    grades, changed = len(K), False
    for i in range(grades):
        if p[n, i] <= 0.0:
            continue
        for j in range(grades):
            t = min(p[n, i], p[n + 1, j])
            if t > 0.0 and i != j and _falls(d, K, before, p, n, i, j, t):
                p[n, i] -= t
                p[n + 1, i] += t
                p[n, j] += t
                p[n + 1, j] -= t
                changed = True
    for i in range(grades):
        before[n + 1, i] = before[n, i] + p[n, i]
    return changed


@njit(cache=True, nogil=True, error_model="numpy")
def _falls(
    d: FloatArray, K: FloatArray, before: FloatArray, p: FloatArray, n: int, i: int, j: int, t: float
) -> bool:
    """Whether the value falls if mass t of grade i goes from rank n to the next, and that of grade j back."""
    own, other = K[i, i], K[j, j]  # worth of the grades at rank n
    following = 0.0  # what the next rank's worth changes by
    for m in range(len(K)):
        own += K[i, m] * before[n, m]
        other += K[j, m] * before[n, m]
        following += p[n + 1, m] * (K[m, j] - K[m, i]) - (K[j, m] - K[i, m]) * p[n, m]
    following -= t * (K[i, i] + K[j, j] - K[i, j] - K[j, i])
    change = (d[n] - d[n + 1]) * (other - own) + d[n + 1] * following
    return bool(change < -ROUNDING * d[n] * (own + other))


@njit(cache=True, nogil=True, error_model="numpy")
def least_changes(w: FloatArray, p: FloatArray, tiny: float) -> tuple[Places, FloatArray]:
    """Ranks where changing one grade to another changes the value least, and by how much, (grades, grades) each.

    Parameters
    ----------
    w, p : (depth, grades) arrays
        Derivative of the value by p, and p.
    tiny : float
        Probabilities up to which there is nothing to change.
    """
    depth, grades = p.shape
    rank, least = np.zeros((grades, grades), np.intp), np.full((grades, grades), np.inf)
    for n in range(depth):
        for i in range(grades):
            if p[n, i] > tiny:
                for j in range(grades):
                    if j != i and w[n, j] - w[n, i] < least[i, j]:
                        rank[i, j], least[i, j] = n, w[n, j] - w[n, i]
    return rank, least
