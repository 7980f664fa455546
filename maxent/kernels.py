"""Recursions over the ranks: the Newton system of a maximum-entropy problem in O(depth * c^3).

Everything here sees a problem without absent grades and with one grade eliminated (the reference), so p has c
columns, each row inside the open simplex. With D_n = diag(1/p_n) + 1/p_n(ref) the system is

    (D - lam A) x - B delta = r,     B' x = h,     (A x)_n = d_n K S_n(x) + K' T_n(x)

where the columns of B are the gradient w of the measure and one block of identities for the counts. The part
below the diagonal, -lam d_n K, has the same factor K at every column, so a block L Delta L' factorisation needs
only a (c, c) state P that travels down the ranks (the Riccati recursion of linear-quadratic control):

    Delta_n = D_n - d_n^2 K P K',       U_n = lam I + d_n P K',
    L_mn = -d_m K U_n Delta_n^-1,       P <- P + U_n Delta_n^-1 U_n'

The Schur complement of the constraints is Y' Delta^-1 Y with L Y = B: the forward pass alone gives it.

The functions are sources for :mod:`maxent.unroll`, which compiles them for every number of grades c; they are not
called as they stand.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]
c = 2  # number of grades besides the reference; filled in by the compiler


def softmax(theta: Array, p: Array, reference: Array) -> None:
    """Row-wise probabilities ``p`` (depth, c) of the logits; ``reference`` (depth,) is the grade with logit 0."""
    e = np.zeros(c)
    for n in range(len(reference)):
        top = 0.0
        for i in range(c):
            top = max(top, theta[n, i])
        e_ref = math.exp(-top)
        total = e_ref
        for i in range(c):
            e[i] = math.exp(theta[n, i] - top)
            total += e[i]
        total = 1.0 / total
        for i in range(c):
            p[n, i] = e[i] * total
        reference[n] = e_ref * total


def value_and_gradient(a: Array, d: Array, K: Array, p: Array, w: Array) -> float:
    """Expected value; its derivative by p goes to ``w``."""
    k = np.zeros((c, c))
    before = np.zeros(c)
    after = np.zeros(c)
    for i in range(c):
        for j in range(c):
            k[i, j] = K[i, j]
    value = 0.0
    for n in range(len(d)):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += k[i, j] * before[j]
            t = a[n, i] + d[n] * t
            w[n, i] = t
            value += p[n, i] * t
        for i in range(c):
            before[i] += p[n, i]
    for n in range(len(d) - 1, -1, -1):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += k[j, i] * after[j]
            w[n, i] += t
        for i in range(c):
            after[i] += d[n] * p[n, i]
    return value


def forward(
    d: Array, K: Array, lam: float, p: Array, w: Array, residual: Array, Y: Array, Di: Array, U: Array, G: Array
) -> None:
    """Factorise D - lam A and solve the lower triangle for [w, I, residual].

    Fills Y (depth, c, c + 2), the inverse pivots Di and U (depth, c, c), and G (c + 1, c + 2): the Schur
    complement of the constraints and, in the last column, B' (D - lam A)^-1 residual.
    """
    k = np.zeros((c, c))
    P = np.zeros((c, c))  # state of the factorisation
    S = np.zeros((c, c + 2))  # state of the triangular solve
    u = np.zeros((c, c))
    V = np.zeros((c, c))
    Q = np.zeros((c, c))
    M = np.zeros((c, c))
    X = np.zeros((c, c))
    D = np.zeros((c, c))
    y = np.zeros((c, c + 2))
    z = np.zeros((c, c + 2))
    g = np.zeros((c + 1, c + 2))
    for i in range(c):
        for j in range(c):
            k[i, j] = K[i, j]
    for n in range(len(d)):
        for i in range(c):
            for j in range(c):
                t = 0.0
                for m in range(c):
                    t += P[i, m] * k[j, m]
                X[i, j] = d[n] * t
                u[i, j] = d[n] * t + (lam if i == j else 0.0)
                V[i, j] = (p[n, i] if i == j else 0.0) - p[n, i] * p[n, j]
        for i in range(c):
            for j in range(c):
                t = 0.0
                for m in range(c):
                    t += k[i, m] * X[m, j]
                Q[i, j] = d[n] * t
        # Delta^-1 = V (I - Q V)^-1 with V = D^-1: no division by tiny probabilities
        for i in range(c):
            for j in range(c):
                t = 1.0 if i == j else 0.0
                for m in range(c):
                    t -= Q[i, m] * V[m, j]
                M[i, j] = t
                X[i, j] = 1.0 if i == j else 0.0
        if c == 2:
            t = 1.0 / (M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0])
            X[0, 0] = M[1, 1] * t
            X[1, 1] = M[0, 0] * t
            X[0, 1] = -M[0, 1] * t
            X[1, 0] = -M[1, 0] * t
        else:
            for q in range(c):
                t = 1.0 / M[q, q]
                for j in range(c):
                    M[q, j] *= t
                    X[q, j] *= t
                for i in range(c):
                    if i != q:
                        t = M[i, q]
                        for j in range(c):
                            M[i, j] -= t * M[q, j]
                            X[i, j] -= t * X[q, j]
        for i in range(c):
            for j in range(i, c):
                t = 0.0
                for m in range(c):
                    t += V[i, m] * X[m, j]
                D[i, j] = t
                D[j, i] = t
        for i in range(c):
            for j in range(c):
                Di[n, i, j] = D[i, j]
                U[n, i, j] = u[i, j]
            for m in range(c + 2):
                t = 0.0
                for j in range(c):
                    t += k[i, j] * S[j, m]
                t *= d[n]
                t += w[n, i] if m == 0 else residual[n, i] if m == c + 1 else 1.0 if m == i + 1 else 0.0
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
                X[i, j] = t
        for i in range(c):
            for j in range(c):
                for m in range(c):
                    P[i, j] += X[i, m] * u[j, m]
    for q in range(c + 1):
        for m in range(c + 2):
            G[q, m] = g[q, m] if m >= q else g[m, q]


def backward(d: Array, K: Array, Y: Array, Di: Array, U: Array, delta: Array, x: Array, curved: Array) -> None:
    """Solve the upper triangle: the step ``x`` in p and ``curved`` = A x, both (depth, c)."""
    k = np.zeros((c, c))
    after = np.zeros(c)
    before = np.zeros(c)
    y = np.zeros(c)
    v = np.zeros(c)
    e = np.zeros(c + 1)
    for q in range(c + 1):
        e[q] = delta[q]
    for i in range(c):
        for j in range(c):
            k[i, j] = K[i, j]
    for n in range(len(d) - 1, -1, -1):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += k[j, i] * after[j]
            v[i] = t
            curved[n, i] = t
        for i in range(c):
            t = Y[n, i, c + 1]
            for q in range(c + 1):
                t += Y[n, i, q] * e[q]
            for j in range(c):
                t += U[n, j, i] * v[j]
            y[i] = t
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += Di[n, i, j] * y[j]
            x[n, i] = t
            after[i] += d[n] * t
    for n in range(len(d)):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += k[i, j] * before[j]
            curved[n, i] += d[n] * t
        for i in range(c):
            before[i] += x[n, i]


def negative_eigenvalues(d: Array, K: Array, lam: float, p: Array, U: Array) -> int:
    """Number of negative eigenvalues of D - lam A, from the U of :func:`forward`.

    The pivot V^-1 - Q has the inertia of I - R' Q R with V = R R', which is well scaled however small the
    probabilities are; its elimination pivots have the same signs. d P K' = U - lam I gives Q back.
    """
    V = np.zeros((c, c))
    R = np.zeros((c, c))  # lower triangle of V = R R'
    Q = np.zeros((c, c))
    M = np.zeros((c, c))
    negative = 0
    for n in range(len(d)):
        for i in range(c):
            for j in range(c):
                V[i, j] = (p[n, i] if i == j else 0.0) - p[n, i] * p[n, j]
                t = -lam * K[i, j]
                for m in range(c):
                    t += K[i, m] * U[n, m, j]
                Q[i, j] = d[n] * t
        for j in range(c):
            for i in range(j, c):
                t = V[i, j]
                for m in range(j):
                    t -= R[i, m] * R[j, m]
                if i == j:
                    R[j, j] = math.sqrt(max(t, 0.0))
                else:
                    R[i, j] = t / R[j, j] if R[j, j] > 0 else 0.0
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
            negative += 1 if M[q, q] < 0 else 0
            for i in range(q + 1, c):
                t = M[i, q] / M[q, q]
                for j in range(q + 1, c):
                    M[i, j] -= t * M[q, j]
    return negative


RECURSIONS = (softmax, value_and_gradient, forward, backward, negative_eigenvalues)
