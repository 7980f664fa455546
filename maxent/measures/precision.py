"""Measures of binary relevance (grade >= ``rel``): P@k, R@k, R-precision, normalised recall and precision."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxent.errors import MeasureError
from maxent.measures.describe import Example
from maxent.measures.form import Form, linear_form
from maxent.measures.gain import binary_gains, cut_weights, ranks, reciprocal
from maxent.measures.measure import Measure
from maxent.measures.names import register_measure
from maxent.measures.parameters import Cutoff, JudgedOnly, Rel, Size
from maxent.types import FloatArray

ALL = 1e-8  # a smaller share of non-relevant documents counts as none: 1 / (N - R) would magnify rounding of R
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


@register_measure
@dataclass(frozen=True, kw_only=True)
class P(Measure):
    """Precision at rank ``cutoff``, where grades >= ``rel`` are relevant.

    The number of relevant documents is divided by the cutoff even if the list is shorter.
    """

    cutoff: Cutoff
    rel: Rel = 1
    judged_only: JudgedOnly = False
    reference: ClassVar[str] = "Kishida eq. 2"
    example: ClassVar = Example(0.5, "one of two documents", "cutoff=2")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = binary_gains(self.rel, len(relevant))
        return linear_form((ranks(depth) <= self.cutoff) / self.cutoff, hit)


@register_measure
@dataclass(frozen=True, kw_only=True)
class R(Measure):
    """Recall at rank ``cutoff``: the share of the topic's documents of grade >= ``rel`` retrieved by that rank.

    Notes
    -----
    Some tasks use the name recall for whether any relevant document is retrieved; that measure is ``Success``.
    """

    cutoff: Cutoff
    rel: Rel = 1
    judged_only: JudgedOnly = False
    reference: ClassVar[str] = "Kishida eq. 1; trec_eval's recall"
    example: ClassVar = Example(0.3333, "one of the three relevant documents is retrieved by rank 2", "cutoff=2")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = binary_gains(self.rel, len(relevant))
        return linear_form(cut_weights(self.cutoff, np.full(depth, reciprocal(float(hit @ relevant)))), hit)


@register_measure
@dataclass(frozen=True, kw_only=True)
class Rprec(Measure):
    """Precision at rank R, the number of documents of grade >= ``rel`` in the topic."""

    rel: Rel = 1
    judged_only: JudgedOnly = False
    reference: ClassVar[str] = "Kishida eq. 6"
    example: ClassVar = Example(0.6667, "R = 3, and two of the first three documents are relevant")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        hit = binary_gains(self.rel, len(relevant))
        total = math.fsum(relevant[self.rel - 1 :])  # exact where fractional counts sum to a whole number
        return linear_form((ranks(depth) <= total) * reciprocal(total), hit)


@register_measure
@dataclass(frozen=True, kw_only=True)
class nRecall(Measure):
    """Normalised recall: sum of the ranks of relevant documents, scaled from worst (0) to best (1).

    Notes
    -----
    The definition ranks the whole database. Without ``size``, its size is the depth, to which shorter lists are
    padded. A relevant document that is not in the list counts as if it were at the mean of the last R ranks, so
    that the value stays linear and a list without relevant documents scores 0.
    """

    rel: Rel = 1
    size: Size | None = None
    reference: ClassVar[str] = "Kishida eq. 7"
    example: ClassVar = Example(
        0.6667, "the ranks 1, 3 and, for the missing document, 3 sum to 7, between 6 (best) and 9 (worst)"
    )

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        return _normalised_form(self, relevant, depth, _sum_of_ranks, ranks(depth))


@register_measure
@dataclass(frozen=True, kw_only=True)
class nPrecision(Measure):
    """Normalised precision: normalised recall with logarithms of ranks.

    A relevant document that is not in the list counts with the mean logarithm of the last R ranks.
    """

    rel: Rel = 1
    size: Size | None = None
    reference: ClassVar[str] = "Kishida eq. 8"
    example: ClassVar = Example(0.7358, "as for ``nRecall``, with logarithms")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        return _normalised_form(self, relevant, depth, _sum_of_logs, np.log(ranks(depth)))


def _normalised_form(
    measure: nRecall | nPrecision,
    relevant: FloatArray,
    depth: int,
    total: Callable[[float, float], float],
    cost: FloatArray,
) -> Form:
    """Form of 1 - (cost - least) / (most - least), where the cost is a sum over the ranks of relevant documents.

    The first R ranks have the least cost, the last R the most; ``total(x, r)`` is the cost of the r ranks after x.
    The difference between the last r and the first r ranks is the same for r = R and r = N - R; the smaller r loses
    no digits.
    """
    hit = binary_gains(measure.rel, len(relevant))
    R, N = math.fsum(relevant[measure.rel - 1 :]), float(measure.size or depth)
    if depth > N:
        raise MeasureError(
            f"{measure} is for a database of {measure.size} documents, but lists have {depth} ranks (shorter ones "
            f"are padded): evaluate to depth {measure.size}"
        )
    if R == 0 or N - R <= ALL * N:  # order cannot matter: the share of the R that is in the list
        return linear_form(np.full(depth, reciprocal(R)), hit)
    least, r = total(0.0, R), min(R, N - R)
    between = total(N - r, r) - total(0.0, r)  # most - least
    # the sum over the R relevant documents of (most / R - cost) / (most - least)
    return linear_form(((least + between) / R - cost) / between, hit)


def _sum_of_ranks(x: float, r: float) -> float:
    """Sum of the r ranks after x."""
    return r * (x + (r + 1) / 2)


def _sum_of_logs(x: float, r: float) -> float:
    """Sum of the logarithms of the r ranks after x, log Gamma(x + r + 1) / Gamma(x + 1)."""
    from scipy.special import digamma, gammaln  # loaded when it is first used

    if r > x + 1:
        return float(gammaln(x + r + 1) - gammaln(x + 1))
    # the difference loses digits here; the integral of its derivative does not, and these nodes are enough
    return float(r / 2 * WEIGHTS @ digamma(x + 1 + r / 2 * (NODES + 1)))
