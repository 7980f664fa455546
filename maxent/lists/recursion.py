"""The recursion over the ranks: all lists at once, as paths through the numbers of documents found so far.

A state is (k_1..k_c), the documents of each group of grades among the first n; group 0, with grade 0, is what is
left. A list is a path from (0..0) to the counts, and to go from state s at rank n - 1 to a document of group
i has the weight

    odds_n(i) exp(sum_v lambda_v (a_vn(i) + d_vn X_vi(s))),

where X_vi(s) = sum_j K_v(i, j) k_j for a pairwise form, so that the exponential is a product of tables, and the
probability of still reading for a cascade. Group 0 has the weight 1. ``backward`` sums the weights of all ends of
lists behind each state, with the mean and the covariance of what the measures gain there; ``forward`` then has the
probability of every state. Numbers are scaled rank by rank. Where a double has not the range for that, both compute
with logarithms instead, which takes ten times as long.
"""

import math

import numpy as np
from numba import njit

from maxent.lists.weights import Steps, copy, exponents, fill, weights
from maxent.types import FloatArray, IntArray

TINY = float(np.finfo(np.float64).tiny)  # smaller numbers lose digits, or are 0


@njit(nogil=True, error_model="numpy")
def _largest(x: FloatArray) -> float:
    """Largest of numbers that are not negative; four at a time, as one comparison would wait for the other."""
    n = len(x) // 4 * 4
    t0 = t1 = t2 = t3 = 0.0
    for s in range(0, n, 4):
        t0 = max(t0, x[s])
        t1 = max(t1, x[s + 1])
        t2 = max(t2, x[s + 2])
        t3 = max(t3, x[s + 3])
    for s in range(n, len(x)):
        t0 = max(t0, x[s])
    return max(max(t0, t1), max(t2, t3))


@njit(nogil=True, error_model="numpy")
def _dot(x: FloatArray, y: FloatArray) -> float:
    """Sum of products, in an order that does not depend on the processor."""
    n = len(x) // 4 * 4
    t0 = t1 = t2 = t3 = 0.0
    y = y[: len(x)]
    for s in range(0, n, 4):
        t0 += x[s] * y[s]
        t1 += x[s + 1] * y[s + 1]
        t2 += x[s + 2] * y[s + 2]
        t3 += x[s + 3] * y[s + 3]
    for s in range(n, len(x)):
        t0 += x[s] * y[s]
    return (t0 + t1) + (t2 + t3)


@njit(nogil=True, error_model="numpy")
def _log_step(e: FloatArray, hard: bool, y: FloatArray, now: FloatArray) -> None:
    """Logarithm of the sum (or the ``hard`` maximum) of a column of exponents, and the shares of the summands."""
    for s in range(len(now)):
        top, total = -math.inf, 0.0
        for i in range(len(e)):
            top = max(top, e[i, s])
        if top > -math.inf:
            for i in range(len(e)):
                y[i, s] = math.exp(e[i, s] - top)
                total += y[i, s]
            for i in range(len(e)):
                y[i, s] /= total
        else:
            for i in range(len(e)):
                y[i, s] = 0.0
        now[s] = top if hard or total == 0.0 else top + math.log(total)


@njit(nogil=True, error_model="numpy")
def _product(x: FloatArray, y: FloatArray, to: FloatArray) -> None:
    """Products of two arrays."""
    for s in range(len(x)):
        to[s] = x[s] * y[s]


