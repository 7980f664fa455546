"""Multipliers of the counts for a given multiplier of the value; sources, see :mod:`maxent.compiled.fields`.

With the derivative w of the measure held fixed, the logits are mu_i + lambda w_n(i), and the mu with which the
counts come out minimise sum_n log(1 + sum_i exp(mu_i + lambda w_n(i))) - sum_i mu_i R_i, which is convex: over all
mu, or over mu <= 0 where the counts are upper bounds.
"""

import numpy as np

from maxent.compiled.fields import Array, run
from maxent.compiled.newton import solve_border
from maxent.compiled.state import implied, softmax

c = 2  # number of grades besides the reference; filled in by the compiler

HALVINGS = 60  # of a step, at most


def moments(
    p: Array, reference: Array, counts: Array, bounded: Array, multipliers: Array, h: Array, active: Array, G: Array
) -> None:
    """What the counts lack, and the grades' covariances summed over the ranks; the value does not count here."""
    total = np.zeros(c)
    C = np.zeros((c, c))
    for n in range(len(p)):
        for i in range(c):
            others = reference[n]
            for j in range(c):
                if j != i:
                    C[i, j] -= p[n, i] * p[n, j]
                    others += p[n, j]
            C[i, i] += p[n, i] * others
            total[i] += p[n, i]
    for q in range(c + 1):
        for m in range(c + 2):
            G[q, m] = 0.0
    h[0] = 0.0
    active[0] = 0.0
    for i in range(c):
        h[1 + i] = counts[i] - total[i]
        t = 1.0 if multipliers[1 + i] < 0.0 else 0.0 if h[1 + i] > 0.0 else 1.0  # else held at 0
        active[1 + i] = t if bounded[()] > 0.0 else 1.0
        for j in range(c):
            G[1 + i, 1 + j] = C[i, j]


def go(multipliers: Array, change: Array, bounded: Array, start: Array, lane: int, length: float) -> None:
    """Go along the change of the multipliers, from ``start`` (c,), as far as bounds allow."""
    for i in range(c):
        t = start[i] + length * change[1 + i, lane]
        multipliers[1 + i, lane] = min(t, 0.0) if bounded[lane] > 0.0 else t
    run(implied)
    run(softmax)
    run(moments)


def balance(
    multipliers: Array,
    change: Array,
    counts: Array,
    h: Array,
    active: Array,
    G: Array,
    lane: int,
    most: int,
    reach: float,
    tolerance: float,
) -> int:
    """Newton's method for mu, from the one that is there; its iterations.

    Parameters
    ----------
    most : int
        Iterations at most.
    reach : float
        Largest change of a multiplier in one step, more or less.
    tolerance : float
        Largest error of a count, relative to it where it is below 1.
    """
    start = np.empty(c)
    before = np.empty(c)
    for i in range(c):
        start[i] = multipliers[1 + i, lane]
    run(go, start, lane, 0.0)
    for k in range(most):
        worst = 0.0
        for i in range(c):
            worst = max(worst, active[1 + i, lane] * abs(h[1 + i, lane]) / min(1.0, counts[i, lane]))
        if not worst > tolerance:
            return k
        for i in range(c):
            # with all probabilities of a grade at 0 or 1 there is no curvature left
            G[1 + i, 1 + i, lane] += abs(h[1 + i, lane]) / reach
            start[i] = multipliers[1 + i, lane]
            before[i] = h[1 + i, lane]
        if not run(solve_border, lane):
            return most
        length = 1.0
        for _ in range(HALVINGS):
            run(go, start, lane, length)
            slope = 0.0  # at the beginning of the step, and what the convex function's slope is at its end
            now = 0.0
            for i in range(c):
                t = multipliers[1 + i, lane] - start[i]
                slope += before[i] * t
                now += h[1 + i, lane] * t
            if now >= -0.5 * slope:
                break
            length /= 2
    return most


BALANCE = (moments, go, balance)
