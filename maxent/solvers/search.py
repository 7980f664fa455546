"""Where Newton's method does not arrive by itself: paths and starts for values near an end of the interval."""

import numpy as np
from scipy.optimize import brentq

from maxent.compiled import Workspace
from maxent.compiled.newton import CONVERGED
from maxent.measures.form import FloatArray
from maxent.solvers.interior import Candidate, Interior, fit_multipliers
from maxent.solvers.newton import DIRECT, candidate, load, run

STAGE = 40  # iterations of one stage of the continuation
MOST = 2000  # iterations of the continuation
SHORTEST = 1e-3  # the continuation gives up where it advances less than this share of the way


def search(inner: Interior) -> Candidate:
    """Continuation along the value; where that fails, a start at the end of the interval.

    The path from the even distribution (multiplier 0) to the wanted value stays on strict local maxima, and its
    stages approach the end of the interval geometrically.
    """
    work = Workspace(inner.problem.depth, len(inner.present) - 1)
    load(work, 0, inner)
    converged, iterations = _continuation(work, inner)
    if not converged:
        converged, more = _from_end(work, inner)
        iterations += more
    found = candidate(work, 0)
    message = "" if converged else f"no strict local maximum found within {iterations} iterations"
    return Candidate(found.p, found.multipliers, iterations, message, failed=not converged)


def _arrived(work: Workspace, inner: Interior) -> tuple[bool, int]:
    """Whether the first lane holds a strict local maximum, and its iterations."""
    converged = work["outcome"][0] == CONVERGED
    strict = converged and (inner.problem.form.linear or work.strict_maxima()[0])
    return bool(strict), int(work["iterations"][0])


def _run(work: Workspace, inner: Interior, value: float, most: int) -> tuple[bool, int]:
    """Newton's method for another value, from what the first lane has."""
    work["value"][0] = value
    run(work, 1, quadratic=not inner.problem.form.linear, most=most)
    return _arrived(work, inner)


def _continuation(work: Workspace, inner: Interior) -> tuple[bool, int]:
    """Approach the value in stages; the gap to the end of the interval shrinks by a factor that adapts."""
    work.run("start_even", 0, inner.even)
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
