"""Interface of the kernels for the rest of the package: problems as arrays, solved or examined side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, Self

import numpy as np

from maxent.kernels.calls import call
from maxent.kernels.loops.records import ProblemArrays
from maxent.kernels.observed import NO_LISTS, Deal, Seen
from maxent.kernels.workspace import Workspace
from maxent.types import BoolArray, FloatArray, IntArray

ROUGHLY, ROUGH = 60, 1e-6  # most iterations for a coarse problem, and largest error of its solution
SINGLE, GROWTH = 16, 0.08  # a coarse problem keeps the first ranks; rank n shares its row with GROWTH * n others
FINE = np.zeros(0, dtype=np.int64)  # no ranks share rows
NOTHING = Seen.blank(0)


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Coefficients of the m measures of a topic after the elimination of one of the c + 1 grades that can occur."""

    # as in :class:`maxent.measures.form.Form` after the elimination of a grade:
    a: FloatArray  # (depth, m, c)
    d: FloatArray  # (depth, m)
    K: FloatArray  # (m, c, c)
    constants: FloatArray  # (m,): what the elimination leaves of the values

    @cached_property
    def quadratic(self) -> bool:
        """Whether any measure has a pairwise part."""
        return bool(self.K.any() and self.d.any())

    @cached_property
    def middle(self) -> FloatArray:
        """Weights ``a`` (m, c) of the middle rank."""
        return np.asarray(self.a[len(self.a) // 2])

    @cached_property
    def centred(self) -> Self:
        """Coefficients with weights relative to the middle rank."""
        return replace(self, a=self.a - self.middle)

    @cached_property
    def coarse(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means of a and d over ranks that share a row in coarse problems, and ``within`` (rows, m).

        ``within`` is the mean of j d_j over the ranks of a row, where j = 0, 1, ... is the place in the row.
        """
        edges = edges_of(len(self.a))
        first, size = (
            edges[:-1],
            np.diff(edges)[:, None],
        )  # of each row: its first rank, and number of ranks (rows, 1)
        j = np.arange(len(self.a)) - np.repeat(first, size[:, 0])  # (depth,)
        a, d, within = (np.add.reduceat(ranks, first) for ranks in (self.a, self.d, j[:, None] * self.d))
        return a / size[..., None], d / size, within / size

    def of_measures(self, chosen: Sequence[int]) -> Self:
        """Coefficients of some of the measures."""
        a, d = (np.ascontiguousarray(array[:, chosen]) for array in (self.a, self.d))
        return replace(self, a=a, d=d, K=self.K[chosen], constants=self.constants[chosen])


@dataclass(frozen=True, eq=False)
class Batch:
    """Arrays of k problems of equal depth, with m measures and c + 1 grades that can occur in each."""

    topics: tuple[Coefficients, ...]
    index: IntArray  # (k,): topic of each problem
    value: FloatArray  # (k, m): wanted values, in the probabilities of all grades but one
    counts: FloatArray  # (k, c): expected documents of each grade
    bounded: BoolArray  # (c,): whether the counts of a grade are upper bounds
    # (k, depth, c), or (1, depth, c) if the same for all: constant part of the logits, which rules grades out at
    # ranks and has the odds of the reference; 0 by default
    offset: FloatArray | None = None

    @property
    def depth(self) -> int:
        """Number of ranks."""
        return len(self.topics[0].a)

    @property
    def c(self) -> int:
        """Number of grades that can occur, without the eliminated one."""
        return int(self.counts.shape[1])

    @property
    def m(self) -> int:
        """Number of measures."""
        return int(self.value.shape[1])

    @property
    def quadratic(self) -> bool:
        """Whether any measure has a pairwise part."""
        return any(topic.quadratic for topic in self.topics)

    def stacked(self, name: str) -> FloatArray:
        """The coefficient array ``name`` of all topics, (topics, ...)."""
        return _stack([getattr(topic, name) for topic in self.topics])

    def with_measures(self, chosen: Sequence[int]) -> Self:
        """The problems reduced to some of the measures."""
        topics = tuple(topic.of_measures(chosen) for topic in self.topics)
        return replace(self, topics=topics, value=self.value[:, chosen])

    def with_offset(self, logits: FloatArray) -> Self:
        """The problems with ``logits`` (k, depth, c) added to the constant part of their logits."""
        return replace(self, offset=logits if self.offset is None else logits + self.offset)

    def centred(self) -> tuple[Self, FloatArray]:
        """Same problems with weights relative to the middle rank, and the subtracted rows (k, m, c).

        For fixed counts, subtracting the row a_n of one rank from the rows of all ranks changes the value by a
        constant, this row times the counts; problems with upper bounds stay as they are. The differences keep their
        digits if weights differ only in their last digits. The middle rank is used rather than the mean because
        weights far down the list may be tiny. The multipliers of the counts grow by the rows times the multipliers
        of the values.
        """
        if self.bounded.any():
            return self, np.zeros((len(self.value), *self.topics[0].middle.shape))
        middle = self.stacked("middle")[self.index]
        value = self.value - (middle * self.counts[:, None]).sum(axis=2)
        return replace(self, topics=tuple(topic.centred for topic in self.topics), value=value), middle


def _stack(arrays: Sequence[FloatArray]) -> FloatArray:
    """Stack arrays along a new first axis."""
    return arrays[0][None] if len(arrays) == 1 else np.stack(arrays)


@lru_cache(maxsize=16)
def edges_of(depth: int) -> IntArray:
    """First ranks of the rows of coarse problems, from 0, and the depth."""
    first = [0]
    while first[-1] < depth:
        n = first[-1]
        first.append(n + 1 + (int(GROWTH * n) if n >= SINGLE else 0))
    return np.minimum(first, depth)


class Start(NamedTuple):
    """Start of Newton's method for each problem."""

    # (k, depth, c), or (k, 1, c) if the same at every rank: probabilities. The logits at the start are those that
    # the derivatives at these probabilities and the multipliers imply
    p: FloatArray
    multipliers: FloatArray  # (k, m + c): multipliers of the scaled values and of the counts
    # (k,): problems whose multipliers of the counts, which are upper bounds, are set to 0 once the logits are
    # computed
    free: BoolArray


class Evidence(NamedTuple):
    """Numbers from which certificates of claimed optima are computed."""

    expected: FloatArray  # (k, m): expected values of the measures
    deviation: FloatArray  # (k,): largest difference between p and what its derivatives and the multipliers imply
    rows: FloatArray  # (k,): largest deviation of a row of p from a distribution
    total: FloatArray  # (k, c): sums of p over the ranks
    # (k, m + c, m + c): Schur complement B' (D - A)^-1 B of all constraints; 0 for problems without pairwise part
    border: FloatArray
    negative: FloatArray  # (k,): number of negative eigenvalues of D - A; 0 for problems without pairwise part


class NewtonResult(NamedTuple):
    """Result of Newton's method for each problem."""

    # (k, depth, c + 1): probabilities, that of the eliminated grade first; none where lists are observed
    p: FloatArray
    multipliers: FloatArray  # (k, m + c): multipliers of the scaled values and of the counts
    iterations: FloatArray  # (k,): number of Newton steps
    converged: BoolArray  # (k,): whether the error is within the tolerance
    evidence: Evidence  # meaningless unless ``examined``
    seen: Seen  # comparison of p with the observed lists; empty if there are none


def newton_method(
    batch: Batch,
    scale: FloatArray,
    start: Start,
    *,
    most: int,
    tolerance: float,
    lanes: int,
    coarse: bool = False,
    examined: bool = True,
    observed: Deal | None = None,
) -> NewtonResult:
    """Run Newton's method for every problem of a batch; residuals of values are relative to ``scale`` (k, m).

    ``most`` and ``tolerance`` are as for :meth:`Workspace.newton_method`. With ``coarse``, coarse problems are
    solved first, in which ranks far down the list share a row. With ``observed`` lists, the comparison with them is
    returned in place of the probabilities.
    """
    k, depth, c, m = len(batch.value), batch.depth, batch.c, batch.m
    # 1. the problems, and the coarse ones, as machine code reads them
    edges = edges_of(depth) if coarse else FINE
    work, coarse_work = Workspace(depth, c, m, lanes), Workspace(max(len(edges) - 1, 0), c, m, lanes)
    problems = _problem_arrays(batch, scale, start, len(work.whole))
    rough, within = _coarse_problems(batch, problems, edges) if coarse else (problems, problems.d)
    limits = np.array([ROUGHLY, ROUGH, most, tolerance])
    # 2. memory for what comes out
    p = np.empty((0 if observed else k, depth, c + 1))
    seen = observed.observed.blank if observed else NOTHING
    lists = observed.lists(work.places, depth, lanes, seen) if observed else NO_LISTS
    # 3. all problems, one after the other through the lanes; their records then have all fields
    call(
        "solve",
        ranks=work.ranks,
        whole=work.whole,
        coarse=coarse_work.ranks,
        coarse_whole=coarse_work.whole,
        passes=work.passes,
        at=work.places,
        problems=problems,
        edges=edges,
        rough=rough,
        within=within,
        limits=limits,
        quadratic=int(batch.quadratic),
        examined=int(examined),
        p=p,
        lists=lists,
    )
    evidence = _evidence(work, problems.records, scale)
    if observed:
        entropy, missed = (work.field(problems.records, name) for name in ("entropy", "missed"))
        seen = observed.completed(seen, evidence.total, entropy, missed)
    names = ("multipliers", "iterations", "converged")
    multipliers, iterations, converged = (work.field(problems.records, name) for name in names)
    return NewtonResult(p, multipliers, iterations, converged > 0, evidence, seen)


def single(batch: Batch, scale: FloatArray, multipliers: FloatArray | None = None) -> Workspace:
    """Workspace with the first problem in its only lane; ``scale`` (k, m), multipliers (1, m + c) or 0."""
    work = Workspace(batch.depth, batch.c, batch.m)
    if multipliers is None:
        multipliers = np.zeros((1, batch.m + batch.c))
    start = Start(np.zeros((1, 1, batch.c)), multipliers, np.zeros(1, dtype=np.bool_))
    work.load(_problem_arrays(batch, scale, start, len(work.whole)))
    return work


def examine(batch: Batch, p: FloatArray, multipliers: FloatArray) -> Evidence:
    """Evidence about a claimed optimum of one problem: p (1, depth, c + 1) and multipliers (1, m + c)."""
    scale = np.ones_like(batch.value)
    work = single(batch, scale, multipliers)
    work["eliminated"][:, 0], work["p"][..., 0] = p[0, :, 0], p[0, :, 1:]
    work.run("gradient_down", "gradient_up", "evidence")
    if batch.quadratic:
        work.run("forward", "negative_eigenvalues")
    return _evidence(work, work.whole.T, scale)


def _problem_arrays(batch: Batch, scale: FloatArray, start: Start, numbers: int) -> ProblemArrays:
    """Problems as machine code reads them; ``scale`` (k, m), and ``numbers`` is the length of a record."""
    scaling = 1 / scale
    bounded = np.broadcast_to(batch.bounded, batch.counts.shape)
    # the inputs in ``passes.fields.WHOLE``, in its order: scaling, value, counts, bounded, free, multipliers
    first_fields = scaling, batch.value * scaling, batch.counts, bounded, start.free[:, None], start.multipliers
    width = sum(field.shape[1] for field in first_fields)
    records = np.empty((len(scale), numbers))
    np.concatenate(first_fields, axis=1, out=records[:, :width])
    offset = np.empty((0, batch.depth, batch.c)) if batch.offset is None else np.ascontiguousarray(batch.offset)
    return ProblemArrays(
        topic=batch.index,
        a=batch.stacked("a"),
        d=batch.stacked("d"),
        K=batch.stacked("K"),
        records=records,
        offset=offset,
        start=np.ascontiguousarray(start.p),
    )


def _coarse_problems(batch: Batch, problems: ProblemArrays, edges: IntArray) -> tuple[ProblemArrays, FloatArray]:
    """The coarse problems, in which the ranks between two ``edges`` share a row, and ``within``.

    Where offset or start differ between ranks, a row takes those of its first rank.
    """
    a, d, within = map(_stack, zip(*(topic.coarse for topic in batch.topics), strict=True))
    offset, start = (
        ranks if ranks.shape[1] == 1 else ranks.take(edges[:-1], axis=1)
        for ranks in (problems.offset, problems.start)
    )
    return problems._replace(a=a, d=d, offset=offset, start=start), within


def _evidence(work: Workspace, records: FloatArray, scale: FloatArray) -> Evidence:
    """Evidence from the records (k, numbers) of problems that were examined, with the scale (k, m) undone."""
    names = ("expected", "deviation", "rows", "total", "G", "negative")
    expected, deviation, rows, total, G, negative = (work.field(records, name) for name in names)
    return Evidence(expected * scale, deviation, rows, total, G[:, :, :-1], negative)


def strict_maxima(border: FloatArray, active: FloatArray, negative: FloatArray) -> BoolArray:
    """Whether each problem is at a strict local maximum, (k,).

    The Hessian of the Lagrangian is negative definite on the null space of the active constraints if D - A has as
    many negative eigenvalues (``negative``, (k,)) as the Schur complement of these constraints (inertia of the
    bordered matrix). It cannot have fewer, but rounding may make it seem so if constraints are nearly dependent or
    probabilities are nearly 0 or 1. ``border`` (k, m + c, m + c) has the Schur complements of all constraints, and
    ``active`` (k, m + c) is 0 for upper bounds that are not reached, else 1.
    """
    # 1. the rows and columns of inactive constraints become those of the identity
    if not active.all():
        border = np.where(active[:, :, None] * active[:, None] > 0, border, np.eye(border.shape[1]))
    # 2. a unit diagonal, which leaves the signs of the eigenvalues
    scale = np.sqrt(np.abs(np.diagonal(border, axis1=1, axis2=2)))
    scale[scale == 0] = 1.0
    border = border / (scale[:, :, None] * scale[:, None])
    # 3. negative eigenvalues of D - A, and of the Schur complement
    finite = np.asarray(np.isfinite(border).all(axis=(1, 2)))
    values = np.linalg.eigvalsh(np.where(finite[:, None, None], border, 0.0))
    return np.asarray((negative == 0) | (finite & (negative <= (values < 0).sum(axis=1))))
