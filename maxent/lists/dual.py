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
    lower_bound = least_entropy(lists)
    for logs in (False, True) if not len(allowed) else (True,):  # only logarithms can rule steps out

        def evaluate(multipliers: FloatArray, logs: bool = logs) -> Moments:
            return moments(lists, multipliers, allowed, logs)

        descent = descend(evaluate, values, intervals, free, start, lower_bound)
        dual = evaluate_dual(lists, descent.multipliers, allowed, logs)
        deviations, lengths = np.abs(dual.expected - values)[free], (intervals[1] - intervals[0])[free]
        residual = (deviations / lengths).max(initial=0.0)
        if residual <= FEASIBLE and dual.lost <= LOST and not descent.unbounded:
            break
    return dual._replace(residual=float(residual), passes=descent.passes + 1, unbounded=descent.unbounded)


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

    The derivative of the dual by lambda is E - v, so that it falls along a step by the slope step . (v - E).

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
        slope = float(step[free] @ missing)
        dual_before = log_z - multipliers @ values
        if not slope > 0:
            break
        # 2.
        share = min(1.0, float(2 * (dual_before - least + 1) / slope))  # it hopes to fall by half of slope
        # 3.
        if (np.abs(missing) <= CLOSE * room[free]).all():
            multipliers = multipliers + step
            break
        # 4.
        too_short, too_long = 0.0, np.inf  # the minimum along the step is between these shares of it
        while passes < most:
            passes += 1
            trial = multipliers + share * step
            log_z, expected, cov = evaluate(trial)
            dual = log_z - trial @ values
            rounding = ROUNDING * (1 + np.abs(trial) @ np.abs(values))
            slope_at_trial = float(step @ (values - expected))
            if slope_at_trial < -FAR * slope or dual > dual_before + rounding:
                too_long = share
            elif slope_at_trial > FAR * slope and too_long < np.inf:
                too_short = share
            else:
                break
            if too_short:
                share = np.sqrt(too_short * too_long)
            else:  # to where the slope would be 0 if it fell evenly, but it may fall late
                share *= np.clip(slope / max(slope - slope_at_trial, slope), *CUT)
        multipliers = trial
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
    # 1. (logit x* - logit x) x (1 - x) (high - low)
    x = np.clip((expected - low) / (high - low), FROM_ENDS, 1 - FROM_ENDS)
    wanted_x = np.clip((expected + missing - low) / (high - low), FROM_ENDS, 1 - FROM_ENDS)
    logit_change = np.log(wanted_x / x) - np.log((1 - wanted_x) / (1 - x))
    change = logit_change * x * (1 - x) * (high - low)
    # 2. cov^-1, from the eigenvalues of the correlations that are not 0
    deviations = np.sqrt(np.maximum(np.diag(cov), np.finfo(np.float64).tiny))
    products = np.outer(deviations, deviations)
    eigenvalues, vectors = np.linalg.eigh(cov / products)
    varying = eigenvalues > SINGULAR * len(cov)
    inverse = (vectors[:, varying] / eigenvalues[varying]) @ vectors[:, varying].T / products
    # 3. the cosine of both steps in the metric of cov: step' cov usual = step . missing
    step, usual = inverse @ change, inverse @ missing
    lengths = np.sqrt(max(step @ change, 0.0)) * np.sqrt(max(usual @ missing, 0.0))
    return np.asarray(step if step @ missing > ALIGNED * lengths else usual)


def least_entropy(lists: Lists) -> float:
    """Lower bound of the dual if a distribution has the values: the smallest log q(list) minus rounding errors."""
    return float(np.minimum(lists.log_odds, 0.0).min(axis=1).sum()) - 1e-6
