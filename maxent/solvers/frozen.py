"""A start near an end of the interval: the problem with the measure's derivative held fixed is convex."""

import numpy as np

from maxent.compiled import Workspace
from maxent.solvers.ascent import Start
from maxent.solvers.interior import Interior
from maxent.solvers.newton import start_even

STEADY = 1e-6  # change of probabilities below which the derivative need not be renewed


def frozen(work: Workspace, inner: Interior, times: int, shift: int) -> Start | None:
    """Logits mu + lambda w, and multipliers, with the derivative w held fixed, at the counts and about the value.

    First w is taken at the end of the interval beyond the value: exact to first order if the value is close to it.
    Then it is taken at each result.
    """
    above = inner.value > inner.even_value
    end, sign = inner.low + above, 1.0 if above else -1.0
    start_even(work, inner)
    even = work["multipliers"][:, 0].copy()
    work["p"][..., 0] = inner.end(above)[np.maximum(np.arange(work.depth) - shift, 0), 1:]
    work.run("gradient")
    found = None
    for _ in range(times):
        work["r"][:], last = work["w"], work["p"].copy()
        if not work.run("approach", 0, even, end, abs(inner.value - end), sign):
            break
        found = work["theta"][..., 0].copy(), work["multipliers"][:, 0].copy()
        if np.abs(work["p"] - last).max() < STEADY:
            break
    return found
