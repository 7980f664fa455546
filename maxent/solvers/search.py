"""Where one run of Newton's method is not enough: values near an end of the interval.

Near the smallest value of a quadratic measure the multiplier lambda is so negative that exchanges between adjacent
ranks have curvature |lambda| d_n K against the entropy's 1 / (p (1 - p)) >= 4: beyond 4 a rank holds itself at a
low or a high probability, profiles jump between two adjacent ranks, and every place of the jump can be a local
maximum of its own. So there are several starts, and each is followed by moving its jumps as long as that helps.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product

import numpy as np
from scipy.special import entr

from maxent.certificate import FEASIBLE
from maxent.compiled import Workspace
from maxent.compiled.drive import DIRECT
from maxent.extremes import shape
from maxent.measures.form import FloatArray
from maxent.problem import Problem
from maxent.solvers.ascent import Found, Point, Ranks, Start, ascend, here, jumps, moved
from maxent.solvers.frozen import frozen
from maxent.solvers.interior import Candidate, Interior, fit_multipliers
from maxent.solvers.newton import load, start_even
from maxent.solvers.proximal import STEPS, rise
from maxent.solvers.starts import mixture, tail

LOWEST_SHARE = 0.05  # of the interval: several local maxima were never seen above a fifth where n d_n does not rise
BISTABLE = 3.0  # curvature ratio from which there may be several; 4 by the argument above, seen from 4.75
CERTAIN = 1e-3  # probabilities this close to 0 or 1 stay there
CONCAVE = 0.5  # share of -lambda times the distance to the end that the entropy has: 1 or more if it is concave
ALIKE = 1e-9, 1e-10  # differences of entropies of what may be the same maximum, in nats and relative
SAME = 0.01  # difference of probabilities of starts that lead to the same maximum: others have a jump elsewhere
MOST_BOUNDS = 6  # whose subsets are tried
SHIFTS = (0, 1, 2)  # ranks that the list at the end is moved by
STEADY = (1e-3, 1e-6)  # change of probabilities below which derivatives need not be renewed, and a second try
PATIENCE = 300  # iterations after which the best maximum so far will do
LAST = 5  # times as many steps of the ascent where there is no maximum yet
BRIEF = 12  # iterations of Newton's method where it may well fail


def ambiguous(problem: Problem, p: FloatArray, multiplier: float, interval: tuple[float, float]) -> bool:
    """Whether another local maximum may be better than the one found.

    So it may if a jump is between ranks that could be on either of its sides, and not both are certain already,
    nor all ranks on the same.

    Parameters
    ----------
    problem : Problem
    p : (depth, ...) array
        Probabilities by grade; those of alike grades may stand as one.
    multiplier : float
        Of the value, in units of the original measure.
    interval : (float, float)
        As :attr:`Problem.interval`.
    """
    return len(open_jumps(problem, p, multiplier, interval)) > 0


def open_jumps(problem: Problem, p: FloatArray, multiplier: float, interval: tuple[float, float]) -> Ranks:
    """Ranks (from 0) after which a threshold's probability jumps, where the jump may as well be elsewhere.

    Parameters are those of :func:`ambiguous`.
    """
    low, high = interval
    nowhere = np.zeros(0, dtype=np.intp)
    if problem.form.linear or -multiplier * problem.form.strongest <= BISTABLE:
        return nowhere
    if problem.value - low > LOWEST_SHARE * (high - low) and shape(problem.form, problem.present[1:]).steep:
        return nowhere
    strongest = -multiplier * float(np.abs(problem.form.K).max())
    above, at, threshold = jumps(p)
    before, after = above[at, threshold], above[at + 1, threshold]
    least, most = np.minimum(before, after), np.maximum(before, after)
    certain = (least < CERTAIN) & (most > 1 - CERTAIN)  # as the list at the end would have it, but for others
    certain &= float(entr(p).sum()) >= CONCAVE * -multiplier * (problem.value - low)
    nothing = (most < CERTAIN) | (least > 1 - CERTAIN)  # on one side all along
    between = np.clip(0.5, least, most)  # where the entropy's curvature is least
    ratio = strongest * problem.form.d[at] * 4 * between * (1 - between)
    return np.unique(at[~(certain | nothing) & (ratio > BISTABLE)])


@dataclass(eq=False)
class Tried:
    """What a search has tried: Newton's candidate, starts near the end, those that led nowhere, and maxima."""

    known: Candidate
    starts: list[FloatArray] = field(default_factory=list)
    failed: list[Start] = field(default_factory=list)
    maxima: list[Point] = field(default_factory=list)

    def before(self, work: Workspace, start: Start) -> bool:
        """Whether there was a start with about the same probabilities; from now on there was."""
        work["theta"][..., 0] = start[0]
        work.run("softmax")
        found = any(np.abs(work["p"] - other).max() < SAME for other in self.starts)
        if not found:
            self.starts.append(work["p"].copy())
        return found

    def reached(self, point: Point) -> bool:
        """Whether there was a maximum of this entropy; from now on there was."""
        found = any(_alike(point, other) for other in self.maxima)
        if not found:
            self.maxima.append(point)
        return found


