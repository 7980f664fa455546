"""Ends of the interval of values that probability-at-rank distributions with given counts can attain.

A linear measure of the papers is a product a_n(i) = u_n x_i, so its extremes sort gains along weights. Those of
pairwise measures are sorted lists as well where an argument in ``extremes.py`` says so, and computed where not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxent.errors import ProblemError
from maxent.extremes import descending, even, evened, highest, lowest, shape
from maxent.measures.form import FULL, FloatArray, Form

NOTHING = np.empty((0, 0))
NEVER = -600.0  # logarithm of the factor of grades of which there are no documents


@dataclass(frozen=True, eq=False)
class End:
    """One end of the attainable interval: the value, and how to find the most random distribution that has it.

    Attributes
    ----------
    known : float
        A value that is attained: the end itself, or one further inside where the end takes long to compute.
    """

    known: float
    _find: Callable[[], FloatArray]
    _form: Form | None = None  # where the end is to be computed

    @property
    def exact(self) -> bool:
        """Whether ``known`` is the end."""
        return self._form is None

    @cached_property
    def value(self) -> float:
        """The end; computed at the first use, for few problems have values beyond ``known``."""
        return self.known if self._form is None else self._form.expected(self.p)

    @cached_property
    def p(self) -> FloatArray:
        """(depth, levels + 1) array."""
        return self._find()


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
    order = _order(form)
    fewest, most = _extreme_counts(order, counts, at_most=at_most)
    bounds = counts if at_most else None
    low, high = _end(form, order.up, fewest, bounds), _end(form, order.down, most, bounds)
    return (low, high) if sorted_extremes(form) else _corrected(form, low, high, fewest, most, bounds)


def only(form: Form, counts: FloatArray) -> tuple[End, End]:
    """Both ends where all grades that can occur are alike: the value of every distribution with these counts."""
    mass = np.tile(_with_room(counts, form.depth) / form.depth, (form.depth, 1))
    end = End(form.expected(mass), lambda: mass / mass.sum(axis=1, keepdims=True))  # full but for rounding
    return end, end


def sorted_extremes(form: Form) -> bool:
    """Whether sorted lists have the extreme values, whatever the counts."""
    known = None if form.linear else shape(form, tuple(range(1, form.levels + 1)))
    return known is None or (known.ascending and known.descending)


def _corrected(
    form: Form, low: End, high: End, fewest: FloatArray, most: FloatArray, bounds: FloatArray | None
) -> tuple[End, End]:
    """The ends of a pairwise measure, replaced where sorted lists do not have the extreme values."""
    if not shape(form, tuple(np.flatnonzero(fewest) + 1)).ascending:
        mass = _with_room(fewest, form.depth)
        low = End(low.value, lambda: lowest(form, mass), form)
    full = _with_room(most, form.depth)
    full = full if bounds is None else evened(form, full, bounds)
    if not descending(form, full):
        high = End(max(high.value, even(form, full)), lambda: highest(form, full), form)
    return low, high


def end_values(form: Form, counts: FloatArray, *, at_most: bool) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest attainable values, (k,) each, for counts (k, levels) and :func:`sorted_extremes`."""
    from maxent.compiled.extreme import values  # the compiler is loaded at the first use

    order = _order(form)
    found = np.empty((2, len(counts)))
    extremes = _extreme_counts(order, counts, at_most=at_most)
    for out, classes, extreme in zip(found, (order.up, order.down), extremes, strict=True):
        values(*classes.compiled, _with_room(extreme, form.depth), form.a, form.d, form.K, out)
    return found[0], found[1]


class _Classes(NamedTuple):
    """Interchangeable ranks and grades, both numbered in the order in which an extreme fills ranks with grades."""

    rank_keys: FloatArray
    rank_class: npt.NDArray[np.intp]
    first: FloatArray  # number of ranks in the classes before each, and the depth
    grade_keys: FloatArray
    grade_class: npt.NDArray[np.intp]
    idle: npt.NDArray[np.bool_]  # grades whose ranks, all of them together, need not be looked at

    @property
    def compiled(self) -> tuple[npt.NDArray[Any], ...]:
        """What compiled code needs."""
        return self.rank_class, self.first, self.grade_class, self.idle


class _Order(NamedTuple):
    """Orders of the smallest and the largest value, the positive grades by gain, ranks where documents do what."""

    up: _Classes
    down: _Classes
    by_gain: npt.NDArray[np.intp]
    helping: int
    harming: int


