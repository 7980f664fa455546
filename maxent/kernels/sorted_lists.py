"""Sorted lists, grades in a given order on ranks in a given order, and their values.

Ranks of equal weight are interchangeable, and so are grades of equal gain. Classes of such ranks are filled with
classes of such grades one after the other, evenly within a class. The loop is in ``sorted_list_loops``.
"""

import numpy as np

from maxent.kernels.calls import call, flat
from maxent.types import FloatArray


class Filler:
    """Sorted lists of one form at both ends, and their values; ``arrays`` are those of ``fill``."""

    def __init__(self, adding: int, *arrays: np.ndarray) -> None:
        self._kept = [np.array(array, order="C") for array in arrays]  # addresses are valid while they are kept
        self._adding, self._classes, self._form = adding, flat((*self._kept[:4],)), flat((*self._kept[4:],))

    def __call__(self, masses: FloatArray, p: FloatArray | None = None) -> FloatArray:
        """Values (2, k) for ``masses`` (2, k, levels + 1) that sum to the depth; ``p`` gets the last lists."""
        _, k, grades = masses.shape
        values, shown = np.empty((2, k)), np.empty((0, 0, grades)) if p is None else p
        call("fill", self._adding, self._classes, masses, self._form, np.empty((5, grades + 1)), values, shown)
        return values
