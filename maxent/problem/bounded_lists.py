"""The most random sorted list where the counts are upper bounds.

Cells (rank, grade) with weight times gain 0 do not influence the value, so the extreme value leaves open what they
hold as long as no bound is exceeded: there the distribution is as random as possible.
"""

from typing import NamedTuple

import numpy as np

from maxent.types import BoolArray, FloatArray, IntArray

EQUAL = 1e-12  # relative rounding error of a kernel, of weights and of counts
NEVER = -600.0  # logarithm of the factor of grades whose bound is 0


class Interchangeable(NamedTuple):
    """Classes of interchangeable ranks and grades, numbered in the order in which grades fill ranks."""

    rank_keys: FloatArray  # (rank classes,): minus the weight of the ranks of each class
    rank_class: IntArray  # (depth,): class of each rank
    first: FloatArray  # (rank classes + 1,): number of ranks in the classes before each, and the depth
    # (grade classes,): gain of the grades of each class, or minus the gain for the largest value
    grade_keys: FloatArray
    grade_class: IntArray  # (levels + 1,): class of each grade


def most_random_list(classes: Interchangeable, mass: FloatArray, bounds: FloatArray) -> FloatArray:
    """Most random sorted list (depth, levels + 1) where the counts are upper bounds.

    The extreme value needs ``mass`` (levels + 1,) documents of each grade; cells without influence on the value may
    hold the rest, up to ``bounds`` (levels,).
    """
    grade_class, rank_edges, size = classes.grade_class, classes.first, np.diff(classes.first)
    grade_edges = np.minimum(np.concatenate(([0.0], np.cumsum(np.bincount(grade_class, mass)))), rank_edges[-1])
    grade_edges[-1] = rank_edges[-1]
    upper = np.minimum(rank_edges[1:, None], grade_edges[1:])
    lower = np.maximum(rank_edges[:-1, None], grade_edges[:-1])
    block = np.clip(upper - lower, 0.0, None)
    fixed = np.multiply.outer(classes.rank_keys, classes.grade_keys) != 0
    used = np.where(fixed, block, 0.0).sum(axis=0)
    allowed = np.bincount(grade_class[1:], bounds, minlength=len(classes.grade_keys))
    spent = used >= allowed * (1 - EQUAL)
    spent[grade_class[0]] = False
    fixed[:, spent] = True  # nothing of such a class is left for cells without influence
    table = _most_random_masses(size, np.where(fixed, block, 0.0), fixed[:, grade_class], grade_class, bounds)
    return np.asarray((table / size[:, None])[classes.rank_class])


def _most_random_masses(
    size: FloatArray,
    block: FloatArray,
    fixed: BoolArray,
    grade_class: IntArray,
    bounds: FloatArray,
) -> FloatArray:
    """Most random masses (rank classes, grades) with given blocks where the value depends on them.

    The grades of a class share its blocks, and grades with free cells share the rest of a row, in proportion to
    factors exp(y_i) <= 1, below 1 only where grade i reaches its bound. These y minimise a convex dual function
    over y <= 0. Iterative scaling gets close to the minimum, and Newton's method on the grades that are not held at
    0 finds it. A step is shortened if the slope at its end is too large; unlike values of the dual function, slopes
    are accurate however few documents there are.
    """
    left = np.maximum(size - block.sum(axis=1), 0.0)[:, None]
    same = (grade_class[:, None] == grade_class).astype(np.float64)
    blocks = block[:, grade_class]

    def shared(y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Share of each grade in its blocks, shares in the free cells, and documents of each positive grade."""
        z = np.exp(np.concatenate(([0.0], y)))
        free = np.where(fixed, 0.0, z)
        among = free / np.maximum(free.sum(axis=1, keepdims=True), 1e-300)
        within = z / (same @ z)
        return within, among, (blocks * within + left * among)[:, 1:].sum(axis=0)

    y = np.where(bounds > 0, 0.0, NEVER)
    for _ in range(100):
        within, among, count = shared(y)
        over = count - bounds
        moving = np.flatnonzero((bounds > 0) & ((y < 0) | (over > 0)))
        if (np.abs(over[moving]) <= 1e-13 * bounds[moving]).all():
            break
        if (count[moving] > 2 * bounds[moving]).any():
            y[moving] = np.minimum(y[moving] - np.log(count[moving] / bounds[moving]), 0.0)
            continue
        hessian = np.diag(count) - (left * among).T[1:] @ among[:, 1:]
        hessian -= (same * (within * (blocks * within).sum(axis=0)[:, None]))[1:, 1:]
        step = np.zeros_like(y)
        step[moving] = _factor_step(hessian[np.ix_(moving, moving)], over[moving], count[moving], y[moving])
        length, last = 1.0, y
        y = np.minimum(y + step, 0.0)
        while length > 1e-6 and (shared(y)[2] - bounds) @ (y - last) > 0.5 * abs(over @ (y - last)):
            length /= 2
            y = np.minimum(last + length * step, 0.0)
        if length <= 1e-6 or np.abs(y - last).max() <= 1e-14:  # rounding allows no better
            break
    within, among, _ = shared(y)
    return np.asarray(blocks * within + left * among)


def _factor_step(hessian: FloatArray, over: FloatArray, count: FloatArray, y: FloatArray) -> FloatArray:
    """The shortest Newton step: multiplying all factors of a class by one number may change nothing.

    If the bounds of these grades together are not reached, their factors rise until one of them is 1.
    """
    root = np.sqrt(count)  # scaling, so that grades with hardly any documents are not neglected
    balanced, wanted = hessian / np.outer(root, root), over / root
    shortest = np.linalg.lstsq(balanced, wanted, rcond=1e-10)[0]
    rise = (balanced @ shortest - wanted) / root
    rise[rise < 1e-10] = 0.0  # rounding
    if rise.any():
        rise *= float((-y[rise > 0] / rise[rise > 0]).min())
    return np.asarray(rise - shortest / root)