def _alike(one: Point, other: Point) -> bool:
    """Whether two points may be the same but for rounding."""
    nats, relative = ALIKE
    return math.isclose(one.entropy, other.entropy, rel_tol=relative, abs_tol=nats)


def _better(one: Point, other: Point) -> bool:
    """Whether a point has more entropy than another."""
    return one.entropy > other.entropy and not _alike(one, other)


def search(inner: Interior, known: Candidate) -> list[Candidate]:
    """Strict local maxima that several starts and moves of their jumps lead to, the best first; or a failure.

    Parameters
    ----------
    inner : Interior
    known : Candidate
        What Newton's method found by itself, or its failure.
    """
    work = Workspace(inner.problem.depth, len(inner.present) - 1)
    load(work, inner)
    best: Point | None = None
    tried, iterations, settled = Tried(known), known.iterations, False
    for find in _ways(inner):
        if best is not None and (find in LAST_RESORTS or iterations > PATIENCE or settled):
            break  # nothing better is to be expected
        point, more = find(work, inner, tried)
        iterations += more
        if point is None:
            continue
        if tried.reached(point):
            break  # different starts lead to the same maxima
        point, more = _climb(work, inner, point, tried)
        iterations += more
        if best is None or _better(point, best):
            best, settled = point, len(_open(inner, point)) == 0
    if best is None:
        return [Candidate(known.p, known.multipliers, iterations, "no strict local maximum found", failed=True)]
    ranked = sorted(tried.maxima, key=lambda point: -point.entropy)
    return [Candidate(point.p, point.multipliers, iterations) for point in ranked]


def _from_known(work: Workspace, inner: Interior, tried: Tried) -> Found:
    """The point that Newton's method found by itself."""
    known = tried.known
    if known.failed or known.multipliers is None:
        return None, 0
    work["p"][..., 0], work["multipliers"][:, 0] = known.p[:, 1:], known.multipliers
    work.run("gradient")
    work.run("implied")
    work.run("softmax")
    work.run("residuals")
    given = here(work)
    point, iterations = ascend(work, inner, work["theta"][..., 0].copy(), known.multipliers, most=BRIEF)
    return point or given, iterations


def _from_end(work: Workspace, inner: Interior, tried: Tried, *, shift: int) -> Found:
    """From the end of the interval beyond the value, or that list moved by some ranks, derivatives renewed."""
    start, iterations = None, 0
    for number, start in enumerate(frozen(work, inner, shift=shift, steady=STEADY)):
        if number == 0 and tried.before(work, start):
            return None, iterations
        point, more = ascend(work, inner, *start, most=BRIEF)
        iterations += more
        if point is not None:
            return point, iterations
    if start is not None:
        tried.failed.append(start)
    return None, iterations


def _from_list(work: Workspace, inner: Interior, tried: Tried) -> Found:
    """From the end of the interval beyond the value, with the derivative there."""
    others = len(tried.starts)
    if others == 1 and not tried.failed:  # wherever derivatives begin, they become the same, and good
        return None, 0
    start = next(frozen(work, inner, shift=0, steady=(np.inf,)), None)
    if start is None or tried.before(work, start):
        return None, 0
    point, iterations = ascend(work, inner, *start, most=BRIEF)
    if point is None and (others == 0 or tried.failed):
        tried.failed.insert(0, start)
    return point, iterations


