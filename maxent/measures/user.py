"""Measures of a user who reads down the list and stops at some rank: RBP, reciprocal rank, success, ERR."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from maxent.errors import MeasureError
from maxent.measures.cascade import Cascade, cascade, stopping_value
from maxent.measures.describe import Example
from maxent.measures.form import Form, linear_form
from maxent.measures.gain import (
    binary_gains,
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
from maxent.measures.parameters import Cutoff, Gain, JudgedOnly, Parameter, Rel, real, whole
from maxent.types import FloatArray

Top = Annotated[
    int,
    Parameter(
        "int",
        "Highest grade of the scale.",
        whole("{name} must be a grade, 1 or more", least=1),
        without="that of the collection",
    ),
]


@register_measure
@dataclass(frozen=True, kw_only=True)
class RBP(Measure):
    """Rank-biased precision of documents of grade >= ``rel``, or of gains, with persistence ``p``.

    With ``gain``, a document counts as its gain divided by the largest gain of the scale (graded RBP). A cutoff
    does not change the weights of the ranks.

    Notes
    -----
    RBP in NTCIREVAL, and ``RBP(p=0.8)`` without ``rel`` in ir_measures, is graded: ``RBP(p=0.8,gain=linear)`` here.
    The binary RBP of ir_measures is ``RBP(p=0.8,rel=1)``.
    """

    p: Annotated[
        float,
        Parameter(
            "float",
            "Probability that the user continues to the next rank.",
            real("persistence {name} must be strictly between 0 and 1", lambda p: 0 < p < 1),
        ),
    ] = 0.8
    rel: Rel = 1
    gain: Gain | None = None
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "xGAP paper 6 (Moffat and Zobel 2008)"
    example: ClassVar = Example(0.328, "(1 - .8) (1 + .8^2)")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        weights = cut_weights(self.cutoff, (1 - self.p) * np.float64(self.p) ** (ranks(depth) - 1))
        return linear_form(weights, _gains_of_user(self, len(relevant)))


@register_measure
@dataclass(frozen=True, kw_only=True)
class BrokenStick(Measure):
    """Broken stick: the mean of all linear measures whose rank weights sum to 1 and fall with the rank.

    It knows that earlier ranks count more, and nothing else: a measure without content, and so the level that the
    error of an informative measure must be below. With ``gain``, a document counts as its gain divided by the
    largest gain of the scale.

    Notes
    -----
    Weights that fall with the rank are mixtures of the weights of P@1, P@2, ..., P@N: share s_k on 1/k at the ranks
    1 to k. If all shares are equally likely, the mean of each is 1/N, and the mean weight of rank n is
    (1/N) sum_{k >= n} 1/k. These are the mean lengths of the pieces of a stick that is broken at random, by
    decreasing length. N is the depth, to which shorter lists are padded.
    """

    rel: Rel = 1
    gain: Gain | None = None
    reference: ClassVar[str] = "MacArthur 1957"
    example: ClassVar = Example(0.6667, "of four ranks the weights are .5208, .2708, .1458 and .0625")

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        # (1/N) sum_{k >= n} 1/k
        weights = np.cumsum((1 / ranks(depth))[::-1])[::-1] / depth
        return linear_form(weights, _gains_of_user(self, len(relevant)))


@register_measure
@dataclass(frozen=True, kw_only=True)
class ERR(Measure):
    """Expected reciprocal rank at which a user is satisfied and stops.

    A document of gain x satisfies the user with probability x / (x_top + 1), where x_top is the largest gain of the
    scale; with the default gain this is (2^i - 1) / 2^top.

    Notes
    -----
    The scale of gdeval, and hence of ir_measures, always ends at grade 4: their ``ERR@20`` is ``ERR(top=4)@20``
    here. NTCIREVAL usually uses linear gains: ``ERR(gain=linear)``.
    """

    gain: Gain = "exp2"
    top: Top | None = None
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Chapelle et al. 2009, eqs. 3-4"
    example: ClassVar = Example(
        0.7708, "a document of grade i satisfies the user with probability (2^i - 1) / 4: 3/4 + (1/3) (1/4) (1/4)"
    )

    def _cascade(self, relevant: FloatArray, depth: int) -> Cascade:
        return cascade(reciprocal_ranks(self.cutoff, depth), _satisfaction(self, len(relevant)))


@register_measure
@dataclass(frozen=True, kw_only=True)
class nERR(Measure):
    """Normalised expected reciprocal rank: ERR divided by the ERR of the ideal list.

    The ideal list ranks all relevant documents of the topic by decreasing gain.

    Notes
    -----
    NTCIREVAL's nERR@k has gains set by the user, usually linear: ``nERR(gain=linear)@k``. NERR8 to NERR11 of
    ir_measures are different measures ("nearly" ERR).
    """

    gain: Gain = "exp2"
    top: Top | None = None
    cutoff: Cutoff | None = None
    reference: ClassVar[str] = "Chapelle et al. 2009"
    example: ClassVar = Example(0.9673, "ERR divided by the ERR of the order 2, 1, 1")

    def _cascade(self, relevant: FloatArray, depth: int) -> Cascade:
        satisfied = _satisfaction(self, len(relevant))
        ideal = ideal_shares(satisfied, relevant, ideal_length(satisfied, relevant, self.cutoff)) @ satisfied
        best = float(stopping_value(ideal, 1 / ranks(len(ideal))))
        return cascade(reciprocal_ranks(self.cutoff, depth) * reciprocal(best), satisfied)


@register_measure
@dataclass(frozen=True, kw_only=True)
class RR(Measure):
    """Reciprocal rank of the first document of grade >= ``rel``; 0 if there is none."""

    rel: Rel = 1
    cutoff: Cutoff | None = None
    judged_only: JudgedOnly = False
    reference: ClassVar[str] = "muAP paper 2.3"
    example: ClassVar = Example(1.0, "the first document is relevant")

    def _cascade(self, relevant: FloatArray, depth: int) -> Cascade:
        return cascade(reciprocal_ranks(self.cutoff, depth), binary_gains(self.rel, len(relevant)))


@register_measure
@dataclass(frozen=True, kw_only=True)
class Success(Measure):
    """Whether any of the first ``cutoff`` documents has grade >= ``rel``: 1 or 0.

    Examples
    --------
    The first relevant document is at rank 3:

    >>> import maxent as me
    >>> round(float(me.Success(cutoff=2).evaluate([0, 0, 1, 0], (2, 1))), 4)
    0.0
    """

    cutoff: Cutoff
    rel: Rel = 1
    judged_only: JudgedOnly = False
    reference: ClassVar[str] = "trec_eval's success"

    def _cascade(self, relevant: FloatArray, depth: int) -> Cascade:
        return cascade(cut_weights(self.cutoff, np.ones(depth)), binary_gains(self.rel, len(relevant)))


def _gains_of_user(measure: RBP | BrokenStick, levels: int) -> FloatArray:
    """Gains (levels,) divided by the largest or, without ``gain``, 1 for each grade >= ``rel``."""
    if measure.gain is None:
        return binary_gains(measure.rel, levels)
    gains = gain_values(measure.gain, levels)
    return gains * reciprocal(float(gains.max()))


def _satisfaction(measure: ERR | nERR, levels: int) -> FloatArray:
    """Probability that a document of grade 1..levels satisfies the user, (levels,)."""
    gain, top = measure.gain, measure.top or levels
    if top < levels:
        raise MeasureError(f"{measure} has top={top}, but the topic has {levels} positive grades")
    highest = float(gain_values(gain, top if isinstance(gain, str) else levels).max())
    return gain_values(gain, levels) / (highest + 1)
