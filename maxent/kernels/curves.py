"""Errors of inferred precision-recall curves, for many distributions at once."""

from typing import NamedTuple

import numpy as np

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
    p: FloatArray, own: IntArray, actual: ActualCurves, *, by_rank: bool, rounding: float
) -> FloatArray:
    """RMS and mean absolute errors of the curves that distributions imply, (k, 2); see ``maxent.curve_error``.

    Distribution p (k, depth, levels + 1) is compared with the list ``own`` (k,) of ``actual``, at equal rank or at
    equal recall; recalls within ``rounding`` are equal.
    """
    k, depth, width = p.shape
    kept = np.ascontiguousarray(p), np.array([actual.base, rounding]), own, actual.first, actual.ranks
    errors = np.empty((k, 2))
    call("curve_errors", k, depth, width, actual.threshold, int(by_rank), *map(address, kept), address(errors))
    return errors
