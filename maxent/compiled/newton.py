"""Newton's method; sources, see :mod:`maxent.compiled.fields`.

Several problems go side by side, each in a lane of its own and at its own iteration: while one shortens a step, the
others take a new one, and a lane that is done waits for the rest.
"""

import math

import numpy as np

from maxent.compiled.fields import Array, run
from maxent.compiled.state import gradient, softmax
from maxent.compiled.steps import PATIENCE, arrived, exhausted, fastest_growth, move, rise, step_length, too_long
from maxent.compiled.system import backward, backward_linear, forward, forward_linear

c = 2  # number of grades besides the reference; filled in by the compiler
lanes = 1  # number of problems side by side; likewise

IDLE, RUNNING, CONVERGED, EXHAUSTED, BROKEN = range(5)
"""Outcomes of a lane."""


def residuals(
    theta: Array,
    offset: Array,
    p: Array,
    w: Array,
    multipliers: Array,
    value: Array,
    expected: Array,
    counts: Array,
    bounded: Array,
    size: Array,
    r: Array,
    h: Array,
    active: Array,
    error: Array,
    rounding: Array,
) -> None:
    """What stationarity lacks in the logits, the constraints lack, and the largest of it in probabilities.

    Those of a grade with less than one document count in shares of what there is.
    """
    total = np.zeros(c)
    weight = np.zeros(c)
    largest = 0.0
    steepest = 0.0
    for i in range(c):
        weight[i] = max(1.0, 1.0 / counts[i])
    for n in range(len(theta)):
        mean = 0.0
        for i in range(c):
            t = multipliers[1 + i] + multipliers[0] * w[n, i] + offset[n, i] - theta[n, i]
            r[n, i] = t
            mean += p[n, i] * t
            total[i] += size[n] * p[n, i]
            steepest = max(steepest, abs(w[n, i]))
        for i in range(c):
            largest = max(largest, p[n, i] * abs(r[n, i] - mean) * weight[i])
    h[0] = value[()] - expected[()]
    active[0] = 1.0
    worst = abs(h[0])
    for i in range(c):
        h[1 + i] = counts[i] - total[i]
        # an upper bound counts where its multiplier outweighs its slack
        t = 0.0 if multipliers[1 + i] + h[1 + i] / counts[i] > 0.0 else 1.0
        active[1 + i] = t if bounded[()] > 0.0 else 1.0
        worst = max(worst, abs(h[1 + i]) / counts[i] if active[1 + i] > 0.0 else abs(multipliers[1 + i]))
    error[()] = max(worst, largest)
    rounding[()] = abs(multipliers[0]) * steepest


def solve_border(G: Array, h: Array, active: Array, multipliers: Array, change: Array, lane: int) -> bool:
    """Step of the multipliers; an inactive bound's multiplier goes to 0. False where it is not finite."""
    size = c + 1
    M = np.empty((size, size + 1))
    for k in range(size):
        top = 0.0
        for m in range(size):
            M[k, m] = G[k, m, lane] if active[k, lane] > 0.0 else (1.0 if k == m else 0.0)
            top = max(top, abs(M[k, m]))
        M[k, size] = h[k, lane] - G[k, size, lane] if active[k, lane] > 0.0 else -multipliers[k, lane]
        # rows of very different size (the value against the counts): balance, then eliminate with pivoting
        M[k] /= top if top > 0.0 else 1.0
    for k in range(size):
        best = k
        for m in range(k + 1, size):
            best = m if abs(M[m, k]) > abs(M[best, k]) else best
        for m in range(size + 1):
            t = M[k, m]
            M[k, m] = M[best, m]
            M[best, m] = t
        for m in range(size):
            if m != k:
                t = M[m, k] / M[k, k]
                for q in range(k, size + 1):
                    M[m, q] -= t * M[k, q]
    finite = True
    for k in range(size):
        change[k, lane] = M[k, size] / M[k, k]
        finite = finite and math.isfinite(change[k, lane])
    return finite


def newton(
    theta: Array,
    multipliers: Array,
    change: Array,
    h: Array,
    active: Array,
    G: Array,
    error: Array,
    growth: Array,
    share: Array,
    fresh: Array,
    best: Array,
    patience: Array,
    allowed: Array,
    slope: Array,
    shortened: Array,
    iterations: Array,
    outcome: Array,
    most: int,
    trust: float,
    tolerance: float,
    quadratic: bool,
) -> None:
    """Go on until every lane is done.

    Parameters
    ----------
    most : int
        Iterations after which a lane is exhausted; twice as many while its error keeps halving.
    trust : float
        Trust in the linear model, see :func:`step_length`.
    tolerance : float
        Largest error of a solution, beyond what rounding makes unavoidable.
    quadratic : bool
        Whether any problem has a pairwise part.
    """
    running = True
    while running:
        run(softmax)
        run(gradient)
        run(residuals)
        stepping = False
        running = False
        for lane in range(lanes):
            fresh[lane] = 0.0
            if outcome[lane] != RUNNING:
                share[lane] = 0.0
                continue
            if run(too_long, lane, quadratic):
                share[lane] = -abs(share[lane]) / 2
                shortened[lane] += 1.0
            # an error in probabilities says little where all of them are tiny: take a step in any case
            elif iterations[lane] > 0.0 and run(arrived, lane, tolerance):
                outcome[lane] = CONVERGED
            elif run(exhausted, lane, most):
                outcome[lane] = EXHAUSTED
            else:
                fresh[lane] = 1.0
                stepping = True
                iterations[lane] += 1.0
                if error[lane] < 0.5 * best[lane]:
                    best[lane] = error[lane]
                    patience[lane] = PATIENCE
                patience[lane] -= 1.0
                # an error may rise for a while on the way, but not for long: two-cycles end here
                allowed[lane] = (2.0 if patience[lane] > 0.0 else 0.9) * error[lane]
                shortened[lane] = 0.0
            if outcome[lane] == RUNNING:
                running = True
            else:
                share[lane] = 0.0
        if stepping:
            if quadratic:
                run(forward)
            else:
                run(forward_linear)
            for lane in range(lanes):
                if fresh[lane] > 0.0 and not run(solve_border, lane):
                    outcome[lane] = BROKEN
                if fresh[lane] > 0.0:
                    slope[lane] = run(rise, lane)
            if quadratic:
                run(backward)
            else:
                run(backward_linear)
            run(fastest_growth)
            for lane in range(lanes):
                if fresh[lane] > 0.0:
                    share[lane] = run(step_length, lane, trust) if outcome[lane] == RUNNING else 0.0
                    if not share[lane] > 0.0:
                        share[lane] = 0.0
                        outcome[lane] = BROKEN
        for lane in range(lanes):
            if share[lane] != 0.0:
                for k in range(c + 1):
                    multipliers[k, lane] += share[lane] * change[k, lane]
        run(move)


def begin(
    iterations: Array,
    best: Array,
    patience: Array,
    allowed: Array,
    shortened: Array,
    share: Array,
    outcome: Array,
    used: int,
) -> None:
    """Let the first ``used`` lanes run, from the logits and multipliers that they have."""
    for lane in range(lanes):
        iterations[lane] = 0.0
        best[lane] = math.inf
        patience[lane] = PATIENCE
        allowed[lane] = math.inf
        shortened[lane] = 0.0
        share[lane] = 0.0
        outcome[lane] = RUNNING if lane < used else IDLE


NEWTON = (residuals, solve_border, newton, begin)
