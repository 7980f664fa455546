"""Problems as arrays, solved or examined in the lanes of a workspace: what the rest of the package uses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from maxent.kernels.arguments import NO_NUMBERS, Source
from maxent.kernels.calls import call, flat
from maxent.kernels.curves import FLAT_NOBODY, Deal, Seen
from maxent.kernels.workspace import Workspace
from maxent.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Arrays of k problems with the same depth, number of measures m, and number of grades c + 1 that can occur."""

    linear_index: IntArray  # (k,): which ``a`` belongs to each problem
    form_index: IntArray  # (k,): which ``d`` and ``K`` belong to each problem
    # coefficients of the forms, as in :class:`maxent.measures.form.Form` after the elimination of a grade:
    a: FloatArray  # (..., depth, m, c)
    d: FloatArray  # (..., depth, m)
    K: FloatArray  # (..., m, c, c)
    size: FloatArray  # (depth,): number of ranks that share each row: 1, or more in coarse problems
    value: FloatArray  # (k, m): wanted values of the forms
    counts: FloatArray  # (k, c): expected documents of each grade
    bounded: bool  # whether the counts are upper bounds
    # (k, depth, c), or (1, depth, c) if the same for all: constant part of the logits, which rules grades out at
    # ranks and has the odds of the reference; 0 by default
    offset: FloatArray | None = None

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
        return replace(
            self,
            **{name: getattr(self, name)[chosen] for name in ("linear_index", "form_index", "value", "counts")},
        )

    def with_measures(self, chosen: Sequence[int]) -> Self:
        """The problems with some of the measures only."""
        a, d = (np.ascontiguousarray(array[:, :, chosen]) for array in (self.a, self.d))
        return replace(self, a=a, d=d, K=self.K[:, chosen], value=self.value[:, chosen])

    def with_offset(self, logits: FloatArray) -> Self:
        """The problems with more in the constant part of the logits, (k, depth, c)."""
        return replace(self, offset=logits if self.offset is None else logits + self.offset)

    def centred(self) -> tuple[Self, FloatArray]:
        """The same problems with weights relative to the middle rank, and the rows (k, m, c) subtracted.

        Subtracting the row a_n of one rank from those of all ranks changes the value by a constant, this row times
        the counts, if these are fixed; upper bounds leave the problems as they are. The differences keep their
        digits where weights differ in their last digits only. It is the middle rank and not the mean because
        weights far down the list may be tiny. The multipliers of the counts are larger by the rows times those of
        the values.
        """
        if self.bounded:
            return self, np.zeros((len(self.value), *self.a.shape[2:]))
        middle = self.a[:, self.a.shape[1] // 2]
        of_each = middle[self.linear_index]
        value = self.value - (of_each * self.counts[:, None]).sum(axis=2)
        return replace(self, a=self.a - middle[:, None], value=value), of_each


class Start(NamedTuple):
    """Where Newton's method starts."""

    # (k, rows, c): probabilities. The logits at the start are those that the derivatives at these probabilities
    # and the multipliers imply
    rows: FloatArray
    row: IntArray  # (depth,): index of the row of each rank
    multipliers: FloatArray  # (k, m + c): multipliers of the scaled values and of the counts
    # (k,): problems whose multipliers of the counts, which are upper bounds, are set to 0 once the logits are
    # computed
    free: BoolArray


class Evidence(NamedTuple):
    """What a certificate needs to know about claimed optima."""

    expected: FloatArray  # (k, m): expected values of the measures
    deviation: FloatArray  # (k,): largest difference between p and what its derivatives and the multipliers imply
    rows: FloatArray  # (k,): largest deviation of a row of p from a distribution
    total: FloatArray  # (k, c): sums of p over the ranks
    # (k, m + c, m + c): Schur complement B' (D - A)^-1 B of all constraints; 0 for problems without pairwise part
    border: FloatArray
    negative: FloatArray  # (k,): number of negative eigenvalues of D - A; 0 for problems without pairwise part


class NewtonResult(NamedTuple):
    """Where Newton's method ended."""

    # (k, depth, c + 1): probabilities, that of the eliminated grade first; none where lists are observed
    p: FloatArray
    multipliers: FloatArray  # (k, m + c): multipliers of the scaled values and of the counts
    iterations: FloatArray  # (k,): number of Newton steps
    converged: BoolArray  # (k,): whether the error is within the tolerance
    evidence: Evidence  # evidence about the scaled problems; meaningless unless ``examined``
    seen: Seen  # what p says of observed lists; nothing if there are none


def newton_method(
    batch: Batch,
    scale: FloatArray,
    start: Start,
    *,
    most: int,
    tolerance: float,
    lanes: int,
    examined: bool = True,
    observed: Deal | None = None,
) -> NewtonResult:
    """Newton's method for every problem of a batch; residuals of values are relative to ``scale`` (k, m).

    ``most`` and ``tolerance`` are those of :meth:`Workspace.limit`. With lists that are ``observed``, their numbers
    come in place of the probabilities.
    """
    work, k, (depth, c, _) = workspace(batch, lanes), len(batch.value), batch.sizes
    work.limit(most=most, tolerance=tolerance, quadratic=batch.quadratic)
    p, records = np.empty((0 if observed else k, depth, c + 1)), np.empty((len(work.whole), k))
    compared, seen = FLAT_NOBODY, Seen.blank(0)
    if observed:
        lists = observed.lists(work.places)
        compared, seen = flat(lists), Seen.blank(k, len(lists.thresholds), len(lists.aligns))
    begin = Source(start.rows, row=start.row)
    call(
        "solve", work.ranks, work.whole, work.code, int(batch.quadratic), int(examined),
        _given(work, batch, scale, start.multipliers, start.free), *_sources(work, batch, scale), begin, p, records,
        compared, np.empty((2, depth, lanes)), seen.errors, seen.log_likelihood,
    )  # fmt: skip
    found = (work.field(records, name) for name in ("multipliers", "iterations", "converged"))
    multipliers, iterations, converged = found
    evidence = _evidence(work, records)
    if observed:
        seen = observed.completed(
            seen, evidence.total, *(work.field(records, name) for name in ("entropy", "missed"))
        )
    return NewtonResult(p, multipliers, iterations, converged > 0, evidence, seen)


def single(batch: Batch, scale: FloatArray, multipliers: FloatArray | None = None) -> Workspace:
    """A workspace with the first problem in its only lane; multipliers (1, m + c) are 0 by default."""
    work = workspace(batch, 1)
    own = np.zeros((len(scale), work.m + work.c)) if multipliers is None else multipliers
    given = _given(work, batch, scale, own, np.zeros(len(scale)))
    work.whole[: len(given)] = given[:, :1]
    for field, source in zip(("a", "d", "offset"), _sources(work, batch, scale), strict=True):
        if len(source.array):
            work.put(field, source)
    return work


def examine(batch: Batch, p: FloatArray, multipliers: FloatArray) -> Evidence:
    """Evidence about a claimed optimum of one problem: p (1, depth, c + 1) and multipliers (1, m + c)."""
    work = single(batch, np.ones_like(batch.value), multipliers)
    work["eliminated"][:, 0], work["p"][..., 0] = p[0, :, 0], p[0, :, 1:]
    work.run("gradient_down", "gradient_up", "evidence")
    if batch.quadratic:
        work.run("forward", "negative_eigenvalues")
    return _evidence(work, work.whole)


def workspace(batch: Batch, lanes: int) -> Workspace:
    """A workspace for the problems of a batch."""
    work = Workspace(*batch.sizes, lanes)
    work["size"][:] = batch.size[:, None]
    return work


def _given(
    work: Workspace, batch: Batch, scale: FloatArray, multipliers: FloatArray, free: npt.NDArray[Any]
) -> FloatArray:
    """Records that load problems, with values divided by their scale (k, m): (numbers, k)."""
    share, bounded = 1 / scale, np.full(len(scale), float(batch.bounded))
    K = batch.K[batch.form_index] * share[:, :, None, None]
    return work.given(K, batch.value * share, batch.counts, bounded, free * 1.0, multipliers)


def _sources(work: Workspace, batch: Batch, scale: FloatArray) -> tuple[Source, Source, Source]:
    """Where ``a``, ``d`` and ``offset`` of the ranks come from; the last is empty where it is 0."""
    offset = np.empty((0, work.depth, work.c)) if batch.offset is None else batch.offset
    shared = np.zeros(len(scale), dtype=np.int64) if len(offset) == 1 else NO_NUMBERS
    a = batch.a.reshape(len(batch.a), work.depth, work.m * work.c)
    factor = np.repeat(1 / scale, work.c, axis=1)
    return Source(a, batch.linear_index, factor=factor), Source(batch.d, batch.form_index), Source(offset, shared)


def _evidence(work: Workspace, records: FloatArray) -> Evidence:
    names = ("expected", "deviation", "rows", "total", "G", "negative")
    expected, deviation, rows, total, G, negative = (work.field(records, name) for name in names)
    return Evidence(expected, deviation, rows, total, G[:, :, :-1], negative)


def strict_maxima(border: FloatArray, active: FloatArray, negative: FloatArray) -> BoolArray:
    """Which problems are at a strict local maximum, (k,).

    The Hessian of the Lagrangian is negative definite on the null space of the active constraints if D - A has as
    many negative eigenvalues (``negative``, (k,)) as the Schur complement of these constraints (inertia of the
    bordered matrix). It cannot have fewer; rounding may make it seem so where constraints are nearly dependent or
    probabilities are nearly 0 or 1. ``border`` (k, m + c, m + c) has the Schur complements of all constraints, and
    ``active`` (k, m + c) is 0 for upper bounds that are not reached, else 1.
    """
    border = np.where(active[:, :, None] * active[:, None] > 0, border, np.eye(border.shape[1]))
    scale = np.sqrt(np.abs(np.diagonal(border, axis1=1, axis2=2)))
    scale[scale == 0] = 1.0
    border = border / (scale[:, :, None] * scale[:, None])
    finite = np.asarray(np.isfinite(border).all(axis=(1, 2)))
    values = np.linalg.eigvalsh(np.where(finite[:, None, None], border, 0.0))
    return np.asarray((negative == 0) | (finite & (negative <= (values < 0).sum(axis=1))))
