"""A second start where Newton's method does not arrive, and an ascent that does so more often.

The start is a mixture of the uniform distribution with the list at the end of the interval, the one that has the
value. From there every step keeps close to the last solution: with p' the last one, the next maximises H(p) - tau
KL(p || p') under the constraints. Since p' meets them too, the entropy rises from step to step. With s = tau / (1 +
tau) the next solution has the logits

    log(p_n(i) / p_n(0)) = mu_i + (1 - s) lambda w_n(i) + s log(p'_n(i) / p'_n(0)):

the problem itself but for a part that is given, and a smaller multiplier of the measure. So Newton's method arrives
where it does not for s = 0. As steps succeed tau becomes smaller, and is 0 in the end.
"""

import numpy as np
from scipy.special import entr

from maxent.kernels.batch import single, strict_maxima
from maxent.kernels.workspace import Workspace
from maxent.solvers.reduced import RawSolution, ReducedProblem, fit_multipliers
from maxent.types import FloatArray

FIRST = 9.0  # tau at first
LESS, FASTER = 0.1, 0.7  # factor of tau after a step, at first and at least; of that factor with every step
MORE = 3.0  # factor of tau after a failure; then tau stays for a step
LOOSE = 0.05  # the next tau after one below this is 0
STIFF = 1e4  # tau beyond which there is no way on
STEPS = 1000
BRIEF = 12  # iterations of a step
LOST = 1e-6  # nats that a step may lose to rounding
STEADY, STEADIER = 1e-3, 0.1  # nats gained in a step after which the next tau is 0; factor of that if it fails
TOLERANCE = 1e-12
SMALLEST = 1e-300  # probability
BLUR = 1e-9  # share of the uniform distribution in a start: no probability is 0


def restart(reduced: ReducedProblem, nearby: FloatArray | None = None) -> RawSolution | None:
    """A strict local maximum from a mixture of the uniform distribution and the list at the end; None if not found.

    Parameters
    ----------
    reduced : ReducedProblem
    nearby : (depth, levels + 1) array, optional
        Start from this distribution instead: beyond the list, the solution for a value a little further inside.
    """
    p = mixture(reduced) if nearby is None else np.maximum(reduced.merge(nearby), SMALLEST)
    batch, _ = reduced.centred
    work = single(batch, np.array([[reduced.scale]]))
    return ascend(work, reduced, np.log(p[:, 1:] / p[:, :1]), fit_multipliers(reduced, p))


def mixture(reduced: ReducedProblem) -> FloatArray:
    """Mixture of the uniform distribution and the list at the end beyond it, (depth, c + 1).

    It has the value wanted, or, where that is the list's or beyond it, nearly the value of the list.
    """
    end, uniform = reduced.end(reduced.value > reduced.uniform_value), reduced.uniform_with_eliminated
    first, middle = (reduced.form.expected((end + t * (uniform - end))[:, 1:]) for t in (0.0, 0.5))
    # the value is quadratic in the share of the uniform distribution
    bend = 2 * (first + reduced.uniform_value - 2 * middle)
    slope = reduced.uniform_value - first - bend
    roots = np.roots([bend, slope, first - reduced.value])
    inside = [t.real for t in roots if t.imag == 0 and 0 < t.real < 1]
    return end + max(min(inside, default=0.0), BLUR) * (uniform - end)


def ascend(
    work: Workspace, reduced: ReducedProblem, theta: FloatArray, multipliers: FloatArray
) -> RawSolution | None:
    """Ascend in proximal steps to a strict local maximum; the start need not satisfy the constraints.

    Parameters
    ----------
    work : Workspace
        Holds the problem.
    reduced : ReducedProblem
    theta : (depth, c) array
    multipliers : (1 + c,) array

    Returns
    -------
    RawSolution, optional
        None where too many steps were needed, or no short one succeeds.
    """
    quadratic = not reduced.form.linear
    tau, last, factor, steady, entropy, iterations = FIRST, np.inf, LESS, STEADY, -np.inf, 0
    for _ in range(STEPS):
        held = tau / (1 + tau)
        work["offset"][..., 0], work["theta"][..., 0] = held * theta, theta
        work["multipliers"][:, 0] = (1 - held) * multipliers
        work.newton_method(1, most=BRIEF, tolerance=TOLERANCE, quadratic=quadratic)
        iterations += int(work["iterations"][0])
        reached = _entropy(work) if _strict_maximum(work, quadratic=quadratic) else -np.inf
        if reached > 0 and reached >= entropy - LOST:
            theta, multipliers = work["theta"][..., 0].copy(), work["multipliers"][:, 0] / (1 - held)
            if tau == 0:
                return RawSolution(_probabilities(work), multipliers, iterations)
            gained, entropy = reached - entropy, reached
            last, tau = tau, tau * factor if tau > LOOSE and gained > steady else 0.0
            factor = max(LESS, FASTER * factor)
        elif tau == 0:
            tau, steady = last * factor, steady * STEADIER
        else:
            tau, factor = MORE * tau, 1.0
            if tau > STIFF:
                break
    return None


def _strict_maximum(work: Workspace, *, quadratic: bool) -> bool:
    """Whether Newton's method has arrived at a strict local maximum."""
    if not work["converged"][0] > 0:
        return False
    if not quadratic:
        return True
    work.run("forward", "negative_eigenvalues")
    border, active = np.moveaxis(work["G"][:, :-1], -1, 0), work["active"].T
    return bool(strict_maxima(border, active, work["negative"])[0])


def _entropy(work: Workspace) -> float:
    """Entropy, less what it may owe to residuals of the constraints: multipliers may be so large that it shows."""
    return float(entr(_probabilities(work)).sum() - abs(work["multipliers"][:, 0] @ work["h"][:, 0]))


def _probabilities(work: Workspace) -> FloatArray:
    """Probabilities in the only lane, (depth, c + 1), that of the eliminated grade first."""
    return np.column_stack((work["eliminated"][:, 0], work["p"][..., 0]))
