"""The structured Newton solver: every measure of the algebra in O(depth * c^3) per iteration."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from maxent.compiled import Workspace
from maxent.compiled.newton import CONVERGED
from maxent.measures.form import FloatArray
from maxent.solvers.interior import Candidate, Interior
from maxent.statement import Statement

TOLERANCE = 1e-12
ROUGH = 1e-6  # tolerance of a coarse problem
TRUST = 2.0  # nats that a probability may outgrow its way to 1 in one step
DIRECT = 60  # iterations of the direct attempt
SINGLE, GROWTH = 16, 0.08  # a coarse problem keeps the first ranks; rank n shares its row with GROWTH * n others
WORTHWHILE = 200  # depth from which a coarse problem is solved first


def solve_newton(inner: Interior) -> Candidate:
    """Newton's method from a coarse solution."""
    pair = workspaces(inner.problem.depth, len(inner.present) - 1)
    even, free = inner.start
    statement, quadratic = Statement.of([inner.problem]), not inner.problem.form.linear
    solve_side_by_side(pair, statement, np.array([inner.scale]), even[None], np.array([free]), quadratic=quadratic)
    work, _ = pair
    converged, iterations = work["outcome"][0] == CONVERGED, int(work["iterations"][0])
    message = "" if converged else f"Newton's method did not converge within {iterations} iterations"
    return Candidate(present_p(work), work["multipliers"][:, 0].copy(), iterations, message, failed=not converged)


Pair = tuple[Workspace, Workspace | None]


def workspaces(depth: int, c: int, lanes: int = 1) -> Pair:
    """Workspaces of problems and, if they are deep, of their coarse problems."""
    coarse = Workspace(len(_rows(depth)) - 1, c, lanes) if depth >= WORTHWHILE else None
    return Workspace(depth, c, lanes), coarse


def solve_side_by_side(
    pair: Pair,
    statement: Statement,
    scale: FloatArray,
    even: FloatArray,
    free: npt.NDArray[np.bool_],
    *,
    quadratic: bool,
) -> None:
    """Solve one problem in each lane, as far as Newton's method goes by itself; see the field ``outcome``.

    Parameters
    ----------
    pair : (Workspace, Workspace or None)
        For the problems and for coarse ones, see :func:`workspaces`.
    statement : Statement
        At most as many problems as there are lanes.
    scale : (k,) array
        Attainable ranges.
    even, free : (k, c) and (k,) arrays
        Where to start, see :attr:`Interior.start`.
    quadratic : bool
        Whether any of the measures has a pairwise part.
    """
    work, coarse = pair
    work.run("load_problems", *statement, scale)
    if coarse is None:
        work.run("start_even", even, free)
    else:
        _start_coarse(work, coarse, even, free, quadratic=quadratic)
    run(work, len(scale), quadratic=quadratic)


def load(work: Workspace, inner: Interior) -> None:
    """Put a problem into the only lane."""
    work.run("load_problems", *Statement.of([inner.problem]), np.array([inner.scale]))


def start_even(work: Workspace, inner: Interior) -> None:
    """Start the only lane from the even distribution."""
    even, free = inner.start
    work.run("start_even", even[None], np.array([free]))


def present_p(work: Workspace) -> FloatArray:
    """Probabilities in the only lane, (depth, c + 1)."""
    p = np.empty((1, work.depth, work.c + 1))
    work.run("write_probabilities", p, np.arange(work.c + 1)[None])
    return np.asarray(p[0])


def run(work: Workspace, lanes: int, *, quadratic: bool, most: int = DIRECT, tolerance: float = TOLERANCE) -> None:
    """Newton's method in the first lanes until all are done."""
    work.run("begin", lanes)
    work.run("newton", most, TRUST, tolerance, quadratic)


@lru_cache(maxsize=16)
def _rows(depth: int) -> npt.NDArray[np.intp]:
    """First rank of each row of the coarse problem, and the depth."""
    first = [0]
    while first[-1] < depth:
        n = first[-1]
        first.append(n + 1 + (int(GROWTH * n) if n >= SINGLE else 0))
    first[-1] = depth
    return np.array(first)


def _start_coarse(
    work: Workspace, coarse: Workspace, even: FloatArray, free: npt.NDArray[np.bool_], *, quadratic: bool
) -> None:
    """Start from the solution of coarse problems, in which ranks far down share rows."""
    first = _rows(work.depth)
    coarse.whole[:] = work.whole
    own, (weight, within) = np.empty_like(coarse["a"]), np.empty((2, coarse.depth, work.lanes))
    work.run("summarize_rows", first, own, weight, within)
    coarse.run("load_coarse", first, own, weight, within, even)
    coarse.run("start_even", even, free)
    run(coarse, len(even), quadratic=quadratic, tolerance=ROUGH)
    lost = coarse["outcome"][: len(even)] != CONVERGED
    if lost.any():  # from the even distribution after all
        work.run("start_even", even, free)
        coarse["p"][:, :, : len(even)][:, :, lost] = even[lost].T
    kept = np.flatnonzero(~lost)
    work["multipliers"][:, kept] = coarse["multipliers"][:, kept]
    work.run("spread_rows", first, coarse["p"])
    work.run("gradient")
    work.run("implied")
