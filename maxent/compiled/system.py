"""Recursions over the ranks: the Newton system of a maximum-entropy problem in O(depth * c^3).

Everything here sees a problem without absent grades and with one grade eliminated (the reference), so p has c
columns, each row inside the open simplex. With D_n = diag(1/p_n) + 1/p_n(ref) the system is

    (D - lam A) x - B delta = r,     B' x = h,     (A x)_n = d_n K S_n(x) + K' T_n(x)

where the columns of B are the gradient w of the measure and one block of identities for the counts. The part
below the diagonal, -lam d_n K, has the same factor K at every column, so a block L Delta L' factorisation needs
only a (c, c) state P that travels down the ranks (the Riccati recursion of linear-quadratic control):

    Delta_n = D_n - d_n^2 K P K',       U_n = lam I + d_n P K',
    L_mn = -d_m K U_n Delta_n^-1,       P <- P + U_n Delta_n^-1 U_n'

The Schur complement of the constraints is Y' Delta^-1 Y with L Y = B: the forward pass alone gives it. A step x in
the probabilities is a step D x in the logits, and D Delta^-1 = (I - Q V)^-1 =: X with V = D^-1 and Q = d^2 K P K':
no division by a probability anywhere. In a coarse problem a row stands for ``size`` ranks and V is larger by that.

Sources, see :mod:`maxent.compiled.fields`.
"""

import math

import numpy as np

from maxent.compiled.fields import Array

c = 2  # number of grades besides the reference; filled in by the compiler


def forward(
    d: Array,
    size: Array,
    K: Array,
    multipliers: Array,
    p: Array,
    reference: Array,
    w: Array,
    r: Array,
    Y: Array,
    X: Array,
    U: Array,
    G: Array,
) -> None:
    """Factorise D - lam A and solve the lower triangle for [w, I, r]."""
    k = np.zeros((c, c))
    P = np.zeros((c, c))  # state of the factorisation
    S = np.zeros((c, c + 2))  # state of the triangular solve
    u = np.zeros((c, c))
    V = np.zeros((c, c))
    R = np.zeros((c, c))
    Q = np.zeros((c, c))
    M = np.zeros((c, c))
    D = np.zeros((c, c))
    y = np.zeros((c, c + 2))
    z = np.zeros((c, c + 2))
    g = np.zeros((c + 1, c + 2))
    lam = multipliers[0]
    for i in range(c):
        for j in range(c):
            k[i, j] = K[i, j]
    for n in range(len(d)):
        for i in range(c):
            for j in range(c):
                t = 0.0
                for m in range(c):
                    t += P[i, m] * k[j, m]
                t *= d[n]
                R[i, j] = t
                u[i, j] = t + (lam if i == j else 0.0)
        for i in range(c):
            for j in range(i, c):
                t = 0.0
                for m in range(c):
                    t += k[i, m] * R[m, j]
                t *= d[n]
                Q[i, j] = t
                Q[j, i] = t
        for i in range(c):
            others = reference[n]  # 1 - p would cancel
            for j in range(c):
                others += p[n, j] if i != j else 0.0
                V[i, j] = -size[n] * p[n, i] * p[n, j]
            V[i, i] = size[n] * p[n, i] * others
        for i in range(c):
            for j in range(c):
                t = 1.0 if i == j else 0.0
                for m in range(c):
                    t -= Q[i, m] * V[m, j]
                M[i, j] = t
        if c == 2:
            t = 1.0 / (M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0])
            first = M[0, 0]
            M[0, 0] = M[1, 1] * t
            M[1, 1] = first * t
            M[0, 1] *= -t
            M[1, 0] *= -t
        else:
            for q in range(c):
                t = 1.0 / M[q, q]
                M[q, q] = 1.0
                for j in range(c):
                    M[q, j] *= t
                for i in range(c):
                    if i != q:
                        t = M[i, q]
                        M[i, q] = 0.0
                        for j in range(c):
                            M[i, j] -= t * M[q, j]
        for i in range(c):
            for j in range(i, c):
                t = 0.0
                for m in range(c):
                    t += V[i, m] * M[m, j]
                D[i, j] = t
                D[j, i] = t
        for i in range(c):
            for j in range(c):
                X[n, i, j] = M[i, j]
                U[n, j, i] = u[i, j]
            for m in range(c + 2):
                t = 0.0
                for j in range(c):
                    t += k[i, j] * S[j, m]
                t *= d[n]
                t += w[n, i] if m == 0 else r[n, i] if m == c + 1 else 1.0 if m == i + 1 else 0.0
                y[i, m] = t
                Y[n, i, m] = t
        for i in range(c):
            for m in range(c + 2):
                t = 0.0
                for j in range(c):
                    t += D[i, j] * y[j, m]
                z[i, m] = t
        for q in range(c + 1):
            for m in range(q, c + 2):
                for i in range(c):
                    g[q, m] += y[i, q] * z[i, m]
        for i in range(c):
            for m in range(c + 2):
                for j in range(c):
                    S[i, m] += u[i, j] * z[j, m]
            for j in range(c):
                t = 0.0
                for m in range(c):
                    t += u[i, m] * D[m, j]
                R[i, j] = t
        for i in range(c):
            for j in range(i, c):
                for m in range(c):
                    P[i, j] += R[i, m] * u[j, m]
                P[j, i] = P[i, j]
    for q in range(c + 1):
        for m in range(c + 2):
            G[q, m] = g[q, m] if m >= q else g[m, q]


