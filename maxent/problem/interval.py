"""Intervals of values that probability-at-rank distributions with given counts can attain.

A linear measure of the papers has a_n(i) = u_n x_i, a weight times a gain, so its extreme values are those of
sorted lists (rearrangement inequality). Sorted lists are also extreme for a pairwise form in the following cases.
Let d not rise with the rank, grades be ordered by K(i, i), and a rank without relevant document have grade 0.

- *Smallest, K(i, m) = min(K(i, i), K(m, m))*, a mixture of thresholds (AP, GAP, eGAP, muAP): for each threshold
  E[M] is concave along every exchange between two ranks, and the ascending list is the smallest for all thresholds.
- *Smallest, K(i, m) = y_m for relevant i* (gAP, wAP, Q): for given probabilities q_n of relevance, ascending gains
  give the smallest value, since an earlier gain counts for more ranks. Then E[M] = sum_n d_n [f(Q_n) - f(Q_n-1) +
  q_n f(Q_n-1)] with Q_n = sum_{m<=n} q_m and f(x) the sum of the x lowest gains, a convex function; as a function
  of a single Q_n this is smallest at the least Q_n.
- *Largest, K(i, m) <= K(i, i), with equality for the better grades m, and n d_n not rising* (AP to xGAP): at rank n
  grade i adds at most n d_n K(i, i), which the descending list reaches.
- *Largest, K(i, m) = y_m, n d_n not rising, whole documents* (gAP): now f(x) is the sum of the x highest gains, a
  mixture of min(x, c) over the numbers c of documents down to some gain. For each c, the first c documents add at
  most n d_n at rank n and the others at most d_n min(n - 1, c), as in the descending list.

In other cases (the largest wAP and Q, the largest gAP for fractional counts, the smallest xGAP), an outer bound
takes the place of the end. A value beyond the bound is certainly infeasible; a value between the sorted list and
the bound may or may not be attainable. A document spread over several ranks may be worth more than at one rank: a
single relevant document has wAP = 1 in every list, and more in every other distribution. The bounds are

- *for K(i, m) >= min(K(i, i), K(m, m))*, as for xGAP: the smallest value with min(K(i, i), K(m, m)) in place of K;
- *for any measure*: a document of grade i at rank n adds at most a_n(i) + d_n times what the best n - 1 documents
  before it can give, and every document is placed where this is largest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np

from maxent.errors import ProblemError
from maxent.kernels.sorted_lists import Filler
from maxent.measures.form import FULL, Form
from maxent.problem.bounded_lists import EQUAL, Interchangeable, most_random_list
from maxent.types import BoolArray, FloatArray, IntArray

Location = Literal["below", "low", "inside", "high", "above", "constant"]

AT_END = 1e-12  # a value this close to an end, relative to the length of the interval, is at the end
CONSTANT = 1e-10  # an interval this short, relative to the values, is a point with rounding errors
VALUE_ROUNDING = 100 * float(np.finfo(float).eps)  # relative error of values and ends, which are sums over ranks


@dataclass(frozen=True, eq=False)
class End:
    """End of the attainable interval, or a bound, with the sorted list at this end."""

    value: float  # the end if ``exact``, else a bound that no value is beyond
    listed: float  # value of the sorted list, equal to ``value`` if ``exact``
    exact: bool  # whether the sorted list is known to have the extreme value
    _find: Callable[[], tuple[FloatArray, BoolArray]]

    @cached_property
    def _sorted_list(self) -> tuple[FloatArray, BoolArray]:
        return self._find()

    @property
    def p(self) -> FloatArray:
        """Most random sorted list, a distribution with the value ``listed``, (depth, levels + 1)."""
        return self._sorted_list[0]

    @property
    def reached(self) -> BoolArray:
        """Counts (levels,) that every sorted list has: some of them, if they are upper bounds, else all."""
        return self._sorted_list[1]


def ends(
    form: Form, counts: FloatArray, *, at_most: bool, present: tuple[int, ...] | None = None
) -> tuple[End, End]:
    """Lower and upper end of the attainable interval for counts (levels,), or upper bounds with ``at_most``.

    Both ends are equal if the measure does not distinguish the grades that are ``present``.
    """
    if present and not at_most and len({form.kinds[grade] for grade in present}) == 1:
        p = np.tile(add_nonrelevant(counts, form.depth) / form.depth, (form.depth, 1))
        value = form.expected(p)
        rows = p / p.sum(axis=1, keepdims=True)  # they sum to 1 up to rounding
        point = End(value, value, True, lambda: (rows, np.ones(len(counts), dtype=np.bool_)))
        return point, point
    values = end_values([(form, counts[None])], at_most=at_most)[0][:, 0].tolist()

    def end(above: int) -> End:
        def find() -> tuple[FloatArray, BoolArray]:
            order = _order(sorting(form, even=True))
            masses = _extreme_masses(order, counts[None], form.depth, at_most=at_most)
            if at_most:
                return most_random_list(order.classes[above], masses[above, 0], counts)
            p = order.fill.lists(masses)[above]
            return np.asarray(p / p.sum(axis=1, keepdims=True)), np.ones(len(counts), dtype=np.bool_)

        value, listed = values[above], values[2 + above]
        return End(value, listed, value == listed, find)

    return end(0), end(1)


def locate(value: float, low: float, high: float) -> Location:
    """Location of a value relative to an interval; ``constant`` if the interval is a point."""
    size, length = max(abs(low), abs(high)), high - low
    near = max(AT_END * length, VALUE_ROUNDING * size)
    if low + near < value < high - near and length > CONSTANT * size:
        return "inside"
    far = AT_END * max(size, 1e-300)
    if value < low - far:
        return "below"
    if value > high + far:
        return "above"
    if length <= CONSTANT * size:
        return "constant"
    return "low" if value <= low + near else "high"


def value_ranges(intervals: FloatArray) -> FloatArray:
    """Units (...) of violations of values, from their intervals (..., 2): see ``certificate.Certificate``."""
    lengths = intervals[..., 1] - intervals[..., 0]
    return np.asarray(np.maximum(np.maximum(lengths, np.abs(intervals).max(axis=-1)), 1e-300))


def end_values(forms: Sequence[tuple[Form, FloatArray]], *, at_most: bool) -> list[FloatArray]:
    """Ends, and values of the sorted lists there, (4, k) for each of several forms with the same :func:`sorting`.

    Each form comes with k counts (k, levels), in which the same grades are present. Sorted lists and their sums are
    computed once for equal counts.
    """
    order = _order(sorting(forms[0][0]))
    row_of = dict[tuple[float, ...], int]()  # of distinct counts
    rows_of_forms = []
    for _, counts in forms:
        rows_of_forms.append([row_of.setdefault(tuple(documents), len(row_of)) for documents in counts.tolist()])
    masses = _extreme_masses(order, np.array(list(row_of)), forms[0][0].depth, at_most=at_most)
    sums = order.fill.sums(masses)
    return [
        _ends(form, order, counts, masses.take(rows, axis=1), sums.take(rows, axis=1), at_most=at_most)
        for (form, counts), rows in zip(forms, rows_of_forms, strict=True)
    ]


def _ends(
    form: Form, order: "_Order", counts: FloatArray, masses: FloatArray, sums: FloatArray, *, at_most: bool
) -> FloatArray:
    """Ends, and values of the sorted lists there, (4, k): those of :func:`end_values` for one form.

    ``masses`` (2, k, levels + 1) are the documents of its sorted lists, and ``sums`` (2, k, grades, grades) are
    those of :meth:`Filler.sums`. 1. Values of the sorted lists. They are the ends of linear forms. 2. If nothing is
    proved of a pairwise form, bounds take the place of the ends. 3. Otherwise they do at an end that is not proved.
    """
    # 1.
    listed = _weigh(_table(form), sums)  # (2, k)
    if form.linear:
        listed += form.a[:, 0].sum()
        return np.concatenate((listed, listed))
    if not order.sorting.paired:
        for n in range(len(counts)):
            listed[:, n] = form.expected_values(order.fill.lists(masses[:, n : n + 1]))
    values = np.concatenate((listed, listed))
    # 2.
    exact = _sorted_extremes(form, tuple((masses[1, 0] > 0).tolist()))
    if exact is None:
        negated = Form(a=-form.a, d=-form.d, K=form.K)
        for k, mass in enumerate(add_nonrelevant(counts, form.depth)):
            values[0, k] = min(-_bound(negated, mass, at_most=at_most), listed[0, k])
            values[1, k] = max(_bound(form, mass, at_most=at_most), listed[1, k])
        return values
    # 3.
    if not exact.lowest and masses[0, :, 1:].any():
        diagonal = np.diag(form.K)
        values[0] = np.minimum(_weigh(np.minimum.outer(diagonal, diagonal), sums[0]), listed[0])
    for k, mass in enumerate(masses[1]):
        if not (exact.highest or (exact.highest_whole and _is_whole(form, mass))):
            values[1, k] = max(_bound(form, mass, at_most=at_most), listed[1, k])
    return values


# --- where sorted lists have the extreme values ---


class _Exact(NamedTuple):
    """Ends at which the sorted list is proved to have the extreme value."""

    lowest: bool
    highest: bool
    highest_whole: bool  # the upper end, if numbers of documents are whole


@lru_cache(maxsize=64)
def _sorted_extremes(form: Form, present: tuple[bool, ...]) -> _Exact | None:
    """Ends at which sorted lists are proved to be extreme, for a pairwise form and the grades present.

    None unless a_n(i) = d_n K(i, i), K >= 0, d >= 0 does not rise, and the sorted list has the smallest value or
    K(i, m) >= min(K(i, i), K(m, m)).
    """
    order, grades = _order(sorting(form)), 1 + np.flatnonzero(present[1:])
    K = form.K[np.ix_(grades, grades)]
    diagonal, slack = np.diag(K), EQUAL * np.abs(K).max(initial=0.0)
    # K(i, m) = min(K(i, i), K(m, m))
    over = K - np.minimum.outer(diagonal, diagonal)
    thresholds = bool(np.abs(over).max(initial=0.0) <= slack)
    # K(i, m) = K(m, m), for every grade i with K(i, i) > 0
    of_gains = np.where(diagonal > 0, 1.0, 0.0)[:, None] * diagonal
    gains = bool(np.abs(K - of_gains).max(initial=0.0) <= slack)
    # K(i, m) <= K(i, i), with equality where m is at least as good as i
    as_good = diagonal >= diagonal[:, None] - slack
    above = K - diagonal[:, None]
    saturated = bool(np.where(as_good, np.abs(above), above).max(initial=0.0) <= slack)
    usual = order.sorting.paired and order.falling and (K >= 0).all()
    lowest = thresholds or gains
    if not (usual and (lowest or over.min(initial=0.0) >= -slack)):
        return None
    return _Exact(lowest, order.steep and saturated, order.steep and gains)


def _is_whole(form: Form, mass: FloatArray) -> bool:
    """Whether the numbers of documents down to each positive gain are whole."""
    diagonal = np.diag(form.K)
    down = np.cumsum(mass[np.argsort(-diagonal, kind="stable")])[: int((diagonal > 0).sum())]
    return bool((np.abs(down - down.round()) <= EQUAL * np.maximum(down, 1.0)).all())


# --- bounds elsewhere ---


def _bound(form: Form, mass: FloatArray, *, at_most: bool) -> float:
    """Upper bound of the value for ``mass`` (levels + 1,) documents of each grade, or fewer if ``at_most``.

    Each document of grade i is counted as if it were at the best ranks, behind the earlier documents that raise its
    gain most: sum over the mass_i best ranks of a_n(i) - a_n(0) + max d_n sum_{m<n} K(i, i_m).
    """
    earlier, total = np.arange(form.depth, dtype=np.float64), form.a[:, 0].sum()
    for i in np.flatnonzero(mass[1:] > 0) + 1:
        largest = _largest_sums(form.K[i], mass, earlier)
        smallest = -_largest_sums(-form.K[i], mass, earlier)
        pairs = np.where(form.d > 0, form.d * largest, form.d * smallest)
        gains = np.sort(form.a[:, i] - form.a[:, 0] + pairs)[::-1]
        gains = np.maximum(gains, 0.0) if at_most else gains
        total += np.interp(mass[i], np.arange(form.depth + 1), np.concatenate(([0.0], np.cumsum(gains))))
    return float(total) * (1 + EQUAL) if total > 0 else float(total) * (1 - EQUAL)


def _largest_sums(row: FloatArray, mass: FloatArray, earlier: FloatArray) -> FloatArray:
    """Largest sum of a row of the kernel over n earlier documents, for each n in ``earlier``."""
    best_first = np.argsort(-row, kind="stable")  # grades
    documents = np.concatenate(([0.0], np.cumsum(mass[best_first])))
    sums = np.concatenate(([0.0], np.cumsum(row[best_first] * mass[best_first])))
    return np.interp(earlier, documents, sums)


# --- sorted lists ---


class Sorting(NamedTuple):
    """Properties of a form that determine its sorted lists: forms with equal ``Sorting`` share their lists."""

    weights: bytes  # of the ranks, d or those of a linear form
    classes: tuple[int, ...]  # of the grades 0..levels by increasing gain, 0 for grade 0
    adding: int  # ranks down to the last that adds to the value: others, as those beyond a cutoff, are alike
    linear: bool
    paired: bool  # whether the form is linear, or a_n(i) = d_n K(i, i)


@lru_cache(maxsize=128)
def sorting(form: Form, *, even: bool = False) -> Sorting:
    """Sorting of the lists at the ends of the interval of a form; ``even``: grades of equal gain share their ranks.

    The value does not depend on the order of grades of equal gain. Unless ``even``, a ``paired`` form orders them
    by grade, so that more forms share their lists, which are computed once.
    """
    adding = int(np.flatnonzero((form.d != 0) | form.a.any(axis=1)).max(initial=-1)) + 1
    weights, gains = _weights_and_gains(form)
    paired = form.linear or np.array_equal(form.a, np.outer(form.d, gains))
    if paired and not even:
        classes = np.argsort(
            np.argsort(gains, kind="stable")
        )  # place of each grade by gain: each has its own class
    else:
        _, classes = np.unique(gains, return_inverse=True)
    return Sorting(weights.tobytes(), tuple((classes - classes[0]).tolist()), adding, form.linear, paired)


class _Order(NamedTuple):
    """Sorting of the lists with the smallest and the largest value."""

    sorting: Sorting
    classes: tuple[Interchangeable, Interchangeable]  # for the smallest value and for the largest
    fill: Filler
    by_gain: IntArray  # (levels,): indices of the positive grades by falling gain
    helping: int  # number of ranks with positive and with negative weight
    harming: int
    falling: bool  # whether no weight is negative, or larger than that of the rank before
    steep: bool  # whether n times the weight of rank n does not rise


@lru_cache(maxsize=64)
def _order(sorting: Sorting) -> _Order:
    weights = np.frombuffer(sorting.weights)
    gains = np.array(sorting.classes, float)
    adding = sorting.adding
    depth, slack = len(weights), EQUAL * weights[0]
    falling = (weights >= 0).all() and (np.diff(weights) <= slack).all()
    steep = (np.diff(weights * np.arange(1, depth + 1)) <= slack).all()
    if sorting.linear:
        rank_keys, rank_class, size = np.unique(-weights, return_inverse=True, return_counts=True)
        first = np.concatenate(([0.0], np.cumsum(size)))
        helping, harming = int((weights > 0).sum()), int((weights < 0).sum())
    else:  # ranks stay in order, even those of equal d_n; those beyond a cutoff are interchangeable
        rank_class = np.minimum(np.arange(depth), adding)
        first = np.append(np.arange(adding + 1.0), float(depth))[: rank_class[-1] + 2]
        rank_keys, helping, harming = np.arange(len(first) - 1.0) - adding, adding, 0

    def classes(keys: FloatArray) -> Interchangeable:
        return Interchangeable(rank_keys, rank_class, first, *np.unique(keys, return_inverse=True))

    both = classes(gains), classes(-gains)
    grade_class = np.stack([interchangeable.grade_class for interchangeable in both])
    fill = Filler(adding, not sorting.linear, rank_class, first, grade_class, weights)
    by_gain = np.argsort(-gains[1:], kind="stable")
    return _Order(sorting, both, fill, by_gain, helping, harming, bool(falling), bool(steep))


def _weights_and_gains(form: Form) -> tuple[FloatArray, FloatArray]:
    """Weights of the ranks (depth,) and gains of the grades 0..levels, (levels + 1,)."""
    if not form.linear:
        return form.d, np.diag(form.K)
    differences = form.a - form.a[:, :1]  # a_n(i) - a_n(0) = weight_n gain_i
    # the rank n and the grade i where it is largest; grade i has the gain 1
    n, i = np.unravel_index(np.abs(differences).argmax(), differences.shape)
    weights = differences[:, i]
    gains = differences[n]  # of a single rank, so that equal gains are equal to the last digit
    if differences[n, i] != 0:
        gains = gains / differences[n, i]
    if np.abs(differences - np.outer(weights, gains)).max() > EQUAL * np.abs(differences).max():
        raise ProblemError("the linear part of this measure is not a product of rank weights and grade gains")
    return weights, gains


@lru_cache(maxsize=128)
def _table(form: Form) -> FloatArray:
    """K, or the gains of a linear form in its diagonal."""
    return np.diag(_weights_and_gains(form)[1]) if form.linear else form.K


def _weigh(table: FloatArray, sums: FloatArray) -> FloatArray:
    """Values (..., k) of sorted lists, from their sums (..., k, grades, grades) and the table of a form."""
    products = table * sums
    return np.asarray(products.reshape(*products.shape[:-2], -1).sum(axis=-1))


def _extreme_masses(order: _Order, counts: FloatArray, depth: int, *, at_most: bool) -> FloatArray:
    """Documents of each grade in the lists with the smallest and the largest value, (2, k, levels + 1)."""
    masses = np.array((counts, counts))
    if at_most:
        # documents of highest gain first, as many as there are ranks with weights of the right sign, and no others
        waiting = counts[:, order.by_gain]
        before = np.cumsum(waiting, axis=1) - waiting
        for mass, ranks in zip(masses, (order.harming, order.helping), strict=True):
            mass[:, order.by_gain] = np.clip(ranks - before, 0.0, waiting)
    return add_nonrelevant(masses, depth)


def add_nonrelevant(counts: FloatArray, depth: int) -> FloatArray:
    """Counts of the grades 0..levels that fill the list, (..., levels + 1)."""
    room = depth - counts.sum(axis=-1, keepdims=True, dtype=np.float64)
    room[room <= FULL * depth] = 0.0
    return np.concatenate((room, counts), axis=-1)
