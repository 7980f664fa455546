"""The structured Newton solver: every measure of the algebra in O(depth * c^3) per iteration."""

import numpy as np
from scipy.optimize import brentq

from maxent.compiled import Workspace
from maxent.compiled.newton import CONVERGED
from maxent.measures.form import FloatArray
from maxent.solvers.interior import Candidate, Interior, fit_multipliers

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
    work = Workspace(inner.problem.depth, len(inner.present) - 1)
    load(work, 0, inner)
    start_even(work, 0, inner)
    converged, iterations = _run(work, inner, inner.value, DIRECT)
    if not converged:
        converged, more = _continuation(work, inner)
        iterations += more
    if not converged:
        converged, more = _from_end(work, inner)
        iterations += more
    p = np.column_stack((work["reference"], work["p"][..., 0]))
    message = "" if converged else f"Newton's method did not converge within {iterations} iterations"
    return Candidate(p, work["multipliers"][:, 0].copy(), iterations, message, failed=not converged)


def load(work: Workspace, lane: int, inner: Interior) -> None:
    """Put a problem into a lane."""
    form = inner.problem.form
    grades = np.array(inner.present)
    constant = work.run("load_measure", lane, form.a, form.d, form.K, grades, inner.scale)
    work["value"][lane] = (inner.problem.value - constant) / inner.scale
    work["counts"][:, lane] = inner.counts
    work["bounded"][lane] = inner.bounded


def start_even(work: Workspace, lane: int, inner: Interior) -> None:
    """Logits and multipliers of the even distribution."""
    mu = np.log(inner.even) - np.log1p(-inner.even.sum())
    work["theta"][..., lane] = mu
    work["multipliers"][:, lane] = 0.0, *mu


def _run(work: Workspace, inner: Interior, value: float, most: int) -> tuple[bool, int]:
    """Whether Newton's method arrives at a strict local maximum with the value, and its iterations."""
    work["value"][0] = value
    work.run("begin", 0)
    quadratic = not inner.problem.form.linear
    work.run("newton", most, TRUST, TOLERANCE, quadratic)
    converged = work["outcome"][0] == CONVERGED
    return bool(converged and (not quadratic or work.strict_maxima()[0])), int(work["iterations"][0])


def _continuation(work: Workspace, inner: Interior) -> tuple[bool, int]:
    """Approach the value in stages; the gap to the end of the interval shrinks by a factor that adapts."""
    start_even(work, 0, inner)
    reached = inner.form.expected(np.tile(inner.even, (work.depth, 1)))
    end = inner.high if inner.value > reached else inner.low
    theta, multipliers = work["theta"].copy(), work["multipliers"].copy()
    total = 0
    shrink = 0.3
    while total < MOST:
        left = (end - inner.value) / (end - reached)  # factor that would take the gap to its goal at once
        factor = max(left, shrink)
        target = inner.value if factor == left else end - (end - reached) * factor
        work["theta"][:], work["multipliers"][:] = theta, multipliers
        converged, iterations = _run(work, inner, target, STAGE)
        total += iterations
        if converged:
            theta, multipliers, reached = work["theta"].copy(), work["multipliers"].copy(), target
            if target == inner.value:
                return True, total
            shrink = shrink**2 if iterations <= 5 else shrink
        else:
            shrink = factor**0.5
            if 1 - shrink < SHORTEST:
                break
    return False, total


def _from_end(work: Workspace, inner: Interior) -> tuple[bool, int]:
    """Start from the end of the interval beyond the value, mixed with the even distribution to the right value.

    Near its smallest value a quadratic measure falls fastest when single ranks, not many, become certain: there
    the path from the even distribution folds back before it arrives.
    """
    even = inner.even_with_reference
    above = inner.value > inner.form.expected(np.tile(inner.even, (work.depth, 1)))
    end = inner.ends[above]

    def mixture(share: float) -> FloatArray:
        return (1 - share) * end + share * even

    def excess(share: float) -> float:
        return inner.form.expected(mixture(share)[:, 1:]) - inner.value

    p = mixture(float(brentq(excess, 0.0, 1.0, xtol=1e-300, rtol=1e-12)))
    work["theta"][..., 0] = np.log(p[:, 1:]) - np.log(p[:, :1])
    work["multipliers"][:, 0] = fit_multipliers(inner, p)
    return _run(work, inner, inner.value, 4 * DIRECT)
