"""The dual: minimise the convex function log Z(lambda) - lambda . v of the multipliers by Newton's method.

The expected value of a measure is nearly a sigmoid function of its multiplier. A step therefore aims at the logit
of the value within its interval, which is nearly linear, and the slope at the end of the step shows whether it went
too far. Nearly equivalent measures need not follow their logits; then the usual Newton step is taken. No step may
raise the dual.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from maxent.lists.recursion import EVERY, Moments, Recursion
from maxent.lists.steps import Lists
from maxent.problem.certificate import FEASIBLE
from maxent.types import FloatArray, IntArray

PASSES = 200  # passes of the recursion, at most
CLOSE = 1e-7  # deviation from the values, relative to the way to their nearer ends, which the last step squares
LOST = 1e-9  # probability that may be lost to underflow
SINGULAR = 1e-13  # eigenvalue of the correlations of the measures that counts as 0
FROM_ENDS = 1e-15  # share of an interval
ALIGNED = 0.5  # cosine between the steps for logits and for values below which the latter is taken
FAR = 0.9  # of the slope along a step may be left at its end, with the other sign
CUT = 0.1, 0.5  # a step that goes too far is cut to a share between these
ROUNDING = 1e-12  # of the dual's terms


class Dual(NamedTuple):
    """Multipliers, and the distribution over lists that they imply."""

    multipliers: FloatArray  # (m,)
    log_z: float
    p: FloatArray  # (N, c + 1), group 0 last
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
    """Minimise the dual over the multipliers of the measures in ``free``, on the ``allowed`` lists.

    The arguments are those of :func:`descend`; ``allowed`` are the steps (N, S) that are left. Logarithms are tried
    where doubles do not reach the values.
    """
    for logs in (False, True) if not len(allowed) else (True,):

        def evaluate(multipliers: FloatArray, logs: bool = logs) -> Moments:
            return moments(lists, multipliers, allowed, logs)

        descent = descend(evaluate, values, intervals, free, start, least_entropy(lists))
        dual = evaluate_dual(lists, descent.multipliers, allowed, logs)
        off = (np.abs(dual.expected - values)[free] / (intervals[1] - intervals[0])[free]).max(initial=0.0)
        if off <= FEASIBLE and dual.lost <= LOST and not descent.unbounded:
            break
    return dual._replace(residual=float(off), passes=descent.passes + 1, unbounded=descent.unbounded)


class Descent(NamedTuple):
    """Where Newton's method on the dual ends."""

    multipliers: FloatArray  # (m,)
    passes: int
    unbounded: bool  # whether the dual fell below its lower bound, so that no distribution has the values


def descend(
    evaluate: Callable[[FloatArray], Moments],
    values: FloatArray,
    intervals: FloatArray,
    free: IntArray,
    start: FloatArray,
    least: float,
    most: int = PASSES,
) -> Descent:
    """Minimise log Z - lambda . v by Newton's method.

    1. A step from the present multipliers, with the slope of the dual along it. 2. The first share of it, so that
    the dual is not expected below its bound. 3. A step that squares a deviation below ``CLOSE`` is the last, and is
    taken unseen. 4. A share that goes too far is cut; one that does not go far enough is raised, once a share
    that goes too far is known.

    Parameters
    ----------
    evaluate : callable
        Log Z, expected values and covariances at multipliers (m,).
    values : (m,) array
        Wanted values.
    intervals : (2, m) array
        Smallest and largest values.
    free : integer array
        Indices of the measures whose multipliers change.
    start : (m,) array
        Multipliers at the start.
    least : float
        Lower bound of the dual if a distribution has the values.
    most : int
        Evaluations, at most.

    Returns
    -------
    Descent
        The last multipliers, at the minimum or not.
    """
    room = np.minimum(values - intervals[0], intervals[1] - values)
    multipliers, passes, unbounded = start, 1, False
    log_z, expected, cov = evaluate(multipliers)
    while len(free) and np.isfinite(log_z) and not unbounded and passes < most:
        # 1.
        missing = (values - expected)[free]
        step = np.zeros(len(start))
        step[free] = newton_step(missing, expected[free], intervals[:, free], cov[np.ix_(free, free)])
        slope, before = float(step[free] @ missing), log_z - multipliers @ values
        if not slope > 0:
            break
        # 2.
        share = min(1.0, float(2 * (before - least + 1) / slope))  # it hopes to fall by half of slope
        # 3.
        if (np.abs(missing) <= CLOSE * room[free]).all():
            multipliers = multipliers + step
            break
        # 4.
        near, far = 0.0, np.inf  # the minimum along the step is between these shares of it
        while passes < most:
            passes += 1
            there = multipliers + share * step
            log_z, expected, cov = evaluate(there)
            dual = log_z - there @ values
            rounding = ROUNDING * (1 + np.abs(there) @ np.abs(values))
            ahead = float(step @ (values - expected))
            if ahead < -FAR * slope or dual > before + rounding:
                far = share
            elif ahead > FAR * slope and far < np.inf:
                near = share
            else:
                break
            if near:
                share = np.sqrt(near * far)
            else:  # to where the slope would be 0 if it fell evenly, but it may fall late
                share *= np.clip(slope / max(slope - ahead, slope), *CUT)
        multipliers = there
        unbounded = bool(dual < least - rounding)
    return Descent(multipliers, passes, unbounded)


