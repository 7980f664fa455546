"""Extreme distributions and their value, compiled as they stand."""

import numpy as np
import numpy.typing as npt
from numba import njit

from maxent.measures.form import FloatArray

Places = npt.NDArray[np.intp]


@njit(cache=True, nogil=True, error_model="numpy")
def fill(
    rank_class: Places,
    first: FloatArray,
    grade_class: Places,
    mass: FloatArray,
    a: FloatArray,
    d: FloatArray,
    K: FloatArray,
    p: FloatArray,
) -> float:
    """Best grades to the best ranks: the value of the measure for the distribution that does so.

    Parameters
    ----------
    rank_class : (depth,) array
        Class of interchangeable ranks; classes in the order in which they are filled.
    first : (classes + 1,) array
        Number of ranks in the classes before each.
    grade_class : (levels + 1,) array
        Class of interchangeable grades, likewise.
    mass : (levels + 1,) array
        Expected number of documents of each grade; sums to the depth.
    a, d, K
        Form of the measure.
    p : (depth, levels + 1) array
        Filled with the distribution; an empty array where only the value is wanted.
    """
    grades = len(mass)
    of_class, edge = np.zeros(grades), np.zeros(grades + 1)
    for i in range(grades):
        of_class[grade_class[i]] += mass[i]
    for i in range(grades):
        edge[i + 1] = edge[i] + of_class[i]
    edge[grades] = max(edge[grades], first[-1])
    row, before = np.zeros(grades), np.zeros(grades)
    value = 0.0
    for n in range(len(rank_class)):
        low, high = first[rank_class[n]], first[rank_class[n] + 1]
        for i in range(grades):
            g = grade_class[i]
            filled = min(high, edge[g + 1]) - max(low, edge[g])
            if low <= edge[g] and edge[g + 1] <= high:  # the same without rounding
                filled = of_class[g]
            row[i] = filled / (high - low) * (mass[i] / of_class[g]) if filled > 0.0 and mass[i] > 0.0 else 0.0
        for i in range(grades):
            if row[i] > 0.0:
                t = 0.0
                for j in range(grades):
                    t += K[i, j] * before[j]
                value += row[i] * (a[n, i] + d[n] * t)
        for i in range(grades):
            before[i] += row[i]
            if len(p) > 0:
                p[n, i] = row[i]
    return value
