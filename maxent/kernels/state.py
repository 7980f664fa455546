"""Probabilities, the measures at them, and what stationarity and the constraints lack.

Stationarity (of the problem of the GAP paper, figure 1) is theta_n = mu + sum_k lambda_k w_kn, with the derivatives
w_kn = a_kn + d_kn K_k S_n + K_k' T_kn, where S_n = sum_{m<n} p_m and T_kn = sum_{m>n} d_km p_m.
"""

from typing import Any

import numpy as np

from maxent.kernels.algebra import absolute, exp, largest, maximum, where
from maxent.kernels.trace import over_ranks


def _softmax(theta: Any) -> tuple[Any, Any]:
    """Probabilities of logits, and that of the eliminated grade, whose logit is 0."""
    top = largest([*theta, 0.0])
    e = np.array([exp(t - top) for t in theta])
    eliminated = exp(-top)
    total = 1.0 / (eliminated + e.sum())
    return e * total, eliminated * total


def _implied(at: Any, whole: Any) -> Any:
    """Logits that the derivatives and the multipliers imply."""
    m = len(at.w)
    return whole.multipliers[m:] + whole.multipliers[:m] @ at.w


@over_ranks()
def softmax(at: Any, whole: Any, state: Any) -> None:
    """Probabilities of the logits."""
    at.p, at.eliminated = _softmax(at.theta)


def _expected(whole: Any, state: Any) -> None:
    whole.expected = state.value


@over_ranks(reads=("K",), finish=_expected, before="c", value="m")
def gradient_down(at: Any, whole: Any, state: Any) -> None:
    """Expected values, and what the derivatives owe to this rank and those before."""
    own = at.a + at.d[:, None] * (whole.K @ state.before)
    at.w = own
    state.value = state.value + at.size * (own @ at.p)
    state.before = state.before + at.size * at.p


@over_ranks(reads=("K",), upwards=True, after="m,c")
def gradient_up(at: Any, whole: Any, state: Any) -> None:
    """The rest of the derivatives: what documents do for those after them."""
    at.w = at.w + np.array([K.T @ after for K, after in zip(whole.K, state.after, strict=True)])
    state.after = state.after + np.multiply.outer(at.d * at.size, at.p)


@over_ranks(reads=("multipliers",))
def implied(at: Any, whole: Any, state: Any) -> None:
    """Logits that the derivatives and the multipliers imply."""
    at.theta = _implied(at, whole)


def _worst(whole: Any, state: Any) -> None:
    counts, m = whole.counts, len(state.steepest)
    lambdas, mu = whole.multipliers[:m], whole.multipliers[m:]
    missing, slack = whole.value - whole.expected, counts - state.total
    # an upper bound counts where its multiplier outweighs its slack
    outweighed = [where(x + s / n > 0.0, 0.0, 1.0) for x, s, n in zip(mu, slack, counts, strict=True)]
    active = np.array([where(whole.bounded > 0.0, own, 1.0) for own in outweighed])
    lacks = [
        where(own > 0.0, absolute(s) / n, absolute(x))
        for own, s, n, x in zip(active, slack, counts, mu, strict=True)
    ]
    whole.h = [*missing, *slack]
    whole.active = [*np.ones(m), *active]
    whole.error = largest([*absolute(missing), state.largest, *lacks])
    whole.rounding = absolute(lambdas) @ state.steepest


@over_ranks(reads=("multipliers", "counts"), finish=_worst, total="c", largest="", steepest="m")
def residuals(at: Any, whole: Any, state: Any) -> None:
    """What stationarity lacks in the logits, what the constraints lack, and the largest of all.

    That is in probabilities for stationarity (relative to the number of documents where that is below 1), in shares
    of a count, and in the scaled units of the values.
    """
    p, w = at.p, at.w
    r = _implied(at, whole) + at.offset - at.theta
    at.r = r
    mean = p @ r
    state.total = state.total + at.size * p
    weight = [maximum(1.0 / n, 1.0) for n in whole.counts]
    state.largest = largest(
        [state.largest, *(x * absolute(y - mean) * f for x, y, f in zip(p, r, weight, strict=True))]
    )
    state.steepest = np.array([largest([s, *absolute(own)]) for s, own in zip(state.steepest, w, strict=True)])


def _evidence(whole: Any, state: Any) -> None:
    whole.deviation, whole.rows, whole.total = state.largest, state.off, state.total


@over_ranks(reads=("multipliers",), finish=_evidence, largest="", off="", total="c")
def evidence(at: Any, whole: Any, state: Any) -> None:
    """Largest difference between p and what its own derivatives and the multipliers imply; rows and sums of p."""
    p, eliminated = _softmax(_implied(at, whole))
    state.largest = largest([absolute(at.eliminated - eliminated), state.largest, *absolute(at.p - p)])
    off = absolute(at.eliminated + at.p.sum() - 1.0)
    state.off = largest([off, state.off, -at.eliminated, *(-p for p in at.p)])
    state.total = state.total + at.p


PASSES = (softmax, gradient_down, gradient_up, implied, residuals, evidence)
