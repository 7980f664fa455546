"""Average precision with gains in place of relevant documents: generalised and weighted AP, Q-measure."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxent.measures.form import Form, pairwise_form
from maxent.measures.gain import gain_values, ideal_shares, per, ranks
from maxent.measures.measure import Measure
from maxent.types import FloatArray


@dataclass(frozen=True, kw_only=True)
class gAP(Measure):
    """Generalised average precision: mean gains in place of precisions.

    The sum over the relevant documents of the mean gain so far, over the same sum on the ideal list.

    Parameters
    ----------
    gain
        ``linear`` (the grade itself), ``exp2``, ``exp``, or one number for each positive grade; a grade without
        gain is not relevant.
    """

    gain: str | tuple[float, ...] = "linear"
    reference: ClassVar[str] = "Kishida eq. 42"

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        x = gain_values(self.gain, len(relevant))
        hit = (x > 0).astype(np.float64)  # I(x)
        ideal = ideal_shares(x, relevant)
        # Kishida eq. 41: the same sum on the ideal list, all of it
        norm = float((ideal @ hit / ranks(len(ideal))) @ np.cumsum(ideal @ x))
        return pairwise_form(1 / ranks(depth), np.outer(hit, x) * per(norm))


@dataclass(frozen=True, kw_only=True)
class wAP(Measure):
    """Weighted average precision (Kando): gain over the ideal gain so far.

    Parameters
    ----------
    gain
        As for ``gAP``.
    """

    gain: str | tuple[float, ...] = "linear"
    reference: ClassVar[str] = "Kishida eq. 34"

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        x = gain_values(self.gain, len(relevant))
        hit = (x > 0).astype(np.float64)
        best = np.cumsum(ideal_shares(x, relevant, depth) @ x)
        d = np.divide(1.0, best, out=np.zeros(depth), where=best > 0)
        return pairwise_form(d, np.outer(hit, x) * per(float(hit @ relevant)))


@dataclass(frozen=True, kw_only=True)
class Q(Measure):
    """Q-measure (Sakai): weighted AP blended with AP.

    Parameters
    ----------
    beta
        Weight of the gains; 0 is AP, 1 is Kishida's equation, and weighted AP is the limit of large values.
    gain
        As for ``gAP``.
    """

    beta: float = 1.0
    gain: str | tuple[float, ...] = "linear"
    reference: ClassVar[str] = "Kishida eq. 35"

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        x = gain_values(self.gain, len(relevant))
        hit = (x > 0).astype(np.float64)
        best = np.cumsum(ideal_shares(x, relevant, depth) @ x)
        kernel = np.outer(hit, hit * (self.beta * x + 1)) * per(float(hit @ relevant))
        return pairwise_form(1 / (ranks(depth) + self.beta * best), kernel)
