"""The decisions of Newton's method: step lengths, convergence and when to give up.

Problems side by side decide independently: while one shortens its last step, the others take a new one, and one
that is done waits for the rest. Truth values are the numbers 1 and 0, so that all lanes do the same arithmetic. The
loop that calls these passes is :func:`maxent.kernels.loops.native.newton_method`.
"""

from typing import Any

import numpy as np

from maxent.kernels.compiler.algebra import absolute, largest, maximum, minimum, truth, where
from maxent.kernels.compiler.trace import once, over_ranks

PATIENCE = 8.0  # iterations within which an error should halve
HOPELESS = 12.0  # iterations without a halving of the error that end a run of more than ``most`` iterations
SHORTENED, CONVEX = 5.0, 30.0  # most times that a step is shortened: in general, where the dual function is convex
TRUST = 2.0  # nats by which a step may lift a logarithm of a probability above that of the largest of its rank
ENDLESS = 1e300  # larger numbers, and NaN, count as not finite


@once
def release(whole: Any) -> None:
    """Multipliers of the counts become 0 where they are ``free``, once the logits at the start are known."""
    m = len(whole.value)
    free, multipliers = whole.free, whole.multipliers
    whole.multipliers = [*multipliers[:m], *(where(free > 0.0, 0.0, mu) for mu in multipliers[m:])]


@once
def begin(whole: Any) -> None:
    """Start the lanes that are ``used``, from their present logits and multipliers."""
    whole.running = whole.used
    whole.converged = whole.iterations = whole.shortened = whole.share = 0.0
    whole.best = whole.allowed = ENDLESS
    whole.patience = PATIENCE


@once
def decide(whole: Any) -> None:
    """Decide whether a problem shortens its last step, has converged, gives up or takes a new step (``fresh``).

    1. It shortens a step that was too long. 2. It has converged if the error is small; the first step is always
    taken, because an error in probabilities says little where all of them are tiny. 3. It gives up after ``most``
    iterations, or twice as many if the error keeps halving, and where numbers are not finite. 4. Otherwise it takes
    a new step. 5. The smallest error so far, and the iterations left in which it should halve. 6. The error that
    the end of the new step may have. It may rise, but once the patience is used up it must fall: this ends cycles
    between two points.
    """
    error, iterations, most = whole.error, whole.iterations, whole.most
    # 1.
    shorten = whole.running * _too_long(whole)
    # 2.
    unavoidable = minimum(4e-16 * whole.rounding, 1e-9)
    arrived = truth(error <= whole.tolerance + unavoidable) * truth(iterations > 0.0)
    # 3.
    stalled = truth(PATIENCE - whole.patience > minimum(HOPELESS, most - 3.0))
    late = truth(iterations >= most) * maximum(stalled, truth(iterations >= 2.0 * most))
    hopeless = maximum(late, 1.0 - truth(error < ENDLESS))
    # 4.
    at_full_step = whole.running * (1.0 - shorten)
    fresh = at_full_step * (1.0 - arrived) * (1.0 - hopeless)
    whole.converged = maximum(whole.converged, at_full_step * arrived)
    whole.running = shorten + fresh
    whole.share = where(shorten > 0.0, absolute(whole.share) * -0.5, 0.0)
    whole.shortened = shorten * (whole.shortened + 1.0)
    whole.iterations = iterations + fresh
    # 5.
    halved = truth(error < 0.5 * whole.best)
    patience = where(halved > 0.0, PATIENCE, whole.patience) - 1.0
    whole.fresh = fresh
    whole.best = where(fresh * halved > 0.0, error, whole.best)
    whole.patience = where(fresh > 0.0, patience, whole.patience)
    # 6.
    allowed = where(patience > 0.0, 2.0, 0.9) * error
    whole.allowed = where(fresh > 0.0, allowed, whole.allowed)


def _too_long(whole: Any) -> Any:
    """Whether the last step must be shortened.

    Without pairwise parts and upper bounds the dual function is convex, and a step is too long if the dual rises at
    its end more than half as steeply as it fell at its start. Otherwise the error must be below ``allowed``.
    """
    rises = (1.0 - truth(whole.error < whole.allowed)) * truth(whole.shortened < SHORTENED)
    steep = 1.0 - truth(_slope(whole) >= -0.5 * whole.slope)
    beyond = steep * truth(whole.shortened < CONVEX) * truth(whole.allowed < ENDLESS)
    return where(largest([whole.quadratic, *whole.bounded]) > 0.0, rises, beyond)


