"""Where sorted lists have the extreme values of a pairwise measure, and how to find the extremes elsewhere.

Let d fall with the rank, grades be ordered by K(i, i), and a rank without document count as relevance 0.

- *Smallest, K(i, m) = min(K(i, i), K(m, m))*, a mixture of thresholds (AP, GAP, eGAP, muAP): per threshold E[M] is
  concave along every exchange between two ranks, which falls towards the ascending list for all thresholds at once.
- *Smallest, K(i, m) = y_m for relevant i* (gAP, wAP, Q): for given probabilities q_n of relevance, ascending gains
  are best, since an earlier gain counts for more ranks. Then E[M] = sum_n d_n [f(Q_n) - f(Q_n-1) + q_n f(Q_n-1)]
  with Q_n = sum_{m<=n} q_m and f(x) the sum of the x lowest gains. In a single Q_n, with b = Q_n-1, t = Q_n+1 - b,
  s = Q_n - b and h(s) = f(b + s) - f(b), that is increasing but for d_n+1 (t - s) h(s), which is smallest at the
  least s: h is convex, so h(s) >= h(t - 1) s / (t - 1), and (t - s) s >= t - 1 for t - 1 <= s <= 1.
- *Largest, K(i, m) <= K(i, i), with equality for the better grades m, and n d_n not rising* (AP to xGAP): at rank n
  grade i adds at most n d_n K(i, i), which the descending list reaches.
- *Largest, K(i, m) = y_m, n d_n not rising* (gAP): now f is the sum of the x highest gains and a mixture of
  min(x, c), c = the number of documents down to some gain. For these the first c documents add at most n d_n and
  the others at most d_n min(n - 1, c) at rank n, as in the descending list if c is whole or not too close below n.

Elsewhere the extremes are computed. With n d_n rising (wAP, Q) a document spread over several ranks may be worth
more than at one: one relevant document has wAP = 1 in every list, and more in every other distribution. Its chain
Q_1, Q_2, ... is found by dynamic programming on steps around the last one, its last digits by Newton's method and
ever finer steps in turn. The smallest xGAP is that of a list whose relevant documents come last, but in no simple
order: dynamic programming over the numbers of documents placed finds the best list where these are whole and have
up to ``STATES`` combinations, else a close one, from which, and from others in parts of documents, exchanges lead
further down. That no distribution is below all lists was seen in every one of thousands of searches, but is not
proved. (Near the end of a long list, where weights hardly fall, a high grade before a low one is cheaper.)
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, product
from typing import NamedTuple

import numpy as np

from maxent.measures.form import FloatArray, Form

STATES = 400_000  # of the dynamic program over documents placed
PARTS = 6  # of a document, at most, where the documents are not whole
TOGETHER = (1.0, 1.25, 1.5)  # documents placed together where they are many, times the fewest possible
EXCHANGES = 1000  # rounds of exchanges between adjacent ranks
VISITS = 200_000  # of ranks in these rounds
ROTATIONS = 100  # of grades between any ranks
COARSE, FINE, FINEST = 0.5, 2.0**-3, 2.0**-21  # steps: to choose a path, and to settle it
TINY = 1e-14  # probabilities that are rounding
EQUAL = 1e-12  # relative rounding of a kernel


class Shape(NamedTuple):
    """What is known of the extremes of a form with certain grades."""

    ascending: bool  # the ascending list has the smallest value
    descending: bool  # the descending list has the largest value
    thresholds: bool  # K(i, m) = min(K(i, i), K(m, m)) and d falls
    steep: bool  # n d_n does not rise
    counted: bool  # else it depends on the numbers of documents, see :func:`descending`


@lru_cache(maxsize=256)
def shape(form: Form, grades: tuple[int, ...]) -> Shape:
    """Properties of a form with a pairwise part and the positive grades that can occur."""
    K, d = form.K[np.ix_(grades, grades)], form.d
    own, slack = np.diag(K), EQUAL * np.abs(K).max(initial=0.0)
    thresholds = bool(np.abs(K - np.minimum.outer(own, own)).max(initial=0.0) <= slack)
    gains = bool(np.abs(K - np.where(own > 0, 1.0, 0.0)[:, None] * own).max(initial=0.0) <= slack)
    reached = np.where(own >= own[:, None] - slack, np.abs(K - own[:, None]), K - own[:, None])
    falling = bool((d >= 0).all() and (np.diff(d) <= EQUAL * d[0]).all())
    steep = falling and bool((np.diff(d * np.arange(1, len(d) + 1)) <= EQUAL * d[0]).all())
    saturated = bool(reached.max(initial=0.0) <= slack)
    return Shape(
        falling and (thresholds or gains), steep and saturated, falling and thresholds, steep, steep and gains
    )


def descending(form: Form, mass: FloatArray) -> bool:
    """Whether the descending list has the largest value, given the number of documents (levels + 1,)."""
    grades = tuple(np.flatnonzero(mass[1:] > 0) + 1)
    known = shape(form, grades)
    if known.descending or not known.counted:
        return known.descending
    d = form.d
    c = _knots(form, mass)[0][1:-1]
    last = np.ceil(c * (1 - EQUAL)).astype(int)
    c, last = c[last < form.depth], last[last < form.depth]
    whole = np.abs(c - last) <= EQUAL * last
    return bool((whole | (d[last - 1] * (last - 1) >= d[last] * c)).all())


def even(form: Form, mass: FloatArray) -> float:
    """Value of the even distribution."""
    row = mass / mass.sum()
    return float(form.d.sum() * (np.diag(form.K) @ row) + (form.d @ np.arange(form.depth)) * (row @ form.K @ row))


def evened(form: Form, mass: FloatArray, bounds: FloatArray) -> FloatArray:
    """The most random numbers of documents of each grade within bounds (levels,) that are worth the same.

    Grades of the same worth are as many as each other, but for those that reach their bounds.
    """
    own, most = np.diag(form.K), np.concatenate(([np.inf], bounds))
    found = np.zeros_like(mass)
    for gain in np.unique(own):
        alike = np.flatnonzero(own == gain)
        left = float(mass[alike].sum())
        for k, i in enumerate(alike[np.argsort(most[alike])]):  # the scarcest first
            found[i] = min(most[i], left / (len(alike) - k))
            left -= found[i]
    return found


def _sorted(form: Form, mass: FloatArray) -> tuple[FloatArray, ...]:
    """Documents of no worth, then the others in ascending and in descending order; (depth, levels + 1) each."""
    own = np.diag(form.K)
    up, down = np.argsort(own, kind="stable"), np.argsort(-own, kind="stable")
    worthless = own[down] == 0
    return tuple(
        _filled(form.depth, order, mass[order])
        for order in (up, np.concatenate((down[worthless], down[~worthless])))
    )


def lowest(form: Form, mass: FloatArray) -> FloatArray:
    """Distribution of the smallest value that is known where the ascending list does not have it.

    Parameters
    ----------
    form : Form
    mass : (levels + 1,) array
        Expected number of documents of each grade.
    """
    from maxent.compiled.paths import exchange  # the compiler is loaded at the first use

    rounds = min(EXCHANGES, VISITS // form.depth + 1)
    tried = []
    for start, upwards in _low_starts(form, mass):
        p = start.copy()
        exchange(form.d, form.K, p, rounds, upwards)
        for _ in range(ROTATIONS):
            if not _rotate(form, p):
                break
            exchange(form.d, form.K, p, rounds, upwards)
        tried.append(p)
    best = min(tried, key=form.expected)
    _, kind = np.unique(np.hstack((form.K, form.K.T)), axis=0, return_inverse=True)
    same = (kind[:, None] == kind).astype(np.float64)  # interchangeable grades
    return np.asarray((best @ same) * (mass / np.maximum(same @ mass, TINY)))


def _low_starts(form: Form, mass: FloatArray) -> Iterator[tuple[FloatArray, bool]]:
    """Distributions (depth, levels + 1) with small values, and whether exchanges are to go up the list first.

    Those of the cheapest orders of documents, and of their parts if not whole; or, where these are too many, of
    several documents together, in different numbers.
    """
    from maxent.compiled.paths import cheapest_order

    used = np.flatnonzero((np.diag(form.K) > 0) & (mass > 0))
    rest = np.flatnonzero(~np.isin(np.arange(len(mass)), used))
    K = np.ascontiguousarray(form.K[np.ix_(used, used)])
    divisions, few = _pieces(mass[used])
    starts = list(_sorted(form, mass)) if few else []
    for pieces in divisions:
        share = mass[used] / pieces
        order = used[cheapest_order(form.d, K, pieces, share, float(mass.sum() - mass[used].sum()))]
        piece = np.where(mass > 0, mass, 0.0)
        piece[used] = share
        filled = np.concatenate((rest, order))
        starts.append(_filled(form.depth, filled, piece[filled]))
    return product(starts, (False, True) if few else (False,))


def _pieces(mass: FloatArray) -> tuple[list["np.ndarray"], bool]:
    """Numbers of pieces (grades,) that documents are placed in; False if several documents make one piece."""

    def many(pieces: "np.ndarray") -> bool:
        return bool(np.prod(pieces + 1.0) > STATES)

    whole = bool((np.abs(mass - mass.round()) <= EQUAL * mass).all())
    parts = [np.ceil(mass * k * (1 - EQUAL)).astype(np.intp) for k in range(1, 2 if whole else PARTS + 1)]
    if not many(parts[0]):
        return [pieces for pieces in parts if not many(pieces)], True
    size = next(k for k in count(2) if not many(-(-parts[0] // k)))
    return [-(-parts[0] // math.ceil(size * more)) for more in TOGETHER], False


def _rotate(form: Form, p: FloatArray) -> bool:
    """Exchange grades in a circle between as many ranks so that the value falls; False if it falls no more."""
    from maxent.compiled.paths import least_changes

    w = form.gradient(p)
    rank, least = least_changes(w, p, TINY)
    slope, circle = _circle(least, -EQUAL * float(np.abs(w).max()))
    if not circle:
        return False
    step = np.zeros_like(p)
    for old, new in zip(circle, circle[1:] + circle[:1], strict=True):
        step[rank[old, new], [old, new]] += (-1.0, 1.0)
    down = step < 0
    most = float((p[down] / -step[down]).min(initial=1.0))
    few = np.flatnonzero(step.any(axis=1))  # ranks that matter to each other
    bend = float((step[few] * Form(form.a[few], form.d[few], form.K).hessian_action(step[few])).sum())
    length = most if bend <= 0 else min(most, -slope / bend)
    p += length * step
    np.maximum(p, 0.0, out=p)
    return length > TINY


def _circle(change: FloatArray, below: float) -> tuple[float, list[int]]:
    """The shortest circle of exchanges i to j, ... whose changes (grades, grades) sum to less than ``below``."""
    walk, origin = change, []
    for _ in range(len(change) - 1):  # a walk of one step more from i to j, and where it comes from
        steps = walk[:, :, None] + change
        origin.append(steps.argmin(axis=1))
        walk = steps.min(axis=1)
        start = int(walk.diagonal().argmin())
        if walk[start, start] < below:
            circle = [start]
            for last in origin[::-1]:
                circle.append(int(last[start, circle[-1]]))
            return float(walk[start, start]), circle[::-1]
    return 0.0, []


def highest(form: Form, mass: FloatArray) -> FloatArray:
    """Distribution of the largest value that is known where the descending list does not have it.

    For K(i, m) = y_m only; the best of what the descending list and spread documents lead to.

    Parameters
    ----------
    form : Form
    mass : (levels + 1,) array
        Expected number of documents of each grade; sums to the depth.
    """
    from maxent.compiled.chain import climb  # the compiler is loaded at the first use
    from maxent.compiled.settle import settle

    chain = form.d, *_knots(form, mass)
    unit = min(1.0, float(chain[1][-1]))
    paths = _starts(*chain)
    values = [climb(*chain, path, COARSE * unit) for path in paths]
    path = paths[int(np.argmax(values))]
    settle(*chain, path, FINE * unit, FINEST * unit)
    return _of_path(form, mass, path)


def _starts(d: FloatArray, knots: FloatArray, heights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Chains of the descending list, and of documents spread evenly, the better ones thinner.

    Under equal weights d the value lacks sum_n f' q_n^2 / 2 of what it would be in a list without end.
    """
    depth, total = len(d), knots[-1]
    n = np.arange(1.0, depth + 1)
    size = np.diff(knots)
    spread = np.concatenate(([0.0], np.cumsum(np.sqrt(size * np.diff(heights)))))
    even = np.maximum(np.interp(n * (spread[-1] / depth), spread, knots), total - (depth - n))
    even[-1] = total
    return np.minimum(n, total), even


