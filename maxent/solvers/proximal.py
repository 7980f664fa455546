"""An ascent that ends in a local maximum wherever it starts: no step goes far from the last solution.

With p' the last solution, the next maximises H(p) - tau KL(p || p') under the constraints. Since p' meets them too,
the entropy rises from step to step. With s = tau / (1 + tau) the next solution has the logits

    log(p_n(i) / p_n(0)) = mu_i + (1 - s) lambda w_n(i) + s log(p'_n(i) / p'_n(0)):

the problem itself but for a part that is given, and a smaller multiplier of the measure. So Newton's method arrives
where it does not for s = 0. As the solutions become steady s becomes smaller, and is 0 in the end.
"""

import numpy as np

from maxent.compiled import Workspace
from maxent.measures.form import FloatArray
from maxent.solvers.ascent import Found, ascend
from maxent.solvers.interior import Interior

HELD = 0.9  # share s of the logits that is kept at first
LESS, GENTLE = 0.5, 0.75  # factors of s after a step, before any failed and afterwards
LOOSE = 0.05  # the next s after one below this is 0
STIFF = 0.9999  # s beyond which there is no way on
NEAR = 0.9  # share of the last s that succeeded from which a failure raises that as well
STEPS = 200
BRIEF = 15  # iterations of a step
LOST = 1e-6  # nats that a step may lose to rounding
STEADY, STEADIER = 1e-3, 0.1  # nats gained in a step after which the next s is 0; factor of that if it fails


def rise(
    work: Workspace, inner: Interior, theta: FloatArray, multipliers: FloatArray, *, steps: int = STEPS
) -> Found:
    """Ascend in proximal steps to a strict local maximum; the start need not satisfy the constraints.

    Parameters
    ----------
    work : Workspace
    inner : Interior
    theta : (depth, c) array
    multipliers : (c + 1,) array
    steps : int
        At most.

    Returns
    -------
    (Point or None, int)
        None where too many steps were needed, or no short one succeeds. Also counts iterations.
    """
    held, last, factor, steady, entropy, iterations = HELD, 1.0, LESS, STEADY, -np.inf, 0
    for _ in range(steps):
        work["offset"][..., 0] = held * theta
        point, more = ascend(work, inner, theta, (1 - held) * multipliers, most=BRIEF)
        work["offset"][:] = 0.0
        iterations += more
        if point is None or point.entropy < entropy - LOST:
            last = (1 + last) / 2 if held > NEAR * last else last
            steady *= STEADIER if held == 0 else 1.0
            held, factor = (held + last) / 2, GENTLE
            if held > STIFF:
                break
        elif held == 0:
            return point, iterations
        else:
            gained, entropy = point.entropy - entropy, point.entropy
            theta, multipliers = point.theta, point.multipliers / (1 - held)
            held, last = held * factor if held > LOOSE and gained > steady else 0.0, held
    return None, iterations
