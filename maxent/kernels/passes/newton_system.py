"""The Newton system of a maximum-entropy problem in O(depth c^3): a recursion over the ranks.

With one grade eliminated, a step x_n of each row p_n and a change delta of the multipliers solve

    (D - A) x - B delta = r,     B' x = h,     (A x)_n = C_n sum_{m<n} x_m + sum_{m>n} C_m' x_m,

where D_n = diag(1 / p_n) + 1 1' / p_n(eliminated) is minus the Hessian of the entropy, the pairwise coefficient of
rank n is C_n = sum_k lambda_k d_kn K_k, and B has one column w_k for each value and a block of identities for the
counts. The residuals r and h are those of ``state.residuals``. Left of the diagonal, all blocks of row n of -A are
-C_n: the matrix is semiseparable. So a block L Delta L' factorisation needs only a (c, c) matrix P that travels
down the ranks, from P = 0:

    Delta_n = D_n - C_n P C_n',    U_n = I + P C_n',    L_mn = -C_m U_n Delta_n^-1,    P <- P + U_n Delta_n^-1 U_n'.

This is the Riccati recursion of linear-quadratic control. It is also celerite's Cholesky factorisation
(Foreman-Mackey et al. 2017) with (c, c) blocks: celerite's U_n, V_n, S_n, D_n and W_n are -C_n, I, P, Delta_n and
Delta_n^-1 U_n' here. A second matrix S, also 0 at first, carries the forward substitution L Y = [w, r]; that of
the identities in B gives U_n', as their S has the recursion of P. The backward one needs a sum that travels up the
ranks:

    Y_n = [w_n, r_n] + C_n S,    S <- S + U_n Delta_n^-1 Y_n,
    x_n = Delta_n^-1 (Y_n [delta_w, 1] + U_n' (delta_counts + sum_{m>n} C_m' x_m)).

The forward pass alone gives the Schur complement G = B' (D - A)^-1 [B, r] of the constraints, the sum over the
ranks of [Y_w, U']' Delta^-1 [Y_w, U', Y_r]; ``decisions.border`` gets delta from it. A step x in the probabilities
is a step D x in the logits, and D Delta^-1 = (I - Q V)^-1 =: X with V = D^-1 and Q = C P C', so that nothing is
divided by a probability. In a coarse problem a row stands for ``size`` ranks: x_n is the sum of their steps, and
V_n is ``size`` times as large.
"""

from typing import Any

import numpy as np

from maxent.kernels.compiler.algebra import inverse, maximum, square_root, symmetric, where
from maxent.kernels.compiler.trace import over_ranks


def _variances(at: Any) -> Any:
    """V = D^-1 = diag(p) - p p', with the sum of the other probabilities in place of 1 - p_i: no cancellation."""
    V = -at.size * np.multiply.outer(at.p, at.p)
    for i in range(len(V)):
        V[i, i] = at.size * at.p[i] * (at.eliminated + sum(np.delete(at.p, i)))
    return V


def _kernels(whole: Any, m: int) -> Any:
    """The matrices lambda_k K_k, the same at every rank."""
    return [x * K for x, K in zip(whole.multipliers[:m], whole.K, strict=True)]


def _coupling(at: Any, whole: Any) -> Any:
    """The pairwise coefficient C_n of a rank."""
    none = np.zeros((len(at.p), len(at.p)))
    return sum((d * K for d, K in zip(at.d, _kernels(whole, len(at.d)), strict=True)), none)


def _finish_schur(whole: Any, state: Any) -> None:
    whole.G = np.column_stack((symmetric(state.G[:, :-1]), state.G[:, -1]))


@over_ranks(reads=("K", "multipliers"), finish=_finish_schur, P="c,c", S="c,m+1", G="m+c,m+c+1")
def forward(at: Any, whole: Any, state: Any) -> None:
    """Factorise D - A at one rank, solve L Y = [w, r] there, and add to the Schur complement.

    1. The pivot Delta and U. 2. The columns Y of the values and of r, and U' in place of those of the counts.
    3. The sums that reach the next rank.
    """
    # 1. U = I + P C', X = (I - C P C' V)^-1, Delta^-1 = V X
    m, C, V, one = len(at.w), _coupling(at, whole), _variances(at), np.eye(len(at.p))
    PC = state.P @ C.T
    U = one + PC
    X = inverse(one - symmetric(C @ PC) @ V)
    inverse_pivot = symmetric(V @ X)
    # 2. Y = [w, r] + C S, Z = Delta^-1 [Y_w, U', Y_r]
    Y = C @ state.S + np.column_stack((at.w.T, at.r))
    columns = np.column_stack((Y[:, :m], U.T, Y[:, m:]))  # (c, m + c + 1)
    Z = inverse_pivot @ columns
    # 3. G <- G + [Y_w, U']' Z, P <- P + U Delta^-1 U', S <- S + U Delta^-1 Y
    state.G = state.G + np.triu(columns[:, :-1].T @ Z)
    state.P = state.P + symmetric(U @ Z[:, m:-1])
    state.S = state.S + U @ np.delete(Z, np.s_[m:-1], axis=1)
    at.Y, at.X, at.U = Y, X, U


