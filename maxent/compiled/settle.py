"""The last digits of a chain that dynamic programming found (``chain.py``); compiled as they stand.

Given where q_n is 0 or 1 and where Q_n meets a knot of f, the value is quadratic, ranks depend on their neighbours
only, and one step of Newton's method is exact:

    dV/dQ_n = (d_n - d_n+1) (f'(Q_n) + f(Q_n)) - d_n (f(Q_n) - f(Q_n-1)) + d_n+1 q_n+1 f'(Q_n)
    d2V/dQ_n dQ_n+1 = d_n+1 f'(Q_n) = -1/2 d2V/dQ_n^2
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from maxent.compiled.chain import ENOUGH, SLACK, better_near, value, worths
from maxent.measures.form import FloatArray

Numbers = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]

FINER = 16.0  # factor by which steps of dynamic programming shrink
TURNS, STEPS = 200, 100  # of both methods with the same step, of Newton's in a turn
CONCAVE = 1e-10  # pivots that have the sign of a maximum, relative


@njit(cache=True, nogil=True, error_model="numpy")
def settle(
    d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray, step: float, finest: float
) -> None:
    """Make a path exact: Newton's method, until dynamic programming and shifts find no better path near its end.

    Parameters
    ----------
    d, knots, heights, path, step
        As for :func:`maxent.compiled.chain.climb`.
    finest : float
        Shortest step.
    """
    while step >= finest:
        for _ in range(TURNS):
            _exact(d, knots, heights, path)
            if not _shifted(d, knots, heights, path) and not better_near(d, knots, heights, path, step):
                break
        step /= FINER


@njit(cache=True, nogil=True, error_model="numpy")
def _exact(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray) -> float:
    """Newton's method, until no q had better not be held; the path's value."""
    tied = np.empty(len(d), np.bool_)
    _tie(path, tied)
    now = 0.0
    for _ in range(STEPS):
        if newton(d, knots, heights, path, tied):
            last, now = now, value(d, knots, heights, path)
            if not now > last * (1.0 + ENOUGH) or not _untied(d, knots, heights, path, tied):
                break
    return float(value(d, knots, heights, path))


@njit(cache=True, nogil=True, error_model="numpy")
def _shifted(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray) -> bool:
    """Let the chain meet a knot earlier or later where that is better: by ever more ranks, then by fewer again."""
    found, best = False, value(d, knots, heights, path)
    for knot in knots[1:-1]:
        for sign in (-1, 1):
            step, faster = 1, True
            while step > 0:
                tried = path.copy()
                better = _stretched(knots, tried, knot, sign * step)
                if better:
                    now = _exact(d, knots, heights, tried)
                    better = now > best * (1.0 + ENOUGH)
                    if better:
                        path[:] = tried
                        found, best = True, now
                faster = faster and better
                step = 2 * step if faster else step // 2
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _stretched(knots: FloatArray, path: FloatArray, knot: float, step: int) -> bool:
    """Meet a knot some ranks later, the chain beside it stretched between ranks that stay; False if it cannot."""
    depth = len(path)
    edges = np.zeros(depth + 1)
    edges[1:] = path
    slack = SLACK * path[-1]
    q = np.diff(edges)
    n = np.searchsorted(edges, knot - slack)
    first, last = n + min(step, 0) - 1, n + max(step, 0) + 1
    if abs(edges[n] - knot) > slack or first < 0 or last > depth:
        return False
    while first > 0 and slack < q[first - 1] < 1.0 - slack and np.abs(knots - edges[first]).min() > slack:
        first -= 1
    while last < depth and slack < q[last] < 1.0 - slack and np.abs(knots - edges[last]).min() > slack:
        last += 1
    fixed = np.array([first, n + step, last], np.float64)
    origin = np.interp(np.arange(first, last + 1.0), fixed, np.array([first, n, last], np.float64))
    path[max(first - 1, 0) : last] = np.interp(origin, np.arange(depth + 1.0), edges)[int(first == 0) :]
    path[n + step - 1] = knot
    q = np.diff(path)
    return bool(path[0] <= 1.0 and q.max() <= 1.0 and q.min() >= 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def newton(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray, tied: Flags) -> bool:
    """One step of Newton's method; whether nothing was in its way.

    Ranks whose q is held at 0 or 1 (``tied``) move together, in blocks; a block with a rank at a knot stays.
    """
    depth = len(d)
    pull, slope = _slopes(d, knots, heights, path)
    piece, block, last = np.empty(depth, np.intp), np.empty(depth, np.intp), np.empty(depth, np.intp)
    free = np.ones(depth, np.bool_)
    blocks = _blocks(knots, path, tied, piece, block, last, free)
    pulls = np.zeros(blocks)
    bend = np.zeros(blocks)  # mixed second derivative with the next block; twice that is one's own, negative
    for n in range(depth - 1):
        pulls[block[n]] += pull[n]
    for b in range(blocks - 1):
        bend[b] = d[last[b] + 1] * slope[last[b]]
    move = _solved(pulls, bend, free)
    return bool(_moved(knots, path, tied, piece, block, move))


@njit(cache=True, nogil=True, error_model="numpy")
def _tie(path: FloatArray, tied: Flags) -> None:
    """Hold those q that are 0 or 1."""
    before = 0.0
    for n in range(len(path)):
        q = path[n] - before
        tied[n] = min(abs(q), abs(q - 1.0)) <= SLACK * path[-1]
        before = path[n]


@njit(cache=True, nogil=True, error_model="numpy")
def _slopes(
    d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Derivative of the value by every Q_n, where the worth has one, and that of the worth."""
    pull, f, slope = np.zeros(len(d)), np.empty(len(d)), np.empty(len(d))
    worths(path, knots, heights, f, slope)
    before = 0.0
    for n in range(len(d) - 1):
        pull[n] = (d[n] - d[n + 1]) * (slope[n] + f[n]) - d[n] * (f[n] - before)
        pull[n] += d[n + 1] * (path[n + 1] - path[n]) * slope[n]
        before = f[n]
    return pull, slope