def _slope(whole: Any) -> Any:
    """Minus the derivative of the dual function along the change of the multipliers."""
    return (whole.h * whole.active) @ whole.change


@once
def border(whole: Any) -> None:
    """Step of the multipliers, B' (D - A)^-1 B change = h - B' (D - A)^-1 r; inactive bounds get multiplier 0.

    Rows of values and of counts differ widely in size: they are scaled, then eliminated with pivoting.

    1. The rows [matrix, right side]; that of an inactive bound says that its multiplier changes to 0. 2. Each is
    divided by its largest number. 3. Elimination, in which rows are exchanged so that the pivot is the largest.
    4. The change, in lanes with a new step.
    """
    # 1.
    G, size = whole.G, len(whole.h)
    right = whole.h - G[:, -1]
    active_rows = np.column_stack((G[:, :-1], right))
    inactive_rows = np.column_stack((np.eye(size), -whole.multipliers))
    pairs = zip(whole.active, active_rows, inactive_rows, strict=True)
    change = np.empty(size, G.dtype)
    M = np.array([_either(is_active, active_row, inactive_row) for is_active, active_row, inactive_row in pairs])
    # 2.
    for k in range(size):
        top = largest(absolute(M[k, :-1]))
        M[k] = M[k] * where(top > 0.0, 1.0 / top, 1.0)
    # 3.
    for k in range(size):
        for i in range(k + 1, size):
            larger = truth(absolute(M[i, k]) > absolute(M[k, k]))
            M[k], M[i] = _either(larger, M[i], M[k]), _either(larger, M[k], M[i])
        for i in range(size):
            if i != k:
                M[i, k + 1 :] = M[i, k + 1 :] - M[i, k] / M[k, k] * M[k, k + 1 :]
    # 4.
    for k in range(size):
        change[k] = M[k, -1] / M[k, k]
    fresh = whole.fresh
    whole.change = _either(fresh, change, whole.change)
    whole.slope = where(fresh > 0.0, _slope(whole), whole.slope)


def _either(first: Any, one: Any, other: Any) -> Any:
    """``one`` where ``first`` is positive, else ``other``."""
    return np.array([where(first > 0.0, x, y) for x, y in zip(one, other, strict=True)])


def _finish_growth(whole: Any, state: Any) -> None:
    growth = state.largest + (state.total - state.total)  # NaN if any number was not finite
    whole.growth = whole.fresh * where(growth < ENDLESS, growth, 0.0)
    whole.share = where(whole.fresh > 0.0, truth(growth < ENDLESS), whole.share)
    whole.running = whole.running * truth(absolute(whole.share) > 0.0)


@over_ranks(finish=_finish_growth, largest="", total="")
def fastest_growth(at: Any, whole: Any, state: Any) -> None:
    """Largest growth of a probability's logarithm in the full step; a step that is not finite ends the run."""
    mean = at.p @ at.step
    state.total = state.total + mean
    state.largest = largest([state.largest, -mean, *(at.step - mean)])


def _finish_step_length(whole: Any, state: Any) -> None:
    whole.share = where(whole.fresh > 0.0, 1.0 / maximum(state.rate, 1.0), whole.share)


@over_ranks(finish=_finish_step_length, rate="")
def step_length(at: Any, whole: Any, state: Any) -> None:
    """Largest share of the step, at most 1, that keeps to the limit ``TRUST``, to first order.

    A probability may shrink without limit, and a tiny one may grow by many orders of magnitude: no logarithm may
    exceed that of the largest probability of the rank before the step by more than ``TRUST``.
    """
    mean, room = at.p @ at.step, TRUST + largest([*at.theta, 0.0])
    rates = [(s - mean) / (room - theta) for s, theta in zip(at.step, at.theta, strict=True)]
    state.rate = largest([state.rate, -mean / room, *rates])


def _finish_move(whole: Any, state: Any) -> None:
    whole.multipliers = whole.multipliers + whole.share * whole.change


@over_ranks(reads=("share",), finish=_finish_move)
def move(at: Any, whole: Any, state: Any) -> None:
    """Add the current share of the step to the logits and the multipliers."""
    at.theta = at.theta + whole.share * at.step


PASSES = (release, begin, decide, border, fastest_growth, step_length, move)
