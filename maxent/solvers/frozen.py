"""A start near an end of the interval: the problem with the measure's derivative held fixed is convex."""

import numpy as np

from maxent.compiled import Workspace
from maxent.solvers.ascent import Start
from maxent.solvers.interior import Interior
from maxent.solvers.newton import start_even

RENEWALS = 20  # of the derivative, at most
CLOSE = 0.02  # share of the distance to the end by which the value may be missed, for a change of one


def frozen(work: Workspace, inner: Interior, *, shift: int, steady: float) -> Start | None:
    """Logits mu + lambda w, and multipliers, with the derivative w held fixed, at the counts and about the value.

    First w is taken at the end of the interval beyond the value: exact to first order if the value is close to it.
    Then it is taken at each result, or only goes some way there if the results go to and fro: an ascent with steps
    in the logits (mirror ascent). Where it becomes steady, Newton's method arrives.

    Parameters
    ----------
    work : Workspace
        Overwritten.
    inner : Interior
    shift : int
        Ranks that the list at the end is moved down by.
    steady : float
        Change of probabilities below which the derivative need not be renewed; infinite for that at the end alone.
    """
    above = inner.value > inner.even_value
    end, sign = inner.low + above, 1.0 if above else -1.0
    start_even(work, inner)
    even = work["multipliers"][:, 0].copy()
    work["p"][..., 0] = inner.end(above)[np.maximum(np.arange(work.depth) - shift, 0), 1:]
    work.run("gradient")
    work["r"][:] = work["w"]
    found, share, delta, close = None, 1.0, np.zeros_like(work["p"]), CLOSE
    for _ in range(RENEWALS):
        last, before = work["p"].copy(), delta
        if not work.run("approach", 0, even, end, abs(inner.value - end), sign, close):
            break
        found = work["theta"][..., 0].copy(), work["multipliers"][:, 0].copy()
        delta = work["p"] - last
        change = float(np.abs(delta).max())
        if change < steady * share:
            break
        share /= 2 if np.vdot(delta, before) < 0 else 1
        close = CLOSE * min(1.0, 5 * change)
        work["r"][:] += share * (work["w"] - work["r"])
    return found
