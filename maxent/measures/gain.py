"""Measures built on gain: discounted cumulated gain and its normalised form, with all their conventions."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from maxent.errors import MeasureError
from maxent.measures.form import FloatArray, Form, linear_form
from maxent.measures.measure import Measure, ranks
from maxent.measures.precision import check_cutoff

GAINS = {
    "linear": lambda i: i,
    "exp2": lambda i: np.exp2(i) - 1,
    "exp": lambda i: np.expm1(i),
}
DISCOUNTS = ("log2", "jk", "inverse")


def gain_values(gain: str | tuple[float, ...], levels: int) -> FloatArray:
    """Gain of the grades 1..levels.

    Raises
    ------
    MeasureError
        If a table of gains has not one entry for each positive grade.
    """
    if isinstance(gain, str):
        return np.asarray(GAINS[gain](ranks(levels)), dtype=np.float64)
    if len(gain) != levels:
        raise MeasureError(f"{len(gain)} gains given, but the topic has {levels} positive grades")
    return np.array(gain)


def discount_values(discount: str, b: float, depth: int) -> FloatArray:
    """Weight of the ranks 1..depth."""
    n = ranks(depth)
    if discount == "log2":
        return np.asarray(1 / np.log2(n + 1))
    if discount == "inverse":
        return np.asarray(1 / n)
    # Kishida eq. 30 (Jarvelin and Kekalainen): no discount before rank b
    return np.asarray(1 / np.log(np.maximum(n, b)) * np.log(b))


def _check_conventions(gain: str | tuple[float, ...], discount: str, b: float) -> None:
    if isinstance(gain, str) and gain not in GAINS:
        raise MeasureError(f"unknown gain {gain!r}: {', '.join(GAINS)} or one number for each grade")
    if not isinstance(gain, str) and not all(0 <= x < float("inf") for x in gain):
        raise MeasureError(f"gains must be finite and not negative, got {gain}")
    if discount not in DISCOUNTS:
        raise MeasureError(f"unknown discount {discount!r}: {', '.join(DISCOUNTS)}")
    if not 1 < b < float("inf"):
        raise MeasureError(f"the base b of the logarithm must be above 1, got {b}")
    if b != 2 and discount != "jk":
        raise MeasureError(f"b={b:g} is the base of discount=jk, but the discount is {discount}")


@dataclass(frozen=True, kw_only=True)
class DCG(Measure):
    """Discounted cumulated gain.

    Parameters
    ----------
    gain
        ``linear`` (i), ``exp2`` (2^i - 1), ``exp`` (e^i - 1), or one number for each positive grade.
    discount
        ``log2`` (log2(n + 1)), ``jk`` (log_b n, none before rank b), ``inverse`` (1/n).
    b
        Base of the ``jk`` discount.
    cutoff
        Last rank that counts; None for the whole list.
    """

    gain: str | tuple[float, ...] = "linear"
    discount: str = "log2"
    b: float = 2.0
    cutoff: int | None = None
    reference: ClassVar[str] = "Kishida eq. 30; GAP paper figure 1"

    def __post_init__(self) -> None:
        _normalise_gain(self)

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        return linear_form(_weights(self, depth), gain_values(self.gain, len(relevant)))


@dataclass(frozen=True, kw_only=True)
class nDCG(Measure):
    """Normalised discounted cumulated gain; parameters as for :class:`DCG`.

    The ideal list comes from the relevance judgments, never from the retrieved documents. Plain ``nDCG`` is
    trec_eval's: linear gain and log2 discount; the GAP paper uses ``nDCG(gain=exp2)``.
    """

    gain: str | tuple[float, ...] = "linear"
    discount: str = "log2"
    b: float = 2.0
    cutoff: int | None = None
    reference: ClassVar[str] = "GAP paper figure 1 and footnote 1; Kishida eqs. 30-31"

    def __post_init__(self) -> None:
        _normalise_gain(self)

    def _form(self, relevant: FloatArray, depth: int) -> Form:
        gains = gain_values(self.gain, len(relevant))
        ideal = self._ideal(gains, relevant)
        return linear_form(_weights(self, depth) / ideal if ideal > 0 else np.zeros(depth), gains)

    def _ideal(self, gains: FloatArray, relevant: FloatArray) -> float:
        """DCG of all judged documents by decreasing gain; fractional counts share a rank."""
        order = np.argsort(-gains, kind="stable")
        edges = np.concatenate(([0.0], np.cumsum(relevant[order])))
        length = min(int(np.ceil(edges[-1])), self.cutoff or int(np.ceil(edges[-1])))
        n = ranks(length)
        # share of rank n (the interval n-1..n) that each grade fills
        share = np.clip(np.minimum(n[:, None], edges[1:]) - np.maximum(n[:, None] - 1, edges[:-1]), 0, None)
        return float(discount_values(self.discount, self.b, length) @ share @ gains[order])


def _weights(measure: DCG | nDCG, depth: int) -> FloatArray:
    """Discounts of the ranks up to the cutoff, 0 beyond."""
    return discount_values(measure.discount, measure.b, depth) * (ranks(depth) <= (measure.cutoff or depth))


def _normalise_gain(measure: DCG | nDCG) -> None:
    if not isinstance(measure.gain, str):
        gains = (measure.gain,) if isinstance(measure.gain, int | float) else measure.gain
        object.__setattr__(measure, "gain", tuple(float(x) for x in gains))
    _check_conventions(measure.gain, measure.discount, measure.b)
    check_cutoff(measure.cutoff)
