"""Cumulated gain and its discounted and normalised variants; sliding ratios; generalised precision and recall."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from maxent.errors import MeasureError
from maxent.measures.describe import Example
from maxent.measures.form import Form, linear_form
from maxent.measures.gain import (
    DISCOUNTS,
    binary_gains,
    cut_weights,
    discount_values,
    gain_values,
    ideal_length,
    ideal_shares,
    ranks,
    reciprocal,
)
from maxent.measures.measure import Measure
from maxent.measures.names import register_measure
from maxent.measures.parameters import Cutoff, Gain, JudgedOnly, Parameter, real
from maxent.types import FloatArray, GradeCounts


def _check_discount(_: str, discount: Any) -> str:
    if not isinstance(discount, str) or discount not in DISCOUNTS:
        raise MeasureError(f"unknown discount {discount!r}: {', '.join(DISCOUNTS)}")
    return discount


Discount = Annotated[
    str,
    Parameter(
        "str",
        "Divisor of the gain at rank n: ``log2`` (log2(n + 1)), ``jk`` (log_b n, but 1 before rank b), ``inverse`` "
        "(n).",
        _check_discount,
    ),
]
LogBase = Annotated[
    float,
    Parameter(
        "float",
        "Base of the ``jk`` discount.",
        real("the base {name} of the logarithm must be above 1", lambda b: 1 < b < math.inf),
    ),
]


@register_measure
@dataclass(frozen=True, kw_only=True)
class nDCG(Measure):
    """Normalised discounted cumulated gain.

    The ideal list ranks all relevant documents of the topic, retrieved or not, by decreasing gain. It is cut only
    at the cutoff, not at the end of a shorter list. Plain ``nDCG`` is the nDCG of trec_eval, with linear gain and
    log2 discount. The GAP paper uses ``nDCG(gain=exp2)``.

    Notes
    -----
    The nDCG of gdeval and LightGBM is ``nDCG(gain=exp2)``. NTCIREVAL's MSnDCG is ``nDCG`` with the gains that the
    user sets; its nDCG, after Järvelin and Kekäläinen, is ``nDCG(discount=jk)``.
    """

    gain: Gain = "linear"
    discount: Discount = "log2"
    b: LogBase = 2.0
    cutoff: Cutoff | None = None
    judged_only: JudgedOnly = False
    reference: ClassVar[str] = "GAP paper figure 1 and footnote 1; Kishida eqs. 30-31"
    example: ClassVar = Example(0.7985, "2 + 1/log2(4), divided by the DCG of the order 2, 1, 1")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        gains = gain_values(self.gain, len(relevant))
        ideal = ideal_shares(gains, relevant, ideal_length(gains, relevant, self.cutoff)) @ gains
        norm = float(discount_values(self.discount, self.b, len(ideal)) @ ideal)
        weights = discount_values(self.discount, self.b, depth)
        return linear_form(cut_weights(self.cutoff, weights) * reciprocal(norm), gains)

    def partial_forms(self, relevant: GradeCounts, depth: int) -> tuple[Form, ...]:
        """Derivatives of the form with respect to the steps x_i - x_(i-1) of the gains; see ``GAP.partial_forms``.

        Among grades of equal gain, the higher one comes first in the ideal list, as it does after any step up.
        """
        gains, counts = gain_values(self.gain, len(relevant)), np.asarray(relevant, dtype=np.float64)
        # grades from the highest down, as sorting by gain keeps the order of equal ones
        length = ideal_length(gains[::-1], counts[::-1], self.cutoff)
        shares = ideal_shares(gains[::-1], counts[::-1], length)[:, ::-1]
        discounts_of_grades = discount_values(self.discount, self.b, len(shares)) @ shares  # in the ideal list
        per_norm = reciprocal(float(discounts_of_grades @ gains))
        weights = cut_weights(self.cutoff, discount_values(self.discount, self.b, depth)) * per_norm
        forms = []
        for k in range(1, len(gains) + 1):
            hit = binary_gains(k, len(gains))
            # quotient rule: gains from grade k on change by 1, the norm by the discounts of their ideal ranks
            forms.append(linear_form(weights, hit - gains * float(discounts_of_grades @ hit) * per_norm))
        return tuple(forms)


@register_measure
@dataclass(frozen=True, kw_only=True)
class mnDCG(Measure):
    """Mean of nDCG over the cutoffs 1, 2, ..., n.

    Without a cutoff, n is the depth, to which shorter lists are padded.
    """

    gain: Gain = "linear"
    discount: Discount = "jk"
    b: LogBase = 2.0
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 32"
    example: ClassVar = Example(
        0.779, "with the discount of Järvelin and Kekäläinen, nDCG@1 to nDCG@4 are 1, .6667, .7246 and .7246"
    )

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        gains = gain_values(self.gain, len(relevant))
        length = self.cutoff or depth  # the number of cutoffs
        discounts = discount_values(self.discount, self.b, max(depth, length))
        ideal_dcg = np.cumsum(discounts[:length] * (ideal_shares(gains, relevant, length) @ gains))
        cutoff_weights = np.divide(1 / length, ideal_dcg, out=np.zeros(length), where=ideal_dcg > 0)
        # Kishida eq. 33: the document at rank n counts in the nDCG of all cutoffs from n on
        later = np.zeros(max(depth, length))
        later[:length] = np.cumsum(cutoff_weights[::-1])[::-1]
        return linear_form((discounts * later)[:depth], gains)


@register_measure
@dataclass(frozen=True, kw_only=True)
class NDCNG(Measure):
    """nDCG of gains 2^(x / x_max) - 1, where x_max is the largest gain in the topic.

    The name is short for normalised discounted cumulative normalised gain. Gains relative to the largest make
    rating scales with different numbers of levels comparable. The ideal list is the same as for ``nDCG``.
    """

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "muAP paper eq. 5"
    example: ClassVar = Example(0.8733, "grades 1 and 2 gain 2^(1/3) - 1 and 2^(3/3) - 1", "gain=(1, 3)")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        gains = gain_values(self.gain, len(relevant))
        most = float(gains[relevant > 0].max(initial=0.0))  # the paper's m_q
        # the base of the logarithm cancels; gains above m_q do not matter, as no document has them
        table = tuple(np.exp2(np.minimum(gains * reciprocal(most), 1.0)) - 1)
        return nDCG(gain=table, cutoff=self.cutoff)._form(relevant, depth)


@register_measure
@dataclass(frozen=True, kw_only=True)
class DCG(Measure):
    """Discounted cumulated gain."""

    gain: Gain = "linear"
    discount: Discount = "log2"
    b: LogBase = 2.0
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 30; GAP paper figure 1"
    example: ClassVar = Example(2.5, "2/log2(2) + 1/log2(4)")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        weights = discount_values(self.discount, self.b, depth)
        return linear_form(cut_weights(self.cutoff, weights), gain_values(self.gain, len(relevant)))


@register_measure
@dataclass(frozen=True, kw_only=True)
class CG(Measure):
    """Cumulated gain."""

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 29"
    example: ClassVar = Example(3.0, "2 + 1")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        return linear_form(cut_weights(self.cutoff, np.ones(depth)), gain_values(self.gain, len(relevant)))


@register_measure
@dataclass(frozen=True, kw_only=True)
class SR(Measure):
    """Sliding ratio: cumulated gain divided by that of an ideal list of the same length."""

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 26"
    example: ClassVar = Example(0.6667, "gain 2 of the 3 possible by rank 2", "cutoff=2")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        return _sliding_ratio(self, np.ones(max(depth, self.cutoff or 0)), relevant, depth)


@register_measure
@dataclass(frozen=True, kw_only=True)
class mSR(Measure):
    """Modified sliding ratio (Sagara): sliding ratio with gains divided by their ranks."""

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida eq. 27"
    example: ClassVar = Example(0.8235, "(2/1 + 1/3) / (2/1 + 1/2 + 1/3)")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        return _sliding_ratio(self, 1 / ranks(max(depth, self.cutoff or 0)), relevant, depth)


@register_measure
@dataclass(frozen=True, kw_only=True)
class gP(Measure):
    """Generalised precision: mean gain divided by the largest gain of the scale."""

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida 4.1.4 (Kekalainen and Jarvelin)"
    example: ClassVar = Example(
        0.5, "gain 2, divided by 4, the gain of two documents of the highest grade", "cutoff=2"
    )

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        gains = gain_values(self.gain, len(relevant))
        return _share_of((self.cutoff or depth) * float(gains.max()), self, gains, depth)


@register_measure
@dataclass(frozen=True, kw_only=True)
class gR(Measure):
    """Generalised recall: cumulated gain divided by the total gain of all judged documents."""

    gain: Gain = "linear"
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Kishida 4.1.4 (Kekalainen and Jarvelin)"
    example: ClassVar = Example(0.5, "gain 2 of a total of 4", "cutoff=2")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        gains = gain_values(self.gain, len(relevant))
        return _share_of(float(gains @ relevant), self, gains, depth)


def _share_of(total: float, measure: gP | gR, gains: FloatArray, depth: int) -> Form:
    """Form of the cumulated gain up to the cutoff, divided by ``total``."""
    return linear_form(cut_weights(measure.cutoff, np.full(depth, reciprocal(total))), gains)


def _sliding_ratio(measure: SR | mSR, weights: FloatArray, relevant: FloatArray, depth: int) -> Form:
    """Form of weighted gains over the ideal list's, both up to the same rank n (Kishida eqs. 26-27)."""
    gains = gain_values(measure.gain, len(relevant))
    n = measure.cutoff or depth
    best = float(weights[:n] @ ideal_shares(gains, relevant, n) @ gains)
    return linear_form(cut_weights(measure.cutoff, weights[:depth]) * reciprocal(best), gains)
