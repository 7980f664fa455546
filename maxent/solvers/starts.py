"""Starts of Newton's method: uniform distributions, and solutions of coarse problems."""

import numpy as np

from maxent.kernels.batch import ROUGH, NewtonResult, Start, newton_method
from maxent.kernels.observed import Deal
from maxent.measures.form import FULL
from maxent.problem.reduced import Reduced
from maxent.types import FloatArray

DIRECT = 60  # iterations from the uniform distribution
REFINED = 16  # iterations from the solution of a coarse problem
TOLERANCE = 1e-12  # largest error of a solution


def run_newton(reduced: Reduced, *, lanes: int, coarse: bool, observed: Deal | None = None) -> NewtonResult:
    """Run Newton's method from the uniform distribution or, if ``coarse``, from the solutions of coarse problems.

    With ``observed`` lists, the comparison with them is returned in place of distributions.
    """
    batch, m = reduced.batch, len(reduced.constraining)
    uniform, free = uniform_start(reduced)
    rest = 1 - uniform.sum(axis=1, keepdims=True)
    multipliers = np.zeros((len(uniform), m + uniform.shape[1]))
    multipliers[:, m:] = np.log(uniform / rest)
    start = Start(uniform[:, None], multipliers, free)
    if coarse and m > 1:
        start = _start_from_first_measure(reduced, start, lanes)
    most = REFINED if coarse and batch.quadratic else DIRECT
    return newton_method(
        batch, reduced.scale, start, most=most, tolerance=TOLERANCE, lanes=lanes, coarse=coarse, observed=observed
    )


def _start_from_first_measure(reduced: Reduced, start: Start, lanes: int) -> Start:
    """Start from the solution for the first of several measures alone.

    Similar measures, such as GAP and nDCG, nearly imply each other's values. Newton's method then fails on a fifth
    of the lists from the uniform distribution, but only on one in fifty from here.
    """
    m = len(reduced.constraining)
    first = [0, *range(m, start.multipliers.shape[1])]  # its multiplier, and those of the counts
    alone = reduced.with_measures([0])
    first_start = start._replace(multipliers=start.multipliers[:, first])
    newton_result = newton_method(
        alone.batch, alone.scale, first_start, most=0, tolerance=ROUGH, lanes=lanes, coarse=True, examined=False
    )
    multipliers = np.zeros_like(start.multipliers)
    multipliers[:, first] = newton_result.multipliers
    return make_start(newton_result.p, multipliers)


def make_start(p: FloatArray, multipliers: FloatArray) -> Start:
    """Start from solutions (k, depth, c + 1)."""
    return Start(p[:, :, 1:], multipliers, np.zeros(len(p), dtype=np.bool_))


def uniform_start(reduced: Reduced) -> tuple[FloatArray, np.ndarray]:
    """Rows (k, c) of uniform distributions, and whether their counts are below all upper bounds, (k,).

    If the counts are upper bounds and the uniform distribution with all these documents has too large a value, a
    uniform distribution with fewer documents has the right value: Newton's method then starts with the value as the
    only constraint. With several values, it starts from all documents.
    """
    batch, uniform = reduced.batch, reduced.uniform
    depth = batch.sizes.depth
    if not batch.bounded.all() or batch.sizes.m != 1:
        return uniform, np.zeros(len(uniform), dtype=np.bool_)
    value, (a, d, K) = batch.value[:, 0], map(batch.stacked, "adK")
    # E[M] = sum_n a_n p + sum_n (n - 1) d_n p' K p for the row p of every rank
    linear = (a[:, :, 0].sum(axis=1)[batch.index] * uniform).sum(axis=1)
    pairs = (d[..., 0] @ np.arange(depth))[batch.index]
    quadratic = pairs * np.einsum("ki,kij,kj->k", uniform, K[batch.index, 0], uniform)
    room = batch.counts.sum(axis=1) < depth * (1 - FULL)
    # where documents may lower the value, so that the smallest one is negative, fewer need not have a smaller value
    rising = (reduced.intervals[:, 0, 0] >= 0) & (value > 0) & (value < linear + quadratic)
    fewer = room & rising
    linear, quadratic, wanted = linear[fewer], quadratic[fewer], value[fewer]
    # the share s of the documents with s linear + s^2 quadratic = wanted
    uniform[fewer] *= (2 * wanted / (linear + np.sqrt(linear * linear + 4 * quadratic * wanted)))[:, None]
    return uniform, rising | ~room
