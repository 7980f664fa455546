"""The restart if Newton's method does not converge: another start, and a proximal point method.

The start is the mixture of the uniform distribution and the sorted list at an end of the interval that has the
wanted value. Every step then stays close to the last solution p': the next one maximises H(p) - tau KL(p || p')
under the constraints. Since p' also satisfies them, the entropy rises from step to step. With s = tau / (1 + tau),
the next solution has the logits

    log(p_n(i) / p_n(0)) = mu_i + (1 - s) lambda w_n(i) + s log(p'_n(i) / p'_n(0)).

This is the original problem with a constant part of the logits and a smaller multiplier of the measure. Newton's
method solves it more often than for s = 0. tau falls as steps succeed, and the last step has tau = 0.
"""

import numpy as np

from maxent.kernels.batch import single, strict_maxima
from maxent.kernels.workspace import Workspace
from maxent.problem.independent_ranks import entropies
from maxent.solvers.back_end_problem import RawSolution, ReducedProblem
from maxent.types import FloatArray

FIRST = 9.0  # first tau
LESS, FASTER = 0.1, 0.7  # smallest and first factor of tau after a success; what that factor is multiplied by then
MORE = 3.0  # factor of tau after a failure; after the next success tau stays as it is
LOOSE = 0.05  # after a success with at most this tau, the next tau is 0
STIFF = 1e4  # tau beyond which the method gives up
STEPS = 1000
BRIEF = 12  # iterations of a step
LOST = 1e-6  # nats that a step may lose to rounding
STEADY, STEADIER = 1e-3, 0.1  # nats: after a step that gains no more the next tau is 0; factor of it if that fails
TOLERANCE = 1e-12
BLUR = 1e-9  # smallest share of the uniform distribution in a mixture, so that no probability is 0


def restart(reduced: ReducedProblem) -> RawSolution:
    """Find a strict local maximum from a start other than the uniform distribution."""
    p = mixture(reduced)
    work = single(reduced.arrays.batch, reduced.arrays.scale)
    return ascend(work, np.log(p[:, 1:] / p[:, :1]), reduced.arrays.fitted(p), quadratic=not reduced.linear)


def mixture(reduced: ReducedProblem) -> FloatArray:
    """Mixture of the uniform distribution and a sorted list that has the wanted value, (depth, c + 1).

    The list is at the upper end if the wanted value is above the value of the uniform distribution, else at the
    lower end. If the wanted value is the list's or beyond it, the mixture has nearly the value of the list.
    """
    uniform = np.tile(reduced.uniform, (reduced.problem.depth, 1))
    of_uniform = reduced.form.expected(uniform[:, 1:])
    end = sorted_list(reduced, above=reduced.value > of_uniform)
    of_end, of_middle = (reduced.form.expected((end + t * (uniform - end))[:, 1:]) for t in (0.0, 0.5))
    # E[M](t) = bend t^2 + slope t + E[M](0) in the share t of the uniform distribution, from t = 0, 1/2 and 1
    bend = 2 * (of_end + of_uniform - 2 * of_middle)
    slope = of_uniform - of_end - bend
    roots = np.roots([bend, slope, of_end - reduced.value])
    inside = [t.real for t in roots if t.imag == 0 and 0 < t.real < 1]
    share = max(min(inside, default=0.0), BLUR)
    return end + share * (uniform - end)


def sorted_list(reduced: ReducedProblem, *, above: bool) -> FloatArray:
    """Sorted list at the upper or the lower end, as a distribution (depth, c + 1) of the present grades."""
    p = reduced.problem.ends[int(above)].p
    return np.column_stack([p[:, list(grades)].sum(axis=1) for grades in reduced.arrays.merged])


def ascend(work: Workspace, theta: FloatArray, multipliers: FloatArray, *, quadratic: bool) -> RawSolution:
    """Ascend in proximal steps to a strict local maximum; the start need not satisfy the constraints.

    The workspace holds the problem in its only lane. The start has the logits ``theta`` (depth, c) and the
    multipliers (m + c,) of the scaled values and of the counts. The ascent fails after too many steps, or if tau
    becomes too large.
    """
    constant = work["offset"][..., 0].copy()  # (depth, c): part of the objective, sum_n sum_i p_n(i) times it
    tau, last_tau, factor, steady = FIRST, np.inf, LESS, STEADY
    last_objective, iterations = -np.inf, 0
    for _ in range(STEPS):
        # 1. log(p_n(i) / p_n(0)) = mu_i + (1 - s) lambda w_n(i) + s log(p'_n(i) / p'_n(0))
        s = tau / (1 + tau)
        work["offset"][..., 0], work["theta"][..., 0] = s * theta + (1 - s) * constant, theta
        work["multipliers"][:, 0] = (1 - s) * multipliers
        work.newton_method(most=BRIEF, tolerance=TOLERANCE, quadratic=quadratic)
        iterations += int(work["iterations"][0])
        # 2. a success is a strict maximum with no less entropy, relative to the reference, than the last
        entropy = _entropy(work) if _strict_maximum(work, quadratic=quadratic) else -np.inf
        objective = entropy + float(np.sum(work["p"][..., 0] * constant))
        # 3. the next tau
        if entropy > 0 and objective >= last_objective - LOST:
            theta = work["theta"][..., 0].copy()
            multipliers = work["multipliers"][:, 0] / (1 - s)
            if tau == 0:
                return RawSolution(_probabilities(work), multipliers, iterations)
            gain, last_objective = objective - last_objective, objective
            last_tau, tau = tau, tau * factor if tau > LOOSE and gain > steady else 0.0
            factor = max(LESS, FASTER * factor)
        elif tau == 0:  # too early: back to a tau above 0
            tau, steady = last_tau * factor, steady * STEADIER
        else:
            tau, factor = MORE * tau, 1.0
            if tau > STIFF:
                break
    return RawSolution(_probabilities(work), multipliers, iterations, failed=True)


def _strict_maximum(work: Workspace, *, quadratic: bool) -> bool:
    """Whether Newton's method has converged to a strict local maximum."""
    if not work["converged"][0] > 0:
        return False
    if not quadratic:  # the problem is concave
        return True
    work.run("forward", "negative_eigenvalues")
    border = np.moveaxis(work["G"][:, :-1], -1, 0)  # (lanes, m + c, m + c), without the column of the residuals
    active = work["active"].T  # (lanes, m + c)
    return bool(strict_maxima(border, active, work["negative"])[0])


def _entropy(work: Workspace) -> float:
    """Entropy, minus the most that constraint residuals times multipliers may have added to it."""
    return float(entropies(_probabilities(work)) - abs(work["multipliers"][:, 0] @ work["h"][:, 0]))


def _probabilities(work: Workspace) -> FloatArray:
    """Probabilities in the only lane, (depth, c + 1), that of the eliminated grade first."""
    return np.column_stack((work["eliminated"][:, 0], work["p"][..., 0]))
