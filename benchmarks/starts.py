"""Many starts for one problem: is there a better local maximum than the solver's?

Near the lower end of the interval of a mixture of thresholds the multiplier lambda is so negative that a rank holds
itself at a low or a high probability, and profiles jump between two neighbouring ranks. Each place of the jump can
be a local maximum of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

import maxent as me
from maxent.compiled import Workspace
from maxent.measures.form import FloatArray
from maxent.solvers import ascent
from maxent.solvers.interior import Candidate, Interior, expand, fit_multipliers
from maxent.solvers.newton import load

Start = tuple[FloatArray, FloatArray]  # logits (depth, c), multipliers (c + 1,)
MOST = 150  # iterations from one start
BETTER = 1e-9  # nats that a move of a jump must gain


@dataclass(frozen=True, eq=False)
class Point:
    """A strict local maximum: name of its start, entropy, p (depth, c + 1), logits and multipliers."""

    start: str
    entropy: float
    p: FloatArray
    theta: FloatArray
    multipliers: FloatArray


def ascend(inner: Interior, name: str, start: Start) -> Point | None:
    """Newton from a start; None unless it ends in a strict local maximum."""
    work = Workspace(inner.problem.depth, len(inner.present) - 1)
    load(work, inner)
    found, _ = ascent.ascend(work, inner, *start, most=MOST)
    return None if found is None else Point(name, found.entropy, found.p, found.theta, found.multipliers)


def certified(problem: me.Problem, inner: Interior, point: Point) -> bool:
    """Whether the problem's own certificate accepts the point (a huge lambda can hide a residual)."""
    p, multipliers = expand(inner, Candidate(point.p, point.multipliers, 0))
    return me.Solution(problem, p, "optimal", multipliers, "starts").certificate.accepted


def start_of(inner: Interior, p: FloatArray) -> Start:
    """Logits of a distribution and the multipliers that explain them best."""
    p = np.clip(p, 1e-12, 1.0)
    p = p / p.sum(axis=1, keepdims=True)
    return np.log(p[:, 1:] / p[:, :1]), fit_multipliers(inner, p)


def mixed(inner: Interior, p: FloatArray, other: FloatArray) -> FloatArray | None:
    """Mixture of two distributions that has the value; None where the values of both are on one side."""

    def excess(share: float) -> float:
        return inner.form.expected(((1 - share) * p + share * other)[:, 1:]) - inner.value

    if excess(0.0) * excess(1.0) > 0:
        return None
    share = float(brentq(excess, 0.0, 1.0, xtol=1e-300))
    return (1 - share) * p + share * other


def frozen(inner: Interior, p: FloatArray) -> Start | None:
    """Distribution softmax(mu + lambda w) with the derivatives w = w(p) held fixed, at the counts and the value.

    Exact to first order where p is an end of the interval and the value close to it. From lambda = 0, |lambda|
    doubles until the value is passed, mu follows by Newton's method on the convex dual.
    """
    w = inner.form.gradient(p[:, 1:])
    w = w - w.mean(axis=0)
    even = inner.even_with_reference
    above = inner.value > inner.form.expected(np.tile(even[1:], (len(w), 1)))
    lam, mu, slope = 0.0, np.log(even[1:] / even[0]), np.zeros(len(even) - 1)
    following = (1.0 if above else -1.0) / max(float(np.ptp(w)), 1e-300)

    def excess(at: float) -> float:
        theta = _with_counts(inner.counts, at * w, mu + slope * (at - lam))[0]
        return inner.form.expected(_relevant(theta)) - inner.value

    for _ in range(200):
        _, reached = _with_counts(inner.counts, following * w, mu + slope * (following - lam))
        if (excess(following) > 0) == above:
            if excess(lam) * excess(following) > 0:  # the even distribution itself, but for rounding
                return None
            lam_at = float(brentq(excess, lam, following, rtol=1e-12))
            theta, mu = _with_counts(inner.counts, lam_at * w, mu + slope * (lam_at - lam))
            return theta, np.concatenate(([lam_at], mu))
        slope = (reached - mu) / (following - lam)
        lam, mu, following = following, reached, following * 1.25
    return None


