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
        """Find the point (m,) furthest in a direction (m,), in shares of the intervals; add it to the points."""
        gains = in_threads(lambda lists: Recursion(lists, direction / self.length).best(), self.topics)
        constants = np.mean([lists.constants for lists in self.topics], axis=0)
        averages = np.mean(gains, axis=0) + constants
        point = (averages - self.low) / self.length
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
        least, most = self._shares(low, high)
        ends = np.empty((m, 2, m))
        for j, direction in enumerate(np.eye(m)):
            for above, sign in enumerate((-1.0, 1.0)):
                optimum = self._solve(sign * direction, least - room, most + room, tolerance, slack=False)
                ends[j, above] = optimum.point
        return np.asarray(self.low + self.length * ends)

    def extents(self, low: FloatArray, high: FloatArray, tolerance: float = 1e-4) -> FloatArray:
        """Smallest and largest average of each measure, given ranges of the others, (m, 2)."""
        extents = []
        for measure in range(len(low)):
            is_other = np.arange(len(low)) != measure
            lows, highs = np.where(is_other, low, -np.inf), np.where(is_other, high, np.inf)
            extents.append(self.ends(lows, highs, tolerance)[measure, :, measure])
        return np.array(extents)

    def _shares(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Ranges relative to the attainable intervals, clipped one length beyond either end."""
        low_shares, high_shares = np.clip((np.array((low, high)) - self.low) / self.length, -1.0, 2.0)
        return low_shares, high_shares

    def _solve(
        self, objective: FloatArray, low: FloatArray, high: FloatArray, tolerance: float, *, slack: bool
    ) -> "_Optimum":
        """Point within ranges furthest in a direction, by column generation; arrays (m,) are shares of intervals.

        The unknowns are the weights (k,) of the points found so far and, with ``slack``, by how much the low and
        the high ends are violated (2m,), which is as little as possible:

            maximise objective . (weights @ points) - sum(violations), where sum(weights) = 1 and
            low - violations <= weights @ points <= high + violations

        1. The linear program on the points so far. 2. Its multipliers are a direction: the point furthest in it is
        the only one that can raise the maximum, by ``gain`` at most.
        """
        from scipy.optimize import linprog  # loads slowly

        m, gain = len(objective), np.inf
        for _ in range(COLUMNS):
            # 1.
            points, k = self.points, len(self.points)  # (k, m)
            violations = -np.eye(2 * m) if slack else np.zeros((2 * m, 0))  # what they take from the two sides
            number = violations.shape[1]
            optimum = linprog(
                np.concatenate((-points @ objective, np.ones(number))),
                A_ub=np.hstack((np.vstack((-points.T, points.T)), violations)),
                b_ub=np.concatenate((-low, high)),
                A_eq=np.concatenate((np.ones(k), np.zeros(number)))[None],
                b_eq=[1.0],
                method="highs",
                options={"primal_feasibility_tolerance": PRECISE, "dual_feasibility_tolerance": PRECISE},
            )
            missed = float(optimum.x[k:].sum())
            if slack and missed <= tolerance:
                break
            # 2. a new point gains direction @ point + the multiplier of the sum of weights
            of_low, of_high = optimum.ineqlin.marginals[:m], optimum.ineqlin.marginals[m:]
            direction = objective + of_high - of_low
            gain = float(direction @ self._furthest(direction)) + float(optimum.eqlin.marginals[0])
            if gain <= tolerance:
                break
        return _Optimum(np.asarray(optimum.x[:k] @ points), missed, gain)