def _knots(form: Form, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Documents down to each gain, best first, and the sum of their gains; both start with 0."""
    own = np.diag(form.K)
    gains, place = np.unique(-own[(own > 0) & (mass > 0)], return_inverse=True)
    number = np.bincount(place, mass[(own > 0) & (mass > 0)])
    return np.concatenate(([0.0], np.cumsum(number))), np.concatenate(([0.0], np.cumsum(-gains * number)))


def _of_path(form: Form, mass: FloatArray, path: FloatArray) -> FloatArray:
    """The documents of a chain of cumulated counts in descending order of gain, (depth, levels + 1)."""
    own, knots = np.diag(form.K), _knots(form, mass)[0]
    edges = np.clip(np.concatenate(([0.0], path))[:, None], knots[:-1], knots[1:])
    within = np.maximum(np.diff(edges, axis=0), 0.0)  # documents of each gain at each rank
    place = np.unique(-own[(own > 0) & (mass > 0)], return_inverse=True)[1]
    p = np.zeros((form.depth, len(mass)))
    p[:, (own > 0) & (mass > 0)] = within[:, place] * (mass[(own > 0) & (mass > 0)] / np.diff(knots)[place])
    rest = np.where(own > 0, 0.0, mass)
    room = np.maximum(1 - p.sum(axis=1), 0.0)
    p += np.outer(room, rest / (rest.sum() or 1.0))
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def _filled(depth: int, order: "np.ndarray", mass: FloatArray) -> FloatArray:
    """Ranks filled one after the other with masses of the grades in the given order, (depth, levels + 1)."""
    edges = np.minimum(np.concatenate(([0.0], np.cumsum(mass))), depth)
    edges[-1] = depth
    cuts = np.unique(np.concatenate((edges, np.arange(depth + 1.0))))  # between ranks and between documents
    rank, grade = cuts[:-1].astype(np.intp), order[np.searchsorted(edges, cuts[:-1], side="right") - 1]
    grades = int(order.max()) + 1
    return np.asarray(np.bincount(rank * grades + grade, np.diff(cuts), depth * grades).reshape(depth, grades))
