"""The most random sorted list where the counts are upper bounds.

Cells (rank, grade) where weight times gain is 0 do not influence the value. The extreme value leaves their content
open as long as no bound is exceeded, so the distribution there is as random as possible.
"""

from typing import NamedTuple

import numpy as np

from maxent.types import BoolArray, FloatArray, IntArray

EQUAL = 1e-12  # relative rounding error of a kernel, of weights and of counts
NEVER = -600.0  # logarithm of the factor of grades whose bound is 0
SCALINGS, STEPS = 10, 20  # at most
DIFFERENCE = 1e-8


class Interchangeable(NamedTuple):
    """Classes of interchangeable ranks and grades, numbered in the order in which grades fill ranks."""

    rank_keys: FloatArray  # (rank classes,): minus the weight of the ranks of each class
    rank_class: IntArray  # (depth,): class of each rank
    first: FloatArray  # (rank classes + 1,): number of ranks in the classes before each, and the depth
    # (grade classes,): gain of the grades of each class, or minus the gain for the largest value
    grade_keys: FloatArray
    grade_class: IntArray  # (levels + 1,): class of each grade


def most_random_list(
    classes: Interchangeable, mass: FloatArray, bounds: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Most random sorted list (depth, levels + 1) where the counts are upper bounds, and which must be reached.

    The extreme value requires ``mass`` (levels + 1,) documents of each grade; cells without influence on the value
    can hold the rest, up to ``bounds`` (levels,). Every list with this value reaches some of the bounds.

    1. Documents of each class of grades in each class of ranks, which they fill one after the other. 2. Cells that
    the value depends on, and classes of grades whose documents are all there. 3. The most random content of the
    other cells.
    """
    # 1. blocks (rank classes, grade classes): the length that both intervals of places share
    grade_class, rank_edges, size = classes.grade_class, classes.first, np.diff(classes.first)
    documents = np.bincount(grade_class, mass)  # of each class of grades
    grade_edges = np.minimum(np.concatenate(([0.0], np.cumsum(documents))), rank_edges[-1])
    grade_edges[-1] = rank_edges[-1]
    upper = np.minimum(rank_edges[1:, None], grade_edges[1:])
    lower = np.maximum(rank_edges[:-1, None], grade_edges[:-1])
    block = np.clip(upper - lower, 0.0, None)
    # 2.
    fixed = np.multiply.outer(classes.rank_keys, classes.grade_keys) != 0
    used = np.where(fixed, block, 0.0).sum(axis=0)
    most = np.bincount(grade_class[1:], bounds, minlength=len(classes.grade_keys))
    spent = used >= most * (1 - EQUAL)
    spent[grade_class[0]] = False
    fixed[:, spent] = True  # nothing of such a class is left for cells without influence
    # 3.
    table = _most_random_masses(size, np.where(fixed, block, 0.0), fixed[:, grade_class], grade_class, bounds)
    return np.asarray((table / size[:, None])[classes.rank_class]), spent[grade_class[1:]]


def _most_random_masses(
    size: FloatArray,
    block: FloatArray,
    fixed: BoolArray,
    grade_class: IntArray,
    bounds: FloatArray,
) -> FloatArray:
    """Most random masses (rank classes, grades) with given blocks where the value depends on them.

    ``size`` (rank classes,) are the ranks of each class, ``block`` (rank classes, grade classes) is 0 in free
    cells, ``fixed`` (rank classes, grades) says which cells are not free, and ``bounds`` are (levels,).

    The grades of a class share its blocks, and grades with free cells share the rest of a row, in proportion to
    factors exp(y_i) <= 1, below 1 only if grade i reaches its bound: y <= 0, documents <= bounds, and one of the
    two is an equality. Iterative scaling gets close to such y. They are a zero of slack - y - hypot(slack, y), with
    the slack relative to the bounds (Fischer and Burmeister), which Newton's method finds. Newton steps have
    minimum norm, because a common factor for all grades of a class may change nothing.

    1. What the free cells of each row hold together, and the same for all rows with the same free cells. 2. The
    logarithms y (levels,) of the factors. 3. The masses.
    """
    # 1.
    free_mass, bounded = np.maximum(size - block.sum(axis=1), 0.0), bounds > 0
    same_class = (grade_class[:, None] == grade_class).astype(np.float64)
    patterns, pattern = np.unique(fixed, axis=0, return_inverse=True)
    free_masses = np.bincount(pattern, free_mass)[:, None]
    block_masses = block.sum(axis=0)[grade_class]  # of the class of each grade

    def shares(y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Share of each grade in its blocks, (grades,), and in free cells, (patterns, grades), from y."""
        z = np.exp(np.insert(np.where(bounded, np.minimum(y, 0.0), NEVER), 0, 0.0))
        free = np.where(patterns, 0.0, z)
        return z / (same_class @ z), free / np.maximum(free.sum(axis=1, keepdims=True), 1e-300)

    def relative_documents(y: FloatArray) -> FloatArray:
        """Documents of the positive grades, relative to their bounds."""
        in_blocks, in_free_cells = shares(y)
        documents = (block_masses * in_blocks + (free_masses * in_free_cells).sum(axis=0))[1:]
        return np.asarray(np.divide(documents, bounds, out=np.ones_like(documents), where=bounded))

    def residuals(y: FloatArray) -> FloatArray:
        slack = 1 - relative_documents(y)
        return np.asarray(slack - y - np.hypot(slack, y))

    # 2.
    y = np.zeros(len(bounds))
    if (relative_documents(y) > 1.0).any():
        for _ in range(SCALINGS):
            y = np.minimum(y - np.log(np.maximum(relative_documents(y), 1e-300)), 0.0)
        for _ in range(STEPS):
            now = residuals(y)
            slopes = np.array([residuals(y + step) - now for step in DIFFERENCE * np.eye(len(y))]) / DIFFERENCE
            change = np.linalg.lstsq(slopes.T, now, rcond=1e-10)[0]
            y = y - change
            if np.abs(change).max() <= 1e-14:  # rounding allows no better
                break
    # 3.
    in_blocks, in_free_cells = shares(y)
    return np.asarray(block[:, grade_class] * in_blocks + free_mass[:, None] * in_free_cells[pattern])