@njit(nogil=True, error_model="numpy")
def _gather(
    steps: Steps, n: int, w: FloatArray, behind: FloatArray, first: FloatArray, second: FloatArray,
    now: FloatArray, to_first: FloatArray, to_second: FloatArray,
) -> None:  # fmt: skip
    """Sums (S,) of the weights of all ends of lists behind each state, from those behind the states one rank on.

    The same for the moments of what the measures gain, weight times gain (m, S) and times two gains (m, m, S).
    """
    c, m = len(steps.sizes), len(first)
    _product(w[c], behind, now)
    for i in range(c):
        weight, later = w[i], behind[steps.strides[i] :]
        for s in range(len(later)):
            now[s] += weight[s] * later[s]
    for v in range(m):
        out, out_two = to_first[v], to_second[v, v]
        _product(w[c], first[v], out)
        _product(w[c], second[v, v], out_two)
        for i in range(c):
            stride, a, d, X = steps.strides[i], steps.a[v, n, i], steps.d[v, n], steps.X[v, i]
            weight, later, own, two = w[i], behind[stride:], first[v, stride:], second[v, v, stride:]
            for s in range(len(later)):
                gain = a + d * X[s]
                moved = own[s] + gain * later[s]
                out[s] += weight[s] * moved
                out_two[s] += weight[s] * (two[s] + gain * (own[s] + moved))
        for q in range(v):
            out = to_second[v, q]
            _product(w[c], second[v, q], out)
            for i in range(c):
                stride = steps.strides[i]
                weight, later, two = w[i], behind[stride:], second[v, q, stride:]
                own, a, d, X = first[v, stride:], steps.a[v, n, i], steps.d[v, n], steps.X[v, i]
                other, b, e, Y = first[q, stride:], steps.a[q, n, i], steps.d[q, n], steps.X[q, i]
                for s in range(len(later)):
                    gain, moved = b + e * Y[s], own[s] + (a + d * X[s]) * later[s]
                    out[s] += weight[s] * (two[s] + (a + d * X[s]) * other[s] + gain * moved)