def backward(
    d: Array,
    size: Array,
    K: Array,
    p: Array,
    Y: Array,
    X: Array,
    U: Array,
    change: Array,
    fresh: Array,
    step: Array,
) -> None:
    """Solve the upper triangle: the step in the logits, where a new one is wanted."""
    k = np.zeros((c, c))
    after = np.zeros(c)
    y = np.zeros(c)
    v = np.zeros(c)
    s = np.zeros(c)
    e = np.zeros(c + 1)
    for q in range(c + 1):
        e[q] = change[q]
    for i in range(c):
        for j in range(c):
            k[i, j] = K[i, j]
    for n in range(len(d) - 1, -1, -1):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += k[j, i] * after[j]
            v[i] = t
        for i in range(c):
            t = Y[n, i, c + 1]
            for q in range(c + 1):
                t += Y[n, i, q] * e[q]
            for j in range(c):
                t += U[n, i, j] * v[j]
            y[i] = t
        mean = 0.0
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += X[n, i, j] * y[j]
            s[i] = t
            mean += p[n, i] * t
        for i in range(c):
            after[i] += d[n] * size[n] * p[n, i] * (s[i] - mean)  # x = V s
            step[n, i] = s[i] if fresh[()] > 0.0 else step[n, i]


def forward_linear(size: Array, p: Array, w: Array, r: Array, G: Array) -> None:
    """:func:`forward` without pairwise part: the system is block diagonal, and only G is needed."""
    g = np.zeros((c + 1, c + 2))
    y = np.zeros((c, c + 2))
    z = np.zeros((c, c + 2))
    for n in range(len(p)):
        for m in range(c + 2):
            mean = 0.0
            for i in range(c):
                y[i, m] = w[n, i] if m == 0 else r[n, i] if m == c + 1 else 1.0 if m == i + 1 else 0.0
                mean += p[n, i] * y[i, m]
            for i in range(c):
                z[i, m] = size[n] * p[n, i] * (y[i, m] - mean)
        for q in range(c + 1):
            for m in range(q, c + 2):
                for i in range(c):
                    g[q, m] += y[i, q] * z[i, m]
    for q in range(c + 1):
        for m in range(c + 2):
            G[q, m] = g[q, m] if m >= q else g[m, q]


def backward_linear(w: Array, r: Array, change: Array, fresh: Array, step: Array) -> None:
    """:func:`backward` without pairwise part."""
    for n in range(len(w)):
        for i in range(c):
            step[n, i] = r[n, i] + change[1 + i] + change[0] * w[n, i] if fresh[()] > 0.0 else step[n, i]


def negative_eigenvalues(
    d: Array, size: Array, K: Array, multipliers: Array, p: Array, reference: Array, U: Array, negative: Array
) -> None:
    """Number of negative eigenvalues of D - lam A, from the U of :func:`forward`.

    The pivot V^-1 - Q has the inertia of I - R' Q R with V = R R', which is well scaled however small the
    probabilities are; its elimination pivots have the same signs. d P K' = U - lam I gives Q back.
    """
    V = np.zeros((c, c))
    R = np.zeros((c, c))  # lower triangle of V = R R'
    Q = np.zeros((c, c))
    M = np.zeros((c, c))
    found = 0.0
    for n in range(len(d)):
        for i in range(c):
            others = reference[n]  # 1 - p would cancel
            for j in range(c):
                others += p[n, j] if i != j else 0.0
                V[i, j] = -size[n] * p[n, i] * p[n, j]
            V[i, i] = size[n] * p[n, i] * others
        for i in range(c):
            for j in range(c):
                t = -multipliers[0] * K[i, j]
                for m in range(c):
                    t += K[i, m] * U[n, j, m]
                Q[i, j] = d[n] * t
        for j in range(c):
            for i in range(j, c):
                t = V[i, j]
                for m in range(j):
                    t -= R[i, m] * R[j, m]
                if i == j:
                    R[j, j] = math.sqrt(max(t, 0.0))
                else:
                    R[i, j] = t / R[j, j] if R[j, j] > 0.0 else 0.0
        for i in range(c):
            for j in range(c):
                t = 0.0
                for m in range(j, c):
                    t += Q[i, m] * R[m, j]
                V[i, j] = t
        for i in range(c):
            for j in range(c):
                t = 1.0 if i == j else 0.0
                for m in range(i, c):
                    t -= R[m, i] * V[m, j]
                M[i, j] = t
        for q in range(c):
            found += 1.0 if M[q, q] < 0.0 else 0.0
            for i in range(q + 1, c):
                t = M[i, q] / M[q, q]
                for j in range(q + 1, c):
                    M[i, j] -= t * M[q, j]
    negative[()] = found


SYSTEM = (forward, backward, forward_linear, backward_linear, negative_eigenvalues)