def _from_failed(work: Workspace, inner: Interior, tried: Tried) -> Found:
    """From the next of the starts near the end from which Newton's method does not arrive."""
    if not tried.failed:
        return None, 0
    return rise(work, inner, *tried.failed.pop(0), steps=STEPS if tried.maxima else LAST * STEPS)


def _climb(work: Workspace, inner: Interior, point: Point, tried: Tried) -> tuple[Point, int]:
    """Move a jump by one rank, solve again, keep what has more entropy, until no move has or the rest is known."""
    moves: set[tuple[int, bool]] = set()
    iterations = 0
    while len(at := _open(inner, point)) > 0:
        for move, theta in moved(point, at):
            if move in moves:
                continue
            moves.add(move)
            neighbour, more = ascend(work, inner, theta, point.multipliers, most=BRIEF)
            iterations += more
            if neighbour is not None and _better(neighbour, point):
                point = neighbour
                break
        else:
            break
        if tried.reached(point):
            break
    return point, iterations


def _open(inner: Interior, point: Point) -> Ranks:
    """As :func:`open_jumps`, for a point of the search."""
    return open_jumps(inner.problem, point.p, point.multipliers[0] / inner.scale, inner.problem.interval)


def _from_start(
    work: Workspace,
    inner: Interior,
    tried: Tried,
    *,
    start: Callable[[Interior], FloatArray | None],
    steps: int = STEPS,
) -> Found:
    """From a distribution with about the value."""
    p = start(inner)
    if p is None:
        return None, 0
    return rise(work, inner, np.log(p[:, 1:] / p[:, :1]), fit_multipliers(inner, p), steps=steps)


def _from_subsets(work: Workspace, inner: Interior, tried: Tried) -> Found:
    """With some of the upper bounds only: where ranks weigh alike, bounds and value depend on each other."""
    counts, iterations = work["counts"].copy(), 0
    if not inner.bounded or len(counts) > MOST_BOUNDS:
        return None, 0
    for kept in product((True, False), repeat=len(counts)):
        work["counts"][:] = np.where(np.array(kept)[:, None], counts, 2.0 * work.depth)
        start_even(work, inner)
        start = work["theta"][..., 0].copy(), work["multipliers"][:, 0].copy()
        point, more = ascend(work, inner, *start, most=DIRECT)
        iterations += more
        work["counts"][:] = counts
        if point is not None and (point.p[:, 1:].sum(axis=0) <= counts[:, 0] * (1 + FEASIBLE / 10)).all():
            return point, iterations
    return None, iterations


Finder = Callable[[Workspace, Interior, Tried], Found]
_from_mixture = partial(_from_start, start=mixture, steps=LAST * STEPS)
ABOVE: tuple[Finder, ...] = (  # the even distribution's value: there one start that arrives will do
    partial(_from_end, shift=0),
    _from_mixture,
    _from_list,
    *[_from_failed] * 2,
    _from_subsets,
)
ENDS: tuple[Finder, ...] = (
    *(partial(_from_end, shift=shift) for shift in SHIFTS),
    _from_list,
    *[_from_failed] * (len(SHIFTS) + 1),
)
TAILS: tuple[Finder, ...] = (
    *(partial(_from_start, start=partial(tail, whole=whole)) for whole in (False, True)),
    partial(_from_end, shift=0),
    _from_list,
    *[_from_failed] * 2,
)
LAST_RESORTS: tuple[Finder, ...] = (_from_mixture, _from_subsets)  # where there is no maximum yet


def _ways(inner: Interior) -> tuple[Finder, ...]:
    """Ways to a maximum, in the order in which they are tried."""
    if inner.value > inner.even_value:
        return (_from_known, *ABOVE)
    steep = shape(inner.problem.form, inner.problem.present[1:]).steep
    return (_from_known, *(ENDS if steep else TAILS), *LAST_RESORTS)
