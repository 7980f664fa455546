"""Lengths of steps, and when there are enough of them; sources, see :mod:`maxent.compiled.fields`."""

import math

from maxent.compiled.fields import Array, run

c = 2  # number of grades besides the reference; filled in by the compiler

PATIENCE = 8.0  # iterations within which an error should halve
STALLED = 12.0, 3.0  # iterations without that after which there is no hope, or as many less than a run should have


def fastest_growth(p: Array, step: Array, growth: Array) -> None:
    """Largest growth of a probability's logarithm in the step; NaN for a step that is not finite."""
    largest = 0.0
    total = 0.0
    for n in range(len(p)):
        mean = 0.0
        for i in range(c):
            mean += p[n, i] * step[n, i]
        total += mean
        largest = max(largest, -mean)
        for i in range(c):
            largest = max(largest, step[n, i] - mean)
    growth[()] = largest + 0.0 * total


def step_length(
    theta: Array, p: Array, reference: Array, step: Array, growth: Array, lane: int, trust: float
) -> float:
    """Largest share of a step, at most 1, for which no probability outgrows its way to 1 by ``trust``.

    A small probability may become smaller without limit, and may grow by its own logarithm before it matters.
    """
    if growth[lane] <= trust:
        return 1.0
    share = 1.0 if math.isfinite(growth[lane]) else 0.0
    for n in range(len(p)):
        mean = 0.0
        largest = reference[n, lane]
        logit = 0.0  # of the largest
        for i in range(c):
            mean += p[n, i, lane] * step[n, i, lane]
            if p[n, i, lane] > largest:
                largest = p[n, i, lane]
                logit = theta[n, i, lane]
        missing = logit - math.log(largest)  # less a logit: to a probability of 1, however small the one there is
        if -mean * share > trust:
            share = min(share, (trust + missing) / -mean)
        for i in range(c):
            faster = step[n, i, lane] - mean
            if faster * share > trust:
                share = min(share, (trust + missing - theta[n, i, lane]) / faster)
    return share


def move(theta: Array, step: Array, share: Array) -> None:
    """Go along the step."""
    for n in range(len(theta)):
        for i in range(c):
            theta[n, i] += share[()] * step[n, i]


def rise(h: Array, change: Array, active: Array, lane: int) -> float:
    """Derivative of the dual function along the change of the multipliers, with its sign turned."""
    total = 0.0
    for k in range(c + 1):
        total += h[k, lane] * change[k, lane] * active[k, lane]
    return total


def too_long(
    error: Array,
    allowed: Array,
    slope: Array,
    shortened: Array,
    bounded: Array,
    h: Array,
    change: Array,
    active: Array,
    lane: int,
    quadratic: bool,
) -> bool:
    """Whether the last step has to be shortened.

    Without pairwise part and bounds the dual function is convex: a step is too long if the dual rises steeply at
    its end. Otherwise the error may not rise by much.
    """
    if quadratic or bounded[lane] > 0.0:
        return not error[lane] < allowed[lane] and shortened[lane] < 5
    return allowed[lane] < math.inf and not run(rise, lane) >= -0.5 * slope[lane] and shortened[lane] < 30


def arrived(error: Array, rounding: Array, lane: int, tolerance: float) -> bool:
    """Whether the largest residual is small enough."""
    return bool(error[lane] <= tolerance + min(4e-16 * rounding[lane], 1e-9))


def exhausted(error: Array, patience: Array, iterations: Array, lane: int, most: int) -> bool:
    """Whether a lane should not go on."""
    stalled = PATIENCE - patience[lane] > min(STALLED[0], most - STALLED[1])
    late = iterations[lane] >= most and (stalled or iterations[lane] >= 2 * most)
    return late or not math.isfinite(error[lane])


STEPS = (fastest_growth, step_length, move, rise, too_long, arrived, exhausted)
