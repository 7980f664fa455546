"""The dual: minimise log Z(lambda) - lambda . v over the multipliers, which is convex, by Newton's method.

The expected value of a measure is a curve like a sigmoid in its multiplier. So a step goes for the logit of the
value within its interval, which is nearly linear, and the slope along the step says whether it went too far.
"""

from typing import NamedTuple

import numpy as np

from maxent.lists.extremes import EVERY
from maxent.lists.recursion import backward, forward
from maxent.lists.steps import Lists
from maxent.problem.certificate import FEASIBLE
from maxent.types import FloatArray, IntArray

PASSES = 200  # passes of the recursion, at most
CLOSE = 1e-7  # deviation from the values, relative to the way to their nearer ends, which the last step squares
LOST = 1e-9  # probability that may be lost to underflow
SINGULAR = 1e-13  # eigenvalue of the correlations of the measures that counts as 0
FROM_ENDS = 1e-15  # share of an interval
FAR = 0.9  # of the slope along a step may be left at its end, with the other sign


class Dual(NamedTuple):
    """A point of the dual, and the distribution there."""

    multipliers: FloatArray  # (m,)
    log_z: float
    p: FloatArray  # (N, c + 1), group 0 last
    posterior: FloatArray | None  # (N + 1, S) probability of each state, unless it was dropped
    expected: FloatArray  # (m,) values
    residual: float  # largest deviation of an expected value, relative to the interval
    lost: float
    passes: int
    logs: bool
    unbounded: bool  # no distribution over the lists has the values


def minimise(
    lists: Lists,
    values: FloatArray,
    intervals: FloatArray,
    free: IntArray,
    start: FloatArray,
    allowed: IntArray = EVERY,
) -> Dual:
    """The dual's minimum over the multipliers of the measures in ``free``, on the lists that are ``allowed``."""
    found = _minimise(lists, values, intervals, free, start, allowed, logs=len(allowed) > 0)
    if not found.logs and not (found.residual <= FEASIBLE and found.lost <= LOST and not found.unbounded):
        return _minimise(lists, values, intervals, free, start, allowed, logs=True)
    return found


def _minimise(
    lists: Lists,
    values: FloatArray,
    intervals: FloatArray,
    free: IntArray,
    start: FloatArray,
    allowed: IntArray,
    *,
    logs: bool,
) -> Dual:
    least, length = _least_entropy(lists), intervals[1] - intervals[0]
    room = np.minimum(values - intervals[0], intervals[1] - values)
    multipliers, passes, unbounded = start, 1, False
    log_z, expected, cov = _evaluate(lists, multipliers, allowed, logs)
    while len(free) and np.isfinite(log_z) and not unbounded and passes < PASSES:
        missing = (values - expected)[free]
        step = np.zeros(len(start))
        step[free] = _newton_step(missing, expected[free], intervals[:, free], cov[np.ix_(free, free)])
        slope, share = float(step[free] @ missing), 1.0
        if not slope > 0:
            break
        if (np.abs(missing) <= CLOSE * room[free]).all():
            multipliers = multipliers + step
            break
        while passes < PASSES:
            passes += 1
            log_z, expected, cov = _evaluate(lists, multipliers + share * step, allowed, logs)
            ahead = float(step @ (values - expected))
            if not ahead < -FAR * slope:
                break
            share *= slope / (slope - ahead)  # where the slope along the step would be 0 if it fell evenly
        multipliers = multipliers + share * step
        unbounded = bool(log_z + lists.log_constant - multipliers @ (values - lists.constants) < least)
    kept = np.empty((lists.depth + 1, lists.states.shape[1]))
    log_z = backward(lists.steps, multipliers, logs, False, allowed, False, kept)[0]
    p, expected, lost = forward(lists.steps, multipliers, logs, allowed, kept)
    expected = expected + lists.constants
    residual = np.abs(expected - values)[free] / length[free]
    worst = float(residual.max(initial=0.0))
    return Dual(multipliers, log_z, p, kept, expected, worst, lost, passes + 1, logs, unbounded)


def posterior(lists: Lists, dual: Dual, allowed: IntArray) -> FloatArray:
    """Probability (N + 1, S) of each state, computed again where it was dropped."""
    if dual.posterior is not None:
        return dual.posterior
    kept = np.empty((lists.depth + 1, lists.states.shape[1]))
    backward(lists.steps, dual.multipliers, dual.logs, False, allowed, False, kept)
    forward(lists.steps, dual.multipliers, dual.logs, allowed, kept)
    return kept


def _evaluate(
    lists: Lists, multipliers: FloatArray, allowed: IntArray, logs: bool
) -> tuple[float, FloatArray, FloatArray]:
    """Logarithm of Z of the recursion, expected values (m,) and their covariance (m, m)."""
    log_z, mean, cov = backward(lists.steps, multipliers, logs, False, allowed, True, np.zeros((0, 0)))
    return log_z, mean + lists.constants, cov


def _newton_step(missing: FloatArray, expected: FloatArray, intervals: FloatArray, cov: FloatArray) -> FloatArray:
    """Newton step (m,) towards the logits of the values, or the usual one where that leads uphill.

    Directions in which the measures do not vary, as some are combinations of others, are left alone.
    """
    low, high = intervals
    inside = np.clip((expected - low) / (high - low), FROM_ENDS, 1 - FROM_ENDS)
    wanted = np.clip((expected + missing - low) / (high - low), FROM_ENDS, 1 - FROM_ENDS)
    logit = np.log(wanted / inside) - np.log((1 - wanted) / (1 - inside))
    scale = np.sqrt(np.maximum(np.diag(cov), np.finfo(np.float64).tiny))
    eigenvalues, vectors = np.linalg.eigh(cov / np.outer(scale, scale))
    kept = eigenvalues > SINGULAR * len(cov)
    inverse = (vectors[:, kept] / eigenvalues[kept]) @ vectors[:, kept].T / np.outer(scale, scale)
    step = inverse @ (logit * inside * (1 - inside) * (high - low))
    return np.asarray(step if step @ missing > 0 else inverse @ missing)


def _least_entropy(lists: Lists) -> float:
    """What the dual is never below where a distribution has the values: no list has a smaller log q."""
    return float(np.minimum(lists.log_odds, 0.0).min(axis=1).sum()) - 1e-6
