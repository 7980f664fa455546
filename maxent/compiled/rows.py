"""The factorisation of :mod:`maxent.compiled.system` where one problem stands alone, with three to six grades.

There every number is computed by itself. Here rows of matrices are vectors of the processor, up to eight numbers:
``field[n, i, :]`` is one, and so is each element of a local array that one is put into, so that these have one axis
less. Sources, see :mod:`maxent.compiled.fields`.
"""

import numpy as np

from maxent.compiled.fields import Array
from maxent.compiled.vectors import element, replaced, unit

c = 3  # number of grades besides the reference; filled in by the compiler

FEWEST, MOST = 3, 6  # grades for which this is faster, and for which rows of Y fit


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
    k = np.zeros(c)  # columns of K
    P = np.zeros(c)
    S = np.zeros(c)
    R = np.zeros(c)  # d K P
    Q = np.zeros(c)
    V = np.zeros(c)
    M = np.zeros(c)
    D = np.zeros(c)
    y = np.zeros(c)
    z = np.zeros(c)
    change = np.zeros(c)  # D U'
    g = np.zeros(c + 1)
    for i in range(c):
        P[i] = 0.0 * unit(c, i)
        S[i] = 0.0 * unit(c + 2, i)
        k[i] = P[i]
        for j in range(c):
            k[i] = replaced(k[i], j, K[j, i])
    for q in range(c + 1):
        g[q] = 0.0 * unit(c + 2, q)
    for n in range(len(d)):
        row = p[n, :]
        for i in range(c):
            t = K[i, 0] * P[0]
            s = K[i, 0] * S[0]
            for m in range(1, c):
                t += K[i, m] * P[m]
                s += K[i, m] * S[m]
            R[i] = d[n] * t
            y[i] = d[n] * s + w[n, i] * unit(c + 2, 0) + unit(c + 2, i + 1) + r[n, i] * unit(c + 2, c + 1)
        for i in range(c):
            t = element(R[i], 0) * k[0]
            for m in range(1, c):
                t += element(R[i], m) * k[m]
            Q[i] = d[n] * t
            others = reference[n]  # 1 - p would cancel
            for j in range(c):
                others += p[n, j] if i != j else 0.0
            V[i] = replaced(-size[n] * p[n, i] * row, i, size[n] * p[n, i] * others)
        for i in range(c):
            t = unit(c, i)
            for m in range(c):
                t -= element(Q[i], m) * V[m]
            M[i] = t
        for q in range(c):
            M[q] = 1.0 / element(M[q], q) * replaced(M[q], q, 1.0)
            for i in range(c):
                if i != q:
                    M[i] = replaced(M[i], q, 0.0) - element(M[i], q) * M[q]
        for i in range(c):
            t = element(V[i], 0) * M[0]
            for m in range(1, c):
                t += element(V[i], m) * M[m]
            D[i] = t
            X[n, i, :] = M[i]
            Y[n, i, :] = y[i]
            R[i] += multipliers[0] * unit(c, i)
            U[n, i, :] = R[i]
        for i in range(c):
            t = element(D[i], 0) * R[0]
            s = element(D[i], 0) * y[0]
            for m in range(1, c):
                t += element(D[i], m) * R[m]
                s += element(D[i], m) * y[m]
            change[i] = t
            z[i] = s
        for q in range(c + 1):
            for i in range(c):
                g[q] += element(y[i], q) * z[i]
        for i in range(c):
            for m in range(c):
                P[i] += element(R[m], i) * change[m]
                S[i] += element(R[m], i) * z[m]
    for q in range(c + 1):
        G[q, :] = g[q]


ROWS = (forward,)
