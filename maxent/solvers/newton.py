"""The structured Newton solver: every measure of the algebra in O(depth * c^3) per iteration."""

from types import SimpleNamespace

import numpy as np
from scipy.optimize import brentq

from maxent.measures.form import FloatArray
from maxent.solvers.compiled import NEWTON
from maxent.solvers.interior import Candidate, Interior, fit_multipliers
from maxent.unroll import compile_for

TOLERANCE = 1e-12
TRUST = 2.0  # nats that a probability may outgrow its way to 1 in one step
DIRECT = 60  # iterations of the direct attempt
STAGE = 40  # iterations of one stage of the continuation
MOST = 2000  # iterations of the continuation
SHORTEST = 1e-3  # the continuation gives up where it advances less than this share of the way


def solve_newton(inner: Interior) -> Candidate:
    """Newton's method from the even distribution; where that fails, continuation along the value.

    The path from the even distribution (multiplier 0) to the wanted value stays on strict local maxima, and its
    stages approach the end of the interval geometrically.
    """
    theta, multipliers = _even_start(inner)
    converged, iterations, strict = _run(inner, inner.value, theta, multipliers, DIRECT)
    if not (converged and strict):
        theta, multipliers, converged, more = _continuation(inner)
        iterations += more
    if not converged:
        theta, multipliers, converged, more = _from_end(inner)
        iterations += more
    p = np.empty_like(theta)
    reference = np.empty(len(theta))
    compiled(inner).softmax(theta, p, reference)
    message = "" if converged else f"Newton's method did not converge within {iterations} iterations"
    return Candidate(np.column_stack((reference, p)), multipliers, iterations, message, failed=not converged)


def compiled(inner: Interior) -> SimpleNamespace:
    """Machine code for the problem's number of grades."""
    return compile_for(inner.form.a.shape[1], NEWTON)


def _even_start(inner: Interior) -> tuple[FloatArray, FloatArray]:
    row = inner.even
    mu = np.log(row) - np.log1p(-row.sum())
    theta = np.tile(mu, (len(inner.form.d), 1))
    return theta, np.concatenate(([0.0], mu))


def _run(
    inner: Interior, value: float, theta: FloatArray, multipliers: FloatArray, most: int
) -> tuple[bool, int, bool]:
    form = inner.form
    outcome: tuple[bool, int, bool] = compiled(inner).newton(
        form.a, form.d, form.K, value, inner.counts, inner.bounded, theta, multipliers, most, TRUST, TOLERANCE
    )
    return outcome


def _continuation(inner: Interior) -> tuple[FloatArray, FloatArray, bool, int]:
    """Approach the value in stages; the gap to the end of the interval shrinks by a factor that adapts."""
    theta, multipliers = _even_start(inner)
    reached = inner.form.expected(np.tile(inner.even, (len(theta), 1)))
    end = inner.high if inner.value > reached else inner.low
    total = 0
    shrink = 0.3
    while total < MOST:
        left = (end - inner.value) / (end - reached)  # factor that would take the gap to its goal at once
        factor = max(left, shrink)
        target = inner.value if factor == left else end - (end - reached) * factor
        next_theta, next_multipliers = theta.copy(), multipliers.copy()
        converged, iterations, strict = _run(inner, target, next_theta, next_multipliers, STAGE)
        total += iterations
        if converged and strict:
            theta, multipliers, reached = next_theta, next_multipliers, target
            if target == inner.value:
                return theta, multipliers, True, total
            shrink = shrink**2 if iterations <= 5 else shrink
        else:
            shrink = factor**0.5
            if 1 - shrink < SHORTEST:
                break
    return theta, multipliers, False, total


def _from_end(inner: Interior) -> tuple[FloatArray, FloatArray, bool, int]:
    """Start from the end of the interval beyond the value, mixed with the even distribution to the right value.

    Near its smallest value a quadratic measure falls fastest when single ranks, not many, become certain: there
    the path from the even distribution folds back before it arrives.
    """
    even = inner.even_with_reference
    above = inner.value > inner.form.expected(np.tile(inner.even, (len(inner.form.d), 1)))
    end = inner.ends[above]

    def mixture(share: float) -> FloatArray:
        return (1 - share) * end + share * even

    def excess(share: float) -> float:
        return inner.form.expected(mixture(share)[:, 1:]) - inner.value

    p = mixture(float(brentq(excess, 0.0, 1.0, xtol=1e-300, rtol=1e-12)))
    theta = np.log(p[:, 1:]) - np.log(p[:, :1])
    multipliers = fit_multipliers(inner, p)
    converged, total, strict = _run(inner, inner.value, theta, multipliers, 4 * DIRECT)
    return theta, multipliers, converged and strict, total
