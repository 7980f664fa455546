"""Measures and the ends of their intervals once more, from the definitions alone.

Nothing of the package's forms or kernels is used. A linear measure is rank weights times gains of grades. Relatives
of AP are taken user by user, E[AP] = sum_n q_n / n (1 + sum_{m<n} q_m) / R, and those with gains as one such sum.
The ends come from filling ranks one after the other, and on small problems from linear programs and all lists.
Where sorted lists are not known to be extreme, what the package claims must be attained, and nothing may go beyond.
"""

import functools
from collections.abc import Iterator
from math import fsum, log, log1p
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import maxent as me

PROGRAM = 200  # depth * levels up to which linear programs are solved
PRECISION = 1e-10  # of linear programs
LISTS = 6  # depth up to which all lists are made


class Parts(NamedTuple):
    """A topic's measure: rank weights times gains, and pairs of a pivot and an earlier document, weighted by d.

    ``weights`` (depth,), ``gains`` (levels + 1,), ``d`` (depth,), ``pivots`` and ``others`` (terms, levels + 1): a
    pivot of grade i adds ``d[n] * pivots[:, i] @ others[:, m]`` for itself (m = i) and each earlier document.
    """

    weights: np.ndarray
    gains: np.ndarray
    d: np.ndarray
    pivots: np.ndarray
    others: np.ndarray

    @property
    def pairwise(self) -> bool:
        """Whether there are pairs."""
        return bool(self.d.any() and self.pivots.any() and self.others.any())

    @property
    def own(self) -> np.ndarray:
        """What a pivot of grade 0..levels is worth by itself, up to the weight of its rank."""
        return (self.pivots * self.others).sum(axis=0)

    @property
    def worth(self) -> np.ndarray:
        """What grade 0..levels is worth at one rank, up to a factor."""
        return self.gains + self.own


# --- measures ---

SMALLEST_UNSORTED = (me.xGAP,)  # for these the extreme values may not be those of sorted lists
LARGEST_UNSORTED = (me.gAP, me.wAP, me.Q)


def parts(problem: me.Problem) -> Parts:
    """The measure of the problem's topic, from its definition."""
    depth, levels = problem.depth, problem.levels
    nothing = Parts(np.zeros(depth), np.zeros(levels + 1), np.zeros(depth), *np.zeros((2, 1, levels + 1)))
    if isinstance(problem.measure, me.AP | me.GAP | me.eGAP | me.muAP | me.xGAP):
        pivots = _thresholds(problem)
        others = np.triu(np.ones((levels + 1, levels + 1)))[1:]  # the k-th user accepts grades from k on
        return nothing._replace(d=_counted(problem) / np.arange(1.0, depth + 1), pivots=pivots, others=others)
    if isinstance(problem.measure, me.gAP | me.wAP | me.Q):
        d, pivot, other = _means_of_gains(problem)
        return nothing._replace(d=d * _counted(problem), pivots=pivot[None], others=other[None])
    weights, gains = _linear(problem)
    return nothing._replace(weights=weights, gains=gains)


def _counted(problem: me.Problem) -> np.ndarray:
    """1 for the ranks 1..depth up to the cutoff, 0 beyond it."""
    return (np.arange(problem.depth) < (getattr(problem.measure, "cutoff", None) or problem.depth)).astype(float)


def _thresholds(problem: me.Problem) -> np.ndarray:
    """AP and its graded relatives: weight of a pivot of each grade for each user, (levels, levels + 1)."""
    relevant, measure = np.array(problem.relevant), problem.measure
    base = np.array([relevant[k:].sum() for k in range(len(relevant))])  # R_>=k
    accepted = np.triu(np.ones((len(base), len(base) + 1)), 1)
    match measure:
        case me.AP(rel=rel):
            users = np.eye(len(base))[rel - 1] * _per(base[rel - 1])
        case me.GAP(g=g):
            users = np.array(g) * _per(np.dot(g, base))
        case me.muAP(levels=levels):
            ratings = levels or range(1, len(base) + 1)
            distance, below = np.zeros(len(base)), 0.0
            for k in np.flatnonzero(relevant):
                distance[k], below = ratings[k] - below, ratings[k]
            users = distance * _per(distance.sum()) * np.array([_per(b) for b in base])
        case me.eGAP(g=g):
            users = np.array(g) * np.array([_per(b) for b in base])
        case _:  # xGAP: the k-th user's share g_k / G_i of the regard that a pivot of grade i, drawn first, gets
            g = np.array(measure.g)
            drawn = (g * np.array([_per(b) for b in base])) @ accepted
            regard = g @ accepted
            return g[:, None] * accepted * drawn * np.array([_per(r) for r in regard])
    return users[:, None] * accepted


