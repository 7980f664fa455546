"""The recursion over the ranks: all lists at once, as paths through the numbers of documents found so far.

A state is (k_1..k_c), the documents of each group of grades among the first n; group 0, with grade 0, is what is
left. A list is a path from (0..0) to the counts, and to go from state s at rank n - 1 to a document of group
i has the weight

    odds_n(i) exp(sum_v lambda_v (a_vn(i) + d_vn X_vi(s))),

where X_vi(s) = sum_j K_v(i, j) k_j for a pairwise form, so that the exponential is a product of tables, and the
probability of still reading for a cascade. Group 0 has the weight 1. ``backward`` sums the weights of all ends of
lists behind each state, with the mean and the covariance of what the measures gain there; ``forward`` then has the
probability of every state. Numbers are scaled rank by rank. Where a double has not the range for that, both compute
with logarithms instead, which takes ten times as long. The loops are ``maxent.kernels.lists`` and ``list_logs``.
"""

from functools import partial

import numpy as np

from maxent.kernels import calls
from maxent.kernels.calls import address
from maxent.lists.steps import LANES, Steps
from maxent.types import FloatArray, IntArray

EVERY = np.zeros((0, 0), dtype=np.uint8)  # no step is ruled out
EACH = (
    32  # ranks after which sums are kept: those between are computed again, in memory that a processor has at hand
)
_call = partial(calls.call, module="lists")
_call_logs = partial(calls.call, module="list_logs")


def memory(steps: Steps, *, every: int = EACH) -> FloatArray:
    """Memory (1 + N / every, S) for every state after ``every`` so many ranks, and for what is read beyond."""
    return _rows(1 + -(-steps.depth // every), steps.shape[1])


def _rows(number: int, states: int) -> FloatArray:
    return np.zeros((number + 1) * states + LANES)[: number * states].reshape(number, states)


def backward(
    steps: Steps,
    multipliers: FloatArray,
    logs: bool,
    allowed: IntArray,
    moments: bool,
    kept: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Logarithm of Z, and if ``moments`` its gradient (m,) and Hessian (m, m): the measures' means and covariances.

    ``kept``, unless it is empty, is from :func:`memory` and gets the sums behind states; scaled, or as logarithms.
    """
    m, own = steps.measures, np.ascontiguousarray(multipliers, dtype=np.float64)
    work, out, given = _work(steps, moments), np.zeros(1 + m * (m + 1)), (address(steps.table), address(own))
    results = address(kept), address(work), address(out)
    if logs:
        rules = moments, kept.size > 0, len(allowed) > 0, address(allowed)
        _call_logs("log_sums", *given, *rules, *results)
    else:
        _call("sums", *given, moments, address(steps.windows), _every(steps, kept), *results)
    return out[0].item(), out[1 : 1 + m], out[1 + m :].reshape(m, m)


def forward(
    steps: Steps, multipliers: FloatArray, logs: bool, allowed: IntArray, kept: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Probability of each group at each rank (N, c + 1), expected values (m,), and a bound on what was lost.

    ``kept`` is from ``backward``; where it has every rank, which logarithms need, it becomes the probability
    (N + 1, S) of every state. The last column is group 0. The first and last states after each rank are pruned
    where their probability is below ``kernels.lists.LEAST``; what they had is lost. A state that underflows has
    less than 2 S tiny / sum_s F_n(s) B_n(s) of the probability, with the weights of both directions scaled to a
    largest one of 1.
    """
    own, p = np.ascontiguousarray(multipliers, dtype=np.float64), np.zeros((steps.depth, len(steps.sizes) + 1))
    found, work, given = np.zeros(steps.measures + 1), _work(steps, False), (address(steps.table), address(own))
    results = address(work), address(p), address(found)
    if logs:
        _call_logs("log_flow", *given, len(allowed) > 0, address(allowed), address(kept), *results)
    else:
        every = _every(steps, kept)
        block = _rows(EACH + 1, steps.shape[1]) if every > 1 else kept
        _call("flow", *given, address(steps.windows), every, address(kept), address(block), *results)
    return p, found[:-1], found[-1].item()


def draw(
    steps: Steps, multipliers: FloatArray, logs: bool, allowed: IntArray, kept: FloatArray, uniform: FloatArray
) -> IntArray:
    """Groups of documents of random lists, from what ``backward`` kept and uniform numbers (lists, N).

    Logarithms need every rank; else ``kept`` is from :func:`memory`.
    """
    own, groups = np.ascontiguousarray(multipliers, dtype=np.float64), np.empty(uniform.shape, dtype=np.int64)
    work, given, number = _work(steps, False), (address(steps.table), address(own)), len(uniform)
    if logs:
        places = address(kept), number, address(uniform), address(work), address(groups)
        _call_logs("draw", *given, len(allowed) > 0, address(allowed), *places)
    else:
        block, states = _rows(EACH + 1, steps.shape[1]), np.zeros(number, dtype=np.int64)
        sums = address(steps.windows), EACH, address(kept), address(block), address(work)
        _call("draws", *given, *sums, number, address(uniform), address(states), address(groups))
    return groups


def _every(steps: Steps, kept: FloatArray) -> int:
    """After how many ranks sums are kept, 0 for never."""
    return 0 if not kept.size else 1 if len(kept) == steps.depth + 1 else EACH


def _work(steps: Steps, moments: bool) -> FloatArray:
    """Working memory: tables of powers, the weights of a rank, and a few numbers of every state."""
    c, m, states = len(steps.sizes), steps.measures, steps.shape[1]
    each = 1 + m + m * m if moments else 2
    return np.zeros(c * (steps.longest + 2) + m + (c + 2) * (states + LANES) + each * 2 * (states + LANES))
