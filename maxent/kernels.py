"""Compiled recursions over the ranks: the Newton system of a maximum-entropy problem in O(depth * c^3).

Everything here sees a problem without absent grades and with one grade eliminated (the reference), so p has c
columns, each row inside the open simplex. With D_n = diag(1/p_n) + 1/p_n(ref) the system is

    (D - lam A) x - B delta = r,     B' x = h,     (A x)_n = d_n K S_n(x) + K' T_n(x)

where the columns of B are the gradient w of the measure and one block of identities for the counts. The part
below the diagonal, -lam d_n K, has the same factor K at every column, so a block L Delta L' factorisation needs
only a (c, c) state P that travels down the ranks (the Riccati recursion of linear-quadratic control):

    Delta_n = D_n - d_n^2 K P K',       U_n = lam I + d_n P K',
    L_mn = -d_m K U_n Delta_n^-1,       P <- P + U_n Delta_n^-1 U_n'

The Schur complement of the constraints is Y' Delta^-1 Y with L Y = B: the forward pass alone gives it.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

Array = npt.NDArray[np.floating[Any]]
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Machine code for ``function``, kept on disk between processes."""
    return cast(Function, njit(cache=True, nogil=True, error_model="numpy")(function))


@compiled
def softmax(theta: Array, p: Array, reference: Array) -> None:
    """Row-wise probabilities ``p`` (depth, c) of the logits; ``reference`` (depth,) is the grade with logit 0."""
    depth, c = theta.shape
    for n in range(depth):
        top = 0.0
        for i in range(c):
            top = max(top, theta[n, i])
        total = math.exp(-top)
        for i in range(c):
            p[n, i] = math.exp(theta[n, i] - top)
            total += p[n, i]
        for i in range(c):
            p[n, i] /= total
        reference[n] = math.exp(-top) / total


@compiled
def value_and_gradient(a: Array, d: Array, K: Array, p: Array, w: Array) -> float:
    """Expected value; its derivative by p goes to ``w``."""
    depth, c = p.shape
    before, after = np.zeros(c), np.zeros(c)
    value = 0.0
    for n in range(depth):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += K[i, j] * before[j]
            w[n, i] = a[n, i] + d[n] * t
            value += p[n, i] * w[n, i]
        for i in range(c):
            before[i] += p[n, i]
    for n in range(depth - 1, -1, -1):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += K[j, i] * after[j]
            w[n, i] += t
        for i in range(c):
            after[i] += d[n] * p[n, i]
    return value


@compiled
def invert(M: Array, out: Array) -> None:
    """Inverse of the small matrix ``M`` (overwritten) by Gauss-Jordan elimination with pivoting."""
    c = M.shape[0]
    for i in range(c):
        for j in range(c):
            out[i, j] = 1.0 if i == j else 0.0
    for k in range(c):
        best = k
        for i in range(k + 1, c):
            if abs(M[i, k]) > abs(M[best, k]):
                best = i
        if best != k:
            for j in range(c):
                M[k, j], M[best, j] = M[best, j], M[k, j]
                out[k, j], out[best, j] = out[best, j], out[k, j]
        pivot = M[k, k]
        for j in range(c):
            M[k, j] /= pivot
            out[k, j] /= pivot
        for i in range(c):
            if i != k:
                factor = M[i, k]
                for j in range(c):
                    M[i, j] -= factor * M[k, j]
                    out[i, j] -= factor * out[k, j]


@compiled
def product(A: Array, B: Array, out: Array) -> None:
    """``out = A B`` for small matrices (no call into BLAS)."""
    for i in range(A.shape[0]):
        for k in range(B.shape[1]):
            t = 0.0
            for j in range(A.shape[1]):
                t += A[i, j] * B[j, k]
            out[i, k] = t


