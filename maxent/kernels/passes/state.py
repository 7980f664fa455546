"""Probabilities, expected values and their derivatives, and the residuals of stationarity and of the constraints.

One grade is eliminated: p_n and the logits theta_n = log(p_n / p_n(eliminated)) are vectors over the other grades.
The problem of the GAP paper (figure 1), with a value for each measure k, is stationary where

    theta_n = mu + sum_k lambda_k w_kn,     w_kn = a_kn + d_kn K_k S_n + K_k' T_kn,

with the derivatives w_kn of the expected values by p_n, S_n = sum_{m<n} p_m and T_kn = sum_{m>n} d_km p_m. One pass
down the ranks gives S and the expected values, one upwards gives T.
"""

import math
from typing import Any

import numpy as np

from maxent.kernels.compiler.algebra import absolute, exp, largest, logarithm, maximum, where
from maxent.kernels.compiler.trace import over_ranks

HUGE = 2.0**500  # a power of two: multiplying by it loses no digit


def _softmax(theta: Any) -> tuple[Any, Any]:
    """Probabilities of logits, and the probability of the eliminated grade, whose logit is 0."""
    top = largest([*theta, 0.0])
    # the exponential of the highest logit is 1: in its place that of the eliminated grade is computed
    highest = [t >= top for t in theta]
    exponentials = [exp(where(is_top, -top, t - top)) for is_top, t in zip(highest, theta, strict=True)]
    e = np.array([where(is_top, 1.0, x) for is_top, x in zip(highest, exponentials, strict=True)])
    eliminated = 1.0
    for is_top, x in zip(highest, exponentials, strict=True):
        eliminated = where(is_top, x, eliminated)
    total = 1.0 / (eliminated + e.sum())
    return e * total, eliminated * total


def _implied_logits(w: Any, whole: Any) -> Any:
    """Logits that the derivatives and the multipliers imply."""
    m = len(w)
    return whole.multipliers[m:] + whole.multipliers[:m] @ w


@over_ranks()
def softmax(at: Any, whole: Any, state: Any) -> None:
    """Pass: write the probabilities of the logits."""
    at.p, at.eliminated = _softmax(at.theta)


def _finish_values(whole: Any, state: Any) -> None:
    whole.expected = state.value


@over_ranks(reads=("K", "scaling"), finish=_finish_values, before="c", value="m")
def gradient_down(at: Any, whole: Any, state: Any) -> None:
    """Expected values, and the part a_n + d_n K S_n of the derivatives."""
    w = whole.scaling[:, None] * at.a + at.d[:, None] * (whole.K @ state.before)
    at.w = w
    state.value = state.value + at.size * (w @ at.p)
    state.before = state.before + at.size * at.p


def _whole_gradient(at: Any, whole: Any, state: Any) -> Any:
    """Add K' T_n, a document's effect on the gains of later documents, to the derivatives."""
    added = [K.T @ after for K, after in zip(whole.K, state.after, strict=True)]
    state.after = state.after + np.multiply.outer(at.d * at.size, at.p)
    return at.w + np.reshape(added, at.w.shape)


@over_ranks(reads=("K",), upwards=True, after="m,c")
def gradient_up(at: Any, whole: Any, state: Any) -> None:
    """Upward pass that completes the derivatives, of which :func:`gradient_down` wrote the first part."""
    at.w = _whole_gradient(at, whole, state)


@over_ranks(reads=("multipliers",))
def implied(at: Any, whole: Any, state: Any) -> None:
    """Logits that the derivatives, the multipliers and the constant part imply."""
    at.theta = _implied_logits(at.w, whole) + at.offset


def _finish_residuals(whole: Any, state: Any) -> None:
    counts, m = whole.counts, len(state.steepest)
    lambdas, mu = whole.multipliers[:m], whole.multipliers[m:]
    # 1. residuals h of the values and of the counts
    missing, slack = whole.value - whole.expected, counts - state.total
    # 2. an upper bound is active while its multiplier, which is negative, outweighs its slack
    outweighs = [where(x + s / n > 0.0, 0.0, 1.0) for x, s, n in zip(mu, slack, counts, strict=True)]
    active = np.array([where(b > 0.0, binds, 1.0) for b, binds in zip(whole.bounded, outweighs, strict=True)])
    # 3. errors of counts, relative to these; that of an inactive bound is its multiplier, which must be 0
    count_errors = [
        where(is_active > 0.0, absolute(s) / n, absolute(x))
        for is_active, s, n, x in zip(active, slack, counts, mu, strict=True)
    ]
    whole.h = [*missing, *slack]
    whole.active = [*np.ones(m), *active]
    whole.error = largest([*absolute(missing), state.largest, *count_errors])
    whole.rounding = absolute(lambdas) @ state.steepest


