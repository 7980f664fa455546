"""Newton's method from a given start: what every search is made of."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import entr

from maxent.compiled import Workspace
from maxent.compiled.newton import CONVERGED
from maxent.measures.form import FloatArray
from maxent.solvers.interior import Interior
from maxent.solvers.newton import present_p, run

JUMP = 0.01  # least change of a probability between adjacent ranks that is one


@dataclass(frozen=True, eq=False)
class Point:
    """A strict local maximum: its entropy, logits (depth, c), multipliers (c + 1,) and p (depth, c + 1).

    The entropy is less what it may owe to residuals of the constraints: multipliers may be so large that rounding
    shows.
    """

    entropy: float
    theta: FloatArray
    multipliers: FloatArray
    p: FloatArray


Ranks = npt.NDArray[np.intp]
Start = tuple[FloatArray, FloatArray]  # logits (depth, c) and multipliers (c + 1,)
Found = tuple[Point | None, int]  # and iterations


def ascend(work: Workspace, inner: Interior, theta: FloatArray, multipliers: FloatArray, *, most: int) -> Found:
    """Newton's method from a start; None unless it ends in a strict local maximum. Also counts iterations."""
    work["theta"][..., 0], work["multipliers"][:, 0] = theta, multipliers
    run(work, 1, quadratic=not inner.problem.form.linear, most=most)
    iterations = int(work["iterations"][0])
    if work["outcome"][0] != CONVERGED or not (inner.problem.form.linear or work.strict_maxima()[0]):
        return None, iterations
    point = here(work)
    return (point if point.entropy > 0 else None), iterations  # else a list, with multipliers beyond all bounds


def here(work: Workspace) -> Point:
    """The point that the only lane holds: p, the residuals h of the constraints and all they depend on."""
    p = present_p(work)
    entropy = float(entr(p).sum() - abs(work["multipliers"][:, 0] @ work["h"][:, 0]))
    return Point(entropy, work["theta"][..., 0].copy(), work["multipliers"][:, 0].copy(), p)


def jumps(p: FloatArray) -> tuple[FloatArray, Ranks, Ranks]:
    """Probability of each threshold, (depth, thresholds), and jumps: after which rank (from 0), of which threshold.

    One is where it changes most, others wherever it changes by ``JUMP`` or more, and more than around there.
    """
    above = np.cumsum(p[:, ::-1], axis=1)[:, -2::-1]
    change = np.abs(np.diff(above, axis=0))
    if len(change) == 0:
        return above, np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    padded = np.pad(change, ((1, 1), (0, 0)))
    peaks = (change >= JUMP) & (change > padded[:-2]) & (change >= padded[2:])
    peaks[change.argmax(axis=0), np.arange(change.shape[1])] = True
    at, threshold = np.nonzero(peaks)
    return above, at, threshold


def moved(point: Point, at: Ranks) -> Iterator[tuple[tuple[int, bool], FloatArray]]:
    """Logits with one of the jumps after the ranks ``at`` moved by one, and the rank and whether to later ranks.

    The rank beside the jump goes over to the other side by continuing that side's slope.
    """
    for n in at.tolist():
        if 0 < n < len(point.p) - 2:
            for later in (True, False):
                theta = point.theta.copy()
                if later:
                    theta[n + 1] = 2 * theta[n] - theta[n - 1]
                else:
                    theta[n] = 2 * theta[n + 1] - theta[n + 2]
                yield (n, later), theta
