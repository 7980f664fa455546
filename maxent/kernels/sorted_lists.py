"""Lists that put grades at ranks in a given order, and their values: a function for numba, and calls of it.

Ranks of equal weight and grades of equal gain are interchangeable. Classes of such ranks are filled with classes
of such grades one after the other, evenly within a class. All arguments of ``fill`` are pointers and
numbers: (rows, grades) arrays lie row by row.
"""

import numpy as np

from maxent.kernels.workspace import Array, Indices, address, call


class Filler:
    """Sorted lists of one form and their values, see :func:`fill`.

    Parameters
    ----------
    rank_class, first, grade_class, idle, a, d, K : arrays
    """

    def __init__(
        self, rank_class: Indices, first: Array, grade_class: Indices, idle: Array, a: Array, d: Array, K: Array
    ) -> None:
        arrays = (rank_class, first, grade_class, idle), (np.ascontiguousarray(a), d, np.ascontiguousarray(K))
        self._kept = arrays  # their addresses are good for as long as they are here
        self._classes, self._form = ([address(x) for x in own] for own in arrays)
        self._sizes = len(d), len(K)

    def __call__(self, masses: Array, p: Array | None = None) -> Array:
        """Values of lists with so many documents of each grade (k, levels + 1); fills p (1, depth, levels + 1)."""
        k, (_, grades) = len(masses), self._sizes
        values = np.empty(k + 5 * (grades + 1))  # and, behind them, what the function needs on the way
        place = address(values)
        shown, out = (0, place) if p is None else (len(p[0]), address(p))
        given = *self._classes, address(masses), *self._form, place + 8 * k, place, out
        call("fill", k, *self._sizes, shown, *given)
        return values[:k]


def fill(  # type: ignore[no-untyped-def]
    k, depth, grades, shown, rank_class, first, grade_class, idle, masses, a, d, K, scratch, values, p
):
    """First grades to the first ranks: the values of the measure for the distributions that do so.

    Parameters
    ----------
    k, depth, grades : int
        Number of lists, of ranks, and of grades with grade 0.
    shown : int
        The depth, or 0 where only the values are wanted.
    rank_class : (depth,) array of int
        Class of interchangeable ranks; classes are numbered in the order in which they are filled.
    first : (classes + 1,) array
        Number of ranks in the classes before each.
    grade_class : (grades,) array of int
        Class of interchangeable grades, likewise.
    idle : (grades,) array
        1 for grades whose documents add nothing, if ranks are filled from the first to the last.
    masses : (k, grades) array
        Expected number of documents of each grade; each row sums to the depth.
    a, d, K : (depth, grades), (depth,), (grades, grades) arrays
        Form of the measure.
    scratch : (5 * (grades + 1),) array
    values : (k,) array
        Filled.
    p : (shown, grades) array
        Filled with the distribution of the last list.
    """
    size = grades + 1
    of_class, edge, only, row, gained = 0, size, 2 * size, 3 * size, 4 * size  # where they begin in scratch
    for number in range(k):
        for i in range(5 * size):
            scratch[i] = -1.0 if only <= i < row else 0.0  # only: the grade with mass, where a class has no other
        for i in range(grades):
            g = grade_class[i]
            mass = masses[number * grades + i]
            scratch[of_class + g] += mass
            if mass > 0.0:
                scratch[only + g] = i if scratch[of_class + g] == mass else -1.0
        for g in range(grades):
            scratch[edge + g + 1] = scratch[edge + g] + scratch[of_class + g]
        known = scratch[edge + grades]  # documents, nearly as many as ranks
        scratch[edge + grades] = depth
        for g in range(grades):
            # rounding must not push a class beyond the list
            scratch[edge + g] = min(scratch[edge + g], float(depth))
        value, g, n = 0.0, 0, 0
        while n < depth:
            low, high = first[rank_class[n]], first[rank_class[n] + 1]
            g = 0 if low < scratch[edge + g] else g
            while scratch[edge + g + 1] <= low:
                g += 1
            last, single = scratch[edge + g + 1], int(scratch[only + g])
            if high <= min(last, known) and single >= 0:  # nearly all ranks hold one grade for certain
                for i in range(grades):
                    scratch[row + i] = 1.0 if i == single else 0.0
                    value += (a[n * grades + i] + d[n] * scratch[gained + i]) * scratch[row + i]
                for j in range(grades):
                    scratch[gained + j] += K[j * grades + single]
                if idle[single] > 0.0 and shown == 0:
                    end = int(last)  # on to the first rank that has another grade
                    n = max(n, (int(first[rank_class[end]]) if end < depth else end) - 1)
            else:
                for i in range(grades):  # what is between low and high of the order, evenly within classes
                    own = grade_class[i]
                    bottom, top, whole = scratch[edge + own], scratch[edge + own + 1], scratch[of_class + own]
                    filled = whole if low <= bottom and top <= high else min(high, top) - max(low, bottom)
                    mass = masses[number * grades + i]
                    some = filled > 0.0 and mass > 0.0
                    scratch[row + i] = filled / (high - low) * (mass / whole) if some else 0.0
                    value += scratch[row + i] * (a[n * grades + i] + d[n] * scratch[gained + i])
                for i in range(grades):
                    for j in range(grades):
                        scratch[gained + j] += K[j * grades + i] * scratch[row + i]
            if shown > 0:
                for i in range(grades):
                    p[n * grades + i] = scratch[row + i]
            n += 1
        values[number] = value
