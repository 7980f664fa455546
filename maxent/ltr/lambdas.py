"""Gradients of LambdaRank as loops that numba compiles; :mod:`maxent.ltr.objective` describes them.

Every process compiles them anew, which takes some seconds: numba's own cache loads pickles from a folder that it
does not check.
"""

import math

import numpy as np

from maxent.errors import MissingPackageError
from maxent.types import BoolArray, FloatArray, IntArray

try:
    from numba import njit
except ModuleNotFoundError as error:
    raise MissingPackageError(f"LambdaRank needs {error.name}, which is missing: pip install numba") from error


@njit(nogil=True, error_model="numpy")
def _changes(grades: IntArray, a: FloatArray, d: FloatArray, K: FloatArray) -> FloatArray:
    """Change of the value if rank n had grade i, (depth, levels + 1): ``Form.changes`` for one list."""
    depth, width = a.shape
    w = a.copy()
    gained = np.zeros(width)  # K times the sum of the rows before
    for n in range(depth):
        for i in range(width):
            w[n, i] += d[n] * gained[i]
            gained[i] += K[i, grades[n]]
    gained[:] = 0.0  # K' times the weighted sum of the rows after
    for n in range(depth - 1, -1, -1):
        own = w[n, grades[n]] + gained[grades[n]]
        for i in range(width):
            w[n, i] += gained[i] - own
            gained[i] += d[n] * K[grades[n], i]
    return w


@njit(nogil=True, error_model="numpy")
def _query(
    s: FloatArray,
    grades: IntArray,
    a: FloatArray,
    d: FloatArray,
    K: FloatArray,
    B: FloatArray,
    sigmoid: float,
    truncation: int,
    norm: bool,
    gradient: FloatArray,
    hessian: FloatArray,
) -> None:
    """Add gradient and diagonal Hessian of one query to the last two arguments, zero before; all in rank order."""
    depth = len(s)
    v = _changes(grades, a, d, K)
    shrink = norm and s[0] != s[-1]
    total = 0.0
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
        gradient *= factor
        hessian *= factor


def lambdas(
    scores: FloatArray,
    grades: IntArray,
    offsets: IntArray,
    used: BoolArray,
    a: FloatArray,
    d: FloatArray,
    K: FloatArray,
    B: FloatArray,
    sigmoid: float,
    truncation: int,
    norm: bool,
) -> tuple[FloatArray, FloatArray]:
    """Gradient and diagonal Hessian (documents,) of all queries; 0 for queries that are not used."""
    # scores, grades (documents,), offsets (queries + 1,): as in Queries; a (documents, levels + 1), d (documents,):
    # forms, one query below the other; K (queries, levels + 1, levels + 1): their kernels, B: exchange_kernel of K
    query = np.repeat(np.arange(len(used)), np.diff(offsets))
    order = np.lexsort((-scores, query))  # ties in their order, as in LightGBM
    gradient, hessian = np.zeros(len(scores)), np.zeros(len(scores))
    gradient[order], hessian[order] = _queries(
        scores[order], grades[order], offsets, used, a, d, K, B, sigmoid, truncation, norm
    )
    return gradient, hessian


@njit(nogil=True, error_model="numpy")
def _queries(
    s: FloatArray,
    grades: IntArray,
    offsets: IntArray,
    used: BoolArray,
    a: FloatArray,
    d: FloatArray,
    K: FloatArray,
    B: FloatArray,
    sigmoid: float,
    truncation: int,
    norm: bool,
) -> tuple[FloatArray, FloatArray]:
    """What ``lambdas`` returns, with the documents of each query in rank order."""
    gradient, hessian = np.zeros(len(s)), np.zeros(len(s))
    for q in range(len(used)):
        if used[q]:
            own = slice(offsets[q], offsets[q + 1])
            _query(
                s[own],
                grades[own],
                a[own],
                d[own],
                K[q],
                B[q],
                sigmoid,
                truncation,
                norm,
                gradient[own],
                hessian[own],
            )
    return gradient, hessian
