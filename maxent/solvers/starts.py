"""Where Newton's method starts: from uniform distributions, and from the solutions of coarse problems."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from maxent.kernels.batch import Batch, NewtonResult, Start, newton_method
from maxent.kernels.curves import Deal
from maxent.measures.form import FULL
from maxent.solvers.back_end_problem import uniform_rows
from maxent.types import FloatArray, IntArray

SINGLE, GROWTH = 16, 0.08  # a coarse problem keeps the first ranks; rank n shares its row with GROWTH * n others
DIRECT = 60  # iterations from the uniform distribution
REFINED = 16  # iterations from the solution of a coarse problem
TOLERANCE, ROUGH = 1e-12, 1e-6  # largest error of a solution, and of that of a coarse problem


def run_newton(
    batch: Batch,
    centred: Batch,
    scale: FloatArray,
    low: FloatArray,
    *,
    lanes: int,
    coarse: bool,
    observed: Deal | None = None,
) -> NewtonResult:
    """Newton's method from the uniform distribution, or (``coarse``) from the solutions of coarse problems.

    ``centred`` has the same problems as ``batch``; ``scale`` and ``low`` (k, m) are the units of the values and the
    smallest attainable ones. Lists that are ``observed`` are wanted in place of the distributions.
    """
    uniform, free = uniform_start(batch, low)
    rest = 1 - uniform.sum(axis=1, keepdims=True)
    given = np.concatenate((np.zeros_like(scale), np.log(uniform / rest)), axis=1)
    depth = centred.sizes[0]
    start = Start(uniform[:, None], np.zeros(depth, dtype=np.int64), given, free)
    if not coarse:
        return newton_method(
            centred, scale, start, most=DIRECT, tolerance=TOLERANCE, lanes=lanes, observed=observed
        )
    rows = _rows(depth)
    shorter, begin = _coarse(centred, rows, uniform), start._replace(row=start.row[: len(rows.first)])
    if batch.sizes[2] > 1:
        begin = _from_first(shorter, scale, begin, lanes)
    rough = newton_method(shorter, scale, begin, most=DIRECT, tolerance=ROUGH, lanes=lanes, examined=False)
    lost = ~rough.converged
    p, multipliers = np.ascontiguousarray(rough.p[:, :, 1:]), rough.multipliers
    p[lost], multipliers[lost] = uniform[lost, None], given[lost]
    refined = Start(p, rows.row, multipliers, free & lost)
    most = REFINED if batch.quadratic else DIRECT
    return newton_method(centred, scale, refined, most=most, tolerance=TOLERANCE, lanes=lanes, observed=observed)


def _from_first(batch: Batch, scale: FloatArray, start: Start, lanes: int) -> Start:
    """The solution that follows from the first of several measures, as a start.

    Measures that are much alike, such as GAP and nDCG, nearly imply each other's values. From the uniform
    distribution Newton's method then goes astray on a fifth of the lists, and from here on one in fifty.
    """
    first = [0, *range(scale.shape[1], start.multipliers.shape[1])]  # its multiplier, and those of the counts
    alone, own = batch.with_measures([0]), start._replace(multipliers=start.multipliers[:, first])
    found = newton_method(alone, scale[:, :1], own, most=DIRECT, tolerance=ROUGH, lanes=lanes, examined=False)
    multipliers = np.zeros_like(start.multipliers)
    multipliers[:, first] = found.multipliers
    return start_at(found.p, multipliers)


def start_at(p: FloatArray, multipliers: FloatArray) -> Start:
    """A start from solutions (k, depth, c + 1)."""
    rows = np.ascontiguousarray(p[:, :, 1:])
    return Start(rows, np.arange(rows.shape[1]), multipliers, np.zeros(len(rows), dtype=np.bool_))


def uniform_start(batch: Batch, low: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """Rows (k, c) of uniform distributions, and whether their counts are below all upper bounds, (k,).

    Where the counts are upper bounds and the uniform distribution with all these documents has too large a value,
    one with fewer documents has the right value: Newton's method then starts with the value as the only constraint.
    With several values it starts from all documents. ``low`` (k, m) are the smallest attainable values.
    """
    depth = batch.sizes[0]
    uniform = uniform_rows(batch.counts, depth)
    if not batch.bounded or batch.sizes[2] != 1:
        return uniform, np.zeros(len(uniform), dtype=np.bool_)
    value = batch.value[:, 0]
    linear = (batch.a.sum(axis=1)[batch.linear_index, 0] * uniform).sum(axis=1)
    pairs = (np.arange(depth) @ batch.d[..., 0].T)[batch.form_index]
    quadratic = pairs * np.einsum("ki,kij,kj->k", uniform, batch.K[batch.form_index, 0], uniform)
    room = batch.counts.sum(axis=1) < depth * (1 - FULL)
    # where documents may lower the value (low < 0), fewer of them need not have a smaller one
    rising = (low[:, 0] >= 0) & (value > 0) & (value < linear + quadratic)
    fewer = room & rising
    linear, quadratic, wanted = linear[fewer], quadratic[fewer], value[fewer]
    uniform[fewer] *= (2 * wanted / (linear + np.sqrt(linear * linear + 4 * quadratic * wanted)))[:, None]
    return uniform, rising | ~room


class _Rows(NamedTuple):
    """How ranks share rows: first rank and number of ranks of each row; row of each rank, and its place in it."""

    first: IntArray
    ranks: FloatArray
    row: IntArray
    place: IntArray


@lru_cache(maxsize=16)
def _rows(depth: int) -> _Rows:
    first = [0]
    while first[-1] < depth:
        n = first[-1]
        first.append(n + 1 + (int(GROWTH * n) if n >= SINGLE else 0))
    ranks = np.diff(np.minimum(first, depth))
    row = np.repeat(np.arange(len(ranks)), ranks)
    return _Rows(np.array(first[:-1]), ranks.astype(np.float64), row, np.arange(depth) - np.array(first)[row])


def _coarse(batch: Batch, rows: _Rows, uniform: FloatArray) -> Batch:
    """Coarse problems, in which ranks share rows.

    The pairs within a row add sum_j j d_j p' K p to the value, with j the place in the row. This is linearised at
    the uniform distribution (k, c), so that coarse problems have the same form as others.
    """
    first, ranks = rows.first, rows.ranks
    own, weight = (np.add.reduceat(x, first, axis=1) for x in (batch.a, batch.d))
    a, value, d = own[batch.linear_index] / ranks[:, None, None], batch.value, weight / ranks[:, None]
    if batch.quadratic:
        within = np.add.reduceat(rows.place[:, None] * batch.d, first, axis=1)[batch.form_index]
        mutual = np.einsum("kmij,kj->kmi", (batch.K + batch.K.swapaxes(2, 3))[batch.form_index], uniform)
        a += within[..., None] * mutual[:, None] / ranks[:, None, None]
        value = value + within.sum(axis=1) * (mutual * uniform[:, None]).sum(axis=2) / 2
    offset = None if batch.offset is None else np.ascontiguousarray(batch.offset[:, first])
    return replace(batch, linear_index=np.arange(len(a)), a=a, d=d, size=ranks, value=value, offset=offset)
