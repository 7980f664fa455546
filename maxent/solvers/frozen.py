"""A start near an end of the interval: the problem with the measure's derivative held fixed is convex."""

from collections.abc import Iterator, Sequence

import numpy as np

from maxent.compiled import Workspace
from maxent.solvers.ascent import Start
from maxent.solvers.interior import Interior
from maxent.solvers.newton import start_even

RENEWALS = 20  # of the derivative, at most
ALIGNED = 0.9  # cosine of the angle between changes that go the same way
CLOSE = 0.02  # share of the distance to the end by which the value may be missed, for a change of one


def frozen(work: Workspace, inner: Interior, *, shift: int, steady: Sequence[float]) -> Iterator[Start]:
    """Logits mu + lambda w, and multipliers, with the derivative w held fixed, at the counts and about the value.

    First w is taken at the end of the interval beyond the value: exact to first order if the value is close to it.
    Then it is taken at each result, or only goes some way there if the results go to and fro: an ascent with steps
    in the logits (mirror ascent). Where it becomes steady, Newton's method arrives.

    Parameters
    ----------
    work : Workspace
        Overwritten; others may overwrite it between starts.
    inner : Interior
    shift : int
        Ranks that the list at the end is moved down by.
    steady : sequence of float
        Changes of probabilities below which there is a start, the derivative renewed from one to the next; infinite
        for that at the end alone. The last start is not as steady where that would take too long.
    """
    above = inner.value > inner.even_value
    end, sign = inner.low + above, 1.0 if above else -1.0
    start_even(work, inner)
    even = work["multipliers"][:, 0].copy()
    work["p"][..., 0] = inner.end(above)[np.maximum(np.arange(work.depth) - shift, 0), 1:]
    work.run("gradient")
    p, r, multipliers, start = work["p"].copy(), work["w"].copy(), even, None
    share, delta, close = 1.0, np.zeros_like(p), CLOSE
    for _ in range(RENEWALS):
        work["r"][:], work["multipliers"][:, 0] = r, multipliers
        if not work.run("approach", 0, even, end, abs(inner.value - end), sign, close):
            break
        multipliers = work["multipliers"][:, 0].copy()
        start = work["theta"][..., 0].copy(), multipliers
        before, delta, p = delta, work["p"] - p, work["p"].copy()
        change = float(np.abs(delta).max())
        settled = change < steady[0] * share
        along = np.vdot(delta, before)
        if along < 0:
            share /= 2
        elif along > ALIGNED * np.linalg.norm(delta) * np.linalg.norm(before):
            share = min(2 * share, 1.0)
        close = CLOSE * min(1.0, 5 * change)
        r += share * (work["w"] - r)
        if settled:
            yield start
            start, steady = None, steady[1:]
            if not steady:
                break
    if start is not None:
        yield start
