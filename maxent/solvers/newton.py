"""The structured Newton solver: every measure of the algebra in O(depth * c^3) per iteration."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maxent.compiled import Workspace
from maxent.compiled.drive import DIRECT, TOLERANCE, TRUST
from maxent.measures.form import FloatArray
from maxent.solvers.interior import Candidate, Interior
from maxent.statement import Statement

SINGLE, GROWTH = 16, 0.08  # a coarse problem keeps the first ranks; rank n shares its row with GROWTH * n others
WORTHWHILE = 200  # depth from which a coarse problem is solved first


def solve_newton(inner: Interior) -> Candidate:
    """Newton's method from a coarse solution."""
    even, free = inner.start
    quadratic, scale = not inner.problem.form.linear, np.array([inner.scale])
    levels = inner.problem.levels
    found = solve_all(inner.centred[0], scale, even[None], np.array([free]), levels=levels, quadratic=quadratic)
    converged, iterations = bool(found.converged[0]), int(found.iterations[0])
    message = "" if converged else f"Newton's method did not converge within {iterations} iterations"
    p = found.p[0][:, inner.present]
    return Candidate(p, found.multipliers[0], iterations, message, failed=not converged)


class Found(NamedTuple):
    """Where Newton's method ended.

    Attributes
    ----------
    p : (k, depth, levels + 1) array
    multipliers : (k, c + 1) array
        Of the scaled values and of the grades present but the first.
    iterations : (k,) array
    converged : (k,) array of bool
    """

    p: FloatArray
    multipliers: FloatArray
    iterations: FloatArray
    converged: npt.NDArray[np.bool_]


def solve_all(
    statement: Statement,
    scale: FloatArray,
    even: FloatArray,
    free: npt.NDArray[np.bool_],
    *,
    levels: int,
    quadratic: bool,
    lanes: int = 1,
) -> Found:
    """Go as far as Newton's method goes by itself, with every problem.

    Parameters
    ----------
    statement : Statement
    scale : (k,) array
        Attainable ranges.
    even, free : (k, c) and (k,) arrays
        Where to start, see :attr:`Interior.start`.
    levels : int
        Highest grade.
    quadratic : bool
        Whether any of the measures has a pairwise part.
    lanes : int
        Number of problems side by side.
    """
    k, c = even.shape
    work = Workspace(statement.depth, c, lanes)
    first = _rows(work.depth) if work.depth >= WORTHWHILE else np.zeros(1, dtype=np.intp)
    coarse = Workspace(len(first) - 1, c, lanes)
    p = np.empty((k, work.depth, levels + 1))
    found = Found(p, np.empty((k, c + 1)), np.empty(k), np.empty(k, dtype=np.bool_))
    work.run("solve_all", coarse.rank, coarse.whole, first, *statement, scale, even, free, quadratic, *found)
    return found


def load(work: Workspace, inner: Interior) -> None:
    """Put a problem into the only lane."""
    which, a, d, K, _, *given = inner.centred[0]
    work.run("load_problems", which, a, d, K, *given, np.array([inner.scale]))


def start_even(work: Workspace, inner: Interior) -> None:
    """Start the only lane from the even distribution."""
    even, free = inner.start
    work.run("start_even", even[None], np.array([free]))


def present_p(work: Workspace) -> FloatArray:
    """Probabilities in the only lane, (depth, c + 1)."""
    return np.column_stack((work["reference"][:, 0], work["p"][..., 0]))


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