@over_ranks(
    reads=("K", "multipliers", "counts"),
    upwards=True,
    finish=_finish_residuals,
    after="m,c",
    total="c",
    largest="",
    steepest="m",
)
def residuals(at: Any, whole: Any, state: Any) -> None:
    """Residuals of stationarity (``r``, in the logits) and of the constraints (``h``), and the largest (``error``).

    The pass includes :func:`gradient_up`, which also goes up the ranks. For ``error`` a residual of stationarity
    is a change of probability, p_n(i) (r_n(i) - p_n' r_n); for grades with fewer than one expected document it is
    relative to their count. Residuals of counts are relative to the count, those of values in scaled units. An
    upper bound that is not active must have multiplier 0 instead.
    """
    p, w = at.p, _whole_gradient(at, whole, state)
    # r = mu + sum_k lambda_k w_k + offset - theta
    r = _implied_logits(w, whole) + at.offset - at.theta
    at.w, at.r = w, r
    mean = p @ r
    state.total = state.total + at.size * p
    # p(i) |r(i) - p' r|, relative to counts below 1
    weights = [maximum(1.0 / n, 1.0) for n in whole.counts]
    changes = (x * absolute(y - mean) * weight for x, y, weight in zip(p, r, weights, strict=True))
    state.largest = largest([state.largest, *changes])
    state.steepest = np.array([largest([s, *absolute(row)]) for s, row in zip(state.steepest, w, strict=True)])


def _finish_evidence(whole: Any, state: Any) -> None:
    whole.deviation, whole.rows, whole.total = state.largest, state.off, state.total


@over_ranks(reads=("multipliers",), finish=_finish_evidence, largest="", off="", total="c")
def evidence(at: Any, whole: Any, state: Any) -> None:
    """Sums of p, its deviation from the p that derivatives and multipliers imply, and from row sums of 1."""
    p, eliminated = _softmax(_implied_logits(at.w, whole) + at.offset)
    state.largest = largest([absolute(at.eliminated - eliminated), state.largest, *absolute(at.p - p)])
    off = absolute(at.eliminated + at.p.sum() - 1.0)
    state.off = largest([off, state.off, -at.eliminated, *(-p for p in at.p)])
    state.total = state.total + at.p


def _finish_randomness(whole: Any, state: Any) -> None:
    log_largest = logarithm(state.product) - math.log(HUGE) * state.times  # sum of those of the largest
    whole.entropy, whole.missed = state.entropy - log_largest, state.missed + log_largest


@over_ranks(finish=_finish_randomness, product="", times="", entropy="", missed="")
def randomness(at: Any, whole: Any, state: Any) -> None:
    """Entropy, and the sum of the logarithms of the eliminated grade's probabilities.

    They follow from the logits and the largest probability of each rank, because tiny probabilities are not exact
    (see ``algebra.exp``). The largest probabilities are multiplied, so that one logarithm is enough. ``times``
    counts how often the product was multiplied by ``HUGE`` against underflow. With the largest logit ``top`` (0 for
    the eliminated grade) and its probability p_max, log p(i) = theta(i) - top + log p_max.
    """
    top = largest([*at.theta, 0.0])
    product = where(state.product > 0.0, state.product, 1.0) * largest([*at.p, at.eliminated])
    small = product * HUGE < 1.0
    state.product = where(small, product * HUGE, product)
    state.times = state.times + where(small, 1.0, 0.0)
    state.missed = state.missed - top
    state.entropy = state.entropy - (at.p @ (at.theta - top) - at.eliminated * top)


PASSES = (softmax, gradient_down, gradient_up, implied, residuals, evidence, randomness)