def refrozen(inner: Interior, p: FloatArray, times: int = 6) -> Start | None:
    """The same with w taken again at its own result, some times over."""
    found = None
    for _ in range(times):
        start = frozen(inner, p)
        if start is None:
            return found
        found = start
        p = softmax(np.column_stack((np.zeros(len(p)), start[0])), axis=1)
    return found


def _relevant(theta: FloatArray) -> FloatArray:
    return np.asarray(softmax(np.column_stack((np.zeros(len(theta)), theta)), axis=1)[:, 1:])


def _with_counts(counts: FloatArray, field: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Logits field + mu with these counts, and mu: damped Newton on the convex dual."""
    p = _relevant(field + mu)
    for _ in range(100):
        short = counts - p.sum(axis=0)
        if np.abs(short).max() < 1e-11 * max(1.0, counts.max()):
            break
        hessian = np.diag(p.sum(axis=0)) - p.T @ p
        hessian += 1e-12 * np.eye(len(mu)) * max(1.0, float(np.abs(hessian).max()))
        step = np.clip(np.linalg.solve(hessian, short), -2.0, 2.0)
        for _ in range(30):  # a step may not make the counts worse
            trial = _relevant(field + mu + step)
            if np.abs(counts - trial.sum(axis=0)).max() < np.abs(short).max():
                break
            step = step / 2
        mu, p = mu + step, trial
    return field + mu, mu


def climb(inner: Interior, point: Point) -> Point:
    """Move a jump by one rank, solve again, keep what has more entropy, until no move has."""
    tried: set[tuple[int, bool]] = set()
    while True:
        _, at, _ = ascent.jumps(point.p)
        for move, theta in ascent.moved(point, np.unique(at)):
            if move in tried:
                continue
            tried.add(move)
            name = point.start if point.start.endswith("+jump") else point.start + "+jump"
            neighbour = ascend(inner, name, (theta, point.multipliers))
            if neighbour is not None and neighbour.entropy > point.entropy + BETTER:
                point = neighbour
                break
        else:
            return point


def starts(inner: Interior, number: int, rng: np.random.Generator) -> Iterator[tuple[str, Start]]:
    """The even start, both ends (mixed, frozen, with the jump moved), and random ones of three kinds."""
    depth, c = inner.form.a.shape
    even = np.tile(inner.even_with_reference, (depth, 1))
    zero = np.log(inner.even / inner.even_with_reference[0])
    yield "even", (np.tile(zero, (depth, 1)), np.concatenate(([0.0], zero)))
    near = inner.end(inner.value > inner.form.expected(even[:, 1:]))
    mixture = mixed(inner, near, even)
    if mixture is not None:
        yield "end mixed", start_of(inner, mixture)
    held = frozen(inner, near)
    if held is not None:
        yield "frozen", held
    for shift in (0, 1, 2):
        shifted = near[np.clip(np.arange(depth) - shift, 0, depth - 1)]
        held = refrozen(inner, shifted)
        if held is not None:
            yield f"refrozen{shift:+d}" if shift else "refrozen", held
    w = inner.form.gradient(even[:, 1:])
    for _ in range(number):
        lam = rng.choice((-1.0, 1.0)) * 10 ** rng.uniform(-1, 3) / np.ptp(w)
        yield "random multipliers", (zero + lam * (w - w.mean(axis=0)), np.concatenate(([lam], zero)))
        noise = rng.normal(scale=rng.uniform(0.2, 4), size=(depth, c))
        yield "random logits", (zero + noise, np.concatenate(([0.0], zero)))
        exchanged = mixed(inner, near, near[rng.permutation(depth)])
        if exchanged is not None:
            yield "permuted end", start_of(inner, 0.98 * exchanged + 0.02 * even)