def _means_of_gains(problem: me.Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """AP with gains: weights of the ranks, of pivots by grade and of others by grade."""
    relevant, depth, measure = np.array(problem.relevant), problem.depth, problem.measure
    n, x = np.arange(1.0, depth + 1), _gains(measure.gain, problem.levels)
    hit = (x > 0).astype(float)
    best = np.cumsum(_ideal(problem, x, depth) @ x)  # cg*
    total = float(hit[1:] @ relevant)
    match measure:
        case me.gAP():
            length = max(1, int(np.ceil(relevant.sum())))
            ideal = _ideal(problem, x, length)
            norm = (ideal @ hit / np.arange(1.0, length + 1)) @ np.cumsum(ideal @ x)
            return 1 / n, hit * _per(norm), x
        case me.wAP():
            return np.array([_per(b) for b in best]), hit * _per(min(total, measure.cutoff or total)), x
    total = min(total, measure.cutoff or total)
    return 1 / (n + measure.beta * best), hit * _per(total), hit * (1 + measure.beta * x)


def _linear(problem: me.Problem) -> tuple[np.ndarray, np.ndarray]:
    """Weights of the ranks (depth,) and gains of the grades 0..levels."""
    relevant, depth, measure = np.array(problem.relevant), problem.depth, problem.measure
    cutoff = getattr(measure, "cutoff", None)
    until = cutoff or depth
    n, beyond = np.arange(1.0, depth + 1), max(depth, until)
    counted = _counted(problem)
    if getattr(measure, "gain", None) is None:
        rel = measure.rel
        hit = (np.arange(problem.levels + 1) >= rel).astype(float)
        total = fsum(relevant[rel - 1 :])  # its last digits count if it is nearly the size of the database
        match measure:
            case me.P():
                return counted / until, hit
            case me.R():
                return counted * _per(total), hit
            case me.Rprec():
                return (n <= total) * _per(total), hit
            case me.RBP(p=p):
                return counted * (1 - p) * p ** (n - 1), hit
            case me.BrokenStick():
                return counted * _stick(depth), hit
        return _normalised(measure, n, total), hit
    x = _gains(measure.gain, problem.levels)
    length = max(1, int(np.ceil(relevant.sum())))  # of the whole ideal list
    match measure:
        case me.CG():
            return counted, x
        case me.RBP(p=p):
            return counted * (1 - p) * p ** (n - 1), x * _per(x.max())
        case me.BrokenStick():
            return counted * _stick(depth), x * _per(x.max())
        case me.gP():
            return counted * _per(until * x.max()), x
        case me.gR():
            return counted * _per(float(x[1:] @ relevant)), x
        case me.SR() | me.mSR():
            own = np.ones(beyond) if isinstance(measure, me.SR) else 1 / np.arange(1.0, beyond + 1)
            return counted * own[:depth] * _per(own[:until] @ _ideal(problem, x, until) @ x), x
        case me.NDCNG():
            most = max([x[i + 1] for i in np.flatnonzero(relevant)], default=0.0)
            x = 2.0 ** np.minimum(x * _per(most), 1.0) - 1
            own, ideal = 1 / np.log2(np.arange(2.0, beyond + length + 2)), _ideal(problem, x, length) @ x
            return counted * own[:depth] * _per(own[:length][: cutoff or length] @ ideal[:cutoff]), x
    own = _discounts(measure, beyond + length)
    match measure:
        case me.DCG():
            return counted * own[:depth], x
        case me.nDCG():
            ideal = (_ideal(problem, x, length) @ x)[:cutoff]
            return counted * own[:depth] * _per(own[: len(ideal)] @ ideal), x
    best = np.cumsum(own[:until] * (_ideal(problem, x, until) @ x))  # mnDCG: of every cutoff
    each = np.array([_per(b) / until for b in best])
    later = [each[k:].sum() for k in range(min(depth, until))]
    return own[:depth] * np.pad(later, (0, depth - len(later))), x


def _normalised(measure: me.nRecall | me.nPrecision, n: np.ndarray, total: float) -> np.ndarray:
    """Kishida eqs. 7-8, weights of ranks n; what is not found counts as if at the mean of the last R ranks."""
    size = measure.size or len(n)
    missing = size - total
    # without order where all are relevant: 1 / missing has fewer than eight digits that are not rounding of R
    if total == 0 or missing <= 1e-8 * size:
        return np.full(len(n), _per(total))
    if isinstance(measure, me.nRecall):
        return (size - (total - 1) / 2 - n) / (total * missing)
    if total <= missing:
        last, first = _logs(missing, total), _logs(0.0, total)
        return (last / total - np.log(n)) / (last - first)
    between = _logs(total, missing) - _logs(0.0, missing)  # the last R ranks and the first R but for those in both
    return ((between + _logs(0.0, total)) / total - np.log(n)) / between


def _logs(x: float, r: float) -> float:
    """log Gamma(x + r + 1) / Gamma(x + 1), logarithms of r ranks after x: Stirling's series, nothing cancels."""
    x, shifted = x + 1, 0.0
    while x < 40:
        shifted += log1p(r / x)
        x += 1
    tail = sum(b * ((x + r) ** -k - x**-k) for k, b in ((1, 1 / 12), (3, -1 / 360), (5, 1 / 1260)))
    return (x - 0.5) * log1p(r / x) + r * log(x + r) - r + tail - shifted


def _per(total: float) -> float:
    return 1 / total if total > 0 else 0.0


def _stick(depth: int) -> np.ndarray:
    """Mean lengths of the pieces of a stick broken at random, the longest first."""
    return np.array([fsum(1 / k for k in range(n, depth + 1)) / depth for n in range(1, depth + 1)])


def _gains(gain: str | tuple[float, ...], levels: int) -> np.ndarray:
    i = np.arange(levels + 1.0)
    tables = {"linear": i, "exp2": 2.0**i - 1, "exp": np.exp(i) - 1}
    return tables[gain] if isinstance(gain, str) else np.array([0.0, *gain])


def _ideal(problem: me.Problem, gains: np.ndarray, length: int) -> np.ndarray:
    """Judged documents by decreasing gain, (length, levels + 1)."""
    return filled(np.argsort(-gains[1:], kind="stable") + 1, np.array([0.0, *problem.relevant]), length)


def _discounts(measure: me.DCG | me.nDCG | me.mnDCG, depth: int) -> np.ndarray:
    n = np.arange(1.0, depth + 1)
    if measure.discount == "jk":
        return np.where(n < measure.b, 1.0, np.log(measure.b) / np.log(np.maximum(n, measure.b)))
    return 1 / np.log2(n + 1) if measure.discount == "log2" else 1 / n


def expected(measure: Parts, p: np.ndarray) -> np.ndarray:
    """E[M] of p (..., depth, levels + 1)."""
    pivots, others = p @ measure.pivots.T, p @ measure.others.T
    before = np.cumsum(others, axis=-2) - others
    return (p @ measure.gains) @ measure.weights + (p @ measure.own + (pivots * before).sum(axis=-1)) @ measure.d


def slope(measure: Parts, p: np.ndarray) -> np.ndarray:
    """Derivative of E[M] by p_n(i), (depth, levels + 1)."""
    return np.outer(measure.weights, measure.gains) + np.outer(measure.d, measure.own) + bend(measure, p)


def bend(measure: Parts, x: np.ndarray) -> np.ndarray:
    """Second derivative of E[M] times x, (depth, levels + 1)."""
    pivots, others = measure.d[:, None] * (x @ measure.pivots.T), x @ measure.others.T
    before, after = np.cumsum(others, axis=0) - others, np.cumsum(pivots[::-1], axis=0)[::-1] - pivots
    return measure.d[:, None] * (before @ measure.pivots) + after @ measure.others


# --- ends of the interval ---


def filled(order: np.ndarray, mass: np.ndarray, depth: int) -> np.ndarray:
    """Ranks filled one after the other with the grades in the given order, (depth, levels + 1)."""
    p, left = np.zeros((depth, len(mass))), list(mass)
    waiting = [int(i) for i in order[::-1]]
    for n in range(depth):
        room = 1.0
        while waiting and room > 0:
            i = waiting[-1]
            taken = min(room, left[i])
            p[n, i] += taken
            room -= taken
            left[i] -= taken
            if left[i] <= 0:
                waiting.pop()
    return p


def ends(problem: me.Problem, measure: Parts) -> tuple[float, float]:
    """Value of the worst and of the best order of the documents; NaN if there are more than ranks."""
    counts, at_most = problem.counts, problem.count == "at_most"
    if not at_most and counts.sum() > problem.depth:
        return np.nan, np.nan
    mass = np.concatenate(([max(problem.depth - counts.sum(), 0.0)], counts))
    best = filled(np.argsort(-measure.worth, kind="stable"), mass, problem.depth)
    if at_most and not measure.pairwise:  # no document where it does harm
        first, last = best @ measure.gains, best[::-1] @ measure.gains
        return float(np.minimum(measure.weights, 0) @ last), float(np.maximum(measure.weights, 0) @ first)
    # from the last rank on: the sum of what comes before hardly any documents would be rounded
    worst = filled(np.argsort(-measure.worth, kind="stable"), mass, problem.depth)[::-1]
    return 0.0 if at_most else float(expected(measure, worst)), float(expected(measure, best))


def claimed_ends(problem: me.Problem, measure: Parts) -> tuple[float, float, str]:
    """As :func:`ends`, but the package's bounds where sorted lists may not be extreme; and what is wrong there."""
    found, wrong = list(ends(problem, measure)), ""
    if np.isnan(found[0]):
        return np.nan, np.nan, ""
    for k, (sign, unsorted) in enumerate(((1.0, SMALLEST_UNSORTED), (-1.0, LARGEST_UNSORTED))):
        if isinstance(problem.measure, unsorted) and measure.pairwise:
            end = problem.ends[k]
            excess = end.p[:, 1:].sum(axis=0) - problem.counts
            excess = np.maximum(excess, 0) if problem.count == "at_most" else np.abs(excess)
            if end.p.min() < 0 or max(np.abs(end.p.sum(axis=1) - 1).max(), excess.max()) > 1e-9 * problem.depth:
                wrong = f"what has the value {end.listed!r} is no distribution"
            if abs(expected(measure, end.p) - end.listed) > 1e-9 * abs(end.listed):
                wrong = f"the sorted list's {end.listed!r} is not its value"
            if sign * (end.value - found[k]) > 1e-9 * max(map(abs, found)):
                wrong = f"a sorted list has {found[k]!r}, beyond the bound {end.value!r}"
            found[k] = end.value
    return found[0], found[1], wrong


@functools.lru_cache(maxsize=1000)
def _all_lists(counts: tuple[int, ...], depth: int, at_most: bool) -> np.ndarray:
    """Every list with these counts as one-hot rows, (lists, depth, levels + 1)."""

    def lists(left: tuple[int, ...], empty: int, length: int) -> Iterator[tuple[int, ...]]:
        if length == 0:
            yield ()
            return
        if empty:
            yield from ((0, *rest) for rest in lists(left, empty - 1, length - 1))
        for i, count in enumerate(left):
            if count:
                fewer = (*left[:i], count - 1, *left[i + 1 :])
                yield from ((i + 1, *rest) for rest in lists(fewer, empty, length - 1))

    found = list(lists(counts, depth if at_most else depth - sum(counts), depth))
    return np.eye(len(counts) + 1)[np.array(found)]


def _enumerated(problem: me.Problem, measure: Parts) -> tuple[float, float] | None:
    """Smallest and largest value of all lists; None if they are too many, or the counts not whole numbers."""
    counts = tuple(int(c) for c in problem.counts)
    many = (problem.levels + 1) ** problem.depth > 3000 and problem.count == "at_most"
    if problem.depth > LISTS or many or (problem.counts != counts).any():
        return None
    values = expected(measure, _all_lists(counts, problem.depth, problem.count == "at_most"))
    return float(values.min()), float(values.max())


def program(
    problem: me.Problem, cost: np.ndarray, fixed: sp.csr_array | None = None, at: np.ndarray | None = None
) -> np.ndarray:
    """Distribution with the problem's counts that has the smallest cost (depth, levels + 1): a linear program.

    The sums ``fixed`` (sums, depth * (levels + 1)) are to be what they are of the distribution ``at``.
    """
    depth, grades = cost.shape
    rows = sp.kron(sp.eye_array(depth), np.ones((1, grades)))
    columns = sp.csr_array(sp.kron(np.ones((1, depth)), sp.eye_array(grades)))[1:]
    equal, to = [rows], [np.ones(depth)]
    if problem.count != "at_most":
        equal, to = [rows, columns], [np.ones(depth), problem.counts]
    if fixed is not None and at is not None:
        equal, to = [*equal, fixed], [*to, fixed @ at.ravel()]
    bounds = {"A_ub": columns, "b_ub": problem.counts} if problem.count == "at_most" else {}
    scale = float(np.abs(cost).max()) or 1.0
    found = linprog(
        cost.ravel() / scale,
        A_eq=sp.vstack(equal),
        b_eq=np.concatenate(to),
        **bounds,
        method="highs",
        options={"primal_feasibility_tolerance": PRECISION, "dual_feasibility_tolerance": PRECISION},
    )
    if found.status != 0:
        raise ArithmeticError(f"linear program: {found.message}")
    return np.asarray(found.x).reshape(cost.shape)


def wrong_ends(problem: me.Problem, measure: Parts, low: float, high: float) -> str:
    """Whether lists or distributions are known that are beyond the ends, or nobody reaches them."""
    largest = max(abs(low), abs(high), 1e-300)
    listed = _enumerated(problem, measure)
    if listed:
        reached = [  # by lists; elsewhere the package has bounds
            not (measure.pairwise and isinstance(problem.measure, unsorted))
            for unsorted in (SMALLEST_UNSORTED, LARGEST_UNSORTED)
        ]
        beyond = low - listed[0], listed[1] - high
        if max(abs(x) if exact else x for x, exact in zip(beyond, reached, strict=True)) > 1e-12 * largest:
            return f"all lists: {listed[0]!r} to {listed[1]!r}, the ends: {low!r} to {high!r}"
    if problem.depth * problem.levels > PROGRAM:
        return ""
    for sign, end in ((1.0, low), (-1.0, high)):
        p = _descended(problem, measure, sign)
        # counts hold to PRECISION in a linear program
        allowed = 1e-9 * largest + 100 * PRECISION * float(np.abs(slope(measure, p)).max())
        beyond = sign * (end - float(expected(measure, p)))
        if beyond > allowed or (not measure.pairwise and beyond < -allowed):
            return f"linear programs go {beyond:.3g} beyond the end {end!r}"
    return ""


def _descended(problem: me.Problem, measure: Parts, sign: float) -> np.ndarray:
    """Where successive linear programs lead to, downwards (upwards for sign -1); exact for linear measures."""
    shape = problem.depth, problem.levels + 1
    if not measure.pairwise:
        return program(problem, sign * np.outer(measure.weights, measure.gains))
    p = program(problem, np.random.default_rng(problem.depth).normal(size=shape))
    while True:
        following = program(problem, sign * slope(measure, p))
        gained = sign * float(expected(measure, p) - expected(measure, following))
        if gained <= 1e-12 * abs(expected(measure, p)):
            return p
        p = following