@over_ranks(reads=("K", "multipliers", "change", "fresh"), upwards=True, after="m,c")
def backward(at: Any, whole: Any, state: Any) -> None:
    """Solve L' x = Delta^-1 Y [change, 1]; the step in the logits replaces the last one in ``fresh`` lanes.

        logit step = X (Y_r + Y_w delta_w + U' (delta_counts + sum_{m>n} C_m' x_m)),    x = V logit step

    ``state.after`` (m, c) is sum_{m>n} d_km x_m, from which C_m' x_m follow with the kernels lambda_k K_k.
    """
    m = len(at.d)
    kernels = _kernels(whole, m)
    later = sum((K.T @ after for K, after in zip(kernels, state.after, strict=True)), np.zeros(len(at.p)))
    step = at.X @ (at.Y[:, m] + at.Y[:, :m] @ whole.change[:m] + at.U.T @ (whole.change[m:] + later))
    x = at.size * at.p * (step - at.p @ step)
    state.after = state.after + np.multiply.outer(at.d, x)
    at.step = [where(whole.fresh > 0.0, new, old) for new, old in zip(step, at.step, strict=True)]


@over_ranks(finish=_finish_schur, G="m+c,m+c+1")
def forward_linear(at: Any, whole: Any, state: Any) -> None:
    """:func:`forward` without pairwise parts: the system is block diagonal, and only G is needed.

    With C = 0 it is G <- G + [w, I]' V [w, I, r].
    """
    Y = np.column_stack((at.w.T, np.eye(len(at.p)), at.r))
    Z = at.size * at.p[:, None] * (Y - at.p @ Y)
    state.G = state.G + np.triu(Y[:, :-1].T @ Z)


@over_ranks(reads=("change", "fresh"))
def backward_linear(at: Any, whole: Any, state: Any) -> None:
    """:func:`backward` without pairwise parts."""
    m = len(at.w)
    step = at.r + whole.change[m:] + whole.change[:m] @ at.w
    at.step = [where(whole.fresh > 0.0, new, old) for new, old in zip(step, at.step, strict=True)]


def _finish_eigenvalues(whole: Any, state: Any) -> None:
    whole.negative = state.negative


@over_ranks(reads=("K", "multipliers"), finish=_finish_eigenvalues, negative="")
def negative_eigenvalues(at: Any, whole: Any, state: Any) -> None:
    """Number of negative eigenvalues of D - A, from the U of :func:`forward`.

    It is the sum over the pivots Delta_n = V^-1 - Q (Sylvester's law of inertia). Each has the inertia of I - R' Q
    R with V = R R', which is well scaled however small the probabilities are; Q = C P C' follows from P C' = U - I.
    The pivots M[q, q] of its elimination have the signs of its eigenvalues.
    """
    c = len(at.p)
    one = np.eye(c)
    C = _coupling(at, whole)
    R = _cholesky(_variances(at))
    M = one - R.T @ (C @ (at.U - one)) @ R
    for q in range(c):
        state.negative = state.negative + where(M[q, q] < 0.0, 1.0, 0.0)
        for i in range(q + 1, c):
            M[i, q + 1 :] = M[i, q + 1 :] - M[i, q] / M[q, q] * M[q, q + 1 :]


def _cholesky(V: Any) -> Any:
    """Lower triangle R with V = R R'; columns whose pivot vanishes in rounding are 0."""
    R = np.zeros_like(V)
    for j in range(len(V)):
        root = square_root(maximum(V[j, j] - R[j, :j] @ R[j, :j], 0.0))
        R[j, j] = root
        for i in range(j + 1, len(V)):
            R[i, j] = where(root > 0.0, (V[i, j] - R[i, :j] @ R[j, :j]) / root, 0.0)
    return R


PASSES = (forward, backward, forward_linear, backward_linear, negative_eigenvalues)