def evaluate_dual(lists: Lists, multipliers: FloatArray, allowed: IntArray, logs: bool) -> Dual:
    """Distribution at given multipliers (m,), without the attributes of a search: residual, passes, unbounded.

    ``allowed`` are the steps (N, S) that are left.
    """
    recursion = Recursion(lists, multipliers, logs, allowed)
    sums = recursion.backward()
    flow = recursion.forward(sums.rows)
    return Dual(
        multipliers=multipliers,
        log_z=sums.log_z,
        p=flow.p,
        expected=flow.expected + lists.constants,
        residual=np.nan,
        lost=flow.lost,
        passes=0,
        logs=logs,
        unbounded=False,
    )


def moments(lists: Lists, multipliers: FloatArray, allowed: IntArray, logs: bool) -> Moments:
    """Logarithm of Z, expected values and covariances at multipliers (m,), on the ``allowed`` steps (N, S)."""
    gains = Recursion(lists, multipliers, logs, allowed).moments()
    constant = lists.log_constant + float(multipliers @ lists.constants)
    return Moments(gains.log_z + constant, gains.expected + lists.constants, gains.cov)


def newton_step(missing: FloatArray, expected: FloatArray, intervals: FloatArray, cov: FloatArray) -> FloatArray:
    """Newton step (m,) towards the logits of the values, or the usual Newton step if the two differ much.

    It has no component in directions of zero variance, where measures are linear combinations of each other.
    ``missing`` (m,) are the values minus the ``expected`` ones (m,), ``intervals`` is (2, m), and ``cov`` (m, m) is
    the Hessian of log Z. With x = (E - low) / (high - low) and the same share x* of the value:

        usual = cov^-1 missing,    step = cov^-1 ((logit x* - logit x) x (1 - x) (high - low))
    """
    low, high = intervals
    inside = np.clip((expected - low) / (high - low), FROM_ENDS, 1 - FROM_ENDS)
    wanted = np.clip((expected + missing - low) / (high - low), FROM_ENDS, 1 - FROM_ENDS)
    logit = np.log(wanted / inside) - np.log((1 - wanted) / (1 - inside))
    scale = np.sqrt(np.maximum(np.diag(cov), np.finfo(np.float64).tiny))
    eigenvalues, vectors = np.linalg.eigh(cov / np.outer(scale, scale))
    varying = eigenvalues > SINGULAR * len(cov)
    inverse = (vectors[:, varying] / eigenvalues[varying]) @ vectors[:, varying].T / np.outer(scale, scale)
    wished = logit * inside * (1 - inside) * (high - low)
    step, usual = inverse @ wished, inverse @ missing
    lengths = np.sqrt(max(step @ wished, 0.0)) * np.sqrt(max(usual @ missing, 0.0))
    return np.asarray(step if step @ missing > ALIGNED * lengths else usual)


def least_entropy(lists: Lists) -> float:
    """Lower bound of the dual if a distribution has the values: the smallest log q(list) minus rounding errors."""
    return float(np.minimum(lists.log_odds, 0.0).min(axis=1).sum()) - 1e-6
