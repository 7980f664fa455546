"""Sorted lists, grades in a given order on ranks in a given order, and their values.

Ranks of equal weight are interchangeable, and so are grades of equal gain. Classes of such ranks are filled with
classes of such grades one after the other, evenly within a class. The loop is :func:`maxent.kernels.native.fill`.
"""

import numpy as np

from maxent.kernels.workspace import address, call
from maxent.types import FloatArray, IntArray


class Filler:
    """Sorted lists of one form and their values; its arrays are those of :func:`maxent.kernels.native.fill`."""

    def __init__(
        self,
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
        self._classes, self._form = ([address(x) for x in own] for own in arrays)
        adding = np.flatnonzero((d != 0) | a.any(axis=1))  # other ranks add nothing, as those beyond a cutoff
        self._sizes = len(d), len(K), int(adding.max(initial=-1)) + 1

    def __call__(self, masses: FloatArray, p: FloatArray | None = None) -> FloatArray:
        """Values (k,) of the lists with ``masses`` (k, levels + 1) of each grade, whose rows sum to the depth.

        ``p`` (1, depth, levels + 1) is filled with the last list as a distribution.
        """
        k, (_, grades, _) = len(masses), self._sizes
        values = np.empty(k + 5 * (grades + 1))  # the values, and working memory behind them
        place = address(values)
        shown, out = (0, place) if p is None else (len(p[0]), address(p))
        given = *self._classes, address(masses), *self._form, place + 8 * k, place, out
        call("fill", k, *self._sizes, shown, *given)
        return values[:k]
