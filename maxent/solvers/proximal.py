"""An ascent that ends in a local maximum wherever it starts: no step goes far from the last solution.

With p' the last solution, the next maximises H(p) - tau KL(p || p') under the constraints. Since p' meets them too,
the entropy rises from step to step. With s = tau / (1 + tau) the next solution has the logits

    log(p_n(i) / p_n(0)) = mu_i + (1 - s) lambda w_n(i) + s log(p'_n(i) / p'_n(0)):

the problem itself but for a part that is given, and a smaller multiplier of the measure. So Newton's method arrives
where it does not for s = 0. As steps succeed tau becomes smaller, and is 0 in the end.
"""

import numpy as np

from maxent.compiled import Workspace
from maxent.measures.form import FloatArray
from maxent.solvers.ascent import Found, ascend
from maxent.solvers.interior import Interior

FIRST = 9.0  # tau at first
LESS, FASTER = 0.1, 0.7  # factor of tau after a step, at first and at least; of that factor with every step
MORE = 3.0  # factor of tau after a failure; then tau stays for a step
LOOSE = 0.05  # the next tau after one below this is 0
STIFF = 1e4  # tau beyond which there is no way on
STEPS = 200
BRIEF = 12  # iterations of a step
LOST = 1e-6  # nats that a step may lose to rounding
STEADY, STEADIER = 1e-3, 0.1  # nats gained in a step after which the next tau is 0; factor of that if it fails


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
    tau, last, factor, steady, entropy, iterations = FIRST, np.inf, LESS, STEADY, -np.inf, 0
    for _ in range(steps):
        held = tau / (1 + tau)
        work["offset"][..., 0] = held * theta
        point, more = ascend(work, inner, theta, (1 - held) * multipliers, most=BRIEF)
        work["offset"][:] = 0.0
        iterations += more
        if point is not None and point.entropy >= entropy - LOST:
            if tau == 0:
                return point, iterations
            gained, entropy = point.entropy - entropy, point.entropy
            theta, multipliers = point.theta, point.multipliers / (1 - held)
            last, tau = tau, tau * factor if tau > LOOSE and gained > steady else 0.0
            factor = max(LESS, FASTER * factor)
        elif tau == 0:
            tau, steady = last * factor, steady * STEADIER
        else:
            tau, factor = MORE * tau, 1.0
            if tau > STIFF:
                break
    return None, iterations
