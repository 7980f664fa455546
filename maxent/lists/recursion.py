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

import numpy as np

from maxent.kernels.arguments import LANES
from maxent.lists.steps import Steps
from maxent.types import FloatArray, IntArray

EVERY = np.zeros((0, 0), dtype=np.uint8)  # no step is ruled out
EACH = 32  # ranks after which sums are kept: computing those between again is quicker than reading them from afar


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
    m, given = steps.measures, (multipliers, allowed, steps.measures if moments else 0)
    work, out = _work(steps, moments), np.zeros(1 + m * (m + 1))
    if logs:
        steps.call("list_logs", "log_sums", *given, kept.size > 0, kept, work, out)
    else:
        steps.call("lists", "sums", *given, _every(steps, kept), kept, work, out)
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
    p, found = np.zeros((steps.depth, len(steps.sizes) + 1)), np.zeros(steps.measures + 1)
    given, results = (multipliers, allowed), (_work(steps, False), p, found)
    if logs:
        steps.call("list_logs", "log_flow", *given, kept, *results)
    else:
        every = _every(steps, kept)
        block = _rows(EACH + 1, steps.shape[1]) if every > 1 else kept
        steps.call("lists", "flow", *given, every, kept, block, *results)
    return p, found[:-1], found[-1].item()


def draw(
    steps: Steps, multipliers: FloatArray, logs: bool, allowed: IntArray, kept: FloatArray, uniform: FloatArray
) -> IntArray:
    """Groups of documents of random lists, from what ``backward`` kept and uniform numbers (lists, N).

    Logarithms need every rank; else ``kept`` is from :func:`memory`.
    """
    groups, number, given = np.empty(uniform.shape, dtype=np.int64), len(uniform), (multipliers, allowed)
    work = _work(steps, False)
    if logs:
        steps.call("list_logs", "draw", *given, kept, number, uniform, work, groups)
    else:
        block, states = _rows(EACH + 1, steps.shape[1]), np.zeros(number, dtype=np.int64)
        steps.call("lists", "draws", *given, EACH, kept, block, work, number, uniform, states, groups)
    return groups


def _every(steps: Steps, kept: FloatArray) -> int:
    """After how many ranks sums are kept, 0 for never."""
    return 0 if not kept.size else 1 if len(kept) == steps.depth + 1 else EACH


def _work(steps: Steps, moments: bool) -> FloatArray:
    """Working memory: a few numbers of every state."""
    m, states = steps.measures, steps.shape[1] + LANES
    return np.zeros(len(steps.sizes) + 1 + m + (1 + 2 * (1 + m + m * m if moments else 2)) * states)
