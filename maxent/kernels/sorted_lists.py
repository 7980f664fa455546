"""Sorted lists, grades in a given order on ranks in a given order, and their values.

Ranks of equal weight are interchangeable, and so are grades of equal gain. Classes of such ranks are filled with
classes of such grades one after the other, evenly within a class. The loop is :func:`maxent.kernels.native.fill`.
"""

import numpy as np

from maxent.kernels.calls import call, flat
from maxent.types import FloatArray, IntArray


class Filler:
    """Sorted lists of one form and their values; its arrays are those of :func:`maxent.kernels.native.fill`."""

    def __init__(
        self,
        adding: int,
        rank_class: IntArray,
        first: FloatArray,
        grade_class: IntArray,
        idle: FloatArray,
        a: FloatArray,
        d: FloatArray,
        K: FloatArray,
    ) -> None:
        arrays = (rank_class, first, grade_class, idle), (np.ascontiguousarray(a), d, np.ascontiguousarray(K))
        self._kept = arrays  # their addresses are valid as long as they are referenced
        self._classes, self._form = map(flat, arrays)
        self._adding = adding

    def __call__(self, masses: FloatArray, p: FloatArray | None = None) -> FloatArray:
        """Values (k,) of the lists with ``masses`` (k, levels + 1) of each grade, whose rows sum to the depth.

        ``p`` (depth, levels + 1) is filled with the last list as a distribution.
        """
        k, grades = masses.shape
        values, shown = np.empty(k), np.empty((0, grades)) if p is None else p
        scratch = np.empty((5, grades + 1))
        call("fill", self._adding, *self._classes, masses, *self._form, scratch, values, shown)
        return values
