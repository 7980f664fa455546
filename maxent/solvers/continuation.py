"""Solutions of easier problems lead to that of a hard one, step by step."""

import numpy as np

from maxent.compiled import Workspace
from maxent.measures.form import Form
from maxent.solvers.ascent import Found, Point, ascend, jumps, moved
from maxent.solvers.interior import Interior
from maxent.solvers.newton import start_even

STAGE = 40  # iterations of one stage
MOST = 2000  # iterations of all stages
SHORTEST = 1e-3  # where a stage advances less than this share of the way, there is no way on
EASY = 6  # iterations of a stage after which the next may be longer
STEEP = 0.3  # tilt at first
SLIGHT = 0.1  # tilt that may be left out at once
NEARLY = 0.97  # factor between tilts beyond which there is no way on
LESS, LEAST = 0.5, 0.2  # factors between tilts, at first and at least


def by_value(work: Workspace, inner: Interior) -> Found:
    """Approach the value in stages; the gap to the end of the interval shrinks by a factor that adapts.

    Where the largest value is not that of a list it is a smooth maximum: distances to it go as 1 / lambda, the gap
    as their square.
    """
    reached = inner.even_value
    end = inner.high if inner.value > reached else inner.low
    start_even(work, inner)
    theta, multipliers = work["theta"][..., 0].copy(), work["multipliers"][:, 0].copy()
    total, shrink = 0, 0.3
    while total < MOST:
        left = (end - inner.value) / (end - reached)  # factor that would take the gap to its goal at once
        factor = max(left, shrink)
        target = inner.value if factor == left else end - (end - reached) * factor
        work["value"][0] = target
        grown = factor**-0.5 if end == inner.high else 1.0
        point, iterations = ascend(work, inner, theta, grown * multipliers, most=STAGE)
        work["value"][0] = inner.value
        total += iterations
        if point is not None:
            theta, multipliers, reached = point.theta, point.multipliers, target
            if target == inner.value:
                return point, total
            shrink = shrink**2 if iterations <= 5 else shrink
        else:
            shrink = factor**0.5
            if 1 - shrink < SHORTEST:
                break
    return None, total


def by_tilt(work: Workspace, inner: Interior) -> Found:
    """From a measure whose weights fall with the rank.

    Where d hardly falls, exchanging ranks hardly changes the value: near the smallest value some ranks stand out
    from the others, no matter which, and the solution in which none does is a saddle. With weights
    d_n N^(s (1 - n / N)) those that stand out are the last ones. Then s becomes smaller until it is 0.
    """
    form, depth = inner.form, work.depth
    rank = np.arange(1.0, depth + 1)
    low, even = inner.end(False)[:, 1:], np.tile(inner.even, (depth, 1))
    share = (inner.value - inner.low) / (inner.even_value - inner.low)
    start_even(work, inner)
    starts, multipliers = [work["theta"][..., 0].copy()], work["multipliers"][:, 0].copy()
    a, d, value = (work[name].copy() for name in ("a", "d", "value"))
    reached: Point | None = None
    last, tilt, factor, slight, total = np.inf, STEEP, LESS, SLIGHT, 0
    while total < MOST:
        weight = np.exp(tilt * np.log(depth) * (1 - rank / depth))
        work["a"][:], work["d"][:] = a * weight[:, None, None], d * weight[:, None]
        if tilt > 0:
            tilted = Form(a=form.a * weight[:, None], d=form.d * weight, K=form.K)
            smallest = tilted.expected(low)
            work["value"][0] = smallest + share * (tilted.expected(even) - smallest)
        point, iterations = None, 0
        for theta in starts:
            point, iterations = ascend(work, inner, theta, multipliers, most=STAGE)
            total += iterations
            if point is not None:
                break
        work["a"][:], work["d"][:], work["value"][:] = a, d, value
        if point is not None and tilt == 0:
            return point, total
        if point is not None:
            reached, last = point, tilt
            starts, multipliers = [point.theta], point.multipliers
            factor = max(factor**2, LEAST) if iterations <= EASY else factor
            tilt = 0.0 if tilt < slight else tilt * factor
        elif tilt == 0:  # that was too early
            factor, slight = LESS, LEAST * last
            tilt = last * factor
        else:
            if reached is None or len(starts) != 1:
                break
            factor = factor**0.5
            if factor > NEARLY:  # a rank goes over to the other side of a jump
                factor, starts = LESS**0.25, [theta for _, theta in moved(reached, np.unique(jumps(reached.p)[1]))]
            tilt = last * factor
    return None, total
