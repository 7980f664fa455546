"""Problems as arrays, and their way through the lanes of a workspace."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from maxent.kernels.workspace import Transfer, Transfers, Workspace
from maxent.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Problems of one depth, number of measures m and number of grades c besides the eliminated one; k of them.

    Attributes
    ----------
    own, which : (k,) arrays of int
        Which ``a``, and which ``d`` and ``K``, belong to each problem.
    a : (..., depth, m, c) array
    d : (..., depth, m) array
    K : (..., m, c, c) array
    size : (depth,) array
        Number of ranks that share each row: 1, or more in coarse problems.
    value : (k, m) array
    counts : (k, c) array
    bounded : bool
        Whether the counts are upper bounds.
    """

    own: IntArray
    which: IntArray
    a: FloatArray
    d: FloatArray
    K: FloatArray
    size: FloatArray
    value: FloatArray
    counts: FloatArray
    bounded: bool

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Depth, number of grades besides the eliminated one, and number of measures."""
        _, depth, m, c = self.a.shape
        return depth, c, m

    @cached_property
    def quadratic(self) -> bool:
        """Whether any measure has a pairwise part."""
        return bool(self.K.any() and self.d.any())

    def part(self, chosen: npt.NDArray[Any]) -> Self:
        """Some of the problems."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in ("own", "which", "value", "counts")})

    def centred(self) -> tuple[Self, FloatArray]:
        """Where the counts fix what is taken from the weights of every rank: weights relative to the middle rank.

        Weights may differ in their last digits only, or be next to nothing far down the list. What the middle rank
        has, times the counts, is a part of the value that never varies; the rest is solved with all its digits.

        Returns
        -------
        batch : Batch
        middle : (k, m, c) array
            What was taken: the multipliers of the counts are larger by this times those of the values.
        """
        if self.bounded:
            return self, np.zeros((len(self.value), *self.a.shape[2:]))
        middle = self.a[:, self.a.shape[1] // 2]
        of_each = middle[self.own]
        value = self.value - (of_each * self.counts[:, None]).sum(axis=2)
        return replace(self, a=self.a - middle[:, None], value=value), of_each


class Start(NamedTuple):
    """Where Newton's method starts.

    Attributes
    ----------
    rows : (k, ..., c) array
        Probabilities; the logits are those that the derivatives there and the multipliers imply.
    row : (depth,) array of int
        Which of them belongs to each rank.
    multipliers : (k, m + c) array
        Of the scaled values and of the counts.
    free : (k,) array of bool
        Where the multipliers of the counts, which are bounds, become 0 then.
    """

    rows: FloatArray
    row: IntArray
    multipliers: FloatArray
    free: BoolArray


class Evidence(NamedTuple):
    """What the kernels find out about claimed optima.

    Attributes
    ----------
    expected : (k, m) array
        Values of the measures.
    deviation : (k,) array
        Largest difference between p and what its derivatives and the multipliers imply.
    rows : (k,) array
        Largest deviation of a row of p from a distribution.
    total : (k, c) array
        Sums of p over the ranks.
    border : (k, m + c, m + c) array
        Schur complement of all constraints.
    negative : (k,) array
        Number of negative eigenvalues of D - A.
    """

    expected: FloatArray
    deviation: FloatArray
    rows: FloatArray
    total: FloatArray
    border: FloatArray
    negative: FloatArray


class NewtonResult(NamedTuple):
    """Where Newton's method ended.

    Attributes
    ----------
    p : (k, depth, c + 1) array
        Probabilities, that of the eliminated grade first.
    multipliers : (k, m + c) array
        Of the scaled values and of the counts.
    iterations : (k,) array
    converged : (k,) array of bool
    evidence : Evidence
        Of the scaled problems.
    """

    p: FloatArray
    multipliers: FloatArray
    iterations: FloatArray
    converged: BoolArray
    evidence: Evidence


def workspace(batch: Batch, lanes: int) -> Workspace:
    """A workspace for problems of this kind."""
    work = Workspace(*batch.sizes, lanes)
    work["size"][:] = batch.size[:, None]
    return work


def problems_and(
    work: Workspace, batch: Batch, scale: FloatArray, multipliers: FloatArray, *others: Transfer
) -> tuple[FloatArray, Transfers]:
    """What puts problems, with every value divided by its scale (k, m), multipliers and other fields into lanes."""
    k, share = len(batch.value), 1 / scale
    K = batch.K[batch.which] * share[:, :, None, None]
    given = work.given(K, batch.value * share, batch.counts, np.full(k, float(batch.bounded)), multipliers)
    a = Transfer("a", batch.a, batch.own, factor=np.repeat(share, work.c, axis=1))
    return given, work.transfers(a, Transfer("d", batch.d, batch.which), *others)


def single(batch: Batch, scale: FloatArray) -> Workspace:
    """A workspace with the first problem in its only lane."""
    work = workspace(batch, 1)
    given, transfers = problems_and(work, batch, scale, np.zeros((len(scale), work.m + work.c)))
    work.put(transfers, 0, work.load(given, 0))
    return work


def newton_method(
    batch: Batch, scale: FloatArray, start: Start, *, most: int, tolerance: float, lanes: int, examined: bool = True
) -> NewtonResult:
    """Newton's method for every problem.

    Parameters
    ----------
    batch : Batch
    scale : (k, m) array
        What values are divided by: errors count in these units.
    start : Start
    most, tolerance
        See :meth:`Workspace.newton_method`.
    lanes : int
        Number of problems side by side.
    examined : bool
        Whether there is evidence wanted.
    """
    work, quadratic = workspace(batch, lanes), batch.quadratic
    k, (depth, c, m) = len(batch.value), batch.sizes
    p, records = np.empty((k, depth, c + 1)), np.empty((len(work.whole), k))
    given, transfers = problems_and(work, batch, scale, start.multipliers, Transfer("p", start.rows, row=start.row))
    results = work.transfers(Transfer("eliminated", p), Transfer("p", p, column=1))
    some_free = start.free.any()
    for first in range(0, k, lanes):
        used = work.load(given, first)
        work.put(transfers, first, used)
        work.run("gradient_down", "gradient_up", "implied")
        if some_free:
            work["multipliers"][m:, :used] *= ~start.free[first : first + used]
        work.newton_method(used, most=most, tolerance=tolerance, quadratic=quadratic)
        if examined:
            _examine(work, quadratic=quadratic)
        work.get(results, first, used)
        records[:, first : first + used] = work.whole[:, :used]
    found = (work.field(records, name) for name in ("multipliers", "iterations", "converged"))
    multipliers, iterations, converged = found
    return NewtonResult(p, multipliers, iterations, converged > 0, _evidence(work, records))


def examine(batch: Batch, p: FloatArray, multipliers: FloatArray) -> Evidence:
    """Evidence about a claimed optimum: a distribution (1, depth, c + 1) and multipliers (1, m + c)."""
    work = workspace(batch, 1)
    given, transfers = problems_and(
        work, batch, np.ones_like(batch.value), multipliers, Transfer("eliminated", p), Transfer("p", p, column=1)
    )
    work.put(transfers, 0, work.load(given, 0))
    work.run("gradient_down", "gradient_up")
    _examine(work, quadratic=batch.quadratic)
    return _evidence(work, work.whole)


def _examine(work: Workspace, *, quadratic: bool) -> None:
    work.run("evidence")
    if quadratic:
        work.run("forward", "negative_eigenvalues")
    else:
        work["G"][:], work["negative"][:] = 0.0, 0.0


def _evidence(work: Workspace, records: FloatArray) -> Evidence:
    names = ("expected", "deviation", "rows", "total", "G", "negative")
    expected, deviation, rows, total, G, negative = (work.field(records, name) for name in names)
    return Evidence(expected, deviation, rows, total, G[:, :, :-1], negative)


def strict_maxima(border: FloatArray, active: FloatArray, negative: FloatArray) -> BoolArray:
    """Which problems are at a strict local maximum, (k,).

    The Hessian of the Lagrangian is negative definite on the null space of the active constraints if D - A has as
    many negative eigenvalues as the Schur complement of these constraints. It cannot have fewer, but rounding may
    say so where constraints are all but alike, or probabilities all but 0 or 1.

    Parameters
    ----------
    border : (k, m + c, m + c) array
        Schur complements of all constraints.
    active : (k, m + c) array
        1 for the constraints that count, else 0.
    negative : (k,) array
        Negative eigenvalues of D - A.
    """
    border = np.where(active[:, :, None] * active[:, None] > 0, border, np.eye(border.shape[1]))
    scale = np.sqrt(np.abs(np.diagonal(border, axis1=1, axis2=2)))
    scale[scale == 0] = 1.0
    border = border / (scale[:, :, None] * scale[:, None])
    finite = np.asarray(np.isfinite(border).all(axis=(1, 2)))
    values = np.linalg.eigvalsh(np.where(finite[:, None, None], border, 0.0))
    return np.asarray((negative == 0) | (finite & (negative <= (values < 0).sum(axis=1))))
