"""Newton's method on the recursions of :mod:`maxent.kernels`; like those, sources for :mod:`maxent.unroll`."""

import math

import numpy as np
import numpy.typing as npt

from maxent.kernels import RECURSIONS, Array, backward, forward, negative_eigenvalues, softmax, value_and_gradient

c = 2  # number of grades besides the reference; filled in by the compiler


def newton(
    a: Array,
    d: Array,
    K: Array,
    value: float,
    counts: Array,
    bounded: bool,
    theta: Array,
    start: Array,
    most_iterations: int,
    trust: float,
    tolerance: float,
) -> tuple[bool, int, bool]:
    """Newton's method for a maximum-entropy problem, in the logits.

    Parameters
    ----------
    a, d, K : (depth, c), (depth,), (c, c) arrays
        The measure, scaled so that its attainable values span about 1.
    value : float
    counts : (c,) array
    bounded : bool
        Whether the counts are upper bounds (primal-dual active set).
    theta : (depth, c) array
        Logits, overwritten with the solution.
    start : (c + 1,) array
        Multipliers lambda, mu_1..mu_c, overwritten with the solution.
    most_iterations : int
    trust : float
        Trust in the linear model, see :func:`step_length`.
    tolerance : float
        Largest residual, beyond what rounding of lambda w makes unavoidable.

    Returns
    -------
    converged, iterations, strict : bool, int, bool
        ``strict``: as many negative pivots as the Schur complement has, a strict local maximum.
    """
    depth = len(theta)
    p, w, r = np.empty((depth, c)), np.empty((depth, c)), np.empty((depth, c))
    x, curved, reference = np.empty((depth, c)), np.empty((depth, c)), np.empty(depth)
    Y, Di, U = np.empty((depth, c, c + 2)), np.empty((depth, c, c)), np.empty((depth, c, c))
    G, h, delta = np.empty((c + 1, c + 2)), np.empty(c + 1), np.empty(c + 1)
    active = np.ones(c + 1, dtype=np.bool_)
    error = residuals(a, d, K, value, counts, bounded, theta, start, p, reference, w, r, h, active)
    best, patience = error, 8
    for iteration in range(most_iterations):
        lam = start[0]
        converged = error <= tolerance + 4e-16 * abs(lam) * max(w.max(), -w.min())
        forward(d, K, lam, p, w, r, Y, Di, U, G)
        if not np.isfinite(G).all():
            return False, iteration, False
        if converged:
            negative = negative_eigenvalues(d, K, lam, p, U)
            return True, iteration, negative == negative_border(G, active)
        solve_border(G, h, active, start, delta)
        backward(d, K, Y, Di, U, delta, x, curved)
        for n in range(depth):
            for i in range(c):
                x[n, i] = r[n, i] + delta[1 + i] + delta[0] * w[n, i] + lam * curved[n, i]
        share = step_length(p, reference, x, trust)
        if not share > 0:
            return False, iteration, False
        start += share * delta
        theta += share * x
        if error < 0.5 * best:
            best, patience = error, 8
        patience -= 1
        # an error may rise for a while on the way, but not for long: two-cycles end here
        allowed = (2.0 if patience > 0 else 0.9) * error
        error = residuals(a, d, K, value, counts, bounded, theta, start, p, reference, w, r, h, active)
        for _ in range(5):
            if error < allowed:
                break
            share /= 2
            start -= share * delta
            theta -= share * x
            error = residuals(a, d, K, value, counts, bounded, theta, start, p, reference, w, r, h, active)
    return False, most_iterations, False


def residuals(
    a: Array,
    d: Array,
    K: Array,
    value: float,
    counts: Array,
    bounded: bool,
    theta: Array,
    multipliers: Array,
    p: Array,
    reference: Array,
    w: Array,
    r: Array,
    h: Array,
    active: npt.NDArray[np.bool_],
) -> float:
    """State at ``theta`` and the multipliers; returns the largest residual, in probabilities and documents.

    Fills p, reference and w; r (depth, c), what stationarity lacks in the logits; h (c + 1,), what the value and
    the counts lack; and active (c + 1,), the constraints that count.
    """
    depth = len(theta)
    softmax(theta, p, reference)
    h[0] = value - value_and_gradient(a, d, K, p, w)
    error = abs(h[0])
    for i in range(c):
        h[1 + i] = counts[i] - p[:, i].sum()
        scale = max(1.0, counts[i])
        if bounded:  # active where the multiplier outweighs the slack
            active[1 + i] = multipliers[1 + i] + h[1 + i] / scale < 0
        error = max(error, abs(h[1 + i]) / scale if active[1 + i] else abs(multipliers[1 + i]))
    for n in range(depth):
        mean = 0.0
        for i in range(c):
            r[n, i] = multipliers[1 + i] + multipliers[0] * w[n, i] - theta[n, i]
            mean += p[n, i] * r[n, i]
        for i in range(c):
            error = max(error, p[n, i] * abs(r[n, i] - mean))
    return error if math.isfinite(error) else math.inf


def step_length(p: Array, reference: Array, step: Array, longest: float) -> float:
    """Largest share of a logit step, at most 1, for which no probability outgrows its way to 1 by ``longest``.

    A small probability may become smaller without limit, and may grow by its own logarithm before it matters.
    Returns NaN for a step that is not finite.
    """
    depth = len(p)
    share = 1.0
    for n in range(depth):
        mean = 0.0
        for i in range(c):
            mean += p[n, i] * step[n, i]
        if not math.isfinite(mean):
            return math.nan
        if -mean * share > longest:
            share = min(share, (longest - math.log(max(reference[n], 1e-300))) / -mean)
        for i in range(c):
            growth = step[n, i] - mean
            if growth * share > longest:
                share = min(share, (longest - math.log(max(p[n, i], 1e-300))) / growth)
    return share


def negative_border(G: Array, active: npt.NDArray[np.bool_]) -> int:
    """Number of negative eigenvalues of the Schur complement of the active constraints."""
    rows = np.flatnonzero(active)
    border = np.empty((len(rows), len(rows)))
    for k in range(len(rows)):
        for m in range(len(rows)):
            scale = math.sqrt(abs(G[rows[k], rows[k]]) * abs(G[rows[m], rows[m]]))
            border[k, m] = G[rows[k], rows[m]] / (scale if scale > 0 else 1.0)
    return int((np.linalg.eigvalsh(border) < 0).sum())


def solve_border(G: Array, h: Array, active: npt.NDArray[np.bool_], multipliers: Array, delta: Array) -> None:
    """Step of the multipliers; an inactive bound's multiplier goes to 0."""
    size = len(h)
    M, right = np.empty((size, size)), np.empty(size)
    for k in range(size):
        right[k] = h[k] - G[k, size] if active[k] else -multipliers[k]
        for m in range(size):
            M[k, m] = G[k, m] if active[k] else (1.0 if k == m else 0.0)
    # rows of very different size (the value against the counts): balance, then eliminate with pivoting
    for k in range(size):
        top = np.abs(M[k]).max()
        if top > 0:
            M[k] /= top
            right[k] /= top
    for k in range(size):
        best = k + np.argmax(np.abs(M[k:, k]))
        if best != k:
            row = M[k].copy()
            M[k], M[best] = M[best], row
            right[k], right[best] = right[best], right[k]
        for m in range(size):
            if m != k:
                factor = M[m, k] / M[k, k]
                M[m] -= factor * M[k]
                right[m] -= factor * right[k]
    for k in range(size):
        delta[k] = right[k] / M[k, k]


NEWTON = (*RECURSIONS, step_length, negative_border, solve_border, residuals, newton)
