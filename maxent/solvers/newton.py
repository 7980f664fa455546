"""The structured Newton solver: every measure of the algebra in O(depth * c^3) per iteration."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from maxent.compiled import Workspace
from maxent.compiled.newton import CONVERGED
from maxent.solvers.interior import Candidate, Interior

TOLERANCE = 1e-12
ROUGH = 1e-6  # tolerance of a coarse problem
TRUST = 2.0  # nats that a probability may outgrow its way to 1 in one step
DIRECT = 60  # iterations of the direct attempt
SINGLE, GROWTH = 16, 0.08  # a coarse problem keeps the first ranks; rank n shares its row with GROWTH * n others
WORTHWHILE = 200  # depth from which a coarse problem is solved first


def solve_newton(inner: Interior) -> Candidate:
    """Newton's method from a coarse solution."""
    work = Workspace(inner.problem.depth, len(inner.present) - 1)
    solve_side_by_side(work, [inner])
    p = np.empty((work.depth, work.c + 1))
    work.run("write_probabilities", 0, p, np.arange(work.c + 1))
    converged, iterations = work["outcome"][0] == CONVERGED, int(work["iterations"][0])
    message = "" if converged else f"Newton's method did not converge within {iterations} iterations"
    return Candidate(p, work["multipliers"][:, 0].copy(), iterations, message, failed=not converged)


def solve_side_by_side(work: Workspace, inners: Sequence[Interior]) -> None:
    """Solve one problem in each lane, as far as Newton's method goes by itself; see the field ``outcome``."""
    quadratic = not all(inner.problem.form.linear for inner in inners)
    for lane, inner in enumerate(inners):
        load(work, lane, inner)
        work.run("start_even", lane, *inner.start)
    if work.depth >= WORTHWHILE:
        _start_coarse(work, inners, quadratic=quadratic)
    run(work, len(inners), quadratic=quadratic)


def load(work: Workspace, lane: int, inner: Interior) -> None:
    """Put a problem into a lane."""
    problem = inner.problem
    form, grades = problem.form, np.array(inner.present)
    bounded = problem.count == "at_most"
    given = form.a, form.d, form.K, grades, inner.scale, problem.value, problem.counts, bounded
    work.run("load_problem", lane, *given)


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


def _start_coarse(work: Workspace, inners: Sequence[Interior], *, quadratic: bool) -> None:
    """Start from the solution of a coarse problem, in which ranks far down share rows."""
    first = _rows(work.depth)
    coarse = Workspace(len(first) - 1, work.c, work.lanes)
    coarse.whole[:] = work.whole
    own, (weight, within) = np.empty((coarse.depth, work.c)), np.empty((2, coarse.depth))
    for lane, inner in enumerate(inners):
        work.run("summarize_rows", lane, first, own, weight, within)
        coarse.run("load_coarse", lane, first, own, weight, within, inner.start[0])
        coarse.run("start_even", lane, *inner.start)
    run(coarse, len(inners), quadratic=quadratic, tolerance=ROUGH)
    for lane in range(len(inners)):
        if coarse["outcome"][lane] == CONVERGED:
            work["multipliers"][:, lane] = coarse["multipliers"][:, lane]
        else:  # from the even distribution after all
            coarse["p"][..., lane] = inners[lane].start[0]
        work.run("spread_rows", lane, first, coarse["p"][..., lane])
    work.run("gradient")
    work.run("implied")
