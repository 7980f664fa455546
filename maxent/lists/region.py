"""Averages that are jointly attainable: the region of all mixtures of lists, from its extreme points.

One pass of the recursion, with maxima in place of sums, gives the lists that are furthest in a direction. They are
the columns of a small linear program, whose multipliers are the next direction (Dantzig and Wolfe 1960). The
reduced cost of the next column bounds the remaining gain, so that every end is exact up to a tolerance.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from maxent.lists.recursion import Recursion
from maxent.lists.steps import Lists
from maxent.problem.linear_program import CERTAIN
from maxent.types import FloatArray
from maxent.workers import in_threads

COLUMNS = 500  # of a linear program, at most
POSSIBLE = 1e-6  # shares of the intervals by which ranges may be missed in all
PRECISE = 1e-10  # tolerance of a linear program


class _Optimum(NamedTuple):
    """Point (m,) of a linear program, total violation of the ranges, and a bound on what more points could gain."""

    point: FloatArray
    missed: float
    gain: float


class Region:
    """Set of the averages that mixtures of the topics' lists can have."""

    def __init__(self, topics: Sequence[Lists], intervals: FloatArray) -> None:
        self.topics, self.low = topics, intervals[0]
        length = intervals[1] - intervals[0]
        self.length = np.where(length > 0, length, 1.0)
        self.points = np.zeros((0, len(self.low)))  # as shares of the intervals
        for direction in np.concatenate((np.eye(len(self.low)), -np.eye(len(self.low)))):
            self._furthest(direction)

    def _furthest(self, direction: FloatArray) -> FloatArray:
        """Find the point furthest in a direction, and add it to the points."""
        parts = in_threads(lambda lists: Recursion(lists, direction / self.length).best(), self.topics)
        constants = np.mean([lists.constants for lists in self.topics], axis=0)
        point = (np.mean(parts, axis=0) + constants - self.low) / self.length
        self.points = np.vstack((self.points, point))
        return np.asarray(point)

    def nearest(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Attainable averages nearest to given ranges, by the sum of deviations relative to the intervals."""
        shares = self._solve(np.zeros(len(low)), *self._shares(low, high), POSSIBLE, slack=True).point
        return np.asarray(self.low + self.length * shares)

    def excludes(self, low: FloatArray, high: FloatArray) -> bool:
        """Whether it is certain that no averages are within ranges, which may be infinite."""
        optimum = self._solve(np.zeros(len(low)), *self._shares(low, high), CERTAIN, slack=True)
        return optimum.missed - optimum.gain > CERTAIN

    def ends(self, low: FloatArray, high: FloatArray, tolerance: float = 1e-4) -> FloatArray:
        """Attainable averages within ranges that minimise and maximise each measure, (m, 2, m); NaN if none."""
        m = len(low)
        optimum = self._solve(np.zeros(m), *self._shares(low, high), POSSIBLE, slack=True)
        if optimum.missed - optimum.gain > POSSIBLE:
            return np.full((m, 2, m), np.nan)
        room = 2 * optimum.missed + PRECISE  # ranges may be as narrow as a point, which is reached up to rounding
        below, above = self._shares(low, high)
        ends = [
            [
                self._solve(sign * unit, below - room, above + room, tolerance, slack=False).point
                for sign in (-1.0, 1.0)
            ]
            for unit in np.eye(m)
        ]
        return np.asarray(self.low + self.length * np.array(ends))

    def extents(self, low: FloatArray, high: FloatArray, tolerance: float = 1e-4) -> FloatArray:
        """Smallest and largest average of each measure, given ranges of the others, (m, 2)."""
        extents = []
        for measure in range(len(low)):
            other_measures = np.arange(len(low)) != measure
            free = np.where(other_measures, low, -np.inf), np.where(other_measures, high, np.inf)
            extents.append(self.ends(*free, tolerance)[measure, :, measure])
        return np.array(extents)

    def _shares(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Ranges relative to the attainable intervals, clipped one length beyond either end."""
        shares = (np.clip((averages - self.low) / self.length, -1.0, 2.0) for averages in (low, high))
        return next(shares), next(shares)

    def _solve(
        self, objective: FloatArray, low: FloatArray, high: FloatArray, tolerance: float, *, slack: bool
    ) -> "_Optimum":
        """Point within ranges furthest in a direction, by column generation; arrays (m,) are shares of intervals.

        The unknowns are the weights (k,) of the points found so far and, with ``slack``, by how much the low and
        the high ends are violated (2m,), which is as little as possible.
        """
        from scipy.optimize import linprog  # loads slowly

        m, gain = len(objective), np.inf
        for _ in range(COLUMNS):
            points, k = self.points, len(self.points)
            cost = np.concatenate((-points @ objective, np.full(2 * m * slack, 1.0)))
            extra = -np.eye(2 * m) if slack else np.zeros((2 * m, 0))
            optimum = linprog(
                cost,
                A_ub=np.hstack((np.vstack((-points.T, points.T)), extra)),
                b_ub=np.concatenate((-low, high)),
                A_eq=np.concatenate((np.ones(k), np.zeros(extra.shape[1])))[None],
                b_eq=[1.0],
                method="highs",
                options={"primal_feasibility_tolerance": PRECISE, "dual_feasibility_tolerance": PRECISE},
            )
            missed = float(optimum.x[k:].sum())
            if slack and missed <= tolerance:
                break
            below, above = optimum.ineqlin.marginals[:m], optimum.ineqlin.marginals[m:]
            # multipliers of the ranges: a new point gains direction @ point + the multiplier of the sum of weights
            direction = objective + above - below
            gain = float(direction @ self._furthest(direction)) + float(optimum.eqlin.marginals[0])
            if gain <= tolerance:
                break
        return _Optimum(np.asarray(optimum.x[:k] @ points), missed, gain)
