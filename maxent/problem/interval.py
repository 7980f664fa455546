"""The interval of values that probability-at-rank distributions with given counts can attain.

A linear measure of the papers has a_n(i) = u_n x_i, a weight times a gain, so its extreme values are those of
sorted lists (rearrangement inequality). Sorted lists are also extreme for a pairwise form in the following cases.
Let d not rise with the rank, grades be ordered by K(i, i), and a rank without relevant document have grade 0.

- *Smallest, K(i, m) = min(K(i, i), K(m, m))*, a mixture of thresholds (AP, GAP, eGAP, muAP): for each threshold
  E[M] is concave along every exchange between two ranks, and the ascending list is smallest for all thresholds.
- *Smallest, K(i, m) = y_m for relevant i* (gAP, wAP, Q): for given probabilities q_n of relevance, ascending gains
  give the smallest value, since an earlier gain counts for more ranks. Then E[M] = sum_n d_n [f(Q_n) - f(Q_n-1) +
  q_n f(Q_n-1)] with Q_n = sum_{m<=n} q_m and f(x) the sum of the x lowest gains, a convex function; as a function
  of a single Q_n this is smallest at the least Q_n.
- *Largest, K(i, m) <= K(i, i), with equality for the better grades m, and n d_n not rising* (AP to xGAP): at rank n
  grade i adds at most n d_n K(i, i), which the descending list reaches.
- *Largest, K(i, m) = y_m, n d_n not rising, whole documents* (gAP): now f(x) is the sum of the x highest gains, a
  mixture of min(x, c) over the numbers c of documents down to some gain. For each c, the first c documents add at
  most n d_n at rank n and the others at most d_n min(n - 1, c), as in the descending list.

Elsewhere (the largest wAP and Q, the largest gAP for fractional counts, the smallest xGAP) an outer bound takes the
place of the end. A value beyond it is certainly infeasible; one between the sorted list and the bound may or may
not be attainable. A document spread over several ranks may be worth more than at one: a single relevant document
has wAP = 1 in every list, and more in every other distribution. The bounds are

- *for K(i, m) >= min(K(i, i), K(m, m))*, as for xGAP: the smallest value with min(K(i, i), K(m, m)) in place of K;
- *for any measure*: a document of grade i at rank n adds at most a_n(i) + d_n times what the best n - 1 documents
  before it can give, and every document is placed where this is largest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from maxent.errors import ProblemError
from maxent.kernels.sorted_lists import Filler
from maxent.measures.form import FULL, Form
from maxent.problem.bounded_lists import EQUAL, Interchangeable, most_random_list
from maxent.types import FloatArray, IntArray

Location = Literal["below", "low", "inside", "high", "above", "constant"]
LOCATIONS: tuple[Location, ...] = get_args(Location)

AT_END = 1e-12  # a value this close to an end, relative to the length of the interval, is at the end
CONSTANT = 1e-10  # an interval this short, relative to the values, is a point with rounding errors
VALUE_ROUNDING = 100 * float(np.finfo(float).eps)  # relative error of values and ends, which are sums over ranks


@dataclass(frozen=True, eq=False)
class End:
    """One end of the attainable interval."""

    value: float  # the end if ``exact``, else a bound that no value is beyond
    listed: float  # value of the sorted list, equal to ``value`` if ``exact``
    exact: bool  # whether the sorted list is known to have the extreme value
    _find: Callable[[], FloatArray]

    @cached_property
    def p(self) -> FloatArray:
        """Most random sorted list, a distribution with the value ``listed``, (depth, levels + 1)."""
        return self._find()


def ends(
    form: Form, counts: FloatArray, *, at_most: bool, present: tuple[int, ...] | None = None
) -> tuple[End, End]:
    """Lower and upper end of the attainable interval for counts (levels,), or upper bounds with ``at_most``.

    They are one value where the measure does not tell apart the grades that are ``present``.
    """
    if present and not at_most and len({form.kinds[grade] for grade in present}) == 1:
        p = np.tile(with_nonrelevant(counts, form.depth) / form.depth, (form.depth, 1))
        value = form.expected(p)
        point = End(value, value, True, lambda: p / p.sum(axis=1, keepdims=True))  # rows sum to 1 up to rounding
        return point, point
    order, values = _order(form), end_values(form, counts[None], at_most=at_most)[:, 0].tolist()
    masses = _extreme_masses(order, counts[None], form.depth, at_most=at_most)

    def end(above: int) -> End:
        def find() -> FloatArray:
            if at_most:
                return most_random_list(order.classes[above], masses[above, 0], counts)
            p = np.empty((2, form.depth, form.levels + 1))
            order.fill(masses, p)
            return np.asarray(p[above] / p[above].sum(axis=1, keepdims=True))

        value, listed = values[above], values[2 + above]
        return End(value, listed, value == listed, find)

    return end(0), end(1)


def locate(value: float, low: float, high: float) -> Location:
    """Location of a value relative to an interval; ``constant`` where the interval is a point."""
    return LOCATIONS[int(locations(value, low, high))]


def locations(values: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """What :func:`locate` says of each of many values, as indices in ``LOCATIONS``."""
    value, least, most = map(np.asarray, (values, low, high))
    size, length = np.maximum(np.abs(least), np.abs(most)), most - least
    far, near = AT_END * np.maximum(size, 1e-300), np.maximum(AT_END * length, VALUE_ROUNDING * size)
    found = np.add(value >= least - far, value > least + near, dtype=np.int64)
    found = found + (value >= most - near) + (value > most + far)
    return np.where((length <= CONSTANT * size) & (found > 0) & (found < 4), 5, found)


def end_values(form: Form, counts: FloatArray, *, at_most: bool) -> FloatArray:
    """Ends, and values of the sorted lists there, (4, k), for counts (k, levels) of the same grades."""
    order = _order(form)
    masses = _extreme_masses(order, counts, form.depth, at_most=at_most)
    listed = order.fill(masses)
    found = np.concatenate((listed, listed))
    if form.linear:
        return found
    exact = _sorted_extremes(form, tuple(np.flatnonzero(masses[1][0, 1:]) + 1))
    if exact is None:
        negated = Form(a=-form.a, d=-form.d, K=form.K)
        for k, mass in enumerate(with_nonrelevant(counts, form.depth)):
            found[0, k] = min(-_bound(negated, mass, at_most=at_most), listed[0, k])
            found[1, k] = max(_bound(form, mass, at_most=at_most), listed[1, k])
        return found
    if not exact.lowest and masses[0][:, 1:].any():
        own = np.diag(form.K)
        fill = _filler(form, order.classes, np.minimum.outer(own, own), order.adding)
        found[0] = np.minimum(fill(masses)[0], listed[0])
    for k, mass in enumerate(masses[1]):
        if not (exact.highest or (exact.highest_whole and _whole(form, mass))):
            found[1, k] = max(_bound(form, mass, at_most=at_most), listed[1, k])
    return found


# --- where sorted lists have the extreme values ---


class _Exact(NamedTuple):
    lowest: bool
    highest: bool
    highest_whole: bool  # if documents are whole


@lru_cache(maxsize=64)
def _sorted_extremes(form: Form, grades: tuple[int, ...]) -> _Exact | None:
    """At which ends sorted lists are known to be extreme, for a pairwise form and the positive grades present.

    None unless a_n(i) = d_n K(i, i), K >= 0, d >= 0 does not rise, and the sorted list has the smallest value or
    K(i, m) >= min(K(i, i), K(m, m)).
    """
    K, d = form.K[np.ix_(grades, grades)], form.d
    own, slack = np.diag(K), EQUAL * np.abs(K).max(initial=0.0)
    over = K - np.minimum.outer(own, own)
    thresholds = bool(np.abs(over).max(initial=0.0) <= slack)
    gains = bool(np.abs(K - np.where(own > 0, 1.0, 0.0)[:, None] * own).max(initial=0.0) <= slack)
    reached = np.where(own >= own[:, None] - slack, np.abs(K - own[:, None]), K - own[:, None])
    saturated = bool(reached.max(initial=0.0) <= slack)
    apart = np.abs(form.a[:, list(grades)] - np.outer(d, own)).max(initial=0.0)
    usual = not form.a[:, 0].any() and apart <= slack * np.abs(d).max() and (K >= 0).all()
    falling = (d >= 0).all() and (np.diff(d) <= EQUAL * d[0]).all()
    lowest = thresholds or gains
    if not (usual and falling and (lowest or over.min(initial=0.0) >= -slack)):
        return None
    steep = bool((np.diff(d * np.arange(1, len(d) + 1)) <= EQUAL * d[0]).all())
    return _Exact(lowest, steep and saturated, steep and gains)


def _whole(form: Form, mass: FloatArray) -> bool:
    """Whether the numbers of documents down to each positive gain are whole."""
    own = np.diag(form.K)
    down = np.cumsum(mass[np.argsort(-own, kind="stable")])[: int((own > 0).sum())]
    return bool((np.abs(down - down.round()) <= EQUAL * np.maximum(down, 1.0)).all())


# --- bounds elsewhere ---


def _bound(form: Form, mass: FloatArray, *, at_most: bool) -> float:
    """Upper bound of the value for these numbers of documents (levels + 1,), or for fewer if ``at_most``."""
    before, total = np.arange(form.depth, dtype=np.float64), form.a[:, 0].sum()
    for i in np.flatnonzero(mass[1:] > 0) + 1:
        most = [_given(sign * form.K[i], mass, before) for sign in (1.0, -1.0)]
        worth = np.sort(form.a[:, i] - form.a[:, 0] + np.where(form.d > 0, form.d * most[0], -form.d * most[1]))[
            ::-1
        ]
        worth = np.maximum(worth, 0.0) if at_most else worth
        total += np.interp(mass[i], np.arange(form.depth + 1), np.concatenate(([0.0], np.cumsum(worth))))
    return float(total) * (1 + EQUAL) if total > 0 else float(total) * (1 - EQUAL)


def _given(row: FloatArray, mass: FloatArray, before: FloatArray) -> FloatArray:
    """Largest sum of a row of the kernel over ``before`` documents, for each number of them."""
    best = np.argsort(-row, kind="stable")
    number = np.concatenate(([0.0], np.cumsum(mass[best])))
    return np.interp(before, number, np.concatenate(([0.0], np.cumsum(row[best] * mass[best]))))


# --- sorted lists ---


class _Order(NamedTuple):
    """How the lists with the smallest and the largest value are sorted."""

    classes: tuple[Interchangeable, Interchangeable]  # for the smallest value and for the largest
    fill: Filler
    adding: int  # ranks down to the last that adds to the value: others, as those beyond a cutoff, are alike
    by_gain: IntArray  # (levels,): indices of the positive grades by falling gain
    helping: int  # number of ranks with positive and with negative weight
    harming: int


@lru_cache(maxsize=64)
def _order(form: Form) -> _Order:
    adding = int(np.flatnonzero((form.d != 0) | form.a.any(axis=1)).max(initial=-1)) + 1
    weights, gains = _sort_keys(form, adding)
    if form.linear:
        rank_keys, rank_class, size = np.unique(-weights, return_inverse=True, return_counts=True)
        first = np.concatenate(([0.0], np.cumsum(size)))
    else:  # in order already
        rank_class = np.minimum(np.arange(form.depth), adding)
        first = np.append(np.arange(adding + 1.0), float(form.depth))[: rank_class[-1] + 2]
        rank_keys = -weights[: len(first) - 1]

    def classes(keys: FloatArray) -> Interchangeable:
        return Interchangeable(rank_keys, rank_class, first, *np.unique(keys, return_inverse=True))

    both = classes(gains), classes(-gains)
    by_gain = np.argsort(-gains[1:], kind="stable")
    fill = _filler(form, both, form.K, adding)
    return _Order(both, fill, adding, by_gain, int((weights > 0).sum()), int((weights < 0).sum()))


def _filler(form: Form, classes: tuple[Interchangeable, Interchangeable], K: FloatArray, adding: int) -> Filler:
    """Lists at both ends; runs of ranks are skipped that hold a grade which adds nothing, if ranks are in order."""
    own, counts = classes[0], form.a.any(axis=0) | form.K.any(axis=0) | form.K.any(axis=1)
    idle = np.logical_and(~counts, (np.diff(own.rank_class) >= 0).all()).astype(np.float64)
    grade_class = np.stack([each.grade_class for each in classes])
    return Filler(adding, own.rank_class, own.first, grade_class, idle, form.a, form.d, K)


def _sort_keys(form: Form, adding: int) -> tuple[FloatArray, FloatArray]:
    """Weights of the ranks (depth,) and gains of the grades 0..levels, (levels + 1,)."""
    if not form.linear:
        # ranks stay in order, even those of equal d_n; those beyond a cutoff are interchangeable
        return np.maximum(adding - np.arange(form.depth, dtype=np.float64), 0.0), np.diag(form.K)
    own = form.a - form.a[:, :1]
    n, i = np.unravel_index(np.abs(own).argmax(), own.shape)
    # gains are taken from a single rank, so that equal gains are equal to the last digit
    gains, strongest = (own[n] / own[n, i], own[:, i]) if own[n, i] != 0 else (own[n], own[:, i])
    if np.abs(own - np.outer(strongest, gains)).max() > EQUAL * np.abs(own).max():
        raise ProblemError("the linear part of this measure is not a product of rank weights and grade gains")
    return strongest, gains


def _extreme_masses(order: _Order, counts: FloatArray, depth: int, *, at_most: bool) -> FloatArray:
    """Documents of each grade in the lists with the smallest and the largest value, (2, k, levels + 1)."""
    found = np.array((counts, counts))
    if at_most:
        # documents of highest gain first, as many as there are ranks with weights of the right sign, and no others
        waiting = counts[:, order.by_gain]
        before = np.cumsum(waiting, axis=1) - waiting
        for own, ranks in zip(found, (order.harming, order.helping), strict=True):
            own[:, order.by_gain] = np.clip(ranks - before, 0.0, waiting)
    return with_nonrelevant(found, depth)


def with_nonrelevant(counts: FloatArray, depth: int) -> FloatArray:
    """Counts of the grades 0..levels that fill the list, (..., levels + 1)."""
    room = depth - counts.sum(axis=-1, keepdims=True)
    return np.concatenate((np.where(room > FULL * depth, room, 0.0), counts), axis=-1)
