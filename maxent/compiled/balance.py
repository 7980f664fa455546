"""The measure's derivative held fixed, in the field r; sources, see :mod:`maxent.compiled.fields`.

Then the logits are mu_i + lambda r_n(i), and for a given lambda the mu with which the counts come out minimise
sum_n log(1 + sum_i exp(mu_i + lambda r_n(i))) - sum_i mu_i R_i, which is convex: over all mu, or over mu <= 0 where
the counts are upper bounds.
"""

import math

import numpy as np

from maxent.compiled.fields import Array, run
from maxent.compiled.newton import solve_border
from maxent.compiled.state import gradient, softmax

c = 2  # number of grades besides the reference; filled in by the compiler

HALVINGS = 60  # of a step, at most
LONGER = 4.0  # times as long as the last one is a step tried at first
BALANCED = 100  # iterations for the counts
COUNTED = 1e-6  # share of a document by which they may be missed
TRIALS = 60  # values of lambda
STRIDE = 2.0  # largest change of lambda's logarithm


def moments(
    p: Array, reference: Array, counts: Array, bounded: Array, multipliers: Array, h: Array, active: Array, G: Array
) -> None:
    """What the counts lack, and the grades' covariances summed over the ranks; the value does not count here."""
    total = np.zeros(c)
    C = np.zeros((c, c))
    for n in range(len(p)):
        for i in range(c):
            others = reference[n]
            for j in range(i):
                C[i, j] -= p[n, i] * p[n, j]
                others += p[n, j]
            for j in range(i + 1, c):
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
            G[1 + i, 1 + j] = C[i, j] if j <= i else C[j, i]


def tilt(multipliers: Array, r: Array, theta: Array) -> None:
    """Logits for the derivative that is held fixed."""
    for n in range(len(theta)):
        for i in range(c):
            theta[n, i] = multipliers[1 + i] + multipliers[0] * r[n, i]


def go(multipliers: Array, change: Array, bounded: Array, start: Array, lane: int, length: float) -> None:
    """Go along the change of the multipliers, from ``start`` (c,), as far as bounds allow."""
    for i in range(c):
        t = start[i] + length * change[1 + i, lane]
        multipliers[1 + i, lane] = min(t, 0.0) if bounded[lane] > 0.0 else t
    run(tilt)
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
    reach: float,
) -> bool:
    """Newton's method for mu, from the one that is there; False if it does not arrive.

    ``reach`` is the largest change of a multiplier in one step, more or less.
    """
    start = np.empty(c)
    before = np.empty(c)
    balanced = False
    length = 1.0
    for i in range(c):
        start[i] = multipliers[1 + i, lane]
    run(go, start, lane, 0.0)
    for _ in range(BALANCED):
        worst = 0.0
        lack = 0.0
        for i in range(c):
            lack = max(lack, active[1 + i, lane] * abs(h[1 + i, lane]))
            worst = max(worst, active[1 + i, lane] * abs(h[1 + i, lane]) / min(1.0, counts[i, lane]))
        if worst <= COUNTED:
            balanced = True
            break
        for i in range(c):
            # with all probabilities of a grade at 0 or 1 there is no curvature left
            G[1 + i, 1 + i, lane] += lack / reach
            start[i] = multipliers[1 + i, lane]
            before[i] = h[1 + i, lane]
        if not run(solve_border, lane):
            break
        length = min(LONGER * length, 1.0)
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
    return balanced


def approach(
    multipliers: Array,
    expected: Array,
    r: Array,
    lane: int,
    even: Array,
    end: float,
    wanted: float,
    sign: float,
    close: float,
) -> bool:
    """Find a lambda for which the measure is about ``wanted`` away from the end once the counts are balanced.

    The secant method in the logarithms of lambda and of that distance, within brackets, from the multipliers there
    are or, if lambda is 0, from ``even`` ones (c + 1,). Also computes the derivative there. False if lost.
    """
    spread = 0.0
    for i in range(c):
        least = math.inf
        most = -math.inf
        for n in range(len(r)):
            least = min(least, r[n, i, lane])
            most = max(most, r[n, i, lane])
        spread = max(spread, most - least)
    if not spread > 0.0:  # all ranks are alike
        return False
    size = math.log(abs(multipliers[0, lane])) if multipliers[0, lane] != 0.0 else -math.log(spread)
    before = even.copy()
    now = np.empty(c + 1)
    least = -math.inf
    most = math.inf
    slope = -1.0
    last = 0.0
    last_off = 0.0
    found = False
    for trial in range(TRIALS):
        for k in range(c + 1):
            now[k] = multipliers[k, lane]
        multipliers[0, lane] = sign * math.exp(size)
        if trial > 0:  # mu is about affine in lambda where probabilities stay about as they are
            for k in range(1, c + 1):
                multipliers[k, lane] += (
                    (now[k] - before[k]) * (multipliers[0, lane] - now[0]) / (now[0] - before[0])
                )
            for k in range(c + 1):
                before[k] = now[k]
        found = run(balance, lane, 10.0 + abs(multipliers[0, lane]) * spread)
        if not found:
            break
        run(gradient)
        off = math.log(max(abs(expected[lane] - end), 1e-300) / wanted)
        if abs(off) < close:
            break
        if off > 0.0:
            least = size
        else:
            most = size
        if trial > 0:
            slope = min((off - last_off) / (size - last), -0.1)
        last = size
        last_off = off
        size += min(max(-off / slope, -STRIDE), STRIDE)
        if not least < size or not size < most:
            size = (least + most) / 2
        if size == last:  # no number is closer
            break
    return found


BALANCE = (moments, tilt, go, balance, approach)
