"""Sorted lists where the counts are upper bounds: what the value leaves open is as random as possible."""

from typing import NamedTuple

import numpy as np

from maxent.types import BoolArray, FloatArray, IntArray

EQUAL = 1e-12  # relative rounding of a kernel, of weights and of counts
NEVER = -600.0  # logarithm of the factor of grades of which there are no documents


class Interchangeable(NamedTuple):
    """Interchangeable ranks and grades, both numbered in the order in which an extreme fills ranks with grades."""

    rank_keys: FloatArray
    rank_class: IntArray
    first: FloatArray  # number of ranks in the classes before each, and the depth
    grade_keys: FloatArray
    grade_class: IntArray
    idle: FloatArray  # 1 for grades whose ranks, all of them together, need not be looked at


def most_random_list(classes: Interchangeable, mass: FloatArray, bounds: FloatArray) -> FloatArray:
    """Most random sorted list where the counts are upper bounds.

    Parameters
    ----------
    classes : Interchangeable
    mass : (levels + 1,) array
        Documents of each grade that the extreme value needs.
    bounds : (levels,) array
        How many there may be: ranks without influence may take more.

    Returns
    -------
    (depth, levels + 1) array
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
    fixed[:, spent] = True  # such a class has nothing left for ranks without influence
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

    A block, and what is left of a row for the cells without influence on the value, is shared in proportion to one
    factor exp(y_i) <= 1 for each grade, below 1 only where the grade reaches its bound: the minimum of a convex
    dual function over y <= 0. Iterative scaling comes close, Newton's method on the grades that are not held at 0
    finds it, and the slope at a step's end tells whether that is too long: without rounding, however few documents.
    """
    left = np.maximum(size - block.sum(axis=1), 0.0)[:, None]
    same = (grade_class[:, None] == grade_class).astype(np.float64)
    blocks = block[:, grade_class]

    def shared(y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Shares of the blocks' masses (grades,), of the free cells', and the number of documents of each grade."""
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
        if length <= 1e-6 or np.abs(y - last).max() <= 1e-14:  # as good as rounding allows
            break
    within, among, _ = shared(y)
    return np.asarray(blocks * within + left * among)


def _factor_step(hessian: FloatArray, over: FloatArray, count: FloatArray, y: FloatArray) -> FloatArray:
    """Newton's step, the shortest one: all factors of a class together may change nothing.

    They rise until one of them is 1 if all bounds together are not reached.
    """
    root = np.sqrt(count)  # for an equal say of grades with hardly any documents
    balanced, wanted = hessian / np.outer(root, root), over / root
    shortest = np.linalg.lstsq(balanced, wanted, rcond=1e-10)[0]
    rise = (balanced @ shortest - wanted) / root
    rise[rise < 1e-10] = 0.0  # rounding
    if rise.any():
        rise *= float((-y[rise > 0] / rise[rise > 0]).min())
    return np.asarray(rise - shortest / root)
