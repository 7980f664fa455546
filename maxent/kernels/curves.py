"""Errors of inferred precision-recall curves, for many distributions at once, and expected precision."""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from maxent.kernels.workspace import address, call
from maxent.types import FloatArray, IntArray


class ActualCurves(NamedTuple):
    """Actual curves of lists of one topic, for one threshold."""

    threshold: int  # lowest grade that counts as relevant
    base: float  # R_>=k of the topic
    ranks: IntArray  # (points,): ranks of the relevant documents, list after list
    first: IntArray  # (lists + 1,): where those of each list begin

    @property
    def points(self) -> IntArray:
        """Number of points of each curve."""
        return np.diff(self.first)


def actual_curves(grades: IntArray, threshold: int, base: float) -> ActualCurves:
    """Actual curves of lists with grades (lists, depth)."""
    lists, ranks = np.nonzero(grades >= threshold)
    first = np.searchsorted(lists, np.arange(len(grades) + 1))
    return ActualCurves(threshold, base, ranks + 1, first)


def curve_errors(
    p: FloatArray,
    own: IntArray,
    actual: ActualCurves,
    *,
    align: Literal["recall", "rank", "expected"],
    rounding: float,
) -> FloatArray:
    """RMS and mean absolute errors of the curves that distributions imply, (k, 2); see ``maxent.curve_error``.

    Distribution p (k, depth, levels + 1) is compared with the list ``own`` (k,) of ``actual``, at equal rank or at
    equal recall; recalls within ``rounding`` are equal.
    """
    k, depth, width = p.shape
    lists, errors = (own, actual.first, actual.ranks), np.empty((k, 2))
    if align == "expected":
        kept = np.ascontiguousarray(p), *lists, np.empty(2 * actual.points.max(initial=0)), errors
        call("expected_errors", k, depth, width, actual.threshold, *map(address, kept))
        return errors
    known = np.ascontiguousarray(p), np.array([actual.base, rounding]), *lists, errors
    call("curve_errors", k, depth, width, actual.threshold, int(align == "rank"), *map(address, known))
    return errors


def expected_precision(found: npt.NDArray[Any], documents: int) -> npt.NDArray[Any]:
    """E[k / n_k] at the k-th relevant document, (documents,), given the expected number ``found`` (depth,) by rank.

    Ranks are independent, so the number above a rank is Poisson-binomial: one rank after the other is added.
    Complex numbers give derivatives, see :mod:`maxent.derivatives`.
    """
    above, inverse = np.zeros((2, documents), dtype=found.dtype)  # P(k - 1 above the rank), sums to E[1 / n_k]
    above[:1] = 1.0
    for rank, own in enumerate(np.diff(found, prepend=0.0), start=1):
        here = own * above
        inverse += here / rank
        above -= here
        above[1:] += here[:-1]
    return np.asarray(np.arange(1, documents + 1) * inverse)
