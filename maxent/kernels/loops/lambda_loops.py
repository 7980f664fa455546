"""Translated loops over pairs of documents: gradients of LambdaRank, see ``maxent.ltr.objective``."""

import math
from typing import Annotated

from maxent.types import FloatArray, IntArray


def _changes(grades, a, d, K, gained, w):
    """Write to ``w`` (depth, levels + 1) the change of the value if rank n had grade i, as ``Form.changes``.

    ``grades`` (depth,), ``a`` (depth, levels + 1), ``d`` (depth,) and ``K`` (levels + 1, levels + 1) are those of
    one query, and ``gained`` (levels + 1,) is working memory. With the grade x_n of rank n,

        w_n(i) = a_n(i) + d_n sum_{m<n} K(i, x_m) + sum_{m>n} d_m K(x_m, i),    minus the same for i = x_n
    """
    depth, width = a.shape
    for i in range(width):
        gained[i] = 0.0  # K times the sum of the rows before
    for n in range(depth):
        for i in range(width):
            w[n, i] = a[n, i] + d[n] * gained[i]
            gained[i] += K[i, grades[n]]
    for i in range(width):
        gained[i] = 0.0  # K' times the weighted sum of the rows after
    for n in range(depth - 1, -1, -1):
        derivative = w[n, grades[n]] + gained[grades[n]]
        for i in range(width):
            w[n, i] += gained[i] - derivative
            gained[i] += d[n] * K[grades[n], i]


def _query(s, grades, d, B, v, sigmoid, truncation, norm, gradient, hessian):
    """Add gradient and diagonal Hessian of one query to the last two arguments, which are 0 before the call.

    In rank order are ``s`` (depth,), the scores, ``grades`` (depth,), ``d`` (depth,), the weights of the pairwise
    part of the form, ``gradient`` and ``hessian`` (depth,). ``v`` (depth, levels + 1) has the changes from
    :func:`_changes`, and ``B`` (levels + 1, levels + 1) corrects their sum where both documents change. The upper
    document is one of the first ``truncation``. For each pair of documents n and m, the better one named first,

        weight = |v_n(x_m) + v_m(x_n) - d_max(n,m) B(x_n, x_m)|,    the change of the value if they are exchanged,
        wrong = 1 / (1 + exp(sigmoid (s_n - s_m))),    step = sigmoid weight wrong,

    the gradient falls by ``step`` at n and rises by it at m, and the Hessian rises by sigmoid step (1 - wrong) at
    both. With ``norm``, the weight is divided by .01 + |s_n - s_m|, unless all scores are equal, and everything is
    multiplied by log2(1 + total) / total in the end, where total is twice the sum of the steps.
    """
    depth, total = len(s), 0.0
    shrink = norm and s[0] != s[depth - 1]
    for n in range(min(depth - 1, truncation)):
        x = grades[n]
        for m in range(n + 1, depth):
            y = grades[m]
            if x == y:
                continue
            distance = s[n] - s[m]
            weight = abs(v[n, y] + v[m, x] - d[m] * B[x, y])
            if shrink:
                weight /= 0.01 + distance
            sign = 1.0 if x > y else -1.0
            wrong = 1.0 / (1.0 + math.exp(sigmoid * sign * distance))
            step = sigmoid * weight * wrong
            curvature = sigmoid * step * (1.0 - wrong)
            gradient[n] -= sign * step
            gradient[m] += sign * step
            hessian[n] += curvature
            hessian[m] += curvature
            total += 2.0 * step
    if norm and total > 0.0:
        factor = math.log2(1.0 + total) / total
        for n in range(depth):
            gradient[n] *= factor
            hessian[n] *= factor


def lambdas(
    s: Annotated[FloatArray, "documents"],
    grades: Annotated[IntArray, "documents"],
    offsets: Annotated[IntArray, "queries + 1"],
    used: Annotated[IntArray, "queries"],
    a: Annotated[FloatArray, "documents, levels + 1"],
    d: Annotated[FloatArray, "documents"],
    K: Annotated[FloatArray, "queries, levels + 1, levels + 1"],
    B: Annotated[FloatArray, "queries, levels + 1, levels + 1"],
    sigmoid: Annotated[FloatArray, "1"],
    truncation: int,
    norm: int,
    gained: Annotated[FloatArray, "levels + 1"],
    w: Annotated[FloatArray, "documents, levels + 1"],
    gradient: Annotated[FloatArray, "documents"],
    hessian: Annotated[FloatArray, "documents"],
):
    """Gradient and diagonal Hessian of the queries that are ``used``, with the documents of each in rank order.

    The documents of query q begin at ``offsets[q]``, their scores are ``s``, and the value of a list is that of the
    coefficients ``a``, ``d`` and ``K``. ``gained`` and ``w`` are working memory.
    """
    for q in range(len(used)):
        begin, end = offsets[q], offsets[q + 1]
        if used[q]:
            _changes(grades[begin:end], a[begin:end], d[begin:end], K[q], gained, w[begin:end])
            _query(
                s[begin:end],
                grades[begin:end],
                d[begin:end],
                B[q],
                w[begin:end],
                sigmoid[0],
                truncation,
                norm,
                gradient[begin:end],
                hessian[begin:end],
            )


ENTRIES = (lambdas,)
