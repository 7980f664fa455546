"""Sorted lists, the lists at the ends of an attainable interval, and sums over them that give values of forms.

A sorted list places documents in order of gain on ranks in order of weight. Ranks of equal weight form a class, and
so do grades of equal gain. The classes of grades fill the classes of ranks one after the other; within a class of
ranks, documents are spread evenly. The loop is in ``sorted_list_loops``.
"""

from typing import Any

import numpy as np

from maxent.kernels.calls import call
from maxent.types import FloatArray, IntArray


class Filler:
    """Computes the sorted lists at both ends of the attainable interval.

    Parameters
    ----------
    adding : int
        Last rank that adds to the value.
    pairwise : bool
        Whether a document adds to the gain of later ones.
    rank_class : (depth,) array
        Class of each rank, in the order in which classes are filled.
    first : (rank classes + 1,) array
        Number of ranks in the classes before each.
    grade_class : (2, grades) array
        Class of each grade at both ends, in the order in which classes fill the ranks.
    weights : (depth,) array
        Weights of the ranks.
    """

    def __init__(
        self,
        adding: int,
        pairwise: bool,
        rank_class: IntArray,
        first: FloatArray,
        grade_class: IntArray,
        weights: FloatArray,
    ) -> None:
        self._classes: dict[str, Any] = {
            "adding": adding,
            "pairwise": int(pairwise),
            "in_order": int((np.diff(rank_class) >= 0).all()),
            "rank_class": np.array(rank_class, order="C"),
            "first": np.array(first, order="C"),
            "grade_class": np.array(grade_class, order="C"),
            "weights": np.array(weights, order="C"),
        }
        self._depth = len(rank_class)

    def sums(self, masses: FloatArray) -> FloatArray:
        """Sums (2, k, grades, grades) of lists with ``masses`` (2, k, grades); incomplete for grade 0."""
        return self._fill(masses, np.empty((0, 0, masses.shape[2])))

    def lists(self, masses: FloatArray) -> FloatArray:
        """Lists (2, depth, grades) with ``masses`` (2, 1, grades)."""
        p = np.empty((2, self._depth, masses.shape[2]))
        self._fill(masses, p)
        return p

    def _fill(self, masses: FloatArray, p: FloatArray) -> FloatArray:
        """Write the last lists to ``p`` (2, depth, grades), unless it is empty, and return the sums."""
        grades = masses.shape[2]
        sums = np.zeros((*masses.shape, grades))
        call(
            "fill",
            **self._classes,
            masses=np.ascontiguousarray(masses),
            scratch=np.empty((5, grades + 1)),
            sums=sums,
            p=p,
        )
        return sums
