"""Gradients of LambdaRank as loops that numba compiles; :mod:`maxent.ltr.objective` describes them.

Every process compiles them anew, which takes some seconds: numba's own cache loads pickles from a folder that it
does not check.
"""

import math
from typing import NamedTuple

import numpy as np

from maxent.errors import MissingPackageError
from maxent.ltr.queries import FormArrays, Queries
from maxent.types import BoolArray, FloatArray, IntArray

try:
    from numba import njit
except ModuleNotFoundError as error:
    raise MissingPackageError(f"LambdaRank needs {error.name}, which is missing: pip install numba") from error


class Conventions(NamedTuple):
    """Parameters of :class:`maxent.ltr.objective.LambdaObjective` of these names, without ``lambdarank_``."""

    sigmoid: float
    truncation_level: int
    norm: bool


@njit(nogil=True, error_model="numpy")
def _changes(grades: IntArray, form: FormArrays) -> FloatArray:
    """Change of the value if rank n had grade i, (depth, levels + 1): ``Form.changes`` for one list."""
    depth, width = form.a.shape
    w = form.a.copy()
    gained = np.zeros(width)  # K times the sum of the rows before
    for n in range(depth):
        for i in range(width):
            w[n, i] += form.d[n] * gained[i]
            gained[i] += form.K[i, grades[n]]
    gained[:] = 0.0  # K' times the weighted sum of the rows after
    for n in range(depth - 1, -1, -1):
        own = w[n, grades[n]] + gained[grades[n]]
        for i in range(width):
            w[n, i] += gained[i] - own
            gained[i] += form.d[n] * form.K[grades[n], i]
    return w


@njit(nogil=True, error_model="numpy")
def _query(
    s: FloatArray,
    grades: IntArray,
    form: FormArrays,
    conventions: Conventions,
    gradient: FloatArray,
    hessian: FloatArray,
) -> None:
    """Add gradient and diagonal Hessian of one query to the last two arguments, zero before; all in rank order."""
    depth = len(s)
    v = _changes(grades, form)
    shrink = conventions.norm and s[0] != s[-1]
    total = 0.0
    for n in range(min(depth - 1, conventions.truncation_level)):
        x = grades[n]
        for m in range(n + 1, depth):
            y = grades[m]
            if x == y:
                continue
            distance = s[n] - s[m]
            weight = abs(v[n, y] + v[m, x] - form.d[m] * form.B[x, y])
            if shrink:
                weight /= 0.01 + distance
            sign = 1.0 if x > y else -1.0
            wrong = 1.0 / (1.0 + math.exp(conventions.sigmoid * sign * distance))
            step = conventions.sigmoid * weight * wrong
            curvature = conventions.sigmoid * step * (1.0 - wrong)
            gradient[n] -= sign * step
            gradient[m] += sign * step
            hessian[n] += curvature
            hessian[m] += curvature
            total += 2.0 * step
    if conventions.norm and total > 0.0:
        factor = math.log2(1.0 + total) / total
        gradient *= factor
        hessian *= factor


@njit(nogil=True, error_model="numpy")
def _queries(
    s: FloatArray, queries: Queries, used: BoolArray, forms: FormArrays, conventions: Conventions
) -> tuple[FloatArray, FloatArray]:
    """What ``lambdas`` returns, with the documents of each query in rank order."""
    gradient, hessian = np.zeros(len(s)), np.zeros(len(s))
    for q in range(len(used)):
        if used[q]:
            own = slice(queries.offsets[q], queries.offsets[q + 1])
            form = FormArrays(forms.a[own], forms.d[own], forms.K[q], forms.B[q])
            _query(s[own], queries.grades[own], form, conventions, gradient[own], hessian[own])
    return gradient, hessian


def lambdas(
    scores: FloatArray, queries: Queries, used: BoolArray, forms: FormArrays, conventions: Conventions
) -> tuple[FloatArray, FloatArray]:
    """Gradient and diagonal Hessian (documents,) of all queries; 0 for queries that are not ``used``."""
    query = np.repeat(np.arange(len(used)), queries.sizes)
    order = np.lexsort((-scores, query))  # ties in their order, as in LightGBM
    ranked = queries._replace(grades=queries.grades[order])
    gradient, hessian = np.zeros(len(scores)), np.zeros(len(scores))
    gradient[order], hessian[order] = _queries(scores[order], ranked, used, forms, conventions)
    return gradient, hessian
