"""Gradients of LambdaRank, as described in :mod:`maxent.ltr.objective`; the loops are ``kernels.lambda_loops``."""

from typing import NamedTuple

import numpy as np

from maxent.kernels.calls import call
from maxent.ltr.queries import FormArrays, Queries
from maxent.types import BoolArray, FloatArray


class Conventions(NamedTuple):
    """Parameters of :class:`maxent.ltr.objective.LambdaObjective`, without the prefix ``lambdarank_``."""

    sigmoid: float
    truncation_level: int
    norm: bool


def lambdas(
    scores: FloatArray, queries: Queries, used: BoolArray, forms: FormArrays, conventions: Conventions
) -> tuple[FloatArray, FloatArray]:
    """Gradient and diagonal Hessian (documents,) of all queries; 0 for queries that are not ``used``."""
    query = np.repeat(np.arange(len(used)), queries.sizes)  # (documents,): index of the query of each
    order = np.lexsort((-scores, query))  # queries in their order, each ranked; ties as in LightGBM
    ranked_gradient, ranked_hessian = np.zeros((2, len(scores)))
    call(
        "lambdas",
        module="lambda_loops",
        s=scores[order],
        grades=queries.grades[order],
        offsets=queries.offsets,
        used=used.astype(np.int64),
        a=forms.a,
        d=forms.d,
        K=forms.K,
        B=forms.B,
        sigmoid=np.array([conventions.sigmoid]),
        truncation=conventions.truncation_level,
        norm=int(conventions.norm),
        gained=np.empty(forms.a.shape[1]),
        w=np.empty(forms.a.shape),
        gradient=ranked_gradient,
        hessian=ranked_hessian,
    )
    gradient, hessian = np.empty((2, len(scores)))  # in the order of the data
    gradient[order], hessian[order] = ranked_gradient, ranked_hessian
    return gradient, hessian