@njit(cache=True, nogil=True, error_model="numpy")
def _untied(d: FloatArray, knots: FloatArray, heights: FloatArray, path: FloatArray, tied: Flags) -> bool:
    """Release the q that had better not be 0 or 1, seen from the side that no knot holds; whether there are any."""
    depth = len(d)
    pull, _ = _slopes(d, knots, heights, path)
    loose, fixed = np.zeros(depth, np.bool_), np.zeros(depth, np.bool_)
    for n in range(depth):
        fixed[n] = (np.abs(knots - path[n]) <= SLACK * path[-1]).any()
    force, held = 0.0, False
    for n in range(depth - 1, -1, -1):  # the ranks from n on
        force, held = force + pull[n], held or fixed[n]
        q = path[n] - (path[n - 1] if n > 0 else 0.0)
        loose[n] = tied[n] and not held and (force if q < 0.5 else -force) > SLACK * d[n] * heights[-1]
        if not tied[n]:
            force, held = 0.0, False
    force, held = pull[0], tied[0] or fixed[0]
    for n in range(1, depth):  # the ranks before n
        q = path[n] - path[n - 1]
        if not tied[n]:
            force, held = 0.0, False
        elif not held and (force if q > 0.5 else -force) > SLACK * d[n] * heights[-1]:
            loose[n] = True
        force, held = force + pull[n], held or fixed[n]
    for n in range(depth):
        tied[n] = tied[n] and not loose[n]
    return bool(loose.any())


@njit(cache=True, nogil=True, error_model="numpy")
def _blocks(
    knots: FloatArray, path: FloatArray, tied: Flags, piece: Numbers, block: Numbers, last: Numbers, free: Flags
) -> int:
    """Number pieces of f (by their upper knots) and blocks by rank, note the blocks' last ranks; their number."""
    b, k = -1, 0
    slack = SLACK * path[-1]
    for n in range(len(path)):
        while k < len(knots) - 1 and path[n] > knots[k] + slack:
            k += 1
        if n == 0 or not tied[n]:
            b += 1
            free[b] = not tied[n]  # to nothing, before the first rank
        if abs(path[n] - knots[k]) <= slack:
            path[n], free[b] = knots[k], False
        piece[n], block[n], last[b] = k, b, n
    return b + 1


@njit(cache=True, nogil=True, error_model="numpy")
def _solved(pull: FloatArray, bend: FloatArray, free: Flags) -> FloatArray:
    """Newton's step of all blocks: of a tridiagonal system; blocks along which there is no maximum stay."""
    move, pivot = np.zeros(len(pull)), np.ones(len(pull))
    for b in range(len(pull)):
        if free[b]:
            share = bend[b - 1] / pivot[b - 1] if b > 0 and free[b - 1] else 0.0
            pivot[b] = 2.0 * bend[b] - share * (bend[b - 1] if b > 0 else 0.0)
            free[b] = pivot[b] > CONCAVE * bend[b]
            if free[b]:
                move[b] = pull[b] + share * (move[b - 1] if b > 0 else 0.0)
    for b in range(len(pull) - 1, -1, -1):
        if free[b]:
            move[b] = (move[b] + (bend[b] * move[b + 1] if b + 1 < len(pull) else 0.0)) / pivot[b]
    return move


@njit(cache=True, nogil=True, error_model="numpy")
def _moved(
    knots: FloatArray, path: FloatArray, tied: Flags, piece: Numbers, block: Numbers, move: FloatArray
) -> bool:
    """Move the blocks between two that stay as far as q and the pieces allow; whether all went all the way."""
    whole, start, length = True, 0, 1.0
    for n in range(len(path)):
        here, before = move[block[n]], move[block[n - 1]] if n > 0 else 0.0
        q, more = path[n] - (path[n - 1] if n > 0 else 0.0), here - before
        if more != 0.0:
            length = min(length, max((1.0 - q if more > 0.0 else -q) / more, 0.0))
        if here != 0.0:
            length = min(length, max((knots[piece[n] - (here < 0.0)] - path[n]) / here, 0.0))
            continue
        for m in range(start, n):
            path[m] += length * move[block[m]]
        if length < 1.0:
            whole = False
            _hold(path, tied, block, move, start, n)
        start, length = n + 1, 1.0
    return whole


@njit(cache=True, nogil=True, error_model="numpy")
def _hold(path: FloatArray, tied: Flags, block: Numbers, move: FloatArray, start: int, end: int) -> None:
    """Hold those q that were on their way beyond 0 or 1, from one rank to another."""
    for n in range(start, end + 1):
        q = path[n] - (path[n - 1] if n > 0 else 0.0)
        more = move[block[n]] - (move[block[n - 1]] if n > 0 else 0.0)
        if (more < 0.0 and q <= SLACK * path[-1]) or (more > 0.0 and q >= 1.0 - SLACK * path[-1]):
            tied[n] = True
