"""Average precision with gains in place of binary relevance: generalised and weighted AP, Q-measure.

With the gain x_i of grade i and the cumulated gain cg*(n) of the ideal list, the pairwise forms are

    gAP    d_n = 1/n                      K(i, m) = x_m / norm              Kishida eq. 42
    wAP    d_n = 1/cg*(n)                 K(i, m) = x_m / R                 Kishida eq. 34
    Q      d_n = 1/(n + beta cg*(n))      K(i, m) = (1 + beta x_m) / R      Kishida eq. 35 with beta = 1

for grades i and m with positive gain. R is the number of documents with gain, and norm makes the gAP of the ideal
list 1. Beyond a cutoff, d_n is 0; wAP and Q then have min(cutoff, R) in place of R.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from maxent.measures.describe import Example
from maxent.measures.form import Form, pairwise_form
from maxent.measures.gain import (
    LARGEST,
    cut_weights,
    gain_values,
    ideal_length,
    ideal_shares,
    ranks,
    reciprocal,
    reciprocal_ranks,
)
from maxent.measures.measure import Measure
from maxent.measures.names import register_measure
from maxent.measures.parameters import Cutoff, Gain, Parameter, real
from maxent.types import FloatArray


@register_measure
@dataclass(frozen=True, kw_only=True)
class gAP(Measure):
    """Generalised average precision: AP with mean gains in place of precisions.

    The mean gain over the ranks 1..n is summed over the ranks n of relevant documents and divided by the same sum
    for the ideal list. Grades with gain 0 are not relevant. A cutoff does not change the normaliser, as for ``AP``.
    """

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 42"
    example: ClassVar = Example(0.6207, "(2/1 + 3/3) / (2/1 + 3/2 + 4/3)")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        x = gain_values(self.gain, len(relevant))
        hit = (x > 0).astype(np.float64)  # I(x)
        ideal = ideal_shares(x, relevant, ideal_length(x, relevant))
        # Kishida eq. 41: the same sum for the whole ideal list
        norm = float((ideal @ hit / ranks(len(ideal))) @ np.cumsum(ideal @ x))
        return pairwise_form(reciprocal_ranks(self.cutoff, depth), np.outer(hit, x) * reciprocal(norm))


@register_measure
@dataclass(frozen=True, kw_only=True)
class wAP(Measure):
    """Weighted average precision (Kando): AP of cumulated gain relative to the ideal list.

    With a cutoff, the sum is divided by min(cutoff, R), as for ``Q``.
    """

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 34"
    example: ClassVar = Example(
        0.5833, "the cumulated gain at the relevant ranks is 2 of 2 and 3 of 4, so (1 + 3/4) / 3"
    )

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        x = gain_values(self.gain, len(relevant))
        hit = (x > 0).astype(np.float64)
        best = np.cumsum(ideal_shares(x, relevant, depth) @ x)
        d = np.divide(1.0, best, out=np.zeros(depth), where=best > 0)
        kernel = np.outer(hit, x) * reciprocal(_most_relevant(self, hit, relevant))
        return pairwise_form(cut_weights(self.cutoff, d), kernel)


@register_measure
@dataclass(frozen=True, kw_only=True)
class Q(Measure):
    """Q-measure (Sakai): a blend of weighted AP and AP.

    With a cutoff, the sum is divided by min(cutoff, R), the most relevant documents that a list can have, as in
    NTCIREVAL's Q@k.

    Notes
    -----
    NTCIREVAL has no default gain; NTCIR tasks usually set linear gains. Its AP@k is ``Q(beta=0)@k``.
    """

    beta: Annotated[
        float,
        Parameter(
            "float",
            "Weight of the gains: 0 gives AP, 1 is Kishida's definition, and large values approach weighted AP.",
            real(f"{{name}} must be from 0 to {LARGEST:g}", lambda beta: 0 <= beta <= LARGEST),
        ),
    ] = 1.0
    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 35"
    example: ClassVar = Example(0.5714, "((1 + 2) / (1 + 2) + (2 + 3) / (3 + 4)) / 3")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        x = gain_values(self.gain, len(relevant))
        hit = (x > 0).astype(np.float64)
        best = np.cumsum(ideal_shares(x, relevant, depth) @ x)
        kernel = np.outer(hit, hit * (self.beta * x + 1)) * reciprocal(_most_relevant(self, hit, relevant))
        return pairwise_form(cut_weights(self.cutoff, 1 / (ranks(depth) + self.beta * best)), kernel)


def _most_relevant(measure: wAP | Q, hit: FloatArray, relevant: FloatArray) -> float:
    """R, or min(cutoff, R) with a cutoff: the most documents with gain that a list can have."""
    R = float(hit @ relevant)
    return R if measure.cutoff is None else min(R, measure.cutoff)