@njit(nogil=True, error_model="numpy")
def backward(
    steps: Steps,
    multipliers: FloatArray,
    logs: bool,
    hard: bool,
    allowed: IntArray,
    moments: bool,
    kept: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Logarithm of Z, and if ``moments`` its gradient (m,) and Hessian (m, m): the measures' means and covariances.

    ``kept`` (N + 1, S), where it is not empty, gets the sums behind all states; scaled, or as logarithms. With
    ``hard`` the largest takes the place of sums of logarithms.
    """
    N, c, S = len(steps.odds), len(steps.sizes), len(steps.totals)
    m = len(multipliers) if moments else 0
    most, log_z, empty, top = steps.totals[S - 1], 0.0, -math.inf if logs else 0.0, 1.0
    now, behind, ones, powers = np.empty(S), np.empty(S), np.empty(S), np.empty(S)
    for s in range(S):
        end = s == S - 1 or not steps.exact
        behind[s] = empty if not end else 0.0 if logs else 1.0
        ones[s] = 1.0
    w, e = np.empty((c + 1, S)), np.empty((c + 1 if logs else 0, S))
    first, second = np.zeros((m, S)), np.zeros((m, m, S))
    to_first, to_second = np.zeros((m, S)), np.zeros((m, m, S))
    if len(kept):
        copy(behind, kept[N])
    for n in range(N - 1, -1, -1):
        if logs:
            exponents(steps, multipliers, n, allowed, behind, range(S), e)
            _log_step(e, hard, w, now)
            if m:
                _gather(steps, n, w, ones, first, second, powers, to_first, to_second)
        else:
            weights(steps, multipliers, n, 1.0 / top, powers, w)
            _gather(steps, n, w, behind, first, second, now, to_first, to_second)
        if n < most:  # no state has more documents than ranks
            for s in range(S):
                if steps.totals[s] > n:
                    now[s] = empty
        if not logs:
            top = _largest(now)
            if not 0.0 < top < math.inf:
                log_z = -math.inf
                break
            log_z += math.log(top)
        if len(kept):
            for s in range(S):
                kept[n, s] = now[s] / top
        now, behind, first, to_first = behind, now, to_first, first
        second, to_second = to_second, second
    mean, cov, total = np.zeros(m), np.zeros((m, m)), 1.0 if logs else behind[0]
    for v in range(m):
        mean[v] = first[v, 0] / total
        for q in range(v + 1):
            cov[v, q] = cov[q, v] = second[v, q, 0] / total - mean[v] * mean[q]
    return behind[0] if logs else log_z + math.log(behind[0] / top), mean, cov


@njit(nogil=True, error_model="numpy")
def forward(
    steps: Steps, multipliers: FloatArray, logs: bool, allowed: IntArray, kept: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Probability of each group at each rank (N, c + 1), expected values (m,), and a bound on what underflow lost.

    ``kept``, from ``backward``, becomes the probability (N + 1, S) of every state. The last column is group 0. A
    state that underflows has less than 2 S tiny / sum_s F_n(s) B_n(s) of the probability, with the weights of both
    directions scaled to a largest one of 1.
    """
    N, c, m, S = len(steps.odds), len(steps.sizes), len(multipliers), len(steps.totals)
    w, flow = np.empty((c + 1, S)), np.empty(S)
    powers, p, expected, lost = np.empty(S), np.zeros((N, c + 1)), np.zeros(m), 0.0
    F, to, ones, by = np.zeros(S), np.zeros(S), np.empty(S), np.zeros(m)
    fill(ones, 1.0)
    F[0] = 1.0
    for n in range(N):
        behind, mass = ones if logs else kept[n + 1], 0.0
        if logs:
            exponents(steps, multipliers, n, allowed, kept[n + 1], range(S), w)
            for i in range(c + 1):
                for s in range(S):
                    w[i, s] = math.exp(w[i, s] - kept[n, s]) if kept[n, s] > -math.inf else 0.0
            copy(F, kept[n])
        else:
            weights(steps, multipliers, n, 1.0, powers, w)
        fill(to, 0.0)
        fill(by, 0.0)
        for i in range(c + 1):
            length = S - steps.strides[i] if i < c else S
            later, beyond, q = to[S - length :], behind[S - length :], flow[:length]
            _product(F[:length], w[i], q)
            for s in range(length):
                later[s] += q[s]
            p[n, i] = _dot(q, beyond)
            mass += p[n, i]
            if i < c:
                _product(q, beyond, q)
                for v in range(m):
                    by[v] += steps.a[v, n, i] * p[n, i] + steps.d[v, n] * _dot(q, steps.X[v, i])
        for i in range(c + 1):
            p[n, i] /= mass
        for v in range(m):
            expected[v] += by[v] / mass
        F, to = to, F
        if not logs:
            top = _largest(F)
            mass /= top
            lost += 2.0 * S * TINY / mass
            for s in range(S):
                F[s] /= top
            for s in range(S):
                behind[s] *= F[s] / mass
    fill(kept[0], 0.0)
    kept[0, 0] = 1.0
    if logs:
        copy(F, kept[N])
    return p, expected, lost


@njit(nogil=True, error_model="numpy")
def draw(
    steps: Steps, multipliers: FloatArray, allowed: IntArray, behind: FloatArray, uniform: FloatArray
) -> IntArray:
    """Groups of documents of random lists, from logarithms ``behind`` the states and uniform numbers (lists, N)."""
    c, S = len(steps.sizes), len(steps.totals)
    e, found = np.empty((c + 1, S)), np.empty(uniform.shape, dtype=np.int64)
    for k in range(len(uniform)):
        s = 0
        for n in range(uniform.shape[1]):
            exponents(steps, multipliers, n, allowed, behind[n + 1], range(s, s + 1), e)
            top, total, i = -math.inf, 0.0, c
            for j in range(c + 1):
                top = max(top, e[j, s])
            for j in range(c + 1):
                e[j, s] = math.exp(e[j, s] - top)
                total += e[j, s]
            left = uniform[k, n] * total
            for j in range(c + 1):
                if e[j, s] > 0.0 and left >= 0.0:
                    i = j
                    left -= e[j, s]
            found[k, n] = i
            s += steps.strides[i] if i < c else 0
    return found
