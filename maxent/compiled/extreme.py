"""Extreme distributions and their value, compiled as they stand."""

import numpy as np
import numpy.typing as npt
from numba import njit

from maxent.measures.form import FloatArray

Places = npt.NDArray[np.intp]


@njit(cache=True, nogil=True, error_model="numpy")
def _share(
    low: float,
    high: float,
    grade_class: Places,
    mass: FloatArray,
    of_class: FloatArray,
    edge: FloatArray,
    row: FloatArray,
) -> None:
    """Probabilities of the grades at the ranks from ``low`` to ``high`` of the order, evenly within classes."""
    for i in range(len(mass)):
        g = grade_class[i]
        filled = min(high, edge[g + 1]) - max(low, edge[g])
        if low <= edge[g] and edge[g + 1] <= high:  # the same without rounding
            filled = of_class[g]
        row[i] = filled / (high - low) * (mass[i] / of_class[g]) if filled > 0.0 and mass[i] > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def fill(
    rank_class: Places,
    first: FloatArray,
    grade_class: Places,
    idle: npt.NDArray[np.bool_],
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
    idle : (levels + 1,) array of bool
        Grades whose documents add nothing, if ranks are filled from the first to the last.
    mass : (levels + 1,) array
        Expected number of documents of each grade; sums to the depth.
    a, d, K
        Form of the measure.
    p : (depth, levels + 1) array
        Filled with the distribution; an empty array where only the value is wanted.
    """
    grades = len(mass)
    of_class, edge = np.zeros(grades), np.zeros(grades + 1)
    only = np.full(grades, -1)  # the grade with mass, where a class has no other
    for i in range(grades):
        g = grade_class[i]
        of_class[g] += mass[i]
        if mass[i] > 0.0:
            only[g] = i if of_class[g] == mass[i] else -1
    for i in range(grades):
        edge[i + 1] = edge[i] + of_class[i]
    known = edge[grades]  # documents, nearly as many as ranks
    edge[grades] = first[-1]
    for i in range(grades):
        edge[i] = min(edge[i], first[-1])  # else rounding pushes tiny classes beyond the last rank
    row, gained = np.zeros(grades), np.zeros(grades)  # gained: K times the sum of the rows before
    value = 0.0
    g = n = 0
    while n < len(rank_class):
        low, high = first[rank_class[n]], first[rank_class[n] + 1]
        g = 0 if low < edge[g] else g
        while edge[g + 1] <= low:
            g += 1
        if high <= min(edge[g + 1], known) and only[g] >= 0:  # nearly all ranks hold one grade for certain
            row[:] = 0.0
            row[only[g]] = 1.0
            value += a[n, only[g]] + d[n] * gained[only[g]]
            for j in range(grades):
                gained[j] += K[j, only[g]]
            if idle[only[g]] and len(p) == 0:
                end = int(edge[g + 1])  # on to the first rank that has another grade
                n = max(n, (int(first[rank_class[end]]) if end < len(rank_class) else end) - 1)
        else:
            _share(low, high, grade_class, mass, of_class, edge, row)
            for i in range(grades):
                value += row[i] * (a[n, i] + d[n] * gained[i])
            for i in range(grades):
                for j in range(grades):
                    gained[j] += K[j, i] * row[i]
        if len(p) > 0:
            p[n] = row
        n += 1
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def values(
    rank_class: Places,
    first: FloatArray,
    grade_class: Places,
    idle: npt.NDArray[np.bool_],
    masses: FloatArray,
    a: FloatArray,
    d: FloatArray,
    K: FloatArray,
    out: FloatArray,
) -> None:
    """Put the values of :func:`fill` for several masses (k, levels + 1) into ``out`` (k,)."""
    for k in range(len(masses)):
        out[k] = fill(rank_class, first, grade_class, idle, masses[k], a, d, K, np.empty((0, 0)))