@lru_cache(maxsize=256)
def _order(form: Form) -> _Order:
    weights, gains = _sort_keys(form)
    rank_keys, rank_class, size = np.unique(-weights, return_inverse=True, return_counts=True)
    first = np.concatenate(([0.0], np.cumsum(size)))
    adding = form.a.any(axis=0) | form.K.any(axis=0) | form.K.any(axis=1)
    idle = np.logical_and(~adding, (np.diff(rank_class) >= 0).all())
    up, down = (
        _Classes(rank_keys, rank_class, first, *np.unique(keys, return_inverse=True), idle)
        for keys in (gains, -gains)
    )
    return _Order(
        up, down, np.argsort(-gains[1:], kind="stable"), int((weights > 0).sum()), int((weights < 0).sum())
    )


def _extreme_counts(order: _Order, counts: FloatArray, *, at_most: bool) -> tuple[FloatArray, FloatArray]:
    """Counts of the smallest and of the largest value, (..., levels)."""
    if not at_most:
        return counts, counts
    # the best documents go where they help or harm, and no others are in the list
    waiting = counts[..., order.by_gain]
    before = np.cumsum(waiting, axis=-1) - waiting
    fewest, most = np.empty((2, *counts.shape))
    for out, ranks in ((fewest, order.harming), (most, order.helping)):
        out[..., order.by_gain] = np.clip(ranks - before, 0.0, waiting)
    return fewest, most


def _with_room(counts: FloatArray, depth: int) -> FloatArray:
    """Counts of the grades 0..levels that fill the list, (..., levels + 1)."""
    room = depth - counts.sum(axis=-1, keepdims=True)
    return np.concatenate((np.where(room > FULL * depth, room, 0.0), counts), axis=-1)


def _end(form: Form, classes: _Classes, counts: FloatArray, bounds: FloatArray | None) -> End:
    """The distribution that puts the best grades at the best ranks, and its value.

    It maximises sum_n weights_n gains_i p_n(i). Ranks of equal weight and grades of equal gain are interchangeable:
    the best masses of such blocks are unique (sort both), and inside a block the most random distribution is even.
    """
    from maxent.compiled.extreme import fill  # the compiler is loaded at the first use

    mass = _with_room(counts, form.depth)
    given = *classes.compiled, mass, form.a, form.d, form.K

    def find() -> FloatArray:
        if bounds is not None:
            return _bounded(classes, mass, bounds)
        p = np.empty((form.depth, form.levels + 1))
        fill(*given, p)
        return np.asarray(p / p.sum(axis=1, keepdims=True))  # counts fill the list but for rounding

    return End(float(fill(*given, NOTHING)), find)


def _sort_keys(form: Form) -> tuple[FloatArray, FloatArray]:
    """Weights of the ranks (depth,) and gains of the grades 0..levels, (levels + 1,)."""
    if not form.linear:
        return np.arange(form.depth, 0.0, -1.0), np.diag(form.K)  # ranks of equal weight still come in order
    own = form.a - form.a[:, :1]
    n, i = np.unravel_index(np.abs(own).argmax(), own.shape)
    # gains from a single rank: grades that are alike must come out equal to the last digit
    gains, strongest = (own[n] / own[n, i], own[:, i]) if own[n, i] != 0 else (own[n], own[:, i])
    if np.abs(own - np.outer(strongest, gains)).max() > 1e-12 * np.abs(own).max():
        raise ProblemError("the linear part of this measure is not a product of rank weights and grade gains")
    return strongest, gains


def _bounded(classes: _Classes, mass: FloatArray, bounds: FloatArray) -> FloatArray:
    """Most random extreme where the counts are upper bounds: ranks without influence may take more documents."""
    grade_class, rank_edges, size = classes.grade_class, classes.first, np.diff(classes.first)
    grade_edges = np.minimum(np.concatenate(([0.0], np.cumsum(np.bincount(grade_class, mass)))), rank_edges[-1])
    grade_edges[-1] = rank_edges[-1]
    upper = np.minimum(rank_edges[1:, None], grade_edges[1:])
    lower = np.maximum(rank_edges[:-1, None], grade_edges[:-1])
    block = np.clip(upper - lower, 0.0, None)
    fixed = np.multiply.outer(classes.rank_keys, classes.grade_keys) != 0
    used = np.where(fixed, block, 0.0).sum(axis=0)
    allowed = np.bincount(grade_class[1:], bounds, minlength=len(classes.grade_keys))
    spent = used >= allowed * (1 - 1e-12)
    spent[grade_class[0]] = False
    fixed[:, spent] = True  # such a class has nothing left for ranks without influence
    table = _spread(size, np.where(fixed, block, 0.0), fixed[:, grade_class], grade_class, bounds)
    return np.asarray((table / size[:, None])[classes.rank_class])


def _spread(
    size: FloatArray,
    block: FloatArray,
    fixed: npt.NDArray[np.bool_],
    grade_class: npt.NDArray[np.intp],
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
