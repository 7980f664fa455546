"""A start near an end of the interval: the problem with the measure's derivative held fixed is convex."""

import numpy as np

from maxent.compiled import Workspace
from maxent.compiled.drive import DIRECT
from maxent.compiled.newton import CONVERGED
from maxent.measures.form import FloatArray
from maxent.solvers.interior import Interior
from maxent.solvers.newton import load, run, start_even

SECANTS = 6  # steps towards the value wanted
STEADY = 1e-6  # change of probabilities below which the derivative need not be renewed


def frozen(
    work: Workspace, inner: Interior, times: int, shift: int
) -> tuple[tuple[FloatArray, FloatArray] | None, int]:
    """Logits mu + lambda w, and multipliers, with the derivative w held fixed, at the counts and the value.

    First w is taken at the end of the interval beyond the value: exact to first order if the value is close to it.
    Then it is taken at each result. Also counts iterations.
    """
    above = inner.value > inner.even_value
    p = inner.end(above)[np.maximum(np.arange(work.depth) - shift, 0), 1:]
    linear = Workspace(work.depth, work.c)
    load(linear, inner)
    linear["K"][:] = 0.0
    found, iterations = None, 0
    for _ in range(times):
        linear["a"][..., 0] = inner.form.gradient(p)
        solved, more = _with_value(linear, inner, inner.low + above, p)
        iterations += more
        if not solved:
            break
        last, p = p, linear["p"][..., 0].copy()
        found = linear["theta"][..., 0].copy(), linear["multipliers"][:, 0].copy()
        if np.abs(p - last).max() < STEADY:
            break
    return found, iterations


def _with_value(linear: Workspace, inner: Interior, end: float, p: FloatArray) -> tuple[bool, int]:
    """Solve the linearised problem for the value of its own that gives about the value wanted of the measure.

    At the end itself, the gaps of both values to their ends are about proportional: the secant method in their
    logarithms. Elsewhere they change alike: the secant method in the values.
    """
    w = linear["a"][..., 0]
    at, at_even = (float(np.sum(w * q)) for q in (p, inner.even))
    wanted, gap = inner.value - end, inner.form.expected(p) - end
    by_ratio = abs(gap) < 0.01 * abs(wanted)
    whole = inner.even_value - end
    x = float(np.log(wanted / whole)) if by_ratio else at + wanted - gap
    tried: list[tuple[float, float]] = []
    iterations = 0
    for _ in range(SECANTS):
        start_even(linear, inner)  # a saturated start is a bad one
        linear["value"][0] = at + (at_even - at) * np.exp(min(x, 0.0)) if by_ratio else x
        run(linear, 1, quadratic=False, most=2 * DIRECT)
        iterations += int(linear["iterations"][0])
        gap = inner.form.expected(linear["p"][..., 0]) - end
        if linear["outcome"][0] != CONVERGED or not gap / wanted > 0:
            return False, iterations
        if abs(gap / wanted - 1) < 0.02:
            return True, iterations
        tried.append((x, float(np.log(gap / wanted)) if by_ratio else gap - wanted))
        slope = (tried[-1][1] - tried[-2][1]) / (x - tried[-2][0]) if len(tried) > 1 else 1.0
        last, x = x, x - tried[-1][1] / (slope if slope > 0.1 else 1.0)
        if x == last:  # no number is closer
            break
    return True, iterations