@compiled
def forward(
    d: Array,
    K: Array,
    lam: float,
    p: Array,
    w: Array,
    residual: Array,
    inertia: bool,
    Y: Array,
    Di: Array,
    U: Array,
    G: Array,
) -> int:
    """Factorise D - lam A and solve the lower triangle for [w, I, residual].

    Fills Y (depth, c, c + 2), the inverse pivots Di and U (depth, c, c), and G (c + 1, c + 2): the Schur
    complement of the constraints and, in the last column, B' (D - lam A)^-1 residual. Returns the number of
    negative eigenvalues of D - lam A where ``inertia`` is wanted, else 0.
    """
    depth, c = p.shape
    columns = c + 2
    Kt = K.T.copy()
    P, state = np.zeros((c, c)), np.zeros((c, columns))
    PKt, Q, V, M = np.empty((c, c)), np.empty((c, c)), np.empty((c, c)), np.empty((c, c))
    inverse, UD, step = np.empty((c, c)), np.empty((c, c)), np.empty((c, c))
    pushed, solved, moved = np.empty((c, columns)), np.empty((c, columns)), np.empty((c, columns))
    G[:] = 0.0
    negative = 0
    for n in range(depth):
        for i in range(c):
            for j in range(c):
                V[i, j] = (p[n, i] if i == j else 0.0) - p[n, i] * p[n, j]
        product(P, Kt, PKt)
        product(K, PKt, Q)
        for i in range(c):
            for j in range(c):
                U[n, i, j] = d[n] * PKt[i, j] + (lam if i == j else 0.0)
                Q[i, j] *= d[n] * d[n]
        # Delta^-1 = V (I - Q V)^-1 with V = D^-1: no division by tiny probabilities
        product(Q, V, M)
        for i in range(c):
            for j in range(c):
                M[i, j] = (1.0 if i == j else 0.0) - M[i, j]
        invert(M, inverse)
        product(V, inverse, Di[n])
        if inertia:
            negative += negative_eigenvalues(V, Q)
        product(K, state, pushed)
        for i in range(c):
            Y[n, i, 0] = w[n, i] + d[n] * pushed[i, 0]
            for j in range(c):
                Y[n, i, 1 + j] = (1.0 if i == j else 0.0) + d[n] * pushed[i, 1 + j]
            Y[n, i, c + 1] = residual[n, i] + d[n] * pushed[i, c + 1]
        product(Di[n], Y[n], solved)
        for k in range(c + 1):
            for m in range(columns):
                t = 0.0
                for i in range(c):
                    t += Y[n, i, k] * solved[i, m]
                G[k, m] += t
        product(U[n], solved, moved)
        state += moved
        product(U[n], Di[n], UD)
        product(UD, U[n].T, step)
        P += step
    return negative


@compiled
def negative_eigenvalues(V: Array, Q: Array) -> int:
    """Number of negative eigenvalues of the pivot V^-1 - Q: those of I - R' Q R, with V = R R'.

    The latter is well scaled however small the probabilities are; its elimination pivots have its inertia.
    """
    c = V.shape[0]
    R, QR, M = np.zeros((c, c)), np.empty((c, c)), np.empty((c, c))
    for j in range(c):
        for i in range(j, c):
            t = V[i, j]
            for k in range(j):
                t -= R[i, k] * R[j, k]
            if i == j:
                R[j, j] = math.sqrt(max(t, 0.0))
            else:
                R[i, j] = t / R[j, j] if R[j, j] > 0 else 0.0
    product(Q, R, QR)
    product(R.T, QR, M)
    negative = 0
    for i in range(c):
        for j in range(c):
            M[i, j] = (1.0 if i == j else 0.0) - M[i, j]
    for k in range(c):
        if M[k, k] < 0:
            negative += 1
        for i in range(k + 1, c):
            factor = M[i, k] / M[k, k]
            for j in range(k + 1, c):
                M[i, j] -= factor * M[k, j]
    return negative


@compiled
def backward(d: Array, K: Array, Y: Array, Di: Array, U: Array, delta: Array, x: Array, curved: Array) -> None:
    """Solve the upper triangle: the step ``x`` in p and ``curved`` = A x, both (depth, c)."""
    depth, c = x.shape
    after, before, y = np.zeros(c), np.zeros(c), np.empty(c)
    for n in range(depth - 1, -1, -1):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += K[j, i] * after[j]
            curved[n, i] = t
        for i in range(c):
            t = Y[n, i, c + 1]
            for k in range(c + 1):
                t += Y[n, i, k] * delta[k]
            for j in range(c):
                t += U[n, j, i] * curved[n, j]
            y[i] = t
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += Di[n, i, j] * y[j]
            x[n, i] = t
        for i in range(c):
            after[i] += d[n] * x[n, i]
    for n in range(depth):
        for i in range(c):
            t = 0.0
            for j in range(c):
                t += K[i, j] * before[j]
            curved[n, i] += d[n] * t
        for i in range(c):
            before[i] += x[n, i]
