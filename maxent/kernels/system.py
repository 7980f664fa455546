"""The Newton system of a maximum-entropy problem in O(depth c^3): a recursion over the ranks.

With one grade eliminated (the eliminated grade) and m measures, the system is

    (D - A) x - B delta = r,     B' x = h,     (A x)_n = C_n sum_{m<n} x_m + sum_{m>n} C_m' x_m,

where D_n = diag(1 / p_n) + 1 / p_n(eliminated) is minus the Hessian of the entropy, C_n = sum_k lambda_k d_kn K_k
the pairwise coefficient of rank n, and the columns of B are the derivatives w_k and one block of identities for the
counts. Below the diagonal of -A stands -C_n, whatever the column. So a block L Delta L' factorisation needs only a
(c, c) matrix P that travels down the ranks, the Riccati recursion of linear-quadratic control (celerite does the
same for Gaussian processes):

    Delta_n = D_n - C_n P C_n',    U_n = I + P C_n',    L_mn = -C_m U_n Delta_n^-1,    P <- P + U_n Delta_n^-1 U_n'.

The Schur complement of the constraints is Y' Delta^-1 Y with L Y = B: the pass downwards alone gives it. A step x
in the probabilities is a step D x in the logits, and D Delta^-1 = (I - Q V)^-1 =: X with V = D^-1 and Q = C P C',
so that nothing is divided by a probability. In a coarse problem a row stands for ``size`` ranks, and V is larger by
that.
"""

from typing import Any

import numpy as np

from maxent.kernels.algebra import (
    entries,
    inverse,
    maximum,
    product,
    rows_of,
    square_root,
    symmetric,
    transposed,
    upper,
    where,
)
from maxent.kernels.trace import over_ranks


def _variances(at: Any) -> Any:
    """V = D^-1 = diag(p) - p p'; with the probabilities of the others in place of 1 - p, which would cancel."""
    V = -at.size * np.multiply.outer(at.p, at.p)
    for i in range(len(V)):
        V[i, i] = at.size * at.p[i] * (at.eliminated + sum(np.delete(at.p, i)))
    return V


def _kernels(whole: Any, m: int) -> Any:
    """lambda_k K_k for each measure: the same at every rank."""
    return [x * K for x, K in zip(whole.multipliers[:m], whole.K, strict=True)]


def _schur(whole: Any, state: Any) -> None:
    G = entries(state.G)
    whole.G = rows_of(state.G, np.column_stack((symmetric(G[:, :-1]), G[:, -1])))


@over_ranks(reads=("K", "multipliers"), finish=_schur, by_rows=True, P="c,c", S="c,m+c+1", G="m+c,m+c+1")
def forward(at: Any, whole: Any, state: Any) -> None:
    """Factorise D - A at one rank, solve L Y = [w, I, r], and add to the Schur complement."""
    c, m = len(at.p), len(at.d)
    C = sum(d * K for d, K in zip(at.d, _kernels(whole, m), strict=True))
    w, V, one = entries(at.w), rows_of(C, _variances(at)), rows_of(C, np.eye(c))
    R = product(state.P, transposed(C))
    U = one + R
    X = inverse(one - product(symmetric(product(C, R)), V))
    inverse_pivot = symmetric(product(V, X))
    Y = product(C, state.S) + rows_of(C, np.column_stack((w.T, np.eye(c), at.r)))
    Z = product(inverse_pivot, Y)
    state.G = state.G + upper(product(entries(Y)[:, :-1].T, Z))
    state.P = state.P + symmetric(product(product(U, inverse_pivot), transposed(U)))
    state.S = state.S + product(U, Z)
    at.Y, at.X, at.U = Y, X, U


@over_ranks(reads=("K", "multipliers", "change", "fresh"), upwards=True, after="m,c")
def backward(at: Any, whole: Any, state: Any) -> None:
    """Solve L' x = Delta^-1 Y [change, 1]: the step in the logits, where a new one is wanted."""
    kernels = _kernels(whole, len(at.d))
    later = sum(K.T @ after for K, after in zip(kernels, state.after, strict=True))
    s = at.X @ (at.Y[:, -1] + at.Y[:, :-1] @ whole.change + at.U.T @ later)
    x = at.size * at.p * (s - at.p @ s)
    state.after = state.after + np.multiply.outer(at.d, x)
    at.step = [where(whole.fresh > 0.0, new, old) for new, old in zip(s, at.step, strict=True)]


@over_ranks(finish=_schur, G="m+c,m+c+1")
def forward_linear(at: Any, whole: Any, state: Any) -> None:
    """:func:`forward` without pairwise parts: the system is block diagonal, and only G is needed."""
    Y = np.column_stack((at.w.T, np.eye(len(at.p)), at.r))
    Z = at.size * at.p[:, None] * (Y - at.p @ Y)
    state.G = state.G + np.triu(Y[:, :-1].T @ Z)


@over_ranks(reads=("change", "fresh"))
def backward_linear(at: Any, whole: Any, state: Any) -> None:
    """:func:`backward` without pairwise parts."""
    m = len(at.w)
    s = at.r + whole.change[m:] + whole.change[:m] @ at.w
    at.step = [where(whole.fresh > 0.0, new, old) for new, old in zip(s, at.step, strict=True)]


def _negative(whole: Any, state: Any) -> None:
    whole.negative = state.found


@over_ranks(reads=("K", "multipliers"), finish=_negative, found="")
def negative_eigenvalues(at: Any, whole: Any, state: Any) -> None:
    """Number of negative eigenvalues of D - A, from the U of :func:`forward`.

    The pivot V^-1 - Q has the inertia of I - R' Q R with V = R R', which is well scaled however small the
    probabilities are, and P C' = U - I gives Q = C P C' back. The pivots of its elimination have the same signs.
    """
    c = len(at.p)
    one = np.eye(c)
    C = sum(d * K for d, K in zip(at.d, _kernels(whole, len(at.d)), strict=True))
    R = _cholesky(_variances(at))
    M = one - R.T @ (C @ (at.U - one)) @ R
    for q in range(c):
        state.found = state.found + where(M[q, q] < 0.0, 1.0, 0.0)
        for i in range(q + 1, c):
            M[i, q + 1 :] = M[i, q + 1 :] - M[i, q] / M[q, q] * M[q, q + 1 :]


def _cholesky(V: Any) -> Any:
    """Lower triangle R of V = R R'; 0 where rounding leaves nothing."""
    R = np.zeros_like(V)
    for j in range(len(V)):
        root = square_root(maximum(V[j, j] - R[j, :j] @ R[j, :j], 0.0))
        R[j, j] = root
        for i in range(j + 1, len(V)):
            R[i, j] = where(root > 0.0, (V[i, j] - R[i, :j] @ R[j, :j]) / root, 0.0)
    return R


PASSES = (forward, backward, forward_linear, backward_linear, negative_eigenvalues)
