"""Measures and the ends of their intervals once more, from the definitions alone.

Nothing of the package's forms, ends or kernels is used. The expected value is taken threshold by threshold,
E[AP] = sum_n q_n / n (1 + sum_{m<n} q_m) / R, and a linear measure as rank weights times gains of grades. The ends
come from filling ranks one after the other, and on small problems from linear programs and all lists.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

import maxent as me

PROGRAM = 200  # depth * levels up to which linear programs are solved
PRECISION = 1e-10  # of linear programs
LISTS = 6  # depth up to which all lists are made


class Parts(NamedTuple):
    """A topic's measure: ``weights`` (depth,) times ``gains`` (levels + 1,), or ``shares`` (levels,) of R AP(t)."""

    weights: np.ndarray
    gains: np.ndarray
    shares: np.ndarray

    @property
    def worth(self) -> np.ndarray:
        """What grade 0..levels is worth at one rank, up to a factor."""
        return self.gains + np.concatenate(([0.0], np.cumsum(self.shares)))


# --- measures ---


def parts(problem: me.Problem) -> Parts:
    """The measure of the problem's topic, from its definition."""
    relevant, depth = np.array(problem.relevant), problem.depth
    levels, n = len(relevant), np.arange(1.0, depth + 1)
    weights, gains, shares = np.zeros(depth), np.zeros(levels + 1), np.zeros(levels)
    measure = problem.measure
    total = relevant[getattr(measure, "rel", 1) - 1 :].sum()
    gains[getattr(measure, "rel", 1) :] = 1.0
    match measure:
        case me.AP(rel=rel):
            gains[:] = 0.0
            shares[rel - 1] = 1 / total if total > 0 else 0.0
        case me.GAP(g=g):
            gains[:] = 0.0
            norm = sum(g[k] * relevant[k:].sum() for k in range(levels))
            shares = np.array(g) / norm if norm > 0 else shares
        case me.P(cutoff=cutoff):
            weights = np.where(n <= cutoff, 1 / cutoff, 0.0)
        case me.Rprec():
            weights = np.where(n <= total, 1 / total, 0.0) if total > 0 else weights
        case me.RBP(p=p):
            weights = (1 - p) * p ** (n - 1)
        case me.DCG() | me.nDCG():
            gains[1:] = _gains(measure, levels)
            weights = _discounts(measure, depth)
            if isinstance(measure, me.nDCG):
                length = max(1, int(np.ceil(relevant.sum())))
                best = filled(np.argsort(-gains[1:], kind="stable") + 1, np.concatenate(([0.0], relevant)), length)
                ideal = _discounts(measure, length) @ best @ gains
                weights = weights / ideal if ideal > 0 else 0 * weights
    return Parts(weights, gains, shares)


def _gains(measure: me.DCG | me.nDCG, levels: int) -> np.ndarray:
    i = np.arange(1.0, levels + 1)
    tables = {"linear": i, "exp2": 2.0**i - 1, "exp": np.exp(i) - 1}
    return tables[measure.gain] if isinstance(measure.gain, str) else np.array(measure.gain)


def _discounts(measure: me.DCG | me.nDCG, depth: int) -> np.ndarray:
    n = np.arange(1.0, depth + 1)
    if measure.discount == "jk":
        weights = np.where(n < measure.b, 1.0, np.log(measure.b) / np.log(np.maximum(n, measure.b)))
    else:
        weights = 1 / np.log2(n + 1) if measure.discount == "log2" else 1 / n
    return np.where(n <= (measure.cutoff or depth), weights, 0.0)


def expected(measure: Parts, p: np.ndarray) -> float:
    """E[M] of p (depth, levels + 1)."""
    n = np.arange(1.0, len(p) + 1)
    value = measure.weights @ p @ measure.gains
    for k, share in enumerate(measure.shares, start=1):
        q = p[:, k:].sum(axis=1)
        value += share * (q / n) @ (1 + np.cumsum(q) - q)
    return float(value)


def slope(measure: Parts, p: np.ndarray) -> np.ndarray:
    """Derivative of E[M] by p_n(i), (depth, levels + 1)."""
    n = np.arange(1.0, len(p) + 1)
    own = np.outer(1 / n, measure.worth - measure.gains)
    return np.outer(measure.weights, measure.gains) + own + bend(measure, p)


def bend(measure: Parts, x: np.ndarray) -> np.ndarray:
    """Second derivative of E[M] times x, (depth, levels + 1)."""
    n = np.arange(1.0, len(x) + 1)
    found = np.zeros(x.shape)
    for k, share in enumerate(measure.shares, start=1):
        q = x[:, k:].sum(axis=1)
        after = np.cumsum((q / n)[::-1])[::-1] - q / n
        found[:, k:] += share * ((np.cumsum(q) - q) / n + after)[:, None]
    return found


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
    worst = filled(np.argsort(measure.worth, kind="stable"), mass, problem.depth)
    return 0.0 if at_most else expected(measure, worst), expected(measure, best)


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
    p = _all_lists(counts, problem.depth, problem.count == "at_most")
    n = np.arange(1.0, problem.depth + 1)
    values = measure.weights @ p @ measure.gains
    for k, share in enumerate(measure.shares, start=1):
        q = p[:, :, k:].sum(axis=2)
        values = values + share * (q / n * np.cumsum(q, axis=1)).sum(axis=1)
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
    if listed and max(abs(listed[0] - low), abs(listed[1] - high)) > 1e-12 * largest:
        return f"all lists: {listed[0]!r} to {listed[1]!r}, sorted ones: {low!r} to {high!r}"
    if problem.depth * problem.levels > PROGRAM:
        return ""
    # counts hold to PRECISION in a linear program, and a document at rank 1 is worth the most
    allowed = 1e-9 * largest + 100 * PRECISION * (measure.weights[0] * measure.gains.max() + measure.shares.sum())
    for sign, end in ((1.0, low), (-1.0, high)):
        beyond = sign * (end - _descended(problem, measure, sign))
        exact = not measure.shares.any()
        if beyond > allowed or (exact and beyond < -allowed):
            return f"linear programs go {beyond:.3g} beyond the end {end!r} of sorted lists"
    return ""


def _descended(problem: me.Problem, measure: Parts, sign: float) -> float:
    """Smallest value (largest for sign -1) that successive linear programs reach; exact for linear measures."""
    shape = problem.depth, problem.levels + 1
    if not measure.shares.any():
        return expected(measure, program(problem, sign * np.outer(measure.weights, measure.gains)))
    p = program(problem, np.random.default_rng(problem.depth).normal(size=shape))
    values = [sign * expected(measure, p)]
    while len(values) < 2 or values[-1] < values[-2] - 1e-12 * abs(values[-2]):
        p = program(problem, sign * slope(measure, p))
        values.append(sign * expected(measure, p))
    return sign * min(values)
