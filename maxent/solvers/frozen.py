"""A start near an end of the interval: the problem with the measure's derivative held fixed is convex."""

import numpy as np

from maxent.compiled import Workspace
from maxent.measures.form import FloatArray
from maxent.solvers.ascent import Start
from maxent.solvers.interior import Interior
from maxent.solvers.newton import load, start_even

STEADY = 1e-6  # change of probabilities below which the derivative need not be renewed
TRIALS = 60  # values of lambda for one derivative
CLOSE = 0.02  # share of the distance to the end by which the value may be missed
STRIDE = 2.0  # largest change of lambda's logarithm
BALANCED = 100  # iterations for the counts
COUNTED = 1e-6  # share of a document by which they may be missed


def frozen(work: Workspace, inner: Interior, times: int, shift: int) -> Start | None:
    """Logits mu + lambda w, and multipliers, with the derivative w held fixed, at the counts and about the value.

    First w is taken at the end of the interval beyond the value: exact to first order if the value is close to it.
    Then it is taken at each result.
    """
    above = inner.value > inner.even_value
    linear = Workspace(work.depth, work.c)
    load(linear, inner)
    start_even(linear, inner)
    even = linear["multipliers"][:, 0].copy()
    work["p"][..., 0] = inner.end(above)[np.maximum(np.arange(work.depth) - shift, 0), 1:]
    work.run("gradient")
    found = None
    for _ in range(times):
        linear["w"][:], last = work["w"], work["p"].copy()
        if not _with_value(linear, work, inner, even, above=above):
            break
        found = linear["theta"][..., 0].copy(), linear["multipliers"][:, 0].copy()
        if np.abs(work["p"] - last).max() < STEADY:
            break
    return found


def _with_value(linear: Workspace, work: Workspace, inner: Interior, even: FloatArray, *, above: bool) -> bool:
    """Find a lambda for which the measure has about the value wanted once the counts are balanced; False if lost.

    The secant method in the logarithms of lambda and of the distance to the end, within brackets. Probabilities,
    and the measure's derivative there, go to ``work``. Begins with the multipliers there are, or ``even`` ones.
    """
    end, sign = inner.low + above, 1.0 if above else -1.0
    wanted, spread = abs(inner.value - end), float(np.ptp(linear["w"], axis=0).max())
    if spread == 0:  # all ranks are alike
        return False
    multipliers = linear["multipliers"][:, 0]
    size = np.log(abs(multipliers[0]) or 1 / spread)
    least, most, slope = -np.inf, np.inf, -1.0
    before, last = even, None
    for _ in range(TRIALS):
        now = multipliers.copy()
        multipliers[0] = sign * np.exp(size)
        if last is not None:  # mu is about affine in lambda where probabilities stay about as they are
            multipliers[1:] += (now - before)[1:] * (multipliers[0] - now[0]) / (now[0] - before[0])
            before = now
        reach = 10.0 + abs(multipliers[0]) * spread
        if linear.run("balance", 0, BALANCED, reach, COUNTED) == BALANCED:
            return False
        work["p"][:] = linear["p"]
        work.run("gradient")
        off = float(np.log(max(abs(float(work["expected"][0]) - end), 1e-300) / wanted))
        if abs(off) < CLOSE:
            break
        least, most = (size, most) if off > 0 else (least, size)
        if last is not None:
            slope = min((off - last[1]) / (size - last[0]), -0.1)
        last = size, off
        size += float(np.clip(-off / slope, -STRIDE, STRIDE))
        if not least < size < most:
            size = (least + most) / 2
        if size == last[0]:  # no number is closer
            break
    return True
