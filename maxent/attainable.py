"""Ends of the interval of values that probability-at-rank distributions with given counts can attain.

A linear measure of the papers is a product a_n(i) = u_n x_i, so its extremes sort gains along weights. For the
mixtures of thresholds (AP, GAP) the extremes sort as well: per threshold the precision (1 + S_n)/n that E[AP]
averages is at most 1, reached by the descending list for all thresholds at once; and E[AP] is concave along every
exchange of mass between two ranks, so its smallest value is at the ascending list.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxent.errors import ProblemError
from maxent.measures.form import FloatArray, Form


@dataclass(frozen=True, eq=False)
class End:
    """One end of the attainable interval: the value and the most random distribution that has it."""

    value: float
    p: FloatArray


def ends(form: Form, counts: FloatArray, *, at_most: bool) -> tuple[End, End]:
    """Smallest and largest attainable value.

    Parameters
    ----------
    form : Form
        Coefficients of the measure for the topic.
    counts : (levels,) array
        Expected number of documents of each grade, or its upper bound; the sum may exceed the depth only
        with ``at_most``.
    at_most : bool
        Whether the counts are upper bounds.

    Returns
    -------
    (End, End)
        Lower and upper end.
    """
    weights, gains = _sort_keys(form)
    none = np.zeros_like(counts)
    # more relevant documents never lower a measure with non-negative coefficients, nor raise a non-positive one
    fewest, most = (none, counts) if at_most else (counts, counts)
    if at_most and np.outer(weights, gains).max() <= 0:
        fewest, most = most, fewest
    low = _extreme(weights, -gains, fewest, counts if at_most else None)
    high = _extreme(weights, gains, most, counts if at_most else None)
    return End(form.expected(low), low), End(form.expected(high), high)


def _sort_keys(form: Form) -> tuple[FloatArray, FloatArray]:
    """Weights of the ranks (depth,) and gains of the grades 0..levels, (levels + 1,)."""
    if not form.linear:
        return form.d, np.diag(form.K)
    own = form.a - form.a[:, :1]
    strongest = own[:, np.abs(own).sum(axis=0).argmax()]
    norm = float(strongest @ strongest)
    gains = strongest @ own / norm if norm > 0 else np.zeros(form.levels + 1)
    if np.abs(own - np.outer(strongest, gains)).max() > 1e-12 * np.abs(own).max():
        raise ProblemError("the linear part of this measure is not a product of rank weights and grade gains")
    return strongest, gains


def _extreme(weights: FloatArray, gains: FloatArray, counts: FloatArray, bounds: FloatArray | None) -> FloatArray:
    """Most random distribution among those that maximise sum_n weights_n gains_i p_n(i), shape (depth, levels + 1).

    Ranks of equal weight and grades of equal gain are interchangeable: the best masses of such blocks are unique
    (sort both), and inside a block the most random distribution is even.
    """
    depth = len(weights)
    rank_keys, rank_class, size = np.unique(-weights, return_inverse=True, return_counts=True)
    grade_keys, grade_class = np.unique(-gains, return_inverse=True)
    mass = np.concatenate(([max(depth - counts.sum(), 0.0)], counts))
    class_mass = np.bincount(grade_class, mass)
    rank_edges = np.concatenate(([0.0], np.cumsum(size)))
    grade_edges = np.minimum(np.concatenate(([0.0], np.cumsum(class_mass))), depth)
    grade_edges[-1] = depth
    upper = np.minimum(rank_edges[1:, None], grade_edges[1:])
    lower = np.maximum(rank_edges[:-1, None], grade_edges[:-1])
    block = np.clip(upper - lower, 0.0, None)
    if bounds is None:
        share = np.divide(mass, class_mass[grade_class], out=np.zeros_like(mass), where=mass > 0)
        table = block[:, grade_class] * share
    else:
        fixed = np.multiply.outer(rank_keys, grade_keys) != 0
        used = np.where(fixed, block, 0.0).sum(axis=0)
        allowed = np.bincount(grade_class[1:], bounds, minlength=len(grade_keys))
        spent = used >= allowed * (1 - 1e-12)
        spent[grade_class[0]] = False
        fixed[:, spent] = True  # such a class has nothing left for ranks without influence
        table = _spread(
            size.astype(np.float64), np.where(fixed, block, 0.0), fixed[:, grade_class], grade_class, bounds
        )
    return np.asarray((table / size[:, None])[rank_class])


def _spread(
    size: FloatArray,
    block: FloatArray,
    fixed: npt.NDArray[np.bool_],
    grade_class: npt.NDArray[np.intp],
    bounds: FloatArray,
) -> FloatArray:
    """Most random masses (rank classes, grades) with given blocks where the value depends on them.

    A block, and what is left of a row for the cells without influence on the value, is shared in proportion to
    one factor z_i <= 1 for each grade, below 1 only where the grade reaches its bound.
    """
    left = np.maximum(size - block.sum(axis=1), 0.0)[:, None]
    z = np.ones(len(bounds) + 1)
    for _ in range(10_000):
        of_class = np.bincount(grade_class, z)[grade_class]
        free = np.where(fixed, 0.0, z)
        table = block[:, grade_class] * (z / np.where(of_class > 0, of_class, 1.0))
        table = table + left * free / np.maximum(free.sum(axis=1, keepdims=True), 1e-300)
        count = table[:, 1:].sum(axis=0)
        change = np.divide(bounds, count, out=np.ones_like(bounds), where=count > 0)
        last, z = z, np.concatenate(([1.0], np.minimum(1.0, z[1:] * change)))
        if np.abs(z - last).max() <= 1e-15:
            break
    return np.asarray(table)
