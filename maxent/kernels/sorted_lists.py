"""Sorted lists, the lists at the ends of an attainable interval, and sums over them that give values of forms.

A sorted list places documents in order of gain on ranks in order of weight. Ranks of equal weight form a class, and
so do grades of equal gain. The classes of grades fill the classes of ranks one after the other; within a class of
ranks, documents are spread evenly. The loop is in ``sorted_list_loops``.
"""

import numpy as np

from maxent.kernels.calls import call
from maxent.types import FloatArray


class Filler:
    """Computes the sorted lists at both ends; ``arrays`` are the classes and the weights that ``fill`` takes."""

    def __init__(self, adding: int, pairwise: bool, *arrays: np.ndarray) -> None:
        self._arrays = tuple(np.array(array, order="C") for array in arrays)
        self._numbers = adding, int(pairwise), int((np.diff(self._arrays[0]) >= 0).all())

    def sums(self, masses: FloatArray) -> FloatArray:
        """Sums (2, k, grades, grades) of lists with ``masses`` (2, k, grades); incomplete for grade 0."""
        return self._fill(masses, np.empty((0, 0, masses.shape[2])))

    def lists(self, masses: FloatArray) -> FloatArray:
        """Lists (2, depth, grades) with ``masses`` (2, 1, grades)."""
        p = np.empty((2, len(self._arrays[0]), masses.shape[2]))
        self._fill(masses, p)
        return p

    def _fill(self, masses: FloatArray, p: FloatArray) -> FloatArray:
        grades = masses.shape[2]
        sums = np.zeros((*masses.shape, grades))
        call("fill", self._numbers, self._arrays, np.ascontiguousarray(masses), np.empty((5, grades + 1)), sums, p)
        return sums
